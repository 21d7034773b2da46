//! What a page is worth to the user: the one answer that judge, policies, index and server share.
//!
//! `worth = kind x topic`, from 0 to 1. *Kind* says whether the page is of the wanted kind (an item, unless the user says
//! otherwise); *topic* says whether its title, tags and main text are about what the user asked for. Texts that stand on
//! many pages of the site (menus, footers) do not count; see [`Background`].

mod background;

use osprey_model::PageType;
use osprey_page::Page;
use osprey_structure::Reading;
use osprey_structure::drp::{DrpFeatures, Model};
use osprey_text::{PageWords, Wanted};

pub use self::background::Background;
use crate::{Known, PageKinds, SteeringConfigError, Subject};

/// What a page is worth, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worth {
    /// 0 to 1.
    pub value: f32,
    /// The witnesses, by name: `kind`, `topic`, ...
    pub parts: Vec<(&'static str, f32)>,
}

/// What the user wants, ready to look at pages.
#[derive(Clone, Debug)]
pub struct Want {
    words: Wanted,
    pages: PageKinds,
}

impl Want {
    /// Of a subject and what is known.
    pub fn new(subject: &Subject, _known: &Known) -> Result<Self, SteeringConfigError> {
        if subject.is_silent() {
            let message = "`want` needs `topic.words`, `topic.tags` or other words";
            return Err(SteeringConfigError::new("judge.kind", message));
        }
        Ok(Self { words: Wanted::new(subject.words().map(|word| (word, 1.0))), pages: subject.pages })
    }

    /// What a page is worth.
    pub fn worth(&self, page: &Page, words: &PageWords, reading: Option<&Reading>) -> Worth {
        let topic = (self.words.cosine_words(words.of(page)) * 5.0).min(1.0);
        let kind = self.kind(page, reading);
        Worth { value: kind * topic, parts: vec![("kind", kind), ("topic", topic)] }
    }

    fn kind(&self, page: &Page, reading: Option<&Reading>) -> f32 {
        let wanted = match self.pages {
            PageKinds::All => return 1.0,
            PageKinds::Items => PageType::Detail,
            PageKinds::People => PageType::Profile,
            PageKinds::Lists => PageType::List,
        };
        let looks = || Model::osprey().judge(&DrpFeatures::of(page)).detail;
        let is_wanted = match reading {
            Some(reading) if reading.cluster.is_some() => reading.page_type == wanted,
            _ => wanted == PageType::Detail && looks(),
        };
        if is_wanted { 1.0 } else { 0.0 }
    }
}
