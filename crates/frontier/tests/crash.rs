//! What survives a process killed at any moment, a second process, and a write that fails.
//!
//! The test runs itself as a child process that commits in a loop and prints the number of each commit after it
//! returned; the parent kills it after a random number of lines and checks what is stored. It has no test harness,
//! because the child must not share a process with other tests.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use osprey_frontier::{
    Commit, Frontier, FrontierError, Initial, LinkState, NewLink, Options, Pick, Row, Settle, Table,
};
use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId, LinkScore, Timestamp, UrlRules};

const LINKS: u64 = 20;
const ROUNDS: u64 = 20;

fn main() {
    match std::env::var_os("OSPREY_CHILD_DIR") {
        Some(dir) if std::env::var_os("OSPREY_CHILD_FAILS").is_some() => {
            child_meets_a_failing_disk(dir.as_ref())
        }
        Some(dir) => child_commits(dir.as_ref()),
        None => {
            survives_kill();
            survives_a_failing_disk();
            let full = u32::from(survives_a_full_disk());
            eprintln!("passed {} of {}: kill, failing disk, full disk", 2 + full, 3);
        }
    }
}

fn options() -> Options {
    Options { host_delay: std::time::Duration::ZERO, ..Options::default() }
}

fn url(commit: u64, link: u64) -> CanonicalUrl {
    let text = format!("http://host{}.example/{commit}/{link}", link % 4);
    CanonicalUrl::parse(&text, &UrlRules::default()).expect("a URL")
}

/// The number of commits that a frontier holds.
fn commits(frontier: &Frontier) -> u64 {
    let row = frontier.row(Table::Meta, b"commits").expect("reads");
    row.map_or(0, |value| u64::from_be_bytes(value.try_into().expect("eight bytes")))
}

/// Commit `n`: adds links, sets a factor, settles the lease before, writes a row that says so; all or nothing.
fn commit(
    frontier: &mut Frontier,
    n: u64,
    settled: Option<LinkId>,
    filling: &[u8],
) -> Result<(), FrontierError> {
    let urls: Vec<CanonicalUrl> = (0..LINKS).map(|link| url(n, link)).collect();
    let mut rows = vec![Row {
        table: Table::Meta,
        key: b"commits".into(),
        value: Some((n + 1).to_be_bytes().to_vec().into()),
    }];
    rows.extend(settled.map(|id| Row {
        table: Table::Visits,
        key: id.0.to_be_bytes().to_vec().into(),
        value: Some(filling.into()),
    }));
    frontier.commit(&Commit {
        settle: settled.map(|id| (id, Settle::Done)).into_iter().collect(),
        block: &n.to_be_bytes(),
        add: urls
            .iter()
            .map(|url| NewLink {
                url,
                group: GroupId(n),
                own: LinkScore::new(url.fingerprint() as f32),
                payload: b"",
                state: Initial::Waiting,
            })
            .collect(),
        factors: vec![(GroupId(n), GroupFactor::times(n as f32))],
        rows,
        now: Timestamp::from_millis(n as i64),
        ..Commit::default()
    })?;
    Ok(())
}

fn lease(frontier: &mut Frontier, n: u64) -> Option<LinkId> {
    match frontier.lease(Timestamp::from_millis(n as i64)).expect("leases") {
        Pick::Leased(lease) => Some(lease.id),
        _ => None,
    }
}

fn child_commits(dir: &Path) {
    let mut frontier = Frontier::open(dir, &options()).expect("opens");
    let mut out = std::io::stdout();
    let mut leased = None;
    for n in commits(&frontier).. {
        commit(&mut frontier, n, leased, b"visited").expect("commits");
        // If the parent is gone, so are we.
        if writeln!(out, "{n}").and_then(|()| out.flush()).is_err() {
            return;
        }
        leased = lease(&mut frontier, n);
    }
}

fn child(dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.env("OSPREY_CHILD_DIR", dir).stdout(Stdio::piped());
    command
}

fn survives_kill() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    for round in 0..ROUNDS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let lines = 1 + (random >> 33) % 400;
        let mut child = child(dir.path()).spawn().expect("starts");
        let acknowledged = kill_after(&mut child, lines, dir.path());
        let frontier = Frontier::open(dir.path(), &options()).expect("opens after a kill");
        let stored = commits(&frontier);
        assert!(stored > acknowledged, "round {round}: commit {acknowledged} was lost, {stored} are there");
        check_whole(&frontier, stored);
    }
}

/// Reads some lines, checks that the folder is locked, kills, and reads to the last line that was printed.
fn kill_after(child: &mut Child, lines: u64, dir: &Path) -> u64 {
    let mut output = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let mut last = None;
    for _ in 0..lines {
        last = output.next().or(last);
    }
    match Frontier::open(dir, &options()) {
        Err(FrontierError::Locked { pid, .. }) => assert_eq!(pid, Some(child.id())),
        Err(error) => panic!("expected a lock, not: {error}"),
        Ok(_) => panic!("two processes have opened one frontier"),
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    output.last().or(last).expect("a line").parse().expect("a number")
}

/// Checks that exactly the first `stored` commits are there, each complete.
fn check_whole(frontier: &Frontier, stored: u64) {
    for n in 0..stored {
        for link in 0..LINKS {
            assert!(frontier.contains(&url(n, link)), "link {link} of commit {n} of {stored} is missing");
        }
        assert_eq!(frontier.factor(GroupId(n)).expect("reads"), GroupFactor::times(n as f32));
    }
    assert!(!frontier.contains(&url(stored, 0)), "a part of commit {stored} is there");
    let visits: Vec<_> = frontier.rows(Table::Visits, &[]).collect::<Result<_, _>>().expect("reads");
    for (key, _) in &visits {
        let id = LinkId(u32::from_be_bytes(key[..].try_into().expect("four bytes")));
        let link = frontier.link(id).expect("known");
        assert_eq!((link.state, link.attempts >= 1), (LinkState::Done, true));
    }
    let stats = frontier.stats();
    assert_eq!(stats.known, stored * LINKS);
    assert_eq!((stats.done, stats.leased), (visits.len() as u64, 0));
    assert_eq!(stats.waiting, stats.known - stats.done);
}

/// Writes until the journal reaches the shell's limit for file sizes.
fn survives_a_failing_disk() {
    let dir = tempfile::tempdir().expect("a folder");
    let script = r#"trap "" XFSZ; ulimit -f 131072; exec "$0""#;
    let status = Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().expect("a path"))
        .env("OSPREY_CHILD_DIR", dir.path())
        .env("OSPREY_CHILD_FAILS", "1")
        .status()
        .expect("starts");
    assert!(status.success());
    let frontier = Frontier::open(dir.path(), &options()).expect("opens after a failed write");
    assert_eq!(commits(&frontier), 2);
    check_whole(&frontier, 2);
}

fn child_meets_a_failing_disk(dir: &Path) {
    let mut frontier = Frontier::open(dir, &options()).expect("opens");
    commit(&mut frontier, 0, None, &[]).expect("commits");
    let leased = lease(&mut frontier, 0);
    commit(&mut frontier, 1, leased, b"visited").expect("commits");
    let leased = lease(&mut frontier, 1);
    let before = frontier.stats();
    // More than a file may hold here, and incompressible.
    let mut random = 1_u64;
    let huge: Vec<u8> = std::iter::repeat_with(|| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 56) as u8
    })
    .take(80 << 20)
    .collect();
    let error = commit(&mut frontier, 2, leased, &huge).expect_err("fails");
    assert!(matches!(error, FrontierError::Io { .. } | FrontierError::Full { .. }), "{error}");
    assert_eq!(frontier.stats(), before, "memory changed although the store refused");
    let error = commit(&mut frontier, 2, leased, b"").expect_err("stays closed for writing");
    assert!(matches!(error, FrontierError::Broken { .. }), "{error}");
}

/// The same on a disk of a few megabytes, if the system allows mounting one; otherwise `false`.
fn survives_a_full_disk() -> bool {
    let Some(disk) = std::env::var_os("OSPREY_SMALL_DISK") else {
        eprintln!("left out: a full disk (OSPREY_SMALL_DISK is not set)");
        return false;
    };
    let dir = Path::new(&disk).join("frontier");
    let filling = vec![0x5A; 1000];
    let mut frontier = Frontier::open(&dir, &options()).expect("opens");
    let (mut n, mut leased) = (0, None);
    let error = loop {
        match commit(&mut frontier, n, leased, &filling) {
            Ok(()) => n += 1,
            Err(error) => break error,
        }
        match frontier.lease(Timestamp::from_millis(n as i64)) {
            Ok(Pick::Leased(lease)) => leased = Some(lease.id),
            Ok(_) => leased = None,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, FrontierError::Full { .. } | FrontierError::Broken { .. }), "{error}");
    eprintln!("full after {n} commits: {error}");
    drop(frontier);
    // To make room, the frontier moves to a larger disk.
    let larger = tempfile::tempdir().expect("a folder");
    let copied = Command::new("cp").arg("-r").arg(&dir).arg(larger.path()).status().expect("starts");
    assert!(copied.success());
    let frontier = Frontier::open(&larger.path().join("frontier"), &options()).expect("opens with room");
    let stored = commits(&frontier);
    assert!(stored == n || stored == n + 1, "{stored} commits are there, {n} were acknowledged");
    check_whole(&frontier, stored);
    drop(frontier);
    std::fs::remove_dir_all(&dir).expect("removed");
    true
}
