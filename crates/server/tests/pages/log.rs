//! The access log: what is asked and what is refused can be heard by a subscriber.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, OnceLock};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::projects::Folder;
use crate::served::{FORM, Served, ask};

/// An event that was heard: its target, its level, its fields.
type Heard = (&'static str, Level, BTreeMap<&'static str, String>);

static HEARD: Mutex<Vec<Heard>> = Mutex::new(Vec::new());

/// Hears the server's events and remembers them.
struct Listener;

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("osprey::")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        let metadata = event.metadata();
        HEARD.lock().unwrap().push((metadata.target(), *metadata.level(), fields));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The event that has this in a field.
fn heard(target: &str, field: &str, part: &str) -> Heard {
    let heard = HEARD.lock().unwrap();
    let is_it =
        |event: &&Heard| event.0 == target && event.2.get(field).is_some_and(|text| text.contains(part));
    heard.iter().find(is_it).cloned().unwrap_or_else(|| panic!("{target} {field} {part}: {heard:?}"))
}

#[test]
fn requests_and_refusals_are_logged() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| tracing::subscriber::set_global_default(Listener).unwrap());
    let served = Served::new(Folder::pictures(1));
    let page = served.get(&format!("/p/it/?q=logged&x={}", "y".repeat(5000)));
    let (_, level, fields) = heard("osprey::access", "path", "q=logged");
    assert_eq!(level, Level::INFO);
    assert_eq!((fields["method"].as_str(), fields["status"].as_str()), ("GET", "200"));
    assert_eq!(fields["bytes"], page.body.len().to_string());
    assert!(fields["ms"].parse::<f64>().unwrap() >= 0.0, "{fields:?}");
    assert_eq!(fields["path"].chars().count(), 201, "{fields:?}");

    // who is refused is in both
    let request = "GET /p/it/?q=refused HTTP/1.1\r\nHost: logged.example\r\nConnection: close\r\n\r\n";
    assert_eq!(ask(served.address, request.as_bytes()).status, 403);
    let (_, level, fields) = heard("osprey::server", "host", "logged.example");
    assert_eq!((level, fields["path"].as_str()), (Level::WARN, "/p/it/?q=refused"));
    assert_eq!(heard("osprey::access", "path", "q=refused").2["status"], "403");
    assert_eq!(served.send("POST", "/p/it/crawl", FORM, b"order=start").status, 400);
    assert_eq!(heard("osprey::server", "why", "form token").1, Level::WARN);
}
