//! The course of a crawl: harvest curve, page types, last visits, and where waiting links may lead.

use std::collections::{BTreeMap, VecDeque};

use osprey_crawl::{LinkNote, VisitRow};
use osprey_model::PageType;
use rustc_hash::FxHashMap;

use crate::status::{Course, Fetched, PageTypeCount};

/// Visits that are shown.
const RECENT: usize = 30;
/// Points of a curve; beyond, every second one goes.
const POINTS: usize = 512;
/// Kinds of link that are remembered.
const KINDS: usize = 10_000;
/// Waiting links that are looked at to tell where all of them lead.
pub(crate) const SAMPLE: u32 = 200;

/// The name of a page type, for people.
fn page_type_name(page_type: Option<&str>) -> String {
    page_type.unwrap_or(PageType::Other.name()).to_owned()
}

/// Counts over visits: the curve, the last ones, page types.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    visited: u64,
    relevant: u64,
    curve: Vec<(u64, u64)>,
    /// Visits between two points.
    step: u64,
    recent: VecDeque<Fetched>,
    types: BTreeMap<String, (u64, u64)>,
    /// Where links led so far, by their Apath: visits of each type.
    led: FxHashMap<String, BTreeMap<String, u32>>,
    /// Where a sample of the waiting links should lead.
    expected: BTreeMap<String, u64>,
}

impl Journal {
    /// The last visit that it has.
    pub(crate) fn visited(&self) -> u64 {
        self.visited
    }

    /// Goes without the next visit, which cannot be read.
    pub(crate) fn skip(&mut self) {
        self.visited += 1;
    }

    /// Takes in a visit.
    pub(crate) fn add(&mut self, row: &VisitRow) {
        self.visited = row.n;
        self.relevant += u64::from(row.relevant);
        self.point();
        if row.is_page {
            let (fetched, relevant) = self.types.entry(page_type_name(row.page_type.as_deref())).or_default();
            *fetched += 1;
            *relevant += u64::from(row.relevant);
            self.learn(row);
        }
        self.recent.push_front(Fetched::of(row));
        self.recent.truncate(RECENT);
    }

    fn learn(&mut self, row: &VisitRow) {
        let Some(apath) = &row.apath else { return };
        if self.led.len() < KINDS || self.led.contains_key(apath) {
            let types = self.led.entry(apath.clone()).or_default();
            *types.entry(page_type_name(row.page_type.as_deref())).or_default() += 1;
        }
    }

    /// Takes a sample of the links that wait: links of the same Apath should lead where those before them led.
    pub(crate) fn expect(&mut self, waiting: &[LinkNote]) {
        self.expected.clear();
        for note in waiting {
            let types = self.led.get(&note.apath).into_iter().flatten();
            let most = types.max_by_key(|(_, count)| **count).map_or("unknown", |(name, _)| name);
            *self.expected.entry(most.to_owned()).or_default() += 1;
        }
    }

    /// The part of the waiting links that should lead to a type.
    fn waiting(&self, name: &str, all: u64) -> Option<u64> {
        let sample: u64 = self.expected.values().sum();
        let share = self.expected.get(name).copied().unwrap_or(0) as f64 / sample.max(1) as f64;
        (sample > 0).then(|| (share * all as f64).round() as u64)
    }

    fn point(&mut self) {
        self.step = self.step.max(1);
        if !self.visited.is_multiple_of(self.step) {
            return;
        }
        self.curve.push((self.visited, self.relevant));
        if self.curve.len() > POINTS {
            self.step *= 2;
            let step = self.step;
            self.curve.retain(|(visited, _)| visited.is_multiple_of(step));
        }
    }

    /// What it knows; `waiting` links wait.
    pub(crate) fn course(&self, waiting: u64) -> Course {
        let mut curve: Vec<(u64, u64)> = std::iter::once((0, 0))
            .chain(self.curve.iter().copied())
            .chain((self.visited > 0).then_some((self.visited, self.relevant)))
            .collect();
        curve.dedup();
        let names =
            self.types.keys().chain(self.expected.keys().filter(|name| !self.types.contains_key(*name)));
        let kind = |name: &String| {
            let (fetched, relevant) = self.types.get(name).copied().unwrap_or_default();
            PageTypeCount { name: name.clone(), fetched, relevant, waiting: self.waiting(name, waiting) }
        };
        Course { curve, page_types: names.map(kind).collect(), recent: self.recent.iter().cloned().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_where_those_like_them_led() {
        let mut journal = Journal::default();
        let led = [("list", 3), ("detail", 5)].map(|(name, count)| (name.to_owned(), count));
        journal.led.insert("/a".to_owned(), led.into());
        let note = |apath: &str| LinkNote { apath: apath.to_owned(), ..LinkNote::default() };
        journal.expect(&[note("/a"), note("/a"), note("/a"), note("/b")]);
        let course = journal.course(100);
        let found: Vec<_> = course.page_types.iter().map(|kind| (kind.name.as_str(), kind.waiting)).collect();
        assert_eq!(found, [("detail", Some(75)), ("unknown", Some(25))]);
    }

    #[test]
    fn a_long_crawl_has_a_short_curve() {
        let mut journal = Journal::default();
        for n in 1..=10_000 {
            journal.visited = n;
            journal.relevant += n % 2;
            journal.point();
        }
        let view = journal.course(0);
        assert!((POINTS / 2..POINTS + 2).contains(&view.curve.len()), "{}", view.curve.len());
        assert_eq!((view.curve.first(), view.curve.last()), (Some(&(0, 0)), Some(&(10_000, 5_000))));
        assert!(view.curve.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
