//! The four predictions of a link and their sum.

use osprey_model::CanonicalUrl;
use osprey_text::{Counts, Excerpts, Language, OpenText, Words, detect, with_reader};
use serde::{Deserialize, Serialize};

use super::link_type::{Gammas, LinkType, PageLocation};
use super::tokens::TokenTable;
use super::url::UrlTopic;
use crate::taxonomy::Aim;

/// Weights of the four predictions; Chen et al. 2009's are equal.
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

/// What a link is worth, by equation 8: four parts that add up to the score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// `w1 R_PC`.
    pub page: f32,
    /// `w2 R_AT`.
    pub anchor: f32,
    /// `w3 R_URL`.
    pub url: f32,
    /// `w4 R_LT`.
    pub link_type: f32,
}

impl Prediction {
    /// `RS`, equation 8.
    pub fn score(&self) -> f32 {
        self.page + self.anchor + self.url + self.link_type
    }
}

/// A topic, ready to score links.
#[derive(Clone, Debug)]
pub struct TopicRelevance {
    aim: Aim,
    urls: UrlTopic,
    gammas: Gammas,
    weights: RelevanceWeights,
    excerpts: Excerpts,
}

impl TopicRelevance {
    /// For a topic and what is known of how topics are written in URLs.
    pub fn new(aim: Aim, table: &TokenTable, gammas: Gammas, weights: RelevanceWeights) -> Self {
        let urls = UrlTopic::new(&aim, table);
        Self { aim, urls, gammas, weights, excerpts: Excerpts::default() }
    }

    /// Begins with a page: where it is, what it says, and the words of that.
    pub fn open<'a>(&'a mut self, from: &'a CanonicalUrl, text: &'a str, words: &'a Words) -> OpenPage<'a> {
        let Self { aim, urls, gammas, weights, excerpts } = self;
        let text = excerpts.open(text, words, aim.labels(words.language()));
        OpenPage { from: PageLocation::of_url(from), text, urls, gammas, weights }
    }

    /// A link that stands on no page, in a sitemap: what its URL and its title say.
    pub fn entry(&mut self, to: &CanonicalUrl, title: &str) -> Prediction {
        let anchor = title_cosine(&self.aim, title);
        let url = self.urls.relevance(to.as_str()).relevance;
        let weights = &self.weights;
        Prediction { page: 0.0, anchor: weights.anchor * anchor, url: weights.url * url, link_type: 0.0 }
    }
}

/// How near a title is to the labels. Too short to tell its language, it is English unless it looks Chinese.
pub(crate) fn title_cosine(aim: &Aim, title: &str) -> f32 {
    let language = match detect(title, None) {
        Language::Unknown => Language::English,
        language => language,
    };
    with_reader(|reader| {
        let counts = Counts::of(reader, title, language);
        aim.labels(language).cosine(reader, language, &counts)
    })
}

/// A page that was read, and its links.
#[derive(Debug)]
pub struct OpenPage<'a> {
    from: PageLocation<'a>,
    text: OpenText<'a>,
    urls: &'a mut UrlTopic,
    gammas: &'a Gammas,
    weights: &'a RelevanceWeights,
}

impl OpenPage<'_> {
    /// Equation 1: `R_PC`.
    pub fn relevance(&self) -> f32 {
        self.text.whole()
    }

    /// Equations 2 to 8 for a link of the page. The text around it is asked for only if its own says nothing.
    pub fn link<'p>(
        &mut self,
        to: &CanonicalUrl,
        anchor: &str,
        context: impl FnOnce() -> &'p str,
    ) -> Prediction {
        let page = self.text.whole();
        let anchor = match self.text.part(anchor) {
            silent if silent <= 0.0 => self.text.part_near(context),
            anchor => anchor,
        };
        let url = self.urls.relevance(to.as_str()).relevance;
        let link_type =
            self.gammas.relevance(LinkType::between(&self.from, &PageLocation::of_url(to)), anchor, page);
        let weights = self.weights;
        Prediction {
            page: weights.page * page,
            anchor: weights.anchor * anchor,
            url: weights.url * url,
            link_type: weights.link_type * link_type,
        }
    }
}

/// Algorithm 2's depth: links of a relevant page may be followed `limit` steps, those of another one less than the page
/// itself. `None`: the links are dropped.
pub(crate) fn steps_left(relevant: bool, page_steps: u32, limit: u32) -> Option<u32> {
    let steps = if relevant { limit } else { page_steps.saturating_sub(1) };
    (steps > 0).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::Taxonomy;

    const TAXONOMY: &str = r#"topic = [
        { name = "sports", en = "Sports", zh = "体育" },
        { name = "basketball", parent = "sports", en = "Basketball", zh = "篮球", description = "hoops" },
    ]"#;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text, &osprey_model::UrlRules::default()).unwrap()
    }

    fn aim() -> Aim {
        let taxonomy = Taxonomy::from_toml(TAXONOMY).unwrap();
        Aim::of_node(&taxonomy, taxonomy.find("basketball").unwrap())
    }

    fn relevance() -> TopicRelevance {
        let (table, gammas, weights) =
            (TokenTable::default(), Gammas::default(), RelevanceWeights::default());
        TopicRelevance::new(aim(), &table, gammas, weights)
    }

    fn near(found: f32, expect: f32) {
        assert!((found - expect).abs() < 1e-6, "{found}, expected {expect}");
    }

    /// v_t = (sports 1/2, basketball 1), length sqrt 1.25. Page: sports 3, basketball 1, x 1: (1.5 + 1) / (sqrt 11 sqrt
    /// 1.25). In Chinese likewise: (体育 1/2, 篮球 1) against 篮球 once is 1 / sqrt 1.25.
    #[test]
    fn equation_1() {
        let mut relevance = relevance();
        let mut check = |text: &str, expect| {
            let words = Words::of(text, Some("en"));
            near(relevance.open(&url("http://a.example/"), text, &words).relevance(), expect);
        };
        check("Sports sport sports basketball x8", 2.5 / (11f32.sqrt() * 1.25f32.sqrt()));
        check("篮球", 1.0 / 1.25f32.sqrt());
        check("", 0.0);
    }

    /// Description of basketball: basketball, hoop. Page: hoops: 1 / sqrt 2.
    #[test]
    fn equation_9() {
        let words = Words::of("hoops", Some("en"));
        let description = aim();
        let description = description.description(words.language());
        near(
            with_reader(|reader| description.cosine(reader, words.language(), words.counts())),
            0.5f32.sqrt(),
        );
    }

    /// Equations 2 to 4: the anchor if it says something, else the context. Equation 8: quarters.
    #[test]
    fn equations_2_to_4_and_8() {
        let mut relevance = relevance();
        let mut check = |text, anchor, context: &'static str, to, expect: [f32; 4]| {
            let words = Words::of(text, Some("en"));
            let from = url("http://a.example/sports/");
            let mut page = relevance.open(&from, text, &words);
            let found = page.link(&url(to), anchor, || context);
            let parts = [found.page, found.anchor, found.url, found.link_type];
            for (part, expect) in parts.into_iter().zip(expect) {
                near(part, expect / 4.0);
            }
            near(found.score(), expect.iter().sum::<f32>() / 4.0);
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
        // the anchor is silent, what stands around it is not; crosswise
        check("sports", "more", "basketball", "http://a.example/1", [sports, basketball, 0.0, 0.1]);
        // the words of an image on a page that is silent
        check("news", "basketball", "", "http://a.example/sports/1", [0.0, basketball, 1.0 / 3.0, 0.2]);
        // nothing speaks but the URL, outward: sports 1/2 * 2/3
        check("", "", "", "http://sports.example/", [0.0, 0.0, 1.0 / 3.0, 0.0]);
        // only the page: outward γ2
        check("basketball", "", "", "http://b.example/", [basketball, 0.0, 0.0, 0.01]);
    }

    #[test]
    fn entries_of_sitemaps_have_a_url_and_a_title() {
        let mut relevance = relevance();
        let found = relevance.entry(&url("http://a.example/lanqiu/1"), "Sports");
        near(found.score(), (0.5 / 1.25f32.sqrt() + 2.0 / 3.0) / 4.0);
        near(relevance.entry(&url("http://a.example/1"), "篮球").score(), 0.25 / 1.25f32.sqrt());
    }

    #[test]
    fn depth() {
        assert_eq!(steps_left(true, 1, 3), Some(3));
        assert_eq!(steps_left(false, 3, 3), Some(2));
        assert_eq!(steps_left(false, 1, 3), None);
        assert_eq!(steps_left(false, 0, 3), None);
    }
}
