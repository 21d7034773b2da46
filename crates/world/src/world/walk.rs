//! The walker of the tests: breadth-first crawls of a world with a small link extractor of their own, and checks on
//! the way.

use std::collections::{HashMap, HashSet, VecDeque};

use osprey_model::{CanonicalUrl, UrlRules};

use crate::{Answer, Ask, Kind, Nastiness, Options, Truth, World};

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

/// Whether a visit found a page that counts.
pub(crate) fn counts(truth: &Truth) -> bool {
    truth.waste.is_none() && truth.duplicate_of.is_none()
}

/// Follows every link within the world, except those of endless pages.
pub(crate) fn walk(world: &World, budget: usize) -> Vec<(CanonicalUrl, Truth)> {
    let is_trap = |truth: &Truth| matches!(truth.waste.as_deref(), Some("calendar" | "ad" | "login"));
    crawl(world, budget, |_, truth| !is_trap(truth), |_, link| world.has_host_of(link))
}

/// Visits at most `budget` URLs from the seeds on and returns each with its truth, in the order of visits. It follows
/// the links of pages that lead on, as far as they stay inside. Status and truth must agree.
///
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
        // what only members may see sends others to the login form
        let is_sent_on = answer.status / 100 == 3;
        let may_send_on = waste == Some("redirect") || waste == Some("login") && page.path() != "/login";
        assert!(if is_sent_on { may_send_on } else { waste != Some("redirect") }, "{page}");
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

pub(crate) fn world(kind: Kind, random_seed: u64, pages: u64, nastiness: Nastiness) -> World {
    World::new(kind, &Options { random_seed, pages, nastiness, ..Options::default() }).unwrap()
}

/// The first `budget` visits of a breadth-first crawl. Waste is visited but not followed, but for redirects.
pub(crate) fn breadth_first(world: &World, budget: usize) -> Vec<(CanonicalUrl, Truth)> {
    let leads_on = |answer: &Answer, truth: &Truth| truth.waste.is_none() || answer.status / 100 == 3;
    crawl(world, budget, leads_on, |_, link| world.has_host_of(link))
}

/// Everything that a crawl reaches is listed, everything listed is reached, and the size is about what was asked for.
pub(crate) fn check_reach(kind: Kind, random_seed: u64, pages: u64, nastiness: Nastiness) {
    let world = world(kind, random_seed, pages, nastiness);
    let listed = world.pages().count();
    let ratio = listed as f64 / pages as f64;
    assert!((0.75..1.25).contains(&ratio), "{listed} pages instead of about {pages}");
    check_found_is_listed(&world, &breadth_first(&world, usize::MAX));
}

/// Two worlds of the same options answer the same, in any order; another random seed does not.
pub(crate) fn check_determinism(kind: Kind) {
    let make = |seed| world(kind, seed, 2000, Nastiness::default());
    let (one, two, other) = (make(1), make(1), make(2));
    for (page, truth) in breadth_first(&one, 400).iter().rev() {
        assert_eq!(get(&one, page), get(&two, page), "{page}");
        assert_eq!(two.truth(page).as_ref(), Some(truth), "{page}");
    }
    let start = |world: &World| get(world, &url(&world.seeds()[0]));
    assert_ne!(start(&one), start(&other), "another random seed is another world");
}

/// Changed URLs, which no page links to, are answered, and the truth agrees with the answer.
pub(crate) fn check_any_url(kind: Kind, pages: u64, step: usize) {
    const TAILS: [&str; 23] = words! {
        "" "0" "-" "/" "?" "?page=0" "?page=2" "?pg=2" "?page=18446744073709551615" "?page=x" "&sort=date" "?sort=date"
        "?sort=" "/../x" "%00" "?v=" "?id=99999999999999999999" "?id=zzzzzzzzzzzzz" "9999999999999999999" "é" "/reviews"
        ".html" "/1"
    };
    let world = world(kind, 1, pages, Nastiness::default());
    for page in world.pages().step_by(step).chain(["http://www.x.example/".into()]) {
        let cuts = [page.len(), page.len() - 1, page.len() * 3 / 4];
        for start in cuts.iter().filter_map(|cut| page.get(..*cut)) {
            TAILS.iter().for_each(|tail| check_url(&world, &format!("{start}{tail}")));
        }
    }
}

/// Whether a URL is answered, whatever it is, and its truth agrees with the answer.
pub(crate) fn check_url(world: &World, text: &str) {
    let Ok(url) = CanonicalUrl::parse(text, &UrlRules::keep_all()) else { return };
    let (answer, truth) = (get(world, &url), world.truth(&url));
    let waste = truth.as_ref().and_then(|truth| truth.waste.as_deref());
    let agrees = match answer.status {
        200 => truth.is_some() && !matches!(waste, Some("dead" | "redirect")),
        404 => waste == Some("dead") || truth.is_none(),
        _ => matches!(waste, Some("redirect" | "dead" | "login")),
    };
    assert!(agrees, "{url}: {} but {waste:?}", answer.status);
}

/// Any path on one of the first hosts is answered, and its truth is known.
pub(crate) fn check_path(kind: Kind, start: usize, path: &str) {
    let world = world(kind, 1, 2000, Nastiness::default());
    let seeds = world.seeds();
    let home = url(&seeds[start % seeds.len()]);
    if let Ok(url) = CanonicalUrl::parse(&format!("{}{path}", home.origin()), &UrlRules::keep_all()) {
        let (status, truth) = (get(&world, &url).status, world.truth(&url).expect("a host of the world"));
        assert!(status == 200 || truth.waste.is_some(), "{url}: {status}");
    }
}

/// How many visits there are of each key.
pub(crate) fn tally<'v, K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K> + 'v) -> HashMap<K, usize> {
    keys.fold(HashMap::new(), |mut tally, key| {
        *tally.entry(key).or_default() += 1;
        tally
    })
}
