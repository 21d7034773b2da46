//! `archive`: the archive of a paper, by section and by date.
//!
//! A section has a page for each year, and these know only the year before and after; the whole paper has a page for each
//! month. Stories have an author, and readers wrote letters about some. Nothing else tells what a story is about: authors
//! mostly keep to one section, but only mostly, and "on this day" is of any topic. Past the last month the calendar goes on.

mod pages;

use super::ground::Ground;
use super::members::Members;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::ties::{Assignment, Sections, Tie, TieShape};
use super::writer::PageWriter;
use crate::Dice;
use crate::markup::slug;
use crate::nasty::Setting;
use crate::text::{handle, month_name, person_name};

site_map! {
    /// A page of the archive.
    ChroniclePage of ChronicleClass [Once, Section, Month, Author, Reader, Story, Letter]
    Once    { Home     Other   "home"         "/";
              Sections List    "sections"     "/sections";
              Months   List    "months"       "/archive";
              Authors  List    "authors"      "/authors";
              Letters  List    "letters"      "/letters";
              Readers  List    "readers"      "/readers"; }
    Section { Section  List    "section"      "/section/{}";
              Year     List    "section-year" "/section/{}/{part}"; }
    Month   { Month    List    "month"        "/archive/{}"; }
    Author  { Author   Profile "author"       "/authors/{}"; }
    Reader  { Reader   Profile "reader"       "/readers/{}" users;
              Written  List    "reader-letters" "/readers/{}/letters" users; }
    Story   { Story    Detail  "story"        "/{date}/{}-{title}";
              Print    Other   "clipping"     "/clipping/{}"; }
    Letter  { Letter   Detail  "letter"       "/letters/{}" users; }
}

/// The first year of the paper.
const FIRST_YEAR: u64 = 1987;
const MONTHS_A_YEAR: u64 = 12;
/// How far the calendar goes on past the last month: without end for any crawl.
const FUTURE_MONTHS: u64 = 1 << 30;

const PER_PAGE: u64 = 30;
const PER_DIRECTORY: u64 = 60;

/// The plan of the site.
pub(crate) struct Chronicle {
    ground: Ground,
    years: u64,
    stories: Sections,
    authors: Sections,
    readers: Sections,
    letters: Sections,
    /// Who wrote a story.
    written: Tie,
    /// The story that a letter is about.
    about: Tie,
    /// Who wrote a letter.
    sent: Tie,
}

impl Chronicle {
    fn dice(&self, class: &str, member: u64) -> Dice {
        self.ground.setting.dice.of(class).at(member)
    }

    fn title(&self, story: u64) -> String {
        self.ground.title(self.stories.topic(story), self.dice("story", story))
    }

    fn letter_title(&self, letter: u64) -> String {
        format!("Letter: {}", self.ground.title(self.letters.topic(letter), self.dice("letter", letter)))
    }

    fn author_name(&self, author: u64) -> String {
        person_name(self.dice("author", author))
    }

    fn reader_name(&self, reader: u64) -> String {
        handle(self.dice("user", reader))
    }

    fn months(&self) -> u64 {
        self.years * MONTHS_A_YEAR
    }

    /// The months of a section's stories.
    fn dated(&self, section: u64) -> Assignment {
        let stories = self.stories.range(section as usize);
        let dice = self.ground.setting.dice.of("dated").at(section);
        Assignment::new(stories.end - stories.start, self.months(), 1.0, dice)
    }

    fn month_of(&self, story: u64) -> u64 {
        let section = self.stories.topic(story);
        let first = self.stories.range(section).start;
        self.dated(section as u64).owner(story.saturating_sub(first)).unwrap_or(0)
    }

    /// `1994/03/17`
    fn date(&self, story: u64) -> String {
        let (month, day) = (self.month_of(story), self.dice("story", story).of("day").between(1, 28));
        format!("{}/{:02}/{day:02}", FIRST_YEAR + month / MONTHS_A_YEAR, month % MONTHS_A_YEAR + 1)
    }

    fn month_title(month: u64) -> String {
        let year = FIRST_YEAR.saturating_add(month / MONTHS_A_YEAR);
        format!("{} {year}", month_name(month % MONTHS_A_YEAR + 1))
    }

    /// How many stories a section has in these months.
    fn count_in(&self, section: u64, months: std::ops::Range<u64>) -> u64 {
        let dated = self.dated(section);
        months.map(|month| dated.len(month)).sum()
    }

    /// The stories of a section in these months, in their order.
    fn stories_in(&self, section: u64, months: std::ops::Range<u64>) -> impl Iterator<Item = u64> {
        let (first, dated) = (self.stories.range(section as usize).start, self.dated(section));
        months.flat_map(move |month| {
            dated.slice(month, 0..dated.len(month)).map(|place| first + place).collect::<Vec<_>>()
        })
    }

    fn year_of(part: u64) -> std::ops::Range<u64> {
        part * MONTHS_A_YEAR..(part + 1) * MONTHS_A_YEAR
    }

    fn sections(&self) -> std::ops::Range<u64> {
        0..self.ground.topic_count()
    }

    fn is_printed(&self, story: u64) -> bool {
        self.dice("story", story).of("clipping").chance(0.2)
    }
}

impl Plan for Chronicle {
    type Page = ChroniclePage;
    const HOME: ChroniclePage = ChroniclePage::Home;
    const BRAND: &'static str = "The Harbour Chronicle";
    const ITEMS: &'static [ChroniclePage] = &[ChroniclePage::Story, ChroniclePage::Letter];
    const FIRST_PART: u64 = FIRST_YEAR;
    const DISALLOWED: &'static [&'static str] = &["/search", "/subscribe"];

    fn new(setting: Setting) -> Self {
        let taste = setting.dice.of("taste");
        let ground =
            Ground::new(
                setting,
                "archive",
                |words| if taste.of(&words.name).chance(0.7) { 1.0 } else { 0.3 },
            );
        let dice = ground.setting.dice.of("ties");
        let (stories, authors) = (ground.sections(0.47, 60), ground.sections(0.05, 12));
        let (readers, letters) = (ground.sections(0.06, 12), ground.sections(0.12, 20));
        Self {
            years: ground.count(0.0005, 3).min(30),
            written: Tie::new(
                &stories,
                &authors,
                TieShape { loyalty: 0.75, evenness: 0.6 },
                dice.of("written"),
            ),
            about: Tie::new(&letters, &stories, TieShape { loyalty: 1.0, evenness: 0.6 }, dice.of("about")),
            sent: Tie::new(&letters, &readers, TieShape { loyalty: 0.6, evenness: 0.6 }, dice.of("sent")),
            ground,
            stories,
            authors,
            readers,
            letters,
        }
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn class(&self, class: ChronicleClass) -> Members<'_> {
        match class {
            ChronicleClass::Once => Members::once(),
            ChronicleClass::Section => Members::topics(self.ground.topic_count()),
            ChronicleClass::Month => Members::count(self.months()).known(0..self.months() + FUTURE_MONTHS),
            ChronicleClass::Author => Members::of(&self.authors),
            ChronicleClass::Reader => Members::of(&self.readers).users(),
            ChronicleClass::Story => Members::of(&self.stories),
            ChronicleClass::Letter => Members::of(&self.letters).made_by(&self.sent),
        }
    }

    fn parts(&self, kind: ChroniclePage, _id: u64) -> u64 {
        if kind.row().has_parts() { self.years } else { 1 }
    }

    fn last_page(&self, page: PageId<ChroniclePage>) -> u64 {
        match page.kind {
            ChroniclePage::Year => pages_of(self.count_in(page.id, Self::year_of(page.part)), PER_PAGE),
            ChroniclePage::Month if page.id < self.months() => {
                let month = page.id..page.id + 1;
                pages_of(self.sections().map(|section| self.count_in(section, month.clone())).sum(), PER_PAGE)
            }
            ChroniclePage::Author => pages_of(self.written.children(page.id).len(), PER_PAGE),
            ChroniclePage::Written => pages_of(self.sent.children(page.id).len(), PER_PAGE),
            ChroniclePage::Authors => pages_of(self.authors.len(), PER_DIRECTORY),
            ChroniclePage::Readers => pages_of(self.readers.len(), PER_DIRECTORY),
            ChroniclePage::Letters => pages_of(self.letters.len(), PER_DIRECTORY),
            ChroniclePage::Print => u64::from(self.is_printed(page.id)),
            _ => 1,
        }
    }

    fn write_id(&self, kind: ChroniclePage, id: u64, out: &mut String) {
        out.push_str(&match kind.row().class {
            ChronicleClass::Section => format!("{id}-{}", slug(self.ground.label(id as usize))),
            ChronicleClass::Month => {
                format!("{}-{:02}", FIRST_YEAR.saturating_add(id / MONTHS_A_YEAR), id % MONTHS_A_YEAR + 1)
            }
            _ => id.to_string(),
        });
    }

    fn read_id(&self, kind: ChroniclePage, name: &str) -> Option<u64> {
        match kind.row().class {
            ChronicleClass::Month => {
                let (year, month) = name.split_once('-')?;
                let year = year.parse::<u64>().ok()?.checked_sub(FIRST_YEAR)?;
                year.checked_mul(MONTHS_A_YEAR)?.checked_add(month.parse::<u64>().ok()?.checked_sub(1)?)
            }
            _ => name.split('-').next()?.parse().ok(),
        }
    }

    fn write_word(&self, slot: &str, page: PageId<ChroniclePage>, out: &mut String) {
        match slot {
            "date" => out.push_str(&self.date(page.id).replace('/', "-")),
            _ => out.push_str(&slug(&self.title(page.id))),
        }
    }

    /// A section, and its years: what is older is found from any of them.
    fn topic_lists(&self, topic: usize) -> Vec<PageId<ChroniclePage>> {
        let years = (0..self.years).map(|part| ChroniclePage::Year.part(topic as u64, part));
        std::iter::once(ChroniclePage::Section.of(topic as u64)).chain(years).collect()
    }

    fn menu(&self) -> Vec<(PageId<ChroniclePage>, String)> {
        let menu = [
            (ChroniclePage::Sections, "Sections"),
            (ChroniclePage::Months, "By date"),
            (ChroniclePage::Authors, "Authors"),
            (ChroniclePage::Letters, "Letters"),
            (ChroniclePage::Readers, "Readers"),
        ];
        menu.map(|(kind, name)| (kind.first(), name.to_owned())).to_vec()
    }

    fn write(&self, page: PageId<ChroniclePage>, out: &mut PageWriter<'_, Self>) {
        self.write_page(page, out);
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        let dice = out.of("aside");
        let stories = (0..5).map(|n| dice.at(n).below(self.stories.len()));
        let links: Vec<_> =
            stories.map(|story| (ChroniclePage::Story.of(story), self.title(story))).collect();
        out.side_links("On this day", links);
        if dice.of("author").chance(0.5) {
            let author = dice.of("author").of("which").below(self.authors.len());
            out.side_links(
                "Author of the week",
                [(ChroniclePage::Author.of(author), self.author_name(author))],
            );
        }
    }

    fn gone(&self, draw: u64) -> String {
        format!("/1990-01-01/{}-withdrawn", self.stories.len() + draw)
    }
}
