//! `osprey terms DIR --genre-page URL... --relevant-page URL...`: proposes genre and content terms from example pages.
//! `osprey terms DIR --best N`: the best pages so far and their terms, to accept or drop.

use std::fmt::Write;
use std::path::Path;

use osprey_engine::{BestPages, Project, ProposedTerms, TermChange, TermsOptions, counted, damage_line};
use osprey_steer::genre::Proposal;
use serde_json::json;

use crate::cli::{self, UsageError};
use crate::output::Output;
use crate::session::Session;

pub(super) fn run(args: &cli::Terms, output: &Output) -> anyhow::Result<()> {
    if let Some(most) = args.best {
        return best(args, most, output);
    }
    if args.genre_pages.is_empty() && args.relevant_pages.is_empty() {
        let message = "give at least one --genre-page or --relevant-page to take terms from, or --best N";
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

/// Changes the terms that were named, then shows what they make of the pages so far.
fn best(args: &cli::Terms, most: usize, output: &Output) -> anyhow::Result<()> {
    let change = TermChange {
        accept_genre: args.accept_genre.clone(),
        accept_content: args.accept_content.clone(),
        drop: args.drop.clone(),
    };
    if change != TermChange::default() {
        Project::open(&args.dir)?.change_terms(&change)?;
    }
    let project = Project::open(&args.dir)?;
    let session = Session::new(output)?;
    let best = project.best_pages(most, args.content, session.control())?;
    output.result(&serde_json::to_value(&best)?, || best_text(&best, &args.dir))
}

fn best_text(best: &BestPages, dir: &Path) -> String {
    let mut text = format!("{} judged, {} relevant\n", counted(best.judged, "page"), best.relevant);
    // writing to a String cannot fail
    if let Some(line) = damage_line(&best.damage, dir) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "\n{:>9} {:>9}  page", "relevance", "crawled");
    for page in &best.pages {
        let then = page.relevance_then.map_or("-".to_owned(), |then| format!("{then:.3}"));
        let sign = if page.relevant { ' ' } else { '-' };
        let _ = writeln!(text, "{:>9.3} {then:>9} {sign}{}  {}", page.relevance, page.url, page.title.trim());
    }
    for (title, terms) in [("genre", &best.genre_terms), ("content", &best.content_terms)] {
        if !terms.is_empty() {
            let _ = writeln!(text, "\n{:<42} on these pages", format!("{title} terms"));
        }
        for term in terms {
            let _ = writeln!(text, "{:<42} {:>8}", term.term, term.pages);
        }
    }
    if !best.proposed.is_empty() {
        let _ = writeln!(text, "\n{:<42} on these pages", "terms to add");
        for Proposal { text: term, pages, .. } in &best.proposed {
            let _ = writeln!(text, "{term:<42} {pages:>8}");
        }
    }
    text.push_str(
        "\n--accept-genre TERM, --accept-content TERM and --drop TERM change the terms and judge again\n",
    );
    text
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
