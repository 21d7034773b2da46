//! Real photographs, found through `OSPREY_DATA`: all are read, and the embedded words find more of the same class than
//! chance would. `osprey lab run pictures` measures how well; here a few pictures show that nothing is broken.

use std::path::{Path, PathBuf};

use osprey_vision::{Codebook, Example, Words, Worker};

/// The first pictures of every class.
const EACH: usize = 6;

fn photographs() -> Option<PathBuf> {
    let root = std::env::var_os("OSPREY_DATA").map(PathBuf::from);
    let found = root.map(|root| root.join("corel1k")).filter(|folder| folder.is_dir());
    if found.is_none() {
        eprintln!("left out: words of photographs (OSPREY_DATA is not set)");
    }
    found
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[test]
fn the_nearest_photograph_is_mostly_of_the_same_class() {
    let Some(folder) = photographs() else { return };
    let mut worker = Worker::new(Codebook::embedded());
    let mut all: Vec<(usize, Words)> = Vec::new();
    for (class, folder) in list(&folder).iter().filter(|path| path.is_dir()).enumerate() {
        for path in list(folder).iter().take(EACH) {
            let file = std::fs::read(path).unwrap_or_default();
            match worker.words(&file) {
                Ok(words) => all.push((class, words)),
                Err(refusal) => panic!("{}: {refusal}", path.display()),
            }
        }
    }
    let scale = *worker.codebook().scale();
    let right = all.iter().filter(|(class, words)| {
        let example = Example::new(words);
        let others = all.iter().filter(|(_, other)| other != words);
        let nearest =
            others.max_by(|(_, a), (_, b)| example.score(a, &scale).total_cmp(&example.score(b, &scale)));
        nearest.is_some_and(|(found, _)| found == class)
    });
    let share = right.count() as f32 / all.len() as f32;
    assert!(share > 0.5, "{share} of the nearest are of the same class; chance is 0.08");
}
