//! The loop in steps, on small sites that misbehave in one way each.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use osprey_crawl::{Crawl, Steering, StepClock, Stop, run_steps};
use osprey_model::{GroupId, LinkScore};
use osprey_steer::{Judge, Known, LinkFacts, Placing, Policy, PolicyKind, RestoreError, Subject, Visit};

use crate::site::{Answer, Site, crawl, html, settings, trail, visits};

fn check(site: Site, expect: &[(&str, u16)]) -> (tempfile::TempDir, osprey_crawl::Report) {
    let dir = tempfile::tempdir().unwrap();
    let report = crawl(dir.path(), &site, settings(&["/"]), None);
    let expect: Vec<(String, u16)> =
        expect.iter().map(|(path, status)| ((*path).to_owned(), *status)).collect();
    assert_eq!(trail(dir.path()), expect);
    assert_eq!(report.stopped_by, Stop::Empty);
    (dir, report)
}

#[test]
fn first_found_first_fetched() {
    let site = Site::default()
        .page("/", &["/b", "/a", "/b"])
        .page("/a", &["/c"])
        .page("/b", &["/d", "/a"])
        .page("/c", &[]);
    check(site, &[("/", 200), ("/b", 200), ("/a", 200), ("/d", 404), ("/c", 200)]);
}

#[test]
fn redirects_go_back_through_the_frontier_and_the_scope() {
    let site = Site::default()
        .page("/", &["/old", "/out", "/loop1", "/bad"])
        .with("/old", Answer::Redirect("/new"))
        .with("/out", Answer::Redirect("http://b.example/"))
        .with("/loop1", Answer::Redirect("/loop2"))
        .with("/loop2", Answer::Redirect("/loop1"))
        .with("/bad", Answer::Redirect("http://[/"))
        .page("/new", &[]);
    let (dir, report) = check(
        site,
        &[
            ("/", 200),
            ("/old", 301),
            ("/out", 301),
            ("/loop1", 301),
            ("/bad", 301),
            ("/new", 200),
            ("/loop2", 301),
        ],
    );
    assert_eq!((report.skipped.get("scope"), report.skipped.get("invalid")), (Some(&1), Some(&1)));
    let visits = visits(dir.path());
    assert_eq!(visits[1].final_url, "http://a.example/new");
    assert_eq!((visits[5].parent.as_deref(), visits[5].depth), (Some("http://a.example/old"), 1));
}

#[test]
fn a_chain_of_redirects_ends() {
    let chain = ["/1", "/2", "/3", "/4", "/5", "/6", "/7"];
    let site = chain.windows(2).fold(Site::default().with("/", Answer::Redirect("/1")), |site, pair| {
        site.with(pair[0], Answer::Redirect(pair[1]))
    });
    let dir = tempfile::tempdir().unwrap();
    let report = crawl(dir.path(), &site, settings(&["/"]), None);
    assert_eq!(trail(dir.path()).len(), 6, "the seed and five redirects");
    assert_eq!(report.skipped.get("redirects"), Some(&1));
}

#[test]
fn silence_is_tried_again_and_given_up_at_last() {
    let site = Site::default()
        .page("/", &["/slow", "/dead"])
        .with("/slow", Answer::Timeout(2, html("slow", &[])))
        .with("/dead", Answer::Timeout(99, String::new()));
    let dir = tempfile::tempdir().unwrap();
    let report = crawl(dir.path(), &site, settings(&["/"]), None);
    assert_eq!((site.asked("/slow"), site.asked("/dead")), (3, 3));
    let visits = visits(dir.path());
    let find = |path: &str| visits.iter().find(|visit| visit.url.ends_with(path)).unwrap();
    assert_eq!(find("/slow").status, 200);
    assert_eq!((find("/dead").status, find("/dead").notes[0].as_str()), (0, "timeout: no answer in 1 s"));
    assert_eq!(report.failed, 1);
}

#[test]
fn a_busy_server_is_asked_again() {
    let site = Site::default().page("/", &["/busy"]).with("/busy", Answer::Status(503));
    let dir = tempfile::tempdir().unwrap();
    crawl(dir.path(), &site, settings(&["/"]), None);
    assert_eq!(site.asked("/busy"), 3);
    assert_eq!(trail(dir.path()).last(), Some(&("/busy".to_owned(), 503)));
}

#[test]
fn robots_rules_hold_and_are_fetched_once() {
    let site = Site::default()
        .with("/robots.txt", Answer::Html("User-agent: osprey\nDisallow: /no\n".to_owned()))
        .page("/", &["/yes", "/no", "/no/more"])
        .page("/yes", &[])
        .page("/no", &[]);
    let dir = tempfile::tempdir().unwrap();
    let report = crawl(dir.path(), &site, settings(&["/"]), None);
    assert_eq!((site.asked("/robots.txt"), site.asked("/no"), site.asked("/yes")), (1, 0, 1));
    assert_eq!(report.skipped.get("robots"), Some(&2));
    // the rules are remembered over a restart
    crawl(dir.path(), &site, settings(&["/", "/no/again"]), None);
    assert_eq!((site.asked("/robots.txt"), site.asked("/no/again")), (1, 0));
}

#[test]
fn a_host_whose_robots_cannot_be_read_is_left_alone() {
    let site = Site::default().with("/robots.txt", Answer::Status(500)).page("/", &["/a"]);
    let dir = tempfile::tempdir().unwrap();
    let report = crawl(dir.path(), &site, settings(&["/"]), None);
    assert_eq!((report.visited, site.asked("/")), (0, 0));
    assert_eq!(report.skipped.get("robots-unreachable"), Some(&1), "named in the report");
    assert_eq!(site.asked("/robots.txt"), 1, "a recording will not say anything else later");
}

#[test]
fn robots_may_be_redirected() {
    let site = Site::default()
        .with("/robots.txt", Answer::Redirect("/real-robots.txt"))
        .with("/real-robots.txt", Answer::Html("User-agent: *\nDisallow: /\n".to_owned()))
        .page("/", &[]);
    let dir = tempfile::tempdir().unwrap();
    let report = crawl(dir.path(), &site, settings(&["/"]), None);
    assert_eq!((report.visited, report.skipped.get("robots")), (0, Some(&1)));
}

#[test]
fn nofollow_pages_end_there() {
    let page = format!("<meta name=robots content='noindex, nofollow'>{}", html("x", &["/a"]));
    let site = Site::default().with("/", Answer::Html(page)).page("/a", &[]);
    let (_dir, report) = check(site, &[("/", 200)]);
    assert_eq!(report.skipped.get("nofollow"), Some(&1));
}

#[test]
fn a_calendar_without_end_ends() {
    let quiet =
        "Nothing happens in the harbour this month, the boats are ashore and the birds are in the south. "
            .repeat(4);
    let mut site = Site::default().page("/", &["/cal/0"]);
    for month in 0..500 {
        let page = format!("<title>Month</title><p>{quiet}</p><a href=/cal/{}>next</a>", month + 1);
        site = site.with(&format!("/cal/{month}"), Answer::Html(page));
    }
    let dir = tempfile::tempdir().unwrap();
    let report = crawl(dir.path(), &site, settings(&["/"]), None);
    // every month shows the same, so that the number of the month is learned to change nothing
    assert!((10..80).contains(&report.visited), "{} visits", report.visited);
    assert!(report.skipped.contains_key("trap"));
}

/// Parks the links of the front page until it has seen `/key`.
struct Parking;

impl Policy for Parking {
    fn name(&self) -> &'static str {
        "parking"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let parked = GroupId(7);
        for (i, link) in visit.page.links().iter().enumerate() {
            let group = if link.url.path() == "/key" { GroupId::ALL } else { parked };
            placing.add(i, group, LinkScore::ONE, &[]);
        }
        match visit.page.url().path() {
            "/" => placing.park(parked),
            "/key" => placing.factor(parked, 0.5),
            _ => {}
        }
    }

    fn explain(&self, _link: &LinkFacts<'_>) -> String {
        String::new()
    }

    fn snapshot(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _snapshot: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }
}

#[test]
fn parked_groups_wait_for_their_factor() {
    let dir = tempfile::tempdir().unwrap();
    let site =
        Site::default().page("/", &["/a", "/b", "/key"]).page("/key", &[]).page("/a", &[]).page("/b", &[]);
    crawl(dir.path(), &site, settings(&["/"]), Some(Box::new(Parking)));
    let order: Vec<String> = trail(dir.path()).into_iter().map(|(path, _)| path).collect();
    assert_eq!(order, ["/", "/key", "/a", "/b"]);
    assert_eq!(visits(dir.path())[2].score, 0.5);

    let dir = tempfile::tempdir().unwrap();
    let site = Site::default().page("/", &["/a", "/b"]);
    let report = crawl(dir.path(), &site, settings(&["/"]), Some(Box::new(Parking)));
    assert_eq!((report.visited, report.frontier, report.stopped_by), (1, 2, Stop::Empty));
    assert!(
        report.notices.iter().any(|notice| notice.contains("2 links stay parked")),
        "{:?}",
        report.notices
    );
}

#[test]
fn another_policy_releases_what_the_last_one_parked() {
    let dir = tempfile::tempdir().unwrap();
    let site = Site::default().page("/", &["/a", "/b"]).page("/a", &[]).page("/b", &[]);
    let report = crawl(dir.path(), &site, settings(&["/"]), Some(Box::new(Parking)));
    assert_eq!((report.visited, report.frontier), (1, 2));
    let clock = Arc::new(StepClock::default());
    let policy = PolicyKind::default().build(&Subject::default(), &Known::default()).unwrap();
    let other = Steering::new(policy, Judge::NONE, None, "another".to_owned());
    let next = Crawl::open(dir.path(), settings(&["/"]), other, clock.clone()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let report = run_steps(next, &site, runtime.handle(), &clock, &AtomicBool::new(false), &mut ()).unwrap();
    assert_eq!((report.visited, report.frontier), (3, 0), "{:?}", report.notices);
}

#[test]
fn bytes_and_pages_bound_a_crawl() {
    let site =
        || Site::default().page("/", &["/a", "/b", "/c"]).page("/a", &[]).page("/b", &[]).page("/c", &[]);
    let run = |change: fn(&mut osprey_crawl::Budget)| {
        let dir = tempfile::tempdir().unwrap();
        let mut settings = settings(&["/"]);
        change(&mut settings.budget);
        let report = crawl(dir.path(), &site(), settings, None);
        (report.visited, report.stopped_by)
    };
    assert_eq!(run(|budget| budget.pages = Some(2)), (2, Stop::Budget));
    assert_eq!(run(|budget| budget.pages = Some(0)), (0, Stop::Budget));
    assert_eq!(run(|budget| budget.bytes = Some(150)), (2, Stop::Budget));
    assert_eq!(run(|budget| budget.time = Some(std::time::Duration::ZERO)), (0, Stop::Budget));
    assert_eq!(run(|budget| budget.depth = Some(0)), (1, Stop::Empty));
}
