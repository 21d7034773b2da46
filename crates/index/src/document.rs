//! What is indexed: a record or a page, with its picture.
//!
//! A document knows nothing of projects, crawls or archives; the caller makes documents from them. Texts come from
//! the Web, so each is cut to a limit when it is indexed. The rest is not searched, and is never an error.

use std::fmt;
use std::str::FromStr;

use osprey_model::PageType;
use osprey_vision::Words;
use serde::{Deserialize, Serialize};

use crate::query::Day;

/// The source of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentKind {
    /// The page itself.
    #[default]
    Page,
    /// What was extracted from a detail or profile page, or a picture file.
    Record,
}

impl DocumentKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Page, Self::Record];
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Page => "page",
            Self::Record => "record",
        })
    }
}

impl FromStr for DocumentKind {
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
    /// Its URL, the key for updates and deletion.
    pub url: String,
    /// Its source.
    pub kind: DocumentKind,
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
    /// The host, such as `photos.example.org`.
    pub site: String,
    /// The page's text.
    pub text: String,
    /// The language that the page declares, such as `en` or `zh-CN`.
    pub language: Option<String>,
    /// How many comments it has.
    pub comments: u64,
    /// The similarity between the document and its uploader's profile, from 0 to 1; `None` without a profile.
    pub similarity: Option<f32>,
    /// The date of the item.
    pub date: Option<Day>,
    /// Size of the page or picture in bytes.
    pub size: u64,
    /// The page type.
    pub page_type: PageType,
    /// The relevance according to the judge.
    pub relevance: f32,
    /// Its picture.
    pub picture: Option<Picture>,
}

/// A picture with its visual words.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Its URL.
    pub url: String,
    /// The path of its thumbnail.
    pub thumbnail: String,
    /// Its visual words, from the index's codebook.
    pub words: Words,
}

/// Maximum length of a URL in bytes.
pub(crate) const MAX_URL: usize = 8192;
/// Maximum length of a title, name or tag in bytes.
const MAX_SHORT: usize = 1024;
/// Maximum length of a description in bytes.
const MAX_LONG: usize = 64 << 10;
/// Maximum length of a text in bytes.
const MAX_TEXT: usize = 1 << 20;
/// Number of bytes of a text that are stored for excerpts.
const MAX_KEPT: usize = 16 << 10;
/// Maximum number of tags, sets or groups.
const MAX_VALUES: usize = 256;

/// What a hit shows of a document; stored in the index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) url: String,
    pub(crate) kind: DocumentKind,
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
    /// Name; red, green and blue; per cent of the picture.
    pub(crate) dominant: Vec<(String, [u8; 3], u8)>,
}

impl Document {
    /// The parts that hits show, within their limits.
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

    /// The title, within its limit.
    pub(crate) fn title(&self) -> &str {
        cut(&self.title, MAX_SHORT)
    }

    /// The description, within its limit.
    pub(crate) fn description(&self) -> &str {
        cut(&self.description, MAX_LONG)
    }

    /// The text, within its limit.
    pub(crate) fn text(&self) -> &str {
        cut(&self.text, MAX_TEXT)
    }

    /// The uploader, within its limit.
    pub(crate) fn uploader(&self) -> &str {
        cut(&self.uploader, MAX_SHORT)
    }

    /// The site, within its limit.
    pub(crate) fn site(&self) -> &str {
        cut(&self.site, MAX_SHORT)
    }
}

/// Tags, sets or groups, within their limits.
pub(crate) fn values(values: &[String]) -> impl Iterator<Item = &str> {
    values.iter().map(|value| cut(value.trim(), MAX_SHORT)).filter(|value| !value.is_empty()).take(MAX_VALUES)
}

/// The beginning of a text, at most `most` bytes.
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
