//! Applies rules to a page. The result is always a record, for any page.
//!
//! An [`Extractor`] sorts the rules once by path string, so a page costs one look-up for each different path string and
//! one pass over its texts. Labels are computed only if a rule needs one.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use osprey_page::{Counted, Link, NodeId, Page, PathStringId, Psnv};

use super::counts::{count, number};
use super::dates::{date_in, iso_date};
use super::field::Field;
use super::hints::Hints;
use super::labels::{Labels, can_be_label, head, normal};
use super::path::PathPattern;
use super::record::{Comment, MAX_LONG, Record, add, add_named, long, short};
use super::redesign::{PagePaths, normal as normal_path};
use super::rules::{FieldRule, Rules, Take};
use super::text::{collapse, find_word, is_separator, trim_value};
use super::vocabulary::names_aside;

/// How many ancestors of a text are searched for a link or an attribute.
const NEAR: usize = 6;
/// Attributes that say a date exactly where the text does not.
const DATE_ATTRIBUTES: &[&str] =
    &["datetime", "title", "content", "data-date", "data-time", "data-datetime", "data-timestamp"];
/// How many elements around a date may have them.
const NEAR_DATE: usize = 2;

/// Rules, ready to be applied to many pages.
#[derive(Clone, Debug)]
pub struct Extractor {
    rules: Rules,
    /// Rules by their whole path strings.
    exact: HashMap<String, Vec<usize>>,
    /// Rules with the beginning of one.
    open: Vec<usize>,
    /// Rules for blocks.
    blocks: Vec<usize>,
    /// Normal forms of the labels, by rule.
    labels: Vec<Option<String>>,
    known_labels: BTreeSet<String>,
    /// How many whole path strings of texts there are.
    whole: usize,
    /// The same rules with path strings in one form, for pages whose template has changed a little.
    normal: Option<Box<Self>>,
}

/// Reads a record from a page. For many pages make an [`Extractor`].
pub fn apply(page: &Page, rules: &Rules) -> Record {
    Extractor::new(rules.clone()).apply(page)
}

/// What a rule found: the number of the rule, the value, the link around it, and the number of the label's text.
struct FoundValue<'p> {
    rule: usize,
    value: String,
    link: Option<&'p Link>,
    label: Option<usize>,
}

impl Extractor {
    /// Sorts rules.
    pub fn new(rules: Rules) -> Self {
        let normal = Some(Box::new(Self::in_one_form(&rules)));
        Self { normal, ..Self::of(rules) }
    }

    fn of(rules: Rules) -> Self {
        let (mut exact, mut open, mut blocks) =
            (HashMap::<String, Vec<usize>>::new(), Vec::new(), Vec::new());
        let mut labels = Vec::with_capacity(rules.rules.len());
        for (index, rule) in rules.rules.iter().enumerate() {
            if rule.take == Take::Block || rule.field == Field::Comment {
                blocks.push(index);
            } else if rule.path.is_exact() {
                exact.entry(rule.path.as_str().to_owned()).or_default().push(index);
            } else {
                open.push(index);
            }
            labels.push(rule.label.as_deref().map(normal));
        }
        let known_labels = labels.iter().flatten().cloned().collect();
        let all = &rules.rules;
        let is_text = |rules: &&Vec<usize>| {
            rules.iter().any(|index| all.get(*index).is_some_and(|rule| rule.take != Take::Image))
        };
        let whole = exact.values().filter(is_text).count();
        Self { rules, exact, open, blocks, labels, known_labels, whole, normal: None }
    }

    fn in_one_form(rules: &Rules) -> Self {
        let mut rules = rules.clone();
        rules.rules.iter_mut().for_each(|rule| rule.path = PathPattern::new(normal_path(rule.path.as_str())));
        Self::of(rules)
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Reads a record.
    pub fn apply(&self, page: &Page) -> Record {
        let is_there =
            |counted: &Counted<PathStringId>| self.exact.contains_key(page.path_string(counted.id));
        let whole = (page.path_strings().filter(is_there).count(), self.whole);
        let paths = PagePaths::of(page, self.rules.rules.iter().map(|rule| &rule.path), whole);
        match (&paths, &self.normal) {
            (PagePaths::Changed(_), Some(normal)) => normal.read(page, &paths),
            _ => self.read(page, &PagePaths::AsTheyAre),
        }
    }

    fn read(&self, page: &Page, paths: &PagePaths) -> Record {
        let mut record = Record::new(page.url().as_str(), self.rules.kind);
        if !self.rules.structured.is_empty() {
            Hints::of(page).fill(&mut record, &self.rules.structured);
        }
        let found = self.texts(page, paths).into_iter();
        let found = found.chain(self.images(page, paths)).chain(self.block_values(page, paths));
        let mut found: Vec<FoundValue<'_>> = found.collect();
        // the order of the rules decides; within a rule, that of the page
        found.sort_by_key(|found| found.rule);
        let (mut last, trusted) = (None, filled(&record));
        // the rule that gave a field its first value
        let mut first_of: BTreeMap<&Field, usize> = BTreeMap::new();
        for FoundValue { rule, value, link, label } in found {
            let Some(field_rule) = self.rules.rules.get(rule) else { continue };
            // all values under the first label, where labels repeat
            let is_again = last.is_some_and(|(of, under)| of == rule && (label.is_none() || label != under));
            let is_late =
                field_rule.otherwise && first_of.get(&field_rule.field).is_some_and(|&of| of != rule);
            if (field_rule.first && is_again) || is_late || trusted.contains(&field_rule.field) {
                continue;
            }
            last = Some((rule, label));
            first_of.entry(&field_rule.field).or_insert(rule);
            put(&mut record, &field_rule.field, &value, link);
        }
        self.comments(page, paths, &mut record);
        record
    }

    /// The rules for each path string of the page that has some.
    fn rules_by_path(&self, page: &Page, paths: &PagePaths) -> HashMap<usize, Vec<usize>> {
        let mut by_path = HashMap::new();
        for counted in page.path_strings() {
            let path = paths.get(page, counted.id);
            let mut rules: Vec<usize> = self.exact.get(path).cloned().unwrap_or_default();
            let fits = |&&index: &&usize| self.rule(index).is_some_and(|rule| rule.path.matches(path));
            rules.extend(self.open.iter().filter(fits));
            if !rules.is_empty() {
                by_path.insert(counted.id.index(), rules);
            }
        }
        by_path
    }

    fn rule(&self, index: usize) -> Option<&FieldRule> {
        self.rules.rules.get(index)
    }

    /// What the rules for texts find; those for parts of comments come later.
    fn texts<'p>(&self, page: &'p Page, paths: &PagePaths) -> Vec<FoundValue<'p>> {
        let by_path = self.rules_by_path(page, paths);
        let labels = self.labels_of(page);
        let mut found = Vec::new();
        let mut seen: HashMap<usize, u32> = HashMap::new();
        for (index, pair) in page.psnv().iter().enumerate() {
            for &number in by_path.get(&pair.path.index()).into_iter().flatten() {
                let Some(rule) = self.rule(number).filter(|rule| !is_comment_part(&rule.field)) else {
                    continue;
                };
                let Some((text, label)) = self.labelled(page, number, index, labels.as_ref()) else {
                    continue;
                };
                if let Some(nth) = rule.nth {
                    let seen = seen.entry(number).or_insert(0);
                    *seen += u32::from(!is_separator(text));
                    if *seen != nth.get() || is_separator(text) {
                        continue;
                    }
                }
                if let Some(value) = value(page, rule, pair, text) {
                    found.push(FoundValue { rule: number, value, link: link_around(page, pair.node), label });
                }
            }
        }
        found
    }

    fn labels_of(&self, page: &Page) -> Option<Labels> {
        (!self.known_labels.is_empty()).then(|| {
            Labels::find(page, |label| {
                let text = label.says(page);
                can_be_label(&text)
                    && (text.ends_with([':', '：']) || self.known_labels.contains(&normal(&text)))
            })
        })
    }

    /// The text of a pair if the rule's label is before it, or at its beginning, and which label that is: the number
    /// of its text.
    fn labelled<'p>(
        &self,
        page: &'p Page,
        rule: usize,
        index: usize,
        labels: Option<&Labels>,
    ) -> Option<(&'p str, Option<usize>)> {
        let text = page.psnv_value(page.psnv().get(index)?);
        let Some(wanted) = self.labels.get(rule)?.as_deref() else { return Some((text, None)) };
        if let Some((label, tail)) = head(text)
            && normal(label) == wanted
        {
            return Some((tail, Some(index)));
        }
        let label = labels?.of(index)?;
        (normal(&label.says(page)) == wanted).then_some((text, Some(label.last())))
    }

    fn images<'p>(&self, page: &'p Page, paths: &PagePaths) -> Vec<FoundValue<'p>> {
        let rules: Vec<(usize, &FieldRule)> =
            self.rules.rules.iter().enumerate().filter(|(_, rule)| rule.take == Take::Image).collect();
        let mut found = Vec::new();
        for image in page.images().iter().filter(|_| !rules.is_empty()) {
            let path = paths.get(page, image.path_string);
            for &(rule, _) in rules.iter().filter(|(_, rule)| rule.path.matches(path)) {
                let url = image.largest.as_ref().unwrap_or(&image.src);
                found.push(FoundValue { rule, value: url.as_str().to_owned(), link: None, label: None });
            }
        }
        found
    }

    /// What rules for whole blocks find, except comments.
    fn block_values<'p>(&self, page: &'p Page, paths: &PagePaths) -> Vec<FoundValue<'p>> {
        let mut found = Vec::new();
        for &index in &self.blocks {
            let Some(rule) = self.rule(index).filter(|rule| !is_comment_part(&rule.field)) else { continue };
            for block in blocks(page, paths, rule) {
                let text = block.text(page, &rule.strip);
                if let Some(value) = cut_out(rule, &text) {
                    let link = block.pairs.first().and_then(|pair| link_around(page, pair.node));
                    found.push(FoundValue { rule: index, value: value.to_owned(), link, label: None });
                }
            }
        }
        found
    }

    fn comments(&self, page: &Page, paths: &PagePaths, record: &mut Record) {
        let of = |field: Field| {
            self.rules.rules.iter().filter(move |rule| rule.field == field).collect::<Vec<&FieldRule>>()
        };
        let mut all: Vec<Block<'_>> =
            of(Field::Comment).into_iter().flat_map(|rule| blocks(page, paths, rule)).collect();
        all.sort_by_key(|block| block.node);
        let (authors, texts, dates) =
            (of(Field::CommentAuthor), of(Field::CommentText), of(Field::CommentDate));
        let votes = of(Field::CommentVotes);
        let strip: Vec<String> = of(Field::Comment).into_iter().flat_map(|rule| rule.strip.clone()).collect();
        for (index, block) in all.iter().enumerate() {
            let text = match texts.as_slice() {
                [] => block.text(page, &strip),
                rules => {
                    rules.iter().map(|rule| block.inside(page, paths, rule).text(page, &rule.strip)).collect()
                }
            };
            let author = block.first(page, paths, &authors);
            // the first post of a thread is what the record is about
            if index == 0 && record.description.as_deref() == Some(trim_value(&text)) {
                continue;
            }
            if !text.is_empty() || author.is_some() {
                let (author, link) = author.map_or((None, None), |(name, link)| (Some(name), link));
                record.add_comment(Comment {
                    author,
                    author_url: link.map(|link| link.url.as_str().to_owned()),
                    text,
                    date: block.first(page, paths, &dates).map(|(date, _)| date),
                    date_exact: None,
                    votes: block.first(page, paths, &votes).and_then(|(votes, _)| number(&votes)),
                });
            }
        }
    }
}

/// The single fields that structured data has filled, and the lists it has: they win.
fn filled(record: &Record) -> BTreeSet<Field> {
    let mut fields = BTreeSet::new();
    let mut note = |is_filled: bool, field: Field| {
        if is_filled {
            fields.insert(field);
        }
    };
    note(record.title.is_some(), Field::Title);
    note(record.uploader.is_some(), Field::Uploader);
    note(record.date.is_some(), Field::Date);
    note(record.description.is_some(), Field::Description);
    note(!record.tags.is_empty(), Field::Tags);
    note(!record.images.is_empty(), Field::Images);
    fields
}

pub(super) fn is_comment_part(field: &Field) -> bool {
    matches!(
        field,
        Field::Comment | Field::CommentAuthor | Field::CommentText | Field::CommentDate | Field::CommentVotes
    )
}

/// The texts of one element.
struct Block<'p> {
    node: NodeId,
    pairs: Vec<&'p Psnv>,
}

impl<'p> Block<'p> {
    /// Its texts put together, template text left out.
    fn text(&self, page: &Page, strip: &[String]) -> String {
        let mut text = String::new();
        for pair in &self.pairs {
            let value = page.psnv_value(pair);
            if text.len() > MAX_LONG {
                break;
            }
            if !strip.iter().any(|template| template == value) {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(value);
            }
        }
        collapse(&text, MAX_LONG)
    }

    /// The part of it that a rule names.
    fn inside(&self, page: &Page, paths: &PagePaths, rule: &FieldRule) -> Block<'p> {
        let fits = |pair: &&&Psnv| rule.path.steps_below(paths.get(page, pair.path)).is_some();
        Block { node: self.node, pairs: self.pairs.iter().filter(fits).copied().collect() }
    }

    /// The first value that one of some rules finds in it, and the link around it.
    fn first(
        &self,
        page: &'p Page,
        paths: &PagePaths,
        rules: &[&FieldRule],
    ) -> Option<(String, Option<&'p Link>)> {
        self.pairs.iter().find_map(|pair| {
            let path = paths.get(page, pair.path);
            let mut fitting = rules.iter().filter(|rule| rule.path.matches(path));
            let value = fitting.find_map(|rule| value(page, rule, pair, page.psnv_value(pair)))?;
            Some((value, link_around(page, pair.node)))
        })
    }
}

/// The elements at a rule's path string, with the texts in them.
fn blocks<'p>(page: &'p Page, paths: &PagePaths, rule: &FieldRule) -> Vec<Block<'p>> {
    let mut steps: HashMap<usize, Option<usize>> = HashMap::new();
    let mut blocks: Vec<Block<'p>> = Vec::new();
    let mut by_node: HashMap<NodeId, usize> = HashMap::new();
    for pair in page.psnv() {
        let path = pair.path;
        let below = steps.entry(path.index()).or_insert_with(|| {
            let path = paths.get(page, path);
            // links to the next page and the like are in a text's element and no part of it
            rule.path.steps_below(path).filter(|below| !names_aside(first_steps(path, *below)))
        });
        let Some(below) = *below else { continue };
        let Some(node) = ancestors(page, pair.node).nth(below) else { continue };
        // replies inside a comment interrupt it, however many they are
        let at = *by_node.entry(node).or_insert(blocks.len());
        match blocks.get_mut(at) {
            Some(block) => block.pairs.push(pair),
            None => blocks.push(Block { node, pairs: vec![pair] }),
        }
    }
    blocks
}

/// The first steps of a path string.
fn first_steps(path: &str, steps: usize) -> &str {
    let end = path.match_indices("><").nth(steps.saturating_sub(1)).map_or(path.len(), |(at, _)| at + 1);
    if steps == 0 { "" } else { path.get(..end).unwrap_or(path) }
}

/// The elements around a node, the nearest first.
fn ancestors(page: &Page, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let parent = |node: NodeId| page.tree().node(node).and_then(|node| node.parent()).map(|node| node.id());
    std::iter::successors(parent(node), move |&node| parent(node))
}

/// The link that contains a text.
pub(super) fn link_around(page: &Page, node: NodeId) -> Option<&Link> {
    let links = page.links();
    ancestors(page, node).take(NEAR).find_map(|node| {
        // links are in document order, those of the head at the beginning
        let at = links.partition_point(|link| link.node < node);
        links.get(at).filter(|link| link.node == node)
    })
}

/// The value that a rule cuts out of a text. A rule for a date takes only texts that are dates, a rule for a count
/// without label only texts with the count's own word, so that other texts may be at the same path string.
fn value(page: &Page, rule: &FieldRule, pair: &Psnv, text: &str) -> Option<String> {
    let value = cut_out(rule, text)?;
    match (rule.take, &rule.field) {
        (Take::Datetime, _) => {
            let near = ancestors(page, pair.node).take(NEAR);
            let datetime = near.filter_map(|node| page.tree().node(node)?.attr("datetime")).next();
            let datetime = datetime.or_else(|| exact_date(page, pair.node));
            Some(datetime.map_or(value, str::trim).to_owned()).filter(|value| !value.is_empty())
        }
        (Take::Text | Take::Block, Field::Date | Field::CommentDate) => {
            let written = date_in(value)?;
            Some(exact_date(page, pair.node).unwrap_or(written).to_owned())
        }
        (Take::Text | Take::Number, Field::Count(name))
            if rule.label.is_none() && rule.contains.is_none() =>
        {
            count(value).filter(|(known, _)| known == name).map(|(_, number)| number.to_string())
        }
        (Take::Text | Take::Block, _) => Some(value.to_owned()),
        (Take::Number, _) => number(value).map(|number| number.to_string()),
        (Take::Href, _) => link_around(page, pair.node).map(|link| link.url.as_str().to_owned()),
        (Take::Image, _) => None,
    }
}

/// The date that an attribute of an element around a text says, if it names year, month and day: `<b title="2010-11-28
/// 14:02">14 years ago</b>`.
fn exact_date(page: &Page, text: NodeId) -> Option<&str> {
    ancestors(page, text).take(NEAR_DATE).find_map(|node| {
        let node = page.tree().node(node)?;
        let said = DATE_ATTRIBUTES.iter().filter_map(|name| node.attr(name)).map(str::trim);
        { said }.find(|said| date_in(said).and_then(iso_date).is_some())
    })
}

/// What a rule cuts out of a text; `None` if the rule does not apply to the text.
fn cut_out<'t>(rule: &FieldRule, text: &'t str) -> Option<&'t str> {
    let mut value = text;
    if let Some(word) = &rule.contains {
        value = without(value, word)?;
    }
    if let Some(word) = &rule.after {
        value = value.get(find_word(value, word)?.1..)?;
    }
    if let Some(word) = &rule.before
        && let Some((start, _)) = find_word(value, word)
    {
        value = value.get(..start)?;
    }
    value = trim_value(value);
    for template in &rule.strip {
        if template == value {
            return None;
        }
        value = trim_value(without_ends(value, template));
    }
    value.chars().any(char::is_alphanumeric).then_some(value)
}

/// A text without template text at its beginning and end, whole words only.
fn without_ends<'t>(text: &'t str, template: &str) -> &'t str {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let rest = text.strip_prefix(template).filter(|rest| is_end(rest.chars().next())).unwrap_or(text);
    rest.strip_suffix(template).filter(|rest| is_end(rest.chars().next_back())).unwrap_or(rest)
}

/// A text without a word that it must begin or end with, or contain; in the last case it is not changed.
fn without<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let text = text.trim();
    text.strip_suffix(word)
        .or_else(|| text.strip_prefix(word))
        .or_else(|| find_word(text, word).map(|_| text))
        .or_else(|| text.contains(word).then_some(text))
}

/// Adds a value to its field.
fn put(record: &mut Record, field: &Field, value: &str, link: Option<&Link>) {
    let url = link.map(|link| link.url.as_str().to_owned());
    match field {
        Field::Title => set(&mut record.title, value),
        Field::Uploader if record.uploader.is_none() => {
            record.uploader = Some(short(value));
            record.uploader_url = url;
        }
        Field::Uploader => {}
        // tags that are not links may be in one text
        Field::Tags if link.is_none() => {
            let parts = value.split([',', ';', '、', '，']).map(trim_value);
            parts.filter(|part| !part.is_empty()).for_each(|part| add(&mut record.tags, part));
        }
        Field::Tags => add(&mut record.tags, value),
        Field::Sets => add(&mut record.sets, value),
        Field::Groups => add(&mut record.groups, value),
        Field::Date => set(&mut record.date, value),
        Field::Description => {
            record.description.get_or_insert_with(|| long(value));
        }
        Field::Images => add(&mut record.images, value),
        Field::Contacts => record.add_contact(value, url.as_deref()),
        Field::Count(name) => {
            if let Some(count) = number(value) {
                record.add_count(name, count);
            }
        }
        Field::Terms(source) => add_named(&mut record.terms, source, value),
        Field::Other(name) => add_named(&mut record.fields, name, value),
        Field::Comment
        | Field::CommentAuthor
        | Field::CommentText
        | Field::CommentDate
        | Field::CommentVotes => {}
    }
}

fn set(slot: &mut Option<String>, value: &str) {
    slot.get_or_insert_with(|| short(value));
}
