//! Tags on the members of a class, readable from both ends: every member has two tags of its topic, and the tag's pages
//! list exactly those members. Use of a topic's tags falls with their rank.

use std::ops::Range;

use crate::Dice;

use super::ground::Ground;
use super::ties::{Deal, Sections};

/// How many of a topic's tags a site uses.
const PER_TOPIC: u64 = 14;

/// A tag of a topic: the topic's number on the site, the tag's place among the topic's tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) topic: u64,
    pub(crate) index: u64,
}

impl Tag {
    /// One number for both.
    pub(crate) fn number(self) -> u64 {
        self.topic * PER_TOPIC + self.index
    }

    pub(crate) fn of_number(number: u64) -> Self {
        Self { topic: number / PER_TOPIC, index: number % PER_TOPIC }
    }
}

/// Who wears which tags.
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

    /// The word.
    pub(crate) fn text(ground: &Ground, tag: Tag) -> &'static str {
        let words = ground.words(tag.topic as usize);
        words.and_then(|words| words.tags.get(tag.index as usize)).map_or("", String::as_str)
    }

    pub(crate) fn exists(&self, tag: Tag) -> bool {
        self.counts.get(tag.topic as usize).is_some_and(|count| tag.index < *count)
    }

    /// Every tag.
    pub(crate) fn all(&self) -> impl Iterator<Item = Tag> + '_ {
        let topics = (0u64..).zip(&self.counts);
        topics.flat_map(|(topic, count)| (0..*count).map(move |index| Tag { topic, index }))
    }

    /// The tags of a member, each once.
    pub(crate) fn of(&self, member: u64) -> Vec<Tag> {
        let topic = self.members.topic(member) as u64;
        let first = self.members.range(topic as usize).start;
        let mut tags = Vec::with_capacity(2);
        for layer in 0..2 {
            let owner = self.deal(topic, layer).owner(member.saturating_sub(first));
            tags.extend(owner.map(|index| Tag { topic, index }).filter(|tag| !tags.contains(tag)));
        }
        tags
    }

    /// How many entries a tag's list has; a member with the tag in both places is entered twice.
    pub(crate) fn len(&self, tag: Tag) -> u64 {
        self.deal(tag.topic, 0).len(tag.index) + self.deal(tag.topic, 1).len(tag.index)
    }

    /// The members with a tag at the places of `range`.
    pub(crate) fn slice(&self, tag: Tag, range: Range<u64>) -> Vec<u64> {
        let first = self.members.range(tag.topic as usize).start;
        let (deal, again) = (self.deal(tag.topic, 0), self.deal(tag.topic, 1));
        let turn = deal.len(tag.index);
        let (start, end) = (range.start, range.end);
        let rest = start.saturating_sub(turn)..end.saturating_sub(turn);
        let mut members: Vec<u64> = deal.slice(tag.index, start..end.min(turn)).map(|m| first + m).collect();
        members.extend(again.slice(tag.index, rest).map(|m| first + m));
        members
    }

    fn deal(&self, topic: u64, layer: u64) -> Deal {
        let range = self.members.range(topic as usize);
        let count = self.counts.get(topic as usize).copied().unwrap_or(0);
        Deal::new(range.end - range.start, count, 0.55, self.dice.at(topic).at(layer))
    }
}
