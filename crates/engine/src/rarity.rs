//! How rare the terms of the topic are on the project's own pages: `topic.idf`.
//!
//! Counted once, when a crawl begins, and kept: a crawl that is resumed weighs terms as it did before, whatever it has
//! fetched since. Other terms are counted anew. To count again, delete the file.

use std::sync::Arc;

use osprey_steer::genre::{RarityCounter, TermRarity};
use osprey_text::Words;

use crate::error::{Error, Result};
use crate::project::Project;

/// Pages that are counted.
const COUNTED_PAGES: usize = 2000;

impl Project {
    /// The counts, where the topic asks for them; an error if there are no pages to count.
    pub(crate) fn term_rarity(&self) -> Result<Option<Arc<TermRarity>>> {
        let subject = self.resolved.subject();
        if !subject.idf {
            return Ok(None);
        }
        if let Some(stored) = self.stored_rarity() {
            return Ok(Some(stored));
        }
        let mut counter = RarityCounter::of_subject(subject);
        self.some_pages(COUNTED_PAGES, |page| counter.add(&Words::of(page.text(), page.lang())))?;
        let rarity = counter.finish();
        if rarity.pages() == 0 {
            let dir = self.layout().dir().display();
            return Err(Error::Usage(format!(
                "`topic.idf`: terms are counted on pages of the project, and it has none; run `osprey learn {dir}` first, \
                 or crawl some pages without it"
            )));
        }
        let text = serde_json::to_string_pretty(&rarity).unwrap_or_default();
        osprey_files::write_durably(&self.layout().term_rarity(), text)?;
        Ok(Some(Arc::new(rarity)))
    }

    /// The counts of an earlier run, if they are of the topic's terms.
    pub(crate) fn stored_rarity(&self) -> Option<Arc<TermRarity>> {
        let text = std::fs::read_to_string(self.layout().term_rarity()).ok()?;
        let stored: TermRarity = serde_json::from_str(&text).ok()?;
        let subject = self.resolved.subject();
        (subject.idf && stored.is_of(subject)).then(|| Arc::new(stored))
    }
}
