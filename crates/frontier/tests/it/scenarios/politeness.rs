//! When hosts and addresses may be asked, worked out by hand.

use std::net::IpAddr;
use std::time::Duration;

use osprey_frontier::{Idle, LinkState, Options, Pace, Pick, Settle, Turn};
use osprey_model::{GroupFactor, HostKey, LinkId};

use super::{Crawl, NO_DELAY, at, url};

/// 100 ms between requests to a host, 200 ms between requests to an address.
const LIMITS: fn() -> Options = || Options {
    host_delay: Duration::from_millis(100),
    ip_delay: Duration::from_millis(200),
    ..Options::default()
};

fn host(name: &str) -> HostKey {
    url(&format!("{name}/")).host_key()
}

fn ip(last: u8) -> Option<IpAddr> {
    Some([192, 0, 2, last].into())
}

impl Crawl {
    fn locate(&mut self, name: &str, last: u8) {
        self.frontier.locate(&host(name), ip(last));
    }

    fn next_at(&self, name: &str) -> i64 {
        self.frontier.host(&host(name)).expect("known").next_at.as_millis()
    }

    fn may_ask(&self, name: &str, now: i64) -> bool {
        self.frontier.may_ask(&host(name), at(now))
    }
}

#[test]
fn hosts_rest_between_requests_and_after_them() {
    let mut crawl = Crawl::new(Options { host_delay: Duration::from_millis(100), ..Options::default() });
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.9), ("b/1", 0, 0.1)]);
    let (answer, first) = crawl.ask(1000);
    assert_eq!(answer, "a/1");
    let (answer, second) = crawl.ask(1000);
    assert_eq!(answer, "b/1");
    assert_eq!(crawl.ask(1000).0, "blocked 0 2");
    crawl.settle(second.expect("leased"), Settle::Done, 1001);
    crawl.settle(first.expect("leased"), Settle::Done, 1070);
    assert_eq!(crawl.ask(1100).0, "wait 1170");
    assert_eq!(crawl.ask(1170).0, "a/2");
}

#[test]
fn a_turn_may_come_before_the_first_lease() {
    let mut crawl = Crawl::new(LIMITS());
    crawl.add(&[("a/1", 0, 1.0), ("b/1", 0, 0.5), ("c/1", 0, 0.1)]);
    crawl.lease(1000, "a/1");
    crawl.lease(1000, "b/1");
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.frontier.begin_turn(&host("a"), at(1050)), Turn::Wait(at(1150)));
    crawl.lease(1060, "c/1");
    let mut crawl = crawl.reopened();
    // The lease of c stored what a and b wait for; when that lease ended is unknown now.
    assert_eq!([crawl.next_at("a"), crawl.next_at("b")], [1150, 1150]);
    crawl.lease(5000, "a/1");
    crawl.lease(5000, "b/1");
    assert_eq!(crawl.ask(5000).0, "wait 5100");
}

#[test]
fn hosts_that_were_never_asked_are_ready_before_the_time_is_known() {
    let mut crawl = Crawl::new(LIMITS());
    crawl.add(&[("a/1", 0, 1.0), ("b/1", 0, 1.0)]);
    crawl.locate("b", 1);
    let crawl = crawl.reopened();
    let stats = crawl.frontier.stats();
    assert_eq!((stats.ready_hosts, stats.next_ready), (2, None));
}

#[test]
fn several_leases_at_a_host_only_if_allowed() {
    let mut crawl = Crawl::new(Options { host_concurrency: 2, ..NO_DELAY() });
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 1.0), ("a/3", 0, 1.0)]);
    assert_eq!([crawl.ask(0).0, crawl.ask(0).0, crawl.ask(0).0], ["a/1", "a/2", "blocked 0 2"]);
}

#[test]
fn an_open_lease_of_an_ended_process_counts_as_asked_at_the_first_lease() {
    let mut crawl = Crawl::new(LIMITS());
    crawl.add(&[("a/1", 0, 1.0), ("b/1", 0, 0.5)]);
    crawl.locate("a", 1);
    crawl.locate("b", 1);
    crawl.lease(1000, "a/1");
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.state("a/1"), LinkState::Waiting);
    // The ended process may have made requests until now. That is noted once, not at every opening.
    assert_eq!(crawl.ask(5000).0, "wait 5100");
    assert_eq!(crawl.ask(5100).0, "wait 5200");
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.next_at("a"), 5200);
    assert_eq!(crawl.ask(5150).0, "wait 5200");
    let Ok(Pick::Leased(lease)) = crawl.frontier.lease(at(5200)) else { panic!("nothing leased") };
    assert_eq!((lease.url, lease.attempt), (url("a/1"), 2));
    crawl.settle(lease.id, Settle::Release, 5200);
    let info = crawl.frontier.link(lease.id).expect("known");
    assert_eq!((info.attempts, info.state), (1, LinkState::Waiting));
}

#[test]
fn a_clock_that_was_far_ahead_does_not_stop_the_crawl() {
    const HOUR: i64 = 3_600_000;
    const YEAR: i64 = 365 * 24 * HOUR;
    let mut crawl = Crawl::new(Options { host_delay: Duration::from_millis(100), ..Options::default() });
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.9), ("b/1", 0, 0.8)]);
    let (_, id) = crawl.ask(YEAR);
    crawl.settle(id.expect("leased"), Settle::Retry { at: at(2 * YEAR) }, YEAR);
    // A time slightly earlier counts as the later one; a far earlier one does not.
    assert_eq!(crawl.ask(YEAR - HOUR).0, "b/1");
    assert_eq!(crawl.ask(0).0, "wait 100");
    assert_eq!(crawl.frontier.link(LinkId(0)).expect("known").retry_at, Some(at(24 * HOUR)));
    let (answer, second) = crawl.ask(100);
    assert_eq!(answer, "a/2");
    crawl.settle(second.expect("leased"), Settle::Done, 150);
    assert_eq!(crawl.ask(150).0, format!("wait {}", 24 * HOUR));

    // The same if the wrong time came from another process.
    let mut crawl = Crawl::new(NO_DELAY());
    crawl.add(&[("a/1", 0, 1.0)]);
    crawl.frontier.rest_host(&url("a/").host_key(), at(YEAR));
    crawl.frontier.sync().expect("syncs");
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.ask(1).0, format!("wait {}", 24 * HOUR + 1));
    assert_eq!(crawl.ask(24 * HOUR + 1).0, "a/1");
}

#[test]
fn the_longest_delay_counts() {
    let check = |crawl_delay: Option<u64>, slowdown: u64, expect: &str| {
        let mut crawl = Crawl::new(LIMITS());
        crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 1.0)]);
        let pace = Pace {
            crawl_delay: crawl_delay.map(Duration::from_millis),
            slowdown: Duration::from_millis(slowdown),
            streak: 2,
            usual: Duration::from_millis(80),
        };
        crawl.frontier.set_pace(&host("a"), pace);
        crawl.frontier.sync().expect("syncs");
        let mut crawl = crawl.reopened();
        let id = crawl.lease(0, "a/1");
        crawl.settle(id, Settle::Done, 60);
        assert_eq!(crawl.ask(61).0, expect);
        let info = crawl.frontier.host(&host("a")).expect("known");
        assert_eq!((info.pace, info.fetched, info.waiting), (pace, 1, 1));
        assert_eq!(info.next_at, at(60).after(info.delay));
    };
    check(None, 0, "wait 160");
    check(Some(50), 0, "wait 160");
    check(Some(30_000), 200, "wait 30060");
    check(Some(300), 500, "wait 560");
}

#[test]
fn a_crawl_delay_of_days_slows_a_host_and_does_not_drop_it() {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let mut crawl = Crawl::new(LIMITS());
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 1.0), ("b/1", 0, 0.5)]);
    let crawl_delay = Some(Duration::from_millis(3 * DAY));
    crawl.frontier.set_pace(&host("a"), Pace { crawl_delay, ..Pace::default() });
    let id = crawl.lease(1000, "a/1");
    let other = crawl.lease(1000, "b/1");
    crawl.settle(id, Settle::Done, 1010);
    crawl.settle(other, Settle::Done, 1010);
    let next = 1010 + 3 * DAY as i64;
    for now in [1, 2].map(|days| days * DAY as i64) {
        crawl = crawl.reopened();
        assert_eq!(crawl.ask(now).0, format!("wait {next}"));
    }
    // A clock that goes back does not make the delay shorter than it was.
    assert_eq!(crawl.ask(DAY as i64).0, format!("wait {next}"));
    crawl.lease(next, "a/2");
}

#[test]
fn rests_are_apart_from_delays() {
    let mut crawl = Crawl::new(LIMITS());
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 1.0)]);
    crawl.frontier.rest_host(&host("a"), at(50));
    crawl.frontier.rest_host(&host("a"), at(20));
    crawl.frontier.sync().expect("syncs");
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.ask(0).0, "wait 50");
    let info = crawl.frontier.host(&host("a")).expect("known");
    assert_eq!((info.next_at, info.resting_until), (at(50), Some(at(50))));
    let id = crawl.lease(50, "a/1");
    crawl.frontier.rest_host(&host("a"), at(155));
    crawl.settle(id, Settle::Done, 60);
    assert_eq!(crawl.ask(60).0, "wait 160");
    assert_eq!(crawl.frontier.host(&host("a")).expect("known").resting_until, Some(at(155)));
    crawl.lease(160, "a/2");
    assert_eq!(crawl.frontier.host(&host("a")).expect("known").resting_until, None);
}

#[test]
fn with_several_at_a_time_the_delay_counts_from_the_last_lease() {
    let mut crawl = Crawl::new(Options { host_concurrency: 2, ..LIMITS() });
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.9), ("a/3", 0, 0.8), ("a/4", 0, 0.7)]);
    let first = crawl.lease(1000, "a/1");
    assert_eq!(crawl.ask(1000).0, "wait 1100");
    crawl.lease(1130, "a/2");
    assert_eq!(crawl.ask(1250).0, "blocked 0 2");
    crawl.settle(first, Settle::Done, 1220);
    assert_eq!(crawl.next_at("a"), 1230);
    let third = crawl.lease(1250, "a/3");
    crawl.settle(third, Settle::Done, 1260);
    assert_eq!(crawl.ask(1260).0, "wait 1350");
}

#[test]
fn a_lease_without_a_request_leaves_no_trace_on_the_clock() {
    for settle in [Settle::Release, Settle::Dropped { reason: 1 }] {
        let mut crawl = Crawl::new(LIMITS());
        crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.9), ("a/3", 0, 0.8), ("b/1", 0, 0.1)]);
        crawl.locate("a", 1);
        crawl.locate("b", 1);
        let id = crawl.lease(1000, "a/1");
        crawl.settle(id, Settle::Done, 1100);
        let id = crawl.lease(1300, "a/2");
        assert_eq!((crawl.next_at("a"), crawl.next_at("b")), (1500, 1500));
        crawl.settle(id, settle, 1310);
        assert_eq!((crawl.next_at("a"), crawl.next_at("b")), (1300, 1300));
        let rest = if settle == Settle::Release { "a/2" } else { "a/3" };
        let id = crawl.lease(1310, rest);
        // A rest that was set meanwhile remains.
        crawl.frontier.rest_host(&host("a"), at(1400));
        crawl.settle(id, settle, 1320);
        assert_eq!(crawl.next_at("a"), 1400);
        crawl.lease(1320, "b/1");
    }
}

#[test]
fn a_released_lease_leaves_the_others_their_clocks() {
    let mut crawl = Crawl::new(Options { host_concurrency: 3, ..LIMITS() });
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.9)]);
    let first = crawl.lease(1000, "a/1");
    let second = crawl.lease(1150, "a/2");
    crawl.settle(first, Settle::Release, 1160);
    assert_eq!(crawl.next_at("a"), 1250);
    crawl.settle(second, Settle::Release, 1170);
    assert_eq!(crawl.next_at("a"), 0);
}

#[test]
fn hosts_of_one_address_share_its_turns() {
    let mut crawl = Crawl::new(LIMITS());
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.6), ("b/1", 0, 0.5), ("b/2", 0, 0.9), ("c/1", 0, 0.1)]);
    for (name, last) in [("a", 1), ("b", 1), ("c", 2)] {
        crawl.locate(name, last);
    }
    let first = crawl.lease(1000, "a/1");
    crawl.lease(1000, "c/1");
    assert_eq!(crawl.ask(1000).0, "blocked 0 2");
    crawl.settle(first, Settle::Done, 1050);
    // The delay of a ends at 1150, that of the address at 1250.
    assert_eq!(crawl.ask(1050).0, "wait 1150");
    assert_eq!(crawl.ask(1150).0, "wait 1250");
    let second = crawl.lease(1250, "b/2");
    crawl.settle(second, Settle::Done, 1300);
    let mut crawl = crawl.reopened();
    assert_eq!(crawl.frontier.host(&host("a")).expect("known").ip, ip(1));
    assert_eq!((crawl.next_at("a"), crawl.next_at("b")), (1500, 1500));
    // The lease of c was open when the process ended.
    assert_eq!(crawl.ask(1480).0, "wait 1500");
    crawl.lease(1500, "a/2");
    assert_eq!(crawl.ask(1500).0, "wait 1580");
}

#[test]
fn an_address_may_have_several_turns() {
    let mut crawl = Crawl::new(Options { ip_concurrency: 2, ..LIMITS() });
    crawl.add(&[("a/1", 0, 1.0), ("b/1", 0, 0.9), ("c/1", 0, 0.8)]);
    for name in ["a", "b", "c"] {
        crawl.locate(name, 1);
    }
    let first = crawl.lease(1000, "a/1");
    assert_eq!(crawl.ask(1000).0, "wait 1200");
    crawl.lease(1200, "b/1");
    assert_eq!(crawl.ask(1500).0, "blocked 0 2");
    crawl.settle(first, Settle::Done, 1510);
    crawl.lease(1510, "c/1");
}

#[test]
fn the_host_located_first_may_be_asked() {
    let mut crawl = Crawl::new(LIMITS());
    crawl.add(&[("a/1", 0, 1.0), ("b/1", 0, 0.9), ("c/1", 0, 0.8)]);
    let first = crawl.lease(1000, "a/1");
    let second = crawl.lease(1000, "b/1");
    let third = crawl.lease(1000, "c/1");
    assert!(crawl.may_ask("a", 1000));
    crawl.locate("a", 1);
    crawl.locate("b", 1);
    crawl.locate("c", 2);
    assert_eq!(["a", "b", "c"].map(|name| crawl.may_ask(name, 1000)), [true, false, true]);
    crawl.settle(second, Settle::Release, 1010);
    assert_eq!(crawl.ask(1010).0, "blocked 0 2");
    crawl.settle(third, Settle::Done, 1020);
    crawl.settle(first, Settle::Done, 1100);
    assert_eq!(crawl.ask(1100).0, "wait 1300");
    // d was leased before its address was known, and the address has not rested.
    crawl.add(&[("d/1", 0, 2.0)]);
    let fourth = crawl.lease(1250, "d/1");
    crawl.locate("d", 1);
    assert_eq!([1299, 1300].map(|now| crawl.may_ask("d", now)), [false, true]);
    crawl.settle(fourth, Settle::Release, 1250);
    crawl.lease(1300, "d/1");
    assert!(crawl.may_ask("d", 1300));
    assert!(crawl.may_ask("unknown", 0));
}

#[test]
fn a_host_takes_its_lease_along_to_another_address() {
    let mut crawl = Crawl::new(LIMITS());
    crawl.add(&[("a/1", 0, 1.0), ("b/1", 0, 0.9), ("c/1", 0, 0.8)]);
    for (name, last) in [("a", 1), ("b", 1), ("c", 2)] {
        crawl.locate(name, last);
    }
    let first = crawl.lease(1000, "a/1");
    crawl.locate("a", 2);
    crawl.lease(1010, "b/1");
    assert_eq!(crawl.ask(1010).0, "blocked 0 2");
    crawl.settle(first, Settle::Done, 1100);
    assert_eq!(crawl.ask(1100).0, "wait 1300");
    crawl.frontier.locate(&host("c"), None);
    crawl.lease(1110, "c/1");
}

#[test]
fn turns_without_links_count_like_leases() {
    let mut crawl = Crawl::new(Options { host_budget: Some(1), ..LIMITS() });
    crawl.add(&[("a/1", 0, 1.0), ("b/1", 0, 0.5)]);
    crawl.locate("a", 1);
    crawl.locate("b", 1);
    let turn = |crawl: &mut Crawl, name: &str, now| crawl.frontier.begin_turn(&host(name), at(now));
    assert_eq!(turn(&mut crawl, "unknown", 1000), Turn::Granted);
    assert_eq!(turn(&mut crawl, "a", 1000), Turn::Granted);
    assert_eq!(turn(&mut crawl, "a", 1000), Turn::Wait(at(1200)));
    assert_eq!(crawl.ask(1010).0, "blocked 0 0");
    assert_eq!(crawl.frontier.host(&host("a")).expect("known").leased, 0);
    crawl.frontier.end_turn(&host("a"), at(1100));
    crawl.frontier.end_turn(&host("unknown"), at(1100));
    assert_eq!((crawl.next_at("a"), crawl.next_at("b")), (1300, 1300));
    assert_eq!(turn(&mut crawl, "b", 1110), Turn::Wait(at(1300)));
    let first = crawl.lease(1300, "a/1");
    crawl.settle(first, Settle::Done, 1310);
    // The budget counts links only.
    assert_eq!(turn(&mut crawl, "a", 1510), Turn::Granted);
    crawl.add(&[("c/1", 0, 0.1)]);
    let mut crawl = crawl.reopened();
    assert_eq!((crawl.next_at("a"), crawl.next_at("b")), (1710, 1710));
    // Its process ended while the turn was open: the request may have been made at any time until now.
    crawl.lease(1710, "c/1");
    assert_eq!((crawl.next_at("a"), crawl.next_at("b")), (1910, 1910));
    crawl.lease(1910, "b/1");
}

#[test]
fn what_there_is_to_wait_for_is_counted() {
    let mut crawl = Crawl::new(Options { host_budget: Some(2), ..LIMITS() });
    crawl.factor(7, GroupFactor::Parked);
    crawl.factor(8, GroupFactor::Parked);
    crawl.add(&[("a/1", 0, 1.0), ("a/2", 0, 0.9), ("b/1", 0, 0.8), ("c/1", 0, 0.7), ("d/1", 0, 0.6)]);
    crawl.add(&[("a/7", 7, 1.0), ("e/7", 7, 1.0), ("e/8", 0, 0.1)]);
    crawl.locate("c", 1);
    crawl.locate("d", 1);
    crawl.frontier.rest_host(&host("b"), at(1500));
    let first = crawl.lease(1000, "a/1");
    let second = crawl.lease(1000, "c/1");
    let third = crawl.lease(1000, "e/8");
    let expect = Idle {
        delayed_hosts: 1,
        resting_hosts: 1,
        busy_hosts: 2,
        next_at: Some(at(1500)),
        parked_links: 2,
        parked_groups: 1,
        ..Idle::default()
    };
    // b rests; a is busy with its own lease, d with that of c.
    assert_eq!(crawl.frontier.idle(at(1000)), expect);
    crawl.settle(first, Settle::Retry { at: at(1800) }, 1050);
    crawl.settle(second, Settle::Done, 1050);
    crawl.settle(third, Settle::Done, 1050);
    // a for its own clock, d for that of its address.
    let expect =
        Idle { delayed_hosts: 3, busy_hosts: 0, next_at: Some(at(1150)), retrying_links: 1, ..expect };
    assert_eq!(crawl.frontier.idle(at(1050)), expect);
    let id = crawl.lease(1150, "a/2");
    crawl.settle(id, Settle::Done, 1160);
    let expect = Idle { delayed_hosts: 2, next_at: Some(at(1250)), over_budget_links: 2, ..expect };
    assert_eq!(crawl.frontier.idle(at(1160)), expect);
    let expect = Idle { delayed_hosts: 0, resting_hosts: 0, next_at: None, ..expect };
    assert_eq!(crawl.frontier.idle(at(1500)), expect);
    crawl.factor(7, GroupFactor::ONE);
    assert_eq!(crawl.frontier.idle(at(1500)), Idle { parked_links: 0, parked_groups: 0, ..expect });
}
