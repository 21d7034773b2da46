//! Crawls of live servers: what is fetched, what is kept, what is said; robots by status code, sitemaps, cookies,
//! revisits, guards, interrupts.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use osprey_archive::{RecordKind, RecordReader};
use osprey_rogue::{Answer, Files, Plain, Reply, Server, SiteRequest, Step};
use serde_json::Value;

use crate::web::{Project, Running, asked, fails_with, live, osprey, path, statuses, visit};

const QUICK: &str = "host_delay_ms = 0\nhost_concurrency = 8";

/// Kinds and targets of all records of the archive.
fn records(project: &Project) -> Vec<(RecordKind, String, String)> {
    let mut records = Vec::new();
    for file in std::fs::read_dir(project.data().join("archive")).unwrap() {
        let path = file.unwrap().path();
        if path.ends_with("catalog.jsonl") {
            continue;
        }
        let mut reader = RecordReader::new(std::fs::File::open(path).unwrap());
        while let Some(record) = reader.next_record().unwrap() {
            let block = String::from_utf8_lossy(&record.block).into_owned();
            records.push((record.kind, record.target().unwrap_or_default().to_owned(), block));
        }
        assert!(reader.problems().is_empty(), "{:?}", reader.problems());
    }
    records
}

#[test]
fn a_site_is_crawled_whole_and_archived() {
    let server = Server::start(Plain::new(1, 120)).unwrap();
    let project = live(&[server.url("/")], "", QUICK);
    let report = project.json("crawl", &[]);
    assert_eq!((report["visited"].as_u64(), report["failed"].as_u64()), (Some(120), Some(0)), "{report}");
    let log = server.log();
    let distinct: BTreeSet<&str> = log.iter().map(|arrival| arrival.path.as_str()).collect();
    assert_eq!((log.len(), distinct.len()), (121, 121), "each page once, and robots.txt");
    assert!(
        log.iter().all(|a| a.headers.get("user-agent") == Some("osprey-test/0.1 (+mailto:test@example.org)"))
    );
    let records = records(&project);
    let count = |kind| records.iter().filter(|(k, ..)| *k == kind).count();
    assert_eq!((count(RecordKind::Response), count(RecordKind::Request)), (121, 121));
    let (_, target, request) = records.iter().find(|(kind, ..)| *kind == RecordKind::Request).unwrap();
    assert!(target.starts_with("http://127.0.0.1:") && request.starts_with("GET /"), "{request}");
    assert!(server.connections() <= 20, "connections are used again: {}", server.connections());
}

#[test]
fn a_live_crawl_needs_a_contact() {
    let toml = "[crawl]\nseeds = [\"http://127.0.0.1:1/\"]\n[fetch]\nuser_agent = \"nobody/1.0\"\n";
    let text = fails_with(&Project::new(toml).run("crawl", &[]), 2);
    assert!(text.contains("fetch.user_agent") && text.contains("contact"), "{text}");
}

#[test]
fn wrong_keys_of_fetch_are_named() {
    let check = |line: &str, expect: &str| {
        let text = fails_with(&live(&["http://a.test/".to_owned()], "", line).run("crawl", &[]), 2);
        assert!(text.contains(expect), "{line}: {text}");
    };
    check("proxy = \"ftp://x\"", "fetch.proxy");
    check("accept = [\"html\"]", "fetch.accept");
    check("ca_file = \"nowhere.pem\"", "fetch.ca_file");
    check("hosts = { \"a.test\" = \"300.1.1.1\" }", "hosts");
    check("host_dealy_ms = 5", "did you mean `host_delay_ms`?");
}

/// What a status of robots.txt means for the pages behind it.
#[test]
fn robots_by_status() {
    let check = |robots: Answer, expect: bool| {
        let site = Files::new().with("/robots.txt", robots.clone()).with("/", Reply::html("hello"));
        let server = Server::start(site).unwrap();
        // an answer that comes may take its time; one that never comes should not
        let patience = if matches!(robots, Answer::Script(_)) { "first_byte_timeout_ms = 150" } else { "" };
        let fetch = format!("{QUICK}\n{patience}\nbackoff_ms = 1000");
        let project = live(&[server.url("/")], "max_idle_seconds = 1", &fetch);
        let report = project.report(&[]);
        assert_eq!(report["visited"].as_u64(), Some(u64::from(expect)), "{robots:?}: {report}");
        assert_eq!(asked(&server).contains(&"/".to_owned()), expect, "{robots:?}");
        if !expect {
            let waits = report["frontier"].as_u64() == Some(1);
            let is_rule = matches!(&robots, Answer::Reply(reply) if reply.status == 200);
            let skipped = |reason: &str| report["skipped"][reason].as_u64() == Some(1);
            let is_right = if is_rule { skipped("robots") } else { waits || skipped("robots-unreachable") };
            assert!(is_right, "{robots:?}: {report}");
        }
    };
    check(Reply::text("User-agent: *\nAllow: /\n").into(), true);
    check(Reply::text("User-agent: *\nDisallow: /\n").into(), false);
    for status in [400, 401, 403, 404, 410] {
        check(Reply::status(status).into(), true);
    }
    for status in [429, 500, 502, 503] {
        check(Reply::status(status).into(), false);
    }
    check(Answer::Script(vec![Step::Stall]), false);
    check(Answer::Script(vec![Step::Reset]), false);
}

#[test]
fn robots_redirects_are_followed_five_times_also_across_hosts() {
    let check = |hops: usize, expect_forbidden: bool| {
        let server = Server::start(move |request: &SiteRequest<'_>| -> Answer {
            let hop = match request.path {
                "/" => return Reply::html("hello").into(),
                "/robots.txt" => 0,
                path => path.strip_prefix("/hop").and_then(|n| n.parse().ok()).unwrap_or(0),
            };
            let port = request.local.port();
            // back and forth between two names
            let host = if hop % 2 == 0 { "127.0.0.1" } else { "localhost" };
            if hop == hops {
                Reply::text("User-agent: *\nDisallow: /\n").into()
            } else {
                Reply::redirect(301, format!("http://{host}:{port}/hop{}", hop + 1)).into()
            }
        })
        .unwrap();
        let project = live(&[server.url("/")], "", "host_delay_ms = 1");
        let report = project.report(&[]);
        let forbidden = report["skipped"]["robots"].as_u64() == Some(1);
        assert_eq!(forbidden, expect_forbidden, "{hops} hops: {report}");
        assert_eq!(asked(&server).contains(&"/".to_owned()), !expect_forbidden, "{hops} hops");
    };
    check(0, true);
    check(1, true);
    check(5, true);
    check(6, false); // RFC 9309: past five, the file counts as unavailable
}

#[test]
fn sitemaps_lead_to_pages_that_no_page_links_to() {
    let server = Server::start(|request: &SiteRequest<'_>| -> Answer {
        let at = |path: &str| format!("http://{}{path}", request.host);
        let xml = |body: String| Reply::ok("application/xml", body).into();
        match request.path {
            "/robots.txt" => {
                let lines = format!("Sitemap: {}\nSitemap: {}\n", at("/index.xml"), at("/list.txt"));
                Reply::text(lines).into()
            }
            "/index.xml" => xml(format!(
                "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>{}</loc></sitemap></sitemapindex>",
                at("/pages.xml")
            )),
            "/pages.xml" => xml(format!(
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{}</loc></url></urlset>",
                at("/lonely")
            )),
            "/list.txt" => Reply::text(format!("{}\n", at("/listed"))).into(),
            "/" | "/lonely" | "/listed" => Reply::html(format!("<p>This is {}", request.path)).into(),
            _ => Reply::status(404).into(),
        }
    })
    .unwrap();
    let project = live(&[server.url("/")], "", QUICK);
    project.json("crawl", &[]);
    let seen = statuses(&project);
    let expect = ["/", "/index.xml", "/list.txt", "/listed", "/lonely", "/pages.xml"];
    assert_eq!(seen.keys().map(String::as_str).collect::<Vec<_>>(), expect);
    assert_eq!(path(visit(&project, "/lonely")["parent"].as_str().unwrap()), "/pages.xml");

    let without = live(&[server.url("/")], "", &format!("{QUICK}\nsitemaps = false"));
    assert_eq!(without.json("crawl", &[])["visited"].as_u64(), Some(1));
}

#[test]
fn redirects_are_visits_and_loops_end() {
    let server = Server::start(|request: &SiteRequest<'_>| -> Answer {
        match request.path {
            "/" => Reply::html("<a href=/a>a</a> <a href=/loop>b</a> <a href=/chain0>c</a>").into(),
            "/a" => Reply::redirect(302, "/b").into(),
            "/b" => Reply::html("here").into(),
            "/loop" => Reply::redirect(301, "/loop2").into(),
            "/loop2" => Reply::redirect(301, "/loop").into(),
            path => match path.strip_prefix("/chain").and_then(|n| n.parse::<u32>().ok()) {
                Some(n) => Reply::redirect(307, format!("/chain{}", n + 1)).into(),
                None => Reply::status(404).into(),
            },
        }
    })
    .unwrap();
    let project = live(&[server.url("/")], "", &format!("{QUICK}\nmax_redirects = 4"));
    let report = project.json("crawl", &[]);
    let seen = statuses(&project);
    assert_eq!((seen["/a"], seen["/b"], seen["/loop"], seen["/loop2"]), (302, 200, 301, 301));
    let chain: Vec<&String> = seen.keys().filter(|path| path.starts_with("/chain")).collect();
    assert_eq!(chain, ["/chain0", "/chain1", "/chain2", "/chain3", "/chain4"]);
    assert_eq!(report["skipped"]["redirects"], 1, "{report}");
}

#[test]
fn private_addresses_are_refused_whatever_they_are_called() {
    let server = Server::start(Files::new().with("/", Reply::html("secret"))).unwrap();
    let port = server.addr().port();
    let hosts =
        ["127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "inside.test"];
    let seeds: Vec<String> = hosts.iter().map(|host| format!("http://{host}:{port}/")).collect();
    let toml = format!(
        "[crawl]\nseeds = {seeds:?}\nscope = \"any\"\nmax_idle_seconds = 1\n[fetch]\n\
         user_agent = \"osprey-test/0.1 (+mailto:test@example.org)\"\nhost_delay_ms = 0\nbackoff_ms = 1\n\
         hosts = {{ \"inside.test\" = \"127.0.0.1\" }}\n"
    );
    let project = Project::new(&toml);
    let report = project.report(&[]);
    assert_eq!(server.connections(), 0, "nothing was connected: {report}");
    // the four spellings of one address are one URL
    let rows = project.rows("visits");
    assert_eq!((rows.len(), report["failed"].as_u64()), (4, Some(4)), "{report}");
    for row in rows {
        let notes = row["notes"].to_string();
        assert!(notes.contains("refused") && notes.contains("allow_private"), "{row}");
    }
    let toml = toml.replace("host_delay_ms", "allow_private = true\nhost_delay_ms");
    let seen = Project::new(&toml).json("crawl", &[])["visited"].as_u64().unwrap();
    assert!(seen >= 2 && server.connections() > 0, "by its address and by its name: {seen}");
}

#[test]
fn a_page_at_a_private_address_is_refused() {
    let server = Server::start(Files::new().with("/", Reply::html("secret"))).unwrap();
    let output = osprey().args(["page", &server.url("/")]).output().unwrap();
    let text = fails_with(&output, 1);
    assert!(text.contains("refused") && text.contains("127.0.0.1"), "{text}");
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_page_can_be_looked_at_by_its_url() {
    let site = Files::new()
        .with("/robots.txt", Reply::text("User-agent: *\nDisallow: /private\n"))
        .with("/", Reply::redirect(301, "/home"))
        .with("/private", Reply::html("no"))
        .with("/home", Reply::html("<title>Harbour</title><a href=/x>terns</a>"));
    let server = Server::start(site).unwrap();
    let run = |path: &str, more: &[&str]| {
        osprey().args(["page", &server.url(path), "--allow-private"]).args(more).output().unwrap()
    };
    let page: Value = serde_json::from_slice(&run("/", &["--json"]).stdout).unwrap();
    assert_eq!((page["title"].as_str(), page["status"].as_u64()), (Some("Harbour"), Some(200)));
    assert_eq!(page["links"][0]["url"], server.url("/x"));
    let text = fails_with(&run("/private", &[]), 1);
    assert!(text.contains("disallow"), "{text}");
    let text = String::from_utf8(run("/home", &[]).stdout).unwrap();
    assert!(text.starts_with("answer    200 text/html, "), "{text}");
}

#[test]
fn urls_are_explained_whether_fetched_waiting_or_skipped() {
    let site = Files::new()
        .with("/robots.txt", Reply::text("User-agent: *\nDisallow: /no\n"))
        .with("/", Reply::html("<a href=/no>n</a> <a href=/gone>g</a> <a href=/2>w</a> <a href=/3>w</a>"))
        .with("/2", Reply::html("two"));
    let server = Server::start(site).unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 1");
    project.json("crawl", &["--budget", "3"]);
    let state = |path: &str| {
        let told = project.json("explain", &[&server.url(path)]);
        (told["state"].as_str().unwrap().to_owned(), told["words"].as_str().unwrap().to_owned())
    };
    assert_eq!(state("/").0, "fetched");
    let (kind, words) = state("/no");
    assert!(kind == "skipped" && words.contains("robots"), "{words}");
    assert_eq!(state("/gone").0, "failed");
    let (kind, words) = state("/3");
    assert!(kind == "waiting" && words.contains("its host is ready"), "{words}");
    assert_eq!(state("/nowhere").0, "unknown");
}

#[test]
fn cookies_are_kept_over_restarts() {
    let server = Server::start(|request: &SiteRequest<'_>| -> Answer {
        match (request.path, request.header("cookie")) {
            ("/", _) => Reply::html("<a href=/a>a</a>").with("Set-Cookie", "visit=7; Path=/").into(),
            ("/a", Some("visit=7")) => Reply::html("<a href=/b>b</a>").into(),
            ("/b", Some("visit=7")) => Reply::html("known").into(),
            _ => Reply::status(404).into(),
        }
    })
    .unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 1");
    project.json("crawl", &["--budget", "2"]);
    assert!(project.data().join("cookies.json").exists());
    project.json("crawl", &[]);
    assert_eq!(statuses(&project).into_values().collect::<Vec<_>>(), [200, 200, 200]);

    let without = live(&[server.url("/")], "", "host_delay_ms = 1\ncookies = false");
    without.json("crawl", &[]);
    assert_eq!(statuses(&without)["/a"], 404);
}

#[test]
fn a_revisit_asks_whether_anything_has_changed() {
    let moves = AtomicU64::new(0);
    let server = Server::start(move |request: &SiteRequest<'_>| -> Answer {
        match (request.path, request.header("if-none-match")) {
            ("/", _) => Reply::html("<a href=/same>s</a> <a href=/plain>p</a> <a href=/moves>m</a>").into(),
            ("/moves", _) => {
                let n = moves.fetch_add(1, Ordering::Relaxed);
                Reply::redirect(302, format!("/moved{n}")).into()
            }
            ("/moved0" | "/moved1" | "/moved2", _) => Reply::html(format!("<p>{}", request.path)).into(),
            ("/same", Some("\"v1\"")) => Reply::status(304).with("ETag", "\"v1\"").into(),
            ("/same", _) => Reply::html("<p>tagged").with("ETag", "\"v1\"").into(),
            ("/plain", _) => Reply::html("<p>not tagged").into(),
            _ => Reply::status(404).into(),
        }
    })
    .unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 1");
    assert_eq!(project.json("crawl", &[])["visited"].as_u64(), Some(5));
    assert_eq!(project.json("crawl", &["--revisit", "1h"])["this_run"].as_u64(), Some(0));
    let revisited = |args: &[&str]| {
        let report = project.json("crawl", args);
        (report["this_run"].as_u64().unwrap(), report["revisits"]["pages"].as_u64().unwrap())
    };
    // the redirect leads to a new page now, which counts; what was fetched again is counted apart
    assert_eq!(revisited(&["--revisit", "0s"]), (1, 5));
    // also where the budget for pages is used up
    assert_eq!(revisited(&["--revisit", "0s", "--budget", "6"]), (0, 11));
    assert_eq!(revisited(&[]), (1, 11));
    let rows = project.rows("visits");
    let same: Vec<u64> = rows
        .iter()
        .filter(|row| path(row["url"].as_str().unwrap()) == "/same")
        .map(|row| row["status"].as_u64().unwrap())
        .collect();
    assert_eq!(same, [200, 304, 304], "the validators of the last full answer are sent each time");
    let unchanged = project.json("status", &[])["unchanged"].as_u64().unwrap() as usize;
    assert_eq!(unchanged, 4 + 5, "front page, two pages, where the redirects led: {rows:?}");
    let told = String::from_utf8(project.run("explain", &[&server.url("/same")]).stdout).unwrap();
    assert!(told.contains("revisited 2 times, 0 of them found a change; last at 2"), "{told}");
    assert!(told.contains("Z: unchanged"), "{told}");
    let records = records(&project);
    assert_eq!(records.iter().filter(|(kind, ..)| *kind == RecordKind::Revisit).count(), unchanged);
}

#[test]
fn only_accepted_media_types_are_read() {
    let png = b"\x89PNG\r\n\x1a\n".repeat(2000);
    let site = Files::new()
        .with("/", Reply::html("<a href=/pic>a</a> <a href=/sniffed>b</a>"))
        .with("/pic", Reply::ok("image/png", png.clone()))
        .with("/sniffed", Reply::ok("application/octet-stream", png));
    let server = Server::start(site).unwrap();
    let project = live(&[server.url("/")], "", &format!("{QUICK}\naccept = [\"text/*\"]"));
    project.json("crawl", &[]);
    for path in ["/pic", "/sniffed"] {
        let row = visit(&project, path);
        assert!(
            row["bytes"].as_u64().unwrap() < 16_000 && row["notes"].to_string().contains("not accepted"),
            "{row}"
        );
    }
    let all = live(&[server.url("/")], "", QUICK);
    all.json("crawl", &[]);
    assert_eq!(visit(&all, "/pic")["bytes"].as_u64(), Some(16_000));
}

#[test]
fn an_interrupt_drains_and_commits() {
    let server = Server::start(Plain::new(8, 60)).unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 20");
    for signal in ["-INT", "-TERM"] {
        let mut running = Running::start(&project);
        assert!(running.wait_for(5));
        running.signal(signal);
        let (rest, success) = running.end();
        assert!(success && rest.contains("finishing what is in flight"), "{rest}");
        let status = project.json("status", &[]);
        assert_eq!(status["frontier"]["leased"].as_u64(), Some(0), "{status}");
    }
    assert_eq!(project.json("crawl", &[])["visited"].as_u64(), Some(60));
    let log = asked(&server);
    assert_eq!(log.len(), log.iter().collect::<BTreeSet<_>>().len(), "nothing was asked for twice");
}

/// A crawl in delay says so to every client.
#[test]
fn an_idle_crawl_says_why() {
    let server = Server::start(Plain::new(9, 30)).unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 700");
    let mut running = Running::start(&project);
    assert!(running.wait_for(1));
    let mut told = String::new();
    // the running crawl leaves its word once a second
    while !told.contains("1 host in delay, next in 0.") {
        let status = project.json("status", &[]);
        told = status["waits_for"].as_str().unwrap_or_default().to_owned();
        assert!(status["visited"].as_u64().unwrap() < 30, "never told: {status}");
    }
    running.kill();
}
