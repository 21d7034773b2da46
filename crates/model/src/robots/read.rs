//! Parses the file: lines, keys, groups.

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use super::rules::Rule;
use super::{MAX_BODY, MAX_CRAWL_DELAY, pattern};

/// The rules in a file for one agent.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) rules: Vec<Rule>,
    pub(super) crawl_delay: Option<Duration>,
    pub(super) sitemaps: Vec<String>,
}

/// The product token of a user agent: `osprey` of `osprey/0.1 (+mailto:me@example.org)`. `None` if the text does not
/// begin with one, or continues like a name of several words (`My Robot`): only `*` groups apply to such an agent.
pub(crate) fn product_token(agent: &str) -> Option<&str> {
    let agent = agent.trim();
    let token = leading_token(agent);
    let rest = agent.get(token.len()..)?;
    let ends_here = rest.is_empty() || rest.starts_with('/') || rest.trim_start().starts_with('(');
    (!token.is_empty() && ends_here).then_some(token)
}

/// The RFC allows letters, `-` and `_`; actual robots also have digits and dots in their names.
fn leading_token(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Parses `body` for `agent`.
pub(super) fn read(body: &[u8], agent: &str) -> File {
    let mut reader = Reader::new(product_token(agent));
    let is_cut = body.len() > MAX_BODY;
    let body = as_utf8(body.get(..MAX_BODY).unwrap_or(body));
    let body = if is_cut { whole_lines(&body) } else { &body };
    for (number, line) in lines(body).enumerate() {
        if let Some((key, value)) = key_and_value(line) {
            reader.line(key, value, u32::try_from(number + 1).unwrap_or(u32::MAX));
        }
    }
    reader.finish()
}

/// All lines except a last one without a line end.
fn whole_lines(body: &[u8]) -> &[u8] {
    let end = memchr::memrchr2(b'\r', b'\n', body).unwrap_or(0);
    body.get(..end).unwrap_or_default()
}

/// The body without its byte order mark. UTF-16 is decoded, since it would be useless otherwise; other bytes stay as
/// they are.
fn as_utf8(body: &[u8]) -> Cow<'_, [u8]> {
    let decode = |rest: &[u8], unit: fn([u8; 2]) -> u16| -> Cow<'_, [u8]> {
        let units = rest.chunks_exact(2).filter_map(|pair| pair.first_chunk().copied().map(unit));
        let text: String =
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        text.into_bytes().into()
    };
    match body {
        [0xEF, 0xBB, 0xBF, rest @ ..] => rest.into(),
        [0xFF, 0xFE, rest @ ..] => decode(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode(rest, u16::from_be_bytes),
        _ => body.into(),
    }
}

/// Lines that end with CR, LF or CR LF.
fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(body);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memchr::memchr2(b'\r', b'\n', text) else {
            rest = None;
            return Some(text);
        };
        let after = if text.get(end..).is_some_and(|t| t.starts_with(b"\r\n")) { end + 2 } else { end + 1 };
        rest = text.get(after..);
        text.get(..end)
    })
}

#[derive(Clone, Copy)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

impl Key {
    /// Finds a key by name; common misspellings are accepted.
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"user-agent" | b"useragent" | b"user agent" | b"user_agent" | b"user-agents"
            | b"users-agent" | b"useg-agent" | b"user-agnet" => Self::UserAgent,
            b"allow" | b"alow" | b"alllow" => Self::Allow,
            b"disallow" | b"dissallow" | b"dissalow" | b"disalow" | b"diasllow" | b"disallaw"
            | b"desallow" | b"disallows" => Self::Disallow,
            b"crawl-delay" | b"crawldelay" | b"crawl delay" | b"crawl_delay" => Self::CrawlDelay,
            b"sitemap" | b"site-map" | b"sitemaps" => Self::Sitemap,
            _ => return None,
        })
    }
}

/// `key: value`, or `key value` if the colon is missing and there are exactly two words.
fn key_and_value(line: &[u8]) -> Option<(Key, &[u8])> {
    let line = line.split(|&b| b == b'#').next()?.trim_ascii();
    if let Some(colon) = memchr::memchr(b':', line) {
        let (name, value) = (line.get(..colon)?, line.get(colon + 1..)?);
        if let Some(key) = Key::named(name.trim_ascii_end()) {
            return Some((key, value.trim_ascii()));
        }
    }
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(name), Some(value), None) => Some((Key::named(name)?, value)),
        _ => None,
    }
}

/// Collects the groups of our agent and, in case there are none, those of `*`.
struct Reader<'a> {
    token: Option<&'a str>,
    named: Group,
    any: Group,
    /// Whether any group names our agent, even one without rules.
    is_named: bool,
    /// Whether the current group is for our agent, and whether it is for `*`.
    for_us: bool,
    for_any: bool,
    /// Whether the group has no rule yet, so that further agents join it.
    in_agents: bool,
    sitemaps: Vec<String>,
    seen_sitemaps: HashSet<u64>,
}

#[derive(Default)]
struct Group {
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl<'a> Reader<'a> {
    fn new(token: Option<&'a str>) -> Self {
        Self {
            token,
            named: Group::default(),
            any: Group::default(),
            is_named: false,
            for_us: false,
            for_any: false,
            in_agents: false,
            sitemaps: Vec::new(),
            seen_sitemaps: HashSet::new(),
        }
    }

    fn line(&mut self, key: Key, value: &[u8], line: u32) {
        match key {
            Key::UserAgent => self.user_agent(value),
            Key::Allow | Key::Disallow => {
                self.in_agents = false;
                let allow = matches!(key, Key::Allow);
                self.in_groups(|group| group.add(allow, value, line));
            }
            // Neither of the two ends a list of agents (RFC 9309, 2.2.4).
            Key::CrawlDelay => {
                if let Some(delay) = delay(value) {
                    self.in_groups(|group| group.crawl_delay = group.crawl_delay.max(Some(delay)));
                }
            }
            Key::Sitemap => {
                let is_new =
                    !value.is_empty() && self.seen_sitemaps.insert(xxhash_rust::xxh3::xxh3_64(value));
                if is_new {
                    self.sitemaps.push(String::from_utf8_lossy(value).into_owned());
                }
            }
        }
    }

    fn user_agent(&mut self, value: &[u8]) {
        if !self.in_agents {
            (self.for_us, self.for_any, self.in_agents) = (false, false, true);
        }
        let value = String::from_utf8_lossy(value);
        if value.split_ascii_whitespace().next() == Some("*") {
            self.for_any = true;
        } else if self.token.is_some_and(|token| leading_token(&value).eq_ignore_ascii_case(token)) {
            (self.for_us, self.is_named) = (true, true);
        }
    }

    fn in_groups(&mut self, mut change: impl FnMut(&mut Group)) {
        if self.for_us {
            change(&mut self.named);
        }
        if self.for_any {
            change(&mut self.any);
        }
    }

    fn finish(self) -> File {
        let group = if self.is_named { self.named } else { self.any };
        File { rules: group.rules, crawl_delay: group.crawl_delay, sitemaps: self.sitemaps }
    }
}

impl Group {
    fn add(&mut self, allow: bool, value: &[u8], line: u32) {
        // An empty value matches nothing; a value with any other first character cannot match a path.
        if !value.starts_with(b"/") && !value.starts_with(b"*") {
            return;
        }
        let pattern = pattern::normalise(value);
        if allow && let Some(directory) = index_directory(&pattern) {
            self.rules.push(Rule { allow, pattern: directory, line });
        }
        self.rules.push(Rule { allow, pattern, line });
    }
}

/// `/x/$` for `/x/index.html`: whoever may read the index page may read the directory that shows it.
fn index_directory(pattern: &str) -> Option<String> {
    let (directory, file) = pattern.rsplit_once('/')?;
    file.starts_with("index.htm").then(|| format!("{directory}/$"))
}

/// Parses seconds with decimals. A value that does not begin with a number is ignored.
fn delay(value: &[u8]) -> Option<Duration> {
    let end = value.iter().position(|b| !(b.is_ascii_digit() || *b == b'.')).unwrap_or(value.len());
    let seconds: f64 = std::str::from_utf8(value.get(..end)?).ok()?.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).map_or(MAX_CRAWL_DELAY, |delay| delay.min(MAX_CRAWL_DELAY)))
}
