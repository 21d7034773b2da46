//! Every project in `examples/` runs, in a copy, and finds something.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod project;

use std::os::unix::fs::symlink;

use project::{osprey, repository};
use serde_json::Value;

#[test]
fn every_example_project_runs() {
    let folder = tempfile::tempdir().unwrap();
    symlink(repository().join("fixtures"), folder.path().join("fixtures")).unwrap();
    let mut ran = 0;
    for example in std::fs::read_dir(repository().join("examples")).unwrap() {
        let example = example.unwrap().path();
        let Ok(toml) = std::fs::read(example.join("osprey.toml")) else { continue };
        let copy = folder.path().join("examples").join(example.file_name().unwrap());
        std::fs::create_dir_all(&copy).unwrap();
        std::fs::write(copy.join("osprey.toml"), toml).unwrap();
        let output = osprey().arg("crawl").arg(&copy).args(["--json", "--quiet"]).output().unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            example.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["relevant"].as_u64().unwrap() > 0, "{}: {report}", example.display());
        ran += 1;
    }
    assert!(ran >= 2, "{ran} examples");
}
