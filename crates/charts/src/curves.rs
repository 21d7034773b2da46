//! Curves with bands: a measure over the length of a crawl, one line a policy, the interval over random seeds behind
//! it.

use maud::{Markup, html};
use serde::Serialize;

use crate::axis::{Axis, Fit, Span};
use crate::canvas::{Canvas, Drawing, Frame, Point, lines, px, series_class};
use crate::label::{clean, cut, pixels};
use crate::number::{Estimate, number};
use crate::table::{Cell, Table};

/// Lines over a common axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<CurvePoint>,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The x value.
    pub x: f64,
    /// The value; a gap if it is not finite.
    #[serde(flatten)]
    pub y: Estimate,
}

impl CurvePoint {
    /// A point.
    pub fn new(x: f64, y: impl Into<Estimate>) -> Self {
        Self { x, y: y.into() }
    }
}

impl Series {
    /// A line.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = CurvePoint>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect() }
    }
}

/// More lines than this are named in a legend; fewer at their ends, where the eye is.
const MOST_END_LABELS: usize = 10;

/// Points drawn per line; more are not visible at this width.
const MOST_POINTS: usize = 600;

/// Points of a line that answer to a pointer.
const MOST_HINTS: usize = 60;

/// Rows of the table below the plot.
const MOST_ROWS: usize = 25;

/// Letters of a name at the end of a line.
const NAME: usize = 24;

impl CurvePlot {
    /// The plot as an SVG file.
    pub fn to_svg(&self) -> String {
        self.draw(Canvas::Wide).into_file(&self.title)
    }

    /// The data as a table: a row for each place, a column for each line, thinned out if there are many.
    pub(crate) fn table(&self) -> Table {
        let points = self.series.iter().flat_map(|series| &series.points);
        let mut places: Vec<f64> = points.map(|point| point.x).filter(|x| x.is_finite()).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let names = self.series.iter().map(|series| series.name.as_str());
        let mut table = Table::new("", std::iter::once(self.x.title.as_str()).chain(names));
        for &x in thin(&places, MOST_ROWS) {
            let cell = |series: &Series| {
                Cell::from(series.points.iter().find(|point| point.x == x).map(|point| point.y))
            };
            table = table.row(std::iter::once(Cell::Number(x)).chain(self.series.iter().map(cell)));
        }
        table
    }

    /// A list of the lines; on a wide screen only if they are too many to be named at their ends.
    pub(crate) fn legend(&self) -> Markup {
        let class = if self.names_its_ends() { "legend narrow" } else { "legend" };
        html! {
            @if !self.series.is_empty() {
                ul class=(class) {
                    @for (place, series) in self.series.iter().enumerate() {
                        li class=(series_class(place)) {
                            svg viewBox="0 0 22 12" aria-hidden="true" { path.line d="M1 6H21" {} }
                            (clean(&series.name))
                        }
                    }
                }
            }
        }
    }

    fn names_its_ends(&self) -> bool {
        self.series.len() <= MOST_END_LABELS
    }

    /// The plot as SVG.
    pub(crate) fn draw(&self, canvas: Canvas) -> Drawing {
        let is_named = canvas.is_wide() && self.names_its_ends();
        let names = self.series.iter().map(|series| pixels(&cut(&series.name, NAME)));
        let room = if is_named { names.fold(0.0, f64::max) + 34.0 } else { 22.0 };
        let (height, ticks) = if canvas.is_wide() { (380.0, 6) } else { (300.0, 4) };
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Span::new(&self.x, points().map(|point| point.x), Fit::Snug, ticks);
        let y = Span::new(&self.y, points().flat_map(|point| point.y.reach()), Fit::Round, 5);
        let left = y.label_width() + 38.0;
        let width = canvas.width() - left - room;
        let frame = Frame { left, top: 12.0, width, height: height - 62.0, x, y: Some(y) };
        let inside = html! {
            (frame.axes())
            @for (place, series) in self.series.iter().enumerate() {
                (draw_series(&frame, series, place, canvas))
            }
            @if is_named { (end_labels(&frame, &self.series)) }
            @if points().all(|point| frame.point(point.x, point.y.mean).is_none()) { (frame.no_data()) }
        };
        Drawing { size: (canvas.width(), height), inside }
    }
}

fn draw_series(frame: &Frame, series: &Series, place: usize, canvas: Canvas) -> Markup {
    let (mut line, mut bands) = (vec![Vec::new()], vec![Vec::new()]);
    for point in thin(&series.points, MOST_POINTS) {
        extend(&mut line, frame.point(point.x, point.y.mean));
        let ends = point.y.interval();
        extend(
            &mut bands,
            ends.and_then(|(low, high)| Some((frame.x(point.x)?, frame.y(low)?, frame.y(high)?))),
        );
    }
    // there along the upper ends and back along the lower ones
    let outline = |band: &Vec<(f64, f64, f64)>| -> Vec<Point> {
        let back = band.iter().rev().map(|&(x, low, _)| (x, low));
        band.iter().map(|&(x, _, high)| (x, high)).chain(back).collect()
    };
    html! {
        g class={ "series " (series_class(place)) } {
            @for band in bands.iter().filter(|band| band.len() > 1) { path.band d=(lines(&[outline(band)])) {} }
            path.line d=(lines(&line)) {}
            @for part in &line {
                @if let [(x, y)] = part.as_slice() { circle.dot cx=(px(*x)) cy=(px(*y)) r="3" {} }
            }
            @if canvas.is_wide() { (hints(frame, series)) }
        }
    }
}

/// Points that say their value under the pointer.
fn hints(frame: &Frame, series: &Series) -> Markup {
    html! {
        @for point in thin(&series.points, MOST_HINTS) {
            @if let Some((x, y)) = frame.point(point.x, point.y.mean) {
                circle.hint cx=(px(x)) cy=(px(y)) r="6" {
                    title { (clean(&series.name)) ": " (point.y.in_words()) " at " (number(point.x)) }
                }
            }
        }
    }
}

/// Names at the ends of lines, pushed apart where they would overlap.
fn end_labels<'a>(frame: &Frame, series: &'a [Series]) -> Markup {
    const APART: f64 = 16.0;
    struct End<'a> {
        class: String,
        name: &'a str,
        at: Point,
        label_y: f64,
    }
    let end = |(place, series): (usize, &'a Series)| {
        let at = series.points.iter().rev().find_map(|point| frame.point(point.x, point.y.mean))?;
        Some(End { class: series_class(place), name: &series.name, at, label_y: at.1 })
    };
    let mut ends: Vec<End<'_>> = series.iter().enumerate().filter_map(end).collect();
    ends.sort_by(|a, b| a.label_y.total_cmp(&b.label_y));
    let mut above = f64::MIN;
    for end in &mut ends {
        end.label_y = end.label_y.max(above + APART);
        above = end.label_y;
    }
    // What was pushed out below is pushed back up.
    let mut below = frame.bottom() + APART;
    for end in ends.iter_mut().rev() {
        end.label_y = end.label_y.min(below - APART);
        below = end.label_y;
    }
    let right = frame.right();
    html! {
        @for End { class, name, at, label_y: y } in &ends {
            g class={ "end " (class) } {
                path.lead d=(lines(&[vec![*at, (right.max(at.0), at.1), (right + 8.0, *y), (right + 14.0, *y)]])) {}
                circle.dot cx=(px(right + 17.0)) cy=(px(*y)) r="4" {}
                text x=(px(right + 25.0)) y=(px(y + 4.0)) { title { (clean(name)) } (cut(name, NAME)) }
            }
        }
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
fn thin<T>(items: &[T], most: usize) -> Vec<&T> {
    if items.len() <= most || most < 2 {
        return items.iter().collect();
    }
    (0..most).filter_map(|place| items.get(place * (items.len() - 1) / (most - 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: &[(f64, f64)]) -> CurvePlot {
        let points = points.iter().map(|&(x, y)| CurvePoint::new(x, y));
        CurvePlot { series: vec![Series::new("a", points)], ..CurvePlot::default() }
    }

    #[test]
    fn gaps_break_the_line() {
        let starts = |points: &[(f64, f64)]| {
            let svg = plot(points).to_svg();
            let line = svg.split("class=\"line\" d=\"").nth(1).and_then(|rest| rest.split('"').next());
            line.unwrap_or_default().matches('M').count()
        };
        assert_eq!(starts(&[(0.0, 1.0), (1.0, 2.0)]), 1);
        assert_eq!(starts(&[(0.0, 1.0), (1.0, f64::NAN), (2.0, 2.0), (3.0, 2.0)]), 2);
        assert_eq!(starts(&[(0.0, f64::INFINITY), (f64::NAN, 2.0)]), 0);
        assert_eq!(starts(&[]), 0);
    }

    #[test]
    fn bands_need_an_interval() {
        let bands = |half: Option<f64>| {
            let points = [0.0, 1.0].map(|x| CurvePoint::new(x, Estimate { mean: 1.0, half }));
            let plot = CurvePlot { series: vec![Series::new("a", points)], ..CurvePlot::default() };
            plot.to_svg().matches("class=\"band\"").count()
        };
        assert_eq!(bands(Some(0.5)), 1);
        assert_eq!(bands(None), 0);
        assert_eq!(bands(Some(f64::INFINITY)), 0);
    }

    #[test]
    fn the_table_joins_lines_by_place() {
        let mut plot = plot(&[(10.0, 0.5), (20.0, 0.25)]);
        let wide = Estimate { mean: 1.0, half: Some(0.5) };
        plot.series.push(Series::new("b", [CurvePoint::new(20.0, wide)]));
        let expect = [
            vec![Cell::Number(10.0), Cell::Estimate(0.5.into()), Cell::Missing],
            vec![Cell::Number(20.0), Cell::Estimate(0.25.into()), Cell::Estimate(wide)],
        ];
        assert_eq!(plot.table().rows, expect);
    }

    #[test]
    fn long_curves_are_thinned() {
        assert_eq!(thin(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 3), [&1, &5, &9]);
        assert_eq!(thin(&[1, 2], 3), [&1, &2]);
        let long: Vec<(f64, f64)> = (0..100_000).map(|x| (f64::from(x), 0.5)).collect();
        assert!(plot(&long).to_svg().len() < 40_000);
        assert_eq!(plot(&long).table().rows.len(), MOST_ROWS);
    }
}
