//! Lanes: ready hosts divided by how likely a quick answer is, so that a caller can skip some of them.
//!
//! A slow host, or a name that does not resolve, holds a request for as long as the caller waits. A caller that
//! limits how many of its requests such hosts may have needs the best link of the *other* hosts at once, even if
//! thousands of slow ones rank before them. So ready hosts are in four sets instead of one, and the next link is the
//! best of the sets that are open. With all lanes open, the order is that of one set.
//!
//! If a thousand unproven hosts rank before a few that have most of the links, the caller may also ask for the
//! unproven host with the most waiting links.
//!
//! A host is *proven* once it has answered a request for a link, for as long as its last request was answered and its
//! answers come within seconds. All of that is in its row, so its lane is the same after a restart.

use std::collections::BTreeSet;

use crate::rank::Rank;

/// The kind of request and how likely a quick answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// A page of a host that answers.
    ProvenPage,
    /// A picture of a host that answers.
    ProvenPicture,
    /// A page of a host that has not answered yet, did not answer last time, or is slow.
    UnprovenPage,
    /// A picture of such a host.
    UnprovenPicture,
}

impl Lane {
    /// All lanes.
    pub const ALL: [Self; 4] =
        [Self::ProvenPage, Self::ProvenPicture, Self::UnprovenPage, Self::UnprovenPicture];

    /// The lane of a host's links.
    pub(crate) fn new(is_proven: bool, is_picture: bool) -> Self {
        match (is_proven, is_picture) {
            (true, false) => Self::ProvenPage,
            (true, true) => Self::ProvenPicture,
            (false, false) => Self::UnprovenPage,
            (false, true) => Self::UnprovenPicture,
        }
    }

    /// Whether this is a lane of proven hosts.
    pub fn is_proven(self) -> bool {
        matches!(self, Self::ProvenPage | Self::ProvenPicture)
    }
}

/// How many unproven hosts, best first, are searched for the one with the most waiting links.
const LOOK_AHEAD: usize = 2048;

/// A set of lanes, with preferences for the unproven hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lanes(u8);

/// Bit of [`Lanes::fullest_first`].
const FULLEST_FIRST: u8 = 1 << 4;
/// Bit of [`Lanes::full_only`].
const FULL_ONLY: u8 = 1 << 5;
/// A host with this many waiting links counts as full.
const FULL: u32 = 16;

impl Lanes {
    /// Every lane.
    pub const ALL: Self = Self(0b1111);

    /// Adds a lane if `is_in`.
    #[must_use]
    pub fn with(self, lane: Lane, is_in: bool) -> Self {
        Self(self.0 | u8::from(is_in) << lane as u8)
    }

    /// If `is_wanted`: of the unproven hosts with pages, the one with the most waiting links comes first, even before
    /// better ones.
    #[must_use]
    pub fn fullest_first(self, is_wanted: bool) -> Self {
        if is_wanted { Self(self.0 | FULLEST_FIRST) } else { self }
    }

    /// If `is_wanted`: an unproven host with pages is only chosen if many links wait for it.
    #[must_use]
    pub fn full_only(self, is_wanted: bool) -> Self {
        if is_wanted { Self(self.0 | FULL_ONLY) } else { self }
    }

    /// Only the lanes of pictures.
    #[must_use]
    pub fn of_pictures(self) -> Self {
        let pictures = [Lane::ProvenPicture, Lane::UnprovenPicture];
        pictures.into_iter().fold(Self::default(), |lanes, lane| lanes.with(lane, self.has(lane)))
    }

    /// Whether the set contains a lane.
    pub fn has(self, lane: Lane) -> bool {
        self.0 & 1 << lane as u8 != 0
    }
}

/// What the frontier can hand out now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Lanes that have a link that may be fetched now.
    pub ready: Lanes,
    /// Whether any proven host has a link, even one that has to wait.
    pub has_proven: bool,
}

/// The best page and the best picture of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bests {
    pub(crate) page: Rank,
    pub(crate) picture: Rank,
}

impl Bests {
    pub(crate) fn are_none(self) -> bool {
        (self.page, self.picture) == (Rank::NONE, Rank::NONE)
    }

    pub(crate) fn of(self, is_picture: bool) -> Rank {
        if is_picture { self.picture } else { self.page }
    }

    /// Those that exist, with their lanes.
    pub(crate) fn lanes(self, is_proven: bool) -> impl Iterator<Item = (Lane, Rank)> {
        let both = [(false, self.page), (true, self.picture)];
        let there = both.into_iter().filter(|(_, rank)| *rank != Rank::NONE);
        there.map(move |(is_picture, rank)| (Lane::new(is_proven, is_picture), rank))
    }
}

/// Hosts that may be asked now, by lane and by their best links there.
#[derive(Debug, Default)]
pub(crate) struct Ready([BTreeSet<(Rank, u32)>; 4]);

impl Ready {
    pub(crate) fn insert(&mut self, lane: Lane, rank: Rank, host: u32) {
        self.0[lane as usize].insert((rank, host));
    }

    pub(crate) fn remove(&mut self, lane: Lane, rank: Rank, host: u32) {
        self.0[lane as usize].remove(&(rank, host));
    }

    /// How many links could be handed out at once: one per host and lane.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(BTreeSet::len).sum()
    }

    /// The best host of all open lanes. `waiting` gives the number of links that wait for a host.
    pub(crate) fn best(&self, open: Lanes, waiting: impl Fn(u32) -> u32) -> Option<(Lane, u32)> {
        let best = |lane: Lane| self.0[lane as usize].last().map(|&(rank, host)| (rank, host, lane));
        let best_of =
            |lanes: Lanes| Lane::ALL.into_iter().filter(|&lane| lanes.has(lane)).filter_map(best).max();
        let (_, host, lane) = best_of(open)?;
        if lane != Lane::UnprovenPage || open.0 & (FULLEST_FIRST | FULL_ONLY) == 0 {
            return Some((lane, host));
        }
        let hosts = self.0[lane as usize].iter().rev().take(LOOK_AHEAD);
        let (_, fullest) = hosts.max_by_key(|(rank, host)| (waiting(*host), *rank))?;
        if open.0 & FULL_ONLY == 0 || waiting(*fullest) >= FULL {
            return Some((lane, *fullest));
        }
        let others = Lanes(open.0 & !(1 << lane as u8));
        best_of(others).map(|(_, host, lane)| (lane, host))
    }

    /// The lanes that have a host.
    pub(crate) fn lanes(&self) -> Lanes {
        let is_ready = |lane: Lane| !self.0[lane as usize].is_empty();
        Lane::ALL.into_iter().fold(Lanes::default(), |lanes, lane| lanes.with(lane, is_ready(lane)))
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::{LinkId, LinkScore};

    use super::*;

    #[test]
    fn the_best_of_the_open_lanes_is_picked() {
        let rank = |score: f32| Rank::new(LinkScore::new(score), LinkId(score as u32));
        let mut ready = Ready::default();
        for (lane, score, host) in
            [(Lane::UnprovenPicture, 9.0, 1), (Lane::UnprovenPage, 8.0, 2), (Lane::ProvenPage, 3.0, 3)]
        {
            ready.insert(lane, rank(score), host);
        }
        let waiting = |host| if host == 4 { FULL } else { 1 };
        assert_eq!(ready.best(Lanes::ALL, waiting), Some((Lane::UnprovenPicture, 1)));
        let pages = Lanes::default().with(Lane::ProvenPage, true).with(Lane::UnprovenPage, true);
        assert_eq!(ready.best(pages, waiting), Some((Lane::UnprovenPage, 2)));
        ready.insert(Lane::UnprovenPage, rank(1.0), 4);
        assert_eq!(ready.best(pages, waiting), Some((Lane::UnprovenPage, 2)));
        assert_eq!(ready.best(pages.fullest_first(true), waiting), Some((Lane::UnprovenPage, 4)));
        assert_eq!(ready.best(Lanes::ALL.fullest_first(true), waiting), Some((Lane::UnprovenPicture, 1)));
        assert_eq!(ready.best(pages.full_only(true), waiting), Some((Lane::UnprovenPage, 4)));
        ready.remove(Lane::UnprovenPage, rank(1.0), 4);
        assert_eq!(ready.best(pages.full_only(true), waiting), Some((Lane::ProvenPage, 3)));
        let proven = Lanes::default().with(Lane::ProvenPage, true).with(Lane::ProvenPicture, true);
        assert_eq!(ready.best(proven.fullest_first(true), waiting), Some((Lane::ProvenPage, 3)));
        assert_eq!(ready.lanes(), pages.with(Lane::UnprovenPicture, true));
        ready.remove(Lane::ProvenPage, rank(3.0), 3);
        assert_eq!((ready.best(proven, waiting), ready.len()), (None, 2));
    }
}
