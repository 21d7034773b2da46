//! Learning a site: sample it, find its page types, how they link, and how to read records from them.

mod report;
mod rules_block;
mod sample;

use std::collections::BTreeMap;

use osprey_archive::Damage;
use osprey_model::PageType;
use osprey_structure::site::RuleProposer;
use osprey_structure::types::{PageTypes, PathStrings, Tolerance};
use osprey_structure::{Learner, SiteModel, Sitemap};

pub use self::report::{LearnReport, RulesPlace};
use self::rules_block::Placed;
pub use self::sample::SampledPages;
use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::project::Project;
use crate::run::announce;
use crate::site_files::SiteFiles;
use crate::words::counted;

/// Options of `osprey learn`.
#[derive(Clone, Copy, Debug, Default)]
pub struct LearnOptions {
    /// Learn from so many pages, instead of `structure.sample_pages`; of what was crawled, from the first ones.
    pub pages: Option<u64>,
    /// Learn from what was crawled, and fetch nothing.
    pub crawled: bool,
    /// Replace rules that the user has edited.
    pub replace_rules: bool,
    /// Forget the sample of the last time.
    pub again: bool,
}

/// What was learned and stored.
pub struct Learned {
    /// The page types, how they link, where links lead.
    pub model: SiteModel,
    /// The same as a person may edit it.
    pub sitemap: Sitemap,
    look: RuleProposer,
    /// Visits that returned no page.
    in_vain: u64,
    rules: RulesPlace,
    /// Records of the archive that could not be read.
    damage: Damage,
}

impl Project {
    /// Learns the site: samples it, stores the model, writes the rules into `osprey.toml`.
    pub fn learn(&self, options: &LearnOptions, control: Control<'_>) -> Result<Learned> {
        learn(self, options, control)
    }

    /// Whether [`Project::learn`] has come to its end.
    pub fn is_learned(&self) -> Result<bool> {
        Ok(SiteFiles::of(self.layout()).picture_file().exists() && self.site()?.is_some())
    }

    /// Takes over what was learned of the same site in another project: the model, and the rules in `osprey.toml`.
    pub fn take_over_site(&self, from: &Project) -> Result<()> {
        let (theirs, ours) = (SiteFiles::of(from.layout()), SiteFiles::of(self.layout()));
        place_rules(self, &theirs.proposals()?, false)?;
        ours.take_over(&theirs)
    }
}

fn learn(project: &Project, options: &LearnOptions, control: Control<'_>) -> Result<Learned> {
    let pages = options.pages.unwrap_or(project.resolved.structure.sample_pages);
    announce(project, control);
    let sampled = if options.crawled {
        let mut sampled = SampledPages::open(project, project.layout().data())?;
        if let Some(pages) = options.pages {
            sampled.cut_to(pages, project);
        }
        sampled
    } else {
        if options.again {
            project.set_sample_aside()?;
        }
        project.sample(pages, control)?
    };
    if sampled.is_empty() {
        let (visits, failure) = (sampled.in_vain, sampled.failure.clone());
        if !options.crawled {
            project.forget_sample()?;
        }
        if let Some(failure) = failure {
            return Err(Error::Failed(format!("nothing to learn from: {failure}")));
        }
        return Err(Error::Failed(format!(
            "nothing to learn from: no HTML page in {}; is `crawl.seeds` right, and may it be fetched \
             (robots.txt, scope)?",
            counted(visits, "visit")
        )));
    }
    let (mut model, places) = model_of(project, &sampled, control)?;
    let files = SiteFiles::of(project.layout());
    let sitemap = with_edits(&mut model, &files)?;
    let look = RuleProposer::new(&model, &sitemap, |place| match places.get(place) {
        Some(place) => Ok(sampled.page(*place)?.map(|(page, _)| page)),
        None => Ok::<_, Error>(None),
    })?;
    model.page_types = look.page_types.clone();
    model.notes.extend(sampled.notes.iter().cloned());
    files.save(&model, &sitemap)?;
    project.forget_sample_before()?;
    let rules = propose_rules(project, &files, &look, options.replace_rules)?;
    let now =
        || if project.has_file { Project::open(project.layout().dir())?.site() } else { project.site() };
    if let Err(error) = now() {
        model.notes.push(format!("this project cannot be crawled now: {error}"));
    }
    let learned = Learned { model, sitemap, look, in_vain: sampled.in_vain, rules, damage: sampled.damage() };
    // last, so that who finds it finds everything
    osprey_files::write_durably(&files.picture_file(), learned.report().picture(&project.title()))?;
    Ok(learned)
}

impl Learned {
    /// For people and for scripts.
    pub fn report(&self) -> LearnReport<'_> {
        LearnReport::new(&self.model, &self.sitemap, &self.look, self.in_vain, self.rules, &self.damage)
    }

    /// What became of the extraction rules that are proposed.
    pub fn rules_place(&self) -> RulesPlace {
        self.rules
    }
}

/// The model, and where in the sample its pages are.
fn model_of(
    project: &Project,
    sampled: &SampledPages,
    control: Control<'_>,
) -> Result<(SiteModel, Vec<usize>)> {
    let mut learner = Learner::default();
    let mut places = Vec::new();
    for place in 0..sampled.len() {
        if let Some((page, asked)) = sampled.page(place)? {
            learner.visited(&page, &asked);
            places.push(place);
        }
        control.work("pages", place as u64 + 1, sampled.len() as u64);
    }
    control.end();
    sampled.check_readable()?;
    let mut model = learner.finish(&project.resolved.structure.variant);
    take_examples(project, sampled, &places, &mut model)?;
    Ok((model, places))
}

/// Lets the examples of the configuration decide over labels.
fn take_examples(
    project: &Project,
    sampled: &SampledPages,
    places: &[usize],
    model: &mut SiteModel,
) -> Result<()> {
    let examples = &project.resolved.structure.examples;
    let named: Vec<(PageType, &str)> = examples.iter().map(|(label, url)| (*label, url.as_str())).collect();
    let unused = model.relabel(&named);
    for missing in unused.missing {
        model.notes.push(format!(
            "`structure.examples`: {missing}: not among the sampled pages; can it be fetched?"
        ));
    }
    for typeless in unused.typeless {
        model.notes.push(format!(
            "`structure.examples`: {typeless}: too few pages are like it to be a type, so it labels none; name another"
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

/// The sitemap of a model, with what a person said of an older one. A sitemap that cannot be read or used is kept under
/// another name: it contains the user's work.
fn with_edits(model: &mut SiteModel, files: &SiteFiles) -> Result<Sitemap> {
    let mut sitemap = model.sitemap();
    let place = files.sitemap_file().display().to_string();
    let set_aside = |model: &mut SiteModel, why: &dyn std::fmt::Display| -> Result<()> {
        let aside = files.set_sitemap_aside()?;
        model.notes.push(format!("{why}; it was kept as {}, and a new one was written", aside.display()));
        Ok(())
    };
    let edited = match files.sitemap() {
        Ok(Some(edited)) => edited,
        Ok(None) => return Ok(sitemap),
        Err(error) => {
            set_aside(model, &error)?;
            return Ok(sitemap);
        }
    };
    let old = files.model().ok().flatten().filter(|old| old.id == edited.model);
    let Some(old) = old else {
        set_aside(model, &format!("{place}: the model it belongs to is gone"))?;
        return Ok(sitemap);
    };
    if let Err(error) = edited.check(&old.id) {
        set_aside(model, &format!("{place}: {error}"))?;
        return Ok(sitemap);
    }
    // the same model may have other labels: examples were added, or taken back
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
    look: &RuleProposer,
    force: bool,
) -> Result<RulesPlace> {
    let rules = look.rules_toml();
    files.save_proposals(&rules)?;
    place_rules(project, &rules, force)
}

fn place_rules(project: &Project, rules: &str, force: bool) -> Result<RulesPlace> {
    if !project.has_file {
        return Ok(match (rules.is_empty(), project.has_own_rules()) {
            (true, _) => RulesPlace::None,
            (false, true) => RulesPlace::Own,
            (false, false) => RulesPlace::Proposals,
        });
    }
    let path = project.layout().config();
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    Ok(match rules_block::place(&text, rules, force) {
        Placed::Written(text) => {
            osprey_files::write_durably(&path, text)?;
            if rules.is_empty() { RulesPlace::None } else { RulesPlace::Written }
        }
        Placed::Same if rules.is_empty() => RulesPlace::None,
        Placed::Same => RulesPlace::Written,
        Placed::Edited => RulesPlace::Edited,
        Placed::Own => RulesPlace::Own,
    })
}
