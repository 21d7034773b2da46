//! Addresses of the campus pages: host names and five habits of making URLs, from descriptive to opaque.
//!
//! No habit is safe to rely on: some universities name courses and terms in their paths, some put them under the
//! instructor, some number everything. A URL is read by its site's habit and counts only if the page that it names
//! exists and would be written the same.

use osprey_model::CanonicalUrl;

use super::page::{Kind, Page};
use super::shape::{CourseStyle, Department, Shape, SiteKind, University};
use crate::Permutation;
use crate::markup::slug;
use crate::nasty::Setting;
use crate::routes::{base36, fill, push_base36, read, trailing_number};
use crate::text::{Language, branches, handle_in, topics};

const FIRST: [&str; 40] = [
    "north", "south", "east", "west", "lake", "river", "oak", "pine", "elm", "stone", "fair", "green",
    "silver", "spring", "ash", "birch", "clear", "cold", "deer", "eagle", "falcon", "glen", "grand", "high",
    "iron", "king", "long", "maple", "mill", "new", "old", "queen", "red", "rock", "salt", "sand", "sun",
    "union", "white", "wood",
];
const LAST: [&str; 32] = [
    "field", "ford", "ville", "bridge", "haven", "port", "ton", "ham", "wick", "dale", "mont", "burg",
    "brook", "gate", "hill", "land", "mere", "mouth", "point", "ridge", "side", "stead", "view", "well",
    "bury", "castle", "cliff", "cross", "grove", "hurst", "moor", "shore",
];
const NAMES: u64 = (FIRST.len() * LAST.len()) as u64;

/// What universities tell about themselves.
pub(super) const INFOS: [&str; 12] = words! {
    "about" "admissions" "library" "careers" "policies" "contact" "housing" "international" "alumni"
    "history" "athletics" "computing"
};
const SEASONS: [&str; 2] = ["spring", "fall"];

/// How a site makes its URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    /// `/Info/Courses/Fall-2009/CS415/syllabus.html`
    Old,
    /// `/~keller17/cs415-f09/`
    Tilde,
    /// `/courses/2009-fall/cs415-databases`
    Slug,
    /// `/node/k3j9x0aa`
    Node,
    /// `/view.php?sec=course&id=k3j9x0aa`
    Query,
}

/// A site with what its URLs need, computed once for many links.
pub(super) struct Grounds<'a> {
    campus: &'a Shape,
    pub(super) site: u32,
    pub(super) name: String,
    pub(super) habit: Habit,
    /// Whether departments have hosts of their own.
    sub_hosts: bool,
    syllabus_is_index: bool,
    university: Option<University>,
    departments: Vec<(Department, String)>,
    codes: Permutation,
}

impl<'a> Grounds<'a> {
    pub(super) fn new(campus: &'a Shape, site: u32) -> Self {
        let dice = campus.site_dice(site).of("address");
        let is_university = campus.kind(site) == SiteKind::University;
        let university = is_university.then(|| campus.university(site));
        let departments = university.iter().flat_map(|university| {
            let of = |id: u32| {
                let department = university.department(id);
                let label = department_slug(&department);
                (department, label)
            };
            (0..university.departments).map(of).collect::<Vec<_>>()
        });
        let habit = match dice.of("habit").below(20) {
            0..=4 => Habit::Old,
            5..=8 => Habit::Tilde,
            9..=13 => Habit::Slug,
            14..=16 => Habit::Node,
            _ => Habit::Query,
        };
        Self {
            departments: departments.collect(),
            campus,
            site,
            name: site_name(campus, site),
            habit,
            sub_hosts: is_university && dice.of("sub hosts").chance(0.5),
            syllabus_is_index: dice.of("index").chance(0.5),
            university,
            codes: Permutation::new(Page::codes(), dice.of("codes")),
        }
    }

    pub(super) fn university(&self) -> Option<&University> {
        self.university.as_ref()
    }

    pub(super) fn department(&self, id: u32) -> Option<&Department> {
        self.departments.get(id as usize).map(|(department, _)| department)
    }

    /// The department's short name: `cs`, `bio2`.
    pub(super) fn department_label(&self, id: u32) -> &str {
        self.departments.get(id as usize).map_or("", |(_, label)| label)
    }

    /// The first label of the host that a page is on.
    fn push_host_label(&self, page: Page, out: &mut String) {
        if self.sub_hosts && page.kind.is_of_department() {
            out.push_str(self.department_label(page.dept));
            out.push('-');
        }
        out.push_str(&self.name);
    }

    /// Writes path and query.
    fn push_path(&self, page: Page, out: &mut String) {
        let pattern = self.pattern(page.kind);
        if self.is_below_department_path(page.kind, pattern) {
            out.push('/');
            out.push_str(self.department_label(page.dept));
        }
        fill(pattern, out, |slot, out| self.push_slot(slot, page, out));
    }

    /// Whether the page is under its department's path; opaque ids contain their department already.
    fn is_below_department_path(&self, kind: Kind, pattern: &str) -> bool {
        kind.is_of_department() && !self.sub_hosts && !pattern.contains("{code}")
    }

    fn pattern(&self, kind: Kind) -> &'static str {
        let is_via_home =
            self.university().is_some_and(|university| university.style == CourseStyle::ViaHome);
        match (self.habit, kind) {
            (_, Kind::Home | Kind::MarketHome) => "/",
            (Habit::Old | Habit::Tilde | Habit::Slug, Kind::DeptHome) => "/",
            (_, Kind::DeptHome) if self.sub_hosts => "/",
            (Habit::Node, _) => "/node/{code}",
            (Habit::Query, _) => "/view.php?sec={sec}&id={code}",
            (Habit::Slug, Kind::Syllabus) if !is_via_home => Kind::CourseHome.row().speaking,
            (Habit::Slug, _) => kind.row().speaking,
            (Habit::Tilde, Kind::Syllabus) if self.syllabus_is_index && !is_via_home => {
                "/~{who}/{no}-{term}/"
            }
            (Habit::Tilde, Kind::Syllabus) => "/~{who}/{no}-{term}/info.html",
            (Habit::Tilde, Kind::CourseHome) => "/~{who}/{no}-{term}/",
            (Habit::Tilde, Kind::Lecture) => "/~{who}/{no}-{term}/notes{c}.html",
            (Habit::Tilde, Kind::Assignment) => "/~{who}/{no}-{term}/ps{c}.html",
            _ => kind.row().by_hand,
        }
    }

    fn push_slot(&self, slot: &str, page: Page, out: &mut String) {
        use std::fmt::Write as _;
        // Writing to a string cannot fail.
        let _ = match slot {
            "a" => write!(out, "{}", page.a + 1),
            "b" => write!(out, "{}", page.b + 1),
            "c" => write!(out, "{}", page.c + 1),
            "no" => write!(out, "{}{}", self.department_label(page.dept), course_number(page.a)),
            "info" => out.write_str(INFOS.get(page.a as usize).copied().unwrap_or("page")),
            _ => Ok(()),
        };
        match slot {
            "term" => push_term(self.habit, page.b, out),
            "who" => self.push_teacher(page, out),
            "stu" => self.push_student(page, out),
            "slug" => self.push_slug(page, out),
            "sec" => out.push_str(page.kind.row().section),
            "code" => push_base36(self.codes.at(page.code()), out),
            _ => {}
        }
    }

    fn push_teacher(&self, page: Page, out: &mut String) {
        let Some(department) = self.department(page.dept) else { return };
        let who = match page.kind {
            Kind::Syllabus | Kind::CourseHome | Kind::Lecture | Kind::Assignment => {
                department.instructor(page.a, page.b)
            }
            _ => page.a,
        };
        let handle = handle_in(Language::English, department.dice.of("teacher").at(who.into()));
        out.extend(handle.chars().filter(char::is_ascii_lowercase).take(8));
        out.push_str(&who.to_string());
    }

    fn push_student(&self, page: Page, out: &mut String) {
        let Some(department) = self.department(page.dept) else { return };
        let handle = handle_in(Language::English, department.dice.of("student").at(page.a.into()));
        out.push('s');
        out.extend(handle.chars().filter(char::is_ascii_lowercase).take(3));
        out.push_str(&(1000 + page.a).to_string());
    }

    /// What the page is about, in words.
    fn push_slug(&self, page: Page, out: &mut String) {
        let market_branch = || self.campus.market(self.site).branch(page.b);
        let text = match (page.kind, self.campus.about(page)) {
            (Kind::Category, _) => branches().get(market_branch()).map_or("all", |branch| &branch.label_en),
            (_, Some(about)) => topics().get(usize::from(about.main.0)).map_or("x", |topic| &topic.label_en),
            _ => "page",
        };
        out.push_str(&slug(text));
    }

    /// The page that a path of this site names, before it is checked.
    fn read_path(&self, dept: Option<u32>, path: &str) -> Option<Page> {
        let is_of_site = |kind: &Kind| !matches!(kind, Kind::HubHome | Kind::HubList);
        let candidates = Kind::ALL.iter().copied().filter(is_of_site).filter_map(|kind| {
            let pattern = self.pattern(kind);
            let (dept, rest) = match (kind.is_of_department(), dept) {
                (true, Some(dept)) => (dept, path),
                (true, None) if self.is_below_department_path(kind, pattern) => {
                    self.split_department(path)?
                }
                (_, None) => (0, path),
                (false, Some(_)) => return None,
            };
            self.read_pattern(Page { dept, ..Page::of(self.site, kind) }, pattern, rest)
        });
        candidates.into_iter().find(|page| {
            let mut again = String::with_capacity(path.len());
            self.campus.exists(*page) && {
                self.push_path(*page, &mut again);
                again == path
            }
        })
    }

    fn split_department<'u>(&self, path: &'u str) -> Option<(u32, &'u str)> {
        let (label, _) = path.strip_prefix('/')?.split_once('/')?;
        let dept = self.departments.iter().position(|(_, own)| own == label)?;
        Some((dept as u32, path.get(label.len() + 1..)?))
    }

    fn read_pattern(&self, mut page: Page, pattern: &str, path: &str) -> Option<Page> {
        let mut is_good = true;
        read(pattern, path, |slot, text| {
            let number = || text.parse::<u32>().ok()?.checked_sub(1);
            let mut set = |field: &mut u32, value: Option<u32>| match value {
                Some(value) => *field = value,
                None => is_good = false,
            };
            match slot {
                "a" => set(&mut page.a, number()),
                "b" => set(&mut page.b, number()),
                "c" => set(&mut page.c, number()),
                "no" => set(
                    &mut page.a,
                    trailing_number(text).and_then(|number| number.checked_sub(FIRST_NUMBER)),
                ),
                "info" => set(&mut page.a, INFOS.iter().position(|info| *info == text).map(|a| a as u32)),
                "term" => set(&mut page.b, (0..8).find(|term| term_text(self.habit, *term) == text)),
                "who" if matches!(page.kind, Kind::Faculty | Kind::Publications) => {
                    set(&mut page.a, trailing_number(text));
                }
                "stu" => set(&mut page.a, trailing_number(text).and_then(|number| number.checked_sub(1000))),
                "code" => match base36(text).filter(|code| *code < Page::codes()) {
                    Some(code) => match Page::from_code(self.site, self.codes.place_of(code)) {
                        Some(coded) if coded.kind == page.kind => page = coded,
                        _ => is_good = false,
                    },
                    None => is_good = false,
                },
                _ => {}
            }
        })?;
        is_good.then_some(page)
    }
}

const FIRST_NUMBER: u32 = 101;

pub(super) fn course_number(course: u32) -> u32 {
    FIRST_NUMBER + course
}

/// The year and season (0 spring, 1 fall) of a term; 0 is the latest.
pub(super) fn term(index: u32) -> (u32, usize) {
    let halves = 2 * 2010 + 1 - index;
    (halves / 2, (halves % 2) as usize)
}

fn push_term(habit: Habit, index: u32, out: &mut String) {
    use std::fmt::Write as _;
    let (year, half) = term(index);
    let season = SEASONS.get(half).copied().unwrap_or("term");
    // Writing to a string cannot fail.
    let _ = match habit {
        Habit::Old => {
            let (initial, rest) = season.split_at(1);
            write!(out, "{}{rest}-{year}", initial.to_uppercase())
        }
        Habit::Tilde => write!(out, "{}{:02}", season.get(..1).unwrap_or("t"), year % 100),
        _ => write!(out, "{year}-{season}"),
    };
}

fn term_text(habit: Habit, index: u32) -> String {
    let mut out = String::new();
    push_term(habit, index, &mut out);
    out
}

fn department_slug(department: &Department) -> String {
    let branch = branches().get(department.branch);
    let label = branch.map_or("dept", |branch| branch.abbreviation.as_deref().unwrap_or(&branch.label_en));
    let mut label =
        if department.branch == super::shape::computing() { "cs".to_owned() } else { slug(label) };
    label.retain(|c| c.is_ascii_lowercase());
    // More departments than branches: the second of a kind gets a letter, since course numbers follow.
    if department.id as usize >= branches().len() {
        label.push('b');
    }
    label
}

/// The name of a site, different for each site: `northfield`, and `northfield2` when names run out.
fn site_name(campus: &Shape, site: u32) -> String {
    let shuffle = Permutation::new(NAMES, campus.dice.of("names"));
    let place = shuffle.at(u64::from(site) % NAMES);
    let first = FIRST.get((place / LAST.len() as u64) as usize).copied().unwrap_or("a");
    let last = LAST.get((place % LAST.len() as u64) as usize).copied().unwrap_or("b");
    let round = u64::from(site) / NAMES;
    if round == 0 { format!("{first}{last}") } else { format!("{first}{last}{}", round + 1) }
}

/// The site of a name.
fn site_of_name(campus: &Shape, name: &str) -> Option<u32> {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let round = match name.get(letters.len()..)? {
        "" => 0,
        digits => digits.parse::<u64>().ok()?.checked_sub(1)?,
    };
    let (first, last) = FIRST.iter().enumerate().find_map(|(first, word)| {
        let rest = letters.strip_prefix(word)?;
        Some((first, LAST.iter().position(|last| *last == rest)?))
    })?;
    let shuffle = Permutation::new(NAMES, campus.dice.of("names"));
    let place = shuffle.place_of((first * LAST.len() + last) as u64);
    let site = round.checked_mul(NAMES)?.checked_add(place)?;
    u32::try_from(site).ok().filter(|site| *site < campus.sites)
}

/// The URL of a page.
pub(super) fn url(setting: &Setting, grounds: &Grounds<'_>, page: Page) -> String {
    let mut out = String::with_capacity(64);
    out.push_str("http://");
    match page.kind {
        Kind::HubHome | Kind::HubList => out.push_str("www"),
        _ => grounds.push_host_label(page, &mut out),
    }
    out.push_str(".campus.");
    out.push_str(&setting.domain);
    match page.kind {
        Kind::HubHome => out.push('/'),
        Kind::HubList => {
            fill("/members/{a}.html", &mut out, |_, out| out.push_str(&(page.a + 1).to_string()))
        }
        _ => grounds.push_path(page, &mut out),
    }
    out
}

/// The page at a URL.
pub(super) fn find(setting: &Setting, campus: &Shape, url: &CanonicalUrl) -> Option<Page> {
    let label = url.authority().strip_suffix(&setting.domain)?.strip_suffix(".campus.")?;
    let path = url.path_and_query();
    if label == "www" {
        return campus_directory(campus, path);
    }
    let (dept, name) = label.rsplit_once('-').map_or((None, label), |(dept, name)| (Some(dept), name));
    let grounds = Grounds::new(campus, site_of_name(campus, name)?);
    let dept = match dept {
        None => None,
        Some(label) if grounds.sub_hosts => {
            Some(grounds.departments.iter().position(|(_, own)| own == label)? as u32)
        }
        Some(_) => return None,
    };
    let page = grounds.read_path(dept, path)?;
    // A department's page on the wrong host is not a page: otherwise opaque ids could be read on any host.
    let mut again = String::new();
    grounds.push_host_label(page, &mut again);
    (again == label && url.scheme() == "http").then_some(page)
}

fn campus_directory(campus: &Shape, path: &str) -> Option<Page> {
    if path == "/" {
        return Some(Page::of(0, Kind::HubHome));
    }
    let number = path.strip_prefix("/members/")?.strip_suffix(".html")?;
    let a = number.parse::<u32>().ok()?.checked_sub(1)?;
    let page = Page { a, ..Page::of(0, Kind::HubList) };
    (campus.exists(page) && number == (a + 1).to_string()).then_some(page)
}
