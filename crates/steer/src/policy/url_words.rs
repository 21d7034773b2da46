//! `url-words`: links whose URL contains a tag of the topic first, the oldest first among equals. It reads no page and
//! learns nothing: it shows what URLs alone are worth.

use osprey_model::{GroupId, LinkScore};
use serde::{Deserialize, Serialize};

use super::{LinkFacts, Policy, RestoreError, Visit};
use crate::{Placing, SteeringConfigError, Subject};

/// `[policy]` of `url-words`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UrlWordsRules {
    /// What a link without a tag of the topic in its URL is worth, from 0 to 1.
    pub rest: f32,
}

impl Default for UrlWordsRules {
    fn default() -> Self {
        Self { rest: 0.1 }
    }
}

#[derive(Debug)]
pub(super) struct UrlWords {
    tags: Vec<String>,
    rest: f32,
}

impl UrlWords {
    pub(super) fn new(rules: UrlWordsRules, subject: &Subject) -> Result<Self, SteeringConfigError> {
        if subject.tags.is_empty() {
            return Err(SteeringConfigError::new(
                "topic.tags",
                "`url-words` looks for them in URLs: give at least one",
            ));
        }
        if !(0.0..=1.0).contains(&rules.rest) {
            return Err(SteeringConfigError::new(
                "policy.rest",
                format!("`{}`: expected a number from 0 to 1", rules.rest),
            ));
        }
        Ok(Self { tags: subject.tags.iter().map(|tag| tag.to_lowercase()).collect(), rest: rules.rest })
    }
}

impl Policy for UrlWords {
    fn name(&self) -> &'static str {
        "url-words"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        for (link, found) in visit.page.links().iter().enumerate() {
            let path = found.url.path_and_query().to_lowercase();
            let worth = if self.tags.iter().any(|tag| path.contains(tag)) { 1.0 } else { self.rest };
            placing.add(link, GroupId::ALL, LinkScore::new(worth), &[("url", worth)]);
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        match link.own >= 1.0 {
            true => "its URL contains a tag of the topic".to_owned(),
            false => format!("its URL contains no tag of the topic, which is worth {}", self.rest),
        }
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

#[cfg(test)]
mod tests {
    use super::super::samples::Web;
    use super::*;

    #[test]
    fn urls_with_a_tag_go_first() {
        let subject = Subject { tags: vec!["Sea".to_owned()], ..Subject::default() };
        let mut policy = UrlWords::new(UrlWordsRules::default(), &subject).unwrap();
        let mut web =
            Web::new(&[("/", "<a href=/hills><a href=/seaside>"), ("/hills", ""), ("/seaside", "")]);
        assert_eq!(web.crawl(&mut policy), ["/", "/seaside", "/hills"]);
    }
}
