//! ARCHITECTURE.md is checked: who uses whom and who does I/O is what its table of crates says, no more and no less; the files
//! and folders that it names exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::project::repository;

/// Words of I/O that the sources of crates without any do not mention.
const IO: &[&str] = &[
    "std::fs",
    "std::net::Tcp",
    "std::net::Udp",
    "SystemTime::now",
    "Instant::now",
    "tokio",
    "thread::spawn",
];
/// Words of sockets.
const SOCKETS: &[&str] = &["TcpStream", "TcpListener", "UdpSocket"];

/// A row of the table of crates.
struct Room {
    uses: String,
    io: String,
}

/// The table of crates in ARCHITECTURE.md, by name.
fn rooms() -> BTreeMap<String, Room> {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("| crate | what it is for | may use | I/O |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, _, uses, io, _] = cells[..] else { panic!("not four cells: {line}") };
        (name.trim_matches('`').to_owned(), Room { uses: uses.to_owned(), io: io.to_owned() })
    };
    rows.map(row).collect()
}

/// What each crate uses of ours, but for tests.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(repository())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let short = |name: &Value| name.as_str().unwrap().trim_start_matches("osprey-").to_owned();
    let ours = |dependency: &&Value| {
        dependency["kind"].is_null() && dependency["name"].as_str().unwrap().starts_with("osprey")
    };
    let packages = metadata["packages"].as_array().unwrap().iter();
    let packages = packages.filter(|package| package["name"].as_str().unwrap().starts_with("osprey"));
    let uses = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter().filter(ours);
        (short(&package["name"]), dependencies.map(|dependency| short(&dependency["name"])).collect())
    };
    packages.map(uses).collect()
}

#[test]
fn crates_use_what_the_table_says() {
    let (rooms, uses) = (rooms(), uses());
    let names = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(rooms.keys().collect()),
        names(uses.keys().collect()),
        "crates in the table, and in the tree"
    );
    for (name, used) in uses {
        let may_use = &rooms[&name].uses;
        if let Some(but) = may_use.strip_prefix("all but ") {
            assert!(!used.contains(but), "{name} must not use {but}");
            continue;
        }
        let said: BTreeSet<String> =
            may_use.split(", ").filter(|name| *name != "-").map(str::to_owned).collect();
        assert_eq!(used, said, "what `{name}` uses, and what ARCHITECTURE.md says of it");
    }
}

#[test]
fn crates_do_the_io_that_the_table_says() {
    for (name, room) in rooms() {
        let forbidden: &[&str] = match room.io.as_str() {
            "none" => IO,
            io if io.contains("no sockets") || !io.contains("sockets") && io != "all" => SOCKETS,
            _ => &[],
        };
        let mut read = 0;
        each_source(&repository().join("crates").join(&name).join("src"), &mut |path, text| {
            read += 1;
            for word in forbidden {
                assert!(!text.contains(word), "{} mentions {word}", path.display());
            }
        });
        assert!(read > 0, "{name}");
    }
}

/// Sources that are compiled for more than tests.
fn each_source(folder: &Path, check: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_source(&path, check);
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && path.file_name().is_some_and(|name| name != "tests.rs")
        {
            check(&path, &std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn files_that_are_named_exist() {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let mut checked = 0;
    for name in text.split('`').skip(1).step_by(2) {
        let is_path =
            ["crates/", "docs/", "lab/", "scripts/", "fixtures/"].iter().any(|part| name.starts_with(part));
        if is_path && !name.contains(['{', '*', ' ']) {
            checked += 1;
            assert!(repository().join(name).exists(), "ARCHITECTURE.md names `{name}`");
        }
    }
    assert!(checked > 40, "{checked}");
}
