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

use crate::Dice;
use crate::markup::{percent, slug, unpercent};
use crate::nasty::Setting;
use crate::site::{Answer, Truth, WorldTopic};
use crate::text::Prose;

use osprey_model::CanonicalUrl;

use super::ground::Ground;
use super::members::Members;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::social::{Ids, Size, Society, TagId, Tagging, Vocabulary};
use super::ties::{Sections, Slots};
use super::writer::PageWriter;

site_map! {
    /// A page of the photo site.
    PhotoPage of PhotoClass [Once, Tag, Group, User, Photo]
    Once {
        Home       List    "home"       "/";
        Explore    List    "explore"    "/explore";
        Recent     List    "recent"     "/recent";
        TagIndex   List    "tags"       "/tags";
        Groups     List    "groups"     "/groups";
        People     List    "people"     "/people";
    }
    Tag {
        Tag        List    "tag"        "/tags/{}";
        Search     List    "search"     "/search?q={}";
    }
    Group {
        Group      List    "group"      "/groups/{}";
        Pool       List    "pool"       "/groups/{}/pool";
        Members    List    "members"    "/groups/{}/members";
    }
    User {
        Profile    Profile "profile"    "/people/{}" users;
        UserTags   Profile "user-tags"  "/photos/{}/tags" users;
        Contacts   Profile "contacts"   "/people/{}/contacts" users;
        Stream     List    "stream"     "/photos/{}";
        Sets       List    "sets"       "/photos/{}/sets";
        Set        List    "set"        "/photos/{}/sets/{part}";
        Favourites List    "favourites" "/photos/{}/favorites";
    }
    Photo {
        Photo      Detail  "photo"      "/photos/{author}/{}" users;
    }
}

/// Thumbnails on a page of a list.
const PER_PAGE: u64 = 24;

/// Entries on a page of a directory.
const PER_DIRECTORY: u64 = 40;

/// Slots of a list of contacts on a page.
const CONTACTS: u64 = 40;

/// How many of a user's photos are looked through for a page of a set.
const SET_WINDOW: u64 = 150;

/// The most pages that any list of photos shows.
const LONGEST: u64 = 400;

/// The most pages of search results.
const LONGEST_SEARCH: u64 = 4;

/// Tags that fit any photo.
const GENERIC: &str = "2009|2008|blue|sky|light|2007|art|red|water|canon|bw|green|white|black|summer|people|\
    travel|macro|portrait|winter|color|sunset|girl|street|night|friends|family|holiday|vacation|yellow|\
    black and white|california|london|spring|trip|party|house|home|autumn|film|square|geotagged|explore|\
    abigfave|hdr|bokeh|me|iphone|2006|2010|old|beautiful|love|window|morning|weekend|urban|fun|closeup|shadow|\
    project365|reflection|work|orange|pink|vintage|face|landscape|day|cute|silhouette|self";

/// Cameras: maker and model, both used as tags.
const CAMERAS: &str = "canon:canon eos 400d|nikon:nikon d90|canon:canon eos 5d mark ii|nikon:nikon d40|\
    sony:sony alpha 200|canon:canon powershot g10|panasonic:lumix lx3|nikon:nikon d300|olympus:olympus e-510|\
    pentax:pentax k10d|apple:iphone 3gs|canon:canon eos 40d|fujifilm:finepix s5|leica:leica m8|\
    nikon:nikon d700|holga:holga 120n";

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

    /// A photo's title: half of them do not describe the photo, as on real sites, and lists show titles.
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

    /// The topics of a photo, for truths.
    fn topics_of(&self, photo: u64) -> Vec<String> {
        let ground = &self.society.ground;
        let mut names = vec![ground.name(self.society.items.topic(photo))];
        names.extend(self.tagging.neighbour(&self.society, photo).map(|topic| ground.name(topic)));
        names
    }
}

impl Plan for Photos {
    type Page = PhotoPage;
    const HOME: PhotoPage = PhotoPage::Home;
    const BRAND: &'static str = "Lumenbox";
    const ITEMS: &'static [PhotoPage] = &[PhotoPage::Photo];

    fn new(setting: Setting) -> Self {
        let dice = setting.dice;
        let ground = Ground::new(setting, "photo", |words| photogenic(&words.name));
        let groups = ground.sections(0.005, 6);
        let society = Society::new(ground, Size { items: 0.6, users: 0.03, loyalty: 0.72 });
        Self {
            tagging: Tagging::new(&society, Vocabulary { generic: GENERIC, gear: CAMERAS }),
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

    fn class(&self, class: PhotoClass) -> Members<'_> {
        match class {
            PhotoClass::Once => Members::once(),
            PhotoClass::Tag => Members::tagging(&self.tagging),
            PhotoClass::Group => Members::of(&self.groups),
            PhotoClass::User => Members::of(&self.society.users).users(),
            PhotoClass::Photo => self.society.things(),
        }
    }

    fn parts(&self, kind: PhotoPage, id: u64) -> u64 {
        if kind == PhotoPage::Set { self.sets(id) } else { 1 }
    }

    fn last_page(&self, page: PageId<PhotoPage>) -> u64 {
        let (id, photos) = (page.id, self.society.items.len());
        match page.kind {
            PhotoPage::Explore => pages_of(photos / 50, PER_PAGE).min(60),
            PhotoPage::Recent => pages_of(photos / 10, PER_PAGE).min(200),
            PhotoPage::TagIndex => pages_of(self.tagging.all().count() as u64, 4 * PER_DIRECTORY),
            PhotoPage::Tag => pages_of(self.tagging.len(id), PER_PAGE).min(LONGEST),
            PhotoPage::Search => pages_of(self.tagging.len(id), 4 * PER_PAGE).min(LONGEST_SEARCH),
            PhotoPage::Groups => pages_of(self.groups.len(), PER_DIRECTORY),
            PhotoPage::Pool => pages_of(self.pools.reach(id), 2 * PER_PAGE).min(LONGEST),
            PhotoPage::Members => pages_of(self.memberships.reach(id), 2 * PER_DIRECTORY).min(LONGEST),
            PhotoPage::People => pages_of(self.society.users.len(), PER_DIRECTORY),
            PhotoPage::Contacts => pages_of(self.society.contact_slots(id), CONTACTS).min(LONGEST),
            PhotoPage::Stream => pages_of(self.society.made(id), PER_PAGE),
            PhotoPage::Sets => u64::from(self.sets(id) > 0),
            PhotoPage::Set => pages_of(self.society.made(id), SET_WINDOW),
            PhotoPage::Favourites => self.fans.reach(id).div_ceil(3 * PER_PAGE).min(LONGEST),
            _ => 1,
        }
    }

    fn write_id(&self, kind: PhotoPage, id: u64, out: &mut String) {
        match kind.row().class {
            PhotoClass::Tag => out.push_str(&percent(self.tagging.name(id))),
            PhotoClass::Group => {
                out.push_str(&format!("{}-{}", slug(&self.group_name(id)), self.group_ids.of(id)));
            }
            PhotoClass::User => out.push_str(&self.society.screen_name(id)),
            _ => out.push_str(&self.society.item_ids.of(id).to_string()),
        }
    }

    fn read_id(&self, kind: PhotoPage, name: &str) -> Option<u64> {
        match kind.row().class {
            PhotoClass::Tag => self.tagging.named(&unpercent(name)),
            PhotoClass::Group => self.group_ids.back(name.rsplit_once('-')?.1.parse().ok()?),
            PhotoClass::User => self.society.user_named(name),
            _ => self.society.item_ids.back(name.parse().ok()?),
        }
    }

    fn write_word(&self, _slot: &str, page: PageId<PhotoPage>, out: &mut String) {
        out.push_str(&self.society.screen_name(self.society.author(page.id)));
    }

    fn topics(&self, class: PhotoClass, id: u64) -> Vec<String> {
        match class {
            PhotoClass::Photo => self.topics_of(id),
            _ => self.society.topics(class == PhotoClass::User, id, self.class(class).topic(id)),
        }
    }

    fn menu(&self) -> Vec<(PageId<PhotoPage>, String)> {
        let menu = [
            (PhotoPage::Explore, "Explore"),
            (PhotoPage::Recent, "Recent uploads"),
            (PhotoPage::TagIndex, "Tags"),
            (PhotoPage::Groups, "Groups"),
            (PhotoPage::People, "People"),
        ];
        menu.map(|(kind, name)| (kind.first(), name.to_owned())).to_vec()
    }

    fn write(&self, page: PageId<PhotoPage>, out: &mut PageWriter<'_, Self>) {
        match page.kind {
            PhotoPage::Photo => self.photo(page.id, out),
            PhotoPage::Profile => self.profile(page.id, out),
            kind if kind.row().class == PhotoClass::User => self.user_list(page, out),
            _ => self.list(page, out),
        }
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        let popular: Vec<TagId> = self.tagging.popular(40).collect();
        let picks = (0..8).filter_map(|n| out.of("aside").at(n).pick(&popular).copied());
        let mut links: Vec<(PageId<PhotoPage>, String)> = Vec::with_capacity(8);
        for tag in picks {
            let name = self.tagging.name(tag).to_owned();
            if !links.iter().any(|(_, known)| *known == name) {
                links.push((PhotoPage::Tag.of(tag), name));
            }
        }
        if out.page.kind != PhotoPage::Home {
            out.side_links("Popular tags", links);
        }
        if out.of("aside group").chance(0.4) {
            let group = out.of("aside group").of("which").zipf(self.groups.len(), 0.8);
            out.side_links("Group of the day", [(PhotoPage::Group.of(group), self.group_name(group))]);
        }
    }

    fn gone(&self, draw: u64) -> String {
        let user = self.society.screen_name(draw % self.society.users.len().max(1));
        match draw % 3 {
            0 => format!("/people/{user}x"),
            _ => format!("/photos/{user}/{}", self.society.item_ids.gone(draw >> 8)),
        }
    }

    fn picture(&self, url: &CanonicalUrl) -> Option<Answer> {
        self.picture_at(url)
    }

    fn picture_truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        self.truth_of_picture_at(url)
    }

    fn topic_lists(&self, topic: usize) -> Vec<PageId<PhotoPage>> {
        self.tagging.main_tags(self.ground(), topic).map(|tag| PhotoPage::Tag.of(tag)).collect()
    }

    /// On this site users search by tags.
    fn world_topics(&self) -> Vec<WorldTopic> {
        let mut topics = self.society.ground.world_topics();
        for (number, topic) in topics.iter_mut().enumerate() {
            let tags = self.society.ground.words(number).map_or(&[][..], |words| &words.tags);
            topic.terms = tags.iter().take(12).cloned().collect();
        }
        topics
    }
}

#[cfg(test)]
mod tests;
