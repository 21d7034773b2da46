//! The cost of each kind of query, and of indexing a document, with 50,000 generated documents.
//!
//! The example `million` measures a million documents, with percentiles.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

mod made;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use osprey_index::{Index, Like, Query, Request, WriterOptions};
use osprey_vision::Codebook;

use made::{Dice, KINDS};

const DOCUMENTS: u64 = 50_000;

fn searches(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let codebook = Codebook::embedded();
    let pictures = made::pictures(500, &codebook);
    let index = Index::open(folder.path(), codebook).expect("opens");
    let mut writer = index.writer(&WriterOptions::default()).expect("writes");
    for number in 0..DOCUMENTS {
        writer.put(&made::document(number, &pictures)).expect("puts");
    }
    writer.commit(None).expect("commits");
    writer.finish().expect("merges");
    let searcher = index.searcher().expect("searches");
    let mut group = criterion.benchmark_group("search");
    group.sample_size(30);
    for (kind, (name, _)) in KINDS.into_iter().enumerate() {
        let mut dice = Dice::new(7);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let text = made::query(kind, &mut dice);
                let example = &pictures[dice.below(pictures.len() as u64) as usize];
                let like = text.is_empty().then_some(Like::Picture(example));
                let query = Query::parse(&text).expect("a query");
                let request = Request { query, like, facets: 10, highlights: true, ..Request::default() };
                black_box(searcher.search(&request).expect("found").total)
            });
        });
    }
}

fn documents(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let codebook = Codebook::embedded();
    let pictures = made::pictures(500, &codebook);
    let documents: Vec<_> = (0..2000).map(|number| made::document(number, &pictures)).collect();
    let index = Index::open(folder.path(), codebook).expect("opens");
    let mut writer = index.writer(&WriterOptions::default()).expect("writes");
    let mut group = criterion.benchmark_group("index");
    group.throughput(Throughput::Elements(documents.len() as u64)).sample_size(10);
    group.bench_function("put and commit 2,000", |bencher| {
        bencher.iter(|| {
            documents.iter().for_each(|document| writer.put(document).expect("puts"));
            writer.commit(None).expect("commits");
        });
    });
}

fn parsing(criterion: &mut Criterion) {
    let text = "rose red -dog \"new york\" tag:garden by:\"U-EET\" color:#c8102e color:red@center texture:47";
    criterion.bench_function("parse a query", |bencher| bencher.iter(|| Query::parse(black_box(text))));
}

criterion_group!(benches, searches, documents, parsing);
criterion_main!(benches);
