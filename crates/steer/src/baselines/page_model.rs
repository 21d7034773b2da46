//! Classifies pages by example with a support vector machine over the words of whole pages, for the policy `svm` and
//! the judge `model`.

use osprey_text::{PageWords, Vector, Words};

use super::{Svm, SvmRules};
use crate::{Known, SteeringConfigError};

/// A machine that was trained on example pages.
#[derive(Clone, Debug)]
pub struct PageModel {
    svm: Svm,
}

impl PageModel {
    /// Learns from the examples, which have to be of both kinds.
    pub fn learn(known: &Known, rules: &SvmRules) -> Result<Self, SteeringConfigError> {
        let side = |is_wanted: bool| -> Vec<Vector> {
            let examples = known.examples.iter().filter(|example| example.is_wanted == is_wanted);
            examples
                .map(|example| Vector::of_log_counts(PageWords::default().of(&example.page).counts()))
                .collect()
        };
        let (wanted, unwanted) = (side(true), side(false));
        let key = if wanted.is_empty() { "topic.examples" } else { "topic.counter_examples" };
        let unfit = |message: String| SteeringConfigError::new(key, message);
        if wanted.is_empty() || unwanted.is_empty() {
            return Err(unfit(format!(
                "{} wanted and {} unwanted example pages, expected at least 1 of each: give `topic.examples` and \
                 `topic.counter_examples`",
                wanted.len(),
                unwanted.len()
            )));
        }
        for (key, value) in [("training.c", rules.c), ("training.gamma", rules.gamma)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SteeringConfigError::new(key, format!("`{value}`: expected a number above 0")));
            }
        }
        let svm = Svm::train(&wanted, &unwanted, rules).map_err(|error| unfit(error.to_string()))?;
        Ok(Self { svm })
    }

    /// How likely a page is wanted, 0 to 1.
    pub fn score(&self, words: &Words) -> f32 {
        self.svm.probability(self.svm.decision_on(words.counts()))
    }
}
