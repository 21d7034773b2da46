//! Content codings, up to three on top of each other: whatever the bytes, no more comes out than is allowed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_model::{BodyEnd, Headers};

const MAX: usize = 100_000;

fuzz_target!(|data: &[u8]| {
    let Some((&first, wire)) = data.split_first() else { return };
    let names = ["gzip", "deflate", "br", "zstd"];
    let of = |shift: u8| names[usize::from(first >> shift & 3)];
    let line = match first >> 6 {
        0 => of(0).to_owned(),
        1 => format!("{}, {}", of(0), of(2)),
        _ => format!("{}, {}, {}", of(0), of(2), of(4)),
    };
    let Some((body, end)) = decode(&line, wire, MAX) else { panic!("a coding is not known") };
    assert!(body.len() <= MAX, "more than allowed");
    assert!(end != BodyEnd::Limit || body.len() == MAX, "cut for nothing");
    // With less room, the beginning of the same; the decoders of brotli and zstd lose some of what is damaged.
    if !line.contains("br") && !line.contains("zstd") {
        let Some((start, _)) = decode(&line, wire, body.len() / 2) else { panic!("a coding is not known") };
        assert!(body.starts_with(&start), "another body");
    }
});

/// Removes the codings of a `Content-Encoding` line from `wire`, giving at most `max` bytes.
fn decode(line: &str, wire: &[u8], max: usize) -> Option<(Vec<u8>, BodyEnd)> {
    let headers: Headers = [("Content-Encoding", line)].into_iter().collect();
    let codings = osprey_coding::codings(&headers).ok()?;
    let decoded = osprey_coding::decode(&codings, wire, max);
    Some((decoded.body.into_owned(), decoded.end))
}
