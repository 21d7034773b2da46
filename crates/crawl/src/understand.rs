//! A page worker's job: what an answer says, apart from what the crawl knows already. Pure CPU.

use osprey_archive::Digest;
use osprey_model::Response;
use osprey_page::{Input, Page, PageRules};
use osprey_steer::{Judge, Judgement};

use crate::duplicates::Simhash;

/// An answer, read.
#[derive(Debug)]
pub struct Understood {
    /// What the server sent.
    pub response: Response,
    /// Of its body.
    pub digest: Digest,
    /// The page, if it is one.
    pub page: Option<ReadPage>,
}

impl Understood {
    /// Whether there is a body that another answer could repeat.
    pub(crate) fn has_content(&self) -> bool {
        !self.response.body.is_empty() && (200..300).contains(&self.response.status)
    }
}

/// A page and what follows from it alone.
#[derive(Debug)]
pub struct ReadPage {
    /// The page.
    pub page: Page,
    /// Its words in 64 bits.
    pub simhash: Option<Simhash>,
    /// The judge's word.
    pub judgement: Judgement,
}

/// Reads an answer.
pub fn understand(response: Response, rules: &PageRules, judge: &Judge) -> Understood {
    let digest = Digest::of(&response.body);
    let page = is_page(&response).then(|| {
        let page = read_page(&response, rules);
        let simhash = Simhash::of(page.text());
        let judgement = judge.judge(&page);
        ReadPage { page, simhash, judgement }
    });
    Understood { response, digest, page }
}

/// Parses the body of `response`.
pub fn read_page(response: &Response, rules: &PageRules) -> Page {
    let content_type = response.headers.get("content-type");
    Page::parse(&Input { url: &response.url, content_type, body: &response.body }, rules)
}

/// HTML by declaration, or, with none or a vague one, by its look.
fn is_page(response: &Response) -> bool {
    let success = (200..300).contains(&response.status);
    success
        && match response.media_type() {
            Some(media) if media.is_html() => true,
            Some(media) if media.essence != "application/octet-stream" && media.essence != "text/plain" => {
                false
            }
            declared => declared.is_none_or(|m| m.essence != "text/plain") && looks_like_html(&response.body),
        }
}

fn looks_like_html(body: &[u8]) -> bool {
    let start = body.trim_ascii_start();
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let start = &start[..start.len().min(64)].to_ascii_lowercase();
    [&b"<!doctype html"[..], b"<html", b"<head", b"<body", b"<title", b"<!--"]
        .iter()
        .any(|tag| start.starts_with(tag))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use osprey_model::{CanonicalUrl, Timestamp, UrlRules};

    use super::*;

    #[test]
    fn pages_are_told_by_declaration_then_by_look() {
        let check = |declared: Option<&str>, status: u16, body: &'static str, expect: bool| {
            let response = Response {
                url: CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap(),
                status,
                headers: declared.map(|d| ("Content-Type", d)).into_iter().collect(),
                body: body.into(),
                fetched_at: Timestamp::EPOCH,
                took: Duration::ZERO,
                truncated: false,
                ip: None,
                request_head: Default::default(),
                note: None,
            };
            assert_eq!(is_page(&response), expect, "{declared:?} {status} {body}");
        };
        check(Some("text/html"), 200, "", true);
        check(Some("application/xhtml+xml"), 200, "", true);
        check(Some("text/html"), 404, "<html>", false);
        check(Some("image/png"), 200, "<html>", false);
        check(Some("text/plain"), 200, "<html>", false);
        check(None, 200, " <!DOCTYPE HTML PUBLIC", true);
        check(Some("application/octet-stream"), 200, "\u{feff}<html>", true);
        check(None, 200, "%PDF-1.4", false);
        check(None, 200, "", false);
    }
}
