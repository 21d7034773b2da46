//! How a crawl treats hosts that struggle, on a clock that costs nothing: a second of backoff, an hour of patience.

use std::time::Duration;

use osprey_crawl::{Settings, Stop};
use osprey_model::{Scope, ScopeKind};

use crate::site::{Answer, Site, crawl_politely, html, settings, trail, visits};

/// Anywhere, a second between requests to a host and to an address.
fn anywhere(seeds: &[&str]) -> Settings {
    let mut settings = settings(seeds);
    settings.scope = Scope::new(ScopeKind::Any, &settings.seeds, &[], &[]).unwrap();
    settings.frontier.host_delay = seconds(1);
    settings.frontier.ip_delay = seconds(1);
    settings
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn every_request_keeps_its_distance_robots_and_its_redirects_included() {
    let site = Site::default()
        .with("/robots.txt", Answer::Redirect("/real.txt"))
        .with("/real.txt", Answer::Html("User-agent: *\nCrawl-delay: 10\n".to_owned()))
        .page("/", &["/a", "/b"])
        .page("/a", &[])
        .page("/b", &[]);
    let dir = tempfile::tempdir().unwrap();
    let mut settings = settings(&["/"]);
    settings.frontier.host_delay = seconds(2);
    let (report, took) = crawl_politely(dir.path(), &site, settings);
    assert_eq!(report.visited, 3);
    // robots.txt at 0, its target at 2, then ten seconds before each page, and a millisecond for each rounding
    assert_eq!(took, seconds(2 + 3 * 10) + Duration::from_millis(4));
}

#[test]
fn a_host_that_was_silent_for_a_while_is_not_lost() {
    let site = Site::default()
        .with("/robots.txt", Answer::Busy(3, 500, None, "User-agent: *\nDisallow: /no".to_owned()))
        .page("/", &["/a", "/no"])
        .page("/a", &[]);
    let dir = tempfile::tempdir().unwrap();
    let (report, took) = crawl_politely(dir.path(), &site, settings(&["/"]));
    assert_eq!((report.visited, site.asked("/robots.txt")), (2, 4));
    assert_eq!(report.skipped.get("robots"), Some(&1));
    // twelve backoffs of silence after each of three failures
    assert!(took >= seconds(36) && took < seconds(60), "{took:?}");
}

#[test]
fn retry_after_counts_in_seconds_and_in_dates() {
    for (value, least, most) in [("90", 90, 100), ("Thu, 01 Jan 1970 00:02:00 GMT", 119, 130)] {
        let site = Site::default()
            .page("/", &["/busy"])
            .with("/busy", Answer::Busy(1, 429, Some(value), html("at last", &[])));
        let dir = tempfile::tempdir().unwrap();
        let (report, took) = crawl_politely(dir.path(), &site, settings(&["/"]));
        assert_eq!((report.visited, report.failed), (2, 0));
        assert!(took >= seconds(least) && took <= seconds(most), "{value}: {took:?}");
    }
}

/// Twelve failures in a row and it is left alone for a day: the crawl ends, and what waits there stays.
#[test]
fn a_dead_host_rests_longer_and_longer_and_keeps_its_links() {
    let seeds: Vec<String> = (0..40).map(|n| format!("/{n}")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let mut site = Site::default();
    for seed in &seeds {
        site = site.with(seed, Answer::Timeout(u32::MAX, String::new()));
    }
    let dir = tempfile::tempdir().unwrap();
    let (report, took) = crawl_politely(dir.path(), &site, settings(&seeds));
    assert_eq!(report.stopped_by, Stop::Empty);
    let asked: u32 = seeds.iter().map(|seed| site.asked(seed)).sum();
    assert_eq!(asked, 12);
    // 6 backoffs and doubling, up to 720: 6 + 12 + 24 + 48 + 96 + 192 + 384 + 720 + 720
    assert!(took >= seconds(2202) && took < seconds(2400), "{took:?}");
    assert!(report.frontier >= 36, "{}", report.frontier);
    let notice = report.notices.join("; ");
    assert!(
        notice.contains("1 host backing off") && notice.contains("run the same command later"),
        "{notice}"
    );
}

#[test]
fn a_host_that_recovers_is_crawled_to_its_end() {
    let site = Site::default()
        .page("/", &["/1", "/2", "/3"])
        .with("/1", Answer::Timeout(2, html("one", &[])))
        .with("/2", Answer::Busy(2, 502, None, html("two", &[])))
        .with("/3", Answer::Busy(6, 503, None, html("three", &["/4"])))
        .page("/4", &[]);
    let dir = tempfile::tempdir().unwrap();
    let (report, _) = crawl_politely(dir.path(), &site, settings(&["/"]));
    assert_eq!((report.visited, report.failed), (5, 0), "{:?}", trail(dir.path()));
    assert_eq!(site.asked("/3"), 7, "a busy host's link gets more attempts than a broken one's");
    assert!(visits(dir.path()).iter().all(|visit| visit.status == 200));
}

/// The usual case of `example.org` and `www.example.org`: one address, and one of them has the other's robots.txt.
#[test]
fn robots_may_lie_at_another_host_of_the_same_address() {
    let mut site = Site::default()
        .page("/", &["http://www.a.example/x", "/y"])
        .page("/y", &[])
        .with("http://www.a.example/robots.txt", Answer::Redirect("http://a.example/robots.txt"))
        .page("http://www.a.example/x", &[]);
    site.shares_address = true;
    let dir = tempfile::tempdir().unwrap();
    let (report, took) = crawl_politely(dir.path(), &site, anywhere(&["/"]));
    assert_eq!((report.visited, report.failed), (3, 0), "{:?}", trail(dir.path()));
    // six requests to one address: robots.txt twice, its redirect, three pages
    assert!(took >= seconds(5) && took < seconds(8), "{took:?}");
}

#[test]
fn robots_that_lead_to_each_other_end() {
    for shares_address in [false, true] {
        let mut site = Site::default()
            .with("/robots.txt", Answer::Redirect("http://b.example/robots.txt"))
            .with("http://b.example/robots.txt", Answer::Redirect("http://a.example/robots.txt"))
            .page("/", &[])
            .page("http://b.example/", &[]);
        site.shares_address = shares_address;
        let dir = tempfile::tempdir().unwrap();
        let (report, took) = crawl_politely(dir.path(), &site, anywhere(&["/", "http://b.example/"]));
        assert_eq!((report.visited, report.stopped_by), (2, Stop::Empty), "too many redirects: no rules");
        assert!(took < seconds(30), "{took:?}");
    }
}

#[test]
fn a_hundred_robots_at_one_strange_host_keep_their_distance() {
    let seeds: Vec<String> = (0..100).map(|n| format!("http://h{n}.example/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let mut site = Site::default();
    for seed in &seeds {
        site = site.page(seed, &[]);
        site = site.with(&format!("{seed}robots.txt"), Answer::Redirect("http://parking.example/robots.txt"));
    }
    let dir = tempfile::tempdir().unwrap();
    let (report, took) = crawl_politely(dir.path(), &site, anywhere(&seeds));
    assert_eq!((report.visited, site.asked("http://parking.example/robots.txt")), (100, 100));
    assert!(took >= seconds(99) && took < seconds(110), "{took:?}");
}

#[test]
fn a_name_that_is_gone_is_given_up_in_minutes_not_hours() {
    let site = Site::default()
        .page("/", &["http://gone.example/1", "http://gone.example/2"])
        .with("http://gone.example/robots.txt", Answer::Timeout(u32::MAX, String::new()));
    let dir = tempfile::tempdir().unwrap();
    let (report, took) = crawl_politely(dir.path(), &site, anywhere(&["/"]));
    assert_eq!((report.visited, report.stopped_by, report.frontier), (1, Stop::Empty, 0));
    assert_eq!(report.skipped.get("robots-unreachable"), Some(&2));
    assert_eq!(site.asked("http://gone.example/robots.txt"), 3);
    assert!(took < seconds(120), "{took:?}");
}

/// One old `https` link on a site that speaks only `http` must not silence the site.
#[test]
fn a_dead_origin_does_not_stop_its_host() {
    let pages: Vec<String> = (0..30).map(|n| format!("/{n}")).collect();
    let mut links: Vec<&str> = pages.iter().map(String::as_str).collect();
    links.insert(0, "https://a.example/old");
    let mut site = Site::default()
        .page("/", &links)
        .with("https://a.example/robots.txt", Answer::Timeout(u32::MAX, String::new()));
    for page in &pages {
        site = site.page(page, &[]);
    }
    let dir = tempfile::tempdir().unwrap();
    let (report, took) = crawl_politely(dir.path(), &site, anywhere(&["/"]));
    assert_eq!((report.visited, report.failed), (31, 0), "{:?}", trail(dir.path()));
    assert_eq!(report.skipped.get("robots-unreachable"), Some(&1));
    assert!(took < seconds(120), "{took:?}");
}
