//! The outer parts of every page in three designs: head, header, navigation, side boxes, footer. Their text is in
//! `data/{new,middle,old}.html`; the code here fills in what is drawn.

use std::sync::LazyLock;

use super::hosted::{RULES, sorts};
use super::plan::Plan;
use super::site_map::{PageId, PageKind};
use super::writer::{PageWriter, Theme};
use crate::Ablation;
use crate::writer::Template;

/// The frames: whole pages with holes, split where the page's content goes. Most of a small page's bytes are
/// boilerplate, as on real sites.
static FRAMES: LazyLock<[[Template; 2]; 3]> = LazyLock::new(|| {
    let frames = [
        include_str!("../../data/new.html"),
        include_str!("../../data/middle.html"),
        include_str!("../../data/old.html"),
    ];
    frames.map(|frame| {
        let (above, below) = frame.split_once("[[content]]").unwrap_or((frame, ""));
        [Template::new(above), Template::new(below)]
    })
});

/// Style sheets that designs carry in every page.
const STYLES: [&str; 3] = [include_str!("../../data/new.css"), include_str!("../../data/middle.css"), ""];

/// What the head of a page contains.
pub(crate) struct Head<'a, K> {
    pub(crate) title: &'a str,
    /// `og:type`, for pages that carry OpenGraph.
    pub(crate) og_type: &'a str,
    /// For the `description` that some pages have.
    pub(crate) about: &'a str,
    /// The way from the start page.
    pub(crate) crumbs: Vec<(PageId<K>, String)>,
}

impl<'a, K> Head<'a, K> {
    /// A head with a title only.
    pub(crate) fn plain(title: &'a str) -> Self {
        Self { title, og_type: "", about: "", crumbs: Vec::new() }
    }

    /// A head with a title and one crumb.
    pub(crate) fn under(title: &'a str, parent: PageId<K>, name: impl Into<String>) -> Self {
        Self { title, og_type: "", about: "", crumbs: vec![(parent, name.into())] }
    }
}

impl<P: Plan> PageWriter<'_, P> {
    /// Everything above the main part, its heading included.
    pub(crate) fn begin(&mut self, head: &Head<'_, P::Page>) {
        let [new, middle, old] = &*FRAMES;
        let [above, _] = self.by_theme(new, middle, old);
        self.fill(above, |out, hole| out.above(hole, head));
    }

    /// Everything below the main part.
    pub(crate) fn end(&mut self) {
        let [new, middle, old] = &*FRAMES;
        let [_, below] = self.by_theme(new, middle, old);
        self.fill(below, Self::below);
    }

    fn above(&mut self, hole: &str, head: &Head<'_, P::Page>) {
        match hole {
            "charset" if self.theme == Theme::New => {
                let charset = self.charset.label();
                self.html.open("meta", &[("charset", charset)]);
            }
            "charset" => self.text(self.charset.label()),
            "title" => self.element("title", "", &format!("{} - {}", head.title, P::BRAND)),
            "meta" => self.meta(head),
            "style" => {
                let [new, middle, old] = STYLES;
                self.raw(self.by_theme(new, middle, old));
            }
            "brand" => self.brand(P::BRAND),
            "menu" => self.menu(),
            "account" => self.account(),
            "beside" => self.beside(),
            "crumbs" => self.crumbs(head),
            _ => match self.theme {
                Theme::New => self.element("h1", "page-title", head.title),
                Theme::Middle => self.element("h2", "title", head.title),
                Theme::Old => self.within("center", "", |out| out.element("b", "hd", head.title)),
            },
        }
    }

    fn below(&mut self, hole: &str) {
        match hole {
            "tools" => self.tools(),
            "beside" => self.beside(),
            "foot menu" => {
                for (page, name) in self.plan.menu() {
                    self.link(page, &name, self.by_theme("foot-nav", "footnav", ""));
                    self.raw(self.by_theme("", " / ", ""));
                }
            }
            _ => {
                for (path, title) in RULES {
                    if self.theme == Theme::New {
                        self.open("li", "");
                    }
                    self.link_to_path(path, title, self.by_theme("", "footlink", ""));
                    match self.theme {
                        Theme::New => self.close("li"),
                        Theme::Middle => self.raw(" &middot; "),
                        Theme::Old => self.raw(" | "),
                    }
                }
            }
        }
    }

    fn menu(&mut self) {
        for (page, name) in self.plan.menu() {
            match self.theme {
                Theme::New => self.within("li", "", |out| out.link(page, &name, "nav-link")),
                Theme::Middle => {
                    self.link(page, &name, "tab");
                    self.raw(" <span class=\"sep\">|</span> ");
                }
                Theme::Old => {
                    self.raw("<font size=2>&raquo; ");
                    self.link(page, &name, "");
                    self.raw("</font><br>\n");
                }
            }
        }
    }

    /// The `meta` elements.
    fn meta(&mut self, head: &Head<'_, P::Page>) {
        if !head.about.is_empty() && self.of("description").chance(0.7) {
            self.html.open("meta", &[("name", "description"), ("content", head.about)]);
        }
        if !head.og_type.is_empty() && self.theme == Theme::New {
            for (property, content) in
                [("og:title", head.title), ("og:type", head.og_type), ("og:site_name", P::BRAND)]
            {
                self.html.open("meta", &[("property", property), ("content", content)]);
            }
        }
    }

    fn brand(&mut self, brand: &str) {
        self.open_link(P::HOME.first(), "logo");
        match self.theme {
            Theme::New => self.element("strong", "", brand),
            _ => self.html.open("img", &[("src", "/media/logo.jpg"), ("alt", brand), ("border", "0")]),
        }
        self.close("a");
    }

    /// The corner with the login link, on pages that have one.
    fn account(&mut self) {
        let next = self.by_theme(self.here.as_str(), "/", "/");
        if let Some(href) = self.ground().setting.login_wall(self.dice, next) {
            self.open("div", self.by_theme("account", "userbar", "login"));
            self.html.link(&href, "Log in", &[("class", "login-link")]);
            self.close("div");
        }
    }

    fn crumbs(&mut self, head: &Head<'_, P::Page>) {
        if head.crumbs.is_empty() {
            return;
        }
        let tag = self.by_theme("ol", "div", "p");
        self.open(tag, self.by_theme("breadcrumb", "crumbs", "path"));
        for (place, name) in &head.crumbs {
            if self.theme == Theme::New {
                self.open("li", "");
            }
            self.link(*place, name, "");
            self.raw(self.by_theme("</li>", " &raquo; ", " &gt; "));
        }
        self.close(tag);
    }

    fn beside(&mut self) {
        self.plan.aside(self);
        let (ground, dice) = (self.ground(), self.dice.of("beside"));
        if let Some(href) = ground.setting.calendar(dice) {
            self.open("div", "events");
            self.html.link(&href, "Calendar of events", &[]);
            self.close("div");
        }
        ground.setting.ad(dice, ground.kind, &mut self.html);
    }

    /// Print view and other orders, where a page offers them.
    fn tools(&mut self) {
        let (ground, is_list) = (self.ground(), self.is_list());
        let is_usual = P::ALWAYS_SORTED && ground.setting.nasty.near_duplicates > 0.0;
        let has_orders = is_usual || ground.setting.ablation == Some(Ablation::EightOrders);
        if is_list && (has_orders || self.of("sort").chance(ground.setting.nasty.near_duplicates * 5.0)) {
            let joint = if self.here.contains('?') { '&' } else { '?' };
            self.open("div", "sort-by");
            self.text("Sort by");
            for name in sorts(&ground.setting) {
                self.html.link(&format!("{}{joint}sort={name}", self.here), name, &[("class", "sort")]);
            }
            self.close("div");
        } else if let Some(href) = ground.setting.print_view(self.dice, &self.here).filter(|_| !is_list) {
            self.html.link(&href, "Printable version", &[("rel", "nofollow"), ("class", "print")]);
        }
    }
}
