//! `osprey compare`: the site sees one polite crawler and no page twice, a kill loses nothing, and every policy finds what it
//! finds alone.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use osprey_rogue::{Answer, Reply, Server, SiteRequest};
use serde_json::{Value, json};

use crate::project::{Project, fails_with, osprey};
use crate::web::{asked, live, shortest_interval};

const POLICIES: &str = "breadth-first,shark-search,opic";
const WANT: &str = "[topic]\ntags = [\"harbour\"]\n[vision]\npictures = \"none\"\n";

/// Pages of a small site.
const PAGES: u64 = 60;

/// Page `n` leads to a few others; one in three is about harbours.
fn site(asked: &SiteRequest<'_>) -> Answer {
    if asked.path == "/robots.txt" {
        return Reply::text("User-agent: *\nDisallow: /p/7.html\n").into();
    }
    let n = asked.path.trim_start_matches("/p/").trim_end_matches(".html").parse::<u64>().unwrap_or(0);
    let about = |n: u64| if n.is_multiple_of(3) { "harbour" } else { "meadow" };
    let link = |to: u64| {
        let to = to % PAGES;
        format!("<li><a href=\"/p/{to}.html\">page {to}</a> ")
    };
    let links: String = (1..=8).map(|k| link(n * 8 + k)).chain([link(n + 1), link(n + 30)]).collect();
    let words: String = (0..40).map(|k| format!("word{} ", (n * 131 + k * 17) % 5003)).collect();
    let title = format!("{} {n}", about(n));
    Reply::html(format!("<!doctype html><title>{title}</title><h1>{title}</h1><p>{words}<ul>{links}</ul>"))
        .into()
}

fn compare(project: &Project, policies: &str, budget: u64) -> Value {
    project.json("compare", &["--policies", policies, "--budget", &budget.to_string()])
}

fn project(server: &Server, delay_ms: u64) -> Project {
    live(&[server.url("/p/0.html")], "", &format!("host_delay_ms = {delay_ms}\nsitemaps = false\n{WANT}"))
}

/// How often each path was asked for.
fn counts(server: &Server) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    asked(server).into_iter().for_each(|path| *counts.entry(path).or_default() += 1);
    counts
}

fn sum(comparison: &Value, key: &str) -> u64 {
    comparison["policies"].as_array().unwrap().iter().map(|found| found[key].as_u64().unwrap()).sum()
}

#[test]
fn a_site_sees_one_polite_crawler_and_no_page_twice() {
    let server = Server::start(site).unwrap();
    let project = project(&server, 20);
    let first = compare(&project, POLICIES, 20);
    assert_eq!((first["source"].as_str(), first["stopped_by"].is_null()), (Some("live"), true), "{first}");
    for found in first["policies"].as_array().unwrap() {
        assert_eq!((&found["visited"], &found["stopped_by"]), (&json!(20), &json!("budget")), "{found}");
        let at: Vec<u64> =
            found["relevant_at"].as_array().unwrap().iter().map(|at| at["pages"].as_u64().unwrap()).collect();
        assert_eq!(at, [2, 5, 10, 20]);
        assert_eq!(found["relevant_at"][3]["relevant"], found["relevant"]);
    }
    let log = server.log();
    assert!(counts(&server).values().all(|n| *n == 1), "{:?}", counts(&server));
    assert!(!counts(&server).contains_key("/p/7.html"));
    assert_eq!(first["requests"].as_u64(), Some(log.len() as u64));
    // robots.txt and the start page belong to no policy
    assert_eq!(sum(&first, "fetched") + 2, log.len() as u64, "{first}");
    assert!(log.len() < 50, "{} requests for 3 times 20 visits", log.len());
    let (least, _) = shortest_interval(&log, |arrival| arrival.host.clone());
    assert!(least.unwrap() >= Duration::from_millis(20), "{least:?}");

    // the same again asks for nothing; more pages are only those that are missing
    let again = compare(&project, POLICIES, 20);
    assert_eq!(again["policies"], first["policies"]);
    assert_eq!(server.log().len(), log.len());
    let more = compare(&project, POLICIES, 30);
    assert_eq!(sum(&more, "visited"), 90);
    assert!(counts(&server).values().all(|n| *n == 1), "{:?}", counts(&server));
    // and a smaller budget is the beginning of what there is
    let less = compare(&project, POLICIES, 20);
    assert_eq!(sum(&less, "relevant"), sum(&first, "relevant"));

    let report = std::fs::read_to_string(project.data().join("compare/compare.html")).unwrap();
    assert!(report.contains("<svg") && report.contains("shark-search") && !report.contains("<script"));
    assert!(server.finish().unwrap().hosts().all(|(_, host)| host.max_open == 1));
}

#[test]
fn what_the_project_has_crawled_is_not_fetched_again() {
    let server = Server::start(site).unwrap();
    let project = project(&server, 0);
    project.json("crawl", &["--policy", "breadth-first", "--budget", "30"]);
    let found = compare(&project, "breadth-first,shark-search", 30);
    assert_eq!(found["policies"][0]["fetched"], 0, "{found}");
    let twice: Vec<String> = counts(&server)
        .into_iter()
        .filter(|(path, n)| *n > 1 && path != "/robots.txt")
        .map(|(path, _)| path)
        .collect();
    assert_eq!(twice, [""; 0]);
    // the crawl of the project is as it was
    assert_eq!(project.rows("visits").len(), 30);
}

#[test]
fn another_want_begins_again_with_the_pages_that_are_there() {
    let server = Server::start(site).unwrap();
    let project = project(&server, 0);
    let before = compare(&project, "breadth-first", 20);
    let file = project.path().join("osprey.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"harbour\"", "\"meadow\"")).unwrap();
    let requests = server.log().len();
    let after = compare(&project, "breadth-first", 20);
    assert_eq!(server.log().len(), requests);
    assert_eq!(sum(&after, "visited"), 20);
    assert_ne!(sum(&after, "relevant"), sum(&before, "relevant"));
}

#[test]
fn a_kill_costs_one_request_at_most_and_changes_nothing() {
    let (calm, rough) = (Server::start(site).unwrap(), Server::start(site).unwrap());
    let undisturbed = compare(&project(&calm, 0), POLICIES, 30);
    let project = project(&rough, 5);
    let mut kills = 0;
    for visits in [1, 5, 12, 30] {
        let (mut child, mut lines) = start(&project, &["--policies", POLICIES, "--budget", "30", "-v"]);
        let (mut line, mut told) = (String::new(), 0);
        while told < visits && lines.read_line(&mut line).unwrap() > 0 {
            told += u64::from(line.contains(" http://"));
            line.clear();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += u64::from(told == visits);
    }
    assert!(kills >= 3, "{kills} kills");
    let found = compare(&project, POLICIES, 30);
    let curves = |comparison: &Value| -> Vec<Value> {
        comparison["policies"].as_array().unwrap().iter().map(|found| found["curve"].clone()).collect()
    };
    assert_eq!(curves(&found), curves(&undisturbed));
    let twice: u64 = counts(&rough).values().map(|n| n - 1).sum();
    assert!(twice <= kills, "{:?}", counts(&rough));
}

#[test]
fn over_a_recording_each_policy_finds_what_it_finds_alone() {
    let tags = "[topic]\ntags = [\"boat\"]\n[vision]\npictures = \"none\"\n";
    let project = Project::harbour(tags);
    let found = compare(&project, POLICIES, 12);
    assert_eq!((found["source"].as_str(), found["requests"].is_null()), (Some("recorded"), true));
    for found in found["policies"].as_array().unwrap() {
        let policy = found["policy"].as_str().unwrap();
        let alone = Project::harbour(tags).report(&["--policy", policy, "--budget", "12"]);
        let figures = |report: &Value| ["visited", "relevant", "failed"].map(|key| report[key].clone());
        assert_eq!(figures(found), figures(&alone), "{policy}");
    }
    let text = project.run("compare", &["--policies", POLICIES, "--budget", "12"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("shark-search") && text.contains("at 25 %") && text.contains("compare.html"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_compared_is_reported_before_any_request() {
    let server = Server::start(site).unwrap();
    let check = |project: &Project, args: &[&str], expect: &str| {
        let error = fails_with(&project.run("compare", args), 2);
        assert!(error.contains(expect), "{args:?}: {error}");
    };
    let good = project(&server, 0);
    check(&good, &["--policies", "breadth-first,no-such"], "unknown policy `no-such`; expected one of");
    check(&good, &["--policies", "opic,opic", "--budget", "5"], "names `opic` twice");
    check(&good, &["--policies", "opic"], "--budget N");
    check(&good, &["--policies", "opic", "--budget", "0"], "`--budget` is 0");
    check(&good, &["--policies", "opic,source-ucc", "--budget", "5"], "policy `source-ucc`: `policy.kind`");
    check(&good, &["--policies", "opic,svm", "--budget", "5"], "policy `svm`: ");
    let unjudged = live(&[server.url("/p/0.html")], "", "host_delay_ms = 0");
    check(&unjudged, &["--policies", "opic", "--budget", "5"], "set `judge.kind`");
    assert_eq!(server.log().len(), 0);
    assert!(!good.data().join("compare").exists());
}

#[test]
fn it_says_beforehand_how_long_it_will_take() {
    let server = Server::start(site).unwrap();
    let project = project(&server, 1000);
    let (mut child, mut lines) = start(&project, &["--policies", POLICIES, "--budget", "200"]);
    let mut line = String::new();
    while !line.contains("one request at a time") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "no estimate");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("3 policies, 200 pages each"), "{line}");
    assert!(line.contains("about 3 min if they want the same pages, 10 min if each wants others"), "{line}");
}

/// A comparison that runs.
fn start(project: &Project, args: &[&str]) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut command = osprey();
    command.arg("compare").arg(project.path()).args(args);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap());
    (child, lines)
}
