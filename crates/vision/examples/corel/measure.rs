//! Precision among the first results and mean average precision.

use std::collections::BTreeMap;
use std::fmt;

/// How alike each picture is to the query; the higher the better.
pub(crate) type Scores = Vec<f32>;

/// Sums over queries.
#[derive(Default)]
pub(crate) struct Measured {
    queries: f64,
    at10: f64,
    at20: f64,
    average: f64,
    classes: BTreeMap<String, (f64, f64)>,
}

impl Measured {
    /// Adds a query.
    pub(crate) fn add(&mut self, query: usize, classes: &[&str], scores: Scores) {
        let mut order: Vec<usize> = (0..scores.len()).filter(|place| *place != query).collect();
        let score = |place: &usize| scores.get(*place).copied().unwrap_or(f32::NEG_INFINITY);
        order.sort_by(|a, b| score(b).total_cmp(&score(a)));
        let class = classes.get(query).copied().unwrap_or_default();
        let (mut hits, mut sum, mut at10, mut at20) = (0.0, 0.0, 0.0, 0.0);
        for (rank, place) in order.iter().enumerate() {
            if classes.get(*place) == Some(&class) {
                hits += 1.0;
                sum += hits / (rank + 1) as f64;
            }
            match rank + 1 {
                10 => at10 = hits / 10.0,
                20 => at20 = hits / 20.0,
                _ => {}
            }
        }
        self.queries += 1.0;
        self.at10 += at10;
        self.at20 += at20;
        self.average += sum / f64::max(hits, 1.0);
        let (total, count) = self.classes.entry(class.to_owned()).or_default();
        *total += at20;
        *count += 1.0;
    }

    /// Precision among 20 of every class.
    pub(crate) fn classes(&self) -> String {
        let each = self.classes.iter().map(|(class, (total, count))| format!("{class} {:.3}", total / count));
        each.collect::<Vec<_>>().join(", ")
    }
}

/// Three cells of a table and the lowest class.
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lowest = self.classes.iter().map(|(class, (total, count))| (total / count, class));
        let lowest = lowest.min_by(|a, b| a.0.total_cmp(&b.0));
        let (least, class) = lowest.map_or((0.0, "none"), |(least, class)| (least, class.as_str()));
        let n = self.queries.max(1.0);
        write!(
            f,
            "{:.3} | {:.3} | {:.3} | {class} {least:.2}",
            self.at10 / n,
            self.at20 / n,
            self.average / n
        )
    }
}
