//! A page of the portal world while it is written: frame, links of all five types, anchor texts, encoding.

use super::Portal;
use super::address::{info_name, url};
use super::hosts::{Charset, Coding, Host, HostKind, Said, leaves};
use super::page::{Kind, Page};
use crate::markup::Markup;
use crate::text::{Language, Prose, TopicId, branches, topics};
use crate::{Answer, Dice};

/// How many pages of a host were there once and are linked still.
const VANISHED: u64 = 120;

/// The versions of the templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Blocks with classes, list and sidebar.
    Blocks,
    /// Nested tables with many small links.
    Tables,
    /// Little markup.
    Bare,
}

impl Look {
    const ALL: [Self; 3] = [Self::Blocks, Self::Tables, Self::Bare];
}

/// A page being written.
pub(super) struct Sheet<'a> {
    pub(super) portal: &'a Portal,
    pub(super) host: &'a Host,
    pub(super) page: Page,
    pub(super) place: Dice,
    pub(super) look: Look,
    pub(super) html: Markup,
    coding: Coding,
    url: String,
    scratch: String,
    links: u64,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(portal: &'a Portal, host: &'a Host, page: Page) -> Self {
        let place = host.dice.of("page").at(page.code());
        let version = portal.setting.version(host.dice.of("versions").at(page.channel.into()), 3);
        let look = (host.dice.of("look").below(3) + version) as usize % Look::ALL.len();
        Self {
            portal,
            host,
            page,
            place,
            look: Look::ALL.get(look).copied().unwrap_or(Look::Bare),
            html: portal.setting.markup(place),
            coding: host.coding(portal.setting.nasty.encodings),
            url: url(&portal.setting, host, page),
            scratch: String::new(),
            links: 0,
        }
    }

    /// One of two texts, by the language of the host.
    pub(super) fn say(&self, english: &'static str, chinese: &'static str) -> &'static str {
        if self.host.language == Language::Chinese { chinese } else { english }
    }

    /// The host's name, as people say it.
    pub(super) fn site_name(&self) -> String {
        let name = self.host.label.split('-').next().unwrap_or("net");
        match self.host.language {
            Language::English => format!("{} {}", capitalised(name), self.host.id),
            Language::Chinese => match leaves().get(self.host.centre).map(|leaf| leaf.branch) {
                Some(branch) if self.host.kind != HostKind::General => {
                    format!("{}网 {name}", self.branch(branch))
                }
                _ => format!("综合门户 {name}"),
            },
        }
    }

    pub(super) fn label(&self, channel: u32) -> &'static str {
        let Some(topic) =
            leaves().get(channel as usize).and_then(|leaf| topics().get(usize::from(leaf.topic.0)))
        else {
            return "";
        };
        if self.host.language == Language::Chinese { &topic.label_zh } else { &topic.label_en }
    }

    pub(super) fn branch(&self, branch: usize) -> &'static str {
        let Some(branch) = branches().get(branch) else { return "" };
        if self.host.language == Language::Chinese { &branch.label_zh } else { &branch.label_en }
    }

    /// Prose about an item's topics, with an aside on something else.
    pub(super) fn prose(&self, channel: u32, item: u32, share: f32) -> Prose {
        let (main, second) = self.host.item_about(channel, item);
        let aside = self.place.of("aside").below(topics().len() as u64) as u16;
        let topic = |channel: usize, share: f32| leaves().get(channel).map(|leaf| (leaf.topic, share));
        let parts = [
            topic(main, share),
            second.and_then(|second| topic(second, share * 0.5)),
            Some((TopicId(aside), 0.02)),
        ];
        Prose { language: self.host.language, mixture: parts.into_iter().flatten().collect() }
    }

    pub(super) fn paragraph(&mut self, prose: &Prose, dice: Dice, sentences: u64) {
        self.html.open("p", &[]);
        self.sentences(prose, dice, sentences);
        self.html.close("p");
    }

    pub(super) fn sentences(&mut self, prose: &Prose, dice: Dice, sentences: u64) {
        self.scratch.clear();
        prose.paragraph(dice, sentences as usize, &mut self.scratch);
        self.html.text(&self.scratch);
    }

    /// A link to a page of this host.
    pub(super) fn link(&mut self, to: Page, text: &str, class: &str) {
        let target = url(&self.portal.setting, self.host, to);
        self.link_to(&target, text, class);
    }

    /// A link as this author writes it: relative where that works, from the root, or with the host.
    pub(super) fn link_to(&mut self, target: &str, text: &str, class: &str) {
        self.links += 1;
        let (setting, place) = (&self.portal.setting, self.place.of("link").at(self.links));
        let origin = origin(&self.url);
        let path = target.strip_prefix(origin).filter(|path| path.starts_with('/'));
        let directory = self.url.rfind('/').and_then(|at| self.url.get(..=at)).unwrap_or_default();
        let is_relative = self.look == Look::Bare && !self.url.contains('?');
        let below = target.strip_prefix(directory).filter(|rest| is_relative && is_plain_reference(rest));
        let class = if class.is_empty() { ("", "") } else { ("class", class) };
        if setting.is_dead(place) {
            let gone = format!("{origin}/archive/{}.html", place.of("gone").below(VANISHED));
            self.html.link(&gone, self.say("More", "更多"), &[class]);
        }
        let href = match (below, path) {
            (Some(below), _) => below.into(),
            (None, Some(path)) if !place.of("absolute").chance(0.15) => setting.dressed(place, path),
            _ => setting.dressed(place, target),
        };
        self.html.link(&href, text, &[class]);
    }

    /// A link to an item with one of the usual anchor texts: its title, its topic, or nothing in particular.
    pub(super) fn item_link(&mut self, host: &Host, to: Page, class: &str) {
        let dice = self.place.of("anchor").at(self.links);
        let (main, _) = host.item_about(to.channel, to.a);
        let text = match dice.below(20) {
            0..=11 => host.title(to),
            12..=13 => self.label(main as u32).to_owned(),
            14 => format!("{} {}", self.label(to.channel), dice.of("n").below(1000)),
            15..=17 => {
                let nothing = match self.host.language {
                    Language::English => ["click here", "more", "read on", "this page", "link"],
                    Language::Chinese => ["更多", "点击进入", "查看详情", "原文", "链接"],
                };
                dice.of("nothing").pick(&nothing).copied().unwrap_or_default().to_owned()
            }
            _ => {
                // Cut as narrow columns do.
                host.title(to).chars().take(8).chain("...".chars()).collect()
            }
        };
        let target = url(&self.portal.setting, host, to);
        self.link_to(&target, &text, class);
    }

    /// Writes the whole page: head, header, navigation, the content, footer.
    pub(super) fn finish(mut self, title: &str, write: impl FnOnce(&mut Self)) -> Answer {
        let site_name = self.site_name();
        self.head(title, &site_name);
        let (open, close) = match self.look {
            Look::Blocks => ("<div id=\"wrap\"><div class=\"col-main\">\n", "</div></div>\n"),
            Look::Tables => (
                "<table width=\"950\" align=\"center\"><tr><td class=\"main\" valign=\"top\">\n",
                "</td></tr></table>\n",
            ),
            Look::Bare => ("<div>\n", "</div>\n"),
        };
        self.html.raw("<body>\n");
        self.navigation(&site_name);
        self.html.raw(open);
        self.breadcrumbs();
        self.html.element(if self.look == Look::Tables { "h2" } else { "h1" }, &[("class", "title")], title);
        write(&mut self);
        self.html.raw(close);
        self.tail(&site_name);
        let Self { coding, html, .. } = self;
        encode(coding, &html.finish())
    }

    fn head(&mut self, title: &str, site_name: &str) {
        self.html.raw(match self.look {
            Look::Blocks => "<!DOCTYPE html>\n<html><head>\n",
            Look::Tables => {
                "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html><head>\n"
            }
            Look::Bare => "<html><head>\n",
        });
        let charset = match (self.coding.said, self.coding.charset) {
            (Said::Nowhere, _) => None,
            (Said::MetaWrong, Charset::Gbk) => Some("utf-8"),
            (Said::MetaWrong, _) => Some("gb2312"),
            (_, charset) => Some(charset.label()),
        };
        if let Some(charset) = charset {
            let content = format!("text/html; charset={charset}");
            match self.look {
                Look::Blocks => self.html.open("meta", &[("charset", charset)]),
                _ => self.html.open("meta", &[("http-equiv", "Content-Type"), ("content", &content)]),
            }
            self.html.raw("\n");
        }
        let joint = self.say(" - ", "_");
        self.html.element("title", &[], &format!("{title}{joint}{site_name}"));
        let (page, channels) = (self.page, matches!(self.page.kind, Kind::Channel | Kind::Item));
        if channels && self.place.of("keywords").chance(0.6) {
            let keywords = format!("{},{site_name}", self.label(page.channel));
            self.html.open("meta", &[("name", "keywords"), ("content", &keywords)]);
        }
        self.html.raw("<link rel=\"stylesheet\" href=\"/css/site.css\">\n</head>\n");
    }

    /// The channels in the header of every page, as portals do it: home, branches, some leaves.
    fn navigation(&mut self, site_name: &str) {
        let home = Page::home(self.page.host);
        self.html.open("div", &[("class", "top")]);
        self.link(home, site_name, "logo");
        let host = self.host;
        if host.has_sections() {
            for branch in host.sections().take(14) {
                self.html.raw(" | ");
                self.link(home.to(Kind::Section, branch, 0), self.branch(branch as usize), "nav");
            }
        } else {
            for channel in host.channels() {
                self.html.raw(" | ");
                self.link(home.to(Kind::Channel, channel, 0), self.label(channel), "nav");
            }
        }
        self.html.close("div");
    }

    /// Upward links.
    fn breadcrumbs(&mut self) {
        let (page, home, host) = (self.page, Page::home(self.page.host), self.host);
        if !matches!(page.kind, Kind::Channel | Kind::Item) {
            return;
        }
        self.html.open("div", &[("class", "crumbs")]);
        self.link(home, self.say("Home", "首页"), "");
        let branch = leaves().get(page.channel as usize).map_or(0, |leaf| leaf.branch);
        if host.has_sections() {
            self.html.text(" > ");
            self.link(home.to(Kind::Section, branch as u32, 0), self.branch(branch), "");
        }
        self.html.text(" > ");
        self.link(home.to(Kind::Channel, page.channel, 0), self.label(page.channel), "");
        self.html.close("div");
    }

    fn tail(&mut self, site_name: &str) {
        let (setting, place, home) = (&self.portal.setting, self.place, Page::home(self.page.host));
        setting.ad(place, "portal", &mut self.html);
        if let Some(login) = setting.login_wall(place, "/") {
            self.html.link(&login, self.say("Log in", "登录"), &[("class", "login")]);
        }
        if let Some(calendar) = setting.calendar(place) {
            self.html.link(&calendar, self.say("By date", "按日期浏览"), &[("class", "cal")]);
        }
        if self.page.kind == Kind::Item
            && let Some(print) = setting.print_view(place, &self.url)
        {
            self.html.link(&print, self.say("Print", "打印本页"), &[("rel", "nofollow")]);
        }
        self.html.open("div", &[("class", "footer")]);
        for info in 0..self.host.infos {
            self.link(home.to(Kind::Info, 0, info), info_name(self.host.language, info), "");
            self.html.raw(" | ");
        }
        self.link(home.to(Kind::Friends, 0, 0), self.say("Links", "友情链接"), "");
        self.html.text(&format!(" {} {site_name}", self.say("Copyright", "版权所有")));
        self.html.close("div");
        self.html.raw("</body></html>\n");
    }
}

impl Charset {
    fn label(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Gbk => "gb2312",
            Self::Windows1252 => "iso-8859-1",
        }
    }
}

/// The bytes of a page and what its header says of them. What an encoding lacks becomes a character reference.
fn encode(coding: Coding, html: &str) -> Answer {
    let encoding = match coding.charset {
        Charset::Utf8 => encoding_rs::UTF_8,
        Charset::Gbk => encoding_rs::GBK,
        Charset::Windows1252 => encoding_rs::WINDOWS_1252,
    };
    let header = match coding.said {
        Said::Both | Said::MetaWrong => format!("text/html; charset={}", coding.charset.label()),
        Said::HeaderWrong => "text/html; charset=ISO-8859-1".to_owned(),
        Said::Meta | Said::Nowhere => "text/html".to_owned(),
    };
    Answer::new(200, &header, encoding.encode(html).0.into_owned())
}

/// `http://host` of a URL.
fn origin(url: &str) -> &str {
    let path_at = url.find("://").and_then(|at| Some(at + 3 + url.get(at + 3..)?.find('/')?));
    url.get(..path_at.unwrap_or(url.len())).unwrap_or_default()
}

/// Whether a reference may stand alone: not empty, no query, nothing that reads as a scheme.
fn is_plain_reference(rest: &str) -> bool {
    !rest.is_empty() && !rest.starts_with('/') && !rest.contains([':', '?'])
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
