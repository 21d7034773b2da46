//! `path-strings`: how well path strings tell template text from data, on pages of one kind (Zhang & Nasraoui 2009
//! table 1, Zhang 2008 table 6). Ten pages, as in both; more do not change the schema much.

use osprey_structure::extract::differentiation;

use super::labels::{draw, recording};
use super::{Cell, Findings, Measure};

/// Pages that are looked at, if the budget does not say.
const PAGES: u64 = 10;

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathStringsMeasure;

impl Measure for PathStringsMeasure {
    fn name(&self) -> &'static str {
        "path-strings"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let wanted = cell.experiment.wanted_of(cell.entry);
        let topic = cell.corpus.topic.as_deref();
        let number = cell.budget(Default::default()).unwrap_or(PAGES);
        let fits = |url: &&osprey_model::CanonicalUrl| wanted.includes(&cell.corpus.truth(url), topic);
        let pages = draw(recording(cell)?, fits, cell.random_seed, usize::try_from(number)?);
        let counts = differentiation(&pages);
        let mut findings = Findings::default();
        let figures = [
            ("T", counts.total),
            ("S", counts.schema),
            ("V", counts.values),
            ("US", counts.schema_paths),
            ("UV", counts.value_paths),
            ("INT", counts.both),
            ("pages", pages.len() as f64),
        ];
        for (name, value) in figures {
            findings.figure(name, (!pages.is_empty()).then_some(value));
        }
        let paths = counts.schema_paths + counts.value_paths - counts.both;
        findings.figure("both_share", (paths > 0.0).then(|| counts.both / paths));
        Ok(findings)
    }
}
