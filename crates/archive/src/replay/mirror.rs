//! A mirror folder: plain files, named by the tool that saved them, turned back into URLs.
//!
//! The rule, for a file `DIR/NAME` under the mirror's base URL:
//! - the URL is `base/DIR/NAME`, characters that a path can't hold percent-encoded;
//! - `index.html` (or `.htm`) is the folder's own URL, `base/DIR/`;
//! - a query that the tool wrote into the name is one again: `page?x=1`, `page%3Fx=1`, and `page@x=1` where
//!   the part after the `@` has a `=`;
//! - an extension that the tool added behind a query is dropped: `page.php?x=1.html` is `page.php?x=1`.
//!
//! Rewritten links inside a mirror point at the file names, so those URLs exist too: they redirect to the
//! first one. Without a base, the top folders must be host names (as wget writes them). Not done: the
//! checksummed names that HTTrack gives to queries can't be turned back; they are pages under those names.

use std::path::{Component, Path, PathBuf};

use osprey_model::{CanonicalUrl, UrlRules};

/// Where one file answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The URL it answers under.
    pub(super) url: CanonicalUrl,
    /// Other URLs, which redirect there.
    pub(super) others: Vec<CanonicalUrl>,
}

/// The URLs of the file `relative` (to the mirror's folder); `None` if it has none under the rules.
pub(super) fn place(relative: &Path, base: Option<&CanonicalUrl>, rules: &UrlRules) -> Option<Place> {
    let mut names: Vec<&str> = Vec::new();
    for component in relative.components() {
        match component {
            Component::Normal(name) => names.push(name.to_str()?),
            _ => return None,
        }
    }
    let file = names.pop()?;
    let mut folder = match base {
        Some(base) => folder_of(base),
        None => {
            let host = names.first().filter(|name| is_host(name))?.replace('+', ":");
            names.remove(0);
            format!("http://{host}/")
        }
    };
    for name in names {
        encode(name, &mut folder);
        folder.push('/');
    }
    let mut literal = folder.clone();
    encode(file, &mut literal);
    let first = match split_query(file) {
        Some((page, query)) => {
            let mut url = folder;
            encode(&page, &mut url);
            format!("{url}?{}", query.replace(' ', "%20").replace('#', "%23"))
        }
        None if matches!(file, "index.html" | "index.htm") => folder,
        None => literal.clone(),
    };
    let url = CanonicalUrl::parse(&first, rules).ok()?;
    let others = CanonicalUrl::parse(&literal, rules).ok().filter(|other| *other != url);
    Some(Place { url, others: others.into_iter().collect() })
}

/// The base up to its last slash.
fn folder_of(base: &CanonicalUrl) -> String {
    let path = base.path();
    let folder = path.rfind('/').map_or("/", |at| path.get(..=at).unwrap_or("/"));
    format!("{}{folder}", base.origin())
}

/// Whether a top folder's name is a host: `example.org`, `127.0.0.1:8080`, `localhost+8080`.
pub(super) fn is_host(name: &str) -> bool {
    let (host, port) = name.split_once([':', '+']).unwrap_or((name, "80"));
    let port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let dotted = host.contains('.') && !host.starts_with('.') && !host.ends_with('.');
    port && (dotted || host == "localhost")
        && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
}

/// A page's name and the query that was written into it.
fn split_query(file: &str) -> Option<(String, String)> {
    let decoded = file.replace("%3F", "?").replace("%3f", "?");
    let (page, query) = decoded.split_once('?').or_else(|| {
        decoded.split_once('@').filter(|(page, query)| !page.is_empty() && query.contains('='))
    })?;
    let added = [".html", ".htm"].iter().find_map(|extension| query.strip_suffix(extension));
    Some((page.to_owned(), added.unwrap_or(query).to_owned()))
}

/// Escapes what a path segment can't hold. A percent sign that already begins an escape is left alone.
fn encode(segment: &str, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let bytes = segment.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let escape = matches!(bytes.get(at + 1..at + 3), Some([a, b]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
        let plain = match byte {
            b'%' => escape,
            b'?' | b'#' | b'\\' | b'"' | b'<' | b'>' | b'`' | b'{' | b'}' | b'^' | b'|' => false,
            _ => byte.is_ascii_graphic(),
        };
        if plain {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

/// A mirror's files, as paths relative to its folder.
pub(super) fn relative(root: &Path, files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.into_iter().filter_map(|file| file.strip_prefix(root).ok().map(Path::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, base: Option<&str>, expect: Option<(&str, &[&str])>) {
        let rules = UrlRules { drop_params: Vec::new(), ..UrlRules::default() };
        let base = base.map(|base| CanonicalUrl::parse(base, &rules).unwrap());
        let place = place(Path::new(file), base.as_ref(), &rules);
        let read = place.map(|place| {
            let others: Vec<_> = place.others.iter().map(|url| url.as_str().to_owned()).collect();
            (place.url.as_str().to_owned(), others)
        });
        let expect = expect.map(|(url, others)| {
            (url.to_owned(), others.iter().map(|url| (*url).to_owned()).collect::<Vec<_>>())
        });
        assert_eq!(read, expect, "{file}");
    }

    #[test]
    fn names_under_a_base() {
        let base = Some("http://a.example/docs/start.html");
        check("x/y.html", base, Some(("http://a.example/docs/x/y.html", &[])));
        check("index.html", base, Some(("http://a.example/docs/", &["http://a.example/docs/index.html"])));
        check(
            "x/index.htm",
            base,
            Some(("http://a.example/docs/x/", &["http://a.example/docs/x/index.htm"])),
        );
        check("a b#c.html", base, Some(("http://a.example/docs/a%20b%23c.html", &[])));
        check("caf\u{e9}.html", base, Some(("http://a.example/docs/caf%C3%A9.html", &[])));
    }

    #[test]
    fn queries_in_names() {
        let base = Some("http://a.example/");
        let page = "http://a.example/page?x=1";
        check("page?x=1", base, Some((page, &["http://a.example/page%3Fx=1"])));
        check("page%3Fx=1", base, Some((page, &["http://a.example/page%3Fx=1"])));
        check("page@x=1", base, Some((page, &["http://a.example/page@x=1"])));
        check(
            "page.html?x=1.html",
            base,
            Some(("http://a.example/page.html?x=1", &["http://a.example/page.html%3Fx=1.html"])),
        );
        check("me@home", base, Some(("http://a.example/me@home", &[])));
        check("@x=1", base, Some(("http://a.example/@x=1", &[])));
    }

    #[test]
    fn hosts_as_top_folders() {
        check("a.example/x.html", None, Some(("http://a.example/x.html", &[])));
        check("127.0.0.1+8080/x.html", None, Some(("http://127.0.0.1:8080/x.html", &[])));
        check(
            "localhost:81/index.html",
            None,
            Some(("http://localhost:81/", &["http://localhost:81/index.html"])),
        );
        check("x.html", None, None);
        check("docs/x.html", None, None);
    }
}
