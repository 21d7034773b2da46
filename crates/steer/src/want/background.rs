//! What is usual on a site: texts that stand on many of its pages, and how many pages have each word.

/// What is usual on a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Background {}
