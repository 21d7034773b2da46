//! Groups the best results by shared tags.
//!
//! The algorithm is greedy: of the results without a group, the most frequent tag makes the next group; tags that
//! most of the group share are added to its label. Words of the query and tags of nearly all results do not
//! distinguish results and make no groups; neither do names of cameras and other tags that say nothing about a
//! picture.

use std::collections::BTreeMap;
use std::sync::Arc;

use osprey_text::is_noise_tag;

use super::facets::Values;
use super::segment::Segment;
use super::top_k::DocPlace;
use crate::query::{Clause, Query};

/// Minimum number of results in a group.
const LEAST: usize = 2;
/// A tag on a larger share of all results does not distinguish them.
const COMMON: f32 = 0.8;
/// The share of a group that must have a tag for it to be in the label.
const SHARED: f32 = 0.6;
/// Maximum number of tags in a label.
const LABEL: usize = 3;
/// The index of tags among the facets.
const TAGS: usize = 0;

/// A group of results with common tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The label: `macro, garden`.
    pub label: String,
    /// The ranks of its results, from 1.
    pub ranks: Vec<usize>,
}

/// Groups of `best`, at most `most`, the largest first.
pub(crate) fn clusters(
    segments: &[Segment],
    best: &[DocPlace],
    values: &Values,
    query: &Query,
    most: usize,
) -> tantivy::Result<Vec<Cluster>> {
    let tags = tags_of(segments, best, values)?;
    let asked: Vec<String> = query
        .clauses()
        .into_iter()
        .filter_map(|(clause, _)| match clause {
            Clause::Text { text, .. } => Some(text.to_lowercase()),
            _ => None,
        })
        .collect();
    Ok(group(&tags, |tag| asked.iter().any(|asked| asked == tag) || is_noise_tag(tag), most))
}

/// The tags of results. Each is read at most once, since dictionary lookups are slow.
fn tags_of(segments: &[Segment], best: &[DocPlace], values: &Values) -> tantivy::Result<Vec<Vec<Arc<str>>>> {
    let mut tags = vec![Vec::new(); best.len()];
    for (number, segment) in segments.iter().enumerate() {
        let Some(Some(column)) = segment.facets.get(TAGS) else { continue };
        // by number, each with the results that have it
        let mut having: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (result, place) in best.iter().enumerate().filter(|(_, place)| place.segment == number) {
            column.term_ords(place.doc).for_each(|ord| having.entry(ord).or_default().push(result));
        }
        // a tag of one result makes no group, unless another segment has the tag as well
        having.retain(|_, results| results.len() >= LEAST || segments.len() > 1);
        let ords: Vec<(u64, u64)> = having.keys().map(|ord| (*ord, *ord)).collect();
        for (tag, ord) in values.get(column, (TAGS, number), &ords)? {
            for result in having.get(&ord).into_iter().flatten() {
                if let Some(tags) = tags.get_mut(*result) {
                    tags.push(Arc::clone(&tag));
                }
            }
        }
    }
    Ok(tags)
}

fn group(tags: &[Vec<Arc<str>>], is_asked: impl Fn(&str) -> bool, most: usize) -> Vec<Cluster> {
    let mut having: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (result, tags) in tags.iter().enumerate() {
        tags.iter().for_each(|tag| having.entry(tag).or_default().push(result));
    }
    let common = (tags.len() as f32 * COMMON) as usize;
    having.retain(|tag, results| results.len() >= LEAST && results.len() <= common && !is_asked(tag));
    let mut free = vec![true; tags.len()];
    let mut clusters = Vec::new();
    while clusters.len() < most {
        let left =
            |results: &[usize]| results.iter().filter(|result| free.get(**result) == Some(&true)).count();
        // of equally frequent tags, the alphabetically first
        let largest = having.iter().rev().max_by_key(|(_, results)| left(results));
        let Some((tag, results)) = largest.filter(|(_, results)| left(results) >= LEAST) else { break };
        let members: Vec<usize> =
            results.iter().copied().filter(|result| free.get(*result) == Some(&true)).collect();
        for member in &members {
            if let Some(free) = free.get_mut(*member) {
                *free = false;
            }
        }
        clusters.push(Cluster {
            label: label(tag, &members, &having),
            ranks: members.iter().map(|member| member + 1).collect(),
        });
    }
    clusters
}

fn label(tag: &str, members: &[usize], having: &BTreeMap<&str, Vec<usize>>) -> String {
    let needed = (members.len() as f32 * SHARED).ceil() as usize;
    let shared = |results: &[usize]| results.iter().filter(|result| members.contains(result)).count();
    let mut others: Vec<(usize, &str)> = having
        .iter()
        .filter(|(other, _)| **other != tag)
        .map(|(other, results)| (shared(results), *other))
        .filter(|(count, _)| *count >= needed)
        .collect();
    others.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let rest = others.into_iter().map(|(_, other)| other).take(LABEL - 1);
    std::iter::once(tag).chain(rest).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_grouped_by_what_tells_them_apart() {
        let check = |tags: &[&[&str]], expect: &[(&str, &[usize])]| {
            let tags: Vec<Vec<Arc<str>>> =
                tags.iter().map(|tags| tags.iter().map(|tag| (*tag).into()).collect()).collect();
            let found = group(&tags, |tag| tag == "rose", 8);
            let found: Vec<(&str, &[usize])> =
                found.iter().map(|cluster| (cluster.label.as_str(), cluster.ranks.as_slice())).collect();
            assert_eq!(found, expect);
        };
        check(&[], &[]);
        check(&[&["rose"], &["rose"]], &[]);
        check(
            &[
                &["rose", "flower", "garden", "green"],
                &["rose", "flower", "garden"],
                &["rose", "flower", "window", "church"],
                &["rose", "flower", "church", "window"],
                &["rose", "flower", "church"],
                &["wine"],
            ],
            &[("church, window", &[3, 4, 5]), ("garden", &[1, 2])],
        );
    }
}
