//! Links and images of a page.

use std::fmt;
use std::ops::BitOr;

use osprey_model::CanonicalUrl;

use crate::flow::Span;
use crate::paths::{ApathId, PathStringId};
use crate::tree::NodeId;

/// One occurrence of a link; a page with two links to the same URL has two.
#[derive(Clone, Debug)]
pub struct Link {
    /// The URL it leads to.
    pub url: CanonicalUrl,
    /// The kind of element.
    pub kind: LinkKind,
    /// What the page declares about it.
    pub rel: Rel,
    /// Whether it contains an image, usually a thumbnail.
    pub wraps_image: bool,
    /// Its XPath with its class.
    pub apath: ApathId,
    /// Its path string: from its parent to the root.
    pub path_string: PathStringId,
    /// Its number among the page's links, from 0.
    pub position: u32,
    /// Its element.
    pub node: NodeId,
    /// Its position in the text.
    pub(crate) anchor: Span,
    /// The range of its words: the same range, or one in the words stored after the text.
    pub(crate) words: Span,
}

/// The kind of element that a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `a`, also in SVG.
    Anchor,
    /// `area`: a part of an image map.
    Area,
    /// `frame` or `iframe`.
    Frame,
    /// `link` in the head, with `rel` next or prev.
    Head,
}

/// A set of relations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rel(u16);

impl Rel {
    /// The page does not vouch for the link.
    pub const NOFOLLOW: Self = Self(1);
    /// The link was written by users of the site.
    pub const UGC: Self = Self(1 << 1);
    /// The link is paid for.
    pub(crate) const SPONSORED: Self = Self(1 << 2);
    /// It leads to the page of a tag.
    pub const TAG: Self = Self(1 << 3);
    /// The next page of a series.
    pub const NEXT: Self = Self(1 << 4);
    /// The previous page of a series.
    pub const PREV: Self = Self(1 << 5);
    /// It leads to the page of an author.
    pub const AUTHOR: Self = Self(1 << 6);
    /// The canonical URL of this page.
    pub(crate) const CANONICAL: Self = Self(1 << 7);
    /// The permanent URL of the part around the link.
    pub(crate) const BOOKMARK: Self = Self(1 << 8);
    /// Another form of this page: a translation, a feed.
    pub(crate) const ALTERNATE: Self = Self(1 << 9);
    /// It leads to another site.
    pub(crate) const EXTERNAL: Self = Self(1 << 10);

    /// The words that are recognised; if several mean one relation, the first is its name.
    const WORDS: [(&str, Self); 13] = [
        ("nofollow", Self::NOFOLLOW),
        ("ugc", Self::UGC),
        ("sponsored", Self::SPONSORED),
        ("tag", Self::TAG),
        ("next", Self::NEXT),
        ("prev", Self::PREV),
        ("author", Self::AUTHOR),
        ("canonical", Self::CANONICAL),
        ("bookmark", Self::BOOKMARK),
        ("alternate", Self::ALTERNATE),
        ("external", Self::EXTERNAL),
        ("previous", Self::PREV),
        ("category", Self::TAG),
    ];

    /// Parses an attribute's value; unknown words are ignored.
    pub fn parse(value: &str) -> Self {
        let known = |word: &str| Self::WORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        value.split_ascii_whitespace().filter_map(known).fold(Self::default(), |all, &(_, rel)| all | rel)
    }

    /// Whether it contains all of `other`.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it contains any of `other`.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Rel {
    /// Prints the attribute's value: `tag nofollow`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = Self::default();
        for (word, rel) in Self::WORDS {
            if self.contains(rel) && !told.contains(rel) {
                write!(f, "{}{word}", if told.is_empty() { "" } else { " " })?;
                told = told | rel;
            }
        }
        Ok(())
    }
}

impl BitOr for Rel {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How many references of a page are not links, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedLinks {
    /// Not a valid URL.
    pub invalid: u32,
    /// A scheme that Osprey does not follow: `javascript:`, `mailto:`.
    pub scheme: u32,
    /// Longer than the limit.
    pub too_long: u32,
    /// A place on the same page: `#top`, unless a `base` element makes it refer to another page.
    pub fragment: u32,
}

/// An image of a page.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its URL; for a placeholder, the URL of the real picture (`data-src` and the like).
    pub src: CanonicalUrl,
    /// The largest candidate in `srcset`, including the sources of a `picture`, if there are any.
    pub largest: Option<CanonicalUrl>,
    /// Width in CSS pixels, as declared.
    pub width: Option<u32>,
    /// Height in CSS pixels, as declared.
    pub height: Option<u32>,
    /// The link that contains it, as an index into the page's links.
    pub link: Option<u32>,
    /// Its path string: from its parent to the root.
    pub path_string: PathStringId,
    /// Its element.
    pub node: NodeId,
}

/// The candidate of several `srcset`s with the greatest width or density; of equal ones the first.
pub(crate) fn largest_candidate<'a>(srcsets: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best = None;
    for srcset in srcsets {
        best = larger_candidate(srcset, best);
    }
    best.map(|(url, _)| url)
}

fn larger_candidate<'a>(srcset: &'a str, mut best: Option<(&'a str, f64)>) -> Option<(&'a str, f64)> {
    let mut rest = srcset;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return best;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        // A comma at the end of the URL ends the candidate; one inside belongs to it.
        let bare = url.trim_end_matches(',');
        let (size, next) = if bare.len() < url.len() {
            (1.0, after)
        } else {
            let (descriptor, next) = after.split_once(',').unwrap_or((after, ""));
            (candidate_size(descriptor), next)
        };
        if best.is_none_or(|(_, largest)| size > largest) {
            best = Some((bare, size));
        }
        rest = next;
    }
}

fn candidate_size(descriptor: &str) -> f64 {
    let word = descriptor.split_ascii_whitespace().find(|word| word.ends_with(['w', 'x']));
    word.and_then(|word| word.trim_end_matches(['w', 'x']).parse().ok()).unwrap_or(1.0)
}

/// A length in whole pixels: `120`, `120px`, `120.5`, not `50%`.
pub(crate) fn pixels(value: &str) -> Option<u32> {
    let value = value.trim();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, rest) = value.split_at(digits);
    let fraction = rest.strip_prefix('.').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let unit = fraction.unwrap_or(rest);
    (!unit.trim_start().starts_with('%')).then(|| number.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rel_is_a_set_of_words() {
        let rel = Rel::parse("NoFollow  ugc something");
        assert!(rel.contains(Rel::NOFOLLOW | Rel::UGC));
        assert!(!rel.intersects(Rel::NEXT | Rel::TAG));
        assert!(Rel::parse("stylesheet").is_empty());
    }

    #[test]
    fn srcset_gives_its_largest() {
        let check = |srcset: &str, expect: Option<&str>| {
            assert_eq!(largest_candidate([srcset]), expect, "{srcset:?}")
        };
        check("a.jpg 320w, b.jpg 1024w, c.jpg 640w", Some("b.jpg"));
        check("a.jpg, b.jpg 2x", Some("b.jpg"));
        check("a.jpg,b.jpg 2x", Some("a.jpg,b.jpg"));
        check("a,b.jpg 1.5x , c.jpg", Some("a,b.jpg"));
        check(" , ", None);
        check("", None);
        assert_eq!(largest_candidate(["a 1x", "b 3x, c", "d 3x"]), Some("b"));
    }

    #[test]
    fn lengths_in_pixels() {
        let check = |value: &str, expect: Option<u32>| assert_eq!(pixels(value), expect, "{value:?}");
        check("120", Some(120));
        check(" 120px", Some(120));
        check("50%", None);
        check("50.5%", None);
        check("50.5 %", None);
        check("120.5px", Some(120));
        check("auto", None);
        check("99999999999", None);
    }
}
