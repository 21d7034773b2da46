//! The interface between a world and its kinds: requests, responses, and the truth about a URL.

use std::time::Duration;

use bytes::Bytes;
use osprey_model::{CanonicalUrl, Headers, PageType};
use serde::{Deserialize, Serialize};

/// A request to a world.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The requested URL; host names in lower case, no fragment.
    pub url: &'a CanonicalUrl,
    /// The `Cookie` header.
    pub cookie: Option<&'a str>,
}

/// The response of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Header lines without `Content-Length` and `Date`, which the server adds.
    pub headers: Headers,
    /// The body.
    pub body: Bytes,
    /// The response time of a real server of this kind. Over HTTP the server waits; elsewhere it is only counted.
    pub delay: Duration,
}

impl Answer {
    /// A response with one header, the media type.
    pub fn new(status: u16, media_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = [("Content-Type", media_type)].into_iter().collect();
        Self { status, headers, body: body.into(), delay: Duration::ZERO }
    }

    /// A redirect.
    pub fn redirect(status: u16, to: &str) -> Self {
        let mut answer = Self::new(status, "text/html; charset=utf-8", Bytes::new());
        answer.headers.push("Location", to);
        answer
    }
}

/// The truth about a URL. Crawlers never see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// The kind of page.
    pub page_type: PageType,
    /// The template's name, finer than the type: `thread`, `album`.
    pub template: String,
    /// Whether it holds what users wrote or uploaded (Xu et al. 2018's user-created content).
    pub user_created: bool,
    /// Names of the topics that it is about, the main one first; empty if it has none.
    pub topics: Vec<String>,
    /// The page that this one duplicates, exactly or nearly: a print view, a session id, another order.
    pub duplicate_of: Option<String>,
    /// Why the page is useless, if it is: `dead`, `soft-404`, `login`, `redirect`, `calendar`, `ad`, `spam`.
    pub waste: Option<String>,
}

/// A topic of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldTopic {
    /// Its name in [`Truth::topics`]; taxonomy paths are written `Sports/Basketball`.
    pub name: String,
    /// Tags or terms that a user would type, the strongest first.
    pub terms: Vec<String>,
    /// The same in Chinese, if the world has Chinese pages.
    pub terms_zh: Vec<String>,
}

/// How a person who knows the site would crawl it for one topic: begin at its own lists, and let the crawl fetch only
/// what matches one of these regular expressions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expert {
    /// The topic's lists.
    pub start: Vec<String>,
    /// The pages of these lists; the pages of items, and those on the way to them.
    pub allow: Vec<String>,
}

/// One kind of world: pure functions of a URL.
pub(crate) trait Site: Send + Sync {
    /// The start URLs.
    fn seeds(&self) -> Vec<String>;

    /// Answers a request for a page; `None` is a plain 404. What all worlds have in common (robots.txt, slow hosts) is
    /// added by the caller.
    fn answer(&self, ask: &Ask<'_>) -> Option<Answer>;

    /// The truth about a URL; `None` if it is not part of this world.
    fn truth(&self, url: &CanonicalUrl) -> Option<Truth>;

    /// Every page that counts, once, by its usual URL: no duplicates, no waste, no pictures.
    fn pages(&self) -> Box<dyn Iterator<Item = String> + '_>;

    /// The topics.
    fn topics(&self) -> Vec<WorldTopic>;

    /// The crawl of a person who knows the site, for a topic by its name; `None` if it has no lists of that topic.
    fn expert(&self, _topic: &str) -> Option<Expert> {
        None
    }

    /// Whether a page is of a person: a profile, or a list of what one made.
    fn is_of_person(&self, url: &CanonicalUrl) -> bool {
        self.truth(url).is_some_and(|truth| truth.page_type == PageType::Profile)
    }

    /// The robots.txt of a host; `None` if there is none.
    fn robots_txt(&self, host: &str) -> Option<String>;
}
