//! Measures on pictures: always on a few generated ones, and on Corel-1k if `OSPREY_DATA` has it.

use std::collections::BTreeMap;
use std::path::Path;

use osprey_lab::{Findings, Run, summarise};
use osprey_vision::Picture;

use crate::small;

fn run(text: &str, data: Option<&Path>) -> Run {
    small::run(text, tempfile::tempdir().unwrap().path(), data)
}

/// An experiment of one measure, with a line of `with` for each variant.
fn experiment(measure: &str, folder: &str, pictures: usize, variants: &[(&str, &str)]) -> String {
    let variant =
        |(name, with): &(&str, &str)| format!("[[variant]]\nname = \"{name}\"\nwith = {{ {with} }}\n");
    let variants: String = variants.iter().map(variant).collect();
    format!(
        "about = \"Small.\"\nmeasure = \"{measure}\"\nscale.small = {{ pages = {pictures} }}\n\
         [[corpus]]\npictures = \"{folder}\"\n{variants}"
    )
}

fn by_variant(run: Run) -> BTreeMap<String, Findings> {
    run.cells.into_iter().map(|cell| (cell.variant, cell.findings)).collect()
}

/// Three classes, each with a colour and a pattern of its own.
fn made() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (class, name) in ["dots", "fields", "stripes"].into_iter().enumerate() {
        std::fs::create_dir_all(folder.path().join("set").join(name)).unwrap();
        for number in 0..6usize {
            let picture = Picture::from_fn(192, 128, |x, y| {
                let (x, y) = (x + number * 5, y + number * 3);
                let on = match class {
                    0 => (x % 12).abs_diff(6) + (y % 12).abs_diff(6) < 5,
                    1 => x / 64 % 2 == y / 64 % 2,
                    _ => (x + y) % 8 < 4,
                };
                let value = if on { 210 } else { 60 } + (number * 4) as u8;
                [[value, 40, 40], [40, value, 40], [40, 40, value]][class]
            });
            let path = folder.path().join("set").join(name).join(format!("{number}.png"));
            std::fs::write(path, osprey_vision::draw::png(&picture)).unwrap();
        }
    }
    folder
}

#[test]
fn generated_classes_are_found_by_every_method() {
    let data = made();
    let ways = [
        ("gabor", "vector = \"gabor\""),
        ("hsv", "vector = \"hsv\""),
        ("five", "words = 5"),
        ("colour", "parts = [\"colour\"]"),
        ("texture", "parts = [\"texture\", \"borders\"], codebook = \"embedded\""),
    ];
    let found = by_variant(run(&experiment("pictures", "set", 18, &ways), Some(data.path())));
    for (way, findings) in &found {
        // Five of a class are there to be found.
        assert!(findings.figures["map"] > 0.8, "{way}: {findings:?}");
        assert_eq!(findings.figures["queries"], 18.0);
        assert!(findings.figures["p10"] <= 0.5 + 1e-9, "{way}: {findings:?}");
    }
    assert_eq!(found.len(), ways.len());
}

#[test]
fn the_more_words_are_required_the_fewer_are_found() {
    let data = made();
    let ways =
        [("vector", "vector = \"gabor\""), ("any", "hard = true"), ("all", "reading = \"and\", hard = true")];
    let text = experiment("picture-queries", "set", 18, &ways);
    let run = run(&text, Some(data.path()));
    let report = summarise(&run);
    assert!(report.sections.len() >= 4);
    let found = by_variant(run);
    let results = |variant: &str| found[variant].curves["results_by_words"].clone();
    assert!(results("all").is_sorted_by(|a, b| a.1 >= b.1), "{:?}", results("all"));
    assert!(results("any").is_sorted_by(|a, b| a.1 <= b.1), "{:?}", results("any"));
    assert!(results("vector").iter().all(|(_, results)| *results == 17.0));
    assert!(found["any"].timings.contains_key("query_us_5_words_100_times"));
}

#[test]
fn words_are_counted_and_errors_are_named() {
    let data = made();
    let ways = [
        ("uniform", "what = \"colour\", way = \"uniform\", words = 64"),
        ("learnt", "what = \"texture\", way = \"cluster-merge\", words = 16"),
    ];
    let found = by_variant(run(&experiment("word-use", "set", 18, &ways), Some(data.path())));
    for findings in found.values() {
        let shares = &findings.curves["share_of_all_by_rank"];
        assert!(shares.is_sorted_by(|a, b| a.1 >= b.1));
        assert!((shares.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 0.05, "{shares:?}");
        assert!(findings.figures["sparseness"] > 0.2, "{findings:?}");
    }
    let left = run(&experiment("pictures", "set", 18, &[("five", "words = 5")]), None);
    assert_eq!(left.left_out[0].1, "set OSPREY_DATA to the folder with the pictures");
    let left = run(&experiment("pictures", "no-such", 18, &[("five", "words = 5")]), Some(data.path()));
    assert!(left.left_out[0].1.ends_with("no-such: not found"), "{:?}", left.left_out);
}

/// The embedded codebook on every fifth photograph; with all of them the figures are in `docs/vision.md`.
#[test]
fn photographs_are_found_better_by_words_than_by_vectors() {
    let Some(data) = std::env::var_os("OSPREY_DATA") else {
        eprintln!("left out: pictures of Corel-1k (OSPREY_DATA is not set)");
        return;
    };
    let all =
        "parts = [\"colour\", \"colour-regions\", \"texture\", \"borders\", \"shape\", \"shape-regions\"]";
    let ways = [
        ("gabor", "vector = \"gabor\"".to_owned()),
        ("hsv", "vector = \"hsv\"".to_owned()),
        ("five", "words = 5, codebook = \"embedded\"".to_owned()),
        ("all", format!("{all}, codebook = \"embedded\"")),
    ];
    let ways: Vec<(&str, &str)> = ways.iter().map(|(name, with)| (*name, with.as_str())).collect();
    let found = by_variant(run(&experiment("pictures", "corel1k", 200, &ways), Some(Path::new(&data))));
    let p10 = |way: &str| found[way].figures["p10"];
    assert!(p10("five") > p10("gabor") - 0.02, "{} {}", p10("five"), p10("gabor"));
    assert!(p10("all") > p10("hsv") + 0.05, "{} {}", p10("all"), p10("hsv"));
}
