//! Random commits, leases, rests, paces, addresses, turns and reopenings, compared with a reference that scans plain
//! lists. Links handed out, results, counts, clocks and every link's state must be equal at every step.

mod reference;

use std::net::IpAddr;
use std::time::Duration;

use osprey_frontier::{
    Commit, Frontier, Initial, LinkState, NewLink, Options, Pace, Pick, Settle, Target, Turn,
};
use osprey_model::{CanonicalUrl, GroupFactor, GroupId, HostKey, LinkId, LinkScore, Timestamp, UrlRules};
use proptest::prelude::*;
use reference::{DELAY_MS, IP_DELAY_MS, RefLink, RefOptions, Reference};

const URLS: usize = 30;
const HOSTS: usize = 5;
const ADDRESSES: u8 = 2;

#[derive(Clone, Debug)]
enum Step {
    Lease,
    Pass(i64),
    Page(Page),
    Rest { host: usize, ms: i64 },
    Pace { host: usize, crawl_delay: Option<u64>, slowdown: u64 },
    Locate { host: usize, ip: Option<u8> },
    BeginTurn { host: usize },
    EndTurn { host: usize },
    Reopen,
}

#[derive(Clone, Debug)]
struct Page {
    settle: Vec<Ending>,
    again: Vec<usize>,
    add: Vec<(usize, u64, u8, bool)>,
    factors: Vec<(u64, Option<u8>)>,
    rescore: Vec<(usize, u8)>,
    drop: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Ending {
    Done,
    Retry(i64),
    Failed,
    Release,
    Dropped,
}

/// Scores from a small set, so that some are equal.
fn score(step: u8) -> LinkScore {
    LinkScore::new([0.0, 0.25, 0.5, 0.5, 1.0, 3.0][usize::from(step) % 6])
}

fn factor(step: Option<u8>) -> GroupFactor {
    step.map_or(GroupFactor::Parked, |step| GroupFactor::Times(score(step)))
}

fn url(n: usize) -> CanonicalUrl {
    let text = format!("http://host{}.example/page/{n}", n % HOSTS);
    CanonicalUrl::parse(&text, &UrlRules::default()).expect("a URL")
}

fn host_key(host: usize) -> HostKey {
    url(host).host_key()
}

fn address(ip: u8) -> IpAddr {
    // Both IPv4 and IPv6.
    if ip == 0 { [192, 0, 2, 1].into() } else { [0x2001, 0xdb8, 0, 0, 0, 0, 0, u16::from(ip)].into() }
}

struct Pair {
    dir: tempfile::TempDir,
    options: Options,
    frontier: Option<Frontier>,
    reference: Reference,
    pages: u32,
}

impl Pair {
    fn new(plain: RefOptions) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let options = Options {
            host_delay: Duration::from_millis(DELAY_MS as u64),
            host_concurrency: plain.host_concurrency as u32,
            ip_delay: Duration::from_millis(IP_DELAY_MS as u64),
            ip_concurrency: plain.ip_concurrency as u32,
            host_budget: plain.budget,
            max_links: plain.max_links as u32,
            ..Options::default()
        };
        let frontier = Some(Frontier::open(dir.path(), &options).expect("a frontier"));
        Self { dir, options, frontier, reference: Reference::new(plain), pages: 0 }
    }

    fn frontier(&mut self) -> &mut Frontier {
        self.frontier.as_mut().expect("open")
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.reference.clock)
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Lease => self.lease(),
            Step::Pass(ms) => self.reference.clock += ms,
            Step::Page(page) => self.page(page),
            Step::Rest { host, ms } => {
                let until = self.reference.clock + ms;
                let rested = &mut self.reference.hosts[*host];
                if rested.known {
                    rested.rest_until = rested.rest_until.max(Some(until));
                }
                self.frontier().rest_host(&host_key(*host), Timestamp::from_millis(until));
                self.empty_commit();
            }
            Step::Pace { host, crawl_delay, slowdown } => self.pace(*host, *crawl_delay, *slowdown),
            Step::Locate { host, ip } => {
                self.empty_commit();
                self.reference.locate(*host, *ip);
                self.frontier().locate(&host_key(*host), ip.map(address));
                self.empty_commit();
            }
            Step::BeginTurn { host } => {
                let now = self.now();
                let turn = self.frontier().begin_turn(&host_key(*host), now);
                assert_eq!(turn, self.reference.begin_turn(*host));
                assert!(matches!(turn, Turn::Granted) || matches!(turn, Turn::Wait(at) if at > now));
                self.empty_commit();
            }
            Step::EndTurn { host } => {
                let now = self.now();
                if self.reference.end_turn(*host) {
                    self.frontier().end_turn(&host_key(*host), now);
                    self.empty_commit();
                }
            }
            Step::Reopen => {
                // Dropped without closing.
                self.frontier = None;
                self.frontier = Some(Frontier::open(self.dir.path(), &self.options).expect("reopens"));
                self.reference.reopen();
                self.empty_commit();
                self.compare_links();
            }
        }
        self.compare_counts();
    }

    fn pace(&mut self, host: usize, crawl_delay: Option<u64>, slowdown: u64) {
        let paced = &mut self.reference.hosts[host];
        if paced.known {
            paced.crawl_delay = crawl_delay.map(|ms| ms as i64);
            paced.slowdown = slowdown as i64;
        }
        let pace = Pace {
            crawl_delay: crawl_delay.map(Duration::from_millis),
            slowdown: Duration::from_millis(slowdown),
            streak: slowdown as u16,
            usual: Duration::from_millis(slowdown + 1),
        };
        self.frontier().set_pace(&host_key(host), pace);
        self.empty_commit();
        if let Some(info) = self.frontier().host(&host_key(host)) {
            assert_eq!(info.pace, pace);
        }
    }

    /// Gives the frontier the time, and stores what is not stored yet.
    fn empty_commit(&mut self) {
        let commit = Commit { now: self.now(), ..Commit::default() };
        self.frontier().commit(&commit).expect("commits");
    }

    fn lease(&mut self) {
        let now = self.now();
        let pick = self.frontier().lease(now).expect("leases");
        let expect = self.reference.lease();
        match (&pick, expect) {
            (Pick::Leased(lease), Some(id)) => {
                let link = &self.reference.links[id];
                assert_eq!(lease.id, LinkId(id as u32));
                assert_eq!(lease.url, url(link.url));
                assert_eq!((lease.group, lease.own), (GroupId(link.group), link.own));
                assert_eq!(Some(lease.priority), self.reference.worth(link.group, link.own));
                assert_eq!(lease.attempt, link.attempts);
                assert_eq!((&lease.block, &lease.payload), (&link.payload, &link.payload));
            }
            (Pick::Wait { until }, None) => {
                assert_eq!(Some(until.as_millis()), self.reference.next_ready());
            }
            (Pick::Blocked { .. } | Pick::Empty, None) => {
                assert_eq!(self.reference.next_ready(), None);
                let of = |state| self.reference.links.iter().filter(move |link| link.state == state);
                let leased = of(LinkState::Leased).count() as u64;
                let parked = of(LinkState::Waiting);
                let parked = parked.filter(|link| self.reference.factor(link.group) == GroupFactor::Parked);
                let parked = parked.filter(|link| !self.reference.is_spent(link.url % HOSTS));
                let parked = parked.count() as u64;
                let is_empty = leased == 0 && parked == 0 && self.reference.idle().busy_hosts == 0;
                let expect = if is_empty { Pick::Empty } else { Pick::Blocked { parked, leased } };
                assert_eq!(pick, expect);
            }
            _ => panic!("picked {pick:?}, expected link {expect:?}"),
        }
    }

    fn page(&mut self, page: &Page) {
        self.pages += 1;
        let name = self.pages.to_string().into_bytes();
        let now = self.now();
        let known = self.reference.links.len();
        let mut page = page.clone();
        page.again.retain(|&n| n < known);
        page.drop.retain(|&n| n < known);
        let leased: Vec<usize> = self
            .reference
            .links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.state == LinkState::Leased)
            .map(|(id, _)| id)
            .collect();
        let settle: Vec<(usize, Ending)> = leased.into_iter().zip(page.settle.iter().copied()).collect();
        let urls: Vec<CanonicalUrl> = (0..URLS).map(url).collect();
        let commit = Commit {
            settle: settle.iter().map(|&(id, ending)| (LinkId(id as u32), self.settle_of(ending))).collect(),
            again: page.again.iter().map(|&n| LinkId(n as u32)).collect(),
            again_in: Vec::new(),
            block: &name,
            place: Vec::new(),
            moves: Vec::new(),
            add: page
                .add
                .iter()
                .map(|&(n, group, step, waits)| NewLink {
                    url: &urls[n],
                    group: GroupId(group),
                    own: score(step),
                    payload: &name,
                    state: if waits { Initial::Waiting } else { Initial::Dropped(9) },
                })
                .collect(),
            factors: page.factors.iter().map(|&(group, step)| (GroupId(group), factor(step))).collect(),
            rescore: page.rescore.iter().map(|&(n, step)| (Target::Url(&urls[n]), score(step))).collect(),
            drop: page.drop.iter().map(|&n| (LinkId(n as u32), 5)).collect(),
            rows: Vec::new(),
            now,
        };
        let outcome = self.frontier.as_mut().expect("open").commit(&commit).expect("commits");
        for (id, ending) in settle {
            self.reference.settle(id, ending);
        }
        assert_eq!(outcome, self.reference.page(&page, &name));
    }

    fn settle_of(&self, ending: Ending) -> Settle {
        match ending {
            Ending::Done => Settle::Done,
            Ending::Retry(ms) => Settle::Retry { at: Timestamp::from_millis(self.reference.clock + ms) },
            Ending::Failed => Settle::Failed { reason: 7 },
            Ending::Release => Settle::Release,
            Ending::Dropped => Settle::Dropped { reason: 8 },
        }
    }

    fn compare_counts(&mut self) {
        let now = self.now();
        assert_eq!(self.frontier().idle(now), self.reference.idle());
        for host in 0..HOSTS {
            assert_eq!(self.frontier().may_ask(&host_key(host), now), self.reference.may_ask(host));
        }
        let stats = self.frontier().stats();
        let links = &self.reference.links;
        let count = |is: &dyn Fn(&RefLink) -> bool| links.iter().filter(|link| is(link)).count() as u64;
        let waiting = |link: &RefLink| link.state == LinkState::Waiting;
        assert_eq!(stats.known, links.len() as u64);
        assert_eq!(stats.waiting, count(&waiting));
        let parked =
            |link: &RefLink| waiting(link) && self.reference.factor(link.group) == GroupFactor::Parked;
        assert_eq!(stats.parked, count(&parked));
        assert_eq!(stats.leased, count(&|link| link.state == LinkState::Leased));
        assert_eq!(stats.done, count(&|link| link.state == LinkState::Done));
        assert_eq!(stats.failed, count(&|link| matches!(link.state, LinkState::Failed(_))));
        let dropped = |link: &RefLink| matches!(link.state, LinkState::Dropped(_) | LinkState::Refused(_));
        assert_eq!(stats.dropped, count(&dropped));
        let mut groups: Vec<u64> = links.iter().filter(|link| waiting(link)).map(|link| link.group).collect();
        groups.sort_unstable();
        groups.dedup();
        assert_eq!(stats.groups, groups.len() as u64);
        let infos: Vec<_> = self.frontier.as_ref().expect("open").hosts().collect();
        for info in infos {
            let n = (0..HOSTS).find(|&n| url(n).host_key() == info.host).expect("one of ours");
            let host = &self.reference.hosts[n];
            let expect = (self.reference.leased(n), host.fetched, host.failed);
            assert_eq!((info.leased, info.fetched, info.failed), expect);
            assert_eq!(info.next_at.as_millis(), self.reference.next_at(n));
            assert_eq!(info.ip, host.ip.map(address));
            let resting_until = host.rest_until.filter(|&until| until > self.reference.clock);
            assert_eq!(info.resting_until.map(Timestamp::as_millis), resting_until);
            assert_eq!(info.delay.as_millis() as i64, self.reference.delay(n));
            assert_eq!(info.waiting, count(&|link| waiting(link) && link.url % HOSTS == n));
        }
    }

    fn compare_links(&mut self) {
        let now = self.reference.clock;
        let frontier = self.frontier.as_ref().expect("open");
        for (id, link) in self.reference.links.iter().enumerate() {
            let info = frontier.link(LinkId(id as u32)).expect("known");
            assert_eq!(info.url, url(link.url));
            assert_eq!(info.state, link.state);
            assert_eq!((info.group, info.own), (GroupId(link.group), link.own));
            assert_eq!(info.priority, self.reference.worth(link.group, link.own));
            assert_eq!(info.attempts, link.attempts);
            let retry_at = link.retry_at.filter(|&at| at > now);
            assert_eq!(info.retry_at.map(Timestamp::as_millis), retry_at);
            assert_eq!((&info.block, &info.payload), (&link.payload, &link.payload));
            assert_eq!(frontier.lookup(&info.url).expect("reads"), Some(info));
        }
        assert!(!frontier.contains(&url(URLS + 1)));
    }
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        3 => Just(Ending::Done),
        2 => (0..60i64).prop_map(Ending::Retry),
        1 => Just(Ending::Failed),
        1 => Just(Ending::Release),
        1 => Just(Ending::Dropped),
    ]
}

fn page() -> impl Strategy<Value = Page> {
    let few = |n| 0..n;
    (
        prop::collection::vec(ending(), few(3)),
        prop::collection::vec(0..URLS, few(2)),
        prop::collection::vec((0..URLS, 0..4u64, 0..6u8, prop::bool::weighted(0.8)), few(7)),
        prop::collection::vec((0..4u64, prop::option::weighted(0.8, 0..6u8)), few(3)),
        prop::collection::vec((0..URLS, 0..6u8), few(3)),
        prop::collection::vec(0..URLS, few(2)),
    )
        .prop_map(|(settle, again, add, factors, rescore, drop)| Page {
            settle,
            again,
            add,
            factors,
            rescore,
            drop,
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => Just(Step::Lease),
        3 => (0..25i64).prop_map(Step::Pass),
        8 => page().prop_map(Step::Page),
        1 => (0..HOSTS, 0..50i64).prop_map(|(host, ms)| Step::Rest { host, ms }),
        1 => (0..HOSTS, prop::option::of(0..40u64), 0..30u64)
            .prop_map(|(host, crawl_delay, slowdown)| Step::Pace { host, crawl_delay, slowdown }),
        3 => (0..HOSTS, prop::option::weighted(0.8, 0..ADDRESSES))
            .prop_map(|(host, ip)| Step::Locate { host, ip }),
        2 => (0..HOSTS).prop_map(|host| Step::BeginTurn { host }),
        2 => (0..HOSTS).prop_map(|host| Step::EndTurn { host }),
        1 => Just(Step::Reopen),
    ]
}

fn options() -> impl Strategy<Value = RefOptions> {
    let max_links = prop_oneof![3 => Just(1000), 1 => 5..20usize];
    (1..3usize, 1..4usize, prop::option::weighted(0.3, 1..6u64), max_links).prop_map(
        |(host_concurrency, ip_concurrency, budget, max_links)| RefOptions {
            host_concurrency,
            ip_concurrency,
            budget,
            max_links,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_reference(
        options in options(),
        steps in prop::collection::vec(step(), 20..160),
    ) {
        let mut pair = Pair::new(options);
        for step in &steps {
            pair.step(step);
        }
        pair.empty_commit();
        pair.compare_links();
    }
}
