//! `genre`: pages of a kind, about a subject, and what stands beside them first (de Assis et al. 2009).
//!
//! A page is scored by three sets of terms apart, for its kind, its content and its URL ([`GenreScorer`], equations 1
//! to 5). A page of the kind that is wanted seldom links to another; but where it was linked, others are: so its score
//! goes to its siblings, by one of five rules ([`QueueRule`]).
//!
//! The policy has no state: what it needs of the past (whose child a page is, how deep it lies in its site) stands with
//! the link that led there.

mod queue;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(super) use self::queue::Queue;
pub(crate) use self::queue::QueueRule;
pub(crate) use self::queue::Ties;
use self::queue::{MAPPED, PARENT};
use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::genre::{GenreScorer, Mix};
use crate::{Placing, SteeringConfigError, Subject};

/// The constants of `genre`; the defaults are those of de Assis et al. 2009.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GenreRules {
    /// Whose score a page changes.
    pub queue: QueueRule,
    /// Who goes first among links of the same score.
    pub ties: Ties,
    /// The score that a page has to exceed to change others'; de Assis et al. 2009 found 0.20.
    pub change_threshold: f32,
    /// Steps into a site at most; de Assis et al. 2009's 7.
    pub max_depth: u32,
    /// Links of a page that are followed at most, each URL counted once; de Assis et al. 2009's 200.
    pub max_links: u32,
    /// Whether genre and content terms are taken for one set: what de Assis et al. 2009's table 4 shows to be worse.
    pub one_set: bool,
    /// Weights of the sets: 5 : 5 for genre and content, 7 : 3 for both together and the URL.
    pub mix: Mix,
}

impl Default for GenreRules {
    fn default() -> Self {
        Self {
            queue: QueueRule::default(),
            ties: Ties::default(),
            change_threshold: 0.20,
            max_depth: 7,
            max_links: 200,
            one_set: false,
            mix: Mix::default(),
        }
    }
}

/// The policy.
#[derive(Debug)]
pub(super) struct Genre {
    scorer: GenreScorer,
    queue: Queue,
}

impl Genre {
    /// For a subject with terms of one kind at least.
    pub(super) fn new(rules: &GenreRules, subject: &Subject) -> Result<Self, SteeringConfigError> {
        let scorer = GenreScorer::of_subject(subject, rules.one_set, rules.mix)?;
        let queue = Queue {
            rule: rules.queue,
            ties: rules.ties,
            change_threshold: rules.change_threshold,
            max_depth: rules.max_depth,
            max_links: rules.max_links,
        };
        queue.check()?;
        Ok(Self { scorer, queue })
    }
}

impl Policy for Genre {
    fn name(&self) -> &'static str {
        "genre"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let score = self.scorer.score(visit.words(), visit.page.url().as_str()).total;
        self.queue.place(visit, score, placing);
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        self.queue.place_entries(map.entries, placing);
    }

    fn group_noun(&self) -> &'static str {
        "pages with links"
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        story(self.queue.rule, link, "terms of genre, content and URL")
    }

    fn reads_words(&self) -> bool {
        true
    }

    fn learns(&self) -> bool {
        false
    }

    fn snapshot(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _snapshot: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }
}

/// Why a link of a queue by these rules stands where it stands; `by` is what pages are scored by.
pub(super) fn story(rule: QueueRule, link: &LinkFacts<'_>, by: &str) -> String {
    let part = |name: &str| link.parts.iter().find(|(part, _)| part == name).map(|(_, value)| *value);
    if part(MAPPED).is_some() {
        return "it stands in a sitemap and begins with score 0".to_owned();
    }
    let Some(page) = part(PARENT) else {
        return "a seed: score 1".to_owned();
    };
    format!(
        "{}; scores are similarities with the {by}; the page it was found on has {page:.3}; found at depth {}",
        rule.story(),
        link.depth
    )
}
