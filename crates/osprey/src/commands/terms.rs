//! `osprey terms DIR --genre-page URL... --relevant-page URL...`: proposes genre and content terms from example pages.

use std::fmt::Write;

use osprey_engine::{Project, ProposedTerms, TermsOptions, counted};
use osprey_steer::genre::Proposal;
use serde_json::json;

use crate::cli::{self, UsageError};
use crate::output::Output;
use crate::session::Session;

pub(super) fn run(args: &cli::Terms, output: &Output) -> anyhow::Result<()> {
    if args.genre_pages.is_empty() && args.relevant_pages.is_empty() {
        let message = "give at least one --genre-page or --relevant-page to take terms from";
        return Err(UsageError(message.to_owned()).into());
    }
    let project = Project::open(&args.dir)?;
    let session = Session::new(output)?;
    let options = TermsOptions {
        genre_pages: args.genre_pages.clone(),
        relevant_pages: args.relevant_pages.clone(),
        genre: args.genre,
        content: args.content,
        by_frequency: args.by_frequency,
        crawled: false,
    };
    let proposed = project.propose_terms(&options, session.control())?;
    let ProposedTerms { terms, background_pages } = &proposed;
    let value = json!({
        "genre_terms": terms.genre, "content_terms": terms.content, "background_pages": background_pages,
    });
    output.result(&value, || text(&proposed))
}

fn text(ProposedTerms { terms, background_pages }: &ProposedTerms) -> String {
    let mut text = match background_pages {
        0 => {
            "ranked by frequency; run `osprey learn` or `osprey crawl` first to rank against pages of the site\n"
                .to_owned()
        }
        pages => format!("ranked against {} of the site\n", counted(u64::from(*pages), "page")),
    };
    for (title, list) in [("genre", &terms.genre), ("content", &terms.content)] {
        if list.is_empty() {
            continue;
        }
        // writing to a String cannot fail
        let _ = writeln!(text, "\n{title:<32} {:>9} {:>6} {:>9}", "frequency", "pages", "score");
        for Proposal { text: term, frequency, pages, score, .. } in list {
            let _ = writeln!(text, "{term:<32} {frequency:>9} {pages:>6} {score:>9.2}");
        }
    }
    text.push_str("\n# for osprey.toml: remove the terms that do not belong\n[topic]\n");
    for (key, list) in [("genre_terms", &terms.genre), ("content_terms", &terms.content)] {
        if !list.is_empty() {
            let list: Vec<&str> = list.iter().map(|proposal| proposal.text.as_str()).collect();
            let _ = writeln!(text, "{key} = {}", toml::Value::from(list));
        }
    }
    text
}
