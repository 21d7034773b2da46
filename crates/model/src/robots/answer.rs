//! What an answer to a request for robots.txt means (RFC 9309, 2.3.1).

use super::{MAX_BODY, Robots};
use crate::{BodyEnd, Response};

/// The meaning of one answer. Redirects are followed before this is asked.
#[derive(Clone, Debug)]
pub enum RobotsAnswer {
    /// There is a file.
    Rules(Robots),
    /// There is none (4xx, or redirects without end): everything is allowed.
    AllowAll,
    /// It could not be read now (5xx, 429, no answer at all, a file that broke off): nothing is allowed until a later try.
    Unreachable,
}

impl RobotsAnswer {
    /// Reads an answer; `status` is `None` if there was none.
    ///
    /// 429 is the one 4xx that does not mean "no file": the host asks for patience, and crawling on without
    /// its rules would be the opposite.
    pub fn new(status: Option<u16>, body: &[u8], agent: &str) -> Self {
        match status {
            Some(200..=299) => Self::Rules(Robots::parse(body, agent)),
            Some(429) => Self::Unreachable,
            Some(300..=499) => Self::AllowAll,
            _ => Self::Unreachable,
        }
    }

    /// Reads an answer as it came. A file that broke off is none: what forbids a page may stand in the lost part.
    pub fn of(response: &Response, agent: &str) -> Self {
        match Self::body_of(response) {
            Some(body) => Self::new(Some(response.status), body, agent),
            None => Self::Unreachable,
        }
    }

    /// The part of an answer that may be read as a file; `None` if a file broke off. One that was cut at a limit of ours
    /// ends with its last whole line.
    pub fn body_of(response: &Response) -> Option<&[u8]> {
        let body = &response.body[..];
        match response.body_end {
            _ if !(200..300).contains(&response.status) => Some(&[]),
            BodyEnd::Early | BodyEnd::Late | BodyEnd::Damaged => None,
            // longer files are cut where they are read
            BodyEnd::Limit if body.len() <= MAX_BODY => {
                body.get(..memchr::memrchr2(b'\r', b'\n', body).map_or(0, |end| end + 1))
            }
            BodyEnd::Limit | BodyEnd::Whole | BodyEnd::Unwanted => Some(body),
        }
    }

    /// The rules to obey for as long as the answer holds.
    pub fn into_rules(self) -> Robots {
        match self {
            Self::Rules(rules) => rules,
            Self::AllowAll => Robots::allow_all(),
            Self::Unreachable => Robots::disallow_all(),
        }
    }
}
