//! Runs the grid of an experiment: corpora x variants x random seeds, on all cores, cell by cell.
//!
//! What a cell found is stored under a key of everything that decides over it (the experiment's text, the build, the
//! scale, corpus, variant, random seed), so a run that was interrupted goes on where it was, and a change of any of
//! them measures anew. Cells share nothing but opened recordings; their order does not matter to what they find.

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

/// Why a run ended without findings.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The measure is not known.
    #[error("experiment `{experiment}`: no measure `{measure}`; there are {known}")]
    Measure {
        /// The experiment.
        experiment: String,
        /// As written.
        measure: String,
        /// Those that there are.
        known: String,
    },
    /// A corpus that cannot be used.
    #[error("experiment `{experiment}`: {cause}")]
    Corpus {
        /// The experiment.
        experiment: String,
        /// Why.
        cause: CorpusError,
    },
    /// A random seed that leaves no room for the ones counted up from it.
    #[error("random seed `{random_seed}` is too large: the other runs count up from it")]
    RandomSeed {
        /// The first random seed.
        random_seed: u64,
    },
    /// A recording that nobody describes.
    #[error("experiment `{experiment}`: no recording `{name}` is described in lab/corpora")]
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
    /// The user asked to stop; what is done is kept.
    #[error("interrupted; the same command goes on where it was")]
    Interrupted,
}

/// What a watcher is told.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// So many cells lie ahead, so many of them were found done.
    Begin {
        /// The experiment.
        experiment: &'a str,
        /// Cells in all.
        cells: usize,
        /// Cells that an earlier run has done.
        done: usize,
    },
    /// A corpus was left out, and why.
    LeftOut {
        /// The corpus.
        corpus: &'a str,
        /// Why.
        why: &'a str,
    },
    /// A cell was done.
    Cell {
        /// The corpus.
        corpus: &'a str,
        /// The variant.
        variant: &'a str,
        /// The random seed.
        random_seed: u64,
    },
}

/// What was found in the cell of a corpus, a variant and a random seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
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

/// All that a run of an experiment found.
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
    pub cells: Vec<Found>,
    /// Corpora that were left out, and why.
    pub left_out: Vec<(String, String)>,
}

/// Runs experiments.
pub struct Runner<'a> {
    /// What there is.
    pub registry: &'a ExperimentRegistry,
    /// Kinds of measurement.
    pub measures: &'a [&'a dyn Measure],
    /// How large.
    pub scale: Scale,
    /// The first random seed; the other runs count up from it.
    pub random_seed: u64,
    /// Where findings are kept.
    pub out: &'a Path,
    /// Where recordings are; those that need it are left out without.
    pub data: Option<&'a Path>,
    /// Cells at a time.
    pub jobs: usize,
    /// Names the build, for the record and for the keys.
    pub build: &'a str,
    /// Set when the user wants to stop.
    pub stop: &'a AtomicBool,
}

/// What cells share: a world is made anew for each.
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
    /// Runs an experiment, or what an earlier run has left of it.
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
        let work = || -> Result<Vec<(usize, Found)>, RunnerError> {
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
        let brought: Vec<Result<Vec<(usize, Found)>, RunnerError>> = thread::scope(|scope| {
            let others: Vec<_> =
                (1..self.jobs.clamp(1, jobs.len().max(1))).map(|_| scope.spawn(work)).collect();
            let own = work();
            let others =
                others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            others.chain([own]).collect()
        });
        let mut found: Vec<(usize, Found)> =
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

    /// The grid, and the corpora that cannot be had.
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
            // a recording is the same every time
            let runs = if matches!(opened, Opened::World) { seeds } else { 1 };
            for variant in &experiment.variants {
                for random_seed in self.random_seed..self.random_seed + runs {
                    let file = folder.join(self.key(experiment, entry, variant, random_seed)?);
                    jobs.push(Job { entry, opened: opened.clone(), variant, random_seed, file });
                }
            }
        }
        Ok((jobs, left_out))
    }

    /// What the cells of a corpus share, or why it is left out.
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
            return Ok(Err("OSPREY_DATA is not set: the folder with the pictures".to_owned()));
        };
        if !data.join(folder).is_dir() {
            return Ok(Err(format!("{}: not found", data.join(folder).display())));
        }
        let wrong = |cause| RunnerError::Corpus { experiment: experiment.name.clone(), cause };
        let pictures =
            Pictures::open(&data.join(folder), experiment.sizes(self.scale).pages).map_err(wrong)?;
        Ok(Ok(Opened::Pictures(Arc::new(pictures))))
    }

    /// A recording, or why it is left out.
    fn recording(
        &self,
        experiment: &Experiment,
        name: &str,
    ) -> Result<Result<Recording, String>, RunnerError> {
        let unknown = || RunnerError::Unknown { experiment: experiment.name.clone(), name: name.to_owned() };
        let file = self.registry.recording(name).ok_or_else(unknown)?;
        let Some(data) = self.data else {
            return Ok(Err("OSPREY_DATA is not set: the folder with the recordings".to_owned()));
        };
        if !data.join(&file.path).exists() {
            return Ok(Err(format!("{}: not found", data.join(&file.path).display())));
        }
        let wrong = |cause| RunnerError::Corpus { experiment: experiment.name.clone(), cause };
        open_recording(name, file, data).map(Ok).map_err(wrong)
    }

    /// The file of a cell: it names everything that decides over what is found.
    fn key(
        &self,
        experiment: &Experiment,
        entry: &CorpusEntry,
        variant: &Variant,
        random_seed: u64,
    ) -> Result<String, RunnerError> {
        let sizes = experiment.sizes(self.scale);
        let what =
            (&experiment.measure, &experiment.judge, experiment.wanted_of(entry), entry, variant, sizes);
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

    /// Runs a cell, or reads what it found before.
    fn cell(
        &self,
        experiment: &Experiment,
        measure: &dyn Measure,
        job: &Job<'_>,
    ) -> Result<Found, RunnerError> {
        let file = |cause| RunnerError::File { path: job.file.clone(), cause };
        if let Some(found) = read_found(&job.file) {
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
        let found = Found {
            corpus: job.entry.name.clone(),
            simulated: corpus.is_simulated(),
            variant: job.variant.name.clone(),
            random_seed: job.random_seed,
            findings,
        };
        let text = serde_json::to_vec(&found).map_err(|cause| file(cause.into()))?;
        osprey_files::write_durably(&job.file, text).map_err(|error| file(error.source))?;
        // as it will be read again: numbers go through JSON
        Ok(read_found(&job.file).unwrap_or(found))
    }
}

/// What is stored; `None` if there is nothing, or nothing whole.
fn read_found(path: &Path) -> Option<Found> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
