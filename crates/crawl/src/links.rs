//! From a policy's wishes to frontier operations: the choke point every link passes.
//!
//! A link that is known already goes straight through (it may move to a better group); a new one must lie in
//! scope, within the depth limit, outside known traps, and may be followed. What is refused is counted.

use std::ops::Range;

use osprey_frontier::{Commit, Frontier, Initial, NewLink};
use osprey_model::{CanonicalUrl, Factor, GroupId, LinkId, Own};
use osprey_page::{Page, Rel};
use osprey_steer::{Op, Placing};

use crate::traps::Traps;
use crate::visit::LinkNoteRef;
use crate::{CrawlError, Settings, Skip, Tally};

/// Characters of anchor text kept with a link.
const ANCHOR_CHARS: usize = 80;

/// A page's links on their way into the frontier.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    links: Vec<PlacedLink>,
    notes: Vec<u8>,
    factors: Vec<(GroupId, Factor)>,
    rescore: Vec<(LinkId, Own)>,
    drop: Vec<(LinkId, u8)>,
}

#[derive(Debug)]
struct PlacedLink {
    url: CanonicalUrl,
    group: GroupId,
    own: Own,
    note: Range<usize>,
}

/// What decides over links.
pub(crate) struct Gate<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) traps: &'a Traps,
    pub(crate) frontier: &'a Frontier,
}

impl Placed {
    /// Adds one link with its note.
    pub(crate) fn push(&mut self, url: CanonicalUrl, group: GroupId, own: Own, note: &LinkNoteRef<'_>) {
        let from = self.notes.len();
        // postcard extends the vector it is given; writing to memory cannot fail
        if let Ok(notes) = postcard::to_extend(note, std::mem::take(&mut self.notes)) {
            self.notes = notes;
        }
        self.links.push(PlacedLink { url, group, own, note: from..self.notes.len() });
    }

    /// As the frontier takes it; the caller adds what else belongs to the commit.
    pub(crate) fn commit(&self) -> Commit<'_> {
        let add = self
            .links
            .iter()
            .map(|link| NewLink {
                url: &link.url,
                group: link.group,
                own: link.own,
                payload: self.notes.get(link.note.clone()).unwrap_or_default(),
                state: Initial::Waiting,
            })
            .collect();
        let rescore = self.rescore.iter().map(|(id, own)| ((*id).into(), *own)).collect();
        let (factors, drop) = (self.factors.clone(), self.drop.clone());
        Commit { add, factors, rescore, drop, ..Commit::default() }
    }
}

impl Gate<'_> {
    /// Whether a new URL may wait in the frontier.
    pub(crate) fn check(&self, url: &CanonicalUrl, depth: u32) -> Result<(), Skip> {
        if self.settings.scope.check(url).is_err() {
            return Err(Skip::Scope);
        }
        if self.settings.budget.depth.is_some_and(|max| depth > max) {
            return Err(Skip::Depth);
        }
        match self.traps.check(url) {
            Some(_) => Err(Skip::Trap),
            None => Ok(()),
        }
    }

    /// Carries out the wishes of a policy for the links of `page`, which would have depth `depth`.
    pub(crate) fn place(
        &self,
        page: Option<&Page>,
        depth: u32,
        placing: &Placing,
        tally: &mut Tally,
    ) -> Result<Placed, CrawlError> {
        let mut placed = Placed::default();
        // links past the frontier's limit are refused here, so that they are counted in the same commit
        let mut room =
            u64::from(self.settings.frontier.max_links).saturating_sub(self.frontier.stats().known);
        for (op, parts) in placing.ops() {
            match op {
                Op::Factor(group, factor) => placed.factors.push((*group, *factor)),
                Op::Rescore(url, own) => {
                    placed.rescore.extend(self.frontier.lookup(url)?.map(|info| (info.id, *own)));
                }
                Op::Drop(url) => {
                    if let Some(info) = self.frontier.lookup(url)? {
                        placed.drop.push((info.id, Skip::Policy.code()));
                        tally.skip(Skip::Policy, 1);
                    }
                }
                Op::Add { link, group, own, .. } => {
                    let Some((page, link)) = page.and_then(|p| Some((p, p.links().get(*link as usize)?)))
                    else {
                        continue;
                    };
                    if self.settings.obey_nofollow && link.rel.contains(Rel::NOFOLLOW) {
                        tally.skip(Skip::Nofollow, 1);
                        continue;
                    }
                    if !self.frontier.contains(&link.url) {
                        let verdict = self.check(&link.url, depth);
                        if let Err(skip) = verdict.and(if room > 0 { Ok(()) } else { Err(Skip::Full) }) {
                            tally.skip(skip, 1);
                            continue;
                        }
                        room -= 1;
                    }
                    let (apath, anchor) = (page.apath(link.apath), cut(page.anchor(link)));
                    placed.push(link.url.clone(), *group, *own, &LinkNoteRef { apath, anchor, parts });
                }
            }
        }
        Ok(placed)
    }
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(ANCHOR_CHARS).map_or(text, |(at, _)| &text[..at])
}
