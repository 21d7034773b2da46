//! Small experiments, run as these tests run all of theirs.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use osprey_lab::{Experiment, ExperimentRegistry, MEASURES, Run, Runner, RunnerError, Scale};

/// Does something with a runner of all measures, at small scale, which writes to `out`.
pub(crate) fn with_runner<T>(out: &Path, data: Option<&Path>, work: impl FnOnce(&Runner<'_>) -> T) -> T {
    let (registry, stop) = (ExperimentRegistry::shipped().unwrap(), AtomicBool::new(false));
    work(&Runner {
        registry: &registry,
        measures: MEASURES,
        scale: Scale::Small,
        random_seed: 1,
        out,
        data,
        jobs: 2,
        build: "test",
        stop: &stop,
    })
}

/// Runs an experiment in `out`.
pub(crate) fn run(text: &str, out: &Path, data: Option<&Path>) -> Run {
    let experiment = Experiment::parse("small", text).unwrap();
    with_runner(out, data, |runner| runner.run(&experiment, &|_| {}).unwrap())
}

/// Runs an experiment of `folder`, which has one under `lab` and its corpora under `data`.
pub(crate) fn run_in(folder: &Path, experiment: &str) -> Result<Run, RunnerError> {
    let mut registry = ExperimentRegistry::shipped().unwrap();
    registry.add_folder(&folder.join("lab")).unwrap();
    let (out, data, stop) = (folder.join("out"), folder.join("data"), AtomicBool::new(false));
    let runner = Runner {
        registry: &registry,
        measures: MEASURES,
        scale: Scale::Small,
        random_seed: 1,
        out: &out,
        data: Some(&data),
        jobs: 1,
        build: "test",
        stop: &stop,
    };
    runner.run(registry.experiment(experiment).unwrap(), &|_| {})
}
