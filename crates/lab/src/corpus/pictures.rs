//! Pictures in folders, a folder a class: a corpus to search in, not to crawl.

use std::fs;
use std::path::{Path, PathBuf};

use super::CorpusError;
use crate::measure::Studies;

/// A picture file and the class that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Photo {
    /// The name of its folder.
    pub(crate) class: String,
    /// Its bytes.
    pub(crate) file: Vec<u8>,
}

/// A set of pictures, and what was found out about them so far.
#[derive(Debug, Default)]
pub struct Pictures {
    pub(crate) photos: Vec<Photo>,
    /// What several cells need.
    pub(crate) studies: Studies,
}

impl Pictures {
    /// Reads the files of a folder's folders, in the order of their names; evenly spread, so many of all of them.
    pub(crate) fn open(folder: &Path, most: u64) -> Result<Self, CorpusError> {
        let classes: Vec<PathBuf> = list(folder)?.into_iter().filter(|path| path.is_dir()).collect();
        let of_class = (most as usize).div_ceil(classes.len().max(1)).max(1);
        let mut photos = Vec::new();
        for folder in classes {
            let class = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let files = list(&folder)?;
            let wanted = of_class.min(files.len());
            for place in 0..wanted {
                let Some(path) = files.get(place * files.len() / wanted) else { continue };
                let file = fs::read(path).map_err(|cause| wrong(path, &cause))?;
                photos.push(Photo { class: class.clone(), file });
            }
        }
        Ok(Self { photos, studies: Studies::default() })
    }
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let entries = fs::read_dir(folder).map_err(|cause| wrong(folder, &cause))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(|cause| wrong(folder, &cause))?;
    paths.sort();
    Ok(paths)
}

fn wrong(path: &Path, cause: &std::io::Error) -> CorpusError {
    CorpusError::File { file: path.display().to_string(), problem: cause.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_spread_over_classes_and_files() {
        let folder = tempfile::tempdir().unwrap();
        for class in ["cats", "dogs"] {
            fs::create_dir(folder.path().join(class)).unwrap();
            for number in 0..6u8 {
                fs::write(folder.path().join(class).join(format!("{number}.jpg")), [number]).unwrap();
            }
        }
        fs::write(folder.path().join("SOURCE.txt"), "where from").unwrap();
        let check = |most: u64, expect: &[u8]| {
            let pictures = Pictures::open(folder.path(), most).unwrap();
            let cats = pictures.photos.iter().filter(|photo| photo.class == "cats");
            let cats: Vec<u8> = cats.map(|photo| photo.file[0]).collect();
            assert_eq!((cats.as_slice(), pictures.photos.len()), (expect, expect.len() * 2), "{most}");
        };
        check(6, &[0, 2, 4]);
        check(1000, &[0, 1, 2, 3, 4, 5]);
        let error = Pictures::open(&folder.path().join("birds"), 6).unwrap_err().to_string();
        assert!(error.contains("birds: No such file"), "{error}");
    }
}
