//! Tables and charts as an HTML page, as SVG, or as text for a terminal.
//!
//! The types hold data, not drawing instructions, and know nothing about crawls or experiments. The HTML and SVG output
//! loads nothing from the network (no scripts, fonts or images), follows the reader's light or dark colour scheme, and
//! has the same bytes for the same data on every machine.
//!
//! Labels may come from crawled pages. `maud` escapes them, and the module `label` removes control characters, such as
//! those that reverse text, and shortens long labels. A value that is not finite is missing data: a gap in a line, a
//! dash in a table, `null` in JSON.

mod axis;
mod bars;
mod canvas;
mod curves;
mod graph;
mod label;
mod layout;
mod number;
mod page;
mod table;
mod text;

use serde::Serialize;

pub use axis::{Axis, Scale};
pub use bars::{Bar, BarGroup, BarPlot};
pub use curves::{CurvePlot, CurvePoint, Series};
pub use graph::{Edge, GraphPlot, Node};
pub use number::{Estimate, number};
pub use page::to_html;
pub use table::{Cell, Column, Mark, Table};
pub use text::{report_to_text, table_to_text};

/// A whole report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// What it is about, in a few words.
    pub title: String,
    /// A summary of the question and the result, one paragraph each.
    pub about: Vec<String>,
    /// What makes it repeatable: build, random seed, parameters.
    pub facts: Vec<(String, String)>,
    /// The findings.
    pub sections: Vec<Section>,
}

/// A part of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// An introduction to the blocks below; empty lines separate paragraphs.
    pub text: String,
    /// Tables and plots.
    pub blocks: Vec<Block>,
}

/// A table, a plot or a note.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Block {
    /// Figures in rows and columns.
    Table(Table),
    /// Lines with bands.
    Curves(CurvePlot),
    /// Bars with whiskers.
    Bars(BarPlot),
    /// A remark: a caveat, a difference that is explained.
    Note {
        /// The remark.
        text: String,
    },
}

impl Block {
    /// A remark.
    pub fn note(text: impl Into<String>) -> Self {
        Self::Note { text: text.into() }
    }
}

#[cfg(test)]
mod tests;
