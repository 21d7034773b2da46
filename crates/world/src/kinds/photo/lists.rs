//! Lists that belong to no member: start page, explore, recent, tags, search results, groups, directories.

use std::ops::Range;

use super::super::frame::Head;
use super::super::pieces::Fact;
use super::super::site_map::{PageId, PageKind};
use super::super::social::{Card, TagId, views};
use super::super::writer::PageWriter;
use super::{PER_DIRECTORY, PER_PAGE, PhotoPage, Photos};
use crate::Permutation;
use crate::text::Prose;

impl Photos {
    /// A photo in a list: its thumbnail, its title and its uploader, no more.
    pub(super) fn card(&self, photo: u64) -> Card<PhotoPage> {
        let author = self.society.author(photo);
        Card {
            to: PhotoPage::Photo.of(photo),
            title: self.title(photo),
            picture: Some(self.source(photo, "s")),
            author: Some((PhotoPage::Profile.of(author), self.society.handle(author))),
            note: format!("{} views", views(self.society.item_dice(photo))),
            links: Vec::new(),
            jump: None,
        }
    }

    pub(super) fn cards(&self, photos: impl IntoIterator<Item = u64>) -> Vec<Card<PhotoPage>> {
        photos.into_iter().map(|photo| self.card(photo)).collect()
    }

    pub(super) fn list(&self, page: PageId<PhotoPage>, out: &mut PageWriter<'_, Self>) {
        let (id, range) = (page.id, out.span(PER_PAGE));
        match page.kind {
            PhotoPage::Explore => {
                out.begin(&Head::plain("Explore: interesting photos of the last seven days"));
                out.gallery(self.cards(self.interesting(range)));
            }
            PhotoPage::Recent => {
                out.begin(&Head::plain("Everyone's recent uploads"));
                out.gallery(self.cards(self.society.newest(range)));
            }
            PhotoPage::TagIndex => {
                out.begin(&Head::plain("All tags"));
                let tags = self.tagging.slice_of_all(out.span(4 * PER_DIRECTORY));
                out.cloud(tags.map(|tag| self.tagging.in_cloud(tag, PhotoPage::Tag)).collect());
            }
            PhotoPage::Tag => {
                let title = format!("Photos tagged with {}", self.tagging.name(id));
                out.begin(&Head::under(&title, PhotoPage::TagIndex.first(), "Tags"));
                out.link(PhotoPage::Search.of(id), "Search titles and descriptions too", "more");
                self.gallery_or_notice(self.tagging.slice(&self.society, id, range, "tag"), out);
            }
            PhotoPage::Search => {
                let title = format!("Search results for \"{}\"", self.tagging.name(id));
                out.begin(&Head::plain(&title));
                self.gallery_or_notice(self.tagging.slice(&self.society, id, range, "search"), out);
            }
            PhotoPage::Groups => self.group_directory(out),
            PhotoPage::Group => self.group(id, out),
            PhotoPage::Pool => {
                let name = self.group_name(id);
                out.begin(&Head::under(&format!("The {name} pool"), PhotoPage::Group.of(id), name));
                self.gallery_or_notice(self.pooled(id, out.span(2 * PER_PAGE)), out);
            }
            PhotoPage::Members => self.members(id, out),
            PhotoPage::People => {
                out.begin(&Head::plain("People"));
                let users = self.society.directory(out.span(PER_DIRECTORY));
                out.people(users.map(|user| self.person(user)).collect());
            }
            _ => self.home_page(out),
        }
        out.pager();
        if page.kind == PhotoPage::Tag {
            self.related_tags(id, out);
        }
    }

    fn gallery_or_notice(&self, photos: Vec<u64>, out: &mut PageWriter<'_, Self>) {
        match photos.is_empty() {
            true => out.notice("There is nothing here that you may see."),
            false => out.gallery(self.cards(photos)),
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

    fn home_page(&self, out: &mut PageWriter<'_, Self>) {
        out.begin(&Head::plain("Share your photos, watch the world"));
        out.gallery(self.cards(self.society.newest(0..12)));
        out.heading("Popular tags");
        let mut cloud: Vec<_> =
            self.tagging.popular(30).map(|tag| self.tagging.in_cloud(tag, PhotoPage::Tag)).collect();
        cloud.sort_by(|a, b| a.1.cmp(&b.1));
        out.cloud(cloud);
        out.heading("Interesting today");
        out.gallery(self.cards(self.interesting(0..8)));
        out.heading("Groups to join");
        let groups =
            (0..self.groups.len().min(6)).map(|group| (PhotoPage::Group.of(group), self.group_name(group)));
        out.facts("featured", vec![("Featured groups", Fact::Links(groups.collect()))]);
    }

    fn related_tags(&self, tag: TagId, out: &mut PageWriter<'_, Self>) {
        let mut related: Vec<TagId> = Vec::new();
        for photo in self.tagging.slice(&self.society, tag, 0..6, "related") {
            for other in self.tagging.of(&self.society, photo) {
                if other != tag && !related.contains(&other) {
                    related.push(other);
                }
            }
        }
        let links = related.into_iter().take(10);
        let links: Vec<_> = links.map(|tag| self.tagging.linked(tag, PhotoPage::Tag)).collect();
        if !links.is_empty() {
            out.facts("related-tags", vec![("Related tags", Fact::Links(links))]);
        }
    }

    fn group_directory(&self, out: &mut PageWriter<'_, Self>) {
        out.begin(&Head::plain("Groups"));
        let range = out.span(PER_DIRECTORY);
        let cards = (range.start..range.end.min(self.groups.len())).map(|group| {
            Card::plain(
                PhotoPage::Group.of(group),
                self.group_name(group),
                format!(
                    "{} members, {} photos",
                    self.memberships.reach(group) / 2,
                    self.pools.reach(group) * 2 / 5
                ),
            )
        });
        out.rows("groups", cards.collect());
    }

    fn group(&self, group: u64, out: &mut PageWriter<'_, Self>) {
        let (name, topic) = (self.group_name(group), self.groups.topic(group));
        out.begin(&Head::under(&name, PhotoPage::Groups.first(), "Groups"));
        let dice = self.dice().of("group").at(group);
        let prose: Prose = self.society.ground.prose(topic, 0.12, dice);
        out.paragraphs(&prose, dice, 2, 3);
        out.link(PhotoPage::Pool.of(group), "Group pool", "pool");
        out.text(" | ");
        out.link(PhotoPage::Members.of(group), "Members", "members");
        out.heading("Latest photos");
        out.gallery(self.cards(self.pooled(group, 0..24).into_iter().take(12)));
        out.heading("Rules");
        out.paragraphs(&Prose::default(), dice.of("rules"), 1, 3);
    }

    fn members(&self, group: u64, out: &mut PageWriter<'_, Self>) {
        let name = self.group_name(group);
        let title = format!("Members of {name}");
        out.begin(&Head::under(&title, PhotoPage::Group.of(group), name));
        let range = out.span(2 * PER_DIRECTORY);
        let reach = self.memberships.reach(group);
        let mut members = self.memberships.children(group, range.start..range.end.min(reach));
        members.dedup();
        let people = members.into_iter().map(|user| self.person(user)).collect();
        out.people(people);
    }

    pub(super) fn person(&self, user: u64) -> (PageId<PhotoPage>, String, String) {
        (PhotoPage::Profile.of(user), self.society.handle(user), self.society.town(user).to_owned())
    }
}
