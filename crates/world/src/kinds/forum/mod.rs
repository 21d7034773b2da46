//! `forum`: boards, threads in pages of posts, members.
//!
//! URLs reveal nothing: boards, threads and members are all `/node/{number}`. Users made the threads and the members'
//! pages; around them are as many pages that only link to each other: who posted in a thread, what a member took part
//! in, months, tags, search results. Post numbers are links that redirect back into the thread.

mod pages;

use crate::markup::{percent, unpercent};
use crate::nasty::Setting;

use super::ground::Ground;
use super::members::Members;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::social::{Ids, Size, Society, TagId, Tagging, Talk, Vocabulary};
use super::ties::{Sections, Tie, TieShape};
use super::writer::PageWriter;

site_map! {
    /// A page of the forum.
    ForumPage of ForumClass [Once, Month, Board, Tag, Member, Thread]
    Once {
        Home     List    "home"    "/";
        Months   List    "months"  "/archive";
        Active   List    "active"  "/active";
        Members  List    "members" "/members";
        TagIndex List    "tags"    "/tags";
    }
    Month {
        Month    List    "month"   "/archive/{}";
    }
    Board {
        Board    List    "board"   "/node/{}";
    }
    Tag {
        Tag      List    "tag"     "/tags/{}";
        Search   List    "search"  "/search?q={}";
    }
    Member {
        Member   Profile "member"  "/node/{}" users;
        Started  List    "started" "/node/{}/threads";
        Joined   List    "joined"  "/node/{}/posts";
        Friends  List    "friends" "/node/{}/friends";
    }
    Thread {
        Thread   Detail  "thread"  "/node/{}" users;
        Posters  Other   "posters" "/node/{}/posters";
    }
}

/// Tags that fit any thread.
const GENERIC: &str = "help|question|newbie|solved|poll|news|discussion|review|howto|tips|for sale|wanted|links|\
    announcement|advice|rant|beginner|faq|video|photos|problem|recommendation|events|introduction|guide|update|\
    opinion|meetup";

/// Boards of every topic.
const BOARDS_A_TOPIC: u64 = 2;

/// Threads on a page of a list.
const PER_PAGE: u64 = 25;

/// Posts on a page of a thread.
const POSTS: u64 = 15;

/// Entries on a page of a directory.
const PER_DIRECTORY: u64 = 50;

/// Slots of a member's lists on a page: about half are empty.
const SLOTS: u64 = 40;

/// How many months the archive has.
const MONTHS: u64 = 102;

/// The most pages that any list shows.
const LONGEST: u64 = 400;

/// The most pages of search results.
const LONGEST_SEARCH: u64 = 3;

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

    /// The number of a member of a class among all nodes: boards, threads and members share one row of numbers.
    fn node(&self, class: ForumClass, id: u64) -> u64 {
        match class {
            ForumClass::Thread => self.boards.len() + id,
            ForumClass::Member => self.boards.len() + self.society.items.len() + id,
            _ => id,
        }
    }

    /// The path of a post: thread and number in one.
    fn post_path(&self, thread: u64, post: u64) -> String {
        format!("/post/{}-{post}", self.society.item_ids.of(thread))
    }

    /// The places of a month among threads in the order of their numbers.
    fn month_range(&self, month: u64) -> std::ops::Range<u64> {
        let at = |month: u64| {
            (u128::from(self.society.items.len()) * u128::from(month) / u128::from(MONTHS)) as u64
        };
        at(month)..at(month + 1)
    }
}

impl Plan for Boards {
    type Page = ForumPage;
    const HOME: ForumPage = ForumPage::Home;
    const BRAND: &'static str = "The Common Room";
    const ITEMS: &'static [ForumPage] = &[ForumPage::Thread];

    fn new(setting: Setting) -> Self {
        let (dice, taste) = (setting.dice, setting.dice.of("taste"));
        let ground =
            Ground::new(setting, "forum", |words| f64::from(u8::from(taste.of(&words.name).chance(0.6))));
        let society = Society::new(ground, Size { items: 0.23, users: 0.09, loyalty: 0.68 });
        let topics = society.items.topics() as u64;
        let boards = Sections::new(topics, &vec![1.0; topics as usize]).times(BOARDS_A_TOPIC);
        let nodes = boards.len() + society.items.len() + society.users.len();
        Self {
            tagging: Tagging::new(&society, Vocabulary { generic: GENERIC, gear: "" }),
            talk: Talk::new(&society, 7.0, 240),
            filed: Tie::new(
                &society.items,
                &boards,
                TieShape { loyalty: 0.85, evenness: 0.9 },
                dice.of("filed"),
            ),
            nodes: Ids::new(nodes, 3, dice.of("nodes")),
            society,
            boards,
        }
    }

    fn ground(&self) -> &Ground {
        &self.society.ground
    }

    fn class(&self, class: ForumClass) -> Members<'_> {
        match class {
            ForumClass::Once => Members::once(),
            ForumClass::Month => Members::count(MONTHS),
            ForumClass::Board => Members::of(&self.boards),
            ForumClass::Tag => Members::tagging(&self.tagging),
            ForumClass::Member => Members::of(&self.society.users).users(),
            ForumClass::Thread => self.society.things(),
        }
    }

    fn last_page(&self, page: PageId<ForumPage>) -> u64 {
        let (id, society) = (page.id, &self.society);
        match page.kind {
            ForumPage::Board => pages_of(self.filed.children(id).len(), PER_PAGE).min(LONGEST),
            ForumPage::Thread => pages_of(self.posts(id), POSTS),
            ForumPage::Started => pages_of(society.made(id), PER_PAGE),
            ForumPage::Joined => pages_of(self.talk.slots(id), SLOTS).min(LONGEST),
            ForumPage::Friends => pages_of(society.contact_slots(id), SLOTS).min(LONGEST),
            ForumPage::Members => pages_of(society.users.len(), PER_DIRECTORY),
            ForumPage::Active => pages_of(society.items.len() / 10, PER_PAGE).min(200),
            ForumPage::Month => {
                let range = self.month_range(id);
                pages_of(range.end - range.start, PER_PAGE).min(LONGEST)
            }
            ForumPage::TagIndex => pages_of(self.tagging.all().count() as u64, 4 * PER_DIRECTORY),
            ForumPage::Tag => pages_of(self.tagging.len(id), PER_PAGE).min(LONGEST),
            ForumPage::Search => pages_of(self.tagging.len(id), 4 * PER_PAGE).min(LONGEST_SEARCH),
            _ => 1,
        }
    }

    fn write_id(&self, kind: ForumPage, id: u64, out: &mut String) {
        match kind.row().class {
            ForumClass::Tag => out.push_str(&percent(self.tagging.name(id))),
            ForumClass::Month => out.push_str(&id.to_string()),
            class => out.push_str(&self.nodes.of(self.node(class, id)).to_string()),
        }
    }

    fn read_id(&self, kind: ForumPage, name: &str) -> Option<u64> {
        match kind.row().class {
            ForumClass::Tag => self.tagging.named(&unpercent(name)),
            ForumClass::Month => name.parse().ok(),
            class => self.nodes.back(name.parse().ok()?)?.checked_sub(self.node(class, 0)),
        }
    }

    fn read_any(&self, name: &str) -> Option<(ForumPage, u64)> {
        let (node, threads) = (self.nodes.back(name.parse().ok()?)?, self.society.items.len());
        Some(match node.checked_sub(self.boards.len()) {
            None => (ForumPage::Board, node),
            Some(thread) if thread < threads => (ForumPage::Thread, thread),
            Some(rest) => (ForumPage::Member, rest - threads),
        })
    }

    fn topics(&self, class: ForumClass, id: u64) -> Vec<String> {
        self.society.topics(class == ForumClass::Member, id, self.class(class).topic(id))
    }

    fn menu(&self) -> Vec<(PageId<ForumPage>, String)> {
        let menu = [
            (ForumPage::Active, "Active topics"),
            (ForumPage::Members, "Members"),
            (ForumPage::Months, "Archive"),
            (ForumPage::TagIndex, "Tags"),
        ];
        menu.map(|(kind, name)| (kind.first(), name.to_owned())).to_vec()
    }

    fn write(&self, page: PageId<ForumPage>, out: &mut PageWriter<'_, Self>) {
        match page.kind {
            ForumPage::Thread => self.thread(page.id, page.page, out),
            ForumPage::Posters => self.posters(page.id, out),
            ForumPage::Member => self.member(page.id, out),
            ForumPage::Started | ForumPage::Joined | ForumPage::Friends => self.member_list(page, out),
            _ => self.list(page, out),
        }
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        let count = self.society.items.len();
        let picks = (0..5).map(|n| self.society.item_ids.at(out.of("aside").at(n).below(count)));
        let links: Vec<_> = picks.map(|thread| (ForumPage::Thread.of(thread), self.title(thread))).collect();
        if out.of("aside shown").chance(0.7) {
            out.side_links("From the archive", links);
        }
        let popular: Vec<TagId> = self.tagging.popular(30).collect();
        if let Some(tag) = out.of("aside tag").pick(&popular) {
            let links = [(ForumPage::Tag.of(*tag), self.tagging.name(*tag).to_owned())];
            out.side_links("Tag of the day", links);
        }
    }

    fn gone(&self, draw: u64) -> String {
        format!("/node/{}", self.nodes.gone(draw))
    }

    fn topic_lists(&self, topic: usize) -> Vec<PageId<ForumPage>> {
        self.boards.range(topic).map(|board| ForumPage::Board.of(board)).collect()
    }

    fn shortcut(&self, path: &str) -> Option<(u16, PageId<ForumPage>)> {
        let (thread, post) = path.strip_prefix("/post/")?.split_once('-')?;
        let thread = self.society.item_ids.back(thread.parse().ok()?)?;
        let post: u64 = post.parse().ok()?;
        let exists = (1..=self.posts(thread)).contains(&post) && self.post_path(thread, post) == path;
        exists.then(|| (302, ForumPage::Thread.page(thread, (post - 1) / POSTS + 1)))
    }
}

#[cfg(test)]
mod tests;
