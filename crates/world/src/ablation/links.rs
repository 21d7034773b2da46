//! Links and classes of finished pages, written again. It reads what [`crate::markup::Markup`] writes, in any encoding whose
//! bytes above 127 hide no tag.

use crate::Dice;
use crate::markup::escape;
use crate::routes::push_base36;

const LINK: &[u8] = b"<a href=\"";
const END: &[u8] = b"</a>";
const CLASS: &[u8] = b" class=";
const ALT: &[u8] = b" alt=";

/// What becomes of a link.
pub(super) enum Change {
    Keep,
    /// It leads elsewhere.
    To(String),
    /// Its text stays, without a link.
    Unlink,
}

/// Asks for every link of a page, by its reference, what becomes of it.
pub(super) fn each_link(body: &[u8], mut change: impl FnMut(&str) -> Change) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + body.len() / 2);
    let mut rest = body;
    while let Some(Found { before, raw, href, after }) = next_link(rest) {
        out.extend_from_slice(before);
        rest = after;
        match change(&href) {
            Change::Keep => out.extend_from_slice(raw),
            Change::To(to) => {
                let mut escaped = String::with_capacity(to.len());
                escape(&to, &mut escaped);
                out.extend_from_slice(LINK);
                out.extend_from_slice(escaped.as_bytes());
                out.push(b'"');
            }
            Change::Unlink => {
                // the other attributes are those of a link
                let tag_end = find(rest, b">").map_or(rest.len(), |at| at + 1);
                let (_, content) = rest.split_at(tag_end);
                let end = find(content, END).unwrap_or(content.len());
                let (text, tail) = content.split_at(end);
                out.extend_from_slice(b"<span>");
                out.extend_from_slice(text);
                out.extend_from_slice(b"</span>");
                rest = tail.strip_prefix(END).unwrap_or(tail);
            }
        }
    }
    out.extend_from_slice(rest);
    out
}

/// The page without the text of its links; what is marked up in them stays, pictures without their description.
pub(super) fn without_anchors(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = find(rest, LINK) {
        let content_at =
            find(rest.get(at..).unwrap_or_default(), b">").map_or(rest.len(), |end| at + end + 1);
        let (before, content) = rest.split_at(content_at);
        out.extend_from_slice(before);
        let end = find(content, END).unwrap_or(content.len());
        let (mut inside, after) = content.split_at(end);
        while let Some(tag_at) = find(inside, b"<") {
            let tag = inside.get(tag_at..).unwrap_or_default();
            let (tag, next) = tag.split_at(find(tag, b">").map_or(tag.len(), |end| end + 1));
            out.extend_from_slice(&attributes(tag, ALT, |_, out| out.clear()));
            inside = next;
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out
}

/// The page with other names for its classes: the same for the same within the page, others on other pages.
pub(super) fn rename_classes(body: &[u8], page: Dice) -> Vec<u8> {
    attributes(body, CLASS, |names, out| {
        out.clear();
        for name in names.split_ascii_whitespace() {
            out.push_str(if out.is_empty() { "c" } else { " c" });
            push_base36(page.of(name).bits() >> 24, out);
        }
    })
}

/// Changes the values of an attribute, quoted in either way.
fn attributes(body: &[u8], name: &[u8], change: impl Fn(&str, &mut String)) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let (mut rest, mut value) = (body, String::new());
    while let Some(at) = find(rest, name) {
        let (before, after) = rest.split_at(at + name.len());
        out.extend_from_slice(before);
        rest = after;
        let Some((quote, inside)) = after.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))
        else {
            continue;
        };
        let Some(end) = find(inside, &[*quote]) else { continue };
        let (old, tail) = inside.split_at(end);
        change(&String::from_utf8_lossy(old), &mut value);
        out.push(*quote);
        out.extend_from_slice(value.as_bytes());
        rest = tail;
    }
    out.extend_from_slice(rest);
    out
}

/// A link in a page.
struct Found<'a> {
    before: &'a [u8],
    /// Its beginning, up to the end of its reference.
    raw: &'a [u8],
    /// The reference, without escapes.
    href: String,
    after: &'a [u8],
}

fn next_link(body: &[u8]) -> Option<Found<'_>> {
    let (before, link) = body.split_at(find(body, LINK)?);
    let value = link.get(LINK.len()..)?;
    let end = find(value, b"\"")?;
    let (raw, after) = link.split_at_checked(LINK.len() + end + 1)?;
    let href = String::from_utf8_lossy(value.get(..end)?);
    let href = href.replace("&#39;", "'").replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
    Some(Found { before, raw, href: href.replace("&amp;", "&"), after })
}

fn find(body: &[u8], what: &[u8]) -> Option<usize> {
    body.windows(what.len()).position(|window| window == what)
}
