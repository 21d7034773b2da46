//! Horizontal bars with error bars. Names need width, and a long list fits a narrow screen.

use maud::{Markup, html};
use serde::Serialize;

use crate::axis::{Axis, Fit, Span};
use crate::canvas::{Canvas, Drawing, Frame, label, lines, px, series_class};
use crate::label::{clean, cut, pixels};
use crate::number::{Estimate, decimals, fixed};
use crate::table::{Cell, Table};

/// Bars in groups: a group for each corpus, say, and in each a bar for each policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BarPlot {
    /// What it shows.
    pub title: String,
    /// The axis of the length.
    pub axis: Axis,
    /// The groups, from the top. The name of a single group may be empty.
    pub groups: Vec<BarGroup>,
}

/// Bars that belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BarGroup {
    /// The name of the group.
    pub name: String,
    /// The bars; those of the same name have the same colour in all groups.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bar {
    /// Its name in the legend.
    pub name: String,
    /// Its length. If it is not finite, only the name is shown.
    #[serde(flatten)]
    pub length: Estimate,
}

impl Bar {
    /// A bar; without a length, an empty one.
    pub fn new(name: impl Into<String>, length: Option<impl Into<Estimate>>) -> Self {
        Self { name: name.into(), length: length.map_or_else(|| f64::NAN.into(), Into::into) }
    }
}

const ROW: f64 = 22.0;
const HEADING: f64 = 26.0;

/// Decimals of the values at the ends of bars; the table below has more.
const MOST_DECIMALS: usize = 3;

impl BarGroup {
    /// Room above the bars.
    fn heading(&self) -> f64 {
        if self.name.is_empty() { 6.0 } else { HEADING }
    }
}

impl BarPlot {
    /// The data as a table.
    pub(crate) fn table(&self) -> Table {
        let grouped = self.groups.iter().any(|group| !group.name.is_empty());
        let headings = grouped.then_some("").into_iter().chain(["", &self.axis.title]);
        let mut table = Table::new(self.title.clone(), headings);
        for group in &self.groups {
            for bar in &group.bars {
                let name = grouped.then(|| Cell::from(group.name.as_str()));
                let cells = [bar.name.as_str().into(), Cell::Estimate(bar.length)];
                table = table.row(name.into_iter().chain(cells));
            }
        }
        table
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|group| &group.bars)
    }

    /// The plot as SVG.
    pub(crate) fn draw(&self, canvas: Canvas) -> Drawing {
        let (letters, ticks) = if canvas.is_wide() { (28, 5) } else { (16, 3) };
        let heights = self.groups.iter().map(|group| group.heading() + ROW * group.bars.len() as f64);
        let height = heights.sum::<f64>().max(60.0);
        let left = self.bars().map(|bar| pixels(&cut(&bar.name, letters))).fold(30.0, f64::max) + 22.0;
        let x = Span::new(&self.axis, self.bars().flat_map(|bar| bar.length.reach()), Fit::Round, ticks);
        let frame = Frame { left, top: 4.0, width: canvas.width() - left - 60.0, height, x, y: None };
        let base = frame.left + frame.x.base() * frame.width;
        let inside = html! {
            (frame.axes())
            path.zero d=(lines(&[vec![(base, frame.top), (base, frame.bottom())]])) {}
            (self.draw_groups(&frame, letters))
            @if self.bars().next().is_none() { (frame.no_data()) }
        };
        Drawing { size: (canvas.width(), height + 54.0), inside }
    }

    fn draw_groups(&self, frame: &Frame, letters: usize) -> Markup {
        let decimals = self.bars().map(|bar| decimals(bar.length.mean)).max().unwrap_or_default();
        let mut names: Vec<&str> = Vec::new();
        let mut top = frame.top;
        let mut drawn = Vec::new();
        for group in &self.groups {
            top += group.heading();
            drawn.push(html! {
                @if !group.name.is_empty() { text.group x="4" y=(px(top - 7.0)) { (cut(&group.name, letters * 2)) } }
            });
            for bar in &group.bars {
                let place = names.iter().position(|name| *name == bar.name).unwrap_or_else(|| {
                    names.push(&bar.name);
                    names.len() - 1
                });
                let row =
                    Row { top, place, name: cut(&bar.name, letters), decimals: decimals.min(MOST_DECIMALS) };
                drawn.push(draw_bar(frame, bar, &row));
                top += ROW;
            }
        }
        html! { @for part in &drawn { (part) } }
    }
}

/// Where a bar goes and what is written at its ends.
struct Row {
    top: f64,
    /// The place of its name among all names.
    place: usize,
    name: String,
    decimals: usize,
}

fn draw_bar(frame: &Frame, bar: &Bar, row: &Row) -> Markup {
    let middle = row.top + ROW / 2.0;
    let base = frame.left + frame.x.base() * frame.width;
    let bar_ends = frame.x(bar.length.mean).map(|end| (base.min(end), base.max(end)));
    let whisker = bar.length.interval().and_then(|(low, high)| frame.x(low).zip(frame.x(high)));
    let label_x = bar_ends.map_or(base, |ends| ends.1).max(whisker.map_or(base, |ends| ends.1));
    let cap = |x: f64| vec![(x, middle - 4.0), (x, middle + 4.0)];
    html! {
        g class={ "bar " (series_class(row.place)) } {
            title { (clean(&bar.name)) ": " (bar.length.in_words()) }
            (label((frame.left - 8.0, middle + 4.0), "end", &row.name))
            @if let Some((from, to)) = bar_ends {
                rect.fill x=(px(from)) y=(px(row.top + 3.0)) width=(px(to - from)) height=(px(ROW - 6.0)) rx="2" {}
            }
            @if let Some((low, high)) = whisker {
                path.whisker d=(lines(&[vec![(low, middle), (high, middle)], cap(low), cap(high)])) {}
            }
            (label((label_x + 7.0, middle + 4.0), "start", &fixed(bar.length.mean, row.decimals)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, mean: f64, half: Option<f64>) -> Bar {
        Bar::new(name, Some(Estimate { mean, half }))
    }

    fn plot(axis: Axis, bars: Vec<Bar>) -> BarPlot {
        BarPlot { title: "t".into(), axis, groups: vec![BarGroup { name: "g".into(), bars }] }
    }

    fn svg(plot: &BarPlot) -> String {
        plot.draw(Canvas::Wide).inside.into_string()
    }

    #[test]
    fn bars_and_whiskers_are_drawn() {
        let svg = svg(&plot(Axis::linear(""), vec![bar("a", 0.5, Some(0.1)), bar("b", 0.25, None)]));
        assert_eq!((svg.matches("<rect").count(), svg.matches("whisker").count()), (2, 1));
        assert!(svg.contains("<title>a: 0.5 (0.4 to 0.6)</title>"));
    }

    #[test]
    fn values_without_length_have_no_bar() {
        let check = |axis: Axis, mean: f64, bars: usize| {
            let svg = svg(&plot(axis, vec![bar("a", mean, Some(f64::INFINITY))]));
            assert_eq!(
                (svg.matches("<rect").count(), svg.contains("NaN"), svg.contains("inf")),
                (bars, false, false)
            );
        };
        check(Axis::linear(""), f64::NAN, 0);
        check(Axis::linear(""), f64::INFINITY, 0);
        check(Axis::linear(""), -2.0, 1);
        check(Axis::log(""), 0.0, 0);
        check(Axis::log(""), 30.0, 1);
    }

    #[test]
    fn the_same_name_has_the_same_colour() {
        let group = |name: &str, bars: &[&str]| BarGroup {
            name: name.into(),
            bars: bars.iter().map(|name| bar(name, 1.0, None)).collect(),
        };
        let groups = vec![group("x", &["a", "b"]), group("y", &["b", "c"])];
        let svg = svg(&BarPlot { groups, ..BarPlot::default() });
        let colours: Vec<&str> = svg.split("class=\"bar ").skip(1).filter_map(|rest| rest.get(..2)).collect();
        assert_eq!(colours, ["s0", "s1", "s1", "s2"]);
    }

    #[test]
    fn the_table_names_groups_only_if_there_are_any() {
        let mut plot = plot(Axis::linear("harvest"), vec![bar("a", 0.5, Some(0.25))]);
        let estimate = Cell::Estimate(Estimate { mean: 0.5, half: Some(0.25) });
        assert_eq!(plot.table().rows, [vec!["g".into(), "a".into(), estimate.clone()]]);
        plot.groups[0].name.clear();
        assert_eq!(plot.table().rows, [vec!["a".into(), estimate]]);
        assert_eq!(plot.table().columns.len(), 2);
    }
}
