//! Lists and parts of pages that sites of users have: cards with a picture and an uploader, tags, people, clouds, each
//! built differently by each theme.

use super::super::plan::Plan;
use super::super::site_map::PageId;
use super::super::writer::{PageWriter, Theme};

/// An item in a list.
pub(crate) struct Card<K> {
    pub(crate) to: PageId<K>,
    pub(crate) title: String,
    /// The source of a thumbnail.
    pub(crate) picture: Option<String>,
    pub(crate) author: Option<(PageId<K>, String)>,
    /// A line of small print: counts, dates.
    pub(crate) note: String,
    /// Small links beside it: who answered, what else.
    pub(crate) links: Vec<(PageId<K>, String)>,
    /// A path that leads to it in a roundabout way: its last post, its short name.
    pub(crate) jump: Option<(String, &'static str)>,
}

impl<K> Card<K> {
    /// An entry that is only a name and a line of small print.
    pub(crate) fn plain(to: PageId<K>, title: String, note: String) -> Self {
        Self { to, title, picture: None, author: None, note, links: Vec::new(), jump: None }
    }
}

/// How many cards are in a row of a table.
const PER_ROW: usize = 4;

impl<P: Plan> PageWriter<'_, P> {
    /// A grid of pictures, each with its uploader below.
    pub(crate) fn gallery(&mut self, mut cards: Vec<Card<P::Page>>) {
        if self.reversed {
            cards.reverse();
        }
        match self.theme {
            Theme::New => {
                self.open("div", "photo-grid");
                for card in &cards {
                    self.open("div", "photo-card");
                    self.thumbnail(card, "photo-link");
                    self.open("div", "photo-meta");
                    self.link(card.to, &card.title, "photo-title");
                    self.byline(card, "by", "owner-name");
                    self.close("div");
                    self.close("div");
                }
                self.close("div");
            }
            Theme::Middle => {
                self.open("ul", "thumbs");
                for card in &cards {
                    self.open("li", "thumb");
                    self.thumbnail(card, "image_link");
                    self.byline(card, "From", "uploader");
                    self.element("small", "", &card.note);
                    self.close("li");
                }
                self.close("ul");
            }
            Theme::Old => {
                self.raw("<table class=\"ThumbTable\" cellpadding=4>\n");
                for row in cards.chunks(PER_ROW) {
                    self.open("tr", "");
                    for card in row {
                        self.html.open("td", &[("class", "ThumbCell"), ("align", "center")]);
                        self.thumbnail(card, "");
                        self.raw("<br>");
                        self.byline(card, "by", "");
                        self.close("td");
                    }
                    self.close("tr");
                }
                self.close("table");
            }
        }
    }

    fn thumbnail(&mut self, card: &Card<P::Page>, class: &str) {
        self.open_link(card.to, class);
        let source = card.picture.as_deref().unwrap_or("/media/blank.jpg");
        self.html.open("img", &[("src", source), ("alt", &card.title), ("width", "75"), ("height", "75")]);
        self.close("a");
    }

    fn byline(&mut self, card: &Card<P::Page>, before: &str, class: &str) {
        if let Some((author, name)) = &card.author {
            self.open("span", self.by_theme("attribution", "from", "by"));
            self.text(before);
            self.text(" ");
            self.link(*author, name, class);
            self.close("span");
        }
    }

    /// Rows of titles with their authors and counts: threads, questions.
    pub(crate) fn rows(&mut self, class: &str, cards: Vec<Card<P::Page>>) {
        self.roll(class, cards, |out, card| {
            let title = out.by_theme("row-title", "topic", "tt");
            if out.theme == Theme::New {
                out.open("h3", "row-head");
                out.link(card.to, &card.title, title);
                out.close("h3");
            } else {
                out.link(card.to, &card.title, title);
            }
            out.byline(&card, out.by_theme("started by", "by", "-"), out.by_theme("user", "poster", ""));
            out.element("span", out.by_theme("row-stats", "counts", "n"), &card.note);
            for (place, name) in &card.links {
                out.text(" ");
                out.link(*place, name, out.by_theme("row-link", "small", ""));
            }
            if let Some((path, text)) = &card.jump {
                out.link_to_path(path, text, "jump");
            }
        });
    }

    /// The tags of an item.
    pub(crate) fn tag_list(&mut self, title: &str, tags: Vec<(PageId<P::Page>, String)>) {
        if tags.is_empty() {
            return self.notice("No tags yet.");
        }
        match self.theme {
            Theme::New => {
                self.element("h4", "tags-title", title);
                self.html.open("ul", &[("class", "tag-list"), ("id", "thetags")]);
                for (place, name) in &tags {
                    self.open("li", "tag");
                    self.tag_link(*place, name, "tag-link");
                    self.close("li");
                }
                self.close("ul");
            }
            Theme::Middle => {
                self.open("div", "TagBox");
                self.element("h5", "", title);
                for (place, name) in &tags {
                    self.tag_link(*place, name, "Plain");
                    self.raw("<br />\n");
                }
                self.close("div");
            }
            Theme::Old => {
                self.open("p", "kw");
                self.element("b", "", title);
                for (place, name) in &tags {
                    self.text(" ");
                    self.link(*place, name, "kw");
                    self.text(",");
                }
                self.close("p");
            }
        }
    }

    /// Tags, the larger the more they are used.
    pub(crate) fn cloud(&mut self, tags: Vec<(PageId<P::Page>, String, u64)>) {
        let tag = self.by_theme("div", "p", "center");
        self.open(tag, self.by_theme("tag-cloud", "TagCloud", "cloud"));
        for (place, name, count) in tags {
            let size = (12 + count.min(20)).to_string();
            match self.theme {
                Theme::Old => self.html.open("font", &[("size", if count > 4 { "4" } else { "2" })]),
                _ => self.html.open("span", &[("style", &format!("font-size:{size}px"))]),
            }
            self.tag_link(place, &name, self.by_theme("cloud-tag", "", ""));
            self.close(self.by_theme("span", "span", "font"));
            self.text(" ");
        }
        self.close(tag);
    }

    /// People with their pictures.
    pub(crate) fn people(&mut self, people: Vec<(PageId<P::Page>, String, String)>) {
        self.roll(
            self.by_theme("people-list", "contact-list", "people"),
            people,
            |out, (place, name, note)| {
                out.open_link(place, out.by_theme("avatar", "buddyicon", ""));
                let source = "/media/avatar.jpg";
                out.html.open("img", &[("src", source), ("alt", ""), ("width", "48"), ("height", "48")]);
                out.close("a");
                out.link(place, &name, out.by_theme("person-name", "contact", "nick"));
                if !note.is_empty() {
                    out.element("span", out.by_theme("person-note", "info", "i"), &note);
                }
            },
        );
    }
}
