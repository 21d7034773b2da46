//! A filter for a small set of terms: it rejects nearly all other words without a look-up.

use super::Term;

/// 4,096 bits, one for each term that was put in.
#[derive(Clone, Debug)]
pub(crate) struct Sieve([u64; 64]);

impl Default for Sieve {
    fn default() -> Self {
        Self([0; 64])
    }
}

impl Sieve {
    /// From now on the term may be there.
    pub(crate) fn put(&mut self, term: Term) {
        let (place, bit) = split(term);
        self.0[place] |= bit;
    }

    /// `false` if the term was not put in.
    #[inline]
    pub(crate) fn may_have(&self, term: Term) -> bool {
        let (place, bit) = split(term);
        self.0[place] & bit != 0
    }
}

fn split(term: Term) -> (usize, u64) {
    ((term.key() >> 6 & 63) as usize, 1 << (term.key() & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_there() {
        let mut sieve = Sieve::default();
        let terms: Vec<Term> = (0..50).map(|number| Term::of(&number.to_string())).collect();
        assert!(terms.iter().all(|term| !sieve.may_have(*term)));
        terms.iter().for_each(|term| sieve.put(*term));
        assert!(terms.iter().all(|term| sieve.may_have(*term)));
        let others = (50..2050).filter(|number| sieve.may_have(Term::of(&number.to_string()))).count();
        assert!(others < 100, "{others}");
    }
}
