//! Kills and power cuts at every place between two writes: what the archive has is not fetched again, and the crawl
//! goes on as if nothing had happened.
//!
//! Archive and frontier only ever grow, so a kill is a copy of both folders, and one between archive and commit is the
//! archive of a moment later beside the frontier of before; a power cut is the same from longer before.

use osprey_crawl::{Budget, Settings};

use crate::site::{Site, copy, everything, left, run, steering, steerings, told};

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
