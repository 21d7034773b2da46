//! Which links of a page were not known before: one bit a link.
//!
//! A policy that learns from what a page brought has to know. The frontier does, at the moment the page is taken in; a
//! resumed crawl that tells the policy again reads it from the row of the visit, where it is written as hexadecimal digits.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Links of a page, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreshLinks {
    /// Four links a digit, the first in the lowest bit; empty if none is new.
    digits: Vec<u8>,
    /// Not recorded: rows of earlier versions.
    is_unknown: bool,
}

impl FreshLinks {
    /// If it is not known: then all links count as new.
    pub const fn unknown() -> Self {
        Self { digits: Vec::new(), is_unknown: true }
    }

    /// Adds a link.
    pub fn insert(&mut self, link: usize) {
        let place = link / 4;
        if self.digits.len() <= place {
            self.digits.resize(place + 1, 0);
        }
        if let Some(digit) = self.digits.get_mut(place) {
            *digit |= 1 << (link % 4);
        }
    }

    /// Whether a link was new.
    pub fn contains(&self, link: usize) -> bool {
        self.is_unknown || self.digits.get(link / 4).is_some_and(|digit| digit & (1 << (link % 4)) != 0)
    }

    /// Whether it is unknown.
    pub fn is_unknown(&self) -> bool {
        self.is_unknown
    }
}

impl FromIterator<usize> for FreshLinks {
    fn from_iter<I: IntoIterator<Item = usize>>(links: I) -> Self {
        let mut fresh = Self::default();
        links.into_iter().for_each(|link| fresh.insert(link));
        fresh
    }
}

impl fmt::Display for FreshLinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_unknown {
            true => f.write_str("?"),
            false => self.digits.iter().try_for_each(|digit| write!(f, "{digit:x}")),
        }
    }
}

impl Serialize for FreshLinks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FreshLinks {
    /// A text with other characters means unknown.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
        Ok(digits
            .collect::<Option<Vec<u8>>>()
            .map_or(Self::unknown(), |digits| Self { digits, is_unknown: false }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read_again() {
        let check = |links: &[usize], expect: &str| {
            let fresh: FreshLinks = links.iter().copied().collect();
            assert_eq!(fresh.to_string(), expect);
            let read: FreshLinks = serde_json::from_str(&format!("\"{expect}\"")).unwrap();
            assert_eq!(read, fresh);
            assert!((0..40).all(|link| fresh.contains(link) == links.contains(&link)));
        };
        check(&[], "");
        check(&[0], "1");
        check(&[1, 3, 9], "a02");
        check(&[0, 1, 2, 3, 31], "f0000008");
    }

    #[test]
    fn where_nobody_knows_all_are_new() {
        let unknown: FreshLinks = serde_json::from_str("\"?\"").unwrap();
        assert!(unknown == FreshLinks::unknown() && unknown.contains(7) && unknown.is_unknown());
    }
}
