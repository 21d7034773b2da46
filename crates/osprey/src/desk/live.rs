//! What a crawl shows of itself while it runs.

use std::collections::{BTreeMap, VecDeque};

use osprey_crawl::{Idle, LinkNote, Tally, VisitRow};
use osprey_frontier::{HostInfo, Stats};
use osprey_model::PageType;
use osprey_server::{CrawlView, HostView, Origin, PageTypeView, VisitView};
use osprey_steer::PolicyKind;
use rustc_hash::FxHashMap;

use crate::project::Project;
use crate::status::health;

/// The name of a page type, for people.
fn page_type_name(page_type: Option<&str>) -> String {
    page_type.unwrap_or(PageType::Other.name()).to_owned()
}

/// Visits that are shown.
const RECENT: usize = 30;
/// Hosts that are shown.
const HOSTS: usize = 20;
/// Points of a curve; beyond, every second one goes.
const POINTS: usize = 512;
/// Kinds of link that are remembered.
const KINDS: usize = 10_000;
/// Waiting links that are looked at to tell where all of them lead.
pub(super) const SAMPLE: u32 = 200;

/// Counts over visits: the curve, the last ones, page types.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    visited: u64,
    relevant: u64,
    curve: Vec<(u64, u64)>,
    /// Visits between two points.
    step: u64,
    recent: VecDeque<VisitView>,
    types: BTreeMap<String, (u64, u64)>,
    /// Where links led so far, by their Apath: visits of each type.
    led: FxHashMap<String, BTreeMap<String, u32>>,
    /// Where a sample of the waiting links should lead.
    expected: BTreeMap<String, u64>,
}

impl Journal {
    /// Takes in a visit.
    pub(super) fn add(&mut self, row: &VisitRow) {
        self.visited = row.n;
        self.relevant += u64::from(row.relevant);
        self.point();
        if row.is_page {
            let (fetched, relevant) = self.types.entry(page_type_name(row.page_type.as_deref())).or_default();
            *fetched += 1;
            *relevant += u64::from(row.relevant);
            self.learn(row);
        }
        self.recent.push_front(visit(row));
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
    pub(super) fn expect(&mut self, waiting: &[LinkNote]) {
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

    /// Writes what it knows into a view.
    pub(super) fn show(&self, view: &mut CrawlView) {
        view.curve = std::iter::once((0, 0))
            .chain(self.curve.iter().copied())
            .chain((self.visited > 0).then_some((self.visited, self.relevant)))
            .collect();
        view.curve.dedup();
        view.recent = self.recent.iter().cloned().collect();
        let all = view.waiting + view.parked;
        let names =
            self.types.keys().chain(self.expected.keys().filter(|name| !self.types.contains_key(*name)));
        let kind = |name: &String| {
            let (fetched, relevant) = self.types.get(name).copied().unwrap_or_default();
            PageTypeView { name: name.clone(), fetched, relevant, waiting: self.waiting(name, all) }
        };
        view.page_types = names.map(kind).collect();
    }
}

/// A view with what a project's configuration says of its crawls.
pub(super) fn planned(view: CrawlView, project: &Project) -> CrawlView {
    CrawlView {
        policy: project.resolved.policy_name(),
        policies: PolicyKind::NAMES.iter().map(ToString::to_string).collect(),
        budget: project.resolved.settings.budget.pages,
        ..view
    }
}

/// Writes the crawl's counts into a view.
pub(super) fn show(view: &mut CrawlView, tally: &Tally, stats: &Stats, hosts: Vec<HostInfo>, idle: &Idle) {
    view.visited = tally.visited;
    view.relevant = tally.relevant;
    view.failed = tally.failed;
    view.harvest_ratio = tally.harvest_ratio();
    view.pictures = tally.pictures.fetched;
    view.bytes = tally.bytes;
    view.waiting = stats.waiting.saturating_sub(stats.parked);
    view.parked = stats.parked;
    view.errors = tally.errors.clone();
    view.skipped = tally.skipped.clone();
    view.waits_for = idle.is_waiting().then(|| idle.to_string());
    view.hosts = busiest(hosts).into_iter().map(host).collect();
}

fn busiest(mut hosts: Vec<HostInfo>) -> Vec<HostInfo> {
    // those in trouble first: they are what one looks for
    hosts.sort_by_key(|host| {
        let is_slow = host.resting_until.is_some() || host.pace.streak > 0 || !host.pace.slowdown.is_zero();
        (std::cmp::Reverse(is_slow), std::cmp::Reverse(host.fetched + host.waiting))
    });
    hosts.truncate(HOSTS);
    hosts
}

fn host(info: HostInfo) -> HostView {
    HostView {
        host: info.host.to_string(),
        waiting: info.waiting,
        fetched: info.fetched,
        failed: info.failed,
        delay: (info.delay.as_secs_f64() * 100.0).round() / 100.0,
        health: health(&info),
    }
}

/// A visit as it is shown.
pub(super) fn visit(row: &VisitRow) -> VisitView {
    VisitView {
        n: row.n,
        url: row.url.clone(),
        title: row.title.clone(),
        status: row.status,
        page_type: row.page_type.clone(),
        relevant: row.relevant,
        score: row.score,
        why: row.why.clone(),
    }
}

/// Where a document came from.
pub(super) fn origin(row: &VisitRow) -> Origin {
    Origin {
        visit: visit(row),
        fetched_at: row.fetched_at.to_string(),
        policy: row.policy.clone(),
        parent: row.parent.clone(),
        apath: row.apath.clone(),
        depth: row.depth,
        relevance: row.relevance,
        bytes: row.bytes,
        digest: row.digest.clone(),
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
        let mut view = CrawlView { waiting: 90, parked: 10, ..CrawlView::default() };
        journal.show(&mut view);
        let found: Vec<_> = view.page_types.iter().map(|kind| (kind.name.as_str(), kind.waiting)).collect();
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
        let mut view = CrawlView::default();
        journal.show(&mut view);
        assert!((POINTS / 2..POINTS + 2).contains(&view.curve.len()), "{}", view.curve.len());
        assert_eq!((view.curve.first(), view.curve.last()), (Some(&(0, 0)), Some(&(10_000, 5_000))));
        assert!(view.curve.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
