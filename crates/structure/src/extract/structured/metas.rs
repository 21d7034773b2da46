//! `meta` elements with a property: OpenGraph, Twitter cards, `article:*` and plain names.

use osprey_page::Page;

/// Properties of a page.
const MAX_PROPERTIES: usize = 200;

/// Properties and their contents in the order of the page, names in lower case.
pub(in super::super) fn meta_properties(page: &Page) -> Vec<(String, &str)> {
    let metas = page.tree().nodes().filter(|node| node.name() == Some("meta"));
    let properties = metas.filter_map(|node| {
        let name = node.attr("property").or_else(|| node.attr("name"))?;
        let content = node.attr("content")?.trim();
        (!content.is_empty() && name.len() <= 64).then(|| (name.trim().to_ascii_lowercase(), content))
    });
    properties.take(MAX_PROPERTIES).collect()
}
