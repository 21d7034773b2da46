//! A frontier rebuilt from the archive alone, and projects of before the archive told of visits.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use osprey_archive::{Archive, ArchiveReader, Digest, Entry, LogReader, Position, WriterOptions};
use osprey_crawl::{
    Budget, Crawl, CrawlError, Cursor, Event, History, PictureRow, Restored, Settings, Steering, StepClock,
    VisitRow, complete_archive, restore,
};
use osprey_frontier::{Commit, Frontier, LinkState, Row, Table};
use osprey_model::LinkId;
use serde_json::Value;

use crate::site::{copy, everything, left, run, settings, steering, steerings, told};

/// Number, URL, state, group and own score of every link that is known; those that were dropped count as waiting.
fn links(dir: &Path) -> Vec<(u32, String, LinkState, u64, f32)> {
    let frontier = Frontier::open(&dir.join("frontier"), &Default::default()).unwrap();
    let link = |id: u32| {
        let info = frontier.link(LinkId(id)).unwrap();
        let state = if matches!(info.state, LinkState::Dropped(_)) { LinkState::Waiting } else { info.state };
        (id, info.url.to_string(), state, info.group.0, info.own.get())
    };
    (0..u32::try_from(frontier.known()).unwrap()).map(link).collect()
}

fn restored(dir: &Path, settings: Settings, steering: Steering) -> Restored {
    restore(dir, settings, steering, Arc::new(StepClock::default())).unwrap()
}

fn with_budget(settings: &Settings, pages: u64) -> Settings {
    Settings { budget: Budget { pages: Some(pages), ..Budget::default() }, ..settings.clone() }
}

#[test]
fn a_restored_crawl_goes_on_like_the_one_that_was_lost() {
    for steering in steerings() {
        for pages in [1, 4, 8] {
            let (lost, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let (site, settings) = everything();
            run(kept.path(), &site, with_budget(&settings, pages), steering(), || ());
            copy(&kept.path().join("archive"), &lost.path().join("archive"));
            let clock = Arc::new(StepClock::default());
            let error = Crawl::open(lost.path(), settings.clone(), steering(), clock).err().unwrap();
            assert!(matches!(error, CrawlError::NoFrontier { .. }), "{error}");
            assert!(error.to_string().contains("osprey restore"), "{error}");

            let report = restored(lost.path(), settings.clone(), steering());
            assert_eq!((report.visits, report.inferred, report.damage.count), (pages, 0, 0), "{report:?}");
            assert_eq!((report.robots, report.old_frontier), (1, None));
            assert!(report.unknown.iter().any(|text| text.contains("robots.txt rules")));
            let (before, after) = (left(kept.path()), left(lost.path()));
            assert_eq!((&after.visits, &after.pictures), (&before.visits, &before.pictures));
            assert_eq!(links(lost.path()), links(kept.path()), "after {pages} pages");

            let archived = told(lost.path()).len();
            let (other, _) = everything();
            run(kept.path(), &site, settings.clone(), steering(), || ());
            run(lost.path(), &other, settings, steering(), || ());
            let (before, after) = (left(kept.path()), left(lost.path()));
            assert_eq!(
                (&after.visits, &after.pictures),
                (&before.visits, &before.pictures),
                "after {pages} pages"
            );
            assert_eq!(after.stats, before.stats);
            assert!(told(lost.path()).len() > archived);
            assert_eq!(other.asked("/robots.txt"), 0, "its answer is in the archive");
        }
    }
}

#[test]
fn a_damaged_frontier_is_kept_under_another_name() {
    let dir = tempfile::tempdir().unwrap();
    let (site, settings) = everything();
    run(dir.path(), &site, settings.clone(), steering(None), || ());
    let before = left(dir.path());
    for n in 1..3 {
        fs::write(dir.path().join("frontier/format"), "garbage").unwrap();
        // what an attempt that was killed leaves behind is no obstacle
        fs::create_dir_all(dir.path().join("frontier.new/store")).unwrap();
        let report = restored(dir.path(), settings.clone(), steering(None));
        assert_eq!(report.old_frontier, Some(dir.path().join(format!("frontier.damaged-{n}"))));
        assert_eq!(left(dir.path()).visits, before.visits);
    }
    assert!(dir.path().join("frontier.damaged-1/store").exists());
    let empty = tempfile::tempdir().unwrap();
    let nothing = restore(empty.path(), settings, steering(None), Arc::new(StepClock::default()));
    assert!(matches!(nothing, Err(CrawlError::NoArchive(_))));
}

#[test]
fn a_running_crawl_is_not_restored() {
    let dir = tempfile::tempdir().unwrap();
    let (site, settings) = everything();
    run(dir.path(), &site, settings.clone(), steering(None), || ());
    let clock = Arc::new(StepClock::default());
    let running = Crawl::open(dir.path(), settings.clone(), steering(None), clock.clone()).unwrap();
    let refused = restore(dir.path(), settings, steering(None), clock);
    assert!(matches!(refused, Err(CrawlError::Frontier(_))));
    drop(running);
}

/// The archive of a crawl without what it says of it, as an older version wrote it; calls `moved` with each row and the new
/// place of its answer.
fn strip(from: &Path, to: &Path, mut moved: impl FnMut(Option<Event>, Option<Position>)) {
    let dir = from.join("archive");
    let mut log = LogReader::open(&dir, Cursor::default());
    let mut archive = Archive::open(&to.join("archive"), &WriterOptions::default(), None).unwrap();
    while let Some(entry) = log.next_entry().unwrap() {
        let at = entry.response.map(|at| {
            let response = ArchiveReader::new(&dir).read(at, None).unwrap();
            let digest = Digest::of(&response.body);
            archive
                .write(&Entry { response: &response, digest: &digest, duplicate_of: None, metadata: &[] })
                .unwrap()
        });
        let mut told: serde_json::Value = serde_json::from_slice(&entry.metadata).unwrap();
        let event = match (told["visit"].take(), told["picture"].take()) {
            (row, Value::Null) if row != Value::Null => {
                Some(Event::Visit(serde_json::from_value(row).unwrap()))
            }
            (Value::Null, row) if row != Value::Null => {
                Some(Event::Picture(serde_json::from_value(row).unwrap()))
            }
            _ => None,
        };
        moved(event, at);
    }
    drop(archive);
    fs::remove_file(to.join("archive").join(osprey_archive::CATALOG)).unwrap();
}

#[test]
fn answers_without_a_word_are_made_visits_again() {
    let (whole, bare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (site, settings) = everything();
    run(whole.path(), &site, settings.clone(), steering(None), || ());
    let mut silent = Vec::new();
    strip(whole.path(), bare.path(), |event, at| {
        if let (Some(Event::Visit(row)), None) = (event, at) {
            silent.push(row.url);
        }
    });
    let expect = left(whole.path());
    let report = restored(bare.path(), settings.clone(), steering(None));
    assert_eq!(report.inferred as usize, expect.visits.len() + expect.pictures.len() - silent.len());
    assert!(report.unknown.iter().any(|text| text.contains("not described")), "{:?}", report.unknown);
    let found = left(bare.path());
    let shape = |row: &VisitRow| {
        (row.url.clone(), row.status, row.parent.clone(), row.depth, row.told, row.duplicate_of.clone())
    };
    let expected: Vec<_> = expect.visits.iter().filter(|row| !silent.contains(&row.url)).map(shape).collect();
    assert_eq!(found.visits.iter().map(shape).collect::<Vec<_>>(), expected);
    assert_eq!(found.pictures.len(), expect.pictures.len());
    // from now on it is told, and a second time gives the same without guessing
    assert_eq!(told(bare.path()).len() as u64, report.inferred);
    let again = restored(bare.path(), settings.clone(), steering(None));
    assert_eq!((again.inferred, again.visits), (0, report.visits));
    assert_eq!(left(bare.path()).visits, found.visits);
    // and what was never answered is asked for
    run(bare.path(), &site, settings, steering(None), || ());
    assert_eq!(left(bare.path()).visits.len(), expect.visits.len());
}

/// A project as an older version left it.
fn old_project(dir: &Path) -> (Vec<VisitRow>, Vec<PictureRow>) {
    let whole = tempfile::tempdir().unwrap();
    let (site, settings) = everything();
    run(whole.path(), &site, settings, steering(None), || ());
    copy(&whole.path().join("frontier"), &dir.join("frontier"));
    let (mut visits, mut pictures, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let row = |table, key: Vec<u8>, value: Option<Vec<u8>>| Row {
        table,
        key: key.into(),
        value: value.map(Into::into),
    };
    strip(whole.path(), dir, |event, at| match event {
        Some(Event::Visit(mut visit)) => {
            visit.archived = at;
            rows.push(row(
                Table::Visits,
                VisitRow::key(visit.n).to_vec(),
                Some(serde_json::to_vec(&visit).unwrap()),
            ));
            visits.push(*visit);
        }
        Some(Event::Picture(mut picture)) => {
            picture.archived = at;
            let key = [&b"picture/"[..], &picture.n.to_be_bytes()].concat();
            rows.push(row(Table::Meta, key, Some(serde_json::to_vec(&picture).unwrap())));
            pictures.push(*picture);
        }
        None => {}
    });
    rows.push(row(Table::Meta, b"format".to_vec(), None));
    rows.push(row(Table::Meta, b"archived".to_vec(), None));
    let mut frontier = Frontier::open(&dir.join("frontier"), &Default::default()).unwrap();
    frontier.commit(&Commit { rows, ..Commit::default() }).unwrap();
    frontier.close().unwrap();
    (visits, pictures)
}

fn told_rows(dir: &Path) -> (Vec<VisitRow>, Vec<PictureRow>) {
    let mut history = History::open(dir, Cursor::default()).unwrap();
    let (mut visits, mut pictures) = (Vec::new(), Vec::new());
    while let Some(event) = history.next_event().unwrap() {
        match event {
            Event::Visit(row) => visits.push(*row),
            Event::Picture(row) => pictures.push(*row),
        }
    }
    assert_eq!(history.problem_count(), 0, "{:?}", history.problems());
    (visits, pictures)
}

#[test]
fn an_old_project_tells_its_archive_once() {
    let dir = tempfile::tempdir().unwrap();
    let expect = old_project(dir.path());
    assert_eq!(told_rows(dir.path()), (Vec::new(), Vec::new()));
    let before = tempfile::tempdir().unwrap();
    copy(dir.path(), before.path());
    let complete = |dir: &Path| {
        complete_archive(dir, &Default::default(), &WriterOptions::default(), Duration::ZERO).unwrap()
    };
    let count = (expect.0.len() + expect.1.len()) as u64;
    assert_eq!((complete(dir.path()), complete(dir.path())), (count, 0));
    assert_eq!(told_rows(dir.path()), expect);

    // killed anywhere in between
    let file = "archive/osprey-00000.warc.gz";
    let (short, whole) =
        (fs::metadata(before.path().join(file)).unwrap().len(), fs::read(dir.path().join(file)).unwrap());
    for length in (usize::try_from(short).unwrap()..whole.len()).step_by(1361) {
        let killed = tempfile::tempdir().unwrap();
        copy(before.path(), killed.path());
        fs::write(killed.path().join(file), &whole[..length]).unwrap();
        complete(killed.path());
        assert_eq!(told_rows(killed.path()), expect, "killed at {length}");
    }

    // opening the crawl does the same, and the rows stay as they are
    let (_, settings) = everything();
    let clock = Arc::new(StepClock::default());
    drop(Crawl::open(before.path(), settings.clone(), steering(None), clock).unwrap());
    assert_eq!(told_rows(before.path()), expect);
    assert_eq!(left(before.path()).visits, expect.0);
    fs::remove_dir_all(before.path().join("frontier")).unwrap();
    let report = restored(before.path(), settings, steering(None));
    assert_eq!((report.inferred, left(before.path()).visits), (0, expect.0));
}

#[test]
fn rows_of_a_newer_version_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(StepClock::default());
    drop(Crawl::open(dir.path(), settings(&["/"]), steering(None), clock.clone()).unwrap());
    let mut frontier = Frontier::open(&dir.path().join("frontier"), &Default::default()).unwrap();
    let newer = Row { table: Table::Meta, key: b"format".into(), value: Some(vec![99].into()) };
    frontier.commit(&Commit { rows: vec![newer], ..Commit::default() }).unwrap();
    frontier.close().unwrap();
    let error = Crawl::open(dir.path(), settings(&["/"]), steering(None), clock).err().unwrap();
    assert!(matches!(error, CrawlError::Format { found: 99, .. }), "{error}");
}
