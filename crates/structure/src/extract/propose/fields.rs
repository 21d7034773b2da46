//! Everything else that has a label: `Publisher: Springer` becomes the field `publisher`.

use std::collections::BTreeSet;

use super::super::field::Field;
use super::super::labels::field_name;
use super::super::rules::FieldRule;
use super::super::vocabulary::names_aside;
use super::Proposed;
use super::sheet::{Sample, Slot, Text};

/// Fields that are proposed.
const MAX_FIELDS: usize = 60;
/// The share of pages that must have the label.
const MIN_COVERAGE: f64 = 0.08;
/// Values under one label on a page.
const MAX_PER_PAGE: f64 = 40.0;
/// Characters of a value, in the mean.
const MAX_CHARS: usize = 200;

/// Proposes the fields that no other rule has taken, the most frequent first.
pub(super) fn propose(sample: &Sample<'_>, taken: &[Proposed]) -> Vec<Proposed> {
    // dates and counts are told by their form: others may stand at the same path string
    let by_form = |found: &&Proposed| {
        found.rule.label.is_none() && matches!(found.rule.field, Field::Date | Field::Count(_))
    };
    let taken: BTreeSet<(&str, Option<&str>)> = taken
        .iter()
        .filter(|found| !by_form(found))
        .map(|found| (found.rule.path.as_str(), found.rule.label.as_deref()))
        .collect();
    // texts that carry labels now and then are prose with colons
    let is_prose: BTreeSet<&str> = sample
        .by_path()
        .iter()
        .filter(|slot| {
            slot.texts().any(|text| text.carries) && Slot::share_of(slot.texts(), |text| text.carries) < 0.5
        })
        .map(|slot| slot.path)
        .collect();
    let mut slots = sample.by_label();
    slots.retain(|slot| {
        let is_free = !taken.contains(&(slot.path, slot.label)) && !taken.contains(&(slot.path, None));
        is_free && is_field(sample, slot) && !is_prose.contains(slot.path)
    });
    slots.sort_by_key(|slot| std::cmp::Reverse(slot.pages()));
    let proposed = slots.iter().take(MAX_FIELDS).filter_map(|slot| {
        let label = slot.label?;
        let name = field_name(label);
        let mut rule = FieldRule::new(Field::Other(name.clone()), slot.path);
        rule.label = Some(label.to_owned());
        rule.strip = sample.template_at(slot.path);
        let evidence = format!("label `{label}`: {}", slot.examples());
        let coverage = sample.share(slot.pages());
        (name.chars().nth(1).is_some()).then_some(Proposed { rule, coverage, evidence })
    });
    proposed.collect()
}

fn is_field(sample: &Sample<'_>, slot: &Slot<'_, '_>) -> bool {
    let length = |text: &Text<'_>| text.value.chars().count();
    let texts = slot.texts().count().max(1);
    sample.share(slot.pages()) >= MIN_COVERAGE
        && slot.pages() >= 2.min(sample.len())
        && (sample.len() < 3 || slot.distinct() >= 2)
        && slot.per_page() <= MAX_PER_PAGE
        && slot.texts().map(length).sum::<usize>() / texts <= MAX_CHARS
        && !names_aside(slot.near(4))
}
