//! A small Web in memory, with faults, and crawls of it.

use std::collections::{BTreeMap, HashMap};
use std::future::{Future, ready};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use osprey_crawl::{
    Budget, Crawl, Cursor, Event, History, Inspection, Next, Outcome, PictureRow, PictureRules, PicturesOf,
    Report, Settings, Steering, StepClock, SystemClock, Tally, TrapRules, VisitRow, parse_response, run_live,
    run_steps,
};
use osprey_model::{
    CanonicalUrl, Clock, Exchange, FailureKind, FetchFailure, Headers, HostKey, Request, Response, Scope,
    ScopeKind, Source, Timestamp, UrlRules,
};
use osprey_page::PageRules;
use osprey_steer::{Judge, JudgeKind, Known, Policy, PolicyKind, Subject};

pub(crate) fn url(path: &str) -> CanonicalUrl {
    let text = if path.starts_with("http") { path.to_owned() } else { format!("http://a.example{path}") };
    CanonicalUrl::parse(&text, &UrlRules::default()).unwrap()
}

/// What a URL answers.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Html(String),
    Redirect(&'static str),
    Status(u16),
    /// No answer so many times, then the page.
    Timeout(u32, String),
    /// This status with `Retry-After`, so many times, then the page.
    Busy(u32, u16, Option<&'static str>, String),
}

/// Answers by URL; everything else is a 404. Requests are counted.
#[derive(Default)]
pub(crate) struct Site {
    answers: HashMap<String, Answer>,
    /// Whether all hosts are at one address; else they have none.
    pub(crate) shares_address: bool,
    pub(crate) asked: Mutex<BTreeMap<String, u32>>,
    /// Seconds after the first second at which it answers.
    pub(crate) seconds: AtomicI64,
}

impl Site {
    pub(crate) fn with(mut self, path: &str, answer: Answer) -> Self {
        self.answers.insert(url(path).to_string(), answer);
        self
    }

    /// A page with these links.
    pub(crate) fn page(self, path: &str, links: &[&str]) -> Self {
        let html = html(path, links);
        self.with(path, Answer::Html(html))
    }

    pub(crate) fn asked(&self, path: &str) -> u32 {
        self.asked.lock().unwrap().get(url(path).as_str()).copied().unwrap_or(0)
    }
}

pub(crate) fn html(title: &str, links: &[&str]) -> String {
    let links: String = links.iter().map(|link| format!("<a href='{link}'>{link}</a> ")).collect();
    format!("<!doctype html><title>{title}</title><p>This is {title}.</p>{links}")
}

impl Source for Site {
    fn locate(&self, _host: &HostKey) -> impl Future<Output = Option<IpAddr>> + Send {
        ready(self.shares_address.then_some(IpAddr::from([192, 0, 2, 1])))
    }

    fn fetch(&self, request: Request) -> impl Future<Output = Exchange> + Send {
        let url = request.target.url().clone();
        let times = {
            let mut asked = self.asked.lock().unwrap();
            let times = asked.entry(url.to_string()).or_default();
            *times += 1;
            *times
        };
        let at = Timestamp::from_millis(1_000 + 1_000 * self.seconds.load(Ordering::Relaxed));
        let answer = |status, headers: Headers, body: String| {
            let (url, took, body) = (url.clone(), Duration::ZERO, body.into());
            let (truncated, ip, request_head, note) = (false, None, Default::default(), None);
            Exchange::Answered(Response {
                url,
                status,
                headers,
                body,
                fetched_at: at,
                took,
                truncated,
                body_end: Default::default(),
                ip,
                request_head,
                note,
            })
        };
        let html = || Headers::from_iter([("Content-Type", "text/html; charset=utf-8")]);
        ready(match self.answers.get(url.as_str()) {
            Some(Answer::Html(body)) => answer(200, html(), body.clone()),
            Some(Answer::Busy(n, status, retry_after, _)) if times <= *n => {
                let lines = retry_after.map(|value| ("Retry-After", value));
                answer(*status, Headers::from_iter(lines), String::new())
            }
            Some(Answer::Busy(.., body)) => answer(200, html(), body.clone()),
            Some(Answer::Timeout(n, body)) if times > *n => answer(200, html(), body.clone()),
            Some(Answer::Timeout(..)) => {
                let (kind, message) = (FailureKind::Timeout, "no answer in 1 s".to_owned());
                Exchange::Failed(FetchFailure { url: url.clone(), kind, message, at })
            }
            Some(Answer::Redirect(to)) => answer(301, Headers::from_iter([("Location", *to)]), String::new()),
            Some(Answer::Status(status)) => answer(*status, html(), "<p>sorry</p>".to_owned()),
            None => answer(404, html(), "<p>not here</p>".to_owned()),
        })
    }
}

pub(crate) fn settings(seeds: &[&str]) -> Settings {
    let seeds: Vec<_> = seeds.iter().map(|seed| url(seed)).collect();
    let frontier = osprey_frontier::Options { host_delay: Duration::ZERO, ..Default::default() };
    Settings {
        scope: Scope::new(ScopeKind::Host, &seeds, &[], &[]).unwrap(),
        seeds,
        budget: Budget::default(),
        pictures: PictureRules::none(),
        page_rules: PageRules::default(),
        agent: "osprey/0.1".to_owned(),
        obey_robots: true,
        obey_nofollow: false,
        max_redirects: 5,
        max_attempts: 3,
        backoff: Duration::from_secs(1),
        is_live: false,
        max_idle: Duration::from_secs(3600),
        stop_below: None,
        look_at: None,
        start_patience: Duration::MAX,
        sitemaps: true,
        traps: TrapRules::default(),
        snapshot_every: 10,
        concurrency: 8,
        page_workers: 2,
        frontier,
        archive: osprey_archive::WriterOptions::default(),
    }
}

pub(crate) fn steering(policy: Option<Box<dyn Policy>>) -> Steering {
    let usual = || PolicyKind::default().build(&Subject::default(), &Known::default()).unwrap();
    let policy = policy.unwrap_or_else(usual);
    Steering::new(policy, Judge::NONE, None, "test".to_owned())
}

/// A crawl in steps that is as polite as a live one: waits cost nothing. Also the time it would have taken.
pub(crate) fn crawl_politely(dir: &Path, site: &Site, mut settings: Settings) -> (Report, Duration) {
    settings.is_live = true;
    let clock = Arc::new(StepClock::default());
    let crawl = Crawl::open(dir, settings, steering(None), clock.clone()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let report = run_steps(crawl, site, runtime.handle(), &clock, &AtomicBool::new(false), &mut ()).unwrap();
    (report, clock.now().since(Timestamp::EPOCH))
}

/// A crawl in steps, to its end.
pub(crate) fn crawl(dir: &Path, site: &Site, settings: Settings, policy: Option<Box<dyn Policy>>) -> Report {
    let clock = Arc::new(StepClock::default());
    let crawl = Crawl::open(dir, settings, steering(policy), clock.clone()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    run_steps(crawl, site, runtime.handle(), &clock, &AtomicBool::new(false), &mut ()).unwrap()
}

/// The same with many requests in flight.
pub(crate) fn crawl_live(dir: &Path, site: &Arc<Site>, mut settings: Settings, stop: &AtomicBool) -> Report {
    settings.is_live = true;
    settings.frontier.ip_concurrency = settings.frontier.host_concurrency;
    settings.frontier.ip_delay = settings.frontier.host_delay;
    let crawl = Crawl::open(dir, settings, steering(None), Arc::new(SystemClock::default())).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    run_live(crawl, site, runtime.handle(), stop, &mut ()).unwrap()
}

/// A site with one of everything.
pub(crate) fn everything() -> (Site, Settings) {
    let image =
        |name: &str| format!("<img src=/{name}.png width=300 height=300><p>{name} {}", name.repeat(30));
    let site = Site::default()
        .with("/robots.txt", Answer::Html("User-agent: *\nDisallow: /no\nSitemap: /map.xml\n".to_owned()))
        .with(
            "/map.xml",
            Answer::Html("<urlset><url><loc>http://a.example/mapped</loc></url></urlset>".to_owned()),
        )
        .page("/", &["/a", "/old", "/copy", "/original", "/dead", "/gone", "/no", "/pictures"])
        .page("/a", &["/a/b"])
        .with("/old", Answer::Redirect("/new"))
        .page("/new", &[])
        .with("/original", Answer::Html(image("tern")))
        .with("/copy", Answer::Html(image("tern")))
        .with("/dead", Answer::Timeout(99, String::new()))
        .with("/pictures", Answer::Html(image("gull")))
        .with("/gull.png", Answer::Redirect("/gull2.png"))
        .with("/gull2.png", Answer::Html("no picture at all".to_owned()));
    let pictures = PictureRules { of: PicturesOf::Pages, relevant_only: false, ..PictureRules::default() };
    let archive =
        osprey_archive::WriterOptions { rotate_bytes: 4000, ..osprey_archive::WriterOptions::default() };
    (site, Settings { pictures, archive, ..settings(&["/"]) })
}

/// The visits a crawl left in `dir`.
pub(crate) fn visits(dir: &Path) -> Vec<VisitRow> {
    let crawl = Inspection::open(dir, &Default::default(), Inspection::PATIENCE).unwrap();
    crawl.visits().map(Result::unwrap).collect()
}

/// Path and status of each visit.
pub(crate) fn trail(dir: &Path) -> Vec<(String, u16)> {
    let path = |url: &str| url.strip_prefix("http://a.example").unwrap_or(url).to_owned();
    visits(dir).iter().map(|visit| (path(&visit.url), visit.status)).collect()
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
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
pub(crate) struct Left {
    pub(crate) visits: Vec<VisitRow>,
    pub(crate) pictures: Vec<PictureRow>,
    pub(crate) tally: Tally,
    pub(crate) policy: (String, u64, Vec<u8>),
    pub(crate) stats: (u64, u64, u64, u64),
}

pub(crate) fn left(dir: &Path) -> Left {
    let crawl = Inspection::open(dir, &Default::default(), Inspection::PATIENCE).unwrap();
    let stats = crawl.stats();
    Left {
        visits: crawl.visits().map(Result::unwrap).collect(),
        pictures: crawl.pictures().map(Result::unwrap).collect(),
        // requests for robots.txt, and those that were tried again, are counted with the next visit: a kill may forget some
        tally: Tally { active_ms: 0, requests: 0, ..crawl.tally().unwrap() },
        policy: crawl.policy_snapshot().unwrap(),
        stats: (stats.known, stats.waiting, stats.done, stats.failed),
    }
}

/// The URLs that an archive tells of.
pub(crate) fn told(dir: &Path) -> Vec<String> {
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
pub(crate) fn steerings() -> [fn() -> Steering; 2] {
    let learning = || {
        let subject = Subject { tags: vec!["tern".to_owned()], ..Subject::default() };
        let kind: PolicyKind = serde_json::from_str("{\"kind\":\"best-first\"}").unwrap();
        let judge = Judge::new(&JudgeKind::default(), &subject, &Known::default()).unwrap();
        let policy = kind.build(&subject, &Known::default()).unwrap();
        Steering::new(policy, judge, None, "learning".to_owned())
    };
    [|| steering(None), learning]
}

/// Crawls to the end, looking on after every step.
pub(crate) fn run(dir: &Path, site: &Site, settings: Settings, steering: Steering, mut each: impl FnMut()) {
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
                        Outcome::Answered(Box::new(parse_response(response, task.work(), &reader)))
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
