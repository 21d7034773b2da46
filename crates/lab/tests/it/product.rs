//! Cells are projects of the engine: what the lab searches is indexed as a user's is, and a crawl in memory is the
//! crawl that real HTTP gives.

use osprey_lab::{Experiment, Findings};

use crate::small::with_runner;

/// The findings of an experiment, cell by cell.
fn run(experiment: &str) -> Vec<Findings> {
    let out = tempfile::tempdir().unwrap();
    let experiment = Experiment::parse("small", experiment).unwrap();
    let done = with_runner(out.path(), None, |runner| runner.report(&experiment, &|_| {}).unwrap());
    assert!(done.text.contains("report: "), "{}", done.text);
    let results = std::fs::read(out.path().join("small/results.json")).unwrap();
    let run: osprey_lab::Run = serde_json::from_slice(&results).unwrap();
    run.cells.into_iter().map(|cell| cell.findings).collect()
}

#[test]
fn a_crawl_over_http_is_the_crawl_in_memory() {
    let findings = run("about = \"x\"\nmeasure = \"same-crawl\"\npolicies = [\"best-first\"]\n\
        scale.small = { pages = 200, budget = \"all\", random_seeds = 1 }\n\
        [[corpus]]\nworld = \"forum\"\nnastiness = { calendars = 0.0 }\n");
    let figure = |name: &str| findings[0].figures[name];
    assert_eq!((figure("same_visits_share"), figure("pages_missed_live")), (1.0, 0.0));
    assert!(figure("visits_in_memory") > 100.0);
}

#[test]
fn pages_of_every_type_are_indexed_and_the_classic_ranking_has_its_profiles() {
    let experiment = "about = \"x\"\nmeasure = \"search-hints\"\nscale.small = { pages = 600, budget = 200, random_seeds = 1, sample_pages = 120 }\n\
        [[corpus]]\nworld = \"photo\"\n\
        [[variant]]\nname = \"ours\"\npolicy = { kind = \"breadth-first\" }\n\
        [[variant]]\nname = \"classic\"\npolicy = { kind = \"breadth-first\" }\nwith = { classic_ranking = true }\n";
    let (findings, again) = (run(experiment), run(experiment));
    assert_eq!(findings, again);
    let figure = |variant: usize, name: &str| findings[variant].figures[name];
    assert!(figure(0, "pictures") > 10.0 && figure(0, "documents") > figure(0, "pictures"));
    assert_eq!(figure(0, "targets"), figure(1, "targets"));
    // without these, equation 20 is a constant
    assert!(figure(0, "with_profile") > 10.0, "{}", figure(0, "with_profile"));
    assert_ne!(figure(0, "reciprocal_rank_k"), figure(1, "reciprocal_rank_k"));
}
