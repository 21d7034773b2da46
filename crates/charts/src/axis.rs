//! Axes: the range of the data, and round ticks in it.

use serde::Serialize;

use crate::label::pixels;
use crate::number::tick_label;

/// Larger values are not measurements: they are drawn as missing, so that ranges cannot overflow.
const LARGEST: f64 = 1e100;

/// An axis: its title and scale.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axis {
    /// What is measured, with its unit.
    pub title: String,
    /// Linear or logarithmic.
    pub scale: Scale,
}

/// Linear or logarithmic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
        Self { title: title.into(), scale: Scale::Linear }
    }

    /// An axis of equal factors.
    pub fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: Scale::Log }
    }

    /// A value in equal steps; `None` if it cannot be shown.
    fn steps(&self, value: f64) -> Option<f64> {
        let is_shown = value.abs() <= LARGEST && (self.scale == Scale::Linear || value >= 1.0 / LARGEST);
        is_shown.then(|| if self.scale == Scale::Log { value.log10() } else { value })
    }
}

/// How the ends of an axis are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// At the data.
    Snug,
    /// At the next tick, and at zero if the scale has one: for lengths that are compared.
    Round,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    /// Its position, from 0 at the low end to 1 at the high end.
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// An axis that knows its range.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    axis: Axis,
    /// The ends, in equal steps.
    low: f64,
    high: f64,
    ticks: Vec<Tick>,
}

impl Span {
    pub(crate) fn new(axis: &Axis, values: impl Iterator<Item = f64>, fit: Fit, ticks: usize) -> Self {
        let is_log = axis.scale == Scale::Log;
        let zero = (fit == Fit::Round && !is_log).then_some(0.0);
        let range = values.chain(zero).filter_map(|value| axis.steps(value)).fold(None, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((value.min(low), value.max(high)))
        });
        let (mut low, mut high) = range.unwrap_or((0.0, 1.0));
        if is_log && high - low < 1e-6 {
            (low, high) = (low - 0.5, high + 0.5);
        } else if low >= high {
            let half = low.abs() / 2.0;
            (low, high) = if half > 0.0 { (low - half, high + half) } else { (0.0, 1.0) };
        }
        let (step, decimals) = round_step((high - low) / ticks.max(1) as f64);
        if fit == Fit::Round {
            (low, high) = if is_log {
                (round_log(low, false), round_log(high, true))
            } else {
                // A hair of tolerance: 0.3 / 0.1 is a little more or less than 3.
                ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step)
            };
        }
        let ticks =
            if is_log { log_ticks(low, high, ticks) } else { linear_ticks(low, high, step, decimals) };
        Self { axis: axis.clone(), low, high, ticks }
    }

    /// The position of a value, from 0 at the low end to 1 at the high end; `None` if it cannot be shown.
    pub(crate) fn at(&self, value: f64) -> Option<f64> {
        Some(share(self.axis.steps(value)?, self.low, self.high))
    }

    /// The position where bars begin: zero, or the low end of a scale without zero.
    pub(crate) fn base(&self) -> f64 {
        self.at(0.0).unwrap_or(0.0)
    }

    pub(crate) fn title(&self) -> &str {
        &self.axis.title
    }

    pub(crate) fn ticks(&self) -> &[Tick] {
        &self.ticks
    }

    /// Room that the widest label takes.
    pub(crate) fn label_width(&self) -> f64 {
        self.ticks.iter().map(|tick| pixels(&tick.label)).fold(0.0, f64::max)
    }
}

/// How far a value is on the way from one to another.
fn share(value: f64, low: f64, high: f64) -> f64 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

/// The next step of the form 1, 2 or 5 times a power of ten, and the decimals that its multiples have.
fn round_step(rough: f64) -> (f64, usize) {
    let power = rough.log10().floor() as i32;
    let unit = power_of_ten(power);
    let factor =
        [1.0, 2.0, 5.0].into_iter().find(|factor| factor * unit >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    let power = if factor >= 10.0 { power + 1 } else { power };
    (factor * unit, power.min(0).unsigned_abs() as usize)
}

/// Not `powi`, whose last bits depend on the machine: the digits of a literal are the same everywhere.
fn power_of_ten(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap_or(1.0)
}

/// The next of 1, 2, 5, 10, 20, ... below or above, as a logarithm.
fn round_log(value: f64, up: bool) -> f64 {
    let (power, rest) = (value.floor(), value - value.floor());
    let steps = [0.0, 2_f64.log10(), 5_f64.log10(), 1.0];
    let below = steps.into_iter().rev().find(|step| *step <= rest + 1e-9);
    let above = steps.into_iter().find(|step| *step >= rest - 1e-9);
    power + if up { above } else { below }.unwrap_or_default()
}

fn linear_ticks(low: f64, high: f64, step: f64, decimals: usize) -> Vec<Tick> {
    let largest = low.abs().max(high.abs());
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let steps = (last - first).clamp(0.0, 1000.0) as usize;
    let tick = |place: usize| {
        let value = (first + place as f64) * step;
        Tick { at: share(value, low, high), label: tick_label(value, largest, decimals) }
    };
    (0..=steps).map(tick).collect()
}

/// Powers of ten, about `count` of them; with 2 and 5 between them if there is room, and only some of them if there is
/// not.
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
        let unit = power_of_ten(power);
        multiples.iter().map(move |factor| factor * unit)
    });
    let inside = |value: &f64| (from - 1e-9..=to + 1e-9).contains(&value.log10());
    let label = |value| tick_label(value, 1e4, 0);
    all.filter(inside).map(|value| Tick { at: share(value.log10(), from, to), label: label(value) }).collect()
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
    fn values_that_are_not_numbers_have_no_position() {
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
            for fit in [Fit::Snug, Fit::Round] {
                let span = Span::new(&axis, [a, b].into_iter(), fit, 5);
                prop_assert!(span.ticks.len() <= 12, "{} ticks for {:e} and {:e}", span.ticks.len(), a, b);
                prop_assert!(span.ticks.iter().all(|tick| (0.0..=1.0).contains(&tick.at)));
                prop_assert!(span.ticks.is_sorted_by(|a, b| a.at < b.at));
            }
        }
    }
}
