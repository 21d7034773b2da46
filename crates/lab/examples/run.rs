//! Runs experiments without the `osprey` binary: `cargo run -p osprey-lab --example run -- OUT NAME...`, at the small
//! scale.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use osprey_lab::{ExperimentRegistry, MEASURES, Progress, Runner, Scale, build_of_program};

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args_os().skip(1);
    let out = PathBuf::from(args.next().context("usage: run OUT NAME...")?);
    let data = std::env::var_os("OSPREY_DATA").map(PathBuf::from);
    let (registry, build, stop) =
        (ExperimentRegistry::shipped()?, build_of_program()?, AtomicBool::new(false));
    let runner = Runner {
        registry: &registry,
        measures: MEASURES,
        scale: Scale::Small,
        random_seed: 1,
        out: &out,
        data: data.as_deref(),
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        build: &build,
        stop: &stop,
    };
    let tell = |told: Progress<'_>| {
        if let Progress::LeftOut { corpus, why } = told {
            let _ = writeln!(std::io::stderr(), "{corpus} is left out: {why}");
        }
    };
    for name in args {
        let done = runner.report(registry.experiment(&name.to_string_lossy())?, &tell)?;
        std::io::stdout().write_all(done.text.as_bytes())?;
    }
    Ok(())
}
