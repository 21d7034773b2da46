//! Precision over all queries, and by the class of the query.

use std::collections::BTreeMap;

use crate::Findings;
use crate::metrics::{average_precision, first_page_precision, precision_at};

/// Sums over queries.
#[derive(Clone, Debug)]
pub(super) struct Quality<'a> {
    classes: &'a [&'a str],
    sums: BTreeMap<&'static str, f64>,
    queries: f64,
    by_class: BTreeMap<&'a str, (f64, f64)>,
}

impl<'a> Quality<'a> {
    pub(super) fn new(classes: &'a [&'a str]) -> Self {
        Self { classes, sums: BTreeMap::new(), queries: 0.0, by_class: BTreeMap::new() }
    }

    /// Adds a query. Pictures that words did not find have the lowest score and come last, in the order of their
    /// numbers.
    pub(super) fn add(&mut self, query: usize, scores: &[f32]) {
        let hits = ranked(self.classes, query, scores);
        let class = self.classes.get(query).copied().unwrap_or_default();
        let relevant = self.classes.iter().filter(|other| **other == class).count().saturating_sub(1);
        let figures = [
            ("p10", precision_at(&hits, 10)),
            ("p20", precision_at(&hits, 20)),
            ("map", average_precision(&hits, relevant as u64)),
        ];
        for (name, value) in figures {
            *self.sums.entry(name).or_default() += value.unwrap_or_default();
        }
        let (sum, count) = self.by_class.entry(class).or_default();
        *sum += precision_at(&hits, 20).unwrap_or_default();
        *count += 1.0;
        self.queries += 1.0;
    }

    /// Means, and the lowest class.
    pub(super) fn findings(&self) -> Findings {
        let mut findings = Findings::default();
        for (name, sum) in &self.sums {
            findings.figure(name, Some(sum / self.queries.max(1.0)));
        }
        let classes = self.by_class.iter().map(|(class, (sum, count))| (*class, sum / count));
        for (class, mean) in classes.clone() {
            findings.figure(&format!("p20_{class}"), Some(mean));
        }
        if let Some((class, mean)) = classes.min_by(|a, b| a.1.total_cmp(&b.1)) {
            findings.figure("p20_lowest_class", Some(mean));
            findings.words.insert("lowest_class".to_owned(), class.to_owned());
        }
        findings.figure("queries", Some(self.queries));
        findings
    }
}

/// Whether each result is of the query's class, best first; the query itself is left out.
pub(super) fn ranked(classes: &[&str], query: usize, scores: &[f32]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|place| *place != query).collect();
    let score = |place: &usize| scores.get(*place).copied().unwrap_or(f32::NEG_INFINITY);
    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let class = classes.get(query);
    order.iter().map(|place| classes.get(*place) == class).collect()
}

/// The precision of Zhang 2008: of the first ten results, or of as many as there are; 0 without results.
pub(super) fn shown(hits: &[bool], results: usize) -> f64 {
    first_page_precision(hits.get(..results.min(hits.len())).unwrap_or_default(), 10).unwrap_or_default()
}

/// The same if the query is the first of its own results, which Zhang 2008 does not rule out.
pub(super) fn with_itself(hits: &[bool], results: usize) -> f64 {
    let found = hits.get(..results.min(hits.len())).unwrap_or_default();
    let all: Vec<bool> = std::iter::once(true).chain(found.iter().copied()).collect();
    shown(&all, all.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_should_find_the_others_of_its_class() {
        let classes = ["a", "b", "a", "b", "a"];
        assert_eq!(ranked(&classes, 0, &[9.0, 1.0, 2.0, 0.5, 0.1]), [true, false, false, true]);
        // Equal ones keep their order.
        assert_eq!(ranked(&classes, 1, &[0.0; 5]), [false, false, true, false]);
        let mut quality = Quality::new(&classes);
        quality.add(0, &[9.0, 1.0, 2.0, 0.5, 0.1]);
        quality.add(1, &[0.0; 5]);
        let found = quality.findings();
        let figure = |name: &str| found.figures.get(name).copied().unwrap();
        // The first finds its two others at places 1 and 4: (1 + 2/4) / 2; the second its other at place 3.
        assert!((figure("map") - (0.75 + 1.0 / 3.0) / 2.0).abs() < 1e-9);
        assert!((figure("p20_a") - 0.1).abs() < 1e-9 && (figure("p20_lowest_class") - 0.05).abs() < 1e-9);
        assert_eq!(found.words["lowest_class"], "b");
    }

    #[test]
    fn short_lists_are_judged_by_what_they_show() {
        assert_eq!(shown(&[true, false, true, true], 2), 0.5);
        assert_eq!(shown(&[true; 30], 20), 1.0);
        assert_eq!(shown(&[true], 0), 0.0);
        assert_eq!(with_itself(&[true], 0), 1.0);
        assert_eq!(with_itself(&[false, true, true], 1), 0.5);
        assert_eq!(with_itself(&[false; 30], 30), 0.1);
    }
}
