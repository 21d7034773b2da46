//! The background vocabulary: words by class, the commonest first, read once from `data/english.txt` and
//! `data/chinese.txt`. The classes are those that the little grammars of [`super::english`] and [`super::chinese`]
//! need, not a linguist's.

use std::sync::LazyLock;

use super::draw::Draw;

/// The words of one class and how often each is drawn.
#[derive(Debug, Default)]
pub(super) struct Class {
    words: Vec<&'static str>,
    draw: Draw,
}

impl Class {
    /// Words that few sentences can do without fall off quickly with their rank, content words slowly.
    fn read(file: &'static str, name: &str, shift: f64) -> Self {
        let words: Vec<&str> = section(file, name).collect();
        let draw = Draw::zipf(words.len(), shift, 1.0);
        Self { words, draw }
    }

    /// The word that these random bits draw.
    pub(super) fn word(&self, bits: u64) -> &'static str {
        self.words.get(self.draw.draw(bits)).copied().unwrap_or_default()
    }
}

/// The classes of English.
#[derive(Debug)]
pub(super) struct English {
    pub(super) determiner: Class,
    pub(super) pronoun: Class,
    pub(super) preposition: Class,
    pub(super) conjunction: Class,
    pub(super) modal: Class,
    pub(super) copula: Class,
    pub(super) adverb: Class,
    pub(super) adjective: Class,
    pub(super) verb: Class,
    pub(super) past: Class,
    pub(super) noun: Class,
}

/// The classes of Chinese.
#[derive(Debug)]
pub(super) struct Chinese {
    pub(super) pronoun: Class,
    pub(super) opening: Class,
    pub(super) conjunction: Class,
    pub(super) adverb: Class,
    pub(super) modal: Class,
    pub(super) verb: Class,
    pub(super) adjective: Class,
    pub(super) classifier: Class,
    pub(super) noun: Class,
    pub(super) ending: Class,
}

/// English background words.
pub(super) static ENGLISH: LazyLock<English> = LazyLock::new(|| {
    let class = |name, shift| Class::read(include_str!("../../data/english.txt"), name, shift);
    English {
        determiner: class("determiner", 0.6),
        pronoun: class("pronoun", 1.5),
        preposition: class("preposition", 1.2),
        conjunction: class("conjunction", 0.5),
        modal: class("modal", 1.5),
        copula: class("copula", 1.0),
        adverb: class("adverb", 4.0),
        adjective: class("adjective", 8.0),
        verb: class("verb", 6.0),
        past: class("past", 5.0),
        noun: class("noun", 12.0),
    }
});

/// Chinese background words.
pub(super) static CHINESE: LazyLock<Chinese> = LazyLock::new(|| {
    let class = |name, shift| Class::read(include_str!("../../data/chinese.txt"), name, shift);
    Chinese {
        pronoun: class("pronoun", 1.5),
        opening: class("opening", 4.0),
        conjunction: class("conjunction", 2.0),
        adverb: class("adverb", 2.0),
        modal: class("modal", 1.5),
        verb: class("verb", 3.0),
        adjective: class("adjective", 5.0),
        classifier: class("classifier", 1.0),
        noun: class("noun", 10.0),
        ending: class("ending", 1.0),
    }
});

/// The words under the line `[name]` of a file, up to the next such line.
pub(super) fn section(file: &'static str, name: &str) -> impl Iterator<Item = &'static str> {
    let mut inside = false;
    file.lines()
        .filter(move |line| match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(title) => {
                inside = title == name;
                false
            }
            None => inside && !line.starts_with('#'),
        })
        .flat_map(str::split_whitespace)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn check(classes: &[&Class], at_least: usize) {
        for class in classes {
            let distinct: HashSet<_> = class.words.iter().collect();
            assert!(distinct.len() >= 5 && distinct.len() == class.words.len(), "{:?}", class.words);
        }
        let all: HashSet<_> = classes.iter().flat_map(|class| &class.words).collect();
        assert!(all.len() >= at_least, "{} words", all.len());
    }

    #[test]
    fn english_has_enough_words() {
        let e = &*ENGLISH;
        let function = [&e.determiner, &e.pronoun, &e.preposition, &e.conjunction, &e.modal, &e.copula];
        let content = [&e.adverb, &e.adjective, &e.verb, &e.past, &e.noun];
        check(&[function.as_slice(), &content].concat(), 1200);
    }

    #[test]
    fn chinese_has_enough_words() {
        let c = &*CHINESE;
        let function = [&c.pronoun, &c.opening, &c.conjunction, &c.adverb, &c.modal];
        let content = [&c.verb, &c.adjective, &c.classifier, &c.noun, &c.ending];
        check(&[function.as_slice(), &content].concat(), 600);
    }

    #[test]
    fn sections_end_at_the_next_one() {
        let file = "# no\n[a]\nx y\n# no\nz\n[b]\nw";
        let check = |name, expect: &[&str]| assert_eq!(section(file, name).collect::<Vec<_>>(), expect);
        check("a", &["x", "y", "z"]);
        check("b", &["w"]);
        check("c", &[]);
    }
}
