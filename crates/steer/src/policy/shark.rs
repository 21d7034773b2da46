//! `shark-search`: the score of a link depends a little on its page and mostly on its anchor text, and falls with every
//! page on the way that does not match the topic. The formulas are in [`crate::baselines`]; the inherited score and the
//! remaining steps are stored with the link, in its parts.

use osprey_model::{GroupId, LinkScore, counted};
use osprey_text::{Excerpts, OpenText};

use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::baselines::{Shark, SharkScore};
use crate::fcmrps::title_cosine;
use crate::taxonomy::Aims;
use crate::{Placing, SteeringConfigError, Subject};

#[derive(Debug)]
pub(super) struct SharkSearch {
    rules: Shark,
    aims: Aims,
    /// One for each topic.
    excerpts: Vec<Excerpts>,
}

/// The part that says what a link's page passed on. It is not a part of the score.
const INHERITED: &str = "inherited";
/// The part that says how many steps may be taken from a link. It is not a part of the score.
const STEPS: &str = "steps";

impl SharkSearch {
    pub(super) fn new(rules: &Shark, subject: &Subject) -> Result<Self, SteeringConfigError> {
        rules.check()?;
        let aims = Aims::of_subject(subject, rules.by, "shark-search")?.only(rules.language);
        let excerpts = aims.iter().map(|_| Excerpts::default()).collect();
        Ok(Self { rules: *rules, aims, excerpts })
    }

    fn place(&self, placing: &mut Placing, link: usize, score: &SharkScore) {
        let page = self.rules.page * score.inherited;
        let parts = [
            ("page", page),
            ("anchor", score.score - page),
            (INHERITED, score.inherited),
            (STEPS, score.steps as f32),
        ];
        placing.add(link, GroupId::ALL, LinkScore::new(score.score), &parts);
    }
}

impl Policy for SharkSearch {
    fn name(&self) -> &'static str {
        "shark-search"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let seed = self.rules.of_seed();
        let reached = SharkScore {
            score: visit.part("own").unwrap_or(seed.score),
            inherited: visit.part(INHERITED).unwrap_or(seed.inherited),
            steps: visit.part(STEPS).map_or(seed.steps, |steps| steps as u32),
        };
        let (page, words) = (visit.page, visit.words());
        let mut excerpts = std::mem::take(&mut self.excerpts);
        let mut topics = Vec::with_capacity(excerpts.len());
        for (memory, aim) in excerpts.iter_mut().zip(self.aims.iter()) {
            topics.push(memory.open(page.text(), words, aim.labels(words.language())));
        }
        let whole = topics.iter().map(OpenText::whole).fold(0.0, f32::max);
        for (number, link) in page.links().iter().enumerate() {
            let (mut anchor, mut context) = (0_f32, 0_f32);
            for open in &mut topics {
                anchor = anchor.max(open.part(page.anchor(link)));
            }
            for open in topics.iter_mut().filter(|_| anchor <= 0.0) {
                context = context.max(open.part_near(|| page.context(link)));
            }
            // no link of a page at the end of the way is placed
            let Some(score) = self.rules.link(&reached, whole, anchor, context) else { break };
            self.place(placing, number, &score);
        }
        self.excerpts = excerpts;
    }

    /// A sitemap is where a site begins; what speaks for an entry is its title.
    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        for (number, entry) in map.entries.iter().enumerate() {
            let title = self.aims.best(|aim| title_cosine(aim, entry.title.as_deref().unwrap_or_default()));
            if let Some(score) = self.rules.link(&self.rules.of_seed(), 0.0, title, 0.0) {
                self.place(placing, number, &score);
            }
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        let part =
            |name: &str| link.parts.iter().find(|(part, _)| part == name).map_or(0.0, |(_, value)| *value);
        format!(
            "its page, or the last relevant one before it, gives {:.3}, its own words {:.3}; the path may continue for {} \
             without a relevant page",
            part("page"),
            part("anchor"),
            counted(part(STEPS) as u64, "step"),
        )
    }

    fn reads_words(&self) -> bool {
        true
    }

    fn learns(&self) -> bool {
        false
    }

    fn snapshot(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _snapshot: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Web, placed};
    use super::*;

    fn shark(rules: &str) -> SharkSearch {
        let subject = Subject { tags: vec!["red flower".to_owned()], ..Subject::default() };
        SharkSearch::new(&toml::from_str(rules).unwrap(), &subject).unwrap()
    }

    /// `/` is all about the topic; `/a` has an anchor that speaks and says nothing itself, so its link inherits half.
    fn site() -> Web {
        Web::new(&[
            ("/", "red flower <a href=/b></a> <a href=/a>red flower</a>"),
            ("/a", "nothing <a href=/a/1>more</a>"),
            ("/a/1", "nothing <a href=/a/2>more</a>"),
            ("/a/2", "nothing <a href=/a/never>more</a>"),
            ("/b", "a red car <a href=/b/1>more</a>"),
            ("/b/1", "nothing"),
        ])
    }

    /// `/`: similarity 1, and `/b` has the words around it: both are worth about 1, and what is older goes first. `/b`
    /// says (red, car) 1/2, with `red` around its link; `/a` passes on 1/2 of 1, `/a/1` half of that.
    #[test]
    fn visit_order() {
        let mut web = site();
        assert_eq!(web.crawl(&mut shark("")), ["/", "/b", "/a", "/b/1", "/a/1", "/a/2"]);
        let inherited: Vec<f32> = web.whys().map(|why| why["inherited"]).collect();
        let near = inherited
            .iter()
            .zip([1.0, 1.0, 0.5, 0.5, 0.25])
            .all(|(found, expect)| (found - expect).abs() < 1e-6);
        assert!(near, "{inherited:?}");
    }

    #[test]
    fn why_adds_up() {
        let mut web = site();
        web.crawl(&mut shark(""));
        assert!(web.whys().count() == 5);
        for why in web.whys() {
            assert!((why["page"] + why["anchor"] - why["own"]).abs() < 1e-6, "{why:?}");
        }
    }

    #[test]
    fn the_way_ends_where_no_step_is_left() {
        assert_eq!(site().crawl(&mut shark("depth = 1")), ["/", "/b", "/a", "/b/1"]);
    }

    /// A sitemap says nothing: half of a seed's 1, a fifth of which counts.
    #[test]
    fn entries_of_sitemaps_have_a_title() {
        let found = placed(&mut shark(""), "<url><loc>/1</loc></url>");
        assert_eq!(found.len(), 1);
        assert!((found[0].2 - 0.1).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |rules: &str, key: &str, expect: &str| {
            let rules = toml::from_str(rules).unwrap();
            let unfit = SharkSearch::new(&rules, &Subject::default()).unwrap_err();
            assert!(unfit.key == key && unfit.message.starts_with(expect), "{unfit}");
        };
        check("decay = 2", "policy.decay", "`2`: expected a number from 0 to 1");
        check("depth = 0", "policy.depth", "`0`: no link");
        check("", "policy.kind", "`shark-search` needs a topic");
    }
}
