//! What closes, what stays open, and what is said of it.

use osprey_model::{ScopeKind, Timestamp, UrlRules};

use super::*;
use crate::Told;

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example{path}"), &UrlRules::default()).unwrap()
}

/// A visit that shows these pieces.
fn row(path: &str, pieces: &[u32]) -> VisitRow {
    let items = pieces.iter().fold(7, |all: u32, piece| all.wrapping_mul(31).wrapping_add(*piece));
    let sketch = pieces.iter().map(|piece| SketchPiece { hash: *piece, leads_to: 0 }).collect();
    let content = Content { items, look: items, sketch };
    let url = url(path).to_string();
    VisitRow { final_url: url.clone(), url, shows: Some(content.encode()), ..empty_row() }
}

fn empty_row() -> VisitRow {
    let text = r#"{"n":1,"url":"","final_url":"","status":200,"fetched_at":"2026-01-01T00:00:00Z","bytes":1,"score":1.0,
        "policy":"breadth-first","depth":1,"link":1,"told":"page"}"#;
    let row: VisitRow = serde_json::from_str(text).unwrap();
    assert_eq!((row.told, row.fetched_at > Timestamp::from_millis(0)), (Told::Page, true));
    row
}

fn traps() -> Traps {
    Traps::new(TrapRules::default())
}

fn visit(traps: &mut Traps, path: &str, pieces: &[u32]) {
    let row = row(path, pieces);
    traps.learn(&url(path), &row);
}

/// A path that is not among the few that are tried all the same.
fn unprobed(paths: impl Iterator<Item = String>) -> String {
    paths.into_iter().find(|path| !url(path).fingerprint().is_multiple_of(PROBE)).unwrap()
}

fn letters(n: u32) -> String {
    (0..5).map(|i| char::from(b'a' + (n.wrapping_mul(0x9e37_79b9) >> (5 * i + 3) & 15) as u8)).collect()
}

#[test]
fn shapes() {
    let traps = traps();
    let check = |path: &str, expect: Option<Trap>| assert_eq!(traps.check(&url(path)), expect, "{path}");
    check("/", None);
    check("/a/b/c/a/b/c", None);
    check("/x/x/x", None);
    check("/x/x/x/x", Some(Trap::Repeats));
    check("/p/a/b/a/b/a/b/a/b", Some(Trap::Repeats));
    check("/2011/11/11/11/11/11", None);
    check(&"/a/b".repeat(2).replace("b", "bb"), None);
    check(&(1..30).map(|i| format!("/s{i}")).collect::<String>(), Some(Trap::Segments));
    check(&format!("/?{}", "a=1&".repeat(30)), Some(Trap::Params));
}

#[test]
fn a_pattern_without_yield_is_closed_and_something_new_opens_it_again() {
    let mut traps = traps();
    let day = |n: u32| format!("/calendar/{n}/{}", n % 30);
    for n in 0..80 {
        visit(&mut traps, &day(n), &[1, 2, 3]);
    }
    let next = unprobed((100..).map(day));
    assert_eq!(traps.check(&url(&next)), Some(Trap::Yield));
    assert!(traps.explain(&url(&next)).unwrap().contains("(http://a.example/calendar/0/0)"));
    assert_eq!(traps.closed_patterns()[0].pattern, "http://a.example/calendar/0/0");
    assert_eq!(traps.check(&url("/photos/5")), None);
    let failed = VisitRow { status: 404, ..row(&day(90), &[1]) };
    traps.learn(&url(&day(90)), &failed);
    assert_eq!(traps.check(&url(&next)), Some(Trap::Yield), "dead links say nothing");
    visit(&mut traps, &day(91), &[4, 5]);
    visit(&mut traps, &day(92), &[6, 7]);
    assert_eq!(traps.check(&url(&next)), None);
    assert!(traps.closed_patterns().is_empty());
}

#[test]
fn a_place_whose_links_led_to_copies_is_closed_and_named() {
    let mut traps = traps();
    let (at, list) = ("/html/body/div/a", url("/list/7"));
    let found = |path: &str, pieces: &[u32]| VisitRow {
        parent: Some(list.to_string()),
        apath: Some(at.to_owned()),
        ..row(path, pieces)
    };
    // one page under ever other URLs
    for n in 0..80 {
        let path = format!("/{}/{}", letters(n), letters(n + 500));
        traps.learn(&url(&path), &found(&path, &[1, 2, 3]));
    }
    let next = unprobed((700..).map(|n| format!("/x/{}", letters(n))));
    assert!(traps.is_barren(url_pattern(&list), at, &url(&next)));
    assert!(!traps.is_barren(url_pattern(&list), "/html/body/p/a", &url(&next)), "elsewhere on the page");
    let place = format!("links at {at} on pages like http://a.example/list/0");
    let closed = traps.closed_patterns();
    let named = closed.iter().find(|closed| closed.pattern == place);
    assert_eq!(
        named.map(|closed| (&*closed.rule, closed.visits)),
        Some((Trap::Place.words(), 80)),
        "{closed:?}"
    );
    for n in 0..16 {
        let path = format!("/real/{n}");
        traps.learn(&url(&path), &found(&path, &[100 + n, 200 + n]));
    }
    assert!(traps.closed_patterns().iter().all(|closed| closed.pattern != place), "it leads to pages again");
}

#[test]
fn numbered_reports_are_a_form_only_if_they_are_all_alike() {
    let reports = |are_alike: bool| {
        let mut traps = traps();
        for n in 0..8_u32 {
            let path = format!("/report/{n}");
            let pieces = if are_alike { [1, 2] } else { [100 + n, 200 + n] };
            let near_duplicate_of = (are_alike && n > 0).then_some(1);
            assert_eq!(traps.is_wall(&url("/report/99")), are_alike && n >= 4, "{n} visits");
            traps.learn(&url(&path), &VisitRow { near_duplicate_of, ..row(&path, &pieces) });
        }
        traps.is_wall(&url("/report/99"))
    };
    assert!(reports(true));
    assert!(!reports(false), "each has something of its own");
    assert!(traps().is_wall(&url("/posts/17/reply")), "whatever is known");
}

#[test]
fn session_ids_in_letters_are_closed_by_their_shape() {
    let mut traps = traps();
    for n in 0..120 {
        visit(&mut traps, &format!("/real/{n}"), &[1000 + n, 2000 + n]);
        let page = n % 10;
        visit(&mut traps, &format!("/s/{}/{}", letters(n), letters(n + 500)), &[page, page + 50, page + 90]);
    }
    let next = unprobed((700..).map(|n| format!("/s/{}/page", letters(n))));
    assert_eq!(traps.check(&url(&next)), Some(Trap::Shape));
    assert_eq!(traps.check(&url("/real/5000")), None);
    assert_eq!(traps.check(&url("/s/other/kind/of")), None);
    assert_eq!(traps.check(&url("/about/us")), None);
}

#[test]
fn orders_and_filters_are_closed_by_their_path_and_the_list_itself_is_not() {
    let mut traps = traps();
    let items = |page: u32| (page * 10..page * 10 + 10).collect::<Vec<u32>>();
    for n in 0..200 {
        visit(&mut traps, &format!("/list?page={n}"), &items(n));
        visit(&mut traps, &format!("/list?{}=1&{}=2&page={n}", letters(n), letters(n + 9)), &items(n % 3));
    }
    let next = unprobed((0..).map(|n| format!("/list?{}=2", letters(n))));
    assert_eq!(traps.check(&url(&next)), Some(Trap::Path));
    assert_eq!(traps.check(&url("/list?page=999")), None, "it is proven");
}

#[test]
fn lists_that_show_known_items_a_few_times_stay_open() {
    let mut traps = traps();
    // 400 items with five tags each, twenty on a page
    for n in 0..100 {
        let items: Vec<u32> = (0..10_u32).map(|i| (n * 10 + i).wrapping_mul(0x9e37_79b9) % 400).collect();
        visit(&mut traps, &format!("/tag/{}", letters(n)), &items);
    }
    assert_eq!(traps.check(&url("/tag/new")), None);
}

#[test]
fn links_of_copies_are_followed_into_proven_patterns_only() {
    let mut traps = traps();
    (0..5).for_each(|n| visit(&mut traps, &format!("/photo/{n}"), &[n]));
    let copy = row("/x/other", &[3]);
    assert!(traps.is_copy(&url("/x/other"), &copy));
    assert!(!traps.is_copy(&url("/x/other"), &row("/x/other", &[77])));
    let (from, next) = (url("/x/other"), url(&unprobed((0..).map(|n| format!("/x/{}", letters(n))))));
    assert!(traps.is_worth_following(&from, &next), "nothing is known of links of copies");
    traps.learn(&from, &copy);
    for n in 0..COPIES {
        let path = format!("/x/{}", letters(n + 100));
        traps.learn(&url(&path), &VisitRow { parent: Some(from.to_string()), ..row(&path, &[3]) });
    }
    assert!(!traps.is_worth_following(&from, &next));
    assert!(traps.is_worth_following(&from, &url("/photo/99")));
    assert!(traps.is_worth_following(&url("/y"), &next), "of another shape");
}

#[test]
fn a_place_that_brought_copies_only_is_barren() {
    let mut traps = traps();
    let from = |path: &str, place: &str, pieces: &[u32]| VisitRow {
        parent: Some("http://a.example/real/1".into()),
        apath: Some(place.into()),
        ..row(path, pieces)
    };
    for n in 0..80 {
        let dead = format!("/{}", letters(n).repeat(n as usize % 3 + 1));
        traps.learn(&url(&dead), &from(&dead, "/html/body/i/a", &[1]));
        let live = format!("/y/{}", letters(n));
        traps.learn(&url(&live), &from(&live, "/html/body/a", &[100 + n]));
    }
    let pattern = url_pattern(&url("/real/7"));
    let next = url(&unprobed((0..).map(|n| format!("/z/{}", letters(n)))));
    assert!(traps.is_barren(pattern, "/html/body/i/a", &next));
    assert!(!traps.is_barren(pattern, "/html/body/a", &next));
}

#[test]
fn forms_to_log_in_are_learned_and_come_last() {
    let mut traps = traps();
    assert!(!traps.is_wall(&url("/members?to=9")));
    for n in 0..3 {
        let path = format!("/members?to={n}");
        traps.learn(&url(&path), &VisitRow { is_login: true, ..row(&path, &[1]) });
    }
    assert!(traps.is_wall(&url("/members?to=9")));
    assert!(!traps.is_wall(&url("/other?to=9")));
    // what is sent on to a form brings nothing
    for n in 0..64 {
        let path = format!("/watch/{n}");
        let to = url(&format!("/members?to=w{n}")).to_string();
        traps.learn(&url(&path), &VisitRow { status: 302, final_url: to, shows: None, ..row(&path, &[]) });
    }
    assert_eq!(traps.check(&url(&unprobed((100..).map(|n| format!("/watch/{n}"))))), Some(Trap::Yield));
}

#[test]
fn a_pattern_budget_ends_and_a_person_can_keep_what_is_closed() {
    let rules = |keep: &[&str]| {
        let keep: Vec<String> = keep.iter().map(|text| (*text).to_owned()).collect();
        let keep = Scope::new(ScopeKind::Any, &[], &keep, &[]).unwrap();
        TrapRules { pattern_budget: 2, keep: Some(keep), ..TrapRules::default() }
    };
    let mut traps = Traps::new(rules(&["/nothing"]));
    visit(&mut traps, "/t/1", &[1]);
    assert_eq!(traps.check(&url("/t/3")), None);
    visit(&mut traps, "/t/2", &[2]);
    assert_eq!(traps.check(&url("/t/3")), Some(Trap::Budget));
    traps.rules = rules(&["^http://a.example/t/"]);
    assert_eq!(traps.check(&url("/t/3")), None);
}
