//! Policies decide in which order links are fetched. Each policy has its own file.
//!
//! The crawl reports every fetched page and every failure to the policy, and the policy returns operations on groups
//! and links ([`Placing`]).
//!
//! A policy is deterministic: the same visits in the same order give the same operations and the same state. Therefore
//! a crawl can resume from a snapshot by replaying the visits since then, and every score can be explained.

mod adaptive;
mod best_first;
mod breadth_first;
mod fcmrps;
mod genre;
mod irobot;
mod opic;
mod percent;
mod profile;
mod sample;
#[cfg(test)]
mod scripted;
mod shark;
mod sleeping_bandit;
mod source;
mod svm;
mod tag_pages;
mod tpm;
mod url_patterns;
#[cfg(test)]
#[expect(unreachable_pub, reason = "the policy of a guide, which is compiled and not registered")]
mod url_words;

use std::collections::BTreeMap;

pub(crate) use self::profile::UploaderRules;
pub use self::profile::{UploaderStanding, uploaders};

use osprey_model::{CanonicalUrl, GroupId, LinkId, LinkScore};
use osprey_page::{Page, SitemapEntry};
use osprey_text::{PageWords, Words};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use osprey_structure::Reading;

pub(crate) use adaptive::AdaptiveRules;
pub(crate) use best_first::BestFirstRules;
pub(crate) use fcmrps::FcmrpsRules;
pub(crate) use genre::GenreRules;
pub(crate) use irobot::IrobotRules;
pub(crate) use sleeping_bandit::SleepingBanditRules;
pub(crate) use source::{TargetRules, UccRules};
pub(crate) use svm::SvmPolicyRules;
pub(crate) use tpm::TpmRules;

use self::profile::{Others, Uploaders};
use crate::baselines::Shark;
use crate::profiles::ProfileRules;
use crate::{FreshLinks, Judgement, Known, Placing, SteeringConfigError, Subject};

/// `[policy]` of `osprey.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PolicyKind {
    /// Learns from what links bring, as it crawls: one policy that needs no choice.
    Adaptive(AdaptiveRules),
    /// Fetches links in the order in which they were found.
    BreadthFirst {},
    /// Fetches links of pages that are similar to the topic first.
    BestFirst(BestFirstRules),
    /// Like best-first, but the anchor text counts most, and links are not followed beyond a few pages that do not
    /// match the topic.
    SharkSearch(Shark),
    /// Combines four predictions of the relevance of a link: by its page, its anchor text, its URL and its link type
    /// (Chen et al. 2009).
    Fcmrps(FcmrpsRules),
    /// Fetches links to important pages first: each page divides its cash among its links (OPIC).
    Opic {},
    /// Scores items by the profile of their uploader (Zhang & Nasraoui 2009). Needs a learned site.
    Profile(UploaderRules),
    /// Like `profile`, with OPIC for pages that are neither items nor profiles.
    ProfileOpic(UploaderRules),
    /// Follows one link of each kind on a page; `osprey learn` takes its sample with this policy.
    Sample {
        /// The seed of the random number generator that draws the links.
        #[serde(default)]
        random_seed: u64,
        /// Fetch links in the order in which they were drawn, as in Xu et al. 2018; otherwise kinds with fewer samples
        /// come first.
        #[serde(default)]
        in_order: bool,
    },
    /// Fetches lists that are named like the tags of the topic, and the items on them, and leaves people out (stage one
    /// of Zhang & Nasraoui 2009); `osprey topic expand` collects pictures with it. Needs a learned site.
    TagPages {},
    /// Fetches pages of a genre about a subject, and the links beside them, first (de Assis et al. 2009).
    Genre(GenreRules),
    /// Fetches links of pages that are similar to the examples first, by a support vector machine.
    Svm(SvmPolicyRules),
    /// Fetches user-created pages first (SOUrCe, Xu et al. 2018). Needs a learned site.
    SourceUcc(UccRules),
    /// Fetches pages of the same type as the examples first (SOUrCe, Xu et al. 2018). Needs a learned site.
    SourceTarget(TargetRules),
    /// Follows one list of URL patterns to pages like the examples (Vidal et al., a baseline of Xu et al. 2018). Needs
    /// a learned site.
    Tpm(TpmRules),
    /// Follows a tree of URL patterns to informative page types (Cai et al., a baseline of Xu et al. 2018). Needs a
    /// learned site.
    Irobot(IrobotRules),
    /// Learns which places in pages have links to relevant pages, as a bandit whose arms sleep (Gauquier et al. 2026).
    SleepingBandit(SleepingBanditRules),
}

impl Default for PolicyKind {
    fn default() -> Self {
        Self::BreadthFirst {}
    }
}

impl PolicyKind {
    /// The names of all policies, for `--help` and for suggestions.
    pub const NAMES: [&'static str; 17] = [
        "adaptive",
        "breadth-first",
        "best-first",
        "shark-search",
        "fcmrps",
        "genre",
        "svm",
        "source-ucc",
        "source-target",
        "tpm",
        "irobot",
        "sleeping-bandit",
        "opic",
        "profile",
        "profile-opic",
        "sample",
        "tag-pages",
    ];

    /// The policy of a name, with default parameters.
    pub fn named(name: &str) -> Option<Self> {
        // every parameter has a default, so a name is a whole `[policy]`
        serde_json::from_value(serde_json::json!({ "kind": name })).ok()
    }

    /// Its name.
    pub fn name(&self) -> String {
        let written = serde_json::to_value(self).unwrap_or_default();
        written.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned()
    }

    /// Builds the policy. A policy that lacks what it needs, such as a learned site, is an error.
    pub fn build(&self, subject: &Subject, known: &Known) -> Result<Box<dyn Policy>, SteeringConfigError> {
        Ok(match self {
            Self::Adaptive(rules) => Box::new(adaptive::Adaptive::new(rules, subject, known)?),
            Self::BreadthFirst {} => Box::new(breadth_first::BreadthFirst),
            Self::BestFirst(rules) => Box::new(best_first::BestFirst::new(*rules, subject)?),
            Self::SharkSearch(rules) => Box::new(shark::SharkSearch::new(rules, subject)?),
            Self::Fcmrps(rules) => Box::new(fcmrps::Fcmrps::new(rules, subject)?),
            Self::Opic {} => Box::new(opic::OpicPolicy::default()),
            Self::Profile(rules) => Box::new(Uploaders::new(rules, Others::ByYield, subject, known)?),
            Self::ProfileOpic(rules) => Box::new(Uploaders::new(rules, Others::ByCash, subject, known)?),
            Self::Sample { random_seed, in_order } => Box::new(sample::Sample::new(*random_seed, *in_order)),
            Self::TagPages {} => Box::new(tag_pages::TagPages::new(subject, known)?),
            Self::Genre(rules) => Box::new(genre::Genre::new(rules, subject, known)?),
            Self::Svm(rules) => Box::new(svm::SvmPolicy::new(rules, known)?),
            Self::SourceUcc(rules) => Box::new(source::Source::user_created(rules, known)?),
            Self::SourceTarget(rules) => Box::new(source::Source::target(rules, known)?),
            Self::Tpm(rules) => Box::new(tpm::Tpm::new(rules, known)?),
            Self::Irobot(rules) => Box::new(irobot::Irobot::new(rules, known)?),
            Self::SleepingBandit(rules) => Box::new(sleeping_bandit::SleepingBandit::new(*rules)?),
        })
    }

    /// Whether it needs a learned site.
    pub fn needs_site(&self) -> bool {
        matches!(
            self,
            Self::Profile(_)
                | Self::ProfileOpic(_)
                | Self::TagPages {}
                | Self::SourceUcc(_)
                | Self::SourceTarget(_)
                | Self::Tpm(_)
                | Self::Irobot(_)
        )
    }

    /// Whether it makes use of a site that is learned while it is crawled.
    pub fn learns_site(&self) -> bool {
        matches!(self, Self::Adaptive(_))
    }

    /// How it ranks uploaders; as usual, if it does not.
    pub fn profile_rules(&self) -> ProfileRules {
        match self {
            Self::Profile(rules) | Self::ProfileOpic(rules) => rules.of_profiles(),
            _ => ProfileRules::default(),
        }
    }

    /// Whether records of an earlier crawl tell it of people.
    pub fn knows_people(&self) -> bool {
        matches!(self, Self::Profile(_) | Self::ProfileOpic(_))
    }

    /// Whether it needs example pages.
    pub fn needs_examples(&self) -> bool {
        matches!(self, Self::Svm(_) | Self::SourceTarget(_) | Self::Tpm(_))
    }
}

/// A page that was fetched, parsed and judged.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The link that led here.
    pub id: LinkId,
    /// The group it waited in, or the link that a redirect replaced.
    pub group: GroupId,
    /// Hops from a seed.
    pub depth: u32,
    /// The page.
    pub page: &'a Page,
    /// Its words; see [`Visit::words`].
    pub page_words: &'a PageWords,
    /// The result of the site model, if the site was learned.
    pub reading: Option<&'a Reading>,
    /// The result of the judge.
    pub judgement: Judgement,
    /// The parts that were given when this link was placed, with its `own` score and its group's `factor` when it was
    /// fetched: how a link carries something, like steps that are left, from the page it was found on. Of the link that
    /// a redirect replaced, if one did.
    pub why: &'a BTreeMap<String, f32>,
    /// Which of its links were not known before.
    pub fresh: &'a FreshLinks,
}

impl<'a> Visit<'a> {
    /// The words of the page, read once for judge and policy.
    pub fn words(&self) -> &'a Words {
        self.page_words.of(self.page)
    }

    /// A part that this link was placed with.
    pub fn part(&self, name: &str) -> Option<f32> {
        self.why.get(name).copied()
    }
}

/// A list of links that a site gives of itself: a sitemap or a feed.
#[derive(Clone, Copy, Debug)]
pub struct SitemapVisit<'a> {
    /// The link that led here.
    pub id: LinkId,
    /// Hops from a seed.
    pub depth: u32,
    /// The entries.
    pub entries: &'a [SitemapEntry],
}

/// What sitemaps count an entry as that has no priority.
const USUAL_PRIORITY: f32 = 0.5;

/// Why fetching a link gave no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause<'a> {
    /// A response with an error status.
    Status(u16),
    /// No response.
    Silence,
    /// Skipped when its turn came, for this reason: `robots`, `trap`, `scope`.
    Skipped(&'a str),
}

/// A link whose fetch failed, or that was skipped when its turn came.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    /// The link.
    pub id: LinkId,
    /// Its URL.
    pub url: &'a CanonicalUrl,
    /// The group it waited in; of a link that was skipped it is not kept.
    pub group: Option<GroupId>,
    /// Hops from a seed.
    pub depth: u32,
    /// What went wrong.
    pub cause: Cause<'a>,
}

/// A link that gave nothing new: a duplicate of a fetched page, or a redirect, whose target waits in its place and
/// group.
#[derive(Clone, Copy, Debug)]
pub struct Repeat<'a> {
    /// The link.
    pub id: LinkId,
    /// Its URL.
    pub url: &'a CanonicalUrl,
    /// Where it leads if it is a redirect; that may be a link that is refused.
    pub to: Option<&'a CanonicalUrl>,
    /// The group it waited in.
    pub group: GroupId,
    /// Hops from a seed.
    pub depth: u32,
    /// What it was placed with; see [`Visit::why`].
    pub why: &'a BTreeMap<String, f32>,
}

/// The facts about a waiting or fetched link from which its score is explained.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkFacts<'a> {
    /// The group it waits in.
    pub group: GroupId,
    /// That group's factor; `None` while it is parked.
    pub factor: Option<f32>,
    /// Its score inside its group.
    pub own: f32,
    /// Hops from a seed.
    pub depth: u32,
    /// The signals kept when it was placed.
    pub parts: &'a [(String, f32)],
}

/// Saved state that this policy cannot read.
#[derive(Debug, Error)]
#[error("policy `{policy}`: its saved state cannot be read: {cause}")]
pub struct RestoreError {
    /// The policy.
    pub policy: &'static str,
    /// The error of the decoder.
    pub cause: String,
}

/// A policy: gives every waiting link a score.
pub trait Policy: Send {
    /// The name in configuration and exports.
    fn name(&self) -> &'static str;

    /// A page was fetched: place its links, move factors.
    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing);

    /// A sitemap was fetched: place its entries, counted as the links of a page are. By default each is worth what
    /// the site says.
    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        for (link, entry) in map.entries.iter().enumerate() {
            let own = LinkScore::new(entry.priority.unwrap_or(USUAL_PRIORITY));
            placing.add(link, GroupId::ALL, own, &[("sitemap", own.get())]);
        }
    }

    /// The fetch of a link failed, or the link was skipped: learn from it, release links that waited for it.
    fn on_failure(&mut self, _failure: &Failure<'_>, _placing: &mut Placing) {}

    /// A link gave nothing new. A policy can learn to avoid such visits.
    fn on_repeat(&mut self, _repeat: &Repeat<'_>, _placing: &mut Placing) {}

    /// Only links in parked groups are left: release them, or the crawl ends. Called between visits, and not again when
    /// a resumed crawl replays visits.
    fn on_blocked(&mut self, _placing: &mut Placing) {}

    /// The noun for its groups in messages: `12 links parked for 2 uploaders`.
    fn group_noun(&self) -> &'static str {
        "groups"
    }

    /// Explains the score of a link in words.
    fn explain(&self, link: &LinkFacts<'_>) -> String;

    /// Remarks for the user when a crawl ends.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it will ask for the words of pages: then page workers read them, many at a time.
    fn reads_words(&self) -> bool {
        false
    }

    /// Whether what is wanted makes a difference to it.
    fn minds_the_want(&self) -> bool {
        true
    }

    /// Whether it has state at all; one that has none need not be told again of past visits.
    fn learns(&self) -> bool {
        true
    }

    /// Everything the policy has learned.
    fn snapshot(&self) -> Vec<u8>;

    /// Takes up a snapshot of the same policy.
    fn restore(&mut self, snapshot: &[u8]) -> Result<(), RestoreError>;
}

#[cfg(test)]
mod samples {
    //! Pages and sitemaps for the tests of policies.

    use osprey_model::UrlRules;
    use osprey_page::{Input, PageRules, Sitemap, SitemapRules};

    use super::*;
    use crate::Op;

    /// A page of `http://a.example/`.
    pub(super) fn page(body: &str) -> Page {
        let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
        Page::parse(&Input { url: &url, content_type: None, body: body.as_bytes() }, &PageRules::default())
    }

    /// Tells `policy` of a page that was found in `group`, and gives what it wants.
    pub(super) fn told(policy: &mut dyn Policy, page: &Page, group: GroupId) -> Placing {
        let mut placing = Placing::default();
        let (words, why, judgement) = (PageWords::default(), BTreeMap::new(), Judgement::default());
        let (id, page_words, why) = (LinkId(0), &words, &why);
        let fresh = &FreshLinks::unknown();
        let visit = Visit { id, group, depth: 0, page, page_words, reading: None, judgement, why, fresh };
        policy.on_page(&visit, &mut placing);
        placing
    }

    /// A site of a few pages, by path, crawled as the frontier does it: the best link first, then the oldest.
    pub(super) struct Web {
        pages: Vec<(&'static str, Page)>,
        visited: Vec<BTreeMap<String, f32>>,
    }

    /// A link that waits.
    struct Waiting {
        path: String,
        why: BTreeMap<String, f32>,
    }

    impl Web {
        /// The first page is where a crawl begins.
        pub(super) fn new(pages: &[(&'static str, &str)]) -> Self {
            let page = |(path, body): &(&'static str, &str)| {
                let url = format!("http://a.example{path}");
                let url = CanonicalUrl::parse(&url, &UrlRules::default()).unwrap();
                let body = format!("<html lang=en>{body}");
                let input = Input { url: &url, content_type: None, body: body.as_bytes() };
                (*path, Page::parse(&input, &PageRules::default()))
            };
            Self { pages: pages.iter().map(page).collect(), visited: Vec::new() }
        }

        /// What every visited link but the first was placed with.
        pub(super) fn whys(&self) -> impl Iterator<Item = &BTreeMap<String, f32>> {
            self.visited.iter().skip(1)
        }

        /// The paths in the order of the visits; policies whose groups have factors need more than this.
        pub(super) fn crawl(&mut self, policy: &mut dyn Policy) -> Vec<&'static str> {
            self.visited.clear();
            let mut known: Vec<String> = Vec::new();
            let mut waiting = vec![Waiting { path: "/".to_owned(), why: BTreeMap::new() }];
            let mut order = Vec::new();
            while !waiting.is_empty() {
                let own = |link: &Waiting| link.why.get("own").copied().unwrap_or(1.0);
                let best = waiting.iter().map(own).fold(0.0, f32::max);
                let first = waiting.iter().position(|link| own(link) >= best).unwrap();
                let Waiting { path, why } = waiting.remove(first);
                let Some((path, page)) = self.pages.iter().find(|(known, _)| *known == path) else {
                    panic!("{path} was fetched")
                };
                order.push(*path);
                known.push((*path).to_owned());
                let (words, mut placing) = (PageWords::default(), Placing::default());
                let (id, group, judgement) = (LinkId(0), GroupId::ALL, Judgement::default());
                let (page_words, reading, why) = (&words, None, &why);
                let fresh = &FreshLinks::unknown();
                policy.on_page(
                    &Visit { id, group, depth: 0, page, page_words, reading, judgement, why, fresh },
                    &mut placing,
                );
                self.visited.push(why.clone());
                for (op, parts) in placing.ops() {
                    let Op::Add { link, own, .. } = op else { panic!("unexpected {op:?}") };
                    let path = page.links()[*link as usize].url.path_and_query().to_owned();
                    let mut why: BTreeMap<String, f32> =
                        parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                    why.extend([("own".to_owned(), own.get()), ("factor".to_owned(), 1.0)]);
                    match waiting.iter_mut().find(|link| link.path == path) {
                        Some(link) if link.why["own"] < own.get() => link.why = why,
                        None if !known.contains(&path) => waiting.push(Waiting { path, why }),
                        _ => {}
                    }
                }
            }
            order
        }
    }

    /// What `policy` makes of the entries of a list of URLs: their places, groups, scores and parts.
    pub(super) fn placed(policy: &mut dyn Policy, urls: &str) -> Vec<(u32, GroupId, f32, Vec<crate::Part>)> {
        let url = CanonicalUrl::parse("http://a.example/sitemap.xml", &UrlRules::default()).unwrap();
        let body = format!("<urlset>{urls}</urlset>");
        let input = Input { url: &url, content_type: None, body: body.as_bytes() };
        let map = Sitemap::parse(&input, &SitemapRules::default());
        let mut placing = Placing::default();
        let visit = SitemapVisit { id: LinkId(0), depth: 1, entries: &map.entries };
        policy.on_sitemap(&visit, &mut placing);
        let ops = placing.ops().map(|(op, parts)| match op {
            Op::Add { link, group, own, .. } => (*link, *group, own.get(), parts.to_vec()),
            other => panic!("unexpected {other:?}"),
        });
        ops.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A policy that has nothing to say of sitemaps.
    struct Silent;

    impl Policy for Silent {
        fn name(&self) -> &'static str {
            "silent"
        }

        fn on_page(&mut self, _visit: &Visit<'_>, _placing: &mut Placing) {}

        fn explain(&self, _link: &LinkFacts<'_>) -> String {
            String::new()
        }

        fn snapshot(&self) -> Vec<u8> {
            Vec::new()
        }

        fn restore(&mut self, _snapshot: &[u8]) -> Result<(), RestoreError> {
            Ok(())
        }
    }

    #[test]
    fn every_policy_has_a_name() {
        for name in PolicyKind::NAMES {
            assert_eq!(PolicyKind::named(name).map(|kind| kind.name()).as_deref(), Some(name));
        }
        assert_eq!(PolicyKind::named("depth-first"), None);
    }

    #[test]
    fn by_default_entries_are_worth_their_priority() {
        let urls = "<url><loc>/1</loc><priority>0.75</priority></url><url><loc>/2</loc></url>\
                    <url><loc>/3</loc><priority>0</priority></url>";
        let all = |link, own| (link, GroupId::ALL, own, vec![("sitemap", own)]);
        assert_eq!(samples::placed(&mut Silent, urls), [all(0, 0.75), all(1, 0.5), all(2, 0.0)]);
    }
}
