//! `genre`: fetches pages of a genre about a subject, and the pages linked beside them, first (de Assis et al. 2009).
//!
//! Three sets of terms score a page separately: for its genre, its content and its URL ([`GenreScorer`], equations 1 to
//! 5). A page of the wanted genre rarely links to another one, but the page that links to it often links to others. So
//! a page gives its score to its siblings, by one of five rules ([`QueueRule`]).
//!
//! The policy has no state: the parent of a page and its depth in the site are stored with the link that led to it.

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
use crate::{Known, Placing, SteeringConfigError, Subject};

/// The constants of `genre`; the defaults are those of de Assis et al. 2009.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GenreRules {
    /// Which waiting links get the score of a page.
    pub queue: QueueRule,
    /// The order of links with the same score.
    pub ties: Ties,
    /// A page changes the scores of other links only if its own score is above this value; de Assis et al. 2009 found
    /// 0.20.
    pub change_threshold: f32,
    /// The maximum depth in a site; 7 in de Assis et al. 2009.
    pub max_depth: u32,
    /// The maximum number of different links to follow from a page at first; 200 in de Assis et al. 2009, where the others
    /// are dropped. Here they wait behind all links until a page beside them is above `change_threshold`.
    pub max_links: u32,
    /// Treat genre and content terms as one set; table 4 of de Assis et al. 2009 shows that this is worse.
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
    pub(super) fn new(
        rules: &GenreRules,
        subject: &Subject,
        known: &Known,
    ) -> Result<Self, SteeringConfigError> {
        let scorer = GenreScorer::of_subject(subject, known, rules.one_set, rules.mix)?;
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
        return "listed in a sitemap: score 0".to_owned();
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
