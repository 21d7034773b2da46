//! All other labelled values: `Publisher: Springer` becomes the field `publisher`.

use std::collections::{BTreeMap, BTreeSet};

use super::super::field::Field;
use super::super::labels::field_name;
use super::super::rules::{FieldRule, Take};
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
/// The share of the texts of a place that have a label, so that labels count that are ones only because they recur.
const LABELLED: f64 = 0.5;
/// Pages that a further place must add, and their share.
const FEWEST_NEW: usize = 2;
const MIN_NEW: f64 = 0.03;
/// The same label so many times on a page, in the mean, is a label of several items.
const REPEATS: f64 = 1.2;
/// Characters of a value, in the mean.
const MAX_CHARS: usize = 200;

/// Proposes at most `most` fields that no other rule has taken, the most frequent first.
pub(super) fn propose(sample: &Sample<'_>, taken: &[Proposed], most: usize) -> Vec<Proposed> {
    // dates and counts are recognised by their form, and a whole text is more than the texts directly in its element:
    // other values may be at the same path string
    let by_form = |found: &&Proposed| {
        let is_block = found.rule.take == Take::Block;
        is_block || (found.rule.label.is_none() && matches!(found.rule.field, Field::Date | Field::Count(_)))
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
    let by_path = sample.by_path();
    // texts that carry labels now and then are prose with colons; those with a label before them say nothing of that
    let is_prose: BTreeSet<&str> = by_path
        .iter()
        .filter(|slot| {
            let is_alone = |text: &&Text<'_>| !text.is_under_label && (text.carries || text.label.is_none());
            let alone = || slot.texts().filter(is_alone);
            alone().any(|text| text.carries) && Slot::share_of(alone(), |text| text.carries) < 0.5
        })
        .map(|slot| slot.path)
        .collect();
    // a text before few of the values of a place is no label, but a value of another place
    let is_labelled: BTreeSet<&str> = by_path
        .iter()
        .filter(|slot| Slot::share_of(slot.texts(), |text| text.label.is_some()) >= LABELLED)
        .map(|slot| slot.path)
        .collect();
    let mut slots = sample.by_label();
    slots.retain(|slot| {
        let is_free = !taken.contains(&(slot.path, slot.label)) && !taken.contains(&(slot.path, None));
        let is_free = is_free && !slot.label.is_some_and(|label| lists.contains(label));
        let is_firm = Slot::share_of(slot.texts(), |text| text.is_firm) >= 0.5;
        let fits = is_firm || is_labelled.contains(slot.path);
        is_free && fits && is_field(sample, slot) && !is_prose.contains(slot.path)
    });
    let mut by_label: BTreeMap<&str, Vec<&Slot<'_, '_>>> = BTreeMap::new();
    for slot in &slots {
        by_label.entry(slot.label.unwrap_or_default()).or_default().push(slot);
    }
    let mut chosen: Vec<(usize, &Slot<'_, '_>, bool)> =
        by_label.into_values().flat_map(|slots| of_one_label(sample, slots)).collect();
    // the fields of most pages first, the places of one field together
    chosen.sort_by_key(|(pages, ..)| std::cmp::Reverse(*pages));
    let proposed = chosen.into_iter().take(most).filter_map(|(_, slot, otherwise)| {
        let label = slot.label?;
        let name = field_name(label);
        let mut rule = FieldRule::new(Field::Other(name.clone()), slot.path);
        rule.label = Some(label.to_owned());
        rule.strip = sample.template_at(slot.path);
        rule.otherwise = otherwise;
        rule.first = repeats(slot);
        let evidence = format!("label `{label}`: {}", slot.examples());
        let coverage = sample.share(slot.pages());
        (name.chars().nth(1).is_some()).then_some(Proposed { rule, coverage, evidence })
    });
    proposed.collect()
}

/// The places of a label's values: the first that most pages have, and those that have other values under the same
/// label. Further places are asked only where these have nothing: the same word may be a label in a list of other
/// items. With each place goes how many pages the best one is on, and whether it is a further place.
fn of_one_label<'r, 's, 'p>(
    sample: &Sample<'p>,
    mut slots: Vec<&'r Slot<'s, 'p>>,
) -> Vec<(usize, &'r Slot<'s, 'p>, bool)> {
    let place =
        |slot: &Slot<'_, '_>| slot.firsts().map(|text| text.place).sum::<usize>() / slot.pages().max(1);
    slots.sort_by_key(|slot| (std::cmp::Reverse(slot.pages()), place(slot)));
    let Some(best) = slots.first().map(|slot| slot.pages()) else { return Vec::new() };
    let mut labels: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut pages: BTreeSet<usize> = BTreeSet::new();
    let mut chosen = Vec::new();
    for slot in slots {
        let own: Vec<(usize, usize)> = slot
            .uses
            .iter()
            .flat_map(|(page, texts)| texts.iter().filter_map(|text| Some((*page, text.label_at?))))
            .collect();
        let same = own.iter().filter(|label| labels.contains(label)).count();
        let is_same = 2 * same >= own.len().max(1);
        let new = slot.uses.iter().filter(|(page, _)| !pages.contains(page)).count();
        let is_first = chosen.is_empty();
        if !is_first && !is_same && (new < FEWEST_NEW || sample.share(new) < MIN_NEW) {
            continue;
        }
        chosen.push((best, slot, !is_first && !is_same));
        pages.extend(slot.uses.iter().map(|(page, _)| *page));
        labels.extend(own);
        if chosen.len() == MAX_RULES {
            break;
        }
    }
    chosen
}

/// Whether the label is on a page more than once, in the mean.
fn repeats(slot: &Slot<'_, '_>) -> bool {
    let labels =
        |texts: &Vec<&Text<'_>>| texts.iter().map(|text| text.label_at).collect::<BTreeSet<_>>().len();
    let all: usize = slot.uses.iter().map(|(_, texts)| labels(texts)).sum();
    all as f64 > REPEATS * slot.pages() as f64
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

    #[test]
    fn a_heading_in_pieces_is_a_label() {
        let html = |number: usize| {
            let word = ["Oak", "Elm", "Ash"].get(number % 3).copied().unwrap_or_default();
            page(&format!(
                "<h1>Page of {word} {number}</h1><div class=txt-block><h4>Film Rating (<a href=/m>MPAA</a>)</h4>
                 Rated R for {word} {number}. <span><a href=x>See all</a></span></div>"
            ))
        };
        let pages: Vec<_> = (0..19).map(html).collect();
        let found = propose(&pages, RecordKind::Detail, &|_, _| None).proposed;
        let fields: Vec<String> = found.iter().map(|found| found.rule.field.to_string()).collect();
        assert!(fields.contains(&"fields.film_rating_mpaa".to_owned()), "{fields:?}");
        let record = super::super::super::apply(
            pages.first().unwrap(),
            &super::super::Rules {
                rules: found.into_iter().map(|found| found.rule).collect(),
                ..Default::default()
            },
        );
        assert_eq!(record.fields["film_rating_mpaa"], ["Rated R for Oak 0."]);
    }
}
