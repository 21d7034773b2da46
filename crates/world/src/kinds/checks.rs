//! Checks for every kind in this folder: the same bytes each time, everything listed is found and everything found is
//! listed, the truth of every link, user-made pages are a minority, and no URL causes a panic.

use std::collections::{BTreeMap, HashMap, HashSet};

use osprey_model::CanonicalUrl;

use crate::world::walk::{self, counts, get};
use crate::{Answer, Kind, Nastiness, Truth, World};
use osprey_model::PageType;

fn world(kind: Kind, pages: u64, nastiness: Nastiness) -> World {
    walk::world(kind, 1, pages, nastiness)
}

/// A breadth-first crawl of the site's own host. Waste and duplicates are visited, but of their links only redirects
/// are followed.
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

/// The same for the smallest worlds, in which a topic may have no authors.
pub(super) fn found_is_listed_in_the_smallest(kind: Kind) {
    check_found(&world(kind, 200, Nastiness::default()));
}

/// Every page that a crawl finds is listed, and every listed page is found.
fn check_found(world: &World) {
    walk::check_found_is_listed(world, &crawl(world, 100_000));
}

/// Breadth-first at a quarter of the site, the usual budget of Xu et al. 2018; `least` is what users made at least.
pub(super) fn users_are_a_minority(kind: Kind, least: usize) {
    let world = world(kind, 20_000, Nastiness::default());
    let visits = crawl(&world, 5000);
    let made = visits.iter().filter(|(_, truth)| truth.user_created).count();
    assert!((least..=2000).contains(&made), "breadth-first finds {made} user-made pages in 5000");
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

/// Requests URLs that no page links to.
pub(super) fn any_url_is_answered(kind: Kind) {
    walk::check_any_url(kind, 800, 7);
    random_urls_are_answered(kind);
}

fn random_urls_are_answered(kind: Kind) {
    let world = world(kind, 800, Nastiness::default());
    let config =
        proptest::test_runner::Config { cases: 200, failure_persistence: None, ..Default::default() };
    proptest::test_runner::TestRunner::new(config)
        .run(
            &"/([a-z]{1,9}|node|p|watch|team|schedule|show)?(/[a-z0-9-]{0,12}){0,3}(\\?[a-z=&0-9]{0,24})?",
            |path| {
                walk::check_url(&world, &format!("http://www.{kind}.example{path}"));
                Ok(())
            },
        )
        .unwrap();
}

macro_rules! check_kind {
    ($name:ident, $kind:expr, $least:expr) => {
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
                crate::world::walk::check_determinism($kind);
            }

            #[test]
            fn what_users_made_is_a_minority() {
                super::users_are_a_minority($kind, $least);
            }

            #[test]
            fn every_design_occurs() {
                super::every_design_is_met($kind);
            }

            #[test]
            fn any_url_is_answered() {
                super::any_url_is_answered($kind);
            }
        }
    };
}

check_kind!(movies, Kind::Movies, 500);
check_kind!(ratings, Kind::Ratings, 500);
check_kind!(video, Kind::Video, 500);
check_kind!(sports, Kind::Sports, 500);
// written by editors, with a few letters and wish lists
check_kind!(shop, Kind::Shop, 200);
check_kind!(archive, Kind::Archive, 100);
