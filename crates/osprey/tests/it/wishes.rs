//! Saying what is wanted: `init` that picks a policy, `terms` and `topic expand` that propose words, example pages.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::project::{Project, fails_with, osprey};

/// What `init` makes of some options: its answer, and the file.
fn init(options: &[&str]) -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("p");
    let output = osprey()
        .args(["init", "--seed", "http://a.example/", "--json", "--quiet"])
        .arg(&dir)
        .args(options)
        .output()
        .unwrap();
    assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
    (serde_json::from_slice(&output.stdout).unwrap(), fs::read_to_string(dir.join("osprey.toml")).unwrap())
}

#[test]
fn init_picks_a_policy_that_fits_and_says_why() {
    let check = |options: &[&str], policy: &str, why: &str, written: &str| {
        let (answer, toml) = init(options);
        assert_eq!(answer["policy"], policy, "{options:?}");
        assert!(answer["why"].as_str().unwrap().contains(why), "{options:?}: {answer}");
        assert!(toml.contains(written), "{options:?}: {toml}");
    };
    check(&[], "breadth-first", "nothing was asked for", "words = []");
    check(
        &["--words", "red cars, boats"],
        "adaptive",
        "needs no choice",
        "words = [\"red cars\", \"boats\"]",
    );
    check(
        &["--words", "cars", "--words", "boats"],
        "adaptive",
        "needs no choice",
        "words = [\"cars\", \"boats\"]",
    );
    check(&["--tag", "flower"], "adaptive", "needs no choice", "tags = [\"flower\"]");
    check(&["--topic", "Basketball"], "adaptive", "needs no choice", "words = [\"Basketball|篮球\"]");
    check(&["--topic", "篮球"], "adaptive", "needs no choice", "node = ");
    let two = ["--topic", "underwater hockey sticks", "--topic", "篮球"];
    check(&two, "adaptive", "needs no choice", "words = [\"underwater hockey sticks\", \"Basketball|篮球\"]");
    check(&["--topic", "red cars"], "adaptive", "needs no choice", "words = [\"red cars\"]");
    check(
        &["--genre", "syllabus", "credits", "--content", "relational algebra"],
        "genre",
        "genre terms",
        "content_terms = [\"relational algebra\"]",
    );
    check(&["--content", "relational algebra"], "adaptive", "needs no choice", "kind = \"want\"");
    check(&["--words", "cars", "--pages", "people"], "adaptive", "needs no choice", "pages = \"people\"");
    check(&["--example", "http://a.example/t1"], "source-target", "learn", "kind = \"want\"");
    let both = ["--tag", "flower", "--example", "http://a.example/t1"];
    check(&both, "adaptive", "needs no choice", "kind = \"want\"");
    check(&both, "adaptive", "needs no choice", "examples = [\"http://a.example/t1\"]");
    check(&["--tag", "flower", "--policy", "opic"], "opic", "as given by --policy", "kind = \"opic\"");
    let (answer, _) = init(&["--example", "http://a.example/t1"]);
    assert!(answer["next"].as_str().unwrap().starts_with("osprey learn"), "{answer}");
}

#[test]
fn a_taxonomy_of_ones_own_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("topics.toml");
    let run = |topics: &str, topic: &str| {
        fs::write(&file, topics).unwrap();
        let mut command = osprey();
        command.args(["init", "--force", "--seed", "http://a.example/", "--topic", topic, "--taxonomy"]);
        command.arg(&file).arg(folder.path().join("p")).output().unwrap()
    };
    let boats = "[[topic]]\nname = \"Boats\"\nen = \"boats\"\n[[topic]]\nname = \"Sails\"\nen = \"sails\"\nparent = \"Boats\"\n";
    assert!(run(boats, "Sails").status.success(), "{}", String::from_utf8_lossy(&run(boats, "Sails").stderr));
    assert!(fails_with(&run(boats, "Anchors"), 2).contains("`Anchors`"));
    let cycle = boats.replacen("en = \"boats\"", "en = \"boats\"\nparent = \"Sails\"", 1);
    let error = fails_with(&run(&cycle, "Sails"), 2);
    assert!(error.contains("topics.toml") && error.contains("Sails"), "{error}");
}

/// A dump of `count` categories in fifty branches, each with a page, each related to the next one and the last to the
/// first, packed as the Open Directory packs its own.
fn dump(count: usize) -> Vec<u8> {
    let name = |n: usize| match n {
        0..50 => format!("Top/Branch_{n}"),
        _ => format!("Top/Branch_{}/Topic_{n}", n % 50),
    };
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"<?xml version=\"1.0\"?>\n<RDF xmlns:r=\"http://www.w3.org/TR/RDF/\">\n").unwrap();
    for n in 0..count {
        let (this, next) = (name(n), name((n + 1) % count));
        writeln!(packed, "<Topic r:id=\"{this}\"><symbolic1 r:resource=\"x:{next}\"/></Topic>").unwrap();
        write!(packed, "<ExternalPage about=\"http://s{n}.example/\"><d:Title>Page {n}</d:Title>").unwrap();
        writeln!(packed, "<topic>{this}</topic></ExternalPage>").unwrap();
    }
    packed.write_all(b"</RDF>\n").unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_gzipped_dump_of_thousands_of_topics_becomes_a_taxonomy() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("content.rdf.u8.gz"), folder.path().join("topics.json"));
    let import = |bytes: &[u8]| -> Value {
        fs::write(&file, bytes).unwrap();
        let output = osprey()
            .arg("taxonomy")
            .arg(&file)
            .arg("--out")
            .arg(&out)
            .args(["--json", "-q"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let dump = dump(5000);
    let cut = import(&dump[..dump.len() / 2]);
    assert_eq!(cut["is_cut"], true, "{cut}");
    assert!((1000..4000).contains(&cut["topics"].as_u64().unwrap()), "{cut}");
    // relations between topics go round in a circle, and are not read: a topic is below those of its own path
    let whole = import(&dump);
    assert_eq!(whole["is_cut"], false, "{whole}");
    assert_eq!((&whole["topics"], &whole["pages"]), (&5000.into(), &5000.into()), "{whole}");
    let init = |topic: &str| {
        let mut command = osprey();
        command.args(["init", "--force", "--seed", "http://a.example/", "--topic", topic, "--taxonomy"]);
        command.arg(&out).arg(folder.path().join("p")).output().unwrap()
    };
    let output = init("Branch_7/Topic_4957");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // a circle of parents is refused, and named
    let mut topics: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    let child = topics["topic"][4957]["name"].clone();
    topics["topic"][7]["parent"] = child.clone();
    fs::write(&out, topics.to_string()).unwrap();
    let error = fails_with(&init("Branch_7"), 2);
    assert!(error.contains("topics.json") && error.contains("Branch_7"), "{error}");
}

fn page(folder: &Path, name: &str, body: &str) {
    let html = format!(
        "<!doctype html><html lang=en><title>{name}</title><body><p class=top>Home Contact Imprint</p>{body}"
    );
    fs::write(folder.join(name), html).unwrap();
}

/// A faculty: three syllabi and some news.
fn faculty() -> Project {
    let project = Project::new(
        "[crawl]\nseeds = [\"http://faculty.example/\"]\n[source]\nkind = \"replay\"\npath = \"{dir}/mirror\"\n\
         base = \"http://faculty.example/\"\n",
    );
    let mirror = project.path().join("mirror");
    fs::create_dir(&mirror).unwrap();
    let links: String = ["s1", "s2", "s3", "n1", "n2", "n3", "n4"]
        .map(|name| format!("<li><a href={name}.html>{name}</a>"))
        .concat();
    page(&mirror, "index.html", &format!("<ul>{links}</ul>"));
    for (name, subject) in [("s1.html", "compilers"), ("s2.html", "databases"), ("s3.html", "databases")] {
        page(
            &mirror,
            name,
            &format!(
                "<h1>Syllabus</h1><p>The syllabus of {subject}. Grading policy: homework. Office hours on Monday. \
                 Required textbook about {subject}. Homework on {subject}."
            ),
        );
    }
    for n in 1..5 {
        page(
            &mirror,
            &format!("n{n}.html"),
            &format!("<h1>News {n}</h1><p>The dean met the mayor of town {n}."),
        );
    }
    project
}

#[test]
fn terms_are_proposed_from_example_pages() {
    let project = faculty();
    let at = |name: &str| format!("http://faculty.example/{name}.html");
    let [first, second, third] = ["s1", "s2", "s3"].map(at);
    let ask = ["--genre-page", &first, "--genre-page", &second, "--relevant-page", &third];
    let texts = |answer: &Value, key: &str| -> Vec<String> {
        let list = answer[key].as_array().unwrap();
        list.iter().map(|term| term["text"].as_str().unwrap().to_owned()).collect()
    };
    let answer = project.json("terms", &ask);
    assert_eq!(answer["background_pages"], 0);
    assert!(texts(&answer, "genre_terms").contains(&"syllabus".to_owned()), "{answer}");

    // with pages of the site to compare with, what stands on all of them is no term
    project.json("crawl", &[]);
    let answer = project.json("terms", &ask);
    assert!(answer["background_pages"].as_u64().unwrap() >= 8, "{answer}");
    let genre = texts(&answer, "genre_terms");
    assert!(genre.iter().any(|term| term.contains("syllabus") || term.contains("grading")), "{genre:?}");
    assert!(!genre.contains(&"imprint".to_owned()) && !genre.contains(&"contact".to_owned()), "{genre:?}");

    let text = String::from_utf8(project.run("terms", &ask).stdout).unwrap();
    assert!(text.contains("genre_terms = ["), "{text}");
}

/// The round of feedback: look at the best pages, accept a term, drop another, and see what that does.
#[test]
fn terms_of_the_best_pages_are_accepted_and_dropped() {
    let project = faculty();
    let toml = project.path().join("osprey.toml");
    let text = fs::read_to_string(&toml).unwrap();
    let topic = "[topic]\ngenre_terms = [\"syllabus\", \"dean\"]\ncontent_terms = [\"databases\"]\n[judge]\nkind = \"genre\"\n";
    fs::write(&toml, format!("{text}{topic}")).unwrap();
    project.json("crawl", &[]);
    let shown = project.json("terms", &["--best", "2"]);
    let urls = |answer: &Value| -> Vec<String> {
        let pages = answer["pages"].as_array().unwrap();
        pages.iter().map(|page| page["url"].as_str().unwrap().to_owned()).collect()
    };
    let mut best = urls(&shown);
    best.sort();
    assert_eq!(best, ["http://faculty.example/s2.html", "http://faculty.example/s3.html"], "{shown}");
    let used = |answer: &Value, key: &str| -> Vec<(String, u64)> {
        let terms = answer[key].as_array().unwrap().iter();
        terms.map(|t| (t["term"].as_str().unwrap().to_owned(), t["pages"].as_u64().unwrap())).collect()
    };
    assert_eq!(used(&shown, "genre_terms"), [("syllabus".to_owned(), 2), ("dean".to_owned(), 0)]);
    let proposed: Vec<&str> =
        shown["proposed"].as_array().unwrap().iter().map(|term| term["text"].as_str().unwrap()).collect();
    assert!(proposed.iter().any(|term| term.contains("homework")), "{proposed:?}");
    assert!(!proposed.contains(&"syllabus") && !proposed.contains(&"imprint"), "{proposed:?}");

    let changed = project.json(
        "terms",
        &["--best", "2", "--accept-genre", "grading", "--accept-content", "homework", "--drop", "dean"],
    );
    let [genre, content] = ["genre_terms", "content_terms"].map(|key| used(&changed, key));
    assert_eq!(genre, [("syllabus".to_owned(), 2), ("grading".to_owned(), 2)]);
    assert_eq!(content, [("databases".to_owned(), 2), ("homework".to_owned(), 2)]);
    assert_eq!(changed["pages"][0]["relevance_then"], shown["pages"][0]["relevance_then"]);
    let relevance = |answer: &Value| answer["pages"][0]["relevance"].as_f64().unwrap();
    assert!(relevance(&changed) > relevance(&shown), "{shown} {changed}");
    let written = fs::read_to_string(&toml).unwrap();
    assert!(written.contains("\"grading\"") && !written.contains("dean"), "{written}");

    let error = fails_with(&project.run("terms", &["--best", "2", "--drop", "dean"]), 2);
    assert!(error.contains("`dean`: not a term of the topic"), "{error}");
    fails_with(&project.run("terms", &["--accept-genre", "grading"]), 2);
}

#[test]
fn pages_that_cannot_be_had_are_named() {
    let project = faculty();
    assert!(fails_with(&project.run("terms", &[]), 2).contains("--genre-page"));
    let gone = "http://faculty.example/gone.html";
    let error = fails_with(&project.run("terms", &["--relevant-page", gone]), 2);
    assert!(error.contains(gone) && error.contains("404"), "{error}");
    let error = fails_with(&project.run("terms", &["--relevant-page", "ftp://x/"]), 2);
    assert!(error.contains("ftp://x/"), "{error}");
    // one that is there is still had
    let answer = project.json("terms", &["--relevant-page", "http://faculty.example/s1.html"]);
    assert!(!answer["content_terms"].as_array().unwrap().is_empty());
}

/// `s4` repeats `s1` under another address, and `s2` is named twice.
#[test]
fn pages_that_are_named_twice_count_once() {
    let project = faculty();
    let mirror = project.path().join("mirror");
    fs::copy(mirror.join("s1.html"), mirror.join("s4.html")).unwrap();
    let at = |name: &str| format!("http://faculty.example/{name}.html");
    let [first, second, again] = ["s1", "s2", "s4"].map(at);
    let once = project.json("terms", &["--relevant-page", &first, "--relevant-page", &second]);
    let twice = ["--relevant-page", &first, "--relevant-page", &second];
    let twice = [&twice[..], &["--relevant-page", &again, "--relevant-page", &second]].concat();
    assert_eq!(project.json("terms", &twice), once);
    let output = project.run("terms", &twice);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    for url in [&again, &second] {
        assert!(said.contains(&format!("{url} is the same page as ")), "{said}");
    }
    assert_eq!(said.matches("it counts once").count(), 2, "{said}");

    // what is both wanted and unwanted cannot be learned from
    let toml = fs::read_to_string(project.path().join("osprey.toml")).unwrap();
    let topic = format!("[topic]\nexamples = [\"{first}\"]\ncounter_examples = [\"{again}\"]\n");
    fs::write(project.path().join("osprey.toml"), format!("{toml}{topic}[policy]\nkind = \"svm\"\n"))
        .unwrap();
    let error = fails_with(&project.run("crawl", &[]), 2);
    assert!(
        error.contains("`topic.counter_examples`") && error.contains("remove it from one of the two"),
        "{error}"
    );
}

#[test]
fn tags_that_go_together_are_found() {
    let project = Project::new(
        "[crawl]\n[source]\nkind = \"world\"\nname = \"photo\"\nrandom_seed = 3\nsize = 1500\n[structure]\nsample_pages = 300\n",
    );
    assert!(fails_with(&project.run("topic", &["expand", "flower"]), 2).contains("osprey learn"));
    project.json("learn", &[]);
    let unknown = project.run("topic", &["expand", "no such tag", "--pages", "700"]);
    assert!(fails_with(&unknown, 1).contains("`no such tag`"));

    // the tag that most pages have
    project.json("crawl", &["--budget", "400"]);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for record in project.rows("records") {
        for tag in record["tags"].as_array().unwrap() {
            *counts.entry(tag.as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    let (tag, _) = counts.iter().max_by_key(|(_, count)| **count).unwrap();
    let answer = project.json("topic", &["expand", tag, "--pages", "700"]);
    let tags = answer["tags"].as_array().unwrap();
    assert_eq!(tags[0]["layer"], 0);
    assert!(tags.len() > 1, "{answer}");
    assert!(tags[1]["votes"].as_u64().unwrap() >= 3 && tags[1]["phi"].as_f64().unwrap() > 0.0, "{answer}");
    let from_crawl = project.json("topic", &["expand", tag, "--crawled"]);
    assert!(from_crawl["tag_sets"].as_u64().unwrap() > 0);
}
