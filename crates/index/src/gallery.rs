//! Visual words and thumbnails of pictures, stored in `data/images`.
//!
//! ```text
//! words.log          a header line, then for each picture: key, length, checksum, outcome
//! 3f/3f9c...e1.jpg   thumbnails, by key
//! ```
//!
//! A picture is identified by the digest of its bytes, so that copies are analysed once. Everything here can be
//! rebuilt from the archive and a codebook: if the log's end is incomplete, it is cut off, which costs only time.
//! Pictures that could not be analysed are recorded with the reason. For another codebook or version a second log is
//! begun (`words.log.new`), which replaces the old one when it is complete: [`Gallery::keep`].

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use osprey_vision::Words;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::IndexError;

/// The format version, increased with every change of the file's content.
const VERSION: u32 = 1;
/// The file with the outcomes.
const LOG: &str = "words.log";
/// The log for another codebook, until it is complete.
const NEW: &str = "words.log.new";
/// Maximum size of an outcome in bytes.
const MAX_ENTRY: u32 = 1 << 20;
/// Number of bytes before an outcome: key, length, checksum.
const HEAD: usize = 16 + 4 + 8;

/// Identifies a picture: the first half of the digest of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PictureKey([u8; 16]);

impl PictureKey {
    /// Reads the hexadecimal digits of a digest, with or without the algorithm's name before them.
    pub fn of_digest(digest: &str) -> Option<Self> {
        let digits = digest.rsplit(':').next()?.get(..32)?;
        u128::from_str_radix(digits, 16).ok().map(|number| Self(number.to_be_bytes()))
    }

    fn name(self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }
}

/// The outcome of analysing a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PictureOutcome {
    /// Its words.
    Words(Box<Words>),
    /// Why the picture has no words.
    Refused(String),
}

/// The results for all pictures that were analysed.
#[derive(Debug)]
pub struct Gallery {
    dir: PathBuf,
    log: BufWriter<File>,
    reader: File,
    /// The offset and length of each outcome.
    places: FxHashMap<PictureKey, (u64, u32)>,
    end: u64,
    /// Which of the two files this is.
    name: &'static str,
}

/// The state of a gallery's log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GalleryState {
    /// Number of readable pictures.
    pub pictures: u64,
    /// Number of unreadable bytes after the last readable picture.
    pub damaged_bytes: u64,
}

impl Gallery {
    /// Reads the state of the gallery in a folder without changing anything; `None` if there is none for this
    /// codebook.
    pub fn look(dir: &Path, codebook: u64) -> Result<Option<GalleryState>, IndexError> {
        let path = dir.join(LOG);
        let io = |cause| IndexError::io(&path, cause);
        let file = match File::open(&path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(io)?,
        };
        let (places, end) = read_log(&file, &head(codebook)).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let state = GalleryState { pictures: places.len() as u64, damaged_bytes: length - end.min(length) };
        Ok((end > 0).then_some(state))
    }

    /// Opens the gallery in a folder for a codebook.
    pub fn open(dir: &Path, codebook: u64) -> Result<Self, IndexError> {
        let head = head(codebook);
        let name = if is_of_another(&dir.join(LOG), &head) { NEW } else { LOG };
        let path = dir.join(name);
        let io = |cause| IndexError::io(&path, cause);
        fs::create_dir_all(dir).map_err(|cause| IndexError::io(dir, cause))?;
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        let (places, end) = read_log(&file, &head).map_err(io)?;
        file.set_len(end).map_err(io)?;
        let reader = file.try_clone().map_err(io)?;
        let mut gallery = Self { dir: dir.to_owned(), log: BufWriter::new(file), reader, places, end, name };
        gallery.log.seek(SeekFrom::Start(end)).map_err(io)?;
        if end == 0 {
            gallery.append(head.as_bytes())?;
        }
        Ok(gallery)
    }

    /// Whether a picture was analysed.
    pub fn has(&self, key: PictureKey) -> bool {
        self.places.contains_key(&key)
    }

    /// The result for a picture; `None` if it was not analysed.
    pub fn get(&mut self, key: PictureKey) -> Result<Option<PictureOutcome>, IndexError> {
        let Some(&(at, length)) = self.places.get(&key) else { return Ok(None) };
        self.log.flush().map_err(|cause| self.error(cause))?;
        let mut bytes = vec![0; length as usize];
        let read = self.reader.seek(SeekFrom::Start(at)).and_then(|_| self.reader.read_exact(&mut bytes));
        // both handles share one position in the file
        let back = self.reader.seek(SeekFrom::Start(self.end));
        read.and(back.map(drop)).map_err(|cause| self.error(cause))?;
        Ok(postcard::from_bytes(&bytes).ok())
    }

    /// Stores the outcome for a picture, with its thumbnail.
    pub fn put(&mut self, key: PictureKey, seen: &PictureOutcome) -> Result<(), IndexError> {
        if let PictureOutcome::Words(words) = seen {
            let path = self.dir.join(self.thumbnail(key));
            let folder = path.parent().unwrap_or(&self.dir);
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &words.thumbnail));
            written.map_err(|cause| IndexError::io(&path, cause))?;
        }
        // plain numbers and strings always serialise
        let bytes = postcard::to_allocvec(seen).unwrap_or_default();
        let mut entry = Vec::with_capacity(HEAD + bytes.len());
        entry.extend_from_slice(&key.0);
        entry.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        entry.extend_from_slice(&xxh3_64(&bytes).to_be_bytes());
        entry.extend_from_slice(&bytes);
        let at = self.end + HEAD as u64;
        self.append(&entry)?;
        self.places.insert(key, (at, bytes.len() as u32));
        Ok(())
    }

    /// The path of the thumbnail of a picture, relative to the folder.
    pub fn thumbnail(&self, key: PictureKey) -> PathBuf {
        let name = key.name();
        Path::new(name.get(..2).unwrap_or_default()).join(format!("{name}.jpg"))
    }

    /// Passes everything to the operating system.
    pub fn flush(&mut self) -> Result<(), IndexError> {
        self.log.flush().map_err(|cause| self.error(cause))
    }

    /// Marks the log as complete: it replaces a log of another codebook.
    pub fn keep(&mut self) -> Result<(), IndexError> {
        self.flush()?;
        if self.name == NEW {
            fs::rename(self.dir.join(NEW), self.dir.join(LOG)).map_err(|cause| self.error(cause))?;
            self.name = LOG;
        }
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.log.write_all(bytes).map_err(|cause| self.error(cause))?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn error(&self, cause: io::Error) -> IndexError {
        IndexError::io(&self.dir.join(self.name), cause)
    }
}

/// The header line of a log for a codebook.
fn head(codebook: u64) -> String {
    format!("osprey-words {VERSION} {codebook:016x}\n")
}

/// Whether a log exists that has another header.
fn is_of_another(path: &Path, head: &str) -> bool {
    let mut line = Vec::new();
    let read = File::open(path).and_then(|file| BufReader::new(file).take(200).read_until(b'\n', &mut line));
    read.is_ok_and(|read| read > 0) && line != head.as_bytes()
}

/// The offset and length of each picture's outcome.
type Places = FxHashMap<PictureKey, (u64, u32)>;

/// The outcomes in a file, and the end of the last complete one; nothing if the file has another header.
fn read_log(file: &File, head: &str) -> io::Result<(Places, u64)> {
    let mut places = FxHashMap::default();
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    reader.by_ref().take(200).read_until(b'\n', &mut line)?;
    if line != head.as_bytes() {
        return Ok((places, 0));
    }
    let mut end = line.len() as u64;
    let mut bytes = Vec::new();
    loop {
        let mut key = [0; 16];
        let (mut length, mut sum) = ([0; 4], [0; 8]);
        let whole = read_all(&mut reader, &mut key)?
            && read_all(&mut reader, &mut length)?
            && read_all(&mut reader, &mut sum)?;
        let length = u32::from_be_bytes(length);
        if !whole || length > MAX_ENTRY {
            return Ok((places, end));
        }
        bytes.resize(length as usize, 0);
        if !read_all(&mut reader, &mut bytes)? || xxh3_64(&bytes) != u64::from_be_bytes(sum) {
            return Ok((places, end));
        }
        places.insert(PictureKey(key), (end + HEAD as u64, length));
        end += HEAD as u64 + u64::from(length);
    }
}

/// Fills a buffer; `false` if the file is too short.
fn read_all(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(cause) => Err(cause),
    }
}

#[cfg(test)]
mod tests {
    use osprey_vision::{Codebook, Picture, Worker};

    use super::*;

    fn key(n: u8) -> PictureKey {
        PictureKey([n; 16])
    }

    fn seen(level: u8) -> PictureOutcome {
        let picture = Picture::from_fn(64, 64, |x, _| [level, x as u8, 0]);
        PictureOutcome::Words(Box::new(Worker::new(Codebook::embedded()).look(&picture)))
    }

    /// The outcome as it is read back, without the thumbnail, which is a file.
    fn kept(seen: PictureOutcome) -> Option<PictureOutcome> {
        Some(match seen {
            PictureOutcome::Words(words) => {
                PictureOutcome::Words(Box::new(Words { thumbnail: Vec::new(), ..*words }))
            }
            refused => refused,
        })
    }

    #[test]
    fn digests_become_keys() {
        let check = |digest: &str, expect: Option<&str>| {
            assert_eq!(PictureKey::of_digest(digest).map(PictureKey::name).as_deref(), expect, "{digest}");
        };
        let digits = "0123456789abcdef0123456789abcdef";
        check(&format!("sha256:{digits}ffff"), Some(digits));
        check(digits, Some(digits));
        check("sha256:12", None);
        check(&"é".repeat(40), None);
    }

    #[test]
    fn outcomes_survive_and_what_is_torn_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let refused = || PictureOutcome::Refused("not a picture: a page".to_owned());
        let mut gallery = Gallery::open(dir.path(), 7).unwrap();
        gallery.put(key(1), &seen(10)).unwrap();
        gallery.put(key(2), &refused()).unwrap();
        assert_eq!(gallery.get(key(1)).unwrap(), kept(seen(10)));
        gallery.put(key(3), &seen(30)).unwrap();
        drop(gallery);
        assert!(dir.path().join("01/01010101010101010101010101010101.jpg").exists());

        let path = dir.path().join(LOG);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let mut gallery = Gallery::open(dir.path(), 7).unwrap();
        assert_eq!(gallery.get(key(2)).unwrap(), Some(refused()));
        assert_eq!((gallery.has(key(3)), gallery.get(key(3)).unwrap()), (false, None));
        gallery.put(key(3), &seen(30)).unwrap();
        drop(gallery);
        assert_eq!(fs::read(&path).unwrap(), bytes);

        // with another codebook, the old log stays until the new one is complete
        let mut gallery = Gallery::open(dir.path(), 8).unwrap();
        assert_eq!(gallery.get(key(1)).unwrap(), None);
        gallery.put(key(4), &refused()).unwrap();
        drop(gallery);
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(Gallery::look(dir.path(), 7).unwrap().unwrap().pictures, 3);
        let mut gallery = Gallery::open(dir.path(), 8).unwrap();
        assert_eq!(gallery.get(key(4)).unwrap(), Some(refused()));
        gallery.keep().unwrap();
        assert_eq!(Gallery::look(dir.path(), 7).unwrap(), None);
        let state = GalleryState { pictures: 1, damaged_bytes: 0 };
        assert_eq!(Gallery::look(dir.path(), 8).unwrap(), Some(state));
        assert!(!dir.path().join(NEW).exists());
    }
}
