//! How relevant a fetched page is. Independent of the policy, so that all policies face the same judge.

use osprey_model::PageType;
use osprey_page::Page;
use osprey_structure::Reading;
use serde::{Deserialize, Serialize};

use crate::topic::{Topic, each_term};

/// `[judge]` of `osprey.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum JudgeKind {
    /// No page is judged: relevance stays unknown.
    #[default]
    None,
    /// The share of the topic's tags that the page carries, in its tags, title or text.
    Tags {
        /// A page is relevant with at least this share; by default one tag is enough.
        #[serde(default)]
        threshold: f32,
    },
    /// Cosine between the page's text and the topic's terms.
    Terms {
        /// A page is relevant from this similarity on.
        #[serde(default = "terms_threshold")]
        threshold: f32,
    },
    /// Pages of these types; the site has to be learned.
    PageType {
        /// The types that count as harvest.
        types: Vec<PageType>,
    },
    /// Pages of the kinds that are marked as wanted in the sitemap; the site has to be learned.
    Cluster,
}

impl JudgeKind {
    /// Whether it asks what kind of page a page is.
    pub fn needs_site(&self) -> bool {
        matches!(self, Self::PageType { .. } | Self::Cluster)
    }
}

fn terms_threshold() -> f32 {
    0.1
}

/// What the judge says of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// 0 to 1; `None` if there is no judge.
    pub relevance: Option<f32>,
    /// Whether the page counts as harvest.
    pub relevant: bool,
}

/// A judge with its topic.
#[derive(Clone, Debug)]
pub struct Judge {
    kind: JudgeKind,
    topic: Topic,
    tags: Vec<Vec<String>>,
}

impl Judge {
    /// A judge of `kind` for what the user asked for: tags (phrases) and other terms.
    pub fn new(kind: JudgeKind, tags: &[String], terms: &[String]) -> Self {
        let phrase = |tag: &String| {
            let mut words = Vec::new();
            each_term(tag, |word| words.push(word.to_owned()));
            words
        };
        let topic = Topic::of(tags.iter().chain(terms).map(String::as_str));
        Self { kind, topic, tags: tags.iter().map(phrase).filter(|words| !words.is_empty()).collect() }
    }

    /// Judges a page. `reading` is what the site's model says of it, if the site was learned.
    pub fn judge(&self, page: &Page, reading: Option<&Reading>) -> Judgement {
        let (relevance, threshold) = match &self.kind {
            JudgeKind::None => return Judgement::default(),
            JudgeKind::Tags { threshold } => (self.tag_share(page), *threshold),
            JudgeKind::Terms { threshold } => (self.topic.cosine(page.text()), *threshold),
            JudgeKind::PageType { types } => {
                (certain(reading.is_some_and(|reading| types.contains(&reading.page_type))), 0.0)
            }
            JudgeKind::Cluster => (certain(reading.is_some_and(|reading| reading.wanted == Some(true))), 0.0),
        };
        Judgement { relevance: Some(relevance), relevant: relevance > 0.0 && relevance >= threshold }
    }

    fn tag_share(&self, page: &Page) -> f32 {
        if self.tags.is_empty() {
            return 0.0;
        }
        let mut words = Vec::new();
        for text in [page.title(), page.keywords().unwrap_or_default(), page.text()] {
            each_term(text, |word| words.push(word.to_owned()));
            words.push(String::new()); // phrases do not reach over
        }
        let found = self.tags.iter().filter(|tag| words.windows(tag.len()).any(|run| run == tag.as_slice()));
        found.count() as f32 / self.tags.len() as f32
    }
}

fn certain(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    #[test]
    fn kinds_of_page_are_judged_by_the_sites_model() {
        let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
        let page = Page::parse(&Input { url: &url, content_type: None, body: b"x" }, &PageRules::default());
        let check = |kind: &JudgeKind, reading: Option<Reading>, expect: bool| {
            let judgement = Judge::new(kind.clone(), &[], &[]).judge(&page, reading.as_ref());
            assert_eq!((judgement.relevant, judgement.relevance), (expect, Some(certain(expect))));
        };
        let reading = |page_type, wanted| Some(Reading { page_type, wanted, ..Reading::default() });
        let details = JudgeKind::PageType { types: vec![PageType::Detail, PageType::Profile] };
        check(&details, reading(PageType::Detail, None), true);
        check(&details, reading(PageType::List, Some(true)), false);
        check(&details, None, false);
        check(&JudgeKind::Cluster, reading(PageType::List, Some(true)), true);
        check(&JudgeKind::Cluster, reading(PageType::Detail, Some(false)), false);
        check(&JudgeKind::Cluster, reading(PageType::Detail, None), false);
    }
}
