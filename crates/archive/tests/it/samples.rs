//! WARC and ARC files of other tools, some of them broken: the number of records of each type, and the problems.
//! `OSPREY_DATA` names their folder.

#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed check")]

use std::fs::File;
use std::path::{Path, PathBuf};

use osprey_archive::{RecordKind, RecordReader};

/// File, records, responses among them, problems, and why there are any.
type Case = (&'static str, usize, usize, u64, &'static str);

const STORM: &str = "stormcrawler/external/warc/src/test/resources";
const BUBING: &str = "bubing/data/it/unimi/di/law/warc/io";

const CASES: [Case; 24] = [
    (
        "warcio/bad.arc",
        4,
        3,
        5,
        "lengths `-1` and `abc`, and the lines behind the first; one length too short",
    ),
    ("warcio/example-bad-non-chunked.warc.gz", 6, 1, 0, "one gzip member holds all records"),
    ("warcio/example-bad.warc.gz.bad", 6, 2, 0, "one gzip member, not one per record"),
    ("warcio/example-digest.warc", 4, 0, 0, ""),
    ("warcio/example-iana.org-chunked.warc", 3, 1, 0, ""),
    ("warcio/example-resource.warc.gz", 3, 0, 0, ""),
    ("warcio/example-space-in-target-uri.warc.gz", 2, 0, 0, ""),
    ("warcio/example-space-in-url.arc", 2, 1, 1, "the declared length is 12 bytes more than there are"),
    ("warcio/example-trunc.warc", 4, 1, 2, "a length that is 2 bytes short, and those bytes"),
    ("warcio/example-wget-bad-target-uri.warc.gz", 6, 1, 0, ""),
    ("warcio/example-wrong-chunks.warc.gz", 2, 1, 0, "records go on over gzip members"),
    ("warcio/example.arc", 2, 1, 0, ""),
    ("warcio/example.arc.gz", 2, 1, 0, ""),
    ("warcio/example.warc", 6, 1, 0, ""),
    ("warcio/example.warc.gz", 6, 1, 0, ""),
    ("warcio/post-test.warc.gz", 6, 3, 0, ""),
    ("jwarc/cc.warc.gz", 1, 1, 0, ""),
    ("jwarc/gzip_extra_sl.warc.gz", 1, 0, 0, "the gzip header has an extra field"),
    ("{STORM}/test.warc.gz", 42, 18, 0, ""),
    ("{STORM}/unparsable-date.warc.gz", 3, 1, 0, "dates are not the reader's business"),
    ("{BUBING}/misc.warc", 7, 3, 0, ""),
    ("{BUBING}/request.warc", 1, 0, 0, ""),
    ("{BUBING}/response.warc", 1, 1, 0, ""),
    ("{BUBING}/warcinfo.warc", 1, 0, 0, ""),
];

fn samples() -> Option<PathBuf> {
    let root = std::env::var_os("OSPREY_DATA").map(PathBuf::from);
    root.map(|root| root.join("conformance/warc-samples")).filter(|folder| folder.is_dir())
}

fn read(path: &Path) -> (usize, usize, u64, Vec<String>) {
    let mut reader = RecordReader::new(File::open(path).unwrap());
    let (mut records, mut responses) = (0, 0);
    while let Some(record) = reader.next_record().unwrap() {
        records += 1;
        responses += usize::from(record.kind == RecordKind::Response);
    }
    let problems = reader.problems().iter().map(ToString::to_string).collect();
    (records, responses, reader.problem_count(), problems)
}

#[test]
fn samples_of_other_tools() {
    let Some(folder) = samples() else {
        eprintln!("left out: samples of other tools (OSPREY_DATA is not set)");
        return;
    };
    let mut failed = Vec::new();
    for (file, records, responses, problems, why) in CASES {
        let file = file.replace("{STORM}", STORM).replace("{BUBING}", BUBING);
        let (found, found_responses, noted, notes) = read(&folder.join(&file));
        if (found, found_responses, noted) != (records, responses, problems) {
            failed.push(format!("{file}: {found} records, {found_responses} responses, {notes:?} ({why})"));
        }
    }
    eprintln!("warc-samples: passed {} of {}", CASES.len() - failed.len(), CASES.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
