//! Computes how relevant a fetched page is. A judge does not depend on the policy, so all policies can be evaluated
//! with the same judge.

use osprey_model::PageType;
use osprey_page::Page;
use osprey_structure::Reading;
use osprey_structure::extract::RecordKind;
use osprey_text::{Hits, Matcher, PageWords, Wanted, with_reader};
use serde::{Deserialize, Serialize};

use crate::baselines::{PageModel, SvmRules};
use crate::genre::{GenreScorer, Mix};
use crate::taxonomy::{Aims, TopicLanguage};
use crate::wanted_clusters::wanted_clusters;
use crate::{Known, SteeringConfigError, Subject, Want, Worth};

/// `[judge]` of `osprey.toml`.
///
/// Kinds without parameters are written with braces: of a unit variant serde lets unknown keys pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum JudgeKind {
    /// No page is judged: relevance stays unknown.
    None {},
    /// The share of the topic's tags that the page has: among the tags of its record, if the site was learned and the
    /// page is a detail page (Zhang & Nasraoui 2009: "contains any of the tags that belong to the crawl topic");
    /// otherwise in its title and text.
    Tags {
        /// A page is relevant if it contains at least this share of the tags; by default one tag is enough.
        #[serde(default)]
        threshold: f32,
    },
    /// Cosine between the page's text and the topic's terms.
    Terms {
        /// The similarity from which a page is relevant.
        #[serde(default = "terms_threshold")]
        threshold: f32,
    },
    /// Cosine between the page's text and the description of the topic's node in a taxonomy (`R'_PC` of Chen et al.
    /// 2009).
    Taxonomy {
        /// The similarity from which a page is relevant.
        #[serde(default = "taxonomy_threshold")]
        threshold: f32,
        /// Only pages in this language can be relevant; pages in any language if not set.
        #[serde(default)]
        language: Option<TopicLanguage>,
    },
    /// Similarity with the terms of genre, content and URL (de Assis et al. 2009).
    Genre {
        /// The similarity from which a page is relevant; the default 0.47 is what de Assis et al. 2009 found best for
        /// syllabi of database courses.
        #[serde(default = "genre_threshold")]
        threshold: f32,
        /// Treat genre and content terms as one set.
        #[serde(default)]
        one_set: bool,
        /// Weights of the sets.
        #[serde(default)]
        mix: Mix,
    },
    /// The probability that a page is like the wanted examples, by a support vector machine.
    Model {
        /// The probability from which a page is relevant.
        #[serde(default = "model_threshold")]
        threshold: f32,
        /// Training parameters of the support vector machine.
        #[serde(default)]
        training: SvmRules,
    },
    /// What a page is worth: whether it is of the wanted kind (`topic.pages`), and whether it is about what is wanted, by
    /// all that was said of it: words, tags, topics, examples, ratings.
    Want {
        /// The worth from which a page is relevant.
        #[serde(default = "want_threshold")]
        threshold: f32,
    },
    /// Pages of these types. Needs a learned site.
    PageType {
        /// The page types that are relevant.
        types: Vec<PageType>,
    },
    /// Pages of the same types as the examples, or else of the types that the sitemap marks as wanted. Needs a learned
    /// site.
    Cluster {},
    /// Pages that all of these judges find relevant; the score is the lowest of theirs.
    All {
        /// The judges.
        of: Vec<JudgeKind>,
    },
    /// Pages that at least one of these judges finds relevant; the score is the highest of theirs.
    Any {
        /// The judges.
        of: Vec<JudgeKind>,
    },
    /// Pages that this judge does not find relevant.
    Not {
        /// The judge.
        of: Box<JudgeKind>,
    },
}

impl Default for JudgeKind {
    fn default() -> Self {
        Self::None {}
    }
}

impl JudgeKind {
    /// Whether it needs a learned site.
    pub fn needs_site(&self) -> bool {
        match self {
            Self::PageType { .. } | Self::Cluster {} => true,
            Self::All { of } | Self::Any { of } => of.iter().any(Self::needs_site),
            Self::Not { of } => of.needs_site(),
            Self::None {} | Self::Tags { .. } | Self::Terms { .. } | Self::Taxonomy { .. } => false,
            Self::Genre { .. } | Self::Model { .. } | Self::Want { .. } => false,
        }
    }

    /// Whether it compares pages with what is usual on the site.
    pub fn wants_background(&self) -> bool {
        match self {
            Self::Want { .. } => true,
            Self::All { of } | Self::Any { of } => of.iter().any(Self::wants_background),
            Self::Not { of } => of.wants_background(),
            _ => false,
        }
    }

    /// Whether it needs example pages.
    pub fn needs_examples(&self) -> bool {
        match self {
            Self::Model { .. } | Self::Cluster {} => true,
            Self::All { of } | Self::Any { of } => of.iter().any(Self::needs_examples),
            Self::Not { of } => of.needs_examples(),
            _ => false,
        }
    }
}

fn terms_threshold() -> f32 {
    0.1
}

/// Chen et al. 2009's δ.
fn taxonomy_threshold() -> f32 {
    0.1
}

fn genre_threshold() -> f32 {
    0.47
}

fn model_threshold() -> f32 {
    0.5
}

fn want_threshold() -> f32 {
    0.5
}

/// What the judge says of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// 0 to 1; `None` if there is no judge.
    pub relevance: Option<f32>,
    /// Whether the page counts as harvest.
    pub relevant: bool,
}

impl Judgement {
    /// Relevant from `threshold` on, and not at 0.
    fn by(relevance: f32, threshold: f32) -> Self {
        Self { relevance: Some(relevance), relevant: relevance > 0.0 && relevance >= threshold }
    }

    /// Yes or no.
    fn certain(holds: bool) -> Self {
        Self { relevance: Some(if holds { 1.0 } else { 0.0 }), relevant: holds }
    }
}

/// A judge, ready to judge.
#[derive(Clone, Debug)]
pub struct Judge {
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    None,
    Tags {
        tags: Matcher,
        threshold: f32,
    },
    Terms {
        wanted: Wanted,
        threshold: f32,
    },
    Taxonomy {
        aims: Aims,
        threshold: f32,
    },
    Genre {
        scorer: GenreScorer,
        threshold: f32,
    },
    Model {
        model: PageModel,
        threshold: f32,
    },
    Want {
        want: Want,
        threshold: f32,
    },
    PageType(Vec<PageType>),
    /// Whether a cluster is like an example; without examples the sitemap decides.
    Cluster(Option<Vec<bool>>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
}

/// What a judge sees of a page.
#[derive(Clone, Copy)]
struct Sight<'a> {
    page: &'a Page,
    words: &'a PageWords,
    reading: Option<&'a Reading>,
}

impl Judge {
    /// Who judges nothing.
    pub const NONE: Self = Self { test: Test::None };

    /// A judge of `kind` for what is wanted.
    pub fn new(kind: &JudgeKind, subject: &Subject, known: &Known) -> Result<Self, SteeringConfigError> {
        Test::new(kind, subject, known).map(|test| Self { test })
    }

    /// What the user should know of it on this site.
    pub fn notes(&self) -> Vec<String> {
        self.test.notes()
    }

    /// What a page is worth and why, if that is what it is judged by.
    pub fn worth(&self, page: &Page, reading: Option<&Reading>) -> Option<Worth> {
        match &self.test {
            Test::Want { want, .. } => Some(want.worth(page, reading)),
            _ => None,
        }
    }

    /// Judges a page. `reading` is what the site's model says of it, if the site was learned.
    pub fn judge(&self, page: &Page, words: &PageWords, reading: Option<&Reading>) -> Judgement {
        self.test.judge(Sight { page, words, reading })
    }
}

impl Test {
    fn new(kind: &JudgeKind, subject: &Subject, known: &Known) -> Result<Self, SteeringConfigError> {
        let several = |of: &[JudgeKind]| match of {
            [] => Err(SteeringConfigError::new("judge.of", "is empty; give at least one judge")),
            _ => of.iter().map(|kind| Self::new(kind, subject, known)).collect::<Result<Vec<_>, _>>(),
        };
        match kind {
            JudgeKind::None {} => Ok(Self::None),
            JudgeKind::Tags { .. } if subject.tags.is_empty() => {
                Err(SteeringConfigError::new("judge.kind", "`tags` needs `topic.tags`"))
            }
            JudgeKind::Tags { threshold } => {
                let tags = Matcher::new(subject.tags.iter().map(String::as_str));
                Ok(Self::Tags { tags, threshold: share(*threshold)? })
            }
            JudgeKind::Terms { .. } if subject.is_silent() => Err(SteeringConfigError::new(
                "judge.kind",
                "`terms` needs `topic.tags` or `topic.content_terms`",
            )),
            JudgeKind::Terms { threshold } => {
                let wanted = Wanted::new(subject.words().map(|word| (word, 1.0)));
                Ok(Self::Terms { wanted, threshold: share(*threshold)? })
            }
            JudgeKind::Taxonomy { threshold, language } => {
                if subject.nodes().next().is_none() {
                    let message = "`taxonomy` needs `topic.node`; for words alone there is `terms`";
                    return Err(SteeringConfigError::new("judge.kind", message));
                }
                let aims = Aims::of_nodes(subject)?.only(*language);
                Ok(Self::Taxonomy { aims, threshold: share(*threshold)? })
            }
            JudgeKind::Genre { threshold, one_set, mix } => {
                let scorer = GenreScorer::of_subject(subject, known, *one_set, *mix)?;
                Ok(Self::Genre { scorer, threshold: share(*threshold)? })
            }
            JudgeKind::Model { threshold, training } => {
                let model = PageModel::learn(known, training)?;
                Ok(Self::Model { model, threshold: share(*threshold)? })
            }
            JudgeKind::Want { threshold } => {
                Ok(Self::Want { want: Want::new(subject, known)?, threshold: share(*threshold)? })
            }
            JudgeKind::PageType { types } if types.is_empty() => Err(SteeringConfigError::new(
                "judge.types",
                "is empty; give some of `list`, `detail`, `profile`, `other`",
            )),
            JudgeKind::PageType { types } => Ok(Self::PageType(types.clone())),
            JudgeKind::Cluster {} => match &known.site {
                Some(site) if known.examples.iter().any(|example| example.is_wanted) => {
                    wanted_clusters("judge `cluster`", site, known).map(|wanted| Self::Cluster(Some(wanted)))
                }
                _ => Ok(Self::Cluster(None)),
            },
            JudgeKind::All { of } => several(of).map(Self::All),
            JudgeKind::Any { of } => several(of).map(Self::Any),
            JudgeKind::Not { of } => Ok(Self::Not(Box::new(Self::new(of, subject, known)?))),
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Self::Want { want, .. } => want.notes(),
            Self::All(tests) | Self::Any(tests) => tests.iter().flat_map(Self::notes).collect(),
            Self::Not(test) => test.notes(),
            _ => Vec::new(),
        }
    }

    fn judge(&self, sight: Sight<'_>) -> Judgement {
        match self {
            Self::None => Judgement::default(),
            Self::Tags { tags, threshold } => Judgement::by(tag_share(tags, sight), *threshold),
            Self::Terms { wanted, threshold } => {
                Judgement::by(wanted.cosine_words(sight.words.of(sight.page)), *threshold)
            }
            Self::Taxonomy { aims, threshold } => {
                Judgement::by(aims.near_description(sight.words.of(sight.page)), *threshold)
            }
            Self::Genre { scorer, threshold } => {
                let words = sight.words.of(sight.page);
                Judgement::by(scorer.score(words, sight.page.url().as_str()).total, *threshold)
            }
            Self::Model { model, threshold } => {
                Judgement::by(model.score(sight.words.of(sight.page)), *threshold)
            }
            Self::Want { want, threshold } => {
                Judgement::by(want.value(sight.page, sight.reading), *threshold)
            }
            Self::PageType(types) => {
                Judgement::certain(sight.reading.is_some_and(|reading| types.contains(&reading.page_type)))
            }
            Self::Cluster(like_examples) => Judgement::certain(sight.reading.is_some_and(|reading| {
                match (like_examples, reading.cluster) {
                    (None, _) => reading.wanted == Some(true),
                    (Some(wanted), Some(cluster)) => wanted.get(cluster as usize) == Some(&true),
                    (Some(_), None) => false,
                }
            })),
            Self::All(tests) => Self::joined(tests, sight, f32::min, |all, one| all && one, (1.0, true)),
            Self::Any(tests) => Self::joined(tests, sight, f32::max, |any, one| any || one, (0.0, false)),
            Self::Not(test) => {
                let of = test.judge(sight);
                Judgement { relevance: of.relevance.map(|relevance| 1.0 - relevance), relevant: !of.relevant }
            }
        }
    }

    fn joined(
        tests: &[Self],
        sight: Sight<'_>,
        relevance: fn(f32, f32) -> f32,
        relevant: fn(bool, bool) -> bool,
        start: (f32, bool),
    ) -> Judgement {
        let (sum, holds) = tests.iter().map(|test| test.judge(sight)).fold(start, |(sum, holds), one| {
            (relevance(sum, one.relevance.unwrap_or(0.0)), relevant(holds, one.relevant))
        });
        Judgement { relevance: Some(sum), relevant: holds }
    }
}

fn share(threshold: f32) -> Result<f32, SteeringConfigError> {
    match (0.0..=1.0).contains(&threshold) {
        true => Ok(threshold),
        false => Err(SteeringConfigError::new(
            "judge.threshold",
            format!("`{threshold}`: expected a number from 0 to 1"),
        )),
    }
}

/// The share of the tags that the page's record has; of a page without one, those that stand in its text, its title or
/// its keywords.
fn tag_share(tags: &Matcher, sight: Sight<'_>) -> f32 {
    let words = sight.words.of(sight.page);
    let mut hits = Hits::default();
    let record = sight.reading.and_then(|reading| reading.record.as_ref());
    let record = record.filter(|record| record.kind == RecordKind::Detail && !record.tags.is_empty());
    let texts: Vec<&str> = match record {
        Some(record) => {
            hits.reset(tags.phrases().len());
            record.tags.iter().map(String::as_str).collect()
        }
        None => {
            tags.count_words(words, &mut hits);
            vec![sight.page.title(), sight.page.keywords().unwrap_or_default()]
        }
    };
    let mut found: Vec<bool> = hits.counts().iter().map(|count| *count > 0).collect();
    for text in texts {
        with_reader(|reader| tags.count(reader, text, words.language(), &mut hits));
        found.iter_mut().zip(hits.counts()).for_each(|(found, count)| *found |= *count > 0);
    }
    found.iter().filter(|found| **found).count() as f32 / found.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};
    use osprey_structure::extract::Record;

    use super::*;
    use crate::Example;

    fn page(body: &str) -> Page {
        let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
        Page::parse(&Input { url: &url, content_type: None, body: body.as_bytes() }, &PageRules::default())
    }

    #[test]
    fn kinds_of_page_are_judged_by_the_sites_model() {
        let page = page("x");
        let check = |kind: &JudgeKind, reading: Option<Reading>, expect: bool| {
            let judge = Judge::new(kind, &Subject::default(), &Known::default()).unwrap();
            let judgement = judge.judge(&page, &PageWords::default(), reading.as_ref());
            assert_eq!(judgement, Judgement::certain(expect));
        };
        let reading = |page_type, wanted| Some(Reading { page_type, wanted, ..Reading::default() });
        let details = JudgeKind::PageType { types: vec![PageType::Detail, PageType::Profile] };
        check(&details, reading(PageType::Detail, None), true);
        check(&details, reading(PageType::List, Some(true)), false);
        check(&details, None, false);
        check(&JudgeKind::Cluster {}, reading(PageType::List, Some(true)), true);
        check(&JudgeKind::Cluster {}, reading(PageType::Detail, Some(false)), false);
        check(&JudgeKind::Cluster {}, reading(PageType::Detail, None), false);
    }

    /// One of two tags: a share of a half.
    #[test]
    fn judges_are_joined() {
        let subject = Subject { tags: vec!["red".to_owned(), "green".to_owned()], ..Subject::default() };
        let page = page("a red car");
        let check = |text: &str, expect: (f32, bool)| {
            let kind: JudgeKind = toml::from_str(text).unwrap();
            let judge = Judge::new(&kind, &subject, &Known::default()).unwrap();
            let judgement = judge.judge(&page, &PageWords::default(), None);
            assert_eq!((judgement.relevance, judgement.relevant), (Some(expect.0), expect.1), "{text}");
        };
        let (some, both) = ("{ kind = \"tags\" }", "{ kind = \"tags\", threshold = 1 }");
        check("kind = \"tags\"", (0.5, true));
        check(&format!("kind = \"all\"\nof = [{some}, {both}]"), (0.5, false));
        check(&format!("kind = \"any\"\nof = [{some}, {both}]"), (0.5, true));
        check(&format!("kind = \"not\"\nof = {both}"), (0.5, true));
        check(&format!("kind = \"all\"\nof = [{some}, {{ kind = \"cluster\" }}]"), (0.0, false));
    }

    /// Phrases in order, forms of a word, Chinese; in text, title and keywords. Of four tags.
    #[test]
    fn tags_are_found_as_phrases() {
        let tags = ["red flowers", "summer", "篮球", "the"].map(str::to_owned).to_vec();
        let subject = Subject { tags, ..Subject::default() };
        let judge = Judge::new(&JudgeKind::Tags { threshold: 0.5 }, &subject, &Known::default()).unwrap();
        let check = |body: &str, expect: f32| {
            let judgement = judge.judge(&page(body), &PageWords::default(), None);
            assert_eq!((judgement.relevance, judgement.relevant), (Some(expect), expect >= 0.5), "{body}");
        };
        check("<p lang=en>A red flower in the garden of the house", 0.25);
        check("<p>A flower, red in the garden of the house", 0.0);
        check("<title>Summers</title><p>A red flower in the garden of the house", 0.5);
        check("<meta name=keywords content='summer'><p>这是篮球比赛", 0.5);
        check("", 0.0);
    }

    /// Terms (red, flower) of length sqrt 2 against red 2, flower 1, x8 2, of length 3.
    #[test]
    fn terms_by_hand() {
        let subject = Subject { content_terms: vec!["red flower".to_owned()], ..Subject::default() };
        let judge = Judge::new(&JudgeKind::Terms { threshold: 0.1 }, &subject, &Known::default()).unwrap();
        let judgement = judge.judge(&page("red flower red x8 x8"), &PageWords::default(), None);
        let near = judgement.relevance.is_some_and(|found| (found - 1.0 / 2f32.sqrt()).abs() < 1e-6);
        assert!(near && judgement.relevant, "{judgement:?}");
    }

    /// Equation 9: the description is (basketball, hoop) in English, 篮球 and 篮筐 in Chinese.
    #[test]
    fn a_topics_description() {
        let taxonomy = "topic = [{ name = 'basketball', en = 'Basketball', zh = '篮球', description = 'hoops', \
                        description_zh = '篮筐' }]";
        let nodes = vec!["basketball".to_owned()];
        let subject = Subject { taxonomy: Some(taxonomy.to_owned()), nodes, ..Subject::default() };
        let kind: JudgeKind = toml::from_str("kind = \"taxonomy\"").unwrap();
        let judge = Judge::new(&kind, &subject, &Known::default()).unwrap();
        let check = |body: &str, expect: f32, relevant| {
            let judgement = judge.judge(&page(body), &PageWords::default(), None);
            let near = judgement.relevance.is_some_and(|found| (found - expect).abs() < 1e-6);
            assert!(near && judgement.relevant == relevant, "{body}: {judgement:?}");
        };
        check("<html lang=en><p>hoops", 0.5f32.sqrt(), true);
        check("<p>篮球", 0.5f32.sqrt(), true);
        check("<html lang=en><p>tennis", 0.0, false);
    }

    /// Genre: 2 of 2 terms, 1. Content: 1 of 4, 1/2. Together 3/4; in one set 3 of 6: sqrt(1/2).
    #[test]
    fn genre_and_content_are_judged_apart() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        let subject = Subject {
            genre_terms: words(&["syllabus", "exam"]),
            content_terms: words(&["sql", "trigger", "query", "join"]),
            ..Subject::default()
        };
        let page = page("syllabus. exam. sql");
        let check = |rest: &str, relevance: f32, relevant: bool| {
            let kind: JudgeKind = toml::from_str(&format!("kind = \"genre\"\n{rest}")).unwrap();
            let judge = Judge::new(&kind, &subject, &Known::default()).unwrap();
            let judgement = judge.judge(&page, &PageWords::default(), None);
            let found = judgement.relevance.unwrap();
            assert!((found - relevance).abs() < 1e-6 && judgement.relevant == relevant, "{rest}: {found}");
        };
        check("", 0.75, true);
        check("threshold = 0.8", 0.75, false);
        check("threshold = 0.7\none_set = true", 0.5f32.sqrt(), true);
        check("mix = { genre = 1, content = 3 }", 0.625, true);
    }

    #[test]
    fn models_judge_by_example() {
        let example = |body: &str, is_wanted| Example { page: Arc::new(page(body)), is_wanted };
        let examples = vec![example("exam grades sql", true), example("buy now cheap", false)];
        let known = Known { examples, ..Known::default() };
        let kind = JudgeKind::Model { threshold: 0.5, training: SvmRules::default() };
        assert!(kind.needs_examples());
        let judge = Judge::new(&kind, &Subject::default(), &known).unwrap();
        let relevant = |body: &str| judge.judge(&page(body), &PageWords::default(), None).relevant;
        assert!(relevant("sql exam") && !relevant("cheap cars: buy"));
        let one_sided = Known { examples: vec![example("exam", true)], ..Known::default() };
        let unfit = Judge::new(&kind, &Subject::default(), &one_sided).unwrap_err();
        assert_eq!(unfit.key, "topic.counter_examples");
    }

    /// The page's side bar names the topic; its own tags do not, or do.
    #[test]
    fn tags_of_a_record_come_before_the_text() {
        let subject = Subject { tags: vec!["red car".to_owned(), "green".to_owned()], ..Subject::default() };
        let kind = JudgeKind::Tags { threshold: 0.0 };
        let judge = Judge::new(&kind, &subject, &Known::default()).unwrap();
        let page = page("popular: green");
        let check = |kind: RecordKind, tags: &[&str], expect: f32| {
            let mut record = Record::new("http://a.example/", kind);
            record.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
            let reading = Reading { record: Some(record), ..Reading::default() };
            let judgement = judge.judge(&page, &PageWords::default(), Some(&reading));
            assert_eq!(judgement.relevance, Some(expect), "{tags:?}");
        };
        check(RecordKind::Detail, &["blue"], 0.0);
        check(RecordKind::Detail, &["blue", "Red car"], 0.5);
        check(RecordKind::Detail, &["red", "car"], 0.0);
        check(RecordKind::Detail, &[], 0.5);
        check(RecordKind::Profile, &["blue"], 0.5);
    }

    #[test]
    fn keys_that_no_judge_has_are_named() {
        for kind in ["none", "cluster", "tags", "terms", "taxonomy", "genre", "model"] {
            let wrong = toml::from_str::<JudgeKind>(&format!("kind = \"{kind}\"\nthreshhold = 0.5"));
            let message = wrong.unwrap_err().to_string();
            assert!(message.contains("unknown field `threshhold`"), "{kind}: {message}");
            assert!(toml::from_str::<JudgeKind>(&format!("kind = \"{kind}\"")).is_ok(), "{kind}");
        }
    }

    #[test]
    fn judges_that_cannot_judge_say_what_is_missing() {
        let check = |text: &str, key: &str, expect: &str| {
            let kind: JudgeKind = toml::from_str(text).unwrap();
            let unfit = Judge::new(&kind, &Subject::default(), &Known::default()).unwrap_err();
            assert!(unfit.key == key && unfit.message.contains(expect), "{unfit}");
        };
        check("kind = \"tags\"", "judge.kind", "`topic.tags`");
        check("kind = \"terms\"", "judge.kind", "`topic.content_terms`");
        check("kind = \"taxonomy\"", "judge.kind", "`topic.node`");
        check("kind = \"page-type\"\ntypes = []", "judge.types", "`detail`");
        check("kind = \"genre\"", "topic.genre_terms", "give genre terms, content terms or both");
        check("kind = \"model\"", "topic.examples", "0 wanted and 0 unwanted");
        check("kind = \"all\"\nof = []", "judge.of", "at least one");
    }
}
