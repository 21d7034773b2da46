//! What survives a process killed at any moment, a second writer, and a disk that rejects writes.
//!
//! The test runs itself as a child process that puts documents and commits in a loop, and prints the number of each
//! commit after it returned; the parent kills it after some lines and checks what is stored. It has no test harness,
//! because the child must not share a process with other tests.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use osprey_index::{Document, Index, IndexError, Query, Request, WriterOptions};
use osprey_vision::Codebook;

const ROUNDS: u64 = 8;
/// Number of documents per commit.
const DOCUMENTS: u64 = 5;

fn main() {
    match std::env::var_os("OSPREY_CHILD_DIR") {
        Some(dir) if std::env::var_os("OSPREY_CHILD_FAILS").is_some() => {
            child_meets_a_failing_disk(dir.as_ref())
        }
        Some(dir) => child_commits(dir.as_ref()),
        None => {
            survives_kill();
            survives_a_failing_disk();
        }
    }
}

fn open(dir: &Path) -> Index {
    Index::open(dir, Codebook::embedded()).expect("opens")
}

fn options() -> WriterOptions {
    WriterOptions { threads: 1, ..WriterOptions::default() }
}

fn committed(index: &Index) -> u64 {
    index.checkpoint().expect("reads").map_or(0, |text| text.parse().expect("a number"))
}

fn document(commit: u64, number: u64) -> Document {
    // the document `latest` is in every commit
    let url = if number == 0 {
        "http://a.example/latest".to_owned()
    } else {
        format!("http://a.example/{commit}/{number}")
    };
    Document { url, title: format!("tulip{commit}"), ..Document::default() }
}

fn child_commits(dir: &Path) {
    let index = open(dir);
    let mut writer = index.writer(&options()).expect("writes");
    let mut out = std::io::stdout();
    for commit in committed(&index).. {
        for number in 0..DOCUMENTS {
            writer.put(&document(commit, number)).expect("puts");
        }
        writer.commit(Some(&(commit + 1).to_string())).expect("commits");
        // If the parent is gone, so are we.
        if writeln!(out, "{}", commit + 1).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn survives_kill() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    for round in 0..ROUNDS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let lines = 1 + (random >> 33) % 12;
        let mut child = Command::new(std::env::current_exe().expect("a path"))
            .env("OSPREY_CHILD_DIR", dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let acknowledged = kill_after(&mut child, lines, dir.path());
        let index = open(dir.path());
        let stored = committed(&index);
        assert!(stored >= acknowledged, "round {round}: commit {acknowledged} was lost, {stored} are there");
        check_whole(&index, stored);
    }
}

/// Reads some lines, checks that no other process can write, kills, and reads to the last line that was printed.
fn kill_after(child: &mut Child, lines: u64, dir: &Path) -> u64 {
    let mut output = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let mut last = None;
    for _ in 0..lines {
        last = output.next().or(last);
    }
    match open(dir).writer(&options()) {
        Err(IndexError::Locked { .. }) => {}
        Err(error) => panic!("expected a lock, not: {error}"),
        Ok(_) => panic!("two processes write one index"),
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    output.last().or(last).expect("a line").parse().expect("a number")
}

/// Checks that exactly the documents of the first `stored` commits are there.
fn check_whole(index: &Index, stored: u64) {
    let searcher = index.searcher().expect("searches");
    assert_eq!(searcher.len(), stored * (DOCUMENTS - 1) + 1);
    let find = |query: String| {
        let query = Query::parse(&query).expect("a query");
        searcher.search(&Request { query, ..Request::default() }).expect("found").total
    };
    assert_eq!(find(format!("tulip{}", stored - 1)), DOCUMENTS);
    assert_eq!(find(format!("tulip{stored}")), 0, "a part of a commit is there");
    assert_eq!(find("tulip0".to_owned()), if stored == 1 { DOCUMENTS } else { DOCUMENTS - 1 });
}

/// Writes until a file reaches the shell's limit for file sizes.
fn survives_a_failing_disk() {
    let dir = tempfile::tempdir().expect("a folder");
    let status = Command::new("sh")
        .args(["-c", r#"trap "" XFSZ; ulimit -f 2048; exec "$0""#])
        .arg(std::env::current_exe().expect("a path"))
        .env("OSPREY_CHILD_DIR", dir.path())
        .env("OSPREY_CHILD_FAILS", "1")
        .status()
        .expect("starts");
    assert!(status.success());
    check_whole(&open(dir.path()), 1);
}

fn child_meets_a_failing_disk(dir: &Path) {
    let index = open(dir);
    let mut writer = index.writer(&options()).expect("writes");
    for number in 0..DOCUMENTS {
        writer.put(&document(0, number)).expect("puts");
    }
    writer.commit(Some("1")).expect("commits");
    let mut random = 1_u64;
    let mut noise = |length: usize| -> String {
        let letters = std::iter::repeat_with(|| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + (random >> 59) as u8 % 26)
        });
        letters.take(length).collect()
    };
    for number in 0..400 {
        let description = (0..1500).map(|_| noise(8)).collect::<Vec<_>>().join(" ");
        let document = Document { description, ..document(1, number) };
        if let Err(error) = writer.put(&document) {
            return says_what_to_do(&error, dir);
        }
    }
    says_what_to_do(&writer.commit(Some("2")).expect_err("the disk is full"), dir);
}

fn says_what_to_do(error: &IndexError, dir: &Path) {
    let text = error.to_string();
    assert!(text.starts_with(&dir.display().to_string()) && text.contains("room and run it again"), "{text}");
}
