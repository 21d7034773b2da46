//! Codes like `dQw4w9WgXc`: ten characters that hide the number behind them.

use crate::{Dice, Permutation};

const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LENGTH: usize = 10;

/// Numbers to codes and back, for classes of things.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codes(Dice);

impl Codes {
    pub(super) fn new(dice: Dice) -> Self {
        Self(dice)
    }

    fn shuffle(self, class: &str) -> Permutation {
        Permutation::new(1 << (6 * LENGTH), self.0.of(class))
    }

    /// The code of a number.
    pub(super) fn code(self, class: &str, number: u64) -> String {
        let hidden = self.shuffle(class).at(number);
        let sign = |place: usize| SIGNS.get((hidden >> (6 * place)) as usize & 63).copied().unwrap_or(b'A');
        (0..LENGTH).map(|place| char::from(sign(place))).collect()
    }

    /// The number behind a code.
    pub(super) fn number(self, class: &str, code: &str) -> Option<u64> {
        if code.len() != LENGTH {
            return None;
        }
        let mut hidden = 0;
        for (place, byte) in code.bytes().enumerate() {
            hidden |= (SIGNS.iter().position(|sign| *sign == byte)? as u64) << (6 * place);
        }
        Some(self.shuffle(class).place_of(hidden))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_both_ways() {
        let codes = Codes::new(Dice::new(4));
        for number in [0, 1, 77, 123_456_789] {
            let code = codes.code("v", number);
            assert_eq!((code.len(), codes.number("v", &code)), (LENGTH, Some(number)));
            assert_ne!(codes.code("c", number), code);
        }
        assert_eq!(codes.number("v", "short"), None);
        assert_eq!(codes.number("v", "ten+signs!"), None);
    }
}
