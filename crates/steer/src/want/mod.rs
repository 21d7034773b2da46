//! What a page is worth to the user: the one answer that judge, policies, index and server share.
//!
//! `worth = kind x topic`, from 0 to 1. *Kind*: is it a page of the wanted kind (an item, unless the user says otherwise)?
//! *Topic*: are its title, tags and main text about what the user asked for, in the user's words or in words that go with
//! them on this site? The score is calibrated on the pages that are known, so that 0.5 is even. Ratings and examples then
//! move pages that are like them; a rated page is worth what its rating says.
//!
//! What is usual on the site is in a [`Background`]. Without one (a crawl that has just begun) all words count the same,
//! menus are taken for text, and the threshold is a usual one.

mod background;
mod digest;
mod looks;
mod place;
mod query;
mod ratings;
mod related;
mod threshold;

use std::sync::Arc;

use osprey_model::PageType;
use osprey_page::Page;
use osprey_structure::Reading;
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::background::{Background, BackgroundCounter, Way};
use self::digest::{Digest, Kind};
use self::query::Query;
use self::ratings::RatingModel;
use self::related::Related;
use self::threshold::{calibrated, threshold};
use crate::{Known, PageKinds, SteeringConfigError, Subject};

/// A page of the wanted kind.
const IS_KIND: f32 = 0.98;
/// A page of another kind.
const IS_OTHER_KIND: f32 = 0.03;
/// A page whose kind says nothing.
const IS_UNCLEAR: f32 = 0.15;
/// A page that was rated good; a bad one has the rest.
const RATED: f32 = 0.99;
/// Log odds of words and kind are held to this: ratings can overrule them.
const MOST_CERTAIN: f32 = 4.5;
/// A word that stands on this share of the pages does not separate them.
const TOO_COMMON: f32 = 0.5;
/// Pages that are needed to say so.
const ENOUGH_PAGES: usize = 20;

/// What a page is worth, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worth {
    /// 0 to 1.
    pub value: f32,
    /// What speaks for or against it, each 0 to 1: `kind`, `title`, `tags`, `text`, `related`, `topic`; `ratings` is 0.5
    /// where ratings move nothing; `rated` if a person has rated this page.
    pub parts: Vec<(&'static str, f32)>,
}

/// What the user wants, ready to look at pages.
#[derive(Clone, Debug)]
pub struct Want {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    query: Query,
    pages: PageKinds,
    /// Clusters of the examples: an example means its kind too.
    clusters: FxHashSet<u32>,
    background: Arc<Background>,
    related: Related,
    threshold: f32,
    ratings: RatingModel,
    /// By the fingerprint of their URLs.
    rated: FxHashMap<u64, bool>,
}

impl Want {
    /// Of a subject and what is known.
    pub fn new(subject: &Subject, known: &Known) -> Result<Self, SteeringConfigError> {
        let background = known.background.clone().unwrap_or_default();
        let query = Query::new(subject)?;
        let pages = known.examples.iter().chain(known.rated.iter());
        let read = |page: &Page| known.site.as_ref().map(|site| site.read(page));
        let given: Vec<(Digest, bool, u64)> = pages
            .map(|example| {
                let page = &example.page;
                let digest = background.digest(page, read(page).as_ref());
                (digest, example.is_wanted, page.url().fingerprint())
            })
            .collect();
        if query.is_silent() && !given.iter().any(|(_, is_wanted, _)| *is_wanted) {
            let message = "`want` has nothing to go by: give `topic.words`, `topic.tags`, `topic.examples` or rate a page as good";
            return Err(SteeringConfigError::new("judge.kind", message));
        }
        let rated =
            known.rated.iter().map(|rated| (rated.page.url().fingerprint(), rated.is_wanted)).collect();
        let examples = given.iter().take(known.examples.len()).filter(|(_, is_wanted, _)| *is_wanted);
        let clusters = examples
            .filter_map(|(digest, ..)| digest.kind.learned.and_then(|(_, cluster)| cluster))
            .collect();
        let mut inner = Inner {
            query,
            pages: subject.pages,
            clusters,
            background,
            related: Related::default(),
            threshold: threshold::USUAL,
            ratings: RatingModel::default(),
            rated,
        };
        inner.look_at_background(&given);
        inner.learn_ratings(given);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What a page is worth, and why.
    pub fn worth(&self, page: &Page, reading: Option<&Reading>) -> Worth {
        let mut worth = self.inner.worth(&self.inner.background.digest(page, reading));
        if let Some(value) = self.rated(page) {
            worth.value = value;
            worth.parts.push(("rated", value));
        }
        worth
    }

    /// What a page is worth, for who does not ask why.
    pub fn value(&self, page: &Page, reading: Option<&Reading>) -> f32 {
        self.rated(page).unwrap_or_else(|| self.inner.value(&self.inner.background.digest(page, reading)))
    }

    /// What a page is worth that a person has called good or bad.
    pub fn worth_of_rating(is_good: bool) -> f32 {
        if is_good { RATED } else { 1.0 - RATED }
    }

    /// What a rating of this very page says.
    fn rated(&self, page: &Page) -> Option<f32> {
        let is_good = self.inner.rated.get(&page.url().fingerprint())?;
        Some(Self::worth_of_rating(*is_good))
    }

    /// What the user should know of the want on this site: words that do not separate its pages.
    pub fn notes(&self) -> Vec<String> {
        let background = &self.inner.background;
        if background.pages_by_chance() < ENOUGH_PAGES {
            return Vec::new();
        }
        let shares = self.inner.query.shares(background).into_iter();
        let common = shares.filter(|(_, share)| *share >= TOO_COMMON);
        let note = |(word, share): (String, f32)| {
            format!(
                "`{word}` stands on {:.0} % of the pages of this site, so it does not tell wanted pages from others; add a \
                 word that does, an example page, or rate some pages",
                100.0 * share
            )
        };
        common.map(note).collect()
    }
}

impl Inner {
    /// Finds related words among the known pages, and where the scores of what is wanted begin.
    fn look_at_background(&mut self, given: &[(Digest, bool, u64)]) {
        let background = Arc::clone(&self.background);
        let known =
            |inner: &Self, page: &Digest| inner.kind(&page.kind) * inner.query.score(page, &background);
        let scored: Vec<(f32, &Digest)> =
            background.digests.iter().map(|page| (known(self, page), page)).collect();
        let good = given.iter().filter(|(_, is_good, _)| *is_good).map(|(digest, ..)| digest);
        self.related = Related::new(good, &scored, &background);
        let pages = background.digests.iter().filter(|page| self.kind(&page.kind) >= 0.5);
        self.threshold = threshold(pages.map(|page| (self.score(page), page.is_led)));
    }

    fn learn_ratings(&mut self, given: Vec<(Digest, bool, u64)>) {
        let rated: Vec<(Digest, bool, f32)> = given
            .into_iter()
            .map(|(digest, is_good, _)| {
                let offset = log_odds(self.by_words(&digest));
                (digest, is_good, offset)
            })
            .collect();
        self.ratings = RatingModel::fit(&rated, &self.background);
    }

    /// What words say of a page, not calibrated.
    fn score(&self, page: &Digest) -> f32 {
        self.query.score(page, &self.background) + self.related.score(page, &self.background)
    }

    /// What words and kind say.
    fn by_words(&self, page: &Digest) -> f32 {
        self.kind(&page.kind) * calibrated(self.score(page), self.threshold)
    }

    /// The same, moved by ratings.
    fn value(&self, page: &Digest) -> f32 {
        match self.ratings.is_empty() {
            true => self.by_words(page),
            false => {
                let moves = self.ratings.moves(page, &self.background);
                odds_as_share(log_odds(self.by_words(page)) + moves)
            }
        }
    }

    fn worth(&self, page: &Digest) -> Worth {
        let answer = self.query.answer(page, &self.background);
        let related = self.related.score(page, &self.background);
        let parts = [
            ("kind", self.kind(&page.kind)),
            ("title", answer.title),
            ("tags", answer.tags),
            ("text", answer.text),
            ("related", related.min(1.0)),
            ("topic", calibrated(self.score(page), self.threshold)),
            ("ratings", odds_as_share(self.ratings.moves(page, &self.background))),
        ];
        Worth { value: self.value(page), parts: parts.to_vec() }
    }

    /// Whether a page is of the wanted kind.
    fn kind(&self, kind: &Kind) -> f32 {
        let wanted = match self.pages {
            PageKinds::All => return 1.0,
            PageKinds::Items => PageType::Detail,
            PageKinds::People => PageType::Profile,
            PageKinds::Lists => PageType::List,
        };
        match (kind.marked, kind.learned) {
            (Some(true), _) => IS_KIND,
            (Some(false), _) => IS_OTHER_KIND,
            (None, Some((page_type, Some(cluster)))) if !self.clusters.is_empty() => {
                match (self.clusters.contains(&cluster), page_type == wanted) {
                    (true, _) => IS_KIND,
                    (false, true) => IS_UNCLEAR,
                    (false, false) => IS_OTHER_KIND,
                }
            }
            (None, Some((page_type, cluster))) if cluster.is_some() || page_type != PageType::Other => {
                match page_type {
                    found if found == wanted => IS_KIND,
                    PageType::Other => IS_UNCLEAR,
                    _ => IS_OTHER_KIND,
                }
            }
            // nothing was learned of it: by its looks
            _ if wanted == PageType::Detail => 0.05 + 0.9 * kind.looks_item,
            _ => IS_UNCLEAR.max(0.5 - kind.looks_item / 2.0),
        }
    }
}

/// A share as log odds, held to what words can be sure of.
fn log_odds(share: f32) -> f32 {
    let share = share.clamp(1e-4, 1.0 - 1e-4);
    (share / (1.0 - share)).ln().clamp(-MOST_CERTAIN, MOST_CERTAIN)
}

fn odds_as_share(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests;
