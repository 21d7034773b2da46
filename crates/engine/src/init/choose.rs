//! Chooses the policy and judge that fit what was asked for, and says why.
//!
//! The judge is `want` whenever anything was asked for: it takes words, tags, topics, terms and examples together. The policy is the one
//! that the lab finds best for what was given: `adaptive` for words and topics (`docs/policies.md`, "Which policy for words").

use osprey_steer::PolicyKind;
use osprey_steer::taxonomy::{FindError, Taxonomy};

use super::InitOptions;
use crate::error::{Error, Result};

/// What a new project starts with.
pub(super) struct Choice {
    /// The policy's name.
    pub(super) policy: String,
    /// The judge's kind; none without a topic.
    pub(super) judge: Option<&'static str>,
    /// Why this policy, in a sentence.
    pub(super) why: String,
    /// Words: those given, those that are no topic of the taxonomy, and the labels of those that are.
    pub(super) words: Vec<String>,
    /// Topics of the taxonomy, by their names.
    pub(super) nodes: Vec<String>,
}

impl Choice {
    /// From what was given; a policy that was named is taken.
    pub(super) fn of(args: &InitOptions) -> Result<Self> {
        let mut words = args.words();
        let nodes = find_topics(args, &mut words)?;
        let has_words = !(words.is_empty() && args.tags.is_empty() && args.content.is_empty());
        let (policy, why) = if !args.genre.is_empty() {
            ("genre", "fits genre terms: pages of one kind are often siblings")
        } else if has_words {
            (
                "adaptive",
                "needs no choice: it learns from what links bring which of them lead to what is wanted",
            )
        } else if !args.examples.is_empty() {
            (
                "source-target",
                "fits example pages: it finds pages of their kind by the link structure (run `osprey learn` first)",
            )
        } else {
            ("breadth-first", "nothing was asked for, so all pages count the same")
        };
        let is_asked = has_words || !args.genre.is_empty() || !args.examples.is_empty();
        let judge = is_asked.then_some("want");
        let (policy, why) = match &args.policy {
            Some(policy) => (policy.clone(), "as given by --policy"),
            None => (policy.to_owned(), why),
        };
        Ok(Self { policy, judge, why: why.to_owned(), words, nodes })
    }

    /// Whether the site has to be learned before it is crawled.
    pub(super) fn needs_learning(&self) -> bool {
        let policy = PolicyKind::named(&self.policy);
        policy.is_some_and(|policy| policy.needs_site())
    }
}

impl InitOptions {
    /// The words, one by one.
    pub(crate) fn words(&self) -> Vec<String> {
        self.words.iter().flat_map(|text| listed(text)).collect()
    }
}

/// A list as people write one: `red cars, boats` is two things.
fn listed(text: &str) -> Vec<String> {
    let parts = text.split([',', ';', '，', '、', '；']);
    parts
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|part| part.contains(char::is_alphanumeric))
        .collect()
}

/// The topics that are in the taxonomy that was given, or in the one that ships; their labels become words. What is not in
/// the latter is words like others; what is not in the user's own is a mistake.
fn find_topics(args: &InitOptions, words: &mut Vec<String>) -> Result<Vec<String>> {
    let own = match &args.taxonomy {
        None => None,
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|cause| Error::Usage(format!("--taxonomy: {}: {cause}", path.display())))?;
            Some(
                Taxonomy::parse(&text)
                    .map_err(|error| Error::Usage(format!("{}: {error}", path.display())))?,
            )
        }
    };
    let taxonomy = own.as_ref().unwrap_or_else(|| Taxonomy::shipped());
    let mut nodes = Vec::new();
    for topic in &args.topics {
        match taxonomy.find(topic) {
            Ok(node) => {
                let topic = taxonomy.topic(node);
                let labels = [&topic.en, &topic.zh].into_iter().filter(|label| !label.trim().is_empty());
                words.push(labels.map(|label| label.trim()).collect::<Vec<_>>().join("|"));
                nodes.push(topic.name.clone());
            }
            Err(FindError::Unknown { .. }) if own.is_none() => words.extend(listed(topic)),
            Err(error) => return Err(Error::Usage(format!("--topic: {error}"))),
        }
    }
    words.retain(|word| !word.is_empty());
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_words_are_several_words() {
        let check = |text: &str, expect: &[&str]| assert_eq!(listed(text), expect, "{text}");
        check("red  cars", &["red cars"]);
        check("red cars, boats; sails", &["red cars", "boats", "sails"]);
        check("古典音乐、篮球", &["古典音乐", "篮球"]);
        check(" , -", &[]);
    }
}
