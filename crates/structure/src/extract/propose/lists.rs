//! Lists: tags, sets, groups, and on profiles terms by their source and contacts.
//!
//! Evidence is a label ("Tags"), `rel=tag`, a class name, or a word in brackets behind every value: `flowers (Set)` and
//! `Utata (Pool)` stand at one path string and are told apart by it.

use std::collections::BTreeSet;

use super::super::field::Field;
use super::super::record::RecordKind;
use super::super::rules::FieldRule;
use super::super::vocabulary::{Kind, kind, names_aside};
use super::Proposed;
use super::sheet::{Sample, Slot, Text};

/// Words in brackets, and what they make of a value.
const BRACKETS: &[(&str, Field)] = &[
    ("(Set)", Field::Sets),
    ("(set)", Field::Sets),
    ("(Album)", Field::Sets),
    ("(Pool)", Field::Groups),
    ("(pool)", Field::Groups),
    ("(Group)", Field::Groups),
];
/// Characters of one tag.
const MAX_CHARS: usize = 60;
/// Labels of lists on profiles, beside those that every page may have.
const SOURCES: &[&str] = &["collection", "favorite", "favourite", "interest", "forum", "category"];

/// Proposes lists.
pub(super) fn propose(sample: &Sample<'_>, record: RecordKind) -> Vec<Proposed> {
    let mut proposed = Vec::new();
    let mut tagged: BTreeSet<&str> = BTreeSet::new();
    let labelled = sample.by_label();
    for slot in &labelled {
        let Some((label, field)) = slot.label.and_then(|label| Some((label, field_of(label, record)?)))
        else {
            continue;
        };
        if !is_list(sample, slot) || has_linked_sibling(&labelled, slot) {
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
    proposed
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

/// Whether other values under the same label are links while these are not: then these are remarks.
fn has_linked_sibling(slots: &[Slot<'_, '_>], slot: &Slot<'_, '_>) -> bool {
    let is_linked = |slot: &Slot<'_, '_>| Slot::share_of(slot.texts(), |text| text.link.is_some()) >= 0.5;
    !is_linked(slot)
        && slots.iter().any(|other| other.label == slot.label && other.path != slot.path && is_linked(other))
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
