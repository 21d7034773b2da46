//! `path-strings`: how well path strings tell template text from data, on pages of one kind (Zhang & Nasraoui 2009
//! table 1, Zhang 2008 table 6). Ten pages, as in both; more do not change the schema much. Where the values of a page are
//! known (swde-16), also how many of them are found by removing the schema (Zhang 2008, table 5).

use osprey_page::Page;
use osprey_structure::extract::{Schema, data, differentiation};

use rustc_hash::FxHashSet;

use super::labels::{draw, recording};
use super::{Cell, Findings, Measure};
use crate::corpus::Recording;

/// Of the values that are known to be on the pages, how many there are, and how many are left when the schema is removed
/// (Zhang 2008, table 5, second scenario: all values less the schema). A value counts if a text is that value.
fn values_found(recording: &Recording, pages: &[Page]) -> (usize, usize) {
    let schema = Schema::of(pages, 1.0);
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut known, mut found) = (0, 0);
    for page in pages {
        let texts: FxHashSet<String> = data(page, &schema).map(|pair| plain(page.psnv_value(pair))).collect();
        let fields = recording.fields(page.url());
        for value in fields.into_iter().flat_map(|fields| fields.values()).flatten() {
            known += 1;
            found += usize::from(texts.contains(&plain(value)));
        }
    }
    (known, found)
}

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
        let (known, found) = values_found(recording(cell)?, &pages);
        let of_page = |count: usize| (known > 0).then(|| count as f64 / pages.len() as f64);
        findings.figure("known_values", of_page(known));
        findings.figure("found_values", of_page(found));
        findings.figure("found_share", (known > 0).then(|| found as f64 / known as f64));
        findings.figure("both_share", (paths > 0.0).then(|| counts.both / paths));
        Ok(findings)
    }
}
