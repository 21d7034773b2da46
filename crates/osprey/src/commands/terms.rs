//! `osprey terms DIR --genre-page URL... --relevant-page URL...`: proposes genre and content terms from example pages.
//!
//! Without other pages to compare with, terms are ranked by frequency, as seed 003 has it; where the project has a
//! sample or a crawl, its pages are the background, so that what stands on every page of a site does not win.

use std::fmt::Write;

use osprey_crawl::Inspection;
use osprey_page::{Page, PageRules, read_page};
use osprey_steer::genre::{Generated, HowMany, Proposal, Ranking, TermTable, generate};
use osprey_text::{Words, with_reader};
use serde_json::json;

use crate::cli::{self, UsageError};
use crate::drive::stop_on_signal;
use crate::given::GivenPages;
use crate::output::Output;
use crate::project::Project;

/// Pages of the background.
const BACKGROUND: usize = 500;

pub(super) fn run(args: &cli::Terms, output: &Output) -> anyhow::Result<()> {
    if args.genre_pages.is_empty() && args.relevant_pages.is_empty() {
        let message = "give at least one --genre-page or --relevant-page to take terms from";
        return Err(UsageError(message.to_owned()).into());
    }
    let project = Project::open(&args.dir, |_| {})?;
    let stop = stop_on_signal(output)?;
    let given = GivenPages::of(&project);
    let genre = given.fetch("--genre-page", &args.genre_pages, &stop, output)?;
    let relevant = given.fetch("--relevant-page", &args.relevant_pages, &stop, output)?;
    let background = if args.by_frequency { TermTable::default() } else { background(&project)? };
    let ranking = match background.pages() {
        0 => Ranking::Frequency,
        _ => Ranking::Against(&background),
    };
    let terms = generate(
        &texts(&genre),
        &texts(&relevant),
        HowMany { genre: args.genre, content: args.content },
        ranking,
    );
    let value = json!({ "genre_terms": terms.genre, "content_terms": terms.content, "background_pages": background.pages() });
    output.result(&value, || text(&terms, background.pages()))
}

fn texts(pages: &[Page]) -> Vec<&str> {
    pages.iter().map(Page::text).collect()
}

/// The pages that the project has, as a measure of what is usual.
fn background(project: &Project) -> anyhow::Result<TermTable> {
    let settings = &project.resolved.settings;
    let mut table = TermTable::default();
    for data in [project.sample_dir(), project.data()] {
        if !data.join("frontier").exists() {
            continue;
        }
        let crawl = Inspection::open(&data, &settings.frontier, Inspection::PATIENCE)?;
        table = usual(&crawl, &settings.page_rules)?;
        if table.pages() > 0 {
            break;
        }
    }
    Ok(table)
}

/// What is usual on the pages of a crawl, by some of them.
pub(crate) fn usual(crawl: &Inspection, rules: &PageRules) -> anyhow::Result<TermTable> {
    let mut table = TermTable::default();
    let pages = crawl.pages()?;
    for found in pages.iter().step_by(pages.len().div_ceil(BACKGROUND).max(1)) {
        let Ok(Some(response)) = crawl.response(&found.visit) else { continue };
        let page = read_page(&response, rules);
        let language = Words::of(page.text(), page.lang()).language();
        with_reader(|reader| table.add_page(reader, page.text(), language, &Default::default()));
    }
    Ok(table)
}

fn text(terms: &Generated, background: u32) -> String {
    let mut text = match background {
        0 => {
            "ranked by frequency; after `osprey learn` or `osprey crawl` the site's pages are compared with\n"
                .to_owned()
        }
        pages => format!("ranked against {pages} pages of the site\n"),
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
    text.push_str("\n# for osprey.toml: strike out what does not belong\n[topic]\n");
    for (key, list) in [("genre_terms", &terms.genre), ("content_terms", &terms.content)] {
        if !list.is_empty() {
            let list: Vec<&str> = list.iter().map(|proposal| proposal.text.as_str()).collect();
            let _ = writeln!(text, "{key} = {}", toml::Value::from(list));
        }
    }
    text
}
