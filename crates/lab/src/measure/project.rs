//! The project of a cell: the cell's corpus as the product is given it, in the cell's folder.
//!
//! The lab crawls, learns and indexes only through `osprey-engine`; a variant sets options of the engine. So the lab
//! measures the program that users run.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use osprey_crawl::{Settings, Stop};
use osprey_engine::{
    AnySource, Control, CrawlOptions, LearnOptions, Observer, Parts, Project, Sampling, SourceKind,
    StructureOptions,
};
use osprey_model::PageType;
use osprey_steer::{JudgeKind, Known, PageKinds, Plan, PolicyKind, Subject};
use osprey_structure::site::{ClassifyBy, ExtractRules};
use osprey_structure::{Recipe, Site};
use serde::Deserialize;

use super::Cell;

/// The default similarity from which a page is relevant.
pub(super) const USUAL_THRESHOLD: f32 = 0.1;

/// What a variant may say of how the site is learned.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Learning {
    sample_pages: Option<u64>,
    sampling: Option<Sampling>,
    recipe: Option<Recipe>,
    classify: ClassifyBy,
}

/// A project that crawls the cell's corpus with the variant's policy and the experiment's judge, without a budget and
/// without pictures.
pub(super) fn crawling(cell: &Cell<'_>) -> anyhow::Result<Parts> {
    let learning: Learning = cell.variant.with.clone().try_into().context("variant.with")?;
    let policy = cell.variant.policy.clone();
    let policy = policy.ok_or_else(|| anyhow!("variant `{}`: `policy` is missing", cell.variant.name))?;
    let plan = Plan { policy, subject: subject(cell) };
    let judge = cell.experiment.judge.clone().unwrap_or(JudgeKind::Terms { threshold: USUAL_THRESHOLD });
    let is_silent = plan.subject.is_silent() && plan.subject.nodes.is_empty();
    let judge =
        if is_silent && !judge.needs_site() && !judge.needs_examples() { JudgeKind::None {} } else { judge };
    let variant = learning.recipe.unwrap_or_default();
    let structure = StructureOptions {
        variant,
        sampling: learning.sampling.unwrap_or_default(),
        classify: learning.classify,
        requests_per_page: 3,
        sample_pages: learning.sample_pages.unwrap_or(cell.experiment.sizes(cell.scale).sample_pages),
        examples: Vec::new(),
    };
    Ok(parts(cell, plan, judge, structure))
}

/// What is asked for: all that is known of the topic, or only the words that a user would type.
fn subject(cell: &Cell<'_>) -> Subject {
    match cell.experiment.words {
        None => cell.corpus.subject.clone(),
        Some(most) => {
            Subject { words: cell.corpus.words(most), pages: page_kinds(cell), ..Subject::default() }
        }
    }
}

/// Which pages a user would ask for. Where the truth knows no items, any page can be wanted.
pub(super) fn page_kinds(cell: &Cell<'_>) -> PageKinds {
    match cell.experiment.wanted_of(cell.entry).page_type {
        Some(PageType::Detail) => PageKinds::Items,
        Some(PageType::Profile) => PageKinds::People,
        Some(PageType::List) => PageKinds::Lists,
        _ => PageKinds::All,
    }
}

/// A project that only samples the cell's corpus.
pub(super) fn sampling(cell: &Cell<'_>, sampling: Sampling) -> Parts {
    let plan = Plan { policy: PolicyKind::BreadthFirst {}, subject: Subject::default() };
    let structure = StructureOptions {
        variant: Recipe::Osprey,
        sampling,
        classify: ClassifyBy::Clusters,
        sample_pages: 0,
        requests_per_page: 3,
        examples: Vec::new(),
    };
    parts(cell, plan, JudgeKind::None {}, structure)
}

fn parts(cell: &Cell<'_>, plan: Plan, judge: JudgeKind, structure: StructureOptions) -> Parts {
    Parts {
        settings: Settings::recorded(cell.corpus.seeds.clone(), cell.corpus.scope.clone()),
        source: SourceKind::Custom(AnySource::new(cell.corpus.source.clone())),
        plan,
        judge,
        structure,
        extract: ExtractRules::default(),
        random_seed: cell.random_seed,
    }
}

/// Work without progress reports, until the user interrupts it.
pub(super) fn control<'a>(cell: &Cell<'a>) -> Control<'a> {
    Control { stop: cell.stop, observer: &() }
}

/// Crawls in `folder` until a budget is used up or nothing is left.
pub(super) fn crawl(
    cell: &Cell<'_>,
    folder: &Path,
    parts: Parts,
    known: &Known,
    observer: &dyn Observer,
) -> anyhow::Result<Project> {
    let project = Project::assemble(folder, parts);
    let control = Control { stop: cell.stop, observer };
    let report = project.crawl_knowing(known, &CrawlOptions::default(), control)?;
    if report.stopped_by == Stop::Interrupt {
        bail!("interrupted");
    }
    Ok(project)
}

/// The learned site of a cell; it is learned once.
pub(super) fn site(cell: &Cell<'_>, parts: &Parts) -> anyhow::Result<Arc<Site>> {
    Ok(learned(cell, parts)?.1)
}

/// The same, with the project that learned it.
pub(super) fn learned(cell: &Cell<'_>, parts: &Parts) -> anyhow::Result<(Project, Arc<Site>)> {
    let project = Project::assemble(cell.scratch, parts.clone());
    if !project.is_learned()? {
        project.learn(&LearnOptions::default(), control(cell))?;
    }
    let site = project.site()?.map(Arc::new).context("the site has not been learned")?;
    Ok((project, site))
}
