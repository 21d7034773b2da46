//! The decision tree that tells kinds of tile apart, in the form that C4.5 prints: one line a branch, `|` for depth.
//!
//! The tree printed in seed 002 (model 1) ships; another one can be learnt ([`TreeTraining`](super::TreeTraining)) and
//! read from text. A tree is small and comes from a
//! file of ours: what is not understood is an error with its line.

use std::fmt;
use std::sync::LazyLock;

use thiserror::Error;

use super::{Facts, Kind};

/// A decision tree over the facts of a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The root is the first; branches point further on only, so that every walk ends.
    pub(super) nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Leaf(Kind),
    Split { fact: Fact, limit: f32, up_to: usize, above: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    Segments,
    Largest,
    Deviation,
}

/// Why a text is no tree.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {cause}")]
pub struct TreeError {
    /// From 1.
    pub line: usize,
    /// What was expected.
    pub cause: &'static str,
}

/// Deeper trees are refused.
const DEEPEST: usize = 32;

static SEED: LazyLock<Tree> = LazyLock::new(|| {
    let nothing = Tree { nodes: vec![Node::Leaf(Kind::Inner)] };
    Tree::parse(include_str!("../../data/tiles.tree")).unwrap_or(nothing)
});

impl Tree {
    /// The tree of seed 002.
    pub fn seed() -> &'static Self {
        &SEED
    }

    /// Reads a tree; empty lines and lines that begin with `#` are left out.
    pub fn parse(text: &str) -> Result<Self, TreeError> {
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if !line.trim().is_empty() && !line.starts_with('#') {
                lines.push(Line::parse(number + 1, line)?);
            }
        }
        let mut tree = Self { nodes: Vec::new() };
        let rest = tree.grow(&lines, 0)?;
        match rest.first() {
            Some(line) => Err(TreeError { line: line.number, cause: "expected the end" }),
            None => Ok(tree),
        }
    }

    /// The kind of a tile.
    pub fn kind(&self, facts: &Facts) -> Kind {
        let mut at = 0;
        loop {
            match self.nodes.get(at) {
                Some(Node::Split { fact, limit, up_to, above }) => {
                    at = if fact.of(facts) <= *limit { *up_to } else { *above };
                }
                Some(Node::Leaf(kind)) => return *kind,
                None => return Kind::Inner,
            }
        }
    }

    /// Adds the two branches that `lines` begin with, and returns the lines after them.
    fn grow<'a>(&mut self, lines: &'a [Line], depth: usize) -> Result<&'a [Line], TreeError> {
        let here = self.nodes.len();
        let [first, rest @ ..] = lines else {
            return Err(TreeError { line: 0, cause: "expected a branch" });
        };
        let error = |line: &Line, cause| Err(TreeError { line: line.number, cause });
        if first.depth != depth || depth > DEEPEST || first.above {
            return error(first, "expected a branch `<=` at this depth");
        }
        self.nodes.push(Node::Leaf(Kind::Inner));
        let up_to = self.nodes.len();
        let rest = self.branch(first, rest)?;
        let Some((second, rest)) = rest.split_first() else {
            return error(first, "expected its other branch `>`");
        };
        if !second.above || (second.depth, second.fact, second.limit) != (depth, first.fact, first.limit) {
            return error(second, "expected the other branch `>` of the same question");
        }
        let above = self.nodes.len();
        let rest = self.branch(second, rest)?;
        if let Some(node) = self.nodes.get_mut(here) {
            *node = Node::Split { fact: first.fact, limit: first.limit, up_to, above };
        }
        Ok(rest)
    }

    fn branch<'a>(&mut self, line: &Line, rest: &'a [Line]) -> Result<&'a [Line], TreeError> {
        match line.kind {
            Some(kind) => {
                self.nodes.push(Node::Leaf(kind));
                Ok(rest)
            }
            None => self.grow(rest, line.depth + 1),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, at: usize, depth: usize) -> fmt::Result {
        let Some(Node::Split { fact, limit, up_to, above }) = self.nodes.get(at) else { return Ok(()) };
        for (sign, next) in [("<=", *up_to), (">", *above)] {
            write!(f, "{}{} {sign} {limit}", "|   ".repeat(depth), fact.name())?;
            match self.nodes.get(next) {
                Some(Node::Leaf(kind)) => writeln!(f, ": {kind}")?,
                _ => {
                    writeln!(f)?;
                    self.write(f, next, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

/// The text that [`Tree::parse`] reads.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0, 0)
    }
}

impl Fact {
    pub(super) const ALL: [Self; 3] = [Self::Segments, Self::Largest, Self::Deviation];

    fn name(self) -> &'static str {
        match self {
            Self::Segments => "len",
            Self::Largest => "max",
            Self::Deviation => "std",
        }
    }

    pub(super) fn of(self, facts: &Facts) -> f32 {
        match self {
            Self::Segments => facts.segments,
            Self::Largest => facts.largest,
            Self::Deviation => facts.deviation,
        }
    }
}

/// One branch as written.
struct Line {
    number: usize,
    depth: usize,
    fact: Fact,
    above: bool,
    limit: f32,
    kind: Option<Kind>,
}

impl Line {
    fn parse(number: usize, line: &str) -> Result<Self, TreeError> {
        let error = |cause| TreeError { line: number, cause };
        let depth = line.matches('|').count();
        let words: Vec<&str> = line.split(['|', ' ', ':']).filter(|word| !word.is_empty()).collect();
        let [fact, sign, limit, kind @ ..] = words.as_slice() else {
            return Err(error("expected `FACT <= NUMBER` or `FACT > NUMBER`"));
        };
        let fact = Fact::ALL
            .into_iter()
            .find(|known| known.name() == *fact)
            .ok_or(error("expected `len`, `max` or `std`"))?;
        let above = match *sign {
            "<=" => false,
            ">" => true,
            _ => return Err(error("expected `<=` or `>`")),
        };
        let limit = limit.parse().map_err(|_| error("expected a number"))?;
        let kind = match kind {
            [] => None,
            ["inner"] => Some(Kind::Inner),
            ["bordering"] => Some(Kind::Bordering),
            ["crossing"] => Some(Kind::Crossing),
            _ => return Err(error("expected `inner`, `bordering` or `crossing`")),
        };
        Ok(Self { number, depth, fact, above, limit, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_tree_decides_as_printed() {
        let check = |segments: f32, largest: f32, deviation: f32, expect: Kind| {
            assert_eq!(Tree::seed().kind(&Facts { segments, largest, deviation }), expect);
        };
        check(1.0, 1024.0, 0.0, Kind::Inner);
        check(2.0, 973.0, 461.0, Kind::Inner);
        check(2.0, 972.0, 460.0, Kind::Bordering);
        check(4.0, 600.0, 200.0, Kind::Bordering);
        check(9.0, 494.0, 150.0, Kind::Crossing);
        check(3.0, 495.0, 100.0, Kind::Bordering);
        check(4.0, 552.0, 150.0, Kind::Crossing);
        check(5.0, 593.0, 200.0, Kind::Crossing);
        check(5.0, 594.0, 200.0, Kind::Bordering);
        check(6.0, 600.0, 198.0, Kind::Crossing);
        check(6.0, 635.0, 199.0, Kind::Bordering);
        check(6.0, 636.0, 199.0, Kind::Crossing);
        check(9.0, 700.0, 230.0, Kind::Bordering);
    }

    #[test]
    fn a_tree_is_written_as_it_is_read() {
        let written = Tree::seed().to_string();
        assert_eq!(Tree::parse(&written).as_ref(), Ok(Tree::seed()));
        assert_eq!(written.lines().count(), 20);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Tree::parse(text).unwrap_err().to_string(), expect);
        };
        check("", "line 0: expected a branch");
        check("max <= 3: inner\n", "line 1: expected its other branch `>`");
        check(
            "max <= 3: inner\nmax > 4: inner",
            "line 2: expected the other branch `>` of the same question",
        );
        check("max <= 3: inner\nmin > 4: inner", "line 2: expected `len`, `max` or `std`");
        check("max <= 3: middle", "line 1: expected `inner`, `bordering` or `crossing`");
        check("max <= 3: inner\nmax > 3: inner\nmax <= 3: inner", "line 3: expected the end");
        check("max <= 3\nmax > 3: inner", "line 2: expected a branch `<=` at this depth");
    }
}
