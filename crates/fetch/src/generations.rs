//! A map that forgets: two generations, the older of which is dropped when the younger is half of the bound.
//!
//! What is asked for moves to the younger generation, so what is in use survives; each operation is one or two
//! look-ups, and there is no list to keep in order. Keys come from the Web, so the hasher is the guarded one.

use std::collections::HashMap;

/// At most `bound` entries, the least used ones forgotten first, roughly.
#[derive(Debug)]
pub(crate) struct Generations<V> {
    young: HashMap<Box<str>, V>,
    old: HashMap<Box<str>, V>,
    half: usize,
}

impl<V: Clone> Generations<V> {
    pub(crate) fn new(bound: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: (bound / 2).max(1) }
    }

    /// The value of `key`, made if it is not there or `is_stale`; and whether it was made.
    pub(crate) fn get_or(
        &mut self,
        key: &str,
        is_stale: impl Fn(&V) -> bool,
        make: impl FnOnce() -> V,
    ) -> (V, bool) {
        if let Some(value) = self.young.get_mut(key) {
            let made = is_stale(value);
            if made {
                *value = make();
            }
            return (value.clone(), made);
        }
        let kept = self.old.remove(key).filter(|value| !is_stale(value));
        let made = kept.is_none();
        let value = kept.unwrap_or_else(make);
        if self.young.len() >= self.half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key.into(), value.clone());
        (value, made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_survives() {
        let mut map = Generations::new(4);
        let mut get = |key: &str| map.get_or(key, |_| false, || key.len()).1;
        assert!(get("a"));
        for key in ["b", "c", "d", "e", "f"] {
            assert!(get(key), "{key}");
            assert!(!get("a"), "{key}");
        }
        assert!(get("b"));
        assert!(map.young.len() + map.old.len() <= 4);
    }

    #[test]
    fn stale_values_are_made_again() {
        let mut map = Generations::new(4);
        assert_eq!(map.get_or("a", |_| false, || 1), (1, true));
        assert_eq!(map.get_or("a", |v| *v == 1, || 2), (2, true));
        assert_eq!(map.get_or("a", |v| *v == 1, || 3), (2, false));
    }
}
