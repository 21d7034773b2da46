//! Random commits, leases, rests and reopenings against a reference that scans plain lists. Picks,
//! outcomes, counts and every link's state must agree at every step.

use std::collections::BTreeMap;
use std::time::Duration;

use osprey_frontier::{
    Commit, Committed, Frontier, Initial, LinkState, NewLink, Options, Pick, Settle, Target,
};
use osprey_model::{CanonicalUrl, Factor, GroupId, LinkId, Own, Timestamp, UrlRules};
use proptest::prelude::*;

const URLS: usize = 24;
const HOSTS: usize = 3;
const DELAY_MS: i64 = 10;

#[derive(Clone, Debug)]
enum Step {
    Lease,
    Pass(i64),
    Page(Page),
    Rest { host: usize, ms: i64 },
    Slow { host: usize, ms: u64 },
    Reopen,
}

#[derive(Clone, Debug)]
struct Page {
    settle: Vec<Ending>,
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

/// Scores from a small set, so that ties happen.
fn score(step: u8) -> Own {
    Own::new([0.0, 0.25, 0.5, 0.5, 1.0, 3.0][usize::from(step) % 6])
}

fn factor(step: Option<u8>) -> Factor {
    step.map_or(Factor::Parked, |step| Factor::Times(score(step)))
}

fn url(n: usize) -> CanonicalUrl {
    let text = format!("http://host{}.example/page/{n}", n % HOSTS);
    CanonicalUrl::parse(&text, &UrlRules::default()).expect("a URL")
}

#[derive(Clone, Debug)]
struct RefLink {
    url: usize,
    group: u64,
    own: Own,
    state: LinkState,
    attempts: u32,
    retry_at: Option<i64>,
    payload: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
struct RefHost {
    known: bool,
    next_at: i64,
    in_flight: u32,
    fetched: u64,
    failed: u64,
    delay: Option<i64>,
}

#[derive(Clone, Debug)]
struct Reference {
    clock: i64,
    links: Vec<RefLink>,
    hosts: Vec<RefHost>,
    factors: BTreeMap<u64, Factor>,
    concurrency: u32,
    budget: Option<u64>,
    max_links: usize,
}

impl Reference {
    fn factor(&self, group: u64) -> Factor {
        self.factors.get(&group).copied().unwrap_or(Factor::ONE)
    }

    fn worth(&self, group: u64, own: Own) -> Option<f32> {
        match self.factor(group) {
            Factor::Times(times) => Some(Own::new(times.get() * own.get()).get()),
            Factor::Parked => None,
        }
    }

    fn may_ask(&self, host: &RefHost) -> bool {
        host.in_flight < self.concurrency
            && self.budget.is_none_or(|budget| host.fetched + u64::from(host.in_flight) < budget)
    }

    fn is_spent(&self, host: usize) -> bool {
        let host = &self.hosts[host];
        self.budget.is_some_and(|budget| host.fetched + u64::from(host.in_flight) >= budget)
    }

    fn is_due(&self, link: &RefLink) -> bool {
        link.state == LinkState::Waiting && link.retry_at.is_none_or(|at| at <= self.clock)
    }

    fn find(&self, url: usize) -> Option<usize> {
        self.links.iter().position(|link| link.url == url)
    }

    /// The best of the queue heads: inside a group own scores count, between groups factor x own.
    fn best(&self) -> Option<usize> {
        let mut heads: BTreeMap<(usize, u64), usize> = BTreeMap::new();
        for (id, link) in self.links.iter().enumerate() {
            let host = &self.hosts[link.url % HOSTS];
            let is_ready = self.may_ask(host) && host.next_at <= self.clock;
            if is_ready && self.is_due(link) && self.worth(link.group, link.own).is_some() {
                let head = heads.entry((link.url % HOSTS, link.group)).or_insert(id);
                if link.own > self.links[*head].own {
                    *head = id;
                }
            }
        }
        let mut ids: Vec<usize> = heads.into_values().collect();
        ids.sort_unstable();
        let worth = |&id: &usize| self.worth(self.links[id].group, self.links[id].own);
        ids.into_iter().reduce(|best, id| if worth(&id) > worth(&best) { id } else { best })
    }

    fn next_ready(&self) -> Option<i64> {
        let retries = self.links.iter().filter(|link| link.state == LinkState::Waiting);
        let retries = retries
            .filter(|link| self.factor(link.group) != Factor::Parked && !self.is_spent(link.url % HOSTS));
        let retries = retries.filter_map(|link| link.retry_at).filter(|&at| at > self.clock);
        let hosts = self.hosts.iter().enumerate().filter(|(n, host)| {
            let mut links = self.links.iter().filter(|link| link.url % HOSTS == *n && self.is_due(link));
            self.may_ask(host)
                && host.next_at > self.clock
                && links.any(|link| self.worth(link.group, link.own).is_some())
        });
        retries.chain(hosts.map(|(_, host)| host.next_at)).min()
    }

    fn delay(&self, host: usize) -> i64 {
        self.hosts[host].delay.unwrap_or(DELAY_MS)
    }

    fn lease(&mut self) -> Option<usize> {
        let id = self.best()?;
        let host = self.links[id].url % HOSTS;
        self.links[id].state = LinkState::Leased;
        self.links[id].attempts += 1;
        self.links[id].retry_at = None;
        self.hosts[host].in_flight += 1;
        self.hosts[host].next_at = self.hosts[host].next_at.max(self.clock + self.delay(host));
        Some(id)
    }

    fn settle(&mut self, id: usize, ending: Ending) {
        let host = self.links[id].url % HOSTS;
        self.hosts[host].in_flight -= 1;
        let link = &mut self.links[id];
        match ending {
            Ending::Done => link.state = LinkState::Done,
            Ending::Failed => link.state = LinkState::Failed(7),
            Ending::Retry(ms) => {
                link.state = LinkState::Waiting;
                link.retry_at = Some(self.clock + ms);
            }
            Ending::Release => {
                link.state = LinkState::Waiting;
                link.attempts -= 1;
                return;
            }
            Ending::Dropped => {
                link.state = LinkState::Dropped(8);
                link.attempts -= 1;
                return;
            }
        }
        self.hosts[host].fetched += 1;
        self.hosts[host].failed += u64::from(!matches!(ending, Ending::Done));
        self.hosts[host].next_at = self.hosts[host].next_at.max(self.clock + self.delay(host));
    }

    fn page(&mut self, page: &Page, name: &[u8]) -> Committed {
        let first_id = LinkId(self.links.len() as u32);
        let mut outcome = Committed { first_id, added: 0, known: 0, moved: 0, revived: 0, full: 0 };
        for &(group, step) in &page.factors {
            self.factors.insert(group, factor(step));
        }
        for &(url, group, step, waits) in &page.add {
            let own = score(step);
            let Some(id) = self.find(url) else {
                if self.links.len() >= self.max_links {
                    outcome.full += 1;
                    continue;
                }
                let state = if waits { LinkState::Waiting } else { LinkState::Refused(9) };
                let payload = name.to_vec();
                self.links.push(RefLink { url, group, own, state, attempts: 0, retry_at: None, payload });
                self.hosts[url % HOSTS].known = true;
                outcome.added += 1;
                continue;
            };
            outcome.known += 1;
            let link = &self.links[id];
            let moves =
                link.state == LinkState::Waiting && self.worth(group, own) > self.worth(link.group, link.own);
            let revives = link.state == LinkState::Refused(9);
            if waits && (moves || revives) {
                outcome.moved += u32::from(moves);
                outcome.revived += u32::from(revives);
                let link = &mut self.links[id];
                (link.group, link.own, link.state) = (group, own, LinkState::Waiting);
                link.payload = name.to_vec();
            }
        }
        for &(url, step) in &page.rescore {
            if let Some(id) = self.find(url)
                && self.links[id].state == LinkState::Waiting
            {
                self.links[id].own = score(step);
            }
        }
        for &n in &page.drop {
            if let Some(link) = self.links.get_mut(n)
                && link.state == LinkState::Waiting
            {
                link.state = LinkState::Dropped(5);
                link.retry_at = None;
            }
        }
        outcome
    }

    fn reopen(&mut self) {
        for link in self.links.iter_mut().filter(|link| link.state == LinkState::Leased) {
            link.state = LinkState::Waiting;
        }
        self.hosts.iter_mut().for_each(|host| host.in_flight = 0);
    }
}

struct Pair {
    dir: tempfile::TempDir,
    options: Options,
    frontier: Option<Frontier>,
    reference: Reference,
    pages: u32,
}

impl Pair {
    fn new(concurrency: u32, budget: Option<u64>, max_links: usize) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let options = Options {
            host_delay: Duration::from_millis(DELAY_MS as u64),
            host_concurrency: concurrency,
            host_budget: budget,
            max_links: max_links as u32,
            ..Options::default()
        };
        let frontier = Some(Frontier::open(dir.path(), &options).expect("a frontier"));
        let hosts = vec![RefHost::default(); HOSTS];
        let (links, factors) = (Vec::new(), BTreeMap::new());
        let reference = Reference { clock: 0, links, hosts, factors, concurrency, budget, max_links };
        Self { dir, options, frontier, reference, pages: 0 }
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
                if self.reference.hosts[*host].known {
                    let next_at = &mut self.reference.hosts[*host].next_at;
                    *next_at = (*next_at).max(until);
                }
                self.frontier().rest_host(&url(*host).host_key(), Timestamp::from_millis(until));
                self.empty_commit();
            }
            Step::Slow { host, ms } => {
                if self.reference.hosts[*host].known {
                    self.reference.hosts[*host].delay = Some(*ms as i64);
                }
                self.frontier().set_host_delay(&url(*host).host_key(), Duration::from_millis(*ms));
                self.empty_commit();
            }
            Step::Reopen => {
                // Dropped, not closed.
                self.frontier = None;
                self.frontier = Some(Frontier::open(self.dir.path(), &self.options).expect("reopens"));
                self.reference.reopen();
                self.empty_commit();
                self.compare_links();
            }
        }
        self.compare_counts();
    }

    /// Tells the frontier the time, and stores what is not stored yet.
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
                let parked = parked.filter(|link| self.reference.factor(link.group) == Factor::Parked);
                let parked = parked.filter(|link| !self.reference.is_spent(link.url % HOSTS));
                let parked = parked.count() as u64;
                let is_empty = leased == 0 && parked == 0;
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
            block: &name,
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
            drop: page
                .drop
                .iter()
                .filter(|&&n| n < self.reference.links.len())
                .map(|&n| (LinkId(n as u32), 5))
                .collect(),
            rows: Vec::new(),
            now,
        };
        let outcome = self.frontier.as_mut().expect("open").commit(&commit).expect("commits");
        let drop = commit.drop.iter().map(|(id, _)| id.0 as usize).collect();
        for (id, ending) in settle {
            self.reference.settle(id, ending);
        }
        let page = Page { drop, ..page.clone() };
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
        let stats = self.frontier().stats();
        let links = &self.reference.links;
        let count = |is: &dyn Fn(&RefLink) -> bool| links.iter().filter(|link| is(link)).count() as u64;
        let waiting = |link: &RefLink| link.state == LinkState::Waiting;
        assert_eq!(stats.known, links.len() as u64);
        assert_eq!(stats.waiting, count(&waiting));
        let parked = |link: &RefLink| waiting(link) && self.reference.factor(link.group) == Factor::Parked;
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
            assert_eq!(
                (info.leased, info.fetched, info.failed),
                (host.in_flight.into(), host.fetched, host.failed)
            );
            assert_eq!(info.next_at.as_millis().max(0), host.next_at);
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
        prop::collection::vec((0..URLS, 0..4u64, 0..6u8, prop::bool::weighted(0.8)), few(7)),
        prop::collection::vec((0..4u64, prop::option::weighted(0.8, 0..6u8)), few(3)),
        prop::collection::vec((0..URLS, 0..6u8), few(3)),
        prop::collection::vec(0..URLS, few(2)),
    )
        .prop_map(|(settle, add, factors, rescore, drop)| Page { settle, add, factors, rescore, drop })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => Just(Step::Lease),
        3 => (0..25i64).prop_map(Step::Pass),
        8 => page().prop_map(Step::Page),
        1 => (0..HOSTS, 0..50i64).prop_map(|(host, ms)| Step::Rest { host, ms }),
        1 => (0..HOSTS, 0..40u64).prop_map(|(host, ms)| Step::Slow { host, ms }),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_reference(
        concurrency in 1..3u32,
        budget in prop::option::weighted(0.3, 1..6u64),
        max_links in prop_oneof![3 => Just(1000), 1 => 5..20usize],
        steps in prop::collection::vec(step(), 20..120),
    ) {
        let mut pair = Pair::new(concurrency, budget, max_links);
        for step in &steps {
            pair.step(step);
        }
        pair.empty_commit();
        pair.compare_links();
    }
}
