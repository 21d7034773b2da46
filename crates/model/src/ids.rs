//! Types for small numbers: ids of links and groups, own scores, group factors.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The id of a known URL in a crawl: 0 for the first one added, counting in the order of discovery. It is also the
/// link's age: a smaller id is older.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LinkId(pub u32);

impl fmt::Display for LinkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A group of waiting links that share a factor. The policy decides what a group is: the links of one parent page, of
/// one (cluster, Apath) pair, of one uploader, or all links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupId(pub u64);

impl GroupId {
    /// The group for policies that need only one.
    pub const ALL: Self = Self(0);
    /// The group of pictures, which policies do not see.
    pub const PICTURES: Self = Self(u64::MAX);
    /// The group of pages that are fetched again; policies are given the group that they were in before.
    pub const REVISITS: Self = Self(u64::MAX - 1);
    /// The group of links that come last, whatever a policy says: forms to log in, to report, to reply.
    pub const LAST: Self = Self(u64::MAX - 2);
}

/// A link's own score inside its group: always finite and not negative.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(from = "f32", into = "f32")]
pub struct LinkScore(f32);

impl LinkScore {
    /// The score of a link about which nothing is known.
    pub const ZERO: Self = Self(0.0);
    /// The score of a seed.
    pub const ONE: Self = Self(1.0);
    /// The highest score.
    pub const FIRST: Self = Self(f32::MAX);

    /// Clamps the value: NaN and negative values become 0, infinity becomes the largest number.
    pub fn new(value: f32) -> Self {
        if value > 0.0 { Self(value.min(f32::MAX)) } else { Self(0.0) }
    }

    /// The score as a number.
    pub fn get(self) -> f32 {
        self.0
    }
}

impl From<f32> for LinkScore {
    fn from(value: f32) -> Self {
        Self::new(value)
    }
}

impl From<LinkScore> for f32 {
    fn from(own: LinkScore) -> Self {
        own.0
    }
}

/// The number by which the scores of a group's links are multiplied: `priority(link) = factor(group) x own(link)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum GroupFactor {
    /// A finite multiplier that is not negative; a group starts with 1.
    Times(LinkScore),
    /// The group's links wait and are not handed out.
    Parked,
}

impl GroupFactor {
    /// The factor every group starts with.
    pub const ONE: Self = Self::Times(LinkScore::ONE);

    /// A multiplier, clamped like [`LinkScore::new`].
    pub fn times(value: f32) -> Self {
        Self::Times(LinkScore::new(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_scores_are_always_comparable() {
        for (given, kept) in [(f32::NAN, 0.0), (-1.0, 0.0), (0.5, 0.5), (f32::INFINITY, f32::MAX)] {
            assert_eq!(LinkScore::new(given).get(), kept);
        }
    }
}
