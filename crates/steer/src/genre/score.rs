//! A page against all sets, mixed as the seed mixes them.

use serde::{Deserialize, Serialize};

use super::terms::{Role, TermError, TermSet, similarity};
use crate::text::{Hits, Language, Matcher, Reader, fold, url_tokens};

/// Weights of the parts; only their proportions count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mix {
    /// Of the genre, against the content.
    pub genre: f32,
    /// Of the content, against the genre.
    pub content: f32,
    /// Of genre and content together, against the URL.
    pub text: f32,
    /// Of the URL.
    pub url: f32,
}

impl Default for Mix {
    fn default() -> Self {
        Self { genre: 5.0, content: 5.0, text: 7.0, url: 3.0 }
    }
}

/// How close a page is, part by part. A part that was not asked for is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenreScores {
    /// Similarity with the genre set.
    pub genre: Option<f32>,
    /// Similarity with the content set.
    pub content: Option<f32>,
    /// Similarity of the URL with the URL set.
    pub url: Option<f32>,
    /// Genre and content: (5 genre + 5 content) / 10.
    pub gc: f32,
    /// With the URL: (7 gc + 3 url) / 10; without URL terms it is `gc`.
    pub total: f32,
}

impl GenreScores {
    /// Mixes the parts. A part that is missing leaves its weight to the other.
    pub fn mix(genre: Option<f32>, content: Option<f32>, url: Option<f32>, mix: &Mix) -> Self {
        let gc = mean(genre, mix.genre, content, mix.content);
        let total = match url {
            Some(url) => mean(Some(gc), mix.text, Some(url), mix.url),
            None => gc,
        };
        Self { genre, content, url, gc, total }
    }
}

/// The seed's `Mean(similarity1, similarity2, weight1, weight2)`.
fn mean(one: Option<f32>, one_weight: f32, two: Option<f32>, two_weight: f32) -> f32 {
    match (one, two) {
        (Some(one), Some(two)) if one_weight + two_weight > 0.0 => {
            (one * one_weight + two * two_weight) / (one_weight + two_weight)
        }
        (Some(one), _) => one,
        (None, two) => two.unwrap_or(0.0),
    }
}

/// The sets of a topic, ready to score pages.
#[derive(Clone, Debug)]
pub struct GenreScorer {
    genre: Option<TermSet>,
    content: Option<TermSet>,
    url: Option<UrlTerms>,
    mix: Mix,
    /// The genre's terms, then the content's.
    matcher: Matcher,
    hits: Hits,
}

#[derive(Clone, Debug)]
struct UrlTerms {
    set: TermSet,
    /// The terms in lower case, without spaces.
    squashed: Vec<String>,
}

/// Letters from which on a URL term may stand inside a longer token; `cs` must be a token of its own.
const INSIDE_FROM: usize = 4;

impl GenreScorer {
    /// From sets that may be empty, but not all of genre and content.
    pub fn new(genre: TermSet, content: TermSet, url: TermSet, mix: Mix) -> Result<Self, TermError> {
        genre.check_apart(&content)?;
        let some = |set: TermSet| (!set.terms().is_empty()).then_some(set);
        let url = some(url).map(|set| {
            let squashed = set.terms().iter().map(|term| squash(&term.text)).collect();
            UrlTerms { set, squashed }
        });
        let (genre, content) = (some(genre), some(content));
        if genre.is_none() && content.is_none() {
            return Err(TermError::NoTerms);
        }
        let texts = [&genre, &content]
            .into_iter()
            .flatten()
            .flat_map(|set| set.terms())
            .map(|term| term.text.as_str());
        let matcher = Matcher::new(texts);
        Ok(Self { genre, content, url, mix, matcher, hits: Hits::default() })
    }

    /// From what the user wrote.
    pub fn of_words(genre: &[String], content: &[String], url: &[String]) -> Result<Self, TermError> {
        let set = |role, words: &[String]| TermSet::new(role, words);
        Self::new(
            set(Role::Genre, genre)?,
            set(Role::Content, content)?,
            set(Role::Url, url)?,
            Mix::default(),
        )
    }

    /// Scores a page.
    pub fn score(&mut self, reader: &mut Reader, text: &str, language: Language, url: &str) -> GenreScores {
        let Self { matcher, hits, .. } = self;
        matcher.count(reader, text, language, hits);
        let genre_terms = self.genre.as_ref().map_or(0, |set| set.terms().len());
        let (in_genre, in_content) = self.hits.counts().split_at(genre_terms.min(self.hits.counts().len()));
        let genre = self.genre.as_ref().map(|set| similarity(set, in_genre));
        let content = self.content.as_ref().map(|set| similarity(set, in_content));
        let url = self.url.as_ref().map(|terms| terms.similarity(url));
        GenreScores::mix(genre, content, url, &self.mix)
    }

    /// Terms of the sets that the last page had, with their counts: for explaining.
    pub fn found(&self) -> impl Iterator<Item = (&str, u32)> {
        let counts = self.hits.counts().iter().copied();
        self.matcher.phrases().iter().map(String::as_str).zip(counts).filter(|(_, count)| *count > 0)
    }
}

impl UrlTerms {
    fn similarity(&self, url: &str) -> f32 {
        let tokens: Vec<String> = url_tokens(url).map(|token| squash(token.text)).collect();
        let count = |term: &String| {
            let stands_in = |token: &&String| {
                *token == term || (term.len() >= INSIDE_FROM && token.contains(term.as_str()))
            };
            tokens.iter().filter(stands_in).count() as u32
        };
        let frequencies: Vec<u32> = self.squashed.iter().map(count).collect();
        similarity(&self.set, &frequencies)
    }
}

fn squash(text: &str) -> String {
    let mut folded = String::new();
    fold(text, &mut folded);
    folded.retain(char::is_alphanumeric);
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|word| (*word).to_owned()).collect()
    }

    fn near(found: f32, expect: f32) {
        assert!((found - expect).abs() < 1e-6, "{found}, expected {expect}");
    }

    /// Genre (syllabus, credits): both once, 1. Content (sql, relational algebra): the second only, 1/sqrt 2.
    /// URL (course, database): the first only, 1/sqrt 2.
    #[test]
    fn parts_and_mixture_by_hand() {
        let genre = words(&["syllabus", "credits"]);
        let content = words(&["sql", "relational algebra"]);
        let url = words(&["course", "database"]);
        let text = "Syllabus. Credits: 4. We treat Relational Algebras.";
        let mut reader = Reader::new();
        let mut scorer = GenreScorer::of_words(&genre, &content, &url).unwrap();
        let scores = scorer.score(&mut reader, text, Language::English, "http://x.example/MyCourses/1.html");
        let half = 0.5f32.sqrt();
        near(scores.genre.unwrap(), 1.0);
        near(scores.content.unwrap(), half);
        near(scores.url.unwrap(), half);
        near(scores.gc, (5.0 + 5.0 * half) / 10.0);
        near(scores.total, (7.0 * scores.gc + 3.0 * half) / 10.0);
        let found: Vec<_> = scorer.found().collect();
        assert_eq!(found, [("syllabus", 1), ("credits", 1), ("relational algebra", 1)]);
    }

    #[test]
    fn one_set_alone_is_the_whole() {
        let mut scorer = GenreScorer::of_words(&[], &words(&["sql", "trigger"]), &[]).unwrap();
        let scores = scorer.score(&mut Reader::new(), "SQL", Language::English, "http://x.example/");
        assert_eq!((scores.genre, scores.url), (None, None));
        near(scores.total, 0.5f32.sqrt());
        assert_eq!(GenreScorer::of_words(&[], &[], &words(&["exam"])).unwrap_err(), TermError::NoTerms);
    }

    #[test]
    fn url_terms_stand_inside_tokens() {
        let check = |term: &str, url: &str, expect: f32| {
            let set = TermSet::new(Role::Url, [term]).unwrap();
            let terms = UrlTerms { set, squashed: vec![squash(term)] };
            assert_eq!(terms.similarity(url), expect, "{term} in {url}");
        };
        check("syllabus", "http://x.example/cs101-Syllabus.html", 1.0);
        check("data structures", "http://x.example/data_structures/", 1.0);
        check("cs", "http://cs.x.example/", 1.0);
        check("cs", "http://x.example/physics/", 0.0);
    }

    /// 0.4 and 0.8 mixed 1 : 3 make 0.7; with 0.2 from the URL, 1 : 1, 0.45.
    #[test]
    fn other_weights() {
        let mix = Mix { genre: 1.0, content: 3.0, text: 1.0, url: 1.0 };
        let scores = GenreScores::mix(Some(0.4), Some(0.8), Some(0.2), &mix);
        near(scores.gc, 0.7);
        near(scores.total, 0.45);
        assert_eq!(GenreScores::mix(None, None, None, &mix).total, 0.0);
    }
}
