//! Shark-search (Herscovici and others, 1998), with the weights that Chen et al. 2009 found best.
//!
//! The score of a link is 0.2 x the score of its page + 0.8 x the score of its anchor. If the anchor does not match the
//! topic, the words around it count instead. A page that does not match the topic passes on the score that it
//! inherited, reduced; after three such pages in a row, links are no longer followed.

use serde::{Deserialize, Serialize};

use crate::SteeringConfigError;
use crate::taxonomy::{AimBy, TopicLanguage};

/// The constants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shark {
    /// Weight of the score of the page, or of the score it inherited.
    pub page: f32,
    /// Weight of the anchor text, or of the text around it.
    pub anchor: f32,
    /// Factor of an inherited score after a page that does not match the topic.
    pub decay: f32,
    /// How many steps to follow from a relevant page.
    pub depth: u32,
    /// The similarity from which a page is relevant.
    pub threshold: f32,
    /// What to compare pages with if the topic has both words and a node of a taxonomy.
    pub by: AimBy,
    /// Compare only pages in this language; all pages if not set.
    pub language: Option<TopicLanguage>,
}

impl Default for Shark {
    fn default() -> Self {
        Self {
            page: 0.2,
            anchor: 0.8,
            decay: 0.5,
            depth: 3,
            threshold: 0.1,
            by: AimBy::Words,
            language: None,
        }
    }
}

/// What a waiting link carries with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharkScore {
    /// What it is worth.
    pub score: f32,
    /// What its page passed on.
    pub inherited: f32,
    /// Steps that may be taken from it, itself included.
    pub steps: u32,
}

impl Shark {
    pub(crate) fn check(&self) -> Result<(), SteeringConfigError> {
        let shares = [
            ("policy.page", self.page),
            ("policy.anchor", self.anchor),
            ("policy.decay", self.decay),
            ("policy.threshold", self.threshold),
        ];
        if let Some((key, value)) = shares.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            return Err(SteeringConfigError::new(key, format!("`{value}`: expected a number from 0 to 1")));
        }
        if self.depth == 0 {
            return Err(SteeringConfigError::new("policy.depth", "`0`: no link would ever be followed"));
        }
        Ok(())
    }

    /// The score of a seed.
    pub fn of_seed(&self) -> SharkScore {
        SharkScore { score: 1.0, inherited: 1.0, steps: self.depth }
    }

    /// A link of a page that is `page` similar to the topic and was reached as `reached`; `anchor` and `context` are
    /// the similarities of the link's words. `None`: the way ends here.
    pub fn link(&self, reached: &SharkScore, page: f32, anchor: f32, context: f32) -> Option<SharkScore> {
        let steps = crate::fcmrps::steps_left(page >= self.threshold, reached.steps, self.depth)?;
        let inherited = if page > 0.0 { page } else { self.decay * reached.inherited };
        let words = if anchor > 0.0 { anchor } else { context };
        Some(SharkScore { score: self.page * inherited + self.anchor * words, inherited, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way of four pages: similar, silent, silent, silent.
    #[test]
    fn by_hand() {
        let shark = Shark::default();
        let check = |found: &SharkScore, score: f32, inherited: f32, steps: u32| {
            let close = (found.score - score).abs() < 1e-6 && (found.inherited - inherited).abs() < 1e-6;
            assert!(close && found.steps == steps, "{found:?}");
        };
        // 0.2 * 0.6 + 0.8 * 0.5; the anchor goes before the context
        let one = shark.link(&shark.of_seed(), 0.6, 0.5, 0.9).unwrap();
        check(&one, 0.52, 0.6, 3);
        // the page is silent: 0.2 * 0.3 + 0.8 * 0.4 of the context
        let two = shark.link(&one, 0.0, 0.0, 0.4).unwrap();
        check(&two, 0.38, 0.3, 2);
        let three = shark.link(&two, 0.0, 0.0, 0.0).unwrap();
        check(&three, 0.03, 0.15, 1);
        assert_eq!(shark.link(&three, 0.0, 1.0, 1.0), None);
        // a relevant page gives new steps; one that is a little similar does not, but passes on its own score
        check(&shark.link(&three, 0.1, 0.0, 0.0).unwrap(), 0.02, 0.1, 3);
        check(&shark.link(&two, 0.05, 0.0, 0.0).unwrap(), 0.01, 0.05, 1);
    }
}
