//! `[policy]` of `profile` and `profile-opic`.

use serde::{Deserialize, Serialize};

use crate::SteeringConfigError;
use crate::profiles::{ProfileRules, SourceWeights};

/// When profiles of uploaders are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeopleRule {
    /// When a visit pays more than the things and lists that could be fetched instead.
    #[default]
    Priced,
    /// Before everything else, as in Zhang & Nasraoui 2009.
    First,
}

/// The constants of Zhang & Nasraoui 2009, and of what it leaves open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UploaderRules {
    /// α: weight of the uploader's own terms.
    pub inner: f32,
    /// β: weight of the uploader's contacts.
    pub inter: f32,
    /// How often a term counts, by its source.
    pub sources: SourceWeights,
    /// When profiles of uploaders are visited (`profile` only).
    pub people: PeopleRule,
    /// Items of uploaders whose rank is not above this value come last. Zhang & Nasraoui 2009 skip them, but ranks can
    /// rise later.
    pub threshold: f32,
    /// If above 0, only this share of the uploaders, those with the best ranks, counts as above the threshold.
    pub top_share: f32,
    /// The maximum number of visits that an item waits for the rank of its uploader.
    pub patience: u64,
    /// The assumed rank of an unknown uploader while no uploader is known; later it is the mean rank of the known ones.
    pub prior: f32,
}

impl Default for UploaderRules {
    fn default() -> Self {
        let ProfileRules { inner, inter, sources } = ProfileRules::default();
        let people = PeopleRule::default();
        Self { inner, inter, sources, people, threshold: 0.01, top_share: 0.0, patience: 500, prior: 0.1 }
    }
}

impl UploaderRules {
    pub(in crate::policy) fn of_profiles(&self) -> ProfileRules {
        ProfileRules { inner: self.inner, inter: self.inter, sources: self.sources }
    }

    /// What cannot be.
    pub(super) fn check(&self) -> Result<(), SteeringConfigError> {
        let parts = [
            ("policy.inner", self.inner),
            ("policy.inter", self.inter),
            ("policy.threshold", self.threshold),
            ("policy.top_share", self.top_share),
            ("policy.prior", self.prior),
        ];
        if let Some((key, value)) = parts.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            return Err(SteeringConfigError::new(key, format!("`{value}`: expected a number from 0 to 1")));
        }
        if self.inner + self.inter <= 0.0 {
            return Err(SteeringConfigError::new(
                "policy.inner",
                "is 0, and so is `policy.inter`: no uploader would have a rank",
            ));
        }
        Ok(())
    }
}
