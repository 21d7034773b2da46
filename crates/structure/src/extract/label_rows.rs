//! Labels in a row above their values: `Year | Run Time` over `1997 | 110 min`.

use std::ops::Range;

use osprey_page::{NodeId, NodeRef, Page};

use super::text::is_separator;

/// Elements from a text up to its row.
const MAX_STEPS: usize = 8;
/// Cells of a row of labels.
const MAX_CELLS: usize = 8;

/// A row of a table: for each cell with a text, the numbers of its texts in [`Page::psnv`].
struct Row {
    node: NodeId,
    table: NodeId,
    cells: Vec<(NodeId, Range<usize>)>,
}

/// Pairs of a label's text and a value's, by their numbers: the texts of a row that has a label in each of its cells,
/// with those of the row below it. A table with more rows below is a list and has no such pairs.
pub(super) fn pairs(page: &Page, is_label: &impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let rows = rows(page);
    let mut pairs = Vec::new();
    let is_labels = |row: &Row| {
        (2..=MAX_CELLS).contains(&row.cells.len())
            && row.cells.iter().all(|(_, texts)| texts.len() == 1 && is_label(texts.start))
    };
    for (at, labels) in rows.iter().enumerate() {
        let (next, after) = (rows.get(at + 1), rows.get(at + 2));
        let Some(values) = next.filter(|values| values.table == labels.table) else { continue };
        let is_last = after.is_none_or(|after| after.table != labels.table || is_labels(after));
        if is_last && labels.cells.len() == values.cells.len() && is_labels(labels) && !is_labels(values) {
            for ((_, label), (_, texts)) in labels.cells.iter().zip(&values.cells) {
                pairs.extend(texts.clone().map(|text| (label.start, text)));
            }
        }
    }
    pairs
}

/// The rows that have texts, in document order; texts of a table in a cell are that table's.
fn rows(page: &Page) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (index, pair) in page.psnv().iter().enumerate() {
        if is_separator(page.psnv_value(pair)) || !page.path_string(pair.path).contains("<tr") {
            continue;
        }
        let Some((cell, row, table)) = cell_of(page, pair.node) else { continue };
        match rows.last_mut().filter(|last| last.node == row) {
            Some(last) => match last.cells.last_mut().filter(|(known, _)| *known == cell) {
                Some((_, texts)) => texts.end = index + 1,
                None => last.cells.push((cell, index..index + 1)),
            },
            None => rows.push(Row { node: row, table, cells: vec![(cell, index..index + 1)] }),
        }
    }
    rows
}

/// The cell that a text is in, its row, and what holds the row.
fn cell_of(page: &Page, text: NodeId) -> Option<(NodeId, NodeId, NodeId)> {
    let node = page.tree().node(text)?;
    let mut around = std::iter::successors(node.parent(), NodeRef::parent).take(MAX_STEPS);
    let cell = around.find(|node| matches!(node.name(), Some("td" | "th")))?;
    let row = cell.parent()?;
    Some((cell.id(), row.id(), row.parent()?.id()))
}

#[cfg(test)]
mod tests {
    use super::super::testing::page;
    use super::*;

    #[test]
    fn a_row_of_labels_is_above_its_values() {
        let check = |html: &str, expect: &[(&str, &str)]| {
            let page = page(&format!("<table>{html}</table>"));
            let value = |index: usize| page.psnv_value(&page.psnv()[index]);
            let found = pairs(&page, &|index| value(index).ends_with(':'));
            let found: Vec<(&str, &str)> = found.into_iter().map(|(a, b)| (value(a), value(b))).collect();
            assert_eq!(found, expect, "{html}");
        };
        let labels = "<tr><td>Year:<td>Time:";
        check(
            &format!("{labels}<tr><td>1997<td>110 <b>min</b>"),
            &[("Year:", "1997"), ("Time:", "110"), ("Time:", "min")],
        );
        // a cell that reaches into the row of values has no text
        check(
            "<tr><td>Year:<td rowspan=2><td>Time:<tr><td>1997<td>110",
            &[("Year:", "1997"), ("Time:", "110")],
        );
        check(&format!("{labels}<tr><td>1<td>2<tr><td>3<td>4"), &[]);
        check(
            &format!("{labels}<tr><td>1<td>2{labels}<tr><td>3<td>4"),
            &[("Year:", "1"), ("Time:", "2"), ("Year:", "3"), ("Time:", "4")],
        );
        check(&format!("{labels}<tr><td>1997"), &[]);
        check("<tr><td>Year:<tr><td>1997", &[]);
    }
}
