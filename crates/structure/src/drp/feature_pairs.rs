//! Feature pairs: a label and what it describes (Zhang 2008, algorithms 2 and 3).
//!
//! A feature is a text whose path string has several texts; its label is the nearest text before it, of another path
//! string, with nothing between them, that occurs once in the page. The walk starts at the feature and goes up; at each
//! level it examines the nearest block before:
//!
//! - no block: one level up;
//! - a block with one text of the feature's own path string (the tag before this tag): one level up;
//! - a block with one text of another path string: the label, if that text under that path string is unique in the page
//!   and is not the page's title (rule 1); otherwise there is no label. A walk that climbs to the body finds the title's
//!   own node; a heading that repeats the title is not a label either;
//! - a block with several texts: there is no label (rule 2: nothing may come between).
//!
//! This covers both modes: `Tags: a b c` (mode 1, one label for a group, of which only the first pair is reported) and
//! `ISBN: 123` (mode 2).
//!
//! Where the listing of Zhang 2008 and its text differ, this follows the text: the listing continues upward past a
//! label that it has found. Blocks without text (`br`, images, white space) do not count as between. The walk is
//! bounded: Zhang 2008 proposes it, and labels are not dozens of levels away.

use hashbrown::HashMap;
use osprey_page::{NodeId, Page, PathStringId, Psnv};

use super::outline::Outline;

/// Levels that are climbed from a feature.
const MAX_LEVELS: usize = 24;

/// A label and the first of what it describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeaturePair<'a> {
    /// The label's text node.
    pub label_node: NodeId,
    /// The label.
    pub label: &'a str,
    /// The feature's text node.
    pub feature_node: NodeId,
    /// The feature.
    pub feature: &'a str,
}

/// The feature pairs of a page, in the order of their features; each label once.
pub fn feature_pairs(page: &Page) -> Vec<FeaturePair<'_>> {
    find(page, &Outline::of(page))
        .into_iter()
        .map(|(label, feature)| FeaturePair {
            label_node: label.node,
            label: page.psnv_value(label),
            feature_node: feature.node,
            feature: page.psnv_value(feature),
        })
        .collect()
}

/// The pairs of label and feature.
pub(super) fn find<'a>(page: &'a Page, outline: &Outline) -> Vec<(&'a Psnv, &'a Psnv)> {
    let pairs = page.psnv();
    let mut counts: HashMap<(PathStringId, &str), u32> = HashMap::with_capacity(pairs.len());
    for pair in pairs {
        *counts.entry(key(page, pair)).or_default() += 1;
    }
    let mut taken = vec![false; pairs.len()];
    let mut found = Vec::new();
    for feature in pairs.iter().filter(|pair| page.path_string_count(pair.path) > 1) {
        let Some(place) = label_place(outline, pairs, feature) else { continue };
        let (Some(label), Some(taken)) = (pairs.get(place), taken.get_mut(place)) else { continue };
        let is_unique = counts.get(&key(page, label)) == Some(&1);
        let is_title = outline.is_in_title(label.node) || page.psnv_value(label) == page.title();
        if is_unique && !is_title && !std::mem::replace(taken, true) {
            found.push((label, feature));
        }
    }
    found
}

fn key<'a>(page: &'a Page, pair: &Psnv) -> (PathStringId, &'a str) {
    (pair.path, page.psnv_value(pair))
}

/// The place of the text that would be a feature's label.
fn label_place(outline: &Outline, pairs: &[Psnv], feature: &Psnv) -> Option<usize> {
    let mut at = feature.node.index();
    for _ in 0..MAX_LEVELS {
        if let Some(before) = outline.before(at) {
            let place = outline.only_text(before)?;
            if pairs.get(place)?.path != feature.path {
                return Some(place);
            }
        }
        at = outline.parent(at)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    fn check(body: &str, expect: &[(&str, &str)]) {
        let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
        let input = Input { url: &url, content_type: None, body: body.as_bytes() };
        let page = Page::parse(&input, &PageRules::default());
        let pairs: Vec<(&str, &str)> =
            feature_pairs(&page).iter().map(|pair| (pair.label, pair.feature)).collect();
        assert_eq!(pairs, expect, "{body}");
    }

    #[test]
    fn mode_1_tells_the_first_of_a_group() {
        check("<h3>Tags</h3><ul><li>europe<li>herten<li>green</ul>", &[("Tags", "europe")]);
        // white space, line breaks and pictures do not count as between
        check("<h3>Tags</h3>\n<br><img src=x>\n<ul>\n<li>europe\n<li>herten</ul>", &[("Tags", "europe")]);
    }

    #[test]
    fn mode_2_pairs_each_feature_with_its_label() {
        let table =
            "<table><tr><td class=l>ISBN<td class=v>978-3<tr><td class=l>Volume<td class=v>752</table>";
        check(table, &[("ISBN", "978-3"), ("Volume", "752")]);
        // labels deeper than features, and features deeper than labels
        check("<p><b><i>A</i></b><span>1</span><p><b><i>B</i></b><span>2</span>", &[("A", "1"), ("B", "2")]);
    }

    #[test]
    fn a_flat_list_of_definitions_is_paired_both_ways() {
        // by Zhang 2008's rules each text has the one before it as its label
        let expect = [("Size", "3 cm"), ("3 cm", "Colour"), ("Colour", "red")];
        check("<dl><dt>Size<dd>3 cm<dt>Colour<dd>red</dl>", &expect);
    }

    #[test]
    fn rule_1_a_label_is_not_the_title() {
        check("<title>Red</title><ul><li>a<li>b</ul>", &[]);
        check("<title>Red</title><h1>Red</h1><ul><li>a<li>b</ul>", &[]);
        check("<title>Red</title><h1>Reds</h1><ul><li>a<li>b</ul>", &[("Reds", "a")]);
    }

    #[test]
    fn rule_2_nothing_between() {
        // two texts before the list: neither is its label
        check("<h3>Tags</h3><div><b>x</b><i>y</i></div><ul><li>a<li>b</ul>", &[]);
        // the nearer one is
        check("<h3>Tags</h3><p>of users</p><ul><li>a<li>b</ul>", &[("of users", "a")]);
    }

    #[test]
    fn labels_occur_once_and_features_several_times() {
        // `Reply` is twice under its path string: a list of records
        let reply = "<div><b>Reply</b><span>x</span></div>";
        check(&reply.repeat(2), &[]);
        check("<b>Only</b><span>x</span>", &[]);
        // label and feature on one path string are not a pair
        check("<table><tr><td>ISBN<td>1<tr><td>Volume<td>2</table>", &[]);
        check("", &[]);
    }

    #[test]
    fn the_walk_up_is_bounded() {
        let page = |levels: usize| {
            let list = format!("<ul>{}</ul>", "<li>a".repeat(2));
            format!("<h3>Tags</h3>{}{list}", "<div>".repeat(levels))
        };
        check(&page(MAX_LEVELS - 3), &[("Tags", "a")]);
        check(&page(MAX_LEVELS - 2), &[]);
    }

    #[test]
    fn a_huge_page_on_one_path_is_handled() {
        check(&format!("<p>Label<ul>{}</ul>", "<li>x".repeat(50_000)), &[("Label", "x")]);
    }
}
