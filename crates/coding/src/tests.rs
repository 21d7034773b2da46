//! Bodies of known content through each coding and through what can go wrong with it.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use osprey_model::{BodyEnd, Headers};

use super::*;

const PAGE: &[u8] = b"<html>page page page page page page page page</html>";
/// `hello` in brotli.
const BROTLI: [u8; 9] = [0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn raw(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

#[test]
fn removes_each_coding() {
    let check = |codings: &[Coding], wire: &[u8], expect: &[u8]| {
        let decoded = decode(codings, wire, 1000);
        assert_eq!(String::from_utf8_lossy(&decoded.body), String::from_utf8_lossy(expect), "{codings:?}");
        assert_eq!((decoded.end, decoded.note), (BodyEnd::Whole, None), "{codings:?}");
    };
    use Coding::{Brotli, Deflate, Gzip, Zstd};
    check(&[], PAGE, PAGE);
    check(&[Gzip], b"", b"");
    check(&[Gzip], &gzip(PAGE), PAGE);
    check(&[Gzip], &[gzip(b"one "), gzip(b""), gzip(b"two")].concat(), b"one two");
    check(&[Gzip], &[gzip(PAGE), vec![0; 9]].concat(), PAGE);
    check(&[Deflate], &zlib(PAGE), PAGE);
    check(&[Deflate], &raw(PAGE), PAGE);
    check(&[Brotli], &BROTLI, b"hello");
    check(&[Zstd], &zstd(PAGE), PAGE);
    let skippable = [0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9];
    check(&[Zstd], &[&zstd(b"one ")[..], &skippable, &zstd(b"two")].concat(), b"one two");
    check(&[Deflate, Gzip], &gzip(&zlib(PAGE)), PAGE);
    check(&[Zstd, Deflate, Gzip], &gzip(&raw(&zstd(PAGE))), PAGE);
}

#[test]
fn keeps_what_it_can() {
    let check = |codings: &[Coding], wire: &[u8], expect: &[u8], end: BodyEnd, note: &str| {
        let decoded = decode(codings, wire, 1000);
        assert_eq!(String::from_utf8_lossy(&decoded.body), String::from_utf8_lossy(expect), "{note}");
        assert_eq!((decoded.end, decoded.note.as_deref()), (end, Some(note)));
    };
    let stored = {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(PAGE).unwrap();
        encoder.finish().unwrap()
    };
    let note = "body damaged: gzip could be decoded up to byte 20";
    check(&[Coding::Gzip], &stored[..10 + 5 + 20], &PAGE[..20], BodyEnd::Damaged, note);
    // A block of a kind that there is not, behind a stored one.
    let broken = [&stored[..10], &[0, 52, 0, !52, 0xff], PAGE, &[0xff; 9]].concat();
    check(
        &[Coding::Gzip],
        &broken,
        PAGE,
        BodyEnd::Damaged,
        "body damaged: gzip could be decoded up to byte 52",
    );
    let mut wrong_sum = gzip(PAGE);
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    check(
        &[Coding::Gzip],
        &wrong_sum,
        PAGE,
        BodyEnd::Damaged,
        "body damaged: gzip could be decoded up to byte 52",
    );
    check(&[Coding::Gzip], PAGE, PAGE, BodyEnd::Whole, "body is not gzip as declared; kept as it came");
    check(&[Coding::Zstd], PAGE, PAGE, BodyEnd::Whole, "body is not zstd as declared; kept as it came");
    check(
        &[Coding::Brotli],
        &[0x11; 9],
        &[0x11; 9],
        BodyEnd::Whole,
        "body is not br as declared; kept as it came",
    );
    let note = "body damaged: deflate, gzip could be decoded up to byte 0";
    check(&[Coding::Deflate, Coding::Gzip], &gzip(&[0xff; 20]), b"", BodyEnd::Damaged, note);
}

#[test]
fn cuts_bombs() {
    let check = |codings: &[Coding], wire: &[u8]| {
        let decoded = decode(codings, wire, 1000);
        assert_eq!(
            (decoded.body.len(), decoded.end, decoded.note),
            (1000, BodyEnd::Limit, None),
            "{codings:?}"
        );
    };
    let zeros = vec![0; 1 << 20];
    check(&[], &zeros);
    check(&[Coding::Gzip], &gzip(&zeros));
    check(&[Coding::Zstd], &zstd(&zeros));
    check(&[Coding::Gzip, Coding::Gzip], &gzip(&gzip(&zeros)));
    // The middle layer is the bomb: empty members without end give no output to cut.
    let members = gzip(&gzip(b"").repeat(1 << 16));
    let decoded = decode(&[Coding::Gzip, Coding::Gzip], &members, 1000);
    assert_eq!((decoded.body.len(), decoded.end), (0, BodyEnd::Damaged));
    let members = gzip(b"").repeat(1 << 16);
    let note = "body damaged: gzip could be decoded up to byte 0";
    assert_eq!(decode(&[Coding::Gzip], &members, 1000).note.as_deref(), Some(note));
    // A window of 2 GiB asked for.
    let window = [0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0];
    assert_eq!(
        decode(&[Coding::Zstd], &window, 1000).note.as_deref(),
        Some("body damaged: zstd could be decoded up to byte 0")
    );
}

#[test]
fn reads_the_header() {
    let check = |lines: &[&str], expect: Result<&[Coding], CodingsError>| {
        let headers: Headers = lines.iter().map(|value| ("Content-Encoding", *value)).collect();
        let read = codings(&headers);
        assert_eq!(read, expect.map(<[Coding]>::to_vec), "{lines:?}");
    };
    check(&[], Ok(&[]));
    check(&["identity", "GZip, x-gzip"], Ok(&[Coding::Gzip, Coding::Gzip]));
    check(&["br", "zstd"], Ok(&[Coding::Brotli, Coding::Zstd]));
    let lines = [("Transfer-Encoding", "gzip, chunked"), ("Content-Encoding", "br")];
    assert_eq!(codings(&lines.into_iter().collect()), Ok(vec![Coding::Brotli, Coding::Gzip]));
    assert!(is_chunked(&lines.into_iter().collect()));
    check(&["gzip", "Secret"], Err(CodingsError::Unknown("secret".to_owned())));
    check(&["gzip,gzip,gzip,gzip"], Err(CodingsError::TooMany));
    let long = codings(&[("Content-Encoding", "ü".repeat(99).as_str())].into_iter().collect());
    assert_eq!(long, Err(CodingsError::Unknown("ü".repeat(40))));
}
