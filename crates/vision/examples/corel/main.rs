//! How well words find pictures alike, on Corel-1k: leave-one-out over all 1,000 pictures, the query excluded.
//!
//! `OSPREY_DATA=DIR cargo run --release -p osprey-vision --example corel` prints the tables of `docs/vision.md`. With
//! codebooks learnt in two folds (queries of one half, codebook from the other) and with the embedded one. With the
//! argument `steps`, other ways to learn a codebook are measured instead.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

mod measure;
mod texture;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use osprey_vision::analysis::{Analyser, Settings};
use osprey_vision::codebook::{Samples, Training};
use osprey_vision::colour::Space;
use osprey_vision::{Codebook, Example, Limits, PARTS, Part, SIDE, Words, Worker, decode};

use measure::{Measured, Scores};
use texture::TextureSearch;

/// A photograph and its class.
struct Photo {
    class: String,
    file: Vec<u8>,
}

/// All pictures under one codebook, and which of them are queries under it.
struct Run {
    codebook: Arc<Codebook>,
    queries: Vec<usize>,
    /// How alike every picture is to each query, part by part.
    parts: BTreeMap<usize, Vec<[f32; 6]>>,
    /// By the texture words of inner and crossing tiles.
    selected: TextureSearch,
    /// By the texture words of all tiles.
    all_tiles: TextureSearch,
}

fn main() -> Result<()> {
    let data = std::env::var_os("OSPREY_DATA").context("OSPREY_DATA is not set")?;
    let photos = load(&Path::new(&data).join("corel1k"))?;
    let classes: Vec<&str> = photos.iter().map(|photo| photo.class.as_str()).collect();
    println!("{} pictures", photos.len());
    let vectors = texture::global_vectors(&photos);
    if std::env::args().nth(1).as_deref() == Some("steps") {
        for (title, training) in steps() {
            report(title, &folds(&photos, &training), &classes, &vectors);
        }
        return Ok(());
    }
    speed(&photos);
    let folds = folds(&photos, &Training::default());
    report("codebooks learnt from the other half", &folds, &classes, &vectors);
    let embedded = Run::new(&photos, Codebook::embedded(), (0..photos.len()).collect());
    report("the embedded codebook", &[embedded], &classes, &vectors);
    Ok(())
}

/// Other ways to learn a codebook.
fn steps() -> [(&'static str, Training); 4] {
    let usual = Training::default;
    [
        ("colours in RGB", Training { space: Space::Rgb, colour_radius: 0.5, ..usual() }),
        ("128 centres, none merged", Training { centres: 128, ..usual() }),
        ("64 words", Training { words: 64, centres: 128, ..usual() }),
        ("256 words, none merged", Training { words: 256, ..usual() }),
    ]
}

/// Each half of the pictures asks with a codebook from the other.
fn folds(photos: &[Photo], training: &Training) -> Vec<Run> {
    [0, 1].into_iter().map(|fold| learn(photos, fold, training)).collect()
}

fn load(dir: &Path) -> Result<Vec<Photo>> {
    let list = |dir: &Path| -> Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(dir).with_context(|| format!("{}: not read", dir.display()))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    };
    let mut photos = Vec::new();
    for dir in list(dir)?.into_iter().filter(|path| path.is_dir()) {
        let class = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for path in list(&dir)? {
            photos.push(Photo { class: class.clone(), file: std::fs::read(&path)? });
        }
    }
    Ok(photos)
}

/// Pictures a second, one thread, from bytes to words; by the clock and by the time on the processor.
fn speed(photos: &[Photo]) {
    let mut worker = Worker::new(Codebook::embedded());
    let (clock, busy) = (Instant::now(), busy());
    let read = photos.iter().filter(|photo| worker.words(&photo.file).is_ok()).count() as f64;
    println!("{:.0} pictures/s by the clock", read / clock.elapsed().as_secs_f64());
    if let (Some(before), Some(after)) = (busy, self::busy()) {
        println!("{:.0} pictures/s of a core", read / (after - before));
    }
}

/// Seconds this thread was on a processor; Linux says so.
fn busy() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// A codebook from every second picture, for queries by the others.
fn learn(photos: &[Photo], fold: usize, training: &Training) -> Run {
    let mut analyser = Analyser::new(Settings::default());
    let mut samples = Samples::default();
    let other = |place: &usize| place % 2 != fold;
    for photo in (0..photos.len()).filter(other).filter_map(|place| photos.get(place)) {
        if let Ok(picture) = decode(&photo.file, SIDE, &Limits::default()) {
            let seen = analyser.analyse(&picture);
            samples.add(&picture, seen, 500);
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut codebook = Training { threads, ..training.clone() }.learn(&samples);
    let mut worker = Worker::new(Arc::new(codebook.clone()));
    let others = (0..photos.len()).filter(other).step_by(3).filter_map(|place| photos.get(place));
    let words: Vec<Words> = others.filter_map(|photo| worker.words(&photo.file).ok()).collect();
    codebook.calibrate(&words);
    Run::new(photos, Arc::new(codebook), (0..photos.len()).filter(|place| place % 2 == fold).collect())
}

impl Run {
    fn new(photos: &[Photo], codebook: Arc<Codebook>, queries: Vec<usize>) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let part = photos.len().div_ceil(threads).max(1);
        let words: Vec<Words> = std::thread::scope(|scope| {
            let started: Vec<_> = photos
                .chunks(part)
                .map(|photos| {
                    let mut worker = Worker::new(Arc::clone(&codebook));
                    let words = move |photo: &Photo| worker.words(&photo.file).ok();
                    scope.spawn(move || photos.iter().filter_map(words).collect::<Vec<_>>())
                })
                .collect();
            started.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
        });
        let parts = |query: &usize| {
            let example = Example::new(words.get(*query)?);
            Some((*query, words.iter().map(|other| example.parts(other)).collect()))
        };
        let parts = queries.iter().filter_map(parts).collect();
        let selected = TextureSearch::new(&words, false);
        let all_tiles = TextureSearch::new(&words, true);
        Self { codebook, queries, parts, selected, all_tiles }
    }
}

fn report(title: &str, runs: &[Run], classes: &[&str], vectors: &[Vec<f32>]) {
    println!(
        "\n## {title}\n\n| method | P@10 | P@20 | MAP | lowest class at P@20 |\n| --- | --- | --- | --- | --- |"
    );
    let show = |name: &str, score: &dyn Fn(&Run, usize) -> Scores| {
        let mut measured = Measured::default();
        for run in runs {
            for query in &run.queries {
                measured.add(*query, classes, score(run, *query));
            }
        }
        println!("| {name} | {measured} |");
        measured
    };
    let by_parts = |wanted: &'static [Part]| {
        move |run: &Run, query: usize| {
            let parts = run.parts.get(&query).map(Vec::as_slice).unwrap_or_default();
            parts.iter().map(|parts| run.codebook.scale().score_of(parts, wanted)).collect()
        }
    };
    show("global Gabor vector", &|_, query| texture::by_vector(vectors, query));
    for count in 1..=10 {
        show(&format!("{count} texture word{}", if count == 1 { "" } else { "s" }), &|run, query| {
            run.selected.words(query, count)
        });
    }
    show("5 texture words, then 100 re-ranked", &|run, query| run.selected.reranked(query, 5));
    show("5 texture words of all tiles", &|run, query| run.all_tiles.words(query, 5));
    show("5 of all tiles, then 100 re-ranked", &|run, query| run.all_tiles.reranked(query, 5));
    show("texture words", &by_parts(&[Part::Texture]));
    show("texture words of borders", &by_parts(&[Part::Borders]));
    show("texture words of all tiles", &by_parts(&[Part::Texture, Part::Borders]));
    show("colour words", &by_parts(&[Part::Colour]));
    show("colour words by region", &by_parts(&[Part::ColourRegions]));
    show("shape words", &by_parts(&[Part::Shape]));
    show("shape words by region", &by_parts(&[Part::ShapeRegions]));
    show("colour + texture", &by_parts(&[Part::Colour, Part::Texture]));
    show("colour, regions, texture", &by_parts(&[Part::Colour, Part::ColourRegions, Part::Texture]));
    let selected: &[Part] =
        &[Part::Colour, Part::ColourRegions, Part::Texture, Part::Shape, Part::ShapeRegions];
    show("all but textures of borders", &by_parts(selected));
    let all = show("**all together**", &by_parts(&PARTS));
    println!("\nby class, P@20: {}", all.classes());
}
