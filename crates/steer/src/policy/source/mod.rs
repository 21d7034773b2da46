//! `source-ucc` and `source-target`: links are worth what the pages are worth that links of their kind lead to
//! (seed 001, SOUrCe). The site has to be learned.
//!
//! A kind of link is a pair (cluster, Apath) and is a group of the frontier: `Score(u) = sum P(Ci | C(p), x) * Score(Ci)`
//! (equation 12) is the group's factor, the same for all its links, so that a score that moves costs one operation per
//! kind of link, never one per link. Balance moves with every page; factors are sent again when the scores of clusters
//! have moved by so much that it matters, which happens ever more seldom as a crawl grows.
//!
//! The navigation table goes on learning: every page that is fetched tells where a link of its group led.

mod scores;

use std::collections::BTreeMap;

use osprey_model::{GroupId, Own};
use osprey_structure::{Cluster, LinkKind, Navigation, Site};
use serde::{Deserialize, Serialize};

use self::scores::hits;
use super::{Failure, LinkFacts, Policy, RestoreError, Visit};
use crate::Placing;

/// A change of a cluster's score, relative, from which on waiting links are scored again.
const DRIFT: f64 = 0.05;
/// Kinds of link that have a group of their own; further ones share one per cluster.
const MAX_KINDS: usize = 100_000;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// User-created content, wherever it is.
    UserCreated,
    /// Pages of some clusters.
    Target,
}

/// A kind of link, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Key {
    from: Cluster,
    apath: u64,
    xpath: u64,
}

impl Key {
    fn kind(self) -> LinkKind {
        LinkKind { from: self.from, apath: self.apath, xpath: self.xpath }
    }

    fn group(self) -> GroupId {
        let from = self.from.map_or(u64::MAX, u64::from).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        GroupId((from ^ self.apath).rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1)
    }
}

/// What moves with the crawl.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct State {
    navigation: Navigation,
    groups: BTreeMap<GroupId, Key>,
    /// Pages fetched, in all and of each cluster.
    pages: u64,
    of_cluster: Vec<u64>,
    /// Scores of the clusters when factors were last sent.
    sent: Vec<f64>,
}

#[derive(Debug)]
pub(super) struct Source {
    aim: Aim,
    /// `Info * Dsim`, or `Info`: what does not move.
    worth: Vec<f64>,
    state: State,
}

impl Source {
    /// For user-created content.
    pub(super) fn user_created(site: &Site, alpha: f64) -> Self {
        let clusters = site.model().clusters.len();
        let info = hits(&site.navigation().adjacency(), clusters, None).info(alpha);
        let spread = site.model().clusters.iter().map(|cluster| cluster.spread);
        let worth = info.into_iter().zip(spread).map(|(info, spread)| info * spread).collect();
        Self::new(Aim::UserCreated, worth, site)
    }

    /// For pages of the clusters in `targets`.
    pub(super) fn target(site: &Site, alpha: f64, targets: &[bool]) -> Self {
        let clusters = site.model().clusters.len();
        let worth = hits(&site.navigation().adjacency(), clusters, Some(targets)).info(alpha);
        Self::new(Aim::Target, worth, site)
    }

    fn new(aim: Aim, worth: Vec<f64>, site: &Site) -> Self {
        let of_cluster = vec![0; worth.len()];
        let navigation = site.navigation().clone();
        let state = State { navigation, of_cluster, sent: worth.clone(), ..State::default() };
        Self { aim, worth, state }
    }

    /// Equation 11: the scores of all clusters now.
    fn scores(&self) -> Vec<f64> {
        let balance = |cluster: usize| match (self.aim, self.state.pages) {
            (Aim::Target, _) | (_, 0) => 1.0,
            (Aim::UserCreated, pages) => {
                1.0 - self.state.of_cluster.get(cluster).copied().unwrap_or_default() as f64 / pages as f64
            }
        };
        self.worth.iter().enumerate().map(|(cluster, worth)| worth * balance(cluster)).collect()
    }

    /// Equation 12.
    fn score(&self, kind: LinkKind, scores: &[f64]) -> f64 {
        let (to, _) = self.state.navigation.destinations(kind);
        let worth = |cluster: Cluster| {
            cluster.and_then(|cluster| scores.get(cluster as usize)).copied().unwrap_or_default()
        };
        to.shares().into_iter().map(|(cluster, share)| share * worth(cluster)).sum()
    }

    fn key(&self, from: Cluster, apath: u64, xpath: u64) -> Key {
        let key = Key { from, apath, xpath };
        let room = self.state.groups.len() < MAX_KINDS || self.state.groups.contains_key(&key.group());
        if room { key } else { Key { from, apath: 0, xpath: 0 } }
    }

    /// Sends the factors of these groups, or of all if the scores have drifted.
    fn send(&mut self, touched: &[GroupId], placing: &mut Placing) {
        let scores = self.scores();
        let has_drifted = scores.iter().zip(&self.state.sent).any(|(now, sent)| (now - sent).abs() > DRIFT * sent.abs());
        if has_drifted {
            self.state.sent.clone_from(&scores);
        }
        let sent = &self.state.sent;
        let mut factor = |group: GroupId, key: Key| placing.factor(group, self.score(key.kind(), sent) as f32);
        if has_drifted {
            self.state.groups.iter().for_each(|(group, key)| factor(*group, *key));
        } else {
            for group in touched {
                if let Some(key) = self.state.groups.get(group) {
                    factor(*group, *key);
                }
            }
        }
    }
}

impl Policy for Source {
    fn name(&self) -> &'static str {
        match self.aim {
            Aim::UserCreated => "source-ucc",
            Aim::Target => "source-target",
        }
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let cluster = visit.reading.and_then(|reading| reading.cluster);
        self.state.pages += 1;
        if let Some(count) = cluster.and_then(|cluster| self.state.of_cluster.get_mut(cluster as usize)) {
            *count += 1;
        }
        let mut touched = Vec::new();
        if let Some(key) = self.state.groups.get(&visit.group) {
            self.state.navigation.led(key.kind(), cluster);
            touched.push(visit.group);
        }
        let page = visit.page;
        for (link, found) in page.links().iter().enumerate() {
            let xpath = page.xpath_key(page.apath_xpath(found.apath));
            let key = self.key(cluster, page.apath_key(found.apath), xpath);
            let group = key.group();
            self.state.navigation.met(key.kind(), 1);
            if self.state.groups.insert(group, key).is_none() || touched.last() != Some(&group) {
                touched.push(group);
            }
            placing.add(link, group, Own::ONE, &[]);
        }
        touched.sort_unstable();
        touched.dedup();
        self.send(&touched, placing);
    }

    fn on_failure(&mut self, failure: &Failure<'_>, placing: &mut Placing) {
        // a link that led nowhere led to no cluster
        if let Some(group) = failure.group
            && let Some(key) = self.state.groups.get(&group)
        {
            self.state.navigation.led(key.kind(), None);
            self.send(&[group], placing);
        }
    }

    fn group_noun(&self) -> &'static str {
        "kinds of link"
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        let what = match self.aim {
            Aim::UserCreated => "what users made",
            Aim::Target => "the target",
        };
        format!(
            "its score is that of its kind of link (page type and place on the page): the mean worth, as {what}, of the \
             pages that links of this kind led to; found at depth {}",
            link.depth
        )
    }

    fn snapshot(&self) -> Vec<u8> {
        serde_json::to_vec(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        self.state = serde_json::from_slice(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        Ok(())
    }
}
