//! The formulas of de Assis et al. 2009: a page is wanted if it has the wanted genre *and* the wanted content.
//!
//! There are two sets of terms, one for the genre (`syllabus`, `credits`, `textbooks`) and one for the content
//! (`relational algebra`), and optionally one for URLs. Each is compared with a page separately (equations 1 to 5), and
//! the similarities are combined. [`generate`] proposes the sets from example pages (algorithm 2).
//!
//! Interpretations: the "terms of the page" in equations 1 and 3 are those of the set, as the paper defines `k_i`, so a
//! long page is not penalised. The frequency of a term in a set is how often the user wrote it. Terms of URLs are
//! matched inside tokens, because URLs join words.

mod generate;
mod rarity;
mod score;
mod terms;

pub use generate::{Generated, HowMany, Proposal, Ranking, TermTable, generate};
pub use rarity::{RarityCounter, TermRarity};
pub use score::{GenreScorer, GenreScores, Join, Mix};
pub use terms::{Role, SetTerm, TermError, TermSet, idf, similarity};
