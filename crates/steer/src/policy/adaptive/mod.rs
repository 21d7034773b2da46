//! `adaptive`: one policy that needs no choice. It learns from what links bring, as it crawls.

mod given;
mod lists;
mod shape;
mod signs;
mod sums;

use osprey_model::{GroupId, LinkScore};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use self::given::Given;
use self::lists::List;
use self::shape::Shapes;
use self::signs::{Sign, Signs};
use self::sums::{Kinds, Level};
use super::{Failure, LinkFacts, Policy, Repeat, RestoreError, Visit};
use crate::{Known, Part, Placing, SteeringConfigError, Subject};

/// `[policy]` of `adaptive`: nothing has to be chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveRules {
    /// Parts that are left out, for experiments.
    pub without: Vec<String>,
}

/// The most that a link can be worth.
const MOST: f32 = 1.5;
/// Links of a page that can make a hub.
const MOST_OF_HUB: usize = 200;
/// A change of a factor, relative, that is worth sending.
const CHANGE: f32 = 0.02;


#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    shapes: Shapes,
    kinds: Kinds,
    lists: FxHashMap<u64, List>,
}

#[derive(Debug)]
pub(super) struct Adaptive {
    rules: AdaptiveRules,
    given: Given,
    state: State,
}

/// What a group of the frontier is.
#[derive(Clone, Copy, Debug)]
enum Group {
    Kind(u32),
    List(u64),
}

fn key(parts: &[u64]) -> u64 {
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
    // never one of the frontier's own
    (xxh3_64(&bytes) >> 1) | 1
}

impl Adaptive {
    pub(super) fn new(
        rules: &AdaptiveRules,
        subject: &Subject,
        _known: &Known,
    ) -> Result<Self, SteeringConfigError> {
        Ok(Self { rules: rules.clone(), given: Given::of(subject)?, state: State::default() })
    }

    fn with(&self, part: &str) -> bool {
        !self.rules.without.iter().any(|name| name == part)
    }

    fn group(&self, group: GroupId) -> Option<Group> {
        let State { kinds, lists, .. } = &self.state;
        match kinds.of_group(group.0) {
            Some(kind) => Some(Group::Kind(kind)),
            None => lists.contains_key(&group.0).then_some(Group::List(group.0)),
        }
    }

    /// What the links of a group are worth.
    fn worth(&self, group: Group) -> f32 {
        let worth = match group {
            Group::Kind(kind) => self.state.kinds.expected(kind),
            Group::List(list) => self.state.lists.get(&list).map_or(0.0, |list| list.worth(&self.state.kinds)),
        };
        worth.min(MOST)
    }

    /// A link of a group was followed.
    fn brought(&mut self, group: Option<Group>, y: f32, own: f32, is_alive: bool) {
        match group {
            Some(Group::Kind(kind)) => self.state.kinds.brought(kind, y, own, is_alive),
            Some(Group::List(list)) => {
                if let Some(list) = self.state.lists.get(&list).map(|list| list.kind) {
                    self.state.kinds.brought(list, y, own, is_alive);
                }
            }
            None => {}
        }
    }

    /// Sends what has changed.
    fn send(&mut self, placing: &mut Placing) {
        for (group, kind) in self.state.kinds.groups().collect::<Vec<_>>() {
            let now = self.worth(Group::Kind(kind));
            if let Some(kind) = self.state.kinds.kinds.get_mut(kind as usize)
                && (kind.sent - now).abs() > CHANGE * kind.sent
            {
                kind.sent = now;
                placing.factor(GroupId(group), now);
            }
        }
        for list in self.state.lists.keys().copied().collect::<Vec<_>>() {
            let now = self.worth(Group::List(list));
            if let Some(entry) = self.state.lists.get_mut(&list)
                && (entry.sent - now).abs() > CHANGE * entry.sent
            {
                entry.sent = now;
                placing.factor(GroupId(list), now);
            }
        }
    }

    fn kind_of(&mut self, bucket: u64, sign: &Sign) -> (u64, u32) {
        let level = Level::of(sign);
        let group = key(&[bucket, sign.apath, sign.shape, level.said as u64, u64::from(level.by_page)]);
        let (number, _) = self.state.kinds.number(group, sign.shape, level);
        (group, number)
    }
}

/// What a page was worth: its own worth, or that of the best way to go on from it, for each fetch.
fn reward(worth: f32, mut promised: Vec<f32>) -> f32 {
    promised.sort_unstable_by(|a, b| b.total_cmp(a));
    promised.truncate(MOST_OF_HUB);
    let (mut best, mut sum) = (worth, worth);
    for (place, promised) in promised.into_iter().enumerate() {
        sum += promised;
        best = best.max(sum / (place as f32 + 2.0));
    }
    best
}

impl Policy for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let mut signs = Signs::of(visit.page, visit.reading, &mut self.given, &mut self.state.shapes);
        if !self.with("title") { signs.by_page = false; }
        let worth = visit.judgement.relevance.unwrap_or(0.0);
        let from = self.group(visit.group);
        if self.with("menus") { signs.leave_out_menus(visit.page, visit.fresh); }
        // kinds of its links, before it is learned from
        let mut places: Vec<(GroupId, Option<u32>)> = Vec::with_capacity(signs.links.len());
        for sign in &mut signs.links {
            sign.by_page &= signs.by_page;
            if !self.with("rows") && sign.said == signs::Said::InRow { sign.said = signs::Said::Nowhere; }
            if !self.with("context") && sign.said == signs::Said::Around { sign.said = signs::Said::Nowhere; }
            let (group, kind) = self.kind_of(signs.bucket, sign);
            let list = sign.next_of.filter(|_| self.with("paging"));
            match list {
                Some(list) => {
                    let group = key(&[list, 7]);
                    let entry = self.state.lists.entry(group).or_insert_with(List::unknown);
                    entry.kind = kind;
                    places.push((GroupId(group), None));
                }
                None => places.push((GroupId(group), Some(kind))),
            }
        }
        let new = places.iter().enumerate().filter(|(link, _)| visit.fresh.contains(*link));
        let fresh_kinds: Vec<u32> = new.filter_map(|(_, (_, kind))| *kind).collect();
        let promised: Vec<f32> = fresh_kinds.iter().map(|kind| self.state.kinds.promised(*kind)).collect();
        let y = if self.with("hubs") { reward(worth, promised) } else { worth };
        self.brought(from, y, visit.part("own").unwrap_or(1.0), true);
        let own_list = key(&[signs.list.list, 7]);
        if let Some(list) = self.state.lists.get_mut(&own_list) {
            let new = fresh_kinds.iter().copied();
            list.page(new);
        }
        self.send(placing);
        for (link, (group, _)) in places.into_iter().enumerate() {
            let sign = &signs.links[link];
            let parts: [Part; 2] = [("said", sign.said as u8 as f32), ("by_page", f32::from(u8::from(sign.by_page)))];
            placing.add(link, group, LinkScore::ONE, &parts);
        }
    }

    fn on_failure(&mut self, failure: &Failure<'_>, placing: &mut Placing) {
        let group = failure.group.and_then(|group| self.group(group));
        self.brought(group, 0.0, 1.0, false);
        self.send(placing);
    }

    fn on_repeat(&mut self, repeat: &Repeat<'_>, placing: &mut Placing) {
        let group = self.group(repeat.group);
        self.brought(group, 0.0, 1.0, repeat.to.is_some());
        self.send(placing);
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        match self.group(link.group) {
            Some(Group::Kind(kind)) => {
                let kind = &self.state.kinds.kinds[kind as usize];
                format!("{:?} page {} followed {} y {:.2} e {:.2}", kind.level.said, kind.level.by_page, kind.followed, kind.sums.y, kind.sums.e)
            }
            Some(Group::List(list)) => format!("list {:?}", self.state.lists[&list]),
            None => String::new(),
        }
    }

    fn snapshot(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        self.state = postcard::from_bytes(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        Ok(())
    }
}
