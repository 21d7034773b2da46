//! What is indexed: a record or a page, and the picture that belongs to it.
//!
//! A document knows nothing of projects, crawls or archives; the caller makes documents of them. Texts come from the
//! Web, so each is cut to a limit when it is indexed; the rest is not searched, and never an error.

use std::fmt;
use std::str::FromStr;

use osprey_model::PageType;
use osprey_vision::Words;
use serde::{Deserialize, Serialize};

use crate::query::Day;

/// What a document was made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A page as it is.
    #[default]
    Page,
    /// What was read from a detail or profile page, or a picture file.
    Record,
}

impl Kind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Page, Self::Record];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Page => "page",
            Self::Record => "record",
        })
    }
}

impl FromStr for Kind {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "page" => Ok(Self::Page),
            "record" => Ok(Self::Record),
            _ => Err(()),
        }
    }
}

/// A record or page. One URL has one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its address, the key under which it is updated and deleted.
    pub url: String,
    /// What it was made from.
    pub kind: Kind,
    /// The title.
    pub title: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Sets or albums.
    pub sets: Vec<String>,
    /// Groups or pools.
    pub groups: Vec<String>,
    /// The description.
    pub description: String,
    /// Who uploaded it.
    pub uploader: String,
    /// The host, as `photos.example.org`.
    pub site: String,
    /// The page's text.
    pub text: String,
    /// The language that the page declares, as `en` or `zh-CN`.
    pub language: Option<String>,
    /// How many comments it has.
    pub comments: u64,
    /// The similarity of the document and its uploader's profile, from 0 to 1; `None` without a profile.
    pub similarity: Option<f32>,
    /// When it was made.
    pub date: Option<Day>,
    /// Bytes of the page or picture.
    pub size: u64,
    /// What kind of page it is.
    pub page_type: PageType,
    /// How relevant the judge found it.
    pub relevance: f32,
    /// Its picture.
    pub picture: Option<Picture>,
}

/// A picture and its visual words.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Its address.
    pub url: String,
    /// The path of its thumbnail.
    pub thumbnail: String,
    /// Its words, of the index's codebook.
    pub words: Words,
}

/// The longest URL, in bytes.
pub(crate) const MAX_URL: usize = 8192;
/// The longest title, name or tag, in bytes.
const MAX_SHORT: usize = 1024;
/// The longest description, in bytes.
const MAX_LONG: usize = 64 << 10;
/// The longest text, in bytes.
const MAX_TEXT: usize = 1 << 20;
/// Bytes of a text that are kept for excerpts.
const MAX_KEPT: usize = 16 << 10;
/// The most tags, sets or groups.
const MAX_VALUES: usize = 256;

/// What a hit shows of a document; stored with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) url: String,
    pub(crate) kind: Kind,
    pub(crate) language: u8,
    pub(crate) title: String,
    pub(crate) tags: Vec<String>,
    pub(crate) sets: Vec<String>,
    pub(crate) groups: Vec<String>,
    pub(crate) description: String,
    pub(crate) uploader: String,
    pub(crate) site: String,
    pub(crate) text: String,
    pub(crate) date: Option<i64>,
    pub(crate) picture: Option<ShownPicture>,
}

/// What a hit shows of a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShownPicture {
    pub(crate) url: String,
    pub(crate) thumbnail: String,
    /// Name, red, green and blue, per cent.
    pub(crate) dominant: Vec<(String, [u8; 3], u8)>,
}

impl Document {
    /// The parts that are shown, within their bounds.
    pub(crate) fn shown(&self, language: u8) -> Shown {
        let short = |text: &str| cut(text, MAX_SHORT).to_owned();
        Shown {
            url: self.url.clone(),
            kind: self.kind,
            language,
            title: short(&self.title),
            tags: values(&self.tags).map(str::to_owned).collect(),
            sets: values(&self.sets).map(str::to_owned).collect(),
            groups: values(&self.groups).map(str::to_owned).collect(),
            description: cut(&self.description, MAX_KEPT).to_owned(),
            uploader: short(&self.uploader),
            site: short(&self.site),
            text: cut(&self.text, MAX_KEPT).to_owned(),
            date: self.date.map(|day| day.0),
            picture: self.picture.as_ref().map(|picture| ShownPicture {
                url: cut(&picture.url, MAX_URL).to_owned(),
                thumbnail: cut(&picture.thumbnail, MAX_URL).to_owned(),
                dominant: picture
                    .words
                    .dominant
                    .iter()
                    .map(|colour| (colour.name.clone(), colour.colour, colour.per_cent))
                    .collect(),
            }),
        }
    }

    /// The title, within its bound.
    pub(crate) fn title(&self) -> &str {
        cut(&self.title, MAX_SHORT)
    }

    /// The description, within its bound.
    pub(crate) fn description(&self) -> &str {
        cut(&self.description, MAX_LONG)
    }

    /// The text, within its bound.
    pub(crate) fn text(&self) -> &str {
        cut(&self.text, MAX_TEXT)
    }

    /// The uploader, within its bound.
    pub(crate) fn uploader(&self) -> &str {
        cut(&self.uploader, MAX_SHORT)
    }

    /// The site, within its bound.
    pub(crate) fn site(&self) -> &str {
        cut(&self.site, MAX_SHORT)
    }
}

/// Tags, sets or groups within their bounds.
pub(crate) fn values(values: &[String]) -> impl Iterator<Item = &str> {
    values.iter().map(|value| cut(value.trim(), MAX_SHORT)).filter(|value| !value.is_empty()).take(MAX_VALUES)
}

/// The beginning of a text, no longer than `most` bytes.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        assert_eq!(cut("röse", 2), "r");
        assert_eq!(cut("röse", 3), "rö");
        assert_eq!(cut("röse", 99), "röse");
        let document = Document {
            title: "é".repeat(MAX_SHORT),
            tags: vec![" a ".to_owned(), String::new(), "t".repeat(5000)],
            ..Document::default()
        };
        let shown = document.shown(0);
        assert_eq!(shown.title.len(), MAX_SHORT);
        assert_eq!(shown.tags[0], "a");
        assert_eq!((shown.tags.len(), shown.tags[1].len()), (2, MAX_SHORT));
    }
}
