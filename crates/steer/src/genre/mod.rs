//! The formulas of de Assis et al. 2009: a page is wanted if it is of the wanted genre *and* of the wanted content.
//!
//! Two sets of terms, one for the genre (`syllabus`, `credits`, `textbooks`), one for the content (`relational
//! algebra`), and perhaps one for URLs, are compared with a page separately (equations 1 to 5) and then mixed.
//! [`generate`] proposes the sets from example pages (de Assis et al. 2009's algorithm 2).
//!
//! Read by us: "terms of the page" in equations 1 and 3 are those of the set, as de Assis et al. 2009 define `k_i`, so
//! a page is not punished for being long; a term's frequency in a set is how often the user wrote it; the terms of URLs
//! are looked for inside tokens, for URLs run words together.

mod generate;
mod score;
mod terms;

pub use generate::{Generated, HowMany, Proposal, Ranking, TermTable, generate};
pub use score::{GenreScorer, GenreScores, Join, Mix};
pub use terms::{Role, SetTerm, TermError, TermSet, idf, similarity};
