//! The page: one file that any browser opens, now and in ten years, without asking anything of anybody.

use super::scatter::mark;
use super::svg::{Canvas, Markup, series_class};
use super::table::{self, Table};
use super::{Block, Report, Section, width};

/// Even if something hostile slipped through the escaping, the browser would load nothing and run nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Facts longer than this get a line of their own.
const LONG_FACT: usize = 60;

/// A report as an HTML page. The same report gives the same bytes.
pub fn to_html(report: &Report) -> String {
    let mut markup = Markup::default();
    markup.own("<!DOCTYPE html>\n");
    markup.element("html", &[("lang", &"en")], |markup| {
        markup.newline();
        draw_head(markup, &report.title);
        markup.newline();
        markup.element("body", &[], |markup| {
            draw_header(markup, report);
            markup.element("main", &[], |markup| {
                for (place, section) in report.sections.iter().enumerate() {
                    draw_section(markup, section, place);
                }
            });
        });
    });
    markup.newline();
    markup.finish()
}

fn draw_head(markup: &mut Markup, title: &str) {
    markup.element("head", &[], |markup| {
        markup.empty("meta", &[("charset", &"utf-8")]);
        markup.empty("meta", &[("http-equiv", &"Content-Security-Policy"), ("content", &POLICY)]);
        markup.empty("meta", &[("name", &"viewport"), ("content", &"width=device-width, initial-scale=1")]);
        markup.empty("meta", &[("name", &"color-scheme"), ("content", &"light dark")]);
        markup.words("title", &[], title);
        markup.newline();
        markup.element("style", &[], |markup| markup.own(include_str!("report.css")));
    });
}

fn draw_header(markup: &mut Markup, report: &Report) {
    markup.element("header", &[], |markup| {
        markup.words("h1", &[], &report.title);
        for paragraph in &report.about {
            markup.words("p", &[("class", &"about")], paragraph);
        }
        if !report.facts.is_empty() {
            markup.element("dl", &[("class", &"facts")], |markup| {
                for (name, value) in &report.facts {
                    let class = if width::columns(value) > LONG_FACT { "long" } else { "short" };
                    markup.element("div", &[("class", &class)], |markup| {
                        markup.words("dt", &[], name);
                        markup.words("dd", &[], value);
                    });
                }
            });
        }
        if report.sections.len() > 2 {
            draw_contents(markup, &report.sections);
        }
    });
    markup.newline();
}

fn draw_contents(markup: &mut Markup, sections: &[Section]) {
    markup.element("nav", &[("aria-label", &"contents")], |markup| {
        markup.element("ul", &[], |markup| {
            for (place, section) in sections.iter().enumerate() {
                markup.element("li", &[], |markup| {
                    markup.words("a", &[("href", &format!("#part-{}", place + 1))], &section.title);
                });
            }
        });
    });
}

fn draw_section(markup: &mut Markup, section: &Section, place: usize) {
    markup.element("section", &[("id", &format!("part-{}", place + 1))], |markup| {
        markup.words("h2", &[], &section.title);
        for paragraph in section.text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            markup.words("p", &[], paragraph.trim());
        }
        for block in &section.blocks {
            draw_block(markup, block);
        }
    });
    markup.newline();
}

fn draw_block(markup: &mut Markup, block: &Block) {
    match block {
        Block::Table(table) => markup.element("figure", &[], |markup| {
            if !table.caption.is_empty() {
                markup.words("figcaption", &[], &table.caption);
            }
            table::draw(markup, table);
        }),
        Block::Note { text } => markup.words("p", &[("class", &"note"), ("role", &"note")], text),
        Block::Curves(plot) => {
            let legend = Legend { names: plot.legend(), sign: Sign::Line, narrow: plot.names_its_ends() };
            draw_figure(markup, &plot.title, &legend, &plot.table(), |markup| {
                plot.draw(markup, Canvas::Wide);
                plot.draw(markup, Canvas::Narrow);
            });
        }
        Block::Bars(plot) => {
            let legend = Legend { names: Vec::new(), sign: Sign::Disc, narrow: false };
            draw_figure(markup, &plot.title, &legend, &plot.table(), |markup| {
                plot.draw(markup, Canvas::Wide);
                plot.draw(markup, Canvas::Narrow);
            });
        }
        Block::Scatter(plot) => {
            let legend = Legend { names: plot.legend(), sign: Sign::Mark, narrow: false };
            draw_figure(markup, &plot.title, &legend, &plot.table(), |markup| {
                plot.draw(markup, Canvas::Wide);
                plot.draw(markup, Canvas::Narrow);
            });
        }
        Block::Graph(plot) => {
            let legend = Legend { names: plot.legend(), sign: Sign::Disc, narrow: false };
            draw_figure(markup, &plot.title, &legend, &plot.table(), |markup| plot.draw(markup));
            if let Some(left_out) = plot.left_out() {
                markup.words("p", &[("class", &"small")], &left_out);
            }
        }
    }
    markup.newline();
}

/// A plot with its heading, its legend, and its data below for those who read rather than look.
fn draw_figure(
    markup: &mut Markup,
    title: &str,
    legend: &Legend<'_>,
    data: &Table,
    plot: impl FnOnce(&mut Markup),
) {
    markup.element("figure", &[], |markup| {
        markup.words("figcaption", &[], title);
        legend.draw(markup);
        markup.element("div", &[("class", &"scroll")], plot);
        if !data.rows.is_empty() {
            markup.element("details", &[], |markup| {
                markup.words("summary", &[], "Data");
                table::draw(markup, data);
            });
        }
    });
}

/// Names of series and how they are drawn.
struct Legend<'a> {
    names: Vec<&'a str>,
    sign: Sign,
    /// Needed only on a narrow screen: a wide one has names at the ends of lines.
    narrow: bool,
}

/// What a legend shows beside each name.
#[derive(Clone, Copy)]
enum Sign {
    Line,
    Mark,
    Disc,
}

impl Legend<'_> {
    fn draw(&self, markup: &mut Markup) {
        if self.names.is_empty() {
            return;
        }
        let class = if self.narrow { "legend narrow" } else { "legend" };
        markup.element("ul", &[("class", &class)], |markup| {
            for (place, name) in self.names.iter().enumerate() {
                markup.element("li", &[("class", &series_class(place))], |markup| {
                    markup.element("svg", &[("viewBox", &"0 0 22 12"), ("aria-hidden", &"true")], |markup| {
                        self.sign.draw(markup, place);
                    });
                    markup.text(name);
                });
            }
        });
    }
}

impl Sign {
    fn draw(self, markup: &mut Markup, place: usize) {
        match self {
            Self::Line => markup.empty("path", &[("class", &"line"), ("d", &"M1 6H21")]),
            Self::Mark => markup.empty("path", &[("class", &"dot"), ("d", &mark(place, 14.0, 6.0))]),
            Self::Disc => {
                markup.empty("circle", &[("class", &"dot"), ("cx", &"14"), ("cy", &"6"), ("r", &"5")]);
            }
        }
    }
}
