//! Reads topics and their example pages from directories of the Web: dumps of the Open Directory in RDF, and lists.
//!
//! - RDF: `structure.rdf.u8` (titles and descriptions of categories) and `content.rdf.u8` (the pages that editors filed).
//! - A list: one page a line, `Sports/Basketball`, URL, title and description between tabs; all but the first may be left
//!   out.
//! - JSON lines: `{"topics": ["sports", "software"], "url": ..., "title": ..., "description": ..., "words": [...]}`.
//!
//! Read piece by piece: memory depends on what is kept, not on the dump. A category is known by its path, so there are no
//! cycles: what a dump says of relations beside the tree is not read. Dumps may be gzipped. A dump that ends in the middle, or with pieces that
//! cannot be read, gives what was whole before and between them. What does not fit is counted.

use std::io::{self, BufRead, BufReader, Read};

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::file::{MAX_BYTES, MAX_DEPTH, MAX_LABEL_BYTES, MAX_TOPICS};
use super::unpack::{Unpacked, is_packed};
use super::{Example, Taxonomy, Topic};

/// Bytes of a tag with the text before it, or of a line.
const MAX_PIECE: u64 = 64 << 10;
/// Bytes of a title and of a description.
const MAX_TITLE_BYTES: usize = 200;
const MAX_TEXT_BYTES: usize = 400;
/// Words of a page that stand for its description.
const MAX_WORDS: usize = 60;

/// What is kept of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRules {
    /// Only this category and those below it: `Top/Computers` or `Computers`.
    pub under: Option<String>,
    /// Levels; pages farther down are filed at the last of them.
    pub depth: usize,
    /// Example pages of a topic.
    pub examples: usize,
}

impl Default for ImportRules {
    fn default() -> Self {
        Self { under: None, depth: 6, examples: 5 }
    }
}

/// What was read from a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The topics, parents first.
    pub topics: Vec<Topic>,
    /// Example pages that were kept.
    pub pages: u64,
    /// Pages and categories that did not fit, or could not be read.
    pub skipped: u64,
    /// Whether the dump ends in the middle.
    pub is_cut: bool,
}

/// Reads a directory in one of the three forms, which its first sign tells, gzipped or not.
pub fn import(mut from: impl BufRead, rules: &ImportRules) -> io::Result<Imported> {
    if !is_packed(&mut from)? {
        return import_plain(from, rules);
    }
    let mut unpacked = BufReader::new(Unpacked::new(from));
    let mut found = import_plain(&mut unpacked, rules)?;
    found.is_cut |= unpacked.get_ref().is_cut;
    Ok(found)
}

fn import_plain(mut from: impl BufRead, rules: &ImportRules) -> io::Result<Imported> {
    let mut importer = Importer::new(rules);
    let first = loop {
        let bytes = from.fill_buf()?;
        let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte >= 0x80).count();
        match bytes.get(blank).copied() {
            Some(first) => break Some(first),
            None if bytes.is_empty() => break None,
            None => from.consume(blank),
        }
    };
    match first {
        Some(b'<') => read_rdf(&mut from, &mut importer)?,
        Some(first) => read_lines(&mut from, &mut importer, first == b'{')?,
        None => {}
    }
    Ok(importer.found)
}

/// Collects topics and examples while a file is read.
struct Importer {
    under: Vec<String>,
    depth: usize,
    examples: usize,
    found: Imported,
    /// Topics by their paths in lower case.
    places: FxHashMap<String, usize>,
    /// Bytes of all texts: the whole must fit into a file of topics.
    bytes: usize,
}

impl Importer {
    fn new(rules: &ImportRules) -> Self {
        Self {
            under: path_of(rules.under.as_deref().unwrap_or_default()),
            depth: rules.depth.clamp(1, MAX_DEPTH),
            examples: rules.examples,
            found: Imported::default(),
            places: FxHashMap::default(),
            bytes: 0,
        }
    }

    /// Whether so many bytes more fit. What is written around a text is counted generously.
    fn has_room(&mut self, bytes: usize) -> bool {
        let bytes = 2 * bytes + 100;
        let fits = self.bytes + bytes < MAX_BYTES / 2;
        self.bytes += if fits { bytes } else { 0 };
        fits
    }

    /// The topic of a path, with those above it; `None` if it is not wanted or does not fit.
    fn topic(&mut self, path: &[String]) -> Option<&mut Topic> {
        let is_below = path.iter().zip(&self.under).all(|(one, other)| one.eq_ignore_ascii_case(other));
        if path.is_empty() || path.len() < self.under.len() || !is_below {
            return None;
        }
        if path.iter().any(|name| name.chars().all(|sign| sign == '_' || sign.is_whitespace())) {
            self.found.skipped += 1;
            return None;
        }
        let mut place = None;
        for end in 1..=path.len().min(self.depth.max(self.under.len())) {
            let name = path.get(..end)?.join("/");
            let key = name.to_lowercase();
            place = self.places.get(&key).copied();
            if place.is_none() {
                let label = path.get(end - 1)?.replace('_', " ");
                if name.len() > MAX_LABEL_BYTES
                    || self.places.len() >= MAX_TOPICS
                    || !self.has_room(2 * name.len())
                {
                    self.found.skipped += 1;
                    return None;
                }
                let parent = self.places.get(&parent_key(&key)).and_then(|at| self.found.topics.get(*at));
                let parent = parent.map(|topic| topic.name.clone());
                let own = known_label(&label);
                self.found.topics.push(Topic {
                    name,
                    parent,
                    en: label,
                    zh: own.map(|topic| topic.zh.clone()).unwrap_or_default(),
                    abbreviations: own.map(|topic| topic.abbreviations.clone()).unwrap_or_default(),
                    ..Topic::default()
                });
                place = Some(self.found.topics.len() - 1);
                self.places.insert(key, self.found.topics.len() - 1);
            }
        }
        self.found.topics.get_mut(place?)
    }

    /// A page that an editor filed under a path.
    fn page(&mut self, path: &[String], page: Example) {
        let most = self.examples;
        let size = page.url.len() + page.title.len() + page.description.len();
        let fits = self.has_room(size);
        match self.topic(path) {
            Some(topic) if fits && topic.examples.len() < most && !page.url.is_empty() => {
                topic.examples.push(page);
                self.found.pages += 1;
            }
            _ => self.found.skipped += 1,
        }
    }
}

fn parent_key(key: &str) -> String {
    key.rsplit_once('/').map(|(parent, _)| parent.to_owned()).unwrap_or_default()
}

/// The topic of ours with this label, for what a directory in English does not say.
fn known_label(label: &str) -> Option<&'static Topic> {
    let shipped = Taxonomy::shipped();
    let topics = shipped.nodes().map(|node| shipped.topic(node));
    topics.into_iter().find(|topic| topic.en.eq_ignore_ascii_case(label))
}

/// The names on the way to a category; the root of the Open Directory is none of them.
fn path_of(text: &str) -> Vec<String> {
    let names = text.split('/').map(str::trim).filter(|name| !name.is_empty());
    let names = names.enumerate().filter(|(place, name)| !(*place == 0 && *name == "Top"));
    names.map(|(_, name)| name.to_owned()).collect()
}

/// The first bytes of a text, whole characters and one line.
fn short(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default().to_owned()
}

/// What is read of the element at hand.
#[derive(Default)]
struct Element {
    /// The category itself, or the URL of a page.
    name: String,
    is_page: bool,
    title: String,
    description: String,
    path: Vec<String>,
}

fn read_rdf(from: &mut impl BufRead, importer: &mut Importer) -> io::Result<()> {
    let (mut piece, mut element) = (Vec::new(), None::<Element>);
    importer.found.is_cut = true;
    loop {
        piece.clear();
        let read = from.by_ref().take(MAX_PIECE).read_until(b'>', &mut piece)?;
        if read == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&piece);
        let Some((before, tag)) = text.trim_end_matches('>').rsplit_once('<').filter(|_| text.ends_with('>'))
        else {
            // too long, or the end: what it belongs to is lost
            importer.found.skipped += u64::from(element.take().is_some());
            continue;
        };
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        match (name, tag.starts_with('/')) {
            ("Topic" | "ExternalPage", false) => {
                let is_page = name == "ExternalPage";
                let name = attribute(tag, if is_page { "about" } else { "r:id" });
                element = Some(Element { name, is_page, ..Element::default() });
            }
            ("", true) => {
                let text = unescaped(before);
                match (tag.trim_start_matches('/').trim(), &mut element) {
                    ("d:Title", Some(element)) => element.title = short(&text, MAX_TITLE_BYTES),
                    ("d:Description", Some(element)) => element.description = short(&text, MAX_TEXT_BYTES),
                    ("topic", Some(element)) => element.path = path_of(&text),
                    ("Topic" | "ExternalPage", _) => keep(element.take(), importer),
                    ("RDF", _) => importer.found.is_cut = false,
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Keeps an element that has ended.
fn keep(element: Option<Element>, importer: &mut Importer) {
    let Some(Element { name, is_page, title, description, path }) = element else { return };
    if is_page {
        return importer.page(&path, Example { url: name, title, description });
    }
    let has_room = importer.has_room(description.len());
    if let Some(topic) = importer.topic(&path_of(&name)).filter(|_| has_room)
        && topic.description.is_empty()
    {
        topic.description = description;
    }
}

fn attribute(tag: &str, name: &str) -> String {
    let value = tag.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split('"').next());
    unescaped(value.unwrap_or_default())
}

fn unescaped(text: &str) -> String {
    let named =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")];
    named.iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign))
}

/// A line of JSON.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Line {
    topics: Vec<String>,
    url: String,
    title: String,
    description: String,
    words: Vec<String>,
}

fn read_lines(from: &mut impl BufRead, importer: &mut Importer, is_json: bool) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        // the last line of a file that was cut has no end
        importer.found.is_cut = line.last() != Some(&b'\n') && is_json;
        let text = String::from_utf8_lossy(&line);
        if is_json {
            let Ok(Line { topics, url, title, description, words }) = serde_json::from_str(&text) else {
                importer.found.skipped += 1;
                continue;
            };
            importer.found.is_cut = false;
            let said = words.into_iter().take(MAX_WORDS).collect::<Vec<_>>().join(" ");
            let description =
                short(if description.is_empty() { &said } else { &description }, MAX_TEXT_BYTES);
            importer.page(&topics, Example { url, title: short(&title, MAX_TITLE_BYTES), description });
            continue;
        }
        let mut cells = text.trim_end().split('\t').map(str::trim);
        let path = path_of(cells.next().unwrap_or_default());
        let [url, title, description] = [(); 3].map(|()| cells.next().unwrap_or_default().to_owned());
        if path.is_empty() {
            continue;
        }
        if url.is_empty() {
            importer.topic(&path);
        } else {
            let (title, description) = (short(&title, MAX_TITLE_BYTES), short(&description, MAX_TEXT_BYTES));
            importer.page(&path, Example { url, title, description });
        }
    }
}

/// Bytes of a line: a page with all its words.
const MAX_LINE: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::TopicLanguage;

    const RDF: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/">
<Topic r:id="Top/Sports/Basketball">
  <catid>7</catid><d:Title>Basketball</d:Title><d:Description>Hoops &amp; courts</d:Description>
  <related r:resource="Top/Sports"/>
</Topic>
<ExternalPage about="http://nba.example/?a=1&amp;b=2">
  <d:Title>NBA</d:Title>
  <d:Description>The &lt;league&gt;</d:Description>
  <topic>Top/Sports/Basketball/Professional/NBA</topic>
</ExternalPage>
<ExternalPage about="http://arts.example/"><d:Title>Arts</d:Title><topic>Top/Arts</topic></ExternalPage>
</RDF>
"#;

    fn names(found: &Imported) -> Vec<&str> {
        found.topics.iter().map(|topic| topic.name.as_str()).collect()
    }

    #[test]
    fn rdf_becomes_a_taxonomy() {
        let rules = ImportRules { depth: 3, ..ImportRules::default() };
        let found = import(RDF.as_bytes(), &rules).unwrap();
        assert_eq!(names(&found), ["Sports", "Sports/Basketball", "Sports/Basketball/Professional", "Arts"]);
        assert_eq!((found.pages, found.skipped, found.is_cut), (2, 0, false));
        let basketball = &found.topics[1];
        assert_eq!((&*basketball.description, &*basketball.zh), ("Hoops & courts", "篮球"));
        let taxonomy = Taxonomy::of(found.topics).unwrap();
        let node = taxonomy.find("Sports/Basketball/Professional").unwrap();
        assert_eq!(
            taxonomy.description(node, TopicLanguage::English),
            ["Professional", "NBA", "The <league>"]
        );
        assert_eq!(taxonomy.topic(node).examples[0].url, "http://nba.example/?a=1&b=2");
    }

    #[test]
    fn only_what_lies_under_a_category() {
        let rules = ImportRules { under: Some("top/sports".to_owned()), ..ImportRules::default() };
        // `Top` is the root as it is written
        assert!(names(&import(RDF.as_bytes(), &rules).unwrap()).is_empty());
        let rules = ImportRules { under: Some("Top/sports".to_owned()), ..rules };
        assert_eq!(names(&import(RDF.as_bytes(), &rules).unwrap()).len(), 4);
    }

    /// Cut at every place, nothing is lost that was whole, and nothing fails.
    #[test]
    fn a_dump_that_ends_in_the_middle() {
        let whole = import(RDF.as_bytes(), &ImportRules::default()).unwrap();
        let mut most = 0;
        for end in 0..RDF.len() {
            let Some(text) = RDF.get(..end) else { continue };
            let found = import(text.as_bytes(), &ImportRules::default()).unwrap();
            assert!(found.pages >= most && names(&whole).starts_with(&names(&found)), "{end}");
            assert!(found.is_cut || end == 0 || end + 2 >= RDF.len(), "{end}");
            most = found.pages;
        }
        assert_eq!(most, whole.pages);
    }

    #[test]
    fn lists_and_json_lines() {
        let list = "Sports/Tennis\nSports/Basketball\thttp://a.example/\tA\tabout a\n\nTop/Sports\tb\n";
        let found = import(list.as_bytes(), &ImportRules::default()).unwrap();
        assert_eq!(names(&found), ["Sports", "Sports/Tennis", "Sports/Basketball"]);
        assert_eq!((found.pages, found.is_cut), (2, false));
        let json = "{\"topics\":[\"sports\",\"software\"],\"url\":\"http://a.example/\",\"words\":[\"one\",\"two\"]}\n\
                    {\"topics\":3}\n{\"topics\":[\"sports\"],\"ur";
        let found = import(json.as_bytes(), &ImportRules::default()).unwrap();
        assert_eq!(names(&found), ["sports", "sports/software"]);
        assert_eq!(found.topics[1].examples[0].description, "one two");
        assert_eq!((found.skipped, found.is_cut), (2, true));
        assert_eq!(import(&b"\n \n"[..], &ImportRules::default()).unwrap(), Imported::default());
    }

    /// A thousand pages of a topic, names without end, tags without end.
    #[test]
    fn memory_is_bounded() {
        let mut list = String::new();
        for number in 0..1000 {
            list += &format!("A/B/{}\thttp://a.example/{number}\t{}\n", number % 10, "x".repeat(3000));
        }
        list += &format!("A/{}\thttp://b.example/\n", "y".repeat(10_000));
        let found = import(list.as_bytes(), &ImportRules::default()).unwrap();
        assert_eq!((found.topics.len(), found.pages), (12, 50));
        assert!(
            found
                .topics
                .iter()
                .flat_map(|topic| &topic.examples)
                .all(|page| page.title.len() == MAX_TITLE_BYTES)
        );
        let endless =
            format!("<RDF><ExternalPage about=\"x\"><d:Title>{}</d:Title>{}", "z".repeat(200_000), RDF);
        assert_eq!(import(endless.as_bytes(), &ImportRules::default()).unwrap().pages, 2);
    }

    proptest::proptest! {
        #[test]
        fn nothing_fails(bytes: Vec<u8>, cut in 0..RDF.len()) {
            let mut text = RDF.as_bytes().get(..cut).unwrap_or_default().to_vec();
            text.extend(bytes);
            text.extend_from_slice(RDF.as_bytes());
            let found = import(&text[..], &ImportRules::default()).unwrap();
            proptest::prop_assert!(found.topics.is_empty() || Taxonomy::of(found.topics).is_ok());
        }
    }
}
