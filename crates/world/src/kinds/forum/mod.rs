//! `forum`: boards, threads in pages of posts, members.
//!
//! URLs say nothing: boards, threads and members are all `/node/{number}`. What users made is the threads and the
//! members' pages; around them stand as many pages that only point at each other: who posted in a thread, what a member
//! took part in, months, tags, search results. Post numbers are links that redirect back into the thread.

mod pages;
mod places;

use crate::nasty::Setting;
use crate::site::Truth;

use super::ground::Ground;
use super::hosted::{Asked, Plan};
use super::sheet::Sheet;
use super::social::{Ids, Lists, Shortcuts, Size, Society, TagId, Tagging, Talk, Vocabulary};
use super::ties::{Bent, Sections, Tie};

pub(crate) use places::Place;

/// Tags that fit any thread.
const GENERIC: [&str; 28] = [
    "help",
    "question",
    "newbie",
    "solved",
    "poll",
    "news",
    "discussion",
    "review",
    "howto",
    "tips",
    "for sale",
    "wanted",
    "links",
    "announcement",
    "advice",
    "rant",
    "beginner",
    "faq",
    "video",
    "photos",
    "problem",
    "recommendation",
    "events",
    "introduction",
    "guide",
    "update",
    "opinion",
    "meetup",
];

/// Boards of every topic.
const BOARDS_A_TOPIC: u64 = 2;

/// The plan of the site.
pub(crate) struct Boards {
    society: Society,
    tagging: Tagging,
    talk: Talk,
    /// The board that a thread was opened on; mostly one of its topic.
    filed: Tie,
    boards: Sections,
    nodes: Ids,
}

impl Boards {
    fn title(&self, thread: u64) -> String {
        let dice = self.society.item_dice(thread);
        let mut title = self.society.ground.title(self.society.items.topic(thread), dice.of("title"));
        if dice.of("asks").chance(0.3) {
            title.push('?');
        }
        title
    }

    fn board_name(&self, board: u64) -> String {
        let label = self.society.ground.label(self.boards.topic(board));
        match board % BOARDS_A_TOPIC {
            0 => format!("{label} - general"),
            _ => format!("{label} - help and questions"),
        }
    }

    /// How many posts a thread has, the first one included.
    fn posts(&self, thread: u64) -> u64 {
        self.talk.len(&self.society, thread) + 1
    }

    fn board_of(&self, thread: u64) -> u64 {
        self.filed.parent(thread).unwrap_or(0)
    }

    fn is_spam(&self, thread: u64) -> bool {
        self.society.is_spammer(self.society.author(thread))
    }
}

impl Plan for Boards {
    type Place = Place;

    fn new(setting: Setting) -> Self {
        let (dice, taste) = (setting.dice, setting.dice.of("taste"));
        let ground =
            Ground::new(setting, "forum", |words| f64::from(u8::from(taste.of(&words.name).chance(0.6))));
        let society = Society::new(ground, Size { items: 0.23, users: 0.09, loyalty: 0.68 });
        let topics = society.items.topics() as u64;
        let boards = Sections::new(topics, &vec![1.0; topics as usize]).times(BOARDS_A_TOPIC);
        let nodes = boards.len() + society.items.len() + society.users.len();
        Self {
            tagging: Tagging::new(&society, Vocabulary { generic: &GENERIC, gear: &[] }),
            talk: Talk::new(&society, 7.0, 240),
            filed: Tie::new(&society.items, &boards, Bent { loyalty: 0.85, evenness: 0.9 }, dice.of("filed")),
            nodes: Ids::new(nodes, 3, dice.of("nodes")),
            society,
            boards,
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
        let (ground, society) = (&self.society.ground, &self.society);
        let topics = match place {
            Place::Thread { thread, .. } | Place::Posters(thread) => {
                vec![ground.name(society.items.topic(thread))]
            }
            Place::Board { board, .. } => vec![ground.name(self.boards.topic(board))],
            Place::Tag { tag, .. } | Place::Search { tag, .. } => {
                self.tagging.topics(tag, &self.society.ground)
            }
            _ => place.user().map(|user| society.tastes(user)).unwrap_or_default(),
        };
        let is_spam = match place {
            Place::Thread { thread, .. } | Place::Posters(thread) => self.is_spam(thread),
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
            (Place::Active(1), "Active topics"),
            (Place::Members(1), "Members"),
            (Place::Months, "Archive"),
            (Place::TagIndex(1), "Tags"),
        ];
        ("The Common Room", menu.map(|(place, name)| (place, name.to_owned())).to_vec())
    }

    fn write(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        match place {
            Place::Thread { thread, page } => self.thread(thread, page, sheet),
            Place::Posters(thread) => self.posters(thread, sheet),
            Place::Member(user) => self.member(user, sheet),
            Place::Started { .. } | Place::Joined { .. } | Place::Friends { .. } => {
                self.member_list(place, sheet)
            }
            _ => self.list(place, sheet),
        }
        sheet.end();
    }

    fn aside(&self, _place: Place, sheet: &mut Sheet<'_, Self>) {
        let count = self.society.items.len();
        let picks = (0..5).map(|n| self.society.item_ids.at(sheet.of("aside").at(n).below(count)));
        let links: Vec<_> =
            picks.map(|thread| (Place::Thread { thread, page: 1 }, self.title(thread))).collect();
        if sheet.of("aside shown").chance(0.7) {
            sheet.side_links("From the archive", links);
        }
        let popular: Vec<TagId> = self.tagging.popular(30).collect();
        if let Some(tag) = sheet.of("aside tag").pick(&popular) {
            let links = [(Place::Tag { tag: *tag, page: 1 }, self.tagging.name(*tag).to_owned())];
            sheet.side_links("Tag of the day", links);
        }
    }

    fn gone(&self, draw: u64) -> String {
        format!("/node/{}", self.nodes.gone(draw))
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/cgi-bin/"]
    }
}

impl Shortcuts for Boards {
    const STATUS: u16 = 302;

    fn shortcut(&self, path_and_query: &str) -> Option<Place> {
        self.place_of_post(path_and_query)
    }
}

#[cfg(test)]
mod tests;
