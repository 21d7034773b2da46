//! The pages of a photo site, their URLs, and how many there are of each.

use super::super::hosted::Asked;
use super::super::pieces::pages_of;
use super::super::social::{Lists, TagId, paged};
use super::Photos;
use crate::markup::{percent, slug, unpercent};
use osprey_model::PageType;

/// Thumbnails on a page of a list.
pub(super) const PER_PAGE: u64 = 24;

/// Entries on a page of a directory.
pub(super) const PER_DIRECTORY: u64 = 40;

/// Slots of a list of contacts on a page.
pub(super) const CONTACTS: u64 = 40;

/// How many of a user's photos are looked through for a page of a set.
pub(super) const SET_WINDOW: u64 = 150;

/// The most pages that any list of photos shows.
const LONGEST: u64 = 400;

/// The most pages of search results.
const LONGEST_SEARCH: u64 = 4;

/// A page of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Home,
    Explore(u64),
    Recent(u64),
    TagIndex(u64),
    Tag { tag: TagId, page: u64 },
    Search { tag: TagId, page: u64 },
    Groups(u64),
    Group(u64),
    Pool { group: u64, page: u64 },
    Members { group: u64, page: u64 },
    People(u64),
    Profile(u64),
    Contacts { user: u64, page: u64 },
    UserTags(u64),
    Stream { user: u64, page: u64 },
    Sets(u64),
    Set { user: u64, set: u64, page: u64 },
    Favourites { user: u64, page: u64 },
    Photo(u64),
}

impl Place {
    /// Its type and template.
    pub(super) fn kind(self) -> (PageType, &'static str) {
        match self {
            Self::Home => (PageType::List, "home"),
            Self::Explore(_) => (PageType::List, "explore"),
            Self::Recent(_) => (PageType::List, "recent"),
            Self::TagIndex(_) => (PageType::List, "tags"),
            Self::Tag { .. } => (PageType::List, "tag"),
            Self::Search { .. } => (PageType::List, "search"),
            Self::Groups(_) => (PageType::List, "groups"),
            Self::Group(_) => (PageType::List, "group"),
            Self::Pool { .. } => (PageType::List, "pool"),
            Self::Members { .. } => (PageType::List, "members"),
            Self::People(_) => (PageType::List, "people"),
            Self::Profile(_) => (PageType::Profile, "profile"),
            Self::Contacts { .. } => (PageType::Profile, "contacts"),
            Self::UserTags(_) => (PageType::Profile, "user-tags"),
            Self::Stream { .. } => (PageType::List, "stream"),
            Self::Sets(_) => (PageType::List, "sets"),
            Self::Set { .. } => (PageType::List, "set"),
            Self::Favourites { .. } => (PageType::List, "favourites"),
            Self::Photo(_) => (PageType::Detail, "photo"),
        }
    }

    /// The user whose page it is.
    pub(super) fn user(self) -> Option<u64> {
        match self {
            Self::Profile(user) | Self::UserTags(user) | Self::Sets(user) => Some(user),
            Self::Contacts { user, .. }
            | Self::Stream { user, .. }
            | Self::Set { user, .. }
            | Self::Favourites { user, .. } => Some(user),
            _ => None,
        }
    }

    /// What its design is drawn from.
    pub(super) fn grain(self) -> (&'static str, u64) {
        let number = match self {
            Self::Tag { tag, .. } | Self::Search { tag, .. } => u64::from(tag.0),
            Self::Group(group) | Self::Pool { group, .. } | Self::Members { group, .. } => group,
            Self::Photo(photo) => photo,
            _ => self.user().unwrap_or(0),
        };
        (self.kind().1, number)
    }
}

impl Photos {
    /// The place of a path; generous about numbers, which are checked by writing the path again.
    pub(super) fn read_place(&self, asked: Asked<'_>) -> Option<Place> {
        let page = asked.page("page")?;
        let mut parts = asked.path.strip_prefix('/')?.split('/');
        let mut part = || parts.next();
        Some(match (part()?, part(), part(), part()) {
            ("", None, None, None) => Place::Home,
            ("explore", None, None, None) => Place::Explore(page),
            ("recent", None, None, None) => Place::Recent(page),
            ("tags", None, None, None) => Place::TagIndex(page),
            ("tags", Some(name), None, None) => {
                Place::Tag { tag: self.tagging.named(&unpercent(name))?, page }
            }
            ("search", None, None, None) => {
                Place::Search { tag: self.tagging.named(&unpercent(asked.param("q")?))?, page }
            }
            ("groups", None, None, None) => Place::Groups(page),
            ("groups", Some(name), rest, None) => {
                let group = self.group_ids.back(name.rsplit_once('-')?.1.parse().ok()?)?;
                match rest {
                    None => Place::Group(group),
                    Some("pool") => Place::Pool { group, page },
                    Some("members") => Place::Members { group, page },
                    _ => return None,
                }
            }
            ("people", None, None, None) => Place::People(page),
            ("people", Some(name), None, None) => Place::Profile(self.society.user_named(name)?),
            ("people", Some(name), Some("contacts"), None) => {
                Place::Contacts { user: self.society.user_named(name)?, page }
            }
            ("photos", Some(name), rest, last) => {
                let user = self.society.user_named(name)?;
                match (rest, last) {
                    (None, None) => Place::Stream { user, page },
                    (Some("tags"), None) => Place::UserTags(user),
                    (Some("sets"), None) => Place::Sets(user),
                    (Some("sets"), Some(set)) => Place::Set { user, set: set.parse().ok()?, page },
                    (Some("favorites"), None) => Place::Favourites { user, page },
                    (Some(id), None) => Place::Photo(self.society.item_ids.back(id.parse().ok()?)?),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// Appends the path of a place.
    pub(super) fn write_path(&self, place: Place, out: &mut String) {
        match place {
            Place::Home => out.push('/'),
            Place::Explore(page) => paged(out, "/explore", page),
            Place::Recent(page) => paged(out, "/recent", page),
            Place::TagIndex(page) => paged(out, "/tags", page),
            Place::Tag { tag, page } => {
                out.push_str("/tags/");
                paged(out, &percent(self.tagging.name(tag)), page);
            }
            Place::Search { tag, page } => {
                paged(out, &format!("/search?q={}", percent(self.tagging.name(tag))), page);
            }
            Place::Groups(page) => paged(out, "/groups", page),
            Place::Group(group) => self.group_path(group, out),
            Place::Pool { group, page } => {
                self.group_path(group, out);
                paged(out, "/pool", page);
            }
            Place::Members { group, page } => {
                self.group_path(group, out);
                paged(out, "/members", page);
            }
            Place::People(page) => paged(out, "/people", page),
            Place::Profile(user) => self.user_path("/people/", user, out),
            Place::Contacts { user, page } => {
                self.user_path("/people/", user, out);
                paged(out, "/contacts", page);
            }
            Place::UserTags(user) => {
                self.user_path("/photos/", user, out);
                out.push_str("/tags");
            }
            Place::Stream { user, page } => {
                self.user_path("/photos/", user, out);
                paged(out, "", page);
            }
            Place::Sets(user) => {
                self.user_path("/photos/", user, out);
                out.push_str("/sets");
            }
            Place::Set { user, set, page } => {
                self.user_path("/photos/", user, out);
                paged(out, &format!("/sets/{set}"), page);
            }
            Place::Favourites { user, page } => {
                self.user_path("/photos/", user, out);
                paged(out, "/favorites", page);
            }
            Place::Photo(photo) => {
                self.user_path("/photos/", self.society.author(photo), out);
                out.push_str(&format!("/{}", self.society.item_ids.of(photo)));
            }
        }
    }

    fn user_path(&self, folder: &str, user: u64, out: &mut String) {
        out.push_str(folder);
        out.push_str(&self.society.screen_name(user));
    }

    fn group_path(&self, group: u64, out: &mut String) {
        out.push_str(&format!("/groups/{}-{}", slug(&self.group_name(group)), self.group_ids.of(group)));
    }

    /// How many pages of favourites a user shows; none without any.
    fn favourite_pages(&self, user: u64) -> u64 {
        self.fans.reach(user).div_ceil(3 * PER_PAGE).min(LONGEST)
    }

    /// Every place that counts.
    pub(super) fn all_places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        let lists = std::iter::once(Place::Home)
            .chain(self.list_of(Place::Explore))
            .chain(self.list_of(Place::Recent))
            .chain(self.list_of(Place::TagIndex))
            .chain(self.list_of(Place::Groups))
            .chain(self.list_of(Place::People));
        let tags = self.tagging.all().flat_map(move |tag| {
            let search = self.list_of(move |page| Place::Search { tag, page });
            self.list_of(move |page| Place::Tag { tag, page }).chain(search)
        });
        let groups = (0..self.groups.len()).flat_map(move |group| {
            std::iter::once(Place::Group(group))
                .chain(self.list_of(move |page| Place::Pool { group, page }))
                .chain(self.list_of(move |page| Place::Members { group, page }))
        });
        let honest = (0..self.society.users.len()).filter(move |user| !self.society.is_spammer(*user));
        let users = honest.flat_map(move |user| self.user_places(user));
        let photos =
            (0..self.society.items.len()).filter(move |photo| !self.is_spam(*photo)).map(Place::Photo);
        Box::new(lists.chain(tags).chain(groups).chain(users).chain(photos))
    }

    fn user_places(&self, user: u64) -> impl Iterator<Item = Place> + '_ {
        let sets = (0..self.sets(user))
            .flat_map(move |set| self.list_of(move |page| Place::Set { user, set, page }));
        [Place::Profile(user), Place::UserTags(user)]
            .into_iter()
            .chain(self.list_of(move |page| Place::Contacts { user, page }))
            .chain(self.list_of(move |page| Place::Stream { user, page }))
            .chain((self.sets(user) > 0).then_some(Place::Sets(user)))
            .chain(sets)
            .chain(self.list_of(move |page| Place::Favourites { user, page }))
    }
}

impl Lists for Photos {
    fn last_page(&self, place: Place) -> Option<(u64, u64)> {
        let photos = self.society.items.len();
        Some(match place {
            Place::Explore(page) => (page, pages_of(photos / 50, PER_PAGE).min(60)),
            Place::Recent(page) => (page, pages_of(photos / 10, PER_PAGE).min(200)),
            Place::TagIndex(page) => (page, pages_of(self.tagging.all().count() as u64, 4 * PER_DIRECTORY)),
            Place::Tag { tag, page } => (page, pages_of(self.tagging.len(tag), PER_PAGE).min(LONGEST)),
            Place::Search { tag, page } => {
                (page, pages_of(self.tagging.len(tag), 4 * PER_PAGE).min(LONGEST_SEARCH))
            }
            Place::Groups(page) => (page, pages_of(self.groups.len(), PER_DIRECTORY)),
            Place::Pool { group, page } => {
                (page, pages_of(self.pools.reach(group), 2 * PER_PAGE).min(LONGEST))
            }
            Place::Members { group, page } => {
                (page, pages_of(self.memberships.reach(group), 2 * PER_DIRECTORY).min(LONGEST))
            }
            Place::People(page) => (page, pages_of(self.society.users.len(), PER_DIRECTORY)),
            Place::Contacts { user, page } => {
                (page, pages_of(self.society.contact_slots(user), CONTACTS).min(LONGEST))
            }
            Place::Stream { user, page } => (page, pages_of(self.society.made(user), PER_PAGE)),
            Place::Sets(user) => (1, u64::from(self.sets(user) > 0)),
            Place::Set { user, set, page } => {
                let last = pages_of(self.society.made(user), SET_WINDOW);
                (page, if set < self.sets(user) { last } else { 0 })
            }
            Place::Favourites { user, page } => (page, self.favourite_pages(user)),
            Place::Home | Place::Group(_) | Place::Profile(_) | Place::UserTags(_) | Place::Photo(_) => {
                return None;
            }
        })
    }
}
