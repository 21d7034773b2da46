//! Indexes that are foreign, of another version, or incomplete.

use std::path::Path;
use std::sync::Arc;

use osprey_index::{
    Document, Index, IndexError, Query, Rebuild, Request, Searcher, Stale, WriterOptions, settle, standing,
};
use osprey_vision::Codebook;

fn made(path: &Path) {
    let index = Index::open(path, Codebook::embedded()).unwrap();
    let mut writer = index.writer(&WriterOptions { threads: 1, ..WriterOptions::default() }).unwrap();
    writer.put(&Document { url: "http://a.example/".to_owned(), ..Document::default() }).unwrap();
    writer.commit(None).unwrap();
}

/// Changes an index and returns why it cannot be opened.
fn refused(change: impl FnOnce(&Path)) -> Stale {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path());
    change(folder.path());
    let error = Index::open(folder.path(), Codebook::embedded()).unwrap_err();
    assert!(
        error.wants_rebuild() && error.to_string().ends_with("; rebuild it with `osprey index --rebuild`"),
        "{error}"
    );
    let IndexError::Rebuild { why, .. } = error else { panic!("{error}") };
    // creating it again is the remedy
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

fn tulips(searcher: &Searcher) -> u64 {
    let request = Request { query: Query::parse("tulip").unwrap(), ..Request::default() };
    searcher.search(&request).unwrap().total
}

/// Commits and merges in one thread, opens and searches in another, as two processes would.
#[test]
fn an_index_is_searched_while_it_is_written() {
    const COMMITS: u64 = 40;
    const DOCUMENTS: u64 = 4;
    let folder = tempfile::tempdir().unwrap();
    made(folder.path());
    let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
    let old = index.searcher().unwrap();
    let write = || {
        let mut writer = index.writer(&WriterOptions::default()).unwrap();
        for number in 0..COMMITS * DOCUMENTS {
            let (url, title) = (format!("http://a.example/{number}"), "tulip".to_owned());
            writer.put(&Document { url, title, ..Document::default() }).unwrap();
            if number % DOCUMENTS == DOCUMENTS - 1 {
                writer.commit(None).unwrap();
            }
        }
        writer.finish().unwrap();
    };
    std::thread::scope(|scope| {
        let writing = scope.spawn(write);
        let mut last = 0;
        loop {
            let is_over = writing.is_finished();
            let searcher =
                Index::open(folder.path(), Codebook::embedded()).and_then(|index| index.searcher()).unwrap();
            let found = tulips(&searcher);
            assert!(found.is_multiple_of(DOCUMENTS) && found >= last, "{found} after {last}");
            assert_eq!(searcher.len(), found + 1);
            last = found;
            if is_over {
                break;
            }
        }
        assert_eq!(last, COMMITS * DOCUMENTS);
    });
    // a searcher opened before does not change
    assert_eq!((old.len(), tulips(&old)), (1, 0));
}

#[test]
fn an_index_that_is_written_is_not_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path());
    let index = Index::open(folder.path(), Codebook::embedded()).unwrap();
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    let error = Index::create(folder.path(), Codebook::embedded()).unwrap_err();
    assert!(matches!(error, IndexError::Locked { .. }), "{error}");
    writer.put(&Document { url: "http://a.example/2".to_owned(), ..Document::default() }).unwrap();
    writer.commit(None).unwrap();
    assert_eq!(index.searcher().unwrap().len(), 2);
    drop(writer);
    Index::create(folder.path(), Codebook::embedded()).unwrap();
}

/// Puts documents into an index that is being rebuilt.
fn fill(rebuild: &Rebuild, documents: usize) {
    let options = WriterOptions { threads: 1, ..WriterOptions::default() };
    let mut writer = rebuild.index().writer(&options).unwrap();
    for n in 0..documents {
        writer.put(&Document { url: format!("http://a.example/{n}"), ..Document::default() }).unwrap();
    }
    writer.commit(None).unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_rebuild_takes_the_place_of_the_old_index_when_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let (path, new) = (folder.path().join("index"), folder.path().join("index.new"));
    let documents = || Index::open(&standing(&path), Codebook::embedded()).unwrap().searcher().unwrap().len();
    made(&path);
    let old = Index::open(&path, Codebook::embedded()).unwrap().searcher().unwrap();

    // an unfinished one changes nothing, and the old index cannot be written meanwhile
    let rebuild = Rebuild::begin(&path, Codebook::embedded()).unwrap();
    fill(&rebuild, 3);
    assert_eq!(documents(), 1);
    let writer = Index::open(&path, Codebook::embedded()).unwrap().writer(&WriterOptions::default());
    assert!(matches!(writer, Err(IndexError::Locked { .. })), "{writer:?}");
    assert!(matches!(Rebuild::begin(&path, Codebook::embedded()), Err(IndexError::Locked { .. })));
    drop(rebuild);
    assert_eq!((documents(), new.exists()), (1, true));
    settle(&path).unwrap();
    assert_eq!((documents(), new.exists()), (1, false));

    let rebuild = Rebuild::begin(&path, Codebook::embedded()).unwrap();
    fill(&rebuild, 3);
    rebuild.finish().unwrap();
    assert_eq!((documents(), old.len()), (3, 1));

    // killed between its two renames
    std::fs::rename(&path, folder.path().join("index.old")).unwrap();
    assert_eq!(documents(), 3);
    settle(&path).unwrap();
    assert_eq!((documents(), path.exists()), (3, true));
    assert!(!folder.path().join("index.old").exists());

    // without an old index
    let first = folder.path().join("first");
    let rebuild = Rebuild::begin(&first, Codebook::embedded()).unwrap();
    fill(&rebuild, 2);
    rebuild.finish().unwrap();
    assert_eq!(Index::open(&first, Codebook::embedded()).unwrap().searcher().unwrap().len(), 2);
}

#[test]
fn a_flipped_byte_is_seen_when_an_index_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path());
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut flipped = 0;
    for file in files {
        let kinds = ["idx", "term", "store", "fast", "fieldnorm", "pos"];
        if !file.extension().is_some_and(|kind| kinds.iter().any(|known| kind == *known)) {
            continue;
        }
        let kept = std::fs::read(&file).unwrap();
        let mut bytes = kept.clone();
        bytes[0] ^= 0x55;
        std::fs::write(&file, bytes).unwrap();
        let error = Index::open(folder.path(), Codebook::embedded()).unwrap_err();
        assert!(error.wants_rebuild(), "{}: {error}", file.display());
        std::fs::write(&file, kept).unwrap();
        flipped += 1;
    }
    assert!(flipped >= 5, "{flipped}");
    assert!(Index::open(folder.path(), Codebook::embedded()).unwrap().damaged_files().unwrap().is_empty());
}
