//! The records of one entry as bytes: request, response or revisit, metadata; each is one gzip member.
//!
//! Record ids are not random: each is a hash of file, offset, URL, date and digest, in the form of a version 8 UUID.
//! A replayed crawl writes the same bytes again, and no two records of an archive have the same id.

use std::fmt;

use osprey_model::{BodyEnd, CanonicalUrl, Response, Timestamp};

use super::http_head::{push, write_head, write_line};
use super::{Entry, Note, WriterOptions};
use crate::digest::Digest;
use crate::gzip::{Gzip, stored_member};

/// The profile of a revisit with the same payload as its original.
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// The profile of a revisit that the server answered with 304.
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// Our own header of a revisit: file number, offset and length of the original, so that reading one needs no index.
/// Other readers use `WARC-Refers-To-Target-URI` and `-Date` and ignore this one.
pub(crate) const REFERS_TO: &str = "X-Osprey-Refers-To-Position";

/// Our own header of a response: the duration of the exchange in milliseconds.
pub(crate) const TOOK: &str = "X-Osprey-Took-Ms";

/// The content type of metadata records.
pub(crate) const JSON: &str = "application/json";

/// A record's id, `<urn:uuid:...>`.
#[derive(Clone, Copy)]
struct RecordId([u8; 16]);

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<urn:uuid:")?;
        for (at, byte) in self.0.iter().enumerate() {
            let dash = if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02x}")?;
        }
        f.write_str(">")
    }
}

/// The ids of an entry's records: one hash; the last byte differs.
struct Ids([u8; 16]);

impl Ids {
    fn derive(parts: &[&[u8]]) -> Self {
        let digest = Digest::of_parts(parts);
        let mut id = [0; 16];
        id.copy_from_slice(&digest.as_bytes()[..16]);
        id[6] = id[6] & 0x0f | 0x80;
        id[8] = id[8] & 0x3f | 0x80;
        Self(id)
    }

    fn get(&self, number: u8) -> RecordId {
        let mut id = self.0;
        id[15] ^= number;
        RecordId(id)
    }

    fn request(&self) -> RecordId {
        self.get(1)
    }

    fn response(&self) -> RecordId {
        self.get(2)
    }

    fn metadata(&self) -> RecordId {
        self.get(3)
    }
}

/// Assembles records; its buffers are reused.
#[derive(Debug)]
pub(super) struct Assembler {
    gzip: Gzip,
    header: Vec<u8>,
    block: Vec<u8>,
    /// The finished members.
    pub(super) out: Vec<u8>,
}

/// The position of a record inside [`Assembler::out`].
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// The positions of an entry's records.
pub(super) struct Spans {
    /// The response or revisit.
    pub(super) response: Span,
    /// The metadata, if there is any.
    pub(super) metadata: Option<Span>,
}

type Assembled<T> = Result<T, flate2::CompressError>;

impl Assembler {
    pub(super) fn new(level: u32) -> Self {
        Self { gzip: Gzip::new(level), header: Vec::new(), block: Vec::new(), out: Vec::new() }
    }

    /// Appends the `warcinfo` record of a new file.
    pub(super) fn warcinfo(&mut self, options: &WriterOptions, file: &str, date: Timestamp) -> Assembled<()> {
        self.block.clear();
        write_line("software", &options.software, &mut self.block);
        write_line("format", "WARC File Format 1.1", &mut self.block);
        let conforms = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";
        write_line("conformsTo", conforms, &mut self.block);
        for (name, value) in &options.info {
            write_line(name, value, &mut self.block);
        }
        let date = date.to_string();
        let id = Ids::derive(&[b"warcinfo", file.as_bytes(), date.as_bytes(), &self.block]).get(0);
        let digest = Digest::of(&self.block);
        let length = self.block.len();
        begin(&mut self.header, "warcinfo", id, &date);
        push(&mut self.header, format_args!("WARC-Filename: {file}\r\nWARC-Block-Digest: {digest}\r\n"));
        push(&mut self.header, format_args!("Content-Type: application/warc-fields\r\n"));
        push(&mut self.header, format_args!("Content-Length: {length}\r\n\r\n"));
        self.gzip.member(&[&self.header, &self.block, b"\r\n\r\n"], &mut self.out)?;
        Ok(())
    }

    /// Appends the records of `entry`, which will be at `offset` in file `file`.
    pub(super) fn entry(&mut self, entry: &Entry<'_>, file: &str, offset: u64) -> Assembled<Spans> {
        let response = entry.response;
        let date = response.fetched_at.to_string();
        let url = response.url.as_str();
        let place = offset.to_le_bytes();
        let ids =
            Ids::derive(&[file.as_bytes(), &place, url.as_bytes(), date.as_bytes(), entry.digest.as_bytes()]);
        if !response.request_head.is_empty() {
            self.request(response, &ids, &date)?;
        }
        let start = self.out.len() as u64;
        let length = self.response(entry, &ids, &date)?;
        let response = Span { offset: start, length };
        let metadata = match entry.metadata {
            [] => None,
            block => Some(self.metadata(&entry.response.url, block, &ids, Some(ids.response()), &date)),
        };
        Ok(Spans { response, metadata })
    }

    /// Appends a metadata record without a response, which will be at `offset` in file `file`.
    pub(super) fn note(&mut self, note: &Note<'_>, file: &str, offset: u64) -> Span {
        let (date, place) = (note.date.to_string(), offset.to_le_bytes());
        let parts = [b"note", file.as_bytes(), &place, note.url.as_str().as_bytes(), date.as_bytes()];
        self.metadata(note.url, note.metadata, &Ids::derive(&parts), None, &date)
    }

    fn request(&mut self, response: &Response, ids: &Ids, date: &str) -> Assembled<()> {
        let head = &response.request_head;
        let end: &[u8] = if head.ends_with(b"\r\n\r\n") {
            b""
        } else if head.ends_with(b"\r\n") {
            b"\r\n"
        } else {
            b"\r\n\r\n"
        };
        let digest = Digest::of_parts(&[head, end]);
        let length = head.len() + end.len();
        begin(&mut self.header, "request", ids.request(), date);
        target(&mut self.header, response);
        push(&mut self.header, format_args!("WARC-Concurrent-To: {}\r\n", ids.response()));
        push(&mut self.header, format_args!("WARC-Block-Digest: {digest}\r\n"));
        push(&mut self.header, format_args!("Content-Type: application/http; msgtype=request\r\n"));
        push(&mut self.header, format_args!("Content-Length: {length}\r\n\r\n"));
        self.gzip.member(&[&self.header, head, end, b"\r\n\r\n"], &mut self.out)?;
        Ok(())
    }

    /// Appends the response record, or a revisit record without the body. Returns the member's length.
    fn response(&mut self, entry: &Entry<'_>, ids: &Ids, date: &str) -> Assembled<u64> {
        let response = entry.response;
        self.block.clear();
        write_head(response, &mut self.block);
        let kind = if entry.duplicate_of.is_some() { "revisit" } else { "response" };
        let body: &[u8] = if entry.duplicate_of.is_some() { b"" } else { &response.body };
        let header = &mut self.header;
        begin(header, kind, ids.response(), date);
        target(header, response);
        if !response.request_head.is_empty() {
            push(header, format_args!("WARC-Concurrent-To: {}\r\n", ids.request()));
        }
        if let Some(original) = entry.duplicate_of {
            let at = original.record;
            let profile = if response.status == 304 { NOT_MODIFIED } else { SAME_PAYLOAD };
            push(header, format_args!("WARC-Profile: {profile}\r\n"));
            push(header, format_args!("WARC-Refers-To-Target-URI: {}\r\n", original.url));
            push(header, format_args!("WARC-Refers-To-Date: {}\r\n", original.date));
            push(header, format_args!("{REFERS_TO}: {} {} {}\r\n", at.file, at.offset, at.length));
        }
        // a 304 has no payload of its own; the original's record has the digest
        if response.status != 304 {
            push(header, format_args!("WARC-Payload-Digest: {}\r\n", entry.digest));
        }
        // no digest of the block: it would cost as much again as that of the payload, and gzip protects the rest
        if response.truncated {
            let reason = match response.body_end {
                BodyEnd::Late => "time",
                BodyEnd::Early | BodyEnd::Damaged => "disconnect",
                BodyEnd::Unwanted => "unspecified",
                BodyEnd::Whole | BodyEnd::Limit => "length",
            };
            push(header, format_args!("WARC-Truncated: {reason}\r\n"));
        }
        if !response.took.is_zero() {
            push(header, format_args!("{TOOK}: {}\r\n", response.took.as_millis()));
        }
        push(header, format_args!("Content-Type: application/http; msgtype=response\r\n"));
        push(header, format_args!("Content-Length: {}\r\n\r\n", self.block.len() + body.len()));
        self.gzip.member(&[&self.header, &self.block, body, b"\r\n\r\n"], &mut self.out)
    }

    /// Appends a metadata record of `url`. It has no digest and is not compressed: see [`stored_member`].
    fn metadata(
        &mut self,
        url: &CanonicalUrl,
        block: &[u8],
        ids: &Ids,
        response: Option<RecordId>,
        date: &str,
    ) -> Span {
        let header = &mut self.header;
        begin(header, "metadata", ids.metadata(), date);
        push(header, format_args!("WARC-Target-URI: {url}\r\n"));
        if let Some(response) = response {
            push(header, format_args!("WARC-Concurrent-To: {response}\r\n"));
        }
        push(header, format_args!("Content-Type: {JSON}\r\n"));
        push(header, format_args!("Content-Length: {}\r\n\r\n", block.len()));
        let offset = self.out.len() as u64;
        let length = stored_member(&[&self.header, block, b"\r\n\r\n"], &mut self.out);
        Span { offset, length }
    }
}

fn begin(header: &mut Vec<u8>, kind: &str, id: RecordId, date: &str) {
    header.clear();
    push(
        header,
        format_args!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {id}\r\nWARC-Date: {date}\r\n"),
    );
}

fn target(header: &mut Vec<u8>, response: &Response) {
    push(header, format_args!("WARC-Target-URI: {}\r\n", response.url));
    if let Some(ip) = response.ip {
        push(header, format_args!("WARC-IP-Address: {ip}\r\n"));
    }
}
