//! Random access to our own archive: takes a position, returns a response.
//!
//! [`ArchiveReader`] is the only way to read one of our responses, so verification cannot be forgotten: it compares
//! the checksum of the gzip member and the digests of the record with the bytes. A mismatch is an error, and is noted
//! with its position and URL. At its end, a command reports what was damaged: [`ArchiveReader::damage`].

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use osprey_model::{CanonicalUrl, Response, UrlRules};
use rustc_hash::FxHashMap;

use crate::damage::{Damage, DamageLog, DamagedRecord};
use crate::error::ArchiveError;
use crate::http;
use crate::log::PassedOver;
use crate::position::{Position, file_name, find_file};
use crate::read::{ReaderOptions, Record, RecordKind, RecordReader};
use crate::region::Region;
use crate::write::REFERS_TO;

/// The largest body that is read back: more than any fetcher keeps.
const MAX_BODY: usize = 256 << 20;

/// Reads responses of the archive in a folder and notes damaged ones.
#[derive(Debug)]
pub struct ArchiveReader {
    dir: PathBuf,
    /// Files that were read from, by number.
    files: Mutex<FxHashMap<u32, (PathBuf, Region)>>,
    damage: Mutex<DamageLog>,
}

impl ArchiveReader {
    /// A reader of the archive in `dir`, which need not exist yet and may grow.
    pub fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), files: Mutex::default(), damage: Mutex::default() }
    }

    /// The archive's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads the response at `at`. `url` is the URL it should have, for the note if it is damaged. A revisit is
    /// returned with the body of its original. The request head is not read back: it is a separate record.
    pub fn read(&self, at: Position, url: Option<&str>) -> Result<Response, ArchiveError> {
        let read = self.read_verified(at);
        match &read {
            Ok(_) => lock(&self.damage).intact += 1,
            Err((failed, named, error)) => {
                let url = named.as_deref().or(url).map(str::to_owned);
                let what = match error {
                    ArchiveError::BadRecord { reason, .. } | ArchiveError::Unusable { reason, .. } => {
                        reason.clone()
                    }
                    other => other.to_string(),
                };
                let file = self.name(failed.file);
                let record = DamagedRecord { file, offset: failed.offset, url, what };
                let mut damage = lock(&self.damage);
                damage.failed += 1;
                damage.note(failed.file, record);
            }
        }
        read.map_err(|(_, _, error)| error)
    }

    /// The damage found so far.
    pub fn damage(&self) -> Damage {
        lock(&self.damage).damage()
    }

    /// Notes damaged records that the log reader skipped.
    pub fn note(&self, passed: &[PassedOver]) {
        for PassedOver { at, reason } in passed {
            let (file, what) = (self.name(at.file), reason.clone());
            let record = DamagedRecord { file, offset: at.offset, url: None, what };
            lock(&self.damage).note(at.file, record);
        }
    }

    fn name(&self, number: u32) -> String {
        let path = find_file(&self.dir, number).ok();
        let name = path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| file_name("osprey", number))
    }

    /// The response at a position; on failure the damaged record, its URL and the error.
    fn read_verified(&self, at: Position) -> Result<Response, (Position, Option<String>, ArchiveError)> {
        let read = |at: Position, url: Option<&str>| {
            let failed = |error| (at, url.map(str::to_owned), error);
            let (path, region) = self.file(at).map_err(failed)?;
            let record = read_record(&path, &region, at.offset).map_err(failed)?;
            let response = to_response(&path, &record).map_err(failed)?;
            Ok((path, record, response))
        };
        let (path, record, response) = read(at, None)?;
        if record.kind != RecordKind::Revisit {
            return Ok(response);
        }
        let lost = |reason: &str| {
            let reason = format!("revisit of `{}`: {reason}", response.url);
            (at, None, ArchiveError::BadRecord { path: path.clone(), offset: at.offset, reason })
        };
        let place = original_of(&record).ok_or_else(|| lost("it does not say where its original is"))?;
        let (_, original, first) = read(place, record.headers.get("warc-refers-to-target-uri"))?;
        let digest = |record: &Record| record.headers.get("warc-payload-digest").map(str::to_owned);
        if original.kind != RecordKind::Response || digest(&original) != digest(&record) {
            return Err(lost("its original is another record"));
        }
        let Response { body, truncated, body_end, .. } = first;
        Ok(Response { body, truncated, body_end, ..response })
    }

    /// The file that holds a position. A file that has grown since it was opened is opened again.
    fn file(&self, at: Position) -> Result<(PathBuf, Region), ArchiveError> {
        let mut files = lock(&self.files);
        if let Some((path, region)) =
            files.get(&at.file).filter(|(_, region)| region.len() >= at.end().offset)
        {
            return Ok((path.clone(), region.clone()));
        }
        let path = find_file(&self.dir, at.file)?;
        let region = Region::open(&path)?;
        files.insert(at.file, (path.clone(), region.clone()));
        Ok((path, region))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads and verifies the record at `offset`.
pub(crate) fn read_record(path: &Path, region: &Region, offset: u64) -> Result<Record, ArchiveError> {
    let options = ReaderOptions { max_block: MAX_BODY, start: offset };
    let mut reader =
        RecordReader::with_options(region.reader(offset), options).assume_gzip().verify_digests();
    let record = reader.next_record().map_err(ArchiveError::at(path))?;
    let bad = |reason: String| ArchiveError::BadRecord { path: path.to_owned(), offset, reason };
    match record.filter(|record| record.offset == offset) {
        Some(Record { damage: Some(damage), .. }) => Err(bad(damage.to_string())),
        Some(record) => Ok(record),
        None => Err(bad(match reader.problems().first() {
            Some(problem) => problem.kind.to_string(),
            None => "nothing there".to_owned(),
        })),
    }
}

fn to_response(path: &Path, record: &Record) -> Result<Response, ArchiveError> {
    let bad =
        |reason: String| ArchiveError::BadRecord { path: path.to_owned(), offset: record.offset, reason };
    if !matches!(record.kind, RecordKind::Response | RecordKind::Revisit | RecordKind::Resource) {
        return Err(bad("it is not a response".to_owned()));
    }
    // A URL that was canonical when it was written is read back unchanged, whatever the rules are now.
    let stored = record.target().and_then(|target| CanonicalUrl::from_stored(target).ok());
    let url = match stored {
        Some(url) => url,
        None => http::target(record, &UrlRules::keep_all()).map_err(|kind| bad(kind.to_string()))?,
    };
    let answer = http::answer(record, url, MAX_BODY).map_err(|kind| bad(kind.to_string()))?;
    Ok(answer.response)
}

fn original_of(record: &Record) -> Option<Position> {
    let mut numbers = record.headers.get(REFERS_TO)?.split_ascii_whitespace();
    let file = numbers.next()?.parse().ok()?;
    let offset = numbers.next()?.parse().ok()?;
    let length = numbers.next()?.parse().ok()?;
    Some(Position { file, offset, length })
}
