//! A record: what was read from a page about the item or the person that it describes.
//!
//! The size of a record is limited: the number of values of a field, and the length of a value. Values beyond the
//! limits are dropped.

use std::collections::BTreeMap;
use std::fmt;

use osprey_model::Timestamp;
use serde::{Deserialize, Serialize};

use super::exact::exact;
use super::text::cut;

/// Values of one field.
const MAX_VALUES: usize = 200;
/// Characters of a short value: a name, a tag, a date.
const MAX_SHORT: usize = 300;
/// Characters of a long value: a description, a comment.
pub(super) const MAX_LONG: usize = 50_000;
/// Comments of a record.
const MAX_COMMENTS: usize = 2_000;
/// Names of counts, of sources of terms, of other fields.
const MAX_NAMES: usize = 100;

/// What a record is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordKind {
    /// One item: a picture, a film, a question, a book.
    #[default]
    Detail,
    /// One person.
    Profile,
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Detail => "detail",
            Self::Profile => "profile",
        })
    }
}

/// A person named on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// As the page calls them.
    pub name: String,
    /// Where the name leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A remark on the page's subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Where the author's name leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_url: Option<String>,
    /// The comment itself.
    pub text: String,
    /// When: as the page says exactly, in an attribute, else as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The same as `2010-11-28`, `2010-11` or `2010`, by when the page was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_exact: Option<String>,
    /// Votes for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<u64>,
}

/// A record. As JSON it is a row of `osprey export --what records`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The page.
    pub url: String,
    /// What it is about.
    pub kind: RecordKind,
    /// The name of the thing or person.
    pub title: Option<String>,
    /// Who uploaded or made it.
    pub uploader: Option<String>,
    /// Where the uploader's name leads.
    pub uploader_url: Option<String>,
    /// Tags or keywords.
    pub tags: Vec<String>,
    /// Sets or albums it is part of.
    pub sets: Vec<String>,
    /// Groups or pools it is part of.
    pub groups: Vec<String>,
    /// Comments, in the order of the page.
    pub comments: Vec<Comment>,
    /// Views, votes, replies and the like.
    pub counts: BTreeMap<String, u64>,
    /// When it was made or uploaded: as the page says exactly, in an attribute, else as it is written.
    pub date: Option<String>,
    /// The same as `2010-11-28`, `2010-11` or `2010`, by when the page was fetched.
    pub date_exact: Option<String>,
    /// A description.
    pub description: Option<String>,
    /// Addresses of its pictures.
    pub images: Vec<String>,
    /// Other people a profile names as friends or contacts.
    pub contacts: Vec<Person>,
    /// Names of a profile's tags, sets, groups, ... by the list that they are in.
    pub terms: BTreeMap<String, Vec<String>>,
    /// All other fields, by label.
    pub fields: BTreeMap<String, Vec<String>>,
}

impl Record {
    /// An empty record.
    pub fn new(url: &str, kind: RecordKind) -> Self {
        Self { url: url.to_owned(), kind, ..Self::default() }
    }

    /// Whether no field has a value.
    pub fn is_empty(&self) -> bool {
        *self == Self::new(&self.url, self.kind)
    }

    /// Notes the exact dates for those that were read, given when the page was fetched.
    pub fn fetched(&mut self, at: Timestamp) {
        let of = |date: &Option<String>| date.as_deref().and_then(|date| exact(date, at));
        self.date_exact = of(&self.date);
        self.comments.iter_mut().for_each(|comment| comment.date_exact = of(&comment.date));
    }

    pub(super) fn add_comment(&mut self, comment: Comment) {
        if self.comments.len() < MAX_COMMENTS {
            self.comments.push(Comment {
                author: comment.author.as_deref().map(short),
                text: long(&comment.text),
                date: comment.date.as_deref().map(short),
                ..comment
            });
        }
    }

    pub(super) fn add_contact(&mut self, name: &str, url: Option<&str>) {
        let known = self.contacts.iter().any(|person| person.name == name);
        if !known && self.contacts.len() < MAX_VALUES {
            self.contacts.push(Person { name: short(name), url: url.map(str::to_owned) });
        }
    }

    pub(super) fn add_count(&mut self, name: &str, count: u64) {
        if self.counts.len() < MAX_NAMES {
            self.counts.entry(short(name)).or_insert(count);
        }
    }
}

/// A short value, within its bound.
pub(super) fn short(value: &str) -> String {
    cut(value, MAX_SHORT).to_owned()
}

/// A long value, within its bound.
pub(super) fn long(value: &str) -> String {
    cut(value, MAX_LONG).to_owned()
}

/// Adds a value to a list, once, within its bound.
pub(super) fn add(values: &mut Vec<String>, value: &str) {
    let value = cut(value, MAX_SHORT);
    if values.len() < MAX_VALUES && !values.iter().any(|known| known == value) {
        values.push(value.to_owned());
    }
}

/// Adds a value to a list that has a name.
pub(super) fn add_named(lists: &mut BTreeMap<String, Vec<String>>, name: &str, value: &str) {
    if lists.len() < MAX_NAMES || lists.contains_key(name) {
        add(lists.entry(short(name)).or_default(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_has_the_keys_of_the_contract() {
        let mut record = Record::new("http://a.example/1", RecordKind::Detail);
        record.title = Some("Red & green".to_owned());
        record.uploader = Some("manganite".to_owned());
        add(&mut record.tags, "europe");
        add_named(&mut record.fields, "isbn", "123");
        let row = serde_json::to_value(&record).unwrap();
        for key in ["url", "kind", "title", "uploader", "tags", "fields", "images", "contacts"] {
            assert!(row.get(key).is_some(), "{key}");
        }
        assert_eq!(row["kind"], "detail");
        assert_eq!(row["uploader"], "manganite");
        assert_eq!(serde_json::from_value::<Record>(row).unwrap(), record);
    }

    #[test]
    fn lists_and_values_are_bounded() {
        let mut record = Record::new("u", RecordKind::Profile);
        for number in 0..10_000 {
            add(&mut record.tags, &format!("{number}{}", "x".repeat(400)));
            add_named(&mut record.fields, &number.to_string(), "y");
            record.add_comment(Comment { text: "z".repeat(9), ..Comment::default() });
            record.add_contact(&number.to_string(), None);
        }
        assert_eq!(record.tags.len(), MAX_VALUES);
        assert_eq!(record.tags[0].len(), MAX_SHORT);
        assert_eq!(record.fields.len(), MAX_NAMES);
        assert_eq!(record.comments.len(), MAX_COMMENTS);
        assert_eq!(long(&"z".repeat(2 * MAX_LONG)).len(), MAX_LONG);
        assert_eq!(record.contacts.len(), MAX_VALUES);
        assert!(!record.is_empty() && Record::new("u", RecordKind::Detail).is_empty());
    }
}
