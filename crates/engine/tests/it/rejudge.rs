//! A project whose want changes: everything that shows verdicts shows those of today, and the index follows.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use osprey_engine::{
    Control, CrawlOptions, Error, Event, ExportWhat, IndexOptions, Observer, Project, Query, Request,
};
use serde_json::Value;

use super::support::{quiet, rows};

/// Keeps what is said.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn event(&self, event: &Event<'_>) {
        if let Event::Note(note) = event {
            self.0.lock().unwrap().push((*note).to_owned());
        }
    }
}

impl Notes {
    /// What was said of a change of the want.
    fn of_want(&self) -> Vec<String> {
        self.0.lock().unwrap().drain(..).filter(|note| note.contains("want changed")).collect()
    }
}

fn wanting(dir: &Path, tag: &str, budget: u64) -> Project {
    let text = format!(
        "[crawl]\nscope = \"domain\"\nbudget_pages = {budget}\n[source]\nkind = \"world\"\nname = \"photo\"\nrandom_seed = 3\n\
         size = 600\n[topic]\ntags = [\"{tag}\"]\n[judge]\nkind = \"tags\"\n[policy]\nkind = \"breadth-first\"\n\
         [vision]\npictures = \"none\"\n"
    );
    fs::create_dir_all(dir).unwrap();
    fs::write(dir.join("osprey.toml"), text).unwrap();
    Project::open(dir).unwrap()
}

fn verdicts(project: &Project) -> Vec<(String, Value, Value)> {
    let rows = rows(project, ExportWhat::Visits);
    let rows = rows.iter().map(|row| serde_json::from_str::<Value>(row).unwrap());
    rows.map(|row| (row["url"].to_string(), row["relevance"].clone(), row["relevant"].clone())).collect()
}

/// The best hits of the judge.
fn best(project: &Project) -> Vec<String> {
    let query = Query::parse("relevance:>0.5").unwrap();
    let request = Request { query, limit: 500, ..Request::default() };
    let mut hits: Vec<String> =
        project.search(&request).unwrap().hits.into_iter().map(|hit| hit.url).collect();
    hits.sort();
    hits
}

#[test]
fn everything_that_shows_verdicts_shows_those_of_today() {
    let (changed, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (stop, notes) = (AtomicBool::new(false), Notes::default());
    let control = Control { stop: &stop, observer: &notes };
    let project = wanting(changed.path(), "beach", 200);
    let before = project.crawl(&CrawlOptions::default(), control).unwrap();
    project.index(&IndexOptions::default(), quiet(&stop)).unwrap();
    let then = verdicts(&project);
    assert!(project.status().unwrap().past_wants.is_empty());

    // a crawl notices by itself, and goes on
    let project = wanting(changed.path(), "bird", 250);
    let other = wanting(fresh.path(), "bird", 250);
    let after = project.crawl(&CrawlOptions::default(), control).unwrap();
    let expect = other.crawl(&CrawlOptions::default(), control).unwrap();
    let said = notes.of_want();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("pages judged again") && said[0].contains("(was "), "{said:?}");
    assert_eq!((after.visited, after.relevant), (250, expect.relevant));
    assert_eq!(verdicts(&project), verdicts(&other));
    assert_ne!(verdicts(&project)[..200], then);
    let status = project.status().unwrap();
    assert_eq!((status.tally.relevant, status.past_wants.len()), (expect.relevant, 1));
    assert_eq!((status.past_wants[0].visited, status.past_wants[0].relevant), (200, before.relevant));

    // what is indexed again is what is new and what has another relevance
    let differ = then.iter().zip(verdicts(&project)).filter(|(then, now)| then.1 != now.1).count() as u64;
    let indexed = project.index(&IndexOptions::default(), quiet(&stop)).unwrap();
    let all = other.index(&IndexOptions::default(), quiet(&stop)).unwrap();
    assert!(indexed.documents <= 50 + differ && indexed.documents < all.documents, "{indexed:?} {all:?}");
    assert!(!best(&project).is_empty());
    assert_eq!(best(&project), best(&other));
    let again = project.index(&IndexOptions::default(), quiet(&stop)).unwrap();
    assert_eq!(again.documents, 0);

    // the same want is not judged again by a crawl, and without a change by the command
    wanting(changed.path(), "bird", 260).crawl(&CrawlOptions::default(), control).unwrap();
    assert!(notes.of_want().is_empty());
    let report = project.rejudge(control).unwrap();
    assert_eq!((report.rejudged.changed, report.rejudged.is_new_want, report.damage.count), (0, false, 0));
    // without the file the verdicts of then
    fs::remove_file(changed.path().join("data/verdicts")).unwrap();
    assert_eq!(verdicts(&project)[..200], then);
}

#[test]
fn judging_again_can_be_stopped_and_needs_a_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let project = wanting(dir.path(), "beach", 120);
    let nothing = project.rejudge(quiet(&stop)).unwrap_err();
    assert!(nothing.to_string().contains("nothing crawled yet"), "{nothing}");
    project.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap();
    let then = project.status().unwrap().tally.relevant;
    let project = wanting(dir.path(), "bird", 120);
    let stopped = AtomicBool::new(true);
    assert!(matches!(project.rejudge(quiet(&stopped)), Err(Error::Interrupted)));
    assert_eq!(
        project.status().unwrap().tally.relevant,
        then,
        "until it is done, the counts are those of before"
    );
    let report = project.rejudge(quiet(&stop)).unwrap();
    assert!(report.rejudged.is_new_want && report.rejudged.relevant_before == then, "{report:?}");
    assert_eq!(project.status().unwrap().tally.relevant, report.rejudged.relevant);
}
