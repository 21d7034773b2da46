//! Difficulties of the Web for crawlers, with a setting for each.
//!
//! A kind of site writes clean URLs and passes each through [`Setting::dressed`], which may add session ids, print
//! views or detours. The world removes them from a requested URL before it calls the kind, so kinds only see clean
//! URLs. Pages without content (login forms, endless calendars, advertisers, soft 404s) are served outside the kinds
//! too.
//!
//! Therefore some names are reserved on every host: the parameters `sid`, `ref` and `print`, and the paths `/go`,
//! `/index.php/...`, `/login`, `/calendar/...`, `/robots.txt` and `/sitemap.xml`.

mod dress;
mod waste;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::markup::{Markup, percent};
use crate::{Ablation, Answer, Dice};

pub(crate) use dress::{Dress, undress};
pub(crate) use waste::{Waste, excuse, is_ad_host};

/// How nasty a world is: each setting is a rate from 0 (never) to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Nastiness {
    /// Pages in another version of their template than the newest.
    pub templates: f64,
    /// Pages whose author forgets end tags and quotes.
    pub sloppy_markup: f64,
    /// Links that carry a session id.
    pub session_ids: f64,
    /// Links with a parameter that changes nothing (`?ref=`), or another order of the same list (`?sort=`).
    pub near_duplicates: f64,
    /// Detail pages with a link to their print view.
    pub print_views: f64,
    /// Links that go through `/go?to=` or an old URL.
    pub redirects: f64,
    /// Links to missing pages.
    pub dead_links: f64,
    /// Missing pages that are answered with status 200 and an error text.
    pub soft_404: f64,
    /// Pages with links that end at a login form.
    pub login_walls: f64,
    /// Pages with a link into an endless calendar.
    pub calendars: f64,
    /// Pages with advertisements of other hosts.
    pub ads: f64,
    /// Users who advertise instead of taking part.
    pub spam_users: f64,
    /// Tags that do not fit their item.
    pub tag_spam: f64,
    /// Hosts, and pages of fast hosts, that take seconds to respond.
    pub slow_hosts: f64,
    /// Pages in another encoding than UTF-8.
    pub encodings: f64,
}

impl Nastiness {
    /// A clean world.
    pub fn none() -> Self {
        Self {
            templates: 0.0,
            sloppy_markup: 0.0,
            session_ids: 0.0,
            near_duplicates: 0.0,
            print_views: 0.0,
            redirects: 0.0,
            dead_links: 0.0,
            soft_404: 0.0,
            login_walls: 0.0,
            calendars: 0.0,
            ads: 0.0,
            spam_users: 0.0,
            tag_spam: 0.0,
            slow_hosts: 0.0,
            encodings: 0.0,
        }
    }

    /// Every setting with its name, for checks and reports.
    pub fn knobs(&self) -> [(&'static str, f64); 15] {
        [
            ("templates", self.templates),
            ("sloppy-markup", self.sloppy_markup),
            ("session-ids", self.session_ids),
            ("near-duplicates", self.near_duplicates),
            ("print-views", self.print_views),
            ("redirects", self.redirects),
            ("dead-links", self.dead_links),
            ("soft-404", self.soft_404),
            ("login-walls", self.login_walls),
            ("calendars", self.calendars),
            ("ads", self.ads),
            ("spam-users", self.spam_users),
            ("tag-spam", self.tag_spam),
            ("slow-hosts", self.slow_hosts),
            ("encodings", self.encodings),
        ]
    }
}

impl Default for Nastiness {
    /// About as nasty as the sites that the recorded corpora come from.
    fn default() -> Self {
        Self {
            templates: 0.4,
            sloppy_markup: 0.1,
            session_ids: 0.004,
            near_duplicates: 0.01,
            print_views: 0.1,
            redirects: 0.02,
            dead_links: 0.02,
            soft_404: 0.3,
            login_walls: 0.3,
            calendars: 0.05,
            ads: 0.3,
            spam_users: 0.04,
            tag_spam: 0.05,
            slow_hosts: 0.05,
            encodings: 0.05,
        }
    }
}

/// The parameters of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The world's dice: from its random seed and its kind.
    pub(crate) dice: Dice,
    /// The approximate number of pages.
    pub(crate) pages: u64,
    /// What its host names end in, a port included: `example`, `localhost:8080`.
    pub(crate) domain: String,
    /// How nasty it is.
    pub(crate) nasty: Nastiness,
    /// What it goes without.
    pub(crate) ablation: Option<Ablation>,
}

/// How the bytes of a page are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    /// UTF-8, declared in the header.
    Utf8,
    /// Windows-1252, called ISO-8859-1 in the header, as most of the Web called it.
    Latin1,
    /// Windows-1252, declared in `<meta>` only.
    Latin1Meta,
}

impl Charset {
    /// For `<meta charset>`.
    pub(crate) fn label(self) -> &'static str {
        if self == Self::Utf8 { "utf-8" } else { "iso-8859-1" }
    }
}

impl Setting {
    /// The host `name` of a kind: `www.photo.example`.
    pub(crate) fn host(&self, name: &str, kind: &str) -> String {
        format!("{name}.{kind}.{}", self.domain)
    }

    /// A link's `href` as this site would write it at `place`: mostly as it is, sometimes with a session id, a useless
    /// parameter or a detour. Takes root-relative and absolute references.
    pub(crate) fn dressed<'a>(&self, place: Dice, href: &'a str) -> Cow<'a, str> {
        Dress::draw(place.of("dress"), &self.nasty)
            .map_or(Cow::Borrowed(href), |dress| dress.put_on(href).into())
    }

    /// The version of a template with `versions` of them: 0, the newest, is the usual one.
    pub(crate) fn version(&self, place: Dice, versions: u64) -> u64 {
        if versions > 1 && place.of("old").chance(self.nasty.templates) {
            place.of("version").between(1, versions - 1)
        } else {
            0
        }
    }

    /// The encoding of the page at `place`.
    pub(crate) fn charset(&self, place: Dice) -> Charset {
        let place = place.of("charset");
        match place.chance(self.nasty.encodings) {
            false => Charset::Utf8,
            true if place.of("where").chance(0.5) => Charset::Latin1,
            true => Charset::Latin1Meta,
        }
    }

    /// An empty page, written as carefully as its author does.
    pub(crate) fn markup(&self, place: Dice) -> Markup {
        let place = place.of("sloppy");
        let share = if place.chance(self.nasty.sloppy_markup) { 0.5 } else { 0.0 };
        Markup::sloppy(place.of("tags"), share)
    }

    /// The finished page as an answer. What an encoding lacks becomes a character reference.
    pub(crate) fn page(&self, charset: Charset, html: Markup) -> Answer {
        let html = html.finish();
        match charset {
            Charset::Utf8 => Answer::new(200, "text/html; charset=utf-8", html),
            Charset::Latin1 => Answer::new(200, "text/html; charset=ISO-8859-1", latin1(&html)),
            Charset::Latin1Meta => Answer::new(200, "text/html", latin1(&html)),
        }
    }

    /// Whether a link at `place` leads to something that no longer exists; the kind then writes a URL out of its range.
    pub(crate) fn is_dead(&self, place: Dice) -> bool {
        place.of("dead").chance(self.nasty.dead_links)
    }

    /// The print view of the page at `href`, if the page at `place` offers one.
    pub(crate) fn print_view(&self, place: Dice, href: &str) -> Option<String> {
        place.of("print").chance(self.nasty.print_views).then(|| dress::with_param(href, "print=1"))
    }

    /// A link that ends at a login form, if the page at `place` has one; `href` is where the visitor wanted to go.
    pub(crate) fn login_wall(&self, place: Dice, href: &str) -> Option<String> {
        let place = place.of("login");
        place.chance(self.nasty.login_walls).then(|| match place.of("form").below(3) {
            0 => format!("/account/messages?to={}", place.of("to").below(1000)),
            1 => format!("/account/watch?page={}", percent(href)),
            _ => format!("/login?next={}", percent(href)),
        })
    }

    /// A link into the calendar, if the page at `place` has one.
    pub(crate) fn calendar(&self, place: Dice) -> Option<String> {
        let place = place.of("calendar");
        place.chance(self.nasty.calendars).then(|| {
            format!(
                "/calendar/{}/{:02}",
                place.of("year").between(2005, 2012),
                place.of("month").between(1, 12)
            )
        })
    }

    /// Writes an advertisement, if the page at `place` has one: a picture and a link of another host.
    pub(crate) fn ad(&self, place: Dice, kind: &str, html: &mut Markup) {
        let place = place.of("ad");
        if !place.chance(self.nasty.ads) {
            return;
        }
        let host = self.host(&format!("ads{}", place.of("host").below(4)), kind);
        let campaign = place.of("campaign").zipf(400, 1.0);
        html.open("div", &[("class", "ad-slot")]);
        let href = format!("http://{host}/click?c={campaign}&amp;p={}", place.of("slot").below(1000));
        html.raw(&format!("<a href=\"{href}\" rel=\"nofollow\" target=\"_blank\">"));
        html.raw(&format!(
            "<img src=\"http://{host}/banner/{campaign}.gif\" width=\"300\" height=\"250\" alt=\"\">"
        ));
        html.close("a");
        html.close("div");
    }
}

fn latin1(html: &str) -> Vec<u8> {
    encoding_rs::WINDOWS_1252.encode(html).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(nasty: Nastiness) -> Setting {
        Setting { dice: Dice::new(1), pages: 1000, domain: "example".into(), nasty, ablation: None }
    }

    #[test]
    fn a_clean_setting_changes_nothing() {
        let setting = setting(Nastiness::none());
        for place in (0..500).map(|i| setting.dice.at(i)) {
            assert_eq!(setting.dressed(place, "/a?b=1"), "/a?b=1");
            assert_eq!(setting.version(place, 3), 0);
            assert_eq!(setting.charset(place), Charset::Utf8);
            assert!(!setting.is_dead(place) && setting.calendar(place).is_none());
            assert!(setting.print_view(place, "/").is_none() && setting.login_wall(place, "/").is_none());
        }
        assert!(Nastiness::none().knobs().iter().all(|(_, rate)| *rate == 0.0));
    }

    #[test]
    fn encodings_keep_what_they_lack() {
        let mut html = Markup::new();
        html.text("café 花");
        let answer = setting(Nastiness::none()).page(Charset::Latin1, html);
        assert_eq!(&answer.body[..], b"caf\xe9 &#33457;");
    }
}
