//! Labels made by hand: what a person reads on a page, field by field.
//!
//! A file in `lab/labels` holds the labels of one kind of page of one recorded site; the pages are in the recording. A
//! field labelled with no value is not on the page. A field without a label is not measured.

use std::collections::BTreeMap;

use anyhow::Context;
use osprey_model::{CanonicalUrl, Exchange};
use osprey_page::{Page, PageRules, is_page, read_page};
use osprey_structure::extract::RecordKind;
use regex::Regex;
use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::Cell;
use crate::corpus::Recording;
use crate::{CorpusSource, fingerprint};

/// Values by field.
pub(super) type Values = BTreeMap<String, Vec<String>>;

/// `lab/labels/NAME.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelFile {
    /// The recording that has the pages.
    pub(super) recording: String,
    /// What they are about.
    pub(super) kind: RecordKind,
    /// The URLs of pages of the same kind, a pattern.
    pub(super) pages: String,
    /// What the labels mean here.
    #[expect(dead_code, reason = "for people")]
    note: String,
    /// The labels by URL.
    pub(super) labels: BTreeMap<String, Values>,
}

impl LabelFile {
    /// The file with the name of the cell's corpus.
    pub(super) fn of(cell: &Cell<'_>) -> anyhow::Result<Self> {
        let name = &cell.entry.name;
        let (_, text) = crate::registry::LABELS
            .iter()
            .find(|(known, _)| known == name)
            .with_context(|| format!("corpus `{name}`: no labels of that name in lab/labels"))?;
        let file: Self = serde_json::from_str(text).with_context(|| format!("lab/labels/{name}.json"))?;
        anyhow::ensure!(
            cell.entry.recording.as_deref() == Some(&file.recording),
            "corpus `{name}`: the labels are for the recording `{}`",
            file.recording
        );
        Ok(file)
    }

    /// Pages of the same kind that have no labels, drawn with the cell's random seed.
    pub(super) fn others(
        &self,
        recording: &Recording,
        random_seed: u64,
        number: usize,
    ) -> anyhow::Result<Vec<Page>> {
        let pattern = Regex::new(&self.pages).with_context(|| format!("pages: `{}`", self.pages))?;
        let fits =
            |url: &&CanonicalUrl| pattern.is_match(url.as_str()) && !self.labels.contains_key(url.as_str());
        Ok(draw(recording, fits, random_seed, number))
    }
}

/// Some of a recording's pages: those that fit, each body once, drawn with a random seed.
pub(super) fn draw(
    recording: &Recording,
    fits: impl Fn(&&CanonicalUrl) -> bool,
    random_seed: u64,
    number: usize,
) -> Vec<Page> {
    let mut urls: Vec<&CanonicalUrl> = recording.urls().filter(fits).collect();
    urls.sort_by_cached_key(|url| {
        (fingerprint(format!("{random_seed} {}", url.as_str()).as_bytes()), url.as_str())
    });
    let mut bodies = FxHashSet::default();
    urls.into_iter().filter_map(|url| read(recording, url, &mut bodies)).take(number).collect()
}

/// A page of a recording; `None` if it is not a page, or its body was seen before.
pub(super) fn read(recording: &Recording, url: &CanonicalUrl, bodies: &mut FxHashSet<u64>) -> Option<Page> {
    let Exchange::Answered(response) = recording.get(url) else { return None };
    let is_new = is_page(&response) && bodies.insert(fingerprint(&response.body));
    is_new.then(|| read_page(&response, &PageRules::default()))
}

/// The recording of a cell.
pub(super) fn recording<'c>(cell: &Cell<'c>) -> anyhow::Result<&'c Recording> {
    match &cell.corpus.source {
        CorpusSource::Recording(recording) => Ok(recording),
        _ => anyhow::bail!("corpus `{}`: expected a recording", cell.entry.name),
    }
}
