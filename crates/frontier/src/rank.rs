//! The one order of the frontier, packed into 64 bits: score first, then age.
//!
//! The same packed form orders links inside a queue (score = own), and queues inside a host and hosts among each
//! other (score = factor x own). So each comparison is one of integers, and the entry of a waiting link takes eight
//! bytes. Products are rounded to `f32`: priorities that round to the same number are equal, and the older link goes
//! first.

use osprey_model::{LinkId, LinkScore};

/// A score and a link; the larger rank goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u64);

impl Rank {
    /// No link. Link `u32::MAX` is never assigned, so no link has this rank.
    pub(crate) const NONE: Self = Self(0);

    /// Ranks above all links.
    pub(crate) const MAX: Self = Self(u64::MAX);

    /// Scores are not negative, so their bits are ordered like their values; ids are inverted, so that of equal
    /// scores the older link is larger.
    pub(crate) fn new(score: LinkScore, id: LinkId) -> Self {
        Self((u64::from(score.get().to_bits()) << 32) | u64::from(!id.0))
    }

    pub(crate) fn id(self) -> LinkId {
        LinkId(!(self.0 as u32))
    }

    pub(crate) fn score(self) -> LinkScore {
        LinkScore::new(f32::from_bits((self.0 >> 32) as u32))
    }
}

/// `factor x own`, always finite.
pub(crate) fn priority(factor: LinkScore, own: LinkScore) -> LinkScore {
    LinkScore::new(factor.get() * own.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_scores_then_older_links_go_first() {
        let descending = [(2.0, 9), (1.0, 3), (1.0, 4), (0.5, 0), (0.0, 0), (0.0, u32::MAX - 1)];
        let ranks: Vec<Rank> =
            descending.iter().map(|&(score, id)| Rank::new(LinkScore::new(score), LinkId(id))).collect();
        assert!(ranks.is_sorted_by(|a, b| a > b));
        assert!(ranks.iter().all(|&rank| rank > Rank::NONE));
        for (rank, (score, id)) in ranks.iter().zip(descending) {
            assert_eq!((rank.score().get(), rank.id()), (score, LinkId(id)));
        }
    }

    #[test]
    fn priorities_stay_finite() {
        assert_eq!(priority(LinkScore::new(f32::MAX), LinkScore::new(2.0)).get(), f32::MAX);
    }
}
