//! A query as a tree of conditions, and its evaluation in a segment.

use tantivy::DocId;

use super::condition::{ColumnTest, Condition, Precision};
use super::matches::Matches;
use super::plan::Plan;
use super::segment::Segment;

/// A part of a query.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// Matches every document.
    All,
    /// A condition by number.
    Condition(usize),
    /// Adds to scores but is not required: a word that is a stop word in some language.
    Maybe(Box<Node>),
    /// All of these must match.
    And(Vec<Node>),
    /// At least one of these must match.
    Or(Vec<Node>),
    /// None of these may match.
    Not(Box<Node>),
}

/// The evaluation of a plan in a segment.
pub(crate) struct Evaluation<'a> {
    pub(crate) conditions: &'a [Condition],
    pub(crate) segment: &'a Segment,
    /// The number of the segment.
    pub(crate) number: usize,
    pub(crate) precision: Precision,
    /// Whether the parts of scores are recorded.
    pub(crate) parts: bool,
}

impl<'a> Evaluation<'a> {
    /// Prepares the evaluation of a plan in a segment.
    pub(crate) fn new(plan: &'a Plan, segment: &'a Segment, number: usize, precision: Precision) -> Self {
        Self { conditions: &plan.conditions, segment, number, precision, parts: false }
    }

    /// The documents that `node` matches, among `wanted` if that is given.
    pub(crate) fn run(&self, node: &Node, wanted: Option<&[DocId]>) -> tantivy::Result<Matches> {
        match node {
            Node::All => Ok(self.everything(wanted)),
            Node::Condition(condition) => {
                let Some(found) = self.conditions.get(*condition) else { return Ok(Matches::default()) };
                let found = found.evaluate(self.segment, self.number, wanted, self.precision)?;
                Ok(if self.parts { found.with_parts(*condition) } else { found })
            }
            Node::Maybe(inner) => self.run(inner, wanted),
            Node::Not(inner) => {
                let all = self.everything(wanted);
                Ok(all.without(&self.unwanted(inner, &all.docs)?))
            }
            Node::Or(parts) => {
                let mut either = Matches::default();
                for part in parts {
                    // postings decide which of the parts a document has matched
                    let lists = self.by_lists().run(part, wanted)?;
                    let found = match self.precision {
                        Precision::Lists => lists,
                        Precision::Exact => self.run(part, Some(&lists.docs))?,
                    };
                    either = either.or(&found);
                }
                Ok(either)
            }
            Node::And(parts) => self.all_of(parts, wanted),
        }
    }

    fn all_of(&self, parts: &[Node], wanted: Option<&[DocId]>) -> tantivy::Result<Matches> {
        let is_required = |part: &&Node| !matches!(part, Node::Maybe(_) | Node::Not(_));
        let mut required: Vec<&Node> = parts.iter().filter(is_required).collect();
        required.sort_by_key(|part| self.estimate(part));
        let mut found: Option<Matches> = None;
        for part in required {
            found = Some(match found {
                None => self.run(part, wanted)?,
                Some(found) if found.docs.is_empty() => return Ok(found),
                Some(mut found) if let Some(test) = self.column(part) => {
                    found.retain(|doc| test.holds(self.segment, doc));
                    found
                }
                Some(found) => found.and(&self.run(part, Some(&found.docs))?),
            });
        }
        let maybe: Vec<&Node> = parts.iter().filter(|part| matches!(part, Node::Maybe(_))).collect();
        let mut found = match found {
            Some(found) => found,
            // nothing is required: documents with at least one of the words match
            None if !maybe.is_empty() => {
                return maybe
                    .iter()
                    .try_fold(Matches::default(), |either, part| Ok(either.or(&self.run(part, wanted)?)));
            }
            None => self.everything(wanted),
        };
        for part in maybe {
            found = found.maybe(&self.run(part, Some(&found.docs))?);
        }
        for part in parts {
            if let Node::Not(inner) = part {
                found = found.without(&self.unwanted(inner, &found.docs)?);
            }
        }
        Ok(found)
    }

    /// Those of `docs` that must not match. Decided by postings, so that an exact evaluation does not reject what
    /// they found.
    fn unwanted(&self, node: &Node, docs: &[DocId]) -> tantivy::Result<Matches> {
        self.by_lists().run(node, Some(docs))
    }

    fn by_lists(&self) -> Self {
        Self { precision: Precision::Lists, ..*self }
    }

    /// The column test of a node that is one; it adds nothing to scores.
    fn column(&self, node: &Node) -> Option<ColumnTest> {
        let Node::Condition(condition) = node else { return None };
        self.conditions.get(*condition)?.column()
    }

    /// The condition of a query that has only one.
    pub(crate) fn single(&self, node: &Node) -> Option<&'a Condition> {
        match node {
            Node::Condition(condition) => self.conditions.get(*condition),
            Node::And(parts) | Node::Or(parts) => match parts.as_slice() {
                [part] => self.single(part),
                _ => None,
            },
            _ => None,
        }
    }

    /// All documents, or all wanted ones.
    pub(crate) fn everything(&self, wanted: Option<&[DocId]>) -> Matches {
        let docs = wanted.map_or_else(|| (0..self.segment.docs()).collect(), <[DocId]>::to_vec);
        self.plain(Matches::unscored(docs))
    }

    /// Adds empty parts, if parts are recorded.
    fn plain(&self, mut matches: Matches) -> Matches {
        if self.parts {
            matches.parts = vec![Vec::new(); matches.len()];
        }
        matches
    }

    fn estimate(&self, node: &Node) -> u64 {
        let docs = u64::from(self.segment.docs());
        match node {
            Node::All | Node::Not(_) => docs,
            Node::Condition(condition) => {
                self.conditions.get(*condition).map_or(0, |condition| condition.estimate(docs))
            }
            Node::Maybe(inner) => self.estimate(inner),
            Node::And(parts) => parts.iter().map(|part| self.estimate(part)).min().unwrap_or(docs),
            Node::Or(parts) => parts.iter().map(|part| self.estimate(part)).sum(),
        }
    }
}
