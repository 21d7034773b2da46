//! Analyses pictures, each once, on all cores.

use std::collections::BTreeSet;
use std::sync::Arc;

use osprey_archive::Position;
use osprey_crawl::{PictureRow, on_all_cores};
use osprey_index::{PictureKey, PictureOutcome};
use osprey_vision::Worker;

use super::writers::IndexWriters;
use crate::error::Result;

/// A picture that is there.
#[derive(Clone, Debug)]
pub(super) struct FoundPicture {
    /// As the page names it.
    pub(super) url: String,
    pub(super) key: PictureKey,
    /// Where its bytes are archived.
    pub(super) archived: Option<Position>,
}

impl FoundPicture {
    /// A picture that was fetched.
    pub(super) fn of(row: &PictureRow) -> Option<Self> {
        let key = PictureKey::of_digest(row.digest.as_deref()?)?;
        Some(Self { url: row.url.clone(), key, archived: row.archived })
    }
}

/// Analyses the pictures that were not analysed before; `bytes` returns one, or nothing if it is lost.
pub(super) fn look(
    found: &[FoundPicture],
    bytes: impl Fn(&FoundPicture) -> Option<Vec<u8>> + Sync,
    writers: &mut IndexWriters,
) -> Result<()> {
    let mut keys = BTreeSet::new();
    let fresh: Vec<&FoundPicture> =
        found.iter().filter(|found| !writers.gallery.has(found.key) && keys.insert(found.key)).collect();
    let codebook = Arc::clone(&writers.codebook);
    let worker = || Worker::new(Arc::clone(&codebook));
    let seen = on_all_cores(&fresh, worker, |worker, found| {
        let bytes = bytes(found)?;
        Some(match worker.words(&bytes) {
            Ok(words) => PictureOutcome::Words(Box::new(words)),
            Err(refusal) => PictureOutcome::Refused(refusal.to_string()),
        })
    });
    for (found, seen) in fresh.into_iter().zip(seen) {
        let Some(seen) = seen else {
            *writers.indexed.refused.entry("not in the archive".to_owned()).or_default() += 1;
            continue;
        };
        writers.indexed.looked_at += 1;
        if let PictureOutcome::Refused(why) = &seen {
            let kind = why.split(':').next().unwrap_or_default().to_owned();
            *writers.indexed.refused.entry(kind).or_default() += 1;
        }
        writers.gallery.put(found.key, &seen)?;
    }
    Ok(())
}
