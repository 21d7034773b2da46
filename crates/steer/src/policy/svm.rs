//! `svm`: scores pages by their similarity to the examples, with a support vector machine: the classifier that de Assis
//! et al. 2009 compare with.
//!
//! The queue is either the traditional one, where links have the score of the page they were found on, or that of de
//! Assis et al. 2009, where a page above the change threshold gives its score to its siblings. The policy needs wanted
//! and unwanted examples; without them, building it is an error.

use serde::{Deserialize, Serialize};

use super::genre::{Queue, QueueRule, Ties, story};
use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::baselines::{PageModel, SvmRules};
use crate::{Known, Placing, SteeringConfigError};

/// Which waiting links get the score of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SvmQueue {
    /// Its children's.
    #[default]
    Traditional,
    /// Its siblings', if its score is higher than the change threshold: `fs-2` of `genre`.
    Siblings,
}

/// The constants of `svm`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SvmPolicyRules {
    /// Which waiting links get the score of a page.
    pub queue: SvmQueue,
    /// The order of links with the same score.
    pub ties: Ties,
    /// A page changes the scores of its siblings only if its own score is above this value.
    pub change_threshold: f32,
    /// The maximum depth in a site.
    pub max_depth: u32,
    /// The maximum number of different links to follow from a page.
    pub max_links: u32,
    /// Training parameters of the support vector machine.
    pub training: SvmRules,
}

impl Default for SvmPolicyRules {
    fn default() -> Self {
        let (queue, ties, training) = (SvmQueue::default(), Ties::default(), SvmRules::default());
        Self { queue, ties, change_threshold: 0.20, max_depth: 7, max_links: 200, training }
    }
}

/// The policy.
#[derive(Debug)]
pub(super) struct SvmPolicy {
    model: PageModel,
    queue: Queue,
}

impl SvmPolicy {
    /// Learns from the examples.
    pub(super) fn new(rules: &SvmPolicyRules, known: &Known) -> Result<Self, SteeringConfigError> {
        let rule = match rules.queue {
            SvmQueue::Traditional => QueueRule::Ps,
            SvmQueue::Siblings => QueueRule::Fs2,
        };
        let queue = Queue {
            rule,
            ties: rules.ties,
            change_threshold: rules.change_threshold,
            max_depth: rules.max_depth,
            max_links: rules.max_links,
        };
        queue.check()?;
        Ok(Self { model: PageModel::learn(known, &rules.training)?, queue })
    }
}

impl Policy for SvmPolicy {
    fn name(&self) -> &'static str {
        "svm"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        self.queue.place(visit, self.model.score(visit.words()), placing);
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        self.queue.place_entries(map.entries, placing);
    }

    fn group_noun(&self) -> &'static str {
        "pages with links"
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        story(self.queue.rule, link, "examples")
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
