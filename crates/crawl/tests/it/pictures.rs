//! Pictures of pages: fetched before other pages, with the same politeness, under a budget of their own, and no visits.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use osprey_crawl::{Inspection, PictureRow, PictureRules, PicturesOf, Settings, Stop};

use crate::site;
use crate::site::{Answer, Site, crawl, crawl_live, crawl_politely, settings, trail, url};

fn with_pictures(change: impl FnOnce(&mut PictureRules)) -> Settings {
    let mut settings = settings(&["/"]);
    settings.pictures = PictureRules { of: PicturesOf::Pages, ..PictureRules::default() };
    change(&mut settings.pictures);
    settings
}

fn gallery(pictures: &[&str], links: &[&str]) -> Answer {
    let pictures: String = pictures.iter().map(|picture| format!("<img src='{picture}'>")).collect();
    Answer::Html(format!("{}{pictures}", site::html(&format!("with {}", pictures.len()), links)))
}

/// Two pages with a picture each, one of them on another host and elsewhere by now.
fn site() -> Site {
    Site::default()
        .with("/", gallery(&["/one.jpg", "/gone.jpg"], &["/a", "/b"]))
        .with("/a", gallery(&["http://cdn.example/two.jpg", "/one.jpg"], &[]))
        .page("/b", &[])
        .with("/one.jpg", Answer::Html("picture 1".to_owned()))
        .with("http://cdn.example/two.jpg", Answer::Redirect("http://cdn.example/moved/two.jpg"))
        .with("http://cdn.example/moved/two.jpg", Answer::Html("picture 1".to_owned()))
}

fn pictures(dir: &Path) -> Vec<PictureRow> {
    let crawl = Inspection::open(dir, &Default::default(), Inspection::PATIENCE).unwrap();
    crawl.pictures().map(Result::unwrap).collect()
}

fn names(dir: &Path) -> Vec<(String, u16)> {
    let name = |url: &str| url.rsplit('/').next().unwrap_or_default().to_owned();
    pictures(dir).iter().map(|row| (name(&row.url), row.status)).collect()
}

fn expected(rows: &[(&str, u16)]) -> Vec<(String, u16)> {
    rows.iter().map(|(name, status)| ((*name).to_owned(), *status)).collect()
}

#[test]
fn pictures_are_fetched_archived_and_no_visits() {
    let dir = tempfile::tempdir().unwrap();
    let report = crawl(dir.path(), &site(), with_pictures(|_| {}), None);
    assert_eq!(trail(dir.path()), expected(&[("/", 200), ("/a", 200), ("/b", 200)]));
    let all = [("one.jpg", 200), ("gone.jpg", 404), ("two.jpg", 301), ("two.jpg", 200)];
    assert_eq!(names(dir.path()), expected(&all));
    assert_eq!((report.visited, report.pictures, report.stopped_by), (3, 3, Stop::Empty));

    let crawl = Inspection::open(dir.path(), &Default::default(), Inspection::PATIENCE).unwrap();
    let two = crawl.picture(&url("http://cdn.example/two.jpg")).unwrap().unwrap();
    assert_eq!(two.url, "http://cdn.example/moved/two.jpg");
    assert_eq!(two.page.as_deref(), Some("http://a.example/a"));
    // the same bytes under another URL are stored once, and found under both
    assert_eq!(two.duplicate_of.as_deref(), Some("http://a.example/one.jpg"));
    assert_eq!(&crawl.archived(two.archived.unwrap()).unwrap().body[..], b"picture 1");
    assert_eq!(crawl.picture(&url("/gone.jpg")).unwrap(), None);
    assert_eq!(crawl.picture(&url("/never.jpg")).unwrap(), None);
}

#[test]
fn a_budget_for_pages_leaves_their_pictures_to_be_fetched() {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = with_pictures(|_| {});
    settings.budget.pages = Some(1);
    let report = crawl(dir.path(), &site(), settings.clone(), None);
    assert_eq!((report.visited, report.stopped_by), (1, Stop::Budget));
    assert_eq!(names(dir.path()), expected(&[("one.jpg", 200), ("gone.jpg", 404)]));
    // and a second run, which has nothing to do, does nothing
    let again = crawl(dir.path(), &site(), settings, None);
    assert_eq!((again.this_run, again.pictures, again.stopped_by), (0, 1, Stop::Budget));
}

#[test]
fn the_last_pictures_are_fetched_at_the_pace_of_their_host() {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = with_pictures(|_| {});
    settings.budget.pages = Some(2);
    settings.frontier.host_delay = Duration::from_secs(5);
    let (report, time) = crawl_politely(dir.path(), &site(), settings);
    assert_eq!((report.visited, report.stopped_by), (2, Stop::Budget));
    assert_eq!(pictures(dir.path()).len(), 4);
    // robots.txt, page, two pictures, page at one host
    assert!(time >= Duration::from_secs(20), "{time:?}");
}

#[test]
fn pictures_have_a_budget_of_their_own() {
    let check = |change: fn(&mut PictureRules), expect: &[(&str, u16)], refused: u64| {
        let dir = tempfile::tempdir().unwrap();
        let report = crawl(dir.path(), &site(), with_pictures(change), None);
        assert_eq!(report.visited, 3);
        assert_eq!(names(dir.path()), expected(expect));
        assert_eq!(report.skipped.get("picture-budget").copied().unwrap_or(0), refused);
    };
    let two = ("two.jpg", 301);
    check(|rules| rules.budget = Some(1), &[("one.jpg", 200)], 3);
    check(|rules| rules.per_page = 1, &[("one.jpg", 200), two, ("two.jpg", 200)], 0);
    check(|rules| rules.budget_bytes = Some(5), &[("one.jpg", 200), ("gone.jpg", 404)], 2);
    // nothing was learned of the site, so there are no records
    check(|rules| rules.of = PicturesOf::Records, &[], 0);
    check(|rules| rules.of = PicturesOf::None, &[], 0);
}

#[test]
fn robots_rules_and_denied_places_hold_for_pictures() {
    let dir = tempfile::tempdir().unwrap();
    let robots = "User-agent: *\nDisallow: /moved/";
    let site = site().with("http://cdn.example/robots.txt", Answer::Html(robots.to_owned()));
    let mut settings = with_pictures(|_| {});
    let deny = ["/one\\.jpg$".to_owned()];
    settings.scope =
        osprey_model::Scope::new(osprey_model::ScopeKind::Host, &settings.seeds, &[], &deny).unwrap();
    let report = crawl(dir.path(), &site, settings, None);
    assert_eq!(names(dir.path()), expected(&[("gone.jpg", 404), ("two.jpg", 301)]));
    assert_eq!((report.skipped["robots"], report.skipped["scope"]), (1, 2));
    assert_eq!(report.stopped_by, Stop::Empty);
}

#[test]
fn a_live_crawl_fetches_the_same_pictures() {
    let dir = tempfile::tempdir().unwrap();
    let report = crawl_live(dir.path(), &Arc::new(site()), with_pictures(|_| {}), &AtomicBool::new(false));
    let mut found = names(dir.path());
    found.sort();
    let all = [("gone.jpg", 404), ("one.jpg", 200), ("two.jpg", 200), ("two.jpg", 301)];
    assert_eq!(found, expected(&all));
    assert_eq!((report.visited, report.pictures), (3, 3));
}
