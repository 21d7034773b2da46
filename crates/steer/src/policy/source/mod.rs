//! `source-ucc` and `source-target` (SOUrCe, Xu et al. 2018): the score of a link is the expected score of the page
//! types that links of its kind lead to. The site must be learned first.
//!
//! A kind of link is a pair (cluster, Apath) and a group of the frontier. `Score(u) = sum P(Ci | C(p), x) * Score(Ci)`
//! (equation 12) is the factor of the group, the same for all its links, so a changed score costs one operation per
//! kind of link. For a kind without known destinations, [`osprey_structure::Navigation`] falls back to similar kinds.
//!
//! Two things change scores: Balance, and the outcome of followed links of a kind ([`kinds`]), from which the table of
//! Xu et al. 2018 does not learn. The kind of the fetched link is rescored at once, all others whenever the crawl has
//! grown by a fiftieth; only changed scores are sent.

mod kinds;
mod rules;
mod scores;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::sync::Arc;

use osprey_model::{GroupId, LinkScore, PageType};
use osprey_page::Page;
use osprey_structure::{Cluster, Level, LinkKind, Site};
use rustc_hash::FxHashMap;

use self::kinds::{ByType, Kinds, Met, NO_PATH, Number, TYPES};
use self::rules::HubCount;
pub(crate) use self::rules::{TargetRules, UccRules};
use self::scores::{Hits, Worth, balance};
use super::{Failure, LinkFacts, Policy, Repeat, RestoreError, SitemapVisit, Visit};
use crate::wanted_clusters::wanted_clusters;
use crate::{Known, Part, Placing, SteeringConfigError};

/// By how much a crawl grows before all kinds are scored again.
const GROWTH: f64 = 1.02;
/// A change of a factor, relative, that is worth sending.
const CHANGE: f32 = 0.01;
/// The part of a link's score that says which kind it is of.
const KIND: &str = "kind";
/// The part of a link's score that says that it leads to nothing of worth, as far as is known.
const NOWHERE: &str = "to_nothing";
/// Destinations that an explanation names.
const NAMED: usize = 3;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Goal {
    /// User-created content, wherever it is.
    UserCreated { with_balance: bool },
    /// Pages of some clusters.
    Target,
}

/// Both policies.
#[derive(Debug)]
pub(super) struct Source {
    aim: Goal,
    site: Arc<Site>,
    /// Of each cluster; what does not move.
    info: Vec<f64>,
    dsim: Vec<f64>,
    kinds: Kinds,
    /// Pages fetched: in all, and of each cluster.
    pages: u64,
    of_cluster: Vec<u64>,
    /// How many pages there have to be for all kinds to be scored again.
    next: u64,
    /// The fewest outcomes that the shares of a kind are made of.
    memory: u32,
}

impl Source {
    /// For user-created content.
    pub(super) fn user_created(rules: &UccRules, known: &Known) -> Result<Self, SteeringConfigError> {
        rules.check()?;
        let site = learned("source-ucc", known)?;
        let clusters = site.model().clusters.len();
        let weights = hub_weights(site, rules.hubs);
        let info = Hits::of(&site.navigation().adjacency(), &weights, None).info(rules.alpha);
        let info = if rules.info { info } else { vec![1.0; clusters] };
        let dsim = if rules.dsim { site.spreads() } else { vec![1.0; clusters] };
        let aim = Goal::UserCreated { with_balance: rules.balance };
        Ok(Self::new(aim, site, info, dsim, rules.memory))
    }

    /// For pages like the examples, or else of the clusters that are marked as wanted.
    pub(super) fn target(rules: &TargetRules, known: &Known) -> Result<Self, SteeringConfigError> {
        rules.check()?;
        let site = learned("source-target", known)?;
        let targets = wanted_clusters("`source-target`", site, known)?;
        let weights = hub_weights(site, rules.hubs);
        let info = Hits::of(&site.navigation().adjacency(), &weights, Some(&targets)).info(rules.alpha);
        Ok(Self::new(Goal::Target, site, info, vec![1.0; targets.len()], rules.memory))
    }

    fn new(aim: Goal, site: &Arc<Site>, info: Vec<f64>, dsim: Vec<f64>, memory: u32) -> Self {
        Self {
            aim,
            site: Arc::clone(site),
            of_cluster: vec![0; info.len()],
            info,
            dsim,
            kinds: Kinds::default(),
            pages: 0,
            next: 1,
            memory,
        }
    }

    /// The factors of a cluster's score now; pages outside all clusters are worth nothing.
    fn worth(&self, cluster: Cluster) -> Worth {
        let at = |values: &[f64]| cluster.and_then(|cluster| values.get(cluster as usize).copied());
        let visited = || cluster.and_then(|cluster| self.of_cluster.get(cluster as usize)).copied();
        let balance = match self.aim {
            Goal::UserCreated { with_balance: true } => balance(visited().unwrap_or_default(), self.pages),
            _ => 1.0,
        };
        Worth { info: at(&self.info).unwrap_or_default(), dsim: at(&self.dsim).unwrap_or_default(), balance }
    }

    /// Equation 12.
    fn score(&self, met: &Met) -> f64 {
        let (to, _) = met.shares(self.site.navigation());
        to.into_iter().map(|(cluster, share)| share * self.worth(cluster).score()).sum()
    }

    /// The same, by the type of page that the score comes from.
    fn score_by_type(&self, met: &Met) -> ByType {
        let (to, _) = met.shares(self.site.navigation());
        let mut scores = [0.0; TYPES.len()];
        for (cluster, share) in to {
            let entry = cluster.and_then(|cluster| self.site.sitemap().entry(cluster));
            let label = entry.map_or(PageType::Other, |entry| entry.label);
            let at = TYPES.iter().position(|(page_type, _)| *page_type == label).unwrap_or(TYPES.len() - 1);
            scores[at] += share * self.worth(cluster).score();
        }
        scores.map(|score| score as f32)
    }

    /// Scores a kind and sends the factor of its group, if it is another.
    fn send(&mut self, number: Number, placing: &mut Placing) {
        let Some(met) = self.kinds.get(number) else { return };
        let (group, by_type) = (met.group(), self.score_by_type(met));
        let (before, now): (f32, f32) = (met.sent.iter().sum(), by_type.iter().sum());
        if (now - before).abs() <= CHANGE * before {
            return;
        }
        placing.factor(group, now);
        if let Some(met) = self.kinds.get_mut(number) {
            met.sent = by_type;
        }
    }

    /// Scores all kinds, if it is time.
    fn send_all(&mut self, placing: &mut Placing) {
        if self.pages < self.next {
            return;
        }
        self.next = (self.pages + 1).max((self.pages as f64 * GROWTH) as u64);
        (0..self.kinds.len()).for_each(|number| self.send(number, placing));
    }

    /// The place of links of a kind; one that is new has a factor before it has links.
    fn place_of(&mut self, kind: LinkKind, placing: &mut Placing) -> LinkPlacement {
        let (number, is_new) = self.kinds.number(kind);
        if is_new {
            // a group is worth 1 until something is said
            let group = self.kinds.get(number).map_or(GroupId::ALL, Met::group);
            placing.factor(group, 0.0);
            self.send(number, placing);
        }
        LinkPlacement::of(number, self.kinds.get(number))
    }

    /// A link of a group led to a page of a cluster, or of none.
    fn learn(&mut self, group: GroupId, to: Cluster, placing: &mut Placing) {
        if let Some(number) = self.kinds.of_group(group) {
            self.kinds.led(number, to, self.site.navigation(), self.memory);
            self.send(number, placing);
        }
    }

    fn place(&mut self, from: Cluster, page: &Page, placing: &mut Placing) {
        // links of one Apath are of one kind: it is looked up once
        let mut known: FxHashMap<osprey_page::ApathId, LinkPlacement> = FxHashMap::default();
        for (link, found) in page.links().iter().enumerate() {
            let place = match known.get(&found.apath) {
                Some(seen) => *seen,
                None => {
                    let place = self.place_of(LinkKind::of(from, page, found), placing);
                    known.insert(found.apath, place);
                    place
                }
            };
            place.add(link, placing);
        }
    }

    fn name_of(&self, cluster: Cluster) -> String {
        let entry = cluster.and_then(|cluster| self.site.sitemap().entry(cluster));
        entry.map_or_else(|| "pages of no known type".to_owned(), |entry| format!("`{}`", entry.name))
    }

    /// Where links of a kind lead and what that is worth, in words.
    fn tell(&self, met: &Met) -> String {
        let kind = met.kind();
        let apath = self.site.model().apaths.get(&kind.apath).map_or("a new place", String::as_str);
        let (to, level) = met.shares(self.site.navigation());
        let known =
            if met.known > 0 { met.known } else { self.site.navigation().destinations(kind).0.known() };
        let basis = match level {
            Level::Apath => "links of this kind",
            Level::Xpath => "links of the same XPath, as none of this kind was followed",
            Level::Cluster => "links of such pages, as none of this kind was followed",
            Level::Site | Level::Nothing => "links of the site, as none of this kind was followed",
        };
        let mut words = format!("a link at `{apath}` on {}: ", self.name_of(kind.from));
        let _ = write!(words, "of {known} {basis} ");
        words.push_str(&self.tell_destinations(&to));
        let _ = write!(words, "; score {:.4}", self.score(met));
        words
    }

    fn tell_destinations(&self, shares: &[(Cluster, f64)]) -> String {
        let mut words = Vec::new();
        for (cluster, share) in shares.iter().take(NAMED) {
            let (name, Worth { info, dsim, balance }) = (self.name_of(*cluster), self.worth(*cluster));
            let score = self.worth(*cluster).score();
            let made_of = match (cluster, self.aim) {
                (None, _) => String::new(),
                (_, Goal::Target) => " = info".to_owned(),
                (_, Goal::UserCreated { .. }) => {
                    format!(" = info {info:.3} x dsim {dsim:.3} x balance {balance:.3}")
                }
            };
            words.push(format!("{:.0} % led to {name} (score {score:.4}{made_of})", share * 100.0));
        }
        if shares.len() > NAMED {
            words.push(format!("the rest to {} other types", shares.len() - NAMED));
        }
        if words.is_empty() { "destinations unknown".to_owned() } else { words.join(", ") }
    }
}

/// What a link counts for the hub score of its cluster, by cluster.
fn hub_weights(site: &Site, hubs: HubCount) -> Vec<f64> {
    let pages = site.pages_by_cluster().into_iter().map(|pages| pages.max(1) as f64);
    match hubs {
        HubCount::Total => vec![1.0; pages.len()],
        HubCount::PerPage => pages.map(|pages| 1.0 / pages).collect(),
    }
}

/// Where links of a kind are placed, and the parts of their score.
#[derive(Clone, Copy, Debug)]
struct LinkPlacement {
    group: GroupId,
    parts: [Part; 1 + TYPES.len()],
    count: usize,
}

impl LinkPlacement {
    fn of(number: Number, met: Option<&Met>) -> Self {
        let mut place = Self {
            group: met.map_or(GroupId::ALL, Met::group),
            parts: [(KIND, number as f32); 1 + TYPES.len()],
            count: 1,
        };
        let scores = met.map(|met| met.sent).unwrap_or_default();
        for ((_, name), score) in TYPES.iter().zip(scores) {
            if score > 0.0 {
                place.parts[place.count] = (*name, score);
                place.count += 1;
            }
        }
        if place.count == 1 {
            place.parts[1] = (NOWHERE, 0.0);
            place.count = 2;
        }
        place
    }

    fn add(&self, link: usize, placing: &mut Placing) {
        placing.add(link, self.group, LinkScore::ONE, self.parts.get(..self.count).unwrap_or_default());
    }
}

/// The site, which has to be learned.
pub(super) fn learned<'k>(policy: &str, known: &'k Known) -> Result<&'k Arc<Site>, SteeringConfigError> {
    known.site.as_ref().ok_or_else(|| {
        SteeringConfigError::new(
            "policy.kind",
            format!("`{policy}` needs a learned site: run `osprey learn DIR` first"),
        )
    })
}

impl Policy for Source {
    fn name(&self) -> &'static str {
        match self.aim {
            Goal::UserCreated { .. } => "source-ucc",
            Goal::Target => "source-target",
        }
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let cluster = visit.reading.and_then(|reading| reading.cluster);
        self.pages += 1;
        if let Some(pages) = cluster.and_then(|cluster| self.of_cluster.get_mut(cluster as usize)) {
            *pages += 1;
        }
        self.learn(visit.group, cluster, placing);
        // first, so that what is placed has the parts of the score it gets
        self.send_all(placing);
        self.place(cluster, visit.page, placing);
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        let nowhere = LinkKind { from: None, apath: NO_PATH, xpath: NO_PATH };
        let place = self.place_of(nowhere, placing);
        (0..map.entries.len()).for_each(|link| place.add(link, placing));
    }

    fn on_failure(&mut self, failure: &Failure<'_>, placing: &mut Placing) {
        // a link that led nowhere led to no cluster
        if let Some(group) = failure.group {
            self.learn(group, None, placing);
        }
    }

    fn on_repeat(&mut self, repeat: &Repeat<'_>, placing: &mut Placing) {
        // nor does a visit that found nothing new count for one; what a redirect leads to is counted beside it
        self.learn(repeat.group, None, placing);
    }

    fn group_noun(&self) -> &'static str {
        "kinds of link"
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        let number = link.parts.iter().find(|(name, _)| name == KIND).map(|(_, number)| *number as Number);
        match number.and_then(|number| self.kinds.get(number)) {
            Some(met) => self.tell(met),
            None => format!("found at depth {}, not through a link on a crawled page", link.depth),
        }
    }

    fn snapshot(&self) -> Vec<u8> {
        let state = (self.pages, &self.of_cluster, self.next, self.kinds.stored());
        postcard::to_stdvec(&state).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        let unfit = |cause: String| RestoreError { policy: self.name(), cause };
        let (pages, of_cluster, next, met): (u64, Vec<u64>, u64, Vec<Met>) =
            postcard::from_bytes(snapshot).map_err(|cause| unfit(cause.to_string()))?;
        if of_cluster.len() != self.info.len() {
            return Err(unfit(format!("it has {} clusters, the site {}", of_cluster.len(), self.info.len())));
        }
        self.kinds = Kinds::of_stored(met);
        (self.pages, self.of_cluster, self.next) = (pages, of_cluster, next);
        Ok(())
    }
}
