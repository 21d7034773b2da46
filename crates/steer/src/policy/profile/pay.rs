//! What visits have paid, by kind of link: the price of visiting a person or a list.
//!
//! Zhang & Nasraoui 2009 visit every profile first and pay nothing for it, because theirs came from an earlier crawl. A
//! visit costs a visit, whatever it is to, so a crawl compares what visits bring. A kind of link is its cluster, its
//! Apath, what it is to the policy ([`Role`]) and what the page says of it ([`Hint`]). Its pay is reward over time, both
//! summed over its last visits: a thing that is wanted pays 1 in 1 visit; a list, or a person, pays the expected worth
//! of the new things that it shows and that are worth more than the going rate, in the visits it takes to fetch it and
//! them. What fails, redirects or repeats another page pays nothing. A new kind starts with the pay of all kinds of its
//! role and hint.
//!
//! Things of a known uploader are scored by rank, everything else by pay; [`Pays::rate`], wanted pages per unit of rank,
//! converts one into the other. The kind of every link that was placed is remembered by its URL: that also tells which
//! links of a list are new.

use osprey_model::{CanonicalUrl, GroupId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::Placing;
use crate::profiles::UserId;

/// What a link is to the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Role {
    /// A thing of an uploader; its pay is a multiple of the uploader's.
    Thing,
    /// A thing of nobody that is known.
    Stray,
    /// A list.
    List,
    /// A page of which nothing is known, or nothing good.
    Rest,
    /// The profile of an uploader whose things wait.
    Asked,
    /// The profile of a person who is only mentioned.
    Named,
    /// A list of an uploader; its pay is a multiple of the uploader's.
    OwnList,
}

/// What the page says of a link before it is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hint {
    /// The link is named like a tag of the topic.
    pub(super) is_named: bool,
    /// The page that it is on was relevant.
    pub(super) is_beside: bool,
}

/// Roles with every hint.
const CLASSES: usize = 28;
/// Kinds of link that are told apart; of more, only role and hint.
const MAX_KINDS: usize = 4096;
/// Links whose kinds are remembered; the table is emptied when it is full.
const MAX_SEEN: usize = 500_000;
/// Users whose waiting things are counted; the table is emptied when it is full.
const MAX_COUNTED: usize = 100_000;
/// Visits that the guess of a new kind weighs.
const GUESS: f32 = 2.0;
/// How many of the last visits of a kind count, about.
const MEMORY: f32 = 30.0;
/// How many of the last visits make the going rate, about.
const RATE_MEMORY: f32 = 100.0;
/// What nothing falls below.
const FLOOR: f32 = 1e-4;
/// Changes up to this share of a factor are not told.
const SLIGHT: f32 = 0.05;
/// The same of what asking is worth.
const MARKED: f32 = 0.2;
/// Groups of kinds begin here.
const GROUPS: u64 = 0x006b_696e_6400_0000;
/// Asking stops when it pays less than this share of fetching things blindly, and starts again at the whole.
const RELUCTANCE: f32 = 0.9;

/// Reward over time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Pay {
    reward: f32,
    time: f32,
}

impl Pay {
    fn guess(mean: f32, time: f32) -> Self {
        Self { reward: mean * time, time }
    }

    fn mean(self) -> f32 {
        (self.reward / self.time.max(f32::MIN_POSITIVE)).max(FLOOR)
    }

    fn note(&mut self, reward: f32, time: f32, memory: f32) {
        let keep = 1.0 - 1.0 / memory;
        *self = Self { reward: keep * self.reward + reward, time: keep * self.time + time };
    }
}

/// A kind of link; the first [`CLASSES`] are roles and hints alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Kind {
    key: u64,
    role: Role,
    hint: Hint,
    pay: Pay,
    /// The factor that its group was given.
    told: f32,
}

/// The number of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KindId(u16);

/// All kinds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pays {
    kinds: Vec<Kind>,
    numbers: FxHashMap<u64, u16>,
    /// By URL: the kind that a link was placed as.
    seen: FxHashMap<u32, u16>,
    /// By user: things that wait.
    things: FxHashMap<UserId, u16>,
    /// Wanted pages per unit of rank.
    rate: Pay,
    /// Wanted pages per visit, of late.
    going: f32,
    /// What the profiles of uploaders whose things are parked were said to be worth.
    asking_told: f32,
    /// Whether things wait until their uploader has been asked.
    asks: bool,
}

/// As stored: in the order of the keys.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct SavedPays {
    kinds: Vec<Kind>,
    seen: Vec<(u32, u16)>,
    things: Vec<(UserId, u16)>,
    rate: Option<Pay>,
    going: f32,
    asking_told: f32,
    asks: bool,
}

const ROLES: [Role; 7] =
    [Role::Thing, Role::Stray, Role::List, Role::Rest, Role::Asked, Role::Named, Role::OwnList];

/// What a kind is expected to pay before one of its role and hint was visited: profiles of uploaders and lists of the
/// topic come first, as in the paper.
fn first_guess(role: Role, hint: Hint) -> f32 {
    match (role, hint) {
        (Role::Thing | Role::Asked, _) => 1.0,
        (Role::List | Role::Stray, Hint { is_named: true, .. }) => 1.0,
        (Role::List | Role::OwnList, _) => 0.5,
        (Role::Stray | Role::Named, Hint { is_beside: true, .. }) => 0.2,
        (Role::Stray | Role::Rest | Role::Named, _) => 0.1,
    }
}

fn class(role: Role, hint: Hint) -> usize {
    role as usize * 4 + usize::from(hint.is_named) * 2 + usize::from(hint.is_beside)
}

/// All that is kept of a URL: of a hundred thousand links, one or two are taken for others.
fn short(url: &CanonicalUrl) -> u32 {
    url.fingerprint() as u32
}

impl Default for Pays {
    fn default() -> Self {
        let hints = [(false, false), (false, true), (true, false), (true, true)];
        let kinds = ROLES.into_iter().flat_map(|role| {
            hints.map(|(is_named, is_beside)| {
                let hint = Hint { is_named, is_beside };
                Kind { key: 0, role, hint, pay: Pay::guess(first_guess(role, hint), GUESS), told: 0.0 }
            })
        });
        Self {
            kinds: kinds.collect(),
            numbers: FxHashMap::default(),
            seen: FxHashMap::default(),
            things: FxHashMap::default(),
            rate: Pay::guess(1.0, 0.5),
            going: 0.1,
            asking_told: 1.0,
            asks: true,
        }
    }
}

impl Pays {
    /// The kind of a link with a role and hint at a place, which is a key of its cluster and Apath.
    pub(super) fn kind(&mut self, role: Role, hint: Hint, place: u64) -> KindId {
        let class = class(role, hint);
        let key = place.rotate_left(7) ^ (class as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if let Some(number) = self.numbers.get(&key) {
            return KindId(*number);
        }
        if self.kinds.len() >= MAX_KINDS {
            return KindId(class as u16);
        }
        let number = self.kinds.len() as u16;
        let mean = self.kinds.get(class).map_or(0.0, |class| class.pay.mean());
        self.kinds.push(Kind { key, role, hint, pay: Pay::guess(mean, GUESS), told: 0.0 });
        self.numbers.insert(key, number);
        KindId(number)
    }

    /// What visits of a kind pay.
    pub(super) fn mean(&self, kind: KindId) -> f32 {
        self.kinds.get(usize::from(kind.0)).map_or(FLOOR, |kind| kind.pay.mean())
    }

    /// The same in units of rank, which all scores are in.
    pub(super) fn worth(&self, kind: KindId) -> f32 {
        self.mean(kind) / self.rate()
    }

    /// Wanted pages per unit of rank.
    pub(super) fn rate(&self) -> f32 {
        self.rate.mean().clamp(0.05, 50.0)
    }

    /// Wanted pages per visit, of late: what a visit costs.
    pub(super) fn going(&self) -> f32 {
        self.going
    }

    /// What asking an uploader pays.
    pub(super) fn asking(&self) -> f32 {
        let hints = [(false, false), (false, true), (true, false), (true, true)];
        let classes = hints.map(|(is_named, is_beside)| class(Role::Asked, Hint { is_named, is_beside }));
        let pays = classes.iter().filter_map(|class| self.kinds.get(*class)).map(|class| class.pay);
        let sum = pays.fold((0.0, 0.0), |sum, pay| (sum.0 + pay.reward, sum.1 + pay.time));
        sum.0 / sum.1.max(f32::MIN_POSITIVE)
    }

    /// What profiles of uploaders are worth, in units of rank, as was last said.
    pub(super) fn asking_told(&self) -> f32 {
        self.asking_told
    }

    /// What they are worth now, if that is to be said: every parked user has to be told.
    pub(super) fn new_asking(&mut self) -> Option<f32> {
        let now = (self.asking() / self.rate()).max(FLOOR);
        let is_news = (now - self.asking_told).abs() > MARKED * self.asking_told;
        is_news.then(|| {
            self.asking_told = now;
            now
        })
    }

    /// Whether things wait until their uploader has been asked.
    pub(super) fn asks(&self) -> bool {
        self.asks
    }

    /// Compares asking with fetching blindly, things of a user of whom `prior` is expected; `true` if asking has just
    /// stopped.
    pub(super) fn reconsider(&mut self, prior: f32) -> bool {
        let (asking, blindly) = (self.asking(), self.rate() * prior);
        let least = if self.asks { RELUCTANCE * blindly } else { blindly };
        let before = std::mem::replace(&mut self.asks, asking >= least);
        before && !self.asks
    }

    /// The group that links of a kind wait in, if they are nobody's.
    pub(super) fn group(kind: KindId) -> GroupId {
        GroupId(GROUPS + u64::from(kind.0))
    }

    /// What was said of the links in a group, if it is a kind's.
    pub(super) fn hint_of(&self, group: GroupId) -> Option<Hint> {
        let number = usize::try_from(group.0.checked_sub(GROUPS)?).ok()?;
        self.kinds.get(number).map(|kind| kind.hint)
    }

    /// The role of a link, and its kind, by its URL, if it was placed.
    pub(super) fn placed(&self, url: &CanonicalUrl) -> Option<(Role, KindId)> {
        let number = *self.seen.get(&short(url))?;
        self.kinds.get(usize::from(number)).map(|kind| (kind.role, KindId(number)))
    }

    /// A link is being placed; whether it is new.
    pub(super) fn place(&mut self, url: &CanonicalUrl, kind: KindId) -> bool {
        if self.seen.len() >= MAX_SEEN {
            self.seen.clear();
        }
        self.seen.insert(short(url), kind.0).is_none()
    }

    /// A new thing of a user waits.
    pub(super) fn waits(&mut self, user: UserId) {
        if self.things.len() >= MAX_COUNTED {
            self.things.clear();
        }
        let count = self.things.entry(user).or_default();
        *count = count.saturating_add(1);
    }

    /// A thing of a user was fetched, or could not be.
    pub(super) fn came(&mut self, user: UserId) {
        if let Some(count) = self.things.get_mut(&user) {
            *count = count.saturating_sub(1);
        }
    }

    /// How many things of a user wait.
    pub(super) fn waiting(&self, user: UserId) -> u16 {
        self.things.get(&user).copied().unwrap_or(0)
    }

    /// A visit of a kind paid `reward` in `time`.
    pub(super) fn note(&mut self, kind: KindId, reward: f32, time: f32) {
        let Some(found) = self.kinds.get_mut(usize::from(kind.0)) else { return };
        found.pay.note(reward, time, MEMORY);
        let class = class(found.role, found.hint);
        if class != usize::from(kind.0)
            && let Some(class) = self.kinds.get_mut(class)
        {
            class.pay.note(reward, time, MEMORY);
        }
    }

    /// A thing of an uploader of `rank` was fetched.
    pub(super) fn note_ranked(&mut self, is_wanted: bool, rank: f32) {
        self.rate.note(f32::from(u8::from(is_wanted)), rank, RATE_MEMORY);
    }

    /// A visit ended.
    pub(super) fn ended(&mut self, is_wanted: bool) {
        self.going += (f32::from(u8::from(is_wanted)) - self.going) / RATE_MEMORY;
    }

    /// Gives the group of a new kind its first factor.
    pub(super) fn introduce(&mut self, kind: KindId, placing: &mut Placing) {
        let worth = self.worth(kind);
        if let Some(found) = self.kinds.get_mut(usize::from(kind.0)).filter(|found| found.told == 0.0) {
            found.told = worth;
            placing.factor(Self::group(kind), worth);
        }
    }

    /// Moves the groups of kinds whose worth has changed.
    pub(super) fn tell(&mut self, placing: &mut Placing) {
        let rate = self.rate();
        for (number, kind) in self.kinds.iter_mut().enumerate() {
            if kind.told == 0.0 {
                continue;
            }
            let now = kind.pay.mean() / rate;
            if (now - kind.told).abs() > SLIGHT * kind.told {
                kind.told = now;
                placing.factor(Self::group(KindId(number as u16)), now);
            }
        }
    }

    pub(super) fn save(&self) -> SavedPays {
        let mut seen: Vec<(u32, u16)> = self.seen.iter().map(|(url, kind)| (*url, *kind)).collect();
        seen.sort_unstable();
        let mut things: Vec<(UserId, u16)> =
            self.things.iter().map(|(user, count)| (*user, *count)).collect();
        things.sort_unstable();
        let &Self { going, asking_told, asks, rate, .. } = self;
        SavedPays { kinds: self.kinds.clone(), seen, things, rate: Some(rate), going, asking_told, asks }
    }

    /// Nothing for the state of a crawl by an older version.
    pub(super) fn of_saved(saved: SavedPays) -> Self {
        let SavedPays { kinds, seen, things, rate, going, asking_told, asks } = saved;
        let (Some(rate), true) = (rate, kinds.len() >= CLASSES) else { return Self::default() };
        let numbers = (0u16..).zip(&kinds).skip(CLASSES).map(|(number, kind)| (kind.key, number)).collect();
        let (seen, things) = (seen.into_iter().collect(), things.into_iter().collect());
        Self { kinds, numbers, seen, things, rate, going, asking_told, asks }
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    /// A guess of 0.5 weighs two visits: after one that paid nothing, (29/30) / (29/30 * 2 + 1) = 0.3295.
    #[test]
    fn pay_by_hand() {
        let mut pays = Pays::default();
        let kind = pays.kind(Role::List, Hint::default(), 7);
        assert_eq!((pays.mean(kind), pays.kind(Role::List, Hint::default(), 7)), (0.5, kind));
        pays.note(kind, 0.0, 1.0);
        assert!((pays.mean(kind) - 0.3295).abs() < 1e-4, "{}", pays.mean(kind));
        // another kind of list starts where lists are now
        let other = pays.kind(Role::List, Hint::default(), 8);
        assert!((pays.mean(other) - pays.mean(kind)).abs() < 1e-6);
        let named = pays.kind(Role::List, Hint { is_named: true, is_beside: false }, 7);
        assert!(pays.mean(named) > 0.99);
        (0..200).for_each(|_| pays.note(kind, 0.0, 1.0));
        assert!(pays.mean(kind) < 0.01);
    }

    /// Profiles that show nothing worth the going rate: asking stops, and things need not wait.
    #[test]
    fn asking_has_a_price() {
        let mut pays = Pays::default();
        let kind = pays.kind(Role::Asked, Hint::default(), 1);
        assert!(!pays.reconsider(0.1) && pays.asks());
        let mut asked = 0;
        while pays.asks() && asked < 1000 {
            pays.note(kind, 0.0, 1.0);
            pays.reconsider(0.3);
            asked += 1;
        }
        assert!((1..60).contains(&asked), "{asked}");
        (0..60).for_each(|_| pays.note(kind, 4.0, 5.0));
        assert!(!pays.reconsider(0.3) && pays.asks());
    }

    #[test]
    fn kinds_are_bounded_and_survive() {
        let mut pays = Pays::default();
        for place in 0..10_000 {
            let kind = pays.kind(Role::Stray, Hint::default(), place);
            pays.note(kind, 1.0, 1.0);
        }
        assert_eq!(pays.kinds.len(), MAX_KINDS);
        let url = CanonicalUrl::parse("http://a.example/1", &UrlRules::default()).unwrap();
        let kind = pays.kind(Role::Stray, Hint::default(), 5);
        assert!(pays.place(&url, kind) && !pays.place(&url, kind));
        pays.waits(UserId(4));
        assert_eq!(pays.placed(&url), Some((Role::Stray, kind)));
        assert_eq!(Pays::of_saved(pays.save()), pays);
        assert_eq!(Pays::of_saved(SavedPays::default()), Pays::default());
    }
}
