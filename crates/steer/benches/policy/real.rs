//! Every policy on pages of recordings.

use criterion::{Criterion, SamplingMode, Throughput};
use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{Exchange, Response};
use osprey_page::{Input, Page, PageRules};
use osprey_steer::{Judge, JudgeKind, Known, Subject};
use osprey_text::{PageWords, Words};

use super::clock::measure;
use super::steered::{Read, learn, policies as built};

/// Pages of a recording that are used.
const PAGES: usize = 200;
/// Recordings, and topics that their pages have words of.
const CORPORA: [(&str, &str); 5] = [
    ("dh-answers", "databases"),
    ("webkb", "courses"),
    ("forum-spirit", "space"),
    ("blog-wordpress", "astronomy"),
    ("w3school-cn", "javascript"),
];

pub(crate) fn policies(criterion: &mut Criterion) {
    let Some(data) = std::env::var_os("OSPREY_DATA").map(std::path::PathBuf::from) else {
        eprintln!("left out: policies on real pages (OSPREY_DATA is not set)");
        return;
    };
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
        // from all over the recording, or they would be of one kind
        let answers: Vec<Response> = answers.collect();
        let step = (answers.len() / PAGES).max(1);
        let answers: Vec<Response> = answers.into_iter().step_by(step).take(PAGES).collect();
        on_corpus(criterion, name, node, &answers);
    }
}

fn on_corpus(criterion: &mut Criterion, name: &str, node: &str, answers: &[Response]) {
    let mut group = criterion.benchmark_group(format!("policy/{name}"));
    group.throughput(Throughput::Elements(answers.len() as u64)).sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("parse", |bencher| {
        measure(bencher, || answers.iter().map(|response| parse(response).links().len()).sum());
    });
    let pages: Vec<Page> = answers.iter().map(parse).collect();
    group.bench_function("words", |bencher| {
        let read = |page: &Page| Words::of(page.text(), page.lang()).tokens().len();
        measure(bencher, || pages.iter().map(read).sum());
    });
    let site = learn(pages.iter());
    group.bench_function("reading", |bencher| {
        measure(bencher, || pages.iter().filter(|page| site.read(page).cluster.is_some()).count());
    });
    let pages: Vec<Read> = pages.into_iter().map(|page| Read::new(page, &site)).collect();
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let subject = Subject {
        nodes: vec![node.to_owned()],
        tags: words(&[node, "science", "help"]),
        genre_terms: words(&["syllabus", "question", "comment", "author", "posted"]),
        content_terms: words(&[node, "science", "data", "program"]),
        ..Subject::default()
    };
    for (judge, kind) in
        [("tags", JudgeKind::Tags { threshold: 0.1 }), ("terms", JudgeKind::Terms { threshold: 0.1 })]
    {
        let Ok(judge_by) = Judge::new(&kind, &subject, &Known::default()) else { continue };
        group.bench_function(format!("judge {judge}"), |bencher| {
            measure(bencher, || pages.iter().filter(|read| is_relevant(&judge_by, read)).count());
        });
    }
    for mut steered in built(&site, &pages, &subject) {
        steered.rehearse(&pages);
        group.bench_function(steered.name, |bencher| {
            measure(bencher, || pages.iter().map(|read| steered.tell(read)).sum());
        });
    }
    group.finish();
}

fn is_relevant(judge: &Judge, read: &Read) -> bool {
    let words: &PageWords = &read.words;
    judge.judge(&read.page, words, Some(&read.reading)).relevant
}

fn parse(response: &Response) -> Page {
    let content_type = response.headers.get("content-type");
    let input = Input { url: &response.url, content_type, body: &response.body };
    Page::parse(&input, &PageRules::default())
}
