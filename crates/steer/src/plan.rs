//! The policy and the subject of a crawl as data; project files and experiments use the same types.

use serde::{Deserialize, Serialize};

use crate::{Known, Policy, PolicyKind, SteeringConfigError, Subject};

/// A policy and what the user asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// How links are scored.
    pub policy: PolicyKind,
    /// What is wanted.
    pub subject: Subject,
}

/// What the state of a policy belongs to, as it is stored with it.
#[derive(Serialize, Deserialize)]
struct Identity {
    plan: Plan,
    /// The model of the site, where the policy goes by it: another model has other clusters.
    site: Option<String>,
}

impl Plan {
    /// The policy, new.
    pub fn policy(&self, known: &Known) -> Result<Box<dyn Policy>, SteeringConfigError> {
        self.policy.build(&self.subject, known)
    }

    /// What the state of its policy belongs to.
    pub fn identity(&self, known: &Known) -> String {
        let site = known.site.as_ref().filter(|_| self.policy.needs_site());
        let identity = Identity { plan: self.clone(), site: site.map(|site| site.key().to_owned()) };
        serde_json::to_string(&identity).unwrap_or_default()
    }

    /// Whether two identities are of the same policy with the same parameters, whatever is wanted.
    pub fn is_same_policy(one: &str, other: &str) -> bool {
        let policy =
            |identity: &str| serde_json::from_str::<Identity>(identity).ok().map(|id| id.plan.policy);
        policy(one).is_some_and(|one| policy(other) == Some(one))
    }

    /// The plan of an identity; `None` if another version wrote it, or if it belongs to another model of the site.
    pub fn of_identity(identity: &str, known: &Known) -> Option<Self> {
        let identity: Identity = serde_json::from_str(identity).ok()?;
        let is_same =
            identity.site.is_none_or(|key| known.site.as_ref().is_some_and(|site| site.key() == key));
        is_same.then_some(identity.plan)
    }
}
