//! Search judged by what it finds: `search-results` (seed 002, tables 12 and 13) and `search-hints` (tables 11 and 15).
//!
//! The variant's policy crawls the corpus, the learned site reads the records of detail pages, and they are indexed as
//! `osprey index` does it. People were asked in the seed; here the truth answers, so that these figures say which way of
//! asking is better and not how pleased somebody would be.

mod hints;
mod results;

use std::sync::Arc;

use osprey_crawl::{Inspection, PictureRules, Settings, pictures_of};
use osprey_index::{Document, Index, Picture, WriterOptions, document_of};
use osprey_model::PageType;
use osprey_page::read_page;
use osprey_structure::Site;
use osprey_vision::{Codebook, Worker};

pub(super) use self::hints::HintsMeasure;
pub(super) use self::results::ResultsMeasure;
use super::Cell;
use super::crawl::crawl_with;
use super::known::site;

/// What was crawled, ready to be asked.
struct Collected {
    index: Index,
    /// The documents in it, in the order they came.
    documents: Vec<Document>,
}

/// Crawls the corpus, with the pictures of records if they are wanted, and indexes the details.
fn collect(cell: &Cell<'_>, with_pictures: bool) -> anyhow::Result<Collected> {
    let totals = cell.corpus.totals(cell.experiment.wanted_of(cell.entry), &cell.experiment.valid);
    let rules = if with_pictures { PictureRules::default() } else { PictureRules::none() };
    let learned = Arc::new(site(cell)?);
    crawl_with(cell, cell.budget(totals), PictureRules { relevant_only: false, ..rules }, &learned)?;
    let codebook = Codebook::embedded();
    let index = Index::create(&cell.scratch.join("index"), codebook.clone())?;
    let mut writer = index.writer(&WriterOptions { threads: 1, ..WriterOptions::default() })?;
    let documents = read(cell, &learned, &mut Worker::new(codebook))?;
    for document in &documents {
        writer.put(document)?;
    }
    writer.commit(None)?;
    writer.finish()?;
    Ok(Collected { index, documents })
}

/// The details of a crawl as documents.
fn read(cell: &Cell<'_>, learned: &Site, worker: &mut Worker) -> anyhow::Result<Vec<Document>> {
    let settings = Settings::recorded(cell.corpus.seeds.clone(), cell.corpus.scope.clone());
    let crawl = Inspection::open(cell.scratch, &settings.frontier, Inspection::PATIENCE)?;
    let mut documents = Vec::new();
    for found in crawl.pages()? {
        let Some(response) = crawl.response(&found.visit)? else { continue };
        let page = read_page(&response, &settings.page_rules);
        let reading = learned.read(&page);
        if reading.page_type != PageType::Detail {
            continue;
        }
        let mut document = document_of(&page, Some(&reading));
        for url in pictures_of(reading.record.as_ref(), &page, &settings.page_rules.url) {
            let Some(position) = crawl.picture(&url)?.and_then(|row| row.archived) else { continue };
            if let Ok(words) = worker.words(&crawl.archived(position)?.body) {
                document.picture = Some(Picture { url: url.to_string(), thumbnail: String::new(), words });
                break;
            }
        }
        documents.push(document);
    }
    Ok(documents)
}
