//! The hosts of the portal world: the kind of each, its language, its topics, how it names and encodes pages.
//!
//! A host is drawn from its number alone. Which topics it covers is a predicate, not a table, so a page can find a
//! host for a topic by a few draws.

use std::sync::LazyLock;

use crate::Dice;
use crate::text::{Language, TopicId, branches, topics};

/// Branches of the taxonomy in the portal world, and leaves of each: few, so that each topic occurs often enough to be
/// compared.
const BRANCHES: usize = 10;
const LEAVES_OF_BRANCH: usize = 3;
/// Hosts come in rounds of this many.
const ROUND: u32 = 10;

/// What a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostKind {
    /// Covers everything.
    General,
    /// Covers one branch.
    Vertical,
    /// Covers one topic and what is related.
    Special,
    /// Boards of one branch, written by users.
    Forum,
    /// A company that makes things for one topic.
    Company,
}

/// Which words the paths use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tokens {
    /// `sports/basketball`
    English,
    /// `sport/bball`
    Abbreviation,
    /// `tiyu/lanqiu`
    Pinyin,
    /// `ty/lq`
    Initials,
    /// Numbers only.
    Opaque,
}

/// How articles are addressed below their channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// `/sports/basketball/2008/0229/17.shtml`
    Dated,
    /// `/content/2008-02/29/content_1105.htm`: channels have names, articles do not.
    Flat,
    /// `/sports/basketball/17-words-of-the-title.html`
    Titled,
    /// `/article.php?id=9k2`
    Query,
}

/// The encoding of a host's pages, and where it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Coding {
    pub(super) charset: Charset,
    pub(super) said: Said,
}

/// The encodings of the portal world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charset {
    Utf8,
    Gbk,
    Windows1252,
}

/// Where the encoding is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// In the header and in `<meta>`.
    Both,
    /// In `<meta>` only.
    Meta,
    /// Not declared.
    Nowhere,
    /// `<meta>` is right, the header is wrong.
    HeaderWrong,
    /// The header is right, `<meta>` is wrong.
    MetaWrong,
}

/// One of the topics of this world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) topic: TopicId,
    /// Its place in [`branches`].
    pub(super) branch: usize,
}

/// The topics of this world, in the order of the taxonomy.
static LEAVES: LazyLock<Vec<Leaf>> = LazyLock::new(|| {
    let of = |(branch, ids): (usize, std::ops::Range<usize>)| {
        ids.take(LEAVES_OF_BRANCH).map(move |id| Leaf { topic: TopicId(id as u16), branch })
    };
    branches().iter().take(BRANCHES).map(|branch| branch.topics.clone()).enumerate().flat_map(of).collect()
});

/// The topics of this world. Channels are numbered by their place here.
pub(super) fn leaves() -> &'static [Leaf] {
    &LEAVES
}

/// The sizes of a world.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    pub(super) dice: Dice,
    pub(super) count: u32,
    mean: f64,
}

/// One host.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) id: u32,
    /// The first label of its name: `daily-k3`, `lanqiu-7f`.
    pub(super) label: String,
    pub(super) dice: Dice,
    pub(super) kind: HostKind,
    pub(super) language: Language,
    pub(super) tokens: Tokens,
    pub(super) layout: Layout,
    /// Whether branches have hosts of their own.
    pub(super) sub_hosts: bool,
    pub(super) infos: u32,
    /// The channel that it turns around.
    pub(super) centre: usize,
    /// Items by channel: articles, threads or products.
    items: Vec<u32>,
}

impl Hosts {
    pub(super) fn new(dice: Dice, pages: u64) -> Self {
        let pages = (pages as f64).max(200.0);
        let count = (pages.powf(0.6) / 8.0).round().clamp(f64::from(ROUND), 5000.0) as u32;
        let mut hosts = Self { dice: dice.of("portal"), count, mean: 1.0 };
        // Few hosts of very different size: their sum is drawn too, so it is taken as it came out.
        hosts.mean = pages / (0..count).map(|id| hosts.size(id)).sum::<f64>();
        hosts
    }

    pub(super) fn dice_of(&self, id: u32) -> Dice {
        self.dice.of("host").at(id.into())
    }

    pub(super) fn kind(id: u32) -> HostKind {
        match id % ROUND {
            0 | 1 => HostKind::General,
            2..=5 => HostKind::Vertical,
            6 | 7 => HostKind::Special,
            8 => HostKind::Forum,
            _ => HostKind::Company,
        }
    }

    /// Half of each kind is in Chinese.
    pub(super) fn language(id: u32) -> Language {
        if (id + id / ROUND).is_multiple_of(2) { Language::English } else { Language::Chinese }
    }

    /// The main leaf of a host; general hosts have one too, but cover the others as well.
    pub(super) fn centre(&self, id: u32) -> usize {
        // By turns, so that no topic is left without hosts.
        let turn = u64::from(id / ROUND) * 3 + u64::from(id % ROUND);
        let leaf = self.dice_of(id).of("centre").below(LEAVES_OF_BRANCH as u64);
        ((turn * LEAVES_OF_BRANCH as u64 + leaf) % leaves().len().max(1) as u64) as usize
    }

    /// Whether a host has a channel for a leaf.
    fn covers(&self, id: u32, channel: usize) -> bool {
        let centre = if Self::kind(id) == HostKind::General { 0 } else { self.centre(id) };
        self.covers_around(centre, id, channel)
    }

    fn covers_around(&self, centre: usize, id: u32, channel: usize) -> bool {
        let (Some(leaf), Some(centre)) = (leaves().get(channel), leaves().get(centre)) else { return false };
        match Self::kind(id) {
            HostKind::General => self.dice_of(id).of("covers").at(channel as u64).chance(0.85),
            HostKind::Vertical | HostKind::Forum => leaf.branch == centre.branch,
            HostKind::Special => leaf.topic == centre.topic || is_related(centre.topic, leaf.topic),
            HostKind::Company => leaf.topic == centre.topic,
        }
    }

    fn size(&self, id: u32) -> f64 {
        let dice = self.dice_of(id).of("size");
        let normal = (dice.at(0).unit() + dice.at(1).unit() + dice.at(2).unit() - 1.5) * 2.0;
        let share = match Self::kind(id) {
            HostKind::General => 2.2,
            HostKind::Vertical => 0.95,
            HostKind::Special => 0.6,
            HostKind::Forum => 0.9,
            HostKind::Company => 0.25,
        };
        self.mean * share * (0.4 * normal).exp()
    }

    pub(super) fn host(&self, id: u32) -> Host {
        let (dice, kind, language) = (self.dice_of(id), Self::kind(id), Self::language(id));
        let (centre, drawn) = (self.centre(id), dice.of("weight"));
        let weight = |channel: usize| {
            let own = 0.5 + drawn.at(channel as u64).unit();
            if channel == centre && kind == HostKind::Special { 3.0 * own } else { own }
        };
        let covered = |leaf: usize| if self.covers_around(centre, id, leaf) { weight(leaf) } else { 0.0 };
        let weights: Vec<f64> = (0..leaves().len()).map(covered).collect();
        let total = weights.iter().sum::<f64>().max(0.1);
        let share = if kind == HostKind::Forum { 0.68 } else { 0.9 };
        let each = self.size(id) * share / total;
        let items = |weight: &f64| if *weight > 0.0 { (each * weight) as u32 + 1 } else { 0 };
        let mut host = Host {
            id,
            label: String::new(),
            dice,
            kind,
            language,
            tokens: tokens(language, dice.of("tokens")),
            layout: layout(dice.of("layout")),
            sub_hosts: kind == HostKind::General && dice.of("sub hosts").chance(0.5),
            infos: dice.of("infos").between(2, 5) as u32,
            centre,
            items: weights.iter().map(items).collect(),
        };
        host.label = host.make_label();
        host
    }

    /// A host that covers a channel, speaking `language` if given, if a few draws meet one.
    pub(super) fn for_channel(&self, channel: usize, language: Option<Language>, dice: Dice) -> Option<u32> {
        let is_good = |id: &u32| language.is_none_or(|language| Self::language(*id) == language);
        let drawn = (0..12).map(|n| dice.at(n).below(self.count.into()) as u32);
        drawn.filter(is_good).find(|id| self.covers(*id, channel))
    }
}

fn tokens(language: Language, dice: Dice) -> Tokens {
    match (language, dice.below(20)) {
        (Language::English, 0..=13) => Tokens::English,
        (Language::English, 14..=17) => Tokens::Abbreviation,
        (Language::English, _) => Tokens::Opaque,
        (Language::Chinese, 0..=6) => Tokens::Pinyin,
        (Language::Chinese, 7..=10) => Tokens::Initials,
        (Language::Chinese, 11..=16) => Tokens::English,
        (Language::Chinese, 17) => Tokens::Abbreviation,
        (Language::Chinese, _) => Tokens::Opaque,
    }
}

fn layout(dice: Dice) -> Layout {
    match dice.below(10) {
        0..=3 => Layout::Dated,
        4..=6 => Layout::Flat,
        7..=8 => Layout::Titled,
        _ => Layout::Query,
    }
}

/// Whether the first topic names the second as related.
pub(super) fn is_related(one: TopicId, other: TopicId) -> bool {
    topics().get(usize::from(one.0)).is_some_and(|topic| topic.related.contains(&other))
}

/// A channel that is near this one: a related one, if this world has any, or one of the same branch.
pub(super) fn near_channel(channel: usize, dice: Dice) -> Option<usize> {
    let leaf = leaves().get(channel)?;
    let is_of_branch = dice.of("branch").chance(0.5);
    let is_near = |place: &usize| {
        leaves().get(*place).is_some_and(|other| match is_of_branch {
            true => other.branch == leaf.branch && *place != channel,
            false => is_related(leaf.topic, other.topic),
        })
    };
    let near = || (0..leaves().len()).filter(is_near);
    near().nth(dice.below(near().count() as u64) as usize)
}

impl Host {
    /// How many articles, threads or products are in a channel; 0 if there is no such channel.
    pub(super) fn items(&self, channel: u32) -> u32 {
        self.items.get(channel as usize).copied().unwrap_or(0)
    }

    /// The channels that this host has.
    pub(super) fn channels(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.items.len() as u32).filter(|channel| self.items(*channel) > 0)
    }

    /// The branches that it has channels of.
    pub(super) fn sections(&self) -> impl Iterator<Item = u32> + '_ {
        (0..branches().len() as u32).filter(|branch| self.channels_of(*branch).next().is_some())
    }

    pub(super) fn channels_of(&self, branch: u32) -> impl Iterator<Item = u32> + '_ {
        self.channels().filter(move |channel| {
            leaves().get(*channel as usize).is_some_and(|leaf| leaf.branch == branch as usize)
        })
    }

    /// Members of a forum; 0 elsewhere.
    pub(super) fn users(&self) -> u32 {
        match self.kind {
            HostKind::Forum => self.items.iter().sum::<u32>() / 3 + 1,
            _ => 0,
        }
    }

    /// How pages are encoded: a rate of 0 has every host say so in its header.
    pub(super) fn coding(&self, encodings: f64) -> Coding {
        let dice = self.dice.of("coding");
        let charset = match (self.language, dice.of("charset").below(20)) {
            (Language::Chinese, 0..=10) => Charset::Gbk,
            (Language::English, 0..=1) if encodings > 0.0 => Charset::Windows1252,
            _ => Charset::Utf8,
        };
        let draw = dice.of("said").below(20);
        let said = match charset {
            _ if encodings == 0.0 => Said::Both,
            Charset::Gbk => match draw {
                0..=6 => Said::Both,
                7..=14 => Said::Meta,
                15..=16 => Said::Nowhere,
                17..=18 => Said::HeaderWrong,
                _ => Said::MetaWrong,
            },
            Charset::Utf8 | Charset::Windows1252 => match draw {
                0..=13 => Said::Both,
                14..=16 => Said::Meta,
                17 => Said::Nowhere,
                _ => Said::MetaWrong,
            },
        };
        Coding { charset, said }
    }
}
