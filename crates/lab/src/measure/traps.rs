//! `traps`: how much of a budget a trap takes, and which pages it costs.
//!
//! A clean world is crawled twice with the same policy and budget: as it is, and with a trap beside it
//! ([`osprey_world::TrapKind`]). The truth says which visits went into the trap, and which real pages only the crawl
//! without the trap found.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use osprey_engine::{AnySource, Event, Observer, SourceKind};
use osprey_model::CanonicalUrl;
use osprey_world::{Nastiness, Options, TrapKind, World};

use super::known::known;
use super::project::{crawl, crawling};
use super::{Cell, Findings, Measure};

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrapsMeasure;

impl Measure for TrapsMeasure {
    fn name(&self) -> &'static str {
        "traps"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let (Some(kind), Some(trap)) = (cell.entry.world, cell.entry.trap) else {
            bail!("`traps` needs a world with a `trap`");
        };
        let totals = cell.corpus.totals(cell.experiment.wanted_of(cell.entry), &cell.experiment.valid);
        let budget = cell.budget(totals).context("`traps` needs a budget")?;
        let pages = cell.entry.pages.unwrap_or(cell.experiment.sizes(cell.scale).pages);
        let world = |trap: Option<TrapKind>| {
            let nastiness = Nastiness::none();
            World::new(
                kind,
                &Options { random_seed: cell.random_seed, pages, nastiness, trap, ..Options::default() },
            )
        };
        let free = visits(cell, budget, "free", world(None)?)?;
        let trapped = visits(cell, budget, "trapped", world(Some(trap))?)?;
        let lost: Vec<&String> = free.real.difference(&trapped.real).collect();
        let mut findings = Findings::default();
        for (name, value) in [
            ("visited", trapped.real.len() as u64 + trapped.in_trap),
            ("real", trapped.real.len() as u64),
            ("real_without_trap", free.real.len() as u64),
            ("in_trap", trapped.in_trap),
            ("lost", lost.len() as u64),
        ] {
            findings.figure(name, Some(value as f64));
        }
        findings.figure("trap_share", Some(trapped.in_trap as f64 / budget as f64));
        if let Some(first) = lost.first() {
            findings.words.insert("lost".to_owned(), (*first).clone());
        }
        Ok(findings)
    }
}

/// Where a crawl went.
#[derive(Debug, Default)]
struct Went {
    real: BTreeSet<String>,
    in_trap: u64,
}

/// Looks up every visit in the world.
struct Watcher {
    world: World,
    went: Mutex<Went>,
}

impl Observer for Watcher {
    fn event(&self, event: &Event<'_>) {
        let (Event::Visit(visit), Ok(mut went)) = (event, self.went.lock()) else { return };
        let truth = CanonicalUrl::from_stored(&visit.url).ok().and_then(|url| self.world.truth(&url));
        match truth {
            Some(truth) if truth.waste.as_deref() == Some("trap") => went.in_trap += 1,
            Some(truth) if truth.waste.is_none() && truth.duplicate_of.is_none() => {
                went.real.insert(visit.url.clone());
            }
            _ => {}
        }
    }
}

fn visits(cell: &Cell<'_>, budget: u64, folder: &str, world: World) -> anyhow::Result<Went> {
    let mut parts = crawling(cell)?;
    parts.settings.budget.pages = Some(budget);
    parts.source = SourceKind::Custom(AnySource::new(world.clone()));
    let known = known(cell, &parts)?;
    let watcher = Watcher { world, went: Mutex::default() };
    crawl(cell, &cell.scratch.join(folder), parts, &known, &watcher)?;
    Ok(watcher.went.into_inner().unwrap_or_else(PoisonError::into_inner))
}
