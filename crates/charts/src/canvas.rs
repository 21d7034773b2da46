//! SVG drawing: elements, coordinates, and the frame with its two axes.

use maud::{Markup, PreEscaped, html};

use crate::axis::Span;
use crate::label::{clean, cut};

/// A point on a canvas.
pub(crate) type Point = (f64, f64);

/// Colours and strokes of plots; included once per page, or in each SVG file.
pub(crate) const STYLE: &str = include_str!("plot.css");

/// The canvas of a plot. A page contains each plot twice, for a wide and for a narrow screen, and the style sheet shows
/// one of them: scaling a single one would make its letters too small or its lines too coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Canvas {
    /// Names at the ends of lines, hints under the pointer.
    Wide,
    /// A legend above instead, fewer ticks, no hints: fingers do not hover.
    Narrow,
}

impl Canvas {
    pub(crate) fn width(self) -> f64 {
        if self.is_wide() { 760.0 } else { 360.0 }
    }

    pub(crate) fn is_wide(self) -> bool {
        self == Self::Wide
    }

    /// An SVG of this width inside a page.
    pub(crate) fn draw(self, title: &str, drawing: &Drawing) -> Markup {
        let class = if self.is_wide() { "plot wide" } else { "plot narrow" };
        // No `<title>` for the whole plot: it would pop up wherever the pointer is.
        html! {
            svg viewBox=(drawing.view()) role="img" aria-label=(clean(title)) class=(class) { (drawing.inside) }
        }
    }
}

/// What was drawn, and how large it is.
pub(crate) struct Drawing {
    pub(crate) size: (f64, f64),
    pub(crate) inside: Markup,
}

impl Drawing {
    fn view(&self) -> String {
        format!("0 0 {} {}", px(self.size.0), px(self.size.1))
    }

    /// As a file of its own, with its style inside.
    pub(crate) fn into_file(self, title: &str) -> String {
        let view = self.view();
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(view) role="img" aria-label=(clean(title)) class="plot file" {
                style { (PreEscaped(STYLE)) }
                (self.inside)
            }
        };
        svg.into_string() + "\n"
    }
}

/// A coordinate, rounded to a hundredth of a pixel: finer is not visible, and the last bits of a sum may differ.
pub(crate) fn px(value: f64) -> f64 {
    let hundredths = if value.is_finite() { (value * 100.0).round() } else { 0.0 };
    // Adding 0 makes of -0 a 0.
    hundredths / 100.0 + 0.0
}

/// Points joined by lines, for the `d` of a path. The parts are not joined to each other.
pub(crate) fn lines(parts: &[Vec<Point>]) -> String {
    let corner =
        |(at, &(x, y)): (usize, &Point)| format!("{}{} {}", if at == 0 { 'M' } else { 'L' }, px(x), px(y));
    parts.iter().flat_map(|part| part.iter().enumerate().map(corner)).collect()
}

/// The class of a series: its colour and, when colours run out, its line style.
pub(crate) fn series_class(index: usize) -> String {
    const COLOURS: usize = 8;
    const DASHES: usize = 3;
    format!("s{} d{}", index % COLOURS, index / COLOURS % DASHES)
}

/// A text at a place.
pub(crate) fn label((x, y): Point, anchor: &str, text: &str) -> Markup {
    html! { text x=(px(x)) y=(px(y)) text-anchor=(anchor) { (clean(text)) } }
}

/// The rectangle of a plot and its axes.
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) x: Span,
    /// Bars have no vertical axis.
    pub(crate) y: Option<Span>,
}

impl Frame {
    pub(crate) fn x(&self, value: f64) -> Option<f64> {
        Some(self.left + self.x.at(value)? * self.width)
    }

    pub(crate) fn y(&self, value: f64) -> Option<f64> {
        Some(self.top + (1.0 - self.y.as_ref()?.at(value)?) * self.height)
    }

    pub(crate) fn point(&self, x: f64, y: f64) -> Option<Point> {
        self.x(x).zip(self.y(y))
    }

    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Grid, ticks and titles.
    pub(crate) fn axes(&self) -> Markup {
        let title_y = self.top + self.height / 2.0;
        html! {
            g.axes aria-hidden="true" {
                @if let Some(span) = &self.y {
                    @for tick in span.ticks() {
                        @let y = self.top + (1.0 - tick.at) * self.height;
                        path.grid d=(lines(&[vec![(self.left, y), (self.right(), y)]])) {}
                        (label((self.left - 8.0, y + 4.0), "end", &tick.label))
                    }
                    @let x = self.left - span.label_width() - 22.0;
                    text.axis-title x=(px(x)) y=(px(title_y)) text-anchor="middle"
                        transform=(format!("rotate(-90 {} {})", px(x), px(title_y))) { (cut(span.title(), 48)) }
                }
                @for tick in self.x.ticks() {
                    @let x = self.left + tick.at * self.width;
                    path.grid d=(lines(&[vec![(x, self.top), (x, self.bottom())]])) {}
                    (label((x, self.bottom() + 18.0), "middle", &tick.label))
                }
                text.axis-title x=(px(self.left + self.width / 2.0)) y=(px(self.bottom() + 38.0))
                    text-anchor="middle" { (cut(self.x.title(), 80)) }
            }
        }
    }

    /// A message in an empty frame that there is no data.
    pub(crate) fn no_data(&self) -> Markup {
        label((self.left + self.width / 2.0, self.top + self.height / 2.0), "middle", "no data")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        let check = |value: f64, expect: &str| assert_eq!(px(value).to_string(), expect);
        check(1.0, "1");
        check(0.126, "0.13");
        check(-0.001, "0");
        check(-2.5, "-2.5");
        check(f64::NAN, "0");
        check(f64::INFINITY, "0");
    }

    #[test]
    fn lines_break() {
        assert_eq!(lines(&[vec![(0.0, 1.0), (2.0, 3.5)], vec![(4.0, 5.0)]]), "M0 1L2 3.5M4 5");
    }
}
