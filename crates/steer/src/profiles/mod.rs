//! What uploaders are interested in (Zhang & Nasraoui 2009, section 5): the terms of their profiles, and their
//! contacts.
//!
//! `inner` is the cosine of a user's terms and the topic (equation 1), `inter` the mean `inner` of the user's contacts
//! (equation 2), and the rank `α * inner + β * inter` (equation 5). Ranks are updated as pages arrive. A profile page
//! costs its own terms and, if the owner's `inner` has moved by more than 1/512 since the last update, one addition per
//! user who has the owner as a contact. The limit matters for users with very many followers, whose `inner` changes a
//! little all the time.
//!
//! Interpretations: contacts with unknown profiles do not count in the mean; otherwise every user would fall while
//! little is known. A user without terms but with contacts has the rank of the contacts alone. A user is not a contact
//! of himself. Cycles of contacts are harmless, because `inter` looks one step ahead.
//!
//! Inner ranks are whole numbers, so sums do not depend on the order of pages, and a resumed crawl has exactly the same
//! ranks.
//!
//! A user takes a few hundred bytes: a word is stored as 32 bits and a count, because the length of a vector only
//! depends on which words are equal. Beyond `MAX_TERMS` words only those of the topic are kept, and each further word
//! adds to the length like a new one.

mod saved;

pub use saved::SavedProfiles;

use osprey_text::{Term, Vector};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A user, by a key of the caller's choice: a hash of the profile's URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UserId(pub u64);

/// Where terms of a profile come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Tags of the user's pictures.
    Tags,
    /// Names of sets, albums or playlists.
    Sets,
    /// Names of collections.
    Collections,
    /// Names of groups.
    Groups,
    /// Anything else the user says.
    Text,
}

/// How often a term counts, by its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "one for each source")]
pub struct SourceWeights {
    pub tags: u32,
    pub sets: u32,
    pub collections: u32,
    pub groups: u32,
    pub text: u32,
}

impl Default for SourceWeights {
    fn default() -> Self {
        Self { tags: 1, sets: 1, collections: 1, groups: 1, text: 1 }
    }
}

impl SourceWeights {
    fn of(&self, source: Source) -> u32 {
        match source {
            Source::Tags => self.tags,
            Source::Sets => self.sets,
            Source::Collections => self.collections,
            Source::Groups => self.groups,
            Source::Text => self.text,
        }
    }
}

/// α, β and the weights of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileRules {
    /// α: the weight of the user's own terms.
    pub inner: f32,
    /// β: the weight of the contacts.
    pub inter: f32,
    /// Weights of the sources.
    pub sources: SourceWeights,
}

impl Default for ProfileRules {
    fn default() -> Self {
        Self { inner: 0.5, inter: 0.5, sources: SourceWeights::default() }
    }
}

/// A user's rank and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// From the user's own terms; `None` if there are none.
    pub inner: Option<f32>,
    /// From the contacts; `None` if none is known.
    pub inter: Option<f32>,
    /// Both, weighted.
    pub total: f32,
}

/// Users that are kept; of more, nothing is learned.
const MAX_USERS: usize = 1_000_000;
/// Different words of one user that are kept, beside those of the topic.
const MAX_TERMS: usize = 256;
/// Contacts of one user.
const MAX_CONTACTS: usize = 256;
/// One, as an inner rank.
const ONE: f64 = (1u64 << 32) as f64;
/// By how much an inner rank has to have moved for those who have its user as a contact to be told: 1/512. Their
/// `inter` is a mean of such ranks, so that it is never further from what it should be.
const EPSILON: i64 = 1 << 23;

/// A word of a profile, and how often it stands there.
type Said = (u32, u16);

#[derive(Clone, Debug, Default, PartialEq)]
struct User {
    /// In the order of the words.
    terms: Vec<Said>,
    /// Squares of words past the bound.
    more: u32,
    /// In parts of [`ONE`].
    inner: Option<i64>,
    /// The inner rank that the followers were told.
    told: Option<i64>,
    contacts: Vec<u32>,
    followers: Vec<u32>,
    /// Of the contacts whose inner rank is known: sum and count, as they told it.
    sum: i64,
    known: u32,
}

/// The topic as profiles are compared with it: in the order of the words.
#[derive(Clone, Debug, Default, PartialEq)]
struct Topic {
    words: Vec<(u32, f32)>,
    length: f32,
}

impl Topic {
    fn of(vector: &Vector) -> Self {
        let mut words: Vec<(u32, f32)> =
            vector.entries().iter().map(|(term, weight)| (short(*term), *weight)).collect();
        words.sort_unstable_by_key(|(word, _)| *word);
        Self { words, length: vector.length() }
    }

    fn has(&self, word: u32) -> bool {
        self.words.binary_search_by_key(&word, |(word, _)| *word).is_ok()
    }

    /// Equation 1, in parts of [`ONE`].
    fn inner(&self, user: &User) -> Option<i64> {
        if user.terms.is_empty() {
            return None;
        }
        let mut dot = 0.0;
        for (word, weight) in &self.words {
            if let Ok(at) = user.terms.binary_search_by_key(word, |(word, _)| *word) {
                dot += user.terms.get(at).map_or(0.0, |(_, count)| f64::from(*count)) * f64::from(*weight);
            }
        }
        let squares: f64 = user.terms.iter().map(|(_, count)| f64::from(*count) * f64::from(*count)).sum();
        let lengths = (squares + f64::from(user.more)).sqrt() * f64::from(self.length);
        Some(if lengths > 0.0 { ((dot / lengths).clamp(0.0, 1.0) * ONE).round() as i64 } else { 0 })
    }
}

/// All that is kept of a term: two words of one user are taken for one once in millions of users.
fn short(term: Term) -> u32 {
    term.key() as u32
}

/// All users, their ranks kept up.
#[derive(Clone, Debug, Default)]
pub struct Profiles {
    rules: ProfileRules,
    topic: Topic,
    ids: Vec<UserId>,
    numbers: FxHashMap<UserId, u32>,
    users: Vec<User>,
    /// Of all users with an inner rank: sum and count.
    sum: i64,
    known: u32,
}

impl Profiles {
    /// For a topic. Its terms and those of profiles must be read in the same language.
    pub fn new(topic: &Vector, rules: ProfileRules) -> Self {
        Self { rules, topic: Topic::of(topic), ..Self::default() }
    }

    /// Adds terms to a profile. `moved` gets the users whose ranks may have changed.
    pub fn add_terms(
        &mut self,
        user: UserId,
        source: Source,
        terms: impl IntoIterator<Item = Term>,
        moved: &mut Vec<UserId>,
    ) {
        let weight = self.rules.sources.of(source);
        let mut new: Vec<u32> = terms.into_iter().map(short).collect();
        if new.is_empty() || weight == 0 {
            return;
        }
        let Some(number) = self.number(user) else { return };
        new.sort_unstable();
        if let Some(user) = self.users.get_mut(number as usize) {
            user.add(&new, weight, &self.topic);
        }
        self.refresh(number, moved);
    }

    /// `contact` is one of `user`'s. `moved` gets the user if the rank may have changed.
    pub fn add_contact(&mut self, user: UserId, contact: UserId, moved: &mut Vec<UserId>) {
        if user == contact {
            return;
        }
        let (Some(from), Some(to)) = (self.number(user), self.number(contact)) else { return };
        let Some(place) = self.users.get_mut(from as usize) else { return };
        let Err(at) = place.contacts.binary_search(&to) else { return };
        if place.contacts.len() >= MAX_CONTACTS {
            return;
        }
        place.contacts.insert(at, to);
        let Some(contact) = self.users.get_mut(to as usize) else { return };
        contact.followers.push(from);
        if let (Some(inner), Some(place)) = (contact.told, self.users.get_mut(from as usize)) {
            place.sum += inner;
            place.known += 1;
            moved.push(user);
        }
    }

    /// The rank of a user; `None` if nothing is known.
    pub fn rank(&self, user: UserId) -> Option<Rank> {
        let user = self.users.get(*self.numbers.get(&user)? as usize)?;
        let inner = user.inner.map(|inner| (inner as f64 / ONE) as f32);
        let inter = (user.known > 0).then(|| (user.sum as f64 / ONE / f64::from(user.known)) as f32);
        if inner.is_none() && inter.is_none() {
            return None;
        }
        let total = self.rules.inner * inner.unwrap_or(0.0) + self.rules.inter * inter.unwrap_or(0.0);
        Some(Rank { inner, inter, total })
    }

    /// What to expect of a user of whom nothing is known: the mean inner rank of all others, as a rank. `None` if
    /// nobody is known.
    pub fn expected(&self) -> Option<f32> {
        let mean = || (self.sum as f64 / ONE / f64::from(self.known)) as f32;
        (self.known > 0).then(|| (self.rules.inner + self.rules.inter) * mean())
    }

    /// Users of whom something was heard.
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// All users with a rank, in the order they were first heard of.
    pub fn ranks(&self) -> impl Iterator<Item = (UserId, Rank)> {
        self.ids.iter().filter_map(|id| Some((*id, self.rank(*id)?)))
    }

    fn number(&mut self, user: UserId) -> Option<u32> {
        if let Some(number) = self.numbers.get(&user) {
            return Some(*number);
        }
        if self.users.len() >= MAX_USERS {
            return None;
        }
        let number = self.users.len() as u32;
        self.ids.push(user);
        self.users.push(User::default());
        self.numbers.insert(user, number);
        Some(number)
    }

    /// A user's terms changed: makes the inner rank anew and tells those who have the user as a contact, if they were
    /// told something that is too far from it.
    fn refresh(&mut self, number: u32, moved: &mut Vec<UserId>) {
        let Some(user) = self.users.get_mut(number as usize) else { return };
        let before = user.inner;
        user.inner = self.topic.inner(user);
        if user.inner == before {
            return;
        }
        self.sum += user.inner.unwrap_or(0) - before.unwrap_or(0);
        self.known += u32::from(before.is_none());
        moved.extend(self.ids.get(number as usize));
        if let (Some(inner), Some(told)) = (user.inner, user.told)
            && (inner - told).abs() <= EPSILON
        {
            return;
        }
        let (change, known) =
            (user.inner.unwrap_or(0) - user.told.unwrap_or(0), u32::from(user.told.is_none()));
        user.told = user.inner;
        // taken out while others are changed; nobody follows himself
        let followers = std::mem::take(&mut user.followers);
        for &follower in &followers {
            if let Some(place) = self.users.get_mut(follower as usize) {
                place.sum += change;
                place.known += known;
                moved.extend(self.ids.get(follower as usize));
            }
        }
        if let Some(user) = self.users.get_mut(number as usize) {
            user.followers = followers;
        }
    }

    /// Makes followers, sums and counts anew from terms, contacts and what was told.
    fn sum_up(&mut self) {
        (self.sum, self.known) = (0, 0);
        for user in &mut self.users {
            user.inner = self.topic.inner(user);
            self.sum += user.inner.unwrap_or(0);
            self.known += u32::from(user.inner.is_some());
            (user.sum, user.known) = (0, 0);
            user.followers.clear();
        }
        for number in 0..self.users.len() {
            let contacts = self.users.get(number).map(|user| user.contacts.clone()).unwrap_or_default();
            let (mut sum, mut known) = (0, 0);
            for contact in contacts {
                let Some(contact) = self.users.get_mut(contact as usize) else { continue };
                contact.followers.push(number as u32);
                sum += contact.told.unwrap_or(0);
                known += u32::from(contact.told.is_some());
            }
            if let Some(user) = self.users.get_mut(number) {
                (user.sum, user.known) = (sum, known);
            }
        }
    }
}

impl User {
    /// Counts sorted words, each `weight` times.
    fn add(&mut self, words: &[u32], weight: u32, topic: &Topic) {
        let mut added: Vec<Said> = Vec::new();
        for run in words.chunk_by(|a, b| a == b) {
            let Some(word) = run.first() else { continue };
            let count = weight.saturating_mul(run.len() as u32);
            let narrow = u16::try_from(count).unwrap_or(u16::MAX);
            match self.terms.binary_search_by_key(word, |(word, _)| *word) {
                Ok(at) => {
                    self.terms.get_mut(at).into_iter().for_each(|(_, sum)| *sum = sum.saturating_add(narrow));
                }
                Err(_) if self.terms.len() + added.len() < MAX_TERMS || topic.has(*word) => {
                    added.push((*word, narrow));
                }
                Err(_) => self.more = self.more.saturating_add(count.saturating_mul(count)),
            }
        }
        self.terms.append(&mut added);
        self.terms.sort_unstable_by_key(|(word, _)| *word);
    }
}

#[cfg(test)]
mod tests;
