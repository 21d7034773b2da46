//! A learned site at work: what kind of page this is, what it says, and which of its links are not worth a visit.

use std::collections::{BTreeMap, BTreeSet};

use osprey_model::PageType;
use osprey_page::{Link, Page};
use serde::{Deserialize, Serialize};

use super::model::SiteModel;
use super::sitemap::{Sitemap, SitemapEntry, SitemapError};
use crate::PageShape;
use crate::extract::{Extractor, FieldRule, Record, RecordKind, Rules, Trust};
use crate::navigation::{Cluster, Level, LinkKind, Navigation};

/// Links of a kind are left alone if at least this share of those that were followed led to unwanted pages ...
const UNWANTED_SHARE: f64 = 0.9;
/// ... of at least so many.
const FEWEST_FOLLOWED: u64 = 5;

/// How records are read: `[extract]` of `osprey.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractRules {
    /// What of the structured data in pages is believed, by the name of a page type.
    pub structured: BTreeMap<String, BTreeSet<Trust>>,
    /// Where fields stand.
    #[serde(rename = "rule")]
    pub rules: Vec<FieldRule>,
}

/// A model and what a person made of it.
#[derive(Clone, Debug)]
pub struct Site {
    model: SiteModel,
    sitemap: Sitemap,
    /// By cluster.
    extractors: BTreeMap<u32, Extractor>,
    key: String,
    /// By the clusters as the sitemap joins them.
    navigation: Navigation,
    has_unwanted: bool,
}

/// What a site's model says of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its cluster, as the sitemap joins them; `None` for an outlier.
    pub cluster: Cluster,
    /// What it is.
    pub page_type: PageType,
    /// Whether such pages are wanted, if that was said.
    pub wanted: Option<bool>,
    /// What the page says of the thing or person it is about, if there are rules for its type and they found something.
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
        Ok(Self { model, sitemap, extractors, key, navigation, has_unwanted })
    }

    /// Names everything that decides over readings and records: the model, the sitemap and the rules.
    pub fn key(&self) -> &str {
        &self.key
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

    /// Reads a page.
    pub fn read(&self, page: &Page) -> Reading {
        let cluster = self.sitemap.joined(self.model.classifier.classify(&PageShape::of(page)).cluster);
        let entry = cluster.and_then(|cluster| self.sitemap.entry(cluster));
        let Some(entry) = entry else { return Reading { cluster, ..Reading::default() } };
        let extractor = self.extractors.get(&entry.cluster);
        let record = extractor.map(|extractor| extractor.apply(page)).filter(|record| !record.is_empty());
        Reading { cluster, page_type: entry.label, wanted: entry.wanted, record }
    }

    /// Whether a link is of a kind that leads to pages nobody wants. Only links of the very kind, or of its XPath, are
    /// evidence for that; those of the whole cluster are not.
    pub fn is_unwanted(&self, from: Cluster, page: &Page, link: &Link) -> bool {
        if !self.has_unwanted {
            return false;
        }
        let xpath = page.xpath_key(page.apath_xpath(link.apath));
        let kind = LinkKind { from, apath: page.apath_key(link.apath), xpath };
        let (to, evidence) = self.navigation.destinations(kind);
        if evidence < Level::Xpath || to.known() < FEWEST_FOLLOWED {
            return false;
        }
        let unwanted = |cluster: Cluster| {
            cluster
                .and_then(|cluster| self.sitemap.entry(cluster))
                .is_some_and(|entry| entry.wanted == Some(false))
        };
        let share: f64 =
            to.shares().into_iter().filter(|(cluster, _)| unwanted(*cluster)).map(|(_, share)| share).sum();
        share >= UNWANTED_SHARE
    }
}

/// Rules for a kind of page that is not there would be passed over in silence.
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

/// The rules for a kind of page; `None` if its pages are about nothing in particular, or if there are no rules.
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
