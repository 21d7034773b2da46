//! `osprey rate`: answers of a pipe, ratings by scripts, what they do to search and status, and what they survive.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::project::{Project, fails_with, osprey};

/// The small mirror, crawled: pages with the word are relevant.
fn harbour() -> Project {
    let project = Project::harbour("[topic]\ntags = [\"osprey\"]\n[judge]\nkind = \"tags\"\n");
    project.json("crawl", &[]);
    project
}

/// `osprey rate DIR ARGS` with these lines as answers.
fn answered(project: &Project, args: &[&str], answers: &str) -> Output {
    let mut command = osprey();
    command.arg("rate").arg(project.path()).args(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // who has enough answers hangs up
    let _ = child.stdin.take().unwrap().write_all(answers.as_bytes());
    child.wait_with_output().unwrap()
}

fn asked(project: &Project, args: &[&str], answers: &str) -> Value {
    let output = answered(project, &[args, &["--json", "--quiet"]].concat(), answers);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn urls(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["url"].as_str().unwrap()).collect()
}

#[test]
fn answers_are_read_from_a_pipe() {
    let project = harbour();
    let first = asked(&project, &["--limit", "3"], "");
    assert_eq!((first["rated"].as_u64(), urls(&first["pages"]).len()), (Some(0), 3));
    let worth: Vec<f64> =
        first["pages"].as_array().unwrap().iter().map(|page| page["worth"].as_f64().unwrap()).collect();
    assert!(worth[0] == 1.0 && worth.is_sorted_by(|a, b| a >= b), "{worth:?}");
    let page = &first["pages"][0];
    let (excerpt, why) = (page["excerpt"].as_str().unwrap(), page["why"].as_str().unwrap());
    assert!(excerpt.to_lowercase().contains("osprey") && why.contains("http://harbour.example/"), "{page}");

    // good, bad, nonsense, taken back and bad again, skipped
    let said = answered(&project, &["--limit", "4"], "y\nn\nwhat\nu\nn\ns\nq\ny\n");
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(said.status.success() && text.contains("1 of 4  worth 1.00, relevant"), "{text}");
    assert!(
        text.contains("`what`? y = good") && text.ends_with("rated 2 pages; 1 good and 1 bad in all\n"),
        "{text}"
    );
    let list = project.json("rate", &["--list"]);
    assert_eq!((list["good"].as_u64(), list["bad"].as_u64()), (Some(1), Some(1)));
    assert_eq!(urls(&list["ratings"]), urls(&first["pages"])[..2]);
    let lines = fs::read_to_string(project.path().join("ratings.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 4, "{lines}");

    // what is rated is not asked again; what was skipped is
    let second = asked(&project, &["--limit", "1000"], "");
    let rest = urls(&second["pages"]);
    assert!(!rest.contains(&urls(&first["pages"])[0]) && rest[0] == urls(&first["pages"])[2], "{rest:?}");
    let all = "y\n".repeat(rest.len() + 5);
    assert_eq!(asked(&project, &["--limit", "1000"], &all)["rated"].as_u64(), Some(rest.len() as u64));
    assert_eq!(asked(&project, &[], "y\n")["pages"], json!([]));
}

#[test]
fn doubtful_pages_are_of_several_kinds() {
    let project = harbour();
    let found = asked(&project, &["--suggest", "--limit", "6"], "");
    let mut folders: Vec<String> =
        urls(&found["pages"]).iter().map(|url| url.split('/').nth(3).unwrap().to_owned()).collect();
    folders.sort();
    folders.dedup();
    assert!(folders.len() >= 3, "{found}");
    let silent = Project::harbour("");
    silent.json("crawl", &[]);
    let refused = answered(&silent, &["--suggest"], "");
    assert!(fails_with(&refused, 2).contains("`judge.kind`"));
    // without a judge there is an order all the same
    assert_eq!(urls(&asked(&silent, &["--limit", "2"], "")["pages"])[0], "http://harbour.example/");
}

#[test]
fn scripts_rate_urls() {
    let project = harbour();
    let photo = |n: u32| format!("http://harbour.example/photos/{n}.html");
    let rated = project.json("rate", &[&photo(101), "HTTP://harbour.example:80/photos/102.html#x", "--good"]);
    assert_eq!(urls(&rated["rated"]), [photo(101), photo(102)]);
    project.json("rate", &[&photo(103), "--bad"]);
    project.json("rate", &[&photo(102), "--bad"]);
    let undone = project.json("rate", &["http://harbour.example/photos/101.html#top", "--undo"]);
    assert_eq!(undone["undone"], json!([photo(101)]));
    let list = project.json("rate", &["--list"]);
    assert_eq!((list["good"].as_u64(), urls(&list["ratings"])), (Some(0), vec![&*photo(103), &*photo(102)]));

    let refuses = |args: &[&str], code: i32, expect: &str| {
        let said = fails_with(&project.run("rate", args), code);
        assert!(said.contains(expect), "{args:?}: {said}");
    };
    refuses(
        &["http://elsewhere.example/", "--good"],
        1,
        "`http://elsewhere.example/`: this project has never fetched it",
    );
    // all or none
    refuses(&[&photo(104), &photo(999), "--good"], 1, "photos/999.html");
    refuses(&["harbour", "--good"], 2, "harbour");
    refuses(&[&photo(101), "--undo"], 1, "not rated");
    refuses(&[&photo(101)], 2, "--good");
    refuses(&[&photo(101), "--good", "--bad"], 2, "cannot be used with");
    refuses(&["--limit", "0"], 2, "at least 1");
    assert_eq!(project.json("rate", &["--list"]), list);
    let empty = Project::harbour("");
    assert!(fails_with(&empty.run("rate", &[&photo(101), "--good"]), 1).contains("osprey crawl"));
}

fn found(project: &Project) -> Vec<String> {
    let found = project.json("search", &["--limit", "100", "feather"]);
    found["hits"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect()
}

/// Results follow ratings at once, and those outlive whatever is built anew.
#[test]
fn ratings_order_results_and_survive_rebuilds() {
    let project = harbour();
    project.json("index", &[]);
    let before = found(&project);
    assert!(before.len() > 4, "{before:?}");
    let (first, last) = (before.first().unwrap().clone(), before.last().unwrap().clone());
    project.json("rate", &[&first, "--bad"]);
    project.json("rate", &[&last, "--good"]);
    let check = |what: &str| {
        let after = found(&project);
        assert_eq!(
            (after.first(), after.last(), after.len()),
            (Some(&last), Some(&first), before.len()),
            "{what}"
        );
    };
    check("at once");
    let hit = &project.json("search", &["feather"])["hits"][0];
    assert_eq!((&hit["good"], &hit["parts"]["rating"]), (&json!(true), &json!(1.0)));
    project.json("index", &["--rebuild"]);
    check("a new index");
    fs::remove_dir_all(project.data().join("frontier")).unwrap();
    project.json("restore", &[]);
    check("a restored frontier");
    // a kill while a rating was written
    let file = project.path().join("ratings.jsonl");
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("{\"url\":\"http://harb");
    fs::write(&file, &text).unwrap();
    check("half a line");
    project.json("rate", &[&before[1], "--bad"]);
    assert_eq!(project.json("rate", &["--list"])["bad"], 2);
    project.json("rate", &[&first, &last, &before[1], "--undo"]);
    assert_eq!(found(&project), before);
}

#[test]
fn status_says_how_good_the_judge_is() {
    let project = harbour();
    let status = || project.json("status", &[])["ratings"].clone();
    let text = || String::from_utf8(project.run("status", &[]).stdout).unwrap();
    assert!(status().is_null() && !text().contains("ratings"));
    let rows = project.rows("visits");
    let pages: Vec<(&str, bool)> = rows
        .iter()
        .filter(|row| {
            row["status"] == 200 && row["media_type"] == "text/html" && row["duplicate_of"].is_null()
        })
        .map(|row| (row["url"].as_str().unwrap(), row["relevant"] == true))
        .collect();
    let of = |relevant: bool| pages.iter().filter(move |page| page.1 == relevant).map(|page| page.0);
    let rate = |urls: Vec<&str>, verdict: &str| project.json("rate", &[urls, vec![verdict]].concat());
    let relevant = of(true).count();
    assert!(relevant > 2 && of(false).count() > 20, "{pages:?}");
    rate(of(true).take(1).collect(), "--bad");
    let few = status();
    assert_eq!((&few["needed"], &few["precision"]), (&json!(19), &json!(null)));
    assert!(text().contains("19 more ratings needed"), "{}", text());

    // every relevant page but one is good; of twenty others, one is
    rate(of(true).skip(1).collect(), "--good");
    rate(of(false).take(19).collect(), "--bad");
    rate(of(false).skip(19).take(1).collect(), "--good");
    let all = status();
    let near = |value: &Value, expect: f64| (value.as_f64().unwrap() - expect).abs() < 1e-9;
    let (good, others) = ((relevant - 1) as f64, of(false).count() as f64);
    assert!(near(&all["precision"]["value"], good / relevant as f64), "{all}");
    assert!(near(&all["precision"]["low"], good / relevant as f64), "all of them were rated: {all}");
    let recall = all["recall"]["value"].as_f64().unwrap();
    assert!(recall >= good / (good + others) && recall < 1.0, "{all}");
    let between = |name: &str| all["recall"][name].as_f64().unwrap();
    assert!(between("low") < recall && recall < between("high"), "{all}");
    let text = text();
    for expect in ["precision ", "recall ", "95 % interval", "assumes"] {
        assert!(text.contains(expect), "{expect}: {text}");
    }
}

/// A thousand ratings, all of them bad: everything goes on working, and nothing is slow.
#[test]
fn a_thousand_bad_ratings() {
    let project = Project::new(
        "[crawl]\nscope = \"domain\"\nbudget_pages = 1200\n[source]\nkind = \"world\"\nname = \"photo\"\nsize = 5000\n\
         [topic]\ntags = [\"beach\"]\n[judge]\nkind = \"want\"\n[policy]\nkind = \"breadth-first\"\n[vision]\npictures = \"none\"\n",
    );
    project.json("crawl", &[]);
    project.json("index", &[]);
    let pages: Vec<String> =
        project.rows("pages").iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect();
    assert!(pages.len() > 1000, "{}", pages.len());
    let rated: Vec<&str> = pages.iter().take(1000).map(String::as_str).chain(["--bad"]).collect();
    assert_eq!(urls(&project.json("rate", &rated)["rated"]).len(), 1000);
    let status = project.json("status", &[]);
    assert_eq!(status["ratings"]["bad"], 1000);
    assert!(status["ratings"]["precision"]["value"].as_f64().is_none_or(|value| value < 0.5), "{status}");
    assert_eq!(asked(&project, &["--suggest", "--limit", "5"], "y\n")["rated"], 1);
    let results = project.json("search", &["beach", "--limit", "20"]);
    assert!(!results["hits"].as_array().unwrap().is_empty());
    // the next run is given all of them
    let more = project.json("crawl", &["--budget", "1250"]);
    assert_eq!(more["visited"], 1250);
    let mut lines = String::new();
    for n in 0..20_000 {
        writeln!(lines, "{{\"url\":\"http://a.example/{n}\",\"good\":null,\"at\":\"2026-01-01T00:00:00Z\"}}")
            .unwrap();
    }
    let file = project.path().join("ratings.jsonl");
    fs::write(&file, fs::read_to_string(&file).unwrap() + &lines).unwrap();
    assert_eq!(project.json("rate", &["--list"])["bad"], 1000);
}
