//! The pages of a site of questions, their URLs, and how many there are of each.

use super::super::hosted::Asked;
use super::super::pieces::pages_of;
use super::super::social::{Lists, TagId, paged};
use super::Questions;
use crate::markup::{percent, slug, unpercent};
use osprey_model::PageType;

/// Questions on a page of a list.
pub(super) const PER_PAGE: u64 = 15;

/// Entries on a page of a directory.
pub(super) const PER_DIRECTORY: u64 = 36;

/// Slots of a user's answers on a page: about half are empty.
pub(super) const SLOTS: u64 = 30;

/// How many of the newest questions are looked through for a page of unanswered ones.
pub(super) const LOOKED_THROUGH: u64 = 80;

/// How many badges there are.
pub(super) const BADGES: u64 = 18;

/// The most pages that any list shows.
const LONGEST: u64 = 400;

/// The most pages of search results.
const LONGEST_SEARCH: u64 = 3;

/// The order of a tag's questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Newest,
    Votes,
    Active,
}

impl Order {
    pub(super) const ALL: [Self; 3] = [Self::Newest, Self::Votes, Self::Active];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Votes => "votes",
            Self::Active => "active",
        }
    }
}

/// A page of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Home,
    Newest(u64),
    Unanswered(u64),
    TagIndex(u64),
    Tag {
        tag: TagId,
        order: Order,
        page: u64,
    },
    Search {
        tag: TagId,
        page: u64,
    },
    Users(u64),
    User(u64),
    Asked {
        user: u64,
        page: u64,
    },
    Answered {
        user: u64,
        page: u64,
    },
    /// The badges of a user.
    Awards(u64),
    Badges,
    Badge {
        badge: u64,
        page: u64,
    },
    Question(u64),
    History(u64),
}

impl Place {
    /// Its type and template.
    pub(super) fn kind(self) -> (PageType, &'static str) {
        match self {
            Self::Home => (PageType::List, "home"),
            Self::Newest(_) => (PageType::List, "questions"),
            Self::Unanswered(_) => (PageType::List, "unanswered"),
            Self::TagIndex(_) => (PageType::List, "tags"),
            Self::Tag { .. } => (PageType::List, "tag"),
            Self::Search { .. } => (PageType::List, "search"),
            Self::Users(_) => (PageType::List, "users"),
            Self::User(_) => (PageType::Profile, "user"),
            Self::Asked { .. } => (PageType::List, "asked"),
            Self::Answered { .. } => (PageType::List, "answered"),
            Self::Awards(_) => (PageType::Other, "awards"),
            Self::Badges => (PageType::List, "badges"),
            Self::Badge { .. } => (PageType::List, "badge"),
            Self::Question(_) => (PageType::Detail, "question"),
            Self::History(_) => (PageType::Other, "history"),
        }
    }

    /// The user whose page it is.
    pub(super) fn user(self) -> Option<u64> {
        match self {
            Self::User(user) | Self::Awards(user) => Some(user),
            Self::Asked { user, .. } | Self::Answered { user, .. } => Some(user),
            _ => None,
        }
    }

    /// What its design is drawn from.
    pub(super) fn grain(self) -> (&'static str, u64) {
        let number = match self {
            Self::Tag { tag, .. } | Self::Search { tag, .. } => u64::from(tag.0),
            Self::Question(question) | Self::History(question) => question,
            Self::Badge { badge, .. } => badge,
            _ => self.user().unwrap_or(0),
        };
        (self.kind().1, number)
    }
}

impl Questions {
    /// A tag's first page.
    pub(super) fn tag(&self, tag: TagId) -> Place {
        Place::Tag { tag, order: Order::Newest, page: 1 }
    }

    /// The place of a path; generous about numbers and names, which are checked by writing the path again.
    pub(super) fn read_place(&self, asked: Asked<'_>) -> Option<Place> {
        let page = asked.page("page")?;
        let mut parts = asked.path.strip_prefix('/')?.split('/');
        let mut part = || parts.next();
        Some(match (part()?, part(), part(), part()) {
            ("", None, None, None) => Place::Home,
            ("questions", None, None, None) => Place::Newest(page),
            ("unanswered", None, None, None) => Place::Unanswered(page),
            ("tags", None, None, None) => Place::TagIndex(page),
            ("t", Some(name), order, None) => {
                let tag = self.tagging.named(&unpercent(name))?;
                let order = order.map_or(Some(Order::Newest), |name| {
                    Order::ALL.into_iter().find(|order| order.name() == name)
                });
                Place::Tag { tag, order: order?, page }
            }
            ("search", None, None, None) => {
                Place::Search { tag: self.tagging.named(&unpercent(asked.param("q")?))?, page }
            }
            ("users", None, None, None) => Place::Users(page),
            ("badges", None, None, None) => Place::Badges,
            ("badges", Some(name), None, None) => Place::Badge {
                badge: (0..BADGES).find(|badge| slug(Self::badge_name(*badge)) == name)?,
                page,
            },
            ("u", Some(id), Some(_), rest) => {
                let user = self.society.user_ids.back(id.parse().ok()?)?;
                match rest {
                    None => Place::User(user),
                    Some("questions") => Place::Asked { user, page },
                    Some("answers") => Place::Answered { user, page },
                    Some("badges") => Place::Awards(user),
                    _ => return None,
                }
            }
            ("q", Some(id), Some(name), None) => {
                let question = self.society.item_ids.back(id.parse().ok()?)?;
                if name == "history" { Place::History(question) } else { Place::Question(question) }
            }
            _ => return None,
        })
    }

    /// The path that redirects to a question.
    pub(super) fn short_name(&self, question: u64) -> String {
        format!("/q/{}", self.society.item_ids.of(question))
    }

    fn user_path(&self, user: u64, out: &mut String) {
        out.push_str(&format!("/u/{}/{}", self.society.user_ids.of(user), self.society.handle(user)));
    }

    /// Appends the path of a place.
    pub(super) fn write_path(&self, place: Place, out: &mut String) {
        match place {
            Place::Home => out.push('/'),
            Place::Newest(page) => paged(out, "/questions", page),
            Place::Unanswered(page) => paged(out, "/unanswered", page),
            Place::TagIndex(page) => paged(out, "/tags", page),
            Place::Tag { tag, order, page } => {
                out.push_str("/t/");
                out.push_str(&percent(self.tagging.name(tag)));
                if order != Order::Newest {
                    out.push('/');
                    out.push_str(order.name());
                }
                paged(out, "", page);
            }
            Place::Search { tag, page } => {
                paged(out, &format!("/search?q={}", percent(self.tagging.name(tag))), page);
            }
            Place::Users(page) => paged(out, "/users", page),
            Place::User(user) => self.user_path(user, out),
            Place::Asked { user, page } => {
                self.user_path(user, out);
                paged(out, "/questions", page);
            }
            Place::Answered { user, page } => {
                self.user_path(user, out);
                paged(out, "/answers", page);
            }
            Place::Awards(user) => {
                self.user_path(user, out);
                out.push_str("/badges");
            }
            Place::Badges => out.push_str("/badges"),
            Place::Badge { badge, page } => {
                paged(out, &format!("/badges/{}", slug(Self::badge_name(badge))), page)
            }
            Place::Question(question) => {
                out.push_str(&self.short_name(question));
                out.push('/');
                out.push_str(&slug(&self.title(question)));
            }
            Place::History(question) => {
                out.push_str(&self.short_name(question));
                out.push_str("/history");
            }
        }
    }

    /// How many users have a badge.
    pub(super) fn holders(&self, badge: u64) -> u64 {
        self.awards.get((badge / 6) as usize).map_or(0, |deal| deal.len(badge % 6))
    }

    /// Every place that counts.
    pub(super) fn all_places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        let lists = [Place::Home, Place::Badges]
            .into_iter()
            .chain(self.list_of(Place::Newest))
            .chain(self.list_of(Place::Unanswered))
            .chain(self.list_of(Place::TagIndex))
            .chain(self.list_of(Place::Users));
        let badges =
            (0..BADGES).flat_map(move |badge| self.list_of(move |page| Place::Badge { badge, page }));
        let tags = self.tagging.all().flat_map(move |tag| {
            let orders = Order::ALL.into_iter();
            let tagged =
                orders.flat_map(move |order| self.list_of(move |page| Place::Tag { tag, order, page }));
            tagged.chain(self.list_of(move |page| Place::Search { tag, page }))
        });
        let honest = (0..self.society.users.len()).filter(move |user| !self.society.is_spammer(*user));
        let users = honest.flat_map(move |user| {
            [Place::User(user), Place::Awards(user)]
                .into_iter()
                .chain(self.list_of(move |page| Place::Asked { user, page }))
                .chain(self.list_of(move |page| Place::Answered { user, page }))
        });
        let questions = (0..self.society.items.len()).filter(move |question| !self.is_spam(*question));
        let questions = questions.flat_map(move |question| {
            let history = self.is_edited(question).then_some(Place::History(question));
            std::iter::once(Place::Question(question)).chain(history)
        });
        Box::new(lists.chain(badges).chain(tags).chain(users).chain(questions))
    }
}

impl Lists for Questions {
    fn last_page(&self, place: Place) -> Option<(u64, u64)> {
        let questions = self.society.items.len();
        Some(match place {
            Place::Newest(page) => (page, pages_of(questions, PER_PAGE).min(LONGEST)),
            Place::Unanswered(page) => (page, pages_of(questions / 4, LOOKED_THROUGH).min(100)),
            Place::TagIndex(page) => (page, pages_of(self.tagging.all().count() as u64, 2 * PER_DIRECTORY)),
            Place::Tag { tag, page, .. } => (page, pages_of(self.tagging.len(tag), PER_PAGE).min(LONGEST)),
            Place::Search { tag, page } => {
                (page, pages_of(self.tagging.len(tag), 3 * PER_PAGE).min(LONGEST_SEARCH))
            }
            Place::Users(page) => (page, pages_of(self.society.users.len(), PER_DIRECTORY)),
            Place::Asked { user, page } => (page, pages_of(self.society.made(user), PER_PAGE)),
            Place::Answered { user, page } => (page, pages_of(self.talk.slots(user), SLOTS).min(LONGEST)),
            Place::Badge { badge, page } => (page, pages_of(self.holders(badge), PER_DIRECTORY).min(LONGEST)),
            Place::History(question) => (1, u64::from(self.is_edited(question))),
            Place::Home | Place::User(_) | Place::Awards(_) | Place::Badges | Place::Question(_) => {
                return None;
            }
        })
    }
}
