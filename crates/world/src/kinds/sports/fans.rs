//! The pages of `sports` that fans made, and the lists that lead to them.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark};
use super::super::plan::Plan;
use super::super::site_map::{PageId, PageKind};
use super::super::ties::draws;
use super::pages::{Out, node_rows, turns};
use super::{NAMES_A_PAGE, NEWS_A_PAGE, Node, POSTS_A_PAGE, Sports, SportsPage, THREADS_A_PAGE};

pub(super) fn thread_page(site: &Sports, out: Out<'_, '_>, thread: u64) {
    let (node, topic) = (SportsPage::Thread.of(thread), site.threads.topic(thread));
    let (name, dice) = (site.node_name(node), site.node_dice(node));
    let board = site.boards.parent(thread).unwrap_or(0);
    let mut head = Head::under(&name, SportsPage::Boards.first(), "Forum");
    head.crumbs.push((SportsPage::Board.of(board), site.ground.label(board as usize).to_owned()));
    out.begin(&head);
    let starter = site.starters.parent(thread);
    if site.is_spammer(starter) {
        out.spam(dice);
        return;
    }
    let talkers: Vec<u64> = starter.into_iter().chain(site.talkers.parents(thread)).collect();
    let prose = site.ground.prose(topic, 0.22, dice);
    let range = out.span(POSTS_A_PAGE);
    let posts = (range.start..range.end.min(site.post_count(thread))).filter_map(|post| {
        let dice = dice.of("post").at(post);
        let author = if post == 0 { *talkers.first()? } else { *dice.of("who").pick(&talkers)? };
        let text = prose.paragraph_text(dice, dice.of("long").long_tail(2.5, 12).max(1) as usize);
        let when = day_of(dice.of("when")).long();
        Some(Remark { author: SportsPage::Fan.of(author), name: site.fan_name(author), when, text })
    });
    out.remarks("posts", posts.collect());
    out.pager();
    out.heading("More from this board");
    let others = draws(dice.of("near"), 4, |dice| site.threads.draw(topic, dice));
    out.bullets("ul", "near", others.into_iter().filter(|other| *other != thread), |out, other| {
        out.link(SportsPage::Thread.of(other), &site.node_name(SportsPage::Thread.of(other)), "");
    });
}

pub(super) fn entry_page(site: &Sports, out: Out<'_, '_>, entry: u64) {
    let (node, topic) = (SportsPage::Entry.of(entry), site.entries.topic(entry));
    let (name, dice) = (site.node_name(node), site.node_dice(node));
    out.begin(&Head {
        og_type: "blog",
        about: &name,
        ..Head::under(&name, SportsPage::Blogs.first(), "Blogs")
    });
    let author = site.bloggers.parent(entry);
    out.open("div", out.by_theme("entry hentry", "blogpost", "bp"));
    if let Some(fan) = author {
        out.open("div", "posted-by");
        out.link(SportsPage::Fan.of(fan), &site.fan_name(fan), "author");
        out.element("abbr", "published", &day_of(dice.of("day")).long());
        out.close("div");
    }
    if site.is_spammer(author) {
        out.spam(dice);
        out.close("div");
        return;
    }
    let prose = site.ground.prose(topic, 0.25, dice);
    out.open("div", "entry-content");
    out.paragraphs(&prose, dice.of("text"), dice.of("n").long_tail(5.0, 14).max(1), 5);
    out.close("div");
    out.close("div");
    comments(site, out, dice, topic);
    if let Some(fan) = author {
        let others = site
            .bloggers
            .children(fan)
            .slice(0..5)
            .filter(|other| *other != entry)
            .map(|n| SportsPage::Entry.of(n))
            .collect();
        out.heading("By the same fan");
        node_rows(site, out, "same-author", others, |_, _| {});
    }
}

fn comments(site: &Sports, out: Out<'_, '_>, dice: Dice, topic: usize) {
    let prose = site.ground.prose(topic, 0.12, dice.of("comments"));
    let fans =
        draws(dice.of("comments"), dice.of("count").long_tail(3.0, 14), |dice| site.fans.draw(topic, dice));
    if fans.is_empty() {
        return out.notice("Be the first to comment.");
    }
    let remarks = fans.into_iter().map(|fan| {
        let text = prose.paragraph_text(dice.of("comment").at(fan), 2);
        let when = day_of(dice.of("when").at(fan)).iso();
        Remark { author: SportsPage::Fan.of(fan), name: site.fan_name(fan), when, text }
    });
    out.remarks("replies", remarks.collect());
}

pub(super) fn fan_page(site: &Sports, out: Out<'_, '_>, fan: u64) {
    let (name, dice, topic) = (site.fan_name(fan), site.dice("fan", fan), site.fans.topic(fan));
    out.begin(&Head { og_type: "profile", ..Head::under(&name, SportsPage::Fans.first(), "Fans") });
    if site.is_spammer(Some(fan)) {
        out.spam(dice);
        return;
    }
    out.open("div", "fan-card");
    out.html.open("img", &[("src", "/media/avatar.jpg"), ("alt", &name)]);
    let team = site.favourites.parent(fan).map(|team| (SportsPage::Team.of(team), site.team_name(team)));
    out.facts(
        "fan-facts",
        vec![
            ("Fan since", Fact::Text(day_of(dice.of("since")).long())),
            ("Team", Fact::Links(team.into_iter().collect())),
        ],
    );
    if dice.of("bio").chance(0.7) {
        out.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("bio"), 1, 3);
    }
    out.close("div");
    let entries = site.bloggers.children(fan);
    if entries.len() > 0 {
        out.heading("Blog");
        node_rows(
            site,
            out,
            "own-entries",
            entries.slice(0..12).map(|n| SportsPage::Entry.of(n)).collect(),
            |_, _| {},
        );
    }
    out.heading("Threads");
    let started = site.starters.children(fan);
    let joined = site.talkers.children(fan, 0..10);
    let threads: Vec<Node> = started.slice(0..10).chain(joined).map(|n| SportsPage::Thread.of(n)).collect();
    node_rows(site, out, "own-threads", threads, |_, _| {});
    out.open("div", "friends");
    for other in site.friends.parents(fan).into_iter().chain(site.friends.children(fan, 0..8)) {
        out.thumb(SportsPage::Fan.of(other), "avatar", &site.fan_name(other));
    }
    out.close("div");
}

pub(super) fn blogs(site: &Sports, out: Out<'_, '_>) {
    out.begin(&Head::under("Blogs", SportsPage::Home.first(), "Home"));
    let entries = turns(&site.entries, out.span(NEWS_A_PAGE), site.dice("blogs", 0));
    node_rows(
        site,
        out,
        "blogs",
        entries.into_iter().map(|n| SportsPage::Entry.of(n)).collect(),
        |out, node| {
            let author = site.bloggers.parent(node.id);
            if let Some(fan) = author {
                out.link(SportsPage::Fan.of(fan), &site.fan_name(fan), "author");
            }
        },
    );
    out.pager();
}

pub(super) fn boards(site: &Sports, out: Out<'_, '_>) {
    out.begin(&Head::under("Forum", SportsPage::Home.first(), "Home"));
    out.raw("<table class=\"boards\"><tr><th>Board</th><th>Threads</th></tr>\n");
    for topic in 0..site.ground.topic_count() {
        out.raw("<tr><td>");
        out.link(SportsPage::Board.of(topic), site.ground.label(topic as usize), "board");
        let about = site.ground.words(topic as usize).map_or("", |words| words.description_en.as_str());
        out.element("div", "board-about", about);
        out.raw(&format!("</td><td>{}</td></tr>\n", site.boards.children(topic).len()));
    }
    out.raw("</table>\n");
}

pub(super) fn board(site: &Sports, out: Out<'_, '_>, topic: u64) {
    out.begin(&Head::under(site.ground.label(topic as usize), SportsPage::Boards.first(), "Forum"));
    let threads = site
        .boards
        .children(topic)
        .slice(out.span(THREADS_A_PAGE))
        .map(|n| SportsPage::Thread.of(n))
        .collect();
    node_rows(site, out, "threads", threads, |out, node| {
        let thread = node.id;
        if let Some(fan) = site.starters.parent(thread) {
            out.link(SportsPage::Fan.of(fan), &site.fan_name(fan), "starter");
        }
        out.element("span", "count", &format!("{} posts", site.post_count(thread)));
        let last = site.last_page(node);
        if last > 1 {
            out.link(PageId { page: last, ..node }, "last page", "last");
        }
    });
    out.pager();
}

pub(super) fn fans(site: &Sports, out: Out<'_, '_>) {
    out.begin(&Head::under("Fans", SportsPage::Home.first(), "Home"));
    let fans: Vec<u64> = out.span(NAMES_A_PAGE).take_while(|fan| *fan < site.fans.len()).collect();
    out.roll("fans", fans, |out, fan| {
        out.thumb(SportsPage::Fan.of(fan), "avatar", "");
        out.link(SportsPage::Fan.of(fan), &site.fan_name(fan), "fan");
    });
    out.pager();
}
