//! SVG and MathML inside HTML.

use super::super::attributes::AttrsId;
use super::super::elements::Tag;
use super::super::names::{NameId, Space};
use super::{Construction, Next, Open, TagToken, Token};

/// Elements of SVG that are not written in lower case.
const SVG_ELEMENTS: &[&str] = &[
    "altGlyph",
    "altGlyphDef",
    "altGlyphItem",
    "animateColor",
    "animateMotion",
    "animateTransform",
    "clipPath",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feImage",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
    "foreignObject",
    "glyphRef",
    "linearGradient",
    "radialGradient",
    "textPath",
];

/// Attributes of SVG that are not written in lower case.
const SVG_ATTRIBUTES: &[&str] = &[
    "attributeName",
    "attributeType",
    "baseFrequency",
    "baseProfile",
    "calcMode",
    "clipPathUnits",
    "diffuseConstant",
    "edgeMode",
    "filterUnits",
    "glyphRef",
    "gradientTransform",
    "gradientUnits",
    "kernelMatrix",
    "kernelUnitLength",
    "keyPoints",
    "keySplines",
    "keyTimes",
    "lengthAdjust",
    "limitingConeAngle",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "maskContentUnits",
    "maskUnits",
    "numOctaves",
    "pathLength",
    "patternContentUnits",
    "patternTransform",
    "patternUnits",
    "pointsAtX",
    "pointsAtY",
    "pointsAtZ",
    "preserveAlpha",
    "preserveAspectRatio",
    "primitiveUnits",
    "refX",
    "refY",
    "repeatCount",
    "repeatDur",
    "requiredExtensions",
    "requiredFeatures",
    "specularConstant",
    "specularExponent",
    "spreadMethod",
    "startOffset",
    "stdDeviation",
    "stitchTiles",
    "surfaceScale",
    "systemLanguage",
    "tableValues",
    "targetX",
    "targetY",
    "textLength",
    "viewBox",
    "viewTarget",
    "xChannelSelector",
    "yChannelSelector",
    "zoomAndPan",
];

/// Attributes of SVG and MathML that have a namespace.
const QUALIFIED: &[(&str, Space)] = &[
    ("xlink:actuate", Space::Xlink),
    ("xlink:arcrole", Space::Xlink),
    ("xlink:href", Space::Xlink),
    ("xlink:role", Space::Xlink),
    ("xlink:show", Space::Xlink),
    ("xlink:title", Space::Xlink),
    ("xlink:type", Space::Xlink),
    ("xml:lang", Space::Xml),
    ("xml:space", Space::Xml),
    ("xmlns", Space::Xmlns),
    ("xmlns:xlink", Space::Xmlns),
];

impl Construction<'_> {
    /// Whether a token is for the rules of foreign content.
    pub(super) fn is_foreign(&self, token: Token<'_>) -> bool {
        let current = self.adjusted_current();
        if current.space == Space::Html || matches!(token, Token::Eof) {
            return false;
        }
        let is_text = matches!(token, Token::Text(_) | Token::Null);
        match (current.tag, token) {
            (Tag::MathText, Token::Start(tag)) => matches!(tag.tag, Tag::Mglyph | Tag::Malignmark),
            (Tag::SvgHtml | Tag::AnnotationHtml, Token::Start(_)) => false,
            (Tag::Annotation, Token::Start(tag)) => tag.tag != Tag::Svg,
            (Tag::MathText | Tag::SvgHtml | Tag::AnnotationHtml, _) => !is_text,
            _ => true,
        }
    }

    pub(super) fn foreign(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Null => self.insert_text("\u{fffd}"),
            Token::Text(text) => {
                self.frameset_ok &= text.bytes().all(|byte| byte.is_ascii_whitespace());
                self.insert_text(text)
            }
            Token::Comment(text) => self.insert_comment(text),
            Token::Start(tag) if self.breaks_out(tag) => self.break_out(token),
            Token::Start(tag) => {
                self.insert_foreign(tag, self.adjusted_current().space);
                Next::Done
            }
            Token::End(tag) if matches!(tag.tag, Tag::Br | Tag::P) => self.break_out(token),
            Token::End(tag) => self.end_in_foreign(tag),
            Token::Eof => Next::Done,
        }
    }

    /// Whether a start tag is HTML that cannot be part of SVG or MathML.
    fn breaks_out(&self, token: TagToken) -> bool {
        match token.tag {
            Tag::B
            | Tag::Big
            | Tag::Blockquote
            | Tag::Body
            | Tag::Br
            | Tag::Center
            | Tag::Code
            | Tag::Dd
            | Tag::Div
            | Tag::Dl
            | Tag::Dt
            | Tag::Em
            | Tag::Embed
            | Tag::H1
            | Tag::H2
            | Tag::H3
            | Tag::H4
            | Tag::H5
            | Tag::H6
            | Tag::Head
            | Tag::Hr
            | Tag::I
            | Tag::Img
            | Tag::Li
            | Tag::Listing
            | Tag::Menu
            | Tag::Meta
            | Tag::Nobr
            | Tag::Ol
            | Tag::P
            | Tag::Pre
            | Tag::Ruby
            | Tag::S
            | Tag::Small
            | Tag::Span
            | Tag::Strong
            | Tag::Strike
            | Tag::Sub
            | Tag::Sup
            | Tag::Table
            | Tag::Tt
            | Tag::U
            | Tag::Ul
            | Tag::Var => true,
            Tag::Font => {
                ["color", "face", "size"].iter().any(|name| self.attribute(token.attrs, name).is_some())
            }
            _ => false,
        }
    }

    fn break_out(&mut self, token: Token<'_>) -> Next {
        while self.open.last().is_some_and(|open| {
            open.space != Space::Html && !matches!(open.tag, Tag::MathText | Tag::SvgHtml)
        }) {
            self.open.pop();
        }
        self.step(self.mode, token)
    }

    fn end_in_foreign(&mut self, token: TagToken) -> Next {
        let name = self.build.names.text(token.name);
        for (at, open) in self.open.iter().enumerate().skip(1).rev() {
            if open.space == Space::Html && at + 1 < self.open.len() {
                return self.step(self.mode, Token::End(token));
            }
            if self.build.names.text(open.name).eq_ignore_ascii_case(name) {
                self.open.truncate(at);
                break;
            }
        }
        Next::Done
    }

    /// Inserts an element of SVG or MathML, and opens it unless it closes itself.
    pub(super) fn insert_foreign(&mut self, token: TagToken, space: Space) {
        let attrs = self.adjusted_attributes(token.attrs, space);
        let names = &mut self.build.names;
        let written = names.text(token.name);
        let svg = SVG_ELEMENTS.iter().find(|name| name.eq_ignore_ascii_case(written));
        let name = match svg.filter(|_| space == Space::Svg) {
            Some(name) => names.required(space, name),
            None => {
                let written = written.to_owned();
                names.required(space, &written)
            }
        };
        let tag = self.tag_of(space, name, attrs);
        let place = self.place(self.current());
        let node = self.build.create_element(name, attrs, tag);
        self.insert_at(place, node);
        if !token.self_closing {
            self.open.push(Open { node, name, tag, space });
        }
    }

    /// The tag by which the rules identify an element.
    pub(super) fn tag_of(&self, space: Space, name: NameId, attrs: AttrsId) -> Tag {
        let text = self.build.names.text(name);
        match (space, text) {
            (Space::Html, _) => Tag::of(text),
            (Space::Math, "mi" | "mo" | "mn" | "ms" | "mtext") => Tag::MathText,
            (Space::Math, "annotation-xml") => {
                let encoding = self.attribute(attrs, "encoding").unwrap_or_default();
                let html = ["text/html", "application/xhtml+xml"]
                    .iter()
                    .any(|kind| kind.eq_ignore_ascii_case(encoding));
                if html { Tag::AnnotationHtml } else { Tag::Annotation }
            }
            (Space::Svg, "foreignObject" | "desc" | "title") => Tag::SvgHtml,
            _ => Tag::Foreign,
        }
    }

    /// The value of an attribute without namespace.
    pub(super) fn attribute(&self, attrs: AttrsId, name: &str) -> Option<&str> {
        let names = &self.build.names;
        let mut list = self.build.attributes.list(attrs).iter();
        let found =
            list.find(|attr| names.space(attr.name) == Space::None && names.text(attr.name) == name)?;
        Some(self.build.attributes.value(found))
    }

    /// The attributes with the names they have in SVG or MathML.
    fn adjusted_attributes(&mut self, attrs: AttrsId, space: Space) -> AttrsId {
        let list = self.build.attributes.list(attrs);
        let adjusted: Vec<_> =
            list.iter().map(|attr| adjusted(self.build.names.text(attr.name), space)).collect();
        if adjusted.iter().all(Option::is_none) {
            return attrs;
        }
        let old = list.to_vec();
        for (attr, adjusted) in old.iter().zip(adjusted) {
            let name = adjusted.map_or(attr.name, |(space, text)| self.build.names.required(space, text));
            self.build.attributes.copy(attr, name);
        }
        self.build.attributes.close()
    }
}

fn adjusted(name: &str, space: Space) -> Option<(Space, &'static str)> {
    let own = match space {
        Space::Svg => SVG_ATTRIBUTES.iter().find(|adjusted| adjusted.eq_ignore_ascii_case(name)).copied(),
        Space::Math if name == "definitionurl" => Some("definitionURL"),
        _ => None,
    };
    let qualified = || QUALIFIED.iter().find(|(text, _)| *text == name).map(|&(text, space)| (space, text));
    own.map(|text| (Space::None, text)).or_else(qualified)
}
