//! The words of a URL: its blocks, and their tokens.
//!
//! Chen et al. 2009 split a URL at `/` into blocks and blocks at `.` into tokens. Here the scheme, the port, query
//! marks and percent signs separate tokens too; `-` and `_` do not, because they join the words of one name
//! (`tai_gang_ao`).

/// One token of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlToken<'a> {
    /// As it stands there.
    pub text: &'a str,
    /// The number of its block; 0 is the host.
    pub block: u32,
}

/// Tokens that say nothing of a page: they are in every URL.
const STOP: [&str; 32] = [
    "www", "com", "cn", "net", "org", "edu", "gov", "biz", "co", "uk", "de", "fr", "es", "eu", "io", "http",
    "https", "html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "jspx", "do", "cgi", "xml",
    "index", "default", "main",
];

/// [`STOP`] as numbers: comparing those is one instruction each.
const STOP_KEYS: [u64; STOP.len()] = {
    let mut keys = [0; STOP.len()];
    let mut at = 0;
    while at < STOP.len() {
        keys[at] = pack(STOP[at].as_bytes());
        at += 1;
    }
    keys
};

/// Up to eight bytes in lower case as a number; 0 for more.
const fn pack(token: &[u8]) -> u64 {
    if token.len() > 8 {
        return 0;
    }
    let (mut key, mut at) = (0, 0);
    while at < token.len() {
        key = key << 8 | token[at].to_ascii_lowercase() as u64;
        at += 1;
    }
    key
}

/// The tokens of `url` that may say something. Takes relative and broken URLs as they are.
pub fn url_tokens(url: &str) -> impl Iterator<Item = UrlToken<'_>> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let blocks = rest.split(['/', '?', '&']).enumerate();
    blocks.flat_map(|(block, text)| {
        let tokens = text.split(['.', '=', ':', ';', ',', '%', '+', '@', '~', '!']);
        let telling =
            tokens.filter(|token| !token.is_empty() && !STOP_KEYS.contains(&pack(token.as_bytes())));
        telling.map(move |text| UrlToken { text, block: block as u32 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expect: &[(u32, &str)]) {
        let tokens: Vec<(u32, &str)> = url_tokens(url).map(|token| (token.block, token.text)).collect();
        assert_eq!(tokens, expect, "{url}");
    }

    #[test]
    fn blocks_and_tokens() {
        // the example of Chen et al. 2009, section 3.5
        check("http://sports.sohu.com/lanqiu.shtml", &[(0, "sports"), (0, "sohu"), (1, "lanqiu")]);
        check("http://www.xinhuanet.com/tai_gang_ao", &[(0, "xinhuanet"), (1, "tai_gang_ao")]);
        check(
            "https://a.example:8080/x//y?q=Cars&p=2#z",
            &[
                (0, "a"),
                (0, "example"),
                (0, "8080"),
                (1, "x"),
                (3, "y"),
                (4, "q"),
                (4, "Cars"),
                (5, "p"),
                (5, "2"),
            ],
        );
        check("", &[]);
        check("/courses/CS101-syllabus.HTML", &[(1, "courses"), (2, "CS101-syllabus")]);
    }
}
