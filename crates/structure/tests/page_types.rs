//! What must hold of page types, labels and pairs whatever the pages. How well they do on recorded sites is the lab's.

use std::collections::BTreeSet;

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_structure::types::{ClusterFacts, PageTypes, PathStrings, Tolerance, label, pairs_by_structure};
use proptest::prelude::*;

/// Pieces of pages: cards, bylines, rows, and tags that nobody closes.
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
                // no other page has its separating set, but it may have another's whole set
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
