//! `fcmrps`: combines four predictions of the relevance of the page behind a link (Chen et al. 2009).
//!
//! The predictions use the page that contains the link, the anchor text, the URL, and where the link leads relative to
//! its page; the formulas are in [`crate::fcmrps`]. From a relevant page, links are followed up to three steps over
//! pages that are not relevant. The remaining steps are stored with the link, in its part `steps`.
//!
//! A page is relevant here if `R_PC` is above δ. The policy does not use the judge.

use std::collections::BTreeMap;

use osprey_model::{GroupId, LinkScore, counted};
use serde::{Deserialize, Serialize};

use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::fcmrps::{
    FREQUENT, Forms, Gammas, OpenPage, Prediction, RelevanceWeights, TokenTable, TopicRelevance,
    UnknownTokens, steps_left,
};
use crate::taxonomy::{AimBy, Aims, TopicLanguage};
use crate::{Placing, SteeringConfigError, Subject};

/// The constants of Chen et al. 2009, section 5.2.3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FcmrpsRules {
    /// `w1` to `w4` of equation 8: a quarter each.
    pub weights: RelevanceWeights,
    /// `γ1` and `γ2` of equation 7, by link type.
    pub gammas: Gammas,
    /// How many steps to follow from a relevant page: `D` = 3.
    pub depth: u32,
    /// A page is relevant if its `R_PC` is above this value: `δ` = 0.1.
    pub threshold: f32,
    /// How often an unknown token must occur in URLs to be reported: 500.
    pub frequent: u32,
    /// Compare only pages in this language; both languages if not set.
    pub language: Option<TopicLanguage>,
    /// Additional tokens of topics in URLs: a table for each topic, by the name of the topic.
    pub tokens: BTreeMap<String, Forms>,
}

impl Default for FcmrpsRules {
    fn default() -> Self {
        Self {
            weights: RelevanceWeights::default(),
            gammas: Gammas::default(),
            depth: 3,
            threshold: 0.1,
            frequent: FREQUENT,
            language: None,
            tokens: BTreeMap::new(),
        }
    }
}

impl FcmrpsRules {
    fn check(&self) -> Result<(), SteeringConfigError> {
        let RelevanceWeights { page, anchor, url, link_type } = self.weights;
        let weights = [page, anchor, url, link_type];
        if !weights.iter().all(|weight| (0.0..=1.0).contains(weight)) || weights.iter().sum::<f32>() <= 0.0 {
            return Err(SteeringConfigError::new(
                "policy.weights",
                "expected numbers from 0 to 1, one of them more than 0",
            ));
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            let message = format!("`{}`: expected a number from 0 to 1", self.threshold);
            return Err(SteeringConfigError::new("policy.threshold", message));
        }
        if let Some((link_type, value)) = self.gammas.wrong() {
            let message = format!("`{}` has `{value}`: expected numbers from 0 to 1", link_type.name());
            return Err(SteeringConfigError::new("policy.gammas", message));
        }
        if self.depth == 0 {
            return Err(SteeringConfigError::new("policy.depth", "`0`: no link would ever be followed"));
        }
        Ok(())
    }
}

#[derive(Debug)]
pub(super) struct Fcmrps {
    /// One for each topic; the one that predicts most counts.
    topics: Vec<TopicRelevance>,
    table: TokenTable,
    depth: u32,
    threshold: f32,
    frequent: u32,
    seen: CrawlTotals,
}

/// What was met so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct CrawlTotals {
    pages: u64,
    relevant: u64,
    tokens: UnknownTokens,
}

/// The part that says how many steps may be taken from a link, itself included. It is not a part of the score.
const STEPS: &str = "steps";
/// Unknown tokens that are worth saying.
const MAX_REMARKS: usize = 10;

impl Fcmrps {
    pub(super) fn new(rules: &FcmrpsRules, subject: &Subject) -> Result<Self, SteeringConfigError> {
        rules.check()?;
        let aims = Aims::of_subject(subject, AimBy::Node, "fcmrps")?.only(rules.language).into_vec();
        let mut table = TokenTable::shipped().clone();
        table.add(&rules.tokens);
        let topic = |aim| TopicRelevance::new(aim, &table, rules.gammas, rules.weights);
        let topics = aims.into_iter().map(topic).collect();
        let FcmrpsRules { depth, threshold, frequent, .. } = *rules;
        Ok(Self { topics, table, depth, threshold, frequent, seen: CrawlTotals::default() })
    }
}

/// The prediction for the topic that a link fits best; of equals, the first.
fn best(found: impl Iterator<Item = Prediction>) -> Prediction {
    found.reduce(|best, next| if next.score() > best.score() { next } else { best }).unwrap_or_default()
}

/// The parts of a link that say something, and its steps.
fn place(placing: &mut Placing, link: usize, found: &Prediction, steps: u32) {
    let mut parts = [(STEPS, steps as f32); 5];
    let mut next = 1;
    for part in
        [("page", found.page), ("anchor", found.anchor), ("url", found.url), ("link-type", found.link_type)]
    {
        if part.1 != 0.0 {
            parts[next] = part;
            next += 1;
        }
    }
    if next == 1 {
        // nothing speaks for it, which has to be said: no part at all would stand for 1
        parts[next] = ("page", 0.0);
        next += 1;
    }
    placing.add(link, GroupId::ALL, LinkScore::new(found.score()), parts.get(..next).unwrap_or_default());
}

impl Policy for Fcmrps {
    fn name(&self) -> &'static str {
        "fcmrps"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let page = visit.page;
        self.seen.tokens.add(page.url().as_str());
        let words = visit.words();
        let mut open: Vec<OpenPage<'_>> =
            self.topics.iter_mut().map(|topic| topic.open(page.url(), page.text(), words)).collect();
        let is_relevant = open.iter().any(|open| open.relevance() > self.threshold);
        self.seen.pages += 1;
        self.seen.relevant += u64::from(is_relevant);
        // a seed has no steps yet
        let reached = visit.part(STEPS).map_or(self.depth, |steps| steps as u32);
        let Some(steps) = steps_left(is_relevant, reached, self.depth) else { return };
        for (number, link) in page.links().iter().enumerate() {
            let topics = open.iter_mut();
            let found = topics.map(|open| open.link(&link.url, page.anchor(link), || page.context(link)));
            place(placing, number, &best(found), steps);
        }
    }

    /// A sitemap is where a site begins: its entries have all steps.
    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        for (number, entry) in map.entries.iter().enumerate() {
            let title = entry.title.as_deref().unwrap_or_default();
            let found = self.topics.iter_mut().map(|topic| topic.entry(&entry.url, title));
            place(placing, number, &best(found), self.depth);
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        let part =
            |name: &str| link.parts.iter().find(|(part, _)| part == name).map_or(0.0, |(_, value)| *value);
        let [page, anchor, url, link_type] = ["page", "anchor", "url", "link-type"].map(part);
        let CrawlTotals { pages, relevant, .. } = self.seen;
        format!(
            "what its page is about gives {page:.3}, its words {anchor:.3}, its URL {url:.3}, where it leads from there \
             {link_type:.3}: together {:.3}; the path may continue for {} without a relevant page (so far {relevant} \
             of {} relevant)",
            page + anchor + url + link_type,
            counted(part(STEPS) as u64, "step"),
            counted(pages, "page"),
        )
    }

    fn reads_words(&self) -> bool {
        true
    }

    fn remarks(&self) -> Vec<String> {
        let frequent = self.seen.tokens.frequent(&self.table, self.frequent);
        let remark = |(token, times): (&str, u32)| {
            let urls = counted(times.into(), "URL");
            format!(
                "`{token}` is in {urls} and in no table: if it means a topic, put it into `policy.tokens`"
            )
        };
        frequent.into_iter().take(MAX_REMARKS).map(remark).collect()
    }

    fn snapshot(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.seen).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError> {
        self.seen = postcard::from_bytes(snapshot)
            .map_err(|cause| RestoreError { policy: self.name(), cause: cause.to_string() })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Web, placed};
    use super::*;

    const TAXONOMY: &str = r#"topic = [
        { name = "sports", en = "Sports", zh = "体育" },
        { name = "basketball", parent = "sports", en = "Basketball", zh = "篮球" },
    ]"#;

    fn subject() -> Subject {
        Subject {
            taxonomy: Some(TAXONOMY.to_owned()),
            nodes: vec!["basketball".to_owned()],
            ..Subject::default()
        }
    }

    fn fcmrps(rules: &str) -> Fcmrps {
        Fcmrps::new(&toml::from_str(rules).unwrap(), &subject()).unwrap()
    }

    /// A small site. On `/`, which is relevant, stand a silent link, one whose URL speaks, and, further on than what
    /// counts as around them, one whose anchor does.
    fn site() -> Web {
        Web::new(&[
            (
                "/",
                "<a href=/silent/1>more</a> <a href=/x/lanqiu>more</a> <p>garden window table river mountain forest \
                 village bridge market harbour island valley meadow orchard castle tower kitchen carpet mirror candle \
                 basket ladder hammer bucket</p> <a href=/anchor>Basketball</a>",
            ),
            ("/anchor", "Basketball! <a href=/anchor/1>more</a>"),
            ("/anchor/1", "garden <a href=/anchor/2>more</a>"),
            ("/anchor/2", "garden <a href=/anchor/3>more</a>"),
            ("/anchor/3", "garden <a href=/anchor/never>more</a>"),
            ("/x/lanqiu", "garden <a href=/x/lanqiu/1>more</a>"),
            ("/x/lanqiu/1", "garden <a href=/x/lanqiu/2>more</a>"),
            ("/x/lanqiu/2", "garden <a href=/x/lanqiu/never>more</a>"),
            ("/silent/1", "garden <a href=/silent/2>more</a>"),
            ("/silent/2", "basketball <a href=/silent/3>more</a>"),
            ("/silent/3", "garden"),
        ])
    }

    /// The anchor that speaks goes first, then the link on its page, then URLs that speak (1/4 * 2/3 and more), then
    /// the silent link of a page that speaks, then those that nothing speaks for, the oldest first. After three steps
    /// over silent pages a way ends; `/silent/2` speaks and begins anew.
    #[test]
    fn visit_order() {
        let visited = site().crawl(&mut fcmrps(""));
        let expect = [
            "/",
            "/anchor",
            "/anchor/1",
            "/x/lanqiu",
            "/x/lanqiu/1",
            "/x/lanqiu/2",
            "/silent/1",
            "/anchor/2",
            "/silent/2",
            "/silent/3",
            "/anchor/3",
        ];
        assert_eq!(visited, expect);
    }

    /// One step only.
    #[test]
    fn ways_over_silent_pages_end() {
        let visited = site().crawl(&mut fcmrps("depth = 1"));
        assert_eq!(visited, ["/", "/anchor", "/anchor/1", "/x/lanqiu", "/silent/1"]);
    }

    /// The parts of every link but `steps` add up to its score, whatever the weights.
    #[test]
    fn why_adds_up() {
        for weights in ["", "weights = { page = 0, anchor = 0.5, url = 0.5, link_type = 0 }"] {
            let mut web = site();
            web.crawl(&mut fcmrps(weights));
            assert!(web.whys().count() > 8);
            for why in web.whys() {
                let sum: f32 = why
                    .iter()
                    .filter(|(name, _)| !["steps", "own", "factor"].contains(&name.as_str()))
                    .map(|(_, v)| v)
                    .sum();
                assert!((sum - why["own"]).abs() < 1e-6, "{why:?}");
                assert!((1.0..=3.0).contains(&why["steps"]), "{why:?}");
            }
        }
    }

    #[test]
    fn state_survives_and_is_the_same_bytes() {
        let (mut one, mut two) = (fcmrps(""), fcmrps(""));
        site().crawl(&mut one);
        site().crawl(&mut two);
        assert!(!one.snapshot().is_empty());
        assert_eq!(one.snapshot(), two.snapshot());
        let mut other = fcmrps("");
        other.restore(&one.snapshot()).unwrap();
        assert_eq!(other.seen, one.seen);
        let error = other.restore(&[0xff]).unwrap_err().to_string();
        assert!(error.starts_with("policy `fcmrps`: its saved state"), "{error}");
    }

    #[test]
    fn entries_of_sitemaps_have_all_steps() {
        let entries = placed(&mut fcmrps(""), "<url><loc>/lanqiu/1</loc></url><url><loc>/2</loc></url>");
        let expect = [vec![("steps", 3.0), ("url", 0.25 * 2.0 / 3.0)], vec![("steps", 3.0), ("page", 0.0)]];
        for ((_, _, own, parts), expect) in entries.iter().zip(expect) {
            assert_eq!(*parts, expect);
            assert!(
                (own - parts.iter().filter(|(name, _)| *name != "steps").map(|(_, v)| v).sum::<f32>()).abs()
                    < 1e-6
            );
        }
    }

    /// With tennis too, what speaks of it is worth what it would be alone.
    #[test]
    fn several_topics_at_once() {
        let nodes = ["basketball", "tennis"].map(str::to_owned);
        let shipped = |nodes: &[String]| Subject { nodes: nodes.to_vec(), ..Subject::default() };
        let owns = |subject: &Subject| -> Vec<f32> {
            let mut policy = Fcmrps::new(&FcmrpsRules::default(), subject).unwrap();
            let entries =
                placed(&mut policy, "<url><loc>/lanqiu/1</loc></url><url><loc>/tennis/2</loc></url>");
            entries.into_iter().map(|(_, _, own, _)| own).collect()
        };
        let (one, other, both) =
            (owns(&shipped(&nodes[..1])), owns(&shipped(&nodes[1..])), owns(&shipped(&nodes)));
        assert_eq!(both, [one[0].max(other[0]), one[1].max(other[1])]);
        assert!(both[0] > other[0] && both[1] > one[1], "{one:?} {other:?}");
    }

    #[test]
    fn words_are_a_topic_too() {
        let tags = vec!["篮球".to_owned(), "hoops".to_owned()];
        let subject = Subject { tags, ..Subject::default() };
        let mut policy = Fcmrps::new(&FcmrpsRules::default(), &subject).unwrap();
        let entries = placed(&mut policy, "<url><loc>/lanqiu/1</loc></url><url><loc>/2</loc></url>");
        let owns: Vec<f32> = entries.into_iter().map(|(_, _, own, _)| own).collect();
        assert_eq!(owns, [0.25, 0.0]);
    }

    #[test]
    fn frequent_unknown_tokens_are_remarked() {
        let mut policy = fcmrps("frequent = 3\ntokens = { sports = { english = ['silent'] } }");
        site().crawl(&mut policy);
        let expect = |token: &str, times: u32| {
            let urls = counted(times.into(), "URL");
            format!(
                "`{token}` is in {urls} and in no table: if it means a topic, put it into `policy.tokens`"
            )
        };
        assert_eq!(policy.remarks(), [expect("example", 11), expect("anchor", 4)]);
        assert_eq!(fcmrps("").remarks(), [""; 0]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |rules: &str, key: &str, expect: &str| {
            let unfit = Fcmrps::new(&toml::from_str(rules).unwrap(), &subject()).unwrap_err();
            assert_eq!((unfit.key, unfit.message.as_str()), (key, expect));
        };
        check("depth = 0", "policy.depth", "`0`: no link would ever be followed");
        check("threshold = 1.5", "policy.threshold", "`1.5`: expected a number from 0 to 1");
        let weights = "expected numbers from 0 to 1, one of them more than 0";
        check("weights = { page = 0, anchor = 0, url = 0, link_type = 0 }", "policy.weights", weights);
        check("weights = { page = -1 }", "policy.weights", weights);
        check("weights = { url = nan }", "policy.weights", weights);
        check(
            "gammas = { upward = { both = nan, one = 0 } }",
            "policy.gammas",
            "`upward` has `NaN`: expected numbers from 0 to 1",
        );
        check(
            "gammas = { sibling = { both = 0.2, one = -0.1 } }",
            "policy.gammas",
            "`sibling` has `-0.1`: expected numbers from 0 to 1",
        );
        check(
            "gammas = { outward = { both = 3, one = 0 } }",
            "policy.gammas",
            "`outward` has `3`: expected numbers from 0 to 1",
        );
        let pair = toml::from_str::<FcmrpsRules>("gammas = { outward = { both = 0.1, one = 0, two = 1 } }");
        let pair = pair.unwrap_err().to_string();
        assert!(pair.contains("unknown field `two`"), "{pair}");
        let unknown = toml::from_str::<FcmrpsRules>("weight = 1").unwrap_err().to_string();
        assert!(unknown.contains("unknown field `weight`"), "{unknown}");
    }

    #[test]
    fn a_link_is_explained() {
        let parts =
            [("page", 0.1), ("url", 0.25), ("steps", 2.0)].map(|(name, value)| (name.to_owned(), value));
        let words =
            fcmrps("").explain(&LinkFacts { own: 0.35, depth: 1, parts: &parts, ..LinkFacts::default() });
        assert_eq!(
            words,
            "what its page is about gives 0.100, its words 0.000, its URL 0.250, where it leads from there 0.000: together \
             0.350; the path may continue for 2 steps without a relevant page (so far 0 of 0 pages relevant)"
        );
    }
}
