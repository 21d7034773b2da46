//! `adaptive`: one policy that needs no choice. It learns from what links bring, as it crawls.
//!
//! **What a page brought** is what the judge says of it, or, if that is more, what the best way on from it promises for each
//! fetch: a list of ten good items is worth nearly as much as one of them, a log-in form nothing. Only links that nobody had
//! found before count, so the same list in another order is worth nothing.
//!
//! **Kinds.** Links that stand at the same place of the same kind of page, have URLs of one shape, and of which the words of the
//! user say the same (in the link, in its row, around it, nowhere) are one kind, and a group of the frontier. What its links have
//! brought is what the next is expected to bring; what is known of a wider group stands in until there is enough ([`sums`]).
//!
//! **Lists.** A link to a further page of a list is worth what that list's next page is expected to bring ([`lists`]).
//!
//! Nothing is dropped: what promises nothing comes last. While nothing matches, all kinds are tried in turn, and inside a
//! kind the first found is the first fetched, which is breadth-first.

mod given;
mod lists;
mod shape;
mod signs;
mod sums;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use osprey_model::{GroupId, LinkScore};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

use self::given::Given;
use self::lists::List;
use self::shape::Shapes;
use self::signs::{Said, Sign, Signs};
use self::sums::{Kinds, Level, Yield};
use super::{Failure, LinkFacts, Policy, Repeat, RestoreError, SitemapVisit, Visit};
use crate::{Known, Part, Placing, SteeringConfigError, Subject};

/// `[policy]` of `adaptive`: nothing has to be chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveRules {
    /// Parts that are left out, for experiments: `context`, `hubs`, `menus`, `paging`, `rows`, `title`.
    pub without: Vec<String>,
}

/// The parts that can be left out.
const PARTS: [&str; 6] = ["context", "hubs", "menus", "paging", "rows", "title"];
/// The kind of page that sitemaps are.
const SITEMAP: u64 = 3;
/// The most that a link can be worth.
const MOST: f32 = 1.5;
/// Links of a page that can make a hub.
const MOST_OF_HUB: usize = 200;
/// A change of a factor, relative, that is worth sending.
const CHANGE: f32 = 0.02;
/// Groups that are looked at after each visit, besides the one that it was of: all of them in turn.
const LOOKED_AT: usize = 128;
/// Lists that are kept; links to further pages of others are links like any.
const MOST_LISTS: usize = 50_000;

/// A group of the frontier, and the factor that it was given last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Placed {
    id: u64,
    group: Group,
    sent: f32,
}

/// What a group of the frontier is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Group {
    /// Links of a kind.
    Kind(u32),
    /// Links to further pages of a list.
    List(u32),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    shapes: Shapes,
    kinds: Kinds,
    lists: Vec<List>,
    /// All groups, in the order in which they were met.
    groups: Vec<Placed>,
    /// The place of the next group to look at.
    cursor: usize,
}

#[derive(Debug)]
pub(super) struct Adaptive {
    rules: AdaptiveRules,
    given: Given,
    state: State,
    /// Places in `state.groups`.
    by_id: FxHashMap<u64, u32>,
}

/// The number of a group.
fn id(parts: &[u64]) -> u64 {
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
    // never one of the frontier's own
    (xxh3_64(&bytes) >> 1) | 1
}

/// Maps are stored in the order of their keys, so that equal states have equal snapshots.
fn sorted<S: Serializer, V: Serialize>(map: &FxHashMap<u64, V>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(map.iter().collect::<BTreeMap<_, _>>())
}

fn id_of_list(list: u64) -> u64 {
    id(&[list, 7])
}

impl Adaptive {
    pub(super) fn new(
        rules: &AdaptiveRules,
        subject: &Subject,
        _known: &Known,
    ) -> Result<Self, SteeringConfigError> {
        if let Some(part) = rules.without.iter().find(|part| !PARTS.contains(&part.as_str())) {
            let message = format!("unknown part `{part}`; expected one of {}", PARTS.join(", "));
            return Err(SteeringConfigError::new("policy.without", message));
        }
        let (given, state) = (Given::of(subject)?, State::default());
        Ok(Self { rules: rules.clone(), given, state, by_id: FxHashMap::default() })
    }

    fn with(&self, part: &str) -> bool {
        !self.rules.without.iter().any(|name| name == part)
    }

    fn group(&self, id: GroupId) -> Option<Group> {
        let place = self.by_id.get(&id.0)?;
        self.state.groups.get(*place as usize).map(|placed| placed.group)
    }

    /// The group with this number; made if it is not there.
    fn group_or(&mut self, id: u64, make: impl FnOnce(&mut State) -> Group) -> Group {
        if let Some(group) = self.group(GroupId(id)) {
            return group;
        }
        let group = make(&mut self.state);
        self.by_id.insert(id, self.state.groups.len() as u32);
        self.state.groups.push(Placed { id, group, sent: -1.0 });
        group
    }

    /// The kind of a link on a page of kind `bucket`, and the number of its group.
    fn kind_of(&mut self, bucket: u64, sign: &Sign) -> (u64, u32) {
        let level = Level::of(sign);
        let by_level = id(&[level.said as u64, u64::from(level.by_page)]);
        let own = id(&[bucket, sign.place, sign.shape, level.said as u64, u64::from(level.by_page)]);
        let id = if self.by_id.contains_key(&own) || self.state.kinds.has_room() { own } else { by_level };
        let group = self.group_or(id, |state| Group::Kind(state.kinds.add(sign.shape, level)));
        match group {
            Group::Kind(kind) => (id, kind),
            Group::List(_) => (id, 0), // no two numbers are equal, as a rule
        }
    }

    /// The group of links to further pages of a list, which are of this kind.
    fn list_of(&mut self, list: u64, kind: u32) -> Option<u64> {
        let id = id_of_list(list);
        if !self.by_id.contains_key(&id) && self.state.lists.len() >= MOST_LISTS {
            return None;
        }
        self.group_or(id, |state| {
            state.lists.push(List::of_kind(kind));
            Group::List(state.lists.len() as u32 - 1)
        });
        Some(id)
    }

    /// What the links of a group are expected to bring.
    fn worth(&self, group: Group) -> f32 {
        let worth = match group {
            Group::Kind(kind) => self.state.kinds.expected(kind).way,
            Group::List(list) => {
                self.state.lists.get(list as usize).map_or(0.0, |list| list.worth(&self.state.kinds))
            }
        };
        worth.min(MOST)
    }

    /// A link of a group was followed.
    fn brought(&mut self, id: Option<GroupId>, brought: Yield, is_alive: bool, placing: &mut Placing) {
        let place = id.and_then(|id| self.by_id.get(&id.0)).map(|place| *place as usize);
        let kind = match place.and_then(|place| self.state.groups.get(place)).map(|placed| placed.group) {
            Some(Group::Kind(kind)) => Some(kind),
            Some(Group::List(list)) => self.state.lists.get(list as usize).map(|list| list.kind),
            None => None,
        };
        if let Some(kind) = kind {
            self.state.kinds.brought(kind, brought, is_alive);
        }
        self.send(place, placing);
    }

    /// Sends the factors that have changed: of the group that something was learned of, and of others in turn.
    fn send(&mut self, first: Option<usize>, placing: &mut Placing) {
        let groups = self.state.groups.len();
        for _ in 0..LOOKED_AT.min(groups) {
            self.state.cursor = (self.state.cursor + 1) % groups;
            self.send_one(self.state.cursor, placing);
        }
        if let Some(first) = first {
            self.send_one(first, placing);
        }
    }

    fn send_one(&mut self, place: usize, placing: &mut Placing) {
        let Some(placed) = self.state.groups.get(place).copied() else { return };
        let now = self.worth(placed.group);
        if (placed.sent - now).abs() > CHANGE * placed.sent
            && let Some(placed) = self.state.groups.get_mut(place)
        {
            placed.sent = now;
            placing.factor(GroupId(placed.id), now);
        }
    }

    /// The factor that a group has in the frontier; a new one gets it now.
    fn factor_of(&mut self, id: u64, placing: &mut Placing) -> f32 {
        let Some(place) = self.by_id.get(&id).map(|place| *place as usize) else { return 0.0 };
        if self.state.groups.get(place).is_some_and(|placed| placed.sent < 0.0) {
            self.send_one(place, placing);
        }
        self.state.groups.get(place).map_or(0.0, |placed| placed.sent)
    }

    fn place(&mut self, link: usize, id: u64, said: Said, placing: &mut Placing) {
        let name = if matches!(self.group(GroupId(id)), Some(Group::List(_))) { "list" } else { "brings" };
        let parts: [Part; 2] = [(name, self.factor_of(id, placing)), ("said", f32::from(said as u8))];
        placing.add(link, GroupId(id), LinkScore::ONE, &parts);
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
        let parts = signs::Parts {
            title: self.with("title"),
            rows: self.with("rows"),
            context: self.with("context"),
            paging: self.with("paging"),
            menus: self.with("menus"),
        };
        let signs = Signs::of(visit, parts, &mut self.given, &mut self.state.shapes);
        // where each link waits, and which kinds its new links are of, before anything is learned
        let mut ids = Vec::with_capacity(signs.links.len());
        let mut new = Vec::new();
        for (link, sign) in signs.links.iter().enumerate() {
            let (id, kind) = self.kind_of(signs.bucket, sign);
            match sign.next_of.and_then(|list| self.list_of(list, kind)) {
                Some(list) => ids.push(list),
                None => {
                    ids.push(id);
                    new.extend(visit.fresh.contains(link).then_some(kind));
                }
            }
        }
        let page = visit.judgement.relevance.unwrap_or(0.0);
        let promised = new.iter().map(|kind| self.state.kinds.promised(*kind)).collect();
        let way = if self.with("hubs") { reward(page, promised) } else { page };
        if let Some(Group::List(list)) = self.group(GroupId(id_of_list(signs.list.list)))
            && let Some(list) = self.state.lists.get_mut(list as usize)
        {
            list.page(new.iter().copied());
        }
        self.brought(Some(visit.group), Yield { page, way }, true, placing);
        for (link, (id, sign)) in ids.into_iter().zip(&signs.links).enumerate() {
            self.place(link, id, sign.said, placing);
        }
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        for (place, entry) in map.entries.iter().enumerate() {
            let sign = signs::of_entry(entry, &mut self.given, &mut self.state.shapes);
            let (id, _) = self.kind_of(SITEMAP, &sign);
            self.place(place, id, sign.said, placing);
        }
        self.send(None, placing);
    }

    fn on_failure(&mut self, failure: &Failure<'_>, placing: &mut Placing) {
        self.brought(failure.group, Yield::NONE, false, placing);
    }

    fn on_repeat(&mut self, repeat: &Repeat<'_>, placing: &mut Placing) {
        self.brought(Some(repeat.group), Yield::NONE, repeat.to.is_some(), placing);
    }

    fn group_noun(&self) -> &'static str {
        "kinds of link"
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        match self.group(link.group) {
            Some(Group::Kind(kind)) => self.state.kinds.in_words(kind),
            Some(Group::List(list)) => match self.state.lists.get(list as usize) {
                Some(list) => list.in_words(&self.state.kinds),
                None => String::new(),
            },
            None => "its kind is not known: a start URL, or a link that was skipped".to_owned(),
        }
    }

    fn snapshot(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        let state: State = postcard::from_bytes(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        self.by_id = state.groups.iter().zip(0..).map(|(placed, place)| (placed.id, place)).collect();
        self.state = state;
        Ok(())
    }
}
