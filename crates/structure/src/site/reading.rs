//! Applies a learned site to a page: its page type, its record, and which of its links to skip.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use osprey_model::{CanonicalUrl, PageType};
use osprey_page::{Link, Page};
use serde::{Deserialize, Serialize};

use super::model::SiteModel;
use super::sitemap::{Sitemap, SitemapEntry, SitemapError};
use crate::PageShape;
use crate::extract::{Extractor, FieldRule, Record, RecordKind, Rules, Trust};
use crate::navigation::{Cluster, Level, LinkKind, Navigation};
use crate::types::{Pairing, pairs, pairs_by_structure};

/// Links of a kind are skipped if at least this share of those that were followed led to unwanted pages ...
const UNWANTED_SHARE: f64 = 0.9;
/// ... of at least so many.
const FEWEST_FOLLOWED: u64 = 5;

/// Links lead to a type if at least this share of those that were followed did.
const MOST: f64 = 0.5;

/// How records are read: `[extract]` of `osprey.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractRules {
    /// Which structured data to trust, by page type.
    pub structured: BTreeMap<String, BTreeSet<Trust>>,
    /// The extraction rules.
    #[serde(rename = "rule")]
    pub rules: Vec<FieldRule>,
}

/// How the type of a page is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassifyBy {
    /// By its nearest neighbours among the sampled pages (Xu et al. 2018).
    #[default]
    Clusters,
    /// By the path strings that distinguish the types (Zhang & Nasraoui 2009): those of the examples that a person gave,
    /// and of the learned types. A page that has those of no type is of none.
    PathStrings,
}

/// A model and what a person made of it.
#[derive(Clone, Debug)]
pub struct Site {
    model: SiteModel,
    sitemap: Sitemap,
    /// By cluster.
    extractors: BTreeMap<u32, Extractor>,
    key: String,
    classify_by: ClassifyBy,
    /// By the clusters as the sitemap joins them.
    navigation: Navigation,
    has_unwanted: bool,
    /// Fingerprints of unwanted sample pages.
    unwanted: HashSet<u64>,
}

/// The page type and record of a page, by the site's model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its cluster, as the sitemap joins them; `None` for an outlier.
    pub cluster: Cluster,
    /// What it is.
    pub page_type: PageType,
    /// Whether such pages are wanted, if the sitemap says so.
    pub wanted: Option<bool>,
    /// The record of the item or person that the page is about, if there are rules for its type and they found
    /// something.
    pub record: Option<Record>,
}

impl Site {
    /// A site ready to read pages with.
    pub fn new(model: SiteModel, sitemap: Sitemap, rules: &ExtractRules) -> Result<Self, SitemapError> {
        sitemap.check(&model.id)?;
        check_names(&sitemap, rules)?;
        let navigation = model.navigation.renamed(|cluster| sitemap.joined(cluster));
        let has_unwanted = sitemap.types.iter().any(|entry| entry.wanted == Some(false));
        let extractors =
            sitemap.types.iter().filter_map(|entry| Some((entry.cluster, extractor(entry, rules)?)));
        let extractors = extractors.collect();
        let key = serde_json::to_string(&(&sitemap, rules)).unwrap_or_default();
        let key = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(key.as_bytes()));
        let mut site = Self {
            model,
            sitemap,
            extractors,
            key,
            classify_by: ClassifyBy::Clusters,
            navigation,
            has_unwanted,
            unwanted: HashSet::new(),
        };
        let pages = site.model.sample.iter().filter(|page| site.is_marked(site.sitemap.joined(page.cluster)));
        let urls = pages.filter_map(|page| CanonicalUrl::from_stored(&page.url).ok());
        site.unwanted = urls.map(|url| url.fingerprint()).collect();
        Ok(site)
    }

    /// The same, with pages classified this way.
    #[must_use]
    pub fn classifying_by(mut self, classify_by: ClassifyBy) -> Self {
        if classify_by != self.classify_by {
            self.key.push_str("-path-strings");
            self.classify_by = classify_by;
        }
        self
    }

    /// A key of everything that readings and records depend on: the model, the sitemap and the rules.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What reads the records of a cluster, as the sitemap joins them; `None` if its pages give none.
    pub fn extractor(&self, cluster: u32) -> Option<&Extractor> {
        self.extractors.get(&cluster)
    }

    /// What was learned.
    pub fn model(&self) -> &SiteModel {
        &self.model
    }

    /// What a person made of it.
    pub fn sitemap(&self) -> &Sitemap {
        &self.sitemap
    }

    /// Where links lead.
    pub fn navigation(&self) -> &Navigation {
        &self.navigation
    }

    /// How much the pages of each cluster differ (Xu et al. 2018, equation 10). For clusters that the sitemap joins,
    /// the mean over their pages; a cluster that is joined to another has none of its own.
    pub fn spreads(&self) -> Vec<f64> {
        let mut sums = vec![(0.0, 0_usize); self.model.clusters.len()];
        for info in &self.model.clusters {
            let joined = self.sitemap.joined(Some(info.cluster));
            if let Some((spread, pages)) = joined.and_then(|cluster| sums.get_mut(cluster as usize)) {
                *spread += info.spread * info.pages as f64;
                *pages += info.pages;
            }
        }
        sums.into_iter().map(|(spread, pages)| if pages > 0 { spread / pages as f64 } else { 0.0 }).collect()
    }

    /// Pages in the sample of each cluster, as the sitemap joins them.
    pub fn pages_by_cluster(&self) -> Vec<usize> {
        let mut pages = vec![0; self.model.clusters.len()];
        for info in &self.model.clusters {
            let joined = self.sitemap.joined(Some(info.cluster));
            if let Some(sum) = joined.and_then(|cluster| pages.get_mut(cluster as usize)) {
                *sum += info.pages;
            }
        }
        pages
    }

    /// Reads a page.
    pub fn read(&self, page: &Page) -> Reading {
        let cluster = self.sitemap.joined(self.cluster_of(page));
        let entry = cluster.and_then(|cluster| self.sitemap.entry(cluster));
        // outside all clusters a page may still be like the examples that a person gave
        let asks_examples = entry.is_none() || self.classify_by == ClassifyBy::PathStrings;
        let like = asks_examples.then(|| self.model.examples.classify(page)).flatten();
        let like = like.and_then(|name| name.parse::<PageType>().ok());
        let other = like.filter(|like| entry.is_none_or(|entry| entry.label != *like));
        let Some(entry) = entry.filter(|_| other.is_none()) else {
            return Reading { cluster, page_type: other.unwrap_or_default(), ..Reading::default() };
        };
        let extractor = self.extractors.get(&entry.cluster);
        let record = extractor.map(|extractor| extractor.apply(page)).filter(|record| !record.is_empty());
        Reading { cluster, page_type: entry.label, wanted: entry.wanted, record }
    }

    /// The cluster of a page, before the sitemap joins any.
    fn cluster_of(&self, page: &Page) -> Cluster {
        match self.classify_by {
            ClassifyBy::Clusters => self.model.classifier.classify(&PageShape::of(page)).cluster,
            ClassifyBy::PathStrings => {
                let name = self.model.page_types.classify(page)?;
                let mut types = self.sitemap.types.iter();
                types.find(|entry| entry.is_called(name)).map(|entry| entry.cluster)
            }
        }
    }

    /// The type of page that links of this kind lead to, if most do.
    pub(crate) fn leads_to(&self, from: Cluster, page: &Page, link: &Link) -> Option<PageType> {
        leads_to(&self.navigation, &self.sitemap, LinkKind::of(from, page, link))
    }

    /// Which detail link of a list page belongs to which uploader: by the destinations of links as far as they are
    /// known, else by the structure of the page's blocks.
    pub fn uploaders(&self, from: Cluster, page: &Page) -> Vec<Pairing> {
        let leads = |link: &Link, to: PageType| self.leads_to(from, page, link) == Some(to);
        let known = pairs(page, |link| leads(link, PageType::Detail), |link| leads(link, PageType::Profile));
        if known.is_empty() { pairs_by_structure(page) } else { known }
    }

    /// Whether pages of a cluster are marked as unwanted.
    fn is_marked(&self, cluster: Cluster) -> bool {
        let entry = cluster.and_then(|cluster| self.sitemap.entry(cluster));
        entry.is_some_and(|entry| entry.wanted == Some(false))
    }

    /// Whether a link leads to an unwanted page: one in the sample, or a kind of link that leads to such pages. Only
    /// links of this kind, or of its XPath, are evidence; those of the whole cluster are not. If the page itself is
    /// unwanted, less evidence is enough: lists lead to more lists.
    pub fn is_unwanted(&self, from: Cluster, page: &Page, link: &Link) -> bool {
        if !self.has_unwanted {
            return false;
        }
        if self.unwanted.contains(&link.url.fingerprint()) {
            return true;
        }
        let (to, level) = self.navigation.destinations(LinkKind::of(from, page, link));
        if level < Level::Xpath || to.known() < FEWEST_FOLLOWED {
            return false;
        }
        let unwanted = to.shares().into_iter().filter(|(cluster, _)| self.is_marked(*cluster));
        let share: f64 = unwanted.map(|(_, share)| share).sum();
        share >= if self.is_marked(from) { MOST } else { UNWANTED_SHARE }
    }
}

/// The type of page that links of a kind lead to, if most do.
pub(crate) fn leads_to(navigation: &Navigation, sitemap: &Sitemap, kind: LinkKind) -> Option<PageType> {
    let cluster = sitemap.joined(navigation.mostly(kind, MOST)?)?;
    sitemap.entry(cluster).map(|entry| entry.label)
}

/// Rules for an unknown kind of page would otherwise be ignored silently.
fn check_names(sitemap: &Sitemap, rules: &ExtractRules) -> Result<(), SitemapError> {
    let named = rules.rules.iter().filter_map(|rule| rule.on.as_ref()).chain(rules.structured.keys());
    for name in named {
        if !sitemap.types.iter().any(|entry| entry.is_called(name)) {
            let known: Vec<String> = sitemap.types.iter().map(|entry| format!("`{}`", entry.name)).collect();
            return Err(SitemapError::Rule(name.clone(), known.join(", ")));
        }
    }
    Ok(())
}

/// The rules for a kind of page; `None` for a kind without records, or if there are no rules.
fn extractor(entry: &SitemapEntry, all: &ExtractRules) -> Option<Extractor> {
    let kind = match entry.label {
        PageType::Detail => RecordKind::Detail,
        PageType::Profile => RecordKind::Profile,
        PageType::List | PageType::Other => return None,
    };
    let named = all.structured.iter().filter(|(name, _)| entry.is_called(name));
    let structured = named.flat_map(|(_, trusted)| trusted).copied().collect();
    let rules = Rules { structured, ..Rules::select(kind, &all.rules, |name| entry.is_called(name)) };
    (!rules.rules.is_empty() || !rules.structured.is_empty()).then(|| Extractor::new(rules))
}
