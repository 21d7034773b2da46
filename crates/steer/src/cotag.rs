//! Expands a topic from the tag that the user gave to the tags that are used with it (Zhang & Nasraoui 2009, section 6;
//! Zhang 2008, chapter IV).
//!
//! Every picture with the topic's tag votes for its other tags. A tag is added if it has enough votes and occurs with
//! the topic more often than by chance: φ = |T ∩ T1| / (|T| |T1|). Pictures with the same set of tags, which were
//! tagged in one go, count once. A second layer starts from the strongest tags of the first.
//!
//! Differences from the paper. φ as printed shrinks with every picture, so no threshold fits two crawls; the test uses
//! `φ * pictures`, how many times more often than by chance. Where nearly every picture has the topic's tag, chance is
//! no criterion and votes decide, as in the experiments of the paper. The second layer counts pictures with at least
//! two of the strongest tags, because a single one (`yellow`) can lead anywhere. Noise tags (`nikon`) are listed in
//! `osprey_text`, or are recognised because they occur with most of the other topics too. Several given tags
//! (ten cities) are expanded one by one: what goes with one of them is rare among the pictures of all.
//!
//! Chance is measured on a background of pictures that were not chosen by the topic ([`CoTags::expand_against`]): in a
//! crawl for `beach`, nearly every picture shows the sea, and `sea` would go with `beach` no more than by chance.

use std::fmt;

use osprey_text::{fold, is_noise_tag};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Sets of tags that are kept; later ones are not looked at.
const MAX_SETS: usize = 200_000;
/// Tags of a set.
const MAX_SET_TAGS: usize = 64;
/// Bytes of a tag.
const MAX_TAG_BYTES: usize = 64;
/// Other topics that a tag's spread is measured on.
const OTHER_TOPICS: usize = 20;
/// With fewer other topics, spread says nothing.
const MIN_OTHER_TOPICS: usize = 4;
/// A tag goes with another if they meet nearly as often as by chance.
const BY_CHANCE: f32 = 0.8;

/// When a tag joins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoTagRules {
    /// Votes that a tag needs at least.
    pub min_votes: u32,
    /// Votes that it needs, as a share of the topic's pictures.
    pub min_share: f32,
    /// Zhang & Nasraoui 2009's threshold on φ itself.
    pub min_phi: f32,
    /// How many times more often than by chance.
    pub min_lift: f32,
    /// Tags that one layer may add; Zhang & Nasraoui 2009 show 15 in all.
    pub layer_tags: usize,
    /// Tags of the first layer that the second starts from; 0 for no second layer.
    pub strongest: usize,
    /// A tag that goes with more than this share of the other topics is noise.
    pub max_spread: f32,
    /// Let tags on the list of noise join: to measure what the list is good for.
    pub keep_noise: bool,
}

impl Default for CoTagRules {
    fn default() -> Self {
        Self {
            min_votes: 3,
            min_share: 0.02,
            min_phi: 0.0,
            min_lift: 1.5,
            layer_tags: 15,
            strongest: 5,
            max_spread: 0.5,
            keep_noise: false,
        }
    }
}

/// A tag of the topic, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicTag {
    /// The tag, folded.
    pub tag: String,
    /// Pictures of the topic that have it.
    pub votes: u32,
    /// Equation 6 of Zhang & Nasraoui 2009.
    pub phi: f32,
    /// How many times more often than by chance.
    pub lift: f32,
    /// 0 is what the user gave.
    pub layer: u8,
}

/// A tag that had the votes and did not join.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// The tag.
    pub tag: String,
    /// Its votes.
    pub votes: u32,
    /// Why.
    pub why: LeftBecause,
}

/// Why a tag did not join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeftBecause {
    /// On the list of noise.
    Listed,
    /// It goes with that share of the other topics.
    Spread(f32),
    /// It goes with the topic hardly more than by chance: this many times.
    Chance(f32),
}

impl fmt::Display for LeftBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed => f.write_str("on the list of noise"),
            Self::Spread(share) => write!(f, "goes with {:.0} % of the other topics", share * 100.0),
            Self::Chance(lift) => write!(f, "hardly more often than by chance ({lift:.1} times)"),
        }
    }
}

/// A topic made of tags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expansion {
    /// The given tags, then those that joined, by layer and votes.
    pub tags: Vec<TopicTag>,
    /// Tags with enough votes that did not join, by votes.
    pub left: Vec<Left>,
}

impl Expansion {
    /// The tags that joined, without those that were given.
    pub fn joined(&self) -> impl Iterator<Item = &TopicTag> {
        self.tags.iter().filter(|tag| tag.layer > 0)
    }
}

/// Tags of pictures. Memory is bounded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CoTags {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// Each set in the order of its tags' numbers.
    sets: Vec<Box<[u32]>>,
    /// By tag: the numbers of its sets, rising.
    with: Vec<Vec<u32>>,
    seen: FxHashSet<u64>,
}

/// φ: pictures with both tags, over the product of those with each.
pub fn phi(both: u32, one: u32, other: u32) -> f32 {
    if one == 0 || other == 0 { 0.0 } else { (f64::from(both) / (f64::from(one) * f64::from(other))) as f32 }
}

impl CoTags {
    /// Takes the tags of one picture. `false`: they count for nothing, because they are none, because a picture had the
    /// same set before, or because there is no more room.
    pub fn add<S: AsRef<str>>(&mut self, tags: impl IntoIterator<Item = S>) -> bool {
        let mut names: Vec<String> =
            tags.into_iter().filter_map(|tag| folded(tag.as_ref())).take(MAX_SET_TAGS).collect();
        names.sort_unstable();
        names.dedup();
        let same = xxh3_64(names.join("\n").as_bytes());
        if names.is_empty() || self.sets.len() >= MAX_SETS || !self.seen.insert(same) {
            return false;
        }
        let mut set: Vec<u32> = names.into_iter().map(|tag| self.number(tag)).collect();
        set.sort_unstable();
        let picture = self.sets.len() as u32;
        for tag in &set {
            if let Some(with) = self.with.get_mut(*tag as usize) {
                with.push(picture);
            }
        }
        self.sets.push(set.into());
        true
    }

    /// Pictures that count.
    pub fn pictures(&self) -> usize {
        self.sets.len()
    }

    /// The tags of each picture that counts, in the order they were added.
    pub fn sets(&self) -> impl Iterator<Item = Vec<&str>> {
        self.sets.iter().map(|set| set.iter().map(|tag| self.name(*tag)).collect())
    }

    /// Pictures that have a tag.
    pub fn count(&self, tag: &str) -> u32 {
        folded(tag).and_then(|tag| self.numbers.get(&tag)).map_or(0, |tag| self.size(*tag))
    }

    /// The topic around `given` tags, if these pictures were not chosen by it.
    pub fn expand(&self, given: &[&str], rules: &CoTagRules) -> Expansion {
        self.expand_against(given, rules, self)
    }

    /// The topic around `given` tags. Chance is what `background` has: pictures that were not chosen by the topic.
    pub fn expand_against(&self, given: &[&str], rules: &CoTagRules, background: &Self) -> Expansion {
        let mut expansion = Expansion::default();
        let mut known: Vec<u32> = Vec::new();
        let mut seen = FxHashSet::default();
        for tag in given.iter().filter_map(|tag| folded(tag)).filter(|tag| seen.insert(tag.clone())) {
            let votes = self.count(&tag);
            known.extend(self.numbers.get(&tag));
            expansion.tags.push(TopicTag { tag, votes, phi: 0.0, lift: 0.0, layer: 0 });
        }
        let background = if background.pictures() == 0 { self } else { background };
        let mut joined = known.clone();
        let mut strongest = Vec::new();
        for tag in &known {
            let on_topic = self.having(&[*tag], 1);
            let first = self.layer(&on_topic, &joined, rules, 1, background, &mut expansion);
            joined.extend(&first);
            strongest.push(std::iter::once(*tag).chain(first.into_iter().take(rules.strongest)).collect());
        }
        // where two of the given tags count as strong ones, they lead to what they have in common
        if rules.strongest > 0 && strongest.iter().any(|tags: &Vec<u32>| tags.len() > 1) {
            let sets = if known.len() > 1 { strongest } else { vec![strongest.concat()] };
            for tags in sets {
                let on_topic = self.having(&tags, 2);
                let second = self.layer(&on_topic, &joined, rules, 2, background, &mut expansion);
                joined.extend(second);
            }
        }
        let mut told: FxHashSet<String> = expansion.tags.iter().map(|tag| tag.tag.clone()).collect();
        expansion.left.retain(|left| told.insert(left.tag.clone()));
        expansion
    }

    /// Tags that join by the votes of the pictures in `on_topic`.
    fn layer(
        &self,
        on_topic: &[u32],
        joined: &[u32],
        rules: &CoTagRules,
        layer: u8,
        background: &Self,
        out: &mut Expansion,
    ) -> Vec<u32> {
        let mut votes: FxHashMap<u32, u32> = FxHashMap::default();
        for picture in on_topic {
            for tag in self.sets.get(*picture as usize).into_iter().flatten() {
                *votes.entry(*tag).or_default() += 1;
            }
        }
        let topic = on_topic.len() as u32;
        let least = rules.min_votes.max((rules.min_share * topic as f32).ceil() as u32);
        let mut candidates: Vec<(u32, u32)> =
            votes.into_iter().filter(|(tag, votes)| *votes >= least && !joined.contains(tag)).collect();
        candidates.sort_unstable_by(|(a, few), (b, more)| {
            more.cmp(few).then_with(|| self.name(*a).cmp(self.name(*b)))
        });
        // the topic in the background: pictures with a tag that has joined, as far as the background has them
        let known: Vec<u32> = joined.iter().filter_map(|tag| background.number_of(self.name(*tag))).collect();
        let chosen = std::ptr::eq(self, background);
        let behind = if chosen { on_topic.to_vec() } else { background.having(&known, 1) };
        let others = background.other_topics(&behind, least);
        let most_lift = background.pictures() as f32 / (behind.len() as f32).max(1.0);
        // where nearly all pictures are on the topic, nothing can be much above chance
        let least_lift = rules.min_lift.min(0.9 * most_lift);
        let mut new = Vec::new();
        for (tag, votes) in candidates {
            let phi = phi(votes, topic, self.size(tag));
            let name = self.name(tag).to_owned();
            let in_background = background.number_of(&name);
            let lift = background.above_chance(votes, topic, in_background);
            let spread = || background.spread(in_background?, &others, least);
            let why = if is_noise_tag(&name) && !rules.keep_noise {
                LeftBecause::Listed
            } else if lift < least_lift || phi < rules.min_phi {
                LeftBecause::Chance(lift)
            } else if let Some(spread) = spread().filter(|spread| *spread > rules.max_spread) {
                LeftBecause::Spread(spread)
            } else {
                if new.len() < rules.layer_tags {
                    out.tags.push(TopicTag { tag: name, votes, phi, lift, layer });
                    new.push(tag);
                }
                continue;
            };
            out.left.push(Left { tag: name, votes, why });
        }
        new
    }

    /// The share of `votes` among the pictures of a topic, over the share of the tag here. A tag that nobody has here
    /// counts half a picture.
    fn above_chance(&self, votes: u32, topic: u32, tag: Option<u32>) -> f32 {
        let size = tag.map_or(0.5, |tag| f64::from(self.size(tag)).max(0.5));
        if topic == 0 {
            return 0.0;
        }
        (f64::from(votes) / f64::from(topic) * self.pictures() as f64 / size) as f32
    }

    /// The largest tags that keep away from the topic: those that meet it less often than by chance.
    fn other_topics(&self, on_topic: &[u32], least: u32) -> Vec<u32> {
        let mut tags: Vec<u32> = (0..self.names.len() as u32)
            .filter(|tag| self.size(*tag) >= least.max(2) && !is_noise_tag(self.name(*tag)))
            .collect();
        tags.sort_unstable_by(|a, b| {
            self.size(*b).cmp(&self.size(*a)).then_with(|| self.name(*a).cmp(self.name(*b)))
        });
        let away = |tag: &u32| {
            let both = common(on_topic, self.pictures_with(*tag));
            self.lift(both, on_topic.len() as u32, self.size(*tag)) < BY_CHANCE
        };
        tags.into_iter().filter(away).take(OTHER_TOPICS).collect()
    }

    /// The share of the other topics that a tag goes with.
    fn spread(&self, tag: u32, others: &[u32], least: u32) -> Option<f32> {
        let others: Vec<u32> = others.iter().copied().filter(|other| *other != tag).collect();
        let goes_with = |other: &&u32| {
            let both = common(self.pictures_with(tag), self.pictures_with(**other));
            both >= least.min(2) && self.lift(both, self.size(tag), self.size(**other)) >= BY_CHANCE
        };
        (others.len() >= MIN_OTHER_TOPICS)
            .then(|| others.iter().filter(goes_with).count() as f32 / others.len() as f32)
    }

    fn lift(&self, both: u32, one: u32, other: u32) -> f32 {
        phi(both, one, other) * self.pictures() as f32
    }

    fn number_of(&self, tag: &str) -> Option<u32> {
        self.numbers.get(tag).copied()
    }

    /// Pictures with at least `least` of the tags, rising.
    fn having(&self, tags: &[u32], least: usize) -> Vec<u32> {
        let mut all: Vec<u32> = tags.iter().flat_map(|tag| self.pictures_with(*tag)).copied().collect();
        all.sort_unstable();
        all.chunk_by(|a, b| a == b)
            .filter(|run| run.len() >= least)
            .filter_map(|run| run.first().copied())
            .collect()
    }

    fn number(&mut self, tag: String) -> u32 {
        if let Some(number) = self.numbers.get(&tag) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(tag.clone());
        self.with.push(Vec::new());
        self.numbers.insert(tag, number);
        number
    }

    fn name(&self, tag: u32) -> &str {
        self.names.get(tag as usize).map_or("", String::as_str)
    }

    fn pictures_with(&self, tag: u32) -> &[u32] {
        self.with.get(tag as usize).map_or(&[], Vec::as_slice)
    }

    fn size(&self, tag: u32) -> u32 {
        self.pictures_with(tag).len() as u32
    }
}

/// How many two rising lists share.
fn common(mut a: &[u32], mut b: &[u32]) -> u32 {
    let mut count = 0;
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => a = a_rest,
            std::cmp::Ordering::Greater => b = b_rest,
            std::cmp::Ordering::Equal => (count, a, b) = (count + 1, a_rest, b_rest),
        }
    }
    count
}

/// A tag as it is compared: folded, inner spaces as one. `None` if it is empty or too long to be a tag.
pub fn folded(tag: &str) -> Option<String> {
    let mut name = String::new();
    for word in tag.trim().trim_start_matches('#').split_whitespace() {
        if !name.is_empty() {
            name.push(' ');
        }
        fold(word, &mut name);
        if name.len() > MAX_TAG_BYTES {
            return None;
        }
    }
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags_of(expansion: &Expansion) -> Vec<(&str, u32, u8)> {
        expansion.tags.iter().map(|tag| (tag.tag.as_str(), tag.votes, tag.layer)).collect()
    }

    /// Ten pictures, five with `flowers`. `rose` is on 4, always with flowers: φ = 4 / (5 * 4) = 0.2, lift 2.
    /// `blue` is on 5, with flowers 2: φ = 2 / 25 = 0.08, lift 0.8.
    #[test]
    fn phi_and_lift_by_hand() {
        let mut tags = CoTags::default();
        for number in 0..5 {
            let own = format!("f{number}");
            let rose = if number < 4 { "Rose" } else { "x" };
            let blue = if number < 2 { "blue" } else { "y" };
            assert!(tags.add(["Flowers", own.as_str(), rose, blue]));
        }
        for number in 0..5 {
            let own = format!("c{number}");
            assert!(tags.add(["car", own.as_str(), if number < 3 { "blue" } else { "z" }]));
        }
        assert_eq!((tags.pictures(), tags.count("FLOWERS"), tags.count("blue")), (10, 5, 5));
        let rules = CoTagRules { min_votes: 2, strongest: 0, ..CoTagRules::default() };
        let expansion = tags.expand(&["flowers"], &rules);
        assert_eq!(tags_of(&expansion), [("flowers", 5, 0), ("rose", 4, 1), ("y", 3, 1)]);
        let rose = &expansion.tags[1];
        assert!((rose.phi - 0.2).abs() < 1e-6 && (rose.lift - 2.0).abs() < 1e-6, "{rose:?}");
        assert_eq!(expansion.left.len(), 1);
        let blue = &expansion.left[0];
        assert!(
            blue.tag == "blue" && matches!(blue.why, LeftBecause::Chance(lift) if (lift - 0.8).abs() < 1e-6),
            "{blue:?}"
        );
    }

    #[test]
    fn the_same_set_votes_once() {
        let mut tags = CoTags::default();
        assert!(tags.add(["a", "b"]));
        assert!(!tags.add(["B", "#a", "b "]));
        assert!(!tags.add([""; 3]));
        assert_eq!(tags.pictures(), 1);
    }

    /// `petal` never stands beside `flowers`, but beside two of its strongest tags.
    #[test]
    fn the_second_layer() {
        let mut tags = CoTags::default();
        for number in 0..4 {
            tags.add(["flowers", "rose", "garden", format!("n{number}").as_str()]);
            tags.add(["rose", "garden", "petal", format!("m{number}").as_str()]);
            tags.add(["car", "street", format!("c{number}").as_str()]);
            tags.add(["dog", "street", format!("d{number}").as_str()]);
        }
        let one = CoTagRules { strongest: 0, ..CoTagRules::default() };
        let first = [("flowers", 4, 0), ("garden", 4, 1), ("rose", 4, 1)];
        assert_eq!(tags_of(&tags.expand(&["flowers"], &one)), first);
        let both = tags.expand(&["flowers"], &CoTagRules::default());
        assert_eq!(tags_of(&both), [&first[..], &[("petal", 4, 2)]].concat());
    }

    /// `winter` goes with all other topics, `nikon` is listed.
    #[test]
    fn noise_stays_out() {
        let mut tags = CoTags::default();
        for topic in ["flowers", "car", "dog", "city", "food", "beach"] {
            for number in 0..12 {
                let own = format!("{topic}{number}");
                let kind = format!("{topic}kind");
                let winter = if number < 6 { "winter" } else { "summer" };
                tags.add([
                    topic,
                    &own,
                    &kind,
                    "nikon",
                    if topic == "flowers" && number < 9 { "winter" } else { winter },
                ]);
            }
        }
        let rules = CoTagRules { min_lift: 1.0, ..CoTagRules::default() };
        let expansion = tags.expand(&["flowers"], &rules);
        assert_eq!(tags_of(&expansion), [("flowers", 12, 0), ("flowerskind", 12, 1)]);
        let left: Vec<_> = expansion.left.iter().map(|left| (left.tag.as_str(), left.why)).collect();
        assert_eq!(left[0], ("nikon", LeftBecause::Listed));
        assert!(matches!(left[1], ("winter", LeftBecause::Spread(spread)) if spread > 0.5), "{left:?}");
    }

    /// A crawl for `beach`: 20 pictures, all with sea, 10 with `street`. The background has 79, of which 2 have the sea and
    /// 30 a street: sea is 39.5 times above chance, street 1.3 times.
    #[test]
    fn chance_is_what_the_background_has() {
        let (mut crawled, mut background) = (CoTags::default(), CoTags::default());
        for number in 0..20 {
            let own = format!("b{number}");
            crawled.add(["beach", "sea", "nikon", &own, if number < 10 { "street" } else { "sand" }]);
        }
        for number in 0..40 {
            let own = format!("o{number}");
            let what = if number < 30 { "street" } else { "tree" };
            background.add(if number < 38 { [what, own.as_str()] } else { ["sea", "beach"] });
            background.add([own.as_str(), "sea", "beach"].into_iter().take(if number < 39 { 1 } else { 3 }));
        }
        let tags = |expansion: &Expansion| {
            expansion.joined().map(|tag| (tag.tag.clone(), tag.lift.round())).collect::<Vec<_>>()
        };
        let found = crawled.expand_against(&["beach"], &CoTagRules::default(), &background);
        let names: Vec<String> = tags(&found).into_iter().map(|(tag, _)| tag).collect();
        assert_eq!(names, ["sea", "sand"]);
        assert!(found.left.iter().any(|left| left.tag == "street" && left.why != LeftBecause::Listed));
        // an empty background is none
        let alone = crawled.expand_against(&["beach"], &CoTagRules::default(), &CoTags::default());
        assert_eq!(tags(&alone), tags(&crawled.expand(&["beach"], &CoTagRules::default())));
    }

    /// Ten cities: each has a tag that one picture in ten of all cities has.
    #[test]
    fn several_given_tags_are_expanded_one_by_one() {
        let mut tags = CoTags::default();
        let cities: Vec<String> = (0..10).map(|city| format!("city{city}")).collect();
        for (number, city) in cities.iter().enumerate() {
            for picture in 0..100 {
                let own = format!("p{number}-{picture}");
                let park = if picture < 5 { format!("park{number}") } else { format!("x{own}") };
                tags.add([city.as_str(), &own, &park, &format!("river{number}")]);
            }
        }
        let given: Vec<&str> = cities.iter().map(String::as_str).collect();
        let rules = CoTagRules { min_share: 0.05, ..CoTagRules::default() };
        let expansion = tags.expand(&given, &rules);
        assert_eq!(expansion.joined().count(), 20, "{:?}", tags_of(&expansion));
    }

    #[test]
    fn tags_that_nobody_uses() {
        let mut tags = CoTags::default();
        tags.add(["a", "b", "花", "花 园"]);
        assert_eq!(tags_of(&tags.expand(&["nothing", " "], &CoTagRules::default())), [("nothing", 0, 0)]);
        assert_eq!(CoTags::default().expand(&["a"], &CoTagRules::default()).tags.len(), 1);
        assert_eq!(tags.count("花  园"), 1);
    }
}
