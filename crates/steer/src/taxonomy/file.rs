//! Reads and checks taxonomy files.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use thiserror::Error;

use super::{Node, NodeId, Taxonomy, Topic};

/// Bytes of a file.
pub(super) const MAX_BYTES: usize = 32 << 20;
/// Topics of a file.
pub(super) const MAX_TOPICS: usize = 100_000;
/// Topics on the way to a topic; the Open Directory had 15.
pub(super) const MAX_DEPTH: usize = 32;
/// Bytes of a name or label.
pub(super) const MAX_LABEL_BYTES: usize = 200;

/// What is wrong with a taxonomy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TaxonomyError {
    /// Not TOML or JSON of this form.
    #[error("taxonomy: {0}")]
    Syntax(String),
    /// More than fits.
    #[error("taxonomy: {what} {found}, expected at most {most}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        found: usize,
        /// The limit.
        most: usize,
    },
    /// No topics at all.
    #[error("taxonomy: no topics; expected `[[topic]]` with `name` and `en`")]
    Empty,
    /// A name or label that is empty or too long.
    #[error("topic {place}, `{name}`: {what} must have 1 to {most} bytes")]
    Label {
        /// Its number, from 1.
        place: usize,
        /// Its name.
        name: String,
        /// Which one.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// Two topics of one name.
    #[error("topic {place}, `{name}`: duplicate name, first used by topic {first}")]
    Duplicate {
        /// Its number, from 1.
        place: usize,
        /// Its name.
        name: String,
        /// The number of the first.
        first: usize,
    },
    /// A parent that is not there.
    #[error("topic `{name}`: unknown parent `{parent}`")]
    UnknownParent {
        /// The topic.
        name: String,
        /// The parent.
        parent: String,
    },
    /// A topic that is its own ancestor.
    #[error("topic `{name}`: it is its own ancestor: `{way}`")]
    Cycle {
        /// One of the circle.
        name: String,
        /// The circle.
        way: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    topic: Vec<Topic>,
}

impl Taxonomy {
    /// Reads either: what begins with a brace is JSON.
    pub fn parse(text: &str) -> Result<Self, TaxonomyError> {
        if text.trim_start().starts_with('{') { Self::from_json(text) } else { Self::from_toml(text) }
    }

    /// Reads TOML: `[[topic]]` tables.
    pub(crate) fn from_toml(text: &str) -> Result<Self, TaxonomyError> {
        check_size(text)?;
        let file: File = toml::from_str(text).map_err(|error| {
            let line =
                error.span().map(|span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
            let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            TaxonomyError::Syntax(format!("{place}{}", one_line(error.message())))
        })?;
        Self::of(file.topic)
    }

    /// Reads JSON: `{"topic": [...]}`.
    pub fn from_json(text: &str) -> Result<Self, TaxonomyError> {
        check_size(text)?;
        let file: File = serde_json::from_str(text)
            .map_err(|error| TaxonomyError::Syntax(one_line(&error.to_string())))?;
        Self::of(file.topic)
    }

    /// From topics.
    pub fn of(topics: Vec<Topic>) -> Result<Self, TaxonomyError> {
        if topics.is_empty() {
            return Err(TaxonomyError::Empty);
        }
        if topics.len() > MAX_TOPICS {
            return Err(TaxonomyError::TooLarge { what: "topics", found: topics.len(), most: MAX_TOPICS });
        }
        let names = names(&topics)?;
        let mut nodes = Vec::with_capacity(topics.len());
        for topic in &topics {
            let parent = match &topic.parent {
                None => None,
                Some(parent) => Some(*names.get(parent.as_str()).ok_or_else(|| {
                    TaxonomyError::UnknownParent { name: topic.name.clone(), parent: parent.clone() }
                })?),
            };
            nodes.push(Node {
                topic: topic.clone(),
                parent: parent.map(|at| NodeId(at as u32)),
                children: Vec::new(),
            });
        }
        check_ways(&nodes)?;
        for at in 0..nodes.len() {
            let parent = nodes.get(at).and_then(|node| node.parent);
            if let Some(parent) = parent.and_then(|parent| nodes.get_mut(parent.0 as usize)) {
                parent.children.push(NodeId(at as u32));
            }
        }
        Ok(Self { nodes })
    }
}

fn check_size(text: &str) -> Result<(), TaxonomyError> {
    if text.len() > MAX_BYTES {
        return Err(TaxonomyError::TooLarge { what: "bytes", found: text.len(), most: MAX_BYTES });
    }
    Ok(())
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn names(topics: &[Topic]) -> Result<FxHashMap<&str, usize>, TaxonomyError> {
    let mut names: FxHashMap<&str, usize> = FxHashMap::default();
    for (at, topic) in topics.iter().enumerate() {
        let fits = |label: &str| !label.trim().is_empty() && label.len() <= MAX_LABEL_BYTES;
        for (what, label) in [("name", &topic.name), ("en", &topic.en)] {
            if !fits(label) {
                let name = topic.name.chars().take(40).collect();
                return Err(TaxonomyError::Label { place: at + 1, name, what, most: MAX_LABEL_BYTES });
            }
        }
        if let Some(first) = names.insert(&topic.name, at) {
            return Err(TaxonomyError::Duplicate {
                place: at + 1,
                name: topic.name.clone(),
                first: first + 1,
            });
        }
    }
    Ok(names)
}

/// Every topic has a way to the top that is not too long. Walks each way once, up to topics known to be good.
fn check_ways(nodes: &[Node]) -> Result<(), TaxonomyError> {
    let mut depths: Vec<Option<usize>> = vec![None; nodes.len()];
    for start in 0..nodes.len() {
        let mut way = Vec::new();
        let mut next = Some(start);
        let above = loop {
            let Some(at) = next else { break 0 };
            if let Some(depth) = depths.get(at).copied().flatten() {
                break depth;
            }
            if way.contains(&at) {
                return Err(cycle(nodes, &way, at));
            }
            if way.len() > MAX_DEPTH {
                // a circle this long is as useless as a way this long
                return Err(TaxonomyError::TooLarge { what: "levels", found: way.len(), most: MAX_DEPTH });
            }
            way.push(at);
            next = nodes.get(at).and_then(|node| node.parent).map(|parent| parent.0 as usize);
        };
        for (steps, at) in way.iter().rev().enumerate() {
            let depth = above + steps + 1;
            if depth > MAX_DEPTH {
                return Err(TaxonomyError::TooLarge { what: "levels", found: depth, most: MAX_DEPTH });
            }
            if let Some(place) = depths.get_mut(*at) {
                *place = Some(depth);
            }
        }
    }
    Ok(())
}

fn cycle(nodes: &[Node], way: &[usize], again: usize) -> TaxonomyError {
    let name = |at: usize| nodes.get(at).map_or("", |node| node.topic.name.as_str());
    let circle = way.iter().copied().skip_while(|at| *at != again).chain([again]).map(name);
    TaxonomyError::Cycle { name: name(again).to_owned(), way: circle.collect::<Vec<_>>().join(" < ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(name: &str, parent: &str) -> Topic {
        let parent = (!parent.is_empty()).then(|| parent.to_owned());
        Topic { name: name.to_owned(), parent, en: "X".to_owned(), ..Topic::default() }
    }

    fn check(topics: &[(&str, &str)], expect: &str) {
        let found = Taxonomy::of(topics.iter().map(|(name, parent)| topic(name, parent)).collect());
        assert_eq!(found.unwrap_err().to_string(), expect);
    }

    #[test]
    fn what_is_refused() {
        check(&[], "taxonomy: no topics; expected `[[topic]]` with `name` and `en`");
        check(&[("a", ""), ("b", ""), ("a", "b")], "topic 3, `a`: duplicate name, first used by topic 1");
        check(&[("a", "b")], "topic `a`: unknown parent `b`");
        check(&[("a", "a")], "topic `a`: it is its own ancestor: `a < a`");
        check(&[("x", "a"), ("a", "b"), ("b", "a")], "topic `a`: it is its own ancestor: `a < b < a`");
        check(&[(" ", "")], "topic 1, ` `: name must have 1 to 200 bytes");
    }

    #[test]
    fn deep_and_wide() {
        let chain = |length: usize| -> Vec<Topic> {
            let name = |at: usize| format!("t{at}");
            // children first, so that every way is walked from its end
            let parent = |at: usize| if at == 0 { String::new() } else { name(at - 1) };
            (0..length).rev().map(|at| topic(&name(at), &parent(at))).collect()
        };
        assert!(Taxonomy::of(chain(MAX_DEPTH)).is_ok());
        let expect = TaxonomyError::TooLarge { what: "levels", found: MAX_DEPTH + 1, most: MAX_DEPTH };
        assert_eq!(Taxonomy::of(chain(MAX_DEPTH + 1)).unwrap_err(), expect);
        let circle = (0..5000).map(|at| topic(&format!("t{at}"), &format!("t{}", (at + 1) % 5000))).collect();
        assert!(Taxonomy::of(circle).is_err());
    }

    #[test]
    fn files() {
        let toml =
            "[[topic]]\nname = 'a'\nen = 'A'\n[[topic]]\nname = 'b'\nparent = 'a'\nen = 'B'\nzh = '乙'";
        let json =
            r#"{"topic": [{"name": "a", "en": "A"}, {"name": "b", "parent": "a", "en": "B", "zh": "乙"}]}"#;
        let topics = |taxonomy: Taxonomy| {
            taxonomy.nodes().map(|node| taxonomy.topic(node).clone()).collect::<Vec<_>>()
        };
        assert_eq!(topics(Taxonomy::from_toml(toml).unwrap()), topics(Taxonomy::from_json(json).unwrap()));
        let wrong =
            Taxonomy::from_toml("[[topic]]\nname = 'a'\nen = 'A'\ncolour = 1").unwrap_err().to_string();
        assert!(wrong.starts_with("taxonomy: line 4: unknown field `colour`"), "{wrong}");
        let wrong = Taxonomy::from_json(r#"{"topic": [{"name": "a"}]}"#).unwrap_err().to_string();
        assert!(wrong.starts_with("taxonomy: missing field `en`"), "{wrong}");
    }

    proptest::proptest! {
        /// Whatever the parents are: refused, or every topic has a way to the top.
        #[test]
        fn any_parents(parents in proptest::collection::vec(0usize..14, 0..12)) {
            let parent = |at: usize| if at == 13 { String::new() } else { format!("t{at}") };
            let topics = parents.iter().enumerate().map(|(at, up)| topic(&format!("t{at}"), &parent(*up))).collect();
            if let Ok(taxonomy) = Taxonomy::of(topics) {
                for node in taxonomy.nodes() {
                    let top = taxonomy.path(node).first().copied();
                    proptest::prop_assert!(top.is_some_and(|top| taxonomy.parent(top).is_none()));
                }
            }
        }
    }
}
