//! The measure `traps` on a small site: every kind of trap is found, and no page of the site is lost.

use osprey_world::TrapKind;

use crate::small;

#[test]
fn no_trap_takes_a_crawl_or_costs_a_page() {
    let mut experiment = r#"
        about = "Small."
        measure = "traps"
        policies = ["breadth-first"]
        scale.small = { pages = 300, budget = 1500, random_seeds = 1 }
    "#
    .to_owned();
    for trap in TrapKind::ALL {
        let name = serde_json::to_value(trap).unwrap();
        experiment += &format!("[[corpus]]\nname = {name}\nworld = \"forum\"\ntrap = {name}\n");
    }
    let run = small::run(&experiment, tempfile::tempdir().unwrap().path(), None);
    assert_eq!(run.cells.len(), TrapKind::ALL.len());
    for cell in &run.cells {
        let figure = |name: &str| cell.findings.figures.get(name).copied().unwrap_or(f64::NAN);
        let words = &cell.findings.words;
        assert!(figure("real_without_trap") > 200.0, "{}", cell.corpus);
        // closing a trap takes so many visits whatever the size of the site: a tenth of the budget at the full scale
        let in_trap = figure("in_trap");
        assert!(in_trap > 0.0 && in_trap < 500.0, "{}: {in_trap}", cell.corpus);
        assert_eq!(figure("lost"), 0.0, "{}: {words:?}", cell.corpus);
    }
}
