//! Posted forms: the server refuses a form without its CSRF token before reading it.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use osprey_engine::Error;

use crate::app::App;
use crate::error::Failure;

/// A form that one of our pages sent. A name may come several times, as check boxes do.
pub(crate) struct Posted(Vec<(String, String)>);

impl Posted {
    /// The value of a field; `None` if it is not there or empty.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of a field that are not empty.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let values = self.0.iter().filter(move |(known, _)| known == name);
        values.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// All values of a field, each line and each part between commas by itself.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        let parts = self.all(name).flat_map(|value| value.split([',', '\n', '，', '、']));
        parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }
}

impl FromRequest<Arc<App>> for Posted {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Failure> {
        let body = Bytes::from_request(request, app)
            .await
            .map_err(|rejection| Failure::of(rejection.status(), rejection.body_text()))?;
        let posted = Self(url::form_urlencoded::parse(&body).into_owned().collect());
        app.guard.check_csrf(posted.one("csrf").unwrap_or_default())?;
        Ok(posted)
    }
}

/// A field that has to be there.
pub(crate) fn wanted<'a>(posted: &'a Posted, name: &str) -> Result<&'a str, Error> {
    posted.one(name).ok_or_else(|| Error::Usage(format!("missing form field `{name}`")))
}

/// A path on this server, whatever the form says: no open redirects.
pub(crate) fn inside(to: &str) -> &str {
    let is_inside = to.starts_with('/')
        && !to.starts_with("//")
        && to.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_inside { to } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        let posted = Posted(
            [("a", " 1 "), ("a", "2, 3\n4"), ("b", "")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
        );
        assert_eq!(posted.one("a"), Some("1"));
        assert_eq!((posted.one("b"), posted.one("c")), (None, None));
        assert_eq!(posted.list("a"), ["1", "2", "3", "4"]);
        assert!(wanted(&posted, "c").is_err());
    }

    #[test]
    fn redirects_stay_on_this_server() {
        let check = |to: &str, expect: &str| assert_eq!(inside(to), expect, "{to}");
        check("/p/x/?q=a", "/p/x/?q=a");
        for to in ["", "//evil.example", "http://evil.example", "/\\evil.example", "/a\r\nb", "p"] {
            check(to, "/");
        }
    }
}
