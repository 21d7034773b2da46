//! Other URLs of the same page: session ids, useless parameters, print views, detours. They are added to links and
//! removed from requests.

use osprey_model::CanonicalUrl;

use super::Nastiness;
use crate::Dice;
use crate::markup::{percent, unpercent};

/// Parameters that no kind sees.
const PARAMS: [&str; 3] = ["sid", "ref", "print"];

/// Where useless parameters say that the visitor came from.
const REFERRERS: [&str; 6] = ["nav", "sidebar", "rss", "related", "home", "mail"];

/// An addition to a URL that leads to the same page or redirects to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dress {
    /// `?sid=8f3a...`: exactly the same page.
    Session(u64),
    /// `?ref=nav`: exactly the same page.
    Referrer(&'static str),
    /// `?print=1`: nearly the same page.
    Print,
    /// `/go?to=...`: redirects.
    Detour,
    /// `/index.php/...`: redirects permanently.
    OldUrl,
}

impl Dress {
    /// The disguise of a link at `place`, if any.
    pub(super) fn draw(place: Dice, nasty: &Nastiness) -> Option<Self> {
        let draw = place.unit();
        let session = nasty.session_ids;
        let referrer = session + nasty.near_duplicates;
        let redirect = referrer + nasty.redirects;
        if draw < session {
            Some(Self::Session(place.of("sid").bits()))
        } else if draw < referrer {
            place.of("ref").pick(&REFERRERS).map(|name| Self::Referrer(name))
        } else if draw < redirect {
            Some(if place.of("old").chance(0.4) { Self::OldUrl } else { Self::Detour })
        } else {
            None
        }
    }

    /// The reference `href`, root-relative or absolute, with this addition.
    pub(super) fn put_on(&self, href: &str) -> String {
        match self {
            Self::Session(id) => with_param(href, &format!("sid={id:016x}")),
            Self::Referrer(name) => with_param(href, &format!("ref={name}")),
            Self::Print => with_param(href, "print=1"),
            Self::Detour => {
                let (origin, _) = split_origin(href);
                format!("{origin}/go?to={}", percent(href))
            }
            Self::OldUrl => {
                let (origin, path) = split_origin(href);
                format!("{origin}/index.php{path}")
            }
        }
    }
}

/// `href` with one more query parameter.
pub(super) fn with_param(href: &str, param: &str) -> String {
    let joint = if href.contains('?') { '&' } else { '?' };
    format!("{href}{joint}{param}")
}

/// `http://host` and the rest; the first is empty for root-relative references.
fn split_origin(href: &str) -> (&str, &str) {
    let Some(host_at) = href.find("://").map(|at| at + 3) else { return ("", href) };
    let path_at = href.get(host_at..).and_then(|rest| rest.find('/')).map_or(href.len(), |at| host_at + at);
    href.split_at(path_at)
}

/// The clean URL behind `url` and its disguise: `None` in place of the disguise if it was clean already, and `None` as
/// a whole if a detour has no valid target.
pub(crate) fn undress(url: &CanonicalUrl) -> Option<(CanonicalUrl, Option<Dress>)> {
    if url.path() == "/go" {
        let to =
            url.query().into_iter().flat_map(|query| query.split('&')).find_map(|p| p.strip_prefix("to="))?;
        let to = unpercent(to);
        let absolute = if to.starts_with('/') { format!("{}{to}", url.origin()) } else { to };
        return Some((CanonicalUrl::from_stored(&absolute).ok()?, Some(Dress::Detour)));
    }
    if let Some(rest) = url.path_and_query().strip_prefix("/index.php/") {
        let clean = CanonicalUrl::from_stored(&format!("{}/{rest}", url.origin())).ok()?;
        return Some((clean, Some(Dress::OldUrl)));
    }
    let Some(query) = url.query() else { return Some((url.clone(), None)) };
    let dress = query.split('&').find_map(|param| match param.split_once('=').unwrap_or((param, "")) {
        ("print", _) => Some(Dress::Print),
        ("sid", _) => Some(Dress::Session(0)),
        ("ref", _) => Some(Dress::Referrer("")),
        _ => None,
    });
    if dress.is_none() {
        return Some((url.clone(), None));
    }
    let is_kept = |param: &&str| !PARAMS.contains(&param.split('=').next().unwrap_or(""));
    let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
    let joint = if kept.is_empty() { "" } else { "?" };
    let clean = format!("{}{}{joint}{}", url.origin(), url.path(), kept.join("&"));
    Some((CanonicalUrl::from_stored(&clean).ok()?, dress))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dress_comes_off() {
        let dresses = [Dress::Session(7), Dress::Referrer("nav"), Dress::Print, Dress::Detour, Dress::OldUrl];
        for href in ["http://www.photo.example/p/1?page=2", "http://www.photo.localhost:8080/"] {
            let clean = CanonicalUrl::from_stored(href).unwrap();
            assert_eq!(undress(&clean), Some((clean.clone(), None)));
            for dress in &dresses {
                let url = CanonicalUrl::from_stored(&dress.put_on(href)).unwrap();
                let (undressed, worn) = undress(&url).unwrap();
                assert_eq!(undressed, clean, "{url}");
                assert_eq!(
                    worn.map(|worn| std::mem::discriminant(&worn)),
                    Some(std::mem::discriminant(dress))
                );
            }
        }
    }

    #[test]
    fn root_relative_references_stay_so() {
        assert_eq!(Dress::Detour.put_on("/a?b=1"), "/go?to=%2Fa%3Fb%3D1");
        assert_eq!(Dress::OldUrl.put_on("/a"), "/index.php/a");
    }

    #[test]
    fn a_detour_without_a_target_is_refused() {
        let url = |text: &str| CanonicalUrl::from_stored(text).unwrap();
        assert_eq!(undress(&url("http://h/go")), None);
        assert_eq!(undress(&url("http://h/go?to=javascript:x")), None);
    }
}
