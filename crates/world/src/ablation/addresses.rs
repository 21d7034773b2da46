//! Addresses without meaning: a path is enciphered, and can be read by the world alone.
//!
//! Nothing is stored, so the address is the path: padded to whole blocks, mixed with a stream that a sum of the path begins,
//! that sum before it. Paths that differ in one digit have nothing in common. This hides from crawlers, not from enemies.

use crate::Dice;

/// Bytes that the stream gives at once, and that paths are padded to.
const BLOCK: usize = 8;

/// Bytes of the sum.
const SUM: usize = 4;

/// Five bits each.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Whether an address stays as it is: start pages, what machines ask for, and files.
pub(super) fn is_bare(path: &str) -> bool {
    let is_file = [".jpg", ".gif", ".png", ".css", ".js"].iter().any(|ending| path.ends_with(ending));
    is_file || matches!(path, "/" | "/robots.txt" | "/sitemap.xml")
}

/// The way from paths to names and back.
pub(super) struct Seal {
    dice: Dice,
}

impl Seal {
    pub(super) fn new(dice: Dice) -> Self {
        Self { dice: dice.of("seal") }
    }

    /// The name of a path.
    pub(super) fn close(&self, path: &str) -> String {
        let sum = self.sum(path);
        let mut bytes = path.as_bytes().to_vec();
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        self.mix(sum, &mut bytes);
        let all: Vec<u8> = sum.to_be_bytes().into_iter().chain(bytes).collect();
        format!("/{}", letters(&all))
    }

    /// The path of a name; `None` if it is no name.
    pub(super) fn open(&self, name: &str) -> Option<String> {
        let bytes = bytes(name.strip_prefix('/')?)?;
        let (sum, rest) = bytes.split_at_checked(SUM)?;
        let (sum, mut rest) = (u32::from_be_bytes(sum.try_into().ok()?), rest.to_vec());
        self.mix(sum, &mut rest);
        let path = String::from_utf8(rest).ok()?.trim_end_matches('\0').to_owned();
        // every path has one name
        (self.close(&path) == name).then_some(path)
    }

    fn sum(&self, path: &str) -> u32 {
        self.dice.of("sum").of(path).bits() as u32
    }

    /// Mixes bytes with the stream, and by that again takes it out.
    fn mix(&self, sum: u32, bytes: &mut [u8]) {
        let stream = self.dice.of("stream").at(u64::from(sum));
        for (place, block) in (0..).zip(bytes.chunks_mut(BLOCK)) {
            let mask = stream.at(place).bits().to_be_bytes();
            block.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        }
    }
}

/// Bytes as letters, the last filled up with zero bits.
fn letters(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 8 / 5 + 1);
    let (mut held, mut bits) = (0_u32, 0);
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(letter(held >> bits));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        out.push(letter(held << (5 - bits)));
    }
    out
}

fn letter(number: u32) -> char {
    LETTERS.get((number & 31) as usize).map_or('a', |letter| char::from(*letter))
}

fn bytes(letters: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(letters.len() * 5 / 8);
    let (mut held, mut bits) = (0_u32, 0);
    for letter in letters.bytes() {
        held = (held << 5) | LETTERS.iter().position(|known| *known == letter)? as u32;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_say_nothing_and_come_back() {
        let seal = Seal::new(Dice::new(1));
        let names = ["/tags/sea?page=2", "/tags/sea?page=3", "/photos/x/17"].map(|path| seal.close(path));
        for (path, name) in ["/tags/sea?page=2", "/tags/sea?page=3", "/photos/x/17"].iter().zip(&names) {
            assert_eq!(seal.open(name).as_deref(), Some(*path));
        }
        let same = names[0].bytes().zip(names[1].bytes()).filter(|(a, b)| a == b).count();
        assert!(same < names[0].len() / 4, "{names:?}");
        assert_ne!(Seal::new(Dice::new(2)).close("/a"), seal.close("/a"));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let seal = Seal::new(Dice::new(1));
        let mut cut = seal.close("/a/b");
        cut.pop();
        for name in ["", "/", "/tags/sea", "/aaaaaaaaaaaaaaaaaaaa", cut.as_str()] {
            assert_eq!(seal.open(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_path_has_one_name(path in "/[a-z0-9/?=&%-]{0,60}", name in "/[a-z2-7]{0,40}") {
            let seal = Seal::new(Dice::new(3));
            prop_assert_eq!(seal.open(&seal.close(&path)), Some(path));
            if let Some(path) = seal.open(&name) {
                prop_assert_eq!(seal.close(&path), name);
            }
        }
    }
}
