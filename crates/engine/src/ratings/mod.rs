//! Ratings: pages that the user called good or bad.
//!
//! They are the user's own words, like `osprey.toml`, and stand beside it: `ratings.jsonl`, a line for each click, which
//! no rebuild touches. Lines are only ever added, in one write each: whatever is killed loses at most the click that was
//! under way, several processes may rate at a time, and half a line (a kill, a full disk) costs that line alone. The last
//! line of a URL counts; `"good": null` takes a rating back.

mod ask;
mod excerpt;
mod figures;
mod intervals;
mod rate;
mod running;

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use osprey_index::{IndexError, Rated, Searcher};
use osprey_model::Timestamp;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use self::ask::{PageToRate, RateOptions};
pub use self::figures::RatingFigures;
pub use self::intervals::Estimate;
pub(crate) use self::rate::check_visit;
pub(crate) use self::running::NewRatings;
use crate::error::{Context, Result};

/// A page that the user called good or bad.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// The page.
    pub url: String,
    /// Whether it is what the user wants.
    pub good: bool,
    /// When it was said.
    pub at: Timestamp,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    url: String,
    good: Option<bool>,
    at: Timestamp,
}

/// The ratings of a project that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ratings {
    /// The latest last.
    list: Vec<Rating>,
    places: FxHashMap<String, usize>,
    damaged: u64,
}

impl Ratings {
    /// Of the lines of a file, in their order.
    fn of(text: &str) -> Self {
        let (mut last, mut damaged): (FxHashMap<String, (usize, Line)>, u64) = (FxHashMap::default(), 0);
        for (number, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            match serde_json::from_str::<Line>(text) {
                Ok(line) => drop(last.insert(line.url.clone(), (number, line))),
                Err(_) => damaged += 1,
            }
        }
        let mut lines: Vec<(usize, Line)> = last.into_values().collect();
        lines.sort_unstable_by_key(|(number, _)| *number);
        let rating = |(_, Line { url, good, at })| Some(Rating { url, good: good?, at });
        let list: Vec<Rating> = lines.into_iter().filter_map(rating).collect();
        let places = list.iter().enumerate().map(|(place, rating)| (rating.url.clone(), place)).collect();
        Self { list, places, damaged }
    }

    /// Whether a page was called good; `None` if it is not rated.
    pub fn get(&self, url: &str) -> Option<bool> {
        self.places.get(url).and_then(|place| self.list.get(*place)).map(|rating| rating.good)
    }

    /// All of them, the latest last.
    pub fn all(&self) -> &[Rating] {
        &self.list
    }

    /// Whether nothing is rated.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many pages were called good, and how many bad.
    pub fn counts(&self) -> (u64, u64) {
        let good = self.list.iter().filter(|rating| rating.good).count() as u64;
        (good, self.list.len() as u64 - good)
    }

    /// Those of what a searcher has.
    pub(crate) fn in_index(&self, searcher: &Searcher) -> Result<Rated, IndexError> {
        searcher.rated(self.list.iter().map(|rating| (rating.url.as_str(), rating.good)))
    }

    /// Lines of the file that could not be read.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }
}

/// The file in which a project keeps its ratings.
#[derive(Clone, Debug)]
pub(crate) struct RatingsFile {
    path: PathBuf,
}

impl RatingsFile {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// What counts now.
    pub(crate) fn read(&self) -> Result<Ratings> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Ratings::of(&String::from_utf8_lossy(&bytes))),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(Ratings::default()),
            Err(cause) => Err(cause).with_context(|| format!("{}: cannot be read", self.path.display())),
        }
    }

    /// Rates pages, or takes their ratings back; after `Ok` that survives a power cut.
    pub(crate) fn put(&self, urls: &[String], good: Option<bool>, at: Timestamp) -> Result<()> {
        let mut text = String::new();
        for url in urls {
            let line = serde_json::to_string(&Line { url: url.clone(), good, at });
            text += &line.with_context(|| url.clone())?;
            text.push('\n');
        }
        let append = append(&self.path, &text);
        append.with_context(|| format!("{}: the rating cannot be saved", self.path.display()))
    }
}

/// Adds lines to a file in one write, and syncs them. Half a line that is there already is ended first.
fn append(path: &Path, lines: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    match last {
        [b'\n'] => file.write_all(lines.as_bytes())?,
        _ => file.write_all(format!("\n{lines}").as_bytes())?,
    }
    file.sync_data()?;
    match path.parent().filter(|_| length == 0) {
        // a new file is there after a power cut only if its folder knows
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, RatingsFile) {
        let folder = tempfile::tempdir().unwrap();
        let file = RatingsFile::at(folder.path().join("ratings.jsonl"));
        (folder, file)
    }

    fn put(file: &RatingsFile, url: &str, good: Option<bool>, at: i64) {
        file.put(&[url.to_owned()], good, Timestamp::from_millis(at)).unwrap();
    }

    fn urls(ratings: &Ratings) -> Vec<(&str, bool)> {
        ratings.all().iter().map(|rating| (rating.url.as_str(), rating.good)).collect()
    }

    #[test]
    fn the_last_word_counts() {
        let (_folder, file) = file();
        assert!(file.read().unwrap().is_empty());
        for (url, good) in [("a", Some(true)), ("b", Some(false)), ("a", Some(false)), ("c", Some(true))] {
            put(&file, url, good, 1);
        }
        put(&file, "b", None, 2);
        let ratings = file.read().unwrap();
        assert_eq!(urls(&ratings), [("a", false), ("c", true)]);
        assert_eq!((ratings.get("a"), ratings.get("b"), ratings.counts()), (Some(false), None, (1, 1)));
        // what was taken back can be said again, and is then the latest
        put(&file, "b", Some(true), 3);
        assert_eq!(urls(&file.read().unwrap()), [("a", false), ("c", true), ("b", true)]);
    }

    /// A kill in the middle of the last line: cut at every byte, only that click is lost, and the next one is kept.
    #[test]
    fn half_a_line_costs_that_line_alone() {
        let (_folder, file) = file();
        put(&file, "http://a.example/1", Some(true), 1);
        let whole = std::fs::read(&file.path).unwrap().len();
        put(&file, "http://a.example/ä", Some(false), 2);
        let bytes = std::fs::read(&file.path).unwrap();
        for length in whole..bytes.len() - 1 {
            std::fs::write(&file.path, &bytes[..length]).unwrap();
            let is_there = length == bytes.len() - 1;
            assert_eq!(file.read().unwrap().all().len(), 1 + usize::from(is_there), "{length}");
            put(&file, "http://a.example/3", Some(true), 3);
            let ratings = file.read().unwrap();
            assert_eq!(
                urls(&ratings),
                [("http://a.example/1", true), ("http://a.example/3", true)],
                "{length}"
            );
            assert_eq!(ratings.damaged(), u64::from(length > whole), "{length}");
        }
        // a line without its end is whole
        std::fs::write(&file.path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(file.read().unwrap().all().len(), 2);
        put(&file, "http://a.example/3", Some(true), 3);
        assert_eq!(file.read().unwrap().all().len(), 3);
    }

    #[test]
    fn rubbish_between_lines_is_counted_and_skipped() {
        let (_folder, file) = file();
        put(&file, "a", Some(true), 1);
        append(&file.path, "\u{0}\n[]\n{\"url\":7}\n\n").unwrap();
        put(&file, "b", Some(false), 1);
        let ratings = file.read().unwrap();
        assert_eq!((urls(&ratings), ratings.damaged()), (vec![("a", true), ("b", false)], 3));
    }

    #[test]
    fn many_may_rate_at_a_time() {
        let (_folder, file) = file();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let file = file.clone();
                scope.spawn(move || {
                    (0..50).for_each(|n| put(&file, &format!("{writer}/{n}"), Some(n % 2 == 0), n))
                });
            }
        });
        let ratings = file.read().unwrap();
        assert_eq!((ratings.counts(), ratings.damaged()), ((100, 100), 0));
    }
}
