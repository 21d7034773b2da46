//! `osprey demo` as a newcomer types it, in small: all of it, again, stopped and killed in the middle.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::Value;

use crate::project::{fails_with, osprey};

/// Small, and large enough that it matters which pages are fetched.
const PAGES: &str = "300";

fn demo(dir: &Path) -> Command {
    let mut command = osprey();
    command.arg("demo").arg("--dir").arg(dir);
    command
}

/// A demonstration without the UI, to its end: its one JSON document, and what it said.
fn whole(dir: &Path, more: &[&str]) -> (Value, String) {
    let output = demo(dir).args(["--no-serve", "--json"]).args(more).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    (serde_json::from_slice(&output.stdout).unwrap(), said)
}

/// A demonstration that runs.
struct Running {
    child: Child,
    lines: BufReader<ChildStderr>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines }
    }

    /// Reads what it says up to a line that holds `text`.
    fn wait_for(&mut self, text: &str) {
        let mut said = String::new();
        while !said.lines().next_back().is_some_and(|line| line.contains(text)) {
            assert_ne!(self.lines.read_line(&mut said).unwrap(), 0, "it ended before `{text}`: {said}");
        }
    }

    fn interrupt(&self) {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for its end: its status, and what it still said.
    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

fn figure(value: &Value, policy: &str, name: &str) -> f64 {
    value["crawls"][policy][name].as_f64().unwrap_or_else(|| panic!("{policy} {name}: {value}"))
}

/// Stopped in the first crawl, killed in the second, then run to its end, then run once more.
#[test]
fn it_shows_what_a_policy_is_worth_and_goes_on_where_it_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("demo");
    let mut command = demo(&dir);
    command.args(["--pages", PAGES, "--site-port", "0", "--addr", "127.0.0.1:0", "-v"]);
    let mut running = Running::start(command);
    running.wait_for("4/6 ");
    running.wait_for(" 200 http");
    running.interrupt();
    let (code, said) = running.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("interrupted; run the same command to resume"), "{said}");

    let mut command = demo(&dir);
    command.args(["--no-serve", "-v"]);
    let mut running = Running::start(command);
    running.wait_for("5/6 ");
    running.wait_for(" 200 http");
    running.child.kill().unwrap();
    running.end();

    let (value, said) = whole(&dir, &[]);
    assert_eq!(said.matches("(done before)").count(), 4, "{said}");
    assert_eq!((&value["simulated"], &value["address"]), (&Value::Bool(true), &Value::Null));
    assert!(value["topic"].as_array().unwrap().len() > 1, "{value}");
    for policy in ["profile", "breadth-first"] {
        assert_eq!(figure(&value, policy, "visited"), 300.0);
        assert!(figure(&value, policy, "documents") > 100.0, "{value}");
    }
    for name in ["relevant", "of_topic", "pictures"] {
        let (profile, plain) = (figure(&value, "profile", name), figure(&value, "breadth-first", name));
        assert!(profile > plain, "{name}: {value}");
    }
    assert!(fs::read_to_string(dir.join("profile/osprey.toml")).unwrap().contains("[[extract.rule]]"));

    let (again, said) = whole(&dir, &[]);
    assert_eq!(said.matches("(done before)").count(), 6, "{said}");
    assert_eq!(again["crawls"], value["crawls"]);
    the_ui_is_served(&dir);
}

/// Until Ctrl-C, after which the demonstration has ended well.
fn the_ui_is_served(dir: &Path) {
    let mut command = demo(dir);
    command.args(["--addr", "127.0.0.1:0", "--json"]);
    let mut running = Running::start(command);
    let mut line = String::new();
    let mut out = BufReader::new(running.child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let value: Value = serde_json::from_str(&line).unwrap();
    let address =
        value["address"].as_str().unwrap().strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    running.interrupt();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "one document");
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn invalid_arguments_are_reported_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("demo");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let check = |dir: &Path, args: &[&str], expect: &str| {
        let said = fails_with(&demo(dir).args(args).output().unwrap(), 2);
        assert!(said.contains(expect), "{args:?}: {said}");
        assert!(!dir.join("profile").exists());
    };
    check(
        &dir,
        &["--no-serve", "--site-port", &port],
        &format!("port {port}: in use; give another with --site-port"),
    );
    check(&dir, &["--addr", &format!("127.0.0.1:{port}")], "choose another with --addr");
    check(&dir, &["--addr", "nowhere"], "expected HOST:PORT");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("thesis.txt"), "dear to somebody").unwrap();
    check(&dir, &["--no-serve"], "is not a demo folder; choose another with --dir");
}
