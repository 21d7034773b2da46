//! Further pages of a user: the list of tags, of sets, of contacts (figure 6 of Zhang & Nasraoui 2009: a profile is read
//! from several pages). They are lists by their form, so that no record is read from them, and say what the user cares
//! for all the same: names of what is below the page's own address (`/ann/tags` links to `/ann/tags/beach`), and on a page
//! whose address speaks of contacts, the people it links to.

use osprey_model::PageType;
use osprey_text::with_reader;

use super::{LANGUAGE, Uploaders};
use crate::policy::Visit;
use crate::profiles::{Source, UserId};

/// Words in the address of a page of contacts.
const CONTACTS: &[&str] = &["contact", "friend", "follow", "buddies", "network"];
/// Words in the address of a page of sets.
const SETS: &[&str] = &["set", "album", "playlist", "galler"];
/// Names that are taken from one page.
const MAX_NAMES: usize = 500;

impl Uploaders {
    /// Takes what a list of a user's says of the user.
    pub(super) fn read_own_list(&mut self, user: UserId, visit: &Visit<'_>, moved: &mut Vec<UserId>) {
        let page = visit.page;
        let path = page.url().path().trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| last.starts_with(word));
        if has(CONTACTS) {
            let people = self.sighted.users.iter().zip(&self.sighted.leads);
            let people = people.filter(|(_, lead)| **lead == Some(PageType::Profile)).map(|(user, _)| *user);
            for contact in people.collect::<Vec<UserId>>() {
                self.state.profiles.add_contact(user, contact, moved);
            }
            return;
        }
        let source = if has(SETS) { Source::Sets } else { Source::Tags };
        let is_below =
            |url: &str| url.strip_prefix(path).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'));
        let below = page.links().iter().filter(|link| !path.is_empty() && is_below(link.url.path()));
        let profiles = &mut self.state.profiles;
        with_reader(|reader| {
            for link in below.take(MAX_NAMES) {
                profiles.add_terms(user, source, reader.terms(page.anchor(link), LANGUAGE), moved);
            }
        });
    }
}
