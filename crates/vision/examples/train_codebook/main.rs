//! Learns the codebook that ships, from pictures made by rule: `cargo run --release -p osprey-vision --example
//! train_codebook -- crates/vision/data/default.codebook`. The same on every machine and with any number of threads.

mod made;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use osprey_vision::analysis::{Analyser, Settings};
use osprey_vision::codebook::{Samples, Training};
use osprey_vision::{Words, Worker};

/// How many pictures to learn from.
const PICTURES: u64 = 1000;
/// Pixels of each.
const PIXELS: usize = 500;

fn main() -> Result<()> {
    let out = PathBuf::from(std::env::args().nth(1).context("expected the name of the file to write")?);
    let mut analyser = Analyser::new(Settings::default());
    let mut samples = Samples::default();
    for seed in 0..PICTURES {
        let picture = made::picture(seed);
        let seen = analyser.analyse(&picture);
        samples.add(&picture, seen, PIXELS);
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let origin = format!("{PICTURES} pictures made by rule (examples/train_codebook)");
    let mut codebook = Training { threads, origin, ..Training::default() }.learn(&samples);
    let mut worker = Worker::new(Arc::new(codebook.clone()));
    let words: Vec<Words> = (0..PICTURES).step_by(5).map(|seed| worker.look(&made::picture(seed))).collect();
    codebook.calibrate(&words);
    std::fs::write(&out, codebook.write()).with_context(|| format!("{}: not written", out.display()))
}
