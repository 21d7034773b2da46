//! The four kinds of page.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A page type, the same for all sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageType {
    /// Links to many pages of one type: an index, a tag page, a result page.
    List,
    /// One item: a photo, a thread, a course.
    Detail,
    /// One person or organisation.
    Profile,
    /// Anything else.
    #[default]
    Other,
}

impl PageType {
    /// All page types.
    pub const ALL: [Self; 4] = [Self::List, Self::Detail, Self::Profile, Self::Other];

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Detail => "detail",
            Self::Profile => "profile",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for PageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The given text is not the name of a page type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("page type `{0}`: expected `list`, `detail`, `profile` or `other`")]
pub struct NoSuchPageType(pub String);

impl FromStr for PageType {
    type Err = NoSuchPageType;

    fn from_str(name: &str) -> Result<Self, NoSuchPageType> {
        let named = Self::ALL.into_iter().find(|page_type| page_type.name() == name);
        named.ok_or_else(|| NoSuchPageType(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for page_type in PageType::ALL {
            assert_eq!(page_type.to_string().parse(), Ok(page_type));
            let json = serde_json::to_string(&page_type).expect("JSON");
            assert_eq!(json, format!("\"{page_type}\""));
        }
        let error = "List".parse::<PageType>().expect_err("no name");
        assert_eq!(error.to_string(), "page type `List`: expected `list`, `detail`, `profile` or `other`");
    }
}
