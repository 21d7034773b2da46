//! The results of a search.

use std::time::Duration;

use osprey_text::Language;

use super::{Cluster, Facets, Highlight, Suggestion};
use crate::document::{DocumentKind, Shown};
use crate::query::Day;

/// The results of a search.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The number of matching documents; for an example alone, of documents that share a strong word with it.
    pub total: u64,
    /// The requested page, best first.
    pub hits: Vec<Hit>,
    /// What the matches have in common.
    pub facets: Facets,
    /// The best results in groups.
    pub clusters: Vec<Cluster>,
    /// A query that should find more.
    pub suggestion: Option<Suggestion>,
    /// Stop words of the query, which were not required.
    pub ignored: Vec<String>,
    /// The duration of the search.
    pub took: Duration,
}

/// A document that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its rank, from 1.
    pub rank: usize,
    /// Its URL.
    pub url: String,
    /// Its source: a page or a record.
    pub kind: DocumentKind,
    /// Its title.
    pub title: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Who uploaded it.
    pub uploader: String,
    /// Its host.
    pub site: String,
    /// Its description.
    pub description: String,
    /// Its date.
    pub date: Option<Day>,
    /// The URL of its picture.
    pub image: Option<String>,
    /// The path of its thumbnail.
    pub thumbnail: Option<String>,
    /// The main colours of its picture, by name.
    pub colours: Vec<DominantColour>,
    /// Its score: the sum of its parts.
    pub score: f32,
    /// The contribution of each condition.
    pub parts: Vec<Part>,
    /// Excerpts in which the words of the query are marked.
    pub highlights: Vec<Highlight>,
    /// Whether the user rated it good; `None` if it is not rated.
    pub good: Option<bool>,
}

/// A part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The condition as written in the query, or `like`.
    pub name: String,
    /// Its contribution.
    pub score: f32,
}

/// A colour of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DominantColour {
    /// Its name.
    pub name: String,
    /// Red, green and blue.
    pub colour: [u8; 3],
    /// Its share of the picture in per cent.
    pub per_cent: u8,
}

impl Hit {
    pub(super) fn new(rank: usize, shown: Shown, parts: Vec<Part>, highlights: Vec<Highlight>) -> Self {
        let (image, thumbnail, colours) = match shown.picture {
            None => (None, None, Vec::new()),
            Some(picture) => {
                let colours = picture.dominant.into_iter();
                let colours =
                    colours.map(|(name, colour, per_cent)| DominantColour { name, colour, per_cent });
                (Some(picture.url), Some(picture.thumbnail), colours.collect())
            }
        };
        Self {
            rank,
            url: shown.url,
            kind: shown.kind,
            title: shown.title,
            tags: shown.tags,
            uploader: shown.uploader,
            site: shown.site,
            description: shown.description,
            date: shown.date.map(Day),
            image,
            thumbnail,
            colours,
            // not the score used for ranking, since the order of additions may differ: the sum of the parts shown
            score: parts.iter().map(|part| part.score).sum(),
            parts,
            highlights,
            good: None,
        }
    }
}

impl Shown {
    /// The language in which it was read.
    pub(crate) fn language(&self) -> Language {
        Language::ALL.get(usize::from(self.language)).copied().unwrap_or_default()
    }
}
