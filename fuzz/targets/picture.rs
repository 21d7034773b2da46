//! Pictures: whatever the bytes, words or a named refusal, within bounded memory.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use osprey_vision::analysis::Settings;
use osprey_vision::{Codebook, Limits, Worker};

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::new({
        let limits = Limits { file_bytes: 1 << 20, side: 4096, memory_bytes: 16 << 20 };
        Worker::with(Codebook::embedded(), Settings::default(), limits)
    });
}

fuzz_target!(|data: &[u8]| {
    match WORKER.with_borrow_mut(|worker| worker.words(data)) {
        Ok(words) => {
            assert_eq!(words.size.0.max(words.size.1), 384, "the longest side is scaled");
            assert!(!words.colours.whole.is_empty(), "every picture has a colour");
        }
        Err(refusal) => assert!(!refusal.to_string().contains('\n'), "a refusal is one line"),
    }
});
