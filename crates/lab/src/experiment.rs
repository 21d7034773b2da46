//! Experiment files: one TOML file per experiment, read and checked before anything runs.
//!
//! Unknown keys are errors. A file names the figure or table of a paper that it repeats, which `osprey lab list` shows,
//! and the figures and curves that the report shows.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use osprey_model::{PageType, ScopeKind};
use osprey_steer::{JudgeKind, PolicyKind, Subject};
use osprey_world::{Ablation, Kind, Nastiness, TrapKind, Truth};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::expectation::Expectation;
use crate::registry::TERMS;

/// An invalid experiment file.
#[derive(Debug, Error)]
#[error("{file}: {problem}")]
pub struct ExperimentError {
    /// The file.
    pub file: String,
    /// What is wrong, and what was expected.
    pub problem: String,
}

/// How large a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// All experiments take minutes on two cores; the tests use this scale.
    #[default]
    Small,
    /// The sizes of the papers.
    Paper,
}

impl Scale {
    /// Both scales.
    pub const ALL: [Self; 2] = [Self::Small, Self::Paper];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Paper => "paper",
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|scale| scale.name() == name);
        found.ok_or_else(|| format!("scale `{name}`: expected `small` or `paper`"))
    }
}

/// The budget of a crawl, in visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BudgetSize {
    /// This number of visits.
    Pages(u64),
    /// This share of the corpus's pages.
    Share(f64),
    /// As many visits as there are wanted pages (as Xu et al. 2018 do for target crawling), or as there are pages.
    Count(BudgetCount),
}

/// A budget that depends on the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BudgetCount {
    /// The number of wanted pages.
    Wanted,
    /// Until nothing is left to visit.
    All,
}

/// Sizes at one scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScaleSpec {
    /// Pages of each simulated world, or pictures of a picture set.
    pub pages: u64,
    /// Visits of each crawl.
    pub budget: BudgetSize,
    /// Whether only visits that return a page count, and dead links and redirects are free: as in Xu et al. 2018, whose
    /// corpora are mirrors of pages.
    pub pages_only: bool,
    /// Runs of each cell on a simulated world, each with its own random seed. On recordings see `draws`.
    #[serde(alias = "seeds")]
    pub random_seeds: u64,
    /// Pages that the site is learned from, for policies and judges that need a learned site. They cost no budget. A
    /// variant can override the number: `with = { sample_pages = 100 }`.
    pub sample_pages: u64,
    /// Wanted example pages, and as many unwanted ones, for policies and judges that need examples.
    pub examples: u64,
    /// Runs on each recording, each with its own random seed: examples are drawn by it. 1 where nothing is drawn.
    pub draws: u64,
}

impl Default for ScaleSpec {
    fn default() -> Self {
        Self {
            pages: 2_000,
            budget: BudgetSize::Share(0.25),
            pages_only: false,
            random_seeds: 5,
            sample_pages: 500,
            examples: 1,
            draws: 1,
        }
    }
}

/// Which pages are wanted: a page must meet every condition that is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Of this type.
    pub page_type: Option<PageType>,
    /// Of one of these types, if any are named.
    #[serde(default)]
    pub page_types: Vec<PageType>,
    /// Of one of these templates, if any are named.
    #[serde(default)]
    pub templates: Vec<String>,
    /// Made by users, or not.
    pub user_created: Option<bool>,
    /// About the corpus's topic.
    #[serde(default)]
    pub on_topic: bool,
    /// Also pages that are spam of users; otherwise spam is never wanted.
    #[serde(default)]
    pub even_spam: bool,
}

impl Wanted {
    /// Whether a page is wanted. The caller handles duplicates.
    pub(crate) fn includes(&self, truth: &Truth, topic: Option<&str>) -> bool {
        // a topic contains those below it: `Computing` is also `Computing/Databases`
        let is_below = |other: &str, topic: &str| {
            other.strip_prefix(topic).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let of_topic = |topic: &str| truth.topics.iter().any(|other| is_below(other, topic));
        let is_waste = truth.waste.as_deref().is_some_and(|why| !(self.even_spam && why == SPAM));
        !is_waste
            && self.page_type.is_none_or(|page_type| truth.page_type == page_type)
            && (self.page_types.is_empty() || self.page_types.contains(&truth.page_type))
            && (self.templates.is_empty() || self.templates.contains(&truth.template))
            && self.user_created.is_none_or(|made| truth.user_created == made)
            && (!self.on_topic || topic.is_some_and(of_topic))
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.page_type.map(|page_type| format!("{page_type} pages")));
        if !self.page_types.is_empty() {
            let types: Vec<String> = self.page_types.iter().map(ToString::to_string).collect();
            parts.push(format!("{} pages", types.join(" or ")));
        }
        if !self.templates.is_empty() {
            parts.push(format!("of template {}", self.templates.join(" or ")));
        }
        parts.extend(
            self.user_created.map(|made| if made { "user-created" } else { "not user-created" }.to_owned()),
        );
        if self.on_topic {
            parts.push("about the topic".to_owned());
        }
        f.write_str(&parts.join(", "))
    }
}

/// A `[[corpus]]` entry of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusEntry {
    /// The name in tables; that of the world or recording unless given.
    #[serde(default)]
    pub name: String,
    /// A simulated world of this kind.
    pub world: Option<Kind>,
    /// A recording, by its name in `lab/corpora`.
    pub recording: Option<String>,
    /// A folder of pictures, relative to the data folder: in it a folder for each class.
    pub pictures: Option<String>,
    /// Pages of the world, if not those of the scale.
    pub pages: Option<u64>,
    /// A trap beside the world, for the measure `traps`.
    pub trap: Option<TrapKind>,
    /// How nasty the world is, if not the default.
    #[serde(default)]
    pub nastiness: Nastiness,
    /// A signal that the world goes without.
    pub ablation: Option<Ablation>,
    /// The topic, by its name in the truth. Without one, each random seed takes another of the
    /// world's five largest.
    pub topic: Option<String>,
    /// Topics that the random seeds take in turn, if no single topic is named.
    #[serde(default)]
    pub topics: Vec<String>,
    /// The topic as a node of the taxonomy that comes with Osprey. Without one, it is a node of the world's own
    /// directory.
    pub node: Option<String>,
    /// Start only at those of the world's seeds whose template contains this: `-zh`.
    pub begin: Option<String>,
    /// Search terms for the topic, where the truth has none.
    #[serde(default)]
    pub terms: Vec<String>,
    /// Terms of genre, content and URL, by the name of their file in `lab/terms`.
    pub term_file: Option<String>,
    /// Terms of the wanted kind of page, in addition to those of the file.
    #[serde(default)]
    pub genre_terms: Vec<String>,
    /// Terms of the wanted content.
    #[serde(default)]
    pub content_terms: Vec<String>,
    /// Terms of the URLs of wanted pages.
    #[serde(default)]
    pub url_terms: Vec<String>,
    /// The scope of the crawl, if not the default of the corpus.
    pub scope: Option<ScopeKind>,
    /// The wanted pages, if not those of the whole experiment.
    pub wanted: Option<Wanted>,
}

impl CorpusEntry {
    /// The `[topic]` that the entry describes.
    pub(crate) fn subject(&self) -> Subject {
        Subject {
            tags: self.terms.clone(),
            genre_terms: self.genre_terms.clone(),
            content_terms: self.content_terms.clone(),
            url_terms: self.url_terms.clone(),
            nodes: self.node.clone().into_iter().collect(),
            ..Subject::default()
        }
    }

    /// Adds the terms of the term file.
    fn read_terms(&mut self) -> Result<(), String> {
        let Some(name) = &self.term_file else { return Ok(()) };
        let text = TERMS.iter().find(|(file, _)| file == name).map(|(_, text)| *text).ok_or_else(|| {
            let known: Vec<&str> = TERMS.iter().map(|(name, _)| *name).collect();
            format!("corpus.term_file: unknown file `{name}`; expected one of {}", known.join(", "))
        })?;
        let file: TermFile = toml::from_str(text)
            .map_err(|error| format!("terms `{name}`: {}", error.to_string().trim_end()))?;
        self.genre_terms.splice(..0, file.genre_terms);
        self.content_terms.splice(..0, file.content_terms);
        self.url_terms.splice(..0, file.url_terms);
        Ok(())
    }
}

/// `lab/terms/NAME.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TermFile {
    genre_terms: Vec<String>,
    content_terms: Vec<String>,
    url_terms: Vec<String>,
}

/// One of the things compared: a policy with its parameters, or the parameters of another measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// The name in tables.
    pub name: String,
    /// The policy.
    pub policy: Option<PolicyKind>,
    /// Parameters of the measure.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub with: toml::Table,
}

/// The policy that is none: breadth-first where a person who knows the site would look.
const EXPERT: &str = "expert";

impl Variant {
    /// A policy with its default parameters, or the expert.
    fn named(name: &str) -> Option<Self> {
        let (policy, with) = match name {
            EXPERT => (PolicyKind::BreadthFirst {}, [(EXPERT.to_owned(), true.into())].into_iter().collect()),
            name => (PolicyKind::named(name)?, toml::Table::new()),
        };
        Some(Self { name: name.to_owned(), policy: Some(policy), with })
    }
}

/// One section of the report: a title and one of the four kinds of content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Show {
    /// The heading; derived from the content if empty.
    pub title: String,
    /// A table of these figures, one row per corpus and variant.
    pub table: Vec<String>,
    /// One plot per corpus with one curve per variant.
    pub curve: Option<String>,
    /// Bars of a figure, grouped by corpus.
    pub bars: Option<String>,
    /// A distribution for each corpus, logarithmic in both directions.
    pub log_log: Option<String>,
}

impl Show {
    /// Whether it shows exactly one thing.
    fn is_one(&self) -> bool {
        let others = [&self.curve, &self.bars, &self.log_log].into_iter().flatten().count();
        others + usize::from(!self.table.is_empty()) == 1
    }
}

/// An experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The file's name.
    #[serde(default)]
    pub name: String,
    /// The question, and how to read the answer. `osprey lab list` shows the first sentence.
    pub about: String,
    /// Which figure or table of which paper it repeats; empty if none.
    #[serde(default)]
    pub repeats: String,
    /// The name of the measure.
    #[serde(default = "crawl")]
    pub measure: String,
    /// Sizes by scale.
    #[serde(default)]
    pub scale: BTreeMap<Scale, ScaleSpec>,
    /// The corpora.
    #[serde(rename = "corpus")]
    pub corpora: Vec<CorpusEntry>,
    /// Policies by name, with their default parameters.
    #[serde(default)]
    pub policies: Vec<String>,
    /// Variants with parameters.
    #[serde(default, rename = "variant")]
    pub variants: Vec<Variant>,
    /// Give only so many words of the topic, as a user types them (`[topic] words`), and nothing else.
    pub words: Option<usize>,
    /// The judge that tells the crawler which pages are relevant.
    pub judge: Option<JudgeKind>,
    /// The wanted pages, according to the truth.
    #[serde(default)]
    pub wanted: Wanted,
    /// What counts as valid for the valid ratio of Xu et al. 2018: pages that match one of these.
    #[serde(default = "user_created")]
    pub valid: Vec<Wanted>,
    /// The sections of the report; everything if empty.
    #[serde(default)]
    pub show: Vec<Show>,
    /// The variant that the others are compared with, in pairs of the same random seed.
    pub baseline: Option<String>,
    /// What the paper found, and what we claim.
    #[serde(default, rename = "expect")]
    pub expectations: Vec<Expectation>,
}

/// The kind of waste that users made.
const SPAM: &str = "spam";

fn user_created() -> Vec<Wanted> {
    vec![Wanted { user_created: Some(true), ..Wanted::default() }]
}

fn crawl() -> String {
    "crawl".to_owned()
}

impl Experiment {
    /// Reads and checks a file.
    pub fn parse(name: &str, text: &str) -> Result<Self, ExperimentError> {
        let wrong = |problem: String| ExperimentError { file: format!("{name}.toml"), problem };
        let mut experiment: Self =
            toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        name.clone_into(&mut experiment.name);
        experiment.complete().map_err(wrong)?;
        Ok(experiment)
    }

    /// Fills in defaults and checks for contradictions.
    fn complete(&mut self) -> Result<(), String> {
        for corpus in &mut self.corpora {
            let name = match (&corpus.world, &corpus.recording, &corpus.pictures) {
                (Some(kind), None, None) => kind.name(),
                (None, Some(name), None) | (None, None, Some(name)) => name,
                _ => return Err("corpus: expected one of `world`, `recording`, `pictures`".to_owned()),
            };
            if corpus.name.is_empty() {
                corpus.name = name.to_owned();
            }
            corpus.read_terms()?;
        }
        if self.corpora.is_empty() {
            return Err("corpus: at least one is needed".to_owned());
        }
        for name in std::mem::take(&mut self.policies) {
            let variant = Variant::named(&name).ok_or_else(|| {
                let known = PolicyKind::NAMES.join(", ");
                format!("policies: unknown policy `{name}`; expected one of {known}, {EXPERT}")
            })?;
            self.variants.push(variant);
        }
        if self.variants.is_empty() {
            self.variants.push(Variant {
                name: self.measure.clone(),
                policy: None,
                with: toml::Table::new(),
            });
        }
        for scale in Scale::ALL {
            let spec = self.scale.entry(scale).or_default();
            if spec.draws == 0 {
                return Err(format!("scale.{scale}.draws: expected at least 1"));
            }
            if spec.random_seeds == 0 {
                return Err(format!("scale.{scale}.random_seeds: expected at least 1"));
            }
            if let BudgetSize::Share(share) = spec.budget
                && !(share > 0.0 && share.is_finite())
            {
                return Err(format!(
                    "scale.{scale}.budget: `{share}`: expected a number above 0, the share of the corpus to visit"
                ));
            }
        }
        self.check_names()
    }

    fn check_names(&self) -> Result<(), String> {
        if self.show.iter().any(|show| !show.is_one()) {
            return Err("show: expected one of `table`, `curve`, `bars`, `log-log`".to_owned());
        }
        let known = |name: &str| self.variants.iter().any(|variant| variant.name == *name);
        if let Some(name) = self.baseline.as_deref().filter(|name| !known(name)) {
            return Err(format!("baseline: unknown variant `{name}`"));
        }
        let corpus = |name: &str| self.corpora.iter().any(|corpus| corpus.name == name);
        if let Some(problem) = self.expectations.iter().find_map(|expected| expected.problem(known, corpus)) {
            return Err(problem);
        }
        let mut names: Vec<&str> = self.variants.iter().map(|variant| variant.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("variant: duplicate name `{}`; give each variant its own `name`", pair[0]));
        }
        let mut names: Vec<&str> = self.corpora.iter().map(|corpus| corpus.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("corpus: duplicate name `{}`; give each corpus its own `name`", pair[0]));
        }
        Ok(())
    }

    /// The sizes at a scale.
    pub(crate) fn sizes(&self, scale: Scale) -> ScaleSpec {
        self.scale.get(&scale).cloned().unwrap_or_default()
    }

    /// The wanted pages of a corpus.
    pub fn wanted_of<'a>(&'a self, corpus: &'a CorpusEntry) -> &'a Wanted {
        corpus.wanted.as_ref().unwrap_or(&self.wanted)
    }

    /// The first sentence of `about`.
    pub fn headline(&self) -> &str {
        let text = self.about.trim();
        let is_end = |pair: &[u8]| matches!(pair[0], b'.' | b'?' | b'!') && pair[1].is_ascii_whitespace();
        let end = text.as_bytes().windows(2).position(is_end).map_or(text.len(), |at| at + 1);
        text.get(..end).unwrap_or(text).trim_end_matches('.')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
        about = "Which is better? Look."
        policies = ["breadth-first"]
        baseline = "breadth-first"
        wanted = { page_type = "detail", on_topic = true }
        [scale.small]
        pages = 500
        budget = "wanted"
        [[corpus]]
        world = "photo"
        [[corpus]]
        recording = "dh-answers"
        wanted = { user_created = true }
        [[variant]]
        name = "best"
        policy = { kind = "best-first" }
        [[show]]
        table = ["harvest_ratio"]
    "#;

    #[test]
    fn a_file_is_read_and_completed() {
        let experiment = Experiment::parse("x", WHOLE).unwrap();
        let names: Vec<&str> = experiment.variants.iter().map(|variant| variant.name.as_str()).collect();
        assert_eq!(names, ["best", "breadth-first"]);
        assert_eq!(experiment.sizes(Scale::Small).budget, BudgetSize::Count(BudgetCount::Wanted));
        assert_eq!(experiment.sizes(Scale::Paper).random_seeds, 5);
        assert_eq!(experiment.corpora[1].name, "dh-answers");
        assert_eq!(experiment.wanted_of(&experiment.corpora[1]).user_created, Some(true));
        assert_eq!(experiment.headline(), "Which is better?");
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let check = |text: &str, expected: &str| {
            let error = Experiment::parse("x", text).unwrap_err().to_string();
            assert!(error.starts_with("x.toml: ") && error.contains(expected), "{error}");
        };
        check("about = 1", "expected a string");
        check("about = \"\"\ncorpus = []", "at least one");
        check(
            "about = \"\"\n[[corpus]]\nworld = \"campus\"\nterm_file = \"x\"",
            "unknown file `x`; expected one of course-pages, data-structures",
        );
        check("about = \"\"\nbudget = 3\ncorpus = []", "unknown field `budget`");
        check("about = \"\"\n[[corpus]]\nname = \"a\"", "one of `world`, `recording`, `pictures`");
        check(&WHOLE.replace("budget = \"wanted\"", "budget = -0.5"), "`-0.5`: expected a number above 0");
        check(
            &WHOLE.replace("name = \"best\"", "name = \"breadth-first\""),
            "variant: duplicate name `breadth-first`",
        );
        check(&WHOLE.replace("[\"breadth-first\"]", "[\"fastest\"]"), "unknown policy `fastest`");
        check(&WHOLE.replace("baseline = \"breadth-first\"", "baseline = \"b\""), "unknown variant `b`");
        check(&WHOLE.replace("table = [", "bars = \"f\"\ntable = ["), "expected one of `table`");
        check(&WHOLE.replace("recording = \"dh-answers\"", "world = \"photo\""), "duplicate name `photo`");
    }

    #[test]
    fn wanted_is_what_all_conditions_hold_of() {
        let wanted = Wanted { page_type: Some(PageType::Detail), on_topic: true, ..Wanted::default() };
        let page = Truth { page_type: PageType::Detail, topics: vec!["birds".into()], ..Truth::default() };
        assert!(wanted.includes(&page, Some("birds")));
        assert!(!wanted.includes(&page, Some("dogs")));
        assert!(!wanted.includes(&page, None));
        assert!(!wanted.includes(&Truth { waste: Some("login".into()), ..page.clone() }, Some("birds")));
        assert!(!wanted.includes(&Truth { page_type: PageType::List, ..page }, Some("birds")));
    }
}
