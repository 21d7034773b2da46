//! The content of the portal world's pages: directories, articles, threads, companies, partner links.
//!
//! Links have topical locality (linked pages share a topic far more often than by chance, but not always): within a
//! host most lead down to items or to siblings, sideways ones prefer the same branch, outward ones the same topic.

use super::address::{info_name, url};
use super::hosts::{HostKind, leaves, near_channel};
use super::page::{ITEMS_PER_LIST, Kind, Page};
use super::writer::{PortalDesign, PortalWriter};
use crate::text::{Prose, handle_in};
use crate::writer::PageContext;

impl PortalWriter<'_> {
    /// The title of the page.
    pub(super) fn heading(&self) -> String {
        let page = self.page;
        match page.kind {
            Kind::Home => self.site_name(),
            Kind::Info => info_name(self.host.language, page.a).to_owned(),
            Kind::Friends => self.say("Links", "友情链接").to_owned(),
            Kind::Section => {
                format!("{}{}", self.branch(page.channel as usize), self.say(" directory", "频道"))
            }
            Kind::Channel if page.a == 0 => self.label(page.channel).to_owned(),
            Kind::Channel => format!("{} ({})", self.label(page.channel), page.a + 1),
            Kind::Item => self.host.title(page),
            Kind::User => self.user_name(page.a),
        }
    }

    fn user_name(&self, user: u32) -> String {
        handle_in(self.host.language, self.host.dice.of("user").at(user.into()))
    }

    /// Headlines of every channel: the widest page of a host.
    pub(super) fn home(&mut self) {
        let host = self.host;
        let channels: Vec<u32> = host.channels().collect();
        for channel in channels {
            self.box_of(channel, 4);
        }
        self.outward(3);
        self.friend_links(6);
    }

    /// A channel's name and a few of its items.
    fn box_of(&mut self, channel: u32, count: u64) {
        let (host, home) = (self.host, Page::home(self.page.host));
        self.open("div", "box");
        self.open("h3", "");
        self.link(home.to(Kind::Channel, channel, 0), self.label(channel), "channel");
        self.close("h3");
        self.open("ul", "");
        for n in 0..count.min(host.items(channel).into()) {
            // The newest are in the boxes; some old ones are pinned.
            let item =
                self.dice.of("box").at(channel.into()).at(n).zipf(host.items(channel).into(), 1.1) as u32;
            self.open("li", "");
            self.item_link(host, home.to(Kind::Item, channel, item), "");
            self.close("li");
        }
        self.close("ul");
        self.close("div");
    }

    /// A branch of the directory: its channels with what they are about.
    pub(super) fn section(&mut self) {
        let (host, branch) = (self.host, self.page.channel);
        let channels: Vec<u32> = host.channels_of(branch).collect();
        for channel in channels {
            self.box_of(channel, 8);
            let Some(topic) = leaves().get(channel as usize).map(|leaf| leaf.topic) else { continue };
            let prose = Prose::of(host.language, vec![(topic, 0.12)]);
            self.paragraph(&prose, self.dice.of("text").at(channel.into()), 2);
        }
        self.outward(2);
    }

    /// A page of a channel's list.
    pub(super) fn channel(&mut self) {
        let (host, page) = (self.host, self.page);
        let first = page.a * ITEMS_PER_LIST;
        let (open, close, row, end) = match self.look {
            PortalDesign::Blocks => ("<ul class=\"list\">\n", "</ul>\n", "<li>", "</li>\n"),
            PortalDesign::Tables => ("<table class=\"list\">\n", "</table>\n", "<tr><td>", "</td></tr>\n"),
            PortalDesign::Bare => ("<div>\n", "</div>\n", "", "<br>\n"),
        };
        self.raw(open);
        for item in first..(first + ITEMS_PER_LIST).min(host.items(page.channel)) {
            let to = page.to(Kind::Item, page.channel, item);
            self.raw(row);
            self.item_link(host, to, "item");
            let (year, month, day) = host.date(to);
            self.text(&format!(" {year}-{month:02}-{day:02}"));
            if self.look == PortalDesign::Blocks {
                let prose = self.prose(page.channel, item, 0.14);
                self.paragraph(&prose, self.dice.of("teaser").at(item.into()), 1);
            }
            self.raw(end);
        }
        self.raw(close);
        self.pager();
        self.crosswise(6);
        self.outward(2);
    }

    fn pager(&mut self) {
        let (page, count) = (self.page, self.host.lists(self.page.channel));
        self.steps("div", (page.a, count, 3), |out, a, number| out.link(Page { a, ..page }, number, "step"));
    }

    /// Writes an article, a thread, or a product.
    pub(super) fn item(&mut self) {
        match self.host.kind {
            HostKind::Forum => self.thread(),
            HostKind::Company => self.product(),
            _ => self.article(),
        }
        self.siblings();
        self.crosswise(5);
        self.outward(self.dice.of("out").below(4));
    }

    fn article(&mut self) {
        let page = self.page;
        let (year, month, day) = self.host.date(page);
        let source = self.say("Source: our correspondent", "来源：本站记者");
        self.element("div", "info", &format!("{year}-{month:02}-{day:02} {source}"));
        let prose = self.prose(page.channel, page.a, 0.15);
        self.html.open("div", &[("class", "text"), ("id", "content")]);
        for n in 0..self.dice.of("paragraphs").long_tail(6.0, 20).max(2) {
            let sentences = self.dice.of("sentences").at(n).between(2, 6);
            self.paragraph(&prose, self.dice.of("text").at(n), sentences);
        }
        self.close("div");
    }

    fn thread(&mut self) {
        let (host, page) = (self.host, self.page);
        let prose = self.prose(page.channel, page.a, 0.12);
        for n in 0..self.dice.of("posts").long_tail(5.0, 30).max(1) {
            let dice = self.dice.of("post").at(n);
            let author = match n {
                0 => host.author(page.channel, page.a),
                _ => dice.of("who").zipf(host.users().into(), 0.6) as u32,
            };
            self.open("div", "post");
            let name = self.user_name(author);
            self.link(page.to(Kind::User, 0, author), &name, "author");
            self.paragraph(&prose, dice, dice.of("n").between(1, 5));
            self.close("div");
        }
    }

    fn product(&mut self) {
        let page = self.page;
        let prose = self.prose(page.channel, page.a, 0.16);
        let price = self.dice.of("price").long_tail(120.0, 9000).max(5);
        self.element("p", "price", &format!("{} {price}.00", self.say("Price: $", "价格：￥")));
        self.paragraph(&prose, self.dice.of("about"), 5);
        self.open("table", "spec");
        for n in 0..self.dice.of("specs").between(4, 9) {
            let name = prose.word_text(self.dice.of("spec").at(n));
            self.open("tr", "");
            self.element("td", "", &name);
            self.element("td", "", &self.dice.of("value").at(n).below(900).to_string());
            self.close("tr");
        }
        self.close("table");
    }

    /// Before, after, and a few of the same channel.
    fn siblings(&mut self) {
        let (host, page) = (self.host, self.page);
        let items = host.items(page.channel);
        self.open("div", "related");
        self.element("h4", "", self.say("Related", "相关内容"));
        for (text, item) in [
            (self.say("previous", "上一篇"), page.a.checked_sub(1)),
            (self.say("next", "下一篇"), Some(page.a + 1).filter(|next| *next < items)),
        ] {
            if let Some(item) = item {
                self.link(page.to(Kind::Item, page.channel, item), text, "step");
                self.raw(" ");
            }
        }
        for n in 0..self.dice.of("siblings").between(2, 6) {
            let item = self.dice.of("sibling").at(n).below(items.into()) as u32;
            self.item_link(host, page.to(Kind::Item, page.channel, item), "rel");
            self.raw("<br>\n");
        }
        self.close("div");
    }

    /// Items of other channels of this host, rather of the same branch.
    fn crosswise(&mut self, count: u64) {
        let (host, page) = (self.host, self.page);
        let all: Vec<u32> = host.channels().collect();
        let branch = leaves().get(page.channel as usize).map_or(0, |leaf| leaf.branch as u32);
        let near: Vec<u32> = host.channels_of(branch).collect();
        self.open("div", "hot side");
        self.element("h4", "", self.say("Hot", "热门文章"));
        for n in 0..count {
            let dice = self.dice.of("hot").at(n);
            let channels = if dice.of("near").chance(0.45) && !near.is_empty() { &near } else { &all };
            let Some(channel) = dice.of("channel").pick(channels).copied() else { continue };
            let item = dice.of("item").zipf(host.items(channel).into(), 1.0) as u32;
            self.item_link(host, page.to(Kind::Item, channel, item), "hot");
            self.raw("<br>\n");
        }
        self.close("div");
    }

    /// Links to other hosts: the same topic more often than not, the same language nearly always.
    fn outward(&mut self, count: u64) {
        for n in 0..count {
            let dice = self.dice.of("outward").at(n);
            let own = match self.page.kind {
                Kind::Channel | Kind::Item => self.page.channel as usize,
                _ => self.host.centre,
            };
            let channel = match dice.of("kin").below(20) {
                0..=10 => own,
                11..=14 => near_channel(own, dice).unwrap_or(own),
                _ => dice.of("any").below(leaves().len() as u64) as usize,
            };
            let language = if dice.of("foreign").chance(0.1) { None } else { Some(self.host.language) };
            if let Some((host, page)) = self.portal.hosts.item_on(channel, language, dice) {
                self.open("p", "out");
                self.item_link(&host, page, "ext");
                self.close("p");
            }
        }
    }

    /// Start pages of other hosts; the next host is always among them, so that all can be reached.
    pub(super) fn friend_links(&mut self, count: u64) {
        let hosts = &self.portal.hosts;
        let next = (self.page.host + 1) % hosts.count;
        let kin = (0..count).filter_map(|n| {
            let dice = self.dice.of("friend").at(n);
            hosts.for_channel(self.host.centre, Some(self.host.language), dice)
        });
        let any = self.dice.of("any friend").below(hosts.count.into()) as u32;
        let friends: Vec<u32> = std::iter::once(next).chain(kin).chain([any]).collect();
        self.open("div", "friends");
        for id in friends {
            let host = hosts.host(id);
            let centre = self.label(host.centre as u32);
            let name = match host.kind {
                HostKind::General => self.say("portal", "门户网站"),
                _ => centre,
            };
            let target = url(&self.portal.setting, &host, Page::home(id));
            self.link_to(&target, &format!("{name} {id}"), "friend");
            self.raw(" ");
        }
        self.close("div");
    }

    pub(super) fn info(&mut self) {
        let prose = Prose::background(self.host.language);
        for n in 0..self.dice.of("paragraphs").between(2, 5) {
            self.paragraph(&prose, self.dice.of("text").at(n), 4);
        }
    }

    /// Writes the page of a forum member, with the threads they started.
    pub(super) fn user(&mut self) {
        let (host, page) = (self.host, self.page);
        let likes = host.user_channel(page.a);
        let topic = leaves().get(likes as usize).map(|leaf| (leaf.topic, 0.1));
        let prose = Prose::of(host.language, topic.into_iter().collect());
        self.paragraph(&prose, self.dice.of("me"), self.dice.of("length").between(1, 4));
        self.bullets(
            "ul",
            "threads",
            host.threads_of(page.a).into_iter().take(40),
            |out, (channel, item)| {
                out.item_link(host, page.to(Kind::Item, channel, item), "thread");
            },
        );
        for n in 0..4 {
            let friend = self.dice.of("friend").at(n).below(host.users().into()) as u32;
            let name = self.user_name(friend);
            self.link(page.to(Kind::User, 0, friend), &name, "friend");
            self.raw(" ");
        }
    }
}
