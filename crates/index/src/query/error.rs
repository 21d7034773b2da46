//! Why a text is not a valid query: the position, and what was expected there.

use thiserror::Error;

/// An error in a query, with its position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("query, character {}: expected {expected}, found {found}", .character)]
pub struct QueryError {
    /// The position of the error in bytes.
    pub position: usize,
    /// The character there, counted from 1.
    pub character: usize,
    /// What was expected.
    pub expected: String,
    /// What was found there, in backticks, or `the end`.
    pub found: String,
}

/// Maximum number of characters shown of what was found.
const SHOWN: usize = 24;

impl QueryError {
    /// An error at byte `position` of `query`, where `length` bytes are wrong.
    pub(super) fn new(query: &str, position: usize, length: usize, expected: impl Into<String>) -> Self {
        let before = query.get(..position).unwrap_or(query);
        let rest = query.get(position..).unwrap_or_default();
        let wrong = rest.get(..length).unwrap_or(rest);
        let mut shown: String = wrong.chars().take(SHOWN).collect();
        if shown.len() < wrong.len() {
            shown.push('…');
        }
        let found = if shown.is_empty() { "the end".to_owned() } else { format!("`{shown}`") };
        Self { position, character: before.chars().count() + 1, expected: expected.into(), found }
    }

    /// The query with a mark under the position, as two lines for a terminal; of a long query only the part around
    /// it.
    pub fn pointer(&self, query: &str) -> String {
        const BEFORE: usize = 40;
        const AFTER: usize = 30;
        let at = self.character - 1;
        let from = at.saturating_sub(BEFORE);
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let shown: String = query.chars().skip(from).take(BEFORE + AFTER).map(plain).collect();
        format!("{shown}\n{}^", " ".repeat(at - from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_the_character() {
        let query = "röse color:blurple";
        let error = QueryError::new(query, 12, 7, "a colour");
        assert_eq!(error.to_string(), "query, character 12: expected a colour, found `blurple`");
        assert_eq!(error.pointer(query), "röse color:blurple\n           ^");
        let long = format!("{} (", "x".repeat(1000));
        let error = QueryError::new(&long, long.len(), 0, "`)`");
        assert_eq!(error.found, "the end");
        assert!(error.pointer(&long).len() < 100);
    }
}
