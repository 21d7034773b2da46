//! `osprey robots-check ROBOTS_FILE AGENT URL`: for scripts and outside conformance runners.

use std::process::ExitCode;

use osprey_model::robots::Robots;
use serde_json::json;

use crate::cli::{RobotsCheck, UsageError};
use crate::output::Output;

pub(super) fn run(args: &RobotsCheck, output: &Output) -> anyhow::Result<ExitCode> {
    // 1 means disallowed, so a file that cannot be read has to be something else
    let body = std::fs::read(&args.robots_file)
        .map_err(|cause| UsageError(format!("{}: {cause}", args.robots_file.display())))?;
    let robots = Robots::parse(&body, &args.agent);
    let allowed = robots.allows_raw(&args.url);
    output.result(&json!({ "allowed": allowed, "agent": args.agent, "url": args.url }), || {
        if allowed { "allowed" } else { "disallowed" }.to_owned()
    })?;
    Ok(ExitCode::from(u8::from(!allowed)))
}
