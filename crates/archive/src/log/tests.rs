//! Reading while writing, with and without a catalogue, after every kind of damage.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use osprey_model::Response;
use proptest::prelude::*;

use super::*;
use crate::samples::{response, url};
use crate::{Archive, Digest, Entry, Note, WriterOptions};

const ENTRIES: usize = 12;

fn meta(n: usize) -> Vec<u8> {
    format!("{{\"n\":{n},\"note\":\"{}\"}}", "x".repeat(n)).into_bytes()
}

fn page(n: usize) -> Response {
    response(&format!("http://a.example/{n}"), format!("page {n} {}", "tern ".repeat(n * 30)).as_bytes())
}

/// Writes entry `n`: every fourth is a note, every fifth has no metadata.
fn write(archive: &mut Archive, n: usize) {
    let (page, metadata) = (page(n), meta(n));
    if n % 4 == 3 {
        let note = Note { url: &url("http://a.example/note"), date: page.fetched_at, metadata: &metadata };
        archive.note(&note).unwrap();
        return;
    }
    let metadata: &[u8] = if n % 5 == 4 { &[] } else { &metadata };
    let digest = Digest::of(&page.body);
    archive.write(&Entry { response: &page, digest: &digest, duplicate_of: None, metadata }).unwrap();
}

fn options() -> WriterOptions {
    WriterOptions { rotate_bytes: 1700, ..WriterOptions::default() }
}

fn archive(entries: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    (0..entries).for_each(|n| write(&mut archive, n));
    dir
}

fn rest(reader: &mut LogReader) -> Vec<LogEntry> {
    std::iter::from_fn(|| reader.next_entry().unwrap()).collect()
}

fn read(dir: &Path, from: Cursor) -> Vec<LogEntry> {
    rest(&mut LogReader::open(dir, from))
}

fn expected() -> Vec<Vec<u8>> {
    (0..ENTRIES).filter(|n| n % 4 == 3 || n % 5 != 4).map(meta).collect()
}

fn blocks(entries: &[LogEntry]) -> Vec<Vec<u8>> {
    entries.iter().map(|entry| entry.metadata.clone()).collect()
}

#[test]
fn entries_come_in_order_with_their_responses() {
    let dir = archive(ENTRIES);
    let files = crate::position::files(dir.path()).unwrap().len();
    assert!(files > 2, "{files} files");
    let mut reader = LogReader::open(dir.path(), Cursor::default());
    let entries = rest(&mut reader);
    assert_eq!(blocks(&entries), expected());
    assert_eq!((reader.bare(), reader.passed_over()), (2, &[][..]));
    for entry in &entries {
        let text = String::from_utf8(entry.metadata.clone()).unwrap();
        let n: usize = text.split(&[':', ','][..]).nth(1).unwrap().parse().unwrap();
        let body =
            entry.response.map(|at| crate::ArchiveReader::new(dir.path()).read(at, None).unwrap().body);
        assert_eq!(body, (n % 4 != 3).then(|| page(n).body));
    }
    // from any of them on, and the same from the WARC files alone
    for (n, entry) in entries.iter().enumerate() {
        assert_eq!(read(dir.path(), entry.at.end()), entries[n + 1..]);
    }
    fs::remove_file(dir.path().join(CATALOG)).unwrap();
    assert_eq!(read(dir.path(), Cursor::default()), entries);
    for (n, entry) in entries.iter().enumerate() {
        assert_eq!(read(dir.path(), entry.at.end()), entries[n + 1..]);
    }
    let mut reader = LogReader::without_catalog(dir.path(), Cursor::default());
    let items: Vec<_> = std::iter::from_fn(|| reader.next_item().unwrap()).collect();
    let bare: Vec<_> = items.iter().filter(|item| matches!(item, LogItem::Bare(_))).collect();
    assert_eq!((items.len(), bare.len()), (entries.len() + 2, 2));
    assert_eq!(reader.pending(), None);
}

#[test]
fn a_catalogue_cut_or_damaged_anywhere_changes_nothing() {
    let dir = archive(ENTRIES);
    let path = dir.path().join(CATALOG);
    let (whole, expect) = (fs::read(&path).unwrap(), read(dir.path(), Cursor::default()));
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(read(dir.path(), Cursor::default()), expect, "cut at {length}");
    }
    for at in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(read(dir.path(), Cursor::default()), expect, "damaged at {at}");
        let middle = expect[4].at.end();
        assert_eq!(read(dir.path(), middle), expect[5..], "damaged at {at}, from the middle");
    }
    // opening the archive adds what is missing, and nothing else
    for length in (0..whole.len()).step_by(11) {
        fs::write(&path, &whole[..length]).unwrap();
        drop(Archive::open(dir.path(), &options(), None).unwrap());
        let lines = fs::read(&path).unwrap();
        assert_eq!(read(dir.path(), Cursor::default()), expect);
        let mut catalog = Catalog::open(dir.path(), Cursor::default()).unwrap();
        let mut count = 0;
        while let Some(line) = catalog.next_line().unwrap() {
            count += usize::from(line.entry.is_some());
        }
        assert_eq!(count, expect.len(), "{}", String::from_utf8_lossy(&lines));
    }
}

#[test]
fn a_catalogue_of_another_archive_is_not_believed() {
    let (dir, other) = (archive(ENTRIES), tempfile::tempdir().unwrap());
    let mut archive = Archive::open(other.path(), &options(), None).unwrap();
    (1..ENTRIES + 1).for_each(|n| write(&mut archive, n));
    drop(archive);
    fs::copy(other.path().join(CATALOG), dir.path().join(CATALOG)).unwrap();
    let mut reader = LogReader::open(dir.path(), Cursor::default());
    assert_eq!(blocks(&rest(&mut reader)), expected());
    assert_eq!(reader.passed_over_count(), 1, "{:?}", reader.passed_over());
    drop(Archive::open(dir.path(), &options(), None).unwrap());
    let mut reader = LogReader::open(dir.path(), Cursor::default());
    assert_eq!((blocks(&rest(&mut reader)), reader.passed_over_count()), (expected(), 0));
}

#[test]
fn a_half_written_record_has_not_come_yet() {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(dir.path(), &WriterOptions::default(), None).unwrap();
    (0..3).for_each(|n| write(&mut archive, n));
    let path = dir.path().join("osprey-00000.warc.gz");
    let before = fs::metadata(&path).unwrap().len();
    write(&mut archive, 5);
    drop(archive);
    let whole = fs::read(&path).unwrap();
    fs::remove_file(dir.path().join(CATALOG)).unwrap();
    for length in usize::try_from(before).unwrap()..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let mut reader = LogReader::open(dir.path(), Cursor::default());
        assert_eq!(rest(&mut reader).len(), 3);
        assert_eq!((reader.passed_over_count(), reader.next_entry().unwrap()), (0, None));
        fs::write(&path, &whole).unwrap();
        assert_eq!(reader.next_entry().unwrap().map(|entry| entry.metadata), Some(meta(5)));
        assert_eq!((reader.passed_over_count(), reader.next_entry().unwrap()), (0, None));
    }
}

#[test]
fn damage_is_passed_over_and_named() {
    let dir = archive(ENTRIES);
    fs::remove_file(dir.path().join(CATALOG)).unwrap();
    let expect = read(dir.path(), Cursor::default());
    let path = find_file(dir.path(), expect[1].at.file).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let middle = usize::try_from(expect[1].at.offset + expect[1].at.length / 2).unwrap();
    bytes[middle..middle + 4].copy_from_slice(&[0xff; 4]);
    fs::write(&path, &bytes).unwrap();
    let check = || {
        let mut reader = LogReader::open(dir.path(), Cursor::default());
        let entries = rest(&mut reader);
        let others: Vec<_> =
            expect.iter().enumerate().filter(|(n, _)| *n != 1).map(|(_, e)| e.clone()).collect();
        assert_eq!(entries, others);
        assert!(reader.passed_over_count() >= 1);
    };
    check();
    // once more with the catalogue, which reports the damage
    drop(Archive::open(dir.path(), &options(), None).unwrap());
    check();
}

#[test]
fn a_reader_follows_a_writer() {
    let dir = tempfile::tempdir().unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
            for n in 0..400 {
                write(&mut archive, n % ENTRIES);
                if n % 50 == 0 {
                    archive.sync().unwrap();
                }
            }
            is_over.store(true, Ordering::Release);
        });
        let mut readers = [
            LogReader::open(dir.path(), Cursor::default()),
            LogReader::without_catalog(dir.path(), Cursor::default()),
        ];
        let mut found = [Vec::new(), Vec::new()];
        loop {
            let was_over = is_over.load(Ordering::Acquire);
            for (reader, found) in readers.iter_mut().zip(&mut found) {
                while let Some(entry) = reader.next_entry().unwrap() {
                    found.push(entry);
                }
                // a reader that starts in the middle continues like one that started at the beginning
                let (dir, at) = (dir.path(), reader.cursor());
                *reader = LogReader::open(dir, at);
            }
            if was_over {
                break;
            }
        }
        let expect: Vec<_> =
            (0..400).map(|n| n % ENTRIES).filter(|n| n % 4 == 3 || n % 5 != 4).map(meta).collect();
        assert_eq!((blocks(&found[0]), &found[0]), (expect, &found[1]));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_in_the_files_makes_a_reader_fail(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..4),
    ) {
        let dir = archive(5);
        let path = dir.path().join("osprey-00000.warc.gz");
        let mut bytes = fs::read(&path).unwrap();
        for (at, byte) in &damage {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        fs::write(&path, &bytes).unwrap();
        fs::write(dir.path().join(CATALOG), lines.join(&b'\n')).unwrap();
        let mut reader = LogReader::open(dir.path(), Cursor::default());
        prop_assert!(rest(&mut reader).len() <= 5);
        let at = reader.cursor();
        prop_assert_eq!(read(dir.path(), at), Vec::new());
    }
}
