//! How a page is parsed: URL rules, display properties, limits; and notes on what was cut or guessed.
//!
//! Limits protect against hostile pages. No page seen so far needs more than the defaults; a page that exceeds one is
//! cut and gets a [`Note`], never an error.

use std::fmt;

use osprey_model::UrlRules;

/// Input is never longer than this, whatever [`Limits::max_bytes`] is: offsets have 32 bits, and decoding may triple
/// the length.
pub(crate) const MAX_INPUT: usize = 1 << 30;

/// How pages are parsed; part of a project's configuration.
#[derive(Clone, Debug)]
pub struct PageRules {
    /// How the URLs of links are canonicalised.
    pub url: UrlRules,
    /// Attributes that become part of path strings, in the order they are written.
    pub display_properties: Vec<String>,
    /// The limits after which a page is cut.
    pub limits: Limits,
}

impl Default for PageRules {
    fn default() -> Self {
        let names = ["class", "align", "valign", "bgcolor", "color", "face", "size"];
        Self {
            url: UrlRules::default(),
            display_properties: names.map(str::to_owned).to_vec(),
            limits: Limits::default(),
        }
    }
}

/// Limits after which a page is cut.
///
/// A parse uses at most about `10 * max_bytes + 200 * max_nodes + 8 * max_path_bytes` bytes, 250 MiB with the defaults,
/// and takes less than a second. The finished page of a real body takes two to four times the body's length.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of the body that are parsed. Default 8 MiB.
    pub max_bytes: usize,
    /// Nodes in the tree. Default 500,000.
    pub max_nodes: usize,
    /// Elements open at the same time, including formatting elements that wait to be reopened; checked at every
    /// sixty-fourth tag. Default 512, as in browsers.
    pub max_depth: usize,
    /// Attributes of one element; further ones are dropped. Default 256.
    pub max_attributes: usize,
    /// Distinct names of elements and attributes. Default 20,000.
    pub max_names: usize,
    /// Links kept. Default 20,000.
    pub max_links: usize,
    /// Images kept. Default 10,000.
    pub max_images: usize,
    /// Bytes of visible text, and the same number again for words of links that are not part of it. Default 4 MiB.
    pub max_text_bytes: usize,
    /// Total length of all distinct path strings, XPaths and Apaths. After that, an element takes its parent's path,
    /// and a link takes the Apath without its class or, as the last resort, an empty one. Default 8 MiB.
    pub max_path_bytes: usize,
    /// Characters of an anchor's text; the rest is not part of the anchor. Default 512.
    pub anchor_chars: usize,
    /// Characters of the text around a link, including its own. Default 160.
    pub context_chars: usize,
    /// Elements that the tree builder's searches may visit. Without this limit, a page of a million unclosed tags takes
    /// minutes. Default 100 million, about half a second.
    pub max_work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 8 << 20,
            max_nodes: 500_000,
            max_depth: 512,
            max_attributes: 256,
            max_names: 20_000,
            max_links: 20_000,
            max_images: 10_000,
            max_text_bytes: 4 << 20,
            max_path_bytes: 8 << 20,
            anchor_chars: 512,
            context_chars: 160,
            max_work: 100_000_000,
        }
    }
}

/// What was cut or guessed while a page was parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Note {
    /// The body is longer than [`Limits::max_bytes`].
    CutBytes,
    /// The tree is larger than [`Limits::max_nodes`].
    CutNodes,
    /// Elements are nested deeper than [`Limits::max_depth`].
    CutDepth,
    /// An element has more attributes than [`Limits::max_attributes`].
    CutAttributes,
    /// There are more names than [`Limits::max_names`], or one was too long and was cut: at 128 bytes for elements,
    /// 4096 for attributes.
    CutNames,
    /// There are more links than [`Limits::max_links`].
    CutLinks,
    /// There are more images than [`Limits::max_images`].
    CutImages,
    /// The text is longer than [`Limits::max_text_bytes`].
    CutText,
    /// The paths are longer than [`Limits::max_path_bytes`].
    CutPaths,
    /// The tags are so misnested that [`Limits::max_work`] was reached.
    CutWork,
    /// The page declares no character set.
    CharsetGuessed,
    /// Some bytes are invalid in the page's character set.
    InvalidBytes,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CutBytes => "cut: too many bytes",
            Self::CutNodes => "cut: too many nodes",
            Self::CutDepth => "cut: elements nested too deeply",
            Self::CutAttributes => "attributes dropped: too many on one element",
            Self::CutNames => "names cut: too many or too long",
            Self::CutLinks => "links dropped: too many",
            Self::CutImages => "images dropped: too many",
            Self::CutText => "text dropped: too long",
            Self::CutPaths => "paths merged: too long together",
            Self::CutWork => "cut: tags too entangled",
            Self::CharsetGuessed => "character set guessed",
            Self::InvalidBytes => "bytes outside the character set replaced",
        })
    }
}

/// Notes in the order in which they were made, without duplicates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Vec<Note>);

impl Notes {
    pub(crate) fn add(&mut self, note: Note) {
        if !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    pub(crate) fn as_slice(&self) -> &[Note] {
        &self.0
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Note>()
    }
}
