//! Access control, and what a browser may do with a response.
//!
//! By default the server listens on loopback and needs no login. But any page in the user's browser can send requests
//! there. So without a token the server accepts only host names of this machine (a foreign name that resolves to
//! loopback is an attack); requests that change something must come from its own pages (`Origin`, `Sec-Fetch-Site`, and
//! a CSRF token in every form); and the API takes changes as JSON only, which a foreign page cannot send without a
//! preflight. With a token, everything but the login page requires it: as `Authorization: Bearer`, or as the cookie
//! that the login sets.
//!
//! Content from the Web is escaped. If some of it ever got into a page as markup, the content security policy would
//! keep it from running and from sending requests.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use osprey_engine::Error;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::access;
use crate::app::App;
use crate::error::Failure;

/// The cookie of a session that has given the token.
const COOKIE: &str = "osprey_session";
/// Bytes of an address. `hyper` takes a little more, and answers 414 without a body beyond that.
const MAX_ADDRESS: usize = 65_000;
/// Nothing from elsewhere, nothing inline, no frames.
const CONTENT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                       form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Knows the token and the secrets that are made from it.
pub(crate) struct Guard {
    token: Option<String>,
    session: String,
    csrf: String,
}

impl Guard {
    /// With secrets of its own: a restart ends all sessions.
    pub(crate) fn new(token: Option<String>) -> std::io::Result<Self> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(std::io::Error::other)?;
        let made = |purpose: &str| {
            let mut hash = Sha256::new();
            hash.update(secret);
            hash.update(purpose);
            hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        Ok(Self { token, session: made("session"), csrf: made("csrf") })
    }

    /// The hidden field in our forms.
    pub(crate) fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Whether a form is ours.
    pub(crate) fn check_csrf(&self, given: &str) -> Result<(), Error> {
        if is_same(given, &self.csrf) {
            return Ok(());
        }
        tracing::warn!(target: "osprey::server", why = "missing or wrong form token", "refused");
        let message = "this form is not from a page of this server, or the server was started again since; load the \
                       page again";
        Err(Error::Usage(message.to_owned()))
    }

    /// Whether there is a login.
    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The cookie for someone who gives the right token.
    pub(crate) fn login(&self, token: &str) -> Option<String> {
        let right = self.token.as_deref().is_some_and(|known| is_same(token, known));
        right.then(|| format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800", self.session))
    }

    /// The cookie that takes the other one away.
    pub(crate) fn logout() -> String {
        format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }

    fn is_let_in(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        self.is_bearer(headers, token) || cookie(headers).is_some_and(|given| is_same(given, &self.session))
    }

    fn is_bearer(&self, headers: &HeaderMap, token: &str) -> bool {
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        given.and_then(|value| value.strip_prefix("Bearer ")).is_some_and(|given| is_same(given, token))
    }
}

/// In the same time whatever differs, so that nothing is learned by asking often.
fn is_same(given: &str, known: &str) -> bool {
    let digest = |text: &str| Sha256::digest(text.as_bytes());
    digest(given).ct_eq(&digest(known)).into()
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// The gate that all requests pass.
pub(crate) async fn gate(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let refused = |status: StatusCode, message: &str| {
        access::refused(request.uri(), request.headers(), message);
        Failure::of(status, message.to_owned()).into_response_for(is_api)
    };
    let path = request.uri().path();
    // which of two names is meant, others may see differently
    if request.headers().get_all(header::HOST).iter().count() > 1 {
        return with_headers(refused(StatusCode::BAD_REQUEST, "more than one `Host` line"));
    }
    if request.uri().path_and_query().is_some_and(|address| address.as_str().len() > MAX_ADDRESS) {
        return with_headers(refused(StatusCode::URI_TOO_LONG, "the address is longer than 65,000 bytes"));
    }
    // probes ask by whatever name they know
    let is_probe = matches!(path, "/healthz" | "/readyz");
    if !app.guard.has_token() && !is_probe && !names_this_machine(request.headers()) {
        return with_headers(refused(
            StatusCode::FORBIDDEN,
            "unknown host name: without a token this server accepts only names of this machine, such as localhost",
        ));
    }
    if is_change(request.method()) && is_foreign(request.headers()) {
        return with_headers(refused(
            StatusCode::FORBIDDEN,
            "refused: the request comes from a page of another site",
        ));
    }
    let is_open = is_probe || path == "/login" || path.starts_with("/static/");
    if !is_open && !app.guard.is_let_in(request.headers()) {
        if is_api || request.method() != Method::GET || path == "/metrics" {
            let mut response =
                refused(StatusCode::UNAUTHORIZED, "give the server's token as `Authorization: Bearer TOKEN`");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return with_headers(response);
        }
        let to: String =
            url::form_urlencoded::byte_serialize(access::local(request.uri()).as_bytes()).collect();
        return with_headers(Redirect::to(&format!("/login?to={to}")).into_response());
    }
    with_headers(next.run(request).await)
}

fn is_change(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether the `Host` is a name that always means this machine.
fn names_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|value| value.to_str().ok()) else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let is_address = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || name == "localhost" || name.ends_with(".localhost")
}

/// Whether a browser says that another site's page sent this.
fn is_foreign(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let site = text(HeaderName::from_static("sec-fetch-site"));
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return true;
    }
    let Some(origin) = text(header::ORIGIN) else { return false };
    let origin = origin.split_once("://").map(|(_, host)| host);
    origin.is_none() || origin != text(header::HOST)
}

fn with_headers(mut response: Response<Body>) -> Response<Body> {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, CONTENT),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // others are told nothing; with `no-referrer`, our own forms would come with `Origin: null`
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    #[test]
    fn names_of_this_machine() {
        let check = |host: &str, expect: bool| {
            assert_eq!(names_this_machine(&headers(&[("host", host)])), expect, "{host}");
        };
        for host in ["localhost", "LOCALHOST:8780", "127.0.0.1:1", "127.9.9.9", "[::1]:80", "a.localhost:9"] {
            check(host, true);
        }
        for host in
            ["example.org", "localhost.example.org", "127.0.0.1.example.org", "192.168.0.1", "", "::1:x"]
        {
            check(host, false);
        }
        assert!(!names_this_machine(&HeaderMap::new()));
    }

    #[test]
    fn other_sites_are_recognised_by_the_headers_of_browsers() {
        let check = |pairs: &[(&'static str, &str)], expect: bool| {
            assert_eq!(is_foreign(&headers(pairs)), expect, "{pairs:?}");
        };
        check(&[("host", "localhost:1")], false);
        check(&[("host", "localhost:1"), ("origin", "http://localhost:1")], false);
        check(&[("host", "localhost:1"), ("origin", "http://localhost:2")], true);
        check(&[("host", "localhost:1"), ("origin", "null")], true);
        check(&[("host", "localhost:1"), ("sec-fetch-site", "same-origin")], false);
        check(&[("host", "localhost:1"), ("sec-fetch-site", "same-site")], true);
        check(&[("host", "localhost:1"), ("sec-fetch-site", "cross-site")], true);
    }

    #[test]
    fn a_token_lets_in_as_header_and_as_cookie() {
        let guard = Guard::new(Some("secret".to_owned())).unwrap();
        assert!(guard.login("wrong").is_none() && guard.login("").is_none());
        let cookie = guard.login("secret").unwrap();
        let cookie = cookie.split(';').next().unwrap();
        let check = |pairs: &[(&'static str, &str)], expect: bool| {
            assert_eq!(guard.is_let_in(&headers(pairs)), expect, "{pairs:?}");
        };
        check(&[], false);
        check(&[("authorization", "Bearer secret")], true);
        check(&[("authorization", "Bearer secrets")], false);
        check(&[("authorization", "secret")], false);
        check(&[("cookie", &format!("a=b; {cookie}; c=d"))], true);
        check(&[("cookie", "osprey_session=x")], false);
        assert!(Guard::new(None).unwrap().is_let_in(&HeaderMap::new()));
        assert!(guard.check_csrf(guard.csrf()).is_ok() && guard.check_csrf("").is_err());
        assert_ne!(guard.csrf(), Guard::new(None).unwrap().csrf());
    }
}
