//! Checks for every kind of world: the same bytes again, a truth for every URL, every listed page can be reached.

use std::collections::HashSet;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use osprey_model::{Permitted, UrlRules};
use proptest::prelude::*;

use super::walk::{self, links, url, walk};
use super::*;

fn small(kind: Kind, nastiness: Nastiness) -> World {
    World::new(kind, &Options { pages: 600, nastiness, ..Options::default() }).unwrap()
}

fn get(world: &World, page: &str) -> Answer {
    walk::get(world, &url(page))
}

#[test]
fn kinds_have_names() {
    for kind in Kind::ALL {
        assert_eq!(kind.to_string().parse::<Kind>(), Ok(kind));
    }
    assert_eq!("blog".parse::<Kind>(), Err(WorldError::Kind("blog".into())));
}

#[test]
fn impossible_worlds_are_refused() {
    let check = |options: Options, expect: WorldError| {
        assert_eq!(World::new(Kind::Photo, &options).err(), Some(expect));
    };
    check(Options { pages: 1, ..Options::default() }, WorldError::Pages(1));
    for domain in ["", "Example", "a/b", "exa mple", "x:99999"] {
        check(Options { domain: domain.into(), ..Options::default() }, WorldError::Domain(domain.into()));
    }
    let nastiness = Nastiness { ads: 1.5, ..Nastiness::default() };
    check(Options { nastiness, ..Options::default() }, WorldError::Nastiness { name: "ads", rate: 1.5 });
}

#[test]
fn hosts_end_in_the_domain_with_its_port() {
    for kind in Kind::ALL {
        let options = Options { pages: 600, domain: "localhost:8080".into(), ..Options::default() };
        let world = World::new(kind, &options).unwrap();
        let ending = format!(".{kind}.localhost:8080");
        for (page, _) in walk(&world, 60) {
            assert!(page.authority().ends_with(&ending), "{page}");
        }
        assert!(world.pages().take(100).all(|page| url(&page).authority().ends_with(&ending)));
    }
}

/// The same world again, and another random seed.
#[test]
fn a_world_is_a_function_of_its_options() {
    for kind in Kind::ALL {
        let (one, two) = (small(kind, Nastiness::default()), small(kind, Nastiness::default()));
        let other = World::new(kind, &Options { random_seed: 9, pages: 600, ..Options::default() }).unwrap();
        let visits = walk(&one, 120);
        let answer = walk::get;
        for (page, truth) in visits.iter().rev() {
            assert_eq!(answer(&one, page), answer(&two, page), "{page}");
            assert_eq!(two.truth(page).as_ref(), Some(truth), "{page}");
        }
        let home = url(&one.seeds()[0]);
        assert_ne!(answer(&one, &home).body, answer(&other, &home).body, "{kind}");
    }
}

/// Status and truth agree, for everything that is linked.
#[test]
fn answers_agree_with_truths() {
    for kind in Kind::ALL {
        let world = small(kind, Nastiness::default());
        for (page, truth) in walk(&world, 400) {
            let answer = walk::get(&world, &page);
            let waste = truth.waste.as_deref();
            assert_eq!(answer.status == 404, waste == Some("dead"), "{page}");
            let is_sent_on = waste == Some("redirect") || page.path().starts_with("/account/");
            assert_eq!(answer.status / 100 == 3, is_sent_on, "{page}");
            let target = truth.duplicate_of.as_deref().and_then(|page| world.truth(&url(page)));
            assert!(
                truth.duplicate_of.is_none() || target.is_some_and(|truth| truth.duplicate_of.is_none()),
                "{page}"
            );
        }
    }
}

/// Listed is what a crawl from the seeds can reach and what counts.
fn check_listed_is_reached(kind: Kind, nastiness: Nastiness) {
    let world = World::new(kind, &Options { pages: 1200, nastiness, ..Options::default() }).unwrap();
    let listed: Vec<String> = world.pages().collect();
    let as_set: HashSet<&str> = listed.iter().map(String::as_str).collect();
    assert_eq!(as_set.len(), listed.len(), "{kind}: a page is listed twice");
    let visits = walk(&world, usize::MAX);
    let mut reached = HashSet::new();
    for (page, truth) in &visits {
        let answer = walk::get(&world, page);
        let is_html = answer.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html"));
        if answer.status == 200 && is_html && truth.waste.is_none() && truth.duplicate_of.is_none() {
            assert!(as_set.contains(page.as_str()), "{page} is reached but not listed");
        }
        reached.insert(truth.duplicate_of.as_deref().unwrap_or(page.as_str()));
    }
    let lost: Vec<_> = listed.iter().filter(|page| !reached.contains(page.as_str())).take(3).collect();
    assert!(lost.is_empty(), "{kind}: listed but not reached: {lost:?}");
}

#[test]
fn listed_is_what_a_crawl_reaches() {
    for kind in Kind::ALL {
        check_listed_is_reached(kind, Nastiness::none());
        check_listed_is_reached(kind, Nastiness::default());
    }
}

#[test]
fn what_all_worlds_have_is_answered_around_the_kind() {
    let world = small(Kind::Photo, Nastiness::default());
    let host = "http://www.photo.example";
    let check = |path: &str, status: u16, waste: Option<&str>| {
        let page = format!("{host}{path}");
        assert_eq!(get(&world, &page).status, status, "{page}");
        assert_eq!(world.truth(&url(&page)).unwrap().waste.as_deref(), waste, "{page}");
    };
    check("/robots.txt", 200, None);
    check("/sitemap.xml", 200, None);
    check("/login?next=%2F", 200, Some("login"));
    check("/calendar/2009/02", 200, Some("calendar"));
    check("/account/messages?to=1", 302, Some("login"));
    check("/go?to=%2Frecent", 302, Some("redirect"));
    check("/index.php/recent", 301, Some("redirect"));
    check("/favicon.ico", 404, Some("dead"));
    let account = url("http://www.photo.example/account/messages?to=1");
    let member = world.answer(&Ask { url: &account, cookie: Some("theme=dark; session=1") });
    assert_eq!(member.status, 200, "a member meets no wall");
    let duplicate = world.truth(&url("http://www.photo.example/recent?sid=1")).unwrap();
    assert_eq!(duplicate.duplicate_of.as_deref(), Some("http://www.photo.example/recent"));
    assert_eq!(get(&world, "http://www.photo.example/recent?sid=1"), {
        let mut same = get(&world, "http://www.photo.example/recent");
        same.delay = get(&world, "http://www.photo.example/recent?sid=1").delay;
        same
    });
    let print = get(&world, "http://www.photo.example/recent?print=1").body;
    assert!(String::from_utf8_lossy(&print).contains("Print view"));
    assert_eq!(get(&world, "http://elsewhere.example/").status, 404);
    assert_eq!(world.truth(&url("http://elsewhere.example/")), None);
}

#[test]
fn a_clean_world_has_no_waste() {
    for kind in Kind::ALL {
        let world = small(kind, Nastiness::none());
        // a site of ratings needs the offers of shops, which lead out
        let is_offer = |truth: &Truth| kind == Kind::Ratings && truth.waste.as_deref() == Some("ad");
        for (page, truth) in walk(&world, 500).iter().filter(|(_, truth)| !is_offer(truth)) {
            assert_eq!((&truth.waste, &truth.duplicate_of), (&None, &None), "{page}");
        }
    }
}

#[test]
fn a_nasty_world_has_all_there_is() {
    let world = World::new(Kind::Photo, &Options { pages: 5000, ..Options::default() }).unwrap();
    let visits = walk(&world, 4000);
    for waste in ["dead", "soft-404", "redirect", "login", "calendar", "ad", "spam"] {
        assert!(visits.iter().any(|(_, truth)| truth.waste.as_deref() == Some(waste)), "no {waste}");
    }
    for dress in ["sid=", "ref=", "print=1", "sort="] {
        let is_dressed = |url: &CanonicalUrl| url.query().is_some_and(|query| query.contains(dress));
        let found = visits.iter().find(|(page, truth)| truth.duplicate_of.is_some() && is_dressed(page));
        assert!(found.is_some(), "no {dress}");
    }
    let answers = visits.iter().map(|(page, _)| world.answer(&Ask { url: page, cookie: None }));
    let (mut latin, mut slow) = (0, 0);
    for answer in answers {
        latin += u32::from(answer.headers.get("content-type") == Some("text/html; charset=ISO-8859-1"));
        slow += u32::from(answer.delay > Duration::from_millis(500));
    }
    assert!(latin > 20 && slow > 20, "{latin} in Latin 1, {slow} slow");
}

#[test]
fn the_smallest_worlds_can_be_crawled() {
    for kind in Kind::ALL {
        let world = World::new(kind, &Options { pages: FEWEST, ..Options::default() }).unwrap();
        let visits = walk(&world, 300);
        assert!(visits.iter().any(|(_, truth)| truth.page_type == PageType::Detail), "{kind}");
    }
}

#[test]
fn a_calendar_has_no_end() {
    let world = small(Kind::Forum, Nastiness::default());
    let mut page = url("http://www.forum.example/calendar/2009/11");
    for _ in 0..30 {
        let answer = world.answer(&Ask { url: &page, cookie: None });
        page = links(&page, &answer)
            .into_iter()
            .find(|link| link.as_str() > page.as_str())
            .expect("a later month");
    }
    assert_eq!(page.path(), "/calendar/2012/05");
}

#[test]
fn a_world_is_a_source() {
    let world = small(Kind::Photo, Nastiness::default());
    let fetch = |page: &str| {
        let request = Request::new(Permitted::robots_txt(&url(page)));
        match pin!(world.fetch(request)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(exchange) => exchange,
            Poll::Pending => panic!("a world never waits"),
        }
    };
    let Exchange::Answered(response) = fetch("http://www.photo.example/") else { panic!("no answer") };
    assert_eq!((response.status, response.fetched_at), (200, FETCHED_AT));
    assert!(
        matches!(fetch("http://other.example/"), Exchange::Failed(failure) if failure.kind == FailureKind::Dns)
    );
}

fn any_path() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "photos",
        "people",
        "tags",
        "sets",
        "groups",
        "pool",
        "node",
        "q",
        "u",
        "t",
        "post",
        "img",
        "search",
        "go",
        "login",
        "calendar",
        "index.php",
        "archive",
        "badges",
        "media",
        "members",
        "contacts",
        "favorites",
        "-",
        "..",
        "%2F",
        "%00",
    ]);
    let part = prop_oneof![
        words.prop_map(str::to_owned),
        any::<u64>().prop_map(|n| n.to_string()),
        any::<u32>().prop_map(|n| format!("x-{n}")),
        "[a-z0-9_.%-]{0,12}",
        "\\PC{0,6}",
    ];
    let query = prop_oneof![
        Just(String::new()),
        any::<u64>().prop_map(|n| format!("?page={n}")),
        "\\?[a-z]{1,5}=[a-z0-9%&=]{0,12}",
    ];
    (prop::collection::vec(part, 0..5), query)
        .prop_map(|(parts, query)| format!("/{}{query}", parts.join("/")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_url_breaks_a_world(path in any_path(), host in prop::sample::select(vec!["www", "static", "ads1", "x"])) {
        for kind in Kind::ALL {
            let world = small(kind, Nastiness::default());
            if let Ok(url) = CanonicalUrl::parse(&format!("http://{host}.{kind}.example{path}"), &UrlRules::default()) {
                let (answer, truth) = (world.answer(&Ask { url: &url, cookie: None }), world.truth(&url));
                prop_assert!(matches!(answer.status, 200 | 301 | 302 | 403 | 404), "{}: {}", url, answer.status);
                prop_assert!(truth.is_some(), "{}", url);
            }
        }
    }
}
