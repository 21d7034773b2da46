//! Indexes that are not ours, not of this version, or not whole.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::Arc;

use osprey_index::{Document, Index, IndexError, Stale, WriterOptions};
use osprey_vision::Codebook;

fn made(path: &Path) {
    let index = Index::open(path, Codebook::embedded()).unwrap();
    let mut writer = index.writer(&WriterOptions { threads: 1, ..WriterOptions::default() }).unwrap();
    writer.put(&Document { url: "http://a.example/".to_owned(), ..Document::default() }).unwrap();
    writer.commit(None).unwrap();
}

/// Changes an index, and says why it is refused then.
fn refused(change: impl FnOnce(&Path)) -> Stale {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path());
    change(folder.path());
    let error = Index::open(folder.path(), Codebook::embedded()).unwrap_err();
    assert!(error.wants_rebuild() && error.to_string().ends_with("; rebuild it"), "{error}");
    let IndexError::Rebuild { why, .. } = error else { panic!("{error}") };
    // making it anew is what helps
    let anew = Index::create(folder.path(), Codebook::embedded()).unwrap();
    assert!(anew.searcher().unwrap().is_empty());
    assert!(Index::open(folder.path(), Codebook::embedded()).is_ok());
    why
}

#[test]
fn another_version_wants_a_rebuild() {
    let about = r#"{"osprey_index":99,"codebook":"0000000000000000"}"#;
    let why = refused(|path| std::fs::write(path.join("osprey-index.json"), about).unwrap());
    assert_eq!(why, Stale::Version { found: 99, expected: 2 });
    assert_eq!(why.to_string(), "index of version `99`, expected `2`");
}

#[test]
fn another_codebook_wants_a_rebuild() {
    let about = r#"{"osprey_index":2,"codebook":"00000000000000ff"}"#;
    let why = refused(|path| std::fs::write(path.join("osprey-index.json"), about).unwrap());
    assert_eq!(why, Stale::Codebook { found: 255, expected: Codebook::embedded().id() });
    let folder = tempfile::tempdir().unwrap();
    made(folder.path());
    let other = Arc::new(Codebook::default());
    assert!(Index::open(folder.path(), other).unwrap_err().wants_rebuild());
}

#[test]
fn damage_wants_a_rebuild() {
    let is_damaged = |why: Stale| assert!(matches!(why, Stale::Damaged(_)), "{why}");
    is_damaged(refused(|path| std::fs::write(path.join("osprey-index.json"), "{").unwrap()));
    is_damaged(refused(|path| std::fs::remove_file(path.join("osprey-index.json")).unwrap()));
    is_damaged(refused(|path| std::fs::write(path.join("meta.json"), "nonsense").unwrap()));
}

#[test]
fn what_was_committed_is_there_again() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path());
    let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
    assert_eq!(index.searcher().unwrap().len(), 1);
    assert_eq!(index.checkpoint().unwrap(), None);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = Index::open(&file.path().join("index"), Codebook::embedded()).unwrap_err();
    assert!(!error.wants_rebuild(), "{error}");
    assert!(error.to_string().starts_with(&file.path().display().to_string()), "{error}");
}
