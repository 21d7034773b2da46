//! Runs the grid of an experiment: corpora x variants x random seeds, on all cores, cell by cell.
//!
//! The result of a cell is stored under a key of everything that affects it (the experiment's text, the build, the
//! scale, corpus, variant, random seed), so an interrupted run continues where it stopped, and a change of any of them
//! runs the cell again. Cells share only opened recordings; their order does not affect results.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{fs, io, thread};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::corpus::{Pictures, Recording, open_recording};
use crate::{
    Cell, Corpus, CorpusEntry, CorpusError, Experiment, ExperimentRegistry, Findings, Measure, Scale,
    Variant, fingerprint,
};

/// Why a run failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// An unknown measure.
    #[error("experiment `{experiment}`: unknown measure `{measure}`; expected one of {known}")]
    Measure {
        /// The experiment.
        experiment: String,
        /// As written.
        measure: String,
        /// The measures that exist.
        known: String,
    },
    /// An unusable corpus.
    #[error("experiment `{experiment}`: {cause}")]
    Corpus {
        /// The experiment.
        experiment: String,
        /// Why.
        cause: CorpusError,
    },
    /// A random seed so large that counting up from it would overflow.
    #[error("random seed `{random_seed}` is too large: the other runs count up from it")]
    RandomSeed {
        /// The first random seed.
        random_seed: u64,
    },
    /// A recording without a file in `lab/corpora`.
    #[error("experiment `{experiment}`: unknown recording `{name}`; expected one of lab/corpora")]
    Unknown {
        /// The experiment.
        experiment: String,
        /// As written.
        name: String,
    },
    /// A cell that failed.
    #[error("experiment `{experiment}`: {cell}: {cause:#}")]
    Cell {
        /// The experiment.
        experiment: String,
        /// Corpus, variant and random seed.
        cell: String,
        /// Why.
        cause: anyhow::Error,
    },
    /// A file that cannot be written or read.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The user interrupted the run; finished cells are kept.
    #[error("interrupted; run the same command to resume")]
    Interrupted,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// The run begins.
    Begin {
        /// The experiment.
        experiment: &'a str,
        /// The number of cells.
        cells: usize,
        /// How many of them an earlier run has finished.
        done: usize,
    },
    /// A corpus is skipped.
    LeftOut {
        /// The corpus.
        corpus: &'a str,
        /// Why.
        why: &'a str,
    },
    /// A cell is finished.
    Cell {
        /// The corpus.
        corpus: &'a str,
        /// The variant.
        variant: &'a str,
        /// The random seed.
        random_seed: u64,
    },
}

/// The result of the cell of a corpus, a variant and a random seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The corpus's name.
    pub corpus: String,
    /// Whether it is a simulated one.
    pub simulated: bool,
    /// The variant's name.
    pub variant: String,
    /// The random seed.
    #[serde(alias = "seed")]
    pub random_seed: u64,
    /// The findings.
    pub findings: Findings,
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The experiment, as it was run.
    pub experiment: Experiment,
    /// How large.
    pub scale: Scale,
    /// The first random seed.
    #[serde(alias = "seed")]
    pub random_seed: u64,
    /// The build.
    pub build: String,
    /// Cells, by corpus, variant and random seed in the order of the experiment.
    pub cells: Vec<CellResult>,
    /// Corpora that were skipped, and why.
    pub left_out: Vec<(String, String)>,
}

/// Runs experiments.
pub struct Runner<'a> {
    /// The experiments and recordings.
    pub registry: &'a ExperimentRegistry,
    /// Kinds of measurement.
    pub measures: &'a [&'a dyn Measure],
    /// How large.
    pub scale: Scale,
    /// The first random seed; the other runs count up from it.
    pub random_seed: u64,
    /// The folder for results.
    pub out: &'a Path,
    /// The folder of the recordings; without it, corpora that need it are skipped.
    pub data: Option<&'a Path>,
    /// How many cells run at the same time.
    pub jobs: usize,
    /// The build, for the results and their keys.
    pub build: &'a str,
    /// Set when the user wants to stop.
    pub stop: &'a AtomicBool,
}

/// What the cells of a corpus share. Each cell makes its own world.
#[derive(Clone)]
enum Opened {
    World,
    Recording(Arc<Recording>),
    Pictures(Arc<Pictures>),
}

/// A cell that is to be run.
struct Job<'a> {
    entry: &'a CorpusEntry,
    opened: Opened,
    variant: &'a Variant,
    random_seed: u64,
    file: PathBuf,
}

impl Runner<'_> {
    /// Runs the cells of an experiment that have no stored result yet.
    pub fn run(
        &self,
        experiment: &Experiment,
        tell: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Run, RunnerError> {
        let measure = self.measure(experiment)?;
        let folder = self.out.join(&experiment.name).join("cells");
        fs::create_dir_all(&folder).map_err(|cause| RunnerError::File { path: folder.clone(), cause })?;
        let (jobs, left_out) = self.jobs(experiment, &folder)?;
        for (corpus, why) in &left_out {
            tell(Progress::LeftOut { corpus, why });
        }
        let done = jobs.iter().filter(|job| job.file.exists()).count();
        tell(Progress::Begin { experiment: &experiment.name, cells: jobs.len(), done });
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || -> Result<Vec<(usize, CellResult)>, RunnerError> {
            let mut found = Vec::new();
            while !has_failed.load(Ordering::Relaxed) && !self.stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(index) else { break };
                let cell = self.cell(experiment, measure, job);
                found.push((index, cell.inspect_err(|_| has_failed.store(true, Ordering::Relaxed))?));
                let (corpus, variant) = (&job.entry.name, &job.variant.name);
                tell(Progress::Cell { corpus, variant, random_seed: job.random_seed });
            }
            Ok(found)
        };
        let brought: Vec<Result<Vec<(usize, CellResult)>, RunnerError>> = thread::scope(|scope| {
            let others: Vec<_> =
                (1..self.jobs.clamp(1, jobs.len().max(1))).map(|_| scope.spawn(work)).collect();
            let own = work();
            let others =
                others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            others.chain([own]).collect()
        });
        let mut found: Vec<(usize, CellResult)> =
            brought.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        if self.stop.load(Ordering::Relaxed) {
            return Err(RunnerError::Interrupted);
        }
        found.sort_by_key(|(index, _)| *index);
        let cells = found.into_iter().map(|(_, cell)| cell).collect();
        let (experiment, build) = (experiment.clone(), self.build.to_owned());
        Ok(Run { experiment, scale: self.scale, random_seed: self.random_seed, build, cells, left_out })
    }

    fn measure(&self, experiment: &Experiment) -> Result<&dyn Measure, RunnerError> {
        let found = self.measures.iter().find(|measure| measure.name() == experiment.measure);
        found.copied().ok_or_else(|| RunnerError::Measure {
            experiment: experiment.name.clone(),
            measure: experiment.measure.clone(),
            known: self.measures.iter().map(|measure| measure.name()).collect::<Vec<_>>().join(", "),
        })
    }

    /// The cells to run, and the corpora that are skipped.
    #[expect(clippy::type_complexity, reason = "two lists")]
    fn jobs<'a>(
        &self,
        experiment: &'a Experiment,
        folder: &Path,
    ) -> Result<(Vec<Job<'a>>, Vec<(String, String)>), RunnerError> {
        let seeds = experiment.sizes(self.scale).random_seeds;
        if self.random_seed.checked_add(seeds).is_none() {
            return Err(RunnerError::RandomSeed { random_seed: self.random_seed });
        }
        let (mut jobs, mut left_out) = (Vec::new(), Vec::new());
        for entry in &experiment.corpora {
            let opened = match self.open(experiment, entry)? {
                Ok(opened) => opened,
                Err(why) => {
                    left_out.push((entry.name.clone(), why));
                    continue;
                }
            };
            // a recording is the same every time, but examples are drawn
            let draws = experiment.sizes(self.scale).draws;
            let runs = if matches!(opened, Opened::World) { seeds } else { draws };
            for variant in &experiment.variants {
                for random_seed in self.random_seed..self.random_seed + runs {
                    let file = folder.join(self.key(experiment, entry, variant, random_seed)?);
                    jobs.push(Job { entry, opened: opened.clone(), variant, random_seed, file });
                }
            }
        }
        Ok((jobs, left_out))
    }

    /// What the cells of a corpus share, or why the corpus is skipped.
    fn open(
        &self,
        experiment: &Experiment,
        entry: &CorpusEntry,
    ) -> Result<Result<Opened, String>, RunnerError> {
        if let Some(name) = &entry.recording {
            let recording = self.recording(experiment, name)?;
            return Ok(recording.map(|recording| Opened::Recording(Arc::new(recording))));
        }
        let Some(folder) = &entry.pictures else { return Ok(Ok(Opened::World)) };
        let Some(data) = self.data else {
            return Ok(Err("set OSPREY_DATA to the folder with the pictures".to_owned()));
        };
        if !data.join(folder).is_dir() {
            return Ok(Err(format!("{}: not found", data.join(folder).display())));
        }
        let wrong = |cause| RunnerError::Corpus { experiment: experiment.name.clone(), cause };
        let pictures =
            Pictures::open(&data.join(folder), experiment.sizes(self.scale).pages).map_err(wrong)?;
        Ok(Ok(Opened::Pictures(Arc::new(pictures))))
    }

    /// A recording, or why it is skipped.
    fn recording(
        &self,
        experiment: &Experiment,
        name: &str,
    ) -> Result<Result<Recording, String>, RunnerError> {
        let unknown = || RunnerError::Unknown { experiment: experiment.name.clone(), name: name.to_owned() };
        let file = self.registry.recording(name).ok_or_else(unknown)?;
        let Some(data) = self.data else {
            return Ok(Err("set OSPREY_DATA to the folder with the recordings".to_owned()));
        };
        if !data.join(&file.path).exists() {
            return Ok(Err(format!("{}: not found", data.join(&file.path).display())));
        }
        let wrong = |cause| RunnerError::Corpus { experiment: experiment.name.clone(), cause };
        open_recording(name, file, data).map(Ok).map_err(wrong)
    }

    /// The file of a cell. Its name hashes everything that affects the result.
    fn key(
        &self,
        experiment: &Experiment,
        entry: &CorpusEntry,
        variant: &Variant,
        random_seed: u64,
    ) -> Result<String, RunnerError> {
        let sizes = experiment.sizes(self.scale);
        let Experiment { measure, judge, words, .. } = experiment;
        let what = (measure, judge, words, experiment.wanted_of(entry), entry, variant, sizes);
        let recording = entry.recording.as_ref().and_then(|name| self.registry.recording(name));
        let files = recording.map(|file| self.data.map(|data| file.files(data)));
        let all = (what, recording, files, random_seed, self.scale, self.build);
        let text = serde_json::to_string(&all).map_err(|cause| RunnerError::Cell {
            experiment: experiment.name.clone(),
            cell: entry.name.clone(),
            cause: cause.into(),
        })?;
        let plain = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
        let (corpus, variant) = (plain(&entry.name), plain(&variant.name));
        Ok(format!("{corpus}.{variant}.{random_seed}.{:016x}.json", fingerprint(text.as_bytes())))
    }

    /// Runs a cell, or reads its stored result.
    fn cell(
        &self,
        experiment: &Experiment,
        measure: &dyn Measure,
        job: &Job<'_>,
    ) -> Result<CellResult, RunnerError> {
        let file = |cause| RunnerError::File { path: job.file.clone(), cause };
        if let Some(found) = read_result(&job.file) {
            return Ok(found);
        }
        let wrong = |cause| RunnerError::Corpus { experiment: experiment.name.clone(), cause };
        let pages = experiment.sizes(self.scale).pages;
        let corpus = match &job.opened {
            Opened::Recording(recording) => {
                Corpus::recorded(job.entry, Arc::clone(recording)).map_err(wrong)?
            }
            Opened::Pictures(pictures) => Corpus::pictures(job.entry, Arc::clone(pictures)).map_err(wrong)?,
            Opened::World => Corpus::simulated(job.entry, pages, job.random_seed)
                .map_err(wrong)?
                .ok_or_else(|| file(io::Error::other("a corpus that is neither a world nor a recording")))?,
        };
        let scratch = tempfile::Builder::new().prefix("osprey-lab-").tempdir().map_err(file)?;
        let cell = Cell {
            experiment,
            entry: job.entry,
            corpus: &corpus,
            variant: job.variant,
            random_seed: job.random_seed,
            scale: self.scale,
            scratch: scratch.path(),
            stop: self.stop,
        };
        let findings = measure.run(&cell).map_err(|cause| match self.stop.load(Ordering::Relaxed) {
            true => RunnerError::Interrupted,
            false => RunnerError::Cell {
                experiment: experiment.name.clone(),
                cell: format!("{}, {}, random seed {}", job.entry.name, job.variant.name, job.random_seed),
                cause,
            },
        })?;
        let found = CellResult {
            corpus: job.entry.name.clone(),
            simulated: corpus.is_simulated(),
            variant: job.variant.name.clone(),
            random_seed: job.random_seed,
            findings,
        };
        let text = serde_json::to_vec(&found).map_err(|cause| file(cause.into()))?;
        osprey_files::write_durably(&job.file, text).map_err(|error| file(error.source))?;
        // as it will be read again: numbers go through JSON
        Ok(read_result(&job.file).unwrap_or(found))
    }
}

/// The stored result; `None` if there is none or if it is incomplete.
fn read_result(path: &Path) -> Option<CellResult> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
