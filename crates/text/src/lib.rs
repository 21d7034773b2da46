//! From text to terms: what every policy and judge that speaks of words stands on.
//!
//! A [`Reader`] turns a text into [`Word`]s: runs of letters and digits in lower case, without stop words, stemmed by
//! the rules of the page's [`Language`], accents folded; Chinese is cut by a dictionary, other scripts that write no
//! spaces give overlapping pairs of characters. A word is a [`Term`], a 64-bit key of its stem: vectors hold no
//! strings, need no shared table, and mean the same in a snapshot of last week.
//!
//! Both sides of a comparison go through the same rules. A topic is given in some language, but it is read anew in the
//! language of each page ([`Wanted`], [`Matcher`]), so that a word that both share is the same term, whatever a stemmer
//! makes of it.
//!
//! What it refuses: it never fails and has no limit but time linear in the text. Words longer than
//! `MAX_WORD_BYTES` are data, not words, and are passed over.

mod chinese;
mod excerpt;
mod fold;
mod language;
mod matcher;
mod phrases;
mod pinyin;
mod reader;
mod sieve;
mod stem;
mod stop;
mod term;
mod url;
mod vector;
mod wanted;
mod words;

pub use chinese::segment;
pub use excerpt::{Excerpts, OpenText};
pub use fold::fold;
pub use language::{Language, detect};
pub use matcher::{Hits, Matcher, Matching};
pub use phrases::{Phrase, each_phrase};
pub use pinyin::pinyin;
pub use reader::{Gap, Reader, Word};
use sieve::Sieve;
pub use term::Hashed;
pub use term::Term;
pub use url::{UrlToken, url_tokens};
pub use vector::log_weight;
pub use vector::{Counts, Vector};
pub(crate) use wanted::PerLanguage;
pub use wanted::Wanted;
pub use words::{PageWords, Token, Words, with_reader};
