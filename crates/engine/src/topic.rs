//! The topic of a project: reads it from and writes it to `osprey.toml`, and finds related tags by counting which tags
//! users of the site put on the same items.
//!
//! Tags are counted on detail pages: those that were crawled, or those of a separate breadth-first crawl in
//! `data/cotags/`. Reading tags from pages needs a learned site.

use std::path::PathBuf;
use std::sync::Arc;

use osprey_crawl::{Budget, PictureRules, Steering};
use osprey_steer::cotag::{CoTagRules, CoTags, Expansion};
use osprey_steer::{JudgeKind, Known, Plan, PolicyKind, Subject};
use osprey_structure::Site;
use osprey_structure::extract::RecordKind;
use serde::{Deserialize, Serialize};

use crate::captures::Captures;
use crate::config;
use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::project::Project;
use crate::run::{Run, announce};

/// What a project is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Topic {
    /// Tags.
    pub tags: Vec<String>,
    /// Terms of the wanted kind of page.
    pub genre_terms: Vec<String>,
    /// Terms of the wanted content.
    pub content_terms: Vec<String>,
}

/// Where tags are looked for.
#[derive(Clone, Copy, Debug)]
pub enum TagPages {
    /// So many pages, fetched for this alone.
    Fetch(u64),
    /// What the project has crawled.
    Crawled,
}

/// A topic that was expanded, and what voted.
#[derive(Debug)]
pub struct ExpandedTopic {
    /// The tags, and those that were left out.
    pub expansion: Expansion,
    /// Different sets of tags that voted.
    pub tag_sets: u64,
    /// Detail pages that were looked at.
    pub details: u64,
}

impl ExpandedTopic {
    /// The topic's tags, the given ones first.
    pub fn tags(&self) -> Vec<String> {
        self.expansion.tags.iter().map(|tag| tag.tag.clone()).collect()
    }
}

impl Project {
    /// What the project is about, as its file says.
    pub fn topic(&self) -> Result<Topic> {
        let topic = config::load(&self.layout().config())?.topic;
        let config::written::TopicSection { tags, genre_terms, content_terms, .. } = topic;
        Ok(Topic { tags, genre_terms, content_terms })
    }

    /// Writes what the project is about into its file and leaves everything else as it stands there. A file that could not be
    /// used any more is not written.
    pub fn set_topic(&self, topic: &Topic) -> Result<()> {
        let path = self.layout().config();
        let mut text = std::fs::read_to_string(&path).with_context(|| path.display())?;
        let now = self.topic()?;
        let lists = [
            ("tags", &topic.tags, now.tags),
            ("genre_terms", &topic.genre_terms, now.genre_terms),
            ("content_terms", &topic.content_terms, now.content_terms),
        ];
        for (key, values, now) in lists {
            if *values != now {
                let changed = config::set_list(&text, "topic", key, values);
                let wrong = || Error::Usage(format!("{}: `topic`: expected a section", path.display()));
                text = changed.ok_or_else(wrong)?;
            }
        }
        config::typed(&text, &path)?.resolve(&path)?;
        Ok(osprey_files::write_durably(&path, text)?)
    }

    /// Finds the tags that go with the given ones.
    pub fn expand_topic(
        &self,
        given: &[String],
        pages: TagPages,
        control: Control<'_>,
    ) -> Result<ExpandedTopic> {
        let Some(site) = self.site()? else {
            let dir = self.layout().dir().display();
            let message =
                format!("tags are read from pages of a learned site; run `osprey learn {dir}` first");
            return Err(Error::Usage(message));
        };
        let site = Arc::new(site);
        let data = match pages {
            TagPages::Crawled => self.layout().data().to_owned(),
            TagPages::Fetch(pages) => self.fetch_tag_pages(&site, pages, control)?,
        };
        let (votes, details) = votes(&Captures::open(&data, &self.resolved.settings)?, &site)?;
        if votes.pictures() == 0 {
            return Err(Error::Usage(format!(
                "{details} detail pages were looked at and none has tags; does `osprey learn` propose a rule for `tags` \
                 (see [extract] in osprey.toml)?"
            )));
        }
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let unknown: Vec<&str> = given.iter().copied().filter(|tag| votes.count(tag) == 0).collect();
        if unknown.len() == given.len() {
            return Err(Error::NotFound(format!(
                "no page has the tag `{}` among {} with tags; look at more pages (--pages), begin nearer (crawl.seeds), \
                 or give another tag",
                unknown.join("`, `"),
                votes.pictures()
            )));
        }
        let expansion = votes.expand(&given, &CoTagRules::default());
        Ok(ExpandedTopic { expansion, tag_sets: votes.pictures() as u64, details })
    }

    /// Crawls breadth-first, or goes on with that; where it is.
    fn fetch_tag_pages(&self, site: &Arc<Site>, pages: u64, control: Control<'_>) -> Result<PathBuf> {
        let data = self.layout().tag_pages();
        announce(self, control);
        let mut settings = self.resolved.settings.clone();
        settings.budget = Budget { pages: Some(pages), ..settings.budget };
        // tags are words: what pictures look like is not asked
        settings.pictures = PictureRules::none();
        let plan = Plan { policy: PolicyKind::BreadthFirst {}, subject: Subject::default() };
        let known = Known { site: Some(Arc::clone(site)), examples: Vec::new() };
        let steering = Steering::of(&plan, &JudgeKind::None {}, &known)?;
        Run::aside(self, &data, settings, steering).run_whole(control)?;
        Ok(data)
    }
}

/// The tags of all detail pages, and how many there were.
fn votes(captures: &Captures, site: &Site) -> Result<(CoTags, u64)> {
    let (mut tags, mut details) = (CoTags::default(), 0);
    captures.records(site, |_, record| {
        if record.kind == RecordKind::Detail {
            details += 1;
            tags.add(&record.tags);
        }
    })?;
    Ok((tags, details))
}
