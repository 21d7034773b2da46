//! What matches have in common: tags, uploaders, sites, colours, counted.
//!
//! Up to [`COUNTED`] matches are all counted. Of more, every n-th is, and counts are multiplied: a list of the most
//! common values does not get better by reading a million documents, and says so in [`Facets::is_estimate`].

use rustc_hash::FxHashMap;
use tantivy::DocId;
use tantivy::columnar::StrColumn;

use super::matches::Matches;
use super::segment::Segment;

/// Matches that are counted one by one.
pub(crate) const COUNTED: usize = 10_000;

/// Counts of values, the most common first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// Tags, in small letters.
    pub tags: Vec<FacetValue>,
    /// Uploaders.
    pub uploaders: Vec<FacetValue>,
    /// Sites.
    pub sites: Vec<FacetValue>,
    /// Names of colours that take a good part of a picture.
    pub colours: Vec<FacetValue>,
    /// Whether counts were multiplied up from a sample.
    pub is_estimate: bool,
}

/// A value and how many matches have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// How many.
    pub count: u64,
}

/// Counts the `most` common values of each facet.
pub(crate) fn count(segments: &[Segment], matched: &[Matches], most: usize) -> tantivy::Result<Facets> {
    if most == 0 {
        return Ok(Facets::default());
    }
    let total: usize = matched.iter().map(Matches::len).sum();
    let step = total.div_ceil(COUNTED).max(1);
    let mut facets = Vec::new();
    for facet in 0..4 {
        let mut counts: FxHashMap<String, u64> = FxHashMap::default();
        for (segment, matches) in segments.iter().zip(matched) {
            let Some(Some(column)) = segment.facets.get(facet) else { continue };
            let docs = matches.docs.iter().copied().step_by(step);
            // a value that is common in all segments may not be among the first of one
            let spare = if segments.len() > 1 { 4 } else { 1 };
            let common = top_ords(column, docs, most.saturating_mul(spare));
            let ords: Vec<u64> = common.iter().map(|(ord, _)| *ord).collect();
            let mut found = common.iter();
            column.dictionary().sorted_ords_to_term_cb(&ords, |value| {
                let (Some((_, count)), Ok(value)) = (found.next(), std::str::from_utf8(value)) else {
                    return;
                };
                *counts.entry(value.to_owned()).or_default() += count * step as u64;
            })?;
        }
        facets.push(sorted(counts, most));
    }
    let mut facets = facets.into_iter();
    let mut next = || facets.next().unwrap_or_default();
    Ok(Facets { tags: next(), uploaders: next(), sites: next(), colours: next(), is_estimate: step > 1 })
}

/// The `most` common values of a segment, in the order of their numbers: that is how a dictionary is read quickly.
fn top_ords(column: &StrColumn, docs: impl Iterator<Item = DocId>, most: usize) -> Vec<(u64, u64)> {
    let mut counts = count_ords(column, docs);
    if most < counts.len() {
        counts.select_nth_unstable_by_key(most, |(ord, count)| (std::cmp::Reverse(*count), *ord));
        counts.truncate(most);
    }
    counts.sort_unstable_by_key(|(ord, _)| *ord);
    counts
}

fn count_ords(column: &StrColumn, docs: impl Iterator<Item = DocId>) -> Vec<(u64, u64)> {
    /// A table of so many counts is quicker than looking values up.
    const FEW: usize = 1 << 14;
    let ords = docs.flat_map(|doc| column.term_ords(doc));
    if column.num_terms() > FEW {
        let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
        ords.for_each(|ord| *counts.entry(ord).or_default() += 1);
        return counts.into_iter().collect();
    }
    let mut counts = vec![0; column.num_terms()];
    for ord in ords {
        if let Some(count) = counts.get_mut(ord as usize) {
            *count += 1;
        }
    }
    (0..).zip(counts).filter(|(_, count)| *count > 0).collect()
}

fn sorted(counts: FxHashMap<String, u64>, most: usize) -> Vec<FacetValue> {
    let mut values: Vec<FacetValue> =
        counts.into_iter().map(|(value, count)| FacetValue { value, count }).collect();
    values.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    values.truncate(most);
    values
}
