//! Proposes terms from example pages: algorithm 2 of de Assis et al. 2009, and a ranking that boilerplate does not
//! dominate.
//!
//! The paper ranks by frequency, so `home`, `contact` and `copyright` come first on pages of one site. With other pages
//! as a background, terms are ranked by Dunning's log-likelihood ratio on the number of pages: terms come first that
//! unexpectedly many examples have. The ranking counts pages, not occurrences, so one long page does not decide. Of
//! `office`, `hours` and `office hours`, mentioned equally often, only the longest is proposed: the parts would take two
//! of twenty places and say the same. The paper's own ranking keeps them.

use osprey_text::{Language, Reader, Term, detect, each_phrase};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Terms that are counted; rare ones go when there are more.
const MAX_TERMS: usize = 1 << 18;
/// A term that is mentioned in a longer one at least this often is a part of it, and says nothing more.
const PART: f64 = 0.9;
/// Bytes of a term that is proposed.
const MAX_TERM_BYTES: usize = 80;

/// How often terms of one to three words occur in pages, and in how many.
#[derive(Clone, Debug, Default)]
pub struct TermTable {
    terms: FxHashMap<Term, Tally>,
    pages: u32,
}

#[derive(Clone, Debug)]
struct Tally {
    /// As it was written first, in lower case.
    text: Box<str>,
    frequency: u32,
    pages: u32,
    last_page: u32,
}

impl TermTable {
    /// The terms of pages, by their texts; languages are detected.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut reader, mut table) = (Reader::new(), Self::default());
        for text in texts {
            table.add_page(&mut reader, text, detect(text, None), &FxHashSet::default());
        }
        table
    }

    /// Counts the terms of a page but for those in `without`.
    pub fn add_page(
        &mut self,
        reader: &mut Reader,
        text: &str,
        language: Language,
        without: &FxHashSet<Term>,
    ) {
        self.pages += 1;
        let page = self.pages;
        each_phrase(reader, text, language, |phrase| {
            let surface = phrase.surface;
            if surface.len() > MAX_TERM_BYTES || !says_something(surface) || without.contains(&phrase.term) {
                return;
            }
            let tally = self.terms.entry(phrase.term).or_insert_with(|| Tally {
                text: surface.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().into(),
                frequency: 0,
                pages: 0,
                last_page: 0,
            });
            tally.frequency += 1;
            tally.pages += u32::from(tally.last_page != page);
            tally.last_page = page;
        });
        let mut rare = 1;
        while self.terms.len() > MAX_TERMS {
            self.terms.retain(|_, tally| tally.frequency > rare);
            rare += 1;
        }
    }

    /// Pages counted.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Pages that have the term.
    pub(crate) fn pages_with(&self, term: Term) -> u32 {
        self.terms.get(&term).map_or(0, |tally| tally.pages)
    }

    /// `FilterTerms`: the best `most` terms, but for those that a set would not take: of stop words only, or the same
    /// as one in `taken`. Algorithm 2 knows no more; against others, the parts of a longer term go too.
    fn best(
        &self,
        most: usize,
        taken: &mut Taken,
        ranking: Ranking<'_>,
        score: impl Fn(Term, &Tally) -> f64,
    ) -> Vec<Proposal> {
        let mut proposals: Vec<Proposal> = self
            .terms
            .iter()
            .map(|(term, tally)| Proposal {
                text: tally.text.to_string(),
                term: *term,
                frequency: tally.frequency,
                pages: tally.pages,
                score: score(*term, tally),
            })
            .filter(|proposal| proposal.score > 0.0)
            .collect();
        proposals.sort_unstable_by(|a, b| {
            let by_score = b.score.total_cmp(&a.score).then(b.frequency.cmp(&a.frequency));
            by_score.then_with(|| a.text.cmp(&b.text)).then(a.term.cmp(&b.term))
        });
        let mut chosen: Vec<(Vec<Term>, Proposal)> = Vec::with_capacity(most.min(proposals.len()));
        for proposal in proposals {
            if chosen.len() >= most {
                break;
            }
            let Some(stems) = taken.insert(&proposal.text) else { continue };
            match ranking {
                Ranking::Frequency => chosen.push((stems, proposal)),
                Ranking::Against(_) => choose(&mut chosen, stems, proposal),
            }
        }
        chosen.into_iter().map(|(_, proposal)| proposal).collect()
    }
}

/// Adds a term, unless it is a part of a chosen one and hardly found without it; it replaces chosen ones that are such
/// parts of it.
fn choose(chosen: &mut Vec<(Vec<Term>, Proposal)>, stems: Vec<Term>, proposal: Proposal) {
    let is_part = |short: &[Term], long: &[Term], shorter: &Proposal, longer: &Proposal| {
        short.len() < long.len()
            && long.windows(short.len()).any(|part| part == short)
            && f64::from(longer.frequency) >= PART * f64::from(shorter.frequency)
    };
    if chosen.iter().any(|(long, longer)| is_part(&stems, long, &proposal, longer)) {
        return;
    }
    let place = chosen.iter().position(|(short, shorter)| is_part(short, &stems, shorter, &proposal));
    chosen.retain(|(short, shorter)| !is_part(short, &stems, shorter, &proposal));
    chosen.insert(place.unwrap_or(chosen.len()), (stems, proposal));
}

/// Terms that are proposed already, as a [`TermSet`](super::TermSet) reads them.
#[derive(Default)]
struct Taken {
    reader: Reader,
    terms: FxHashSet<Vec<Term>>,
}

impl Taken {
    /// Its stems, if it is a term, and a new one.
    fn insert(&mut self, text: &str) -> Option<Vec<Term>> {
        let stems = self.reader.terms(text, Language::English);
        (!stems.is_empty() && self.terms.insert(stems.clone())).then_some(stems)
    }
}

/// Numbers and single letters are never terms.
fn says_something(surface: &str) -> bool {
    let mut words = surface.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| word.chars().any(char::is_alphabetic) && (!word.is_ascii() || word.len() > 1))
}

/// How terms are ranked.
#[derive(Clone, Copy, Debug)]
pub enum Ranking<'a> {
    /// By frequency: de Assis et al. 2009's.
    Frequency,
    /// By how much more pages have them than other pages do.
    Against(&'a TermTable),
}

/// A term that is proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// As it was written first, in lower case.
    pub text: String,
    /// Its key.
    pub term: Term,
    /// Mentions in the examples.
    pub frequency: u32,
    /// Examples that have it.
    pub pages: u32,
    /// What it was ranked by.
    pub score: f64,
}

/// Terms that are proposed, the best first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Generated {
    /// For the genre.
    pub genre: Vec<Proposal>,
    /// For the content.
    pub content: Vec<Proposal>,
}

/// The number of terms to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HowMany {
    /// For the genre.
    pub genre: usize,
    /// For the content.
    pub content: usize,
}

impl Default for HowMany {
    fn default() -> Self {
        Self { genre: 20, content: 20 }
    }
}

/// Algorithm 2: terms of pages of the genre, whatever they are about, and of relevant pages, those of the genre left
/// out. Pages are given by their texts; either list may be empty, and so is what would come from it. Against a
/// background, the pages of the genre are background for the content too.
pub fn generate(
    genre_pages: &[&str],
    relevant_pages: &[&str],
    how_many: HowMany,
    ranking: Ranking<'_>,
) -> Generated {
    let mut reader = Reader::new();
    let mut count = |pages: &[&str], without: &FxHashSet<Term>| {
        let mut table = TermTable::default();
        for page in pages {
            table.add_page(&mut reader, page, detect(page, None), without);
        }
        table
    };
    let mut taken = Taken::default();
    let of_genre = count(genre_pages, &FxHashSet::default());
    let genre = of_genre.best(how_many.genre, &mut taken, ranking, |term, tally| match ranking {
        Ranking::Frequency => f64::from(tally.frequency),
        Ranking::Against(others) => {
            surprise((tally.pages, of_genre.pages), (others.pages_with(term), others.pages))
        }
    });
    let without = genre.iter().map(|proposal| proposal.term).collect();
    let relevant = count(relevant_pages, &without);
    let content = relevant.best(how_many.content, &mut taken, ranking, |term, tally| match ranking {
        Ranking::Frequency => f64::from(tally.frequency),
        Ranking::Against(others) => {
            let with = others.pages_with(term) + of_genre.pages_with(term);
            surprise((tally.pages, relevant.pages), (with, others.pages + of_genre.pages))
        }
    });
    Generated { genre, content }
}

/// Dunning's G²: how surprising it is that `a` of `examples` pages have a term when `b` of `others` have it. 0 if the
/// examples have it no more often.
fn surprise((a, examples): (u32, u32), (b, others): (u32, u32)) -> f64 {
    let (a, examples, b, others) = (f64::from(a), f64::from(examples), f64::from(b), f64::from(others));
    if others == 0.0 {
        return a;
    }
    if a * others <= b * examples {
        return 0.0;
    }
    let share = (a + b) / (examples + others);
    let part = |found: f64, expected: f64| if found > 0.0 { found * (found / expected).ln() } else { 0.0 };
    let with = part(a, examples * share) + part(b, others * share);
    let without = part(examples - a, examples * (1.0 - share)) + part(others - b, others * (1.0 - share));
    2.0 * (with + without)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(proposals: &[Proposal]) -> Vec<&str> {
        proposals.iter().map(|proposal| proposal.text.as_str()).collect()
    }

    /// Genre pages: course 4, syllabus 3, `course syllabus` 2. Relevant: the genre terms are left out.
    #[test]
    fn algorithm_2_by_hand() {
        let genre = ["Course syllabus. Course. Syllabus.", "course; course syllabus"];
        let relevant = ["Course syllabus. SQL; sql; trees.", "syllabus. SQL, trees; hashing"];
        let found = generate(&genre, &relevant, HowMany { genre: 2, content: 2 }, Ranking::Frequency);
        assert_eq!(texts(&found.genre), ["course", "syllabus"]);
        assert_eq!(found.genre.iter().map(|term| term.score).collect::<Vec<_>>(), [4.0, 3.0]);
        // `course syllabus` was not among the two, so it may stand for the content, but once only
        assert_eq!(texts(&found.content), ["sql", "trees"]);
        let more = generate(&genre, &relevant, HowMany { genre: 2, content: 9 }, Ranking::Frequency);
        assert_eq!(texts(&more.content), ["sql", "trees", "course syllabus", "hashing"]);
    }

    #[test]
    fn boilerplate_does_not_win() {
        let genre = ["Home. Contact. home; syllabus", "Home. Contact; home. syllabus"];
        let found = generate(&genre, &[], HowMany { genre: 1, content: 1 }, Ranking::Frequency);
        assert_eq!(texts(&found.genre), ["home"]);
        let others = TermTable::of(["Home. Contact. News"; 5]);
        let found = generate(&genre, &[], HowMany { genre: 9, content: 1 }, Ranking::Against(&others));
        assert_eq!(texts(&found.genre), ["syllabus"]);
    }

    /// `office hours` five times, `hours` once more: parts of it, within a tenth or not. `grading` stands alone.
    #[test]
    fn parts_of_a_longer_term_are_not_proposed() {
        let check = |more: &str, expect: &[&str]| {
            let page = format!(
                "Office hours. Grading. Office hours. Office hours. Office hours. Office hours. {more}"
            );
            let others = TermTable::of(["News. Contact"; 5]);
            let found = generate(&[&page], &[], HowMany { genre: 9, content: 0 }, Ranking::Against(&others));
            assert_eq!(texts(&found.genre), expect, "{more}");
        };
        check("", &["office hours", "grading"]);
        check("Hours.", &["hours", "office hours", "grading"]);
        let page = "Office hours. Office hours.";
        let found = generate(&[page], &[], HowMany { genre: 9, content: 0 }, Ranking::Frequency);
        assert_eq!(found.genre.len(), 3, "{:?}", texts(&found.genre));
    }

    /// All 2 of 2 have it and none of 2 others: share 1/2; 2 * (2 ln 2 + 2 ln 2) = 8 ln 2. As often as others: 0.
    #[test]
    fn surprise_by_hand() {
        assert!((surprise((2, 2), (0, 2)) - 8.0 * 2f64.ln()).abs() < 1e-9);
        assert_eq!(surprise((1, 2), (5, 10)), 0.0);
        assert_eq!(surprise((3, 4), (0, 0)), 3.0);
    }

    #[test]
    fn numbers_and_single_letters_are_not_terms() {
        let check = |surface, expect| assert_eq!(says_something(surface), expect, "{surface}");
        check("2008", false);
        check("q", false);
        check("room 12", false);
        check("mp3", true);
        check("花", true);
        check("data base", true);
    }

    #[test]
    fn examples_without_words() {
        assert_eq!(
            generate(&["", "12 34"], &[], HowMany::default(), Ranking::Frequency),
            Generated::default()
        );
    }
}
