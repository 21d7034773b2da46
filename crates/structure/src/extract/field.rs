//! The fields of a record by the names that rules use: `title`, `count.views`, `fields.isbn`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Field {
    /// `title`: the name of the thing or person.
    Title,
    /// `uploader`: who made it; the link around the name is stored too.
    Uploader,
    /// `tags`.
    Tags,
    /// `sets`.
    Sets,
    /// `groups`.
    Groups,
    /// `date`.
    Date,
    /// `description`.
    Description,
    /// `images`.
    Images,
    /// `contacts`: people, with the links around their names.
    Contacts,
    /// `comment`: the block of one comment.
    Comment,
    /// `comment.author`: inside such a block.
    CommentAuthor,
    /// `comment.text`: inside such a block; the whole block if there is no rule.
    CommentText,
    /// `comment.date`: inside such a block.
    CommentDate,
    /// `comment.votes`: inside such a block, a number.
    CommentVotes,
    /// `count.NAME`: a number.
    Count(String),
    /// `terms.SOURCE`: of a profile.
    Terms(String),
    /// `fields.NAME`: anything else.
    Other(String),
}

/// A name that no field has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "field `{0}`: expected one of title, uploader, tags, sets, groups, date, description, images, contacts, comment, \
     comment.author, comment.text, comment.date, comment.votes, count.NAME, terms.SOURCE, fields.NAME"
)]
pub struct FieldError(String);

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Title => "title",
            Self::Uploader => "uploader",
            Self::Tags => "tags",
            Self::Sets => "sets",
            Self::Groups => "groups",
            Self::Date => "date",
            Self::Description => "description",
            Self::Images => "images",
            Self::Contacts => "contacts",
            Self::Comment => "comment",
            Self::CommentAuthor => "comment.author",
            Self::CommentText => "comment.text",
            Self::CommentDate => "comment.date",
            Self::CommentVotes => "comment.votes",
            Self::Count(name) => return write!(f, "count.{name}"),
            Self::Terms(source) => return write!(f, "terms.{source}"),
            Self::Other(name) => return write!(f, "fields.{name}"),
        };
        f.write_str(name)
    }
}

impl FromStr for Field {
    type Err = FieldError;

    fn from_str(name: &str) -> Result<Self, FieldError> {
        const PLAIN: [Field; 14] = [
            Field::Title,
            Field::Uploader,
            Field::Tags,
            Field::Sets,
            Field::Groups,
            Field::Date,
            Field::Description,
            Field::Images,
            Field::Contacts,
            Field::Comment,
            Field::CommentAuthor,
            Field::CommentText,
            Field::CommentDate,
            Field::CommentVotes,
        ];
        if let Some(field) = PLAIN.iter().find(|field| field.to_string() == name) {
            return Ok(field.clone());
        }
        match name.split_once('.') {
            Some(("count", name)) if !name.is_empty() => Ok(Self::Count(name.to_owned())),
            Some(("terms", source)) if !source.is_empty() => Ok(Self::Terms(source.to_owned())),
            Some(("fields", name)) if !name.is_empty() => Ok(Self::Other(name.to_owned())),
            _ => Err(FieldError(name.to_owned())),
        }
    }
}

impl TryFrom<String> for Field {
    type Error = FieldError;

    fn try_from(name: String) -> Result<Self, FieldError> {
        name.parse()
    }
}

impl From<Field> for String {
    fn from(field: Field) -> Self {
        field.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["title", "comment.author", "count.views", "terms.sets", "fields.isbn 13"] {
            assert_eq!(name.parse::<Field>().map(|field| field.to_string()).as_deref(), Ok(name));
        }
        for name in ["", "Title", "fields.", "counts.views", "comment.x"] {
            assert!(name.parse::<Field>().is_err(), "{name:?}");
        }
    }
}
