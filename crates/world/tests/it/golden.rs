//! The bytes of worlds never change: the same options give the same bytes, whatever happens to the code. Recorded
//! results of the lab depend on this, so every kind is crawled here and its answers are compared with `golden.txt`.
//!
//! A line of that file has a kind, a setting, a template, how many pages of it were met, and one hash of all their
//! answers: address, status, headers, body, response time and truth. So a difference names the kind and the template.
//! If a change of the pages is intended, `OSPREY_GOLDEN=write cargo test -p osprey-world --test golden` writes the
//! file again, and the changed lines belong into the commit.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::path::Path;

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_world::{Answer, Ask, Kind, Nastiness, Options, World};

/// Number of pages visited breadth-first from the start URLs.
const CRAWLED: usize = 1200;

/// Number of pages taken from the list of all pages, evenly spread.
const LISTED: usize = 1000;

/// Number of pictures: drawing one takes as long as writing ten pages.
const PICTURES: usize = 12;

/// Appended to every thirtieth known address: such pages may or may not exist.
const TAILS: [&str; 16] = [
    "",
    "0",
    "/",
    "2",
    "?page=0",
    "?page=1",
    "?page=2",
    "?page=x",
    "?page=18446744073709551615",
    "&page=2",
    "?sort=date",
    "&sort=votes",
    "?print=1",
    "/history",
    "/about",
    "?q=help",
];

/// 64 bits of FNV-1a: not collision-resistant, but the same on every machine and with every compiler.
#[derive(Clone, Copy)]
struct Sum {
    count: u64,
    hash: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { count: 0, hash: 0xcbf2_9ce4_8422_2325 }
    }
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0xff]) {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The hashes of a world's answers, by template.
struct Listener {
    world: World,
    sums: BTreeMap<String, Sum>,
    heard: HashSet<String>,
}

impl Listener {
    fn note(&mut self, template: &str, text: &str) {
        let sum = self.sums.entry(template.to_owned()).or_default();
        sum.count += 1;
        sum.add(text.as_bytes());
    }

    fn ask(&mut self, url: &CanonicalUrl) -> Answer {
        let answer = self.world.answer(&Ask { url, cookie: None });
        if !self.heard.insert(url.as_str().to_owned()) {
            return answer;
        }
        let truth = self.world.truth(url);
        let template = match &truth {
            Some(truth) if truth.template.is_empty() => "(no template)",
            Some(truth) => truth.template.as_str(),
            None => "(elsewhere)",
        };
        let sum = self.sums.entry(template.to_owned()).or_default();
        sum.count += 1;
        sum.add(
            format!("{url} {} {:?} {:?} {truth:?}", answer.status, answer.headers, answer.delay).as_bytes(),
        );
        sum.add(&answer.body);
        answer
    }

    fn ask_text(&mut self, text: &str) {
        if let Ok(url) = CanonicalUrl::parse(text, &UrlRules::keep_all()) {
            self.ask(&url);
        }
    }

    /// Breadth-first over links and redirects, including other hosts and traps; pictures come last.
    fn crawl(&mut self) {
        let mut known: HashSet<CanonicalUrl> = HashSet::new();
        let mut pictures: Vec<CanonicalUrl> = Vec::new();
        let seeds = self.world.seeds();
        let mut queue: VecDeque<CanonicalUrl> =
            seeds.iter().filter_map(|seed| CanonicalUrl::parse(seed, &UrlRules::keep_all()).ok()).collect();
        let mut visits = 0;
        while let Some(page) = queue.pop_front().filter(|_| visits < CRAWLED) {
            visits += 1;
            let answer = self.ask(&page);
            let body = String::from_utf8_lossy(&answer.body);
            let attributes = |mark: &str| -> Vec<CanonicalUrl> {
                let values = body.split(mark).skip(1).filter_map(|rest| rest.split(['"', '>']).next());
                let plain = |text: &str| text.replace("&#39;", "'").replace("&amp;", "&");
                values.filter_map(|value| page.join(&plain(value), &UrlRules::keep_all()).ok()).collect()
            };
            let sent_on =
                answer.headers.get("location").and_then(|to| page.join(to, &UrlRules::keep_all()).ok());
            for link in attributes("<a href=\"").into_iter().chain(sent_on) {
                if known.insert(link.clone()) {
                    queue.push_back(link);
                }
            }
            pictures.extend(attributes("src=\"").into_iter().filter(|url| known.insert(url.clone())));
        }
        let step = (pictures.len() / PICTURES).max(1);
        for picture in pictures.iter().step_by(step) {
            self.ask(picture);
        }
    }

    /// All addresses, some of the pages, and changes of some addresses.
    fn list(&mut self) {
        let pages: Vec<String> = self.world.pages().collect();
        pages.iter().for_each(|page| self.note("(pages)", page));
        let step = (pages.len() / LISTED).max(1);
        for page in pages.iter().step_by(step) {
            self.ask_text(page);
        }
        let origins: HashSet<&str> = pages
            .iter()
            .filter_map(|page| page.match_indices('/').nth(2).and_then(|(at, _)| page.get(..at)))
            .collect();
        let mut origins: Vec<&str> = origins.into_iter().collect();
        origins.sort_unstable();
        for origin in origins.iter().step_by((origins.len() / 8).max(1)) {
            for path in
                ["/robots.txt", "/sitemap.xml", "/login", "/calendar/2009/1", "/nothing", "/favicon.ico"]
            {
                self.ask_text(&format!("{origin}{path}"));
            }
        }
        for page in pages.iter().step_by(step * 30) {
            let cuts = [page.len(), page.len() - 1, page.len() * 3 / 4];
            for start in cuts.iter().filter_map(|cut| page.get(..*cut)) {
                TAILS.iter().for_each(|tail| self.ask_text(&format!("{start}{tail}")));
            }
        }
    }
}

/// Every difficulty at the highest rate at which a site is still recognisable.
fn nasty() -> Nastiness {
    Nastiness {
        templates: 0.8,
        sloppy_markup: 0.5,
        session_ids: 0.05,
        near_duplicates: 0.2,
        print_views: 0.5,
        redirects: 0.1,
        dead_links: 0.1,
        soft_404: 0.6,
        login_walls: 0.6,
        calendars: 0.3,
        ads: 0.6,
        spam_users: 0.2,
        tag_spam: 0.2,
        slow_hosts: 0.3,
        encodings: 0.4,
    }
}

fn settings() -> [(&'static str, Options); 3] {
    let base = Options::default();
    [
        ("usual", Options { pages: 2000, ..base.clone() }),
        ("nasty", Options { random_seed: 7, pages: 9000, nastiness: nasty(), ..base.clone() }),
        ("clean", Options { random_seed: 3, pages: 250, nastiness: Nastiness::none(), ..base }),
    ]
}

fn heard_of(kind: Kind) -> String {
    let mut lines = String::new();
    for (name, options) in settings() {
        let world = World::new(kind, &options).expect("options of the test");
        let mut listener = Listener { world, sums: BTreeMap::new(), heard: HashSet::new() };
        for topic in listener.world.topics() {
            listener.note("(topics)", &format!("{topic:?}"));
        }
        listener.crawl();
        listener.list();
        for (template, Sum { count, hash }) in listener.sums {
            writeln!(lines, "{kind}\t{name}\t{template}\t{count}\t{hash:016x}").expect("memory");
        }
    }
    lines
}

#[test]
fn the_bytes_of_worlds_do_not_change() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt");
    let handles: Vec<_> = Kind::ALL.map(|kind| std::thread::spawn(move || heard_of(kind))).into();
    let heard: String = handles.into_iter().map(|handle| handle.join().expect("no panic")).collect();
    if std::env::var("OSPREY_GOLDEN").is_ok_and(|what| what == "write") {
        std::fs::write(&path, &heard).expect("golden.txt can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("golden.txt can be read");
    let known: HashSet<&str> = golden.lines().collect();
    let changed: Vec<&str> = heard.lines().filter(|line| !known.contains(line)).collect();
    assert!(changed.is_empty(), "these said something else before:\n{}", changed.join("\n"));
    assert_eq!(heard.lines().count(), golden.lines().count(), "a template is met no more");
}
