//! Turns text into terms, for all policies, judges and indexes that compare words.
//!
//! A [`Reader`] splits a text into [`Word`]s: runs of letters and digits, in lower case, without accents and stop
//! words, stemmed by the rules of the page's [`Language`]. Chinese text is segmented with a dictionary; other scripts
//! without spaces give overlapping pairs of characters. Each word is a [`Term`], a 64-bit hash of its stem. Vectors of
//! terms hold no strings and need no shared table, and terms stored in one run equal those of a later run.
//!
//! Both sides of a comparison follow the same rules. A topic is read again in the language of each page ([`Wanted`],
//! [`Matcher`]), so a word that topic and page share becomes the same term with every stemmer.
//!
//! Reading never fails and takes time linear in the length of the text. Words longer than `MAX_WORD_BYTES` are skipped.

mod chinese;
mod excerpt;
mod fold;
mod language;
mod matcher;
mod noise;
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
pub use noise::is_noise_tag;
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
