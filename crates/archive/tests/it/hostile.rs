//! A recording may contain anything: reading it ends, and never panics.

#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed check")]

use std::io::Write;

use osprey_archive::{ReaderOptions, RecordReader, Replay, ReplayOptions};
use proptest::prelude::*;

fn valid() -> Vec<u8> {
    let record = |n: usize| {
        let body = "x".repeat(n * 40);
        let http = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
            n * 40
        );
        let length = http.len();
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{n}\r\n\
             WARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: {length}\r\n\r\n{http}\r\n\r\n"
        )
    };
    (0..5).map(record).collect::<String>().into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reads everything twice: as records, and as a recording.
fn read(bytes: &[u8]) {
    let options = ReaderOptions { max_block: 1000, start: 0 };
    let mut reader = RecordReader::with_options(bytes, options);
    let mut records = 0;
    while let Some(record) = reader.next_record().unwrap() {
        records += 1;
        assert!(record.block.len() <= 1000);
        assert!(record.offset <= bytes.len() as u64);
        assert!(records <= bytes.len(), "more records than bytes");
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x-00000.warc.gz");
    std::fs::write(&path, bytes).unwrap();
    if let Ok(replay) = Replay::open(&path, &ReplayOptions::default()) {
        for url in replay.urls() {
            let _ = replay.get(url);
        }
    }
    let _ = osprey_archive::verify(dir.path(), &mut |_, _| true).unwrap();
}

fn mutate(mut bytes: Vec<u8>, changes: &[(prop::sample::Index, u8)], cut: &prop::sample::Index) -> Vec<u8> {
    for (at, value) in changes {
        let at = at.index(bytes.len());
        bytes[at] = *value;
    }
    let length = cut.index(bytes.len()) + 1;
    bytes.truncate(length.max(bytes.len() / 2));
    bytes
}

fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..3000), magic in 0..6_usize) {
        let starts: [&[u8]; 6] = [
            b"", b"WARC/1.0\r\n", b"\x1f\x8b\x08\0", b"\x28\xb5\x2f\xfd", b"filedesc://x 0 20200101 t 3\n", b"PK\x03\x04",
        ];
        read(&[starts[magic], &bytes].concat());
    }

    #[test]
    fn mutated_plain(changes in changes(), cut in any::<prop::sample::Index>()) {
        read(&mutate(valid(), &changes, &cut));
    }

    #[test]
    fn mutated_gzip(changes in changes(), cut in any::<prop::sample::Index>(), split in any::<prop::sample::Index>()) {
        let plain = valid();
        let (left, right) = plain.split_at(split.index(plain.len()));
        read(&mutate([gzip(left), gzip(right)].concat(), &changes, &cut));
    }

    #[test]
    fn mutated_before_compression(changes in changes(), cut in any::<prop::sample::Index>()) {
        read(&gzip(&mutate(valid(), &changes, &cut)));
    }
}
