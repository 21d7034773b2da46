//! JSON-LD in `script` elements: the parts that sites use, not the whole standard. No contexts are fetched.
//!
//! `@graph`, lists and nested objects are walked with an explicit stack. JSON that is broken in the usual ways (line
//! breaks in texts, extra commas, wrapped in a comment) is repaired once; if that does not help, the script is skipped.
//! A nesting deeper than the JSON reader allows (128) counts as broken. A script with more values than any page needs
//! is skipped before it is parsed, since each of its bytes could cost a hundred.

use std::rc::Rc;

use osprey_page::{NodeKind, Page};
use serde_json::Value as Json;

use super::{Items, Value, is_name, short_type};

/// Bytes of all scripts of a page together.
const MAX_BYTES: usize = 1 << 20;
/// How deep objects are followed.
const MAX_DEPTH: usize = 16;
/// Values of all scripts of a page together: objects, lists, texts, numbers.
const MAX_VALUES: usize = 20_000;

/// Reads the scripts of a page.
pub(super) fn read(page: &Page, items: &mut Items) {
    let (mut bytes_left, mut values_left) = (MAX_BYTES, MAX_VALUES);
    for node in page.tree().nodes().filter(|node| node.name() == Some("script")) {
        let is_json = |value: &str| value.trim().to_ascii_lowercase().starts_with("application/ld+json");
        if !node.attr("type").is_some_and(is_json) {
            continue;
        }
        let texts = node.children().filter_map(|child| match child.kind() {
            NodeKind::Text(text) => Some(text),
            _ => None,
        });
        for text in texts {
            let Some(bytes) = bytes_left.checked_sub(text.len()) else { return };
            let Some(values) = values_left.checked_sub(values(text)) else { return };
            (bytes_left, values_left) = (bytes, values);
            if let Some(json) = parse(text) {
                walk(json, items);
            }
        }
    }
}

/// How many values a script has, at most: one at its beginning, one behind every opening bracket and every comma.
fn values(text: &str) -> usize {
    let (mut in_text, mut escaped, mut values) = (false, false, 1);
    for byte in text.bytes() {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else {
            in_text = byte == b'"';
            values += usize::from(matches!(byte, b'{' | b'[' | b','));
        }
    }
    values
}

fn parse(text: &str) -> Option<Json> {
    let bare = unwrapped(text);
    serde_json::from_str(bare).or_else(|_| serde_json::from_str(&mended(bare))).ok()
}

/// Without the comment or CDATA section that some put around scripts.
fn unwrapped(text: &str) -> &str {
    let text = text.split_once("<![CDATA[").map_or(text, |(_, inner)| inner);
    let text = text.rsplit_once("]]>").map_or(text, |(inner, _)| inner);
    let start = text.find(['{', '[']).unwrap_or(0);
    let end = text.rfind(['}', ']']).map_or(text.len(), |end| end + 1);
    text.get(start..end).unwrap_or(text)
}

/// Control characters in texts become spaces; commas before a closing bracket go.
fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_text, mut escaped) = (false, false);
    for c in text.chars() {
        if in_text {
            out.push(if c.is_control() { ' ' } else { c });
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        if matches!(c, '}' | ']') {
            let end = out.trim_end().len();
            if out.get(..end).is_some_and(|out| out.ends_with(',')) {
                out.truncate(end - 1);
            }
        }
        in_text = c == '"';
        out.push(c);
    }
    out
}

/// The item and property that a piece of JSON belongs to. The elements of a list share the property's name.
#[derive(Clone)]
struct Owner {
    owner: Option<(usize, Rc<str>)>,
    depth: usize,
}

/// Turns objects into items.
fn walk(json: Json, items: &mut Items) {
    let mut waiting = vec![(json, Owner { owner: None, depth: 0 })];
    while let Some((json, place)) = waiting.pop() {
        if place.depth > MAX_DEPTH {
            continue;
        }
        match json {
            // last in, first out: the order of the page is kept by going backwards
            Json::Array(list) => {
                let inside = Owner { depth: place.depth + 1, ..place };
                waiting.extend(list.into_iter().rev().map(|value| (value, inside.clone())));
            }
            Json::Object(object) => {
                let types = types(object.get("@type"));
                let Some(item) = items.begin(types, place.owner.is_none()) else { return };
                if let Some((owner, name)) = place.owner {
                    items.add(owner, &name, Value::Item(item));
                }
                for (name, value) in object.into_iter().rev().filter(|(name, _)| is_name(name)) {
                    // the items of a graph are independent
                    let owner = (name != "@graph").then(|| (item, Rc::from(name)));
                    waiting.push((value, Owner { owner, depth: place.depth + 1 }));
                }
            }
            scalar => {
                if let Some((owner, name)) = place.owner {
                    match scalar {
                        Json::String(text) => items.add_text(owner, &name, &text),
                        Json::Number(number) => items.add_text(owner, &name, &number.to_string()),
                        _ => {}
                    }
                }
            }
        }
    }
}

fn types(value: Option<&Json>) -> Vec<String> {
    match value {
        Some(Json::String(name)) => vec![short_type(name)],
        Some(Json::Array(names)) => names.iter().take(8).filter_map(Json::as_str).map(short_type).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::page;
    use super::*;

    fn items(json: &str) -> Items {
        let page = page(&format!("<script type='application/ld+json'>{json}</script>"));
        let mut items = Items::default();
        read(&page, &mut items);
        items
    }

    #[test]
    fn graphs_lists_and_nested_objects() {
        let found = items(
            r#"{"@graph":[{"@type":"WebSite","name":"S"},{"@type":["Article","x:Y"],"author":[{"@type":"Person","name":"Ann"}],"n":3}]}"#,
        );
        let types: Vec<String> = found.iter().map(|item| item.types.join("+")).collect();
        assert_eq!(types, ["", "WebSite", "Article+Y", "Person"]);
        let article = found.get(2).unwrap();
        assert!(article.is_top);
        let expect = [("author", Value::Item(3)), ("n", Value::Text("3".to_owned()))];
        let properties: Vec<_> = article.properties.iter().filter(|(name, _)| name != "@type").collect();
        assert_eq!(properties.len(), 2);
        for (name, value) in expect {
            assert!(properties.iter().any(|(n, v)| n == name && *v == value), "{name}");
        }
        assert!(!found.get(3).unwrap().is_top);
    }

    #[test]
    fn broken_json_is_repaired_or_skipped() {
        let check = |json: &str, expect: Option<&str>| {
            let found = items(json);
            let name = found.get(0).and_then(|item| {
                item.properties.iter().find(|(name, _)| name == "name").map(|(_, value)| value.clone())
            });
            assert_eq!(name, expect.map(|text| Value::Text(text.to_owned())), "{json}");
        };
        check("{\"name\":\"a\nb\"}", Some("a b"));
        check(r#"{"name":"a",}"#, Some("a"));
        check(r#"<!-- {"name":"a"} -->"#, Some("a"));
        check(r#"//<![CDATA[ {"name":"a"} //]]>"#, Some("a"));
        check(r#"{"name":"a \"b\", }"}"#, Some(r#"a "b", }"#));
        check(r#"{"name":"#, None);
        check("", None);
    }

    #[test]
    fn hostile_json_is_bounded() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(items(&deep), Items::default());
        let nested = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        assert!(items(&nested).iter().count() <= MAX_DEPTH + 1);
        let wide = format!("[{}1]", r#"{"name":"x"},"#.repeat(75_000));
        assert!(items(&wide).iter().count() <= super::super::MAX_ITEMS);
        let large = format!(r#"{{"name":"{}"}}"#, "x".repeat(MAX_BYTES));
        assert_eq!(items(&large), Items::default());
    }

    #[test]
    fn a_long_name_is_skipped() {
        let check = |name: &str, values: usize, expect: usize| {
            let found = items(&format!(r#"{{"{name}":[{}1]}}"#, "1,".repeat(values - 1)));
            let properties: usize = found.iter().map(|item| item.properties.len()).sum();
            assert_eq!(properties, expect, "{} bytes, {values} values", name.len());
        };
        let longest = "n".repeat(super::super::MAX_NAME);
        check(&longest, 300, 300);
        check(&format!("{longest}n"), 300, 0);
        // a copy of the name for each of the values would take 80 GB
        check(&"n".repeat(200_000), 400_000, 0);
        check("n", MAX_VALUES, 0);
    }

    #[test]
    fn values_are_counted_before_they_are_read() {
        let check = |json: &str, expect: usize| assert_eq!(values(json), expect, "{json}");
        check("1", 1);
        check("[1,2,3]", 4);
        check(r#"{"a":[1,2],"b":"x,y\",["}"#, 5);
        check(r#"{"a":"\\","b":2}"#, 3);
    }
}
