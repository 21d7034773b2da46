//! A new host's way to its first request: its address first, then its robots rules.
//!
//! ```text
//!   lease --> scope, depth, traps --refused--> dropped
//!                |
//!                v            not looked up lately
//!            [address?] ------------------------------> AWAITING ADDRESS --address came--+
//!                | known, or none lately                (jobs wait here)                 |
//!                v                                                                       |
//!            [a turn?] <----------------------- RESOLVED (jobs in order) <---------------+
//!                | no: released, the host's clock says when
//!                v            unknown
//!            [rules?] --------------> FETCHING ROBOTS: the lease is released, the origin's links rest;
//!                |                    each request (and redirect) waits in `due` for a turn of its host,
//!                |                    or of an UNLISTED host, which has no links and so no clock in the frontier
//!                |                      | rules came: committed, the rest ends, links are leased again
//!                |  <-------------------+
//!                | unreachable: the host rests, or only this link waits; for ever silent: dropped
//!                v
//!            permitted --> fetched          forbidden --> dropped
//! ```
//!
//! This is the memory of it; who decides is [`Crawl`](crate::Crawl), in `admit.rs` and `ask.rs`. Nothing here is durable:
//! leases that wait here return at the next start, rules are in the store.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use osprey_frontier::{Lane, Lanes};
use osprey_model::{HostKey, Timestamp};
use rustc_hash::FxHashMap;

use crate::RobotsTask;
use crate::robots::RobotsBook;
use crate::work::Job;

/// Hosts remembered to have been looked up.
const MAX_LOOKED_UP: usize = 1 << 20;
/// How long a host whose address was not found goes without: behind a proxy for good, a name that fails for a while.
const WITHOUT_ADDRESS: Duration = Duration::from_secs(60);
/// Unlisted hosts whose distance is kept, about.
const MAX_UNLISTED: usize = 10_000;
/// How long an unlisted host may take to answer before others ask it, too.
const UNLISTED_ANSWER: Duration = Duration::from_secs(120);

/// Hosts on their way to a first request.
#[derive(Debug)]
pub(crate) struct Admission {
    /// Jobs that wait for their host's address, and the lane in which it is looked up.
    awaiting_address: FxHashMap<HostKey, (Lane, Vec<Job>)>,
    /// When the address of a host was looked up in this run, and whether there was one.
    looked_up: FxHashMap<HostKey, (Timestamp, bool)>,
    /// Jobs whose host's address has come.
    resolved: VecDeque<Job>,
    /// Origins whose robots rules are being fetched, with the rest that their links were given meanwhile.
    robots_fetches: FxHashMap<String, Option<Timestamp>>,
    /// Requests for robots.txt that wait for their turn, by time and by the order they came in: those of hosts that are
    /// not proven, and those of hosts that are.
    robots_due: [BTreeMap<(Timestamp, u64), Box<RobotsTask>>; 2],
    robots_queued: u64,
    /// When hosts that have no links, but robots.txt of others, may be asked again.
    unlisted_hosts: FxHashMap<HostKey, Timestamp>,
    rules: RobotsBook,
}

impl Admission {
    pub(crate) fn new(rules: RobotsBook) -> Self {
        Self {
            awaiting_address: FxHashMap::default(),
            looked_up: FxHashMap::default(),
            resolved: VecDeque::new(),
            robots_fetches: FxHashMap::default(),
            robots_due: [BTreeMap::new(), BTreeMap::new()],
            robots_queued: 0,
            unlisted_hosts: FxHashMap::default(),
            rules,
        }
    }

    /// The rules of the hosts met so far.
    pub(crate) fn rules(&mut self) -> &mut RobotsBook {
        &mut self.rules
    }

    /// Whether the address of a host is known, or known not to be.
    pub(crate) fn is_looked_up(&self, host: &HostKey, now: Timestamp) -> bool {
        let is_known = |(at, found): &(Timestamp, bool)| *found || now.since(*at) < WITHOUT_ADDRESS;
        self.looked_up.get(host).is_some_and(is_known)
    }

    /// Lets a job wait for its host's address; whether it is the first, in whose lane the address is looked up.
    pub(crate) fn await_address(&mut self, host: &HostKey, job: Job, lane: Lane) -> bool {
        let (_, waiting) = self.awaiting_address.entry(host.clone()).or_insert((lane, Vec::new()));
        waiting.push(job);
        waiting.len() == 1
    }

    /// The address of a host has come, or there is none; its jobs go on. Returns the lane in which it was looked up.
    pub(crate) fn address_came(&mut self, host: &HostKey, is_found: bool, now: Timestamp) -> Option<Lane> {
        if self.looked_up.len() >= MAX_LOOKED_UP {
            self.looked_up.clear();
        }
        self.looked_up.insert(host.clone(), (now, is_found));
        let (lane, jobs) = self.awaiting_address.remove(host)?;
        self.resolved.extend(jobs);
        Some(lane)
    }

    /// The next job whose host's address has come.
    pub(crate) fn next_resolved(&mut self) -> Option<Job> {
        self.resolved.pop_front()
    }

    /// Hosts whose address is awaited.
    pub(crate) fn awaited_addresses(&self) -> usize {
        self.awaiting_address.len()
    }

    /// All jobs that wait here.
    pub(crate) fn take_jobs(&mut self) -> Vec<Job> {
        let awaiting = self.awaiting_address.drain().flat_map(|(_, (_, jobs))| jobs);
        self.resolved.drain(..).chain(awaiting).collect()
    }

    /// Whether the rules of an origin are being fetched.
    pub(crate) fn is_fetching_robots(&self, origin: &str) -> bool {
        self.robots_fetches.contains_key(origin)
    }

    /// The rules of an origin are being fetched; its links rest until then at least.
    pub(crate) fn fetch_robots(&mut self, origin: &str, rest: Option<Timestamp>) {
        self.robots_fetches.insert(origin.to_owned(), rest);
    }

    /// The rules of an origin are no longer fetched. Returns the rest that its links were given.
    pub(crate) fn end_robots_fetch(&mut self, origin: &str) -> Option<Timestamp> {
        self.robots_fetches.remove(origin).flatten()
    }

    /// Lets a request for robots.txt wait for its turn.
    pub(crate) fn queue_robots(&mut self, task: Box<RobotsTask>, until: Timestamp) {
        self.robots_queued += 1;
        self.robots_due[usize::from(task.lane.is_proven())].insert((until, self.robots_queued), task);
    }

    /// A request for robots.txt whose time has come, in an open lane.
    pub(crate) fn take_due_robots(&mut self, now: Timestamp, open: Lanes) -> Option<Box<RobotsTask>> {
        let from = self.robots_from(open)?;
        let entry = self.robots_due[from].first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(entry.remove())
    }

    /// When the next request for robots.txt may be made, of those in open lanes.
    pub(crate) fn robots_due_at(&self, open: Lanes) -> Option<Timestamp> {
        let from = self.robots_from(open)?;
        self.robots_due[from].first_key_value().map(|((at, _), _)| *at)
    }

    /// Where the first request for robots.txt in an open lane waits. Who came by the lane of pictures counts there, but
    /// need not wait for it again.
    fn robots_from(&self, open: Lanes) -> Option<usize> {
        let first = |from: usize| self.robots_due[from].keys().next().map(|key| (*key, from));
        let unproven = first(0).filter(|_| open.has(Lane::UnprovenPage));
        unproven.into_iter().chain(first(1)).min().map(|(_, from)| from)
    }

    /// Requests for robots.txt that wait.
    pub(crate) fn waiting_robots(&self) -> usize {
        self.robots_due.iter().map(BTreeMap::len).sum()
    }

    /// Begins a turn of a host that has no links, or says when to try again.
    pub(crate) fn begin_unlisted_turn(&mut self, host: &HostKey, now: Timestamp) -> Result<(), Timestamp> {
        if let Some(at) = self.unlisted_hosts.get(host).filter(|at| **at > now) {
            return Err(*at);
        }
        if self.unlisted_hosts.len() >= MAX_UNLISTED {
            self.unlisted_hosts.retain(|_, at| *at > now);
        }
        // until the answer is there
        self.unlisted_hosts.insert(host.clone(), now.after(UNLISTED_ANSWER));
        Ok(())
    }

    /// Ends such a turn.
    pub(crate) fn end_unlisted_turn(&mut self, host: &HostKey, next: Timestamp) {
        self.unlisted_hosts.insert(host.clone(), next);
    }
}

#[cfg(test)]
mod tests {
    use osprey_frontier::Lease;
    use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId, LinkScore, UrlRules};

    use super::*;

    fn job(url: &str, id: u32) -> Job {
        let url = CanonicalUrl::parse(url, &UrlRules::default()).unwrap();
        let (own, factor, group) = (LinkScore::ONE, GroupFactor::ONE, GroupId::ALL);
        let (block, payload) = (Vec::new(), Vec::new());
        Job::decode(Lease {
            id: LinkId(id),
            url,
            priority: 1.0,
            own,
            group,
            factor,
            attempt: 1,
            block,
            payload,
        })
        .unwrap()
    }

    fn admission() -> Admission {
        Admission::new(RobotsBook::new(Duration::from_secs(60)))
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    #[test]
    fn jobs_wait_for_an_address_and_go_on_in_their_order() {
        let mut admission = admission();
        let (first, second) = (job("http://a.example/1", 1), job("http://a.example/2", 2));
        let host = first.url().host_key();
        assert!(!admission.is_looked_up(&host, at(0)));
        assert!(admission.await_address(&host, first, Lane::UnprovenPage), "the first one asks");
        assert!(!admission.await_address(&host, second, Lane::UnprovenPicture));
        assert_eq!((admission.awaited_addresses(), admission.next_resolved().is_none()), (1, true));
        assert_eq!(admission.address_came(&host, false, at(10)), Some(Lane::UnprovenPage));
        let order: Vec<u32> =
            std::iter::from_fn(|| admission.next_resolved()).map(|job| job.lease.id.0).collect();
        assert_eq!((order, admission.awaited_addresses()), (vec![1, 2], 0));
        // a name without an address is looked up again after a while, one with an address is not
        assert!(admission.is_looked_up(&host, at(69)) && !admission.is_looked_up(&host, at(70)));
        admission.address_came(&host, true, at(70));
        assert!(admission.is_looked_up(&host, at(100_000)));
    }

    #[test]
    fn robots_requests_come_by_time_then_by_order_and_unlisted_hosts_keep_their_distance() {
        let mut admission = admission();
        let task = |url: &str| {
            Box::new(RobotsTask::new(CanonicalUrl::parse(url, &UrlRules::default()).unwrap(), false))
        };
        let all = Lanes::ALL;
        for (url, until) in [("http://c.example/", 5), ("http://a.example/", 3), ("http://b.example/", 3)] {
            admission.queue_robots(task(url), at(until));
        }
        assert_eq!((admission.robots_due_at(all), admission.waiting_robots()), (Some(at(3)), 3));
        assert!(admission.take_due_robots(at(2), all).is_none());
        let order: Vec<_> = std::iter::from_fn(|| admission.take_due_robots(at(9), all))
            .map(|task| task.home.authority().to_owned())
            .collect();
        assert_eq!(order, ["a.example", "b.example", "c.example"]);

        let mut known = task("http://k.example/");
        known.lane = Lane::ProvenPage;
        admission.queue_robots(task("http://u.example/"), at(3));
        admission.queue_robots(known, at(4));
        let proven = Lanes::default().with(Lane::ProvenPage, true);
        assert_eq!(
            (admission.robots_due_at(proven), admission.robots_due_at(all)),
            (Some(at(4)), Some(at(3)))
        );
        let next =
            |admission: &mut Admission, open| admission.take_due_robots(at(9), open).map(|task| task.lane);
        assert_eq!(next(&mut admission, proven), Some(Lane::ProvenPage), "no queue before it");
        assert_eq!((next(&mut admission, proven), admission.waiting_robots()), (None, 1));
        assert_eq!(next(&mut admission, all), Some(Lane::UnprovenPage));

        let host = task("http://d.example/").home.host_key();
        assert_eq!(admission.begin_unlisted_turn(&host, at(0)), Ok(()));
        assert_eq!(admission.begin_unlisted_turn(&host, at(1)), Err(at(120)), "until the answer is there");
        admission.end_unlisted_turn(&host, at(7));
        assert_eq!(admission.begin_unlisted_turn(&host, at(6)), Err(at(7)));
        assert_eq!(admission.begin_unlisted_turn(&host, at(7)), Ok(()));

        assert!(!admission.is_fetching_robots("http://a.example"));
        admission.fetch_robots("http://a.example", None);
        admission.fetch_robots("http://a.example", Some(at(4)));
        assert!(admission.is_fetching_robots("http://a.example"));
        assert_eq!(admission.end_robots_fetch("http://a.example"), Some(at(4)));
        assert_eq!(admission.end_robots_fetch("http://a.example"), None);
    }
}
