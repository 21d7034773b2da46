//! The stored model of a site.

use std::collections::BTreeMap;

use osprey_model::PageType;
use serde::{Deserialize, Serialize};

use super::sitemap::{SITEMAP_VERSION, Sitemap, SitemapEntry};
use crate::navigation::{Cluster, Navigation};
use crate::types::{Label, PageTypes};
use crate::{Classifier, Recipe};

/// The version of the file that this build writes and reads.
pub const MODEL_VERSION: u32 = 2;

/// A cluster as it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterInfo {
    /// Its number.
    pub cluster: u32,
    /// What it is, by its structure.
    pub label: PageType,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// Why, in words.
    pub evidence: String,
    /// Pages in the sample.
    pub pages: usize,
    /// How much they differ: `Dsim` (Xu et al. 2018, equation 10).
    pub spread: f64,
    /// Links to it, estimated over the sample (a column of the adjacency matrix, Xu et al. 2018, equation 6).
    pub links_in: u64,
    /// Links on its pages.
    pub links_out: u64,
    /// Some of its pages.
    pub examples: Vec<String>,
}

impl ClusterInfo {
    pub(super) fn new(cluster: u32, label: Label) -> Self {
        Self {
            cluster,
            label: label.page_type,
            confidence: label.confidence,
            evidence: label.evidence.join("; "),
            pages: 0,
            spread: 0.0,
            links_in: 0,
            links_out: 0,
            examples: Vec::new(),
        }
    }
}

/// A page of the sample, with what the policies are built from that Xu et al. 2018 compares itself with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampledPage {
    /// Where it is.
    pub url: String,
    /// Its cluster.
    pub cluster: Cluster,
    /// Its cluster by repetitive regions, as iRobot finds them.
    pub layout: u32,
    /// Bytes of text that a reader sees.
    pub text_bytes: u32,
    /// A fingerprint of that text: pages with the same say the same.
    pub text_key: u64,
    /// The pages of the sample that it links to, by their place in it, ascending.
    pub links: Vec<u32>,
}

/// What was learned of a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SiteModel {
    /// [`MODEL_VERSION`].
    pub version: u32,
    /// Names the model, for what refers to it.
    pub id: String,
    /// How it was clustered.
    pub recipe: Recipe,
    /// What could not be learned, in words.
    pub notes: Vec<String>,
    /// The clusters, the largest first.
    pub clusters: Vec<ClusterInfo>,
    /// Where links lead.
    pub navigation: Navigation,
    /// The texts of its Apaths, for people.
    pub apaths: BTreeMap<u64, String>,
    /// Puts new pages to the clusters.
    pub classifier: Classifier,
    /// What marks pages of each type: their path strings (Zhang & Nasraoui 2009).
    #[serde(default)]
    pub page_types: PageTypes,
    /// The same for the examples that a person gave, by label.
    #[serde(default)]
    pub examples: PageTypes,
    /// The pages it was learned from.
    pub sample: Vec<SampledPage>,
}

/// Examples that label nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnusedExamples<'u> {
    /// Pages that are not in the sample.
    pub missing: Vec<&'u str>,
    /// Pages of no cluster: too few are like them.
    pub typeless: Vec<&'u str>,
}

impl SiteModel {
    /// How many pages of the sample are in no cluster.
    pub fn outliers(&self) -> usize {
        self.sample.iter().filter(|page| page.cluster.is_none()).count()
    }

    /// Labels the clusters of pages that a person named as examples; of several labels for one, the most frequent, the
    /// first of equals. Returns the pages that label nothing.
    pub fn relabel<'u>(&mut self, examples: &[(PageType, &'u str)]) -> UnusedExamples<'u> {
        let mut votes: BTreeMap<u32, BTreeMap<PageType, usize>> = BTreeMap::new();
        let mut unused = UnusedExamples::default();
        for (label, url) in examples {
            match self.sample.iter().find(|page| page.url == *url) {
                None => unused.missing.push(*url),
                Some(SampledPage { cluster: None, .. }) => unused.typeless.push(*url),
                Some(SampledPage { cluster: Some(cluster), .. }) => {
                    *votes.entry(*cluster).or_default().entry(*label).or_default() += 1;
                }
            }
        }
        for (cluster, votes) in votes {
            let most = votes.into_iter().max_by_key(|(label, count)| (*count, std::cmp::Reverse(*label)));
            if let (Some((label, _)), Some(info)) = (most, self.clusters.get_mut(cluster as usize)) {
                (info.label, info.confidence) = (label, 1.0);
                info.evidence = "a page of it was given as an example".to_owned();
            }
        }
        unused
    }

    /// The sitemap that a person may edit: each cluster named by its label, and numbered where there are several.
    pub fn sitemap(&self) -> Sitemap {
        let mut count: BTreeMap<PageType, usize> = BTreeMap::new();
        let mut name = |label: PageType| {
            let count = count.entry(label).or_default();
            *count += 1;
            if *count == 1 { label.to_string() } else { format!("{label}-{count}") }
        };
        let entry = |info: &ClusterInfo| {
            let name = name(info.label);
            SitemapEntry {
                cluster: info.cluster,
                found_as: name.clone(),
                name,
                label: info.label,
                wanted: None,
                same_as: None,
                pages: info.pages,
                links_in: info.links_in,
                links_out: info.links_out,
                evidence: info.evidence.clone(),
                examples: info.examples.clone(),
            }
        };
        let types = self.clusters.iter().map(entry).collect();
        Sitemap { version: SITEMAP_VERSION, model: self.id.clone(), types }
    }

    /// For each cluster of this model the cluster of `old` that most of its pages were in, among pages that both have.
    pub fn were(&self, old: &Self) -> BTreeMap<u32, u32> {
        let before: BTreeMap<&str, u32> =
            old.sample.iter().filter_map(|page| Some((page.url.as_str(), page.cluster?))).collect();
        let mut votes: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
        for page in &self.sample {
            if let (Some(cluster), Some(was)) = (page.cluster, before.get(page.url.as_str())) {
                *votes.entry(cluster).or_default().entry(*was).or_default() += 1;
            }
        }
        let most = |votes: BTreeMap<u32, usize>| {
            votes.into_iter().max_by_key(|(was, pages)| (*pages, std::cmp::Reverse(*was))).map(|(was, _)| was)
        };
        votes.into_iter().filter_map(|(cluster, votes)| Some((cluster, most(votes)?))).collect()
    }
}
