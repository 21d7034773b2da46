//! Sites with a few hundred pages and an endless trap beside them.

use std::future::{Future, ready};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use osprey_crawl::{Crawl, Inspection, Report, Settings, Standing, StepClock, VisitRow, Watch, run_steps};
use osprey_model::{CanonicalUrl, Exchange, Headers, Request, Response, Scope, ScopeKind, Source, Timestamp};

use crate::site::{settings, steering, url};

const REAL: u64 = 300;
const BUDGET: u64 = 1000;

/// Pages `/real/N` with a text each, and what `trap` answers for other paths: text and links. Every real page links to
/// the next ones and to `entry`.
struct TrapSite {
    entry: fn(u64) -> String,
    trap: fn(&str) -> (String, Vec<String>),
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn letters(seed: &str) -> String {
    let hash = hash(seed);
    (0..8).map(|i| char::from(b'a' + (hash >> (i * 7) & 15) as u8)).collect()
}

fn text(seed: &str, words: usize) -> String {
    (0..words).map(|i| letters(&format!("{}", hash(&format!("{seed} {i}")) % 200)) + " ").collect()
}

impl Source for TrapSite {
    fn fetch(&self, request: Request) -> impl Future<Output = Exchange> + Send {
        let url = request.target.url().clone();
        let path = url.path_and_query();
        let (text, links) = match path.strip_prefix("/real/").and_then(|n| n.parse::<u64>().ok()) {
            Some(n) => {
                let next = (1..=3).map(|k| format!("/real/{}", (n * 3 + k) % REAL));
                (text(path, 60), next.chain([(self.entry)(n)]).collect())
            }
            None => (self.trap)(path),
        };
        let links: String = links.iter().map(|link| format!("<a href='{link}'>next page</a> ")).collect();
        let is_robots = path == "/robots.txt";
        ready(Exchange::Answered(Response {
            url: url.clone(),
            status: if is_robots { 404 } else { 200 },
            headers: Headers::from_iter([("Content-Type", "text/html; charset=utf-8")]),
            body: format!("<title>The site</title><p>{text}</p>{links}").into(),
            fetched_at: Timestamp::from_millis(1000),
            took: Duration::ZERO,
            truncated: false,
            body_end: Default::default(),
            ip: None,
            request_head: Default::default(),
            note: None,
        }))
    }
}

/// Visits to real pages and to others.
#[derive(Default)]
struct Counts {
    real: u64,
    trap: u64,
}

impl Watch for Counts {
    fn visit(&mut self, visit: &VisitRow) {
        let is_real = url("/real/").as_str().len();
        let is_real = visit.url.get(..is_real) == Some(url("/real/").as_str());
        *(if is_real { &mut self.real } else { &mut self.trap }) += 1;
    }
}

fn usual() -> Settings {
    let mut settings = settings(&["/real/0"]);
    settings.budget.pages = Some(BUDGET);
    settings
}

fn crawl(dir: &std::path::Path, site: &TrapSite, settings: Settings) -> (Report, Counts) {
    let (clock, mut counts) = (Arc::new(StepClock::default()), Counts::default());
    let crawl = Crawl::open(dir, settings, steering(None), clock.clone()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let report =
        run_steps(crawl, site, runtime.handle(), &clock, &AtomicBool::new(false), &mut counts).unwrap();
    (report, counts)
}

fn sessions() -> TrapSite {
    TrapSite {
        entry: |n| format!("/s/{}/page", letters(&n.to_string())),
        trap: |path| {
            let page = path.rsplit('/').next().unwrap_or_default();
            let links = (0..10).map(|k| format!("/s/{}/page{k}", letters(&format!("{path}{k}")))).collect();
            (text(page, 60), links)
        },
    }
}

#[track_caller]
fn check(site: &TrapSite, most: u64) {
    let dir = tempfile::tempdir().unwrap();
    let (report, counts) = crawl(dir.path(), site, usual());
    assert_eq!(counts.real, REAL, "real pages; {:?}", report.skipped);
    assert!((1..=most).contains(&counts.trap), "{} visits to the trap; {:?}", counts.trap, report.skipped);
}

#[test]
fn session_ids_in_letters_are_a_trap() {
    check(&sessions(), 120);
    check(
        &TrapSite {
            entry: |n| format!("/p?sess={}&x9", letters(&n.to_string())),
            trap: |path| {
                let page = path.rsplit('x').next().unwrap_or_default().to_owned();
                let link = |k: u32| format!("/p?sess={}&x{k}", letters(&format!("{path}{k}")));
                (text(&page, 60), (0..10).map(link).collect())
            },
        },
        250,
    );
}

#[test]
fn short_texts_are_a_trap() {
    let trap = |path: &str| {
        let link = |k: u32| format!("/x/{}", letters(&format!("{path}{k}")));
        ("Nothing found. Please try another search.".to_owned(), (0..10).map(link).collect())
    };
    check(&TrapSite { entry: |n| format!("/x/{}", letters(&n.to_string())), trap }, 120);
}

#[test]
fn what_is_closed_is_named_and_stays_so_after_a_restart_and_a_person_can_open_it() {
    let (dir, site) = (tempfile::tempdir().unwrap(), sessions());
    let (_, first) = crawl(dir.path(), &site, Settings { budget: budget(600), ..usual() });
    let looked = |settings: &Settings| {
        let stores = Inspection::open(dir.path(), &settings.frontier, Inspection::PATIENCE).unwrap();
        let asked = (0..).map(|n| url(&format!("/s/{}/page3", letters(&format!("{n}n")))));
        let asked =
            asked.into_iter().find(|url: &CanonicalUrl| !url.fingerprint().is_multiple_of(256)).unwrap();
        (stores.closed_patterns().unwrap(), stores.standing(&asked, settings).unwrap())
    };
    let (closed, standing) = looked(&usual());
    assert!(closed.iter().any(|closed| closed.pattern.contains("/s/*")), "{closed:?}");
    let Standing::Refused(_, words) = standing else { panic!("{standing:?}") };
    assert!(words.contains("/s/") && words.contains("crawl.keep"), "{words}");
    // resumed, it knows
    let (_, more) = crawl(dir.path(), &site, usual());
    assert_eq!(first.real + more.real, REAL);
    assert!(first.trap + more.trap <= 120, "{} and {}", first.trap, more.trap);
    let keep = Scope::new(ScopeKind::Any, &[], &["/s/".to_owned()], &[]).unwrap();
    let mut opened = Settings { budget: budget(2000), ..usual() };
    opened.traps.keep = Some(keep);
    let (_, again) = crawl(dir.path(), &site, opened.clone());
    assert!(again.trap > 100, "{} visits to what is kept", again.trap);
    assert!(matches!(looked(&opened).1, Standing::Unknown | Standing::Known(_) | Standing::Visited(_)));
}

fn budget(pages: u64) -> osprey_crawl::Budget {
    osprey_crawl::Budget { pages: Some(pages), ..Default::default() }
}
