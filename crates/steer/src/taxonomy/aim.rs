//! The words of the topic of a crawl: a topic of a taxonomy with its ancestors, or the words that a user gave.
//!
//! Chen et al. 2009 only use topics of a taxonomy. Without a node, the topic is made of tags and terms: all count the
//! same, none is above another, and a URL that contains one of them matches it.
//!
//! Several topics are several aims, and the nearest counts: a page about one of them is as good as a page about
//! another. One vector of all would make every page less similar, the less the more topics there are.

use osprey_text::{Language, Wanted, Words, with_reader};
use serde::{Deserialize, Serialize};

use super::{NodeId, Taxonomy, Topic, TopicLanguage};
use crate::{SteeringConfigError, Subject};

/// What goes first where a subject has both words and a node of a taxonomy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AimBy {
    /// Tags and terms.
    #[default]
    Words,
    /// The labels of the node and of the way to it.
    Node,
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Aim {
    /// Labels with their weights, in English and in Chinese.
    labels: [Wanted; 2],
    /// The whole description, in English and in Chinese.
    description: [Wanted; 2],
    /// What may stand in URLs, and how much of the topic each is.
    names: Vec<(Topic, f32)>,
    /// Whether pinyin in URLs counts.
    is_in_pinyin: bool,
}

const LANGUAGES: [TopicLanguage; 2] = [TopicLanguage::English, TopicLanguage::Chinese];

impl Aim {
    /// Of a node of a taxonomy: the labels of the way to it, Chen et al. 2009's `v_t`, and its description, `Desc`.
    pub fn of_node(taxonomy: &Taxonomy, node: NodeId) -> Self {
        let context = taxonomy.context(node);
        let labels = LANGUAGES.map(|language| {
            Wanted::new(context.iter().map(|(node, weight)| (taxonomy.label(*node, language), *weight)))
        });
        let description = LANGUAGES.map(|language| {
            Wanted::new(taxonomy.description(node, language).into_iter().map(|text| (text, 1.0)))
        });
        // equation 6: beta makes the weights add up to 1
        let sum: f32 = context.iter().map(|(_, weight)| weight).sum();
        let names = context.iter().map(|(node, weight)| (taxonomy.topic(*node).clone(), weight / sum));
        Self { labels, description, names: names.collect(), is_in_pinyin: true }
    }

    /// Of words and phrases, each as good as the others.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let words: Vec<&str> = words.into_iter().collect();
        let wanted = Wanted::new(words.iter().map(|word| (*word, 1.0)));
        let name = |word: &&str| {
            let word = (*word).to_owned();
            let (en, zh) =
                if word.is_ascii() { (word.clone(), String::new()) } else { (String::new(), word.clone()) };
            (Topic { name: word, en, zh, ..Topic::default() }, 1.0)
        };
        let names = words.iter().map(name).collect();
        let (labels, description) = ([wanted.clone(), wanted.clone()], [wanted.clone(), wanted]);
        Self { labels, description, names, is_in_pinyin: true }
    }

    /// For pages in one language only, if one is given: those in others have nothing of the topic. Chinese sites write
    /// English words in their URLs, English ones no pinyin.
    pub fn only(mut self, language: Option<TopicLanguage>) -> Self {
        let Some(language) = language else { return self };
        let other = match language {
            TopicLanguage::English => 1,
            TopicLanguage::Chinese => 0,
        };
        (self.labels[other], self.description[other]) = (Wanted::default(), Wanted::default());
        self.is_in_pinyin = language == TopicLanguage::Chinese;
        self
    }

    /// The labels for pages in a language: Chinese ones for Chinese, English ones for all others.
    pub fn labels(&self, language: Language) -> &Wanted {
        in_tongue(&self.labels, language)
    }

    /// The description for pages in a language.
    pub fn description(&self, language: Language) -> &Wanted {
        in_tongue(&self.description, language)
    }

    /// What may stand in URLs, with the share of the topic that it is.
    pub fn names(&self) -> &[(Topic, f32)] {
        &self.names
    }

    /// Whether pinyin in URLs counts.
    pub(crate) fn is_in_pinyin(&self) -> bool {
        self.is_in_pinyin
    }

    /// Whether it is all words that say nothing, in English or in a language that is not known.
    fn is_empty(&self) -> bool {
        let is_empty =
            |language| with_reader(|reader| self.labels(language).vector(reader, language).is_empty());
        is_empty(Language::Unknown) && is_empty(Language::English)
    }
}

/// What is looked for, of one or several topics.
#[derive(Clone, Debug)]
pub struct Aims(Vec<Aim>);

impl Aims {
    /// Of what a user asked for; `who` needs it, for the message.
    pub(crate) fn of_subject(subject: &Subject, by: AimBy, who: &str) -> Result<Self, SteeringConfigError> {
        match (subject.nodes().next().is_some(), subject.is_silent(), by) {
            (true, true, _) | (true, _, AimBy::Node) => Self::of_nodes(subject),
            (_, false, _) => {
                let aim = Aim::of_words(subject.words());
                if aim.is_empty() {
                    let given = subject.words().take(3).collect::<Vec<_>>().join("`, `");
                    let message = format!("`{given}`: contains only stop words");
                    return Err(SteeringConfigError::new("topic.tags", message));
                }
                Ok(Self(vec![aim]))
            }
            (false, true, _) => {
                let message = format!(
                    "`{who}` needs a topic: give `topic.node`, or words in `topic.tags` or `topic.content_terms`"
                );
                Err(SteeringConfigError::new("policy.kind", message))
            }
        }
    }

    /// Of the subject's nodes, in its own taxonomy or in the one that ships.
    pub(crate) fn of_nodes(subject: &Subject) -> Result<Self, SteeringConfigError> {
        let unknown = |error: super::FindError| SteeringConfigError::new("topic.node", error.to_string());
        let own = subject.taxonomy.as_deref().map(Taxonomy::parse).transpose();
        let own = own.map_err(|error| SteeringConfigError::new("topic.taxonomy", error.to_string()))?;
        let taxonomy = own.as_ref().unwrap_or(Taxonomy::shipped());
        let aim = |node| Ok(Aim::of_node(taxonomy, taxonomy.find(node).map_err(unknown)?));
        let aims = subject.nodes().map(aim).collect::<Result<Vec<_>, _>>()?;
        if aims.len() > MAX_TOPICS {
            let message = format!("{} topics, expected at most {MAX_TOPICS}", aims.len());
            return Err(SteeringConfigError::new("topic.node", message));
        }
        Ok(Self(aims))
    }

    /// The topics, each by itself.
    pub(crate) fn into_aims(self) -> Vec<Aim> {
        self.0
    }

    /// For pages in one language only, if one is given.
    pub(crate) fn only(self, language: Option<TopicLanguage>) -> Self {
        Self(self.0.into_iter().map(|aim| aim.only(language)).collect())
    }

    /// The topics one by one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Aim> {
        self.0.iter()
    }

    /// The same, to keep.
    pub(crate) fn into_vec(self) -> Vec<Aim> {
        self.0
    }

    /// The best of `score` over the topics; 0 at least.
    pub(crate) fn best(&self, score: impl FnMut(&Aim) -> f32) -> f32 {
        self.0.iter().map(score).fold(0.0, f32::max)
    }

    /// Equation 1: how near a page is to the labels of the nearest topic.
    pub(crate) fn near_labels(&self, words: &Words) -> f32 {
        self.best(|aim| aim.labels(words.language()).cosine_words(words))
    }

    /// Equation 9: how near a page is to the description of the nearest topic.
    pub(crate) fn near_description(&self, words: &Words) -> f32 {
        self.best(|aim| aim.description(words.language()).cosine_words(words))
    }
}

/// Topics of one crawl: each costs a comparison of every page and link.
const MAX_TOPICS: usize = 100;

fn in_tongue(pair: &[Wanted; 2], language: Language) -> &Wanted {
    let [english, chinese] = pair;
    if language == Language::Chinese { chinese } else { english }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(tags: &[&str], node: Option<&str>, taxonomy: Option<&str>) -> Subject {
        Subject {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            nodes: node.map(str::to_owned).into_iter().collect(),
            taxonomy: taxonomy.map(str::to_owned),
            ..Subject::default()
        }
    }

    fn one(aims: Aims) -> Aim {
        let [aim] = <[Aim; 1]>::try_from(aims.into_vec()).unwrap();
        aim
    }

    /// Tennis alone is as near to (basketball, tennis) as to tennis.
    #[test]
    fn of_several_topics_the_nearest_counts() {
        let near = |nodes: &[&str], text: &str| {
            let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
            let aims = Aims::of_nodes(&Subject { nodes, ..Subject::default() }).unwrap();
            let words = Words::of(text, Some("en"));
            (aims.near_labels(&words), aims.near_description(&words))
        };
        let page = "tennis tennis garden window table";
        let (alone, both, other) = (
            near(&["tennis"], page),
            near(&["basketball", " ", "tennis"], page),
            near(&["basketball"], page),
        );
        assert_eq!(alone, both);
        assert!(both.0 > other.0 && both.1 > other.1, "{both:?} {other:?}");
    }

    fn texts(wanted: &Wanted) -> Vec<(&str, f32)> {
        wanted.texts().iter().map(|(text, weight)| (text.as_str(), *weight)).collect()
    }

    #[test]
    fn by_words_or_by_node() {
        let check = |subject: Subject, by, english: &[(&str, f32)], chinese: &[(&str, f32)]| {
            let aim = one(Aims::of_subject(&subject, by, "x").unwrap());
            assert_eq!(texts(aim.labels(Language::English)), english);
            assert_eq!(texts(aim.labels(Language::German)), english);
            assert_eq!(texts(aim.labels(Language::Chinese)), chinese);
        };
        let node = [("Sports", 0.5), ("Basketball", 1.0)];
        let node_zh = [("体育", 0.5), ("篮球", 1.0)];
        let words = [("hoops", 1.0)];
        check(subject(&[], Some("basketball"), None), AimBy::Words, &node, &node_zh);
        check(subject(&["hoops"], Some("basketball"), None), AimBy::Words, &words, &words);
        check(subject(&["hoops"], Some(" basketball "), None), AimBy::Node, &node, &node_zh);
        check(subject(&["hoops"], Some(" "), None), AimBy::Node, &words, &words);
    }

    #[test]
    fn one_language_alone() {
        let check = |language, english: usize, chinese: usize| {
            let aims = Aims::of_subject(&subject(&[], Some("basketball"), None), AimBy::Node, "x");
            let aim = one(aims.unwrap().only(language));
            let found = [Language::English, Language::Chinese].map(|language| {
                (texts(aim.labels(language)).len(), texts(aim.description(language)).is_empty())
            });
            assert_eq!(found, [(english, english == 0), (chinese, chinese == 0)], "{language:?}");
            assert_eq!(aim.is_in_pinyin(), chinese > 0);
        };
        check(None, 2, 2);
        check(Some(TopicLanguage::English), 2, 0);
        check(Some(TopicLanguage::Chinese), 0, 2);
    }

    #[test]
    fn names_share_the_topic() {
        let aim = one(Aims::of_subject(&subject(&[], Some("basketball"), None), AimBy::Node, "x").unwrap());
        let names: Vec<(&str, f32)> =
            aim.names().iter().map(|(topic, share)| (&*topic.name, *share)).collect();
        assert_eq!(names, [("sports", 1.0 / 3.0), ("basketball", 2.0 / 3.0)]);
        let aim = Aim::of_words(["red flower", "花"]);
        let names: Vec<(&str, &str)> =
            aim.names().iter().map(|(topic, _)| (&*topic.en, &*topic.zh)).collect();
        assert_eq!(names, [("red flower", ""), ("", "花")]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let check = |subject: Subject, key: &str, expect: &str| {
            let unfit = Aims::of_subject(&subject, AimBy::Node, "fcmrps").unwrap_err();
            assert_eq!((unfit.key, unfit.message.as_str()), (key, expect));
        };
        check(
            subject(&[], None, None),
            "policy.kind",
            "`fcmrps` needs a topic: give `topic.node`, or words in `topic.tags` or `topic.content_terms`",
        );
        check(subject(&["the", "of"], None, None), "topic.tags", "`the`, `of`: contains only stop words");
        check(
            subject(&[], Some("baskettball"), None),
            "topic.node",
            "topic `baskettball`: not in the taxonomy; the nearest is `basketball`",
        );
        check(
            subject(
                &[],
                Some("a"),
                Some(
                    "topic = [{ name = 'a', parent = 'b', en = 'A' }, { name = 'b', parent = 'a', en = 'B' }]",
                ),
            ),
            "topic.taxonomy",
            "topic `a`: it is its own ancestor: `a < b < a`",
        );
        check(
            subject(&[], Some("a"), Some("{ 1")),
            "topic.taxonomy",
            "taxonomy: key must be a string at line 1 column 3",
        );
    }
}
