//! Addresses of the portal world's pages: host names, and paths that follow the taxonomy in English words,
//! abbreviations, pinyin, initials, or not at all.
//!
//! How often a URL names its topic is set from table 4 of Chen et al. 2009: of relevant pages that real crawls found,
//! 70 to 86 % have a topic above theirs in the URL (`sports.sohu.com`), and 4 to 10 % the topic itself. So the branch is
//! in the host or in the first folder of most pages, and a leaf only in names of small hosts and in words of titles.
//!
//! Host names end in the host's number, so that any name can be read; before it is a name or a topic's token. As in the
//! campus world, a URL counts only if the page that it names would be written the same.

use osprey_model::CanonicalUrl;

use super::hosts::{Host, HostKind, Hosts, Layout, Tokens, leaves};
use super::page::{Kind, Page};
use crate::Permutation;
use crate::markup::slug;
use crate::nasty::Setting;
use crate::routes::{base36, fill, push_base36, read};
use crate::text::{Language, Prose, branches, topics};

const NAMES_EN: [&str; 12] = [
    "daily", "citynet", "online", "infoport", "world", "webguide", "today", "bluesky", "sunrise", "gateway",
    "planet", "express",
];
const NAMES_ZH: [&str; 12] = words! {
    "tianya" "xinwen" "dongfang" "huaxia" "zhongwang" "renren" "qianlong" "nanfang" "beifang" "jinri"
    "wanwei" "shidai"
};
const INFOS: [&str; 5] = ["about", "contact", "help", "terms", "adverts"];
/// Opaque ids are scrambled below this.
const CODES: u64 = 1 << 34;

impl Host {
    /// Makes the first label of the host's name.
    pub(super) fn make_label(&self) -> String {
        let token_rate = match self.kind {
            HostKind::General => 0.0,
            HostKind::Vertical | HostKind::Forum => 0.4,
            HostKind::Special | HostKind::Company => 0.3,
        };
        let dice = self.dice.of("label");
        let mut label = String::new();
        match leaves().get(self.centre) {
            Some(leaf) if dice.chance(token_rate) && self.tokens != Tokens::Opaque => match self.kind {
                HostKind::Vertical | HostKind::Forum => self.push_branch_token(leaf.branch, &mut label),
                _ => self.push_leaf_name(self.centre, &mut label),
            },
            _ => {
                let names = if self.language == Language::Chinese { &NAMES_ZH } else { &NAMES_EN };
                label.push_str(dice.of("name").pick(names).copied().unwrap_or("net"));
            }
        }
        label.push('-');
        push_base36(u64::from(self.id), &mut label);
        label
    }

    fn push_branch_token(&self, branch: usize, out: &mut String) {
        let Some(entry) = branches().get(branch) else { return };
        match self.tokens {
            Tokens::English => push_word(&entry.label_en, out),
            Tokens::Abbreviation => push_word(entry.abbreviation.as_deref().unwrap_or(&entry.label_en), out),
            Tokens::Pinyin => out.push_str(&entry.pinyin),
            Tokens::Initials => out.push_str(&entry.initials),
            Tokens::Opaque => out.push_str(&format!("c{}", branch + 1)),
        }
    }

    /// A channel in a path: a number.
    fn push_leaf_token(&self, channel: usize, out: &mut String) {
        out.push_str(&(channel * 7 + 11).to_string());
    }

    fn push_leaf_name(&self, channel: usize, out: &mut String) {
        let Some(entry) = leaves().get(channel).and_then(|leaf| topics().get(usize::from(leaf.topic.0)))
        else {
            return;
        };
        match self.tokens {
            Tokens::English => push_word(&entry.label_en, out),
            Tokens::Abbreviation => push_word(entry.abbreviation.as_deref().unwrap_or(&entry.label_en), out),
            Tokens::Pinyin => out.push_str(&entry.pinyin),
            Tokens::Initials => out.push_str(&entry.initials),
            Tokens::Opaque => self.push_leaf_token(channel, out),
        }
    }

    /// The branch whose own host a page is on, if branches have hosts.
    fn branch_host(&self, page: Page) -> Option<usize> {
        match page.kind {
            _ if !self.sub_hosts => None,
            Kind::Section => Some(page.channel as usize),
            Kind::Channel | Kind::Item => leaves().get(page.channel as usize).map(|leaf| leaf.branch),
            _ => None,
        }
    }

    fn push_host(&self, page: Page, out: &mut String) {
        if let Some(branch) = self.branch_host(page) {
            self.push_branch_token(branch, out);
            out.push('-');
        }
        out.push_str(&self.label);
    }

    fn pattern(&self, kind: Kind) -> &'static str {
        let is_below_branch = !self.sub_hosts;
        match (kind, self.layout) {
            (Kind::Home, _) => "/",
            (Kind::Info, Layout::Query) => "/page.php?id={a}",
            (Kind::Info, _) => "/{info}.html",
            (Kind::Friends, _) => "/links.html",
            (Kind::User, _) => "/space-{a}.html",
            (Kind::Section, _) if !is_below_branch => "/",
            (Kind::Section, Layout::Query) => "/list.php?bid={branchno}",
            (Kind::Section, _) => "/{branch}/",
            (Kind::Channel, Layout::Query) => "/list.php?cid={channel}&page={a}",
            (Kind::Channel, Layout::Flat) => "/{leaf}/list_{channel}_{a}.htm",
            (Kind::Channel, _) if is_below_branch => "/{branch}/{leaf}/index_{a}.html",
            (Kind::Channel, _) => "/{leaf}/index_{a}.html",
            (Kind::Item, Layout::Query) => "/article.php?id={code}",
            (Kind::Item, Layout::Flat) if is_below_branch => {
                "/{branch}/{year}-{month}/{day}/content_{code}.htm"
            }
            (Kind::Item, Layout::Flat) => "/content/{year}-{month}/{day}/content_{code}.htm",
            (Kind::Item, Layout::Dated) if is_below_branch => "/{branch}/{leaf}/{year}/{md}/{a}.shtml",
            (Kind::Item, Layout::Dated) => "/{leaf}/{year}/{md}/{a}.shtml",
            (Kind::Item, Layout::Titled) if is_below_branch => "/{branch}/{leaf}/{a}-{title}.html",
            (Kind::Item, Layout::Titled) => "/{leaf}/{a}-{title}.html",
        }
    }

    fn push_slot(&self, slot: &str, page: Page, out: &mut String) {
        let channel = page.channel as usize;
        let date = || self.date(page);
        match slot {
            "a" => out.push_str(&(page.a + 1).to_string()),
            "info" => out.push_str(INFOS.get(page.a as usize).copied().unwrap_or("page")),
            "channel" => out.push_str(&(channel + 1).to_string()),
            "branchno" => out.push_str(&(channel + 1).to_string()),
            "branch" if page.kind == Kind::Section => self.push_branch_token(channel, out),
            "branch" => self.push_branch_token(leaves().get(channel).map_or(0, |leaf| leaf.branch), out),
            "leaf" => self.push_leaf_token(channel, out),
            "code" => push_base36(self.codes().at(page.code()), out),
            "year" => out.push_str(&date().0.to_string()),
            "month" => out.push_str(&format!("{:02}", date().1)),
            "day" => out.push_str(&format!("{:02}", date().2)),
            "md" => out.push_str(&format!("{:02}{:02}", date().1, date().2)),
            "title" => self.push_title_slug(page, out),
            _ => {}
        }
    }

    /// The words of the title; where they are Chinese, the pinyin of what it is about.
    fn push_title_slug(&self, page: Page, out: &mut String) {
        if self.language == Language::English {
            return out.push_str(&slug(&self.title(page)));
        }
        let (main, _) = self.item_about(page.channel, page.a);
        let topic = leaves().get(main).and_then(|leaf| topics().get(usize::from(leaf.topic.0)));
        out.push_str(topic.map_or("wen", |topic| &topic.pinyin));
    }

    fn codes(&self) -> Permutation {
        Permutation::new(CODES, self.dice.of("codes"))
    }

    /// When an item was published.
    pub(super) fn date(&self, page: Page) -> (u64, u64, u64) {
        let dice = self.dice.of("date").at(page.channel.into()).at(page.a.into());
        (dice.of("year").between(2005, 2011), dice.of("month").between(1, 12), dice.of("day").between(1, 28))
    }

    /// An item's title.
    pub(super) fn title(&self, page: Page) -> String {
        let (main, second) = self.item_about(page.channel, page.a);
        let topic = |channel: usize, share: f32| leaves().get(channel).map(|leaf| (leaf.topic, share));
        let mixture =
            topic(main, 0.2).into_iter().chain(second.and_then(|second| topic(second, 0.08))).collect();
        let prose = Prose::of(self.language, mixture);
        prose.title_text(self.dice.of("title").at(page.channel.into()).at(page.a.into()))
    }

    /// The page that a path of this host names, before the host part is checked.
    fn read_path(&self, path: &str) -> Vec<Page> {
        let found = Kind::ALL.into_iter().flat_map(|kind| self.read_pattern(kind, path));
        found
            .filter(|page| {
                let mut again = String::with_capacity(path.len());
                self.has(*page) && {
                    self.push_path(*page, &mut again);
                    again == path
                }
            })
            .collect()
    }

    fn push_path(&self, page: Page, out: &mut String) {
        fill(self.pattern(page.kind), out, |slot, out| self.push_slot(slot, page, out));
    }

    /// Every page that a path may name: without the branch, a token may match more than one channel.
    fn read_pattern(&self, kind: Kind, path: &str) -> Vec<Page> {
        let mut page = Page::home(self.id).to(kind, 0, 0);
        let (mut leaf, mut branch, mut is_good) = (None, None, true);
        let shape = read(self.pattern(kind), path, |slot, text| {
            let number = text.parse::<u32>().ok().and_then(|number| number.checked_sub(1));
            match slot {
                "a" => page.a = number.unwrap_or(u32::MAX),
                "info" => page.a = INFOS.iter().position(|info| *info == text).map_or(u32::MAX, |a| a as u32),
                "channel" | "branchno" => page.channel = number.unwrap_or(u32::MAX),
                "leaf" => leaf = Some(text),
                "branch" => branch = Some(text),
                "code" => {
                    let code =
                        base36(text).filter(|code| *code < CODES).map(|code| self.codes().place_of(code));
                    match code
                        .and_then(|code| Page::from_code(self.id, code))
                        .filter(|coded| coded.kind == kind)
                    {
                        Some(coded) => page = coded,
                        None => is_good = false,
                    }
                }
                _ => {}
            }
        });
        if shape.is_none() || !is_good {
            return Vec::new();
        }
        let has_token = |write: &dyn Fn(&mut String), text: &str| {
            let mut token = String::new();
            write(&mut token);
            token == text
        };
        match (leaf, branch) {
            (Some(leaf), _) => {
                let channels = self.channels();
                let fits =
                    |channel: &u32| has_token(&|out| self.push_leaf_token(*channel as usize, out), leaf);
                channels.filter(fits).map(|channel| Page { channel, ..page }).collect()
            }
            // the code says which page it is; the branch is compared when it is written again
            (None, Some(_)) if kind == Kind::Item => vec![page],
            (None, Some(branch)) => {
                let fits = |id: &u32| has_token(&|out| self.push_branch_token(*id as usize, out), branch);
                self.sections().filter(fits).map(|channel| Page { channel, ..page }).collect()
            }
            // On a host of a branch, the path alone does not say which branch it is.
            (None, None) if kind == Kind::Section && self.sub_hosts => {
                self.sections().map(|channel| Page { channel, ..page }).collect()
            }
            (None, None) => vec![page],
        }
    }
}

/// `VideoGames` and `Real Estate` in a path: small letters only.
fn push_word(label: &str, out: &mut String) {
    out.extend(label.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()));
}

/// The URL of a page.
pub(super) fn url(setting: &Setting, host: &Host, page: Page) -> String {
    let mut out = String::with_capacity(72);
    out.push_str("http://");
    host.push_host(page, &mut out);
    out.push_str(".portal.");
    out.push_str(&setting.domain);
    host.push_path(page, &mut out);
    out
}

/// The host and page at a URL.
pub(super) fn find(setting: &Setting, hosts: &Hosts, url: &CanonicalUrl) -> Option<(Host, Page)> {
    let label = url.authority().strip_suffix(&setting.domain)?.strip_suffix(".portal.")?;
    if url.scheme() != "http" {
        return None;
    }
    let (_, id) = label.rsplit_once('-')?;
    let id = u32::try_from(base36(id)?).ok().filter(|id| *id < hosts.count)?;
    let host = hosts.host(id);
    let page = host.read_path(url.path_and_query()).into_iter().find(|page| {
        let mut again = String::new();
        host.push_host(*page, &mut again);
        again == label
    })?;
    Some((host, page))
}

/// What the infos of a host are called.
pub(super) fn info_name(language: Language, info: u32) -> &'static str {
    let names: [&str; 5] = match language {
        Language::English => ["About us", "Contact", "Help", "Terms of use", "Advertise"],
        Language::Chinese => ["关于我们", "联系方式", "帮助中心", "网站声明", "广告服务"],
    };
    names.get(info as usize).copied().unwrap_or_default()
}
