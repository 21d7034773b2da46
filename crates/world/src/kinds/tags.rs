//! Tags on the members of a class, readable from both ends: every member has two tags of its topic, and the tag's pages
//! list exactly those members. Use of a topic's tags falls with their rank.

use std::ops::Range;

use crate::Dice;
use crate::markup::slug;

use super::ground::Ground;
use super::ties::{Assignment, Sections};

/// How many of a topic's tags a site uses.
const PER_TOPIC: u64 = 14;

/// A tag's number: its topic's number on the site and its place among the topic's tags in one.
pub(crate) type Tag = u64;

/// Which members have which tags.
#[derive(Clone, Debug)]
pub(crate) struct Tags {
    members: Sections,
    /// How many tags each topic has.
    counts: Vec<u64>,
    dice: Dice,
}

impl Tags {
    pub(crate) fn new(members: &Sections, ground: &Ground, dice: Dice) -> Self {
        let count = |topic| ground.words(topic).map_or(0, |words| words.tags.len() as u64).min(PER_TOPIC);
        Self { members: members.clone(), counts: (0..members.topics()).map(count).collect(), dice }
    }

    /// The topic of a tag.
    pub(crate) fn topic(tag: Tag) -> u64 {
        tag / PER_TOPIC
    }

    /// The first tag of a topic, if it has any.
    pub(crate) fn first_of(&self, topic: u64) -> Option<Tag> {
        self.in_topic(topic).next()
    }

    /// The word.
    pub(crate) fn text(ground: &Ground, tag: Tag) -> &'static str {
        let words = ground.words(Self::topic(tag) as usize);
        words.and_then(|words| words.tags.get((tag % PER_TOPIC) as usize)).map_or("", String::as_str)
    }

    /// The tag's name in addresses: its number and its word.
    pub(crate) fn address(ground: &Ground, tag: Tag) -> String {
        format!("{tag}-{}", slug(Self::text(ground, tag)))
    }

    pub(crate) fn exists(&self, tag: Tag) -> bool {
        self.counts.get(Self::topic(tag) as usize).is_some_and(|count| tag % PER_TOPIC < *count)
    }

    /// The range that all numbers of tags are in.
    pub(crate) fn ids(&self) -> Range<Tag> {
        0..self.counts.len() as u64 * PER_TOPIC
    }

    /// The tags of a topic.
    pub(crate) fn in_topic(&self, topic: u64) -> impl Iterator<Item = Tag> + use<> {
        let count = self.counts.get(topic as usize).copied().unwrap_or(0);
        (0..count).map(move |index| topic * PER_TOPIC + index)
    }

    /// The tags of a member, each once.
    pub(crate) fn of(&self, member: u64) -> Vec<Tag> {
        let topic = self.members.topic(member) as u64;
        let first = self.members.range(topic as usize).start;
        let mut tags = Vec::with_capacity(2);
        for layer in 0..2 {
            let owner = self.deal(topic, layer).owner(member.saturating_sub(first));
            tags.extend(owner.map(|index| topic * PER_TOPIC + index).filter(|tag| !tags.contains(tag)));
        }
        tags
    }

    /// How many entries a tag's list has; a member with the tag in both places is entered twice.
    pub(crate) fn len(&self, tag: Tag) -> u64 {
        let (topic, index) = (Self::topic(tag), tag % PER_TOPIC);
        self.deal(topic, 0).len(index) + self.deal(topic, 1).len(index)
    }

    /// The members with a tag at the places of `range`.
    pub(crate) fn slice(&self, tag: Tag, range: Range<u64>) -> Vec<u64> {
        let (topic, index) = (Self::topic(tag), tag % PER_TOPIC);
        let first = self.members.range(topic as usize).start;
        let (deal, again) = (self.deal(topic, 0), self.deal(topic, 1));
        let turn = deal.len(index);
        let (start, end) = (range.start, range.end);
        let rest = start.saturating_sub(turn)..end.saturating_sub(turn);
        let mut members: Vec<u64> = deal.slice(index, start..end.min(turn)).map(|m| first + m).collect();
        members.extend(again.slice(index, rest).map(|m| first + m));
        members
    }

    fn deal(&self, topic: u64, layer: u64) -> Assignment {
        let range = self.members.range(topic as usize);
        let count = self.counts.get(topic as usize).copied().unwrap_or(0);
        Assignment::new(range.end - range.start, count, 0.55, self.dice.at(topic).at(layer))
    }
}
