//! Writing our own archive: WARC 1.1, one gzip member per record, one batch per entry.
//!
//! An entry's records are assembled in memory and written by one positioned write, so a kill can tear at most
//! the last entry, and opening cuts that off. The writer owns the end of the last file; who owns the archive
//! is the project lock's business. Nothing is buffered between entries: when [`Archive::write`] returns, the
//! records are with the operating system and survive `kill -9`; [`Archive::sync`] makes them survive a power
//! cut. Refused: appending to a file behind a damaged or missing end, and keeping half an entry on a full disk.

mod disk;
mod http_head;
mod record;
mod repair;

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use osprey_model::{Response, Timestamp};

use crate::digest::Digest;
use crate::error::ArchiveError;
use crate::position::{self, Original, Position};
use disk::Disk;
use record::Assembler;

pub(crate) use http_head::RENAMED;
pub(crate) use record::{REFERS_TO, TOOK};
pub use repair::Repair;

/// How the archive is written.
#[derive(Clone, Debug)]
pub struct WriterOptions {
    /// A file that has reached this size is followed by the next one.
    pub rotate_bytes: u64,
    /// The gzip level, 0 to 9. The default is 1: on real pages (13 KB) an entry costs 80 µs at level 1, 130 at
    /// 2, 150 at 3, 180 at 6, for 47, 38, 36 and 36 % of the size; the crawl's time is dearer than the disk's.
    pub level: u32,
    /// For `warcinfo`: who wrote this.
    pub software: String,
    /// What file names begin with.
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

/// One exchange to keep.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What the server answered.
    pub response: &'a Response,
    /// The digest of the body.
    pub digest: &'a Digest,
    /// An earlier response with the same body: a `revisit` record is written instead of the body.
    pub duplicate_of: Option<&'a Original>,
    /// Fields of a `metadata` record; none is written when empty.
    pub metadata: &'a [(&'a str, String)],
}

/// The writer of one archive folder.
pub struct Archive {
    dir: PathBuf,
    options: WriterOptions,
    assembler: Assembler,
    /// The file that is appended to; it exists once something was written.
    current: Option<Current>,
    /// The number of the current file, or of the one that comes first.
    sequence: u32,
    repaired: Option<Repair>,
}

struct Current {
    disk: Box<dyn Disk>,
    path: PathBuf,
    /// The end of the last whole record.
    length: u64,
    /// Whether bytes may stand behind `length` because a failed write could not be taken back.
    dirty: bool,
}

impl Archive {
    /// Opens the archive in `dir`, which is created where needed, and cuts a torn tail of the last file.
    /// Scanning for it starts after `known_good`, the last record that a commit refers to, or at the start of
    /// the last file. An archive that ends before `known_good`, as a power cut may leave it, is continued in a
    /// new file; [`Archive::repaired`] tells.
    pub fn open(
        dir: &Path,
        options: &WriterOptions,
        known_good: Option<Position>,
    ) -> Result<Self, ArchiveError> {
        std::fs::create_dir_all(dir).map_err(ArchiveError::at(dir))?;
        let mut archive = Self {
            dir: dir.to_owned(),
            options: options.clone(),
            assembler: Assembler::new(options.level),
            current: None,
            sequence: 0,
            repaired: None,
        };
        let last = position::files(dir)?.pop();
        let committed = |good: Position| good.offset.saturating_add(good.length);
        if let Some(good) = known_good
            && last.as_ref().is_none_or(|(sequence, _)| *sequence < good.file)
        {
            let path = dir.join(position::file_name(&options.prefix, good.file));
            archive.sequence = good.file.saturating_add(1);
            archive.repaired = Some(Repair::of_absent(path, committed(good)));
            return Ok(archive);
        }
        if let Some((sequence, path)) = last {
            let good = known_good.filter(|good| good.file == sequence);
            let (file, length, repaired) = repair::repair(&path, good.map_or(0, committed))?;
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

    /// What was cut, or found missing, when the archive was opened.
    pub fn repaired(&self) -> Option<&Repair> {
        self.repaired.as_ref()
    }

    /// Keeps one exchange. The position is that of its response (or revisit) record.
    pub fn write(&mut self, entry: &Entry<'_>) -> Result<Position, ArchiveError> {
        self.rotate()?;
        let date = entry.response.fetched_at;
        let length = self.current.as_ref().map_or(0, |current| current.length);
        let (span, name) = self
            .assemble(entry, length, date)
            .map_err(|error| ArchiveError::Io { path: self.dir.clone(), source: io::Error::other(error) })?;
        let current = match &mut self.current {
            Some(current) => current,
            empty => empty.insert(Current::create(self.dir.join(&name))?),
        };
        current.append(&self.assembler.out)?;
        Ok(Position { file: self.sequence, offset: length + span.offset, length: span.length })
    }

    fn assemble(
        &mut self,
        entry: &Entry<'_>,
        offset: u64,
        date: Timestamp,
    ) -> Result<(record::Span, String), flate2::CompressError> {
        let path = self.current.as_ref().map(|current| current.path.as_path());
        let name = match path.and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => position::file_name(&self.options.prefix, self.sequence),
        };
        self.assembler.out.clear();
        if offset == 0 {
            self.assembler.warcinfo(&self.options, &name, date)?;
        }
        let span = self.assembler.entry(entry, &name, offset)?;
        Ok((span, name))
    }

    /// Leaves a file that has reached its size.
    fn rotate(&mut self) -> Result<(), ArchiveError> {
        if self.current.as_ref().is_some_and(|current| current.length >= self.options.rotate_bytes.max(1)) {
            self.sync()?;
            self.current = None;
            self.sequence += 1;
        }
        Ok(())
    }

    /// To the operating system. Nothing is held back between entries, so this has nothing to do; it is there
    /// for callers that must not depend on that.
    pub fn flush(&mut self) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// To the disk.
    pub fn sync(&mut self) -> Result<(), ArchiveError> {
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
        // The file's name is the folder's: syncing the file alone does not make it survive a power cut.
        if let Some(dir) = path.parent() {
            File::open(dir).and_then(|dir| dir.sync_all()).map_err(ArchiveError::at(dir))?;
        }
        Ok(Self { disk: Box::new(file), path, length: 0, dirty: false })
    }

    /// All of `bytes`, or nothing.
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
