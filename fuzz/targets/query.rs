//! Queries: any text is a query or a refusal that points into it, and a printed query reads as itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use osprey_index::Query;

fuzz_target!(|text: &str| {
    match Query::parse(text) {
        Ok(query) => assert_eq!(Query::parse(&query.to_string()), Ok(query), "the printed form"),
        Err(error) => {
            assert!(text.is_char_boundary(error.position));
            assert!(!error.pointer(text).is_empty() && !error.to_string().is_empty());
        }
    }
});
