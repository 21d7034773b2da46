//! Any input can be parsed without a panic, and gives a consistent page.

use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, NodeKind, Page, PageRules};
use proptest::prelude::*;

fn parse(body: &[u8], rules: &PageRules) -> Page {
    let url = CanonicalUrl::parse("http://example.com/a/b?c", &UrlRules::default()).expect("a URL");
    Page::parse(&Input { url: &url, content_type: None, body }, rules)
}

/// Pieces of pages, mostly tags that can be misnested.
fn piece() -> impl Strategy<Value = String> {
    let tag = prop::sample::select(vec![
        "a",
        "b",
        "i",
        "font",
        "p",
        "div",
        "table",
        "tr",
        "td",
        "tbody",
        "caption",
        "select",
        "option",
        "svg",
        "math",
        "mi",
        "foreignObject",
        "annotation-xml",
        "template",
        "title",
        "script",
        "style",
        "textarea",
        "noscript",
        "form",
        "input",
        "img",
        "br",
        "html",
        "head",
        "body",
        "frameset",
        "frame",
        "plaintext",
        "li",
        "ul",
        "button",
        "base",
        "h1",
        "nobr",
        "ruby",
        "rt",
        "desc",
        "iframe",
        "colgroup",
        "col",
        "meta",
        "link",
        "xmp",
        "x-y",
    ]);
    let attribute = prop::sample::select(vec![
        "",
        " class=x",
        " class='y 12'",
        " href=/z",
        " href='#q'",
        " src=i.png",
        " id=1",
        " type=hidden",
        " encoding=text/html",
        " xlink:href=a",
        " color=red",
        " /",
        " \u{e9}=\u{e9}",
        " a=\"&amp;&lt\"",
    ]);
    let text = prop::sample::select(vec![
        " ",
        "\n",
        "text",
        "&nbsp;",
        "&notin;",
        "&#0;",
        "\0",
        "\u{4e2d}",
        "<!--c-->",
        "<!doctype html>",
        "<![CDATA[x]]>",
        "<?p>",
        "<",
        "</",
        "]]>",
        "\r\n",
        "\r",
        "</>",
        "&",
    ]);
    prop_oneof![
        4 => (tag.clone(), attribute).prop_map(|(tag, attribute)| format!("<{tag}{attribute}>")),
        3 => tag.prop_map(|tag| format!("</{tag}>")),
        3 => text.prop_map(str::to_owned),
    ]
}

fn holds_together(page: &Page) -> Result<(), TestCaseError> {
    let tree = page.tree();
    for node in tree.nodes() {
        if let Some(parent) = node.parent() {
            prop_assert!(parent.id() < node.id());
            prop_assert!(parent.children().any(|child| child.id() == node.id()) || tree.len() > 2000);
        } else {
            prop_assert_eq!(node.kind(), NodeKind::Document);
        }
        prop_assert!(node.descendants().count() >= 1);
    }
    let pairs = page.psnv().iter().map(|pair| page.psnv_value(pair));
    for value in pairs {
        prop_assert!(!value.is_empty() && value.trim() == value);
    }
    prop_assert_eq!(page.path_strings().map(|path| path.count as usize).sum::<usize>(), page.psnv().len());
    prop_assert_eq!(page.apaths().map(|path| path.count as usize).sum::<usize>(), page.links().len());
    for path in page.path_strings() {
        prop_assert_eq!(page.psnv().iter().filter(|pair| pair.path == path.id).count(), path.count as usize);
        prop_assert!(page.path_string(path.id).contains("<html"));
    }
    for path in page.xpaths() {
        prop_assert!(page.xpath(path.id).starts_with("/html"));
    }
    for link in page.links() {
        let anchor = page.anchor(link);
        prop_assert!(anchor.trim_start() == anchor && anchor.chars().count() <= 512);
        prop_assert!(page.context(link).chars().count() <= 160);
        prop_assert!(page.apath(link.apath).starts_with("/html"));
    }
    for image in page.images() {
        prop_assert!(
            image
                .link
                .is_none_or(|link| page.links().get(link as usize).is_some_and(|link| link.wraps_image))
        );
    }
    prop_assert!(page.text_blocks().all(|block| !block.is_empty() && block.trim() == block));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes(body in prop::collection::vec(any::<u8>(), 0..400)) {
        holds_together(&parse(&body, &PageRules::default()))?;
    }

    #[test]
    fn tag_soup(pieces in prop::collection::vec(piece(), 0..60)) {
        holds_together(&parse(pieces.concat().as_bytes(), &PageRules::default()))?;
    }

    #[test]
    fn tag_soup_under_small_limits(pieces in prop::collection::vec(piece(), 0..200), limit in 1usize..40) {
        let mut rules = PageRules::default();
        rules.limits.max_nodes = limit * 4;
        rules.limits.max_depth = limit;
        rules.limits.max_attributes = limit / 10;
        rules.limits.max_names = limit;
        rules.limits.max_links = limit / 4;
        rules.limits.max_text_bytes = limit;
        rules.limits.max_path_bytes = limit * 8;
        rules.limits.max_work = limit * 64;
        let page = parse(pieces.concat().as_bytes(), &rules);
        prop_assert!(page.links().len() <= rules.limits.max_links);
        prop_assert!(page.text().len() <= rules.limits.max_text_bytes);
    }
}
