//! `osprey topic DIR expand TAG...`: related tags, by which tags users of the site put on the same items.

use std::fmt::Write;

use osprey_engine::{ExpandedTopic, Project, TagPages, counted};
use osprey_steer::cotag::{Left, LeftBecause};
use serde_json::{Value, json};

use crate::cli;
use crate::output::Output;
use crate::session::Session;

/// Skipped tags to list.
const MAX_LEFT: usize = 15;

pub(super) fn run(args: &cli::Topic, output: &Output) -> anyhow::Result<()> {
    let cli::TopicAction::Expand(asked) = &args.action;
    let project = Project::open(&args.dir)?;
    let pages = if asked.crawled { TagPages::Crawled } else { TagPages::Fetch(asked.pages) };
    let session = Session::new(output)?;
    let expanded = project.expand_topic(&asked.tags, pages, session.control())?;
    let value = json!({
        "tags": expanded.expansion.tags,
        "left_out": expanded.expansion.left.iter().map(left_json).collect::<Vec<_>>(),
        "detail_pages": expanded.details,
        "tag_sets": expanded.tag_sets,
    });
    output.result(&value, || text(&expanded))
}

fn left_json(left: &Left) -> Value {
    let (why, by) = match left.why {
        LeftBecause::Listed => ("noise", None),
        LeftBecause::Spread(share) => ("spread", Some(share)),
        LeftBecause::Chance(lift) => ("chance", Some(lift)),
    };
    json!({ "tag": left.tag, "votes": left.votes, "why": why, "by": by })
}

fn text(expanded: &ExpandedTopic) -> String {
    let ExpandedTopic { expansion, tag_sets, details } = expanded;
    let mut text =
        format!("{}, {}\n", counted(*details, "detail page"), counted(*tag_sets, "different tag set"));
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
        let _ = writeln!(text, "skipped: {} ({} votes): {}", left.tag, left.votes, left.why);
    }
    let _ = writeln!(text, "\n# for osprey.toml\n[topic]\ntags = {}", toml::Value::from(expanded.tags()));
    text
}
