//! What a policy costs per page, beside the parse of the page, which is the measure: a policy may cost a tenth of it.
//!
//! On pages of recordings, found through `OSPREY_DATA`; the words of a page are read by a page worker, beside the parser, and
//! have a line of their own.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{Exchange, GroupId, LinkId, Response};
use osprey_page::{Input, Page, PageRules};
use osprey_steer::text::{PageWords, Words};
use osprey_steer::{Judgement, Known, Placing, PolicyKind, Subject, Visit};

/// Pages of a recording that are used.
const PAGES: usize = 200;
/// Recordings, and topics that their pages have words of.
const CORPORA: [(&str, &str); 4] = [
    ("dh-answers", "databases"),
    ("webkb", "courses"),
    ("forum-spirit", "space"),
    ("w3school-cn", "javascript"),
];

fn policies(criterion: &mut Criterion) {
    let Some(data) = std::env::var_os("OSPREY_DATA").map(std::path::PathBuf::from) else {
        eprintln!("left out: policies on real pages (OSPREY_DATA is not set)");
        return;
    };
    let mut group = criterion.benchmark_group("policy");
    for (name, node) in CORPORA {
        let path = data.join(format!("corpora/{name}.warc.gz"));
        let Ok(replay) = Replay::open(&path, &ReplayOptions::default()) else {
            eprintln!("left out: {name} (not in OSPREY_DATA)");
            continue;
        };
        let answers = replay.urls().filter_map(|url| match replay.get(url) {
            Exchange::Answered(response) if response.status == 200 && !response.body.is_empty() => {
                Some(response)
            }
            _ => None,
        });
        let answers: Vec<Response> = answers.take(PAGES).collect();
        group.throughput(Throughput::Elements(answers.len() as u64)).sample_size(20);
        group.bench_function(format!("{name}/parse"), |bencher| {
            bencher.iter(|| answers.iter().map(|response| parse(response).links().len()).sum::<usize>());
        });
        let pages: Vec<Page> = answers.iter().map(parse).collect();
        group.bench_function(format!("{name}/words"), |bencher| {
            let read = |page: &Page| Words::of(page.text(), page.lang()).tokens().len();
            bencher.iter(|| pages.iter().map(read).sum::<usize>());
        });
        let words: Vec<PageWords> = pages.iter().map(|_| PageWords::default()).collect();
        words.iter().zip(&pages).for_each(|(words, page)| {
            words.of(page);
        });
        let subject = Subject { node: Some(node.to_owned()), ..Subject::default() };
        for kind in ["breadth-first", "best-first", "shark-search", "fcmrps"] {
            let policy = PolicyKind::named(kind).map(|kind| kind.build(&subject, &Known::default()));
            let Some(Ok(mut policy)) = policy else { continue };
            let (mut placing, why) = (Placing::default(), BTreeMap::new());
            group.bench_function(format!("{name}/{kind}"), |bencher| {
                bencher.iter(|| {
                    for (page, page_words) in pages.iter().zip(&words) {
                        placing.clear();
                        let (id, group, judgement) = (LinkId(0), GroupId::ALL, Judgement::default());
                        let (depth, reading, why) = (0, None, &why);
                        let visit = Visit { id, group, depth, page, page_words, reading, judgement, why };
                        policy.on_page(black_box(&visit), &mut placing);
                    }
                    placing.ops().count()
                });
            });
        }
    }
    group.finish();
}

fn parse(response: &Response) -> Page {
    let content_type = response.headers.get("content-type");
    let input = Input { url: &response.url, content_type, body: &response.body };
    Page::parse(&input, &PageRules::default())
}

criterion_group!(benches, policies);
criterion_main!(benches);
