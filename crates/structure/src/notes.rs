//! Messages about what could not be learned from a sample.

use std::fmt;

use crate::density::MIN_PTS;

/// A remark about a clustering. None of them is an error: a crawl continues without page types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ClusterNote {
    /// There are fewer pages than a page type needs.
    TooFewPages {
        /// How many there are.
        pages: usize,
    },
    /// Pages without any text, link or image.
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
    /// More than half of the pages have no type.
    MostlyOutliers {
        /// How many are.
        outliers: usize,
        /// Of how many.
        pages: usize,
    },
    /// The links to the pages are unknown: variants of one page type may be separate types.
    NoInLinks,
    /// So many groups that they were not compared with each other.
    TooManyGroups {
        /// How many.
        groups: usize,
    },
    /// The sample is larger than what is clustered: the other pages were assigned to the types found.
    SampleCut {
        /// How many pages were clustered.
        used: usize,
        /// Of how many.
        pages: usize,
    },
}

impl ClusterNote {
    /// The notes worth reporting: if there are too few pages, all others follow from that.
    pub(crate) fn worth_telling(notes: Vec<Self>) -> Vec<Self> {
        match notes.iter().find(|note| matches!(note, Self::TooFewPages { .. })) {
            Some(&too_few) => vec![too_few],
            None => notes,
        }
    }
}

impl fmt::Display for ClusterNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooFewPages { pages } => {
                let (pages, are) = (Pages(pages), if pages == 1 { "is" } else { "are" });
                write!(f, "{pages} {are} too few to learn from: a page type needs {MIN_PTS} similar ones")
            }
            Self::EmptyPages { pages } => {
                let (pages, show) = (Pages(pages), if pages == 1 { "shows" } else { "show" });
                write!(f, "{pages} {show} no structure to compare")
            }
            Self::NothingCommon => {
                write!(f, "no path occurs on {MIN_PTS} pages or more, so pages cannot be compared")
            }
            Self::AllAlike => f.write_str("all pages have the same structure: no page types to tell apart"),
            Self::OneType => f.write_str("only one page type was found"),
            Self::NoType => {
                write!(f, "no page type was found: no {MIN_PTS} pages are similar")
            }
            Self::MostlyOutliers { outliers, pages } => {
                let are = if outliers == 1 { "is" } else { "are" };
                let pages = Pages(pages);
                write!(f, "{outliers} of {pages} {are} of no type: most pages of this site are one of a kind")
            }
            Self::NoInLinks => f.write_str(
                "the links to the pages are unknown: variants of one page type may become separate types",
            ),
            Self::TooManyGroups { groups } => {
                write!(
                    f,
                    "{groups} groups of pages are too many to compare: variants of one page type become separate types"
                )
            }
            Self::SampleCut { used, pages } => {
                let were = if used == 1 { "was" } else { "were" };
                let pages = Pages(pages);
                write!(f, "{used} of {pages} {were} clustered; the others were classified afterwards")
            }
        }
    }
}

/// A number of pages in words.
struct Pages(usize);

impl fmt::Display for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "page" } else { "pages" })
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
            "3 pages are too few to learn from: a page type needs 4 similar ones",
        );
        check(
            ClusterNote::TooFewPages { pages: 1 },
            "1 page is too few to learn from: a page type needs 4 similar ones",
        );
        check(ClusterNote::EmptyPages { pages: 1 }, "1 page shows no structure to compare");
        check(ClusterNote::EmptyPages { pages: 2 }, "2 pages show no structure to compare");
        check(ClusterNote::OneType, "only one page type was found");
        check(
            ClusterNote::MostlyOutliers { outliers: 7, pages: 9 },
            "7 of 9 pages are of no type: most pages of this site are one of a kind",
        );
        check(
            ClusterNote::SampleCut { used: 30, pages: 60 },
            "30 of 60 pages were clustered; the others were classified afterwards",
        );
    }

    #[test]
    fn too_few_pages_say_it_all() {
        let check = |notes: &[ClusterNote], expect: &[ClusterNote]| {
            assert_eq!(ClusterNote::worth_telling(notes.to_vec()), expect);
        };
        let too_few = ClusterNote::TooFewPages { pages: 2 };
        check(&[too_few, ClusterNote::NoInLinks], &[too_few]);
        check(
            &[ClusterNote::NoInLinks, ClusterNote::OneType],
            &[ClusterNote::NoInLinks, ClusterNote::OneType],
        );
        check(&[], &[]);
    }
}
