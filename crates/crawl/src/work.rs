//! What a lease is for, decoded once when it is handed out.

use osprey_frontier::Lease;
use osprey_model::{CanonicalUrl, GroupId};

use crate::rows::decode;
use crate::{BlockNote, CrawlError};

/// What a link is going to bring, by the way it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A page, a picture, a feed: whatever it says it is.
    Page,
    /// A sitemap, in any of its forms.
    Sitemap,
    /// A picture, which is not analysed during the crawl.
    Picture,
}

/// A lease, and what it is about.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) lease: Lease,
    pub(crate) work: Work,
    /// Whether it was put back to be fetched again.
    pub(crate) is_revisit: bool,
    /// What is remembered of the page that found it.
    pub(crate) block: BlockNote,
}

impl Job {
    pub(crate) fn decode(lease: Lease) -> Result<Self, CrawlError> {
        let block: BlockNote = decode("block", &lease.block)?;
        let work = match () {
            () if lease.group == GroupId::PICTURES => Work::Picture,
            () if block.sitemaps > 0 => Work::Sitemap,
            () => Work::Page,
        };
        Ok(Self { lease, work, is_revisit: false, block })
    }

    pub(crate) fn url(&self) -> &CanonicalUrl {
        &self.lease.url
    }

    /// Whether it counts towards the page budget.
    pub(crate) fn is_new_page(&self) -> bool {
        !self.is_picture() && !self.is_revisit
    }

    /// Whether it is a picture's: those are not visits, and policies do not see them.
    pub(crate) fn is_picture(&self) -> bool {
        self.work == Work::Picture
    }
}
