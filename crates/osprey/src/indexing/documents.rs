//! From a page that was fetched, and the record that was read from it, to what is indexed.

use osprey_crawl::{VisitRow, pictures_of};
use osprey_index::{Document, Kind};
use osprey_model::{CanonicalUrl, PageType, UrlRules};
use osprey_page::Page;
use osprey_steer::text::{Counts, Vector, detect, with_reader};
use osprey_structure::extract::{Record, RecordKind, iso_date};
use osprey_structure::{Reading, Site};
use rustc_hash::FxHashMap;

/// Profiles that are remembered.
const MAX_PROFILES: usize = 200_000;

/// What profiles say, by their URL: for the likeness of a thing and whoever put it there (seed 002, equation 20).
#[derive(Debug, Default)]
pub(super) struct Profiles(FxHashMap<String, Vector>);

impl Profiles {
    /// Remembers a profile.
    pub(super) fn learn(&mut self, record: &Record) {
        if record.kind == RecordKind::Profile && self.0.len() < MAX_PROFILES {
            let terms = record.terms.values().flatten();
            let texts = record.title.iter().chain(&record.description).chain(&record.tags).chain(terms);
            self.0.insert(record.url.clone(), vector(texts.map(String::as_str)));
        }
    }

    /// How alike a record and its uploader's profile are; `None` without a profile.
    fn similarity(&self, record: &Record) -> Option<f32> {
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

/// A page and what is to be found of it, but for the picture.
#[derive(Debug)]
pub(super) struct Drafted {
    pub(super) document: Document,
    /// Where its picture may be, the best first.
    pub(super) pictures: Vec<CanonicalUrl>,
}

/// What is indexed of a page.
pub(super) fn draft(
    visit: &VisitRow,
    page: &Page,
    site: Option<&Site>,
    profiles: &Profiles,
    urls: &UrlRules,
) -> Drafted {
    let reading = site.map(|site| site.read(page));
    let page_type = reading.as_ref().map_or(PageType::Other, |reading: &Reading| reading.page_type);
    let mut document = Document {
        url: page.url().to_string(),
        kind: Kind::Page,
        title: page.title().to_owned(),
        description: page.description().unwrap_or_default().to_owned(),
        site: page.url().host().to_owned(),
        text: page.text().to_owned(),
        language: page.lang().map(str::to_owned),
        size: visit.bytes,
        page_type,
        relevance: visit.relevance.unwrap_or_default(),
        ..Document::default()
    };
    let record = reading.and_then(|reading| reading.record);
    let pictures = pictures_of(record.as_ref(), page, urls);
    if let Some(record) = record {
        document.similarity = profiles.similarity(&record);
        add_record(&mut document, record);
    }
    Drafted { document, pictures }
}

fn add_record(document: &mut Document, record: Record) {
    document.kind = Kind::Record;
    let counted = record.counts.get("comments").copied().unwrap_or(0);
    document.comments = counted.max(record.comments.len() as u64);
    document.date = record.date.and_then(|date| osprey_index::query::Day::parse(&iso_date(&date)?));
    document.title = record.title.unwrap_or_else(|| std::mem::take(&mut document.title));
    document.description = record.description.unwrap_or_else(|| std::mem::take(&mut document.description));
    document.uploader = record.uploader.unwrap_or_default();
    (document.tags, document.sets, document.groups) = (record.tags, record.sets, record.groups);
}
