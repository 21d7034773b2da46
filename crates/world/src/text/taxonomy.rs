//! The topics of all worlds: branches and leaves, read once from `data/topics/*.txt`.
//!
//! The files are lines of `key value`; an indented line continues the line before. `branch` and `topic` begin an entry,
//! lists are separated by commas. Reading never fails and leaves out unknown keys; the tests of this file reject
//! malformed entries. Some words are in several topics on purpose (`court`, `match`, `bank`).

use std::ops::Range;
use std::sync::LazyLock;

use super::Language;
use super::draw::Draw;

/// One file per branch, in the order of the topics' numbers.
const FILES: &[&str] = &[
    include_str!("../../data/topics/sports.txt"),
    include_str!("../../data/topics/nature.txt"),
    include_str!("../../data/topics/arts.txt"),
    include_str!("../../data/topics/film.txt"),
    include_str!("../../data/topics/computing.txt"),
    include_str!("../../data/topics/science.txt"),
    include_str!("../../data/topics/health.txt"),
    include_str!("../../data/topics/business.txt"),
    include_str!("../../data/topics/travel.txt"),
    include_str!("../../data/topics/home.txt"),
    include_str!("../../data/topics/games.txt"),
    include_str!("../../data/topics/vehicles.txt"),
];

/// The number of a leaf of the taxonomy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TopicId(pub(crate) u16);

/// A leaf of the taxonomy with its words.
#[derive(Clone, Debug, Default)]
pub(crate) struct TopicWords {
    /// The path: `Sports/Basketball`.
    pub(crate) name: String,
    /// `Basketball`.
    pub(crate) label_en: String,
    /// `篮球`.
    pub(crate) label_zh: String,
    /// The Chinese label in pinyin: `lanqiu`.
    pub(crate) pinyin: String,
    /// The first letters of its syllables: `lq`.
    pub(crate) initials: String,
    /// How the English label is usually shortened.
    pub(crate) abbreviation: Option<String>,
    /// English words and short terms, the strongest first.
    pub(crate) en: Vec<String>,
    /// Chinese words, the strongest first.
    pub(crate) zh: Vec<String>,
    /// Tags as users write them, the commonest first.
    pub(crate) tags: Vec<String>,
    /// Topics that share words with this one and that its friends also like.
    pub(crate) related: Vec<TopicId>,
    /// Two or three sentences, as a directory's editor would write them.
    pub(crate) description_en: String,
    /// The same in Chinese.
    pub(crate) description_zh: String,
    draws: Draws,
}

#[derive(Clone, Debug, Default)]
struct Draws {
    en: Draw,
    zh: Draw,
}

impl TopicWords {
    /// The word that these random bits draw.
    pub(super) fn draw_word(&self, language: Language, bits: u64) -> &str {
        let (words, draw) = match language {
            Language::English => (&self.en, &self.draws.en),
            Language::Chinese => (&self.zh, &self.draws.zh),
        };
        words.get(draw.draw(bits)).map_or("", String::as_str)
    }
}

/// An inner node of the taxonomy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch {
    /// `Sports`.
    pub(crate) label_en: String,
    /// `体育`.
    pub(crate) label_zh: String,
    /// The Chinese label in pinyin.
    pub(crate) pinyin: String,
    /// The first letters of its syllables.
    pub(crate) initials: String,
    /// How the English label is usually shortened.
    pub(crate) abbreviation: Option<String>,
    /// As a directory's editor would write it.
    pub(crate) description_en: String,
    /// The same in Chinese.
    pub(crate) description_zh: String,
    /// Its leaves, as places in [`topics`].
    pub(crate) topics: Range<usize>,
}

/// A node of the taxonomy of the worlds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaxonomyNode {
    /// The path from the root, `Sports/Basketball`; empty at the root.
    pub name: String,
    /// The English label.
    pub label_en: String,
    /// The Chinese label.
    pub label_zh: String,
    /// What it is about.
    pub description_en: String,
    /// The same in Chinese.
    pub description_zh: String,
    /// The Chinese label in pinyin.
    pub pinyin: String,
    /// The first letters of its syllables.
    pub initials: String,
    /// How the English label is usually shortened.
    pub abbreviation: Option<String>,
    /// The nodes below.
    pub children: Vec<TaxonomyNode>,
}

/// The whole taxonomy: a root, the branches, their leaves.
pub fn taxonomy() -> TaxonomyNode {
    let leaf = |topic: &TopicWords| TaxonomyNode {
        name: topic.name.clone(),
        label_en: topic.label_en.clone(),
        label_zh: topic.label_zh.clone(),
        description_en: topic.description_en.clone(),
        description_zh: topic.description_zh.clone(),
        pinyin: topic.pinyin.clone(),
        initials: topic.initials.clone(),
        abbreviation: topic.abbreviation.clone(),
        children: Vec::new(),
    };
    let inner = |branch: &Branch| TaxonomyNode {
        name: branch.label_en.clone(),
        label_en: branch.label_en.clone(),
        label_zh: branch.label_zh.clone(),
        description_en: branch.description_en.clone(),
        description_zh: branch.description_zh.clone(),
        pinyin: branch.pinyin.clone(),
        initials: branch.initials.clone(),
        abbreviation: branch.abbreviation.clone(),
        children: topics().get(branch.topics.clone()).unwrap_or_default().iter().map(leaf).collect(),
    };
    TaxonomyNode {
        label_en: "Top".to_owned(),
        label_zh: "首页".to_owned(),
        pinyin: "shouye".to_owned(),
        initials: "sy".to_owned(),
        children: branches().iter().map(inner).collect(),
        ..TaxonomyNode::default()
    }
}

/// All leaves, in the order of their numbers.
pub(crate) fn topics() -> &'static [TopicWords] {
    &TAXONOMY.topics
}

/// All branches, in the order of their leaves.
pub(crate) fn branches() -> &'static [Branch] {
    &TAXONOMY.branches
}

/// One leaf; `None` if the number is unknown.
pub(super) fn topic(id: TopicId) -> Option<&'static TopicWords> {
    topics().get(usize::from(id.0))
}

static TAXONOMY: LazyLock<Taxonomy> = LazyLock::new(|| Taxonomy::read(FILES));

#[derive(Debug, Default)]
struct Taxonomy {
    branches: Vec<Branch>,
    topics: Vec<TopicWords>,
}

impl Taxonomy {
    fn read(files: &[&str]) -> Self {
        let mut all = Self::default();
        let mut related: Vec<Vec<String>> = Vec::new();
        for (key, value) in files.iter().flat_map(|file| entries(file)) {
            match key {
                "branch" => {
                    let end = all.topics.len();
                    all.branches.push(Branch { label_en: value, topics: end..end, ..Branch::default() });
                }
                "topic" => {
                    let Some(branch) = all.branches.last_mut() else { continue };
                    branch.topics.end += 1;
                    let name = format!("{}/{value}", branch.label_en);
                    all.topics.push(TopicWords { name, label_en: value, ..TopicWords::default() });
                    related.push(Vec::new());
                }
                "related" => related.last_mut().into_iter().for_each(|names| *names = list(&value)),
                _ => all.set(key, value),
            }
        }
        all.finish(&related);
        all
    }

    /// Sets a field of the entry that was begun last.
    fn set(&mut self, key: &str, value: String) {
        let Some(branch) = self.branches.last_mut() else { return };
        if branch.topics.is_empty() {
            match key {
                "zh" => branch.label_zh = value,
                "pinyin" => branch.pinyin = value,
                "initials" => branch.initials = value,
                "abbreviation" => branch.abbreviation = Some(value),
                "about" => branch.description_en = value,
                "about-zh" => branch.description_zh = value,
                _ => {}
            }
        } else if let Some(topic) = self.topics.last_mut() {
            match key {
                "label" => topic.label_en = value,
                "zh" => topic.label_zh = value,
                "pinyin" => topic.pinyin = value,
                "initials" => topic.initials = value,
                "abbreviation" => topic.abbreviation = Some(value),
                "about" => topic.description_en = value,
                "about-zh" => topic.description_zh = value,
                "words" => topic.en = list(&value),
                "words-zh" => topic.zh = list(&value),
                "tags" => topic.tags = list(&value),
                _ => {}
            }
        }
    }

    /// Resolves the names of related topics and prepares the draws.
    fn finish(&mut self, related: &[Vec<String>]) {
        let id = |topics: &[TopicWords], name: &str| {
            topics.iter().position(|topic| topic.name == name).map(|place| TopicId(place as u16))
        };
        for (place, names) in related.iter().enumerate() {
            let ids = names.iter().filter_map(|name| id(&self.topics, name)).collect();
            self.topics[place].related = ids;
        }
        for topic in &mut self.topics {
            topic.draws.en = Draw::zipf(topic.en.len(), 3.0, 0.9);
            topic.draws.zh = Draw::zipf(topic.zh.len(), 3.0, 0.9);
        }
    }
}

/// The `key value` lines of a file, with their continuations.
fn entries(file: &str) -> Vec<(&str, String)> {
    let mut entries: Vec<(&str, String)> = Vec::new();
    for line in file.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if line.starts_with(' ') {
            if let Some((_, value)) = entries.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            entries.push((key, value.trim().to_owned()));
        }
    }
    entries
}

fn list(value: &str) -> Vec<String> {
    value.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn distinct(words: &[String]) -> bool {
        words.iter().collect::<HashSet<_>>().len() == words.len()
    }

    #[test]
    fn indented_lines_continue_the_one_before() {
        let check = |file, expect: &[(&str, &str)]| {
            let found = entries(file);
            let found: Vec<_> = found.iter().map(|(key, value)| (*key, value.as_str())).collect();
            assert_eq!(found, expect);
        };
        check("", &[]);
        check("# no\ntopic Tea\n\nwords a, b,\n  c d\n", &[("topic", "Tea"), ("words", "a, b, c d")]);
        check("  lost\nbare", &[("bare", "")]);
    }

    #[test]
    fn there_are_enough_topics_in_both_languages() {
        assert!(branches().len() >= 10 && topics().len() >= 40);
        assert!(branches().iter().all(|branch| branch.topics.len() >= 3));
        assert_eq!(branches().iter().map(|branch| branch.topics.len()).sum::<usize>(), topics().len());
        let names: HashSet<_> = topics().iter().map(|topic| &topic.name).collect();
        assert_eq!(names.len(), topics().len());
    }

    #[test]
    fn every_topic_is_complete() {
        let plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase());
        for topic in topics() {
            let name = &topic.name;
            assert!((40..=90).contains(&topic.en.len()) && distinct(&topic.en), "{name}: words");
            assert!((25..=50).contains(&topic.zh.len()) && distinct(&topic.zh), "{name}: Chinese words");
            assert!((15..=30).contains(&topic.tags.len()) && distinct(&topic.tags), "{name}: tags");
            assert!(topic.en.iter().all(|word| word.is_ascii() && !word.contains('/')), "{name}: English");
            assert!(topic.zh.iter().all(|word| !word.is_ascii() && !word.contains(' ')), "{name}: Chinese");
            assert!(plain(&topic.pinyin) && plain(&topic.initials), "{name}: pinyin");
            assert_eq!(
                topic.initials.len(),
                topic.label_zh.chars().count(),
                "{name}: one initial per syllable"
            );
            assert!(topic.abbreviation.as_deref().is_none_or(plain), "{name}: abbreviation");
            assert!(topic.description_en.matches('.').count() >= 2, "{name}: description");
            assert!(topic.description_zh.matches('。').count() >= 2, "{name}: Chinese description");
        }
        for branch in branches() {
            assert!(plain(&branch.pinyin) && !branch.label_zh.is_empty(), "{}", branch.label_en);
            assert!(!branch.description_en.is_empty() && !branch.description_zh.is_empty());
        }
    }

    #[test]
    fn every_related_topic_exists_and_is_another() {
        let named = FILES.iter().flat_map(|file| entries(file)).filter(|(key, _)| *key == "related");
        for ((_, names), topic) in named.zip(topics()) {
            assert!(topic.related.len() >= 2, "{}", topic.name);
            assert_eq!(topic.related.len(), list(&names).len(), "{}: `{names}`", topic.name);
            assert!(topic.related.iter().all(|id| topics()[usize::from(id.0)].name != topic.name));
        }
    }

    #[test]
    fn topics_share_words() {
        let mut uses: HashMap<&str, usize> = HashMap::new();
        topics().iter().flat_map(|topic| &topic.en).for_each(|word| *uses.entry(word).or_default() += 1);
        for word in ["court", "match", "table", "tree", "bank", "shell", "branch", "star"] {
            assert!(uses.get(word).is_some_and(|count| *count >= 2), "`{word}` has one meaning only");
        }
        let shared = |topic: &TopicWords| topic.en.iter().filter(|word| uses[word.as_str()] > 1).count();
        for topic in topics() {
            let share = shared(topic) as f64 / topic.en.len() as f64;
            assert!(
                (0.1..0.9).contains(&share),
                "{}: {share:.2} of the words stand elsewhere too",
                topic.name
            );
        }
    }

    #[test]
    fn chinese_fits_into_gbk() {
        for text in FILES
            .iter()
            .chain(&[include_str!("../../data/chinese.txt"), include_str!("../../data/names.txt")])
        {
            assert!(!encoding_rs::GBK.encode(text).2);
        }
    }

    #[test]
    fn the_taxonomy_has_three_levels() {
        let root = taxonomy();
        assert_eq!(root.children.len(), branches().len());
        let leaves: Vec<_> = root.children.iter().flat_map(|branch| &branch.children).collect();
        assert_eq!(leaves.len(), topics().len());
        assert!(leaves.iter().zip(topics()).all(|(leaf, topic)| leaf.name == topic.name));
        assert_eq!(leaves[0].name, "Sports/Basketball");
        assert_eq!((leaves[0].pinyin.as_str(), leaves[0].initials.as_str()), ("lanqiu", "lq"));
    }
}
