//! A crawl that runs, seen from another process: asked, ordered, exported and indexed while it goes on.

use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::AtomicBool;

use osprey_engine::{
    Control, CrawlOptions, CrawlState, ErrorKind, ExportWhat, IndexOptions, LearnOptions, Project, Query,
    Request, Running, Stop,
};

use crate::support::{Milestone, quiet, rows, world};

/// Everything that is in the index, as search tells it.
fn documents(project: &Project) -> Vec<String> {
    let searcher = project.collection().searcher().unwrap();
    let mut all = Vec::new();
    for kind in ["type:detail", "type:profile", "type:list", "type:other"] {
        let query = Query::parse(kind).unwrap();
        let results = searcher.search(&Request { query, limit: 10_000, ..Request::default() }).unwrap();
        all.extend(results.hits.into_iter().map(|hit| {
            let document = searcher.document(&hit.url).unwrap();
            format!("{kind} {document:?}")
        }));
    }
    all.sort();
    all
}

#[test]
fn a_running_crawl_answers_and_obeys() {
    let folder = tempfile::tempdir().unwrap();
    let project = &world(folder.path(), 600, 400);
    let (observer, crawled) = Milestone::at(50);
    let (stop, elsewhere) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let control = Control { stop: &stop, observer: &observer };
        let crawl = scope.spawn(move || project.crawl(&CrawlOptions::default(), control));
        crawled.reached();
        let layout = project.layout();
        let mut running = Running::find(layout).unwrap().expect("a crawl is running");
        running.pause().unwrap();
        crawled.go_on();
        let status = Project::open(folder.path()).unwrap().status().unwrap();
        assert_eq!((status.running, status.state), (true, CrawlState::Paused));
        assert_eq!(status.process, Some(std::process::id()));
        assert!(status.tally.visited >= 50 && status.course.recent.len() == 30, "{status:?}");

        // the same figures for every client, and none of it moves while it is paused
        assert_eq!(running.status().unwrap().tally, status.tally);
        let visits = rows(project, ExportWhat::Visits);
        assert_eq!(visits.len() as u64, status.tally.visited);
        let fetched: serde_json::Value = serde_json::from_str(&visits[20]).unwrap();
        let explained = project.explain(fetched["url"].as_str().unwrap()).unwrap();
        assert_eq!(explained.state, "fetched");
        assert!(explained.words.contains("visit 21"), "{}", explained.words);
        let missing = project.explain("http://www.photo.example/no/such/page").unwrap();
        assert_eq!(missing.state, "unknown");

        // a second crawl is refused, at once and in words
        let refused = project.crawl(&CrawlOptions::default(), quiet(&elsewhere)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Busy, "{refused}");

        running.resume().unwrap();
        running.stop().unwrap();
        let report = crawl.join().unwrap().unwrap();
        assert_eq!(report.stopped_by, Stop::Interrupt);
        assert!(Running::find(layout).unwrap().is_none());
    });
    let status = project.status().unwrap();
    assert_eq!((status.running, status.state), (false, CrawlState::Idle));
}

#[test]
fn an_index_that_follows_ends_with_the_same_documents() {
    let folder = tempfile::tempdir().unwrap();
    let (followed, afterwards) = (folder.path().join("followed"), folder.path().join("afterwards"));
    let stop = AtomicBool::new(false);
    let options = IndexOptions { follow: true, ..IndexOptions::default() };
    let after = world(&afterwards, 600, 300);
    after.learn(&LearnOptions::default(), quiet(&stop)).unwrap();
    let live = world(&followed, 600, 300);
    live.take_over_site(&after).unwrap();
    let live = &Project::open(&followed).unwrap();
    let (observer, crawled) = Milestone::at(40);
    std::thread::scope(|scope| {
        let control = Control { stop: &stop, observer: &observer };
        let crawl = scope.spawn(move || live.crawl(&CrawlOptions::default(), control));
        crawled.reached();
        // in several goes, so that pictures and profiles come after their pages
        Running::find(live.layout()).unwrap().unwrap().pause().unwrap();
        crawled.go_on();
        let first = live.index(&IndexOptions::default(), quiet(&stop)).unwrap();
        assert!(first.documents > 0);
        Running::find(live.layout()).unwrap().unwrap().resume().unwrap();
        live.index(&options, quiet(&stop)).unwrap();
        crawl.join().unwrap().unwrap();
    });
    live.index(&IndexOptions::default(), quiet(&stop)).unwrap();
    let after = Project::open(&afterwards).unwrap();
    after.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap();
    after.index(&IndexOptions::default(), quiet(&stop)).unwrap();
    assert_eq!(rows(live, ExportWhat::Records), rows(&after, ExportWhat::Records));
    let (live, after) = (documents(live), documents(&after));
    assert!(after.len() > 100, "{}", after.len());
    assert_eq!(live, after);
}

#[test]
fn a_socket_of_an_ended_process_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let project = world(folder.path(), 300, 20);
    std::fs::create_dir_all(project.layout().data()).unwrap();
    let socket = project.layout().data().join("crawl.sock");
    // bound and dropped: the name stays, but no process listens
    drop(UnixListener::bind(&socket).unwrap());
    assert!(socket.exists());
    assert!(Running::find(project.layout()).unwrap().is_none());
    assert_eq!(project.status().unwrap().tally.visited, 0);
    let stop = AtomicBool::new(false);
    project.crawl(&CrawlOptions::default(), quiet(&stop)).unwrap();
    assert!(!socket.exists());
    assert_eq!(project.status().unwrap().tally.visited, 20);
}

#[test]
fn nonsense_on_the_socket_does_no_harm() {
    use std::io::{BufRead, BufReader, Write};

    let folder = tempfile::tempdir().unwrap();
    let project = &world(folder.path(), 600, 400);
    let (observer, crawled) = Milestone::at(10);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let control = Control { stop: &stop, observer: &observer };
        let crawl = scope.spawn(move || project.crawl(&CrawlOptions::default(), control));
        crawled.reached();
        let mut running = Running::find(project.layout()).unwrap().unwrap();
        running.pause().unwrap();
        crawled.go_on();
        let path = project.layout().data().join("crawl.sock");
        for nonsense in ["\n", "{}\n", "{\"ask\":\"everything\"}\n", "\u{0}\n", "[[[[[[\n"] {
            let mut stream = UnixStream::connect(&path).unwrap();
            stream.write_all(nonsense.as_bytes()).unwrap();
            let mut answer = String::new();
            BufReader::new(&stream).read_line(&mut answer).unwrap();
            assert!(answer.contains("invalid request"), "{nonsense:?}: {answer}");
        }
        // a conversation that is begun and left
        drop(UnixStream::connect(&path).unwrap());
        UnixStream::connect(&path).unwrap().write_all(b"{\"ask\":").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
        assert!(running.status().unwrap().running);
        running.stop().unwrap();
        crawl.join().unwrap().unwrap();
    });
}

#[test]
fn a_deep_folder_has_a_socket_too() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a-folder-with-a-rather-long-name".repeat(4));
    let project = &world(&deep, 600, 400);
    let (observer, crawled) = Milestone::at(10);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let control = Control { stop: &stop, observer: &observer };
        let crawl = scope.spawn(move || project.crawl(&CrawlOptions::default(), control));
        crawled.reached();
        Running::find(project.layout()).unwrap().expect("a crawl is running").stop().unwrap();
        crawled.go_on();
        assert_eq!(crawl.join().unwrap().unwrap().stopped_by, Stop::Interrupt);
    });
}
