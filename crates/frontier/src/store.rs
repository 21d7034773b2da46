//! The disk: one embedded store (fjall, a log-structured merge tree) for everything that a commit must write
//! together.
//!
//! A batch goes to the store's journal in one `write`: it survives the end of the process at once, and a power
//! failure after the next sync. The store cuts off incomplete batches when it is opened. Why fjall and not redb or
//! RocksDB: `docs/decisions/frontier-store.md`.
//!
//! Two things are done here that the store does not guarantee under load. We seal a table's memory when it is large
//! enough, because the store's own requests for that can fill the queue on which its only worker waits. And a writer
//! that is faster than the disk has to wait, so memory stays bounded.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fjall::config::{BlockSizePolicy, CompressionPolicy};
use fjall::{
    CompressionType, Database, Keyspace, KeyspaceCreateOptions, KvSeparationOptions, OwnedWriteBatch,
    PersistMode, Slice,
};

use crate::api::Table;
use crate::error::FrontierError;

/// The format that this version reads and writes.
const FORMAT: u32 = 2;
/// A table's memory is sealed and written out at this size.
const SEAL_BYTES: usize = 4 << 20;
/// Writers wait while more than this many sealed tables have not been written out.
const SEALED_TABLES: usize = 2;
/// The smallest journal that the store allows.
const JOURNAL_BYTES: u64 = 64 << 20;
/// The longest time without a table being written out. After that, the store's worker has ended or the disk hangs;
/// continuing would fill the memory, or cost this pause at every commit.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The tables of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Links,
    Hot,
    Status,
    Hosts,
    Factors,
    Rows(Table),
}

impl Space {
    const ALL: [Self; 10] = [
        Self::Links,
        Self::Hot,
        Self::Status,
        Self::Hosts,
        Self::Factors,
        Self::Rows(Table::Visits),
        Self::Rows(Table::Policy),
        Self::Rows(Table::Digests),
        Self::Rows(Table::Robots),
        Self::Rows(Table::Meta),
    ];

    fn index(self) -> usize {
        match self {
            Self::Links => 0,
            Self::Hot => 1,
            Self::Status => 2,
            Self::Hosts => 3,
            Self::Factors => 4,
            Self::Rows(Table::Visits) => 5,
            Self::Rows(Table::Policy) => 6,
            Self::Rows(Table::Digests) => 7,
            Self::Rows(Table::Robots) => 8,
            Self::Rows(Table::Meta) => 9,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Hot => "hot",
            Self::Status => "status",
            Self::Hosts => "hosts",
            Self::Factors => "factors",
            Self::Rows(Table::Visits) => "visits",
            Self::Rows(Table::Policy) => "policy",
            Self::Rows(Table::Digests) => "digests",
            Self::Rows(Table::Robots) => "robots",
            Self::Rows(Table::Meta) => "meta",
        }
    }

    /// An error for a value of this table that cannot be what was written.
    pub(crate) fn corrupt(self, key: &[u8], what: &str) -> FrontierError {
        let key = key.iter().map(|byte| format!("{byte:02x}")).collect();
        FrontierError::Corrupt { table: self.name(), key, what: what.into() }
    }
}

/// An open store.
pub(crate) struct Store {
    dir: PathBuf,
    db: Database,
    spaces: Vec<Keyspace>,
    /// Bytes written to each table since it was last sealed.
    unsealed: [usize; Space::ALL.len()],
    broken: bool,
    /// Whether the store is broken because it no longer writes out tables.
    stalled: bool,
    /// Held for as long as the store is open; the operating system releases it when the process ends.
    _lock: File,
}

/// Writes that are stored together.
pub(crate) struct Batch<'a> {
    spaces: &'a [Keyspace],
    writes: OwnedWriteBatch,
    bytes: [usize; Space::ALL.len()],
}

impl Batch<'_> {
    pub(crate) fn put(&mut self, space: Space, key: &[u8], value: Vec<u8>) -> Result<(), FrontierError> {
        self.note(space, key, value.len())?;
        self.writes.insert(&self.spaces[space.index()], key, value);
        Ok(())
    }

    pub(crate) fn remove(&mut self, space: Space, key: &[u8]) -> Result<(), FrontierError> {
        self.note(space, key, 0)?;
        self.writes.remove(&self.spaces[space.index()], key);
        Ok(())
    }

    fn note(&mut self, space: Space, key: &[u8], bytes: usize) -> Result<(), FrontierError> {
        if key.is_empty() || key.len() > usize::from(u16::MAX) || u32::try_from(bytes).is_err() {
            return Err(FrontierError::RowSize { table: space.name(), key: key.len(), value: bytes });
        }
        self.bytes[space.index()] += key.len() + bytes;
        Ok(())
    }

    /// Ends the borrow of the store, so that [`Store::commit`] can take the writes.
    pub(crate) fn seal(self) -> SealedBatch {
        SealedBatch { writes: self.writes, bytes: self.bytes }
    }
}

/// The complete writes of a batch.
pub(crate) struct SealedBatch {
    writes: OwnedWriteBatch,
    bytes: [usize; Space::ALL.len()],
}

impl Store {
    pub(crate) fn open(dir: &Path, cache_bytes: u64) -> Result<Self, FrontierError> {
        let io = |source| io_error(dir, source);
        fs::create_dir_all(dir).map_err(io)?;
        let lock = lock(dir)?;
        check_format(dir)?;
        let failed = |error| store_error(dir, "", &[], error);
        let db = Database::builder(dir.join("store"))
            .cache_size(cache_bytes)
            .max_journaling_size(JOURNAL_BYTES)
            .worker_threads(1)
            .open()
            .map_err(failed)?;
        let spaces = Space::ALL
            .iter()
            .map(|space| db.keyspace(space.name(), || keyspace_options(*space)))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        let mut store = Self {
            dir: dir.to_path_buf(),
            db,
            spaces,
            unsealed: [0; Space::ALL.len()],
            broken: false,
            stalled: false,
            _lock: lock,
        };
        // The store does not count what it read back from the journal: write it out.
        if store.db.write_buffer_size() >= SEAL_BYTES as u64 {
            store.unsealed = [SEAL_BYTES; Space::ALL.len()];
            store.seal_tables();
        }
        Ok(store)
    }

    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Result<Option<Slice>, FrontierError> {
        self.space(space).get(key).map_err(|error| self.failed(space, key, error))
    }

    /// The last entry whose key is not greater than `key`.
    pub(crate) fn at_or_before(
        &self,
        space: Space,
        key: &[u8],
    ) -> Result<Option<(Slice, Slice)>, FrontierError> {
        let Some(entry) = self.space(space).range(..=key).next_back() else { return Ok(None) };
        entry.into_inner().map(Some).map_err(|error| self.failed(space, key, error))
    }

    /// All entries from a key on, in the order of keys.
    pub(crate) fn scan(
        &self,
        space: Space,
        from: &[u8],
    ) -> impl Iterator<Item = Result<(Slice, Slice), FrontierError>> + use<> {
        let dir = self.dir.clone();
        self.space(space)
            .range(from.to_vec()..)
            .map(move |entry| entry.into_inner().map_err(|error| store_error(&dir, space.name(), &[], error)))
    }

    pub(crate) fn batch(&self) -> Batch<'_> {
        Batch { spaces: &self.spaces, writes: self.db.batch(), bytes: [0; Space::ALL.len()] }
    }

    /// Writes a batch, completely or not at all. After a failure, nothing more is written until the store is opened
    /// again, because only then it is known what reached the disk.
    pub(crate) fn commit(&mut self, batch: SealedBatch) -> Result<(), FrontierError> {
        if self.stalled {
            return Err(FrontierError::Stalled { path: self.dir.clone(), seconds: LONGEST_PAUSE.as_secs() });
        }
        if self.broken {
            return Err(FrontierError::Broken { path: self.dir.clone() });
        }
        if let Err(error) = batch.writes.commit() {
            self.broken = true;
            return Err(self.failed(Space::Links, &[], error));
        }
        for (unsealed, bytes) in self.unsealed.iter_mut().zip(batch.bytes) {
            *unsealed += bytes;
        }
        self.seal_tables();
        Ok(())
    }

    /// Seals large tables. The batch is stored when this runs, so a failure here breaks the store but not the commit.
    fn seal_tables(&mut self) {
        for (unsealed, space) in self.unsealed.iter_mut().zip(&self.spaces) {
            if *unsealed >= SEAL_BYTES {
                *unsealed = 0;
                self.broken |= space.rotate_memtable().is_err();
            }
        }
        self.stalled = !await_flushes(|| self.db.outstanding_flushes(), std::thread::sleep);
        self.broken |= self.stalled;
    }

    /// Forces everything that was committed to the disk.
    pub(crate) fn sync(&mut self) -> Result<(), FrontierError> {
        let synced = self.db.persist(PersistMode::SyncAll);
        self.broken |= synced.is_err();
        synced.map_err(|error| self.failed(Space::Links, &[], error))
    }

    fn space(&self, space: Space) -> &Keyspace {
        &self.spaces[space.index()]
    }

    fn failed(&self, space: Space, key: &[u8], error: fjall::Error) -> FrontierError {
        store_error(&self.dir, space.name(), key, error)
    }
}

/// Waits until few enough tables remain to be written out; `false` if there is no progress.
fn await_flushes(outstanding: impl Fn() -> usize, sleep: impl Fn(Duration)) -> bool {
    let step = Duration::from_millis(1);
    let mut paused = Duration::ZERO;
    let mut before = usize::MAX;
    loop {
        let left = outstanding();
        if left <= SEALED_TABLES {
            return true;
        }
        paused = if left < before { Duration::ZERO } else { paused + step };
        if paused >= LONGEST_PAUSE {
            return false;
        }
        before = left;
        sleep(step);
    }
}

/// [`Store::seal_tables`] seals tables, so the store's own limit is set out of reach. Robots.txt files may be large,
/// and merging their tables took 150 MiB of memory: they are stored apart from their keys and not merged.
fn keyspace_options(space: Space) -> KeyspaceCreateOptions {
    let apart = (space == Space::Rows(Table::Robots)).then(KvSeparationOptions::default);
    KeyspaceCreateOptions::default()
        .with_kv_separation(apart)
        .max_memtable_size(u64::MAX)
        .data_block_size_policy(BlockSizePolicy::all(16 << 10))
        .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4))
}

/// Returns an error, which names the other process, if one has the frontier in `dir` open.
pub(crate) fn check_free(dir: &Path) -> Result<(), FrontierError> {
    if dir.exists() { lock(dir).map(drop) } else { Ok(()) }
}

/// Locks the folder for this process. The lock file names the process, for the error message of a second one.
fn lock(dir: &Path) -> Result<File, FrontierError> {
    let path = dir.join("lock");
    let io = |source| io_error(&path, source);
    let mut file =
        File::options().create(true).truncate(false).read(true).write(true).open(&path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let mut text = String::new();
            let pid = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
            return Err(FrontierError::Locked { path: dir.to_path_buf(), pid });
        }
        Err(fs::TryLockError::Error(source)) => return Err(io(source)),
    }
    file.set_len(0).map_err(io)?;
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    writeln!(file, "{}", std::process::id()).map_err(io)?;
    Ok(file)
}

/// Compares the folder's format with ours before the store touches a file; writes the format of a new folder.
fn check_format(dir: &Path) -> Result<(), FrontierError> {
    let path = dir.join("format");
    let ours = format!("osprey frontier {FORMAT}\n");
    match fs::read_to_string(&path) {
        Ok(found) if found == ours => Ok(()),
        Ok(found) => {
            let found = found.trim().trim_start_matches("osprey frontier ").chars().take(40).collect();
            Err(FrontierError::Version { path: dir.to_path_buf(), found, expected: FORMAT })
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if dir.join("store").exists() {
                let found = "unknown".into();
                return Err(FrontierError::Version { path: dir.to_path_buf(), found, expected: FORMAT });
            }
            osprey_files::write_durably(&path, ours).map_err(|error| io_error(&path, error.source))
        }
        Err(error) => Err(io_error(&path, error)),
    }
}

fn io_error(path: &Path, source: std::io::Error) -> FrontierError {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FrontierError::Full { path: path.to_path_buf() },
        _ => FrontierError::Io { path: path.to_path_buf(), source },
    }
}

/// Converts the store's errors into ours.
fn store_error(dir: &Path, table: &'static str, key: &[u8], error: fjall::Error) -> FrontierError {
    let corrupt = |what: &str| FrontierError::Corrupt {
        table,
        key: key.iter().map(|byte| format!("{byte:02x}")).collect(),
        what: what.into(),
    };
    match error {
        fjall::Error::Io(source) | fjall::Error::Storage(fjall::LsmError::Io(source)) => {
            io_error(dir, source)
        }
        fjall::Error::Poisoned => FrontierError::Broken { path: dir.to_path_buf() },
        fjall::Error::Locked => FrontierError::Locked { path: dir.to_path_buf(), pid: None },
        fjall::Error::InvalidVersion(_) => FrontierError::Version {
            path: dir.to_path_buf(),
            found: "of another store".into(),
            expected: FORMAT,
        },
        fjall::Error::Storage(fjall::LsmError::ChecksumMismatch { .. }) => corrupt("checksum does not match"),
        fjall::Error::JournalRecovery(_) => corrupt("the journal is damaged"),
        fjall::Error::Decompress(_) => corrupt("cannot be decompressed"),
        fjall::Error::Unrecoverable => corrupt("files of the store are missing"),
        _ => corrupt("not readable"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Every `pauses_each` pauses one of `count` tables is written out.
    fn check(count: usize, pauses_each: u32, expect: bool) {
        let pauses = Cell::new(0_u32);
        let left = || count.saturating_sub((pauses.get() / pauses_each) as usize);
        assert_eq!(await_flushes(left, |_| pauses.set(pauses.get() + 1)), expect, "{count} {pauses_each}");
    }

    #[test]
    fn slow_disks_are_waited_for_and_dead_ones_are_not() {
        check(SEALED_TABLES, u32::MAX, true);
        check(SEALED_TABLES + 5, 9_000, true);
        check(SEALED_TABLES + 1, 11_000, false);
    }
}
