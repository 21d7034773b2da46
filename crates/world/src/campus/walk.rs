//! For tests of worlds of many hosts: a breadth-first walk with a little link extractor of its own.

use std::collections::{HashMap, HashSet, VecDeque};

use osprey_model::{CanonicalUrl, UrlRules};

use crate::{Answer, Ask, Kind, Nastiness, Options, Truth, World};

pub(crate) fn world(kind: Kind, seed: u64, pages: u64, nastiness: Nastiness) -> World {
    World::new(kind, &Options { seed, pages, nastiness, ..Options::default() }).unwrap()
}

pub(crate) fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text, &UrlRules::keep_all()).expect(text)
}

pub(crate) fn get(world: &World, url: &CanonicalUrl) -> Answer {
    world.answer(&Ask { url, cookie: None })
}

/// Where links and redirects lead; attributes are ASCII, so the encoding of the page does not matter.
pub(crate) fn links(page: &CanonicalUrl, answer: &Answer) -> Vec<CanonicalUrl> {
    let body = String::from_utf8_lossy(&answer.body);
    let hrefs = body.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let location = answer.headers.get("Location");
    let resolve = |href: &str| page.join(&href.replace("&amp;", "&"), &UrlRules::keep_all()).ok();
    hrefs.chain(location).filter_map(resolve).collect()
}

/// The first `budget` visits of a breadth-first crawl. Waste is visited but not followed, but for redirects.
pub(crate) fn breadth_first(world: &World, budget: usize) -> Vec<(CanonicalUrl, Truth)> {
    let mut queue: VecDeque<CanonicalUrl> = world.seeds().iter().map(|seed| url(seed)).collect();
    let mut known: HashSet<CanonicalUrl> = queue.iter().cloned().collect();
    let mut visits = Vec::new();
    while let Some(page) = queue.pop_front().filter(|_| visits.len() < budget) {
        let truth = world.truth(&page).expect("a truth for every URL of the world");
        let answer = get(world, &page);
        assert_eq!(answer.status == 404, truth.waste.as_deref() == Some("dead"), "{page}");
        let is_sent_on = truth.waste.as_deref() == Some("redirect") || page.path().starts_with("/account/");
        assert_eq!(answer.status / 100 == 3, is_sent_on, "{page}");
        if truth.waste.is_none() || answer.status / 100 == 3 {
            let found = links(&page, &answer).into_iter().filter(|link| world.has_host_of(link));
            queue.extend(found.filter(|link| known.insert(link.clone())));
        }
        visits.push((page, truth));
    }
    visits
}

/// Whether a visit brought a page that was not there before.
pub(crate) fn counts(truth: &Truth) -> bool {
    truth.waste.is_none() && truth.duplicate_of.is_none()
}

/// Everything that a crawl reaches is listed, everything listed is reached, and the size is about what was asked for.
pub(crate) fn check_reach(kind: Kind, seed: u64, pages: u64, nastiness: Nastiness) {
    let world = world(kind, seed, pages, nastiness);
    let listed: Vec<String> = world.pages().collect();
    let as_set: HashSet<&str> = listed.iter().map(String::as_str).collect();
    assert_eq!(as_set.len(), listed.len(), "a page is listed twice");
    let ratio = listed.len() as f64 / pages as f64;
    assert!((0.75..1.25).contains(&ratio), "{} pages instead of about {pages}", listed.len());
    let visits = breadth_first(&world, usize::MAX);
    let mut reached: HashSet<&str> = HashSet::new();
    for (page, truth) in &visits {
        assert!(!counts(truth) || as_set.contains(page.as_str()), "{page} is found but not listed");
        reached.insert(truth.duplicate_of.as_deref().unwrap_or(page.as_str()));
    }
    let lost: Vec<&String> = listed.iter().filter(|page| !reached.contains(page.as_str())).collect();
    assert!(
        lost.is_empty(),
        "{} of {} listed are never found, as {:?}",
        lost.len(),
        listed.len(),
        lost.first()
    );
}

/// Two worlds of the same options answer the same, in any order; another seed does not.
pub(crate) fn check_determinism(kind: Kind) {
    let one = world(kind, 1, 3000, Nastiness::default());
    let two = world(kind, 1, 3000, Nastiness::default());
    for (page, truth) in breadth_first(&one, 400).iter().rev() {
        assert_eq!(get(&one, page), get(&two, page), "{page}");
        assert_eq!(two.truth(page).as_ref(), Some(truth), "{page}");
    }
    let other = world(kind, 2, 3000, Nastiness::default());
    assert_ne!(one.seeds(), other.seeds());
}

/// URLs that nobody linked are answered somehow, and what is answered with 200 is what the truth says.
pub(crate) fn check_any_url(kind: Kind) {
    let world = world(kind, 1, 2000, Nastiness::default());
    let tails = [
        "",
        "0",
        "-",
        "/",
        "?",
        "?page=2",
        "?id=zzzzzzzzzzzzz",
        "9999999999999999999",
        "/../x",
        "%00",
        "é",
        ".html",
    ];
    for page in world.pages().step_by(11).chain(["http://www.x.example/".into()]) {
        for cut in [page.len(), page.len() - 1, page.len() * 3 / 4] {
            for tail in tails {
                let text = format!("{}{tail}", page.get(..cut).unwrap_or_default());
                let Ok(url) = CanonicalUrl::parse(&text, &UrlRules::keep_all()) else { continue };
                let (status, truth) = (get(&world, &url).status, world.truth(&url));
                let is_gone =
                    truth.is_none_or(|truth| matches!(truth.waste.as_deref(), Some("dead" | "redirect")));
                assert_eq!(status != 200, is_gone, "{url}: {status}");
            }
        }
    }
}

/// Any path on one of the first hosts is answered, and its truth is known.
pub(crate) fn check_path(kind: Kind, seed: usize, path: &str) {
    let world = world(kind, 1, 2000, Nastiness::default());
    let seeds = world.seeds();
    let home = url(&seeds[seed % seeds.len()]);
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
