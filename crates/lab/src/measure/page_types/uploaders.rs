//! Measures whether the links to items on list pages are paired with the right uploaders.
//!
//! The truth of a world does not contain uploaders, but the detail pages do: the first profile that a detail page links
//! to is that of the uploader. This holds only in worlds where each item has one uploader, so only those are measured.
//! Recorded sites are skipped: their lists do not link to uploaders.

use std::collections::BTreeMap;

use osprey_model::CanonicalUrl;
use osprey_model::PageType;
use osprey_page::{Link, Page};
use osprey_structure::types::{Pairing, pairs, pairs_by_structure};
use osprey_world::Kind;

use crate::Findings;
use crate::measure::Cell;
use crate::measure::read::Reader;
use crate::measure::sample::Sample;

/// Worlds where an item has one uploader.
const WORLDS: [Kind; 2] = [Kind::Photo, Kind::Video];
/// List pages that are looked at.
const MAX_LISTS: usize = 80;
/// The number of detail pages whose uploader is looked up.
const MAX_DETAILS: usize = 1_500;

/// Reports how many pairs are right, and how many of the possible ones were found.
pub(super) fn measure(cell: &Cell<'_>, reader: &Reader<'_>, sample: &Sample, findings: &mut Findings) {
    if !cell.entry.world.is_some_and(|kind| WORLDS.contains(&kind)) {
        return;
    }
    let mut judge = Judge { cell, reader, known: BTreeMap::new() };
    let (mut told, mut found) = (Score::default(), Score::default());
    let lists = sample.truth.iter().enumerate().filter(|(_, truth)| truth.page_type == PageType::List);
    for page in lists.take(MAX_LISTS).filter_map(|(place, _)| sample.page(place)) {
        let is = |link: &Link, page_type| cell.corpus.truth(&link.url).page_type == page_type;
        let known = pairs(&page, |link| is(link, PageType::Detail), |link| is(link, PageType::Profile));
        judge.score(&page, &known, &mut told);
        judge.score(&page, &pairs_by_structure(&page), &mut found);
    }
    for (name, score) in [("pairs", &told), ("pairs_by_structure", &found)] {
        findings.figure(&format!("{name}_found"), Some(f64::from(score.found)));
        findings.figure(&format!("{name}_precision"), share(score.right, score.found));
        findings.figure(&format!("{name}_recall"), share(score.right, score.there));
    }
}

#[derive(Default)]
struct Score {
    found: u32,
    right: u32,
    /// Detail pages with their uploader on the same list.
    there: u32,
}

struct Judge<'a> {
    cell: &'a Cell<'a>,
    reader: &'a Reader<'a>,
    /// Uploaders by detail page.
    known: BTreeMap<String, Option<String>>,
}

impl Judge<'_> {
    /// A page counts once, under any of its URLs.
    fn clean(&self, url: &CanonicalUrl) -> String {
        self.cell.corpus.truth(url).duplicate_of.unwrap_or_else(|| url.as_str().to_owned())
    }

    fn uploader(&mut self, detail: &CanonicalUrl) -> Option<String> {
        let clean = self.clean(detail);
        if let Some(known) = self.known.get(&clean) {
            return known.clone();
        }
        let room = self.known.len() < MAX_DETAILS;
        let page = self.reader.read(detail).filter(|_| room).map(|fetched| self.reader.parse(&fetched));
        let is_profile = |link: &&Link| self.cell.corpus.truth(&link.url).page_type == PageType::Profile;
        let first = page.as_ref().and_then(|page| page.links().iter().find(is_profile));
        let uploader = first.map(|link| self.clean(&link.url));
        self.known.insert(clean, uploader.clone());
        uploader
    }

    fn score(&mut self, page: &Page, pairs: &[Pairing], score: &mut Score) {
        let mut paired: BTreeMap<String, String> = BTreeMap::new();
        for pair in pairs {
            if let (Some(detail), Some(uploader)) =
                (page.links().get(pair.detail), page.links().get(pair.uploader))
            {
                paired.entry(self.clean(&detail.url)).or_insert_with(|| self.clean(&uploader.url));
            }
        }
        let linked: BTreeMap<String, &CanonicalUrl> =
            page.links().iter().map(|link| (self.clean(&link.url), &link.url)).collect();
        for (clean, url) in &linked {
            if self.cell.corpus.truth(url).page_type != PageType::Detail {
                score.found += u32::from(paired.contains_key(clean));
                continue;
            }
            let Some(uploader) = self.uploader(url) else { continue };
            score.found += u32::from(paired.contains_key(clean));
            score.right += u32::from(paired.get(clean) == Some(&uploader));
            score.there += u32::from(linked.contains_key(&uploader));
        }
    }
}

fn share(part: u32, whole: u32) -> Option<f64> {
    (whole > 0).then(|| f64::from(part) / f64::from(whole))
}
