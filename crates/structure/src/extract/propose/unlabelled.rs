//! Values without a label: what stands at one place on most pages and differs from page to page.
//!
//! Such a field is called what the page calls it: by `itemprop`, or by a class name that is not about looks; else by
//! what its values look like (`price`, `phone`, `email`, `link`, `number`), else `text`. Copies of values that other
//! rules find are left out, and so are lists of links, prose, and what is beside the record.
//!
//! The parts of a postal address are fields, and the element around them is one too.
//!
//! Several fields may be at one path string, parted by line breaks. If pages have the same number of texts there, each
//! place is a field of its own (`nth`).

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use hashbrown::HashMap;
use osprey_page::{NodeRef, Page};

use super::super::counts::count;
use super::super::dates::is_date;
use super::super::field::Field;
use super::super::labels::normal;
use super::super::looks::{Look, look};
use super::super::rules::{FieldRule, Take};
use super::super::vocabulary::{class_name, count_name, names_aside};
use super::Proposed;
use super::page_texts::{Sample, Slot, Text};

/// The share of pages that must have a text at the place.
const MIN_COVERAGE: f64 = 0.3;
/// The same for a field without a name.
const MIN_NAMELESS: f64 = 0.6;
/// Fields that are called `text`.
const MAX_NAMELESS: usize = 6;
/// Texts at the place on a page, in the mean, so that the first is the value.
const SINGLE: f64 = 1.2;
/// Places at one path string.
const MAX_PLACES: usize = 4;
/// The share of pages that have the same number of texts there.
const SAME_NUMBER: f64 = 0.7;
/// Values of a list, in the mean.
const MAX_LISTED: f64 = 8.0;
/// Characters of a value, in the mean.
const MAX_CHARS: usize = 160;
/// The share of values that other rules find.
const COPIES: f64 = 0.7;
/// The share of texts with a label, so that the place belongs to labelled fields.
const LABELLED: f64 = 0.5;

/// A place that may be a field.
struct Candidate<'s, 'p> {
    slot: Slot<'s, 'p>,
    nth: Option<NonZeroU32>,
    is_list: bool,
}

/// Proposes at most `most` fields for places that no other rule has taken.
pub(super) fn propose(sample: &Sample<'_>, taken: &[Proposed], most: usize) -> Vec<Proposed> {
    if sample.len() < 3 {
        return Vec::new();
    }
    // dates and counts are recognised by their form: other values may be at the same path string
    let paths: BTreeSet<&str> = taken
        .iter()
        .filter(|found| !is_by_form(found) && found.rule.take != Take::Block)
        .map(|found| found.rule.path.as_str())
        .collect();
    let mut known = known_values(sample, taken);
    let mut candidates: Vec<Candidate<'_, '_>> = sample
        .by_path()
        .into_iter()
        .filter(|slot| !paths.contains(slot.path) && can_be_field(sample, slot))
        .flat_map(|slot| candidates(sample, slot))
        .filter(|candidate| varies(sample, &candidate.slot))
        .collect();
    candidates.sort_by_key(|candidate| place(&candidate.slot));
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut proposed: Vec<Proposed> = address(sample).into_iter().collect();
    for candidate in candidates {
        if proposed.len() == most {
            break;
        }
        if is_copy(&candidate.slot, &known) {
            continue;
        }
        let Some(name) = name(sample, &candidate.slot) else { continue };
        if name == "text" && sample.share(candidate.slot.pages()) < MIN_NAMELESS {
            continue;
        }
        let count = names.entry(name.clone()).or_default();
        *count += 1;
        if (name == "text" && *count > MAX_NAMELESS) || *count > 9 {
            continue;
        }
        proposed.push(proposal(sample, &candidate, &name, *count));
        for (page, texts) in &candidate.slot.uses {
            known.entry(*page).or_default().extend(texts.iter().map(|text| text.value));
        }
    }
    proposed
}

fn proposal(sample: &Sample<'_>, candidate: &Candidate<'_, '_>, name: &str, count: usize) -> Proposed {
    let Candidate { slot, nth, is_list } = candidate;
    let numbers = Slot::share_of(slot.firsts(), |text| look(text.value) == Some(Look::Number)) >= 0.9;
    let counted = count_name(&normal(name)).filter(|_| numbers && count == 1);
    let field = match counted {
        Some(name) => Field::Count(name.to_owned()),
        None if count == 1 => Field::Other(name.to_owned()),
        None => Field::Other(format!("{name}_{count}")),
    };
    let mut rule = FieldRule::new(field, slot.path);
    if counted.is_some() {
        // a number without a word: the text itself says nothing of what it counts
        rule.take = Take::Number;
    }
    rule.first = !is_list && nth.is_none();
    rule.nth = *nth;
    rule.strip = sample.template_at(slot.path);
    let evidence = format!("at one place on the pages, and varies: {}", slot.examples());
    Proposed { rule, coverage: sample.share(slot.pages()), evidence }
}

/// The element around the parts of an address: `<address>`, or one with the class `adr` or `address`.
fn address(sample: &Sample<'_>) -> Option<Proposed> {
    let slots = sample.by_path();
    let mut around: BTreeMap<&str, Vec<&Slot<'_, '_>>> = BTreeMap::new();
    for slot in slots.iter().filter(|slot| !names_aside(slot.near(6))) {
        // the element itself or the one above it
        let mut path = slot.path;
        for _ in 0..2 {
            let step = path.split("><").next().unwrap_or_default();
            let mut classes =
                step.split_once("-class/").map_or("", |(_, classes)| classes).split_whitespace();
            if step.trim_matches(['<', '>']) == "address"
                || classes.any(|class| matches!(class, "adr" | "address"))
            {
                around.entry(path).or_default().push(slot);
                break;
            }
            let Some(end) = path.find("><") else { break };
            path = path.get(end + 1..).unwrap_or_default();
        }
    }
    let pages = |slots: &Vec<&Slot<'_, '_>>| {
        slots.iter().flat_map(|slot| slot.uses.iter().map(|(page, _)| *page)).collect::<BTreeSet<_>>().len()
    };
    let fits = around.into_iter().filter(|(_, slots)| {
        slots.len() > 1
            && slots.iter().all(|slot| slot.per_page() <= SINGLE)
            && slots.iter().any(|slot| varies(sample, slot))
    });
    let (path, slots) = fits.max_by_key(|(_, slots)| pages(slots))?;
    let mut rule = FieldRule::new(Field::Other("address".to_owned()), path);
    (rule.take, rule.first) = (Take::Block, true);
    let parts = slots.iter().map(|slot| slot.examples()).collect::<Vec<_>>().join(", ");
    let evidence = format!("the parts of an address: {parts}");
    Some(Proposed { rule, coverage: sample.share(pages(&slots)), evidence })
}

fn is_by_form(found: &Proposed) -> bool {
    found.rule.label.is_none() && matches!(found.rule.field, Field::Date | Field::Count(_))
}

/// The values that other rules find, by page.
fn known_values<'p>(sample: &Sample<'p>, taken: &[Proposed]) -> HashMap<usize, BTreeSet<&'p str>> {
    let mut by_path: HashMap<&str, Vec<&Proposed>> = HashMap::new();
    for found in taken {
        by_path.entry(found.rule.path.as_str()).or_default().push(found);
    }
    let mut known: HashMap<usize, BTreeSet<&'p str>> = HashMap::new();
    for (number, page_texts) in sample.sample_pages.iter().enumerate() {
        for text in &page_texts.texts {
            let path = sample.pattern(page_texts.page.path_string(text.path));
            let rules = by_path.get(path).map(Vec::as_slice).unwrap_or_default();
            let finds = |found: &&&Proposed| match &found.rule.label {
                _ if found.rule.take == Take::Block => false,
                Some(label) => text.label.as_ref() == Some(label),
                None => !is_by_form(found) || is_date(text.value) || count(text.value).is_some(),
            };
            if rules.iter().any(|found| finds(&found)) {
                known.entry(number).or_default().insert(text.value);
            }
        }
    }
    known
}

fn is_copy(slot: &Slot<'_, '_>, known: &HashMap<usize, BTreeSet<&str>>) -> bool {
    let is_known =
        |page: &usize, text: &Text<'_>| known.get(page).is_some_and(|known| known.contains(text.value));
    let copies =
        slot.uses.iter().filter(|(page, texts)| texts.iter().all(|text| is_known(page, text))).count();
    copies as f64 >= COPIES * slot.pages() as f64
}

fn can_be_field(sample: &Sample<'_>, slot: &Slot<'_, '_>) -> bool {
    let chars: usize = slot.texts().map(|text| text.value.chars().count()).sum();
    sample.share(slot.pages()) >= MIN_COVERAGE
        && slot.per_page() <= MAX_LISTED
        && chars / slot.texts().count().max(1) <= MAX_CHARS
        && Slot::share_of(slot.texts(), |text| text.label.is_some() && text.is_firm) < LABELLED
        && !names_aside(slot.near(6))
}

fn varies(sample: &Sample<'_>, slot: &Slot<'_, '_>) -> bool {
    let distinct = slot.firsts().map(|text| text.value).collect::<BTreeSet<_>>().len();
    // a yes or a no is a value too
    sample.share(slot.pages()) >= MIN_COVERAGE && distinct >= 2 && (distinct > 2 || sample.len() < 20)
}

/// The fields that a place may hold: one, one for each of its texts, or a list.
fn candidates<'s, 'p>(sample: &Sample<'p>, slot: Slot<'s, 'p>) -> Vec<Candidate<'s, 'p>> {
    if slot.per_page() <= SINGLE {
        return vec![Candidate { slot, nth: None, is_list: false }];
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    slot.uses.iter().for_each(|(_, texts)| *numbers.entry(texts.len()).or_default() += 1);
    let usual = numbers.into_iter().max_by_key(|(_, pages)| *pages);
    let (number, pages) = usual.unwrap_or_default();
    let is_list = slot.path.starts_with("<li") || slot.texts().all(|text| text.link.is_some());
    let is_regular = pages as f64 >= SAME_NUMBER * slot.pages() as f64 && (2..=MAX_PLACES).contains(&number);
    if is_list || !is_regular {
        let looks_listed = is_list && sample.share(slot.pages()) >= MIN_NAMELESS;
        return if looks_listed { vec![Candidate { slot, nth: None, is_list: true }] } else { Vec::new() };
    }
    let at = |place: usize| {
        let uses = slot.uses.iter();
        let uses = uses.filter_map(|(page, texts)| Some((*page, vec![*texts.get(place)?]))).collect();
        let nth = u32::try_from(place + 1).ok().and_then(NonZeroU32::new);
        Candidate { slot: Slot { path: slot.path, label: None, uses }, nth, is_list: false }
    };
    (0..number).map(at).collect()
}

fn place(slot: &Slot<'_, '_>) -> usize {
    slot.firsts().map(|text| text.place).sum::<usize>() / slot.pages().max(1)
}

/// What to call the values of a place; `None` for dates, which have a rule of their own.
fn name(sample: &Sample<'_>, slot: &Slot<'_, '_>) -> Option<String> {
    let mut looks: BTreeMap<Look, usize> = BTreeMap::new();
    slot.firsts().filter_map(|text| look(text.value)).for_each(|look| *looks.entry(look).or_default() += 1);
    let usual = looks.into_iter().max_by_key(|(_, texts)| *texts);
    let look = usual.filter(|(_, texts)| 5 * texts >= 4 * slot.pages()).map(|(look, _)| look);
    let is_dated = Slot::share_of(slot.firsts(), |text| is_date(text.value)) >= 0.8;
    let declared = slot.uses.first().and_then(|(page, texts)| {
        let page = sample.sample_pages.get(*page)?.page;
        declared_name(page, texts.first()?)
    });
    let by_class = || slot.near(3).split("><").find_map(|step| class_name(step.split_once("-class/")?.1));
    let by_look = || match look {
        Some(look) => look.name().to_owned(),
        None if is_dated => "date".to_owned(),
        None => "text".to_owned(),
    };
    Some(declared.or_else(by_class).unwrap_or_else(by_look))
}

/// What the element around a text declares it to be.
fn declared_name(page: &Page, text: &Text<'_>) -> Option<String> {
    let node = page.tree().node(text.node)?;
    let mut around = std::iter::successors(node.parent(), NodeRef::parent).take(2);
    let name = around.find_map(|node| node.attr("itemprop"))?;
    let name = super::super::text::words(name).join("_");
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::super::record::RecordKind;
    use super::super::super::testing::page;
    use super::super::propose;

    const WORDS: [&str; 7] = ["Oak", "Elm", "Ash", "Yew", "Fir", "Box", "Bay"];

    fn fields(body: impl Fn(usize, &str) -> String) -> Vec<(String, Option<u32>)> {
        let html = |number: usize| {
            let word = WORDS[number % WORDS.len()];
            page(&format!("<title>{word} {number}</title><h1>{word} {number}</h1>{}", body(number, word)))
        };
        let pages: Vec<_> = (0..20).map(html).collect();
        let found = propose(&pages, RecordKind::Detail, &|_, _| None).proposed;
        let others = found.iter().filter(|found| found.rule.field.to_string().contains('.'));
        others.map(|found| (found.rule.field.to_string(), found.rule.nth.map(u32::from))).collect()
    }

    #[test]
    fn fields_are_called_what_pages_call_them() {
        let check = |body: &dyn Fn(usize, &str) -> String, expect: &[&str]| {
            let names: Vec<String> = fields(body).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, expect, "{}", body(1, "Elm"));
        };
        check(&|n, _| format!("<p class='col street-address'>{n} Long Road</p>"), &["fields.street_address"]);
        check(&|n, _| format!("<p class=left><b itemprop=postalCode>A {n}</b></p>"), &["fields.postalcode"]);
        check(&|n, _| format!("<p>$ {n}.50</p>"), &["fields.price"]);
        check(&|n, _| format!("<p>(907) 555-{}</p>", 1000 + n), &["fields.phone"]);
        check(&|n, _| format!("<p class=votes>{n}</p>"), &["count.votes"]);
        // the same as the title, the same on all pages, beside the record
        check(&|n, word| format!("<p class=x>{word} {n}</p>"), &[]);
        check(&|_, _| "<p class=x>always</p>".to_owned(), &[]);
        check(&|n, _| format!("<p class=sidebar>a {n}</p>"), &[]);
    }

    #[test]
    fn an_address_is_a_field_and_so_are_its_parts() {
        let found = fields(|n, word| {
            format!("<p class='info adr'><b class=street>{n} Road</b> <b class=town>{word} Town</b></p>")
        });
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["fields.address", "fields.street", "fields.town"]);
    }

    #[test]
    fn values_parted_by_line_breaks_are_fields_by_their_place() {
        let found = fields(|n, word| format!("<p class=imprint>{word} House {n}<br>{} pages</p>", 100 + n));
        let expect = [("fields.imprint".to_owned(), Some(1)), ("fields.imprint_2".to_owned(), Some(2))];
        assert_eq!(found, expect);
    }
}
