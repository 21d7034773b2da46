//! The elements that the standard's rules name, as small numbers, and sets of them.
//!
//! Rules compare elements very often (is there a `p` in scope, is this one special), so a name is looked up once,
//! when its tag is read; from then on an element is a [`Tag`], and a set of elements is a bit set.

macro_rules! tags {
    ($($tag:ident = $name:literal),* $(,)?) => {
        /// An element that some rule names.
        ///
        /// The last ones stand for the kinds of elements that the rules distinguish outside of HTML, and for all
        /// other HTML elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Tag {
            $($tag,)*
            /// An HTML element that no rule names.
            Other,
            /// A MathML element that contains text: `mi` and the like.
            MathText,
            /// An SVG element that contains HTML: `foreignObject`, `desc`, `title`.
            SvgHtml,
            /// MathML's `annotation-xml`.
            Annotation,
            /// An `annotation-xml` that declares that it contains HTML.
            AnnotationHtml,
            /// An SVG or MathML element that no rule names.
            Foreign,
        }

        /// The tags that have a name, in their order.
        const NAMES: [(&str, Tag); Tag::NAMED] = [$(($name, Tag::$tag)),*];
    };
}

tags! {
    A = "a", Address = "address", Applet = "applet", Area = "area", Article = "article", Aside = "aside", B = "b",
    Base = "base", Basefont = "basefont", Bgsound = "bgsound", Big = "big", Blockquote = "blockquote",
    Body = "body", Br = "br", Button = "button", Caption = "caption", Center = "center", Code = "code",
    Col = "col", Colgroup = "colgroup", Dd = "dd", Details = "details", Dialog = "dialog", Dir = "dir",
    Div = "div", Dl = "dl", Dt = "dt", Em = "em", Embed = "embed", Fieldset = "fieldset",
    Figcaption = "figcaption", Figure = "figure", Font = "font", Footer = "footer", Form = "form",
    Frame = "frame", Frameset = "frameset", H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6",
    Head = "head", Header = "header", Hgroup = "hgroup", Hr = "hr", Html = "html", I = "i", Iframe = "iframe",
    Image = "image", Img = "img", Input = "input", Isindex = "isindex", Keygen = "keygen", Li = "li",
    Link = "link", Listing = "listing", Main = "main", Malignmark = "malignmark", Marquee = "marquee",
    Math = "math", Menu = "menu", Meta = "meta", Mglyph = "mglyph", Nav = "nav", Nobr = "nobr",
    Noembed = "noembed", Noframes = "noframes", Noscript = "noscript", Object = "object", Ol = "ol",
    Optgroup = "optgroup", Option = "option", P = "p", Param = "param", Plaintext = "plaintext", Pre = "pre",
    Rb = "rb", Rp = "rp", Rt = "rt", Rtc = "rtc", Ruby = "ruby", S = "s", Script = "script", Search = "search",
    Section = "section", Select = "select", Small = "small", Source = "source", Span = "span", Strike = "strike",
    Strong = "strong", Style = "style", Sub = "sub", Summary = "summary", Sup = "sup", Svg = "svg",
    Table = "table", Tbody = "tbody", Td = "td", Template = "template", Textarea = "textarea", Tfoot = "tfoot",
    Th = "th", Thead = "thead", Title = "title", Tr = "tr", Track = "track", Tt = "tt", U = "u", Ul = "ul",
    Var = "var", Wbr = "wbr", Xmp = "xmp",
}

impl Tag {
    /// How many tags have a name.
    pub(super) const NAMED: usize = Tag::Other as usize;

    /// The tag of an HTML element.
    pub(super) fn of(name: &str) -> Self {
        let key = NameKey::of(name.as_bytes());
        match SLOTS.get(slot(key)) {
            Some(&(known, tag)) if known == key && (key.is_exact() || tag.name() == name) => tag,
            _ => Self::Other,
        }
    }

    /// The name; empty for tags that represent several.
    pub(super) fn name(self) -> &'static str {
        NAMES.get(self as usize).map_or("", |&(name, _)| name)
    }
}

/// A name as two numbers. Names are short and compared very often: two integer comparisons suffice for most of them,
/// whatever their length, while a comparison byte by byte makes the processor guess where they end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameKey {
    /// The first and the last four bytes; of a shorter name the first, the middle and the last.
    edges: u64,
    length: usize,
}

impl NameKey {
    pub(super) const fn of(name: &[u8]) -> Self {
        let edges = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => {
                (u32::from_le_bytes(*last) as u64) << 32 | u32::from_le_bytes(*first) as u64
            }
            _ => match name {
                [] => 0,
                [one] => *one as u64 * 0x01_0101,
                [first, .., last] => {
                    (*last as u64) << 16 | (name[name.len() / 2] as u64) << 8 | *first as u64
                }
            },
        };
        Self { edges, length: name.len() }
    }

    /// Whether names with this key are the same. Longer ones may differ in the middle.
    pub(super) const fn is_exact(self) -> bool {
        self.length <= 8
    }

    /// A hash with this many bits. It is not collision-resistant: names that collide are easy to make.
    pub(super) const fn scatter(self, bits: u32) -> usize {
        // Found by trial, so that none of the named tags collide.
        let product = self.edges.wrapping_add(self.length as u64).wrapping_mul(0x418c_650d_a790_67fb);
        (product >> (u64::BITS - bits)) as usize
    }
}

const SLOT_BITS: u32 = 9;

/// Each named tag in its only possible slot, computed at compile time.
static SLOTS: [(NameKey, Tag); 1 << SLOT_BITS] = {
    let mut slots = [(NameKey::of(b""), Tag::Other); 1 << SLOT_BITS];
    let mut place = 0;
    while place < NAMES.len() {
        let (name, tag) = NAMES[place];
        let key = NameKey::of(name.as_bytes());
        assert!(slots[slot(key)].0.length == 0, "two names share a slot: another factor is needed");
        slots[slot(key)] = (key, tag);
        place += 1;
    }
    slots
};

const fn slot(key: NameKey) -> usize {
    key.scatter(SLOT_BITS)
}

/// A set of tags.
#[derive(Clone, Copy)]
pub(super) struct TagSet([u64; 2]);

impl TagSet {
    /// The set with all tags of another one.
    const fn with(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// The set with some additional tags.
    const fn and(mut self, tags: &[Tag]) -> Self {
        let mut at = 0;
        while at < tags.len() {
            let bit = tags[at] as usize;
            self.0[bit / 64] |= 1 << (bit % 64);
            at += 1;
        }
        self
    }

    /// The set without some of its tags.
    pub(super) const fn without(mut self, tags: &[Tag]) -> Self {
        let mut at = 0;
        while at < tags.len() {
            let bit = tags[at] as usize;
            self.0[bit / 64] &= !(1 << (bit % 64));
            at += 1;
        }
        self
    }

    pub(super) const fn has(self, tag: Tag) -> bool {
        let [low, high] = self.0;
        let bit = tag as u32;
        (if bit < 64 { low >> bit } else { high >> (bit - 64) }) & 1 == 1
    }
}

/// Defines a set: its name, the set it extends if there is one, its tags.
macro_rules! set {
    ($(#[$doc:meta])* $name:ident = $([$base:ident])? $($tag:ident)*) => {
        $(#[$doc])*
        pub(super) const $name: TagSet = TagSet([0; 2])$(.with($base))?.and(&[$(Tag::$tag),*]);
    };
}

set! { SCOPE = Applet Caption Html Table Td Th Marquee Object Select Template MathText SvgHtml }
set! { LIST_SCOPE = [SCOPE] Ol Ul }
set! { BUTTON_SCOPE = [SCOPE] Button }
set! { TABLE_SCOPE = Html Table Template }
set! { BODY_CONTEXT = Tbody Tfoot Thead Template Html }
set! { ROW_CONTEXT = Tr Template Html }
set! { CELLS = Td Th }
set! { HEADINGS = H1 H2 H3 H4 H5 H6 }
set! {
    /// Elements that are closed when another one ends.
    IMPLIED =
    Dd Dt Li Option Optgroup P Rb Rp Rt Rtc
}
set! {
    /// Elements that are closed at the end of a `template`.
    IMPLIED_IN_TEMPLATE = [IMPLIED]
    Caption Colgroup Tbody Td Tfoot Th Thead Tr
}
set! {
    /// Elements that may contain only rows and the like: other content is moved before the table.
    FOSTERED =
    Table Tbody Tfoot Thead Tr
}
set! { FORMATTING = A B Big Code Em Font I Nobr S Small Strike Strong Tt U }
set! {
    /// Elements that belong to the head wherever they appear.
    OF_HEAD =
    Base Basefont Bgsound Link Meta Noframes Script Style Template Title
}
set! { SPECIAL =
    Address Applet Area Article Aside Base Basefont Bgsound Blockquote Body Br Button Caption Center Col
    Colgroup Dd Details Dir Div Dl Dt Embed Fieldset Figcaption Figure Footer Form Frame Frameset H1 H2 H3 H4 H5
    H6 Head Header Hgroup Hr Html Iframe Img Input Isindex Li Link Listing Main Marquee Menu Meta Nav Noembed
    Noframes Noscript Object Ol P Param Plaintext Pre Script Section Select Source Style Summary Table Tbody Td
    Template Textarea Tfoot Th Thead Title Tr Track Ul Wbr Xmp
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        for (name, tag) in NAMES {
            assert_eq!(Tag::of(name), tag);
            assert_eq!(tag.name(), name);
        }
        for name in ["", "x-y", "h7", "A", "mi", "aaa", "blocxxuote", "blockquotes", "custom-element"] {
            assert_eq!(Tag::of(name), Tag::Other, "{name}");
        }
    }

    #[test]
    fn keys_of_up_to_eight_bytes_are_exact() {
        let names =
            ["", "a", "aa", "aaa", "aab", "aba", "aaaa", "abba", "aaaaa", "abcdefgh", "abcdefg", "abcxefgh"];
        for (at, name) in names.iter().enumerate() {
            let same = |other: &&str| NameKey::of(other.as_bytes()) == NameKey::of(name.as_bytes());
            assert_eq!(names.iter().position(same), Some(at), "{name}");
            assert!(NameKey::of(name.as_bytes()).is_exact());
        }
        assert!(!NameKey::of(b"abcdefghi").is_exact());
    }

    #[test]
    fn sets_hold_what_they_were_given() {
        assert!(SCOPE.has(Tag::Applet) && SCOPE.has(Tag::MathText));
        assert!(!SCOPE.has(Tag::P) && !SCOPE.has(Tag::Annotation));
        assert!(BUTTON_SCOPE.has(Tag::Button) && BUTTON_SCOPE.has(Tag::Td));
    }
}
