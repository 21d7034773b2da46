//! The queue of seed 003 (algorithm 1 and section 4.4): whose waiting links the score of a fetched page moves.
//!
//! The links of a page wait in one group, so that they are siblings in the eyes of the frontier. Each has `own` 1: its
//! score is the group's factor. Seeds have 1, new links 0; a rule says when a page gives its score to its own links
//! (children) and to those that were found where it was found (siblings). Of equal scores the oldest link goes first,
//! so that a crawl without any hit is breadth-first. Giving a score is one operation, however many siblings wait.
//!
//! A score is given, not mixed: the last sibling decides, as `ChangeScores(URL, newscore)` says. A rule without a
//! threshold (`fs-1`, `pfs-1`) therefore also pushes siblings back.

use osprey_model::{GroupId, LinkId, Own};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::policy::Visit;
use crate::{Part, Placing};

/// Part of a link's `why`: steps since its site was entered.
const SITE_DEPTH: &str = "site_depth";

/// Whose score a page changes.
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
            Self::Fs1 => "it has the score of the last fetched page that was found beside it, 0 before there is one",
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
    pub(crate) change_threshold: f32,
    pub(crate) max_depth: u32,
    pub(crate) max_links: u32,
}

impl Queue {
    /// Places the links of a page that scored `score`, and gives its score to whom the rule says.
    pub(crate) fn place(&self, visit: &Visit<'_>, score: f32, placing: &mut Placing) {
        let is_above = score > self.change_threshold;
        // seeds and entries of sitemaps have no parent, so they have no siblings
        if visit.group != GroupId::ALL && self.rule.moves_siblings(is_above) {
            placing.factor(visit.group, score);
        }
        let group = children_of(visit.id);
        placing.factor(group, if self.rule.moves_children(is_above) { score } else { 0.0 });
        let depth = visit.why.get(SITE_DEPTH).copied().unwrap_or(0.0);
        let site = visit.page.url().authority();
        let links = visit.page.links();
        // the same URL again is no other link; looked at only where the number of links matters
        let mut met = FxHashSet::default();
        let is_long = links.len() > self.max_links as usize;
        for (number, link) in links.iter().enumerate() {
            if is_long {
                if met.len() >= self.max_links as usize {
                    break;
                }
                if !met.insert(link.url.fingerprint()) {
                    continue;
                }
            }
            let depth = if link.url.authority() == site { depth + 1.0 } else { 0.0 };
            if depth <= self.max_depth as f32 {
                let parts: [Part; 2] = [("page", score), (SITE_DEPTH, depth)];
                placing.add(number, group, Own::ONE, &parts);
            }
        }
    }

    /// Places the entries of a sitemap: new links, which have no page that they share.
    pub(crate) fn place_entries(entries: usize, placing: &mut Placing) {
        (0..entries).for_each(|entry| placing.add(entry, GroupId::ALL, Own::ZERO, &[("sitemap", 0.0)]));
    }
}

/// The group of the links that were found on a page.
fn children_of(page: LinkId) -> GroupId {
    GroupId(u64::from(page.0) + 1)
}
