//! Kills, interrupts, second processes, full disks: nothing committed is lost, nothing is visited twice.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};

use osprey_crawl::{Inspection, Tally};
use serde_json::Value;

use crate::project::{Project, TestRng, fails_with, osprey};

/// Pages of the made-up site, and kills of the crash loop.
const PAGES: usize = 400;
const KILLS: usize = 100;
/// Kills of a crawl, and of the index that follows it.
const KILLS_BESIDE: usize = 25;

/// A project over a mirror of `pages` pages with 20 links each and a picture on some, whose policy has state to lose.
fn site(pages: usize) -> Project {
    let project = Project::new(
        "[crawl]\nseeds = [\"http://site.example/\"]\nsnapshot_every = 7\n[frontier]\nmax_links = 470\n[source]\nkind = \"replay\"\n\
         path = \"{dir}/mirror\"\nbase = \"http://site.example/\"\n[policy]\nkind = \"best-first\"\n\
         [topic]\ntags = [\"red\"]\n[judge]\nkind = \"tags\"\n\
         [vision]\npictures = \"pages\"\npictures_per_page = 2\n",
    );
    let mirror = project.path().join("mirror");
    std::fs::create_dir(&mirror).unwrap();
    std::fs::write(mirror.join("robots.txt"), "User-agent: *\nDisallow: /p7\n").unwrap();
    let mut rng = TestRng(42);
    for page in 0..pages {
        let name = if page == 0 { "index.html".to_owned() } else { format!("p{page}.html") };
        let mut file = std::fs::File::create(mirror.join(name)).unwrap();
        writeln!(file, "<!doctype html><title>Page {page}</title><p>").unwrap();
        for _ in 0..40 {
            let word = ["red", "green", "blue", "harbour", "tern"][rng.below(5) as usize];
            write!(file, "{word}{} {word} ", rng.below(50)).unwrap();
        }
        if page % 4 == 0 {
            write!(file, "<img src=i{page}.png>").unwrap();
            // each second one is a copy of the one before
            std::fs::write(mirror.join(format!("i{page}.png")), format!("\u{89}PNG {}", page / 8)).unwrap();
        }
        for _ in 0..20 {
            write!(file, "<a href=p{}.html>x</a> ", 1 + rng.below(pages as u64 + 10)).unwrap();
        }
    }
    project
}

/// Starts a crawl and waits until it has said `visits` lines, or ended.
fn crawl_until(project: &Project, visits: u64) -> (Child, BufReader<std::process::ChildStderr>, bool) {
    let mut child = osprey()
        .arg("crawl")
        .arg(project.path())
        .arg("-v")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    let mut said = 0;
    while said < visits {
        line.clear();
        if lines.read_line(&mut line).unwrap() == 0 {
            return (child, lines, true);
        }
        said += u64::from(line.contains("http://site.example/"));
    }
    (child, lines, false)
}

fn signal(name: &str, child: &Child) {
    let status = std::process::Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

/// What a crawl leaves behind, in a form that can be compared.
#[derive(Debug, PartialEq)]
struct Outcome {
    visits: Vec<Value>,
    pictures: Vec<Value>,
    policy: (String, u64, Vec<u8>),
    tally: Tally,
}

fn outcome(project: &Project) -> Outcome {
    let undated = |what: &str| {
        let mut rows = project.rows(what);
        rows.iter_mut().for_each(|row| row["fetched_at"] = Value::Null); // each copy of the mirror has its own dates
        rows
    };
    let (visits, pictures) = (undated("visits"), undated("pictures"));
    let crawl = Inspection::open(&project.data(), &Default::default(), Inspection::PATIENCE).unwrap();
    // requests for robots.txt, and those that were tried again, are counted with the next visit: a kill may forget some
    let tally = Tally { active_ms: 0, requests: 0, ..crawl.tally().unwrap() };
    Outcome { visits, pictures, policy: crawl.policy_snapshot().unwrap(), tally }
}

/// Every record of every file reads without a problem, and every visit has its response.
fn check_archive(project: &Project, visits: &[Value]) {
    let responses = project.archived();
    for visit in visits {
        assert!(responses.contains(visit["url"].as_str().unwrap()), "not archived: {visit}");
    }
}

#[test]
fn a_hundred_kills_change_nothing() {
    let undisturbed = site(PAGES);
    undisturbed.json("crawl", &[]);
    let expect = outcome(&undisturbed);
    assert!(expect.visits.len() > PAGES * 8 / 10, "{}", expect.visits.len());
    assert!(expect.tally.pictures.duplicates > 0, "{:?}", expect.tally.pictures);
    for reason in ["robots", "full"] {
        assert!(expect.tally.skipped.contains_key(reason), "{:?}", expect.tally.skipped);
    }

    let mut rng = TestRng(7);
    let mut kills = 0;
    while kills < KILLS {
        let project = site(PAGES);
        loop {
            let visits = 1 + rng.below(14);
            let (mut child, lines, ended) = crawl_until(&project, visits);
            if !ended {
                // the kill falls anywhere into the next steps: fetch, archive, commit
                (0..rng.below(400_000)).for_each(|i| {
                    std::hint::black_box(i);
                });
                child.kill().unwrap();
                kills += 1;
            }
            let status = child.wait().unwrap();
            drop(lines);
            if ended {
                assert!(status.success(), "{status}");
                break;
            }
        }
        let found = outcome(&project);
        assert_eq!(found.visits.len(), expect.visits.len(), "after {kills} kills");
        for (found, expect) in found.visits.iter().zip(&expect.visits) {
            assert_eq!(found, expect, "after {kills} kills");
        }
        assert_eq!(found.pictures, expect.pictures, "after {kills} kills");
        assert_eq!(found.policy, expect.policy, "after {kills} kills");
        assert_eq!(found.tally, expect.tally, "after {kills} kills");
        check_archive(&project, &found.visits);
        check_archive(&project, &found.pictures);
    }
    eprintln!(
        "{kills} kills, {} visits and {} pictures each time",
        expect.visits.len(),
        expect.pictures.len()
    );
}

/// What can be found: how many documents there are, and the hits of some searches.
fn found(project: &Project) -> Vec<Value> {
    let search = |query: &str| {
        let mut answer = project.json("search", &[query, "--limit", "500"]);
        let hits = answer["hits"].take();
        serde_json::json!({ "query": query, "total": answer["total"], "hits": hits })
    };
    ["red1", "tern7", "harbour", "title:page"].into_iter().map(search).collect()
}

fn follow(project: &Project) -> Child {
    let mut index = osprey();
    index.arg("index").arg(project.path()).args(["--follow", "--quiet"]);
    index.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn fifty_kills_of_a_crawl_and_of_the_index_that_follows_it_change_nothing() {
    let undisturbed = site(PAGES);
    undisturbed.json("crawl", &[]);
    undisturbed.json("index", &[]);
    let (expect, expect_found) = (outcome(&undisturbed), found(&undisturbed));
    let documents = expect_found.iter().filter(|answer| answer["total"].as_u64() > Some(0)).count();
    assert_eq!(documents, expect_found.len(), "every search finds something");

    let mut rng = TestRng(11);
    let (mut of_crawl, mut of_index) = (0, 0);
    while of_crawl < KILLS_BESIDE || of_index < KILLS_BESIDE {
        let project = site(PAGES);
        loop {
            let (mut crawl, lines, ended) = crawl_until(&project, 1 + rng.below(40));
            let mut index = follow(&project);
            let mut lines = lines.lines();
            lines.by_ref().take(usize::try_from(rng.below(60)).unwrap()).for_each(drop);
            let (kill_crawl, kill_index) =
                [(true, false), (false, true), (true, true)][rng.below(3) as usize];
            if kill_crawl && !ended {
                crawl.kill().unwrap();
                of_crawl += 1;
            }
            if kill_index {
                // anywhere into what it does: opening, reading along, the commit when the crawl is gone
                (0..rng.below(40_000_000)).for_each(|i| {
                    std::hint::black_box(i);
                });
                index.kill().unwrap();
                of_index += 1;
            }
            lines.for_each(drop);
            let (crawl, index) = (crawl.wait().unwrap(), index.wait().unwrap());
            assert!(kill_index || index.success(), "{index}");
            if ended || !kill_crawl {
                assert!(crawl.success(), "{crawl}");
                break;
            }
        }
        let outcome = outcome(&project);
        assert_eq!(outcome.visits, expect.visits, "after {of_crawl} and {of_index} kills");
        assert_eq!(outcome.pictures, expect.pictures, "after {of_crawl} and {of_index} kills");
        project.json("index", &[]);
        assert_eq!(found(&project), expect_found, "after {of_crawl} and {of_index} kills");
    }
    eprintln!("{of_crawl} kills of the crawl, {of_index} of the index");
}

#[test]
fn an_interrupt_commits_and_says_so() {
    let project = site(200);
    let (mut child, mut lines, ended) = crawl_until(&project, 5);
    assert!(!ended);
    signal("-INT", &child);
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut lines, &mut rest).unwrap();
    assert!(child.wait().unwrap().success(), "{rest}");
    assert!(rest.contains("finishing what is in flight"), "{rest}");
    let visited = project.visited().len();
    assert!(visited >= 5);
    let status = project.json("status", &[]);
    assert_eq!(
        (status["frontier"]["leased"].as_u64(), status["visited"].as_u64()),
        (Some(0), Some(visited as u64))
    );
    project.json("crawl", &[]);
    let whole = site(200);
    whole.json("crawl", &[]);
    assert_eq!(project.visited(), whole.visited());
}

#[test]
fn a_second_process_gets_a_clear_error_and_status_still_answers() {
    let project = site(300);
    let (mut child, lines, ended) = crawl_until(&project, 1);
    assert!(!ended);
    // stopped, it holds the project for as long as we like
    signal("-STOP", &child);
    let text = fails_with(&project.run("crawl", &[]), 1);
    assert!(text.contains("another process") && text.contains(&child.id().to_string()), "{text}");
    let status = project.json("status", &[]);
    assert_eq!(status["running"], true);
    assert!(
        status["visited"].is_u64() && status["frontier"]["known"].is_u64(),
        "the same shape as at rest: {status}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    drop(lines);
    project.json("crawl", &[]);
}

/// On a file system of 512 KiB: the crawl stops with an error that names the disk; with more room it goes on and
/// visits what an undisturbed crawl visits.
#[test]
fn a_full_disk_stops_cleanly_and_resumes() {
    let project = site(300);
    let whole = site(300);
    whole.json("crawl", &[]);
    let data = project.data();
    std::fs::create_dir(&data).unwrap();
    let mount = |args: &[&str]| std::process::Command::new("mount").args(args).arg(&data).output();
    match mount(&["-t", "tmpfs", "-o", "size=512k", "osprey-test"]) {
        Ok(output) if output.status.success() => {}
        _ => {
            eprintln!("left out: a full disk (mounting a small file system is not permitted here)");
            return;
        }
    }
    let unmount = Unmount(&data);
    let output = project.run("crawl", &[]);
    let text = fails_with(&output, 1);
    assert!(text.contains("no space left") || text.contains("disk is full"), "{text}");
    assert!(mount(&["-o", "remount,size=200m"]).unwrap().status.success());
    let text = String::from_utf8(project.run("crawl", &["--json"]).stdout).unwrap();
    assert!(text.contains("\"stopped_by\":\"empty\""), "{text}");
    assert_eq!(project.visited(), whole.visited());
    check_archive(&project, &project.rows("visits"));
    drop(unmount);
}

struct Unmount<'a>(&'a Path);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0).output();
    }
}

/// Two projects over one mirror: the same visits, the same policy state, the same archive to the byte.
#[test]
fn the_same_crawl_twice_is_the_same() {
    let one = site(150);
    let toml = std::fs::read_to_string(one.path().join("osprey.toml")).unwrap();
    let two = Project::new(&toml);
    one.json("crawl", &[]);
    two.json("crawl", &[]);
    assert_eq!(one.rows("visits"), two.rows("visits"));
    assert_eq!(outcome(&one), outcome(&two));
    let archive = |project: &Project| {
        let dir = std::fs::read_dir(project.data().join("archive")).unwrap();
        let mut files: Vec<_> = dir.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
        files.sort();
        files
    };
    assert!(archive(&one) == archive(&two), "the archives differ");
}
