//! `osprey status DIR`: progress, harvest, frontier, hosts, errors.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use osprey_engine::{
    CrawlState, Estimate, PastWant, Project, RatingFigures, Status, counted, duration, grouped,
};

use crate::output::Output;

pub(super) fn run(dir: &Path, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(dir)?;
    let status = project.status()?;
    output.result(&status, || match status.frontier.known {
        0 if !status.running => format!("nothing crawled yet; start with: osprey crawl {}", dir.display()),
        _ => text(&status),
    })
}

fn text(status: &Status) -> String {
    let mut text = String::new();
    let (tally, frontier) = (&status.tally, &status.frontier);
    let mut line = |name: &str, value: String| {
        // writing to a String cannot fail
        let _ = writeln!(text, "{name:<9} {value}");
    };
    let process = status.process.map(|id| format!(" (process {id})")).unwrap_or_default();
    match status.state {
        CrawlState::Idle => {}
        CrawlState::Crawling => line("running", format!("a crawl is running{process}")),
        CrawlState::Paused => line("running", format!("a crawl is paused{process}")),
        CrawlState::Stopping => line("running", format!("a crawl is ending{process}")),
    }
    let of = match status.budget {
        Some(budget) if budget >= tally.visited => format!(" of {}", grouped(budget)),
        Some(budget) => format!(" (the configured budget is {})", grouped(budget)),
        None => String::new(),
    };
    let active = duration(tally.active_ms as f64 / 1e3);
    line("visited", format!("{}{of} in {active}", grouped(tally.visited)));
    let relevant = grouped(tally.relevant);
    line("relevant", format!("{relevant} (harvest ratio {:.3})", status.harvest_ratio));
    for past in &status.past_wants {
        let PastWant { until, visited, relevant, .. } = past;
        let (relevant, visited) = (grouped(*relevant), grouped(*visited));
        line("before", format!("{relevant} of {visited} relevant, before the want changed on {until}"));
    }
    if let Some(ratings) = &status.ratings {
        rating_lines(ratings, &mut line);
    }
    line("failed", format!("{}, tried again {}", grouped(tally.failed), grouped(tally.retried)));
    if let Some(rate) = status.rate {
        let mean = tally.visited as f64 / (tally.active_ms as f64 / 1e3).max(0.001);
        line("rate", format!("{rate:.1} pages/s now, {mean:.1} on average"));
    }
    if let Some(waits_for) = &status.waits_for {
        line("waits for", waits_for.clone());
    }
    if let Some(outlook) = &status.outlook {
        line("left", outlook.to_string());
    }
    line("bytes", grouped(tally.bytes));
    let pictures = &tally.pictures;
    if pictures.found > 0 {
        line(
            "pictures",
            format!(
                "{} fetched ({} copies, {} bytes), {} failed, {} waiting, {} skipped",
                grouped(pictures.fetched - pictures.failed),
                grouped(pictures.duplicates),
                grouped(pictures.bytes),
                grouped(pictures.failed),
                grouped(pictures.waiting()),
                grouped(pictures.dropped),
            ),
        );
    }
    let revisits = &tally.revisits;
    if revisits.asked > 0 {
        line(
            "revisits",
            format!(
                "{} and {}: {} changed, {} failed; {} waiting, {} skipped",
                counted(revisits.pages, "page"),
                counted(revisits.pictures, "picture"),
                grouped(revisits.changed),
                grouped(revisits.failed),
                grouped(revisits.waiting()),
                grouped(revisits.dropped),
            ),
        );
    }
    line(
        "of these",
        format!(
            "{}, {}, {}, {} cut at a limit, {} unchanged",
            counted(tally.duplicates, "duplicate"),
            counted(tally.near_duplicates, "near duplicate"),
            counted(tally.redirects, "redirect"),
            grouped(tally.cut),
            grouped(tally.unchanged)
        ),
    );
    line(
        "frontier",
        format!(
            "{} known: {} waiting, {} parked, {} done, {} failed, {} dropped",
            grouped(frontier.known),
            grouped(frontier.waiting),
            grouped(frontier.parked),
            grouped(frontier.done),
            grouped(frontier.failed),
            grouped(frontier.dropped)
        ),
    );
    line("statuses", list(&tally.statuses));
    line("errors", list(&tally.errors));
    line("skipped", list(&tally.skipped));
    line("hosts", grouped(frontier.hosts));
    for host in &status.hosts {
        let (fetched, waiting) = (grouped(host.fetched), grouped(host.waiting));
        let health = if host.health.is_empty() { String::new() } else { format!("  {}", host.health) };
        let _ = writeln!(text, "  {:<40} {fetched:>9} fetched {waiting:>9} waiting{health}", host.host);
    }
    if !status.closed.is_empty() {
        let count = grouped(status.closed.len() as u64);
        let _ = writeln!(text, "closed    {count} as traps (`crawl.keep` opens them again)");
    }
    for closed in &status.closed {
        let visits = if closed.visits > 0 {
            format!(" after {} visits", grouped(closed.visits))
        } else {
            String::new()
        };
        let _ = writeln!(text, "  {}: {}{visits}", closed.pattern, closed.rule);
    }
    text
}

/// What the ratings say of the judge.
fn rating_lines(ratings: &RatingFigures, line: &mut impl FnMut(&str, String)) {
    let RatingFigures { good, bad, needed, precision, recall, note } = ratings;
    line("ratings", format!("{} good, {} bad", grouped(*good), grouped(*bad)));
    if *needed > 0 {
        let needed = counted(*needed, "more rating");
        line("", format!("{needed} needed for an estimate of precision and recall (`osprey rate`)"));
    }
    let figure = |Estimate { value, low, high }: &Estimate| {
        format!("{value:.2} (95 % interval {low:.2} to {high:.2})")
    };
    if let Some(precision) = precision {
        line("precision", format!("{}: good pages among the relevant ones", figure(precision)));
    }
    if let Some(recall) = recall {
        line("recall", format!("{}: relevant pages among the good ones fetched", figure(recall)));
    }
    if let Some(note) = note {
        line("", note.clone());
    }
}

fn list(counts: &BTreeMap<String, u64>) -> String {
    let counts: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {}", grouped(*n))).collect();
    if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
}
