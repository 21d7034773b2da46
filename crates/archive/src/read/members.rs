//! The decoded bytes of a file, member by member: gzip members, zstd frames, or one uncompressed stretch.
//!
//! A record can begin at a member boundary, and reading can continue there after damage, so boundaries stay visible:
//! [`Members::fill`] stops at the end of a member until [`Members::next_member`] is called.

use std::io::{self, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder};

use super::buffer::Buffer;
use super::raw::{Raw, Seek};

/// Number of decoded bytes requested at a time.
const STEP: usize = 64 * 1024;

/// The first bytes of a gzip member.
const GZIP: &[u8] = &[0x1f, 0x8b, 0x08];

/// The longest gzip header (extra field, name, comment) that is accepted.
const MAX_GZIP_HEADER: usize = 60 * 1024;

/// The largest zstd window that is decoded, and the largest dictionary that is loaded.
const MAX_WINDOW: u64 = 64 << 20;
const MAX_DICTIONARY: u64 = 16 << 20;

/// Why decoding stopped.
#[derive(Debug)]
pub(super) enum Fault {
    /// A disk error.
    Io(io::Error),
    /// The file ends inside a member.
    Torn,
    /// The data is damaged.
    Corrupt(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The result of a [`Members::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// The buffer holds more bytes.
    More,
    /// The member has ended; the buffer holds all that is left of it.
    End,
}

enum Codec {
    /// Not known yet.
    Unknown,
    Plain,
    Gzip(Box<(Decompress, Crc)>),
    Zstd(Box<FrameDecoder>),
}

impl Codec {
    fn gzip() -> Self {
        Self::Gzip(Box::new((Decompress::new(false), Crc::new())))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between members, where one should begin.
    Between,
    /// After damage, anywhere.
    Lost,
    Inside,
    Ended,
}

/// Decoded bytes with member boundaries.
pub(super) struct Members<R> {
    raw: Raw<R>,
    codec: Codec,
    state: State,
    buffer: Buffer,
    /// Number of decoded bytes of this member that were consumed.
    consumed: u64,
    /// The offset in the file where this member begins.
    begin: u64,
    /// The end of the last member that decoded completely and has the right checksum.
    whole_until: u64,
    /// Bytes skipped to find the last member's beginning: start and count.
    skipped: (u64, u64),
    /// Where the search for the next member begins, after one that cannot be decoded.
    back_to: Option<u64>,
}

impl<R: Read> Members<R> {
    pub(super) fn new(source: R, offset: u64) -> Self {
        Self {
            raw: Raw::new(source, offset),
            codec: Codec::Unknown,
            state: State::Between,
            buffer: Buffer::default(),
            consumed: 0,
            begin: offset,
            whole_until: offset,
            skipped: (0, 0),
            back_to: None,
        }
    }

    /// Allows the reader to seek backwards after damage.
    pub(super) fn go_back_with(&mut self, seek: Seek<R>) {
        self.raw.set_seek(seek);
    }

    /// Loads the dictionary at the start of a `.warc.zst` file, for readers that begin in its middle.
    pub(super) fn load_dictionary(&mut self, file_start: impl Read) {
        let mut decoder = Self::zstd();
        if let Ok(true) = read_dictionary(&mut Raw::new(file_start, 0), &mut decoder) {
            self.codec = Codec::Zstd(decoder);
        }
    }

    fn zstd() -> Box<FrameDecoder> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Box::new(decoder)
    }

    pub(super) fn buffered(&self) -> &[u8] {
        self.buffer.bytes()
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.consumed += self.buffer.consume(count) as u64;
    }

    /// Puts bytes back in front of the buffer: a record inside another one whose length is wrong.
    pub(super) fn unread(&mut self, bytes: &[u8]) {
        self.buffer.prepend(bytes);
        self.consumed = self.consumed.saturating_sub(bytes.len() as u64);
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(self.codec, Codec::Plain)
    }

    /// Whether nothing of the member was consumed yet, so that what begins here can be found by seeking.
    pub(super) fn at_begin(&self) -> bool {
        self.consumed == 0
    }

    /// The offset of the next decoded byte in the file: exact in uncompressed files, otherwise the start of the
    /// member.
    pub(super) fn offset(&self) -> u64 {
        if self.is_plain() { self.begin + self.consumed } else { self.begin }
    }

    /// The end of the member that has ended; in uncompressed files the current offset.
    pub(super) fn end(&self) -> u64 {
        if self.is_plain() { self.begin + self.consumed } else { self.raw.offset() }
    }

    /// Whether the member decoded to its end.
    pub(super) fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    pub(super) fn whole_until(&self) -> u64 {
        self.whole_until
    }

    /// The bytes skipped before the current member: start and count.
    pub(super) fn take_skipped(&mut self) -> (u64, u64) {
        std::mem::take(&mut self.skipped)
    }

    fn skip(&mut self, count: usize) {
        if self.skipped.1 == 0 {
            self.skipped.0 = self.raw.offset();
        }
        self.skipped.1 += count as u64;
        self.raw.consume(count);
    }

    /// Treats the file as gzip whatever it begins with: it may be a damaged one of our own.
    pub(super) fn assume_gzip(&mut self) {
        self.codec = Codec::gzip();
    }

    /// Begins the next member and drops the rest of this one. `false` at the end of the file.
    pub(super) fn next_member(&mut self) -> Result<bool, Fault> {
        self.buffer.clear();
        self.consumed = 0;
        self.join_member()
    }

    /// Begins the next member after the buffered bytes of this one.
    pub(super) fn join_member(&mut self) -> Result<bool, Fault> {
        if matches!(self.codec, Codec::Unknown) {
            self.codec = self.detect()?;
        }
        let lost = self.state != State::Between && self.state != State::Ended;
        self.state = State::Lost;
        let begun = match &mut self.codec {
            Codec::Unknown => Ok(false),
            Codec::Plain => {
                self.begin = self.raw.offset();
                Ok(!self.raw.peek(1)?.is_empty())
            }
            Codec::Gzip(_) => self.begin_gzip(lost),
            Codec::Zstd(_) => self.begin_zstd(lost),
        };
        if let Ok(true) = begun {
            self.state = State::Inside;
        }
        begun
    }

    fn detect(&mut self) -> io::Result<Codec> {
        Ok(match self.raw.peek(4)? {
            [0x1f, 0x8b, ..] => Codec::gzip(),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Codec::Zstd(Self::zstd()),
            [] => Codec::Unknown,
            _ => Codec::Plain,
        })
    }

    /// Searches for `magic`; `false` if it does not occur before the end of the file.
    fn find_magic(&mut self, magic: &[u8]) -> io::Result<bool> {
        loop {
            let found = memchr::memmem::find(self.raw.peek(magic.len())?, magic);
            let pass = found.unwrap_or_else(|| self.raw.buffered().len().saturating_sub(magic.len() - 1));
            self.skip(pass);
            if found.is_some() {
                return Ok(true);
            }
            if !self.raw.fill()? {
                self.skip(self.raw.buffered().len());
                return Ok(false);
            }
        }
    }

    fn begin_gzip(&mut self, mut lost: bool) -> Result<bool, Fault> {
        if let Some(offset) = self.back_to.take()
            && lost
            && self.raw.go_to(offset)?
        {
            let found = self.find_magic(GZIP)?;
            // they belong to the damaged member, which was reported
            self.skipped = (0, 0);
            if !found {
                return Ok(false);
            }
        }
        loop {
            let head = self.raw.peek(GZIP.len())?;
            if head.is_empty() {
                return Ok(false);
            }
            if head.len() < GZIP.len() && GZIP.starts_with(head) {
                self.begin = self.raw.offset();
                self.raw.consume(GZIP.len());
                return Err(Fault::Torn);
            }
            lost |= !head.starts_with(GZIP);
            if lost && !self.find_magic(GZIP)? {
                return Ok(false);
            }
            self.begin = self.raw.offset();
            match gzip_header(self.raw.peek(MAX_GZIP_HEADER.min(512))?) {
                Header::Length(length) => {
                    self.raw.consume(length);
                    break;
                }
                Header::Incomplete => match gzip_header(self.raw.peek(MAX_GZIP_HEADER)?) {
                    Header::Length(length) => {
                        self.raw.consume(length);
                        break;
                    }
                    _ => {
                        self.raw.consume(1);
                        return Err(Fault::Torn);
                    }
                },
                Header::Bad => {
                    self.skip(1);
                    lost = true;
                }
            }
        }
        if let Codec::Gzip(gzip) = &mut self.codec {
            gzip.0.reset(false);
            gzip.1.reset();
        }
        Ok(true)
    }

    fn begin_zstd(&mut self, lost: bool) -> Result<bool, Fault> {
        const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
        let Codec::Zstd(decoder) = &mut self.codec else { return Ok(false) };
        if self.raw.offset() == 0 && !lost {
            read_dictionary(&mut self.raw, decoder)?;
        }
        while !lost && skippable(self.raw.peek(8)?).is_some() {
            skip_frame(&mut self.raw)?;
        }
        if self.raw.peek(1)?.is_empty() {
            return Ok(false);
        }
        if !self.raw.peek(4)?.starts_with(MAGIC) && !self.find_magic(MAGIC)? {
            return Ok(false);
        }
        self.begin = self.raw.offset();
        let Codec::Zstd(decoder) = &mut self.codec else { return Ok(false) };
        decoder.reset(&mut self.raw).map_err(|error| Fault::Corrupt(error.to_string()))?;
        Ok(true)
    }

    /// Decodes more of this member into the buffer.
    pub(super) fn fill(&mut self) -> Result<Fill, Fault> {
        if self.state != State::Inside {
            return Ok(Fill::End);
        }
        let before = self.buffer.len();
        let filled = match &mut self.codec {
            Codec::Unknown => Ok(Fill::End),
            Codec::Plain => fill_plain(&mut self.raw, &mut self.buffer),
            Codec::Gzip(gzip) => fill_gzip(&mut self.raw, gzip, &mut self.buffer),
            Codec::Zstd(decoder) => fill_zstd(&mut self.raw, decoder, &mut self.buffer),
        };
        match filled {
            Ok(Fill::End) => {
                self.state = State::Ended;
                if !self.is_plain() {
                    self.whole_until = self.raw.offset();
                }
                Ok(if self.buffer.len() > before { Fill::More } else { Fill::End })
            }
            Ok(Fill::More) => Ok(Fill::More),
            Err(fault) => {
                self.state = State::Lost;
                // a member that ends where the next begins was decoded to its end
                let is_corrupt = matches!(&fault, Fault::Corrupt(_));
                let ends_well = is_corrupt && self.raw.peek(GZIP.len())?.starts_with(GZIP);
                self.back_to = (!ends_well).then(|| self.begin.saturating_add(1));
                Err(fault)
            }
        }
    }
}

fn fill_plain<R: Read>(raw: &mut Raw<R>, buffer: &mut Buffer) -> Result<Fill, Fault> {
    let bytes = raw.peek(1)?;
    buffer.append(bytes);
    let count = bytes.len();
    raw.consume(count);
    Ok(if count == 0 { Fill::End } else { Fill::More })
}

fn fill_gzip<R: Read>(
    raw: &mut Raw<R>,
    (inflate, crc): &mut (Decompress, Crc),
    buffer: &mut Buffer,
) -> Result<Fill, Fault> {
    loop {
        let input = raw.peek(1)?;
        let at_end = input.is_empty();
        let (consumed, produced) = (inflate.total_in(), inflate.total_out());
        let space = buffer.space(STEP);
        let status = inflate.decompress(input, space, FlushDecompress::None);
        let count = usize::try_from(inflate.total_out() - produced).unwrap_or(0);
        crc.update(space.get(..count).unwrap_or_default());
        buffer.advance(count);
        raw.consume(usize::try_from(inflate.total_in() - consumed).unwrap_or(0));
        match status {
            Ok(Status::StreamEnd) => {
                let (sum, amount) = (crc.sum(), crc.amount());
                return gzip_trailer(raw, sum, amount);
            }
            Ok(_) if count > 0 => return Ok(Fill::More),
            Ok(_) if at_end => return Err(Fault::Torn),
            Ok(_) => {}
            Err(error) => return Err(Fault::Corrupt(error.to_string())),
        }
    }
}

fn gzip_trailer<R: Read>(raw: &mut Raw<R>, sum: u32, amount: u32) -> Result<Fill, Fault> {
    let Some((trailer, _)) = raw.peek(8)?.split_first_chunk::<8>() else { return Err(Fault::Torn) };
    let [a, b, c, d, e, f, g, h] = *trailer;
    raw.consume(8);
    if u32::from_le_bytes([a, b, c, d]) != sum || u32::from_le_bytes([e, f, g, h]) != amount {
        return Err(Fault::Corrupt("the checksum does not fit".to_owned()));
    }
    Ok(Fill::End)
}

fn fill_zstd<R: Read>(
    raw: &mut Raw<R>,
    decoder: &mut FrameDecoder,
    buffer: &mut Buffer,
) -> Result<Fill, Fault> {
    loop {
        let finished = decoder.is_finished();
        if !finished {
            let strategy = BlockDecodingStrategy::UptoBytes(STEP);
            if let Err(error) = decoder.decode_blocks(&mut *raw, strategy) {
                let torn = raw.peek(1)?.is_empty();
                return Err(if torn { Fault::Torn } else { Fault::Corrupt(error.to_string()) });
            }
        }
        let count = decoder.read(buffer.space(STEP))?;
        buffer.advance(count);
        if count > 0 {
            return Ok(Fill::More);
        }
        if finished {
            return Ok(Fill::End);
        }
    }
}

enum Header {
    Length(usize),
    Incomplete,
    Bad,
}

/// The length of the gzip header at the start of `bytes`.
fn gzip_header(bytes: &[u8]) -> Header {
    let Some(&flags) = bytes.get(3) else { return Header::Incomplete };
    if flags & 0xe0 != 0 {
        return Header::Bad;
    }
    let mut length = 10_usize;
    if flags & 4 != 0 {
        let (Some(&low), Some(&high)) = (bytes.get(length), bytes.get(length + 1)) else {
            return Header::Incomplete;
        };
        length += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            match bytes.get(length..).and_then(|rest| memchr::memchr(0, rest)) {
                Some(zero) => length += zero + 1,
                None => return Header::Incomplete,
            }
        }
    }
    if flags & 2 != 0 {
        length += 2;
    }
    if length <= bytes.len() { Header::Length(length) } else { Header::Incomplete }
}

/// The low byte of the magic number, and the length, of a skippable frame.
fn skippable(bytes: &[u8]) -> Option<(u8, u32)> {
    match *bytes.first_chunk::<8>()? {
        [kind @ 0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d] => Some((kind, u32::from_le_bytes([a, b, c, d]))),
        _ => None,
    }
}

fn skip_frame<R: Read>(raw: &mut Raw<R>) -> Result<(), Fault> {
    let Some((_, length)) = skippable(raw.peek(8)?) else { return Ok(()) };
    let length = 8 + u64::from(length);
    let skipped = io::copy(&mut raw.take(length), &mut io::sink())?;
    if skipped == length { Ok(()) } else { Err(Fault::Torn) }
}

/// Loads the dictionary in the skippable frame at the start of a `.warc.zst` file: plain, or itself compressed.
/// `false` if there is none.
fn read_dictionary<R: Read>(raw: &mut Raw<R>, decoder: &mut FrameDecoder) -> Result<bool, Fault> {
    const DICTIONARY: u8 = 0x5d;
    let Some((DICTIONARY, length)) = skippable(raw.peek(8)?) else { return Ok(false) };
    if u64::from(length) > MAX_DICTIONARY {
        return Err(Fault::Corrupt(format!("a dictionary of {length} bytes is over the limit")));
    }
    raw.consume(8);
    let mut bytes = Vec::new();
    raw.take(length.into()).read_to_end(&mut bytes)?;
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let corrupt = |error: &dyn std::fmt::Display| Fault::Corrupt(format!("dictionary: {error}"));
        let inner = ruzstd::decoding::StreamingDecoder::new(&bytes[..]).map_err(|error| corrupt(&error))?;
        let mut plain = Vec::new();
        inner.take(MAX_DICTIONARY).read_to_end(&mut plain).map_err(|error| corrupt(&error))?;
        bytes = plain;
    }
    let dictionary =
        Dictionary::decode_dict(&bytes).map_err(|error| Fault::Corrupt(format!("dictionary: {error}")))?;
    decoder.add_dict(dictionary).map_err(|error| Fault::Corrupt(format!("dictionary: {error}")))?;
    Ok(true)
}
