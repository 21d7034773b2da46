//! Small sites made here, with fixed results: what is learned today is learned tomorrow.

use std::collections::{BTreeSet, VecDeque};

use osprey_model::robots::Robots;
use osprey_model::{CanonicalUrl, Exchange, Request, Source, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::{
    Classifier, ClassifierModel, ClusterNote, Clustering, InLinks, PageShape, Recipe, cluster,
};
use osprey_world::{Kind, Nastiness, Options, World};

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text, &UrlRules::default()).expect("a URL")
}

fn parse(url: &CanonicalUrl, body: &[u8]) -> Page {
    Page::parse(&Input { url, content_type: Some("text/html; charset=utf-8"), body }, &PageRules::default())
}

/// The shapes of pages that are given as path and body, each with the links that lead there.
fn shapes(pages: &[(String, String)]) -> Vec<PageShape> {
    let pages: Vec<Page> = pages
        .iter()
        .map(|(path, body)| parse(&url(&format!("http://example.com{path}")), body.as_bytes()))
        .collect();
    let mut inlinks = InLinks::default();
    pages.iter().for_each(|page| inlinks.visited(page));
    pages.iter().map(|page| PageShape::of(page).found_by(inlinks.links_to([page.url()]))).collect()
}

/// The labels as a word: `a` for the largest cluster, `-` for none.
fn word(clustering: &Clustering) -> String {
    let letter = |label: &Option<u32>| label.map_or('-', |label| char::from(b'a' + label as u8));
    clustering.labels.iter().map(letter).collect()
}

const FRAME: &str = "<header><a href=/>home</a><nav><a href=/tag/1>tags</a></nav></header>";
const FOOT: &str = "<footer><p>imprint <a href=/about>about</a></footer>";

/// A post with comments or none, and two tags.
fn post(number: usize, next: usize) -> (String, String) {
    let comments: String = (0..number % 3).map(|i| format!("<li><b>who {i}</b><p>words</li>")).collect();
    let comments = if comments.is_empty() { comments } else { format!("<ol>{comments}</ol>") };
    let body = format!(
        "<body class='single postid-{number}'>{FRAME}<main><article><h1>post</h1><p>text<p>more text\
         <span class=tags><a class=tag href=/tag/{}>t</a></span><time><a class=day href=/day/{}>d</a></time>\
         </article>{comments}<a class=next href=/post/{next}>next</a></main>{FOOT}",
        number % 6,
        number % 5,
    );
    (format!("/post/{number}"), body)
}

/// A list of posts; tags and days have the same paths.
fn list(kind: &str, number: usize) -> (String, String) {
    let rows: String =
        (0..3 + number).map(|i| format!("<li><a class=title href=/post/{i}>p</a><p>words</li>")).collect();
    let body = format!(
        "<body class='archive {kind} {kind}-{number}'>{FRAME}<main><h1>list</h1><ul>{rows}</ul></main>{FOOT}"
    );
    (format!("/{kind}/{number}"), body)
}

fn blog() -> Vec<(String, String)> {
    let mut pages: Vec<_> = (0..12).map(|number| post(number, number + 1)).collect();
    pages.extend((0..6).map(|number| list("tag", number)));
    pages.extend((0..5).map(|number| list("day", number)));
    pages
}

#[test]
fn a_blog_by_hand() {
    let shapes = shapes(&blog());
    let ours = cluster(&shapes, &Recipe::Osprey);
    // Posts with and without comments are one kind; tags and days are two, by what they say on `body`.
    assert_eq!(word(&ours), "aaaaaaaaaaaabbbbbbccccc");
    assert_eq!(ours.notes, []);
    // The recipe of Xu et al. 2018 sees neither: posts differ by the number of their comments, and the two lists are
    // the same.
    assert_eq!(word(&cluster(&shapes, &Recipe::Dbscan2018)), "dcbdcbdcbdcbaaaaaaaaaaa");
}

#[test]
fn a_site_that_redesigns_half_way() {
    let mut pages = blog();
    let redesigned = |(path, body): (String, String)| {
        let body = body
            .replace("<main>", "<div id=wrap><table><tr><td>")
            .replace("</main>", "</td></tr></table></div>");
        (path.replace("/post/", "/post/2"), body.replace(FRAME, "<div><b><a href=/>home</a></b></div>"))
    };
    pages.extend((0..12).map(|number| redesigned(post(number, number + 1))));
    let word = word(&cluster(&shapes(&pages), &Recipe::Osprey));
    let (before, after) = word.split_at(23);
    assert_eq!(before.len() + after.len(), 35);
    assert!(!after.contains('-') && after.chars().all(|kind| !before.contains(kind)), "{word}");
}

#[test]
fn bad_sites() {
    let check = |pages: Vec<(String, String)>, expect: &str, notes: &[ClusterNote]| {
        let got = cluster(&shapes(&pages), &Recipe::Osprey);
        assert_eq!((word(&got).as_str(), got.notes.as_slice()), (expect, notes));
        // Whatever was learned, a page can be classified.
        let classifier = Classifier::new(&shapes(&pages), &got);
        classifier.classify(&PageShape::default());
    };
    let few = |count: usize| (0..count).map(|number| post(number, number + 1)).collect::<Vec<_>>();
    check(few(3), "---", &[ClusterNote::TooFewPages { pages: 3 }]);
    check(few(12), "aaaaaaaaaaaa", &[ClusterNote::OneType]);
    let same = || (0..6).map(|number| (format!("/{number}"), "<p>the same".to_owned())).collect::<Vec<_>>();
    check(same(), "aaaaaa", &[ClusterNote::AllAlike, ClusterNote::NoInLinks, ClusterNote::OneType]);
    let empty = || (0..5).map(|number| (format!("/{number}"), String::new())).collect::<Vec<_>>();
    let notes = [
        ClusterNote::EmptyPages { pages: 5 },
        ClusterNote::NothingCommon,
        ClusterNote::NoInLinks,
        ClusterNote::OneType,
    ];
    check(empty(), "aaaaa", &notes);
    // Every page is different.
    let odd = (0..6).map(|number| {
        let name = ["p", "b", "i", "em", "h1", "h2"][number];
        (format!("/{number}"), format!("<{name}><u>x</u></{name}><a href=/{}>y</a>", (number + 1) % 6))
    });
    check(odd.collect(), "aaaaaa", &[ClusterNote::AllAlike, ClusterNote::OneType]);
}

#[test]
fn a_huge_table_is_a_page_like_its_neighbours() {
    let table = |rows: usize| {
        let rows = "<tr><td><a href=/1>x</a><td>1<td>2</tr>".repeat(rows);
        (format!("/table/{}", rows.len()), format!("{FRAME}<table>{rows}</table>{FOOT}"))
    };
    let mut pages: Vec<_> = (1..8).map(table).collect();
    pages.push(table(20_000));
    pages.extend((0..6).map(|number| post(3 * number + 1, number)));
    let word = word(&cluster(&shapes(&pages), &Recipe::Osprey));
    assert_eq!(word, "aaaaaaaabbbbbb");
}

#[test]
fn thousands_of_templates() {
    let page = |number: u64| {
        let paths = (0..6).map(|path| (1 + 10 * (number / 4) + path, 1));
        PageShape::new(paths, [], []).found_by([number % 5]).at(1 + number)
    };
    let shapes: Vec<PageShape> = (0..12_000).map(page).collect();
    let got = cluster(&shapes, &Recipe::Osprey);
    assert_eq!((got.clusters, got.outliers()), (3_000, 0));
    assert_eq!(got.notes, [ClusterNote::TooManyGroups { groups: 3_000 }]);
}

/// The first pages of a simulated site, breadth-first, with their templates.
fn world(kind: Kind, pages: usize) -> (Vec<PageShape>, Vec<String>) {
    let options = Options {
        random_seed: 3,
        pages: 2_000,
        domain: "example".to_owned(),
        nastiness: Nastiness::none(),
        ..Options::default()
    };
    let world = World::new(kind, &options).expect("a world");
    let mut queue = VecDeque::from([url(&world.seeds()[0])]);
    let mut known: BTreeSet<CanonicalUrl> = queue.iter().cloned().collect();
    let mut inlinks = InLinks::default();
    let mut found = Vec::new();
    while found.len() < pages {
        let Some(next) = queue.pop_front() else { break };
        let Some(page) = fetch(&world, &next) else { continue };
        let links = page.links().iter().map(|link| &link.url);
        queue.extend(links.filter(|url| known.insert((*url).clone())).cloned());
        inlinks.visited(&page);
        found.push(page);
    }
    let shape = |page: &Page| PageShape::of(page).found_by(inlinks.links_to([page.url()]));
    let template = |page: &Page| world.truth(page.url()).unwrap_or_default().template;
    (found.iter().map(shape).collect(), found.iter().map(template).collect())
}

/// A world answers immediately.
fn fetch(world: &World, url: &CanonicalUrl) -> Option<Page> {
    let target = Robots::allow_all().permit(url)?;
    let answer = std::pin::pin!(world.fetch(Request::new(target)));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::future::Future::poll(answer, &mut context) {
        std::task::Poll::Ready(Exchange::Answered(response)) if response.status == 200 => {
            Some(parse(url, &response.body))
        }
        _ => None,
    }
}

#[test]
fn a_simulated_forum_is_learned_the_same_every_time() {
    let (shapes, templates) = world(Kind::Forum, 150);
    let clustering = cluster(&shapes, &Recipe::Osprey);
    let mut kinds: Vec<String> = clustering
        .labels
        .iter()
        .zip(&templates)
        .map(|(label, template)| format!("{} {template}", label.map_or(-1, i64::from)))
        .collect();
    kinds.sort();
    let mut counted: Vec<String> = Vec::new();
    for kind in kinds.chunk_by(|a, b| a == b) {
        counted.push(format!("{} x{}", kind[0], kind.len()));
    }
    assert_eq!(counted, EXPECT, "{counted:#?}");
    let again = world(Kind::Forum, 150);
    assert_eq!((again.0, again.1), (shapes.clone(), templates));

    let backwards: Vec<PageShape> = shapes.iter().rev().cloned().collect();
    let mut labels = cluster(&backwards, &Recipe::Osprey).labels;
    labels.reverse();
    assert_eq!(labels, clustering.labels, "the order of pages does not matter");
}

/// Lists of threads are one kind among so few pages, lists of members another.
const EXPECT: &[&str] = &[
    "0 active x2",
    "0 board x32",
    "0 home x1",
    "0 joined x23",
    "0 tag x1",
    "1 thread x30",
    "2 members x1",
    "2 posters x25",
    "3 member x24",
    "4 joined x1",
    "4 months x1",
    "4 rules x8",
    "4 tags x1",
];

#[test]
fn a_classifier_that_was_stored_answers_as_before() {
    let (shapes, _) = world(Kind::Qa, 120);
    let (known, asked) = shapes.split_at(60);
    for recipe in [Recipe::Dbscan2018, Recipe::Osprey] {
        let classifier = Classifier::new(known, &cluster(known, &recipe));
        let text = serde_json::to_string(&classifier).expect("JSON");
        let read: Classifier = serde_json::from_str(&text).expect("a classifier");
        assert_eq!(read.model(), classifier.model());
        for shape in asked {
            assert_eq!(read.classify(shape), classifier.classify(shape));
        }
        let model: ClassifierModel = serde_json::from_str(&text).expect("a model");
        assert_eq!(&model, classifier.model());
    }
}
