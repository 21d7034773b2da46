//! `/metrics`, for Prometheus.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::app::App;
use crate::crawl_view::CrawlView;

/// Upper ends of the classes of durations, in seconds.
const SECONDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Named {
    project: String,
}

type Durations = Family<Named, Histogram, fn() -> Histogram>;

/// Counters of the server; everything else is read at each scrape.
pub(crate) struct Metrics {
    requests: Family<Route, Counter>,
    searches: Durations,
    /// Connections that are open.
    pub(crate) connections: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let searches = Durations::new_with_constructor(|| Histogram::new(SECONDS));
        Self { requests: Family::default(), searches, connections: Gauge::default() }
    }
}

impl Metrics {
    /// A request was answered. Routes, not paths: those are without end.
    pub(crate) fn request(&self, route: &str, status: u16) {
        self.requests.get_or_create(&Route { route: route.to_owned(), status }).inc();
    }

    /// A search was done.
    pub(crate) fn search(&self, project: &str, took: Duration) {
        self.searches.get_or_create(&Named { project: project.to_owned() }).observe(took.as_secs_f64());
    }

    /// All of it as text.
    pub(crate) fn text(&self, app: &App) -> String {
        let mut registry = Registry::with_prefix("osprey");
        registry.register("http_requests", "Requests by route and status", self.requests.clone());
        registry.register("search_seconds", "Seconds that searches took", self.searches.clone());
        registry.register("http_connections", "Open connections", self.connections.clone());
        let (counters, gauges) = (crawl_counters(), crawl_gauges());
        for (name, help, family) in &counters {
            registry.register(*name, *help, family.clone());
        }
        for (name, help, family) in &gauges {
            registry.register(*name, *help, family.clone());
        }
        for project in app.projects() {
            let view = CrawlView::of(project);
            let label = Named { project: project.name().to_owned() };
            let counts = [view.visited, view.relevant, view.failed, view.pictures, view.bytes];
            for ((_, _, family), count) in counters.iter().zip(counts) {
                family.get_or_create(&label).inc_by(count);
            }
            let levels = [view.waiting as f64, view.parked as f64, view.rate, view.documents as f64];
            for ((_, _, family), level) in gauges.iter().zip(levels) {
                family.get_or_create(&label).set(level);
            }
        }
        let mut text = String::new();
        // writing to a String cannot fail
        let _ = encode(&mut text, &registry);
        text
    }
}

type Counted = (&'static str, &'static str, Family<Named, Counter>);
type Measured = (&'static str, &'static str, Family<Named, Gauge<f64, AtomicU64>>);

fn crawl_counters() -> [Counted; 5] {
    [
        ("crawl_visits", "URLs fetched over all runs", Family::default()),
        ("crawl_relevant", "Relevant pages", Family::default()),
        ("crawl_failures", "Failed visits", Family::default()),
        ("crawl_pictures", "Pictures fetched", Family::default()),
        ("crawl_bytes", "Bytes fetched", Family::default()),
    ]
}

fn crawl_gauges() -> [Measured; 4] {
    [
        ("frontier_waiting", "Links waiting", Family::default()),
        ("frontier_parked", "Links waiting in parked groups", Family::default()),
        ("crawl_rate", "Pages per second, recent", Family::default()),
        ("index_documents", "Documents in the index", Family::default()),
    ]
}
