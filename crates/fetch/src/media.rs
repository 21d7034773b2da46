//! Which bodies are read at all, by media type.
//!
//! The declared type decides where it says something. Where it says nothing (none, `application/octet-stream`,
//! `text/plain`, which servers give to what they don't know), the first bytes of the body do.

use osprey_model::MediaType;
use thiserror::Error;

/// A list of accepted media types; an empty one accepts everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MediaFilter(Vec<Pattern>);

/// `type/subtype`, or `type/*` without a subtype.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    kind: String,
    subtype: Option<String>,
}

/// A text that names no media type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("media type `{0}`: expected `type/subtype` or `type/*`")]
pub struct MediaFilterError(String);

/// What the head of an answer says about reading the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Read,
    /// The first bytes decide.
    Sniff,
    /// Not of an accepted type.
    Refuse(String),
}

impl MediaFilter {
    /// Reads a list of `type/subtype` and `type/*`; `*/*` accepts everything.
    pub fn new<T: AsRef<str>>(accepted: impl IntoIterator<Item = T>) -> Result<Self, MediaFilterError> {
        let mut patterns = Vec::new();
        for text in accepted {
            let text = text.as_ref().trim().to_ascii_lowercase();
            let token =
                |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_graphic() && b != b'/');
            match text.split_once('/') {
                Some(("*", "*")) => return Ok(Self::default()),
                Some((kind, "*")) if token(kind) && kind != "*" => {
                    patterns.push(Pattern { kind: kind.to_owned(), subtype: None });
                }
                Some((kind, subtype)) if token(kind) && token(subtype) && !text.contains('*') => {
                    patterns.push(Pattern { kind: kind.to_owned(), subtype: Some(subtype.to_owned()) });
                }
                _ => return Err(MediaFilterError(text)),
            }
        }
        Ok(Self(patterns))
    }

    /// Whether everything is accepted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether bodies of this type (`text/html`) are read.
    pub(crate) fn accepts(&self, essence: &str) -> bool {
        let (kind, subtype) = essence.split_once('/').unwrap_or((essence, ""));
        self.0.is_empty()
            || self.0.iter().any(|accepted| {
                accepted.kind.eq_ignore_ascii_case(kind)
                    && accepted.subtype.as_ref().is_none_or(|s| s.eq_ignore_ascii_case(subtype))
            })
    }

    /// What to do with a body that the server declares so.
    pub(crate) fn judge(&self, declared: Option<&str>) -> Verdict {
        if self.0.is_empty() {
            return Verdict::Read;
        }
        match declared.and_then(MediaType::parse) {
            Some(media) if self.accepts(&media.essence) => Verdict::Read,
            Some(media) if !says_little(&media.essence) => Verdict::Refuse(media.essence),
            _ => Verdict::Sniff,
        }
    }

    /// What to do with a body that begins so: never [`Verdict::Sniff`].
    pub(crate) fn judge_prefix(&self, declared: Option<&str>, prefix: &[u8]) -> Verdict {
        match MediaType::effective(declared, prefix) {
            Some(media) if !self.accepts(&media.essence) => Verdict::Refuse(media.essence),
            _ => Verdict::Read,
        }
    }
}

fn says_little(essence: &str) -> bool {
    matches!(
        essence,
        "application/octet-stream" | "text/plain" | "application/unknown" | "unknown/unknown" | "*/*"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_patterns() {
        let check = |accepted: &[&str], expect: Result<usize, &str>| {
            let read = MediaFilter::new(accepted).map(|filter| filter.0.len());
            assert_eq!(read.map_err(|e| e.to_string()), expect.map_err(str::to_owned), "{accepted:?}");
        };
        check(&[], Ok(0));
        check(&["text/html", " Image/* "], Ok(2));
        check(&["text/html", "*/*"], Ok(0));
        check(&["html"], Err("media type `html`: expected `type/subtype` or `type/*`"));
        check(&["*/html"], Err("media type `*/html`: expected `type/subtype` or `type/*`"));
        check(&["text/"], Err("media type `text/`: expected `type/subtype` or `type/*`"));
    }

    #[test]
    fn judges_heads_and_beginnings() {
        let filter = MediaFilter::new(["text/html", "image/*"]).unwrap();
        let check = |declared: Option<&str>, prefix: &[u8], expect: Verdict| {
            let verdict = match filter.judge(declared) {
                Verdict::Sniff => filter.judge_prefix(declared, prefix),
                verdict => verdict,
            };
            assert_eq!(verdict, expect, "{declared:?}");
        };
        let refuse = |essence: &str| Verdict::Refuse(essence.to_owned());
        check(Some("Text/HTML; charset=x"), b"", Verdict::Read);
        check(Some("image/png"), b"", Verdict::Read);
        check(Some("video/mp4"), b"", refuse("video/mp4"));
        check(None, b"<!DOCTYPE html><html>", Verdict::Read);
        check(None, b"\x89PNG\r\n\x1a\n", Verdict::Read);
        check(Some("application/octet-stream"), b"%PDF-1.4", refuse("application/pdf"));
        check(Some("text/plain"), b"just words", refuse("text/plain"));
        check(None, b"", Verdict::Read);
    }
}
