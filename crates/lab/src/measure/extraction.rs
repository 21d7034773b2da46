//! `extraction`: learns extraction rules from unlabelled pages and applies them to labelled pages.
//!
//! Precision and recall count values. A value is correct if the label has it, ignoring white space and case; a date
//! also if both give the same day. If a field has no value in the labels, every extracted value is wrong. F1 of a field
//! is over all pages; `f1_macro` is the mean over fields, `f1_micro` is over all values.
//!
//! Two fields are counted apart. `body` is the text of the record, and `items` are the comments and answers on the page:
//! one is right if author, date and text are. Texts are compared by their first eight and last five words and the number
//! of words, which is what the labels have of them; `item_authors`, `item_dates` and `item_texts` count the parts alone.
//!
//! A variant sets what the extractor may use: `structured = true` for structured data, `types = true` for the page
//! types that links lead to, which a learned sitemap knows.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Context;
use osprey_model::PageType;
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Link, Page};
use osprey_structure::extract::{Comment, Extractor, Leads, Record, iso_date, propose};
use rustc_hash::FxHashSet;

use super::labels::{LabelFile, read, recording};
use super::{Cell, Findings, Measure};

/// Pages that rules are learned from, if the variant does not say.
const LEARNED_FROM: usize = 40;

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExtractionMeasure;

impl Measure for ExtractionMeasure {
    fn name(&self) -> &'static str {
        "extraction"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let file = LabelFile::of(cell)?;
        let recording = recording(cell)?;
        let has = |key: &str| cell.variant.with.get(key).and_then(toml::Value::as_bool).unwrap_or(false);
        let number = cell.variant.with.get("pages").and_then(toml::Value::as_integer);
        let number = number.and_then(|number| usize::try_from(number).ok()).unwrap_or(LEARNED_FROM);
        let sample = file.others(recording, cell.random_seed, number)?;
        let leads = |_: &Page, link: &Link| {
            let is_profile = has("types") && cell.corpus.truth(&link.url).page_type == PageType::Profile;
            is_profile.then_some(Leads::Profile)
        };
        let began = Instant::now();
        let proposals = propose(&sample, file.kind, &leads);
        let learning = began.elapsed();
        let mut rules = proposals.rules();
        if !has("structured") {
            rules.structured.clear();
        }
        let extractor = Extractor::new(rules);
        let mut scores: BTreeMap<String, Score> = BTreeMap::new();
        let (mut pages, mut applying) = (0usize, 0.0);
        for (url, labels) in &file.labels {
            let url = CanonicalUrl::parse(url, &UrlRules::default()).with_context(|| url.clone())?;
            let page = read(recording, &url, &mut FxHashSet::default())
                .with_context(|| format!("{}: not in the recording", url.as_str()))?;
            let began = Instant::now();
            let record = extractor.apply(&page);
            applying += began.elapsed().as_secs_f64();
            pages += 1;
            for (field, labelled) in labels {
                scores.entry(field.clone()).or_default().add(field, labelled, &found(&record, field));
            }
            if let Some(labelled) = labels.get("items") {
                let found = found(&record, "items");
                for (at, name) in ITEM_PARTS.iter().enumerate() {
                    let part = |items: &[String]| -> Vec<String> {
                        items
                            .iter()
                            .filter_map(|item| item.split(PARTED).nth(at))
                            .map(str::to_owned)
                            .collect()
                    };
                    scores.entry((*name).to_owned()).or_default().add(name, &part(labelled), &part(&found));
                }
            }
        }
        let mut findings = findings(&scores);
        findings.figure("pages", Some(pages as f64));
        findings.figure("learned_from", Some(sample.len() as f64));
        findings.figure("rules", Some(proposals.proposed.len() as f64));
        findings.timings.insert("learning_ms".to_owned(), learning.as_secs_f64() * 1e3);
        findings.timings.insert("apply_us".to_owned(), applying * 1e6 / pages.max(1) as f64);
        Ok(findings)
    }
}

/// What is between author, date and text of an item.
const PARTED: &str = " | ";
/// The parts of items.
const ITEM_PARTS: [&str; 3] = ["item_authors", "item_dates", "item_texts"];
/// Fields that are not in the figures over all fields.
const APART: [&str; 5] = ["body", "items", "item_authors", "item_dates", "item_texts"];

/// A text as labels have it: its beginning, its end, and how many words there are.
fn brief(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    match (words.get(..8), words.get(words.len().saturating_sub(5)..)) {
        (Some(first), Some(last)) if words.len() > 15 => {
            format!("{} … {} ({} words)", first.join(" "), last.join(" "), words.len())
        }
        _ => words.join(" "),
    }
}

/// An item as labels have it.
fn item(comment: &Comment) -> String {
    let author = comment.author.as_deref().unwrap_or_default();
    let date = comment.date.as_deref().unwrap_or_default();
    [author, date, &brief(&comment.text)].join(PARTED)
}

/// The values of a field in a record, by its name in rules.
fn found(record: &Record, field: &str) -> Vec<String> {
    let one = |value: &Option<String>| value.iter().cloned().collect();
    match field.split_once('.') {
        None => match field {
            "title" => one(&record.title),
            "uploader" => one(&record.uploader),
            "date" => one(&record.date),
            "description" => one(&record.description),
            "tags" => record.tags.clone(),
            "sets" => record.sets.clone(),
            "groups" => record.groups.clone(),
            "images" => record.images.clone(),
            "body" => record.description.iter().map(|text| brief(text)).collect(),
            "items" => record.comments.iter().map(item).collect(),
            "contacts" => record.contacts.iter().map(|person| person.name.clone()).collect(),
            _ => Vec::new(),
        },
        Some(("count", name)) => record.counts.get(name).map(u64::to_string).into_iter().collect(),
        Some(("terms", source)) => record.terms.get(source).cloned().unwrap_or_default(),
        Some((_, name)) => record.fields.get(name).cloned().unwrap_or_default(),
    }
}

/// Values compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Score {
    right: usize,
    labelled: usize,
    found: usize,
}

impl Score {
    fn add(&mut self, field: &str, labelled: &[String], found: &[String]) {
        let form = |value: &String| {
            let plain = value.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            match field {
                "date" | "item_dates" => iso_date(value).unwrap_or(plain),
                "items" => {
                    let parts = value.splitn(3, PARTED);
                    let exact = |part: &str| iso_date(part).unwrap_or_else(|| part.to_lowercase());
                    parts
                        .enumerate()
                        .map(|(at, part)| if at == 1 { exact(part) } else { part.to_lowercase() })
                        .collect::<Vec<_>>()
                        .join(PARTED)
                }
                _ => plain,
            }
        };
        let mut left: Vec<String> = labelled.iter().map(form).collect();
        self.labelled += labelled.len();
        self.found += found.len();
        for value in found.iter().map(form) {
            if let Some(at) = left.iter().position(|label| *label == value) {
                left.swap_remove(at);
                self.right += 1;
            }
        }
    }

    fn precision(self) -> Option<f64> {
        (self.found > 0).then(|| self.right as f64 / self.found as f64)
    }

    fn recall(self) -> Option<f64> {
        (self.labelled > 0).then(|| self.right as f64 / self.labelled as f64)
    }

    /// Not defined where there is nothing to find and nothing was found.
    fn f1(self) -> Option<f64> {
        let all = self.labelled + self.found;
        (all > 0).then(|| 2.0 * self.right as f64 / all as f64)
    }
}

fn findings(scores: &BTreeMap<String, Score>) -> Findings {
    let mut findings = Findings::default();
    let (mut all, mut sum, mut fields) = (Score::default(), 0.0, 0usize);
    let mut others = Score::default();
    for (field, &score) in scores {
        findings.figure(&format!("{field}_precision"), score.precision());
        findings.figure(&format!("{field}_recall"), score.recall());
        findings.figure(&format!("{field}_f1"), score.f1());
        if APART.contains(&field.as_str()) {
            continue;
        }
        all = all.with(score);
        if field.contains('.') {
            others = others.with(score);
        }
        if let Some(f1) = score.f1() {
            sum += f1;
            fields += 1;
        }
    }
    findings.figure("others_f1", others.f1());
    findings.figure("f1_micro", all.f1());
    findings.figure("f1_macro", (fields > 0).then(|| sum / fields as f64));
    findings
}

impl Score {
    fn with(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            labelled: self.labelled + other.labelled,
            found: self.found + other.found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(field: &str, labelled: &[&str], found: &[&str]) -> Score {
        let own = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
        let mut score = Score::default();
        score.add(field, &own(labelled), &own(found));
        score
    }

    #[test]
    fn values_are_compared_one_by_one() {
        let tags = score("tags", &["Red", "blue", "green"], &["red ", "blue", "pink", "red"]);
        assert_eq!(tags, Score { right: 2, labelled: 3, found: 4 });
        assert_eq!((tags.precision(), tags.f1()), (Some(0.5), Some(4.0 / 7.0)));
        assert_eq!(score("date", &["March 3, 2012"], &["2012-03-03T10:00"]).right, 1);
        let items = ["Ann | 2012-03-03 | one two", "Bob | 5 days ago | three"];
        assert_eq!(
            score("items", &items, &["ann | March 3, 2012 | one two", "Bob | 6 days ago | three"]).right,
            1
        );
        assert_eq!(score("uploader", &[], &[]).f1(), None);
        assert_eq!(score("uploader", &[], &["x"]).f1(), Some(0.0));
    }

    #[test]
    fn fields_are_found_by_their_names() {
        let mut record = Record::default();
        record.counts.insert("views".to_owned(), 12);
        record.fields.insert("isbn".to_owned(), vec!["1".to_owned()]);
        assert_eq!(found(&record, "count.views"), ["12"]);
        assert_eq!(found(&record, "fields.isbn"), ["1"]);
        assert_eq!(found(&record, "title"), [""; 0]);
    }

    #[test]
    fn long_texts_are_compared_by_their_ends_and_length() {
        assert_eq!(brief("One, two!"), "one two");
        let words: Vec<String> = (1..=20).map(|number| format!("w{number}")).collect();
        assert_eq!(brief(&words.join("  ")), "w1 w2 w3 w4 w5 w6 w7 w8 … w16 w17 w18 w19 w20 (20 words)");
    }

    #[test]
    fn labels_that_ship_can_be_read() {
        for (name, text) in crate::registry::LABELS {
            let file: LabelFile =
                serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(file.labels.len() >= 10, "{name}");
            assert!(file.labels.values().all(|values| values.contains_key("title")), "{name}");
        }
    }
}
