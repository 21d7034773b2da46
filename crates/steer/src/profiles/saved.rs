//! Profiles as they are stored: what was learned, without what follows from it.

use serde::{Deserialize, Serialize};

use super::{MAX_CONTACTS, ProfileRules, Profiles, User, UserId, inner};
use crate::text::{Term, Vector};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Saved {
    rules: ProfileRules,
    topic: Vector,
    users: Vec<SavedUser>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedUser {
    id: UserId,
    terms: Vec<(Term, u32)>,
    contacts: Vec<u32>,
}

impl From<Profiles> for Saved {
    fn from(profiles: Profiles) -> Self {
        let users = profiles.ids.into_iter().zip(profiles.users);
        let users = users.map(|(id, user)| SavedUser { id, terms: user.terms, contacts: user.contacts });
        Self { rules: profiles.rules, topic: profiles.topic, users: users.collect() }
    }
}

impl From<Saved> for Profiles {
    /// Contacts that are no users, which only a damaged file has, are left out.
    fn from(saved: Saved) -> Self {
        let mut profiles = Self { rules: saved.rules, topic: saved.topic, ..Self::default() };
        let count = saved.users.len();
        for (number, user) in saved.users.into_iter().enumerate() {
            profiles.numbers.insert(user.id, number as u32);
            profiles.ids.push(user.id);
            let (mut terms, mut contacts) = (user.terms, user.contacts);
            terms.sort_unstable_by_key(|(term, _)| *term);
            contacts.retain(|contact| (*contact as usize) < count && *contact as usize != number);
            contacts.sort_unstable();
            contacts.dedup();
            contacts.truncate(MAX_CONTACTS);
            let inner = inner(&terms, &profiles.topic);
            profiles.users.push(User { terms, inner, contacts, ..User::default() });
        }
        profiles.sum_up();
        profiles
    }
}
