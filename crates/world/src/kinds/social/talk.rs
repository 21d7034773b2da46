//! Who takes part in which conversation, and what they write: forum threads, answers to questions, comments.

use std::ops::Range;

use crate::Dice;
use crate::text::Prose;

use super::super::ground::Day;
use super::super::ties::Slots;
use super::Society;

/// One contribution.
pub(crate) struct Turn {
    pub(crate) author: u64,
    pub(crate) when: Day,
    pub(crate) text: String,
    /// Votes of other users.
    pub(crate) votes: u64,
}

/// Conversations under items: who takes part can be read from the item and from the user.
pub(crate) struct Talk {
    partners: Slots,
    /// The usual number of contributions.
    typical: f64,
    /// The most.
    limit: u64,
}

impl Talk {
    pub(crate) fn new(society: &Society, typical: f64, limit: u64) -> Self {
        let dice = society.ground.setting.dice.of("talk");
        Self { partners: Slots::new(&society.items, &society.users, 5, 0.55, dice), typical, limit }
    }

    /// How many contributions an item has.
    pub(crate) fn len(&self, society: &Society, item: u64) -> u64 {
        society.item_dice(item).of("turns").long_tail(self.typical, self.limit)
    }

    /// Who takes part under an item besides its author.
    pub(crate) fn partners(&self, item: u64) -> Vec<u64> {
        self.partners.parents(item)
    }

    /// How long the list of conversations of a user is, in slots: some are empty.
    pub(crate) fn slots(&self, user: u64) -> u64 {
        self.partners.reach(user)
    }

    /// The items that a user took part in, in the slots of `range`, each once.
    pub(crate) fn of_user(&self, user: u64, range: Range<u64>) -> Vec<u64> {
        let mut items = self.partners.children(user, range.start..range.end.min(self.slots(user)));
        let mut kept = Vec::with_capacity(items.len());
        items.retain(|item| {
            let is_new = !kept.contains(item);
            kept.push(*item);
            is_new
        });
        items
    }

    /// The contribution at a position of the conversation. Partners write first, each once; after that any member
    /// may.
    pub(crate) fn turn(&self, society: &Society, item: u64, place: u64, prose: &Prose) -> Turn {
        let dice = society.item_dice(item).of("turn").at(place);
        let partners = self.partners(item);
        let drawn = match dice.of("who").unit() {
            who if who < 0.2 => None,
            who if who < 0.3 => Some(society.passer_by(item, dice)),
            _ => dice.of("partner").pick(&partners).copied(),
        };
        let author = partners.get(place as usize).copied().or(drawn).unwrap_or_else(|| society.author(item));
        let mut text = String::with_capacity(400);
        if society.is_spammer(author) {
            text.push_str("Great post! Visit my page for the best offers. ");
        }
        let sentences = dice.of("length").long_tail(3.5, 24) as usize + 1;
        prose.paragraph(dice.of("text"), sentences, &mut text);
        let when = Day(society.made_on(item).0 + place / 3 + dice.of("day").below(2));
        Turn { author, when, text, votes: dice.of("votes").long_tail(1.5, 400) }
    }
}

/// A signature under contributions, for the users who have one.
pub(crate) fn signature(society: &Society, user: u64) -> Option<String> {
    let dice: Dice = society.user_dice(user).of("signature");
    dice.chance(0.25).then(|| society.voice(user).title_text(dice))
}
