//! A plan describes a class of things in one line: how many there are, what they are about, who made them.
//!
//! `Members::of(&self.reviews).made_by(&self.reviewers)` has as many members as the sections, each about the topic of
//! its section; a review is spam if its reviewer is a spammer. Existence, listing and truth follow from this.

use std::ops::Range;

use super::social::Tagging;
use super::tags::Tags;
use super::ties::{Sections, Tie};

/// The members of a class.
pub(crate) struct Members<'a> {
    /// The numbers of those that are listed.
    pub(crate) listed: Range<u64>,
    /// The numbers of all that are there. What is there and not listed is a calendar without end.
    known: Range<u64>,
    about: About<'a>,
    maker: Maker<'a>,
}

/// What tells the topic of a member.
enum About<'a> {
    Nothing,
    /// The member is a topic.
    Itself,
    Sections(&'a Sections),
    /// The member is a tag of a catalogue.
    Tags(&'a Tags),
    /// The member is a tag that users set.
    Tagging(&'a Tagging),
}

/// Who made a member.
enum Maker<'a> {
    Editors,
    /// The member is a user.
    Itself,
    Tie(&'a Tie),
}

impl<'a> Members<'a> {
    /// Members with these numbers, without a topic.
    pub(crate) fn range(listed: Range<u64>) -> Self {
        Self { known: listed.clone(), listed, about: About::Nothing, maker: Maker::Editors }
    }

    /// This many members, without a topic.
    pub(crate) fn count(count: u64) -> Self {
        Self::range(0..count)
    }

    /// For what a site has once.
    pub(crate) fn once() -> Self {
        Self::count(1)
    }

    /// The topics themselves.
    pub(crate) fn topics(count: u64) -> Self {
        Self { about: About::Itself, ..Self::count(count) }
    }

    /// Members that are numbered topic by topic.
    pub(crate) fn of(sections: &'a Sections) -> Self {
        Self { about: About::Sections(sections), ..Self::count(sections.len()) }
    }

    /// The tags of a catalogue.
    pub(crate) fn tags(tags: &'a Tags) -> Self {
        Self { about: About::Tags(tags), ..Self::range(tags.ids()) }
    }

    /// The tags that users set.
    pub(crate) fn tagging(tagging: &'a Tagging) -> Self {
        Self { about: About::Tagging(tagging), ..Self::range(tagging.ids()) }
    }

    /// The members are users.
    #[must_use]
    pub(crate) fn users(self) -> Self {
        Self { maker: Maker::Itself, ..self }
    }

    /// Each was made by a user.
    #[must_use]
    pub(crate) fn made_by(self, tie: &'a Tie) -> Self {
        Self { maker: Maker::Tie(tie), ..self }
    }

    /// Sets the members that exist, if they are more than are listed.
    #[must_use]
    pub(crate) fn known(self, known: Range<u64>) -> Self {
        Self { known, ..self }
    }

    /// Whether there is such a member.
    pub(crate) fn has(&self, id: u64) -> bool {
        self.known.contains(&id)
            && match self.about {
                About::Tags(tags) => tags.exists(id),
                About::Tagging(tagging) => tagging.len(id) > 0,
                _ => true,
            }
    }

    /// What a member is about: a topic of the site.
    pub(crate) fn topic(&self, id: u64) -> Option<usize> {
        match self.about {
            About::Nothing => None,
            About::Itself => Some(id as usize),
            About::Sections(sections) => Some(sections.topic(id)),
            About::Tags(_) => Some(Tags::topic(id) as usize),
            About::Tagging(tagging) => tagging.topic(id),
        }
    }

    /// Whether the members are users.
    pub(crate) fn are_users(&self) -> bool {
        matches!(self.maker, Maker::Itself)
    }

    /// The user who made a member.
    pub(crate) fn maker(&self, id: u64) -> Option<u64> {
        match self.maker {
            Maker::Editors => None,
            Maker::Itself => Some(id),
            Maker::Tie(tie) => tie.parent(id),
        }
    }
}
