//! Resolves references: the base of a page is prepared once, and simple references take a fast path.
//!
//! There are three steps. An unsupported scheme is rejected before any parsing (`javascript:`, `mailto:` and `data:`
//! are frequent). References of plain characters are assembled by [`super::plain`]. Everything else goes through the
//! `url` crate and is then written in canonical form. A property test checks that the fast path gives the same
//! results.

use std::borrow::Cow;
use std::sync::OnceLock;

use url::Url;

use super::canonical::canonical;
use super::{CanonicalUrl, UrlProblem, UrlRules, plain};

/// The base URL of a page's references, prepared for resolving many of them.
#[derive(Clone, Debug)]
pub struct UrlBase {
    url: CanonicalUrl,
    /// Parsed when the first reference needs it; `None` if a stored URL turns out to be invalid.
    parsed: OnceLock<Option<Url>>,
}

/// How a page with a legacy character set encodes the characters of a query (see [`UrlBase::join_encoded`]).
pub type QueryEncoding<'a> = &'a dyn Fn(&str) -> Cow<'_, [u8]>;

impl UrlBase {
    /// Prepares `url`.
    pub fn new(url: &CanonicalUrl) -> Self {
        Self { url: url.clone(), parsed: OnceLock::new() }
    }

    /// The base itself.
    pub fn url(&self) -> &CanonicalUrl {
        &self.url
    }

    /// Resolves a reference as it is written in the page.
    pub fn join(&self, reference: &str, rules: &UrlRules) -> Result<CanonicalUrl, UrlProblem> {
        resolve(Some(self), reference, rules)
    }

    /// Like [`UrlBase::join`], for a page that is not in UTF-8: browsers encode the characters of a query in the
    /// page's own character set, and the servers of such sites expect that.
    pub fn join_encoded(
        &self,
        reference: &str,
        rules: &UrlRules,
        encoding: QueryEncoding<'_>,
    ) -> Result<CanonicalUrl, UrlProblem> {
        if reference.is_ascii() {
            return self.join(reference, rules);
        }
        let reference = prepare(reference, rules)?;
        parse(Some(self), reference, rules, Some(encoding))
    }

    fn parsed(&self) -> Option<&Url> {
        self.parsed.get_or_init(|| Url::parse(self.url.as_str()).ok()).as_ref()
    }
}

/// Resolves `reference` against `base`; without a base it must be absolute.
pub(super) fn resolve(
    base: Option<&UrlBase>,
    reference: &str,
    rules: &UrlRules,
) -> Result<CanonicalUrl, UrlProblem> {
    let reference = prepare(reference, rules)?;
    match plain::resolve(base.map(UrlBase::url), reference, rules) {
        Some(url) if url.as_str().len() > rules.max_length => Err(UrlProblem::TooLong),
        Some(url) => Ok(url),
        None => parse(base, reference, rules, None),
    }
}

/// Checks length and scheme; returns the reference without surrounding white space.
fn prepare<'a>(reference: &'a str, rules: &UrlRules) -> Result<&'a str, UrlProblem> {
    if reference.len() > rules.max_length {
        return Err(UrlProblem::TooLong);
    }
    let reference = reference.trim_matches(|c| c <= ' ');
    match scheme(reference) {
        Some(name) if !name.eq_ignore_ascii_case("http") && !name.eq_ignore_ascii_case("https") => {
            Err(UrlProblem::Scheme)
        }
        _ => Ok(reference),
    }
}

/// The scheme that a reference begins with.
fn scheme(reference: &str) -> Option<&str> {
    let end =
        reference.bytes().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))?;
    let (name, rest) = reference.split_at_checked(end)?;
    (rest.starts_with(':') && name.starts_with(|first: char| first.is_ascii_alphabetic())).then_some(name)
}

/// Resolves any reference with the full parser.
fn parse(
    base: Option<&UrlBase>,
    reference: &str,
    rules: &UrlRules,
    encoding: Option<QueryEncoding<'_>>,
) -> Result<CanonicalUrl, UrlProblem> {
    let options = Url::options().encoding_override(encoding);
    let url = match base {
        None => options.parse(reference),
        Some(base) => {
            let parsed = base.parsed().ok_or(UrlProblem::Invalid)?;
            // The standard skips any number of slashes before the host; the crate does so only for absolute
            // references.
            let host_first = reference.trim_start_matches(['/', '\\']);
            if reference.len() >= host_first.len() + 3 {
                options.parse(&format!("{}://{host_first}", base.url.scheme()))
            } else {
                options.base_url(Some(parsed)).parse(reference)
            }
        }
    };
    canonical(&url.map_err(|_| UrlProblem::Invalid)?, rules)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Resolves with the full parser alone.
    fn join_in_full(base: &UrlBase, reference: &str, rules: &UrlRules) -> Result<CanonicalUrl, UrlProblem> {
        parse(Some(base), prepare(reference, rules)?, rules, None)
    }

    /// Pieces of references, ordinary and unusual.
    fn piece() -> impl Strategy<Value = String> {
        let fixed: Vec<&str> = concat!(
            "/ // ? # . .. ./ ../ : ; & = % %2e %2F %41 %C3 %c3 %zz @ \\ ' [ | ~ - -- _ * $ + a index.html q=1 ",
            "utm_source=x utm_x ;jsessionid=1 ;a=b http: http:// https:// HTTP:// mailto: //example.net ",
            "example.org xn-- xn--a.org xn--bcher-kva bücher.de host. a..b 1.2.3.4 0x7f.1 8 :80 :443 :8080 ",
            "http://127.0.0.1/ https://[::1]:1/ http://example.com:8080/ [::1] user:pw@ é 😀",
        )
        .split(' ')
        .chain([" ", "\t", "\n"])
        .collect();
        let fixed = prop::sample::select(fixed);
        prop_oneof![4 => fixed.prop_map(str::to_owned), 1 => "[ -~]{0,6}", 1 => "\\PC{0,3}"]
    }

    fn reference() -> impl Strategy<Value = String> {
        prop::collection::vec(piece(), 0..8).prop_map(|pieces| pieces.concat())
    }

    fn base() -> impl Strategy<Value = CanonicalUrl> {
        let texts = [
            "http://example.com/",
            "https://example.com/a/b/c.html?q=1&r=2",
            "http://example.com:8080/a//b/",
            "https://[::1]:1/x",
            "http://127.0.0.1/d/",
            "https://a.b.example.co.uk/p;v=1/q;w=2?x",
            "http://example.com/%C3%A9/%7B/",
        ];
        prop::sample::select(texts.to_vec())
            .prop_map(|text| CanonicalUrl::parse(text, &UrlRules::default()).expect("a base of the list"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn short_way_and_long_way_agree(base in base(), reference in reference()) {
            let (base, rules) = (UrlBase::new(&base), UrlRules::default());
            prop_assert_eq!(base.join(&reference, &rules), join_in_full(&base, &reference, &rules));
        }

        #[test]
        fn canonical_urls_are_fixed_points(base in base(), reference in reference()) {
            let rules = UrlRules::default();
            if let Ok(url) = base.join(&reference, &rules) {
                prop_assert_eq!(CanonicalUrl::parse(url.as_str(), &rules), Ok(url.clone()));
                prop_assert_eq!(join_in_full(&UrlBase::new(&base), url.as_str(), &rules), Ok(url.clone()));
                let stored = CanonicalUrl::from_stored(url.as_str()).expect("the shape is right");
                prop_assert_eq!(
                    (stored.host(), stored.port(), stored.path(), stored.query(), stored.origin()),
                    (url.host(), url.port(), url.path(), url.query(), url.origin())
                );
            }
        }

        #[test]
        fn absolute_references_do_not_need_the_base(base in base(), reference in reference()) {
            let rules = UrlRules::default();
            if let Ok(url) = CanonicalUrl::parse(&reference, &rules)
                && reference.trim_start().get(..5).is_some_and(|s| s.eq_ignore_ascii_case("http:"))
                && base.scheme() == "https"
            {
                prop_assert_eq!(base.join(&reference, &rules), Ok(url));
            }
        }

        #[test]
        fn any_reference_is_resolved_or_refused(text in "\\PC{0,80}") {
            let _ = CanonicalUrl::parse(&text, &UrlRules::default());
            let _ = CanonicalUrl::from_stored(&text);
        }
    }

    #[test]
    fn queries_in_the_pages_own_character_set() {
        fn latin1(text: &str) -> Cow<'_, [u8]> {
            text.chars().map(|c| c as u8).collect::<Vec<u8>>().into()
        }
        let base = UrlBase::new(&CanonicalUrl::parse("http://a.cn/x", &UrlRules::default()).unwrap());
        let url = base.join_encoded("/é?q=é#é", &UrlRules::default(), &latin1).unwrap();
        assert_eq!(url.as_str(), "http://a.cn/%C3%A9?q=%E9");
    }
}
