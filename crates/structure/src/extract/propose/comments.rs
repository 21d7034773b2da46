//! Comments: repeated blocks on a page with a name in each.
//!
//! Names are found first, by class name, by links to profiles, or because the uploader's name is among them. Two
//! successive names are in two blocks: the children of their lowest common ancestor. If the first block is the
//! uploader's (a thread), its text is the description of the record, not a comment.

use std::collections::BTreeMap;

use osprey_page::Page;

use super::super::counts::count;
use super::super::dates::is_date;
use super::super::field::Field;
use super::super::labels::branches;
use super::super::looks::{Look, look};
use super::super::names::can_be_name;
use super::super::rules::{FieldRule, Take};
use super::super::vocabulary::{names_aside, names_person, names_votes};
use super::page_texts::{Sample, Slot, Text};
use super::{Leads, Proposed};

/// Kinds of blocks, of names, of dates that are proposed.
const MAX_RULES: usize = 6;
/// Characters of the longest text of a block, in the mean: less is a list of names.
const MIN_TEXT: f64 = 30.0;
/// Elements that are part of a text, not around it.
const INSIDE: &[&str] = &[
    "p",
    "a",
    "b",
    "i",
    "em",
    "strong",
    "span",
    "br",
    "li",
    "ul",
    "ol",
    "blockquote",
    "code",
    "pre",
    "font",
    "u",
];

/// Proposes blocks, and in them names, dates and texts.
pub(super) fn propose(sample: &Sample<'_>, uploader: Option<&Proposed>) -> Vec<Proposed> {
    let slots = sample.by_path();
    let names: Vec<&Slot<'_, '_>> =
        slots.iter().filter(|slot| is_person(slot, uploader) && !names_aside(slot.path)).collect();
    let mut blocks: BTreeMap<String, usize> = BTreeMap::new();
    for slot in &names {
        for (page, texts) in &slot.uses {
            let Some(page_texts) = sample.sample_pages.get(*page) else { continue };
            for pair in texts.windows(2) {
                let [first, second] = pair else { continue };
                if let Some(path) = block_path(sample, page_texts.page, first, second) {
                    *blocks.entry(path).or_default() += 1;
                }
            }
        }
    }
    let mut ranked: Vec<(String, usize)> = blocks.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut proposed = Vec::new();
    for (path, count) in ranked.into_iter().take(MAX_RULES).filter(|(_, count)| *count >= 2) {
        for found in block(sample, &path, count, &names, &slots) {
            // blocks inside one another have names in common
            if !proposed.iter().any(|known: &Proposed| known.rule == found.rule) {
                proposed.push(found);
            }
        }
    }
    proposed.extend(own_text(sample, uploader, &proposed));
    proposed
}

fn is_person(slot: &Slot<'_, '_>, uploader: Option<&Proposed>) -> bool {
    let names = Slot::share_of(slot.texts(), |text| can_be_name(text.value));
    let leads = Slot::share_of(slot.texts(), |text| text.leads == Some(Leads::Profile));
    let is_uploader = uploader
        .is_some_and(|uploader| uploader.rule.path.matches(slot.path) && uploader.rule.after.is_none());
    let varies = slot.pages() < 3
        || slot.texts().any(|text| slot.firsts().next().is_some_and(|first| first.value != text.value));
    names >= 0.8 && varies && (leads >= 0.5 || names_person(slot.near(4)) || is_uploader)
}

/// The path string of texts directly in the block of the first of two texts.
fn block_path<'p>(
    sample: &Sample<'p>,
    page: &'p Page,
    first: &Text<'p>,
    second: &Text<'p>,
) -> Option<String> {
    let (block, other) = branches(page.tree(), first.node, second.node)?;
    let node = page.tree().node(block)?;
    let is_same = page.tree().node(other)?.name() == node.name();
    if !is_same || node.name().is_none_or(|name| INSIDE.contains(&name) && name != "li") {
        return None;
    }
    let mut path = sample.pattern(page.path_string(first.path));
    let mut at = page.tree().node(first.node)?.parent()?;
    while at.id() != block {
        match path.find("><") {
            Some(end) => path = path.get(end + 1..)?,
            // the block's own step differs on every page: use the outermost element inside it
            None if path.ends_with("...") => break,
            None => return None,
        }
        at = at.parent()?;
    }
    Some(path.to_owned())
}

/// The rules for one kind of block, if its blocks contain texts.
fn block(
    sample: &Sample<'_>,
    path: &str,
    count: usize,
    names: &[&Slot<'_, '_>],
    slots: &[Slot<'_, '_>],
) -> Vec<Proposed> {
    let inside: Vec<&Slot<'_, '_>> =
        slots.iter().filter(|slot| slot.path.len() > path.len() && slot.path.ends_with(path)).collect();
    let length = |slot: &Slot<'_, '_>| {
        slot.texts().map(|text| text.value.len()).sum::<usize>() as f64 / slot.texts().count().max(1) as f64
    };
    let total = |slot: &Slot<'_, '_>| slot.texts().map(|text| text.value.len()).sum::<usize>();
    let Some(longest) = inside.iter().max_by_key(|slot| total(slot)).filter(|slot| length(slot) >= MIN_TEXT)
    else {
        return Vec::new();
    };
    let Some(container) = container(longest.path, path) else { return Vec::new() };
    let coverage = sample.share(longest.pages());
    let evidence = format!("blocks that repeat with a name in each, {count} times");
    let mut proposed = vec![
        Proposed { rule: FieldRule::new(Field::Comment, path), coverage, evidence },
        Proposed {
            rule: FieldRule {
                take: Take::Block,
                strip: sample.template_inside(container),
                ..FieldRule::new(Field::CommentText, container)
            },
            coverage,
            evidence: format!("the longest text in such a block: {}", longest.examples()),
        },
    ];
    let authors = names
        .iter()
        .filter(|slot| slot.path.ends_with(path) && !slot.path.ends_with(container))
        .take(MAX_RULES);
    proposed.extend(authors.map(|slot| Proposed {
        rule: FieldRule::new(Field::CommentAuthor, slot.path),
        coverage: sample.share(slot.pages()),
        evidence: format!("names in such a block: {}", slot.examples()),
    }));
    let is_dated = |slot: &&&Slot<'_, '_>| Slot::share_of(slot.texts(), |text| is_date(text.value)) >= 0.4;
    let date = inside.iter().filter(is_dated).max_by_key(|slot| slot.pages());
    proposed.extend(date.map(|slot| Proposed {
        rule: FieldRule::new(Field::CommentDate, slot.path),
        coverage: sample.share(slot.pages()),
        evidence: format!("dates in such a block: {}", slot.examples()),
    }));
    let votes = inside.iter().filter(|slot| are_votes(slot)).max_by_key(|slot| slot.pages());
    proposed.extend(votes.map(|slot| Proposed {
        rule: FieldRule { take: Take::Number, ..FieldRule::new(Field::CommentVotes, slot.path) },
        coverage: sample.share(slot.pages()),
        evidence: format!("numbers of votes in such a block: {}", slot.examples()),
    }));
    proposed
}

/// Whether texts are numbers of votes: by their own word, or by a class name around a number.
fn are_votes(slot: &Slot<'_, '_>) -> bool {
    let said = |text: &Text<'_>| count(text.value).is_some_and(|(name, _)| matches!(name, "votes" | "likes"));
    let number = |text: &Text<'_>| look(text.value) == Some(Look::Number);
    Slot::share_of(slot.texts(), said) >= 0.8
        || (names_votes(slot.near(3)) && Slot::share_of(slot.texts(), number) >= 0.8)
}

/// The path string of the element that contains a whole text: up from its paragraph, but below the block, which also
/// contains the name.
pub(super) fn container<'p>(text: &'p str, block: &str) -> Option<&'p str> {
    let mut path = text;
    loop {
        let name = path.strip_prefix('<')?.split(['-', '>']).next()?;
        if path.len() <= block.len() {
            return Some(text);
        }
        if !INSIDE.contains(&name) {
            return Some(path);
        }
        path = path.get(path.find("><")? + 1..)?;
    }
}

/// In a thread the first block is the uploader's own: its text is the description.
fn own_text(sample: &Sample<'_>, uploader: Option<&Proposed>, proposed: &[Proposed]) -> Vec<Proposed> {
    let is_author = |path: &str| {
        proposed.iter().any(|found| found.rule.field == Field::CommentAuthor && found.rule.path.matches(path))
    };
    let Some(uploader) = uploader else { return Vec::new() };
    let mut own = 0;
    for page_texts in &sample.sample_pages {
        let value_of = |text: &Text<'_>| text.value.to_owned();
        let first = page_texts
            .texts
            .iter()
            .find(|text| is_author(page_texts.page.path_string(text.path)))
            .map(value_of);
        let record = super::super::apply(
            page_texts.page,
            &super::Rules { rules: vec![uploader.rule.clone()], ..super::Rules::default() },
        );
        own += usize::from(first.is_some() && record.uploader == first);
    }
    if sample.share(own) < 0.6 {
        return Vec::new();
    }
    let texts = proposed.iter().filter(|found| found.rule.field == Field::CommentText);
    let first = texts.max_by(|a, b| a.coverage.total_cmp(&b.coverage));
    first
        .map(|found| Proposed {
            rule: FieldRule { field: Field::Description, first: true, ..found.rule.clone() },
            coverage: found.coverage,
            evidence: "the first block is the uploader's own".to_owned(),
        })
        .into_iter()
        .collect()
}
