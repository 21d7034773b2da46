//! The portal: what is listed is what is reached, topics in two languages, GBK that decodes.

use std::collections::HashSet;

use osprey_model::CanonicalUrl;
use proptest::prelude::*;

use crate::world::walk::{
    breadth_first, check_any_url, check_determinism, check_path, check_reach, counts, get, links, tally, url,
    world,
};
use crate::{Kind, Nastiness, Truth};
use osprey_model::PageType;

#[test]
fn what_is_found_is_listed() {
    check_reach(Kind::Portal, 1, 1500, Nastiness::none());
    check_reach(Kind::Portal, 2, 4000, Nastiness::default());
}

#[test]
fn the_same_bytes_again() {
    check_determinism(Kind::Portal);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_path_is_answered(site in 0usize..8, path in "/[ -~]{0,40}") {
        check_path(Kind::Portal, site, &path);
    }
}

#[test]
fn any_url_is_answered() {
    check_any_url(Kind::Portal, 2000, 11);
}

/// Wanted pages are the details of one topic.
#[test]
fn breadth_first_finds_a_few_percent() {
    let world = world(Kind::Portal, 1, 20_000, Nastiness::default());
    let topics = world.topics();
    assert!(
        topics.len() >= 30
            && topics.iter().all(|topic| topic.terms.len() >= 10 && topic.terms_zh.len() >= 10)
    );
    let visits = breadth_first(&world, 2000);
    let wanted = |name: &String| {
        let is_wanted = |truth: &Truth| {
            counts(truth) && truth.page_type == PageType::Detail && truth.topics.contains(name)
        };
        visits.iter().filter(|(_, truth)| is_wanted(truth)).count() as f64 / visits.len() as f64
    };
    let shares: Vec<f64> = topics.iter().map(|topic| wanted(&topic.name)).collect();
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!((0.02..0.06).contains(&mean), "{mean} in the mean");
    assert!(shares.iter().all(|share| (0.01..0.07).contains(share)), "{shares:?}");
    let chinese = visits.iter().filter(|(_, truth)| truth.template.ends_with("-zh")).count();
    assert!((400..1200).contains(&chinese), "{chinese} of 2000 are Chinese");
}

/// Decodes the bytes by their true encoding, and compares what header and `<meta>` declare.
#[test]
fn every_encoding_decodes_and_is_declared_in_every_way() {
    let world = world(Kind::Portal, 1, 100_000, Nastiness::default());
    let mut seen = HashSet::new();
    for page in world.pages().step_by(97).map(|page| url(&page)) {
        let answer = get(&world, &page);
        let header = answer
            .headers
            .get("Content-Type")
            .and_then(|value| value.split_once("charset="))
            .map(|(_, name)| name);
        let text = String::from_utf8_lossy(&answer.body);
        let meta = text
            .split_once("charset=")
            .map(|(_, rest)| rest.trim_start_matches('"').split('"').next().unwrap_or(""));
        let (utf8, is_utf8) = encoding_rs::UTF_8.decode_without_bom_handling(&answer.body);
        let (gbk, is_gbk) = encoding_rs::GBK.decode_without_bom_handling(&answer.body);
        let is_chinese = world.truth(&page).is_some_and(|truth| truth.template.ends_with("-zh"));
        let has_han = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        let bytes = match (is_chinese, is_utf8, is_gbk) {
            (true, false, _) => {
                assert!(has_han(&utf8), "{page}");
                "utf-8"
            }
            (true, true, false) => {
                assert!(has_han(&gbk) && gbk.contains("</html>"), "{page}");
                "gb2312"
            }
            (true, true, true) => panic!("{page}: neither UTF-8 nor GBK"),
            (false, ..) => continue,
        };
        let says = |name: Option<&str>| match name {
            Some(name) if name.eq_ignore_ascii_case(bytes) => "right",
            Some(_) => "wrong",
            None => "nothing",
        };
        seen.insert((bytes, says(header), says(meta)));
    }
    for case in [
        ("gb2312", "right", "right"),
        ("gb2312", "nothing", "right"),
        ("gb2312", "nothing", "nothing"),
        ("gb2312", "wrong", "right"),
        ("utf-8", "right", "right"),
        ("utf-8", "nothing", "right"),
    ] {
        assert!(seen.contains(&case), "{case:?} is missing of {seen:?}");
    }
}

/// Chen et al. 2009's five types of link, by host and path.
fn link_type(from: &CanonicalUrl, to: &CanonicalUrl) -> &'static str {
    let (here, there) = (from.directory(), to.directory());
    if from.authority() != to.authority() {
        "outward"
    } else if here == there {
        "sibling"
    } else if there.starts_with(here) {
        "downward"
    } else if here.starts_with(there) {
        "upward"
    } else {
        "crosswise"
    }
}

/// Linked pages share a topic far more often than by chance, but not always; all types of link occur.
#[test]
fn links_have_topical_locality() {
    let world = world(Kind::Portal, 1, 20_000, Nastiness::none());
    let (mut types, mut same, mut all) = (Vec::new(), 0.0, 0.0);
    for page in world.pages().step_by(29).map(|page| url(&page)) {
        let linked = links(&page, &get(&world, &page));
        types.extend(linked.iter().map(|link| link_type(&page, link)));
        let Some(truth) = world.truth(&page).filter(|truth| truth.page_type == PageType::Detail) else {
            continue;
        };
        for link in linked {
            let Some(target) = world.truth(&link).filter(|truth| truth.page_type == PageType::Detail) else {
                continue;
            };
            all += 1.0;
            same += if target.topics.first() == truth.topics.first() { 1.0 } else { 0.0 };
        }
    }
    let share = same / all;
    assert!((0.25..0.75).contains(&share), "{share} of links between details stay with their topic");
    let types = tally(types.into_iter());
    for name in ["downward", "sibling", "crosswise", "outward", "upward"] {
        assert!(types.get(name).is_some_and(|n| *n > 30), "{name} is rare in {types:?}");
    }
}

/// Table 4 of Chen et al. 2009: most URLs have the branch, in English, shortened, in pinyin or by its initials, and few the
/// topic.
#[test]
fn urls_name_branches_more_often_than_topics() {
    let world = world(Kind::Portal, 1, 50_000, Nastiness::none());
    let about = |page: &String, name: &str| {
        world.truth(&url(page)).is_some_and(|t| t.topics.first().is_some_and(|t| t.starts_with(name)))
    };
    let share = |name: &str, tokens: &[&str]| {
        let pages: Vec<String> = world.pages().filter(|page| about(page, name)).collect();
        let named = pages.iter().filter(|page| tokens.iter().any(|token| page.contains(token))).count();
        named as f64 / pages.len() as f64
    };
    for token in ["/sports/", "/tiyu/", "/ty/"] {
        assert!(share("Sports/", &[token]) > 0.01, "{token}: {}", share("Sports/", &[token]));
    }
    let branch = share("Sports/", &["sport", "tiyu", "/ty/", "ty-"]);
    assert!((0.6..0.95).contains(&branch), "{branch} of the URLs name the branch");
    let topic = share("Sports/Basketball", &["basketball", "bball", "lanqiu", "/lq-"]);
    assert!((0.005..0.25).contains(&topic), "{topic} of the URLs name the topic");
}
