//! What every kind of this folder is held to: the same bytes again, everything listed is found and everything found is
//! listed, the truth of every link, a minority of user-made pages, and no URL that breaks it.

use std::collections::{BTreeMap, HashMap, HashSet};

use osprey_model::{CanonicalUrl, UrlRules};

use crate::world::walk::{self, counts, get, url};
use crate::{Answer, Kind, Nastiness, Options, Truth, World};
use osprey_model::PageType;

fn world(kind: Kind, pages: u64, nastiness: Nastiness) -> World {
    World::new(kind, &Options { pages, nastiness, ..Options::default() }).unwrap()
}

/// A breadth-first crawl of the site's own host. Waste and duplicates are visited, but only redirects are followed on.
fn crawl(world: &World, budget: usize) -> Vec<(CanonicalUrl, Truth)> {
    let leads_on = |answer: &Answer, truth: &Truth| answer.status / 100 == 3 || counts(truth);
    walk::crawl(world, budget, leads_on, |page, link| link.host() == page.host())
}

pub(super) fn found_is_listed(kind: Kind, nastiness: Nastiness) {
    let world = world(kind, 1500, nastiness);
    let listed = world.pages().count();
    assert!((1200..=1800).contains(&listed), "{listed} pages instead of about 1500");
    check_found(&world);
}

/// Where a topic may have nobody to write about it.
pub(super) fn found_is_listed_in_the_smallest(kind: Kind) {
    check_found(&world(kind, 200, Nastiness::default()));
}

/// Every page that a crawl finds is listed, and every listed page is found.
fn check_found(world: &World) {
    walk::check_found_is_listed(world, &crawl(world, 100_000));
}

pub(super) fn same_bytes_again(kind: Kind) {
    let (one, two) = (world(kind, 800, Nastiness::default()), world(kind, 800, Nastiness::default()));
    let visits = crawl(&one, 300);
    for (page, truth) in visits.iter().rev() {
        assert_eq!(get(&one, page), get(&two, page), "{page}");
        assert_eq!(two.truth(page).as_ref(), Some(truth), "{page}");
    }
    let other = World::new(kind, &Options { seed: 2, pages: 800, ..Options::default() }).unwrap();
    let home = url(&one.seeds()[0]);
    assert_ne!(get(&one, &home), get(&other, &home), "another seed is another world");
}

/// Breadth-first at a quarter of the site, the usual budget of seed 001.
pub(super) fn users_are_a_minority(kind: Kind) {
    let world = world(kind, 20_000, Nastiness::default());
    let visits = crawl(&world, 5000);
    let made = visits.iter().filter(|(_, truth)| truth.user_created).count();
    assert!((500..=2000).contains(&made), "breadth-first finds {made} user-made pages in 5000");
    assert!(visits.iter().any(|(_, truth)| truth.waste.is_some()));
    let mut templates: BTreeMap<&str, PageType> = BTreeMap::new();
    for (_, truth) in visits.iter().filter(|(_, truth)| counts(truth)) {
        let known = *templates.entry(&truth.template).or_insert(truth.page_type);
        assert_eq!(known, truth.page_type, "{} has two page types", truth.template);
    }
    assert!(templates.len() >= 9, "only {templates:?}");
    let names: HashSet<String> = world.topics().into_iter().map(|topic| topic.name).collect();
    let mut by_topic: HashMap<&str, u32> = HashMap::new();
    for name in visits.iter().flat_map(|(_, truth)| &truth.topics) {
        assert!(names.contains(name), "{name} cannot be asked for");
        *by_topic.entry(name).or_default() += 1;
    }
    assert!(by_topic.len() >= 5, "{by_topic:?}");
}

pub(super) fn every_design_is_met(kind: Kind) {
    let world = world(kind, 1500, Nastiness::default());
    let visits = crawl(&world, 500);
    let body = |page: &CanonicalUrl| String::from_utf8_lossy(&get(&world, page).body).into_owned();
    let bodies: Vec<String> =
        visits.iter().filter(|(_, truth)| counts(truth)).map(|(page, _)| body(page)).collect();
    for mark in ["<main class=\"page\">", "<div id=\"left-col\">", "<td class=\"main\">"] {
        assert!(bodies.iter().any(|body| body.contains(mark)), "{mark}");
    }
    let mut sizes: Vec<usize> = bodies.iter().map(String::len).collect();
    sizes.sort_unstable();
    let typical = sizes[sizes.len() / 2];
    assert!((5_000..40_000).contains(&typical), "{typical} bytes");
}

/// Whether a URL is answered, whatever it is, and its truth agrees with the answer.
fn check_any(world: &World, text: &str) {
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

/// URLs that nobody linked.
pub(super) fn any_url_is_answered(kind: Kind) {
    changed_urls_are_answered(kind);
    random_urls_are_answered(kind);
}

/// Changes of real URLs.
fn changed_urls_are_answered(kind: Kind) {
    let world = world(kind, 800, Nastiness::default());
    let tails = [
        "",
        "0",
        "-",
        "/",
        "?",
        "?page=0",
        "?page=2",
        "?pg=2",
        "?page=18446744073709551615",
        "?page=x",
        "&sort=date",
        "?sort=date",
        "?sort=",
        "/../x",
        "%00",
        "?v=",
        "?id=99999999999999999999",
        "9999999999999999999",
        "é",
        "/reviews",
    ];
    for page in world.pages().step_by(7) {
        let cuts = [page.len(), page.len() - 1, page.len() * 3 / 4];
        for start in cuts.iter().filter_map(|cut| page.get(..*cut)) {
            tails.iter().for_each(|tail| check_any(&world, &format!("{start}{tail}")));
        }
    }
}

fn random_urls_are_answered(kind: Kind) {
    let world = world(kind, 800, Nastiness::default());
    let config =
        proptest::test_runner::Config { cases: 200, failure_persistence: None, ..Default::default() };
    proptest::test_runner::TestRunner::new(config)
        .run(
            &"/([a-z]{1,9}|node|p|watch|team|schedule|show)?(/[a-z0-9-]{0,12}){0,3}(\\?[a-z=&0-9]{0,24})?",
            |path| {
                check_any(&world, &format!("http://www.{kind}.example{path}"));
                Ok(())
            },
        )
        .unwrap();
}

macro_rules! check_kind {
    ($name:ident, $kind:expr) => {
        mod $name {
            use crate::{Kind, Nastiness};

            #[test]
            fn what_is_found_is_listed() {
                super::found_is_listed($kind, Nastiness::none());
            }

            #[test]
            fn what_is_found_in_a_nasty_world_is_listed() {
                super::found_is_listed($kind, Nastiness::default());
            }

            #[test]
            fn what_is_found_in_the_smallest_world_is_listed() {
                super::found_is_listed_in_the_smallest($kind);
            }

            #[test]
            fn the_same_bytes_come_again() {
                super::same_bytes_again($kind);
            }

            #[test]
            fn what_users_made_is_a_minority() {
                super::users_are_a_minority($kind);
            }

            #[test]
            fn every_design_is_met() {
                super::every_design_is_met($kind);
            }

            #[test]
            fn any_url_is_answered() {
                super::any_url_is_answered($kind);
            }
        }
    };
}

check_kind!(movies, Kind::Movies);
check_kind!(ratings, Kind::Ratings);
check_kind!(video, Kind::Video);
check_kind!(sports, Kind::Sports);
