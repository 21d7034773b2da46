//! Sites to serve: generated, given as tables, misbehaving, and failing now and then.

mod files;
mod flaky;
mod misbehave;
mod plain;

pub use files::Files;
pub use flaky::{Flaky, Rates};
pub use misbehave::{Channel, Expect, Misbehave, Misbehaviour, RobotsCase, RobotsExpect, Rogues};
pub use plain::{Hosts, Plain};

/// The next number of a random stream (splitmix64): every site depends on its random seed, never on the time.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
