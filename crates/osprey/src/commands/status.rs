//! `osprey status DIR`: progress, harvest, frontier, hosts, errors.

use std::path::Path;
use std::time::Duration;

use osprey_crawl::{CrawlError, Inspection};
use osprey_frontier::FrontierError;

use crate::output::Output;
use crate::project::Project;
use crate::status::Status;

pub(super) fn run(dir: &Path, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(dir, |_| {})?;
    let settings = &project.resolved.settings;
    // where a running crawl has left its word there is no need to wait for the stores
    let said = project.status_file();
    let patience = if said.exists() { Duration::ZERO } else { Inspection::PATIENCE };
    let status = match Inspection::open(&project.data(), &settings.frontier, patience) {
        Ok(crawl) => Status::of(crawl.tally()?, &crawl.stats(), crawl.hosts()),
        Err(CrawlError::Nothing(_)) => {
            let hint = || format!("nothing crawled yet; start with: osprey crawl {}", dir.display());
            return output.result(&Status::default(), hint);
        }
        Err(CrawlError::Frontier(FrontierError::Locked { .. })) => {
            let text = std::fs::read(&said).unwrap_or_default();
            let mut status: Status = serde_json::from_slice(&text).unwrap_or_default();
            status.running = true;
            status
        }
        Err(error) => return Err(error.into()),
    };
    output.result(&status, || status.text(settings.budget.pages))
}
