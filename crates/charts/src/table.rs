//! Tables: typed cells, aligned columns, and a mark for the best value.

use maud::{Markup, html};
use serde::Serialize;

use crate::label::clean;
use crate::number::{Estimate, MISSING, decimals, decimals_of, fixed};

/// Figures in rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// What it shows; may be empty.
    pub caption: String,
    /// Headings.
    pub columns: Vec<Column>,
    /// Cells, row by row; short rows are filled up, cells beyond the last heading are ignored.
    pub rows: Vec<Vec<Cell>>,
}

/// A heading.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Column {
    /// Its text.
    pub title: String,
    /// Which of its values to highlight.
    #[serde(skip_serializing_if = "Mark::is_none")]
    pub mark: Mark,
}

/// Which value of a column to highlight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// None.
    #[default]
    None,
    /// The highest is the best.
    Highest,
    /// The lowest is the best.
    Lowest,
}

impl Mark {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// A cell. In JSON: a text, a number, `{"mean": .., "half": ..}` or `null`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A figure.
    Number(f64),
    /// A mean of several runs.
    Estimate(Estimate),
    /// Nothing: not measured, not defined.
    #[default]
    Missing,
}

impl Cell {
    /// The figure in it, if there is one to compare.
    fn value(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Estimate(estimate) => Some(estimate.mean),
            Self::Text(_) | Self::Missing => None,
        }
        .filter(|value| value.is_finite())
    }

    /// How many decimals to show: two digits of the interval, but no more than four of the value.
    fn decimals(&self) -> usize {
        match self {
            Self::Estimate(Estimate { mean, half: Some(half) }) if *half > 0.0 => {
                decimals_of(*mean, 4).min(decimals_of(*half, 2))
            }
            cell => cell.value().map_or(0, decimals),
        }
    }

    fn show(&self, decimals: usize) -> (String, Option<String>) {
        match self {
            Self::Text(text) => (clean(text), None),
            Self::Number(value) => (fixed(*value, decimals), None),
            Self::Estimate(estimate) => {
                let half = estimate.half.filter(|_| estimate.interval().is_some());
                (fixed(estimate.mean, decimals), half.map(|half| half_width(half, decimals)))
            }
            Self::Missing => (MISSING.to_owned(), None),
        }
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Estimate> for Cell {
    fn from(estimate: Estimate) -> Self {
        Self::Estimate(estimate)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

impl Table {
    /// A table without rows.
    pub fn new<C: Into<Column>>(caption: impl Into<String>, columns: impl IntoIterator<Item = C>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }

    /// The same with one more row.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item = Cell>) -> Self {
        self.rows.push(cells.into_iter().collect());
        self
    }
}

impl From<&str> for Column {
    fn from(title: &str) -> Self {
        Self { title: title.to_owned(), mark: Mark::None }
    }
}

impl From<String> for Column {
    fn from(title: String) -> Self {
        Self { title, mark: Mark::None }
    }
}

impl From<(&str, Mark)> for Column {
    fn from((title, mark): (&str, Mark)) -> Self {
        Self { title: title.to_owned(), mark }
    }
}

/// Half an interval with this many decimals; one that is too narrow is shown as one unit of the last decimal.
fn half_width(half: f64, decimals: usize) -> String {
    let unit = format!("1e-{decimals}").parse().unwrap_or(0.0);
    let half = if half > 0.0 { half.max(unit) } else { half };
    format!("± {}", fixed(half, decimals))
}

/// A column ready to be written: as many cells as the table has rows.
pub(crate) struct Shown {
    pub(crate) title: String,
    /// The text of each cell, and half the width of its interval if it has one.
    pub(crate) cells: Vec<(String, Option<String>)>,
    /// Whether it is aligned to the right: all its cells are figures.
    pub(crate) figures: bool,
    /// Rows that hold the best value; several on a tie.
    pub(crate) best: Vec<bool>,
}

/// The maximum number of decimals in a column.
const MOST_DECIMALS: usize = 4;

/// Decides for each column how its cells are written.
pub(crate) fn shown(table: &Table) -> Vec<Shown> {
    let column = |(place, column): (usize, &Column)| {
        let cells: Vec<Cell> =
            table.rows.iter().map(|row| row.get(place).cloned().unwrap_or_default()).collect();
        let values = || cells.iter().filter_map(Cell::value);
        let decimals = cells.iter().map(Cell::decimals).max().unwrap_or_default().min(MOST_DECIMALS);
        let best = match column.mark {
            Mark::None => None,
            Mark::Highest => values().reduce(f64::max),
            Mark::Lowest => values().reduce(f64::min),
        };
        // Values that look the same are equally good.
        let best = best.map(|best| fixed(best, decimals));
        let is_best = |cell: &Cell| cell.value().is_some_and(|value| Some(fixed(value, decimals)) == best);
        Shown {
            title: clean(&column.title),
            figures: values().next().is_some() && !cells.iter().any(|cell| matches!(cell, Cell::Text(_))),
            best: cells.iter().map(is_best).collect(),
            cells: cells.iter().map(|cell| cell.show(decimals)).collect(),
        }
    };
    table.columns.iter().enumerate().map(column).collect()
}

/// Writes a table as HTML, in a box of its own that scrolls sideways on a narrow screen. The caller writes the caption:
/// inside the box it would scroll away.
pub(crate) fn draw(table: &Table) -> Markup {
    let columns = shown(table);
    let name = if table.caption.is_empty() { "table".to_owned() } else { clean(&table.caption) };
    html! {
        // Reachable by keyboard, or a reader without a pointer could not scroll it.
        div.scroll tabindex="0" role="region" aria-label=(name) {
            table {
                thead { tr {
                    @for column in &columns { th scope="col" class=(class(column, false)) { (column.title) } }
                } }
                tbody { @for row in 0..table.rows.len() { (draw_row(&columns, row)) "\n" } }
            }
        }
    }
}

fn draw_row(columns: &[Shown], row: usize) -> Markup {
    let cells =
        columns.iter().filter_map(|column| Some((column, column.cells.get(row)?, *column.best.get(row)?)));
    html! {
        tr {
            @for (place, (column, (text, half), best)) in cells.enumerate() {
                @if place == 0 && !column.figures {
                    th scope="row" { (text) }
                } @else {
                    td class=(class(column, best)) { (text) @if let Some(half) = half { " " span.half { (half) } } }
                }
            }
        }
    }
}

fn class(column: &Shown, best: bool) -> &'static str {
    match (column.figures, best) {
        (true, true) => "figure best",
        (true, false) => "figure",
        (false, _) => "words",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(column: &Shown) -> Vec<String> {
        let cell = |(text, half): &(String, Option<String>)| match half {
            Some(half) => format!("{text} {half}"),
            None => text.clone(),
        };
        column.cells.iter().map(cell).collect()
    }

    #[test]
    fn the_interval_decides_how_many_digits_are_shown() {
        let check = |mean: f64, half: f64, expect: &str| {
            let table = Table::new("", ["a"]).row([Estimate { mean, half: Some(half) }.into()]);
            assert_eq!(cells(&shown(&table)[0]), [expect], "{mean} and {half}");
        };
        check(0.276_59, 0.016_9, "0.277 ± 0.017");
        check(0.276_59, 0.001_69, "0.2766 ± 0.0017");
        check(12.345, 3.0, "12.3 ± 3.0");
        check(0.5, 0.012_5, "0.500 ± 0.013");
        check(2.584_9, 0.000_01, "2.585 ± 0.001");
        check(0.5, 0.0, "0.5 ± 0.0");
        check(0.5, f64::NAN, "0.5");
    }

    #[test]
    fn columns_line_up_and_the_best_is_marked() {
        let table = Table::new(
            "",
            [Column::from("policy"), ("harvest", Mark::Highest).into(), ("cost", Mark::Lowest).into()],
        )
        .row(["breadth-first".into(), 0.125.into(), 8.0.into()])
        .row(["best-first".into(), Estimate { mean: 0.5, half: Some(0.0125) }.into(), 2.0.into()])
        .row(["none".into(), f64::NAN.into()]);
        let columns = shown(&table);
        assert_eq!(cells(&columns[0]), ["breadth-first", "best-first", "none"]);
        assert_eq!(cells(&columns[1]), ["0.125", "0.500 ± 0.013", "–"]);
        assert_eq!(columns[1].best, [false, true, false]);
        assert_eq!(cells(&columns[2]), ["8", "2", "–"]);
        assert_eq!(columns[2].best, [false, true, false]);
        assert_eq!(columns.iter().map(|column| column.figures).collect::<Vec<_>>(), [false, true, true]);
    }

    #[test]
    fn values_that_look_equal_are_equally_good() {
        let table = Table::new("", [Column::from(("a", Mark::Highest))])
            .row([Estimate { mean: 0.501, half: Some(0.1) }.into()])
            .row([Estimate { mean: 0.502, half: Some(0.1) }.into()])
            .row([Estimate { mean: 0.4, half: Some(0.1) }.into()]);
        assert_eq!(cells(&shown(&table)[0]), ["0.50 ± 0.10", "0.50 ± 0.10", "0.40 ± 0.10"]);
        assert_eq!(shown(&table)[0].best, [true, true, false]);
    }

    #[test]
    fn ragged_and_empty_tables_are_fine() {
        let table = Table::new("", ["a"]).row([]).row(["x".into(), "beyond".into()]);
        assert_eq!(cells(&shown(&table)[0]), ["–", "x"]);
        assert!(shown(&Table::default()).is_empty());
    }

    #[test]
    fn cells_are_plain_json() {
        let check = |cell: Cell, json: &str| {
            assert_eq!(serde_json::to_string(&cell).expect("plain data"), json);
        };
        check("a".into(), "\"a\"");
        check(0.5.into(), "0.5");
        check(Cell::Missing, "null");
        check(f64::NAN.into(), "null");
        check(Cell::Estimate(0.5.into()), r#"{"mean":0.5,"half":null}"#);
    }
}
