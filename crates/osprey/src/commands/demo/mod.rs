//! `osprey demo`: everything that Osprey does, on a simulated photo site, in a minute or two.
//!
//! It types for a newcomer what the guide would have them type: serve a site, `learn` it, `topic expand`, `crawl` twice
//! (the policy `profile`, and breadth-first beside it), `index`, `serve`. Every step is the function behind the command
//! of that name, over real HTTP, in two plain project folders that can be crawled, searched and edited afterwards.
//!
//! There is no state of its own: what is done is seen by what the projects hold, so a second start goes on where the
//! first one was stopped or killed. Only the simulated site is described in a file (`demo.toml`), since the addresses
//! of all pages depend on it.

mod compare;
mod projects;
mod site;
mod steps;

use std::net::TcpListener;
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use osprey_crawl::Stop;

use self::compare::Comparison;
use self::projects::{Projects, Role};
use self::site::DemoSite;
use self::steps::{Finding, Steps};
use super::serve::{ServeOptions, address, serve};
use super::topic::{LookAt, expand};
use super::{crawl, learn};
use crate::cli::{Demo, UsageError};
use crate::drive::{Interrupted, stop_on_signal};
use crate::indexing::index_project;
use crate::output::Output;
use crate::progress::grouped;

/// The tag that the topic grows from.
const TOPIC: &str = "beach";
/// Pages that are looked at for tags that go with it, at least: with fewer, too few photos have the tag.
const PAGES_FOR_TOPIC: u64 = 1500;

pub(super) fn run(args: &Demo, output: &Output) -> anyhow::Result<()> {
    if !args.no_serve {
        // found out now, not after a minute of work
        let address = address(args.addr.as_deref())?;
        TcpListener::bind(address).map_err(|cause| {
            UsageError(format!("{address}: {cause}; choose another with --addr, or port 0 for a free one"))
        })?;
    }
    let stop = stop_on_signal(output)?;
    let mut steps = Steps::new(output, &stop);
    let site = steps.take("serve a simulated photo site", || DemoSite::open(args))?;
    let projects = Projects::open(&args.dir, &site, args.pages)?;
    steps.take("learn what kinds of page it has", || learn_site(&projects, &stop, output))?;
    steps.take("expand the topic", || expand_topic(&projects, &stop, output))?;
    for role in Role::BOTH {
        steps.take(&format!("crawl with the policy `{role}`"), || fetch(&projects, role, &stop, output))?;
    }
    steps.take("index both", || index(&projects, &stop, output))?;
    let mut comparison = Comparison::of(&projects, &site, steps.seconds())?;
    if args.no_serve {
        return output.result(&comparison, || comparison.text());
    }
    let dirs = Role::BOTH.map(|role| projects.dir(role));
    let options = ServeOptions { addr: args.addr.clone(), ..ServeOptions::default() };
    serve(&dirs, &options, &stop, output, |address| {
        comparison.address = Some(address.to_owned());
        output.result(&comparison, || comparison.text())
    })
}

/// `osprey learn` in one project; the other takes it over.
fn learn_site(projects: &Projects, stop: &AtomicBool, output: &Output) -> anyhow::Result<Finding<()>> {
    let (profile, plain) = (projects.project(Role::Profile)?, projects.project(Role::BreadthFirst)?);
    let was_done = learn::is_learned(&profile)?;
    if !was_done {
        learn::learn(&profile, &learn::LearnOptions::default(), stop, output)?;
    }
    if !learn::is_learned(&plain)? {
        learn::take_over(&profile, &plain)?;
    }
    Ok(Finding { was_done, says: projects.learned()?, value: () })
}

/// `osprey topic expand`, and the tags into both configurations.
fn expand_topic(projects: &Projects, stop: &AtomicBool, output: &Output) -> anyhow::Result<Finding<()>> {
    let is_plain = |role: &Role| anyhow::Ok(projects.tags(*role)? == [TOPIC]);
    let was_done = !is_plain(&Role::Profile)? && !is_plain(&Role::BreadthFirst)?;
    if !was_done {
        let profile = projects.project(Role::Profile)?;
        let given = [TOPIC.to_owned()];
        let pages = LookAt::Pages(projects.budget()?.max(PAGES_FOR_TOPIC));
        let expanded = expand(&profile, &given, pages, stop, output)?;
        for role in Role::BOTH {
            // what a person has written there stays
            if is_plain(&role)? {
                projects.write_tags(role, &expanded.tags())?;
            }
        }
    }
    let tags = projects.tags(Role::Profile)?;
    let says = format!("`{TOPIC}` goes with {}", tags.get(1..).unwrap_or_default().join(", "));
    Ok(Finding { was_done, says, value: () })
}

/// `osprey crawl`.
fn fetch(projects: &Projects, role: Role, stop: &AtomicBool, output: &Output) -> anyhow::Result<Finding<()>> {
    let report = crawl::crawl(&projects.project(role)?, None, stop, output, &mut ())?;
    if report.stopped_by == Stop::Interrupt {
        bail!(Interrupted);
    }
    let says = format!(
        "{} pages, {} of them relevant (harvest ratio {:.3}), {} pictures",
        grouped(report.visited),
        grouped(report.relevant),
        report.harvest_ratio,
        grouped(report.pictures)
    );
    Ok(Finding { was_done: report.this_run == 0, says, value: () })
}

/// `osprey index`, for both.
fn index(projects: &Projects, stop: &AtomicBool, output: &Output) -> anyhow::Result<Finding<()>> {
    let (mut fresh, mut says) = (0, Vec::new());
    for role in Role::BOTH {
        fresh += index_project(&projects.project(role)?, stop, output)?.documents;
        says.push(format!("{} documents by `{role}`", grouped(projects.documents(role)?)));
    }
    Ok(Finding { was_done: fresh == 0, says: says.join(", "), value: () })
}
