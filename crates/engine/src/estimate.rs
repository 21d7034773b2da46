//! How long a crawl of the live Web will take at the configured delay, said before it begins.

use std::collections::BTreeSet;
use std::time::Duration;

use osprey_crawl::{Settings, Tally};

use crate::words::{counted, duration, grouped};

/// What takes less is not worth a word.
const LONG: Duration = Duration::from_secs(60);

/// How long a crawl with these settings will take, if it is long and that can be said. Hosts that are found on the way are
/// not known yet: with them it goes faster.
pub(crate) fn estimate(settings: &Settings, done: &Tally) -> Option<String> {
    let pace = Pace::of(settings)?;
    let Some(pages) = pages_left(settings, done) else {
        return Some(format!("no page budget is set; at {}: {} pages an hour", pace.words(), pace.hourly()));
    };
    if pace.seconds(pages) < LONG.as_secs_f64() {
        return None;
    }
    let most = settings.budget.requests.map(|most| most.saturating_sub(done.requests));
    let most = match most.filter(|most| *most > pages) {
        Some(most) => format!(", at most {}", duration(pace.seconds(most))),
        None => String::new(),
    };
    Some(format!("{}{most}", pace.effort(pages)))
}

/// What a crawl will fetch, and how long that takes where it can be said: `2,000 pages at one request a second: about 33
/// min`.
pub(crate) fn effort(settings: &Settings, done: &Tally) -> String {
    let time = settings.budget.time.map(|time| time.saturating_sub(Duration::from_millis(done.active_ms)));
    let within = time.map(|time| duration(time.as_secs_f64()));
    let (pages, pace) = (pages_left(settings, done), Pace::of(settings));
    let all = match (pages, &pace) {
        (Some(pages), Some(pace)) => pace.effort(pages),
        (Some(pages), None) => counted(pages, "page"),
        (None, Some(pace)) => {
            let pages = time.map(|time| (time.as_secs_f64() / pace.interval()) as u64);
            let pages =
                pages.map_or("all pages".to_owned(), |pages| format!("about {}", counted(pages, "page")));
            format!("{pages} at {}", pace.words())
        }
        (None, None) => "all pages".to_owned(),
    };
    match within {
        Some(within) => format!("{all}, for {within} at most"),
        None => all,
    }
}

fn pages_left(settings: &Settings, done: &Tally) -> Option<u64> {
    let pages = settings.budget.pages?;
    Some(pages.saturating_sub(done.visited) + done.revisits.waiting())
}

/// How fast requests may follow each other.
struct Pace {
    /// Seconds between two to a host.
    delay: f64,
    hosts: usize,
}

impl Pace {
    /// Of a crawl that has to wait; `None` if it need not.
    fn of(settings: &Settings) -> Option<Self> {
        let delay = settings.frontier.host_delay.as_secs_f64();
        let hosts: BTreeSet<&str> = settings.seeds.iter().map(|url| url.authority()).collect();
        (settings.is_live && delay > 0.0).then_some(Self { delay, hosts: hosts.len().max(1) })
    }

    /// Seconds between two requests to any host.
    fn interval(&self) -> f64 {
        self.delay / self.hosts as f64
    }

    fn seconds(&self, requests: u64) -> f64 {
        requests as f64 * self.interval()
    }

    fn hourly(&self) -> String {
        grouped((3600.0 / self.interval()).round() as u64)
    }

    fn effort(&self, pages: u64) -> String {
        format!("{} at {}: about {}", counted(pages, "page"), self.words(), duration(self.seconds(pages)))
    }

    fn words(&self) -> String {
        match self.hosts {
            1 => pace(self.delay),
            hosts => format!("{} to each of {hosts} hosts", pace(self.delay)),
        }
    }
}

/// `one request a second`
fn pace(delay: f64) -> String {
    match delay {
        delay if (delay - 1.0).abs() < 0.01 => "one request a second".to_owned(),
        delay if delay < 1.0 => format!("{:.1} requests a second", 1.0 / delay),
        delay => format!("one request in {}", duration(delay)),
    }
}

#[cfg(test)]
mod tests {
    use osprey_crawl::Budget;
    use osprey_model::{CanonicalUrl, Scope, ScopeKind, UrlRules};

    use super::*;

    fn check(pages: Option<u64>, requests: Option<u64>, delay_ms: u64, hosts: usize, expect: Option<&str>) {
        let url =
            |host| CanonicalUrl::parse(&format!("http://h{host}.example/"), &UrlRules::default()).unwrap();
        let seeds: Vec<CanonicalUrl> = (0..hosts).map(url).collect();
        let scope = Scope::new(ScopeKind::Host, &seeds, &[], &[]).unwrap();
        let mut settings = Settings::recorded(seeds, scope);
        settings.is_live = true;
        settings.budget = Budget { pages, requests, ..Budget::default() };
        settings.frontier.host_delay = Duration::from_millis(delay_ms);
        let done = Tally { visited: 100, requests: 100, ..Tally::default() };
        assert_eq!(estimate(&settings, &done).as_deref(), expect);
    }

    #[test]
    fn says_how_long_it_will_take() {
        check(Some(2100), None, 1000, 1, Some("2,000 pages at one request a second: about 33 min"));
        check(
            Some(2100),
            None,
            1000,
            2,
            Some("2,000 pages at one request a second to each of 2 hosts: about 16 min"),
        );
        check(
            Some(350),
            Some(850),
            1000,
            1,
            Some("250 pages at one request a second: about 4 min, at most 12 min"),
        );
        check(Some(1100), None, 100, 1, Some("1,000 pages at 10.0 requests a second: about 1 min"));
        check(Some(200), None, 5000, 1, Some("100 pages at one request in 5.0 s: about 8 min"));
        check(
            None,
            None,
            1000,
            1,
            Some("no page budget is set; at one request a second: 3,600 pages an hour"),
        );
        check(Some(150), None, 1000, 1, None);
        check(Some(50), None, 1000, 1, None);
        check(Some(2100), None, 0, 1, None);
    }
}
