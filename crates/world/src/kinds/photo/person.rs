//! The pages of a member: profile, contacts, tag cloud, photostream, sets, favourites.

use super::super::frame::Head;
use super::super::pieces::Fact;
use super::super::site_map::{PageId, PageKind};
use super::super::social::{Card, TagId};
use super::super::writer::{PageWriter, Theme};
use super::{CONTACTS, PER_PAGE, PhotoPage, Photos, SET_WINDOW};

/// How many of a member's photos the tag cloud is made from.
const FOR_CLOUD: u64 = 40;

impl Photos {
    pub(super) fn profile(&self, user: u64, out: &mut PageWriter<'_, Self>) {
        let (society, name) = (&self.society, self.society.handle(user));
        let dice = society.user_dice(user);
        let title = format!("About {name}");
        out.begin(&Head { og_type: "profile", ..Head::under(&title, PhotoPage::People.first(), "People") });
        self.tabs(user, out);
        if society.is_spammer(user) {
            out.spam(dice);
        } else if dice.of("writes").chance(0.8) {
            let paragraphs = dice.of("much").between(1, 3);
            out.paragraphs(&society.voice(user), dice.of("about"), paragraphs, 3);
        } else {
            out.notice("This member has not written anything yet.");
        }
        self.vita(user, out);
        if dice.of("tags shown").chance(0.85) {
            out.heading(&format!("{name}'s most used tags"));
            let cloud = self.most_used(user, 12, 15);
            out.cloud(cloud);
        }
        self.set_links(user, out);
        self.group_links(user, out);
        self.friends(user, &name, out);
        out.heading("Photos");
        self.photos_or_notice(self.society.made_by(user, 0..8), out);
        if out.theme != Theme::Old && dice.of("testimonial").chance(0.2) {
            out.heading("Testimonials");
            out.paragraphs(&society.voice(user), dice.of("testimonial"), 1, 2);
        }
    }

    /// Links between the pages of a member.
    fn tabs(&self, user: u64, out: &mut PageWriter<'_, Self>) {
        let mut tabs =
            vec![(PhotoPage::Stream.of(user), "Photostream"), (PhotoPage::UserTags.of(user), "Tags")];
        if self.sets(user) > 0 {
            tabs.push((PhotoPage::Sets.of(user), "Sets"));
        }
        if self.fans.reach(user) > 0 {
            tabs.push((PhotoPage::Favourites.of(user), "Favorites"));
        }
        tabs.extend([(PhotoPage::Profile.of(user), "Profile"), (PhotoPage::Contacts.of(user), "Contacts")]);
        let (list, item) = out.by_theme(("ul", "li"), ("div", "span"), ("p", "b"));
        out.open(list, out.by_theme("person-tabs", "SubNav", "tabs"));
        for (place, name) in tabs {
            out.open(item, "");
            out.link(place, name, "");
            out.close(item);
        }
        out.close(list);
    }

    fn vita(&self, user: u64, out: &mut PageWriter<'_, Self>) {
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
        out.facts(out.by_theme("vcard", "ProfileFacts", "who"), facts);
    }

    /// The tags that a member's first photos carry, with how often: at most `limit` of them, the commonest.
    fn most_used(&self, user: u64, photos: u64, limit: usize) -> Vec<(PageId<PhotoPage>, String, u64)> {
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
            .map(|(tag, n)| (PhotoPage::Tag.of(tag), self.tagging.name(tag).to_owned(), n))
            .collect()
    }

    fn set_links(&self, user: u64, out: &mut PageWriter<'_, Self>) {
        let sets =
            (0..self.sets(user)).map(|set| (PhotoPage::Set.part(user, set), self.set_title(user, set)));
        let sets: Vec<_> = sets.collect();
        if !sets.is_empty() {
            out.heading("Sets");
            out.facts("sets", vec![("Sets", Fact::Links(sets))]);
        }
    }

    fn group_links(&self, user: u64, out: &mut PageWriter<'_, Self>) {
        let groups = self.memberships.parents(user).into_iter();
        let groups: Vec<_> =
            groups.map(|group| (PhotoPage::Group.of(group), self.group_name(group))).collect();
        if !groups.is_empty() {
            out.heading("Public groups");
            out.facts("groups", vec![("Member of", Fact::Links(groups))]);
        }
    }

    fn friends(&self, user: u64, name: &str, out: &mut PageWriter<'_, Self>) {
        let contacts = self.society.contacts(user, 0..20);
        if contacts.is_empty() {
            return out.notice("No contacts yet.");
        }
        out.heading(&format!("{name}'s contacts"));
        let people = contacts.into_iter().take(15).map(|other| self.person(other)).collect();
        out.people(people);
    }

    /// The lists of a member.
    pub(super) fn user_list(&self, page: PageId<PhotoPage>, out: &mut PageWriter<'_, Self>) {
        let (user, name) = (page.id, self.society.handle(page.id));
        let what = match page.kind {
            PhotoPage::Contacts => "contacts",
            PhotoPage::UserTags => "tags",
            PhotoPage::Stream => "photostream",
            PhotoPage::Sets => "sets",
            _ => "favorites",
        };
        match page.kind {
            PhotoPage::Set => {
                let title = self.set_title(user, page.part);
                out.begin(&Head::under(&title, PhotoPage::Sets.of(user), "Sets"));
            }
            _ => out.begin(&Head::under(
                &format!("{name}'s {what}"),
                PhotoPage::Profile.of(user),
                name.as_str(),
            )),
        }
        self.tabs(user, out);
        match page.kind {
            PhotoPage::Contacts => match self.society.contacts(user, out.span(CONTACTS)) {
                contacts if contacts.is_empty() => out.notice("No contacts here."),
                contacts => out.people(contacts.into_iter().map(|other| self.person(other)).collect()),
            },
            PhotoPage::UserTags => match self.most_used(user, FOR_CLOUD, 80) {
                cloud if cloud.is_empty() => out.notice("No tags yet."),
                cloud => out.cloud(cloud),
            },
            PhotoPage::Stream => self.photos_or_notice(self.society.made_by(user, out.span(PER_PAGE)), out),
            PhotoPage::Sets => {
                let sets = (0..self.sets(user)).map(|set| {
                    let title = self.set_title(user, set);
                    Card::plain(PhotoPage::Set.part(user, set), title, "public".to_owned())
                });
                out.rows("set-list", sets.collect());
            }
            PhotoPage::Set => {
                let photos = self.society.made_by(user, out.span(SET_WINDOW)).into_iter();
                let photos = photos.filter(|photo| self.set_of(*photo, user) == Some(page.part)).collect();
                self.photos_or_notice(photos, out);
            }
            _ => {
                let range = out.span(3 * PER_PAGE);
                let mut photos = self.fans.children(user, range.start..range.end.min(self.fans.reach(user)));
                photos.dedup();
                self.photos_or_notice(photos, out);
            }
        }
        out.pager();
    }

    fn photos_or_notice(&self, photos: Vec<u64>, out: &mut PageWriter<'_, Self>) {
        match photos.is_empty() {
            true => out.notice("No photos are available to you."),
            false => out.gallery(self.cards(photos)),
        }
    }
}
