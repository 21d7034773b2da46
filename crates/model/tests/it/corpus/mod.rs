//! Finds the conformance data, which is not part of the repository: `OSPREY_DATA` names its folder. Without it,
//! `scripts/test` sets `OSPREY_CONFORMANCE` to the suites that package registries have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The path of a conformance file or folder. If it is missing, prints that it is left out and returns `None`.
///
pub(crate) fn find(what: &str) -> Option<PathBuf> {
    let data = std::env::var_os("OSPREY_DATA").map(|data| PathBuf::from(data).join("conformance"));
    // what `scripts/test` gets from package registries
    let Some(root) = data.or_else(|| std::env::var_os("OSPREY_CONFORMANCE").map(PathBuf::from)) else {
        eprintln!("left out: {what} (OSPREY_DATA is not set)");
        return None;
    };
    let path = root.join(what);
    if !path.exists() {
        eprintln!("left out: {what} (not in OSPREY_DATA)");
        return None;
    }
    Some(path)
}

/// Counts cases, and compares failures with a list of known differences.
#[derive(Default)]
pub(crate) struct Tally {
    passed: usize,
    /// The result and the expectation of each failure, by name.
    failed: BTreeMap<String, String>,
}

impl Tally {
    /// Counts one case; `name` is its name in the list of differences.
    pub(crate) fn case(&mut self, name: &str, found: &str, expect: &str) {
        if found == expect {
            self.passed += 1;
        } else {
            self.failed.insert(name.to_owned(), format!("found `{found}`, expected `{expect}`"));
        }
    }

    /// Prints the count; fails on a new difference, and on a known one that no longer occurs.
    pub(crate) fn finish(self, what: &str, known: &[(&str, &str)]) {
        eprintln!("{what}: passed {} of {}", self.passed, self.passed + self.failed.len());
        let known: BTreeSet<&str> = known.iter().map(|(name, _reason)| *name).collect();
        let unexplained = self.failed.iter().filter(|(name, _)| !known.contains(name.as_str()));
        let unexplained: String = unexplained.map(|(name, detail)| format!("\n{name}: {detail}")).collect();
        let gone: Vec<&&str> = known.iter().filter(|name| !self.failed.contains_key(**name)).collect();
        assert!(unexplained.is_empty(), "{what}: unexplained differences:{unexplained}");
        assert!(gone.is_empty(), "{what}: listed as different but passing: {gone:?}");
    }
}
