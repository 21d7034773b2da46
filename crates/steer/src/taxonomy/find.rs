//! Finds a topic by the name that a user gives.

use strsim::levenshtein;
use thiserror::Error;

use super::{NodeId, Taxonomy, Topic};

/// A name that does not identify one topic.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FindError {
    /// No topic is called so.
    #[error("topic `{wanted}`: not in the taxonomy{}", near.as_ref().map(|near| format!("; the nearest is `{near}`")).unwrap_or_default())]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// A topic whose label has it, or is in it.
        near: Option<String>,
    },
    /// Several topics are called so.
    #[error("topic `{wanted}`: ambiguous; give one of the names {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))]
    Several {
        /// What was asked for.
        wanted: String,
        /// Their names.
        names: Vec<String>,
    },
}

/// Topics that are named when several are called alike.
const MAX_NAMED: usize = 8;
/// Wrong letters of a name that may be a slip.
const MAX_SLIPS: usize = 2;
/// Bytes of a name that may be one.
const MAX_ASKED_BYTES: usize = 100;

impl Taxonomy {
    /// By name, by label or abbreviation in any language, or by the way from the top: `Sports/Basketball`.
    pub fn find(&self, wanted: &str) -> Result<NodeId, FindError> {
        let wanted = wanted.trim();
        if let Some(node) = self.nodes().find(|node| self.topic(*node).name == wanted) {
            return Ok(node);
        }
        let steps: Vec<&str> = wanted.split('/').map(str::trim).filter(|step| !step.is_empty()).collect();
        let found: Vec<NodeId> = self.nodes().filter(|node| self.ends_with(*node, &steps)).collect();
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(FindError::Unknown { wanted: wanted.to_owned(), near: self.near(wanted) }),
            [..] => {
                let names = found.iter().take(MAX_NAMED).map(|node| self.topic(*node).name.clone()).collect();
                Err(FindError::Several { wanted: wanted.to_owned(), names })
            }
        }
    }

    /// Whether the way to the topic ends with these steps.
    fn ends_with(&self, node: NodeId, steps: &[&str]) -> bool {
        let mut at = Some(node);
        !steps.is_empty()
            && steps.iter().rev().all(|step| {
                let here = at;
                at = here.and_then(|node| self.parent(node));
                here.is_some_and(|node| self.is_called(node, step))
            })
    }

    fn is_called(&self, node: NodeId, wanted: &str) -> bool {
        let topic = self.topic(node);
        let labels = [&topic.name, &topic.en, &topic.zh].into_iter().chain(&topic.abbreviations);
        labels.map(|label| label.to_lowercase()).any(|label| label == wanted.to_lowercase())
    }

    /// A topic whose label has what was asked for, or is in it, or differs by a slip.
    fn near(&self, wanted: &str) -> Option<String> {
        let wanted = wanted.rsplit('/').next().unwrap_or_default().trim().to_lowercase();
        if wanted.is_empty() || wanted.len() > MAX_ASKED_BYTES {
            return None;
        }
        let has = |topic: &&Topic| {
            let label = topic.en.to_lowercase();
            label.contains(&wanted)
                || wanted.contains(&label)
                || (!topic.zh.is_empty() && wanted.contains(&topic.zh))
        };
        let topics = || self.nodes().map(|node| self.topic(node));
        let slips = |topic: &&Topic| {
            [&topic.name, &topic.en].iter().map(|label| levenshtein(&label.to_lowercase(), &wanted)).min()
        };
        let slipped = || {
            let few = topics().filter(|topic| slips(topic).is_some_and(|slips| slips <= MAX_SLIPS));
            few.min_by_key(slips)
        };
        topics().find(has).or_else(slipped).map(|topic| topic.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_all_its_names() {
        let taxonomy = Taxonomy::from_toml(
            r#"topic = [
                { name = "science", en = "Science", zh = "科学" },
                { name = "science-history", parent = "science", en = "History", zh = "历史", abbreviations = ["hist"] },
                { name = "society", en = "Society", zh = "社会" },
                { name = "society-history", parent = "society", en = "History", zh = "历史" },
            ]"#,
        )
        .unwrap();
        let check = |wanted: &str, expect: &str| match taxonomy.find(wanted) {
            Ok(node) => assert_eq!(taxonomy.topic(node).name, expect),
            Err(error) => assert_eq!(error.to_string(), expect),
        };
        check("society-history", "society-history");
        check("SCIENCE", "science");
        check("社会", "society");
        check("hist", "science-history");
        check("Society/History", "society-history");
        check("科学/历史", "science-history");
        check(
            "History",
            "topic `History`: ambiguous; give one of the names `science-history`, `society-history`",
        );
        check("Sciences", "topic `Sciences`: not in the taxonomy; the nearest is `science`");
        check("Scoiety", "topic `Scoiety`: not in the taxonomy; the nearest is `society`");
        check("Cooking", "topic `Cooking`: not in the taxonomy");
        check("", "topic ``: not in the taxonomy");
        check("/", "topic `/`: not in the taxonomy");
    }
}
