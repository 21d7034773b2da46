//! The topic directory of the simulated worlds as a taxonomy; it has the role that the Open Directory has in Chen et
//! al. 2009.
//!
//! It has labels, short forms, and descriptions as an editor would write them, in English and Chinese. It does not
//! contain the words that the pages are made of, except where a description mentions one.

use std::sync::LazyLock;

use osprey_steer::taxonomy::Topic;
use osprey_world::TaxonomyNode;

static TOPICS: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    let mut topics = Vec::new();
    for branch in &osprey_world::taxonomy().children {
        add(branch, None, &mut topics);
    }
    topics
});

fn add(node: &TaxonomyNode, parent: Option<&str>, topics: &mut Vec<Topic>) {
    topics.push(Topic {
        name: node.name.clone(),
        parent: parent.map(str::to_owned),
        en: node.label_en.clone(),
        zh: node.label_zh.clone(),
        abbreviations: node.abbreviation.iter().cloned().collect(),
        description: node.description_en.clone(),
        description_zh: node.description_zh.clone(),
        examples: Vec::new(),
    });
    node.children.iter().for_each(|child| add(child, Some(&node.name), topics));
}

/// Whether a topic is in it.
pub(super) fn has(name: &str) -> bool {
    TOPICS.iter().any(|topic| topic.name == name)
}

/// The text of the file.
pub(super) fn taxonomy() -> String {
    serde_json::json!({ "topic": &*TOPICS }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use osprey_steer::taxonomy::{Taxonomy, TopicLanguage};

    #[test]
    fn it_is_a_taxonomy_in_two_languages() {
        let taxonomy = Taxonomy::parse(&taxonomy()).unwrap();
        let node = taxonomy.find("Sports/Basketball").unwrap();
        let path: Vec<&str> =
            taxonomy.path(node).iter().map(|node| taxonomy.label(*node, TopicLanguage::English)).collect();
        assert_eq!(path, ["Sports", "Basketball"]);
        assert_eq!(taxonomy.label(node, TopicLanguage::Chinese), "篮球");
        assert!(has("Sports/Basketball") && !has("Basketball"));
        for node in taxonomy.nodes() {
            for language in [TopicLanguage::English, TopicLanguage::Chinese] {
                assert!(taxonomy.description(node, language).len() > 1, "{:?}", taxonomy.topic(node));
            }
        }
    }
}
