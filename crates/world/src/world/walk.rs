//! A breadth-first crawl of a world, for tests: follows every link within the world but those of pages that have no
//! end.

use std::collections::{HashSet, VecDeque};

use osprey_model::{CanonicalUrl, UrlRules};

use crate::{Answer, Ask, Truth, World};

/// Visits at most `budget` URLs from the seeds on and gives each with its truth, in the order of visits.
pub(crate) fn walk(world: &World, budget: usize) -> Vec<(CanonicalUrl, Truth)> {
    let rules = UrlRules::keep_all();
    let seeds = world.seeds();
    let mut queue: VecDeque<_> =
        seeds.iter().map(|seed| CanonicalUrl::parse(seed, &rules).expect(seed)).collect();
    let mut known: HashSet<CanonicalUrl> = queue.iter().cloned().collect();
    let mut visits = Vec::new();
    while let Some(page) = queue.pop_front().filter(|_| visits.len() < budget) {
        let answer = world.answer(&Ask { url: &page, cookie: None });
        let truth = world.truth(&page).expect("a truth for every URL of the world");
        let is_trap = matches!(truth.waste.as_deref(), Some("calendar" | "ad" | "login"));
        for link in links(&page, &answer).into_iter().filter(|link| !is_trap && world.has_host_of(link)) {
            if known.insert(link.clone()) {
                queue.push_back(link);
            }
        }
        visits.push((page, truth));
    }
    visits
}

/// Where the links of a page and its redirect lead.
pub(crate) fn links(page: &CanonicalUrl, answer: &Answer) -> Vec<CanonicalUrl> {
    let body = String::from_utf8_lossy(&answer.body);
    let hrefs = body.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let plain = |href: &str| href.replace("&#39;", "'").replace("&amp;", "&");
    let targets = hrefs.chain(answer.headers.get("location"));
    targets.filter_map(|href| page.join(&plain(href), &UrlRules::keep_all()).ok()).collect()
}
