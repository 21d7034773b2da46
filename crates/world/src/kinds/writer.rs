//! A page of a site while it is being written: how links are written, which theme it has, where its dice come from. The
//! outer parts are in [`super::frame`], the recurring inner ones in [`super::pieces`].

use std::ops::Range;

use crate::Dice;
use crate::nasty::Charset;
use crate::site::Answer;
use crate::text::{Language, Prose};
use crate::writer::{Writer, class_attribute};
use osprey_model::PageType;

use super::frame::Head;
use super::ground::Ground;
use super::hosted::{Order, RULES};
use super::pieces::span;
use super::plan::Plan;
use super::site_map::{PageId, PageKind};

/// The number of wordings of the links to one page that occur on a site.
const WORDINGS: u64 = 6;

/// A version of the site's design. Pages made long ago keep the design of their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    /// Articles and sections.
    New,
    /// Nested `div`s.
    Middle,
    /// Tables.
    Old,
}

/// The surroundings of a page on a site of one host.
pub(crate) struct SitePage<'a, P: Plan> {
    pub(crate) plan: &'a P,
    pub(crate) theme: Theme,
    /// Whether lists run the other way.
    pub(crate) reversed: bool,
    pub(crate) page: PageId<P::Page>,
    /// The page of the list that was asked for, which in another order shows the entries of `page`.
    pub(super) asked: u64,
    /// The order of a list, if not the usual one.
    pub(super) order: Option<Order>,
    pub(super) charset: Charset,
}

/// A page of such a site being written.
pub(crate) type PageWriter<'a, P> = Writer<SitePage<'a, P>>;

impl<'a, P: Plan> PageWriter<'a, P> {
    /// The answer for a place.
    pub(super) fn of_page(plan: &'a P, page: PageId<P::Page>, order: Option<Order>) -> Answer {
        let mut here = String::with_capacity(48);
        plan.path(page, &mut here);
        let design = plan.ground().setting.dice.of(page.kind.row().template).at(plan.design_number(page));
        let mut out = Self::at(plan, page, here, design);
        if let Some(order) = order {
            out.order = Some(order);
            out.page = order.shown(plan, page);
            out.reversed = order.is_reversed(&plan.ground().setting);
        }
        plan.write(out.page, &mut out);
        out.end();
        plan.ground().setting.page(out.charset, out.html)
    }

    /// The answer for one of the site's shared rules.
    pub(super) fn of_rule(plan: &'a P, rule: usize) -> Answer {
        let (path, title) = RULES.get(rule).copied().unwrap_or(("/", ""));
        let mut out = Self::at(plan, P::HOME.first(), path.to_owned(), plan.ground().setting.dice.of(path));
        out.begin(&Head::plain(title));
        let prose = Prose::background(Language::English);
        for section in 0..out.dice.between(2, 5) {
            let dice = out.dice.of("section").at(section);
            let heading = prose.title_text(dice);
            out.element("h3", "", &heading);
            out.paragraphs(&prose, dice, 2, 5);
        }
        out.end();
        plan.ground().setting.page(out.charset, out.html)
    }

    fn at(plan: &'a P, page: PageId<P::Page>, here: String, design: Dice) -> Self {
        let setting = &plan.ground().setting;
        let dice = setting.dice.of(&here);
        let theme = match setting.version(design, 3) {
            0 => Theme::New,
            1 => Theme::Middle,
            _ => Theme::Old,
        };
        let (html, charset) = (setting.markup(design), setting.charset(design));
        Self::new(
            html,
            dice,
            here,
            SitePage { plan, theme, reversed: false, page, asked: page.page, order: None, charset },
        )
    }

    pub(crate) fn ground(&self) -> &'a Ground {
        self.plan.ground()
    }

    /// The name of something in this theme: new, middle or old.
    pub(crate) fn by_theme<T>(&self, new: T, middle: T, old: T) -> T {
        match self.theme {
            Theme::New => new,
            Theme::Middle => middle,
            Theme::Old => old,
        }
    }

    /// A link to a page; sometimes followed by one to a page that no longer exists.
    pub(crate) fn link(&mut self, to: PageId<P::Page>, text: &str, class: &str) {
        self.link_as(to, text, class, "");
    }

    /// A link to the page of a tag, marked as such by the designs that know how.
    pub(crate) fn tag_link(&mut self, to: PageId<P::Page>, text: &str, class: &str) {
        self.link_as(to, text, class, self.by_theme("tag", "tag", ""));
    }

    fn link_as(&mut self, to: PageId<P::Page>, text: &str, class: &str, rel: &str) {
        let mut path = String::with_capacity(48);
        self.plan.path(to, &mut path);
        self.open_link_to_path(path, class, rel);
        self.text(text);
        self.close("a");
        let dice = self.dice.of("beside").at(self.links);
        let setting = &self.ground().setting;
        if setting.is_dead(dice) {
            // a deleted page was once linked from many pages
            let gone = self.plan.gone(dice.of("gone").below(setting.pages / 10 + 1));
            self.text(" ");
            self.html.link(&gone, text.split(' ').next().unwrap_or("more"), &[("class", class)]);
        }
    }

    /// The opening tag of a link to a place.
    pub(crate) fn open_link(&mut self, to: PageId<P::Page>, class: &str) {
        let mut path = String::with_capacity(48);
        self.plan.path(to, &mut path);
        self.open_link_to_path(path, class, "");
    }

    /// A link to a root-relative path of the site.
    pub(crate) fn link_to_path(&mut self, path: &str, text: &str, class: &str) {
        self.open_link_to_path(path.to_owned(), class, "");
        self.text(text);
        self.close("a");
    }

    fn open_link_to_path(&mut self, path: String, class: &str, rel: &str) {
        self.links += 1;
        let setting = &self.ground().setting;
        // Each link has only a few wordings on a site; a new session or detour with every link would hide it.
        let wording = setting.dice.of("wording").of(&path).at(self.dice.of("wording").below(WORDINGS));
        let href = match setting.dressed(wording, &path) {
            dressed if dressed != path.as_str() => dressed.into_owned(),
            _ => self.spelled(self.dice.of("link").at(self.links), path),
        };
        let rel = (if rel.is_empty() { "" } else { "rel" }, rel);
        self.html.open_link(&href, &[class_attribute(class), rel]);
    }

    /// The same reference with the spelling of a template's author.
    fn spelled(&self, dice: Dice, path: String) -> String {
        match dice.of("spelling").below(10) {
            0..2 => format!("{}{path}", self.ground().origin),
            2..5 => {
                let directory =
                    self.here.split('?').next().and_then(|path| path.rfind('/')).map_or(0, |at| at + 1);
                let folder = self.here.get(..directory).unwrap_or("/");
                match path.strip_prefix(folder) {
                    Some(rest) if directory > 1 && !rest.is_empty() && !rest.starts_with(['?', '/']) => {
                        rest.to_owned()
                    }
                    _ => path,
                }
            }
            _ => path,
        }
    }

    /// The entries on this page of its list.
    pub(crate) fn span(&self, per_page: u64) -> Range<u64> {
        span(self.page.page, per_page)
    }

    /// The topic of the page, or any for a page without one.
    pub(crate) fn topic_or_any(&self, dice: Dice) -> usize {
        let topic = self.plan.class(self.page.kind.row().class).topic(self.page.id);
        topic.unwrap_or_else(|| dice.of("topic").below(self.ground().topic_count()) as usize)
    }

    /// Whether this page is a list.
    pub(super) fn is_list(&self) -> bool {
        self.page.kind.row().page_type == PageType::List
    }
}
