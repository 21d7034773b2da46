//! Adds, removes and commits documents.
//!
//! Before [`Writer::commit`], nothing is visible and nothing survives a kill; after it, everything does. A commit can
//! contain a checkpoint, the caller's note of its progress, which is stored atomically with the commit: that makes
//! indexing resumable.

use osprey_model::PageType;
use osprey_text::Language;
use tantivy::{IndexWriter, TantivyDocument, Term};
use xxhash_rust::xxh3::xxh3_64;

use crate::document::{Document, DocumentKind, MAX_URL, values};
use crate::error::IndexError;
use crate::index::Index;
use crate::query::{NumberField, TextField};
use crate::schema::{Text, Visual};
use crate::{text, visual};

/// A hash of a URL, which orders documents of equal score.
pub(crate) fn order(url: &str) -> u64 {
    xxh3_64(url.as_bytes())
}

/// How an index is written.
#[derive(Clone, Debug)]
pub struct WriterOptions {
    /// Number of writing threads; each makes its own segments.
    pub threads: usize,
    /// Memory in bytes that all threads together may use before they write to disk.
    pub memory: usize,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self { threads: 2, memory: 128 << 20 }
    }
}

/// Writes an index.
pub struct Writer {
    index: Index,
    store: IndexWriter,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("index", &self.index).finish_non_exhaustive()
    }
}

impl Writer {
    pub(crate) fn new(index: &Index, options: &WriterOptions) -> Result<Self, IndexError> {
        /// The store requires at least this much per thread.
        const LEAST: usize = 16 << 20;
        let threads = options.threads.clamp(1, 8);
        let memory = options.memory.max(LEAST * threads);
        let failed = |cause| IndexError::store(&index.path, cause);
        let store: IndexWriter = index.store.writer_with_num_threads(threads, memory).map_err(failed)?;
        // Removes what a kill during a commit left: the store names files of deletions by the number of the commit,
        // which the next commit uses again, and it does not overwrite a file.
        store.garbage_collect_files().wait().map_err(failed)?;
        Ok(Self { index: index.clone(), store })
    }

    /// Adds a document, and replaces the one with the same URL.
    pub fn put(&mut self, document: &Document) -> Result<(), IndexError> {
        if document.url.is_empty() || document.url.len() > MAX_URL {
            return Err(IndexError::Url(document.url.len()));
        }
        let (found, expected) =
            (document.picture.as_ref().map(|picture| picture.words.codebook), self.index.codebook.id());
        if let Some(found) = found.filter(|found| *found != expected) {
            return Err(IndexError::Codebook { url: document.url.clone(), found, expected });
        }
        self.delete(&document.url);
        let stored = self.stored(document);
        self.store.add_document(stored).map(drop).map_err(|cause| {
            // the store's error only says that a thread stopped; that thread's result has the reason
            let why = self.store.prepare_commit().err().unwrap_or(cause);
            IndexError::store(&self.index.path, why)
        })
    }

    /// Removes a document, if it exists.
    pub fn delete(&mut self, url: &str) {
        self.store.delete_term(Term::from_field_text(self.index.fields.url, url));
    }

    /// Makes everything so far visible and durable, and stores `checkpoint` with it.
    pub fn commit(&mut self, checkpoint: Option<&str>) -> Result<(), IndexError> {
        let prepared = self.store.prepare_commit().and_then(|mut prepared| {
            if let Some(checkpoint) = checkpoint {
                prepared.set_payload(checkpoint);
            }
            prepared.commit()
        });
        prepared.map(drop).map_err(|cause| IndexError::store(&self.index.path, cause))
    }

    /// Waits until small segments have been merged in the background; uncommitted documents are dropped.
    pub fn finish(self) -> Result<(), IndexError> {
        self.store.wait_merging_threads().map_err(|cause| IndexError::store(&self.index.path, cause))
    }

    fn stored(&self, document: &Document) -> TantivyDocument {
        let fields = &self.index.fields;
        let mut stored = TantivyDocument::new();
        let language = self.language(document);
        // a document of plain strings and numbers always serialises
        let shown = postcard::to_allocvec(&document.shown(language.index() as u8)).unwrap_or_default();
        stored.add_text(fields.url, &document.url);
        stored.add_bytes(fields.shown, &shown);
        stored.add_text(fields.language, language.index().to_string());
        stored.add_u64(fields.order, order(&document.url));
        self.add_texts(&mut stored, document, language);
        self.add_columns(&mut stored, document);
        if let Some(picture) = &document.picture {
            for (visual, region, text) in visual::fields(&picture.words) {
                stored.add_text(fields.visual(visual, region), text);
            }
            stored.add_text(fields.listed(Visual::Colour, None), visual::main_colours(&picture.words));
            for number in picture.words.pack() {
                stored.add_u64(fields.words, number);
            }
        }
        stored
    }

    fn language(&self, document: &Document) -> Language {
        let declared = document.language.as_deref();
        let longest = [document.text(), document.description(), document.title()];
        // a page has text; a record often has only a title
        let sample = longest.into_iter().find(|text| text.len() > 200).unwrap_or_default();
        if !sample.is_empty() {
            return text::language(sample, declared);
        }
        let tags: Vec<&str> = values(&document.tags).collect();
        text::language(
            &format!("{}\n{}\n{}", longest.join("\n"), tags.join(", "), document.uploader()),
            declared,
        )
    }

    fn add_texts(&self, stored: &mut TantivyDocument, document: &Document, language: Language) {
        let fields = &self.index.fields;
        for field in Text::all() {
            let one = |text| text::keys([text], language);
            let keys = match field {
                Text::Host => text::name_keys(document.site()),
                Text::Named(TextField::By) => text::name_keys(document.uploader()),
                Text::Named(TextField::Title) => one(document.title()),
                Text::Named(TextField::Description) => one(document.description()),
                Text::Named(TextField::Text) => one(document.text()),
                Text::Named(TextField::Tag) => text::keys(values(&document.tags), language),
                Text::Named(TextField::Set) => text::keys(values(&document.sets), language),
                Text::Named(TextField::Group) => text::keys(values(&document.groups), language),
            };
            if !keys.is_empty() {
                stored.add_text(fields.text(field), keys);
            }
        }
        let lists =
            [&document.tags, &document.sets, &document.groups].into_iter().flat_map(|list| values(list));
        let texts =
            [document.title()].into_iter().chain(lists).chain([document.description(), document.text()]);
        let surfaces = text::surfaces(texts, language);
        if !surfaces.is_empty() {
            stored.add_text(fields.spelling, surfaces);
        }
        let site = document.site().to_lowercase();
        if !site.is_empty() {
            let domains = site.match_indices('.').filter_map(|(dot, _)| site.get(dot + 1..));
            let all: Vec<&str> = std::iter::once(site.as_str()).chain(domains).collect();
            stored.add_text(fields.site, all.join(" "));
        }
    }

    fn add_columns(&self, stored: &mut TantivyDocument, document: &Document) {
        let fields = &self.index.fields;
        stored.add_f64(fields.number(NumberField::Comments), document.comments as f64);
        stored.add_f64(fields.number(NumberField::Size), document.size as f64);
        stored.add_f64(fields.number(NumberField::Relevance), finite(document.relevance));
        if let Some(similarity) = document.similarity {
            stored.add_f64(fields.number(NumberField::Similarity), finite(similarity));
        }
        if let Some(day) = document.date {
            stored.add_i64(fields.date, day.0);
        }
        stored.add_u64(fields.page_type, page_type_number(document.page_type));
        stored.add_u64(fields.kind, u64::from(document.kind == DocumentKind::Record));
        let [tags, uploaders, sites, colours] = &fields.facets;
        let mut seen: Vec<String> = values(&document.tags).map(str::to_lowercase).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.iter().for_each(|tag| stored.add_text(*tags, tag));
        for (field, value) in [(uploaders, document.uploader().trim()), (sites, document.site())] {
            if !value.is_empty() {
                stored.add_text(*field, value);
            }
        }
        for colour in document.picture.iter().flat_map(|picture| &picture.words.dominant) {
            stored.add_text(*colours, &colour.name);
        }
    }
}

fn finite(value: f32) -> f64 {
    if value.is_finite() { f64::from(value) } else { 0.0 }
}

/// The number of a page type in its column.
pub(crate) fn page_type_number(page_type: PageType) -> u64 {
    PageType::ALL.iter().position(|known| *known == page_type).unwrap_or(0) as u64
}
