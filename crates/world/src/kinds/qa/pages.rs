//! The content of the pages of a site of questions.

use super::super::frame::Head;
use super::super::ground::Day;
use super::super::pieces::{Fact, Remark};
use super::super::site_map::{PageId, PageKind};
use super::super::social::{Card, Turn, views};
use super::super::writer::{PageWriter, Theme};
use super::{LOOKED_THROUGH, PER_DIRECTORY, PER_PAGE, QaPage, Questions, SLOTS};
use crate::Dice;
use crate::text::Prose;

impl Questions {
    fn card(&self, question: u64) -> Card<QaPage> {
        let (author, dice) = (self.society.author(question), self.society.item_dice(question));
        let tags = self.tagging.of(&self.society, question).into_iter().take(3);
        let mut links: Vec<_> = tags.map(|tag| self.tagging.linked(tag, QaPage::Tag)).collect();
        if self.is_edited(question) {
            links.push((QaPage::History.of(question), "modified".to_owned()));
        }
        links.push((QaPage::Awards.of(author), format!("{} badges", dice.of("badges").between(1, 9))));
        let short = self.society.ground.setting.nasty.redirects * 12.0;
        Card {
            to: QaPage::Question.of(question),
            title: self.title(question),
            picture: None,
            author: Some((QaPage::User.of(author), self.society.handle(author))),
            note: format!("{} answers, {} views", self.talk.len(&self.society, question), views(dice)),
            links,
            jump: dice.of("short").chance(short).then(|| (self.short_name(question), "permalink")),
        }
    }

    fn rows_or_notice(&self, questions: impl IntoIterator<Item = u64>, out: &mut PageWriter<'_, Self>) {
        let cards: Vec<_> = questions.into_iter().map(|question| self.card(question)).collect();
        match cards.is_empty() {
            true => out.notice("There are no questions here."),
            false => out.rows(out.by_theme("question-list", "topics", "ql"), cards),
        }
    }

    fn person(&self, user: u64) -> (PageId<QaPage>, String, String) {
        let standing = self.society.user_dice(user).of("standing").long_tail(120.0, 90_000);
        (
            QaPage::User.of(user),
            self.society.handle(user),
            format!("{standing} points, {}", self.society.town(user)),
        )
    }

    pub(super) fn list(&self, page: PageId<QaPage>, out: &mut PageWriter<'_, Self>) {
        let (id, range) = (page.id, out.span(PER_PAGE));
        match page.kind {
            QaPage::Newest => {
                out.begin(&Head::plain("All questions"));
                self.rows_or_notice(self.society.newest(range), out);
            }
            QaPage::Unanswered => {
                out.begin(&Head::plain("Unanswered questions"));
                let newest = self.society.newest(out.span(LOOKED_THROUGH));
                let open = newest.filter(|question| self.talk.len(&self.society, *question) == 0);
                self.rows_or_notice(open, out);
            }
            QaPage::TagIndex => {
                out.begin(&Head::plain("Tags"));
                let tags = self.tagging.slice_of_all(out.span(2 * PER_DIRECTORY));
                out.cloud(tags.map(|tag| self.tagging.in_cloud(tag, QaPage::Tag)).collect());
            }
            QaPage::Tag | QaPage::TagByVotes | QaPage::TagByActive => self.tagged(page, out),
            QaPage::Search => {
                let title = format!("Search results for {}", self.tagging.name(id));
                out.begin(&Head::plain(&title));
                self.rows_or_notice(self.tagging.slice(&self.society, id, range, "search"), out);
            }
            QaPage::Users => {
                out.begin(&Head::plain("Users"));
                let users = self.society.directory(out.span(PER_DIRECTORY));
                out.people(users.map(|user| self.person(user)).collect());
            }
            QaPage::Badges => {
                out.begin(&Head::plain("Badges"));
                let card = |badge| self.badge_card(badge, format!("{} awarded", self.holders(badge)));
                out.rows("badges", (0..Self::badge_count()).map(card).collect());
            }
            QaPage::Badge => {
                let title = format!("Users with the badge {}", Self::badge_name(id));
                out.begin(&Head::under(&title, QaPage::Badges.first(), "Badges"));
                let deal = self.awards.get((id / 6) as usize);
                let users = deal.into_iter().flat_map(|deal| deal.slice(id % 6, out.span(PER_DIRECTORY)));
                out.people(users.map(|user| self.person(user)).collect());
            }
            _ => {
                out.begin(&Head::plain("Ask, and somebody will know"));
                out.heading("Newest questions");
                self.rows_or_notice(self.society.newest(0..20), out);
            }
        }
        out.pager();
    }

    fn badge_card(&self, badge: u64, note: String) -> Card<QaPage> {
        Card::plain(QaPage::Badge.of(badge), Self::badge_name(badge).to_owned(), note)
    }

    /// The questions with a tag, in one of three orders.
    fn tagged(&self, page: PageId<QaPage>, out: &mut PageWriter<'_, Self>) {
        const ORDERS: [(QaPage, &str); 3] =
            [(QaPage::Tag, "newest"), (QaPage::TagByVotes, "votes"), (QaPage::TagByActive, "active")];
        let title = format!("Questions tagged {}", self.tagging.name(page.id));
        out.begin(&Head::under(&title, QaPage::TagIndex.first(), "Tags"));
        for (kind, name) in ORDERS {
            out.link(kind.of(page.id), name, "tab");
            out.text(" ");
        }
        out.link(QaPage::Search.of(page.id), "search", "tab");
        let order = ORDERS.iter().find(|(kind, _)| *kind == page.kind).map_or("", |(_, name)| name);
        self.rows_or_notice(self.tagging.slice(&self.society, page.id, out.span(PER_PAGE), order), out);
    }

    /// What is written under a question.
    fn question_prose(&self, question: u64) -> Prose {
        let ground = &self.society.ground;
        let mut mixture = vec![(ground.topic_id(self.society.items.topic(question)), 0.13)];
        mixture.extend(
            self.tagging.neighbour(&self.society, question).map(|topic| (ground.topic_id(topic), 0.06)),
        );
        Prose { mixture, ..Prose::default() }
    }

    pub(super) fn question(&self, question: u64, out: &mut PageWriter<'_, Self>) {
        let (society, dice, title) = (&self.society, self.society.item_dice(question), self.title(question));
        let prose = self.question_prose(question);
        let crumbs = vec![(QaPage::Newest.first(), "Questions".to_owned())];
        out.begin(&Head { title: &title, og_type: "article", about: "", crumbs });
        let text = prose.paragraph_text(dice.of("text"), dice.of("length").long_tail(8.0, 50) as usize + 1);
        let votes = dice.of("votes").long_tail(3.0, 900);
        let first = Turn { author: society.author(question), when: society.made_on(question), text, votes };
        self.post("question", &first, dice, out);
        let tags = self.tagging.of(society, question).into_iter();
        out.tag_list("Tagged", tags.map(|tag| self.tagging.linked(tag, QaPage::Tag)).collect());
        if self.is_edited(question) {
            out.link(QaPage::History.of(question), "edited", "tool");
        }
        if dice.of("share").chance(society.ground.setting.nasty.redirects * 10.0) {
            out.link_to_path(&self.short_name(question), "share", "tool");
        }
        self.comments(question, &prose, out);
        let answers = self.talk.len(society, question);
        out.heading(&format!("{answers} answers"));
        if answers == 0 {
            out.notice("Nobody has answered yet. Do you know?");
        }
        for answer in 0..answers {
            let turn = self.talk.turn(society, question, answer, &prose);
            let role =
                if answer == 0 && dice.of("accepted").chance(0.5) { "accepted-answer" } else { "answer" };
            self.post(role, &turn, dice.of("answer").at(answer), out);
        }
        if let Some(href) = society.ground.setting.login_wall(out.of("reply"), &out.here) {
            out.html.link(&href, "Post your answer", &[("class", "reply"), ("rel", "nofollow")]);
        }
    }

    fn post(&self, role: &str, turn: &Turn, dice: Dice, out: &mut PageWriter<'_, Self>) {
        let (post, vote, body) =
            out.by_theme(("article", "aside", "section"), ("div", "span", "div"), ("table", "td", "td"));
        let item = if out.theme == Theme::New { "itemscope" } else { "" };
        out.html.open(post, &[("class", role), (item, "")]);
        out.element(vote, out.by_theme("vote-count", "votes", "v"), &turn.votes.to_string());
        out.open(body, out.by_theme("post-text", "post", "txt"));
        for part in parts(&turn.text) {
            out.element("p", "", part);
        }
        if dice.of("listing").chance(0.12) {
            out.element("pre", "listing", "1: see the table above\n2: compare with the second column");
        }
        out.close(body);
        out.open(vote, out.by_theme("signature", "posted-by", "by"));
        let name = self.society.handle(turn.author);
        out.link(QaPage::User.of(turn.author), &name, out.by_theme("user-link", "author", ""));
        out.text(" ");
        out.element("span", "when", &turn.when.long());
        if dice.of("badges shown").chance(0.5) {
            for badge in self.badges_of(turn.author) {
                out.text(" ");
                out.link(QaPage::Badge.of(badge), Self::badge_name(badge), "badge");
            }
            out.link(QaPage::Awards.of(turn.author), "all badges", "badge");
            out.text(" ");
            out.link(QaPage::Answered.of(turn.author), "more answers", "badge");
        }
        out.close(vote);
        out.close(post);
    }

    fn comments(&self, question: u64, prose: &Prose, out: &mut PageWriter<'_, Self>) {
        let (society, dice) = (&self.society, self.society.item_dice(question).of("comments"));
        let count = dice.long_tail(1.2, 12);
        if count == 0 {
            return;
        }
        let remark = |comment: u64| {
            let dice = dice.at(comment);
            let author = society.passer_by(question, dice);
            let text = prose.sentence_text(dice.of("text"));
            let when = Day(society.made_on(question).0 + comment).long();
            Remark { author: QaPage::User.of(author), name: society.handle(author), when, text }
        };
        out.remarks(out.by_theme("comment-list", "comments", "cm"), (0..count).map(remark).collect());
    }

    pub(super) fn history(&self, question: u64, out: &mut PageWriter<'_, Self>) {
        let title = format!("History of {}", self.title(question));
        out.begin(&Head::under(&title, QaPage::Question.of(question), "Back to the question"));
        let dice = self.society.item_dice(question).of("history");
        let edits = (0..dice.between(1, 4)).map(|edit| {
            let author = self.society.passer_by(question, dice.at(edit));
            let when = Day(self.society.made_on(question).0 + edit * 3).long();
            let text = ["spelling", "added tags", "made the title clearer", "formatting"];
            let text = dice.at(edit).of("what").one_of(&text).to_owned();
            Remark { author: QaPage::User.of(author), name: self.society.handle(author), when, text }
        });
        out.remarks("revisions", edits.collect());
    }

    pub(super) fn user(&self, user: u64, out: &mut PageWriter<'_, Self>) {
        let (society, dice, name) = (&self.society, self.society.user_dice(user), self.society.handle(user));
        let title = format!("User {name}");
        out.begin(&Head { og_type: "profile", ..Head::under(&title, QaPage::Users.first(), "Users") });
        let badges = self.badges_of(user).into_iter();
        let badges =
            badges.map(|badge| (QaPage::Badge.of(badge), Self::badge_name(badge).to_owned())).collect();
        let mut facts = vec![
            ("Member since", Fact::Text(society.joined(user).long())),
            ("Questions", Fact::Text(society.made(user).to_string())),
            ("Badges", Fact::Links(badges)),
        ];
        if dice.of("town shown").chance(0.6) {
            facts.push(("Location", Fact::Text(society.town(user).to_owned())));
        }
        out.facts(out.by_theme("user-card", "profile", "who"), facts);
        if society.is_spammer(user) {
            out.spam(dice);
        } else if dice.of("writes").chance(0.6) {
            out.paragraphs(&society.voice(user), dice.of("about"), 1, 4);
        } else {
            out.notice("Apparently, this user prefers to keep an air of mystery.");
        }
        for (place, name) in [
            (QaPage::Asked.of(user), "all questions"),
            (QaPage::Answered.of(user), "all answers"),
            (QaPage::Awards.of(user), "all badges"),
        ] {
            out.link(place, name, "tab");
            out.text(" ");
        }
        out.heading("Questions");
        self.rows_or_notice(society.made_by(user, 0..5), out);
        out.heading("Answers");
        self.rows_or_notice(self.talk.of_user(user, 0..8), out);
    }

    /// The lists of a user.
    pub(super) fn user_list(&self, page: PageId<QaPage>, out: &mut PageWriter<'_, Self>) {
        let (user, name) = (page.id, self.society.handle(page.id));
        let what = match page.kind {
            QaPage::Asked => "Questions",
            QaPage::Answered => "Answers",
            _ => "Badges",
        };
        out.begin(&Head::under(&format!("{what} of {name}"), QaPage::User.of(user), name.as_str()));
        match page.kind {
            QaPage::Asked => self.rows_or_notice(self.society.made_by(user, out.span(PER_PAGE)), out),
            QaPage::Answered => self.rows_or_notice(self.talk.of_user(user, out.span(SLOTS)), out),
            _ => {
                let badges = self.badges_of(user).into_iter();
                out.rows("badges", badges.map(|badge| self.badge_card(badge, "1 time".into())).collect());
            }
        }
        out.pager();
    }
}

/// A text in two paragraphs if it is long.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let middle = if text.len() > 500 { text.len() / 2 } else { text.len() };
    let cut =
        text.char_indices().skip_while(|(at, _)| *at < middle).find(|(_, c)| *c == '.').map(|(at, _)| at + 1);
    let (first, rest) = text.split_at(cut.unwrap_or(text.len()));
    [first, rest.trim_start()].into_iter().filter(|part| !part.is_empty())
}
