//! Heads and chunks of HTTP/1 answers: bounded, and the same however the bytes are cut into pieces.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_coding::Chunks;
use osprey_fetch::fuzzing::{head, head_in_pieces};

const MAX_LINES: usize = 100;

fuzz_target!(|data: &[u8]| {
    let Some((&first, data)) = data.split_first() else { return };
    let step = usize::from(first);
    let whole = head(data, MAX_LINES);
    for step in [1, step] {
        assert_eq!(head_in_pieces(data, step, MAX_LINES), whole, "a head in pieces of {step}");
    }
    if let Some(Ok(head)) = whole {
        assert!((100..1000).contains(&head.status) && head.headers.len() <= MAX_LINES);
        assert!(head.headers.iter().all(|(_, value)| !value.contains(['\r', '\n'])), "a line in a line");
    }
    for room in [data.len(), usize::from(first)] {
        let whole = chunks(data, data.len(), room);
        assert!(whole.0.len() <= room && whole.1 <= data.len());
        for step in [1, step] {
            assert_eq!(chunks(data, step, room), whole, "chunks in pieces of {step}");
        }
    }
});

/// Decodes chunks that come in pieces of `step` bytes, up to `room` bytes of body: the body, how many bytes of the
/// input were used, and whether that was the end.
fn chunks(input: &[u8], step: usize, room: usize) -> (Vec<u8>, usize, Result<bool, String>) {
    let mut chunks = Chunks::new();
    let (mut out, mut used) = (Vec::new(), 0);
    for piece in input.chunks(step.max(1)) {
        let left = room - out.len();
        match chunks.feed(piece, &mut out, left) {
            Ok(now) => {
                used += now;
                if now < piece.len() {
                    break;
                }
            }
            Err(words) => return (out, 0, Err(words)),
        }
    }
    (out, used, Ok(chunks.ended()))
}
