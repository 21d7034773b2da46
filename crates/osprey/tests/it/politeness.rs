//! Politeness, measured at the server: no two requests closer than configured, whichever part sends them and however often the crawl
//! is killed; delays and waits that hosts ask for are kept.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use osprey_rogue::{Answer, Files, Hosts, Listen, Plain, Reply, Server, SiteRequest, Step};
use serde_json::json;

use crate::web::{Running, TestRng, live, shortest_interval, statuses};

fn check_interval(server: &Server, least: Duration, requests: usize) {
    let log = server.log();
    let (by_host, n) = shortest_interval(&log, |arrival| arrival.host.clone());
    let (by_address, _) = shortest_interval(&log, |arrival| arrival.local.ip());
    assert!(n >= requests, "only {n} requests");
    assert!(by_host.is_none_or(|interval| interval >= least), "host: {by_host:?} over {n}");
    assert!(by_address.is_none_or(|interval| interval >= least), "address: {by_address:?} over {n}");
}

#[test]
fn one_host_is_asked_once_at_a_time_and_never_too_soon() {
    let server = Server::start(Plain::new(1, 25).robots("User-agent: *\nDisallow: /p/3.html\n")).unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 40\nconcurrency = 16");
    let report = project.json("crawl", &[]);
    assert_eq!((report["visited"].as_u64(), report["skipped"]["robots"].as_u64()), (Some(24), Some(1)));
    check_interval(&server, Duration::from_millis(40), 25);
    let tally = server.finish().unwrap();
    assert!(tally.hosts().all(|(_, host)| host.max_open == 1));
}

#[test]
fn hosts_on_one_address_share_its_limit() {
    let names: Vec<String> = (0..12).map(|n| format!("h{n}.test")).collect();
    let server = Server::start(Plain::new(2, 3)).unwrap();
    let port = server.addr().port();
    let seeds: Vec<String> = names.iter().map(|name| format!("http://{name}:{port}/")).collect();
    let hosts: String = names.iter().map(|name| format!("\"{name}\" = \"127.0.0.1\"\n")).collect();
    let project = live(&seeds, "", &format!("host_delay_ms = 30\n[fetch.hosts]\n{hosts}"));
    let report = project.json("crawl", &[]);
    assert_eq!(report["visited"].as_u64(), Some(36));
    check_interval(&server, Duration::from_millis(30), 48);
}

#[test]
fn hosts_on_many_addresses_do_not_wait_for_each_other() {
    let server = Listen::new().address([0, 0, 0, 0]).start(Plain::new(3, 4)).unwrap();
    let port = server.addr().port();
    let seeds: Vec<String> = (1..=20).map(|n| format!("http://127.0.1.{n}:{port}/")).collect();
    let project = live(&seeds, "", "host_delay_ms = 100");
    let report = project.json("crawl", &[]);
    assert_eq!(report["visited"].as_u64(), Some(80));
    check_interval(&server, Duration::from_millis(100), 100);
    // one host after the other, these 100 requests would change the host 19 times
    let mut log = server.log();
    log.sort_by_key(|arrival| arrival.at);
    let changes = log.windows(2).filter(|pair| pair[0].host != pair[1].host).count();
    assert!(changes > 60, "{changes} changes of host");
}

#[test]
fn kills_and_restarts_do_not_shorten_the_delay() {
    let names: Vec<String> = (0..3).map(|n| format!("k{n}.test")).collect();
    let server = Server::start(Plain::new(4, 4)).unwrap();
    let port = server.addr().port();
    let seeds: Vec<String> = names.iter().map(|name| format!("http://{name}:{port}/")).collect();
    let hosts: String = names.iter().map(|name| format!("\"{name}\" = \"127.0.0.1\"\n")).collect();
    // longer than a process needs to start: only durable clocks can keep it
    let project = live(&seeds, "", &format!("host_delay_ms = 400\n[fetch.hosts]\n{hosts}"));
    let mut rng = TestRng(11);
    let mut kills = 0;
    while kills < 12 {
        let mut running = Running::start(&project);
        // some are killed while they ask for robots.txt, before any page
        let visits = rng.below(3);
        if visits == 0 {
            let (before, deadline) = (server.log().len(), Instant::now() + Duration::from_secs(60));
            while server.log().len() == before && running.child.try_wait().unwrap().is_none() {
                assert!(Instant::now() < deadline, "no request within a minute");
                std::thread::yield_now();
            }
        } else if !running.wait_for(visits) {
            break;
        }
        running.kill();
        kills += 1;
    }
    assert!(kills >= 8, "{kills} kills");
    project.json("crawl", &[]);
    check_interval(&server, Duration::from_millis(400), 15);
    assert_eq!(statuses(&project).len(), 4);
    assert_eq!(project.rows("visits").len(), 12);
}

#[test]
fn a_crawl_delay_is_obeyed() {
    let server = Server::start(Plain::new(5, 6).robots("User-agent: *\nCrawl-delay: 0.15\n")).unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 10");
    assert_eq!(project.json("crawl", &[])["visited"].as_u64(), Some(6));
    let pages: Vec<_> = server.log().into_iter().filter(|arrival| arrival.path != "/robots.txt").collect();
    let (interval, _) = shortest_interval(&pages, |arrival| arrival.host.clone());
    assert!(interval.unwrap() >= Duration::from_millis(150), "{interval:?}");
}

/// A host that asks for a day between requests is slow, not dropped, and the others go on.
#[test]
fn a_long_crawl_delay_slows_the_host_and_drops_nothing() {
    let server =
        Server::start(Plain::new(6, 8).robots_on("slow.test", "User-agent: *\nCrawl-delay: 86400\n"))
            .unwrap();
    let port = server.addr().port();
    let seeds = ["slow.test", "quick.test"].map(|name| format!("http://{name}:{port}/"));
    let hosts = "[fetch.hosts]\n\"slow.test\" = \"127.0.0.1\"\n\"quick.test\" = \"127.0.0.1\"\n";
    let project = live(&seeds, "", &format!("host_delay_ms = 10\n{hosts}"));
    let report = project.json("crawl", &[]);
    assert_eq!(report["stopped_by"], "empty");
    let rows = project.rows("visits");
    let of = |host: &str| rows.iter().filter(|row| row["url"].as_str().unwrap().contains(host)).count();
    assert_eq!(
        (of("quick.test"), of("slow.test")),
        (8, 0),
        "robots.txt was asked for, the next may come in a day"
    );
    assert_eq!(report["frontier"].as_u64(), Some(1), "the rest waits");
    let notices = report["notices"].to_string();
    assert!(notices.contains("1 host in delay") && notices.contains("max_idle_seconds"), "{notices}");
    let status = project.json("status", &[]);
    let slow =
        status["hosts"].as_array().unwrap().iter().find(|host| host["host"] == format!("slow.test:{port}"));
    assert_eq!(slow.unwrap()["delay"], json!(86400.0), "{status}");
    assert_eq!(status["frontier"]["dropped"], 0);
}

#[test]
fn retry_after_is_kept_and_the_page_comes_at_last() {
    let asked = AtomicU64::new(0);
    let server = Server::start(move |request: &SiteRequest<'_>| -> Answer {
        match request.path {
            "/" => Reply::html("<a href=/busy>x</a>").into(),
            "/busy" if asked.fetch_add(1, Ordering::Relaxed) == 0 => {
                Reply::status(429).with("Retry-After", "1").into()
            }
            "/busy" => Reply::html("at last").into(),
            _ => Reply::status(404).into(),
        }
    })
    .unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 5");
    let report = project.json("crawl", &[]);
    assert_eq!((report["visited"].as_u64(), report["failed"].as_u64()), (Some(2), Some(0)));
    let busy: Vec<_> = server.log().into_iter().filter(|arrival| arrival.path == "/busy").collect();
    let (interval, n) = shortest_interval(&busy, |_| ());
    assert!(n == 2 && interval.unwrap() >= Duration::from_secs(1), "{n}: {interval:?}");
    let status = project.json("status", &[]);
    assert_eq!(status["errors"]["status-429"], 1, "{status}");
}

/// The year 9999 is a day away at most; the crawl says what it would wait for, and ends.
#[test]
fn an_absurd_retry_after_does_not_hang_the_crawl() {
    let server = Server::start(
        Files::new()
            .with("/", Reply::html("<a href=/later>x</a> <a href=/other>y</a>"))
            .with("/later", Reply::status(503).with("Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT")),
    )
    .unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 1");
    let report = project.json("crawl", &[]);
    assert_eq!(report["stopped_by"], "empty");
    assert_eq!(report["frontier"].as_u64(), Some(2), "{report}");
    let notices = report["notices"].to_string();
    assert!(notices.contains("1 host backing off"), "{notices}");
    let words = project.run("explain", &[&server.url("/other")]);
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.contains("may be asked again in 23 h") || words.contains("in 24 h"), "{words}");
}

/// Every request is answered with 429: slower and slower, and an end.
#[test]
fn a_storm_of_429_slows_down_and_ends() {
    let server = Server::start(|request: &SiteRequest<'_>| -> Answer {
        match request.path {
            "/robots.txt" => Reply::status(404).into(),
            _ => Reply::status(429).into(),
        }
    })
    .unwrap();
    let seeds: Vec<String> = (0..30).map(|n| server.url(&format!("/{n}"))).collect();
    let project = live(&seeds, "", "host_delay_ms = 1\nbackoff_ms = 4");
    let report = project.report(&[]);
    assert_eq!(report["stopped_by"], "empty", "{report}");
    let asked = server.log().len();
    assert!((10..=30).contains(&asked), "{asked} requests");
    let status = project.json("status", &[]);
    let waiting = status["frontier"]["waiting"].as_u64().unwrap();
    assert!(waiting >= 28, "nothing is lost: {status}");
    let health = status["hosts"][0]["health"].as_str().unwrap();
    assert!(health.contains("in a row") && health.contains("backing off until"), "{health}");
}

/// A crawl from one seed over hosts that link to each other, each with its own clock.
#[test]
fn a_web_of_hosts_is_crawled_whole() {
    let names: Vec<String> = (0..9).map(|n| format!("w{n}.test")).collect();
    let listen = Listen::new();
    // names have to carry the port, which is known only once the server listens: one that is free now
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let authorities: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
    let site = Plain::new(7, 5).hosts(Hosts::Named(authorities)).sitemap();
    let server = listen.port(port).start(site).unwrap();
    let hosts: String = names.iter().map(|name| format!("\"{name}\" = \"127.0.0.1\"\n")).collect();
    let project = live(
        &[format!("http://w0.test:{port}/")],
        "",
        &format!("host_delay_ms = 0\nhost_concurrency = 4\n[fetch.hosts]\n{hosts}"),
    );
    let report = project.json("crawl", &[]);
    assert_eq!(report["visited"].as_u64(), Some(45), "{report}");
    drop(server);
}

/// Two projects, two processes, one server: together they ask no more often than either may.
#[test]
fn two_projects_keep_one_distance() {
    let server = Server::start(Plain::new(8, 8)).unwrap();
    let projects =
        [(); 2].map(|()| live(&[server.url("/")], "", "host_delay_ms = 150\nshare_clocks = true\n"));
    let mut running = projects.each_ref().map(Running::start);
    for crawl in &mut running {
        crawl.wait_for(u64::MAX);
    }
    for crawl in running {
        assert!(crawl.end().1);
    }
    for project in &projects {
        assert_eq!(project.rows("visits").len(), 8);
    }
    check_interval(&server, Duration::from_millis(150), 18);
}

/// A robots.txt that broke off is not one without the lost lines: nothing is fetched, and it is asked for again.
#[test]
fn a_truncated_robots_txt_is_fetched_again() {
    let asked = AtomicU64::new(0);
    let server = Server::start(move |request: &SiteRequest<'_>| -> Answer {
        let rules = "User-agent: *\nAllow: /ok\nDisallow: /secret\n";
        match request.path {
            "/robots.txt" if asked.fetch_add(1, Ordering::Relaxed) < 2 => Answer::Script(vec![Step::text(
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", rules.len(), &rules[..25]),
            )]),
            "/robots.txt" => Reply::text(rules).into(),
            _ => Reply::html("<a href=/secret>s</a> <a href=/ok>o</a>").into(),
        }
    })
    .unwrap();
    let project = live(&[server.url("/")], "", "host_delay_ms = 1\nbackoff_ms = 2");
    let report = project.json("crawl", &[]);
    assert_eq!((report["visited"].as_u64(), report["skipped"]["robots"].as_u64()), (Some(2), Some(1)));
    let mut log = server.log();
    log.sort_by_key(|arrival| arrival.at);
    let paths: Vec<&str> = log.iter().map(|arrival| arrival.path.as_str()).collect();
    assert_eq!(paths, ["/robots.txt", "/robots.txt", "/robots.txt", "/", "/ok"]);
}
