//! Where the record's title is on each sample page, and how far other texts are from it. Computed once for a sample: a
//! page may have thousands of path strings, and each of them needs it.

use super::super::path::PathPattern;
use super::page_texts::{PageTexts, Sample, Text};

/// The places of the title.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// By page; `None` for pages without the title.
    pages: Vec<Option<OnPage>>,
}

#[derive(Debug)]
struct OnPage {
    /// The title's place among the page's texts.
    place: usize,
    /// For each text of the page: how many texts before it are not template text.
    data_before: Vec<usize>,
}

impl Beside {
    /// Looks for the title of a sample.
    pub(super) fn new(sample: &Sample<'_>, title: Option<&PathPattern>) -> Self {
        let Some(title) = title else { return Self::default() };
        Self { pages: sample.sample_pages.iter().map(|page_texts| OnPage::new(page_texts, title)).collect() }
    }

    /// How many texts are between the title and a text of a page, template text included.
    pub(super) fn texts_between(&self, page: usize, text: &Text<'_>) -> Option<usize> {
        Some(self.pages.get(page)?.as_ref()?.place.abs_diff(text.place))
    }

    /// How many texts between them are not template text; the first of the two counts.
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
