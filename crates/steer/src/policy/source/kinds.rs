//! The kinds of link that a crawl has met. Each is a group of the frontier with a number.
//!
//! A kind is a pair (cluster, Apath). The learned site predicts where its links lead (equation 5) until one of them is
//! followed. From then on each outcome changes the shares, by `1 / n` for the n-th known outcome, and by at least `1 /
//! memory`. So a kind loses its value after some visits when its good links are used up and only dead links and
//! duplicates are left.

use std::collections::BTreeMap;

use osprey_model::{GroupId, PageType};
use osprey_structure::{Cluster, Level, LinkKind, Navigation};
use serde::{Deserialize, Serialize};

/// Kinds that have a group of their own; the links of further ones share one per cluster.
const MAX_KINDS: usize = 100_000;
/// The Apath and XPath of links that have none: those of sitemaps, and those of kinds past the limit.
pub(super) const NO_PATH: u64 = 0;
/// Shares below this are forgotten, in favour of the others; small enough that the first outcome of its kind among a
/// million counts.
const LEAST_SHARE: f64 = 1e-9;

/// A number that a kind is called by; it fits the parts of a score.
pub(super) type Number = u32;

/// Where links lead, with shares that add up to 1.
pub(super) type Shares = Vec<(Cluster, f64)>;

/// A kind that was met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Met {
    from: Cluster,
    apath: u64,
    xpath: u64,
    /// Where its links lead, if one was followed in this crawl.
    followed: Option<Shares>,
    /// How many outcomes are known, of this crawl and of what was learned before.
    pub(super) known: u64,
    /// The factor that its group was last given, by the type of the pages that its links lead to.
    pub(super) sent: ByType,
}

/// Shares of a score, by the type of page they come from; in the order of [`TYPES`].
pub(super) type ByType = [f32; 4];

/// Types of page, and the part of a score that pages of the type make.
pub(super) const TYPES: [(PageType, &str); 4] = [
    (PageType::Detail, "to_detail"),
    (PageType::Profile, "to_profile"),
    (PageType::List, "to_list"),
    (PageType::Other, "to_other"),
];

impl Met {
    pub(super) fn kind(&self) -> LinkKind {
        LinkKind { from: self.from, apath: self.apath, xpath: self.xpath }
    }

    pub(super) fn group(&self) -> GroupId {
        group(self.kind())
    }

    /// Where its links lead, and how near to the kind the evidence is.
    pub(super) fn shares(&self, navigation: &Navigation) -> (Shares, Level) {
        match &self.followed {
            Some(shares) => (shares.clone(), Level::Apath),
            None => {
                let (to, level) = navigation.destinations(self.kind());
                (to.shares(), level)
            }
        }
    }

    /// One of its links led to a page of a cluster, or of none.
    fn led(&mut self, to: Cluster, navigation: &Navigation, memory: u32) {
        let (mut shares, level) = self.shares(navigation);
        if self.followed.is_none() {
            // what is known of other kinds counts as one outcome of this one
            let (learned, _) = navigation.destinations(self.kind());
            self.known = if level == Level::Apath { learned.known() } else { u64::from(!shares.is_empty()) };
        }
        self.known += 1;
        let step = (1.0 / self.known as f64).max(1.0 / f64::from(memory));
        shares.iter_mut().for_each(|(_, share)| *share *= 1.0 - step);
        match shares.iter_mut().find(|(cluster, _)| *cluster == to) {
            Some((_, share)) => *share += step,
            None => shares.push((to, step)),
        }
        shares.retain(|(_, share)| *share >= LEAST_SHARE);
        let all: f64 = shares.iter().map(|(_, share)| share).sum();
        shares.iter_mut().for_each(|(_, share)| *share /= all);
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.followed = Some(shares);
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
        if let Some(number) = self.of_group(group(kind)) {
            return (number, false);
        }
        let has_room = self.met.len() < MAX_KINDS;
        let kind = if has_room { kind } else { LinkKind { apath: NO_PATH, xpath: NO_PATH, ..kind } };
        if let Some(number) = self.of_group(group(kind)) {
            return (number, false);
        }
        let LinkKind { from, apath, xpath } = kind;
        let number = self.met.len() as Number;
        self.met.push(Met { from, apath, xpath, followed: None, known: 0, sent: ByType::default() });
        self.by_group.insert(group(kind), number);
        (number, true)
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
    pub(super) fn led(&mut self, number: Number, to: Cluster, navigation: &Navigation, memory: u32) {
        if let Some(met) = self.get_mut(number) {
            met.led(to, navigation, memory);
        }
    }

    /// What is stored.
    pub(super) fn stored(&self) -> &[Met] {
        &self.met
    }

    /// From what was stored.
    pub(super) fn of_stored(met: Vec<Met>) -> Self {
        let by_group = (0..).zip(&met).map(|(number, met)| (met.group(), number)).collect();
        Self { met, by_group }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: LinkKind = LinkKind { from: Some(0), apath: 7, xpath: 1 };

    #[test]
    fn kinds_are_numbered_and_told_apart() {
        let mut kinds = Kinds::default();
        let check = |kinds: &mut Kinds, from: Cluster, expect: (Number, bool)| {
            assert_eq!(kinds.number(LinkKind { from, ..KIND }), expect);
        };
        check(&mut kinds, Some(0), (0, true));
        check(&mut kinds, Some(1), (1, true));
        check(&mut kinds, None, (2, true));
        check(&mut kinds, Some(0), (0, false));
        assert_ne!(kinds.get(0).unwrap().group(), GroupId::ALL);
        assert_eq!(kinds.of_group(kinds.get(2).unwrap().group()), Some(2));
        assert_eq!(Kinds::of_stored(kinds.stored().to_vec()), kinds);
    }

    #[test]
    fn outcomes_move_shares_by_hand() {
        let check =
            |learned: &[(Cluster, u64)], memory: u32, outcomes: &[Cluster], expect: &[(Cluster, f64)]| {
                let (mut kinds, mut table) = (Kinds::default(), Navigation::default());
                learned.iter().for_each(|(to, links)| (0..*links).for_each(|_| table.led(KIND, *to)));
                kinds.number(KIND);
                outcomes.iter().for_each(|to| kinds.led(0, *to, &table, memory));
                let (got, _) = kinds.get(0).unwrap().shares(&table);
                let close = got.iter().zip(expect).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-9);
                assert!(close && got.len() == expect.len(), "{got:?} {expect:?}");
            };
        // nobody knows; then what came of the first; then the mean of both
        check(&[], 20, &[], &[]);
        check(&[], 20, &[Some(1)], &[(Some(1), 1.0)]);
        check(&[], 20, &[Some(1), None], &[(None, 0.5), (Some(1), 0.5)]);
        // three were known: the fourth is a quarter
        check(&[(Some(1), 3)], 20, &[None], &[(Some(1), 0.75), (None, 0.25)]);
        // a thousand were: the next is no less than a tenth, and the one after it takes a tenth of that
        check(&[(Some(1), 1000)], 10, &[None], &[(Some(1), 0.9), (None, 0.1)]);
        check(&[(Some(1), 1000)], 10, &[None, None], &[(Some(1), 0.81), (None, 0.19)]);
    }

    /// A plain mean over very many: one in ten leads elsewhere, and each is a smaller step than could once be kept.
    #[test]
    fn a_long_memory_leaks_nothing() {
        let check = |memory: u32, outcomes: u64, expect: f64| {
            let (mut kinds, mut table) = (Kinds::default(), Navigation::default());
            (0..100_000).for_each(|_| table.led(KIND, Some(1)));
            kinds.number(KIND);
            (0..outcomes).for_each(|at| {
                let to = if at % 10 == 0 { Some(2) } else { Some(1) };
                kinds.led(0, to, &table, memory);
            });
            let (shares, _) = kinds.get(0).unwrap().shares(&table);
            let all: f64 = shares.iter().map(|(_, share)| share).sum();
            let second = shares.iter().find(|(to, _)| *to == Some(2)).map_or(0.0, |(_, share)| *share);
            assert!((all - 1.0).abs() < 1e-9, "{memory}: {all}");
            assert!((second - expect).abs() < 1e-6, "{memory}: {second}");
        };
        // 1,000 of 110,000
        check(u32::MAX, 10_000, 1.0 / 110.0);
        check(u32::MAX, 1, 1.0 / 100_001.0);
    }

    #[test]
    fn what_other_kinds_say_is_worth_one_outcome() {
        let (mut kinds, mut table) = (Kinds::default(), Navigation::default());
        (0..50).for_each(|_| table.led(LinkKind { apath: 8, ..KIND }, Some(1)));
        kinds.number(KIND);
        assert_eq!(kinds.get(0).unwrap().shares(&table), (vec![(Some(1), 1.0)], Level::Xpath));
        kinds.led(0, Some(2), &table, 20);
        assert_eq!(
            kinds.get(0).unwrap().shares(&table),
            (vec![(Some(1), 0.5), (Some(2), 0.5)], Level::Apath)
        );
    }
}
