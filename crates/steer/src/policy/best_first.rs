//! `best-first`: the score of a link is the cosine similarity of its page to the topic.
//!
//! Entries of a sitemap have no page text; they are scored by the words of their URL and titles.

use osprey_model::{GroupId, LinkScore, counted};
use osprey_page::SitemapEntry;
use serde::{Deserialize, Serialize};

use super::percent::push_decoded;
use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::fcmrps::title_cosine;
use crate::taxonomy::{AimBy, Aims, TopicLanguage};
use crate::{Placing, SteeringConfigError, Subject};

/// What there is to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BestFirstRules {
    /// What to compare pages with if the topic has both words and a node of a taxonomy. Chen et al. 2009 compare with a
    /// best-first crawler that uses the labels of the node only.
    pub by: AimBy,
    /// Compare only pages in this language; all pages if not set.
    pub language: Option<TopicLanguage>,
}

#[derive(Debug)]
pub(super) struct BestFirst {
    aims: Aims,
    seen: SimilarityTotals,
}

/// How similar the pages so far were, to put a similarity into proportion when explaining.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SimilarityTotals {
    pages: u64,
    sum: f64,
}

impl BestFirst {
    pub(super) fn new(rules: BestFirstRules, subject: &Subject) -> Result<Self, SteeringConfigError> {
        let aims = Aims::of_subject(subject, rules.by, "best-first")?.only(rules.language);
        Ok(Self { aims, seen: SimilarityTotals::default() })
    }
}

/// The part of links that were judged by their own words.
const WORDS: &str = "words";
/// Bytes of an entry's words; what a site writes beyond is no title.
const MAX_WORDS_BYTES: usize = 4 << 10;

impl Policy for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let similarity = self.aims.near_labels(visit.words());
        self.seen.pages += 1;
        self.seen.sum += f64::from(similarity);
        for link in 0..visit.page.links().len() {
            placing.add(link, GroupId::ALL, LinkScore::new(similarity), &[("page", similarity)]);
        }
    }

    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        let mut words = String::new();
        for (link, entry) in map.entries.iter().enumerate() {
            gather_words(entry, &mut words);
            let similarity = self.aims.best(|aim| title_cosine(aim, &words));
            placing.add(link, GroupId::ALL, LinkScore::new(similarity), &[(WORDS, similarity)]);
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        if link.parts.iter().any(|(name, _)| name == WORDS) {
            return format!("its words in a sitemap have similarity {:.3} to the topic", link.own);
        }
        let mean = if self.seen.pages > 0 { self.seen.sum / self.seen.pages as f64 } else { 0.0 };
        format!(
            "the page it was found on has similarity {:.3} to the topic (mean over {}: {mean:.3})",
            link.own,
            counted(self.seen.pages, "page")
        )
    }

    fn reads_words(&self) -> bool {
        true
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

/// The words of an entry: of its URL without the host, which all entries share, of its title and its images' ones.
fn gather_words(entry: &SitemapEntry, words: &mut String) {
    words.clear();
    push_decoded(entry.url.path_and_query(), words);
    let images = entry.images.iter().flat_map(|image| [image.title.as_deref(), image.caption.as_deref()]);
    for text in std::iter::once(entry.title.as_deref()).chain(images).flatten() {
        if words.len() > MAX_WORDS_BYTES {
            return;
        }
        words.push(' ');
        words.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{page, placed, told};
    use super::*;
    use crate::Op;

    fn best_first(tags: &[&str]) -> BestFirst {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        BestFirst::new(BestFirstRules::default(), &Subject { tags, ..Subject::default() }).unwrap()
    }

    #[test]
    fn links_get_the_similarity_of_their_page_and_state_survives() {
        let page = page("<p>red flower red x8 x8</p><a href=/1></a><a href=/2></a>");
        let mut policy = best_first(&["red flower"]);
        let placing = told(&mut policy, &page, GroupId::ALL);

        // (red, flower) against red 2, flower 1, x8 2, of length 3
        let similarity = 3.0 / 2f32.sqrt() / 3.0;
        let owns: Vec<f32> = placing
            .ops()
            .map(|(op, _)| match op {
                Op::Add { own, .. } => own.get(),
                other => panic!("unexpected {other:?}"),
            })
            .collect();
        assert_eq!(owns.len(), 2);
        assert!(owns.iter().all(|own| (own - similarity).abs() < 1e-6), "{owns:?}");

        let mut other = best_first(&["red flower"]);
        other.restore(&policy.snapshot()).unwrap();
        assert_eq!(other.seen, policy.seen);
        assert!(other.restore(&[0xff]).is_err());
    }

    /// Topic (red, flower) of length sqrt 2; single letters are stop words.
    #[test]
    fn entries_of_sitemaps_get_the_similarity_of_their_words() {
        let urls = "<url><loc>http://red.example/flower/red</loc><priority>0</priority></url>\
                    <url><loc>/a/b?c=red&amp;d</loc></url><url><loc>/cars</loc><priority>1</priority></url>\
                    <url><loc>/1</loc><image:image><image:loc>/1.jpg</image:loc><image:title>Red</image:title>\
                        <image:caption>flower, red</image:caption></image:image></url>";
        let owns: Vec<f32> =
            placed(&mut best_first(&["red flower"]), urls).into_iter().map(|(_, _, own, _)| own).collect();
        let root = 2f32.sqrt();
        // flower, red; red; car; 1, red 2, flower
        let expect = [1.0, 1.0 / root, 0.0, 3.0 / root / 6f32.sqrt()];
        let is_close = owns.iter().zip(expect).all(|(own, expect)| (own - expect).abs() < 1e-6);
        assert!(owns.len() == 4 && is_close, "{owns:?}");

        let chinese = placed(&mut best_first(&["篮球"]), "<url><loc>/篮球</loc></url>");
        assert!(
            matches!(chinese.as_slice(), [(0, GroupId::ALL, own, _)] if (own - 1.0).abs() < 1e-6),
            "{chinese:?}"
        );
    }

    #[test]
    fn explanations_tell_page_and_sitemap_apart() {
        let policy = best_first(&["x8"]);
        let check = |part: &str, expect: &str| {
            let parts = [(part.to_owned(), 0.25)];
            let words =
                policy.explain(&LinkFacts { own: 0.25, depth: 1, parts: &parts, ..LinkFacts::default() });
            assert!(words.starts_with(expect), "{words}");
        };
        check("words", "its words in a sitemap have similarity 0.250");
        check("page", "the page it was found on has similarity 0.250");
    }
}
