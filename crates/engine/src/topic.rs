//! The topic of a project: reads it from and writes it to `osprey.toml`, and finds related tags by counting which tags
//! users of the site put on the same items.
//!
//! Tags are counted on detail pages: those that were crawled, or those of a separate crawl for the given tags in a folder
//! of `data/cotags/` (the policy `tag-pages`). Chance is measured on the pages that the site was learned from, which
//! nobody chose by a topic. Reading tags from pages needs a learned site.
//!
//! The records of those separate crawls are what `osprey crawl` knows of people when it begins ([`Project::stage_one`]).

use std::path::PathBuf;
use std::sync::Arc;

use osprey_archive::Damage;
use osprey_crawl::{Budget, PictureRules, Steering};
use osprey_steer::cotag::{CoTagRules, CoTags, Expansion, folded};
use osprey_steer::{JudgeKind, Known, Plan, PolicyKind, Subject};
use osprey_structure::Site;
use osprey_structure::extract::{Record, RecordKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::captures::Captures;
use crate::config;
use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::project::Project;
use crate::run::{Run, announce, dead_start};
use crate::words::{counted, damage_line, grouped};

/// Pictures with tags that say what is usual on a site, at least.
const MIN_BACKGROUND: usize = 50;
/// Records of crawls for tags that a crawl takes over.
const MAX_RECORDS: usize = 20_000;

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
    /// What of the pages could not be read, and so did not vote.
    pub damage: Damage,
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
        rules: &CoTagRules,
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
            TagPages::Fetch(pages) => self.fetch_tag_pages(&site, given, pages, control)?,
        };
        let captures = Captures::open(&data, &self.resolved.settings)?;
        let (votes, details) = votes(&captures, &site)?;
        if votes.pictures() == 0 {
            let unread = damage_line(&captures.damage(), self.layout().dir());
            return Err(Error::Usage(format!(
                "no tags on {}; does `osprey learn` propose a rule for `tags` \
                 (see [extract] in osprey.toml)?{}",
                counted(details, "detail page"),
                unread.map_or_else(String::new, |line| format!(" {line}"))
            )));
        }
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let unknown: Vec<&str> = given.iter().copied().filter(|tag| votes.count(tag) == 0).collect();
        if unknown.len() == given.len() {
            return Err(Error::NotFound(format!(
                "no page has the tag `{}` among {} with tags; sample more pages (--pages), start closer (crawl.seeds), \
                 or give another tag",
                unknown.join("`, `"),
                counted(votes.pictures() as u64, "page")
            )));
        }
        let background = self.background(&site)?;
        let expansion = votes.expand_against(&given, rules, &background);
        let (tag_sets, damage) = (votes.pictures() as u64, captures.damage());
        Ok(ExpandedTopic { expansion, tag_sets, details, damage })
    }

    /// Tags of pictures that were not chosen by a topic: of the pages that the site was learned from. None if there are
    /// too few.
    fn background(&self, site: &Site) -> Result<CoTags> {
        let sample = self.layout().sample();
        if !Captures::exist(&sample) {
            return Ok(CoTags::default());
        }
        let (tags, _) = votes(&Captures::open(&sample, &self.resolved.settings)?, site)?;
        Ok(if tags.pictures() < MIN_BACKGROUND { CoTags::default() } else { tags })
    }

    /// The records of crawls for tags: what is known of people before the crawl begins. Bounded.
    pub fn stage_one(&self, site: &Site) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        for folder in self.layout().tag_crawls() {
            Captures::open(&folder, &self.resolved.settings)?.records(site, |_, record| {
                if records.len() < MAX_RECORDS {
                    records.push(record);
                }
            })?;
        }
        Ok(records)
    }

    /// Crawls for the given tags, or goes on with that; where it is.
    fn fetch_tag_pages(
        &self,
        site: &Arc<Site>,
        given: &[String],
        pages: u64,
        control: Control<'_>,
    ) -> Result<PathBuf> {
        let data = self.layout().tag_pages().join(folder_of(given));
        announce(self, control);
        let mut settings = self.resolved.settings.clone();
        let requests = Some(self.most_requests(pages));
        settings.budget = Budget { pages: Some(pages), requests, ..settings.budget };
        // tags are words: what pictures look like is not asked
        settings.pictures = PictureRules::none();
        let subject = Subject { tags: given.to_vec(), ..Subject::default() };
        let plan = Plan { policy: PolicyKind::TagPages {}, subject };
        let known = Known { site: Some(Arc::clone(site)), ..Known::default() };
        let steering = Steering::of(&plan, &JudgeKind::None {}, &known)?;
        let run = Run { says_time: true, ..Run::aside(self, &data, settings, steering) };
        let report = run.run_whole(control)?;
        if let Some(failure) = dead_start(&report) {
            // so that the next time begins anew
            std::fs::remove_dir_all(&data)
                .with_context(|| format!("{}: cannot be deleted", data.display()))?;
            return Err(Error::Failed(failure));
        }
        if report.visited < pages && report.requests >= self.most_requests(pages) {
            control.note(format!(
                "note: fetched {} of {}: {} requests were used, the limit; raise `structure.requests_per_page` for more",
                grouped(report.visited),
                counted(pages, "page"),
                grouped(report.requests)
            ));
        }
        Ok(data)
    }
}

/// The name of the folder of a crawl for tags: the same for the same tags, in any order.
fn folder_of(given: &[String]) -> String {
    let mut tags: Vec<String> = given.iter().filter_map(|tag| folded(tag)).collect();
    tags.sort_unstable();
    format!("{:016x}", xxh3_64(tags.join("\n").as_bytes()))
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
