//! A disk that accepts a given number of bytes, and an index on it. For tests.
//!
//! It wraps a real folder and refuses writes as the operating system does, so that failures happen where a test wants
//! them, on every machine; `tests/crash.rs` does the same with a limit of the operating system.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use osprey_vision::Codebook;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use crate::{Document, Index, IndexError, Query, Request, WriterOptions, schema};

/// The bytes left, for all files together.
#[derive(Clone, Debug)]
struct Room(Arc<AtomicI64>);

impl Room {
    fn take(&self, bytes: usize) -> io::Result<()> {
        match self.0.fetch_sub(bytes as i64, Ordering::SeqCst) < bytes as i64 {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }
}

#[derive(Clone, Debug)]
struct FullDisk {
    folder: MmapDirectory,
    room: Room,
    /// Refuses the file that completes a commit, after all others: the state after a kill at that moment.
    refuses_meta: bool,
}

struct FullFile {
    file: WritePtr,
    room: Room,
}

impl Write for FullFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room.take(bytes.len())?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TerminatingWrite for FullFile {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.file.terminate_ref(token)
    }
}

impl Directory for FullDisk {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.folder.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.folder.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.folder.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.folder.open_write(path)?;
        Ok(WritePtr::new(Box::new(FullFile { file, room: self.room.clone() })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.folder.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if self.refuses_meta && path == Path::new("meta.json") {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room.take(data.len())?;
        self.folder.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.folder.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.folder.acquire_lock(lock)
    }

    fn watch(&self, watch_callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.folder.watch(watch_callback)
    }
}

/// Number of documents per commit.
const DOCUMENTS: u64 = 20;

/// Puts the documents of a commit; each has words of its own, and all contain the number of the last commit.
fn put(index: &Index, commit: u64, times: u64) -> Result<(), IndexError> {
    let mut writer = index.writer(&WriterOptions { threads: 1, memory: 0 })?;
    for number in 0..DOCUMENTS * times {
        let words: Vec<String> = (0..2_000).map(|word| format!("w{commit}x{number}y{word}")).collect();
        let url = format!("http://a.example/{commit}/{number}");
        writer.put(&Document {
            url,
            title: format!("tulip{commit}"),
            text: words.join(" "),
            ..Document::default()
        })?;
    }
    writer.commit(Some(&commit.to_string()))?;
    writer.finish()
}

fn found(index: &Index, query: &str) -> u64 {
    let request = Request { query: Query::parse(query).unwrap(), ..Request::default() };
    index.searcher().unwrap().search(&request).unwrap().total
}

/// An index with one commit, on a disk with room for `room` more bytes.
fn made(folder: &Path, room: i64) -> Index {
    let index = Index::open(folder, Codebook::embedded()).unwrap();
    put(&index, 1, 1).unwrap();
    on_disk(index, folder, room, false)
}

fn on_disk(index: Index, folder: &Path, room: i64, refuses_meta: bool) -> Index {
    let folder = MmapDirectory::open(folder).unwrap();
    let disk = FullDisk { folder, room: Room(Arc::new(AtomicI64::new(room))), refuses_meta };
    let mut store = tantivy::Index::open(disk).unwrap();
    store.set_tokenizers(schema::tokenizers());
    Index { store, ..index }
}

/// Checks that the message has the folder, the system's error and the remedy.
fn check_message(error: &IndexError, folder: &Path) {
    assert!(matches!(error, IndexError::Full { .. } | IndexError::Stopped { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with(&folder.display().to_string()), "{text}");
    assert!(text.contains("no storage space; ") && text.contains(" room and run it again"), "{text}");
}

#[test]
fn a_full_disk_is_reported_and_nothing_committed_is_lost() {
    // in the middle of a segment, at its end, and in the few bytes that complete the commit
    for room in [0, 1_000, 50_000, 200_000, 400_000, 800_000] {
        let folder = tempfile::tempdir().unwrap();
        let index = made(folder.path(), room);
        match put(&index, 2, 1) {
            Ok(()) => assert!(room > 400_000, "{room}"),
            Err(error) => {
                check_message(&error, folder.path());
                assert_eq!(index.checkpoint().unwrap().as_deref(), Some("1"), "{room}");
                assert_eq!((found(&index, "tulip1"), found(&index, "tulip2")), (DOCUMENTS, 0), "{room}");
            }
        }
        // with room again, the next run continues
        let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
        put(&index, 2, 1).unwrap();
        assert_eq!((found(&index, "tulip1"), found(&index, "tulip2")), (DOCUMENTS, DOCUMENTS), "{room}");
        assert_eq!(index.checkpoint().unwrap().as_deref(), Some("2"));
    }
}

/// The writing thread stops while documents still arrive: `put` reports why.
#[test]
fn put_reports_a_disk_that_is_full_before_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let index = made(folder.path(), 10_000);
    let error = put(&index, 2, 20).unwrap_err();
    check_message(&error, folder.path());
    assert_eq!(found(&index, "tulip1"), DOCUMENTS);
}

/// Deletions are in a file named after the number of the commit. If a run ended before its commit was complete, the
/// next run uses the same number and must not fail because of that file.
#[test]
fn deletions_of_a_commit_that_did_not_stand_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
    put(&index, 1, 1).unwrap();
    // puts half of the documents again
    let again = |index: &Index| {
        let mut writer = index.writer(&WriterOptions { threads: 1, memory: 0 })?;
        for number in 0..DOCUMENTS / 2 {
            let url = format!("http://a.example/1/{number}");
            writer.put(&Document { url, title: "rose".to_owned(), ..Document::default() })?;
        }
        writer.commit(Some("2"))
    };
    again(&on_disk(index.clone(), folder.path(), i64::MAX, true)).unwrap_err();
    let files = || std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
    assert!(
        files().any(|name| name.to_string_lossy().ends_with(".del")),
        "{:?}",
        files().collect::<Vec<_>>()
    );
    let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
    assert_eq!((found(&index, "tulip1"), index.checkpoint().unwrap().as_deref()), (DOCUMENTS, Some("1")));
    again(&index).unwrap();
    let half = DOCUMENTS / 2;
    assert_eq!((found(&index, "tulip1"), found(&index, "rose")), (DOCUMENTS - half, half));
}
