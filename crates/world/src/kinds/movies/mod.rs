//! `movies`: films and people in an editor's catalogue; reviews, lists and profiles made by users.
//!
//! The catalogue is what is met first and most: genres, years, charts, films with their credits and stills, people.
//! What users made hangs below the films and behind a small corner of the start page. URLs speak (`/title/tt0012345/`),
//! and each class of page has a pattern of its own.

mod pages;
mod users;

use crate::nasty::Setting;
use crate::site::Truth;
use crate::text::{handle, person};
use crate::{Dice, Permutation};
use osprey_model::PageType;

use super::ground::Ground;
use super::hosted::{Asked, Plan};
use super::pieces::pages_of;
use super::sheet::Sheet;
use super::tags::{Tag, Tags};
use super::ties::{Bent, Deal, Sections, Slots, Tie};

const GENRES: [&str; 16] = [
    "Action",
    "Adventure",
    "Animation",
    "Biography",
    "Comedy",
    "Crime",
    "Documentary",
    "Drama",
    "Family",
    "Fantasy",
    "History",
    "Horror",
    "Musical",
    "Romance",
    "Thriller",
    "Western",
];
const FIRST_YEAR: u64 = 1968;
const YEARS: u64 = 45;
const LETTERS: u64 = 26;

const FILMS_A_PAGE: u64 = 25;
const NAMES_A_PAGE: u64 = 60;
const REVIEWS_A_PAGE: u64 = 12;
const CHARTS_A_PAGE: u64 = 40;

/// A page of the site. Numbers are ranks within a class; URLs show a shuffle of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Home,
    Keywords,
    Keyword(Tag, u64),
    Genre(u64, u64),
    Year(u64, u64),
    Names(u64, u64),
    Charts(u64),
    Chart(u64),
    Members(u64),
    Lists(u64),
    Title(u64),
    Credits(u64),
    Stills(u64),
    Reviews(u64, u64),
    Person(u64),
    User(u64),
    UserReviews(u64, u64),
    Review(u64),
    List(u64),
}

/// The site.
pub(crate) struct Movies {
    ground: Ground,
    titles: Sections,
    people: Sections,
    users: Sections,
    reviews: Sections,
    lists: Sections,
    weeks: u64,
    shuffles: [Permutation; 5],
    keywords: Tags,
    genres: Deal,
    years: Deal,
    letters: Deal,
    cast: Slots,
    reviewed: Tie,
    reviewers: Tie,
    list_owners: Tie,
    listed: Slots,
    follows: Slots,
}

impl Movies {
    fn dice(&self, class: &str, member: u64) -> Dice {
        self.ground.setting.dice.of(class).at(member)
    }

    fn film_name(&self, title: u64) -> String {
        self.ground.title(self.titles.topic(title), self.dice("film", title))
    }

    fn year(&self, title: u64) -> u64 {
        FIRST_YEAR + self.years.owner(title).unwrap_or(0)
    }

    fn person_name(&self, who: u64) -> String {
        let mut name = String::new();
        person(self.dice("person", who), &mut name);
        name
    }

    fn user_name(&self, user: u64) -> String {
        handle(self.dice("user", user))
    }

    fn list_name(&self, list: u64) -> String {
        self.ground.title(self.lists.topic(list), self.dice("list", list))
    }

    fn review_name(&self, review: u64) -> String {
        self.ground.title(self.reviews.topic(review), self.dice("review", review))
    }

    fn has_credits(&self, title: u64) -> bool {
        self.dice("film", title).of("credits").chance(0.5)
    }

    fn has_stills(&self, title: u64) -> bool {
        self.dice("film", title).of("stills").chance(0.35)
    }

    fn review_pages(&self, title: u64) -> u64 {
        self.reviewed.children(title).len().div_ceil(REVIEWS_A_PAGE)
    }

    /// Reviewers with few reviews show them all on their profile.
    fn user_review_pages(&self, user: u64) -> u64 {
        let reviews = self.reviewers.children(user).len();
        if reviews > REVIEWS_A_PAGE / 2 { pages_of(reviews, REVIEWS_A_PAGE) } else { 0 }
    }

    fn is_spammer(&self, user: Option<u64>) -> bool {
        user.is_some_and(|user| self.ground.is_spammer(self.dice("user", user)))
    }

    fn is_spam(&self, place: Place) -> bool {
        match place {
            Place::User(user) | Place::UserReviews(user, _) => self.is_spammer(Some(user)),
            Place::Review(review) => self.is_spammer(self.reviewers.parent(review)),
            Place::List(list) => self.is_spammer(self.list_owners.parent(list)),
            _ => false,
        }
    }

    fn topic(&self, place: Place) -> Option<usize> {
        Some(match place {
            Place::Keyword(tag, _) => tag.topic as usize,
            Place::Title(t) | Place::Credits(t) | Place::Stills(t) | Place::Reviews(t, _) => {
                self.titles.topic(t)
            }
            Place::Person(who) => self.people.topic(who),
            Place::User(user) | Place::UserReviews(user, _) => self.users.topic(user),
            Place::Review(review) => self.reviews.topic(review),
            Place::List(list) => self.lists.topic(list),
            _ => return None,
        })
    }

    /// The number that URLs show for a member of a class, and back.
    fn shown(&self, class: Class, member: u64) -> u64 {
        self.shuffles.get(class as usize).map_or(member, |shuffle| shuffle.at(member)) + 1
    }

    fn member(&self, class: Class, shown: &str) -> Option<u64> {
        let number = shown.parse::<u64>().ok()?.checked_sub(1)?;
        Some(self.shuffles.get(class as usize)?.place_of(number))
    }
}

#[derive(Clone, Copy)]
enum Class {
    Title,
    Person,
    User,
    Review,
    List,
}

impl Plan for Movies {
    type Place = Place;

    fn new(setting: Setting) -> Self {
        let ground = Ground::new(setting, "movies", |_| 1.0);
        let dice = ground.setting.dice.of("ties");
        let (titles, people) = (ground.sections(0.22, 60), ground.sections(0.17, 50));
        let (users, reviews) = (ground.sections(0.065, 20), ground.sections(0.17, 60));
        let lists = ground.sections(0.03, 10);
        let shuffle = |sections: &Sections, name: &str| Permutation::new(sections.len(), dice.of(name));
        let faithful = Bent { loyalty: 1.0, evenness: 0.45 };
        let free = Bent { loyalty: 0.7, evenness: 0.5 };
        Self {
            weeks: ground.count(0.015, 8),
            shuffles: [
                shuffle(&titles, "tt"),
                shuffle(&people, "nm"),
                shuffle(&users, "ur"),
                shuffle(&reviews, "rw"),
                shuffle(&lists, "ls"),
            ],
            keywords: Tags::new(&titles, &ground, dice.of("keywords")),
            genres: Deal::new(titles.len(), GENRES.len() as u64, 0.6, dice.of("genres")),
            years: Deal::new(titles.len(), YEARS, 1.0, dice.of("years")),
            letters: Deal::new(people.len(), LETTERS, 0.8, dice.of("letters")),
            cast: Slots::new(&titles, &people, 8, 0.8, dice.of("cast")),
            reviewed: Tie::new(&reviews, &titles, faithful, dice.of("reviewed")),
            reviewers: Tie::new(&reviews, &users, free, dice.of("reviewers")),
            list_owners: Tie::new(&lists, &users, Bent { evenness: 0.7, ..free }, dice.of("list owners")),
            listed: Slots::new(&lists, &titles, 24, 0.6, dice.of("listed")),
            follows: Slots::new(&users, &users, 7, 0.6, dice.of("follows")),
            ground,
            titles,
            people,
            users,
            reviews,
            lists,
        }
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn read(&self, asked: Asked<'_>) -> Option<Place> {
        let page = asked.page("page")?;
        let mut parts = asked.path.trim_matches('/').split('/');
        let (class, name, view) = (parts.next()?, parts.next().unwrap_or(""), parts.next());
        let number = |prefix: &str, class: Class| self.member(class, name.strip_prefix(prefix)?);
        Some(match (class, view) {
            ("", None) => Place::Home,
            ("keyword", None) if name.is_empty() => Place::Keywords,
            ("keyword", None) => Place::Keyword(Tag::of_number(name.split('-').next()?.parse().ok()?), page),
            ("genre", None) => {
                Place::Genre(GENRES.iter().position(|g| g.eq_ignore_ascii_case(name))? as u64, page)
            }
            ("year", None) => Place::Year(name.parse::<u64>().ok()?.checked_sub(FIRST_YEAR)?, page),
            ("names", None) => Place::Names(u64::from(name.bytes().next()?.checked_sub(b'a')?), page),
            ("boxoffice", None) if name.is_empty() => Place::Charts(page),
            ("boxoffice", None) => Place::Chart(name.strip_prefix("week-")?.parse().ok()?),
            ("members", None) => Place::Members(page),
            ("lists", None) => Place::Lists(page),
            ("title", None) => Place::Title(number("tt", Class::Title)?),
            ("title", Some("fullcredits")) => Place::Credits(number("tt", Class::Title)?),
            ("title", Some("mediaindex")) => Place::Stills(number("tt", Class::Title)?),
            ("title", Some("reviews")) => Place::Reviews(number("tt", Class::Title)?, page),
            ("name", None) => Place::Person(number("nm", Class::Person)?),
            ("user", None) => Place::User(number("ur", Class::User)?),
            ("user", Some("reviews")) => Place::UserReviews(number("ur", Class::User)?, page),
            ("review", None) => Place::Review(number("rw", Class::Review)?),
            ("list", None) => Place::List(number("ls", Class::List)?),
            _ => return None,
        })
    }

    fn path(&self, place: Place, out: &mut String) {
        use std::fmt::Write as _;
        let title = |t: u64| self.shown(Class::Title, t);
        let user = |u: u64| self.shown(Class::User, u);
        // writing to a string cannot fail
        let _ = match place {
            Place::Home => write!(out, "/"),
            Place::Keywords => write!(out, "/keyword/"),
            Place::Keyword(tag, _) => {
                let slug = crate::markup::slug(Tags::text(&self.ground, tag));
                write!(out, "/keyword/{}-{slug}", tag.number())
            }
            Place::Genre(genre, _) => {
                let name = GENRES.get(genre as usize).map(|name| name.to_ascii_lowercase());
                write!(out, "/genre/{}", name.unwrap_or_default())
            }
            Place::Year(year, _) => write!(out, "/year/{}", FIRST_YEAR.saturating_add(year)),
            Place::Names(letter, _) => {
                write!(out, "/names/{}", char::from(b'a'.saturating_add(letter as u8)))
            }
            Place::Charts(_) => write!(out, "/boxoffice/"),
            Place::Chart(week) => write!(out, "/boxoffice/week-{week}"),
            Place::Members(_) => write!(out, "/members"),
            Place::Lists(_) => write!(out, "/lists"),
            Place::Title(t) => write!(out, "/title/tt{:07}/", title(t)),
            Place::Credits(t) => write!(out, "/title/tt{:07}/fullcredits", title(t)),
            Place::Stills(t) => write!(out, "/title/tt{:07}/mediaindex", title(t)),
            Place::Reviews(t, _) => write!(out, "/title/tt{:07}/reviews", title(t)),
            Place::Person(who) => write!(out, "/name/nm{:07}/", self.shown(Class::Person, who)),
            Place::User(u) => write!(out, "/user/ur{:07}/", user(u)),
            Place::UserReviews(u, _) => write!(out, "/user/ur{:07}/reviews", user(u)),
            Place::Review(review) => write!(out, "/review/rw{:07}/", self.shown(Class::Review, review)),
            Place::List(list) => write!(out, "/list/ls{:07}/", self.shown(Class::List, list)),
        };
        if let Some(page) = place.page().filter(|page| *page != 1) {
            let _ = write!(out, "?page={page}");
        }
    }

    fn exists(&self, place: Place) -> bool {
        let within = |page: u64, last: u64| (1..=last).contains(&page);
        match place {
            Place::Home | Place::Keywords => true,
            Place::Keyword(tag, page) => self.keywords.exists(tag) && within(page, self.last_page(place)),
            Place::Genre(genre, page) => genre < GENRES.len() as u64 && within(page, self.last_page(place)),
            Place::Year(year, page) => year < YEARS && within(page, self.last_page(place)),
            Place::Names(letter, page) => letter < LETTERS && within(page, self.last_page(place)),
            Place::Charts(page) | Place::Members(page) | Place::Lists(page) => {
                within(page, self.last_page(place))
            }
            Place::Chart(week) => week < self.weeks + FUTURE_WEEKS,
            Place::Title(t) => t < self.titles.len(),
            Place::Credits(t) => t < self.titles.len() && self.has_credits(t),
            Place::Stills(t) => t < self.titles.len() && self.has_stills(t),
            Place::Reviews(t, page) => t < self.titles.len() && within(page, self.last_page(place)),
            Place::Person(who) => who < self.people.len(),
            Place::User(u) => u < self.users.len(),
            Place::UserReviews(u, page) => u < self.users.len() && within(page, self.last_page(place)),
            Place::Review(review) => review < self.reviews.len(),
            Place::List(list) => list < self.lists.len(),
        }
    }

    fn truth(&self, place: Place) -> Truth {
        let (page_type, template) = place.class();
        let template = template.to_owned();
        let waste = match place {
            Place::Chart(week) if week >= self.weeks => Some("calendar".to_owned()),
            place if self.is_spam(place) => Some("spam".to_owned()),
            _ => None,
        };
        let is_theirs = matches!(place, Place::User(_) | Place::Review(_) | Place::List(_));
        let user_created = is_theirs && waste.is_none();
        let topics = match waste {
            None => self.topic(place).map(|topic| self.ground.name(topic)).into_iter().collect(),
            Some(_) => Vec::new(),
        };
        Truth { page_type, template, user_created, topics, duplicate_of: None, waste }
    }

    fn grain(&self, place: Place) -> (&'static str, u64) {
        let number = match place {
            Place::Keyword(tag, _) => tag.number(),
            Place::Genre(n, _) | Place::Year(n, _) | Place::Names(n, _) | Place::Chart(n) => n,
            Place::Title(n) | Place::Credits(n) | Place::Stills(n) | Place::Reviews(n, _) => n,
            Place::Person(n)
            | Place::User(n)
            | Place::UserReviews(n, _)
            | Place::Review(n)
            | Place::List(n) => n,
            Place::Home | Place::Keywords | Place::Charts(_) | Place::Members(_) | Place::Lists(_) => 0,
        };
        (place.class().1, number)
    }

    fn places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        let keywords = self.keywords.all().flat_map(|tag| self.paged(move |page| Place::Keyword(tag, page)));
        let genres =
            (0..GENRES.len() as u64).flat_map(|genre| self.paged(move |page| Place::Genre(genre, page)));
        let years = (0..YEARS).flat_map(|year| self.paged(move |page| Place::Year(year, page)));
        let names = (0..LETTERS).flat_map(|letter| self.paged(move |page| Place::Names(letter, page)));
        let charts = self.paged(Place::Charts).chain((0..self.weeks).map(Place::Chart));
        let films = (0..self.titles.len()).flat_map(|t| {
            let more = [Place::Title(t), Place::Credits(t), Place::Stills(t)];
            more.into_iter()
                .filter(|place| self.exists(*place))
                .chain(self.paged(move |page| Place::Reviews(t, page)))
        });
        let people = (0..self.people.len()).map(Place::Person);
        let users = (0..self.users.len()).flat_map(|u| {
            [Place::User(u)].into_iter().chain(self.paged(move |page| Place::UserReviews(u, page)))
        });
        let made = (0..self.reviews.len()).map(Place::Review).chain((0..self.lists.len()).map(Place::List));
        let clean = users.chain(made).filter(|place| !self.is_spam(*place));
        let community = self.paged(Place::Members).chain(self.paged(Place::Lists));
        let catalogue = [Place::Home, Place::Keywords].into_iter().chain(keywords).chain(genres).chain(years);
        Box::new(
            catalogue.chain(names).chain(charts).chain(films).chain(people).chain(community).chain(clean),
        )
    }

    fn home(&self) -> Place {
        Place::Home
    }

    fn menu(&self) -> (&'static str, Vec<(Place, String)>) {
        let mut menu =
            vec![(Place::Charts(1), "Box office".to_owned()), (Place::Names(0, 1), "People".to_owned())];
        let genres = (0u64..).zip(GENRES).filter(|(genre, _)| [1, 4, 7, 11, 14].contains(genre));
        menu.extend(genres.map(|(genre, name)| (Place::Genre(genre, 1), name.to_owned())));
        menu.push((Place::Keywords, "Keywords".to_owned()));
        ("ReelHouse", menu)
    }

    fn write(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        pages::write(self, place, sheet);
    }

    fn aside(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        pages::aside(self, place, sheet);
    }

    fn gone(&self, draw: u64) -> String {
        let number = 8_000_000_000 + draw / 4;
        match draw % 4 {
            0 => format!("/name/nm{number}/"),
            1 => format!("/review/rw{number}/"),
            _ => format!("/title/tt{number}/"),
        }
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/search", "/subscribe"]
    }
}

/// How far into the future empty charts go: without end for any crawl.
const FUTURE_WEEKS: u64 = 1 << 40;

impl Movies {
    /// The number of pages of the list that `place` is a page of; 0 if there is none.
    fn last_page(&self, place: Place) -> u64 {
        match place {
            Place::Keyword(tag, _) => pages_of(self.keywords.len(tag), FILMS_A_PAGE),
            Place::Genre(genre, _) => pages_of(self.genres.len(genre), FILMS_A_PAGE),
            Place::Year(year, _) => pages_of(self.years.len(year), FILMS_A_PAGE),
            Place::Names(letter, _) => pages_of(self.letters.len(letter), NAMES_A_PAGE),
            Place::Charts(_) => pages_of(self.weeks, CHARTS_A_PAGE),
            Place::Members(_) => pages_of(self.users.len(), NAMES_A_PAGE),
            Place::Lists(_) => pages_of(self.lists.len(), NAMES_A_PAGE),
            Place::Reviews(title, _) => self.review_pages(title),
            Place::UserReviews(user, _) => self.user_review_pages(user),
            _ => 0,
        }
    }

    fn paged(&self, place: impl Fn(u64) -> Place) -> impl Iterator<Item = Place> {
        (1..=self.last_page(place(1))).map(place)
    }
}

impl Place {
    fn page(self) -> Option<u64> {
        match self {
            Self::Keyword(_, page)
            | Self::Genre(_, page)
            | Self::Year(_, page)
            | Self::Names(_, page)
            | Self::Charts(page)
            | Self::Members(page)
            | Self::Lists(page)
            | Self::Reviews(_, page)
            | Self::UserReviews(_, page) => Some(page),
            _ => None,
        }
    }

    fn class(self) -> (PageType, &'static str) {
        match self {
            Self::Home => (PageType::Other, "home"),
            Self::Keywords => (PageType::List, "keywords"),
            Self::Keyword(..) => (PageType::List, "keyword"),
            Self::Genre(..) => (PageType::List, "genre"),
            Self::Year(..) => (PageType::List, "year"),
            Self::Names(..) => (PageType::List, "names"),
            Self::Charts(_) => (PageType::List, "charts"),
            Self::Chart(_) => (PageType::List, "chart"),
            Self::Members(_) => (PageType::List, "members"),
            Self::Lists(_) => (PageType::List, "lists"),
            Self::Title(_) => (PageType::Detail, "title"),
            Self::Credits(_) => (PageType::Other, "credits"),
            Self::Stills(_) => (PageType::Other, "stills"),
            Self::Reviews(..) => (PageType::List, "title-reviews"),
            Self::Person(_) => (PageType::Profile, "person"),
            Self::User(_) => (PageType::Profile, "user"),
            Self::UserReviews(..) => (PageType::List, "user-reviews"),
            Self::Review(_) => (PageType::Detail, "review"),
            Self::List(_) => (PageType::List, "user-list"),
        }
    }
}
