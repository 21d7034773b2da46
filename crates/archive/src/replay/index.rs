//! Finds the record that answers for a URL.
//!
//! If a URL has several captures, the first one that is an answer counts (anything but 304, 429 and 5xx, which a
//! server sends in place of one), otherwise the first. Files are read in the order of their names, so the choice does
//! not depend on chance. Responses to POST, HEAD and other methods are excluded, as their request records show. A
//! revisit is resolved here: by payload digest, otherwise by the URL that it refers to.

use osprey_model::{CanonicalUrl, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::store::Store;
use super::{Noted, ReplayOptions};
use crate::error::{ArchiveError, Problem, ProblemKind};
use crate::http;
use crate::read::{Record, RecordKind};

/// The part of a block that is read for the index: status line and header lines.
const HEAD: usize = 8 * 1024;

/// The position of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) store: u32,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// What answers for a URL.
#[derive(Clone, Debug)]
pub(super) enum Holding {
    /// A response or resource record.
    Record(Spot),
    /// A revisit record, and the record whose body it shares.
    Revisit(Spot, Spot),
    /// A file of a mirror, by number.
    File(u32),
    /// A redirect to the URL that has the content.
    Moved(CanonicalUrl),
}

/// A record that may answer for a URL. Record ids and digests are stored as hashes.
struct Candidate {
    url: CanonicalUrl,
    spot: Spot,
    revisit: Option<Revisit>,
    answers: bool,
    id: u64,
    concurrent: u64,
    digest: u64,
}

struct Revisit {
    refers_to: Option<CanonicalUrl>,
    refers_to_id: u64,
}

/// Builds the index.
#[derive(Default)]
pub(super) struct Builder {
    candidates: Vec<Candidate>,
    /// Ids of requests other than GET, and of the records they are concurrent to.
    not_get: FxHashSet<u64>,
    records: usize,
    /// The earliest date of a capture; generated answers get this date.
    pub(super) began: Option<Timestamp>,
    pub(super) problems: Vec<Noted>,
}

/// Maximum number of problems kept for all files together.
const MAX_PROBLEMS: usize = 1000;

fn hash(text: Option<&str>) -> u64 {
    text.map_or(0, |text| xxh3_64(text.trim().as_bytes()))
}

impl Builder {
    fn note(&mut self, store: &Store, offset: u64, kind: ProblemKind) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Noted { path: store.name.clone(), problem: Problem { offset, kind } });
        }
    }

    /// Reads all records of `store`. Returns `false`, and adds nothing, if one cannot be read by seeking.
    pub(super) fn scan(
        &mut self,
        store: &mut Store,
        number: u32,
        options: &ReplayOptions,
    ) -> Result<bool, ArchiveError> {
        let before = (self.candidates.len(), self.problems.len(), self.records);
        let mut reader = store.scan(HEAD);
        while let Some(record) = reader.next_record().map_err(ArchiveError::at(&store.name))? {
            if !record.seekable {
                self.candidates.truncate(before.0);
                self.problems.truncate(before.1);
                self.records = before.2;
                return Ok(false);
            }
            self.records += 1;
            if self.records > options.max_records {
                self.note(store, record.offset, ProblemKind::TooMany);
                break;
            }
            self.take(store, number, &record, options);
        }
        store.set_arc(reader.arc_version());
        for problem in reader.problems() {
            self.note(store, problem.offset, problem.kind.clone());
        }
        Ok(true)
    }

    fn take(&mut self, store: &Store, number: u32, record: &Record, options: &ReplayOptions) {
        match record.kind {
            RecordKind::Request => {
                let method = record.block.split(|byte| *byte == b' ').next().unwrap_or_default();
                if !method.eq_ignore_ascii_case(b"GET") {
                    self.not_get.insert(hash(record.id()));
                    self.not_get.insert(hash(record.headers.get("warc-concurrent-to")));
                }
            }
            RecordKind::Response | RecordKind::Revisit | RecordKind::Resource => {
                match candidate(number, record, options) {
                    Ok(candidate) => {
                        let (date, problem) = http::date(record);
                        self.began = Some(self.began.map_or(date, |began| began.min(date)));
                        if let Some(problem) = problem {
                            self.note(store, record.offset, problem);
                        }
                        self.candidates.push(candidate);
                    }
                    // Recorders store their logs and DNS answers as records with other schemes.
                    Err(ProblemKind::Target(target)) if !target.starts_with("http") => {}
                    Err(problem) => self.note(store, record.offset, problem),
                }
            }
            _ => {}
        }
    }

    /// Chooses one holding for each URL, in the order of first appearance.
    pub(super) fn finish(mut self, stores: &[Store]) -> (Vec<(CanonicalUrl, Holding)>, Vec<Noted>) {
        let not_get = std::mem::take(&mut self.not_get);
        let mut candidates = std::mem::take(&mut self.candidates);
        // Hash 0 means "no id" and excludes nothing.
        let excluded = |hash: u64| hash != 0 && not_get.contains(&hash);
        candidates.retain(|one| !excluded(one.id) && !excluded(one.concurrent));
        let originals = Originals::of(&candidates);
        let mut chosen: FxHashMap<CanonicalUrl, usize> = FxHashMap::default();
        let mut order: Vec<(CanonicalUrl, Holding, bool)> = Vec::new();
        for candidate in candidates {
            let holding = match &candidate.revisit {
                None => Holding::Record(candidate.spot),
                Some(revisit) => match originals.find(revisit, candidate.digest) {
                    Some(original) => Holding::Revisit(candidate.spot, original),
                    None => {
                        let kind =
                            ProblemKind::NoOriginal(candidate.url.as_str().chars().take(200).collect());
                        if let Some(store) = stores.get(candidate.spot.store as usize) {
                            self.note(store, candidate.spot.offset, kind);
                        }
                        continue;
                    }
                },
            };
            match chosen.get(&candidate.url).and_then(|at| order.get_mut(*at)) {
                Some((_, kept, answers)) => {
                    if candidate.answers && !*answers {
                        (*kept, *answers) = (holding, true);
                    }
                }
                None => {
                    chosen.insert(candidate.url.clone(), order.len());
                    order.push((candidate.url, holding, candidate.answers));
                }
            }
        }
        (order.into_iter().map(|(url, holding, _)| (url, holding)).collect(), self.problems)
    }
}

fn candidate(store: u32, record: &Record, options: &ReplayOptions) -> Result<Candidate, ProblemKind> {
    let url = http::target(record, &options.url_rules)?;
    let status = http::parse_status(&record.block).map(|(status, _)| status);
    let is_revisit = record.kind == RecordKind::Revisit;
    if record.kind == RecordKind::Response && status.is_none() {
        return Err(ProblemKind::NoHttp);
    }
    let answers = !matches!(status, Some(304 | 429 | 500..)) || is_revisit;
    let refers_to = || {
        let uri = record.headers.get("warc-refers-to-target-uri")?;
        CanonicalUrl::parse(uri.trim_matches(['<', '>']), &options.url_rules).ok()
    };
    let refers_to_id = hash(record.headers.get("warc-refers-to"));
    Ok(Candidate {
        revisit: is_revisit.then(|| Revisit { refers_to: refers_to(), refers_to_id }),
        spot: Spot { store, offset: record.offset, length: record.length },
        answers,
        id: hash(record.id()),
        concurrent: hash(record.headers.get("warc-concurrent-to")),
        digest: hash(record.headers.get("warc-payload-digest")),
        url,
    })
}

/// Records with bodies, by the ways in which revisits refer to them.
struct Originals {
    by_digest: FxHashMap<u64, Spot>,
    by_id: FxHashMap<u64, Spot>,
    by_url: FxHashMap<CanonicalUrl, Spot>,
}

impl Originals {
    /// Empty if there are no revisits, which alone would use it.
    fn of(candidates: &[Candidate]) -> Self {
        let mut originals = Self {
            by_digest: FxHashMap::default(),
            by_id: FxHashMap::default(),
            by_url: FxHashMap::default(),
        };
        if candidates.iter().all(|candidate| candidate.revisit.is_none()) {
            return originals;
        }
        for candidate in candidates.iter().filter(|candidate| candidate.revisit.is_none()) {
            originals.by_digest.entry(candidate.digest).or_insert(candidate.spot);
            originals.by_id.entry(candidate.id).or_insert(candidate.spot);
            originals.by_url.entry(candidate.url.clone()).or_insert(candidate.spot);
        }
        originals
    }

    fn find(&self, revisit: &Revisit, digest: u64) -> Option<Spot> {
        let known =
            |hash: u64, map: &FxHashMap<u64, Spot>| (hash != 0).then(|| map.get(&hash).copied()).flatten();
        known(digest, &self.by_digest)
            .or_else(|| known(revisit.refers_to_id, &self.by_id))
            .or_else(|| revisit.refers_to.as_ref().and_then(|url| self.by_url.get(url).copied()))
    }
}
