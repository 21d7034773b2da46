//! Charts: plain data in; an HTML page, an SVG file or text for a terminal out.
//!
//! The types hold what is shown and nothing of how it is drawn. Pages and drawings ask nothing of the network (no
//! scripts, no fonts, no pictures but the SVG inside a page), follow the reader's light or dark scheme, and are the
//! same bytes for the same data on every machine. What an experiment is, or a crawl, is not known here.
//!
//! Labels come from the Web in the end: markup is written by `maud`, which escapes them, and `label` replaces what
//! would turn or hide other text, and cuts them. Values that are not finite are data that is missing: a gap in a line,
//! a dash in a table, `null` in JSON.

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
    /// What was asked and what came out, for someone who reads nothing else: a paragraph each.
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
    /// What to see in the blocks below; empty lines part paragraphs.
    pub text: String,
    /// Tables and plots.
    pub blocks: Vec<Block>,
}

/// Something to look at.
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
