//! A page of the portal world while it is written: frame, links of all five types, anchor texts, encoding.

use super::Portal;
use super::address::{info_name, url};
use super::hosts::{Charset, Coding, Host, HostKind, Said, leaves};
use super::page::{Kind, Page};
use crate::nasty::Setting;
use crate::text::{Language, Prose, TopicId, topics};
use crate::writer::{PageContext, Writer, capitalised};
use crate::{Answer, Dice};

/// The versions of the templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PortalDesign {
    /// Blocks with classes, list and sidebar.
    Blocks,
    /// Nested tables with many small links.
    Tables,
    /// Little markup.
    Bare,
}

impl PortalDesign {
    const ALL: [Self; 3] = [Self::Blocks, Self::Tables, Self::Bare];
}

/// The surroundings of a portal page: host, language, design.
pub(super) struct PortalPlace<'a> {
    pub(super) portal: &'a Portal,
    pub(super) host: &'a Host,
    pub(super) page: Page,
    pub(super) look: PortalDesign,
    coding: Coding,
}

impl PageContext for PortalPlace<'_> {
    const VANISHED: (&'static str, u64) = ("archive", 120);
    const ABSOLUTE: f64 = 0.15;

    fn setting(&self) -> &Setting {
        &self.portal.setting
    }

    fn language(&self) -> Language {
        self.host.language
    }

    fn is_relative(&self) -> bool {
        self.look == PortalDesign::Bare
    }

    fn vanished_word(&self, _dice: Dice) -> &'static str {
        self.say("More", "更多")
    }
}

/// A page of the portal world being written.
pub(super) type PortalWriter<'a> = Writer<PortalPlace<'a>>;

impl<'a> PortalWriter<'a> {
    pub(super) fn at(portal: &'a Portal, host: &'a Host, page: Page) -> Self {
        let dice = host.dice.of("page").at(page.code());
        let version = portal.setting.version(host.dice.of("versions").at(page.channel.into()), 3);
        let look = (host.dice.of("look").below(3) + version) as usize % PortalDesign::ALL.len();
        let look = PortalDesign::ALL.get(look).copied().unwrap_or(PortalDesign::Bare);
        let coding = host.coding(portal.setting.nasty.encodings);
        let place = PortalPlace { portal, host, page, look, coding };
        Self::new(portal.setting.markup(dice), dice, url(&portal.setting, host, page), place)
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
        self.say(&topic.label_en, &topic.label_zh)
    }

    /// Prose about an item's topics, with an aside on something else.
    pub(super) fn prose(&self, channel: u32, item: u32, share: f32) -> Prose {
        let (main, second) = self.host.item_about(channel, item);
        let aside = self.dice.of("aside").below(topics().len() as u64) as u16;
        let topic = |channel: usize, share: f32| leaves().get(channel).map(|leaf| (leaf.topic, share));
        let parts = [
            topic(main, share),
            second.and_then(|second| topic(second, share * 0.5)),
            Some((TopicId(aside), 0.02)),
        ];
        Prose::of(self.host.language, parts.into_iter().flatten().collect())
    }

    pub(super) fn paragraph(&mut self, prose: &Prose, dice: Dice, sentences: u64) {
        self.open("p", "");
        self.sentences(prose, dice, sentences);
        self.close("p");
    }

    pub(super) fn sentences(&mut self, prose: &Prose, dice: Dice, sentences: u64) {
        let text = prose.paragraph_text(dice, sentences as usize);
        self.text(&text);
    }

    /// A link to a page of this host.
    pub(super) fn link(&mut self, to: Page, text: &str, class: &str) {
        let target = url(&self.portal.setting, self.host, to);
        self.link_to(&target, text, class);
    }

    /// A link to an item with one of the usual anchor texts: its title, its topic, or nothing in particular.
    pub(super) fn item_link(&mut self, host: &Host, to: Page, class: &str) {
        let dice = self.dice.of("anchor").at(self.links);
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
                dice.of("nothing").one_of(&nothing).to_owned()
            }
            _ => {
                // Cut as narrow columns do.
                host.title(to).chars().take(8).chain("...".chars()).collect()
            }
        };
        let target = url(&self.portal.setting, host, to);
        self.link_to(&target, &text, class);
    }

    /// Writes the complete page: head, header, navigation, the content, footer.
    pub(super) fn finish(mut self, title: &str, write: impl FnOnce(&mut Self)) -> Answer {
        let site_name = self.site_name();
        self.head(title, &site_name);
        let (open, close) = match self.look {
            PortalDesign::Blocks => ("<div id=\"wrap\"><div class=\"col-main\">\n", "</div></div>\n"),
            PortalDesign::Tables => (
                "<table width=\"950\" align=\"center\"><tr><td class=\"main\" valign=\"top\">\n",
                "</td></tr></table>\n",
            ),
            PortalDesign::Bare => ("<div>\n", "</div>\n"),
        };
        self.raw("<body>\n");
        self.navigation(&site_name);
        self.raw(open);
        self.breadcrumbs();
        self.element(if self.look == PortalDesign::Tables { "h2" } else { "h1" }, "title", title);
        write(&mut self);
        self.raw(close);
        self.tail(&site_name);
        encode(self.coding, &self.html.finish())
    }

    fn head(&mut self, title: &str, site_name: &str) {
        self.raw(match self.look {
            PortalDesign::Blocks => "<!DOCTYPE html>\n<html><head>\n",
            PortalDesign::Tables => {
                "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html><head>\n"
            }
            PortalDesign::Bare => "<html><head>\n",
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
                PortalDesign::Blocks => self.html.open("meta", &[("charset", charset)]),
                _ => self.html.open("meta", &[("http-equiv", "Content-Type"), ("content", &content)]),
            }
            self.raw("\n");
        }
        let joint = self.say(" - ", "_");
        self.element("title", "", &format!("{title}{joint}{site_name}"));
        let (page, channels) = (self.page, matches!(self.page.kind, Kind::Channel | Kind::Item));
        if channels && self.dice.of("keywords").chance(0.6) {
            let keywords = format!("{},{site_name}", self.label(page.channel));
            self.html.open("meta", &[("name", "keywords"), ("content", &keywords)]);
        }
        self.raw("<link rel=\"stylesheet\" href=\"/css/site.css\">\n</head>\n");
    }

    /// The channels in the header of every page, as portals do it: home, branches, some leaves.
    fn navigation(&mut self, site_name: &str) {
        let home = Page::home(self.page.host);
        self.open("div", "top");
        self.link(home, site_name, "logo");
        let host = self.host;
        if host.has_sections() {
            for branch in host.sections().take(14) {
                self.raw(" | ");
                self.link(home.to(Kind::Section, branch, 0), self.branch(branch as usize), "nav");
            }
        } else {
            for channel in host.channels() {
                self.raw(" | ");
                self.link(home.to(Kind::Channel, channel, 0), self.label(channel), "nav");
            }
        }
        self.close("div");
    }

    /// Upward links.
    fn breadcrumbs(&mut self) {
        let (page, home, host) = (self.page, Page::home(self.page.host), self.host);
        if !matches!(page.kind, Kind::Channel | Kind::Item) {
            return;
        }
        self.open("div", "crumbs");
        self.link(home, self.say("Home", "首页"), "");
        let branch = leaves().get(page.channel as usize).map_or(0, |leaf| leaf.branch);
        if host.has_sections() {
            self.text(" > ");
            self.link(home.to(Kind::Section, branch as u32, 0), self.branch(branch), "");
        }
        self.text(" > ");
        self.link(home.to(Kind::Channel, page.channel, 0), self.label(page.channel), "");
        self.close("div");
    }

    fn tail(&mut self, site_name: &str) {
        let (setting, place, home) = (&self.portal.setting, self.dice, Page::home(self.page.host));
        setting.ad(place, "portal", &mut self.html);
        if let Some(login) = setting.login_wall(place, "/") {
            self.html.link(&login, self.say("Log in", "登录"), &[("class", "login")]);
        }
        if let Some(calendar) = setting.calendar(place) {
            self.html.link(&calendar, self.say("By date", "按日期浏览"), &[("class", "cal")]);
        }
        if self.page.kind == Kind::Item
            && let Some(print) = setting.print_view(place, &self.here)
        {
            self.html.link(&print, self.say("Print", "打印本页"), &[("rel", "nofollow")]);
        }
        self.open("div", "footer");
        for info in 0..self.host.infos {
            self.link(home.to(Kind::Info, 0, info), info_name(self.host.language, info), "");
            self.raw(" | ");
        }
        self.link(home.to(Kind::Friends, 0, 0), self.say("Links", "友情链接"), "");
        self.text(&format!(" {} {site_name}", self.say("Copyright", "版权所有")));
        self.close("div");
        self.raw("</body></html>\n");
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

/// The bytes of a page and the charset of its header. Characters that an encoding lacks become character references.
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
