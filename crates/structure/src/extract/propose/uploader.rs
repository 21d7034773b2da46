//! The uploader. Evidence, strongest first: a label ("Uploaded by"), the word "by" in the text, `rel=author`, a link to
//! a profile, a class name ("author", "username"), and a name next to the record's title in the page's title.

use super::super::field::Field;
use super::super::names::can_be_name;
use super::super::path::PathPattern;
use super::super::rules::FieldRule;
use super::super::text::{find_word, trim_value, words};
use super::super::vocabulary::{Kind, by_word, kind, names_aside, names_person};
use super::beside::Beside;
use super::page_texts::{Sample, Slot, Text};
use super::{Leads, Proposed};

/// What evidence must add up to, times coverage.
const MIN_SCORE: f64 = 1.4;
/// The share of texts that must be able to be names.
const MIN_NAMES: f64 = 0.8;
/// Path strings that are proposed.
const MAX_RULES: usize = 6;
/// Texts between a record's title and the name of its author, if that is the only evidence.
const BESIDE: usize = 2;

/// Texts, template text aside, between a title and a name that is not the record's.
const FAR: usize = 40;

/// A slot that may name who made it.
struct Candidate<'s, 'p> {
    slot: Slot<'s, 'p>,
    rule: FieldRule,
    score: f64,
    why: Vec<&'static str>,
}

/// Where titles are and what they are.
struct Around<'t> {
    title: Option<&'t PathPattern>,
    near: &'t Beside,
    /// The words of the pages' titles.
    page_titles: Vec<Vec<String>>,
}

/// Proposes rules for the uploader: the best path string, then others of the same kind for pages that lack it.
pub(super) fn propose(sample: &Sample<'_>, title: Option<&PathPattern>, near: &Beside) -> Vec<Proposed> {
    let page_titles: Vec<Vec<String>> =
        sample.sample_pages.iter().map(|page_texts| words(page_texts.page.title())).collect();
    let around = Around { title, near, page_titles };
    let labelled =
        sample.by_label().into_iter().filter(|slot| slot.label.and_then(kind) == Some(Kind::Uploader));
    let by_path = sample.by_path();
    let slots = labelled.chain(by_path.iter().cloned());
    let mut candidates: Vec<Candidate<'_, '_>> =
        slots.filter_map(|slot| judge(sample, slot, &around)).collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let Some(best) = candidates.first() else { return Vec::new() };
    let (why, score) = (best.why.clone(), best.score);
    // names of one kind are in several places, in comments too: the record's own comes first
    candidates.retain(|candidate| candidate.why == why);
    let place = |candidate: &Candidate<'_, '_>| {
        let is_rare = 2.0 * candidate.score < score;
        (
            is_rare,
            candidate.slot.firsts().map(|text| text.place).sum::<usize>() / candidate.slot.pages().max(1),
        )
    };
    candidates.sort_by_key(place);
    let Some(first) = candidates.first() else { return Vec::new() };
    let unlinked = by_path.iter().filter_map(|slot| unlinked(sample, slot, first.slot.path));
    let rest = candidates.iter().map(|candidate| (candidate.rule.clone(), candidate.slot.clone()));
    let rules: Vec<(FieldRule, Slot<'_, '_>)> = rest.collect();
    let (head, tail) = rules.split_at(1);
    let mut missing: Vec<bool> = vec![true; sample.len()];
    let mut proposed = Vec::new();
    for (rule, slot) in head.iter().cloned().chain(unlinked).chain(tail.iter().cloned()) {
        // a further path string must find a name on pages where the ones before find none
        if !slot.uses.iter().any(|(page, _)| missing.get(*page) == Some(&true)) {
            continue;
        }
        for (page, _) in &slot.uses {
            if let Some(missing) = missing.get_mut(*page) {
                *missing = false;
            }
        }
        let evidence = format!("{}: {}", why.join(", "), slot.examples());
        proposed.push(Proposed { rule, coverage: sample.share(slot.pages()), evidence });
        if proposed.len() == MAX_RULES {
            break;
        }
    }
    proposed
}

/// Names at the position of the best ones, but without a link: `Submitted by Guest on Monday` in one text.
fn unlinked<'s, 'p>(
    sample: &Sample<'p>,
    slot: &Slot<'s, 'p>,
    best: &str,
) -> Option<(FieldRule, Slot<'s, 'p>)> {
    let parent =
        best.starts_with("<a").then(|| best.find("><").and_then(|end| best.get(end + 1..))).flatten()?;
    if parent != slot.path {
        return None;
    }
    let is_by = |text: &&'s Text<'p>| by_word(text.value).is_some();
    let uses: Vec<(usize, Vec<&'s Text<'p>>)> = slot
        .uses
        .iter()
        .filter_map(|(page, texts)| Some((*page, vec![texts.iter().copied().find(is_by)?])))
        .collect();
    let slot = Slot { path: slot.path, label: None, uses };
    let word = slot.firsts().find_map(|text| by_word(text.value))?;
    let mut rule = FieldRule::new(Field::Uploader, slot.path);
    rule.after = Some(word.to_owned());
    rule.first = true;
    rule.before = before(&slot, Some(word));
    (slot.pages() >= 2.min(sample.len())).then_some((rule, slot))
}

/// The word that ends a name, where dates follow: "on".
fn before(slot: &Slot<'_, '_>, after: Option<&str>) -> Option<String> {
    let has_on =
        |text: &Text<'_>| name_of(text.value, after).is_some_and(|name| find_word(name, "on").is_some());
    (Slot::share_of(slot.firsts(), has_on) >= 0.5).then(|| "on".to_owned())
}

fn judge<'s, 'p>(sample: &Sample<'p>, slot: Slot<'s, 'p>, around: &Around<'_>) -> Option<Candidate<'s, 'p>> {
    if around.title.is_some_and(|title| title.as_str() == slot.path) {
        return None;
    }
    let mut rule = FieldRule::new(Field::Uploader, slot.path);
    rule.label = slot.label.map(str::to_owned);
    rule.first = true;
    let mut why = Vec::new();
    let mut score = 0.0;
    let mut speaks = |weight: f64, words: &'static str| {
        score += weight;
        why.push(words);
    };
    let share = |holds: &dyn Fn(&Text<'p>) -> bool| Slot::share_of(slot.firsts(), holds);
    if slot.label.is_some() {
        speaks(3.0, "label");
    } else if share(&|text| by_word(text.value).is_some()) >= MIN_NAMES {
        speaks(3.0, "`by` in the text");
        let words: Vec<&str> = slot.firsts().filter_map(|text| by_word(text.value)).collect();
        rule.after = words.first().map(|&word| word.to_owned());
    }
    rule.before = before(&slot, rule.after.as_deref());
    let name = |text: &Text<'p>| name_of(text.value, rule.after.as_deref()).map(str::to_owned);
    let is_name = |text: &Text<'p>| {
        let name = name(text).unwrap_or_default();
        let end =
            rule.before.as_deref().and_then(|word| find_word(&name, word)).map_or(name.len(), |(at, _)| at);
        can_be_name(trim_value(name.get(..end).unwrap_or_default()))
    };
    if share(&is_name) < MIN_NAMES {
        return None;
    }
    if share(&has_rel) >= 0.5 {
        speaks(3.0, "rel=author");
    }
    if share(&|text| text.leads == Some(Leads::Profile)) >= 0.5 {
        speaks(2.0, "links to profiles");
    }
    if names_person(slot.near(3)) {
        speaks(2.0, "class name");
    } else if names_person(slot.near(5)) {
        speaks(1.0, "class name around it");
    }
    if beside_title(sample, &slot, around) >= MIN_NAMES {
        speaks(1.6, "in the page's title, beside the title");
    }
    if names_aside(slot.near(8)) {
        score -= 2.0;
    }
    if is_far(sample, &slot, around.near) {
        score *= 0.35;
    }
    let varies = sample.len() < 5 || slot.distinct() >= 2;
    let score = score * sample.share(slot.pages());
    (varies && score >= MIN_SCORE).then_some(Candidate { slot, rule, score, why })
}

/// Whether a name is so far from the title that it is somebody else's, such as the author of a review at the end of the
/// page.
fn is_far(sample: &Sample<'_>, slot: &Slot<'_, '_>, title: &Beside) -> bool {
    let mut distances: Vec<usize> = slot
        .uses
        .iter()
        .filter_map(|(page, texts)| title.data_between(sample, *page, texts.first()?))
        .collect();
    distances.sort_unstable();
    distances.get(distances.len() / 2).is_some_and(|&distance| distance > FAR)
}

/// What follows the word before a name.
fn name_of<'t>(text: &'t str, after: Option<&str>) -> Option<&'t str> {
    match after {
        Some(word) => text.get(find_word(text, word)?.1..).map(trim_value),
        None => Some(trim_value(text)),
    }
}

fn has_rel(text: &Text<'_>) -> bool {
    text.link.is_some_and(|link| link.rel.intersects(osprey_page::Rel::AUTHOR))
}

/// The share of pages on which a linked name is in the page's title and right after the record's title.
fn beside_title(sample: &Sample<'_>, slot: &Slot<'_, '_>, around: &Around<'_>) -> f64 {
    let Some(title) = around.title else { return 0.0 };
    let beside = slot.uses.iter().filter(|(page, texts)| {
        let (Some(page_texts), Some(text)) = (sample.sample_pages.get(*page), texts.first()) else {
            return false;
        };
        let before = page_texts.texts.get(..page_texts.index_of(text.place)).unwrap_or_default();
        let mut before = before.iter().rev().take(BESIDE + 1);
        let follows = before.any(|other| title.matches(page_texts.page.path_string(other.path)));
        let page_title = around.page_titles.get(*page).map(Vec::as_slice).unwrap_or_default();
        text.link.is_some() && follows && words(text.value).iter().all(|word| page_title.contains(word))
    });
    beside.count() as f64 / slot.pages().max(1) as f64
}
