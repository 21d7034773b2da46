//! Excerpts in which the words of the query are marked.

use std::ops::Range;

use osprey_text::Term;
use rustc_hash::FxHashSet;

use super::plan::QueriedPhrase;
use crate::document::{Shown, cut};
use crate::text::each_word;

/// Maximum size of an excerpt in bytes.
const EXCERPT: usize = 240;
/// Maximum number of bytes before its first mark.
const BEFORE: usize = 40;

/// An excerpt of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// `title`, `description` or `text`.
    pub field: &'static str,
    /// The excerpt.
    pub text: String,
    /// The marked words, as byte ranges.
    pub marks: Vec<Range<usize>>,
}

/// Excerpts of all fields that contain a word of the query.
pub(crate) fn highlights(shown: &Shown, asked: &[QueriedPhrase]) -> Vec<Highlight> {
    let terms: FxHashSet<Term> = asked
        .iter()
        .flat_map(|asked| asked.meaning.readings.iter().flatten())
        .map(|word| word.term)
        .collect();
    let fields = [("title", &shown.title), ("description", &shown.description), ("text", &shown.text)];
    let found = fields.into_iter().filter_map(|(field, text)| {
        let mut marks = Vec::new();
        each_word(text, shown.language(), |word, start, surface| {
            if terms.contains(&word.term) {
                marks.push((word.term, start..start + surface.len()));
            }
        });
        excerpt(field, text, &marks)
    });
    found.collect()
}

/// The excerpt with the most distinct words.
fn excerpt(field: &'static str, text: &str, marks: &[(Term, Range<usize>)]) -> Option<Highlight> {
    let reaches = |from: usize| {
        let start = marks.get(from).map_or(0, |(_, mark)| mark.start);
        let within =
            marks.iter().skip(from).take_while(move |(_, mark)| mark.end <= start + EXCERPT - BEFORE);
        within.map(|(term, _)| *term).collect::<FxHashSet<Term>>().len()
    };
    let best = (0..marks.len()).rev().max_by_key(|from| reaches(*from))?;
    let first = marks.get(best).map_or(0, |(_, mark)| mark.start);
    let from = if text.len() <= EXCERPT { 0 } else { word_start(text, first.saturating_sub(BEFORE)) };
    let part = cut(text.get(from..).unwrap_or_default(), EXCERPT);
    let to = from + part.len();
    let inside = marks.iter().map(|(_, mark)| mark).filter(|mark| mark.start >= from && mark.end <= to);
    let marks = inside.map(|mark| mark.start - from..mark.end - from).collect();
    Some(Highlight { field, text: part.to_owned(), marks })
}

/// The start of a word at or after a byte, if one is near.
fn word_start(text: &str, at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let near = text.char_indices().skip_while(|(place, _)| *place < at).take(BEFORE / 2);
    let space = near.clone().find(|(_, c)| c.is_whitespace()).map(|(place, c)| place + c.len_utf8());
    space.or_else(|| near.clone().next().map(|(place, _)| place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use osprey_text::Language;

    use super::*;
    use crate::text::meaning;

    fn check(query: &[&str], text: &str, expect: &[&str]) {
        let asked: Vec<QueriedPhrase> = query
            .iter()
            .map(|text| QueriedPhrase {
                text: (*text).to_owned(),
                meaning: meaning(text, &[Language::English]),
                frequency: 1,
            })
            .collect();
        let language = Language::English.index() as u8;
        let shown = Shown { description: text.to_owned(), language, ..Shown::default() };
        let found = highlights(&shown, &asked);
        let marked: Vec<&str> = found
            .iter()
            .flat_map(|it| it.marks.iter().map(|mark| it.text.get(mark.clone()).unwrap()))
            .collect();
        assert_eq!(marked, expect, "{text}");
        assert!(found.iter().all(|it| it.text.len() <= EXCERPT));
    }

    #[test]
    fn words_are_marked_where_they_stand() {
        check(&["rose"], "Roses are red, a rose is a rose.", &["Roses", "rose", "rose"]);
        check(&["new york"], "Newer york", &["york"]);
        check(&["dog"], "Roses are red", &[]);
        check(&["café"], "Un Café là", &["Café"]);
        let far = format!("{} a red rose at the end {}", "word ".repeat(500), "more ".repeat(500));
        check(&["rose", "red"], &far, &["red", "rose"]);
        check(&["红"], &"é".repeat(1000), &[]);
    }
}
