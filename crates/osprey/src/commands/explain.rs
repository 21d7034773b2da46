//! `osprey explain DIR URL`: why a URL was fetched, is waiting, or was skipped.

use osprey_engine::Project;

use crate::cli::Explain;
use crate::output::Output;

pub(super) fn run(args: &Explain, output: &Output) -> anyhow::Result<()> {
    let explanation = Project::open(&args.dir)?.explain(&args.url)?;
    output.result(&explanation, || format!("{}\n{}\n", explanation.url, explanation.words))
}
