//! Every project in `examples/` runs, in a copy, and finds something.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use osprey_rogue::{Files, Reply, Server};
use serde_json::Value;

use crate::project::{osprey, repository};

#[test]
fn every_example_project_runs() {
    let folder = tempfile::tempdir().unwrap();
    symlink(repository().join("fixtures"), folder.path().join("fixtures")).unwrap();
    let server = Server::start(
        Files::new()
            .with("/", Reply::html("<title>Example</title><a href=/more>more</a>"))
            .with("/more", Reply::html("<title>Another example</title><p>The end.")),
    )
    .unwrap();
    let mut policies = BTreeSet::new();
    for example in std::fs::read_dir(repository().join("examples")).unwrap() {
        let example = example.unwrap().path();
        let Ok(toml) = std::fs::read_to_string(example.join("osprey.toml")) else { continue };
        let toml = at_home(&toml, &server);
        let must_learn = toml.contains("osprey learn");
        let copy = folder.path().join("examples").join(example.file_name().unwrap());
        std::fs::create_dir_all(&copy).unwrap();
        std::fs::write(copy.join("osprey.toml"), &toml).unwrap();
        if must_learn {
            let output = osprey().arg("learn").arg(&copy).args(["--json", "--quiet"]).output().unwrap();
            assert!(
                output.status.success(),
                "{}: {}",
                example.display(),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let output = osprey().arg("crawl").arg(&copy).args(["--json", "--quiet"]).output().unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            example.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["relevant"].as_u64().unwrap() > 0, "{}: {report}", example.display());
        if example.ends_with("profile") {
            assert!(report["pictures"].as_u64().unwrap() > 0, "{}: {report}", example.display());
        }
        let policy = toml.split("[policy]\nkind = \"").nth(1).and_then(|rest| rest.split('"').next());
        policies.extend(policy.map(str::to_owned));
    }
    // `sample` is what `learn` does, `tag-pages` what `topic expand` does
    let missing: Vec<&str> = osprey_steer::PolicyKind::NAMES
        .into_iter()
        .filter(|name| !["sample", "tag-pages"].contains(name) && !policies.contains(*name))
        .collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
}

/// Examples of the live Web are run against a server of ours.
fn at_home(toml: &str, server: &Server) -> String {
    toml.replace("https://example.org/", &server.url("/"))
        .replace("[fetch]", "[fetch]\nallow_private = true")
        .replace("host_delay_ms = 1500", "host_delay_ms = 15")
}
