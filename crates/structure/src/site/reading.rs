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
    /// Fingerprints of unwanted sample pages.
    unwanted: HashSet<u64>,
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
        let mut site =
            Self { model, sitemap, extractors, key, navigation, has_unwanted, unwanted: HashSet::new() };
        let pages = site.model.sample.iter().filter(|page| site.is_marked(site.sitemap.joined(page.cluster)));
        let urls = pages.filter_map(|page| CanonicalUrl::from_stored(&page.url).ok());
        site.unwanted = urls.map(|url| url.fingerprint()).collect();
        Ok(site)
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

    /// How much the pages of each cluster differ (Xu et al. 2018, equation 10). Of clusters that the sitemap joins, the
    /// mean over their pages; one that is another in truth has none of its own.
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

    /// Reads a page.
    pub fn read(&self, page: &Page) -> Reading {
        let cluster = self.sitemap.joined(self.model.classifier.classify(&PageShape::of(page)).cluster);
        let entry = cluster.and_then(|cluster| self.sitemap.entry(cluster));
        let Some(entry) = entry else {
            // outside all clusters a page may still be like the examples that a person gave
            let like = self.model.examples.classify(page).and_then(|name| name.parse().ok());
            return Reading { cluster, page_type: like.unwrap_or_default(), ..Reading::default() };
        };
        let extractor = self.extractors.get(&entry.cluster);
        let record = extractor.map(|extractor| extractor.apply(page)).filter(|record| !record.is_empty());
        Reading { cluster, page_type: entry.label, wanted: entry.wanted, record }
    }

    /// The type of page that links of this kind lead to, if most do.
    pub(crate) fn leads_to(&self, from: Cluster, page: &Page, link: &Link) -> Option<PageType> {
        leads_to(&self.navigation, &self.sitemap, LinkKind::of(from, page, link))
    }

    /// Which detail link of a list page belongs to which uploader: by where links lead, as far as that is known, else
    /// by the look of the page's blocks.
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

    /// Whether a link leads to an unwanted page: one that was sampled, or one of a kind of link that leads to
    /// such pages. Only links of the very kind, or of its XPath, are evidence for that; those of the whole cluster are
    /// not. Where the page itself is unwanted, less evidence will do: lists lead to more of themselves.
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
