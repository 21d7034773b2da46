//! The title: the text with a unique path string that is most similar to the page's title, page after page (Zhang 2008,
//! observations 1 and 2).
//!
//! The Jaccard similarity of Zhang 2008 prefers a long author to a short title ("Burned - P. C. Cast - Audio Disc"). So
//! the part that all page titles have in common is removed first, and three more criteria count: the page's title
//! begins with the text, the text is a heading, a class name calls it a title.

use std::collections::{BTreeMap, BTreeSet};

use super::super::field::Field;
use super::super::rules::FieldRule;
use super::super::text::words;
use super::super::vocabulary::{names_aside, names_title};
use super::Proposed;
use super::page_texts::{Sample, Slot, Text};

/// Pages that must have the text.
const MIN_COVERAGE: f64 = 0.5;
/// The mean score below which nothing is proposed.
const MIN_SCORE: f64 = 0.25;
/// How much a text must look like a title if there is no other evidence.
const MIN_LOOKS: f64 = 0.7;
/// The share of pages that have a beginning or an end of titles in common.
const COMMON: f64 = 0.8;
/// Words of such a beginning or end.
const MAX_COMMON: usize = 12;
/// Different values that must share a beginning or an end before it is taken for template text.
const MIN_VALUES: usize = 10;
/// Words of a title that count.
const MAX_WORDS: usize = 60;

/// Proposes the title.
pub(super) fn propose(sample: &Sample<'_>) -> Option<Proposed> {
    let titles: Vec<Vec<String>> = sample
        .sample_pages
        .iter()
        .map(|page_texts| words(page_texts.page.title()).into_iter().take(MAX_WORDS).collect())
        .collect();
    let titles = own_parts(titles);
    let slots: Vec<Slot<'_, '_>> =
        sample.by_path().into_iter().filter(|slot| can_be_title(sample, slot)).collect();
    let alike = slots.iter().map(|slot| (similarity(sample, slot, &titles), slot));
    let best = alike.filter(|(score, _)| *score >= MIN_SCORE).max_by(|(a, _), (b, _)| a.total_cmp(b));
    let (slot, evidence) = match best {
        Some((score, slot)) => (slot, format!("unique path string, like the page's title ({score:.2})")),
        None => {
            // a site whose pages all have one title: the first heading that differs
            let headings = slots.iter().filter(|slot| looks(slot) >= MIN_LOOKS);
            let first = headings.min_by(|a, b| place(a).total_cmp(&place(b)))?;
            (first, "unique path string, the first heading that differs".to_owned())
        }
    };
    let mut rule = FieldRule::new(Field::Title, slot.path);
    rule.first = true;
    rule.strip = affixes(slot.firsts().map(|text| text.value));
    let evidence = format!("{evidence}: {}", slot.examples());
    Some(Proposed { rule, coverage: sample.share(slot.pages()), evidence })
}

/// Whether a text is the only one at its path string on a page.
fn is_unique(sample: &Sample<'_>, page: usize, texts: &[&Text<'_>]) -> bool {
    let count = |text: &&Text<'_>| {
        sample.sample_pages.get(page).map(|page_texts| page_texts.page.path_string_count(text.path))
    };
    texts.len() == 1 && texts.first().and_then(count) == Some(1)
}

/// Whether a path string is unique on most pages, with words that differ from page to page.
fn can_be_title(sample: &Sample<'_>, slot: &Slot<'_, '_>) -> bool {
    let unique = slot.uses.iter().filter(|(page, texts)| is_unique(sample, *page, texts)).count();
    let varies = sample.len() < 3 || 2 * slot.distinct() >= slot.pages();
    let has_words = Slot::share_of(slot.firsts(), |text| text.value.chars().any(char::is_alphabetic)) >= 0.5;
    sample.share(unique) >= MIN_COVERAGE && varies && has_words && !names_aside(slot.near(4))
}

/// How similar the texts of a slot are to the titles of their pages; of equals, the one earlier on the page.
fn similarity(sample: &Sample<'_>, slot: &Slot<'_, '_>, titles: &[Vec<String>]) -> f64 {
    let looks = looks(slot);
    let unique = slot.uses.iter().filter(|(page, texts)| is_unique(sample, *page, texts));
    let scores = unique.map(|(page, texts)| {
        let title = titles.get(*page).map(Vec::as_slice).unwrap_or_default();
        texts.first().map_or(0.0, |text| score(&words(text.value), title, looks))
    });
    scores.sum::<f64>() / sample.len().max(1) as f64 + 0.01 / (1.0 + place(slot))
}

/// The mean position of a slot's texts on their pages.
fn place(slot: &Slot<'_, '_>) -> f64 {
    slot.firsts().map(|text| text.place).sum::<usize>() as f64 / slot.pages().max(1) as f64
}

/// How much a text looks like a title.
fn looks(slot: &Slot<'_, '_>) -> f64 {
    let near = slot.near(3);
    let heading = [("<h1", 1.0), ("<h2", 0.7), ("<h3", 0.5)]
        .into_iter()
        .find(|(name, _)| near.contains(name))
        .map_or(0.0, |(_, weight)| weight);
    let named = if names_title(slot.near(2)) { 0.7 } else { 0.0 };
    f64::max(heading, named)
}

/// How much a text is the title's: 0 to 1.
fn score(text: &[String], title: &[String], looks: f64) -> f64 {
    if text.is_empty() || title.is_empty() {
        return 0.0;
    }
    let common = text.iter().filter(|word| title.contains(word)).count() as f64;
    let inside = common / text.len() as f64;
    if inside < 0.6 {
        return 0.0;
    }
    let covered = (common / title.len() as f64).min(1.0);
    let leads = if title.starts_with(text) { 1.0 } else { 0.0 };
    inside * (0.4 * covered + 0.3 * leads + 0.3 * looks)
}

/// The titles without the beginning and the end that most of them share.
fn own_parts(titles: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let ends = common(titles.iter().map(|title| title.iter().rev().cloned().collect()));
    let starts = common(titles.iter().cloned());
    titles
        .into_iter()
        .map(|title| {
            let mut own = title.as_slice();
            if let Some(rest) = own.strip_prefix(starts.as_slice()).filter(|rest| !rest.is_empty()) {
                own = rest;
            }
            let end: Vec<String> = ends.iter().rev().cloned().collect();
            if let Some(rest) = own.strip_suffix(end.as_slice()).filter(|rest| !rest.is_empty()) {
                own = rest;
            }
            own.to_vec()
        })
        .collect()
}

/// The longest prefix that most of the lists share; empty for fewer than three lists.
fn common(lists: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let lists: Vec<Vec<String>> = lists.collect();
    let enough = (COMMON * lists.len() as f64).ceil().max(3.0) as usize;
    let mut longest = Vec::new();
    for length in 1..=MAX_COMMON {
        let mut counts: BTreeMap<&[String], usize> = BTreeMap::new();
        for beginning in lists.iter().filter_map(|list| list.get(..length)) {
            *counts.entry(beginning).or_default() += 1;
        }
        match counts.into_iter().max_by_key(|(_, count)| *count) {
            Some((beginning, count)) if count >= enough => longest = beginning.to_vec(),
            _ => break,
        }
    }
    longest
}

/// Template text at the beginning and the end of all values: "Review" of "Arctic Roadrunner Review". If hardly a letter
/// would remain ("Thread 12"), it is not template text: numbered names are names.
pub(super) fn affixes<'v>(values: impl Iterator<Item = &'v str>) -> Vec<String> {
    let values: BTreeSet<&str> = values.collect();
    let values: Vec<Vec<&str>> = values.iter().map(|value| value.split_whitespace().collect()).collect();
    let shortest = values.iter().map(Vec::len).min().unwrap_or(0);
    let Some(first) = values.first().filter(|_| values.len() >= MIN_VALUES) else { return Vec::new() };
    let shared = |word: &dyn Fn(&[&str], usize) -> Option<String>| {
        (0..shortest.saturating_sub(1))
            .take_while(|&at| values.iter().all(|value| word(value, at) == word(first, at)))
            .count()
    };
    let from_start = |value: &[&str], at: usize| value.get(at).map(|&word| word.to_owned());
    let from_end = |value: &[&str], at: usize| value.iter().rev().nth(at).map(|&word| word.to_owned());
    let (before, after) = (shared(&from_start), shared(&from_end));
    let has_letters = |value: &&Vec<&str>| {
        let left = value.iter().skip(before).take(value.len().saturating_sub(before + after));
        left.flat_map(|word| word.chars()).any(char::is_alphabetic)
    };
    if 2 * values.iter().filter(has_letters).count() < values.len() {
        return Vec::new();
    }
    let starts = first.iter().take(before).copied().collect::<Vec<_>>().join(" ");
    let ends = first.iter().skip(first.len() - after).copied().collect::<Vec<_>>().join(" ");
    [starts, ends].into_iter().filter(|affix| !affix.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_ends_are_taken_off() {
        let list = |text: &str| words(text);
        let titles = ["Red - The Site", "Blue boat - The Site", "Green - The Site"].map(list).to_vec();
        assert_eq!(own_parts(titles), [list("red"), list("blue boat"), list("green")]);
        assert_eq!(own_parts(vec![list("a site")]), [list("a site")]);
    }

    #[test]
    fn affixes_of_values() {
        let check = |value: &dyn Fn(usize) -> String, count: usize, expect: &[&str]| {
            let values: Vec<String> = (0..count).map(value).collect();
            assert_eq!(affixes(values.iter().map(String::as_str)), expect, "{values:?}");
        };
        check(&|number| format!("A{number} b Review"), 10, &["b Review"]);
        check(&|number| format!("Of A{number}"), 10, &["Of"]);
        check(&|number| format!("Of A{number}"), 9, &[]);
        check(&|number| format!("Thread about {number}"), 10, &[]);
        check(&|_| "Of the same".to_owned(), 20, &[]);
    }

    #[test]
    fn a_title_beats_a_longer_author() {
        let title = words("Burned - P. C. Cast - Audio Compact Disc");
        let heading = score(&words("Burned"), &title, 1.0);
        let author = score(&words("P. C. Cast"), &title, 0.0);
        assert!(heading > author, "{heading} {author}");
        assert_eq!(score(&words("Something else"), &title, 1.0), 0.0);
    }
}
