//! Results that several cells share: codebooks learned from the pictures, and the words of all pictures under each
//! codebook.
//!
//! Codebooks are learned in two folds: pictures with even numbers are queries with a codebook learned from those with
//! odd numbers, and the other way round. Learning does not use the classes. The built-in codebook has one fold of all
//! pictures.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use osprey_vision::analysis::{Analyser, Settings};
use osprey_vision::codebook::{Samples, Training};
use osprey_vision::tile::TileKind;
use osprey_vision::{Bag, Codebook, Limits, SIDE, Words, Worker, decode};

use crate::corpus::{Photo, Pictures};

/// Pixels of each picture that a codebook is learnt from.
const PIXELS: usize = 500;
/// Every third of the training pictures is used to calibrate the similarity of unrelated pictures.
const CALIBRATE: usize = 3;

/// Which codebooks are used.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    /// Learnt in two folds.
    Folds(Training),
    /// The one that ships.
    Embedded,
}

/// Studies by what they are of.
#[derive(Debug, Default)]
pub(crate) struct Studies(Mutex<BTreeMap<String, Arc<OnceLock<Arc<Study>>>>>);

/// All pictures under one or two codebooks.
#[derive(Debug)]
pub(crate) struct Study {
    pub(super) folds: Vec<Fold>,
}

/// All pictures under one codebook, and which of them are queries.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) codebook: Arc<Codebook>,
    /// The pictures used as queries.
    pub(super) queries: Vec<usize>,
    pub(super) seen: Vec<PictureWords>,
    /// Time on a processor for a picture, where the system tells.
    pub(super) cpu_ms: Option<f64>,
}

/// The words of one picture; empty if the file is not a picture.
#[derive(Clone, Debug, Default)]
pub(super) struct PictureWords {
    pub(super) words: Words,
    /// Texture words with each tile counted fully for its nearest word, as in Zhang 2008: of inner and crossing tiles,
    /// of all.
    pub(super) hard: [Bag; 2],
}

impl Studies {
    /// The study of a choice. The first caller computes it; the others wait.
    pub(super) fn get(&self, pictures: &Pictures, choice: &Choice) -> Arc<Study> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let study = Arc::clone(known.entry(format!("{choice:?}")).or_default());
        drop(known);
        Arc::clone(study.get_or_init(|| Arc::new(Study::new(&pictures.photos, choice))))
    }
}

impl Study {
    fn new(photos: &[Photo], choice: &Choice) -> Self {
        let all = 0..photos.len();
        let folds = match choice {
            Choice::Embedded => vec![Fold::new(photos, Codebook::embedded(), all.collect())],
            Choice::Folds(training) => [0, 1]
                .into_iter()
                .map(|fold| {
                    let codebook = learn(photos, fold, training);
                    Fold::new(photos, codebook, all.clone().filter(|place| place % 2 == fold).collect())
                })
                .collect(),
        };
        Self { folds }
    }
}

/// A codebook from every second picture, for queries by the others.
fn learn(photos: &[Photo], fold: usize, training: &Training) -> Arc<Codebook> {
    let others: Vec<&Photo> = photos.iter().skip(1 - fold).step_by(2).collect();
    let mut analyser = Analyser::new(Settings::default());
    let mut samples = Samples::default();
    for photo in &others {
        if let Ok(picture) = decode(&photo.file, SIDE, &Limits::default()) {
            samples.add(&picture, analyser.analyse(&picture), PIXELS);
        }
    }
    let mut codebook = Training { threads: threads(), ..training.clone() }.learn(&samples);
    let mut worker = Worker::new(Arc::new(codebook.clone()));
    let some = others.iter().step_by(CALIBRATE);
    let words: Vec<Words> = some.filter_map(|photo| worker.words(&photo.file).ok()).collect();
    codebook.calibrate(&words);
    Arc::new(codebook)
}

impl Fold {
    fn new(photos: &[Photo], codebook: Arc<Codebook>, queries: Vec<usize>) -> Self {
        let part = photos.len().div_ceil(threads()).max(1);
        let look = |photos: &[Photo]| {
            let before = busy();
            let mut worker = Worker::new(Arc::clone(&codebook));
            let seen: Vec<PictureWords> =
                photos.iter().map(|photo| PictureWords::of(&mut worker, photo)).collect();
            (seen, busy().zip(before).map(|(after, before)| after - before))
        };
        let parts: Vec<(Vec<PictureWords>, Option<f64>)> = thread::scope(|scope| {
            let look = &look;
            let started: Vec<_> =
                photos.chunks(part).map(|photos| scope.spawn(move || look(photos))).collect();
            let joined = started.into_iter().map(|thread| thread.join());
            joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        let seconds: Option<f64> = parts.iter().map(|(_, seconds)| *seconds).sum();
        let seen: Vec<PictureWords> = parts.into_iter().flat_map(|(seen, _)| seen).collect();
        let cpu_ms = seconds.map(|seconds| seconds * 1e3 / seen.len().max(1) as f64);
        Self { codebook, queries, seen, cpu_ms }
    }
}

impl PictureWords {
    fn of(worker: &mut Worker, photo: &Photo) -> Self {
        let Ok(words) = worker.words(&photo.file) else { return Self::default() };
        let mut amounts = [[0.0; 256]; 2];
        for (kind, texture) in worker.seen().kinds.iter().zip(&worker.seen().textures) {
            let Some(word) = worker.codebook().texture_word(texture) else { continue };
            amounts[1][usize::from(word)] += 1.0;
            if *kind != TileKind::Bordering {
                amounts[0][usize::from(word)] += 1.0;
            }
        }
        Self { words, hard: amounts.each_ref().map(Bag::new) }
    }
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// CPU seconds of this thread; Linux only.
fn busy() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}
