//! The label of a text: the short text before it that names it ("Publisher", "Tags:").
//!
//! As in algorithm 3 of Zhang 2008, a label is the single text of the block before a value, with nothing between. Here
//! this is derived from the list of texts instead of the tree: for a text and the one before it, the two children of
//! their lowest common ancestor that contain them decide. A value without a label of its own takes the label of the
//! value before it, if both are in a list under that label (mode 1 of Zhang 2008). One pass, no recursion.

use std::borrow::Cow;

use osprey_page::{NodeId, NodeRef, Page, Psnv, Tree};

use super::label_rows;
use super::text::is_separator;

/// Characters of a label.
const MAX_CHARS: usize = 40;
/// Words of a label.
const MAX_WORDS: usize = 6;

/// Texts that a label in several pieces has at most: `Motion Picture Rating (<a>MPAA</a>)`.
const MAX_PIECES: usize = 3;
/// Elements that hold a label in several pieces.
const LABEL_ELEMENTS: &[&str] = &["b", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "label", "strong", "th"];

/// A label: the texts that it consists of, by their numbers in [`Page::psnv`]; nearly always one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    first: u32,
    last: u32,
    /// Whether it is a cell of a table, and so is the value.
    pub(super) is_cell: bool,
}

impl Label {
    fn of(first: usize, last: usize) -> Option<Self> {
        Some(Self { first: u32::try_from(first).ok()?, last: u32::try_from(last).ok()?, is_cell: false })
    }

    /// The number of its last text.
    pub(super) fn last(self) -> usize {
        self.last as usize
    }

    /// The numbers of its texts.
    pub(super) fn texts(self) -> impl Iterator<Item = usize> {
        self.first as usize..=self.last as usize
    }

    /// What it says.
    pub(super) fn says(self, page: &Page) -> Cow<'_, str> {
        let text = |index: usize| page.psnv().get(index).map_or("", |pair| page.psnv_value(pair));
        if self.first == self.last {
            return Cow::Borrowed(text(self.last()));
        }
        Cow::Owned(self.texts().map(text).collect::<Vec<_>>().join(" "))
    }
}

/// The labels of a page's texts, by the number of the text in [`Page::psnv`].
pub(super) struct Labels(Vec<Option<Label>>);

impl Labels {
    /// Finds them; `is_label` decides what may be one.
    pub(super) fn find(page: &Page, is_label: impl Fn(Label) -> bool) -> Self {
        let pairs = page.psnv();
        let mut labels = Self(vec![None; pairs.len()]);
        // the last two texts that are not separators
        let (mut before, mut last): (Option<usize>, Option<usize>) = (None, None);
        for (index, pair) in pairs.iter().enumerate() {
            let value = page.psnv_value(pair);
            if is_separator(value) {
                continue;
            }
            if let Some(last) = last {
                let outside = before.and_then(|before| pairs.get(before)).map(|pair| pair.node);
                let label = labels.of_next(page, last, outside, pair, &is_label);
                if let Some(slot) = labels.0.get_mut(index) {
                    *slot = label;
                }
            }
            (before, last) = (last, Some(index));
        }
        let is_one = |index: usize| Label::of(index, index).is_some_and(&is_label);
        for (label, text) in label_rows::pairs(page, &is_one) {
            if let Some(slot) = labels.0.get_mut(text) {
                *slot = Label::of(label, label).map(|label| Label { is_cell: true, ..label });
            }
        }
        labels
    }

    /// The label of `pair`, given the text before it and the node of the text before that.
    fn of_next(
        &self,
        page: &Page,
        last: usize,
        outside: Option<NodeId>,
        pair: &Psnv,
        is_label: &impl Fn(Label) -> bool,
    ) -> Option<Label> {
        let (tree, texts) = (page.tree(), page.psnv());
        let previous = texts.get(last)?;
        let (block, own) = branches(tree, previous.node, pair.node)?;
        let is_single = outside.is_none_or(|outside| outside < block);
        let label = if is_single { Label::of(last, last) } else { in_pieces(page, block, last) };
        let is_cell = are_row(tree, block, own);
        let label = label.map(|label| Label { is_cell, ..label });
        // a text at the same path string is another value, unless its form or its place says that it is a label
        let differs =
            is_cell || previous.path != pair.path || page.psnv_value(previous).ends_with([':', '：']);
        if let Some(label) = label.filter(|label| differs && is_label(*label)) {
            return Some(label);
        }
        let inherited = self.of(last).filter(|_| !page.psnv_value(pair).ends_with([':', '：']))?;
        let name = |node: NodeId| tree.node(node).and_then(|node| node.name());
        let is_list = previous.path == pair.path || (name(block).is_some() && name(block) == name(own));
        // a label inside the block before is that block's only
        let is_outside = texts.get(inherited.last()).is_some_and(|label| label.node < block);
        (is_list && is_outside && !is_label(Label::of(last, last)?)).then_some(inherited)
    }

    /// A text's label.
    pub(super) fn of(&self, text: usize) -> Option<Label> {
        self.0.get(text).copied().flatten()
    }
}

/// The label that the texts of a block are together, if it is an element for labels.
fn in_pieces(page: &Page, block: NodeId, last: usize) -> Option<Label> {
    let name = page.tree().node(block)?.name()?;
    let before = page.psnv().get(..last)?.iter().rev().take_while(|pair| pair.node > block);
    let pieces = before.take(MAX_PIECES + 1).count();
    (LABEL_ELEMENTS.contains(&name) && pieces < MAX_PIECES).then(|| Label::of(last - pieces, last)).flatten()
}

/// Whether two nodes are the two cells of a table row.
fn are_row(tree: &Tree, first: NodeId, second: NodeId) -> bool {
    let is_cell = |node: &NodeRef<'_>| matches!(node.name(), Some("td" | "th"));
    let (Some(first), Some(second)) = (tree.node(first), tree.node(second)) else { return false };
    let Some(row) = first.parent().filter(|_| is_cell(&first) && is_cell(&second)) else { return false };
    row.children().filter(is_cell).take(3).count() == 2
}

/// The children of the lowest common ancestor of two nodes that contain them; `None` if one node contains the other.
pub(super) fn branches(tree: &Tree, first: NodeId, second: NodeId) -> Option<(NodeId, NodeId)> {
    let parent = |node: NodeId| tree.node(node).and_then(|node| node.parent()).map(|node| node.id());
    let (mut a, mut b) = (first, second);
    // numbers are in document order: the larger of two different ones is never an ancestor of the smaller
    loop {
        let (up_a, up_b) = (parent(a)?, parent(b)?);
        if up_a == up_b {
            return (a != b).then_some((a, b));
        }
        if up_a > up_b {
            a = up_a
        } else {
            b = up_b
        }
        if a == b {
            return None;
        }
    }
}

/// Whether a text is short enough for a label and has letters.
pub(super) fn can_be_label(text: &str) -> bool {
    text.chars().nth(MAX_CHARS).is_none()
        && text.split_whitespace().nth(MAX_WORDS).is_none()
        && text.chars().any(char::is_alphabetic)
}

/// A text that carries its label: `Publisher: Springer`. Not the time `12:30`, not an address `http://...`.
pub(super) fn head(text: &str) -> Option<(&str, &str)> {
    let (head, tail) = text.split_once([':', '：'])?;
    let is_wide = text.as_bytes().get(head.len()) != Some(&b':');
    let tail_fits = is_wide || tail.starts_with(char::is_whitespace);
    (tail_fits && can_be_label(head) && !tail.trim().is_empty()).then(|| (head.trim(), tail.trim()))
}

/// A label in the form that labels are compared in: lower case, no marks at the ends, the last word in the singular; of
/// somebody's list that is known (`Ann's contacts`), what it is a list of.
pub(super) fn normal(label: &str) -> String {
    let normal = normal_words(label);
    let possessed = ["'s ", "’s ", "s' ", "s’ "].iter().find_map(|mark| normal.rsplit_once(*mark));
    match possessed {
        Some((_, of)) if super::vocabulary::kind(of).is_some() => of.to_owned(),
        _ => normal,
    }
}

fn normal_words(label: &str) -> String {
    let bare = label.trim_matches(|c: char| !c.is_alphanumeric());
    let mut normal = bare.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let last = normal.rsplit(' ').next().unwrap_or_default();
    let is_singular = last.len() <= 3
        || ["ss", "us", "is"].iter().any(|end| last.ends_with(end))
        || matches!(last, "series" | "species" | "news");
    let shorter = normal.strip_suffix("(s").or_else(|| normal.strip_suffix('s').filter(|_| !is_singular));
    if let Some(shorter) = shorter.map(str::len) {
        normal.truncate(shorter);
        if normal.ends_with("ie") && last_len(&normal) > 4 {
            normal.truncate(shorter - 2);
            normal.push('y');
        }
    }
    normal
}

fn last_len(text: &str) -> usize {
    text.rsplit(' ').next().unwrap_or_default().len()
}

/// A label as the name of a field: `Publication Date:` is `publication_date`.
pub(super) fn field_name(label: &str) -> String {
    super::text::words(&normal(label)).join("_")
}

#[cfg(test)]
mod tests {
    use super::super::testing::page;
    use super::*;

    fn check(html: &str, labels: &[&str], expect: &[(&str, &str)]) {
        let page = page(html);
        let value = |index: usize| page.psnv_value(&page.psnv()[index]);
        let found = Labels::find(&page, |label| labels.contains(&label.says(&page).as_ref()));
        let pairs: Vec<(String, &str)> = (0..page.psnv().len())
            .filter_map(|index| Some((found.of(index)?.says(&page).into_owned(), value(index))))
            .collect();
        let expect: Vec<(String, &str)> =
            expect.iter().map(|(label, value)| ((*label).to_owned(), *value)).collect();
        assert_eq!(pairs, expect, "{html}");
    }

    #[test]
    fn labels_come_before_values() {
        check("<dl><dt>Site<dd>x<dt>Job<dd>y</dl>", &["Site", "Job"], &[("Site", "x"), ("Job", "y")]);
        check("<p>by <a>Ann</a> on Monday</p>", &["by"], &[("by", "Ann")]);
        check(
            "<div>ISBN: <b>1</b></div><div>Year: <b>2</b></div>",
            &["ISBN:", "Year:"],
            &[("ISBN:", "1"), ("Year:", "2")],
        );
    }

    #[test]
    fn labels_at_the_place_of_values() {
        let row = |label: &str, value: &str| format!("<tr><td>{label}<td>{value}");
        let table = format!("<table>{}{}</table>", row("Engine", "V6"), row("Weight:", "2 t"));
        check(&table, &["Engine", "Weight:"], &[("Engine", "V6"), ("Weight:", "2 t")]);
        // a row of more cells is a row of values
        check("<table><tr><td>Engine<td>V6<td>x</table>", &["Engine"], &[]);
        check(
            "<p>City:<br>Bonn<br>Zip:<br>53111</p>",
            &["City:", "Zip:"],
            &[("City:", "Bonn"), ("Zip:", "53111")],
        );
        check("<p>City<br>Bonn</p>", &["City"], &[]);
    }

    #[test]
    fn a_label_may_be_in_pieces() {
        let html = "<div><h4>Rating (<a>MPAA</a>)</h4> for all</div>";
        check(html, &["Rating ( MPAA"], &[("Rating ( MPAA", "for all")]);
        check("<div><p>Rating (<a>MPAA</a>)</p> for all</div>", &["Rating ( MPAA"], &[]);
    }

    #[test]
    fn a_list_has_one_label() {
        let list = "<h4>Tags</h4><div><div><a>red</a></div>, <div class=alt><a>blue</a></div></div>";
        check(list, &["Tags"], &[("Tags", "red"), ("Tags", "blue")]);
        check(
            "<p>Tagged <a>x</a>, <a>y</a></p><p>other</p>",
            &["Tagged"],
            &[("Tagged", "x"), ("Tagged", "y")],
        );
        let blocks = "<div><i>A</i><b>1</b></div><div><b>2</b></div>";
        check(blocks, &["A"], &[("A", "1")]);
    }

    #[test]
    fn nothing_may_come_between() {
        check("<div><i>Tags</i><i>more</i></div><p>red</p>", &["Tags"], &[("Tags", "more")][..0]);
        check("<h4>Tags</h4><p>text</p><p><a>red</a></p>", &["Tags"], &[("Tags", "text"), ("Tags", "red")]);
    }

    #[test]
    fn labels_in_normal_form() {
        let check = |label: &str, expect: &str| assert_eq!(normal(label), expect, "{label:?}");
        check(" Tags: ", "tag");
        check("Director(s):", "director");
        check("Categories", "category");
        check("Status", "status");
        check("Also known as", "also known as");
        check("Movies", "movy");
        check("Film Series", "film series");
        check("ISBN 13:", "isbn 13");
        check("标签：", "标签");
        assert_eq!(field_name("Publication Date:"), "publication_date");
    }

    #[test]
    fn texts_that_carry_their_label() {
        let check = |text: &str, expect: Option<(&str, &str)>| assert_eq!(head(text), expect, "{text:?}");
        check("Publisher: Springer", Some(("Publisher", "Springer")));
        check("作者：王", Some(("作者", "王")));
        check("12:30", None);
        check("http://a.example", None);
        check("Tags:", None);
    }
}
