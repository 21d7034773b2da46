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
    let delay = settings.frontier.host_delay.as_secs_f64();
    let hosts: BTreeSet<&str> = settings.seeds.iter().map(|url| url.authority()).collect();
    let hosts = hosts.len().max(1);
    if !settings.is_live || delay <= 0.0 {
        return None;
    }
    let pace = match hosts {
        1 => pace(delay),
        _ => format!("{} to each of {hosts} hosts", pace(delay)),
    };
    let seconds = |requests: u64| requests as f64 * delay / hosts as f64;
    let Some(pages) = settings.budget.pages else {
        let hourly = (3600.0 / delay * hosts as f64).round() as u64;
        return Some(format!("no page budget is set; at {pace}: {} pages an hour", grouped(hourly)));
    };
    let pages = pages.saturating_sub(done.visited) + done.revisits.waiting();
    if seconds(pages) < LONG.as_secs_f64() {
        return None;
    }
    let most = settings.budget.requests.map(|most| most.saturating_sub(done.requests));
    let most = match most.filter(|most| *most > pages) {
        Some(most) => format!(", at most {}", duration(seconds(most))),
        None => String::new(),
    };
    Some(format!("{} at {pace}: about {}{most}", counted(pages, "page"), duration(seconds(pages))))
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
