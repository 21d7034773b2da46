//! The photo site: designs, tags from both ends, pictures, all kinds of waste, shares of topics.

use super::super::checks;
use crate::world::walk::{walk, world};
use crate::{Ask, Kind, Nastiness};

#[test]
fn every_design_occurs() {
    checks::every_design_is_met(Kind::Photo);
}

#[test]
fn any_url_is_answered() {
    checks::any_url_is_answered(Kind::Photo);
}

/// Crawls with a budget of a quarter of the site; the share of visits that are details of the site's n-th topic.
fn found_by_breadth(rank: usize, seed: u64) -> f64 {
    let world = world(Kind::Photo, seed, 8000, Nastiness::default());
    let topic = &world.topics()[rank].name;
    let visits = walk(&world, 2000);
    let is_wanted = |truth: &crate::Truth| {
        let counts = truth.waste.is_none() && truth.duplicate_of.is_none();
        counts && truth.page_type == osprey_model::PageType::Detail && truth.topics.contains(topic)
    };
    visits.iter().filter(|(_, truth)| is_wanted(truth)).count() as f64 / visits.len() as f64
}

#[test]
fn breadth_first_finds_some_of_a_topic_but_not_much() {
    for (rank, seed) in [(0, 1), (1, 2), (2, 3)] {
        let share = found_by_breadth(rank, seed);
        assert!((0.03..0.4).contains(&share), "topic {rank} with random seed {seed}: {share}");
    }
}

#[test]
fn pictures_are_pictures_and_of_their_photos_topic() {
    let world = world(Kind::Photo, 1, 800, Nastiness::none());
    let mut seen = 0;
    for (page, truth) in walk(&world, 60).iter().filter(|(_, truth)| truth.template == "photo") {
        let body = world.answer(&Ask { url: page, cookie: None }).body;
        let body = String::from_utf8_lossy(&body).into_owned();
        let source = body.split("<img src=\"").find(|rest| rest.contains("width=\"500\"")).unwrap();
        let url = page.join(source.split('"').next().unwrap(), &osprey_model::UrlRules::default()).unwrap();
        let picture = world.answer(&Ask { url: &url, cookie: None });
        assert!(picture.headers.get("content-type").unwrap().starts_with("image/"), "{url}");
        let is_jpeg = picture.body.starts_with(b"\xff\xd8");
        assert!(is_jpeg || picture.body.starts_with(b"\x89PNG"), "{url}");
        assert_eq!(world.truth(&url).unwrap().topics, truth.topics);
        seen += 1;
    }
    assert!(seen > 5);
}

#[test]
fn photos_of_a_user_tend_to_one_topic() {
    let setting = crate::nasty::Setting {
        dice: crate::Dice::new(5),
        pages: 20_000,
        domain: "example".into(),
        nasty: Nastiness::none(),
        ablation: None,
    };
    let site = <super::Photos as super::Plan>::new(setting);
    let (mut same, mut all) = (0.0, 0.0);
    for photo in 0..site.society.items.len() {
        let author = site.society.author(photo);
        same += f64::from(u8::from(site.society.users.topic(author) == site.society.items.topic(photo)));
        all += 1.0;
    }
    assert!((0.6..0.9).contains(&(same / all)), "{}", same / all);
}
