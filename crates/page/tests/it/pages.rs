//! Complete pages with results worked out by hand, including the examples of the papers.

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, LinkKind, Page, PageRules, Rel, SkippedLinks};

fn page(html: &str) -> Page {
    let url = CanonicalUrl::parse("http://example.com/dir/page.html", &UrlRules::default()).expect("a URL");
    Page::parse(
        &Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: html.as_bytes() },
        &PageRules::default(),
    )
}

fn pairs(page: &Page) -> Vec<(&str, &str)> {
    page.psnv().iter().map(|pair| (page.path_string(pair.path), page.psnv_value(pair))).collect()
}

fn xpaths(page: &Page) -> Vec<(&str, u32)> {
    page.xpaths().map(|counted| (page.xpath(counted.id), counted.count)).collect()
}

fn apaths(page: &Page) -> Vec<(&str, u32)> {
    page.apaths().map(|counted| (page.apath(counted.id), counted.count)).collect()
}

/// The table of people from the paper that introduced path strings. A parser that follows the standard adds the
/// `tbody` that the figure leaves out.
#[test]
fn path_strings_of_the_table_of_people() {
    let page = page(
        "<html><head><title>People</title></head><body><table>\
         <tr class=\"people\"><td>John</td><td>Doe</td><td>Alaska</td></tr></table></body></html>",
    );
    let path = "<td><tr-class/people><tbody><table><body><html>";
    let expect = [("<title><head><html>", "People"), (path, "John"), (path, "Doe"), (path, "Alaska")];
    assert_eq!(pairs(&page), expect);
    let table: Vec<_> =
        page.path_strings().map(|counted| (page.path_string(counted.id), counted.count)).collect();
    assert_eq!(table, [("<title><head><html>", 1), (path, 3)]);
}

/// The detail page from the paper that introduced detail record pages.
#[test]
fn pairs_of_the_photo_page() {
    let page = page(
        "<html><head><title>Red &amp; green on Flickr</title>
         </head><body><div>
            <h1>Red &amp; green</h1>
            <div>Uploaded on <a>January 17, 2007</a><br />
                by<a><b>manganite</b></a>
              </div><div>This photo also belongs to:
                <div><h3><a>
                   germany (Set)</a></h3></div>
                <div><h3><a>
                   Utata (Pool)</a></h3></div>
              </div><div><h4>Tags</h4><div>
                   <div><a>europe</a></div>
                   <div><a>germany</a></div>
                </div></div>
         </div></body></html>",
    );
    let set = "<a><h3><div><div><div><body><html>";
    let tag = "<a><div><div><div><div><body><html>";
    assert_eq!(
        pairs(&page),
        [
            ("<title><head><html>", "Red & green on Flickr"),
            ("<h1><div><body><html>", "Red & green"),
            ("<div><div><body><html>", "Uploaded on"),
            ("<a><div><div><body><html>", "January 17, 2007"),
            ("<div><div><body><html>", "by"),
            ("<b><a><div><div><body><html>", "manganite"),
            ("<div><div><body><html>", "This photo also belongs to:"),
            (set, "germany (Set)"),
            (set, "Utata (Pool)"),
            ("<h4><div><div><body><html>", "Tags"),
            (tag, "europe"),
            (tag, "germany"),
        ]
    );
    assert_eq!(page.title(), "Red & green on Flickr");
    let unique = page.path_strings().filter(|counted| counted.count == 1).count();
    assert_eq!(unique, 5);
}

/// The counts of table 1 of the SOUrCe paper; its `tr` is in the body without the table that a parser requires.
#[test]
fn counts_of_the_first_table() {
    let page = page(
        "<body><div><div><p>One</p><p>Two</p></div></div>\
         <table><tr><td><div><a href=/1>ad</a><a href=/2>ad</a><a class=result href=/3>hit</a></div></table>",
    );
    let a = "/html/body/table/tbody/tr/td/div/a";
    assert_eq!(xpaths(&page), [("/html/body/div/div/p", 2), (a, 3)]);
    assert_eq!(apaths(&page), [(a, 2), (&*format!("{a}[result]"), 1)]);
    let result = page.links().last().expect("three links").apath;
    assert_eq!(page.xpath(page.apath_xpath(result)), a);
}

#[test]
fn leaves_of_the_bag() {
    let check = |html: &str, expect: &[(&str, u32)]| assert_eq!(xpaths(&page(html)), expect, "{html}");
    check("<p>a<br>b<p> <p>c", &[("/html/body/p", 3)]);
    check("<a>x<b>y</b>z</a><a name=t></a>", &[("/html/body/a", 2), ("/html/body/a/b", 1)]);
    check("<a href=/><img src=i.png></a>", &[("/html/body/a", 1), ("/html/body/a/img", 1)]);
    check("<script>var a</script><style>b{}</style><template><p>t<a href=/></a></template>", &[]);
    check("<body><noscript>no<img src=i.png><a href=/>x</a></noscript>", &[]);
}

#[test]
fn display_properties_in_their_order() {
    let html = "<font size=2 color=\"#ff0000\" id=x name=y><p align=center class='post-4711  big' style=z>hi";
    let page = page(html);
    assert_eq!(
        pairs(&page),
        [("<p-class/post-0 big-align/center><font-color/#ff0-size/0><body><html>", "hi")]
    );
    let url = page.url().clone();
    let rules = PageRules { display_properties: vec!["id".into()], ..PageRules::default() };
    let other = Page::parse(&Input { url: &url, content_type: None, body: html.as_bytes() }, &rules);
    assert_eq!(pairs(&other), [("<p><font-id/x><body><html>", "hi")]);
}

#[test]
fn blank_display_properties_are_ignored() {
    let check = |html: &str, expect: &str| {
        let page = page(html);
        assert_eq!(pairs(&page).first().map(|pair| pair.0), Some(expect), "{html}");
    };
    check("<div class=''>x", "<div><body><html>");
    check("<div class=' ' align=left>x", "<div-align/left><body><html>");
}

#[test]
fn words_of_links_without_text() {
    let check = |html: &str, expect: &[&str]| {
        let page = page(html);
        let words: Vec<_> = page.links().iter().map(|link| page.anchor(link)).collect();
        assert_eq!(words, expect, "{html}");
        assert!(expect.iter().all(|words| words.is_empty() || !page.text().contains(words)), "{html}");
    };
    check("<a href=/ title=t><img src=i alt=' an \n osprey '><img src=j alt=no></a>", &["an osprey"]);
    check("<a href=/ title=t><img src=i alt=''><img src=j alt=second></a>", &["second"]);
    check("<a href=/ title='the title'><img src=i></a><a href=/ title=bare></a>", &["the title", "bare"]);
    check("<map><area href=/ alt=north title=t><area href=/ title=south></map>", &["north", "south"]);
    check("<iframe src=/ title=film></iframe><a href=/><img src=i></a>", &["film", ""]);
    check(
        "<body><noscript><a href=/1>one <b>link</b></a> no <a href=/2>two</a></noscript>",
        &["one link", "two"],
    );
    let long = format!("<a href=/><img src=i alt='{}'></a>", "é".repeat(1000));
    check(&long, &[&"é".repeat(512)]);
    let page = page("<p>before <a href=/><img src=i alt=thumbnail></a> after");
    let link = page.links().first().expect("a link");
    assert_eq!((page.text(), page.context(link)), ("before after", "before after"));
}

#[test]
fn links_in_drawings() {
    let page = page(
        "<svg><a href=/1><text>one</text></a><a xlink:href=/2><text>two</text></a><a>three</a></svg>\
         <a xlink:href=/4>four</a>",
    );
    let links: Vec<_> = page.links().iter().map(|link| (link.url.path(), page.anchor(link))).collect();
    assert_eq!(links, [("/1", "one"), ("/2", "two")]);
}

#[test]
fn noscript_has_links_and_no_images() {
    let page = page(
        "<a href=/1><img data-src=i.png alt=A><noscript><img src=i.png alt=A></noscript></a>\
         <noscript><a href=/2><img src=j.png alt=B></a><p>shown to nobody</p></noscript>",
    );
    let links: Vec<_> = page.links().iter().map(|link| (link.url.path(), page.anchor(link))).collect();
    assert_eq!(links, [("/1", "A"), ("/2", "B")]);
    assert_eq!(page.images().len(), 1);
    assert_eq!(page.text(), "");
    assert_eq!(xpaths(&page), [("/html/body/a", 1), ("/html/body/a/img", 1)]);
}

#[test]
fn the_canonical_address_is_in_the_head() {
    let check = |html: &str, expect: Option<&str>| {
        assert_eq!(page(html).canonical().map(CanonicalUrl::as_str), expect, "{html}");
    };
    check("<link rel=canonical href=/a><link rel=canonical href=/b>", Some("http://example.com/a"));
    check(
        "<link rel=canonical><link rel=canonical href=''><link rel=canonical href=/b>",
        Some("http://example.com/b"),
    );
    check(
        "<link rel=canonical href='http://[bad/'><link rel=canonical href=/b>",
        Some("http://example.com/b"),
    );
    check("<body><p><link rel=canonical href=/c>", None);
}

#[test]
fn keys_are_the_same_on_all_pages() {
    let (one, two) =
        (page("<p class=a>x<a class=b href=/>y</a>"), page("<h1>t</h1><p class=a><a class=b href=/>y</a>z"));
    let keys = |page: &Page| {
        let mut keys: Vec<_> = page
            .path_strings()
            .map(|c| (page.path_string(c.id).to_owned(), page.path_string_key(c.id)))
            .collect();
        keys.extend(page.xpaths().map(|c| (page.xpath(c.id).to_owned(), page.xpath_key(c.id))));
        keys.extend(page.apaths().map(|c| (page.apath(c.id).to_owned(), page.apath_key(c.id))));
        keys
    };
    let (one, two) = (keys(&one), keys(&two));
    assert!(one.iter().all(|key| two.contains(key)), "{one:?}\n{two:?}");
    let mut distinct: Vec<_> = two.iter().map(|(_, key)| key).collect();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), two.len());
}

#[test]
fn text_is_what_a_reader_sees() {
    let check = |html: &str, expect: &str| assert_eq!(page(html).text(), expect, "{html}");
    check("<title>T</title><p>One <b>two</b>,\n three.<p>Four", "One two, three.\nFour");
    check("a<script>b</script>c<style>d</style><noscript>e</noscript><template>f</template>", "ac");
    check("<ul><li>1<li>2</ul><table><tr><td>3<td>4</table>", "1\n2\n3\n4");
    check("x<br>y<hr>z", "x y\nz");
    check("<div></div><div> &nbsp; </div>a", "a");
    check("<select><option>1<option>2</select><textarea>t</textarea>", "1\n2\nt");
    check("<iframe>old</iframe><svg><title>s</title><text>drawn</text></svg>", "drawn");
    check("", "");
    let page = page("<h1>A</h1><p>b c</p>");
    assert_eq!(page.text_blocks().collect::<Vec<_>>(), ["A", "b c"]);
}

#[test]
fn links_with_all_their_fields() {
    let page = page(
        "<p>See <a href='b.html' rel='nofollow ugc' class='x  y'>the <i>b</i> page</a> and \
         <a href=/top><img src=t.png alt=T></a>, <map><area href='?q=1#f'></map><iframe src=frame.html></iframe>",
    );
    let links: Vec<_> = page
        .links()
        .iter()
        .map(|link| {
            (link.url.as_str(), link.kind, page.anchor(link), link.wraps_image, page.apath(link.apath))
        })
        .collect();
    assert_eq!(
        links,
        [
            ("http://example.com/dir/b.html", LinkKind::Anchor, "the b page", false, "/html/body/p/a[x y]"),
            ("http://example.com/top", LinkKind::Anchor, "T", true, "/html/body/p/a"),
            ("http://example.com/dir/page.html?q=1", LinkKind::Area, "", false, "/html/body/p/map/area"),
            ("http://example.com/dir/frame.html", LinkKind::Frame, "", false, "/html/body/p/iframe"),
        ]
    );
    let first = page.links().first().expect("a link");
    assert_eq!(first.rel, Rel::NOFOLLOW | Rel::UGC);
    assert_eq!(page.path_string(first.path_string), "<p><body><html>");
    assert_eq!(page.context(first), "See the b page and ,");
    assert!(page.links().iter().map(|link| link.position).eq(0..4));
    let image = page.images().first().expect("an image");
    assert_eq!(
        (image.link, page.alt(image), image.src.as_str()),
        (Some(1), "T", "http://example.com/dir/t.png")
    );
}

#[test]
fn references_that_are_not_urls_are_counted() {
    let long = "x".repeat(5000);
    let page = page(&format!(
        "<a href=javascript:void(0)>1</a><a href='MAILTO:a@b'>2</a><a href='http://[bad/'>3</a><a href='#top'>4</a>\
         <a href='/{long}'>5</a><a>6</a><a href=ok>7</a><a href=ok>8</a>"
    ));
    assert_eq!(page.skipped_links(), SkippedLinks { scheme: 2, invalid: 1, fragment: 1, too_long: 1 });
    assert_eq!(page.links().iter().map(|link| page.anchor(link)).collect::<Vec<_>>(), ["7", "8"]);
}

#[test]
fn fragments_of_another_base_are_links() {
    let check = |html: &str, expect: &[&str]| {
        let page = page(html);
        assert_eq!(page.links().iter().map(|link| link.url.path()).collect::<Vec<_>>(), expect, "{html}");
        assert_eq!(page.skipped_links().fragment, u32::from(expect.is_empty()), "{html}");
    };
    check("<base href=/other/><a href='#x'>x</a>", &["/other/"]);
    check("<base href=page.html><a href='#x'>x</a>", &[]);
    check("<base href='ftp://x/'><a href='#x'>x</a>", &[]);
}

#[test]
fn the_base_counts_for_all_references() {
    let check = |html: &str, base: &str, link: &str| {
        let page = page(html);
        let first = page.links().first().expect("a link");
        assert_eq!((page.base().as_str(), first.url.as_str()), (base, link), "{html}");
    };
    check("<a href=x>", "http://example.com/dir/page.html", "http://example.com/dir/x");
    check("<a href=x></a><base href=/other/>", "http://example.com/other/", "http://example.com/other/x");
    check(
        "<base target=_top><base href=//h.example/a><base href=b><a href=x>",
        "http://h.example/a",
        "http://h.example/x",
    );
    check("<base href='ftp://x/'><a href=x>", "http://example.com/dir/page.html", "http://example.com/dir/x");
}

#[test]
fn what_the_head_declares() {
    let page = page(
        "<html lang=' en-GB '><title>\n A  title </title><meta name=Robots content=noindex><meta name=robots content=nofollow>\
         <meta name=description content=D><meta name=keywords content='k, l'><meta name=description content=E>\
         <link rel=canonical href=/c><link rel='next' href=?p=2><meta http-equiv=refresh content=\"5; url='r.html'\">",
    );
    assert_eq!(
        (page.title(), page.lang(), page.robots_meta()),
        ("A title", Some("en-GB"), Some("noindex,nofollow"))
    );
    assert_eq!((page.description(), page.keywords()), (Some("D"), Some("k, l")));
    assert_eq!(page.canonical().map(CanonicalUrl::as_str), Some("http://example.com/c"));
    assert_eq!(page.meta_refresh().map(CanonicalUrl::as_str), Some("http://example.com/dir/r.html"));
    let next = page.links().first().expect("a link");
    assert_eq!(
        (next.kind, next.rel, next.url.as_str()),
        (LinkKind::Head, Rel::NEXT, "http://example.com/dir/page.html?p=2")
    );
    let bare = self::page("<p>x");
    assert_eq!((bare.title(), bare.lang(), bare.robots_meta(), bare.canonical()), ("", None, None, None));
}

#[test]
fn robots_directives_count_however_late() {
    let many = "<meta name=x content=y>".repeat(1000);
    let page =
        page(&format!("{many}<meta name=' ROBOTS ' content=noindex><meta name=description content=D>"));
    assert_eq!((page.robots_meta(), page.description()), (Some("noindex"), None));
}

#[test]
fn pictures_pass_their_sources_on() {
    let page = page(
        "<picture><source srcset='a.webp 320w, b.webp 1024w'><source srcset='c.png 640w'><img alt=x></picture>\
         <picture><source srcset='d.webp 2x'><img src=e.jpg srcset='f.jpg 3x'></picture>\
         <video><source srcset=g.png></video><source srcset=h.png><img src=i.jpg>",
    );
    let images: Vec<_> = page
        .images()
        .iter()
        .map(|image| (image.src.path(), image.largest.as_ref().map(|url| url.path())))
        .collect();
    assert_eq!(
        images,
        [("/dir/b.webp", Some("/dir/b.webp")), ("/dir/e.jpg", Some("/dir/f.jpg")), ("/dir/i.jpg", None),]
    );
}

#[test]
fn images_with_sizes_and_lazy_sources() {
    let page = page(
        "<img src=a.png width=120 height=50%><img src='data:image/gif;base64,R0' data-src=late.jpg>\
         <img srcset='s.jpg 1x, l.jpg 2x' src=s.jpg><img alt=none><img src=javascript:x>",
    );
    let images: Vec<_> = page
        .images()
        .iter()
        .map(|image| {
            let name = |url: &CanonicalUrl| url.path().rsplit('/').next().unwrap_or_default().to_owned();
            (name(&image.src), image.largest.as_ref().map(name), image.width, image.height)
        })
        .collect();
    assert_eq!(
        images,
        [
            ("a.png".to_owned(), None, Some(120), None),
            ("late.jpg".to_owned(), None, None, None),
            ("s.jpg".to_owned(), Some("l.jpg".to_owned()), None, None),
        ]
    );
}

#[test]
fn queries_are_written_in_the_pages_character_set() {
    let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
    let body = b"<meta charset=gbk><a href='/s?q=\xD6\xD0'>\xD6\xD0</a>";
    let page = Page::parse(&Input { url: &url, content_type: None, body }, &PageRules::default());
    let link = page.links().first().expect("a link");
    assert_eq!(
        (page.charset(), page.anchor(link), link.url.as_str()),
        ("GBK", "中", "http://example.com/s?q=%D6%D0")
    );
}
