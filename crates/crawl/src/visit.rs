//! The row of a visit: everything that `export --what visits` and `explain` show, and everything a resumed crawl needs.

use std::collections::BTreeMap;

use osprey_archive::Position;
use osprey_model::{CanonicalUrl, GroupId, LinkId, Timestamp};
use osprey_steer::{Cause, FreshLinks, Placing, Policy, Repeat};
use serde::{Deserialize, Serialize};

use crate::CrawlError;
use crate::rows::row_error;

/// What was reported to the policy about a visit; a resumed crawl reports the same again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// Nothing: not a page.
    Nothing,
    /// A page.
    Page,
    /// A sitemap.
    Sitemap,
    /// A failure.
    Failure,
    /// A duplicate or a redirect.
    Repeat,
}

/// One fetched URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VisitRow {
    /// The visit's number, from 1.
    pub n: u64,
    /// What was requested.
    pub url: String,
    /// Where a redirect pointed; otherwise `url`.
    pub final_url: String,
    /// The status; 0 where there was no answer.
    pub status: u16,
    /// When.
    pub fetched_at: Timestamp,
    /// Size of the body.
    pub bytes: u64,
    /// As declared by the server, without parameters.
    pub media_type: Option<String>,
    /// SHA-256 of the body.
    pub digest: Option<String>,
    /// The kind of page, once a site has been learned.
    pub page_type: Option<String>,
    /// The learned cluster.
    pub cluster: Option<u32>,
    /// The judge's figure.
    pub relevance: Option<f32>,
    /// The judge's verdict.
    #[serde(default)]
    pub relevant: bool,
    /// The link's priority when it was leased.
    pub score: f32,
    /// The policy that gave it.
    pub policy: String,
    /// The page it was found on.
    pub parent: Option<String>,
    /// Hops from a seed.
    pub depth: u32,
    /// Where on the parent it was found.
    pub apath: Option<String>,
    /// The signals behind the score.
    #[serde(default)]
    pub why: BTreeMap<String, f32>,
    /// Whether it was understood as a page.
    #[serde(default)]
    pub is_page: bool,
    /// Whether a limit on bodies or pages was reached.
    #[serde(default)]
    pub is_cut: bool,
    /// The page's title.
    pub title: Option<String>,
    /// The link's number in the frontier.
    pub link: LinkId,
    /// Where the answer is archived.
    pub archived: Option<Position>,
    /// The page's simhash.
    pub simhash: Option<u64>,
    /// The URL whose body this one repeats.
    pub duplicate_of: Option<String>,
    /// The visit that this one nearly repeats.
    pub near_duplicate_of: Option<u64>,
    /// What it shows, in short: see `content.rs`.
    #[serde(default)]
    pub shows: Option<String>,
    /// Whether there is a form to log in on it.
    #[serde(default)]
    pub is_login: bool,
    /// What was remarkable: limits reached, `not in the recording`, the error.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Which links of a page were new.
    #[serde(default = "FreshLinks::unknown")]
    pub fresh: FreshLinks,
    /// What was reported to the policy.
    pub told: Told,
    /// The group that the link waited in.
    #[serde(default)]
    pub group: GroupId,
    /// Whether the link had been fetched before.
    #[serde(default)]
    pub is_revisit: bool,
    /// Whether a revisit found what was there before; `archived` is then the answer of before.
    #[serde(default)]
    pub is_unchanged: bool,
}

impl VisitRow {
    /// The key of visit `n`.
    pub fn key(n: u64) -> [u8; 8] {
        n.to_be_bytes()
    }

    /// Whether the fetch got no usable answer.
    pub fn is_failure(&self) -> bool {
        self.status == 0 || self.status >= 400
    }

    /// Whether a record may have been read from it: it is a page, and the first of its kind and content.
    pub fn has_record(&self) -> bool {
        self.is_page && self.duplicate_of.is_none() && !self.is_unchanged
    }

    /// What to report to the policy about a failure.
    pub(crate) fn cause(&self) -> Cause<'static> {
        if self.status == 0 { Cause::Silence } else { Cause::Status(self.status) }
    }

    /// Tells a policy of it if it found nothing new.
    pub(crate) fn tell_repeat(
        &self,
        policy: &mut dyn Policy,
        placing: &mut Placing,
    ) -> Result<(), CrawlError> {
        let stored = |url: &str| CanonicalUrl::from_stored(url).map_err(|cause| row_error("visit", &cause));
        let (url, to) = (stored(&self.url)?, stored(&self.final_url)?);
        let to = Some(&to).filter(|to| **to != url);
        let &Self { link: id, group, depth, ref why, .. } = self;
        policy.on_repeat(&Repeat { id, url: &url, to, group, depth, why }, placing);
        Ok(())
    }
}

/// What a frontier block remembers of the page that found its links.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockNote {
    /// The page's URL; `None` for seeds.
    pub parent: Option<String>,
    /// The links' depth.
    pub depth: u32,
    /// Redirects in a row that led here.
    pub hops: u32,
    /// Whether the links are sitemaps: 1 if robots.txt names them, 2 if another sitemap does, else 0.
    pub sitemaps: u8,
}

/// What the frontier remembers of a link besides its score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkNote {
    /// Its position on the parent.
    pub apath: String,
    /// Its anchor text, cut.
    pub anchor: String,
    /// The signals behind its own score.
    pub parts: Vec<(String, f32)>,
}

/// [`LinkNote`] on its way in: the same bytes, nothing copied.
#[derive(Serialize)]
pub(crate) struct LinkNoteRef<'a> {
    pub(crate) apath: &'a str,
    pub(crate) anchor: &'a str,
    pub(crate) parts: &'a [(&'static str, f32)],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_borrowed_note_reads_back_as_an_owned_one() {
        let note = LinkNoteRef { apath: "/html/body/a[x]", anchor: "next", parts: &[("page", 0.25)] };
        let read: LinkNote = postcard::from_bytes(&postcard::to_stdvec(&note).unwrap()).unwrap();
        let parts = vec![("page".to_owned(), 0.25)];
        assert_eq!(read, LinkNote { apath: "/html/body/a[x]".into(), anchor: "next".into(), parts });
    }
}
