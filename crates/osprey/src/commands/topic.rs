//! `osprey topic DIR expand TAG...`: which tags go with a tag, by what users of the site tagged together.
//!
//! Stage one of seed 000: a breadth-first crawl from the seeds, in `data/cotags/`, whose detail pages vote with their
//! tags. The site has to be learned, for that is how tags are read from pages.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use osprey_crawl::{Budget, Inspection, PictureRules, Steering, Stop};
use osprey_page::PageRules;
use osprey_steer::cotag::{CoTagRules, CoTags, Expansion, Left, LeftBecause};
use osprey_steer::{JudgeKind, Known, Plan, PolicyKind, Subject};
use osprey_structure::Site;
use osprey_structure::extract::RecordKind;
use serde_json::{Value, json};

use crate::cli::{self, UsageError};
use crate::drive::{Drive, Interrupted, announce, stop_on_signal};
use crate::output::Output;
use crate::project::Project;

/// Tags that were left out and are told of.
const MAX_LEFT: usize = 15;

/// Where tags are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LookAt {
    /// So many pages, fetched for this alone.
    Pages(u64),
    /// What the project has crawled.
    Crawled,
}

/// A topic that was expanded, and what voted.
pub(crate) struct Expanded {
    pub(crate) expansion: Expansion,
    votes: CoTags,
    /// Detail pages that were looked at.
    pub(crate) details: u64,
}

pub(super) fn run(args: &cli::Topic, output: &Output) -> anyhow::Result<()> {
    let cli::TopicAction::Expand(asked) = &args.action;
    let project = Project::open(&args.dir, |_| {})?;
    let look_at = if asked.crawled { LookAt::Crawled } else { LookAt::Pages(asked.pages) };
    let stop = stop_on_signal(output)?;
    let expanded = expand(&project, &asked.tags, look_at, &stop, output)?;
    let value = json!({
        "tags": expanded.expansion.tags,
        "left_out": expanded.expansion.left.iter().map(left_json).collect::<Vec<_>>(),
        "detail_pages": expanded.details,
        "tag_sets": expanded.votes.pictures(),
    });
    output.result(&value, || text(&expanded))
}

/// Finds the tags that go with the given ones.
pub(crate) fn expand(
    project: &Project,
    given: &[String],
    look_at: LookAt,
    stop: &AtomicBool,
    output: &Output,
) -> anyhow::Result<Expanded> {
    let Some(site) = project.site()? else {
        let dir = project.dir().display();
        let message = format!("tags are read from pages of a learned site; run `osprey learn {dir}` first");
        return Err(UsageError(message).into());
    };
    let site = Arc::new(site);
    let data = match look_at {
        LookAt::Crawled => project.data(),
        LookAt::Pages(pages) => crawl(project, &site, pages, stop, output)?,
    };
    let settings = &project.resolved.settings;
    let crawl = Inspection::open(&data, &settings.frontier, Inspection::PATIENCE)?;
    let (votes, details) = votes(&crawl, &site, &settings.page_rules)?;
    if votes.pictures() == 0 {
        bail!(
            "{details} detail pages were looked at and none has tags; does `osprey learn` propose a rule for `tags` \
             (see [extract] in osprey.toml)?"
        );
    }
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let expansion = votes.expand(&given, &CoTagRules::default());
    let unknown: Vec<&str> = given.iter().copied().filter(|tag| votes.count(tag) == 0).collect();
    if unknown.len() == given.len() {
        bail!(
            "no page has the tag `{}` among {} with tags; look at more pages (--pages), begin nearer (crawl.seeds), or \
             give another tag",
            unknown.join("`, `"),
            votes.pictures()
        );
    }
    Ok(Expanded { expansion, votes, details })
}

impl Expanded {
    /// The topic's tags, the given ones first.
    pub(crate) fn tags(&self) -> Vec<String> {
        self.expansion.tags.iter().map(|tag| tag.tag.clone()).collect()
    }
}

/// Crawls breadth-first, or goes on with that; where it is.
fn crawl(
    project: &Project,
    site: &Arc<Site>,
    pages: u64,
    stop: &AtomicBool,
    output: &Output,
) -> anyhow::Result<std::path::PathBuf> {
    let data = project.data().join("cotags");
    announce(project, output);
    let mut settings = project.resolved.settings.clone();
    settings.budget = Budget { pages: Some(pages), ..settings.budget };
    // tags are words: what pictures look like is not asked
    settings.pictures = PictureRules::none();
    let plan = Plan { policy: PolicyKind::BreadthFirst {}, subject: Subject::default() };
    let known = Known { site: Some(Arc::clone(site)), examples: Vec::new() };
    let steering = Steering::of(&plan, &JudgeKind::None {}, &known)?;
    let report = Drive { project, data: &data, settings, steering, revisit: None }.run(stop, output)?;
    if report.stopped_by == Stop::Interrupt {
        bail!(Interrupted);
    }
    Ok(data)
}

/// The tags of all detail pages, and how many there were.
pub(crate) fn votes(crawl: &Inspection, site: &Site, rules: &PageRules) -> anyhow::Result<(CoTags, u64)> {
    let (mut tags, mut details) = (CoTags::default(), 0);
    for record in crawl.records(site, rules)? {
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

fn text(expanded: &Expanded) -> String {
    let Expanded { expansion, votes, details } = expanded;
    let mut text = format!("{details} detail pages, {} different sets of tags\n", votes.pictures());
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
        let _ = writeln!(text, "left out: {} ({} votes): {}", left.tag, left.votes, left.why);
    }
    let _ = writeln!(text, "\n# for osprey.toml\n[topic]\ntags = {}", toml::Value::from(expanded.tags()));
    text
}
