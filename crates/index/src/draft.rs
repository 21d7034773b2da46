//! Makes a document from a page and the record that was extracted from it.

use osprey_model::PageType;
use osprey_page::Page;
use osprey_structure::Reading;
use osprey_structure::extract::{Record, RecordKind, iso_date};
use osprey_text::{Counts, Vector, detect, with_reader};
use rustc_hash::FxHashMap;

use crate::document::{Document, DocumentKind};
use crate::query::Day;

/// Maximum number of profiles in memory.
const MAX_PROFILES: usize = 200_000;

/// The terms of profiles by URL, for the similarity of an item and its uploader (Zhang 2008, equation 20).
#[derive(Debug, Default)]
pub struct Profiles(FxHashMap<String, Vector>);

impl Profiles {
    /// Whether a profile is known.
    pub fn knows(&self, url: &str) -> bool {
        self.0.contains_key(url)
    }

    /// Adds a profile.
    pub fn learn(&mut self, record: &Record) {
        if record.kind == RecordKind::Profile && self.0.len() < MAX_PROFILES {
            let terms = record.terms.values().flatten();
            let texts = record.title.iter().chain(&record.description).chain(&record.tags).chain(terms);
            self.0.insert(record.url.clone(), vector(texts.map(String::as_str)));
        }
    }

    /// The similarity of a record and its uploader's profile; `None` without a profile.
    pub fn similarity(&self, record: &Record) -> Option<f32> {
        let profile = self.0.get(record.uploader_url.as_ref()?)?;
        let lists = record.tags.iter().chain(&record.sets).chain(&record.groups);
        let texts = record.title.iter().chain(&record.description).chain(lists);
        Some(vector(texts.map(String::as_str)).cosine(profile))
    }
}

fn vector<'a>(texts: impl Iterator<Item = &'a str>) -> Vector {
    let text = texts.collect::<Vec<_>>().join("\n");
    let language = detect(&text, None);
    with_reader(|reader| Vector::of_counts(&Counts::of(reader, &text, language)))
}

/// The document of a page. The caller adds its picture, its similarity to the uploader's profile
/// ([`Profiles::similarity`]), and what only the crawl knows: size and relevance.
pub fn document_of(page: &Page, reading: Option<&Reading>) -> Document {
    let mut document = Document {
        url: page.url().to_string(),
        kind: DocumentKind::Page,
        title: page.title().to_owned(),
        description: page.description().unwrap_or_default().to_owned(),
        site: page.url().host().to_owned(),
        text: page.text().to_owned(),
        language: page.lang().map(str::to_owned),
        page_type: reading.map_or(PageType::Other, |reading| reading.page_type),
        ..Document::default()
    };
    if let Some(record) = reading.and_then(|reading| reading.record.as_ref()) {
        add_record(&mut document, record);
    }
    document
}

fn add_record(document: &mut Document, record: &Record) {
    document.kind = DocumentKind::Record;
    let counted = record.counts.get("comments").copied().unwrap_or(0);
    document.comments = counted.max(record.comments.len() as u64);
    document.date = record.date.as_deref().and_then(iso_date).and_then(|date| Day::parse(&date));
    let fields = [
        (&mut document.title, &record.title),
        (&mut document.description, &record.description),
        (&mut document.uploader, &record.uploader),
    ];
    for (field, value) in fields {
        if let Some(value) = value {
            field.clone_from(value);
        }
    }
    document.tags.clone_from(&record.tags);
    document.sets.clone_from(&record.sets);
    document.groups.clone_from(&record.groups);
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    fn page(body: &str) -> Page {
        let url = CanonicalUrl::parse("http://a.example/p/1", &UrlRules::default()).unwrap();
        let input = Input { url: &url, content_type: Some("text/html"), body: body.as_bytes() };
        Page::parse(&input, &PageRules::default())
    }

    fn reading(record: Option<Record>) -> Reading {
        Reading { cluster: None, page_type: PageType::Detail, wanted: None, record }
    }

    #[test]
    fn a_record_says_more_than_its_page() {
        let page = page("<title>Rose - A site</title><p>A rose is a rose.");
        let plain = document_of(&page, None);
        assert_eq!(
            (plain.kind, plain.title.as_str(), plain.site.as_str()),
            (DocumentKind::Page, "Rose - A site", "a.example")
        );
        let mut record = Record::new("http://a.example/p/1", RecordKind::Detail);
        record.title = Some("Rose".to_owned());
        record.tags = vec!["flower".to_owned()];
        record.date = Some("taken on 3 April 2007".to_owned());
        record.counts.insert("comments".to_owned(), 4);
        let document = document_of(&page, Some(&reading(Some(record))));
        assert_eq!(
            (document.kind, document.title.as_str(), document.comments),
            (DocumentKind::Record, "Rose", 4)
        );
        assert_eq!(document.date, Day::parse("2007-04-03"));
        assert_eq!((document.text.as_str(), document.similarity), (plain.text.as_str(), None));
    }

    /// Terms of the item: rose, garden. Of the profile: rose twice, dog. Cosine 2 / (sqrt 2 * sqrt 5).
    #[test]
    fn likeness_to_the_uploader_is_a_cosine() {
        let mut profile = Record::new("http://a.example/u/1", RecordKind::Profile);
        profile.tags = vec!["rose".to_owned(), "dog".to_owned(), "rose".to_owned()];
        let mut profiles = Profiles::default();
        profiles.learn(&profile);
        let mut thing = Record::new("http://a.example/p/1", RecordKind::Detail);
        thing.tags = vec!["rose".to_owned(), "garden".to_owned()];
        assert_eq!(profiles.similarity(&thing), None);
        thing.uploader_url = Some("http://a.example/u/1".to_owned());
        let expect = 2.0 / (2.0_f32.sqrt() * 5.0_f32.sqrt());
        assert!((profiles.similarity(&thing).unwrap() - expect).abs() < 1e-5);
        profiles.learn(&thing);
        assert_eq!(profiles.0.len(), 1);
    }
}
