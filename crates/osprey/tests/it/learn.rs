//! `osprey learn` as a user types it: a site it has never seen, edits that crawls obey, records, and sites that teach
//! little.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::project::{Project, TestRng, fails_with, osprey};

const THREADS: u64 = 60;
const PEOPLE: u64 = 20;
const LISTS: u64 = 6;

fn page(folder: &Path, name: &str, title: &str, body: &str) {
    let html = format!(
        "<!doctype html><title>{title} | Harbour Forum</title><body><div class=top><a href=index.html>Harbour</a> \
         <a href=about.html>About</a></div>{body}<div class=foot>All rights reserved by the harbour</div>"
    );
    fs::write(folder.join(name), html).unwrap();
}

/// A forum of lists, threads of different length, and people.
fn forum(more: &str) -> Project {
    let project = Project::new(&format!(
        "[crawl]\nseeds = [\"http://forum.example/\"]\n[source]\nkind = \"replay\"\npath = \"{{dir}}/mirror\"\n\
         base = \"http://forum.example/\"\n{more}"
    ));
    let mirror = project.path().join("mirror");
    fs::create_dir(&mirror).unwrap();
    let mut rng = TestRng(7);
    for list in 0..LISTS {
        let mut body = "<h1>Threads</h1><table class=threads>".to_owned();
        for thread in (list..THREADS).step_by(LISTS as usize) {
            let person = thread % PEOPLE;
            let _ = write!(
                body,
                "<tr><td class=subject><a href=t{thread}.html>Thread about ships {thread}</a></td>\
                 <td class=by><a class=person href=u{person}.html>sailor{person}</a></td><td>{} views</td></tr>",
                rng.below(500)
            );
        }
        body.push_str("</table><p class=pages>");
        (0..LISTS).for_each(|n| {
            let name = if n == 0 { "index.html".to_owned() } else { format!("list{n}.html") };
            let _ = write!(body, "<a href={name}>{}</a> ", n + 1);
        });
        let name = if list == 0 { "index.html".to_owned() } else { format!("list{list}.html") };
        page(&mirror, &name, &format!("Threads, page {}", list + 1), &body);
    }
    for thread in 0..THREADS {
        let person = thread % PEOPLE;
        let mut body = format!(
            "<h1>Thread about ships {thread}</h1><p class=meta>Posted by <a class=person href=u{person}.html>sailor{person}</a></p>\
             <div class=tags>Tags: <a rel=tag href=list{}.html>ship{}</a> <a rel=tag href=list{}.html>sea{}</a></div>",
            1 + thread % 5,
            thread % 7,
            1 + thread % 3,
            thread % 4
        );
        for post in 0..1 + rng.below(6) {
            let writer = rng.below(PEOPLE);
            let _ = write!(
                body,
                "<div class=post><b class=who><a href=u{writer}.html>sailor{writer}</a></b><div class=text><p>Post {post} says \
                 that the wind blew from {} all night long and that the {} ships stayed in the harbour until morning.</p></div></div>",
                rng.below(360),
                rng.below(90)
            );
        }
        page(&mirror, &format!("t{thread}.html"), &format!("Thread about ships {thread}"), &body);
    }
    for person in 0..PEOPLE {
        let mut body = format!(
            "<div class=card><h2>sailor{person}</h2><dl><dt>Joined</dt><dd>{}</dd><dt>Boat</dt><dd>Boat {person}</dd></dl></div><h3>Threads</h3><ul class=own>",
            1990 + person
        );
        for thread in (person..THREADS).step_by(PEOPLE as usize) {
            let _ = write!(body, "<li><a href=t{thread}.html>Thread about ships {thread}</a></li>");
        }
        body.push_str("</ul>");
        page(&mirror, &format!("u{person}.html"), &format!("sailor{person}"), &body);
    }
    page(&mirror, "about.html", "About", "<article><p>This is a forum about a harbour.</p></article>");
    project
}

/// The type that most pages with this beginning have been put to.
fn type_of<'a>(learned: &'a Value, start: &str) -> &'a Value {
    let is_of = |entry: &&Value| {
        let examples = entry["examples"].as_array().unwrap();
        examples.iter().all(|url| url.as_str().unwrap().starts_with(start))
    };
    learned["types"]
        .as_array()
        .unwrap()
        .iter()
        .find(is_of)
        .unwrap_or_else(|| panic!("no type of {start}: {learned}"))
}

fn model(project: &Project, file: &str) -> Vec<u8> {
    fs::read(project.data().join("model").join(file)).unwrap()
}

#[test]
fn a_site_is_learned_the_same_way_twice() {
    let (one, two) = (forum(""), forum(""));
    let learned = one.json("learn", &[]);
    assert_eq!(learned["pages"], THREADS + PEOPLE + LISTS + 1, "{learned}");
    for (start, label) in [("t", "detail"), ("u", "profile")] {
        let found = type_of(&learned, &format!("http://forum.example/{start}"));
        assert_eq!(found["label"], label, "{found}");
    }
    assert!(String::from_utf8(model(&one, "sitemap.svg")).unwrap().starts_with("<svg xmlns="));
    // the same again, without fetching anything, and in another project
    let again = one.json("learn", &[]);
    assert_eq!(again, learned);
    assert_eq!(two.json("learn", &[]), learned);
    for file in ["site.json", "sitemap.toml", "sitemap.svg"] {
        if file != "sitemap.svg" {
            assert!(model(&one, file) == model(&two, file), "{file} differs");
        }
    }
    // from the archive, without the source
    fs::remove_dir_all(one.data().join("model")).unwrap();
    assert_eq!(one.json("learn", &[]), learned);
}

#[test]
fn crawls_obey_what_a_person_wrote() {
    let project = forum("[judge]\nkind = \"page-type\"\ntypes = [\"detail\"]\n");
    let message = fails_with(&project.run("crawl", &[]), 2);
    assert!(message.contains("run `osprey learn"), "{message}");
    let learned = project.json("learn", &[]);
    let people = type_of(&learned, "http://forum.example/u");
    let file = project.data().join("model/sitemap.toml");
    let text = fs::read_to_string(&file).unwrap();
    let head = format!("cluster = {}\nname = {}\n", people["cluster"], people["name"]);
    assert!(text.contains(&head), "{text}");
    let edited =
        text.replace(&head, &format!("cluster = {}\nname = \"sailor\"\nwanted = false\n", people["cluster"]));
    fs::write(&file, &edited).unwrap();
    let report = project.json("crawl", &[]);
    assert!(report["skipped"]["unwanted"].as_u64().unwrap() > 0, "{report}");
    assert_eq!(report["relevant"], THREADS, "{report}");
    let visits = project.rows("visits");
    let of = |start: &str| {
        let start = format!("http://forum.example/{start}");
        visits.iter().filter(move |row| row["url"].as_str().unwrap().starts_with(&start)).collect::<Vec<_>>()
    };
    assert_eq!((of("u").len(), of("t").len() as u64), (0, THREADS));
    assert!(of("t").iter().all(|row| row["page_type"] == "detail" && row["cluster"].is_u64()), "{visits:?}");
    // what was said stays when the site is learned again
    let again = project.json("learn", &["--again"]);
    let people = type_of(&again, "http://forum.example/u");
    assert_eq!((&people["name"], &people["wanted"]), (&Value::from("sailor"), &Value::from(false)));
    // a slip is named, with its place
    fs::write(&file, edited.replace("label = \"profile\"", "label = \"person\"")).unwrap();
    let message = fails_with(&project.run("crawl", &[]), 2);
    assert!(message.contains("sitemap.toml:") && message.contains("person"), "{message}");
}

#[test]
fn records_follow_the_rules_of_today() {
    let project = forum("");
    let message = fails_with(&project.run("export", &["--what", "records"]), 1);
    assert!(message.contains("nothing crawled yet"), "{message}");
    project.json("learn", &[]);
    project.json("crawl", &[]);
    let records = project.rows("records");
    let threads: Vec<&Value> = records.iter().filter(|row| row["kind"] == "detail").collect();
    assert_eq!(threads.len() as u64, THREADS);
    // what is nested in records is a table of its own
    let comments = |row: &Value| row["comments"].as_array().map_or(0, Vec::len);
    let items = project.rows("items");
    assert_eq!(items.len(), records.iter().map(comments).sum::<usize>());
    for record in records.iter().filter(|record| comments(record) > 0) {
        let own: Vec<&Value> = items.iter().filter(|item| item["record"] == record["url"]).collect();
        assert_eq!(own.len(), comments(record));
        assert_eq!((&own[0]["position"], &own[0]["text"]), (&Value::from(1), &record["comments"][0]["text"]));
    }
    for row in &threads {
        let url = row["url"].as_str().unwrap();
        let thread: u64 =
            url.trim_start_matches("http://forum.example/t").trim_end_matches(".html").parse().unwrap();
        assert_eq!(row["title"], format!("Thread about ships {thread}"), "{row}");
        assert_eq!(row["uploader"], format!("sailor{}", thread % PEOPLE), "{row}");
        assert_eq!(
            row["tags"],
            serde_json::json!([format!("ship{}", thread % 7), format!("sea{}", thread % 4)]),
            "{row}"
        );
    }
    assert_eq!(records.iter().filter(|row| row["kind"] == "profile").count() as u64, PEOPLE);
    // on lists, a thread's link knows whose it is
    let links = project.rows("links");
    let of_lists = links
        .iter()
        .filter(|row| row["from"] == "http://forum.example/list1.html" && row["uploader"].is_string());
    let pairs: Vec<(&str, &str)> =
        of_lists.map(|row| (row["anchor"].as_str().unwrap(), row["uploader"].as_str().unwrap())).collect();
    assert_eq!(pairs.len() as u64, THREADS / LISTS, "{pairs:?}");
    assert!(pairs.contains(&("Thread about ships 7", "http://forum.example/u7.html")), "{pairs:?}");
    // the file is whole again whatever happened to it
    let file = project.data().join("records/records.jsonl");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(project.rows("records"), records);
    fs::remove_file(&file).unwrap();
    assert_eq!(project.rows("records"), records);
    // other rules, no crawl: other records
    let toml = project.path().join("osprey.toml");
    let text = fs::read_to_string(&toml).unwrap();
    fs::write(&toml, text.replace("field = \"title\"", "field = \"fields.name\"")).unwrap();
    let changed = project.rows("records");
    assert!(changed.iter().all(|row| row["title"].is_null()), "{:?}", changed.first());
    assert!(changed.iter().any(|row| row["fields"]["name"].is_array()), "{:?}", changed.first());
}

#[test]
fn examples_decide_over_labels() {
    let project = forum(
        "[structure]\nexamples = { list = [\"http://forum.example/u3.html\"], other = [\"http://forum.example/gone.html\"] }\n",
    );
    let learned = project.json("learn", &[]);
    let people = type_of(&learned, "http://forum.example/u");
    assert_eq!(
        (&people["label"], people["evidence"].as_str()),
        (&Value::from("list"), Some("a page of it was given as an example"))
    );
    assert!(
        learned["notes"][0].as_str().unwrap().contains("gone.html: not among the sampled pages"),
        "{learned}"
    );
    let wrong = forum("[structure]\nexamples = { list = [\"http://other.example/\"] }\n");
    let message = fails_with(&wrong.run("learn", &[]), 2);
    assert!(message.contains("`structure.examples`") && message.contains("outside the scope"), "{message}");
}

/// There is one page about the harbour, so it is of no type: it labels nothing, which is said, and changes nothing else.
#[test]
fn an_example_of_no_type_is_named() {
    let labels = |more: &str| {
        let learned = forum(more).json("learn", &[]);
        let types = learned["types"].as_array().unwrap();
        let labels: Vec<String> = types.iter().map(|entry| entry["label"].to_string()).collect();
        (labels, learned["notes"].to_string())
    };
    let (plain, _) = labels("");
    let about = "http://forum.example/about.html";
    let (found, notes) = labels(&format!("[structure]\nexamples = {{ detail = [\"{about}\"] }}\n"));
    assert_eq!(found, plain);
    assert!(notes.contains(&format!("{about}: too few pages are like it")), "{notes}");
}

/// Items without uploaders: `profile` has no uploaders to rank, and fetches what breadth-first does.
#[test]
fn a_site_without_people_is_crawled_by_profile_too() {
    let gallery = |policy: &str| {
        let project = Project::new(&format!(
            "[crawl]\nseeds = [\"http://gallery.example/\"]\n[source]\nkind = \"replay\"\npath = \"{{dir}}/mirror\"\n\
             base = \"http://gallery.example/\"\n[topic]\ntags = [\"sea\"]\n[policy]\nkind = \"{policy}\"\n\
             [judge]\nkind = \"tags\"\n"
        ));
        let mirror = project.path().join("mirror");
        fs::create_dir(&mirror).unwrap();
        let lists: String = (0..4).map(|list| format!("<li><a href=list{list}.html>{list}</a>")).collect();
        page(&mirror, "index.html", "Gallery", &format!("<ul class=lists>{lists}</ul>"));
        for list in 0..4 {
            let items = (list..40).step_by(4);
            let items =
                items.map(|item| format!("<tr><td><a href=i{item}.html>Picture {item}</a><td>{item}"));
            let body = format!("<h1>List {list}</h1><table>{}</table>", items.collect::<String>());
            page(&mirror, &format!("list{list}.html"), &format!("List {list}"), &body);
        }
        for item in 0..40 {
            let tag = if item % 3 == 0 { "sea" } else { "town" };
            let body = format!(
                "<h1>Picture {item}</h1><img src=p{item}.jpg><p class=about>Seen on day {item}.</p>\
                 <div class=tags>Tags: <a rel=tag href=list{}.html>{tag}</a></div>",
                item % 4
            );
            page(&mirror, &format!("i{item}.html"), &format!("Picture {item}"), &body);
        }
        page(&mirror, "about.html", "About", "<article><p>A gallery.</p></article>");
        project.json("learn", &[]);
        project
    };
    let (people, plain) = (gallery("profile"), gallery("breadth-first"));
    let (report, expected) = (people.json("crawl", &[]), plain.json("crawl", &[]));
    assert_eq!((&report["stopped_by"], &report["visited"]), (&expected["stopped_by"], &expected["visited"]));
    assert_eq!(report["relevant"], expected["relevant"], "{report}");
    assert_eq!(people.archived(), plain.archived());
    assert_eq!(people.json("topic", &["uploaders"])["count"], 0);
    assert!(people.rows("uploaders").is_empty());
}

/// Nine of twenty sailors have a thread with the tag.
#[test]
fn uploaders_are_ranked_for_the_topic() {
    let project =
        forum("[topic]\ntags = [\"ship1\"]\n[policy]\nkind = \"profile\"\n[judge]\nkind = \"tags\"\n");
    let message = fails_with(&project.run("topic", &["uploaders"]), 2);
    assert!(message.contains("run `osprey learn"), "{message}");
    project.json("learn", &[]);
    project.json("crawl", &[]);
    let all = project.json("topic", &["uploaders", "--most", "100"]);
    let shown = all["uploaders"].as_array().unwrap();
    assert_eq!((shown.len() as u64, &all["count"]), (PEOPLE, &PEOPLE.into()), "{all}");
    let on_topic = |uploader: &Value| {
        let person = uploader["name"].as_str().unwrap().trim_start_matches("sailor").parse::<u64>().unwrap();
        (person..THREADS).step_by(PEOPLE as usize).any(|thread| thread % 7 == 1)
    };
    let rank = |uploader: &Value| uploader["rank"].as_f64().unwrap_or(0.0);
    assert!(shown.windows(2).all(|pair| rank(&pair[0]) >= rank(&pair[1])), "{all}");
    assert!(shown.iter().take(9).all(|uploader| on_topic(uploader) && rank(uploader) > 0.0), "{all}");
    assert!(!shown.iter().skip(9).any(on_topic), "{all}");
    assert!(shown.iter().all(|uploader| uploader["items"] == 3 && uploader["has_profile"] == true), "{all}");
    // the same as rows, and as text
    assert_eq!(&project.rows("uploaders"), shown);
    let text = String::from_utf8(project.run("topic", &["uploaders", "--most", "1"]).stdout).unwrap();
    assert!(text.starts_with("20 uploaders, the best first"), "{text}");
    assert!(text.contains(shown[0]["url"].as_str().unwrap()), "{text}");
    assert!(!text.contains(shown[1]["url"].as_str().unwrap()), "{text}");
}

/// Examples that are named after a first `learn` count, also where the sample did not have them; taken back, they no
/// longer do.
#[test]
fn examples_may_come_later() {
    let project = forum("[structure]\nsample_pages = 60\n");
    let before = type_of(&project.json("learn", &[]), "http://forum.example/u")["label"].clone();
    assert_ne!(before, Value::from("list"));
    let toml = project.path().join("osprey.toml");
    let text = fs::read_to_string(&toml).unwrap();
    for person in [3, 17] {
        let examples =
            format!("examples = {{ list = [\"http://forum.example/u{person}.html\"] }}\nsample_pages");
        fs::write(&toml, text.replacen("sample_pages", &examples, 1)).unwrap();
        let learned = project.json("learn", &[]);
        assert_eq!(type_of(&learned, "http://forum.example/u")["label"], "list", "{learned}");
        let again = project.json("learn", &["--again"]);
        assert_eq!(type_of(&again, "http://forum.example/u")["label"], "list", "{again}");
        fs::write(&toml, &text).unwrap();
        let learned = project.json("learn", &[]);
        assert_eq!(type_of(&learned, "http://forum.example/u")["label"], before, "{learned}");
    }
}

/// The classifier of Zhang & Nasraoui 2009 runs a crawl.
#[test]
fn path_strings_classify() {
    let types = |classify: &str| {
        let project = forum(&format!("[structure]\nclassify = \"{classify}\"\n"));
        project.json("learn", &[]);
        project.json("crawl", &[]);
        let mut types: Vec<(String, String)> = project
            .rows("visits")
            .iter()
            .map(|row| (row["url"].to_string(), row["page_type"].to_string()))
            .collect();
        types.sort();
        types
    };
    let (clusters, paths) = (types("clusters"), types("path-strings"));
    let same = clusters.iter().zip(&paths).filter(|(one, two)| one == two).count();
    assert_eq!(clusters.len(), paths.len());
    assert!(same * 4 >= clusters.len() * 3, "{same} of {}: {paths:?}", clusters.len());
}

#[test]
fn a_killed_sampling_goes_on() {
    let (killed, whole) = (forum(""), forum(""));
    whole.json("learn", &[]);
    for after in [5, 30, 60] {
        let mut child = osprey()
            .args(["learn", "-v"])
            .arg(killed.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
        lines.take(after).for_each(drop);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    killed.json("learn", &[]);
    for file in ["site.json", "sitemap.toml"] {
        assert!(model(&killed, file) == model(&whole, file), "{file} differs");
    }
}

#[test]
fn sites_that_teach_little_say_so() {
    let check = |files: &[(&str, &str)], learns: Option<u64>, words: &str| {
        let project = Project::new(
            "[crawl]\nseeds = [\"http://small.example/\"]\n[source]\nkind = \"replay\"\npath = \"{dir}/mirror\"\n\
             base = \"http://small.example/\"\n",
        );
        let mirror = project.path().join("mirror");
        fs::create_dir(&mirror).unwrap();
        files.iter().for_each(|(name, text)| fs::write(mirror.join(name), text).unwrap());
        let output = project.run("learn", &[]);
        let said = String::from_utf8_lossy(if learns.is_some() { &output.stdout } else { &output.stderr })
            .into_owned();
        assert_eq!(output.status.success(), learns.is_some(), "{said}");
        assert!(said.contains(words), "{said}");
        let report = project.report(&[]);
        assert_eq!(report["visited"], learns.unwrap_or(0), "{report}");
    };
    let three = [
        ("index.html", "<title>One</title><a href=2.html>2</a><a href=3.html>3</a>"),
        ("2.html", "<title>Two</title><p>x"),
        ("3.html", "<title>Three</title><table><tr><td>y</table>"),
    ];
    check(&three, Some(3), "note: ");
    check(&[("index.html", "")], Some(1), "note: ");
    check(&[("robots.txt", "User-agent: *\nDisallow: /\n")], None, "nothing to learn from");
    let rows = "<tr><td><a href=index.html>x</a><td>1</tr>".repeat(20_000);
    check(&[("index.html", &format!("<title>Large</title><table>{rows}</table>"))], Some(2), "note: ");
}
