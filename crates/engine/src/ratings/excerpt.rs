//! A few lines of a page's text, around the words that are wanted.

use osprey_page::Page;
use osprey_steer::Subject;
use osprey_text::{Term, Words, with_reader};
use rustc_hash::FxHashSet;

/// Bytes around a wanted word, before and behind it.
const AROUND: usize = 100;
/// Passages of a page.
const PASSAGES: usize = 3;

/// Passages around wanted words; without any, what the page says of itself, or its beginning. On one line.
pub(super) fn excerpt(page: &Page, subject: &Subject) -> String {
    let words = Words::of(page.text(), page.lang());
    let mut wanted: FxHashSet<Term> = FxHashSet::default();
    with_reader(|reader| {
        subject.words().for_each(|word| wanted.extend(reader.terms(word, words.language())));
    });
    let mut passages: Vec<(usize, usize)> = Vec::new();
    for token in words.tokens().iter().filter(|token| wanted.contains(&token.term)) {
        let (at, count) = (token.start as usize, passages.len());
        match passages.last_mut() {
            Some((_, end)) if at < *end => *end = at + AROUND,
            _ if count == PASSAGES => break,
            _ => passages.push((at.saturating_sub(AROUND), at + AROUND)),
        }
    }
    let text = page.text();
    if passages.is_empty() {
        let beginning = page.description().filter(|said| !said.trim().is_empty()).unwrap_or(text);
        return on_one_line(cut(beginning, 0, 2 * AROUND));
    }
    let cuts: Vec<String> =
        passages.into_iter().map(|(start, end)| on_one_line(cut(text, start, end))).collect();
    cuts.join(" … ")
}

/// A part of a text, from word to word.
fn cut(text: &str, start: usize, end: usize) -> &str {
    let before =
        |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (start, end) = (before(start), before(end));
    let part = text.get(start..end).unwrap_or_default();
    // Chinese has no blanks to cut at
    let part = match part.find(char::is_whitespace) {
        Some(blank) if start > 0 && blank < AROUND / 4 => part.get(blank..).unwrap_or(part),
        _ => part,
    };
    match part.rfind(char::is_whitespace) {
        Some(blank) if end < text.len() && part.len() - blank < AROUND / 4 => {
            part.get(..blank).unwrap_or(part)
        }
        _ => part,
    }
}

/// Blanks and line ends as one blank; what moves a terminal's cursor goes.
pub(super) fn on_one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    fn check(body: &str, word: &str, expect: &str) {
        let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
        let input =
            Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: body.as_bytes() };
        let subject = Subject { words: vec![word.to_owned()], ..Subject::default() };
        assert_eq!(excerpt(&Page::parse(&input, &PageRules::default()), &subject), expect);
    }

    #[test]
    fn words_stand_in_what_is_around_them() {
        check("<p>Boats were sailing <b>home</b>.", "sail", "Boats were sailing home.");
        check("<meta name=description content='about boats'><p>Nothing here", "sail", "about boats");
        check("<p>Nothing\u{1b}[31m here", "sail", "Nothing [31m here");
        check("", "sail", "");
        let far = "lorem ".repeat(100);
        let body = format!("<html lang=en><p>{far} sails {far} sailing {far}");
        let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
        let input = Input { url: &url, content_type: None, body: body.as_bytes() };
        let subject = Subject { words: vec!["sail".to_owned()], ..Subject::default() };
        let found = excerpt(&Page::parse(&input, &PageRules::default()), &subject);
        assert!(found.contains("lorem sails lorem") && found.contains(" … "), "{found}");
        assert!(found.len() < 500, "{found}");
        // cut inside of long runs without a blank, and of letters of several bytes
        check(&format!("<p>{}", "图书馆".repeat(60)), "sail", &"图书馆".repeat(60)[..198]);
    }
}
