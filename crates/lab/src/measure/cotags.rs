//! `cotags`: expands a topic from one tag, the first stage of Zhang & Nasraoui 2009. The measure crawls the site
//! breadth-first, reads the tags of the detail pages with the learned model, and expands the first tag of the topic.
//! The truth then decides which of the added tags belong to the topic.
//!
//! A tag belongs to the topic if most of the pictures with the tag do; precision is the share of such tags. Recall is
//! over the tags that a user of the world would type and that at least one crawled picture has. The expansion does not
//! use the truth.

use std::collections::BTreeMap;

use anyhow::Context;
use osprey_model::CanonicalUrl;
use osprey_steer::Known;
use osprey_steer::cotag::{CoTagRules, CoTags, folded};
use osprey_structure::extract::RecordKind;
use serde::Deserialize;

use super::project::{crawl, crawling, site};
use super::{Cell, Findings, Measure};

/// A tag is of the topic if at least this share of its pictures is.
const MOST: f64 = 0.5;

/// What a variant may say.
#[derive(Debug, Deserialize)]
#[serde(default)]
struct CoTagsParams {
    /// How many of the topic's tags are given.
    given: usize,
    rules: CoTagRules,
}

impl Default for CoTagsParams {
    fn default() -> Self {
        Self { given: 1, rules: CoTagRules::default() }
    }
}

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoTagsMeasure;

impl Measure for CoTagsMeasure {
    fn name(&self) -> &'static str {
        "cotags"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let asked: CoTagsParams = cell.variant.with.clone().try_into().context("variant.with")?;
        let totals = cell.corpus.totals(cell.experiment.wanted_of(cell.entry), &cell.experiment.valid);
        let mut parts = crawling(cell)?;
        parts.settings.budget.pages = cell.budget(totals);
        let known = Known { site: Some(site(cell, &parts)?), ..Known::default() };
        let project = crawl(cell, cell.scratch, parts, &known, &())?;
        let mut seen = TagCounts::default();
        project.records(|record| {
            if record.kind == RecordKind::Detail {
                let truth = CanonicalUrl::from_stored(&record.url).map(|url| cell.corpus.truth(&url));
                let topics = truth.map(|truth| truth.topics).unwrap_or_default();
                let is_on_topic = cell.corpus.topic.as_ref().is_some_and(|topic| topics.contains(topic));
                seen.add(&record.tags, is_on_topic);
            }
        })?;
        Ok(seen.findings(&cell.corpus.subject.tags, &asked))
    }
}

/// Tags of pictures, and what is true of them.
#[derive(Debug, Default)]
struct TagCounts {
    tags: CoTags,
    /// By tag: pictures about the topic, and all.
    truth: BTreeMap<String, (u32, u32)>,
}

impl TagCounts {
    fn add(&mut self, tags: &[String], is_on_topic: bool) {
        self.tags.add(tags);
        for tag in tags.iter().filter_map(|tag| folded(tag)) {
            let (on_topic, all) = self.truth.entry(tag).or_default();
            *on_topic += u32::from(is_on_topic);
            *all += 1;
        }
    }

    fn is_of_topic(&self, tag: &str) -> bool {
        self.truth.get(tag).is_some_and(|(on_topic, all)| f64::from(*on_topic) >= MOST * f64::from(*all))
    }

    fn findings(&self, topic: &[String], asked: &CoTagsParams) -> Findings {
        let given: Vec<&str> = topic.iter().take(asked.given.max(1)).map(String::as_str).collect();
        let expansion = self.tags.expand(&given, &asked.rules);
        let joined: Vec<&str> = expansion.joined().map(|tag| tag.tag.as_str()).collect();
        let right = joined.iter().filter(|tag| self.is_of_topic(tag)).count() as f64;
        let rest = topic.iter().skip(given.len()).filter(|tag| self.tags.count(tag) >= asked.rules.min_votes);
        let rest: Vec<String> = rest.filter_map(|tag| folded(tag)).collect();
        let found = rest.iter().filter(|tag| joined.contains(&tag.as_str())).count() as f64;
        let share = |part: f64, of: usize| (of > 0).then(|| part / of as f64);
        let (precision, recall) = (share(right, joined.len()), share(found, rest.len()));
        let mut findings = Findings::default();
        for (name, value) in [
            ("pictures", Some(self.tags.pictures() as f64)),
            ("pictures_with_given", Some(given.iter().map(|tag| f64::from(self.tags.count(tag))).sum())),
            ("joined", Some(joined.len() as f64)),
            ("left_as_noise", Some(expansion.left.len() as f64)),
            ("tag_precision", precision),
            ("tag_recall", recall),
        ] {
            findings.figure(name, value);
        }
        findings.words.insert("topic".to_owned(), format!("{} -> {}", given.join(", "), joined.join(", ")));
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `rose` goes with `flowers` on pictures of the topic, `blue` on as many that are not; `tulip` never meets it.
    #[test]
    fn joined_tags_are_counted_by_hand() {
        let mut seen = TagCounts::default();
        let mut add = |tags: &[&str], is_on_topic: bool| {
            seen.add(&tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>(), is_on_topic);
        };
        for number in 0..4 {
            let own = format!("n{number}");
            add(&["Flowers", "rose", &own], true);
            add(&["flowers", "blue", &own], false);
            add(&["tulip", &own], true);
            add(&["car", &own], false);
        }
        let topic = ["flowers", "rose", "tulip", "unused"].map(str::to_owned);
        let rules = CoTagRules { strongest: 0, ..CoTagRules::default() };
        let findings = seen.findings(&topic, &CoTagsParams { given: 1, rules });
        let figure = |name: &str| findings.figures.get(name).copied();
        assert_eq!(figure("joined"), Some(2.0));
        assert_eq!((figure("tag_precision"), figure("tag_recall")), (Some(0.5), Some(0.5)));
        assert_eq!(findings.words["topic"], "flowers -> blue, rose");
    }
}
