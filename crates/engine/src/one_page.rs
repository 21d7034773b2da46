//! Fetches one page of the live Web, with the same robots rules, guards and limits as a crawl.

use osprey_fetch::{FetchOptions, HttpSource};
use osprey_model::robots::{Robots, RobotsAnswer};
use osprey_model::{CanonicalUrl, Exchange, Permitted, Request, Response, Source};
use osprey_page::PageRules;
use tokio::runtime::Runtime;

use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::project::Project;
use crate::source::SourceKind;

/// Redirects followed, and those of a robots.txt.
const MAX_HOPS: usize = 10;
const MAX_ROBOTS_HOPS: usize = 5;

/// A fetcher for one page.
pub struct OnePage {
    source: HttpSource,
    runtime: Runtime,
    rules: PageRules,
    agent: String,
    obey_robots: bool,
}

impl OnePage {
    /// As a project says, or with defaults; loopback and intranet addresses only if they are allowed.
    pub fn new(project: Option<Project>, allow_private: bool) -> Result<Self> {
        let (mut options, rules, obey_robots) = match project {
            None => (FetchOptions::default(), PageRules::default(), true),
            Some(project) => {
                let settings = project.resolved.settings;
                let options = match project.resolved.source {
                    SourceKind::Http(options) => *options,
                    _ => FetchOptions { user_agent: settings.agent.clone(), ..FetchOptions::default() },
                };
                (options, settings.page_rules, settings.obey_robots)
            }
        };
        options.allow_private |= allow_private;
        let agent = options.user_agent.clone();
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().context("threads")?;
        Ok(Self { source: HttpSource::new(options).context("[fetch]")?, runtime, rules, agent, obey_robots })
    }

    /// How pages are read.
    pub fn rules(&self) -> &PageRules {
        &self.rules
    }

    /// Fetches `text`, following redirects.
    pub fn fetch(&self, text: &str, control: Control<'_>) -> Result<Response> {
        let mut url =
            CanonicalUrl::parse(text, &self.rules.url).map_err(|problem| Error::url(text, problem))?;
        for _ in 0..=MAX_HOPS {
            let robots = self.robots(&url)?;
            let Some(target) = robots.permit(&url) else {
                return Err(Error::Failed(format!("{url}: {}", robots.explain(&url))));
            };
            let response = self.ask(target)?;
            let Some(location) = response.location() else { return Ok(response) };
            let next = url
                .join(location, &self.rules.url)
                .map_err(|problem| Error::Failed(format!("{url}: redirects to `{location}`: {problem}")))?;
            control.note(format!("{} {url} -> {next}", response.status));
            url = next;
        }
        Err(Error::Failed(format!("{text}: more than {MAX_HOPS} redirects")))
    }

    fn robots(&self, url: &CanonicalUrl) -> Result<Robots> {
        if !self.obey_robots {
            return Ok(Robots::allow_all());
        }
        let mut target = Permitted::robots_txt(url);
        for _ in 0..=MAX_ROBOTS_HOPS {
            let response = self.ask(target.clone()).context("robots.txt")?;
            let next = response.location().and_then(|to| target.url().join(to, &self.rules.url).ok());
            match next.and_then(|to| target.robots_redirect(to)) {
                Some(next) => target = next,
                None => {
                    return match RobotsAnswer::of(&response, &self.agent) {
                        RobotsAnswer::Unreachable => Err(Error::Failed(format!(
                            "{}: status {}{}: nothing of this host may be fetched for now",
                            target.url(),
                            response.status,
                            if response.truncated { ", incomplete" } else { "" }
                        ))),
                        answer => Ok(answer.into_rules()),
                    };
                }
            }
        }
        Ok(Robots::allow_all())
    }

    fn ask(&self, target: Permitted) -> Result<Response> {
        match self.runtime.block_on(self.source.fetch(Request::new(target))) {
            Exchange::Answered(response) => Ok(response),
            Exchange::Failed(failure) => {
                Err(Error::Failed(format!("{}: {}: {}", failure.url, failure.kind, failure.message)))
            }
        }
    }
}
