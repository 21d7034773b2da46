//! Decides which HTTP answers are pages, and parses them.

use osprey_model::Response;

use crate::{Input, Page, PageRules};

impl<'a> From<&'a Response> for Input<'a> {
    fn from(response: &'a Response) -> Self {
        let content_type = response.headers.get("content-type");
        Input { url: &response.url, content_type, body: &response.body }
    }
}

/// Parses the body of an answer, whatever its media type.
pub fn read_page(response: &Response, rules: &PageRules) -> Page {
    Page::parse(&response.into(), rules)
}

/// Whether an answer is a page: a success whose declared type is HTML or, if the declaration is missing, vague or
/// wrong, whose first bytes look like HTML.
pub fn is_page(response: &Response) -> bool {
    let success = (200..300).contains(&response.status);
    success && response.effective_media_type().is_some_and(|media| media.is_html())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use osprey_model::{CanonicalUrl, Timestamp, UrlRules};

    use super::*;

    #[test]
    fn pages_are_recognised_by_declaration_then_by_first_bytes() {
        let check = |declared: Option<&str>, status: u16, body: &'static str, expect: bool| {
            let response = Response {
                url: CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap(),
                status,
                headers: declared.map(|d| ("Content-Type", d)).into_iter().collect(),
                body: body.into(),
                fetched_at: Timestamp::EPOCH,
                took: Duration::ZERO,
                truncated: false,
                body_end: Default::default(),
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
        check(Some("text/html"), 200, "%PDF-1.4", false);
        check(None, 200, "%PDF-1.4", false);
        check(None, 200, "", false);
    }
}
