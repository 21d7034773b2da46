//! The page of a photo: the picture and everything that people attached to it.

use super::super::frame::Head;
use super::super::ground::Day;
use super::super::pieces::{Fact, Remark};
use super::super::site_map::PageKind;
use super::super::social::views;
use super::super::writer::{PageWriter, Theme};
use super::{PhotoPage, Photos};
use crate::text::Prose;

/// The most comments that a page shows.
const COMMENTS: u64 = 40;

const LICENCES: [&str; 3] = ["All rights reserved", "Some rights reserved", "Public domain"];

impl Photos {
    /// What is written about a photo: its topic, a neighbouring one, and whatever its author likes best.
    fn photo_prose(&self, photo: u64, author: u64) -> Prose {
        let (ground, items) = (&self.society.ground, &self.society.items);
        let topic = items.topic(photo);
        let mut mixture =
            vec![(ground.topic_id(topic), 0.13), (ground.topic_id(self.society.users.topic(author)), 0.03)];
        mixture
            .extend(self.tagging.neighbour(&self.society, photo).map(|other| (ground.topic_id(other), 0.08)));
        Prose { mixture, ..Prose::default() }
    }

    pub(super) fn photo(&self, photo: u64, out: &mut PageWriter<'_, Self>) {
        let society = &self.society;
        let (author, dice, title) = (society.author(photo), society.item_dice(photo), self.title(photo));
        let (is_spam, prose) = (society.is_spammer(author), self.photo_prose(photo, author));
        let name = society.handle(author);
        let mut about = String::new();
        if dice.of("described").chance(0.65) {
            prose.paragraph(
                dice.of("description"),
                dice.of("long").long_tail(2.0, 9) as usize + 1,
                &mut about,
            );
        }
        let stream = (PhotoPage::Stream.of(author), format!("{name}'s photostream"));
        out.begin(&Head { title: &title, og_type: "photo", about: &about, crumbs: vec![stream] });
        self.owner(author, &name, out);
        self.main_picture(photo, &title, out);
        if is_spam {
            out.spam(dice);
        } else if !about.is_empty() {
            out.element(out.by_theme("p", "div", "font"), "photo-desc", &about);
        }
        self.tags_of(photo, out);
        self.belongings(photo, author, out);
        self.facts_of(photo, out);
        self.comments(photo, author, &prose, out);
        if out.theme != Theme::Old {
            out.heading(&format!("More from {name}"));
            let more = society.made_by(author, 0..4).into_iter().filter(|other| *other != photo).take(3);
            let cards = more.map(|other| self.card(other)).collect();
            out.gallery(cards);
        }
    }

    fn owner(&self, author: u64, name: &str, out: &mut PageWriter<'_, Self>) {
        out.open("div", out.by_theme("photo-owner", "Owner", "own"));
        out.text("Uploaded by ");
        out.link(PhotoPage::Profile.of(author), name, out.by_theme("owner-link", "Uploader", ""));
        if out.theme == Theme::New && out.of("json").chance(0.5) {
            let person = self.society.real_name(author);
            out.raw("<script type=\"application/ld+json\">{\"@context\":\"http://schema.org\",\"@type\":\"Photograph\",\"author\":{\"@type\":\"Person\",\"name\":\"");
            out.raw(&person.replace(['"', '\\', '<'], ""));
            out.raw("\"}}</script>");
        }
        out.close("div");
    }

    fn main_picture(&self, photo: u64, title: &str, out: &mut PageWriter<'_, Self>) {
        let source = self.source(photo, "z");
        out.open("div", out.by_theme("photo-stage", "photoImgDiv", "pic"));
        let item = if out.theme == Theme::New { "itemprop" } else { "" };
        out.html.open("img", &[("src", &source), ("alt", title), ("width", "500"), (item, "image")]);
        out.close("div");
    }

    fn tags_of(&self, photo: u64, out: &mut PageWriter<'_, Self>) {
        let tags = self.tagging.of(&self.society, photo).into_iter();
        let tags = tags.map(|tag| self.tagging.linked(tag, PhotoPage::Tag)).collect();
        out.tag_list("Tags", tags);
    }

    /// Sets and groups that the photo is in: an optional block.
    fn belongings(&self, photo: u64, author: u64, out: &mut PageWriter<'_, Self>) {
        let set = self
            .set_of(photo, author)
            .map(|set| (PhotoPage::Set.part(author, set), self.set_title(author, set)));
        let groups = self.pools.parents(photo).into_iter();
        let groups: Vec<_> =
            groups.map(|group| (PhotoPage::Pool.of(group), self.group_name(group))).collect();
        if set.is_none() && groups.is_empty() {
            return;
        }
        let mut facts = Vec::new();
        facts.extend(set.map(|set| ("This photo belongs to the set", Fact::Links(vec![set]))));
        if !groups.is_empty() {
            facts.push(("Group pools", Fact::Links(groups)));
        }
        out.facts(out.by_theme("contexts", "SetsAndPools", "ctx"), facts);
    }

    fn facts_of(&self, photo: u64, out: &mut PageWriter<'_, Self>) {
        let (society, dice) = (&self.society, self.society.item_dice(photo));
        let mut facts = vec![
            ("Taken on", Fact::Text(society.made_on(photo).long())),
            ("Views", Fact::Text(views(dice).to_string())),
        ];
        let fans = self.fans.parents(photo).into_iter();
        let fans: Vec<_> = fans.map(|user| (PhotoPage::Profile.of(user), society.handle(user))).collect();
        if !fans.is_empty() {
            facts.push(("Favourite of", Fact::Links(fans)));
        }
        if dice.of("licence shown").chance(0.6) {
            let licence = dice.of("licence").one_of(&LICENCES);
            facts.push(("Licence", Fact::Text(licence.to_owned())));
        }
        if dice.of("place shown").chance(0.3) {
            facts.push(("Taken in", Fact::Text(society.town(society.author(photo)).to_owned())));
        }
        out.facts(out.by_theme("photo-facts", "PhotoStats", "info"), facts);
    }

    fn comments(&self, photo: u64, author: u64, prose: &Prose, out: &mut PageWriter<'_, Self>) {
        let (society, dice) = (&self.society, self.society.item_dice(photo).of("comments"));
        let count = dice.long_tail(4.0, COMMENTS);
        out.heading(&format!("Comments ({count})"));
        if count == 0 {
            return out.notice("Nobody has said anything yet. Log in to be the first.");
        }
        let mut remarks = Vec::with_capacity(count as usize);
        for comment in 0..count {
            let dice = dice.at(comment);
            let user = if dice.of("thanks").chance(0.12) { author } else { society.passer_by(photo, dice) };
            let mut text = String::with_capacity(200);
            match (society.is_spammer(user), dice.of("sort").unit()) {
                (true, _) => text.push_str("Nice one! See my page for unbeatable offers."),
                (_, sort) if sort < 0.35 => {
                    const PRAISE: [&str; 8] = words! {
                        "Great shot!" "Beautiful colours." "Wow, love this one." "Lovely light!" "Well seen."
                        "Excellent capture, thanks for sharing." "Very nice composition!"
                        "This made my day :)"
                    };
                    text.push_str(dice.of("praise").one_of(&PRAISE));
                }
                (_, sort) if sort < 0.45 => {
                    text.push_str("Hi, I'm an admin of a group about ");
                    let topic = society.users.topic(user);
                    text.push_str(society.ground.label(topic));
                    text.push_str(", and we'd love to have this added to the group!");
                }
                _ => prose.paragraph(dice.of("text"), dice.of("long").between(1, 3) as usize, &mut text),
            }
            let (name, when) = (society.handle(user), Day(society.made_on(photo).0 + comment / 4).long());
            remarks.push(Remark { author: PhotoPage::Profile.of(user), name, when, text });
        }
        out.remarks(out.by_theme("comments", "Comments", "talk"), remarks);
    }
}
