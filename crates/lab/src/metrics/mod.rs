//! Metrics of a crawl, a clustering and a ranking.
//!
//! Each metric is a pure function of plain facts: no I/O, no clock, no random numbers, sums in visit order. The same
//! facts give the same bits. Each function names the paper and the equation that it implements.
//!
//! A ratio with denominator 0 is `None`: a crawl of no pages has no harvest ratio, and a corpus without wanted pages
//! has no recall. No value is clamped: a recall above 1 shows that the truth counts fewer pages than the crawl found.

mod band;
mod capture;
mod ceiling;
mod clusters;
mod confidence;
mod coverage;
mod effort;
mod entropy;
mod fact;
mod harvest;
mod information;
mod ranking;
mod threshold;
mod time;

pub(crate) use band::band;
pub(crate) use capture::{
    detail_capture_curve, detail_capture_ratio, detail_harvest_curve, detail_harvest_ratio,
};
pub(crate) use ceiling::{ceiling, harvest_over_ceiling, recall_after, recall_area};
pub(crate) use clusters::{Averages, Labelled, f_over_clusters, f_over_types, precision, purity};
pub(crate) use confidence::{Estimate, estimate, paired_difference};
pub(crate) use coverage::{recall_curve, target_scores, valid_ratio_by_template, valid_scores};
pub(crate) use effort::{found_share, pages_per_relevant, visited_share};
pub(crate) use entropy::{entropy, entropy_of_templates};
pub use fact::Totals;
pub(crate) use fact::{Fact, Point, TemplateId};
pub(crate) use harvest::{harvest_curve, harvest_ratio, harvest_windows};
pub(crate) use information::{Portion, portions, precision_rate, sum_of_information};
pub(crate) use ranking::{average_precision, first_page_precision, precision_at};
pub(crate) use threshold::{best_threshold, even_thresholds, threshold_sweep};
pub(crate) use time::time_split;

/// `part / whole`, if there is a whole.
fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
