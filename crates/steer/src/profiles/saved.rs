//! Stored profiles: what was learned, without derived values. Topic and rules belong to the crawl and are not stored;
//! ranks are computed from them.

use serde::{Deserialize, Serialize};

use super::{MAX_CONTACTS, Profiles, Said, User, UserId};

/// What is stored, lent: a snapshot copies nothing but the bytes it writes.
#[derive(Serialize)]
struct Lent<'a> {
    id: UserId,
    terms: &'a [Said],
    more: u32,
    told: Option<i64>,
    contacts: &'a [u32],
}

/// The same, read back.
#[derive(Deserialize)]
struct SavedUser {
    id: UserId,
    terms: Vec<Said>,
    more: u32,
    told: Option<i64>,
    contacts: Vec<u32>,
}

/// Users as they were stored.
#[derive(Deserialize)]
pub struct SavedProfiles(Vec<SavedUser>);

impl Serialize for Profiles {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.ids.iter().zip(&self.users).map(|(id, user)| Lent {
            id: *id,
            terms: &user.terms,
            more: user.more,
            told: user.told,
            contacts: &user.contacts,
        }))
    }
}

impl Profiles {
    /// Puts stored users in the place of all. Contacts that are no users, which only a damaged file has, are left out.
    pub fn restore(&mut self, saved: SavedProfiles) {
        let SavedProfiles(users) = saved;
        let count = users.len();
        *self = Self { rules: self.rules, topic: std::mem::take(&mut self.topic), ..Self::default() };
        for (number, user) in users.into_iter().enumerate() {
            self.numbers.insert(user.id, number as u32);
            self.ids.push(user.id);
            let (mut terms, mut contacts) = (user.terms, user.contacts);
            terms.sort_unstable_by_key(|(word, _)| *word);
            contacts.retain(|contact| (*contact as usize) < count && *contact as usize != number);
            contacts.sort_unstable();
            contacts.dedup();
            contacts.truncate(MAX_CONTACTS);
            self.users.push(User { terms, more: user.more, told: user.told, contacts, ..User::default() });
        }
        self.sum_up();
    }
}
