//! What a page itself tells robots: `<meta name="robots">` and the `X-Robots-Tag` header.
//!
//! Only directives that affect a crawl or an index are kept. Of several directives about one page, the strictest
//! applies.

use super::read::product_token;

/// Directives whose value follows a colon, so that `max-snippet` in `max-snippet: 20` is not read as an agent's name.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// What robots are asked not to do with a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotsDirectives {
    /// Search must not find the page.
    pub noindex: bool,
    /// Its links must not be followed.
    pub nofollow: bool,
    /// Search must not find its pictures.
    pub noimageindex: bool,
    /// It must not be shown from a cache.
    pub noarchive: bool,
}

impl RobotsDirectives {
    /// Reads the `content` of a `<meta name="robots">` element.
    pub fn parse_meta(content: &str) -> Self {
        let mut read = Self::default();
        for word in content.split([',', ';']).flat_map(str::split_ascii_whitespace) {
            read.note(word);
        }
        read
    }

    /// Reads one `X-Robots-Tag` value: `noindex, nofollow` or `otherbot: noindex, somebot: nofollow`; an agent's name
    /// applies until the next name.
    pub fn parse_header(value: &str, agent: &str) -> Self {
        let mut read = Self::default();
        let mut applies = true;
        for item in value.split(',') {
            let directive = match item.split_once(':') {
                Some((name, rest)) if is_agent(name.trim()) => {
                    applies = name.trim() == "*" || speaks_to(name.trim(), agent);
                    rest
                }
                _ => item,
            };
            if applies {
                read.note(directive.trim());
            }
        }
        read
    }

    /// Combines both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            noindex: self.noindex || other.noindex,
            nofollow: self.nofollow || other.nofollow,
            noimageindex: self.noimageindex || other.noimageindex,
            noarchive: self.noarchive || other.noarchive,
        }
    }

    fn note(&mut self, directive: &str) {
        match directive.to_ascii_lowercase().as_str() {
            "noindex" => self.noindex = true,
            "nofollow" => self.nofollow = true,
            "none" => (self.noindex, self.nofollow) = (true, true),
            "noimageindex" => self.noimageindex = true,
            "noarchive" => self.noarchive = true,
            _ => {}
        }
    }
}

fn speaks_to(name: &str, agent: &str) -> bool {
    product_token(agent).is_some_and(|token| token.eq_ignore_ascii_case(name))
}

/// Whether a text is an agent's name, which has no spaces; the date `25 Jun 2030 15:00:00` is not one.
fn is_agent(name: &str) -> bool {
    let is_name = name == "*" || !name.is_empty() && product_token(name) == Some(name);
    is_name && !WITH_VALUE.iter().any(|directive| directive.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n`oindex, no`f`ollow, no`i`mageindex, no`a`rchive.
    fn letters(read: RobotsDirectives) -> String {
        let flags =
            [(read.noindex, 'n'), (read.nofollow, 'f'), (read.noimageindex, 'i'), (read.noarchive, 'a')];
        flags.into_iter().filter(|(set, _)| *set).map(|(_, letter)| letter).collect()
    }

    #[test]
    fn meta() {
        let check = |content: &str, expect: &str| {
            assert_eq!(letters(RobotsDirectives::parse_meta(content)), expect, "{content}");
        };
        check("", "");
        check("index, follow", "");
        check("NOINDEX,NoFollow", "nf");
        check(" none ", "nf");
        check("noindex follow; noarchive", "na");
        check("max-snippet:20, noimageindex", "i");
    }

    #[test]
    fn header() {
        let check = |value: &str, expect: &str| {
            assert_eq!(letters(RobotsDirectives::parse_header(value, "Osprey/0.1 (x)")), expect, "{value}");
        };
        check("noindex, nofollow", "nf");
        check("googlebot: noindex, nofollow", "");
        check("osprey: noindex, nofollow", "nf");
        check("googlebot: nofollow, osprey: noindex", "n");
        check("osprey: noindex, googlebot: nofollow", "n");
        check("*: none", "nf");
        check("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", "n");
        check("max-snippet: 20, nofollow", "f");
        check(":", "");
    }
}
