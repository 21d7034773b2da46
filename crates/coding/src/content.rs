//! Content codings removed: gzip, deflate, br, zstd, up to three on top of each other.
//!
//! Decoders pull from each other, so no stage is held in memory as a whole, and each stage's output has a limit: a
//! bomb is cut at the size of a large page, also one whose middle layer is the bomb. What can be decoded of a
//! damaged body is kept. A body that is not coded at all although it is declared so, is taken as it is.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use osprey_model::{BodyEnd, Headers};
use ruzstd::decoding::FrameDecoder;
use thiserror::Error;

use crate::inflate::{Deflate, GzipMembers, is_zlib};

/// Codings on top of each other that are removed.
const MAX_CODINGS: usize = 3;
/// The window of HTTP's zstd (RFC 9659).
const MAX_ZSTD_WINDOW: u64 = 8 << 20;

/// A coding that can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// RFC 1952.
    Gzip,
    /// RFC 1950, or without its wrapping RFC 1951.
    Deflate,
    /// RFC 7932.
    Brotli,
    /// RFC 8878.
    Zstd,
}

impl Coding {
    /// Its name in a header.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// Why codings are not removed; the body is kept as it came.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CodingsError {
    /// One is not known.
    #[error("content coding `{0}` is not known; body kept as it came")]
    Unknown(String),
    /// There are too many.
    #[error("more than {MAX_CODINGS} content codings; body kept as it came")]
    TooMany,
}

/// The words of all lines of a header, in lower case.
fn words(headers: &Headers, header: &str) -> impl Iterator<Item = String> {
    let lines = headers.iter().filter(move |(name, _)| name.eq_ignore_ascii_case(header));
    lines.flat_map(|(_, value)| value.split(',')).map(|word| word.trim().to_ascii_lowercase())
}

/// Whether the body of an answer is cut into chunks.
pub fn is_chunked(headers: &Headers) -> bool {
    words(headers, "transfer-encoding").any(|word| word == "chunked")
}

/// The codings of an answer, in the order they were applied; or why they can't be removed. Transfer codings other than
/// chunks, rare as they are, lie on top of the content's.
pub fn codings(headers: &Headers) -> Result<Vec<Coding>, CodingsError> {
    let mut codings = Vec::new();
    for word in words(headers, "content-encoding").chain(words(headers, "transfer-encoding")) {
        codings.push(match word.as_str() {
            "" | "identity" | "none" | "chunked" => continue,
            "gzip" | "x-gzip" => Coding::Gzip,
            "deflate" => Coding::Deflate,
            "br" => Coding::Brotli,
            "zstd" => Coding::Zstd,
            _ => return Err(CodingsError::Unknown(word.chars().take(40).collect())),
        });
        if codings.len() > MAX_CODINGS {
            return Err(CodingsError::TooMany);
        }
    }
    Ok(codings)
}

/// A decoded body.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// Without its codings.
    pub body: Cow<'a, [u8]>,
    /// `Whole`, or `Limit`, or `Damaged`.
    pub end: BodyEnd,
    /// What was wrong with it.
    pub note: Option<String>,
}

/// Removes `codings` from `wire`, giving at most `max` bytes.
pub fn decode<'a>(codings: &[Coding], wire: &'a [u8], max: usize) -> Decoded<'a> {
    let Some((&first, others)) = codings.split_last() else { return as_it_came(wire, max, None) };
    if wire.is_empty() {
        return as_it_came(wire, max, None);
    }
    let mut body = Vec::with_capacity(likely_size(first, wire).min(max).saturating_add(1));
    let mut reader = decoder(first, wire, max);
    for &coding in others.iter().rev() {
        reader = decoder(coding, BufReader::new(Middle::new(reader, max)), max);
    }
    let result = reader.take((max as u64).saturating_add(1)).read_to_end(&mut body);
    if body.len() > max {
        body.truncate(max);
        return Decoded { body: Cow::Owned(body), end: BodyEnd::Limit, note: None };
    }
    match result {
        Ok(_) => Decoded { body: Cow::Owned(body), end: BodyEnd::Whole, note: None },
        Err(_) if body.is_empty() && others.is_empty() && !looks_coded(first, wire) => {
            let note = format!("body is not {} as declared; kept as it came", first.name());
            as_it_came(wire, max, Some(note))
        }
        Err(_) => {
            let names = codings.iter().map(|coding| coding.name()).collect::<Vec<_>>().join(", ");
            let note = Some(format!("body damaged: {names} could be decoded up to byte {}", body.len()));
            Decoded { body: Cow::Owned(body), end: BodyEnd::Damaged, note }
        }
    }
}

fn as_it_came(wire: &[u8], max: usize, note: Option<String>) -> Decoded<'_> {
    match wire.get(..max) {
        Some(start) if start.len() < wire.len() => {
            Decoded { body: Cow::Borrowed(start), end: BodyEnd::Limit, note }
        }
        _ => Decoded { body: Cow::Borrowed(wire), end: BodyEnd::Whole, note },
    }
}

/// gzip ends with the size of what it holds; believed within reason.
fn likely_size(coding: Coding, wire: &[u8]) -> usize {
    let told = match (coding, wire.last_chunk::<4>()) {
        (Coding::Gzip, Some(size)) => u32::from_le_bytes(*size) as usize,
        _ => 0,
    };
    told.clamp(wire.len().saturating_mul(2), wire.len().saturating_mul(16))
}

/// Whether a body begins like one of that coding; brotli has no mark to tell by.
fn looks_coded(coding: Coding, wire: &[u8]) -> bool {
    match coding {
        Coding::Gzip => wire.starts_with(&[0x1f, 0x8b]),
        Coding::Zstd => wire.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
        Coding::Deflate => is_zlib(wire),
        Coding::Brotli => false,
    }
}

/// One stage, for bodies of at most `max` bytes.
fn decoder<'a>(coding: Coding, source: impl BufRead + 'a, max: usize) -> Box<dyn Read + 'a> {
    match coding {
        Coding::Gzip => Box::new(GzipMembers::new(source)),
        Coding::Deflate => Box::new(Deflate::new(source)),
        Coding::Brotli => Box::new(Brotli::new(source)),
        Coding::Zstd => Box::new(ZstdFrames::new(source, max)),
    }
}

/// What a stage gives to the next one. Coded data are hardly ever larger than what they hold, so more than a body
/// may have is a bomb, even if nothing of it reaches the body: an error, which ends all stages.
struct Middle<R> {
    source: R,
    left: usize,
}

impl<R: Read> Middle<R> {
    fn new(source: R, max: usize) -> Self {
        Self { source, left: max.saturating_add(max / 8).saturating_add(1024) }
    }
}

impl<R: Read> Read for Middle<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(out)?;
        self.left = self
            .left
            .checked_sub(read)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "larger than any body"))?;
        Ok(read)
    }
}

/// Brotli, without the "large window" dialect that HTTP does not know and that may ask for a gigabyte.
enum Brotli<R: BufRead> {
    Start(Option<R>),
    Running(Box<brotli_decompressor::Decompressor<R>>),
}

impl<R: BufRead> Brotli<R> {
    fn new(source: R) -> Self {
        Self::Start(Some(source))
    }
}

impl<R: BufRead> Read for Brotli<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self {
                Self::Start(source) => {
                    let Some(mut source) = source.take() else { return Ok(0) };
                    if source.fill_buf()?.first().is_some_and(|first| first & 0x7f == 0x11) {
                        return Err(io::Error::new(io::ErrorKind::InvalidData, "large window"));
                    }
                    *self = Self::Running(Box::new(brotli_decompressor::Decompressor::new(source, 4096)));
                }
                Self::Running(decoder) => return decoder.read(out),
            }
        }
    }
}

/// zstd frames one after another, with a bounded window.
struct ZstdFrames<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    fn new(source: R, max: usize) -> Self {
        let mut decoder = FrameDecoder::new();
        // A frame without a window of its own has its content as the window; more than `max` is cut anyway.
        decoder.set_max_window_size(MAX_ZSTD_WINDOW.max((max as u64).min(64 << 20)));
        Self { source, decoder, in_frame: false }
    }

    /// Starts the next frame, skipping what only looks like one; false at the end.
    fn next_frame(&mut self) -> io::Result<bool> {
        use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut self.source.by_ref().take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        use ruzstd::decoding::BlockDecodingStrategy::UptoBytes;
        let broken = |error: ruzstd::decoding::errors::FrameDecoderError| {
            io::Error::new(io::ErrorKind::InvalidData, error.to_string())
        };
        loop {
            if self.in_frame {
                if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    self.decoder.decode_blocks(&mut self.source, UptoBytes(out.len())).map_err(broken)?;
                }
                let read = self.decoder.read(out)?;
                if read > 0 || out.is_empty() {
                    return Ok(read);
                }
                self.in_frame = !self.decoder.is_finished();
            } else if !self.next_frame()? {
                return Ok(0);
            } else {
                self.in_frame = true;
            }
        }
    }
}
