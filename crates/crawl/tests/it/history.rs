//! What a crawl did, told by its archive alone: the same rows as in the frontier, while it runs and afterwards.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use osprey_archive::{Archive, ArchiveReader, CATALOG, Note, WriterOptions};
use osprey_crawl::{
    Crawl, Cursor, Event, EventKind, History, Inspection, PictureRow, StepClock, VisitRow, Watch, run_steps,
};
use osprey_model::Timestamp;

use crate::site::{crawl, everything, steering, url};

fn rest(history: &mut History) -> (Vec<VisitRow>, Vec<PictureRow>, Vec<EventKind>) {
    let (mut visits, mut pictures, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(event) = history.next_event().unwrap() {
        kinds.push(history.last().unwrap().kind);
        match event {
            Event::Visit(row) => visits.push(*row),
            Event::Picture(row) => pictures.push(*row),
        }
    }
    (visits, pictures, kinds)
}

fn check_same(dir: &Path) {
    let stored = Inspection::open(dir, &Default::default(), Inspection::PATIENCE).unwrap();
    let mut history = History::open(dir, Cursor::default()).unwrap();
    let (visits, pictures, _) = rest(&mut history);
    assert_eq!(visits, stored.visits().map(Result::unwrap).collect::<Vec<_>>());
    assert_eq!(pictures, stored.pictures().map(Result::unwrap).collect::<Vec<_>>());
    assert_eq!((history.problems(), history.untold()), (&[][..], 0));
    for row in visits.iter().filter(|row| row.status != 0) {
        let response = ArchiveReader::new(history.archive_dir()).read(row.archived.unwrap(), None).unwrap();
        assert_eq!((response.url.as_str(), response.body.len() as u64), (row.url.as_str(), row.bytes));
    }
}

#[test]
fn the_archive_tells_every_visit_and_picture() {
    let dir = tempfile::tempdir().unwrap();
    let (site, settings) = everything();
    crawl(dir.path(), &site, settings, None);
    check_same(dir.path());
    let (visits, pictures, kinds) = rest(&mut History::open(dir.path(), Cursor::default()).unwrap());
    assert!(
        visits.len() >= 11 && pictures.len() >= 3,
        "{} visits, {} pictures",
        visits.len(),
        pictures.len()
    );
    use EventKind::{Copy, Failure, Page, Picture, Redirect, Sitemap};
    for kind in [Page, Copy, Redirect, Failure, Picture, Sitemap] {
        assert!(kinds.contains(&kind), "{kind:?} is missing: {kinds:?}");
    }
    std::fs::remove_file(dir.path().join("archive").join(CATALOG)).unwrap();
    check_same(dir.path());
    std::fs::remove_dir_all(dir.path().join("frontier")).unwrap();
    assert_eq!(rest(&mut History::open(dir.path(), Cursor::default()).unwrap()), (visits, pictures, kinds));
}

#[test]
fn revisits_that_find_nothing_new_say_what_they_repeat() {
    let dir = tempfile::tempdir().unwrap();
    let (site, settings) = everything();
    crawl(dir.path(), &site, settings.clone(), None);
    let clock = Arc::new(StepClock::default());
    clock.advance_to(Timestamp::from_millis(1_000_000_000));
    let mut again = Crawl::open(dir.path(), settings, steering(None), clock.clone()).unwrap();
    assert!(again.revisit(Duration::from_secs(1)).unwrap() > 0);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    run_steps(again, &site, runtime.handle(), &clock, &AtomicBool::new(false), &mut ()).unwrap();
    check_same(dir.path());
    let mut history = History::open(dir.path(), Cursor::default()).unwrap();
    let mut unchanged = 0;
    while let Some(event) = history.next_event().unwrap() {
        let info = history.last().unwrap();
        if let (EventKind::Unchanged, Event::Visit(row)) = (info.kind, event) {
            assert!(row.is_unchanged && row.archived.unwrap() < info.answer.unwrap(), "{row:?}");
            unchanged += 1;
        }
    }
    assert!(unchanged > 0);
}

/// Reads the history after every visit, from where it was, by a reader of its own.
struct Following<'a> {
    dir: &'a Path,
    cursor: Cursor,
    visits: u64,
}

impl Watch for Following<'_> {
    fn visit(&mut self, visit: &VisitRow) {
        let cursor = serde_json::from_str(&serde_json::to_string(&self.cursor).unwrap()).unwrap();
        let mut history = History::open(self.dir, cursor).unwrap();
        let (visits, _, _) = rest(&mut history);
        assert_eq!(visits.last(), Some(visit), "the visit that was just committed is the last one told");
        self.visits += visits.len() as u64;
        self.cursor = history.cursor();
    }
}

#[test]
fn a_running_crawl_can_be_followed() {
    let dir = tempfile::tempdir().unwrap();
    let (site, settings) = everything();
    let clock = Arc::new(StepClock::default());
    let crawl = Crawl::open(dir.path(), settings, steering(None), clock.clone()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut watch = Following { dir: dir.path(), cursor: Cursor::default(), visits: 0 };
    assert_eq!(History::open(dir.path(), Cursor::default()).unwrap().next_event().unwrap(), None);
    let report =
        run_steps(crawl, &site, runtime.handle(), &clock, &AtomicBool::new(false), &mut watch).unwrap();
    assert_eq!(watch.visits, report.visited);
}

#[test]
fn what_is_not_understood_is_passed_over_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let (site, settings) = everything();
    crawl(dir.path(), &site, settings, None);
    let expect = rest(&mut History::open(dir.path(), Cursor::default()).unwrap());
    let folder = dir.path().join("archive");
    let mut archive = Archive::open(&folder, &WriterOptions::default(), None).unwrap();
    for metadata in [
        "{\"osprey\":2,\"visit\":\"a new shape\"}",
        "{\"osprey\":1,\"kind\":\"page\",\"visit\":{\"n\":\"one\"}}",
        "{\"osprey\":1,\"kind\":\"robots\",\"robots\":{\"home\":null}}",
        "{}",
        "[1,2]",
    ] {
        let note = Note { url: &url("/x"), date: Timestamp::EPOCH, metadata: metadata.as_bytes() };
        archive.note(&note).unwrap();
    }
    drop(archive);
    for _ in 0..2 {
        let mut history = History::open(dir.path(), Cursor::default()).unwrap();
        assert_eq!(rest(&mut history), expect);
        let reasons: Vec<_> = history.problems().iter().map(ToString::to_string).collect();
        assert_eq!((history.problem_count(), reasons.len()), (4, 4), "{reasons:?}");
        assert!(reasons[0].contains("version 2"), "{reasons:?}");
        let _ = std::fs::remove_file(folder.join(CATALOG));
    }
}

#[test]
fn a_crawl_that_has_not_begun_has_no_history() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = History::open(&dir.path().join("nowhere"), Cursor::default()).unwrap();
    assert_eq!((history.next_event().unwrap(), history.cursor()), (None, Cursor::default()));
}
