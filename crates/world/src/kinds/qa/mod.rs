//! `qa`: questions, answers, tags, users and badges.
//!
//! Users made the questions with their answers and the users' pages. Around them are the lists that such sites are full
//! of: every tag in three orders, what a user asked, answered and was awarded, who has a badge, the history of edited
//! questions. The short name of a question redirects to its long one.

mod pages;

use crate::Dice;
use crate::markup::{percent, slug, unpercent};
use crate::nasty::Setting;

use super::ground::Ground;
use super::members::Members;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::social::{Size, Society, TagId, Tagging, Talk, Vocabulary};
use super::ties::Assignment;
use super::writer::PageWriter;

site_map! {
    /// A page of the site of questions.
    QaPage of QaClass [Once, Badge, Tag, User, Question]
    Once {
        Home        List    "home"       "/";
        Badges      List    "badges"     "/badges";
        Newest      List    "questions"  "/questions";
        Unanswered  List    "unanswered" "/unanswered";
        TagIndex    List    "tags"       "/tags";
        Users       List    "users"      "/users";
    }
    Badge {
        Badge       List    "badge"      "/badges/{}";
    }
    Tag {
        Tag         List    "tag"        "/t/{}";
        TagByVotes  List    "tag"        "/t/{}/votes";
        TagByActive List    "tag"        "/t/{}/active";
        Search      List    "search"     "/search?q={}";
    }
    User {
        User        Profile "user"       "/u/{}/{handle}" users;
        Awards      Other   "awards"     "/u/{}/{handle}/badges";
        Asked       List    "asked"      "/u/{}/{handle}/questions";
        Answered    List    "answered"   "/u/{}/{handle}/answers";
    }
    Question {
        Question    Detail  "question"   "/q/{}/{title}" users;
        History     Other   "history"    "/q/{}/history";
    }
}

/// Tags that fit any question.
const GENERIC: &str = "beginner|best-practice|terminology|history|comparison|recommendation|troubleshooting|\
    cost|safety|learning|books|tools|reference-request|software|standards|legal|identification|equipment|\
    performance|theory|community|education|data|sources";

/// Badges, in rows: a user has at most one of each row.
const BADGES: [[&str; 6]; 3] = [
    ["Student", "Supporter", "Editor", "Commentator", "Scholar", "Autobiographer"],
    ["Teacher", "Critic", "Organizer", "Citizen Patrol", "Yearling", "Enlightened"],
    ["Nice Answer", "Nice Question", "Popular Question", "Necromancer", "Famous Question", "Great Answer"],
];

/// Questions on a page of a list.
const PER_PAGE: u64 = 15;

/// Entries on a page of a directory.
const PER_DIRECTORY: u64 = 36;

/// Slots of a user's answers on a page: about half are empty.
const SLOTS: u64 = 30;

/// How many of the newest questions are looked through for a page of unanswered ones.
const LOOKED_THROUGH: u64 = 80;

/// The most pages that any list shows.
const LONGEST: u64 = 400;

/// The most pages of search results.
const LONGEST_SEARCH: u64 = 3;

/// The plan of the site.
pub(crate) struct Questions {
    society: Society,
    tagging: Tagging,
    talk: Talk,
    /// Who has which badge of each row.
    awards: [Assignment; 3],
}

impl Questions {
    fn title(&self, question: u64) -> String {
        const OPENINGS: [&str; 8] = words! {
            "How do I handle " "What is the difference with " "Is there a way to " "Why does "
            "Best approach for " "Where can I find " "Looking for " "Understanding "
        };
        let dice = self.society.item_dice(question);
        let rest = self.society.ground.title(self.society.items.topic(question), dice.of("title"));
        match dice.of("opens").chance(0.6) {
            true => format!("{}{rest}?", dice.of("opening").one_of(&OPENINGS)),
            false => rest,
        }
    }

    fn badge_name(badge: u64) -> &'static str {
        let row = BADGES.get((badge / 6) as usize);
        row.and_then(|row| row.get((badge % 6) as usize)).copied().unwrap_or_default()
    }

    /// The badges of a user: one of each row, for some rows.
    fn badges_of(&self, user: u64) -> Vec<u64> {
        let rows = (0u64..).zip(&self.awards);
        rows.filter_map(|(row, deal)| Some(row * 6 + deal.owner(user)?)).collect()
    }

    fn is_edited(&self, question: u64) -> bool {
        self.society.item_dice(question).of("edited").chance(0.75)
    }

    /// How many badges there are.
    fn badge_count() -> u64 {
        BADGES.iter().map(|row| row.len() as u64).sum()
    }

    /// How many users have a badge.
    fn holders(&self, badge: u64) -> u64 {
        self.awards.get((badge / 6) as usize).map_or(0, |deal| deal.len(badge % 6))
    }

    /// The path that redirects to a question.
    fn short_name(&self, question: u64) -> String {
        format!("/q/{}", self.society.item_ids.of(question))
    }
}

impl Plan for Questions {
    type Page = QaPage;
    const HOME: QaPage = QaPage::Home;
    const BRAND: &'static str = "Quorum";
    const ITEMS: &'static [QaPage] = &[QaPage::Question];

    fn new(setting: Setting) -> Self {
        let (dice, taste) = (setting.dice, setting.dice.of("taste"));
        let liking = |topic: Dice| f64::from(u8::from(topic.chance(0.45)));
        let ground = Ground::new(setting, "qa", |words| liking(taste.of(&words.name)));
        let society = Society::new(ground, Size { items: 0.235, users: 0.092, loyalty: 0.66 });
        let award = |row: u64| Assignment::new(society.users.len(), 6, 0.6, dice.of("awards").at(row));
        Self {
            awards: [award(0), award(1), award(2)],
            tagging: Tagging::new(&society, Vocabulary { generic: GENERIC, gear: "" }),
            talk: Talk::new(&society, 2.2, 24),
            society,
        }
    }

    fn ground(&self) -> &Ground {
        &self.society.ground
    }

    fn class(&self, class: QaClass) -> Members<'_> {
        match class {
            QaClass::Once => Members::once(),
            QaClass::Badge => Members::count(Self::badge_count()),
            QaClass::Tag => Members::tagging(&self.tagging),
            QaClass::User => Members::of(&self.society.users).users(),
            QaClass::Question => self.society.things(),
        }
    }

    fn last_page(&self, page: PageId<QaPage>) -> u64 {
        let (id, questions) = (page.id, self.society.items.len());
        match page.kind {
            QaPage::Newest => pages_of(questions, PER_PAGE).min(LONGEST),
            QaPage::Unanswered => pages_of(questions / 4, LOOKED_THROUGH).min(100),
            QaPage::TagIndex => pages_of(self.tagging.all().count() as u64, 2 * PER_DIRECTORY),
            QaPage::Tag | QaPage::TagByVotes | QaPage::TagByActive => {
                pages_of(self.tagging.len(id), PER_PAGE).min(LONGEST)
            }
            QaPage::Search => pages_of(self.tagging.len(id), 3 * PER_PAGE).min(LONGEST_SEARCH),
            QaPage::Users => pages_of(self.society.users.len(), PER_DIRECTORY),
            QaPage::Asked => pages_of(self.society.made(id), PER_PAGE),
            QaPage::Answered => pages_of(self.talk.slots(id), SLOTS).min(LONGEST),
            QaPage::Badge => pages_of(self.holders(id), PER_DIRECTORY).min(LONGEST),
            QaPage::History => u64::from(self.is_edited(id)),
            _ => 1,
        }
    }

    fn write_id(&self, kind: QaPage, id: u64, out: &mut String) {
        match kind.row().class {
            QaClass::Badge => out.push_str(&slug(Self::badge_name(id))),
            QaClass::Tag => out.push_str(&percent(self.tagging.name(id))),
            QaClass::User => out.push_str(&self.society.user_ids.of(id).to_string()),
            _ => out.push_str(&self.society.item_ids.of(id).to_string()),
        }
    }

    fn read_id(&self, kind: QaPage, name: &str) -> Option<u64> {
        match kind.row().class {
            QaClass::Badge => (0..Self::badge_count()).find(|badge| slug(Self::badge_name(*badge)) == name),
            QaClass::Tag => self.tagging.named(&unpercent(name)),
            QaClass::User => self.society.user_ids.back(name.parse().ok()?),
            _ => self.society.item_ids.back(name.parse().ok()?),
        }
    }

    fn write_word(&self, slot: &str, page: PageId<QaPage>, out: &mut String) {
        match slot {
            "title" => out.push_str(&slug(&self.title(page.id))),
            _ => out.push_str(&self.society.handle(page.id)),
        }
    }

    fn topics(&self, class: QaClass, id: u64) -> Vec<String> {
        self.society.topics(class == QaClass::User, id, self.class(class).topic(id))
    }

    fn menu(&self) -> Vec<(PageId<QaPage>, String)> {
        let menu = [
            (QaPage::Newest, "Questions"),
            (QaPage::TagIndex, "Tags"),
            (QaPage::Users, "Users"),
            (QaPage::Badges, "Badges"),
            (QaPage::Unanswered, "Unanswered"),
        ];
        menu.map(|(kind, name)| (kind.first(), name.to_owned())).to_vec()
    }

    fn write(&self, page: PageId<QaPage>, out: &mut PageWriter<'_, Self>) {
        match page.kind {
            QaPage::Question => self.question(page.id, out),
            QaPage::History => self.history(page.id, out),
            QaPage::User => self.user(page.id, out),
            QaPage::Asked | QaPage::Answered | QaPage::Awards => self.user_list(page, out),
            _ => self.list(page, out),
        }
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        if out.page.kind == QaPage::Question {
            let question = out.page.id;
            let tag = self.tagging.of(&self.society, question).first().copied();
            let near =
                tag.map(|tag| self.tagging.slice(&self.society, tag, 0..10, "near")).unwrap_or_default();
            let links = near.into_iter().filter(|other| *other != question).take(6);
            let links: Vec<_> = links.map(|other| (QaPage::Question.of(other), self.title(other))).collect();
            out.side_links("Related", links);
        }
        let popular: Vec<TagId> = self.tagging.popular(36).collect();
        let start = out.of("aside").below(popular.len() as u64) as usize;
        let tags = popular.into_iter().skip(start).take(6);
        let links: Vec<_> = tags.map(|tag| self.tagging.linked(tag, QaPage::Tag)).collect();
        out.side_links("Recent tags", links);
    }

    fn gone(&self, draw: u64) -> String {
        match draw % 2 {
            0 => format!("/q/{}/gone", self.society.item_ids.gone(draw >> 4)),
            _ => format!("/u/{}/gone", self.society.user_ids.gone(draw >> 4)),
        }
    }

    fn topic_lists(&self, topic: usize) -> Vec<PageId<QaPage>> {
        self.tagging.main_tags(self.ground(), topic).map(|tag| QaPage::Tag.of(tag)).collect()
    }

    fn shortcut(&self, path: &str) -> Option<(u16, PageId<QaPage>)> {
        let question = self.society.item_ids.back(path.strip_prefix("/q/")?.parse().ok()?)?;
        (self.short_name(question) == path).then(|| (301, QaPage::Question.of(question)))
    }
}

#[cfg(test)]
mod tests;
