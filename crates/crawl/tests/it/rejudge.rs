//! A want that changes: verdicts, counts, places of links and the policy are those of a crawl that had it from the start.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use osprey_crawl::{
    Budget, Crawl, CrawlError, Inspection, PastWant, Rejudged, Rejudging, Settings, Steering, StepClock,
    Verdicts, restore,
};
use osprey_frontier::Frontier;
use osprey_model::{LinkId, Timestamp};
use osprey_steer::{JudgeKind, Known, Plan, PolicyKind, Subject};

use crate::site::{Answer, Site, copy, left, run, settings, visits};

/// Policies that go by the words of pages, by steps on the way, and by nothing.
const POLICIES: [&str; 4] = ["best-first", "shark-search", "fcmrps", "breadth-first"];

/// Pages in a tree with other links across; some are about terns, some about gulls, more or less.
fn birds(pages: usize) -> Site {
    (0..pages).fold(Site::default(), |site, n| {
        let name = if n == 0 { "/".to_owned() } else { format!("/p/{n}") };
        let links = [2 * n + 1, 2 * n + 2, n * 7 % pages, n * 13 % pages];
        let links: String = links
            .iter()
            .filter(|to| **to > 0 && **to < pages)
            .map(|to| format!("<a href=/p/{to}>{} {to}</a> ", if to % 3 == 0 { "tern" } else { "more" }))
            .collect();
        let filler: String = (0..40).map(|word| format!("w{n}x{word} ")).collect();
        let terns = "tern ".repeat(if n % 3 == 0 { n % 5 + 1 } else { 0 });
        let gulls = "gull ".repeat(if n % 4 == 1 { n % 7 + 1 } else { 0 });
        site.with(&name, Answer::Html(format!("<title>Page {n}</title><p>{filler}{terns}{gulls}</p>{links}")))
    })
}

fn wanting(policy: &str, tag: &str) -> Steering {
    let policy = PolicyKind::named(policy).unwrap();
    let subject = Subject { tags: vec![tag.to_owned()], ..Subject::default() };
    Steering::of(&Plan { policy, subject }, &JudgeKind::Tags { threshold: 0.0 }, &Known::default()).unwrap()
}

fn budget(pages: u64) -> Settings {
    Settings { budget: Budget { pages: Some(pages), ..Budget::default() }, ..settings(&["/"]) }
}

/// Opens a crawl, which judges everything again if it has to, and goes no further.
fn open(dir: &Path, steering: Steering, always: bool) -> Option<Rejudged> {
    open_until(dir, steering, always, u64::MAX).unwrap().rejudged().cloned()
}

/// The same, stopped after so many visits.
fn open_until(dir: &Path, steering: Steering, always: bool, most: u64) -> Result<Crawl, CrawlError> {
    let mut each = |done, _| done < most;
    let how = Rejudging { always, now: Timestamp::from_millis(5_000), each: &mut each };
    Crawl::open_rejudging(dir, budget(1), steering, Arc::new(StepClock::default()), how)
}

/// URL, group, own score and priority of every link, by number.
fn links(dir: &Path) -> Vec<(String, bool, u64, f32, Option<f32>)> {
    let frontier = Frontier::open(&dir.join("frontier"), &Default::default()).unwrap();
    let link = |id: u32| {
        let info = frontier.link(LinkId(id)).unwrap();
        let waits = frontier.place(LinkId(id)).is_some();
        (info.url.to_string(), waits, info.group.0, info.own.get(), info.priority)
    };
    (0..u32::try_from(frontier.known()).unwrap()).map(link).collect()
}

/// Those that wait; what a link that was fetched was worth then is not changed.
fn waiting(dir: &Path) -> Vec<(String, bool, u64, f32, Option<f32>)> {
    links(dir).into_iter().filter(|link| link.1).collect()
}

fn past(dir: &Path) -> Vec<PastWant> {
    Inspection::open(dir, &Default::default(), Inspection::PATIENCE).unwrap().past_wants().unwrap()
}

#[test]
fn waiting_links_stand_where_they_would_with_the_want_from_the_start() {
    for policy in POLICIES {
        let (changed, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let site = birds(120);
        run(changed.path(), &site, budget(25), wanting(policy, "tern"), || ());
        let before = left(changed.path());
        // the same visits, told to a policy that had the want all along
        copy(&changed.path().join("archive"), &fresh.path().join("archive"));
        let clock = Arc::new(StepClock::default());
        restore(fresh.path(), budget(25), wanting(policy, "gull"), clock).unwrap();
        open(fresh.path(), wanting(policy, "gull"), true).unwrap();

        let rejudged = open(changed.path(), wanting(policy, "gull"), false).unwrap();
        assert!(rejudged.is_new_want && rejudged.pages == 25 && rejudged.changed > 0, "{rejudged:?}");
        assert_eq!(rejudged.rescored > 0, policy != "breadth-first", "{policy}: {rejudged:?}");
        let (after, other) = (left(changed.path()), left(fresh.path()));
        let verdicts = |left: &crate::site::Left| -> Vec<_> {
            left.visits.iter().map(|row| (row.n, row.url.clone(), row.relevance, row.relevant)).collect()
        };
        assert_eq!(verdicts(&after), verdicts(&other), "{policy}");
        assert_ne!(verdicts(&after), verdicts(&before), "{policy}");
        let relevant = after.visits.iter().filter(|row| row.relevant).count() as u64;
        assert_eq!((after.tally.relevant, rejudged.relevant), (relevant, relevant), "{policy}");
        assert_eq!(rejudged.relevant_before, before.tally.relevant, "{policy}");
        assert_eq!(after.tally.skipped, before.tally.skipped, "{policy}");
        assert_eq!(waiting(changed.path()), waiting(fresh.path()), "{policy}");
        let [past] = &past(changed.path())[..] else { panic!("{policy}: one want of before") };
        assert_eq!((past.visited, past.relevant), (25, before.tally.relevant), "{policy}");
        assert_eq!(past.until, Timestamp::from_millis(5_000));

        run(changed.path(), &site, budget(60), wanting(policy, "gull"), || ());
        run(fresh.path(), &birds(120), budget(60), wanting(policy, "gull"), || ());
        assert_eq!(verdicts(&left(changed.path())), verdicts(&left(fresh.path())), "{policy}");
    }
}

#[test]
fn a_breadth_first_crawl_is_the_same_as_a_fresh_one() {
    let (changed, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(changed.path(), &birds(1500), budget(1000), wanting("breadth-first", "tern"), || ());
    run(fresh.path(), &birds(1500), budget(1000), wanting("breadth-first", "gull"), || ());
    assert_ne!(visits(changed.path()), visits(fresh.path()));
    let rejudged = open(changed.path(), wanting("breadth-first", "gull"), false).unwrap();
    assert_eq!((rejudged.pages, rejudged.visited, rejudged.rescored), (1000, 1000, 0));
    let (after, expect) = (left(changed.path()), left(fresh.path()));
    for (mut after, expect) in after.visits.into_iter().zip(expect.visits) {
        after.archived = expect.archived; // what the archive says of verdicts is as long as they are
        assert_eq!(after, expect);
    }
    assert_eq!(after.tally, expect.tally);
    assert_eq!(links(changed.path()), links(fresh.path()));
}

#[test]
fn judging_again_twice_changes_nothing_and_the_same_want_is_not_judged_again() {
    for policy in POLICIES {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), &birds(120), budget(40), wanting(policy, "tern"), || ());
        let (before, places) = (left(dir.path()), links(dir.path()));
        assert_eq!(open(dir.path(), wanting(policy, "tern"), false), None, "{policy}");
        let same = open(dir.path(), wanting(policy, "tern"), true).unwrap();
        assert_eq!((same.is_new_want, same.changed, same.rescored, same.found), (false, 0, 0, 0), "{policy}");
        assert_eq!(left(dir.path()), before, "{policy}");
        assert_eq!(links(dir.path()), places, "{policy}");
        open(dir.path(), wanting(policy, "gull"), false).unwrap();
        let (once, places) = (left(dir.path()), links(dir.path()));
        let twice = open(dir.path(), wanting(policy, "gull"), true).unwrap();
        assert_eq!((twice.changed, twice.rescored, twice.found), (0, 0, 0), "{policy}");
        assert_eq!((left(dir.path()), links(dir.path())), (once, places), "{policy}");
        assert_eq!(past(dir.path()).len(), 1, "{policy}");
    }
}

#[test]
fn what_is_interrupted_starts_over() {
    for policy in ["best-first", "breadth-first"] {
        let start = tempfile::tempdir().unwrap();
        run(start.path(), &birds(400), budget(200), wanting(policy, "tern"), || ());
        let whole = tempfile::tempdir().unwrap();
        copy(start.path(), whole.path());
        open(whole.path(), wanting(policy, "gull"), false).unwrap();
        for most in [1, 100, 190, 200] {
            let torn = tempfile::tempdir().unwrap();
            copy(start.path(), torn.path());
            let stopped = open_until(torn.path(), wanting(policy, "gull"), false, most);
            assert!(matches!(stopped, Err(CrawlError::Stopped)), "{policy}");
            let back = tempfile::tempdir().unwrap();
            copy(torn.path(), back.path());

            open(torn.path(), wanting(policy, "gull"), false).unwrap();
            assert_eq!(left(torn.path()), left(whole.path()), "{policy}, {most}");
            assert_eq!(waiting(torn.path()), waiting(whole.path()), "{policy}, {most}");
            assert_eq!(past(torn.path()), past(whole.path()), "{policy}, {most}");

            // the want of before is wanted again
            assert!(!open(back.path(), wanting(policy, "tern"), false).unwrap().is_new_want);
            assert_eq!(left(back.path()), left(start.path()), "{policy}, {most}");
            assert_eq!(waiting(back.path()), waiting(start.path()), "{policy}, {most}");
            assert_eq!(past(back.path()), []);
        }
    }
}

#[test]
fn a_restored_frontier_has_the_newest_verdicts_and_without_the_file_those_of_then() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &birds(60), budget(30), wanting("best-first", "tern"), || ());
    let then = left(dir.path());
    open(dir.path(), wanting("best-first", "gull"), false).unwrap();
    let now = left(dir.path());
    let again = || {
        std::fs::remove_dir_all(dir.path().join("frontier")).unwrap();
        let clock = Arc::new(StepClock::default());
        restore(dir.path(), budget(30), wanting("best-first", "gull"), clock).unwrap();
        left(dir.path())
    };
    let restored = again();
    assert_eq!((&restored.visits, restored.tally.relevant), (&now.visits, now.tally.relevant));
    assert_eq!(open(dir.path(), wanting("best-first", "gull"), false), None, "it is the want of the file");
    std::fs::remove_file(dir.path().join("verdicts")).unwrap();
    let restored = again();
    assert_eq!((&restored.visits, restored.tally.relevant), (&then.visits, then.tally.relevant));
}

#[test]
fn a_project_that_does_not_know_its_want_takes_todays() {
    let dir = tempfile::tempdir().unwrap();
    let policy = || PolicyKind::named("best-first").unwrap().build(&birdless(), &Known::default()).unwrap();
    let old = Steering::new(policy(), osprey_steer::Judge::NONE, None, "old".to_owned());
    run(dir.path(), &birds(30), budget(10), old, || ());
    assert_eq!(open(dir.path(), wanting("best-first", "tern"), false), None);
    assert!(open(dir.path(), wanting("best-first", "gull"), false).is_some());
    assert!(Verdicts::read(dir.path()).unwrap().of_visit(1).is_some());
}

fn birdless() -> Subject {
    Subject { tags: vec!["bird".to_owned()], ..Subject::default() }
}

#[test]
fn a_damaged_record_is_skipped_and_named() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &birds(60), budget(30), wanting("best-first", "tern"), || ());
    let before = visits(dir.path());
    let at = before[9].archived.unwrap();
    let mut files: Vec<_> =
        std::fs::read_dir(dir.path().join("archive")).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().contains(".warc"));
    let mut file = OpenOptions::new().write(true).open(&files[0]).unwrap();
    file.seek(SeekFrom::Start(at.offset + at.length / 2)).unwrap();
    file.write_all(&[0xff; 16]).unwrap();
    let crawl = open_until(dir.path(), wanting("best-first", "gull"), false, u64::MAX).unwrap();
    let rejudged = crawl.rejudged().unwrap();
    assert_eq!((rejudged.pages, rejudged.unread, crawl.damage().count), (29, 1, 1), "{:?}", crawl.damage());
    drop(crawl);
    let after = visits(dir.path());
    assert_eq!(after[9], before[9]);
    assert!(after.iter().zip(&before).filter(|(after, before)| after != before).count() > 10);
}
