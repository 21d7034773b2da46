//! The measure `page-types` on a small world: the same twice, and not by chance.

use std::path::Path;

use osprey_lab::Findings;

use crate::small;

const SMALL: &str = r#"
    about = "Small."
    measure = "page-types"
    scale.small = { pages = 1000, budget = 300, random_seeds = 1 }
    [[corpus]]
    world = "photo"
"#;

fn run(out: &Path) -> Findings {
    let run = small::run(SMALL, out, None);
    run.cells.into_iter().next().unwrap().findings
}

#[test]
fn a_small_photo_site_is_understood() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [findings, again] = folders.map(|folder| run(folder.path()));
    assert_eq!(findings.figures, again.figures);
    let check = |name: &str, least: f64| {
        let found = findings.figures.get(name).copied().unwrap_or_default();
        assert!(found >= least, "{name}: {found}");
    };
    check("pages", 300.0);
    check("templates_right", 0.85);
    check("clusters_right", 0.75);
    check("rules_type_right_from_10", 0.75);
    check("pairs_precision", 0.9);
    check("pairs_by_structure_precision", 0.9);
}
