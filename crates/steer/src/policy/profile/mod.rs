//! `profile` and `profile-opic` (Zhang & Nasraoui 2009, sections 5 to 8; Zhang 2008, chapter IV): the score of an item
//! depends on what is known about its uploader.
//!
//! The policy distinguishes three kinds of link before following them ([`leads`]). Links to profiles of uploaders come
//! first. Links to items wait in the group of their uploader, parked until the rank of the uploader is known
//! ([`waiting`]). Lists come when they promise more than the waiting items ([`lists`]). In `profile-opic`, as in the
//! second experiment of Zhang & Nasraoui 2009, lists of the topic have score 1 and everything else its OPIC cash.
//!
//! By default a visit to a person or a list has a price: it is made when visits of its kind pay more than what could be
//! fetched instead ([`pay`], [`priced`]).
//!
//! The profile of a user is built from all pages about the user: the profile page, and every page of an item that the
//! user uploaded. Each page updates the rank ([`crate::profiles`]), and a change of rank changes one factor, for any
//! number of waiting links.

mod leads;
mod lists;
mod own_pages;
mod pay;
mod place;
mod priced;
mod rules;
mod table;
mod terms;
mod waiting;

use std::sync::Arc;

use osprey_model::{GroupId, LinkScore, PageType};
use osprey_page::{Link, Page};
use osprey_structure::extract::Record;
use osprey_text::{Hits, Language, Matcher, Term, Vector, url_tokens, with_reader};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) use self::rules::UploaderRules;
pub use self::table::{UploaderStanding, uploaders};

use self::leads::{Cards, user_at, user_named};
pub(super) use self::leads::{Leads, Sighted};
use self::lists::Yields;
use self::pay::{Pays, SavedPays};
use self::rules::PeopleRule;
use self::waiting::{Of, SavedWaiting, Waiting};
use super::opic::{key, mapped, origin, repeated};
use super::source::learned;
use super::{Cause, Failure, LinkFacts, Policy, Repeat, RestoreError, SitemapVisit, Visit};
use crate::baselines::{Opic, PageKey};
use crate::profiles::{Profiles, Rank, SavedProfiles, UserId};
use crate::{Known, Placing, SteeringConfigError, Subject};

/// Topic and profiles are read in one language, whatever it is: tags are words without sentences.
const LANGUAGE: Language = Language::English;
/// What the things of an uploader below the threshold are worth, of their rank: they come last, the best first.
const LAST: f32 = 1e-3;
/// The part of a score that says so.
const LAST_PART: &str = "last";
/// Items without a known owner.
const NOBODY: GroupId = GroupId(4);
/// Names of links that are remembered; the table is emptied when it is full.
const MAX_NAMED: usize = 100_000;
/// With fewer ranks, no share of them is looked for.
const FEWEST_RANKS: usize = 16;
/// The prior before it was first sent.
const NEVER_TOLD: f32 = -1.0;

/// What becomes of links that are neither to things nor to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// By what lists of their sort brought.
    ByYield,
    /// Lists of the topic are worth 1, the rest their cash.
    ByCash,
}

impl Others {
    /// The policy that does so.
    fn policy(self) -> &'static str {
        match self {
            Self::ByYield => "profile",
            Self::ByCash => "profile-opic",
        }
    }
}

/// The policy.
#[derive(Debug)]
pub(super) struct Uploaders {
    rules: UploaderRules,
    others: Others,
    leads: Leads,
    tags: Matcher,
    /// By URL and anchor: whether a link is named like a tag of the topic.
    named: FxHashMap<u64, bool>,
    state: State,
    sighted: Sighted,
    hits: Hits,
    cash: Vec<f32>,
    keys: Vec<PageKey>,
}

/// What was learned.
#[derive(Debug)]
struct State {
    visits: u64,
    profiles: Profiles,
    waiting: Waiting,
    yields: Yields,
    /// The score that was sent for items without a known owner.
    prior_told: f32,
    cut: Cut,
    opic: Opic,
    pays: Pays,
}

/// From which rank on an uploader is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cut {
    rank: f32,
    /// Ranks that were known when it was set.
    of: usize,
}

/// What a user's list is worth, of the user's things: it brings more of them, and much else.
const LIST: f32 = 0.5;
/// The part of a score that says so.
const OWN_LIST: &str = "own_list";

/// Whose page is being looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Owner {
    user: UserId,
    page: Owned,
}

/// What a page is to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owned {
    /// It says who the owner is.
    Profile,
    /// It shows what the owner uploaded.
    List,
    /// The page shows what its owner uploaded; other items on it may belong to other users.
    Thing,
}

impl Uploaders {
    pub(super) fn new(
        rules: &UploaderRules,
        others: Others,
        subject: &Subject,
        known: &Known,
    ) -> Result<Self, SteeringConfigError> {
        rules.check()?;
        let name = others.policy();
        let site = Arc::clone(learned(name, known)?);
        let tags: Vec<&str> = subject.tags.iter().chain(&subject.content_terms).map(String::as_str).collect();
        let terms: Vec<Term> =
            with_reader(|reader| tags.iter().flat_map(|tag| reader.terms(tag, LANGUAGE)).collect());
        if terms.is_empty() {
            return Err(SteeringConfigError::new(
                "policy.kind",
                format!("`{name}` needs a topic: give `topic.tags`"),
            ));
        }
        let topic = Vector::of(terms.into_iter().map(|term| (term, 1.0)));
        let mut policy = Self {
            state: State {
                visits: 0,
                profiles: Profiles::new(&topic, rules.of_profiles()),
                waiting: Waiting::default(),
                yields: Yields::default(),
                prior_told: NEVER_TOLD,
                cut: Cut { rank: rules.threshold, of: FEWEST_RANKS },
                opic: Opic::default(),
                pays: Pays::default(),
            },
            rules: rules.clone(),
            others,
            leads: Leads::new(site),
            tags: Matcher::new(tags),
            named: FxHashMap::default(),
            sighted: Sighted::default(),
            hits: Hits::default(),
            cash: Vec::new(),
            keys: Vec::new(),
        };
        for record in known.records.iter() {
            if let Some((url, _)) = table::person(record) {
                policy.learn(user_at(&url), Some(record), &mut Vec::new());
            }
        }
        Ok(policy)
    }

    /// What is expected of a user of whom nothing is known.
    fn prior(&self) -> f32 {
        self.state.profiles.expected().unwrap_or(self.rules.prior)
    }

    /// Whether items of a user with that rank come last.
    fn is_last(&self, rank: f32) -> bool {
        self.others == Others::ByYield && rank <= self.state.cut.rank
    }

    /// What things of a user are worth; `None` while that has to be waited for.
    fn worth(&self, user: UserId) -> Option<f32> {
        match self.state.profiles.rank(user) {
            Some(Rank { total, .. }) if self.is_last(total) => Some(total * LAST),
            Some(Rank { total, .. }) => Some(total),
            None => self.state.waiting.is_tried(user).then(|| self.prior()),
        }
    }

    /// Advances the time and releases links that have waited too long.
    fn tick(&mut self, placing: &mut Placing) {
        self.state.visits += 1;
        let prior = self.prior();
        while let Some(user) = self.state.waiting.overdue(self.state.visits) {
            self.state.waiting.settle(user, prior, placing);
        }
        let told = self.state.prior_told;
        if told == NEVER_TOLD || (prior - told).abs() > 0.05 * told {
            placing.factor(NOBODY, prior);
            self.state.prior_told = prior;
        }
        if self.is_priced() {
            self.tell_pays(prior, placing);
        } else if self.others == Others::ByYield {
            self.state.yields.tell(placing);
        }
    }

    /// Whether visits to people and lists have a price.
    fn is_priced(&self) -> bool {
        self.others == Others::ByYield && self.rules.people == PeopleRule::Priced
    }

    /// Says what has become of users whose ranks may have moved.
    fn settle(&mut self, mut moved: Vec<UserId>, placing: &mut Placing) {
        moved.sort_unstable();
        moved.dedup();
        for user in moved {
            if let Some(worth) = self.worth(user) {
                self.is_known_now(user, worth, placing);
                self.state.waiting.settle(user, worth, placing);
            }
        }
    }

    /// The profile of a user is not coming: with what else is known, or with nothing.
    fn give_up(&mut self, user: UserId, placing: &mut Placing) {
        self.state.waiting.tried(user);
        self.settle(vec![user], placing);
    }

    /// Where a share of the ranks is asked for, it is measured anew each time their number has doubled; that keeps the
    /// cost of a visit flat.
    fn measure_cut(&mut self, placing: &mut Placing) {
        if self.rules.top_share <= 0.0 || self.state.profiles.len() < 2 * self.state.cut.of {
            return;
        }
        let mut ranks: Vec<f32> = self.state.profiles.ranks().map(|(_, rank)| rank.total).collect();
        ranks.sort_unstable_by(|a, b| b.total_cmp(a));
        // who has the rank itself is not above it, so it is that of the first who is out, and one is always in
        let place = ((ranks.len() as f32 * self.rules.top_share) as usize).max(1);
        let rank = ranks.get(place).copied().unwrap_or(0.0).max(self.rules.threshold);
        self.state.cut = Cut { rank, of: self.state.profiles.len() };
        self.settle(self.state.waiting.with_things(), placing);
    }

    /// Takes what a page says of a user.
    fn learn(&mut self, user: UserId, record: Option<&Record>, moved: &mut Vec<UserId>) -> bool {
        let Some(record) = record else { return false };
        let mut found = false;
        let profiles = &mut self.state.profiles;
        with_reader(|reader| {
            terms::each_text(record, |source, text| {
                let terms = reader.terms(text, LANGUAGE);
                found |= !terms.is_empty();
                profiles.add_terms(user, source, terms, moved);
            });
        });
        found
    }

    /// Reads a profile page: terms, else the words of the page; contacts, else the users it links to.
    fn read_profile(&mut self, user: UserId, visit: &Visit<'_>, moved: &mut Vec<UserId>) {
        let record = visit.reading.and_then(|reading| reading.record.as_ref());
        if !self.learn(user, record, moved) {
            // the words that were read already, if they are stemmed by the rules of the topic's language
            let words: Vec<Term> = match visit.words() {
                words if words.language() == LANGUAGE => {
                    words.tokens().iter().map(|token| token.term).collect()
                }
                _ => with_reader(|reader| reader.terms(visit.page.text(), LANGUAGE)),
            };
            self.state.profiles.add_terms(user, crate::profiles::Source::Text, words, moved);
        }
        let named = record.into_iter().flat_map(|record| &record.contacts);
        let named = named.filter_map(|person| user_named(person.url.as_deref()?, visit.page));
        let named: Vec<UserId> = named.collect();
        let people = self.sighted.users.iter().zip(&self.sighted.leads);
        let people = people.filter(|(_, lead)| **lead == Some(PageType::Profile));
        let linked = people.map(|(user, _)| *user);
        let contacts = if named.is_empty() { linked.collect() } else { named };
        for contact in contacts {
            self.state.profiles.add_contact(user, contact, moved);
        }
        self.state.waiting.tried(user);
        moved.push(user);
    }

    /// The user that the page belongs to, if any.
    fn whose(&self, visit: &Visit<'_>) -> Option<Owner> {
        let page_type = visit.reading.map(|reading| reading.page_type).unwrap_or_default();
        // what was placed as a thing may turn out to be anything; a list that bears the owner's name is the owner's
        let is_list = visit.part(OWN_LIST).is_some();
        let group = self.state.waiting.whose(visit.group);
        let user_and_page = match (group, page_type) {
            // what was placed as somebody's list and is at its own address
            (Some(Of::Things(user)), PageType::Other)
                if is_list && self.state.pays.placed(visit.page.url()).is_some() =>
            {
                (user, Owned::List)
            }
            // a page that asks to log in, say, where somebody's was expected
            (_, PageType::Other) => return None,
            (Some(Of::Profile(user)), _) => (user, Owned::Profile),
            (Some(Of::Things(user)), PageType::Profile) if is_list => (user, Owned::Profile),
            (Some(Of::Things(user)), PageType::List) if is_list => (user, Owned::List),
            (_, PageType::Profile) => (user_at(visit.page.url()), Owned::Profile),
            (_, PageType::Detail) => {
                let record = visit.reading.and_then(|reading| reading.record.as_ref())?;
                (user_named(record.uploader_url.as_deref()?, visit.page)?, Owned::Thing)
            }
            _ => return None,
        };
        let (user, page) = user_and_page;
        Some(Owner { user, page })
    }

    /// Whether a link is named like a tag of the topic, by its anchor or its URL. Menus repeat, so answers are
    /// remembered.
    fn is_topical(&mut self, page: &Page, link: &Link) -> bool {
        let anchor = page.anchor(link);
        let name = link.url.fingerprint() ^ xxh3_64(anchor.as_bytes());
        if let Some(known) = self.named.get(&name) {
            return *known;
        }
        let Self { tags, hits, .. } = self;
        let is_topical = with_reader(|reader| {
            let mut has = |text: &str| {
                tags.count(reader, text, LANGUAGE, hits);
                hits.counts().iter().any(|count| *count > 0)
            };
            has(anchor)
                || url_tokens(link.url.path_and_query())
                    .any(|token| has(&token.text.replace(['+', '_'], " ")))
        });
        if self.named.len() >= MAX_NAMED {
            self.named.clear();
        }
        self.named.insert(name, is_topical);
        is_topical
    }
}

impl Policy for Uploaders {
    fn name(&self) -> &'static str {
        self.others.policy()
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let page = visit.page;
        let (cluster, page_type) =
            visit.reading.map(|reading| (reading.cluster, reading.page_type)).unwrap_or_default();
        self.leads.sight(cluster, page_type, page, &mut self.sighted);
        if self.others == Others::ByCash {
            self.keys.clear();
            self.keys.extend(self.sighted.users.iter().map(|user| PageKey(user.0)));
            self.state.opic.fetched(key(page.url()), origin(visit.why), &self.keys, &mut self.cash);
        }
        let mut moved = Vec::new();
        let owner = self.whose(visit);
        match (owner, self.state.waiting.whose(visit.group)) {
            (Some(Owner { user, page: Owned::Profile }), _) => self.read_profile(user, visit, &mut moved),
            (Some(Owner { user, page: Owned::Thing }), _) => {
                let record = visit.reading.and_then(|reading| reading.record.as_ref());
                self.learn(user, record, &mut moved);
            }
            (Some(Owner { user, page: Owned::List }), _) => self.read_own_list(user, visit, &mut moved),
            (None, Some(Of::Profile(user))) => self.give_up(user, placing),
            _ => {}
        }
        self.settle(moved, placing);
        if self.is_priced() {
            self.place_priced(visit, owner, placing);
        } else {
            self.note_yield(visit, owner);
            self.place(visit, owner, placing);
        }
        self.measure_cut(placing);
        self.tick(placing);
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        if self.others == Others::ByCash {
            mapped(&mut self.state.opic, map, &mut self.keys, &mut self.cash);
        }
        for link in 0..map.entries.len() {
            placing.add(link, NOBODY, LinkScore::ONE, &[("prior", self.prior())]);
        }
        self.tick(placing);
    }

    fn on_failure(&mut self, failure: &Failure<'_>, placing: &mut Placing) {
        let group = failure.group.and_then(|group| self.state.waiting.whose(group));
        let of_url = user_at(failure.url);
        self.state.opic.vanished(key(failure.url));
        match group {
            Some(Of::Profile(user)) => self.give_up(user, placing),
            _ if self.state.waiting.is_met(of_url) => self.give_up(of_url, placing),
            _ => {}
        }
        if self.is_priced() && !matches!(failure.cause, Cause::Skipped(_)) {
            self.note_vain(failure.url, group, placing);
        }
        self.tick(placing);
    }

    /// A profile that is another page under a second address, or a redirect: if its target still comes, it is read.
    fn on_repeat(&mut self, repeat: &Repeat<'_>, placing: &mut Placing) {
        if self.others == Others::ByCash {
            repeated(&mut self.state.opic, repeat);
        }
        let group = self.state.waiting.whose(repeat.group);
        if let Some(Of::Profile(user)) = group {
            self.give_up(user, placing);
        }
        if self.is_priced() {
            self.note_vain(repeat.url, group, placing);
        }
        self.tick(placing);
    }

    /// Only parked items are left; no further profile will arrive.
    fn on_blocked(&mut self, placing: &mut Placing) {
        let prior = self.prior();
        for user in self.state.waiting.parked() {
            self.state.waiting.settle(user, prior, placing);
        }
    }

    fn group_noun(&self) -> &'static str {
        "uploaders"
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        if let Some(Of::Things(user)) = self.state.waiting.whose(link.group)
            && let Some(Rank { inner, inter, total }) = self.state.profiles.rank(user)
        {
            let told =
                |rank: Option<f32>| rank.map_or_else(|| "not known".to_owned(), |rank| format!("{rank:.3}"));
            return format!(
                "its uploader has rank {total:.3}: {} x inner {}, {} x inter {}",
                self.rules.inner,
                told(inner),
                self.rules.inter,
                told(inter)
            );
        }
        match link.parts.first().map(|(name, value)| (name.as_str(), *value)) {
            Some(("uploader", worth)) if self.is_priced() => format!(
                "the profile of an uploader; visits of such profiles have paid {worth:.3}, in units of rank, and {}",
                if self.state.pays.asks() { "items wait for them" } else { "items do not wait for them" }
            ),
            Some(("uploader", _)) => {
                "the profile of an uploader; links to the uploader's items wait for its rank".to_owned()
            }
            Some(("named_by", rank)) => {
                format!("the profile of a user named on a page of rank {rank:.3}")
            }
            Some(("prior", prior)) if link.factor.is_none() => {
                format!("waits for the rank of its uploader; expected rank {prior:.3}")
            }
            Some(("prior", prior)) => {
                format!("its uploader was unknown when it was found; expected rank {prior:.3}")
            }
            Some(("known", worth)) => format!(
                "the profile of an uploader of whom enough is known; a list of items of rank {:.3}",
                worth / LIST
            ),
            Some(("paid", worth)) => {
                format!("visits of links like this one have paid {worth:.3}, in units of rank")
            }
            Some(("topic", _)) => "a list whose name matches the topic".to_owned(),
            Some(("cash", cash)) => format!("it has received {cash:.6} of the cash"),
            Some(("yield", mean)) => {
                format!("recent lists of its kind showed uploaders of mean rank {mean:.3}")
            }
            _ => "a seed".to_owned(),
        }
    }

    fn snapshot(&self) -> Vec<u8> {
        let State { visits, profiles, waiting, yields, prior_told, cut, opic, pays } = &self.state;
        let saved = (visits, waiting.save(), yields, prior_told, cut, opic, &self.leads.cards, profiles);
        postcard::to_stdvec(&(saved, pays.save())).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        type Saved = (u64, SavedWaiting, Yields, f32, Cut, Opic, Cards, SavedProfiles);
        let wrong = |cause: postcard::Error| RestoreError { policy: self.name(), cause: cause.to_string() };
        let (saved, rest): (Saved, &[u8]) = postcard::take_from_bytes(snapshot).map_err(wrong)?;
        // older versions stored no pays
        let pays = if rest.is_empty() {
            Ok(SavedPays::default())
        } else {
            postcard::from_bytes(rest).map_err(wrong)
        };
        let pays = Pays::of_saved(pays?);
        let (visits, waiting, yields, prior_told, cut, opic, cards, profiles) = saved;
        self.leads.cards = cards;
        self.state.profiles.restore(profiles);
        let waiting = Waiting::of_saved(waiting);
        let profiles = std::mem::take(&mut self.state.profiles);
        self.state = State { visits, profiles, waiting, yields, prior_told, cut, opic, pays };
        Ok(())
    }
}

#[cfg(test)]
mod tests;
