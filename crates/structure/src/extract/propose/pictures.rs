//! Pictures: the path string whose images are large and differ from page to page. Logos are the same on every page;
//! thumbnails of other items are many.

use std::collections::{BTreeMap, BTreeSet};

use super::super::field::Field;
use super::super::rules::{FieldRule, Take};
use super::super::vocabulary::{names_aside, names_avatar, names_person};
use super::Proposed;
use super::page_texts::Sample;

/// Pages that must have one.
const MIN_COVERAGE: f64 = 0.3;
/// The share of images that no other page has.
const MIN_DISTINCT: f64 = 0.6;
/// Images with a shorter side, in pixels, are ornaments.
const MIN_SIDE: u32 = 60;
/// Area of an image that does not say how large it is.
const USUAL_AREA: f64 = 150.0 * 150.0;

#[derive(Default)]
struct ImageUse<'p> {
    pages: BTreeSet<usize>,
    urls: BTreeMap<&'p str, usize>,
    images: usize,
    area: f64,
}

/// Proposes the record's pictures.
pub(super) fn propose(sample: &Sample<'_>) -> Option<Proposed> {
    let mut seen: BTreeMap<&str, ImageUse<'_>> = BTreeMap::new();
    for (number, page_texts) in sample.sample_pages.iter().enumerate() {
        for image in page_texts.page.images() {
            let path = sample.pattern(page_texts.page.path_string(image.path_string));
            let is_small = |side: Option<u32>| side.is_some_and(|side| side < MIN_SIDE);
            let is_person = names_avatar(path) || names_avatar(image.src.as_str()) || names_person(path);
            if is_small(image.width) || is_small(image.height) || is_person || names_aside(path) {
                continue;
            }
            let area = match (image.width, image.height) {
                (Some(width), Some(height)) => f64::from(width) * f64::from(height),
                (Some(side), None) | (None, Some(side)) => f64::from(side) * f64::from(side),
                (None, None) => USUAL_AREA,
            };
            let seen = seen.entry(path).or_default();
            seen.images += 1;
            seen.area += area;
            if seen.pages.insert(number) {
                *seen.urls.entry(image.src.as_str()).or_default() += 1;
            }
        }
    }
    let fitting = seen.into_iter().filter(|(_, seen)| {
        let distinct = seen.urls.len() as f64 / seen.pages.len().max(1) as f64;
        sample.share(seen.pages.len()) >= MIN_COVERAGE && (sample.len() < 3 || distinct >= MIN_DISTINCT)
    });
    let score = |seen: &ImageUse<'_>| {
        let images = seen.images.max(1) as f64;
        // many on a page are thumbnails of other items
        seen.area / images * sample.share(seen.pages.len()) / (images / seen.pages.len().max(1) as f64)
    };
    let (path, seen) = fitting.max_by(|(_, a), (_, b)| score(a).total_cmp(&score(b)))?;
    let mut rule = FieldRule::new(Field::Images, path);
    rule.take = Take::Image;
    let example = seen.urls.keys().next().copied().unwrap_or_default();
    let evidence = format!("images that change from page to page: `{example}`");
    Some(Proposed { rule, coverage: sample.share(seen.pages.len()), evidence })
}
