//! How long learning from a sample takes, and asking for one page: `cargo run --release --example speed [PAGES]`.
//!
//! The pages are made up: 40 templates of 60 paths, optional parts, users' markup, and counts that hardly repeat, so
//! that few pages collapse into one point.

#![allow(clippy::print_stdout, reason = "a program that prints")]

use std::time::Instant;

use osprey_structure::{Classifier, Irobot, PageShape, Recipe, cluster, irobot, mdl};

const TEMPLATES: u64 = 40;
const PATHS: u64 = 60;

/// splitmix64.
fn lot(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % below
}

fn page(state: &mut u64) -> PageShape {
    let template = lot(state, TEMPLATES);
    let mut paths = Vec::new();
    for path in 0..PATHS {
        // A third of the paths is the frame of the whole site, some of the others are optional.
        let key = if path < PATHS / 3 { path } else { 1_000 * (template + 1) + path };
        if path % 10 != 9 || lot(state, 2) == 0 {
            let most = if path % 4 == 0 { 30 } else { 1 };
            paths.push((key, 1 + lot(state, most) as u32));
        }
    }
    for _ in 0..lot(state, 8) {
        paths.push((1_000_000 + lot(state, 300), 1));
    }
    PageShape::new(paths.iter().copied(), paths.iter().copied(), []).found_by([template])
}

fn main() {
    let pages = std::env::args().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(10_000);
    let mut state = 1;
    let shapes: Vec<PageShape> = (0..pages).map(|_| page(&mut state)).collect();
    let asked: Vec<PageShape> = (0..1_000).map(|_| page(&mut state)).collect();
    for recipe in [Recipe::Seed, Recipe::Osprey] {
        let start = Instant::now();
        let clustering = cluster(&shapes, &recipe);
        let learned = start.elapsed();
        let classifier = Classifier::new(&shapes, &clustering);
        let start = Instant::now();
        let known = asked.iter().filter(|shape| classifier.classify(shape).is_some()).count();
        let each = start.elapsed() / asked.len() as u32;
        println!(
            "{recipe:?}: {pages} pages in {learned:.2?}, {} clusters, {} outliers; classifying {each:.1?} a page, \
             {known} of {} known",
            clustering.clusters,
            clustering.outliers(),
            asked.len()
        );
    }
    let start = Instant::now();
    println!("mdl: {} clusters in {:.2?}", mdl(&shapes, 0.2).clusters, start.elapsed());
    let start = Instant::now();
    println!("irobot: {} clusters in {:.2?}", irobot(&shapes, &Irobot::default()).clusters, start.elapsed());
}
