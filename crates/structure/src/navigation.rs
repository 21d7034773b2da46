//! The navigation table: where links of a kind lead (Xu et al. 2018, section 4.3).
//!
//! A kind of link is a pair of the cluster that contains it and its Apath. `P(Cj | Ci, x)` is the share of the links of
//! that kind, among those with a known destination, that lead to `Cj` (equation 5); `A(i, j)` is the sum over `x` of
//! `P(Cj | Ci, x) * |U(Ci, x)|` (equation 6). The table keeps learning during a crawl: [`Navigation::met`] counts links
//! that were found, [`Navigation::led`] records the destination of one.
//!
//! A kind without known destinations backs off: to the same XPath without the class of the link, then to all links of
//! the cluster, then to all links of the site. Pages outside all clusters are a source and a destination of their own,
//! `None`, so a link that mostly leads there does not look like one that always leads to the only cluster it reached.

use std::collections::BTreeMap;

use osprey_page::{Link, Page};
use serde::{Deserialize, Serialize};

/// A cluster, or the pages outside all of them.
pub type Cluster = Option<u32>;

/// The maximum number of kinds of link; links of further kinds count for their cluster and the site only.
const MAX_KINDS: usize = 200_000;

/// Counts of one kind of link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// The XPath of its links, which is the Apath without the class.
    pub xpath: u64,
    /// How many links of it were found: `|U(C, x)|`.
    pub links: u64,
    /// How many of them led where.
    pub to: Destinations,
}

/// How many links led to which cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Destinations(BTreeMap<Cluster, u64>);

impl Destinations {
    /// How many destinations are known.
    pub fn known(&self) -> u64 {
        self.0.values().sum()
    }

    /// The share of those that lead to `cluster`; `None` without data.
    pub fn share(&self, cluster: Cluster) -> Option<f64> {
        let known = self.known();
        (known > 0).then(|| self.0.get(&cluster).copied().unwrap_or_default() as f64 / known as f64)
    }

    /// Each destination and its share, the most frequent first.
    pub fn shares(&self) -> Vec<(Cluster, f64)> {
        let known = self.known() as f64;
        let mut shares: Vec<(Cluster, f64)> =
            self.0.iter().map(|(&cluster, &links)| (cluster, links as f64 / known)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        shares
    }

    fn add(&mut self, cluster: Cluster) {
        *self.0.entry(cluster).or_default() += 1;
    }

    fn join(&mut self, other: &Self) {
        for (&cluster, &links) in &other.0 {
            let sum = self.0.entry(cluster).or_default();
            *sum = sum.saturating_add(links);
        }
    }
}

/// As a list of pairs: JSON objects cannot have a missing key.
impl Serialize for Destinations {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl<'de> Deserialize<'de> for Destinations {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<(Cluster, u64)>::deserialize(deserializer).map(|pairs| Self(pairs.into_iter().collect()))
    }
}

/// How specific the evidence for a prediction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// No evidence.
    Nothing,
    /// Links of the whole site.
    Site,
    /// Links of the cluster.
    Cluster,
    /// Links of the same XPath on the cluster.
    Xpath,
    /// Links of this very kind.
    Apath,
}

/// A kind of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkKind {
    /// The cluster of the page that contains it.
    pub from: Cluster,
    /// The Apath's key.
    pub apath: u64,
    /// The key of its XPath.
    pub xpath: u64,
}

impl LinkKind {
    /// The kind of a link on a page of cluster `from`.
    pub fn of(from: Cluster, page: &Page, link: &Link) -> Self {
        let xpath = page.xpath_key(page.apath_xpath(link.apath));
        Self { from, apath: page.apath_key(link.apath), xpath }
    }
}

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Navigation {
    kinds: BTreeMap<(Cluster, u64), Kind>,
    /// Sums of `kinds`, stored because every link needs them.
    xpaths: BTreeMap<(Cluster, u64), Destinations>,
    clusters: BTreeMap<Cluster, Destinations>,
    site: Destinations,
}

impl Navigation {
    /// `links` links of a kind were found on a page.
    pub fn met(&mut self, kind: LinkKind, links: u64) {
        if let Some(kind) = self.kind_mut(kind) {
            kind.links = kind.links.saturating_add(links);
        }
    }

    /// A link of a kind led to a page of cluster `to`.
    pub fn led(&mut self, kind: LinkKind, to: Cluster) {
        if let Some(counted) = self.kind_mut(kind) {
            counted.to.add(to);
            self.xpaths.entry((kind.from, kind.xpath)).or_default().add(to);
        }
        self.clusters.entry(kind.from).or_default().add(to);
        self.site.add(to);
    }

    fn kind_mut(&mut self, kind: LinkKind) -> Option<&mut Kind> {
        let key = (kind.from, kind.apath);
        if self.kinds.len() >= MAX_KINDS && !self.kinds.contains_key(&key) {
            return None;
        }
        let counted = self.kinds.entry(key).or_default();
        counted.xpath = kind.xpath;
        Some(counted)
    }

    /// Where links of a kind lead, and how near to the kind the evidence is.
    pub fn destinations(&self, kind: LinkKind) -> (&Destinations, Level) {
        let apath = self.kinds.get(&(kind.from, kind.apath)).map(|kind| &kind.to);
        let levels = [
            (apath, Level::Apath),
            (self.xpaths.get(&(kind.from, kind.xpath)), Level::Xpath),
            (self.clusters.get(&kind.from), Level::Cluster),
            (Some(&self.site), Level::Site),
        ];
        let known = levels
            .into_iter()
            .find_map(|(to, evidence)| to.filter(|to| to.known() > 0).map(|to| (to, evidence)));
        known.unwrap_or((&self.site, Level::Nothing))
    }

    /// The cluster to which at least this share of the links of a kind lead, by evidence of this kind or of its XPath;
    /// evidence of the whole cluster or site is too weak for a single kind.
    pub(crate) fn mostly(&self, kind: LinkKind, share: f64) -> Option<Cluster> {
        let (to, level) = self.destinations(kind);
        let (cluster, most) = to.shares().into_iter().next().filter(|_| level >= Level::Xpath)?;
        (most >= share).then_some(cluster)
    }

    /// The kinds of link on pages of a cluster, by Apath.
    pub fn kinds(&self, from: Cluster) -> impl Iterator<Item = (u64, &Kind)> {
        self.kinds.range((from, 0)..=(from, u64::MAX)).map(|((_, apath), kind)| (*apath, kind))
    }

    /// How many links lead from one cluster to another, estimated from those whose destination is known: equation 6.
    /// Kinds without a known destination do not count.
    pub fn adjacency(&self) -> BTreeMap<(Cluster, Cluster), f64> {
        let mut links = BTreeMap::new();
        for ((from, _), kind) in &self.kinds {
            for (to, share) in kind.to.shares() {
                *links.entry((*from, to)).or_insert(0.0) += share * kind.links as f64;
            }
        }
        links
    }

    /// The table of some kinds, with its sums.
    fn of(kinds: BTreeMap<(Cluster, u64), Kind>) -> Self {
        let mut table = Self::default();
        for ((from, _), kind) in kinds.iter().filter(|(_, kind)| !kind.to.0.is_empty()) {
            table.xpaths.entry((*from, kind.xpath)).or_default().join(&kind.to);
            table.clusters.entry(*from).or_default().join(&kind.to);
            table.site.join(&kind.to);
        }
        Self { kinds, ..table }
    }

    /// The same table with other clusters: each is renamed, those with the same new name become one.
    #[must_use]
    pub fn renamed(&self, name: impl Fn(Cluster) -> Cluster) -> Self {
        let mut kinds: BTreeMap<(Cluster, u64), Kind> = BTreeMap::new();
        for ((from, apath), kind) in &self.kinds {
            let joined = kinds.entry((name(*from), *apath)).or_default();
            (joined.xpath, joined.links) = (kind.xpath, joined.links.saturating_add(kind.links));
            let to = kind.to.0.iter().map(|(to, links)| Destinations([(name(*to), *links)].into()));
            to.for_each(|to| joined.to.join(&to));
        }
        Self::of(kinds)
    }
}

/// As stored: the sums are made again.
#[derive(Serialize, Deserialize)]
struct Stored(Vec<StoredKind>);

#[derive(Serialize, Deserialize)]
struct StoredKind {
    from: Cluster,
    apath: u64,
    #[serde(flatten)]
    kind: Kind,
}

impl From<Navigation> for Stored {
    fn from(table: Navigation) -> Self {
        let kinds = table.kinds.into_iter();
        Self(kinds.map(|((from, apath), kind)| StoredKind { from, apath, kind }).collect())
    }
}

impl From<Stored> for Navigation {
    fn from(stored: Stored) -> Self {
        let kinds = stored.0.into_iter().take(MAX_KINDS);
        Self::of(kinds.map(|StoredKind { from, apath, kind }| ((from, apath), kind)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: Cluster = Some(0);
    const LISTS: Cluster = Some(1);

    fn kind(from: Cluster, apath: u64, xpath: u64) -> LinkKind {
        LinkKind { from, apath, xpath }
    }

    /// On lists: Apath 1 (XPath 10) has 40 links; of four known ones, three lead to threads and one to no cluster.
    /// Apath 2, of the same XPath, has 6 links with unknown destinations. Threads have one kind, back to lists.
    fn table() -> Navigation {
        let mut table = Navigation::default();
        table.met(kind(LISTS, 1, 10), 25);
        table.met(kind(LISTS, 1, 10), 15);
        table.met(kind(LISTS, 2, 10), 6);
        table.met(kind(THREADS, 3, 30), 8);
        (0..3).for_each(|_| table.led(kind(LISTS, 1, 10), THREADS));
        table.led(kind(LISTS, 1, 10), None);
        (0..4).for_each(|_| table.led(kind(THREADS, 3, 30), LISTS));
        table
    }

    #[test]
    fn equation_5_by_hand() {
        let table = table();
        let (to, evidence) = table.destinations(kind(LISTS, 1, 10));
        assert_eq!((to.share(THREADS), to.share(None), to.share(LISTS)), (Some(0.75), Some(0.25), Some(0.0)));
        assert_eq!((to.known(), evidence), (4, Level::Apath));
        assert_eq!(to.shares(), [(THREADS, 0.75), (None, 0.25)]);
    }

    #[test]
    fn unknown_kinds_back_off() {
        let table = table();
        let check = |at: LinkKind, evidence: Level, threads: f64, lists: f64| {
            let (to, got) = table.destinations(at);
            assert_eq!(
                (got, to.share(THREADS), to.share(LISTS)),
                (evidence, Some(threads), Some(lists)),
                "{at:?}"
            );
        };
        check(kind(LISTS, 2, 10), Level::Xpath, 0.75, 0.0);
        check(kind(LISTS, 9, 90), Level::Cluster, 0.75, 0.0);
        check(kind(Some(7), 1, 10), Level::Site, 3.0 / 8.0, 0.5);
        let empty = Navigation::default();
        let (to, evidence) = empty.destinations(kind(LISTS, 1, 10));
        assert_eq!((to.share(THREADS), evidence), (None, Level::Nothing));
    }

    #[test]
    fn equation_6_by_hand() {
        let expect = [((LISTS, None), 10.0), ((LISTS, THREADS), 30.0), ((THREADS, LISTS), 8.0)];
        let got = table().adjacency();
        assert_eq!(got, expect.into_iter().collect::<BTreeMap<_, _>>());
    }

    #[test]
    fn it_learns_as_it_goes() {
        let mut table = table();
        (0..4).for_each(|_| table.led(kind(LISTS, 2, 10), LISTS));
        assert_eq!(table.destinations(kind(LISTS, 2, 10)).0.share(LISTS), Some(1.0));
        assert_eq!(table.destinations(kind(LISTS, 5, 10)).0.share(LISTS), Some(0.5));
    }

    #[test]
    fn it_reads_back_as_it_was_and_clusters_can_be_joined() {
        let table = table();
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(serde_json::from_str::<Navigation>(&text).unwrap(), table);
        let one = table.renamed(|cluster| cluster.map(|_| 5));
        assert_eq!(
            one.adjacency(),
            [((Some(5), None), 10.0), ((Some(5), Some(5)), 38.0)].into_iter().collect()
        );
        assert_eq!(table.renamed(|cluster| cluster), table);
    }
}
