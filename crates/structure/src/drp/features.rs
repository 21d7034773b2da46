//! The features of a page: the five of Zhang 2008, and three of Osprey's.
//!
//! The features of Zhang 2008 count path strings. They separate the page types of sites that were in the training set,
//! but hardly those of other sites, because the tree memorises how often texts repeat in a few templates. Osprey's
//! features hold on most sites: whether the page has a text to read, whether its title is a heading or only the text of
//! a link, and how much of the page is a list of links.
//!
//! All features are computed in a few passes over the nodes and the text, without recursion.

use hashbrown::HashMap;
use osprey_page::{NodeKind, Page};

use super::feature_pairs;
use super::outline::Outline;
use super::words::TitleWords;

/// Siblings that make a list.
const MIN_LIST_ITEMS: u32 = 5;

/// Which features a model uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureSet {
    /// The five of Zhang 2008.
    Zhang2008,
    /// The three that hold on sites that were never seen.
    Osprey,
}

impl FeatureSet {
    /// The names of the features, as trees write them.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Zhang2008 => &["max-sim", "fp-norm", "ps-ratio", "uniq-ratio", "max-num"],
            Self::Osprey => &["longest-text", "title-linked", "list-share"],
        }
    }
}

/// The features of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DrpFeatures {
    /// The largest Jaccard similarity between the page's title and a text with a unique path string, over their words.
    pub max_sim: f64,
    /// Feature pairs, divided by the texts whose path string is not unique.
    pub fp_norm: f64,
    /// Different path strings, divided by texts.
    pub ps_ratio: f64,
    /// The share of path strings that are unique.
    pub uniq_ratio: f64,
    /// The most texts on one path string.
    pub max_num: f64,
    /// The longest text that is not in links, in characters; text of one element that is cut by line breaks or links is
    /// one text.
    pub longest_text: f64,
    /// 1 if the first of the texts most similar to the title (see `max_sim`) is in a link, else 0. Lists are named
    /// after the links that lead to them, so their title is at a path of links; a record's title is a heading.
    pub title_linked: f64,
    /// The share of the page's text that is links of its largest list: at least five siblings of one name, of which at
    /// least four in five have a link in them.
    pub list_share: f64,
}

impl DrpFeatures {
    /// The features of a page.
    pub fn of(page: &Page) -> Self {
        let outline = Outline::of(page);
        let texts = page.psnv().len() as f64;
        let (mut paths, mut unique, mut max_num) = (0_u32, 0_u32, 0_u32);
        for counted in page.path_strings() {
            paths += 1;
            unique += u32::from(counted.count == 1);
            max_num = max_num.max(counted.count);
        }
        // a unique path string has one text: so many texts are on those that are not
        let repeated = texts - f64::from(unique);
        let (max_sim, title_linked) = nearest_to_title(page, &outline);
        Self {
            max_sim,
            fp_norm: share(feature_pairs::find(page, &outline).len() as f64, repeated),
            ps_ratio: share(f64::from(paths), texts),
            uniq_ratio: share(f64::from(unique), f64::from(paths)),
            max_num: f64::from(max_num),
            longest_text: f64::from(longest_text(page, &outline)),
            title_linked: if title_linked { 1.0 } else { 0.0 },
            list_share: list_share(page, &outline),
        }
    }

    /// All values: those of the set of Zhang 2008, then Osprey's.
    pub(super) fn all(&self) -> [f64; 8] {
        let Self { max_sim, fp_norm, ps_ratio, uniq_ratio, max_num, longest_text, title_linked, list_share } =
            *self;
        [max_sim, fp_norm, ps_ratio, uniq_ratio, max_num, longest_text, title_linked, list_share]
    }

    pub(super) fn from_all(values: [f64; 8]) -> Self {
        let [max_sim, fp_norm, ps_ratio, uniq_ratio, max_num, longest_text, title_linked, list_share] =
            values;
        Self { max_sim, fp_norm, ps_ratio, uniq_ratio, max_num, longest_text, title_linked, list_share }
    }

    /// The values of a set, in the order of its names.
    pub fn values(&self, set: FeatureSet) -> Vec<f64> {
        match set {
            FeatureSet::Zhang2008 => {
                vec![self.max_sim, self.fp_norm, self.ps_ratio, self.uniq_ratio, self.max_num]
            }
            FeatureSet::Osprey => vec![self.longest_text, self.title_linked, self.list_share],
        }
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The largest similarity with the title (Zhang 2008, algorithm 1), and whether the text that has it is in a link.
fn nearest_to_title(page: &Page, outline: &Outline) -> (f64, bool) {
    let mut words = TitleWords::new(page.title());
    let (mut most, mut in_link) = (0.0, false);
    for pair in page.psnv().iter().filter(|pair| page.path_string_count(pair.path) == 1) {
        if !outline.is_in_title(pair.node)
            && let Some(similarity) = words.similarity_above(most, page.psnv_value(pair))
        {
            (most, in_link) = (similarity, outline.is_in_link(pair.node));
        }
    }
    (most, in_link)
}

fn longest_text(page: &Page, outline: &Outline) -> u32 {
    let mut by_parent = vec![0_u32; outline.len()];
    let plain = |node| !outline.is_in_link(node) && !outline.is_in_title(node);
    for pair in page.psnv().iter().filter(|pair| plain(pair.node)) {
        let parent = outline.parent(pair.node.index()).unwrap_or(0);
        if let Some(chars) = by_parent.get_mut(parent) {
            *chars = chars.saturating_add(outline.chars(pair.node.index()).all);
        }
    }
    by_parent.into_iter().max().unwrap_or(0)
}

/// Siblings of one name.
#[derive(Clone, Copy, Default)]
struct Siblings {
    items: u32,
    with_links: u32,
    link_chars: u32,
}

fn list_share(page: &Page, outline: &Outline) -> f64 {
    let mut lists: HashMap<(usize, &str), Siblings> = HashMap::new();
    for node in page.tree().nodes().filter(|node| node.kind() == NodeKind::Element) {
        let chars = outline.chars(node.id().index());
        let (Some(name), Some(parent)) = (node.name(), outline.parent(node.id().index())) else { continue };
        if chars.all > 0 {
            let list = lists.entry((parent, name)).or_default();
            list.items += 1;
            list.with_links += u32::from(chars.in_links > 0);
            list.link_chars = list.link_chars.saturating_add(chars.in_links);
        }
    }
    let is_list = |list: &&Siblings| {
        list.items >= MIN_LIST_ITEMS && list.with_links.saturating_mul(5) >= list.items.saturating_mul(4)
    };
    let largest = lists.values().filter(is_list).map(|list| list.link_chars).max().unwrap_or(0);
    share(f64::from(largest), f64::from(outline.chars(0).all))
}

#[cfg(test)]
mod tests {
    use osprey_model::{CanonicalUrl, UrlRules};
    use osprey_page::{Input, PageRules};

    use super::*;

    fn check(body: &str, of: fn(&DrpFeatures) -> f64, expect: f64) {
        let url = CanonicalUrl::parse("http://a.example/", &UrlRules::default()).unwrap();
        let input = Input { url: &url, content_type: None, body: body.as_bytes() };
        let features = DrpFeatures::of(&Page::parse(&input, &PageRules::default()));
        assert!((of(&features) - expect).abs() < 1e-12, "{body}: {features:?}");
    }

    /// Nine texts on six path strings: title, h1, h3 (all unique), two li, then b and span twice each.
    const RECORD: &str = "<title>Red and green - Photos</title><h1>Red and green</h1>\
        <h3>Tags</h3><ul><li>europe<li>herten</ul>\
        <p><b>By</b><span>Kris</span><p><b>On</b><span>Monday</span>";

    #[test]
    fn the_features_of_zhang_2008_on_a_small_page() {
        // three of four words
        check(RECORD, |f| f.max_sim, 0.75);
        // Tags, By and On, over the six texts on repeated path strings
        check(RECORD, |f| f.fp_norm, 3.0 / 6.0);
        check(RECORD, |f| f.ps_ratio, 6.0 / 9.0);
        check(RECORD, |f| f.uniq_ratio, 3.0 / 6.0);
        check(RECORD, |f| f.max_num, 2.0);
    }

    #[test]
    fn only_texts_with_unique_path_strings_are_compared_with_the_title() {
        check("<title>Red</title><p>Red<p>Green", |f| f.max_sim, 0.0);
        check("<title>Red</title><p>Red<div>Green</div>", |f| f.max_sim, 1.0);
        // the title is not compared with itself
        check("<title>Red</title>", |f| f.max_sim, 0.0);
    }

    #[test]
    fn the_longest_text_is_of_one_element_and_not_of_links() {
        let longest = |f: &DrpFeatures| f.longest_text;
        check("<title>A long title</title><p>ab<br>cd <a href=x>a long link</a> ef<p>xyz", longest, 6.0);
        check("<p><a href=x>link</a>", longest, 0.0);
        check("", longest, 0.0);
    }

    #[test]
    fn a_title_may_be_in_a_link() {
        let linked = |f: &DrpFeatures| f.title_linked;
        check("<title>Red</title><h1>Red</h1><a href=x>Red</a>", linked, 0.0);
        check("<title>Red</title><a href=x>Red</a><h1>Red</h1>", linked, 1.0);
        check("<title>Red - Site</title><a href=x>Site</a><h1>Red is</h1>", linked, 1.0);
        check("<title>Red</title><a href=x>Blue</a>", linked, 0.0);
        check("<a href=x>Blue</a>", linked, 0.0);
    }

    #[test]
    fn a_list_has_items_with_links() {
        let list = |f: &DrpFeatures| f.list_share;
        // five items with two characters each, of twenty in all
        let items = "<li><a href=x>ab</a>".repeat(5);
        check(&format!("<ul>{items}</ul><p>0123456789"), list, 0.5);
        // one item of six without a link is still a list, two are not
        check(&format!("<ul>{items}<li>cd</ul><p>01234567"), list, 0.5);
        check(&format!("<ul>{items}<li>cd<li>ef</ul>"), list, 0.0);
        check(&format!("<ul>{}</ul>", "<li><a href=x>ab</a>".repeat(4)), list, 0.0);
    }

    #[test]
    fn empty_pages_have_no_features() {
        for body in ["", "<title></title>", "<!-- -->", "\0\0\0"] {
            check(body, |f| f.fp_norm + f.list_share + f.max_sim, 0.0);
        }
        check("", |f| f.ps_ratio + f.uniq_ratio + f.max_num, 0.0);
    }

    #[test]
    fn a_huge_page_is_handled() {
        // a text is one on its path string, and its every word is new
        let words: String = (0..100_000).map(|n| format!("w{n} ")).collect();
        check(&format!("<title>w1 w2</title><p>{words}"), |f| f.max_sim, 2.0 / 100_000.0);
        check(&"<div>x".repeat(100_000), |f| f.max_sim, 0.0);
    }
}
