//! `tpm`: the baseline of Vidal et al. (2006), as Xu et al. 2018 ran it: one list of URL patterns that leads from the
//! start page to pages like the example.
//!
//! The policy uses the sample from which the site was learned. Targets are the pages in the cluster of the example;
//! each has a shortest path from the first page of the sample, and each path is a list of the URL patterns of its
//! pages. The list that leads to the most targets is the navigation pattern: a link on a page of step `i` is followed
//! if its URL has the pattern of step `i + 1`. Xu et al. 2018 add a shortcut: a link with the target's pattern is
//! followed at every step, and on targets too. Other links are not followed, so a crawl may end early. Targets are
//! fetched before the steps towards them.
//!
//! The policy has no state: each link carries its step.

use std::collections::{BTreeMap, VecDeque};

use osprey_model::{CanonicalUrl, GroupId, LinkScore};
use osprey_structure::site::SampledPage;
use serde::{Deserialize, Serialize};

use super::source::learned;
use super::url_patterns::{PatternId, UrlPatterns};
use super::{LinkFacts, Policy, RestoreError, SitemapVisit, Visit};
use crate::wanted_clusters::wanted_clusters;
use crate::{Known, Placing, SteeringConfigError};

/// The part of a link's score that says which step of the list it is.
const STEP: &str = "step";
/// What a link is worth that leads to a page on the way; targets are worth 1.
const ON_THE_WAY: f32 = 0.5;

/// `[policy]` of `tpm`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TpmRules {
    /// Follow links with the target's URL pattern on every page, as in Xu et al. 2018.
    pub jump_ahead: bool,
}

impl Default for TpmRules {
    fn default() -> Self {
        Self { jump_ahead: true }
    }
}

#[derive(Debug)]
pub(super) struct Tpm {
    jump_ahead: bool,
    patterns: UrlPatterns,
    /// The patterns of the steps; the last is the target's.
    steps: Vec<PatternId>,
    /// Targets of the sample that the list leads to, and all.
    led: (usize, usize),
}

impl Tpm {
    pub(super) fn new(rules: &TpmRules, known: &Known) -> Result<Self, SteeringConfigError> {
        let site = learned("tpm", known)?;
        let wanted = wanted_clusters("`tpm`", site, known)?;
        let sample = &site.model().sample;
        let urls: Vec<Option<CanonicalUrl>> =
            sample.iter().map(|page| CanonicalUrl::from_stored(&page.url).ok()).collect();
        let patterns = UrlPatterns::learn(urls.iter().flatten());
        let of_page: Vec<Option<PatternId>> =
            urls.iter().map(|url| url.as_ref().and_then(|url| patterns.of(url))).collect();
        let is_target = |page: &SampledPage| {
            let cluster = site.sitemap().joined(page.cluster);
            cluster.and_then(|cluster| wanted.get(cluster as usize)).copied().unwrap_or_default()
        };
        let all = sample.iter().filter(|page| is_target(page)).count();
        let (steps, led) = best_list(sample, &of_page, is_target);
        if steps.is_empty() {
            return Err(SteeringConfigError::new(
                "policy.kind",
                "`tpm`: no page of the sample that is like the example can be reached from its first page: learn from \
                 more pages (`osprey learn DIR --pages N`)",
            ));
        }
        Ok(Self { jump_ahead: rules.jump_ahead, patterns, steps, led: (led, all) })
    }

    /// The step that a link leads to from a page of `step` steps; 0 is the start page.
    fn next(&self, step: usize, url: &CanonicalUrl) -> Option<usize> {
        let pattern = self.patterns.of(url)?;
        let last = self.steps.len();
        if self.steps.get(step) == Some(&pattern) {
            return Some(step + 1);
        }
        (self.jump_ahead && self.steps.last() == Some(&pattern)).then_some(last)
    }

    fn place(&self, link: usize, step: usize, url: &CanonicalUrl, placing: &mut Placing) {
        if let Some(next) = self.next(step, url) {
            let (name, own) =
                if next == self.steps.len() { ("target", 1.0) } else { ("on_the_way", ON_THE_WAY) };
            placing.add(link, GroupId::ALL, LinkScore::new(own), &[(name, own), (STEP, next as f32)]);
        }
    }
}

/// The list of patterns by which most targets are reached from the first page, and how many those are; of lists that
/// are as good the shortest.
fn best_list(
    sample: &[SampledPage],
    of_page: &[Option<PatternId>],
    is_target: impl Fn(&SampledPage) -> bool,
) -> (Vec<PatternId>, usize) {
    let parents = shortest_paths(sample);
    let mut lists: BTreeMap<Vec<PatternId>, usize> = BTreeMap::new();
    for (number, _) in sample.iter().enumerate().filter(|(_, page)| is_target(page)) {
        let mut list = Vec::new();
        let mut at = number;
        while let Some(Some(parent)) = parents.get(at).copied() {
            list.push(of_page.get(at).copied().flatten());
            at = parent;
        }
        list.reverse();
        let list: Option<Vec<PatternId>> = list.into_iter().collect();
        if let Some(list) = list.filter(|list| !list.is_empty()) {
            *lists.entry(list).or_default() += 1;
        }
    }
    let better = |a: &(Vec<PatternId>, usize), b: &(Vec<PatternId>, usize)| {
        (a.1, std::cmp::Reverse(a.0.len())).cmp(&(b.1, std::cmp::Reverse(b.0.len()))).then(b.0.cmp(&a.0))
    };
    lists.into_iter().max_by(better).unwrap_or_default()
}

/// For each page the page before it on a shortest path from the first; `None` for the first and what is not reached.
fn shortest_paths(sample: &[SampledPage]) -> Vec<Option<usize>> {
    let mut parents: Vec<Option<usize>> = vec![None; sample.len()];
    let mut queue = VecDeque::from([0]);
    while let Some(page) = queue.pop_front() {
        for &to in sample.get(page).map(|page| page.links.as_slice()).unwrap_or_default() {
            let to = to as usize;
            if let Some(parent) = parents.get_mut(to).filter(|parent| parent.is_none() && to != 0) {
                *parent = Some(page);
                queue.push_back(to);
            }
        }
    }
    parents
}

impl Policy for Tpm {
    fn name(&self) -> &'static str {
        "tpm"
    }

    fn on_page(&mut self, visit: &Visit<'_>, placing: &mut Placing) {
        let step = visit.part(STEP).unwrap_or_default() as usize;
        for (link, found) in visit.page.links().iter().enumerate() {
            self.place(link, step, &found.url, placing);
        }
    }

    /// A sitemap is like a start page: it can name targets, and what is one step away.
    fn on_sitemap(&mut self, map: &SitemapVisit<'_>, placing: &mut Placing) {
        for (link, entry) in map.entries.iter().enumerate() {
            self.place(link, 0, &entry.url, placing);
        }
    }

    fn explain(&self, link: &LinkFacts<'_>) -> String {
        let list: Vec<String> =
            self.steps.iter().map(|id| format!("`{}`", self.patterns.text(*id))).collect();
        let (led, all) = self.led;
        let list = format!("{} (to {led} of {all} targets of the sample)", list.join(" then "));
        match link.parts.iter().find(|(name, _)| name == STEP) {
            Some((_, step)) => format!("its URL is step {step} of {} of the list {list}", self.steps.len()),
            None => format!("a start page; from there the list is {list}"),
        }
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
    use super::super::scripted::{Scripted, url};
    use super::*;

    fn tpm(example: &str, jump_ahead: bool) -> (Scripted, Known, Tpm) {
        let forum = Scripted::forum();
        let known = forum.known(&[example]);
        let tpm = Tpm::new(&TpmRules { jump_ahead }, &known).unwrap();
        (forum, known, tpm)
    }

    #[test]
    fn the_list_that_leads_to_most_targets() {
        let check = |example: &str, expect: &[&str], led: (usize, usize)| {
            let (_, _, tpm) = tpm(example, true);
            let texts: Vec<&str> = tpm.steps.iter().map(|id| tpm.patterns.text(*id)).collect();
            assert_eq!((texts.as_slice(), tpm.led), (expect, led), "{example}");
        };
        check("/thread/3", &["/list/#", "/thread/#"], (20, 20));
        check("/user/3", &["/list/#", "/thread/#", "/user/#"], (6, 6));
        // the first of the rules is a link of the start page, the others follow each other: five lists, one target each
        check("/rules/3", &["/rules/#"], (1, 5));
    }

    #[test]
    fn steps_are_taken_one_after_the_other_and_targets_first() {
        let (forum, known, mut tpm) = tpm("/user/3", true);
        let visits = forum.visits(&mut tpm, known.site.as_ref().unwrap(), 12);
        let expect = [
            "/",
            "/list/0",
            "/list/1",
            "/list/2",
            "/list/3",
            "/list/4",
            "/thread/0",
            "/user/0",
            "/thread/1",
            "/user/1",
            "/thread/2",
            "/user/2",
        ];
        assert_eq!(visits, expect);
        // rules are no step, users lead to no user: the crawl ends with the last thread
        assert_eq!(forum.visits(&mut tpm, known.site.as_ref().unwrap(), 100).len(), 1 + 5 + 20 + 6);
    }

    #[test]
    fn jumping_ahead_finds_targets_on_every_step() {
        let check = |jump_ahead: bool, step: usize, path: &str, expect: Option<usize>| {
            assert_eq!(tpm("/user/3", jump_ahead).2.next(step, &url(path)), expect, "{step} {path}");
        };
        check(true, 0, "/list/77", Some(1));
        check(true, 1, "/thread/77", Some(2));
        check(true, 0, "/user/77", Some(3));
        check(true, 3, "/user/77", Some(3));
        check(true, 0, "/thread/77", None);
        check(false, 0, "/user/77", None);
        check(false, 2, "/user/77", Some(3));
        check(true, 2, "/elsewhere", None);
    }

    #[test]
    fn the_list_is_explained() {
        let (_, _, tpm) = tpm("/thread/3", true);
        let parts = [(STEP.to_owned(), 2.0)];
        let list = "`/list/#` then `/thread/#` (to 20 of 20 targets of the sample)";
        let words = tpm.explain(&LinkFacts { own: 1.0, depth: 2, parts: &parts, ..LinkFacts::default() });
        assert_eq!(words, format!("its URL is step 2 of 2 of the list {list}"));
        let words = tpm.explain(&LinkFacts { own: 1.0, depth: 0, parts: &[], ..LinkFacts::default() });
        assert_eq!(words, format!("a start page; from there the list is {list}"));
    }
}
