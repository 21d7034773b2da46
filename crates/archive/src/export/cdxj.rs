//! The CDXJ index of an archive: one sorted line per capture, as pywb and py-wacz read it.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use osprey_model::{CanonicalUrl, MediaType};
use serde::Serialize;

use super::sort::LineSorter;
use super::surt::surt;
use crate::error::ArchiveError;
use crate::http;
use crate::position;
use crate::read::{ReaderOptions, Record, RecordKind, RecordReader};
use crate::region::Region;

/// The JSON part of a line; the field names and the strings for numbers are the format's custom.
#[derive(Serialize)]
struct Fields<'a> {
    url: &'a str,
    mime: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    digest: &'a str,
    length: String,
    offset: String,
    filename: &'a str,
}

/// A file of the archive and the part of it that is whole: the rest may be in the making.
pub(super) struct Indexed {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) length: u64,
}

/// The part of a block that is looked at: the HTTP head.
const HEAD: usize = 64 * 1024;

/// Indexes all files of the archive in `dir`.
pub(super) fn index(dir: &Path) -> Result<(LineSorter, Vec<Indexed>), ArchiveError> {
    let mut sorter = LineSorter::new();
    let mut files = Vec::new();
    for (_, path) in position::files(dir)? {
        let at = |error| ArchiveError::at(&path)(error);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let options = ReaderOptions { max_block: HEAD, start: 0 };
        let mut reader = RecordReader::with_options(Region::open(&path)?.reader(0), options);
        while let Some(record) = reader.next_record().map_err(at)? {
            if let Some(line) = line(&record, &name) {
                sorter.push(line).map_err(at)?;
            }
        }
        let length = reader.whole_until();
        files.push(Indexed { path, name, length });
    }
    Ok((sorter, files))
}

/// `None` for records that are no captures.
fn line(record: &Record, filename: &str) -> Option<String> {
    if !matches!(record.kind, RecordKind::Response | RecordKind::Revisit | RecordKind::Resource)
        || record.incomplete
    {
        return None;
    }
    let url = CanonicalUrl::from_stored(record.target()?).ok()?;
    let head = http::parse_head(&record.block);
    let declared = match &head {
        Some(head) => head.headers.get("content-type"),
        None => record.headers.get("content-type"),
    };
    let media_type = declared.and_then(MediaType::parse).map(|media_type| media_type.essence);
    let mime = match record.kind {
        RecordKind::Revisit => "warc/revisit",
        _ => media_type.as_deref().unwrap_or("unk"),
    };
    let fields = Fields {
        url: url.as_str(),
        mime,
        status: head.map(|head| head.status.to_string()),
        digest: record.headers.get("warc-payload-digest").unwrap_or("-"),
        length: record.length.to_string(),
        offset: record.offset.to_string(),
        filename,
    };
    let json = serde_json::to_string(&fields).ok()?;
    let timestamp: String =
        http::date(record).0.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    Some(format!("{} {timestamp} {json}", surt(&url)))
}

/// Writes the index of the archive in `dir` to the file `out`. Returns the number of captures.
pub fn write_cdxj(dir: &Path, out: &Path) -> Result<u64, ArchiveError> {
    let (lines, _) = index(dir)?;
    let at = |error: io::Error| ArchiveError::at(out)(error);
    let mut writer = BufWriter::new(super::begin_file(out).map_err(at)?);
    let mut count = 0;
    lines
        .finish(|line| {
            count += 1;
            writeln!(writer, "{line}")
        })
        .map_err(at)?;
    let file = writer.into_inner().map_err(|error| at(error.into_error()))?;
    file.persist(out).map_err(|error| at(error.error))?;
    Ok(count)
}
