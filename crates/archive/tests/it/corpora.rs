//! The real corpora, replayed: every recorded page answers, and redirects redirect. `OSPREY_DATA` names their folder.

use std::path::PathBuf;

use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{Exchange, UrlRules};

fn corpora() -> Option<PathBuf> {
    let root = std::env::var_os("OSPREY_DATA").map(PathBuf::from);
    root.map(|root| root.join("corpora")).filter(|folder| folder.is_dir())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    urls: usize,
    ok: usize,
    redirects: usize,
    notes: usize,
    failed: usize,
}

fn count(replay: &Replay) -> Count {
    let mut count = Count { urls: replay.len(), ..Count::default() };
    for url in replay.urls() {
        match replay.get(url) {
            Exchange::Answered(response) => {
                count.ok += usize::from(response.status == 200 && !response.body.is_empty());
                count.redirects += usize::from(response.location().is_some());
                count.notes += usize::from(response.note.is_some());
            }
            Exchange::Failed(_) => count.failed += 1,
        }
    }
    count
}

#[test]
fn every_recorded_page_answers() {
    let Some(folder) = corpora() else {
        eprintln!("left out: every recorded page answers (OSPREY_DATA is not set)");
        return;
    };
    let options = ReplayOptions { url_rules: UrlRules::keep_all(), ..ReplayOptions::default() };
    let check = |name: &str, urls: usize, ok: usize, redirects: usize| {
        let replay = Replay::open(&folder.join(format!("{name}.warc.gz")), &options).unwrap();
        assert_eq!(replay.problems(), [], "{name}");
        let expect = Count { urls, ok, redirects, ..Count::default() };
        assert_eq!(count(&replay), expect, "{name}");
    };
    check("dh-answers", 1534, 1534, 0);
    check("openenergymonitor", 3500, 3500, 0);
    check("w3school-cn", 11597, 11597, 0);
    // 8,229 records of 8,222 URLs; nine of these are other spellings (`:80`, a fragment, no final slash).
    check("webkb", 8213, 8213, 0);
    check("swde-16", 1600, 1600, 0);
    check("forum-spirit", 8000, 4150, 3850);
    check("blog-wordpress", 2200, 2183, 17);
}
