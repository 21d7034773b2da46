//! `movies`: films and people in an editor's catalogue; reviews, lists and profiles made by users.
//!
//! A crawl finds the catalogue first, and most of all: genres, years, charts, films with their credits and stills,
//! people. User content is below the films and behind a small corner of the start page. URLs are descriptive
//! (`/title/tt0012345/`), and each class of page has a pattern of its own.

mod pages;
mod users;

use crate::nasty::Setting;
use crate::text::{handle, person_name};
use crate::{Dice, Permutation};

use super::expert::LISTS_OF_TOPIC;
use super::ground::Ground;
use super::members::Members;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::tags::Tags;
use super::ties::{Assignment, Sections, Slots, Tie, TieShape};
use super::writer::PageWriter;

site_map! {
    /// A page of the site of films.
    MoviesPage of MoviesClass
        [Once, Keyword, Genre, Year, Letter, Week, Title, Person, User, Review, List]
    Once {
        Home        Other   "home"          "/";
        Keywords    List    "keywords"      "/keyword/";
    }
    Keyword {
        Keyword     List    "keyword"       "/keyword/{}";
    }
    Genre {
        Genre       List    "genre"         "/genre/{}";
    }
    Year {
        Year        List    "year"          "/year/{}";
    }
    Letter {
        Names       List    "names"         "/names/{}";
    }
    Once {
        Charts      List    "charts"        "/boxoffice/";
    }
    Week {
        Chart       List    "chart"         "/boxoffice/week-{}";
    }
    Title {
        Title       Detail  "title"         "/title/tt{}/";
        Credits     Other   "credits"       "/title/tt{}/fullcredits";
        Stills      Other   "stills"        "/title/tt{}/mediaindex";
        Reviews     List    "title-reviews" "/title/tt{}/reviews";
    }
    Person {
        Person      Profile "person"        "/name/nm{}/";
    }
    Once {
        Members     List    "members"       "/members";
        Lists       List    "lists"         "/lists";
    }
    User {
        User        Profile "user"          "/user/ur{}/" users;
        UserReviews List    "user-reviews"  "/user/ur{}/reviews";
    }
    Review {
        Review      Detail  "review"        "/review/rw{}/" users;
    }
    List {
        List        List    "user-list"     "/list/ls{}/" users;
    }
}

const GENRES: [&str; 16] = words! {
    "Action" "Adventure" "Animation" "Biography" "Comedy" "Crime" "Documentary" "Drama" "Family" "Fantasy"
    "History" "Horror" "Musical" "Romance" "Thriller" "Western"
};
const FIRST_YEAR: u64 = 1968;
const YEARS: u64 = 45;
const LETTERS: u64 = 26;

const FILMS_A_PAGE: u64 = 25;
const NAMES_A_PAGE: u64 = 60;
const REVIEWS_A_PAGE: u64 = 12;
const CHARTS_A_PAGE: u64 = 40;

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
    genres: Assignment,
    years: Assignment,
    letters: Assignment,
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
        person_name(self.dice("person", who))
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

    /// How the numbers of a class are shuffled in URLs.
    fn shuffle(&self, class: MoviesClass) -> Option<&Permutation> {
        self.shuffles.get(match class {
            MoviesClass::Title => 0,
            MoviesClass::Person => 1,
            MoviesClass::User => 2,
            MoviesClass::Review => 3,
            _ => 4,
        })
    }
}

/// How far into the future empty charts go: without end for any crawl.
const FUTURE_WEEKS: u64 = 1 << 40;

impl Plan for Movies {
    type Page = MoviesPage;
    const HOME: MoviesPage = MoviesPage::Home;
    const BRAND: &'static str = "ReelHouse";
    const ITEMS: &'static [MoviesPage] = &[MoviesPage::Title, MoviesPage::Reviews, MoviesPage::Review];
    const DISALLOWED: &'static [&'static str] = &["/search", "/subscribe"];

    fn new(setting: Setting) -> Self {
        let ground = Ground::new(setting, "movies", |_| 1.0);
        let dice = ground.setting.dice.of("ties");
        let (titles, people) = (ground.sections(0.22, 60), ground.sections(0.17, 50));
        let (users, reviews) = (ground.sections(0.065, 20), ground.sections(0.17, 60));
        let lists = ground.sections(0.03, 10);
        let shuffle = |sections: &Sections, name: &str| Permutation::new(sections.len(), dice.of(name));
        let faithful = TieShape { loyalty: 1.0, evenness: 0.45 };
        let free = TieShape { loyalty: 0.7, evenness: 0.5 };
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
            genres: Assignment::new(titles.len(), GENRES.len() as u64, 0.6, dice.of("genres")),
            years: Assignment::new(titles.len(), YEARS, 1.0, dice.of("years")),
            letters: Assignment::new(people.len(), LETTERS, 0.8, dice.of("letters")),
            cast: Slots::new(&titles, &people, 8, 0.8, dice.of("cast")),
            reviewed: Tie::new(&reviews, &titles, faithful, dice.of("reviewed")),
            reviewers: Tie::new(&reviews, &users, free, dice.of("reviewers")),
            list_owners: Tie::new(&lists, &users, TieShape { evenness: 0.7, ..free }, dice.of("list owners")),
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

    fn class(&self, class: MoviesClass) -> Members<'_> {
        match class {
            MoviesClass::Once => Members::once(),
            MoviesClass::Keyword => Members::tags(&self.keywords),
            MoviesClass::Genre => Members::count(GENRES.len() as u64),
            MoviesClass::Year => Members::count(YEARS),
            MoviesClass::Letter => Members::count(LETTERS),
            MoviesClass::Week => Members::count(self.weeks).known(0..self.weeks + FUTURE_WEEKS),
            MoviesClass::Title => Members::of(&self.titles),
            MoviesClass::Person => Members::of(&self.people),
            MoviesClass::User => Members::of(&self.users).users(),
            MoviesClass::Review => Members::of(&self.reviews).made_by(&self.reviewers),
            MoviesClass::List => Members::of(&self.lists).made_by(&self.list_owners),
        }
    }

    fn last_page(&self, page: PageId<MoviesPage>) -> u64 {
        let id = page.id;
        match page.kind {
            MoviesPage::Keyword => pages_of(self.keywords.len(id), FILMS_A_PAGE),
            MoviesPage::Genre => pages_of(self.genres.len(id), FILMS_A_PAGE),
            MoviesPage::Year => pages_of(self.years.len(id), FILMS_A_PAGE),
            MoviesPage::Names => pages_of(self.letters.len(id), NAMES_A_PAGE),
            MoviesPage::Charts => pages_of(self.weeks, CHARTS_A_PAGE),
            MoviesPage::Members => pages_of(self.users.len(), NAMES_A_PAGE),
            MoviesPage::Lists => pages_of(self.lists.len(), NAMES_A_PAGE),
            MoviesPage::Credits => u64::from(self.has_credits(id)),
            MoviesPage::Stills => u64::from(self.has_stills(id)),
            MoviesPage::Reviews => self.reviewed.children(id).len().div_ceil(REVIEWS_A_PAGE),
            // reviewers with few reviews show them all on their profile
            MoviesPage::UserReviews => match self.reviewers.children(id).len() {
                reviews if reviews > REVIEWS_A_PAGE / 2 => pages_of(reviews, REVIEWS_A_PAGE),
                _ => 0,
            },
            _ => 1,
        }
    }

    fn write_id(&self, kind: MoviesPage, id: u64, out: &mut String) {
        match kind.row().class {
            MoviesClass::Keyword => out.push_str(&Tags::address(&self.ground, id)),
            MoviesClass::Genre => {
                out.push_str(
                    &GENRES.get(id as usize).map(|name| name.to_ascii_lowercase()).unwrap_or_default(),
                );
            }
            MoviesClass::Year => out.push_str(&FIRST_YEAR.saturating_add(id).to_string()),
            MoviesClass::Letter => out.push(char::from(b'a'.saturating_add(id as u8))),
            MoviesClass::Week => out.push_str(&id.to_string()),
            class => {
                let shown = self.shuffle(class).map_or(id, |shuffle| shuffle.at(id)) + 1;
                out.push_str(&format!("{shown:07}"));
            }
        }
    }

    fn read_id(&self, kind: MoviesPage, name: &str) -> Option<u64> {
        let number = |text: &str| text.parse::<u64>().ok();
        match kind.row().class {
            MoviesClass::Keyword => number(name.split('-').next()?),
            MoviesClass::Genre => GENRES.iter().position(|g| g.eq_ignore_ascii_case(name)).map(|g| g as u64),
            MoviesClass::Year => number(name)?.checked_sub(FIRST_YEAR),
            MoviesClass::Letter => Some(u64::from(name.bytes().next()?.checked_sub(b'a')?)),
            MoviesClass::Week => number(name),
            class => Some(self.shuffle(class)?.place_of(number(name)?.checked_sub(1)?)),
        }
    }

    fn menu(&self) -> Vec<(PageId<MoviesPage>, String)> {
        let mut menu = vec![
            (MoviesPage::Charts.first(), "Box office".to_owned()),
            (MoviesPage::Names.of(0), "People".to_owned()),
        ];
        let genres = (0u64..).zip(GENRES).filter(|(genre, _)| [1, 4, 7, 11, 14].contains(genre));
        menu.extend(genres.map(|(genre, name)| (MoviesPage::Genre.of(genre), name.to_owned())));
        menu.push((MoviesPage::Keywords.first(), "Keywords".to_owned()));
        menu
    }

    fn write(&self, page: PageId<MoviesPage>, out: &mut PageWriter<'_, Self>) {
        pages::write(self, page, out);
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        pages::aside(self, out);
    }

    fn topic_lists(&self, topic: usize) -> Vec<PageId<MoviesPage>> {
        let keywords = self.keywords.in_topic(topic as u64).take(LISTS_OF_TOPIC);
        keywords.map(|keyword| MoviesPage::Keyword.of(keyword)).collect()
    }

    fn gone(&self, draw: u64) -> String {
        let number = 8_000_000_000 + draw / 4;
        match draw % 4 {
            0 => format!("/name/nm{number}/"),
            1 => format!("/review/rw{number}/"),
            _ => format!("/title/tt{number}/"),
        }
    }
}
