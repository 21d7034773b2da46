//! Proposes extraction rules from a few pages of one type, without labels.
//!
//! Each field has its own file and its own evidence. The title has the unique path string whose text is most similar to
//! the page's title (Zhang 2008). The uploader is found by words ("by"), class names and links to profiles; tags by
//! labels and `rel`; comments by repeated blocks with a name in each. Text that most pages have at the same place is
//! template text and never a value. A proposal contains its evidence and the number of pages where it finds a value, so
//! a person can check it.
//!
//! Fields without evidence are not proposed.

mod beside;
mod body;
mod comments;
mod fields;
mod lists;
mod moments;
mod page_texts;
mod pictures;
mod title;
mod trust;
mod unlabelled;
mod uploader;
mod written;

use std::collections::BTreeSet;

use osprey_page::{Link, Page};

use super::path::PathPattern;
use super::record::RecordKind;
use super::rules::{FieldRule, Rules, Trust};
use beside::Beside;
use page_texts::Sample;

/// How many pages are used, at most.
const MAX_PAGES: usize = 60;
/// The maximum number of proposed rules. Each rule costs time on every page.
const MAX_RULES: usize = 60;
/// Of these, rules for values without a label.
const MAX_UNLABELLED: usize = 25;

/// What kind of page a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leads {
    /// A detail page.
    Detail,
    /// One person's.
    Profile,
    /// A list of items.
    List,
}

/// A rule and the evidence for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposed {
    /// The rule.
    pub rule: FieldRule,
    /// The share of the sample pages on which it finds something.
    pub coverage: f64,
    /// Why, in words.
    pub evidence: String,
}

/// Rules for one kind of page, with the reasons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposals {
    /// What the pages are about.
    pub kind: RecordKind,
    /// Sample pages that were used.
    pub pages: usize,
    /// What of their structured data can be believed.
    pub structured: BTreeSet<Trust>,
    /// The rules in the order they are to be applied.
    pub proposed: Vec<Proposed>,
}

impl Proposals {
    /// Only the rules.
    pub fn rules(&self) -> Rules {
        Rules {
            kind: self.kind,
            structured: self.structured.clone(),
            rules: self.proposed.iter().map(|proposed| proposed.rule.clone()).collect(),
        }
    }

    /// As `[[extract.rule]]` tables for `osprey.toml`, each with its evidence as a comment.
    pub(crate) fn to_toml(&self) -> String {
        written::toml(self)
    }
}

/// Learns rules from pages of one kind; `leads` says where their links lead, if known. One page is enough for evidence
/// from labels and `rel`; the more pages, the better template text is separated from data.
pub fn propose<'p>(
    pages: impl IntoIterator<Item = &'p Page>,
    kind: RecordKind,
    leads: &dyn Fn(&Page, &Link) -> Option<Leads>,
) -> Proposals {
    let pages: Vec<&Page> = pages.into_iter().take(MAX_PAGES).collect();
    let sample = Sample::new(&pages, leads);
    let mut proposed: Vec<Proposed> = Vec::new();
    let title = title::propose(&sample);
    let title_path = title.as_ref().map(|title| title.rule.path.clone());
    let beside = Beside::new(&sample, title_path.as_ref());
    let uploader = match kind {
        RecordKind::Detail => uploader::propose(&sample, title_path.as_ref(), &beside),
        RecordKind::Profile => Vec::new(),
    };
    proposed.extend(title);
    proposed.extend(uploader);
    proposed.extend(moments::dates(&sample, kind, &beside));
    proposed.extend(lists::propose(&sample, kind));
    proposed.extend(moments::counts(&sample));
    proposed.extend(pictures::propose(&sample));
    if kind == RecordKind::Detail {
        let uploader = proposed.iter().find(|found| found.rule.field == super::Field::Uploader).cloned();
        proposed.extend(comments::propose(&sample, uploader.as_ref()));
        if !proposed.iter().any(|found| found.rule.field == super::Field::Description) {
            proposed.extend(body::propose(&sample, &proposed));
        }
    }
    let others = fields::propose(&sample, &proposed, MAX_RULES.saturating_sub(proposed.len()));
    proposed.extend(others);
    let unlabelled =
        unlabelled::propose(&sample, &proposed, MAX_UNLABELLED.min(MAX_RULES.saturating_sub(proposed.len())));
    proposed.extend(unlabelled);
    // a page may write class names that no rule can: what is proposed must be read again
    proposed.retain(|found| PathPattern::try_from(found.rule.path.as_str().to_owned()).is_ok());
    proposed.truncate(MAX_RULES);
    let structured = trust::believed(&pages, &proposed);
    Proposals { kind, pages: pages.len(), structured, proposed }
}
