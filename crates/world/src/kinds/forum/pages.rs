//! What stands on the pages of a forum.

use super::super::frame::Head;
use super::super::pieces::{Fact, span};
use super::super::sheet::{Sheet, Theme};
use super::super::social::{Card, Lists, Turn, signature, views};
use super::places::{MONTHS, PER_DIRECTORY, PER_PAGE, POSTS, SLOTS};
use super::{Boards, Place};
use crate::text::Prose;

impl Boards {
    fn card(&self, thread: u64) -> Card<Place> {
        let author = self.society.author(thread);
        let replies = self.posts(thread) - 1;
        let jumps = self.society.ground.setting.nasty.redirects * 20.0;
        let has_jump = self.society.item_dice(thread).of("jump").chance(jumps);
        Card {
            to: Place::Thread { thread, page: 1 },
            title: self.title(thread),
            picture: None,
            author: Some((Place::Member(author), self.society.handle(author))),
            note: format!("{} views", views(self.society.item_dice(thread))),
            links: vec![
                (Place::Posters(thread), format!("{replies} replies")),
                (Place::Joined { user: author, page: 1 }, "more by the same".to_owned()),
            ],
            jump: has_jump.then(|| (self.post_path(thread, replies + 1), "last post")),
        }
    }

    fn cards(&self, threads: impl IntoIterator<Item = u64>) -> Vec<Card<Place>> {
        threads.into_iter().map(|thread| self.card(thread)).collect()
    }

    fn rows_or_notice(&self, cards: Vec<Card<Place>>, sheet: &mut Sheet<'_, Self>) {
        match cards.is_empty() {
            true => sheet.notice("There are no threads here."),
            false => sheet.rows(sheet.by_theme("thread-list", "forumtopics", "tl"), cards),
        }
    }

    pub(super) fn list(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        let (page, last) = self.last_page(place).unwrap_or((1, 1));
        let range = span(page, PER_PAGE);
        match place {
            Place::Home => self.board_index(sheet),
            Place::Board { board, .. } => {
                let name = self.board_name(board);
                sheet.begin(&Head::under(&name, Place::Home, "Forums"));
                let children = self.filed.children(board);
                let threads = children.slice(range.start..range.end.min(children.len()));
                self.rows_or_notice(self.cards(threads), sheet);
                sheet.pager(page, last, |page| Place::Board { board, page });
            }
            Place::Active(_) => {
                sheet.begin(&Head::plain("Active topics"));
                self.rows_or_notice(self.cards(self.society.newest(range)), sheet);
                sheet.pager(page, last, Place::Active);
            }
            Place::Months => self.months(sheet),
            Place::Month { month, .. } => {
                let title = format!("Archive, month {}", month + 1);
                sheet.begin(&Head::under(&title, Place::Months, "Archive"));
                let all = self.month_range(month);
                let places =
                    (all.start + range.start..all.start + range.end).take_while(|place| *place < all.end);
                let threads = places.map(|place| self.society.item_ids.at(place));
                self.rows_or_notice(self.cards(threads), sheet);
                sheet.pager(page, last, |page| Place::Month { month, page });
            }
            Place::Members(_) => {
                sheet.begin(&Head::plain("Members"));
                let range = span(page, PER_DIRECTORY);
                let places = range.start..range.end.min(self.society.users.len());
                let people = places.map(|place| self.person(self.society.user_ids.at(place))).collect();
                sheet.people(people);
                sheet.pager(page, last, Place::Members);
            }
            Place::TagIndex(_) => {
                sheet.begin(&Head::plain("Tags"));
                let range = span(page, 4 * PER_DIRECTORY);
                let tags =
                    self.tagging.all().skip(range.start as usize).take((range.end - range.start) as usize);
                let weight = |tag| u64::from(self.tagging.len(tag).max(1).ilog2());
                let cloud = tags
                    .map(|tag| (Place::Tag { tag, page: 1 }, self.tagging.name(tag).to_owned(), weight(tag)));
                sheet.cloud(cloud.collect());
                sheet.pager(page, last, Place::TagIndex);
            }
            Place::Tag { tag, .. } => {
                let title = format!("Threads tagged {}", self.tagging.name(tag));
                sheet.begin(&Head::under(&title, Place::TagIndex(1), "Tags"));
                self.rows_or_notice(self.cards(self.tagging.slice(&self.society, tag, range, "tag")), sheet);
                sheet.link(Place::Search { tag, page: 1 }, "Search the posts too", "more");
                sheet.pager(page, last, |page| Place::Tag { tag, page });
            }
            Place::Search { tag, .. } => {
                let title = format!("Search results for {}", self.tagging.name(tag));
                sheet.begin(&Head::plain(&title));
                self.rows_or_notice(
                    self.cards(self.tagging.slice(&self.society, tag, range, "search")),
                    sheet,
                );
                sheet.pager(page, last, |page| Place::Search { tag, page });
            }
            _ => {}
        }
    }

    fn person(&self, user: u64) -> (Place, String, String) {
        (Place::Member(user), self.society.handle(user), format!("{} threads", self.society.made(user)))
    }

    fn board_index(&self, sheet: &mut Sheet<'_, Self>) {
        sheet.begin(&Head::plain("Forums"));
        for topic in 0..self.boards.topics() {
            sheet.heading(self.society.ground.label(topic));
            let boards = self.boards.range(topic);
            let cards = boards.map(|board| {
                Card::plain(
                    Place::Board { board, page: 1 },
                    self.board_name(board),
                    format!("{} threads", self.filed.children(board).len()),
                )
            });
            sheet.rows("boards", cards.collect());
        }
        sheet.heading("Newest threads");
        sheet.rows("newest", self.cards(self.society.newest(0..10)));
    }

    fn months(&self, sheet: &mut Sheet<'_, Self>) {
        sheet.begin(&Head::plain("Archive"));
        sheet.roll("months", 0..MONTHS, |sheet, month| {
            let (year, number) = (2004 + (month + 4) / 12, (month + 4) % 12 + 1);
            sheet.link(Place::Month { month, page: 1 }, &format!("{year}-{number:02}"), "");
        });
    }

    /// What is written in a thread.
    fn thread_prose(&self, thread: u64) -> Prose {
        let ground = &self.society.ground;
        let board = self.boards.topic(self.board_of(thread));
        let mut mixture =
            vec![(ground.topic_id(self.society.items.topic(thread)), 0.12), (ground.topic_id(board), 0.02)];
        mixture.extend(
            self.tagging.neighbour(&self.society, thread).map(|topic| (ground.topic_id(topic), 0.06)),
        );
        Prose { mixture, ..Prose::default() }
    }

    pub(super) fn thread(&self, thread: u64, page: u64, sheet: &mut Sheet<'_, Self>) {
        let (title, board, prose) = (self.title(thread), self.board_of(thread), self.thread_prose(thread));
        let last = self.last_of(Place::Thread { thread, page });
        let crumbs =
            vec![(Place::Home, "Forums".into()), (Place::Board { board, page: 1 }, self.board_name(board))];
        sheet.begin(&Head { title: &title, og_type: "article", about: "", crumbs });
        sheet.pager(page, last, |page| Place::Thread { thread, page });
        let posts = span(page, POSTS);
        let posts = posts.start..posts.end.min(self.posts(thread));
        for number in posts {
            let turn = match number.checked_sub(1) {
                None => self.first_post(thread, &prose),
                Some(reply) => self.talk.turn(&self.society, thread, reply, &prose),
            };
            self.post(thread, number + 1, &turn, sheet);
        }
        if let Some(href) = self.society.ground.setting.login_wall(sheet.of("reply"), &sheet.here) {
            sheet.html.link(&href, "Reply to this thread", &[("class", "reply"), ("rel", "nofollow")]);
        }
        sheet.pager(page, last, |page| Place::Thread { thread, page });
        if page == 1 {
            let tags = self.tagging.of(&self.society, thread).into_iter();
            let tags =
                tags.map(|tag| (Place::Tag { tag, page: 1 }, self.tagging.name(tag).to_owned())).collect();
            sheet.tag_list("Tags", tags);
        }
        sheet.link(Place::Posters(thread), "Who posted?", "tool");
    }

    fn first_post(&self, thread: u64, prose: &Prose) -> Turn {
        let (author, dice) = (self.society.author(thread), self.society.item_dice(thread).of("first"));
        let mut text = String::with_capacity(800);
        prose.paragraph(dice.of("text"), dice.of("length").long_tail(7.0, 50) as usize + 1, &mut text);
        Turn { author, when: self.society.made_on(thread), text, votes: 0 }
    }

    fn post(&self, thread: u64, number: u64, turn: &Turn, sheet: &mut Sheet<'_, Self>) {
        let (society, dice) = (&self.society, sheet.of("post").at(number));
        let name = society.handle(turn.author);
        let (post, side, body) = sheet.by_theme(
            (("article", "post"), ("div", "post-author"), ("div", "post-body")),
            (("div", "comment"), ("div", "submitted"), ("div", "content")),
            (("table", "PostTable"), ("td", "PostUser"), ("td", "PostText")),
        );
        sheet.html.open(post.0, &[("class", post.1)]);
        sheet.html.open(side.0, &[("class", side.1)]);
        sheet.link(Place::Member(turn.author), &name, sheet.by_theme("username", "author", ""));
        sheet.html.element("span", &[("class", "date")], &turn.when.long());
        if dice.of("counts").chance(0.6) {
            let user = turn.author;
            sheet.link(Place::Joined { user, page: 1 }, "Posts", "count");
            sheet.html.text(" ");
            sheet.link(
                Place::Started { user, page: 1 },
                &format!("Threads: {}", society.made(user)),
                "count",
            );
        }
        if sheet.theme == Theme::Middle || dice.of("avatar").chance(0.5) {
            sheet.html.open("img", &[("src", "/media/avatar.jpg"), ("alt", ""), ("class", "avatar")]);
        }
        if dice.of("number").chance(society.ground.setting.nasty.redirects * 10.0) {
            let path = self.post_path(thread, number);
            sheet.html.link(&path, &format!("#{number}"), &[("class", "permalink"), ("rel", "nofollow")]);
        }
        sheet.html.close(side.0);
        sheet.html.open(body.0, &[("class", body.1)]);
        if number > 1 && dice.of("quotes").chance(0.2) {
            let quoted = turn.text.split_inclusive(". ").next().unwrap_or("");
            sheet.html.element("blockquote", &[("class", "quote")], quoted);
        }
        sheet.html.element("p", &[], &turn.text);
        if let Some(line) = signature(society, turn.author) {
            sheet.html.element("div", &[("class", sheet.by_theme("signature", "sig", "sig"))], &line);
        }
        sheet.html.close(body.0);
        sheet.html.close(post.0);
    }

    pub(super) fn posters(&self, thread: u64, sheet: &mut Sheet<'_, Self>) {
        let title = format!("Who posted in {}", self.title(thread));
        sheet.begin(&Head::under(&title, Place::Thread { thread, page: 1 }, "Back to the thread"));
        let mut users = self.talk.partners(thread);
        users.insert(0, self.society.author(thread));
        let people = users.into_iter().map(|user| self.person(user)).collect();
        sheet.people(people);
    }

    pub(super) fn member(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let (society, dice, name) = (&self.society, self.society.user_dice(user), self.society.handle(user));
        let title = format!("Profile of {name}");
        sheet.begin(&Head { og_type: "profile", ..Head::under(&title, Place::Members(1), "Members") });
        let mut facts = vec![
            ("Joined", Fact::Text(society.joined(user).long())),
            ("Threads", Fact::Text(society.made(user).to_string())),
            ("Location", Fact::Text(society.town(user).to_owned())),
        ];
        if dice.of("named").chance(0.4) {
            facts.push(("Real name", Fact::Text(society.real_name(user))));
        }
        sheet.facts(sheet.by_theme("member-facts", "profile", "who"), facts);
        if society.is_spammer(user) {
            sheet.spam(dice);
        } else if dice.of("writes").chance(0.6) {
            sheet.heading("About me");
            sheet.paragraphs(&society.voice(user), dice.of("about"), dice.of("much").between(1, 2), 3);
        }
        for (place, name) in [
            (Place::Started { user, page: 1 }, "All threads"),
            (Place::Joined { user, page: 1 }, "All posts"),
            (Place::Friends { user, page: 1 }, "Friends"),
        ] {
            sheet.link(place, name, "tab");
            sheet.html.text(" ");
        }
        sheet.heading("Latest threads");
        self.rows_or_notice(self.cards(society.made_by(user, 0..6)), sheet);
        sheet.heading("Took part in");
        self.rows_or_notice(self.cards(self.talk.of_user(user, 0..8)), sheet);
        let friends = society.contacts(user, 0..8);
        if !friends.is_empty() {
            sheet.heading("Friends");
            let people = friends.into_iter().take(6).map(|other| self.person(other)).collect();
            sheet.people(people);
        }
    }

    /// The lists of a member.
    pub(super) fn member_list(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        let Some((user, (page, last))) = place.user().zip(self.last_page(place)) else { return };
        let name = self.society.handle(user);
        let begin = |sheet: &mut Sheet<'_, Self>, title: String| {
            sheet.begin(&Head::under(&title, Place::Member(user), name.as_str()));
        };
        match place {
            Place::Started { .. } => {
                begin(sheet, format!("Threads of {name}"));
                self.rows_or_notice(self.cards(self.society.made_by(user, span(page, PER_PAGE))), sheet);
                sheet.pager(page, last, |page| Place::Started { user, page });
            }
            Place::Joined { .. } => {
                begin(sheet, format!("Posts of {name}"));
                self.rows_or_notice(self.cards(self.talk.of_user(user, span(page, SLOTS))), sheet);
                sheet.pager(page, last, |page| Place::Joined { user, page });
            }
            _ => {
                begin(sheet, format!("Friends of {name}"));
                let friends = self.society.contacts(user, span(page, SLOTS));
                let people = friends.into_iter().map(|other| self.person(other)).collect();
                sheet.people(people);
                sheet.pager(page, last, |page| Place::Friends { user, page });
            }
        }
    }
}
