//! `sports`: an editor's leagues, teams, players, matches and news, and a crowd of fans around them.
//!
//! What an editorial system numbers is at `/node/1234`, be it news, a match, a thread, a blog entry or a fan. The
//! schedule goes on for ever in both directions: pages without a match are calendars that bring nothing. Leagues exist
//! for the topics of sport only; boards exist for everything that fans talk about.

mod fans;
mod pages;

use crate::Dice;
use crate::nasty::Setting;
use crate::site::Truth;
use crate::text::handle;
use osprey_model::PageType;

use super::ground::{Day, Ground};
use super::hosted::{Asked, Plan};
use super::numbering::Numbering;
use super::pieces::pages_of;
use super::sheet::Sheet;
use super::ties::{Bent, Deal, Sections, Slots, Tie};

const TEAMS_A_PAGE: u64 = 40;
const PLAYERS_A_PAGE: u64 = 50;
const NEWS_A_PAGE: u64 = 20;
const THREADS_A_PAGE: u64 = 25;
const POSTS_A_PAGE: u64 = 12;
const NAMES_A_PAGE: u64 = 48;
const MATCHES_A_PAGE: u64 = 40;

const FIRST_SEASON: u64 = 2005;
const SEASONS: u64 = 7;

/// The first day with matches: 2000-02-13.
const FIRST_DAY: u64 = 11_000;

/// The first day that the schedule knows nothing of at all: in the year 9999.
const LAST_DAY: u64 = 2_932_000;

/// What `/node/` numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Node {
    Article(u64),
    Match(u64),
    Thread(u64),
    Entry(u64),
    Fan(u64),
}

/// A page of the site. The last number of lists is their page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Home,
    Node(Node, u64),
    League(u64, u64),
    Standings(u64, u64),
    Leaders(u64, u64, u64),
    Team(u64),
    Player(u64),
    GameLog(u64, u64),
    /// A month, counted from January of the year 0.
    Month(u64),
    Day(Day, u64),
    News(u64),
    Blogs(u64),
    Boards,
    Board(u64, u64),
    Fans(u64),
}

/// The site.
pub(crate) struct Sports {
    ground: Ground,
    /// The first topics of the ground are sports, and have a league each.
    leagues: u64,
    teams: Sections,
    players: Sections,
    matches: Sections,
    articles: Sections,
    threads: Sections,
    entries: Sections,
    fans: Sections,
    days: u64,
    row: Numbering,
    rosters: Tie,
    hosts: Tie,
    guests: Tie,
    played: Deal,
    subjects: Tie,
    boards: Tie,
    starters: Tie,
    talkers: Slots,
    bloggers: Tie,
    friends: Slots,
    favourites: Tie,
}

impl Sports {
    fn dice(&self, class: &str, member: u64) -> Dice {
        self.ground.setting.dice.of(class).at(member)
    }

    fn team_name(&self, team: u64) -> String {
        const KINDS: [&str; 8] =
            ["United", "Rovers", "Tigers", "Athletic", "Wanderers", "Hawks", "Rangers", "City"];
        let (mut name, dice) = (String::new(), self.dice("team", team));
        crate::text::person(dice, &mut name);
        let town = name.rsplit(' ').next().unwrap_or_default();
        format!("{town} {}", dice.of("kind").pick(&KINDS).copied().unwrap_or_default())
    }

    fn player_name(&self, player: u64) -> String {
        let mut name = String::new();
        crate::text::person(self.dice("player", player), &mut name);
        name
    }

    fn fan_name(&self, fan: u64) -> String {
        handle(self.dice("fan", fan))
    }

    fn node_topic(&self, node: Node) -> usize {
        match node {
            Node::Article(n) => self.articles.topic(n),
            Node::Match(n) => self.matches.topic(n),
            Node::Thread(n) => self.threads.topic(n),
            Node::Entry(n) => self.entries.topic(n),
            Node::Fan(n) => self.fans.topic(n),
        }
    }

    fn node_dice(&self, node: Node) -> Dice {
        let (class, member) = node.parts();
        self.dice(node.name(), member).at(class as u64)
    }

    fn node_name(&self, node: Node) -> String {
        match node {
            Node::Fan(fan) => self.fan_name(fan),
            Node::Match(game) => {
                let name =
                    |team: Option<u64>| team.map_or("Select XI".to_owned(), |team| self.team_name(team));
                let (host, guest) = self.sides(game);
                format!("{} - {}", name(host), name(guest))
            }
            _ => self.ground.title(self.node_topic(node), self.node_dice(node)),
        }
    }

    /// Who plays; a team that was dealt to itself plays a select eleven.
    fn sides(&self, game: u64) -> (Option<u64>, Option<u64>) {
        let (host, guest) = (self.hosts.parent(game), self.guests.parent(game));
        (host, guest.filter(|guest| Some(*guest) != host))
    }

    fn day_of(&self, game: u64) -> Day {
        Day(FIRST_DAY.saturating_add(self.played.owner(game).unwrap_or(0)))
    }

    fn has_matches(&self, day: Day) -> bool {
        (FIRST_DAY..FIRST_DAY.saturating_add(self.days)).contains(&day.0)
    }

    /// The months in which matches are played.
    fn months(&self) -> std::ops::RangeInclusive<u64> {
        month_of(Day(FIRST_DAY))..=month_of(Day(FIRST_DAY + self.days.saturating_sub(1)))
    }

    fn post_count(&self, thread: u64) -> u64 {
        1 + self.dice("thread", thread).of("posts").long_tail(5.0, 150)
    }

    fn has_log(&self, player: u64, season: u64) -> bool {
        self.dice("player", player).of("log").at(season).chance(0.1)
    }

    fn is_spammer(&self, fan: Option<u64>) -> bool {
        fan.is_some_and(|fan| self.ground.is_spammer(self.dice("fan", fan)))
    }

    fn is_spam(&self, place: Place) -> bool {
        match place {
            Place::Node(Node::Fan(fan), _) => self.is_spammer(Some(fan)),
            Place::Node(Node::Entry(entry), _) => self.is_spammer(self.bloggers.parent(entry)),
            Place::Node(Node::Thread(thread), _) => self.is_spammer(self.starters.parent(thread)),
            _ => false,
        }
    }

    fn topic(&self, place: Place) -> Option<usize> {
        Some(match place {
            Place::Node(node, _) => self.node_topic(node),
            Place::League(topic, _) | Place::Standings(topic, _) | Place::Leaders(topic, ..) => {
                topic as usize
            }
            Place::Board(topic, _) => topic as usize,
            Place::Team(team) => self.teams.topic(team),
            Place::Player(player) | Place::GameLog(player, _) => self.players.topic(player),
            _ => return None,
        })
    }

    /// The number of pages of the list that `place` is a page of: 1 for what is no list.
    fn last_page(&self, place: Place) -> u64 {
        let size = |sections: &Sections, topic: u64| {
            let range = sections.range(topic as usize);
            range.end - range.start
        };
        match place {
            Place::Node(Node::Thread(thread), _) => pages_of(self.post_count(thread), POSTS_A_PAGE),
            Place::League(topic, _) => pages_of(size(&self.teams, topic), TEAMS_A_PAGE),
            Place::Leaders(topic, ..) => pages_of(size(&self.players, topic), PLAYERS_A_PAGE).min(8),
            Place::Day(day, _) if self.has_matches(day) => {
                pages_of(self.played.len(day.0.saturating_sub(FIRST_DAY)), MATCHES_A_PAGE)
            }
            Place::News(_) => pages_of(self.articles.len(), NEWS_A_PAGE),
            Place::Blogs(_) => pages_of(self.entries.len(), NEWS_A_PAGE),
            Place::Board(topic, _) => pages_of(self.boards.children(topic).len(), THREADS_A_PAGE),
            Place::Fans(_) => pages_of(self.fans.len(), NAMES_A_PAGE),
            _ => 1,
        }
    }

    fn paged(&self, place: impl Fn(u64) -> Place) -> impl Iterator<Item = Place> {
        (1..=self.last_page(place(1))).map(place)
    }

    fn is_node(&self, node: Node) -> bool {
        let (class, member) = node.parts();
        self.sizes().get(class).is_some_and(|size| member < *size)
    }

    fn sizes(&self) -> [u64; 5] {
        [&self.articles, &self.matches, &self.threads, &self.entries, &self.fans].map(Sections::len)
    }
}

/// The month of a day, counted from January of the year 0.
fn month_of(day: Day) -> u64 {
    let (year, month, _) = day.date();
    year * 12 + month - 1
}

impl Plan for Sports {
    type Place = Place;

    fn new(setting: Setting) -> Self {
        let is_sport = |name: &str| name.starts_with("Sports/");
        let ground = Ground::new(setting, "sports", |words| if is_sport(&words.name) { 1.0 } else { 0.15 });
        let leagues =
            (0..ground.topic_count()).take_while(|t| is_sport(&ground.name(*t as usize))).count() as u64;
        let dice = ground.setting.dice.of("ties");
        let sporty = |share, least| ground.sections_where(share, least, |topic| (topic as u64) < leagues);
        let (teams, players) = (sporty(0.012, 12), sporty(0.17, 60));
        let (matches, articles) = (sporty(0.17, 60), sporty(0.12, 30));
        let (threads, entries, fans) =
            (ground.sections(0.16, 50), ground.sections(0.08, 20), ground.sections(0.08, 20));
        let boards = Sections::new(ground.topic_count(), &vec![1.0; ground.topic_count() as usize]);
        let days = ground.count(0.02, 20).min(20_000);
        let (even, free) = (Bent { loyalty: 1.0, evenness: 1.0 }, Bent { loyalty: 0.75, evenness: 0.5 });
        let sizes = [&articles, &matches, &threads, &entries, &fans].map(Sections::len);
        Self {
            row: Numbering::new(&sizes, dice.of("row")),
            rosters: Tie::new(&players, &teams, even, dice.of("rosters")),
            hosts: Tie::new(&matches, &teams, even, dice.of("hosts")),
            guests: Tie::new(&matches, &teams, even, dice.of("guests")),
            played: Deal::new(matches.len(), days, 1.0, dice.of("played")),
            subjects: Tie::new(&articles, &teams, Bent { evenness: 0.6, ..even }, dice.of("subjects")),
            boards: Tie::new(&threads, &boards, Bent { loyalty: 0.85, ..even }, dice.of("boards")),
            starters: Tie::new(&threads, &fans, free, dice.of("starters")),
            talkers: Slots::new(&threads, &fans, 7, 0.6, dice.of("talkers")),
            bloggers: Tie::new(&entries, &fans, free, dice.of("bloggers")),
            friends: Slots::new(&fans, &fans, 7, 0.6, dice.of("friends")),
            favourites: Tie::new(&fans, &teams, Bent { evenness: 0.5, ..even }, dice.of("favourites")),
            leagues,
            days,
            ground,
            teams,
            players,
            matches,
            articles,
            threads,
            entries,
            fans,
        }
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn read(&self, asked: Asked<'_>) -> Option<Place> {
        let page = asked.page("page")?;
        let mut parts = asked.path.trim_start_matches('/').split('/');
        let (class, name) = (parts.next()?, parts.next().unwrap_or(""));
        let (view, which) = (parts.next(), parts.next().and_then(|season| season.parse::<u64>().ok()));
        let number = || name.split('-').next()?.parse::<u64>().ok();
        let season = || which?.checked_sub(FIRST_SEASON);
        Some(match (class, view) {
            ("", None) => Place::Home,
            ("node", None) => Place::Node(Node::of_parts(self.row.member(number()?)?)?, page),
            ("league", None) => Place::League(number()?, page),
            ("league", Some("standings")) => Place::Standings(number()?, season()?),
            ("league", Some("leaders")) => Place::Leaders(number()?, season()?, page),
            ("team", None) => Place::Team(number()?),
            ("player", None) => Place::Player(number()?),
            ("player", Some("gamelog")) => Place::GameLog(number()?, season()?),
            ("schedule", None) => match name.split('-').count() {
                2 => Place::Month(month_of(Day::of_iso(&format!("{name}-01"))?)),
                _ => Place::Day(Day::of_iso(name)?, page),
            },
            ("news", None) => Place::News(page),
            ("blogs", None) => Place::Blogs(page),
            ("boards", None) => Place::Boards,
            ("board", None) => Place::Board(number()?, page),
            ("fans", None) => Place::Fans(page),
            _ => return None,
        })
    }

    fn path(&self, place: Place, out: &mut String) {
        use std::fmt::Write as _;
        let slug = |topic: u64| crate::markup::slug(self.ground.label(topic as usize));
        let year = |season: u64| FIRST_SEASON.saturating_add(season);
        // writing to a string cannot fail
        let _ = match place {
            Place::Home => write!(out, "/"),
            Place::Node(node, _) => {
                let (class, member) = node.parts();
                write!(out, "/node/{}", self.row.number(class, member))
            }
            Place::League(topic, _) => write!(out, "/league/{topic}-{}", slug(topic)),
            Place::Standings(topic, season) => {
                write!(out, "/league/{topic}-{}/standings/{}", slug(topic), year(season))
            }
            Place::Leaders(topic, season, _) => {
                write!(out, "/league/{topic}-{}/leaders/{}", slug(topic), year(season))
            }
            Place::Team(team) => write!(out, "/team/{team}"),
            Place::Player(player) => write!(out, "/player/{player}"),
            Place::GameLog(player, season) => write!(out, "/player/{player}/gamelog/{}", year(season)),
            Place::Month(month) => write!(out, "/schedule/{:04}-{:02}", month / 12, month % 12 + 1),
            Place::Day(day, _) => write!(out, "/schedule/{}", day.iso()),
            Place::News(_) => write!(out, "/news"),
            Place::Blogs(_) => write!(out, "/blogs"),
            Place::Boards => write!(out, "/boards"),
            Place::Board(topic, _) => write!(out, "/board/{topic}-{}", slug(topic)),
            Place::Fans(_) => write!(out, "/fans"),
        };
        if let Some(page) = place.page().filter(|page| *page != 1) {
            let _ = write!(out, "?page={page}");
        }
    }

    fn exists(&self, place: Place) -> bool {
        let is_there = match place {
            Place::Home | Place::Boards | Place::News(_) | Place::Blogs(_) | Place::Fans(_) => true,
            Place::Node(node, _) => self.is_node(node),
            Place::League(topic, _) => topic < self.leagues,
            Place::Standings(topic, season) | Place::Leaders(topic, season, _) => {
                topic < self.leagues && season < SEASONS
            }
            Place::Team(team) => team < self.teams.len(),
            Place::Player(player) => player < self.players.len(),
            Place::GameLog(player, season) => {
                player < self.players.len() && season < SEASONS && self.has_log(player, season)
            }
            Place::Month(month) => (month_of(Day(0))..month_of(Day(LAST_DAY))).contains(&month),
            Place::Day(day, _) => day.0 < LAST_DAY,
            Place::Board(topic, _) => topic < self.ground.topic_count(),
        };
        is_there && (1..=self.last_page(place)).contains(&place.page().unwrap_or(1))
    }

    fn truth(&self, place: Place) -> Truth {
        let (page_type, template) = place.class();
        let waste = match place {
            Place::Day(day, _) if !self.has_matches(day) => Some("calendar".to_owned()),
            Place::Month(month) if !self.months().contains(&month) => Some("calendar".to_owned()),
            place if self.is_spam(place) => Some("spam".to_owned()),
            _ => None,
        };
        let is_theirs = matches!(place, Place::Node(Node::Thread(_) | Node::Entry(_) | Node::Fan(_), _));
        let topic = self.topic(place).filter(|_| waste.is_none());
        Truth {
            page_type,
            template: template.to_owned(),
            user_created: is_theirs && waste.is_none(),
            topics: topic.map(|topic| self.ground.name(topic)).into_iter().collect(),
            duplicate_of: None,
            waste,
        }
    }

    fn grain(&self, place: Place) -> (&'static str, u64) {
        let number = match place {
            Place::Node(node, _) => node.parts().1,
            Place::League(n, _) | Place::Standings(n, _) | Place::Leaders(n, ..) | Place::Board(n, _) => n,
            Place::Team(n) | Place::Player(n) | Place::GameLog(n, _) | Place::Month(n) => n,
            Place::Day(day, _) => day.0,
            Place::Home | Place::News(_) | Place::Blogs(_) | Place::Boards | Place::Fans(_) => 0,
        };
        (place.class().1, number)
    }

    fn places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        let leagues = (0..self.leagues).flat_map(move |l| {
            let seasons = (0..SEASONS).flat_map(move |season| {
                let leaders = self.paged(move |page| Place::Leaders(l, season, page));
                [Place::Standings(l, season)].into_iter().chain(leaders)
            });
            self.paged(move |page| Place::League(l, page)).chain(seasons)
        });
        let teams = (0..self.teams.len()).map(Place::Team);
        let players = (0..self.players.len()).flat_map(|player| {
            let logs = (0..SEASONS).map(move |season| Place::GameLog(player, season));
            [Place::Player(player)].into_iter().chain(logs.filter(|log| self.exists(*log)))
        });
        let days = (0..self.days).flat_map(|n| self.paged(move |page| Place::Day(Day(FIRST_DAY + n), page)));
        let schedule = self.months().map(Place::Month).chain(days);
        let boards =
            (0..self.ground.topic_count()).flat_map(|t| self.paged(move |page| Place::Board(t, page)));
        let indices = self.paged(Place::News).chain(self.paged(Place::Blogs)).chain(self.paged(Place::Fans));
        let nodes =
            (0..).zip(self.sizes()).flat_map(|(class, size)| (0..size).map(move |member| (class, member)));
        let nodes =
            nodes.filter_map(Node::of_parts).flat_map(|node| self.paged(move |page| Place::Node(node, page)));
        let single = [Place::Home, Place::Boards].into_iter();
        let all =
            single.chain(indices).chain(boards).chain(leagues).chain(teams).chain(schedule).chain(players);
        Box::new(all.chain(nodes.filter(|place| !self.is_spam(*place))))
    }

    fn home(&self) -> Place {
        Place::Home
    }

    fn menu(&self) -> (&'static str, Vec<(Place, String)>) {
        let mut menu = vec![(Place::News(1), "News".to_owned())];
        let leagues =
            (0..self.leagues).map(|l| (Place::League(l, 1), self.ground.label(l as usize).to_owned()));
        menu.extend(leagues.take(8));
        menu.push((Place::Month(*self.months().start()), "Schedule".to_owned()));
        menu.push((Place::Boards, "Forum".to_owned()));
        ("TheTerrace", menu)
    }

    fn write(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        pages::write(self, place, sheet);
    }

    fn aside(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        pages::aside(self, place, sheet);
    }

    fn gone(&self, draw: u64) -> String {
        match draw % 4 {
            0 => format!("/player/{}", self.players.len().saturating_add(draw)),
            _ => format!("/node/{}", self.row.len().saturating_add(draw)),
        }
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/search", "/vote"]
    }
}

impl Node {
    /// The place of its class in the row of numbers, and its number within the class.
    fn parts(self) -> (usize, u64) {
        match self {
            Self::Article(n) => (0, n),
            Self::Match(n) => (1, n),
            Self::Thread(n) => (2, n),
            Self::Entry(n) => (3, n),
            Self::Fan(n) => (4, n),
        }
    }

    fn of_parts((class, member): (usize, u64)) -> Option<Self> {
        Some(match class {
            0 => Self::Article(member),
            1 => Self::Match(member),
            2 => Self::Thread(member),
            3 => Self::Entry(member),
            4 => Self::Fan(member),
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Article(_) => "article",
            Self::Match(_) => "match",
            Self::Thread(_) => "thread",
            Self::Entry(_) => "blog-entry",
            Self::Fan(_) => "fan",
        }
    }
}

impl Place {
    fn page(self) -> Option<u64> {
        match self {
            Self::Node(_, page)
            | Self::League(_, page)
            | Self::Leaders(.., page)
            | Self::Day(_, page)
            | Self::News(page)
            | Self::Blogs(page)
            | Self::Board(_, page)
            | Self::Fans(page) => Some(page),
            _ => None,
        }
    }

    fn class(self) -> (PageType, &'static str) {
        match self {
            Self::Home => (PageType::Other, "home"),
            Self::Node(Node::Fan(_), _) => (PageType::Profile, "fan"),
            Self::Node(node, _) => (PageType::Detail, node.name()),
            Self::League(..) => (PageType::List, "league"),
            Self::Standings(..) => (PageType::List, "standings"),
            Self::Leaders(..) => (PageType::List, "leaders"),
            Self::Team(_) => (PageType::Profile, "team"),
            Self::Player(_) => (PageType::Profile, "player"),
            Self::GameLog(..) => (PageType::Other, "gamelog"),
            Self::Month(_) => (PageType::List, "month"),
            Self::Day(..) => (PageType::List, "day"),
            Self::News(_) => (PageType::List, "news"),
            Self::Blogs(_) => (PageType::List, "blogs"),
            Self::Boards => (PageType::List, "boards"),
            Self::Board(..) => (PageType::List, "board"),
            Self::Fans(_) => (PageType::List, "fans"),
        }
    }
}
