//! The outer parts of every page in three designs: head, header, navigation, what stands beside, footer.

use super::hosted::{RULES, SORTS};
use super::plan::Plan;
use super::sheet::{PageWriter, Theme};
use super::site_map::{PageId, PageKind};

/// What counts visitors at the end of newer pages.
const COUNTER: &str = "<script type=\"text/javascript\">\n//<![CDATA[\nvar _stats = _stats || [];\n\
    _stats.push(['account', 'UA-0000-1']);\n_stats.push(['page']);\n(function () {\n  var s = \
    document.createElement('script');\n  s.async = true;\n  s.src = '/media/stats.js';\n  var first = \
    document.getElementsByTagName('script')[0];\n  first.parentNode.insertBefore(s, first);\n})();\n//]]>\n</script>\n\
    <noscript><img src=\"/media/pixel.jpg\" width=\"1\" height=\"1\" alt=\"\"></noscript>\n";

/// Style sheets that designs carry in every page, as real ones do: most of a small page's bytes say nothing.
const NEW_STYLE: &str = include_str!("../../data/new.css");
const MIDDLE_STYLE: &str = include_str!("../../data/middle.css");

/// What the head of a page says.
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
        let (brand, menu) = (P::BRAND, self.plan.menu());
        self.head(head, brand);
        match self.theme {
            Theme::New => {
                self.raw("<body>\n<header class=\"site-header\"><div class=\"inner\">\n");
                self.brand(brand);
                self.raw("<nav class=\"main-nav\" role=\"navigation\"><ul>\n");
                for (place, name) in &menu {
                    self.open("li", "");
                    self.link(*place, name, "nav-link");
                    self.close("li");
                }
                self.raw("</ul></nav>\n");
                self.search();
                self.account();
                self.raw("</div></header>\n<main class=\"page\">\n");
                self.crumbs(head);
                self.element("h1", "page-title", head.title);
            }
            Theme::Middle => {
                self.raw("<body>\n<div id=\"wrapper\"><div id=\"header\">\n");
                self.brand(brand);
                self.account();
                self.search();
                self.raw("<div id=\"menu\">\n");
                for (place, name) in &menu {
                    self.link(*place, name, "tab");
                    self.raw(" <span class=\"sep\">|</span> ");
                }
                self.raw("</div></div>\n<div id=\"content\"><div id=\"left-col\">\n");
                self.crumbs(head);
                self.element("h2", "title", head.title);
            }
            Theme::Old => {
                self.raw("<body bgcolor=\"#ffffff\" text=\"#000000\">\n");
                self.raw("<table width=\"100%\" class=\"top\"><tr><td>");
                self.brand(brand);
                self.raw("</td><td align=right>");
                self.search();
                self.account();
                self.raw("</td></tr></table>\n<table width=\"100%\"><tr valign=top><td class=\"side\">\n");
                for (place, name) in &menu {
                    self.raw("<font size=2>&raquo; ");
                    self.link(*place, name, "");
                    self.raw("</font><br>\n");
                }
                self.beside();
                self.raw("</td><td class=\"main\">\n");
                self.crumbs(head);
                self.open("center", "");
                self.element("b", "hd", head.title);
                self.close("center");
            }
        }
    }

    /// Everything below the main part.
    pub(crate) fn end(&mut self) {
        self.tools();
        self.share();
        let menu = self.plan.menu();
        match self.theme {
            Theme::New => {
                self.raw("</main>\n<aside class=\"sidebar\">\n");
                self.beside();
                self.raw("</aside>\n<footer class=\"site-footer\"><div class=\"site-map\">\n");
                for (place, name) in &menu {
                    self.link(*place, name, "foot-nav");
                }
                self.raw("</div><ul class=\"foot-links\">\n");
                for (path, title) in RULES {
                    self.open("li", "");
                    self.link_to_path(path, title, "");
                    self.close("li");
                }
                self.raw("</ul><small>&copy; 1999-2013. All opinions are those of their authors.</small>");
                self.raw("</footer>\n");
                self.raw(COUNTER);
                self.raw("</body></html>\n");
            }
            Theme::Middle => {
                self.raw("</div><div id=\"right-col\">\n");
                self.beside();
                self.raw("</div></div>\n<div id=\"footer\"><p>\n");
                for (place, name) in &menu {
                    self.link(*place, name, "footnav");
                    self.raw(" / ");
                }
                self.raw("</p><p>\n");
                for (path, title) in RULES {
                    self.link_to_path(path, title, "footlink");
                    self.raw(" &middot; ");
                }
                self.raw("</p></div></div>\n");
                self.raw(COUNTER);
                self.raw("</body></html>\n");
            }
            Theme::Old => {
                self.raw("</td></tr></table>\n<hr><center><font size=1>\n");
                for (path, title) in RULES {
                    self.link_to_path(path, title, "");
                    self.raw(" | ");
                }
                self.raw("</font></center>\n</body></html>\n");
            }
        }
    }

    fn head(&mut self, head: &Head<'_, P::Page>, brand: &str) {
        self.raw(self.by_theme(
            "<!DOCTYPE html>\n<html lang=\"en\"><head>\n",
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \
             \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n<html><head>\n",
            "<HTML><HEAD>\n",
        ));
        let charset = self.charset.label();
        match self.theme {
            Theme::New => self.html.open("meta", &[("charset", charset)]),
            _ => self.raw(&format!(
                "<meta http-equiv=\"Content-Type\" content=\"text/html; charset={charset}\">\n"
            )),
        }
        self.element("title", "", &format!("{} - {brand}", head.title));
        if !head.about.is_empty() && self.of("description").chance(0.7) {
            self.html.open("meta", &[("name", "description"), ("content", head.about)]);
        }
        if !head.og_type.is_empty() && self.theme == Theme::New {
            self.html.open("meta", &[("property", "og:title"), ("content", head.title)]);
            self.html.open("meta", &[("property", "og:type"), ("content", head.og_type)]);
            self.html.open("meta", &[("property", "og:site_name"), ("content", brand)]);
        }
        self.raw(self.by_theme(
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <link rel=\"stylesheet\" href=\"/media/site-v3.css\">\n<link rel=\"icon\" href=\"/media/icon.jpg\">\n\
             <link rel=\"apple-touch-icon\" href=\"/media/touch.jpg\">\n<script src=\"/media/site-v3.js\" defer></script>\n\
             <script>window.site = {\"v\": 3, \"lang\": \"en\", \"ads\": true, \"slots\": [\"top\", \"side\", \"foot\"]};</script>",
            "<link rel=\"stylesheet\" type=\"text/css\" href=\"/media/style.css\" />\n\
             <link rel=\"shortcut icon\" href=\"/media/icon.jpg\" />\n\
             <!--[if IE 6]><link rel=\"stylesheet\" type=\"text/css\" href=\"/media/ie6.css\" /><![endif]-->\n\
             <script type=\"text/javascript\" src=\"/media/prototype.js\"></script>\n\
             <script type=\"text/javascript\" src=\"/media/menu.js\"></script>",
            "<style>td { font: 11px verdana }</style>",
        ));
        let style = self.by_theme(NEW_STYLE, MIDDLE_STYLE, "");
        if !style.is_empty() {
            self.raw(self.by_theme("\n<style>\n", "\n<style type=\"text/css\">\n", ""));
            self.raw(style);
            self.raw("</style>");
        }
        self.raw("\n</head>\n");
    }

    /// The search form. Its results are nobody's pages: robots are kept out.
    fn search(&mut self) {
        self.raw(self.by_theme(
            "<form class=\"search\" action=\"/search\" role=\"search\"><input type=\"search\" name=\"q\" \
             placeholder=\"Search titles, people, topics\" aria-label=\"Search\"><button type=\"submit\" \
             class=\"btn btn-primary\"><i class=\"icon-search\"></i><span>Search</span></button></form>\n",
            "<div id=\"searchbox\"><form action=\"/search\" method=\"get\"><input type=\"hidden\" name=\"utf8\" value=\"1\" />\
             <select name=\"in\"><option value=\"all\">Everything</option><option value=\"new\">New this week</option>\
             <option value=\"top\">Best rated</option></select><input type=\"text\" name=\"q\" size=\"24\" />\
             <input type=\"submit\" value=\"Go\" /></form></div>\n",
            "<form action=/search><font size=2>Search: <input name=q size=14><input type=submit value=Go></font></form>\n",
        ));
    }

    /// Buttons of other networks and the newsletter.
    fn share(&mut self) {
        self.raw(self.by_theme(
            "<div class=\"share-bar\"><span class=\"share-label\">Share this page with your friends</span>\
             <button class=\"share-button\" data-network=\"mail\">Mail</button><button class=\"share-button\" \
             data-network=\"chat\">Chat</button><button class=\"share-button\" data-network=\"feed\">Feed</button></div>\n\
             <section class=\"newsletter\"><h4>Never miss anything</h4><p>Get the best of the week by mail. No spam, \
             and you can leave at any time.</p><form action=\"/subscribe\" method=\"post\"><input type=\"email\" \
             name=\"mail\" placeholder=\"Your address\"><button type=\"submit\">Subscribe</button></form></section>\n",
            "<div class=\"bookmark\"><b>Bookmark:</b> <span class=\"bm1\"></span><span class=\"bm2\"></span>\
             <span class=\"bm3\"></span> <em>Tell a friend about this page</em></div><div class=\"clear\"></div>\n",
            "<br clear=all><font size=1 color=gray>Tell a friend about this page!</font><br>\n",
        ));
    }

    fn brand(&mut self, brand: &str) {
        self.open_link(P::HOME.first(), "logo");
        match self.theme {
            Theme::New => self.element("strong", "", brand),
            _ => self.html.open("img", &[("src", "/media/logo.jpg"), ("alt", brand), ("border", "0")]),
        }
        self.close("a");
    }

    /// The corner where visitors are asked to log in, on the pages that ask.
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
        if is_list && self.of("sort").chance(ground.setting.nasty.near_duplicates * 5.0) {
            let joint = if self.here.contains('?') { '&' } else { '?' };
            self.open("div", "sort-by");
            self.text("Sort by");
            for name in SORTS {
                self.html.link(&format!("{}{joint}sort={name}", self.here), name, &[("class", "sort")]);
            }
            self.close("div");
        } else if let Some(href) = ground.setting.print_view(self.dice, &self.here).filter(|_| !is_list) {
            self.html.link(&href, "Printable version", &[("rel", "nofollow"), ("class", "print")]);
        }
    }
}
