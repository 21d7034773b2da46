//! `osprey index`: everything that was fetched becomes searchable.
//!
//! In batches: pages are read from the archive and made into documents on all cores; their pictures are found in the
//! crawl's store; those that nobody has looked at are, on all cores; the documents go into the index. Every so often the
//! index commits, with a checkpoint that says how far it has come: a run that was killed goes on from there, and the next
//! run takes in what has been fetched since. What was learned of the site decides over records, so when that has changed
//! everything is indexed again.

mod cores;
mod folder;
mod pictures;
mod retrain;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use osprey_crawl::{VisitRow, pictures_of};
use osprey_index::{Document, Gallery, Index, Picture, Profiles, Writer, WriterOptions, document_of};
use osprey_model::{CanonicalUrl, Response};
use osprey_structure::Site;
use osprey_vision::Codebook;
use serde::{Deserialize, Serialize};

use crate::captures::Captures;
use crate::collection::Collection;
use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::project::Project;
use cores::on_all_cores;
use folder::index_folder;
use pictures::{Found, look};
use retrain::{of_crawl, of_folder, retrain};

/// Pages in one batch: so many are in memory at once.
const BATCH: usize = 256;
/// Documents between two commits.
const COMMIT_EVERY: u64 = 20_000;

/// How far an index has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Checkpoint {
    visits: u64,
    pictures: u64,
    /// What was learned of the site: see [`Site::key`].
    site: Option<String>,
}

/// What a run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Indexed {
    /// Documents put in.
    pub documents: u64,
    /// Of these, with a picture.
    pub pictures: u64,
    /// Pictures that were looked at in this run.
    pub looked_at: u64,
    /// Pictures that gave no words, by reason.
    pub refused: std::collections::BTreeMap<String, u64>,
    /// Pages whose answer could not be read from the archive.
    pub lost: u64,
}

/// The parts of a collection, open for writing.
struct IndexWriters {
    codebook: Arc<Codebook>,
    gallery: Gallery,
    index: Index,
    writer: Writer,
    indexed: Indexed,
    /// Documents since the last commit.
    uncommitted: u64,
}

impl IndexWriters {
    /// Opens the index for writing. One that cannot be used, or all if `anew`, is begun anew: `data/archive` has
    /// everything.
    fn open(collection: &Collection, anew: bool, control: Control<'_>) -> Result<Self> {
        let codebook = collection.codebook()?;
        let rebuilt = |why: &osprey_index::IndexError| control.note(format!("note: {why}: it is built anew"));
        let index = if anew {
            Index::create(&collection.layout().index(), Arc::clone(&codebook))?
        } else {
            collection.index(&codebook, rebuilt)?
        };
        // the writer first: who has it may touch the pictures, too
        let writer = index.writer(&WriterOptions::default())?;
        let gallery = collection.gallery(&codebook)?;
        Ok(Self { codebook, gallery, index, writer, indexed: Indexed::default(), uncommitted: 0 })
    }

    fn checkpoint(&self) -> Result<Checkpoint> {
        let stored = self.index.checkpoint()?;
        Ok(stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    fn put(&mut self, document: &Document) -> Result<()> {
        match self.writer.put(document) {
            // an address that no index holds is the Web's fault
            Err(osprey_index::IndexError::Url(_)) => return Ok(()),
            put => put?,
        }
        self.indexed.documents += 1;
        self.indexed.pictures += u64::from(document.picture.is_some());
        self.uncommitted += 1;
        Ok(())
    }

    fn commit(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        self.gallery.flush()?;
        self.writer.commit(Some(&serde_json::to_string(checkpoint).context("checkpoint")?))?;
        self.uncommitted = 0;
        Ok(())
    }

    /// Ends writing.
    fn finish(self) -> Result<Indexed> {
        self.writer.finish()?;
        Ok(self.indexed)
    }
}

/// What is indexed.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// Pictures of the user's own, to be taken in too: path as URL, file name as title, folder names as tags.
    pub images: Option<PathBuf>,
    /// Learn the visual words from these very pictures, and index everything again.
    pub retrain: bool,
    /// Index everything again.
    pub rebuild: bool,
}

impl Project {
    /// Makes what was fetched searchable: what is new since the last time.
    pub fn index(&self, options: &IndexOptions, control: Control<'_>) -> Result<Indexed> {
        // a project may have pictures of its own only
        let is_crawled = Captures::exist(self.layout().data());
        if !is_crawled && options.images.is_none() {
            return Err(Error::Usage(format!(
                "{}: nothing crawled yet; start with `osprey crawl`, or name your own pictures with `--images FOLDER`",
                self.layout().dir().display()
            )));
        }
        index(&self.collection(), Some(self).filter(|_| is_crawled), options, control)
    }
}

/// Makes the pictures of a folder searchable in `dir`, which need not be a project.
pub fn index_images(dir: &Path, options: &IndexOptions, control: Control<'_>) -> Result<Indexed> {
    index(&Collection::of(dir), None, options, control)
}

fn index(
    collection: &Collection,
    project: Option<&Project>,
    options: &IndexOptions,
    control: Control<'_>,
) -> Result<Indexed> {
    // before an index that is built anew is thrown away
    let open = |project: &Project| Captures::open(project.layout().data(), &project.resolved.settings);
    let captures = project.map(open).transpose()?;
    if options.retrain {
        let mut pictures = captures.as_ref().map(of_crawl).transpose()?.unwrap_or_default();
        if let Some(folder) = &options.images {
            pictures.extend(of_folder(folder)?);
        }
        retrain(&pictures, &collection.layout().codebook(), control)?;
    }
    let mut writers = IndexWriters::open(collection, options.rebuild || options.retrain, control)?;
    if let Some((project, captures)) = project.zip(captures.as_ref()) {
        index_crawl(project, captures, &mut writers, control)?;
    }
    if let Some(folder) = &options.images {
        index_folder(folder, &mut writers, control)?;
    }
    writers.finish()
}

/// Takes in what a project has fetched; when `stop` is set, what was taken in so far is committed.
fn index_crawl(
    project: &Project,
    crawl: &Captures,
    writers: &mut IndexWriters,
    control: Control<'_>,
) -> Result<()> {
    let site = project.site()?;
    let mut from = writers.checkpoint()?;
    let key = site.as_ref().map(|site| site.key().to_owned());
    if from.site != key && from != Checkpoint::default() {
        control.note("note: what was learned of the site has changed: everything is indexed again");
        from = Checkpoint::default();
    }
    let to = Checkpoint { visits: crawl.visited()?, pictures: crawl.pictures()?.count() as u64, site: key };
    let mut profiles = Profiles::default();
    if let Some(site) = &site {
        for record in crawl.records(site)? {
            profiles.learn(&record?);
        }
    }
    let run = Run { project, crawl, site: site.as_ref(), profiles };
    let total = to.visits.saturating_sub(from.visits);
    let late = run.late(&from)?.into_iter().map(Ok);
    let fresh = crawl.visits()?.filter(|visit| visit.as_ref().map_or(true, |visit| visit.n > from.visits));
    let mut batch = Vec::with_capacity(BATCH);
    for visit in late.chain(fresh) {
        let visit = visit?;
        let n = visit.n;
        control.work("pages", n.saturating_sub(from.visits), total);
        if visit.is_page && visit.duplicate_of.is_none() && !visit.is_failure() && !visit.is_unchanged {
            batch.push(visit);
        }
        if batch.len() >= BATCH {
            run.take_in(&std::mem::take(&mut batch), writers)?;
            let is_stopped = control.is_stopped();
            if (writers.uncommitted >= COMMIT_EVERY || is_stopped) && n > from.visits {
                // pictures last: until all pages are in, they would be taken for late ones
                writers.commit(&Checkpoint { visits: n, ..to.clone() })?;
            }
            if is_stopped {
                return Err(Error::Interrupted);
            }
        }
    }
    run.take_in(&batch, writers)?;
    control.end();
    writers.commit(&to)
}

/// What is indexed of a page, but for the picture.
#[derive(Debug)]
struct Drafted {
    document: Document,
    /// Where its picture may be, the best first.
    pictures: Vec<CanonicalUrl>,
}

struct Run<'a> {
    project: &'a Project,
    crawl: &'a Captures,
    site: Option<&'a Site>,
    profiles: Profiles,
}

impl Run<'_> {
    /// Pages that are in the index, but whose pictures came later.
    fn late(&self, from: &Checkpoint) -> Result<Vec<VisitRow>> {
        let mut late = Vec::new();
        let mut last = String::new();
        for picture in self.crawl.pictures()? {
            let picture = picture?;
            let Some(page) = picture.page.filter(|page| picture.n > from.pictures && *page != last) else {
                continue;
            };
            last.clone_from(&page);
            let Ok(url) = CanonicalUrl::from_stored(&page) else { continue };
            late.extend(self.crawl.visit(&url)?.filter(|visit| visit.n <= from.visits));
        }
        Ok(late)
    }

    /// Takes in a batch of pages.
    fn take_in(&self, visits: &[VisitRow], writers: &mut IndexWriters) -> Result<()> {
        let archive = self.project.layout().archive();
        let drafted = on_all_cores(visits, || (), |(), visit| self.draft(&archive, visit));
        writers.indexed.lost += drafted.iter().filter(|drafted| drafted.is_none()).count() as u64;
        let mut documents = Vec::new();
        for drafted in drafted.into_iter().flatten() {
            let picture = self.picture(&drafted)?;
            documents.push((drafted.document, picture));
        }
        let found: Vec<Found> = documents.iter().filter_map(|(_, found)| found.clone()).collect();
        let archived = |found: &Found| {
            let response = osprey_archive::read_at(&archive, found.archived?).ok()?;
            Some(response.body.to_vec())
        };
        look(&found, archived, writers)?;
        for (mut document, found) in documents {
            document.picture = match found {
                Some(found) => writers.picture(&found)?,
                None => None,
            };
            writers.put(&document)?;
        }
        Ok(())
    }

    fn draft(&self, archive: &Path, visit: &VisitRow) -> Option<Drafted> {
        let response: Response = osprey_archive::read_at(archive, visit.archived?).ok()?;
        let rules = &self.project.resolved.settings.page_rules;
        let page = osprey_crawl::read_page(&response, rules);
        let reading = self.site.map(|site| site.read(&page));
        let record = reading.as_ref().and_then(|reading| reading.record.as_ref());
        let document = Document {
            size: visit.bytes,
            relevance: visit.relevance.unwrap_or_default(),
            ..document_of(&page, reading.as_ref(), &self.profiles)
        };
        Some(Drafted { document, pictures: pictures_of(record, &page, &rules.url) })
    }

    /// The first picture of a page that was fetched; pages without a record have those only that were fetched for them.
    fn picture(&self, drafted: &Drafted) -> Result<Option<Found>> {
        let is_record = drafted.document.kind == osprey_index::Kind::Record;
        for url in &drafted.pictures {
            let Some(row) = self.crawl.picture(url)? else { continue };
            if !is_record && row.page.as_deref() != Some(&drafted.document.url) {
                continue;
            }
            if let Some(found) = Found::of(url, &row) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl IndexWriters {
    /// A picture with its words, if it has some.
    fn picture(&mut self, found: &Found) -> Result<Option<Picture>> {
        let seen = self.gallery.get(found.key).context("data/images")?;
        let Some(osprey_index::Seen::Words(words)) = seen else { return Ok(None) };
        let thumbnail = self.gallery.thumbnail(found.key).to_string_lossy().into_owned();
        Ok(Some(Picture { url: found.url.clone(), thumbnail, words: *words }))
    }
}
