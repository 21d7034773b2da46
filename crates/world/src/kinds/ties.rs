//! Relations without tables that grow with the world: reviews to films, videos to channels, followers to the followed.
//! Every relation can be read from both ends, has a long tail, and prefers its own topic.
//!
//! Members of a class are numbered topic by topic ([`Sections`]), the popular ones of a topic first; URLs show a
//! shuffle of that number. A [`Tie`] gives each child one parent: most children go to a parent of their own topic, the
//! rest to any parent, and in both cases parents get blocks of children whose sizes fall like a power of their rank
//! ([`Blocks`]).

use std::ops::Range;

use crate::{Dice, Permutation};

/// `0..n` cut into topics: neighbouring ranges whose sizes follow given weights.
#[derive(Clone, Debug)]
pub(crate) struct Sections {
    bounds: Vec<u64>,
    /// Whether ties of its members do not mind their topic.
    is_mixed: bool,
}

/// Ties as loyal as this are the order of a site, not what people like: threads in boards, reviews of films.
const ORDER: f64 = 0.8;

impl Sections {
    /// Cuts `0..n` by `weights`; a light topic of a small class may be empty.
    pub(crate) fn new(n: u64, weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        let mut bounds: Vec<u64> = vec![0];
        for weight in weights {
            sum += weight;
            bounds.push(((n as f64) * (sum / total)).round() as u64);
        }
        if let Some(last) = bounds.last_mut() {
            *last = n;
        }
        Self { bounds, is_mixed: false }
    }

    /// The same, with ties that do not mind topics.
    #[must_use]
    pub(crate) fn mixed(self, is_mixed: bool) -> Self {
        Self { is_mixed, ..self }
    }

    /// How many there are in all.
    pub(crate) fn len(&self) -> u64 {
        self.bounds.last().copied().unwrap_or(0)
    }

    /// How many topics there are.
    pub(crate) fn topics(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// The topic of a member.
    pub(crate) fn topic(&self, member: u64) -> usize {
        self.bounds
            .partition_point(|bound| *bound <= member)
            .saturating_sub(1)
            .min(self.topics().saturating_sub(1))
    }

    /// The members of a topic.
    pub(crate) fn range(&self, topic: usize) -> Range<u64> {
        let at = |i: usize| self.bounds.get(i).copied().unwrap_or_else(|| self.len());
        at(topic)..at(topic + 1)
    }

    /// The sections of a class with `times` members for each of these: the places in a list, the roles of a film.
    pub(crate) fn times(&self, times: u64) -> Self {
        let bounds = self.bounds.iter().map(|bound| bound.saturating_mul(times)).collect();
        Self { bounds, is_mixed: self.is_mixed }
    }

    /// A member of a topic, the popular ones more often; any member if the topic has none.
    pub(crate) fn draw(&self, topic: usize, dice: Dice) -> Option<u64> {
        let range = self.range(topic);
        match (range.end - range.start, self.len()) {
            (0, 0) => None,
            (0, all) => Some(dice.below(all)),
            (size, _) => Some(range.start + dice.zipf(size, 0.7)),
        }
    }
}

/// Up to `count` different draws.
pub(crate) fn draws(dice: Dice, count: u64, draw: impl Fn(Dice) -> Option<u64>) -> Vec<u64> {
    let mut drawn = Vec::with_capacity(count as usize);
    for one in (0..count).filter_map(|n| draw(dice.of("draw").at(n))) {
        if !drawn.contains(&one) {
            drawn.push(one);
        }
    }
    drawn
}

/// `items` in a row, assigned to `owners` in consecutive blocks whose sizes fall with the owner's rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    items: u64,
    owners: u64,
    /// 1 gives all owners the same; towards 0 the first get ever more.
    evenness: f64,
}

impl Blocks {
    pub(crate) fn new(items: u64, owners: u64, evenness: f64) -> Self {
        Self { items, owners, evenness }
    }

    fn start(&self, owner: u64) -> u64 {
        if owner >= self.owners {
            return self.items;
        }
        (self.items as f64 * (owner as f64 / self.owners as f64).powf(self.evenness)) as u64
    }

    /// The places that `owner` has.
    pub(crate) fn range(&self, owner: u64) -> Range<u64> {
        self.start(owner)..self.start(owner.saturating_add(1))
    }

    /// The owner of `place`; `None` out of range.
    pub(crate) fn owner(&self, place: u64) -> Option<u64> {
        if place >= self.items || self.owners == 0 {
            return None;
        }
        let share = (place + 1) as f64 / self.items as f64;
        let guess = (share.powf(1.0 / self.evenness) * self.owners as f64) as u64;
        // the guess is exact but for rounding: a step or two
        let mut owner = guess.min(self.owners - 1);
        while owner > 0 && self.start(owner) > place {
            owner -= 1;
        }
        while self.start(owner + 1) <= place {
            owner += 1;
        }
        Some(owner)
    }
}

/// How a [`Tie`] is dealt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TieShape {
    /// The share of children whose parent is of their own topic.
    pub(crate) loyalty: f64,
    /// See [`Blocks`].
    pub(crate) evenness: f64,
}

/// One parent for every child.
#[derive(Clone, Debug)]
pub(crate) struct Tie {
    children: Sections,
    parents: Sections,
    /// How many children there are, by topic, that stay in the topic.
    loyal: Vec<u64>,
    /// Where the strays of each topic begin among all strays.
    strays: Vec<u64>,
    bent: TieShape,
    dice: Dice,
}

impl Tie {
    pub(crate) fn new(children: &Sections, parents: &Sections, bent: TieShape, dice: Dice) -> Self {
        let mut loyal = Vec::with_capacity(children.topics());
        let mut strays = vec![0];
        let mut sum = 0;
        let loyalty = if children.is_mixed && bent.loyalty < ORDER { 0.0 } else { bent.loyalty };
        for topic in 0..children.topics() {
            let (size, hosts) = (length(&children.range(topic)), length(&parents.range(topic)));
            let kept = if hosts == 0 { 0 } else { (size as f64 * loyalty) as u64 };
            sum += size - kept.min(size);
            loyal.push(kept.min(size));
            strays.push(sum);
        }
        Self { children: children.clone(), parents: parents.clone(), loyal, strays, bent, dice }
    }

    /// The parent of a child; `None` if there are no parents, or no such child.
    pub(crate) fn parent(&self, child: u64) -> Option<u64> {
        let topic = self.children.topic(child);
        let range = self.children.range(topic);
        if !range.contains(&child) {
            return None;
        }
        let place = self.within(topic).place_of(child - range.start);
        let loyal = self.loyal.get(topic).copied().unwrap_or(0);
        if place < loyal {
            return Some(self.parents.range(topic).start + self.home(topic).owner(place)?);
        }
        let stray = self.strays.get(topic)? + (place - loyal);
        let owner = self.abroad().owner(self.among_strays().place_of(stray))?;
        Some(self.among_parents().at(owner))
    }

    /// The children of a parent, in an order of its own.
    pub(crate) fn children(&self, parent: u64) -> Children<'_> {
        let topic = self.parents.topic(parent);
        let range = self.parents.range(topic);
        let known = range.contains(&parent);
        let home = if known { self.home(topic).range(parent - range.start) } else { 0..0 };
        let away = if known { self.abroad().range(self.among_parents().place_of(parent)) } else { 0..0 };
        let order = Permutation::new(length(&home) + length(&away), self.dice.of("order").at(parent));
        Children { tie: self, topic, home, away, order }
    }

    fn within(&self, topic: usize) -> Permutation {
        Permutation::new(length(&self.children.range(topic)), self.dice.of("within").at(topic as u64))
    }

    fn among_strays(&self) -> Permutation {
        Permutation::new(self.strays.last().copied().unwrap_or(0), self.dice.of("strays"))
    }

    fn among_parents(&self) -> Permutation {
        Permutation::new(self.parents.len(), self.dice.of("parents"))
    }

    fn home(&self, topic: usize) -> Blocks {
        let loyal = self.loyal.get(topic).copied().unwrap_or(0);
        Blocks::new(loyal, length(&self.parents.range(topic)), self.bent.evenness)
    }

    fn abroad(&self) -> Blocks {
        Blocks::new(self.strays.last().copied().unwrap_or(0), self.parents.len(), self.bent.evenness)
    }
}

/// The children of one parent: a list that is never written down.
#[derive(Clone, Debug)]
pub(crate) struct Children<'a> {
    tie: &'a Tie,
    topic: usize,
    home: Range<u64>,
    away: Range<u64>,
    order: Permutation,
}

impl Children<'_> {
    pub(crate) fn len(&self) -> u64 {
        length(&self.home) + length(&self.away)
    }

    /// The child at a place of the list.
    pub(crate) fn get(&self, index: u64) -> Option<u64> {
        if index >= self.len() {
            return None;
        }
        let index = self.order.at(index);
        let at_home = length(&self.home);
        if index < at_home {
            let place = self.tie.within(self.topic).at(self.home.start + index);
            return Some(self.tie.children.range(self.topic).start + place);
        }
        let stray = self.tie.among_strays().at(self.away.start + index - at_home);
        let topic = self.tie.strays.partition_point(|start| *start <= stray).saturating_sub(1);
        let place = self.tie.loyal.get(topic)? + (stray - self.tie.strays.get(topic)?);
        Some(self.tie.children.range(topic).start + self.tie.within(topic).at(place))
    }

    /// A child's position in the list.
    pub(crate) fn index_of(&self, child: u64) -> Option<u64> {
        let topic = self.tie.children.topic(child);
        let place = self.tie.within(topic).place_of(child.checked_sub(self.tie.children.range(topic).start)?);
        let loyal = *self.tie.loyal.get(topic)?;
        let index = if place < loyal {
            Some(place).filter(|place| topic == self.topic && self.home.contains(place))? - self.home.start
        } else {
            let stray = self.tie.among_strays().place_of(self.tie.strays.get(topic)? + (place - loyal));
            length(&self.home) + (Some(stray).filter(|stray| self.away.contains(stray))? - self.away.start)
        };
        Some(self.order.place_of(index))
    }

    /// The children at the places of `range`.
    pub(crate) fn slice(&self, range: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        range.filter_map(|index| self.get(index))
    }
}

/// Several parents for every child: the films on a list, the people that a user follows.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    tie: Tie,
    per_child: u64,
    /// The share of slots that are taken.
    taken: f64,
}

impl Slots {
    /// At most `per_child` parents each; a share of `taken` of the slots is filled.
    pub(crate) fn new(
        children: &Sections,
        parents: &Sections,
        per_child: u64,
        taken: f64,
        dice: Dice,
    ) -> Self {
        let bent = TieShape { loyalty: 0.65, evenness: 0.55 };
        Self { tie: Tie::new(&children.times(per_child), parents, bent, dice), per_child, taken }
    }

    fn is_taken(&self, slot: u64) -> bool {
        self.tie.dice.of("taken").at(slot).chance(self.taken)
    }

    /// The parents of a child, each once.
    pub(crate) fn parents(&self, child: u64) -> Vec<u64> {
        let first = child.saturating_mul(self.per_child);
        let mut parents = Vec::with_capacity(self.per_child as usize);
        for slot in (first..first + self.per_child).filter(|slot| self.is_taken(*slot)) {
            parents.extend(self.tie.parent(slot).filter(|parent| !parents.contains(parent)));
        }
        parents
    }

    /// How many slots lead to a parent, taken or not: what lists of its children are counted by.
    pub(crate) fn reach(&self, parent: u64) -> u64 {
        self.tie.children(parent).len()
    }

    /// The children of a parent among the slots of `range`, in the parent's order; one may come twice.
    pub(crate) fn children(&self, parent: u64, range: Range<u64>) -> Vec<u64> {
        let slots = self.tie.children(parent);
        slots
            .slice(range)
            .filter(|slot| self.is_taken(*slot))
            .map(|slot| slot / self.per_child.max(1))
            .collect()
    }
}

/// Every item assigned to one of a few owners at random: films to years, videos to months.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assignment {
    shuffle: Permutation,
    blocks: Blocks,
}

impl Assignment {
    pub(crate) fn new(items: u64, owners: u64, evenness: f64, dice: Dice) -> Self {
        Self { shuffle: Permutation::new(items, dice), blocks: Blocks::new(items, owners, evenness) }
    }

    /// The owner of an item.
    pub(crate) fn owner(&self, item: u64) -> Option<u64> {
        self.blocks.owner(self.shuffle.place_of(item))
    }

    /// How many items an owner has.
    pub(crate) fn len(&self, owner: u64) -> u64 {
        length(&self.blocks.range(owner))
    }

    /// The items of an owner at the places of `range`.
    pub(crate) fn slice(&self, owner: u64, range: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let all = self.blocks.range(owner);
        range
            .map(move |index| all.start + index)
            .take_while(move |place| *place < all.end)
            .map(|p| self.shuffle.at(p))
    }
}

fn length(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_every_place_once() {
        for (items, owners, evenness) in
            [(1, 1, 1.0), (10, 1000, 0.5), (1000, 7, 0.4), (5000, 5000, 0.7), (0, 5, 0.5)]
        {
            let blocks = Blocks::new(items, owners, evenness);
            for place in 0..items {
                let owner = blocks.owner(place).unwrap();
                assert!(blocks.range(owner).contains(&place), "{place} of {items} among {owners}");
            }
            assert_eq!((0..owners).map(|owner| length(&blocks.range(owner))).sum::<u64>(), items);
            assert_eq!(blocks.owner(items), None);
        }
    }

    #[test]
    fn sections_follow_their_weights() {
        let sections = Sections::new(100, &[3.0, 1.0, 1.0]);
        assert_eq!((sections.range(0), sections.range(1), sections.range(2)), (0..60, 60..80, 80..100));
        assert_eq!((sections.topic(59), sections.topic(60), sections.topic(99)), (0, 1, 2));
        assert_eq!(Sections::new(1, &[1.0, 1.0, 1.0]).len(), 1);
    }

    #[test]
    fn a_tie_reads_the_same_from_both_ends() {
        let weights = [5.0, 3.0, 1.0, 0.01];
        for (children, parents) in [(1000, 90), (50, 400), (7, 1), (0, 3), (5, 0)] {
            let (children, parents) = (Sections::new(children, &weights), Sections::new(parents, &weights));
            let bent = TieShape { loyalty: 0.7, evenness: 0.5 };
            let tie = Tie::new(&children, &parents, bent, Dice::new(3));
            let mut seen = 0;
            for parent in 0..parents.len() {
                let list = tie.children(parent);
                for (index, child) in (0..).zip(list.slice(0..list.len())) {
                    assert_eq!((tie.parent(child), list.index_of(child)), (Some(parent), Some(index)));
                    seen += 1;
                }
            }
            assert_eq!(seen, if parents.len() == 0 { 0 } else { children.len() });
        }
    }

    #[test]
    fn slots_and_deals_read_the_same_from_both_ends() {
        let weights = [2.0, 1.0];
        let (children, parents) = (Sections::new(60, &weights), Sections::new(20, &weights));
        let slots = Slots::new(&children, &parents, 5, 0.7, Dice::new(2));
        let mut forth: Vec<(u64, u64)> = (0..60)
            .flat_map(|child| slots.parents(child).into_iter().map(move |parent| (child, parent)))
            .collect();
        let of = |parent: u64| {
            slots.children(parent, 0..slots.reach(parent)).into_iter().map(move |c| (c, parent))
        };
        let mut back: Vec<(u64, u64)> = (0..20).flat_map(of).collect();
        forth.sort_unstable();
        back.sort_unstable();
        back.dedup();
        assert_eq!(forth, back);

        let deal = Assignment::new(100, 7, 0.8, Dice::new(5));
        for owner in 0..7 {
            assert!(deal.slice(owner, 0..deal.len(owner)).all(|item| deal.owner(item) == Some(owner)));
        }
        assert_eq!((0..7).map(|owner| deal.len(owner)).sum::<u64>(), 100);
    }

    #[test]
    fn ties_prefer_their_topic_and_have_a_long_tail() {
        let weights = [1.0, 1.0];
        let (children, parents) = (Sections::new(20_000, &weights), Sections::new(1000, &weights));
        let tie = Tie::new(&children, &parents, TieShape { loyalty: 0.7, evenness: 0.5 }, Dice::new(3));
        let loyal =
            (0..20_000).filter(|c| parents.topic(tie.parent(*c).unwrap()) == children.topic(*c)).count();
        assert!((16_500..17_500).contains(&loyal), "{loyal}");
        assert!(tie.children(0).len() > 10 * tie.children(499).len());
    }
}
