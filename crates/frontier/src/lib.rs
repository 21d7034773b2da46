//! Durable URL states and per-host queues: add, lease, settle, rescore, park.
//!
//! Links live in groups, and `priority(link) = factor(group) x own(link)`. Inside a group links are ordered
//! by own score, then age; groups by factor x best own; the pick is the best among the hosts that may be
//! asked now. So a policy moves all siblings of a page, all links of an uploader or of a page type by one
//! new factor, at the cost of the group's hosts, not of its links.
//!
//! Everything a page changes is one [`Commit`], stored whole or not at all, and still there after `kill -9`.
//! A link in flight when the process ends waits again at the next opening, with one attempt more.
//!
//! Between two requests to a host lie the longest of [`Options::host_delay`] and its [`Pace`]'s delays, and
//! between two to an address that hosts share [`Options::ip_delay`]. With one request at a time the delay counts
//! from the end of the last, else from its beginning. A lease that is settled without a request never counted;
//! one whose process ended counts as asked when the next process leases first.
//!
//! What is kept where: memory holds fingerprints, states and queues (37 to 63 bytes a URL, see
//! [`Options::max_links`]); the disk holds URLs, payloads, factors, host clocks and the caller's rows. The
//! frontier knows nothing of HTTP, robots or policies, takes the time from its caller, and has one owner:
//! a second process on the same folder gets [`FrontierError::Locked`].

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
