//! Damaged files: each command skips, names and counts the same records; `check` finds what is damaged and says what to
//! run; a damaged index is an error; a killed rebuild leaves the old index.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use osprey_archive::{RecordKind, RecordReader};
use serde_json::Value;

use crate::project::{Project, TestRng, fails_with, osprey};

/// A crawled mirror of `pages` pages that all say `tern`.
fn site(pages: usize) -> Project {
    let project = Project::new(
        "[crawl]\nseeds = [\"http://site.example/\"]\n[source]\nkind = \"replay\"\npath = \"{dir}/mirror\"\n\
         base = \"http://site.example/\"\n[policy]\nkind = \"breadth-first\"\n",
    );
    let mirror = project.path().join("mirror");
    std::fs::create_dir(&mirror).unwrap();
    let mut rng = TestRng(3);
    for page in 0..pages {
        let name = if page == 0 { "index.html".to_owned() } else { format!("p{page}.html") };
        let words: String = (0..80).map(|_| format!("word{} ", rng.below(1000))).collect();
        let links: String =
            (1..=3).map(|n| format!("<a href=p{}.html>x</a> ", (page * 3 + n) % pages.max(1))).collect();
        std::fs::write(
            mirror.join(name),
            format!("<!doctype html><title>Page {page}</title><p>tern {words}{links}"),
        )
        .unwrap();
    }
    project.json("crawl", &[]);
    project
}

fn warc(project: &Project) -> PathBuf {
    project.data().join("archive/osprey-00000.warc.gz")
}

/// Flips a bit in every `each`-th page's response; where these begin.
fn damage(project: &Project, each: usize) -> BTreeSet<u64> {
    let path = warc(project);
    let mut reader = RecordReader::new(std::fs::File::open(&path).unwrap());
    let mut pages = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        let is_page = record.target().is_some_and(|url| url.contains("/p") && !url.contains("/p0."));
        if record.kind == RecordKind::Response && is_page {
            pages.push((record.offset, record.length));
        }
    }
    let mut bytes = std::fs::read(&path).unwrap();
    let mut rng = TestRng(5);
    let hit: Vec<(u64, u64)> = pages.into_iter().skip(1).step_by(each).collect();
    for (offset, length) in &hit {
        // between the header of the member and its last bytes, some bits of which mean nothing
        let at = offset + 10 + rng.below(length - 20);
        bytes[at as usize] ^= 1 << rng.below(8);
    }
    std::fs::write(&path, bytes).unwrap();
    hit.into_iter().map(|(offset, _)| offset).collect()
}

fn offsets(answer: &Value) -> BTreeSet<u64> {
    let named = answer["damaged"].as_array().unwrap();
    assert_eq!(answer["damaged_count"], named.len(), "{answer}");
    assert!(named.iter().all(|record| record["file"] == "osprey-00000.warc.gz"), "{answer}");
    named.iter().map(|record| record["offset"].as_u64().unwrap()).collect()
}

#[test]
fn every_command_skips_names_and_counts_the_same_records() {
    let project = site(60);
    assert_eq!(project.run("check", &[]).status.code(), Some(0));
    let damaged = damage(&project, 5);
    assert!(damaged.len() > 8);
    let indexed = project.json("index", &[]);
    assert_eq!(offsets(&indexed), damaged);
    assert!(
        indexed["damaged"].as_array().unwrap().iter().all(|record| record["url"].is_string()),
        "{indexed}"
    );
    assert_eq!(project.json("search", &["tern"])["total"], 60 - damaged.len());
    let file = |name: &str| project.path().join(name).to_string_lossy().into_owned();
    for what in ["pages", "links"] {
        let exported = project.json("export", &["--what", what, "--out", &file("rows.jsonl")]);
        assert_eq!(offsets(&exported), damaged, "{what}");
    }
    let exported = project.json("export", &["--what", "warc", "--out", &file("all.wacz")]);
    assert_eq!(offsets(&exported), damaged);
    assert_eq!(offsets(&project.json("learn", &["--crawled"])), damaged);
    let exported = project.json("export", &["--what", "records", "--out", &file("rows.jsonl")]);
    assert_eq!(offsets(&exported), damaged);
    assert_eq!(offsets(&project.json("restore", &[])), damaged);
    let text = project.run("index", &["--rebuild"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("damaged and skipped: osprey-00000.warc.gz at ") && text.contains("osprey check"),
        "{text}"
    );

    assert_eq!(offsets(&project.json("topic", &["uploaders"])), damaged);
    let none = fails_with(&project.run("topic", &["expand", "tern", "--crawled"]), 2);
    assert!(none.contains("damaged and skipped"), "{none}");
    let config = project.path().join("osprey.toml");
    let judged = "\n[topic]\ncontent_terms = [\"tern\"]\n[judge]\nkind = \"genre\"\n";
    let plain = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, plain.clone() + judged).unwrap();
    let best = project.json("terms", &["--best", "5"]);
    assert_eq!((offsets(&best), &best["judged"]), (damaged.clone(), &Value::from(60 - damaged.len())));
    let text = String::from_utf8(project.run("terms", &["--best", "5"]).stdout).unwrap();
    assert!(text.contains("damaged and skipped"), "{text}");
    std::fs::write(&config, plain).unwrap();

    let output = project.run("check", &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["damaged"], damaged.len(), "{report}");
    for fault in report["faults"].as_array().unwrap() {
        assert_eq!(fault["part"], "archive", "{fault}");
        assert!(
            fault["file"] == "data/archive/osprey-00000.warc.gz" && fault["remedy"].is_string(),
            "{fault}"
        );
    }
}

#[test]
fn check_says_what_to_run() {
    let project = site(20);
    project.json("learn", &["--crawled"]);
    project.json("index", &[]);
    let faults = || -> Vec<(String, String)> {
        let output = project.run("check", &["--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let faults = report["faults"].as_array().unwrap();
        assert_eq!(output.status.code(), Some(i32::from(!faults.is_empty())), "{report}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        faults.iter().map(|fault| (text(&fault["part"]), text(&fault["remedy"]))).collect()
    };
    assert!(faults().is_empty(), "{:?}", faults());
    let check = |file: &str, part: &str, remedy: &str| {
        let path = project.data().join(file);
        let kept = std::fs::read(&path).unwrap();
        std::fs::write(&path, b"\"nonsense\n").unwrap();
        let found = faults();
        assert!(found.iter().any(|(of, run)| of == part && run.contains(remedy)), "{file}: {found:?}");
        std::fs::write(&path, kept).unwrap();
        assert!(faults().is_empty(), "{file}: {:?}", faults());
    };
    check("model/site.json", "models", "osprey learn");
    check("model/sitemap.toml", "models", "osprey learn");
    check("index/meta.json", "index", "osprey index");
    check("archive/catalog.jsonl", "archive", "osprey crawl");
    let aside = project.path().join("aside");
    std::fs::rename(project.data().join("frontier"), &aside).unwrap();
    assert!(faults().iter().any(|(part, run)| part == "frontier" && run.contains("osprey restore")));
}

/// What is in the way of `learn` is kept under another name, since `learn` is what is recommended.
#[test]
fn learn_goes_on_over_a_damaged_sitemap() {
    let project = site(20);
    project.json("learn", &["--crawled"]);
    let model = project.data().join("model");
    for name in ["sitemap.toml.bak", "sitemap.toml.bak2"] {
        std::fs::write(model.join("sitemap.toml"), "name = \"mine").unwrap();
        let learned = project.json("learn", &["--crawled"]);
        let notes = learned["notes"].to_string();
        assert!(notes.contains(name), "{notes}");
        assert_eq!(std::fs::read_to_string(model.join(name)).unwrap(), "name = \"mine");
    }
}

/// A third of the bytes of a file of the index: an error that says what to run, and no panic.
#[test]
fn a_damaged_index_is_an_error() {
    let project = site(30);
    project.json("index", &[]);
    let index = project.data().join("index");
    for kind in ["store", "idx", "term", "fast", "fieldnorm", "pos"] {
        let files = std::fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().path());
        let Some(file) = files.into_iter().find(|path| path.extension().is_some_and(|name| name == kind))
        else {
            continue;
        };
        let kept = std::fs::read(&file).unwrap();
        let mut rng = TestRng(9);
        let mut bytes = kept.clone();
        bytes.iter_mut().filter(|_| rng.below(3) == 0).for_each(|byte| *byte ^= 0x55);
        std::fs::write(&file, bytes).unwrap();
        let text = fails_with(&project.run("search", &["tern word1"]), 1);
        assert!(text.contains("--rebuild`") && !text.contains("panicked"), "{kind}: {text}");
        let report = project.run("check", &[]);
        assert_eq!(report.status.code(), Some(1), "{kind}");
        std::fs::write(&file, kept).unwrap();
    }
    assert_eq!(project.json("search", &["tern"])["total"], 30);
}

/// A rebuild that is killed, before it has begun to index and at some places of it, leaves what was there.
#[test]
fn a_killed_rebuild_leaves_the_old_index() {
    let project = site(40);
    project.json("index", &[]);
    let found = || project.json("search", &["tern", "--limit", "100"])["total"].clone();
    assert_eq!(found(), 40);
    for round in 0..6_u64 {
        let mut child = osprey()
            .args(["index", "--rebuild"])
            .arg(project.path())
            .env("OSPREY_LOG", "osprey::index=info")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // at once; when the new index is there; when it has its commit
        match round % 3 {
            0 => {}
            1 => while !project.data().join("index.new").exists() && child.try_wait().unwrap().is_none() {},
            _ => {
                let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
                lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("commit")));
            }
        }
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(found(), 40, "round {round}");
    }
    // the next run removes what a kill after the swap left
    project.json("index", &[]);
    // between the two renames there is no `index`
    std::fs::rename(project.data().join("index"), project.data().join("index.old")).unwrap();
    assert_eq!(found(), 40);
    project.json("index", &[]);
    let names: BTreeSet<String> = std::fs::read_dir(project.data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        names.contains("index") && !names.contains("index.old") && !names.contains("index.new"),
        "{names:?}"
    );
    project.json("index", &["--rebuild"]);
    assert_eq!(found(), 40);
}

/// On a disk that takes no more, the old index stays.
#[test]
fn a_rebuild_on_a_full_disk_leaves_the_old_index() {
    let project = site(40);
    project.json("index", &[]);
    let output = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" index --rebuild \"$1\""])
        .arg(env!("CARGO_BIN_EXE_osprey"))
        .arg(project.path())
        .output()
        .unwrap();
    let text = fails_with(&output, 1);
    assert!(text.contains("room"), "{text}");
    assert_eq!(project.json("search", &["tern"])["total"], 40);
    project.json("index", &["--rebuild"]);
    assert_eq!(project.json("search", &["tern"])["total"], 40);
}

/// A deep page has paths that are together much longer than it: they are cut.
#[test]
fn page_prints_no_more_than_is_of_use() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep.html");
    let deep: String = (0..400).map(|n| format!("<div class=c{n}><p>text {n}</p>")).collect();
    std::fs::write(&file, format!("<!doctype html>{deep}")).unwrap();
    let bytes = |args: &[&str]| osprey().arg("page").arg(&file).args(args).output().unwrap().stdout.len();
    let (short, all) = (bytes(&[]), bytes(&["--all"]));
    assert!(short < 700_000, "{short}");
    assert!(all > short + short / 2, "{short} of {all}");
    assert!(bytes(&["--json"]) < 700_000);
}
