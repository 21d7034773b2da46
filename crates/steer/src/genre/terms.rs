//! Term sets, and the similarity of a page to a set.
//!
//! A term can have several forms, separated by `|` (`grading|assessment|考核方式`). They count as one term. So a set can
//! cover several languages without growing, which would make every page less similar to it.

use std::fmt;

use osprey_text::{Language, Reader, Term};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a set of terms speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What kind of page it is.
    Genre,
    /// What it is about.
    Content,
    /// What its URL says.
    Url,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Genre => "genre",
            Self::Content => "content",
            Self::Url => "url",
        })
    }
}

/// Terms that cannot steer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TermError {
    /// No terms were given.
    #[error("no terms: give genre terms, content terms or both")]
    NoTerms,
    /// Only stop words or signs.
    #[error("{role} term `{term}`: contains only stop words")]
    SaysNothing {
        /// The set it is in.
        role: Role,
        /// As the user wrote it.
        term: String,
    },
    /// A term cannot tell the genre if it tells the content.
    #[error("term `{genre}` of the genre and `{content}` of the content are the same: keep it in one set")]
    InBoth {
        /// In the genre set.
        genre: String,
        /// In the content set.
        content: String,
    },
    /// More than can be looked for.
    #[error("{role} terms: {count}, expected at most {most}")]
    TooMany {
        /// The set.
        role: Role,
        /// Terms in it.
        count: usize,
        /// The limit.
        most: usize,
    },
}

impl TermError {
    /// The configuration key that is wrong.
    pub fn key(&self) -> &'static str {
        match self {
            Self::NoTerms => "topic.genre_terms",
            Self::InBoth { .. } => "topic.content_terms",
            Self::SaysNothing { role, .. } | Self::TooMany { role, .. } => match role {
                Role::Genre => "topic.genre_terms",
                Role::Content => "topic.content_terms",
                Role::Url => "topic.url_terms",
            },
        }
    }
}

/// Terms of a set; de Assis et al. 2009 have at most 48.
const MAX_TERMS: usize = 2000;

/// Between the forms of a term.
const OR: char = '|';

/// A term of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetTerm {
    /// Its forms, as the user wrote them; one as a rule.
    pub forms: Vec<String>,
    /// How often the user wrote it: 1 as a rule.
    pub frequency: u32,
    /// Its importance in a collection, equation 4; 1 unless a collection gives one.
    pub idf: f32,
}

/// Terms that speak of one thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TermSet {
    terms: Vec<SetTerm>,
}

impl TermSet {
    /// From what the user wrote. A term with a form of one that was there before (`course`, `Courses`) is the same,
    /// written twice.
    pub fn new<S: AsRef<str>>(role: Role, written: impl IntoIterator<Item = S>) -> Result<Self, TermError> {
        let mut reader = Reader::new();
        let mut places: FxHashMap<Vec<Term>, usize> = FxHashMap::default();
        let mut terms: Vec<SetTerm> = Vec::new();
        for text in written {
            let mut forms = Vec::new();
            for form in text.as_ref().split(OR).map(str::trim) {
                let stems = reader.terms(form, Language::English);
                if stems.is_empty() {
                    return Err(TermError::SaysNothing { role, term: form.to_owned() });
                }
                forms.push((form, stems));
            }
            let known = forms.iter().find_map(|(_, stems)| places.get(stems)).copied();
            let place = known.unwrap_or(terms.len());
            if known.is_none() {
                terms.push(SetTerm { forms: Vec::new(), frequency: 0, idf: 1.0 });
            }
            let Some(term) = terms.get_mut(place) else { continue };
            term.frequency += 1;
            for (form, stems) in forms {
                if places.insert(stems, place).is_none() {
                    term.forms.push(form.to_owned());
                }
            }
        }
        if terms.len() > MAX_TERMS {
            return Err(TermError::TooMany { role, count: terms.len(), most: MAX_TERMS });
        }
        Ok(Self { terms })
    }

    /// The terms, in the order they were written.
    pub fn terms(&self) -> &[SetTerm] {
        &self.terms
    }

    /// Gives every term its idf, in their order.
    pub fn set_idf(&mut self, mut idf: impl FnMut(&SetTerm) -> f32) {
        self.terms.iter_mut().for_each(|term| term.idf = idf(term));
    }

    /// The terms of both sets in one, which must be apart.
    pub fn joined(mut self, other: Self) -> Self {
        self.terms.extend(other.terms);
        self
    }

    /// Fails if a term is in the other set too.
    pub(crate) fn check_apart(&self, content: &Self) -> Result<(), TermError> {
        let mut reader = Reader::new();
        let mut stems = |text: &str| reader.terms(text, Language::English);
        let mine: FxHashMap<Vec<Term>, &str> = self.forms().map(|form| (stems(form), form)).collect();
        for form in content.forms() {
            if let Some(genre) = mine.get(&stems(form)) {
                return Err(TermError::InBoth { genre: (*genre).to_owned(), content: form.to_owned() });
            }
        }
        Ok(())
    }

    fn forms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().flat_map(|term| &term.forms).map(String::as_str)
    }
}

/// Equation 4: `log(pages / with)`. A term of no page counts as one of a single page.
pub fn idf(pages: u64, with: u64) -> f32 {
    ((pages.max(1) as f64) / (with.max(1) as f64)).ln().max(0.0) as f32
}

/// Equation 1: the cosine of a page and a set, given how often each term of the set occurs in the page. 0 to 1.
pub fn similarity(set: &TermSet, frequencies: &[u32]) -> f32 {
    // equation 3 wants the largest frequency among the set's terms
    let most_in_page = frequencies.iter().copied().max().unwrap_or(0);
    let most_in_set = set.terms.iter().map(|term| term.frequency).max().unwrap_or(0);
    if most_in_page == 0 || most_in_set == 0 {
        return 0.0;
    }
    let (mut dot, mut page, mut own) = (0.0f64, 0.0f64, 0.0f64);
    for (term, frequency) in set.terms.iter().zip(frequencies) {
        let idf = f64::from(term.idf);
        // equations 2 and 3
        let in_page = f64::from(*frequency) / f64::from(most_in_page) * idf;
        // equation 5
        let in_set = (0.5 + 0.5 * f64::from(term.frequency) / f64::from(most_in_set)) * idf;
        dot += in_page * in_set;
        page += in_page * in_page;
        own += in_set * in_set;
    }
    let lengths = page.sqrt() * own.sqrt();
    if lengths > 0.0 { (dot / lengths).min(1.0) as f32 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(terms: &[&str]) -> TermSet {
        TermSet::new(Role::Genre, terms.iter().copied()).unwrap()
    }

    fn near(found: f32, expect: f32) {
        assert!((found - expect).abs() < 1e-6, "{found}, expected {expect}");
    }

    /// Equations 1, 2, 3 and 5, all idf 1. Page: syllabus 2, course 1, exam 0; largest 2.
    /// w_page = (1, 1/2, 0), w_set = (1, 1, 1): 3/2 / (sqrt(5/4) * sqrt 3).
    #[test]
    fn equation_1() {
        near(
            similarity(&set(&["syllabus", "course", "exam"]), &[2, 1, 0]),
            1.5 / (1.25f32.sqrt() * 3f32.sqrt()),
        );
        near(similarity(&set(&["syllabus", "course", "exam"]), &[1, 1, 1]), 1.0);
        near(similarity(&set(&["syllabus", "course", "exam", "grading"]), &[7, 0, 0, 0]), 0.5);
        near(similarity(&set(&["syllabus", "course"]), &[0, 0]), 0.0);
        near(similarity(&TermSet::default(), &[]), 0.0);
    }

    /// Equation 2: idf (2, 1). Page (1, 1): w = (2, 1) both: 1. Page (0, 3): (0, 1) . (2, 1) = 1 / sqrt 5.
    #[test]
    fn equation_2() {
        let mut weighted = set(&["syllabus", "course"]);
        weighted.set_idf(|term| if term.forms == ["syllabus"] { 2.0 } else { 1.0 });
        near(similarity(&weighted, &[1, 1]), 1.0);
        near(similarity(&weighted, &[0, 3]), 1.0 / 5f32.sqrt());
    }

    #[test]
    fn equation_4() {
        near(idf(1000, 10), 100f32.ln());
        near(idf(1000, 1000), 0.0);
        near(idf(1000, 0), 1000f32.ln());
        near(idf(0, 0), 0.0);
    }

    /// Equation 5: syllabus written twice has 1, course 0.5 + 0.5/2 = 3/4. Page (1, 0): 1 / sqrt(1 + 9/16) = 4/5.
    #[test]
    fn equation_5() {
        let twice = set(&["syllabus", "course", "Syllabus"]);
        assert_eq!(twice.terms().iter().map(|term| term.frequency).collect::<Vec<_>>(), [2, 1]);
        near(similarity(&twice, &[1, 0]), 0.8);
    }

    #[test]
    fn forms_are_one_term() {
        let forms = |written: &[&str]| -> Vec<(Vec<String>, u32)> {
            set(written).terms().iter().map(|term| (term.forms.clone(), term.frequency)).collect()
        };
        let own = |list: &[&str]| list.iter().map(|form| (*form).to_owned()).collect::<Vec<_>>();
        assert_eq!(forms(&["exam|test", "course"]), [(own(&["exam", "test"]), 1), (own(&["course"]), 1)]);
        assert_eq!(forms(&["exam | 考试", "Exams|Klausur"]), [(own(&["exam", "考试", "Klausur"]), 2)]);
        let apart = set(&["exam|考试"]).check_apart(&set(&["sql|考试"])).unwrap_err();
        assert!(matches!(apart, TermError::InBoth { .. }), "{apart}");
    }

    #[test]
    fn terms_that_cannot_steer() {
        let check = |found: Result<TermSet, TermError>, expect: &str| {
            assert_eq!(found.unwrap_err().to_string(), expect);
        };
        let all = (0..MAX_TERMS + 1).map(|number| format!("w{number}"));
        check(TermSet::new(Role::Url, ["of the"]), "url term `of the`: contains only stop words");
        check(TermSet::new(Role::Content, ["exam|"]), "content term ``: contains only stop words");
        check(TermSet::new(Role::Genre, ["a", ""]), "genre term `a`: contains only stop words");
        check(TermSet::new(Role::Genre, all), "genre terms: 2001, expected at most 2000");
        let both = set(&["course", "exam"]).check_apart(&set(&["database", "Exams"])).unwrap_err();
        assert_eq!(
            both.to_string(),
            "term `exam` of the genre and `Exams` of the content are the same: keep it in one set"
        );
        assert_eq!(set(&["course"]).check_apart(&set(&["database"])), Ok(()));
    }
}
