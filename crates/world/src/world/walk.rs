//! Breadth-first crawls of a world, for tests, with a little link extractor of their own.

use std::collections::{HashSet, VecDeque};

use osprey_model::{CanonicalUrl, UrlRules};

use crate::{Answer, Ask, Truth, World};

pub(crate) fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text, &UrlRules::keep_all()).expect(text)
}

pub(crate) fn get(world: &World, url: &CanonicalUrl) -> Answer {
    world.answer(&Ask { url, cookie: None })
}

/// Where the links of a page and its redirect lead; attributes are ASCII, so the encoding of the page does not matter.
pub(crate) fn links(page: &CanonicalUrl, answer: &Answer) -> Vec<CanonicalUrl> {
    let body = String::from_utf8_lossy(&answer.body);
    let hrefs = body.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let plain = |href: &str| href.replace("&#39;", "'").replace("&amp;", "&");
    let targets = hrefs.chain(answer.headers.get("location"));
    targets.filter_map(|href| page.join(&plain(href), &UrlRules::keep_all()).ok()).collect()
}

/// Whether a visit brought a page that was not there before.
pub(crate) fn counts(truth: &Truth) -> bool {
    truth.waste.is_none() && truth.duplicate_of.is_none()
}

/// Follows every link within the world but those of pages that have no end.
pub(crate) fn walk(world: &World, budget: usize) -> Vec<(CanonicalUrl, Truth)> {
    let is_trap = |truth: &Truth| matches!(truth.waste.as_deref(), Some("calendar" | "ad" | "login"));
    crawl(world, budget, |_, truth| !is_trap(truth), |_, link| world.has_host_of(link))
}

/// Visits at most `budget` URLs from the seeds on and gives each with its truth, in the order of visits: the links of
/// pages that lead on, as far as they stay inside. Status and truth have to tell the same story.
pub(crate) fn crawl(
    world: &World,
    budget: usize,
    leads_on: impl Fn(&Answer, &Truth) -> bool,
    is_inside: impl Fn(&CanonicalUrl, &CanonicalUrl) -> bool,
) -> Vec<(CanonicalUrl, Truth)> {
    let mut queue: VecDeque<CanonicalUrl> = world.seeds().iter().map(|seed| url(seed)).collect();
    let mut known: HashSet<CanonicalUrl> = queue.iter().cloned().collect();
    let mut visits = Vec::new();
    while let Some(page) = queue.pop_front().filter(|_| visits.len() < budget) {
        let answer = get(world, &page);
        let truth = world.truth(&page).expect("a truth for every URL of the world");
        let waste = truth.waste.as_deref();
        assert_eq!(answer.status == 404, waste == Some("dead"), "{page}");
        let is_sent_on = waste == Some("redirect") || page.path().starts_with("/account/");
        assert_eq!(answer.status / 100 == 3, is_sent_on, "{page}");
        if leads_on(&answer, &truth) {
            let found = links(&page, &answer).into_iter().filter(|link| is_inside(&page, link));
            queue.extend(found.filter(|link| known.insert(link.clone())));
        }
        visits.push((page, truth));
    }
    visits
}

/// Every page that counts among the visits is listed, once, and every listed page is among them.
pub(crate) fn check_found_is_listed(world: &World, visits: &[(CanonicalUrl, Truth)]) {
    let listed: Vec<String> = world.pages().collect();
    let as_set: HashSet<&str> = listed.iter().map(String::as_str).collect();
    assert_eq!(as_set.len(), listed.len(), "a page is listed twice");
    let mut reached: HashSet<&str> = HashSet::new();
    for (page, truth) in visits {
        assert!(!counts(truth) || as_set.contains(page.as_str()), "{page} is found but not listed");
        reached.insert(truth.duplicate_of.as_deref().unwrap_or(page.as_str()));
    }
    let lost: Vec<&String> = listed.iter().filter(|page| !reached.contains(page.as_str())).collect();
    let first = lost.first();
    assert!(lost.is_empty(), "{} of {} listed are never found, as {first:?}", lost.len(), listed.len());
}
