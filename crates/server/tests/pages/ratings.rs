//! Ratings through the API and the pages: what is kept, what is refused, what moves.

use serde_json::{Value, json};

use crate::described::check_shape;
use crate::projects::{Folder, control};
use crate::served::{Answer, FORM, JSON, Served};

fn rate(served: &Served, url: &str, good: Value) -> Answer {
    let body = json!({ "url": url, "good": good }).to_string();
    served.send("POST", "/api/v1/projects/it/ratings", JSON, body.as_bytes())
}

fn hits(served: &Served, query: &str) -> Vec<(String, Value)> {
    let found = served.api(query);
    let hits = found["hits"].as_array().unwrap().iter();
    hits.map(|hit| (hit["url"].as_str().unwrap().to_owned(), hit["good"].clone())).collect()
}

/// The buttons of a URL on a page: what they do, and whether they are pressed.
fn thumbs(page: &str, url: &str) -> Vec<(String, bool)> {
    let value = format!("value=\"{}\"", url.replace('&', "&amp;"));
    let buttons =
        page.split("<button ").filter(|part| part.contains(&value) && part.contains("form=\"thumbs\""));
    let one = |part: &str| {
        let name = part.split("name=\"").nth(1).unwrap().split('"').next().unwrap();
        (name.to_owned(), part.contains("aria-pressed=\"true\""))
    };
    buttons.map(one).collect()
}

fn plain() -> [(String, bool); 2] {
    [("good".to_owned(), false), ("bad".to_owned(), false)]
}

#[test]
fn a_program_rates_and_results_follow() {
    let served = Served::new(Folder::pictures(30));
    assert_eq!(served.api("/ratings"), json!({ "good": 0, "bad": 0, "ratings": [] }));
    let before = hits(&served, "/search?q=harbour&limit=30");
    let (first, last) = (before[0].0.clone(), before[29].0.clone());
    assert_eq!(rate(&served, &first, json!(false)).json(), json!({ "url": first, "good": false }));
    assert_eq!(rate(&served, &last, json!(true)).status, 200);
    let after = hits(&served, "/search?q=harbour&limit=30");
    assert_eq!((&after[0], &after[29]), (&(last.clone(), json!(true)), &(first.clone(), json!(false))));
    // pages of results agree, and so do documents alike
    assert_eq!(hits(&served, "/search?q=harbour&limit=10&offset=20"), after[20..]);
    let escaped: String = url::form_urlencoded::byte_serialize(first.as_bytes()).collect();
    let item = served.api(&format!("/item?url={escaped}"));
    assert_eq!((&item["item"]["good"], &item["alike"][0]["url"]), (&json!(false), &json!(last)));
    let ratings = served.api("/ratings");
    check_shape("Ratings", &ratings);
    assert_eq!(
        (&ratings["good"], &ratings["bad"], &ratings["ratings"][0]["url"]),
        (&json!(1), &json!(1), &json!(last))
    );
    check_shape("Results", &served.api("/search?q=harbour"));

    for url in [&first, &last] {
        assert_eq!(rate(&served, url, Value::Null).json(), json!({ "url": url, "good": null }));
    }
    assert_eq!(hits(&served, "/search?q=harbour&limit=30"), before);

    // all are bad
    before.iter().for_each(|(url, _)| assert_eq!(rate(&served, url, json!(false)).status, 200));
    assert_eq!(hits(&served, "/search?q=harbour&limit=30").len(), 30);
}

#[test]
fn what_cannot_be_rated_is_refused_with_a_reason() {
    let served = Served::new(Folder::harbour());
    let refused = |url: &str, status: u16, why: &str| {
        let answer = rate(&served, url, json!(true));
        assert!(
            answer.status == status && answer.text().contains(why),
            "{url}: {} {}",
            answer.status,
            answer.text()
        );
        check_shape("Error", &answer.json());
    };
    refused("http://harbour.example/photos/101.html", 404, "never fetched");
    served.folder.crawl();
    let done = rate(&served, "http://HARBOUR.example/photos/101.html#x", json!(true));
    assert_eq!(done.json()["url"], "http://harbour.example/photos/101.html");
    refused("http://harbour.example/photos/999.html", 404, "never fetched");
    refused("http://elsewhere.example/", 404, "never fetched");
    refused("not a URL", 400, "not a URL");
    let send = |headers: &str, body: &str| {
        served.send("POST", "/api/v1/projects/it/ratings", headers, body.as_bytes())
    };
    for body in [
        "{}",
        "[]",
        "{\"url\":\"http://a.example/\"}",
        "{\"url\":\"x\",\"good\":1}",
        "{\"url\":\"x\",\"good\":true,\"more\":1}",
    ] {
        assert_eq!(send(JSON, body).status, 400, "{body}");
    }
    assert_eq!(send(FORM, "url=x&good=true").status, 415);
    assert_eq!(served.get("/api/v1/projects/other/ratings").status, 404);
    assert_eq!(served.api("/ratings")["ratings"].as_array().unwrap().len(), 1);
    // a form needs its secret
    let form = "good=http://harbour.example/photos/102.html&to=/p/it/";
    assert_eq!(served.send("POST", "/p/it/rate", FORM, form.as_bytes()).status, 400);
    for wrong in ["to=/p/it/", "good=&to=/p/it/", "good=http://elsewhere.example/&to=/p/it/"] {
        let status = served.post("/p/it/rate", wrong).status;
        assert!(status == 400 || status == 404, "{wrong}: {status}");
    }
}

/// The same without scripts: a form, and pages that show what is pressed.
#[test]
fn a_form_rates_and_pages_show_it() {
    let served = Served::new(Folder::pictures(3));
    let url = hits(&served, "/search?q=harbour")[2].0.clone();
    let escaped: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    let item = format!("/p/it/item?url={escaped}");
    let page = |path: &str| thumbs(&served.get(path).text(), &url);
    assert_eq!(page("/p/it/?q=harbour"), plain());
    assert_eq!(page(&item), plain());
    let post = |field: &str, to: &str| {
        let to: String = url::form_urlencoded::byte_serialize(to.as_bytes()).collect();
        served.post("/p/it/rate", &format!("{field}={escaped}&to={to}"))
    };
    let done = post("bad", "/p/it/?q=harbour&offset=0");
    assert!(
        done.status == 303 && done.head.contains("location: /p/it/?q=harbour&offset=0\r\n"),
        "{}",
        done.head
    );
    let bad = [("good".to_owned(), false), ("undo".to_owned(), true)];
    assert_eq!((page("/p/it/?q=harbour"), page(&item)), (bad.to_vec(), bad.to_vec()));
    // whatever a form says, it leads to no other site
    assert!(post("good", "//evil.example/").head.contains("location: /\r\n"));
    assert_eq!(page(&item), [("undo".to_owned(), true), ("bad".to_owned(), false)]);
    assert_eq!(post("undo", &item).status, 303);
    assert_eq!(page(&item), plain());
}

/// Visits carry their ratings, wherever those were given.
#[test]
fn visits_are_rated_too() {
    let served = Served::new(Folder::harbour());
    served.folder.crawl();
    let visits = served.api("")["recent"].clone();
    let visit =
        visits.as_array().unwrap().iter().find(|visit| visit["status"] == 200 && visit["good"].is_null());
    let url = visit.unwrap()["url"].as_str().unwrap().to_owned();
    assert_eq!(thumbs(&served.get("/p/it/crawl").text(), &url), plain());
    // another process
    served.folder.open().rate(std::slice::from_ref(&url), true).unwrap();
    let seen = |view: &Value| {
        view["recent"].as_array().unwrap().iter().any(|visit| visit["url"] == url && visit["good"] == true)
    };
    let view = served.api("");
    assert!(seen(&view), "{view}");
    check_shape("Crawl", &view);
    assert_eq!(thumbs(&served.get("/p/it/crawl").text(), &url)[0], ("undo".to_owned(), true));
    assert!(seen(&served.events().next()));
    // and through the index, which knows nothing of it
    let stop = std::sync::atomic::AtomicBool::new(false);
    served.folder.open().index(&osprey_engine::IndexOptions::default(), control(&stop)).unwrap();
    let found = hits(&served, "/search?limit=100");
    assert_eq!(found[0], (url, json!(true)));
}
