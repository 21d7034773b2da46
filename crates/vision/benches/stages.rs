//! Time of each stage for a picture of 384x256, and of the alternatives.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use osprey_vision::analysis::{Analyser, Settings};
use osprey_vision::colour::{Counts, Cube, Space};
use osprey_vision::texture::{Gabor, brightness};
use osprey_vision::{Codebook, Example, Limits, Picture, PictureHash, SIDE, Worker, decode, thumbnail};

/// Clouds over stripes over grain: every kind of tile.
fn picture() -> Picture {
    Picture::from_fn(SIDE, 256, |x, y| {
        let (u, v) = (x as f32, y as f32);
        let noise = ((x * 7919 + y * 104_729) % 61) as f32;
        let value = match y {
            0..96 => 170.0 + 50.0 * (u * 0.02).sin() * (v * 0.03).cos(),
            96..176 => 120.0 + 80.0 * (u * 0.7 + v * 0.2).sin(),
            _ => 60.0 + noise,
        };
        [value as u8, (value * 0.8 + noise * 0.2) as u8, (255.0 - value) as u8]
    })
}

fn stages(c: &mut Criterion) {
    let picture = picture();
    let mut file = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut file, 85);
    encoder
        .encode(picture.bytes(), SIDE as u16, 256, jpeg_encoder::ColorType::Rgb)
        .expect("a picture in memory is written");
    let codebook = Codebook::embedded();
    let mut analyser = Analyser::new(Settings::default());
    analyser.analyse(&picture);
    let mut group = c.benchmark_group("stage");
    group.bench_function("decode", |b| b.iter(|| decode(black_box(&file), SIDE, &Limits::default())));
    group.bench_function("smooth", |b| b.iter(|| analyser.smooth(black_box(&picture))));
    group.bench_function("segment", |b| b.iter(|| analyser.segment()));
    group.bench_function("classify", |b| b.iter(|| analyser.classify(black_box(&picture))));
    group.bench_function("textures", |b| b.iter(|| analyser.textures(black_box(&picture))));
    group.bench_function("outlines", |b| b.iter(|| analyser.outlines()));
    let cube =
        Cube::new(&codebook.palette().map(|c| Space::Oklab.point(c)).collect::<Vec<_>>(), Space::Oklab);
    let mut counts = Counts::default();
    group.bench_function("colours", |b| b.iter(|| counts.count(black_box(&picture), &cube)));
    group.bench_function("hash", |b| b.iter(|| PictureHash::of(black_box(&picture))));
    group.bench_function("thumbnail", |b| b.iter(|| thumbnail(black_box(&picture))));
    group.finish();

    let mut group = c.benchmark_group("whole");
    let mut worker = Worker::new(codebook.clone());
    group.bench_function("bytes to words", |b| b.iter(|| worker.words(black_box(&file))));
    group.finish();

    let mut group = c.benchmark_group("one");
    let tile = brightness(&picture, (96, 96));
    let mut gabor = Gabor::new();
    group.bench_function("texture of a tile", |b| b.iter(|| gabor.describe(black_box(&tile))));
    let mut exact = Gabor::with_boxes([32; 4]);
    group.bench_function("texture of a tile, whole transforms", |b| {
        b.iter(|| exact.describe(black_box(&tile)))
    });
    let texture = gabor.describe(&tile);
    group.bench_function("nearest of 128 textures", |b| {
        b.iter(|| codebook.textures().shares(black_box(&texture)))
    });
    let words = worker.look(&picture);
    let example = Example::new(&words);
    group.bench_function("comparison", |b| b.iter(|| example.parts(black_box(&words))));
    group.finish();
}

criterion_group!(benches, stages);
criterion_main!(benches);
