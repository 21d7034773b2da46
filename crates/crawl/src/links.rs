//! From a policy's wishes to frontier operations: the choke point every link passes.
//!
//! A link that is known already goes straight through (it may move to a better group); a new one must lie in
//! scope, within the depth limit, outside known traps, and may be followed. What is refused is counted.

use std::ops::Range;

use osprey_frontier::{Frontier, Initial, NewLink};
use osprey_model::{CanonicalUrl, GroupFactor, GroupId, LinkId, LinkScore, ScopeRefusal};
use osprey_page::{Page, Rel, Sitemap};
use osprey_steer::{FreshLinks, Op, Placing};
use osprey_structure::{Cluster, Site};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::traps::{Traps, url_pattern};
use crate::visit::LinkNoteRef;
use crate::{CrawlError, Settings, Skip, Tally};

/// Characters of anchor text kept with a link.
const ANCHOR_CHARS: usize = 80;

/// A page's links on their way into the frontier.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    links: Vec<PlacedLink>,
    notes: Vec<u8>,
    factors: Vec<(GroupId, GroupFactor)>,
    rescore: Vec<(LinkId, LinkScore)>,
    drop: Vec<(LinkId, u8)>,
}

#[derive(Debug)]
struct PlacedLink {
    url: CanonicalUrl,
    group: GroupId,
    own: LinkScore,
    note: Range<usize>,
}

/// Where links were found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LinkSource<'a> {
    Page {
        page: &'a Page,
        /// What was learned of its site, and its cluster.
        learned: Option<(&'a Site, Cluster)>,
        /// Whether it looks like a page that was fetched before.
        is_copy: bool,
    },
    Sitemap(&'a Sitemap),
    Nothing,
}

/// A link as found.
struct FoundLink<'a> {
    url: &'a CanonicalUrl,
    apath: &'a str,
    anchor: &'a str,
    is_nofollow: bool,
}

impl<'a> LinkSource<'a> {
    fn link(self, index: u32) -> Option<FoundLink<'a>> {
        match self {
            Self::Page { page, .. } => page.links().get(index as usize).map(|link| FoundLink {
                url: &link.url,
                apath: page.apath(link.apath),
                anchor: page.anchor(link),
                is_nofollow: link.rel.contains(Rel::NOFOLLOW),
            }),
            Self::Sitemap(sitemap) => sitemap.entries.get(index as usize).map(|entry| FoundLink {
                url: &entry.url,
                apath: "sitemap",
                anchor: entry.title.as_deref().unwrap_or_default(),
                is_nofollow: false,
            }),
            Self::Nothing => None,
        }
    }

    /// Whether, by the learned site, a link leads to unwanted pages.
    fn is_unwanted(self, index: u32) -> bool {
        let Self::Page { page, learned: Some((site, from)), .. } = self else { return false };
        page.links().get(index as usize).is_some_and(|link| site.is_unwanted(from, page, link))
    }
}

/// What counts of the page that links were found on.
struct LinkOrigin<'a> {
    /// Of its URL.
    pattern: Option<u64>,
    /// Its URL, if it looks like another page.
    copy: Option<&'a CanonicalUrl>,
}

impl<'a> LinkOrigin<'a> {
    fn of(found: LinkSource<'a>) -> Self {
        match found {
            LinkSource::Page { page, is_copy, .. } => {
                Self { pattern: Some(url_pattern(page.url())), copy: Some(page.url()).filter(|_| is_copy) }
            }
            LinkSource::Sitemap(_) | LinkSource::Nothing => Self { pattern: None, copy: None },
        }
    }
}

/// What decides over links.
pub(crate) struct Gate<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) traps: &'a Traps,
    pub(crate) frontier: &'a Frontier,
}

impl Placed {
    /// Adds one link with its note.
    pub(crate) fn push(&mut self, url: CanonicalUrl, group: GroupId, own: LinkScore, note: &impl Serialize) {
        let from = self.notes.len();
        // postcard extends the vector it is given; writing to memory cannot fail
        if let Ok(notes) = postcard::to_extend(note, std::mem::take(&mut self.notes)) {
            self.notes = notes;
        }
        self.links.push(PlacedLink { url, group, own, note: from..self.notes.len() });
    }

    /// Only factors of groups.
    pub(crate) fn of_factors(factors: Vec<(GroupId, GroupFactor)>) -> Self {
        Self { factors, ..Self::default() }
    }

    /// The links, as the frontier takes them.
    pub(crate) fn new_links(&self) -> impl Iterator<Item = NewLink<'_>> {
        self.links.iter().map(|link| NewLink {
            url: &link.url,
            group: link.group,
            own: link.own,
            payload: self.notes.get(link.note.clone()).unwrap_or_default(),
            state: Initial::Waiting,
        })
    }

    pub(crate) fn factors(&self) -> &[(GroupId, GroupFactor)] {
        &self.factors
    }

    pub(crate) fn rescored(&self) -> &[(LinkId, LinkScore)] {
        &self.rescore
    }

    /// Links that need not be fetched, with the code of the reason.
    pub(crate) fn drops(&self) -> &[(LinkId, u8)] {
        &self.drop
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

    /// Which links of a page are new and may wait, by where they lead; of several to one place, the first.
    pub(crate) fn fresh(&self, page: &Page, depth: u32) -> FreshLinks {
        let mut seen = FxHashSet::default();
        let links = page.links().iter().enumerate();
        let unknown = links.filter(|(_, link)| !self.frontier.contains(&link.url));
        let first = unknown.filter(|(_, link)| seen.insert(link.url.fingerprint()));
        first.filter(|(_, link)| self.check(&link.url, depth).is_ok()).map(|(place, _)| place).collect()
    }

    /// Whether a new link may wait, by where it was found: those of a copy lead to copies as a rule, and there are places
    /// whose links have brought nothing else.
    fn check_origin(&self, origin: &LinkOrigin<'_>, link: &FoundLink<'_>) -> Result<(), Skip> {
        if let Some(copy) = origin.copy
            && !self.traps.is_worth_following(copy, link.url)
        {
            return Err(Skip::Duplicate);
        }
        match origin.pattern {
            Some(pattern) if self.traps.is_barren(pattern, link.apath, link.url) => Err(Skip::Trap),
            _ => Ok(()),
        }
    }

    /// Whether the frontier takes another link after these, even if all of them are new.
    pub(crate) fn has_room_after(&self, placed: &Placed) -> bool {
        self.frontier.known() + (placed.links.len() as u64) < u64::from(self.settings.frontier.max_links)
    }

    /// Whether the picture of a page may be fetched: it may be on another host, unless `crawl.deny` matches it.
    pub(crate) fn check_picture(&self, url: &CanonicalUrl) -> Result<(), Skip> {
        match self.settings.scope.check(url) {
            Err(ScopeRefusal::Denied(_)) => Err(Skip::Scope),
            _ if self.traps.is_odd_picture(url) => Err(Skip::Trap),
            _ => Ok(()),
        }
    }

    /// Carries out the wishes of a policy for the links that were found, which would have depth `depth`.
    pub(crate) fn place(
        &self,
        found: LinkSource<'_>,
        depth: u32,
        placing: &Placing,
        tally: &mut Tally,
    ) -> Result<Placed, CrawlError> {
        let mut placed = Placed::default();
        let origin = LinkOrigin::of(found);
        // links past the frontier's limit are refused here, so that they are counted in the same commit
        let mut room = u64::from(self.settings.frontier.max_links).saturating_sub(self.frontier.known());
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
                Op::Add { link: index, group, own, .. } => {
                    let Some(link) = found.link(*index) else { continue };
                    if self.settings.obey_nofollow && link.is_nofollow {
                        tally.skip(Skip::Nofollow, 1);
                        continue;
                    }
                    if !self.frontier.contains(link.url) {
                        let unwanted = if found.is_unwanted(*index) { Err(Skip::Unwanted) } else { Ok(()) };
                        let verdict = self
                            .check(link.url, depth)
                            .and(unwanted)
                            .and_then(|()| self.check_origin(&origin, &link));
                        if let Err(skip) = verdict.and(if room > 0 { Ok(()) } else { Err(Skip::Full) }) {
                            tally.skip(skip, 1);
                            continue;
                        }
                        room -= 1;
                    }
                    let (apath, anchor) = (link.apath, cut(link.anchor));
                    let (group, own) = if self.traps.is_wall(link.url) {
                        (GroupId::LAST, LinkScore::ZERO)
                    } else {
                        (*group, *own)
                    };
                    placed.push(link.url.clone(), group, own, &LinkNoteRef { apath, anchor, parts });
                }
            }
        }
        Ok(placed)
    }
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(ANCHOR_CHARS).map_or(text, |(at, _)| &text[..at])
}
