//! What is written is read back, whatever happens to the disk in between.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::samples::{response, url};
use crate::{ArchiveReader, ProblemKind, RecordKind, RecordReader};

fn options() -> WriterOptions {
    WriterOptions { software: "test/1".to_owned(), ..WriterOptions::default() }
}

fn write(archive: &mut Archive, response: &Response) -> Position {
    let digest = Digest::of(&response.body);
    archive.write(&Entry { response, digest: &digest, duplicate_of: None, metadata: &[] }).unwrap()
}

/// Compares everything except the request head and the note, which are not read back.
fn assert_same(read: &Response, written: &Response) {
    assert_eq!(read.url, written.url);
    assert_eq!(read.status, written.status);
    assert_eq!(read.headers, written.headers);
    assert_eq!(read.body, written.body);
    assert_eq!(read.fetched_at, written.fetched_at);
    assert_eq!(read.took, written.took);
    assert_eq!(read.truncated, written.truncated);
    assert_eq!(read.ip, written.ip);
}

fn records(dir: &Path) -> Vec<crate::Record> {
    let mut records = Vec::new();
    for (_, path) in position::files(dir).unwrap() {
        let mut reader = RecordReader::new(File::open(path).unwrap());
        while let Some(record) = reader.next_record().unwrap() {
            records.push(record);
        }
        assert_eq!(reader.problems(), []);
    }
    records
}

#[test]
fn what_is_written_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    let mut odd = response("http://a.example/odd?x=%20y", &vec![7; 300_000]);
    odd.status = 503;
    odd.truncated = true;
    odd.ip = None;
    odd.took = Duration::ZERO;
    odd.headers.push("Content-Encoding", "gzip");
    odd.headers.push("Content-Length", "17");
    odd.headers.push("Transfer-Encoding", "chunked");
    odd.headers.push("X-Name", "caf\u{e9}");
    let empty = response("https://b.example/", b"");
    let written = [response("http://a.example/", b"<p>hello"), odd, empty];
    let positions: Vec<_> = written.iter().map(|response| write(&mut archive, response)).collect();
    for (position, response) in positions.iter().zip(&written) {
        assert_same(&ArchiveReader::new(dir.path()).read(*position, None).unwrap(), response);
    }
}

#[test]
fn records_refer_to_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    let response = response("http://a.example/", b"<p>hello");
    let digest = Digest::of(&response.body);
    let metadata = b"{\"via\":\"http://a.example/up\"}";
    let entry = Entry { response: &response, digest: &digest, duplicate_of: None, metadata };
    let position = archive.write(&entry).unwrap();
    let records = records(dir.path());
    let kinds: Vec<_> = records.iter().map(|record| record.kind).collect();
    use RecordKind::{Metadata, Request, Response, Warcinfo};
    assert_eq!(kinds, [Warcinfo, Request, Response, Metadata]);
    assert_eq!((records[2].offset, records[2].length), (position.offset, position.length));
    let concurrent = |at: usize| records[at].headers.get("warc-concurrent-to");
    assert_eq!(concurrent(1), records[2].id());
    assert_eq!(concurrent(2), records[1].id());
    assert_eq!(concurrent(3), records[2].id());
    assert_eq!((&records[3].block[..], records[3].headers.get("content-type")), (&metadata[..], Some(JSON)));
    assert!(
        archive.write(&Entry { metadata: b"{\n}", ..entry }).is_err(),
        "it would not fit into the catalogue"
    );
    assert_eq!(records[2].headers.get("warc-payload-digest"), Some(digest.to_string().as_str()));
    let block = Digest::of(&records[1].block).to_string();
    assert_eq!(records[1].headers.get("warc-block-digest"), Some(block.as_str()));
    assert_eq!(records[2].headers.get("warc-block-digest"), None, "its payload has one");
    let ids: std::collections::BTreeSet<_> = records.iter().map(|record| record.id()).collect();
    assert_eq!(ids.len(), records.len());
}

#[test]
fn duplicates_are_revisits() {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    let first = response("http://a.example/", b"the same body");
    let record = write(&mut archive, &first);
    let mut second = response("http://a.example/again", b"the same body");
    second.status = 203;
    let original = Original { url: first.url.clone(), date: first.fetched_at, record };
    let digest = Digest::of(&second.body);
    let entry = Entry { response: &second, digest: &digest, duplicate_of: Some(&original), metadata: &[] };
    let revisit = archive.write(&entry).unwrap();
    assert_same(&ArchiveReader::new(dir.path()).read(revisit, None).unwrap(), &second);
    let last = records(dir.path()).pop().unwrap();
    assert_eq!(last.kind, RecordKind::Revisit);
    assert_eq!(last.headers.get("warc-refers-to-target-uri"), Some("http://a.example/"));
    assert_eq!(last.headers.get("warc-refers-to-date"), Some(first.fetched_at.to_string().as_str()));
    assert!(!last.block.ends_with(b"the same body"));

    let wrong = Original { record: revisit, ..original.clone() };
    let entry = Entry { duplicate_of: Some(&wrong), ..entry };
    let lost = archive.write(&entry).unwrap();
    assert!(matches!(ArchiveReader::new(dir.path()).read(lost, None), Err(ArchiveError::BadRecord { .. })));
}

#[test]
fn files_are_rotated() {
    let dir = tempfile::tempdir().unwrap();
    let options = WriterOptions { rotate_bytes: 1500, ..options() };
    let mut archive = Archive::open(dir.path(), &options, None).unwrap();
    let page = |n: usize| response(&format!("http://a.example/{n}"), format!("page {n}").as_bytes());
    let mut positions: Vec<_> = (0..5).map(|n| write(&mut archive, &page(n))).collect();
    drop(archive);
    let mut archive = Archive::open(dir.path(), &options, positions.last().map(|last| last.end())).unwrap();
    assert_eq!(archive.repaired(), None);
    positions.extend((5..10).map(|n| write(&mut archive, &page(n))));
    assert!(positions.last().unwrap().file >= 3, "{positions:?}");
    assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
    for (n, position) in positions.iter().enumerate() {
        assert_same(&ArchiveReader::new(dir.path()).read(*position, None).unwrap(), &page(n));
    }
    for (sequence, path) in position::files(dir.path()).unwrap() {
        let first = RecordReader::new(File::open(&path).unwrap()).next_record().unwrap().unwrap();
        assert_eq!(first.kind, RecordKind::Warcinfo, "{sequence}");
        assert_eq!(first.headers.get("warc-filename"), path.file_name().unwrap().to_str());
    }
}

#[test]
fn the_same_entries_give_the_same_bytes() {
    let files = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()].map(|dir| {
        let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
        for n in 0..3 {
            write(&mut archive, &response(&format!("http://a.example/{n}"), b"body"));
        }
        std::fs::read(dir.path().join("osprey-00000.warc.gz")).unwrap()
    });
    assert_eq!(files[0], files[1]);
}

#[test]
fn a_tail_torn_anywhere_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    let mut first = response("http://a.example/1", b"first");
    first.request_head = Default::default();
    let second = Response { url: url("http://a.example/2"), ..first.clone() };
    let good = write(&mut archive, &first);
    let last = write(&mut archive, &second);
    let path = dir.path().join("osprey-00000.warc.gz");
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(whole.len() as u64, last.offset + last.length);
    let kept = usize::try_from(last.offset).unwrap();
    for length in kept + 1..whole.len() {
        let known_good = (length % 2 == 0).then_some(good.end());
        std::fs::write(&path, &whole[..length]).unwrap();
        let mut archive = Archive::open(dir.path(), &options(), known_good).unwrap();
        let repair = archive.repaired().unwrap_or_else(|| panic!("not repaired at {length}"));
        assert_eq!((repair.length, repair.cut), (last.offset, (length - kept) as u64));
        assert_eq!(repair.problems[0].kind, ProblemKind::Torn, "{length}");
        assert_eq!(write(&mut archive, &second), last);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn zeros_after_a_power_cut_are_cut_and_an_empty_file_is_begun_again() {
    let dir = tempfile::tempdir().unwrap();
    let page = response("http://a.example/", b"page");
    let position = write(&mut Archive::open(dir.path(), &options(), None).unwrap(), &page);
    let path = dir.path().join("osprey-00000.warc.gz");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, [&whole[..], &[0; 5000]].concat()).unwrap();
    let archive = Archive::open(dir.path(), &options(), None).unwrap();
    assert_eq!(archive.repaired().unwrap().cut, 5000);
    std::fs::write(&path, [0; 100]).unwrap();
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    assert_eq!(archive.repaired().unwrap().length, 0);
    assert_eq!(write(&mut archive, &page), position);
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn damage_in_the_middle_is_reported_but_not_cut() {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    let positions: Vec<_> = (0..3)
        .map(|n| write(&mut archive, &response(&format!("http://a.example/{n}"), &[b'x'; 99])))
        .collect();
    let path = dir.path().join("osprey-00000.warc.gz");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = usize::try_from(positions[1].offset + positions[1].length / 2).unwrap();
    bytes[middle] ^= 0xff;
    bytes[middle + 1] ^= 0xff;
    std::fs::write(&path, &bytes).unwrap();
    let archive = Archive::open(dir.path(), &options(), None).unwrap();
    let repair = archive.repaired().unwrap();
    assert_eq!((repair.cut, repair.length), (0, bytes.len() as u64));
    assert!(!repair.problems.is_empty());
    assert!(ArchiveReader::new(dir.path()).read(positions[2], None).is_ok());
}

#[test]
fn an_archive_without_its_last_records_goes_on_in_a_new_file() {
    let dir = tempfile::tempdir().unwrap();
    let page = |n: usize| response(&format!("http://a.example/{n}"), b"page");
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    let positions: Vec<_> = (0..3).map(|n| write(&mut archive, &page(n))).collect();
    drop(archive);
    let path = dir.path().join("osprey-00000.warc.gz");
    let whole = std::fs::read(&path).unwrap();
    let ends = positions[1].offset + positions[1].length;
    let kept = usize::try_from(ends).unwrap() + 20;
    std::fs::write(&path, &whole[..kept]).unwrap();
    // Once more without a write in between: the same file is found too short again.
    for cut in [20, 0] {
        let archive = Archive::open(dir.path(), &options(), Some(positions[2].end())).unwrap();
        let repair = archive.repaired().unwrap();
        assert_eq!((repair.length, repair.cut), (ends, cut));
        assert_eq!(repair.missing, (whole.len() - kept) as u64 + 20 - cut);
    }
    let mut archive = Archive::open(dir.path(), &options(), Some(positions[2].end())).unwrap();
    let next = write(&mut archive, &page(3));
    assert_eq!(next.file, 1);
    drop(archive);
    assert_same(&ArchiveReader::new(dir.path()).read(positions[1], None).unwrap(), &page(1));
    assert!(ArchiveReader::new(dir.path()).read(positions[2], None).is_err());
    let mut archive = Archive::open(dir.path(), &options(), Some(next.end())).unwrap();
    assert_eq!(archive.repaired(), None);
    assert!(write(&mut archive, &page(4)) > next);

    // The whole file is missing.
    let dir = tempfile::tempdir().unwrap();
    let good = Cursor { file: 4, offset: 150 };
    let mut archive = Archive::open(dir.path(), &options(), Some(good)).unwrap();
    assert_eq!(archive.repaired().map(|repair| repair.missing), Some(150));
    let next = write(&mut archive, &page(5));
    assert_eq!(next.file, 5);
    assert_same(&ArchiveReader::new(dir.path()).read(next, None).unwrap(), &page(5));
}

/// A small disk in memory.
#[derive(Clone, Default)]
struct SmallDisk {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: Arc<Mutex<usize>>,
    /// Whether undoing a failed write fails too.
    stuck: Arc<Mutex<bool>>,
}

impl Disk for SmallDisk {
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let offset = usize::try_from(offset).unwrap();
        let mut held = self.bytes.lock().unwrap();
        let fits = bytes.len().min(self.room.lock().unwrap().saturating_sub(offset));
        let length = (offset + fits).max(held.len());
        held.resize(length, 0);
        held[offset..offset + fits].copy_from_slice(&bytes[..fits]);
        if fits == bytes.len() { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        if *self.stuck.lock().unwrap() {
            return Err(io::Error::other("stuck"));
        }
        self.bytes.lock().unwrap().resize(usize::try_from(length).unwrap(), 0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_keeps_whole_records_only() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::default();
    let mut archive = Archive::open(dir.path(), &options(), None).unwrap();
    let path = dir.path().join("osprey-00000.warc.gz");
    archive.current = Some(Current { disk: Box::new(disk.clone()), path, length: 0, dirty: false });
    *disk.room.lock().unwrap() = 2000;
    let page = response("http://a.example/", b"page");
    let first = write(&mut archive, &page);
    let end = disk.bytes.lock().unwrap().len();
    let digest = Digest::of(&page.body);
    let entry = Entry { response: &page, digest: &digest, duplicate_of: None, metadata: &[] };
    for (room, stuck) in [(end, false), (end + 1, false), (end + 300, true)] {
        *disk.room.lock().unwrap() = room;
        *disk.stuck.lock().unwrap() = stuck;
        let error = archive.write(&entry).unwrap_err();
        assert!(matches!(error, ArchiveError::Full { offset, .. } if offset == end as u64), "{error}");
        *disk.stuck.lock().unwrap() = false;
    }
    *disk.room.lock().unwrap() = 1 << 20;
    let second = archive.write(&entry).unwrap();
    assert!(second.offset >= end as u64 && second.offset > first.offset);
    let bytes = disk.bytes.lock().unwrap().clone();
    assert_eq!(bytes.len() as u64, second.offset + second.length);
    let mut reader = RecordReader::new(&bytes[..]);
    let mut count = 0;
    while reader.next_record().unwrap().is_some() {
        count += 1;
    }
    assert_eq!((count, reader.problems()), (5, &[][..]));
}

#[test]
fn a_device_without_room_is_full() {
    let device = Path::new("/dev/full");
    let Ok(file) = OpenOptions::new().write(true).open(device) else {
        eprintln!("left out: a_device_without_room_is_full (there is no /dev/full)");
        return;
    };
    let mut current = Current { disk: Box::new(file), path: device.to_owned(), length: 0, dirty: false };
    let error = current.append(b"bytes").unwrap_err();
    assert!(matches!(error, ArchiveError::Full { wanted: 5, .. }), "{error}");
}
