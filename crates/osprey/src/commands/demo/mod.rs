//! `osprey demo`: everything that Osprey does, on a simulated photo site, in a minute or two.
//!
//! It runs the commands of the guide: serve a site, `learn` it, `topic expand`, `crawl` twice (with the policy
//! `profile`, and breadth-first for comparison), `index`, `serve`. Every step calls the function behind the command of
//! that name, over real HTTP, in two plain project folders that can be crawled, searched and edited afterwards.
//!
//! The demo has no state of its own: it looks at the projects to see what is done, so a second start resumes where the
//! first one was stopped or killed. Only the simulated site is described in a file (`demo.toml`), since the addresses
//! of all pages depend on it.

mod compare;
mod projects;
mod site;
mod steps;

use std::env;
use std::net::TcpListener;
use std::path::PathBuf;

use anyhow::bail;
use osprey_engine::{
    Control, CrawlOptions, Error, IndexOptions, LearnOptions, Stop, TagPages, counted, grouped,
};

use osprey_steer::cotag::CoTagRules;

use self::compare::Comparison;
use self::projects::{Projects, Role};
use self::site::DemoSite;
use self::steps::{Finding, Steps};
use super::serve::{ServeOptions, address, serve};
use crate::cli::{Demo, UsageError};
use crate::output::Output;
use crate::session::Session;

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
    let dir = args.dir.clone().map_or_else(usual_dir, Ok)?;
    output.say(format!("the projects of this demo are in {}", dir.display()));
    let session = Session::new(output)?;
    let control = session.control();
    let mut steps = Steps::new(output, session.stop());
    let site = steps.take("serve a simulated photo site", || DemoSite::open(args, &dir))?;
    let projects = Projects::open(&dir, &site, args.pages)?;
    steps.take("learn its page types", || learn_site(&projects, control))?;
    steps.take("expand the topic", || expand_topic(&projects, control))?;
    for role in Role::BOTH {
        steps.take(&format!("crawl with the policy `{role}`"), || fetch(&projects, role, control))?;
    }
    steps.take("index both", || index(&projects, control))?;
    let mut comparison = Comparison::of(&projects, &site, steps.seconds())?;
    if args.no_serve {
        return output.result(&comparison, || comparison.text());
    }
    let dirs = Role::BOTH.map(|role| projects.dir(role));
    let options = ServeOptions { addr: args.addr.clone(), ..ServeOptions::default() };
    serve(&dirs, &options, session.stop(), |address| {
        comparison.address = Some(address.to_owned());
        output.result(&comparison, || comparison.text())
    })
}

/// A folder of the user's own, outside of whatever folder they are in.
fn usual_dir() -> anyhow::Result<PathBuf> {
    let data = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let data = data.or_else(|| env::home_dir().map(|home| home.join(".local/share")));
    let data = data
        .ok_or_else(|| UsageError("you have no home folder; name one for the demo with --dir".to_owned()))?;
    Ok(data.join("osprey").join("demo"))
}

/// `osprey learn` in one project; the other takes it over.
fn learn_site(projects: &Projects, control: Control<'_>) -> anyhow::Result<Finding<()>> {
    let (profile, plain) = (projects.project(Role::Profile)?, projects.project(Role::BreadthFirst)?);
    let was_done = profile.is_learned()?;
    if !was_done {
        profile.learn(&LearnOptions::default(), control)?;
    }
    if !plain.is_learned()? {
        plain.take_over_site(&profile)?;
    }
    Ok(Finding { was_done, says: projects.learned()?, value: () })
}

/// `osprey topic expand`, and the tags into both configurations.
fn expand_topic(projects: &Projects, control: Control<'_>) -> anyhow::Result<Finding<()>> {
    let is_plain = |role: &Role| anyhow::Ok(projects.tags(*role)? == [TOPIC]);
    let was_done = !is_plain(&Role::Profile)? && !is_plain(&Role::BreadthFirst)?;
    if !was_done {
        let profile = projects.project(Role::Profile)?;
        let given = [TOPIC.to_owned()];
        let pages = TagPages::Fetch(projects.budget()?.max(PAGES_FOR_TOPIC));
        let expanded = profile.expand_topic(&given, pages, &CoTagRules::default(), control)?;
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
fn fetch(projects: &Projects, role: Role, control: Control<'_>) -> anyhow::Result<Finding<()>> {
    let report = projects.project(role)?.crawl(&CrawlOptions::default(), control)?;
    if report.stopped_by == Stop::Interrupt {
        bail!(Error::Interrupted);
    }
    let says = format!(
        "{}, {} of them relevant (harvest ratio {:.3}), {}",
        counted(report.visited, "page"),
        grouped(report.relevant),
        report.harvest_ratio,
        counted(report.pictures, "picture")
    );
    Ok(Finding { was_done: report.this_run == 0, says, value: () })
}

/// `osprey index`, for both.
fn index(projects: &Projects, control: Control<'_>) -> anyhow::Result<Finding<()>> {
    let (mut fresh, mut says) = (0, Vec::new());
    for role in Role::BOTH {
        fresh += projects.project(role)?.index(&IndexOptions::default(), control)?.documents;
        says.push(format!("{} by `{role}`", counted(projects.documents(role)?, "document")));
    }
    Ok(Finding { was_done: fresh == 0, says: says.join(", "), value: () })
}
