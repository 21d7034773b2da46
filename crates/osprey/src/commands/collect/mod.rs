//! `osprey collect URL... "what I want"`: the main job in one line and one process.
//!
//! It writes the project if it is not there, serves it at once, and has the engine look, crawl and index on another thread.
//! The same line finds the same folder, so that it goes on where it was, whatever ended it.

mod request;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::bail;
use osprey_engine::{Collected, Error, Layout, Overrides, Project, Service, counted};
use serde::Serialize;
use serde_json::json;

use self::request::Request;
use super::crawl;
use super::serve::{LOOK_UP, ServeOptions, address, listen, open, wait};
use crate::cli;
use crate::output::Output;
use crate::session::Session;

/// What `osprey collect --json` prints when the crawl is over.
#[derive(Serialize)]
struct Summary<'a> {
    /// The project's folder.
    project: PathBuf,
    /// What is wanted, in words.
    want: String,
    /// Where the result is served, if it is.
    address: Option<String>,
    #[serde(flatten)]
    collected: &'a Collected,
    /// What can be searched.
    documents: u64,
}

pub(super) fn run(args: &cli::Collect, output: &Output) -> anyhow::Result<ExitCode> {
    let request = Request::of(args)?;
    if !args.no_serve {
        // found out now, before anything is written
        address(args.addr.as_deref())?;
    }
    let overrides = Overrides { policy: None, budget: args.budget, time: args.time.map(|time| time.0) };
    let project = prepare(&request, &overrides, output)?;
    output.say(format!("{}; {}", project.want_in_words(), project.effort_in_words()?));
    output.say(format!("writes to {}", request.shown_dir()));
    let session = Session::new(output)?;
    let dirs = [request.dir.clone()];
    let services = open(&dirs)?;
    let [service] = services.as_slice() else { bail!("one project is one service") };
    // before anything listens: it may be that another process has the project
    service.collect(&overrides, session.observer())?;
    let options = ServeOptions { addr: args.addr.clone(), or_free: true, ..ServeOptions::default() };
    let server = match args.no_serve {
        true => Ok(None),
        false => listen(&services, &dirs, &options).map(Some),
    };
    let server = server.inspect_err(|_| service.close())?;
    let url = server.as_ref().map(|server| format!("http://{}/", server.address()));
    let told = url.as_deref().map_or(Ok(()), |url| tell_address(url, output));
    let ended = told.and_then(|()| finish(&project, service, url, session.stop(), output));
    if matches!(ended, Ok(true)) && server.is_some() {
        wait(session.stop());
    }
    let stopped = server.map_or(Ok(()), osprey_server::Server::stop);
    service.close();
    stopped?;
    Ok(if ended? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The project, written if it is not there.
fn prepare(request: &Request, overrides: &Overrides, output: &Output) -> anyhow::Result<Project> {
    if !Layout::of(&request.dir).config().exists() {
        Project::init(&request.dir, &request.options)?;
        return Ok(Project::open_with(&request.dir, overrides)?);
    }
    let project = Project::open_with(&request.dir, overrides)?;
    if let Some(note) = request.check(&project)? {
        output.say(note);
    }
    Ok(project)
}

/// The address as soon as there is one: with `--json`, standard output has to wait for its one document.
fn tell_address(url: &str, output: &Output) -> anyhow::Result<()> {
    let line = format!("{url}  (results come in while it crawls; Ctrl-C stops, the same line goes on)");
    if output.json {
        output.say(line);
        return Ok(());
    }
    output.text(&line)
}

/// Waits for the end of the crawl, by itself or by the user, and says what became of it. Whether it got anything.
fn finish(
    project: &Project,
    service: &Service,
    address: Option<String>,
    stop: &AtomicBool,
    output: &Output,
) -> anyhow::Result<bool> {
    let collected = match collected(service, stop) {
        // while the site was learned, or pages were judged again: what came before is there
        Err(Error::Interrupted) => {
            let summary = json!({
                "project": project.layout().dir(), "want": project.want_in_words(), "stopped_by": "interrupt"
            });
            output.result(&summary, || "stopped; the same line goes on\n".to_owned())?;
            return Ok(true);
        }
        ended => ended?,
    };
    let documents = project.collection().searcher().map_or(0, |searcher| searcher.len());
    let summary = Summary {
        project: project.layout().dir().to_owned(),
        want: project.want_in_words(),
        address: address.clone(),
        collected: &collected,
        documents,
    };
    let report = &collected.report;
    output.result(&summary, || {
        format!("{}{} can be searched\n", crawl::text(report), counted(documents, "document"))
    })?;
    if report.is_dead_start() {
        report.start_failures.iter().for_each(|failure| output.complain(failure));
        return Ok(false);
    }
    if let Some(address) = address.filter(|_| !stop.load(Ordering::Relaxed)) {
        output.say(format!("the result stays at {address} until Ctrl-C"));
    }
    Ok(true)
}

fn collected(service: &Service, stop: &AtomicBool) -> Result<Collected, Error> {
    loop {
        if let Some(ended) = service.collected() {
            return ended;
        }
        if stop.load(Ordering::Relaxed) {
            // it may have ended just now
            let _ = service.stop();
        }
        std::thread::sleep(LOOK_UP);
    }
}
