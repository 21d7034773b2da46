//! `osprey man [--out DIR]`: manual pages, made from the command line itself so that they cannot fall behind it.
//!
//! Without `--out` everything goes to standard output as one page, to read with `man -l -`. With `--out` there is one
//! page for each command and subcommand (`osprey.1`, `osprey-crawl.1`, `osprey-lab-run.1`), as packages install them.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use osprey_engine::counted;
use serde_json::json;

use crate::cli::{self, Cli};
use crate::output::Output;

pub(super) fn run(args: &cli::Man, output: &Output) -> anyhow::Result<()> {
    let Some(dir) = &args.out else {
        return output.text(&String::from_utf8_lossy(&single_page()?));
    };
    let pages = write_pages(dir).with_context(|| dir.display().to_string())?;
    output.result(&json!({ "out": dir, "pages": pages }), || {
        format!("{} in {}\n", counted(pages as u64, "manual page"), dir.display())
    })
}

/// Writes one page per command into a folder, which is created if needed, and returns how many.
fn write_pages(dir: &Path) -> std::io::Result<usize> {
    std::fs::create_dir_all(dir)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    write_page_and_below(&command, dir)
}

fn write_page_and_below(command: &clap::Command, dir: &Path) -> std::io::Result<usize> {
    let version = env!("CARGO_PKG_VERSION");
    clap_mangen::Man::new(command.clone()).source(format!("osprey {version}")).generate_to(dir)?;
    let mut written = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        written += write_page_and_below(below, dir)?;
    }
    Ok(written)
}

/// The command's own page, followed by a section for each subcommand.
fn single_page() -> std::io::Result<Vec<u8>> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let man = clap_mangen::Man::new(sub.clone());
        writeln!(page, ".SH \"OSPREY {}\"", sub.get_name().to_uppercase())?;
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    Ok(page)
}
