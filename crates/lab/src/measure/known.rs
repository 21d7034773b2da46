//! What a crawl knows in advance: its site, learned from a sample by the engine, and example pages.
//!
//! The sample is a separate crawl and does not use the budget, as in Xu et al. 2018. Examples are drawn from the truth
//! with the cell's random seed, so that all variants of one random seed get the same ones.

use std::sync::Arc;

use anyhow::Context;
use osprey_engine::Parts;
use osprey_model::CanonicalUrl;
use osprey_steer::{Example, Known, PolicyKind};
use osprey_structure::Site;
use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::Cell;
use super::project::{learned, site};
use super::read::Reader;
use crate::{Variant, Wanted};

/// What a variant gives to a crawl that needs nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Offered {
    /// So many wanted example pages.
    examples: Option<u64>,
    /// The site, learned from a sample.
    learn: bool,
}

impl Offered {
    fn of(variant: &Variant) -> anyhow::Result<Self> {
        variant.with.clone().try_into().context("variant.with")
    }
}

/// What the policy and the judge of a cell need to know.
pub(super) fn known(cell: &Cell<'_>, parts: &Parts) -> anyhow::Result<Known> {
    Ok(known_and_drawn(cell, parts)?.0)
}

/// The same, and all example pages that any variant of this random seed gets: they count as found for none.
pub(super) fn known_and_drawn(cell: &Cell<'_>, parts: &Parts) -> anyhow::Result<(Known, Vec<Example>)> {
    let mut known = needed(cell, parts)?;
    let offered = Offered::of(cell.variant)?;
    if offered.learn {
        let (project, site) = learned(cell, parts)?;
        known.background = project.usual_of_site(Some(&site))?;
        known.site = Some(site);
    }
    let mut drawn = known.examples.clone();
    let mut offers_examples = false;
    for variant in &cell.experiment.variants {
        offers_examples |= Offered::of(variant)?.examples.is_some();
    }
    if drawn.is_empty() && offers_examples {
        drawn = examples(cell, None)?;
    }
    if let Some(most) = offered.examples {
        let wanted = drawn.iter().filter(|example| example.is_wanted);
        known.examples = wanted.take(most as usize).cloned().collect();
    }
    Ok((known, drawn))
}

fn needed(cell: &Cell<'_>, parts: &Parts) -> anyhow::Result<Known> {
    let any = |needs: fn(&PolicyKind) -> bool| {
        let mut policies = cell.experiment.variants.iter().filter_map(|variant| variant.policy.as_ref());
        policies.any(needs)
    };
    let (policy, judge) = (&parts.plan.policy, &parts.judge);
    // the same for all variants of an experiment, even those that do not use examples: given pages count for none of
    // them
    let draws_examples = any(PolicyKind::needs_examples) || judge.needs_examples();
    let mut known = Known::default();
    if policy.needs_site() || judge.needs_site() || (draws_examples && any(PolicyKind::needs_site)) {
        known.site = Some(site(cell, parts)?);
    }
    if draws_examples {
        known.examples = examples(cell, known.site.as_deref())?;
    }
    Ok(known)
}

/// Wanted pages and others, as many of each as the experiment says. If the site is learned, they come from its sample
/// as in Xu et al. 2018, and from a learned type if possible.
pub(super) fn examples(cell: &Cell<'_>, site: Option<&Site>) -> anyhow::Result<Vec<Example>> {
    let wanted = cell.experiment.wanted_of(cell.entry);
    let most = cell.experiment.sizes(cell.scale).examples as usize;
    examples_of(cell, wanted, most, site)
}

/// Pages that are wanted in this sense and others, as many of each.
pub(super) fn examples_of(
    cell: &Cell<'_>,
    wanted: &Wanted,
    most: usize,
    site: Option<&Site>,
) -> anyhow::Result<Vec<Example>> {
    let mut urls = cell.corpus.urls();
    urls.retain(|url| cell.corpus.scope.check(url).is_ok());
    let lot = |url: &CanonicalUrl| crate::fingerprint(format!("{} {url}", cell.random_seed).as_bytes());
    let sample = site.into_iter().flat_map(|site| &site.model().sample);
    let learned: FxHashSet<&str> =
        sample.filter(|page| page.cluster.is_some()).map(|page| page.url.as_str()).collect();
    urls.sort_by_cached_key(|url| (!learned.contains(url.as_str()), lot(url), url.as_str().to_owned()));
    let reader = Reader::new(cell)?;
    let (mut examples, mut counts) = (Vec::new(), [0, 0]);
    for url in urls {
        let truth = cell.corpus.truth(&url);
        let is_wanted = wanted.includes(&truth, cell.corpus.topic.as_deref());
        let count = &mut counts[usize::from(is_wanted)];
        if *count >= most || truth.waste.is_some() || truth.duplicate_of.is_some() {
            continue;
        }
        if let Some(response) = reader.read_here(&url) {
            *count += 1;
            examples.push(Example { page: Arc::new(reader.parse(&response)), is_wanted });
        }
        if counts == [most, most] {
            break;
        }
    }
    Ok(examples)
}
