//! Crawls a site, indexes it while it is crawled, and searches it: Osprey as a library.
//!
//!     cargo run -p embed-osprey -- FOLDER WORDS... --site URL        a live site, politely
//!     cargo run -p embed-osprey -- FOLDER WORDS... --replay PATH URL a recording: WARC, WACZ or a mirror folder

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use osprey_engine::{
    Control, CrawlOptions, Event, IndexOptions, InitOptions, Observer, Project, Query, Request,
};

/// Says every hundredth page.
struct Progress;

impl Observer for Progress {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Visit(visit) if visit.n % 100 == 0 => eprintln!("{} pages, now {}", visit.n, visit.url),
            Event::Note(text) => eprintln!("{text}"),
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = InitOptions { budget: Some(300), force: true, ..InitOptions::default() };
    let (mut folder, mut words) = (None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--site" => options.seeds.extend(arguments.next()),
            "--replay" => {
                options.replay = arguments.next().map(PathBuf::from);
                options.base = arguments.next();
                options.seeds.extend(options.base.clone());
            }
            _ if folder.is_none() => folder = Some(argument),
            _ => words.push(argument),
        }
    }
    let folder = folder.ok_or("usage: FOLDER WORDS... --site URL | --replay PATH URL")?;
    options.tags.clone_from(&words);
    options.contact = Some("mailto:you@example.org".to_owned());
    Project::init(&folder, &options)?;
    let project = Project::open(&folder)?;

    let stop = AtomicBool::new(false);
    let control = Control { stop: &stop, observer: &Progress };
    let report = project.crawl(&CrawlOptions::default(), control)?;
    let indexed = project.index(&IndexOptions::default(), control)?;
    println!("{} pages, {} relevant, {} documents", report.visited, report.relevant, indexed.documents);

    let request = Request { query: Query::parse(&words.join(" "))?, limit: 5, ..Request::default() };
    for hit in project.search(&request)?.hits {
        println!("{:.2}  {}  {}", hit.score, hit.title, hit.url);
    }
    Ok(())
}
