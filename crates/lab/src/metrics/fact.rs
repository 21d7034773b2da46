//! The facts about one visit and about the whole corpus that the metrics of a crawl need.
//!
//! The caller, which knows the truth, makes the facts. If a page is met again under another URL, or is a copy of
//! another page, the later fact has `wanted` and `user_created` unset: ratios count pages, not URLs.

use std::time::Duration;

use osprey_model::PageType;
use serde::{Deserialize, Serialize};

/// A page template, by a number that the caller assigns; finer than the page type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct TemplateId(pub(crate) u32);

/// One visit, as the truth and the clock saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fact {
    /// Whether it returned a page; a dead link and a redirect do not.
    pub(crate) is_page: bool,
    /// Whether it is what the experiment looks for: about the topic, or of the target type.
    pub(crate) wanted: bool,
    /// Whether it holds what users wrote or uploaded.
    pub(crate) user_created: bool,
    /// Whether it is a copy of such a page, met before under another address.
    pub(crate) copy: bool,
    /// The kind of page.
    pub(crate) page_type: PageType,
    /// The template.
    pub(crate) template: TemplateId,
    /// How relevant an impartial judge finds the page, in 0..=1 (Chen et al. 2009, equation 9).
    pub(crate) relevance: f32,
    /// Time spent parsing, judging and queueing.
    pub(crate) processing: Duration,
    /// Time spent waiting for the network or for politeness.
    pub(crate) waiting: Duration,
}

/// What there is to find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Pages of the corpus.
    pub pages: u64,
    /// Those that are wanted.
    pub wanted: u64,
    /// Those with content made by users.
    pub user_created: u64,
}

impl Totals {
    /// Totals as far as a crawl saw them: for crawls that visit everything (de Assis et al. 2009), and where the truth
    /// about the whole corpus is not known.
    pub(crate) fn counted(crawl: &[Fact]) -> Self {
        let count = |holds: fn(&Fact) -> bool| crawl.iter().filter(|fact| holds(fact)).count() as u64;
        Self {
            pages: crawl.len() as u64,
            wanted: count(|fact| fact.wanted),
            user_created: count(|fact| fact.user_created),
        }
    }
}

/// A point of a curve over a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Pages visited so far.
    pub(crate) visited: u64,
    /// The measure at that moment.
    pub(crate) value: f64,
}

/// The cumulative curve of a measure that is a sum over visits divided by something that depends on their number: one
/// point every `every` visits, and one at the end.
pub(super) fn cumulative(
    crawl: &[Fact],
    every: usize,
    add: impl Fn(&Fact) -> f64,
    divide: impl Fn(f64, usize) -> f64,
) -> Vec<Point> {
    let every = every.max(1);
    let mut sum = 0.0;
    let mut points = Vec::with_capacity(crawl.len() / every + 1);
    for (index, fact) in crawl.iter().enumerate() {
        sum += add(fact);
        let visited = index + 1;
        if visited % every == 0 || visited == crawl.len() {
            points.push(Point { visited: visited as u64, value: divide(sum, visited) });
        }
    }
    points
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A crawl written as a string: `x` wanted, anything else not.
    pub(in crate::metrics) fn crawl(picture: &str) -> Vec<Fact> {
        picture.chars().map(|c| Fact { is_page: true, wanted: c == 'x', ..Fact::default() }).collect()
    }

    #[test]
    fn totals_are_counted() {
        let mut facts = crawl("x..x.");
        facts[1].user_created = true;
        assert_eq!(Totals::counted(&facts), Totals { pages: 5, wanted: 2, user_created: 1 });
        assert_eq!(Totals::counted(&[]), Totals::default());
    }

    #[test]
    fn a_curve_has_a_point_at_each_step_and_at_the_end() {
        let visited = |length: usize, every: usize| -> Vec<u64> {
            let facts = vec![Fact::default(); length];
            cumulative(&facts, every, |_| 1.0, |sum, _| sum).iter().map(|point| point.visited).collect()
        };
        assert_eq!(visited(5, 2), [2, 4, 5]);
        assert_eq!(visited(4, 2), [2, 4]);
        assert_eq!(visited(3, 0), [1, 2, 3], "a step of nothing is a step of one");
        assert_eq!(visited(3, 10), [3]);
        assert!(visited(0, 2).is_empty());
    }

    #[test]
    fn facts_are_stored_and_read_back() {
        let fact = Fact {
            wanted: true,
            page_type: PageType::Detail,
            relevance: 0.25,
            waiting: Duration::from_millis(1500),
            ..Fact::default()
        };
        let json = serde_json::to_string(&fact).expect("plain data");
        assert_eq!(serde_json::from_str::<Fact>(&json).expect("what was written"), fact);
    }
}
