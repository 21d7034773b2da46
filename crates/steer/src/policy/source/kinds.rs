//! The kinds of link that a crawl has met: each is a group of the frontier, with a number to be called by.
//!
//! A kind is a pair (cluster, Apath). What links of a kind led to in this crawl is kept beside the navigation table that
//! was learned, so that the state of a crawl is what the crawl has seen and no more.

use std::collections::BTreeMap;

use osprey_model::GroupId;
use osprey_structure::{Cluster, LinkKind, Navigation};
use serde::{Deserialize, Serialize};

/// Kinds that have a group of their own; the links of further ones share one per cluster.
const MAX_KINDS: usize = 100_000;
/// The Apath and XPath of links that have none: those of sitemaps, and those of kinds past the limit.
pub(super) const NO_PATH: u64 = 0;

/// A number that a kind is called by; it fits the parts of a score.
pub(super) type Number = u32;

/// A kind that was met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Met {
    from: Cluster,
    apath: u64,
    xpath: u64,
    /// How many of its links led where, in this crawl.
    led: BTreeMap<Cluster, u64>,
    /// The factor that its group was last given.
    pub(super) sent: f32,
}

impl Met {
    pub(super) fn kind(&self) -> LinkKind {
        LinkKind { from: self.from, apath: self.apath, xpath: self.xpath }
    }

    pub(super) fn group(&self) -> GroupId {
        group(self.kind())
    }
}

/// A kind's group; never the one that seeds are in.
fn group(kind: LinkKind) -> GroupId {
    let from = kind.from.map_or(u64::MAX, u64::from).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    GroupId((from ^ kind.apath).rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1)
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Kinds {
    met: Vec<Met>,
    by_group: BTreeMap<GroupId, Number>,
}

impl Kinds {
    /// The number of a kind, and whether it is new.
    pub(super) fn number(&mut self, kind: LinkKind) -> (Number, bool) {
        if let Some(number) = self.by_group.get(&group(kind)) {
            return (*number, false);
        }
        let has_room = self.met.len() < MAX_KINDS;
        let kind = if has_room { kind } else { LinkKind { apath: NO_PATH, xpath: NO_PATH, ..kind } };
        let number = self.met.len() as Number;
        match self.by_group.entry(group(kind)) {
            std::collections::btree_map::Entry::Occupied(known) => (*known.get(), false),
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(number);
                let LinkKind { from, apath, xpath } = kind;
                self.met.push(Met { from, apath, xpath, led: BTreeMap::new(), sent: 0.0 });
                (number, true)
            }
        }
    }

    pub(super) fn of_group(&self, group: GroupId) -> Option<Number> {
        self.by_group.get(&group).copied()
    }

    pub(super) fn get(&self, number: Number) -> Option<&Met> {
        self.met.get(number as usize)
    }

    pub(super) fn get_mut(&mut self, number: Number) -> Option<&mut Met> {
        self.met.get_mut(number as usize)
    }

    pub(super) fn len(&self) -> Number {
        self.met.len() as Number
    }

    /// A link of that kind led to a page of a cluster, or of none.
    pub(super) fn led(&mut self, number: Number, to: Cluster, navigation: &mut Navigation) {
        if let Some(met) = self.met.get_mut(number as usize) {
            *met.led.entry(to).or_default() += 1;
            navigation.led(met.kind(), to);
        }
    }

    /// What is stored.
    pub(super) fn stored(&self) -> &[Met] {
        &self.met
    }

    /// From what was stored; tells the learned table what the crawl has seen.
    pub(super) fn of_stored(met: Vec<Met>, navigation: &mut Navigation) -> Self {
        for met in &met {
            met.led.iter().for_each(|(to, links)| navigation.led_all(met.kind(), *to, *links));
        }
        let by_group = (0..).zip(&met).map(|(number, met)| (met.group(), number)).collect();
        Self { met, by_group }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_and_told_apart() {
        let mut kinds = Kinds::default();
        let kind = |from, apath| LinkKind { from, apath, xpath: 1 };
        let check = |kinds: &mut Kinds, from: Cluster, apath: u64, expect: (Number, bool)| {
            assert_eq!(kinds.number(kind(from, apath)), expect);
        };
        check(&mut kinds, Some(0), 7, (0, true));
        check(&mut kinds, Some(1), 7, (1, true));
        check(&mut kinds, None, 7, (2, true));
        check(&mut kinds, Some(0), 7, (0, false));
        assert_ne!(kinds.get(0).unwrap().group(), GroupId::ALL);
        assert_eq!(kinds.of_group(kinds.get(2).unwrap().group()), Some(2));
    }

    #[test]
    fn what_was_stored_is_there_again() {
        let (mut kinds, mut table) = (Kinds::default(), Navigation::default());
        let kind = LinkKind { from: Some(0), apath: 7, xpath: 1 };
        kinds.number(kind);
        kinds.led(0, Some(3), &mut table);
        kinds.led(0, None, &mut table);
        let mut again = Navigation::default();
        assert_eq!(Kinds::of_stored(kinds.stored().to_vec(), &mut again), kinds);
        assert_eq!(again, table);
        assert_eq!(again.destinations(kind).0.share(Some(3)), Some(0.5));
    }
}
