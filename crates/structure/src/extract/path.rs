//! Path strings as rules write them: `<h1><td><tr><table><body><html>`, or with `...` at the end.
//!
//! A whole path string is matched as it is. One wrapper more around the page breaks all of them, so a rule may give only
//! the part next to the text: `<h1><td-class/main>...` is every path string that begins so. There are no other wildcards:
//! whoever needs more than a beginning writes two rules.

use std::fmt;

use serde::{Deserialize, Serialize};

const OPEN: &str = "...";

/// A path string, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PathPattern(String);

impl PathPattern {
    /// From its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a whole path string.
    pub fn is_exact(&self) -> bool {
        !self.0.ends_with(OPEN)
    }

    /// Whether it is the path string of a text.
    pub fn matches(&self, path: &str) -> bool {
        match self.0.strip_suffix(OPEN) {
            Some(beginning) => path.starts_with(beginning),
            None => self.0 == path,
        }
    }

    /// How many elements lie between a text and the element that this is the path of; 0 if the text stands in it
    /// directly, nothing if the text is elsewhere.
    pub(super) fn steps_below(&self, path: &str) -> Option<usize> {
        let mut rest = path;
        for steps in 0.. {
            if self.matches(rest) {
                return Some(steps);
            }
            // the next element begins where this one ends; a value may hold `>`, but hardly `><`
            let next = rest.find("><")?;
            rest = rest.get(next + 1..)?;
        }
        None
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_paths_and_beginnings() {
        let check = |pattern: &str, path: &str, expect: bool| {
            assert_eq!(PathPattern::new(pattern).matches(path), expect, "{pattern} {path}");
        };
        check("<h1><body><html>", "<h1><body><html>", true);
        check("<h1><body><html>", "<h1><div><body><html>", false);
        check("<h1>...", "<h1><div><body><html>", true);
        check("<h1>...", "<h1-class/a><body><html>", false);
        check("...", "<p>", true);
        check("", "<p>", false);
    }

    #[test]
    fn an_element_holds_what_is_below_it() {
        let check = |pattern: &str, path: &str, expect: Option<usize>| {
            assert_eq!(PathPattern::new(pattern).steps_below(path), expect, "{pattern} {path}");
        };
        check("<div><body>", "<div><body>", Some(0));
        check("<div><body>", "<b><p><div><body>", Some(2));
        check("<div><body>", "<div><div><body>", Some(1));
        check("<td><body>", "<b><p><div><body>", None);
    }
}
