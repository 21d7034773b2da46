//! `osprey status DIR`: progress, harvest, frontier, hosts, errors.

use std::path::Path;
use std::time::Duration;

use osprey_crawl::{CrawlError, Inspection, SystemClock};
use osprey_model::Clock;

use crate::output::Output;
use crate::project::Project;
use crate::status::{Status, is_fresh};

pub(super) fn run(dir: &Path, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(dir, |_| {})?;
    let settings = &project.resolved.settings;
    // where a running crawl has left its word there is no need to wait for the stores
    let said = project.status_file();
    let patience = if said.exists() { Duration::ZERO } else { Inspection::PATIENCE };
    let status = match Inspection::open(&project.data(), &settings.frontier, patience) {
        Ok(mut crawl) => {
            let mut status = Status::of(crawl.tally()?, &crawl.stats(), crawl.hosts());
            let noun = project.resolved.group_noun(&project.looked_at()?);
            status.at_rest(crawl.idle(SystemClock::default().now(), noun));
            status
        }
        Err(CrawlError::Nothing(_)) => {
            let hint = || format!("nothing crawled yet; start with: osprey crawl {}", dir.display());
            return output.result(&Status::default(), hint);
        }
        Err(error) if error.is_in_use() => {
            let mut status = said_lately(&said).unwrap_or_default();
            status.running = true;
            status
        }
        Err(error) => return Err(error.into()),
    };
    output.result(&status, || status.text(settings.budget.pages))
}

/// A word of a running crawl that is older is of one that was killed, or its machine sleeps; who holds the stores now is
/// somebody else.
const STALE: Duration = Duration::from_secs(60);

/// What a running crawl said of itself.
fn said_lately(file: &Path) -> Option<Status> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok().filter(|_| is_fresh(file, STALE))
}
