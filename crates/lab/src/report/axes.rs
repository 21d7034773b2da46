//! Axes: the range of the data, round ticks in it, and the frame that a plot is drawn into.

use serde::{Deserialize, Serialize};

use super::number::tick_label;
use super::svg::{Markup, Px};
use super::width::{cut, pixels};

/// Letters of ticks and titles, as the style sheet has them.
pub(super) const FONT: f64 = 12.0;

/// Larger values are not measurements: they are drawn as missing, so that ranges cannot overflow.
const LARGEST: f64 = 1e100;

/// What an axis says and how it runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What is measured, with its unit.
    pub title: String,
    /// How values are laid out.
    #[serde(default)]
    pub scale: Scale,
    /// The axis reaches at least down to here. It is never cut: data beyond is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// The axis reaches at least up to here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
}

/// How values are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors; values that are not positive cannot be shown.
    Log,
}

impl Axis {
    /// An axis of equal steps.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// An axis of equal factors.
    pub fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Log, ..Self::default() }
    }

    /// The same, reaching at least so far.
    #[must_use]
    pub fn reaching(self, from: f64, to: f64) -> Self {
        Self { from: Some(from), to: Some(to), ..self }
    }

    fn shows(&self, value: f64) -> bool {
        value.abs() <= LARGEST && (self.scale == Scale::Linear || value >= 1.0 / LARGEST)
    }
}

/// How the ends of an axis are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// At the data.
    Snug,
    /// At the next tick, and at zero if the scale has one: for lengths that are compared.
    Round,
    /// A little beyond the data, so that dots are not cut.
    Padded,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Where it lies, from 0 at the low end to 1 at the high one.
    at: f64,
    label: String,
}

/// An axis that knows its range.
#[derive(Clone, Debug)]
pub(super) struct Span {
    axis: Axis,
    low: f64,
    high: f64,
    ticks: Vec<Tick>,
}

impl Span {
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, fit: Fit, ticks: usize) -> Self {
        let zero = (fit == Fit::Round && axis.scale == Scale::Linear).then_some(0.0);
        let values = values.chain(zero).chain(axis.from).chain(axis.to).filter(|&value| axis.shows(value));
        let range = values.fold(None, |range, value| match range {
            None => Some((value, value)),
            Some((low, high)) => Some((value.min(low), value.max(high))),
        });
        let (low, high) = range.unwrap_or(if axis.scale == Scale::Log { (1.0, 10.0) } else { (0.0, 1.0) });
        match axis.scale {
            Scale::Linear => Self::linear(axis, low, high, fit, ticks),
            Scale::Log => Self::log(axis, low, high, fit, ticks),
        }
    }

    fn linear(axis: &Axis, low: f64, high: f64, fit: Fit, count: usize) -> Self {
        let (mut low, mut high) = if low < high { (low, high) } else { widened(low) };
        let (step, decimals) = round_step((high - low) / count.max(1) as f64);
        match fit {
            Fit::Snug => {}
            // A hair of tolerance: 0.3 / 0.1 is a little more or less than 3.
            Fit::Round => {
                low = (low / step + 1e-9).floor() * step;
                high = (high / step - 1e-9).ceil() * step;
            }
            Fit::Padded => {
                let pad = (high - low) * 0.04;
                (low, high) = (low - pad, high + pad);
            }
        }
        let largest = low.abs().max(high.abs());
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        let steps = (last - first).clamp(0.0, 1000.0) as usize;
        let tick = |place: usize| {
            let value = (first + place as f64) * step;
            Tick { at: share(value, low, high), label: tick_label(value, largest, decimals) }
        };
        Self { axis: axis.clone(), low, high, ticks: (0..=steps).map(tick).collect() }
    }

    fn log(axis: &Axis, low: f64, high: f64, fit: Fit, count: usize) -> Self {
        let (mut from, mut to) = (low.log10(), high.log10());
        if to - from < 1e-6 {
            (from, to) = (from - 0.5, to + 0.5);
        }
        match fit {
            Fit::Snug => {}
            Fit::Round => {
                // The next of 1, 2, 5, 10, 20, ... below and above.
                let round = |value: f64, up: bool| {
                    let (power, rest) = (value.floor(), value - value.floor());
                    let steps = [0.0, 2_f64.log10(), 5_f64.log10(), 1.0];
                    let below = steps.into_iter().rev().find(|step| *step <= rest + 1e-9);
                    let above = steps.into_iter().find(|step| *step >= rest - 1e-9);
                    power + if up { above } else { below }.unwrap_or_default()
                };
                (from, to) = (round(from, false), round(to, true));
            }
            Fit::Padded => {
                let pad = (to - from) * 0.04;
                (from, to) = (from - pad, to + pad);
            }
        }
        let ticks = log_ticks(from, to, count);
        Self { axis: axis.clone(), low: from, high: to, ticks }
    }

    /// Where a value lies, from 0 at the low end to 1 at the high one; `None` if it cannot be shown.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        if !self.axis.shows(value) {
            return None;
        }
        let value = if self.axis.scale == Scale::Log { value.log10() } else { value };
        Some(share(value, self.low, self.high))
    }

    /// The same for where bars begin: zero, or the low end of a scale that has none.
    pub(super) fn base(&self) -> f64 {
        self.at(0.0).unwrap_or(0.0)
    }

    pub(super) fn title(&self) -> &str {
        &self.axis.title
    }

    /// Room that the widest label takes.
    pub(super) fn label_width(&self) -> f64 {
        self.ticks.iter().map(|tick| pixels(&tick.label, FONT)).fold(0.0, f64::max)
    }
}

/// How far a value is on the way from one to another.
fn share(value: f64, low: f64, high: f64) -> f64 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

/// A range around a single value.
fn widened(value: f64) -> (f64, f64) {
    let half = value.abs() / 2.0;
    if half > 0.0 { (value - half, value + half) } else { (0.0, 1.0) }
}

/// The next step of the form 1, 2 or 5 times a power of ten, and the decimals that its multiples have.
fn round_step(rough: f64) -> (f64, usize) {
    // Not `powi`, whose last bits depend on the machine: the digits of a literal are the same everywhere.
    let power = rough.log10().floor() as i32;
    let unit = format!("1e{power}").parse::<f64>().unwrap_or(1.0);
    let factor =
        [1.0, 2.0, 5.0].into_iter().find(|factor| factor * unit >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    let power = if factor >= 10.0 { power + 1 } else { power };
    (factor * unit, power.min(0).unsigned_abs() as usize)
}

/// Powers of ten, about `count` of them; between them 2 and 5 when there is room, and only some when there is none.
fn log_ticks(from: f64, to: f64, count: usize) -> Vec<Tick> {
    let (decades, room) = (to - from, count as f64 * 1.5);
    let multiples: &[f64] = match decades {
        d if d * 8.0 < room => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        d if d * 3.0 < room || d < 1.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let every = ((decades / (count as f64 + 3.0)).ceil() as usize).max(1);
    let powers = (from.floor() as i32..=to.ceil() as i32).step_by(every);
    let all = powers.flat_map(|power| {
        let unit = format!("1e{power}").parse::<f64>().unwrap_or(1.0);
        multiples.iter().map(move |factor| factor * unit)
    });
    let inside = |value: &f64| (from - 1e-9..=to + 1e-9).contains(&value.log10());
    let label = |value| tick_label(value, 1e4, 0);
    all.filter(inside).map(|value| Tick { at: share(value.log10(), from, to), label: label(value) }).collect()
}

/// The rectangle of a plot and its two axes.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x: Span,
    pub(super) y: Span,
}

impl Frame {
    pub(super) fn x(&self, value: f64) -> Option<f64> {
        Some(self.left + self.x.at(value)? * self.width)
    }

    pub(super) fn y(&self, value: f64) -> Option<f64> {
        Some(self.top + (1.0 - self.y.at(value)?) * self.height)
    }

    pub(super) fn point(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        self.x(x).zip(self.y(y))
    }

    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Grid, ticks and titles.
    pub(super) fn draw(&self, markup: &mut Markup) {
        markup.element("g", &[("class", &"axes"), ("aria-hidden", &"true")], |markup| {
            for tick in &self.y.ticks {
                let y = self.top + (1.0 - tick.at) * self.height;
                grid_line(markup, (self.left, y), (self.right(), y));
                label(markup, (self.left - 8.0, y + 4.0), "end", &tick.label);
            }
            self.draw_x(markup);
            let (x, y) = (self.left - self.y.label_width() - 22.0, self.top + self.height / 2.0);
            let turned = format!("rotate(-90 {} {})", Px(x), Px(y));
            let attributes: [(&str, &dyn std::fmt::Display); 5] = [
                ("class", &"axis-title"),
                ("x", &Px(x)),
                ("y", &Px(y)),
                ("text-anchor", &"middle"),
                ("transform", &turned),
            ];
            markup.words("text", &attributes, &cut(self.y.title(), 48));
        });
    }

    /// Says in an empty frame that it is empty on purpose.
    pub(super) fn draw_no_data(&self, markup: &mut Markup) {
        let middle = (self.left + self.width / 2.0, self.top + self.height / 2.0);
        label(markup, middle, "middle", "no data");
    }

    /// The lower axis alone, with its grid: all that bars need.
    pub(super) fn draw_x(&self, markup: &mut Markup) {
        for tick in &self.x.ticks {
            let x = self.left + tick.at * self.width;
            grid_line(markup, (x, self.top), (x, self.bottom()));
            label(markup, (x, self.bottom() + 18.0), "middle", &tick.label);
        }
        let attributes: [(&str, &dyn std::fmt::Display); 4] = [
            ("class", &"axis-title"),
            ("x", &Px(self.left + self.width / 2.0)),
            ("y", &Px(self.bottom() + 38.0)),
            ("text-anchor", &"middle"),
        ];
        markup.words("text", &attributes, &cut(self.x.title(), 80));
    }
}

/// A text at a place.
pub(super) fn label(markup: &mut Markup, (x, y): (f64, f64), anchor: &str, text: &str) {
    markup.words("text", &[("x", &Px(x)), ("y", &Px(y)), ("text-anchor", &anchor)], text);
}

fn grid_line(markup: &mut Markup, from: (f64, f64), to: (f64, f64)) {
    let attributes: [(&str, &dyn std::fmt::Display); 5] =
        [("class", &"grid"), ("x1", &Px(from.0)), ("y1", &Px(from.1)), ("x2", &Px(to.0)), ("y2", &Px(to.1))];
    markup.empty("line", &attributes);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(axis: &Axis, values: &[f64], fit: Fit, expect: &[&str]) {
        let span = Span::new(axis, values.iter().copied(), fit, 5);
        let labels: Vec<&str> = span.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, expect, "{values:?} {fit:?}");
    }

    #[test]
    fn linear_ticks_are_round() {
        let axis = Axis::linear("");
        check(&axis, &[0.0, 1.0], Fit::Round, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&axis, &[0.03, 0.41], Fit::Round, &["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        check(&axis, &[250.0, 5000.0], Fit::Snug, &["1,000", "2,000", "3,000", "4,000", "5,000"]);
        check(&axis, &[0.0, 10_000.0], Fit::Snug, &["0", "2k", "4k", "6k", "8k", "10k"]);
        check(&axis, &[-0.2, 0.3], Fit::Round, &["−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3"]);
        check(&axis, &[7.0], Fit::Snug, &["4", "6", "8", "10"]);
        check(&axis, &[0.0], Fit::Round, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&axis, &[], Fit::Snug, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn log_ticks_are_powers() {
        let axis = Axis::log("");
        check(&axis, &[1.0, 1e5], Fit::Snug, &["1", "10", "100", "1k", "10k", "100k"]);
        check(&axis, &[3.0, 70.0], Fit::Round, &["2", "5", "10", "20", "50", "100"]);
        check(&axis, &[0.9, 2000.0], Fit::Round, &["1", "10", "100", "1k"]);
        check(&axis, &[10.0, 100.0], Fit::Round, &["10", "20", "50", "100"]);
        check(&axis, &[20.0, 60.0], Fit::Snug, &["20", "30", "40", "50", "60"]);
        check(&axis, &[0.001, 1.0], Fit::Snug, &["0.001", "0.01", "0.1", "1"]);
        check(&axis, &[0.0, -5.0], Fit::Snug, &["1", "2", "5", "10"]);
    }

    #[test]
    fn an_axis_reaches_and_is_never_cut() {
        let axis = Axis::linear("").reaching(0.0, 1.0);
        check(&axis, &[0.2, 0.3], Fit::Snug, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&axis, &[2.0], Fit::Snug, &["0.0", "0.5", "1.0", "1.5", "2.0"]);
    }

    #[test]
    fn what_is_no_number_has_no_place() {
        let span =
            Span::new(&Axis::linear(""), [0.0, f64::NAN, f64::INFINITY, 4.0].into_iter(), Fit::Snug, 5);
        assert_eq!(span.at(1.0), Some(0.25));
        assert_eq!(span.at(f64::NAN), None);
        assert_eq!(span.at(f64::NEG_INFINITY), None);
        let log = Span::new(&Axis::log(""), [1.0, 100.0].into_iter(), Fit::Snug, 5);
        assert_eq!((log.at(10.0), log.at(0.0), log.at(-1.0)), (Some(0.5), None, None));
    }

    proptest! {
        #[test]
        fn any_range_has_a_few_ticks_inside_it(a in any::<f64>(), b in any::<f64>(), log in any::<bool>()) {
            let axis = if log { Axis::log("") } else { Axis::linear("") };
            for fit in [Fit::Snug, Fit::Round, Fit::Padded] {
                let span = Span::new(&axis, [a, b].into_iter(), fit, 5);
                prop_assert!(span.ticks.len() <= 12, "{} ticks for {:e} and {:e}", span.ticks.len(), a, b);
                prop_assert!(span.ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.at)));
                prop_assert!(span.ticks.is_sorted_by(|a, b| a.at < b.at));
            }
        }
    }
}
