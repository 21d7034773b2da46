//! Durable URL states and per-host queues: add, lease, settle, rescore, park.
//!
//! Links live in groups, and `priority(link) = factor(group) x own(link)`. Inside a group, links are ordered by own
//! score, then age; groups are ordered by factor x best own; the next link is the best among the hosts that may be
//! asked now. So a policy can move all siblings of a page, or all links of an uploader or of a page type, by setting
//! one factor; the cost depends on the number of the group's hosts, not of its links.
//!
//! Everything that a page changes is one [`Commit`]. It is stored completely or not at all, and survives `kill -9`. A
//! link that was leased when the process ended waits again when the frontier is next opened, with one attempt more.
//!
//! The time between two requests to a host is the longest of [`Options::host_delay`] and the delays of its [`Pace`];
//! between two requests to an address that hosts share it is [`Options::ip_delay`]. With one request at a time, the
//! delay counts from the end of the last one, otherwise from its beginning. A lease that is settled without a request
//! does not count; one whose process ended counts as asked when the next process leases for the first time.
//!
//! Memory holds fingerprints, states and queues (37 to 63 bytes per URL, see [`Options::max_links`]); the disk holds
//! URLs, payloads, factors, host clocks and the caller's rows. The frontier knows nothing of HTTP, robots.txt or
//! policies, gets the time from its caller, and has one owner: a second process on the same folder gets
//! [`FrontierError::Locked`].

mod addresses;
mod api;
mod asked;
mod block;
mod chunked;
mod codec;
mod commit;
mod error;
mod frontier;
mod host_row;
mod hosts;
mod lanes;
mod mix;
mod polite;
mod queue;
mod rank;
mod recover;
mod schedule;
mod seen;
mod slab;
mod slot;
mod status;
mod store;

pub use api::{
    Commit, Committed, HostInfo, Idle, Initial, Lease, LinkInfo, LinkState, NewLink, Options, Pace, Pick,
    Row, Settle, Stats, Table, Target, Turn,
};
pub use error::FrontierError;
pub use frontier::Frontier;
pub use lanes::{Lane, Lanes, Offer};
