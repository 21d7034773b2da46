//! Properties of every clustering, for any pages.

use osprey_structure::{
    Classifier, Clustering, InLink, Irobot, Mark, PageShape, Recipe, Region, cluster, irobot, mdl,
};
use proptest::prelude::*;

const METHODS: [fn(&[PageShape]) -> Clustering; 4] = [
    |shapes| cluster(shapes, &Recipe::Dbscan2018),
    |shapes| cluster(shapes, &Recipe::Osprey),
    |shapes| mdl(shapes, 0.2),
    |shapes| irobot(shapes, &Irobot::default()),
];

fn region(key: u64) -> Region {
    Region { key, depth: 4, alike: 3, children: 5 }
}

/// A page of one of four templates, with parts of its own; two templates have the same paths and differ by a mark.
fn page() -> impl Strategy<Value = PageShape> {
    let own = prop::collection::vec((0_u64..12, 1_u32..6), 0..6);
    let links = prop::collection::vec((0_u64..3, 0_u64..60), 0..4);
    (0_u64..4, own, links).prop_map(|(template, own, links)| {
        let look = template.min(2);
        let paths: Vec<(u64, u32)> = (0..6).map(|path| (100 * (look + 1) + path, 1)).chain(own).collect();
        let regions: Vec<Region> = paths.iter().map(|&(key, _)| region(key)).collect();
        let links = links.into_iter().map(|(apath, from)| InLink { apath: 10 + apath, from });
        PageShape::new(paths.iter().copied(), paths.iter().copied(), regions)
            .marked([Mark { key: 900 + template, trunk: true }, Mark { key: 950, trunk: true }])
            .found_by(links.chain([InLink { apath: template, from: 0 }]))
    })
}

/// Pages at addresses of their own.
fn pages() -> impl Strategy<Value = Vec<PageShape>> {
    let at = |pages: Vec<PageShape>| (1_u64..).zip(pages).map(|(address, page)| page.at(address)).collect();
    prop::collection::vec(page(), 0..60).prop_map(at)
}

/// Pages with a permutation of them.
fn shuffled() -> impl Strategy<Value = (Vec<PageShape>, Vec<usize>)> {
    pages().prop_flat_map(|pages| {
        let order: Vec<usize> = (0..pages.len()).collect();
        (Just(pages), Just(order).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn labels_are_complete(shapes in pages()) {
        for method in METHODS {
            let clustering = method(&shapes);
            prop_assert_eq!(clustering.labels.len(), shapes.len());
            let mut used: Vec<u32> = clustering.labels.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            prop_assert_eq!(used, (0..clustering.clusters as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_order_of_the_pages_does_not_matter((shapes, order) in shuffled()) {
        let moved: Vec<PageShape> = order.iter().map(|&place| shapes[place].clone()).collect();
        for method in METHODS {
            let (straight, mixed) = (method(&shapes), method(&moved));
            let expect: Vec<Option<u32>> = order.iter().map(|&place| straight.labels[place]).collect();
            prop_assert_eq!(mixed.labels, expect);
        }
    }

    #[test]
    fn identical_pages_share_a_cluster(shapes in pages(), page in page()) {
        let mut shapes = shapes;
        shapes.extend([page.clone(), page]);
        for method in METHODS {
            let labels = method(&shapes).labels;
            prop_assert_eq!(labels[shapes.len() - 2], labels[shapes.len() - 1]);
        }
    }

    #[test]
    fn four_identical_pages_are_a_cluster(shapes in pages(), page in page()) {
        let mut shapes = shapes;
        shapes.extend(vec![page; 4]);
        for method in METHODS {
            prop_assert!(method(&shapes).labels.last().is_some_and(Option::is_some));
        }
    }

    #[test]
    fn a_page_of_a_dense_point_is_classified_as_itself(shapes in pages(), page in page()) {
        let mut shapes = shapes;
        shapes.extend(vec![page.clone(); 4]);
        for recipe in [Recipe::Dbscan2018, Recipe::Osprey] {
            let clustering = cluster(&shapes, &recipe);
            let classifier = Classifier::new(&shapes, &clustering);
            prop_assert_eq!(classifier.classify(&page).cluster, clustering.labels[shapes.len() - 1]);
        }
    }

    #[test]
    fn a_stored_classifier_answers_as_before(shapes in pages(), asked in pages()) {
        for method in METHODS {
            let classifier = Classifier::new(&shapes, &method(&shapes));
            let text = serde_json::to_string(&classifier).expect("JSON");
            let read: Classifier = serde_json::from_str(&text).expect("a classifier");
            for shape in &asked {
                prop_assert_eq!(read.classify(shape), classifier.classify(shape));
            }
        }
    }

    #[test]
    fn the_order_of_the_pages_does_not_matter_to_a_classifier((shapes, order) in shuffled(), asked in pages()) {
        let moved: Vec<PageShape> = order.iter().map(|&place| shapes[place].clone()).collect();
        for recipe in [Recipe::Dbscan2018, Recipe::Osprey] {
            let straight = Classifier::new(&shapes, &cluster(&shapes, &recipe));
            let mixed = Classifier::new(&moved, &cluster(&moved, &recipe));
            for shape in &asked {
                prop_assert_eq!(mixed.classify(shape), straight.classify(shape));
            }
        }
    }
}

#[test]
fn few_pages_and_empty_pages() {
    let check = |shapes: &[PageShape], expect: [usize; 4]| {
        assert_eq!(METHODS.map(|method| method(shapes).clusters), expect, "{shapes:?}");
    };
    check(&[], [0, 0, 0, 0]);
    check(&[PageShape::default()], [0, 0, 1, 1]);
    check(&vec![PageShape::default(); 3], [0, 0, 1, 1]);
    check(&vec![PageShape::default(); 5], [1, 1, 1, 1]);
}
