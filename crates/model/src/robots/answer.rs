//! What an answer to a request for robots.txt means (RFC 9309, 2.3.1).

use super::Robots;

/// The meaning of one answer. Redirects are followed before this is asked.
#[derive(Clone, Debug)]
pub enum RobotsAnswer {
    /// There is a file.
    Rules(Robots),
    /// There is none (4xx, or redirects without end): everything is allowed.
    AllowAll,
    /// It could not be read now (5xx, 429, no answer at all): nothing is allowed until a later try.
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

    /// The rules to obey for as long as the answer holds.
    pub fn into_rules(self) -> Robots {
        match self {
            Self::Rules(rules) => rules,
            Self::AllowAll => Robots::allow_all(),
            Self::Unreachable => Robots::disallow_all(),
        }
    }
}
