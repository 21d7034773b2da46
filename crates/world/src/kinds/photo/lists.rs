//! Lists that belong to nobody: start page, explore, recent, tags, search results, groups, directories.

use std::ops::Range;

use super::super::frame::Head;
use super::super::pieces::{Fact, span};
use super::super::sheet::Sheet;
use super::super::social::{Card, Lists, TagId, views};
use super::places::{PER_DIRECTORY, PER_PAGE};
use super::{Photos, Place};
use crate::Permutation;
use crate::text::Prose;

impl Photos {
    /// A photo in a list: its thumbnail, its title and its uploader, no more.
    pub(super) fn card(&self, photo: u64) -> Card<Place> {
        let author = self.society.author(photo);
        Card {
            to: Place::Photo(photo),
            title: self.title(photo),
            picture: Some(self.source(photo, "s")),
            author: Some((Place::Profile(author), self.society.handle(author))),
            note: format!("{} views", views(self.society.item_dice(photo))),
            links: Vec::new(),
            jump: None,
        }
    }

    pub(super) fn cards(&self, photos: impl IntoIterator<Item = u64>) -> Vec<Card<Place>> {
        photos.into_iter().map(|photo| self.card(photo)).collect()
    }

    pub(super) fn list(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        match place {
            Place::Home => self.home_page(sheet),
            Place::TagIndex(page) => self.tag_index(page, sheet),
            Place::Groups(page) => self.group_directory(page, sheet),
            Place::Group(group) => self.group(group, sheet),
            Place::Members { group, page } => self.members(group, page, sheet),
            Place::People(page) => self.people_directory(page, sheet),
            _ => self.photo_list(place, sheet),
        }
        sheet.end();
    }

    /// The lists that are pages of thumbnails and nothing else.
    fn photo_list(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        let (page, last) = self.last_page(place).unwrap_or((1, 1));
        let range = span(page, PER_PAGE);
        match place {
            Place::Explore(_) => {
                sheet.begin(&Head::plain("Explore: interesting photos of the last seven days"));
                sheet.gallery(self.cards(self.interesting(range)));
                sheet.pager(page, last, Place::Explore);
            }
            Place::Recent(_) => {
                sheet.begin(&Head::plain("Everyone's recent uploads"));
                sheet.gallery(self.cards(self.society.newest(range)));
                sheet.pager(page, last, Place::Recent);
            }
            Place::Tag { tag, .. } => {
                let name = self.tagging.name(tag);
                let title = format!("Photos tagged with {name}");
                sheet.begin(&Head::under(&title, Place::TagIndex(1), "Tags"));
                sheet.link(Place::Search { tag, page: 1 }, "Search titles and descriptions too", "more");
                self.gallery_or_notice(self.tagging.slice(&self.society, tag, range, "tag"), sheet);
                sheet.pager(page, last, |page| Place::Tag { tag, page });
                self.related_tags(tag, sheet);
            }
            Place::Search { tag, .. } => {
                let name = self.tagging.name(tag);
                let title = format!("Search results for \"{name}\"");
                sheet.begin(&Head::plain(&title));
                self.gallery_or_notice(self.tagging.slice(&self.society, tag, range, "search"), sheet);
                sheet.pager(page, last, |page| Place::Search { tag, page });
            }
            Place::Pool { group, .. } => {
                let name = self.group_name(group);
                let title = format!("The {name} pool");
                sheet.begin(&Head::under(&title, Place::Group(group), name));
                let slots = span(page, 2 * PER_PAGE);
                self.gallery_or_notice(self.pooled(group, slots), sheet);
                sheet.pager(page, last, |page| Place::Pool { group, page });
            }
            _ => {}
        }
    }

    fn gallery_or_notice(&self, photos: Vec<u64>, sheet: &mut Sheet<'_, Self>) {
        match photos.is_empty() {
            true => sheet.notice("There is nothing here that you may see."),
            false => sheet.gallery(self.cards(photos)),
        }
    }

    /// Photos of a group's pool in the slots of `range`, each once.
    fn pooled(&self, group: u64, range: Range<u64>) -> Vec<u64> {
        let mut photos = self.pools.children(group, range.start..range.end.min(self.pools.reach(group)));
        photos.dedup();
        photos
    }

    /// What the site thinks interesting: any photos, in an order of its own.
    fn interesting(&self, range: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let photos = self.society.items.len();
        let order = Permutation::new(photos, self.dice().of("interesting"));
        range.take_while(move |place| *place < photos).map(move |place| order.at(place))
    }

    fn home_page(&self, sheet: &mut Sheet<'_, Self>) {
        sheet.begin(&Head::plain("Share your photos, watch the world"));
        sheet.gallery(self.cards(self.society.newest(0..12)));
        sheet.heading("Popular tags");
        let mut cloud: Vec<_> = self.tagging.popular(30).map(|tag| self.cloud_entry(tag)).collect();
        cloud.sort_by(|a, b| a.1.cmp(&b.1));
        sheet.cloud(cloud);
        sheet.heading("Interesting today");
        sheet.gallery(self.cards(self.interesting(0..8)));
        sheet.heading("Groups to join");
        let groups = (0..self.groups.len().min(6)).map(|group| (Place::Group(group), self.group_name(group)));
        sheet.facts("featured", vec![("Featured groups", Fact::Links(groups.collect()))]);
    }

    fn cloud_entry(&self, tag: TagId) -> (Place, String, u64) {
        let weight = u64::from(self.tagging.len(tag).max(1).ilog2());
        (Place::Tag { tag, page: 1 }, self.tagging.name(tag).to_owned(), weight)
    }

    fn related_tags(&self, tag: TagId, sheet: &mut Sheet<'_, Self>) {
        let mut related: Vec<TagId> = Vec::new();
        for photo in self.tagging.slice(&self.society, tag, 0..6, "related") {
            for other in self.tagging.of(&self.society, photo) {
                if other != tag && !related.contains(&other) {
                    related.push(other);
                }
            }
        }
        let links = related.into_iter().take(10);
        let links: Vec<_> =
            links.map(|tag| (Place::Tag { tag, page: 1 }, self.tagging.name(tag).to_owned())).collect();
        if !links.is_empty() {
            sheet.facts("related-tags", vec![("Related tags", Fact::Links(links))]);
        }
    }

    fn tag_index(&self, page: u64, sheet: &mut Sheet<'_, Self>) {
        sheet.begin(&Head::plain("All tags"));
        let range = span(page, 4 * PER_DIRECTORY);
        let tags = self.tagging.all().skip(range.start as usize).take((range.end - range.start) as usize);
        sheet.cloud(tags.map(|tag| self.cloud_entry(tag)).collect());
        let last = self.last_of(Place::TagIndex(page));
        sheet.pager(page, last, Place::TagIndex);
    }

    fn group_directory(&self, page: u64, sheet: &mut Sheet<'_, Self>) {
        sheet.begin(&Head::plain("Groups"));
        let range = span(page, PER_DIRECTORY);
        let cards = (range.start..range.end.min(self.groups.len())).map(|group| {
            Card::plain(
                Place::Group(group),
                self.group_name(group),
                format!(
                    "{} members, {} photos",
                    self.memberships.reach(group) / 2,
                    self.pools.reach(group) * 2 / 5
                ),
            )
        });
        sheet.rows("groups", cards.collect());
        let last = self.last_of(Place::Groups(page));
        sheet.pager(page, last, Place::Groups);
    }

    fn group(&self, group: u64, sheet: &mut Sheet<'_, Self>) {
        let (name, topic) = (self.group_name(group), self.groups.topic(group));
        sheet.begin(&Head::under(&name, Place::Groups(1), "Groups"));
        let dice = self.dice().of("group").at(group);
        let prose: Prose = self.society.ground.prose(topic, 0.12, dice);
        sheet.paragraphs(&prose, dice, 2, 3);
        sheet.link(Place::Pool { group, page: 1 }, "Group pool", "pool");
        sheet.html.text(" | ");
        sheet.link(Place::Members { group, page: 1 }, "Members", "members");
        sheet.heading("Latest photos");
        sheet.gallery(self.cards(self.pooled(group, 0..24).into_iter().take(12)));
        sheet.heading("Rules");
        sheet.paragraphs(&Prose::default(), dice.of("rules"), 1, 3);
    }

    fn members(&self, group: u64, page: u64, sheet: &mut Sheet<'_, Self>) {
        let name = self.group_name(group);
        let title = format!("Members of {name}");
        sheet.begin(&Head::under(&title, Place::Group(group), name));
        let range = span(page, 2 * PER_DIRECTORY);
        let reach = self.memberships.reach(group);
        let mut members = self.memberships.children(group, range.start..range.end.min(reach));
        members.dedup();
        let people = members.into_iter().map(|user| self.person(user)).collect();
        sheet.people(people);
        let last = self.last_of(Place::Members { group, page });
        sheet.pager(page, last, |page| Place::Members { group, page });
    }

    fn people_directory(&self, page: u64, sheet: &mut Sheet<'_, Self>) {
        sheet.begin(&Head::plain("People"));
        let (range, users) = (span(page, PER_DIRECTORY), self.society.users.len());
        let users = (range.start..range.end.min(users)).map(|place| self.society.user_ids.at(place));
        let people = users.map(|user| self.person(user)).collect();
        sheet.people(people);
        let last = self.last_of(Place::People(page));
        sheet.pager(page, last, Place::People);
    }

    pub(super) fn person(&self, user: u64) -> (Place, String, String) {
        (Place::Profile(user), self.society.handle(user), self.society.town(user).to_owned())
    }
}
