//! How rare the terms of a subject are in a collection of pages (equation 4 of de Assis et al. 2009).
//!
//! The paper counts them in a crawl made beforehand. Here any pages of the project serve; they are counted once, so that
//! judge and policy use the same weights, and a resumed crawl those it began with.

use std::collections::BTreeMap;

use osprey_text::{Hits, Matcher, Words};
use serde::{Deserialize, Serialize};

use super::terms::{Role, SetTerm, TermSet, idf};
use crate::Subject;

/// The number of pages that have each term.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermRarity {
    /// Pages counted.
    pages: u64,
    /// Those that have a term, under any of its forms.
    with: BTreeMap<String, u64>,
}

/// Counts pages, one after the other.
#[derive(Debug)]
pub struct RarityCounter {
    matcher: Matcher,
    /// Of each term: its key, its number of forms, and the pages that have it.
    terms: Vec<(String, usize, u64)>,
    hits: Hits,
    pages: u64,
}

impl RarityCounter {
    /// For the terms of these sets.
    pub fn new<'a>(sets: impl IntoIterator<Item = &'a TermSet>) -> Self {
        let terms: Vec<&SetTerm> = sets.into_iter().flat_map(TermSet::terms).collect();
        let matcher = Matcher::new(terms.iter().flat_map(|term| term.forms.iter().cloned()));
        let terms = terms.into_iter().map(|term| (key(term), term.forms.len(), 0)).collect();
        Self { matcher, terms, hits: Hits::default(), pages: 0 }
    }

    /// For the terms of genre and content of a subject; sets that cannot be used are left out.
    pub fn of_subject(subject: &Subject) -> Self {
        Self::new(&sets(subject))
    }

    /// Counts a page.
    pub fn add(&mut self, words: &Words) {
        self.pages += 1;
        self.matcher.count_words(words, &mut self.hits);
        let mut hits = self.hits.counts().iter();
        for (_, forms, with) in &mut self.terms {
            // every form is looked at, so that those of the next term come next
            let found = hits.by_ref().take(*forms).filter(|hits| **hits > 0).count();
            *with += u64::from(found > 0);
        }
    }

    /// What was counted.
    pub fn finish(self) -> TermRarity {
        let with = self.terms.into_iter().map(|(key, _, with)| (key, with)).collect();
        TermRarity { pages: self.pages, with }
    }
}

impl TermRarity {
    /// Pages counted.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Pages that have the most frequent term.
    pub fn most(&self) -> u64 {
        self.with.values().copied().max().unwrap_or(0)
    }

    /// Whether it was counted for these terms.
    pub fn is_of(&self, subject: &Subject) -> bool {
        let sets = sets(subject);
        sets.iter().flat_map(TermSet::terms).all(|term| self.with.contains_key(&key(term)))
    }

    /// Gives the terms their idf.
    pub fn weigh(&self, set: &mut TermSet) {
        set.set_idf(|term| idf(self.pages, self.with.get(&key(term)).copied().unwrap_or(0)));
    }
}

fn sets(subject: &Subject) -> [TermSet; 2] {
    let set = |role, terms: &[String]| TermSet::new(role, terms).unwrap_or_default();
    [set(Role::Genre, &subject.genre_terms), set(Role::Content, subject.content())]
}

fn key(term: &SetTerm) -> String {
    term.forms.join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of four pages all have `course`, one `exam` (under its second name) and none `sql`, which counts as one: idf
    /// ln 4/4, ln 4/1, ln 4/1.
    #[test]
    fn equation_4_by_hand() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        let mut subject = Subject {
            genre_terms: words(&["course", "exam|Klausur"]),
            content_terms: words(&["sql"]),
            ..Subject::default()
        };
        let texts = ["course course", "course Klausur", "a course", "Courses"];
        let mut counter = RarityCounter::of_subject(&subject);
        texts.iter().for_each(|text| counter.add(&Words::of(text, Some("en"))));
        let rarity = counter.finish();
        assert_eq!((rarity.pages(), rarity.is_of(&subject)), (4, true));
        let mut genre = TermSet::new(Role::Genre, &subject.genre_terms).unwrap();
        rarity.weigh(&mut genre);
        let found: Vec<f32> = genre.terms().iter().map(|term| term.idf).collect();
        assert_eq!(found, [0.0, 4f32.ln()]);
        let mut content = TermSet::new(Role::Content, &subject.content_terms).unwrap();
        rarity.weigh(&mut content);
        assert_eq!(content.terms()[0].idf, 4f32.ln());
        let read: TermRarity = serde_json::from_str(&serde_json::to_string(&rarity).unwrap()).unwrap();
        assert_eq!(read, rarity);
        subject.content_terms.push("trigger".to_owned());
        assert!(!rarity.is_of(&subject));
    }
}
