//! Damaged files: each command skips, names and counts the same records; `check` finds what is damaged and says what to
//! run; a damaged index is an error; a killed rebuild leaves the old index.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
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
    let config = project.path().join("osprey.toml");
    let plain = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, plain.clone() + "[fetch]\ncookies = true\n").unwrap();
    std::fs::write(project.data().join("cookies.json"), r#"{"version":1,"cookies":[]}"#).unwrap();
    check("cookies.json", "models", "delete it");
    let judged = "[judge]\nkind = \"taxonomy\"\n[topic]\nnode = \"Mine\"\ntaxonomy = \"mine.toml\"\n";
    std::fs::write(&config, plain.clone() + judged).unwrap();
    let taxonomy = "[[topic]]\nname = \"Mine\"\nen = \"tern sea bird\"\n";
    std::fs::write(project.path().join("mine.toml"), taxonomy).unwrap();
    assert!(faults().is_empty(), "{:?}", faults());
    std::fs::write(project.path().join("mine.toml"), &taxonomy[..20]).unwrap();
    assert!(
        faults().iter().any(|(part, run)| part == "models" && run.contains("correct it")),
        "{:?}",
        faults()
    );
    std::fs::write(&config, plain.clone() + "[judge]\nkind = \"model\"\n").unwrap();
    assert!(faults().iter().any(|(part, run)| part == "models" && run.contains("correct")), "{:?}", faults());
    std::fs::write(&config, plain).unwrap();
    let is_frontier = |(part, run): &(String, String)| part == "frontier" && run.contains("osprey restore");
    let frontier = project.data().join("frontier");
    let sealed = files(&frontier).into_iter().filter(|path| !path.ends_with("lock"));
    for path in sealed.filter(|path| !path.ends_with("0.jnl")) {
        let kept = std::fs::read(&path).unwrap();
        if kept.is_empty() {
            continue;
        }
        std::fs::write(&path, kept.iter().map(|byte| byte ^ 0x55).collect::<Vec<_>>()).unwrap();
        let before = bytes_of(&frontier);
        assert!(faults().iter().any(is_frontier), "{}: {:?}", path.display(), faults());
        assert_eq!(bytes_of(&frontier), before, "{}: something was changed", path.display());
        std::fs::write(&path, kept).unwrap();
    }
    assert!(faults().is_empty(), "{:?}", faults());
    let aside = project.path().join("aside");
    std::fs::rename(&frontier, &aside).unwrap();
    assert!(faults().iter().any(is_frontier));
}

/// All files in a folder and its folders.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_all(&path, &target);
        } else {
            std::fs::copy(&path, target).unwrap();
        }
    }
}

/// What is in a folder, but for the file that says who holds it.
fn bytes_of(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |path: PathBuf| (path.clone(), std::fs::read(path).unwrap());
    files(dir).into_iter().filter(|path| !path.ends_with("lock")).map(read).collect()
}

/// A frontier whose last commits were cut off is not damaged, as long as the archive has them: the next crawl takes them over.
#[test]
fn check_names_what_the_next_crawl_takes_over() {
    let project = site(20);
    let cut = |project: &Project| {
        let mut journals = files(&project.data().join("frontier")).into_iter();
        let journal = journals.rfind(|path| path.extension().is_some_and(|kind| kind == "jnl")).unwrap();
        let bytes = std::fs::read(&journal).unwrap();
        // behind its entries it has zeros
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        std::fs::write(&journal, &bytes[..used / 2]).unwrap();
    };
    let visits = project.rows("visits").len();
    cut(&project);
    let before = bytes_of(&project.data().join("frontier"));
    let report = project.json("check", &[]);
    assert!(
        report["notes"][0].as_str().is_some_and(|note| note.contains("the next `osprey crawl")),
        "{report}"
    );
    assert_eq!(bytes_of(&project.data().join("frontier")), before, "nothing is repaired");
    project.json("crawl", &[]);
    assert_eq!(project.json("check", &[])["notes"], serde_json::json!([]));
    assert_eq!(project.rows("visits").len(), visits, "none is fetched again");
}

/// The frontier of a folder that may only be read is checked as well.
#[test]
fn check_works_where_nothing_may_be_written() {
    let project = site(20);
    let locked = |is_locked: bool| {
        let frontier = project.data().join("frontier");
        for path in files(&frontier).iter().chain([&frontier]) {
            let rights = Permissions::from_mode(if is_locked { 0o500 } else { 0o700 });
            std::fs::set_permissions(path, rights).unwrap();
        }
    };
    locked(true);
    let report = project.json("check", &[]);
    locked(false);
    assert_eq!((&report["faults"], &report["skipped"]), (&serde_json::json!([]), &serde_json::json!([])));
}

/// A flipped bit in a file of the frontier or the index is found, or nothing that the crawl or a search tells is another;
/// and nothing panics.
#[test]
fn flipped_bits_are_found_or_change_nothing() {
    let project = site(30);
    project.json("index", &[]);
    let told = |part: &str| -> String {
        if part == "index" {
            return project.json("search", &["tern word1", "--limit", "100"])["hits"].to_string();
        }
        let status = project.json("status", &[]);
        let states = ["http://site.example/", "http://site.example/p7.html"]
            .map(|url| project.json("explain", &[url])["details"].to_string());
        format!("{} {} {states:?}", status["visited"], status["frontier"])
    };
    let mut rng = TestRng(11);
    for (part, rounds) in [("frontier", 24), ("index", 16)] {
        let before = told(part);
        let (folder, aside) = (project.data().join(part), project.path().join("aside").join(part));
        copy_all(&folder, &aside);
        let all = files(&folder).into_iter();
        let all: Vec<PathBuf> = all.filter(|path| std::fs::metadata(path).unwrap().len() > 0).collect();
        for round in 0..rounds {
            // the journal has most of a small frontier
            let journals = all.iter().filter(|path| path.extension().is_some_and(|kind| kind == "jnl"));
            let path = match journals.clone().next().filter(|_| round % 3 == 0) {
                Some(journal) => journal,
                None => &all[rng.below(all.len() as u64) as usize],
            };
            let kept = std::fs::read(path).unwrap();
            let used = kept.iter().rposition(|byte| *byte != 0).unwrap_or(0) as u64 + 1;
            let mut bytes = kept.clone();
            let at = rng.below(used) as usize;
            bytes[at] ^= 1 << rng.below(8);
            std::fs::write(path, bytes).unwrap();
            let output = project.run("check", &["--json"]);
            let (text, errors) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
            let place = format!("{} at {at}", path.display());
            assert!(!errors.contains("panicked"), "{place}: {errors}");
            let report: Value = serde_json::from_slice(text).unwrap_or_else(|_| panic!("{place}: {errors}"));
            let is_told =
                ["faults", "notes", "skipped"].iter().any(|list| report[list] != serde_json::json!([]));
            if is_told {
                std::fs::write(path, kept).unwrap();
            } else {
                assert_eq!(told(part), before, "{place}: not found, and it is another");
                // the store may have repaired itself when it was opened
                std::fs::remove_dir_all(&folder).unwrap();
                copy_all(&aside, &folder);
            }
        }
        assert_eq!(told(part), before);
    }
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
fn page_prints_only_what_is_useful() {
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
