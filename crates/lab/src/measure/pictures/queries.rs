//! `picture-queries`: queries of one to ten texture words against the search by a vector: precision, number of results,
//! time (Zhang 2008, figures 41 to 43).
//!
//! Time is that of finding the ten best, once among the pictures and once among the same pictures a hundred times over,
//! because with a thousand both are instant. It is reported with the timings, in microseconds per query.

use std::hint::black_box;
use std::time::Instant;

use super::quality::{ranked, shown, with_itself};
use super::{PictureParams, Scores, TextureIndex, Vectors, pictures};
use crate::metrics::precision_at;
use crate::{Cell, Findings, Measure};

/// The most words of a query.
const MOST: usize = 10;
/// How many times the pictures are there for the second time.
const TIMES: usize = 100;
/// Queries that are timed.
const TIMED: usize = 100;
/// The lengths of queries that are timed.
const LENGTHS: [usize; 3] = [1, 5, 10];

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(in crate::measure) struct PictureQueriesMeasure;

impl Measure for PictureQueriesMeasure {
    fn name(&self) -> &'static str {
        "picture-queries"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let (asked, pictures) = (PictureParams::of(cell)?, pictures(cell)?);
        let classes: Vec<&str> = pictures.photos.iter().map(|photo| photo.class.as_str()).collect();
        if let Some(kind) = asked.vector {
            return Ok(by_vector(&Vectors::new(&pictures.photos, kind), &classes));
        }
        let study = pictures.studies.get(pictures, &asked.choice());
        let folds = study.folds.iter().map(|fold| (asked.index(fold), fold.queries.as_slice()));
        let folds: Vec<(TextureIndex, &[usize])> = folds.collect();
        let mut findings = Findings::default();
        let mut curves: [Vec<(f64, f64)>; 4] = Default::default();
        for count in 1..=MOST {
            let mut sums = [0.0; 4];
            for (index, queries) in &folds {
                for query in *queries {
                    let mut answer = index.ask(*query, count, asked.reading, asked.ranking);
                    if asked.rerank {
                        index.rerank(*query, &mut answer);
                    }
                    let hits = ranked(&classes, *query, &answer.scores);
                    let results = answer.results.saturating_sub(1);
                    sums[0] += precision_at(&hits, 10).unwrap_or_default();
                    sums[1] += shown(&hits, results);
                    sums[2] += with_itself(&hits, results);
                    sums[3] += results as f64;
                }
            }
            let queries = classes.len().max(1) as f64;
            for ((curve, sum), name) in curves.iter_mut().zip(sums).zip(NAMES) {
                curve.push((count as f64, sum / queries));
                if count == 5 {
                    findings.figure(&format!("{name}_5"), Some(sum / queries));
                }
            }
        }
        for (curve, name) in curves.into_iter().zip(NAMES) {
            findings.curves.insert(format!("{name}_by_words"), curve);
        }
        if let Some((index, _)) = folds.first() {
            findings.figure("words_of_a_picture", Some(index.words_of_a_picture()));
            time(&asked, index, "", &mut findings);
            time(&asked, &index.repeated(TIMES), "_100_times", &mut findings);
        }
        Ok(findings)
    }
}

/// Precision among ten, Zhang 2008's precision among those shown, the same if the query counts as a result, number of
/// results.
const NAMES: [&str; 4] = ["precision", "shown_precision", "precision_with_itself", "results"];

/// The same whatever the number of words.
fn by_vector(vectors: &Vectors, classes: &[&str]) -> Findings {
    let others = classes.len().saturating_sub(1);
    let (mut sum, mut sum_with_itself) = (0.0, 0.0);
    for query in 0..classes.len() {
        let hits = ranked(classes, query, &vectors.scores(query));
        sum += precision_at(&hits, 10).unwrap_or_default();
        sum_with_itself += with_itself(&hits, others);
    }
    let mean = |sum: f64| sum / classes.len().max(1) as f64;
    let values = [mean(sum), mean(sum), mean(sum_with_itself), others as f64];
    let mut findings = Findings::default();
    for (name, value) in NAMES.into_iter().zip(values) {
        let curve = (1..=MOST).map(|count| (count as f64, value)).collect();
        findings.curves.insert(format!("{name}_by_words"), curve);
        findings.figure(&format!("{name}_5"), Some(value));
    }
    for (vectors, suffix) in [(vectors, ""), (&vectors.repeated(TIMES), "_100_times")] {
        let micros = timed(|query| best(&vectors.scores(query)));
        findings.timings.insert(format!("query_us{suffix}"), micros);
    }
    findings
}

fn time(asked: &PictureParams, index: &TextureIndex, suffix: &str, findings: &mut Findings) {
    for count in LENGTHS {
        let ask = |query| {
            let mut answer = index.ask(query, count, asked.reading, asked.ranking);
            if asked.rerank {
                index.rerank(query, &mut answer);
            }
            best(&answer.scores)
        };
        findings.timings.insert(format!("query_us_{count}_words{suffix}"), timed(ask));
    }
}

/// The median of microseconds a query, of some: other programs disturb a mean.
fn timed(ask: impl Fn(usize) -> Vec<usize>) -> f64 {
    let one = |query: usize| {
        let began = Instant::now();
        black_box(ask(query));
        began.elapsed().as_secs_f64() * 1e6
    };
    let mut times: Vec<f64> = (0..TIMED).map(one).collect();
    times.sort_by(f64::total_cmp);
    times.get(TIMED / 2).copied().unwrap_or_default()
}

/// The ten best.
fn best(scores: &Scores) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::with_capacity(11);
    let mut least = f32::NEG_INFINITY;
    for (place, score) in scores.iter().enumerate() {
        if *score > least || best.len() < 10 {
            let at = best.partition_point(|other| scores[*other] >= *score);
            best.insert(at, place);
            best.truncate(10);
            least = if best.len() < 10 { least } else { best.last().map_or(least, |last| scores[*last]) };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use osprey_vision::codebook::Training;

    use super::super::Choice;
    use super::*;

    #[test]
    fn the_ten_best_are_those_of_a_sorted_list() {
        let scores: Scores = (0..200u32).map(|i| (i * 7919 % 201) as f32).collect();
        let mut order: Vec<usize> = (0..200).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        assert_eq!(best(&scores), order[..10]);
        assert_eq!(best(&vec![1.0, 3.0, 2.0]), [1, 2, 0]);
    }

    #[test]
    fn the_usual_choice_is_that_of_the_product() {
        assert_eq!(PictureParams::default().choice(), Choice::Folds(Training::default()));
    }
}
