//! Writing our own archive: WARC 1.1, one gzip member per record, one batch per entry.
//!
//! An entry's records are assembled in memory and written by one positioned write, so a kill can leave at most the
//! last entry incomplete, and opening the archive cuts that off. The writer assumes that it is alone: the project's
//! lock ensures that. Nothing is buffered between entries: when [`Archive::write`] returns, the operating system has
//! the records and they survive `kill -9`; after [`Archive::sync`] they survive a power failure. The writer never
//! appends to a file whose end is damaged or missing, and never keeps half an entry on a full disk.
//!
//! The metadata record of an exchange is written with it, and copied to the catalogue beside the files. The catalogue
//! is buffered: it saves readers a scan, and nothing depends on it.

mod disk;
mod http_head;
mod record;
mod repair;

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use osprey_model::{CanonicalUrl, Response, Timestamp};

use crate::digest::Digest;
use crate::error::ArchiveError;
use crate::log::CatalogWriter;
use crate::position::{self, Cursor, Original, Position};
use disk::Disk;
use record::Assembler;

pub(crate) use http_head::RENAMED;
pub(crate) use record::{JSON, REFERS_TO, TOOK};
pub use repair::Repair;

/// Settings of the writer.
#[derive(Clone, Debug)]
pub struct WriterOptions {
    /// When a file has reached this size, the next one is begun.
    pub rotate_bytes: u64,
    /// The gzip level, 0 to 9. The default is 1: on real pages (13 KB) an entry costs 80 µs at level 1, 130 at 2, 150
    /// at 3 and 180 at 6, for 47, 38, 36 and 36 % of the size; CPU time is scarcer than disk space.
    pub level: u32,
    /// The `software` field of `warcinfo`.
    pub software: String,
    /// The prefix of file names.
    pub prefix: String,
    /// More `warcinfo` fields: `operator`, `robots`, `http-header-user-agent`.
    pub info: Vec<(String, String)>,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            rotate_bytes: 1 << 30,
            level: 1,
            software: concat!("osprey/", env!("CARGO_PKG_VERSION")).to_owned(),
            prefix: "osprey".to_owned(),
            info: Vec::new(),
        }
    }
}

/// One exchange to archive.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The server's answer.
    pub response: &'a Response,
    /// The digest of the body.
    pub digest: &'a Digest,
    /// An earlier response with the same body: a `revisit` record is written, without the body.
    pub duplicate_of: Option<&'a Original>,
    /// The block of a `metadata` record, a JSON object in one line; if it is empty, no record is written.
    pub metadata: &'a [u8],
}

/// Metadata that has no response, or whose response was archived before.
#[derive(Clone, Copy, Debug)]
pub struct Note<'a> {
    /// The URL it describes.
    pub url: &'a CanonicalUrl,
    /// Its time.
    pub date: Timestamp,
    /// The block of the `metadata` record, a JSON object in one line.
    pub metadata: &'a [u8],
}

/// The writer of one archive folder.
pub struct Archive {
    dir: PathBuf,
    options: WriterOptions,
    assembler: Assembler,
    /// The file that is appended to; it is created with the first write.
    current: Option<Current>,
    /// The number of the current file, or of the next one if there is none.
    sequence: u32,
    repaired: Option<Repair>,
    catalog: CatalogWriter,
}

struct Current {
    disk: Box<dyn Disk>,
    path: PathBuf,
    /// The end of the last complete record.
    length: u64,
    /// Whether bytes may follow `length` because a failed write could not be undone.
    dirty: bool,
}

impl Archive {
    /// Opens the archive in `dir`, creating the folder if necessary, and cuts off an incomplete end of the last file.
    /// The search for it starts at `known_good`, the end of the last records that a commit refers to, or at the start
    /// of the last file. If the archive ends before `known_good`, as it may after a power failure, it is continued in
    /// a new file; [`Archive::repaired`] reports that.
    pub fn open(
        dir: &Path,
        options: &WriterOptions,
        known_good: Option<Cursor>,
    ) -> Result<Self, ArchiveError> {
        let mut archive = Self::open_files(dir, options, known_good)?;
        archive.catalog = CatalogWriter::open(dir, archive.end());
        Ok(archive)
    }

    fn open_files(
        dir: &Path,
        options: &WriterOptions,
        known_good: Option<Cursor>,
    ) -> Result<Self, ArchiveError> {
        std::fs::create_dir_all(dir).map_err(ArchiveError::at(dir))?;
        let mut archive = Self {
            dir: dir.to_owned(),
            options: options.clone(),
            assembler: Assembler::new(options.level),
            current: None,
            sequence: 0,
            repaired: None,
            catalog: CatalogWriter::default(),
        };
        let last = position::files(dir)?.pop();
        if let Some(good) = known_good
            && last.as_ref().is_none_or(|(sequence, _)| *sequence < good.file)
        {
            let path = dir.join(position::file_name(&options.prefix, good.file));
            archive.sequence = good.file.saturating_add(1);
            archive.repaired = Some(Repair::of_absent(path, good.offset));
            return Ok(archive);
        }
        if let Some((sequence, path)) = last {
            let good = known_good.filter(|good| good.file == sequence);
            let (file, length, repaired) = repair::repair(&path, good.map_or(0, |good| good.offset))?;
            let is_short = repaired.as_ref().is_some_and(|repair| repair.missing > 0);
            archive.repaired = repaired;
            if is_short {
                archive.sequence = sequence.saturating_add(1);
            } else {
                archive.sequence = sequence;
                archive.current = Some(Current { disk: Box::new(file), path, length, dirty: false });
            }
        }
        Ok(archive)
    }

    /// What was cut off, or found missing, when the archive was opened.
    pub fn repaired(&self) -> Option<&Repair> {
        self.repaired.as_ref()
    }

    /// Archives one exchange. Returns the position of its response (or revisit) record.
    pub fn write(&mut self, entry: &Entry<'_>) -> Result<Position, ArchiveError> {
        let (offset, name) = self.begin(entry.response.fetched_at, entry.metadata)?;
        let spans = self.assembler.entry(entry, &name, offset).map_err(|error| self.failed(error))?;
        self.append(&name)?;
        let place = |span: record::Span| self.place(offset, span);
        let (response, metadata) = (place(spans.response), spans.metadata.map(place));
        match metadata {
            Some(at) => self.catalog.add(at, Some(response), entry.metadata),
            None => self.catalog.note_bare(),
        }
        Ok(response)
    }

    /// Archives a note as a metadata record. Returns the position of that record.
    pub fn note(&mut self, note: &Note<'_>) -> Result<Position, ArchiveError> {
        let (offset, name) = self.begin(note.date, note.metadata)?;
        let span = self.assembler.note(note, &name, offset);
        self.append(&name)?;
        let at = self.place(offset, span);
        self.catalog.add(at, None, note.metadata);
        Ok(at)
    }

    /// The end of the last record: the next one begins here, unless it begins a new file.
    pub fn end(&self) -> Cursor {
        let offset = self.current.as_ref().map_or(0, |current| current.length);
        Cursor { file: self.sequence, offset }
    }

    /// Begins an append; returns its offset and file name.
    fn begin(&mut self, date: Timestamp, metadata: &[u8]) -> Result<(u64, String), ArchiveError> {
        if metadata.contains(&b'\n') {
            return Err(self.failed("metadata with a line break"));
        }
        self.rotate()?;
        let (offset, name) = (self.end().offset, self.file_name());
        self.assembler.out.clear();
        if offset == 0 {
            self.assembler.warcinfo(&self.options, &name, date).map_err(|error| self.failed(error))?;
        }
        Ok((offset, name))
    }

    /// Writes the assembled records.
    fn append(&mut self, name: &str) -> Result<(), ArchiveError> {
        let current = match &mut self.current {
            Some(current) => current,
            empty => empty.insert(Current::create(self.dir.join(name))?),
        };
        current.append(&self.assembler.out)
    }

    fn place(&self, begin: u64, span: record::Span) -> Position {
        Position { file: self.sequence, offset: begin + span.offset, length: span.length }
    }

    fn failed(&self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ArchiveError {
        ArchiveError::Io { path: self.dir.clone(), source: io::Error::other(cause) }
    }

    /// The name of the current file, or of the next one if there is none.
    fn file_name(&self) -> String {
        let path = self.current.as_ref().map(|current| current.path.as_path());
        match path.and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => position::file_name(&self.options.prefix, self.sequence),
        }
    }

    /// Ends a file that has reached its size.
    fn rotate(&mut self) -> Result<(), ArchiveError> {
        if self.current.as_ref().is_some_and(|current| current.length >= self.options.rotate_bytes.max(1)) {
            self.catalog.end_file(self.end());
            self.sync()?;
            self.current = None;
            self.sequence += 1;
        }
        Ok(())
    }

    /// Syncs the files to the disk; buffered catalogue lines are passed to the operating system.
    pub fn sync(&mut self) -> Result<(), ArchiveError> {
        self.catalog.flush();
        match &mut self.current {
            Some(current) => current.disk.sync().map_err(ArchiveError::at(&current.path)),
            None => Ok(()),
        }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.current.as_ref().map_or(0, |current| current.length);
        write!(f, "Archive({}, file {}, {length} bytes)", self.dir.display(), self.sequence)
    }
}

impl Current {
    fn create(path: PathBuf) -> Result<Self, ArchiveError> {
        let file: File = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(ArchiveError::at(&path))?;
        // The file's name is in the folder: syncing the file alone does not make it survive a power failure.
        if let Some(dir) = path.parent() {
            File::open(dir).and_then(|dir| dir.sync_all()).map_err(ArchiveError::at(dir))?;
        }
        Ok(Self { disk: Box::new(file), path, length: 0, dirty: false })
    }

    /// Writes all of `bytes`, or nothing.
    fn append(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if self.dirty {
            self.disk.set_len(self.length).map_err(ArchiveError::at(&self.path))?;
            self.dirty = false;
        }
        match self.disk.write_all_at(bytes, self.length) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            Err(source) => {
                self.dirty = self.disk.set_len(self.length).is_err();
                let path = self.path.clone();
                let wanted = bytes.len() as u64;
                Err(match source.kind() {
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                        ArchiveError::Full { path, offset: self.length, wanted }
                    }
                    _ => ArchiveError::Io { path, source },
                })
            }
        }
    }
}

#[cfg(test)]
mod tests;
