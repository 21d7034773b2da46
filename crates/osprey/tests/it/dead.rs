//! Sites that are down, refuse or lead nowhere when a project begins: what is said, and what the next command does. And
//! samples of sites with dead links.

use osprey_rogue::{Answer, Files, Listen, Reply, Server, SiteRequest};
use serde_json::Value;

use crate::web::{Project, asked, fails_with, live};

const QUICK: &str = "host_delay_ms = 0\nhost_concurrency = 8";

/// A port without a listener, until one is started.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn site() -> Files {
    Files::new()
        .with("/", Reply::html("<title>start</title><a href=/a>a</a> <a href=/b>b</a>"))
        .with("/a", Reply::html("<title>a</title>one page"))
        .with("/b", Reply::html("<title>b</title>another page"))
}

fn crawled(project: &Project) -> u64 {
    project.json("crawl", &[])["visited"].as_u64().unwrap()
}

#[test]
fn a_site_that_is_down_is_crawled_when_it_is_up() {
    let port = free_port();
    let start = format!("http://127.0.0.1:{port}/");
    // with the usual waits, which take no real time
    let project =
        live(std::slice::from_ref(&start), "max_idle_seconds = 3600", &format!("{QUICK}\nbackoff_ms = 5000"));
    let text = fails_with(&project.run("crawl", &[]), 1);
    assert!(text.contains(&format!("osprey: {start}: ")) && text.contains("refused"), "{text}");
    assert!(text.contains("run the same command again when it is up"), "{text}");
    // scripts get the report, and the same status
    let output = project.run("crawl", &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["visited"], &report["stopped_by"]),
        (&Value::from(0), &Value::from("empty")),
        "{report}"
    );
    assert_eq!(report["start_failures"][0]["url"], Value::from(start.as_str()));
    let text = fails_with(&project.run("learn", &[]), 1);
    assert!(text.contains("nothing to learn from: ") && text.contains(&start), "{text}");
    assert!(!project.data().join("sample").exists());

    let server = Listen::new().port(port).start(site()).unwrap();
    assert_eq!(crawled(&project), 3, "{:?}", asked(&server));
    assert!(project.run("learn", &[]).status.success());

    // what was learned stays until there is something to learn from again
    drop(server);
    let text = fails_with(&project.run("topic", &["expand", "tern", "--pages", "10"]), 1);
    assert!(text.contains(&start), "{text}");
    let left = std::fs::read_dir(project.data().join("cotags")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "the next time begins anew");
    let before = std::fs::read(project.data().join("model/site.json")).unwrap();
    fails_with(&project.run("learn", &["--again"]), 1);
    assert!(project.data().join("sample").exists() && !project.data().join("sample.old").exists());
    assert_eq!(std::fs::read(project.data().join("model/site.json")).unwrap(), before);
    assert!(project.run("learn", &[]).status.success());
}

#[test]
fn a_start_that_is_refused_says_what_to_change() {
    let server = Server::start(
        site()
            .with("/robots.txt", Reply::text("User-agent: *\nDisallow: /secret\n"))
            .with("/away", Reply::redirect(301, "http://elsewhere.example/")),
    )
    .unwrap();
    let check = |start: &str, crawl: &str, fetch: &str, expect: [&str; 2], mend: (&str, &str)| {
        let project = live(&[server.url(start)], crawl, &format!("{QUICK}\n{fetch}"));
        let file = project.path().join("osprey.toml");
        let toml = std::fs::read_to_string(&file).unwrap().replace("\"any\"", "\"host\"");
        std::fs::write(&file, &toml).unwrap();
        let text = fails_with(&project.run("crawl", &[]), 1);
        assert!(expect.iter().all(|part| text.contains(part)), "{start}: {text}");
        assert!(toml.contains(mend.0), "{toml}");
        std::fs::write(&file, toml.replacen(mend.0, mend.1, 1)).unwrap();
        let output = project.run("crawl", &["--json"]);
        assert!(output.status.success(), "{start}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let seeds = |path: &str| format!("{:?}", server.url(path));
    let (start, missing) = (seeds("/"), seeds("/missing"));
    check("/missing", "", "", ["status 404", "check the address in `crawl.seeds`"], (&missing, &start));
    let (secret, private) = (seeds("/secret"), ["robots.txt", "Disallow: /secret"]);
    check("/secret", "", "", private, (&secret, &start));
    let away = seeds("/away");
    check("/away", "", "", ["redirects to http://elsewhere.example/", "`crawl.scope`"], (&away, &start));
    let guarded = ("allow_private = true", "allow_private = false");
    let project = live(&[server.url("/")], "", QUICK);
    let file = project.path().join("osprey.toml");
    let toml = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, toml.replace(guarded.0, guarded.1)).unwrap();
    let text = fails_with(&project.run("crawl", &[]), 1);
    assert!(text.contains("`fetch.allow_private = true`") && text.contains("loopback"), "{text}");
    std::fs::write(&file, toml).unwrap();
    assert_eq!(
        project.json("crawl", &[])["visited"].as_u64(),
        Some(4),
        "the one that was refused, and three"
    );
}

#[test]
fn one_bad_start_url_of_two_is_reported_but_not_a_failure() {
    let server = Server::start(site()).unwrap();
    let project = live(&[server.url("/"), server.url("/missing")], "", QUICK);
    let output = project.run("crawl", &[]);
    let (told, text) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success() && told.contains("/missing: status 404"), "{told}");
    assert!(text.contains("nothing is left to fetch"), "{text}");
}

#[test]
fn an_empty_frontier_is_reported_with_what_was_skipped() {
    let page = "<a href=/a>a</a> <a href=http://other.example/>elsewhere</a>";
    let server = Server::start(site().with("/", Reply::html(page))).unwrap();
    let project = live(&[server.url("/")], "max_depth = 0", QUICK);
    let toml = std::fs::read_to_string(project.path().join("osprey.toml")).unwrap();
    std::fs::write(project.path().join("osprey.toml"), toml.replace("\"any\"", "\"host\"")).unwrap();
    let output = project.run("crawl", &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    for part in ["nothing is left to fetch", "to fetch more:", "`crawl.max_depth`", "`crawl.scope`"] {
        assert!(text.contains(part), "{text}");
    }
}

/// Nine of ten links are dead.
#[test]
fn a_sample_is_bounded_in_requests() {
    let answer = |request: &SiteRequest<'_>| -> Answer {
        let n: Option<u64> = request.path.strip_prefix("/p/").and_then(|n| n.parse().ok());
        match (request.path, n) {
            ("/", _) | (_, Some(_)) if n.unwrap_or(0).is_multiple_of(10) => {
                let from = n.unwrap_or(0);
                let links: String = (1..=40).map(|k| format!("<a href=/p/{}>{k}</a> ", from + k)).collect();
                let words: String =
                    (0..60).map(|k| format!("w{} ", (from * 7919 + k * 104_729) % 100_003)).collect();
                Reply::html(format!("<title>page {from}</title><p>{words}</p>{links}")).into()
            }
            _ => Reply::status(404).into(),
        }
    };
    let server = Server::start(answer).unwrap();
    let project = live(&[server.url("/")], "", QUICK);
    let output = project.run("learn", &["--pages", "50"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains(" of 50 pages: 150 requests were used, the limit"), "{told}");
    assert!(told.contains("`structure.requests_per_page`"), "{told}");
    assert_eq!(server.log().len(), 150);
    // it is known by now; more requests bring more pages
    let toml = std::fs::read_to_string(project.path().join("osprey.toml")).unwrap();
    std::fs::write(
        project.path().join("osprey.toml"),
        format!("{toml}\n[structure]\nrequests_per_page = 5\n"),
    )
    .unwrap();
    assert!(project.run("learn", &["--pages", "50"]).status.success());
    assert_eq!(server.log().len(), 250);
}

/// So is a crawl for tags.
#[test]
fn a_crawl_for_tags_is_bounded_in_requests() {
    let answer = |request: &SiteRequest<'_>| -> Answer {
        let n: Option<u64> = request.path.strip_prefix("/tag/tern/").and_then(|n| n.parse().ok());
        match (request.path, n) {
            ("/", _) | (_, Some(_)) => {
                let from = n.unwrap_or(0);
                let link = |k: u64| format!("<a href=/tag/tern/{}>tern {k}</a> ", from + k);
                let links: String = (1..=40).map(link).collect();
                let words: String =
                    (0..60).map(|k| format!("w{} ", (from * 7919 + k * 104_729) % 100_003)).collect();
                Reply::html(format!("<title>tern {from}</title><p>{words}</p>{links}")).into()
            }
            _ => Reply::status(404).into(),
        }
    };
    let server = Server::start(answer).unwrap();
    let project = live(&[server.url("/")], "", QUICK);
    assert!(project.run("learn", &["--pages", "20"]).status.success());
    let toml = std::fs::read_to_string(project.path().join("osprey.toml")).unwrap();
    let bounded = format!("{toml}\n[structure]\nrequests_per_page = 1\n");
    std::fs::write(project.path().join("osprey.toml"), bounded).unwrap();
    let before = server.log().len();
    let output = project.run("topic", &["expand", "tern", "--pages", "50"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(server.log().len() - before, 50, "{told}");
    // one of them was for robots.txt
    assert!(told.contains("fetched 49 of 50 pages: 50 requests were used, the limit"), "{told}");
}

#[test]
fn the_expected_duration_is_printed_before_it_begins() {
    let project = live(&[format!("http://127.0.0.1:{}/", free_port())], "budget_pages = 2000", "");
    let told = |args: &[&str]| String::from_utf8_lossy(&project.run("crawl", args).stderr).into_owned();
    let estimate = "2,000 pages at one request a second: about 33 min";
    assert!(told(&[]).contains(estimate), "{}", told(&[]));
    assert!(!told(&["--json"]).contains("about") && !told(&["--quiet"]).contains("about"));
}
