//! `[policy]` of `source-ucc` and `source-target`; the defaults are the seed's.

use serde::{Deserialize, Serialize};

use crate::Unfit;

/// Links that lead nowhere are met once, others sooner or later more often.
const ONCE: f32 = 0.5;

/// `source-ucc`: which terms of equation 11 count, and what hubs are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UccRules {
    /// The weight of authority against hub scores in equation 9, from 0 to 1.
    pub alpha: f64,
    /// Whether informativeness counts (equation 9).
    pub info: bool,
    /// Whether it counts how much the pages of a cluster differ (equation 10).
    pub dsim: bool,
    /// Whether clusters that were visited a lot count less.
    pub balance: bool,
    /// What a link is worth that one page only has, against links of its kind that several have; 1 is the seed's way.
    pub once: f32,
}

impl Default for UccRules {
    fn default() -> Self {
        Self { alpha: 0.5, info: true, dsim: true, balance: true, once: ONCE }
    }
}

impl UccRules {
    pub(super) fn check(&self) -> Result<(), Unfit> {
        if !(self.info || self.dsim || self.balance) {
            return Err(Unfit::new(
                "policy",
                "`info`, `dsim` and `balance` are all off: nothing is left to go by",
            ));
        }
        check_share("policy.alpha", self.alpha)?;
        check_share("policy.once", f64::from(self.once))
    }
}

/// `source-target`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TargetRules {
    /// The weight of being a target against leading to targets in equation 9, from 0 to 1.
    pub alpha: f64,
    /// What a link is worth that one page only has, against links of its kind that several have; 1 is the seed's way.
    pub once: f32,
}

impl Default for TargetRules {
    fn default() -> Self {
        Self { alpha: 0.8, once: ONCE }
    }
}

impl TargetRules {
    pub(super) fn check(&self) -> Result<(), Unfit> {
        check_share("policy.alpha", self.alpha)?;
        check_share("policy.once", f64::from(self.once))
    }
}

fn check_share(key: &'static str, share: f64) -> Result<(), Unfit> {
    if (0.0..=1.0).contains(&share) {
        Ok(())
    } else {
        Err(Unfit::new(key, format!("`{share}`: expected a number from 0 to 1")))
    }
}
