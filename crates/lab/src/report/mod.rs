//! Reports: plain data in, one self-contained HTML page or a text for the terminal out.
//!
//! A report holds what was found and nothing of how it is drawn, and goes through JSON without loss, so that a stored
//! run is drawn again, and better, later. The page asks nothing of the network: no scripts, no fonts, no pictures but
//! the SVG inside it. All plots are drawn here, which is less code than a chart library needs to be tamed, and gives
//! the same bytes for the same data on every machine.
//!
//! Labels come from the Web in the end: they are escaped in one place (`svg`), cut in one place (`width`), and
//! numbers are written by one function ([`number()`]). Values that are not finite are data that is missing: a gap in a
//! line, a dash in a table, `null` in JSON.

mod axes;
mod bars;
mod curves;
mod graph;
mod html;
mod number;
mod scatter;
mod svg;
mod table;
mod text;
mod width;

use serde::{Deserialize, Serialize};

pub use axes::{Axis, Scale};
pub use bars::{Bar, BarGroup, BarPlot};
pub use curves::{CurvePlot, CurvePoint, Series};
pub use graph::{Edge, GraphPlot, Node};
pub use html::to_html;
pub use number::number;
pub use scatter::{Dot, ScatterPlot, ScatterSeries};
pub use table::{Cell, Column, Mark, Table};
pub use text::{report_to_text, table_to_text};

/// A whole report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What it is about, in a few words.
    pub title: String,
    /// What was asked and what came out, for someone who reads nothing else: a paragraph each.
    #[serde(default)]
    pub about: Vec<String>,
    /// What makes the run repeatable: build, seed, scale, corpus, parameters, and whether the corpus is simulated.
    #[serde(default)]
    pub facts: Vec<(String, String)>,
    /// The findings.
    #[serde(default)]
    pub sections: Vec<Section>,
}

/// A part of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What to see in the blocks below; empty lines part paragraphs.
    #[serde(default)]
    pub text: String,
    /// Tables and plots.
    #[serde(default)]
    pub blocks: Vec<Block>,
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Block {
    /// Figures in rows and columns.
    Table(Table),
    /// Lines with bands.
    Curves(CurvePlot),
    /// Bars with whiskers.
    Bars(BarPlot),
    /// Dots.
    Scatter(ScatterPlot),
    /// Nodes and arrows.
    Graph(GraphPlot),
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
