//! Parts that recur inside pages, each as the theme's author would build it.

use std::ops::Range;

use crate::text::Prose;
use crate::{Ablation, Dice};

use super::plan::Plan;
use super::site_map::PageId;
use super::writer::{PageWriter, Theme};

/// The value of a fact.
pub(crate) enum Fact<K> {
    Text(String),
    Links(Vec<(PageId<K>, String)>),
}

/// A comment by a user.
pub(crate) struct Remark<K> {
    pub(crate) author: PageId<K>,
    pub(crate) name: String,
    pub(crate) when: String,
    pub(crate) text: String,
}

/// How many pages a list of `len` entries fills.
pub(crate) fn pages_of(len: u64, per_page: u64) -> u64 {
    len.div_ceil(per_page.max(1)).max(1)
}

/// The entries on a page of a list; pages are counted from 1.
pub(crate) fn span(page: u64, per_page: u64) -> Range<u64> {
    let start = page.saturating_sub(1).saturating_mul(per_page);
    start..start.saturating_add(per_page)
}

impl<P: Plan> PageWriter<'_, P> {
    /// What the page is about for machines, on pages of the newest theme.
    pub(crate) fn json_ld(&mut self, kind: &str, name: &str, (key, value): (&str, &str)) {
        if self.theme != Theme::New {
            return;
        }
        let plain = |text: &str| text.replace(['"', '\\', '<'], "");
        let (name, value) = (plain(name), plain(value));
        self.raw(&format!(
            "<script type=\"application/ld+json\">{{\"@context\":\"http://schema.org\",\"@type\":\"{kind}\",\
             \"name\":\"{name}\",\"{key}\":\"{value}\"}}</script>\n"
        ));
    }

    /// A heading inside the page.
    pub(crate) fn heading(&mut self, text: &str) {
        match self.theme {
            Theme::New => self.element("h2", "section-title", text),
            Theme::Middle => self.element("h3", "", text),
            Theme::Old => {
                self.raw("<br>");
                self.element("b", "sub", text);
                self.raw("<br>\n");
            }
        }
    }

    /// Plain text in paragraphs of `sentences` sentences.
    pub(crate) fn paragraphs(&mut self, prose: &Prose, dice: Dice, paragraphs: u64, sentences: usize) {
        let mut text = String::with_capacity(1024);
        for paragraph in 0..paragraphs {
            text.clear();
            prose.paragraph(dice.of("paragraph").at(paragraph), sentences, &mut text);
            self.element("p", "", &text);
        }
    }

    /// A list: rows of a table, bullets or cards.
    pub(crate) fn roll<T>(
        &mut self,
        class: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let (list, item) = self.by_theme(("section", "article"), ("ul", "li"), ("table", "tr"));
        let (theme, item_class) = (self.theme, format!("{class}-item"));
        let mut items: Vec<T> = items.into_iter().collect();
        if self.reversed {
            items.reverse();
        }
        self.open(list, class);
        for one in items {
            self.open(item, &item_class);
            if theme == Theme::Old {
                self.open("td", "");
            }
            write(self, one);
            if theme == Theme::Old {
                self.close("td");
            }
            self.close(item);
        }
        self.close(list);
    }

    /// Labels and values.
    pub(crate) fn facts(&mut self, class: &str, facts: Vec<(&str, Fact<P::Page>)>) {
        let (list, label, value) =
            self.by_theme(("dl", "dt", "dd"), ("ul", "strong", "span"), ("table", "td", "td"));
        let row = self.by_theme("", "li", "tr");
        self.open(list, class);
        for (name, fact) in facts {
            if !row.is_empty() {
                self.open(row, "");
            }
            self.element(label, "", name);
            self.open(value, "");
            match fact {
                Fact::Text(text) => self.text(&text),
                Fact::Links(links) => self.comma_links(&links),
            }
            self.close(value);
            if !row.is_empty() {
                self.close(row);
            }
        }
        self.close(list);
    }

    fn comma_links(&mut self, links: &[(PageId<P::Page>, String)]) {
        for (index, (place, name)) in links.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            self.link(*place, name, "");
        }
    }

    /// Comments of users, one below the other.
    pub(crate) fn remarks(&mut self, class: &str, remarks: Vec<Remark<P::Page>>) {
        let theme = self.theme;
        self.roll(class, remarks, |out, remark| {
            out.open("div", if theme == Theme::New { "meta" } else { "by" });
            if theme == Theme::Middle {
                out.html.open("img", &[("src", "/media/avatar.jpg"), ("class", "avatar"), ("alt", "")]);
            }
            out.link(remark.author, &remark.name, "author");
            out.element("span", "when", &remark.when);
            out.close("div");
            let tag = if theme == Theme::Old { "font" } else { "p" };
            out.element(tag, "said", &remark.text);
        });
    }

    /// Links to the other pages of this list.
    pub(crate) fn pager(&mut self) {
        let (page, last) = (self.asked, self.plan.last_page(self.page));
        if last <= 1 {
            return;
        }
        let tag = self.by_theme("nav", "div", "p");
        self.open(tag, self.by_theme("pagination", "pages", "nextprev"));
        if page > 1 {
            self.step(page - 1, self.by_theme("Previous", "« prev", "<<"), "prev");
        }
        let near = page.saturating_sub(2)..=page.saturating_add(2);
        let mut shown: Vec<u64> =
            near.chain([1, last, page.saturating_add(10)]).filter(|n| (1..=last).contains(n)).collect();
        shown.sort_unstable();
        shown.dedup();
        for number in shown {
            if number == page {
                self.element("span", "current", &number.to_string());
            } else {
                self.step(number, &number.to_string(), "page");
            }
        }
        if page < last {
            self.step(page + 1, self.by_theme("Next", "next »", ">>"), "next");
        }
        self.close(tag);
    }

    /// A link to a page of this list, where there are eight orders in the order of this page.
    fn step(&mut self, page: u64, text: &str, class: &str) {
        let to = PageId { page, ..self.page };
        let setting = &self.ground().setting;
        let Some(order) = self.order.filter(|_| setting.ablation == Some(Ablation::EightOrders)) else {
            return self.link(to, text, class);
        };
        let mut path = String::with_capacity(48);
        self.plan.path(to, &mut path);
        let joint = if path.contains('?') { '&' } else { '?' };
        self.link_to_path(&format!("{path}{joint}sort={}", order.name(setting)), text, class);
    }

    /// A picture that links to a place.
    pub(crate) fn thumb(&mut self, to: PageId<P::Page>, picture: &str, alt: &str) {
        self.open_link(to, self.by_theme("thumb", "pic", ""));
        let source = format!("/media/{picture}.jpg");
        self.html.open("img", &[("src", &source), ("alt", alt), ("width", "120"), ("height", "90")]);
        self.close("a");
    }

    /// A mark out of ten.
    pub(crate) fn stars(&mut self, tenths: u64) {
        let text = format!("{}.{}/10", tenths / 10, tenths % 10);
        self.element("span", self.by_theme("rating", "stars", "score"), &text);
    }

    /// The text of spammers in place of a contribution.
    pub(crate) fn spam(&mut self, dice: Dice) {
        const OFFERS: [&str; 5] =
            ["cheap watches", "free ringtones", "online pharmacy", "casino bonus", "refinance your home"];
        let host =
            self.ground().setting.host(&format!("ads{}", dice.of("host").below(4)), self.ground().kind);
        for line in 0..dice.between(3, 9) {
            let (dice, campaign) = (dice.at(line), dice.at(line).of("campaign").below(400));
            let offer = dice.one_of(&OFFERS);
            self.open("p", "");
            self.text("Best price! Buy ");
            self.html.link(&format!("http://{host}/click?c={campaign}"), offer, &[]);
            self.text(" now, no risk, worldwide delivery, 100 % satisfaction.");
            self.close("p");
        }
    }

    /// A notice in place of a list.
    pub(crate) fn notice(&mut self, text: &str) {
        self.element(self.by_theme("p", "div", "i"), "notice", text);
    }

    /// A short box beside the page: a heading and links.
    pub(crate) fn side_links(
        &mut self,
        title: &str,
        links: impl IntoIterator<Item = (PageId<P::Page>, String)>,
    ) {
        self.open("div", self.by_theme("widget", "box", "sidebox"));
        self.element(self.by_theme("h4", "h4", "b"), "", title);
        let (list, item) = self.by_theme(("ul", "li"), ("ul", "li"), ("p", "small"));
        self.open(list, "");
        for (place, name) in links {
            self.open(item, "");
            self.link(place, &name, "");
            self.close(item);
        }
        self.close(list);
        self.close("div");
    }
}
