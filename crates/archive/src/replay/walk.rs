//! All files under a folder, in a fixed order.
//!
//! What cannot be read or is not followed is noted and skipped: one folder without permission should not cost the
//! whole recording. Symbolic links to files are followed if they stay inside the folder; otherwise a mirror could
//! serve any file of this machine. Symbolic links to folders are not followed: they may form cycles, and folders
//! inside the mirror are found under their own names.

use std::fs::{DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::Noted;
use crate::error::{ArchiveError, Problem, ProblemKind};

/// Maximum depth of folders.
const MAX_DEPTH: usize = 64;
/// Maximum number of notes that are kept.
const MAX_NOTES: usize = 100;

/// The files under a folder.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Sorted by path.
    pub(super) files: Vec<PathBuf>,
    /// What was skipped, and why.
    pub(super) problems: Vec<Noted>,
}

impl Walk {
    fn note(&mut self, path: &Path, kind: ProblemKind) {
        if self.problems.len() < MAX_NOTES {
            self.problems.push(Noted { path: path.to_owned(), problem: Problem { offset: 0, kind } });
        }
    }
}

/// Lists the files under `root`, at most `max` of them.
pub(super) fn files_under(root: &Path, max: usize) -> Result<Walk, ArchiveError> {
    let inside = root.canonicalize().map_err(ArchiveError::at(root))?;
    let mut walk = Walk::default();
    let mut folders = vec![(root.to_owned(), 0)];
    'folders: while let Some((folder, depth)) = folders.pop() {
        let entries = match entries(&folder) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(ArchiveError::at(&folder)(error)),
            Err(error) => {
                walk.note(&folder, ProblemKind::Unreadable(error.to_string()));
                continue;
            }
        };
        let before = folders.len();
        for (path, kind) in entries {
            if kind.is_dir() {
                if depth < MAX_DEPTH {
                    folders.push((path, depth + 1));
                } else {
                    walk.note(&path, ProblemKind::Unreadable("too many folders inside folders".to_owned()));
                }
                continue;
            }
            if kind.is_symlink()
                && let Err(reason) = follow(&path, &inside)
            {
                walk.note(&path, ProblemKind::Unreadable(reason));
            } else if path.is_file() {
                if walk.files.len() >= max {
                    walk.note(root, ProblemKind::TooMany);
                    break 'folders;
                }
                walk.files.push(path);
            }
        }
        // The last one is taken next, so that what a limit cuts off does not depend on the disk's order.
        if let Some(added) = folders.get_mut(before..) {
            added.reverse();
        }
    }
    walk.files.sort();
    Ok(walk)
}

/// The entries of a folder, sorted by name.
fn entries(folder: &Path) -> io::Result<Vec<(PathBuf, FileType)>> {
    let entry = |entry: io::Result<DirEntry>| entry.and_then(|one| Ok((one.path(), one.file_type()?)));
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.map(entry).collect::<Result<_, _>>()?;
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(entries)
}

/// Whether a symbolic link is followed; the error says why not.
fn follow(link: &Path, inside: &Path) -> Result<(), String> {
    let target = link.canonicalize().map_err(|error| error.to_string())?;
    match (target.starts_with(inside), target.is_dir()) {
        (false, _) => Err("a link that leads out of the folder is not followed".to_owned()),
        (true, true) => Err("a link to a folder is not followed".to_owned()),
        (true, false) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn check(root: &Path, max: usize, files: &[&str], problems: &[&str]) {
        let walk = files_under(root, max).unwrap();
        let name = |path: &Path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let found: Vec<_> = walk.files.iter().map(|path| name(path)).collect();
        let noted: Vec<_> =
            walk.problems.iter().map(|one| format!("{}: {}", name(&one.path), one.problem.kind)).collect();
        assert_eq!((found, noted), (names(files), names(problems)));
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn links_stay_inside() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = dir.path();
        fs::write(outside.path().join("secret"), "x").unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/page"), "x").unwrap();
        symlink(root.join("sub/page"), root.join("again")).unwrap();
        symlink(outside.path().join("secret"), root.join("out")).unwrap();
        symlink("..", root.join("sub/up")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let walk = files_under(root, 10).unwrap();
        assert_eq!(walk.files, [root.join("again"), root.join("sub/page")]);
        let noted: Vec<_> = walk.problems.iter().map(|one| one.path.clone()).collect();
        assert_eq!(noted, [root.join("loop"), root.join("out"), root.join("sub/up")]);
    }

    #[test]
    fn a_limit_cuts_the_same_files_everywhere() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["c", "a", "d/2", "b/2", "b/1"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        check(dir.path(), 9, &["a", "b/1", "b/2", "c", "d/2"], &[]);
        check(dir.path(), 5, &["a", "b/1", "b/2", "c", "d/2"], &[]);
        let cut = ": more records than the limit; the rest was skipped";
        check(dir.path(), 3, &["a", "b/1", "c"], &[cut]);
    }

    #[test]
    fn folders_too_deep_are_noted() {
        let dir = tempfile::tempdir().unwrap();
        let deepest: PathBuf = std::iter::repeat_n("d", MAX_DEPTH + 1).collect();
        fs::create_dir_all(dir.path().join(&deepest)).unwrap();
        let expect = format!("{}: can't be read: too many folders inside folders", deepest.display());
        check(dir.path(), 9, &[], &[&expect]);
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_noted() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let closed = dir.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::write(dir.path().join("page"), "x").unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read_dir(&closed).is_ok() {
            eprintln!("left out: a_folder_that_cannot_be_read_is_noted (this user may read everything)");
            return;
        }
        check(dir.path(), 9, &["page"], &["closed: can't be read: Permission denied (os error 13)"]);
    }
}
