//! The smallest set of path strings that separates a type from all others: for most sites one or two (Zhang & Nasraoui
//! 2009, section 4.3.2).
//!
//! Exact for one and two path strings, greedy beyond (it is a set cover). If not even the whole characteristic set
//! separates a type from another, the other type is recorded and the whole set is kept: the larger set then decides.

use std::cmp::Reverse;

use super::characteristic::{BARE_ROOT, KnownPath, PathStrings, Tolerance};

/// Path strings that are tried in pairs, those on the fewest pages of other types first.
const MAX_FOR_PAIRS: usize = 256;
/// Path strings of a separating set that was found greedily.
const MAX_GREEDY: usize = 16;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Separation {
    /// Indices of the chosen path strings in the characteristic set; all of them if no smaller set separates.
    pub(super) chosen: Vec<usize>,
    /// Indices of the types that cannot be separated from this one.
    pub(super) confused_with: Vec<usize>,
}

/// Reduces the characteristic set of a design of the type at `own`. `pages` has the examples of all types.
pub(super) fn separate(
    set: &[KnownPath],
    own: usize,
    pages: &[&[PathStrings]],
    tolerance: &Tolerance,
) -> Separation {
    let foreign = Foreign::new(own, pages, tolerance);
    let holders: Vec<Bits> = set.iter().map(|path| foreign.holders(path.key)).collect();
    let examples = pages.get(own).copied().unwrap_or_default();
    let by_rank = ranked(set, &holders, examples);
    let chosen = one(&foreign, &holders, &by_rank)
        .or_else(|| two(&foreign, &holders, &by_rank))
        .or_else(|| greedy(&foreign, &holders, &by_rank));
    match chosen {
        Some(chosen) => Separation { chosen, confused_with: Vec::new() },
        None => {
            let left = holders.iter().fold(foreign.everyone(), |left, holders| left.and(holders));
            Separation { chosen: (0..set.len()).collect(), confused_with: foreign.too_many(&left) }
        }
    }
}

/// The pages of all other types.
struct Foreign<'a> {
    pages: Vec<&'a PathStrings>,
    /// Type of each page.
    of_page: Vec<usize>,
    /// Pages of each type that may be taken for this one.
    allowed: Vec<usize>,
}

impl<'a> Foreign<'a> {
    fn new(own: usize, pages: &[&'a [PathStrings]], tolerance: &Tolerance) -> Self {
        let others = pages.iter().enumerate().filter(|(place, _)| *place != own);
        let (of_page, pages_of): (Vec<usize>, Vec<&PathStrings>) =
            others.flat_map(|(place, pages)| pages.iter().map(move |page| (place, page))).unzip();
        let allowed = pages.iter().map(|pages| (pages.len() as f64 * tolerance.elsewhere) as usize).collect();
        Self { pages: pages_of, of_page, allowed }
    }

    fn holders(&self, key: u64) -> Bits {
        Bits::of(self.pages.iter().map(|page| page.has(key)))
    }

    fn everyone(&self) -> Bits {
        Bits::of(self.pages.iter().map(|_| true))
    }

    /// Types of which more pages remain than allowed.
    fn too_many(&self, left: &Bits) -> Vec<usize> {
        let mut counts = vec![0_usize; self.allowed.len()];
        for place in left.places() {
            if let Some(count) = self.of_page.get(place).and_then(|own| counts.get_mut(*own)) {
                *count += 1;
            }
        }
        let over =
            counts.iter().zip(&self.allowed).enumerate().filter(|(_, (count, allowed))| count > allowed);
        over.map(|(place, _)| place).collect()
    }

    fn is_separated(&self, left: &Bits) -> bool {
        left.is_empty() || self.too_many(left).is_empty()
    }
}

/// Indices of a set: on the fewest pages of other types first, then on the most pages of the type, then without the
/// root's properties, which may be those of a single page, then the shallow ones, which survive changes of the design.
fn ranked(set: &[KnownPath], holders: &[Bits], examples: &[PathStrings]) -> Vec<usize> {
    let rank = |(place, path): (usize, &KnownPath)| {
        let foreign = holders.get(place).map_or(0, Bits::count);
        let own = examples.iter().filter(|page| page.has(path.key)).count();
        let is_bare = path.text.ends_with(BARE_ROOT);
        let depth = path.text.matches('<').count();
        ((foreign, Reverse(own), !is_bare, depth, path.text.len()), place)
    };
    let mut ranks: Vec<_> = set.iter().enumerate().map(rank).collect();
    let text = |place: usize| set.get(place).map(|path| path.text.as_str());
    ranks.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| text(a.1).cmp(&text(b.1))));
    ranks.into_iter().map(|(_, place)| place).collect()
}

fn one(foreign: &Foreign<'_>, holders: &[Bits], by_rank: &[usize]) -> Option<Vec<usize>> {
    let found =
        by_rank.iter().find(|place| holders.get(**place).is_some_and(|left| foreign.is_separated(left)));
    found.map(|place| vec![*place])
}

fn two(foreign: &Foreign<'_>, holders: &[Bits], by_rank: &[usize]) -> Option<Vec<usize>> {
    let places = by_rank.get(..MAX_FOR_PAIRS).unwrap_or(by_rank);
    for (rank, &first) in places.iter().enumerate() {
        for &second in places.get(..rank).unwrap_or_default() {
            if let (Some(a), Some(b)) = (holders.get(first), holders.get(second))
                && foreign.is_separated(&a.and(b))
            {
                return Some(vec![second, first]);
            }
        }
    }
    None
}

fn greedy(foreign: &Foreign<'_>, holders: &[Bits], by_rank: &[usize]) -> Option<Vec<usize>> {
    let (mut left, mut chosen) = (foreign.everyone(), Vec::new());
    while !foreign.is_separated(&left) {
        let remain =
            |place: &&usize| holders.get(**place).map_or(usize::MAX, |holders| left.and(holders).count());
        let best = by_rank.iter().min_by_key(remain)?;
        let next = left.and(holders.get(*best)?);
        if next.count() == left.count() || chosen.len() >= MAX_GREEDY {
            return None;
        }
        left = next;
        chosen.push(*best);
    }
    // no other types: the best-ranked path string represents the type
    if chosen.is_empty() {
        chosen.extend(by_rank.first());
    }
    (!chosen.is_empty()).then_some(chosen)
}

/// A set of pages.
#[derive(Clone, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn of(members: impl Iterator<Item = bool>) -> Self {
        let mut words = Vec::new();
        for (place, is_member) in members.enumerate() {
            if place % 64 == 0 {
                words.push(0);
            }
            if let Some(word) = words.last_mut() {
                *word |= u64::from(is_member) << (place % 64);
            }
        }
        Self(words)
    }

    fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        let word = |(number, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| number * 64 + bit)
        };
        self.0.iter().enumerate().flat_map(word)
    }
}

#[cfg(test)]
mod tests {
    use super::super::characteristic::tests::page;
    use super::super::words::exact_fingerprint;
    use super::*;

    /// A page with one text for each class.
    fn example(classes: &str) -> PathStrings {
        let texts: String = classes.chars().map(|class| format!("<p class={class}>x</p>")).collect();
        PathStrings::of(&page(&texts))
    }

    /// The type with the first pages; its set is `set`, in letters.
    fn check(set: &str, types: &[&[&str]], tolerance: &Tolerance, chosen: &str, confused_with: &[usize]) {
        let pages: Vec<Vec<PathStrings>> =
            types.iter().map(|pages| pages.iter().map(|classes| example(classes)).collect()).collect();
        let pages: Vec<&[PathStrings]> = pages.iter().map(Vec::as_slice).collect();
        let known = |class: char| {
            let one = page(&format!("<p class={class}>x</p>"));
            let id = one.path_strings().next().expect("a path").id;
            let text = one.path_string(id).to_owned();
            KnownPath { key: exact_fingerprint(&text), text }
        };
        let set: Vec<(char, KnownPath)> = set.chars().map(|class| (class, known(class))).collect();
        let paths: Vec<KnownPath> = set.iter().map(|(_, path)| path.clone()).collect();
        let found = separate(&paths, 0, &pages, tolerance);
        let mut letters: Vec<char> = found.chosen.iter().map(|place| set[*place].0).collect();
        letters.sort_unstable();
        assert_eq!(letters.iter().collect::<String>(), chosen, "{types:?}");
        assert_eq!(found.confused_with, confused_with, "{types:?}");
    }

    #[test]
    fn the_fewest_are_chosen() {
        let strict = Tolerance::STRICT;
        check("ab", &[&["ab"], &["a"], &["ac"]], &strict, "b", &[]);
        check("abc", &[&["abc"], &["ab"], &["bc"]], &strict, "ac", &[]);
        check("abcd", &[&["abcd"], &["abc", "abd"], &["acd", "bcd"]], &strict, "abcd", &[]);
        check("ab", &[&["ab"], &["abc"], &["a"]], &strict, "ab", &[1]);
        check("ab", &[&["ab"]], &strict, "a", &[]);
        check("", &[&[""], &["a"]], &strict, "", &[1]);
    }

    #[test]
    fn a_few_foreign_pages_may_pass() {
        let mostly: Vec<&str> = std::iter::once("ab").chain(std::iter::repeat_n("b", 49)).collect();
        check("ab", &[&["ab"], &mostly], &Tolerance::STRICT, "ab", &[1]);
        check("ab", &[&["ab"], &mostly], &Tolerance::LEARNED, "a", &[]);
    }
}
