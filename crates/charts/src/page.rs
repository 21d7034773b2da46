//! The report as one HTML file without external resources.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::canvas::{Canvas, Drawing, STYLE};
use crate::label::{clean, columns};
use crate::table::{self, Table};
use crate::{Block, Report, Section};

/// Even if something hostile slipped through the escaping, the browser would load nothing and run nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Facts longer than this get a line of their own.
const LONG_FACT: usize = 60;

/// A report as an HTML page. The same report gives the same bytes.
pub fn to_html(report: &Report) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (clean(&report.title)) }
                style { (PreEscaped(STYLE)) (PreEscaped(include_str!("page.css"))) }
            }
            body {
                (header(report))
                main {
                    @for (place, section) in report.sections.iter().enumerate() { (draw_section(section, place)) }
                }
            }
        }
    };
    page.into_string() + "\n"
}

fn header(report: &Report) -> Markup {
    html! {
        header {
            h1 { (clean(&report.title)) }
            @for paragraph in &report.about { p.about { (clean(paragraph)) } }
            @if !report.facts.is_empty() {
                dl.facts {
                    @for (name, value) in &report.facts {
                        div .long[columns(value) > LONG_FACT] { dt { (clean(name)) } dd { (clean(value)) } }
                    }
                }
            }
            @if report.sections.len() > 2 {
                nav aria-label="contents" {
                    ul {
                        @for (place, section) in report.sections.iter().enumerate() {
                            li { a href={ "#part-" (place + 1) } { (clean(&section.title)) } }
                        }
                    }
                }
            }
        }
    }
}

fn draw_section(section: &Section, place: usize) -> Markup {
    let paragraphs = section.text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    html! {
        section id={ "part-" (place + 1) } {
            h2 { (clean(&section.title)) }
            @for paragraph in paragraphs { p { (clean(paragraph)) } }
            @for block in &section.blocks { (draw_block(block)) "\n" }
        }
    }
}

fn draw_block(block: &Block) -> Markup {
    match block {
        Block::Table(table) => html! {
            figure {
                @if !table.caption.is_empty() { figcaption { (clean(&table.caption)) } }
                (table::draw(table))
            }
        },
        Block::Note { text } => html! { p.note role="note" { (clean(text)) } },
        Block::Curves(plot) => figure(&plot.title, &plot.legend(), |canvas| plot.draw(canvas), &plot.table()),
        Block::Bars(plot) => figure(&plot.title, &html! {}, |canvas| plot.draw(canvas), &plot.table()),
    }
}

/// A plot with its heading, its legend, and its data as a table below.
fn figure(title: &str, legend: &Markup, draw: impl Fn(Canvas) -> Drawing, data: &Table) -> Markup {
    html! {
        figure {
            figcaption { (clean(title)) }
            (legend)
            @for canvas in [Canvas::Wide, Canvas::Narrow] { (canvas.draw(title, &draw(canvas))) }
            @if !data.rows.is_empty() {
                details { summary { "Data" } (table::draw(data)) }
            }
        }
    }
}
