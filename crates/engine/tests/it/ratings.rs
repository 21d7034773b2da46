//! Ratings while a crawl runs: from the archive alone, without a lock.

use std::sync::atomic::AtomicBool;

use osprey_engine::{Control, CrawlOptions, Project, RateOptions, Running};

use super::support::{Milestone, quiet, world};

#[test]
fn pages_are_rated_while_a_crawl_runs() {
    let folder = tempfile::tempdir().unwrap();
    let project = world(folder.path(), 400, 60);
    let (milestone, held) = Milestone::at(40);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let crawl = scope.spawn(|| {
            project.crawl(&CrawlOptions::default(), Control { stop: &stop, observer: &milestone }).unwrap()
        });
        held.reached();
        let other = Project::open(folder.path()).unwrap();
        assert!(Running::find(other.layout()).unwrap().is_some());
        let options = RateOptions { suggest: false, limit: 5 };
        let pages = other.pages_to_rate(&options, quiet(&stop)).unwrap();
        assert_eq!(pages.len(), 5);
        other.rate_shown(&pages[0], Some(true)).unwrap();
        other.rate(&[pages[1].url.clone()], false).unwrap();
        let next = other.pages_to_rate(&options, quiet(&stop)).unwrap();
        assert_eq!(next[0].url, pages[2].url);
        held.go_on();
        assert_eq!(crawl.join().unwrap().visited, 60);
    });
    assert_eq!(project.ratings().unwrap().counts(), (1, 1));
    let figures = project.rating_figures().unwrap().unwrap();
    assert_eq!((figures.good, figures.bad, figures.needed), (1, 1, 18));
}
