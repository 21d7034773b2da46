//! Random access to our own archive: a position in, a response out.

use std::path::Path;

use osprey_model::{CanonicalUrl, Response, UrlRules};

use crate::error::ArchiveError;
use crate::http;
use crate::position::{Position, find_file};
use crate::read::{ReaderOptions, Record, RecordKind, RecordReader};
use crate::region::Region;
use crate::write::REFERS_TO;

/// The largest body read back: more than any fetcher keeps.
const MAX_BODY: usize = 256 << 20;

/// The response at `position` of the archive in `dir`. A revisit comes with the body of its original. The
/// request head is not read back: it is a record of its own.
pub fn read_at(dir: &Path, position: Position) -> Result<Response, ArchiveError> {
    let path = find_file(dir, position.file)?;
    let record = read_record(&path, position.offset)?;
    let response = to_response(&path, &record)?;
    if record.kind != RecordKind::Revisit {
        return Ok(response);
    }
    let lost = |reason: &str| ArchiveError::BadRecord {
        path: path.clone(),
        offset: position.offset,
        reason: format!("revisit of `{}`: {reason}", response.url),
    };
    let original = original_of(&record).ok_or_else(|| lost("it does not say where its original is"))?;
    let path = find_file(dir, original.file)?;
    let original = read_record(&path, original.offset)?;
    let digest = |record: &Record| record.headers.get("warc-payload-digest").map(str::to_owned);
    if original.kind != RecordKind::Response || digest(&original) != digest(&record) {
        return Err(lost("its original is another record"));
    }
    let original = to_response(&path, &original)?;
    let Response { body, truncated, body_end, .. } = original;
    Ok(Response { body, truncated, body_end, ..response })
}

/// The response whose record begins at `offset` of the WARC file at `path`. A revisit comes without a body.
pub fn read_response(path: &Path, offset: u64) -> Result<Response, ArchiveError> {
    to_response(path, &read_record(path, offset)?)
}

fn read_record(path: &Path, offset: u64) -> Result<Record, ArchiveError> {
    let region = Region::open(path)?;
    let options = ReaderOptions { max_block: MAX_BODY, start: offset };
    let mut reader = RecordReader::with_options(region.reader(offset), options);
    let record = reader.next_record().map_err(ArchiveError::at(path))?;
    record.filter(|record| record.offset == offset && !record.incomplete).ok_or_else(|| {
        let problem = reader.problems().first();
        let reason = problem.map_or_else(|| "nothing there".to_owned(), |problem| problem.kind.to_string());
        ArchiveError::BadRecord { path: path.to_owned(), offset, reason }
    })
}

fn to_response(path: &Path, record: &Record) -> Result<Response, ArchiveError> {
    let bad =
        |reason: String| ArchiveError::BadRecord { path: path.to_owned(), offset: record.offset, reason };
    if !matches!(record.kind, RecordKind::Response | RecordKind::Revisit | RecordKind::Resource) {
        return Err(bad("it is not a response".to_owned()));
    }
    // What was canonical when it was written is read back as it is, whatever the rules are now.
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
