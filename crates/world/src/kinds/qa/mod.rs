//! `qa`: questions, answers, tags, users and badges.
//!
//! What users made is the questions with their answers and the users' pages. Around them stand the lists that such
//! sites are full of: every tag in three orders, what a user asked, answered and was awarded, who has a badge, the
//! history of questions that were edited. The short name of a question redirects to its long one.

mod pages;
mod places;

use crate::Dice;
use crate::nasty::Setting;
use crate::site::Truth;

use super::ground::Ground;
use super::hosted::{Asked, Plan};
use super::sheet::Sheet;
use super::social::{Lists, Shortcuts, Size, Society, TagId, Tagging, Talk, Vocabulary};
use super::ties::Deal;

pub(crate) use places::Place;

/// Tags that fit any question.
const GENERIC: [&str; 24] = [
    "beginner",
    "best-practice",
    "terminology",
    "history",
    "comparison",
    "recommendation",
    "troubleshooting",
    "cost",
    "safety",
    "learning",
    "books",
    "tools",
    "reference-request",
    "software",
    "standards",
    "legal",
    "identification",
    "equipment",
    "performance",
    "theory",
    "community",
    "education",
    "data",
    "sources",
];

/// Badges, in rows: everybody has at most one of each row.
const BADGES: [[&str; 6]; 3] = [
    ["Student", "Supporter", "Editor", "Commentator", "Scholar", "Autobiographer"],
    ["Teacher", "Critic", "Organizer", "Citizen Patrol", "Yearling", "Enlightened"],
    ["Nice Answer", "Nice Question", "Popular Question", "Necromancer", "Famous Question", "Great Answer"],
];

/// The plan of the site.
pub(crate) struct Questions {
    society: Society,
    tagging: Tagging,
    talk: Talk,
    /// Who has which badge of each row.
    awards: [Deal; 3],
}

impl Questions {
    fn title(&self, question: u64) -> String {
        const OPENINGS: [&str; 8] = [
            "How do I handle ",
            "What is the difference with ",
            "Is there a way to ",
            "Why does ",
            "Best approach for ",
            "Where can I find ",
            "Looking for ",
            "Understanding ",
        ];
        let dice = self.society.item_dice(question);
        let rest = self.society.ground.title(self.society.items.topic(question), dice.of("title"));
        match dice.of("opens").chance(0.6) {
            true => format!("{}{rest}?", dice.of("opening").pick(&OPENINGS).copied().unwrap_or_default()),
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

    fn is_spam(&self, question: u64) -> bool {
        self.society.is_spammer(self.society.author(question))
    }
}

impl Plan for Questions {
    type Place = Place;

    fn new(setting: Setting) -> Self {
        let (dice, taste) = (setting.dice, setting.dice.of("taste"));
        let liking = |topic: Dice| f64::from(u8::from(topic.chance(0.45)));
        let ground = Ground::new(setting, "qa", |words| liking(taste.of(&words.name)));
        let society = Society::new(ground, Size { items: 0.235, users: 0.092, loyalty: 0.66 });
        let award = |row: u64| Deal::new(society.users.len(), 6, 0.6, dice.of("awards").at(row));
        Self {
            awards: [award(0), award(1), award(2)],
            tagging: Tagging::new(&society, Vocabulary { generic: &GENERIC, gear: &[] }),
            talk: Talk::new(&society, 2.2, 24),
            society,
        }
    }

    fn ground(&self) -> &Ground {
        &self.society.ground
    }

    fn read(&self, asked: Asked<'_>) -> Option<Place> {
        self.read_place(asked)
    }

    fn path(&self, place: Place, out: &mut String) {
        self.write_path(place, out);
    }

    fn exists(&self, place: Place) -> bool {
        self.is_within(place)
    }

    fn truth(&self, place: Place) -> Truth {
        let society = &self.society;
        let topics = match place {
            Place::Question(question) | Place::History(question) => {
                vec![society.ground.name(society.items.topic(question))]
            }
            Place::Tag { tag, .. } | Place::Search { tag, .. } => {
                self.tagging.topics(tag, &self.society.ground)
            }
            _ => place.user().map(|user| society.tastes(user)).unwrap_or_default(),
        };
        let is_spam = match place {
            Place::Question(question) | Place::History(question) => self.is_spam(question),
            _ => place.user().is_some_and(|user| society.is_spammer(user)),
        };
        Society::truth(place.kind(), topics, is_spam)
    }

    fn grain(&self, place: Place) -> (&'static str, u64) {
        place.grain()
    }

    fn places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        self.all_places()
    }

    fn home(&self) -> Place {
        Place::Home
    }

    fn menu(&self) -> (&'static str, Vec<(Place, String)>) {
        let menu = [
            (Place::Newest(1), "Questions"),
            (Place::TagIndex(1), "Tags"),
            (Place::Users(1), "Users"),
            (Place::Badges, "Badges"),
            (Place::Unanswered(1), "Unanswered"),
        ];
        ("Quorum", menu.map(|(place, name)| (place, name.to_owned())).to_vec())
    }

    fn write(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        match place {
            Place::Question(question) => self.question(question, sheet),
            Place::History(question) => self.history(question, sheet),
            Place::User(user) => self.user(user, sheet),
            Place::Asked { .. } | Place::Answered { .. } | Place::Awards(_) => self.user_list(place, sheet),
            _ => self.list(place, sheet),
        }
        sheet.end();
    }

    fn aside(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        if let Place::Question(question) = place {
            let tag = self.tagging.of(&self.society, question).first().copied();
            let near =
                tag.map(|tag| self.tagging.slice(&self.society, tag, 0..10, "near")).unwrap_or_default();
            let links = near.into_iter().filter(|other| *other != question).take(6);
            let links: Vec<_> = links.map(|other| (Place::Question(other), self.title(other))).collect();
            sheet.side_links("Related", links);
        }
        let popular: Vec<TagId> = self.tagging.popular(36).collect();
        let start = sheet.of("aside").below(popular.len() as u64) as usize;
        let tags = popular.into_iter().skip(start).take(6);
        let links: Vec<_> = tags.map(|tag| (self.tag(tag), self.tagging.name(tag).to_owned())).collect();
        sheet.side_links("Recent tags", links);
    }

    fn gone(&self, draw: u64) -> String {
        match draw % 2 {
            0 => format!("/q/{}/gone", self.society.item_ids.gone(draw >> 4)),
            _ => format!("/u/{}/gone", self.society.user_ids.gone(draw >> 4)),
        }
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/cgi-bin/"]
    }
}

impl Shortcuts for Questions {
    const STATUS: u16 = 301;

    fn shortcut(&self, path_and_query: &str) -> Option<Place> {
        let id = path_and_query.strip_prefix("/q/")?.parse().ok()?;
        let question = self.society.item_ids.back(id)?;
        (self.short_name(question) == path_and_query).then_some(Place::Question(question))
    }
}

#[cfg(test)]
mod tests;
