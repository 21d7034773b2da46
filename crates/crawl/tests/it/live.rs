//! The live loop: the same visits as in steps, in whatever order; budgets and stops hold with many in flight.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use osprey_crawl::{Crawl, Stop, SystemClock, run_live};
use osprey_model::{Exchange, Request, Source};

use crate::site::{Answer, Site, crawl, crawl_live, html, settings, steering, trail};

/// 300 pages, a few of them dead, slow or moved.
fn site() -> Site {
    let mut site =
        Site::default().with("/robots.txt", Answer::Html("User-agent: *\nDisallow: /p13\n".to_owned()));
    for page in 0..300_u32 {
        let links: Vec<String> = (1..=7).map(|i| format!("/p{}", (page * 37 + i * 17) % 310)).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let path = format!("/p{page}");
        site = match page % 50 {
            49 => site.with(&path, Answer::Redirect("/p1")),
            48 => site.with(&path, Answer::Status(404)),
            _ => site.with(&path, Answer::Html(html(&path, &links))),
        };
    }
    site.page("/", &["/p0", "/p100"])
}

#[test]
fn live_and_stepwise_crawls_visit_the_same() {
    let steps = tempfile::tempdir().unwrap();
    crawl(steps.path(), &site(), settings(&["/"]), None);
    let live = tempfile::tempdir().unwrap();
    let mut settings = settings(&["/"]);
    settings.frontier.host_concurrency = 8;
    let source = Arc::new(site());
    let report = crawl_live(live.path(), &source, settings, &AtomicBool::new(false));
    assert_eq!(report.stopped_by, Stop::Empty);
    let set = |dir: &tempfile::TempDir| trail(dir.path()).into_iter().collect::<BTreeSet<_>>();
    assert!(set(&steps).len() > 200, "{}", set(&steps).len());
    assert_eq!(set(&live), set(&steps));
    assert!(source.asked.lock().unwrap().values().all(|times| *times == 1), "something was asked for twice");
}

/// A bug in a source must neither stop nor hang a crawl.
struct Panics;

impl Source for Panics {
    async fn fetch(&self, request: Request) -> Exchange {
        panic!("no answer to {}", request.target.url())
    }
}

#[test]
fn a_source_that_panics_is_a_failed_visit() {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = settings(&["/"]);
    settings.obey_robots = false;
    let crawl = Crawl::open(dir.path(), settings, steering(None), Arc::new(SystemClock::default())).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let report =
        run_live(crawl, &Arc::new(Panics), runtime.handle(), &AtomicBool::new(false), &mut ()).unwrap();
    assert_eq!((report.visited, report.failed, report.stopped_by), (1, 1, Stop::Empty));
}

#[test]
fn a_page_budget_is_exact_with_many_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = settings(&["/"]);
    settings.frontier.host_concurrency = 8;
    settings.budget.pages = Some(50);
    let report = crawl_live(dir.path(), &Arc::new(site()), settings, &AtomicBool::new(false));
    assert_eq!((report.visited, report.stopped_by), (50, Stop::Budget));
    assert_eq!(trail(dir.path()).len(), 50);
}

#[test]
fn a_stop_drains_and_the_next_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let source = Arc::new(site());
    let report = crawl_live(dir.path(), &source, settings(&["/"]), &AtomicBool::new(true));
    assert_eq!((report.visited, report.stopped_by), (0, Stop::Interrupt));
    let report = crawl_live(dir.path(), &source, settings(&["/"]), &AtomicBool::new(false));
    assert_eq!(report.stopped_by, Stop::Empty);
    assert!(report.visited > 200, "{}", report.visited);
}
