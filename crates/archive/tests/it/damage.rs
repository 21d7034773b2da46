//! Flips random bytes of an archive: what is reported as damaged is damaged, and everything else reads as before.

#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed check")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use osprey_archive::{
    Archive, ArchiveReader, CATALOG, Cursor, Digest, Entry, LogReader, Position, RecordReader, WaczInfo,
    WriterOptions, export_wacz, verify,
};
use osprey_model::{BodyEnd, CanonicalUrl, Headers, Response, Timestamp, UrlRules};
use proptest::prelude::*;

const PAGES: usize = 20;

/// A page whose compressed form changes with any flipped bit.
fn page(n: usize) -> Response {
    let words = (0..200).map(|word| format!("w{}x{} ", n * 31 % 17, word * 7919 % 613));
    Response {
        url: CanonicalUrl::parse(&format!("http://a.example/{n}"), &UrlRules::default()).unwrap(),
        status: 200,
        headers: Headers::from_iter([("Content-Type", "text/html")]),
        body: words.collect::<String>().into_bytes().into(),
        fetched_at: Timestamp::EPOCH.after(Duration::from_secs(n as u64)),
        took: Duration::ZERO,
        truncated: false,
        body_end: BodyEnd::Whole,
        ip: None,
        request_head: format!("GET /{n} HTTP/1.1\r\nHost: a.example\r\n\r\n").into_bytes().into(),
        note: None,
    }
}

/// Writes an archive; returns the positions of its responses.
fn archive(dir: &Path) -> Vec<Position> {
    let options = WriterOptions { rotate_bytes: 6_000, ..WriterOptions::default() };
    let mut archive = Archive::open(dir, &options, None).unwrap();
    let write = |n| {
        let response = page(n);
        let digest = Digest::of(&response.body);
        let metadata = format!("{{\"n\":{n}}}");
        let entry =
            Entry { response: &response, digest: &digest, duplicate_of: None, metadata: metadata.as_bytes() };
        archive.write(&entry).unwrap()
    };
    (0..PAGES).map(write).collect()
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| !path.ends_with(CATALOG)).collect();
    files.sort();
    files
}

fn info() -> WaczInfo {
    WaczInfo {
        title: "t".to_owned(),
        description: None,
        software: "test".to_owned(),
        created: Timestamp::EPOCH,
        main_page: None,
    }
}

/// The records of an archive: file, first byte, and the byte after the last one.
fn records(dir: &Path) -> Vec<(String, u64, u64)> {
    let mut records = Vec::new();
    for path in files(dir) {
        let mut reader = RecordReader::new(fs::File::open(&path).unwrap());
        while let Some(record) = reader.next_record().unwrap() {
            records.push((name(&path), record.offset, record.offset + record.length));
        }
    }
    records
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// What the log returns for an archive.
fn told(dir: &Path) -> Vec<(Position, Vec<u8>, Option<Position>)> {
    let mut log = LogReader::open(dir, Cursor::default());
    let entry = || log.next_entry().unwrap().map(|entry| (entry.at, entry.metadata, entry.response));
    std::iter::from_fn(entry).collect()
}

/// Flips bits, each in a byte of some file; returns which bytes.
fn flip(dir: &Path, flips: &[(prop::sample::Index, u8)]) -> BTreeMap<(u32, usize), u8> {
    let files = files(dir);
    let mut flipped = BTreeMap::new();
    let mut bytes: Vec<Vec<u8>> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    let total: usize = bytes.iter().map(Vec::len).sum();
    for (at, bit) in flips {
        let mut at = at.index(total);
        for (number, file) in (0_u32..).zip(&mut bytes) {
            if at < file.len() {
                file[at] ^= 1 << (bit % 8);
                *flipped.entry((number, at)).or_insert(0) ^= 1 << (bit % 8);
                break;
            }
            at -= file.len();
        }
    }
    flipped.retain(|_, bits| *bits != 0);
    files.iter().zip(&bytes).for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    flipped
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_not_reported_reads_equal(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        has_catalog in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("archive");
        let places = archive(&dir);
        let records = records(&dir);
        if !has_catalog {
            fs::remove_file(dir.join(CATALOG)).unwrap();
        }
        let flipped = flip(&dir, &flips);
        let is_hit = |at: &Position| {
            let end = at.offset + at.length;
            flipped.keys().any(|(file, byte)| *file == at.file && (at.offset..end).contains(&(*byte as u64)))
        };
        let reader = ArchiveReader::new(&dir);
        for (n, at) in places.iter().enumerate() {
            match reader.read(*at, None) {
                Ok(response) => prop_assert_eq!(&response.body, &page(n).body, "{:?}", at),
                Err(_) => prop_assert!(is_hit(at), "{:?} is not damaged, {:?}", at, flipped),
            }
        }
        let read = reader.damage();
        prop_assert_eq!(read.count + read.intact, PAGES as u64);
        // the same from the files: reading them all names the same responses
        let verified = verify(&dir, &mut |_, _| true).unwrap();
        prop_assert!(!flipped.is_empty() || (verified.damage.count == 0 && verified.torn.is_none()));
        let all: Vec<(String, u64)> =
            verified.damage.records.iter().map(|record| (record.file.clone(), record.offset)).collect();
        let torn = verified.torn.as_ref().map(|(_, offset, _)| *offset);
        // each named record has a flipped byte before the next intact record, and the intact ones all count
        let names: Vec<String> = files(&dir).iter().map(|path| name(path)).collect();
        let is_flipped = |file: &str, from: u64, to: u64| {
            let inside = |at: usize| (from..to).contains(&(at as u64));
            flipped.keys().any(|(number, at)| names[*number as usize] == *file && inside(*at))
        };
        let next_whole = |file: &str, from: u64| {
            let mut whole = records.iter().filter(|(of, begin, end)| of == file && !is_flipped(of, *begin, *end));
            whole.find(|(_, begin, _)| *begin > from).map_or(u64::MAX, |(_, begin, _)| *begin)
        };
        for (file, offset) in &all {
            prop_assert!(is_flipped(file, *offset, next_whole(file, *offset)), "{file} {offset}: {flipped:?}");
        }
        if let Some((path, offset, bytes)) = &verified.torn {
            prop_assert!(is_flipped(&name(path), *offset, offset + bytes), "torn at {offset}: {flipped:?}");
        }
        let whole = records.iter().filter(|(file, begin, end)| !is_flipped(file, *begin, *end)).count() as u64;
        prop_assert!(verified.damage.intact >= whole, "{} of {whole}", verified.damage.intact);
        for record in &read.records {
            let is_named = all.contains(&(record.file.clone(), record.offset)) || torn.is_some_and(|at| at <= record.offset);
            // damaged records before it may have been named instead
            let is_behind = all.iter().any(|(file, offset)| *file == record.file && *offset < record.offset);
            prop_assert!(is_named || is_behind, "{} is not among {:?}", record, all);
        }
        prop_assert_eq!(verified.catalog_faults, 0);
        // a WACZ contains only the intact ones
        let out = folder.path().join("all.wacz");
        let summary = export_wacz(&dir, &out, &info(), []).unwrap();
        prop_assert_eq!(summary.damage.count, verified.damage.count);
        prop_assert_eq!(summary.captures, read.intact);
        let replay = osprey_archive::Replay::open(&out, &Default::default());
        if let Ok(replay) = replay {
            prop_assert!(replay.problems().is_empty(), "{:?}", replay.problems());
            prop_assert_eq!(replay.len() as u64, read.intact);
        }
        // and so does the log, with or without a catalogue
        let mut log = LogReader::open(&dir, Cursor::default());
        let mut told = 0;
        while let Some(entry) = log.next_entry().unwrap() {
            let text = String::from_utf8(entry.metadata).unwrap();
            let n: usize = text.trim_start_matches("{\"n\":").trim_end_matches('}').parse().unwrap();
            prop_assert!(n < PAGES);
            if let Some(at) = entry.response {
                prop_assert!(at.offset <= places[n].offset && at.end() >= places[n].end(), "{n}: {:?}", at);
            }
            told += 1;
        }
        // a flip can damage the metadata of one visit; the catalogue then still has that visit, if another line of
        // the same file is found in the archive
        prop_assert!(!has_catalog || flipped.len() > 1 || told + flipped.len() >= PAGES, "{told} told");
    }
    /// The catalogue copies what the WARC files contain: whatever happens to it, the log returns the same.
    #[test]
    fn a_damaged_catalogue_is_reported_and_costs_nothing(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("archive");
        archive(&dir);
        let before = told(&dir);
        let path = dir.join(CATALOG);
        let mut bytes = fs::read(&path).unwrap();
        let whole = bytes.clone();
        for (at, bit) in &flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << (bit % 8);
        }
        fs::write(&path, &bytes).unwrap();
        let verified = verify(&dir, &mut |_, _| true).unwrap();
        prop_assert_eq!((verified.damage.count, verified.torn), (0, None));
        prop_assert!(verified.catalog_faults > 0 || bytes == whole, "{:?}", flips);
        prop_assert_eq!(told(&dir), before);
    }
}

/// The bytes are as they were written, but were written wrongly: only the digest can show that.
#[test]
fn a_payload_that_its_digest_does_not_fit_is_damage_though_the_checksum_fits() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("archive");
    let mut archive = Archive::open(&dir, &WriterOptions::default(), None).unwrap();
    let mut write = |n: usize, digest: Digest| {
        let metadata = format!("{{\"n\":{n}}}");
        let response = page(n);
        let entry =
            Entry { response: &response, digest: &digest, duplicate_of: None, metadata: metadata.as_bytes() };
        archive.write(&entry).unwrap()
    };
    let right = write(0, Digest::of(&page(0).body));
    let wrong = write(1, Digest::of(b"something else"));
    drop(archive);
    let reader = ArchiveReader::new(&dir);
    assert_eq!(reader.read(right, None).unwrap().body, page(0).body);
    let error = reader.read(wrong, None).unwrap_err().to_string();
    assert!(error.contains("digest"), "{error}");
    let named: Vec<u64> = reader.damage().records.iter().map(|record| record.offset).collect();
    let verified = verify(&dir, &mut |_, _| true).unwrap();
    let found: Vec<u64> = verified.damage.records.iter().map(|record| record.offset).collect();
    assert_eq!((named, found), (vec![wrong.offset], vec![wrong.offset]));
}
