//! WARC and ARC files: reading ends, and never with a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_archive::RecordReader;

fuzz_target!(|data: &[u8]| {
    let mut reader = RecordReader::new(data);
    let mut records = 0;
    while let Ok(Some(record)) = reader.next_record() {
        let _ = (record.target(), record.id(), record.is_cut());
        records += 1;
        assert!(records <= data.len() + 1, "more records than bytes");
    }
});
