//! Creates a world from its kind, random seed, size and nastiness.
//!
//! This module handles everything that all kinds share: it maps other URLs of a page to the clean one, and serves
//! robots.txt, sitemaps, login forms, calendars, advertisers and missing pages. A world has no clock and no state: the
//! same options always give the same bytes.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use osprey_model::{
    BodyEnd, CanonicalUrl, Exchange, FailureKind, FetchFailure, Request, Response, Source, Timestamp,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ablation::{Ablation, Without};
use crate::kinds;
use crate::nasty::{Dress, Setting, Waste, excuse, is_ad_host, undress};
use crate::site::Site;
use crate::{Answer, Ask, Dice, Expert, Nastiness, TrapKind, Truth, WorldTopic};
use osprey_model::PageType;

/// The fetch time of everything in a world: 2026-01-01, since a world has no clock.
const FETCHED_AT: Timestamp = Timestamp::from_millis(1_767_225_600_000);

/// The fewest pages that a world can be made of.
const FEWEST: u64 = 200;

/// The most: what ids and page numbers have room for.
const MOST: u64 = 1_000_000_000;

/// How many pages a sitemap lists: one that listed all would leave nothing to find.
const IN_SITEMAP: usize = 500;

/// How many pages are searched for those of a host's sitemap.
const LOOKED_AT_FOR_SITEMAP: usize = 20_000;

/// The kinds of world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Photos, their uploaders, contacts, groups and tags.
    Photo,
    /// Videos and channels.
    Video,
    /// Boards, threads and members.
    Forum,
    /// Questions, answers, tags and badges.
    Qa,
    /// Films, people and reviews.
    Movies,
    /// Things that users rate.
    Ratings,
    /// Teams, players, matches and fans.
    Sports,
    /// Universities with their courses, and the Web around them.
    Campus,
    /// Many hosts in two languages, ordered by a taxonomy.
    Portal,
    /// Categories, products and what customers say.
    Shop,
    /// Stories of a paper, by section and by date.
    Archive,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Photo,
        Self::Video,
        Self::Forum,
        Self::Qa,
        Self::Movies,
        Self::Ratings,
        Self::Sports,
        Self::Campus,
        Self::Portal,
        Self::Shop,
        Self::Archive,
    ];

    /// The name on the command line, in files and in host names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Photo => "photo",
            Self::Video => "video",
            Self::Forum => "forum",
            Self::Qa => "qa",
            Self::Movies => "movies",
            Self::Ratings => "ratings",
            Self::Sports => "sports",
            Self::Campus => "campus",
            Self::Portal => "portal",
            Self::Shop => "shop",
            Self::Archive => "archive",
        }
    }

    /// All names, for messages.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    fn site(self, setting: Setting) -> Arc<dyn Site> {
        match self {
            Self::Photo => kinds::site::<kinds::Photos>(setting),
            Self::Video => kinds::site::<kinds::Video>(setting),
            Self::Forum => kinds::site::<kinds::Boards>(setting),
            Self::Qa => kinds::site::<kinds::Questions>(setting),
            Self::Movies => kinds::site::<kinds::Movies>(setting),
            Self::Ratings => kinds::site::<kinds::Ratings>(setting),
            Self::Sports => kinds::site::<kinds::Sports>(setting),
            Self::Campus => Arc::new(crate::campus::Campus::new(setting)),
            Self::Portal => Arc::new(crate::portal::Portal::new(setting)),
            Self::Shop => kinds::site::<kinds::Shop>(setting),
            Self::Archive => kinds::site::<kinds::Chronicle>(setting),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = WorldError;

    fn from_str(name: &str) -> Result<Self, WorldError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| WorldError::Kind(name.to_owned()))
    }
}

/// Why a world cannot be created.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// No such kind.
    #[error(
        "world `{0}`: no such kind; there are photo, video, forum, qa, movies, ratings, sports, campus, portal, shop, archive"
    )]
    Kind(String),
    /// A size out of bounds.
    #[error("pages `{0}`: a world has {FEWEST} to {MOST} pages")]
    Pages(u64),
    /// Not a name that hosts can end in.
    #[error("domain `{0}`: not a host name with an optional port, in lower case")]
    Domain(String),
    /// A setting that is not a rate.
    #[error("nastiness `{name}`: `{rate}` is not between 0 and 1")]
    Nastiness {
        /// The name of the setting.
        name: &'static str,
        /// Its setting.
        rate: f64,
    },
}

/// The options of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The seed of the random number generator: another number makes another world of the same kind and size.
    #[serde(alias = "random_seed", alias = "seed")]
    pub random_seed: u64,
    /// The approximate number of pages.
    pub pages: u64,
    /// The end of all host names: `www.photo.{domain}`; may contain a port.
    pub domain: String,
    /// How nasty it is.
    pub nastiness: Nastiness,
    /// A trap for crawlers beside it.
    pub trap: Option<TrapKind>,
    /// A signal that it goes without.
    pub ablation: Option<Ablation>,
}

impl Default for Options {
    fn default() -> Self {
        let nastiness = Nastiness::default();
        Self {
            random_seed: 1,
            pages: 20_000,
            domain: "example".into(),
            nastiness,
            trap: None,
            ablation: None,
        }
    }
}

/// A simulated web. Cheap to clone.
#[derive(Clone)]
pub struct World {
    kind: Kind,
    /// What its host names end in, the dot before it included.
    hosts: Arc<str>,
    dice: Dice,
    nasty: Nastiness,
    trap: Option<TrapKind>,
    without: Without,
    site: Arc<dyn Site>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("kind", &self.kind).field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl World {
    /// The world of a kind and its options.
    pub fn new(kind: Kind, options: &Options) -> Result<Self, WorldError> {
        if !(FEWEST..=MOST).contains(&options.pages) {
            return Err(WorldError::Pages(options.pages));
        }
        if let Some((name, rate)) =
            options.nastiness.knobs().into_iter().find(|(_, r)| !(0.0..=1.0).contains(r))
        {
            return Err(WorldError::Nastiness { name, rate });
        }
        let domain = options.domain.clone();
        let is_plain =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b':');
        let origin = CanonicalUrl::from_stored(&format!("http://www.{kind}.{domain}/"));
        if domain.is_empty() || !domain.bytes().all(is_plain) || origin.is_err() {
            return Err(WorldError::Domain(domain));
        }
        let (hosts, dice) =
            (format!(".{kind}.{domain}").into(), Dice::new(options.random_seed).of(kind.name()));
        let (nasty, ablation) = (options.nastiness, options.ablation);
        let setting = Setting { dice, pages: options.pages, domain, nasty, ablation };
        let (dice, trap) = (dice.of("world"), options.trap);
        let without = Without::new(ablation, dice.of("ablation"));
        Ok(Self { kind, hosts, dice, nasty, trap, without, site: kind.site(setting) })
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The start URLs.
    pub fn seeds(&self) -> Vec<String> {
        self.site.seeds().iter().map(|seed| self.without.closed(seed)).collect()
    }

    /// The topics.
    pub fn topics(&self) -> Vec<WorldTopic> {
        self.site.topics()
    }

    /// How a person who knows the site would crawl it for a topic; `None` if it has no lists of topics, or no such topic.
    pub fn expert(&self, topic: &str) -> Option<Expert> {
        // where addresses say nothing, no pattern does
        self.site.expert(topic).filter(|_| self.without.what != Some(Ablation::OpaqueUrls))
    }

    /// Every page, once, by its clean URL: no duplicates, no waste, no pictures.
    pub fn pages(&self) -> impl Iterator<Item = String> + '_ {
        let is_there = |page: &String| {
            self.without.what.is_none()
                || CanonicalUrl::from_stored(page)
                    .is_ok_and(|page| !self.is_gone(&page) && !self.is_unlinked(&page))
        };
        self.site.pages().filter(is_there).map(|page| self.without.closed(&page))
    }

    /// Whether a page that its kind knows is gone from this world.
    fn is_gone(&self, page: &CanonicalUrl) -> bool {
        // lists stay, or most of the site could not be reached
        self.without.is_gone(page)
            && self.site.truth(page).is_some_and(|truth| {
                truth.page_type != PageType::List && truth.waste.is_none() && truth.duplicate_of.is_none()
            })
    }

    /// Whether a page is there and nothing leads to it.
    fn is_unlinked(&self, page: &CanonicalUrl) -> bool {
        self.without.unlinks_people() && self.is_of_person(page)
    }

    fn is_of_person(&self, url: &CanonicalUrl) -> bool {
        undress(url).is_some_and(|(clean, _)| self.site.is_of_person(&clean))
    }

    /// Whether a URL is on a host of this world.
    pub fn has_host_of(&self, url: &CanonicalUrl) -> bool {
        url.authority().ends_with(&*self.hosts)
    }

    /// Answers a request. A missing page gives status 404, or 200 with an error text.
    pub fn answer(&self, ask: &Ask<'_>) -> Answer {
        let Some(url) = self.without.opened(ask.url) else { return self.missing(ask.url) };
        let ask = &Ask { url: &url, ..*ask };
        let mut answer = self.known(ask).unwrap_or_else(|| self.missing(ask.url));
        self.without.take_from(
            &mut answer,
            ask.url,
            |link| self.has_host_of(link) && !is_ad_host(link.host()),
            |link| self.is_of_person(link),
        );
        if let Some(trap) = self.trap.filter(|trap| !trap.has(ask.url)) {
            add_entries(&mut answer, &trap.entries(ask.url, self.dice.of("trap")));
        }
        answer.delay = answer.delay.max(self.delay(ask.url));
        answer
    }

    fn known(&self, ask: &Ask<'_>) -> Option<Answer> {
        if !self.has_host_of(ask.url) {
            return None;
        }
        match ask.url.path_and_query() {
            "/robots.txt" => return self.robots_txt(ask.url),
            "/sitemap.xml" => return self.sitemap(ask.url),
            _ => {}
        }
        if let Some(trap) = self.trap_at(ask.url) {
            return Some(trap.answer(ask.url, self.dice.of("trap")));
        }
        if let Some(waste) = Waste::at(ask.url) {
            return Some(waste.answer(ask, self.dice));
        }
        let (clean, dress) = undress(ask.url)?;
        if self.is_gone(&clean) {
            return None;
        }
        match dress {
            Some(Dress::Detour) => Some(Answer::redirect(302, clean.as_str())),
            Some(Dress::OldUrl) => Some(Answer::redirect(301, clean.as_str())),
            Some(Dress::Print) => self.site.answer(&Ask { url: &clean, ..*ask }).map(for_print),
            _ => self.site.answer(&Ask { url: &clean, ..*ask }),
        }
    }

    fn trap_at(&self, url: &CanonicalUrl) -> Option<TrapKind> {
        self.trap.filter(|trap| trap.has(url))
    }

    fn robots_txt(&self, url: &CanonicalUrl) -> Option<Answer> {
        self.site.robots_txt(url.authority()).map(|text| Answer::new(200, "text/plain", text))
    }

    fn sitemap(&self, url: &CanonicalUrl) -> Option<Answer> {
        let origin = format!("{}/", url.origin());
        let on_host = self.pages().take(LOOKED_AT_FOR_SITEMAP).filter(|page| page.starts_with(&origin));
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
        );
        let bare = text.len();
        for page in on_host.take(IN_SITEMAP) {
            text.push_str("<url><loc>");
            crate::markup::escape(&page, &mut text);
            text.push_str("</loc></url>\n");
        }
        (text.len() > bare).then(|| {
            text.push_str("</urlset>\n");
            Answer::new(200, "application/xml", text)
        })
    }

    fn missing(&self, url: &CanonicalUrl) -> Answer {
        if self.is_excused(url) {
            return excuse(self.dice.of(url.path()));
        }
        let text = "<!DOCTYPE html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>";
        Answer::new(404, "text/html; charset=utf-8", text)
    }

    /// Whether this missing page is answered with 200: some sites do so for pages, none for robots.txt and the like.
    fn is_excused(&self, url: &CanonicalUrl) -> bool {
        let is_file =
            url.path().rsplit('/').next().is_some_and(|name| name.contains('.') && !name.ends_with(".html"));
        self.has_host_of(url)
            && !is_file
            && self.dice.of("excused").of(url.path_and_query()).chance(self.nasty.soft_404)
    }

    fn delay(&self, url: &CanonicalUrl) -> Duration {
        if self.nasty.slow_hosts == 0.0 {
            return Duration::ZERO;
        }
        let name = url.host().split('.').next().unwrap_or("");
        let dice = self.dice.of("delay");
        let is_slow = |place: Dice| place.chance(self.nasty.slow_hosts);
        let (typical_ms, limit_ms) = match name != "www" && is_slow(dice.of(name)) {
            true => (1500.0, 5000),
            false if is_slow(dice.of("page").of(url.path())) => (600.0, 3000),
            false => (40.0, 400),
        };
        Duration::from_millis(dice.of(url.path_and_query()).long_tail(typical_ms, limit_ms))
    }

    /// The truth about a URL; `None` if its host does not belong to this world.
    pub fn truth(&self, url: &CanonicalUrl) -> Option<Truth> {
        if !self.has_host_of(url) {
            return None;
        }
        let Some(opened) = self.without.opened(url) else { return Some(self.dead(url)) };
        let mut truth = self.truth_of(&opened);
        truth.duplicate_of = truth.duplicate_of.map(|original| self.without.closed(&original));
        Some(truth)
    }

    /// The truth about a URL without a page.
    fn dead(&self, url: &CanonicalUrl) -> Truth {
        let waste = if self.is_excused(url) { "soft-404" } else { "dead" };
        Truth { template: waste.into(), waste: Some(waste.into()), ..Truth::default() }
    }

    fn truth_of(&self, url: &CanonicalUrl) -> Truth {
        if matches!(url.path_and_query(), "/robots.txt" | "/sitemap.xml") {
            return Truth { template: "machine".into(), ..Truth::default() };
        }
        if self.trap_at(url).is_some() {
            let trap = || "trap".to_owned();
            return Truth { template: trap(), waste: Some(trap()), ..Truth::default() };
        }
        if let Some(waste) = Waste::at(url) {
            let template = waste.name().unwrap_or("picture").into();
            return Truth { template, waste: waste.name().map(str::to_owned), ..Truth::default() };
        }
        let clean = undress(url).filter(|(clean, _)| !self.is_gone(clean));
        let known = clean.and_then(|(clean, dress)| Some((self.site.truth(&clean)?, clean, dress)));
        let Some((mut truth, clean, dress)) = known else { return self.dead(url) };
        if dress.is_some() && truth.duplicate_of.is_none() {
            truth.duplicate_of = Some(clean.as_str().to_owned());
        }
        if matches!(dress, Some(Dress::Detour | Dress::OldUrl)) {
            let waste = Some("redirect".into());
            truth = Truth { page_type: PageType::Other, template: "redirect".into(), waste, ..truth };
        }
        truth
    }
}

/// Puts links into a trap at the end of an HTML page.
fn add_entries(answer: &mut Answer, entries: &str) {
    let end = answer.body.windows(7).rposition(|window| window == b"</body>");
    if let Some((page, rest)) =
        end.filter(|_| answer.status == 200).and_then(|at| answer.body.split_at_checked(at))
    {
        answer.body = Bytes::from([page, entries.as_bytes(), rest].concat());
    }
}

/// The print view: the page with a notice at the top.
fn for_print(mut answer: Answer) -> Answer {
    const NOTE: &[u8] =
        b"<div class=\"print-note\">Print view of this page. Please think of the trees.</div>\n";
    let body = &answer.body;
    let tag = body.windows(5).position(|window| window == b"<body");
    let end = tag.and_then(|tag| Some(tag + body.get(tag..)?.iter().position(|b| *b == b'>')? + 1));
    if let Some((head, rest)) = end.and_then(|end| body.split_at_checked(end)) {
        answer.body = Bytes::from([head, NOTE, rest].concat());
    }
    answer
}

impl Source for World {
    async fn fetch(&self, request: Request) -> Exchange {
        let url = request.target.url().clone();
        if !self.has_host_of(&url) {
            let message = format!("no host `{}` in this world", url.host());
            return Exchange::Failed(FetchFailure { url, kind: FailureKind::Dns, message, at: FETCHED_AT });
        }
        let answer = self.answer(&Ask { url: &url, cookie: None });
        Exchange::Answered(Response {
            url,
            status: answer.status,
            headers: answer.headers,
            body: answer.body,
            fetched_at: FETCHED_AT,
            took: answer.delay,
            truncated: false,
            body_end: BodyEnd::Whole,
            ip: None,
            request_head: Bytes::new(),
            note: None,
        })
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) mod walk;
