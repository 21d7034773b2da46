//! The pages of `sports` that fans made, and the lists that lead to them.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark, span};
use super::super::ties::draws;
use super::pages::{Page, at, node_rows, turns};
use super::{NAMES_A_PAGE, NEWS_A_PAGE, Node, POSTS_A_PAGE, Place, Sports, THREADS_A_PAGE};

pub(super) fn thread_page(site: &Sports, sheet: Page<'_, '_>, thread: u64, page: u64) {
    let (node, topic) = (Node::Thread(thread), site.threads.topic(thread));
    let (name, dice) = (site.node_name(node), site.node_dice(node));
    let board = site.boards.parent(thread).unwrap_or(0);
    let mut head = Head::under(&name, Place::Boards, "Forum");
    head.crumbs.push((Place::Board(board, 1), site.ground.label(board as usize).to_owned()));
    sheet.begin(&head);
    let starter = site.starters.parent(thread);
    if site.is_spammer(starter) {
        sheet.spam(dice);
        return sheet.end();
    }
    let talkers: Vec<u64> = starter.into_iter().chain(site.talkers.parents(thread)).collect();
    let prose = site.ground.prose(topic, 0.22, dice);
    let range = span(page, POSTS_A_PAGE);
    let posts = (range.start..range.end.min(site.post_count(thread))).filter_map(|post| {
        let dice = dice.of("post").at(post);
        let author = if post == 0 { *talkers.first()? } else { *dice.of("who").pick(&talkers)? };
        let mut text = String::new();
        prose.paragraph(dice, dice.of("long").long_tail(2.5, 12).max(1) as usize, &mut text);
        let when = day_of(dice.of("when")).long();
        Some(Remark { author: at(Node::Fan(author)), name: site.fan_name(author), when, text })
    });
    sheet.remarks("posts", posts.collect());
    sheet.pager_of(page, site.last_page(Place::Node(node, 1)), |n| Place::Node(node, n));
    sheet.heading("More from this board");
    let others = draws(dice.of("near"), 4, |dice| site.threads.draw(topic, dice));
    sheet.html.open("ul", &[("class", "near")]);
    for other in others.into_iter().filter(|other| *other != thread) {
        sheet.html.open("li", &[]);
        sheet.link(at(Node::Thread(other)), &site.node_name(Node::Thread(other)), "");
        sheet.html.close("li");
    }
    sheet.html.close("ul");
    sheet.end();
}

pub(super) fn entry_page(site: &Sports, sheet: Page<'_, '_>, entry: u64) {
    let (node, topic) = (Node::Entry(entry), site.entries.topic(entry));
    let (name, dice) = (site.node_name(node), site.node_dice(node));
    sheet.begin(&Head { og_type: "blog", about: &name, ..Head::under(&name, Place::Blogs(1), "Blogs") });
    let author = site.bloggers.parent(entry);
    sheet.html.open("div", &[("class", sheet.by_theme("entry hentry", "blogpost", "bp"))]);
    if let Some(fan) = author {
        sheet.html.open("div", &[("class", "posted-by")]);
        sheet.link(at(Node::Fan(fan)), &site.fan_name(fan), "author");
        sheet.html.element("abbr", &[("class", "published")], &day_of(dice.of("day")).long());
        sheet.html.close("div");
    }
    if site.is_spammer(author) {
        sheet.spam(dice);
        sheet.html.close("div");
        return sheet.end();
    }
    let prose = site.ground.prose(topic, 0.25, dice);
    sheet.html.open("div", &[("class", "entry-content")]);
    sheet.paragraphs(&prose, dice.of("text"), dice.of("n").long_tail(5.0, 14).max(1), 5);
    sheet.html.close("div");
    sheet.html.close("div");
    comments(site, sheet, dice, topic);
    if let Some(fan) = author {
        let others = site
            .bloggers
            .children(fan)
            .slice(0..5)
            .filter(|other| *other != entry)
            .map(Node::Entry)
            .collect();
        sheet.heading("By the same fan");
        node_rows(site, sheet, "same-author", others, |_, _| {});
    }
    sheet.end();
}

fn comments(site: &Sports, sheet: Page<'_, '_>, dice: Dice, topic: usize) {
    let prose = site.ground.prose(topic, 0.12, dice.of("comments"));
    let fans =
        draws(dice.of("comments"), dice.of("count").long_tail(3.0, 14), |dice| site.fans.draw(topic, dice));
    if fans.is_empty() {
        return sheet.notice("Be the first to comment.");
    }
    let remarks = fans.into_iter().map(|fan| {
        let mut text = String::new();
        prose.paragraph(dice.of("comment").at(fan), 2, &mut text);
        let when = day_of(dice.of("when").at(fan)).iso();
        Remark { author: at(Node::Fan(fan)), name: site.fan_name(fan), when, text }
    });
    sheet.remarks("replies", remarks.collect());
}

pub(super) fn fan_page(site: &Sports, sheet: Page<'_, '_>, fan: u64) {
    let (name, dice, topic) = (site.fan_name(fan), site.dice("fan", fan), site.fans.topic(fan));
    sheet.begin(&Head { og_type: "profile", ..Head::under(&name, Place::Fans(1), "Fans") });
    if site.is_spammer(Some(fan)) {
        sheet.spam(dice);
        return sheet.end();
    }
    sheet.html.open("div", &[("class", "fan-card")]);
    sheet.html.open("img", &[("src", "/media/avatar.jpg"), ("alt", &name)]);
    let team = site.favourites.parent(fan).map(|team| (Place::Team(team), site.team_name(team)));
    sheet.facts(
        "fan-facts",
        vec![
            ("Fan since", Fact::Text(day_of(dice.of("since")).long())),
            ("Team", Fact::Links(team.into_iter().collect())),
        ],
    );
    if dice.of("bio").chance(0.7) {
        sheet.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("bio"), 1, 3);
    }
    sheet.html.close("div");
    let entries = site.bloggers.children(fan);
    if entries.len() > 0 {
        sheet.heading("Blog");
        node_rows(site, sheet, "own-entries", entries.slice(0..12).map(Node::Entry).collect(), |_, _| {});
    }
    sheet.heading("Threads");
    let started = site.starters.children(fan);
    let joined = site.talkers.children(fan, 0..10);
    let threads: Vec<Node> = started.slice(0..10).chain(joined).map(Node::Thread).collect();
    node_rows(site, sheet, "own-threads", threads, |_, _| {});
    sheet.html.open("div", &[("class", "friends")]);
    for other in site.friends.parents(fan).into_iter().chain(site.friends.children(fan, 0..8)) {
        sheet.thumb(at(Node::Fan(other)), "avatar", &site.fan_name(other));
    }
    sheet.html.close("div");
    sheet.end();
}

pub(super) fn blogs(site: &Sports, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Blogs", Place::Home, "Home"));
    let entries = turns(&site.entries, page, NEWS_A_PAGE, site.dice("blogs", 0));
    node_rows(site, sheet, "blogs", entries.into_iter().map(Node::Entry).collect(), |sheet, node| {
        let author = if let Node::Entry(entry) = node { site.bloggers.parent(entry) } else { None };
        if let Some(fan) = author {
            sheet.link(at(Node::Fan(fan)), &site.fan_name(fan), "author");
        }
    });
    sheet.pager_of(page, site.last_page(Place::Blogs(1)), Place::Blogs);
    sheet.end();
}

pub(super) fn boards(site: &Sports, sheet: Page<'_, '_>) {
    sheet.begin(&Head::under("Forum", Place::Home, "Home"));
    sheet.html.raw("<table class=\"boards\"><tr><th>Board</th><th>Threads</th></tr>\n");
    for topic in 0..site.ground.topic_count() {
        sheet.html.raw("<tr><td>");
        sheet.link(Place::Board(topic, 1), site.ground.label(topic as usize), "board");
        let about = site.ground.words(topic as usize).map_or("", |words| words.description_en.as_str());
        sheet.html.element("div", &[("class", "board-about")], about);
        sheet.html.raw(&format!("</td><td>{}</td></tr>\n", site.boards.children(topic).len()));
    }
    sheet.html.raw("</table>\n");
    sheet.end();
}

pub(super) fn board(site: &Sports, sheet: Page<'_, '_>, topic: u64, page: u64) {
    sheet.begin(&Head::under(site.ground.label(topic as usize), Place::Boards, "Forum"));
    let threads = site.boards.children(topic).slice(span(page, THREADS_A_PAGE)).map(Node::Thread).collect();
    node_rows(site, sheet, "threads", threads, |sheet, node| {
        let Node::Thread(thread) = node else { return };
        if let Some(fan) = site.starters.parent(thread) {
            sheet.link(at(Node::Fan(fan)), &site.fan_name(fan), "starter");
        }
        sheet.html.element("span", &[("class", "count")], &format!("{} posts", site.post_count(thread)));
        let last = site.last_page(at(node));
        if last > 1 {
            sheet.link(Place::Node(node, last), "last page", "last");
        }
    });
    sheet.pager_of(page, site.last_page(Place::Board(topic, 1)), |n| Place::Board(topic, n));
    sheet.end();
}

pub(super) fn fans(site: &Sports, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Fans", Place::Home, "Home"));
    let fans: Vec<u64> = span(page, NAMES_A_PAGE).take_while(|fan| *fan < site.fans.len()).collect();
    sheet.roll("fans", fans, |sheet, fan| {
        sheet.thumb(at(Node::Fan(fan)), "avatar", "");
        sheet.link(at(Node::Fan(fan)), &site.fan_name(fan), "fan");
    });
    sheet.pager_of(page, site.last_page(Place::Fans(1)), Place::Fans);
    sheet.end();
}
