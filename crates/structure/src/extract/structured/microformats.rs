//! The class names of hAtom and h-entry: `entry-title`, `p-author`, `vcard fn`. Only those for an entry's title,
//! author, date, tags and picture; the finer rules of microformats are not implemented.

use osprey_model::UrlRules;
use osprey_page::{NodeRef, Page};

use super::{Items, text_of};

/// Class names and the property of each.
const CLASSES: &[(&str, &str)] = &[
    ("entry-title", "name"),
    ("p-name", "name"),
    ("p-author", "author"),
    ("dt-published", "datePublished"),
    ("p-category", "keywords"),
    ("u-photo", "image"),
    ("entry-date", "datePublished"),
];
/// How many class names of one element are read.
const MAX_CLASSES: usize = 32;
/// Entries on a page: with more than one it is not a detail page, and it would be unclear which entry a value belongs
/// to.
const MAX_ENTRIES: usize = 1;

/// Reads the one entry of a page, if there is one.
pub(super) fn read(page: &Page, items: &mut Items) {
    let is_entry = |node: &NodeRef<'_>| {
        node.attr("class")
            .is_some_and(|class| class.split_whitespace().any(|c| matches!(c, "hentry" | "h-entry")))
    };
    let entries: Vec<NodeRef<'_>> = page.tree().nodes().filter(is_entry).take(MAX_ENTRIES + 1).collect();
    let [entry] = entries.as_slice() else { return };
    let Some(item) = items.begin(vec!["h-entry".to_owned()], true) else { return };
    for node in entry.descendants() {
        if items.is_full() {
            return;
        }
        let Some(classes) = node.attr("class") else { continue };
        for class in classes.split_whitespace().take(MAX_CLASSES) {
            if let Some((_, property)) = CLASSES.iter().find(|(known, _)| *known == class) {
                items.add_text(item, property, &value(page, node, property));
            } else if class == "fn" && is_in_author(node) {
                items.add_text(item, "author", &text_of(node));
            }
        }
    }
}

fn value(page: &Page, node: NodeRef<'_>, property: &str) -> String {
    match property {
        "image" => {
            let url = node.attr("src").and_then(|src| page.base().join(src, &UrlRules::default()).ok());
            url.map_or_else(String::new, |url| url.as_str().to_owned())
        }
        "datePublished" => node.attr("datetime").map_or_else(|| text_of(node), str::to_owned),
        _ => text_of(node),
    }
}

/// Whether a name is in the card of an author, not in that of a commenter.
fn is_in_author(node: NodeRef<'_>) -> bool {
    let mut around = std::iter::successors(Some(node), NodeRef::parent).take(4);
    around.any(|node| {
        node.attr("class").is_some_and(|class| {
            class.split_whitespace().any(|class| class == "author") && !class.contains("comment")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::page;
    use super::super::Value;
    use super::*;

    #[test]
    fn one_entry_is_read_and_two_are_not() {
        let entry = "<div class=hentry><h1 class=entry-title>A <i>b</i></h1><span class='author vcard'><a class=fn>Ann</a>
            </span><time class=entry-date datetime=2010-01-02>x</time></div>";
        let mut items = Items::default();
        read(&page(entry), &mut items);
        let expect = [("name", "A b"), ("author", "Ann"), ("datePublished", "2010-01-02")];
        let expect = expect.map(|(name, value)| (name.to_owned(), Value::Text(value.to_owned())));
        assert_eq!(items.get(0).unwrap().properties, expect);
        let mut items = Items::default();
        read(&page(&entry.repeat(2)), &mut items);
        assert_eq!(items, Items::default());
    }
}
