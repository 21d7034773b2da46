//! Tables: cells that know what they are, columns that line up, the best value marked.

use serde::{Deserialize, Serialize};

use super::number::{MISSING, decimals, decimals_of, fixed, lenient};
use super::svg::Markup;
use crate::metrics::Estimate;

/// Figures in rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it shows; may be empty.
    #[serde(default)]
    pub caption: String,
    /// Headings.
    pub columns: Vec<Column>,
    /// Cells, row by row; short rows are filled up, what is beyond the last heading is left out.
    pub rows: Vec<Vec<Cell>>,
}

/// A heading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its text.
    pub title: String,
    /// Which of its values stands out.
    #[serde(default, skip_serializing_if = "Mark::is_none")]
    pub mark: Mark,
}

/// Which value of a column stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A figure.
    Number(f64),
    /// A mean, and half the width of its confidence interval if there were several runs.
    Estimate {
        /// The mean.
        #[serde(with = "lenient")]
        mean: f64,
        /// Half the width.
        half: Option<f64>,
    },
    /// Nothing: not measured, not defined.
    #[default]
    Missing,
}

impl Cell {
    /// The figure in it, if there is one to compare.
    fn value(&self) -> Option<f64> {
        match self {
            Self::Number(value) | Self::Estimate { mean: value, .. } => value.is_finite().then_some(*value),
            Self::Text(_) | Self::Missing => None,
        }
    }

    /// How many decimals are worth showing: those that make two digits of the interval, and never more than those
    /// that make four of the value.
    fn decimals(&self) -> usize {
        match self {
            Self::Estimate { mean, half: Some(half) } if *half > 0.0 => {
                decimals_of(*mean, 4).min(decimals_of(*half, 2))
            }
            Self::Number(value) | Self::Estimate { mean: value, .. } => decimals(*value),
            Self::Text(_) | Self::Missing => 0,
        }
    }

    fn show(&self, decimals: usize) -> (String, Option<String>) {
        match self {
            Self::Text(text) => (text.clone(), None),
            Self::Number(value) => (fixed(*value, decimals), None),
            Self::Estimate { mean, half } => {
                let half = half.filter(|half| mean.is_finite() && half.is_finite());
                (fixed(*mean, decimals), half.map(|half| half_width(half, decimals)))
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

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Number(value as f64)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
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
        Self::Estimate { mean: estimate.mean, half: estimate.half }
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

/// Half an interval with so many decimals; one that is too narrow to be seen is one unit of the last of them.
fn half_width(half: f64, decimals: usize) -> String {
    let unit = format!("1e-{decimals}").parse().unwrap_or(0.0);
    let half = if half > 0.0 { half.max(unit) } else { half };
    format!("± {}", fixed(half, decimals))
}

/// A column ready to be written: as many cells as the table has rows.
pub(super) struct Shown {
    pub(super) title: String,
    /// What each cell says, and half the width of its interval if it has one.
    pub(super) cells: Vec<(String, Option<String>)>,
    /// Whether it lines up at the right: all of it is figures.
    pub(super) figures: bool,
    /// Rows that hold the best value; several on a tie.
    pub(super) best: Vec<bool>,
}

/// More decimals than this in a column help nobody.
const MOST_DECIMALS: usize = 4;

/// Decides for each column how its cells are written.
pub(super) fn shown(table: &Table) -> Vec<Shown> {
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
            title: column.title.clone(),
            figures: values().next().is_some() && !cells.iter().any(|cell| matches!(cell, Cell::Text(_))),
            best: cells.iter().map(is_best).collect(),
            cells: cells.iter().map(|cell| cell.show(decimals)).collect(),
        }
    };
    table.columns.iter().enumerate().map(column).collect()
}

/// Writes a table as HTML, in a box of its own that scrolls sideways on a narrow screen. The caption is the business of
/// what stands around it: inside the box it would scroll away.
pub(super) fn draw(markup: &mut Markup, table: &Table) {
    let columns = shown(table);
    let label = if table.caption.is_empty() { "table" } else { &table.caption };
    // Reachable by keyboard, or a reader without a pointer could not scroll it.
    let scroll: super::svg::Attributes<'_> =
        &[("class", &"scroll"), ("tabindex", &"0"), ("role", &"region"), ("aria-label", &label)];
    markup.element("div", scroll, |markup| {
        markup.element("table", &[], |markup| {
            markup.element("thead", &[], |markup| {
                markup.element("tr", &[], |markup| {
                    for column in &columns {
                        let class = class(column, false);
                        markup.words("th", &[("scope", &"col"), ("class", &class)], &column.title);
                    }
                });
            });
            markup.element("tbody", &[], |markup| draw_rows(markup, &columns, table.rows.len()));
        });
    });
    markup.newline();
}

fn draw_rows(markup: &mut Markup, columns: &[Shown], rows: usize) {
    for row in 0..rows {
        markup.element("tr", &[], |markup| {
            for (place, column) in columns.iter().enumerate() {
                let Some((text, half)) = column.cells.get(row) else { continue };
                let best = column.best.get(row).copied().unwrap_or_default();
                if place == 0 && !column.figures {
                    markup.words("th", &[("scope", &"row")], text);
                } else {
                    markup.element("td", &[("class", &class(column, best))], |markup| {
                        markup.text(text);
                        if let Some(half) = half {
                            markup.text(" ");
                            markup.words("span", &[("class", &"half")], half);
                        }
                    });
                }
            }
        });
        markup.newline();
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
    fn an_interval_says_how_many_digits_count() {
        let check = |mean: f64, half: f64, expect: &str| {
            let table = Table::new("", ["a"]).row([Cell::Estimate { mean, half: Some(half) }]);
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
        .row(["best-first".into(), Cell::Estimate { mean: 0.5, half: Some(0.0125) }, 2.0.into()])
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
    fn what_looks_the_same_is_equally_good() {
        let table = Table::new("", [Column::from(("a", Mark::Highest))])
            .row([Cell::Estimate { mean: 0.501, half: Some(0.1) }])
            .row([Cell::Estimate { mean: 0.502, half: Some(0.1) }])
            .row([Cell::Estimate { mean: 0.4, half: Some(0.1) }]);
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
            assert_eq!(serde_json::from_str::<Cell>(json).expect("plain data"), cell, "{json}");
        };
        check("a".into(), "\"a\"");
        check(0.5.into(), "0.5");
        check(Cell::Missing, "null");
        check(Cell::Estimate { mean: 0.5, half: None }, r#"{"mean":0.5,"half":null}"#);
        // A figure that is none comes back as missing, which is shown the same.
        assert_eq!(serde_json::to_string(&Cell::Number(f64::NAN)).expect("plain data"), "null");
        assert_eq!(serde_json::from_str::<Cell>("12").expect("an integer"), Cell::Number(12.0));
    }
}
