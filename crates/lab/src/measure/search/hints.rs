//! `search-hints`: finds a target picture from hints: a tag, a colour word, a texture word, and all of them together.
//!
//! As in Zhang 2008, VII.7.2: the tag is drawn from those of the uploader, colour and texture from the words of the
//! picture, without those that most pictures have ("stop words"). Usefulness is the part of the paper's scale that
//! needs no person: 2 if the target is on the first page, 1 if it is on the next few, 0 otherwise.

use anyhow::Context;
use osprey_index::{IndexError, Query, Ranking, Request, Searcher};
use osprey_vision::{Bag, Words};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::{Cell, Findings, Measure};
use super::collect;

/// Targets; Zhang 2008 had 30.
const TARGETS: usize = 100;
/// Results on a page.
const PAGE: usize = 20;
/// The number of further result pages that count.
const PAGES: usize = 5;
/// A word that more than this share of the pictures has is a stop word.
const COMMON: f64 = 0.5;
/// Words with a smaller share of a picture are not used as hints.
const LEAST: f32 = 0.02;

/// What is hinted at together.
const COMBINATIONS: [(&str, [bool; 3]); 6] = [
    ("k", [true, false, false]),
    ("c", [false, true, false]),
    ("t", [false, false, true]),
    ("kc", [true, true, false]),
    ("kt", [true, false, true]),
    ("kct", [true, true, true]),
];

/// What a variant may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HintsParams {
    #[serde(alias = "seed_ranking")]
    classic_ranking: bool,
    exact: bool,
}

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HintsMeasure;

impl Measure for HintsMeasure {
    fn name(&self) -> &'static str {
        "search-hints"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let asked: HintsParams = cell.variant.with.clone().try_into().context("variant.with")?;
        let collected = collect(cell, true)?;
        let searcher = &collected.searcher;
        let pictures = pictures(searcher, &collected.project.fetched_pages()?)?;
        let targets = targets(&pictures, cell.random_seed);
        let mut findings = Findings::default();
        findings.figure("documents", Some(searcher.len() as f64));
        findings.figure("with_profile", Some(collected.count("similarity:>=0")?));
        findings.figure("pictures", Some(pictures.len() as f64));
        findings.figure("targets", Some(targets.len() as f64));
        for (name, wanted) in COMBINATIONS {
            let mut ranks = Vec::with_capacity(targets.len());
            for target in &targets {
                ranks.push(rank(searcher, target, &wanted, &asked)?);
            }
            let share = |within: usize| {
                let there = ranks.iter().flatten().filter(|rank| **rank <= within).count();
                there as f64 / ranks.len().max(1) as f64
            };
            let (first, later) = (share(PAGE), share(PAGE * PAGES));
            findings.figure(&format!("first_page_{name}"), Some(first));
            findings.figure(&format!("usefulness_{name}"), Some(first + later));
            let reciprocal: f64 = ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum();
            findings.figure(&format!("reciprocal_rank_{name}"), Some(reciprocal / ranks.len().max(1) as f64));
        }
        Ok(findings)
    }
}

/// A document with a picture.
struct Pictured {
    url: String,
    tags: Vec<String>,
    /// As the index keeps them.
    words: Words,
}

/// The documents of these pages that have a picture, in their order.
fn pictures(searcher: &Searcher, urls: &[String]) -> anyhow::Result<Vec<Pictured>> {
    let mut pictures = Vec::new();
    for url in urls {
        let words = match searcher.words(url) {
            // pages that a server calls failures are not indexed
            Err(IndexError::NotIndexed(_)) => continue,
            words => words?,
        };
        if let Some(words) = words {
            pictures.push(Pictured { url: url.clone(), tags: searcher.document(url)?.tags, words });
        }
    }
    Ok(pictures)
}

/// A picture to find, and its hints: keyword, colour, texture, as parts of a query.
struct Target {
    url: String,
    hints: [String; 3],
}

/// Pictures with a tag and words that are not too common, drawn with a random seed.
fn targets(pictures: &[Pictured], seed: u64) -> Vec<Target> {
    let colours = spread(pictures.iter().map(|picture| &picture.words.colours.whole));
    let textures = spread(pictures.iter().map(|picture| &picture.words.textures.whole));
    let is_rare = |spread: &FxHashMap<u8, usize>, word: u8| {
        (spread.get(&word).copied().unwrap_or(0) as f64) <= COMMON * pictures.len() as f64
    };
    let draw = |document: &Pictured, what: u64, from: usize| {
        xxh3_64_with_seed(document.url.as_bytes(), seed.wrapping_mul(3).wrapping_add(what)) as usize
            % from.max(1)
    };
    let mut targets: Vec<(u64, Target)> = Vec::new();
    for document in pictures {
        let words = &document.words;
        let rare = |bag: &Bag, spread| -> Vec<u8> {
            bag.shares()
                .filter(|(word, share)| *share >= LEAST && is_rare(spread, *word))
                .map(|(word, _)| word)
                .collect()
        };
        let (colours, textures) =
            (rare(&words.colours.whole, &colours), rare(&words.textures.whole, &textures));
        let pick = |words: &[u8], what| words.get(draw(document, what, words.len())).copied();
        let (Some(tag), Some(colour), Some(texture)) = (
            document.tags.get(draw(document, 0, document.tags.len())),
            pick(&colours, 1),
            pick(&textures, 2),
        ) else {
            continue;
        };
        let tag = format!("tag:\"{}\"", tag.replace('"', " "));
        let hints = [tag, format!("color:{colour}"), format!("texture:{texture}")];
        let order = xxh3_64_with_seed(document.url.as_bytes(), seed);
        targets.push((order, Target { url: document.url.clone(), hints }));
    }
    targets.sort_by_key(|(order, _)| *order);
    targets.into_iter().take(TARGETS).map(|(_, target)| target).collect()
}

/// How many pictures have each word.
fn spread<'a>(bags: impl Iterator<Item = &'a Bag>) -> FxHashMap<u8, usize> {
    let mut spread = FxHashMap::default();
    for (word, _) in
        bags.flat_map(|bag| bag.shares().filter(|(_, share)| *share >= LEAST).collect::<Vec<_>>())
    {
        *spread.entry(word).or_default() += 1;
    }
    spread
}

/// The target's rank among the results, from 1.
fn rank(
    searcher: &Searcher,
    target: &Target,
    wanted: &[bool; 3],
    asked: &HintsParams,
) -> anyhow::Result<Option<usize>> {
    let hints = target.hints.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(hint, _)| hint.as_str());
    let query = Query::parse(&hints.collect::<Vec<_>>().join(" "))?;
    let ranking = if asked.classic_ranking { Ranking::Classic } else { Ranking::Osprey };
    let request = Request { query, ranking, expand: !asked.exact, limit: PAGE * PAGES, ..Request::default() };
    let results = searcher.search(&request)?;
    Ok(results.hits.iter().find(|hit| hit.url == target.url).map(|hit| hit.rank))
}

#[cfg(test)]
mod tests {
    use osprey_vision::{Codebook, Picture as Pixels, Worker};

    use super::*;

    #[test]
    fn hints_are_drawn_from_what_the_target_has_and_most_have_not() {
        let mut worker = Worker::new(Codebook::embedded());
        let mut document = |number: u8| {
            let stripe = 4 + usize::from(number);
            // all have black, each a colour of its own
            let colour = |x: usize, y: usize| match (x / stripe + y / 8) % 2 {
                0 => [0; 3],
                _ => [number * 25, 255 - number * 25, 60],
            };
            let words = worker.look(&Pixels::from_fn(96, 96, colour));
            let url = format!("http://a.example/{number}");
            Pictured { url, tags: vec![format!("t{number}")], words }
        };
        let documents: Vec<Pictured> = (0..10).map(&mut document).collect();
        let black = documents[0].words.colours.whole.strongest(1)[0].0;
        let found = targets(&documents, 1);
        assert!(!found.is_empty());
        for target in &found {
            let number = target.url.rsplit('/').next().unwrap();
            assert_eq!(target.hints[0], format!("tag:\"t{number}\""));
            assert_ne!(target.hints[1], format!("color:{black}"));
        }
        let order =
            |seed| targets(&documents, seed).iter().map(|target| target.url.clone()).collect::<Vec<_>>();
        assert_eq!(order(1), order(1));
    }
}
