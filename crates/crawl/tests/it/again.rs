//! A start that failed is tried again, requests have a budget, and revisits one of their own.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use osprey_crawl::{
    Budget, Crawl, Inspection, PictureRules, PicturesOf, Report, RevisitOutcome, Settings, StepClock, Stop,
    run_steps,
};
use osprey_model::Timestamp;

use crate::site::{Answer, Site, html, settings, steering, trail, url, visits};

const DAY: u64 = 24 * 60 * 60;

/// A live crawl at a moment, on a clock that is stepped; `revisit` is the age from which on pages are fetched again.
fn run(dir: &Path, site: &Site, settings: Settings, second: u64, revisit: Option<u64>) -> Report {
    let clock = Arc::new(StepClock::default());
    clock.advance_to(Timestamp::from_millis(second as i64 * 1000));
    site.seconds.store(second as i64, Ordering::Relaxed);
    let settings = Settings { is_live: true, start_patience: Duration::from_secs(30), ..settings };
    let mut crawl = Crawl::open(dir, settings, steering(None), clock.clone()).unwrap();
    if let Some(age) = revisit {
        crawl.revisit(Duration::from_secs(age)).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    run_steps(crawl, site, runtime.handle(), &clock, &AtomicBool::new(false), &mut ()).unwrap()
}

/// What two runs make of a site whose start is bad at first and good later.
fn mended(bad: Site, good: Site, settings: &Settings, expect: &str) {
    let dir = tempfile::tempdir().unwrap();
    let first = run(dir.path(), &bad, settings.clone(), 0, None);
    assert!(first.is_dead_start(), "{first:?}");
    assert_eq!((first.why_stopped(), first.start_failures.len()), ("the start failed", 1));
    let text = first.start_failures[0].to_string();
    assert!(text.starts_with("http://a.example/") && text.contains(expect), "{text}");
    // at once, and all of it
    let second = run(dir.path(), &good, settings.clone(), 1, None);
    assert!(!second.is_dead_start() && second.start_failures.is_empty(), "{second:?}");
    assert_eq!((second.has_page, second.stopped_by, second.frontier), (true, Stop::Empty, 0));
    let (last, status) = trail(dir.path()).pop().unwrap();
    assert!(last.ends_with("/a") && status == 200, "{last}");
    assert_eq!(second.revisits.pages, 0, "the second try is the first visit");
}

#[test]
fn a_start_that_failed_is_tried_again_at_once() {
    let good = || Site::default().page("/", &["/a"]).page("/a", &[]);
    let slow = Settings { backoff: Duration::from_secs(5), max_attempts: 3, ..settings(&["/"]) };
    let down = || Answer::Timeout(u32::MAX, String::new());
    mended(good().with("/robots.txt", down()), good(), &slow, "its robots.txt could not be fetched");
    mended(
        good().with("/robots.txt", Answer::Status(500)),
        good(),
        &slow,
        "could not be fetched (status 500)",
    );
    mended(good().with("/", Answer::Status(404)), good(), &slow, "check the address in `crawl.seeds`");
    mended(good().with("/", Answer::Status(403)), good(), &slow, "the site refuses it");
    mended(good().with("/", Answer::Status(500)), good(), &slow, "run the same command again when it is up");
    mended(good().with("/", down()), good(), &slow, "run the same command again when it is up");
    // where a budget is for one page, a failure has not used it up for ever
    let two = Settings { budget: Budget { pages: Some(2), ..Budget::default() }, ..slow.clone() };
    let dir = tempfile::tempdir().unwrap();
    let bad = good().with("/", Answer::Redirect("/b")).with("/b", Answer::Status(404));
    assert!(run(dir.path(), &bad, two.clone(), 0, None).is_dead_start());
    let good = good().with("/", Answer::Redirect("/b")).page("/b", &["/c"]).page("/c", &[]);
    let second = run(dir.path(), &good, two, 1, None);
    assert!(second.has_page && second.stopped_by == Stop::Budget, "{second:?}");
}

#[test]
fn skipped_links_and_the_remedy_are_reported_only_at_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let site = Site::default()
        .with("/robots.txt", Answer::Html("User-agent: *\nDisallow: /no".to_owned()))
        .page("/", &["/a", "/no", "http://b.example/"])
        .page("/a", &[]);
    let report = run(dir.path(), &site, settings(&["/"]), 0, None);
    assert_eq!(report.why_stopped(), "nothing is left to fetch");
    let ways = report.ways_on().join("\n");
    assert!(ways.contains("scope 1: outside the scope; widen `crawl.scope`"), "{ways}");
    assert!(ways.contains("robots 1: forbidden by robots.txt"), "{ways}");
    let waiting = Report { frontier: 3, ..report.clone() };
    assert_eq!(waiting.why_stopped(), "nothing more can be fetched for now");
    let budget = Report { stopped_by: Stop::Budget, ..report };
    assert!(budget.ways_on().is_empty());
}

#[test]
fn a_crawl_ends_when_its_requests_are_used_up() {
    let links: Vec<String> = (0..50).map(|n| format!("/dead/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let site = Site::default().page("/", &links);
    let dir = tempfile::tempdir().unwrap();
    let budget = Budget { requests: Some(20), ..Budget::default() };
    let report = run(dir.path(), &site, Settings { budget, ..settings(&["/"]) }, 0, None);
    assert_eq!((report.requests, report.stopped_by), (20, Stop::Budget));
    let asked: u32 = site.asked.lock().unwrap().values().sum();
    assert_eq!(asked, 20, "robots.txt and failures count");
    // and goes on with more
    let budget = Budget { requests: Some(25), ..Budget::default() };
    let report = run(dir.path(), &site, Settings { budget, ..settings(&["/"]) }, 1, None);
    assert_eq!((report.requests, report.visited), (25, 24));
}

/// A site whose pages say what they are told; `/gone` is away.
fn versions(a: &str, b: &str) -> Site {
    Site::default()
        .page("/", &["/a", "/b", "/gone"])
        .with("/a", Answer::Html(html(a, &[])))
        .with("/b", Answer::Html(html(b, &["/new"])))
        .page("/new", &[])
}

#[test]
fn revisits_have_a_budget_of_their_own_and_the_most_outdated_go_first() {
    let dir = tempfile::tempdir().unwrap();
    let budget = |revisits| Budget { pages: Some(5), revisits: Some(revisits), ..Budget::default() };
    let settings = |revisits| Settings { budget: budget(revisits), ..settings(&["/"]) };
    let first = run(dir.path(), &versions("a1", "b1"), settings(10), 0, None);
    assert_eq!((first.visited, first.failed, first.revisits.pages), (5, 1, 0));
    // all are looked at again; the budget for pages is used up, and does not matter
    let second = run(dir.path(), &versions("a2", "b1"), settings(10), 10 * DAY, Some(DAY));
    assert_eq!(
        (second.visited, second.failed, second.relevant),
        (first.visited, first.failed, first.relevant)
    );
    let revisits = &second.revisits;
    assert_eq!((revisits.pages, revisits.changed, revisits.failed, revisits.waiting()), (5, 1, 1, 0));
    // `/a` has changed once: its copy is the most out of date
    let third = run(dir.path(), &versions("a3", "b1"), settings(1), 20 * DAY, Some(DAY));
    assert_eq!((third.revisits.pages, third.revisits.changed, third.visited), (6, 2, 5));
    let last = visits(dir.path()).pop().unwrap();
    assert_eq!(
        (last.url.as_str(), last.n, last.is_revisit, last.is_unchanged),
        ("http://a.example/a", 11, true, false)
    );
    // what is not old enough is left alone
    let fourth = run(dir.path(), &versions("a3", "b1"), settings(10), 20 * DAY + 60, Some(11 * DAY));
    assert_eq!(fourth.revisits.pages, 6);
    let inspection = Inspection::open(dir.path(), &settings(1).frontier, Inspection::PATIENCE).unwrap();
    let revisits = inspection.revisits(&url("/a")).unwrap().unwrap();
    assert_eq!((revisits.times, revisits.changes, revisits.last), (2, 2, RevisitOutcome::Changed));
    assert!(revisits.last_at >= Timestamp::from_millis(20 * DAY as i64 * 1000));
    let gone = inspection.revisits(&url("/gone")).unwrap().unwrap();
    assert_eq!((gone.times, gone.changes, gone.last), (1, 0, RevisitOutcome::Failed));
    assert!(inspection.revisits(&url("/nowhere")).unwrap().is_none());
}

#[test]
fn new_links_of_a_changed_page_are_found_and_count_as_new() {
    let dir = tempfile::tempdir().unwrap();
    let before = Site::default().page("/", &["/a"]).page("/a", &[]);
    let after = Site::default().page("/", &["/a", "/b"]).page("/a", &[]).page("/b", &[]);
    run(dir.path(), &before, settings(&["/"]), 0, None);
    let report = run(dir.path(), &after, settings(&["/"]), DAY, Some(60));
    assert_eq!((report.visited, report.revisits.pages, report.revisits.changed), (3, 2, 1));
    // a restored frontier counts the same
    let tally =
        Inspection::open(dir.path(), &settings(&["/"]).frontier, Inspection::PATIENCE).unwrap().tally();
    std::fs::remove_dir_all(dir.path().join("frontier")).unwrap();
    let restored =
        osprey_crawl::restore(dir.path(), settings(&["/"]), steering(None), Arc::new(StepClock::default()))
            .unwrap();
    assert_eq!(restored.visits, 5);
    let again =
        Inspection::open(dir.path(), &settings(&["/"]).frontier, Inspection::PATIENCE).unwrap().tally();
    let (tally, again) = (tally.unwrap(), again.unwrap());
    assert_eq!((again.visited, again.revisits), (tally.visited, tally.revisits));
}

#[test]
fn pictures_are_revisited_too() {
    let dir = tempfile::tempdir().unwrap();
    let site = |picture: &str| {
        Site::default()
            .with("/", Answer::Html("<p>two pictures</p><img src=/one.png><img src=/two.png>".to_owned()))
            .with("/one.png", Answer::Html("the first".to_owned()))
            .with("/two.png", Answer::Html(picture.to_owned()))
    };
    let pictures = PictureRules { of: PicturesOf::Pages, relevant_only: false, ..PictureRules::default() };
    let settings = || Settings { pictures: pictures.clone(), ..settings(&["/"]) };
    let first = run(dir.path(), &site("the second"), settings(), 0, None);
    assert_eq!((first.visited, first.pictures), (1, 2));
    let second = run(dir.path(), &site("another one"), settings(), 400 * DAY, Some(DAY));
    let revisits = &second.revisits;
    assert_eq!((second.visited, second.pictures, revisits.pages, revisits.pictures), (1, 2, 1, 2));
    assert_eq!((revisits.changed, revisits.failed, revisits.waiting()), (1, 0, 0));
    let inspection = Inspection::open(dir.path(), &settings().frontier, Inspection::PATIENCE).unwrap();
    let rows: Vec<_> = inspection.pictures().map(Result::unwrap).collect();
    let told: Vec<_> = rows.iter().map(|row| (row.n, row.is_revisit, row.is_unchanged)).collect();
    assert_eq!(told.iter().filter(|(_, is_revisit, _)| *is_revisit).count(), 2);
    assert_eq!(told.iter().filter(|(.., is_unchanged)| *is_unchanged).count(), 1);
    assert_eq!(rows.iter().map(|row| row.n).collect::<Vec<_>>(), [1, 2, 3, 4]);
    // what the picture is now is the last full answer
    let now = inspection.picture(&url("/two.png")).unwrap().unwrap();
    assert!(now.n > 2 && now.digest != rows[1].digest, "{now:?}");
}
