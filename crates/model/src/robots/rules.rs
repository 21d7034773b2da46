//! The rules for one agent, arranged so that the deciding one is found quickly.
//!
//! The longest matching pattern decides; if `Allow` and `Disallow` are equally long, `Allow` wins. Plain patterns are
//! sorted; the longest one that is a prefix of a path is either the path's predecessor in that order or a prefix of
//! the predecessor, and prefixes are linked. So a file of a thousand plain rules costs one binary search. Patterns
//! with `*` or `$` are tried one by one, longest first, and only while they are longer than the plain match.

use std::cmp::Reverse;
use std::fmt;

use super::pattern;

/// A rule from the file: its pattern is in normal form and not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) allow: bool,
    pub(super) pattern: String,
    /// The line number, counted from 1; 0 for rules that are not in the file.
    pub(super) line: u32,
}

/// Marks a plain rule of which no other rule is a prefix.
const NO_PARENT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    /// Length of the pattern, with the highest bit set for `Allow`.
    len_and_allow: u32,
    line: u32,
    /// For plain rules: the longest other plain rule that is a prefix of this one.
    parent: u32,
}

const ALLOW: u32 = 1 << 31;

impl Entry {
    fn allow(self) -> bool {
        self.len_and_allow & ALLOW != 0
    }

    fn len(self) -> usize {
        (self.len_and_allow & !ALLOW) as usize
    }
}

/// All rules for one agent.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleSet {
    /// The patterns, one after the other.
    text: Box<str>,
    /// Sorted by pattern, each pattern once.
    plain: Box<[Entry]>,
    /// Sorted by descending length, `Allow` first.
    wild: Box<[Entry]>,
}

impl RuleSet {
    pub(super) fn new(rules: &[Rule]) -> Self {
        let mut order: Vec<&Rule> = rules.iter().collect();
        order.sort_by_key(|rule| (rule.pattern.as_str(), Reverse(rule.allow), rule.line));
        order.dedup_by_key(|rule| rule.pattern.as_str());
        let (mut wild, plain): (Vec<&Rule>, Vec<&Rule>) =
            order.into_iter().partition(|rule| pattern::is_wild(&rule.pattern));
        wild.sort_by_key(|rule| (Reverse(rule.pattern.len()), Reverse(rule.allow), rule.line));

        let mut text = String::with_capacity(rules.iter().map(|rule| rule.pattern.len()).sum());
        let mut entries = |rules: &[&Rule]| -> Box<[Entry]> {
            rules.iter().map(|rule| Entry::appended(&mut text, rule)).collect()
        };
        let (plain_entries, wild) = (entries(&plain), entries(&wild));
        let mut set = Self { text: text.into_boxed_str(), plain: plain_entries, wild };
        set.link_prefixes();
        set
    }

    pub(super) fn disallow_all() -> Self {
        Self::new(&[Rule { allow: false, pattern: "/".to_owned(), line: 0 }])
    }

    /// Sets the parents: in sorted order, a pattern's prefixes come before it, the longest last.
    fn link_prefixes(&mut self) {
        let mut open: Vec<u32> = Vec::new();
        for at in 0..self.plain.len() {
            let pattern = self.plain.get(at).map_or("", |&entry| self.pattern(entry));
            while let Some(&candidate) = open.last() {
                if self.plain.get(candidate as usize).is_some_and(|&e| pattern.starts_with(self.pattern(e))) {
                    break;
                }
                open.pop();
            }
            let parent = open.last().copied().unwrap_or(NO_PARENT);
            if let Some(entry) = self.plain.get_mut(at) {
                entry.parent = parent;
            }
            open.push(at as u32);
        }
    }

    fn pattern(&self, entry: Entry) -> &str {
        let start = entry.start as usize;
        self.text.get(start..start + entry.len()).unwrap_or("")
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.text.len() + size_of_val(&*self.plain) + size_of_val(&*self.wild)
    }

    /// Whether a path and query in canonical form may be requested.
    pub(super) fn allows(&self, path_and_query: &str) -> bool {
        self.deciding(path_and_query).is_none_or(Entry::allow)
    }

    /// Like [`RuleSet::allows`], but returns the rule.
    pub(super) fn explain(&self, path_and_query: &str) -> Verdict {
        let rule = self.deciding(path_and_query).map(|entry| Rule {
            allow: entry.allow(),
            pattern: self.pattern(entry).to_owned(),
            line: entry.line,
        });
        Verdict { rule }
    }

    fn deciding(&self, path_and_query: &str) -> Option<Entry> {
        // RFC 9309, 2.2.2: the file itself is implicitly allowed.
        if path_and_query == "/robots.txt" || self.plain.is_empty() && self.wild.is_empty() {
            return None;
        }
        let target = pattern::target(path_and_query);
        let plain = self.longest_prefix(&target);
        let to_beat = plain.map_or((0, false), rank);
        let wild = self
            .wild
            .iter()
            .take_while(|&&entry| rank(entry) > to_beat)
            .find(|&&entry| pattern::matches(self.pattern(entry), &target));
        wild.copied().or(plain)
    }

    fn longest_prefix(&self, target: &str) -> Option<Entry> {
        let after = self.plain.partition_point(|&entry| self.pattern(entry) <= target);
        let mut at = after.checked_sub(1)?;
        loop {
            let &entry = self.plain.get(at)?;
            if target.starts_with(self.pattern(entry)) {
                return Some(entry);
            }
            at = entry.parent as usize;
        }
    }
}

/// The precedence of a matching rule.
fn rank(entry: Entry) -> (usize, bool) {
    (entry.len(), entry.allow())
}

impl Entry {
    fn appended(text: &mut String, rule: &Rule) -> Self {
        let start = text.len() as u32;
        text.push_str(&rule.pattern);
        let len = rule.pattern.len() as u32;
        Self {
            start,
            len_and_allow: if rule.allow { len | ALLOW } else { len },
            line: rule.line,
            parent: NO_PARENT,
        }
    }
}

/// A decision of robots rules and the rule behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    rule: Option<Rule>,
}

impl Verdict {
    /// Whether the URL may be requested.
    pub fn allowed(&self) -> bool {
        self.rule.as_ref().is_none_or(|rule| rule.allow)
    }

    /// The line of the deciding rule, counted from 1.
    pub fn line(&self) -> Option<u32> {
        self.rule.as_ref().map(|rule| rule.line).filter(|line| *line > 0)
    }

    /// The pattern of the deciding rule, percent-encoding normalised.
    pub fn pattern(&self) -> Option<&str> {
        self.rule.as_ref().map(|rule| rule.pattern.as_str())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(rule) = &self.rule else { return f.write_str("allowed: no rule matches") };
        let (word, key) = if rule.allow { ("allowed", "Allow") } else { ("disallowed", "Disallow") };
        if rule.line == 0 {
            return write!(f, "{word}: robots.txt could not be read");
        }
        write!(f, "{word} by `{key}: {}` (line {})", rule.pattern, rule.line)
    }
}
