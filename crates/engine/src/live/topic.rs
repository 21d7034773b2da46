//! What a project is about, read from and written to its `osprey.toml`; tags and terms that its pages propose.

use std::path::Path;

use anyhow::{Context, bail};
use osprey_model::CanonicalUrl;
use osprey_page::{Page, read_page};
use osprey_server::{ExpansionView, LeftOutView, TagView, TermView, TermsView, TopicView};
use osprey_steer::cotag::CoTagRules;
use osprey_steer::genre::{HowMany, Proposal, Ranking, generate};

use super::look::Look;
use crate::cli::UsageError;
use crate::commands::terms::usual;
use crate::commands::topic::votes;
use crate::config;
use crate::output::write_whole;
use crate::project::Project;

/// Terms of a kind that are proposed.
const TERMS: usize = 15;

/// What stands in the file.
pub(super) fn topic(dir: &Path) -> anyhow::Result<TopicView> {
    let topic = config::load(&config::path_in(dir))?.topic;
    Ok(TopicView { tags: topic.tags, genre_terms: topic.genre_terms, content_terms: topic.content_terms })
}

/// Writes lists into the file and leaves everything else as it stands there. A file that could not be used any more is
/// not written.
pub(super) fn set(dir: &Path, topic: &TopicView) -> anyhow::Result<()> {
    let path = config::path_in(dir);
    let before = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut after = before;
    let now = config::load(&path)?.topic;
    let lists = [
        ("tags", &topic.tags, now.tags),
        ("genre_terms", &topic.genre_terms, now.genre_terms),
        ("content_terms", &topic.content_terms, now.content_terms),
    ];
    for (key, values, now) in lists {
        if *values != now {
            let changed = config::set_list(&after, "topic", key, values);
            after = changed.with_context(|| format!("{}: `topic`: expected a section", path.display()))?;
        }
    }
    config::parse::<config::Config>(&after, &path)?.resolve(&path)?;
    write_whole(&path, after.as_bytes())
}

/// Tags that go with the given ones, by the detail pages that were crawled.
pub(super) fn expand(project: &Project, look: &Look, given: &[String]) -> anyhow::Result<ExpansionView> {
    let Some(site) = project.site()? else {
        bail!(UsageError("tags are read from pages of a learned site; run `osprey learn` first".to_owned()));
    };
    let rules = &project.resolved.settings.page_rules;
    let (tags, pages) = look.with(|crawl| votes(crawl, &site, rules))?;
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    if given.iter().all(|tag| tags.count(tag) == 0) {
        let message = format!("no page has the tag `{}` among {pages} that were crawled", given.join("`, `"));
        bail!(UsageError(message));
    }
    let expansion = tags.expand(&given, &CoTagRules::default());
    let tags = expansion.tags.into_iter();
    Ok(ExpansionView {
        pages,
        tags: tags
            .map(|tag| TagView { tag: tag.tag, votes: tag.votes, phi: tag.phi, layer: tag.layer })
            .collect(),
        left_out: expansion
            .left
            .into_iter()
            .map(|left| LeftOutView { tag: left.tag, votes: left.votes, why: left.why.to_string() })
            .collect(),
    })
}

/// Terms of example pages that were crawled, ranked against other pages that were.
pub(super) fn terms(
    project: &Project,
    look: &Look,
    genre: &[String],
    relevant: &[String],
) -> anyhow::Result<TermsView> {
    let genre = pages(project, look, genre)?;
    let relevant = pages(project, look, relevant)?;
    let background = look.with(|crawl| usual(crawl, &project.resolved.settings.page_rules))?;
    let genre: Vec<&str> = genre.iter().map(Page::text).collect();
    let relevant: Vec<&str> = relevant.iter().map(Page::text).collect();
    let how_many = HowMany { genre: TERMS, content: TERMS };
    let terms = generate(&genre, &relevant, how_many, Ranking::Against(&background));
    let view = |list: Vec<Proposal>| {
        let terms = list.into_iter();
        terms.map(|term| TermView { term: term.text, frequency: term.frequency, score: term.score }).collect()
    };
    Ok(TermsView { genre: view(terms.genre), content: view(terms.content) })
}

fn pages(project: &Project, look: &Look, urls: &[String]) -> anyhow::Result<Vec<Page>> {
    let rules = &project.resolved.settings.page_rules;
    let mut pages = Vec::new();
    for text in urls {
        let url = CanonicalUrl::parse(text, &rules.url)
            .map_err(|problem| UsageError(format!("`{text}`: {problem}")))?;
        let page = look.with(|crawl| {
            let Some(visit) = crawl.visit(&url)? else { return Ok(None) };
            Ok(crawl.response(&visit)?.map(|response| read_page(&response, rules)))
        })?;
        pages.push(page.ok_or_else(|| UsageError(format!("{url}: was not crawled")))?);
    }
    Ok(pages)
}
