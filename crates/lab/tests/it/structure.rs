//! The quality of what is learned of sites: always on a small world, and on recorded sites if `OSPREY_DATA` has them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::small;

const FORUMS: [&str; 4] = ["dh-answers", "openenergymonitor", "forum-spirit", "blog-wordpress"];

type Figures = BTreeMap<String, f64>;

/// The figures of the first variant, by corpus.
fn run(experiment: &str, data: Option<PathBuf>) -> BTreeMap<String, Figures> {
    let run = small::run(experiment, tempfile::tempdir().unwrap().path(), data.as_deref());
    run.cells.into_iter().map(|cell| (cell.corpus, cell.findings.figures)).collect()
}

/// The recordings, or nothing with a line that says what is left out.
fn data(what: &str) -> Option<PathBuf> {
    let data = std::env::var_os("OSPREY_DATA").map(PathBuf::from).filter(|path| path.is_dir());
    if data.is_none() {
        eprintln!("left out: {what} on recorded sites (OSPREY_DATA is not set)");
    }
    data
}

fn on(measure: &str, with: &str, corpora: &[&str]) -> String {
    let corpora: String =
        corpora.iter().map(|name| format!("[[corpus]]\nrecording = \"{name}\"\n")).collect();
    format!(
        "about = \"Small.\"\nmeasure = \"{measure}\"\nscale.small = {{ pages = 1000, budget = 600, random_seeds = 1 }}\n\
         [[variant]]\nname = \"one\"\n{with}\n{corpora}"
    )
}

fn mean(figures: &BTreeMap<String, Figures>, name: &str) -> f64 {
    figures.values().map(|figures| figures[name]).sum::<f64>() / figures.len() as f64
}

#[test]
fn recorded_sites_fall_into_their_templates() {
    let Some(data) = data("clustering") else { return };
    let with = "with = { method = \"osprey\", sample = 600 }";
    let found = run(&on("clustering", with, &FORUMS), Some(data));
    assert_eq!(found.len(), FORUMS.len());
    let at_least = |name: &str, least: f64| {
        let mean = mean(&found, name);
        assert!(mean >= least, "{name}: {mean}; {found:?}");
    };
    at_least("purity", 0.95);
    at_least("micro_f", 0.88);
    at_least("purity_by_type", 0.95);
    at_least("micro_f_by_type", 0.85);
    at_least("precision", 0.93);
}

#[test]
fn clusters_of_recorded_sites_are_labelled() {
    let Some(data) = data("labels of page types") else { return };
    let found = run(&on("page-types", "", &["dh-answers", "forum-spirit", "blog-wordpress"]), Some(data));
    for (corpus, figures) in &found {
        assert!(figures["clusters_right"] >= 0.85, "{corpus}: {figures:?}");
        assert!(figures["rules_type_right_from_10"] >= 0.9, "{corpus}: {figures:?}");
    }
}

#[test]
fn records_of_recorded_sites_are_read() {
    let Some(data) = data("extraction") else { return };
    let names = ["dh-topics", "wordpress-posts", "spirit-topics"];
    let corpora: String = names
        .iter()
        .zip(["dh-answers", "blog-wordpress", "forum-spirit"])
        .map(|(name, recording)| format!("[[corpus]]\nname = \"{name}\"\nrecording = \"{recording}\"\n"))
        .collect();
    let found = run(&format!("{}{corpora}", on("extraction", "", &[])), Some(data));
    for (corpus, figures) in &found {
        assert!(figures["title_f1"] >= 0.95 && figures["uploader_f1"] >= 0.95, "{corpus}: {figures:?}");
    }
}
