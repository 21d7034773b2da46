//! `osprey topic DIR expand TAG...`: related tags, by which tags users of the site put on the same items; and
//! `osprey topic DIR uploaders`: who uploads what is on the topic.

use std::fmt::Write;
use std::path::Path;

use osprey_engine::{ExpandedTopic, Project, TagPages, UploaderStanding, Uploaders, counted, damage_line};
use osprey_steer::cotag::{CoTagRules, Left, LeftBecause};
use serde_json::{Value, json};

use crate::cli;
use crate::output::Output;
use crate::session::Session;

/// Skipped tags to list.
const MAX_LEFT: usize = 15;

pub(super) fn run(args: &cli::Topic, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(&args.dir)?;
    let asked = match &args.action {
        cli::TopicAction::Expand(asked) => asked,
        cli::TopicAction::Uploaders { most } => return list_uploaders(args, &project, *most, output),
    };
    let pages = if asked.crawled { TagPages::Crawled } else { TagPages::Fetch(asked.pages) };
    let session = Session::new(output)?;
    let expanded = project.expand_topic(&asked.tags, pages, &rules(asked), session.control())?;
    let value = json!({
        "tags": expanded.expansion.tags,
        "left_out": expanded.expansion.left.iter().map(left_json).collect::<Vec<_>>(),
        "detail_pages": expanded.details,
        "tag_sets": expanded.tag_sets,
        "damaged_count": expanded.damage.count,
        "damaged": expanded.damage.records,
    });
    output.result(&value, || text(&expanded, &args.dir))
}

fn list_uploaders(args: &cli::Topic, project: &Project, most: usize, output: &Output) -> anyhow::Result<()> {
    let Uploaders { ranked: all, damage } = project.uploaders()?;
    let shown = all.get(..most).unwrap_or(&all);
    let value = json!({
        "uploaders": shown, "count": all.len(), "damaged_count": damage.count, "damaged": damage.records,
    });
    output.result(&value, || {
        let mut text = format!("{}, the best first\n", counted(all.len() as u64, "uploader"));
        text.extend(damage_line(&damage, &args.dir).map(|line| line + "\n"));
        text.push('\n');
        let number = |value: Option<f32>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        // writing to a String cannot fail
        let _ = writeln!(
            text,
            "{:>6} {:>6} {:>6} {:>6}  {:<24} profile",
            "rank", "inner", "inter", "items", "name"
        );
        for UploaderStanding { name, url, items, inner, inter, rank, .. } in shown {
            let [rank, inner, inter] = [*rank, *inner, *inter].map(number);
            let name = name.as_deref().unwrap_or("-");
            let _ = writeln!(text, "{rank:>6} {inner:>6} {inter:>6} {items:>6}  {name:<24} {url}");
        }
        text
    })
}

/// When a tag joins: what is not asked for is as usual.
fn rules(asked: &cli::Expand) -> CoTagRules {
    let usual = CoTagRules::default();
    CoTagRules {
        min_votes: asked.min_votes.unwrap_or(usual.min_votes),
        min_lift: asked.min_lift.unwrap_or(usual.min_lift),
        min_phi: asked.min_phi.unwrap_or(usual.min_phi),
        layer_tags: asked.layer_tags.unwrap_or(usual.layer_tags),
        strongest: if asked.one_layer { 0 } else { usual.strongest },
        ..usual
    }
}

fn left_json(left: &Left) -> Value {
    let (why, by) = match left.why {
        LeftBecause::Listed => ("noise", None),
        LeftBecause::Spread(share) => ("spread", Some(share)),
        LeftBecause::Chance(lift) => ("chance", Some(lift)),
    };
    json!({ "tag": left.tag, "votes": left.votes, "why": why, "by": by })
}

fn text(expanded: &ExpandedTopic, dir: &Path) -> String {
    let ExpandedTopic { expansion, tag_sets, details, damage } = expanded;
    let mut text =
        format!("{}, {}\n", counted(*details, "detail page"), counted(*tag_sets, "different tag set"));
    text.extend(damage_line(damage, dir).map(|line| line + "\n"));
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
        let _ =
            writeln!(text, "skipped: {} ({}): {}", left.tag, counted(left.votes.into(), "vote"), left.why);
    }
    let _ = writeln!(text, "\n# for osprey.toml\n[topic]\ntags = {}", toml::Value::from(expanded.tags()));
    text
}
