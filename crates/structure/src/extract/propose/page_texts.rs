//! The texts of the sample pages, by path string and label, and which of them repeat on many pages.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use osprey_page::{Link, NodeId, Page, PathStringId, Psnv};

use super::super::apply::link_around;
use super::super::labels::{Label, Labels, can_be_label, head, normal};
use super::super::text::is_separator;
use super::super::vocabulary::{count_name, kind};
use super::Leads;

/// A text on more of the pages is template text, whatever it looks like.
const TEMPLATE: f64 = 0.6;
/// A text on more of the pages is never a value.
const NEARLY_ALL: f64 = 0.9;
/// Template texts that a rule names.
const MAX_TEMPLATE: usize = 16;
/// Elements of words within a sentence: a word that many pages stress is no template text.
const WITHIN_TEXT: &[&str] =
    &["<b>", "<b-", "<i>", "<i-", "<em", "<strong", "<u>", "<code", "<font", "<sub", "<sup"];
/// With so few pages, all of them must have it.
const FEW: u32 = 3;
/// The share of pages that a text must be on to be a label only because of that.
const LABEL: f64 = 0.05;
/// Elements around a label of which one may be made for labels.
const LABEL_STEPS: usize = 3;

/// The share of pages below which a step of a path string is a page's own: `<article-class/post tag-osprey>`.
const OWN_STEP: f64 = 0.05;

/// A text of a page.
#[derive(Clone, Debug)]
pub(super) struct Text<'p> {
    pub(super) node: NodeId,
    /// Its place among the page's texts.
    pub(super) place: usize,
    pub(super) path: PathStringId,
    /// Its value; without its label, if it carries that itself.
    pub(super) value: &'p str,
    /// The label before it or at its beginning, in normal form.
    pub(super) label: Option<String>,
    /// The number of the label's text, its own if it carries the label.
    pub(super) label_at: Option<usize>,
    /// Whether it carries that itself: `Publisher: Springer`.
    pub(super) carries: bool,
    /// Whether there is a clear label before it, whatever it carries.
    pub(super) is_under_label: bool,
    /// Whether there is more evidence for the label than that it recurs: a colon, `dt`, `th`, a known word.
    pub(super) is_firm: bool,
    pub(super) link: Option<&'p Link>,
    /// Whether its link is marked as a tag.
    pub(super) is_tag: bool,
    /// Where its link leads.
    pub(super) leads: Option<Leads>,
    /// Whether most pages have the same text at the same place.
    pub(super) is_template: bool,
}

/// A page and its texts, separators and the title left out.
#[derive(Debug)]
pub(super) struct PageTexts<'p> {
    pub(super) page: &'p Page,
    pub(super) texts: Vec<Text<'p>>,
}

/// Texts of one path string, and perhaps of one label, on several pages.
#[derive(Clone, Debug)]
pub(super) struct Slot<'s, 'p> {
    /// The path string, as rules write it.
    pub(super) path: &'s str,
    pub(super) label: Option<&'s str>,
    /// By page, in the order of the page.
    pub(super) uses: Vec<(usize, Vec<&'s Text<'p>>)>,
}

/// All sample pages.
#[derive(Debug)]
pub(super) struct Sample<'p> {
    pub(super) sample_pages: Vec<PageTexts<'p>>,
    /// Path strings that have steps of single pages, and what is written for them.
    open: HashMap<&'p str, String>,
    /// Template text by path string, as rules write that.
    templates: HashMap<String, Vec<String>>,
}

impl<'p> Sample<'p> {
    /// Reads some pages; `leads` says where links lead, if known.
    pub(super) fn new(pages: &[&'p Page], leads: &dyn Fn(&Page, &Link) -> Option<Leads>) -> Self {
        let mut sample =
            Self { sample_pages: Vec::new(), open: open_patterns(pages), templates: HashMap::new() };
        let recurring = sample.recurring(pages);
        let counts = |page: &'p Page| -> Vec<u32> {
            let key = |pair: &Psnv| (sample.pattern(page.path_string(pair.path)), page.psnv_value(pair));
            page.psnv().iter().map(|pair| recurring.get(&key(pair)).copied().unwrap_or(0)).collect()
        };
        let total = u32::try_from(pages.len()).unwrap_or(u32::MAX);
        let sample_pages =
            pages.iter().map(|page| PageTexts::new(page, &counts(page), total, leads)).collect();
        drop(recurring);
        sample.sample_pages = sample_pages;
        sample.templates = sample.templates();
        sample
    }

    /// Texts that nearly all pages have at a path string, for all path strings.
    fn templates(&self) -> HashMap<String, Vec<String>> {
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for page_texts in &self.sample_pages {
            let templates = page_texts.texts.iter().filter(|text| text.is_template);
            let own: BTreeSet<(&str, &str)> = templates
                .map(|text| (self.pattern(page_texts.page.path_string(text.path)), text.value))
                .collect();
            own.into_iter().for_each(|pair| *counts.entry(pair).or_default() += 1);
        }
        let mut templates: HashMap<String, Vec<String>> = HashMap::new();
        for ((path, value), _) in counts.into_iter().filter(|(_, pages)| self.share(*pages) >= NEARLY_ALL) {
            let texts = templates.entry_ref(path).or_default();
            if texts.len() < MAX_TEMPLATE {
                texts.push(value.to_owned());
            }
        }
        templates
    }

    /// How many pages have a text at the same place: a schema, but by the path strings that rules write.
    fn recurring<'s>(&'s self, pages: &[&'p Page]) -> HashMap<(&'s str, &'p str), u32> {
        let mut recurring = HashMap::new();
        for page in pages {
            let own: BTreeSet<(&'s str, &'p str)> = page
                .psnv()
                .iter()
                .map(|pair| (self.pattern(page.path_string(pair.path)), page.psnv_value(pair)))
                .collect();
            own.into_iter().for_each(|pair| *recurring.entry(pair).or_default() += 1);
        }
        recurring
    }

    /// A path string as rules write it: whole, or up to the first step that only single pages have.
    pub(super) fn pattern<'s>(&'s self, path: &'p str) -> &'s str {
        self.open.get(path).map_or(path, String::as_str)
    }

    pub(super) fn len(&self) -> usize {
        self.sample_pages.len()
    }

    /// The share that a number of pages is.
    pub(super) fn share(&self, pages: usize) -> f64 {
        pages as f64 / self.len().max(1) as f64
    }

    /// Texts that nearly all pages have at a path string: they are never values of a rule for it.
    pub(super) fn template_at(&self, path: &str) -> Vec<String> {
        self.templates.get(path).cloned().unwrap_or_default()
    }

    /// The same for all path strings in an element, without words within its sentences.
    pub(super) fn template_inside(&self, element: &str) -> Vec<String> {
        let is_apart = |path: &str| !WITHIN_TEXT.iter().any(|step| path.starts_with(step));
        let inside = self.templates.iter().filter(|(path, _)| path.ends_with(element) && is_apart(path));
        let mut texts: Vec<String> = inside.flat_map(|(_, texts)| texts).cloned().collect();
        texts.sort_unstable();
        texts.dedup();
        texts.truncate(MAX_TEMPLATE);
        texts
    }

    /// Texts by path string, whatever their labels; without template text.
    pub(super) fn by_path<'s>(&'s self) -> Vec<Slot<'s, 'p>> {
        self.slots(|_| None)
    }

    /// Texts with labels, by path string and label; template text left out.
    pub(super) fn by_label<'s>(&'s self) -> Vec<Slot<'s, 'p>> {
        let mut slots = self.slots(|text| text.label.as_deref());
        slots.retain(|slot| slot.label.is_some());
        slots
    }

    fn slots<'s>(&'s self, label: impl Fn(&'s Text<'p>) -> Option<&'s str>) -> Vec<Slot<'s, 'p>> {
        let mut slots: BTreeMap<(&str, Option<&str>), Slot<'s, 'p>> = BTreeMap::new();
        for (number, page_texts) in self.sample_pages.iter().enumerate() {
            for text in page_texts.texts.iter().filter(|text| !text.is_template) {
                let (path, label) = (self.pattern(page_texts.page.path_string(text.path)), label(text));
                let slot =
                    slots.entry((path, label)).or_insert_with(|| Slot { path, label, uses: Vec::new() });
                match slot.uses.last_mut() {
                    Some((page, texts)) if *page == number => texts.push(text),
                    _ => slot.uses.push((number, vec![text])),
                }
            }
        }
        slots.into_values().collect()
    }
}

/// Patterns for path strings with steps that only single pages have: the part before the first such step, if it is
/// specific enough, and `...`; also for all others that begin the same way.
fn open_patterns<'p>(pages: &[&'p Page]) -> HashMap<&'p str, String> {
    let mut paths: BTreeMap<&'p str, usize> = BTreeMap::new();
    let mut steps: HashMap<&'p str, usize> = HashMap::new();
    for page in pages {
        let mut own: BTreeSet<&'p str> = BTreeSet::new();
        for counted in page.path_strings() {
            let path = page.path_string(counted.id);
            own.extend(path.split("><"));
            *paths.entry(path).or_default() += 1;
        }
        for step in own {
            *steps.entry(step).or_default() += 1;
        }
    }
    let few = (OWN_STEP * pages.len() as f64).max(1.0);
    let is_own = |step: &str| steps.get(step).is_some_and(|&pages| pages as f64 <= few);
    let mut open: BTreeSet<&'p str> = BTreeSet::new();
    for &path in paths.keys().filter(|_| pages.len() >= 5) {
        let mut end = 0;
        for (number, step) in path.split("><").enumerate() {
            if is_own(step) {
                let beginning = path.get(..end).unwrap_or_default();
                // a class name, or some elements: otherwise it would match half of the page
                if beginning.contains("-class/") || number >= 4 {
                    open.insert(beginning);
                }
                break;
            }
            end += step.len() + if number == 0 { 1 } else { 2 };
        }
    }
    // if one of the path strings is on most of the pages, the others are exceptions and no reason to open it
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for page in pages {
        let paths = page.path_strings().map(|counted| page.path_string(counted.id));
        let own: BTreeSet<&str> = paths.filter_map(|path| beginning(path, &open)).collect();
        own.into_iter().for_each(|beginning| *counts.entry(beginning).or_default() += 1);
    }
    open.retain(|beginning| {
        let alike = paths.range(*beginning..).take_while(|(path, _)| path.starts_with(beginning));
        let most = alike.map(|(_, &count)| count).max().unwrap_or(0);
        2 * most < counts.get(beginning).copied().unwrap_or(0)
    });
    paths.keys().filter_map(|path| Some((*path, format!("{}...", beginning(path, &open)?)))).collect()
}

/// The shortest prefix of a path string that is in a set.
fn beginning<'a>(path: &'a str, open: &BTreeSet<&str>) -> Option<&'a str> {
    let mut ends = path.match_indices("><").map(|(at, _)| at + 1);
    ends.find_map(|end| path.get(..end).filter(|beginning| open.contains(beginning)))
}

impl<'p> PageTexts<'p> {
    /// `counts` has for each text on how many of the `pages` it is.
    fn new(
        page: &'p Page,
        counts: &[u32],
        pages: u32,
        leads: &dyn Fn(&Page, &Link) -> Option<Leads>,
    ) -> Self {
        let links: HashMap<usize, &'p Link> = page
            .psnv()
            .iter()
            .enumerate()
            .filter_map(|(index, pair)| Some((index, link_around(page, pair.node)?)))
            .collect();
        let labels = Labels::find(page, |label| {
            let count = label.texts().filter_map(|index| counts.get(index)).min().copied().unwrap_or(0);
            is_label(&label.says(page), count, pages, label.texts().all(|index| links.contains_key(&index)))
        });
        let mut texts = Vec::with_capacity(page.psnv().len());
        for (place, pair) in page.psnv().iter().enumerate() {
            let whole = page.psnv_value(pair);
            let path = page.path_string(pair.path);
            if is_separator(whole) || path.starts_with("<title><head>") || path.starts_with("<option") {
                continue;
            }
            let count = counts.get(place).copied().unwrap_or(0);
            let before = labels.of(place);
            let inside = head(whole).filter(|(label, _)| kind(&normal(label)).is_some() || pages > 1);
            let (label, value) = match (inside, before) {
                (Some((label, tail)), _) => (Some(normal(label)), tail),
                (None, Some(label)) => (Some(normal(&label.says(page))), whole),
                (None, None) => (None, whole),
            };
            let is_under_label = before.is_some_and(|label| is_firm(page, label));
            let is_firm = inside.is_some() || is_under_label;
            let link = links.get(&place).copied();
            let carries = inside.is_some();
            let label_at = if carries { Some(place) } else { before.map(Label::last) };
            texts.push(Text {
                carries,
                is_under_label,
                label_at,
                is_firm,
                is_tag: link.is_some_and(|link| is_tag(page, link)),
                node: pair.node,
                place,
                path: pair.path,
                value,
                label,
                link,
                leads: link.and_then(|link| leads(page, link)),
                is_template: pages > 1
                    && count >= pages.min(FEW)
                    && f64::from(count) >= TEMPLATE * f64::from(pages),
            });
        }
        Self { page, texts }
    }

    /// Where in the page_texts the text with a place is, or would be.
    pub(super) fn index_of(&self, place: usize) -> usize {
        self.texts.partition_point(|text| text.place < place)
    }
}

/// Whether a link is marked as a tag and not as a category, which by an old convention is marked as a tag too.
fn is_tag(page: &Page, link: &Link) -> bool {
    let rel = page.tree().node(link.node).and_then(|node| node.attr("rel")).unwrap_or_default();
    let has = |word: &str| rel.split_ascii_whitespace().any(|other| other.eq_ignore_ascii_case(word));
    has("tag") && !has("category")
}

/// Whether a text may be a label: because of its form, because of its word, or because it is on many pages. Links and
/// texts with numbers recur for other reasons.
fn is_label(text: &str, count: u32, pages: u32, is_link: bool) -> bool {
    if !can_be_label(text) {
        return false;
    }
    let normal = normal(text);
    let has_digit = text.chars().any(|c| c.is_ascii_digit());
    let recurs = |share: f64| count >= 2 && f64::from(count) >= share * f64::from(pages);
    text.ends_with([':', '：'])
        || kind(&normal).is_some()
        || count_name(&normal).is_some()
        || (!is_link && recurs(if has_digit { TEMPLATE } else { LABEL }))
}

/// Whether there is clear evidence that a text is a label: a colon, its element, a known word.
fn is_firm(page: &Page, label: Label) -> bool {
    let text = label.says(page);
    let path = page.psnv().get(label.last()).map_or("", |pair| page.path_string(pair.path));
    let mut near = path.split("><").take(LABEL_STEPS);
    let normal = normal(&text);
    text.ends_with([':', '：'])
        || near.any(|step| {
            let name = step.trim_start_matches('<').split(['-', '>']).next();
            matches!(name, Some("dt" | "th" | "label" | "h4" | "h5" | "h6"))
        })
        || kind(&normal).is_some()
        || count_name(&normal).is_some()
}

impl<'s, 'p> Slot<'s, 'p> {
    pub(super) fn pages(&self) -> usize {
        self.uses.len()
    }

    /// All its texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'s Text<'p>> + '_ {
        self.uses.iter().flat_map(|(_, texts)| texts.iter().copied())
    }

    /// The first text on each page that has one.
    pub(super) fn firsts(&self) -> impl Iterator<Item = &'s Text<'p>> + '_ {
        self.uses.iter().filter_map(|(_, texts)| texts.first().copied())
    }

    /// Texts to a page.
    pub(super) fn per_page(&self) -> f64 {
        self.texts().count() as f64 / self.pages().max(1) as f64
    }

    /// Different values among the first texts.
    pub(super) fn distinct(&self) -> usize {
        self.firsts().map(|text| text.value).collect::<BTreeSet<_>>().len()
    }

    /// The share of some texts for which something holds.
    pub(super) fn share_of(
        texts: impl Iterator<Item = &'s Text<'p>>,
        holds: impl Fn(&Text<'p>) -> bool,
    ) -> f64
    where
        'p: 's,
    {
        let (mut all, mut held) = (0usize, 0usize);
        for text in texts {
            all += 1;
            held += usize::from(holds(text));
        }
        held as f64 / all.max(1) as f64
    }

    /// Some values, for people to see what is meant.
    pub(super) fn examples(&self) -> String {
        let values: BTreeSet<&str> = self.texts().map(|text| text.value).collect();
        let cut = |value: &&str| format!("`{}`", super::super::text::cut(value, 40));
        values.iter().take(3).map(cut).collect::<Vec<_>>().join(", ")
    }

    /// The first steps of its path string, those next to the text.
    pub(super) fn near(&self, steps: usize) -> &'s str {
        let mut end = 0;
        for _ in 0..steps {
            match self.path.get(end..).and_then(|rest| rest.find("><")) {
                Some(next) => end += next + 1,
                None => return self.path,
            }
        }
        self.path.get(..end).unwrap_or(self.path)
    }
}
