//! Measures how fast pages are parsed: parses every `.html` file in the given folders, several times, and prints the
//! time per byte.
//!
//! ```text
//! cargo run --release -p osprey-page --example parse_folder -- [-n ROUNDS] FOLDER...
//! ```
//!
//! One thread parses one page at a time, as a worker of a crawl does. The files are read beforehand. Times are
//! wall-clock times: run it on an otherwise idle machine, and use the fastest round.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules};

/// The allocator of the binary: allocation is a considerable part of the cost of a page.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let mut rounds = 5;
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "-n" {
            rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(rounds);
        } else {
            collect(Path::new(&argument), &mut files);
        }
    }
    files.sort();
    let bodies: Vec<_> = files.iter().filter_map(|file| std::fs::read(file).ok()).collect();
    let bytes: usize = bodies.iter().map(Vec::len).sum();
    if bytes == 0 {
        eprintln!("usage: parse_folder [-n ROUNDS] FOLDER...");
        std::process::exit(2);
    }
    let rules = PageRules::default();
    let Ok(url) = CanonicalUrl::parse("http://localhost/docs/page.html", &UrlRules::default()) else {
        return;
    };
    let (mut best, mut memory, mut links) = (f64::INFINITY, 0, 0);
    for round in 0..rounds {
        let start = Instant::now();
        for body in &bodies {
            let page = Page::parse(&Input { url: &url, content_type: Some("text/html"), body }, &rules);
            if round == 0 {
                memory += page.memory_bytes();
                links += page.links().len();
            }
            black_box(page);
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{} pages, {bytes} bytes, {links} links; fastest of {rounds} rounds: {:.2} ns per byte, {:.1} MB/s, \
         {:.0} pages/s; a page takes {:.2} times its length",
        bodies.len(),
        best * 1e9 / bytes as f64,
        bytes as f64 / best / 1e6,
        bodies.len() as f64 / best,
        memory as f64 / bytes as f64,
    );
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else {
        if path.extension().is_some_and(|extension| extension == "html" || extension == "htm") {
            files.push(path.to_owned());
        }
        return;
    };
    for entry in entries.flatten() {
        // Symbolic links to folders may form a cycle.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            collect(&entry.path(), files);
        }
    }
}
