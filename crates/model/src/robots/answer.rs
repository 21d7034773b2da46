//! Interprets an answer to a request for robots.txt (RFC 9309, 2.3.1).

use super::{MAX_BODY, Robots};
use crate::{BodyEnd, Response};

/// The meaning of an answer. The caller has followed redirects before.
#[derive(Clone, Debug)]
pub enum RobotsAnswer {
    /// There is a file with rules.
    Rules(Robots),
    /// There is no file (4xx, or endless redirects): everything is allowed.
    AllowAll,
    /// The file could not be read (5xx, 429, no answer, or truncated): nothing is allowed until a later attempt.
    Unreachable,
}

impl RobotsAnswer {
    /// Interprets an answer; `status` is `None` if there was none.
    ///
    /// 429 is the one 4xx that does not mean "no file": the host asks for patience, and crawling on without its rules
    /// would be the opposite.
    pub fn new(status: Option<u16>, body: &[u8], agent: &str) -> Self {
        match status {
            Some(200..=299) => Self::Rules(Robots::parse(body, agent)),
            Some(429) => Self::Unreachable,
            Some(300..=499) => Self::AllowAll,
            _ => Self::Unreachable,
        }
    }

    /// Interprets a response. A truncated file is not used, because the missing part may forbid a page.
    pub fn of(response: &Response, agent: &str) -> Self {
        match Self::body_of(response) {
            Some(body) => Self::new(Some(response.status), body, agent),
            None => Self::Unreachable,
        }
    }

    /// The part of a response that may be read as a file; `None` if the file is truncated. A file that was cut at our
    /// size limit ends with its last complete line.
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

    /// The rules to obey while this answer is valid.
    pub fn into_rules(self) -> Robots {
        match self {
            Self::Rules(rules) => rules,
            Self::AllowAll => Robots::allow_all(),
            Self::Unreachable => Robots::disallow_all(),
        }
    }
}
