//! A taxonomy: topics as nodes of a tree, described in English and Chinese (Chen et al. 2009, section 3.1).
//!
//! A taxonomy is a list of topics in TOML or JSON; each topic names its parent. [`Taxonomy::shipped`] is the built-in
//! one, modelled on the upper levels of the Open Directory. The ancestors of a topic are its context, with weights that
//! fall with the distance ([`Taxonomy::context`]).
//!
//! Errors name the topic: duplicate names, unknown parents, topics that are their own ancestors, and files or trees
//! that are too large.

mod aim;
mod file;
mod find;
mod import;
mod unpack;

use std::sync::LazyLock;

pub use aim::{Aim, AimBy, Aims};
pub use file::TaxonomyError;
pub use find::FindError;
pub use import::{ImportRules, Imported, import};
use serde::{Deserialize, Serialize};

/// A topic of a taxonomy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// A page that an editor filed under a topic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Where it is.
    pub url: String,
    /// What the editor's link says.
    #[serde(default)]
    pub title: String,
    /// What the editor says of it.
    #[serde(default)]
    pub description: String,
}

/// A topic of a taxonomy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// Its name, which no other has: `basketball`.
    pub name: String,
    /// The name of the topic above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its label in English.
    pub en: String,
    /// Its label in Chinese.
    #[serde(default)]
    pub zh: String,
    /// How the English label is shortened, as in URLs: `auto`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub abbreviations: Vec<String>,
    /// What belongs to it.
    #[serde(default)]
    pub description: String,
    /// The same in Chinese.
    #[serde(default)]
    pub description_zh: String,
    /// Pages about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

#[derive(Clone, Debug)]
struct Node {
    topic: Topic,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
}

/// A tree of topics. Checked: every topic has a way to the top.
#[derive(Clone, Debug, Default)]
pub struct Taxonomy {
    nodes: Vec<Node>,
}

/// The language of labels and descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TopicLanguage {
    /// English.
    English,
    /// Chinese; what has none is given in English.
    Chinese,
}

static SHIPPED: LazyLock<Taxonomy> = LazyLock::new(|| {
    let read = Taxonomy::from_toml(include_str!("../../data/taxonomy.toml"));
    // part of the program: a test reads it
    debug_assert!(read.is_ok(), "{read:?}");
    read.unwrap_or_default()
});

impl Taxonomy {
    /// The one that comes with Osprey.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// How many topics.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All topics, in the order of the file.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The topic of a node; an empty one if the node belongs to another taxonomy.
    pub fn topic(&self, node: NodeId) -> &Topic {
        static NONE: LazyLock<Topic> = LazyLock::new(Topic::default);
        self.node(node).map_or(&NONE, |node| &node.topic)
    }

    /// The topic above.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.parent
    }

    /// The topics below, in the order of the file.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        self.node(node).map_or(&[], |node| &node.children)
    }

    /// The way from the top to the topic, both included.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::successors(Some(node), |node| self.parent(*node)).collect();
        path.reverse();
        path
    }

    /// The topic and its contextual topics with their weights: the i-th of the way has `i / depth`, the topic itself 1.
    pub fn context(&self, node: NodeId) -> Vec<(NodeId, f32)> {
        let path = self.path(node);
        let depth = path.len() as f32;
        path.into_iter().zip(1..).map(|(node, place)| (node, place as f32 / depth)).collect()
    }

    /// The topic and all below it, parents first.
    pub(crate) fn subtree(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = vec![node];
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            found.extend_from_slice(self.children(node));
            next += 1;
        }
        found
    }

    /// The label in a language.
    pub fn label(&self, node: NodeId, language: TopicLanguage) -> &str {
        let topic = self.topic(node);
        if language == TopicLanguage::Chinese && !topic.zh.is_empty() { &topic.zh } else { &topic.en }
    }

    /// Chen et al. 2009's `Desc`: labels, descriptions and example pages of the topic and all below it, as texts.
    pub fn description(&self, node: NodeId, language: TopicLanguage) -> Vec<&str> {
        let mut texts = Vec::new();
        for node in self.subtree(node) {
            let topic = self.topic(node);
            texts.push(self.label(node, language));
            let chinese = language == TopicLanguage::Chinese && !topic.description_zh.is_empty();
            texts.push(if chinese { &topic.description_zh } else { &topic.description });
            texts.extend(topic.examples.iter().flat_map(|example| [&*example.title, &*example.description]));
        }
        texts.retain(|text| !text.is_empty());
        texts
    }

    fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node.0 as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURE_1: &str = r#"
        topic = [
            { name = "sports", en = "Sports", zh = "体育", description = "Games and athletes" },
            { name = "basketball", parent = "sports", en = "Basketball", zh = "篮球", description = "Hoops", description_zh = "篮筐" },
            { name = "nba", parent = "basketball", en = "NBA", description = "The league",
              examples = [{ url = "http://nba.example/", title = "Official site", description = "scores" }] },
            { name = "tennis", parent = "sports", en = "Tennis", zh = "网球" },
        ]
    "#;

    /// Figure 1 of Chen et al. 2009: vt = {Sports 1/3, Basketball 2/3, NBA 3/3}.
    #[test]
    fn context_by_hand() {
        let taxonomy = Taxonomy::from_toml(FIGURE_1).unwrap();
        let nba = taxonomy.find("nba").unwrap();
        let context: Vec<(&str, f32)> = taxonomy
            .context(nba)
            .iter()
            .map(|(node, weight)| (taxonomy.label(*node, TopicLanguage::English), *weight))
            .collect();
        assert_eq!(context, [("Sports", 1.0 / 3.0), ("Basketball", 2.0 / 3.0), ("NBA", 1.0)]);
        let sports = taxonomy.find("sports").unwrap();
        assert_eq!(taxonomy.context(sports), [(sports, 1.0)]);
    }

    #[test]
    fn descriptions_are_of_the_whole_subtree() {
        let taxonomy = Taxonomy::from_toml(FIGURE_1).unwrap();
        let node = taxonomy.find("basketball").unwrap();
        let english = taxonomy.description(node, TopicLanguage::English);
        assert_eq!(english, ["Basketball", "Hoops", "NBA", "The league", "Official site", "scores"]);
        let chinese = taxonomy.description(node, TopicLanguage::Chinese);
        assert_eq!(chinese, ["篮球", "篮筐", "NBA", "The league", "Official site", "scores"]);
        assert_eq!(taxonomy.subtree(taxonomy.find("sports").unwrap()).len(), 4);
    }

    #[test]
    fn the_shipped_one_is_whole() {
        let taxonomy = Taxonomy::shipped();
        assert!((100..=300).contains(&taxonomy.len()), "{}", taxonomy.len());
        for node in taxonomy.nodes() {
            let topic = taxonomy.topic(node);
            let filled = [&topic.en, &topic.zh, &topic.description, &topic.description_zh];
            assert!(filled.iter().all(|text| !text.is_empty()), "{topic:?}");
            assert!(!topic.zh.is_ascii() || topic.zh == topic.en, "{topic:?}");
        }
        let basketball = taxonomy.find("篮球").unwrap();
        assert_eq!(taxonomy.find("Sports/Basketball").unwrap(), basketball);
        assert!(taxonomy.nodes().any(|node| taxonomy.path(node).len() >= 3));
    }
}
