//! What must hold of every clustering, whatever the pages.

use osprey_structure::{Classifier, Clustering, Irobot, PageShape, Recipe, Region, cluster, irobot, mdl};
use proptest::prelude::*;

const METHODS: [fn(&[PageShape]) -> Clustering; 4] = [
    |shapes| cluster(shapes, &Recipe::Seed),
    |shapes| cluster(shapes, &Recipe::Osprey),
    |shapes| mdl(shapes, 0.2),
    |shapes| irobot(shapes, &Irobot::default()),
];

fn region(key: u64) -> Region {
    Region { key, depth: 4, alike: 3, children: 5 }
}

/// A page of one of four templates, with parts of its own.
fn page() -> impl Strategy<Value = PageShape> {
    let own = prop::collection::vec((0_u64..12, 1_u32..6), 0..6);
    (0_u64..4, own, 0_u64..3).prop_map(|(template, own, link)| {
        let paths: Vec<(u64, u32)> = (0..6).map(|path| (100 * (template + 1) + path, 1)).chain(own).collect();
        let regions: Vec<Region> = paths.iter().map(|&(key, _)| region(key)).collect();
        PageShape::new(paths.iter().copied(), paths.iter().copied(), regions).found_by([template, 10 + link])
    })
}

fn pages() -> impl Strategy<Value = Vec<PageShape>> {
    prop::collection::vec(page(), 0..60)
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
        for recipe in [Recipe::Seed, Recipe::Osprey] {
            let clustering = cluster(&shapes, &recipe);
            let classifier = Classifier::new(&shapes, &clustering);
            prop_assert_eq!(classifier.classify(&page), clustering.labels[shapes.len() - 1]);
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
