//! Whole sitemaps, from bytes to entries.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;

const URLSET: &str = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
                      xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>";

fn read_with(at: &str, content_type: Option<&str>, body: &[u8], rules: &SitemapRules) -> Sitemap {
    let url = CanonicalUrl::parse(at, &UrlRules::default()).expect("a URL");
    Sitemap::parse(&Input { url: &url, content_type, body }, rules)
}

fn read(body: &[u8]) -> Sitemap {
    read_with("http://a.example/maps/sitemap.xml", None, body, &SitemapRules::default())
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

fn urls(map: &Sitemap) -> Vec<&str> {
    map.entries.iter().map(|entry| entry.url.as_str()).collect()
}

/// Checks the kind and the URLs, and that there are no notes.
#[track_caller]
fn check(body: impl AsRef<[u8]>, kind: SitemapKind, expect: &[&str]) {
    let map = read(body.as_ref());
    assert_eq!((map.kind, urls(&map).as_slice(), map.notes.as_slice()), (kind, expect, &[][..]));
    assert!(!map.is_cut);
}

#[test]
fn a_list_of_pages() {
    let body = format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<!-- made by hand -->\n{URLSET}
        <url><loc> http://a.example/1?x=1&amp;y=2 </loc><lastmod>2024-05-17</lastmod>
             <changefreq>daily</changefreq><priority>0.8</priority></url>
        <url><priority>9</priority><loc><![CDATA[http://a.example/2?x=1&y=2]]></loc></url>
        <url><lastmod>never</lastmod></url>
        <url><loc>/3</loc></url><url><loc>4</loc></url>
        </urlset>"
    );
    let map = read(body.as_bytes());
    let expect = [
        "http://a.example/1?x=1&y=2",
        "http://a.example/2?x=1&y=2",
        "http://a.example/3",
        "http://a.example/maps/4",
    ];
    assert_eq!((map.kind, urls(&map)), (SitemapKind::Urls, expect.to_vec()));
    let facts: Vec<_> =
        map.entries.iter().map(|e| (e.last_modified.map(|at| at.to_string()), e.priority)).collect();
    let day = Some("2024-05-17T00:00:00.000Z".to_owned());
    assert_eq!(facts, [(day, Some(0.8)), (None, Some(1.0)), (None, None), (None, None)]);
    assert_eq!((map.notes.as_slice(), map.is_cut), (&[][..], false));
}

#[test]
fn a_list_of_sitemaps() {
    let index = "<sitemapindex><sitemap><loc>a.xml.gz</loc><lastmod>2024</lastmod></sitemap>\
                 <sitemap><loc>http://b.example/b.xml</loc></sitemap></sitemapindex>";
    let expect = ["http://a.example/maps/a.xml.gz", "http://b.example/b.xml"];
    check(index, SitemapKind::Index, &expect);
    let bare = "<sitemapindex><sitemap>\n http://a.example/1?x&amp;y \n</sitemap><sitemap>none</sitemap></sitemapindex>";
    check(bare, SitemapKind::Index, &["http://a.example/1?x&y"]);
    // the entries decide, not the root
    check(index.replace("sitemapindex", "urlset"), SitemapKind::Index, &expect);
}

#[test]
fn images_by_any_prefix() {
    let check = |urlset: &str, images: &str, expect: &[(&str, Option<&str>, Option<&str>)]| {
        let map = read(format!("{urlset}<url><loc>/p</loc>{images}</url></urlset>").as_bytes());
        let [entry] = map.entries.as_slice() else { panic!("one entry: {map:?}") };
        let found: Vec<_> = entry
            .images
            .iter()
            .map(|image| (image.url.path(), image.title.as_deref(), image.caption.as_deref()))
            .collect();
        assert_eq!((found.as_slice(), entry.url.path()), (expect, "/p"), "{images}");
    };
    let two = "<image:image><image:loc>/1.jpg</image:loc><image:title>A &lt;red&gt; bird</image:title>\
               <image:caption> on\n a tree </image:caption></image:image>\
               <image:image><image:loc>/2.jpg</image:loc></image:image>";
    let expect = [("/1.jpg", Some("A <red> bird"), Some("on a tree")), ("/2.jpg", None, None)];
    check(URLSET, two, &expect);
    check("<urlset>", two, &expect);
    let prefix = |prefix: &str| two.replace("image:", prefix);
    check("<urlset xmlns:i='https://www.google.com/schemas/sitemap-image/1.1'>", &prefix("i:"), &expect);
    check("<urlset>", &prefix(""), &expect);
    // without the wrapper
    check(
        URLSET,
        "<image:loc>/1.jpg</image:loc><image:loc>/2.jpg</image:loc>",
        &[("/1.jpg", None, None), ("/2.jpg", None, None)],
    );
    // other extensions are ignored
    check(
        URLSET,
        "<video:video><video:title>T</video:title><video:content_loc>/v.mp4</video:content_loc></video:video>\
         <xhtml:link rel='alternate' hreflang='de' href='/de'/><image:image><image:title>T</image:title></image:image>",
        &[],
    );
}

#[test]
fn feeds() {
    let rss = "<?xml version='1.0'?><rss version='2.0'><channel><title>All</title><link>http://a.example/</link>\
        <atom:link href='http://a.example/feed' rel='self'/>\
        <image><url>/logo.png</url><title>Logo</title><link>/</link></image>\
        <item><title>The &amp; first</title><link>http://a.example/1</link>\
            <pubDate>Fri, 17 May 2024 10:30:00 +0200</pubDate><guid isPermaLink='false'>77</guid></item>\
        <item><guid>http://a.example/2</guid></item>\
        <item><guid isPermaLink='false'>78</guid></item><item><guid isPermaLink='false'>http://a.example/9</guid></item>\
        <item><atom:link rel='alternate' href='/3?a=1&amp;b=2'/></item></channel></rss>";
    check(
        rss,
        SitemapKind::Feed,
        &["http://a.example/1", "http://a.example/2", "http://a.example/9", "http://a.example/3?a=1&b=2"],
    );
    let map = read(rss.as_bytes());
    assert_eq!(map.entries[0].title.as_deref(), Some("The & first"));
    assert_eq!(
        map.entries[0].last_modified.map(|at| at.to_string()).as_deref(),
        Some("2024-05-17T08:30:00.000Z")
    );

    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://a.example/'/><id>x</id>\
        <entry><link rel='edit' href='/edit'/><link href='/1'/><link rel='alternate' href='/other'/>\
            <updated>2024-05-17T10:30:00Z</updated><title type='html'>One</title></entry>\
        <entry><link rel='enclosure' href='/2.mp3'/></entry></feed>";
    check(atom, SitemapKind::Feed, &["http://a.example/1"]);

    let rdf = "<rdf:RDF xmlns='http://purl.org/rss/1.0/'><item rdf:about='x'><link>/1</link>\
        <dc:date>2024-05-17</dc:date></item></rdf:RDF>";
    check(rdf, SitemapKind::Feed, &["http://a.example/1"]);
}

#[test]
fn plain_text() {
    let lines = "\u{feff}http://a.example/1\r\n\r\n  https://b.example/2  \nhttp://a.example/3";
    let expect = ["http://a.example/1", "https://b.example/2", "http://a.example/3"];
    check(lines, SitemapKind::Text, &expect);
    check(lines.replace("\r\n", "\r").replace('\n', "\r"), SitemapKind::Text, &expect);
    let map = read(b"Welcome to my site\nftp://a.example/\nhttp://a.example/1\n/relative");
    assert_eq!(urls(&map), ["http://a.example/1"]);
    assert_eq!(map.skipped, SkippedLinks { invalid: 2, scheme: 1, ..SkippedLinks::default() });
}

#[test]
fn gzip_of_any_number_of_members() {
    let (first, second) = ("<urlset><url><loc>/1</loc></url>", "<url><loc>/2</loc></url></urlset>");
    let expect = ["http://a.example/1", "http://a.example/2"];
    check(gzip(format!("{first}{second}").as_bytes()), SitemapKind::Urls, &expect);
    check([gzip(first.as_bytes()), gzip(b""), gzip(second.as_bytes())].concat(), SitemapKind::Urls, &expect);
    check(gzip(b"http://a.example/1"), SitemapKind::Text, &["http://a.example/1"]);

    let torn = [gzip(first.as_bytes()), b"\x1f\x8b\x08 not gzip".to_vec()].concat();
    let map = read(&torn);
    assert_eq!((urls(&map), map.is_cut), (vec!["http://a.example/1"], true));
    assert_eq!(map.notes, [SitemapNote::Torn]);
}

#[test]
fn a_bomb_is_cut() {
    let rules = SitemapRules { max_bytes: 1 << 20, ..SitemapRules::default() };
    let bomb = gzip(&vec![b' '; 64 << 20]);
    assert!(bomb.len() < 1 << 20);
    let map = read_with("http://a.example/", None, &bomb, &rules);
    assert_eq!((map.entries.len(), map.notes.as_slice()), (0, &[SitemapNote::CutBytes][..]));

    let entities = "<!DOCTYPE urlset [<!ENTITY a 'http://a.example/aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>\
        <urlset><url><loc>/&b;</loc></url><url><loc>&a;</loc></url></urlset>";
    check(entities, SitemapKind::Urls, &["http://a.example/&b;", "http://a.example/maps/&a;"]);
}

#[test]
fn character_sets() {
    let xml = |encoding: &str| {
        format!("<?xml version='1.0' encoding='{encoding}'?><urlset><url><loc>/é</loc></url></urlset>")
    };
    let expect = ["http://a.example/%C3%A9"];
    check(xml("utf-8"), SitemapKind::Urls, &expect);
    let latin: Vec<u8> = xml("iso-8859-1").chars().map(|c| c as u8).collect();
    check(&latin, SitemapKind::Urls, &expect);
    let units = |mark: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("{mark}{}", xml("utf-16")).encode_utf16().flat_map(bytes).collect()
    };
    check(units("\u{feff}", u16::to_le_bytes), SitemapKind::Urls, &expect);
    check(units("\u{feff}", u16::to_be_bytes), SitemapKind::Urls, &expect);
    check(units("", u16::to_be_bytes), SitemapKind::Urls, &expect);
    check(gzip(&units("\u{feff}", u16::to_le_bytes)), SitemapKind::Urls, &expect);
    let map = read(b"<urlset><url><loc>/\xff</loc></url></urlset>");
    assert_eq!(
        (urls(&map), map.notes.as_slice()),
        (vec!["http://a.example/%EF%BF%BD"], &[SitemapNote::InvalidBytes][..])
    );
}

/// Whatever is damaged, complete entries before the damage are kept, and half a URL never is.
#[test]
fn torn_and_strange() {
    let check = |body: &str, expect: &[&str], is_cut: bool| {
        let map = read(body.as_bytes());
        assert_eq!((urls(&map).as_slice(), map.is_cut), (expect, is_cut), "{body}");
    };
    let (one, two) = ("http://a.example/1", "http://a.example/2");
    // torn in a URL, in a tag, after a URL
    check("<urlset><url><loc>/1</loc></url><url><loc>/2", &[one], true);
    check("<urlset><url><loc>/1</loc></url><url><lo", &[one], true);
    check("<urlset><url><loc>/1</loc><lastm", &[one], true);
    check("<urlset><url><loc>/1</loc><!-- ", &[one], true);
    check("<urlset><url><loc>/1</loc></url><![CDATA[", &[one], true);
    // unclosed, nested and misspelt elements
    check("<urlset><url><loc>/1<url><loc>/2</loc></url></urlset>", &[one, two], true);
    check("<urlset><url><loc>/1</loc></uri><url><loc>/2</loc></url></urlset>", &[one, two], false);
    check("<x><y><urlset><z><url><q><loc>/1</loc></q></url></z></urlset></y></x>", &[one], false);
    check("</urlset></a><urlset><url><loc>/1</loc></url></urlset>", &[one], false);
    check("<url><loc>/1</loc></url><url><loc>/2</loc></url>", &[one, two], false);
    check("<urlset><url><loc/><loc>/1</loc><loc>/2</loc></url></urlset>", &[one], false);
    // wrong namespaces, and prefixes
    check("<urlset xmlns='http://nowhere.example/'><url><loc>/1</loc></url></urlset>", &[one], false);
    check(
        "<s:urlset xmlns:s='x'><s:url><s:loc>/1</s:loc><v:url>/2</v:url></s:url></s:urlset>",
        &[one],
        false,
    );
    // warnings of a script before the XML, and bare ampersands
    check(
        "<br />\n<b>Warning</b>: x<?xml version='1.0'?><urlset><url><loc>/1</loc></url></urlset>",
        &[one],
        false,
    );
    check("Notice: x\n<?xml version='1.0'?><urlset><url><loc>/1</loc></url></urlset>", &[one], false);
    check(
        "<urlset><url><loc>/?a=1&b=2&c;d&#65;&#x42;</loc></url></urlset>",
        &["http://a.example/?a=1&b=2&c;dAB"],
        false,
    );
    // nothing
    check("", &[], false);
    check("<", &[], true);
    check("<html><body>no</body></html>", &[], false);
    assert_eq!(read(b"<html><body>no</body></html>").notes, [SitemapNote::Unknown]);
}

#[test]
fn references_that_are_not_urls_are_counted() {
    let long = "x".repeat(100_000);
    let body = format!(
        "<urlset><url><loc></loc></url><url><loc>#top</loc></url><url><loc>mailto:a@b.example</loc></url>\
         <url><loc>/{long}</loc></url><url><loc>http://[</loc></url><url><loc>/1</loc></url></urlset>"
    );
    let map = read(body.as_bytes());
    assert_eq!(urls(&map), ["http://a.example/1"]);
    assert_eq!(map.skipped, SkippedLinks { invalid: 2, scheme: 1, too_long: 1, fragment: 1 });
}

#[test]
fn bounds() {
    let check = |body: &str, rules: &SitemapRules, entries: usize, images: usize, note: SitemapNote| {
        let map = read_with("http://a.example/", None, body.as_bytes(), rules);
        let found = map.entries.iter().map(|entry| entry.images.len()).sum::<usize>();
        assert_eq!((map.entries.len(), found, map.notes.as_slice()), (entries, images, &[note][..]));
        assert_eq!(map.is_cut, note != SitemapNote::CutImages);
    };
    let rules =
        SitemapRules { max_entries: 3, max_entry_images: 2, max_images: 3, ..SitemapRules::default() };
    let three = "<url><loc>/1</loc></url>".repeat(3);
    assert!(
        !read_with("http://a.example/", None, format!("<urlset>{three}</urlset>").as_bytes(), &rules).is_cut
    );
    check(&format!("<urlset>{three}{three}</urlset>"), &rules, 3, 0, SitemapNote::CutEntries);
    check(&"http://a.example/1\n".repeat(4), &rules, 3, 0, SitemapNote::CutEntries);
    let pictures = "<image:image><image:loc>/1.jpg</image:loc></image:image>".repeat(5);
    let entry = format!("<url><loc>/1</loc>{pictures}</url>");
    check(&format!("<urlset>{entry}</urlset>"), &rules, 1, 2, SitemapNote::CutImages);
    check(&format!("<urlset>{entry}{entry}{entry}</urlset>"), &rules, 3, 3, SitemapNote::CutImages);
    check(&format!("<urlset>{three}{}", "<a>".repeat(20_000)), &rules, 3, 0, SitemapNote::CutDepth);
    // relative references to a long base
    let base = format!("http://a.example/{}/", "b".repeat(2000));
    let many = "<url><loc>c</loc></url>".repeat(50_000);
    let map = read_with(&base, None, format!("<urlset>{many}</urlset>").as_bytes(), &SitemapRules::default());
    assert!(map.entries.len() < 34_000, "{}", map.entries.len());
    assert_eq!(map.notes, [SitemapNote::CutEntries]);
}

#[test]
fn what_looks_like_a_sitemap() {
    let check = |at: &str, content_type: &str, body: &[u8], expect: bool| {
        let url = CanonicalUrl::parse(at, &UrlRules::default()).expect("a URL");
        let input = Input { url: &url, content_type: Some(content_type), body };
        assert_eq!(Sitemap::looks_like(&input), expect, "{at} {}", body.escape_ascii());
    };
    let (any, list) = ("http://a.example/x", "http://a.example/Sitemap-1.txt");
    check(any, "text/xml", b"<?xml version='1.0'?><!-- x --><?xml-stylesheet href='y'?>\n<urlset>", true);
    check(any, "text/html", b"<sitemapindex>", true);
    check(any, "text/html", b"<s:urlset xmlns:s='x'>", true);
    check(any, "application/gzip", &gzip(b"<urlset><url>"), true);
    check(any, "application/rss+xml", b"<rss version='2.0'>", true);
    check(any, "text/xml", b"<feed xmlns='http://www.w3.org/2005/Atom'>", true);
    check(any, "text/xml", b"\xff\xfe<\0r\0s\0s\0>\0", true);
    check(any, "text/html", b"<!doctype html><html><urlset>", false);
    check(any, "text/xml", b"<svg><urlset>", false);
    check(any, "application/gzip", &gzip(b"<svg>"), false);
    check(any, "application/gzip", b"\x1f\x8b\x08", false);
    check(any, "text/xml", b"", false);
    check(list, "text/plain", b"\xef\xbb\xbf\r\nhttp://a.example/1\r\n", true);
    check(list, "text/plain", b"Our sitemap:\nhttp://a.example/1", false);
    check(any, "text/plain", b"http://a.example/1", false);
}

/// Pieces of sitemaps, in any order.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "<?xml version='1.0' encoding='gbk'?>",
        "<!DOCTYPE a [<!ENTITY b 'c'>",
        "]>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<urlset>",
        "</urlset>",
        "<sitemapindex>",
        "<rss>",
        "<feed>",
        "<url>",
        "</url>",
        "<sitemap>",
        "</sitemap>",
        "<item>",
        "</item>",
        "<entry>",
        "</entry>",
        "<loc>",
        "</loc>",
        "http://a.example/",
        "/é",
        "&amp;",
        "&b;",
        "&",
        ";",
        "&#x110000;",
        "<lastmod>2024",
        "</lastmod>",
        "<priority>0.5</priority>",
        "<image:image>",
        "</image:image>",
        "<image:loc>",
        "</image:loc>",
        "<image:title>",
        "<link href='/x' rel='alternate'/>",
        "<link>",
        "</link>",
        "<guid>",
        "<a b='",
        "'>",
        "<",
        ">",
        "</",
        "/>",
        "<?",
        "?>",
        "\n",
        "\u{feff}",
        "x:",
        "<:>",
        "< a>",
    ]);
    prop_oneof![
        8 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ]
}

/// Parsing ends, and the result is within the limits.
fn check_bounds(body: &[u8]) {
    let rules = SitemapRules {
        max_entries: 5,
        max_bytes: 4096,
        max_entry_images: 2,
        max_images: 3,
        ..SitemapRules::default()
    };
    let map = read_with("http://a.example/", None, body, &rules);
    assert!(map.entries.len() <= 5);
    assert!(map.entries.iter().all(|entry| entry.images.len() <= 2));
    assert!(map.entries.iter().map(|entry| entry.images.len()).sum::<usize>() <= 3);
    assert!(map.entries.iter().filter_map(|e| e.priority).all(|priority| (0.0..=1.0).contains(&priority)));
    assert_eq!(map.is_cut, map.notes.iter().any(|note| note.is_cut()));
}

proptest! {
    #[test]
    fn any_bytes(body in prop::collection::vec(any::<u8>(), 0..2000)) {
        check_bounds(&body);
        check_bounds(&gzip(&body));
    }

    #[test]
    fn any_pieces(pieces in prop::collection::vec(piece(), 0..200)) {
        let body = pieces.concat();
        check_bounds(&body);
        // a truncated body is within the limits too
        check_bounds(&body[..body.len() / 2]);
    }
}
