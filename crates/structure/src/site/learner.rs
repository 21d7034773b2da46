//! Learns the model of a site from the pages of a sample.
//!
//! Pages are processed one by one and not kept: their shapes, links and facts take a few kilobytes each. Extraction
//! rules, which need whole pages, are learned afterwards from a few pages of each cluster.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use osprey_model::CanonicalUrl;
use osprey_page::Page;

use super::model::{ClusterInfo, MODEL_VERSION, SampledPage, SiteModel};
use crate::cluster::dense_groups;
use crate::navigation::{Cluster, LinkKind, Navigation};
use crate::spread::spreads;
use crate::types::{PageTypes, SiteFacts, label};
use crate::{Classifier, Clustering, InLinks, Irobot, PageShape, Recipe, cluster, irobot};

/// Examples that are named of each cluster.
const EXAMPLES: usize = 5;
/// Texts of Apaths that are kept, for people.
const MAX_APATHS: usize = 20_000;

/// A link as the navigation table sees it.
#[derive(Clone, Copy, Debug)]
struct SeenLink {
    apath: u64,
    xpath: u64,
    /// The fingerprint of where it leads.
    to: u64,
}

/// What is kept of a page besides its shape.
#[derive(Clone, Debug)]
struct Looked {
    asked: CanonicalUrl,
    url: CanonicalUrl,
    links: Vec<SeenLink>,
    text_bytes: u32,
    text_key: u64,
}

/// Takes the pages of a sample.
#[derive(Clone, Debug, Default)]
pub struct Learner {
    shapes: Vec<PageShape>,
    inlinks: InLinks,
    facts: SiteFacts,
    pages: Vec<Looked>,
    apaths: BTreeMap<u64, String>,
}

impl Learner {
    /// Takes a page of the sample; `asked` is the requested address, which differs from the page's own after a
    /// redirect.
    pub fn visited(&mut self, page: &Page, asked: &CanonicalUrl) {
        self.shapes.push(PageShape::of(page).with_regions(page));
        self.inlinks.visited(page);
        self.facts.visited(page, asked);
        let host = page.url().host_key();
        let inside = page.links().iter().filter(|link| link.url.host_key() == host);
        let seen = |link: &osprey_page::Link| {
            let LinkKind { apath, xpath, .. } = LinkKind::of(None, page, link);
            SeenLink { apath, xpath, to: link.url.fingerprint() }
        };
        let links: Vec<SeenLink> = inside.clone().map(seen).collect();
        for link in inside {
            if self.apaths.len() >= MAX_APATHS {
                break;
            }
            self.apaths
                .entry(page.apath_key(link.apath))
                .or_insert_with(|| page.apath(link.apath).to_owned());
        }
        let text = page.text();
        self.pages.push(Looked {
            asked: asked.clone(),
            url: page.url().clone(),
            links,
            text_bytes: text.len().try_into().unwrap_or(u32::MAX),
            text_key: xxhash_rust::xxh3::xxh3_64(text.as_bytes()),
        });
    }

    /// How many pages there are.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The model. It never fails; notes say what could not be learned.
    pub fn finish(self, recipe: &Recipe) -> SiteModel {
        let inlinks = &self.inlinks;
        let shapes: Vec<PageShape> = self
            .shapes
            .into_iter()
            .zip(&self.pages)
            .map(|(shape, page)| shape.found_by(inlinks.links_to([&page.asked, &page.url])))
            .collect();
        let clustering = cluster(&shapes, recipe);
        let navigation = navigation(&self.pages, &clustering.labels);
        let labels = label(&self.facts.of_clusters(&clustering.labels, clustering.clusters));
        let mut clusters: Vec<ClusterInfo> =
            (0..).zip(labels).map(|(cluster, label)| ClusterInfo::new(cluster, label)).collect();
        let dense = dense_groups(&shapes, recipe, &clustering);
        let spreads = spreads(&shapes, &clustering, &dense);
        clusters.iter_mut().zip(spreads).for_each(|(info, spread)| info.spread = spread);
        for (page, cluster) in self.pages.iter().zip(&clustering.labels) {
            let Some(info) = cluster.and_then(|cluster| clusters.get_mut(cluster as usize)) else { continue };
            info.pages += 1;
            if info.examples.len() < EXAMPLES {
                info.examples.push(page.url.to_string());
            }
        }
        note_links(&mut clusters, &navigation);
        let layouts = irobot(&shapes, &Irobot::default()).labels;
        SiteModel {
            version: MODEL_VERSION,
            id: id(&self.pages, &clustering),
            recipe: *recipe,
            clusters,
            navigation,
            apaths: self.apaths,
            classifier: Classifier::new(&shapes, &clustering),
            notes: clustering.notes.iter().map(ToString::to_string).collect(),
            page_types: PageTypes::default(),
            examples: PageTypes::default(),
            sample: sample(&self.pages, &clustering.labels, &layouts),
        }
    }
}

/// The pages as they are stored.
fn sample(pages: &[Looked], clusters: &[Cluster], layouts: &[Option<u32>]) -> Vec<SampledPage> {
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    for (number, page) in (0..).zip(pages) {
        for url in [&page.asked, &page.url] {
            numbers.insert(url.fingerprint(), number);
        }
    }
    let labels = clusters.iter().zip(layouts);
    let stored = pages.iter().zip(labels).map(|(page, (cluster, layout))| {
        let mut links: Vec<u32> =
            page.links.iter().filter_map(|link| numbers.get(&link.to).copied()).collect();
        links.sort_unstable();
        links.dedup();
        SampledPage {
            url: page.url.to_string(),
            cluster: *cluster,
            // every page has a layout, be it its own
            layout: layout.unwrap_or_default(),
            text_bytes: page.text_bytes,
            text_key: page.text_key,
            links,
        }
    });
    stored.collect()
}

/// Equations 4 and 5: the links of all pages of a cluster are taken together by Apath, and where they lead is known if
/// their end is in the sample.
fn navigation(pages: &[Looked], labels: &[Cluster]) -> Navigation {
    let mut ends: HashMap<u64, Cluster> = HashMap::new();
    for (page, cluster) in pages.iter().zip(labels) {
        for url in [&page.asked, &page.url] {
            ends.insert(url.fingerprint(), *cluster);
        }
    }
    let mut table = Navigation::default();
    for (page, from) in pages.iter().zip(labels) {
        for link in &page.links {
            let kind = LinkKind { from: *from, apath: link.apath, xpath: link.xpath };
            table.met(kind, 1);
            if let Some(to) = ends.get(&link.to) {
                table.led(kind, *to);
            }
        }
    }
    table
}

fn note_links(clusters: &mut [ClusterInfo], navigation: &Navigation) {
    for ((_, to), links) in navigation.adjacency() {
        if let Some(info) = to.and_then(|to| clusters.get_mut(to as usize)) {
            info.links_in += links.round() as u64;
        }
    }
    for (cluster, info) in (0..).zip(clusters) {
        info.links_out = navigation.kinds(Some(cluster)).map(|(_, kind)| kind.links).sum();
    }
}

/// Names a model by what it was learned from and what came of it.
fn id(pages: &[Looked], clustering: &Clustering) -> String {
    let mix = |hash: u64, value: u64| (hash.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let id = pages.iter().zip(&clustering.labels).fold(pages.len() as u64, |hash, (page, cluster)| {
        mix(mix(hash, page.url.fingerprint()), cluster.map_or(u64::MAX, u64::from))
    });
    format!("{id:016x}")
}
