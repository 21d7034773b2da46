//! Content codings removed: gzip, deflate, br, zstd, up to three on top of each other.
//!
//! Decoders pull from each other, so no stage is held in memory as a whole, and each stage's output has a limit: a
//! bomb is cut at the size of a large page, also one whose middle layer is the bomb. What can be decoded of a
//! damaged body is kept. A body that is not coded at all although it is declared so, is taken as it is.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use osprey_model::Headers;
use ruzstd::decoding::FrameDecoder;

/// Codings on top of each other that are removed.
const MAX_CODINGS: usize = 3;
/// The window of HTTP's zstd (RFC 9659).
const MAX_ZSTD_WINDOW: u64 = 8 << 20;

/// A coding that can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// The codings of an answer, in the order they were applied; or the remark that they can't be removed. Transfer
/// codings other than chunks, rare as they are, lie on top of the content's.
pub(crate) fn codings(headers: &Headers) -> Result<Vec<Coding>, String> {
    let mut codings = Vec::new();
    for header in ["content-encoding", "transfer-encoding"] {
        let lines = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(header));
        for word in lines.flat_map(|(_, value)| value.split(',')).map(str::trim) {
            codings.push(match word.to_ascii_lowercase().as_str() {
                "" | "identity" | "none" | "chunked" => continue,
                "gzip" | "x-gzip" => Coding::Gzip,
                "deflate" => Coding::Deflate,
                "br" => Coding::Brotli,
                "zstd" => Coding::Zstd,
                _ => return Err(format!("content coding `{word:.40}` is not known; body kept as it came")),
            });
            if codings.len() > MAX_CODINGS {
                return Err(format!("more than {MAX_CODINGS} content codings; body kept as it came"));
            }
        }
    }
    Ok(codings)
}

/// A decoded body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    pub(crate) body: Cow<'a, [u8]>,
    /// Whether something is missing at the end: beyond the limit, or behind damage.
    pub(crate) cut: bool,
    pub(crate) note: Option<String>,
}

/// Removes `codings` from `wire`, giving at most `max` bytes.
pub(crate) fn decode<'a>(codings: &[Coding], wire: &'a [u8], max: usize) -> Decoded<'a> {
    let plain = |note| Decoded { body: Cow::Borrowed(wire), cut: wire.len() > max, note };
    let Some((&first, others)) = codings.split_last() else { return plain(None) };
    if wire.is_empty() {
        return plain(None);
    }
    let mut body = Vec::with_capacity(likely_size(first, wire).min(max) + 1);
    let mut reader = decoder(first, wire, max);
    for &coding in others.iter().rev() {
        reader = decoder(coding, BufReader::new(Middle::new(reader, max)), max);
    }
    let result = reader.take((max as u64).saturating_add(1)).read_to_end(&mut body);
    if body.len() > max {
        body.truncate(max);
        return Decoded { body: Cow::Owned(body), cut: true, note: None };
    }
    match result {
        Ok(_) => Decoded { body: Cow::Owned(body), cut: false, note: None },
        Err(_) if body.is_empty() && others.is_empty() && !looks_coded(first, wire) => {
            let cut = wire.len() > max;
            let note = Some(format!("body is not {} as declared; kept as it came", first.name()));
            Decoded { body: Cow::Borrowed(wire.get(..max).unwrap_or(wire)), cut, note }
        }
        Err(_) => {
            let names = codings.iter().map(|coding| coding.name()).collect::<Vec<_>>().join(", ");
            let note = Some(format!("body damaged: {names} could be decoded up to byte {}", body.len()));
            Decoded { body: Cow::Owned(body), cut: true, note }
        }
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
        Coding::Gzip => Box::new(GzipMembers(Some(GzDecoder::new(source)))),
        Coding::Deflate => Box::new(Deflate::Unknown(Some(source))),
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

/// gzip members one after another. What stands behind the last one and is no member is ignored, as by browsers.
struct GzipMembers<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.0 {
            let read = decoder.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let Some(mut source) = self.0.take().map(GzDecoder::into_inner) else { break };
            if source.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
                self.0 = Some(GzDecoder::new(source));
            }
        }
        Ok(0)
    }
}

/// By the standard a zlib stream; many servers send the bare deflate stream. The first two bytes tell.
enum Deflate<R> {
    Unknown(Option<R>),
    Zlib(ZlibDecoder<R>),
    Raw(DeflateDecoder<R>),
}

fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [a, b, ..] if a & 15 == 8 && u16::from_be_bytes([*a, *b]) % 31 == 0)
}

impl<R: BufRead> Read for Deflate<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self {
                Self::Unknown(source) => {
                    let Some(mut source) = source.take() else { return Ok(0) };
                    let zlib = is_zlib(source.fill_buf()?);
                    *self = if zlib {
                        Self::Zlib(ZlibDecoder::new(source))
                    } else {
                        Self::Raw(DeflateDecoder::new(source))
                    };
                }
                Self::Zlib(decoder) => return decoder.read(out),
                Self::Raw(decoder) => return decoder.read(out),
            }
        }
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

#[cfg(test)]
mod tests;
