//! Curves with bands: a measure over the length of a crawl, one line a policy, the interval over seeds behind it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::axes::{Axis, FONT, Fit, Frame, Span};
use super::number::{lenient, with_interval};
use super::svg::{Canvas, Lines, Markup, Px, series_class};
use super::table::{Cell, Table};
use super::width::{cut, pixels};
use crate::metrics::{BandPoint, Point};

/// Lines over a common axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePlot {
    /// What it shows.
    pub title: String,
    /// The lower axis.
    pub x: Axis,
    /// The left axis; a linear one begins at zero.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Whose it is.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<CurvePoint>,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Where.
    #[serde(with = "lenient")]
    pub x: f64,
    /// How much, on average. What is not finite is a gap.
    #[serde(with = "lenient")]
    pub mean: f64,
    /// The lower end of the interval, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end of the interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

impl CurvePoint {
    /// A point without an interval.
    pub fn new(x: f64, mean: f64) -> Self {
        Self { x, mean, low: None, high: None }
    }

    fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high).filter(|(low, high)| low.is_finite() && high.is_finite())
    }
}

impl From<Point> for CurvePoint {
    fn from(point: Point) -> Self {
        Self::new(point.visited as f64, point.value)
    }
}

impl From<BandPoint> for CurvePoint {
    fn from(point: BandPoint) -> Self {
        let (low, high) = point.estimate.interval().unzip();
        Self { x: point.visited as f64, mean: point.estimate.mean, low, high }
    }
}

impl Series {
    /// A line from the points of a metric.
    pub fn new<P: Into<CurvePoint>>(name: impl Into<String>, points: impl IntoIterator<Item = P>) -> Self {
        Self { name: name.into(), points: points.into_iter().map(Into::into).collect() }
    }
}

/// More lines than this are named in a legend; fewer at their ends, where the eye is.
const MOST_END_LABELS: usize = 10;

/// Points drawn of a line; more are not seen at this width.
const MOST_POINTS: usize = 600;

/// Points of a line that answer to a pointer.
const MOST_HINTS: usize = 60;

/// Rows of the table below the plot.
const MOST_ROWS: usize = 25;

impl CurvePlot {
    /// The data as a table: a row for each place, a column for each line, thinned out if there are many.
    pub(super) fn table(&self) -> Table {
        let mut rows = BTreeMap::<u64, (f64, Vec<Cell>)>::new();
        for (place, series) in self.series.iter().enumerate() {
            for point in series.points.iter().filter(|point| point.x.is_finite()) {
                let row = rows
                    .entry(order(point.x))
                    .or_insert_with(|| (point.x, vec![Cell::Missing; self.series.len()]));
                if let Some(cell) = row.1.get_mut(place) {
                    let half = point.interval().map(|(low, high)| (high - low) / 2.0);
                    *cell = Cell::Estimate { mean: point.mean, half };
                }
            }
        }
        let rows: Vec<_> = rows.into_values().collect();
        let mut table = Table::new(
            "",
            std::iter::once(&self.x.title).chain(self.series.iter().map(|s| &s.name)).cloned(),
        );
        for (x, cells) in thin(&rows, MOST_ROWS) {
            table.rows.push(std::iter::once(Cell::Number(*x)).chain(cells.iter().cloned()).collect());
        }
        table
    }

    /// Whether a wide plot names its lines at their ends, and needs no legend.
    pub(super) fn names_its_ends(&self) -> bool {
        self.series.len() <= MOST_END_LABELS
    }

    /// Names for a legend.
    pub(super) fn legend(&self) -> Vec<&str> {
        self.series.iter().map(|series| series.name.as_str()).collect()
    }

    /// The plot as SVG.
    pub(super) fn draw(&self, markup: &mut Markup, canvas: Canvas) {
        let named = canvas.is_wide() && self.names_its_ends();
        let names = self.series.iter().map(|series| pixels(&cut(&series.name, 24), FONT));
        let room = if named { names.fold(0.0, f64::max) + 34.0 } else { 22.0 };
        let height = if canvas.is_wide() { 380.0 } else { 300.0 };
        let points = || self.series.iter().flat_map(|series| &series.points);
        let ticks = if canvas.is_wide() { 6 } else { 4 };
        let x = Span::new(&self.x, points().map(|point| point.x), Fit::Snug, ticks);
        let ends = |point: &CurvePoint| [Some(point.mean), point.low, point.high].into_iter().flatten();
        let y = Span::new(&self.y, points().flat_map(ends), Fit::Round, 5);
        let left = y.label_width() + 38.0;
        let frame =
            Frame { left, top: 12.0, width: canvas.width() - left - room, height: height - 62.0, x, y };
        canvas.draw(markup, &self.title, height, |markup| {
            frame.draw(markup);
            for (place, series) in self.series.iter().enumerate() {
                draw_series(markup, &frame, series, (place, canvas));
            }
            if named {
                draw_end_labels(markup, &frame, &self.series);
            }
            if points().all(|point| frame.point(point.x, point.mean).is_none()) {
                frame.draw_no_data(markup);
            }
        });
    }
}

fn draw_series(markup: &mut Markup, frame: &Frame, series: &Series, (place, canvas): (usize, Canvas)) {
    let points = thin(&series.points, MOST_POINTS);
    let (mut lines, mut bands) = (vec![Vec::new()], vec![Vec::new()]);
    for point in &points {
        extend(&mut lines, frame.point(point.x, point.mean));
        let ends =
            point.interval().and_then(|(low, high)| Some((frame.x(point.x)?, frame.y(low)?, frame.y(high)?)));
        extend(&mut bands, ends);
    }
    let class = format!("series {}", series_class(place));
    markup.element("g", &[("class", &class)], |markup| {
        for band in bands.iter().filter(|band| band.len() > 1) {
            let there = band.iter().map(|&(x, _, high)| (x, high));
            let back = band.iter().rev().map(|&(x, low, _)| (x, low));
            let outline = [there.chain(back).collect()];
            markup.empty("path", &[("class", &"band"), ("d", &Lines(&outline))]);
        }
        markup.empty("path", &[("class", &"line"), ("d", &Lines(&lines))]);
        for part in &lines {
            if let [(x, y)] = part.as_slice() {
                markup.empty("circle", &[("class", &"dot"), ("cx", &Px(*x)), ("cy", &Px(*y)), ("r", &"3")]);
            }
        }
        if canvas.is_wide() {
            draw_hints(markup, frame, series);
        }
    });
    markup.newline();
}

/// Points that say their value under the pointer.
fn draw_hints(markup: &mut Markup, frame: &Frame, series: &Series) {
    for point in thin(&series.points, MOST_HINTS) {
        let Some((x, y)) = frame.point(point.x, point.mean) else { continue };
        markup.element(
            "circle",
            &[("class", &"hint"), ("cx", &Px(x)), ("cy", &Px(y)), ("r", &"6")],
            |markup| {
                let value = with_interval(point.mean, point.interval());
                markup.words(
                    "title",
                    &[],
                    &format!("{}: {value} at {}", series.name, super::number(point.x)),
                );
            },
        );
    }
}

/// Names at the ends of lines, pushed apart where they would overlap.
fn draw_end_labels(markup: &mut Markup, frame: &Frame, series: &[Series]) {
    const APART: f64 = 16.0;
    let end = |(place, series): (usize, &Series)| {
        let point = series.points.iter().rev().find_map(|point| frame.point(point.x, point.mean))?;
        Some((place, point, point.1))
    };
    let mut ends: Vec<(usize, (f64, f64), f64)> = series.iter().enumerate().filter_map(end).collect();
    ends.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(&b.0)));
    let mut above = f64::MIN;
    for (_, _, y) in &mut ends {
        *y = y.max(above + APART);
        above = *y;
    }
    // What was pushed out below is pushed back up.
    let mut below = frame.bottom() + APART;
    for (_, _, y) in ends.iter_mut().rev() {
        *y = y.min(below - APART);
        below = *y;
    }
    for (place, (x, y), label_y) in ends {
        let Some(series) = series.get(place) else { continue };
        let class = format!("end {}", series_class(place));
        let right = frame.right();
        let lead = [vec![(x, y), (right.max(x), y), (right + 8.0, label_y), (right + 14.0, label_y)]];
        markup.element("g", &[("class", &class)], |markup| {
            markup.empty("path", &[("class", &"lead"), ("d", &Lines(&lead))]);
            markup.empty(
                "circle",
                &[("class", &"dot"), ("cx", &Px(right + 17.0)), ("cy", &Px(label_y)), ("r", &"4")],
            );
            markup.element("text", &[("x", &Px(right + 25.0)), ("y", &Px(label_y + 4.0))], |markup| {
                markup.words("title", &[], &series.name);
                markup.text(&cut(&series.name, 24));
            });
        });
    }
}

/// Adds to the last part, or begins another one at a gap.
fn extend<T>(parts: &mut Vec<Vec<T>>, next: Option<T>) {
    match (next, parts.last_mut()) {
        (Some(next), Some(last)) => last.push(next),
        (None, Some(last)) if !last.is_empty() => parts.push(Vec::new()),
        _ => {}
    }
}

/// At most so many of the items, evenly spread, the first and the last among them.
pub(super) fn thin<T>(items: &[T], most: usize) -> Vec<&T> {
    if items.len() <= most || most < 2 {
        return items.iter().collect();
    }
    (0..most).filter_map(|place| items.get(place * (items.len() - 1) / (most - 1))).collect()
}

/// Bits that sort like the numbers do.
fn order(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(plot: &CurvePlot) -> String {
        let mut markup = Markup::default();
        plot.draw(&mut markup, Canvas::Wide);
        markup.finish()
    }

    fn plot(points: &[(f64, f64)]) -> CurvePlot {
        let points = points.iter().map(|&(x, mean)| CurvePoint::new(x, mean));
        CurvePlot { series: vec![Series::new("a", points)], ..CurvePlot::default() }
    }

    #[test]
    fn gaps_break_the_line() {
        let moves = |points: &[(f64, f64)]| svg(&plot(points)).matches("class=\"line\" d=\"M").count();
        let starts = |points: &[(f64, f64)]| {
            let svg = svg(&plot(points));
            let line = svg
                .split("class=\"line\" d=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next())
                .map(str::to_owned);
            line.unwrap_or_default().matches('M').count()
        };
        assert_eq!(moves(&[(0.0, 1.0), (1.0, 2.0)]), 1);
        assert_eq!(starts(&[(0.0, 1.0), (1.0, f64::NAN), (2.0, 2.0), (3.0, 2.0)]), 2);
        assert_eq!(starts(&[(0.0, f64::INFINITY), (f64::NAN, 2.0)]), 0);
        assert_eq!(starts(&[]), 0);
    }

    #[test]
    fn bands_need_both_ends() {
        let point = |x, low, high| CurvePoint { x, mean: 1.0, low, high };
        let bands = |points: Vec<CurvePoint>| {
            svg(&CurvePlot { series: vec![Series::new("a", points)], ..CurvePlot::default() })
                .matches("band")
                .count()
        };
        assert_eq!(bands(vec![point(0.0, Some(0.5), Some(1.5)), point(1.0, Some(0.5), Some(1.5))]), 1);
        assert_eq!(bands(vec![point(0.0, Some(0.5), None), point(1.0, None, Some(1.5))]), 0);
        assert_eq!(
            bands(vec![point(0.0, Some(f64::NAN), Some(1.0)), point(1.0, Some(0.0), Some(f64::INFINITY))]),
            0
        );
    }

    #[test]
    fn the_table_joins_lines_by_place() {
        let mut plot = plot(&[(10.0, 0.5), (20.0, 0.25)]);
        plot.series
            .push(Series::new("b", [CurvePoint { x: 20.0, mean: 1.0, low: Some(0.5), high: Some(1.5) }]));
        let table = plot.table();
        let estimate = |mean, half| Cell::Estimate { mean, half };
        let expect = [
            vec![Cell::Number(10.0), estimate(0.5, None), Cell::Missing],
            vec![Cell::Number(20.0), estimate(0.25, None), estimate(1.0, Some(0.5))],
        ];
        assert_eq!(table.rows, expect);
    }

    #[test]
    fn long_curves_are_thinned() {
        assert_eq!(thin(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 3), [&1, &5, &9]);
        assert_eq!(thin(&[1, 2], 3), [&1, &2]);
        let long: Vec<(f64, f64)> = (0..100_000).map(|x| (f64::from(x), 0.5)).collect();
        assert!(svg(&plot(&long)).len() < 40_000);
        assert_eq!(plot(&long).table().rows.len(), MOST_ROWS);
    }

    #[test]
    fn order_is_that_of_numbers() {
        let numbers = [f64::MIN, -2.0, -0.5, 0.0, 0.5, 3.0, f64::MAX];
        assert!(numbers.iter().map(|&number| order(number)).is_sorted());
        assert_eq!(order(0.0), order(-0.0));
    }
}
