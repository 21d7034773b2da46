//! `osprey search DIR QUERY...`: the query language of docs/search.md, from a terminal.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, bail};
use osprey_engine::{Collection, grouped};
use osprey_index::{Like, Query, Ranking, Request, Results};
use osprey_vision::{Limits, Words, Worker};

use super::vision;
use crate::cli::{RankingArg, Search, UsageError};
use crate::output::Output;

/// Values of each facet, and clusters, that are shown.
const COMMON: usize = 10;
/// Characters of a title in the table.
const TITLE: usize = 60;

pub(super) fn run(args: &Search, output: &Output) -> anyhow::Result<()> {
    let collection = Collection::of(&args.dir);
    let searcher = collection.searcher()?;
    let text = query_text(&args.query);
    let query = Query::parse(&text).map_err(|wrong| UsageError(format!("{wrong}")))?;
    let worker = Worker::new(collection.codebook()?);
    let example = args.like.as_deref().map(|path| look(path, worker)).transpose()?;
    let like = match (&example, &args.like_url) {
        (Some(words), _) => Some(Like::Picture(words)),
        (None, url) => url.as_deref().map(Like::Document),
    };
    if query == Query::default() && like.is_none() && args.ranking != RankingArg::Relevance {
        bail!(UsageError("nothing to look for: give a query, `--like IMAGE` or `--like-url URL`".to_owned()));
    }
    let common = |wanted: bool| if wanted { COMMON } else { 0 };
    let ranking = match args.ranking {
        RankingArg::Osprey => Ranking::Osprey,
        RankingArg::Classic => Ranking::Classic,
        RankingArg::Relevance => Ranking::Relevance,
    };
    let rated = collection.rated(&searcher)?;
    let request = Request {
        query,
        like,
        ranking,
        expand: !args.exact,
        offset: args.offset,
        limit: args.limit,
        facets: common(args.facets),
        clusters: common(args.clusters),
        highlights: true,
        rated: Some(&rated),
        ..Request::default()
    };
    let results = searcher.search(&request).map_err(|error| collection.advise(error))?;
    let thumbnail = |path: &str| collection.layout().images().join(path).to_string_lossy().into_owned();
    output.result(&osprey_server::results_json(&results, &thumbnail), || as_text(&results, args, &collection))
}

/// The words of an example picture.
fn look(path: &Path, mut worker: Worker) -> anyhow::Result<Words> {
    let bytes = vision::read(path, &Limits::default())?;
    worker.words(&bytes).with_context(|| path.display().to_string())
}

/// The arguments as one query. The shell has taken quotes away, so that of several arguments one with spaces in it was a
/// phrase; a single one is the query itself.
fn query_text(arguments: &[String]) -> String {
    if let [whole] = arguments {
        return whole.clone();
    }
    let quoted = |argument: &String| {
        if !argument.contains(char::is_whitespace) || argument.contains('"') {
            return argument.clone();
        }
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
        match argument.split_once(':') {
            Some((field, value)) if is_name(field) => format!("{field}:\"{value}\""),
            _ => match argument.strip_prefix('-') {
                Some(rest) => format!("-\"{rest}\""),
                None => format!("\"{argument}\""),
            },
        }
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn as_text(results: &Results, args: &Search, collection: &Collection) -> String {
    let mut text = String::new();
    for hit in &results.hits {
        let title = if hit.title.is_empty() { &hit.url } else { &hit.title };
        let title: String = title.chars().take(TITLE).collect();
        // writing to a String cannot fail
        let _ = writeln!(text, "{:>3}  {:.3}  {title}", hit.rank, hit.score);
        let _ = writeln!(text, "            {}", hit.url);
        let tags = hit.tags.iter().take(COMMON).cloned().collect::<Vec<_>>().join(", ");
        let by = if hit.uploader.is_empty() { String::new() } else { format!("by {}", hit.uploader) };
        let about = [by, tags].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        if !about.is_empty() {
            let _ = writeln!(text, "            {about}");
        }
        if let Some(thumbnail) = &hit.thumbnail {
            let _ = writeln!(text, "            {}", collection.layout().images().join(thumbnail).display());
        }
        if args.explain {
            let parts = hit.parts.iter().map(|part| format!("{} {:.3}", part.name, part.score));
            let _ = writeln!(text, "            = {}", parts.collect::<Vec<_>>().join(" + "));
        }
    }
    add_common(&mut text, results);
    let took = results.took.as_secs_f64() * 1e3;
    let _ = writeln!(text, "{} found in {took:.1} ms", grouped(results.total));
    if !results.ignored.is_empty() {
        let _ = writeln!(text, "ignored words: {}", results.ignored.join(", "));
    }
    if let Some(suggestion) = &results.suggestion {
        let _ = writeln!(text, "did you mean: {}", suggestion.query);
    }
    text
}

/// What results have in common.
fn add_common(text: &mut String, results: &Results) {
    let facets = &results.facets;
    let named = [
        ("tags", &facets.tags),
        ("uploaders", &facets.uploaders),
        ("sites", &facets.sites),
        ("colours", &facets.colours),
    ];
    for (name, values) in named.into_iter().filter(|(_, values)| !values.is_empty()) {
        let values = values.iter().map(|value| format!("{} ({})", value.value, grouped(value.count)));
        let _ = writeln!(text, "{name:<10} {}", values.collect::<Vec<_>>().join(", "));
    }
    if facets.is_estimate {
        let _ = writeln!(text, "{:<10} (counted in a sample of the results)", "");
    }
    for cluster in &results.clusters {
        let ranks = cluster.ranks.iter().take(COMMON).map(ToString::to_string);
        let _ = writeln!(text, "cluster    {} ({})", cluster.label, ranks.collect::<Vec<_>>().join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::query_text;

    #[test]
    fn what_the_shell_took_apart_is_put_together() {
        let check = |arguments: &[&str], expect: &str| {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            assert_eq!(query_text(&arguments), expect);
        };
        check(&[], "");
        check(&["rose red -dog \"new york\""], "rose red -dog \"new york\"");
        check(&["rose", "-dog", "new york"], "rose -dog \"new york\"");
        check(
            &["rose", "-new york", "by:U EET", "say \"x y\""],
            "rose -\"new york\" by:\"U EET\" say \"x y\"",
        );
    }
}
