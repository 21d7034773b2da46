//! Proposes page-type rules and extraction rules. When the clusters of a sample are known, a few pages of each type are
//! read again to learn what characterises the type and how to read records from detail and profile pages.

use std::fmt::Write as _;

use osprey_model::PageType;
use osprey_page::{Link, Page};

use super::{ExtractRules, SiteModel, Sitemap, SitemapEntry, leads_to};
use crate::extract::{Leads, Proposals, RecordKind, propose};
use crate::navigation::{Cluster, LinkKind, Navigation};
use crate::types::{PageTypes, PathStrings, Tolerance};

/// How many pages of a type are read again.
const PAGES: usize = 40;

/// Proposes extraction rules from some pages of each type, read a second time.
#[derive(Clone, Debug, Default)]
pub struct RuleProposer {
    /// What marks pages of each type.
    pub page_types: PageTypes,
    /// Rules, by the name of the type.
    pub proposals: Vec<(String, Proposals)>,
}

impl RuleProposer {
    /// Looks again. `read` gives the page at a place in the model's sample, if it is still there.
    pub fn new<E>(
        model: &SiteModel,
        sitemap: &Sitemap,
        mut read: impl FnMut(usize) -> Result<Option<Page>, E>,
    ) -> Result<Self, E> {
        let mut look = Self::default();
        let navigation = model.navigation.renamed(|cluster| sitemap.joined(cluster));
        let mut examples: Vec<(String, Vec<PathStrings>)> = Vec::new();
        for entry in sitemap.types.iter().filter(|entry| entry.same_as.is_none()) {
            let pages = pages_of(entry, model, sitemap, &mut read)?;
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

    /// All proposed rules.
    pub fn rules(&self) -> ExtractRules {
        let believed = self.proposals.iter().filter(|(_, proposals)| !proposals.structured.is_empty());
        ExtractRules {
            structured: believed
                .map(|(name, proposals)| (name.clone(), proposals.structured.clone()))
                .collect(),
            rules: self.proposals.iter().flat_map(|(_, proposals)| proposals.rules().rules).collect(),
        }
    }

    /// `[extract]` for `osprey.toml`, with the reasons as comments; empty if there is nothing to propose.
    pub fn rules_toml(&self) -> String {
        let believed = self.proposals.iter().filter(|(_, proposals)| !proposals.structured.is_empty());
        let mut toml = String::new();
        for (name, proposals) in believed {
            if toml.is_empty() {
                toml.push_str("[extract.structured]\n");
            }
            let trusted: Vec<String> =
                proposals.structured.iter().filter_map(|trust| serde_json::to_string(trust).ok()).collect();
            let _ = writeln!(toml, "{} = [{}]", serde_json::Value::from(name.as_str()), trusted.join(", "));
        }
        for (_, proposals) in &self.proposals {
            toml.push_str(&proposals.to_toml());
        }
        toml
    }
}

/// Pages of a type, spread over the sample.
fn pages_of<E>(
    entry: &SitemapEntry,
    model: &SiteModel,
    sitemap: &Sitemap,
    read: &mut impl FnMut(usize) -> Result<Option<Page>, E>,
) -> Result<Vec<Page>, E> {
    let is_of = |cluster: Cluster| sitemap.joined(cluster) == Some(entry.cluster);
    let all = model.sample.iter().enumerate().filter(|(_, page)| is_of(page.cluster));
    let all: Vec<usize> = all.map(|(place, _)| place).collect();
    let step = all.len().div_ceil(PAGES).max(1);
    let mut pages = Vec::new();
    for place in all.into_iter().step_by(step) {
        pages.extend(read(place)?);
    }
    Ok(pages)
}

/// The kind of page that a link leads to, as far as the navigation table knows.
fn leads(navigation: &Navigation, sitemap: &Sitemap, kind: LinkKind) -> Option<Leads> {
    match leads_to(navigation, sitemap, kind)? {
        PageType::Detail => Some(Leads::Detail),
        PageType::Profile => Some(Leads::Profile),
        PageType::List => Some(Leads::List),
        PageType::Other => None,
    }
}
