//! What an experiment is expected to find, and whether it did.
//!
//! A paper's finding and a claim of our own are never in the same table: a reader must see at a glance which of them
//! somebody else made. What cannot be tested here says so, with the reason, instead of being left out.

use osprey_charts::number;
use serde::{Deserialize, Serialize};

use crate::metrics::Estimate;

/// Who made a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimBy {
    /// The paper that the experiment repeats.
    #[default]
    Paper,
    /// We did.
    Ours,
}

/// A finding of the paper, or a claim of our own; the report says whether it holds here.
///
/// It compares the variant `better` with another one (`than`), its figure with another figure (`than_figure`) or with a
/// number (`at_least`, `at_most`), or says why it cannot be tested here (`not_comparable`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The figure that is compared.
    pub figure: String,
    /// The variant that was found better ...
    pub better: String,
    /// ... than this one.
    pub than: Option<String>,
    /// Or its figure is better than this other figure of the same variant.
    pub than_figure: Option<String>,
    /// The claim, in the words of who made it.
    pub says: String,
    /// Who made it.
    #[serde(default)]
    pub by: ClaimBy,
    /// Whether less is better.
    #[serde(default)]
    pub lower: bool,
    /// How many times the other one it must be; 1 if not given.
    pub times: Option<f64>,
    /// With `than`: the two are about equal, and differ by at most this.
    pub within: Option<f64>,
    /// With `than`: as good, or worse by at most this.
    pub short_by: Option<f64>,
    /// The figure of `better` is at least this ...
    pub at_least: Option<f64>,
    /// ... or at most this.
    pub at_most: Option<f64>,
    /// Only on these corpora; on all if empty.
    #[serde(default)]
    pub corpora: Vec<String>,
    /// Why it cannot be tested here.
    pub not_comparable: Option<String>,
}

impl Expectation {
    /// What is wrong with it, if anything.
    pub(crate) fn problem(
        &self,
        variant: impl Fn(&str) -> bool,
        corpus: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let named = [("expect.better", Some(&self.better)), ("expect.than", self.than.as_ref())];
        let unknown = named.into_iter().find_map(|(key, name)| Some((key, name.filter(|n| !variant(n))?)));
        if let Some((key, name)) = unknown {
            return Some(format!("{key}: unknown variant `{name}`"));
        }
        if let Some(name) = self.corpora.iter().find(|name| !corpus(name)) {
            return Some(format!("expect.corpora: unknown corpus `{name}`"));
        }
        let tests = [
            self.than.is_some(),
            self.than_figure.is_some(),
            self.at_least.is_some(),
            self.at_most.is_some(),
            self.not_comparable.is_some(),
        ];
        let margins = [self.within, self.short_by];
        let margins: Vec<f64> = margins.into_iter().flatten().collect();
        if tests.iter().filter(|test| **test).count() != 1 {
            let says = &self.says;
            return Some(format!(
                "expect `{says}`: expected one of `than`, `than_figure`, `at_least`, `at_most`, \
                 `not_comparable`"
            ));
        }
        let details = margins.len() + usize::from(self.times.is_some());
        if details > 1 || (details > 0 && self.than.is_none()) {
            return Some(
                "expect: `within`, `short_by` and `times` go with `than`, one of them at most".to_owned(),
            );
        }
        let negative = margins.iter().find(|margin| !margin.is_finite() || **margin < 0.0)?;
        Some(format!("expect: `{negative}`: expected how far two variants may be apart, 0 or more"))
    }

    /// The claim with what is compared.
    pub(crate) fn title(&self) -> String {
        let Self { says, better, .. } = self;
        let figure = self.figure.replace('_', " ");
        let compared = match (&self.than, self.within, self.short_by) {
            (Some(than), Some(margin), _) => format!("{better} within {} of {than}", number(margin)),
            (Some(than), _, Some(margin)) => {
                format!("{better} over {than}, or short of it by at most {}", number(margin))
            }
            (Some(than), ..) => match self.times {
                Some(times) => format!("{better} over {} times {than}", number(times)),
                None => format!("{better} over {than}"),
            },
            _ => match (&self.than_figure, self.at_least, self.at_most) {
                (Some(other), ..) => format!("of {better}, over {}", other.replace('_', " ")),
                (_, Some(bound), _) => format!("{better}, at least {}", number(bound)),
                (_, _, Some(bound)) => format!("{better}, at most {}", number(bound)),
                _ => return says.clone(),
            },
        };
        format!("{says} ({figure}, {compared})")
    }

    /// Whether it holds, of what was measured: a difference if it is compared with another variant or figure, else the
    /// figure itself.
    pub(crate) fn verdict(&self, measured: Option<Estimate>) -> String {
        if let Some(why) = &self.not_comparable {
            return format!("not comparable: {why}");
        }
        let Some(measured) = measured else { return "not measured".to_owned() };
        if let Some(margin) = self.within {
            let apart = Estimate { mean: measured.mean.abs(), ..measured };
            return bounded(apart, f64::NEG_INFINITY, margin);
        }
        if let Some(bound) = self.at_least {
            return bounded(measured, bound, f64::INFINITY);
        }
        if let Some(bound) = self.at_most {
            return bounded(measured, f64::NEG_INFINITY, bound);
        }
        let gain = if self.lower { Estimate { mean: -measured.mean, ..measured } } else { measured };
        if let Some(margin) = self.short_by {
            return bounded(gain, -margin, f64::INFINITY);
        }
        better(gain, self.lower)
    }
}

/// Whether a gain is one.
fn better(gain: Estimate, lower: bool) -> String {
    match (gain.mean > 0.0, gain.excludes_zero()) {
        (true, true) => "holds".to_owned(),
        (true, false) if gain.runs < 2 => "holds (one run)".to_owned(),
        // in the sign of the figure that stands beside it
        (true, false) => unsure(if lower { -gain.low() } else { gain.low() }),
        (false, true) => "fails: the other way round".to_owned(),
        (false, false) if gain.mean == 0.0 => "fails: equal".to_owned(),
        (false, false) => "fails".to_owned(),
    }
}

/// Whether a figure is between two bounds, both included.
fn bounded(measured: Estimate, least: f64, most: f64) -> String {
    let outside = |value: f64| value < least || value > most;
    match [measured.low(), measured.high()].into_iter().find(|end| outside(*end)) {
        _ if outside(measured.mean) => "fails".to_owned(),
        Some(end) => unsure(end),
        None if measured.runs < 2 => "holds (one run)".to_owned(),
        None => "holds".to_owned(),
    }
}

fn unsure(end: f64) -> String {
    format!("unsure (interval reaches {})", number(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Expectation {
        Expectation {
            figure: "harvest_ratio".to_owned(),
            better: "a".to_owned(),
            says: "a is good".to_owned(),
            ..Expectation::default()
        }
    }

    fn than() -> Expectation {
        Expectation { than: Some("b".to_owned()), ..claim() }
    }

    #[test]
    fn a_verdict_says_how_sure_it_is() {
        let check = |expected: &Expectation, mean: f64, half: Option<f64>, verdict: &str| {
            let measured = Estimate { mean, half, runs: if half.is_some() { 3 } else { 1 } };
            assert_eq!(expected.verdict(Some(measured)), verdict, "{mean} ± {half:?}");
        };
        check(&than(), 0.3, Some(0.1), "holds");
        check(&than(), 0.3, None, "holds (one run)");
        check(&than(), 0.3, Some(0.5), "unsure (interval reaches −0.2)");
        check(&than(), -0.3, Some(0.1), "fails: the other way round");
        check(&than(), -0.3, Some(0.5), "fails");
        check(&than(), 0.0, None, "fails: equal");
        let lower = Expectation { lower: true, ..than() };
        check(&lower, -0.3, Some(0.1), "holds");
        check(&lower, -0.3, Some(0.5), "unsure (interval reaches 0.2)");
        let close = Expectation { within: Some(0.05), ..than() };
        check(&close, -0.02, Some(0.01), "holds");
        check(&close, -0.02, Some(0.04), "unsure (interval reaches 0.06)");
        check(&close, 0.2, Some(0.01), "fails");
        let as_good = Expectation { short_by: Some(0.05), ..than() };
        check(&as_good, 0.2, Some(0.01), "holds");
        check(&as_good, -0.06, None, "fails");
        let least = Expectation { at_least: Some(0.5), ..claim() };
        check(&least, 0.5, None, "holds (one run)");
        check(&least, 0.55, Some(0.1), "unsure (interval reaches 0.45)");
        check(&least, 0.4, Some(0.2), "fails");
        let most = Expectation { at_most: Some(0.5), ..claim() };
        check(&most, 0.4, Some(0.05), "holds");
        check(&most, 0.6, Some(0.05), "fails");
        assert_eq!(than().verdict(None), "not measured");
        let not = Expectation { not_comparable: Some("nobody is asked".to_owned()), ..claim() };
        assert_eq!(not.verdict(None), "not comparable: nobody is asked");
    }

    #[test]
    fn a_claim_compares_in_one_way() {
        let check = |expected: Expectation, problem: Option<&str>| {
            let found = expected.problem(|name| name != "nobody", |name| name == "photo");
            let right = match (&found, problem) {
                (Some(found), Some(problem)) => found.contains(problem),
                (found, problem) => found.is_none() && problem.is_none(),
            };
            assert!(right, "{found:?}, not {problem:?}");
        };
        check(than(), None);
        check(Expectation { corpora: vec!["photo".to_owned()], ..than() }, None);
        check(Expectation { not_comparable: Some("no people".to_owned()), ..claim() }, None);
        check(claim(), Some("one of `than`, `than_figure`, `at_least`, `at_most`, `not_comparable`"));
        check(Expectation { at_least: Some(0.5), ..than() }, Some("one of `than`"));
        check(
            Expectation { within: Some(0.1), at_most: Some(0.5), ..claim() },
            Some("`within`, `short_by` and `times` go with `than`"),
        );
        check(Expectation { within: Some(-0.1), ..than() }, Some("`-0.1`: expected how far"));
        check(
            Expectation { than: Some("nobody".to_owned()), ..claim() },
            Some("expect.than: unknown variant"),
        );
        check(Expectation { corpora: vec!["moon".to_owned()], ..than() }, Some("unknown corpus `moon`"));
    }
}
