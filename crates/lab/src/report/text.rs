//! Tables and reports as text for a terminal: aligned columns, no colours, no escape sequences, wide characters
//! counted as two.

use std::fmt::Write;

use super::table::{Table, shown};
use super::width::{columns, cut};
use super::{Block, Report};

/// A cell is never wider than this.
const WIDEST: usize = 60;

/// A table as lines of text. The best value of a marked column has a star.
pub fn table_to_text(table: &Table) -> String {
    let mut out = String::new();
    if !table.caption.is_empty() {
        line(&mut out, &clean(&table.caption));
    }
    let mut grid: Vec<Vec<String>> = vec![Vec::new(); table.rows.len() + 1];
    let shown = shown(table);
    for column in &shown {
        let stars = column.best.iter().any(|&best| best);
        let mark = |best: bool| {
            if !stars {
                ""
            } else if best {
                "*"
            } else {
                " "
            }
        };
        let title = format!("{}{}", clean(&column.title), mark(false));
        let cells = column.cells.iter().zip(&column.best).map(|(cell, &best)| {
            let (text, half) = cell;
            let half = half.as_ref().map(|half| format!(" {half}")).unwrap_or_default();
            format!("{}{half}{}", clean(text), mark(best))
        });
        let cells: Vec<String> = std::iter::once(title).chain(cells).collect();
        let width = cells.iter().map(|cell| columns(cell)).max().unwrap_or_default();
        for (row, cell) in grid.iter_mut().zip(&cells) {
            let pad = " ".repeat(width - columns(cell));
            row.push(if column.figures { pad + cell } else { format!("{cell}{pad}") });
        }
    }
    for (place, row) in grid.iter().enumerate() {
        line(&mut out, &row.join("  "));
        if place == 0 {
            let rule: Vec<String> = row.iter().map(|cell| "─".repeat(columns(cell))).collect();
            line(&mut out, &rule.join("  "));
        }
    }
    out
}

/// A report as text: its tables and remarks in full; of a plot its name, since the page shows it.
pub fn report_to_text(report: &Report) -> String {
    let mut out = String::new();
    line(&mut out, &clean_long(&report.title));
    line(&mut out, &"═".repeat(columns(&clean_long(&report.title)).min(WIDEST)));
    for paragraph in &report.about {
        line(&mut out, &clean_long(paragraph));
    }
    for (name, value) in &report.facts {
        line(&mut out, &format!("{}: {}", clean(name), clean_long(value)));
    }
    for section in &report.sections {
        let _ = writeln!(out, "\n{}", clean_long(&section.title));
        line(&mut out, &"─".repeat(columns(&clean_long(&section.title)).min(WIDEST)));
        for paragraph in section.text.lines() {
            line(&mut out, &clean_long(paragraph));
        }
        for block in &section.blocks {
            out.push('\n');
            match block {
                Block::Table(table) => out.push_str(&table_to_text(table)),
                Block::Note { text } => line(&mut out, &format!("note: {}", clean_long(text))),
                Block::Curves(plot) => plot_line(&mut out, &plot.title),
                Block::Bars(plot) => out.push_str(&table_to_text(&plot.table())),
                Block::Scatter(plot) => plot_line(&mut out, &plot.title),
                Block::Graph(plot) => plot_line(&mut out, &plot.title),
            }
        }
    }
    out
}

fn plot_line(out: &mut String, title: &str) {
    line(out, &format!("plot: {} (in the HTML report)", clean_long(title)));
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

/// Text without what would move the cursor or turn the direction, cut to a cell's width.
fn clean(text: &str) -> String {
    cut(&clean_long(text), WIDEST)
}

fn clean_long(text: &str) -> String {
    let safe = |c: char| match c {
        '\u{200E}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        c if c.is_whitespace() => ' ',
        c if c.is_control() => '\u{FFFD}',
        c => c,
    };
    text.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::super::table::{Column, Mark};
    use super::super::{CurvePlot, Section};
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let table =
            Table::new("Harvest", [Column::from("topic"), ("ratio", Mark::Highest).into(), "note".into()])
                .row(["篮球".into(), 0.5.into(), "a".into()])
                .row(["flowers".into(), 0.125.into(), "".into()]);
        let expect = "\
Harvest
topic    ratio   note
───────  ──────  ────
篮球     0.500*  a
flowers  0.125
";
        assert_eq!(table_to_text(&table), expect);
    }

    #[test]
    fn hostile_cells_cannot_move_the_cursor() {
        let table =
            Table::new("a\u{1b}[2Jb", ["x\ny"]).row([("\u{202e}".to_owned() + &"z".repeat(500)).into()]);
        let text = table_to_text(&table);
        assert_eq!(text.lines().count(), 4);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        assert!(text.lines().all(|line| columns(line) <= WIDEST));
    }

    #[test]
    fn a_table_without_rows_has_a_heading() {
        assert_eq!(table_to_text(&Table::new("", ["a", "b"])), "a  b\n─  ─\n");
        assert_eq!(table_to_text(&Table::default()).trim(), "");
    }

    #[test]
    fn a_report_in_short() {
        let report = Report {
            title: "All policies".into(),
            about: vec!["Which one?".into()],
            facts: vec![("seed".into(), "7".into())],
            sections: vec![Section {
                title: "Harvest".into(),
                text: "Higher is better.".into(),
                blocks: vec![
                    Block::Curves(CurvePlot { title: "over time".into(), ..CurvePlot::default() }),
                    Block::note("simulated"),
                ],
            }],
        };
        let expect = "\
All policies
════════════
Which one?
seed: 7

Harvest
───────
Higher is better.

plot: over time (in the HTML report)

note: simulated
";
        assert_eq!(report_to_text(&report), expect);
    }
}
