//! The direction of the data, as drawn in ARCHITECTURE.md: who may use whom, and who may do I/O.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod project;

use std::collections::BTreeSet;
use std::process::Command;

use project::repository;
use serde_json::Value;

/// For each crate the crates of ours it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("osprey-files", &[]),
    ("osprey-model", &[]),
    ("osprey-frontier", &["osprey-model", "osprey-files"]),
    ("osprey-archive", &["osprey-model"]),
    ("osprey-page", &["osprey-model"]),
    ("osprey-structure", &["osprey-model", "osprey-page"]),
    ("osprey-text", &["osprey-page"]),
    ("osprey-steer", &["osprey-model", "osprey-page", "osprey-structure", "osprey-text"]),
    ("osprey-fetch", &["osprey-model"]),
    ("osprey-rogue", &["osprey-model"]),
    ("osprey-world", &["osprey-model"]),
    ("osprey-vision", &[]),
    ("osprey-index", &["osprey-model", "osprey-page", "osprey-structure", "osprey-text", "osprey-vision"]),
    ("osprey-charts", &[]),
    // what a project is, it is told by whoever starts it
    ("osprey-server", &["osprey-charts", "osprey-index", "osprey-vision"]),
    (
        "osprey-crawl",
        &[
            "osprey-model",
            "osprey-frontier",
            "osprey-archive",
            "osprey-page",
            "osprey-structure",
            "osprey-steer",
            "osprey-text",
        ],
    ),
    (
        "osprey-engine",
        &[
            "osprey-charts",
            "osprey-model",
            "osprey-files",
            "osprey-frontier",
            "osprey-archive",
            "osprey-page",
            "osprey-structure",
            "osprey-steer",
            "osprey-text",
            "osprey-crawl",
            "osprey-fetch",
            "osprey-world",
            "osprey-vision",
            "osprey-index",
        ],
    ),
    (
        "osprey-lab",
        &[
            "osprey-charts",
            "osprey-model",
            "osprey-files",
            "osprey-archive",
            "osprey-page",
            "osprey-structure",
            "osprey-steer",
            "osprey-text",
            "osprey-crawl",
            "osprey-world",
            "osprey-vision",
            "osprey-index",
            "osprey-engine",
        ],
    ),
    (
        "osprey",
        &[
            "osprey-model",
            "osprey-files",
            "osprey-frontier",
            "osprey-archive",
            "osprey-page",
            "osprey-structure",
            "osprey-steer",
            "osprey-text",
            "osprey-crawl",
            "osprey-world",
            "osprey-vision",
            "osprey-index",
            "osprey-lab",
            "osprey-engine",
            "osprey-server",
        ],
    ),
];

/// Crates without I/O: their sources do not mention these.
const NO_IO: &[&str] = &["model", "page", "text", "structure", "steer", "world", "vision", "charts"];
const IO: &[&str] = &[
    "std::fs",
    "std::net::Tcp",
    "std::net::Udp",
    "SystemTime::now",
    "Instant::now",
    "tokio",
    "thread::spawn",
];

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(repository())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn crates_depend_in_the_direction_of_the_data() {
    let packages = packages();
    assert_eq!(packages.len(), MAY_USE.len(), "a new crate belongs into MAY_USE and ARCHITECTURE.md");
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let (_, may_use) =
            MAY_USE.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("{name} is not in MAY_USE"));
        let uses: BTreeSet<&str> = package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|dependency| dependency["kind"].is_null())
            .map(|dependency| dependency["name"].as_str().unwrap())
            .filter(|dependency| dependency.starts_with("osprey"))
            .collect();
        for used in uses {
            assert!(may_use.contains(&used), "{name} must not use {used}");
        }
    }
}

#[test]
fn crates_without_io_do_none() {
    for name in NO_IO {
        let mut folders = vec![repository().join("crates").join(name).join("src")];
        let mut read = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                if path.file_name().is_some_and(|name| name == "tests.rs") {
                    continue; // compiled for tests only
                }
                let text = std::fs::read_to_string(&path).unwrap();
                for word in IO {
                    assert!(!text.contains(word), "{} mentions {word}", path.display());
                }
                read += 1;
            }
        }
        assert!(read > 0);
    }
}
