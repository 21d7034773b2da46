//! Detail pages of recorded sites, recognised by a tree that has not seen the site; the recordings are in
//! `OSPREY_DATA`.

use std::path::{Path, PathBuf};

use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{CanonicalUrl, Exchange};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::drp::{FeatureSet, LabelledPage, Model, feature_pairs};

const TABLE: &str = include_str!("../../../../lab/training/detail-pages.tsv");

/// How many pages of each kind are used.
const PAGES: usize = 60;

/// Some pages of a recording whose URL contains one of these words.
fn pages(folder: &Path, name: &str, words: &[&str]) -> Vec<Page> {
    let replay = Replay::open(&folder.join(format!("{name}.warc.gz")), &ReplayOptions::default());
    let replay = replay.expect("a recording");
    let is_asked = |url: &&CanonicalUrl| words.iter().any(|word| url.as_str().contains(word));
    let mut urls: Vec<&CanonicalUrl> = replay.urls().filter(is_asked).collect();
    urls.sort_by_key(|url| url.fingerprint());
    let page = |url: &CanonicalUrl| {
        let Exchange::Answered(response) = replay.get(url) else { return None };
        let content_type = response.headers.get("content-type");
        let input = Input { url, content_type, body: &response.body };
        (response.status == 200).then(|| Page::parse(&input, &PageRules::default()))
    };
    urls.into_iter().filter_map(page).take(PAGES).collect()
}

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("OSPREY_DATA").map(|data| Path::new(&data).join("corpora"));
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("left out: detail pages of recorded sites (OSPREY_DATA is not set)");
    }
    folder
}

#[test]
fn detail_pages_of_an_unseen_site_are_recognised() {
    let Some(folder) = folder() else { return };
    let site = "dh-answers";
    let others: Vec<LabelledPage<'_>> =
        LabelledPage::read_table(TABLE).into_iter().filter(|page| page.site != site).collect();
    let model = Model::train(FeatureSet::Osprey, &others);
    let check = |words: &[&str], detail: bool| {
        let pages = pages(&folder, site, words);
        let right = pages.iter().filter(|page| model.is_detail(page).detail == detail).count();
        assert_eq!(pages.len(), PAGES, "{words:?}");
        assert!(right * 10 >= pages.len() * 9, "{words:?}: {right} of {}", pages.len());
    };
    check(&["/topic/"], true);
    check(&["/tags/", "/forum/"], false);
}

#[test]
fn the_labels_of_a_record_are_found() {
    let Some(folder) = folder() else { return };
    let check = |host: &str, label: &str| {
        let pages = pages(&folder, "swde-16", &[host]);
        let with_label = pages
            .iter()
            .filter(|page| feature_pairs(page).iter().any(|pair| pair.label.trim_end_matches(':') == label));
        let found = with_label.count();
        assert!(found * 10 >= pages.len() * 8, "{host} {label}: {found} of {}", pages.len());
    };
    check("espn.go.com", "Height");
    check("collegesearch.collegeboard.com", "Degrees offered");
}
