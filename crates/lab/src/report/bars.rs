//! Bars with whiskers, lying down: names are words and words are wide, and a long list fits a phone.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::axes::{Axis, FONT, Fit, Frame, Span, label};
use super::number::{decimals, fixed, lenient, with_interval};
use super::svg::{Canvas, Lines, Markup, Px, series_class};
use super::table::{Cell, Table};
use super::width::{cut, pixels};
use crate::metrics::Estimate;

/// Bars in groups: a group for each corpus, say, and in each a bar for each policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BarPlot {
    /// What it shows.
    pub title: String,
    /// What the length means.
    pub axis: Axis,
    /// The groups, from the top. The name of a single group may be empty.
    pub groups: Vec<BarGroup>,
}

/// Bars that belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BarGroup {
    /// What they have in common.
    #[serde(default)]
    pub name: String,
    /// The bars; those of the same name have the same colour in all groups.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Whose it is.
    pub name: String,
    /// Its length. Without one that is finite only the name is shown.
    #[serde(with = "lenient")]
    pub mean: f64,
    /// The lower end of the interval, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end of the interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

impl Bar {
    /// A bar from a metric over runs; without a value, an empty one.
    pub fn new(name: impl Into<String>, estimate: Option<Estimate>) -> Self {
        let (low, high) = estimate.and_then(|estimate| estimate.interval()).unzip();
        Self { name: name.into(), mean: estimate.map_or(f64::NAN, |estimate| estimate.mean), low, high }
    }

    fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high).filter(|(low, high)| low.is_finite() && high.is_finite())
    }
}

const ROW: f64 = 22.0;
const HEADING: f64 = 26.0;

/// Decimals of the values at the ends of bars; the table below has more.
const MOST_DECIMALS: usize = 3;

impl BarPlot {
    /// The data as a table.
    pub(super) fn table(&self) -> Table {
        let grouped = self.groups.iter().any(|group| !group.name.is_empty());
        let headings = grouped.then_some("").into_iter().chain(["", &self.axis.title]);
        let mut table = Table::new(self.title.clone(), headings);
        for group in &self.groups {
            for bar in &group.bars {
                let half = bar.interval().map(|(low, high)| (high - low) / 2.0);
                let name = grouped.then(|| Cell::from(group.name.as_str()));
                let cells = [bar.name.as_str().into(), Cell::Estimate { mean: bar.mean, half }];
                table.rows.push(name.into_iter().chain(cells).collect());
            }
        }
        table
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|group| &group.bars)
    }

    /// The plot as SVG.
    pub(super) fn draw(&self, markup: &mut Markup, canvas: Canvas) {
        let heading = |group: &BarGroup| if group.name.is_empty() { 6.0 } else { HEADING };
        let height: f64 =
            self.groups.iter().map(|group| heading(group) + ROW * group.bars.len() as f64).sum();
        let height = height.max(60.0);
        let letters = if canvas.is_wide() { 28 } else { 16 };
        let left = self.bars().map(|bar| pixels(&cut(&bar.name, letters), FONT)).fold(30.0, f64::max) + 22.0;
        let ends = |bar: &Bar| [Some(bar.mean), bar.low, bar.high].into_iter().flatten();
        let ticks = if canvas.is_wide() { 5 } else { 3 };
        let x = Span::new(&self.axis, self.bars().flat_map(ends), Fit::Round, ticks);
        let y = Span::new(&Axis::default(), std::iter::empty(), Fit::Snug, 1);
        let frame = Frame { left, top: 4.0, width: canvas.width() - left - 60.0, height, x, y };
        canvas.draw(markup, &self.title, height + 54.0, |markup| {
            markup
                .element("g", &[("class", &"axes"), ("aria-hidden", &"true")], |markup| frame.draw_x(markup));
            let base = frame.left + frame.x.base() * frame.width;
            let zero = [vec![(base, frame.top), (base, frame.bottom())]];
            markup.empty("path", &[("class", &"zero"), ("d", &Lines(&zero))]);
            self.draw_groups(markup, &frame, letters, heading);
            if self.bars().next().is_none() {
                frame.draw_no_data(markup);
            }
        });
    }

    fn draw_groups(
        &self,
        markup: &mut Markup,
        frame: &Frame,
        letters: usize,
        heading: impl Fn(&BarGroup) -> f64,
    ) {
        let decimals = self.bars().map(|bar| decimals(bar.mean)).max().unwrap_or_default().min(MOST_DECIMALS);
        let mut names: Vec<&str> = Vec::new();
        let mut top = frame.top;
        for group in &self.groups {
            top += heading(group);
            if !group.name.is_empty() {
                let at: super::svg::Attributes<'_> =
                    &[("class", &"group"), ("x", &"4"), ("y", &Px(top - 7.0))];
                markup.words("text", at, &cut(&group.name, letters * 2));
            }
            for bar in &group.bars {
                let place = names.iter().position(|name| *name == bar.name).unwrap_or_else(|| {
                    names.push(&bar.name);
                    names.len() - 1
                });
                let row = Row { top, place, name: cut(&bar.name, letters), value: fixed(bar.mean, decimals) };
                draw_bar(markup, frame, bar, &row);
                top += ROW;
            }
        }
    }
}

/// Where a bar goes and what is written at its ends.
struct Row {
    top: f64,
    /// The place of its name among all names.
    place: usize,
    name: String,
    value: String,
}

fn draw_bar(markup: &mut Markup, frame: &Frame, bar: &Bar, row: &Row) {
    let middle = row.top + ROW / 2.0;
    let class = format!("bar {}", series_class(row.place));
    markup.element("g", &[("class", &class)], |markup| {
        let value = with_interval(bar.mean, bar.interval());
        markup.words("title", &[], &format!("{}: {value}", bar.name));
        label(markup, (frame.left - 8.0, middle + 4.0), "end", &row.name);
        let base = frame.left + frame.x.base() * frame.width;
        let end = frame.x(bar.mean);
        let mut label_x = base;
        if let Some(end) = end {
            let (from, to) = (base.min(end), base.max(end));
            rectangle(markup, (from, row.top + 3.0), (to - from, ROW - 6.0));
            label_x = to;
        }
        let whisker = bar.interval().and_then(|(low, high)| frame.x(low).zip(frame.x(high)));
        if let Some((low, high)) = whisker {
            let d = format!(
                "M{low} {middle}H{high}M{low} {up}V{down}M{high} {up}V{down}",
                low = Px(low),
                high = Px(high),
                middle = Px(middle),
                up = Px(middle - 4.0),
                down = Px(middle + 4.0)
            );
            markup.empty("path", &[("class", &"whisker"), ("d", &d)]);
            label_x = label_x.max(high);
        }
        label(markup, (label_x + 7.0, middle + 4.0), "start", &row.value);
    });
    markup.newline();
}

fn rectangle(markup: &mut Markup, (x, y): (f64, f64), (width, height): (f64, f64)) {
    let attributes: [(&str, &dyn Display); 6] = [
        ("class", &"fill"),
        ("x", &Px(x)),
        ("y", &Px(y)),
        ("width", &Px(width)),
        ("height", &Px(height)),
        ("rx", &"2"),
    ];
    markup.empty("rect", &attributes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, mean: f64, interval: Option<(f64, f64)>) -> Bar {
        let (low, high) = interval.unzip();
        Bar { name: name.to_owned(), mean, low, high }
    }

    fn plot(axis: Axis, bars: Vec<Bar>) -> BarPlot {
        BarPlot { title: "t".into(), axis, groups: vec![BarGroup { name: "g".into(), bars }] }
    }

    fn svg(plot: &BarPlot) -> String {
        let mut markup = Markup::default();
        plot.draw(&mut markup, Canvas::Wide);
        markup.finish()
    }

    #[test]
    fn bars_and_whiskers_are_drawn() {
        let svg = svg(&plot(Axis::linear(""), vec![bar("a", 0.5, Some((0.4, 0.6))), bar("b", 0.25, None)]));
        assert_eq!((svg.matches("<rect").count(), svg.matches("whisker").count()), (2, 1));
        assert!(svg.contains("<title>a: 0.5 (0.4 to 0.6)</title>"));
    }

    #[test]
    fn what_has_no_length_has_no_bar() {
        let check = |axis: Axis, mean: f64, bars: usize| {
            let svg = svg(&plot(axis, vec![bar("a", mean, Some((f64::NAN, f64::INFINITY)))]));
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
        let plot =
            BarPlot { groups: vec![group("x", &["a", "b"]), group("y", &["b", "c"])], ..BarPlot::default() };
        let svg = svg(&plot);
        let colours: Vec<&str> = svg.split("class=\"bar ").skip(1).filter_map(|rest| rest.get(..2)).collect();
        assert_eq!(colours, ["s0", "s1", "s1", "s2"]);
    }

    #[test]
    fn the_table_names_groups_only_if_there_are_any() {
        let mut plot = plot(Axis::linear("harvest"), vec![bar("a", 0.5, Some((0.25, 0.75)))]);
        let estimate = Cell::Estimate { mean: 0.5, half: Some(0.25) };
        assert_eq!(plot.table().rows, [vec!["g".into(), "a".into(), estimate.clone()]]);
        plot.groups[0].name.clear();
        assert_eq!(plot.table().rows, [vec!["a".into(), estimate]]);
        assert_eq!(plot.table().columns.len(), 2);
    }
}
