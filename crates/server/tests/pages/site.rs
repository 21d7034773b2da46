//! A site that was learned: its sitemap, which types are wanted, tags that go together, terms of pages.

use std::collections::BTreeMap;

use osprey_engine::{ExportFormat, ExportWhat, LearnOptions};
use serde_json::{Value, json};

use crate::described::check_shape;
use crate::projects::Folder;
use crate::served::{JSON, Served};

/// A small simulated site: learned, and crawled for a while.
fn learned() -> Folder {
    let folder = Folder::project(
        "[crawl]\nscope = \"domain\"\nbudget_pages = 150\n[source]\nkind = \"world\"\nname = \"photo\"\nsize = 400\n\
         [vision]\npictures = \"none\"\n[topic]\ntags = [\"boat\"] # a boat\n",
    );
    folder.learn(&LearnOptions { pages: Some(120), ..LearnOptions::default() });
    folder.crawl();
    folder
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn a_learned_site_is_shown_and_steered() {
    let folder = learned();
    let tag = common_tag(&folder);
    let served = Served::new(folder);
    // its page types
    let sitemap = served.api("/sitemap");
    check_shape("Sitemap", &sitemap);
    let types = sitemap["types"].as_array().unwrap();
    assert!(types.len() > 2 && !sitemap["links"].as_array().unwrap().is_empty(), "{sitemap}");
    assert!(types.iter().any(|kind| kind["label"] == "detail"), "{sitemap}");
    // drawings may have a style and nothing else
    for path in ["/curve.svg", "/p/it/curve.svg", "/p/it/sitemap.svg"] {
        let drawing = served.get(path);
        assert!(
            drawing.status == 200 && drawing.text().starts_with("<svg xmlns="),
            "{path}: {}",
            drawing.head
        );
        let policy = "content-security-policy: default-src 'none'; style-src 'unsafe-inline'; sandbox";
        assert!(drawing.head.contains("content-type: image/svg+xml"), "{path}: {}", drawing.head);
        assert!(drawing.head.contains(policy), "{path}: {}", drawing.head);
    }
    let page = served.get("/p/it/sitemap").text();
    types.iter().for_each(|kind| assert!(page.contains(kind["name"].as_str().unwrap()), "{kind}"));

    // whether they are wanted
    let number = types[1]["number"].as_u64().unwrap();
    let wanted = || served.api("/sitemap")["types"][1]["wanted"].clone();
    assert_eq!(served.post("/p/it/sitemap", &format!("type={number}&wanted=no")).status, 303);
    assert_eq!(wanted(), json!(false));
    let path = format!("/api/v1/projects/it/sitemap/{number}");
    let put = served.send("PUT", &path, JSON, b"{\"wanted\":null}");
    assert_eq!((put.status, put.json()), (200, json!({ "number": number, "wanted": null })));
    assert_eq!(wanted(), json!(null));
    assert_eq!(
        served.send("PUT", "/api/v1/projects/it/sitemap/99999", JSON, b"{\"wanted\":true}").status,
        404
    );
    assert_eq!(served.post("/p/it/sitemap", &format!("type={number}&wanted=perhaps")).status, 400);

    // tags that go together
    let post = |path: &str, body: &Value| {
        served.send("POST", &format!("/api/v1/projects/it/topic/{path}"), JSON, body.to_string().as_bytes())
    };
    let unknown = post("expand", &json!({ "tags": ["no such tag"] }));
    assert!(unknown.status == 400 && unknown.text().contains("no such tag"), "{}", unknown.text());
    assert_eq!(post("expand", &json!({ "tags": [] })).status, 400);
    assert_eq!(post("expand", &json!({})).status, 400);
    let expansion = post("expand", &json!({ "tags": [tag] }));
    assert_eq!(expansion.status, 200, "{}", expansion.text());
    let expansion = expansion.json();
    check_shape("Expansion", &expansion);
    assert_eq!((&expansion["tags"][0]["tag"], &expansion["tags"][0]["layer"]), (&json!(tag), &json!(0)));
    assert!(expansion["pages"].as_u64() > Some(10), "{expansion}");
    let page = served.get(&format!("/p/it/topic?expand={tag}")).text();
    assert!(page.contains("detail pages counted") && page.contains(&format!("data-tag=\"{tag}\"")), "{page}");

    // who uploads what is on the topic
    let mut rows = Vec::new();
    let project = served.folder.open();
    project.export(ExportWhat::Uploaders, ExportFormat::Jsonl, None, Box::new(&mut rows)).unwrap();
    let rows = String::from_utf8(rows).unwrap();
    let uploaders: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let page = served.get("/p/it/topic?uploaders=true").text();
    assert!(page.contains(&format!("{} uploaders, the best first.", uploaders.len())), "{page}");
    let at = |uploader: &Value| page.find(&format!(">{}<", uploader["url"].as_str().unwrap()));
    assert!(
        uploaders.len() > 1 && at(&uploaders[0]).is_some() && at(&uploaders[0]) < at(&uploaders[1]),
        "{page}"
    );
    assert!(!served.get("/p/it/topic").text().contains("the best first"));

    // terms of pages
    let recent = served.api("")["recent"].as_array().unwrap().clone();
    let urls: Vec<&Value> =
        recent.iter().filter(|visit| visit["status"] == 200).map(|visit| &visit["url"]).collect();
    let terms = post("terms", &json!({ "genre_pages": &urls[..2], "relevant_pages": &urls[2..4] }));
    assert_eq!(terms.status, 200, "{}", terms.text());
    let terms = terms.json();
    check_shape("Terms", &terms);
    assert!(!terms["genre"].as_array().unwrap().is_empty(), "{terms}");
    let missing = post("terms", &json!({ "genre_pages": ["http://nowhere.example/"] }));
    assert!(missing.status == 400 && missing.text().contains("was not crawled"), "{}", missing.text());
    assert_eq!(post("terms", &json!({ "pages": [] })).status, 400);
}

/// The tag that most of the crawled pages have.
fn common_tag(folder: &Folder) -> String {
    let mut rows = Vec::new();
    folder.open().export(ExportWhat::Records, ExportFormat::Jsonl, None, Box::new(&mut rows)).unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in String::from_utf8(rows).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        texts(&row["tags"]).into_iter().for_each(|tag| *counts.entry(tag.to_owned()).or_default() += 1);
    }
    counts.into_iter().max_by_key(|(_, count)| *count).unwrap().0
}

#[test]
fn what_a_project_is_about_is_written_down() {
    let served = Served::new(Folder::harbour());
    assert_eq!(served.api("/topic"), json!({ "tags": [], "genre_terms": [], "content_terms": [] }));
    assert_eq!(served.post("/p/it/topic", "tags=a&tags=b,c&content_terms=").status, 303);
    assert_eq!(texts(&served.api("/topic")["tags"]), ["a", "b", "c"]);
    let put =
        served.send("PUT", "/api/v1/projects/it/topic", JSON, br#"{"tags":["tug"],"genre_terms":["photo"]}"#);
    let topic = json!({ "tags": ["tug"], "genre_terms": ["photo"], "content_terms": [] });
    assert_eq!((put.status, put.json()), (200, topic.clone()));
    assert_eq!(served.api("/topic"), topic);
    let page = served.get("/p/it/topic").text();
    assert!(page.contains(">tug</textarea>"), "{page}");

    // nothing was learned or crawled
    let post = |path: &str, body: &[u8]| {
        served.send("POST", &format!("/api/v1/projects/it/topic/{path}"), JSON, body)
    };
    let tags = post("expand", br#"{"tags":["a"]}"#);
    assert!(tags.status == 400 && tags.text().contains("osprey learn"), "{}", tags.text());
    assert_eq!(post("terms", br#"{"genre_pages":["http://harbour.example/"]}"#).status, 404);
    assert!(served.get("/p/it/sitemap").text().contains("No site model yet"));
}
