//! Pages that the user names: example pages, and pages to take terms from.
//!
//! A small crawl in `data/given/` fetches these URLs only, once, from the same source and with the same robots rules,
//! guards and politeness. So a resumed crawl starts from the same pages.

use osprey_crawl::{Budget, Inspection, Settings, Standing, Steering};
use osprey_model::{CanonicalUrl, Scope, ScopeKind};
use osprey_page::Page;
use osprey_steer::{Example, JudgeKind, Known, Plan, PolicyKind, Subject};
use std::path::PathBuf;
use std::sync::Arc;

use crate::captures::Captures;
use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::project::Project;
use crate::run::Run;

/// Pages of a project that the user named.
pub(crate) struct ExamplePages<'a> {
    project: &'a Project,
    dir: PathBuf,
}

impl<'a> ExamplePages<'a> {
    pub(crate) fn of(project: &'a Project) -> Self {
        Self { project, dir: project.layout().example_pages() }
    }

    /// The pages at `urls`, in that order; those that are not there are fetched. `key` is who named them. A page that is named
    /// twice, or that repeats another of them, is one page: it counts once, which is said.
    pub(crate) fn fetch(&self, key: &str, urls: &[String], control: Control<'_>) -> Result<Vec<Page>> {
        if urls.is_empty() {
            return Ok(Vec::new());
        }
        let urls = self.parse(key, urls)?;
        if self.stored(&urls)?.is_none_or(|pages| pages.iter().any(Option::is_none)) {
            self.crawl(&urls, control)?;
        }
        let pages = self.stored(&urls)?.unwrap_or_default();
        let settings = self.settings(&urls)?;
        let mut found: Vec<Page> = Vec::new();
        for (url, page) in urls.iter().zip(pages) {
            let page = match page {
                Some(page) => Some(page),
                None => self.original(url, &settings)?,
            };
            if let Some(twin) =
                page.as_ref().and_then(|page| found.iter().find(|known| known.url() == page.url()))
            {
                control.note(format!("`{key}`: {url} is the same page as {}: it counts once", twin.url()));
                continue;
            }
            let Some(page) = page else {
                return Err(Error::Usage(format!(
                    "`{key}`: {url}: {}; name another page, or run the command again to try this one again",
                    self.why(url, &settings)?
                )));
            };
            found.push(page);
        }
        Ok(found)
    }

    /// What a crawl may know beforehand, examples among it.
    pub(crate) fn known(&self, control: Control<'_>) -> Result<Known> {
        let mut known = self.project.known()?;
        if self.project.resolved.takes_examples() {
            let Subject { examples, counter_examples, .. } = self.project.resolved.subject();
            let lists =
                [("topic.examples", examples, true), ("topic.counter_examples", counter_examples, false)];
            for (key, urls, is_wanted) in lists {
                let pages = self.fetch(key, urls, control)?;
                if let Some(both) = pages.iter().find(|page| known.is_example(page)) {
                    let url = both.url();
                    return Err(Error::Usage(format!(
                        "`{key}`: {url} is in `topic.examples` too; remove it from one of the two"
                    )));
                }
                let examples = pages.into_iter().map(|page| Example { page: Arc::new(page), is_wanted });
                known.examples.extend(examples);
            }
        }
        known.rated = self.project.rated_pages(|note| control.note(note))?;
        Ok(known)
    }

    /// The same without fetching anything: for those who only look.
    pub(crate) fn known_already(&self) -> Result<Known> {
        let mut known = self.project.known_with_people()?;
        let Subject { examples, counter_examples, .. } = self.project.resolved.subject();
        for (urls, is_wanted) in [(examples, true), (counter_examples, false)] {
            let pages = self.stored(&self.parse("topic.examples", urls)?)?.unwrap_or_default();
            let pages = pages.into_iter().flatten();
            known.examples.extend(pages.map(|page| Example { page: Arc::new(page), is_wanted }));
        }
        known.rated = self.project.rated_pages(|_| {})?;
        Ok(known)
    }

    fn parse(&self, key: &str, urls: &[String]) -> Result<Vec<CanonicalUrl>> {
        let rules = &self.project.resolved.settings.page_rules.url;
        let parse = |url: &String| {
            let wrong = |problem| Error::Usage(format!("`{key}`: `{url}`: {problem}"));
            CanonicalUrl::parse(url, rules).map_err(wrong)
        };
        urls.iter().map(parse).collect()
    }

    /// These URLs and nothing else, wherever they are.
    fn settings(&self, urls: &[CanonicalUrl]) -> Result<Settings> {
        let mut settings = self.project.resolved.settings.clone();
        settings.seeds = urls.to_vec();
        settings.scope =
            Scope::new(ScopeKind::Any, urls, &[], &[]).map_err(|error| Error::failed(error.to_string()))?;
        settings.budget = Budget { depth: Some(0), ..Budget::default() };
        settings.sitemaps = false;
        Ok(settings)
    }

    fn crawl(&self, urls: &[CanonicalUrl], control: Control<'_>) -> Result<()> {
        let plan = Plan { policy: PolicyKind::BreadthFirst {}, subject: Subject::default() };
        let steering = Steering::of(&plan, &JudgeKind::None {}, &Known::default())?;
        let settings = self.settings(urls)?;
        Run::aside(self.project, &self.dir, settings, steering).run_whole(control)?;
        Ok(())
    }

    /// The pages at `urls`, as far as they were fetched; `None` if nothing was.
    fn stored(&self, urls: &[CanonicalUrl]) -> Result<Option<Vec<Option<Page>>>> {
        if !Captures::exist(&self.dir) {
            return Ok(None);
        }
        let captures = Captures::open(&self.dir, &self.project.resolved.settings)?;
        let (visits, _) = captures.pages()?;
        let page = |url: &CanonicalUrl| {
            let found =
                visits.iter().find(|found| found.asked == url.as_str() || found.visit.url == url.as_str());
            found.and_then(|found| captures.page(&found.visit))
        };
        Ok(Some(urls.iter().map(page).collect()))
    }

    /// The page that the one at `url` repeats.
    fn original(&self, url: &CanonicalUrl, settings: &Settings) -> Result<Option<Page>> {
        let crawl = Inspection::open(&self.dir, &settings.frontier, Inspection::PATIENCE)?;
        let Standing::Visited(row) = crawl.standing(url, settings)? else { return Ok(None) };
        drop(crawl);
        let original =
            row.duplicate_of.as_deref().map(CanonicalUrl::from_stored).transpose().context("a stored URL")?;
        let pages = original.map(|original| self.stored(&[original])).transpose()?.flatten();
        Ok(pages.into_iter().flatten().flatten().next())
    }

    /// Why a page is not there.
    fn why(&self, url: &CanonicalUrl, settings: &Settings) -> Result<String> {
        let crawl = Inspection::open(&self.dir, &settings.frontier, Inspection::PATIENCE)?;
        Ok(match crawl.standing(url, settings)? {
            Standing::Visited(row) if row.duplicate_of.is_some() => {
                "it repeats a page that is no longer there".to_owned()
            }
            Standing::Visited(row) if row.is_failure() => match row.status {
                0 => format!("no answer ({})", row.notes.join("; ")),
                status => format!("status {status}"),
            },
            Standing::Visited(row) => {
                format!(
                    "it is not an HTML page but {}",
                    row.media_type.as_deref().unwrap_or("something else")
                )
            }
            Standing::Known(link) => match link.dropped() {
                Some(skip) => format!("skipped ({})", skip.name()),
                None => "could not be fetched".to_owned(),
            },
            Standing::Refused(skip, words) => format!("{} ({})", words, skip.name()),
            Standing::Unknown => "could not be fetched".to_owned(),
        })
    }
}
