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

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use osprey_crawl::{CrawlError, Inspection, Standing, VisitRow, pictures_of};
use osprey_frontier::FrontierError;
use osprey_index::{Document, Gallery, Index, Picture, Profiles, Writer, WriterOptions, document_of};
use osprey_model::{CanonicalUrl, Response};
use osprey_structure::Site;
use osprey_vision::Codebook;
use serde::{Deserialize, Serialize};

use crate::collection::Collection;
use crate::drive::Interrupted;
use crate::output::Output;
use crate::progress::Bar;
use crate::project::Project;
use cores::on_all_cores;
pub(crate) use folder::index_folder;
use pictures::{Found, look};
pub(crate) use retrain::{of_crawl, of_folder, retrain};

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
pub(crate) struct Indexed {
    /// Documents put in.
    pub(crate) documents: u64,
    /// Of these, with a picture.
    pub(crate) pictures: u64,
    /// Pictures that were looked at in this run.
    pub(crate) looked_at: u64,
    /// Pictures that gave no words, by reason.
    pub(crate) refused: std::collections::BTreeMap<String, u64>,
    /// Pages whose answer could not be read from the archive.
    pub(crate) lost: u64,
}

/// The parts of a collection, open for writing.
pub(crate) struct Shelves {
    pub(crate) codebook: Arc<Codebook>,
    gallery: Gallery,
    index: Index,
    writer: Writer,
    indexed: Indexed,
    /// Documents since the last commit.
    uncommitted: u64,
}

impl Shelves {
    /// Opens the index for writing. One that cannot be used, or all if `anew`, is begun anew: `data/archive` has
    /// everything.
    pub(crate) fn open(collection: &Collection, anew: bool, output: &Output) -> anyhow::Result<Self> {
        let codebook = collection.codebook()?;
        let rebuilt = |why: &osprey_index::IndexError| output.say(format!("note: {why}: it is built anew"));
        let index = if anew {
            Index::create(&collection.index_dir(), Arc::clone(&codebook))?
        } else {
            collection.index(&codebook, rebuilt)?
        };
        // the writer first: who has it may touch the pictures, too
        let writer = index.writer(&WriterOptions::default())?;
        let gallery = collection.gallery(&codebook)?;
        Ok(Self { codebook, gallery, index, writer, indexed: Indexed::default(), uncommitted: 0 })
    }

    fn checkpoint(&self) -> anyhow::Result<Checkpoint> {
        let stored = self.index.checkpoint()?;
        Ok(stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    fn put(&mut self, document: &Document) -> anyhow::Result<()> {
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

    fn commit(&mut self, checkpoint: &Checkpoint) -> anyhow::Result<()> {
        self.gallery.flush()?;
        self.writer.commit(Some(&serde_json::to_string(checkpoint)?))?;
        self.uncommitted = 0;
        Ok(())
    }

    /// Ends writing.
    pub(crate) fn finish(self) -> anyhow::Result<Indexed> {
        self.writer.finish()?;
        Ok(self.indexed)
    }
}

/// Opens the stores of a crawl that is not running. Only they know which answer in the archive is a page, a copy or a
/// picture of which page, and one process has them at a time.
pub(crate) fn at_rest(project: &Project) -> anyhow::Result<Inspection> {
    let options = &project.resolved.settings.frontier;
    let opened = Inspection::open(&project.data(), options, Inspection::PATIENCE);
    if let Err(CrawlError::Frontier(FrontierError::Locked { .. })) = opened {
        let advice = "a crawl cannot be indexed while it runs: stop it, index, and let it go on (what is indexed can be \
                      searched all the time)";
        return opened.context(advice);
    }
    Ok(opened?)
}

/// Takes in what a project has fetched; when `stop` is set, what was taken in so far is committed.
pub(crate) fn index_crawl(
    project: &Project,
    crawl: &Inspection,
    shelves: &mut Shelves,
    stop: &AtomicBool,
    output: &Output,
) -> anyhow::Result<()> {
    let settings = &project.resolved.settings;
    let site = project.site()?;
    let mut from = shelves.checkpoint()?;
    let key = site.as_ref().map(|site| site.key().to_owned());
    if from.site != key && from != Checkpoint::default() {
        output.say("note: what was learned of the site has changed: everything is indexed again");
        from = Checkpoint::default();
    }
    let tally = crawl.tally()?;
    let to = Checkpoint { visits: tally.visited, pictures: tally.pictures.fetched, site: key };
    let mut profiles = Profiles::default();
    if let Some(site) = &site {
        for record in crawl.records(site, &settings.page_rules)? {
            profiles.learn(&record?);
        }
    }
    let run = Run { project, crawl, site: site.as_ref(), profiles };
    let bar = Bar::new(output, to.visits.saturating_sub(from.visits), "pages");
    let late = run.late(&from)?.into_iter().map(Ok);
    let fresh = crawl.visits().filter(|visit| visit.as_ref().map_or(true, |visit| visit.n > from.visits));
    let mut batch = Vec::with_capacity(BATCH);
    for visit in late.chain(fresh) {
        let visit = visit?;
        let n = visit.n;
        bar.set(n.saturating_sub(from.visits));
        if visit.is_page && visit.duplicate_of.is_none() && !visit.is_failure() && !visit.is_unchanged {
            batch.push(visit);
        }
        if batch.len() >= BATCH {
            run.take_in(&std::mem::take(&mut batch), shelves)?;
            let is_stopped = stop.load(Ordering::Relaxed);
            if (shelves.uncommitted >= COMMIT_EVERY || is_stopped) && n > from.visits {
                // pictures last: until all pages are in, they would be taken for late ones
                shelves.commit(&Checkpoint { visits: n, ..to.clone() })?;
            }
            if is_stopped {
                bail!(Interrupted);
            }
        }
    }
    run.take_in(&batch, shelves)?;
    shelves.commit(&to)
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
    crawl: &'a Inspection,
    site: Option<&'a Site>,
    profiles: Profiles,
}

impl Run<'_> {
    /// Pages that are in the index, but whose pictures came later.
    fn late(&self, from: &Checkpoint) -> anyhow::Result<Vec<VisitRow>> {
        let mut late = Vec::new();
        let mut last = String::new();
        for picture in self.crawl.pictures() {
            let picture = picture?;
            let Some(page) = picture.page.filter(|page| picture.n > from.pictures && *page != last) else {
                continue;
            };
            last.clone_from(&page);
            let Ok(url) = CanonicalUrl::from_stored(&page) else { continue };
            if let Standing::Visited(visit) = self.crawl.standing(&url, &self.project.resolved.settings)?
                && visit.n <= from.visits
            {
                late.push(*visit);
            }
        }
        Ok(late)
    }

    /// Takes in a batch of pages.
    fn take_in(&self, visits: &[VisitRow], shelves: &mut Shelves) -> anyhow::Result<()> {
        let archive = self.project.data().join("archive");
        let drafted = on_all_cores(visits, || (), |(), visit| self.draft(&archive, visit));
        shelves.indexed.lost += drafted.iter().filter(|drafted| drafted.is_none()).count() as u64;
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
        look(&found, archived, shelves)?;
        for (mut document, found) in documents {
            document.picture = match found {
                Some(found) => shelves.picture(&found)?,
                None => None,
            };
            shelves.put(&document)?;
        }
        Ok(())
    }

    fn draft(&self, archive: &Path, visit: &VisitRow) -> Option<Drafted> {
        let response: Response = osprey_archive::read_at(archive, visit.archived?).ok()?;
        let rules = &self.project.resolved.settings.page_rules;
        let page = osprey_page::read_page(&response, rules);
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
    fn picture(&self, drafted: &Drafted) -> anyhow::Result<Option<Found>> {
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

impl Shelves {
    /// A picture with its words, if it has some.
    fn picture(&mut self, found: &Found) -> anyhow::Result<Option<Picture>> {
        let seen = self.gallery.get(found.key).context("data/images")?;
        let Some(osprey_index::Seen::Words(words)) = seen else { return Ok(None) };
        let thumbnail = self.gallery.thumbnail(found.key).to_string_lossy().into_owned();
        Ok(Some(Picture { url: found.url.clone(), thumbnail, words: *words }))
    }
}
