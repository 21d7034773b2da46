//! The CDXJ index of an archive: one sorted line per capture, as pywb and py-wacz read it.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use osprey_model::{CanonicalUrl, MediaType};
use serde::Serialize;

use super::sort::LineSorter;
use super::surt::surt;
use crate::damage::{Damage, DamageLog};
use crate::error::ArchiveError;
use crate::http;
use crate::position;
use crate::read::{Record, RecordKind};
use crate::verify::{FileWalk, Walked};

/// The JSON part of a line. Field names, and numbers as strings, follow the format's custom.
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

/// A file of the archive and its intact parts; the rest is damaged or still being written.
pub(super) struct Indexed {
    pub(super) path: PathBuf,
    pub(super) name: String,
    /// The start and end of each part.
    pub(super) parts: Vec<(u64, u64)>,
    /// The total number of bytes of all parts.
    pub(super) length: u64,
}

impl Indexed {
    /// Adds a record; returns its offset once the parts are joined.
    fn add(&mut self, record: &Record) -> u64 {
        let end = record.offset.saturating_add(record.length);
        match self.parts.last_mut() {
            Some(last) if last.1 == record.offset => last.1 = end,
            _ => self.parts.push((record.offset, end)),
        }
        let offset = self.length;
        self.length += record.length;
        offset
    }
}

/// The part of a block that is read, for the HTTP head.
const HEAD: usize = 64 * 1024;

/// Indexes the intact records of all files of the archive in `dir`: at their offsets, or, if `is_joined`, at the
/// offsets they have once damaged records are removed.
pub(super) fn index(dir: &Path, is_joined: bool) -> Result<(LineSorter, Vec<Indexed>, Damage), ArchiveError> {
    let mut sorter = LineSorter::new();
    let mut damage = DamageLog::default();
    let paths = position::files(dir)?;
    let last = paths.last().map(|(number, _)| *number);
    let mut files = Vec::new();
    for (number, path) in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut walk = FileWalk::open(&path, Some(number) == last, HEAD)?;
        let mut file = Indexed { path, name, parts: Vec::new(), length: 0 };
        while let Some(found) = walk.next()? {
            match found {
                Walked::Intact(record) => {
                    damage.intact += 1;
                    let joined = file.add(&record);
                    let offset = if is_joined { joined } else { record.offset };
                    if let Some(line) = line(&record, offset, &file.name) {
                        sorter.push(line).map_err(ArchiveError::at(&file.path))?;
                    }
                }
                Walked::Damaged(record) => damage.note(number, record),
                Walked::Torn { .. } => {}
            }
        }
        files.push(file);
    }
    Ok((sorter, files, damage.damage()))
}

/// The line of a record; `None` if the record is not a capture.
fn line(record: &Record, offset: u64, filename: &str) -> Option<String> {
    if !matches!(record.kind, RecordKind::Response | RecordKind::Revisit | RecordKind::Resource) {
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
        offset: offset.to_string(),
        filename,
    };
    let json = serde_json::to_string(&fields).ok()?;
    let timestamp: String =
        http::date(record).0.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    Some(format!("{} {timestamp} {json}", surt(&url)))
}

/// Writes the index of the archive in `dir` to the file `out`. Returns the number of captures.
pub fn write_cdxj(dir: &Path, out: &Path) -> Result<u64, ArchiveError> {
    let (lines, ..) = index(dir, false)?;
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
