//! Reads WARC and ARC files of any tool, record by record, from any [`Read`].
//!
//! Files in Web archives are truncated, have wrong lengths, and are compressed in three ways. The reader never fails
//! because of a file's content: it notes a [`Problem`] with its offset and continues at the next record, which it
//! finds at the next member of a compressed file or at the next `WARC/` line of an uncompressed one. `Err` means a
//! disk error. Memory is bounded: of a block, bytes up to a limit are kept and the rest is skipped; headers are
//! limited too.
//!
//! A record read from damaged bytes is marked ([`Record::damage`]): its length or the checksum of its member is
//! wrong, or, for readers that [verify digests](RecordReader::verify_digests), one of its digests.
//!
//! Not supported: segmented records are not joined (no known tool writes them), and a record inside another one whose
//! length is wrong is only found within the kept part of the block.

mod buffer;
mod header;
mod members;
mod raw;

use std::io::{self, Read, Seek};

use bytes::Bytes;
use memchr::memmem;
use osprey_model::Headers;

use crate::digest::DigestCheck;
use crate::error::{Problem, ProblemKind, Problems};
pub use header::RecordKind;
pub(crate) use header::{parse_fields, text};
use members::{Fault, Fill, Members};

/// The longest header block that is read.
const MAX_HEADER: usize = 64 * 1024;

/// Limits for reading records.
#[derive(Clone, Copy, Debug)]
pub struct ReaderOptions {
    /// Number of bytes kept of a record's block; the rest is skipped.
    pub max_block: usize,
    /// Where the source begins in its file; added to offsets.
    pub start: u64,
}

impl Default for ReaderOptions {
    fn default() -> Self {
        Self { max_block: 64 << 20, start: 0 }
    }
}

/// One record.
#[derive(Clone, Debug)]
pub struct Record {
    /// Where it, or the compressed member that holds it, begins.
    pub offset: u64,
    /// Its stored length, including padding; if it shares a member with others, the length up to its end.
    pub length: u64,
    /// Whether it can be read by seeking to [`Record::offset`].
    pub seekable: bool,
    /// Its type.
    pub kind: RecordKind,
    /// Its fields; an ARC line is converted to such fields.
    pub headers: Headers,
    /// The block, up to the limit.
    pub block: Bytes,
    /// The actual length of the block.
    pub block_length: u64,
    /// Whether the file ended or was damaged inside the block.
    pub incomplete: bool,
    /// Why its bytes differ from those that were written, if they do.
    pub damage: Option<ProblemKind>,
}

impl Record {
    /// The target URI as written, without angle brackets.
    pub fn target(&self) -> Option<&str> {
        let target = self.headers.get("warc-target-uri")?.trim();
        Some(target.strip_prefix('<').and_then(|t| t.strip_suffix('>')).unwrap_or(target))
    }

    /// The record's id as written.
    pub fn id(&self) -> Option<&str> {
        self.headers.get("warc-record-id")
    }

    /// Whether the kept part is shorter than the block.
    pub fn is_cut(&self) -> bool {
        self.block_length > self.block.len() as u64
    }
}

/// Reads records in file order.
pub struct RecordReader<R> {
    members: Members<R>,
    options: ReaderOptions,
    problems: Problems,
    /// The version of an ARC file, once its first line was read.
    arc: Option<u8>,
    begun: bool,
    /// If set, only blocks of this type of record are kept.
    only: Option<RecordKind>,
    verify: bool,
    /// The defect in the bytes of the current record.
    fault: Option<ProblemKind>,
    /// Checks the digests of the current record.
    digests: DigestCheck,
}

/// What is at the reader's position.
enum Next {
    Warc,
    Arc,
    /// Bytes that are not the beginning of a record.
    Garbage,
    /// The end of the member or file.
    End,
}

impl<R: Read> RecordReader<R> {
    /// A reader with default limits.
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReaderOptions::default())
    }

    /// A reader with other limits, or one that begins in the middle of a file.
    pub fn with_options(source: R, options: ReaderOptions) -> Self {
        Self {
            members: Members::new(source, options.start),
            options,
            problems: Problems::default(),
            arc: None,
            begun: false,
            only: None,
            verify: false,
            fault: None,
            digests: DigestCheck::default(),
        }
    }

    /// For our own archives, whose digests are SHA-256 and whose payloads have no codings: compares both digests of a
    /// record, if it has them, with its bytes, and treats a record that does not end with its member as damaged.
    #[must_use]
    pub(crate) fn verify_digests(mut self) -> Self {
        self.verify = true;
        self
    }

    /// After a member that cannot be decoded, searches for the next one directly after the beginning of the damaged
    /// one, because decoding may have run past the beginning of the next.
    #[must_use]
    pub(crate) fn goes_back(mut self) -> Self
    where
        R: Seek,
    {
        self.members.go_back_with(|source, offset| source.seek(io::SeekFrom::Start(offset)).map(drop));
        self
    }

    /// Keeps the blocks of one kind of record only.
    #[must_use]
    pub(crate) fn keep_only(mut self, kind: RecordKind) -> Self {
        self.only = Some(kind);
        self
    }

    /// For reading from the middle of a `.warc.zst` file: takes the file's start, which contains the dictionary.
    #[must_use]
    pub(crate) fn with_dictionary(mut self, file_start: impl Read) -> Self {
        self.members.load_dictionary(file_start);
        self
    }

    /// For our own files, whose first bytes may be damaged.
    #[must_use]
    pub(crate) fn assume_gzip(mut self) -> Self {
        self.members.assume_gzip();
        self
    }

    /// For reading one record from the middle of an ARC file.
    #[must_use]
    pub(crate) fn with_arc_version(mut self, version: Option<u8>) -> Self {
        self.arc = version;
        self
    }

    /// The version, if this turned out to be an ARC file.
    pub(crate) fn arc_version(&self) -> Option<u8> {
        self.arc
    }

    /// The problems so far (at most the first few hundred).
    pub fn problems(&self) -> &[Problem] {
        self.problems.kept()
    }

    /// The number of problems so far.
    pub fn problem_count(&self) -> u64 {
        self.problems.count()
    }

    /// The end of the last member that decoded completely and has the right checksum.
    pub(crate) fn whole_until(&self) -> u64 {
        self.members.whole_until()
    }

    /// The next record; `None` at the end of what can be read.
    pub fn next_record(&mut self) -> io::Result<Option<Record>> {
        loop {
            if !self.begun {
                match self.members.next_member() {
                    Ok(true) => self.begun = true,
                    Ok(false) => {
                        self.note_skipped();
                        return Ok(None);
                    }
                    Err(fault) => {
                        self.note_fault(fault)?;
                        continue;
                    }
                }
                self.note_skipped();
            }
            match self.look()? {
                Next::End => self.begun = false,
                Next::Garbage => self.pass_garbage(self.members.offset(), 0)?,
                Next::Warc => {
                    if let Some(record) = self.read_warc()? {
                        return Ok(Some(record));
                    }
                }
                Next::Arc => {
                    if let Some(record) = self.read_arc()? {
                        return Ok(Some(record));
                    }
                }
            }
        }
    }

    /// Skips the blank lines between records and returns what follows.
    fn look(&mut self) -> io::Result<Next> {
        self.fault = None;
        self.skip_blank()?;
        let arc = self.arc.is_some();
        let head = self.peek(10)?;
        if head.is_empty() {
            return Ok(Next::End);
        }
        if head.starts_with(b"WARC/") {
            return Ok(Next::Warc);
        }
        Ok(if arc || head.starts_with(b"filedesc:") { Next::Arc } else { Next::Garbage })
    }

    /// Skips carriage returns and line feeds.
    fn skip_blank(&mut self) -> io::Result<()> {
        loop {
            let blank = self.members.buffered().iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            self.members.consume(blank);
            if !self.members.buffered().is_empty() || !self.fill()? {
                return Ok(());
            }
        }
    }

    /// Up to `count` bytes of this member.
    fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.members.buffered().len() < count && self.fill()? {}
        Ok(self.members.buffered())
    }

    /// Reads more of this member; `false` at its end, whatever the cause. Damage is noted.
    fn fill(&mut self) -> io::Result<bool> {
        match self.members.fill() {
            Ok(Fill::More) => Ok(true),
            Ok(Fill::End) => Ok(false),
            Err(fault) => {
                self.note_fault(fault)?;
                Ok(false)
            }
        }
    }

    fn note_fault(&mut self, fault: Fault) -> io::Result<()> {
        let kind = match fault {
            Fault::Io(error) => return Err(error),
            Fault::Torn => ProblemKind::Torn,
            Fault::Corrupt(reason) => ProblemKind::Corrupt(reason),
        };
        self.fault.get_or_insert_with(|| kind.clone());
        self.problems.note(self.members.offset(), kind);
        Ok(())
    }

    fn note_skipped(&mut self) {
        let (from, count) = self.members.take_skipped();
        if count > 0 {
            self.problems.note(from, ProblemKind::Skipped(count));
        }
    }

    /// Skips bytes up to the next line that begins with `WARC/`, or to the member's end. `passed` bytes from `offset`
    /// on were already skipped.
    fn pass_garbage(&mut self, offset: u64, mut passed: u64) -> io::Result<()> {
        loop {
            let found = find_record_start(self.members.buffered());
            let keep = if found.is_some() { 0 } else { "\nWARC/".len() };
            let pass = found.unwrap_or_else(|| self.members.buffered().len().saturating_sub(keep));
            self.members.consume(pass);
            passed += pass as u64;
            if found.is_some() {
                break;
            }
            if !self.fill()? {
                let rest = self.members.buffered().len();
                self.members.consume(rest);
                passed += rest as u64;
                break;
            }
        }
        self.problems.note(offset, ProblemKind::Skipped(passed));
        Ok(())
    }

    /// The length of the header block that begins here; `None` if it is damaged, and then it is skipped. Bytes that
    /// were searched are not searched again, so that headers without an end cost no more than others.
    fn find_header(&mut self) -> io::Result<Option<usize>> {
        let offset = self.members.offset();
        let mut searched = 0;
        let passed = loop {
            let buffered = self.members.buffered();
            let end = header_end(buffered, searched);
            match end {
                Some(HeaderEnd::EmptyLine(length)) if length <= MAX_HEADER => return Ok(Some(length)),
                Some(HeaderEnd::Record(at)) => {
                    self.members.consume(at);
                    self.problems.note(offset, ProblemKind::Skipped(at as u64));
                    return Ok(None);
                }
                _ => searched = buffered.len().saturating_sub("\nWARC/".len()),
            }
            if buffered.len() > MAX_HEADER {
                self.problems.note(offset, ProblemKind::LongHeader);
                // The last line end stays: the next record may begin after it.
                break if let Some(HeaderEnd::EmptyLine(length)) = end { length - 1 } else { searched };
            }
            if !self.fill()? && !self.join()? {
                self.problems.note(offset, ProblemKind::Torn);
                break "WARC/".len();
            }
        };
        self.members.consume(passed);
        self.pass_garbage(offset, passed as u64)?;
        Ok(None)
    }

    fn read_warc(&mut self) -> io::Result<Option<Record>> {
        let offset = self.members.offset();
        let seekable = self.members.at_begin() || self.members.is_plain();
        let Some(length) = self.find_header()? else { return Ok(None) };
        let block = self.members.buffered().get(..length).unwrap_or_default();
        let version = memchr::memchr(b'\n', block).map_or(block.len(), |at| at + 1);
        let fields = parse_fields(block.get(version..).unwrap_or_default());
        self.members.consume(length);
        if fields.bad_lines > 0 {
            self.problems.note(offset, ProblemKind::HeaderLine);
        }
        let kind = header::kind_of(&fields.headers);
        self.finish(Record::begin(offset, seekable, kind, fields.headers)).map(Some)
    }

    fn read_arc(&mut self) -> io::Result<Option<Record>> {
        let offset = self.members.offset();
        let seekable = self.members.at_begin() || self.members.is_plain();
        let mut line_end = None;
        while line_end.is_none() && self.members.buffered().len() <= MAX_HEADER {
            line_end = memchr::memchr(b'\n', self.members.buffered());
            if line_end.is_none() && !self.fill()? {
                break;
            }
        }
        let buffered = self.members.buffered();
        let length = line_end.map_or(buffered.len(), |at| at + 1);
        let line = buffered.get(..length).unwrap_or_default();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let version = self.arc.unwrap_or(1);
        let parsed = header::parse_arc_line(line, version).or_else(|| header::parse_arc_line(line, 1));
        self.members.consume(length);
        let Some((kind, headers)) = parsed else {
            self.problems.note(offset, ProblemKind::Skipped(length as u64));
            return Ok(None);
        };
        let record = self.finish(Record::begin(offset, seekable, kind, headers))?;
        if kind == RecordKind::Warcinfo {
            self.arc = Some(if record.block.starts_with(b"2") { 2 } else { 1 });
        }
        Ok(Some(record))
    }

    /// Reads the block and the padding after it.
    fn finish(&mut self, mut record: Record) -> io::Result<Record> {
        let declared =
            record.headers.get("content-length").and_then(|value| value.trim().parse::<u64>().ok());
        if declared.is_none() {
            self.problems.note(record.offset, ProblemKind::NoLength);
        }
        let plain = self.members.is_plain();
        // Without a length, a compressed member's end counts; an uncompressed file has none.
        let wanted = declared.unwrap_or(if plain || self.arc.is_some() { 0 } else { u64::MAX });
        let mut block = Vec::new();
        let is_kept = self.only.is_none_or(|only| only == record.kind);
        let max = if is_kept { self.options.max_block } else { 0 };
        self.digests =
            if self.verify { DigestCheck::of(record.kind, &record.headers) } else { DigestCheck::default() };
        let found = self.read_block(wanted, max, &mut block)?;
        record.block_length = found;
        if let Some(declared) = declared.filter(|declared| found < *declared) {
            record.incomplete = true;
            self.problems.note(record.offset, ProblemKind::Length { declared, found });
        }
        if declared.is_none() && found > 0 {
            record.block_length -= trim_padding(&mut block) as u64;
        }
        self.check_padding(&mut record, &mut block)?;
        record.block = block.into();
        record.length = self.members.end().saturating_sub(record.offset);
        record.damage = self.damage(&record);
        Ok(record)
    }

    /// Why the bytes of the current record differ from those that were written, if they do.
    fn damage(&mut self, record: &Record) -> Option<ProblemKind> {
        let (length, digests) = (record.block_length, std::mem::take(&mut self.digests));
        let is_longer = self.verify && !self.members.is_plain() && !self.members.has_ended();
        let is_wrong = record.incomplete || is_longer;
        let length = || is_wrong.then_some(ProblemKind::Length { declared: length, found: length });
        self.fault.take().or_else(length).or_else(|| digests.finish().map(ProblemKind::Digest))
    }

    /// Reads `wanted` bytes and keeps up to `max` of them. A block may continue in the next member, unless a record
    /// begins there. Returns the number of bytes read.
    fn read_block(&mut self, wanted: u64, max: usize, block: &mut Vec<u8>) -> io::Result<u64> {
        let mut found = self.take_buffered(wanted, max, block);
        while found < wanted {
            match self.members.fill() {
                Ok(Fill::More) => {}
                Ok(Fill::End) if wanted < u64::MAX && self.continues()? => {}
                Ok(Fill::End) => break,
                Err(fault) => {
                    // Bytes decoded before the damage still count.
                    self.note_fault(fault)?;
                    return Ok(found + self.take_buffered(wanted - found, max, block));
                }
            }
            found += self.take_buffered(wanted - found, max, block);
        }
        Ok(found)
    }

    fn take_buffered(&mut self, wanted: u64, max: usize, block: &mut Vec<u8>) -> u64 {
        let buffered = self.members.buffered();
        let count = usize::try_from(wanted).unwrap_or(usize::MAX).min(buffered.len());
        let keep = count.min(max.saturating_sub(block.len()));
        self.digests.update(buffered.get(..count).unwrap_or_default());
        block.extend_from_slice(buffered.get(..keep).unwrap_or_default());
        self.members.consume(count);
        count as u64
    }

    /// Continues a header in the next member; `false` if there is none or a record begins there.
    fn join(&mut self) -> io::Result<bool> {
        let before = self.members.buffered().len();
        if self.members.is_plain() || !self.members.has_ended() {
            return Ok(false);
        }
        match self.members.join_member() {
            Ok(true) => {
                self.note_skipped();
                let more = self.fill()?;
                let fresh = self.members.buffered().get(before..).unwrap_or_default();
                Ok(more && !fresh.starts_with(b"WARC/"))
            }
            Ok(false) => Ok(false),
            Err(fault) => {
                self.note_fault(fault)?;
                Ok(false)
            }
        }
    }

    /// Continues a block in the next member; `false` if there is none or a record begins there.
    fn continues(&mut self) -> io::Result<bool> {
        if self.members.is_plain() {
            return Ok(false);
        }
        match self.members.next_member() {
            Ok(true) => {
                self.note_skipped();
                let head = self.peek(5)?;
                Ok(!head.is_empty() && !head.starts_with(b"WARC/"))
            }
            Ok(false) => {
                self.note_skipped();
                Ok(false)
            }
            Err(fault) => {
                self.note_fault(fault)?;
                Ok(false)
            }
        }
    }

    /// Padding and a new record must follow a block; otherwise its length is wrong.
    fn check_padding(&mut self, record: &mut Record, block: &mut Vec<u8>) -> io::Result<()> {
        if record.incomplete {
            self.put_back(record, block, 0);
            return Ok(());
        }
        let before = self.members.offset();
        self.skip_blank()?;
        let padding = usize::try_from(self.members.offset() - before).unwrap_or(0);
        let arc = self.arc.is_some() || record.is_filedesc();
        let rest = self.peek(5)?;
        if rest.is_empty() || rest.starts_with(b"WARC/") || arc {
            return Ok(());
        }
        let declared = record.block_length;
        let found = self.put_back(record, block, padding).unwrap_or(declared);
        self.problems.note(record.offset, ProblemKind::Length { declared, found });
        Ok(())
    }

    /// In an uncompressed file, puts back a record that was read as part of the block because of a wrong length, and
    /// the padding that followed. Returns its distance from the block's beginning.
    fn put_back(&mut self, record: &mut Record, block: &mut Vec<u8>, padding: usize) -> Option<u64> {
        if !self.members.is_plain() || (block.len() as u64) < record.block_length {
            return None;
        }
        let start = find_swallowed(block)?;
        let mut back = block.split_off(start);
        back.resize(back.len() + padding, b'\n');
        self.members.unread(&back);
        trim_padding(block);
        record.block_length = block.len() as u64;
        record.incomplete = false;
        Some(start as u64)
    }
}

impl Record {
    fn begin(offset: u64, seekable: bool, kind: RecordKind, headers: Headers) -> Self {
        Self {
            offset,
            length: 0,
            seekable,
            kind,
            headers,
            block: Bytes::new(),
            block_length: 0,
            incomplete: false,
            damage: None,
        }
    }

    fn is_filedesc(&self) -> bool {
        self.headers.get("warc-target-uri").is_some_and(|target| target.starts_with("filedesc:"))
    }
}

/// The result of a copy.
pub(crate) struct Copied {
    /// Number of bytes copied.
    pub(crate) bytes: u64,
    /// Whether some members could not be decoded.
    pub(crate) damaged: bool,
    /// Whether the limit was reached.
    pub(crate) cut: bool,
}

/// Copies the decoded bytes of all readable members to `out`, up to `max`.
pub(crate) fn copy_decoded(source: impl Read, out: &mut impl io::Write, max: u64) -> io::Result<Copied> {
    let mut members = Members::new(source, 0);
    let mut copied = Copied { bytes: 0, damaged: false, cut: false };
    loop {
        match members.next_member() {
            Ok(true) => {}
            Ok(false) => return Ok(copied),
            Err(Fault::Io(error)) => return Err(error),
            Err(_) => {
                copied.damaged = true;
                continue;
            }
        }
        loop {
            let filled = members.fill();
            let count = members.buffered().len();
            if copied.bytes + count as u64 > max {
                copied.cut = true;
                return Ok(copied);
            }
            out.write_all(members.buffered())?;
            members.consume(count);
            copied.bytes += count as u64;
            match filled {
                Ok(Fill::More) => {}
                Ok(Fill::End) => break,
                Err(Fault::Io(error)) => return Err(error),
                Err(_) => {
                    copied.damaged = true;
                    break;
                }
            }
        }
    }
}

/// How a header block ends.
enum HeaderEnd {
    /// Correctly; this is the offset after the empty line.
    EmptyLine(usize),
    /// Another record begins at this offset without an empty line before it.
    Record(usize),
}

/// The end of the header block, decided by the first line end at or after `from`.
fn header_end(bytes: &[u8], from: usize) -> Option<HeaderEnd> {
    let from = from.min(bytes.len());
    memchr::memchr_iter(b'\n', bytes.get(from..)?).find_map(|at| match bytes.get(from + at + 1..)? {
        [b'\n', ..] => Some(HeaderEnd::EmptyLine(from + at + 2)),
        [b'\r', b'\n', ..] => Some(HeaderEnd::EmptyLine(from + at + 3)),
        [b'W', b'A', b'R', b'C', b'/', b'0'..=b'9', ..] => Some(HeaderEnd::Record(from + at + 1)),
        _ => None,
    })
}

/// Where a line begins with `WARC/` and a digit, after the first byte.
fn find_record_start(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"\nWARC/")
        .find(|at| bytes.get(at + 6).is_some_and(u8::is_ascii_digit))
        .map(|at| at + 1)
}

/// Removes up to two line ends from the end of the block; returns their bytes.
fn trim_padding(block: &mut Vec<u8>) -> usize {
    let padding = block.iter().rev().take(4).take_while(|b| matches!(b, b'\r' | b'\n')).count();
    block.truncate(block.len() - padding);
    padding
}

/// Where a record begins inside a block.
fn find_swallowed(block: &[u8]) -> Option<usize> {
    find_record_start(block).filter(|at| {
        let rest = block.get(*at..).unwrap_or_default();
        memmem::find(rest.get(..200.min(rest.len())).unwrap_or_default(), b"WARC-").is_some()
    })
}

#[cfg(test)]
mod tests;
