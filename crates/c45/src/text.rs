//! Trees as text, the way J48 prints them:
//!
//! ```text
//! fp-norm <= 0.036961: 0 (26.0)
//! fp-norm > 0.036961
//! |   max-sim <= 0.144737: 0 (12.0)
//! |   max-sim > 0.144737: 1 (3.0/1.0)
//! ```
//!
//! In brackets: the weight of the examples in the leaf, and of those that are wrong there, if any. A tree that is one
//! leaf is `: 1 (50.0)`. Papers often print trees without the brackets: such leaves have seen nothing. Empty lines and
//! those that begin with `#` are skipped. Numbers are written so that they read back as the same ones.
//!
//! What is refused: names that are not given, the two sides of a question in another order or with other numbers, more
//! than a bounded number of levels or lines.

use std::fmt;

use thiserror::Error;

use super::{Leaf, MAX_DEPTH, Node, Split, Tree};

/// What each level is indented by.
const INDENT: &str = "|   ";
/// Lines that are read.
const MAX_LINES: usize = 100_000;

/// Why a text is not a valid tree.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct TreeError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: TreeProblem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeProblem {
    /// The text ended where a side was expected.
    #[error("the text ends where {expected} was expected")]
    Ends {
        /// What should have come.
        expected: String,
    },
    /// Something else was expected.
    #[error("`{found}`: expected {expected}")]
    Expected {
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
    },
    /// An attribute or a class that is not one of the given.
    #[error("`{name}`: not one of {known}")]
    Unknown {
        /// As written.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// Not a number.
    #[error("`{text}`: not a number")]
    Number {
        /// As written.
        text: String,
    },
    /// Too many levels.
    #[error("more than {MAX_DEPTH} levels")]
    Deep,
    /// Too many lines.
    #[error("more than {MAX_LINES} lines")]
    Long,
}

/// Writes a tree.
pub(super) fn write(tree: &Tree, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match &tree.root {
        Node::Leaf(leaf) => write_leaf(tree, leaf, f),
        Node::Split(split) => write_split(tree, split, 0, f),
    }
}

fn write_split(tree: &Tree, split: &Split, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = tree.attributes.get(split.attribute).map_or("", String::as_str);
    for (sign, side) in [("<=", &split.low), (">", &split.high)] {
        for _ in 0..depth {
            f.write_str(INDENT)?;
        }
        write!(f, "{name} {sign} {}", split.threshold)?;
        match side {
            Node::Leaf(leaf) => write_leaf(tree, leaf, f)?,
            Node::Split(below) => {
                f.write_str("\n")?;
                write_split(tree, below, depth + 1, f)?;
            }
        }
    }
    Ok(())
}

fn write_leaf(tree: &Tree, leaf: &Leaf, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let class = tree.classes.get(leaf.class).map_or("", String::as_str);
    // `{:?}` of a number is the shortest text that reads back as it, with a point: `26.0`
    match (leaf.weight > 0.0, leaf.errors > 0.0) {
        (false, _) => writeln!(f, ": {class}"),
        (true, true) => writeln!(f, ": {class} ({:?}/{:?})", leaf.weight, leaf.errors),
        (true, false) => writeln!(f, ": {class} ({:?})", leaf.weight),
    }
}

impl Tree {
    /// Reads a tree with these attributes and classes.
    pub fn parse(text: &str, attributes: &[&str], classes: &[&str]) -> Result<Self, TreeError> {
        let mut reader = Reader { lines: lines(text)?, next: 0, attributes, classes };
        let root = match reader.lines.first() {
            Some(line) if line.depth == 0 && line.text.starts_with(':') => {
                reader.next = 1;
                reader.leaf(line.text.get(1..).unwrap_or_default()).map_err(|problem| line.wrong(problem))?
            }
            _ => reader.split(0)?,
        };
        if let Some(line) = reader.lines.get(reader.next) {
            return Err(line.expected("the end"));
        }
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Ok(Self { attributes: names(attributes), classes: names(classes), root })
    }
}

/// A line that says something.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    number: usize,
    depth: usize,
    text: &'a str,
}

impl Line<'_> {
    fn wrong(&self, problem: TreeProblem) -> TreeError {
        TreeError { line: self.number, problem }
    }

    fn expected(&self, expected: &str) -> TreeError {
        self.wrong(TreeProblem::Expected { found: self.text.to_owned(), expected: expected.to_owned() })
    }
}

fn lines(text: &str) -> Result<Vec<Line<'_>>, TreeError> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if number > MAX_LINES {
            return Err(TreeError { line: number, problem: TreeProblem::Long });
        }
        let (mut depth, mut rest) = (0, line.trim_end());
        while let Some(inner) = rest.strip_prefix(INDENT) {
            (depth, rest) = (depth + 1, inner);
        }
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        // a tree of that many levels has its leaves one level above them
        if depth + 2 > MAX_DEPTH {
            return Err(TreeError { line: number, problem: TreeProblem::Deep });
        }
        lines.push(Line { number, depth, text: rest });
    }
    Ok(lines)
}

struct Reader<'a> {
    lines: Vec<Line<'a>>,
    next: usize,
    attributes: &'a [&'a str],
    classes: &'a [&'a str],
}

/// One side of a question.
struct Side {
    attribute: usize,
    threshold: f64,
    node: Node,
}

impl Reader<'_> {
    /// Both sides of a question. The depth of lines is bounded, and so is the recursion.
    fn split(&mut self, depth: usize) -> Result<Node, TreeError> {
        let low = self.side(depth, "<=", None)?;
        let high = self.side(depth, ">", Some((low.attribute, low.threshold)))?;
        let Side { attribute, threshold, node } = low;
        Ok(Node::Split(Box::new(Split { attribute, threshold, low: node, high: high.node })))
    }

    fn side(&mut self, depth: usize, sign: &str, other: Option<(usize, f64)>) -> Result<Side, TreeError> {
        let Some(&line) = self.lines.get(self.next) else {
            let number = self.lines.last().map_or(1, |line| line.number);
            let expected = format!("a line with `{sign}`");
            return Err(TreeError { line: number, problem: TreeProblem::Ends { expected } });
        };
        self.next += 1;
        let expected = || line.expected(&format!("`NAME {sign} NUMBER` after {depth} bars"));
        if line.depth != depth {
            return Err(expected());
        }
        let (question, leaf) = match line.text.split_once(':') {
            Some((question, leaf)) => (question, Some(leaf)),
            None => (line.text, None),
        };
        let mut words = question.split_whitespace();
        let (Some(name), Some(written), Some(value), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(expected());
        };
        if written != sign {
            return Err(expected());
        }
        let attribute = place(self.attributes, name).map_err(|problem| line.wrong(problem))?;
        let threshold = number(value).map_err(|problem| line.wrong(problem))?;
        if other.is_some_and(|other| other != (attribute, threshold)) {
            return Err(line.expected("the attribute and the number of the other side"));
        }
        let node = match leaf {
            Some(leaf) => self.leaf(leaf).map_err(|problem| line.wrong(problem))?,
            None => self.split(depth + 1)?,
        };
        Ok(Side { attribute, threshold, node })
    }

    /// `1 (3.0/1.0)`, after the colon.
    fn leaf(&self, text: &str) -> Result<Node, TreeProblem> {
        let expected = || TreeProblem::Expected {
            found: text.trim().to_owned(),
            expected: "`CLASS`, `CLASS (WEIGHT)` or `CLASS (WEIGHT/ERRORS)`".to_owned(),
        };
        let Some((class, counts)) = text.trim().split_once(' ') else {
            return Ok(Node::Leaf(Leaf {
                class: place(self.classes, text.trim())?,
                weight: 0.0,
                errors: 0.0,
            }));
        };
        let class = place(self.classes, class)?;
        let counts = counts.trim_start().strip_prefix('(').and_then(|counts| counts.strip_suffix(')'));
        let counts = counts.ok_or_else(expected)?;
        let (weight, errors) = match counts.split_once('/') {
            Some((weight, errors)) => (number(weight)?, number(errors)?),
            None => (number(counts)?, 0.0),
        };
        if errors < 0.0 || weight < errors {
            return Err(expected());
        }
        Ok(Node::Leaf(Leaf { class, weight, errors }))
    }
}

fn place(names: &[&str], name: &str) -> Result<usize, TreeProblem> {
    let unknown = || {
        let known = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        TreeProblem::Unknown { name: name.to_owned(), known }
    };
    names.iter().position(|&other| other == name).ok_or_else(unknown)
}

fn number(text: &str) -> Result<f64, TreeProblem> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| TreeProblem::Number { text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ATTRIBUTES: [&str; 2] = ["max-sim", "y"];
    const CLASSES: [&str; 3] = ["0", "1", "other"];

    fn read(text: &str) -> Result<Tree, TreeError> {
        Tree::parse(text, &ATTRIBUTES, &CLASSES)
    }

    fn check_error(text: &str, expect: &str) {
        assert_eq!(
            read(text).map(|tree| tree.to_string()).map_err(|e| e.to_string()),
            Err(expect.to_owned()),
            "{text}"
        );
    }

    #[test]
    fn what_is_read_is_written() {
        let check = |text: &str| assert_eq!(read(text).unwrap().to_string(), text);
        check(": 1 (50.0/2.5)\n");
        check("y <= 1: 0\ny > 1: other\n");
        check("y <= -3: 0 (1.0)\ny > -3: other (2.0/1.0)\n");
        check("y <= 1: 0 (1.0)\ny > 1\n|   max-sim <= 0.5: 1 (2.0)\n|   max-sim > 0.5: 0 (3.0)\n");
    }

    #[test]
    fn comments_and_spaces_are_passed_over() {
        let tree = read("# a tree\n\n  \ny  <=  1 :  0  (1)\r\ny > 1: 1 (2)   \n").unwrap();
        assert_eq!(tree.to_string(), "y <= 1: 0 (1.0)\ny > 1: 1 (2.0)\n");
    }

    #[test]
    fn an_invalid_tree_is_reported_with_its_line() {
        check_error("", "line 1: the text ends where a line with `<=` was expected");
        check_error("y <= 1: 0 (1.0)", "line 1: the text ends where a line with `>` was expected");
        check_error("y > 1: 0 (1.0)", "line 1: `y > 1: 0 (1.0)`: expected `NAME <= NUMBER` after 0 bars");
        check_error("|   y <= 1: 0 (1)", "line 1: `y <= 1: 0 (1)`: expected `NAME <= NUMBER` after 0 bars");
        check_error("z <= 1: 0 (1)", "line 1: `z`: not one of `max-sim`, `y`");
        check_error("y <= 1: 2 (1)", "line 1: `2`: not one of `0`, `1`, `other`");
        check_error("y <= one: 0 (1)", "line 1: `one`: not a number");
        check_error("y <= 1: 0 (nan)", "line 1: `nan`: not a number");
        check_error(
            "y <= 1: 0 1",
            "line 1: `0 1`: expected `CLASS`, `CLASS (WEIGHT)` or `CLASS (WEIGHT/ERRORS)`",
        );
        check_error(
            "y <= 1: 0 (1/2)",
            "line 1: `0 (1/2)`: expected `CLASS`, `CLASS (WEIGHT)` or `CLASS (WEIGHT/ERRORS)`",
        );
        check_error(
            "y <= 1: 0 (1)\ny > 2: 0 (1)",
            "line 2: `y > 2: 0 (1)`: expected the attribute and the number of the other side",
        );
        check_error(": 0 (1)\n\n: 0 (1)", "line 3: `: 0 (1)`: expected the end");
    }

    #[test]
    fn depth_is_bounded() {
        let lines = |levels: usize| -> String {
            (0..levels).map(|depth| format!("{}y <= {depth}\n", INDENT.repeat(depth))).collect()
        };
        check_error(&lines(MAX_DEPTH), "line 40: more than 40 levels");
        check_error(&lines(MAX_DEPTH - 1), "line 39: the text ends where a line with `<=` was expected");
    }

    fn leaf() -> impl Strategy<Value = Node> {
        (0..CLASSES.len(), 0.0..1e6_f64, 0.0..1.0_f64)
            .prop_map(|(class, weight, share)| Node::Leaf(Leaf { class, weight, errors: weight * share }))
    }

    fn node() -> impl Strategy<Value = Node> {
        leaf().prop_recursive(6, 40, 2, |inner| {
            (0..ATTRIBUTES.len(), -1e9..1e9_f64, inner.clone(), inner).prop_map(
                |(attribute, threshold, low, high)| {
                    Node::Split(Box::new(Split { attribute, threshold, low, high }))
                },
            )
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(root in node()) {
            let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
            let tree = Tree { attributes: names(&ATTRIBUTES), classes: names(&CLASSES), root };
            prop_assert_eq!(read(&tree.to_string()), Ok(tree));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(y|z|\\|   |<=|>|:|0|1|\\(|\\)|/| |\n|é){0,60}") {
            if let Ok(tree) = read(&text) {
                prop_assert_eq!(read(&tree.to_string()), Ok(tree));
            }
        }
    }
}
