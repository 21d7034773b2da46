//! `osprey learn DIR`: samples the site, finds its kinds of page, how they link and how to read them.

mod report;
mod rules_block;
mod sample;
mod second_look;

use anyhow::{Context, bail};
use indicatif::ProgressBar;
use osprey_structure::{Learner, SiteModel, Sitemap};

use self::report::{Report, RulesPlace};
use self::rules_block::Placed;
use self::sample::Sampled;
use self::second_look::SecondLook;
use crate::cli;
use crate::drive::stop_on_signal;
use crate::output::{Output, write_whole};
use crate::project::Project;
use crate::site_files::SiteFiles;

pub(super) fn run(args: &cli::Learn, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(&args.dir, |_| {})?;
    project.resolved.notices.iter().for_each(|notice| output.say(notice));
    let stop = stop_on_signal(output)?;
    let pages = args.pages.unwrap_or(project.resolved.structure.sample_pages);
    let data = if args.crawled {
        project.data()
    } else {
        if args.again {
            project.forget_sample()?;
        }
        sample::fetch(&project, pages, &stop, output)?
    };
    let mut sampled = Sampled::open(&project, &data)?;
    if !args.crawled {
        sampled.truncate(usize::try_from(pages).unwrap_or(usize::MAX));
    }
    if sampled.len() == 0 {
        let visits = sampled.in_vain;
        bail!(
            "nothing to learn from: {visits} visits brought no HTML page; is `crawl.seeds` right, and may it be fetched \
             (robots.txt, scope)?"
        );
    }
    let (mut model, places) = learn(&project, &sampled, output)?;
    let files = SiteFiles::of(&project.data());
    let sitemap = with_edits(&model, &files, output);
    let look = SecondLook::new(&sampled, &places, &model, &sitemap)?;
    model.page_types = look.page_types.clone();
    let rules = propose_rules(&project, &files, &look, args.replace_rules)?;
    let report = Report::new(&model, &sitemap, &look, sampled.in_vain, rules);
    files.save(&model, &sitemap, &report.picture(&project.title()))?;
    output.result(&report, || report.text(&files))
}

/// The model, and where in the sample its pages are.
fn learn(
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
    let lost = sampled.len() - places.len();
    if lost > 0 {
        model.notes.push(format!("{lost} pages could not be read back from the archive"));
    }
    Ok((model, places))
}

/// The sitemap of a model, with what a person said of an older one.
fn with_edits(model: &SiteModel, files: &SiteFiles, output: &Output) -> Sitemap {
    let mut sitemap = model.sitemap();
    match files.load() {
        Ok(Some((old, edited))) if old.id == model.id && edited.check(&model.id).is_ok() => return edited,
        Ok(Some((old, edited))) => sitemap.take_over(&edited, |cluster| model.was(&old, cluster)),
        Ok(None) => {}
        Err(error) => output.say(format!("note: changes to the last sitemap are lost: {error:#}")),
    }
    sitemap
}

/// Puts the proposed rules into `osprey.toml`, unless a person has been at them; then beside the model.
fn propose_rules(
    project: &Project,
    files: &SiteFiles,
    look: &SecondLook,
    force: bool,
) -> anyhow::Result<RulesPlace> {
    let path = crate::config::path_in(project.dir());
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let rules = look.rules_toml();
    files.save_proposals(&rules)?;
    Ok(match rules_block::place(&text, &rules, force) {
        Placed::Written(text) => {
            write_whole(&path, text.as_bytes())?;
            RulesPlace::Written
        }
        Placed::Same => RulesPlace::Written,
        Placed::Edited => RulesPlace::Edited,
        Placed::Own => RulesPlace::Own,
    })
}
