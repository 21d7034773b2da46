//! Tables and reports as text for a terminal: aligned columns, no colours, no escape sequences, wide characters
//! counted as two.

use crate::label::{clean, columns, cut};
use crate::table::{Table, shown};
use crate::{Block, Report};

/// A cell is never wider than this.
const WIDEST: usize = 60;

/// A table as lines of text. The best value of a marked column has a star.
pub fn table_to_text(table: &Table) -> String {
    let mut out = String::new();
    if !table.caption.is_empty() {
        line(&mut out, &cut(&table.caption, WIDEST));
    }
    let mut grid: Vec<Vec<String>> = vec![Vec::new(); table.rows.len() + 1];
    for column in shown(table) {
        let has_star = column.best.contains(&true);
        let star = |best: bool| match (has_star, best) {
            (false, _) => "",
            (true, true) => "*",
            (true, false) => " ",
        };
        let title = cut(&column.title, WIDEST) + star(false);
        let cells = column.cells.iter().zip(&column.best).map(|((text, half), &best)| {
            let half = half.as_ref().map(|half| format!(" {half}")).unwrap_or_default();
            cut(text, WIDEST) + &half + star(best)
        });
        let cells: Vec<String> = std::iter::once(title).chain(cells).collect();
        let width = cells.iter().map(|cell| columns(cell)).max().unwrap_or_default();
        for (row, cell) in grid.iter_mut().zip(cells) {
            let pad = " ".repeat(width - columns(&cell));
            row.push(if column.figures { pad + &cell } else { cell + &pad });
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

/// A report as text: its tables and notes in full, and the names of its plots, which only the HTML page shows.
pub fn report_to_text(report: &Report) -> String {
    let mut out = String::new();
    heading(&mut out, &report.title, "═");
    for paragraph in &report.about {
        line(&mut out, &clean(paragraph));
    }
    for (name, value) in &report.facts {
        line(&mut out, &format!("{}: {}", cut(name, WIDEST), clean(value)));
    }
    for section in &report.sections {
        out.push('\n');
        heading(&mut out, &section.title, "─");
        for paragraph in section.text.lines() {
            line(&mut out, &clean(paragraph));
        }
        for block in &section.blocks {
            out.push('\n');
            match block {
                Block::Table(table) => out.push_str(&table_to_text(table)),
                Block::Note { text } => line(&mut out, &format!("note: {}", clean(text))),
                Block::Curves(plot) => {
                    line(&mut out, &format!("plot: {} (in the HTML report)", clean(&plot.title)));
                }
                Block::Bars(plot) => out.push_str(&table_to_text(&plot.table())),
            }
        }
    }
    out
}

fn heading(out: &mut String, text: &str, rule: &str) {
    let text = clean(text);
    line(out, &text);
    line(out, &rule.repeat(columns(&text).min(WIDEST)));
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Mark};
    use crate::{CurvePlot, Section};

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
            facts: vec![("random seed".into(), "7".into())],
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
random seed: 7

Harvest
───────
Higher is better.

plot: over time (in the HTML report)

note: simulated
";
        assert_eq!(report_to_text(&report), expect);
    }
}
