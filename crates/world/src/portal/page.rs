//! Every page of the portal world as four small numbers, which of them exist, and the truth about them.

use super::hosts::{Host, HostKind, Hosts, leaves, near_channel};
use crate::Truth;
use crate::text::{Language, branches, topics};
use osprey_model::PageType;

/// Items of a list page.
pub(super) const ITEMS_PER_LIST: u32 = 25;

/// The templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Home,
    /// About us, contact and the like; `a` is its number.
    Info,
    /// Links to friends.
    Friends,
    /// A branch of the directory; `channel` is the branch.
    Section,
    /// A page of a channel's list; `a` is its number.
    Channel,
    /// An article, a thread or a product.
    Item,
    /// A member of a forum.
    User,
}

impl Kind {
    pub(super) const ALL: [Self; 7] =
        [Self::Home, Self::Info, Self::Friends, Self::Section, Self::Channel, Self::Item, Self::User];
}

/// A page: a template and its parameters. Those that a template does not use are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) host: u32,
    pub(super) kind: Kind,
    pub(super) channel: u32,
    pub(super) a: u32,
}

impl Page {
    pub(super) fn home(host: u32) -> Self {
        Self { host, kind: Kind::Home, channel: 0, a: 0 }
    }

    /// Another page of the same host.
    pub(super) fn to(self, kind: Kind, channel: u32, a: u32) -> Self {
        Self { kind, channel, a, ..self }
    }

    /// All but the host in one number, for opaque ids.
    pub(super) fn code(self) -> u64 {
        (u64::from(self.a) << 10) | (u64::from(self.channel & 0x7f) << 3) | self.kind as u64
    }

    /// The other end of [`Page::code`].
    pub(super) fn from_code(host: u32, code: u64) -> Option<Self> {
        let kind = *Kind::ALL.get((code & 7) as usize)?;
        Some(Self { host, kind, channel: ((code >> 3) & 0x7f) as u32, a: u32::try_from(code >> 10).ok()? })
    }
}

impl Host {
    pub(super) fn lists(&self, channel: u32) -> u32 {
        self.items(channel).div_ceil(ITEMS_PER_LIST)
    }

    /// Whether it has pages for branches: hosts of one topic go to channels at once.
    pub(super) fn has_sections(&self) -> bool {
        matches!(self.kind, HostKind::General | HostKind::Vertical)
    }

    /// Every page, in the order of the lists.
    pub(super) fn pages(&self) -> Vec<Page> {
        let home = Page::home(self.id);
        let mut pages = vec![home, home.to(Kind::Friends, 0, 0)];
        pages.extend((0..self.infos).map(|a| home.to(Kind::Info, 0, a)));
        pages.extend(
            self.sections().filter(|_| self.has_sections()).map(|branch| home.to(Kind::Section, branch, 0)),
        );
        for channel in self.channels() {
            pages.extend((0..self.lists(channel)).map(|a| home.to(Kind::Channel, channel, a)));
            pages.extend((0..self.items(channel)).map(|a| home.to(Kind::Item, channel, a)));
        }
        pages.extend((0..self.users()).map(|a| home.to(Kind::User, 0, a)));
        pages
    }

    /// Whether a page that was read from a URL is there.
    pub(super) fn has(&self, page: Page) -> bool {
        let Page { kind, channel, a, .. } = page;
        match kind {
            Kind::Home | Kind::Friends => (channel, a) == (0, 0),
            Kind::Info => channel == 0 && a < self.infos,
            Kind::Section => a == 0 && self.has_sections() && self.sections().any(|branch| branch == channel),
            Kind::Channel => a < self.lists(channel),
            Kind::Item => a < self.items(channel),
            Kind::User => channel == 0 && a < self.users(),
        }
    }

    /// What an item is about, as channels: mostly its own; some are misfiled, many have a second topic.
    pub(super) fn item_about(&self, channel: u32, item: u32) -> (usize, Option<usize>) {
        let dice = self.dice.of("about").at(channel.into()).at(item.into());
        let own = channel as usize;
        let main = match dice.of("filed").below(100) {
            0..=5 => near_channel(own, dice.of("near")).unwrap_or(own),
            6..=9 => dice.of("stray").below(leaves().len() as u64) as usize,
            _ => own,
        };
        let second = dice.of("two").chance(0.5).then(|| near_channel(main, dice.of("second"))).flatten();
        (main, second)
    }

    /// What a member mostly writes about.
    pub(super) fn user_channel(&self, user: u32) -> u32 {
        let channels: Vec<u32> = self.channels().collect();
        self.dice.of("likes").at(user.into()).pick(&channels).copied().unwrap_or(0)
    }

    /// Who started a thread; the other end of [`Host::threads_of`]. Members stay in one channel.
    pub(super) fn author(&self, channel: u32, item: u32) -> u32 {
        let users = self.users().max(1);
        // Neighbours in a channel have neighbouring authors: `threads_of` walks back.
        (item / 3 + self.dice.of("offset").at(channel.into()).below(users.into()) as u32) % users
    }

    pub(super) fn threads_of(&self, user: u32) -> Vec<(u32, u32)> {
        let users = self.users().max(1);
        let mut threads = Vec::new();
        for channel in self.channels() {
            let offset = self.dice.of("offset").at(channel.into()).below(users.into()) as u32;
            let first = (user + users - offset) % users;
            let starts = (first..self.items(channel).div_ceil(3)).step_by(users as usize);
            let items = starts.flat_map(|start| 3 * start..3 * start + 3);
            threads.extend(items.filter(|item| *item < self.items(channel)).map(|item| (channel, item)));
        }
        threads
    }

    /// What is true of an existing page.
    pub(super) fn truth(&self, page: Page) -> Truth {
        let names: Vec<String> = match page.kind {
            Kind::Section => {
                branches().get(page.channel as usize).map(|b| b.label_en.clone()).into_iter().collect()
            }
            Kind::Channel => topic_name(page.channel as usize).into_iter().collect(),
            Kind::Item => {
                let (main, second) = self.item_about(page.channel, page.a);
                std::iter::once(main).chain(second).filter_map(topic_name).collect()
            }
            _ => Vec::new(),
        };
        let page_type = match page.kind {
            Kind::Section | Kind::Channel | Kind::Friends => PageType::List,
            Kind::Item => PageType::Detail,
            Kind::User => PageType::Profile,
            Kind::Home | Kind::Info => PageType::Other,
        };
        let is_forum = self.kind == HostKind::Forum;
        let language = if self.language == Language::Chinese { "zh" } else { "en" };
        Truth {
            page_type,
            template: format!("{}-{language}", self.template(page.kind)),
            user_created: is_forum && matches!(page.kind, Kind::Item | Kind::User),
            topics: names,
            ..Truth::default()
        }
    }

    fn template(&self, kind: Kind) -> &'static str {
        match (kind, self.kind) {
            (Kind::Home, HostKind::Company) => "company-home",
            (Kind::Home, _) => "home",
            (Kind::Info, _) => "info",
            (Kind::Friends, _) => "friends",
            (Kind::Section, _) => "section",
            (Kind::Channel, HostKind::Forum) => "board",
            (Kind::Channel, HostKind::Company) => "product-list",
            (Kind::Channel, _) => "channel",
            (Kind::Item, HostKind::Forum) => "thread",
            (Kind::Item, HostKind::Company) => "product",
            (Kind::Item, _) => "article",
            (Kind::User, _) => "user",
        }
    }
}

/// The taxonomy's name of a channel's topic.
pub(super) fn topic_name(channel: usize) -> Option<String> {
    let leaf = leaves().get(channel)?;
    topics().get(usize::from(leaf.topic.0)).map(|topic| topic.name.clone())
}

impl Hosts {
    /// A page about a channel's topic on some host, if a few draws meet one.
    pub(super) fn item_on(
        &self,
        channel: usize,
        language: Option<Language>,
        dice: crate::Dice,
    ) -> Option<(Host, Page)> {
        let host = self.host(self.for_channel(channel, language, dice.of("host"))?);
        let items = host.items(channel as u32);
        let a = dice.of("item").below(items.into()) as u32;
        let page = Page::home(host.id).to(Kind::Item, channel as u32, a);
        (items > 0).then_some((host, page))
    }
}
