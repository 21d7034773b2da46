//! The content of the pages of a forum.

use super::super::frame::Head;
use super::super::pieces::Fact;
use super::super::site_map::{PageId, PageKind};
use super::super::social::{Card, Turn, signature, views};
use super::super::writer::{PageWriter, Theme};
use super::{Boards, ForumPage, MONTHS, PER_DIRECTORY, PER_PAGE, POSTS, SLOTS};
use crate::text::Prose;

impl Boards {
    fn card(&self, thread: u64) -> Card<ForumPage> {
        let author = self.society.author(thread);
        let replies = self.posts(thread) - 1;
        let jumps = self.society.ground.setting.nasty.redirects * 20.0;
        let has_jump = self.society.item_dice(thread).of("jump").chance(jumps);
        Card {
            to: ForumPage::Thread.of(thread),
            title: self.title(thread),
            picture: None,
            author: Some((ForumPage::Member.of(author), self.society.handle(author))),
            note: format!("{} views", views(self.society.item_dice(thread))),
            links: vec![
                (ForumPage::Posters.of(thread), format!("{replies} replies")),
                (ForumPage::Joined.of(author), "more by the same".to_owned()),
            ],
            jump: has_jump.then(|| (self.post_path(thread, replies + 1), "last post")),
        }
    }

    fn rows_or_notice(&self, threads: impl IntoIterator<Item = u64>, out: &mut PageWriter<'_, Self>) {
        let cards: Vec<_> = threads.into_iter().map(|thread| self.card(thread)).collect();
        match cards.is_empty() {
            true => out.notice("There are no threads here."),
            false => out.rows(out.by_theme("thread-list", "forumtopics", "tl"), cards),
        }
    }

    pub(super) fn list(&self, page: PageId<ForumPage>, out: &mut PageWriter<'_, Self>) {
        let (id, range) = (page.id, out.span(PER_PAGE));
        match page.kind {
            ForumPage::Board => {
                out.begin(&Head::under(&self.board_name(id), ForumPage::Home.first(), "Forums"));
                let children = self.filed.children(id);
                let threads = children.slice(range.start..range.end.min(children.len()));
                self.rows_or_notice(threads, out);
            }
            ForumPage::Active => {
                out.begin(&Head::plain("Active topics"));
                self.rows_or_notice(self.society.newest(range), out);
            }
            ForumPage::Months => self.months(out),
            ForumPage::Month => {
                let title = format!("Archive, month {}", id + 1);
                out.begin(&Head::under(&title, ForumPage::Months.first(), "Archive"));
                let all = self.month_range(id);
                let places = (all.start + range.start..all.start + range.end).take_while(|n| *n < all.end);
                self.rows_or_notice(places.map(|place| self.society.item_ids.at(place)), out);
            }
            ForumPage::Members => {
                out.begin(&Head::plain("Members"));
                let users = self.society.directory(out.span(PER_DIRECTORY));
                out.people(users.map(|user| self.person(user)).collect());
            }
            ForumPage::TagIndex => {
                out.begin(&Head::plain("Tags"));
                let tags = self.tagging.slice_of_all(out.span(4 * PER_DIRECTORY));
                out.cloud(tags.map(|tag| self.tagging.in_cloud(tag, ForumPage::Tag)).collect());
            }
            ForumPage::Tag => {
                let title = format!("Threads tagged {}", self.tagging.name(id));
                out.begin(&Head::under(&title, ForumPage::TagIndex.first(), "Tags"));
                self.rows_or_notice(self.tagging.slice(&self.society, id, range, "tag"), out);
                out.link(ForumPage::Search.of(id), "Search the posts too", "more");
            }
            ForumPage::Search => {
                let title = format!("Search results for {}", self.tagging.name(id));
                out.begin(&Head::plain(&title));
                self.rows_or_notice(self.tagging.slice(&self.society, id, range, "search"), out);
            }
            _ => self.board_index(out),
        }
        out.pager();
    }

    fn person(&self, user: u64) -> (PageId<ForumPage>, String, String) {
        (
            ForumPage::Member.of(user),
            self.society.handle(user),
            format!("{} threads", self.society.made(user)),
        )
    }

    fn board_index(&self, out: &mut PageWriter<'_, Self>) {
        out.begin(&Head::plain("Forums"));
        for topic in 0..self.boards.topics() {
            out.heading(self.society.ground.label(topic));
            let boards = self.boards.range(topic);
            let cards = boards.map(|board| {
                Card::plain(
                    ForumPage::Board.of(board),
                    self.board_name(board),
                    format!("{} threads", self.filed.children(board).len()),
                )
            });
            out.rows("boards", cards.collect());
        }
        out.heading("Newest threads");
        out.rows("newest", self.society.newest(0..10).map(|thread| self.card(thread)).collect());
    }

    fn months(&self, out: &mut PageWriter<'_, Self>) {
        out.begin(&Head::plain("Archive"));
        out.roll("months", 0..MONTHS, |out, month| {
            let (year, number) = (2004 + (month + 4) / 12, (month + 4) % 12 + 1);
            out.link(ForumPage::Month.of(month), &format!("{year}-{number:02}"), "");
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

    pub(super) fn thread(&self, thread: u64, page: u64, out: &mut PageWriter<'_, Self>) {
        let (title, board, prose) = (self.title(thread), self.board_of(thread), self.thread_prose(thread));
        let crumbs = vec![
            (ForumPage::Home.first(), "Forums".into()),
            (ForumPage::Board.of(board), self.board_name(board)),
        ];
        out.begin(&Head { title: &title, og_type: "article", about: "", crumbs });
        out.pager();
        let posts = out.span(POSTS);
        let posts = posts.start..posts.end.min(self.posts(thread));
        for number in posts {
            let turn = match number.checked_sub(1) {
                None => self.first_post(thread, &prose),
                Some(reply) => self.talk.turn(&self.society, thread, reply, &prose),
            };
            self.post(thread, number + 1, &turn, out);
        }
        if let Some(href) = self.society.ground.setting.login_wall(out.of("reply"), &out.here) {
            out.html.link(&href, "Reply to this thread", &[("class", "reply"), ("rel", "nofollow")]);
        }
        out.pager();
        if page == 1 {
            let tags = self.tagging.of(&self.society, thread).into_iter();
            let tags = tags.map(|tag| self.tagging.linked(tag, ForumPage::Tag)).collect();
            out.tag_list("Tags", tags);
        }
        out.link(ForumPage::Posters.of(thread), "Who posted?", "tool");
    }

    fn first_post(&self, thread: u64, prose: &Prose) -> Turn {
        let (author, dice) = (self.society.author(thread), self.society.item_dice(thread).of("first"));
        let text = prose.paragraph_text(dice.of("text"), dice.of("length").long_tail(7.0, 50) as usize + 1);
        Turn { author, when: self.society.made_on(thread), text, votes: 0 }
    }

    fn post(&self, thread: u64, number: u64, turn: &Turn, out: &mut PageWriter<'_, Self>) {
        let (society, dice) = (&self.society, out.of("post").at(number));
        let name = society.handle(turn.author);
        let (post, side, body) = out.by_theme(
            (("article", "post"), ("div", "post-author"), ("div", "post-body")),
            (("div", "comment"), ("div", "submitted"), ("div", "content")),
            (("table", "PostTable"), ("td", "PostUser"), ("td", "PostText")),
        );
        out.open(post.0, post.1);
        out.open(side.0, side.1);
        out.link(ForumPage::Member.of(turn.author), &name, out.by_theme("username", "author", ""));
        out.element("span", "date", &turn.when.long());
        if dice.of("counts").chance(0.6) {
            let user = turn.author;
            out.link(ForumPage::Joined.of(user), "Posts", "count");
            out.text(" ");
            out.link(ForumPage::Started.of(user), &format!("Threads: {}", society.made(user)), "count");
        }
        if out.theme == Theme::Middle || dice.of("avatar").chance(0.5) {
            out.html.open("img", &[("src", "/media/avatar.jpg"), ("alt", ""), ("class", "avatar")]);
        }
        if dice.of("number").chance(society.ground.setting.nasty.redirects * 10.0) {
            let path = self.post_path(thread, number);
            out.html.link(&path, &format!("#{number}"), &[("class", "permalink"), ("rel", "nofollow")]);
        }
        out.close(side.0);
        out.open(body.0, body.1);
        if number > 1 && dice.of("quotes").chance(0.2) {
            let quoted = turn.text.split_inclusive(". ").next().unwrap_or("");
            out.element("blockquote", "quote", quoted);
        }
        out.element("p", "", &turn.text);
        if let Some(line) = signature(society, turn.author) {
            out.element("div", out.by_theme("signature", "sig", "sig"), &line);
        }
        out.close(body.0);
        out.close(post.0);
    }

    pub(super) fn posters(&self, thread: u64, out: &mut PageWriter<'_, Self>) {
        let title = format!("Who posted in {}", self.title(thread));
        out.begin(&Head::under(&title, ForumPage::Thread.of(thread), "Back to the thread"));
        let mut users = self.talk.partners(thread);
        users.insert(0, self.society.author(thread));
        let people = users.into_iter().map(|user| self.person(user)).collect();
        out.people(people);
    }

    pub(super) fn member(&self, user: u64, out: &mut PageWriter<'_, Self>) {
        let (society, dice, name) = (&self.society, self.society.user_dice(user), self.society.handle(user));
        let title = format!("Profile of {name}");
        out.begin(&Head { og_type: "profile", ..Head::under(&title, ForumPage::Members.first(), "Members") });
        let mut facts = vec![
            ("Joined", Fact::Text(society.joined(user).long())),
            ("Threads", Fact::Text(society.made(user).to_string())),
            ("Location", Fact::Text(society.town(user).to_owned())),
        ];
        if dice.of("named").chance(0.4) {
            facts.push(("Real name", Fact::Text(society.real_name(user))));
        }
        out.facts(out.by_theme("member-facts", "profile", "who"), facts);
        if society.is_spammer(user) {
            out.spam(dice);
        } else if dice.of("writes").chance(0.6) {
            out.heading("About me");
            out.paragraphs(&society.voice(user), dice.of("about"), dice.of("much").between(1, 2), 3);
        }
        for (place, name) in [
            (ForumPage::Started.of(user), "All threads"),
            (ForumPage::Joined.of(user), "All posts"),
            (ForumPage::Friends.of(user), "Friends"),
        ] {
            out.link(place, name, "tab");
            out.text(" ");
        }
        out.heading("Latest threads");
        self.rows_or_notice(society.made_by(user, 0..6), out);
        out.heading("Took part in");
        self.rows_or_notice(self.talk.of_user(user, 0..8), out);
        let friends = society.contacts(user, 0..8);
        if !friends.is_empty() {
            out.heading("Friends");
            let people = friends.into_iter().take(6).map(|other| self.person(other)).collect();
            out.people(people);
        }
    }

    /// The lists of a member.
    pub(super) fn member_list(&self, page: PageId<ForumPage>, out: &mut PageWriter<'_, Self>) {
        let (user, name) = (page.id, self.society.handle(page.id));
        let what = match page.kind {
            ForumPage::Started => "Threads",
            ForumPage::Joined => "Posts",
            _ => "Friends",
        };
        out.begin(&Head::under(&format!("{what} of {name}"), ForumPage::Member.of(user), name.as_str()));
        let slots = out.span(SLOTS);
        match page.kind {
            ForumPage::Started => self.rows_or_notice(self.society.made_by(user, out.span(PER_PAGE)), out),
            ForumPage::Joined => self.rows_or_notice(self.talk.of_user(user, slots), out),
            _ => {
                let friends = self.society.contacts(user, slots).into_iter();
                out.people(friends.map(|other| self.person(other)).collect());
            }
        }
        out.pager();
    }
}
