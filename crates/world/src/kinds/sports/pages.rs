//! The pages of `sports`.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::{Day, day_of};
use super::super::pieces::{Fact, span};
use super::super::sheet::{Sheet, Theme};
use super::super::ties::{Sections, draws};
use super::{
    FIRST_SEASON, MATCHES_A_PAGE, NEWS_A_PAGE, Node, PLAYERS_A_PAGE, Place, SEASONS, Sports, TEAMS_A_PAGE,
    fans, month_of,
};

pub(super) type Page<'a, 'b> = &'a mut Sheet<'b, Sports>;

/// The page of a node, or its first.
pub(super) fn at(node: Node) -> Place {
    Place::Node(node, 1)
}

pub(super) fn write(site: &Sports, place: Place, sheet: Page<'_, '_>) {
    match place {
        Place::Home => home(site, sheet),
        Place::Node(Node::Article(article), _) => article_page(site, sheet, article),
        Place::Node(Node::Match(game), _) => match_page(site, sheet, game),
        Place::Node(Node::Thread(thread), page) => fans::thread_page(site, sheet, thread, page),
        Place::Node(Node::Entry(entry), _) => fans::entry_page(site, sheet, entry),
        Place::Node(Node::Fan(fan), _) => fans::fan_page(site, sheet, fan),
        Place::League(topic, page) => league(site, sheet, topic, page),
        Place::Standings(topic, season) => standings(site, sheet, topic, season),
        Place::Leaders(topic, season, page) => leaders(site, sheet, topic, season, page),
        Place::Team(team) => team_page(site, sheet, team),
        Place::Player(player) => player_page(site, sheet, player),
        Place::GameLog(player, season) => game_log(site, sheet, player, season),
        Place::Month(month) => month_page(site, sheet, month),
        Place::Day(day, page) => day_page(site, sheet, day, page),
        Place::News(page) => news(site, sheet, page),
        Place::Blogs(page) => fans::blogs(site, sheet, page),
        Place::Boards => fans::boards(site, sheet),
        Place::Board(topic, page) => fans::board(site, sheet, topic, page),
        Place::Fans(page) => fans::fans(site, sheet, page),
    }
}

pub(super) fn aside(site: &Sports, place: Place, sheet: Page<'_, '_>) {
    let dice = sheet.of("aside");
    let topic =
        site.topic(place).unwrap_or_else(|| dice.of("topic").below(site.ground.topic_count()) as usize);
    let articles = draws(dice, 9, |dice| site.articles.draw(topic, dice)).into_iter().map(Node::Article);
    sheet.side_links("Headlines", articles.map(|node| (at(node), site.node_name(node))));
    if dice.of("scores").chance(0.6) {
        let games =
            draws(dice.of("games"), 8, |dice| site.matches.draw(topic, dice)).into_iter().map(Node::Match);
        sheet.side_links("Scores", games.map(|node| (at(node), site.node_name(node))));
    }
    if dice.of("talk").chance(0.4) {
        let threads =
            draws(dice.of("threads"), 3, |dice| site.threads.draw(topic, dice)).into_iter().map(Node::Thread);
        sheet.side_links("Hot in the forum", threads.map(|node| (at(node), site.node_name(node))));
    }
    if dice.of("fans").chance(0.2) {
        let fans = draws(dice.of("fan"), 3, |dice| site.fans.draw(topic, dice)).into_iter().map(Node::Fan);
        sheet.side_links("Fans of the week", fans.map(|node| (at(node), site.node_name(node))));
    }
}

/// A list of nodes: title, date, and what else the caller writes.
pub(super) fn node_rows(
    site: &Sports,
    sheet: Page<'_, '_>,
    class: &str,
    nodes: Vec<Node>,
    mut more: impl FnMut(&mut Sheet<'_, Sports>, Node),
) {
    if nodes.is_empty() {
        return sheet.notice("Nothing here yet.");
    }
    sheet.roll(class, nodes, |sheet, node| {
        sheet.link(at(node), &site.node_name(node), "headline");
        sheet.html.element("small", &[], &day_of(site.node_dice(node).of("day")).iso());
        more(sheet, node);
    });
}

fn home(site: &Sports, sheet: Page<'_, '_>) {
    sheet.begin(&Head { about: "News, scores and fans", ..Head::plain("Today in sports") });
    let dice = sheet.of("home");
    let top = draws(dice, 14, |dice| Some(dice.below(site.articles.len()))).into_iter().map(Node::Article);
    node_rows(site, sheet, "top-stories", top.collect(), |_, _| {});
    sheet.heading("Leagues");
    sheet.html.open("ul", &[("class", "leagues")]);
    for topic in 0..site.leagues {
        sheet.html.open("li", &[]);
        sheet.link(Place::League(topic, 1), site.ground.label(topic as usize), "");
        sheet.html.close("li");
    }
    sheet.html.close("ul");
    sheet.heading("From the terrace");
    let entries = draws(dice.of("entries"), 6, |dice| Some(dice.below(site.entries.len())));
    node_rows(site, sheet, "entries", entries.into_iter().map(Node::Entry).collect(), |_, _| {});
    sheet.html.open("p", &[("class", "community")]);
    sheet.link(Place::Blogs(1), "All blogs", "");
    sheet.link(Place::Fans(1), "All fans", "");
    sheet.html.close("p");
    sheet.end();
}

fn league(site: &Sports, sheet: Page<'_, '_>, topic: u64, page: u64) {
    sheet.begin(&Head::under(site.ground.label(topic as usize), Place::Home, "Home"));
    sheet.html.open("div", &[("class", "seasons")]);
    for season in 0..SEASONS {
        let year = (FIRST_SEASON + season).to_string();
        sheet.link(Place::Standings(topic, season), &format!("Table {year}"), "season");
        sheet.link(Place::Leaders(topic, season, 1), &format!("Leaders {year}"), "season");
    }
    sheet.html.close("div");
    sheet.heading("Teams");
    let range = site.teams.range(topic as usize);
    let teams = span(page, TEAMS_A_PAGE).map(|n| range.start + n).take_while(|team| *team < range.end);
    sheet.roll("teams", teams.collect::<Vec<_>>(), |sheet, team| {
        sheet.thumb(Place::Team(team), &format!("crest/{team}"), "");
        sheet.link(Place::Team(team), &site.team_name(team), "team");
    });
    sheet.pager_of(page, site.last_page(Place::League(topic, 1)), |n| Place::League(topic, n));
    sheet.end();
}

fn standings(site: &Sports, sheet: Page<'_, '_>, topic: u64, season: u64) {
    let title = format!("Table {}", FIRST_SEASON + season);
    sheet.begin(&Head::under(&title, Place::League(topic, 1), site.ground.label(topic as usize)));
    sheet.html.raw(
        "<table class=\"standings\"><thead><tr><th>Team</th><th>W</th><th>L</th><th>Pts</th></tr></thead>\n",
    );
    let (range, dice) = (site.teams.range(topic as usize), site.dice("standings", topic).at(season));
    for team in range.take(TEAMS_A_PAGE as usize) {
        let (won, lost) = (dice.at(team).of("w").below(30), dice.at(team).of("l").below(30));
        sheet.html.raw("<tr><td>");
        sheet.link(Place::Team(team), &site.team_name(team), "");
        sheet.html.raw(&format!("</td><td>{won}</td><td>{lost}</td><td>{}</td></tr>\n", won * 3));
    }
    sheet.html.raw("</table>\n");
    sheet.end();
}

fn leaders(site: &Sports, sheet: Page<'_, '_>, topic: u64, season: u64, page: u64) {
    let title = format!("Leaders {}", FIRST_SEASON + season);
    sheet.begin(&Head::under(&title, Place::League(topic, 1), site.ground.label(topic as usize)));
    let (range, dice) = (site.players.range(topic as usize), site.dice("leaders", topic).at(season));
    sheet.html.open("ol", &[("class", "leaders")]);
    for player in span(page, PLAYERS_A_PAGE).map(|n| range.start + n).take_while(|player| *player < range.end)
    {
        sheet.html.open("li", &[]);
        sheet.link(Place::Player(player), &site.player_name(player), "player");
        sheet.html.element("b", &[], &dice.at(player).below(60).to_string());
        sheet.html.close("li");
    }
    sheet.html.close("ol");
    sheet.pager_of(page, site.last_page(Place::Leaders(topic, season, 1)), |n| {
        Place::Leaders(topic, season, n)
    });
    sheet.end();
}

fn team_page(site: &Sports, sheet: Page<'_, '_>, team: u64) {
    let (name, dice, topic) = (site.team_name(team), site.dice("team", team), site.teams.topic(team));
    let league = (Place::League(topic as u64, 1), site.ground.label(topic).to_owned());
    sheet.begin(&Head { title: &name, og_type: "sports_team", about: &name, crumbs: vec![league] });
    sheet.html.open("div", &[("class", "team-head")]);
    let crest = format!("/media/crest/{team}.jpg");
    sheet.html.open("img", &[("src", &crest), ("alt", &name)]);
    sheet.facts(
        "club-facts",
        vec![
            ("Founded", Fact::Text(dice.of("founded").between(1870, 1995).to_string())),
            ("Ground", Fact::Text(format!("{} Park", name.split(' ').next().unwrap_or_default()))),
        ],
    );
    sheet.html.close("div");
    sheet.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), 1, 3);
    sheet.heading("Roster");
    let roster = site.rosters.children(team);
    sheet.html.raw("<table class=\"roster\"><tr><th>No</th><th>Name</th></tr>\n");
    for (number, player) in (1u64..).zip(roster.slice(0..60)) {
        sheet.html.raw(&format!("<tr><td>{number}</td><td>"));
        sheet.link(Place::Player(player), &site.player_name(player), "player");
        sheet.html.raw("</td></tr>\n");
    }
    sheet.html.raw("</table>\n");
    sheet.heading("Matches");
    let (home, away) = (site.hosts.children(team), site.guests.children(team));
    let games: Vec<u64> = home.slice(0..40).chain(away.slice(0..40)).collect();
    sheet.roll("fixtures", games, |sheet, game| {
        let day = site.day_of(game);
        sheet.link(Place::Day(day, 1), &day.iso(), "when");
        sheet.link(at(Node::Match(game)), &site.node_name(Node::Match(game)), "match");
    });
    sheet.heading("News");
    let articles = site.subjects.children(team).slice(0..8).map(Node::Article).collect();
    node_rows(site, sheet, "team-news", articles, |_, _| {});
    let followers: Vec<u64> = site.favourites.children(team).slice(0..6).collect();
    sheet.html.open("p", &[("class", "followers")]);
    followers.iter().for_each(|fan| sheet.link(at(Node::Fan(*fan)), &site.fan_name(*fan), "fan"));
    sheet.html.close("p");
    sheet.end();
}

fn player_page(site: &Sports, sheet: Page<'_, '_>, player: u64) {
    let (name, dice, topic) =
        (site.player_name(player), site.dice("player", player), site.players.topic(player));
    let team = site.rosters.parent(player);
    let crumbs = team.map(|team| (Place::Team(team), site.team_name(team))).into_iter().collect();
    sheet.begin(&Head { title: &name, og_type: "profile", about: &name, crumbs });
    let face = format!("/media/player/{player}.jpg");
    sheet.html.open("img", &[("src", &face), ("class", "mug"), ("alt", &name)]);
    let mut facts = vec![
        ("Height", Fact::Text(format!("{} cm", dice.of("height").between(164, 214)))),
        ("Weight", Fact::Text(format!("{} kg", dice.of("weight").between(58, 118)))),
        ("Born", Fact::Text(day_of(dice.of("born")).long())),
    ];
    if let Some(team) = team {
        facts.insert(0, ("Team", Fact::Links(vec![(Place::Team(team), site.team_name(team))])));
    }
    sheet.facts("bio", facts);
    sheet.html.raw("<table class=\"career\"><tr><th>Season</th><th>GP</th><th>Avg</th></tr>\n");
    for season in 0..SEASONS {
        let year = (FIRST_SEASON + season).to_string();
        sheet.html.raw("<tr><td>");
        match site.has_log(player, season) {
            true => sheet.link(Place::GameLog(player, season), &year, "log"),
            false => sheet.html.text(&year),
        }
        let (games, average) = (dice.at(season).below(82), dice.at(season).of("avg").below(300));
        sheet.html.raw(&format!("</td><td>{games}</td><td>{}.{}</td></tr>\n", average / 10, average % 10));
    }
    sheet.html.raw("</table>\n");
    if dice.of("text").chance(0.6) {
        sheet.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), 1, 4);
    }
    if let Some(team) = team {
        sheet.heading("Teammates");
        sheet.html.open("div", &[("class", "mates")]);
        for mate in site.rosters.children(team).slice(0..8).filter(|mate| *mate != player) {
            sheet.link(Place::Player(mate), &site.player_name(mate), "mate");
        }
        sheet.html.close("div");
    }
    sheet.end();
}

fn game_log(site: &Sports, sheet: Page<'_, '_>, player: u64, season: u64) {
    let name = site.player_name(player);
    let title = format!("{name}: games of {}", FIRST_SEASON + season);
    sheet.begin(&Head::under(&title, Place::Player(player), name.clone()));
    let dice = site.dice("gamelog", player).at(season);
    sheet.html.raw("<table class=\"log\"><thead><tr><th>Date</th><th>Min</th><th>Pts</th><th>+/-</th></tr></thead><tbody>\n");
    for game in 0..dice.of("games").between(10, 40) {
        let dice = dice.at(game);
        let (day, minutes, points) =
            (day_of(dice.of("day")).iso(), dice.of("m").below(48), dice.of("p").below(40));
        sheet.html.raw(&format!(
            "<tr><td>{day}</td><td>{minutes}</td><td>{points}</td><td>{}</td></tr>\n",
            dice.below(9)
        ));
    }
    sheet.html.raw("</tbody></table>\n");
    sheet.end();
}

fn match_page(site: &Sports, sheet: Page<'_, '_>, game: u64) {
    let (node, topic) = (Node::Match(game), site.matches.topic(game));
    let (name, dice, day) = (site.node_name(node), site.node_dice(node), site.day_of(game));
    sheet.begin(&Head { about: &name, ..Head::under(&name, Place::Day(day, 1), day.long()) });
    sheet.json_ld("SportsEvent", &name, ("startDate", &day.iso()));
    let (host, guest) = site.sides(game);
    sheet.html.open("div", &[("class", sheet.by_theme("scoreboard", "score-box", "sb"))]);
    for (side, team) in [("home", host), ("away", guest)] {
        sheet.html.open("div", &[("class", side)]);
        match team {
            Some(team) => sheet.link(Place::Team(team), &site.team_name(team), "team"),
            None => sheet.html.text("Select XI"),
        }
        sheet.html.element("strong", &[], &dice.of(side).below(110).to_string());
        sheet.html.close("div");
    }
    sheet.html.close("div");
    sheet.heading("Box score");
    for team in [host, guest].into_iter().flatten() {
        sheet.html.open("table", &[("class", "box")]);
        for player in site.rosters.children(team).slice(0..9) {
            sheet.html.raw("<tr><td>");
            sheet.link(Place::Player(player), &site.player_name(player), "");
            sheet.html.raw(&format!("</td><td>{}</td></tr>\n", dice.at(player).below(40)));
        }
        sheet.html.close("table");
    }
    sheet.paragraphs(&site.ground.prose(topic, 0.25, dice), dice.of("report"), dice.of("n").between(0, 2), 4);
    sheet.end();
}

fn article_page(site: &Sports, sheet: Page<'_, '_>, article: u64) {
    let (node, topic) = (Node::Article(article), site.articles.topic(article));
    let (name, dice) = (site.node_name(node), site.node_dice(node));
    sheet.begin(&Head { og_type: "article", about: &name, ..Head::under(&name, Place::News(1), "News") });
    sheet.html.open(sheet.by_theme("article", "div", "div"), &[("class", "story")]);
    let mut writer = String::new();
    crate::text::person(dice.of("writer"), &mut writer);
    sheet.html.element("p", &[("class", "byline")], &format!("By {writer}, staff writer"));
    sheet.html.element("p", &[("class", "dateline")], &day_of(dice.of("day")).long());
    sheet.paragraphs(&site.ground.prose(topic, 0.25, dice), dice.of("text"), dice.of("n").between(3, 8), 5);
    sheet.html.close(sheet.by_theme("article", "div", "div"));
    if let Some(team) = site.subjects.parent(article) {
        let roster = site.rosters.children(team);
        let players = roster.slice(0..3).map(|p| (Place::Player(p), site.player_name(p))).collect();
        let team = Fact::Links(vec![(Place::Team(team), site.team_name(team))]);
        sheet.facts("about", vec![("Team", team), ("Players", Fact::Links(players))]);
    }
    sheet.heading("More news");
    let near = draws(dice.of("near"), 5, |dice| site.articles.draw(topic, dice));
    let near = near.into_iter().filter(|other| *other != article).map(Node::Article).collect();
    node_rows(site, sheet, "more-news", near, |_, _| {});
    sheet.end();
}

fn month_page(site: &Sports, sheet: Page<'_, '_>, month: u64) {
    let first = Day::of_iso(&format!("{:04}-{:02}-01", month / 12, month % 12 + 1)).unwrap_or(Day(0));
    let title = format!("Schedule for {:04}-{:02}", month / 12, month % 12 + 1);
    sheet.begin(&Head::under(&title, Place::Home, "Home"));
    let is_endless = site.ground.setting.nasty.calendars > 0.0;
    sheet.html.raw("<table class=\"calendar\"><tr>\n");
    for n in 0..31 {
        let day = Day(first.0.saturating_add(n));
        if month_of(day) != month {
            break;
        }
        sheet.html.open("td", &[("class", if site.has_matches(day) { "busy" } else { "free" })]);
        match site.has_matches(day) || is_endless {
            true => sheet.link(Place::Day(day, 1), &(n + 1).to_string(), "day"),
            false => sheet.html.number(n + 1),
        }
        sheet.html.close("td");
        if n % 7 == 6 {
            sheet.html.raw("</tr><tr>");
        }
    }
    sheet.html.raw("</tr></table>\n");
    for (other, text) in [(month.saturating_sub(1), "Earlier"), (month + 1, "Later")] {
        if site.months().contains(&other) || is_endless {
            sheet.link(Place::Month(other), text, "step");
        }
    }
    sheet.end();
}

fn day_page(site: &Sports, sheet: Page<'_, '_>, day: Day, page: u64) {
    let month = Place::Month(month_of(day));
    sheet.begin(&Head::under(&format!("Matches on {}", day.long()), month, "Schedule"));
    if site.has_matches(day) {
        let games = site.played.slice(day.0.saturating_sub(super::FIRST_DAY), span(page, MATCHES_A_PAGE));
        sheet.roll("games", games.collect::<Vec<_>>(), |sheet, game| {
            let node = Node::Match(game);
            sheet.link(at(node), &site.node_name(node), "game");
            let dice = site.node_dice(node);
            let score = format!("{}:{}", dice.of("home").below(110), dice.of("away").below(110));
            sheet.html.element("span", &[("class", "score")], &score);
        });
        sheet.pager_of(page, site.last_page(Place::Day(day, 1)), |n| Place::Day(day, n));
    } else {
        sheet.notice("No matches on this day.");
    }
    let is_endless = site.ground.setting.nasty.calendars > 0.0;
    for (other, text) in [(Day(day.0.saturating_sub(1)), "Day before"), (Day(day.0 + 1), "Day after")] {
        if site.has_matches(other) || is_endless {
            sheet.link(Place::Day(other, 1), text, "step");
        }
    }
    sheet.end();
}

/// The members of a class on a page of the list of all: the topics take turns, since newest come first.
pub(super) fn turns(all: &Sections, page: u64, per_page: u64, dice: Dice) -> Vec<u64> {
    let shuffle = crate::Permutation::new(all.len(), dice);
    span(page, per_page).take_while(|n| *n < all.len()).map(|n| shuffle.at(n)).collect()
}

fn news(site: &Sports, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("News", Place::Home, "Home"));
    let articles = turns(&site.articles, page, NEWS_A_PAGE, site.dice("news", 0));
    let articles = articles.into_iter().map(Node::Article).collect();
    node_rows(site, sheet, "news", articles, |sheet, node| {
        let (prose, dice) =
            (site.ground.prose(site.node_topic(node), 0.25, site.node_dice(node)), site.node_dice(node));
        let mut text = String::new();
        prose.sentence(dice.of("lead"), &mut text);
        sheet.html.element(if sheet.theme == Theme::Old { "font" } else { "p" }, &[("class", "lead")], &text);
    });
    sheet.pager_of(page, site.last_page(Place::News(1)), Place::News);
    sheet.end();
}
