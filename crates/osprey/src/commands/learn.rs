//! `osprey learn DIR`: samples the site and learns its page types, how they link, and how to read records from them.

use osprey_engine::{LearnOptions, Project};

use crate::cli;
use crate::output::Output;
use crate::session::Session;

pub(super) fn run(args: &cli::Learn, output: &Output) -> anyhow::Result<()> {
    let cli::Learn { dir, pages, crawled, replace_rules, again } = args;
    let options =
        LearnOptions { pages: *pages, crawled: *crawled, replace_rules: *replace_rules, again: *again };
    let project = Project::open(dir)?;
    project.notices().iter().for_each(|notice| output.say(notice));
    let session = Session::new(output)?;
    let learned = project.learn(&options, session.control())?;
    let report = learned.report();
    output.result(&report, || report.text(project.layout()))
}
