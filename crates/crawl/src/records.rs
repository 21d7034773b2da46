//! `data/records/records.jsonl`: a line for each page that gave a record.
//!
//! Records follow from the archive, the model and the rules, so nothing depends on this file: it is written as the crawl
//! goes, and whatever is missing (a kill, a deleted file) or stale (an edited sitemap, other rules) is read again from
//! the archive when it is next opened. The first line says what it was made with.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use osprey_archive::ArchiveReader;
use osprey_frontier::Frontier;
use osprey_page::read_page;
use osprey_structure::Site;
use osprey_structure::extract::Record;
use serde::{Deserialize, Serialize};

use crate::CrawlError;

/// The version of the file that this build writes and reads.
const VERSION: u32 = 2;

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    /// The first one.
    Head {
        /// [`VERSION`].
        osprey_records: u32,
        /// What decided over the records.
        made_with: String,
    },
    Record {
        /// The visit.
        n: u64,
        record: Box<Record>,
    },
    /// All visits up to this one have been looked at.
    Through { through: u64 },
    /// The answer of this visit could not be read from the archive.
    Lost { lost: u64 },
}

/// The file, open at its end.
#[derive(Debug)]
pub(crate) struct RecordLog {
    path: PathBuf,
    file: BufWriter<File>,
}

impl RecordLog {
    /// Opens the file of a crawl with `visited` visits and makes it whole.
    pub(crate) fn open(
        data: &Path,
        frontier: &Frontier,
        visited: u64,
        site: &Site,
        rules: &osprey_page::PageRules,
    ) -> Result<Self, CrawlError> {
        let path = file_of(data);
        let io_error = |cause| CrawlError::Records { path: path.clone(), cause };
        fs::create_dir_all(data.join("records")).map_err(io_error)?;
        let made_with = made_with(site, rules);
        let kept = kept(&path, &made_with, visited).map_err(io_error)?;
        let mut file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(io_error)?;
        file.set_len(kept.bytes).and_then(|()| file.seek(SeekFrom::End(0))).map_err(io_error)?;
        let mut log = Self { path: path.clone(), file: BufWriter::new(file) };
        if kept.bytes == 0 {
            log.line(&Line::Head { osprey_records: VERSION, made_with })?;
        }
        let archive = ArchiveReader::new(&data.join("archive"));
        for row in crate::inspect::visits(frontier, kept.through + 1) {
            let row = row?;
            let Some(position) = row.archived.filter(|_| row.has_record()) else { continue };
            let Ok(response) = archive.read(position, Some(&row.url)) else {
                log.line(&Line::Lost { lost: row.n })?;
                continue;
            };
            let mut record = site.read(&read_page(&response, rules)).record;
            record.iter_mut().for_each(|record| record.fetched(response.fetched_at));
            log.append(row.n, record)?;
        }
        log.through(visited)?;
        Ok(log)
    }

    /// The record of a visit, if it brought one.
    pub(crate) fn append(&mut self, n: u64, record: Option<Record>) -> Result<(), CrawlError> {
        let Some(record) = record else { return Ok(()) };
        self.line(&Line::Record { n, record: Box::new(record) })
    }

    /// Everything up to a visit is there; flushed.
    pub(crate) fn through(&mut self, visited: u64) -> Result<(), CrawlError> {
        self.line(&Line::Through { through: visited })?;
        self.file.flush().map_err(|cause| self.error(cause))
    }

    fn line(&mut self, line: &Line) -> Result<(), CrawlError> {
        let written = serde_json::to_writer(&mut self.file, line).map_err(io::Error::from);
        written.and_then(|()| self.file.write_all(b"\n")).map_err(|cause| self.error(cause))
    }

    fn error(&self, cause: io::Error) -> CrawlError {
        CrawlError::Records { path: self.path.clone(), cause }
    }
}

fn file_of(data: &Path) -> PathBuf {
    data.join("records").join("records.jsonl")
}

/// How much of a file can be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KeptPrefix {
    bytes: u64,
    /// All visits up to this one are in it.
    through: u64,
}

/// Reads a file up to where it is whole, known to be complete, and of this crawl.
fn kept(path: &Path, made_with: &str, visited: u64) -> io::Result<KeptPrefix> {
    let mut kept = KeptPrefix::default();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(kept),
        Err(cause) => return Err(cause),
    };
    let mut reader = BufReader::new(file);
    let (mut at, mut text) = (0, Vec::new());
    loop {
        text.clear();
        at += reader.read_until(b'\n', &mut text)? as u64;
        let line = text.strip_suffix(b"\n").and_then(|line| serde_json::from_slice(line).ok());
        match line {
            Some(Line::Head { osprey_records: VERSION, made_with: with })
                if kept.bytes == 0 && with == made_with =>
            {
                kept.bytes = at;
            }
            // nothing is written between the commit of a visit and its record, so a record vouches for those before
            Some(Line::Record { n, .. } | Line::Lost { lost: n })
                if kept.bytes > 0 && n <= visited && n > kept.through =>
            {
                kept = KeptPrefix { bytes: at, through: n };
            }
            Some(Line::Through { through })
                if kept.bytes > 0 && (kept.through..=visited).contains(&through) =>
            {
                kept = KeptPrefix { bytes: at, through };
            }
            _ => return Ok(kept),
        }
    }
}

/// What decides over records: what path strings are made of, too, and the version that reads them.
fn made_with(site: &Site, rules: &osprey_page::PageRules) -> String {
    format!("{} {} {}", env!("CARGO_PKG_VERSION"), site.key(), rules.display_properties.join(" "))
}

/// The records that are stored as `site` reads them, each with the number of its visit, in order, and `None` for a visit
/// whose answer could not be read; the last visit that is known to be among them. A crawl may be writing more at this moment. Nothing is written.
pub fn stored_records(
    data: &Path,
    site: &Site,
    rules: &osprey_page::PageRules,
    mut each: impl FnMut(u64, Option<Record>),
) -> Result<u64, CrawlError> {
    let path = file_of(data);
    let kept = kept(&path, &made_with(site, rules), u64::MAX);
    let kept = kept.map_err(|cause| CrawlError::Records { path: path.clone(), cause })?;
    if kept.bytes == 0 {
        return Ok(0);
    }
    let file = File::open(&path).map_err(|cause| CrawlError::Records { path: path.clone(), cause })?;
    for line in BufReader::new(file.take(kept.bytes)).lines() {
        let line = line.and_then(|line| serde_json::from_str(&line).map_err(io::Error::from));
        match line {
            Ok(Line::Record { n, record }) => each(n, Some(*record)),
            Ok(Line::Lost { lost }) => each(lost, None),
            Ok(_) => {}
            Err(cause) => return Err(CrawlError::Records { path, cause }),
        }
    }
    Ok(kept.through)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_kept_up_to_where_it_can_be_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let check = |text: &str, whole: &str, through: u64| {
            fs::write(&path, text).unwrap();
            let expect = KeptPrefix { bytes: whole.len() as u64, through };
            assert_eq!(kept(&path, "key", 9).unwrap(), expect, "{text}");
        };
        let head = &format!("{{\"osprey_records\":{VERSION},\"made_with\":\"key\"}}\n");
        let record = |n: u64| format!("{{\"n\":{n},\"record\":{{\"url\":\"http://a.example/{n}\"}}}}\n");
        let with = |lines: &[String]| format!("{head}{}", lines.concat());
        check("", "", 0);
        check(head, head, 0);
        check(&with(&[record(2), record(5)]), &with(&[record(2), record(5)]), 5);
        let through = "{\"through\":7}\n".to_owned();
        check(&with(&[record(2), through.clone(), record(8)]), &with(&[record(2), through, record(8)]), 8);
        // torn, of visits that were never committed, of another model, of another version
        check(&with(&[record(2), record(5)[..20].to_owned()]), &with(&[record(2)]), 2);
        check(&with(&[record(2), record(10)]), &with(&[record(2)]), 2);
        check(&head.replace("key", "other"), "", 0);
        check(&head.replace(&format!(":{VERSION}"), ":1"), "", 0);
        check(&record(2), "", 0);
        fs::remove_file(&path).unwrap();
        assert_eq!(kept(&path, "key", 9).unwrap(), KeptPrefix::default());
    }
}
