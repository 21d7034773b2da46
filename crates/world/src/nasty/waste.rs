//! Pages without content, the same in every world: login forms, endless calendars, advertisers, error pages.

use osprey_model::CanonicalUrl;

use crate::markup::{Markup, percent, unpercent};
use crate::text::month_name;
use crate::{Answer, Ask, Dice};

/// Texts of an advertiser's page.
const SLOGANS: [&str; 6] = words! {
    "Save up to 70 % today only" "Compare prices in one click" "Your free trial is waiting"
    "Cheap flights and hotels" "Lose weight without effort" "Work from home and earn more"
};

/// A page without content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waste {
    /// A login form; where the visitor wanted to go.
    Login(String),
    /// Pages for members only: messages, settings. Others are redirected to the login form.
    Account,
    /// A month of the calendar.
    Calendar(u64, u64),
    /// An advertiser's landing page.
    Ad,
    /// An advertiser's picture.
    Banner,
}

/// Whether a host is an advertiser's: `ads0.photo.example`.
pub(crate) fn is_ad_host(host: &str) -> bool {
    host.split('.').next().and_then(|name| name.strip_prefix("ads")).is_some_and(|n| n.parse::<u8>().is_ok())
}

impl Waste {
    /// The waste at `url`, if any.
    pub(crate) fn at(url: &CanonicalUrl) -> Option<Self> {
        if is_ad_host(url.host()) {
            return Some(if url.path().starts_with("/banner/") { Self::Banner } else { Self::Ad });
        }
        if url.path() == "/login" {
            let next = url.query().and_then(|query| query.strip_prefix("next=")).map(unpercent);
            return Some(Self::Login(next.unwrap_or_else(|| "/".into())));
        }
        if url.path().starts_with("/account/") {
            return Some(Self::Account);
        }
        let (year, month) = url.path().strip_prefix("/calendar/")?.split_once('/')?;
        let (year, month) = (year.parse().ok()?, month.parse().ok()?);
        ((1..=9999).contains(&year) && (1..=12).contains(&month)).then_some(Self::Calendar(year, month))
    }

    /// The name in [`crate::Truth::waste`]; `None` for pictures, which are not pages.
    pub(crate) fn name(&self) -> Option<&'static str> {
        match self {
            Self::Login(_) | Self::Account => Some("login"),
            Self::Calendar(..) => Some("calendar"),
            Self::Ad => Some("ad"),
            Self::Banner => None,
        }
    }

    /// The page.
    pub(crate) fn answer(&self, ask: &Ask<'_>, dice: Dice) -> Answer {
        let url = ask.url;
        let is_member = ask.cookie.is_some_and(|cookie| cookie.contains("session="));
        match self {
            Self::Login(next) => page(|html| login(html, next)),
            Self::Account if is_member => page(account),
            Self::Account => Answer::redirect(302, &format!("/login?next={}", percent(url.path_and_query()))),
            Self::Calendar(year, month) => page(|html| calendar(html, *year, *month, dice)),
            Self::Ad => page(|html| ad(html, dice.of(url.path_and_query()))),
            Self::Banner => banner(),
        }
    }
}

/// The page of a site that does not answer 404.
pub(crate) fn excuse(dice: Dice) -> Answer {
    page(|html| {
        html.raw("<title>Oops</title></head><body class=\"plain\"><div id=\"main\">\n");
        let excuses = [
            "Sorry, the page that you are looking for is not here any more.",
            "We could not find anything. It may have been moved or removed by its owner.",
            "Nothing found. Please check the spelling or try the search.",
        ];
        html.element("h1", &[], "Oops");
        html.element("p", &[], dice.one_of(&excuses));
        html.link("/", "Back to the start page", &[]);
        html.raw("</div></body></html>\n");
    })
}

fn page(write: impl FnOnce(&mut Markup)) -> Answer {
    let mut html = Markup::new();
    html.raw("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\n");
    write(&mut html);
    Answer::new(200, "text/html; charset=utf-8", html.finish())
}

fn login(html: &mut Markup, next: &str) {
    html.raw("<title>Log in</title></head><body class=\"plain\"><div id=\"main\"><h1>Log in to go on</h1>\n");
    html.open("form", &[("action", "/login"), ("method", "post"), ("class", "login")]);
    html.open("input", &[("type", "hidden"), ("name", "next"), ("value", next)]);
    html.raw("<label>Name <input name=\"user\"></label> <label>Password <input name=\"pass\" type=\"password\"></label>");
    html.raw("<button type=\"submit\">Log in</button>");
    html.close("form");
    html.link("/", "Back to the start page", &[]);
    html.raw("</div></body></html>\n");
}

fn account(html: &mut Markup) {
    html.raw(
        "<title>Your account</title></head><body class=\"plain\"><div id=\"main\"><h1>Your account</h1>\n",
    );
    html.element("p", &[], "There is nothing new.");
    html.link("/", "Back to the start page", &[]);
    html.raw("</div></body></html>\n");
}

fn calendar(html: &mut Markup, year: u64, month: u64, dice: Dice) {
    let name = month_name(month);
    html.element("title", &[], &format!("Events in {name} {year}"));
    html.raw("</head><body class=\"calendar\"><div id=\"main\">\n");
    html.element("h1", &[], &format!("{name} {year}"));
    let before = if month == 1 { (year.saturating_sub(1), 12) } else { (year, month - 1) };
    let after = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    for (text, (year, month)) in [("earlier", before), ("later", after)] {
        html.link(&format!("/calendar/{year}/{month:02}"), text, &[("class", "step")]);
    }
    html.raw("<table class=\"month\"><tr>\n");
    let days = dice.at(year).at(month);
    for day in 1..=30 {
        let busy = days.at(day).chance(0.1);
        html.element("td", &[("class", if busy { "busy" } else { "free" })], &day.to_string());
        if day % 7 == 0 {
            html.raw("</tr><tr>");
        }
    }
    html.raw("</tr></table></div></body></html>\n");
}

/// A grey dot, as advertisers send it to count visits.
fn banner() -> Answer {
    const DOT: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x80\x80\x80\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";
    Answer::new(200, "image/gif", DOT)
}

fn ad(html: &mut Markup, dice: Dice) {
    let slogan = |n: u64| dice.at(n).one_of(&SLOGANS);
    html.element("title", &[], slogan(0));
    html.raw("</head><body class=\"landing\"><div class=\"hero\">\n");
    html.element("h1", &[], slogan(0));
    (1..4).for_each(|n| html.element("p", &[], slogan(n)));
    html.link(&format!("/click?c={}", dice.of("next").below(400)), "More offers", &[("class", "button")]);
    html.raw("</div></body></html>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waste_is_known_by_its_url() {
        let check = |url: &str, expect: Option<Waste>| {
            assert_eq!(Waste::at(&CanonicalUrl::from_stored(url).unwrap()), expect, "{url}");
        };
        check("http://www.photo.example/login?next=%2Fp%2F1", Some(Waste::Login("/p/1".into())));
        check("http://www.photo.example/calendar/2009/12", Some(Waste::Calendar(2009, 12)));
        check("http://www.photo.example/calendar/2009/13", None);
        check("http://ads2.photo.example/click?c=3", Some(Waste::Ad));
        check("http://ads2.photo.example/banner/3.png", Some(Waste::Banner));
        check("http://adsense.photo.example/", None);
        check("http://www.photo.example/p/1", None);
    }
}
