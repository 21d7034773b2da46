//! Worlds that go without one signal, to see what a crawler has besides.
//!
//! What is taken away is taken from finished pages where that can be done, so that kinds of site know nothing of it: the
//! links of a page are written again, its classes renamed. Only two are the business of the kinds: ties between things of
//! one topic ([`Ablation::NoHomophily`]) and the orders of lists ([`Ablation::EightOrders`]).

mod addresses;
mod links;

use std::fmt;

use osprey_model::{CanonicalUrl, UrlRules};
use serde::{Deserialize, Serialize};

use self::addresses::{Seal, is_bare};
use self::links::{Change, each_link, rename_classes, without_anchors};
use crate::{Answer, Dice};

/// The share of pages that are gone, of those that are no lists.
pub(crate) const DEAD: f64 = 0.3;

/// A signal that a world goes without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ablation {
    /// The names of classes differ from page to page.
    ShuffledClasses,
    /// Addresses are names without meaning: neither folders nor words nor page numbers can be read.
    OpaqueUrls,
    /// Links have no text, and pictures in them no description.
    EmptyAnchors,
    /// Three of ten pages that are not lists are gone, and links lead to them still.
    DeadLinks,
    /// No link leads to pages of people.
    UnlinkedUploaders,
    /// People make things of any topic, and know anybody. What the order of the site is made of stays: threads in their
    /// boards, reviews of their films.
    NoHomophily,
    /// Every list can be sorted in eight ways, each of which shows the same things again.
    EightOrders,
}

impl Ablation {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::ShuffledClasses,
        Self::OpaqueUrls,
        Self::EmptyAnchors,
        Self::DeadLinks,
        Self::UnlinkedUploaders,
        Self::NoHomophily,
        Self::EightOrders,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::ShuffledClasses => "shuffled-classes",
            Self::OpaqueUrls => "opaque-urls",
            Self::EmptyAnchors => "empty-anchors",
            Self::DeadLinks => "dead-links",
            Self::UnlinkedUploaders => "unlinked-uploaders",
            Self::NoHomophily => "no-homophily",
            Self::EightOrders => "eight-orders",
        }
    }
}

impl fmt::Display for Ablation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a world goes without, if anything, with the chance to do so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Without {
    pub(crate) what: Option<Ablation>,
    dice: Dice,
}

impl Without {
    pub(crate) fn new(what: Option<Ablation>, dice: Dice) -> Self {
        Self { what, dice }
    }

    fn is(&self, what: Ablation) -> bool {
        self.what == Some(what)
    }

    /// The URL that a kind knows, behind the one that was asked for; `None` if there is none.
    pub(crate) fn opened(&self, url: &CanonicalUrl) -> Option<CanonicalUrl> {
        if !self.is(Ablation::OpaqueUrls) || is_bare(url.path_and_query()) {
            return Some(url.clone());
        }
        let path = Seal::new(self.dice).open(url.path_and_query())?;
        CanonicalUrl::from_stored(&format!("{}{path}", url.origin())).ok()
    }

    /// The address that a URL has in this world.
    pub(crate) fn closed(&self, url: &str) -> String {
        match CanonicalUrl::from_stored(url) {
            Ok(url) if self.is(Ablation::OpaqueUrls) && !is_bare(url.path_and_query()) => {
                format!("{}{}", url.origin(), Seal::new(self.dice).close(url.path_and_query()))
            }
            _ => url.to_owned(),
        }
    }

    /// Whether pages with this address may be gone, and this one is.
    pub(crate) fn is_gone(&self, url: &CanonicalUrl) -> bool {
        self.is(Ablation::DeadLinks)
            && url.path_and_query() != "/"
            && self.dice.of("gone").of(url.as_str()).chance(DEAD)
    }

    /// Whether links to people are left out.
    pub(crate) fn unlinks_people(&self) -> bool {
        self.is(Ablation::UnlinkedUploaders)
    }

    /// Takes from an answer what this world goes without. `url` is the one that kinds know.
    pub(crate) fn take_from(
        &self,
        answer: &mut Answer,
        url: &CanonicalUrl,
        has_host: impl Fn(&CanonicalUrl) -> bool,
        is_of_person: impl Fn(&CanonicalUrl) -> bool,
    ) {
        let Some(what) = self.what else { return };
        let target = |href: &str| url.join(href, &UrlRules::keep_all()).ok().filter(&has_host);
        if what == Ablation::OpaqueUrls
            && let Some(to) = answer.headers.get("location").and_then(target)
        {
            *answer = Answer::redirect(answer.status, &self.closed(to.as_str()));
        }
        let is_html = answer.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html"));
        if !is_html || answer.status != 200 {
            return;
        }
        let body = &answer.body;
        let changed = match what {
            Ablation::ShuffledClasses => rename_classes(body, self.dice.of("classes").of(url.as_str())),
            Ablation::EmptyAnchors => without_anchors(body),
            Ablation::OpaqueUrls => each_link(body, |href| match target(href) {
                Some(to) => Change::To(self.closed(to.as_str())),
                None => Change::Keep,
            }),
            Ablation::UnlinkedUploaders => each_link(body, |href| match target(href) {
                Some(to) if is_of_person(&to) => Change::Unlink,
                _ => Change::Keep,
            }),
            Ablation::DeadLinks | Ablation::NoHomophily | Ablation::EightOrders => return,
        };
        answer.body = changed.into();
    }
}

#[cfg(test)]
mod tests;
