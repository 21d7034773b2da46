//! Crawls: those that the server runs and those of others, seen live and steered through the API and the page.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use osprey_engine::{CrawlOptions, Project, Report, Stop};
use serde_json::{Value, json};

use crate::projects::{ENDLESS, Folder, control};
use crate::served::{JSON, Served};

/// A crawl that the server knows nothing of; it ends with the test.
struct Foreign {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Report>>,
}

impl Foreign {
    fn start(dir: &Path) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (project, flag) = (Project::open(dir).unwrap(), Arc::clone(&stop));
        let thread =
            std::thread::spawn(move || project.crawl(&CrawlOptions::default(), control(&flag)).unwrap());
        Self { stop, thread: Some(thread) }
    }

    /// Waits for its end.
    fn report(mut self) -> Report {
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn visited(view: &Value) -> u64 {
    view["visited"].as_u64().unwrap()
}

fn has_begun(view: &Value) -> bool {
    view["state"] == "crawling" && visited(view) > 0
}

/// Whether a button of the crawl page can be pressed.
fn is_enabled(page: &str, order: &str) -> bool {
    let button =
        page.split("<button").find(|part| part.contains(&format!("data-order=\"{order}\""))).unwrap();
    !button.split('>').next().unwrap().contains("disabled")
}

#[test]
fn a_crawl_is_started_paused_resumed_and_stopped() {
    let served = Served::new(Folder::project(ENDLESS));
    let mut events = served.events();
    let first = events.next();
    assert_eq!(
        (&first["state"], &first["doing"]),
        (&json!("idle"), &json!("rests")),
        "the old field is still sent"
    );
    assert_eq!(served.post("/p/it/crawl", "order=start&policy=opic&budget=900000").status, 303);
    let view = events.until(has_begun);
    let told = (&view["policy"], &view["budget"], &view["external"]);
    assert_eq!(told, (&json!("opic"), &json!(900_000), &json!(false)));
    for order in ["start", "index"] {
        let order = json!({ "order": order }).to_string();
        assert_eq!(served.send("POST", "/api/v1/projects/it/crawl", JSON, order.as_bytes()).status, 409);
    }

    let paused = served.order(&json!({ "order": "pause" }));
    assert_eq!((&paused["state"], &paused["rate"]), (&json!("paused"), &json!(0.0)));
    let page = served.get("/p/it/crawl").text();
    let enabled = ["start", "pause", "resume", "stop", "index"].map(|order| is_enabled(&page, order));
    assert_eq!(enabled, [false, false, true, true, false]);
    // it asks for nothing
    let before = visited(&served.api(""));
    assert_eq!(visited(&served.api("")), before);
    assert_eq!(served.order(&json!({ "order": "resume" }))["state"], "crawling");
    events.until(|view| visited(view) > before);

    assert_eq!(served.post("/p/it/crawl", "order=stop").status, 303);
    let rested = events.until(|view| view["state"] == "idle");
    assert!(rested["message"].as_str().unwrap().contains("stopped; start again to resume"), "{rested}");
    assert_eq!((&rested["policy"], &rested["budget"]), (&json!("breadth-first"), &json!(null)));
    assert!(visited(&rested) > before && rested["curve"].as_array().unwrap().len() > 1);
}

#[test]
fn a_crawl_of_another_is_seen_live_and_steered() {
    let served = Served::new(Folder::project(ENDLESS));
    let mut events = served.events();
    let before = events.next();
    assert_eq!((&before["state"], &before["external"]), (&json!("idle"), &json!(false)));
    let foreign = Foreign::start(served.folder.path());
    let view = events.until(has_begun);
    assert_eq!(view["external"], true);
    let later = events.until(|later| visited(later) > visited(&view));
    assert!(
        !later["recent"].as_array().unwrap().is_empty() && later["waiting"].as_u64() > Some(0),
        "{later}"
    );
    assert_eq!(later["message"], json!(null));

    // wherever crawls are shown
    let page = served.get("/p/it/crawl").text();
    assert!(page.contains("data-live=\"external\">in another process<"), "{page}");
    let enabled = ["start", "pause", "resume", "stop", "index"].map(|order| is_enabled(&page, order));
    assert_eq!(enabled, [false, true, false, true, false]);
    let listed = served.get("/api/v1/projects").json();
    assert_eq!(
        (&listed["projects"][0]["state"], &listed["projects"][0]["external"]),
        (&json!("crawling"), &json!(true))
    );
    let metrics = served.get("/metrics").text();
    let line =
        metrics.lines().find(|line| line.starts_with("osprey_crawl_visits_total{project=\"it\"}")).unwrap();
    assert!(line.rsplit(' ').next().unwrap().parse::<u64>().unwrap() >= visited(&later), "{line}");

    let start = served.send("POST", "/api/v1/projects/it/crawl", JSON, br#"{"order":"start"}"#);
    assert!(start.status == 409 && start.text().contains("another process"), "{}", start.text());
    let terms = served.send("POST", "/api/v1/projects/it/topic/terms", JSON, b"{}");
    assert_eq!(terms.status, 409, "{}", terms.text());

    let paused = served.order(&json!({ "order": "pause" }));
    assert_eq!((&paused["state"], &paused["external"]), (&json!("paused"), &json!(true)));
    let at = visited(&served.api(""));
    assert_eq!(visited(&served.api("")), at);
    assert_eq!(served.post("/p/it/crawl", "order=resume").status, 303);
    let resumed = events.until(|view| visited(view) > at);
    assert_eq!((&resumed["state"], &resumed["external"]), (&json!("crawling"), &json!(true)));

    served.order(&json!({ "order": "stop" }));
    let report = foreign.report();
    assert_eq!(report.stopped_by, Stop::Interrupt);
    let rested = events.until(|view| view["state"] == "idle" && view["message"].is_null());
    assert_eq!((&rested["external"], visited(&rested)), (&json!(false), report.visited));
}

#[test]
fn what_was_crawled_here_is_indexed_and_found_here() {
    let served = Served::new(Folder::harbour());
    let mut events = served.events();
    events.next();
    served.order(&json!({ "order": "start" }));
    let rested = events.until(|view| view["state"] == "idle" && visited(view) > 0);
    assert!(rested["message"].as_str().unwrap().contains("nothing is left to fetch"), "{rested}");
    served.order(&json!({ "order": "index" }));
    let indexed = events.until(|view| view["documents"].as_u64() > Some(0) && view["state"] == "idle");
    assert!(indexed["message"].as_str().unwrap().contains("indexed"), "{indexed}");
    let found = served.api("/search?q=boat");
    let url = found["hits"][0]["url"].as_str().unwrap();
    let item = served.api(&format!(
        "/item?url={}",
        url::form_urlencoded::byte_serialize(url.as_bytes()).collect::<String>()
    ));
    assert_eq!(item["origin"]["visit"]["url"], url);
    assert_eq!(item["origin"]["policy"], "breadth-first");
    assert!(item["origin"]["fetched_at"].as_str().unwrap().contains('T'), "{item}");
}

#[test]
fn events_come_and_end_with_the_server() {
    let mut served = Served::new(Folder::pictures(1));
    let mut events = served.events();
    assert_eq!(events.next()["state"], "idle");
    served.stop();
    let mut rest = Vec::new();
    // ended or cut off: not left hanging
    let _ = events.0.read_to_end(&mut rest);
}
