//! Decompression bombs: small bodies that decode to gigabytes of zeros, one for each content coding.
//!
//! They are valid including the checksum, so that only a limit stops a decoder, and cheap to make: the repeating
//! block is written once, and the checksums are computed without the data.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress};

use crate::Step;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// `gzip`, RFC 1952.
    Gzip,
    /// `deflate`, which is the zlib format, RFC 1950.
    Deflate,
    /// `br`, RFC 7932.
    Brotli,
    /// `zstd`, RFC 8878.
    Zstd,
}

impl Coding {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Gzip, Self::Deflate, Self::Brotli, Self::Zstd];

    /// The name in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// A coded run of zeros: `head`, then `block` repeated `times` times, then `tail`.
#[derive(Clone, Debug)]
pub struct Bomb {
    head: Bytes,
    block: Bytes,
    times: u64,
    tail: Bytes,
}

/// Zeros in one repeated block of gzip and deflate.
const DEFLATE_RUN: u64 = 1 << 20;
/// Zeros in one block of zstd: the most that its format allows.
const ZSTD_RUN: u64 = 128 << 10;
/// Zeros in one meta-block of brotli: the most that its format allows.
const BROTLI_RUN: u64 = 1 << 24;

impl Bomb {
    /// Decodes to `mebibytes` MiB of zeros (brotli: rounded up to 16 MiB).
    pub fn new(coding: Coding, mebibytes: u32) -> io::Result<Self> {
        let size = u64::from(mebibytes) << 20;
        match coding {
            Coding::Gzip => gzip(size),
            Coding::Deflate => zlib(size),
            Coding::Brotli => Ok(brotli(size)),
            Coding::Zstd => Ok(zstd(size)),
        }
    }

    /// Bytes on the wire.
    pub fn coded_len(&self) -> u64 {
        self.head.len() as u64 + self.block.len() as u64 * self.times + self.tail.len() as u64
    }

    /// The body as steps of an answer.
    pub fn steps(&self) -> Vec<Step> {
        vec![
            Step::Send(self.head.clone()),
            Step::Repeat(self.block.clone(), self.times),
            Step::Send(self.tail.clone()),
        ]
    }

    /// The body in one piece.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.head.to_vec();
        for _ in 0..self.times {
            out.extend_from_slice(&self.block);
        }
        out.extend_from_slice(&self.tail);
        out
    }
}

/// One run of zeros as deflate blocks that end on a byte boundary and do not refer to anything before them.
fn deflate_run() -> io::Result<Bytes> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(8 << 10);
    let zeros = vec![0; DEFLATE_RUN as usize];
    compress.compress_vec(&zeros, &mut out, FlushCompress::Full).map_err(io::Error::other)?;
    if compress.total_in() != DEFLATE_RUN {
        return Err(io::Error::other("the deflate block did not fit its buffer"));
    }
    Ok(out.into())
}

/// An empty last block with fixed codes.
const DEFLATE_END: [u8; 2] = [0x03, 0x00];

fn gzip(size: u64) -> io::Result<Bomb> {
    let times = size / DEFLATE_RUN;
    let (mut run, mut crc) = (Crc::new(), Crc::new());
    run.update(&vec![0; DEFLATE_RUN as usize]);
    for _ in 0..times {
        crc.combine(&run);
    }
    let mut tail = DEFLATE_END.to_vec();
    tail.write_all(&crc.sum().to_le_bytes())?;
    tail.write_all(&crc.amount().to_le_bytes())?;
    let head = Bytes::from_static(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
    Ok(Bomb { head, block: deflate_run()?, times, tail: tail.into() })
}

fn zlib(size: u64) -> io::Result<Bomb> {
    // Adler-32 of n zeros: the first sum stays 1, the second counts the bytes.
    let adler = ((size % 65_521) << 16) | 1;
    let mut tail = DEFLATE_END.to_vec();
    tail.write_all(&(adler as u32).to_be_bytes())?;
    let head = Bytes::from_static(&[0x78, 0xda]);
    Ok(Bomb { head, block: deflate_run()?, times: size / DEFLATE_RUN, tail: tail.into() })
}

fn zstd(size: u64) -> Bomb {
    // Magic number; no content size, no checksum; a window of 128 KiB (exponent 7).
    let head = Bytes::from_static(&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3]);
    // Block header: type 1 (one byte, repeated) and the length; then the byte.
    let header = ((ZSTD_RUN as u32) << 3 | 1 << 1).to_le_bytes();
    let block = Bytes::copy_from_slice(&[header[0], header[1], header[2], 0]);
    // An empty raw block marked as the last.
    Bomb { head, block, times: size / ZSTD_RUN, tail: Bytes::from_static(&[1, 0, 0]) }
}

fn brotli(size: u64) -> Bomb {
    let mut bits = Bits::default();
    bits.push(0b0, 1); // a window of 64 KiB
    for _ in 0..size.div_ceil(BROTLI_RUN) {
        brotli_run(&mut bits);
    }
    bits.push(0b11, 2); // last, empty
    Bomb { head: bits.out.into(), block: Bytes::new(), times: 0, tail: Bytes::new() }
}

/// A meta-block of one command: one literal zero, then a copy of it for the whole length.
fn brotli_run(bits: &mut Bits) {
    /// The base of the longest copies.
    const COPY_BASE: u64 = 2118;
    bits.push(0, 1); // not the last
    bits.push(2, 2); // the length has six nibbles
    bits.push(BROTLI_RUN - 1, 24);
    bits.push(0, 1); // compressed
    bits.push(0, 3); // one block type each for literals, commands, distances
    bits.push(0, 6); // no postfix bits, no direct distances
    bits.push(0, 2); // context mode
    bits.push(0, 2); // one tree each for literals and distances
    for (symbol, width) in [(0, 8), (399, 10), (16, 6)] {
        // A prefix code of one symbol, which then costs no bits: literal 0, "insert 1, copy long", distance 1.
        bits.push(1, 2);
        bits.push(0, 2);
        bits.push(symbol, width);
    }
    bits.push(BROTLI_RUN - 1 - COPY_BASE, 24);
    bits.push(0, 1); // distance 1 + 0
}

/// Bits, the lowest first.
#[derive(Default)]
struct Bits {
    out: Vec<u8>,
    used: u32,
}

impl Bits {
    fn push(&mut self, value: u64, width: u32) {
        for at in 0..width {
            if self.used.is_multiple_of(8) {
                self.out.push(0);
            }
            if let Some(last) = self.out.last_mut() {
                *last |= ((value >> at & 1) as u8) << (self.used % 8);
            }
            self.used += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn decoder(coding: Coding, body: Vec<u8>) -> Box<dyn Read> {
        let body = io::Cursor::new(body);
        match coding {
            Coding::Gzip => Box::new(flate2::read::GzDecoder::new(body)),
            Coding::Deflate => Box::new(flate2::read::ZlibDecoder::new(body)),
            Coding::Brotli => Box::new(brotli_decompressor::Decompressor::new(body, 4096)),
            Coding::Zstd => Box::new(ruzstd::decoding::StreamingDecoder::new(body).unwrap()),
        }
    }

    #[test]
    fn bombs_are_valid_to_the_last_byte() {
        for coding in Coding::ALL {
            let bomb = Bomb::new(coding, 32).unwrap();
            assert_eq!(bomb.to_bytes().len() as u64, bomb.coded_len());
            let mut decoder = decoder(coding, bomb.to_bytes());
            let (mut seen, mut buffer) = (0, vec![1; 1 << 16]);
            loop {
                let read = decoder.read(&mut buffer).unwrap_or_else(|e| panic!("{}: {e}", coding.name()));
                if read == 0 {
                    break;
                }
                assert!(buffer[..read].iter().all(|byte| *byte == 0), "{}", coding.name());
                seen += read as u64;
            }
            assert_eq!(seen, 32 << 20, "{}", coding.name());
        }
    }

    #[test]
    fn a_gibibyte_is_small() {
        for (coding, most) in [
            (Coding::Gzip, 2 << 20),
            (Coding::Deflate, 2 << 20),
            (Coding::Brotli, 1000),
            (Coding::Zstd, 40_000),
        ] {
            let len = Bomb::new(coding, 1024).unwrap().coded_len();
            assert!(len < most, "{}: {len}", coding.name());
        }
    }
}
