//! What an idle crawl is waiting for, as numbers and as text.

use std::fmt;
use std::time::Duration;

use osprey_frontier::{Frontier, Lanes};
use osprey_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Crawl;

/// What is waited for at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Idle {
    /// Requests in flight.
    pub in_flight: u64,
    /// Hosts that are being asked for their robots rules or looked up.
    pub preparing: u64,
    /// Hosts with links whose delay, or whose address's delay, has not passed.
    pub delayed_hosts: u64,
    /// Hosts that rest because they failed or asked for it.
    pub resting_hosts: u64,
    /// Seconds until the next of them may be asked.
    pub next_in: Option<f64>,
    /// Links that wait to be tried again.
    pub retrying_links: u64,
    /// Links that wait in parked groups.
    pub parked_links: u64,
    /// Those groups.
    pub parked_groups: u64,
    /// What the policy calls a group: `uploaders`.
    pub group_noun: String,
    /// Links at hosts that have had all their requests.
    pub over_budget_links: u64,
}

impl Crawl {
    /// What is waited for now.
    pub fn idle(&mut self) -> Idle {
        let now = self.clock.now();
        let mut idle = Idle::of(self.ledger.frontier_mut(), now, self.steering.policy().group_noun());
        let due = self.admission.robots_due_at(Lanes::ALL).map(|at| at.since(now).as_secs_f64());
        idle.next_in = [idle.next_in, due].into_iter().flatten().min_by(f64::total_cmp);
        idle.in_flight = self.flight.pages();
        idle.preparing = self.flight.robots()
            + (self.admission.waiting_robots() + self.admission.awaited_addresses()) as u64;
        idle
    }
}

impl Idle {
    /// What the frontier waits for, while nothing is in flight.
    pub(crate) fn of(frontier: &mut Frontier, now: Timestamp, group_noun: &str) -> Self {
        let idle = frontier.idle(now);
        Self {
            in_flight: 0,
            preparing: 0,
            delayed_hosts: idle.delayed_hosts.saturating_sub(idle.resting_hosts),
            resting_hosts: idle.resting_hosts,
            next_in: idle.next_at.map(|at| at.since(now).as_secs_f64()),
            retrying_links: idle.retrying_links,
            parked_links: idle.parked_links,
            parked_groups: idle.parked_groups,
            group_noun: group_noun.to_owned(),
            over_budget_links: idle.over_budget_links,
        }
    }

    /// Whether nothing is in flight, so that only time or the policy can bring something new.
    pub fn is_waiting(&self) -> bool {
        self.in_flight == 0 && (self.next_in.is_some() || self.parked_links > 0)
    }
}

/// `3 hosts in delay, next in 4.2 s; 12 links parked for 2 uploaders`
impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let mut part = |n: u64, one: &str, many: &str| {
            if n > 0 {
                parts.push(format!("{n} {}", if n == 1 { one } else { many }));
            }
        };
        part(self.in_flight, "request in flight", "requests in flight");
        part(
            self.preparing,
            "host whose robots.txt is being fetched",
            "hosts whose robots.txt is being fetched",
        );
        part(self.delayed_hosts, "host in delay", "hosts in delay");
        part(self.resting_hosts, "host backing off", "hosts backing off");
        part(self.retrying_links, "link to be tried again", "links to be tried again");
        let mut text = parts.join(", ");
        if let Some(next_in) = self.next_in.filter(|_| !text.is_empty()) {
            text += &format!(", next in {}", seconds(next_in));
        }
        let mut rest = Vec::from_iter((!text.is_empty()).then_some(text));
        if self.parked_links > 0 {
            rest.push(format!(
                "{} {} parked for {} {}",
                self.parked_links,
                if self.parked_links == 1 { "link" } else { "links" },
                self.parked_groups,
                self.group_noun
            ));
        }
        if self.over_budget_links > 0 {
            rest.push(match self.over_budget_links {
                1 => "1 link at a host whose budget is used up".to_owned(),
                n => format!("{n} links at hosts whose budget is used up"),
            });
        }
        f.write_str(if rest.is_empty() { "nothing" } else { "" })?;
        f.write_str(&rest.join("; "))
    }
}

fn seconds(seconds: f64) -> String {
    let whole = Duration::from_secs_f64(seconds.clamp(0.0, 1e9)).as_secs();
    match whole {
        0..=59 => format!("{seconds:.1} s"),
        60..=5999 => format!("{} min", whole / 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_why_in_words() {
        let check = |idle: Idle, expect: &str| assert_eq!(idle.to_string(), expect);
        check(Idle::default(), "nothing");
        check(
            Idle {
                delayed_hosts: 3,
                next_in: Some(4.2),
                parked_links: 12,
                parked_groups: 2,
                group_noun: "uploaders".to_owned(),
                ..Idle::default()
            },
            "3 hosts in delay, next in 4.2 s; 12 links parked for 2 uploaders",
        );
        check(
            Idle { resting_hosts: 1, in_flight: 1, next_in: Some(7500.0), ..Idle::default() },
            "1 request in flight, 1 host backing off, next in 2 h 5 min",
        );
        check(Idle { over_budget_links: 9, ..Idle::default() }, "9 links at hosts whose budget is used up");
    }
}
