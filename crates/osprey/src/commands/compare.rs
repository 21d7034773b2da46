//! `osprey compare DIR`: crawls a site with several policies in turns and prints what each found.

use osprey_engine::{CompareOptions, Project};

use crate::cli;
use crate::output::Output;
use crate::session::Session;

pub(super) fn run(args: &cli::Compare, output: &Output) -> anyhow::Result<()> {
    let project = Project::open(&args.dir)?;
    let session = Session::new(output)?;
    let options = CompareOptions { policies: args.policies.clone(), budget: args.budget };
    let comparison = project.compare(&options, session.control())?;
    output.result(&comparison, || comparison.text())
}
