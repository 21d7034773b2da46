//! A generated site: a tree of pages with cross links, the same for the same random seed.
//!
//! Page `n` links to its children in a tree, to its parent and to a few pages chosen at random, so every page can be
//! reached from `/`. Every page has words of its own, from a generated vocabulary: no page is a near duplicate of
//! another. Hosts form a tree too: their front pages link to the next hosts, so that a crawl from one start URL finds
//! all. Nothing is stored; writing a page takes a few microseconds.

use std::collections::HashMap;
use std::fmt::Write;
use std::net::Ipv4Addr;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::draw;
use crate::{Answer, Reply, Site, SiteRequest};

/// Number of links to children, on every page.
const CHILDREN: u64 = 8;
/// Number of links to random pages.
const CROSS_LINKS: u64 = 4;
/// Number of further hosts that a host's front page links to.
const NEXT_HOSTS: u64 = 4;
/// Number of hosts per 127.x.y.0/24.
const HOSTS_IN_BLOCK: u64 = 250;

/// Which hosts exist and link to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// A single host, or hosts that do not link to each other.
    Alone,
    /// This many loopback addresses from 127.1.0.1 on, with one port.
    Loopback {
        /// How many.
        count: u64,
        /// The port they share.
        port: u16,
    },
    /// These names (`a.test` or `a.test:8080`).
    Named(Vec<String>),
}

impl Hosts {
    /// The authority of host `at`.
    pub fn authority(&self, at: u64) -> Option<String> {
        match self {
            Self::Alone => None,
            Self::Loopback { count, port } => (at < *count).then(|| format!("{}:{port}", loopback(at))),
            Self::Named(names) => names.get(usize::try_from(at).ok()?).cloned(),
        }
    }

    /// The number of the host with this authority.
    fn position(&self, authority: &str) -> Option<u64> {
        match self {
            Self::Alone => None,
            Self::Loopback { .. } => {
                let address = authority.rsplit_once(':').map_or(authority, |(address, _)| address);
                let [_, second, third, fourth] = address.parse::<Ipv4Addr>().ok()?.octets();
                let block = u64::from(second.checked_sub(1)?) * 256 + u64::from(third);
                Some(block * HOSTS_IN_BLOCK + u64::from(fourth.checked_sub(1)?))
            }
            Self::Named(names) => names.iter().position(|name| name == authority).map(|at| at as u64),
        }
    }
}

fn loopback(at: u64) -> Ipv4Addr {
    let (block, within) = (at / HOSTS_IN_BLOCK, at % HOSTS_IN_BLOCK);
    Ipv4Addr::new(127, (1 + block / 256) as u8, (block % 256) as u8, (1 + within) as u8)
}

/// A generated site.
#[derive(Clone, Debug)]
pub struct Plain {
    random_seed: u64,
    pages: u64,
    page_bytes: usize,
    hosts: Hosts,
    /// The robots.txt files by host; the empty host stands for all others.
    robots: HashMap<String, String>,
    sitemap: bool,
    words: Vec<String>,
}

impl Plain {
    /// A site with this many pages on every host, about 4 KB each.
    pub fn new(random_seed: u64, pages: u64) -> Self {
        let robots = HashMap::new();
        let words = vocabulary(random_seed);
        Self {
            random_seed,
            pages: pages.max(1),
            page_bytes: 4096,
            hosts: Hosts::Alone,
            robots,
            sitemap: false,
            words,
        }
    }

    /// Sets the approximate page size.
    #[must_use]
    pub fn page_bytes(mut self, page_bytes: usize) -> Self {
        self.page_bytes = page_bytes;
        self
    }

    /// Sets the hosts, which link to each other.
    #[must_use]
    pub fn hosts(mut self, hosts: Hosts) -> Self {
        self.hosts = hosts;
        self
    }

    /// Sets the robots.txt of hosts that have no other; by default there is none (404).
    #[must_use]
    pub fn robots(self, text: &str) -> Self {
        self.robots_on("", text)
    }

    /// Sets the robots.txt of one host, given without its port.
    #[must_use]
    pub fn robots_on(mut self, host: &str, text: &str) -> Self {
        self.robots.insert(host.to_owned(), text.to_owned());
        self
    }

    /// Adds a `/sitemap.xml` with all pages of the host.
    #[must_use]
    pub fn sitemap(mut self) -> Self {
        self.sitemap = true;
        self
    }

    /// The path of page `n`.
    pub fn path(page: u64) -> String {
        if page == 0 { "/".to_owned() } else { format!("/p/{page}.html") }
    }

    /// Number of pages on a host.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    fn page(&self, host: &str, page: u64) -> String {
        let mut state =
            xxh3_64_with_seed(host.as_bytes(), self.random_seed ^ page.wrapping_mul(0x1_0000_01b3));
        let mut html = String::with_capacity(self.page_bytes + 1024);
        html.push_str("<!doctype html><html><head><title>");
        self.say(&mut html, &mut state, 5);
        html.push_str("</title></head><body><nav><ul>");
        self.links(&mut html, &mut state, host, page);
        html.push_str("</ul></nav><main>");
        while html.len() < self.page_bytes {
            html.push_str("<p>");
            self.say(&mut html, &mut state, 60);
            html.push_str("</p>\n");
        }
        html.push_str("</main></body></html>");
        html
    }

    fn links(&self, html: &mut String, state: &mut u64, host: &str, page: u64) {
        let children = (page * CHILDREN + 1)..=(page * CHILDREN + CHILDREN);
        let parent = page.checked_sub(1).map(|before| before / CHILDREN);
        let cross = (0..CROSS_LINKS).map(|_| draw(state) % self.pages).collect::<Vec<_>>();
        for to in children.filter(|to| *to < self.pages).chain(parent).chain(cross) {
            if to == 0 {
                html.push_str("<li><a href=\"/\">");
            } else {
                // Writing to a string cannot fail.
                let _ = write!(html, "<li><a href=\"/p/{to}.html\">");
            }
            self.say(html, state, 2);
            html.push_str("</a></li>");
        }
        if page == 0
            && let Some(at) = self.hosts.position(host)
        {
            for next in (at * NEXT_HOSTS + 1)..=(at * NEXT_HOSTS + NEXT_HOSTS) {
                if let Some(authority) = self.hosts.authority(next) {
                    let _ = write!(html, "<li><a href=\"http://{authority}/\">{authority}</a></li>");
                }
            }
        }
    }

    fn say(&self, html: &mut String, state: &mut u64, words: usize) {
        for at in 0..words {
            if at > 0 {
                html.push(' ');
            }
            let word = (draw(state) % self.words.len().max(1) as u64) as usize;
            html.push_str(self.words.get(word).map_or("", String::as_str));
        }
    }

    fn robots_txt(&self, asked: &SiteRequest<'_>) -> Reply {
        let text = self.robots.get(asked.host_name()).or_else(|| self.robots.get(""));
        text.map_or_else(|| Reply::status(404), |text| Reply::text(text.as_str()))
    }

    fn sitemap_xml(&self, host: &str) -> Reply {
        let mut xml = String::from("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
        for page in 0..self.pages.min(50_000) {
            let _ = writeln!(xml, "<url><loc>http://{host}{}</loc></url>", Self::path(page));
        }
        xml.push_str("</urlset>\n");
        Reply::ok("application/xml", xml)
    }
}

impl Site for Plain {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        let number = |path: &str| path.strip_prefix("/p/")?.strip_suffix(".html")?.parse().ok();
        let page = match asked.path {
            "/" => Some(0),
            "/robots.txt" => return self.robots_txt(asked).into(),
            "/sitemap.xml" if self.sitemap => return self.sitemap_xml(asked.host).into(),
            path => number(path).filter(|page| *page < self.pages),
        };
        let page = page.map(|page| Reply::html(self.page(asked.host, page)));
        page.unwrap_or_else(|| Reply::status(404)).into()
    }
}

/// Words of two to four syllables.
fn vocabulary(seed: u64) -> Vec<String> {
    const SYLLABLES: [&str; 16] = [
        "ba", "der", "ki", "lom", "nu", "pas", "ri", "sol", "ta", "ven", "wi", "zo", "fa", "gel", "hu", "mi",
    ];
    let mut state = seed;
    let mut word = || {
        let mut bits = draw(&mut state);
        let mut word = String::new();
        for _ in 0..2 + bits % 3 {
            bits >>= 4;
            word.push_str(SYLLABLES.get((bits % 16) as usize).copied().unwrap_or("la"));
        }
        word
    };
    (0..4096).map(|_| word()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(site: &Plain, host: &str, path: &str) -> (u16, String) {
        let end = "127.0.0.1:80".parse().unwrap();
        match site.answer(&SiteRequest { host, path, peer: end, local: end, lines: &[] }) {
            Answer::Reply(reply) => (reply.status, String::from_utf8(reply.body.to_vec()).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_page_is_found_from_the_front_page() {
        let site = Plain::new(7, 300).page_bytes(0);
        let (mut found, mut todo) =
            (std::collections::BTreeSet::from(["/".to_owned()]), vec!["/".to_owned()]);
        while let Some(path) = todo.pop() {
            let (status, html) = ask(&site, "a", &path);
            assert_eq!(status, 200);
            for link in html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                if found.insert(link.to_owned()) {
                    todo.push(link.to_owned());
                }
            }
        }
        assert_eq!(found.len(), 300);
        assert_eq!(ask(&site, "a", "/p/300.html").0, 404);
    }

    #[test]
    fn pages_are_their_own_and_stay_the_same() {
        let site = Plain::new(7, 10);
        let page = ask(&site, "a", "/p/1.html").1;
        assert!((4096..6000).contains(&page.len()));
        assert_eq!(ask(&Plain::new(7, 10), "a", "/p/1.html").1, page);
        for (host, path) in [("a", "/p/2.html"), ("b", "/p/1.html")] {
            assert_ne!(ask(&site, host, path).1, page);
        }
    }

    #[test]
    fn hosts_are_found_from_the_first() {
        let check = |hosts: &Hosts, at: u64, authority: &str| {
            assert_eq!(hosts.authority(at).as_deref(), Some(authority));
            assert_eq!(hosts.position(authority), Some(at));
        };
        let hosts = Hosts::Loopback { count: 100_000, port: 8801 };
        check(&hosts, 0, "127.1.0.1:8801");
        check(&hosts, 251, "127.1.1.2:8801");
        check(&hosts, 64_000, "127.2.0.1:8801");
        check(&Hosts::Named(vec!["a.test".to_owned(), "b.test".to_owned()]), 1, "b.test");
        let site = Plain::new(1, 1).hosts(Hosts::Loopback { count: 3, port: 8801 });
        let html = ask(&site, "127.1.0.1:8801", "/").1;
        assert!(html.contains("http://127.1.0.2:8801/") && html.contains("http://127.1.0.3:8801/"));
        assert!(!html.contains("127.1.0.4"));
    }

    #[test]
    fn robots_and_sitemap() {
        let site = Plain::new(1, 2).robots("User-agent: *").robots_on("b", "Disallow: /").sitemap();
        assert_eq!(ask(&site, "a:80", "/robots.txt").1, "User-agent: *");
        assert_eq!(ask(&site, "b:80", "/robots.txt").1, "Disallow: /");
        assert!(ask(&site, "a:80", "/sitemap.xml").1.contains("<loc>http://a:80/p/1.html</loc>"));
        assert_eq!(ask(&Plain::new(1, 2), "a", "/robots.txt").0, 404);
    }
}
