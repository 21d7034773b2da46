//! Each ablation takes its own signal, and leaves a site that can be crawled and whose truth holds.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use osprey_model::{CanonicalUrl, PageType};

use super::*;
use crate::world::walk::{counts, crawl, get, links, url};
use crate::{Kind, Nastiness, Options, Truth, World};

fn world(kind: Kind, ablation: Option<Ablation>) -> World {
    let nastiness = Nastiness { templates: 0.0, ..Nastiness::default() };
    let options = Options { random_seed: 1, pages: 1500, nastiness, ablation, ..Options::default() };
    World::new(kind, &options).unwrap()
}

/// Visits of a breadth-first crawl; the walk checks that status and truth agree.
fn visits(world: &World, budget: usize) -> Vec<(CanonicalUrl, Truth)> {
    crawl(
        world,
        budget,
        |answer, truth| answer.status / 100 == 3 || counts(truth),
        |_, link| world.has_host_of(link) && !link.host().starts_with("ads"),
    )
}

fn body(world: &World, url: &CanonicalUrl) -> String {
    String::from_utf8_lossy(&get(world, url).body).into_owned()
}

fn pages_of(visits: &[(CanonicalUrl, Truth)], page_type: PageType) -> impl Iterator<Item = &CanonicalUrl> {
    visits.iter().filter(move |(_, truth)| counts(truth) && truth.page_type == page_type).map(|(url, _)| url)
}

#[test]
fn every_world_can_be_crawled_without_any_signal() {
    for kind in [Kind::Photo, Kind::Forum, Kind::Portal] {
        for ablation in Ablation::ALL {
            let world = world(kind, Some(ablation));
            let listed: HashSet<String> = world.pages().collect();
            let visits = visits(&world, 400);
            assert_eq!(visits.len(), 400, "{kind}, {ablation}");
            let real: Vec<&CanonicalUrl> =
                visits.iter().filter(|(_, truth)| counts(truth)).map(|(url, _)| url).collect();
            assert!(real.len() > 100, "{kind}, {ablation}: {}", real.len());
            let unlisted: Vec<_> = real.iter().filter(|url| !listed.contains(url.as_str())).collect();
            assert!(unlisted.is_empty(), "{kind}, {ablation}: {unlisted:?}");
        }
    }
}

#[test]
fn names_of_classes_differ_from_page_to_page() {
    let classes = |ablation| -> Vec<BTreeSet<String>> {
        let world = world(Kind::Photo, ablation);
        let visits = visits(&world, 60);
        let of_page = |url: &CanonicalUrl| {
            let body = body(&world, url);
            let values = body.split(" class=").skip(1).filter_map(|rest| rest.split(['"', '\'']).nth(1));
            values.flat_map(str::split_ascii_whitespace).map(str::to_owned).collect()
        };
        pages_of(&visits, PageType::Detail).take(2).map(of_page).collect()
    };
    let usual = classes(None);
    assert!(usual[0].intersection(&usual[1]).count() > 10, "{usual:?}");
    let shuffled = classes(Some(Ablation::ShuffledClasses));
    assert_eq!(shuffled[0].intersection(&shuffled[1]).count(), 0, "{shuffled:?}");
    assert_eq!(shuffled[0].len(), usual[0].len(), "a name of its own for each");
}

#[test]
fn addresses_say_nothing_and_lead_to_the_same_pages() {
    let (usual, sealed) = (world(Kind::Forum, None), world(Kind::Forum, Some(Ablation::OpaqueUrls)));
    assert_eq!(usual.pages().count(), sealed.pages().count());
    let is_name = |url: &str| {
        let path = url.splitn(4, '/').nth(3).unwrap();
        path.is_empty() || path.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    for (plain, name) in usual.pages().zip(sealed.pages()).step_by(40) {
        assert!(is_name(&name), "{name}");
        let (plain, name) = (url(&plain), url(&name));
        let (before, mut after) = (usual.truth(&plain), sealed.truth(&name));
        assert_eq!(before, after.take(), "{plain}");
        // what kinds know by another name is not there
        let answer = get(&sealed, &plain);
        assert!(
            plain.path() == "/" || sealed.truth(&plain).unwrap().waste.is_some(),
            "{plain}: {}",
            answer.status
        );
        for link in links(&name, &get(&sealed, &name)).iter().filter(|link| !link.host().starts_with("ads")) {
            assert!(is_name(link.as_str()), "{link} on {plain}");
        }
    }
    assert!(usual.expert(&usual.topics()[0].name).is_some());
    assert!(sealed.expert(&sealed.topics()[0].name).is_none());
}

#[test]
fn links_have_no_words() {
    let world = world(Kind::Photo, Some(Ablation::EmptyAnchors));
    for (page, _) in visits(&world, 40) {
        let body = body(&world, &page);
        for link in body.split("<a href=\"").skip(1) {
            let inside = &link[link.find('>').unwrap() + 1..link.find("</a>").unwrap()];
            let words: String = inside.split('<').map(|part| part.split('>').next_back().unwrap()).collect();
            assert_eq!(words.trim(), "", "{page}: {inside}");
            assert!(
                !inside.contains("alt=") || inside.contains("alt=\"\"") || inside.contains("alt=''"),
                "{inside}"
            );
        }
    }
}

#[test]
fn three_of_ten_pages_are_gone_and_no_list() {
    let (usual, world) = (world(Kind::Movies, None), world(Kind::Movies, Some(Ablation::DeadLinks)));
    let left: HashSet<String> = world.pages().collect();
    let (mut gone, mut all) = (0, 0);
    for page in usual.pages() {
        let is_left = left.contains(&page);
        match usual.truth(&url(&page)).unwrap().page_type {
            PageType::List => assert!(is_left, "{page}"),
            _ => (gone, all) = (gone + u32::from(!is_left), all + 1),
        }
        let waste = world.truth(&url(&page)).unwrap().waste;
        assert_eq!(is_left, waste.is_none(), "{page}: {waste:?}");
    }
    let share = f64::from(gone) / f64::from(all);
    assert!((0.27..0.33).contains(&share), "{share}");
}

#[test]
fn nothing_leads_to_people() {
    for kind in [Kind::Photo, Kind::Movies, Kind::Forum] {
        let is_person = |truth: &Truth| truth.page_type == PageType::Profile;
        let usual = visits(&world(kind, None), 600);
        assert!(usual.iter().any(|(_, truth)| is_person(truth)), "{kind}");
        let unlinked = world(kind, Some(Ablation::UnlinkedUploaders));
        let people: Vec<_> =
            visits(&unlinked, 600).into_iter().filter(|(_, truth)| is_person(truth)).collect();
        assert!(people.is_empty(), "{kind}: {people:?}");
        assert!(unlinked.pages().count() < world(kind, None).pages().count());
    }
}

#[test]
fn people_make_things_of_any_topic() {
    /// The share of photos on a user's stream that are of the commonest topic, over users with at least five.
    fn share(world: &World) -> f64 {
        let (mut same, mut all) = (0, 0);
        for page in world.pages().filter(|page| page.contains("/photos/") && page.matches('/').count() == 4) {
            let page = url(&page);
            let mut topics: BTreeMap<String, u32> = BTreeMap::new();
            let mut seen = HashSet::new();
            for link in links(&page, &get(world, &page)).into_iter().filter(|link| seen.insert(link.clone()))
            {
                let truth = world.truth(&link).filter(|truth| truth.template == "photo" && counts(truth));
                // those of this user: the others stand in side boxes
                let is_own = link.as_str().starts_with(page.as_str());
                if let Some(topic) = truth.filter(|_| is_own).and_then(|truth| truth.topics.first().cloned())
                {
                    *topics.entry(topic).or_default() += 1;
                }
            }
            let sum: u32 = topics.values().sum();
            if sum >= 5 {
                same += topics.values().max().copied().unwrap_or(0);
                all += sum;
            }
        }
        assert!(all > 100, "{all}");
        f64::from(same) / f64::from(all)
    }
    let (usual, mixed) =
        (share(&world(Kind::Photo, None)), share(&world(Kind::Photo, Some(Ablation::NoHomophily))));
    assert!(usual > 0.65 && mixed < usual - 0.2, "{usual} {mixed}");
}

#[test]
fn every_list_has_eight_orders_of_the_same_things() {
    let world = world(Kind::Photo, Some(Ablation::EightOrders));
    let visits = visits(&world, 120);
    let list = pages_of(&visits, PageType::List)
        .find(|page| page.path().starts_with("/tags/") && body(&world, page).contains("?page=3"))
        .expect("a tag of several pages");
    let things = |page: &CanonicalUrl| -> BTreeSet<CanonicalUrl> {
        let found = links(page, &get(&world, page)).into_iter();
        found.filter(|link| world.truth(link).is_some_and(|truth| truth.template == "photo")).collect()
    };
    let orders: BTreeSet<CanonicalUrl> =
        links(list, &get(&world, list)).into_iter().filter(|link| link.as_str().contains("sort=")).collect();
    assert_eq!(orders.len(), 8, "{orders:?}");
    let mut shown = BTreeSet::new();
    for order in &orders {
        let truth = world.truth(order).unwrap();
        let original = url(&truth.duplicate_of.expect("an order is a duplicate"));
        // the body of the list is the same, side boxes are drawn for each address
        let (ours, theirs) = (things(order), things(&original));
        assert!(ours.intersection(&theirs).count() * 10 >= theirs.len() * 8, "{order} {original}");
        assert!(body(&world, order).contains(&format!("page=2&amp;{}", order.query().unwrap())), "{order}");
        shown.insert(original);
    }
    assert!(shown.len() > 2, "orders begin at different pages: {shown:?}");
}
