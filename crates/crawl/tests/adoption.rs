//! Kills and power cuts at every place between two writes: what the archive has is not fetched again, and the crawl
//! goes on as if nothing had happened.
//!
//! Archive and frontier only ever grow, so a kill is a copy of both folders, and one between archive and commit is the
//! archive of a moment later beside the frontier of before; a power cut is the same from longer before.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod site;

use std::path::Path;
use std::sync::Arc;

use osprey_crawl::{
    Budget, Crawl, Cursor, Event, History, Inspection, Next, Outcome, PictureRow, Settings, Steering,
    StepClock, Tally, VisitRow, understand,
};
use osprey_model::{Exchange, Request, Source};
use osprey_steer::{Judge, JudgeKind, Known, PolicyKind, Subject};
use site::{Site, everything, steering};

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What a crawl leaves behind.
#[derive(Debug, PartialEq)]
struct Left {
    visits: Vec<VisitRow>,
    pictures: Vec<PictureRow>,
    tally: Tally,
    policy: (String, u64, Vec<u8>),
    stats: (u64, u64, u64, u64),
}

fn left(dir: &Path) -> Left {
    let crawl = Inspection::open(dir, &Default::default(), Inspection::PATIENCE).unwrap();
    let stats = crawl.stats();
    Left {
        visits: crawl.visits().map(Result::unwrap).collect(),
        pictures: crawl.pictures().map(Result::unwrap).collect(),
        tally: Tally { active_ms: 0, ..crawl.tally().unwrap() },
        policy: crawl.policy_snapshot().unwrap(),
        stats: (stats.known, stats.waiting, stats.done, stats.failed),
    }
}

/// The URLs that an archive tells of.
fn told(dir: &Path) -> Vec<String> {
    let mut history = History::open(dir, Cursor::default()).unwrap();
    let mut urls = Vec::new();
    while let Some(event) = history.next_event().unwrap() {
        urls.push(match event {
            Event::Visit(row) => row.url,
            Event::Picture(row) => row.url,
        });
    }
    urls
}

/// A policy that learns from every page, and one that does not.
fn steerings() -> [fn() -> Steering; 2] {
    let learning = || {
        let subject = Subject { tags: vec!["tern".to_owned()], ..Subject::default() };
        let kind: PolicyKind = serde_json::from_str("{\"kind\":\"best-first\"}").unwrap();
        let judge = Judge::new(&JudgeKind::default(), &subject, &Known::default()).unwrap();
        let policy = kind.build(&subject, &Known::default()).unwrap();
        Steering { policy, judge, site: None, identity: "learning".to_owned() }
    };
    [|| steering(None), learning]
}

/// Crawls to the end, looking on after every step.
fn run(dir: &Path, site: &Site, settings: Settings, steering: Steering, mut each: impl FnMut()) {
    let clock = Arc::new(StepClock::default());
    let mut crawl = Crawl::open(dir, settings, steering, clock.clone()).unwrap();
    let reader = crawl.reader();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let stop = loop {
        match crawl.next_step().unwrap() {
            Next::Fetch(task) => {
                let outcome = match runtime.block_on(site.fetch(task.request())) {
                    Exchange::Failed(failure) => Outcome::Failed(failure),
                    Exchange::Answered(response) => {
                        Outcome::Answered(Box::new(understand(response, task.expects(), &reader)))
                    }
                };
                crawl.absorb(*task, outcome).unwrap();
            }
            Next::Robots(task) => {
                let exchange = runtime.block_on(site.fetch(Request::new(task.target.clone())));
                crawl.absorb_robots(&task, exchange).unwrap();
            }
            Next::Locate(host) => crawl.absorb_address(&host, None),
            Next::Skipped => {}
            Next::Wait(until) => clock.advance_to(until),
            Next::Busy => panic!("nothing is in flight between two steps"),
            Next::Stop(stop) => break stop,
        }
        each();
    };
    crawl.finish(stop).unwrap();
}

#[test]
fn whatever_the_archive_is_ahead_by_is_adopted() {
    for steering in steerings() {
        let whole = tempfile::tempdir().unwrap();
        let moments = tempfile::tempdir().unwrap();
        let (site, settings) = everything();
        let mut count = 0;
        let moment = |n: usize| moments.path().join(n.to_string());
        run(whole.path(), &site, settings.clone(), steering(), || {
            copy(whole.path(), &moment(count));
            count += 1;
        });
        let expect = left(whole.path());
        assert!(expect.visits.len() > 10 && expect.pictures.len() > 2 && count > 15);
        // a kill at every place, power cuts at some
        for (ahead, step) in [(1, 1), (7, 5)] {
            for n in (0..count - ahead).step_by(step) {
                let folder = tempfile::tempdir().unwrap();
                copy(&moment(n).join("frontier"), &folder.path().join("frontier"));
                copy(&moment(n + ahead).join("archive"), &folder.path().join("archive"));
                let (site, settings) = everything();
                run(folder.path(), &site, settings, steering(), || ());
                let found = left(folder.path());
                let place = format!("{ahead} steps ahead of {n}");
                assert_eq!(found.visits, expect.visits, "{place}");
                assert_eq!(found.pictures, expect.pictures, "{place}");
                assert_eq!(found.policy, expect.policy, "{place}");
                assert_eq!(found.stats, expect.stats, "{place}");
                if ahead <= 1 {
                    assert_eq!(found.tally, expect.tally, "{place}");
                }
                for url in told(&moment(n + ahead)) {
                    let asked = site.asked.lock().unwrap().get(&url).copied();
                    assert_eq!(asked, None, "{url} was fetched again, {place}");
                }
            }
        }
    }
}

#[test]
fn nothing_is_fetched_twice() {
    let whole = tempfile::tempdir().unwrap();
    let (site, settings) = everything();
    let settings = Settings { budget: Budget { pages: Some(6), ..Budget::default() }, ..settings };
    run(whole.path(), &site, settings.clone(), steering(None), || ());
    let first = left(whole.path());
    // the frontier of the very beginning beside the archive of six visits
    let folder = tempfile::tempdir().unwrap();
    let none = Settings { budget: Budget { pages: Some(0), ..Budget::default() }, ..settings.clone() };
    run(folder.path(), &site, none.clone(), steering(None), || ());
    std::fs::remove_dir_all(folder.path().join("archive")).unwrap();
    copy(&whole.path().join("archive"), &folder.path().join("archive"));
    let nobody = Site::default();
    run(folder.path(), &nobody, none, steering(None), || ());
    assert_eq!(nobody.asked.lock().unwrap().len(), 0);
    let found = left(folder.path());
    assert_eq!((found.visits, found.stats), (first.visits, first.stats));
    let count = told(folder.path()).len() as u64;
    assert_eq!(count, first.tally.visited + first.tally.pictures.fetched, "nothing is told twice either");
}
