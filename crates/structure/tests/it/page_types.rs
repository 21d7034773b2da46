//! Properties of page types, labels and pairs for any pages. The lab measures how well they work on recorded sites.

use std::collections::BTreeSet;

use osprey_model::{CanonicalUrl, PageType, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::types::{
    ClusterFacts, PageTypes, PathStrings, SiteFacts, Tolerance, label, pairs_by_structure,
};
use proptest::prelude::*;

/// Pieces of pages: cards, bylines, rows, and unclosed tags.
fn body() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<div class=card>",
        "</div>",
        "<ul>",
        "<li>",
        "<table>",
        "<tr>",
        "<td>",
        "<p class=author>",
        "by ",
        "<a href=/1>",
        "<a href=/2>",
        "<a href=/3>",
        "<a class=user href=/u1>",
        "<a class=user href=/u2>",
        "</a>",
        "<img src=/i>",
        "a title of words ",
        "ann ",
        "<h1>",
        "</h1>",
        "<a href=/u1>ann</a>",
        "<a href=/4>some long title</a>",
    ]);
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

fn facts() -> impl Strategy<Value = Vec<ClusterFacts>> {
    let share = 0.0..1.0;
    let one = (0.0..9000.0, 0.0..30.0, prop::array::uniform8(share), 0.0..9.0).prop_map(
        |(own_chars, paragraphs, shares, name_words)| {
            let [in_series, found, named, by_image, by_person, by_subject, many, few] = shares;
            let links_to = vec![30.0 * many, 5.0 * few, 2.0];
            ClusterFacts {
                pages: 9,
                own_chars,
                paragraphs,
                links_to,
                in_series,
                found,
                named,
                name_words,
                by_image,
                by_person,
                by_subject,
                ..ClusterFacts::default()
            }
        },
    );
    prop::collection::vec(one, 3)
}

proptest! {
    #[test]
    fn pairs_are_links_of_the_page(body in body()) {
        let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
        let page = Page::parse(&Input { url: &url, content_type: None, body: body.as_bytes() }, &PageRules::default());
        let mut details = BTreeSet::new();
        for pair in pairs_by_structure(&page) {
            prop_assert!(pair.detail < page.links().len() && pair.uploader < page.links().len());
            prop_assert!(page.links()[pair.detail].url != page.links()[pair.uploader].url);
            prop_assert!(details.insert(pair.detail), "a thing has one uploader");
        }
    }

    #[test]
    fn an_example_is_known_again(bodies in prop::collection::vec(body(), 1..6)) {
        let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
        let parse = |body: &String| Page::parse(&Input { url: &url, content_type: None, body: body.as_bytes() }, &PageRules::default());
        let pages: Vec<Page> = bodies.iter().map(parse).collect();
        let examples: Vec<(String, Vec<PathStrings>)> =
            pages.iter().enumerate().map(|(place, page)| (place.to_string(), vec![PathStrings::of(page)])).collect();
        let rules = PageTypes::learn(&examples, &Tolerance::STRICT);
        for (place, page) in pages.iter().enumerate() {
            let rule = rules.types.iter().find(|rule| rule.name == place.to_string());
            let can_be_told = rule.is_some_and(|rule| rule.confused_with.is_empty() && !rule.separating.is_empty());
            if can_be_told {
                // no other page has its separating set, but it may have the whole set of another
                prop_assert!(rules.classify(page).is_some());
            }
        }
    }

    #[test]
    fn labels_do_not_depend_on_the_order_of_clusters(facts in facts()) {
        let turned: Vec<ClusterFacts> = [1, 2, 0]
            .map(|from| {
                let links_to = [1, 2, 0].map(|to: usize| facts[from].links_to[to]).to_vec();
                ClusterFacts { links_to, ..facts[from].clone() }
            })
            .to_vec();
        let types = |facts: &[ClusterFacts]| label(facts).into_iter().map(|label| label.page_type).collect::<Vec<_>>();
        let straight = types(&facts);
        prop_assert_eq!(types(&turned), [straight[1], straight[2], straight[0]]);
    }
}

/// Six lists that each link to all of fourteen photos, the photos, and their six makers.
fn small_site() -> Vec<(String, String, u32)> {
    let frame = |title: &str, body: &str| {
        format!("<title>{title}</title><p><a href=/>Start</a> <a href=/help>Help</a></p>{body}")
    };
    let title = |photo: usize| format!("The old bridge number {photo}");
    let card = |photo: usize| format!("<li><a href=/photo/{photo}>{}</a></li>", title(photo));
    let cards = |photos: &mut dyn Iterator<Item = usize>| photos.map(card).collect::<String>();
    let list = |number: usize| {
        let cards = cards(&mut (0..14).map(|photo| (photo + number) % 14));
        (format!("/list/{number}"), frame("Photos", &format!("<ul class=all>{cards}</ul>")), 0)
    };
    let photo = |number: usize| {
        let (title, text) = (title(number), format!("photo {number} has a long story of its own ").repeat(4));
        let maker = format!("<i class=author>by <a href=/user/{0}>Maker{0}</a></i>", number % 6);
        let body =
            format!("<h1>{title}</h1>{maker}<img src=/{number}.jpg><p>{text}</p><p>{text} once more</p>");
        (format!("/photo/{number}"), frame(&title, &body), 1)
    };
    let user = |number: usize| {
        let cards = cards(&mut (0..14).filter(|photo| photo % 6 == number));
        let body = format!("<h1>Maker{number}</h1><p>Lives in town {number}</p><ul>{cards}</ul>");
        (format!("/user/{number}"), frame(&format!("Maker{number}"), &body), 2)
    };
    (0..6).map(list).chain((0..14).map(photo)).chain((0..6).map(user)).collect()
}

#[test]
fn a_small_site_whose_lists_link_to_everything() {
    let mut facts = SiteFacts::default();
    let site = small_site();
    for (path, body, _) in &site {
        let url = CanonicalUrl::parse(&format!("http://example.com{path}"), &UrlRules::default());
        let url = url.expect("a URL");
        let input = Input { url: &url, content_type: None, body: body.as_bytes() };
        facts.visited(&Page::parse(&input, &PageRules::default()), &url);
    }
    let clusters: Vec<Option<u32>> = site.iter().map(|(_, _, cluster)| Some(*cluster)).collect();
    let facts = facts.of_clusters(&clusters, 3);
    assert!((facts[0].links_to[1] - 14.0).abs() < 1e-9, "{facts:?}");
    let types: Vec<PageType> = label(&facts).into_iter().map(|label| label.page_type).collect();
    assert_eq!(types, [PageType::List, PageType::Detail, PageType::Profile], "{facts:#?}");
}
