//! Path strings in rules: `<h1><td><tr><table><body><html>`, or with `...` at the end.
//!
//! A whole path string must match exactly. One more wrapper around the page breaks all of them, so a rule can give only
//! the part next to the text: `<h1><td-class/main>...` matches every path string that begins so. There are no other
//! wildcards; use two rules instead. A rule with an invalid path string (`h1 > a`) is an error when it is read.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

const OPEN: &str = "...";

/// A path string, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathPattern(String);

/// An invalid path string.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "path `{0}`: expected a path string such as `<h1><div-class/entry><body><html>`, or its beginning followed by `...`"
)]
pub struct PathError(String);

impl PathPattern {
    /// From a text that is known to be a path string; an invalid one matches nothing. To check a text, use `try_from`.
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

    /// How many elements are between a text and the element of this path; 0 if the text is directly in it, `None` if
    /// the text is elsewhere.
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

impl TryFrom<String> for PathPattern {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        let steps = text.strip_suffix(OPEN).unwrap_or(&text);
        // a value may hold `>`, but hardly `><`
        let inner = steps.strip_prefix('<').and_then(|steps| steps.strip_suffix('>'));
        let is_step = |step: &str| {
            let name = step.split('-').next().unwrap_or_default();
            name.starts_with(char::is_alphanumeric)
                && !name.contains(|c: char| c.is_whitespace() || "<>".contains(c))
        };
        if inner.is_some_and(|inner| inner.split("><").all(is_step)) {
            Ok(Self(text))
        } else {
            Err(PathError(text))
        }
    }
}

impl From<PathPattern> for String {
    fn from(path: PathPattern) -> Self {
        path.0
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
    fn nonsense_is_refused() {
        let check = |text: &str, expect: bool| {
            let read = PathPattern::try_from(text.to_owned());
            let error = PathError(text.to_owned());
            assert_eq!(read, if expect { Ok(PathPattern::new(text)) } else { Err(error) });
        };
        check("<h1><div-class/entry><body><html>", true);
        check("<h1>...", true);
        check("<p-class/a > b><html>", true);
        for nonsense in
            ["", "...", "h1 > a", "h1", "<h1", "<h1...", "<>", "<h1><>", "<h1> <a>", "<h1>....", "< h1>"]
        {
            check(nonsense, false);
        }
        let message =
            serde_json::from_str::<PathPattern>(r#""h1 > a""#).expect_err("no path string").to_string();
        assert!(message.starts_with("path `h1 > a`: expected a path string such as `<h1><div"), "{message}");
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
