//! Makes the table of labelled pages and grows our tree from it:
//! `OSPREY_DATA=... cargo run --release -p osprey-structure --example train_drp`.
//!
//! Pages come from the recordings that have detail pages, from the Chinese news pages, and from the nine simulated
//! worlds: at most fifty detail pages and fifty others of each site, drawn by their URL. Others are lists and profiles.
//! Pages of type "other" are left out, since truth files do not say what those are; so is `webkb`, where people wrote
//! their pages by hand and its classes are of another kind.
//!
//! Without `OSPREY_DATA` the tree is grown from the table as it is. It then measures sites that were not seen: for each
//! site, a tree trained on all the others.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints, and may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use osprey_archive::{Replay, ReplayOptions};
use osprey_model::PageType;
use osprey_model::{CanonicalUrl, Exchange, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::drp::{DrpFeatures, FeatureSet, LabelledPage, Model};
use osprey_world::{Ask, Kind, Options, World};
use regex::Regex;

/// Pages of each class of a site.
const MOST: usize = 50;
const RECORDINGS: [&str; 6] =
    ["blog-wordpress", "dh-answers", "forum-spirit", "openenergymonitor", "swde-16", "w3school-cn"];
const WORLDS: [Kind; 9] = [
    Kind::Photo,
    Kind::Video,
    Kind::Forum,
    Kind::Qa,
    Kind::Movies,
    Kind::Ratings,
    Kind::Sports,
    Kind::Campus,
    Kind::Portal,
];
const ABOUT: &str =
    "# Features of labelled pages, made by the example `train_drp`: site, whether it is a detail page, then";

/// The lines of the table, and what has been taken so far.
#[derive(Default)]
struct Table {
    lines: BTreeSet<(String, String)>,
    taken: BTreeMap<(String, bool), usize>,
}

impl Table {
    fn has_room(&self, site: &str, detail: bool) -> bool {
        self.taken.get(&(site.to_owned(), detail)).is_none_or(|&taken| taken < MOST)
    }

    /// Takes a page, unless a page with the same features was already taken: copies add nothing.
    fn take(
        &mut self,
        site: &str,
        detail: bool,
        url: &CanonicalUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) {
        let page = Page::parse(&Input { url, content_type, body }, &PageRules::default());
        let line = LabelledPage { site, detail, features: DrpFeatures::of(&page) }.line();
        if self.lines.insert((site.to_owned(), line)) {
            *self.taken.entry((site.to_owned(), detail)).or_default() += 1;
        }
    }
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text, &UrlRules::default()).unwrap()
}

/// An order that is independent of the site's.
fn drawn(mut urls: Vec<CanonicalUrl>) -> Vec<CanonicalUrl> {
    urls.sort_by_key(|url| (url.fingerprint(), url.as_str().to_owned()));
    urls
}

fn recording(table: &mut Table, folder: &Path, name: &str) {
    let replay = Replay::open(&folder.join(format!("{name}.warc.gz")), &ReplayOptions::default()).unwrap();
    let truth = fs::read(folder.join(format!("{name}.truth.json"))).unwrap();
    let truth: serde_json::Value = serde_json::from_slice(&truth).unwrap();
    let rules: Vec<(Regex, String)> = truth["rules"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|rule| {
            (
                Regex::new(rule["pattern"].as_str().unwrap()).unwrap(),
                rule["type"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let urls = drawn(replay.urls().cloned().collect());
    let hosts: BTreeSet<&str> = urls.iter().map(CanonicalUrl::authority).collect();
    for url in &urls {
        let rule = rules.iter().find(|(pattern, _)| pattern.is_match(url.as_str()));
        // without rules, all are detail pages
        let detail = match rule.map(|(_, page_type)| page_type.as_str()) {
            Some("detail") => true,
            Some("list" | "profile") => false,
            None if rules.is_empty() => true,
            _ => continue,
        };
        let site = if hosts.len() > 1 { format!("{name}/{}", url.authority()) } else { name.to_owned() };
        if !table.has_room(&site, detail) {
            continue;
        }
        let Exchange::Answered(response) = replay.get(url) else { continue };
        if response.status == 200 && response.effective_media_type().is_some_and(|media| media.is_html()) {
            table.take(&site, detail, url, response.headers.get("content-type"), &response.body);
        }
    }
}

/// News pages of about thirty sites, in an archive by `tar`: too few of each to be a site of its own.
fn news(table: &mut Table, path: &Path) {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    let mut rest = bytes.as_slice();
    while rest.len() > 512 && rest[0] != 0 {
        let text = |from: usize, to: usize| {
            String::from_utf8_lossy(&rest[from..to]).trim_matches('\0').trim().to_owned()
        };
        let (name, size) = (text(0, 100), usize::from_str_radix(&text(124, 136), 8).unwrap());
        let body = &rest[512..512 + size];
        if name.ends_with(".html") {
            let detail = !name.starts_with("test_list_page");
            table.take("chinese-news", detail, &url(&format!("http://news.example/{name}")), None, body);
        }
        rest = &rest[512 + size.next_multiple_of(512)..];
    }
}

fn world(table: &mut Table, kind: Kind) {
    let world = World::new(kind, &Options { pages: 3_000, ..Options::default() }).unwrap();
    let site = format!("simulated/{kind}");
    for url in drawn(world.pages().map(|page| url(&page)).collect()) {
        let truth = world.truth(&url).unwrap_or_default();
        let detail = truth.page_type == PageType::Detail;
        if truth.waste.is_some() || truth.page_type == PageType::Other || !table.has_room(&site, detail) {
            continue;
        }
        let answer = world.answer(&Ask { url: &url, cookie: None });
        if answer.status == 200 {
            table.take(&site, detail, &url, answer.headers.get("content-type"), &answer.body);
        }
    }
}

fn gather(data: &Path) -> String {
    let mut table = Table::default();
    for name in RECORDINGS {
        recording(&mut table, &data.join("corpora"), name);
    }
    news(&mut table, &data.join("chinese-news/pages.tar.gz"));
    for kind in WORLDS {
        world(&mut table, kind);
    }
    let names = [FeatureSet::Zhang2008.names(), FeatureSet::Osprey.names()].concat();
    let mut text = format!("{ABOUT}\n# {}.\n", names.join(", "));
    for (_, line) in &table.lines {
        writeln!(text, "{line}").unwrap();
    }
    text
}

/// The mean over classes of the share that is right, for the pages of one site.
fn accuracy(model: &Model, pages: &[LabelledPage<'_>], site: &str) -> f64 {
    let shares = [false, true].map(|detail| {
        let of_class = || pages.iter().filter(|page| page.site == site && page.detail == detail);
        let right = of_class().filter(|page| model.judge(&page.features).detail == detail).count();
        (of_class().count() > 0).then(|| right as f64 / of_class().count() as f64)
    });
    let known: Vec<f64> = shares.into_iter().flatten().collect();
    known.iter().sum::<f64>() / known.len() as f64
}

fn main() {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data");
    let file = data.join("../../../lab/training/detail-pages.tsv");
    if let Some(recordings) = std::env::var_os("OSPREY_DATA") {
        fs::write(&file, gather(Path::new(&recordings))).unwrap();
    }
    let table = fs::read_to_string(&file).unwrap();
    let pages: Vec<LabelledPage<'_>> = LabelledPage::read_table(&table);
    let tree = Model::train(FeatureSet::Osprey, &pages).tree().to_string();
    let about =
        "# Grown from detail-pages.tsv by `cargo run --release -p osprey-structure --example train_drp`.";
    fs::write(data.join("drp-osprey.txt"), format!("{about}\n{tree}")).unwrap();
    println!("{} pages\n{tree}", pages.len());
    println!("{:44} {:>8} {:>8} {:>8}", "site left out", "printed", "five", "osprey");
    let mut sums: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    let sites: BTreeSet<&str> = pages.iter().map(|page| page.site).collect();
    for site in sites {
        let others: Vec<LabelledPage<'_>> = pages.iter().copied().filter(|page| page.site != site).collect();
        let models = [
            Model::zhang_2008().clone(),
            Model::train(FeatureSet::Zhang2008, &others),
            Model::train(FeatureSet::Osprey, &others),
        ];
        let [printed, five, osprey] = models.map(|model| accuracy(&model, &pages, site));
        println!("{site:44} {printed:8.3} {five:8.3} {osprey:8.3}");
        let both = [false, true]
            .iter()
            .all(|&detail| pages.iter().any(|page| page.site == site && page.detail == detail));
        let kinds = match (site.starts_with("simulated/"), both) {
            (true, _) => vec!["mean, simulated sites"],
            (false, true) => vec!["mean, recorded sites", "mean, recorded sites with both classes"],
            (false, false) => vec!["mean, recorded sites"],
        };
        kinds.into_iter().for_each(|kind| sums.entry(kind).or_default().push([printed, five, osprey]));
    }
    for (kind, rows) in sums {
        let [printed, five, osprey] =
            [0, 1, 2].map(|place| rows.iter().map(|row| row[place]).sum::<f64>() / rows.len() as f64);
        println!("{kind:44} {printed:8.3} {five:8.3} {osprey:8.3}");
    }
}
