//! The operations on the frontier that a policy returns. The crawl applies them in one commit.
//!
//! Every waiting link belongs to a group, and `priority = factor(group) x own(link)`. To move all links of a page, an
//! uploader or a page type, a policy changes the factor of one group, without visiting the waiting links.

use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkScore};

/// A named number behind a score: `("anchor", 0.4)`. Kept with the link, shown as `why`.
pub type Part = (&'static str, f32);

/// One wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Let the page's link number `link` wait in `group` with score `own`.
    Add {
        /// Index into the page's links.
        link: u32,
        /// The group it joins.
        group: GroupId,
        /// Its score inside the group.
        own: LinkScore,
        /// Where this link's parts end in the list of parts; they begin where the last link's ended.
        parts_end: u32,
    },
    /// Set a group's factor, or park it.
    Factor(GroupId, GroupFactor),
    /// Change one waiting link's own score.
    Rescore(CanonicalUrl, LinkScore),
    /// Forget a waiting link.
    Drop(CanonicalUrl),
}

/// Collects the wishes of one policy call. Reused between calls, so a page costs no allocation here.
#[derive(Debug, Default)]
pub struct Placing {
    ops: Vec<Op>,
    parts: Vec<Part>,
}

impl Placing {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.ops.clear();
        self.parts.clear();
    }

    /// Places the page's `link`-th link. `parts` are the signals behind `own`, for `why`.
    pub fn add(&mut self, link: usize, group: GroupId, own: LinkScore, parts: &[Part]) {
        self.parts.extend_from_slice(parts);
        let (link, parts_end) = (link as u32, self.parts.len() as u32);
        self.ops.push(Op::Add { link, group, own, parts_end });
    }

    /// Sets the factor of all links in `group`, now and later.
    pub fn factor(&mut self, group: GroupId, factor: f32) {
        self.ops.push(Op::Factor(group, GroupFactor::times(factor)));
    }

    /// Lets the links of `group` wait until the group gets a factor again.
    pub fn park(&mut self, group: GroupId) {
        self.ops.push(Op::Factor(group, GroupFactor::Parked));
    }

    /// Changes the own score of one waiting link.
    pub fn rescore(&mut self, url: CanonicalUrl, own: LinkScore) {
        self.ops.push(Op::Rescore(url, own));
    }

    /// The wishes in order, each `Add` with its parts.
    pub fn ops(&self) -> impl Iterator<Item = (&Op, &[Part])> {
        let mut from = 0;
        self.ops.iter().map(move |op| match op {
            Op::Add { parts_end, .. } => {
                let to = *parts_end as usize;
                let parts = self.parts.get(from..to).unwrap_or_default();
                from = to;
                (op, parts)
            }
            _ => (op, [].as_slice()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_keeps_its_own_parts() {
        let mut placing = Placing::default();
        placing.add(0, GroupId::ALL, LinkScore::ONE, &[("a", 1.0), ("b", 2.0)]);
        placing.park(GroupId(7));
        placing.add(1, GroupId::ALL, LinkScore::ZERO, &[]);
        placing.add(2, GroupId::ALL, LinkScore::ZERO, &[("c", 3.0)]);
        let parts: Vec<Vec<Part>> = placing.ops().map(|(_, parts)| parts.to_vec()).collect();
        assert_eq!(parts, [vec![("a", 1.0), ("b", 2.0)], vec![], vec![], vec![("c", 3.0)]]);
        placing.clear();
        assert_eq!(placing.ops().count(), 0);
    }
}
