//! Dates and counts: texts that are recognised by their form.

use std::collections::BTreeMap;

use super::super::counts::count;
use super::super::dates::{date_in, is_date, iso_date};
use super::super::field::Field;
use super::super::record::RecordKind;
use super::super::rules::{FieldRule, Take};
use super::super::vocabulary::{Kind, count_name, kind, names_aside};
use super::Proposed;
use super::beside::Beside;
use super::page_texts::{Sample, Slot, Text};

/// What evidence must add up to: more than looks.
const MIN_SCORE: f64 = 1.2;
/// The share of pages that must have a date.
const MIN_DATES: f64 = 0.3;
/// Texts between the title and a date that is near it.
const NEAR_TITLE: usize = 10;
/// The share of pages that must have a count.
const MIN_COUNTS: f64 = 0.3;
/// Counts at one path string of a page: with more, it is a list of other items.
const MAX_PER_PAGE: f64 = 3.0;

/// Labels of the date on which a user joined.
const SINCE: &[&str] = &[
    "member since",
    "joined",
    "joined at",
    "joined on",
    "join date",
    "registered",
    "registered on",
    "created",
    "注册时间",
];

/// Proposes the date.
pub(super) fn dates(sample: &Sample<'_>, record: RecordKind, title: &Beside) -> Option<Proposed> {
    let labelled = sample.by_label().into_iter().filter(|slot| slot.label.and_then(kind) == Some(Kind::Date));
    let mut best: Option<(f64, Proposed)> = None;
    for slot in labelled.chain(sample.by_path()) {
        // other dates on a profile are those of the items it lists
        if record == RecordKind::Profile && !slot.label.is_some_and(|label| SINCE.contains(&label)) {
            continue;
        }
        let Some((score, proposed)) = date(sample, &slot, title) else { continue };
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, proposed));
        }
    }
    best.map(|(_, proposed)| proposed)
}

fn date(sample: &Sample<'_>, slot: &Slot<'_, '_>, title: &Beside) -> Option<(f64, Proposed)> {
    let dated: Vec<(usize, &Text<'_>)> = slot
        .uses
        .iter()
        .filter_map(|(page, texts)| Some((*page, *texts.iter().find(|text| is_date(text.value))?)))
        .collect();
    if dated.is_empty() {
        return None;
    }
    let share = |holds: &dyn Fn(usize, &Text<'_>) -> bool| {
        dated.iter().filter(|(page, text)| holds(*page, text)).count() as f64 / dated.len() as f64
    };
    let mut why = vec!["looks like a date"];
    let mut score = 0.5;
    let mut speaks = |weight: f64, words: &'static str| {
        score += weight;
        why.push(words);
    };
    let is_time = slot.path.starts_with("<time");
    if slot.label.is_some() {
        speaks(2.0, "label");
    }
    if is_time {
        speaks(2.0, "time element");
    }
    if names_date(slot.near(3)) {
        speaks(1.0, "class name");
    }
    let near = |page: usize, text: &Text<'_>| {
        title.texts_between(page, text).is_some_and(|between| between <= NEAR_TITLE)
    };
    if share(&near) >= 0.5 {
        speaks(1.0, "near the title");
    }
    if share(&|_, text| date_in(text.value).and_then(iso_date).is_some()) >= 0.5 {
        score += 0.3;
    }
    if names_aside(slot.near(6)) {
        score -= 2.0;
    }
    // of equals, the one earlier on the page
    let place = dated.iter().map(|(_, text)| text.place).sum::<usize>() as f64 / dated.len() as f64;
    let coverage = sample.share(dated.len());
    if score < MIN_SCORE || coverage < MIN_DATES {
        return None;
    }
    let mut rule = FieldRule::new(Field::Date, slot.path);
    rule.label = slot.label.map(str::to_owned);
    rule.first = true;
    rule.take = if is_time { Take::Datetime } else { Take::Text };
    let evidence = format!("{}: {}", why.join(", "), slot.examples());
    Some((score * coverage - place / 1e6, Proposed { rule, coverage, evidence }))
}

fn names_date(classes: &str) -> bool {
    let lower = classes.to_lowercase();
    ["date", "time", "posted", "published", "submitted", "created"].iter().any(|word| lower.contains(word))
}

/// Proposes counts: numbers with their words, or under a label that is such a word.
pub(super) fn counts(sample: &Sample<'_>) -> Vec<Proposed> {
    let mut best: BTreeMap<&str, (usize, f64, Proposed)> = BTreeMap::new();
    let mut offer = |name: &'static str, pages: usize, place: f64, rule: FieldRule, slot: &Slot<'_, '_>| {
        let evidence = format!("numbers with their word: {}", slot.examples());
        let proposed = Proposed { rule, coverage: sample.share(pages), evidence };
        let better =
            |known: &(usize, f64, Proposed)| pages > known.0 || (pages == known.0 && place < known.1);
        if sample.share(pages) >= MIN_COUNTS && best.get(name).is_none_or(better) {
            best.insert(name, (pages, place, proposed));
        }
    };
    for slot in sample.by_path() {
        if slot.per_page() > MAX_PER_PAGE || names_aside(slot.near(6)) {
            continue;
        }
        let mut pages: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for (_, texts) in &slot.uses {
            let mut names: Vec<(&str, usize)> =
                texts.iter().filter_map(|text| Some((count(text.value)?.0, text.place))).collect();
            names.dedup_by_key(|(name, _)| *name);
            for (name, place) in names {
                let entry = pages.entry(name).or_default();
                *entry = (entry.0 + 1, entry.1 + place);
            }
        }
        for (name, (pages, places)) in pages {
            let mut rule = FieldRule::new(Field::Count(name.to_owned()), slot.path);
            (rule.take, rule.first) = (Take::Number, true);
            offer(name, pages, places as f64 / pages as f64, rule, &slot);
        }
    }
    for slot in sample.by_label() {
        let Some(name) = slot.label.and_then(count_name) else { continue };
        let is_number =
            |text: &Text<'_>| text.value.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | ' '));
        if Slot::share_of(slot.firsts(), is_number) >= 0.9 && slot.per_page() <= MAX_PER_PAGE {
            let mut rule = FieldRule::new(Field::Count(name.to_owned()), slot.path);
            rule.label = slot.label.map(str::to_owned);
            (rule.take, rule.first) = (Take::Number, true);
            offer(name, slot.pages(), 0.0, rule, &slot);
        }
    }
    best.into_values().map(|(_, _, proposed)| proposed).collect()
}
