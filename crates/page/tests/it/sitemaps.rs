//! Sitemaps compared with the files of crawler-commons, read from `OSPREY_DATA`; their content was counted by hand.

use std::path::Path;

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Sitemap, SitemapKind, SitemapRules};

/// A file; its kind; its numbers of entries, entries with a date, entries with a title, and images; its last entry.
type Case = (&'static str, SitemapKind, [usize; 4], &'static str);

const CASES: &[Case] = &[
    ("rss/feed.rss", SitemapKind::Feed, [4, 1, 4, 0], "https://www.example.com/foo?q=a&l=fr"),
    // of seven dates, the sixth is empty, the seventh is missing, and the fifth has no zone
    ("rss/xmlRss_pubDate.xml", SitemapKind::Feed, [7, 4, 7, 0], "http://www.example.com/article_7"),
    ("sitemaps/atom.xml", SitemapKind::Feed, [1, 1, 1, 0], "http://example.org/2003/12/13/atom03"),
    ("sitemaps/sitemap.badns.xml", SitemapKind::Urls, [2, 0, 0, 0], "http://www.example.com/2"),
    // the URLs are in the entries themselves
    //
    (
        "sitemaps/sitemap.index.xml",
        SitemapKind::Index,
        [15, 0, 0, 0],
        "https://example.com/sitemap.jss?portalCode=10570&lang=en",
    ),
    ("sitemaps/sitemap.ns.xml", SitemapKind::Urls, [2, 0, 0, 0], "http://www.example.com/2"),
    ("sitemaps/sitemap.txt", SitemapKind::Text, [2, 0, 0, 0], "http://www.domain.com/page2.html"),
    ("sitemaps/sitemap-with-bom.txt", SitemapKind::Text, [2, 0, 0, 0], "http://www.domain.com/page2.html"),
    (
        "sitemaps/sitemap.txt.gz",
        SitemapKind::Text,
        [5, 0, 0, 0],
        "http://www.example.com/catalog?item=83&desc=vacation_usa",
    ),
    (
        "sitemaps/xmlSitemap.gz",
        SitemapKind::Urls,
        [5, 4, 0, 0],
        "http://www.example.com/catalog?item=83&desc=vacation_usa",
    ),
    (
        "sitemaps/extension/hebdenbridgetimes-articles-sitemap.xml",
        SitemapKind::Urls,
        [74, 74, 0, 94],
        "http://www.hebdenbridgetimes.co.uk/news/local/now-you-see-it-now-you-don-t-it-s-off-the-wall-1-7229940",
    ),
    (
        "sitemaps/extension/pagemaps-sitemap.xml",
        SitemapKind::Urls,
        [2, 0, 0, 0],
        "http://www.example.com/bar",
    ),
    (
        "sitemaps/extension/shinpaideshou-news-sitemap.xml",
        SitemapKind::Urls,
        [3, 0, 3, 0],
        "https://shinpaideshou.wordpress.com/2017/04/24/job-opening-lecturer-in-japanese-studies-university-of-leeds/",
    ),
    (
        "sitemaps/extension/sitemap-images.xml",
        SitemapKind::Urls,
        [1, 0, 0, 2],
        "http://www.example.com/images/some_image_landing_page.html",
    ),
    (
        "sitemaps/extension/sitemap-links.xml",
        SitemapKind::Urls,
        [3, 0, 0, 0],
        "http://www.example.com/schweiz-deutsch/",
    ),
    (
        "sitemaps/extension/sitemap-mobile.xml",
        SitemapKind::Urls,
        [3, 0, 0, 0],
        "http://www.example.com/no-mobile/",
    ),
    (
        "sitemaps/extension/sitemap-news.xml",
        SitemapKind::Urls,
        [2, 0, 2, 0],
        "http://www.example.org/empty_news_name.html",
    ),
    (
        "sitemaps/extension/sitemap-videos-tvshow.xml",
        SitemapKind::Urls,
        [1, 0, 0, 0],
        "https://example.org/my-tv-show/23/13/",
    ),
    (
        "sitemaps/extension/sitemap-videos.xml",
        SitemapKind::Urls,
        [3, 0, 0, 0],
        "http://www.example.com/videos/some_video_landing_page-3.html",
    ),
];

#[test]
fn crawler_commons_files() {
    let folder = std::env::var_os("OSPREY_DATA")
        .map(|data| Path::new(&data).join("conformance/sitemap-cases/crawler-commons"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        eprintln!("left out: sitemaps of crawler-commons (OSPREY_DATA is not set)");
        return;
    };
    let differ: Vec<String> = CASES.iter().filter_map(|case| difference(&folder, case)).collect();
    eprintln!("sitemap-cases: passed {} of {}", CASES.len() - differ.len(), CASES.len());
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

fn difference(folder: &Path, (file, kind, counts, last): &Case) -> Option<String> {
    let body = std::fs::read(folder.join(file)).expect("a file of the suite");
    let at = format!("http://www.example.com/{file}");
    let url = CanonicalUrl::parse(&at, &UrlRules::default()).expect("a URL");
    let input = Input { url: &url, content_type: None, body: &body };
    let map = Sitemap::parse(&input, &SitemapRules::default());
    let dated = map.entries.iter().filter(|entry| entry.last_modified.is_some()).count();
    let titled = map.entries.iter().filter(|entry| entry.title.is_some()).count();
    let images = map.entries.iter().map(|entry| entry.images.len()).sum();
    let found = (
        Sitemap::looks_like(&input),
        map.kind,
        [map.entries.len(), dated, titled, images],
        map.entries.last().map(|entry| entry.url.as_str()),
        map.notes.len(),
    );
    let expect = (true, *kind, *counts, Some(*last), 0);
    (found != expect).then(|| format!("{file}: found {found:?}, expected {expect:?}"))
}
