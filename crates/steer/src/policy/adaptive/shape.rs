//! The shapes of URLs, and the lists that URLs with page numbers belong to.
//!
//! URLs of one kind of page differ in names and numbers. A **shape** keeps what the site's makers chose (`/topic/#/*`) and
//! leaves out what names a thing. Numbers never count; a word of a path is kept where few different ones are found
//! at its place, and left out once there are many. What has been seen is kept in a small bounded tree, so shapes get better as
//! a crawl goes on and the same visits give the same shapes.
//!
//! A **list** is one enumeration: its key is the URL without its page number or offset.

use osprey_model::CanonicalUrl;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// More different words than this at one place are names of things; of folders at the root of a site there are more.
const MOST_WORDS: usize = 8;
const MOST_FOLDERS: usize = 40;
/// Places that words are counted at.
const MOST_PLACES: usize = 20_000;
/// Segments of a path that count.
const MOST_SEGMENTS: usize = 8;

/// Parameters that number the pages of a list.
const PAGE_NAMES: [&str; 20] = [
    "page",
    "p",
    "pg",
    "paged",
    "pageno",
    "page_no",
    "pagenum",
    "page_number",
    "pn",
    "start",
    "offset",
    "from",
    "skip",
    "begin",
    "first",
    "seite",
    "pagina",
    "cpage",
    "currentpage",
    "curpage",
];

/// The words that were seen at a place of a path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Place {
    words: Vec<u32>,
    is_free: bool,
}

/// Tells the shapes of a site's URLs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Shapes {
    #[serde(serialize_with = "super::sorted")]
    places: FxHashMap<u64, Place>,
}

/// What tells one kind of token from another.
fn mix(shape: u64, token: &[u8]) -> u64 {
    xxh3_64_with_seed(token, shape)
}

impl Shapes {
    /// The shape of a URL.
    pub(super) fn of(&mut self, url: &CanonicalUrl) -> u64 {
        let mut shape = mix(0, url.authority().as_bytes());
        let path = url.path().trim_matches('/');
        let mut segments = path.split('/').take(MOST_SEGMENTS).peekable();
        let mut is_root = true;
        while let Some(segment) = segments.next() {
            let is_last = segments.peek().is_none();
            shape = self.segment(shape, segment, is_last, is_root);
            is_root = false;
        }
        for parameter in url.query().into_iter().flat_map(|query| query.split('&')) {
            let name = parameter.split('=').next().unwrap_or_default();
            shape = mix(shape, name.as_bytes()) ^ 1;
        }
        shape
    }

    fn segment(&mut self, shape: u64, segment: &str, is_last: bool, is_root: bool) -> u64 {
        if segment.is_empty() {
            return mix(shape, b"/");
        }
        let (stem, ending) = match segment.rsplit_once('.') {
            Some((stem, ending)) if is_last && ending.len() <= 5 => (stem, ending),
            _ => (segment, ""),
        };
        let shape = if ending.is_empty() { shape } else { mix(shape, ending.as_bytes()) };
        if stem.bytes().any(|b| b.is_ascii_digit()) {
            return mix(shape, b"#");
        }
        // a folder of the root and a page of it are counted apart
        let place = mix(shape, if is_last { b"=" } else { b"+" });
        if !self.places.contains_key(&place) && self.places.len() >= MOST_PLACES {
            return mix(shape, b"*");
        }
        let known = self.places.entry(place).or_default();
        if !known.is_free {
            let key = mix(1, stem.as_bytes()) as u32;
            let most = if is_root && !is_last { MOST_FOLDERS } else { MOST_WORDS };
            if known.words.contains(&key) {
                return mix(shape, stem.as_bytes());
            }
            if known.words.len() < most {
                known.words.push(key);
                return mix(shape, stem.as_bytes());
            }
            known.is_free = true;
            known.words = Vec::new();
        }
        mix(shape, b"*")
    }
}

/// A list, and which page of it a URL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListPage {
    /// The list's key.
    pub(super) list: u64,
    /// The number or offset; `None` for its first page.
    pub(super) number: Option<u64>,
}

impl ListPage {
    /// Of a URL.
    pub(super) fn of(url: &CanonicalUrl) -> Self {
        let mut list = mix(2, url.authority().as_bytes());
        let mut number = None;
        let mut after_page = false;
        for segment in url.path().split('/').filter(|segment| !segment.is_empty()) {
            if after_page && let Ok(found) = segment.parse::<u64>() {
                number = Some(found);
                after_page = false;
                continue;
            }
            if after_page {
                list = mix(list, b"page");
            }
            after_page = segment.eq_ignore_ascii_case("page") || segment.eq_ignore_ascii_case("p");
            if after_page {
                continue;
            }
            let glued = ["page-", "page", "p-"].iter().find_map(|name| segment.strip_prefix(name));
            match glued.and_then(|rest| rest.parse::<u64>().ok()) {
                Some(found) => number = Some(found),
                None => list = mix(list, segment.as_bytes()),
            }
        }
        for parameter in url.query().into_iter().flat_map(|query| query.split('&')) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let is_page = PAGE_NAMES.iter().any(|page| name.eq_ignore_ascii_case(page));
            match value.parse::<u64>() {
                Ok(found) if is_page => number = Some(found),
                _ => list = mix(list, parameter.as_bytes()) ^ 1,
            }
        }
        Self { list, number }
    }
}

#[cfg(test)]
mod tests {
    use osprey_model::UrlRules;

    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example{path}"), &UrlRules::default()).unwrap()
    }

    #[test]
    fn names_and_numbers_do_not_count() {
        let mut shapes = Shapes::default();
        for name in 0..20u8 {
            let name = char::from(b'a' + name);
            shapes.of(&url(&format!("/author/{name}x/")));
            shapes.of(&url(&format!("/author/{name}x/posts")));
        }
        let mut check = |a: &str, b: &str, expect: bool| {
            assert_eq!(shapes.of(&url(a)) == shapes.of(&url(b)), expect, "{a} {b}");
        };
        check("/topic/12/red-cars/", "/topic/7/red-cars/", true);
        check("/topic/12/red-cars/", "/user/12/red-cars/", false);
        check("/author/hugo/", "/author/otto", true);
        check("/author/hugo/posts", "/author/otto/posts", true);
        check("/author/hugo/", "/tag/hugo/", false);
        check("/node/12.html", "/node/13.html", true);
        check("/node/12.html", "/node/13.php", false);
        check("/list?page=2", "/list?page=3", true);
        check("/list?page=2", "/list?order=2", false);
        check("/", "/", true);
        check("/about", "/login", false);
    }

    #[test]
    fn pages_of_one_list_share_its_key() {
        let check = |a: &str, b: &str, expect: bool, number: Option<u64>| {
            let (a, b) = (ListPage::of(&url(a)), ListPage::of(&url(b)));
            assert_eq!(a.list == b.list, expect, "{a:?} {b:?}");
            assert_eq!(b.number, number);
        };
        check("/category/5/music/", "/category/5/music/?page=2", true, Some(2));
        check("/tag/x/", "/tag/x/page/3/", true, Some(3));
        check("/forum/x", "/forum/x/page-4", true, Some(4));
        check("/list?sort=new", "/list?sort=new&start=40", true, Some(40));
        check("/list?sort=new", "/list?sort=old&start=40", false, Some(40));
        check("/category/5/", "/category/6/?page=2", false, Some(2));
        check("/page/about", "/page/contact", false, None);
        check("/p/1", "/p/2", true, Some(2));
    }
}
