//! From a crawl, or a folder of pictures, to answers: `index`, `search` and `vision` as a user types them.

use std::fs;
use std::path::Path;

use osprey_index::{Document, Index, WriterOptions};
use osprey_vision::{Codebook, Picture, draw};
use serde_json::Value;

use crate::project;
use crate::project::{Project, fails_with, osprey};

/// A PNG of one colour with stripes of another.
fn striped(colour: [u8; 3], stripe: [u8; 3]) -> Vec<u8> {
    draw::png(&Picture::from_fn(96, 96, |x, _| if x % 16 < 4 { stripe } else { colour }))
}

/// A folder with pictures of three colours in two folders, a page under a picture's name, and a text.
fn pictures(folder: &Path) {
    let (red, green, blue) = ([200, 20, 30], [30, 160, 40], [20, 60, 200]);
    fs::create_dir_all(folder.join("roses/old garden")).unwrap();
    fs::create_dir_all(folder.join("sea")).unwrap();
    fs::write(folder.join("roses/red_rose.png"), striped(red, [160, 10, 20])).unwrap();
    fs::write(folder.join("roses/old garden/green-leaf.png"), striped(green, red)).unwrap();
    fs::write(folder.join("sea/blue_wave.png"), striped(blue, [240, 240, 250])).unwrap();
    fs::write(folder.join("sea/copy.png"), striped(blue, [240, 240, 250])).unwrap();
    fs::write(folder.join("sea/lies.png"), "<html>not here").unwrap();
    fs::write(folder.join("notes.txt"), "no picture").unwrap();
}

fn json(args: &[&str]) -> Value {
    let output = osprey().args(["--json", "--quiet"]).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn titles(results: &Value) -> Vec<&str> {
    results["hits"].as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap()).collect()
}

#[test]
fn ones_own_pictures_can_be_searched() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own pictures");
    pictures(&own);
    let (dir, images) = (folder.path().join("p"), own.to_str().unwrap());
    let dir = dir.to_str().unwrap();

    let missing = osprey().args(["search", dir, "rose"]).output().unwrap();
    assert!(fails_with(&missing, 2).contains("osprey index"));
    let nothing = osprey().args(["index", dir]).output().unwrap();
    assert!(fails_with(&nothing, 2).contains("--images FOLDER"));

    let indexed = json(&["index", dir, "--images", images]);
    assert_eq!((&indexed["documents"], &indexed["looked_at"]), (&4.into(), &4.into()), "{indexed}");
    assert_eq!(indexed["refused"]["not a picture"], 1);
    // again: nothing is looked at twice, nothing is there twice
    let again = json(&["index", dir, "--images", images]);
    assert_eq!(again["looked_at"], 0);

    let check = |query: &[&str], expect: &[&str]| {
        let results = json(&[&["search", dir], query].concat());
        let mut found = titles(&results);
        found.sort_unstable();
        assert_eq!(found, expect, "{query:?}");
        assert_eq!(results["total"], expect.len(), "{query:?}");
    };
    check(&["rose"], &["green leaf", "red rose"]);
    check(&["title:rose"], &["red rose"]);
    check(&["tag:roses"], &["green leaf", "red rose"]);
    check(&["tag:old garden"], &["green leaf"]);
    check(&["color:blue"], &["blue wave", "copy"]);
    check(&["tag:roses -color:green"], &["red rose"]);
    check(&["sea", "wave"], &["blue wave"]);
    check(&["--", "tag:sea", "-copy"], &["blue wave"]);

    let like = json(&["search", dir, "--like", own.join("roses/red_rose.png").to_str().unwrap()]);
    assert_eq!(titles(&like)[0], "red rose");
    let hit = &like["hits"][0];
    assert!(Path::new(hit["thumbnail"].as_str().unwrap()).exists(), "{hit}");
    let parts: f64 = hit["parts"].as_object().unwrap().values().map(|part| part.as_f64().unwrap()).sum();
    assert!((parts - hit["score"].as_f64().unwrap()).abs() < 1e-4, "{hit}");
}

#[test]
fn bad_queries_get_helpful_messages() {
    let folder = tempfile::tempdir().unwrap();
    pictures(&folder.path().join("own"));
    let (dir, images) = (folder.path().join("p"), folder.path().join("own"));
    let dir = dir.to_str().unwrap();
    json(&["index", dir, "--images", images.to_str().unwrap()]);
    let check = |query: &[&str], code: i32, expect: &str| {
        let output = osprey().args(["search", dir]).args(query).output().unwrap();
        let text = fails_with(&output, code);
        assert!(text.contains(expect), "{query:?}: {text}");
    };
    check(&["rose ("], 2, "character 7");
    check(&["color:bluu"], 2, "expected a colour");
    check(&["hue:red"], 2, "hue");
    check(&[], 2, "nothing to look for");
    check(&["--like-url", "http://nowhere.example/"], 2, "not in the index");
    check(&["--like", images.join("notes.txt").to_str().unwrap()], 1, "not a picture");
    check(&["--like", "/nowhere.jpg"], 1, "/nowhere.jpg");
    check(&["-dog"], 2, "--");
    // a mebibyte in pieces, because systems bound one argument
    let (piece, words) = ("x".repeat(64 << 10), vec!["rose"; 5000]);
    check(&[piece.as_str(); 16], 2, "a query of at most 65536 bytes");
    check(&words, 2, "at most 1024 conditions");
    check(&["(".repeat(5000).as_str()], 2, "at most 64 parentheses");
    check(&["--offset", "10000", "rose"], 2, "at most 10000 results");
    let misspelt = json(&["search", dir, "roze"]);
    assert_eq!((&misspelt["total"], &misspelt["suggestion"]), (&0.into(), &"rose".into()));
}

#[test]
fn a_crawl_becomes_searchable_and_what_comes_later_is_added() {
    let project = Project::new(
        "[crawl]\nscope = \"domain\"\n[source]\nkind = \"world\"\nname = \"photo\"\nrandom_seed = 3\nsize = 600\n\
         [structure]\nsample_pages = 250\n",
    );
    project.json("learn", &[]);
    let first = project.json("crawl", &["--budget", "120"]);
    let indexed = project.json("index", &[]);
    assert_eq!(indexed["looked_at"], first["pictures"], "{indexed}");
    assert!(indexed["pictures"].as_u64().unwrap() > 5, "{indexed}");

    project.json("crawl", &["--budget", "200"]);
    let more = project.json("index", &[]);
    let (before, added) = (indexed["documents"].as_u64().unwrap(), more["documents"].as_u64().unwrap());
    assert!(0 < added && added < before, "{indexed} {more}");
    assert_eq!(project.json("index", &[])["documents"], 0);

    // every record is found by its own title, with its picture
    let record = project.rows("records").into_iter().find(|record| record["kind"] == "detail").unwrap();
    let query = format!("title:\"{}\"", record["title"].as_str().unwrap().replace('"', ""));
    let found = project.json("search", &[&query, "--limit", "5"]);
    let urls: Vec<&Value> = found["hits"].as_array().unwrap().iter().map(|hit| &hit["url"]).collect();
    assert!(urls.contains(&&record["url"]), "{query}: {urls:?}");

    // an index of another version is built anew from the archive, and has the same in it
    let about = project.data().join("index/osprey-index.json");
    fs::write(&about, fs::read_to_string(&about).unwrap().replace(":2,", ":1,")).unwrap();
    let stale = fails_with(&project.run("search", &["beach"]), 2);
    assert!(stale.contains("index of version `1`, expected `2`; rebuild it with `osprey index"), "{stale}");
    let output = project.run("index", &["--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("rebuilding it now"), "{said}");
    let rebuilt: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rebuilt["documents"].as_u64().unwrap(), before + added);
    assert_eq!(rebuilt["looked_at"], 0);
}

#[test]
fn a_killed_index_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    pictures(&folder.path().join("own"));
    let (dir, images) = (folder.path().join("p"), folder.path().join("own"));
    let mut rng = project::TestRng(5);
    for _ in 0..10 {
        let mut child = osprey().arg("index").arg(&dir).arg("--images").arg(&images).spawn().unwrap();
        (0..rng.below(30_000_000)).for_each(|i| {
            std::hint::black_box(i);
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let dir = dir.to_str().unwrap();
    json(&["index", dir, "--images", images.to_str().unwrap()]);
    assert_eq!(json(&["search", dir, "tag:sea OR tag:roses"])["total"], 4);
}

#[test]
fn a_full_disk_is_reported_and_the_next_run_continues() {
    let folder = tempfile::tempdir().unwrap();
    pictures(&folder.path().join("own"));
    let (dir, images) = (folder.path().join("p"), folder.path().join("own"));
    let index = ["index".as_ref(), dir.as_os_str(), "--images".as_ref(), images.as_os_str()];
    // no file may grow past so many blocks; the last is enough for all
    let mut refused = 0;
    for blocks in [1, 2, 8, 1_000_000] {
        let limit = format!(r#"trap "" XFSZ; ulimit -f {blocks}; exec "$0" "$@""#);
        let mut limited = std::process::Command::new("sh");
        limited.arg("-c").arg(limit).arg(env!("CARGO_BIN_EXE_osprey")).args(index);
        let output = limited.output().unwrap();
        if !output.status.success() {
            let said = fails_with(&output, 1);
            assert!(said.contains(dir.to_str().unwrap()) && said.contains("room and run it again"), "{said}");
            refused += 1;
        }
    }
    assert!((1..4).contains(&refused), "{refused}");
    assert_eq!(json(&["search", dir.to_str().unwrap(), "tag:sea OR tag:roses"])["total"], 4);
}

#[test]
fn an_index_is_searched_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    pictures(&folder.path().join("own"));
    let (dir, images) = (folder.path().join("p"), folder.path().join("own"));
    let (path, images) = (dir.to_str().unwrap(), images.to_str().unwrap());
    json(&["index", path, "--images", images]);
    let index = Index::open(&dir.join("data/index"), Codebook::embedded()).unwrap();
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    let url = "http://a.example/".to_owned();
    writer.put(&Document { url, title: "rose".to_owned(), ..Document::default() }).unwrap();
    let total = || json(&["search", path, "rose"])["total"].as_u64();
    assert_eq!(total(), Some(2));
    for more in [&["--images", images][..], &["--images", images, "--rebuild"]] {
        let second = osprey().args(["index", path]).args(more).output().unwrap();
        assert!(fails_with(&second, 1).contains("another process is writing this index"));
    }
    writer.commit(None).unwrap();
    assert_eq!(total(), Some(3));
}

#[test]
fn what_was_fetched_is_indexed_and_exported_while_another_process_has_the_stores() {
    let project = Project::harbour("");
    project.json("crawl", &[]);
    let options = osprey_frontier::Options::default();
    let running = osprey_frontier::Frontier::open(&project.data().join("frontier"), &options).unwrap();
    let indexed = project.json("index", &[])["documents"].as_u64();
    assert!(indexed > Some(0));
    assert_eq!(project.json("index", &["--rebuild"])["documents"].as_u64(), indexed);
    assert!(project.json("search", &["harbour"])["total"].as_u64() > Some(0));
    let visits = project.run("export", &["--what", "visits"]).stdout;
    drop(running);
    assert!(!visits.is_empty());
    assert_eq!(project.run("export", &["--what", "visits"]).stdout, visits);
}

#[test]
fn the_words_of_a_picture_are_shown_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (image, drawn) = (folder.path().join("a.png"), folder.path().join("drawn.png"));
    fs::write(&image, striped([200, 20, 30], [160, 10, 20])).unwrap();
    let (image, drawn) = (image.to_str().unwrap(), drawn.to_str().unwrap());
    let shown = json(&["vision", "words", image, "--draw", drawn]);
    assert_eq!(shown["words"]["dominant"][0]["name"], "red", "{shown}");
    assert!(fs::read(drawn).unwrap().starts_with(b"\x89PNG"));
    let sheet = json(&["vision", "codebook", folder.path().to_str().unwrap()]);
    assert_eq!(sheet["colours"], 128);
    assert!(fs::read(sheet["drawn"].as_str().unwrap()).unwrap().starts_with(b"\x89PNG"));
    fs::write(image, "<svg>").unwrap();
    let refused = osprey().args(["vision", "words", image]).output().unwrap();
    assert!(fails_with(&refused, 1).contains("a.png"));
}

#[test]
fn a_codebook_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, images) = (folder.path().join("p"), folder.path().join("own"));
    fs::create_dir(&images).unwrap();
    for n in 0..24_u8 {
        fs::write(images.join(format!("{n}.png")), striped([n * 10, 200 - n * 5, 90], [n * 3, 0, 250]))
            .unwrap();
    }
    let (dir, images) = (dir.to_str().unwrap(), images.to_str().unwrap());
    json(&["index", dir, "--images", images]);
    let own = json(&["index", dir, "--images", images, "--retrain"]);
    assert_eq!((&own["documents"], &own["looked_at"]), (&24.into(), &24.into()));
    let sheet = json(&["vision", "codebook", dir]);
    assert_eq!(sheet["origin"], "24 pictures of this project");
    assert_eq!(json(&["search", dir, "--like", &format!("{images}/7.png")])["hits"][0]["title"], "7");

    let few = folder.path().join("few");
    pictures(&few);
    let refused =
        osprey().args(["index", dir, "--retrain", "--images", few.to_str().unwrap()]).output().unwrap();
    assert!(fails_with(&refused, 2).contains("at least 20"));
}
