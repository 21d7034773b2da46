//! Learning a tree from labelled tiles: C4.5 for three numbers and three kinds.
//!
//! Each question is the one with the best gain ratio among those whose gain is at least the mean, as in C4.5; a limit
//! lies halfway between two values that occur. A question has to earn the bits that it takes to write it down, limit and
//! one leaf more, which takes the place of pruning: Quinlan's correction for numbers alone still grew trees from tiles
//! that were labelled by lot. Of equal questions the first fact and the lowest limit win: the same tiles give the same
//! tree, in whatever order they come.

use super::tree::{Fact, Node, Tree};
use super::{Facts, Kind};

/// A tile whose kind is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelled {
    /// What the segmentation says of it.
    pub facts: Facts,
    /// What it is.
    pub kind: Kind,
}

/// How a tree is learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeTraining {
    /// The fewest tiles on either side of a question.
    pub least: usize,
    /// The most questions one after the other.
    pub depth: usize,
}

impl Default for TreeTraining {
    fn default() -> Self {
        Self { least: 5, depth: 6 }
    }
}

impl TreeTraining {
    /// Learns a tree; without tiles it calls everything inner.
    pub fn learn(&self, tiles: &[Labelled]) -> Tree {
        let mut tree = Tree { nodes: Vec::new() };
        self.grow(&mut tree, tiles.to_vec(), 0);
        tree
    }

    fn grow(&self, tree: &mut Tree, tiles: Vec<Labelled>, depth: usize) {
        let here = tree.nodes.len();
        let counts = counts(&tiles);
        tree.nodes.push(Node::Leaf(most_common(counts)));
        if depth >= self.depth || counts.iter().filter(|count| **count > 0).count() < 2 {
            return;
        }
        let Some((fact, limit)) = self.question(&tiles) else { return };
        let (low, high): (Vec<Labelled>, Vec<Labelled>) =
            tiles.into_iter().partition(|tile| fact.of(&tile.facts) <= limit);
        let up_to = tree.nodes.len();
        self.grow(tree, low, depth + 1);
        let above = tree.nodes.len();
        self.grow(tree, high, depth + 1);
        // Both answers the same: the question is none.
        if let [Node::Leaf(low), Node::Leaf(high)] = tree.nodes.get(up_to..).unwrap_or_default()
            && low == high
        {
            tree.nodes.truncate(up_to);
        } else if let Some(node) = tree.nodes.get_mut(here) {
            *node = Node::Split { fact, limit, up_to, above };
        }
    }

    /// The best question, if one is worth asking.
    fn question(&self, tiles: &[Labelled]) -> Option<(Fact, f32)> {
        let of_facts: Vec<Question> = Fact::ALL.iter().filter_map(|fact| self.best(tiles, *fact)).collect();
        let mean = of_facts.iter().map(|question| question.gain).sum::<f64>() / of_facts.len().max(1) as f64;
        let worth = of_facts.iter().filter(|question| question.gain >= mean - 1e-12);
        let best = worth.reduce(|best, other| if other.ratio > best.ratio { other } else { best });
        best.map(|question| (question.fact, question.limit))
    }

    /// The best limit of a fact.
    fn best(&self, tiles: &[Labelled], fact: Fact) -> Option<Question> {
        let mut sorted: Vec<(f32, Kind)> =
            tiles.iter().map(|tile| (fact.of(&tile.facts), tile.kind)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total = counts(tiles);
        let (all, before) = (tiles.len() as f64, entropy(total));
        let limits = sorted.windows(2).filter(|pair| pair[0].0 < pair[1].0).count();
        // In bits: which limit of which fact, and shares of three kinds, two of them free, for one leaf more.
        let cost = ((limits.max(1) * Fact::ALL.len()) as f64 * all).log2() / all;
        let mut low = [0usize; 3];
        let mut best: Option<Question> = None;
        for (place, pair) in sorted.windows(2).enumerate() {
            low[pair[0].1 as usize] += 1;
            let below = place + 1;
            if pair[0].0 >= pair[1].0 || below < self.least || sorted.len() - below < self.least {
                continue;
            }
            let high = [0, 1, 2].map(|kind: usize| total[kind] - low[kind]);
            let share = below as f64 / all;
            let gain = before - share * entropy(low) - (1.0 - share) * entropy(high) - cost;
            if gain > 1e-9 && best.as_ref().is_none_or(|best| gain > best.gain) {
                let ratio = gain / entropy([below, sorted.len() - below, 0]).max(1e-9);
                best = Some(Question { fact, limit: f32::midpoint(pair[0].0, pair[1].0), gain, ratio });
            }
        }
        best
    }
}

struct Question {
    fact: Fact,
    limit: f32,
    gain: f64,
    ratio: f64,
}

impl Tree {
    /// The share of tiles that it calls what they are.
    pub fn agreement(&self, tiles: &[Labelled]) -> f64 {
        let right = tiles.iter().filter(|tile| self.kind(&tile.facts) == tile.kind).count();
        right as f64 / tiles.len().max(1) as f64
    }
}

fn counts(tiles: &[Labelled]) -> [usize; 3] {
    let mut counts = [0; 3];
    tiles.iter().for_each(|tile| counts[tile.kind as usize] += 1);
    counts
}

fn most_common(counts: [usize; 3]) -> Kind {
    let kinds = [Kind::Inner, Kind::Bordering, Kind::Crossing].into_iter().zip(counts);
    kinds.reduce(|best, other| if other.1 > best.1 { other } else { best }).map_or(Kind::Inner, |best| best.0)
}

/// In bits.
fn entropy(counts: [usize; 3]) -> f64 {
    let total = counts.iter().sum::<usize>().max(1) as f64;
    let some = counts.iter().filter(|count| **count > 0);
    some.map(|count| *count as f64 / total).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codebook::Chance;

    /// Facts of all sorts, labelled by a tree.
    fn labelled(tree: &Tree, number: usize) -> Vec<Labelled> {
        let facts = |i: usize| Facts {
            segments: 1.0 + (i * 7 % 11) as f32,
            largest: (i * 389 % 1021) as f32 + 3.0,
            deviation: (i * 211 % 457) as f32 * 0.9,
        };
        let label = |facts: Facts| Labelled { facts, kind: tree.kind(&facts) };
        (0..number).map(facts).map(label).collect()
    }

    #[test]
    fn a_planted_tree_is_found_again() {
        let planted = "max <= 500: crossing\nmax > 500\n|   len <= 4\n|   |   std <= 200: inner\n|   |   std > 200: bordering\n|   len > 4: bordering\n";
        let planted = Tree::parse(planted).unwrap();
        let tiles = labelled(&planted, 3000);
        let found = TreeTraining::default().learn(&tiles);
        let other = labelled(&planted, 10_007);
        assert!(found.agreement(&other) > 0.995, "{} of\n{found}", found.agreement(&other));
        assert!(found.to_string().lines().count() <= 8, "{found}");
        // The order of the tiles does not matter.
        let backwards: Vec<Labelled> = tiles.iter().rev().copied().collect();
        assert_eq!(TreeTraining::default().learn(&backwards), found);
        // What is learnt is written and read as any tree.
        assert!(
            (Tree::parse(&found.to_string()).unwrap().agreement(&other) - found.agreement(&other)).abs()
                < 1e-9
        );
    }

    #[test]
    fn the_seeds_tree_is_learnt_from_what_it_says() {
        let found = TreeTraining::default().learn(&labelled(Tree::seed(), 3000));
        let agreement = found.agreement(&labelled(Tree::seed(), 10_007));
        assert!(agreement > 0.97, "{agreement} of\n{found}");
    }

    #[test]
    fn one_question_by_hand() {
        // Ten on either side of 15.5, and nothing else to ask.
        let tile = |i: usize| Labelled {
            facts: Facts { segments: 2.0, largest: i as f32, deviation: 7.0 },
            kind: if i <= 15 { Kind::Inner } else { Kind::Crossing },
        };
        let tiles: Vec<Labelled> = (6..26).map(tile).collect();
        let found = TreeTraining::default().learn(&tiles);
        assert_eq!(found.to_string(), "max <= 15.5: inner\nmax > 15.5: crossing\n");
    }

    #[test]
    fn noise_and_nothing_make_no_questions() {
        let mut chance = Chance(5);
        let noise = labelled(Tree::seed(), 400).into_iter().map(|tile| {
            let kind = [Kind::Inner, Kind::Bordering, Kind::Crossing][chance.below(3)];
            Labelled { kind, ..tile }
        });
        let tree = TreeTraining::default().learn(&noise.collect::<Vec<_>>());
        assert!(tree.to_string().lines().count() <= 4, "{tree}");
        let facts = Facts { segments: 9.0, largest: 100.0, deviation: 10.0 };
        assert_eq!(TreeTraining::default().learn(&[]).kind(&facts), Kind::Inner);
    }
}
