//! A mirror folder: plain files, named by the tool that saved them, converted back to URLs.
//!
//! The rules for a file `DIR/NAME` under the mirror's base URL:
//! - the URL is `base/DIR/NAME`, with percent-encoding of characters that a path cannot contain;
//! - `index.html` (or `.htm`) is the folder's own URL, `base/DIR/`;
//! - a query that the tool wrote into the name becomes one again: `page?x=1`, `page%3Fx=1`, and `page@x=1` if the
//!   part after the `@` contains a `=`; `index.html?x=1` is the folder's own URL with a query;
//! - an extension that the tool added after a query is removed: `page.php?x=1.html` is `page.php?x=1`.
//!
//! Rewritten links inside a mirror lead to the file names, so those URLs exist too: they redirect to the first one.
//! So do the other possible readings of a name: `/index.html?x=1`, a query with an extension that may belong to it,
//! and a query with slashes that a file name cannot contain and that are `%2F` there. Without a base URL, the top
//! folders must be host names (as wget writes them). Not supported: HTTrack's names with a checksum instead of a
//! query cannot be converted back; those pages have the file name as URL.

use std::path::{Component, Path, PathBuf};

use osprey_model::{CanonicalUrl, UrlRules};

/// The URLs of one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MirrorPath {
    /// The URL it answers under.
    pub(super) url: CanonicalUrl,
    /// Other URLs, which redirect there.
    pub(super) others: Vec<CanonicalUrl>,
}

/// The URLs of the file `relative` (relative to the mirror's folder); `None` if the rules give it none.
pub(super) fn place(relative: &Path, base: Option<&CanonicalUrl>, rules: &UrlRules) -> Option<MirrorPath> {
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
    let mut readings = readings(&folder, file, &literal).into_iter();
    let url = CanonicalUrl::parse(&readings.next()?, rules).ok()?;
    let mut others: Vec<CanonicalUrl> = Vec::new();
    for reading in readings {
        if let Ok(other) = CanonicalUrl::parse(&reading, rules)
            && other != url
            && !others.contains(&other)
        {
            others.push(other);
        }
    }
    Some(MirrorPath { url, others })
}

/// All URLs that the name `file` in `folder` may stand for, the most likely first.
fn readings(folder: &str, file: &str, literal: &str) -> Vec<String> {
    let Some((page, query)) = split_query(file) else {
        let own = if is_index(file) { folder } else { literal };
        return vec![own.to_owned(), literal.to_owned()];
    };
    let mut named = folder.to_owned();
    encode(&page, &mut named);
    let mut pages = vec![named];
    if is_index(&page) {
        pages.insert(0, folder.to_owned());
    }
    let query = query.replace(' ', "%20").replace('#', "%23");
    let bare = [".html", ".htm"].iter().find_map(|added| query.strip_suffix(added));
    let mut queries: Vec<&str> = bare.into_iter().chain([query.as_str()]).collect();
    let slashed: Vec<String> =
        queries.iter().map(|query| query.replace("%2F", "/").replace("%2f", "/")).collect();
    queries.extend(slashed.iter().map(String::as_str));
    let all = pages.iter().flat_map(|page| queries.iter().map(move |query| format!("{page}?{query}")));
    all.chain([literal.to_owned()]).collect()
}

fn is_index(name: &str) -> bool {
    matches!(name, "index.html" | "index.htm")
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

/// Whether a file of the mirror `root` is in a top folder that is named like a host.
pub(super) fn has_host(root: &Path, file: &Path) -> bool {
    let mut names = file.strip_prefix(root).unwrap_or(file).iter().map(|name| name.to_str());
    names.next().flatten().is_some_and(is_host) && names.next().is_some()
}

/// Splits a file name into a page's name and the query that was written into it.
fn split_query(file: &str) -> Option<(String, String)> {
    let decoded = file.replace("%3F", "?").replace("%3f", "?");
    let (page, query) = decoded.split_once('?').or_else(|| {
        decoded.split_once('@').filter(|(page, query)| !page.is_empty() && query.contains('='))
    })?;
    Some((page.to_owned(), query.to_owned()))
}

/// Escapes what a path segment cannot contain. A percent sign that begins a valid escape stays.
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
            Some((
                "http://a.example/page.html?x=1",
                &["http://a.example/page.html?x=1.html", "http://a.example/page.html%3Fx=1.html"],
            )),
        );
        check("me@home", base, Some(("http://a.example/me@home", &[])));
        check("@x=1", base, Some(("http://a.example/@x=1", &[])));
    }

    #[test]
    fn queries_of_folders_and_of_files() {
        let base = Some("http://a.example/");
        check(
            "x/index.html?a=b",
            base,
            Some((
                "http://a.example/x/?a=b",
                &["http://a.example/x/index.html?a=b", "http://a.example/x/index.html%3Fa=b"],
            )),
        );
        check(
            "index.html@a=b",
            base,
            Some((
                "http://a.example/?a=b",
                &["http://a.example/index.html?a=b", "http://a.example/index.html@a=b"],
            )),
        );
        check(
            "view?file=a.html",
            base,
            Some((
                "http://a.example/view?file=a",
                &["http://a.example/view?file=a.html", "http://a.example/view%3Ffile=a.html"],
            )),
        );
        check(
            "page?path=x%2Fy",
            base,
            Some((
                "http://a.example/page?path=x%2Fy",
                &["http://a.example/page?path=x/y", "http://a.example/page%3Fpath=x%2Fy"],
            )),
        );
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
