//! The four predictions of a link and their sum.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::link_type::{Gammas, LinkType};
use super::tokens::TokenTable;
use super::url::UrlTopic;
use crate::taxonomy::{NodeId, Taxonomy, Tongue};
use crate::text::{Counts, Language, Reader, Sieve, Wanted};

/// Weights of the four predictions; the seed's are equal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelevanceWeights {
    /// Of the page's content.
    pub page: f32,
    /// Of the anchor.
    pub anchor: f32,
    /// Of the URL.
    pub url: f32,
    /// Of the link's type.
    pub link_type: f32,
}

impl Default for RelevanceWeights {
    fn default() -> Self {
        Self { page: 0.25, anchor: 0.25, url: 0.25, link_type: 0.25 }
    }
}

/// What is known of a link before it is fetched.
#[derive(Clone, Copy, Debug)]
pub struct LinkText<'a> {
    /// The URL of its page.
    pub from: &'a str,
    /// Where it leads.
    pub to: &'a str,
    /// What it says.
    pub anchor: &'a str,
    /// What stands around it.
    pub context: &'a str,
}

/// The parts of a link's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// `R_PC`.
    pub page: f32,
    /// `R_AT`.
    pub anchor: f32,
    /// `R_URL`.
    pub url: f32,
    /// `R_LT`.
    pub link_type: f32,
    /// What `link_type` is worth so much.
    pub kind: LinkType,
    /// `RS`, equation 8.
    pub score: f32,
}

/// A topic of a taxonomy, ready to score links and pages.
#[derive(Clone, Debug)]
pub struct TopicRelevance {
    /// Labels of the topic and its context, in English and in Chinese.
    labels: [Wanted; 2],
    /// The whole description, in English and in Chinese.
    description: [Wanted; 2],
    urls: UrlTopic,
    gammas: Gammas,
    weights: RelevanceWeights,
    /// Memory for one page: its words, and where words of the labels begin.
    words: Counts,
    places: Vec<usize>,
    /// Memory for one anchor.
    few: Counts,
}

const TONGUES: [Tongue; 2] = [Tongue::English, Tongue::Chinese];

impl TopicRelevance {
    /// For a topic of a taxonomy.
    pub fn new(
        taxonomy: &Taxonomy,
        node: NodeId,
        table: &TokenTable,
        gammas: Gammas,
        weights: RelevanceWeights,
    ) -> Self {
        let context = taxonomy.context(node);
        let labels = TONGUES.map(|tongue| {
            Wanted::new(context.iter().map(|(node, weight)| (taxonomy.label(*node, tongue), *weight)))
        });
        let description = TONGUES.map(|tongue| {
            Wanted::new(taxonomy.description(node, tongue).into_iter().map(|text| (text, 1.0)))
        });
        let urls = UrlTopic::new(taxonomy, node, table);
        let (words, few) = (Counts::default(), Counts::default());
        Self { labels, description, urls, gammas, weights, words, places: Vec::new(), few }
    }

    /// Reads a page. Links that stand on none, in a sitemap, are those of an empty text.
    pub fn open<'t>(&'t mut self, reader: &mut Reader, text: &'t str, language: Language) -> OpenPage<'t> {
        let labels = in_tongue(&mut self.labels, language).vector(reader, language);
        let mut sieve = Sieve::default();
        labels.entries().iter().for_each(|(term, _)| sieve.put(*term));
        self.words.clear();
        self.places.clear();
        reader.read(text, language, |word| {
            self.words.add(word.term);
            if sieve.may_have(word.term) {
                self.places.push(word.start);
            }
        });
        let relevance = labels.cosine_counts(&self.words);
        OpenPage { topic: self, text, language, relevance }
    }
}

/// A page that was read, and its links.
#[derive(Debug)]
pub struct OpenPage<'t> {
    topic: &'t mut TopicRelevance,
    text: &'t str,
    language: Language,
    relevance: f32,
}

impl OpenPage<'_> {
    /// Equation 1: `R_PC`.
    pub fn relevance(&self) -> f32 {
        self.relevance
    }

    /// Equation 9: `R'_PC`, by which fetched pages are judged.
    pub fn judge(&mut self, reader: &mut Reader) -> f32 {
        in_tongue(&mut self.topic.description, self.language).cosine(reader, self.language, &self.topic.words)
    }

    /// The words of the page, for those who want more of them.
    pub fn words(&self) -> &Counts {
        &self.topic.words
    }

    /// Equations 2 to 8 for a link of the page.
    pub fn link(&mut self, reader: &mut Reader, link: &LinkText<'_>) -> Prediction {
        let page = self.relevance;
        let mut anchor = self.similarity(reader, link.anchor);
        if anchor <= 0.0 {
            anchor = self.similarity(reader, link.context);
        }
        let topic = &mut *self.topic;
        let url = topic.urls.relevance(link.to).relevance;
        let kind = LinkType::of(link.from, link.to);
        let link_type = topic.gammas.relevance(kind, anchor, page);
        let weights = &topic.weights;
        let score =
            weights.page * page + weights.anchor * anchor + weights.url * url + weights.link_type * link_type;
        Prediction { page, anchor, url, link_type, kind, score }
    }

    /// Equations 2 and 3: a short text against the labels. One that is a part of the page's text and has no word of the
    /// labels, as nearly all, is not read again: contexts overlap, and together are longer than the page.
    fn similarity(&mut self, reader: &mut Reader, text: &str) -> f32 {
        let TopicRelevance { labels, few, places, .. } = &mut *self.topic;
        if text.is_empty() {
            return 0.0;
        }
        if let Some(part) = part_of(self.text, text) {
            let first = places.partition_point(|place| *place < part.start);
            if places.get(first).is_none_or(|place| *place >= part.end) {
                return 0.0;
            }
        }
        few.clear();
        reader.read(text, self.language, |word| few.add(word.term));
        in_tongue(labels, self.language).cosine(reader, self.language, few)
    }
}

/// Where `part` stands in `whole`, if it is a slice of it.
fn part_of(whole: &str, part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let end = start.checked_add(part.len())?;
    (end <= whole.len()).then_some(start..end)
}

fn in_tongue(pair: &mut [Wanted; 2], language: Language) -> &mut Wanted {
    let [english, chinese] = pair;
    if language == Language::Chinese { chinese } else { english }
}

/// Algorithm 2's depth: links of a relevant page may be followed `limit` steps, those of another one less than the page
/// itself. `None`: the links are dropped.
pub fn steps_left(relevant: bool, page_steps: u32, limit: u32) -> Option<u32> {
    let steps = if relevant { limit } else { page_steps.saturating_sub(1) };
    (steps > 0).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAXONOMY: &str = r#"topic = [
        { name = "sports", en = "Sports", zh = "体育" },
        { name = "basketball", parent = "sports", en = "Basketball", zh = "篮球", description = "hoops" },
    ]"#;

    fn relevance() -> TopicRelevance {
        let taxonomy = Taxonomy::from_toml(TAXONOMY).unwrap();
        let node = taxonomy.find("basketball").unwrap();
        TopicRelevance::new(
            &taxonomy,
            node,
            &TokenTable::default(),
            Gammas::default(),
            RelevanceWeights::default(),
        )
    }

    fn near(found: f32, expect: f32) {
        assert!((found - expect).abs() < 1e-6, "{found}, expected {expect}");
    }

    /// v_t = (sports 1/2, basketball 1), length sqrt 1.25. Page: sports 3, basketball 1, x 1: (1.5 + 1) / (sqrt 11 sqrt 1.25).
    /// In Chinese likewise: (体育 1/2, 篮球 1) against 篮球 once is 1 / sqrt 1.25.
    #[test]
    fn equation_1() {
        let mut reader = Reader::new();
        let mut relevance = relevance();
        let page = relevance.open(&mut reader, "Sports sport sports basketball x8", Language::English);
        near(page.relevance(), 2.5 / (11f32.sqrt() * 1.25f32.sqrt()));
        let page = relevance.open(&mut reader, "篮球", Language::Chinese);
        near(page.relevance(), 1.0 / 1.25f32.sqrt());
    }

    /// Description of basketball: basketball, hoop. Page: hoops: 1 / sqrt 2.
    #[test]
    fn equation_9() {
        let mut reader = Reader::new();
        near(relevance().open(&mut reader, "hoops", Language::English).judge(&mut reader), 0.5f32.sqrt());
    }

    /// Equation 4: the anchor if it says something, else the context. Equation 8: quarters.
    #[test]
    fn equations_4_and_8() {
        let mut reader = Reader::new();
        let mut relevance = relevance();
        let mut check = |text, anchor, context, to, expect: [f32; 4]| {
            let mut page = relevance.open(&mut reader, text, Language::English);
            let found =
                page.link(&mut reader, &LinkText { from: "http://a.example/sports/", to, anchor, context });
            let parts = [found.page, found.anchor, found.url, found.link_type];
            for (part, expect) in parts.into_iter().zip(expect) {
                near(part, expect);
            }
            near(found.score, expect.iter().sum::<f32>() / 4.0);
        };
        let (sports, basketball) = (0.5 / 1.25f32.sqrt(), 1.0 / 1.25f32.sqrt());
        // anchor: sports alone; URL: both labels; downward, both speak
        check(
            "sports",
            "Sports",
            "basketball",
            "http://a.example/sports/basketball/1",
            [sports, sports, 1.0, 0.4],
        );
        // the anchor is silent: context basketball; the page is silent
        check("news", "more", "basketball", "http://a.example/1", [0.0, basketball, 0.0, 0.1]);
        // nothing speaks but the URL, outward: sports 1/2 * 2/3
        check("", "", "", "http://sports.example/", [0.0, 0.0, 1.0 / 3.0, 0.0]);
        // only the page: outward γ2
        check("basketball", "", "", "http://b.example/", [basketball, 0.0, 0.0, 0.01]);
    }

    /// Slices of the page's text say the same as copies of them.
    #[test]
    fn parts_of_the_page_are_not_read_again() {
        let mut reader = Reader::new();
        let mut relevance = relevance();
        let text = "All news about basketball and other sports of today, with pictures";
        for (start, end) in [(0, 9), (0, 24), (15, 25), (25, 44), (44, 66), (9, 9)] {
            let part = &text[start..end];
            let copy = part.to_owned();
            let mut page = relevance.open(&mut reader, text, Language::English);
            let (one, two) = (page.similarity(&mut reader, part), page.similarity(&mut reader, &copy));
            assert_eq!(one, two, "{part}");
            assert_eq!(part_of(text, part), Some(start..end));
            assert_eq!(part_of(text, &copy), None);
        }
    }

    #[test]
    fn depth() {
        assert_eq!(steps_left(true, 1, 3), Some(3));
        assert_eq!(steps_left(false, 3, 3), Some(2));
        assert_eq!(steps_left(false, 1, 3), None);
        assert_eq!(steps_left(false, 0, 3), None);
    }
}
