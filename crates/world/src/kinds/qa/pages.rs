//! What stands on the pages of a site of questions.

use super::super::frame::Head;
use super::super::ground::Day;
use super::super::pieces::{Fact, Remark, span};
use super::super::sheet::{Sheet, Theme};
use super::super::social::{Card, Lists, Turn, views};
use super::places::{BADGES, LOOKED_THROUGH, Order, PER_DIRECTORY, PER_PAGE, SLOTS};
use super::{Place, Questions};
use crate::Dice;
use crate::text::Prose;

impl Questions {
    fn card(&self, question: u64) -> Card<Place> {
        let (author, dice) = (self.society.author(question), self.society.item_dice(question));
        let tags = self.tagging.of(&self.society, question).into_iter().take(3);
        let mut links: Vec<_> = tags.map(|tag| (self.tag(tag), self.tagging.name(tag).to_owned())).collect();
        if self.is_edited(question) {
            links.push((Place::History(question), "modified".to_owned()));
        }
        links.push((Place::Awards(author), format!("{} badges", dice.of("badges").between(1, 9))));
        let short = self.society.ground.setting.nasty.redirects * 12.0;
        Card {
            to: Place::Question(question),
            title: self.title(question),
            picture: None,
            author: Some((Place::User(author), self.society.handle(author))),
            note: format!("{} answers, {} views", self.talk.len(&self.society, question), views(dice)),
            links,
            jump: dice.of("short").chance(short).then(|| (self.short_name(question), "permalink")),
        }
    }

    fn cards(&self, questions: impl IntoIterator<Item = u64>) -> Vec<Card<Place>> {
        questions.into_iter().map(|question| self.card(question)).collect()
    }

    fn rows_or_notice(&self, cards: Vec<Card<Place>>, sheet: &mut Sheet<'_, Self>) {
        match cards.is_empty() {
            true => sheet.notice("There are no questions here."),
            false => sheet.rows(sheet.by_theme("question-list", "topics", "ql"), cards),
        }
    }

    fn person(&self, user: u64) -> (Place, String, String) {
        let standing = self.society.user_dice(user).of("standing").long_tail(120.0, 90_000);
        (
            Place::User(user),
            self.society.handle(user),
            format!("{standing} points, {}", self.society.town(user)),
        )
    }

    pub(super) fn list(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        let (page, last) = self.last_page(place).unwrap_or((1, 1));
        let range = span(page, PER_PAGE);
        match place {
            Place::Home => {
                sheet.begin(&Head::plain("Ask, and somebody will know"));
                sheet.heading("Newest questions");
                self.rows_or_notice(self.cards(self.society.newest(0..20)), sheet);
            }
            Place::Newest(_) => {
                sheet.begin(&Head::plain("All questions"));
                self.rows_or_notice(self.cards(self.society.newest(range)), sheet);
                sheet.pager(page, last, Place::Newest);
            }
            Place::Unanswered(_) => {
                sheet.begin(&Head::plain("Unanswered questions"));
                let newest = self.society.newest(span(page, LOOKED_THROUGH));
                let open = newest.filter(|question| self.talk.len(&self.society, *question) == 0);
                self.rows_or_notice(self.cards(open), sheet);
                sheet.pager(page, last, Place::Unanswered);
            }
            Place::TagIndex(_) => self.tag_index(page, last, sheet),
            Place::Tag { tag, order, .. } => self.tagged(tag, order, page, sheet),
            Place::Search { tag, .. } => {
                let title = format!("Search results for {}", self.tagging.name(tag));
                sheet.begin(&Head::plain(&title));
                self.rows_or_notice(
                    self.cards(self.tagging.slice(&self.society, tag, range, "search")),
                    sheet,
                );
                sheet.pager(page, last, |page| Place::Search { tag, page });
            }
            Place::Users(_) => {
                sheet.begin(&Head::plain("Users"));
                let range = span(page, PER_DIRECTORY);
                let places = range.start..range.end.min(self.society.users.len());
                let people = places.map(|place| self.person(self.society.user_ids.at(place))).collect();
                sheet.people(people);
                sheet.pager(page, last, Place::Users);
            }
            Place::Badges => {
                sheet.begin(&Head::plain("Badges"));
                let card = |badge| {
                    let note = format!("{} awarded", self.holders(badge));
                    Card::plain(Place::Badge { badge, page: 1 }, Self::badge_name(badge).to_owned(), note)
                };
                sheet.rows("badges", (0..BADGES).map(card).collect());
            }
            Place::Badge { badge, .. } => {
                let title = format!("Users with the badge {}", Self::badge_name(badge));
                sheet.begin(&Head::under(&title, Place::Badges, "Badges"));
                let deal = self.awards.get((badge / 6) as usize);
                let users =
                    deal.into_iter().flat_map(|deal| deal.slice(badge % 6, span(page, PER_DIRECTORY)));
                let people = users.map(|user| self.person(user)).collect();
                sheet.people(people);
                sheet.pager(page, last, |page| Place::Badge { badge, page });
            }
            _ => {}
        }
    }

    fn tag_index(&self, page: u64, last: u64, sheet: &mut Sheet<'_, Self>) {
        sheet.begin(&Head::plain("Tags"));
        let range = span(page, 2 * PER_DIRECTORY);
        let tags = self.tagging.all().skip(range.start as usize).take((range.end - range.start) as usize);
        let weight = |tag| u64::from(self.tagging.len(tag).max(1).ilog2());
        sheet
            .cloud(tags.map(|tag| (self.tag(tag), self.tagging.name(tag).to_owned(), weight(tag))).collect());
        sheet.pager(page, last, Place::TagIndex);
    }

    fn tagged(&self, tag: super::TagId, order: Order, page: u64, sheet: &mut Sheet<'_, Self>) {
        let last = self.last_of(Place::Tag { tag, order, page });
        let title = format!("Questions tagged {}", self.tagging.name(tag));
        sheet.begin(&Head::under(&title, Place::TagIndex(1), "Tags"));
        for order in Order::ALL {
            sheet.link(Place::Tag { tag, order, page: 1 }, order.name(), "tab");
            sheet.html.text(" ");
        }
        sheet.link(Place::Search { tag, page: 1 }, "search", "tab");
        let questions = self.tagging.slice(&self.society, tag, span(page, PER_PAGE), order.name());
        self.rows_or_notice(self.cards(questions), sheet);
        sheet.pager(page, last, |page| Place::Tag { tag, order, page });
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

    pub(super) fn question(&self, question: u64, sheet: &mut Sheet<'_, Self>) {
        let (society, dice, title) = (&self.society, self.society.item_dice(question), self.title(question));
        let prose = self.question_prose(question);
        let crumbs = vec![(Place::Newest(1), "Questions".to_owned())];
        sheet.begin(&Head { title: &title, og_type: "article", about: "", crumbs });
        let mut text = String::with_capacity(800);
        prose.paragraph(dice.of("text"), dice.of("length").long_tail(8.0, 50) as usize + 1, &mut text);
        let votes = dice.of("votes").long_tail(3.0, 900);
        let first = Turn { author: society.author(question), when: society.made_on(question), text, votes };
        self.post("question", &first, dice, sheet);
        let tags = self.tagging.of(society, question).into_iter();
        sheet
            .tag_list("Tagged", tags.map(|tag| (self.tag(tag), self.tagging.name(tag).to_owned())).collect());
        if self.is_edited(question) {
            sheet.link(Place::History(question), "edited", "tool");
        }
        if dice.of("share").chance(society.ground.setting.nasty.redirects * 10.0) {
            sheet.link_to_path(&self.short_name(question), "share", "tool");
        }
        self.comments(question, &prose, sheet);
        let answers = self.talk.len(society, question);
        sheet.heading(&format!("{answers} answers"));
        if answers == 0 {
            sheet.notice("Nobody has answered yet. Do you know?");
        }
        for answer in 0..answers {
            let turn = self.talk.turn(society, question, answer, &prose);
            let role =
                if answer == 0 && dice.of("accepted").chance(0.5) { "accepted-answer" } else { "answer" };
            self.post(role, &turn, dice.of("answer").at(answer), sheet);
        }
        if let Some(href) = society.ground.setting.login_wall(sheet.of("reply"), &sheet.here) {
            sheet.html.link(&href, "Post your answer", &[("class", "reply"), ("rel", "nofollow")]);
        }
    }

    fn post(&self, role: &str, turn: &Turn, dice: Dice, sheet: &mut Sheet<'_, Self>) {
        let (post, vote, body) =
            sheet.by_theme(("article", "aside", "section"), ("div", "span", "div"), ("table", "td", "td"));
        let item = if sheet.theme == Theme::New { "itemscope" } else { "" };
        sheet.html.open(post, &[("class", role), (item, "")]);
        sheet.html.element(
            vote,
            &[("class", sheet.by_theme("vote-count", "votes", "v"))],
            &turn.votes.to_string(),
        );
        sheet.html.open(body, &[("class", sheet.by_theme("post-text", "post", "txt"))]);
        for part in parts(&turn.text) {
            sheet.html.element("p", &[], part);
        }
        if dice.of("listing").chance(0.12) {
            sheet.html.element(
                "pre",
                &[("class", "listing")],
                "1: see the table above\n2: compare with the second column",
            );
        }
        sheet.html.close(body);
        sheet.html.open(vote, &[("class", sheet.by_theme("signature", "posted-by", "by"))]);
        let name = self.society.handle(turn.author);
        sheet.link(Place::User(turn.author), &name, sheet.by_theme("user-link", "author", ""));
        sheet.html.text(" ");
        sheet.html.element("span", &[("class", "when")], &turn.when.long());
        if dice.of("badges shown").chance(0.5) {
            for badge in self.badges_of(turn.author) {
                sheet.html.text(" ");
                sheet.link(Place::Badge { badge, page: 1 }, Self::badge_name(badge), "badge");
            }
            sheet.link(Place::Awards(turn.author), "all badges", "badge");
            sheet.html.text(" ");
            sheet.link(Place::Answered { user: turn.author, page: 1 }, "more answers", "badge");
        }
        sheet.html.close(vote);
        sheet.html.close(post);
    }

    fn comments(&self, question: u64, prose: &Prose, sheet: &mut Sheet<'_, Self>) {
        let (society, dice) = (&self.society, self.society.item_dice(question).of("comments"));
        let count = dice.long_tail(1.2, 12);
        if count == 0 {
            return;
        }
        let remark = |comment: u64| {
            let dice = dice.at(comment);
            let author = society.passer_by(question, dice);
            let mut text = String::with_capacity(160);
            prose.sentence(dice.of("text"), &mut text);
            let when = Day(society.made_on(question).0 + comment).long();
            Remark { author: Place::User(author), name: society.handle(author), when, text }
        };
        sheet.remarks(sheet.by_theme("comment-list", "comments", "cm"), (0..count).map(remark).collect());
    }

    pub(super) fn history(&self, question: u64, sheet: &mut Sheet<'_, Self>) {
        let title = format!("History of {}", self.title(question));
        sheet.begin(&Head::under(&title, Place::Question(question), "Back to the question"));
        let dice = self.society.item_dice(question).of("history");
        let edits = (0..dice.between(1, 4)).map(|edit| {
            let author = self.society.passer_by(question, dice.at(edit));
            let when = Day(self.society.made_on(question).0 + edit * 3).long();
            let text = ["spelling", "added tags", "made the title clearer", "formatting"];
            let text = dice.at(edit).of("what").pick(&text).copied().unwrap_or_default().to_owned();
            Remark { author: Place::User(author), name: self.society.handle(author), when, text }
        });
        sheet.remarks("revisions", edits.collect());
    }

    pub(super) fn user(&self, user: u64, sheet: &mut Sheet<'_, Self>) {
        let (society, dice, name) = (&self.society, self.society.user_dice(user), self.society.handle(user));
        let title = format!("User {name}");
        sheet.begin(&Head { og_type: "profile", ..Head::under(&title, Place::Users(1), "Users") });
        let badges = self.badges_of(user).into_iter();
        let badges = badges
            .map(|badge| (Place::Badge { badge, page: 1 }, Self::badge_name(badge).to_owned()))
            .collect();
        let mut facts = vec![
            ("Member since", Fact::Text(society.joined(user).long())),
            ("Questions", Fact::Text(society.made(user).to_string())),
            ("Badges", Fact::Links(badges)),
        ];
        if dice.of("town shown").chance(0.6) {
            facts.push(("Location", Fact::Text(society.town(user).to_owned())));
        }
        sheet.facts(sheet.by_theme("user-card", "profile", "who"), facts);
        if society.is_spammer(user) {
            sheet.spam(dice);
        } else if dice.of("writes").chance(0.6) {
            sheet.paragraphs(&society.voice(user), dice.of("about"), 1, 4);
        } else {
            sheet.notice("Apparently, this user prefers to keep an air of mystery.");
        }
        for (place, name) in [
            (Place::Asked { user, page: 1 }, "all questions"),
            (Place::Answered { user, page: 1 }, "all answers"),
            (Place::Awards(user), "all badges"),
        ] {
            sheet.link(place, name, "tab");
            sheet.html.text(" ");
        }
        sheet.heading("Questions");
        self.rows_or_notice(self.cards(society.made_by(user, 0..5)), sheet);
        sheet.heading("Answers");
        self.rows_or_notice(self.cards(self.talk.of_user(user, 0..8)), sheet);
    }

    /// The lists of a user.
    pub(super) fn user_list(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        let Some(user) = place.user() else { return };
        let (page, last) = self.last_page(place).unwrap_or((1, 1));
        let name = self.society.handle(user);
        let begin = |sheet: &mut Sheet<'_, Self>, title: String| {
            sheet.begin(&Head::under(&title, Place::User(user), name.as_str()));
        };
        match place {
            Place::Asked { .. } => {
                begin(sheet, format!("Questions of {name}"));
                self.rows_or_notice(self.cards(self.society.made_by(user, span(page, PER_PAGE))), sheet);
                sheet.pager(page, last, |page| Place::Asked { user, page });
            }
            Place::Answered { .. } => {
                begin(sheet, format!("Answers of {name}"));
                self.rows_or_notice(self.cards(self.talk.of_user(user, span(page, SLOTS))), sheet);
                sheet.pager(page, last, |page| Place::Answered { user, page });
            }
            _ => {
                begin(sheet, format!("Badges of {name}"));
                let badges = self.badges_of(user).into_iter();
                let card = |badge| {
                    Card::plain(
                        Place::Badge { badge, page: 1 },
                        Self::badge_name(badge).into(),
                        "1 time".into(),
                    )
                };
                sheet.rows("badges", badges.map(card).collect());
            }
        }
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
