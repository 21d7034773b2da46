//! Bad input: pages that nobody would write on purpose, and some that somebody did. Rules are proposed and applied in
//! bounded time and memory, and values stay what they are.

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::extract::{Extractor, Record, RecordKind, propose};

fn page(html: &str) -> Page {
    let url = CanonicalUrl::parse("http://a.example/p/1", &UrlRules::default()).unwrap();
    let input = Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: html.as_bytes() };
    Page::parse(&input, &PageRules::default())
}

/// Learns from pages and reads the first of them.
fn read(pages: &[String]) -> Record {
    let pages: Vec<Page> = pages.iter().map(|html| page(html)).collect();
    let rules = propose(&pages, RecordKind::Detail, &|_, _| None).rules();
    Extractor::new(rules).apply(&pages[0])
}

fn post(number: usize, inside: &str) -> String {
    format!(
        "<title>Post {number}</title><h1>Post {number}</h1><div class=entry><p>What was said on day {number}, all of it,
         and not a word less than was said.</p></div>{inside}"
    )
}

fn comment(number: usize) -> String {
    format!(
        "<div class=comment><a class=author href=/u/{number}>user{number}</a><p>Comment number {number}, long enough to
         be one that somebody would read.</p></div>"
    )
}

#[test]
fn a_page_cut_in_the_middle_gives_what_is_there() {
    let whole: Vec<String> = (0..9).map(|number| post(number, &comment(number).repeat(3))).collect();
    for cut in [10, 60, 120, 200, 300] {
        let mut pages = whole.clone();
        pages[0].truncate(cut);
        let record = read(&pages);
        assert!(record.title.is_none_or(|title| "Post 0".starts_with(&title)), "{cut}");
    }
}

#[test]
fn many_comments_are_bounded() {
    let many: String = (0..100_000).map(comment).collect();
    let pages: Vec<String> =
        (0..3).map(|number| post(number, if number == 0 { &many } else { "" })).collect();
    let record = read(&pages);
    assert_eq!(record.title.as_deref(), Some("Post 0"));
    assert!(record.comments.len() <= 2_000, "{}", record.comments.len());
}

#[test]
fn tables_in_tables_have_the_labels_of_their_own_rows() {
    let html = |number: usize| {
        let inner =
            format!("<table><tr><td>Weight:<td>{number} kg<tr><td>Height:<td>{} cm</table>", 100 + number);
        let deep = "<table><tr><td>".repeat(200);
        post(
            number,
            &format!("<table><tr><td>Size<td>{inner}<tr><td>Made in:<td>200{}</table>{deep}", number % 10),
        )
    };
    let record = read(&(0..12).map(html).collect::<Vec<_>>());
    assert_eq!(record.fields["weight"], ["0 kg"]);
    assert_eq!(record.fields["height"], ["100 cm"]);
}

#[test]
fn hostile_values_are_texts() {
    let large = "x".repeat(1 << 20);
    let html = |number: usize| {
        post(
            number,
            &format!(
                "<dl><dt>Maker<dd>&lt;script&gt;alert({number})&lt;/script&gt;<dt>Colour<dd>\u{202e}der{number}<dt>Notes<dd>{large}{number}</dl>"
            ),
        )
    };
    let record = read(&(0..6).map(html).collect::<Vec<_>>());
    assert_eq!(record.fields["maker"], ["<script>alert(0)</script>"]);
    assert_eq!(record.fields["colour"], ["\u{202e}der0"]);
    let bytes = serde_json::to_string(&record).unwrap().len();
    assert!(bytes < 100_000, "{bytes}");
}

#[test]
fn two_designs_of_one_type_are_both_read() {
    let html = |number: usize| {
        let price = format!("${number}.50");
        match number % 2 {
            0 => post(number, &format!("<ul class=facts><li>Price: {price}</ul>")),
            _ => post(number, &format!("<table class=facts><tr><th>Price<td>{price}</table>")),
        }
    };
    let pages: Vec<String> = (0..20).map(html).collect();
    assert_eq!(read(&pages).fields["price"], ["$0.50"]);
    let other: Vec<String> = pages.iter().skip(1).cloned().collect();
    assert_eq!(read(&other).fields["price"], ["$1.50"]);
}

#[test]
fn what_only_looks_like_a_date_is_none() {
    let html = |number: usize| {
        post(
            number,
            &format!("<p class=room>Room 12, 20{number:02} seats</p><p class=version>version 1.{number}</p>"),
        )
    };
    assert_eq!(read(&(10..22).map(html).collect::<Vec<_>>()).date, None);
}
