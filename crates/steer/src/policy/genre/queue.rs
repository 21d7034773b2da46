//! The queue of de Assis et al. 2009 (algorithm 1 and section 4.4): which waiting links the score of a fetched page
//! moves.
//!
//! The links of a page wait in one group, and their score is the factor of the group. Seeds have score 1, new links 0.
//! A rule decides when a page gives its score to its own links (children) and to the links of the page where it was
//! found (siblings). This is one operation for any number of siblings.
//!
//! Nearly all links wait with score 0, so the order among equal scores determines the crawl, and the paper does not
//! define it. By age, siblings follow each other with or without a hit, and the sibling rules would be the same as
//! breadth-first. So ties are broken at random ([`Ties::Drawn`]): the crawl tries one link of many pages, and a hit
//! moves the other links of its page up. The random number is a hash of the URL, the same wherever the link is found.
//! It is stored in `own`, slightly below 1, and score 0 is a factor slightly above 0, so that it still counts there.
//!
//! A score replaces the earlier one: the last sibling decides, as in `ChangeScores(URL, newscore)`. A rule without a
//! threshold (`fs-1`, `pfs-1`) can therefore also move siblings back.
//!
//! The paper drops the links of a page beyond the 200th. Here they wait behind all others, in a second group of their
//! page, until a page beside them is above the change threshold: a long list that has one hit is worth its length.

use osprey_model::{CanonicalUrl, GroupId, LinkId, LinkScore};
use osprey_page::SitemapEntry;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::policy::Visit;
use crate::{Part, Placing, SteeringConfigError};

/// Part of a link's `why`: the score of the page it was found on.
pub(super) const PARENT: &str = "parent";
/// Part of a link's `why`: it stands in a sitemap.
pub(super) const MAPPED: &str = "mapped";
/// Part of a link's `why`: steps since its site was entered, by the way that the link was placed by. A shorter way that
/// is found later counts only if it brings the link into a better group: to move it for the depth alone would take it
/// from the siblings that it was found with, which are what its score comes from.
const SITE_DEPTH: &str = "site_depth";
/// Part of a link's `why`: its page has more links than are followed at first.
const LONG: &str = "long";

/// The factor that stands for score 0: below every similarity there can be.
const NOTHING: f32 = 1e-6;
/// The factor of links beyond the limit of their page: less than score 0.
const BEHIND: f32 = 1e-8;
/// How far lots reach: too little to matter between different scores.
const LOT: f32 = 1e-3;

/// The order of links with the same score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// Drawn by a hash of the URL.
    #[default]
    Drawn,
    /// The one that was found first.
    Oldest,
}

impl Ties {
    /// A link's own score: 1, or a hair less.
    fn own(self, url: &CanonicalUrl) -> LinkScore {
        match self {
            Self::Oldest => LinkScore::ONE,
            // the upper 24 bits are what a number of 32 bits can hold
            Self::Drawn => LinkScore::new(1.0 - LOT * ((url.fingerprint() >> 40) as f32 / (1 << 24) as f32)),
        }
    }
}

/// Which waiting links get the score of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueueRule {
    /// Its children's: what focused crawlers do.
    #[serde(rename = "ps")]
    Ps,
    /// Its siblings', whatever its score is.
    #[serde(rename = "fs-1")]
    Fs1,
    /// Its siblings', if its score is higher than the change threshold.
    #[default]
    #[serde(rename = "fs-2")]
    Fs2,
    /// Its children's and its siblings', whatever its score is.
    #[serde(rename = "pfs-1")]
    Pfs1,
    /// Its children's and its siblings', if its score is higher than the change threshold.
    #[serde(rename = "pfs-2")]
    Pfs2,
}

impl QueueRule {
    /// Whether a page with a score above the threshold, or not above it, gives its score to its children.
    fn moves_children(self, is_above: bool) -> bool {
        match self {
            Self::Ps | Self::Pfs1 => true,
            Self::Pfs2 => is_above,
            Self::Fs1 | Self::Fs2 => false,
        }
    }

    /// The same for its siblings.
    fn moves_siblings(self, is_above: bool) -> bool {
        match self {
            Self::Fs1 | Self::Pfs1 => true,
            Self::Fs2 | Self::Pfs2 => is_above,
            Self::Ps => false,
        }
    }

    /// How a waiting link comes to its score, for people.
    pub(crate) fn story(self) -> &'static str {
        match self {
            Self::Ps => "it has the score of the page it was found on",
            Self::Fs1 => {
                "it has the score of the last fetched page that was found beside it, 0 before there is one"
            }
            Self::Fs2 => {
                "it has the score of the last fetched page that was found beside it and passed the change threshold, 0 \
                 before there is one"
            }
            Self::Pfs1 => {
                "it has the score of the last fetched page that was found beside it, before there is one that of the page \
                 it was found on"
            }
            Self::Pfs2 => {
                "it has the score of the last fetched page that was found beside it, before there is one that of the page \
                 it was found on, where they passed the change threshold, else 0"
            }
        }
    }
}

/// The queue's part of the rules of `genre` and `svm`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Queue {
    pub(crate) rule: QueueRule,
    pub(crate) ties: Ties,
    pub(crate) change_threshold: f32,
    pub(crate) max_depth: u32,
    pub(crate) max_links: u32,
}

impl Queue {
    /// Whether anything would be followed by these constants.
    pub(crate) fn check(&self) -> Result<(), SteeringConfigError> {
        if !(0.0..=1.0).contains(&self.change_threshold) {
            let message = format!("`{}`: expected a number from 0 to 1", self.change_threshold);
            return Err(SteeringConfigError::new("policy.change_threshold", message));
        }
        if self.max_links == 0 {
            return Err(SteeringConfigError::new("policy.max_links", "`0`: no link would ever be followed"));
        }
        Ok(())
    }

    /// Places the links of a page that scored `score`, and gives its score to whom the rule says.
    pub(crate) fn place(&self, visit: &Visit<'_>, score: f32, placing: &mut Placing) {
        let is_above = score > self.change_threshold;
        // seeds and entries of sitemaps have no parent, so they have no siblings
        if visit.group != GroupId::ALL && self.rule.moves_siblings(is_above) {
            placing.factor(visit.group, score.max(NOTHING));
            if is_above && visit.part(LONG).is_some() {
                placing.factor(rest_of(visit.group), score);
            }
        }
        let group = children_of(visit.id);
        let given = if self.rule.moves_children(is_above) { score.max(NOTHING) } else { NOTHING };
        placing.factor(group, given);
        let depth = visit.part(SITE_DEPTH).unwrap_or(0.0);
        let site = visit.page.url().authority();
        let links = visit.page.links();
        // the same URL again is no other link; looked at only where the number of links matters
        let mut met = FxHashSet::default();
        let is_long = links.len() > self.max_links as usize;
        for (number, link) in links.iter().enumerate() {
            if is_long && !met.insert(link.url.fingerprint()) {
                continue;
            }
            let is_behind = met.len() > self.max_links as usize;
            if is_behind && met.len() == self.max_links as usize + 1 {
                placing.factor(rest_of(group), BEHIND);
            }
            let group = if is_behind { rest_of(group) } else { group };
            let depth = if link.url.authority() == site { depth + 1.0 } else { 0.0 };
            if depth <= self.max_depth as f32 {
                let own = self.ties.own(&link.url);
                let given = if is_behind { BEHIND } else { given };
                let parts: [Part; 5] =
                    [("given", given), ("lot", own.get()), (PARENT, score), (SITE_DEPTH, depth), (LONG, 1.0)];
                // the last part is of long pages only
                let count = parts.len() - usize::from(!is_long);
                placing.add(number, group, own, parts.get(..count).unwrap_or_default());
            }
        }
    }

    /// Places the entries of a sitemap: new links, which have no page that they share.
    pub(crate) fn place_entries(&self, entries: &[SitemapEntry], placing: &mut Placing) {
        for (number, entry) in entries.iter().enumerate() {
            let lot = self.ties.own(&entry.url).get();
            let parts: [Part; 3] = [("given", NOTHING), ("lot", lot), (MAPPED, 1.0)];
            placing.add(number, GroupId::ALL, LinkScore::new(NOTHING * lot), &parts);
        }
    }
}

/// The group of a page's links beyond the limit, by that of the others.
fn rest_of(group: GroupId) -> GroupId {
    GroupId(group.0 | 1 << 40)
}

/// The group of the links that were found on a page.
fn children_of(page: LinkId) -> GroupId {
    GroupId(u64::from(page.0) + 1)
}
