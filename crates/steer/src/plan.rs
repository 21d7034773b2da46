//! What a crawl is after and how it goes about it, as data: the same for a project's file and for an experiment.

use serde::{Deserialize, Serialize};

use crate::{Judge, JudgeKind, Policy, PolicyKind, Topic};

/// A policy and what the user asked for. As JSON it is the identity that a policy's state is stored under.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// How links are scored.
    pub policy: PolicyKind,
    /// Tags, which may be phrases.
    pub tags: Vec<String>,
    /// Other terms.
    pub terms: Vec<String>,
}

impl Plan {
    /// The policy, new.
    pub fn policy(&self) -> Box<dyn Policy> {
        self.policy.build(&Topic::of(self.tags.iter().chain(&self.terms).map(String::as_str)))
    }

    /// A judge of that kind for what was asked.
    pub fn judge(&self, kind: JudgeKind) -> Judge {
        Judge::new(kind, &self.tags, &self.terms)
    }

    /// What the state of its policy belongs to.
    pub fn identity(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The plan of an identity; `None` if another version wrote it.
    pub fn of_identity(identity: &str) -> Option<Self> {
        serde_json::from_str(identity).ok()
    }

    /// Steering that cannot steer is an error, not a crawl that finds nothing: the key, and what is wrong.
    pub fn check(&self, judge: &JudgeKind) -> Result<(), (&'static str, String)> {
        let no_words = self.tags.is_empty() && self.terms.is_empty();
        if matches!(self.policy, PolicyKind::BestFirst {}) && no_words {
            return Err((
                "policy.kind",
                "`best-first` needs a topic: give `topic.tags` or `topic.content_terms`".to_owned(),
            ));
        }
        let (threshold, missing) = match judge {
            JudgeKind::None | JudgeKind::Cluster => return Ok(()),
            JudgeKind::PageType { types } if types.is_empty() => {
                return Err((
                    "judge.types",
                    "is empty; give some of `list`, `detail`, `profile`, `other`".to_owned(),
                ));
            }
            JudgeKind::PageType { .. } => return Ok(()),
            JudgeKind::Tags { threshold } => {
                (threshold, self.tags.is_empty().then_some("`tags` needs `topic.tags`"))
            }
            JudgeKind::Terms { threshold } => {
                (threshold, no_words.then_some("`terms` needs `topic.tags` or `topic.content_terms`"))
            }
        };
        if let Some(missing) = missing {
            return Err(("judge.kind", missing.to_owned()));
        }
        if !(0.0..=1.0).contains(threshold) {
            return Err(("judge.threshold", format!("`{threshold}`: expected a number from 0 to 1")));
        }
        Ok(())
    }
}
