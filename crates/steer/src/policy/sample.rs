//! `sample`: follows one link of every kind on a page instead of all links (Xu et al. 2018, section 4.1). `osprey
//! learn` takes its sample with this policy.
//!
//! A kind of link is an Apath, the position of the link in the HTML. For each Apath of a page, one link inside the site
//! that was not drawn before is drawn at random and joins the queue; the others wait in the group of their Apath. When
//! the queue is empty before the sample is complete, they follow, those of the Apath with the fewest samples first:
//! each sample lowers the factor of the group. Failed links count as samples too; otherwise a kind whose links all fail
//! would use up the budget.
//!
//! The queue of Xu et al. 2018 is first in, first out. Today's sites have paging links of several kinds on every list,
//! and a small sample of such a site would be mostly lists. Therefore kinds with fewer samples come first here, unless
//! `in_order` is set.
//!
//! Draws are hashes of the random seed and the URL: they need no state and do not depend on the order of visits.

use std::collections::BTreeMap;

use osprey_model::{CanonicalUrl, GroupId, HostKey, LinkScore};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::{Failure, LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::Placing;

/// What a link that was not drawn is worth; less than any that was, whatever the factor.
const LATER: f32 = 1e-6;
/// How far lots move that: too little to pass a group with fewer samples.
const LOT: f32 = 0.0001;
/// The maximum number of kinds; further ones share a group.
const MAX_KINDS: usize = 100_000;
/// The group of links in sitemaps, and of kinds past the limit.
const NO_APATH: GroupId = GroupId(1);

#[derive(Debug)]
pub(super) struct Sample {
    random_seed: u64,
    in_order: bool,
    state: State,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct State {
    /// Fingerprints of URLs that were drawn.
    drawn: FxHashSet<u64>,
    /// Samples of each kind.
    samples: BTreeMap<GroupId, u32>,
}

impl Sample {
    pub(super) fn new(random_seed: u64, in_order: bool) -> Self {
        Self { random_seed, in_order, state: State::default() }
    }

    /// The lot of a URL: the lowest is drawn.
    fn lot(&self, url: &CanonicalUrl) -> u64 {
        let mut z = url.fingerprint() ^ self.random_seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn group(&self, apath: u64) -> GroupId {
        let group = GroupId(apath);
        let is_known = self.state.samples.contains_key(&group);
        let has_room = self.state.samples.len() < MAX_KINDS;
        if (is_known || has_room) && group != GroupId::ALL { group } else { NO_APATH }
    }

    /// Draws one link of a kind, of those that stay on `host`, and lets the others wait.
    fn place(
        &mut self,
        group: GroupId,
        links: &[(usize, &CanonicalUrl)],
        host: &HostKey,
        placing: &mut Placing,
    ) {
        let is_new = |url: &CanonicalUrl| !self.state.drawn.contains(&url.fingerprint());
        let inside = links.iter().filter(|(_, url)| url.host_key() == *host && is_new(url));
        let drawn = inside
            .min_by_key(|(link, url)| (self.lot(url), *link))
            .map(|(link, url)| (*link, url.fingerprint()));
        let samples = self.state.samples.get(&group).copied().unwrap_or_default();
        let rarity = 1.0 / (1.0 + (samples + u32::from(drawn.is_some())) as f32);
        for (link, url) in links {
            if drawn.is_some_and(|(_, fingerprint)| fingerprint == url.fingerprint()) {
                continue;
            }
            let lot = (self.lot(url) >> 40) as f32 / (1 << 24) as f32;
            let later = LATER * (1.0 - LOT * lot);
            placing.add(*link, group, LinkScore::new(later), &[("samples", rarity), ("later", later)]);
        }
        if let Some((link, fingerprint)) = drawn {
            self.state.drawn.insert(fingerprint);
            let own = if self.in_order { 1.0 } else { 1.0 / (1.0 + samples as f32) };
            placing.add(link, GroupId::ALL, LinkScore::new(own), &[("drawn", own)]);
            self.count(group, placing);
        }
    }

    fn count(&mut self, group: GroupId, placing: &mut Placing) {
        let samples = self.state.samples.entry(group).or_default();
        *samples = samples.saturating_add(1);
        placing.factor(group, 1.0 / (1.0 + *samples as f32));
    }

    /// What waited in its kind's group was not counted when it was placed.
    fn count_if_later(&mut self, group: GroupId, placing: &mut Placing) {
        if group != GroupId::ALL {
            self.count(group, placing);
        }
    }
}

impl Policy for Sample {
    fn name(&self) -> &'static str {
        "sample"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        self.count_if_later(visit.group, placing);
        let page = visit.page;
        self.state.drawn.insert(page.url().fingerprint());
        let mut kinds: BTreeMap<u64, Vec<(usize, &CanonicalUrl)>> = BTreeMap::new();
        for (link, found) in page.links().iter().enumerate() {
            kinds.entry(page.apath_key(found.apath)).or_default().push((link, &found.url));
        }
        let host = page.url().host_key();
        for (apath, links) in kinds {
            self.place(self.group(apath), &links, &host, placing);
        }
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        let links: Vec<(usize, &CanonicalUrl)> =
            map.entries.iter().enumerate().map(|(link, entry)| (link, &entry.url)).collect();
        let Some(host) = links.first().map(|(_, url)| url.host_key()) else { return };
        self.place(NO_APATH, &links, &host, placing);
    }

    fn on_failure(&mut self, failure: &Failure<'_>, placing: &mut Placing) {
        if let Some(group) = failure.group {
            self.count_if_later(group, placing);
        }
    }

    fn group_noun(&self) -> &'static str {
        "kinds of link"
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        if link.parts.iter().any(|(name, _)| name == "drawn") {
            return format!(
                "drawn as the sample of its kind on a page at depth {}",
                link.depth.saturating_sub(1)
            );
        }
        "another link of its kind was drawn on its page; it follows when no drawn link waits".to_owned()
    }

    fn snapshot(&self) -> Vec<u8> {
        // a set has no order of its own, and the same state has to give the same bytes
        let mut drawn: Vec<u64> = self.state.drawn.iter().copied().collect();
        drawn.sort_unstable();
        postcard::to_stdvec(&(drawn, &self.state.samples)).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        let (drawn, samples): (Vec<u64>, _) = postcard::from_bytes(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        self.state = State { drawn: drawn.into_iter().collect(), samples };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::{GroupFactor, LinkId};
    use osprey_page::Page;

    use super::super::samples::{self, page};
    use super::*;
    use crate::{Cause, Op};

    /// Paths that were drawn, paths that wait, and groups with a new factor.
    fn told(
        policy: &mut Sample,
        page: &Page,
        group: GroupId,
    ) -> (Vec<String>, Vec<String>, Vec<(GroupId, f32)>) {
        let placing = samples::told(policy, page, group);
        let (mut drawn, mut later, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for (op, _) in placing.ops() {
            match op {
                Op::Add { link, group, own, .. } => {
                    let path = page.links()[*link as usize].url.path().to_owned();
                    if *group == GroupId::ALL {
                        drawn.push(path)
                    } else {
                        later.push(path)
                    }
                    assert_eq!(*group == GroupId::ALL, own.get() > LATER);
                }
                Op::Factor(group, GroupFactor::Times(factor)) => factors.push((*group, factor.get())),
                other => panic!("unexpected {other:?}"),
            }
        }
        (drawn, later, factors)
    }

    const BODY: &str = "<ul><li><a href=/t1>1</a><li><a href=/t2>2</a><li><a href=/t1>again</a></ul>\
                        <p><a href=/u1>u</a><a class=x href=http://b.example/out>out</a>";

    #[test]
    fn one_link_of_each_kind_is_drawn() {
        let mut policy = Sample::new(1, false);
        let page = page(BODY);
        let (drawn, later, factors) = told(&mut policy, &page, GroupId::ALL);
        let threads = drawn.iter().filter(|path| path.starts_with("/t")).count();
        assert_eq!((threads, drawn.contains(&"/u1".to_owned()), drawn.len()), (1, true, 2), "{drawn:?}");
        // the other thread once or twice, as it stands there, and the link that leaves the site
        assert!(
            later.contains(&"/out".to_owned()) && later.iter().any(|path| path.starts_with("/t")),
            "{later:?}"
        );
        assert!(!later.contains(&drawn[0]) && !later.contains(&drawn[1]), "{later:?}");
        assert_eq!(factors.iter().map(|(_, factor)| *factor).collect::<Vec<_>>(), [0.5, 0.5]);

        // met again, the second of each kind is drawn, then none is left
        let (drawn, later, _) = told(&mut policy, &page, GroupId::ALL);
        assert_eq!((drawn.len(), &drawn[0][..2]), (1, "/t"), "{drawn:?}");
        assert!(!later.iter().any(|path| *path == drawn[0]));
        assert_eq!(told(&mut policy, &page, GroupId::ALL).0.len(), 0);
    }

    #[test]
    fn later_links_count_when_they_are_fetched_or_fail() {
        let mut policy = Sample::new(1, false);
        let (group, empty) = (GroupId(77), page(""));
        assert_eq!(told(&mut policy, &empty, group).2, [(group, 0.5)]);
        let mut placing = Placing::default();
        let url = page("").url().clone();
        let cause = Cause::Status(404);
        policy.on_failure(
            &Failure { id: LinkId(0), url: &url, group: Some(group), depth: 1, cause },
            &mut placing,
        );
        policy.on_failure(&Failure { id: LinkId(0), url: &url, group: None, depth: 1, cause }, &mut placing);
        let ops: Vec<Op> = placing.ops().map(|(op, _)| op.clone()).collect();
        assert_eq!(ops, [Op::Factor(group, GroupFactor::times(1.0 / 3.0))]);
    }

    #[test]
    fn kinds_with_fewer_samples_come_first_unless_in_order() {
        let owns = |in_order: bool| {
            let mut policy = Sample::new(1, in_order);
            let drawn = |policy: &mut Sample, body: &str| {
                let placing = samples::told(policy, &page(body), GroupId::ALL);
                let owns = placing.ops().filter_map(|(op, _)| match op {
                    Op::Add { group: GroupId::ALL, own, .. } => Some(own.get()),
                    _ => None,
                });
                owns.collect::<Vec<f32>>()
            };
            [drawn(&mut policy, "<p><a href=/1>1</a>"), drawn(&mut policy, "<p><a href=/2>2</a>")].concat()
        };
        assert_eq!((owns(false), owns(true)), (vec![1.0, 0.5], vec![1.0, 1.0]));
    }

    #[test]
    fn the_random_seed_decides_and_state_survives() {
        let many: String = (0..50).map(|n| format!("<a href=/{n}>x</a>")).collect();
        let drawn = |seed: u64| told(&mut Sample::new(seed, false), &page(&many), GroupId::ALL).0;
        assert_eq!(drawn(5), drawn(5));
        assert_ne!(drawn(5), drawn(6));
        let mut policy = Sample::new(5, false);
        told(&mut policy, &page(&many), GroupId::ALL);
        let mut other = Sample::new(5, false);
        other.restore(&policy.snapshot()).unwrap();
        assert_eq!((&other.state, other.snapshot()), (&policy.state, policy.snapshot()));
        assert!(other.restore(&[0xff]).is_err());
    }
}
