//! Indexing: makes fetched pages and pictures searchable.
//!
//! The archive records what happened, in order. A [`Catcher`](catch_up::Catcher) reads it from where the last commit of
//! the index ended, parses pages again, analyses new pictures, and adds documents. So a killed run resumes from the
//! last commit, the next run adds what has been fetched since, and an index can follow a running crawl. Records depend
//! on the learned site: when that changes, everything is indexed again. A rebuild is made beside the index that is there
//! and takes its place when it is complete, so that the old one answers until then, whatever ends the run.

mod catch_up;
mod folder;
mod pictures;
mod retrain;
mod writers;

use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_archive::Damage;
use serde::Serialize;

use self::catch_up::Catcher;
use self::folder::index_folder;
use self::retrain::{of_crawl, of_folder, retrain};
use self::writers::{Checkpoint, IndexWriters};
use crate::captures::Captures;
use crate::collection::Collection;
use crate::error::{Error, Result};
use crate::live::Running;
use crate::observe::Control;
use crate::project::Project;

/// How long an index that follows a crawl waits for more.
const WAIT: Duration = Duration::from_millis(250);

/// What is indexed.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// Pictures of the user's own, to be taken in too: path as URL, file name as title, folder names as tags.
    pub images: Option<PathBuf>,
    /// Learn the visual words from these very pictures, and index everything again.
    pub retrain: bool,
    /// Index everything again.
    pub rebuild: bool,
    /// Go on until the crawl that runs has ended.
    pub follow: bool,
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
    /// Records of the archive that are damaged and were skipped.
    #[serde(flatten)]
    pub damage: Damage,
}

impl Indexed {
    /// Adds what a later run did.
    pub(crate) fn add(&mut self, later: Self) {
        self.documents += later.documents;
        self.pictures += later.pictures;
        self.looked_at += later.looked_at;
        self.lost += later.lost;
        later.refused.into_iter().for_each(|(why, count)| *self.refused.entry(why).or_default() += count);
        self.damage = later.damage;
    }
}

impl Project {
    /// Makes what was fetched searchable: what is new since the last time. Works while a crawl runs.
    pub fn index(&self, options: &IndexOptions, control: Control<'_>) -> Result<Indexed> {
        // a project may have pictures of its own only
        let is_crawled = Captures::exist(self.layout().data());
        if !is_crawled && options.images.is_none() {
            return Err(Error::Usage(format!(
                "{}: nothing crawled yet; start with `osprey crawl`, or index your own pictures with `--images FOLDER`",
                self.layout().dir().display()
            )));
        }
        let is_running = || Ok(Running::find(self.layout())?.is_some());
        index(&self.collection(), Some(self).filter(|_| is_crawled), options, &is_running, control)
    }

    /// Makes what a crawl fetches searchable, until `has_ended` says that it is over and all of it is in.
    pub(crate) fn index_until(&self, has_ended: &dyn Fn() -> bool, control: Control<'_>) -> Result<Indexed> {
        while !Captures::exist(self.layout().data()) {
            if has_ended() {
                return Ok(Indexed::default());
            }
            std::thread::sleep(WAIT);
        }
        let options = IndexOptions { follow: true, ..IndexOptions::default() };
        index(&self.collection(), Some(self), &options, &|| Ok(!has_ended()), control)
    }
}

/// Whether the crawl that an index follows goes on.
type GoesOn<'a> = dyn Fn() -> Result<bool> + 'a;

/// Makes the pictures of a folder searchable in `dir`, which need not be a project.
pub fn index_images(dir: &Path, options: &IndexOptions, control: Control<'_>) -> Result<Indexed> {
    index(&Collection::of(dir), None, options, &|| Ok(false), control)
}

fn index(
    collection: &Collection,
    project: Option<&Project>,
    options: &IndexOptions,
    goes_on: &GoesOn<'_>,
    control: Control<'_>,
) -> Result<Indexed> {
    let open = |project: &Project| Captures::open(project.layout().data(), &project.resolved.settings);
    let captures = project.map(open).transpose()?;
    if options.retrain {
        let mut pictures = captures.as_ref().map(of_crawl).transpose()?.unwrap_or_default();
        if let Some(folder) = &options.images {
            pictures.extend(of_folder(folder)?);
        }
        retrain(&pictures, &collection.layout().new_codebook(), control)?;
    }
    let writers = IndexWriters::open(collection, options.rebuild, options.retrain, control)?;
    let crawled =
        project.zip(captures.as_ref()).map(|(project, captures)| Followed { project, captures, goes_on });
    // one that is built beside another follows a crawl from its own place on
    let follows_later = options.follow && writers.is_rebuild();
    let once = IndexOptions { follow: options.follow && !follows_later, ..options.clone() };
    let mut indexed = take_in(writers, crawled, &once, control)?;
    if follows_later {
        let writers = IndexWriters::open(collection, false, false, control)?;
        let follow = IndexOptions { images: None, ..options.clone() };
        indexed.add(take_in(writers, crawled, &follow, control)?);
    }
    Ok(indexed)
}

/// What was crawled, and whether more comes.
#[derive(Clone, Copy)]
struct Followed<'a> {
    project: &'a Project,
    captures: &'a Captures,
    goes_on: &'a GoesOn<'a>,
}

/// Takes in what is there, and what comes while the crawl runs if that is to be followed.
fn take_in(
    mut writers: IndexWriters,
    crawled: Option<Followed<'_>>,
    options: &IndexOptions,
    control: Control<'_>,
) -> Result<Indexed> {
    if let Some(Followed { project, captures, goes_on }) = crawled {
        let site = project.site()?;
        let is_first = writers.checkpoint()? == Checkpoint::default();
        let mut catcher = Catcher::new(captures, site.as_ref(), &mut writers, control)?;
        catcher.catch_up(&mut writers, control)?;
        while options.follow && !control.is_stopped() && goes_on()? {
            std::thread::sleep(WAIT);
            catcher.catch_up(&mut writers, control)?;
        }
        if is_first {
            captures.check_readable()?;
        }
        catcher.finish(&mut writers, control)?;
        control.end();
        writers.indexed.damage = captures.damage();
    }
    if let Some(folder) = &options.images {
        index_folder(folder, &mut writers, control)?;
    }
    writers.finish()
}
