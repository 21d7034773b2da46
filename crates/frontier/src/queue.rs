//! The waiting links of one group at one host: a heap with lazy deletion.
//!
//! A link that leaves (leased, moved, dropped, rescored) leaves its entry behind. Entries are compared with the
//! link's slot when they reach the top, and swept when they outnumber the links.

use std::collections::BinaryHeap;

use crate::rank::Rank;

/// The end of a group's list of queues.
pub(crate) const NO_QUEUE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) host: u32,
    /// The number of the group in memory.
    pub(crate) group: u32,
    /// The neighbours in the list of the group's queues.
    pub(crate) before: u32,
    pub(crate) after: u32,
    /// Links in this queue, including those with a retry time.
    pub(crate) members: u32,
    /// The rank of this queue among the queues of its host, or [`Rank::NONE`].
    pub(crate) listed: Rank,
    entries: Entries,
}

/// In a crawl that groups by page, most queues hold one link to another host; those need no heap.
#[derive(Debug)]
enum Entries {
    One(Rank),
    Heap(BinaryHeap<Rank>),
}

impl Queue {
    pub(crate) fn new(host: u32, group: u32, after: u32) -> Self {
        let entries = Entries::One(Rank::NONE);
        Self { host, group, before: NO_QUEUE, after, members: 0, listed: Rank::NONE, entries }
    }

    /// What replaces a removed queue.
    pub(crate) fn hole() -> Self {
        Self::new(0, 0, NO_QUEUE)
    }

    /// Adds an entry. The capacity grows by a quarter, not twofold: these entries are a quarter of all memory.
    pub(crate) fn push(&mut self, rank: Rank, is_current: impl Fn(Rank) -> bool) {
        let heap = match &mut self.entries {
            Entries::One(only) if *only == Rank::NONE || *only == rank => {
                *only = rank;
                return;
            }
            Entries::One(only) => {
                let mut heap = BinaryHeap::with_capacity(4);
                heap.push(*only);
                self.entries = Entries::Heap(heap);
                return self.push(rank, is_current);
            }
            Entries::Heap(heap) => heap,
        };
        if heap.len() > 2 * self.members as usize + 64 {
            sweep(heap, is_current);
        }
        if heap.len() == heap.capacity() {
            heap.reserve_exact(heap.len() / 4 + 4);
        }
        heap.push(rank);
    }

    /// The best entry that still belongs to a waiting link.
    pub(crate) fn top(&mut self, is_current: impl Fn(Rank) -> bool) -> Option<Rank> {
        match &mut self.entries {
            Entries::One(only) => Some(*only).filter(|&rank| rank != Rank::NONE && is_current(rank)),
            Entries::Heap(heap) => {
                while let Some(&rank) = heap.peek() {
                    if is_current(rank) {
                        return Some(rank);
                    }
                    heap.pop();
                }
                None
            }
        }
    }
}

/// Removes stale and equal entries: a link that was rescored back and forth has two.
fn sweep(heap: &mut BinaryHeap<Rank>, is_current: impl Fn(Rank) -> bool) {
    let mut entries = std::mem::take(heap).into_vec();
    entries.retain(|&rank| is_current(rank));
    entries.sort_unstable();
    entries.dedup();
    entries.shrink_to_fit();
    *heap = BinaryHeap::from(entries);
}

#[cfg(test)]
mod tests {
    use osprey_model::{LinkId, LinkScore};

    use super::*;

    fn rank(score: f32, id: u32) -> Rank {
        Rank::new(LinkScore::new(score), LinkId(id))
    }

    fn entries(queue: &Queue) -> usize {
        match &queue.entries {
            Entries::One(_) => 1,
            Entries::Heap(heap) => heap.len(),
        }
    }

    #[test]
    fn stale_entries_are_passed_over() {
        let mut queue = Queue::new(0, 0, NO_QUEUE);
        assert_eq!(queue.top(|_| true), None);
        for (score, id) in [(0.5, 1), (0.9, 2), (0.9, 3)] {
            queue.push(rank(score, id), |_| true);
        }
        assert_eq!(queue.top(|_| true), Some(rank(0.9, 2)));
        assert_eq!(queue.top(|entry| entry.id() != LinkId(2)), Some(rank(0.9, 3)));
        assert_eq!(queue.top(|entry| entry.id() == LinkId(1)), Some(rank(0.5, 1)));
        assert_eq!(queue.top(|_| false), None);
    }

    #[test]
    fn a_link_rescored_over_and_over_does_not_pile_up() {
        let mut queue = Queue::new(0, 0, NO_QUEUE);
        queue.members = 2;
        for n in 0..10_000 {
            let score = (n % 3) as f32;
            queue.push(rank(score, 7), |entry| entry.score().get() == score);
            assert!(entries(&queue) <= 2 * 2 + 64 + 1);
        }
    }

    #[test]
    fn a_queue_is_small() {
        assert!(size_of::<Queue>() <= 56);
    }
}
