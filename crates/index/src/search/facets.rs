//! Counts what matches have in common: tags, uploaders, sites, colours.
//!
//! Up to [`COUNTED`] matches, all are counted. Of more, every n-th is counted and the counts are multiplied, since
//! reading a million documents does not improve a list of the most common values; [`Facets::is_estimate`] is then
//! set.

use std::sync::{Arc, Mutex, PoisonError};

use osprey_text::is_noise_tag;
use rustc_hash::FxHashMap;
use tantivy::DocId;
use tantivy::columnar::StrColumn;

use super::matches::Matches;
use super::segment::Segment;
use crate::schema::FACETS;

/// The index of tags among the facets. Names of cameras, and other tags that say nothing about a picture, are left
/// out.
const TAGS: usize = 0;
/// Maximum number of matches that are all counted.
pub(crate) const COUNTED: usize = 2_000;

/// The most common values with counts, in descending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// Tags, in lower case.
    pub tags: Vec<FacetValue>,
    /// Uploaders.
    pub uploaders: Vec<FacetValue>,
    /// Sites.
    pub sites: Vec<FacetValue>,
    /// Names of colours that cover a good part of the picture.
    pub colours: Vec<FacetValue>,
    /// Whether counts were extrapolated from a sample.
    pub is_estimate: bool,
}

/// A value and the number of matches that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// The number of matches.
    pub count: u64,
}

/// Counts the `most` most common values of each facet.
pub(crate) fn count(
    segments: &[Segment],
    matched: &[Matches],
    most: usize,
    values: &Values,
) -> tantivy::Result<Facets> {
    if most == 0 {
        return Ok(Facets::default());
    }
    let total: u64 = matched.iter().map(Matches::total).sum();
    let step = total.div_ceil(COUNTED as u64).max(1) as usize;
    let samples: Vec<Sample> = matched.iter().map(|matches| Sample::of(matches, step)).collect();
    // a value that is common over all segments may not be among the first of one segment
    let kept = |facet: usize| if segments.len() > 1 || facet == TAGS { most.saturating_mul(3) } else { most };
    let mut facets = Vec::new();
    for facet in 0..FACETS.len() {
        let mut counts: FxHashMap<Arc<str>, u64> = FxHashMap::default();
        for (number, (segment, sample)) in segments.iter().zip(&samples).enumerate() {
            let Some(Some(column)) = segment.facets.get(facet) else { continue };
            let common = top_ords(column, sample, kept(facet));
            for (value, count) in values.get(column, (facet, number), &common)? {
                *counts.entry(value).or_default() += count;
            }
        }
        if facet == TAGS {
            counts.retain(|tag, _| !is_noise_tag(tag));
        }
        facets.push(sorted(counts, most));
    }
    let mut facets = facets.into_iter();
    let mut next = || facets.next().unwrap_or_default();
    Ok(Facets { tags: next(), uploaders: next(), sites: next(), colours: next(), is_estimate: step > 1 })
}

/// A sample of a segment's matches; each has the number of matches it stands for.
struct Sample(Vec<(DocId, u64)>);

impl Sample {
    /// About every `step`-th match, both of the listed and of the counted ones.
    fn of(matches: &Matches, step: usize) -> Self {
        let mut docs: Vec<(DocId, u64)> =
            matches.docs.iter().step_by(step).map(|doc| (*doc, step as u64)).collect();
        let rest = &matches.rest;
        let each = rest.count / (rest.sample.len() as u64).max(1);
        let skip = (step as u64 / each.max(1)).max(1);
        docs.extend(rest.sample.iter().step_by(skip as usize).map(|doc| (*doc, each * skip)));
        Self(docs)
    }
}

/// Values that were already read, by facet, segment and number: the common ones occur in every query, and reading one
/// from its dictionary takes longer than counting a hundred.
#[derive(Debug, Default)]
pub(crate) struct Values(Mutex<FxHashMap<(usize, usize, u64), Arc<str>>>);

impl Values {
    /// Maximum number of cached values.
    const MOST: usize = 1 << 16;

    /// The values of numbers in ascending order, each with what was passed with it.
    pub(super) fn get(
        &self,
        column: &StrColumn,
        (facet, segment): (usize, usize),
        ords: &[(u64, u64)],
    ) -> tantivy::Result<Vec<(Arc<str>, u64)>> {
        let mut found = Vec::with_capacity(ords.len());
        let mut missing = Vec::new();
        // a thread that panicked while it held the lock has left complete values
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (ord, count) in ords {
            match known.get(&(facet, segment, *ord)) {
                Some(value) => found.push((Arc::clone(value), *count)),
                None => missing.push((*ord, *count)),
            }
        }
        if known.len() + missing.len() > Self::MOST {
            known.clear();
        }
        let ords: Vec<u64> = missing.iter().map(|(ord, _)| *ord).collect();
        let mut missing = missing.into_iter();
        column.dictionary().sorted_ords_to_term_cb(&ords, |value| {
            let (Some((ord, count)), Ok(value)) = (missing.next(), std::str::from_utf8(value)) else {
                return;
            };
            let value: Arc<str> = value.into();
            known.insert((facet, segment, ord), Arc::clone(&value));
            found.push((value, count));
        })?;
        Ok(found)
    }
}

/// The `most` most common values of a segment, in ascending order of their numbers, which is how a dictionary is read
/// quickly.
fn top_ords(column: &StrColumn, sample: &Sample, most: usize) -> Vec<(u64, u64)> {
    let mut counts = count_ords(column, sample);
    if most < counts.len() {
        counts.select_nth_unstable_by_key(most, |(ord, count)| (std::cmp::Reverse(*count), *ord));
        counts.truncate(most);
    }
    counts.sort_unstable_by_key(|(ord, _)| *ord);
    counts
}

fn count_ords(column: &StrColumn, sample: &Sample) -> Vec<(u64, u64)> {
    /// Up to this many counts, a table is faster than a hash map.
    const FEW: usize = 1 << 14;
    let ords = sample.0.iter().flat_map(|(doc, each)| column.term_ords(*doc).map(|ord| (ord, *each)));
    if column.num_terms() > FEW {
        let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
        ords.for_each(|(ord, each)| *counts.entry(ord).or_default() += each);
        return counts.into_iter().collect();
    }
    let mut counts = vec![0; column.num_terms()];
    for (ord, each) in ords {
        if let Some(count) = counts.get_mut(ord as usize) {
            *count += each;
        }
    }
    (0..).zip(counts).filter(|(_, count)| *count > 0).collect()
}

fn sorted(counts: FxHashMap<Arc<str>, u64>, most: usize) -> Vec<FacetValue> {
    let mut values: Vec<FacetValue> =
        counts.into_iter().map(|(value, count)| FacetValue { value: value.to_string(), count }).collect();
    values.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    values.truncate(most);
    values
}
