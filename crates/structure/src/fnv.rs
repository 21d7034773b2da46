//! FNV-1a: short names to numbers that are the same in every run and on every machine, a byte or a character at a time.

/// What an empty text hashes to.
pub(crate) const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a byte.
pub(crate) fn byte(hash: u64, byte: u8) -> u64 {
    unit(hash, u64::from(byte))
}

/// Adds a character as one unit.
pub(crate) fn character(hash: u64, character: char) -> u64 {
    unit(hash, u64::from(character))
}

fn unit(hash: u64, unit: u64) -> u64 {
    (hash ^ unit).wrapping_mul(0x0100_0000_01b3)
}
