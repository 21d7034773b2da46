//! The registry of experiments and recordings: the built-in ones, and those of a folder that the user names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::corpus::RecordingFile;
use crate::{Experiment, ExperimentError};

include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// Why an experiment or recording cannot be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// An invalid experiment file.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// An invalid file of a recording.
    #[error("{name}.toml: {problem}")]
    Recording {
        /// The file.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// An unreadable folder.
    #[error("{}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// An unknown experiment.
    #[error("unknown experiment `{name}`{hint}; `osprey lab list` lists all of them")]
    Unknown {
        /// The name as given.
        name: String,
        /// A suggestion, if a name is close.
        hint: String,
    },
}

/// All experiments and recordings that can be run.
#[derive(Clone, Debug)]
pub struct ExperimentRegistry {
    experiments: BTreeMap<String, Experiment>,
    recordings: BTreeMap<String, RecordingFile>,
}

impl ExperimentRegistry {
    /// The experiments and recordings that are built into the program.
    pub fn shipped() -> Result<Self, RegistryError> {
        let mut registry = Self { experiments: BTreeMap::new(), recordings: BTreeMap::new() };
        for (name, text) in CORPORA {
            registry.add_recording(name, text)?;
        }
        for (name, text) in EXPERIMENTS {
            registry.add_experiment(name, text)?;
        }
        Ok(registry)
    }

    /// Adds the files of the folders `experiments` and `corpora` in a folder, or, if it has no `experiments`, the
    /// experiments in the folder itself. A file replaces one of the same name.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), RegistryError> {
        let (experiments, corpora) = (folder.join("experiments"), folder.join("corpora"));
        if corpora.is_dir() {
            each_file(&corpora, |name, text| self.add_recording(name, text))?;
        }
        let experiments = if experiments.is_dir() { experiments } else { folder.to_owned() };
        each_file(&experiments, |name, text| self.add_experiment(name, text))
    }

    fn add_experiment(&mut self, name: &str, text: &str) -> Result<(), RegistryError> {
        self.experiments.insert(name.to_owned(), Experiment::parse(name, text)?);
        Ok(())
    }

    fn add_recording(&mut self, name: &str, text: &str) -> Result<(), RegistryError> {
        let wrong = |error: toml::de::Error| RegistryError::Recording {
            name: name.to_owned(),
            problem: error.to_string().trim_end().to_owned(),
        };
        self.recordings.insert(name.to_owned(), toml::from_str(text).map_err(wrong)?);
        Ok(())
    }

    /// All experiments, by name.
    pub fn experiments(&self) -> impl Iterator<Item = &Experiment> {
        self.experiments.values()
    }

    /// The experiment of that name.
    pub fn experiment(&self, name: &str) -> Result<&Experiment, RegistryError> {
        self.experiments.get(name).ok_or_else(|| {
            let near = |other: &&String| strsim::damerau_levenshtein(name, other);
            let nearest = self.experiments.keys().min_by_key(near).filter(|other| near(other) <= 4);
            let hint = nearest.map(|other| format!("; did you mean `{other}`?")).unwrap_or_default();
            RegistryError::Unknown { name: name.to_owned(), hint }
        })
    }

    pub(crate) fn recording(&self, name: &str) -> Option<&RecordingFile> {
        self.recordings.get(name)
    }
}

fn each_file(
    folder: &Path,
    mut each: impl FnMut(&str, &str) -> Result<(), RegistryError>,
) -> Result<(), RegistryError> {
    let wrong = |cause| RegistryError::Folder { path: folder.to_owned(), cause };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        paths.push(entry.map_err(wrong)?.path());
    }
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "toml")) {
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        each(name, &fs::read_to_string(path).map_err(wrong)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClaimBy;

    #[test]
    fn what_ships_can_be_read_and_names_recordings_that_ship() {
        let registry = ExperimentRegistry::shipped().unwrap();
        assert!(registry.experiments().count() > 0);
        for experiment in registry.experiments() {
            for name in experiment.corpora.iter().filter_map(|corpus| corpus.recording.as_ref()) {
                assert!(registry.recording(name).is_some(), "{}: {name}", experiment.name);
            }
        }
    }

    /// A report that repeats a figure and does not say what the paper found could only flatter.
    #[test]
    fn what_repeats_a_paper_has_its_findings() {
        for experiment in ExperimentRegistry::shipped().unwrap().experiments() {
            let repeats = !experiment.repeats.is_empty() && !experiment.repeats.starts_with("none");
            let of_paper = experiment.expectations.iter().filter(|claim| claim.by == ClaimBy::Paper);
            assert!(!repeats || of_paper.count() > 0, "{}", experiment.name);
        }
    }

    #[test]
    fn a_folder_adds_experiments_and_a_wrong_name_gets_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let text = "about = \"Mine.\"\n[[corpus]]\nworld = \"forum\"\n";
        fs::write(folder.path().join("mine.toml"), text).unwrap();
        let mut registry = ExperimentRegistry::shipped().unwrap();
        registry.add_folder(folder.path()).unwrap();
        assert_eq!(registry.experiment("mine").unwrap().headline(), "Mine");
        let error = registry.experiment("mone").unwrap_err().to_string();
        assert!(error.contains("did you mean `mine`?"), "{error}");
    }
}
