//! How a project stands while nothing runs in this process: read from its stores once, and again when they have changed.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use osprey_crawl::SystemClock;
use osprey_model::Clock;
use osprey_server::{CrawlView, Doing};

use super::live::{self, Journal, SAMPLE};
use super::look::Look;
use crate::config;
use crate::project::{Project, STATUS_FILE};
use crate::status::is_fresh;

/// A crawl of another process says every second how it does; one whose word is older was killed.
const STALE: Duration = Duration::from_secs(10);

/// What the archive holds, in files and bytes: whatever was crawled since, it has grown.
type Stamp = (u64, u64);

/// The view of last time.
#[derive(Default)]
pub(super) struct Rest(Mutex<Option<(Stamp, CrawlView)>>);

impl Rest {
    /// The last view there was.
    pub(super) fn last(&self) -> CrawlView {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().map(|(_, view)| view.clone()).unwrap_or_default()
    }

    /// How the project stands.
    pub(super) fn view(&self, dir: &Path, look: &Look) -> anyhow::Result<CrawlView> {
        if !config::path_in(dir).exists() {
            return Ok(CrawlView {
                message: Some("pictures of your own: nothing to crawl".to_owned()),
                ..CrawlView::default()
            });
        }
        let data = dir.join("data");
        let stamp = stamp(&data);
        let is_elsewhere = is_fresh(&data.join(STATUS_FILE), STALE);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let project = Project::open(dir, |_| {})?;
        let view = match &*kept {
            Some((at, view)) if *at == stamp || is_elsewhere => view.clone(),
            _ => {
                let view = read(&data, &project, look, is_elsewhere)?;
                *kept = Some((stamp, view.clone()));
                view
            }
        };
        let doing = if is_elsewhere { Doing::Elsewhere } else { Doing::Rests };
        Ok(CrawlView { doing, rate: 0.0, ..live::planned(view, &project) })
    }
}

fn read(data: &Path, project: &Project, look: &Look, is_elsewhere: bool) -> anyhow::Result<CrawlView> {
    let mut view = CrawlView::default();
    if is_elsewhere || !data.join("frontier").exists() {
        return Ok(view);
    }
    let noun = project.resolved.group_noun(&project.looked_at()?);
    look.with(|crawl| {
        let idle = crawl.idle(SystemClock::default().now(), noun);
        live::show(&mut view, &crawl.tally()?, &crawl.stats(), crawl.hosts(), &idle);
        let mut journal = Journal::default();
        for row in crawl.visits() {
            journal.add(&row?);
        }
        journal.expect(&crawl.some_waiting(SAMPLE)?);
        journal.show(&mut view);
        Ok(())
    })?;
    Ok(view)
}

fn stamp(data: &Path) -> Stamp {
    let entries = std::fs::read_dir(data.join("archive")).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.metadata().ok())
        .fold((0, 0), |(files, bytes), data| (files + 1, bytes + data.len()))
}
