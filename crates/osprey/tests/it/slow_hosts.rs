//! Hosts that drip a byte now and then hold some requests of a crawl and never all of them: the good host is crawled to its
//! end while they drip.
//!
//! Nothing here looks at the clock: the drip outlasts the test, so what slow hosts were ever asked is what they held.

use std::time::Duration;

use crate::web::{Running, live, statuses};
use osprey_rogue::{Answer, Listen, Reply, Server, SiteRequest, Step};

const SLOW_HOSTS: usize = 200;
const PAGES: usize = 60;
/// Requests at a time; hosts that are not proven have a quarter, and a place for each of them that became proven: here one.
const CONCURRENCY: usize = 8;

/// What the slow hosts drip.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drip {
    /// Everything, robots.txt too.
    All,
    /// Pages; there is no robots.txt.
    Pages,
    /// Pictures of the pages of the good host.
    Pictures,
}

fn slow_url(n: usize, port: u16) -> String {
    format!("http://127.1.{}.{}:{port}/{n}", n / 200, n % 200 + 1)
}

/// The good host on 127.0.0.1, slow ones on 127.1.x.x.
fn start(drip: Drip) -> Server {
    let site = move |request: &SiteRequest<'_>| -> Answer {
        let port = request.local.port();
        let is_slow = request.local.ip().to_string() != "127.0.0.1";
        match request.path {
            "/robots.txt" if !is_slow || drip == Drip::Pages => Reply::status(404).into(),
            _ if is_slow => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
                Answer::Script(vec![Step::text(head), Step::Drip("x".into(), Duration::from_secs(1))])
            }
            "/" => {
                let slow = (0..SLOW_HOSTS).filter(|_| drip != Drip::Pictures).map(|n| slow_url(n, port));
                let good = (0..PAGES).map(|n| format!("/good/{n}"));
                Reply::html(slow.chain(good).map(|url| format!("<a href='{url}'>x</a> ")).collect::<String>())
                    .into()
            }
            path => {
                let n: usize = path.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(0);
                let image =
                    |n| format!("<img width=400 height=400 src='{}'>", slow_url(n % SLOW_HOSTS, port));
                let images: String = (0..4).map(|k| image(4 * n + k)).collect();
                Reply::html(format!("<title>page {n}</title><p>This is page {n}.{images}")).into()
            }
        }
    };
    Listen::new().address([0, 0, 0, 0]).start(site).unwrap()
}

fn check(drip: Drip) {
    let server = start(drip);
    let pictures = if drip == Drip::Pictures { "[vision]\npictures = \"pages\"\n" } else { "" };
    // patience that outlasts the test: who is asked stays asked
    let fetch = format!(
        "host_delay_ms = 0\nhost_concurrency = 2\nconcurrency = {CONCURRENCY}\nslow_grace_ms = 600000\n\
         robots_timeout_ms = 600000\ntimeout_ms = 600000\nidle_timeout_ms = 600000\n{pictures}"
    );
    let project = live(&[server.url("/")], "", &fetch);
    let mut running = Running::start(&project);
    assert!(running.wait_for(1 + PAGES as u64), "{drip:?}: the crawl ended before its pages");
    running.kill();
    let good = |path: &str| path == "/" || path.starts_with("/good/");
    assert_eq!(statuses(&project).keys().filter(|path| good(path)).count(), 1 + PAGES, "{drip:?}");
    let is_held = |path: &str| drip != Drip::Pages || path != "/robots.txt";
    let mut log = server.log();
    log.sort_by_key(|arrival| arrival.at);
    // when the last pages of the good host are under way, no other host waits, and all that may be lent is
    let (good, slow): (Vec<_>, Vec<_>) =
        log.iter().partition(|arrival| arrival.local.ip().to_string() == "127.0.0.1");
    let until = good.iter().filter(|arrival| arrival.path.starts_with("/good/")).nth(PAGES - 4).unwrap().at;
    let held = slow.iter().filter(|arrival| is_held(&arrival.path) && arrival.at < until).count();
    assert!((1..=CONCURRENCY / 4 + 1).contains(&held), "{drip:?}: {held} requests were held");
}

#[test]
fn hosts_that_drip_do_not_stop_a_crawl() {
    check(Drip::All);
    check(Drip::Pages);
}

#[test]
fn pictures_on_hosts_that_drip_do_not_stop_a_crawl() {
    check(Drip::Pictures);
}

/// Good hosts that are listed behind those that drip, and have most of the links, get their turn while these drip.
#[test]
fn good_hosts_behind_those_that_drip_get_their_turn() {
    const GOOD_HOSTS: usize = 3;
    let site = move |request: &SiteRequest<'_>| -> Answer {
        let port = request.local.port();
        let is_slow = request.local.ip().to_string().starts_with("127.1.");
        match request.path {
            _ if is_slow => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
                Answer::Script(vec![Step::text(head), Step::Drip("x".into(), Duration::from_secs(1))])
            }
            "/robots.txt" => Reply::status(404).into(),
            "/" => {
                let slow = (0..SLOW_HOSTS).map(|n| slow_url(n, port));
                let good =
                    (0..PAGES).map(|n| format!("http://127.0.0.{}:{port}/good/{n}", 2 + n % GOOD_HOSTS));
                Reply::html(slow.chain(good).map(|url| format!("<a href='{url}'>x</a> ")).collect::<String>())
                    .into()
            }
            path => Reply::html(format!("<title>page {path}</title><p>This is page {path}.")).into(),
        }
    };
    let server = Listen::new().address([0, 0, 0, 0]).start(site).unwrap();
    let fetch = "host_delay_ms = 0\nhost_concurrency = 2\nslow_grace_ms = 600000\nrobots_timeout_ms = 600000\n\
                 timeout_ms = 600000\nidle_timeout_ms = 600000\n";
    let project = live(&[server.url("/")], "", fetch);
    let mut running = Running::start(&project);
    assert!(running.wait_for(1 + PAGES as u64), "the crawl ended before its pages");
    running.kill();
}

/// A robots.txt has patience of its own: where one drips it is given up, while a page that takes longer than that comes whole.
#[test]
fn robots_txt_that_drips_is_given_up_before_a_page_is() {
    let site = |request: &SiteRequest<'_>| -> Answer {
        let drips_robots = request.local.ip().to_string() == "127.1.0.1";
        let head = Step::text("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>");
        match request.path {
            "/robots.txt" if drips_robots => {
                Answer::Script(vec![head, Step::Drip("x".into(), Duration::from_millis(20))])
            }
            "/robots.txt" => Reply::status(404).into(),
            _ => Answer::Script(vec![
                head,
                Step::Wait(Duration::from_millis(3500)),
                Step::text("a page</title>"),
            ]),
        }
    };
    let server = Listen::new().address([0, 0, 0, 0]).start(site).unwrap();
    let seeds: Vec<String> = (0..2).map(|n| slow_url(n, server.addr().port())).collect();
    // what a page may take outlasts the test
    let fetch = "host_delay_ms = 0\nrobots_timeout_ms = 3000\nslow_grace_ms = 600000\ntimeout_ms = 600000\n\
                 idle_timeout_ms = 600000";
    let project = live(&seeds, "max_idle_seconds = 0", fetch);
    let report = project.report(&[]);
    assert_eq!(statuses(&project), [("/1".to_owned(), 200)].into(), "{report}");
    let errors = &project.json("status", &[])["errors"];
    assert!(errors["slow"].is_u64() || errors["timeout"].is_u64(), "{errors}");
}

/// With the usual patience in small: what drips fails as `slow`, is tried again, and given up; the crawl ends by itself.
#[test]
fn what_drips_is_given_up() {
    let server = start(Drip::Pages);
    let seeds: Vec<String> = (0..3).map(|n| slow_url(n, server.addr().port())).collect();
    let fetch = "host_delay_ms = 0\nslow_grace_ms = 200\nmin_bytes_per_second = 1000\nmax_attempts = 2";
    let project = live(&seeds, "", fetch);
    let report = project.report(&[]);
    assert_eq!((report["visited"].as_u64(), report["failed"].as_u64()), (Some(3), Some(3)), "{report}");
    assert_eq!(project.json("status", &[])["errors"]["slow"], 6);
    let notes = project.rows("visits")[0]["notes"].to_string();
    assert!(notes.contains("slow: slower than 1000 bytes a second after 0.2 s"), "{notes}");
}
