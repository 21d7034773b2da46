//! A project that stays open in a program such as a server: its state, whichever process crawls, and the orders it
//! takes.
//!
//! The service talks to a running crawl through its socket, in this process or another, so both look the same. When
//! none runs, it opens the stores to read them. The index is separate and can always be searched.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use osprey_archive::ArchiveReader;
use osprey_crawl::{CrawlError, Inspection, SystemClock, VisitRow};
use osprey_index::{Index, Rated, Searcher, standing};
use osprey_model::{CanonicalUrl, Clock};
use osprey_steer::PolicyKind;
use osprey_structure::{SiteModel, Sitemap};
use osprey_vision::Codebook;

use super::job::{Job, Work};
use super::stores::Stores;
use super::{Journal, Running, SAMPLE};
use crate::best_pages::BestPages;
use crate::collect::Collected;
use crate::collection::Collection;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Layout;
use crate::observe::{Control, Observer};
use crate::project::{Overrides, Project};
use crate::ratings::{Rating, Ratings, RatingsFile, check_visit};
use crate::site_files::SiteFiles;
use crate::status::{CrawlState, Status};
use crate::terms::{ProposedTerms, TermsOptions};
use crate::topic::{ExpandedTopic, TagPages};
use osprey_steer::cotag::CoTagRules;

/// What goes on in a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// Nothing.
    #[default]
    Idle,
    /// A crawl, of this process or another.
    Crawl(CrawlState),
    /// Indexing, by this process.
    Indexing,
}

/// What goes on in a project, and how its crawl stands.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// What goes on.
    pub activity: Activity,
    /// Whether this process does it.
    pub is_ours: bool,
    /// How the last thing ended, or what is wrong.
    pub message: Option<String>,
    /// The state of the crawl.
    pub status: Status,
    /// Documents that can be searched.
    pub documents: u64,
}

/// What is searched.
#[derive(Clone, Debug)]
pub struct SearchHandle {
    /// What was committed last.
    pub searcher: Arc<Searcher>,
    /// What visual words mean.
    pub codebook: Arc<Codebook>,
    /// Pages that the user called good or bad.
    pub ratings: Arc<Ratings>,
    /// The same for a search: what it lifts, and what it puts last.
    pub rated: Arc<Rated>,
}

/// When files were changed last: what was made from them is as good as new while these stay.
type Stamp = [Option<SystemTime>; 2];

/// When a file was changed last, and its length: one that only grows.
type Growth = Option<(Option<SystemTime>, u64)>;

/// The files of an archive and their lengths.
type ArchiveState = Vec<(PathBuf, u64)>;

/// A project that stays open.
pub struct Service {
    name: String,
    layout: Layout,
    collection: Collection,
    search: Mutex<Option<(Stamp, SearchHandle)>>,
    ratings: Mutex<(Growth, Arc<Ratings>)>,
    /// What was started here; work that has ended stays until the next, for what it has to say.
    job: Mutex<Option<Job>>,
    stores: Stores,
    /// The state of the crawl when nothing ran, and the state of the archive that this was read from.
    last: Mutex<Option<(ArchiveState, Status)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service {
    /// The policies that a crawl may be started with.
    pub const POLICIES: &[&str] = &PolicyKind::NAMES;

    /// Opens a folder: a project, or one that has only an index.
    pub fn open(dir: &Path, name: String) -> Result<Self> {
        let (layout, collection) = (Layout::of(dir), Collection::of(dir));
        if layout.config().exists() || !layout.index().exists() {
            Project::open(dir)?;
        }
        let stores = Stores::of(&layout);
        let (search, job, last) = (Mutex::new(None), Mutex::new(None), Mutex::new(None));
        Ok(Self { name, layout, collection, search, ratings: Mutex::default(), job, stores, last })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The project as its file says now.
    pub fn project(&self) -> Result<Project> {
        Project::open(self.layout.dir())
    }

    /// Whether there is a project to crawl: a folder of the user's own pictures has an index and no project.
    fn has_project(&self) -> bool {
        self.layout.config().exists()
    }

    /// Ends what was started here, and waits for it.
    pub fn close(&self) {
        let job = lock(&self.job).take();
        if let Some(job) = job {
            job.end();
        }
    }

    /// What is searched; `None` if nothing is indexed yet.
    pub fn search_handle(&self) -> Result<Option<SearchHandle>> {
        let changed = |path: PathBuf| std::fs::metadata(path).and_then(|data| data.modified()).ok();
        let index = changed(standing(&self.layout.index()).join("meta.json"));
        if index.is_none() {
            return Ok(None);
        }
        let stamp = [index, changed(self.layout.codebook())];
        let ratings = self.ratings()?;
        let mut kept = lock(&self.search);
        if let Some((at, handle)) = &mut *kept
            && *at == stamp
        {
            if !Arc::ptr_eq(&handle.ratings, &ratings) {
                handle.rated = Arc::new(ratings.in_index(&handle.searcher)?);
                handle.ratings = ratings;
            }
            return Ok(Some(handle.clone()));
        }
        match self.open_search(ratings) {
            Ok(handle) => {
                *kept = Some((stamp, handle.clone()));
                Ok(Some(handle))
            }
            // an index that is being made anew: what was there is good for a moment longer
            Err(error) => kept.as_ref().map(|(_, handle)| Some(handle.clone())).ok_or(error),
        }
    }

    fn open_search(&self, ratings: Arc<Ratings>) -> Result<SearchHandle> {
        let codebook = self.collection.codebook()?;
        let opened = Index::open(&standing(&self.layout.index()), Arc::clone(&codebook));
        let searcher =
            opened.and_then(|index| index.searcher()).map_err(|error| self.collection.advise(error))?;
        let rated = Arc::new(ratings.in_index(&searcher)?);
        Ok(SearchHandle { searcher: Arc::new(searcher), codebook, ratings, rated })
    }

    /// The user's ratings, whoever has written them. A look at the file, unless it has grown.
    pub fn ratings(&self) -> Result<Arc<Ratings>> {
        let path = self.layout.ratings();
        let growth = std::fs::metadata(&path).ok().map(|data| (data.modified().ok(), data.len()));
        let mut kept = lock(&self.ratings);
        if kept.0 != growth {
            *kept = (growth, Arc::new(RatingsFile::at(path).read()?));
        }
        Ok(Arc::clone(&kept.1))
    }

    /// Calls a page good or bad, or takes that back with `None`: a page that was fetched or indexed. What is kept: of a URL
    /// that redirects, the page that it leads to.
    pub fn rate(&self, url: &str, good: Option<bool>) -> Result<Option<Rating>> {
        let url = self.rateable(url)?;
        let at = SystemClock::default().now();
        RatingsFile::at(self.layout.ratings()).put(std::slice::from_ref(&url), good, at)?;
        Ok(good.map(|good| Rating { url, good, at }))
    }

    /// The page that a URL stands for.
    fn rateable(&self, url: &str) -> Result<String> {
        let is_indexed = |handle: SearchHandle| handle.searcher.document(url).is_ok();
        if self.ratings()?.get(url).is_some() || self.search_handle()?.is_some_and(is_indexed) {
            return Ok(url.to_owned());
        }
        if !self.has_project() {
            return Err(Error::NotFound(format!("`{url}`: not among the pictures of this collection")));
        }
        let canonical = self.project()?.canonical(url)?;
        let visit = self.visit(canonical.as_str())?;
        let Some(to) = check_visit(canonical.as_str(), visit.as_ref())? else {
            return Ok(canonical.to_string());
        };
        check_visit(to.as_str(), self.visit(to.as_str())?.as_ref())?;
        Ok(to.to_string())
    }

    /// The file of a thumbnail, by the path that a hit names.
    pub fn thumbnail(&self, path: &str) -> Option<PathBuf> {
        let (folder, leaf) = path.split_once('/')?;
        let digits = leaf.strip_suffix(".jpg")?;
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_ours = folder.len() == 2 && digits.len() == 32 && is_hex(folder) && is_hex(digits);
        is_ours.then(|| self.layout.images().join(path))
    }

    /// The bytes of the picture of a document.
    pub fn picture(&self, url: &str) -> Result<Option<Vec<u8>>> {
        let Some(handle) = self.search_handle()? else { return Ok(None) };
        let Some(image) = handle.searcher.document(url)?.image else { return Ok(None) };
        // the user's own pictures: only files that were indexed have such an address
        if let Some(path) = url::Url::parse(&image).ok().and_then(|image| image.to_file_path().ok()) {
            return Ok(std::fs::read(path).ok());
        }
        let Ok(image) = CanonicalUrl::from_stored(&image) else { return Ok(None) };
        let row = self.ask(|running| running.picture(&image), |stores| Ok(stores.picture(&image)?))?;
        let Some(position) = row.and_then(|row| row.archived) else { return Ok(None) };
        let archive = ArchiveReader::new(&self.layout.archive());
        Ok(Some(archive.read(position, Some(image.as_str()))?.body.to_vec()))
    }

    /// The visit that fetched a document; `None` if no crawl did.
    pub fn visit(&self, url: &str) -> Result<Option<VisitRow>> {
        let Ok(url) = CanonicalUrl::from_stored(url) else { return Ok(None) };
        if !self.layout.frontier().exists() {
            return Ok(None);
        }
        self.ask(|running| running.visit(&url), |stores| Ok(stores.visit(&url)?))
    }

    /// Asks the crawl that runs, or else its stores.
    fn ask<T>(
        &self,
        running: impl FnOnce(&mut Running) -> Result<T>,
        stores: impl FnOnce(&mut Inspection) -> Result<T>,
    ) -> Result<T> {
        match Running::find(&self.layout)? {
            Some(mut crawl) => running(&mut crawl),
            None => self.stores.with(stores),
        }
    }

    /// What goes on, and the state of the crawl. Asked once a second by every page that shows it.
    pub fn overview(&self) -> Overview {
        let mut overview = self.unrated_overview();
        if let Ok(ratings) = self.ratings() {
            let recent = overview.status.course.recent.iter_mut();
            recent.for_each(|visit| visit.good = ratings.get(&visit.url));
        }
        overview
    }

    fn unrated_overview(&self) -> Overview {
        let documents = self.search_handle().ok().flatten().map_or(0, |handle| handle.searcher.len());
        let (activity, is_ours, message) = match &*lock(&self.job) {
            Some(job) if !job.has_ended() => {
                let activity = match (job.work, job.is_stopping()) {
                    (Work::Index, _) => Activity::Indexing,
                    (Work::Crawl | Work::Collect, true) => Activity::Crawl(CrawlState::Stopping),
                    (Work::Crawl | Work::Collect, false) => Activity::Crawl(CrawlState::Crawling),
                };
                (activity, true, None)
            }
            job => (Activity::Idle, false, job.as_ref().and_then(Job::message)),
        };
        let own_pictures =
            || (!self.has_project()).then(|| "a picture collection; there is nothing to crawl".to_owned());
        let message = message.or_else(own_pictures);
        let overview = Overview { activity, is_ours, message, documents, ..Overview::default() };
        match self.crawl_status(activity) {
            Ok(status) if status.running => {
                let activity = match activity {
                    Activity::Indexing => Activity::Indexing,
                    _ => Activity::Crawl(status.state),
                };
                Overview { activity, status, ..overview }
            }
            Ok(status) => Overview { status, ..overview },
            Err(error) => Overview { message: overview.message.or(Some(error.to_string())), ..overview },
        }
    }

    fn crawl_status(&self, activity: Activity) -> Result<Status> {
        if !self.has_project() {
            return Ok(Status::default());
        }
        let project = self.project()?;
        if let Some(mut running) = Running::find(&self.layout)? {
            let status = running.status()?;
            // between two of its crawls, a collection has none to ask
            let at_rest = Status { running: false, ..status.clone() };
            *lock(&self.last) = Some((ArchiveState::new(), at_rest));
            return Ok(status);
        }
        let archive = self.archive_state();
        let mut kept = lock(&self.last);
        let status = match (&*kept, activity) {
            (Some((at, status)), _) if *at == archive => status.clone(),
            (Some((_, status)), Activity::Crawl(_) | Activity::Indexing) => status.clone(),
            // who works has the stores, or is about to open them
            (None, Activity::Crawl(_) | Activity::Indexing) => Status::default(),
            (_, Activity::Idle) => match self.status_at_rest(&project) {
                Ok(status) => {
                    *kept = Some((archive, status.clone()));
                    status
                }
                // a crawl that began meanwhile
                Err(error) => match Running::find(&self.layout)? {
                    Some(mut running) if error.kind() == ErrorKind::Busy => return running.status(),
                    _ => return Err(error),
                },
            },
        };
        Ok(project.planned(status))
    }

    /// The state of a crawl that does not run, and what it did so far.
    fn status_at_rest(&self, project: &Project) -> Result<Status> {
        if !self.layout.frontier().exists() {
            return Ok(Status::default());
        }
        self.stores.with(|stores| {
            let mut status = project.status_at_rest(stores)?;
            let mut journal = Journal::default();
            for visit in stores.visits() {
                journal.add(&visit?);
            }
            journal.expect(&stores.some_waiting(SAMPLE)?);
            status.course = journal.course(stores.stats().waiting);
            Ok(status)
        })
    }

    /// The files of the archive and their lengths: while they stay, so does what the crawl did.
    fn archive_state(&self) -> ArchiveState {
        let entries = std::fs::read_dir(self.layout.archive()).into_iter().flatten().flatten();
        let mut files: Vec<_> =
            entries.map(|entry| (entry.path(), entry.metadata().map_or(0, |data| data.len()))).collect();
        files.sort();
        files
    }

    /// Starts or resumes the crawl.
    pub fn start(&self, overrides: &Overrides) -> Result<()> {
        self.begin(Work::Crawl, overrides, Arc::new(()))
    }

    /// Starts or resumes [`Project::collect`]; what becomes of it says [`Service::collected`].
    pub fn collect(&self, overrides: &Overrides, observer: Arc<dyn Observer>) -> Result<()> {
        self.begin(Work::Collect, overrides, observer)
    }

    /// What [`Service::collect`] came to, once, after its end.
    pub fn collected(&self) -> Option<Result<Collected>> {
        lock(&self.job).as_ref()?.collected()
    }

    /// Whether a crawl goes on, of this process or another.
    pub fn is_crawling(&self) -> bool {
        let is_ours = lock(&self.job).as_ref().is_some_and(|job| job.work != Work::Index && !job.has_ended());
        is_ours || matches!(Running::find(&self.layout), Ok(Some(_)))
    }

    /// Makes what was fetched searchable.
    pub fn index(&self) -> Result<()> {
        self.begin(Work::Index, &Overrides::default(), Arc::new(()))
    }

    fn begin(&self, work: Work, overrides: &Overrides, observer: Arc<dyn Observer>) -> Result<()> {
        let mut job = lock(&self.job);
        if job.as_ref().is_some_and(|job| !job.has_ended()) {
            return Err(Error::Busy("a crawl or index run is active; stop it first".to_owned()));
        }
        if work != Work::Index && Running::find(&self.layout)?.is_some() {
            return Err(Error::Busy(
                "another process is crawling this project; stop that crawl first".to_owned(),
            ));
        }
        self.stores.close();
        *job = Some(Job::start(Project::open_with(self.layout.dir(), overrides)?, work, observer)?);
        Ok(())
    }

    /// Pauses the crawl, in whichever process it runs.
    pub fn pause(&self) -> Result<()> {
        self.running()?.pause()
    }

    /// Lets the crawl go on.
    pub fn resume(&self) -> Result<()> {
        self.running()?.resume()
    }

    /// Ends what runs soon.
    pub fn stop(&self) -> Result<()> {
        if let Some(job) = lock(&self.job).as_ref().filter(|job| !job.has_ended()) {
            job.stop();
            return Ok(());
        }
        self.running()?.stop()
    }

    fn running(&self) -> Result<Running> {
        let none = match lock(&self.job).as_ref().filter(|job| !job.has_ended()).map(|job| job.work) {
            Some(Work::Index) => return Err(Error::Busy("indexing cannot be paused".to_owned())),
            Some(Work::Crawl | Work::Collect) => "the crawl is just starting; try again in a moment",
            None => "nothing is running",
        };
        Running::find(&self.layout)?.ok_or_else(|| Error::Busy(none.to_owned()))
    }

    /// The tags that go with the given ones, by what was crawled.
    pub fn expand_topic(&self, tags: &[String]) -> Result<ExpandedTopic> {
        self.while_idle("counting tags", |project, control| {
            project.expand_topic(tags, TagPages::Crawled, &CoTagRules::default(), control)
        })
    }

    /// Proposes so many terms of each kind, from example pages that were crawled.
    pub fn propose_terms(
        &self,
        genre_pages: &[String],
        relevant_pages: &[String],
        how_many: usize,
    ) -> Result<ProposedTerms> {
        let options = TermsOptions {
            genre_pages: genre_pages.to_vec(),
            relevant_pages: relevant_pages.to_vec(),
            genre: how_many,
            content: how_many,
            by_frequency: false,
            crawled: true,
        };
        self.while_idle("proposing terms", |project, control| project.propose_terms(&options, control))
    }

    /// The best pages so far, judged with the topic as it is now, and terms to accept or drop.
    pub fn best_pages(&self, most: usize, terms: usize) -> Result<BestPages> {
        self.while_idle("judging pages again", |project, control| project.best_pages(most, terms, control))
    }

    /// Work that opens the stores itself: refused while something runs, which has them.
    fn while_idle<T>(&self, what: &str, work: impl FnOnce(&Project, Control<'_>) -> Result<T>) -> Result<T> {
        let is_working = lock(&self.job).as_ref().is_some_and(|job| !job.has_ended());
        if is_working || Running::find(&self.layout)?.is_some() {
            return Err(Error::Busy(format!(
                "{what} is not possible while a crawl or index run is active; stop it first"
            )));
        }
        let project = self.project()?;
        self.stores.close();
        let done = work(&project, Control { stop: &AtomicBool::new(false), observer: &() });
        done.map_err(|error| match error {
            Error::Crawl(CrawlError::Nothing(_)) => {
                Error::NotFound("nothing was crawled yet; start the crawl first".to_owned())
            }
            error => error,
        })
    }

    /// What was learned of the site, and what a person made of it; `None` if it was not learned.
    pub fn sitemap(&self) -> Result<Option<(SiteModel, Sitemap)>> {
        let files = SiteFiles::of(&self.layout);
        Ok(files.model()?.zip(files.sitemap()?))
    }

    /// A drawing of the page types and how they link, SVG of our own making; `None` if there is none.
    pub fn sitemap_drawing(&self) -> Option<String> {
        std::fs::read_to_string(SiteFiles::of(&self.layout).picture_file()).ok()
    }

    /// Says whether pages of a type are wanted; `None`: either way.
    pub fn set_wanted(&self, page_type: u32, wanted: Option<bool>) -> Result<()> {
        let files = SiteFiles::of(&self.layout);
        let missing = || Error::NotFound(format!("unknown page type number `{page_type}`"));
        let mut sitemap = files.sitemap()?.ok_or_else(missing)?;
        let entry = sitemap.types.iter_mut().find(|entry| entry.cluster == page_type);
        entry.ok_or_else(missing)?.wanted = wanted;
        files.save_sitemap(&sitemap)
    }
}
