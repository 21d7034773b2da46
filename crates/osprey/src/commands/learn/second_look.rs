//! The second look at a sample, once its clusters are known: what marks pages of a type, and how to read records from
//! detail and profile pages. A few pages of each type are read again; the rest of the sample is not needed.

use std::fmt::Write as _;

use osprey_model::PageType;
use osprey_page::{Link, Page};
use osprey_structure::extract::{Leads, Proposals, RecordKind, propose};
use osprey_structure::site::{SitemapEntry, leads_to};
use osprey_structure::types::{PageTypes, PathStrings, Tolerance};
use osprey_structure::{Cluster, LinkKind, Navigation, SiteModel, Sitemap};

use super::sample::Sampled;

/// Pages of a type that are looked at again.
const PAGES: usize = 40;

/// What the second look brought.
#[derive(Default)]
pub(super) struct SecondLook {
    /// What marks pages of each type.
    pub(super) page_types: PageTypes,
    /// Rules, by the name of the type.
    pub(super) proposals: Vec<(String, Proposals)>,
}

impl SecondLook {
    /// Looks again. `places` says where in the sample the pages of the model are.
    pub(super) fn new(
        sampled: &Sampled<'_>,
        places: &[usize],
        model: &SiteModel,
        sitemap: &Sitemap,
    ) -> anyhow::Result<Self> {
        let mut look = Self::default();
        let navigation = model.navigation.renamed(|cluster| sitemap.joined(cluster));
        let mut examples: Vec<(String, Vec<PathStrings>)> = Vec::new();
        for entry in sitemap.types.iter().filter(|entry| entry.same_as.is_none()) {
            let pages = pages_of(entry, sampled, places, model, sitemap)?;
            examples.push((entry.name.clone(), pages.iter().map(PathStrings::of).collect()));
            let kind = match entry.label {
                PageType::Detail => RecordKind::Detail,
                PageType::Profile => RecordKind::Profile,
                PageType::List | PageType::Other => continue,
            };
            let leads = |page: &Page, link: &Link| {
                leads(&navigation, sitemap, LinkKind::of(Some(entry.cluster), page, link))
            };
            let mut proposals = propose(&pages, kind, &leads);
            proposals.proposed.iter_mut().for_each(|proposed| proposed.rule.on = Some(entry.name.clone()));
            look.proposals.push((entry.name.clone(), proposals));
        }
        look.page_types = PageTypes::learn(&examples, &Tolerance::LEARNED);
        Ok(look)
    }

    /// `[extract]` for `osprey.toml`; empty if there is nothing to propose.
    pub(super) fn rules_toml(&self) -> String {
        let believed = self.proposals.iter().filter(|(_, proposals)| !proposals.structured.is_empty());
        let mut toml = String::new();
        for (name, proposals) in believed {
            if toml.is_empty() {
                toml.push_str("[extract.structured]\n");
            }
            let trusted: Vec<String> =
                proposals.structured.iter().filter_map(|trust| serde_json::to_string(trust).ok()).collect();
            let _ = writeln!(toml, "{} = [{}]", toml::Value::from(name.as_str()), trusted.join(", "));
        }
        for (_, proposals) in &self.proposals {
            toml.push_str(&proposals.to_toml());
        }
        toml
    }
}

/// Pages of a type, spread over the sample.
fn pages_of(
    entry: &SitemapEntry,
    sampled: &Sampled<'_>,
    places: &[usize],
    model: &SiteModel,
    sitemap: &Sitemap,
) -> anyhow::Result<Vec<Page>> {
    let is_of = |cluster: Cluster| sitemap.joined(cluster) == Some(entry.cluster);
    let all: Vec<usize> = places
        .iter()
        .zip(&model.sample)
        .filter(|(_, page)| is_of(page.cluster))
        .map(|(place, _)| *place)
        .collect();
    let step = all.len().div_ceil(PAGES).max(1);
    let mut pages = Vec::new();
    for place in all.into_iter().step_by(step) {
        pages.extend(sampled.page(place)?.map(|(page, _)| page));
    }
    Ok(pages)
}

/// What kind of page a link leads to, as far as the navigation table knows.
fn leads(navigation: &Navigation, sitemap: &Sitemap, kind: LinkKind) -> Option<Leads> {
    match leads_to(navigation, sitemap, kind)? {
        PageType::Detail => Some(Leads::Detail),
        PageType::Profile => Some(Leads::Profile),
        PageType::List => Some(Leads::List),
        PageType::Other => None,
    }
}
