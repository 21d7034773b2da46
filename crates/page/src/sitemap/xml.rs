//! Sitemaps, sitemap indexes and feeds in XML.
//!
//! A small state machine over the events of the XML reader: an entry is open or not, in it an image is open or not,
//! and at most one field collects text. Only element names change the state, so unclosed elements, odd nesting and
//! wrong namespaces do little harm: an element that begins ends the field before it, an entry that begins ends the
//! entry before it. What is still open where the file is cut is dropped, so that half a URL is never kept.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::QName;

use super::collect::{Collector, Draft, ImageDraft, priority, title};
use super::{SitemapKind, SitemapNote, date};

/// The namespace of image elements, without its scheme.
const IMAGE_NAMESPACE: &str = "//www.google.com/schemas/sitemap-image/";
/// Maximum number of open elements; the reader stores the name of each.
const MAX_DEPTH: usize = 10_000;
/// Maximum size of a field in bytes; the longest URL allowed by default has 2,048.
const MAX_FIELD_BYTES: usize = 16 << 10;
/// Maximum number of attributes that are read.
const MAX_ATTRIBUTES: usize = 64;
/// Maximum number of prefixes for images; one is usual.
const MAX_PREFIXES: usize = 8;

/// Whether the first element is the root of a sitemap or feed.
pub(super) fn has_known_root(prefix: &str) -> bool {
    let mut reader = reader(prefix);
    loop {
        match reader.read_event() {
            Ok(Event::Start(element) | Event::Empty(element)) => {
                return root_kind(split(element.name()).1).is_some();
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Parses a text as XML, up to its end, an error or a limit.
pub(super) fn read(text: &str, collector: &mut Collector<'_>) -> SitemapKind {
    let mut reader = reader(text);
    let mut machine = Machine::new(collector);
    let mut depth = 0usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                machine.start(&element);
                depth += 1;
            }
            Ok(Event::Empty(element)) => {
                machine.start(&element);
                machine.end(element.name());
            }
            Ok(Event::End(element)) => {
                machine.end(element.name());
                depth = depth.saturating_sub(1);
            }
            Ok(Event::Text(text)) => machine.text(&text.into_inner()),
            Ok(Event::CData(text)) => machine.text(&text.into_inner()),
            Ok(Event::GeneralRef(reference)) => machine.reference(&reference),
            Ok(Event::Eof) => {
                if depth > 0 {
                    machine.collector.note(SitemapNote::Torn);
                }
                break;
            }
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Err(_) => {
                machine.collector.note(SitemapNote::Torn);
                break;
            }
        }
        if depth > MAX_DEPTH {
            machine.collector.note(SitemapNote::CutDepth);
            break;
        }
        if machine.is_full {
            break;
        }
    }
    machine.finish()
}

fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    reader
}

fn root_kind(name: &str) -> Option<SitemapKind> {
    match name {
        "urlset" => Some(SitemapKind::Urls),
        "sitemapindex" => Some(SitemapKind::Index),
        "rss" | "feed" | "RDF" => Some(SitemapKind::Feed),
        _ => None,
    }
}

/// The prefix, empty if there is none, and the local name.
fn split(name: QName<'_>) -> (&str, &str) {
    name.0.split_once(':').unwrap_or(("", name.0))
}

/// The valid attributes, as written.
fn attributes<'a>(element: &'a BytesStart<'_>) -> impl Iterator<Item = (&'a str, Cow<'a, str>)> {
    let mut attributes = element.attributes();
    // a check for duplicates would compare each attribute with each
    attributes.with_checks(false);
    attributes.take(MAX_ATTRIBUTES).flatten().map(|attribute| (attribute.key.0, attribute.value))
}

/// The attribute with that name, its entities resolved.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let value = attributes(element).find(|(key, _)| *key == name)?.1;
    let unescaped = quick_xml::escape::unescape(&value).map(|value| value.into_owned());
    Some(unescaped.unwrap_or_else(|_| value.into_owned()))
}

/// The field for which text is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Loc,
    /// A URL used if the proper element has none: the `guid` of an item, the text of an entry itself.
    Fallback,
    LastModified,
    Priority,
    Title,
    ImageLoc,
    ImageTitle,
    ImageCaption,
}

struct Machine<'c, 'r> {
    collector: &'c mut Collector<'r>,
    kind: Option<SitemapKind>,
    /// The prefix of the root element; entries have it too.
    root_prefix: Option<String>,
    /// Prefixes that are bound to the namespace of images.
    image_prefixes: Vec<String>,
    entry: Option<Draft>,
    fallback: Option<String>,
    image: Option<ImageDraft>,
    /// The open field.
    field: Option<Field>,
    /// The local name of the element that ends it.
    field_name: String,
    text: String,
    is_cut: bool,
    is_full: bool,
}

impl<'c, 'r> Machine<'c, 'r> {
    fn new(collector: &'c mut Collector<'r>) -> Self {
        Self {
            collector,
            kind: None,
            root_prefix: None,
            image_prefixes: vec!["image".to_owned()],
            entry: None,
            fallback: None,
            image: None,
            field: None,
            field_name: String::new(),
            text: String::new(),
            is_cut: false,
            is_full: false,
        }
    }

    fn is_feed(&self) -> bool {
        self.kind == Some(SitemapKind::Feed)
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        let (prefix, name) = split(element.name());
        if self.kind.is_none()
            && let Some(kind) = root_kind(name)
        {
            self.kind = Some(kind);
            self.root_prefix = Some(prefix.to_owned());
        }
        if !self.is_feed() {
            self.bind_prefixes(element);
        }
        if let Some(kind) = self.entry_kind(prefix, name) {
            self.begin_entry(kind, name);
        } else if self.entry.is_none() {
            // all fields belong to entries
        } else if self.is_feed() {
            self.start_in_item(element, name);
        } else {
            self.start_in_url(prefix, name);
        }
    }

    /// The kind of an entry; `None` if an element is not an entry.
    fn entry_kind(&self, prefix: &str, name: &str) -> Option<SitemapKind> {
        let kind = match name {
            "url" => SitemapKind::Urls,
            "sitemap" => SitemapKind::Index,
            "item" | "entry" => SitemapKind::Feed,
            _ => return None,
        };
        let fits_kind =
            self.kind.is_none_or(|known| (known == SitemapKind::Feed) == (kind == SitemapKind::Feed));
        // in a feed of RDF only the root has a prefix
        let fits_root = self.is_feed() || self.root_prefix.as_ref().is_none_or(|root| root == prefix);
        (fits_kind && fits_root).then_some(kind)
    }

    fn begin_entry(&mut self, kind: SitemapKind, name: &str) {
        self.finish_entry();
        if self.collector.is_full() {
            self.is_full = true;
            return;
        }
        // the entries decide, not the root
        if self.kind.is_none() || self.collector.is_empty() {
            self.kind = Some(kind);
        }
        self.entry = Some(Draft::default());
        if !self.is_feed() {
            self.begin_field(Field::Fallback, name);
        }
    }

    fn start_in_url(&mut self, prefix: &str, name: &str) {
        let is_image = self.image_prefixes.iter().any(|known| known == prefix);
        match name {
            "image" => {
                self.finish_image();
                self.image = Some(ImageDraft::default());
            }
            // an image without its wrapper, or the next one in it
            "loc" if is_image && self.image.as_ref().is_none_or(|image| image.url.is_some()) => {
                self.finish_image();
                self.image = Some(ImageDraft::default());
                self.begin_field(Field::ImageLoc, name);
            }
            "loc" if self.image.is_some() => self.begin_field(Field::ImageLoc, name),
            "title" if self.image.is_some() => self.begin_field(Field::ImageTitle, name),
            "caption" if self.image.is_some() => self.begin_field(Field::ImageCaption, name),
            "loc" => self.begin_field(Field::Loc, name),
            "lastmod" => self.begin_field(Field::LastModified, name),
            "priority" => self.begin_field(Field::Priority, name),
            "title" if prefix == "news" => self.begin_field(Field::Title, name),
            _ => {}
        }
    }

    fn start_in_item(&mut self, element: &BytesStart<'_>, name: &str) {
        match name {
            "link" => match attribute(element, "href") {
                Some(href) => {
                    self.finish_field();
                    let is_page =
                        attribute(element, "rel").is_none_or(|rel| rel.eq_ignore_ascii_case("alternate"));
                    if is_page {
                        self.set_url(&href);
                    }
                }
                None => self.begin_field(Field::Loc, name),
            },
            "guid" => self.begin_field(Field::Fallback, name),
            "pubDate" | "date" | "updated" | "published" => self.begin_field(Field::LastModified, name),
            "title" => self.begin_field(Field::Title, name),
            _ => {}
        }
    }

    fn end(&mut self, name: QName<'_>) {
        let (prefix, name) = split(name);
        if self.entry.is_some() && self.entry_kind(prefix, name).is_some() {
            self.finish_entry();
        } else if self.field.is_some() && self.field_name == name {
            self.finish_field();
        } else if name == "image" && !self.is_feed() {
            self.finish_image();
        }
    }

    fn begin_field(&mut self, field: Field, name: &str) {
        self.finish_field();
        self.field = Some(field);
        self.field_name.clear();
        self.field_name.push_str(name);
    }

    fn text(&mut self, text: &str) {
        if self.field.is_none() {
            return;
        }
        let room = MAX_FIELD_BYTES.saturating_sub(self.text.len());
        let end = (0..=room.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        let part = text.get(..end).unwrap_or_default();
        self.is_cut |= part.len() < text.len();
        self.text.push_str(part);
    }

    /// Resolves the five entities of XML, and numbers; anything else stays as written, so nothing is ever expanded.
    fn reference(&mut self, reference: &BytesRef<'_>) {
        if self.field.is_none() {
            return;
        }
        match reference.resolve_char_ref() {
            Ok(Some(c)) => self.text(c.encode_utf8(&mut [0; 4])),
            Ok(None) | Err(_) => {
                let name = reference.borrow().into_inner();
                match quick_xml::escape::resolve_xml_entity(&name) {
                    Some(text) => self.text(text),
                    None => {
                        self.text("&");
                        self.text(&name);
                        self.text(";");
                    }
                }
            }
        }
    }

    /// Stores the collected text in its field; of several values the first valid one is kept.
    fn finish_field(&mut self) {
        let Some(field) = self.field.take() else { return };
        let text = std::mem::take(&mut self.text);
        let is_cut = std::mem::take(&mut self.is_cut);
        match field {
            Field::Loc | Field::ImageLoc if is_cut => self.collector.skip_too_long(),
            Field::Fallback if is_cut => {}
            Field::Loc => self.set_url(&text),
            Field::Fallback if self.fallback.is_none() && !text.trim().is_empty() => {
                self.fallback = Some(text.trim().to_owned());
            }
            Field::Fallback => {}
            Field::ImageLoc => {
                if let Some(image) = self.image.as_mut().filter(|image| image.url.is_none()) {
                    image.url = self.collector.relative(&text);
                }
            }
            Field::ImageTitle | Field::ImageCaption => {
                let Some(image) = &mut self.image else { return };
                let slot = if field == Field::ImageTitle { &mut image.title } else { &mut image.caption };
                *slot = slot.take().or_else(|| title(&text));
            }
            Field::LastModified | Field::Priority | Field::Title => {
                let Some(entry) = &mut self.entry else { return };
                match field {
                    Field::LastModified => {
                        entry.last_modified = entry.last_modified.or_else(|| date::parse(&text))
                    }
                    Field::Priority => entry.priority = entry.priority.or_else(|| priority(&text)),
                    _ => entry.title = entry.title.take().or_else(|| title(&text)),
                }
            }
        }
        // reuses the buffer
        self.text = text;
        self.text.clear();
    }

    fn set_url(&mut self, reference: &str) {
        if let Some(entry) = self.entry.as_mut().filter(|entry| entry.url.is_none()) {
            entry.url = self.collector.relative(reference);
        }
    }

    fn finish_image(&mut self) {
        self.finish_field();
        if let (Some(image), Some(entry)) = (self.image.take(), &mut self.entry) {
            self.collector.image(image, entry);
        }
    }

    fn finish_entry(&mut self) {
        self.finish_image();
        let fallback = self.fallback.take();
        if let Some(mut entry) = self.entry.take() {
            entry.url = entry.url.or_else(|| self.collector.possible(&fallback?));
            self.collector.entry(entry);
        }
    }

    fn bind_prefixes(&mut self, element: &BytesStart<'_>) {
        if !element.attributes_raw().contains("xmlns:") {
            return;
        }
        for (key, value) in attributes(element) {
            let Some(prefix) = key.strip_prefix("xmlns:") else { continue };
            let is_new = !self.image_prefixes.iter().any(|known| known == prefix);
            let is_image = value.contains(IMAGE_NAMESPACE);
            if is_image && is_new && self.image_prefixes.len() < MAX_PREFIXES {
                self.image_prefixes.push(prefix.to_owned());
            }
        }
    }

    /// Returns the kind. An entry that is still open at the end is kept if it is complete.
    fn finish(mut self) -> SitemapKind {
        self.field = None;
        self.finish_entry();
        if self.kind.is_none() {
            self.collector.note(SitemapNote::Unknown);
        }
        self.kind.unwrap_or(SitemapKind::Urls)
    }
}
