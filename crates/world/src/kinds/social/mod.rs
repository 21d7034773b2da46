//! What sites of users share: members with tastes, the items they made, their contacts, and tags.
//!
//! On `photo`, `forum` and `qa`, members are numbered topic by topic, and so are the items that they make; most of what
//! a member makes has the member's own topic, and most of a member's contacts share it, but only most. Everything can
//! be read from both ends and nothing is stored ([`super::ties`]).

mod cards;
mod names;
mod tagging;
mod talk;

pub(crate) use cards::Card;
pub(crate) use names::Ids;
pub(crate) use tagging::{TagId, Tagging, Vocabulary};
pub(crate) use talk::{Talk, Turn, signature};

use std::ops::Range;

use crate::Dice;
use crate::routes::{base36, push_base36};
use crate::text::{Prose, TopicId, handle, person_name};

use super::ground::{Day, Ground};
use super::members::Members;
use super::ties::{Sections, Slots, Tie, TieShape};

/// The day on which the first member joined: 3 May 2004.
const OPENED: u64 = 12_541;

/// How many days a society has lasted.
const LASTED: u64 = 3100;

/// Places that members say they live in.
const TOWNS: [&str; 24] = words! {
    "Lisbon" "New York" "Toronto" "Lyon" "Osaka" "Leeds" "Graz" "Austin" "Porto Alegre" "Hamburg" "Cork"
    "Turin" "Melbourne" "Seattle" "Gothenburg" "Valencia" "Taipei" "Cape Town" "Utrecht" "Chicago" "Bergen"
    "Krakow" "Montreal" "Auckland"
};

/// How large a society is, as shares of the site's pages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Things that members made.
    pub(crate) items: f64,
    /// Members.
    pub(crate) users: f64,
    /// The share of a member's things that are of the member's own topic.
    pub(crate) loyalty: f64,
}

/// Members, their items, and their contacts.
pub(crate) struct Society {
    pub(crate) ground: Ground,
    pub(crate) users: Sections,
    pub(crate) items: Sections,
    /// The author of each item.
    authors: Tie,
    /// The contacts that a member added.
    contacts: Slots,
    /// How a user's number looks from outside.
    pub(crate) user_ids: Ids,
    /// How an item's number looks from outside.
    pub(crate) item_ids: Ids,
}

impl Society {
    /// The society of this size on a site's ground.
    pub(crate) fn new(ground: Ground, size: Size) -> Self {
        let dice = ground.setting.dice.of("society");
        let (users, items) = (ground.sections(size.users, 12), ground.sections(size.items, 60));
        let bent = TieShape { loyalty: size.loyalty, evenness: 0.55 };
        Self {
            authors: Tie::new(&items, &users, bent, dice.of("authors")),
            contacts: Slots::new(&users, &users, 10, 0.5, dice.of("contacts")),
            user_ids: Ids::new(users.len(), 5, dice.of("user ids")),
            item_ids: Ids::new(items.len(), 7, dice.of("item ids")),
            ground,
            users,
            items,
        }
    }

    /// The things that members made.
    pub(crate) fn things(&self) -> Members<'_> {
        Members::of(&self.items).made_by(&self.authors)
    }

    /// The dice of a user.
    pub(crate) fn user_dice(&self, user: u64) -> Dice {
        self.ground.setting.dice.of("user").at(user)
    }

    /// The dice of an item.
    pub(crate) fn item_dice(&self, item: u64) -> Dice {
        self.ground.setting.dice.of("item").at(item)
    }

    /// Who made an item. A society always has members, so the fallback is never taken.
    pub(crate) fn author(&self, item: u64) -> u64 {
        self.authors.parent(item).unwrap_or(0)
    }

    /// How many items a user made.
    pub(crate) fn made(&self, user: u64) -> u64 {
        self.authors.children(user).len()
    }

    /// The items that a user made, at the places of `range`.
    pub(crate) fn made_by(&self, user: u64, range: Range<u64>) -> Vec<u64> {
        let children = self.authors.children(user);
        children.slice(range.start..range.end.min(children.len())).collect()
    }

    /// Whether a user only advertises.
    pub(crate) fn is_spammer(&self, user: u64) -> bool {
        self.ground.is_spammer(self.user_dice(user))
    }

    /// How long a user's list of contacts is, in slots: some are empty.
    pub(crate) fn contact_slots(&self, user: u64) -> u64 {
        self.contacts.reach(user)
    }

    /// The contacts of a user: those added by the user, on the first page, and those who added the user, in the slots
    /// of `range`. Contacts are mutual: each finds the other in some part of the list.
    pub(crate) fn contacts(&self, user: u64, range: Range<u64>) -> Vec<u64> {
        let mut contacts = if range.start == 0 { self.contacts.parents(user) } else { Vec::new() };
        for other in self.contacts.children(user, range.start..range.end.min(self.contact_slots(user))) {
            if !contacts.contains(&other) {
                contacts.push(other);
            }
        }
        contacts.retain(|other| *other != user);
        contacts
    }

    /// A user who might comment on an item: a friend of its author, a member who likes its topic, or any member.
    pub(crate) fn passer_by(&self, item: u64, dice: Dice) -> u64 {
        let draw = dice.of("who");
        if draw.chance(0.35) {
            let friends = self.contacts.parents(self.author(item));
            if let Some(friend) = dice.of("friend").pick(&friends) {
                return *friend;
            }
        }
        let topic = self.items.topic(item);
        let drawn = draw.of("topical").chance(0.6).then(|| self.users.draw(topic, dice.of("fan"))).flatten();
        drawn.unwrap_or_else(|| dice.of("anyone").below(self.users.len()))
    }

    /// A user's name on the site: `mkeller_82`.
    pub(crate) fn handle(&self, user: u64) -> String {
        handle(self.user_dice(user).of("handle"))
    }

    /// The user's name in URLs where names are used: the handle made unique.
    pub(crate) fn screen_name(&self, user: u64) -> String {
        let mut name = self.handle(user);
        name.push('-');
        push_base36(self.user_ids.of(user), &mut name);
        name
    }

    /// The user with this screen name.
    pub(crate) fn user_named(&self, name: &str) -> Option<u64> {
        let user = self.user_ids.back(base36(name.rsplit_once('-')?.1)?)?;
        (self.screen_name(user) == name).then_some(user)
    }

    /// A user's name in life.
    pub(crate) fn real_name(&self, user: u64) -> String {
        person_name(self.user_dice(user).of("person"))
    }

    /// Where a user lives.
    pub(crate) fn town(&self, user: u64) -> &'static str {
        self.user_dice(user).of("town").one_of(&TOWNS)
    }

    /// When a user joined.
    pub(crate) fn joined(&self, user: u64) -> Day {
        Day(OPENED + self.user_dice(user).of("joined").below(LASTED / 2))
    }

    /// When an item was made: higher numbers are later.
    pub(crate) fn made_on(&self, item: u64) -> Day {
        let share = self.item_ids.place(item) as f64 / self.items.len().max(1) as f64;
        Day(OPENED + (share * LASTED as f64) as u64)
    }

    /// The topic that a user likes second best.
    pub(crate) fn second_taste(&self, user: u64) -> usize {
        let (dice, first) = (self.user_dice(user).of("second"), self.users.topic(user));
        let related = self.ground.words(first).map_or(&[][..], |words| &words.related);
        let wanted = dice.chance(0.5).then(|| dice.of("related").pick(related)).flatten();
        let known =
            wanted.and_then(|id| (0..self.users.topics()).find(|topic| self.ground.topic_id(*topic) == *id));
        known.unwrap_or_else(|| dice.of("any").zipf(self.users.topics() as u64, 0.8) as usize)
    }

    /// What a user writes.
    pub(crate) fn voice(&self, user: u64) -> Prose {
        let (first, second) = (self.users.topic(user), self.second_taste(user));
        let id = |topic| -> TopicId { self.ground.topic_id(topic) };
        Prose { mixture: vec![(id(first), 0.14), (id(second), 0.06)], ..Prose::default() }
    }

    /// Names of the topics of a user, for truths.
    pub(crate) fn tastes(&self, user: u64) -> Vec<String> {
        let (first, second) = (self.users.topic(user), self.second_taste(user));
        let mut names = vec![self.ground.name(first)];
        if second != first {
            names.push(self.ground.name(second));
        }
        names
    }

    /// Names of the topics of a page, for truths: a user's two tastes, or one topic.
    pub(crate) fn topics(&self, is_user: bool, id: u64, topic: Option<usize>) -> Vec<String> {
        match is_user {
            true => self.tastes(id),
            false => topic.map(|topic| self.ground.name(topic)).into_iter().collect(),
        }
    }

    /// The users at the places of `range` of the list of all.
    pub(crate) fn directory(&self, range: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        (range.start..range.end.min(self.users.len())).map(|place| self.user_ids.at(place))
    }

    /// The newest items, at the places of `range`.
    pub(crate) fn newest(&self, range: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let count = self.items.len();
        range.take_while(move |place| *place < count).map(move |place| self.item_ids.at(count - 1 - place))
    }
}

/// How many times something was looked at.
pub(crate) fn views(dice: Dice) -> u64 {
    dice.of("views").long_tail(90.0, 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Nastiness;
    use crate::nasty::Setting;

    fn society(pages: u64) -> Society {
        let setting = Setting {
            dice: Dice::new(4),
            pages,
            domain: "example".into(),
            nasty: Nastiness::none(),
            ablation: None,
        };
        let ground = Ground::new(setting, "photo", |_| 1.0);
        Society::new(ground, Size { items: 0.6, users: 0.03, loyalty: 0.7 })
    }

    #[test]
    fn contacts_are_mutual_and_mostly_of_one_taste() {
        let society = society(20_000);
        let (mut same, mut all) = (0, 0);
        for user in 0..society.users.len() {
            for other in society.contacts(user, 0..u64::MAX) {
                assert!(society.contacts(other, 0..u64::MAX).contains(&user), "{user} and {other}");
                same += u32::from(society.users.topic(user) == society.users.topic(other));
                all += 1;
            }
        }
        let share = f64::from(same) / f64::from(all);
        assert!((0.4..0.85).contains(&share), "{share}");
    }

    #[test]
    fn every_item_is_in_its_authors_list() {
        let society = society(2000);
        for item in 0..society.items.len() {
            assert!(society.made_by(society.author(item), 0..u64::MAX).contains(&item));
        }
    }

    #[test]
    fn screen_names_lead_back() {
        let society = society(5000);
        for user in 0..society.users.len() {
            assert_eq!(society.user_named(&society.screen_name(user)), Some(user));
        }
        for name in ["", "x", "mkeller-", "mkeller-zz", "-0", "a-9999999999999999999999"] {
            assert_eq!(society.user_named(name), None);
        }
    }
}
