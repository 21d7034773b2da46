//! The pages of `sports`.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::{Day, day_of};
use super::super::pieces::Fact;
use super::super::site_map::{PageId, PageKind};
use super::super::ties::{Sections, draws};
use super::super::writer::{PageWriter, Theme};
use super::{
    FIRST_SEASON, MATCHES_A_PAGE, NEWS_A_PAGE, Node, PLAYERS_A_PAGE, SEASONS, Sports, SportsPage,
    TEAMS_A_PAGE, fans, month_of,
};

pub(super) type Out<'a, 'b> = &'a mut PageWriter<'b, Sports>;

pub(super) fn write(site: &Sports, page: PageId<SportsPage>, out: Out<'_, '_>) {
    let id = page.id;
    match page.kind {
        SportsPage::Home => home(site, out),
        SportsPage::Article => article_page(site, out, id),
        SportsPage::Match => match_page(site, out, id),
        SportsPage::Thread => fans::thread_page(site, out, id),
        SportsPage::Entry => fans::entry_page(site, out, id),
        SportsPage::Fan => fans::fan_page(site, out, id),
        SportsPage::League => league(site, out, id),
        SportsPage::Standings => standings(site, out, id, page.part),
        SportsPage::Leaders => leaders(site, out, id, page.part),
        SportsPage::Team => team_page(site, out, id),
        SportsPage::Player => player_page(site, out, id),
        SportsPage::GameLog => game_log(site, out, id, page.part),
        SportsPage::Month => month_page(site, out, id),
        SportsPage::Day => day_page(site, out, Day(id)),
        SportsPage::News => news(site, out),
        SportsPage::Blogs => fans::blogs(site, out),
        SportsPage::Boards => fans::boards(site, out),
        SportsPage::Board => fans::board(site, out, id),
        SportsPage::Fans => fans::fans(site, out),
    }
}

pub(super) fn aside(site: &Sports, out: Out<'_, '_>) {
    let dice = out.of("aside");
    let topic = out.topic_or_any(dice);
    let articles =
        draws(dice, 9, |dice| site.articles.draw(topic, dice)).into_iter().map(|n| SportsPage::Article.of(n));
    out.side_links("Headlines", articles.map(|node| (node, site.node_name(node))));
    if dice.of("scores").chance(0.6) {
        let games = draws(dice.of("games"), 8, |dice| site.matches.draw(topic, dice))
            .into_iter()
            .map(|n| SportsPage::Match.of(n));
        out.side_links("Scores", games.map(|node| (node, site.node_name(node))));
    }
    if dice.of("talk").chance(0.4) {
        let threads = draws(dice.of("threads"), 3, |dice| site.threads.draw(topic, dice))
            .into_iter()
            .map(|n| SportsPage::Thread.of(n));
        out.side_links("Hot in the forum", threads.map(|node| (node, site.node_name(node))));
    }
    if dice.of("fans").chance(0.2) {
        let fans = draws(dice.of("fan"), 3, |dice| site.fans.draw(topic, dice))
            .into_iter()
            .map(|n| SportsPage::Fan.of(n));
        out.side_links("Fans of the week", fans.map(|node| (node, site.node_name(node))));
    }
}

/// A list of nodes: title, date, and what else the caller writes.
pub(super) fn node_rows(
    site: &Sports,
    out: Out<'_, '_>,
    class: &str,
    nodes: Vec<Node>,
    mut more: impl FnMut(&mut PageWriter<'_, Sports>, Node),
) {
    if nodes.is_empty() {
        return out.notice("Nothing here yet.");
    }
    out.roll(class, nodes, |out, node| {
        out.link(node, &site.node_name(node), "headline");
        out.element("small", "", &day_of(site.node_dice(node).of("day")).iso());
        more(out, node);
    });
}

fn home(site: &Sports, out: Out<'_, '_>) {
    out.begin(&Head { about: "News, scores and fans", ..Head::plain("Today in sports") });
    let dice = out.of("home");
    let top = draws(dice, 14, |dice| Some(dice.below(site.articles.len())))
        .into_iter()
        .map(|n| SportsPage::Article.of(n));
    node_rows(site, out, "top-stories", top.collect(), |_, _| {});
    out.heading("Leagues");
    out.bullets("ul", "leagues", 0..site.leagues, |out, topic| {
        out.link(SportsPage::League.of(topic), site.ground.label(topic as usize), "");
    });
    out.heading("From the terrace");
    let entries = draws(dice.of("entries"), 6, |dice| Some(dice.below(site.entries.len())));
    node_rows(
        site,
        out,
        "entries",
        entries.into_iter().map(|n| SportsPage::Entry.of(n)).collect(),
        |_, _| {},
    );
    out.open("p", "community");
    out.link(SportsPage::Blogs.first(), "All blogs", "");
    out.link(SportsPage::Fans.first(), "All fans", "");
    out.close("p");
}

fn league(site: &Sports, out: Out<'_, '_>, topic: u64) {
    out.begin(&Head::under(site.ground.label(topic as usize), SportsPage::Home.first(), "Home"));
    out.open("div", "seasons");
    for season in 0..SEASONS {
        let year = (FIRST_SEASON + season).to_string();
        out.link(SportsPage::Standings.part(topic, season), &format!("Table {year}"), "season");
        out.link(SportsPage::Leaders.part(topic, season), &format!("Leaders {year}"), "season");
    }
    out.close("div");
    out.heading("Teams");
    let range = site.teams.range(topic as usize);
    let teams = out.span(TEAMS_A_PAGE).map(|n| range.start + n).take_while(|team| *team < range.end);
    out.roll("teams", teams.collect::<Vec<_>>(), |out, team| {
        out.thumb(SportsPage::Team.of(team), &format!("crest/{team}"), "");
        out.link(SportsPage::Team.of(team), &site.team_name(team), "team");
    });
    out.pager();
}

fn standings(site: &Sports, out: Out<'_, '_>, topic: u64, season: u64) {
    let title = format!("Table {}", FIRST_SEASON + season);
    out.begin(&Head::under(&title, SportsPage::League.of(topic), site.ground.label(topic as usize)));
    out.raw(
        "<table class=\"standings\"><thead><tr><th>Team</th><th>W</th><th>L</th><th>Pts</th></tr></thead>\n",
    );
    let (range, dice) = (site.teams.range(topic as usize), site.dice("standings", topic).at(season));
    for team in range.take(TEAMS_A_PAGE as usize) {
        let (won, lost) = (dice.at(team).of("w").below(30), dice.at(team).of("l").below(30));
        out.raw("<tr><td>");
        out.link(SportsPage::Team.of(team), &site.team_name(team), "");
        out.raw(&format!("</td><td>{won}</td><td>{lost}</td><td>{}</td></tr>\n", won * 3));
    }
    out.raw("</table>\n");
}

fn leaders(site: &Sports, out: Out<'_, '_>, topic: u64, season: u64) {
    let title = format!("Leaders {}", FIRST_SEASON + season);
    out.begin(&Head::under(&title, SportsPage::League.of(topic), site.ground.label(topic as usize)));
    let (range, dice) = (site.players.range(topic as usize), site.dice("leaders", topic).at(season));
    out.bullets(
        "ol",
        "leaders",
        out.span(PLAYERS_A_PAGE).map(|n| range.start + n).take_while(|player| *player < range.end),
        |out, player| {
            out.link(SportsPage::Player.of(player), &site.player_name(player), "player");
            out.element("b", "", &dice.at(player).below(60).to_string());
        },
    );
    out.pager();
}

fn team_page(site: &Sports, out: Out<'_, '_>, team: u64) {
    let (name, dice, topic) = (site.team_name(team), site.dice("team", team), site.teams.topic(team));
    let league = (SportsPage::League.of(topic as u64), site.ground.label(topic).to_owned());
    out.begin(&Head { title: &name, og_type: "sports_team", about: &name, crumbs: vec![league] });
    out.open("div", "team-head");
    let crest = format!("/media/crest/{team}.jpg");
    out.html.open("img", &[("src", &crest), ("alt", &name)]);
    out.facts(
        "club-facts",
        vec![
            ("Founded", Fact::Text(dice.of("founded").between(1870, 1995).to_string())),
            ("Ground", Fact::Text(format!("{} Park", name.split(' ').next().unwrap_or_default()))),
        ],
    );
    out.close("div");
    out.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), 1, 3);
    out.heading("Roster");
    let roster = site.rosters.children(team);
    out.raw("<table class=\"roster\"><tr><th>No</th><th>Name</th></tr>\n");
    for (number, player) in (1u64..).zip(roster.slice(0..60)) {
        out.raw(&format!("<tr><td>{number}</td><td>"));
        out.link(SportsPage::Player.of(player), &site.player_name(player), "player");
        out.raw("</td></tr>\n");
    }
    out.raw("</table>\n");
    out.heading("Matches");
    let (home, away) = (site.hosts.children(team), site.guests.children(team));
    let games: Vec<u64> = home.slice(0..40).chain(away.slice(0..40)).collect();
    out.roll("fixtures", games, |out, game| {
        let day = site.day_of(game);
        out.link(SportsPage::Day.of(day.0), &day.iso(), "when");
        out.link(SportsPage::Match.of(game), &site.node_name(SportsPage::Match.of(game)), "match");
    });
    out.heading("News");
    let articles = site.subjects.children(team).slice(0..8).map(|n| SportsPage::Article.of(n)).collect();
    node_rows(site, out, "team-news", articles, |_, _| {});
    let followers: Vec<u64> = site.favourites.children(team).slice(0..6).collect();
    out.open("p", "followers");
    followers.iter().for_each(|fan| out.link(SportsPage::Fan.of(*fan), &site.fan_name(*fan), "fan"));
    out.close("p");
}

fn player_page(site: &Sports, out: Out<'_, '_>, player: u64) {
    let (name, dice, topic) =
        (site.player_name(player), site.dice("player", player), site.players.topic(player));
    let team = site.rosters.parent(player);
    let crumbs = team.map(|team| (SportsPage::Team.of(team), site.team_name(team))).into_iter().collect();
    out.begin(&Head { title: &name, og_type: "profile", about: &name, crumbs });
    let face = format!("/media/player/{player}.jpg");
    out.html.open("img", &[("src", &face), ("class", "mug"), ("alt", &name)]);
    let mut facts = vec![
        ("Height", Fact::Text(format!("{} cm", dice.of("height").between(164, 214)))),
        ("Weight", Fact::Text(format!("{} kg", dice.of("weight").between(58, 118)))),
        ("Born", Fact::Text(day_of(dice.of("born")).long())),
    ];
    if let Some(team) = team {
        facts.insert(0, ("Team", Fact::Links(vec![(SportsPage::Team.of(team), site.team_name(team))])));
    }
    out.facts("bio", facts);
    out.raw("<table class=\"career\"><tr><th>Season</th><th>GP</th><th>Avg</th></tr>\n");
    for season in 0..SEASONS {
        let year = (FIRST_SEASON + season).to_string();
        out.raw("<tr><td>");
        match site.has_log(player, season) {
            true => out.link(SportsPage::GameLog.part(player, season), &year, "log"),
            false => out.text(&year),
        }
        let (games, average) = (dice.at(season).below(82), dice.at(season).of("avg").below(300));
        out.raw(&format!("</td><td>{games}</td><td>{}.{}</td></tr>\n", average / 10, average % 10));
    }
    out.raw("</table>\n");
    if dice.of("text").chance(0.6) {
        out.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), 1, 4);
    }
    if let Some(team) = team {
        out.heading("Teammates");
        out.open("div", "mates");
        for mate in site.rosters.children(team).slice(0..8).filter(|mate| *mate != player) {
            out.link(SportsPage::Player.of(mate), &site.player_name(mate), "mate");
        }
        out.close("div");
    }
}

fn game_log(site: &Sports, out: Out<'_, '_>, player: u64, season: u64) {
    let name = site.player_name(player);
    let title = format!("{name}: games of {}", FIRST_SEASON + season);
    out.begin(&Head::under(&title, SportsPage::Player.of(player), name.clone()));
    let dice = site.dice("gamelog", player).at(season);
    out.raw("<table class=\"log\"><thead><tr><th>Date</th><th>Min</th><th>Pts</th><th>+/-</th></tr></thead><tbody>\n");
    for game in 0..dice.of("games").between(10, 40) {
        let dice = dice.at(game);
        let (day, minutes, points) =
            (day_of(dice.of("day")).iso(), dice.of("m").below(48), dice.of("p").below(40));
        out.raw(&format!(
            "<tr><td>{day}</td><td>{minutes}</td><td>{points}</td><td>{}</td></tr>\n",
            dice.below(9)
        ));
    }
    out.raw("</tbody></table>\n");
}

fn match_page(site: &Sports, out: Out<'_, '_>, game: u64) {
    let (node, topic) = (SportsPage::Match.of(game), site.matches.topic(game));
    let (name, dice, day) = (site.node_name(node), site.node_dice(node), site.day_of(game));
    out.begin(&Head { about: &name, ..Head::under(&name, SportsPage::Day.of(day.0), day.long()) });
    out.json_ld("SportsEvent", &name, ("startDate", &day.iso()));
    let (host, guest) = site.sides(game);
    out.open("div", out.by_theme("scoreboard", "score-box", "sb"));
    for (side, team) in [("home", host), ("away", guest)] {
        out.open("div", side);
        match team {
            Some(team) => out.link(SportsPage::Team.of(team), &site.team_name(team), "team"),
            None => out.text("Select XI"),
        }
        out.element("strong", "", &dice.of(side).below(110).to_string());
        out.close("div");
    }
    out.close("div");
    out.heading("Box score");
    for team in [host, guest].into_iter().flatten() {
        out.open("table", "box");
        for player in site.rosters.children(team).slice(0..9) {
            out.raw("<tr><td>");
            out.link(SportsPage::Player.of(player), &site.player_name(player), "");
            out.raw(&format!("</td><td>{}</td></tr>\n", dice.at(player).below(40)));
        }
        out.close("table");
    }
    out.paragraphs(&site.ground.prose(topic, 0.25, dice), dice.of("report"), dice.of("n").between(0, 2), 4);
}

fn article_page(site: &Sports, out: Out<'_, '_>, article: u64) {
    let (node, topic) = (SportsPage::Article.of(article), site.articles.topic(article));
    let (name, dice) = (site.node_name(node), site.node_dice(node));
    out.begin(&Head {
        og_type: "article",
        about: &name,
        ..Head::under(&name, SportsPage::News.first(), "News")
    });
    out.open(out.by_theme("article", "div", "div"), "story");
    let writer = crate::text::person_name(dice.of("writer"));
    out.element("p", "byline", &format!("By {writer}, staff writer"));
    out.element("p", "dateline", &day_of(dice.of("day")).long());
    out.paragraphs(&site.ground.prose(topic, 0.25, dice), dice.of("text"), dice.of("n").between(3, 8), 5);
    out.close(out.by_theme("article", "div", "div"));
    if let Some(team) = site.subjects.parent(article) {
        let roster = site.rosters.children(team);
        let players = roster.slice(0..3).map(|p| (SportsPage::Player.of(p), site.player_name(p))).collect();
        let team = Fact::Links(vec![(SportsPage::Team.of(team), site.team_name(team))]);
        out.facts("about", vec![("Team", team), ("Players", Fact::Links(players))]);
    }
    out.heading("More news");
    let near = draws(dice.of("near"), 5, |dice| site.articles.draw(topic, dice));
    let near =
        near.into_iter().filter(|other| *other != article).map(|n| SportsPage::Article.of(n)).collect();
    node_rows(site, out, "more-news", near, |_, _| {});
}

fn month_page(site: &Sports, out: Out<'_, '_>, month: u64) {
    let first = Day::of_iso(&format!("{:04}-{:02}-01", month / 12, month % 12 + 1)).unwrap_or(Day(0));
    let title = format!("Schedule for {:04}-{:02}", month / 12, month % 12 + 1);
    out.begin(&Head::under(&title, SportsPage::Home.first(), "Home"));
    let is_endless = site.ground.setting.nasty.calendars > 0.0;
    out.raw("<table class=\"calendar\"><tr>\n");
    for n in 0..31 {
        let day = Day(first.0.saturating_add(n));
        if month_of(day) != month {
            break;
        }
        out.open("td", if site.has_matches(day) { "busy" } else { "free" });
        match site.has_matches(day) || is_endless {
            true => out.link(SportsPage::Day.of(day.0), &(n + 1).to_string(), "day"),
            false => out.html.number(n + 1),
        }
        out.close("td");
        if n % 7 == 6 {
            out.raw("</tr><tr>");
        }
    }
    out.raw("</tr></table>\n");
    for (other, text) in [(month.saturating_sub(1), "Earlier"), (month + 1, "Later")] {
        if site.months().contains(&other) || is_endless {
            out.link(SportsPage::Month.of(other), text, "step");
        }
    }
}

fn day_page(site: &Sports, out: Out<'_, '_>, day: Day) {
    let month = SportsPage::Month.of(month_of(day));
    out.begin(&Head::under(&format!("Matches on {}", day.long()), month, "Schedule"));
    if site.has_matches(day) {
        let games = site.played.slice(day.0.saturating_sub(super::FIRST_DAY), out.span(MATCHES_A_PAGE));
        out.roll("games", games.collect::<Vec<_>>(), |out, game| {
            let node = SportsPage::Match.of(game);
            out.link(node, &site.node_name(node), "game");
            let dice = site.node_dice(node);
            let score = format!("{}:{}", dice.of("home").below(110), dice.of("away").below(110));
            out.element("span", "score", &score);
        });
        out.pager();
    } else {
        out.notice("No matches on this day.");
    }
    let is_endless = site.ground.setting.nasty.calendars > 0.0;
    for (other, text) in [(Day(day.0.saturating_sub(1)), "Day before"), (Day(day.0 + 1), "Day after")] {
        if site.has_matches(other) || is_endless {
            out.link(SportsPage::Day.of(other.0), text, "step");
        }
    }
}

/// The members of a class on a page of the list of all: the topics take turns, since newest come first.
pub(super) fn turns(all: &Sections, range: std::ops::Range<u64>, dice: Dice) -> Vec<u64> {
    let shuffle = crate::Permutation::new(all.len(), dice);
    range.take_while(|n| *n < all.len()).map(|n| shuffle.at(n)).collect()
}

fn news(site: &Sports, out: Out<'_, '_>) {
    out.begin(&Head::under("News", SportsPage::Home.first(), "Home"));
    let articles = turns(&site.articles, out.span(NEWS_A_PAGE), site.dice("news", 0));
    let articles = articles.into_iter().map(|n| SportsPage::Article.of(n)).collect();
    node_rows(site, out, "news", articles, |out, node| {
        let (prose, dice) =
            (site.ground.prose(site.node_topic(node), 0.25, site.node_dice(node)), site.node_dice(node));
        let text = prose.sentence_text(dice.of("lead"));
        out.element(if out.theme == Theme::Old { "font" } else { "p" }, "lead", &text);
    });
    out.pager();
}
