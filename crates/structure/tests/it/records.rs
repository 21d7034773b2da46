//! Rules proposed for recorded sites and applied to other pages of them, against the published field values; the
//! recording is in `OSPREY_DATA`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{CanonicalUrl, Exchange, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::extract::{Extractor, RecordKind, propose};
use serde_json::Value;

fn corpora() -> Option<PathBuf> {
    let folder = std::env::var_os("OSPREY_DATA").map(|data| PathBuf::from(data).join("corpora"));
    folder.filter(|folder| folder.join("swde-16.warc.gz").exists())
}

fn page(replay: &Replay, url: &str) -> Option<Page> {
    let url = CanonicalUrl::parse(url, &UrlRules::default()).ok()?;
    let Exchange::Answered(response) = replay.get(&url) else { return None };
    let content_type = response.headers.get("content-type");
    Some(Page::parse(&Input { url: &url, content_type, body: &response.body }, &PageRules::default()))
}

/// Words in lower case: the published values differ from the pages in spaces and marks.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[test]
fn titles_of_sixteen_sites() {
    let Some(folder) = corpora() else {
        eprintln!("left out: titles of recorded sites (OSPREY_DATA is not set)");
        return;
    };
    let replay =
        Replay::open(&folder.join("swde-16.warc.gz"), &ReplayOptions::default()).expect("a recording");
    let truth = std::fs::read(folder.join("swde-16.truth.json")).expect("a truth file");
    let truth: Value = serde_json::from_slice(&truth).expect("JSON");
    let mut sites: BTreeMap<&str, Vec<(&str, &Value)>> = BTreeMap::new();
    for (url, row) in truth["pages"].as_object().expect("pages") {
        sites.entry(row["site"].as_str().expect("a site")).or_default().push((url, &row["fields"]));
    }
    assert_eq!(sites.len(), 16);
    let mut right = 0;
    for (site, rows) in &sites {
        // pages of a site are in order: every fifth is used for learning, the one after it for reading
        let sample = rows.iter().step_by(5);
        let others = rows.iter().skip(1).step_by(5);
        let pages: Vec<Page> = sample.filter_map(|(url, _)| page(&replay, url)).collect();
        let extractor = Extractor::new(propose(&pages, RecordKind::Detail, &|_, _| None).rules());
        let (mut found, mut all) = (0, 0);
        for (url, fields) in others {
            // the item's name in the truth: its title, its name or its model
            let names = ["title", "name", "model"].iter().find_map(|key| fields[*key].as_array());
            let (Some(names), Some(page)) = (names, page(&replay, url)) else { continue };
            let title = words(extractor.apply(&page).title.as_deref().unwrap_or_default());
            all += 1;
            found += usize::from(names.iter().filter_map(Value::as_str).any(|name| {
                let name = words(name);
                !title.is_empty() && (name == title || name.starts_with(&title) || title.starts_with(&name))
            }));
        }
        eprintln!("{site}: {found} of {all} titles");
        right += usize::from(10 * found >= 9 * all);
    }
    assert!(right >= 14, "the titles of {right} sites");
}
