//! URL patterns, as crawlers before Xu et al. 2018 use them: which parts of a site's URLs are fixed, and which vary.
//!
//! A URL is a list of tokens: the segments of its path, then `name=value` for each parameter, with numbers written as
//! `#`. URLs with the same number of segments and the same parameters are compared token by token. A position with many
//! different tokens is a wildcard (`*`); at other positions each token is a separate pattern. Because only the URL
//! counts, two page types with URLs of one form share a pattern: the weakness that Xu et al. 2018 address.
//!
//! Every link of a crawl is looked up, so tokens are found by hash and nothing is copied.

use std::collections::BTreeMap;

use osprey_model::CanonicalUrl;
use rustc_hash::FxHashMap;

/// More different tokens than this at one place are no names that a site's makers chose, but the names of its things.
const MAX_FIXED: usize = 8;
/// Tokens of a URL that are looked at.
const MAX_TOKENS: usize = 32;

/// A pattern, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PatternId(pub(super) u32);

/// The patterns of a site.
#[derive(Clone, Debug, Default)]
pub(super) struct UrlPatterns {
    /// By number of segments and names of parameters.
    roots: FxHashMap<Key, PatternNode>,
    texts: Vec<String>,
}

/// What stands at one place of URLs that agree so far.
#[derive(Clone, Debug)]
enum PatternNode {
    /// One of these.
    Fixed(FxHashMap<Key, PatternNode>),
    /// Anything.
    Free(Box<PatternNode>),
    End(PatternId),
}

impl UrlPatterns {
    /// The patterns of some URLs, whatever their order.
    pub(super) fn learn<'u>(urls: impl IntoIterator<Item = &'u CanonicalUrl>) -> Self {
        let mut forms: BTreeMap<(usize, Vec<String>), Vec<Vec<String>>> = BTreeMap::new();
        for url in urls {
            let (form, tokens) = tokens(url);
            forms.entry(form).or_default().push(tokens);
        }
        let mut patterns = Self::default();
        for (form, mut urls) in forms {
            urls.sort_unstable();
            urls.dedup();
            let place = patterns.place(&urls, 0, &mut Vec::new());
            patterns.roots.insert(Key::of_form(form.0, form.1.iter().map(String::as_str)), place);
        }
        patterns
    }

    fn place(&mut self, urls: &[Vec<String>], at: usize, above: &mut Vec<String>) -> PatternNode {
        let mut parts: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
        for url in urls {
            match url.get(at) {
                Some(token) => parts.entry(token).or_default().push(url.clone()),
                None => return PatternNode::End(self.add(above)),
            }
        }
        // one token that most URLs have is a name, whatever else stands beside it
        let most = parts.values().map(Vec::len).max().unwrap_or_default();
        let is_free = parts.len() > MAX_FIXED && 2 * most < urls.len();
        if is_free {
            above.push("*".to_owned());
            let below = self.place(urls, at + 1, above);
            above.pop();
            return PatternNode::Free(Box::new(below));
        }
        let mut fixed = FxHashMap::default();
        for (token, urls) in parts {
            above.push(token.to_owned());
            let below = self.place(&urls, at + 1, above);
            above.pop();
            fixed.insert(Key::default().with(token), below);
        }
        PatternNode::Fixed(fixed)
    }

    fn add(&mut self, tokens: &[String]) -> PatternId {
        let (parameters, segments): (Vec<&String>, Vec<&String>) =
            tokens.iter().partition(|token| token.contains('='));
        let join = |tokens: &[&String], by: &str| {
            tokens.iter().map(|token| token.as_str()).collect::<Vec<_>>().join(by)
        };
        let query =
            if parameters.is_empty() { String::new() } else { format!("?{}", join(&parameters, "&")) };
        self.texts.push(format!("/{}{query}", join(&segments, "/")));
        PatternId(self.texts.len() as u32 - 1)
    }

    /// The pattern of a URL; `None` if it is like none that was learned.
    pub(super) fn of(&self, url: &CanonicalUrl) -> Option<PatternId> {
        let mut place =
            self.roots.get(&Key::of_form(segments(url).count(), parameters(url).map(|(name, _)| name)))?;
        let in_path = segments(url).map(|segment| (None, segment));
        let in_query = parameters(url).map(|(name, value)| (Some(name), value));
        for (name, value) in in_path.chain(in_query) {
            place = match place {
                PatternNode::Free(below) => below,
                PatternNode::Fixed(fixed) => {
                    let key = name.map_or_else(Key::default, |name| Key::default().with(name).with("="));
                    fixed.get(&key.with_numbers_as_one(value))?
                }
                PatternNode::End(_) => return None,
            };
        }
        match place {
            PatternNode::End(id) => Some(*id),
            PatternNode::Free(_) | PatternNode::Fixed(_) => None,
        }
    }

    /// A pattern as people read it: `/topic/#/*`.
    pub(super) fn text(&self, id: PatternId) -> &str {
        self.texts.get(id.0 as usize).map_or("", String::as_str)
    }
}

/// Letters by a hash (FNV-1a): short texts, and two that differ are taken for one never in a lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key(u64);

impl Default for Key {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Key {
    fn of_form<'n>(segments: usize, names: impl Iterator<Item = &'n str>) -> Self {
        // no name has a `&` in it
        names.fold(Self(Self::default().0 ^ segments as u64), |key, name| key.with("&").with(name))
    }

    fn and(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    fn with(self, text: &str) -> Self {
        text.bytes().fold(self, Self::and)
    }

    /// The key of the text that [`with_numbers_as_one`] makes.
    fn with_numbers_as_one(self, text: &str) -> Self {
        let (key, _) = text.bytes().fold((self, false), |(key, in_number), byte| {
            let is_number = byte.is_ascii_digit() || byte == b'#';
            match (is_number, in_number) {
                (true, true) => (key, true),
                (true, false) => (key.and(b'#'), true),
                (false, _) => (key.and(byte), false),
            }
        });
        key
    }
}

fn segments(url: &CanonicalUrl) -> impl Iterator<Item = &str> {
    url.path().trim_start_matches('/').split('/').take(MAX_TOKENS)
}

/// Names and values.
fn parameters(url: &CanonicalUrl) -> impl Iterator<Item = (&str, &str)> {
    let parameters = url.query().into_iter().flat_map(|query| query.split('&')).take(MAX_TOKENS);
    parameters.map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")))
}

/// The form of a URL and its tokens.
fn tokens(url: &CanonicalUrl) -> ((usize, Vec<String>), Vec<String>) {
    let mut tokens: Vec<String> = segments(url).map(with_numbers_as_one).collect();
    let segments = tokens.len();
    let mut names = Vec::new();
    for (name, value) in parameters(url) {
        names.push(name.to_owned());
        tokens.push(format!("{name}={}", with_numbers_as_one(value)));
    }
    ((segments, names), tokens)
}

/// `page-12` and `page-7` are both `page-#`.
fn with_numbers_as_one(text: &str) -> String {
    let mut token = String::with_capacity(text.len());
    for letter in text.chars() {
        let letter = if letter.is_ascii_digit() { '#' } else { letter };
        if letter != '#' || !token.ends_with('#') {
            token.push(letter);
        }
    }
    token
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example{path}"), &UrlRules::default()).unwrap()
    }

    fn learned() -> UrlPatterns {
        let names = ["ann", "bob", "cem", "dora", "eve", "finn", "gus", "hal", "ida", "jo"];
        let mut urls = vec![url("/"), url("/about"), url("/list?page=2&sort=new")];
        urls.extend(names.map(|name| url(&format!("/user/{name}"))));
        urls.extend((0..5).map(|n| url(&format!("/topic/{n}/x"))));
        urls.extend(names.map(|name| url(&format!("/t/{name}/?p=1"))));
        UrlPatterns::learn(&urls)
    }

    #[test]
    fn what_varies_is_free() {
        let patterns = learned();
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(patterns.of(&url(path)).map(|id| patterns.text(id)), expect, "{path}");
        };
        check("/", Some("/"));
        check("/about", Some("/about"));
        check("/user/somebody-new", Some("/user/*"));
        check("/topic/77/x", Some("/topic/#/x"));
        check("/topic/77/y", None);
        check("/list?page=31&sort=new", Some("/list?page=#&sort=new"));
        check("/list?page=31", None);
        check("/t/zoe/?p=3", Some("/t/*/?p=#"));
        check("/contact", None);
        check("/topic", None);
        check("/topic/7/x/y", None);
    }

    #[test]
    fn keys_are_those_of_the_tokens() {
        for text in ["", "page", "page-12", "12", "a1b22c", "2024-11-16"] {
            let token = with_numbers_as_one(text);
            assert_eq!(Key::default().with_numbers_as_one(text), Key::default().with(&token), "{text}");
        }
    }

    #[test]
    fn the_order_of_urls_does_not_matter() {
        let urls: Vec<CanonicalUrl> = (0..30).map(|n| url(&format!("/{}/x{n}/y", n % 3))).collect();
        let turned: Vec<CanonicalUrl> = urls.iter().rev().cloned().collect();
        assert_eq!(UrlPatterns::learn(&urls).texts, UrlPatterns::learn(&turned).texts);
    }
}
