//! A recording as a [`Source`]: WARC, ARC and WACZ files, folders of them, or a mirror folder.
//!
//! The index of URLs is in memory (some 150 bytes each); bodies are read from the disk when they are requested. A
//! crawl gets these answers:
//! - redirects, errors and robots.txt as they were recorded; redirects are not followed here;
//! - for a URL that was not recorded, a 404 with the note `not in the recording`;
//! - for `/x` if only `/x/` was recorded (or the reverse), the recorded page, so that no budget is spent on redirects
//!   that were not recorded; in a mirror folder, whose links are relative to the folder, a redirect as servers send it.
//!   [`SlashRule`] has the alternatives;
//! - for a file that cannot be read any more, a failure of kind `recording`, never a panic.
//!
//! A folder of recordings may contain a few other files, and a mirror a few recordings that its site offers for
//! download: with a `base`, or with top folders that are named like hosts, a folder is a mirror unless most of its
//! files are recordings.
//!
//! Answers depend only on the recording, not on the order or time of requests.

mod index;
mod media;
mod mirror;
mod store;
mod walk;

use std::fmt;
use std::future::{Future, ready};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use osprey_model::{
    BodyEnd, CanonicalUrl, Exchange, FailureKind, FetchFailure, Headers, Request, Response, Source,
    Timestamp, UrlRules,
};
use rustc_hash::FxHashMap;

use crate::error::{ArchiveError, Problem};
use crate::http;
use index::{Builder, Holding, Spot};
use store::{SpoolBudget, Store};
use walk::Walk;

/// What to answer if a URL was recorded only with, or only without, its final slash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlashRule {
    /// [`SlashRule::Redirect`] in mirror folders, [`SlashRule::Serve`] in other recordings.
    #[default]
    Auto,
    /// Answer with the recorded page under the requested URL. This saves a request, but relative links may resolve
    /// wrongly, and the page has two URLs, which a crawl sees as duplicates.
    Serve,
    /// Redirect to the recorded URL, as servers do.
    Redirect,
    /// Treat them as two URLs: answer 404.
    Exact,
}

/// How a recording is opened and answers.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// For mirror folders: the URL of the folder.
    pub base: Option<CanonicalUrl>,
    /// How recorded URLs are canonicalised: the crawl's own rules.
    pub url_rules: UrlRules,
    /// Maximum size of a decoded body; longer ones are cut.
    pub max_body: usize,
    /// Maximum number of records (or files of a mirror) that are read.
    pub max_records: usize,
    /// Maximum total size of temporary files, for parts of a recording that cannot be read in place.
    pub max_spool_bytes: u64,
    /// What to do about final slashes.
    pub slash: SlashRule,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self {
            base: None,
            url_rules: UrlRules::default(),
            max_body: 64 << 20,
            max_records: 20_000_000,
            max_spool_bytes: 16 << 30,
            slash: SlashRule::default(),
        }
    }
}

/// A problem and its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The file, or the WACZ file and the name of its member.
    pub path: PathBuf,
    /// The problem.
    pub problem: Problem,
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

/// A recorded web.
#[derive(Debug)]
pub struct Replay {
    stores: Vec<Store>,
    /// The folder of a mirror and its files.
    mirror: Option<(PathBuf, Vec<PathBuf>)>,
    holdings: Vec<(CanonicalUrl, Holding)>,
    by_url: FxHashMap<CanonicalUrl, u32>,
    options: ReplayOptions,
    problems: Vec<Noted>,
    /// The date of generated answers.
    began: Timestamp,
}

impl Replay {
    /// Opens a file or a folder and indexes it.
    pub fn open(path: &Path, options: &ReplayOptions) -> Result<Self, ArchiveError> {
        let is_folder = std::fs::metadata(path).map_err(ArchiveError::at(path))?.is_dir();
        let replay = if is_folder {
            Self::open_folder(path, options)?
        } else {
            Self::open_recordings(&[path.to_owned()], Vec::new(), options)?
        };
        if replay.is_empty() {
            let reason = match replay.problems.first() {
                Some(noted) => format!("holds nothing to replay: {}", noted.problem),
                None => "holds nothing to replay; expected WARC, ARC or WACZ files, or a mirror".to_owned(),
            };
            return Err(ArchiveError::Unusable { path: path.to_owned(), reason });
        }
        Ok(replay)
    }

    fn open_folder(path: &Path, options: &ReplayOptions) -> Result<Self, ArchiveError> {
        let Walk { files, problems } = walk::files_under(path, options.max_records)?;
        let is_recording = |file: &&PathBuf| {
            file.file_name().and_then(|name| name.to_str()).is_some_and(store::is_recording)
        };
        let recordings: Vec<PathBuf> = files.iter().filter(is_recording).cloned().collect();
        let may_be_mirror = options.base.is_some() || files.iter().any(|file| mirror::has_host(path, file));
        if !recordings.is_empty() && (!may_be_mirror || recordings.len() > files.len() / 2) {
            return Self::open_recordings(&recordings, problems, options);
        }
        if !may_be_mirror {
            let mut reason = "holds no WARC, ARC or WACZ files and no folders named like hosts; \
                              a mirror folder needs a `base` URL"
                .to_owned();
            if let Some(noted) = problems.first() {
                reason.push_str(&format!(" (left out: {noted})"));
            }
            return Err(ArchiveError::Unusable { path: path.to_owned(), reason });
        }
        Ok(Self::open_mirror(path, mirror::relative(path, files), problems, options))
    }

    fn open_recordings(
        paths: &[PathBuf],
        problems: Vec<Noted>,
        options: &ReplayOptions,
    ) -> Result<Self, ArchiveError> {
        let mut builder = Builder::default();
        builder.problems = problems;
        let mut budget = SpoolBudget(options.max_spool_bytes);
        let mut stores: Vec<Store> = Vec::new();
        for path in paths {
            for mut store in store::open(path, &mut budget, &mut builder.problems)? {
                let number = u32::try_from(stores.len()).unwrap_or(u32::MAX);
                if !builder.scan(&mut store, number, options)? {
                    store = store.spool(&mut budget, &mut builder.problems)?;
                    builder.scan(&mut store, number, options)?;
                }
                stores.push(store);
            }
        }
        let began = builder.began.unwrap_or(Timestamp::EPOCH);
        let (holdings, problems) = builder.finish(&stores);
        Ok(Self::new(stores, None, holdings, options, problems, began))
    }

    /// Opens a mirror. Its answers have the dates of its files; generated answers have the oldest of them.
    fn open_mirror(path: &Path, files: Vec<PathBuf>, problems: Vec<Noted>, options: &ReplayOptions) -> Self {
        let mut holdings = Vec::new();
        let mut moved = Vec::new();
        for (number, file) in (0_u32..).zip(&files) {
            if let Some(place) = mirror::place(file, options.base.as_ref(), &options.url_rules) {
                let to = place.url.clone();
                moved.extend(place.others.into_iter().map(|other| (other, Holding::Moved(to.clone()))));
                holdings.push((place.url, Holding::File(number)));
            }
        }
        holdings.extend(moved);
        let oldest = files.iter().map(|file| modified(&path.join(file))).min().unwrap_or_default();
        let mirror = Some((path.to_owned(), files));
        Self::new(Vec::new(), mirror, holdings, options, problems, oldest)
    }

    /// If a URL has several holdings, the first one counts.
    fn new(
        stores: Vec<Store>,
        mirror: Option<(PathBuf, Vec<PathBuf>)>,
        mut holdings: Vec<(CanonicalUrl, Holding)>,
        options: &ReplayOptions,
        problems: Vec<Noted>,
        began: Timestamp,
    ) -> Self {
        let mut by_url = FxHashMap::default();
        let mut next = 0_u32;
        holdings.retain(|(url, _)| match by_url.entry(url.clone()) {
            std::collections::hash_map::Entry::Occupied(_) => false,
            std::collections::hash_map::Entry::Vacant(vacant) => {
                vacant.insert(next);
                next += 1;
                true
            }
        });
        Self { stores, mirror, holdings, by_url, options: options.clone(), problems, began }
    }

    /// How many URLs have content. Redirects from another name of a file do not count.
    pub fn len(&self) -> usize {
        self.urls().count()
    }

    /// Whether it has no content.
    pub fn is_empty(&self) -> bool {
        self.holdings.is_empty()
    }

    /// The URLs that have content, in the order of the recording.
    pub fn urls(&self) -> impl Iterator<Item = &CanonicalUrl> {
        self.holdings.iter().filter(|(_, holding)| !matches!(holding, Holding::Moved(_))).map(|(url, _)| url)
    }

    /// Whether `url` itself was recorded.
    pub fn contains(&self, url: &CanonicalUrl) -> bool {
        self.find(url).is_some()
    }

    /// The problems of the recording.
    pub fn problems(&self) -> &[Noted] {
        &self.problems
    }

    fn find(&self, url: &CanonicalUrl) -> Option<&Holding> {
        let number = *self.by_url.get(url)?;
        self.holdings.get(number as usize).map(|(_, holding)| holding)
    }

    /// The recorded URL that differs from `url` only in its final slash.
    fn find_slashed(&self, url: &CanonicalUrl) -> Option<(CanonicalUrl, &Holding)> {
        if self.options.slash == SlashRule::Exact || url.query().is_some() {
            return None;
        }
        let text = url.as_str();
        let other = match text.strip_suffix('/') {
            Some(bare) => bare.to_owned(),
            None => format!("{text}/"),
        };
        let other = CanonicalUrl::parse(&other, &self.options.url_rules).ok().filter(|other| other != url)?;
        let holding = self.find(&other)?;
        Some((other, holding))
    }

    /// Answers a GET request for `url`.
    pub fn get(&self, url: &CanonicalUrl) -> Exchange {
        if let Some(holding) = self.find(url) {
            return self.answer(url, holding);
        }
        match self.find_slashed(url) {
            Some((_, holding)) if self.serves_slashed() => self.answer(url, holding),
            Some((other, _)) => {
                let with = if other.path().ends_with('/') { "with" } else { "without" };
                Exchange::Answered(self.redirect(url, &other, format!("recorded {with} a trailing slash")))
            }
            None => {
                let note = Some("not in the recording".to_owned());
                Exchange::Answered(Response { status: 404, note, ..self.made_up(url) })
            }
        }
    }

    fn serves_slashed(&self) -> bool {
        match self.options.slash {
            SlashRule::Serve => true,
            SlashRule::Auto => self.mirror.is_none(),
            SlashRule::Redirect | SlashRule::Exact => false,
        }
    }

    fn answer(&self, url: &CanonicalUrl, holding: &Holding) -> Exchange {
        let read = match holding {
            Holding::Record(spot) => self.read(url, *spot),
            Holding::Revisit(spot, original) => self.read_revisit(url, *spot, *original),
            Holding::File(number) => self.read_file(url, *number),
            Holding::Moved(to) => Ok(self.redirect(url, to, "another name of a file".to_owned())),
        };
        match read {
            Ok(response) => Exchange::Answered(response),
            Err(error) => Exchange::Failed(FetchFailure {
                url: url.clone(),
                kind: FailureKind::Recording,
                message: error.to_string(),
                at: self.began,
            }),
        }
    }

    fn read(&self, url: &CanonicalUrl, spot: Spot) -> Result<Response, ArchiveError> {
        let store = self.stores.get(spot.store as usize);
        let gone = || ArchiveError::Unusable {
            path: store.map(|store| store.name.clone()).unwrap_or_default(),
            reason: format!("the record at {} is no longer there", spot.offset),
        };
        let store_ref = store.ok_or_else(gone)?;
        let max_block = self.options.max_body.saturating_add(64 * 1024);
        let record = store_ref
            .read(spot.offset, spot.length, max_block)
            .map_err(ArchiveError::at(&store_ref.name))?
            .ok_or_else(gone)?;
        let answer = http::answer(&record, url.clone(), self.options.max_body).map_err(|kind| {
            let reason = format!("record at {}: {kind}", spot.offset);
            ArchiveError::Unusable { path: store_ref.name.clone(), reason }
        })?;
        let note = answer.problem.map(|problem| problem.to_string());
        Ok(Response { note, ..answer.response })
    }

    /// A revisit's response: its own status and header lines, unless it has none or is a 304, with the original's
    /// body.
    fn read_revisit(&self, url: &CanonicalUrl, spot: Spot, original: Spot) -> Result<Response, ArchiveError> {
        let original = self.read(url, original)?;
        match self.read(url, spot) {
            Ok(revisit) if revisit.status != 304 => {
                let Response { body, truncated, body_end, .. } = original;
                Ok(Response { body, truncated, body_end, ..revisit })
            }
            _ => Ok(original),
        }
    }

    fn read_file(&self, url: &CanonicalUrl, number: u32) -> Result<Response, ArchiveError> {
        let Some((root, files)) = &self.mirror else { return Ok(self.made_up(url)) };
        let relative = files.get(number as usize).cloned().unwrap_or_default();
        let path = root.join(&relative);
        let body = read_bounded(&path, self.options.max_body).map_err(ArchiveError::at(&path))?;
        let truncated = body.len() > self.options.max_body;
        let mut body = Bytes::from(body);
        body.truncate(self.options.max_body);
        let name = relative.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let headers = Headers::from_iter([("Content-Type", media::media_type(name, &body))]);
        let body_end = if truncated { BodyEnd::Limit } else { BodyEnd::Whole };
        let fetched_at = modified(&path);
        Ok(Response { headers, body, truncated, body_end, fetched_at, ..self.made_up(url) })
    }

    fn redirect(&self, url: &CanonicalUrl, to: &CanonicalUrl, note: String) -> Response {
        let headers = Headers::from_iter([("Location", to.as_str())]);
        Response { status: 301, headers, note: Some(note), ..self.made_up(url) }
    }

    /// An empty response with status 200.
    fn made_up(&self, url: &CanonicalUrl) -> Response {
        Response {
            url: url.clone(),
            status: 200,
            headers: Headers::default(),
            body: Bytes::new(),
            fetched_at: self.began,
            took: Duration::ZERO,
            truncated: false,
            body_end: BodyEnd::Whole,
            ip: None,
            request_head: Bytes::new(),
            note: None,
        }
    }
}

/// When a file was last modified; the epoch if that is unknown.
fn modified(path: &Path) -> Timestamp {
    let modified = std::fs::metadata(path).and_then(|data| data.modified());
    let since = modified.ok().and_then(|at| at.duration_since(std::time::SystemTime::UNIX_EPOCH).ok());
    Timestamp::EPOCH.after(since.unwrap_or_default())
}

/// Reads a file, but at most one byte more than `max`.
fn read_bounded(path: &Path, max: usize) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    std::fs::File::open(path)?.take((max as u64).saturating_add(1)).read_to_end(&mut body)?;
    Ok(body)
}

impl Source for Replay {
    fn fetch(&self, request: Request) -> impl Future<Output = Exchange> + Send {
        ready(self.get(request.target.url()))
    }
}
