//! What scores cost: a page against genre and content terms and by an SVM, one link against a topic.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_steer::baselines::{Svm, SvmRules};
use osprey_steer::fcmrps::{Gammas, RelevanceWeights, TokenTable, TopicRelevance};
use osprey_steer::genre::GenreScorer;
use osprey_steer::taxonomy::{Aim, Taxonomy};
use osprey_text::{Vector, Words};

const BYTES: usize = 20_000;

const ENGLISH: &str = "The course introduces the design and analysis of database systems, with lectures, exercises and \
    a final exam. Students who have taken data structures may enrol; textbooks are listed below. Office hours: Monday.\n";

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

criterion_group!(benches, score);
criterion_main!(benches);
