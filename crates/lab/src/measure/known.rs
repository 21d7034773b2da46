//! What a crawl knows beforehand: its site, learned from a sample as `osprey learn` does it, and example pages.
//!
//! The sample is crawled beside the crawl and costs none of its budget, as in seed 001. Examples are drawn from the truth
//! by the cell's seed, so that all variants of a seed are given the same ones.

use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use osprey_crawl::Settings;
use osprey_model::CanonicalUrl;
use osprey_page::read_page;
use osprey_steer::{Example, JudgeKind, Known, PolicyKind};
use osprey_structure::site::SecondLook;
use osprey_structure::{Learner, Recipe, Site};
use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::Cell;
use super::read::Reader;
use super::sample::{Sampling, fetch};
use crate::Wanted;

/// What a variant may say of how the site is learned.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Learning {
    sample_pages: Option<u64>,
    sampling: Sampling,
    recipe: Option<Recipe>,
}

/// What the policy and the judge of a cell need to know.
pub(super) fn known(cell: &Cell<'_>, policy: &PolicyKind, judge: &JudgeKind) -> anyhow::Result<Known> {
    let any = |needs: fn(&PolicyKind) -> bool| {
        let mut policies = cell.experiment.variants.iter().filter_map(|variant| variant.policy.as_ref());
        policies.any(needs)
    };
    // the same for all variants of an experiment, whoever asks for them: what was given counts for nobody
    let draws_examples = any(PolicyKind::needs_examples) || judge.needs_examples();
    let mut known = Known::default();
    if policy.needs_site() || judge.needs_site() || (draws_examples && any(PolicyKind::needs_site)) {
        known.site = Some(Arc::new(site(cell)?));
    }
    if draws_examples {
        known.examples = examples(cell, known.site.as_deref())?;
    }
    Ok(known)
}

/// Samples the corpus and learns it.
pub(super) fn site(cell: &Cell<'_>) -> anyhow::Result<Site> {
    let learning: Learning = cell.variant.with.clone().try_into().context("variant.with")?;
    let pages = learning.sample_pages.unwrap_or(cell.experiment.sizes(cell.scale).sample_pages);
    let settings = Settings::recorded(cell.corpus.seeds.clone(), cell.corpus.scope.clone());
    let folder = cell.scratch.join("sample");
    let crawl = fetch(cell, &folder, &settings, pages, learning.sampling)?;
    let mut learner = Learner::default();
    let mut sample = Vec::new();
    for found in crawl.pages()?.into_iter().take(pages as usize) {
        let Some(response) = crawl.response(&found.visit)? else { continue };
        let asked = CanonicalUrl::from_stored(&found.asked)?;
        learner.visited(&read_page(&response, &settings.page_rules), &asked);
        sample.push(response);
    }
    if sample.is_empty() {
        bail!("nothing to learn from: the sample has no page");
    }
    let mut model = learner.finish(&learning.recipe.unwrap_or(Recipe::Osprey));
    let sitemap = model.sitemap();
    let look = SecondLook::new(&model, &sitemap, |place| {
        anyhow::Ok(sample.get(place).map(|response| read_page(response, &settings.page_rules)))
    })?;
    model.page_types = look.page_types.clone();
    Site::new(model, sitemap, &look.rules()).map_err(|error| anyhow!("the learned site: {error}"))
}

/// Wanted pages and others, as many of each as the experiment says. Where the site is learned, they are of its sample as in
/// seed 001, and of a type that was learned, if there are such.
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
    let lot = |url: &CanonicalUrl| crate::fingerprint(format!("{} {url}", cell.seed).as_bytes());
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
