//! How topics are written in URLs: the topic-token mapping table of Chen et al. 2009.
//!
//! For each topic the table lists English words, abbreviations, pinyin, and the initials of pinyin. Topics that are not
//! listed get tokens from their labels, without abbreviations, as in the paper. The built-in table is
//! `data/tokens.toml`; a user's table adds to it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use osprey_text::{fold, pinyin};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::taxonomy::Topic;

/// How a topic is written in URLs, in the order of Chen et al. 2009's four columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Forms {
    /// Full English words.
    pub english: Vec<String>,
    /// Abbreviations.
    pub abbreviations: Vec<String>,
    /// Full pinyin.
    pub pinyin: Vec<String>,
    /// First letters of the pinyin.
    pub initials: Vec<String>,
}

impl Forms {
    pub(super) fn columns(&self) -> [&[String]; 4] {
        [&self.english, &self.abbreviations, &self.pinyin, &self.initials]
    }

    fn add(&mut self, more: &Self) {
        let columns = [&mut self.english, &mut self.abbreviations, &mut self.pinyin, &mut self.initials];
        for (column, more) in columns.into_iter().zip(more.columns()) {
            column.extend(more.iter().map(|form| squash(form)).filter(|form| !form.is_empty()));
            column.sort_unstable();
            column.dedup();
        }
    }
}

/// Lower case, letters and digits only: `Tai_Gang_Ao` is `taigangao`.
fn squash(form: &str) -> String {
    let mut folded = String::new();
    fold(form, &mut folded);
    folded.retain(char::is_alphanumeric);
    folded
}

/// What is wrong with a table of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TokenError {
    /// Not TOML of this form.
    #[error("token table: {0}")]
    Syntax(String),
    /// More than fits.
    #[error("token table: {found} bytes, expected at most {most}")]
    TooLarge {
        /// Bytes.
        found: usize,
        /// The limit.
        most: usize,
    },
}

/// Chen et al. 2009's topic-token mapping table: by the name of the topic.
#[derive(Clone, Debug, Default)]
pub struct TokenTable {
    topics: BTreeMap<String, Forms>,
}

/// Bytes of a table's file.
const MAX_BYTES: usize = 8 << 20;

static SHIPPED: LazyLock<TokenTable> = LazyLock::new(|| {
    let mut table = TokenTable::default();
    // part of the program: a test reads it
    let read = table.add_toml(include_str!("../../data/tokens.toml"));
    debug_assert!(read.is_ok(), "{read:?}");
    table
});

impl TokenTable {
    /// The one that comes with Osprey.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Adds a file: tables named like topics, `[sports]` with `english = ["sports", "sport"]`.
    pub(crate) fn add_toml(&mut self, text: &str) -> Result<(), TokenError> {
        if text.len() > MAX_BYTES {
            return Err(TokenError::TooLarge { found: text.len(), most: MAX_BYTES });
        }
        let file: BTreeMap<String, Forms> = toml::from_str(text).map_err(|error| {
            TokenError::Syntax(error.message().split_whitespace().collect::<Vec<_>>().join(" "))
        })?;
        self.add(&file);
        Ok(())
    }

    /// Adds forms to those that topics have.
    pub fn add(&mut self, more: &BTreeMap<String, Forms>) {
        for (topic, forms) in more {
            self.topics.entry(topic.clone()).or_default().add(forms);
        }
    }

    /// The forms of a topic: those of its labels, and those that are listed.
    pub fn forms(&self, topic: &Topic) -> Forms {
        let mut forms = Forms::default();
        let pinyin = if topic.zh.is_ascii() { Vec::new() } else { vec![pinyin(&topic.zh)] };
        forms.add(&Forms {
            english: vec![topic.en.clone()],
            abbreviations: topic.abbreviations.clone(),
            pinyin,
            initials: Vec::new(),
        });
        if let Some(listed) = self.topics.get(&topic.name) {
            forms.add(listed);
        }
        forms
    }

    /// Whether some topic is written so.
    pub fn knows(&self, token: &str) -> bool {
        let token = squash(token);
        self.topics.values().any(|forms| forms.columns().iter().any(|column| column.contains(&token)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::Taxonomy;

    #[test]
    fn the_shipped_table_fits_the_shipped_taxonomy() {
        let (taxonomy, table) = (Taxonomy::shipped(), TokenTable::shipped());
        assert!(!table.topics.is_empty());
        for name in table.topics.keys() {
            assert!(taxonomy.nodes().any(|node| taxonomy.topic(node).name == *name), "{name}");
        }
        assert!(table.knows("Tiyu") && !table.knows("n255534156"));
    }

    #[test]
    fn wrong_tables() {
        let wrong = TokenTable::default().add_toml("[a]\nfrench = ['x']").unwrap_err().to_string();
        assert!(wrong.starts_with("token table: unknown field `french`"), "{wrong}");
    }
}
