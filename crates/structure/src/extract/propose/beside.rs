//! Where the record's title stands on each sample page, and how far from it other texts are. Found once for a sample:
//! a page may have thousands of path strings, and each of them asks.

use super::super::path::PathPattern;
use super::page_texts::{PageTexts, Sample, Text};

/// The places of the title.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// By page; nothing for pages without the title.
    pages: Vec<Option<OnPage>>,
}

#[derive(Debug)]
struct OnPage {
    /// The title's place among the page's texts.
    place: usize,
    /// How many texts that are no template text stand before each text of the page_texts.
    data_before: Vec<usize>,
}

impl Beside {
    /// Looks for the title of a sample.
    pub(super) fn new(sample: &Sample<'_>, title: Option<&PathPattern>) -> Self {
        let Some(title) = title else { return Self::default() };
        Self { pages: sample.sample_pages.iter().map(|page_texts| OnPage::new(page_texts, title)).collect() }
    }

    /// How many texts stand between the title and a text of a page, template text included.
    pub(super) fn texts_between(&self, page: usize, text: &Text<'_>) -> Option<usize> {
        Some(self.pages.get(page)?.as_ref()?.place.abs_diff(text.place))
    }

    /// How many texts that are no template text stand between them; the first of the two counts.
    pub(super) fn data_between(&self, sample: &Sample<'_>, page: usize, text: &Text<'_>) -> Option<usize> {
        let title = self.pages.get(page)?.as_ref()?;
        let page_texts = sample.sample_pages.get(page)?;
        let before = |place: usize| title.data_before.get(page_texts.index_of(place)).copied();
        Some(before(title.place)?.abs_diff(before(text.place)?))
    }
}

impl OnPage {
    fn new(page_texts: &PageTexts<'_>, title: &PathPattern) -> Option<Self> {
        let found =
            page_texts.texts.iter().find(|text| title.matches(page_texts.page.path_string(text.path)))?;
        let mut data = 0;
        let count = |text: &Text<'_>| {
            let before = data;
            data += usize::from(!text.is_template);
            before
        };
        Some(Self { place: found.place, data_before: page_texts.texts.iter().map(count).collect() })
    }
}
