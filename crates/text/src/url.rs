//! The words of a URL: its blocks, and their tokens.
//!
//! Chen et al. 2009 split a URL at `/` into blocks and blocks at `.` into tokens. Here the scheme, the port, query
//! marks and percent signs separate tokens too; `-` and `_` do not, because they join the words of one name
//! (`tai_gang_ao`).
//!
//! Tokens that say nothing are left out where they say nothing: `com` in the host, `html` as an ending. A folder
//! `/html/` or `/net/` is about something.

/// One token of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlToken<'a> {
    /// As written in the URL.
    pub text: &'a str,
    /// The number of its block; 0 is the host.
    pub block: u32,
}

/// Tokens without information about a page, wherever they stand; those of hosts; endings of file names.
const ANYWHERE: [&str; 6] = ["www", "http", "https", "index", "default", "main"];
const IN_HOSTS: [&str; 14] =
    ["com", "cn", "net", "org", "edu", "gov", "biz", "co", "uk", "de", "fr", "es", "eu", "io"];
const ENDINGS: [&str; 12] =
    ["html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "jspx", "do", "cgi", "xml"];

/// As numbers: comparing those is one instruction each.
const ANYWHERE_KEYS: [u64; ANYWHERE.len()] = keys(ANYWHERE);
const HOST_KEYS: [u64; IN_HOSTS.len()] = keys(IN_HOSTS);
const ENDING_KEYS: [u64; ENDINGS.len()] = keys(ENDINGS);

const fn keys<const N: usize>(tokens: [&str; N]) -> [u64; N] {
    let (mut keys, mut at) = ([0; N], 0);
    while at < N {
        keys[at] = pack(tokens[at].as_bytes());
        at += 1;
    }
    keys
}

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

/// The tokens of `url` that may carry information. Accepts relative and broken URLs.
pub fn url_tokens(url: &str) -> impl Iterator<Item = UrlToken<'_>> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let blocks = rest.split(['/', '?', '&']).enumerate();
    blocks.flat_map(|(block, text)| {
        let mut begin = 0;
        let tokens = text.split(SEPARATORS).filter(move |token| {
            let at = begin;
            begin += token.len() + 1;
            // what follows a dot in a file name is its ending
            let is_ending = block > 0 && at > 1 && text.as_bytes().get(at - 1) == Some(&b'.');
            !token.is_empty() && !says_nothing(token, block == 0, is_ending)
        });
        tokens.map(move |text| UrlToken { text, block: block as u32 })
    })
}

/// What separates the tokens of a block, one byte each.
const SEPARATORS: [char; 10] = ['.', '=', ':', ';', ',', '%', '+', '@', '~', '!'];

fn says_nothing(token: &str, is_in_host: bool, is_ending: bool) -> bool {
    let key = pack(token.as_bytes());
    ANYWHERE_KEYS.contains(&key)
        || (is_in_host && HOST_KEYS.contains(&key))
        || (is_ending && ENDING_KEYS.contains(&key))
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
        check("/a%20b.php;s=1", &[(1, "a"), (1, "20b"), (1, "s"), (1, "1")]);
        check("/courses/CS101-syllabus.HTML", &[(1, "courses"), (2, "CS101-syllabus")]);
    }

    #[test]
    fn stop_tokens_are_folders_too() {
        check("http://www.w3school.com.cn/html/index.asp", &[(0, "w3school"), (1, "html")]);
        check("http://a.cn/xml/xml_dom.xml", &[(0, "a"), (1, "xml"), (2, "xml_dom")]);
        check(
            "http://a.com/php/html5/x.php?net=de",
            &[(0, "a"), (1, "php"), (2, "html5"), (3, "x"), (4, "net"), (4, "de")],
        );
        check("/asp.net/.xml", &[(1, "asp"), (1, "net"), (2, "xml")]);
        check("/html", &[(1, "html")]);
        check("http://php.net/", &[(0, "php")]);
    }
}
