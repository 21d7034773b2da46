//! URLs without end: calendars, sessions, faceted navigation, error pages that answer like pages, paths that repeat
//! themselves.
//!
//! Three nets:
//! - The shape of a single URL: too many segments or parameters, a run of segments that follows itself.
//! - What pages bring. A URL belongs to a pattern (digits folded, query values dropped), to a path with any query, to a
//!   shape (first segment, number of segments, names in the query), and was found at a place (pattern of the page, place
//!   on it). Each of these families is closed when its last visits showed hardly anything that the family had not shown
//!   several times before. A pattern that is known to bring something stays open whatever its larger families do. A few
//!   URLs of a closed family are tried all the same, so that it can be opened again by what they show.
//! - Parts of URLs that change nothing ([`neutral`]).
//!
//! A page that looks like another one is a copy. Its links are followed until those of copies like it have brought nothing
//! but copies; from then on only into patterns that have brought something.
//! What is remembered is a function of the visits so far, so it is rebuilt from them after a restart.

mod address;
mod neutral;
mod shown;

use osprey_model::{CanonicalUrl, Scope};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use self::address::{
    Keys, check_shape, host_key, is_form_address, may_be_form_address, path_text, pattern_tag, pattern_text,
    shape_text,
};
pub(crate) use self::address::{have_one_pattern, url_pattern, url_pattern_tag};
use self::neutral::NeutralParts;
use self::shown::ShownCounts;
use crate::VisitRow;
use crate::content::{Content, SketchPiece};
use crate::settings::TrapRules;

/// Families remembered; those with one visit are forgotten when there are more.
const MAX_FAMILIES: usize = 1 << 19;
/// Looks of pages remembered, in each of two generations.
const MAX_LOOKS: usize = 1 << 18;
/// Closed families that are named.
const MAX_NAMED: usize = 200;
/// What a family has shown so often is nothing new.
const OFTEN: u8 = 4;
/// A path or a shape is judged by so many visits ...
const WIDE_WINDOW: u32 = 48;
/// ... of which not more than so many to each of its patterns: the others have their own yield.
const OF_ONE_PATTERN: u32 = 16;
/// Larger families are closed only if at most this share of all their visits brought something: one in four.
const MOST_FRESH: u32 = 4;
/// Visits after which a pattern counts as one that brings something, if half of them did.
const PROOF: u32 = 4;
/// Links of copies that must have brought nothing before others are left alone.
const COPIES: u32 = 32;
/// One of so many URLs of a closed family is tried.
const PROBE: u64 = 256;

/// Why a URL is taken for a trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trap {
    /// Too many path segments.
    Segments,
    /// Too many query parameters.
    Params,
    /// A run of path segments that follows itself.
    Repeats,
    /// A pattern whose last visits brought nothing new.
    Yield,
    /// A path whose last visits, with other queries, brought nothing new.
    Path,
    /// The same of URLs of one shape.
    Shape,
    /// A part of the URL changes nothing, and the page was fetched without it.
    Neutral,
    /// A pattern that has used up its visits.
    Budget,
    /// Links at a place of pages of one pattern, whose last ones led to copies.
    Place,
}

impl Trap {
    /// In words, for `explain`.
    fn words(self) -> &'static str {
        match self {
            Self::Segments => "its path has too many segments",
            Self::Params => "its query has too many parameters",
            Self::Repeats => "its path repeats itself",
            Self::Yield => "the last pages of its URL pattern had nothing new",
            Self::Path => "the last pages of its path, with other queries, had nothing new",
            Self::Shape => "the last pages whose URLs have its shape had nothing new",
            Self::Neutral => "a page was fetched whose URL differs only in what changes nothing",
            Self::Budget => "its URL pattern has used up its visits",
            Self::Place => "the last ones led to copies of other pages",
        }
    }

    /// The family that it closes, as people read it.
    fn family(self, url: &CanonicalUrl) -> Option<String> {
        match self {
            Self::Yield | Self::Budget => Some(pattern_text(url)),
            Self::Path => Some(path_text(url)),
            Self::Shape => Some(shape_text(url)),
            Self::Segments | Self::Params | Self::Repeats | Self::Neutral | Self::Place => None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Family {
    visits: u32,
    fresh: u32,
    /// One bit a visit, newest lowest: brought something new?
    last: u64,
}

impl Family {
    fn learn(&mut self, is_fresh: bool) {
        self.visits = self.visits.saturating_add(1);
        self.fresh = self.fresh.saturating_add(u32::from(is_fresh));
        self.last = self.last << 1 | u64::from(is_fresh);
    }

    /// Whether the last visits brought hardly anything.
    fn is_spent(&self, rules: &TrapRules) -> bool {
        self.is_spent_by(rules.window, rules)
    }

    fn is_spent_by(&self, window: u32, rules: &TrapRules) -> bool {
        let fresh = self.last << (64 - window);
        self.visits >= window && (fresh.count_ones() as f32) < rules.min_yield * window as f32
    }

    /// The same of a family that takes in much else.
    fn is_wholly_spent(&self, rules: &TrapRules) -> bool {
        self.is_spent_by(rules.window.min(WIDE_WINDOW), rules)
            && self.fresh.saturating_mul(MOST_FRESH) <= self.visits
    }

    fn is_proven(&self, rules: &TrapRules) -> bool {
        self.visits >= PROOF && self.fresh.saturating_mul(2) >= self.visits && !self.is_spent(rules)
    }
}

/// The traps seen so far.
#[derive(Debug)]
pub(crate) struct Traps {
    rules: TrapRules,
    families: FxHashMap<u64, Family>,
    shown: ShownCounts,
    neutral: NeutralParts,
    looks: FxHashSet<u64>,
    older_looks: FxHashSet<u64>,
    /// Tags of patterns that are closed: anchors that lead there are not content.
    closed_tags: FxHashSet<u16>,
    /// Copies that were fetched, by their URLs.
    copies: FxHashSet<u64>,
    /// Visits to a path that found a form to log in, and looked like another one.
    walls: FxHashMap<u64, u32>,
    /// Families that were closed, in words.
    named: Vec<(u64, Trap, String)>,
}

impl Traps {
    /// No traps yet.
    pub(crate) fn new(rules: TrapRules) -> Self {
        let rules = TrapRules { window: rules.window.clamp(1, 64), ..rules };
        Self {
            rules,
            families: FxHashMap::default(),
            shown: ShownCounts::default(),
            neutral: NeutralParts::default(),
            looks: FxHashSet::default(),
            older_looks: FxHashSet::default(),
            closed_tags: FxHashSet::default(),
            copies: FxHashSet::default(),
            walls: FxHashMap::default(),
            named: Vec::new(),
        }
    }

    /// Whether to skip `url`.
    pub(crate) fn check(&self, url: &CanonicalUrl) -> Option<Trap> {
        self.find(url).filter(|_| !self.is_kept(url))
    }

    /// Whether to skip a picture: by the shape of its URL alone, since pages are what families are judged by.
    pub(crate) fn is_odd_picture(&self, url: &CanonicalUrl) -> bool {
        check_shape(url, &self.rules).is_some() && !self.is_kept(url)
    }

    fn is_kept(&self, url: &CanonicalUrl) -> bool {
        self.rules.keep.as_ref().is_some_and(|keep: &Scope| keep.check(url).is_ok())
    }

    fn find(&self, url: &CanonicalUrl) -> Option<Trap> {
        if let Some(trap) = check_shape(url, &self.rules) {
            return Some(trap);
        }
        let keys = Keys::of(url);
        let pattern = self.families.get(&keys.pattern);
        if pattern.is_some_and(|family| u64::from(family.visits) >= self.rules.pattern_budget) {
            return Some(Trap::Budget);
        }
        if let Some(trap) = self.closed(&keys, pattern) {
            return Some(trap).filter(|_| !url.fingerprint().is_multiple_of(PROBE));
        }
        let is_copy = !url.fingerprint().is_multiple_of(PROBE) && self.neutral.copy(url).is_some();
        is_copy.then_some(Trap::Neutral)
    }

    fn closed(&self, keys: &Keys, pattern: Option<&Family>) -> Option<Trap> {
        if pattern.is_some_and(|family| family.is_spent(&self.rules)) {
            return Some(Trap::Yield);
        }
        if pattern.is_some_and(|family| family.is_proven(&self.rules)) {
            return None;
        }
        let is_closed = |key: &u64| self.families.get(key).is_some_and(|f| f.is_wholly_spent(&self.rules));
        if keys.path.as_ref().is_some_and(is_closed) {
            return Some(Trap::Path);
        }
        is_closed(&keys.shape).then_some(Trap::Shape)
    }

    /// Why `url` is skipped, in words; `None` if it is not.
    pub(crate) fn explain(&self, url: &CanonicalUrl) -> Option<String> {
        let trap = self.check(url)?;
        let neutral = (trap == Trap::Neutral).then(|| self.neutral.copy(url)).flatten();
        let family = trap.family(url).or(neutral).map(|family| format!(" ({family})")).unwrap_or_default();
        Some(format!("{}{family}; `crawl.keep` opens it again", trap.words()))
    }

    /// What is closed now, with the rule: for `status`.
    pub(crate) fn closed_patterns(&self) -> Vec<ClosedPattern> {
        let is_closed = |key: &u64, trap: Trap| {
            let family = self.families.get(key).copied().unwrap_or_default();
            if trap == Trap::Yield {
                family.is_spent(&self.rules)
            } else {
                family.is_wholly_spent(&self.rules)
            }
        };
        let families = self.named.iter().filter(|(key, trap, _)| is_closed(key, *trap));
        let families = families.map(|(key, trap, pattern)| ClosedPattern {
            pattern: pattern.clone(),
            rule: trap.words().to_owned(),
            visits: self.families.get(key).map_or(0, |family| u64::from(family.visits)),
        });
        let neutral = self.neutral.names().map(|words| ClosedPattern {
            pattern: words.to_owned(),
            rule: Trap::Neutral.words().to_owned(),
            visits: 0,
        });
        families.chain(neutral.take(MAX_NAMED)).collect()
    }

    /// Whether links that stand at `apath` on pages of the pattern `from` have brought copies only.
    pub(crate) fn is_barren(&self, from: u64, apath: &str, url: &CanonicalUrl) -> bool {
        let place = self.families.get(&place_key(from, apath));
        place.is_some_and(|family| family.is_wholly_spent(&self.rules))
            && !self.families.get(&url_pattern(url)).is_some_and(|family| family.is_proven(&self.rules))
            && !url.fingerprint().is_multiple_of(PROBE)
            && !self.is_kept(url)
    }

    /// Whether a link of the copy `from` is worth following: those of other copies of its shape have brought something, or
    /// the link's pattern has.
    pub(crate) fn is_worth_following(&self, from: &CanonicalUrl, url: &CanonicalUrl) -> bool {
        let links = self.families.get(&copies_key(&Keys::of(from)));
        !links.is_some_and(|family| family.visits >= COPIES && family.last << (64 - COPIES) == 0)
            || self.families.get(&url_pattern(url)).is_some_and(|family| family.is_proven(&self.rules))
            || url.fingerprint().is_multiple_of(PROBE)
            || self.is_kept(url)
    }

    /// Whether `url` is, or leads to, a form to log in, to report or to reply: it comes last.
    pub(crate) fn is_wall(&self, url: &CanonicalUrl) -> bool {
        let is_learned = |visits: &u32| *visits >= 2;
        is_form_address(url)
            || (may_be_form_address(url) && self.are_all_alike(url))
            || (!self.walls.is_empty() && self.walls.get(&wall_key(url)).is_some_and(is_learned))
    }

    /// Whether the pages of a URL's pattern have nothing of their own, as far as they were seen: not so of a list of reports.
    fn are_all_alike(&self, url: &CanonicalUrl) -> bool {
        let pattern = self.families.get(&url_pattern(url));
        pattern.is_some_and(|family| {
            family.visits >= PROOF && family.fresh.saturating_mul(MOST_FRESH) <= family.visits
        })
    }

    /// Whether a page looks like one that was fetched before.
    pub(crate) fn is_copy(&self, url: &CanonicalUrl, row: &VisitRow) -> bool {
        let content = row.shows.as_deref().and_then(Content::decode);
        row.duplicate_of.is_some()
            || content.is_some_and(|content| self.is_known_look(host_key(url), &content))
    }

    fn is_known_look(&self, host: u64, content: &Content) -> bool {
        let look = host ^ u64::from(content.look);
        self.looks.contains(&look) || self.older_looks.contains(&look)
    }

    /// Learns from a visit what its families bring.
    pub(crate) fn learn(&mut self, url: &CanonicalUrl, row: &VisitRow) {
        // a dead link is a nuisance, but no trap
        if row.is_failure() || row.is_revisit {
            return;
        }
        let keys = Keys::of(url);
        if row.final_url != row.url {
            // a redirect brings nothing if it leads where nothing is to be found
            let target = CanonicalUrl::from_stored(&row.final_url);
            if target.is_ok_and(|target| self.find(&target).is_some() || self.is_wall(&target)) {
                self.learn_families(url, &keys, row, [false; 4]);
            }
            return;
        }
        let content = row.shows.as_deref().and_then(Content::decode).unwrap_or_default();
        let is_content = |piece: &&SketchPiece| !self.closed_tags.contains(&piece.leads_to);
        let things: Vec<u64> =
            content.sketch.iter().filter(is_content).map(|piece| u64::from(piece.hash) << 20).collect();
        let is_copy = self.is_copy(url, row);
        let is_near = row.near_duplicate_of.is_some();
        // without a query there is no path to judge, and nothing may count twice for the pattern
        let scopes = [keys.pattern, keys.path.unwrap_or(!keys.pattern), keys.shape];
        let [pattern, path, shape] = scopes.map(|scope| {
            let often = if is_near || is_copy { 1 } else { OFTEN };
            let is_old = |thing: &u64| self.shown.count(scope ^ thing) >= often;
            let is_stale =
                if content.sketch.is_empty() { is_near || is_copy } else { things.iter().all(is_old) };
            !(row.duplicate_of.is_some() || is_stale)
        });
        self.learn_families(url, &keys, row, [pattern, path, shape, !is_copy]);
        for thing in things {
            scopes.into_iter().for_each(|scope| self.shown.add(scope ^ thing));
        }
        if is_copy && self.copies.len() < MAX_LOOKS {
            self.copies.insert(url.fingerprint());
        }
        if row.is_login && self.walls.len() < MAX_LOOKS && (is_copy || is_near) {
            *self.walls.entry(wall_key(url)).or_default() += 1;
        }
        if row.shows.is_some() {
            self.neutral.learn(url, content.items);
            self.looks.insert(keys.host ^ u64::from(content.look));
            if self.looks.len() > MAX_LOOKS {
                self.older_looks = std::mem::take(&mut self.looks);
            }
        }
    }

    /// Whether pattern, path, shape and place brought something.
    fn learn_families(&mut self, url: &CanonicalUrl, keys: &Keys, row: &VisitRow, fresh: [bool; 4]) {
        let [pattern, path, shape, place] = fresh;
        self.make_room();
        self.learn_family(keys.pattern, pattern, Trap::Yield, || Trap::Yield.family(url));
        let own = self.families.get(&keys.pattern).copied().unwrap_or_default();
        if own.visits <= OF_ONE_PATTERN {
            // what proven patterns bring does not speak for others: they are open anyway
            let is_proven = own.is_proven(&self.rules);
            if let Some(key) = keys.path.filter(|_| !(path && is_proven)) {
                self.learn_family(key, path, Trap::Path, || Trap::Path.family(url));
            }
            if !(shape && is_proven) {
                self.learn_family(keys.shape, shape, Trap::Shape, || Trap::Shape.family(url));
            }
        }
        let parent = row.parent.as_deref().and_then(|parent| CanonicalUrl::from_stored(parent).ok());
        if let Some(parent) = parent {
            let keys = Keys::of(&parent);
            if let Some(apath) = row.apath.as_deref() {
                let name = || Some(format!("links at {apath} on pages like {}", pattern_text(&parent)));
                self.learn_family(place_key(keys.pattern, apath), place, Trap::Place, name);
            }
            if self.copies.contains(&parent.fingerprint()) {
                self.families.entry(copies_key(&keys)).or_default().learn(place);
            }
        }
    }

    /// `name`: the family as people read it.
    fn learn_family(&mut self, key: u64, is_fresh: bool, trap: Trap, name: impl FnOnce() -> Option<String>) {
        let family = self.families.entry(key).or_default();
        family.learn(is_fresh);
        let is_closed = match trap {
            Trap::Yield => family.is_spent(&self.rules),
            _ => family.is_wholly_spent(&self.rules),
        };
        if trap == Trap::Yield {
            let tag = pattern_tag(key);
            if is_closed {
                self.closed_tags.insert(tag)
            } else {
                self.closed_tags.remove(&tag)
            };
        }
        if is_closed && self.named.len() < MAX_NAMED && self.named.iter().all(|(known, ..)| *known != key) {
            self.named.push((key, trap, name().unwrap_or_default()));
        }
    }

    fn make_room(&mut self) {
        if self.families.len() >= MAX_FAMILIES {
            self.families.retain(|_, family| family.visits > 1);
            // as many patterns with several visits are no traps, and few sites
            if self.families.len() >= MAX_FAMILIES / 2 {
                self.families.clear();
            }
        }
    }
}

/// A family of URLs that are not fetched any more.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ClosedPattern {
    /// Its URLs, the part of URLs that changes nothing, or where its links stand.
    pub pattern: String,
    /// The rule that closed it.
    pub rule: String,
    /// Visits to it.
    pub visits: u64,
}

fn place_key(from: u64, apath: &str) -> u64 {
    xxh3_64_with_seed(apath.as_bytes(), from)
}

/// The family of links that were found on copies.
fn copies_key(from: &Keys) -> u64 {
    from.shape ^ 0x2545_f491_4f6c_dd1d
}

fn wall_key(url: &CanonicalUrl) -> u64 {
    xxh3_64_with_seed(url.path().as_bytes(), host_key(url))
}

#[cfg(test)]
mod tests;
