//! The pages of a member: profile, contacts, tag cloud, photostream, sets, favourites.

use super::super::frame::Head;
use super::super::pieces::{Fact, span};
use super::super::sheet::{Sheet, Theme};
use super::super::social::{Card, Lists, TagId};
use super::places::{CONTACTS, PER_PAGE, SET_WINDOW};
use super::{Photos, Place};

/// How many of a member's photos the tag cloud is made from.
const FOR_CLOUD: u64 = 40;

impl Photos {
    pub(super) fn profile(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let (society, name) = (&self.society, self.society.handle(user));
        let dice = society.user_dice(user);
        let title = format!("About {name}");
        sheet.begin(&Head { og_type: "profile", ..Head::under(&title, Place::People(1), "People") });
        self.tabs(user, sheet);
        if society.is_spammer(user) {
            sheet.spam(dice);
        } else if dice.of("writes").chance(0.8) {
            let paragraphs = dice.of("much").between(1, 3);
            sheet.paragraphs(&society.voice(user), dice.of("about"), paragraphs, 3);
        } else {
            sheet.notice("This member has not written anything yet.");
        }
        self.vita(user, sheet);
        if dice.of("tags shown").chance(0.85) {
            sheet.heading(&format!("{name}'s most used tags"));
            let cloud = self.most_used(user, 12, 15);
            sheet.cloud(cloud);
        }
        self.set_links(user, sheet);
        self.group_links(user, sheet);
        self.friends(user, &name, sheet);
        sheet.heading("Photos");
        self.photos_or_notice(self.society.made_by(user, 0..8), sheet);
        if sheet.theme != Theme::Old && dice.of("testimonial").chance(0.2) {
            sheet.heading("Testimonials");
            sheet.paragraphs(&society.voice(user), dice.of("testimonial"), 1, 2);
        }
        sheet.end();
    }

    /// Links between the pages of a member.
    fn tabs(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let mut tabs =
            vec![(Place::Stream { user, page: 1 }, "Photostream"), (Place::UserTags(user), "Tags")];
        if self.sets(user) > 0 {
            tabs.push((Place::Sets(user), "Sets"));
        }
        if self.fans.reach(user) > 0 {
            tabs.push((Place::Favourites { user, page: 1 }, "Favorites"));
        }
        tabs.extend([(Place::Profile(user), "Profile"), (Place::Contacts { user, page: 1 }, "Contacts")]);
        let (list, item) = sheet.by_theme(("ul", "li"), ("div", "span"), ("p", "b"));
        sheet.html.open(list, &[("class", sheet.by_theme("person-tabs", "SubNav", "tabs"))]);
        for (place, name) in tabs {
            sheet.html.open(item, &[]);
            sheet.link(place, name, "");
            sheet.html.close(item);
        }
        sheet.html.close(list);
    }

    fn vita(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let (society, dice) = (&self.society, self.society.user_dice(user));
        let mut facts = vec![
            ("Joined", Fact::Text(society.joined(user).long())),
            ("Photos", Fact::Text(society.made(user).to_string())),
        ];
        if dice.of("name shown").chance(0.6) {
            facts.insert(0, ("Name", Fact::Text(society.real_name(user))));
        }
        if dice.of("town shown").chance(0.7) {
            facts.push(("Currently", Fact::Text(society.town(user).to_owned())));
        }
        sheet.facts(sheet.by_theme("vcard", "ProfileFacts", "who"), facts);
    }

    /// The tags that a member's first photos carry, with how often: at most `limit` of them, the commonest.
    fn most_used(&self, user: u64, photos: u64, limit: usize) -> Vec<(Place, String, u64)> {
        let mut counts: Vec<(TagId, u64)> = Vec::new();
        for photo in self.society.made_by(user, 0..photos) {
            for tag in self.tagging.of(&self.society, photo) {
                match counts.iter_mut().find(|(known, _)| *known == tag) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((tag, 1)),
                }
            }
        }
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        counts.truncate(limit);
        counts
            .into_iter()
            .map(|(tag, n)| (Place::Tag { tag, page: 1 }, self.tagging.name(tag).to_owned(), n))
            .collect()
    }

    fn set_links(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let sets =
            (0..self.sets(user)).map(|set| (Place::Set { user, set, page: 1 }, self.set_title(user, set)));
        let sets: Vec<_> = sets.collect();
        if !sets.is_empty() {
            sheet.heading("Sets");
            sheet.facts("sets", vec![("Sets", Fact::Links(sets))]);
        }
    }

    fn group_links(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let groups = self.memberships.parents(user).into_iter();
        let groups: Vec<_> = groups.map(|group| (Place::Group(group), self.group_name(group))).collect();
        if !groups.is_empty() {
            sheet.heading("Public groups");
            sheet.facts("groups", vec![("Member of", Fact::Links(groups))]);
        }
    }

    fn friends(&self, user: u64, name: &str, sheet: &mut Sheet<'_, Self>) {
        let contacts = self.society.contacts(user, 0..20);
        if contacts.is_empty() {
            return sheet.notice("No contacts yet.");
        }
        sheet.heading(&format!("{name}'s contacts"));
        let people = contacts.into_iter().take(15).map(|other| self.person(other)).collect();
        sheet.people(people);
    }

    pub(super) fn contacts(&self, user: u64, page: u64, sheet: &mut Sheet<'_, Self>) {
        let name = self.society.handle(user);
        let title = format!("{name}'s contacts");
        sheet.begin(&Head::under(&title, Place::Profile(user), name.as_str()));
        self.tabs(user, sheet);
        let contacts = self.society.contacts(user, span(page, CONTACTS));
        match contacts.is_empty() {
            true => sheet.notice("No contacts here."),
            false => {
                let people = contacts.into_iter().map(|other| self.person(other)).collect();
                sheet.people(people);
            }
        }
        let last = self.last_of(Place::Contacts { user, page });
        sheet.pager(page, last, |page| Place::Contacts { user, page });
        sheet.end();
    }

    pub(super) fn user_tags(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let name = self.society.handle(user);
        let title = format!("{name}'s tags");
        sheet.begin(&Head::under(&title, Place::Profile(user), name.as_str()));
        self.tabs(user, sheet);
        let cloud = self.most_used(user, FOR_CLOUD, 80);
        match cloud.is_empty() {
            true => sheet.notice("No tags yet."),
            false => sheet.cloud(cloud),
        }
        sheet.end();
    }

    pub(super) fn stream(&self, user: u64, page: u64, sheet: &mut Sheet<'_, Self>) {
        let name = self.society.handle(user);
        let title = format!("{name}'s photostream");
        sheet.begin(&Head::under(&title, Place::Profile(user), name.as_str()));
        self.tabs(user, sheet);
        self.photos_or_notice(self.society.made_by(user, span(page, PER_PAGE)), sheet);
        let last = self.last_of(Place::Stream { user, page });
        sheet.pager(page, last, |page| Place::Stream { user, page });
        sheet.end();
    }

    fn photos_or_notice(&self, photos: Vec<u64>, sheet: &mut Sheet<'_, Self>) {
        match photos.is_empty() {
            true => sheet.notice("No photos are available to you."),
            false => sheet.gallery(self.cards(photos)),
        }
    }

    pub(super) fn set_list(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let name = self.society.handle(user);
        let title = format!("{name}'s sets");
        sheet.begin(&Head::under(&title, Place::Profile(user), name.as_str()));
        self.tabs(user, sheet);
        let cards = (0..self.sets(user)).map(|set| {
            Card::plain(Place::Set { user, set, page: 1 }, self.set_title(user, set), "public".to_owned())
        });
        sheet.rows("set-list", cards.collect());
        sheet.end();
    }

    pub(super) fn set(&self, user: u64, set: u64, page: u64, sheet: &mut Sheet<'_, Self>) {
        let title = self.set_title(user, set);
        sheet.begin(&Head::under(&title, Place::Sets(user), "Sets"));
        self.tabs(user, sheet);
        let photos = self.society.made_by(user, span(page, SET_WINDOW)).into_iter();
        let photos = photos.filter(|photo| self.set_of(*photo, user) == Some(set)).collect();
        self.photos_or_notice(photos, sheet);
        let last = self.last_of(Place::Set { user, set, page });
        sheet.pager(page, last, |page| Place::Set { user, set, page });
        sheet.end();
    }

    pub(super) fn favourites(&self, user: u64, page: u64, sheet: &mut Sheet<'_, Self>) {
        let name = self.society.handle(user);
        let title = format!("{name}'s favorites");
        sheet.begin(&Head::under(&title, Place::Profile(user), name.as_str()));
        self.tabs(user, sheet);
        let range = span(page, 3 * PER_PAGE);
        let mut photos = self.fans.children(user, range.start..range.end.min(self.fans.reach(user)));
        photos.dedup();
        self.photos_or_notice(photos, sheet);
        let last = self.last_of(Place::Favourites { user, page });
        sheet.pager(page, last, |page| Place::Favourites { user, page });
        sheet.end();
    }
}
