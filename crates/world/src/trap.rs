//! Traps for crawlers: endless URLs that show hardly anything, beside any world.
//!
//! A world with a trap is the world as it is, with three more links on every page. They lead under `/trap/` and the like,
//! where every page links to more of its kind. The truth about all of these is waste of the kind `trap`; what is real can
//! be reached without them.

use osprey_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use crate::markup::percent;
use crate::{Answer, Dice};

/// A kind of trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrapKind {
    /// A session id of letters in the path: twelve help pages, again under every new id.
    SessionPath,
    /// The same, with the id as the first segment.
    SessionFirst,
    /// The same, with the id in the query.
    SessionQuery,
    /// Orders and filters of one list.
    Orders,
    /// The same in the path.
    FiltersPath,
    /// Permutations of one set of tags.
    Tags,
    /// An endless calendar; every month has another title.
    Calendar,
    /// Months and days of such a calendar, in two patterns that link to each other.
    CalendarDays,
    /// Missing pages that are answered with 200, repeat what was asked for and link to more.
    SoftNotFound,
    /// Texts of a few words.
    Short,
    /// A form to log in for every page of the site.
    Login,
    /// Forms to reply and to report, for everything.
    Reply,
}

/// Links on every page of the world that lead into the trap.
const ENTRIES: u64 = 3;
/// Links of a page of the trap to others.
const ONWARD: u64 = 10;
/// Help pages of a session.
const HELP: u64 = 12;
/// Items of the list.
const ITEMS: u64 = 60;
const PER_PAGE: u64 = 20;
const TAGS: [&str; 9] = words! { "red" "blue" "old" "new" "soft" "hard" "tall" "wide" "thin" };
const WORDS: [&str; 64] = words! {
    "time" "year" "people" "way" "day" "man" "thing" "woman" "life" "child" "world" "school" "state" "family" "student"
    "group" "country" "problem" "hand" "part" "place" "case" "week" "company" "system" "program" "question" "work"
    "government" "number" "night" "point" "home" "water" "room" "mother" "area" "money" "story" "fact" "month" "lot"
    "right" "study" "book" "eye" "job" "word" "business" "issue" "side" "kind" "head" "house" "service" "friend"
    "father" "power" "hour" "game" "line" "end" "member" "law"
};
const MONTHS: [&str; 12] = words! {
    "January" "February" "March" "April" "May" "June" "July" "August" "September" "October" "November" "December"
};

impl TrapKind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::SessionPath,
        Self::SessionFirst,
        Self::SessionQuery,
        Self::Orders,
        Self::FiltersPath,
        Self::Tags,
        Self::Calendar,
        Self::CalendarDays,
        Self::SoftNotFound,
        Self::Short,
        Self::Login,
        Self::Reply,
    ];

    /// Whether a URL is in the trap.
    pub(crate) fn has(self, url: &CanonicalUrl) -> bool {
        let path = url.path();
        match self {
            Self::SessionFirst => path.rsplit('/').next().is_some_and(|last| last.starts_with("trap-help-")),
            _ => path.starts_with("/trap"),
        }
    }

    /// The page of a trap, or what it says of the page at `url` of the world, to be put at its end.
    pub(crate) fn answer(self, url: &CanonicalUrl, dice: Dice) -> Answer {
        let page = self.page(url, dice.of(url.path_and_query()));
        let body = format!(
            "<!DOCTYPE html><html><head><title>{0}</title></head><body><div id=\"head\"><a href=\"/\">Home</a></div>\n\
             <h1>{0}</h1>\n{1}\n<div id=\"foot\">About us, terms of use, contact</div></body></html>\n",
            page.title, page.body,
        );
        Answer::new(200, "text/html; charset=utf-8", body)
    }

    /// Links into the trap for a page of the world.
    pub(crate) fn entries(self, url: &CanonicalUrl, dice: Dice) -> String {
        let dice = dice.of("entry").of(url.path_and_query());
        let links = (0..ENTRIES).map(|n| link(&self.target(dice.at(n), url.path_and_query()), "More"));
        format!("<p class=\"more\">{}</p>", links.collect::<String>())
    }

    /// Some URL of the trap.
    fn target(self, dice: Dice, from: &str) -> String {
        match self {
            Self::SessionPath => {
                format!("/trap/{}/help-{}", letters(dice), topic(dice.of("help").below(HELP)))
            }
            Self::SessionFirst => {
                format!("/{}/trap-help-{}", letters(dice), topic(dice.of("help").below(HELP)))
            }
            Self::SessionQuery => {
                format!("/trap/help?sess={}&amp;on={}", letters(dice), topic(dice.of("help").below(HELP)))
            }
            Self::Orders => {
                let mut query = vec![format!(
                    "sort={}",
                    dice.of("sort").one_of(&["name", "price", "date", "size", "votes"])
                )];
                for (name, values) in [("color", TAGS), ("brand", TAGS), ("shop", TAGS)] {
                    if dice.of(name).chance(0.5) {
                        query.push(format!("{name}={}", dice.of(name).of("value").one_of(&values)));
                    }
                }
                if dice.of("turned").chance(0.5) {
                    query.push("dir=down".to_owned());
                }
                query.push(format!("page={}", dice.of("page").below(ITEMS / PER_PAGE)));
                format!("/trap/list?{}", query.join("&amp;"))
            }
            Self::FiltersPath => {
                let parts = (0..dice.of("parts").between(2, 5)).map(|n| dice.of("part").at(n).one_of(&TAGS));
                format!("/trap/shop/{}", parts.collect::<Vec<_>>().join("/"))
            }
            Self::Tags => {
                let mut tags = TAGS.to_vec();
                tags.sort_by_key(|tag| dice.of(tag).bits());
                tags.truncate(dice.of("many").between(2, 6) as usize);
                format!("/trap/tag/{}", tags.join("+"))
            }
            Self::Calendar | Self::CalendarDays => {
                format!("/trap/cal/{}/{}", 1900 + dice.of("year").below(300), dice.of("month").between(1, 12))
            }
            Self::SoftNotFound => {
                let depth = dice.of("depth").between(1, 3);
                let parts = (0..depth).map(|n| format!("/{}", letters(dice.of("part").at(n))));
                format!("/trap{}", parts.collect::<String>())
            }
            Self::Short => format!("/trap/{}", letters(dice)),
            Self::Login => format!("/trap/account?next={}", percent(from)),
            Self::Reply => format!(
                "/trap/{}?to={}",
                dice.of("form").one_of(&["reply", "report"]),
                dice.of("post").below(100_000)
            ),
        }
    }

    fn page(self, url: &CanonicalUrl, dice: Dice) -> TrapPage {
        let more = |anchor: fn(Dice) -> String| -> String {
            (0..ONWARD)
                .map(|n| {
                    link(
                        &self.target(dice.of("onward").at(n), url.path_and_query()),
                        &anchor(dice.of("anchor").at(n)),
                    )
                })
                .collect()
        };
        let plain = more(|_| "Next".to_owned());
        if let Some(number) = url.path().strip_prefix("/trap-item/") {
            let text = prose(dice.of("item"), 80);
            return TrapPage { title: format!("Thing {number}"), body: format!("<p>{text}</p>") };
        }
        match self {
            Self::SessionPath | Self::SessionFirst | Self::SessionQuery => {
                let on = url.as_str().rsplit(['-', '=']).next().unwrap_or_default();
                let text = prose(Dice::new(7).of(on), 120);
                TrapPage { title: format!("Help on {on}"), body: format!("<p>{text}</p><p>{plain}</p>") }
            }
            Self::Orders => self.list(url, &plain),
            Self::FiltersPath | Self::Tags => {
                let mut tags: Vec<&str> = url.path().split(['/', '+']).skip(3).collect();
                tags.sort_unstable();
                tags.dedup();
                let items = (0..ITEMS)
                    .filter(|item| tags.iter().any(|tag| Dice::new(9).at(*item).of(tag).chance(0.3)));
                let items: String = items.take(PER_PAGE as usize).map(item).collect();
                TrapPage { title: tags.join(" and "), body: format!("<ul>{items}</ul><p>{plain}</p>") }
            }
            Self::Calendar | Self::CalendarDays => self.month(url, dice),
            Self::SoftNotFound => {
                let asked = url.path().replace('/', " ");
                let text = format!(
                    "Sorry, we could not find what you asked for:{asked}. Here are other pages that may help."
                );
                let body = format!("<p>{text}</p><p>{}</p>", plain);
                TrapPage { title: "Oops".to_owned(), body }
            }
            Self::Short => TrapPage {
                title: "Results".to_owned(),
                body: format!("<p>Nothing found. Try another search.</p><p>{plain}</p>"),
            },
            Self::Login | Self::Reply => {
                let form = "<form method=\"post\"><p>Please log in to go on.</p><p>Name <input name=\"user\"></p>\
                            <p>Password <input type=\"password\" name=\"pass\"></p></form>";
                TrapPage { title: "Members only".to_owned(), body: format!("{form}<p>{plain}</p>") }
            }
        }
    }

    /// The items that a query asks for, in its order.
    fn list(self, url: &CanonicalUrl, more: &str) -> TrapPage {
        let query = url.query().unwrap_or_default();
        let value =
            |name: &str| query.split('&').find_map(|param| param.strip_prefix(name)?.strip_prefix('='));
        let has = |item: u64, name: &str| {
            value(name)
                .is_none_or(|asked| Dice::new(9).at(item).of(name).one_of(&TAGS[..3]) == asked || asked > "r")
        };
        let mut items: Vec<u64> = (0..ITEMS)
            .filter(|item| ["color", "brand", "shop"].iter().all(|name| has(*item, name)))
            .collect();
        items.sort_by_key(|item| Dice::new(9).at(*item).of(value("sort").unwrap_or_default()).bits());
        if value("dir").is_some() {
            items.reverse();
        }
        let page: u64 = value("page").and_then(|page| page.parse().ok()).unwrap_or(0);
        let shown = items.into_iter().skip((page * PER_PAGE) as usize).take(PER_PAGE as usize);
        let items: String = shown.map(item).collect();
        TrapPage {
            title: "All things".to_owned(),
            body: format!("<p>Sort by name, price</p><ul>{items}</ul><p>{more}</p>"),
        }
    }

    fn month(self, url: &CanonicalUrl, dice: Dice) -> TrapPage {
        let mut numbers = url.path().split('/').filter_map(|part| part.parse::<u64>().ok());
        let (year, month) = (numbers.next().unwrap_or(2000), numbers.next().unwrap_or(1).clamp(1, 12));
        let name = |year: u64, month: u64| {
            format!("{} of the {} {year}", MONTHS[month as usize - 1], prose(dice.at(year * 12 + month), 2))
        };
        let near = |months: i64| {
            let count = (year * 12 + month - 1).saturating_add_signed(months);
            (count / 12, count % 12 + 1)
        };
        let mut more: String = [-1, 1, 12, 84]
            .map(near)
            .into_iter()
            .map(|(year, month)| link(&format!("/trap/cal/{year}/{month}"), &name(year, month)))
            .collect();
        if self == Self::CalendarDays {
            more.extend(
                (1..=28).map(|day| link(&format!("/trap/cal/{year}/{month}/{day}"), &day.to_string())),
            );
        }
        let days: String = (1..=30).map(|day| format!("<td>{day}</td>")).collect();
        let week = "<th>Mon</th><th>Tue</th><th>Wed</th><th>Thu</th><th>Fri</th><th>Sat</th><th>Sun</th>";
        let body = format!("<p>No events.</p><table><tr>{week}</tr><tr>{days}</tr></table><p>{more}</p>");
        TrapPage { title: name(year, month), body }
    }
}

/// A page of a trap, without its frame.
struct TrapPage {
    title: String,
    body: String,
}

fn link(href: &str, text: &str) -> String {
    format!("<a href=\"{href}\">{text}</a> ")
}

fn item(number: u64) -> String {
    let name = prose(Dice::new(9).at(number).of("name"), 3);
    format!("<li><a href=\"/trap-item/{number}\">{name} {number}</a></li>")
}

/// Eight letters that mean nothing.
fn letters(dice: Dice) -> String {
    (0..8).map(|n| char::from(b'a' + dice.of("letter").at(n).below(26) as u8)).collect()
}

fn topic(number: u64) -> &'static str {
    WORDS[number as usize % WORDS.len()]
}

fn prose(dice: Dice, words: u64) -> String {
    (0..words).map(|n| dice.at(n).one_of(&WORDS)).collect::<Vec<_>>().join(" ")
}
