//! `osprey lab` as a user types it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::project::osprey;

const TINY: &str = r#"
    about = "Tiny."
    policies = ["breadth-first", "best-first"]
    wanted = { page_type = "detail" }
    scale.small = { pages = 200, budget = 40, seeds = 2 }
    [[corpus]]
    world = "qa"
"#;

/// Runs a command that has to succeed; what it printed.
fn printed(command: &mut Command) -> String {
    let output = command.env_remove("OSPREY_DATA").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn run_tiny(folder: &Path, out: &str) -> Value {
    let args = ["lab", "run", "tiny", "--json", "--quiet", "--experiments"];
    let json = printed(osprey().args(args).arg(folder).arg("--out").arg(folder.join(out)));
    serde_json::from_str(&json).unwrap()
}

#[test]
fn two_processes_write_the_same_report() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tiny.toml"), TINY).unwrap();
    let (one, two) = (run_tiny(folder.path(), "one"), run_tiny(folder.path(), "two"));
    assert_eq!(one["experiments"][0]["figures"], two["experiments"][0]["figures"]);
    assert_eq!(one["experiments"][0]["figures"]["qa"]["best-first"]["visited"], 40.0);
    for file in ["report.html", "report.json", "results.json"] {
        let read = |out: &str| std::fs::read(folder.path().join(out).join("tiny").join(file)).unwrap();
        assert!(read("one") == read("two"), "{file} differs");
    }
}

#[test]
fn what_there_is_can_be_listed_and_a_wrong_name_is_refused() {
    let list: Value = serde_json::from_str(&printed(osprey().args(["lab", "list", "--json"]))).unwrap();
    let names: Vec<&str> =
        list["experiments"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"baselines") && names.contains(&"world-statistics"), "{names:?}");
    let output = osprey().args(["lab", "run", "baseline"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("unknown experiment `baseline`; did you mean `baselines`?"), "{error}");
}

#[test]
fn truth_exists_only_for_urls_of_the_world() {
    let told = printed(osprey().args(["lab", "truth", "photo", "http://www.photo.example/"]));
    assert!(told.starts_with("http://www.photo.example/\tlist\thome\t"), "{told}");
    let output = osprey().args(["lab", "truth", "photo", "http://other.example/"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_world_is_served_until_it_is_stopped() {
    let args = ["lab", "serve", "forum", "--pages", "300", "--port", "0", "--no-delay", "--json"];
    let mut server = osprey().args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let seed = said["seeds"][0].as_str().unwrap();
    let mut stream = TcpStream::connect(said["addr"].as_str().unwrap()).unwrap();
    write!(stream, "GET {seed} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut start = [0; 15];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200 OK");
    let stopped = Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    assert!(stopped.success() && server.wait().unwrap().success());
}
