//! Arguments of `osprey lab`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Lab {
    /// List the experiments
    List(LabList),
    /// Run experiments: print tables, write reports and figures; resumes an interrupted run
    Run(LabRun),
    /// Serve a simulated web over HTTP on loopback, until interrupted
    Serve(LabServe),
    /// Print the ground truth of URLs of a simulated web; without URLs, of all its content pages
    Truth(LabTruth),
}

#[derive(Args, Debug)]
pub(crate) struct LabList {
    /// A folder with your own experiments, in files like those of lab/experiments
    #[arg(long, value_name = "DIR")]
    pub(crate) experiments: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct LabRun {
    /// Names of experiments; `all` for every one
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<String>,
    /// Size of the experiments: small (minutes for all), paper (the sizes of the papers)
    #[arg(long, default_value_t = osprey_lab::Scale::Small)]
    pub(crate) scale: osprey_lab::Scale,
    /// Random seed of the first run; further runs take the next numbers
    #[arg(long, value_name = "N", alias = "seed", default_value_t = 1)]
    pub(crate) random_seed: u64,
    /// Output folder for reports and figures
    #[arg(long, value_name = "DIR", default_value = "lab-out")]
    pub(crate) out: PathBuf,
    /// A folder with your own experiments, in files like those of lab/experiments
    #[arg(long, value_name = "DIR")]
    pub(crate) experiments: Option<PathBuf>,
    /// Cells to run in parallel [default: one per core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
}

/// A simulated web.
#[derive(Args, Debug)]
pub(crate) struct WorldArgs {
    /// photo, video, forum, qa, movies, ratings, sports, campus, portal, shop or archive
    #[arg(value_name = "WORLD")]
    pub(crate) kind: osprey_world::Kind,
    /// Random seed of the simulated web
    #[arg(long, value_name = "N", alias = "seed", default_value_t = 1)]
    pub(crate) random_seed: u64,
    /// Approximate number of content pages
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) pages: u64,
    /// Domain of all host names
    #[arg(long, value_name = "NAME")]
    pub(crate) domain: Option<String>,
    /// Leave out traps, duplicates, dead links and the like
    #[arg(long)]
    pub(crate) tame: bool,
}

#[derive(Args, Debug)]
pub(crate) struct LabServe {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// Port to listen on; 0 picks a free port
    #[arg(long, value_name = "P", default_value_t = 8790)]
    pub(crate) port: u16,
    /// Answer without delay, also for slow hosts
    #[arg(long)]
    pub(crate) no_delay: bool,
}

#[derive(Args, Debug)]
pub(crate) struct LabTruth {
    #[command(flatten)]
    pub(crate) world: WorldArgs,
    /// URLs of the simulated web
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
}
