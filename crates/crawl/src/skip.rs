//! Why a link was not fetched. Every skip has one of these reasons, and each is counted.

use serde::{Deserialize, Serialize};

/// A reason to skip a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Skip {
    /// Outside the scope.
    Scope = 1,
    /// Forbidden by robots.txt.
    Robots = 2,
    /// Too many hops from the seeds.
    Depth = 3,
    /// Looks like, or has turned out to be, a trap.
    Trap = 4,
    /// Marked nofollow, by the page or by the link.
    Nofollow = 5,
    /// Found on a page that repeats another one.
    Duplicate = 6,
    /// Too many redirects in a row.
    Redirects = 7,
    /// The frontier has reached its limit.
    Full = 8,
    /// Dropped by the policy.
    Policy = 9,
    /// Not a URL.
    Invalid = 10,
    /// A scheme other than http and https.
    Scheme = 11,
    /// A URL over the length limit.
    TooLong = 12,
    /// A body of a kind that is not understood: fetched and archived, but not a page.
    MediaType = 13,
    /// The host's robots.txt could not be read, so nothing of it may be requested.
    RobotsUnreachable = 14,
    /// Leads to pages that the sitemap of the learned site marks as unwanted.
    Unwanted = 15,
    /// A picture past the budget for pictures.
    Pictures = 16,
}

impl Skip {
    const ALL: [Self; 16] = [
        Self::Scope,
        Self::Robots,
        Self::Depth,
        Self::Trap,
        Self::Nofollow,
        Self::Duplicate,
        Self::Redirects,
        Self::Full,
        Self::Policy,
        Self::Invalid,
        Self::Scheme,
        Self::TooLong,
        Self::MediaType,
        Self::RobotsUnreachable,
        Self::Unwanted,
        Self::Pictures,
    ];

    /// The number stored in frontiers.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The reason with that number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|skip| skip.code() == code)
    }

    /// What it means, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Scope => "outside the scope",
            Self::Robots => "forbidden by robots.txt",
            Self::Depth => "too many hops from the start",
            Self::Trap => "looks like a trap",
            Self::Nofollow => "marked nofollow",
            Self::Duplicate => "found on a page that repeats another one",
            Self::Redirects => "too many redirects in a row",
            Self::Full => "the frontier is full",
            Self::Policy => "dropped by the policy",
            Self::Invalid => "not a URL",
            Self::Scheme => "neither http nor https",
            Self::TooLong => "the URL is too long",
            Self::MediaType => "not a page",
            Self::RobotsUnreachable => "robots.txt of its host could not be fetched",
            Self::Unwanted => "leads to pages that the sitemap marks as unwanted",
            Self::Pictures => "past the budget for pictures",
        }
    }

    /// What lets such links be fetched, if there is something.
    pub fn remedy(self) -> Option<&'static str> {
        Some(match self {
            Self::Scope => "widen `crawl.scope` (`domain`, `any`), or change `crawl.allow` and `crawl.deny`",
            Self::Robots => "ask the site's owner; for a site of your own, set `fetch.obey_robots = false`",
            Self::Depth => "raise `crawl.max_depth`",
            Self::Trap => {
                "`osprey status` names what is closed, `crawl.keep` opens it again; raise `crawl.pattern_budget` if it is set"
            }
            Self::Nofollow => "for a site of your own, set `fetch.obey_nofollow = false`",
            Self::Redirects => "raise `fetch.max_redirects`",
            Self::Full => "raise `frontier.max_links`",
            Self::Policy => "choose another policy with `--policy`",
            Self::RobotsUnreachable => "run the same command again when the host is up",
            Self::Unwanted => "change what is wanted in the sitemap that `osprey learn` wrote",
            Self::Pictures => "raise `vision.budget_pictures`",
            Self::Duplicate | Self::Invalid | Self::Scheme | Self::TooLong | Self::MediaType => return None,
        })
    }

    /// The reason of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|skip| skip.name() == name)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scope => "scope",
            Self::Robots => "robots",
            Self::Depth => "depth",
            Self::Trap => "trap",
            Self::Nofollow => "nofollow",
            Self::Duplicate => "duplicate",
            Self::Redirects => "redirects",
            Self::Full => "full",
            Self::Policy => "policy",
            Self::Invalid => "invalid",
            Self::Scheme => "scheme",
            Self::TooLong => "too-long",
            Self::MediaType => "media-type",
            Self::RobotsUnreachable => "robots-unreachable",
            Self::Unwanted => "unwanted",
            Self::Pictures => "picture-budget",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_name_one_reason_each() {
        for skip in Skip::ALL {
            assert_eq!(Skip::from_code(skip.code()), Some(skip));
            assert_eq!(Skip::named(skip.name()), Some(skip));
        }
        assert_eq!(Skip::from_code(0), None);
    }
}
