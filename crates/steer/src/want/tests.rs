//! The want on a small site: what words, kinds, examples and ratings do to the worth of a page.

use std::sync::Arc;

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, PageRules};

use super::*;
use crate::Example;

fn page(path: &str, title: &str, body: &str) -> Page {
    let url = CanonicalUrl::parse(&format!("http://a.example/{path}"), &UrlRules::default()).unwrap();
    let html = format!("<html lang=en><title>{title} - Site</title><p>Home news contact red<p>{body}");
    Page::parse(&Input { url: &url, content_type: None, body: html.as_bytes() }, &PageRules::default())
}

/// A site of forty pages: eight about sailing, some of which do not say so, and others about soup.
fn site() -> Vec<Page> {
    let about = |n: usize| match n % 5 {
        0 => ("sailing", format!("sailing with mast and anchor and tiller, part {n} of the harbour book")),
        _ => ("soup", format!("soup with carrots and onions and stock, part {n} of the kitchen book")),
    };
    let page_of = |n: usize| {
        let (title, text) = about(n);
        let title = if n % 10 == 5 { "weekend".to_owned() } else { format!("{title} {n}") };
        page(&format!("{n}"), &title, &text)
    };
    (0..40).map(page_of).collect()
}

fn background(pages: &[Page]) -> Arc<Background> {
    let mut counter = BackgroundCounter::default();
    pages.iter().for_each(|page| counter.count(page, false));
    let mut background = counter.finish();
    pages.iter().for_each(|page| background.keep(page, None, false));
    Arc::new(background)
}

fn wanting(words: &[&str]) -> Subject {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    Subject { words, pages: PageKinds::All, ..Subject::default() }
}

fn want(subject: &Subject, rated: &[(&Page, bool)]) -> Want {
    let pages = site();
    let rated = rated
        .iter()
        .map(|(page, is_wanted)| Example { page: Arc::new((*page).clone()), is_wanted: *is_wanted });
    let known = Known { background: Some(background(&pages)), rated: rated.collect(), ..Known::default() };
    Want::new(subject, &known).unwrap()
}

#[test]
fn menus_do_not_count_and_rare_words_do() {
    let background = background(&site());
    let digest = background.digest(&page("x", "x", "onions"), None);
    let texts: Vec<f32> =
        ["home", "contact", "onion"].map(|stem| digest.count(osprey_text::Term::of(stem))).to_vec();
    assert_eq!(texts, [0.0, 0.0, 1.0]);
    let [rare, common] = ["anchor", "carrot"].map(|stem| background.idf(osprey_text::Term::of(stem)));
    // of 40 pages 8 have it: ln(1 + 32.5 / 8.5); 32 have the other: ln(1 + 8.5 / 32.5)
    assert!(
        (rare - 4.8235_f32.ln()).abs() < 1e-3 && (common - 1.2615_f32.ln()).abs() < 1e-3,
        "{rare} {common}"
    );
}

#[test]
fn pages_about_it_are_worth_more_than_others_even_without_the_word() {
    let want = want(&wanting(&["sailing"]), &[]);
    let worth = |body: &str| want.worth(&page("new", "news", body), None).value;
    let (named, related, other) = (
        worth("sailing again"),
        worth("mast and anchor and tiller in the harbour"),
        worth("soup with carrots"),
    );
    assert!(named > 0.5 && related > 0.5 && other < 0.05, "{named} {related} {other}");
}

#[test]
fn the_menu_says_nothing_of_a_page() {
    let want = want(&wanting(&["red"]), &[]);
    assert!(want.worth(&page("new", "news", "soup"), None).value < 0.05);
    assert!(want.worth(&page("new", "red car", "a red car"), None).value > 0.5);
}

#[test]
fn what_is_not_an_item_is_never_wanted() {
    let subject = Subject { pages: PageKinds::Items, ..wanting(&["sailing"]) };
    let want = want(&subject, &[]);
    let of_type = |page_type, marked| {
        let reading = Reading { cluster: Some(1), page_type, wanted: marked, ..Reading::default() };
        want.worth(&page("new", "sailing", "sailing"), Some(&reading)).value
    };
    assert!(of_type(PageType::Detail, None) > 0.5);
    assert!(of_type(PageType::List, None) < 0.1 && of_type(PageType::Profile, None) < 0.1);
    assert!(of_type(PageType::List, Some(true)) > 0.5 && of_type(PageType::Detail, Some(false)) < 0.1);
}

#[test]
fn ratings_count_most_and_move_pages_that_are_alike() {
    let pages = site();
    let subject = wanting(&["book"]);
    let before = want(&subject, &[]);
    let soup = page("new", "news", "soup with carrots and onions, the book");
    let sailing = page("new2", "news", "sailing with mast and anchor, the book");
    let after =
        want(&subject, &[(&pages[0], true), (&pages[10], true), (&pages[1], false), (&pages[2], false)]);
    let value = |want: &Want, page: &Page| want.worth(page, None).value;
    let (good, bad, bad_before) = (value(&after, &sailing), value(&after, &soup), value(&before, &soup));
    let parts = (after.worth(&sailing, None), after.worth(&soup, None));
    assert!(good > bad_before && bad < bad_before, "{good} {bad} {bad_before} {parts:?}");
    assert_eq!((value(&after, &pages[0]), value(&after, &pages[1])), (0.99, 1.0 - 0.99));
}

#[test]
fn an_example_is_enough() {
    let pages = site();
    let example = Example { page: Arc::new(pages[0].clone()), is_wanted: true };
    let known = Known { background: Some(background(&pages)), examples: vec![example], ..Known::default() };
    let subject = Subject { pages: PageKinds::All, ..Subject::default() };
    let want = Want::new(&subject, &known).unwrap();
    let worth = |body: &str| want.worth(&page("new", "news", body), None);
    let sailing = "sailing with mast and anchor and tiller, a harbour book";
    let (good, bad) = (worth(sailing), worth("soup with carrots and onions"));
    assert!(good.value > 0.1 && good.value > 5.0 * bad.value, "{good:?} {bad:?}");
}

#[test]
fn a_want_of_nothing_is_refused() {
    let refused = Want::new(&Subject::default(), &Known::default()).unwrap_err();
    assert!(refused.key == "judge.kind" && refused.message.contains("`topic.words`"), "{refused}");
}

#[test]
fn words_that_stand_everywhere_are_named() {
    let notes = want(&wanting(&["book", "sailing"]), &[]).notes();
    assert!(notes.len() == 1 && notes[0].contains("`book` stands on 100 %"), "{notes:?}");
}

#[test]
fn chinese_and_unknown_languages_work() {
    let chinese = |body: &str| {
        let url = CanonicalUrl::parse("http://a.example/zh", &UrlRules::default()).unwrap();
        let html = format!("<html lang=zh><title>页面</title><p>{body}");
        let input =
            Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: html.as_bytes() };
        Page::parse(&input, &PageRules::default())
    };
    let want = want(&wanting(&["篮球"]), &[]);
    let value = |page: &Page| want.worth(page, None).value;
    assert!(value(&chinese("这是篮球比赛")) > value(&chinese("这是足球比赛")));
    let unknown = page("tlh", "jatmey", "jatmey Qapla jatmey");
    let jatmey = want_of("jatmey");
    assert!(jatmey.worth(&unknown, None).value > 0.5);
}

fn want_of(word: &str) -> Want {
    want(&wanting(&[word]), &[])
}

#[test]
fn all_bad_ratings_and_many_of_them() {
    let pages = site();
    let rated: Vec<(&Page, bool)> = pages.iter().cycle().take(1000).map(|page| (page, false)).collect();
    let want = want(&wanting(&["sailing"]), &rated);
    let worth = want.worth(&page("new", "sailing", "sailing with mast and anchor"), None).value;
    assert!((0.0..0.5).contains(&worth), "{worth}");
}

#[test]
fn the_background_is_stored_and_read() {
    let background = background(&site());
    assert_eq!(Background::from_bytes(&background.to_bytes()).as_ref(), Some(&*background));
    assert_eq!(Background::from_bytes(b"nonsense"), None);
}

#[test]
fn ratings_that_are_all_bad_leave_an_order() {
    let pages = site();
    let bad: Vec<(&Page, bool)> = pages.iter().take(10).map(|page| (page, false)).collect();
    let want = want(&wanting(&["sailing"]), &bad);
    let worth = |body: &str| want.worth(&page("new", "news", body), None).value;
    let (sailing, soup) = (worth("sailing with a mast"), worth("soup with carrots"));
    assert!(sailing > soup && sailing.is_finite() && soup >= 0.0, "{sailing} {soup}");
}

#[test]
fn a_thousand_ratings_are_learned_from() {
    let pages: Vec<Page> = (0..1_000)
        .map(|n| {
            let (title, body) = if n % 2 == 0 { ("boat", "mast anchor") } else { ("pot", "carrot stock") };
            page(&format!("rated/{n}"), title, &format!("{body} the book"))
        })
        .collect();
    let rated: Vec<(&Page, bool)> = pages.iter().enumerate().map(|(n, page)| (page, n % 2 == 0)).collect();
    let want = want(&wanting(&["book"]), &rated);
    let worth = |title: &str, body: &str| want.worth(&page("new", title, body), None).value;
    let (good, bad) = (worth("boat", "mast anchor the book"), worth("pot", "carrot stock the book"));
    assert!(good > 0.8 && bad < 0.2, "{good} {bad}");
}

#[test]
fn examples_that_contradict_the_words_count_most() {
    let pages = site();
    let example = Example { page: Arc::new(pages[1].clone()), is_wanted: true };
    let known = Known { background: Some(background(&pages)), examples: vec![example], ..Known::default() };
    let want = Want::new(&wanting(&["sailing"]), &known).unwrap();
    let worth = |body: &str| want.worth(&page("new", "news", body), None).value;
    let (soup, sailing, other) = (
        worth("soup with carrots and onions and stock, the kitchen book"),
        worth("sailing again"),
        worth("tax forms"),
    );
    assert!(soup > other && sailing > other, "{soup} {sailing} {other}");
}

#[test]
fn words_of_several_scripts_are_each_found() {
    let subject = Subject { pages: PageKinds::All, ..wanting(&["sailing", "篮球", "χορός"]) };
    let want = Want::new(&subject, &Known::default()).unwrap();
    let worth = |title: &str, body: &str| want.worth(&page("new", title, body), None).value;
    let plain = worth("tax", "forms and dates");
    for (title, body) in [
        ("sailing", "sailing on the lake"),
        ("篮球比赛", "这是一场篮球比赛"),
        ("χορός", "ο χορός και η μουσική"),
    ] {
        assert!(worth(title, body) > plain, "{title}");
    }
}

/// A crawl for sailing found mostly sailing: the word is rare all the same, and the name of its board, at the top of most pages, is
/// not a part of the template.
#[test]
fn what_a_crawl_was_led_to_is_not_usual() {
    let thread = |n: usize, board: &str, body: &str| {
        let url = CanonicalUrl::parse(&format!("http://a.example/t/{n}"), &UrlRules::default()).unwrap();
        let html = format!("<html lang=en><title>thread {n}</title><p>Home<h2>{board}</h2><p>{body} {n}");
        Page::parse(&Input { url: &url, content_type: None, body: html.as_bytes() }, &PageRules::default())
    };
    let led: Vec<Page> = (0..90).map(|n| thread(n, "Sailing", "the mast and the anchor")).collect();
    let others: Vec<Page> = (100..110).map(|n| thread(n, "Cooking", "soup and stock")).collect();
    let subject = wanting(&["sailing"]);
    let counted = |is_led: bool| {
        let mut counter = BackgroundCounter::of(&subject, None).unwrap();
        let pages = || led.iter().map(|page| (page, is_led)).chain(others.iter().map(|page| (page, false)));
        pages().for_each(|(page, is_led)| counter.count(page, is_led));
        let mut background = counter.finish();
        pages().for_each(|(page, is_led)| background.keep(page, None, is_led));
        let known = Known { background: Some(Arc::new(background)), ..Known::default() };
        Want::new(&subject, &known).unwrap().worth(&thread(7, "Sailing", "a new one"), None).value
    };
    let (as_found, as_usual) = (counted(true), counted(false));
    assert!(as_found > 0.5 && as_usual < 0.5, "{as_found} {as_usual}");
}

/// A word of the want in the text of the link, its URL or the title of the page with the link.
#[test]
fn words_lead_to_pages_by_links_and_titles() {
    let counter = BackgroundCounter::of(&wanting(&["sailing"]), None).unwrap();
    let to = page("boats/7", "a page", "text");
    let named = page("sailing/7", "a page", "text");
    let check = |anchor: &str, to: &Page, parent_title: &str, expect: bool| {
        let way = Way { anchor, url: to.url(), parent_title };
        assert_eq!(counter.is_led(&way, to), expect, "{anchor} {parent_title}");
    };
    check("old boats", &to, "Home", false);
    check("Sailing boats", &to, "Home", true);
    check("more", &named, "Home", true);
    check("more", &to, "Board: sailing", true);
}
