//! Dots: one value against another, such as the degree distribution of a world beside that of a real site.

use serde::{Deserialize, Serialize};

use super::axes::{Axis, Fit, Frame, Span};
use super::curves::thin;
use super::number::{lenient, number};
use super::svg::{Canvas, Markup, Px, series_class};
use super::table::{Cell, Table};

/// Dots over two axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScatterPlot {
    /// What it shows.
    pub title: String,
    /// The lower axis.
    pub x: Axis,
    /// The left axis.
    pub y: Axis,
    /// The dots, by kind.
    pub series: Vec<ScatterSeries>,
}

/// Dots of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScatterSeries {
    /// The kind.
    pub name: String,
    /// The dots.
    pub dots: Vec<Dot>,
}

/// A dot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dot {
    /// How far right.
    #[serde(with = "lenient")]
    pub x: f64,
    /// How far up.
    #[serde(with = "lenient")]
    pub y: f64,
    /// What it is, if it has a name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Dot {
    /// A dot without a name.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, label: None }
    }
}

/// Dots drawn of one kind; a cloud of more looks the same.
const MOST_DOTS: usize = 1500;

/// Rows of one kind in the table below the plot.
const MOST_ROWS: usize = 20;

impl ScatterPlot {
    /// The data as a table, thinned out if there is much of it.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::new("", ["", &self.x.title, &self.y.title]);
        for series in &self.series {
            for dot in thin(&series.dots, MOST_ROWS) {
                let name = dot
                    .label
                    .as_ref()
                    .map_or_else(|| series.name.clone(), |l| format!("{}: {l}", series.name));
                table.rows.push(vec![name.into(), Cell::Number(dot.x), Cell::Number(dot.y)]);
            }
        }
        table
    }

    /// Names for the legend.
    pub(super) fn legend(&self) -> Vec<&str> {
        self.series.iter().map(|series| series.name.as_str()).collect()
    }

    /// The plot as SVG.
    pub(super) fn draw(&self, markup: &mut Markup, canvas: Canvas) {
        let (height, ticks) = if canvas.is_wide() { (400.0, 6) } else { (320.0, 4) };
        let dots = || self.series.iter().flat_map(|series| &series.dots);
        let x = Span::new(&self.x, dots().map(|dot| dot.x), Fit::Padded, ticks);
        let y = Span::new(&self.y, dots().map(|dot| dot.y), Fit::Padded, 5);
        let left = y.label_width() + 38.0;
        let frame =
            Frame { left, top: 12.0, width: canvas.width() - left - 20.0, height: height - 62.0, x, y };
        canvas.draw(markup, &self.title, height, |markup| {
            frame.draw(markup);
            for (place, series) in self.series.iter().enumerate() {
                draw_series(markup, &frame, series, (place, canvas));
            }
            if dots().all(|dot| frame.point(dot.x, dot.y).is_none()) {
                frame.draw_no_data(markup);
            }
        });
    }
}

fn draw_series(markup: &mut Markup, frame: &Frame, series: &ScatterSeries, (place, canvas): (usize, Canvas)) {
    let class = format!("dots {}", series_class(place));
    markup.element("g", &[("class", &class)], |markup| {
        for dot in thin(&series.dots, MOST_DOTS) {
            let Some((x, y)) = frame.point(dot.x, dot.y) else { continue };
            let shape = mark(place, x, y);
            markup.element("path", &[("class", &"mark"), ("d", &shape)], |markup| {
                if canvas.is_wide() {
                    let name = dot.label.as_deref().unwrap_or(&series.name);
                    markup.words("title", &[], &format!("{name}: {}, {}", number(dot.x), number(dot.y)));
                }
            });
        }
    });
    markup.newline();
}

/// A dot's shape differs by kind as well as its colour, for those who tell colours apart badly.
pub(super) fn mark(place: usize, x: f64, y: f64) -> String {
    let (x, y, r) = (Px(x), Px(y), 3.5);
    match place % 4 {
        0 => format!("M{x} {y}m-{r} 0a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", d = 2.0 * r),
        1 => format!("M{x} {y}m-3.2 -3.2h6.4v6.4h-6.4z"),
        2 => format!("M{x} {y}m0 -4.2l4 7h-8z"),
        _ => format!("M{x} {y}m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(axis: fn(String) -> Axis, dots: &[(f64, f64)]) -> usize {
        let plot = ScatterPlot {
            x: axis(String::new()),
            y: axis(String::new()),
            series: vec![ScatterSeries {
                name: "a".into(),
                dots: dots.iter().map(|&(x, y)| Dot::new(x, y)).collect(),
            }],
            ..ScatterPlot::default()
        };
        let mut markup = Markup::default();
        plot.draw(&mut markup, Canvas::Wide);
        let svg = markup.finish();
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        svg.matches("class=\"mark\"").count()
    }

    #[test]
    fn only_what_can_be_placed_is_drawn() {
        assert_eq!(marks(Axis::linear, &[(0.0, 1.0), (-1.0, 2.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)]), 2);
        assert_eq!(marks(Axis::log, &[(1.0, 1.0), (0.0, 1.0), (10.0, -1.0), (1e300, 1.0)]), 1);
        assert_eq!(marks(Axis::log, &[]), 0);
    }

    #[test]
    fn clouds_are_thinned() {
        let cloud: Vec<(f64, f64)> = (0..10_000).map(|x| (f64::from(x), f64::from(x % 7))).collect();
        assert_eq!(marks(Axis::linear, &cloud), MOST_DOTS);
    }

    #[test]
    fn the_table_says_which_dot_it_is() {
        let plot = ScatterPlot {
            series: vec![ScatterSeries {
                name: "a".into(),
                dots: vec![Dot { label: Some("b".into()), ..Dot::new(1.0, 2.0) }, Dot::new(3.0, 4.0)],
            }],
            ..ScatterPlot::default()
        };
        let expect = [vec!["a: b".into(), 1.0.into(), 2.0.into()], vec!["a".into(), 3.0.into(), 4.0.into()]];
        assert_eq!(plot.table().rows, expect);
    }
}
