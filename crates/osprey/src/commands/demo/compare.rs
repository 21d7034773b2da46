//! Compares the results of both crawls.
//!
//! On a real site only the judge can measure relevance. A simulated site knows the truth about its pages, which no
//! crawler sees; the table shows it beside the judge's figures.

use std::collections::BTreeMap;
use std::fmt::Write;

use osprey_engine::{duration, grouped};
use osprey_model::{CanonicalUrl, PageType};
use osprey_world::World;
use serde::Serialize;

use super::TOPIC;
use super::projects::{Projects, Role};
use super::site::DemoSite;

/// What a crawl found.
#[derive(Clone, Debug, Serialize)]
struct Brought {
    visited: u64,
    /// By the judge.
    relevant: u64,
    harvest_ratio: f64,
    /// Photos that in truth are of the topic.
    of_topic: u64,
    pictures: u64,
    /// What can be searched.
    documents: u64,
}

/// What `osprey demo --json` ends with.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Comparison {
    /// All of these are figures of a simulated site.
    simulated: bool,
    site: String,
    topic: Vec<String>,
    /// Photos of the topic that the site has.
    photos_of_topic: u64,
    crawls: BTreeMap<&'static str, Brought>,
    seconds: f64,
    /// Where the search UI is, if it is served.
    pub(super) address: Option<String>,
}

impl Comparison {
    pub(super) fn of(projects: &Projects, site: &DemoSite, seconds: f64) -> anyhow::Result<Self> {
        let truth = Truths::of(&site.world);
        let mut crawls = BTreeMap::new();
        for role in Role::BOTH {
            crawls.insert(role.name(), brought(projects, role, &truth)?);
        }
        let parse = |url: String| CanonicalUrl::from_stored(&url).ok();
        let photos_of_topic =
            site.world.pages().filter_map(parse).filter(|url| truth.holds(url)).count() as u64;
        let (site, topic) = (site.seed(), projects.tags(Role::Profile)?);
        Ok(Self { simulated: true, site, topic, photos_of_topic, crawls, seconds, address: None })
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "simulated site {}, topic {TOPIC} ({} tags), {} photos of it; all done in {}\n\n",
            self.site,
            self.topic.len(),
            grouped(self.photos_of_topic),
            duration(self.seconds)
        );
        // writing to a String cannot fail
        let _ = writeln!(
            text,
            "{:<14} {:>7} {:>9} {:>14} {:>16} {:>9} {:>10}",
            "policy", "pages", "relevant", "harvest ratio", "on topic (truth)", "pictures", "documents"
        );
        for role in Role::BOTH {
            let Some(brought) = self.crawls.get(role.name()) else { continue };
            let _ = writeln!(
                text,
                "{:<14} {:>7} {:>9} {:>14.3} {:>16} {:>9} {:>10}",
                role.name(),
                grouped(brought.visited),
                grouped(brought.relevant),
                brought.harvest_ratio,
                grouped(brought.of_topic),
                grouped(brought.pictures),
                grouped(brought.documents)
            );
        }
        if let Some(address) = &self.address {
            let _ = writeln!(
                text,
                "\nsearch it at {address} (press Ctrl-C to stop; run the same command to start it again)"
            );
        }
        text
    }
}

fn brought(projects: &Projects, role: Role, truth: &Truths<'_>) -> anyhow::Result<Brought> {
    let project = projects.project(role)?;
    let tally = project.status()?.tally;
    let urls = project.fetched_pages()?;
    let urls = urls.iter().filter_map(|url| CanonicalUrl::from_stored(url).ok());
    Ok(Brought {
        visited: tally.visited,
        relevant: tally.relevant,
        harvest_ratio: tally.harvest_ratio(),
        of_topic: urls.filter(|url| truth.holds(url)).count() as u64,
        pictures: tally.pictures.fetched - tally.pictures.failed,
        documents: projects.documents(role)?,
    })
}

/// Which pages are wanted in truth.
struct Truths<'a> {
    world: &'a World,
    /// The name of the topic, as the site's truth has it.
    topic: Option<String>,
}

impl<'a> Truths<'a> {
    fn of(world: &'a World) -> Self {
        let is_ours =
            |topic: &osprey_world::WorldTopic| topic.terms.first().is_some_and(|term| term == TOPIC);
        let topic = world.topics().into_iter().find(is_ours).map(|topic| topic.name);
        Self { world, topic }
    }

    fn holds(&self, url: &CanonicalUrl) -> bool {
        self.world.truth(url).zip(self.topic.as_ref()).is_some_and(|(truth, topic)| {
            truth.page_type == PageType::Detail
                && truth.waste.is_none()
                && truth.duplicate_of.is_none()
                && truth.topics.contains(topic)
        })
    }
}
