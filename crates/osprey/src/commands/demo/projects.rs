//! The two projects: the same site, topic, judge and budget, different policies. The demo writes their `osprey.toml`
//! once, for the user to read and edit, and reads it from then on.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use osprey_engine::{Collection, Layout, Project, Topic, counted};
use osprey_model::PageType;

use super::TOPIC;
use super::site::DemoSite;
use crate::cli::UsageError;
use crate::output::write_whole;

/// The default page budget of each crawl.
pub(super) const PAGES: u64 = 3000;
/// The most pages that the site is learned from.
const SAMPLE: u64 = 600;

/// What a project is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Looks at who uploads what.
    Profile,
    /// Takes links as they come.
    BreadthFirst,
}

impl Role {
    pub(super) const BOTH: [Self; 2] = [Self::Profile, Self::BreadthFirst];

    /// The name of the policy, and of the project's folder.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::BreadthFirst => "breadth-first",
        }
    }

    fn idea(self) -> &'static str {
        match self {
            Self::Profile => {
                "# `profile` looks at who uploaded a photo: it fetches the photos of people whose tags, sets and groups\n\
                 # (and contacts) are about the topic first. It needs a learned site: `osprey learn` was run here."
            }
            Self::BreadthFirst => {
                "# `breadth-first` takes links in the order they are found: what a crawler without a policy does, to\n\
                 # compare with. The judge below counts the same pages for both."
            }
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The folder with both.
pub(super) struct Projects {
    dir: PathBuf,
}

impl Projects {
    /// Opens the projects in `dir`; writes what is missing.
    pub(super) fn open(dir: &Path, site: &DemoSite, pages: Option<u64>) -> anyhow::Result<Self> {
        let projects = Self { dir: dir.to_owned() };
        for role in Role::BOTH {
            let (folder, path) = (projects.dir(role), Layout::of(&projects.dir(role)).config());
            if !path.exists() {
                fs::create_dir_all(&folder)
                    .with_context(|| format!("{}: cannot be created", folder.display()))?;
                write_whole(&path, template(role, &site.seed(), pages.unwrap_or(PAGES)).as_bytes())?;
            }
        }
        let budget = projects.budget()?;
        if let Some(pages) = pages.filter(|pages| *pages != budget) {
            bail!(UsageError(format!(
                "--pages `{pages}`: the projects in {} were made for {budget}; change `crawl.budget_pages` in both, or \
                 give another folder with --dir",
                dir.display()
            )));
        }
        Ok(projects)
    }

    /// The folder of a project.
    pub(super) fn dir(&self, role: Role) -> PathBuf {
        self.dir.join(role.name())
    }

    /// A project as its configuration is now.
    pub(super) fn project(&self, role: Role) -> anyhow::Result<Project> {
        Ok(Project::open(self.dir(role))?)
    }

    /// Pages that a crawl may fetch.
    pub(super) fn budget(&self) -> anyhow::Result<u64> {
        Ok(self.project(Role::Profile)?.budget().unwrap_or(PAGES))
    }

    /// The topic's tags.
    pub(super) fn tags(&self, role: Role) -> anyhow::Result<Vec<String>> {
        Ok(self.project(role)?.topic()?.tags)
    }

    /// Writes the topic's tags into a project's configuration.
    pub(super) fn write_tags(&self, role: Role, tags: &[String]) -> anyhow::Result<()> {
        let project = self.project(role)?;
        Ok(project.set_topic(&Topic { tags: tags.to_vec(), ..project.topic()? })?)
    }

    /// What kinds of page were learned, in words.
    pub(super) fn learned(&self) -> anyhow::Result<String> {
        let sitemap = self.project(Role::Profile)?.sitemap()?.unwrap_or_default();
        let count = |label| sitemap.types.iter().filter(|entry| entry.label == label).count();
        let pages: u64 = sitemap.types.iter().map(|entry| entry.pages as u64).sum();
        Ok(format!(
            "{} among {}: {} of photos and other details, {} of profiles, {} of lists",
            counted(sitemap.types.len() as u64, "page type"),
            counted(pages, "page"),
            count(PageType::Detail),
            count(PageType::Profile),
            count(PageType::List)
        ))
    }

    /// How many documents can be searched.
    pub(super) fn documents(&self, role: Role) -> anyhow::Result<u64> {
        Ok(Collection::of(self.dir(role)).searcher()?.len())
    }
}

/// The configuration of a project, with everything that it sets explained.
fn template(role: Role, seed: &str, pages: u64) -> String {
    let sample = (pages / 2).clamp(1, SAMPLE);
    format!(
        r#"# A project of `osprey demo`: what is wanted. What Osprey knows and got is in data/. Change what you like and type
#   osprey learn DIR    osprey crawl DIR    osprey index DIR    osprey serve DIR
# while `osprey demo` runs, since it serves the site. Every key is checked; docs/configuration.md has them all.

[crawl]
seeds = ["{seed}"]   # a simulated photo site, on this machine
scope = "domain"           # what may be touched, seen from the seeds: host | domain | prefix | any
budget_pages = {pages}        # raise it, and the next crawl continues
random_seed = 1            # seed of the random number generator

# Where pages come from: http, though the site is of this machine; replay and world need no network at all.
[source]
kind = "http"

# Politeness and limits. On the real Web leave the delay at a second, the concurrency at one for each host, and
# addresses of your own machine alone: those are the defaults.
[fetch]
user_agent = "osprey-demo/{version} (+{seed})"   # on the Web: a way to reach you
allow_private = true       # this machine's own addresses may be fetched
host_delay_ms = 0
host_concurrency = 8
concurrency = 16

# How many pages `osprey learn` looks at to find the kinds of page, how they link, and what can be read from them.
[structure]
sample_pages = {sample}

# What you are after. `osprey topic DIR expand {TOPIC}` finds the tags that go with the first one.
[topic]
tags = ["{TOPIC}"]

{idea}
[policy]
kind = "{role}"

# What counts as relevant: photos and other details that carry a tag of the topic.
[judge]
kind = "all"
of = [{{ kind = "tags" }}, {{ kind = "page-type", types = ["detail"] }}]

# Pictures of relevant pages are fetched and looked at, so that they can be searched by colour and texture.
[vision]
pictures = "records"
pictures_per_page = 1

"#,
        version = env!("CARGO_PKG_VERSION"),
        idea = role.idea(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_used() {
        for role in Role::BOTH {
            let text = template(role, "http://www.photo.localhost:8790/", 1000);
            let folder = tempfile::tempdir().unwrap();
            fs::write(Layout::of(folder.path()).config(), &text).unwrap();
            let project = Project::open(folder.path()).unwrap();
            assert_eq!(project.policy(), role.name());
            assert_eq!((project.budget(), text.contains("sample_pages = 500")), (Some(1000), true));
            assert_eq!((project.topic().unwrap().tags, project.notices().len()), (vec![TOPIC.to_owned()], 0));
        }
    }
}
