//! `osprey index --retrain`: a codebook from the collection's own pictures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use osprey_archive::Position;
use osprey_vision::analysis::{Analyser, Settings};
use osprey_vision::codebook::{Samples, Training};
use osprey_vision::{Codebook, Limits, Picture, SIDE, Words, Worker, decode};

use super::folder;
use crate::captures::Captures;
use crate::error::{Context, Error, Result};
use crate::observe::Control;
use crate::words::counted;

/// Pictures that are learnt from, as in Zhang 2008.
const PICTURES: usize = 1000;
/// Pixels of each.
const PIXELS: usize = 500;
/// Fewer pictures than this say too little.
const LEAST: usize = 20;
/// One in so many pictures tells how alike unrelated ones are.
const CALIBRATION: usize = 5;

/// Where a picture's bytes are.
pub(super) enum PictureAt<'a> {
    /// In this archive.
    Archive(&'a Captures, Position, String),
    /// In this file.
    File(PathBuf),
}

impl PictureAt<'_> {
    fn decode(&self) -> Option<Picture> {
        let bytes = match self {
            Self::Archive(captures, position, url) => captures.response(*position, url).ok()?.body.to_vec(),
            Self::File(path) => std::fs::read(path).ok()?,
        };
        decode(&bytes, SIDE, &Limits::default()).ok()
    }
}

/// The pictures that a project has fetched, each once.
pub(super) fn of_crawl(crawl: &Captures) -> Result<Vec<PictureAt<'_>>> {
    let mut pictures = Vec::new();
    for row in crawl.pictures()? {
        let row = row?;
        if let Some(position) = row.archived.filter(|_| !row.is_failure() && row.duplicate_of.is_none()) {
            pictures.push(PictureAt::Archive(crawl, position, row.url));
        }
    }
    Ok(pictures)
}

/// The pictures of a folder.
pub(super) fn of_folder(folder: &Path) -> Result<Vec<PictureAt<'static>>> {
    Ok(folder::files(folder)?.into_iter().map(PictureAt::File).collect())
}

/// Learns a codebook from some of these pictures, evenly chosen, and writes it to a file.
pub(super) fn retrain(pictures: &[PictureAt<'_>], file: &Path, control: Control<'_>) -> Result<()> {
    let step = pictures.len().div_ceil(PICTURES).max(1);
    let chosen: Vec<&PictureAt<'_>> = pictures.iter().step_by(step).collect();
    let total = chosen.len() as u64;
    let mut analyser = Analyser::new(Settings::default());
    let mut samples = Samples::default();
    for (number, picture) in chosen.iter().filter_map(|at| at.decode()).enumerate() {
        samples.add(&picture, analyser.analyse(&picture), PIXELS);
        control.work("training pictures", number as u64, total);
    }
    if samples.pictures() < LEAST as u64 {
        return Err(Error::Usage(format!(
            "--retrain: {} could be read, expected at least {LEAST}; crawl more, or leave `--retrain` out to use \
             the codebook that ships",
            counted(samples.pictures(), "picture")
        )));
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let origin = format!("{} pictures of this project", samples.pictures());
    let mut codebook = Training { threads, origin, ..Training::default() }.learn(&samples);
    codebook.calibrate(&words(&chosen, &codebook));
    std::fs::create_dir_all(file.parent().unwrap_or(file)).with_context(|| file.display().to_string())?;
    Ok(osprey_files::write_durably(file, codebook.write())?)
}

fn words(pictures: &[&PictureAt<'_>], codebook: &Codebook) -> Vec<Words> {
    let mut worker = Worker::new(Arc::new(codebook.clone()));
    let some = pictures.iter().step_by(CALIBRATION).filter_map(|at| at.decode());
    some.map(|picture| worker.look(&picture)).collect()
}
