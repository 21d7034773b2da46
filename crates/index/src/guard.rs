//! Reading an index whose bytes may be damaged.
//!
//! The store trusts its files: on damaged ones it returns various errors, or panics. Here both become one error that
//! says that the index is damaged. The message of such a panic would not help anybody and is not printed; other
//! panics are printed as usual. Checksums would find damage in advance, but reading a large index completely for each
//! search is too expensive: this is done for small ones when they are opened, and by `osprey check`.

use std::cell::Cell;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use crate::error::{IndexError, Stale};

thread_local! {
    /// Whether this thread is reading an index.
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// Reads from the index in the folder `path`; damage becomes an error.
pub(crate) fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, IndexError>) -> Result<T, IndexError> {
    quieten();
    let before = READS.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    READS.set(before);
    let damaged = |what: String| IndexError::Rebuild { path: path.to_owned(), why: Stale::Damaged(what) };
    match result {
        Ok(result) => result.map_err(|error| match error {
            IndexError::Stopped { why, .. } => damaged(why),
            IndexError::Store { cause, .. } => damaged(cause.to_string()),
            IndexError::Io { cause, .. }
                if matches!(
                    cause.kind(),
                    ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::InvalidInput
                ) =>
            {
                damaged(cause.to_string())
            }
            other => other,
        }),
        Err(_) => Err(damaged("its files cannot be read".to_owned())),
    }
}

/// Suppresses the messages of panics in threads that are reading an index.
fn quieten() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !READS.get() {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_wants_a_rebuild() {
        let path = Path::new("p/data/index");
        let error = guarded(path, || -> Result<(), _> { panic!("on purpose") }).unwrap_err();
        assert!(error.wants_rebuild(), "{error}");
        assert!(!READS.get());
        let missing = guarded(path, || -> Result<(), _> { Err(IndexError::NotIndexed("x".to_owned())) });
        assert!(matches!(missing, Err(IndexError::NotIndexed(_))), "{missing:?}");
        assert_eq!(guarded(path, || Ok(7)).unwrap(), 7);
    }
}
