//! One file per command; each turns arguments into calls and results into text.

mod check;
mod collect;
mod compare;
mod control;
mod crawl;
mod demo;
mod explain;
mod export;
mod extract;
mod index;
mod init;
mod lab;
mod learn;
mod man;
mod page;
mod rate;
mod rejudge;
mod restore;
mod robots_check;
mod search;
mod serve;
mod status;
mod taxonomy;
mod terms;
mod topic;
mod vision;

use std::process::ExitCode;

use clap::CommandFactory;

use crate::cli::{Cli, Command};
use crate::output::Output;

/// Runs a command.
pub(crate) fn run(command: Command, output: &Output) -> anyhow::Result<ExitCode> {
    match command {
        Command::Demo(args) => demo::run(&args, output)?,
        Command::Collect(args) => return collect::run(&args, output),
        Command::Init(args) => init::run(&args, output)?,
        Command::Learn(args) => learn::run(&args, output)?,
        Command::Topic(args) => topic::run(&args, output)?,
        Command::Terms(args) => terms::run(&args, output)?,
        Command::Taxonomy(args) => taxonomy::run(&args, output)?,
        Command::Crawl(args) => return crawl::run(&args, output),
        Command::Compare(args) => compare::run(&args, output)?,
        Command::Index(args) => index::run(&args, output)?,
        Command::Search(args) => search::run(&args, output)?,
        Command::Rate(args) => rate::run(&args, output)?,
        Command::Serve(args) => serve::run(&args, output)?,
        Command::Status(args) => status::run(&args.dir, output)?,
        Command::Check(args) => return check::run(&args.dir, output),
        Command::Rejudge(args) => rejudge::run(&args.dir, output)?,
        Command::Restore(args) => restore::run(&args.dir, output)?,
        Command::Pause(args) => control::run(&args.dir, control::Order::Pause, output)?,
        Command::Resume(args) => control::run(&args.dir, control::Order::Resume, output)?,
        Command::Stop(args) => control::run(&args.dir, control::Order::Stop, output)?,
        Command::Export(args) => export::run(&args, output)?,
        Command::Page(args) => page::run(&args, output)?,
        Command::Extract(args) => extract::run(&args, output)?,
        Command::Explain(args) => explain::run(&args, output)?,
        Command::Vision(command) => vision::run(&command, output)?,
        Command::Lab(command) => lab::run(&command, output)?,
        Command::RobotsCheck(args) => return robots_check::run(&args, output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "osprey", &mut script);
            output.text(&String::from_utf8_lossy(&script))?;
        }
        Command::Man(args) => man::run(&args, output)?,
    }
    Ok(ExitCode::SUCCESS)
}
