//! Lists: tags, sets, groups, and on profiles terms by their source and contacts.
//!
//! Evidence is a label ("Tags"), `rel=tag`, a class name, or a word in brackets behind every value: `flowers (Set)` and
//! `Utata (Pool)` have one path string and are distinguished by it.
//!
//! A field gets few rules, those that find something on most pages: a site that uses another class name for every list
//! would otherwise get a rule for each of them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::field::Field;
use super::super::record::RecordKind;
use super::super::rules::FieldRule;
use super::super::vocabulary::{Kind, kind, names_aside};
use super::Proposed;
use super::page_texts::{Sample, Slot, Text};

/// Words in brackets, and what they make of a value.
const BRACKETS: &[(&str, Field)] = &[
    ("(Set)", Field::Sets),
    ("(set)", Field::Sets),
    ("(Album)", Field::Sets),
    ("(Pool)", Field::Groups),
    ("(pool)", Field::Groups),
    ("(Group)", Field::Groups),
];
/// Rules of one field.
const MAX_RULES: usize = 3;
/// Characters of one tag.
const MAX_CHARS: usize = 60;
/// Labels of lists on profiles, beside those that every page may have.
const SOURCES: &[&str] = &["collection", "favorite", "favourite", "interest", "forum", "category"];

/// Proposes lists.
pub(super) fn propose(sample: &Sample<'_>, record: RecordKind) -> Vec<Proposed> {
    let mut proposed = Vec::new();
    let mut tagged: BTreeSet<&str> = BTreeSet::new();
    let labelled = sample.by_label();
    let linked: BTreeSet<&str> =
        labelled.iter().filter(|slot| is_linked(slot)).filter_map(|slot| slot.label).collect();
    for slot in &labelled {
        let Some((label, field)) = slot.label.and_then(|label| Some((label, field_of(label, record)?)))
        else {
            continue;
        };
        // if other values under the same label are links, those that are not links are remarks
        if !is_list(sample, slot) || (linked.contains(label) && !is_linked(slot)) {
            continue;
        }
        tagged.insert(slot.path);
        let mut rule = FieldRule::new(field, slot.path);
        rule.label = Some(label.to_owned());
        proposed.push(with(sample, slot, rule, "label"));
    }
    for slot in sample.by_path() {
        if record == RecordKind::Detail && !tagged.contains(slot.path) && is_list(sample, &slot) {
            let rel = Slot::share_of(slot.texts(), |text| text.is_tag) >= 0.5;
            let class = names_tags(slot.near(4)) && slot.texts().all(|text| text.link.is_some());
            if rel || (class && !names_aside(slot.near(6))) {
                let rule = FieldRule::new(Field::Tags, slot.path);
                proposed.push(with(sample, &slot, rule, if rel { "rel=tag" } else { "class name" }));
            }
        }
        proposed.extend(bracketed(sample, &slot));
    }
    best_covered(proposed)
}

/// For each field the rules that find something on most pages, in their order.
fn best_covered(proposed: Vec<Proposed>) -> Vec<Proposed> {
    let mut ranked: Vec<(usize, Proposed)> = proposed.into_iter().enumerate().collect();
    // stable: of equals the first
    ranked.sort_by(|(_, a), (_, b)| b.coverage.total_cmp(&a.coverage));
    let mut rules: BTreeMap<Field, usize> = BTreeMap::new();
    ranked.retain(|(_, found)| {
        let count = rules.entry(found.rule.field.clone()).or_default();
        *count += 1;
        *count <= MAX_RULES
    });
    ranked.sort_by_key(|(number, _)| *number);
    ranked.into_iter().map(|(_, found)| found).collect()
}

/// The field that a label's values belong to.
fn field_of(label: &str, record: RecordKind) -> Option<Field> {
    let field = match (kind(label), record) {
        (Some(Kind::Tags), RecordKind::Detail) => Field::Tags,
        (Some(Kind::Sets), RecordKind::Detail) => Field::Sets,
        (Some(Kind::Groups), RecordKind::Detail) => Field::Groups,
        (Some(Kind::Tags), RecordKind::Profile) => Field::Terms("tags".to_owned()),
        (Some(Kind::Sets), RecordKind::Profile) => Field::Terms("sets".to_owned()),
        (Some(Kind::Groups), RecordKind::Profile) => Field::Terms("groups".to_owned()),
        (Some(Kind::Contacts), RecordKind::Profile) => Field::Contacts,
        (None, RecordKind::Profile) if SOURCES.contains(&label) => Field::Terms(label.to_owned()),
        _ => return None,
    };
    Some(field)
}

/// Whether values are short, and not all the same on all pages.
fn is_list(sample: &Sample<'_>, slot: &Slot<'_, '_>) -> bool {
    let is_short = |text: &Text<'_>| text.value.chars().nth(MAX_CHARS).is_none() || text.value.contains(',');
    let enough = slot.pages() >= 2.min(sample.len());
    enough && Slot::share_of(slot.texts(), is_short) >= 0.9 && (sample.len() < 3 || slot.distinct() >= 2)
}

fn is_linked(slot: &Slot<'_, '_>) -> bool {
    Slot::share_of(slot.texts(), |text| text.link.is_some()) >= 0.5
}

fn with(sample: &Sample<'_>, slot: &Slot<'_, '_>, mut rule: FieldRule, why: &str) -> Proposed {
    rule.strip = sample.template_at(slot.path);
    let evidence = match &rule.label {
        Some(label) => format!("{why} `{label}`: {}", slot.examples()),
        None => format!("{why}: {}", slot.examples()),
    };
    Proposed { rule, coverage: sample.share(slot.pages()), evidence }
}

fn names_tags(classes: &str) -> bool {
    let lower = classes.to_lowercase();
    lower
        .split(|c: char| !c.is_ascii_alphabetic())
        .any(|part| matches!(part, "tag" | "tags" | "taglist" | "keywords"))
}

/// Sets and groups by the word in brackets behind them.
fn bracketed(sample: &Sample<'_>, slot: &Slot<'_, '_>) -> Vec<Proposed> {
    let mut proposed = Vec::new();
    for (word, field) in BRACKETS {
        let pages =
            slot.uses.iter().filter(|(_, texts)| texts.iter().any(|text| text.value.ends_with(word))).count();
        if pages > 0 && pages >= 2.min(sample.len()) {
            let mut rule = FieldRule::new(field.clone(), slot.path);
            rule.contains = Some((*word).to_owned());
            let evidence = format!("values end in `{word}`: {}", slot.examples());
            proposed.push(Proposed { rule, coverage: sample.share(pages), evidence });
        }
    }
    proposed
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::page;
    use super::super::{MAX_RULES as ALL_RULES, propose};
    use super::*;

    /// A class name of letters: digits are the same in all path strings.
    fn class(number: usize) -> String {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    }

    #[test]
    fn a_class_name_for_every_list_makes_few_rules() {
        let check = |label: &str, field: &Field, expect: usize| {
            let html = |number: usize| {
                // the last class is on all pages, the others on half of them
                let classes = (0..200).filter(|class| *class == 199 || number.is_multiple_of(2));
                let lists: String = classes
                    .map(|at| {
                        format!("<div class=x{}><b>{label}:</b> <i>v{at} {number}</i></div>", class(at))
                    })
                    .collect();
                page(&format!("<h1>Page {number}</h1>{lists}"))
            };
            let pages: Vec<_> = (0..14).map(html).collect();
            let rules = propose(&pages, RecordKind::Detail, &|_, _| None).proposed;
            let of_field: Vec<&Proposed> = rules.iter().filter(|found| found.rule.field == *field).collect();
            assert!(rules.len() <= ALL_RULES && of_field.len() == expect, "{label}: {} rules", rules.len());
            let best = format!("<div-class/x{}>", class(199));
            assert!(of_field.iter().any(|found| found.rule.path.as_str().contains(&best)), "{label}");
            let labelled = rules.iter().filter(|found| found.rule.label.is_some()).count();
            assert_eq!(labelled, expect, "{label}");
        };
        check("Tags", &Field::Tags, MAX_RULES);
        check("Sets", &Field::Sets, MAX_RULES);
        // the first place has a value on all pages
        check("Publisher", &Field::Other("publisher".to_owned()), 1);
    }
}
