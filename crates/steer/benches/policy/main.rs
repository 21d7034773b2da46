//! What policies cost per page, beside the parse of the page, which is the measure: a policy may cost a tenth of it,
//! however many links wait.
//!
//! `real`: every policy on pages of recordings, found through `OSPREY_DATA`. `growth`: every policy on a made-up site,
//! after a thousand, thirty thousand and a million links were placed. What page workers do beside the parser (words,
//! what kind of page it is) and what a judge asks have lines of their own. The frontier's part is measured by its own
//! benches.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

mod clock;
mod growth;
mod real;
mod steered;

use criterion::{criterion_group, criterion_main};

criterion_group!(benches, real::policies, growth::policies);
criterion_main!(benches);
