//! Decides which structured data of a site to trust: it is present on enough pages, is not the same on all of them, and
//! agrees with the visible text.

use std::collections::BTreeSet;

use osprey_page::Page;

use super::super::apply::apply;
use super::super::field::Field;
use super::super::hints::Hints;
use super::super::record::Record;
use super::super::rules::{Rules, Trust};
use super::super::text::words;
use super::Proposed;

/// The share of pages that must have the data.
const MIN_SHARE: f64 = 0.5;
/// The same for lists, which not every page has.
const MIN_LISTS: f64 = 0.1;
/// The share of different values.
const MIN_DISTINCT: f64 = 0.6;

/// What can be believed.
pub(super) fn believed(pages: &[&Page], proposed: &[Proposed]) -> BTreeSet<Trust> {
    let rules = proposed
        .iter()
        .filter(|found| found.rule.field == Field::Title)
        .map(|found| found.rule.clone())
        .collect();
    let rules = Rules { rules, ..Rules::default() };
    let all: Vec<(Hints, Record)> = pages.iter().map(|page| (Hints::of(page), apply(page, &rules))).collect();
    let hints = || all.iter().map(|(hints, _)| hints);
    let mut believed = BTreeSet::new();
    let mut believe = |trust: Trust, holds: bool| {
        if holds {
            believed.insert(trust);
        }
    };
    let varied = |values: Vec<&str>, share: f64, distinct: f64| {
        let different = values.iter().collect::<BTreeSet<_>>().len() as f64;
        let enough = values.len() as f64 >= (share * pages.len() as f64).max(1.0);
        let differs =
            if values.len() < 3 { true } else { different >= (distinct * values.len() as f64).max(2.0) };
        enough && differs
    };
    let titles = hints().filter_map(|hints| hints.title.as_deref()).collect();
    believe(Trust::Title, varied(titles, MIN_SHARE, MIN_DISTINCT) && titles_agree(&all, pages));
    let uploaders = hints().filter_map(|hints| hints.uploader.as_deref()).collect();
    believe(Trust::Uploader, varied(uploaders, MIN_SHARE, 0.0));
    let dates = hints().filter_map(|hints| hints.date.as_deref()).collect();
    believe(Trust::Date, varied(dates, MIN_SHARE, 0.2));
    let descriptions = hints().filter_map(|hints| hints.description.as_deref()).collect();
    // what pages declare is the beginning of their text, or an advertisement for it
    let has_text =
        proposed.iter().any(|found| found.rule.field == Field::Description && found.coverage >= MIN_SHARE);
    believe(Trust::Description, !has_text && varied(descriptions, MIN_SHARE, MIN_DISTINCT));
    let images = hints().filter_map(|hints| hints.images.first().map(String::as_str)).collect();
    believe(Trust::Images, varied(images, MIN_LISTS, MIN_DISTINCT));
    let tags: Vec<String> =
        hints().filter(|hints| !hints.tags.is_empty()).map(|hints| hints.tags.join(",")).collect();
    believe(Trust::Tags, varied(tags.iter().map(String::as_str).collect(), MIN_LISTS, 0.2));
    let described = hints().filter(|hints| !hints.types.is_empty()).count();
    believe(Trust::Fields, described as f64 >= MIN_SHARE * pages.len().max(1) as f64);
    believed
}

/// Whether titles agree with the pages: with the text that the rule finds, or else with a part of the page's title. A
/// title with more in it (the year of a film, the site's name) is not better than what the rule finds.
fn titles_agree(all: &[(Hints, Record)], pages: &[&Page]) -> bool {
    let (mut said, mut agree) = (0usize, 0usize);
    for ((hints, record), page) in all.iter().zip(pages) {
        let Some(title) = &hints.title else { continue };
        said += 1;
        let title = words(title);
        agree += usize::from(match &record.title {
            Some(shown) => words(shown) == title,
            None => {
                let page_title = words(page.title());
                title.iter().all(|word| page_title.contains(word)) && title.len() < page_title.len()
            }
        });
    }
    said > 0 && agree as f64 >= 0.8 * said as f64
}
