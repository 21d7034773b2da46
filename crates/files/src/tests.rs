//! Each step of a write fails once: the old file stays, nothing else is left.

use super::*;

/// Which step fails.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fails {
    Create,
    /// After so many bytes.
    Write(usize),
    Flush,
    Sync,
    Rename,
    Folder,
}

struct FullDisk(Fails);

struct FullFile {
    file: fs::File,
    fails: Fails,
    written: usize,
}

fn full() -> io::Error {
    ErrorKind::StorageFull.into()
}

impl FullDisk {
    fn step(&self, step: Fails) -> io::Result<()> {
        if self.0 == step { Err(full()) } else { Ok(()) }
    }
}

impl Write for FullFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = match self.fails {
            Fails::Write(limit) => limit - self.written,
            _ => usize::MAX,
        };
        if room == 0 {
            return Err(full());
        }
        let written = self.file.write(&bytes[..bytes.len().min(room)])?;
        self.written += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.fails == Fails::Flush { Err(full()) } else { self.file.flush() }
    }
}

impl Steps for FullDisk {
    type File = FullFile;

    fn create(&self, path: &Path) -> io::Result<FullFile> {
        self.step(Fails::Create)?;
        Ok(FullFile { file: fs::File::create(path)?, fails: self.0, written: 0 })
    }

    fn sync(&self, _: &FullFile) -> io::Result<()> {
        self.step(Fails::Sync)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(Fails::Rename)?;
        fs::rename(from, to)
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.step(Fails::Folder)
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    // shorter and longer than the buffer
    for length in [100, 100_000] {
        let new = vec![b'n'; length];
        for fails in [
            Fails::Create,
            Fails::Write(0),
            Fails::Write(1),
            Fails::Write(length - 1),
            Fails::Flush,
            Fails::Sync,
            Fails::Rename,
        ] {
            for old in [Some("old"), None] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("osprey.toml");
                if let Some(old) = old {
                    fs::write(&path, old).unwrap();
                }
                let error = write(&FullDisk(fails), &path, &mut |file| file.write_all(&new))
                    .expect_err(&format!("{fails:?} at {length}"));
                assert_eq!(fs::read_to_string(&path).ok().as_deref(), old, "{fails:?} at {length}");
                assert_eq!(names(folder.path()).len(), usize::from(old.is_some()), "{fails:?} at {length}");
                let text = error.to_string();
                assert!(
                    text.starts_with(&path.display().to_string()) && text.contains("make room"),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn the_bytes_of_the_buffer_are_not_forgotten() {
    // nothing reaches the disk before the end, and there the error must show
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "old").unwrap();
    let error = write(&FullDisk(Fails::Write(0)), &path, &mut |file| file.write_all(b"new")).unwrap_err();
    assert_eq!((error.step, error.source.kind()), ("write", ErrorKind::StorageFull));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

#[test]
fn a_folder_that_cannot_be_synced_has_the_new_file_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "old").unwrap();
    write(&FullDisk(Fails::Folder), &path, &mut |file| file.write_all(b"new")).unwrap_err();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(names(folder.path()), ["a"]);
}

#[test]
fn files_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    write_durably(&path, "one").unwrap();
    write_atomically(&path, "two").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    let length: Result<usize, WriteError> = write_durably_with(&path, |file| {
        let _ = file.write_all(b"three");
        Ok(5)
    });
    assert_eq!(length.unwrap(), 5);
    assert_eq!(fs::read_to_string(&path).unwrap(), "three");
    assert_eq!(names(folder.path()), ["a"]);
}

#[test]
fn the_error_of_the_closure_comes_back_as_it_is() {
    #[derive(Debug, PartialEq)]
    struct Mine(&'static str);
    impl From<WriteError> for Mine {
        fn from(_: WriteError) -> Self {
            Mine("disk")
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let result: Result<(), Mine> = write_durably_with(&path, |file| {
        let _ = file.write_all(b"half");
        Err(Mine("row 7"))
    });
    assert_eq!(result, Err(Mine("row 7")));
    assert!(names(folder.path()).is_empty());
    let result: Result<(), Mine> = write_durably_with(&folder.path().join("no/a"), |_| Ok(()));
    assert_eq!(result, Err(Mine("disk")));
}

#[test]
fn a_panic_leaves_no_half_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let result =
        std::panic::catch_unwind(|| write_durably_with::<(), WriteError>(&path, |_| panic!("on purpose")));
    assert!(result.is_err());
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_folder_is_copied_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    fs::create_dir_all(from.join("inner")).unwrap();
    fs::write(from.join("a"), "a").unwrap();
    copy_folder_durably(&from, &to).unwrap();
    assert_eq!(names(&to), ["a"]);
    // not over one that has something in it
    fs::write(from.join("b"), "b").unwrap();
    copy_folder_durably(&from, &to).unwrap_err();
    copy_folder_durably(&folder.path().join("missing"), &folder.path().join("other")).unwrap_err();
    assert_eq!(names(&to), ["a"]);
    assert_eq!(names(folder.path()), ["from", "to"]);
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a"), folder.path().join("link"));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a", &link).unwrap();
    write_durably(&link, "new").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    fs::remove_file(&path).unwrap();
    write_durably(&link, "new").unwrap_err();
    assert_eq!(names(folder.path()), ["link"]);
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_in_place() {
    write_durably(Path::new("/dev/null"), "x").unwrap();
    let error = write_durably(Path::new("/dev/full"), "x").unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::StorageFull);
    for device in ["/dev/null", "/dev/full"] {
        assert!(!fs::metadata(device).unwrap().is_file(), "{device}");
    }
}
