//! Scores a page against all term sets and combines the similarities as de Assis et al. 2009 do.
//!
//! One pass over the words of the page, which were read before, finds the terms of all sets.

use osprey_text::{Hits, Matcher, Words, fold, url_tokens};
use serde::{Deserialize, Serialize};

use super::terms::{Role, TermError, TermSet, similarity};
use crate::{Known, SteeringConfigError, Subject};

/// How the similarities with genre and content make one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// Their weighted mean: de Assis et al. 2009's.
    #[default]
    Mean,
    /// The smaller of both: lecture notes with much of the content that are not a syllabus get a low score.
    Least,
}

/// Weights of the parts; only their proportions count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mix {
    /// How genre and content are joined.
    pub join: Join,
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
        Self { join: Join::Mean, genre: 5.0, content: 5.0, text: 7.0, url: 3.0 }
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
        let gc = match (mix.join, genre, content) {
            (Join::Least, Some(genre), Some(content)) => genre.min(content),
            _ => mean(genre, mix.genre, content, mix.content),
        };
        let total = match url {
            Some(url) => mean(Some(gc), mix.text, Some(url), mix.url),
            None => gc,
        };
        Self { genre, content, url, gc, total }
    }
}

/// De Assis et al. 2009's `Mean(similarity1, similarity2, weight1, weight2)`.
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
    /// The forms of the genre's terms, then of the content's.
    matcher: Matcher,
    /// The term that each form belongs to.
    terms: Vec<usize>,
}

#[derive(Clone, Debug)]
struct UrlTerms {
    set: TermSet,
    /// The forms of each term in lower case, without spaces.
    squashed: Vec<Vec<String>>,
}

/// Letters from which on a URL term may stand inside a longer token; `cs` must be a token of its own.
const INSIDE_FROM: usize = 4;

impl GenreScorer {
    /// From sets that may be empty, but not all of genre and content.
    pub fn new(genre: TermSet, content: TermSet, url: TermSet, mix: Mix) -> Result<Self, TermError> {
        genre.check_apart(&content)?;
        let some = |set: TermSet| (!set.terms().is_empty()).then_some(set);
        let (genre, content, url) = (some(genre), some(content), some(url).map(UrlTerms::new));
        if genre.is_none() && content.is_none() {
            return Err(TermError::NoTerms);
        }
        let all = || [&genre, &content].into_iter().flatten().flat_map(TermSet::terms);
        let matcher = Matcher::new(all().flat_map(|term| term.forms.iter().cloned()));
        let terms = all().enumerate().flat_map(|(number, term)| vec![number; term.forms.len()]).collect();
        Ok(Self { genre, content, url, mix, matcher, terms })
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

    /// From what the user asks for; tags are content terms where there are no others. With `one_set` genre and content
    /// terms are not told apart.
    pub(crate) fn of_subject(
        subject: &Subject,
        known: &Known,
        one_set: bool,
        mix: Mix,
    ) -> Result<Self, SteeringConfigError> {
        let unfit = |error: TermError| SteeringConfigError::new(error.key(), error.to_string());
        if ![mix.genre, mix.content, mix.text, mix.url]
            .iter()
            .all(|weight| *weight >= 0.0 && weight.is_finite())
        {
            return Err(SteeringConfigError::new("mix", "expected weights of 0 or more"));
        }
        let mut genre = TermSet::new(Role::Genre, &subject.genre_terms).map_err(unfit)?;
        let mut content = TermSet::new(Role::Content, subject.content()).map_err(unfit)?;
        if let Some(rarity) = known.rarity.as_ref().filter(|_| subject.idf) {
            [&mut genre, &mut content].into_iter().for_each(|set| rarity.weigh(set));
        }
        let url = TermSet::new(Role::Url, &subject.url_terms).map_err(unfit)?;
        let (genre, content) = if one_set {
            genre.check_apart(&content).map_err(unfit)?;
            (genre.joined(content), TermSet::default())
        } else {
            (genre, content)
        };
        Self::new(genre, content, url, mix).map_err(unfit)
    }

    /// Scores a page.
    pub fn score(&self, words: &Words, url: &str) -> GenreScores {
        let counts = self.counts(words);
        let genre_terms = self.genre.as_ref().map_or(0, |set| set.terms().len());
        let (in_genre, in_content) = counts.split_at(genre_terms.min(counts.len()));
        let genre = self.genre.as_ref().map(|set| similarity(set, in_genre));
        let content = self.content.as_ref().map(|set| similarity(set, in_content));
        let url = self.url.as_ref().map(|terms| terms.similarity(url));
        GenreScores::mix(genre, content, url, &self.mix)
    }

    /// How often a page has each term of the genre and the content, under any of its names.
    fn counts(&self, words: &Words) -> Vec<u32> {
        let mut hits = Hits::default();
        self.matcher.count_words(words, &mut hits);
        let mut counts = vec![0_u32; self.terms.last().map_or(0, |last| last + 1)];
        for (term, hits) in self.terms.iter().zip(hits.counts()) {
            if let Some(count) = counts.get_mut(*term) {
                *count = count.saturating_add(*hits);
            }
        }
        counts
    }

    /// The terms of genre and content that a page has, with their counts: for explaining.
    pub fn found(&self, words: &Words) -> Vec<(&str, u32)> {
        let mut hits = Hits::default();
        self.matcher.count_words(words, &mut hits);
        let found = self.matcher.phrases().iter().map(String::as_str).zip(hits.counts().iter().copied());
        found.filter(|(_, count)| *count > 0).collect()
    }
}

impl UrlTerms {
    fn new(set: TermSet) -> Self {
        let forms = |forms: &[String]| forms.iter().map(|form| squash(form)).collect();
        let squashed = set.terms().iter().map(|term| forms(&term.forms)).collect();
        Self { set, squashed }
    }

    fn similarity(&self, url: &str) -> f32 {
        let tokens: Vec<String> = url_tokens(url).map(|token| squash(token.text)).collect();
        let stands_in = |form: &String, token: &str| {
            token == form || (form.len() >= INSIDE_FROM && token.contains(form.as_str()))
        };
        let count = |forms: &Vec<String>| {
            let has_one = |token: &&String| forms.iter().any(|form| stands_in(form, token));
            tokens.iter().filter(has_one).count() as u32
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

    fn read(text: &str) -> Words {
        Words::of(text, Some("en"))
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
        let scorer = GenreScorer::of_words(&genre, &content, &url).unwrap();
        let page = read(text);
        let scores = scorer.score(&page, "http://x.example/MyCourses/1.html");
        let half = 0.5f32.sqrt();
        near(scores.genre.unwrap(), 1.0);
        near(scores.content.unwrap(), half);
        near(scores.url.unwrap(), half);
        near(scores.gc, (5.0 + 5.0 * half) / 10.0);
        near(scores.total, (7.0 * scores.gc + 3.0 * half) / 10.0);
        assert_eq!(scorer.found(&page), [("syllabus", 1), ("credits", 1), ("relational algebra", 1)]);
    }

    #[test]
    fn one_set_alone_is_the_whole() {
        let scorer = GenreScorer::of_words(&[], &words(&["sql", "trigger"]), &[]).unwrap();
        let scores = scorer.score(&read("SQL"), "http://x.example/");
        assert_eq!((scores.genre, scores.url), (None, None));
        near(scores.total, 0.5f32.sqrt());
        assert_eq!(GenreScorer::of_words(&[], &[], &words(&["exam"])).unwrap_err(), TermError::NoTerms);
    }

    #[test]
    fn url_terms_stand_inside_tokens() {
        let check = |term: &str, url: &str, expect: f32| {
            let set = TermSet::new(Role::Url, [term]).unwrap();
            assert_eq!(UrlTerms::new(set).similarity(url), expect, "{term} in {url}");
        };
        check("syllabus", "http://x.example/cs101-Syllabus.html", 1.0);
        check("data structures", "http://x.example/data_structures/", 1.0);
        check("cs", "http://cs.x.example/", 1.0);
        check("cs", "http://x.example/physics/", 0.0);
        check("course|disciplina", "http://x.example/disciplinas/4", 1.0);
    }

    /// Three terms, the first under two names: `grading` once and `assessment` once are the term twice, `exam` is there
    /// once. (1, 1/2, 0) . (1, 1, 1) / (sqrt(5/4) sqrt 3).
    #[test]
    fn names_of_a_term_add_up() {
        let genre = words(&["grading|assessment", "exam", "credits"]);
        let scorer = GenreScorer::of_words(&genre, &[], &[]).unwrap();
        let scores = scorer.score(&read("Grading. Exam. Assessment"), "http://x.example/");
        near(scores.total, 1.5 / (1.25f32.sqrt() * 3f32.sqrt()));
    }

    /// Of 2 genre and 2 content terms a page has both of the genre: apart it is (1 + 0) / 2, in one set sqrt(2/4).
    #[test]
    fn one_set_does_not_tell_genre_from_content() {
        let subject = Subject {
            genre_terms: words(&["syllabus", "exam"]),
            content_terms: words(&["sql", "trigger"]),
            ..Subject::default()
        };
        let total = |one_set| {
            let scorer =
                GenreScorer::of_subject(&subject, &Known::default(), one_set, Mix::default()).unwrap();
            scorer.score(&read("Syllabus; exam"), "http://x.example/").total
        };
        near(total(false), 0.5);
        near(total(true), 0.5f32.sqrt());
    }

    #[test]
    fn subjects_that_cannot_be_scored() {
        let check = |genre: &[&str], content: &[&str], key: &str| {
            let subject =
                Subject { genre_terms: words(genre), content_terms: words(content), ..Subject::default() };
            for one_set in [false, true] {
                let scorer = GenreScorer::of_subject(&subject, &Known::default(), one_set, Mix::default());
                assert_eq!(scorer.unwrap_err().key, key);
            }
        };
        check(&[], &[], "topic.genre_terms");
        check(&["the"], &["sql"], "topic.genre_terms");
        check(&["exam"], &["of"], "topic.content_terms");
        check(&["exam"], &["Exams"], "topic.content_terms");
    }

    /// 0.4 and 0.8 mixed 1 : 3 make 0.7; with 0.2 from the URL, 1 : 1, 0.45.
    #[test]
    fn other_weights() {
        let mix = Mix { genre: 1.0, content: 3.0, text: 1.0, url: 1.0, ..Mix::default() };
        let scores = GenreScores::mix(Some(0.4), Some(0.8), Some(0.2), &mix);
        near(scores.gc, 0.7);
        near(scores.total, 0.45);
        assert_eq!(GenreScores::mix(None, None, None, &mix).total, 0.0);
        let least = Mix { join: Join::Least, ..mix };
        near(GenreScores::mix(Some(0.4), Some(0.8), Some(0.2), &least).total, 0.3);
        near(GenreScores::mix(None, Some(0.8), None, &least).total, 0.8);
    }
}
