//! `photo`: a site where members put up photos, tag them, sort them into sets, give them to groups and talk about them.
//!
//! Lists: explore, recent, tags, search results, group pools, photostreams, sets, favourites, directories. Details: the
//! photos. Profiles: the member's page, contacts and tag cloud. What a member is about can be read from the profile;
//! whether one photo is on a topic can only be known from its own page, since a list shows no more than a thumbnail
//! and the uploader. Spammers put popular tags on advertisements: their pages are waste.

mod detail;
mod lists;
mod person;
mod pictures;
mod places;

use crate::Dice;
use crate::nasty::Setting;
use crate::site::{Answer, Ask, Site, Truth, WorldTopic};
use crate::text::Prose;

use osprey_model::CanonicalUrl;

use super::ground::Ground;
use super::hosted::{Asked, Hosted, Plan};
use super::sheet::Sheet;
use super::social::{Ids, Lists, Size, Society, TagId, Tagging, Vocabulary};
use super::ties::{Sections, Slots};

pub(crate) use places::Place;

/// Tags that fit any photo.
const GENERIC: [&str; 72] = [
    "2009",
    "2008",
    "blue",
    "sky",
    "light",
    "2007",
    "art",
    "red",
    "water",
    "canon",
    "bw",
    "green",
    "white",
    "black",
    "summer",
    "people",
    "travel",
    "macro",
    "portrait",
    "winter",
    "color",
    "sunset",
    "girl",
    "street",
    "night",
    "friends",
    "family",
    "holiday",
    "vacation",
    "yellow",
    "black and white",
    "california",
    "london",
    "spring",
    "trip",
    "party",
    "house",
    "home",
    "autumn",
    "film",
    "square",
    "geotagged",
    "explore",
    "abigfave",
    "hdr",
    "bokeh",
    "me",
    "iphone",
    "2006",
    "2010",
    "old",
    "beautiful",
    "love",
    "window",
    "morning",
    "weekend",
    "urban",
    "fun",
    "closeup",
    "shadow",
    "project365",
    "reflection",
    "work",
    "orange",
    "pink",
    "vintage",
    "face",
    "landscape",
    "day",
    "cute",
    "silhouette",
    "self",
];

/// Cameras: maker and model, both used as tags.
const CAMERAS: [(&str, &str); 16] = [
    ("canon", "canon eos 400d"),
    ("nikon", "nikon d90"),
    ("canon", "canon eos 5d mark ii"),
    ("nikon", "nikon d40"),
    ("sony", "sony alpha 200"),
    ("canon", "canon powershot g10"),
    ("panasonic", "lumix lx3"),
    ("nikon", "nikon d300"),
    ("olympus", "olympus e-510"),
    ("pentax", "pentax k10d"),
    ("apple", "iphone 3gs"),
    ("canon", "canon eos 40d"),
    ("fujifilm", "finepix s5"),
    ("leica", "leica m8"),
    ("nikon", "nikon d700"),
    ("holga", "holga 120n"),
];

/// How much a topic is photographed.
fn photogenic(topic: &str) -> f64 {
    match topic.split('/').next() {
        Some("Nature") => 1.0,
        Some("Travel") => 0.9,
        Some("Arts" | "Sports" | "Vehicles" | "Home") => 0.6,
        _ => 0.0,
    }
}

/// The plan of the site.
pub(crate) struct Photos {
    society: Society,
    tagging: Tagging,
    groups: Sections,
    group_ids: Ids,
    /// The groups that a photo was given to.
    pools: Slots,
    /// The groups that a user is a member of.
    memberships: Slots,
    /// The users who like a photo.
    fans: Slots,
}

impl Photos {
    fn dice(&self) -> Dice {
        self.society.ground.setting.dice
    }

    /// A photo's title: half of them say nothing about the photo, since lists show titles and uploaders do not bother.
    fn title(&self, photo: u64) -> String {
        let dice = self.society.item_dice(photo);
        match dice.of("named").unit() {
            draw if draw < 0.15 => format!("DSC_{:04}", dice.of("file").below(10_000)),
            draw if draw < 0.25 => format!("IMG_{:04}.JPG", dice.of("file").below(10_000)),
            draw if draw < 0.5 => {
                let mut title = String::with_capacity(40);
                Prose::default().title(dice.of("title"), &mut title);
                title
            }
            _ => self.society.ground.title(self.society.items.topic(photo), dice.of("title")),
        }
    }

    fn group_name(&self, group: u64) -> String {
        let topic = self.groups.topic(group);
        self.society.ground.title(topic, self.dice().of("group").at(group))
    }

    /// How many sets a user has.
    fn sets(&self, user: u64) -> u64 {
        let (made, dice) = (self.society.made(user), self.society.user_dice(user).of("sets"));
        if made >= 5 && dice.chance(0.8) { dice.between(1, (made / 6).clamp(1, 7)) } else { 0 }
    }

    /// The set of its author that a photo is in: photos of one topic are kept together.
    fn set_of(&self, photo: u64, author: u64) -> Option<u64> {
        let sets = self.sets(author);
        let is_sorted = sets > 0 && self.society.item_dice(photo).of("sorted").chance(0.7);
        is_sorted.then(|| self.set_for(author, self.society.items.topic(photo), sets))
    }

    fn set_for(&self, user: u64, topic: usize, sets: u64) -> u64 {
        self.society.user_dice(user).of("set for").at(topic as u64).below(sets)
    }

    fn set_title(&self, user: u64, set: u64) -> String {
        let (sets, main) = (self.sets(user), self.society.users.topic(user));
        let topics = std::iter::once(main).chain(0..self.society.items.topics());
        let topic = topics.into_iter().find(|topic| self.set_for(user, *topic, sets) == set).unwrap_or(main);
        self.society.ground.title(topic, self.society.user_dice(user).of("set").at(set))
    }

    fn is_spam(&self, photo: u64) -> bool {
        self.society.is_spammer(self.society.author(photo))
    }

    /// The topics of a photo, for truths.
    fn topics_of(&self, photo: u64) -> Vec<String> {
        let ground = &self.society.ground;
        let mut names = vec![ground.name(self.society.items.topic(photo))];
        names.extend(self.tagging.neighbour(&self.society, photo).map(|topic| ground.name(topic)));
        names
    }
}

impl Plan for Photos {
    type Place = Place;

    fn new(setting: Setting) -> Self {
        let dice = setting.dice;
        let ground = Ground::new(setting, "photo", |words| photogenic(&words.name));
        let groups = ground.sections(0.005, 6);
        let society = Society::new(ground, Size { items: 0.6, users: 0.03, loyalty: 0.72 });
        Self {
            tagging: Tagging::new(&society, Vocabulary { generic: &GENERIC, gear: &CAMERAS }),
            group_ids: Ids::new(groups.len(), 11, dice.of("group ids")),
            pools: Slots::new(&society.items, &groups, 2, 0.4, dice.of("pools")),
            memberships: Slots::new(&society.users, &groups, 5, 0.5, dice.of("memberships")),
            fans: Slots::new(&society.items, &society.users, 3, 0.35, dice.of("fans")),
            society,
            groups,
        }
    }

    fn ground(&self) -> &Ground {
        &self.society.ground
    }

    fn read(&self, asked: Asked<'_>) -> Option<Place> {
        self.read_place(asked)
    }

    fn path(&self, place: Place, out: &mut String) {
        self.write_path(place, out);
    }

    fn exists(&self, place: Place) -> bool {
        self.is_within(place)
    }

    fn truth(&self, place: Place) -> Truth {
        let topics = match place {
            Place::Photo(photo) => self.topics_of(photo),
            Place::Tag { tag, .. } | Place::Search { tag, .. } => {
                self.tagging.topics(tag, &self.society.ground)
            }
            Place::Group(group) | Place::Pool { group, .. } | Place::Members { group, .. } => {
                vec![self.society.ground.name(self.groups.topic(group))]
            }
            _ => place.user().map(|user| self.society.tastes(user)).unwrap_or_default(),
        };
        let is_spam = match place {
            Place::Photo(photo) => self.is_spam(photo),
            _ => place.user().is_some_and(|user| self.society.is_spammer(user)),
        };
        Society::truth(place.kind(), topics, is_spam)
    }

    fn grain(&self, place: Place) -> (&'static str, u64) {
        place.grain()
    }

    fn places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        self.all_places()
    }

    fn home(&self) -> Place {
        Place::Home
    }

    fn menu(&self) -> (&'static str, Vec<(Place, String)>) {
        let menu = [
            (Place::Explore(1), "Explore"),
            (Place::Recent(1), "Recent uploads"),
            (Place::TagIndex(1), "Tags"),
            (Place::Groups(1), "Groups"),
            (Place::People(1), "People"),
        ];
        ("Lumenbox", menu.map(|(place, name)| (place, name.to_owned())).to_vec())
    }

    fn write(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        match place {
            Place::Photo(photo) => self.photo(photo, sheet),
            Place::Profile(user) => self.profile(user, sheet),
            Place::Contacts { user, page } => self.contacts(user, page, sheet),
            Place::UserTags(user) => self.user_tags(user, sheet),
            Place::Stream { user, page } => self.stream(user, page, sheet),
            Place::Sets(user) => self.set_list(user, sheet),
            Place::Set { user, set, page } => self.set(user, set, page, sheet),
            Place::Favourites { user, page } => self.favourites(user, page, sheet),
            _ => self.list(place, sheet),
        }
    }

    fn aside(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        let popular: Vec<TagId> = self.tagging.popular(40).collect();
        let picks = (0..8).filter_map(|n| sheet.of("aside").at(n).pick(&popular).copied());
        let mut links: Vec<(Place, String)> = Vec::with_capacity(8);
        for tag in picks {
            let name = self.tagging.name(tag).to_owned();
            if !links.iter().any(|(_, known)| *known == name) {
                links.push((Place::Tag { tag, page: 1 }, name));
            }
        }
        if place != Place::Home {
            sheet.side_links("Popular tags", links);
        }
        if sheet.of("aside group").chance(0.4) {
            let group = sheet.of("aside group").of("which").zipf(self.groups.len(), 0.8);
            sheet.side_links("Group of the day", [(Place::Group(group), self.group_name(group))]);
        }
    }

    fn gone(&self, draw: u64) -> String {
        let user = self.society.screen_name(draw % self.society.users.len().max(1));
        match draw % 3 {
            0 => format!("/people/{user}x"),
            _ => format!("/photos/{user}/{}", self.society.item_ids.gone(draw >> 8)),
        }
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/cgi-bin/"]
    }
}

/// The site: its pages and, on two hosts, its pictures.
pub(crate) struct Photo(Hosted<Photos>);

impl Photo {
    pub(crate) fn new(setting: Setting) -> Self {
        Self(Hosted::new(setting))
    }
}

impl Site for Photo {
    fn seeds(&self) -> Vec<String> {
        self.0.seeds()
    }

    fn answer(&self, ask: &Ask<'_>) -> Option<Answer> {
        self.0.plan().picture(ask.url).or_else(|| self.0.answer(ask))
    }

    fn truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        self.0.plan().picture_truth(url).or_else(|| self.0.truth(url))
    }

    fn pages(&self) -> Box<dyn Iterator<Item = String> + '_> {
        self.0.pages()
    }

    fn topics(&self) -> Vec<WorldTopic> {
        let ground = self.0.plan().ground();
        let mut topics = self.0.topics();
        for (number, topic) in topics.iter_mut().enumerate() {
            // on this site people ask by tags
            let tags = ground.words(number).map_or(&[][..], |words| &words.tags);
            topic.terms = tags.iter().take(12).cloned().collect();
        }
        topics
    }

    fn robots_txt(&self, host: &str) -> Option<String> {
        self.0.robots_txt(host)
    }
}

#[cfg(test)]
mod tests;
