//! Words that go with what is wanted, on this site: those that many of the best pages have and few others.
//!
//! A user says `cooking`; the pages say `oven` and `tablespoon`. The best answers among the known pages show such words
//! (feedback without a person, as search engines call it), and so do pages that were given or rated.

use osprey_text::Term;
use rustc_hash::FxHashMap;

use super::background::Background;
use super::digest::Digest;
use super::query::saturated;

/// Pages that words are taken from.
const BEST_PAGES: usize = 20;
/// What a page has to score for that.
const LEAST_SCORE: f32 = 0.15;
/// Pages that are needed: two may have anything in common.
const FEWEST_PAGES: usize = 3;
/// The share of them, and how many, that have to have a word.
const LEAST_SHARE: f32 = 0.15;
const FEWEST_WITH: usize = 2;
/// How much more often a word stands on them than elsewhere, as a logarithm.
const LEAST_LIFT: f32 = 0.7;
/// Words that are kept.
const MOST_WORDS: usize = 40;
/// A page with all of so many words scores 1.
const WHOLE: usize = 10;

/// Words that go with what is wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct Related {
    weights: FxHashMap<Term, f32>,
}

impl Related {
    /// Of pages with their scores; `given` pages count fully, of the others the best.
    pub(super) fn new<'a>(
        given: impl IntoIterator<Item = &'a Digest>,
        known: &[(f32, &'a Digest)],
        background: &Background,
    ) -> Self {
        let mut best: Vec<(f32, &Digest)> =
            known.iter().filter(|(score, _)| *score > LEAST_SCORE).copied().collect();
        // stable: of equals, those that came first
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.truncate(BEST_PAGES);
        let given: Vec<(f32, &Digest)> = given.into_iter().map(|page| (1.0, page)).collect();
        if given.is_empty() && best.len() < FEWEST_PAGES {
            return Self::default();
        }
        best.extend(given);
        Self { weights: weights(&best, background) }
    }

    /// How much a page has of them: 0 to about 1.
    pub(super) fn score(&self, page: &Digest, background: &Background) -> f32 {
        if self.weights.is_empty() {
            return 0.0;
        }
        let found = page.all_counts().filter_map(|(term, count)| {
            let weight = self.weights.get(&term)?;
            Some(weight * saturated(count, page.length, background))
        });
        found.sum::<f32>().min(2.0)
    }
}

fn weights(best: &[(f32, &Digest)], background: &Background) -> FxHashMap<Term, f32> {
    let mut found: FxHashMap<Term, (f32, usize)> = FxHashMap::default();
    for (score, page) in best {
        for (term, count) in page.all_counts() {
            let (sum, pages) = found.entry(term).or_default();
            *sum += score * (1.5 * count / (count + 1.0)).min(1.0);
            *pages += 1;
        }
    }
    let total: f32 = best.iter().map(|(score, _)| score).sum();
    let fewest = FEWEST_WITH.max((LEAST_SHARE * best.len() as f32).ceil() as usize).min(best.len());
    let telling =
        found.into_iter().filter(|(_, (_, pages))| *pages >= fewest).filter_map(|(term, (sum, _))| {
            let share = sum / (total + 0.5);
            let lift = (share / background.share(term)).ln();
            (lift > LEAST_LIFT).then_some((term, lift * share))
        });
    let mut telling: Vec<(Term, f32)> = telling.collect();
    telling.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    telling.truncate(MOST_WORDS);
    let whole: f32 = telling.iter().take(WHOLE).map(|(_, weight)| weight).sum();
    let scaled = |(term, weight): (Term, f32)| (term, if whole > 0.0 { weight / whole } else { 0.0 });
    telling.into_iter().map(scaled).collect()
}
