//! WACZ 1.1.1: WARC files, index, page list and checksums in one ZIP file that a browser can read at random.
//!
//! WARC files and the compressed index are stored without compression, so that records can be found by offset. The
//! index consists of gzip members of 1,024 lines with a second-level index, as py-wacz writes it. The file gets its
//! name only when it is complete. Of a WARC file that is still being written, the complete records are exported;
//! damaged records are left out everywhere, and reported.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;

use osprey_model::{CanonicalUrl, Timestamp};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::cdxj;
use super::sort::LineSorter;
use crate::damage::Damage;
use crate::digest::Digest;
use crate::error::ArchiveError;
use crate::gzip::Gzip;
use crate::region::{Region, RegionReader};

/// The version of the WACZ format.
const VERSION: &str = "1.1.1";

/// Lines per block of the index.
const BLOCK_LINES: usize = 1024;

/// Metadata of the collection.
#[derive(Clone, Debug)]
pub struct WaczInfo {
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: Option<String>,
    /// The software that wrote the file.
    pub software: String,
    /// The time of writing; an argument, so that the same archive gives the same file.
    pub created: Timestamp,
    /// The page that viewers open first.
    pub main_page: Option<CanonicalUrl>,
}

/// A line of the page list.
#[derive(Clone, Debug)]
pub struct WaczPage {
    /// The page's URL.
    pub url: CanonicalUrl,
    /// The page's title, if it has one.
    pub title: Option<String>,
    /// When it was fetched.
    pub date: Timestamp,
}

/// What an export contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaczSummary {
    /// Number of WARC files.
    pub files: usize,
    /// Number of captures in the index.
    pub captures: u64,
    /// Number of pages in the list.
    pub pages: u64,
    /// Size of the WACZ file in bytes.
    pub bytes: u64,
    /// Damaged records, which the file does not contain.
    pub damage: Damage,
}

#[derive(Serialize)]
struct Resource {
    name: String,
    path: String,
    hash: String,
    bytes: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Package<'a> {
    profile: &'static str,
    resources: &'a [Resource],
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none", rename = "mainPageURL")]
    main_page: Option<&'a str>,
    created: String,
    #[serde(rename = "wacz_version")]
    version: &'static str,
    software: &'a str,
}

#[derive(Serialize)]
struct PageLine<'a> {
    id: String,
    url: &'a str,
    title: &'a str,
    ts: String,
}

/// Writes the archive in `dir` and the page list to the WACZ file `out`.
pub fn export_wacz(
    dir: &Path,
    out: &Path,
    info: &WaczInfo,
    pages: impl IntoIterator<Item = WaczPage>,
) -> Result<WaczSummary, ArchiveError> {
    let (lines, files, damage) = cdxj::index(dir, true)?;
    let at = |error: io::Error| ArchiveError::at(out)(error);
    let target = super::begin_file(out).map_err(at)?;
    let mut package = Packer::new(BufWriter::new(target), info.created);
    let mut summary = WaczSummary { files: files.len(), damage, ..WaczSummary::default() };
    for file in &files {
        let region = Region::open(&file.path)?;
        let path = format!("archive/{}", file.name);
        let source = IntactParts { region, parts: file.parts.iter(), now: None };
        package.add(&path, CompressionMethod::Stored, file.length, source).map_err(at)?;
    }
    summary.captures = add_index(&mut package, lines).map_err(at)?;
    summary.pages = add_pages(&mut package, pages).map_err(at)?;
    let file = package.finish(info).map_err(at)?;
    let mut file = file.into_inner().map_err(|error| at(error.into_error()))?;
    summary.bytes = file.stream_position().map_err(at)?;
    file.persist(out).map_err(|error| at(error.error))?;
    Ok(summary)
}

/// Reads the intact parts of a file, one after the other.
struct IntactParts<'a> {
    region: Region,
    parts: std::slice::Iter<'a, (u64, u64)>,
    now: Option<RegionReader>,
}

impl Read for IntactParts<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(read @ 1..) = self.now.as_mut().map(|now| now.read(into)).transpose()? {
                return Ok(read);
            }
            let Some((begin, end)) = self.parts.next() else { return Ok(0) };
            self.now = Some(self.region.part(*begin, end - begin).reader(0));
        }
    }
}

/// `indexes/index.cdx.gz` and `indexes/index.idx`. Both are first built in temporary files, because a ZIP file is
/// written one member after the other.
fn add_index<W: Write + Seek>(package: &mut Packer<W>, lines: LineSorter) -> io::Result<u64> {
    let mut blocks = Blocks::new()?;
    lines.finish(|line| blocks.push(line))?;
    let (mut data, length, mut index, captures) = blocks.finish()?;
    data.rewind()?;
    index.rewind()?;
    package.add("indexes/index.cdx.gz", CompressionMethod::Stored, length, data)?;
    package.add("indexes/index.idx", CompressionMethod::Deflated, 0, index)?;
    Ok(captures)
}

/// The index in gzip members, with the line that locates each of them.
struct Blocks {
    gzip: Gzip,
    data: File,
    index: BufWriter<File>,
    text: String,
    key: String,
    lines: usize,
    offset: u64,
    count: u64,
}

impl Blocks {
    fn new() -> io::Result<Self> {
        let mut index = BufWriter::new(tempfile::tempfile()?);
        writeln!(index, "!meta 0 {{\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}}")?;
        let (text, key) = (String::new(), String::new());
        Ok(Self {
            gzip: Gzip::new(6),
            data: tempfile::tempfile()?,
            index,
            text,
            key,
            lines: 0,
            offset: 0,
            count: 0,
        })
    }

    fn push(&mut self, line: &str) -> io::Result<()> {
        if self.lines == 0 {
            self.key = line.split_once(" {").map_or(line, |(key, _)| key).to_owned();
        }
        self.text.push_str(line);
        self.text.push('\n');
        self.lines += 1;
        self.count += 1;
        if self.lines == BLOCK_LINES { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> io::Result<()> {
        if self.lines == 0 {
            return Ok(());
        }
        let mut member = Vec::new();
        let length = self.gzip.member(&[self.text.as_bytes()], &mut member).map_err(io::Error::other)?;
        let (key, offset, digest) = (&self.key, self.offset, Digest::of(&member));
        writeln!(
            self.index,
            "{key} {{\"offset\": {offset}, \"length\": {length}, \"digest\": \"{digest}\"}}"
        )?;
        self.data.write_all(&member)?;
        self.offset += length;
        self.lines = 0;
        self.text.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<(File, u64, File, u64)> {
        self.end_block()?;
        let index = self.index.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((self.data, self.offset, index, self.count))
    }
}

fn add_pages<W: Write + Seek>(
    package: &mut Packer<W>,
    pages: impl IntoIterator<Item = WaczPage>,
) -> io::Result<u64> {
    let mut file = BufWriter::new(tempfile::tempfile()?);
    writeln!(file, "{{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"All Pages\"}}")?;
    let mut count = 0_u64;
    for page in pages {
        count += 1;
        let line = PageLine {
            id: format!("{:016x}{count:x}", page.url.fingerprint()),
            url: page.url.as_str(),
            title: page.title.as_deref().unwrap_or(page.url.as_str()),
            ts: page.date.to_string(),
        };
        serde_json::to_writer(&mut file, &line)?;
        file.write_all(b"\n")?;
    }
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    package.add("pages/pages.jsonl", CompressionMethod::Deflated, 0, file)?;
    Ok(count)
}

/// Adds members and records their checksums.
struct Packer<W: Write + Seek> {
    zip: ZipWriter<W>,
    date: DateTime,
    resources: Vec<Resource>,
}

impl<W: Write + Seek> Packer<W> {
    fn new(out: W, created: Timestamp) -> Self {
        Self { zip: ZipWriter::new(out), date: zip_date(created), resources: Vec::new() }
    }

    fn start(&mut self, path: &str, method: CompressionMethod, length: u64) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(self.date)
            .large_file(length >= u64::from(u32::MAX));
        self.zip.start_file(path, options).map_err(io::Error::other)
    }

    /// `length`: the size, if it is known and may be large.
    fn add(
        &mut self,
        path: &str,
        method: CompressionMethod,
        length: u64,
        mut source: impl Read,
    ) -> io::Result<()> {
        self.start(path, method, length)?;
        let mut hash = Sha256::new();
        let mut bytes = 0_u64;
        let mut chunk = vec![0; 256 * 1024];
        loop {
            let read = source.read(&mut chunk)?;
            let part = chunk.get(..read).unwrap_or_default();
            if part.is_empty() {
                break;
            }
            hash.update(part);
            self.zip.write_all(part)?;
            bytes += read as u64;
        }
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let hash = Digest::from_bytes(hash.finalize().into()).to_string();
        self.resources.push(Resource { name, path: path.to_owned(), hash, bytes });
        Ok(())
    }

    /// Writes the manifest and the manifest's checksum.
    fn finish(mut self, info: &WaczInfo) -> io::Result<W> {
        let package = Package {
            profile: "data-package",
            resources: &self.resources,
            title: &info.title,
            description: info.description.as_deref(),
            main_page: info.main_page.as_ref().map(CanonicalUrl::as_str),
            created: info.created.to_string(),
            version: VERSION,
            software: &info.software,
        };
        let package = serde_json::to_vec_pretty(&package)?;
        let digest =
            serde_json::json!({ "path": "datapackage.json", "hash": Digest::of(&package).to_string() });
        self.start("datapackage.json", CompressionMethod::Deflated, 0)?;
        self.zip.write_all(&package)?;
        self.start("datapackage-digest.json", CompressionMethod::Deflated, 0)?;
        self.zip.write_all(&serde_json::to_vec_pretty(&digest)?)?;
        self.zip.finish().map_err(io::Error::other)
    }
}

/// ZIP can store years from 1980 on, in steps of two seconds.
fn zip_date(date: Timestamp) -> DateTime {
    let text = date.to_string();
    let number = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u16>().ok());
    let small = |range| number(range).and_then(|value| u8::try_from(value).ok()).unwrap_or(0);
    let (year, month, day) = (number(0..4).unwrap_or(1980), small(5..7), small(8..10));
    DateTime::from_date_and_time(year, month, day, small(11..13), small(14..16), small(17..19))
        .unwrap_or_default()
}
