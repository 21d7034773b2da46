//! `ratings`: products and places to compare, with what their buyers and guests wrote.
//!
//! Every page but the start page has an opaque URL, `/p/1f3a07`: nothing in it tells a price table from a review.
//! Prices, specifications and daily deals are the bulk that nobody wrote; reviews, reviewers and guides are the users'.

mod pages;
mod users;

use crate::Dice;
use crate::nasty::Setting;
use crate::site::Truth;
use crate::text::handle;
use osprey_model::PageType;

use super::ground::Ground;
use super::hosted::{Asked, Plan};
use super::numbering::Numbering;
use super::pieces::pages_of;
use super::sheet::Sheet;
use super::ties::{Bent, Deal, Sections, Slots, Tie};

const ITEMS_A_PAGE: u64 = 20;
const REVIEWS_A_PAGE: u64 = 10;
const NAMES_A_PAGE: u64 = 50;
const DEALS_A_PAGE: u64 = 60;

/// How far daily deals are announced: without end for any crawl.
const FUTURE_DAYS: u64 = 1 << 33;

/// A class of pages; the number is its place in the row of URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Branch,
    Category,
    Brand,
    Item,
    Specs,
    Prices,
    Reviews,
    Review,
    User,
    Trust,
    UserReviews,
    Guide,
    Members,
    Guides,
    Deals,
}

const CLASSES: [Class; 15] = [
    Class::Branch,
    Class::Category,
    Class::Brand,
    Class::Item,
    Class::Specs,
    Class::Prices,
    Class::Reviews,
    Class::Review,
    Class::User,
    Class::Trust,
    Class::UserReviews,
    Class::Guide,
    Class::Members,
    Class::Guides,
    Class::Deals,
];

/// A page of the site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Home,
    /// A class, a member, and the page of its list: 1 where there is no list.
    Of(Class, u64, u64),
    /// The offers of a day.
    Deal(u64),
}

/// The site.
pub(crate) struct Ratings {
    ground: Ground,
    /// The names of the branches of the taxonomy, and the branch of each topic.
    branches: Vec<String>,
    branch_of: Vec<usize>,
    items: Sections,
    reviews: Sections,
    users: Sections,
    guides: Sections,
    brands: u64,
    days: u64,
    row: Numbering,
    brand_items: Deal,
    about: Tie,
    authors: Tie,
    guide_authors: Tie,
    guided: Slots,
    trust: Slots,
}

impl Ratings {
    fn dice(&self, class: Class, member: u64) -> Dice {
        self.ground.setting.dice.of(class.name()).at(member)
    }

    /// Whether an item is something to buy; otherwise it is somewhere to go. A habit of its topic.
    fn is_product(&self, item: u64) -> bool {
        !self.ground.topic_id(self.items.topic(item)).0.is_multiple_of(3)
    }

    fn item_name(&self, item: u64) -> String {
        self.ground.title(self.items.topic(item), self.dice(Class::Item, item))
    }

    fn brand_name(&self, brand: u64) -> String {
        let mut name = String::new();
        crate::text::person(self.dice(Class::Brand, brand), &mut name);
        format!("{} & Co", name.rsplit(' ').next().unwrap_or_default())
    }

    fn user_name(&self, user: u64) -> String {
        handle(self.dice(Class::User, user))
    }

    fn guide_name(&self, guide: u64) -> String {
        self.ground.title(self.guides.topic(guide), self.dice(Class::Guide, guide))
    }

    fn review_name(&self, review: u64) -> String {
        self.ground.title(self.reviews.topic(review), self.dice(Class::Review, review))
    }

    fn is_spammer(&self, user: Option<u64>) -> bool {
        user.is_some_and(|user| self.ground.is_spammer(self.dice(Class::User, user)))
    }

    fn is_spam(&self, class: Class, member: u64) -> bool {
        match class {
            Class::User | Class::Trust | Class::UserReviews => self.is_spammer(Some(member)),
            Class::Review => self.is_spammer(self.authors.parent(member)),
            Class::Guide => self.is_spammer(self.guide_authors.parent(member)),
            _ => false,
        }
    }

    /// The topics of a branch.
    fn topics_of(&self, branch: u64) -> impl Iterator<Item = usize> + '_ {
        self.branch_of.iter().enumerate().filter(move |(_, b)| **b as u64 == branch).map(|(topic, _)| topic)
    }

    fn topic(&self, class: Class, member: u64) -> Option<usize> {
        Some(match class {
            Class::Category => member as usize,
            Class::Item | Class::Specs | Class::Prices | Class::Reviews => self.items.topic(member),
            Class::Review => self.reviews.topic(member),
            Class::User | Class::Trust | Class::UserReviews => self.users.topic(member),
            Class::Guide => self.guides.topic(member),
            _ => return None,
        })
    }

    fn size(&self, class: Class) -> u64 {
        match class {
            Class::Branch => self.branches.len() as u64,
            Class::Category => self.ground.topic_count(),
            Class::Brand => self.brands,
            Class::Item | Class::Specs | Class::Prices | Class::Reviews => self.items.len(),
            Class::Review => self.reviews.len(),
            Class::User | Class::Trust | Class::UserReviews => self.users.len(),
            Class::Guide => self.guides.len(),
            Class::Members | Class::Guides | Class::Deals => 1,
        }
    }

    /// The number of pages that a member of a class has: 0 if it has none, 1 if it is no list.
    fn last_page(&self, class: Class, member: u64) -> u64 {
        let only_if = |there: bool| u64::from(there);
        match class {
            Class::Category => {
                let range = self.items.range(member as usize);
                pages_of(range.end - range.start, ITEMS_A_PAGE)
            }
            Class::Brand => pages_of(self.brand_items.len(member), ITEMS_A_PAGE),
            Class::Specs => only_if(self.is_product(member) && self.dice(Class::Specs, member).chance(0.5)),
            Class::Prices => only_if(self.is_product(member) && self.dice(Class::Prices, member).chance(0.8)),
            Class::Reviews => match self.about.children(member).len() {
                0..=3 => 0,
                reviews => pages_of(reviews, REVIEWS_A_PAGE),
            },
            Class::Trust => only_if(!self.trust.parents(member).is_empty()),
            Class::UserReviews => match self.authors.children(member).len() {
                0..=5 => 0,
                reviews => pages_of(reviews, REVIEWS_A_PAGE),
            },
            Class::Members => pages_of(self.users.len(), NAMES_A_PAGE),
            Class::Guides => pages_of(self.guides.len(), NAMES_A_PAGE),
            Class::Deals => pages_of(self.days, DEALS_A_PAGE),
            Class::Branch | Class::Item | Class::Review | Class::User | Class::Guide => 1,
        }
    }
}

impl Plan for Ratings {
    type Place = Place;

    fn new(setting: Setting) -> Self {
        let ground = Ground::new(setting, "ratings", |_| 1.0);
        let dice = ground.setting.dice.of("ties");
        let (items, reviews) = (ground.sections(0.24, 60), ground.sections(0.25, 80));
        let (users, guides) = (ground.sections(0.08, 20), ground.sections(0.02, 8));
        let mut branches: Vec<String> = Vec::new();
        let mut branch_of = Vec::new();
        for topic in 0..ground.topic_count() as usize {
            let name = ground.name(topic).split('/').next().unwrap_or_default().to_owned();
            let known = branches.iter().position(|branch| *branch == name);
            branch_of.push(known.unwrap_or(branches.len()));
            if known.is_none() {
                branches.push(name);
            }
        }
        let free = Bent { loyalty: 0.75, evenness: 0.5 };
        let brands = ground.count(0.006, 5);
        let mut site = Self {
            about: Tie::new(&reviews, &items, Bent { loyalty: 1.0, evenness: 0.5 }, dice.of("about")),
            authors: Tie::new(&reviews, &users, free, dice.of("authors")),
            guide_authors: Tie::new(&guides, &users, free, dice.of("guide authors")),
            guided: Slots::new(&guides, &items, 16, 0.6, dice.of("guided")),
            trust: Slots::new(&users, &users, 9, 0.5, dice.of("trust")),
            brand_items: Deal::new(items.len(), brands, 0.6, dice.of("brands")),
            row: Numbering::new(&[], dice),
            days: ground.count(0.03, 10),
            branches,
            branch_of,
            brands,
            ground,
            items,
            reviews,
            users,
            guides,
        };
        let mut sizes: Vec<u64> = CLASSES.iter().map(|class| site.size(*class)).collect();
        sizes.push(site.days.saturating_add(FUTURE_DAYS));
        site.row = Numbering::new(&sizes, dice.of("row"));
        site
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn read(&self, asked: Asked<'_>) -> Option<Place> {
        if asked.path == "/" {
            return Some(Place::Home);
        }
        let number = u64::from_str_radix(asked.path.strip_prefix("/p/")?, 16).ok()?;
        let (class, member) = self.row.member(number)?;
        match CLASSES.get(class) {
            Some(class) => Some(Place::Of(*class, member, asked.page("pg")?)),
            None => Some(Place::Deal(member)),
        }
    }

    fn path(&self, place: Place, out: &mut String) {
        use std::fmt::Write as _;
        let (class, member, page) = match place {
            Place::Home => return out.push('/'),
            Place::Of(class, member, page) => (class as usize, member, page),
            Place::Deal(day) => (CLASSES.len(), day, 1),
        };
        // writing to a string cannot fail
        let _ = write!(out, "/p/{:06x}", self.row.number(class, member));
        if page != 1 {
            let _ = write!(out, "?pg={page}");
        }
    }

    fn exists(&self, place: Place) -> bool {
        match place {
            Place::Home => true,
            Place::Of(class, member, page) => {
                member < self.size(class) && (1..=self.last_page(class, member)).contains(&page)
            }
            Place::Deal(day) => day < self.days.saturating_add(FUTURE_DAYS),
        }
    }

    fn truth(&self, place: Place) -> Truth {
        let page_type = match place {
            Place::Home => PageType::Other,
            Place::Of(class, ..) => class.page_type(),
            Place::Deal(_) => PageType::List,
        };
        let waste = match place {
            Place::Deal(day) if day >= self.days => Some("calendar".to_owned()),
            Place::Of(class, member, _) if self.is_spam(class, member) => Some("spam".to_owned()),
            _ => None,
        };
        let template = match place {
            Place::Of(Class::Item, item, _) if !self.is_product(item) => "place".to_owned(),
            _ => self.grain(place).0.to_owned(),
        };
        let is_theirs = matches!(place, Place::Of(Class::Review | Class::User | Class::Guide, ..));
        let user_created = is_theirs && waste.is_none();
        let topic = match place {
            Place::Of(class, member, _) if waste.is_none() => self.topic(class, member),
            _ => None,
        };
        let topics = topic.map(|topic| self.ground.name(topic)).into_iter().collect();
        Truth { page_type, template, user_created, topics, duplicate_of: None, waste }
    }

    fn grain(&self, place: Place) -> (&'static str, u64) {
        match place {
            Place::Home => ("home", 0),
            Place::Of(class, member, _) => (class.name(), member),
            Place::Deal(day) => ("deal", day),
        }
    }

    fn places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        let members =
            CLASSES.into_iter().flat_map(|class| (0..self.size(class)).map(move |member| (class, member)));
        let clean = members.filter(|(class, member)| !self.is_spam(*class, *member));
        let pages = clean.flat_map(|(class, member)| {
            (1..=self.last_page(class, member)).map(move |page| Place::Of(class, member, page))
        });
        Box::new([Place::Home].into_iter().chain(pages).chain((0..self.days).map(Place::Deal)))
    }

    fn home(&self) -> Place {
        Place::Home
    }

    fn menu(&self) -> (&'static str, Vec<(Place, String)>) {
        let branches =
            (0u64..).zip(&self.branches).map(|(n, name)| (Place::Of(Class::Branch, n, 1), name.clone()));
        let deals = (Place::Of(Class::Deals, 0, 1), "Daily deals".to_owned());
        ("SecondOpinion", branches.take(8).chain([deals]).collect())
    }

    fn write(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        pages::write(self, place, sheet);
    }

    fn aside(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        pages::aside(self, place, sheet);
    }

    fn gone(&self, draw: u64) -> String {
        format!("/p/{:06x}", self.row.len().saturating_add(draw))
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/search", "/write"]
    }
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Category => "category",
            Self::Brand => "brand",
            Self::Item => "product",
            Self::Specs => "specs",
            Self::Prices => "prices",
            Self::Reviews => "item-reviews",
            Self::Review => "review",
            Self::User => "reviewer",
            Self::Trust => "trust",
            Self::UserReviews => "reviewer-reviews",
            Self::Guide => "guide",
            Self::Members => "members",
            Self::Guides => "guides",
            Self::Deals => "deals",
        }
    }

    fn page_type(self) -> PageType {
        match self {
            Self::Branch | Self::Category | Self::Brand | Self::Reviews | Self::Trust | Self::UserReviews => {
                PageType::List
            }
            Self::Members | Self::Guides | Self::Deals => PageType::List,
            Self::Item | Self::Review | Self::Guide => PageType::Detail,
            Self::User => PageType::Profile,
            Self::Specs | Self::Prices => PageType::Other,
        }
    }
}
