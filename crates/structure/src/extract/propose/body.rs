//! The text of a record: a post, an article, a description, whole.
//!
//! It is the element with the most prose of its own: text outside links, comments and what is beside the record. The
//! paragraphs of a page are at many path strings, so what counts is the element that they are in, as for comments.

use std::collections::{BTreeMap, BTreeSet};

use super::super::field::Field;
use super::super::rules::{FieldRule, Take};
use super::super::vocabulary::names_aside;
use super::Proposed;
use super::comments::container;
use super::page_texts::{Sample, Slot};

/// Pages that must have it.
const MIN_COVERAGE: f64 = 0.3;
/// Characters of it on a page, in the mean.
const MIN_CHARS: usize = 60;
/// Characters of one page that count: one page of a book is not more of a body than a hundred posts.
const MOST_CHARS: usize = 2_000;

/// What is known of an element over the pages.
#[derive(Default)]
struct Prose<'s> {
    chars: BTreeMap<usize, usize>,
    texts: BTreeSet<&'s str>,
}

/// Proposes the text of the record, given the rules for comments.
pub(super) fn propose(sample: &Sample<'_>, others: &[Proposed]) -> Option<Proposed> {
    let blocks: Vec<&Proposed> = others.iter().filter(|found| found.rule.field == Field::Comment).collect();
    let is_comment = |path: &str| blocks.iter().any(|found| found.rule.path.steps_below(path).is_some());
    let slots = sample.by_path();
    let mut elements: BTreeMap<&str, Prose<'_>> = BTreeMap::new();
    for slot in slots.iter().filter(|slot| is_prose(slot) && !is_comment(slot.path)) {
        let Some(path) = container(slot.path, "") else { continue };
        let prose = elements.entry(path).or_default();
        for (page, texts) in &slot.uses {
            let own = texts.iter().filter(|text| text.link.is_none());
            *prose.chars.entry(*page).or_default() +=
                own.map(|text| text.value.chars().count()).sum::<usize>();
            prose.texts.extend(texts.iter().map(|text| text.value));
        }
    }
    let total = |prose: &Prose<'_>| prose.chars.values().map(|chars| *chars.min(&MOST_CHARS)).sum::<usize>();
    let fits = elements.into_iter().filter(|(_, prose)| {
        let pages = prose.chars.len();
        sample.share(pages) >= MIN_COVERAGE
            && total(prose) >= MIN_CHARS * pages
            && (sample.len() < 3 || 2 * prose.texts.len() > pages)
    });
    let (path, prose) = fits.max_by_key(|(path, prose)| (total(prose), std::cmp::Reverse(path.len())))?;
    let mut rule = FieldRule::new(Field::Description, path);
    (rule.take, rule.first) = (Take::Block, true);
    rule.strip = sample.template_inside(path);
    let chars = total(&prose) / prose.chars.len().max(1);
    let evidence = format!("the element with the most text of its own, {chars} characters on a page");
    Some(Proposed { rule, coverage: sample.share(prose.chars.len()), evidence })
}

/// Whether texts are to be read: not links, and not beside the record.
fn is_prose(slot: &Slot<'_, '_>) -> bool {
    let linked = Slot::share_of(slot.texts(), |text| text.link.is_some());
    let labelled = Slot::share_of(slot.texts(), |text| text.label.is_some() && text.is_firm);
    labelled < 0.5
        && linked < 0.5
        && !names_aside(slot.near(8))
        && !slot.path.starts_with("<h1")
        && !slot.path.contains("<footer")
}

#[cfg(test)]
mod tests {
    use super::super::super::apply;
    use super::super::super::record::RecordKind;
    use super::super::super::testing::page;
    use super::super::propose;

    #[test]
    fn the_whole_text_of_a_post_is_read() {
        let html = |number: usize| {
            page(&format!(
                "<meta name=description content='Always the same words'><title>Post {number}</title><h1>Post {number}</h1>
                 <div class=entry><p>It began on day {number}, as <b>such</b> days do, with {number} cups.</p>
                 <p>Then it was over, number {number} of many.</p><p class=share>Tell a friend</p>
                 <div class=post-navigation><a href=/{number}>Post after {number}</a></div></div>
                 <div class=sidebar><p>What is beside it may be longer than the post itself, which should not matter in
                 the least, whatever number {number} it is.</p></div>"
            ))
        };
        let pages: Vec<_> = (0..12).map(html).collect();
        let rules = propose(&pages, RecordKind::Detail, &|_, _| None).rules();
        let record = apply(&pages[3], &rules);
        let expect = "It began on day 3, as such days do, with 3 cups. Then it was over, number 3 of many.";
        assert_eq!(record.description.as_deref(), Some(expect));
    }
}
