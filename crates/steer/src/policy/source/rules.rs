//! `[policy]` of `source-ucc` and `source-target`; the defaults are those of Xu et al. 2018.

use serde::{Deserialize, Serialize};

use crate::SteeringConfigError;

/// Outcomes that a kind of link is judged by, at least; see [`UccRules::memory`].
const MEMORY: u32 = 20;

/// How the hub score of a cluster counts its links (equation 7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HubCount {
    /// All links on all its pages, as printed: a large cluster of poor hubs is a better hub than a small one of rich hubs.
    #[default]
    Total,
    /// The mean of its pages.
    PerPage,
}

/// `source-ucc`: which terms of equation 11 count, and what hubs are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UccRules {
    /// The weight of authority against hub scores in equation 9, from 0 to 1.
    pub alpha: f64,
    /// Hub scores by all links of a cluster (`total`, as in Xu et al. 2018) or by the links of one of its pages in the
    /// mean (`per-page`).
    pub hubs: HubCount,
    /// Use the informativeness of clusters (equation 9).
    pub info: bool,
    /// Use the differences between the pages of a cluster (equation 10).
    pub dsim: bool,
    /// Lower the score of clusters that were visited often.
    pub balance: bool,
    /// The destinations of a kind of link are averaged over about this many of the links followed last. A very large
    /// number gives a plain mean. Not in Xu et al. 2018.
    pub memory: u32,
}

impl Default for UccRules {
    fn default() -> Self {
        Self { alpha: 0.5, hubs: HubCount::Total, info: true, dsim: true, balance: true, memory: MEMORY }
    }
}

impl UccRules {
    pub(super) fn check(&self) -> Result<(), SteeringConfigError> {
        if !(self.info || self.dsim || self.balance) {
            return Err(SteeringConfigError::new(
                "policy",
                "`info`, `dsim` and `balance` are all off: nothing is left to go by",
            ));
        }
        check_both(self.alpha, self.memory)
    }
}

/// `source-target`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TargetRules {
    /// The weight of being a target against leading to targets in equation 9, from 0 to 1.
    pub alpha: f64,
    /// Hub scores by all links of a cluster (`total`, as in Xu et al. 2018) or by the links of one of its pages in the
    /// mean (`per-page`).
    pub hubs: HubCount,
    /// The destinations of a kind of link are averaged over about this many of the links followed last. A very large
    /// number gives a plain mean. Not in Xu et al. 2018.
    pub memory: u32,
}

impl Default for TargetRules {
    fn default() -> Self {
        Self { alpha: 0.8, hubs: HubCount::Total, memory: MEMORY }
    }
}

impl TargetRules {
    pub(super) fn check(&self) -> Result<(), SteeringConfigError> {
        check_both(self.alpha, self.memory)
    }
}

fn check_both(alpha: f64, memory: u32) -> Result<(), SteeringConfigError> {
    if !(0.0..=1.0).contains(&alpha) {
        return Err(SteeringConfigError::new(
            "policy.alpha",
            format!("`{alpha}`: expected a number from 0 to 1"),
        ));
    }
    if memory == 0 {
        return Err(SteeringConfigError::new("policy.memory", "`0`: expected at least 1"));
    }
    Ok(())
}
