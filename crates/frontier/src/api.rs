//! The public types of the frontier: options, leases, commits, and reports on links and hosts.

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::Duration;

use osprey_model::{CanonicalUrl, GroupFactor, GroupId, HostKey, LinkId, LinkScore, Timestamp};

/// Limits of a frontier. They are not stored, so they may change each time it is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Minimum time between two requests to a host; its [`Pace`] may demand more. It counts from the end of a request
    /// if `host_concurrency` is 1, otherwise from the beginning of the last one.
    pub host_delay: Duration,
    /// Maximum number of open leases per host.
    pub host_concurrency: u32,
    /// Minimum time between two requests to the hosts of one address, counted like `host_delay`.
    pub ip_delay: Duration,
    /// Maximum number of open leases over all hosts of one address.
    pub ip_concurrency: u32,
    /// Maximum number of requests per host; after that, its links are not handed out.
    pub host_budget: Option<u64>,
    /// Maximum number of known URLs; further links are refused and counted as `full`. This is what bounds the memory.
    /// At ten million URLs, a URL was measured to cost 37 bytes if all are in one group, 50 if every page makes a
    /// group, and 63 if nearly every link is alone in its group at its host (the store's memory included): the
    /// default allows 1.7 to 2.9 GiB.
    pub max_links: u32,
    /// How long after a commit [`Frontier::is_sync_due`](crate::Frontier::is_sync_due) asks for
    /// [`Frontier::sync`](crate::Frontier::sync); with `Duration::MAX` it never does. The frontier does not sync by
    /// itself, because its rows may refer to other files of the caller, which must be on the disk first. Commits
    /// survive the end of the process at once; only a power failure or a crash of the operating system can lose
    /// commits that were not synced.
    pub sync_every: Duration,
    /// Memory for the cache of blocks read from the store.
    pub cache_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host_delay: Duration::from_secs(1),
            host_concurrency: 1,
            ip_delay: Duration::from_secs(1),
            ip_concurrency: 1,
            host_budget: None,
            max_links: 50_000_000,
            sync_every: Duration::from_secs(5),
            cache_bytes: 16 << 20,
        }
    }
}

/// The result of [`Frontier::lease`](crate::Frontier::lease).
#[derive(Clone, Debug, PartialEq)]
pub enum Pick {
    /// A link to fetch and then settle.
    Leased(Lease),
    /// Links wait, but for the delay of their host or address, or for their retry time. Settling a lease may make one
    /// ready earlier; when this time comes, the address of a host may be in use again.
    Wait {
        /// When to ask again.
        until: Timestamp,
    },
    /// No link is ready, and time alone makes none ready: first a factor has to change, a lease or turn has to end,
    /// or a lane has to open.
    Blocked {
        /// Waiting links in parked groups, without those of hosts whose budget is spent.
        parked: u64,
        /// Links that are leased.
        leased: u64,
    },
    /// No links are left to hand out. Links of hosts whose budget is spent do not count.
    Empty,
}

/// A link that was handed out. The caller has to settle it. If the process ends first, the link waits again when the
/// frontier is next opened, and the attempt is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// The link.
    pub id: LinkId,
    /// Its URL.
    pub url: CanonicalUrl,
    /// Its `factor x own` at the time of the lease.
    pub priority: f32,
    /// Its own score.
    pub own: LinkScore,
    /// The group in which it waited.
    pub group: GroupId,
    /// That group's factor.
    pub factor: GroupFactor,
    /// 1 for the first lease. Leases that were retried or lost with the process count too.
    pub attempt: u32,
    /// What the caller stored with the block in which this link was placed.
    pub block: Vec<u8>,
    /// What the caller stored with this link.
    pub payload: Vec<u8>,
}

/// Everything that one page changes; stored completely or not at all.
///
/// The parts are applied in this order: settle, again, factors, place, add, rescore, moves, drop, rows. Links found
/// again are therefore compared under the new factors.
#[derive(Clone, Debug, Default)]
pub struct Commit<'a> {
    /// Leases that end.
    pub settle: Vec<(LinkId, Settle)>,
    /// Links that are done, failed or dropped and that shall wait again, in the group and with the own score they
    /// had, as if never leased. Other links are ignored.
    pub again: Vec<LinkId>,
    /// The same, but with a new group and own score.
    pub again_in: Vec<(LinkId, GroupId, LinkScore)>,
    /// Stored once for all links of `add`, and returned with each of them: what they have in common, such as the page
    /// they were found on.
    pub block: &'a [u8],
    /// Links whose group and score were worked out again: waiting links move there, even to a worse place; all others
    /// are treated as if they were in `add`.
    pub place: Vec<NewLink<'a>>,
    /// Links that were found on the page.
    pub add: Vec<NewLink<'a>>,
    /// Waiting links that move to another group and score but keep what is stored with them. Other links are ignored.
    pub moves: Vec<(LinkId, GroupId, LinkScore)>,
    /// New factors of groups; a group need not have links yet.
    pub factors: Vec<(GroupId, GroupFactor)>,
    /// New own scores. Links that do not wait are ignored.
    pub rescore: Vec<(Target<'a>, LinkScore)>,
    /// Links to drop, with a reason code of the caller. Links that do not wait are ignored.
    pub drop: Vec<(LinkId, u8)>,
    /// Rows of the caller, written in the same commit.
    pub rows: Vec<Row<'a>>,
    /// The current time.
    pub now: Timestamp,
}

/// A link that was found on a page.
#[derive(Clone, Copy, Debug)]
pub struct NewLink<'a> {
    /// Where it leads.
    pub url: &'a CanonicalUrl,
    /// The group in which it waits.
    pub group: GroupId,
    /// Its score inside the group.
    pub own: LinkScore,
    /// Stored with the link and returned with its lease.
    pub payload: &'a [u8],
    /// Whether it waits, or is only remembered.
    pub state: Initial,
}

/// The state in which a link is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// It waits to be leased.
    Waiting,
    /// It is remembered, with the caller's reason, but not handed out. If it is found again as `Waiting`, it waits.
    Dropped(u8),
}

/// How a lease ends. The first three mean that a request was made and ended at [`Commit::now`]; after the others, the
/// clocks of host and address are as if the lease had never existed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settle {
    /// Fetched; not handed out again.
    Done,
    /// It waits again, from this moment on.
    Retry {
        /// The moment.
        at: Timestamp,
    },
    /// Given up after a request.
    Failed {
        /// The caller's reason.
        reason: u8,
    },
    /// Given up before a request was made: forbidden by robots.txt, or a trap.
    Dropped {
        /// The caller's reason.
        reason: u8,
    },
    /// It waits again as before; no request was made.
    Release,
}

/// A link, by id or by URL.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// By id; an unknown id is an error.
    Id(LinkId),
    /// By URL; an unknown URL is ignored.
    Url(&'a CanonicalUrl),
}

impl From<LinkId> for Target<'_> {
    fn from(id: LinkId) -> Self {
        Self::Id(id)
    }
}

impl<'a> From<&'a CanonicalUrl> for Target<'a> {
    fn from(url: &'a CanonicalUrl) -> Self {
        Self::Url(url)
    }
}

/// Tables for the caller's rows; the frontier does not interpret them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// One row per visited page.
    Visits,
    /// State of the policy.
    Policy,
    /// Digests of content.
    Digests,
    /// Robots rules.
    Robots,
    /// Everything else about the crawl.
    Meta,
}

/// A row of the caller.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The table that holds it.
    pub table: Table,
    /// Its key.
    pub key: Cow<'a, [u8]>,
    /// Its value; `None` deletes the row.
    pub value: Option<Cow<'a, [u8]>>,
}

/// The effect of a commit on its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The id of the first link that was added; the others follow in the order of `add`.
    pub first_id: LinkId,
    /// Links that were not known before.
    pub added: u32,
    /// Links that were known before, including `moved` and `revived`.
    pub known: u32,
    /// Known links that moved to a better place.
    pub moved: u32,
    /// Links that were only remembered and now wait.
    pub revived: u32,
    /// Links refused because `max_links` URLs are known.
    pub full: u32,
    /// Finished links that wait again.
    pub again: u32,
}

/// The state of a link.
///
/// ```text
///  add --> Waiting --lease--> Leased --Done----> Done
///   |       ^  |  ^             |------Failed--> Failed
///   |       |  |  |             |-----Dropped--> Dropped
///   |       |  |  +--- Retry ---+
///   |       |  |  +-- Release --+   (also when the process ends)
///   |       |  +------drop-----------> Dropped
///   |       +-------- again -------- Done, Failed, Dropped
///   +--> Refused  (added as `Initial::Dropped`; waits once it is added as `Waiting`)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Waits: for its turn, its host, its group or its retry time.
    Waiting,
    /// Handed out and not yet settled.
    Leased,
    /// Fetched.
    Done,
    /// Given up after a request, with the caller's reason.
    Failed(u8),
    /// Dropped while it waited or before its request, with the caller's reason.
    Dropped(u8),
    /// Remembered only, with the caller's reason; it never waited.
    Refused(u8),
}

impl LinkState {
    /// Whether a link is finished (done, failed or dropped) and may be made to wait again.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed(_) | Self::Dropped(_))
    }
}

/// Everything about one link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkInfo {
    /// Its number.
    pub id: LinkId,
    /// Its URL.
    pub url: CanonicalUrl,
    /// Its state.
    pub state: LinkState,
    /// Its group, or the last group it was in.
    pub group: GroupId,
    /// Its own score.
    pub own: LinkScore,
    /// The current factor of its group.
    pub factor: GroupFactor,
    /// `factor x own`; `None` while its group is parked.
    pub priority: Option<f32>,
    /// How often it was leased, not counting released leases.
    pub attempts: u32,
    /// When it may be retried; `None` if it does not wait for that.
    pub retry_at: Option<Timestamp>,
    /// What was stored with the block in which it was placed.
    pub block: Vec<u8>,
    /// What was stored with the link.
    pub payload: Vec<u8>,
}

/// The state of one host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostInfo {
    /// Its name.
    pub host: HostKey,
    /// The number of its waiting links.
    pub waiting: u64,
    /// The number of its leased links.
    pub leased: u64,
    /// Settled requests, including failed ones.
    pub fetched: u64,
    /// Requests that failed or will be retried.
    pub failed: u64,
    /// The earliest moment of the next request, given its delay, its rest and its address; not after the epoch if it
    /// may be asked now. An open lease counts as a request made when it was leased.
    pub next_at: Timestamp,
    /// The time between two requests: the longest of the options' and the pace's delays.
    pub delay: Duration,
    /// The address it shares with others, if known.
    pub ip: Option<IpAddr>,
    /// How fast it may be asked.
    pub pace: Pace,
    /// The end of its rest, if that lies ahead.
    pub resting_until: Option<Timestamp>,
}

/// How fast a host may be asked. The frontier uses the longest of the two delays and [`Options::host_delay`]; it
/// stores the other values for the caller, who computes them. Times are stored in milliseconds, rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// The delay that the host asked for in robots.txt. However long it is, the host is slowed down and never
    /// dropped.
    pub crawl_delay: Option<Duration>,
    /// The delay that the caller adds because the host answers slowly or with errors.
    pub slowdown: Duration,
    /// Failures since the last success.
    pub streak: u16,
    /// The host's usual response time; at most 49 days.
    pub usual: Duration,
}

/// The result of [`Frontier::begin_turn`](crate::Frontier::begin_turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The request may be made; then the turn has to be ended.
    Granted,
    /// Not now; ask again at this moment, which lies ahead.
    Wait(Timestamp),
}

/// What the frontier waits for. A host counts here if it has a link to hand out: one that is not parked and does not
/// wait for its retry time, at a host whose budget is not spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Idle {
    /// Hosts that wait for a delay or rest, their own or their address's.
    pub delayed_hosts: u64,
    /// Those of `delayed_hosts` that were given a rest longer than their delay.
    pub resting_hosts: u64,
    /// Hosts that have no turn left, or whose address has none.
    pub busy_hosts: u64,
    /// The next moment at which a delay, rest or retry time ends.
    pub next_at: Option<Timestamp>,
    /// Waiting links in parked groups.
    pub parked_links: u64,
    /// Parked groups with waiting links.
    pub parked_groups: u64,
    /// Links that wait for their retry time.
    pub retrying_links: u64,
    /// Waiting links of hosts whose budget is spent.
    pub over_budget_links: u64,
}

/// Totals of the frontier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// URLs that were ever added.
    pub known: u64,
    /// Waiting links, including parked ones and those with a retry time.
    pub waiting: u64,
    /// Waiting links in parked groups.
    pub parked: u64,
    /// Links that wait for their retry time.
    pub retrying: u64,
    /// Waiting links of hosts whose budget is spent.
    pub over_budget: u64,
    /// Links handed out and not yet settled.
    pub leased: u64,
    /// Links fetched.
    pub done: u64,
    /// Links given up after a request.
    pub failed: u64,
    /// Links dropped, including those that never waited.
    pub dropped: u64,
    /// Hosts that ever had a link.
    pub hosts: u64,
    /// Hosts from which a link can be handed out now; of the hosts of one address only one counts.
    pub ready_hosts: u64,
    /// Groups with waiting links.
    pub groups: u64,
    /// The next moment at which a host, an address or a retried link becomes ready.
    pub next_ready: Option<Timestamp>,
}
