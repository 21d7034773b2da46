//! Rules: the position of a field on a page, and how to cut out its value (Zhang 2008, scenario 1).
//!
//! The special cases of Zhang 2008 are keys of a rule. Optional data: a rule that finds nothing returns nothing.
//! Disjunction (set or pool with the same path string): `contains`. Template text: `strip`. Beyond the paper: `label`
//! for values that share one path string in a table, `after` and `before` for names inside a text ("Asked 3 days ago by
//! Ann").

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::field::Field;
use super::path::PathPattern;
use super::record::RecordKind;

/// What of a node is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Take {
    /// The text at the path string.
    #[default]
    Text,
    /// Where the link around the text leads.
    Href,
    /// The address of an image; the path string is the image's.
    Image,
    /// The attribute `datetime` of the element around the text; its text, if there is none.
    Datetime,
    /// The number in the text.
    Number,
    /// All text inside the element that the path string belongs to.
    Block,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldRule {
    /// The page type or cluster that the rule applies to; all pages if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The field that the rule extracts.
    pub field: Field,
    /// The path string of the text: `<h1><td><tr>...`.
    pub path: PathPattern,
    /// The label before the text, if several fields share the path string.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given::label")]
    pub label: Option<String>,
    /// A word that the text must contain; it is removed from the value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given::contains")]
    pub contains: Option<String>,
    /// Take only the text after this word.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given::after")]
    pub after: Option<String>,
    /// Take only the text before this word.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given::before")]
    pub before: Option<String>,
    /// Template text to remove from the beginning and the end of the text. If nothing is left, there is no value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strip: Vec<String>,
    /// The part of the element to take.
    #[serde(default, skip_serializing_if = "is_text")]
    pub take: Take,
    /// Take only the first matching text on the page; with a label, the values under the first such label.
    #[serde(default, skip_serializing_if = "is_false")]
    pub first: bool,
    /// Take only the text with this number among the rule's texts on the page, from 1: values of different fields may
    /// be at one path string, parted by line breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<NonZeroU32>,
    /// Only where no rule before this one finds a value for the field.
    #[serde(default, skip_serializing_if = "is_false")]
    pub otherwise: bool,
}

/// A key of a rule with an empty value.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("key `{0}`: expected a text that is not empty, or no such key")]
pub(crate) struct RuleError(&'static str);

/// Empty values are refused when a rule is read: an empty `contains` would match every text, an empty `after` none.
mod given {
    use super::{Deserialize, Deserializer, RuleError};

    macro_rules! keys {
        ($($key:ident),*) => {$(
            pub(super) fn $key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
                text(stringify!($key), from)
            }
        )*};
    }

    // serde does not tell a function which key it reads
    keys!(label, contains, after, before);

    fn text<'de, D: Deserializer<'de>>(key: &'static str, from: D) -> Result<Option<String>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        match text.as_deref().map(str::trim) {
            Some("") => Err(serde::de::Error::custom(RuleError(key))),
            _ => Ok(text),
        }
    }
}

fn is_text(take: &Take) -> bool {
    *take == Take::Text
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl FieldRule {
    /// The rule for a field at a path string, with defaults for everything else.
    pub fn new(field: Field, path: impl Into<String>) -> Self {
        Self {
            on: None,
            field,
            path: PathPattern::new(path),
            label: None,
            contains: None,
            after: None,
            before: None,
            strip: Vec::new(),
            take: Take::Text,
            first: false,
            nth: None,
            otherwise: false,
        }
    }
}

/// What of a site's structured data is to be believed. Many sites write the same title or author into every page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// The title.
    Title,
    /// The author.
    Uploader,
    /// The tags.
    Tags,
    /// The date.
    Date,
    /// The description.
    Description,
    /// The pictures.
    Images,
    /// Numbers and all other fields.
    Fields,
}

impl Trust {
    /// Everything.
    pub const ALL: [Self; 7] =
        [Self::Title, Self::Uploader, Self::Tags, Self::Date, Self::Description, Self::Images, Self::Fields];
}

/// The rules for one kind of page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// What pages of this kind are about.
    pub kind: RecordKind,
    /// What of their structured data is believed, before the rules.
    pub structured: BTreeSet<Trust>,
    /// The rules; of several for a field with one value, the first that finds something counts.
    #[serde(rename = "rule")]
    pub rules: Vec<FieldRule>,
}

impl Rules {
    /// Those of a list that apply to all pages, or to a page type by the name they give.
    pub fn select(kind: RecordKind, all: &[FieldRule], is_called: impl Fn(&str) -> bool) -> Self {
        let fits = |rule: &&FieldRule| rule.on.as_deref().is_none_or(&is_called);
        Self { kind, structured: BTreeSet::new(), rules: all.iter().filter(fits).cloned().collect() }
    }
}
