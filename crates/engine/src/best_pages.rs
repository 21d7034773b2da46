//! The feedback of de Assis et al. 2009: look at the best pages so far and their terms, accept some and drop others, and
//! judge again.
//!
//! The pages are those of the archive, judged with the topic as it is now, so that a changed term shows what it does
//! without a crawl. Proposed are the terms that unexpectedly many of the best pages have, compared with the project's
//! other pages.

use osprey_archive::Damage;
use osprey_page::Page;
use osprey_steer::genre::{HowMany, Proposal, Ranking, RarityCounter, generate};
use osprey_steer::{Judge, JudgeKind, Subject};
use osprey_text::{Language, PageWords, Reader, Term, Words};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::example_pages::ExamplePages;
use crate::observe::Control;
use crate::project::Project;

/// A page, and what the judge says of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BestPage {
    /// Where it is.
    pub url: String,
    /// Its title.
    pub title: String,
    /// With the topic as it is now.
    pub relevance: f32,
    /// When it was judged last.
    pub relevance_then: Option<f32>,
    /// Whether it counts as relevant now.
    pub relevant: bool,
}

/// A term of the topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedTerm {
    /// As it is written in the topic.
    pub term: String,
    /// Those of the best pages that have it.
    pub pages: u64,
}

/// The best pages, and the terms that might be changed.
#[derive(Clone, Debug, Serialize)]
pub struct BestPages {
    /// Best first.
    pub pages: Vec<BestPage>,
    /// Pages that were judged.
    pub judged: u64,
    /// Those of them that are relevant.
    pub relevant: u64,
    /// Genre terms of the topic.
    pub genre_terms: Vec<UsedTerm>,
    /// Content terms of the topic.
    pub content_terms: Vec<UsedTerm>,
    /// Terms of these pages that the topic does not have, the most telling first.
    pub proposed: Vec<Proposal>,
    /// What of the pages could not be read, and so was not judged.
    #[serde(flatten)]
    pub damage: Damage,
}

/// Terms that a user accepts or drops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermChange {
    /// Of the wanted kind of page.
    pub accept_genre: Vec<String>,
    /// Of the wanted content.
    pub accept_content: Vec<String>,
    /// Of either.
    pub drop: Vec<String>,
}

impl Project {
    /// Judges everything that was crawled again and shows the `most` best pages, and at most `terms` proposals.
    pub fn best_pages(&self, most: usize, terms: usize, control: Control<'_>) -> Result<BestPages> {
        if matches!(self.resolved.judge(), JudgeKind::None {}) {
            let message =
                "the best pages are those that the judge scores highest, and there is none; set `judge.kind`";
            return Err(Error::Usage(message.to_owned()));
        }
        let known = ExamplePages::of(self).known(control)?;
        let subject = self.resolved.subject();
        let judge = Judge::new(self.resolved.judge(), subject, &known)?;
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let (mut best, mut judged, mut relevant) = (BestFew::new(most), 0, 0);
        for found in captures.pages()?.0 {
            if control.is_stopped() {
                return Err(Error::Interrupted);
            }
            let Some(page) = captures.page(&found.visit) else { continue };
            let reading = known.site.as_ref().map(|site| site.read(&page));
            let judgement = judge.judge(&page, &PageWords::default(), reading.as_ref());
            judged += 1;
            relevant += u64::from(judgement.relevant);
            best.put(judgement.relevance.unwrap_or(0.0), (found.visit, judgement.relevant));
        }
        captures.check_readable()?;
        let (mut pages, mut texts) = (Vec::new(), Vec::new());
        for (relevance, (visit, is_relevant)) in best.into_best_first() {
            let Some(page) = captures.page(&visit) else { continue };
            pages.push(BestPage {
                url: visit.url,
                title: page.title().to_owned(),
                relevance,
                relevance_then: visit.relevance,
                relevant: is_relevant,
            });
            texts.push(page);
        }
        let background = self.usual_terms()?;
        let how_many = HowMany { genre: 0, content: terms.saturating_add(subject.words().count()) };
        let relevant_texts: Vec<&str> = texts.iter().map(Page::text).collect();
        let ranking = if background.pages() > 0 { Ranking::Against(&background) } else { Ranking::Frequency };
        let proposed = generate(&[], &relevant_texts, how_many, ranking).content;
        let [genre_terms, content_terms] = used_terms(subject, &texts);
        let proposed = unknown_terms(proposed, subject, terms);
        let damage = captures.damage();
        Ok(BestPages { pages, judged, relevant, genre_terms, content_terms, proposed, damage })
    }

    /// Writes accepted terms into the project's file, and removes dropped ones from it. The project has to be opened
    /// again to use them.
    pub fn change_terms(&self, change: &TermChange) -> Result<()> {
        let mut topic = self.topic()?;
        for term in &change.drop {
            let terms = topic.genre_terms.len() + topic.content_terms.len();
            for list in [&mut topic.genre_terms, &mut topic.content_terms] {
                list.retain(|known| known != term && !known.split('|').any(|form| form.trim() == term));
            }
            if topic.genre_terms.len() + topic.content_terms.len() == terms {
                return Err(Error::Usage(format!(
                    "`{term}`: not a term of the topic, so it cannot be dropped"
                )));
            }
        }
        let accept = [
            (&mut topic.genre_terms, &change.accept_genre),
            (&mut topic.content_terms, &change.accept_content),
        ];
        for (list, terms) in accept {
            for term in terms {
                if !list.contains(term) {
                    list.push(term.clone());
                }
            }
        }
        self.set_topic(&topic)
    }
}

/// How many of the pages have each term of genre and content.
fn used_terms(subject: &Subject, pages: &[Page]) -> [Vec<UsedTerm>; 2] {
    let words: Vec<Words> = pages.iter().map(|page| Words::of(page.text(), page.lang())).collect();
    [&subject.genre_terms, &subject.content_terms].map(|terms| {
        let used = |term: &String| {
            let one = Subject { content_terms: vec![term.clone()], ..Subject::default() };
            let mut counter = RarityCounter::of_subject(&one);
            words.iter().for_each(|words| counter.add(words));
            UsedTerm { term: term.clone(), pages: counter.finish().most() }
        };
        terms.iter().map(used).collect()
    })
}

/// The proposals that are no terms of the topic yet.
fn unknown_terms(proposed: Vec<Proposal>, subject: &Subject, most: usize) -> Vec<Proposal> {
    let mut reader = Reader::new();
    let mut stems = |text: &str| reader.terms(text, Language::English);
    let known: FxHashSet<Vec<Term>> = subject.words().map(&mut stems).collect();
    proposed.into_iter().filter(|proposal| !known.contains(&stems(&proposal.text))).take(most).collect()
}

/// The best of many, in memory for few. Of equals, those that came first.
pub(crate) struct BestFew<T> {
    most: usize,
    kept: Vec<(f32, u64, T)>,
    count: u64,
}

impl<T> BestFew<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Vec::new(), count: 0 }
    }

    pub(crate) fn put(&mut self, score: f32, value: T) {
        self.kept.push((score, self.count, value));
        self.count += 1;
        if self.kept.len() >= self.most.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.kept.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.kept.truncate(self.most);
    }

    pub(crate) fn into_best_first(mut self) -> impl Iterator<Item = (f32, T)> {
        self.cut();
        self.kept.into_iter().map(|(score, _, value)| (score, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_many_are_those_of_a_full_sort() {
        for most in [0, 1, 3, 100, 1000] {
            let scores: Vec<f32> = (0..500_u32).map(|n| (n * 7919 % 101) as f32).collect();
            let mut few = BestFew::new(most);
            scores.iter().enumerate().for_each(|(n, score)| few.put(*score, n));
            let mut all: Vec<(f32, usize)> = scores.into_iter().zip(0..).collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            all.truncate(most);
            assert_eq!(few.into_best_first().collect::<Vec<_>>(), all, "{most}");
        }
    }
}
