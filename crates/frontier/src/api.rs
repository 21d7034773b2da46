//! The types of the frontier's interface: options, picks, commits, and what it reports about a link.

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::Duration;

use osprey_model::{CanonicalUrl, GroupFactor, GroupId, HostKey, LinkId, LinkScore, Timestamp};

/// How a frontier behaves; none of it is stored, so each opening may choose other values.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time between two requests to a host, at least; its [`Pace`] may ask for more. It counts from the end of
    /// a request where `host_concurrency` is 1, else from the last beginning.
    pub host_delay: Duration,
    /// Leases at a time per host.
    pub host_concurrency: u32,
    /// Time between two requests to the hosts of one address, counted like `host_delay`.
    pub ip_delay: Duration,
    /// Leases at a time over all hosts of one address.
    pub ip_concurrency: u32,
    /// Requests per host after which its links are no longer handed out.
    pub host_budget: Option<u64>,
    /// Known URLs at most; links beyond are refused and counted as `full`. This is the memory cap. Measured
    /// at ten million, the store's own memory included, a known URL costs 37 bytes where all are in one
    /// group, 50 where every page makes a group, and 63 where nearly every link stands alone in its group
    /// at its host: the default means 1.7 to 2.9 GiB when it is reached.
    pub max_links: u32,
    /// How long a commit may wait until [`Frontier::is_sync_due`](crate::Frontier::is_sync_due) asks for
    /// [`Frontier::sync`](crate::Frontier::sync); `Duration::MAX` never asks. The frontier does not sync by
    /// itself: its rows may refer to other files of the caller's, which must be on the disk first. Only a
    /// power cut or a crash of the system can lose what is not synced: what was committed survives the end
    /// of the process at once.
    pub sync_every: Duration,
    /// Memory for blocks read from the store.
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

/// The answer to [`Frontier::lease`](crate::Frontier::lease).
#[derive(Clone, Debug, PartialEq)]
pub enum Pick {
    /// Fetch this link, and settle it.
    Leased(Lease),
    /// Links wait, but their hosts or addresses must rest or their retry time has not come. Settling a lease
    /// may make one ready earlier; a host that has rested may find its address taken.
    Wait {
        /// When to ask again.
        until: Timestamp,
    },
    /// No link is ready and none becomes so by time alone: a factor has to change, a lease or a turn to end, or a lane to
    /// open.
    Blocked {
        /// Links that wait in parked groups, at hosts whose budget is not spent.
        parked: u64,
        /// Links in flight.
        leased: u64,
    },
    /// Nothing is left to hand out. Links of hosts whose budget is spent do not count.
    Empty,
}

/// A link that was handed out. It has to be settled; if the process ends first, the link waits again when
/// the frontier is opened, with one attempt more.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// The link.
    pub id: LinkId,
    /// Its URL.
    pub url: CanonicalUrl,
    /// `factor x own` at the moment of the lease.
    pub priority: f32,
    /// Its own score.
    pub own: LinkScore,
    /// The group it waited in.
    pub group: GroupId,
    /// That group's factor.
    pub factor: GroupFactor,
    /// 1 for the first lease; counts leases that were retried or died with the process, too.
    pub attempt: u32,
    /// What the caller stored with the block of links this one was placed with.
    pub block: Vec<u8>,
    /// What the caller stored with this link.
    pub payload: Vec<u8>,
}

/// Everything one page changes, stored as a whole or not at all.
///
/// Applied in this order: settle, again, factors, place, add, rescore, moves, drop, rows. So links that are found again are
/// compared under the new factors.
#[derive(Clone, Debug, Default)]
pub struct Commit<'a> {
    /// Leases that end.
    pub settle: Vec<(LinkId, Settle)>,
    /// Links that are done, failed or dropped, and wait once more in the group and with the own score they had,
    /// as if never leased; others are left alone.
    pub again: Vec<LinkId>,
    /// The same, in another group and with another own score.
    pub again_in: Vec<(LinkId, GroupId, LinkScore)>,
    /// Handed back with every link of `add`: what is common to them, like the page they were found on.
    pub block: &'a [u8],
    /// Links whose place is worked out anew: those that wait move to it, better or worse than the one they had; for others
    /// it is as if they were in `add`.
    pub place: Vec<NewLink<'a>>,
    /// Links that were found.
    pub add: Vec<NewLink<'a>>,
    /// Waiting links that move, and keep what is stored with them; others are left alone.
    pub moves: Vec<(LinkId, GroupId, LinkScore)>,
    /// New factors of groups, known or not.
    pub factors: Vec<(GroupId, GroupFactor)>,
    /// New own scores; links that do not wait are left alone.
    pub rescore: Vec<(Target<'a>, LinkScore)>,
    /// Links to give up, with a reason of the caller's; links that do not wait are left alone.
    pub drop: Vec<(LinkId, u8)>,
    /// Rows of the caller's that land with the commit.
    pub rows: Vec<Row<'a>>,
    /// The present moment.
    pub now: Timestamp,
}

/// A link that was found on a page.
#[derive(Clone, Copy, Debug)]
pub struct NewLink<'a> {
    /// Where it leads.
    pub url: &'a CanonicalUrl,
    /// The group it waits in.
    pub group: GroupId,
    /// Its score inside the group.
    pub own: LinkScore,
    /// Handed back with the lease.
    pub payload: &'a [u8],
    /// Whether it waits at all.
    pub state: Initial,
}

/// How a link starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// It waits to be leased.
    Waiting,
    /// It is only remembered, with the caller's reason. Found again as `Waiting`, it is taken up.
    Dropped(u8),
}

/// How a lease ends. The first three mean that a request was made, which ended at [`Commit::now`]; after the
/// others host and address are as if the lease had never been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settle {
    /// Fetched; never handed out again.
    Done,
    /// Waits again from this moment on.
    Retry {
        /// The moment.
        at: Timestamp,
    },
    /// Given up.
    Failed {
        /// The caller's reason.
        reason: u8,
    },
    /// Given up before a request was made: forbidden, or a trap.
    Dropped {
        /// The caller's reason.
        reason: u8,
    },
    /// Put back untouched: no request was made.
    Release,
}

/// A link, by number or by URL.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// By number; an unknown one is an error.
    Id(LinkId),
    /// By URL; an unknown one is left alone.
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

/// Tables for rows of the caller's; the frontier does not look inside.
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

/// A row of the caller's.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// Where it lives.
    pub table: Table,
    /// Its key.
    pub key: Cow<'a, [u8]>,
    /// Its value; `None` removes the row.
    pub value: Option<Cow<'a, [u8]>>,
}

/// What a commit did with its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The number of the first link added; those after it count up, in the order of `add`.
    pub first_id: LinkId,
    /// Links that were not known before.
    pub added: u32,
    /// Links that were known, `moved` and `revived` included.
    pub known: u32,
    /// Links found again that moved to a better group.
    pub moved: u32,
    /// Links remembered as dropped that wait now.
    pub revived: u32,
    /// Links refused because `max_links` are known.
    pub full: u32,
    /// Links that were over and wait again.
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
    /// Waits for its turn, its host, its group or its retry time.
    Waiting,
    /// In flight.
    Leased,
    /// Fetched.
    Done,
    /// Given up, with the caller's reason.
    Failed(u8),
    /// Dropped while it waited or before its request was made, with the caller's reason.
    Dropped(u8),
    /// Never waited, with the caller's reason.
    Refused(u8),
}

impl LinkState {
    /// Whether a link had its turn, or was dropped, and may wait again.
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
    /// The group it is, or last was, in.
    pub group: GroupId,
    /// Its own score.
    pub own: LinkScore,
    /// Its group's present factor.
    pub factor: GroupFactor,
    /// `factor x own`; `None` while its group is parked.
    pub priority: Option<f32>,
    /// How often it was leased, released leases left out.
    pub attempts: u32,
    /// When it may be retried, if that is why it waits.
    pub retry_at: Option<Timestamp>,
    /// What was stored with the block it was placed with.
    pub block: Vec<u8>,
    /// What was stored with the link.
    pub payload: Vec<u8>,
}

/// One host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostInfo {
    /// Its name.
    pub host: HostKey,
    /// Its waiting links.
    pub waiting: u64,
    /// Its links in flight.
    pub leased: u64,
    /// Requests that were settled, failed ones included.
    pub fetched: u64,
    /// Requests that were settled as failed or to be retried.
    pub failed: u64,
    /// No request before this moment, by its delay, its rest and its address; not after the epoch if there is
    /// nothing to wait for. While a lease is open this counts from the lease.
    pub next_at: Timestamp,
    /// Time between two requests: the longest of the options' and the pace's.
    pub delay: Duration,
    /// The address it shares with others, if known.
    pub ip: Option<IpAddr>,
    /// How fast it wants to be asked.
    pub pace: Pace,
    /// Until when it was told to rest, if that moment has not come.
    pub resting_until: Option<Timestamp>,
}

/// How fast a host wants to be asked. The frontier uses the longest of the two delays and
/// [`Options::host_delay`], and keeps the rest for the caller who works them out. Kept to the millisecond,
/// rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// What the host asked for. However long, it slows the host and never drops it.
    pub crawl_delay: Option<Duration>,
    /// What the caller adds because the host answers slowly or badly.
    pub slowdown: Duration,
    /// Failures in a row.
    pub streak: u16,
    /// How long it usually takes to answer; 49 days at most.
    pub usual: Duration,
}

/// The answer to [`Frontier::begin_turn`](crate::Frontier::begin_turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Make the request, and end the turn.
    Granted,
    /// Not now; ask again at this moment, which lies ahead.
    Wait(Timestamp),
}

/// What there is to wait for. Hosts count here if they have a link to hand out: one that neither is parked nor
/// waits for its retry time, at a host whose budget is not spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Idle {
    /// Hosts that wait for a clock, their own or their address's.
    pub delayed_hosts: u64,
    /// Those of them that were told to rest for longer than their delay.
    pub resting_hosts: u64,
    /// Hosts whose turns, or those of their addresses, are all in flight.
    pub busy_hosts: u64,
    /// The next moment at which a clock runs out or a retry time comes.
    pub next_at: Option<Timestamp>,
    /// Links that wait in parked groups.
    pub parked_links: u64,
    /// Parked groups with waiting links.
    pub parked_groups: u64,
    /// Links that wait for their retry time.
    pub retrying_links: u64,
    /// Links that wait at hosts whose budget is spent.
    pub over_budget_links: u64,
}

/// Counts over the whole frontier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// URLs ever added.
    pub known: u64,
    /// Links that wait, parked ones and those with a retry time included.
    pub waiting: u64,
    /// Links that wait in parked groups.
    pub parked: u64,
    /// Links that wait for their retry time.
    pub retrying: u64,
    /// Links that wait at hosts whose budget is spent.
    pub over_budget: u64,
    /// Links in flight.
    pub leased: u64,
    /// Links fetched.
    pub done: u64,
    /// Links given up.
    pub failed: u64,
    /// Links dropped, those that never waited included.
    pub dropped: u64,
    /// Hosts ever seen.
    pub hosts: u64,
    /// Hosts that have a link to hand out now; of those that share an address only one counts.
    pub ready_hosts: u64,
    /// Groups with waiting links.
    pub groups: u64,
    /// The next moment at which a resting host or address or a retried link comes back.
    pub next_ready: Option<Timestamp>,
}
