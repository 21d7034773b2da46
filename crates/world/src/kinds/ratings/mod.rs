//! `ratings`: products and places to compare, with reviews by buyers and guests.
//!
//! Every page but the start page has an opaque URL, `/p/1f3a07`: nothing in it distinguishes a price table from a
//! review. Prices, specifications and daily deals are most of the pages and have no author; users wrote the reviews,
//! the reviewers' pages and the guides.

mod pages;
mod users;

use crate::Dice;
use crate::nasty::Setting;
use crate::text::handle;

use super::ground::Ground;
use super::members::Members;
use super::numbering::Numbering;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::ties::{Assignment, Sections, Slots, Tie, TieShape};
use super::writer::PageWriter;

site_map! {
    /// A page of the site of opinions. All kinds but the first share one row of numbers, in this order.
    RatingsPage of RatingsClass [Once, Branch, Topic, Brand, Item, Review, User, Guide, Day]
    Once   { Home        Other   "home"             "/"; }
    Branch { Branch      List    "branch"           "/p/{}"; }
    Topic  { Category    List    "category"         "/p/{}"; }
    Brand  { Brand       List    "brand"            "/p/{}"; }
    Item   { Item        Detail  "product"          "/p/{}"; }
    Item   { Specs       Other   "specs"            "/p/{}"; }
    Item   { Prices      Other   "prices"           "/p/{}"; }
    Item   { Reviews     List    "item-reviews"     "/p/{}"; }
    Review { Review      Detail  "review"           "/p/{}" users; }
    User   { User        Profile "reviewer"         "/p/{}" users; }
    User   { Trust       List    "trust"            "/p/{}"; }
    User   { UserReviews List    "reviewer-reviews" "/p/{}"; }
    Guide  { Guide       Detail  "guide"            "/p/{}" users; }
    Once   { Members     List    "members"          "/p/{}"; }
    Once   { Guides      List    "guides"           "/p/{}"; }
    Once   { Deals       List    "deals"            "/p/{}"; }
    Day    { Deal        List    "deal"             "/p/{}"; }
}

const ITEMS_A_PAGE: u64 = 20;
const REVIEWS_A_PAGE: u64 = 10;
const NAMES_A_PAGE: u64 = 50;
const DEALS_A_PAGE: u64 = 60;

/// How far daily deals are announced: without end for any crawl.
const FUTURE_DAYS: u64 = 1 << 33;

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
    brand_items: Assignment,
    about: Tie,
    authors: Tie,
    guide_authors: Tie,
    guided: Slots,
    trust: Slots,
}

impl Ratings {
    fn dice(&self, kind: RatingsPage, member: u64) -> Dice {
        self.ground.setting.dice.of(kind.row().template).at(member)
    }

    /// Whether an item is a product; otherwise it is a place to visit. Depends on its topic.
    fn is_product(&self, item: u64) -> bool {
        !self.ground.topic_id(self.items.topic(item)).0.is_multiple_of(3)
    }

    fn item_name(&self, item: u64) -> String {
        self.ground.title(self.items.topic(item), self.dice(RatingsPage::Item, item))
    }

    fn brand_name(&self, brand: u64) -> String {
        let name = crate::text::person_name(self.dice(RatingsPage::Brand, brand));
        format!("{} & Co", name.rsplit(' ').next().unwrap_or_default())
    }

    fn user_name(&self, user: u64) -> String {
        handle(self.dice(RatingsPage::User, user))
    }

    fn guide_name(&self, guide: u64) -> String {
        self.ground.title(self.guides.topic(guide), self.dice(RatingsPage::Guide, guide))
    }

    fn review_name(&self, review: u64) -> String {
        self.ground.title(self.reviews.topic(review), self.dice(RatingsPage::Review, review))
    }

    /// The topics of a branch.
    fn topics_of(&self, branch: u64) -> impl Iterator<Item = usize> + '_ {
        self.branch_of.iter().enumerate().filter(move |(_, b)| **b as u64 == branch).map(|(topic, _)| topic)
    }
}

impl Plan for Ratings {
    type Page = RatingsPage;
    const HOME: RatingsPage = RatingsPage::Home;
    const BRAND: &'static str = "SecondOpinion";
    const ITEMS: &'static [RatingsPage] = &[RatingsPage::Item];
    const USERS: &'static str = "reviewer";
    const DISALLOWED: &'static [&'static str] = &["/search", "/write"];
    const PAGE_PARAM: &'static str = "pg";

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
        let free = TieShape { loyalty: 0.75, evenness: 0.5 };
        let brands = ground.count(0.006, 5);
        let mut site = Self {
            about: Tie::new(&reviews, &items, TieShape { loyalty: 1.0, evenness: 0.5 }, dice.of("about")),
            authors: Tie::new(&reviews, &users, free, dice.of("authors")),
            guide_authors: Tie::new(&guides, &users, free, dice.of("guide authors")),
            guided: Slots::new(&guides, &items, 16, 0.6, dice.of("guided")),
            trust: Slots::new(&users, &users, 9, 0.5, dice.of("trust")),
            brand_items: Assignment::new(items.len(), brands, 0.6, dice.of("brands")),
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
        let kinds = RatingsPage::ALL.iter().skip(1);
        let mut sizes: Vec<u64> = kinds.map(|kind| site.class(kind.row().class).listed.end).collect();
        if let Some(days) = sizes.last_mut() {
            *days = days.saturating_add(FUTURE_DAYS);
        }
        site.row = Numbering::new(&sizes, dice.of("row"));
        site
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn class(&self, class: RatingsClass) -> Members<'_> {
        match class {
            RatingsClass::Once => Members::once(),
            RatingsClass::Branch => Members::count(self.branches.len() as u64),
            RatingsClass::Topic => Members::topics(self.ground.topic_count()),
            RatingsClass::Brand => Members::count(self.brands),
            RatingsClass::Item => Members::of(&self.items),
            RatingsClass::Review => Members::of(&self.reviews).made_by(&self.authors),
            RatingsClass::User => Members::of(&self.users).users(),
            RatingsClass::Guide => Members::of(&self.guides).made_by(&self.guide_authors),
            RatingsClass::Day => Members::count(self.days).known(0..self.days + FUTURE_DAYS),
        }
    }

    fn last_page(&self, page: PageId<RatingsPage>) -> u64 {
        let (kind, id) = (page.kind, page.id);
        let only_if = |there: bool| u64::from(there);
        match kind {
            RatingsPage::Category => {
                let range = self.items.range(id as usize);
                pages_of(range.end - range.start, ITEMS_A_PAGE)
            }
            RatingsPage::Brand => pages_of(self.brand_items.len(id), ITEMS_A_PAGE),
            RatingsPage::Specs => only_if(self.is_product(id) && self.dice(kind, id).chance(0.5)),
            RatingsPage::Prices => only_if(self.is_product(id) && self.dice(kind, id).chance(0.8)),
            RatingsPage::Reviews => match self.about.children(id).len() {
                0..=3 => 0,
                reviews => pages_of(reviews, REVIEWS_A_PAGE),
            },
            RatingsPage::Trust => only_if(!self.trust.parents(id).is_empty()),
            RatingsPage::UserReviews => match self.authors.children(id).len() {
                0..=5 => 0,
                reviews => pages_of(reviews, REVIEWS_A_PAGE),
            },
            RatingsPage::Members => pages_of(self.users.len(), NAMES_A_PAGE),
            RatingsPage::Guides => pages_of(self.guides.len(), NAMES_A_PAGE),
            RatingsPage::Deals => pages_of(self.days, DEALS_A_PAGE),
            _ => 1,
        }
    }

    fn write_id(&self, kind: RatingsPage, id: u64, out: &mut String) {
        let number = self.row.number((kind as usize).saturating_sub(1), id);
        out.push_str(&format!("{number:06x}"));
    }

    fn read_id(&self, kind: RatingsPage, name: &str) -> Option<u64> {
        self.read_any(name).filter(|(found, _)| *found == kind).map(|(_, id)| id)
    }

    fn read_any(&self, name: &str) -> Option<(RatingsPage, u64)> {
        let (class, member) = self.row.member(u64::from_str_radix(name, 16).ok()?)?;
        Some((*RatingsPage::ALL.get(class + 1)?, member))
    }

    fn template(&self, page: PageId<RatingsPage>) -> &'static str {
        match page.kind {
            RatingsPage::Item if !self.is_product(page.id) => "place",
            kind => kind.row().template,
        }
    }

    fn menu(&self) -> Vec<(PageId<RatingsPage>, String)> {
        let branches = (0..).zip(&self.branches).map(|(n, name)| (RatingsPage::Branch.of(n), name.clone()));
        branches.take(8).chain([(RatingsPage::Deals.first(), "Daily deals".to_owned())]).collect()
    }

    fn write(&self, page: PageId<RatingsPage>, out: &mut PageWriter<'_, Self>) {
        pages::write(self, page, out);
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        pages::aside(self, out);
    }

    /// No pattern can tell an item from anything else here: such a person can only begin at the right place.
    fn topic_lists(&self, topic: usize) -> Vec<PageId<RatingsPage>> {
        vec![RatingsPage::Category.of(topic as u64)]
    }

    fn gone(&self, draw: u64) -> String {
        format!("/p/{:06x}", self.row.len().saturating_add(draw))
    }
}
