//! The best results in groups, by the tags that they share.
//!
//! Greedy: the tag that most results without a group have makes the next group; tags that most of a group share as well
//! join its label. Words of the query and tags that nearly all results have tell nothing apart and make no groups.

use std::collections::BTreeMap;

use super::segment::Segment;
use super::top::Place;
use crate::query::{Clause, Query};

/// Results that a group has at least.
const LEAST: usize = 2;
/// A tag that a larger share of all results has tells nothing apart.
const COMMON: f32 = 0.8;
/// The share of a group that has to have a tag for its label.
const SHARED: f32 = 0.6;
/// Tags of a label.
const LABEL: usize = 3;

/// Results with tags in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// For people: `macro, garden`.
    pub label: String,
    /// The places of its results, from 1.
    pub ranks: Vec<usize>,
}

/// Groups of `best`, at most `most`, the largest first.
pub(crate) fn clusters(
    segments: &[Segment],
    best: &[Place],
    query: &Query,
    most: usize,
) -> tantivy::Result<Vec<Cluster>> {
    let mut tags = Vec::with_capacity(best.len());
    for place in best {
        tags.push(tags_of(segments, *place)?);
    }
    let asked: Vec<String> = query
        .clauses()
        .into_iter()
        .filter_map(|(clause, _)| match clause {
            Clause::Text { text, .. } => Some(text.to_lowercase()),
            _ => None,
        })
        .collect();
    Ok(group(&tags, |tag| asked.iter().any(|asked| asked == tag), most))
}

fn tags_of(segments: &[Segment], place: Place) -> tantivy::Result<Vec<String>> {
    let Some(column) = segments.get(place.segment).and_then(|segment| segment.facets.first()?.as_ref())
    else {
        return Ok(Vec::new());
    };
    let mut tags = Vec::new();
    for ord in column.term_ords(place.doc) {
        let mut tag = String::new();
        if column.ord_to_str(ord, &mut tag)? {
            tags.push(tag);
        }
    }
    Ok(tags)
}

fn group(tags: &[Vec<String>], is_asked: impl Fn(&str) -> bool, most: usize) -> Vec<Cluster> {
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
        // of equal ones the first in the alphabet
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
            let tags: Vec<Vec<String>> =
                tags.iter().map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect()).collect();
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
