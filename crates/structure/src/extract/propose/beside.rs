//! Where the record's title stands on each sample page, and how far from it other texts are. Found once for a sample:
//! a page may have thousands of path strings, and each of them asks.

use super::super::path::PathPattern;
use super::sheet::{Sample, Sheet, Text};

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
    /// How many texts that are no template text stand before each text of the sheet.
    data_before: Vec<usize>,
}

impl Beside {
    /// Looks for the title of a sample.
    pub(super) fn new(sample: &Sample<'_>, title: Option<&PathPattern>) -> Self {
        let Some(title) = title else { return Self::default() };
        Self { pages: sample.sheets.iter().map(|sheet| OnPage::new(sheet, title)).collect() }
    }

    /// How many texts stand between the title and a text of a page, template text included.
    pub(super) fn texts_between(&self, page: usize, text: &Text<'_>) -> Option<usize> {
        Some(self.pages.get(page)?.as_ref()?.place.abs_diff(text.place))
    }

    /// How many texts that are no template text stand between them; the first of the two counts.
    pub(super) fn data_between(&self, sample: &Sample<'_>, page: usize, text: &Text<'_>) -> Option<usize> {
        let title = self.pages.get(page)?.as_ref()?;
        let sheet = sample.sheets.get(page)?;
        let before = |place: usize| title.data_before.get(sheet.index_of(place)).copied();
        Some(before(title.place)?.abs_diff(before(text.place)?))
    }
}

impl OnPage {
    fn new(sheet: &Sheet<'_>, title: &PathPattern) -> Option<Self> {
        let found = sheet.texts.iter().find(|text| title.matches(sheet.page.path_string(text.path)))?;
        let mut data = 0;
        let count = |text: &Text<'_>| {
            let before = data;
            data += usize::from(!text.is_template);
            before
        };
        Some(Self { place: found.place, data_before: sheet.texts.iter().map(count).collect() })
    }
}
