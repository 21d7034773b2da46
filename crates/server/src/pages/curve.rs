//! Curves of crawls: relevant pages over visited ones. The scripts of the crawl page redraw them by the same rule.

use std::fmt::Write;

use maud::{Markup, html};

use super::grouped;
use crate::crawl_view::CrawlView;

/// Size of the drawing, and the room for axes.
const SIZE: (f64, f64) = (640.0, 240.0);
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 28.0;
const TOP: f64 = 10.0;
const RIGHT: f64 = 12.0;

/// Draws the curves of crawls, each with its name.
pub(crate) fn draw(crawls: &[(&str, &CrawlView)]) -> Markup {
    let points = || crawls.iter().flat_map(|(_, view)| &view.curve);
    let most = |value: fn(&(u64, u64)) -> u64| points().map(value).max().unwrap_or(0).max(1);
    let (visited, relevant) = (most(|point| point.0), most(|point| point.1));
    let (width, height) = (SIZE.0 - LEFT - RIGHT, SIZE.1 - BOTTOM - TOP);
    let place = |(x, y): (u64, u64)| {
        (LEFT + width * x as f64 / visited as f64, TOP + height * (1.0 - y as f64 / relevant as f64))
    };
    let line = |view: &CrawlView| {
        let mut text = String::new();
        for point in &view.curve {
            let (x, y) = place(*point);
            // writing to a String cannot fail
            let _ = write!(text, "{x:.1},{y:.1} ");
        }
        text
    };
    let words: Vec<String> = crawls
        .iter()
        .map(|(name, view)| {
            format!("{name}: {} relevant of {} visited", grouped(view.relevant), grouped(view.visited))
        })
        .collect();
    html! {
        figure.curve {
            svg viewBox=(format!("0 0 {} {}", SIZE.0, SIZE.1)) role="img" aria-label=(words.join("; ")) {
                @for step in 0..=4u64 {
                    @let y = TOP + height * (1.0 - step as f64 / 4.0);
                    @let x = LEFT + width * step as f64 / 4.0;
                    line.grid x1=(LEFT) x2=(SIZE.0 - RIGHT) y1=(y) y2=(y) {}
                    text.axis x=(LEFT - 6.0) y=(y + 4.0) text-anchor="end" { (grouped(relevant * step / 4)) }
                    // the last number would stick out
                    @let anchor = if step == 4 { "end" } else { "middle" };
                    text.axis x=(x) y=(SIZE.1 - 8.0) text-anchor=(anchor) { (grouped(visited * step / 4)) }
                }
                @for (number, (_, view)) in crawls.iter().enumerate() {
                    polyline class=(format!("line s{}", number % 6)) points=(line(view)) {}
                }
            }
            figcaption {
                @for (number, words) in words.iter().enumerate() {
                    span class=(format!("key s{}", number % 6)) { (words) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_from_corner_to_corner() {
        let view = CrawlView {
            visited: 100,
            relevant: 50,
            curve: vec![(0, 0), (50, 10), (100, 50)],
            ..CrawlView::default()
        };
        let svg = draw(&[("<a>", &view)]).into_string();
        assert!(svg.contains("points=\"56.0,212.0 342.0,171.6 628.0,10.0 \""), "{svg}");
        assert!(svg.contains("&lt;a&gt;: 50 relevant of 100 visited"), "{svg}");
        assert!(draw(&[]).into_string().contains("<svg"));
    }
}
