//! A project as version 0.1 left it: the archive says nothing of visits, the frontier's store does. It has to open for ever.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use osprey_engine::{CrawlOptions, ExportWhat, IndexOptions, Overrides, Project, Query, Request};

use crate::support::{quiet, repository, rows};

/// Unpacks the fixture beside the mirror that it replays.
fn unpack(folder: &Path) -> Project {
    let fixtures = repository().join("fixtures");
    let run = |program: &mut Command| assert!(program.status().unwrap().success());
    run(Command::new("tar").arg("-xzf").arg(fixtures.join("project-0.1.tar.gz")).arg("-C").arg(folder));
    run(Command::new("cp").arg("-r").arg(fixtures.join("harbour")).arg(folder));
    Project::open(folder.join("project-0.1")).unwrap()
}

#[test]
fn what_it_has_can_be_exported_indexed_and_searched() {
    let folder = tempfile::tempdir().unwrap();
    let project = unpack(folder.path());
    let stop = AtomicBool::new(false);
    assert_eq!(project.status().unwrap().tally.visited, 20);
    assert_eq!(rows(&project, ExportWhat::Visits).len(), 20);
    assert_eq!(rows(&project, ExportWhat::Records).len(), 9);
    assert_eq!(rows(&project, ExportWhat::Pictures).len(), 6);
    let request = Request { query: Query::parse("heron").unwrap(), ..Request::default() };
    let before = project.search(&request).unwrap().total;
    assert_eq!(project.index(&IndexOptions::default(), quiet(&stop)).unwrap().documents, 0);
    let rebuild = IndexOptions { rebuild: true, ..IndexOptions::default() };
    assert_eq!(project.index(&rebuild, quiet(&stop)).unwrap().documents, 20);
    assert_eq!(project.search(&request).unwrap().total, before);
    let visit: serde_json::Value = serde_json::from_str(&rows(&project, ExportWhat::Visits)[7]).unwrap();
    assert_eq!(project.explain(visit["url"].as_str().unwrap()).unwrap().state, "fetched");
}

#[test]
fn its_crawl_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let project = unpack(folder.path());
    let stop = AtomicBool::new(false);
    let project = {
        let dir = project.layout().dir().to_owned();
        Project::open_with(dir, &Overrides { budget: Some(200), ..Overrides::default() }).unwrap()
    };
    let report = project.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap();
    assert_eq!(report.visited - report.this_run, 20);
    assert!(report.this_run > 20, "{report:?}");
    let visits = rows(&project, ExportWhat::Visits);
    assert_eq!(visits.len() as u64, report.visited);
    let numbers: Vec<u64> = visits
        .iter()
        .map(|row| serde_json::from_str::<serde_json::Value>(row).unwrap()["n"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=report.visited).collect::<Vec<_>>());
    let indexed = project.index(&IndexOptions::default(), quiet(&stop)).unwrap();
    assert!(indexed.documents > 0);
}
