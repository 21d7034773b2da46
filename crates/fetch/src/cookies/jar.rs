//! The jar itself: what is kept, for whom, and what goes out with a request.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use osprey_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::line::{self, Line};

const MAX_PER_DOMAIN: usize = 50;
const MAX_ALL: usize = 3000;
/// Lines of one answer that are looked at.
const MAX_LINES: usize = 50;
/// Bytes of the header line that goes out.
const MAX_SENT: usize = 8 << 10;
const VERSION: u32 = 1;

/// One cookie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    /// Only for `domain` itself, not for what is below it.
    host_only: bool,
    path: String,
    secure: bool,
    /// Milliseconds since the epoch; without it the cookie lasts as long as the crawl.
    expires: Option<i64>,
}

/// What is written to JSON.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    cookies: Vec<Cookie>,
}

#[derive(Default)]
struct StoredCookies {
    /// By registrable domain, each list from old to new; the number is the order of all.
    by_domain: HashMap<String, Vec<(u64, Cookie)>>,
    next: u64,
}

/// A cookie jar.
#[derive(Default)]
pub(crate) struct Jar {
    kept: Mutex<StoredCookies>,
    /// Looked at before the lock: most crawls meet no cookies.
    count: AtomicUsize,
}

impl Jar {
    /// Reads what [`Jar::to_json`] wrote.
    pub(crate) fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        use serde::de::Error;
        let stored: Stored = serde_json::from_str(text)?;
        if stored.version != VERSION {
            return Err(serde_json::Error::custom(format!("version `{}` is not known", stored.version)));
        }
        let mut kept = StoredCookies::default();
        for cookie in stored.cookies {
            kept.insert(cookie);
        }
        let count = AtomicUsize::new(kept.len());
        Ok(Self { kept: Mutex::new(kept), count })
    }

    /// All cookies, from old to new.
    pub(crate) fn to_json(&self) -> String {
        let kept = self.lock();
        let mut cookies: Vec<_> = kept.by_domain.values().flatten().collect();
        cookies.sort_by_key(|(age, _)| *age);
        let cookies = cookies.into_iter().map(|(_, cookie)| cookie.clone()).collect();
        // Strings and numbers: nothing here can't be written.
        serde_json::to_string(&Stored { version: VERSION, cookies }).unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, StoredCookies> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value of `Cookie` for a request to `url`.
    pub(crate) fn header_for(&self, url: &CanonicalUrl, now: i64) -> Option<String> {
        if self.count.load(Relaxed) == 0 {
            return None;
        }
        let kept = self.lock();
        let cookies = kept.by_domain.get(url.registrable_domain())?;
        let mut matching: Vec<_> = cookies.iter().filter(|(_, cookie)| cookie.goes_to(url, now)).collect();
        // Longer paths first, then older ones.
        matching.sort_by_key(|(age, cookie)| (std::cmp::Reverse(cookie.path.len()), *age));
        let mut value = String::new();
        for (_, cookie) in matching {
            if value.len() + cookie.name.len() + cookie.value.len() + 3 > MAX_SENT {
                break;
            }
            let separator = if value.is_empty() { "" } else { "; " };
            for part in [separator, &cookie.name, "=", &cookie.value] {
                value.push_str(part);
            }
        }
        (!value.is_empty()).then_some(value)
    }

    /// Takes the `Set-Cookie` lines of an answer from `url`.
    pub(crate) fn take<'a>(&self, url: &CanonicalUrl, lines: impl Iterator<Item = &'a str>, now: i64) {
        let mut kept = None;
        for text in lines.take(MAX_LINES) {
            let Some(cookie) = line::parse(text, now).and_then(|line| admit(url, &line)) else { continue };
            let kept = kept.get_or_insert_with(|| self.lock());
            kept.remove(&cookie);
            if cookie.expires.is_none_or(|at| at > now) {
                kept.insert(cookie);
            }
            self.count.store(kept.len(), Relaxed);
        }
    }
}

impl StoredCookies {
    fn len(&self) -> usize {
        self.by_domain.values().map(Vec::len).sum()
    }

    /// Removes the cookie that `cookie` replaces.
    fn remove(&mut self, cookie: &Cookie) {
        let key = registrable(&cookie.domain);
        let Some(cookies) = self.by_domain.get_mut(key) else { return };
        cookies.retain(|(_, old)| {
            old.name != cookie.name || old.domain != cookie.domain || old.path != cookie.path
        });
        if cookies.is_empty() {
            self.by_domain.remove(key);
        }
    }

    fn insert(&mut self, cookie: Cookie) {
        let age = self.next;
        self.next += 1;
        let cookies = self.by_domain.entry(registrable(&cookie.domain).to_owned()).or_default();
        cookies.push((age, cookie));
        if cookies.len() > MAX_PER_DOMAIN {
            cookies.remove(0);
        } else if self.len() > MAX_ALL {
            self.remove_oldest();
        }
    }

    fn remove_oldest(&mut self) {
        let age = |cookies: &Vec<(u64, Cookie)>| cookies.first().map_or(u64::MAX, |(age, _)| *age);
        let Some((key, cookies)) = self.by_domain.iter_mut().min_by_key(|(_, cookies)| age(cookies)) else {
            return;
        };
        if cookies.len() > 1 {
            cookies.remove(0);
        } else {
            let key = key.clone();
            self.by_domain.remove(&key);
        }
    }
}

impl Cookie {
    fn goes_to(&self, url: &CanonicalUrl, now: i64) -> bool {
        let host_matches =
            if self.host_only { self.domain == url.host() } else { is_below(url.host(), &self.domain) };
        host_matches
            && (!self.secure || url.scheme() == "https")
            && self.expires.is_none_or(|at| at > now)
            && path_matches(url.path(), &self.path)
    }
}

/// Whether an answer from `url` may set this cookie, and as what.
fn admit(url: &CanonicalUrl, line: &Line<'_>) -> Option<Cookie> {
    let host = url.host();
    let (domain, host_only) = match line.domain.as_deref() {
        None => (host, true),
        Some(domain) if domain == host => (domain, is_address(host) || is_public_suffix(domain)),
        Some(domain) if is_address(host) || !is_below(host, domain) || is_public_suffix(domain) => {
            return None;
        }
        Some(domain) => (domain, false),
    };
    let is_https = url.scheme() == "https";
    let path = line.path.unwrap_or_else(|| default_path(url.path()));
    let begins = |prefix: &str| line.name.get(..prefix.len()).is_some_and(|s| s.eq_ignore_ascii_case(prefix));
    let secure_broken = line.secure && !is_https;
    let prefix_broken = begins("__Secure-") && !line.secure
        || begins("__Host-") && !(line.secure && line.domain.is_none() && path == "/");
    if secure_broken || prefix_broken {
        return None;
    }
    Some(Cookie {
        name: line.name.to_owned(),
        value: line.value.to_owned(),
        domain: domain.to_owned(),
        host_only,
        path: path.to_owned(),
        secure: line.secure,
        expires: line.expires,
    })
}

fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.parse::<IpAddr>().is_ok()
}

/// Whether `host` is `domain` or below it.
fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn is_public_suffix(domain: &str) -> bool {
    psl::domain_str(domain).is_none()
}

/// The key of the jar; as [`CanonicalUrl::registrable_domain`], for a cookie's domain.
fn registrable(domain: &str) -> &str {
    if is_address(domain) { domain } else { psl::domain_str(domain).unwrap_or(domain) }
}

/// RFC 6265, section 5.1.4.
fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => path.get(..at).unwrap_or("/"),
    }
}

fn path_matches(path: &str, cookie: &str) -> bool {
    path.strip_prefix(cookie)
        .is_some_and(|rest| rest.is_empty() || cookie.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    const NOW: i64 = 1_000_000;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text, &UrlRules::default()).unwrap()
    }

    fn set(jar: &Jar, from: &str, lines: &[&str]) {
        jar.take(&url(from), lines.iter().copied(), NOW);
    }

    #[test]
    fn goes_where_it_belongs() {
        let check = |from: &str, line: &str, to: &str, expect: bool| {
            let jar = Jar::default();
            set(&jar, from, &[line]);
            let sent = jar.header_for(&url(to), NOW);
            assert_eq!(sent.is_some(), expect, "{from} {line} {to}");
        };
        check("http://a.example/x/y", "k=v", "http://a.example/x/z", true);
        check("http://a.example/x/y", "k=v", "http://a.example/x", true);
        check("http://a.example/x/y", "k=v", "http://a.example/xz", false);
        check("http://a.example/x/y", "k=v", "http://a.example/", false);
        check("http://a.example/x/y", "k=v; Path=/", "http://a.example/", true);
        check("http://a.example/", "k=v", "http://b.a.example/", false);
        check("http://a.example/", "k=v; Domain=a.example", "http://b.a.example/", true);
        check("http://b.a.example/", "k=v; Domain=a.example", "http://a.example/", true);
        check("http://b.a.example/", "k=v; Domain=c.a.example", "http://c.a.example/", false);
        check("http://a.example/", "k=v; Domain=example", "http://b.example/", false);
        check("http://a.co.uk/", "k=v; Domain=co.uk", "http://b.co.uk/", false);
        check("http://a.github.io/", "k=v; Domain=github.io", "http://b.github.io/", false);
        check("http://xa.example/", "k=v; Domain=a.example", "http://a.example/", false);
        check("http://127.0.0.1/", "k=v", "http://127.0.0.1/", true);
        check("http://127.0.0.1/", "k=v; Domain=0.0.1", "http://127.0.0.1/", false);
        check("http://127.0.0.1/", "k=v; Domain=127.0.0.1", "http://127.0.0.1:81/", true);
        check("https://a.example/", "k=v; Secure", "https://a.example/", true);
        check("https://a.example/", "k=v; Secure", "http://a.example/", false);
        check("http://a.example/", "k=v; Secure", "https://a.example/", false);
        check("http://a.example/", "__Secure-k=v", "http://a.example/", false);
        check("https://a.example/", "__Host-k=v; Secure; Path=/", "https://a.example/", true);
        check(
            "https://a.example/",
            "__Host-k=v; Secure; Path=/; Domain=a.example",
            "https://a.example/",
            false,
        );
        check("http://a.example/", "k=v; Max-Age=1", "http://a.example/", true);
        check("http://a.example/", "k=v; Max-Age=0", "http://a.example/", false);
    }

    #[test]
    fn replaces_takes_back_and_orders() {
        let jar = Jar::default();
        let here = url("http://a.example/x/y");
        set(&jar, here.as_str(), &["a=1; Path=/", "b=2; Path=/x", "c=3; Path=/"]);
        assert_eq!(jar.header_for(&here, NOW).unwrap(), "b=2; a=1; c=3");
        set(&jar, here.as_str(), &["a=4; Path=/", "c=; Max-Age=0; Path=/"]);
        assert_eq!(jar.header_for(&here, NOW).unwrap(), "b=2; a=4");
        set(&jar, here.as_str(), &["a=; Max-Age=0; Path=/", "b=; Max-Age=0; Path=/x"]);
        assert_eq!(jar.header_for(&here, NOW), None);
        assert_eq!(jar.count.load(Relaxed), 0);
    }

    #[test]
    fn is_bounded() {
        let jar = Jar::default();
        let lines: Vec<String> = (0..200).map(|n| format!("k{n}=v")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        set(&jar, "http://a.example/", &lines);
        assert_eq!(jar.count.load(Relaxed), MAX_LINES);
        set(&jar, "http://a.example/", &lines[100..110]);
        assert_eq!(jar.count.load(Relaxed), MAX_PER_DOMAIN);
        for n in 0..80 {
            set(&jar, &format!("http://a{n}.example/"), &lines);
        }
        assert_eq!(jar.count.load(Relaxed), MAX_ALL);
        assert_eq!(jar.header_for(&url("http://a.example/"), NOW), None);
        assert!(jar.header_for(&url("http://a79.example/"), NOW).is_some());
    }

    #[test]
    fn comes_back_from_json() {
        let jar = Jar::default();
        set(&jar, "http://a.example/", &["a=1", "b=\"ä\"; Max-Age=9"]);
        let text = jar.to_json();
        let again = Jar::from_json(&text).unwrap();
        assert_eq!(again.to_json(), text);
        assert_eq!(again.header_for(&url("http://a.example/"), NOW).unwrap(), "a=1; b=\"ä\"");
        assert_eq!(again.header_for(&url("http://a.example/"), NOW + 9001).unwrap(), "a=1");
        assert!(Jar::from_json("{}").is_err());
        assert!(Jar::from_json(r#"{"version":2,"cookies":[]}"#).is_err());
    }
}
