//! Microdata: `itemscope`, `itemtype`, `itemprop`. `itemref` is not followed: few pages use it, and it can go in
//! circles.

use hashbrown::HashMap;
use osprey_model::UrlRules;
use osprey_page::{NodeId, NodeRef, Page};

use super::{Items, Value, short_name, short_type, text_of};

/// Reads the items of a page.
pub(super) fn read(page: &Page, items: &mut Items) {
    let mut scopes: HashMap<NodeId, usize> = HashMap::new();
    for node in page.tree().nodes() {
        let names = node.attr("itemprop");
        let has_scope = node.attr("itemscope").is_some();
        if !has_scope && names.is_none() {
            continue;
        }
        let owner = names.and_then(|_| around(node, &scopes));
        let mut own = None;
        if has_scope {
            let types = node.attr("itemtype").unwrap_or_default();
            let types = types.split_whitespace().take(8).map(short_type).collect();
            let Some(item) = items.begin(types, owner.is_none()) else { return };
            scopes.insert(node.id(), item);
            own = Some(item);
        }
        let (Some(owner), Some(names)) = (owner, names) else { continue };
        if items.is_full() {
            return;
        }
        let value = own.map_or_else(|| Value::Text(value(page, node)), Value::Item);
        for name in names.split_whitespace().take(4).map(short_name) {
            match &value {
                Value::Item(item) => items.add(owner, name, Value::Item(*item)),
                Value::Text(text) => items.add_text(owner, name, text),
            }
        }
    }
}

/// The item that contains a node.
fn around(node: NodeRef<'_>, scopes: &HashMap<NodeId, usize>) -> Option<usize> {
    std::iter::successors(node.parent(), NodeRef::parent).find_map(|node| scopes.get(&node.id()).copied())
}

/// The value of a property, by the kind of its element.
fn value(page: &Page, node: NodeRef<'_>) -> String {
    let attribute = match node.name().unwrap_or_default() {
        "meta" => "content",
        "a" | "area" | "link" => "href",
        "img" | "audio" | "video" | "source" | "iframe" | "embed" => "src",
        "time" => "datetime",
        "data" | "meter" => "value",
        _ => "content",
    };
    match node.attr(attribute) {
        Some(reference) if matches!(attribute, "href" | "src") => {
            let url = page.base().join(reference, &UrlRules::default());
            url.map_or_else(|_| String::new(), |url| url.as_str().to_owned())
        }
        Some(value) => value.to_owned(),
        None => text_of(node),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::page;
    use super::*;

    #[test]
    fn items_and_their_properties() {
        let page = page(
            "<div itemscope itemtype='http://schema.org/Photograph'><h1 itemprop='name'>Red</h1>
             <p itemprop=author itemscope itemtype='http://schema.org/Person'><b itemprop=name>Ann</b></p>
             <time itemprop=datePublished datetime=2010-01-02>long ago</time><img itemprop=image src=/a.jpg></div>
             <b itemprop=name>nobody's</b>",
        );
        let mut items = Items::default();
        read(&page, &mut items);
        let photo = items.get(0).unwrap();
        assert_eq!((photo.types.as_slice(), photo.is_top), (&["Photograph".to_owned()][..], true));
        let text = |value: &str| Value::Text(value.to_owned());
        let expect = [
            ("name", text("Red")),
            ("author", Value::Item(1)),
            ("datePublished", text("2010-01-02")),
            ("image", text("http://a.example/a.jpg")),
        ];
        assert_eq!(photo.properties, expect.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(items.get(1).unwrap().properties, [("name".to_owned(), text("Ann"))]);
        assert_eq!(items.iter().count(), 2);
    }

    #[test]
    fn references_in_circles_and_many_items() {
        let circle = "<div itemscope id=a itemref=b><p id=b itemprop=x itemscope itemref=a></p></div>";
        let mut items = Items::default();
        read(&page(circle), &mut items);
        assert_eq!(items.iter().count(), 2);
        let mut items = Items::default();
        read(&page(&"<div itemscope itemprop=a>".repeat(5_000)), &mut items);
        assert!(items.iter().count() <= super::super::MAX_ITEMS);
    }

    #[test]
    fn names_and_texts_are_not_repeated_without_end() {
        let bytes = |html: &str| -> usize {
            let mut items = Items::default();
            read(&page(html), &mut items);
            let lengths = items.iter().flat_map(|item| &item.properties).map(|(name, value)| match value {
                Value::Text(text) => name.len() + text.len(),
                Value::Item(_) => name.len(),
            });
            lengths.sum()
        };
        let long = "n".repeat(10_000);
        assert_eq!(bytes(&format!("<p itemscope><b itemprop={long}>x</b>")), 0);
        // each of the elements would repeat the whole text
        let nested = "<i itemprop='a b c d'>".repeat(200);
        let text = "x".repeat(super::super::MAX_VALUE);
        let html = format!("<p itemscope>{nested}{text}");
        assert!(bytes(&html) <= super::super::MAX_TEXT + 2 * text.len(), "{}", bytes(&html));
    }
}
