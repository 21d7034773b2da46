//! What the archive says of a visit: the block of the WARC `metadata` record that follows its answer.
//!
//! ```text
//! {"osprey":1,"kind":"page","model":"<key of the learned site>","visit":{<the row>}}
//! ```
//!
//! The row is the one that is committed, word for word, but for `archived`, which is left out where it is the record
//! just before; so the crawl half can be rebuilt from the archive, and the search half needs nothing else. A picture
//! has `picture` instead of `visit`, an answer for robots.txt `robots`. Version numbers only ever grow; fields that are
//! not known are skipped, and versions that are not known are skipped whole.

use osprey_archive::Position;
use serde::{Deserialize, Serialize};

use crate::rows::row_error;
use crate::{CrawlError, PictureRow, VisitRow};

/// The version that this build writes.
pub(crate) const VERSION: u32 = 1;

/// What a visit was, in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// A page that was not there before.
    Page,
    /// A page with the content of another one.
    Copy,
    /// An answer that points elsewhere.
    Redirect,
    /// A sitemap, an index of sitemaps or a feed.
    Sitemap,
    /// A picture.
    Picture,
    /// No answer, or an error.
    Failure,
    /// A revisit that found what was there before.
    Unchanged,
    /// An answer for robots.txt.
    Robots,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}

impl EventKind {
    /// The kind of a visit; the row does not say whether a sitemap was read.
    pub(crate) fn of_visit(row: &VisitRow, is_sitemap: bool) -> Self {
        match row {
            row if row.is_failure() => Self::Failure,
            row if row.is_unchanged => Self::Unchanged,
            row if (300..400).contains(&row.status) => Self::Redirect,
            row if row.is_page && row.duplicate_of.is_some() => Self::Copy,
            row if row.is_page => Self::Page,
            _ if is_sitemap => Self::Sitemap,
            _ => Self::Other,
        }
    }

    /// The kind of a picture's fetch.
    pub(crate) fn of_picture(row: &PictureRow) -> Self {
        match row {
            row if row.is_failure() => Self::Failure,
            row if row.is_unchanged => Self::Unchanged,
            row if (300..400).contains(&row.status) => Self::Redirect,
            _ => Self::Picture,
        }
    }

    /// As written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Copy => "copy",
            Self::Redirect => "redirect",
            Self::Sitemap => "sitemap",
            Self::Picture => "picture",
            Self::Failure => "failure",
            Self::Unchanged => "unchanged",
            Self::Robots => "robots",
            Self::Other => "other",
        }
    }
}

/// An answer for robots.txt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RobotsNote {
    /// The URL whose rules it has; `None` if it is a redirect on the way to them.
    pub(crate) home: Option<String>,
}

/// The block of a metadata record, read.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    #[serde(default)]
    pub(crate) kind: EventKind,
    pub(crate) model: Option<String>,
    /// The kind of failure, where no answer came.
    pub(crate) error: Option<String>,
    pub(crate) visit: Option<Box<VisitRow>>,
    pub(crate) picture: Option<Box<PictureRow>>,
    pub(crate) robots: Option<RobotsNote>,
}

#[derive(Deserialize)]
struct Version {
    osprey: u32,
}

impl Metadata {
    /// Reads a block; the reason if it is none of ours or of a newer version.
    pub(crate) fn parse(block: &[u8]) -> Result<Self, String> {
        let Version { osprey } =
            serde_json::from_slice(block).map_err(|cause| format!("not metadata of a crawl: {cause}"))?;
        if osprey > VERSION {
            return Err(format!("metadata of version {osprey}; this build reads versions up to {VERSION}"));
        }
        serde_json::from_slice(block).map_err(|cause| format!("damaged metadata: {cause}"))
    }
}

/// A block on its way to the archive; the memory is kept between visits.
#[derive(Debug, Default)]
pub(crate) struct MetadataWriter {
    block: Vec<u8>,
    /// Where the row begins and ends in it.
    row: (usize, usize),
}

/// The name of a row in a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowName {
    Visit,
    Picture,
    Robots,
}

impl MetadataWriter {
    /// Makes the block of a row.
    pub(crate) fn make(
        &mut self,
        kind: EventKind,
        model: Option<&str>,
        error: Option<&str>,
        name: RowName,
        row: &impl Serialize,
    ) -> Result<(), CrawlError> {
        let out = &mut self.block;
        out.clear();
        out.extend_from_slice(b"{\"osprey\":1,\"kind\":\"");
        out.extend_from_slice(kind.name().as_bytes());
        out.push(b'"');
        for (key, value) in [(&b",\"model\":"[..], model), (b",\"error\":", error)] {
            if let Some(value) = value {
                out.extend_from_slice(key);
                serde_json::to_writer(&mut *out, value).map_err(|cause| row_error("metadata", &cause))?;
            }
        }
        out.extend_from_slice(match name {
            RowName::Visit => b",\"visit\":",
            RowName::Picture => b",\"picture\":",
            RowName::Robots => b",\"robots\":",
        });
        let begin = out.len();
        serde_json::to_writer(&mut *out, row).map_err(|cause| row_error("metadata", &cause))?;
        self.row = (begin, out.len());
        out.push(b'}');
        Ok(())
    }

    /// The block.
    pub(crate) fn block(&self) -> &[u8] {
        &self.block
    }

    /// The row as it is stored, with the place of its answer if the block has none.
    pub(crate) fn stored_row(&self, archived: Option<Position>) -> Vec<u8> {
        let row = self.block.get(self.row.0..self.row.1).unwrap_or_default();
        let Some(Position { file, offset, length }) = archived else { return row.to_vec() };
        let head = format!("{{\"archived\":{{\"file\":{file},\"offset\":{offset},\"length\":{length}}},");
        [head.as_bytes(), row.get(1..).unwrap_or_default()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_foreign_blocks_are_told_apart() {
        let check = |block: &str, expect: Result<EventKind, &str>| match (
            Metadata::parse(block.as_bytes()),
            expect,
        ) {
            (Ok(metadata), Ok(kind)) => assert_eq!(metadata.kind, kind, "{block}"),
            (Err(reason), Err(part)) => assert!(reason.contains(part), "{block}: {reason}"),
            (found, _) => panic!("{block}: {found:?}"),
        };
        check("{\"osprey\":1,\"kind\":\"robots\",\"robots\":{\"home\":null}}", Ok(EventKind::Robots));
        check("{\"osprey\":1,\"kind\":\"hologram\",\"more\":[1]}", Ok(EventKind::Other));
        check("{\"osprey\":2,\"kind\":7}", Err("version 2"));
        check("{\"osprey\":1,\"kind\":7}", Err("damaged"));
        check("{\"via\":\"http://a.example/\"}", Err("not metadata of a crawl"));
        check("via: http://a.example/", Err("not metadata of a crawl"));
        check("{\"osprey\":1", Err("not metadata of a crawl"));
    }
}
