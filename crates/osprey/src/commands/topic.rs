//! `osprey topic DIR expand TAG...`: which tags go with a tag, by what users of the site tagged together.
//!
//! Stage one of seed 000: a breadth-first crawl from the seeds, in `data/cotags/`, whose detail pages vote with their
//! tags. The site has to be learned, for that is how tags are read from pages.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use osprey_crawl::{Budget, Inspection, Steering, Stop};
use osprey_steer::cotag::{CoTagRules, CoTags, Expansion, Left, LeftBecause};
use osprey_steer::{JudgeKind, Known, Plan, PolicyKind, Subject};
use osprey_structure::Site;
use osprey_structure::extract::RecordKind;
use serde_json::{Value, json};

use crate::cli::{self, UsageError};
use crate::drive::{Drive, announce, stop_on_signal};
use crate::output::Output;
use crate::project::Project;

/// Tags that were left out and are told of.
const MAX_LEFT: usize = 15;

pub(super) fn run(args: &cli::Topic, output: &Output) -> anyhow::Result<()> {
    let cli::TopicAction::Expand(expand) = &args.action;
    let project = Project::open(&args.dir, |_| {})?;
    let Some(site) = project.site()? else {
        let dir = args.dir.display();
        let message = format!("tags are read from pages of a learned site; run `osprey learn {dir}` first");
        return Err(UsageError(message).into());
    };
    let site = Arc::new(site);
    let data = if expand.crawled { project.data() } else { crawl(&project, &site, expand.pages, output)? };
    let (tags, details) = votes(&project, &data, &site)?;
    if tags.pictures() == 0 {
        bail!(
            "{details} detail pages were looked at and none has tags; does `osprey learn` propose a rule for `tags` \
             (see [extract] in osprey.toml)?"
        );
    }
    let given: Vec<&str> = expand.tags.iter().map(String::as_str).collect();
    let rules = CoTagRules::default();
    let expansion = tags.expand(&given, &rules);
    let unknown: Vec<&str> = given.iter().copied().filter(|tag| tags.count(tag) == 0).collect();
    if unknown.len() == given.len() {
        bail!(
            "no page has the tag `{}` among {} with tags; look at more pages (--pages), begin nearer (crawl.seeds), or \
             give another tag",
            unknown.join("`, `"),
            tags.pictures()
        );
    }
    let value = json!({
        "tags": expansion.tags,
        "left_out": expansion.left.iter().map(left_json).collect::<Vec<_>>(),
        "detail_pages": details,
        "tag_sets": tags.pictures(),
    });
    output.result(&value, || text(&expansion, &tags, details))
}

/// Crawls breadth-first, or goes on with that; where it is.
fn crawl(
    project: &Project,
    site: &Arc<Site>,
    pages: u64,
    output: &Output,
) -> anyhow::Result<std::path::PathBuf> {
    let data = project.data().join("cotags");
    announce(project, output);
    let stop = stop_on_signal(output)?;
    let mut settings = project.resolved.settings.clone();
    settings.budget = Budget { pages: Some(pages), ..settings.budget };
    let plan = Plan { policy: PolicyKind::BreadthFirst {}, subject: Subject::default() };
    let known = Known { site: Some(Arc::clone(site)), examples: Vec::new() };
    let steering = Steering::of(&plan, &JudgeKind::None {}, &known)?;
    let report = Drive { project, data: &data, settings, steering, revisit: None }.run(&stop, output)?;
    if report.stopped_by == Stop::Interrupt {
        bail!("interrupted; the same command goes on");
    }
    Ok(data)
}

/// The tags of all detail pages, and how many there were.
fn votes(project: &Project, data: &Path, site: &Site) -> anyhow::Result<(CoTags, u64)> {
    let settings = &project.resolved.settings;
    let crawl = Inspection::open(data, &settings.frontier, Inspection::PATIENCE)?;
    let (mut tags, mut details) = (CoTags::default(), 0);
    for record in crawl.records(site, &settings.page_rules)? {
        let record = record?;
        if record.kind == RecordKind::Detail {
            details += 1;
            tags.add(&record.tags);
        }
    }
    Ok((tags, details))
}

fn left_json(left: &Left) -> Value {
    let (why, by) = match left.why {
        LeftBecause::Listed => ("noise", None),
        LeftBecause::Spread(share) => ("spread", Some(share)),
        LeftBecause::Chance(lift) => ("chance", Some(lift)),
    };
    json!({ "tag": left.tag, "votes": left.votes, "why": why, "by": by })
}

fn text(expansion: &Expansion, tags: &CoTags, details: u64) -> String {
    let mut text = format!("{details} detail pages, {} different sets of tags\n", tags.pictures());
    // writing to a String cannot fail
    let _ = writeln!(text, "\n{:<28} {:>6} {:>10} {:>7} {:>6}", "tag", "votes", "phi", "lift", "layer");
    for tag in &expansion.tags {
        let _ = match tag.layer {
            0 => writeln!(text, "{:<28} {:>6} {:>10} {:>7} {:>6}", tag.tag, tag.votes, "", "", "given"),
            layer => writeln!(
                text,
                "{:<28} {:>6} {:>10.6} {:>7.1} {:>6}",
                tag.tag, tag.votes, tag.phi, tag.lift, layer
            ),
        };
    }
    for left in expansion.left.iter().take(MAX_LEFT) {
        let why = match left.why {
            LeftBecause::Listed => "on the list of noise".to_owned(),
            LeftBecause::Spread(share) => format!("goes with {:.0} % of the other topics", share * 100.0),
            LeftBecause::Chance(lift) => format!("hardly more often than by chance ({lift:.1} times)"),
        };
        let _ = writeln!(text, "left out: {} ({} votes): {why}", left.tag, left.votes);
    }
    let list: Vec<&str> = expansion.tags.iter().map(|tag| tag.tag.as_str()).collect();
    let _ = writeln!(text, "\n# for osprey.toml\n[topic]\ntags = {}", toml::Value::from(list));
    text
}
