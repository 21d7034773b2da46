//! A project that a server has open: what [`osprey_server::Project`] asks for, from the project's folder and from whatever
//! is running in it.
//!
//! The stores of a crawl have one owner. While a crawl runs here, that is its thread, and questions are sent to it
//! ([`job`]); while nothing runs, they are opened to look and closed soon after, so that `osprey crawl` from a terminal
//! finds them free ([`look`]). The index is apart: it can always be searched.

mod job;
mod live;
mod look;
mod rest;
mod topic;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use osprey_crawl::{CrawlError, VisitRow};
use osprey_index::{Index, Searcher};
use osprey_model::CanonicalUrl;
use osprey_server::{
    CrawlView, ExpansionView, Order, Origin, Project as Served, Shelf, SiteLinkView, SiteTypeView,
    SitemapView, TermsView, TopicView, Trouble,
};

use crate::cli::UsageError;
use crate::collection::Collection;
use crate::config::{self, ConfigError};
use crate::project::Project;
use crate::site_files::SiteFiles;
use job::Job;
use look::Look;
use rest::Rest;

/// A project in a server.
pub(crate) struct Desk {
    name: String,
    dir: PathBuf,
    collection: Collection,
    shelf: Mutex<Option<(Stamp, Shelf)>>,
    /// What runs; a job that has ended stays until the next one, for what it has to say.
    job: Mutex<Option<Job>>,
    look: Look,
    rest: Rest,
}

/// When files were changed last: what was made from them is as good as new while these stay.
type Stamp = [Option<SystemTime>; 2];

impl Desk {
    /// Opens a folder: a project, or one that has only an index.
    pub(crate) fn open(dir: &Path, name: String) -> anyhow::Result<Self> {
        let collection = Collection::of(dir);
        if config::path_in(dir).exists() || !collection.index_dir().exists() {
            Project::open(dir, |_| {})?;
        }
        let (look, rest) = (Look::of(dir), Rest::default());
        let (shelf, job) = (Mutex::new(None), Mutex::new(None));
        Ok(Self { name, dir: dir.to_owned(), collection, shelf, job, look, rest })
    }

    /// Ends what runs, and waits for it.
    pub(crate) fn close(&self) {
        if let Some(job) = self.job().take() {
            job.end();
        }
    }

    fn project(&self) -> anyhow::Result<Project> {
        Ok(Project::open(&self.dir, |_| {})?)
    }

    fn job(&self) -> MutexGuard<'_, Option<Job>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the visit of a URL, of whoever has the stores.
    fn visit(&self, url: &CanonicalUrl) -> anyhow::Result<Option<VisitRow>> {
        let asked = url.clone();
        // the answer is waited for without the job: who wants to stop it should not wait as well
        let answer = job::ask(&self.job(), move |crawl| crawl.visit(&asked));
        match answer {
            Some(answer) => job::answered(&answer),
            None => self.look.with(|crawl| Ok(crawl.visit(url)?)),
        }
    }

    /// Where the bytes of a picture are archived.
    fn picture_bytes(&self, url: &CanonicalUrl) -> anyhow::Result<Option<Vec<u8>>> {
        let asked = url.clone();
        let answer = job::ask(&self.job(), move |crawl| crawl.picture(&asked));
        let row = match answer {
            Some(answer) => job::answered(&answer)?,
            None => self.look.with(|crawl| Ok(crawl.picture(url)?))?,
        };
        let Some(position) = row.and_then(|row| row.archived) else { return Ok(None) };
        Ok(Some(osprey_archive::read_at(&self.dir.join("data/archive"), position)?.body.to_vec()))
    }

    fn open_shelf(&self) -> anyhow::Result<Shelf> {
        let codebook = self.collection.codebook()?;
        let index = Index::open(&self.collection.index_dir(), Arc::clone(&codebook))?;
        let searcher: Searcher = index.searcher()?;
        Ok(Shelf { searcher: Arc::new(searcher), codebook })
    }

    fn documents(&self) -> u64 {
        self.shelf().ok().flatten().map_or(0, |shelf| shelf.searcher.len())
    }

    fn sitemap_view(&self) -> anyhow::Result<Option<SitemapView>> {
        let files = SiteFiles::of(&self.dir.join("data"));
        let (Some(model), Some(sitemap)) = (files.model()?, files.sitemap()?) else { return Ok(None) };
        let types = sitemap.types.iter().map(|entry| SiteTypeView {
            number: entry.cluster,
            name: entry.name.clone(),
            label: entry.label.name().to_owned(),
            wanted: entry.wanted,
            pages: entry.pages as u64,
            examples: entry.examples.clone(),
        });
        let links = model.navigation.adjacency().into_iter();
        let links =
            links.filter_map(|((from, to), links)| Some(SiteLinkView { from: from?, to: to?, links }));
        Ok(Some(SitemapView { types: types.collect(), links: links.collect() }))
    }
}

/// In words for the person who asked.
fn trouble(error: anyhow::Error) -> Trouble {
    let is_usage = error.chain().any(|cause| cause.is::<ConfigError>() || cause.is::<UsageError>());
    let is_busy =
        error.chain().any(|cause| cause.downcast_ref::<CrawlError>().is_some_and(CrawlError::is_in_use));
    let text = format!("{error:#}");
    match (is_usage, is_busy) {
        (true, _) => Trouble::Asked(text),
        (_, true) => {
            Trouble::Busy("another process has this project's crawl open; wait until it ends".to_owned())
        }
        _ => Trouble::Failed(text),
    }
}

impl Served for Desk {
    fn name(&self) -> &str {
        &self.name
    }

    fn shelf(&self) -> Result<Option<Shelf>, Trouble> {
        let changed = |path: PathBuf| std::fs::metadata(path).and_then(|data| data.modified()).ok();
        let index = changed(self.collection.index_dir().join("meta.json"));
        if index.is_none() {
            return Ok(None);
        }
        let stamp = [index, changed(self.collection.codebook_file())];
        let mut kept = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, shelf)) = &*kept
            && *at == stamp
        {
            return Ok(Some(shelf.clone()));
        }
        match self.open_shelf() {
            Ok(shelf) => {
                *kept = Some((stamp, shelf.clone()));
                Ok(Some(shelf))
            }
            // an index that is being made anew: what was there is good for a moment longer
            Err(error) => kept.as_ref().map(|(_, shelf)| Some(shelf.clone())).ok_or_else(|| trouble(error)),
        }
    }

    fn thumbnail(&self, path: &str) -> Option<PathBuf> {
        let (folder, leaf) = path.split_once('/')?;
        let digits = leaf.strip_suffix(".jpg")?;
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_ours = folder.len() == 2 && digits.len() == 32 && is_hex(folder) && is_hex(digits);
        is_ours.then(|| self.collection.images().join(path))
    }

    fn picture(&self, url: &str) -> Result<Option<Vec<u8>>, Trouble> {
        let Some(shelf) = self.shelf()? else { return Ok(None) };
        let Some(image) = shelf.searcher.document(url)?.image else { return Ok(None) };
        // somebody's own pictures: only files that were indexed have such an address
        if let Some(path) = url::Url::parse(&image).ok().and_then(|image| image.to_file_path().ok()) {
            return Ok(std::fs::read(path).ok());
        }
        let Ok(image) = CanonicalUrl::from_stored(&image) else { return Ok(None) };
        self.picture_bytes(&image).map_err(trouble)
    }

    fn origin(&self, url: &str) -> Result<Option<Origin>, Trouble> {
        let Ok(url) = CanonicalUrl::from_stored(url) else { return Ok(None) };
        if !self.dir.join("data/frontier").exists() {
            return Ok(None);
        }
        Ok(self.visit(&url).map_err(trouble)?.map(|row| live::origin(&row)))
    }

    fn crawl(&self) -> CrawlView {
        let documents = self.documents();
        let message = {
            let job = self.job();
            match job.as_ref().map(|job| (job.view(), job.has_ended())) {
                Some((view, false)) => return CrawlView { documents, ..view },
                Some((view, true)) => view.message,
                None => None,
            }
        };
        let view = self.rest.view(&self.dir, &self.look).unwrap_or_else(|error| CrawlView {
            message: Some(format!("{error:#}")),
            ..CrawlView::default()
        });
        CrawlView { documents, message: message.or(view.message), ..view }
    }

    fn order(&self, order: &Order) -> Result<(), Trouble> {
        let mut job = self.job();
        let running = job.as_ref().filter(|job| !job.has_ended());
        match (order, running) {
            (Order::Start { .. } | Order::Index {}, Some(_)) => {
                Err(Trouble::Busy("something is running already; stop it first".to_owned()))
            }
            (Order::Start { policy, budget }, None) => {
                self.look.close();
                let view = CrawlView { documents: 0, message: None, ..self.rest.last() };
                *job = Some(Job::crawl(&self.dir, policy.as_deref(), *budget, view).map_err(trouble)?);
                Ok(())
            }
            (Order::Index {}, None) => {
                self.look.close();
                *job = Some(Job::index(&self.dir, self.rest.last()).map_err(trouble)?);
                Ok(())
            }
            (_, None) => Err(Trouble::Busy("nothing is running".to_owned())),
            (Order::Pause {}, Some(job)) => job.pause(true),
            (Order::Resume {}, Some(job)) => job.pause(false),
            (Order::Stop {}, Some(job)) => {
                job.stop();
                Ok(())
            }
        }
    }

    fn sitemap(&self) -> Result<Option<SitemapView>, Trouble> {
        self.sitemap_view().map_err(trouble)
    }

    fn sitemap_drawing(&self) -> Result<Option<String>, Trouble> {
        Ok(std::fs::read_to_string(SiteFiles::of(&self.dir.join("data")).picture_file()).ok())
    }

    fn want(&self, page_type: u32, wanted: Option<bool>) -> Result<(), Trouble> {
        let files = SiteFiles::of(&self.dir.join("data"));
        let change = || -> anyhow::Result<bool> {
            let Some(mut sitemap) = files.sitemap()? else { return Ok(false) };
            let Some(entry) = sitemap.types.iter_mut().find(|entry| entry.cluster == page_type) else {
                return Ok(false);
            };
            entry.wanted = wanted;
            files.save_sitemap(&sitemap)?;
            Ok(true)
        };
        match change().map_err(trouble)? {
            true => Ok(()),
            false => Err(Trouble::Missing(format!("there is no page type of number {page_type}"))),
        }
    }

    fn topic(&self) -> Result<TopicView, Trouble> {
        topic::topic(&self.dir).map_err(trouble)
    }

    fn expand(&self, tags: &[String]) -> Result<ExpansionView, Trouble> {
        self.busy("tags are counted")?;
        topic::expand(&self.project().map_err(trouble)?, &self.look, tags).map_err(trouble)
    }

    fn terms(&self, genre_pages: &[String], relevant_pages: &[String]) -> Result<TermsView, Trouble> {
        self.busy("terms are taken from pages")?;
        topic::terms(&self.project().map_err(trouble)?, &self.look, genre_pages, relevant_pages)
            .map_err(trouble)
    }

    fn set_topic(&self, topic: &TopicView) -> Result<(), Trouble> {
        topic::set(&self.dir, topic).map_err(trouble)
    }
}

impl Desk {
    /// Refuses what needs the stores while a job has them.
    fn busy(&self, what: &str) -> Result<(), Trouble> {
        match self.job().as_ref().is_some_and(|job| !job.has_ended()) {
            true => Err(Trouble::Busy(format!("{what} while nothing else runs; stop it first"))),
            false => Ok(()),
        }
    }
}
