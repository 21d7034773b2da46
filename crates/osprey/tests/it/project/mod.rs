//! Projects in temporary folders, and the binary run on them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use osprey_archive::{RecordKind, RecordReader};
use serde_json::Value;

/// The repository's folder.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The binary under test. What it keeps for its user stays in the build folder.
pub(crate) fn osprey() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_osprey"));
    command.env("OSPREY_STATE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("state"));
    command
}

/// A project that goes away with the test.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// With this `osprey.toml`; `{fixtures}` and `{dir}` are replaced.
    pub(crate) fn new(toml: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixtures = repository().join("fixtures");
        let toml = toml.replace("{fixtures}", fixtures.to_str().unwrap());
        let toml = toml.replace("{dir}", folder.path().to_str().unwrap());
        std::fs::write(folder.path().join("osprey.toml"), toml).unwrap();
        Self { folder }
    }

    /// The small mirror that ships with Osprey.
    pub(crate) fn harbour(more: &str) -> Self {
        Self::new(&format!(
            "[crawl]\nseeds = [\"http://harbour.example/\"]\n[source]\nkind = \"replay\"\npath = \"{{fixtures}}/harbour\"\n\
             base = \"http://harbour.example/\"\n{more}"
        ))
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// `osprey COMMAND DIR ARGS`, as it ends.
    pub(crate) fn run(&self, command: &str, args: &[&str]) -> Output {
        osprey().arg(command).arg(self.path()).args(args).output().unwrap()
    }

    /// The same with `--json`, which must succeed.
    pub(crate) fn json(&self, command: &str, args: &[&str]) -> Value {
        let output = self.run(command, &[args, &["--json", "--quiet"]].concat());
        assert!(output.status.success(), "{command} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The report of a crawl that may have got nothing, which is a failure.
    pub(crate) fn report(&self, args: &[&str]) -> Value {
        let output = self.run("crawl", &[args, &["--json", "--quiet"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let is_dead = report["has_page"] == false && report["start_failures"] != serde_json::json!([]);
        assert_eq!(output.status.code(), Some(i32::from(is_dead)), "{report}");
        report
    }

    /// `export --what WHAT` as JSON rows.
    pub(crate) fn rows(&self, what: &str) -> Vec<Value> {
        let output = self.run("export", &["--what", what]);
        assert!(output.status.success(), "export {what}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// URLs with an answer in the archive, every record of which must read without a problem.
    pub(crate) fn archived(&self) -> BTreeSet<String> {
        let mut targets = BTreeSet::new();
        for file in std::fs::read_dir(self.data().join("archive")).unwrap() {
            let path = file.unwrap().path();
            if path.ends_with("catalog.jsonl") {
                continue;
            }
            let mut reader = RecordReader::new(std::fs::File::open(&path).unwrap());
            while let Some(record) = reader.next_record().unwrap() {
                if matches!(record.kind, RecordKind::Response | RecordKind::Revisit) {
                    targets.insert(record.target().unwrap().to_owned());
                }
            }
            assert!(reader.problems().is_empty(), "{}: {:?}", path.display(), reader.problems());
        }
        targets
    }

    /// The URLs visited, in order.
    pub(crate) fn visited(&self) -> Vec<String> {
        self.rows("visits").iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect()
    }
}

/// Small numbers that repeat.
pub(crate) struct TestRng(pub(crate) u64);

impl TestRng {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Standard error of a failed run; panics if it did not fail with `code`.
pub(crate) fn fails_with(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

/// The data folder, or `None` with a line that says what was left out.
pub(crate) fn shared_data(what: &str) -> Option<PathBuf> {
    let data = std::env::var_os("OSPREY_DATA").map(PathBuf::from).filter(|path| path.is_dir());
    if data.is_none() {
        eprintln!("left out: {what} (OSPREY_DATA is not set)");
    }
    data
}
