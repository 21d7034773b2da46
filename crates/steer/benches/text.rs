//! What reading costs: 20 KB of English, German and Chinese text, finding phrases on the way, and scores.
//!
//! With `OSPREY_DATA` also on real pages, beside their parse, which is the measure: a policy may cost a tenth of it.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use osprey_archive::{Replay, ReplayOptions};
use osprey_model::{CanonicalUrl, Exchange, Response, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_steer::baselines::{Svm, SvmRules};
use osprey_steer::fcmrps::{Gammas, RelevanceWeights, TokenTable, TopicRelevance};
use osprey_steer::genre::GenreScorer;
use osprey_steer::taxonomy::{Aim, Taxonomy};
use osprey_steer::text::{Counts, Hits, Language, Matcher, Reader, Vector, Wanted, Words, detect};

const BYTES: usize = 20_000;

const ENGLISH: &str = "The course introduces the design and analysis of database systems, with lectures, exercises and \
    a final exam. Students who have taken data structures may enrol; textbooks are listed below. Office hours: Monday.\n";
const GERMAN: &str = "Die Vorlesung führt in die Grundlagen der Datenbanken ein, mit Übungen und einer Prüfung am Ende. \
    Wer Datenstrukturen gehört hat, kann sich einschreiben; die Bücher stehen weiter unten.\n";
const CHINESE: &str =
    "本课程介绍数据库系统的设计与分析，包括讲座、练习和期末考试。学过数据结构的学生可以报名，教材见下。\n";

/// A text of the wanted size whose words vary: every sentence has a number of its own, as real pages have names.
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

/// What the policies add: a page against genre and content terms, and one link against a topic.
fn score(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("score");
    let text = text(ENGLISH);
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let genre = words(&[
        "syllabus",
        "course",
        "credits",
        "instructor",
        "prerequisites",
        "textbooks",
        "office hours",
        "exam",
    ]);
    let content =
        words(&["database", "sql", "relational algebra", "data model", "transactions", "query optimization"]);
    if let Ok(scorer) = GenreScorer::of_words(&genre, &content, &[]) {
        let read = Words::of(&text, Some("en"));
        group.bench_function("genre/page", |bencher| {
            bencher.iter(|| scorer.score(black_box(&read), "http://a.example/"));
        });
    }
    let vector = |text: &str| Vector::of_log_counts(Words::of(text, Some("en")).counts());
    let wanted: Vec<Vector> = (0..30).map(|n| vector(&format!("{ENGLISH} w{n} w{}", n + 1))).collect();
    let unwanted: Vec<Vector> = (0..30).map(|n| vector(&format!("{ENGLISH} v{n} v{}", n + 1))).collect();
    if let Ok(svm) = Svm::train(&wanted, &unwanted, &SvmRules::default()) {
        let read = Words::of(&text, Some("en"));
        group
            .bench_function("svm/page", |bencher| bencher.iter(|| svm.decision_on(black_box(read.counts()))));
    }
    let taxonomy = Taxonomy::shipped();
    let url = |text: &str| CanonicalUrl::parse(text, &UrlRules::default()).ok();
    if let (Ok(node), Some(from)) = (taxonomy.find("nba"), url("http://news.example.com/2008/")) {
        let (table, gammas, weights) =
            (TokenTable::shipped(), Gammas::default(), RelevanceWeights::default());
        let mut topic = TopicRelevance::new(Aim::of_node(taxonomy, node), table, gammas, weights);
        // as many URLs as are never remembered
        let urls: Vec<CanonicalUrl> = (0..200_000)
            .filter_map(|number| url(&format!("http://news.example.com/2008/03/05/n{number}.shtml")))
            .collect();
        let mut next = urls.iter().cycle();
        let words = Words::of(&text, Some("en"));
        let mut page = topic.open(&from, &text, &words);
        let anchor = text.get(..40).unwrap_or_default();
        let context = || text.get(..160).unwrap_or_default();
        group.bench_function("fcmrps/link", |bencher| {
            bencher.iter(|| next.next().map(|to| page.link(to, anchor, context)));
        });
        group.bench_function("fcmrps/known-link", |bencher| {
            bencher.iter(|| urls.first().map(|to| page.link(black_box(to), anchor, context)));
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

criterion_group!(benches, read, score, real);
criterion_main!(benches);
