//! Hostile pages: each is cut at its limit, has a note, and stays small. Nothing is timed; if a parse were quadratic
//! in one of these, the test would not end.

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Note, Page, PageRules};

fn parse(body: &[u8]) -> Page {
    let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
    Page::parse(
        &Input { url: &url, content_type: Some("text/html; charset=utf-8"), body },
        &PageRules::default(),
    )
}

fn check(body: String, notes: &[Note]) {
    let page = parse(body.as_bytes());
    let start: String = body.chars().take(60).collect();
    assert_eq!(page.notes(), notes, "{start}");
    assert!(page.tree().len() <= 501_000, "{start}: {} nodes", page.tree().len());
    assert!(page.memory_bytes() < 120 << 20, "{start}: {} bytes", page.memory_bytes());
    // This builds the texts of all paths.
    for path in page.path_strings() {
        assert!(!page.path_string(path.id).is_empty(), "{start}");
    }
    let paths: usize = page.path_strings().map(|path| page.path_string(path.id).len()).sum();
    let xpaths: usize = page.xpaths().map(|path| page.xpath(path.id).len()).sum();
    let apaths: usize = page.apaths().map(|path| page.apath(path.id).len()).sum();
    assert!(paths + xpaths + apaths <= 8 << 20, "{start}: {paths}, {xpaths} and {apaths} bytes of paths");
    assert_eq!(page.apaths().map(|path| path.count as usize).sum::<usize>(), page.links().len(), "{start}");
    assert!(page.memory_bytes() < 150 << 20, "{start}: {} bytes with paths", page.memory_bytes());
}

#[test]
fn nesting_is_cut() {
    for tag in ["<div>", "<b>", "<span>", "<table><tr><td>", "<svg>", "<template>", "<ul><li>"] {
        check(tag.repeat(100_000), &[Note::CutDepth]);
    }
    check("<a><p>".repeat(100_000), &[]);
    let formatting: String = (0..100_000).map(|number| format!("<b id={number}>")).collect();
    check(formatting, &[Note::CutDepth]);
    let misnested: String = (0..100_000).map(|number| format!("<i id={number}><div></i></div>")).collect();
    check(misnested, &[]);
}

#[test]
fn formatting_elements_reopened_many_times_are_cut() {
    let open: String = (0..200).map(|number| format!("<font size={number}>")).collect();
    check(format!("<div>{open}</div>{}", "<p>x</p>".repeat(100_000)), &[Note::CutNodes]);
}

#[test]
fn searches_through_deep_stacks_are_cut() {
    check(format!("{}{}", "<span>".repeat(400), "</x>".repeat(1_500_000)), &[Note::CutWork]);
}

#[test]
fn attributes_are_cut() {
    let many: String = (0..1_000_000).map(|number| format!("a{number} ")).collect();
    check(format!("<p {many}>x"), &[Note::CutAttributes]);
    check(format!("<p {}>x", "a ".repeat(1_000_000)), &[]);
    let tags: String = (0..300_000).map(|number| format!("<p b{number}=1>")).collect();
    check(tags, &[Note::CutNames]);
    let html: String = (0..300_000).map(|number| format!("<html c{number}>")).collect();
    check(html, &[Note::CutNames]);
    check(format!("<p class='{}'>x", "c ".repeat(2_000_000)), &[]);
}

#[test]
fn names_are_cut() {
    let names: String = (0..300_000).map(|number| format!("<x{number}>")).collect();
    check(names, &[Note::CutDepth]);
    let names: String = (0..300_000).map(|number| format!("<y{number}></y{number}>")).collect();
    check(names, &[Note::CutNames]);
    check(format!("<body><p {}=1>x", "y".repeat(1_000_000)), &[Note::CutNames]);
    let page = parse(format!("<body><{}>x", "é".repeat(1000)).as_bytes());
    let names: Vec<_> = page.tree().nodes().filter_map(|node| node.name()).collect();
    assert_eq!(names, ["html", "head", "body"], "a name begins with a letter of ASCII");
    let page = parse(format!("<body><x{}>x", "é".repeat(1000)).as_bytes());
    let longest = page.tree().nodes().filter_map(|node| node.name()).map(str::len).max();
    assert_eq!((longest, page.notes()), (Some(127), &[Note::CutNames][..]));
}

/// Every link has a class of its own, and every Apath repeats the path to it.
#[test]
fn apaths_are_cut() {
    let links = |count: u32| -> String {
        (0..count).map(|number| format!("<a class={} href=/{number}>k</a>", letters(number))).collect()
    };
    check(format!("<body><{}>{}", "x".repeat(1_000_000), links(3000)), &[Note::CutNames]);
    let deep = format!("<{}>", "x".repeat(128)).repeat(400);
    check(format!("<body>{deep}{}", links(3000)), &[Note::CutPaths]);
    let classes: String =
        (0..400).map(|number| format!("<div class={}>", letters(number).repeat(60))).collect();
    check(format!("<body>{classes}{}", links(19_000)), &[Note::CutPaths]);
}

/// A link that is reopened in every paragraph repeats its words.
#[test]
fn words_of_links_are_cut() {
    let long = "w ".repeat(500_000);
    let again = "<p><img src=i></p>".repeat(19_000);
    check(format!("<div><a href=x title='{long}'></div>{again}"), &[Note::CutImages, Note::CutText]);
    check(format!("<div><a href=x class='{long}'></div>{again}"), &[Note::CutImages]);
    let image = format!("<img src=i alt='{}'>", " ".repeat(1_000_000));
    check(format!("<a href=x>{image}</a>"), &[]);
    check(format!("<picture>{}{}", "<source srcset='a 1x'>".repeat(100_000), "<img>".repeat(9000)), &[]);
}

#[test]
fn nodes_links_images_and_text_are_cut() {
    check("<br>".repeat(1_000_000), &[Note::CutNodes]);
    check("<a href=x>y</a>".repeat(100_000), &[Note::CutLinks]);
    check("<img src=x>".repeat(100_000), &[Note::CutImages]);
    check("word ".repeat(1_000_000), &[Note::CutText]);
    check("x".repeat(9 << 20), &[Note::CutBytes, Note::CutText]);
}

#[test]
fn paths_are_cut() {
    let deep: String =
        (0..400).map(|number| format!("<div class=c{}>", "x".repeat(number % 50 + 200))).collect();
    let wide: String = (0..20_000).map(|number| format!("<p class={}>t</p>", letters(number))).collect();
    check(format!("{deep}{wide}"), &[Note::CutPaths]);
}

/// A number in letters, since digits would become zeros.
fn letters(mut number: u32) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return text;
        }
    }
}

#[test]
fn text_moved_out_of_tables_stays_linear() {
    check(format!("<table>{}", "<tr>x<td>y".repeat(100_000)), &[]);
    check("<table>x".repeat(50_000), &[]);
}

#[test]
fn bytes_of_any_kind_make_a_page() {
    for body in [
        &b""[..],
        b"\0",
        b"<",
        b"</",
        b"<!",
        b"<!--",
        b"<a ",
        b"<a b=",
        b"&",
        b"\xFF\xFE\x00",
        b"\xEF\xBB\xBF",
    ] {
        assert!(parse(body).tree().len() >= 4, "{body:?}");
    }
    let page = parse(b"a\0b<p>\0c\xFFd");
    assert_eq!(page.text(), "ab\nc\u{fffd}d");
    assert_eq!(page.notes(), [Note::InvalidBytes]);
    assert_eq!(parse(&vec![0xFF; 3 << 20]).notes(), [Note::InvalidBytes, Note::CutText]);
}
