//! What each rule finds on a page, and why it finds nothing: for people who write rules.

use std::fmt;

use osprey_page::Page;

use super::apply::Extractor;
use super::record::Record;
use super::rules::{FieldRule, Rules, Take};

/// What one rule did on one page.
#[derive(Clone, Debug)]
pub struct RuleReport<'r> {
    /// The rule.
    pub rule: &'r FieldRule,
    /// The values that it finds by itself. In a record, rules before it and structured data may come first.
    pub values: Vec<String>,
    /// Why it finds nothing, if so.
    pub miss: Option<Miss>,
}

/// Why a rule finds nothing on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// No text or element is at its path string; the longest beginning of it that something on the page has.
    NoPath(String),
    /// Something is there, but not after the label.
    NoLabel(String),
    /// Texts are there, but none has the words that the rule asks for, or none is of the field's kind; one of them.
    NoValue(String),
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPath(known) if known.is_empty() => f.write_str("no element of the page is called so"),
            Self::NoPath(known) => write!(f, "the page has nothing at this path; it has `{known}`"),
            Self::NoLabel(label) => write!(f, "no text at this path has the label `{label}`"),
            Self::NoValue(text) => write!(f, "no text at this path fits; one is `{text}`"),
        }
    }
}

impl Extractor {
    /// What each rule finds on a page, in the order of the rules. A rule for a part of comments is tried together with
    /// those for comments.
    pub fn explain(&self, page: &Page) -> Vec<RuleReport<'_>> {
        let rules = &self.rules().rules;
        rules
            .iter()
            .map(|rule| {
                let mut alone = vec![FieldRule { otherwise: false, ..rule.clone() }];
                if super::apply::is_comment_part(&rule.field) {
                    alone = rules
                        .iter()
                        .filter(|other| super::apply::is_comment_part(&other.field))
                        .cloned()
                        .collect();
                }
                let alone = Rules { kind: self.rules().kind, rules: alone, ..Rules::default() };
                let values = values(&Self::new(alone).apply(page), rule);
                let miss = values.is_empty().then(|| miss(page, rule));
                RuleReport { rule, values, miss }
            })
            .collect()
    }
}

/// The values of a record in the field of a rule.
fn values(record: &Record, rule: &FieldRule) -> Vec<String> {
    use super::field::Field;
    let one = |value: &Option<String>| value.iter().cloned().collect::<Vec<_>>();
    let comments = |part: &dyn Fn(&super::record::Comment) -> Option<String>| {
        record.comments.iter().filter_map(part).collect()
    };
    match &rule.field {
        Field::Title => one(&record.title),
        Field::Uploader => one(&record.uploader),
        Field::Tags => record.tags.clone(),
        Field::Sets => record.sets.clone(),
        Field::Groups => record.groups.clone(),
        Field::Date => one(&record.date),
        Field::Description => one(&record.description),
        Field::Images => record.images.clone(),
        Field::Contacts => record.contacts.iter().map(|person| person.name.clone()).collect(),
        Field::Comment | Field::CommentText => comments(&|comment| Some(comment.text.clone())),
        Field::CommentAuthor => comments(&|comment| comment.author.clone()),
        Field::CommentDate => comments(&|comment| comment.date.clone()),
        Field::CommentVotes => comments(&|comment| comment.votes.map(|votes| votes.to_string())),
        Field::Count(name) => record.counts.get(name).map(u64::to_string).into_iter().collect(),
        Field::Terms(source) => record.terms.get(source).cloned().unwrap_or_default(),
        Field::Other(name) => record.fields.get(name).cloned().unwrap_or_default(),
    }
}

/// Why a rule finds nothing.
fn miss(page: &Page, rule: &FieldRule) -> Miss {
    let paths = || page.path_strings().map(|counted| page.path_string(counted.id));
    let is_block = rule.take == Take::Block || super::apply::is_comment_part(&rule.field);
    let fits =
        |path: &str| if is_block { rule.path.steps_below(path).is_some() } else { rule.path.matches(path) };
    let mut images = page.images().iter().filter(|_| rule.take == Take::Image);
    let is_there = paths().any(fits) || images.any(|image| fits(page.path_string(image.path_string)));
    if !is_there {
        return Miss::NoPath(nearest(rule.path.as_str(), paths()));
    }
    match &rule.label {
        Some(label) => Miss::NoLabel(label.clone()),
        None => {
            let texts = page.psnv().iter().filter(|pair| fits(page.path_string(pair.path)));
            let text = texts.map(|pair| page.psnv_value(pair)).next().unwrap_or_default();
            Miss::NoValue(super::text::cut(text, 60).to_owned())
        }
    }
}

/// The path string of a page that has most steps from the root in common with a rule's, cut after the step that differs.
fn nearest<'p>(wanted: &str, paths: impl Iterator<Item = &'p str>) -> String {
    let steps = |path: &'p str| path.rsplit("><");
    let common = |path: &str| path.rsplit("><").zip(wanted.rsplit("><")).take_while(|(a, b)| a == b).count();
    let best = paths.map(|path| (common(path), path)).min_by_key(|(common, _)| std::cmp::Reverse(*common));
    let Some((common, path)) = best.filter(|(common, _)| *common > 0) else { return String::new() };
    let mut kept: Vec<&str> = steps(path).take(common + 1).collect();
    kept.reverse();
    let text = kept.join("><");
    if text.starts_with('<') { text } else { format!("<{text}") }
}

#[cfg(test)]
mod tests {
    use super::super::field::Field;
    use super::super::testing::page;
    use super::*;

    #[test]
    fn rules_say_why_they_find_nothing() {
        let page = page("<body class=x><h1>Red</h1><p>Size: big</p><p>other</p>");
        let check = |rule: FieldRule, expect: Result<&str, &str>| {
            let extractor = Extractor::new(Rules { rules: vec![rule], ..Rules::default() });
            let reports = extractor.explain(&page);
            let report = reports.first().unwrap();
            match expect {
                Ok(value) => assert_eq!(report.values, [value]),
                Err(why) => assert_eq!(report.miss.as_ref().map(ToString::to_string).as_deref(), Some(why)),
            }
        };
        let labelled = |label: &str| FieldRule {
            label: Some(label.to_owned()),
            ..FieldRule::new(Field::Other("size".to_owned()), "<p><body-class/x><html>")
        };
        check(FieldRule::new(Field::Title, "<h1>..."), Ok("Red"));
        check(labelled("Size"), Ok("big"));
        check(labelled("Weight"), Err("no text at this path has the label `Weight`"));
        let nowhere = FieldRule::new(Field::Title, "<h2><div><body-class/x><html>");
        check(nowhere, Err("the page has nothing at this path; it has `<h1><body-class/x><html>`"));
        check(FieldRule::new(Field::Title, "<h2>..."), Err("no element of the page is called so"));
        let date = FieldRule::new(Field::Date, "<h1>...");
        check(date, Err("no text at this path fits; one is `Red`"));
    }
}
