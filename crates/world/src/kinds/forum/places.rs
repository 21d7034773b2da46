//! The pages of a forum, their URLs, and how many there are of each.

use super::super::hosted::Asked;
use super::super::pieces::pages_of;
use super::super::social::{Lists, TagId, paged};
use super::Boards;
use crate::markup::{percent, unpercent};
use osprey_model::PageType;

/// Threads on a page of a list.
pub(super) const PER_PAGE: u64 = 25;

/// Posts on a page of a thread.
pub(super) const POSTS: u64 = 15;

/// Entries on a page of a directory.
pub(super) const PER_DIRECTORY: u64 = 50;

/// Slots of a member's lists on a page: about half are empty.
pub(super) const SLOTS: u64 = 40;

/// How many months the archive has.
pub(super) const MONTHS: u64 = 102;

/// The most pages that any list shows.
const LONGEST: u64 = 400;

/// The most pages of search results.
const LONGEST_SEARCH: u64 = 3;

/// A page of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Home,
    Board {
        board: u64,
        page: u64,
    },
    Thread {
        thread: u64,
        page: u64,
    },
    /// Who posted in a thread.
    Posters(u64),
    Member(u64),
    /// Threads that a member opened.
    Started {
        user: u64,
        page: u64,
    },
    /// Threads that a member took part in.
    Joined {
        user: u64,
        page: u64,
    },
    Friends {
        user: u64,
        page: u64,
    },
    Members(u64),
    Active(u64),
    Months,
    Month {
        month: u64,
        page: u64,
    },
    TagIndex(u64),
    Tag {
        tag: TagId,
        page: u64,
    },
    Search {
        tag: TagId,
        page: u64,
    },
}

impl Place {
    /// Its type and template.
    pub(super) fn kind(self) -> (PageType, &'static str) {
        match self {
            Self::Home => (PageType::List, "home"),
            Self::Board { .. } => (PageType::List, "board"),
            Self::Thread { .. } => (PageType::Detail, "thread"),
            Self::Posters(_) => (PageType::Other, "posters"),
            Self::Member(_) => (PageType::Profile, "member"),
            Self::Started { .. } => (PageType::List, "started"),
            Self::Joined { .. } => (PageType::List, "joined"),
            Self::Friends { .. } => (PageType::List, "friends"),
            Self::Members(_) => (PageType::List, "members"),
            Self::Active(_) => (PageType::List, "active"),
            Self::Months => (PageType::List, "months"),
            Self::Month { .. } => (PageType::List, "month"),
            Self::TagIndex(_) => (PageType::List, "tags"),
            Self::Tag { .. } => (PageType::List, "tag"),
            Self::Search { .. } => (PageType::List, "search"),
        }
    }

    /// The member whose page it is.
    pub(super) fn user(self) -> Option<u64> {
        match self {
            Self::Member(user)
            | Self::Started { user, .. }
            | Self::Joined { user, .. }
            | Self::Friends { user, .. } => Some(user),
            _ => None,
        }
    }

    /// What its design is drawn from.
    pub(super) fn grain(self) -> (&'static str, u64) {
        let number = match self {
            Self::Tag { tag, .. } | Self::Search { tag, .. } => u64::from(tag.0),
            Self::Board { board, .. } => board,
            Self::Thread { thread, .. } | Self::Posters(thread) => thread,
            Self::Month { month, .. } => month,
            _ => self.user().unwrap_or(0),
        };
        (self.kind().1, number)
    }
}

impl Boards {
    /// The place of a path; generous about numbers, which are checked by writing the path again.
    pub(super) fn read_place(&self, asked: Asked<'_>) -> Option<Place> {
        let page = asked.page("page")?;
        let mut parts = asked.path.strip_prefix('/')?.split('/');
        let mut part = || parts.next();
        Some(match (part()?, part(), part(), part()) {
            ("", None, None, None) => Place::Home,
            ("active", None, None, None) => Place::Active(page),
            ("members", None, None, None) => Place::Members(page),
            ("archive", None, None, None) => Place::Months,
            ("archive", Some(month), None, None) => Place::Month { month: month.parse().ok()?, page },
            ("tags", None, None, None) => Place::TagIndex(page),
            ("tags", Some(name), None, None) => {
                Place::Tag { tag: self.tagging.named(&unpercent(name))?, page }
            }
            ("search", None, None, None) => {
                Place::Search { tag: self.tagging.named(&unpercent(asked.param("q")?))?, page }
            }
            ("node", Some(id), rest, None) => match (self.node(id.parse().ok()?, page)?, rest) {
                (place, None) => place,
                (Place::Thread { thread, .. }, Some("posters")) => Place::Posters(thread),
                (Place::Member(user), Some("threads")) => Place::Started { user, page },
                (Place::Member(user), Some("posts")) => Place::Joined { user, page },
                (Place::Member(user), Some("friends")) => Place::Friends { user, page },
                _ => return None,
            },
            _ => return None,
        })
    }

    /// What stands at a node: boards, threads and members share one row of numbers.
    fn node(&self, id: u64, page: u64) -> Option<Place> {
        let node = self.nodes.back(id)?;
        let (boards, threads) = (self.boards.len(), self.society.items.len());
        Some(match node.checked_sub(boards) {
            None => Place::Board { board: node, page },
            Some(thread) if thread < threads => Place::Thread { thread, page },
            Some(rest) => Place::Member(rest - threads),
        })
    }

    fn node_path(&self, node: u64, out: &mut String) {
        out.push_str(&format!("/node/{}", self.nodes.of(node)));
    }

    fn thread_path(&self, thread: u64, out: &mut String) {
        self.node_path(self.boards.len() + thread, out);
    }

    fn member_path(&self, user: u64, out: &mut String) {
        self.node_path(self.boards.len() + self.society.items.len() + user, out);
    }

    /// Appends the path of a place.
    pub(super) fn write_path(&self, place: Place, out: &mut String) {
        match place {
            Place::Home => out.push('/'),
            Place::Board { board, page } => {
                self.node_path(board, out);
                paged(out, "", page);
            }
            Place::Thread { thread, page } => {
                self.thread_path(thread, out);
                paged(out, "", page);
            }
            Place::Posters(thread) => {
                self.thread_path(thread, out);
                out.push_str("/posters");
            }
            Place::Member(user) => self.member_path(user, out),
            Place::Started { user, page } => {
                self.member_path(user, out);
                paged(out, "/threads", page);
            }
            Place::Joined { user, page } => {
                self.member_path(user, out);
                paged(out, "/posts", page);
            }
            Place::Friends { user, page } => {
                self.member_path(user, out);
                paged(out, "/friends", page);
            }
            Place::Members(page) => paged(out, "/members", page),
            Place::Active(page) => paged(out, "/active", page),
            Place::Months => out.push_str("/archive"),
            Place::Month { month, page } => paged(out, &format!("/archive/{month}"), page),
            Place::TagIndex(page) => paged(out, "/tags", page),
            Place::Tag { tag, page } => {
                out.push_str("/tags/");
                paged(out, &percent(self.tagging.name(tag)), page);
            }
            Place::Search { tag, page } => {
                paged(out, &format!("/search?q={}", percent(self.tagging.name(tag))), page);
            }
        }
    }

    /// The path of a post: thread and number in one.
    pub(super) fn post_path(&self, thread: u64, post: u64) -> String {
        format!("/post/{}-{post}", self.society.item_ids.of(thread))
    }

    /// The page that shows the post of a path.
    pub(super) fn place_of_post(&self, path: &str) -> Option<Place> {
        let (thread, post) = path.strip_prefix("/post/")?.split_once('-')?;
        let thread = self.society.item_ids.back(thread.parse().ok()?)?;
        let post: u64 = post.parse().ok()?;
        let exists = (1..=self.posts(thread)).contains(&post) && self.post_path(thread, post) == path;
        exists.then(|| Place::Thread { thread, page: (post - 1) / POSTS + 1 })
    }

    /// The places of a month among threads in the order of their numbers.
    pub(super) fn month_range(&self, month: u64) -> std::ops::Range<u64> {
        let at = |month: u64| {
            (u128::from(self.society.items.len()) * u128::from(month) / u128::from(MONTHS)) as u64
        };
        at(month)..at(month + 1)
    }

    /// Every place that counts.
    pub(super) fn all_places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        let lists = [Place::Home, Place::Months]
            .into_iter()
            .chain(self.list_of(Place::Active))
            .chain(self.list_of(Place::Members))
            .chain(self.list_of(Place::TagIndex));
        let months =
            (0..MONTHS).flat_map(move |month| self.list_of(move |page| Place::Month { month, page }));
        let boards = (0..self.boards.len())
            .flat_map(move |board| self.list_of(move |page| Place::Board { board, page }));
        let tags = self.tagging.all().flat_map(move |tag| {
            let search = self.list_of(move |page| Place::Search { tag, page });
            self.list_of(move |page| Place::Tag { tag, page }).chain(search)
        });
        let honest = (0..self.society.users.len()).filter(move |user| !self.society.is_spammer(*user));
        let users = honest.flat_map(move |user| {
            std::iter::once(Place::Member(user))
                .chain(self.list_of(move |page| Place::Started { user, page }))
                .chain(self.list_of(move |page| Place::Joined { user, page }))
                .chain(self.list_of(move |page| Place::Friends { user, page }))
        });
        let threads = (0..self.society.items.len()).filter(move |thread| !self.is_spam(*thread));
        let threads = threads.flat_map(move |thread| {
            self.list_of(move |page| Place::Thread { thread, page }).chain([Place::Posters(thread)])
        });
        Box::new(lists.chain(months).chain(boards).chain(tags).chain(users).chain(threads))
    }
}

impl Lists for Boards {
    fn last_page(&self, place: Place) -> Option<(u64, u64)> {
        Some(match place {
            Place::Board { board, page } => {
                (page, pages_of(self.filed.children(board).len(), PER_PAGE).min(LONGEST))
            }
            Place::Thread { thread, page } => (page, pages_of(self.posts(thread), POSTS)),
            Place::Started { user, page } => (page, pages_of(self.society.made(user), PER_PAGE)),
            Place::Joined { user, page } => (page, pages_of(self.talk.slots(user), SLOTS).min(LONGEST)),
            Place::Friends { user, page } => {
                (page, pages_of(self.society.contact_slots(user), SLOTS).min(LONGEST))
            }
            Place::Members(page) => (page, pages_of(self.society.users.len(), PER_DIRECTORY)),
            Place::Active(page) => (page, pages_of(self.society.items.len() / 10, PER_PAGE).min(200)),
            Place::Month { month, page } => {
                let range = self.month_range(month.min(MONTHS));
                let last = pages_of(range.end - range.start, PER_PAGE).min(LONGEST);
                (page, if month < MONTHS { last } else { 0 })
            }
            Place::TagIndex(page) => (page, pages_of(self.tagging.all().count() as u64, 4 * PER_DIRECTORY)),
            Place::Tag { tag, page } => (page, pages_of(self.tagging.len(tag), PER_PAGE).min(LONGEST)),
            Place::Search { tag, page } => {
                (page, pages_of(self.tagging.len(tag), 4 * PER_PAGE).min(LONGEST_SEARCH))
            }
            Place::Home | Place::Posters(_) | Place::Member(_) | Place::Months => return None,
        })
    }
}
