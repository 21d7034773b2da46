//! Marks: what a template writes on its elements, classes and the ids of the outer elements.
//!
//! Two lists of one theme can have the same XPaths and still name the list on `body`. A [`Mark`] is the name of an
//! element with one word of its class; digits are merged, so `postid-17` and `postid-4` are the same mark. Marks of the
//! *trunk*, the elements that contain more than half of the visible content, describe the whole page; there the id
//! counts too. Marks are stored as fingerprints.

use osprey_page::{NodeKind, NodeRef, Page};

use crate::fnv;

/// Marks that are kept of a page, those of the trunk first.
const MAX_MARKS: usize = 4_000;

/// A word that a template wrote on an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark {
    /// A fingerprint of the element's name and the word, the same on all pages.
    pub key: u64,
    /// Whether the element contains more than half of what the page shows.
    pub trunk: bool,
}

/// The marks of a page, each once.
pub(crate) fn marks(page: &Page) -> Vec<Mark> {
    let nodes: Vec<NodeRef<'_>> = page.tree().nodes().collect();
    let trunk = trunk(&nodes);
    let mut marks = Vec::new();
    for (node, &trunk) in nodes.iter().zip(&trunk) {
        let Some(name) = node.name() else { continue };
        let mut write = |kind: u64, words: &str| {
            for word in words.split_ascii_whitespace() {
                marks.push(Mark { key: key(name, kind, word), trunk });
            }
        };
        write(1, node.attr("class").unwrap_or_default());
        if trunk {
            write(2, node.attr("id").unwrap_or_default());
        }
    }
    marks.sort_unstable_by_key(|mark| (!mark.trunk, mark.key));
    marks.dedup();
    marks.truncate(MAX_MARKS);
    marks.sort_unstable();
    marks
}

/// For each node whether it contains more than half of the texts and images.
fn trunk(nodes: &[NodeRef<'_>]) -> Vec<bool> {
    let mut shown: Vec<u32> = nodes.iter().map(|node| u32::from(is_shown(node))).collect();
    // In document order a parent comes before its children.
    for (place, node) in nodes.iter().enumerate().rev() {
        let Some(parent) = node.parent().map(|parent| parent.id().index()) else { continue };
        let below = shown.get(place).copied().unwrap_or_default();
        if let Some(above) = shown.get_mut(parent).filter(|_| parent < place) {
            *above += below;
        }
    }
    let all = shown.first().copied().unwrap_or_default();
    shown.into_iter().map(|below| 2 * u64::from(below) > u64::from(all)).collect()
}

fn is_shown(node: &NodeRef<'_>) -> bool {
    match node.kind() {
        NodeKind::Text(text) => {
            let hidden = |parent: NodeRef<'_>| {
                parent.name().is_some_and(|name| matches!(name, "script" | "style" | "title"))
            };
            !text.trim_ascii().is_empty() && !node.parent().is_some_and(hidden)
        }
        _ => node.name() == Some("img"),
    }
}

/// A run of digits counts as one digit.
fn key(name: &str, kind: u64, word: &str) -> u64 {
    let mut hash = name.bytes().fold(fnv::START ^ kind, fnv::byte);
    hash = fnv::byte(hash, b'.');
    let mut after_digit = false;
    for byte in word.bytes() {
        let digit = byte.is_ascii_digit();
        if !(digit && after_digit) {
            hash = fnv::byte(hash, if digit { b'0' } else { byte });
        }
        after_digit = digit;
    }
    hash
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    fn page(body: &str) -> Vec<Mark> {
        let url = CanonicalUrl::parse("http://example.com/", &UrlRules::default()).expect("a URL");
        let input = Input { url: &url, content_type: None, body: body.as_bytes() };
        marks(&Page::parse(&input, &PageRules::default()))
    }

    /// The marks that a page must have: `+` before those of its trunk.
    fn check(body: &str, expect: &[&str]) {
        let mark = |text: &str| {
            let trunk = text.starts_with('+');
            let text = text.trim_start_matches('+');
            let (name, word) = text.split_once(['.', '#']).expect("name and word");
            Mark { key: key(name, if text.contains('#') { 2 } else { 1 }, word), trunk }
        };
        let mut expect: Vec<Mark> = expect.iter().map(|text| mark(text)).collect();
        expect.sort_unstable();
        assert_eq!(page(body), expect, "{body}");
    }

    #[test]
    fn by_hand() {
        check(
            "<body class='archive tag tag-17'><p class=x>one<p>two",
            &["+body.archive", "+body.tag", "+body.tag-0", "p.x"],
        );
        // The side box has one text of four, the main part three: that one belongs to the trunk, with its id.
        check(
            "<div id=side class=box>a</div><div id=main class=box><p>b<p>c<p class=last>d</div>",
            &["div.box", "+div.box", "+div#main", "p.last"],
        );
        check("<body class=one><script>1</script><style>2</style>", &["body.one"]);
        check("", &[]);
    }

    #[test]
    fn digits_and_repetitions_count_once() {
        assert_eq!(key("li", 1, "item-12"), key("li", 1, "item-7"));
        assert_ne!(key("li", 1, "item-1a"), key("li", 1, "item-1"));
        assert_ne!(key("li", 1, "item"), key("li", 2, "item"));
        assert_eq!(page("<p class='a a'>x<p>y<p>z<p class=a>w").len(), 1);
    }
}
