//! For tests of worlds of many hosts.

use std::collections::HashMap;

use osprey_model::{CanonicalUrl, UrlRules};

use crate::world::walk::{check_found_is_listed, crawl};
pub(crate) use crate::world::walk::{counts, get, links, url};
use crate::{Answer, Kind, Nastiness, Options, Truth, World};

pub(crate) fn world(kind: Kind, seed: u64, pages: u64, nastiness: Nastiness) -> World {
    World::new(kind, &Options { seed, pages, nastiness, ..Options::default() }).unwrap()
}

/// The first `budget` visits of a breadth-first crawl. Waste is visited but not followed, but for redirects.
pub(crate) fn breadth_first(world: &World, budget: usize) -> Vec<(CanonicalUrl, Truth)> {
    let leads_on = |answer: &Answer, truth: &Truth| truth.waste.is_none() || answer.status / 100 == 3;
    crawl(world, budget, leads_on, |_, link| world.has_host_of(link))
}

/// Everything that a crawl reaches is listed, everything listed is reached, and the size is about what was asked for.
pub(crate) fn check_reach(kind: Kind, seed: u64, pages: u64, nastiness: Nastiness) {
    let world = world(kind, seed, pages, nastiness);
    let listed = world.pages().count();
    let ratio = listed as f64 / pages as f64;
    assert!((0.75..1.25).contains(&ratio), "{listed} pages instead of about {pages}");
    check_found_is_listed(&world, &breadth_first(&world, usize::MAX));
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
