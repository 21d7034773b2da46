//! Campus: what is listed is what is reached, truths agree with pages, syllabi are a few percent.

use proptest::prelude::*;

use crate::world::walk::{
    breadth_first, check_any_url, check_determinism, check_path, check_reach, counts, get, links, tally, url,
    world,
};
use crate::{Kind, Nastiness, Truth};

#[test]
fn what_is_found_is_listed() {
    check_reach(Kind::Campus, 1, 1500, Nastiness::none());
    check_reach(Kind::Campus, 2, 4000, Nastiness::default());
}

#[test]
fn the_same_bytes_again() {
    check_determinism(Kind::Campus);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_path_is_answered(site in 0usize..8, path in "/[ -~]{0,40}") {
        check_path(Kind::Campus, site, &path);
    }
}

#[test]
fn any_url_is_answered() {
    check_any_url(Kind::Campus, 2000, 11);
}

/// Wanted pages are the syllabi of one topic.
#[test]
fn breadth_first_finds_a_few_percent() {
    let world = world(Kind::Campus, 1, 20_000, Nastiness::default());
    let visits = breadth_first(&world, 2000);
    let wanted = |topic: &str| {
        let is_wanted =
            |truth: &Truth| counts(truth) && truth.template == "syllabus" && is_about(truth, topic);
        visits.iter().filter(|(_, truth)| is_wanted(truth)).count() as f64 / visits.len() as f64
    };
    let shares: Vec<f64> = world.topics().iter().map(|topic| wanted(&topic.name)).collect();
    assert!(shares.iter().all(|share| (0.02..0.1).contains(share)), "{shares:?}");
    let waste = visits.iter().filter(|(_, truth)| truth.waste.is_some()).count();
    assert!((100..600).contains(&waste), "{waste} of 2000 visits are wasted");
}

fn is_about(truth: &Truth, topic: &str) -> bool {
    truth.topics.iter().any(|name| name == topic)
}

/// Every genre has the topic, and the genre has other topics.
#[test]
fn genre_and_content_are_independent() {
    let world = world(Kind::Campus, 1, 8000, Nastiness::none());
    let truths: Vec<Truth> = world.pages().filter_map(|page| world.truth(&url(&page))).collect();
    let topic = &world.topics()[0].name;
    let genres =
        tally(truths.iter().filter(|truth| is_about(truth, topic)).map(|truth| truth.template.as_str()));
    for genre in
        ["syllabus", "lecture-notes", "assignment", "faculty-home", "project", "job-offer", "product"]
    {
        assert!(genres.get(genre).is_some_and(|n| *n >= 3), "{genre} is missing of {genres:?}");
    }
    let syllabi = truths.iter().filter(|truth| truth.template == "syllabus");
    let contents = tally(syllabi.filter_map(|truth| truth.topics.first()));
    assert!(contents.len() >= 20, "only {contents:?}");
    assert!(contents.values().all(|n| *n * 3 < contents.values().sum::<usize>()), "{contents:?}");
}

/// Of the syllabi that one list links, more share a topic than of all; and a list is never about one topic only.
#[test]
fn siblings_tend_to_share_a_topic() {
    let world = world(Kind::Campus, 3, 12_000, Nastiness::none());
    let (mut same, mut pairs, mut lists) = (0.0, 0.0, 0);
    let mut all = Vec::new();
    for page in world.pages().map(|page| url(&page)) {
        if world.truth(&page).is_none_or(|truth| truth.template != "course-list") {
            continue;
        }
        let linked = links(&page, &get(&world, &page));
        let truths =
            linked.iter().filter_map(|link| world.truth(link)).filter(|truth| truth.template == "syllabus");
        let topics: Vec<String> = truths.filter_map(|truth| truth.topics.first().cloned()).collect();
        lists += usize::from(topics.len() >= 3);
        for (n, one) in topics.iter().enumerate() {
            for other in topics.iter().skip(n + 1) {
                pairs += 1.0;
                same += if one == other { 1.0 } else { 0.0 };
            }
        }
        all.extend(topics);
    }
    let by_chance: f64 = tally(all.iter()).values().map(|n| (*n as f64 / all.len() as f64).powi(2)).sum();
    assert!(lists >= 10 && pairs >= 500.0, "{lists} lists, {pairs} pairs");
    let share = same / pairs;
    assert!(
        share > 1.3 * by_chance && share < 0.7,
        "{share} of siblings share a topic, {by_chance} by chance"
    );
}

/// Syllabi carry genre terms that lecture notes do not, and nearly all carry some.
#[test]
fn the_genre_shows_in_the_text() {
    let terms = [
        "prereq",
        "grading",
        "assessment",
        "textbook",
        "syllabus",
        "schedule",
        "office hours",
        "instructor",
        "教材",
        "考核",
        "先修",
        "大纲",
        "literatur",
        "avalia",
        "cronograma",
        "outcomes",
        "reading list",
    ];
    let world = world(Kind::Campus, 4, 6000, Nastiness::none());
    let mean = |template: &str| {
        let pages = world.pages().map(|page| url(&page));
        let of =
            pages.filter(|page| world.truth(page).is_some_and(|truth| truth.template == template)).take(300);
        let counts: Vec<usize> = of
            .map(|page| {
                let body = String::from_utf8_lossy(&get(&world, &page).body).to_lowercase();
                terms.iter().filter(|term| body.contains(*term)).count()
            })
            .collect();
        counts.iter().sum::<usize>() as f64 / counts.len() as f64
    };
    let (syllabi, notes) = (mean("syllabus"), mean("lecture-notes"));
    assert!(syllabi > 3.0 && notes < 1.0, "{syllabi} terms on a syllabus, {notes} on notes");
}

/// Five habits of making URLs, some of which reveal nothing.
#[test]
fn urls_do_not_always_tell() {
    let world = world(Kind::Campus, 1, 20_000, Nastiness::none());
    let syllabi: Vec<String> = world
        .pages()
        .filter(|page| world.truth(&url(page)).is_some_and(|truth| truth.template == "syllabus"))
        .collect();
    let share = |is: &dyn Fn(&str) -> bool| {
        syllabi.iter().filter(|page| is(page)).count() as f64 / syllabi.len() as f64
    };
    for (habit, is) in [
        ("named", (&|page: &str| page.contains("syllabus")) as &dyn Fn(&str) -> bool),
        ("opaque", &|page: &str| page.contains("/node/")),
        ("query", &|page: &str| page.contains("?sec=teaching")),
        ("personal", &|page: &str| page.contains("/~")),
        ("slug", &|page: &str| page.contains("/courses/")),
    ] {
        let share = share(is);
        assert!((0.02..0.6).contains(&share), "{habit}: {share}");
    }
}
