//! What a frontier should do, as plainly as possible: lists that are scanned. Clocks are not kept but computed each
//! time from all requests ever made.

use std::collections::BTreeMap;

use osprey_frontier::{Committed, Idle, LinkState, Turn};
use osprey_model::{GroupFactor, LinkId, LinkScore, Timestamp};

use super::{Ending, HOSTS, Page, factor, score};

pub(crate) const DELAY_MS: i64 = 10;
pub(crate) const IP_DELAY_MS: i64 = 14;
const BUSY_MS: i64 = 50;

#[derive(Clone, Debug)]
pub(crate) struct RefLink {
    pub(crate) url: usize,
    pub(crate) group: u64,
    pub(crate) own: LinkScore,
    pub(crate) state: LinkState,
    pub(crate) attempts: u32,
    pub(crate) retry_at: Option<i64>,
    pub(crate) payload: Vec<u8>,
}

/// A request, made or under way, for a link or without one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Request {
    host: usize,
    link: Option<usize>,
    began: i64,
    ended: Option<i64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RefHost {
    pub(crate) known: bool,
    pub(crate) requests: Vec<Request>,
    pub(crate) fetched: u64,
    pub(crate) failed: u64,
    pub(crate) rest_until: Option<i64>,
    pub(crate) crawl_delay: Option<i64>,
    pub(crate) slowdown: i64,
    pub(crate) ip: Option<u8>,
    /// Requests of an ended process may have been made at any time since.
    pub(crate) is_orphaned: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RefOptions {
    pub(crate) host_concurrency: usize,
    pub(crate) ip_concurrency: usize,
    pub(crate) budget: Option<u64>,
    pub(crate) max_links: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) clock: i64,
    pub(crate) links: Vec<RefLink>,
    pub(crate) hosts: Vec<RefHost>,
    /// Requests to each address, in the order of their turns.
    pub(crate) addresses: BTreeMap<u8, Vec<Request>>,
    pub(crate) factors: BTreeMap<u64, GroupFactor>,
    pub(crate) options: RefOptions,
}

fn open(requests: &[Request]) -> usize {
    requests.iter().filter(|request| request.ended.is_none()).count()
}

/// With one at a time, the delay counts from the last end, or from the beginning of a request under way; otherwise
/// from the last beginning.
fn next_at(requests: &[Request], concurrency: usize, delay: i64) -> Option<i64> {
    let last = |request: &Request| match request.ended {
        Some(ended) if concurrency == 1 => ended,
        _ => request.began,
    };
    requests.iter().map(last).max().map(|last| last + delay)
}

impl Reference {
    pub(crate) fn new(options: RefOptions) -> Self {
        let hosts = vec![RefHost::default(); HOSTS];
        let (links, addresses, factors) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Self { clock: 0, links, hosts, addresses, factors, options }
    }

    pub(crate) fn factor(&self, group: u64) -> GroupFactor {
        self.factors.get(&group).copied().unwrap_or(GroupFactor::ONE)
    }

    pub(crate) fn worth(&self, group: u64, own: LinkScore) -> Option<f32> {
        match self.factor(group) {
            GroupFactor::Times(times) => Some(LinkScore::new(times.get() * own.get()).get()),
            GroupFactor::Parked => None,
        }
    }

    pub(crate) fn delay(&self, host: usize) -> i64 {
        let host = &self.hosts[host];
        DELAY_MS.max(host.crawl_delay.unwrap_or(0)).max(host.slowdown)
    }

    pub(crate) fn leased(&self, host: usize) -> u64 {
        let requests = self.hosts[host].requests.iter();
        requests.filter(|request| request.ended.is_none() && request.link.is_some()).count() as u64
    }

    pub(crate) fn is_spent(&self, host: usize) -> bool {
        self.options.budget.is_some_and(|budget| self.hosts[host].fetched + self.leased(host) >= budget)
    }

    fn is_due(&self, link: &RefLink) -> bool {
        link.state == LinkState::Waiting && link.retry_at.is_none_or(|at| at <= self.clock)
    }

    /// Whether a host has a link to hand out.
    fn has_links(&self, host: usize) -> bool {
        let mut links = self.links.iter().filter(|link| link.url % HOSTS == host && self.is_due(link));
        !self.is_spent(host) && links.any(|link| self.worth(link.group, link.own).is_some())
    }

    fn is_full(&self, host: usize) -> bool {
        open(&self.hosts[host].requests) >= self.options.host_concurrency
    }

    /// The next moment by delay and by rest.
    fn own_clocks(&self, host: usize) -> (Option<i64>, Option<i64>) {
        let RefHost { requests, rest_until, .. } = &self.hosts[host];
        (next_at(requests, self.options.host_concurrency, self.delay(host)), *rest_until)
    }

    fn own_next_at(&self, host: usize) -> i64 {
        let (delay, rest) = self.own_clocks(host);
        delay.max(rest).unwrap_or(0)
    }

    fn is_own_ready(&self, host: usize) -> bool {
        !self.is_full(host) && self.own_next_at(host) <= self.clock
    }

    fn requests_at(&self, ip: u8) -> &[Request] {
        self.addresses.get(&ip).map_or(&[], Vec::as_slice)
    }

    fn is_ip_full(&self, ip: u8) -> bool {
        open(self.requests_at(ip)) >= self.options.ip_concurrency
    }

    fn ip_next_at(&self, ip: u8) -> i64 {
        next_at(self.requests_at(ip), self.options.ip_concurrency, IP_DELAY_MS).unwrap_or(0)
    }

    fn is_ip_ready(&self, ip: u8) -> bool {
        !self.is_ip_full(ip) && self.ip_next_at(ip) <= self.clock
    }

    pub(crate) fn next_at(&self, host: usize) -> i64 {
        let ip = self.hosts[host].ip.map_or(0, |ip| self.ip_next_at(ip));
        self.own_next_at(host).max(ip)
    }

    pub(crate) fn may_ask(&self, host: usize) -> bool {
        let Some(ip) = self.hosts[host].ip else { return true };
        let requests = self.requests_at(ip);
        let mine = requests.iter().rposition(|request| request.host == host && request.ended.is_none());
        let mine = mine.unwrap_or(requests.len());
        // Finished requests count wherever they are in the list.
        let others = requests.iter().enumerate();
        let others = others.filter(|(place, request)| *place < mine || request.ended.is_some());
        let others: Vec<Request> = others.map(|(_, &request)| request).collect();
        let limit = self.options.ip_concurrency;
        open(&others) < limit && next_at(&others, limit, IP_DELAY_MS).is_none_or(|at| at <= self.clock)
    }

    pub(crate) fn find(&self, url: usize) -> Option<usize> {
        self.links.iter().position(|link| link.url == url)
    }

    /// The best of the queue heads: inside a group own scores count, between groups factor x own.
    fn best(&self) -> Option<usize> {
        let mut heads: BTreeMap<(usize, u64), usize> = BTreeMap::new();
        for (id, link) in self.links.iter().enumerate() {
            let host = link.url % HOSTS;
            let is_ready = self.has_links(host)
                && self.is_own_ready(host)
                && self.hosts[host].ip.is_none_or(|ip| self.is_ip_ready(ip));
            if is_ready && self.is_due(link) && self.worth(link.group, link.own).is_some() {
                let head = heads.entry((host, link.group)).or_insert(id);
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

    /// Hosts with links that wait for their own delays or rests.
    fn resting(&self) -> impl Iterator<Item = usize> {
        let mine = |&host: &usize| self.has_links(host) && !self.is_full(host);
        (0..HOSTS).filter(mine).filter(|&host| self.own_next_at(host) > self.clock)
    }

    /// Hosts with links that wait only for their addresses.
    fn pooled(&self) -> impl Iterator<Item = (usize, u8)> {
        let mine = |&host: &usize| self.has_links(host) && self.is_own_ready(host);
        let pooled = (0..HOSTS).filter(mine).filter_map(|host| self.hosts[host].ip.map(|ip| (host, ip)));
        pooled.filter(|&(_, ip)| !self.is_ip_ready(ip))
    }

    pub(crate) fn next_ready(&self) -> Option<i64> {
        let retries = self.links.iter().filter(|link| link.state == LinkState::Waiting);
        let retries = retries.filter(|link| {
            self.factor(link.group) != GroupFactor::Parked && !self.is_spent(link.url % HOSTS)
        });
        let retries = retries.filter_map(|link| link.retry_at).filter(|&at| at > self.clock);
        let hosts = self.resting().map(|host| self.own_next_at(host));
        let ips = self.pooled().filter(|&(_, ip)| !self.is_ip_full(ip)).map(|(_, ip)| self.ip_next_at(ip));
        retries.chain(hosts).chain(ips).min()
    }

    pub(crate) fn idle(&self) -> Idle {
        let waiting = || self.links.iter().filter(|link| link.state == LinkState::Waiting);
        let parked = || waiting().filter(|link| self.factor(link.group) == GroupFactor::Parked);
        let mut groups: Vec<u64> = parked().map(|link| link.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let by_rest = |&host: &usize| {
            let (delay, rest) = self.own_clocks(host);
            rest > delay
        };
        let busy_ip = |&(_, ip): &(usize, u8)| self.is_ip_full(ip);
        let busy = (0..HOSTS).filter(|&host| self.has_links(host) && self.is_full(host)).count();
        Idle {
            delayed_hosts: (self.resting().count() + self.pooled().filter(|pair| !busy_ip(pair)).count())
                as u64,
            resting_hosts: self.resting().filter(by_rest).count() as u64,
            busy_hosts: (busy + self.pooled().filter(busy_ip).count()) as u64,
            next_at: self.next_ready().map(Timestamp::from_millis),
            parked_links: parked().count() as u64,
            parked_groups: groups.len() as u64,
            retrying_links: waiting().filter(|link| !self.is_due(link)).count() as u64,
            over_budget_links: waiting().filter(|link| self.is_spent(link.url % HOSTS)).count() as u64,
        }
    }

    /// Requests of an ended process count as made now.
    fn adopt_orphans(&mut self) {
        for host in 0..HOSTS {
            if std::mem::take(&mut self.hosts[host].is_orphaned) {
                self.begin(host, None);
                self.end(host, None);
            }
        }
    }

    fn begin(&mut self, host: usize, link: Option<usize>) {
        let request = Request { host, link, began: self.clock, ended: None };
        self.hosts[host].requests.push(request);
        if let Some(ip) = self.hosts[host].ip {
            self.addresses.entry(ip).or_default().push(request);
        }
    }

    /// The lists that contain a host's requests.
    fn lists(&mut self, host: usize) -> impl Iterator<Item = &mut Vec<Request>> {
        let RefHost { requests, ip, .. } = &mut self.hosts[host];
        [Some(requests), ip.and_then(|ip| self.addresses.get_mut(&ip))].into_iter().flatten()
    }

    fn end(&mut self, host: usize, link: Option<usize>) {
        let clock = self.clock;
        for list in self.lists(host) {
            let mine =
                |request: &&mut Request| (request.host, request.link, request.ended) == (host, link, None);
            list.iter_mut().find(mine).expect("under way").ended = Some(clock);
        }
    }

    /// Ends a lease without a request.
    fn cancel(&mut self, host: usize, link: usize) {
        for list in self.lists(host) {
            list.retain(|request| (request.link, request.ended) != (Some(link), None));
        }
    }

    pub(crate) fn lease(&mut self) -> Option<usize> {
        self.adopt_orphans();
        let id = self.best()?;
        self.links[id].state = LinkState::Leased;
        self.links[id].attempts += 1;
        self.links[id].retry_at = None;
        self.begin(self.links[id].url % HOSTS, Some(id));
        Some(id)
    }

    pub(crate) fn begin_turn(&mut self, host: usize) -> Turn {
        self.adopt_orphans();
        if !self.hosts[host].known {
            return Turn::Granted;
        }
        let at = self.next_at(host);
        let full_ip = self.hosts[host].ip.is_some_and(|ip| self.is_ip_full(ip));
        let wait = if full_ip {
            at.max(self.clock + BUSY_MS.max(self.delay(host)).max(IP_DELAY_MS))
        } else if self.is_full(host) {
            at.max(self.clock + BUSY_MS.max(self.delay(host)))
        } else if at > self.clock {
            at
        } else {
            self.begin(host, None);
            return Turn::Granted;
        };
        Turn::Wait(Timestamp::from_millis(wait))
    }

    /// Ends a turn; `false` if none is open.
    pub(crate) fn end_turn(&mut self, host: usize) -> bool {
        let is_open = self.hosts[host].requests.iter().any(|r| r.link.is_none() && r.ended.is_none());
        if is_open {
            self.end(host, None);
        }
        is_open
    }

    /// Earlier requests are assumed to have gone to the new address; open ones begin there now, and do not count at
    /// the old one.
    pub(crate) fn locate(&mut self, host: usize, ip: Option<u8>) {
        if !self.hosts[host].known || self.hosts[host].ip == ip {
            return;
        }
        if let Some(old) = self.hosts[host].ip.and_then(|ip| self.addresses.get_mut(&ip)) {
            old.retain(|request| request.host != host || request.ended.is_some());
        }
        self.hosts[host].ip = ip;
        if let Some(ip) = ip {
            let requests = self.hosts[host].requests.iter().copied();
            let clock = self.clock;
            let began = |request: Request| if request.ended.is_some() { request.began } else { clock };
            let moved = requests.map(|request| Request { began: began(request), ..request });
            self.addresses.entry(ip).or_default().extend(moved);
        }
    }

    pub(crate) fn settle(&mut self, id: usize, ending: Ending) {
        let host = self.links[id].url % HOSTS;
        let clock = self.clock;
        let link = &mut self.links[id];
        link.state = match ending {
            Ending::Done => LinkState::Done,
            Ending::Failed => LinkState::Failed(7),
            Ending::Dropped => LinkState::Dropped(8),
            Ending::Retry(_) | Ending::Release => LinkState::Waiting,
        };
        if matches!(ending, Ending::Release | Ending::Dropped) {
            link.attempts -= 1;
            return self.cancel(host, id);
        }
        if let Ending::Retry(ms) = ending {
            link.retry_at = Some(clock + ms);
        }
        self.end(host, Some(id));
        self.hosts[host].fetched += 1;
        self.hosts[host].failed += u64::from(!matches!(ending, Ending::Done));
    }

    pub(crate) fn page(&mut self, page: &Page, name: &[u8]) -> Committed {
        let first_id = LinkId(self.links.len() as u32);
        let mut outcome = Committed { first_id, added: 0, known: 0, moved: 0, revived: 0, full: 0, again: 0 };
        for &n in &page.again {
            let link = &mut self.links[n];
            if matches!(link.state, LinkState::Done | LinkState::Failed(_) | LinkState::Dropped(_)) {
                (link.state, link.attempts, link.retry_at) = (LinkState::Waiting, 0, None);
                outcome.again += 1;
            }
        }
        for &(group, step) in &page.factors {
            self.factors.insert(group, factor(step));
        }
        for &(url, group, step, waits) in &page.add {
            self.add(&mut outcome, url, (group, score(step)), waits, name);
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

    fn add(&mut self, outcome: &mut Committed, url: usize, at: (u64, LinkScore), waits: bool, name: &[u8]) {
        let (group, own) = at;
        let payload = name.to_vec();
        let Some(id) = self.find(url) else {
            if self.links.len() >= self.options.max_links {
                outcome.full += 1;
                return;
            }
            let state = if waits { LinkState::Waiting } else { LinkState::Refused(9) };
            self.links.push(RefLink { url, group, own, state, attempts: 0, retry_at: None, payload });
            self.hosts[url % HOSTS].known = true;
            outcome.added += 1;
            return;
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
            link.payload = payload;
        }
    }

    /// The process ended: its leases wait again, its turns have ended, and addresses know only their hosts.
    pub(crate) fn reopen(&mut self) {
        for link in self.links.iter_mut().filter(|link| link.state == LinkState::Leased) {
            link.state = LinkState::Waiting;
        }
        self.addresses.clear();
        for host in &mut self.hosts {
            host.is_orphaned |= host.requests.iter().any(|request| request.ended.is_none());
            host.requests.retain(|request| request.ended.is_some() || request.link.is_none());
            for request in &mut host.requests {
                request.ended = request.ended.or(Some(request.began));
            }
            if let Some(ip) = host.ip {
                self.addresses.entry(ip).or_default().extend(&host.requests);
            }
        }
    }
}
