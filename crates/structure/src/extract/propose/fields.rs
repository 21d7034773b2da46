//! All other labelled values: `Publisher: Springer` becomes the field `publisher`.

use std::collections::{BTreeMap, BTreeSet};

use super::super::field::Field;
use super::super::labels::field_name;
use super::super::rules::FieldRule;
use super::super::vocabulary::names_aside;
use super::Proposed;
use super::page_texts::{Sample, Slot, Text};

/// Rules per field: its values may be at several path strings.
const MAX_RULES: usize = 3;
/// The share of pages that must have the label.
const MIN_COVERAGE: f64 = 0.08;
/// The same, and a number of pages, for a label that is one only because it recurs: people repeat themselves.
const MIN_LOOSE: (f64, usize) = (0.2, 3);
/// Values under one label on a page.
const MAX_PER_PAGE: f64 = 40.0;
/// Characters of a value, in the mean.
const MAX_CHARS: usize = 200;

/// Proposes at most `most` fields that no other rule has taken, the most frequent first.
pub(super) fn propose(sample: &Sample<'_>, taken: &[Proposed], most: usize) -> Vec<Proposed> {
    // dates and counts are recognised by their form: other texts may be at the same path string
    let by_form = |found: &&Proposed| {
        found.rule.label.is_none() && matches!(found.rule.field, Field::Date | Field::Count(_))
    };
    // a list's label is the list's, also where the list has rules enough
    let is_list = |field: &Field| {
        matches!(field, Field::Tags | Field::Sets | Field::Groups | Field::Contacts | Field::Terms(_))
    };
    let lists: BTreeSet<&str> = taken
        .iter()
        .filter(|found| is_list(&found.rule.field))
        .filter_map(|found| found.rule.label.as_deref())
        .collect();
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
        let is_free = is_free && !slot.label.is_some_and(|label| lists.contains(label));
        is_free && is_field(sample, slot) && !is_prose.contains(slot.path)
    });
    slots.sort_by_key(|slot| std::cmp::Reverse(slot.pages()));
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    slots.retain(|slot| {
        let count = rules.entry(slot.label.unwrap_or_default()).or_default();
        *count += 1;
        *count <= MAX_RULES
    });
    let proposed = slots.iter().take(most).filter_map(|slot| {
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
    let is_firm = Slot::share_of(slot.texts(), |text| text.is_firm) >= 0.5;
    let (share, pages) = if is_firm { (MIN_COVERAGE, 2.min(sample.len())) } else { MIN_LOOSE };
    sample.share(slot.pages()) >= share
        && slot.pages() >= pages
        && (sample.len() < 3 || slot.distinct() >= 2)
        && slot.per_page() <= MAX_PER_PAGE
        && slot.texts().map(length).sum::<usize>() / texts <= MAX_CHARS
        && !names_aside(slot.near(4))
}

#[cfg(test)]
mod tests {
    use super::super::super::record::RecordKind;
    use super::super::super::testing::page;
    use super::super::propose;

    #[test]
    fn texts_that_users_repeat_are_not_labels() {
        let check = |label: &str, pages: usize, expect: bool| {
            let html = |number: usize| {
                let words = ["Oak", "Elm", "Ash"].get(number % 3).copied().unwrap_or_default();
                let said = (number < pages).then(|| format!("<div>{label}<p>{words} {number}</p></div>"));
                page(&format!("<h1>Page of {words} {number}</h1>{}", said.unwrap_or_default()))
            };
            let pages: Vec<_> = (0..19).map(html).collect();
            let found = propose(&pages, RecordKind::Detail, &|_, _| None).proposed;
            let fields: Vec<String> = found.iter().map(|found| found.rule.field.to_string()).collect();
            let has_field = fields.iter().any(|field| field == "fields.living_in_tartu");
            assert_eq!(has_field, expect, "{label}: {fields:?}");
        };
        check("<b>Living in Tartu</b>", 2, false);
        check("<b>Living in Tartu</b>", 3, false);
        check("<b>Living in Tartu</b>", 4, true);
        check("<b>Living in Tartu:</b>", 2, true);
        check("<dl><dt>Living in Tartu</dl>", 2, true);
        check("<table><th><i>Living in Tartu</i></table>", 2, true);
    }
}
