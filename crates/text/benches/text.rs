//! What reading text costs: 20 KB of English, German and Chinese text, and finding phrases in it.
//!
//! With `OSPREY_DATA` also on real pages, compared with the time to parse them: a policy may cost a tenth of that.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{Exchange, Response};
use osprey_page::{Input, Page, PageRules};
use osprey_text::{Counts, Hits, Language, Matcher, Reader, Wanted, detect};

const BYTES: usize = 20_000;

const ENGLISH: &str = "The course introduces the design and analysis of database systems, with lectures, exercises and \
    a final exam. Students who have taken data structures may enrol; textbooks are listed below. Office hours: Monday.\n";
const GERMAN: &str = "Die Vorlesung führt in die Grundlagen der Datenbanken ein, mit Übungen und einer Prüfung am Ende. \
    Wer Datenstrukturen gehört hat, kann sich einschreiben; die Bücher stehen weiter unten.\n";
const CHINESE: &str =
    "本课程介绍数据库系统的设计与分析，包括讲座、练习和期末考试。学过数据结构的学生可以报名，教材见下。\n";

/// A text of the given size whose words vary: every sentence has a number of its own, as real pages have names.
fn text(sentence: &str) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= BYTES {
            break;
        }
        text.push_str(sentence);
        text.push_str(&format!("w{number} "));
    }
    text
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    for (name, language, sentence) in [
        ("english", Language::English, ENGLISH),
        ("german", Language::German, GERMAN),
        ("chinese", Language::Chinese, CHINESE),
    ] {
        let text = text(sentence);
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut reader = Reader::new();
        let mut counts = Counts::default();
        let topic = Wanted::new([("database systems", 1.0), ("数据库", 1.0)]);
        group.bench_function(format!("{name}/cosine"), |bencher| {
            bencher.iter(|| {
                counts.clear();
                reader.read(black_box(&text), language, |word| counts.add(word.term));
                topic.cosine(&mut reader, language, &counts)
            });
        });
        let matcher =
            Matcher::new(["data structures", "office hours", "textbooks", "final exam", "数据结构", "教材"]);
        let mut hits = Hits::default();
        group.bench_function(format!("{name}/phrases"), |bencher| {
            bencher.iter(|| matcher.count(&mut reader, black_box(&text), language, &mut hits));
        });
        group.bench_function(format!("{name}/detect"), |bencher| {
            bencher.iter(|| detect(black_box(&text), None))
        });
    }
    group.finish();
}

/// Pages of a recording that are used.
const PAGES: usize = 200;

/// Real pages: their parse beside what the text machinery adds to it.
fn real(criterion: &mut Criterion) {
    let Some(data) = std::env::var_os("OSPREY_DATA").map(std::path::PathBuf::from) else {
        eprintln!("left out: real pages (OSPREY_DATA is not set)");
        return;
    };
    let mut group = criterion.benchmark_group("real");
    for name in ["dh-answers", "webkb", "w3school-cn"] {
        let path = data.join(format!("corpora/{name}.warc.gz"));
        let Ok(replay) = Replay::open(&path, &ReplayOptions::default()) else { continue };
        let answers = replay.urls().filter_map(|url| match replay.get(url) {
            Exchange::Answered(response) if response.status == 200 && !response.body.is_empty() => {
                Some(response)
            }
            _ => None,
        });
        let answers: Vec<Response> = answers.take(PAGES).collect();
        let parse = |response: &Response| {
            let content_type = response.headers.get("content-type");
            let input = Input { url: &response.url, content_type, body: &response.body };
            Page::parse(&input, &PageRules::default())
        };
        let bytes = answers.iter().map(|response| response.body.len() as u64).sum();
        group.throughput(Throughput::Bytes(bytes)).sample_size(20);
        group.bench_function(format!("{name}/parse"), |bencher| {
            bencher.iter(|| answers.iter().map(|response| parse(response).links().len()).sum::<usize>());
        });
        let pages: Vec<Page> = answers.iter().map(parse).collect();
        let mut reader = Reader::new();
        let mut counts = Counts::default();
        let topic = Wanted::new([("database systems", 1.0), ("数据库", 1.0)]);
        group.bench_function(format!("{name}/cosine"), |bencher| {
            bencher.iter(|| {
                let mut sum = 0.0;
                for page in &pages {
                    let language = detect(page.text(), page.lang());
                    counts.clear();
                    reader.read(page.text(), language, |word| counts.add(word.term));
                    sum += topic.cosine(&mut reader, language, &counts);
                }
                sum
            });
        });
    }
    group.finish();
}

criterion_group!(benches, read, real);
criterion_main!(benches);
