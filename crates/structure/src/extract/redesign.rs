//! Path strings of a page as rules know them, after small changes of a site's template.
//!
//! A class more or less on `body`, classes in another order, an element around everything, a class with a new name: each
//! changes the path strings of half of a page, and rules that name whole path strings would find nothing. So if many of
//! the rules miss on a page, its path strings are compared with those of the rules:
//!
//! 1. without what `html` and `body` declare, and with classes in order;
//! 2. up to three single changes of one step: another class, one element more, one less.
//!
//! A change is accepted if at least two rules agree on it, and if no other rule finds something by the step that they
//! expect: a field that a page does not have is no reason to read another one. Pages that rules fit cost nothing.

use std::collections::{BTreeMap, BTreeSet};

use osprey_page::{Page, PathStringId};

use super::path::PathPattern;

/// The share of rules that must miss.
const MISSING: f64 = 0.25;
/// Changes of single steps.
const MAX_CHANGES: usize = 3;
/// Rules that must agree on one, and their share of the rules that miss there.
const FEWEST_VOTES: usize = 2;
const MOST: f64 = 0.5;
/// Elements that wrap others.
const WRAPPERS: &[&str] = &["article", "center", "div", "form", "main", "section", "span"];
/// Path strings and steps of a page that are compared.
const MAX_PATHS: usize = 400;
const MAX_STEPS: usize = 40;
/// Elements of a page that are compared.
const MAX_ELEMENTS: usize = 5_000;
/// Properties of a step that may follow its classes.
const AFTER_CLASS: &[&str] = &["-align/", "-valign/", "-bgcolor/", "-color/", "-face/", "-size/"];

/// The path strings of a page, by which its texts are looked up.
#[derive(Debug)]
pub(super) enum PagePaths {
    /// As they are.
    AsTheyAre,
    /// Changed to those that the rules expect, by the number of the path string.
    Changed(BTreeMap<usize, String>),
}

impl PagePaths {
    /// The path strings of a page for rules of which some whole path strings are on the page.
    pub(super) fn of<'r>(
        page: &Page,
        rules: impl Iterator<Item = &'r PathPattern>,
        whole: (usize, usize),
    ) -> Self {
        let (found, whole) = whole;
        if found >= whole || ((whole - found) as f64) < MISSING * whole as f64 {
            return Self::AsTheyAre;
        }
        let all: BTreeSet<&str> = rules.map(PathPattern::as_str).collect();
        let texts = page.path_strings().map(|counted| counted.id).take(MAX_PATHS);
        let images = page.images().iter().map(|image| image.path_string).take(MAX_PATHS);
        let ids: Vec<PathStringId> = texts.chain(images).collect();
        let plain: Vec<String> = ids.iter().map(|id| normal(page.path_string(*id))).collect();
        let rules: Vec<String> = all.iter().map(|rule| normal(rule)).collect();
        let mut paths: Vec<Vec<&str>> = plain.iter().map(|path| steps(path)).collect();
        let rules: Vec<Vec<&str>> =
            rules.iter().filter(|rule| !rule.ends_with("...")).map(|rule| steps(rule)).collect();
        for _ in 0..MAX_CHANGES {
            let Some(change) = change(&paths, &rules) else { break };
            paths.iter_mut().for_each(|path| change.apply(path));
        }
        let written =
            |path: &Vec<&str>| path.iter().rev().map(|step| format!("<{step}>")).collect::<String>();
        Self::Changed(ids.iter().zip(&paths).map(|(id, path)| (id.index(), written(path))).collect())
    }

    /// A path string.
    pub(super) fn get<'p>(&'p self, page: &'p Page, id: PathStringId) -> &'p str {
        match self {
            Self::AsTheyAre => page.path_string(id),
            Self::Changed(paths) => {
                paths.get(&id.index()).map_or_else(|| page.path_string(id), String::as_str)
            }
        }
    }
}

/// A path string without the properties of `html` and `body`, and with classes in order.
pub(super) fn normal(path: &str) -> String {
    let (whole, open) = path.strip_suffix("...").map_or((path, ""), |path| (path, "..."));
    let inner = whole.strip_prefix('<').and_then(|path| path.strip_suffix('>')).unwrap_or(whole);
    let mut out = String::with_capacity(path.len());
    for step in inner.split("><") {
        out.push('<');
        let name = step.split('-').next().unwrap_or_default();
        match step.split_once("-class/") {
            _ if matches!(name, "html" | "body") => out.push_str(name),
            Some((before, rest)) => {
                let ends = AFTER_CLASS.iter().filter_map(|property| rest.find(property)).min();
                let (classes, after) = rest.split_at(ends.unwrap_or(rest.len()));
                let mut classes: Vec<&str> = classes.split_whitespace().collect();
                classes.sort_unstable();
                out.push_str(before);
                out.push_str("-class/");
                out.push_str(&classes.join(" "));
                out.push_str(after);
            }
            None => out.push_str(step),
        }
        out.push('>');
    }
    out.push_str(open);
    out
}

/// The steps of a path string from the root.
fn steps(path: &str) -> Vec<&str> {
    let inner = path.strip_prefix('<').and_then(|path| path.strip_suffix('>')).unwrap_or(path);
    let mut steps: Vec<&str> = inner.split("><").collect();
    steps.reverse();
    steps
}

fn name(step: &str) -> &str {
    step.split('-').next().unwrap_or(step)
}

/// What became of one step below a certain place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edit<'a> {
    /// The rules' step is called otherwise on the page: (page's, rules').
    Renamed(&'a str, &'a str),
    /// The page has one more.
    Added(&'a str),
    /// The page has one less: (rules', the step of the page that is there now).
    Removed(&'a str),
}

/// A change: the steps from the root to the place, and what happened there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change<'a> {
    place: Vec<&'a str>,
    edit: Edit<'a>,
}

impl<'a> Change<'a> {
    /// Undoes it in a path of the page.
    fn apply(&self, path: &mut Vec<&'a str>) {
        let at = self.place.len();
        if !path.starts_with(&self.place) {
            return;
        }
        match self.edit {
            Edit::Renamed(from, to) => {
                if let Some(step) = path.get_mut(at).filter(|step| **step == from) {
                    *step = to;
                }
            }
            Edit::Added(step) => {
                if path.get(at) == Some(&step) {
                    path.remove(at);
                }
            }
            Edit::Removed(step) => {
                if path.len() > at && path.get(at) != Some(&step) {
                    path.insert(at, step);
                }
            }
        }
    }

    /// The step of the page at the place, and that of a rule, if one change makes the path that of the rule.
    fn between(path: &[&'a str], rule: &[&'a str]) -> Option<Self> {
        let at = path.iter().zip(rule).take_while(|(a, b)| a == b).count();
        let (mine, theirs) = (path.get(at..)?, rule.get(at..)?);
        let edit = match (mine, theirs) {
            ([a, mine @ ..], [b, theirs @ ..]) if mine == theirs && name(a) == name(b) => Edit::Renamed(a, b),
            ([a, mine @ ..], theirs) if mine == theirs && WRAPPERS.contains(&name(a)) => Edit::Added(a),
            (mine, [b, theirs @ ..]) if mine == theirs && WRAPPERS.contains(&name(b)) => Edit::Removed(b),
            _ => return None,
        };
        Some(Self { place: path.get(..at)?.to_vec(), edit })
    }
}

/// The change that most rules agree on that find nothing.
fn change<'a>(paths: &[Vec<&'a str>], rules: &[Vec<&'a str>]) -> Option<Change<'a>> {
    // the paths of all elements that hold a text
    let mut elements: BTreeSet<&[&'a str]> = BTreeSet::new();
    for path in paths {
        if elements.len() > MAX_ELEMENTS {
            break;
        }
        elements.extend((1..=path.len().min(MAX_STEPS)).filter_map(|end| path.get(..end)));
    }
    let (known, missing): (Vec<&Vec<&str>>, Vec<&Vec<&str>>) =
        rules.iter().partition(|rule| elements.contains(rule.as_slice()));
    let mut votes: BTreeMap<Change<'a>, usize> = BTreeMap::new();
    for rule in &missing {
        let mut own: BTreeSet<Change<'a>> = BTreeSet::new();
        let alike = elements.iter().filter(|path| path.len().abs_diff(rule.len()) <= 1);
        own.extend(alike.filter_map(|path| Change::between(path, rule)));
        // where another rule goes the same way and finds something, nothing has changed
        own.retain(|change| {
            let way = rule.get(..=change.place.len()).unwrap_or_default();
            !known.iter().any(|known| known.starts_with(way))
        });
        own.into_iter().for_each(|change| *votes.entry(change).or_default() += 1);
    }
    let (change, votes) = votes.into_iter().max_by_key(|(_, votes)| *votes)?;
    let there = missing.iter().filter(|rule| rule.starts_with(&change.place)).count();
    (votes >= FEWEST_VOTES && votes as f64 >= MOST * there as f64).then_some(change)
}

#[cfg(test)]
mod tests {
    use super::super::apply::Extractor;
    use super::super::field::Field;
    use super::super::record::Record;
    use super::super::rules::{FieldRule, Rules};
    use super::super::testing::page;
    use super::*;

    fn read(html: &str) -> Record {
        let path = |step: &str| format!("{step}<div-class/entry big><div-class/main><body-class/one><html>");
        let field = |name: &str| Field::Other(name.to_owned());
        let rules = vec![
            FieldRule::new(Field::Title, path("<h1>")),
            FieldRule::new(field("price"), path("<b-class/price>")),
            FieldRule::new(field("size"), path("<b-class/size>")),
            FieldRule::new(field("colour"), path("<b-class/colour>")),
        ];
        Extractor::new(Rules { rules, ..Rules::default() }).apply(&page(html))
    }

    fn check(html: &str, expect: usize) {
        let record = read(html);
        let found = usize::from(record.title.as_deref() == Some("T")) + record.fields.len();
        assert_eq!(found, expect, "{html}: {record:?}");
    }

    const INSIDE: &str = "<h1>T</h1><b class=price>1</b><b class=size>2</b><b class=colour>3</b>";

    #[test]
    fn small_changes_of_a_template_are_survived() {
        check(&format!("<body class=one><div class=main><div class='entry big'>{INSIDE}"), 4);
        check(&format!("<body class='two dark'><div class=main><div class='entry big'>{INSIDE}"), 4);
        check(&format!("<body><div class=main><div class='big entry'>{INSIDE}"), 4);
        check(&format!("<body class=one><div class=wrap><div class=main><div class='entry big'>{INSIDE}"), 4);
        check(&format!("<body class=one><div class=main><section><div class='entry big'>{INSIDE}"), 4);
        check(&format!("<body class=one><div class=main><div class='entry large'>{INSIDE}"), 4);
        check(&format!("<body class=one><div class='entry big'>{INSIDE}"), 4);
        check(&format!("<body class=two><div class=wrap><div class=main><div class='big entry'>{INSIDE}"), 4);
    }

    #[test]
    fn other_pages_are_not_read() {
        check(&format!("<body class=one><table><tr><td>{INSIDE}</table>"), 0);
        check("<body class=one><p>nothing", 0);
        // a field that a page lacks is not taken from elsewhere
        let record = read(
            "<body class=one><div class=main><div class='entry big'><h1>T</h1></div>
             <div class=other><b class=price>1</b><b class=size>2</b></div>",
        );
        assert!(record.fields.is_empty() && record.title.is_some(), "{record:?}");
    }

    #[test]
    fn paths_are_compared_in_one_form() {
        let check = |path: &str, expect: &str| assert_eq!(normal(path), expect);
        check("<b-class/z a-align/left><body-class/x><html>", "<b-class/a z-align/left><body><html>");
        check("<p-class/b a>...", "<p-class/a b>...");
        check("<td><tr><body-bgcolor/#000><html>", "<td><tr><body><html>");
    }
}
