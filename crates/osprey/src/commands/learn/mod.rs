//! `osprey learn DIR`: samples the site, finds its kinds of page, how they link and how to read them.

mod report;
mod rules_block;
mod sample;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use indicatif::ProgressBar;
use osprey_model::PageType;
use osprey_structure::site::SecondLook;
use osprey_structure::types::{PageTypes, PathStrings, Tolerance};
use osprey_structure::{Learner, SiteModel, Sitemap};

use self::report::{Report, RulesPlace};
use self::rules_block::Placed;
use self::sample::Sampled;
use crate::cli::{self, UsageError};
use crate::drive::stop_on_signal;
use crate::output::{Output, write_whole};
use crate::project::Project;
use crate::site_files::SiteFiles;

/// What was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LearnOptions {
    /// Learn from so many pages, instead of `structure.sample_pages`.
    pub(crate) pages: Option<u64>,
    /// Learn from what was crawled, and fetch nothing.
    pub(crate) crawled: bool,
    /// Replace rules that somebody edited.
    pub(crate) replace_rules: bool,
    /// Forget the sample of the last time.
    pub(crate) again: bool,
}

/// What was learned and stored.
pub(crate) struct Learned {
    pub(crate) model: SiteModel,
    pub(crate) sitemap: Sitemap,
    look: SecondLook,
    /// Visits that brought no page.
    in_vain: u64,
    rules: RulesPlace,
}

pub(super) fn run(args: &cli::Learn, output: &Output) -> anyhow::Result<()> {
    let cli::Learn { dir, pages, crawled, replace_rules, again } = args;
    let options =
        LearnOptions { pages: *pages, crawled: *crawled, replace_rules: *replace_rules, again: *again };
    let project = Project::open(dir, |_| {})?;
    project.resolved.notices.iter().for_each(|notice| output.say(notice));
    let stop = stop_on_signal(output)?;
    let learned = learn(&project, &options, &stop, output)?;
    let report = learned.report();
    output.result(&report, || report.text(&SiteFiles::of(&project.data())))
}

/// Learns the site of a project: samples it, stores the model, writes the rules into `osprey.toml`.
pub(crate) fn learn(
    project: &Project,
    options: &LearnOptions,
    stop: &AtomicBool,
    output: &Output,
) -> anyhow::Result<Learned> {
    let pages = options.pages.unwrap_or(project.resolved.structure.sample_pages);
    crate::drive::announce(project, output);
    let data = if options.crawled {
        project.data()
    } else {
        if options.again {
            project.forget_sample()?;
        }
        sample::fetch(project, pages, stop, output)?
    };
    let mut sampled = Sampled::open(project, &data)?;
    if !options.crawled {
        sampled.truncate(usize::try_from(pages).unwrap_or(usize::MAX));
    }
    if sampled.len() == 0 {
        let visits = sampled.in_vain;
        bail!(
            "nothing to learn from: {visits} visits brought no HTML page; is `crawl.seeds` right, and may it be fetched \
             (robots.txt, scope)?"
        );
    }
    let (mut model, places) = model_of(project, &sampled, output)?;
    let files = SiteFiles::of(&project.data());
    let sitemap = with_edits(&mut model, &files)?;
    let look = SecondLook::new(&model, &sitemap, |place| match places.get(place) {
        Some(place) => Ok(sampled.page(*place)?.map(|(page, _)| page)),
        None => anyhow::Ok(None),
    })?;
    model.page_types = look.page_types.clone();
    model.notes.extend(sampled.notes.iter().cloned());
    files.save(&model, &sitemap)?;
    let rules = propose_rules(project, &files, &look, options.replace_rules)?;
    if let Err(error) =
        Project::open(project.dir(), |_| {}).map_err(anyhow::Error::from).and_then(|now| now.site())
    {
        model.notes.push(format!("crawls will not start: {error:#}"));
    }
    let learned = Learned { model, sitemap, look, in_vain: sampled.in_vain, rules };
    // last, so that who finds it finds everything
    write_whole(&files.picture_file(), learned.report().picture(&project.title()).as_bytes())?;
    Ok(learned)
}

impl Learned {
    fn report(&self) -> Report<'_> {
        Report::new(&self.model, &self.sitemap, &self.look, self.in_vain, self.rules)
    }
}

/// Whether [`learn`] has come to its end in a project.
pub(crate) fn is_learned(project: &Project) -> anyhow::Result<bool> {
    Ok(SiteFiles::of(&project.data()).picture_file().exists() && project.site()?.is_some())
}

/// Lets a project take over what was learned of the same site in another: the model, and the rules in `osprey.toml`.
pub(crate) fn take_over(from: &Project, to: &Project) -> anyhow::Result<()> {
    let (theirs, ours) = (SiteFiles::of(&from.data()), SiteFiles::of(&to.data()));
    place_rules(to, &theirs.proposals()?, false)?;
    ours.take_over(&theirs)
}

/// The model, and where in the sample its pages are.
fn model_of(
    project: &Project,
    sampled: &Sampled<'_>,
    output: &Output,
) -> anyhow::Result<(SiteModel, Vec<usize>)> {
    let bar =
        if output.shows_progress() { ProgressBar::new(sampled.len() as u64) } else { ProgressBar::hidden() };
    let mut learner = Learner::default();
    let mut places = Vec::new();
    for place in 0..sampled.len() {
        if let Some((page, asked)) = sampled.page(place)? {
            learner.visited(&page, &asked);
            places.push(place);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut model = learner.finish(&project.resolved.structure.variant);
    take_examples(project, sampled, &places, &mut model)?;
    let lost = sampled.len() - places.len();
    if lost > 0 {
        model.notes.push(format!("{lost} pages could not be read back from the archive"));
    }
    Ok((model, places))
}

/// Lets the examples of the configuration decide over labels.
fn take_examples(
    project: &Project,
    sampled: &Sampled<'_>,
    places: &[usize],
    model: &mut SiteModel,
) -> anyhow::Result<()> {
    let examples = &project.resolved.structure.examples;
    let named: Vec<(PageType, &str)> = examples.iter().map(|(label, url)| (*label, url.as_str())).collect();
    for missing in model.relabel(&named) {
        model.notes.push(format!(
            "`structure.examples`: {missing}: not among the sampled pages; can it be fetched?"
        ));
    }
    let mut by_label: BTreeMap<PageType, Vec<PathStrings>> = BTreeMap::new();
    for (label, url) in named {
        let place = model.sample.iter().position(|page| page.url == url).and_then(|at| places.get(at));
        if let Some((page, _)) = place.map(|place| sampled.page(*place)).transpose()?.flatten() {
            by_label.entry(label).or_default().push(PathStrings::of(&page));
        }
    }
    let by_label: Vec<(&str, Vec<PathStrings>)> =
        by_label.into_iter().map(|(label, pages)| (label.name(), pages)).collect();
    model.examples = PageTypes::learn(&by_label, &Tolerance::STRICT);
    Ok(())
}

/// The sitemap of a model, with what a person said of an older one. A sitemap that cannot be read is an error: it has
/// somebody's work in it.
fn with_edits(model: &mut SiteModel, files: &SiteFiles) -> anyhow::Result<Sitemap> {
    let mut sitemap = model.sitemap();
    let Some(edited) = files.sitemap()? else { return Ok(sitemap) };
    let place = files.sitemap_file().display().to_string();
    let old = files.model().ok().flatten().filter(|old| old.id == edited.model);
    let Some(old) = old else {
        let aside = files.set_sitemap_aside()?;
        model
            .notes
            .push(format!("{place}: the model it belongs to is gone; it was kept as {}", aside.display()));
        return Ok(sitemap);
    };
    edited.check(&old.id).map_err(|error| UsageError(format!("{place}: {error}")))?;
    if old.id == model.id {
        return Ok(edited);
    }
    let found = |cluster: u32| old.clusters.get(cluster as usize).map(|info| info.label);
    let were = model.were(&old);
    let lost = sitemap.take_over(&edited, found, |cluster| were.get(&cluster).copied());
    model.notes.extend(lost);
    Ok(sitemap)
}

/// Puts the proposed rules into `osprey.toml`, unless a person has been at them; then beside the model.
fn propose_rules(
    project: &Project,
    files: &SiteFiles,
    look: &SecondLook,
    force: bool,
) -> anyhow::Result<RulesPlace> {
    let rules = look.rules_toml();
    files.save_proposals(&rules)?;
    place_rules(project, &rules, force)
}

fn place_rules(project: &Project, rules: &str, force: bool) -> anyhow::Result<RulesPlace> {
    let path = crate::config::path_in(project.dir());
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(match rules_block::place(&text, rules, force) {
        Placed::Written(text) => {
            write_whole(&path, text.as_bytes())?;
            if rules.is_empty() { RulesPlace::None } else { RulesPlace::Written }
        }
        Placed::Same if rules.is_empty() => RulesPlace::None,
        Placed::Same => RulesPlace::Written,
        Placed::Edited => RulesPlace::Edited,
        Placed::Own => RulesPlace::Own,
    })
}
