//! `sports`: an editor's leagues, teams, players, matches and news, and a crowd of fans around them.
//!
//! The editorial system numbers everything as `/node/1234`: news, matches, threads, blog entries and fans. The schedule
//! continues without end in both directions: pages without a match are empty calendars. Leagues exist only for sports
//! topics; boards exist for everything that fans talk about.

mod fans;
mod pages;

use crate::Dice;
use crate::markup::slug;
use crate::nasty::Setting;
use crate::text::handle;

use super::ground::{Day, Ground};
use super::members::Members;
use super::numbering::Numbering;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::ties::{Assignment, Sections, Slots, Tie, TieShape};
use super::writer::PageWriter;

site_map! {
    /// A page of the site of sports.
    SportsPage of SportsClass
        [Once, Board, League, Team, Month, Day, Player, Article, Match, Thread, Entry, Fan]
    Once {
        Home      Other   "home"       "/";
        Boards    List    "boards"     "/boards";
        News      List    "news"       "/news";
        Blogs     List    "blogs"      "/blogs";
        Fans      List    "fans"       "/fans";
    }
    Board {
        Board     List    "board"      "/board/{}";
    }
    League {
        League    List    "league"     "/league/{}";
        Standings List    "standings"  "/league/{}/standings/{part}";
        Leaders   List    "leaders"    "/league/{}/leaders/{part}";
    }
    Team {
        Team      Profile "team"       "/team/{}";
    }
    Month {
        Month     List    "month"      "/schedule/{}";
    }
    Day {
        Day       List    "day"        "/schedule/{}";
    }
    Player {
        Player    Profile "player"     "/player/{}";
        GameLog   Other   "gamelog"    "/player/{}/gamelog/{part}";
    }
    Article {
        Article   Detail  "article"    "/node/{}";
    }
    Match {
        Match     Detail  "match"      "/node/{}";
    }
    Thread {
        Thread    Detail  "thread"     "/node/{}" users;
    }
    Entry {
        Entry     Detail  "blog-entry" "/node/{}" users;
    }
    Fan {
        Fan       Profile "fan"        "/node/{}" users;
    }
}

/// What `/node/` numbers, in this order.
const NODES: [SportsPage; 5] =
    [SportsPage::Article, SportsPage::Match, SportsPage::Thread, SportsPage::Entry, SportsPage::Fan];

/// A page at `/node/`.
type Node = PageId<SportsPage>;

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

/// The first day past the end of the schedule: in the year 9999.
const LAST_DAY: u64 = 2_932_000;

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
    played: Assignment,
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
        format!("{town} {}", dice.of("kind").one_of(&KINDS))
    }

    fn player_name(&self, player: u64) -> String {
        crate::text::person_name(self.dice("player", player))
    }

    fn fan_name(&self, fan: u64) -> String {
        handle(self.dice("fan", fan))
    }

    fn node_topic(&self, node: Node) -> usize {
        self.class(node.kind.row().class).topic(node.id).unwrap_or(0)
    }

    fn node_dice(&self, node: Node) -> Dice {
        let class = NODES.iter().position(|kind| *kind == node.kind).unwrap_or(0);
        self.dice(node.kind.row().template, node.id).at(class as u64)
    }

    fn node_name(&self, node: Node) -> String {
        match node.kind {
            SportsPage::Fan => self.fan_name(node.id),
            SportsPage::Match => {
                let name =
                    |team: Option<u64>| team.map_or("Select XI".to_owned(), |team| self.team_name(team));
                let (host, guest) = self.sides(node.id);
                format!("{} - {}", name(host), name(guest))
            }
            _ => self.ground.title(self.node_topic(node), self.node_dice(node)),
        }
    }

    /// Which teams play; a team that was drawn against itself plays a select eleven.
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
}

/// The month of a day, counted from January of the year 0.
fn month_of(day: Day) -> u64 {
    let (year, month, _) = day.date();
    year * 12 + month - 1
}

impl Plan for Sports {
    type Page = SportsPage;
    const HOME: SportsPage = SportsPage::Home;
    const BRAND: &'static str = "TheTerrace";
    const ITEMS: &'static [SportsPage] = &[SportsPage::Team, SportsPage::Thread];
    const USERS: &'static str = "fan";
    const DISALLOWED: &'static [&'static str] = &["/search", "/vote"];
    const FIRST_PART: u64 = FIRST_SEASON;

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
        let (even, free) =
            (TieShape { loyalty: 1.0, evenness: 1.0 }, TieShape { loyalty: 0.75, evenness: 0.5 });
        let sizes = [&articles, &matches, &threads, &entries, &fans].map(Sections::len);
        Self {
            row: Numbering::new(&sizes, dice.of("row")),
            rosters: Tie::new(&players, &teams, even, dice.of("rosters")),
            hosts: Tie::new(&matches, &teams, even, dice.of("hosts")),
            guests: Tie::new(&matches, &teams, even, dice.of("guests")),
            played: Assignment::new(matches.len(), days, 1.0, dice.of("played")),
            subjects: Tie::new(&articles, &teams, TieShape { evenness: 0.6, ..even }, dice.of("subjects")),
            boards: Tie::new(&threads, &boards, TieShape { loyalty: 0.85, ..even }, dice.of("boards")),
            starters: Tie::new(&threads, &fans, free, dice.of("starters")),
            talkers: Slots::new(&threads, &fans, 7, 0.6, dice.of("talkers")),
            bloggers: Tie::new(&entries, &fans, free, dice.of("bloggers")),
            friends: Slots::new(&fans, &fans, 7, 0.6, dice.of("friends")),
            favourites: Tie::new(&fans, &teams, TieShape { evenness: 0.5, ..even }, dice.of("favourites")),
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

    fn class(&self, class: SportsClass) -> Members<'_> {
        match class {
            SportsClass::Once => Members::once(),
            SportsClass::Board => Members::topics(self.ground.topic_count()),
            SportsClass::League => Members::topics(self.leagues),
            SportsClass::Team => Members::of(&self.teams),
            SportsClass::Month => Members::range(*self.months().start()..self.months().end() + 1)
                .known(month_of(Day(0))..month_of(Day(LAST_DAY))),
            SportsClass::Day => Members::range(FIRST_DAY..FIRST_DAY + self.days).known(0..LAST_DAY),
            SportsClass::Player => Members::of(&self.players),
            SportsClass::Article => Members::of(&self.articles),
            SportsClass::Match => Members::of(&self.matches),
            SportsClass::Thread => Members::of(&self.threads).made_by(&self.starters),
            SportsClass::Entry => Members::of(&self.entries).made_by(&self.bloggers),
            SportsClass::Fan => Members::of(&self.fans).users(),
        }
    }

    fn parts(&self, kind: SportsPage, _id: u64) -> u64 {
        if kind.row().has_parts() { SEASONS } else { 1 }
    }

    fn last_page(&self, page: PageId<SportsPage>) -> u64 {
        let id = page.id;
        let size = |sections: &Sections| {
            let range = sections.range(id as usize);
            range.end - range.start
        };
        match page.kind {
            SportsPage::Thread => pages_of(self.post_count(id), POSTS_A_PAGE),
            SportsPage::League => pages_of(size(&self.teams), TEAMS_A_PAGE),
            SportsPage::Leaders => pages_of(size(&self.players), PLAYERS_A_PAGE).min(8),
            SportsPage::GameLog => u64::from(self.has_log(id, page.part)),
            SportsPage::Day if self.has_matches(Day(id)) => {
                pages_of(self.played.len(id.saturating_sub(FIRST_DAY)), MATCHES_A_PAGE)
            }
            SportsPage::News => pages_of(self.articles.len(), NEWS_A_PAGE),
            SportsPage::Blogs => pages_of(self.entries.len(), NEWS_A_PAGE),
            SportsPage::Board => pages_of(self.boards.children(id).len(), THREADS_A_PAGE),
            SportsPage::Fans => pages_of(self.fans.len(), NAMES_A_PAGE),
            _ => 1,
        }
    }

    fn write_id(&self, kind: SportsPage, id: u64, out: &mut String) {
        out.push_str(&match kind.row().class {
            SportsClass::Board | SportsClass::League => {
                format!("{id}-{}", slug(self.ground.label(id as usize)))
            }
            SportsClass::Team | SportsClass::Player => id.to_string(),
            SportsClass::Month => format!("{:04}-{:02}", id / 12, id % 12 + 1),
            SportsClass::Day => Day(id).iso(),
            _ => {
                let class = NODES.iter().position(|node| *node == kind).unwrap_or(0);
                self.row.number(class, id).to_string()
            }
        });
    }

    fn read_id(&self, kind: SportsPage, name: &str) -> Option<u64> {
        match kind.row().class {
            SportsClass::Board | SportsClass::League => name.split('-').next()?.parse().ok(),
            SportsClass::Team | SportsClass::Player => name.parse().ok(),
            SportsClass::Month => Day::of_iso(&format!("{name}-01")).map(month_of),
            SportsClass::Day => Day::of_iso(name).map(|day| day.0),
            _ => self.read_any(name).filter(|(found, _)| *found == kind).map(|(_, id)| id),
        }
    }

    fn read_any(&self, name: &str) -> Option<(SportsPage, u64)> {
        let (class, member) = self.row.member(name.parse().ok()?)?;
        Some((*NODES.get(class)?, member))
    }

    fn menu(&self) -> Vec<(PageId<SportsPage>, String)> {
        let mut menu = vec![(SportsPage::News.first(), "News".to_owned())];
        let leagues =
            (0..self.leagues).map(|l| (SportsPage::League.of(l), self.ground.label(l as usize).to_owned()));
        menu.extend(leagues.take(8));
        menu.push((SportsPage::Month.of(*self.months().start()), "Schedule".to_owned()));
        menu.push((SportsPage::Boards.first(), "Forum".to_owned()));
        menu
    }

    fn write(&self, page: PageId<SportsPage>, out: &mut PageWriter<'_, Self>) {
        pages::write(self, page, out);
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        pages::aside(self, out);
    }

    fn topic_lists(&self, topic: usize) -> Vec<PageId<SportsPage>> {
        let topic = topic as u64;
        let league = (topic < self.leagues).then(|| SportsPage::League.of(topic));
        std::iter::once(SportsPage::Board.of(topic)).chain(league).collect()
    }

    fn gone(&self, draw: u64) -> String {
        match draw % 4 {
            0 => format!("/player/{}", self.players.len().saturating_add(draw)),
            _ => format!("/node/{}", self.row.len().saturating_add(draw)),
        }
    }
}
