//! Pages that the user names: examples of what is wanted, pages to take terms from.
//!
//! They are fetched by a small crawl of their own in `data/given/`, of these URLs only: by the same robots rules, guards
//! and manners, from the same source, and once. So a crawl that is resumed starts from the very pages it started from.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use osprey_crawl::{Budget, Inspection, Settings, Standing, Steering, Stop};
use osprey_model::{CanonicalUrl, Scope, ScopeKind};
use osprey_page::{Page, read_page};
use osprey_steer::{Example, JudgeKind, Known, Plan, PolicyKind, Subject};

use crate::cli::UsageError;
use crate::drive::{Drive, Interrupted};
use crate::output::Output;
use crate::project::Project;

/// Pages of a project that somebody named.
pub(crate) struct GivenPages<'a> {
    project: &'a Project,
    dir: PathBuf,
}

impl<'a> GivenPages<'a> {
    pub(crate) fn of(project: &'a Project) -> Self {
        Self { project, dir: project.data().join("given") }
    }

    /// The pages at `urls`, in that order; those that are not there are fetched. `key` is who named them. A page that is named
    /// twice, or that repeats another of them, is one page: it counts once, which is said.
    pub(crate) fn fetch(
        &self,
        key: &str,
        urls: &[String],
        stop: &AtomicBool,
        output: &Output,
    ) -> anyhow::Result<Vec<Page>> {
        if urls.is_empty() {
            return Ok(Vec::new());
        }
        let urls = self.parse(key, urls)?;
        if self.stored(&urls)?.is_none_or(|pages| pages.iter().any(Option::is_none)) {
            self.crawl(&urls, stop, output)?;
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
                output.say(format!("`{key}`: {url} is the same page as {}: it counts once", twin.url()));
                continue;
            }
            let Some(page) = page else {
                bail!(UsageError(format!(
                    "`{key}`: {url}: {}; name another page, or delete {} to try again",
                    self.why(url, &settings)?,
                    self.dir.display()
                )));
            };
            found.push(page);
        }
        Ok(found)
    }

    /// What a crawl may know beforehand, examples among it.
    pub(crate) fn known(&self, stop: &AtomicBool, output: &Output) -> anyhow::Result<Known> {
        let mut known = self.project.known()?;
        if self.project.resolved.takes_examples() {
            let Subject { examples, counter_examples, .. } = self.project.resolved.subject();
            let lists =
                [("topic.examples", examples, true), ("topic.counter_examples", counter_examples, false)];
            for (key, urls, is_wanted) in lists {
                let pages = self.fetch(key, urls, stop, output)?;
                if let Some(both) = pages.iter().find(|page| known.is_example(page)) {
                    let url = both.url();
                    bail!(UsageError(format!(
                        "`{key}`: {url} is given in `topic.examples` too: which is it?"
                    )));
                }
                let examples = pages.into_iter().map(|page| Example { page: Arc::new(page), is_wanted });
                known.examples.extend(examples);
            }
        }
        Ok(known)
    }

    /// The same without fetching anything: for those who only look.
    pub(crate) fn known_already(&self) -> anyhow::Result<Known> {
        let mut known = self.project.looked_at()?;
        let Subject { examples, counter_examples, .. } = self.project.resolved.subject();
        for (urls, is_wanted) in [(examples, true), (counter_examples, false)] {
            let pages = self.stored(&self.parse("topic.examples", urls)?)?.unwrap_or_default();
            let pages = pages.into_iter().flatten();
            known.examples.extend(pages.map(|page| Example { page: Arc::new(page), is_wanted }));
        }
        Ok(known)
    }

    fn parse(&self, key: &str, urls: &[String]) -> anyhow::Result<Vec<CanonicalUrl>> {
        let rules = &self.project.resolved.settings.page_rules.url;
        let parse = |url: &String| {
            let wrong = |problem| UsageError(format!("`{key}`: `{url}`: {problem}")).into();
            CanonicalUrl::parse(url, rules).map_err(wrong)
        };
        urls.iter().map(parse).collect()
    }

    /// These URLs and nothing else, wherever they are.
    fn settings(&self, urls: &[CanonicalUrl]) -> anyhow::Result<Settings> {
        let mut settings = self.project.resolved.settings.clone();
        settings.seeds = urls.to_vec();
        settings.scope = Scope::new(ScopeKind::Any, urls, &[], &[])?;
        settings.budget = Budget { depth: Some(0), ..Budget::default() };
        settings.sitemaps = false;
        Ok(settings)
    }

    fn crawl(&self, urls: &[CanonicalUrl], stop: &AtomicBool, output: &Output) -> anyhow::Result<()> {
        let plan = Plan { policy: PolicyKind::BreadthFirst {}, subject: Subject::default() };
        let steering = Steering::of(&plan, &JudgeKind::None {}, &Known::default())?;
        let drive = Drive {
            project: self.project,
            data: &self.dir,
            settings: self.settings(urls)?,
            steering,
            revisit: None,
        };
        match drive.run(stop, output)?.stopped_by {
            Stop::Interrupt => bail!(Interrupted),
            Stop::Budget | Stop::Empty => Ok(()),
        }
    }

    /// The pages at `urls`, as far as they were fetched; `None` if nothing was.
    fn stored(&self, urls: &[CanonicalUrl]) -> anyhow::Result<Option<Vec<Option<Page>>>> {
        if !self.dir.exists() {
            return Ok(None);
        }
        let settings = &self.project.resolved.settings;
        let crawl = Inspection::open(&self.dir, &settings.frontier, Inspection::PATIENCE)?;
        let visits = crawl.pages()?;
        let page = |url: &CanonicalUrl| {
            let found =
                visits.iter().find(|found| found.asked == url.as_str() || found.visit.url == url.as_str());
            let response = found.map(|found| crawl.response(&found.visit)).transpose()?.flatten();
            anyhow::Ok(response.map(|response| read_page(&response, &settings.page_rules)))
        };
        urls.iter().map(page).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// The page that the one at `url` repeats.
    fn original(&self, url: &CanonicalUrl, settings: &Settings) -> anyhow::Result<Option<Page>> {
        let crawl = Inspection::open(&self.dir, &settings.frontier, Inspection::PATIENCE)?;
        let Standing::Visited(row) = crawl.standing(url, settings)? else { return Ok(None) };
        drop(crawl);
        let original = row.duplicate_of.as_deref().map(CanonicalUrl::from_stored).transpose()?;
        let pages = original.map(|original| self.stored(&[original])).transpose()?.flatten();
        Ok(pages.into_iter().flatten().flatten().next())
    }

    /// Why a page is not there.
    fn why(&self, url: &CanonicalUrl, settings: &Settings) -> anyhow::Result<String> {
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
                format!("it is no HTML page but {}", row.media_type.as_deref().unwrap_or("something else"))
            }
            Standing::Known(link) => match link.dropped() {
                Some(skip) => format!("left alone ({})", skip.name()),
                None => "could not be fetched".to_owned(),
            },
            Standing::Refused(skip, words) => format!("{} ({})", words, skip.name()),
            Standing::Unknown => "could not be fetched".to_owned(),
        })
    }
}
