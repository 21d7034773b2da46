//! `data/verdicts`: the verdicts of everything that was judged again.
//!
//! The archive says what the judge said when a page came, and is never changed. After a change of the want, this file
//! has the verdicts of today of all visits up to then; who reads visits from the archive takes them from here. Without
//! the file the verdicts of then count again.
//!
//! ```text
//! osprey-verdicts 1\n
//! {"identity":"<of the judge>","written":"<when>"}\n
//! <for each visit with a verdict: its number (8 bytes, little-endian), its relevance (an f32; NaN: unknown), 0 or 1>
//! <xxh3 of the entries, 8 bytes>
//! ```

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use osprey_model::Timestamp;
use osprey_steer::Judgement;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{CrawlError, VisitRow};

/// The first line.
const MAGIC: &[u8] = b"osprey-verdicts 1\n";
/// Bytes of an entry.
const ENTRY: usize = 13;

/// Verdicts by the number of the visit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdicts {
    head: Head,
    entries: Vec<(u64, Judgement)>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Head {
    identity: String,
    written: Timestamp,
}

impl Verdicts {
    /// None yet, by a judge of this identity.
    pub(crate) fn of(identity: &str, written: Timestamp) -> Self {
        Self { head: Head { identity: identity.to_owned(), written }, entries: Vec::new() }
    }

    /// Adds that of a visit, which comes after those before.
    pub(crate) fn push(&mut self, n: u64, verdict: Judgement) {
        self.entries.push((n, verdict));
    }

    /// Where they are.
    pub fn file_of(data: &Path) -> PathBuf {
        file_of(data)
    }

    /// Those of the crawl in `data`; none if nothing was judged again.
    pub fn read(data: &Path) -> Result<Self, CrawlError> {
        let path = file_of(data);
        match fs::read(&path) {
            Ok(bytes) => Self::parse(&bytes).ok_or(CrawlError::Verdicts(path)),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(cause) => Err(CrawlError::Folder { path, cause }),
        }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let (head, rest) = rest.split_at_checked(end + 1)?;
        let (entries, sum) = rest.split_at_checked(rest.len().checked_sub(8)?)?;
        if sum != xxh3_64(entries).to_le_bytes() || !entries.len().is_multiple_of(ENTRY) {
            return None;
        }
        let entry = |bytes: &[u8]| {
            let (n, rest) = bytes.split_first_chunk()?;
            let (relevance, rest) = rest.split_first_chunk()?;
            let relevance = Some(f32::from_le_bytes(*relevance)).filter(|relevance| !relevance.is_nan());
            Some((u64::from_le_bytes(*n), Judgement { relevance, relevant: rest == [1] }))
        };
        let entries = entries.chunks_exact(ENTRY).map(entry).collect::<Option<_>>()?;
        Some(Self { head: serde_json::from_slice(head).ok()?, entries })
    }

    /// Takes the place of the file in `data`.
    pub(crate) fn write(&self, data: &Path) -> Result<(), CrawlError> {
        let mut entries = Vec::with_capacity(self.entries.len() * ENTRY);
        for (n, Judgement { relevance, relevant }) in &self.entries {
            entries.extend_from_slice(&n.to_le_bytes());
            entries.extend_from_slice(&relevance.unwrap_or(f32::NAN).to_le_bytes());
            entries.push(u8::from(*relevant));
        }
        let fill = |file: &mut (dyn Write + Send)| -> Result<(), osprey_files::WriteError> {
            let failed = |source| osprey_files::WriteError { path: file_of(data), step: "write", source };
            file.write_all(MAGIC)
                .and_then(|()| serde_json::to_writer(&mut *file, &self.head).map_err(io::Error::from))
                .and_then(|()| file.write_all(b"\n"))
                .and_then(|()| file.write_all(&entries))
                .and_then(|()| file.write_all(&xxh3_64(&entries).to_le_bytes()))
                .map_err(failed)
        };
        Ok(osprey_files::write_durably_with(&file_of(data), fill)?)
    }

    /// The judge whose they are; empty if there are none.
    pub fn identity(&self) -> &str {
        &self.head.identity
    }

    /// A name for exactly these verdicts; empty if there are none.
    pub fn key(&self) -> String {
        match self.head.identity.as_str() {
            "" => String::new(),
            identity => format!("{identity} {}", self.head.written),
        }
    }

    /// That of a visit, if it was judged again.
    pub fn of_visit(&self, n: u64) -> Option<Judgement> {
        let at = self.entries.binary_search_by_key(&n, |(n, _)| *n).ok()?;
        self.entries.get(at).map(|(_, verdict)| *verdict)
    }

    /// Gives a row from the archive the verdict of today.
    pub fn apply(&self, row: &mut VisitRow) {
        if let Some(verdict) = self.of_visit(row.n) {
            (row.relevance, row.relevant) = (verdict.relevance, verdict.relevant);
        }
    }
}

fn file_of(data: &Path) -> PathBuf {
    data.join("verdicts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_read_back_and_damaged_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = file_of(folder.path());
        assert_eq!(Verdicts::read(folder.path()).unwrap(), Verdicts::default());
        let mut verdicts = Verdicts::of("abc", Timestamp::from_millis(7_000));
        verdicts.push(2, Judgement { relevance: Some(0.25), relevant: true });
        verdicts.push(5, Judgement { relevance: None, relevant: false });
        verdicts.write(folder.path()).unwrap();
        let read = Verdicts::read(folder.path()).unwrap();
        assert_eq!(read, verdicts);
        assert_eq!(read.of_visit(2), Some(Judgement { relevance: Some(0.25), relevant: true }));
        assert_eq!((read.of_visit(3), read.of_visit(5)), (None, Some(Judgement::default())));
        let whole = fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let error = Verdicts::read(folder.path()).unwrap_err().to_string();
            assert!(error.contains("osprey rejudge"), "cut at {cut}: {error}");
        }
    }
}
