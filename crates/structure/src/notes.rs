//! What could not be learned from a sample, in words for people.

use std::fmt;

use crate::density::MIN_PTS;

/// Something to know about a clustering. None of it is an error: a crawl goes on without page types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ClusterNote {
    /// There are not even as many pages as make a page type.
    TooFewPages {
        /// How many there are.
        pages: usize,
    },
    /// Pages that show nothing: no text, no link, no image.
    EmptyPages {
        /// How many.
        pages: usize,
    },
    /// No path is on enough pages to compare them by.
    NothingCommon,
    /// All pages have the same paths.
    AllAlike,
    /// There is one page type only.
    OneType,
    /// No page type was found, though there are enough pages.
    NoType,
    /// More than half of the pages are of no type.
    MostlyOutliers {
        /// How many are.
        outliers: usize,
        /// Of how many.
        pages: usize,
    },
    /// Nobody said how the pages were found: what belongs together may have stayed apart.
    NoInLinks,
    /// So many groups that they were not compared with each other.
    TooManyGroups {
        /// How many.
        groups: usize,
    },
    /// The sample is larger than what is clustered: the rest was put to the types that were found.
    SampleCut {
        /// How many pages were clustered.
        used: usize,
        /// Of how many.
        pages: usize,
    },
}

impl fmt::Display for ClusterNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooFewPages { pages } => {
                write!(
                    f,
                    "`{pages}` pages are too few to learn from: a page type needs {MIN_PTS} that are alike"
                )
            }
            Self::EmptyPages { pages } => write!(f, "`{pages}` pages show nothing that could be compared"),
            Self::NothingCommon => {
                write!(f, "no path is on {MIN_PTS} pages or more: there is nothing to compare pages by")
            }
            Self::AllAlike => f.write_str("all pages have the same structure: no page types to tell apart"),
            Self::OneType => f.write_str("only one page type was found"),
            Self::NoType => {
                write!(f, "no page type was found: there are not {MIN_PTS} pages anywhere that are alike")
            }
            Self::MostlyOutliers { outliers, pages } => {
                write!(
                    f,
                    "`{outliers}` of `{pages}` pages are of no type: most pages of this site are one of a kind"
                )
            }
            Self::NoInLinks => f.write_str(
                "it is not known how the pages were found: variants of one page type may stand apart",
            ),
            Self::TooManyGroups { groups } => {
                write!(
                    f,
                    "`{groups}` groups of pages are too many to compare: variants of one page type stand apart"
                )
            }
            Self::SampleCut { used, pages } => {
                write!(
                    f,
                    "`{used}` of `{pages}` pages were clustered: the others were put to the types found"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_sentences_for_people() {
        let check = |note: ClusterNote, expect: &str| assert_eq!(note.to_string(), expect);
        check(
            ClusterNote::TooFewPages { pages: 3 },
            "`3` pages are too few to learn from: a page type needs 4 that are alike",
        );
        check(ClusterNote::OneType, "only one page type was found");
        check(
            ClusterNote::MostlyOutliers { outliers: 7, pages: 9 },
            "`7` of `9` pages are of no type: most pages of this site are one of a kind",
        );
    }
}
