//! The truth about a recording: URL patterns, tried in order, and labels by number, by path or by URL.

use std::collections::BTreeMap;
use std::path::Path;

use osprey_model::PageType;
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_world::Truth;
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::recording::{ByUrl, RecordingFile};
use super::{CorpusError, Labels};

/// The JSON file as it is written; what is not needed here is ignored.
#[derive(Deserialize)]
struct Written {
    start: Option<String>,
    #[serde(default)]
    rules: Vec<WrittenRule>,
    #[serde(default)]
    labels: BTreeMap<String, Value>,
    /// Values of fields by URL, where somebody has published them.
    #[serde(default)]
    pages: Value,
}

#[derive(Deserialize)]
struct WrittenRule {
    pattern: String,
    #[serde(rename = "type")]
    page_type: String,
    template: Option<String>,
    #[serde(default)]
    user_created: bool,
}

#[derive(Debug)]
struct Rule {
    pattern: Regex,
    truth: Truth,
}

/// A way to a page's topics: what the pattern's group captures is a topic, or the key of one.
#[derive(Debug)]
struct TopicRule {
    pattern: Regex,
    labels: Option<String>,
}

/// The truth about a recording.
#[derive(Debug)]
pub(super) struct TruthFile {
    pub(super) start: Option<String>,
    rules: Vec<Rule>,
    topics: Vec<TopicRule>,
    labels: Labels,
    /// Template and topics of single URLs.
    by_url: BTreeMap<String, Vec<String>>,
    types: BTreeMap<String, PageType>,
    fields: BTreeMap<String, Fields>,
}

/// The values of a page, by field.
pub(crate) type Fields = BTreeMap<String, Vec<String>>;

impl TruthFile {
    /// Reads the files that a recording names.
    pub(super) fn read(file: &RecordingFile, data: &Path) -> Result<Self, CorpusError> {
        let wrong = |problem: String| CorpusError::File { file: file.truth.clone(), problem };
        let written: Written = serde_json::from_value(read_json(data, &file.truth)?)
            .map_err(|error| wrong(format!("not a truth file: {error}")))?;
        let regex = |pattern: &str| {
            Regex::new(pattern).map_err(|error| wrong(format!("`{pattern}`: not a pattern: {error}")))
        };
        let rules = written.rules.iter().map(|rule| {
            let template = rule.template.clone().unwrap_or_else(|| rule.page_type.clone());
            let page_type = rule.page_type.parse().unwrap_or_default();
            let truth = Truth { page_type, template, user_created: rule.user_created, ..Truth::default() };
            Ok(Rule { pattern: regex(&rule.pattern)?, truth })
        });
        let topics = file
            .topics
            .iter()
            .map(|rule| Ok(TopicRule { pattern: regex(&rule.pattern)?, labels: rule.labels.clone() }));
        let labels =
            written.labels.into_iter().filter_map(|(name, value)| Some((name, table(value)?))).collect();
        let by_url = match &file.by_url {
            Some(by_url) => labels_by_url(by_url, data, &regex)?,
            None => BTreeMap::new(),
        };
        Ok(Self {
            start: written.start,
            rules: rules.collect::<Result<_, CorpusError>>()?,
            topics: topics.collect::<Result<_, CorpusError>>()?,
            labels,
            by_url,
            types: file.types.clone(),
            fields: fields(&written.pages),
        })
    }

    /// The values that a page has, by field, if they are known.
    pub(super) fn fields(&self, url: &CanonicalUrl) -> Option<&Fields> {
        self.fields.get(url.as_str())
    }

    /// What is true of a URL.
    pub(super) fn truth(&self, url: &CanonicalUrl) -> Truth {
        let rule = self.rules.iter().find(|rule| rule.pattern.is_match(url.as_str()));
        let mut truth = rule.map(|rule| rule.truth.clone()).unwrap_or_default();
        truth.topics = self.topics_of(url);
        if let Some(fields) = self.by_url.get(url.as_str()) {
            truth.template = fields.first().cloned().unwrap_or(truth.template);
            truth.topics.extend(fields.iter().cloned());
        }
        if let Some(page_type) = self.types.get(&truth.template) {
            truth.page_type = *page_type;
        }
        truth
    }

    fn topics_of(&self, url: &CanonicalUrl) -> Vec<String> {
        for rule in &self.topics {
            let found = rule.pattern.captures(url.as_str()).and_then(|found| found.get(1));
            let Some(key) = found.map(|found| found.as_str()) else { continue };
            return match &rule.labels {
                None => vec![key.to_owned()],
                Some(name) => {
                    self.labels.get(name).and_then(|table| table.get(key)).cloned().unwrap_or_default()
                }
            };
        }
        Vec::new()
    }
}

/// `{ URL: { fields: { name: [value] } } }`.
fn fields(pages: &Value) -> BTreeMap<String, Fields> {
    let rows = pages.as_object().into_iter().flatten();
    let fields = |row: &Value| -> Fields {
        let fields = row.get("fields").and_then(Value::as_object).into_iter().flatten();
        let texts = |list: &Value| list.as_array().into_iter().flatten().filter_map(text_of).collect();
        fields.map(|(name, list)| (name.clone(), texts(list))).collect()
    };
    let row = |(url, row): (&String, &Value)| {
        let url = CanonicalUrl::parse(url, &UrlRules::default()).ok()?;
        Some((url.as_str().to_owned(), fields(row)))
    };
    rows.filter_map(row).filter(|(_, fields)| !fields.is_empty()).collect()
}

/// The template and the topics of single URLs.
fn labels_by_url(
    by_url: &ByUrl,
    data: &Path,
    regex: &impl Fn(&str) -> Result<Regex, CorpusError>,
) -> Result<BTreeMap<String, Vec<String>>, CorpusError> {
    let mut topics = Vec::new();
    for topic in &by_url.topic {
        topics.push((topic, regex(&topic.pattern)?, topic.except.as_deref().map(regex).transpose()?));
    }
    let file = read_json(data, &by_url.file)?;
    let rows = by_url.rows.as_ref().map_or(Some(&file), |key| file.get(key));
    let rows = rows.and_then(Value::as_object).into_iter().flatten();
    let labels = rows.filter_map(|(url, row)| {
        // as a crawl requests it: host names in lower case, a path, no default port
        let url = CanonicalUrl::parse(url, &UrlRules::default()).ok()?;
        let fields = by_url.fields.iter().filter_map(|field| text_of(row.get(field)?));
        let named = topics.iter().filter(|(topic, pattern, except)| {
            let value = row.pointer(&topic.field);
            let texts =
                value.map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
            texts.into_iter().flatten().filter_map(Value::as_str).any(|text| {
                pattern.is_match(text) && !except.as_ref().is_some_and(|except| except.is_match(text))
            })
        });
        let labels = fields.chain(named.map(|(topic, ..)| topic.name.clone())).collect();
        Some((url.as_str().to_owned(), labels))
    });
    Ok(labels.collect())
}

/// A table of labels: key to one label, or to several.
fn table(value: Value) -> Option<BTreeMap<String, Vec<String>>> {
    let Value::Object(rows) = value else { return None };
    let labels = |value: &Value| match value {
        Value::Array(list) => list.iter().filter_map(text_of).collect(),
        single => text_of(single).into_iter().collect(),
    };
    Some(rows.iter().map(|(key, value)| (key.clone(), labels(value))).collect())
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn read_json(data: &Path, name: &str) -> Result<Value, CorpusError> {
    let wrong = |problem: String| CorpusError::File { file: name.to_owned(), problem };
    let bytes = std::fs::read(data.join(name)).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(format!("not JSON: {error}")))
}
