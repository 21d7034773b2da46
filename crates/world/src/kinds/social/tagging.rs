//! Tags as users set them: some of the topic, some of a neighbouring topic, some that fit anything, the camera that the
//! author always names, and some that are false. A tag's pages list exactly the items that have it.
//!
//! A [`Layer`] gives every item of a range at most one tag: items are shuffled and cut into stretches, one for each
//! tag, as long as the tag is popular (Zipf). Reading a layer from the item gives its tag, reading it from the tag
//! gives its items. An item has the tags of all its layers, so lists stay consistent without being stored. The tables
//! hold a number for each tag of each layer: they grow with the vocabulary, not with the world.

use std::collections::HashMap;
use std::ops::Range;

use crate::{Dice, Permutation};

use super::super::expert::LISTS_OF_TOPIC;
use super::super::ground::Ground;
use super::super::site_map::{PageId, PageKind};
use super::super::ties::Sections;
use super::Society;

/// The share of items that have no tag of the topic's first, second, ... layer.
const UNTAGGED: [f64; 4] = [0.04, 0.35, 0.55, 0.75];

/// The share of items without a tag of a neighbouring topic.
const NO_NEIGHBOUR: f64 = 0.85;

/// The share of items without a tag that fits anything, by layer.
const NO_GENERIC: [f64; 2] = [0.45, 0.75];

/// The share of users who never name their camera.
const NO_GEAR: f64 = 0.45;

/// How many of an author's items are listed under the author's camera.
const LISTED_BY_GEAR: u64 = 3;

/// How many tags of a topic are in use on a large site.
const PER_TOPIC: u64 = 24;

/// The number of a tag on a site.
pub(crate) type TagId = u64;

/// Tags that are of no topic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vocabulary {
    /// Tags that fit anything, the commonest first: `blue|art`.
    pub(crate) generic: &'static str,
    /// What authors use, each with a maker and a model: `canon:canon g10|nikon:nikon d90`. Both are tags.
    pub(crate) gear: &'static str,
}

/// At most one of several labels for every member of a range.
#[derive(Clone, Debug)]
struct Layer {
    first: u64,
    shuffle: Permutation,
    /// A stretch for each label; the last one is for members without a label.
    stretches: Sections,
    tags: Vec<TagId>,
}

impl Layer {
    fn new(range: Range<u64>, tags: Vec<TagId>, none: f64, dice: Dice) -> Self {
        let length = range.end.saturating_sub(range.start);
        let mut weights: Vec<f64> =
            (0..tags.len()).map(|rank| 1.0 / (rank as f64 + 1.5).powf(0.95)).collect();
        let total: f64 = weights.iter().sum();
        let (rest, total) =
            if total > 0.0 { (total * none / (1.0 - none).max(1e-9), total) } else { (1.0, 0.0) };
        weights.push(if none >= 1.0 { f64::MAX / 4.0 } else { rest.max(total * 1e-12) });
        Self {
            first: range.start,
            shuffle: Permutation::new(length, dice),
            stretches: Sections::new(length, &weights),
            tags,
        }
    }

    /// The tag of a member of the range.
    fn tag(&self, member: u64) -> Option<TagId> {
        let place = self.shuffle.place_of(member.checked_sub(self.first)?);
        self.tags.get(self.stretches.topic(place)).copied()
    }

    /// How many members have the label.
    fn len(&self, label: usize) -> u64 {
        let range = self.stretches.range(label);
        range.end - range.start
    }

    /// The member at a place of the label's stretch.
    fn member(&self, label: usize, place: u64) -> u64 {
        self.first + self.shuffle.at(self.stretches.range(label).start + place)
    }
}

/// Where items of a tag come from.
#[derive(Clone, Copy, Debug)]
struct Feed {
    layer: usize,
    label: usize,
}

/// Which items have which tags.
pub(crate) struct Tagging {
    names: Vec<String>,
    numbers: HashMap<String, TagId>,
    layers: Vec<Layer>,
    /// The layers of each topic's items.
    of_topic: Vec<Vec<usize>>,
    /// The layers of all items.
    of_all: Vec<usize>,
    /// The layer over users, if they name their gear, and the maker of each label.
    gear: Option<(Layer, Vec<TagId>)>,
    feeds: Vec<Vec<Feed>>,
    /// Labels of `gear` that lead to a tag.
    gear_feeds: Vec<Vec<usize>>,
    dice: Dice,
}

impl Tagging {
    /// The tags of a society's items. Small sites get a small vocabulary.
    pub(crate) fn new(society: &Society, vocabulary: Vocabulary) -> Self {
        let dice = society.ground.setting.dice.of("tagging");
        let mut tagging = Self {
            names: Vec::new(),
            numbers: HashMap::new(),
            layers: Vec::new(),
            of_topic: Vec::new(),
            of_all: Vec::new(),
            gear: None,
            feeds: Vec::new(),
            gear_feeds: Vec::new(),
            dice,
        };
        let pages = society.ground.setting.pages;
        for topic in 0..society.items.topics() {
            tagging.add_topic(society, topic);
        }
        let generic = vocabulary.generic.split('|').take((pages / 150).clamp(8, 1000) as usize);
        let generic: Vec<TagId> = generic.map(|name| tagging.number(name)).collect();
        let everything = 0..society.items.len();
        for (layer, none) in NO_GENERIC.into_iter().enumerate() {
            let dice = dice.of("generic").at(layer as u64);
            let layer = tagging.add_layer(Layer::new(everything.clone(), generic.clone(), none, dice));
            tagging.of_all.push(layer);
        }
        let lies: Vec<TagId> = tagging.favourites(society);
        let honest = 1.0 - society.ground.setting.nasty.tag_spam;
        let layer = tagging.add_layer(Layer::new(everything, lies, honest, dice.of("lies")));
        tagging.of_all.push(layer);
        tagging.add_gear(
            society,
            vocabulary
                .gear
                .split('|')
                .filter_map(|gear| gear.split_once(':'))
                .take((pages / 400).clamp(3, 1000) as usize),
        );
        tagging
    }

    fn add_topic(&mut self, society: &Society, topic: usize) {
        let (range, dice) = (society.items.range(topic), self.dice.of("topic").at(topic as u64));
        let own = self.topic_tags(society, topic);
        let related = society.ground.words(topic).map_or(&[][..], |words| &words.related);
        let is_near = |other: &usize| related.contains(&society.ground.topic_id(*other));
        let near: Vec<usize> = (0..society.items.topics()).filter(is_near).take(2).collect();
        let near =
            near.into_iter().flat_map(|other| self.topic_tags(society, other).into_iter().take(10)).collect();
        let mut layers = Vec::with_capacity(UNTAGGED.len() + 1);
        for (layer, none) in UNTAGGED.into_iter().enumerate() {
            layers.push(self.add_layer(Layer::new(range.clone(), own.clone(), none, dice.at(layer as u64))));
        }
        layers.push(self.add_layer(Layer::new(range, near, NO_NEIGHBOUR, dice.of("near"))));
        self.of_topic.push(layers);
    }

    fn topic_tags(&mut self, society: &Society, topic: usize) -> Vec<TagId> {
        let words = society.ground.words(topic);
        let used = (society.ground.setting.pages / 400).clamp(5, PER_TOPIC) as usize;
        let tags = words.into_iter().flat_map(|words| &words.tags).take(used);
        tags.map(|name| self.number(name)).collect()
    }

    /// The tags that spammers use: the first tags of the largest topics.
    fn favourites(&mut self, society: &Society) -> Vec<TagId> {
        let topics = 0..society.items.topics().min(12);
        topics.flat_map(|topic| self.topic_tags(society, topic).into_iter().take(2)).collect()
    }

    fn add_layer(&mut self, layer: Layer) -> usize {
        let number = self.layers.len();
        for (label, tag) in layer.tags.iter().enumerate() {
            if let Some(feeds) = self.feeds.get_mut(*tag as usize).filter(|_| layer.len(label) > 0) {
                feeds.push(Feed { layer: number, label });
            }
        }
        self.layers.push(layer);
        number
    }

    fn add_gear<'a>(&mut self, society: &Society, gear: impl Iterator<Item = (&'a str, &'a str)>) {
        let (mut models, mut makers) = (Vec::new(), Vec::new());
        for (maker, model) in gear {
            makers.push(self.number(maker));
            models.push(self.number(model));
        }
        if models.is_empty() {
            return;
        }
        let layer = Layer::new(0..society.users.len(), models, NO_GEAR, self.dice.of("gear"));
        for (label, (model, maker)) in layer.tags.iter().zip(&makers).enumerate() {
            for tag in [model, maker] {
                if let Some(feeds) = self.gear_feeds.get_mut(*tag as usize).filter(|_| layer.len(label) > 0) {
                    feeds.push(label);
                }
            }
        }
        self.gear = Some((layer, makers));
    }

    fn number(&mut self, name: &str) -> TagId {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u64;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        self.feeds.push(Vec::new());
        self.gear_feeds.push(Vec::new());
        number
    }

    /// The numbers of all names; some no item carries.
    pub(crate) fn ids(&self) -> Range<u64> {
        0..self.names.len() as u64
    }

    /// The tag of this name, if any item could carry it.
    pub(crate) fn named(&self, name: &str) -> Option<TagId> {
        self.numbers.get(name).copied().filter(|tag| self.len(*tag) > 0)
    }

    /// The tag's name.
    pub(crate) fn name(&self, tag: TagId) -> &str {
        self.names.get(tag as usize).map_or("", String::as_str)
    }

    /// The tags that a person who looks for a topic knows.
    pub(crate) fn main_tags(&self, ground: &Ground, topic: usize) -> impl Iterator<Item = TagId> + '_ {
        let names = ground.words(topic).map_or(&[][..], |words| &words.tags);
        names.iter().take(LISTS_OF_TOPIC).filter_map(|name| self.named(name))
    }

    /// Every tag that some item could carry.
    pub(crate) fn all(&self) -> impl Iterator<Item = TagId> + '_ {
        (0..self.names.len() as u64).filter(|tag| self.len(*tag) > 0)
    }

    /// The tags at the places of `range` of the list of all.
    pub(crate) fn slice_of_all(&self, range: Range<u64>) -> impl Iterator<Item = TagId> + '_ {
        self.all().skip(range.start as usize).take((range.end - range.start) as usize)
    }

    /// A tag as clouds show it: its page of this kind, its name, its weight.
    pub(crate) fn in_cloud<K: PageKind>(&self, tag: TagId, kind: K) -> (PageId<K>, String, u64) {
        (kind.of(tag), self.name(tag).to_owned(), u64::from(self.len(tag).max(1).ilog2()))
    }

    /// A tag as lists link it: its page of this kind and its name.
    pub(crate) fn linked<K: PageKind>(&self, tag: TagId, kind: K) -> (PageId<K>, String) {
        (kind.of(tag), self.name(tag).to_owned())
    }

    /// Tags that are much used: the first ones of the large topics.
    pub(crate) fn popular(&self, count: usize) -> impl Iterator<Item = TagId> + '_ {
        let topics = self.of_topic.iter().filter_map(|layers| self.layers.get(*layers.first()?));
        topics
            .flat_map(|layer| layer.tags.iter().take(3).copied())
            .filter(|tag| self.len(*tag) > 0)
            .take(count)
    }

    /// The tags of an item, each once.
    pub(crate) fn of(&self, society: &Society, item: u64) -> Vec<TagId> {
        let mut tags = Vec::with_capacity(8);
        self.add_own(society.items.topic(item), item, &mut tags);
        let Some((gear, makers)) = &self.gear else { return tags };
        if let Some(model) = gear.tag(society.author(item)) {
            let label = gear.tags.iter().position(|tag| *tag == model).unwrap_or(0);
            let both = [Some(model), makers.get(label).copied()];
            tags.extend(both.into_iter().flatten().filter(|tag| !tags.contains(tag)).collect::<Vec<_>>());
        }
        tags
    }

    fn add_own(&self, topic: usize, item: u64, tags: &mut Vec<TagId>) {
        let own = self.of_topic.get(topic).map_or(&[][..], Vec::as_slice);
        for layer in own.iter().chain(&self.of_all).filter_map(|layer| self.layers.get(*layer)) {
            tags.extend(layer.tag(item).filter(|tag| !tags.contains(tag)));
        }
    }

    /// The first topic that has this tag, if any.
    pub(crate) fn topic(&self, tag: TagId) -> Option<usize> {
        let first = |layers: &Vec<usize>| layers.first().and_then(|layer| self.layers.get(*layer));
        self.of_topic.iter().position(|layers| first(layers).is_some_and(|layer| layer.tags.contains(&tag)))
    }

    /// The topic next to the item's own that one of its tags belongs to, if any.
    pub(crate) fn neighbour(&self, society: &Society, item: u64) -> Option<usize> {
        let topic = society.items.topic(item);
        let layer = self.layers.get(*self.of_topic.get(topic)?.last()?)?;
        let tag = layer.tag(item)?;
        let is_of = |other: &usize| {
            let first = self.of_topic.get(*other).and_then(|layers| self.layers.get(*layers.first()?));
            *other != topic && first.is_some_and(|first| first.tags.contains(&tag))
        };
        (0..self.of_topic.len()).find(is_of)
    }

    /// How many entries a tag's list has: some are empty, since an item is listed once.
    pub(crate) fn len(&self, tag: TagId) -> u64 {
        let feeds = self.feeds.get(tag as usize).map_or(&[][..], Vec::as_slice);
        let of_items: u64 = feeds.iter().map(|feed| self.feed_len(*feed)).sum();
        of_items + self.gear_len(tag)
    }

    fn feed_len(&self, feed: Feed) -> u64 {
        self.layers.get(feed.layer).map_or(0, |layer| layer.len(feed.label))
    }

    fn gear_len(&self, tag: TagId) -> u64 {
        let labels = self.gear_feeds.get(tag as usize).map_or(&[][..], Vec::as_slice);
        let users =
            self.gear.as_ref().map_or(0, |(gear, _)| labels.iter().map(|label| gear.len(*label)).sum());
        users * LISTED_BY_GEAR
    }

    /// The items at the places of `range` of a tag's list. `order` names the order.
    pub(crate) fn slice(&self, society: &Society, tag: TagId, range: Range<u64>, order: &str) -> Vec<u64> {
        let len = self.len(tag);
        let shuffle = Permutation::new(len, self.dice.of(order).at(tag));
        let places = range.start..range.end.min(len);
        places.filter_map(|place| self.entry(society, tag, shuffle.at(place))).collect()
    }

    /// The item at an entry of a tag's list, counted through its feeds; `None` if it is listed elsewhere.
    fn entry(&self, society: &Society, tag: TagId, mut entry: u64) -> Option<u64> {
        for feed in self.feeds.get(tag as usize)? {
            let len = self.feed_len(*feed);
            if entry < len {
                let item = self.layers.get(feed.layer)?.member(feed.label, entry);
                return self.is_first(society, item, tag, feed.layer).then_some(item);
            }
            entry -= len;
        }
        let (gear, _) = self.gear.as_ref()?;
        for label in self.gear_feeds.get(tag as usize)? {
            let len = gear.len(*label) * LISTED_BY_GEAR;
            if entry < len {
                let user = gear.member(*label, entry / LISTED_BY_GEAR);
                let nth = entry % LISTED_BY_GEAR;
                return society.made_by(user, nth..nth + 1).first().copied();
            }
            entry -= len;
        }
        None
    }

    /// Whether `layer` is the first one that gives `tag` to `item`.
    fn is_first(&self, society: &Society, item: u64, tag: TagId, layer: usize) -> bool {
        let own = self.of_topic.get(society.items.topic(item)).map_or(&[][..], Vec::as_slice);
        let mut before = own.iter().chain(&self.of_all).take_while(|number| **number != layer);
        !before.any(|number| self.layers.get(*number).and_then(|other| other.tag(item)) == Some(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ground::Ground;
    use super::super::Size;
    use super::*;
    use crate::Nastiness;
    use crate::nasty::Setting;

    const VOCABULARY: Vocabulary =
        Vocabulary { generic: "blue|2009|art", gear: "nikon:nikon d90|canon:canon g10" };

    fn tagged(pages: u64, tag_spam: f64) -> (Society, Tagging) {
        let nasty = Nastiness { tag_spam, ..Nastiness::none() };
        let setting = Setting { dice: Dice::new(9), pages, domain: "example".into(), nasty, ablation: None };
        let society = Society::new(
            Ground::new(setting, "photo", |_| 1.0),
            Size { items: 0.5, users: 0.04, loyalty: 0.7 },
        );
        let tagging = Tagging::new(&society, VOCABULARY);
        (society, tagging)
    }

    #[test]
    fn lists_of_tags_and_tags_of_items_agree() {
        for tag_spam in [0.0, 0.3] {
            let (society, tagging) = tagged(2000, tag_spam);
            let gear: Vec<TagId> = ["nikon", "nikon d90", "canon", "canon g10"]
                .iter()
                .filter_map(|n| tagging.named(n))
                .collect();
            let mut listed = std::collections::HashSet::new();
            for tag in tagging.all() {
                for item in tagging.slice(&society, tag, 0..u64::MAX, "any") {
                    assert!(
                        tagging.of(&society, item).contains(&tag),
                        "{} is not on {item}",
                        tagging.name(tag)
                    );
                    listed.insert((tag, item));
                }
            }
            for item in 0..society.items.len() {
                for tag in tagging.of(&society, item).into_iter().filter(|tag| !gear.contains(tag)) {
                    assert!(listed.contains(&(tag, item)), "{item} is not under {}", tagging.name(tag));
                }
            }
        }
    }

    #[test]
    fn tags_fall_with_their_rank_and_mostly_tell_the_topic() {
        let (society, tagging) = tagged(40_000, 0.05);
        let tags = &society.ground.words(0).unwrap().tags;
        let count = |name: &str| {
            tagging.named(name).map_or(0, |tag| tagging.slice(&society, tag, 0..u64::MAX, "").len())
        };
        assert!(count(&tags[0]) > 2 * count(&tags[tags.len().min(24) - 1]));
        let first = tagging.named(&tags[0]).unwrap();
        let items = tagging.slice(&society, first, 0..u64::MAX, "");
        let own = items.iter().filter(|item| society.items.topic(**item) == 0).count();
        let share = own as f64 / items.len() as f64;
        assert!((0.4..0.99).contains(&share), "{share}");
    }
}
