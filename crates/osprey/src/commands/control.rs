//! `osprey pause|resume|stop DIR`: orders for a crawl that runs in another process.

use std::path::Path;

use anyhow::bail;
use osprey_engine::{Project, Running};
use serde_json::json;

use crate::output::Output;

/// An order to a running crawl.
#[derive(Clone, Copy)]
pub(super) enum Order {
    Pause,
    Resume,
    Stop,
}

pub(super) fn run(dir: &Path, order: Order, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(dir)?;
    let Some(mut running) = Running::find(project.layout())? else {
        bail!("{}: no crawl is running", dir.display());
    };
    let told = match order {
        Order::Pause => running.pause().map(|()| "paused")?,
        Order::Resume => running.resume().map(|()| "resumed")?,
        Order::Stop => running.stop().map(|()| "stopping: finishing requests in flight")?,
    };
    output.result(&json!({ "crawl": told }), || told.to_owned())
}
