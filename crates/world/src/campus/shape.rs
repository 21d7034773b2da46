//! How large everything on the simulated campuses is, and what each item is about: draws only, no tables.
//!
//! A world has sites; most are universities, one in twelve is a job board and one in twelve a shop. A university has
//! departments, a department has people, projects and courses, a course has offerings (one a term), an offering has a
//! syllabus and sometimes notes and exercises. Counts are drawn per site and department, so every relation can be
//! computed from both ends: which courses someone teaches, which category an offer is in.

use std::ops::Range;

use crate::Dice;
use crate::text::{TopicId, branches, topics};

/// The most departments that one university has.
pub(super) const MAX_DEPARTMENTS: u32 = 12;
/// Sites come in rounds of this many, one of them a job board and one a shop.
const ROUND: u32 = 12;
/// The smallest number of sites that contains one of each.
const FEWEST: f64 = 8.0;
/// Pages of a list before the next begins.
pub(super) const NEWS_PER_LIST: u32 = 20;
pub(super) const FACULTY_PER_LIST: u32 = 30;
pub(super) const STUDENTS_PER_LIST: u32 = 40;
pub(super) const ITEMS_PER_LIST: u32 = 25;
pub(super) const SITES_PER_LIST: u32 = 30;

/// Markets are smaller than universities: their shallow lists would else be most of what a crawl meets first.
const MARKET_SIZE: f64 = 0.4;

/// What a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteKind {
    University,
    Jobs,
    Shop,
}

/// The sizes of a world.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) dice: Dice,
    pub(super) sites: u32,
    /// Pages of a university of middle size.
    mean: f64,
}

/// How a university leads to its syllabi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CourseStyle {
    /// The list of a term links each syllabus.
    Direct,
    /// The list links a course's home page, which links the syllabus.
    ViaHome,
    /// The list names instructors; their home pages link the syllabi.
    ViaInstructor,
}

/// One university.
#[derive(Clone, Debug)]
pub(super) struct University {
    pub(super) dice: Dice,
    pub(super) departments: u32,
    pub(super) infos: u32,
    pub(super) news: u32,
    pub(super) style: CourseStyle,
    size: f64,
    weights: f64,
}

/// One department.
#[derive(Clone, Debug)]
pub(super) struct Department {
    pub(super) id: u32,
    pub(super) dice: Dice,
    /// Its place in [`branches`].
    pub(super) branch: usize,
    pub(super) courses: u32,
    pub(super) terms: u32,
    pub(super) faculty: u32,
    pub(super) students: u32,
    pub(super) projects: u32,
    style: CourseStyle,
}

/// A job board or a shop.
#[derive(Clone, Debug)]
pub(super) struct Market {
    pub(super) dice: Dice,
    pub(super) items: u32,
    pub(super) sellers: u32,
    pub(super) infos: u32,
}

/// What something is about: a main topic and, of some, a second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct About {
    pub(super) main: TopicId,
    pub(super) second: Option<TopicId>,
}

impl Shape {
    pub(super) fn new(dice: Dice, pages: u64) -> Self {
        let pages = (pages as f64).max(200.0);
        let sites = (pages.powf(0.6) / 10.0).round().clamp(FEWEST, 4000.0) as u32;
        let mut shape = Self { dice: dice.of("campus"), sites, mean: 1.0 };
        // Few sites of very different size: their sum is drawn too, so it is taken as it came out.
        shape.mean = pages / (0..sites).map(|site| shape.size(site)).sum::<f64>();
        shape
    }

    pub(super) fn kind(&self, site: u32) -> SiteKind {
        match site % ROUND {
            6 => SiteKind::Jobs,
            7 => SiteKind::Shop,
            _ => SiteKind::University,
        }
    }

    pub(super) fn site_dice(&self, site: u32) -> Dice {
        self.dice.of("site").at(site.into())
    }

    /// The pages that a site should have: log-normal around the mean.
    fn size(&self, site: u32) -> f64 {
        let dice = self.site_dice(site).of("size");
        let normal = (dice.at(0).unit() + dice.at(1).unit() + dice.at(2).unit() - 1.5) * 2.0;
        let share = if self.kind(site) == SiteKind::University { 1.0 } else { MARKET_SIZE };
        self.mean * share * (0.5 * normal).exp()
    }

    pub(super) fn university(&self, site: u32) -> University {
        let (dice, size) = (self.site_dice(site), self.size(site));
        let departments = ((size.sqrt() / 10.0).round() as u32).clamp(1, MAX_DEPARTMENTS);
        let style = match dice.of("course style").below(10) {
            0..=3 => CourseStyle::Direct,
            4..=6 => CourseStyle::ViaHome,
            _ => CourseStyle::ViaInstructor,
        };
        let weights = (1..departments).map(|id| weight(dice, id)).sum();
        let infos = dice.of("infos").between(4, 12).min((size / 60.0) as u64 + 2) as u32;
        University { dice, departments, infos, news: (size * 0.04) as u32 + 2, style, size, weights }
    }

    pub(super) fn market(&self, site: u32) -> Market {
        let (dice, size) = (self.site_dice(site), self.size(site));
        let sellers = (size * 0.05) as u32 + 2;
        Market { dice, items: (size * 0.86) as u32 + 5, sellers, infos: 4 }
    }

    /// A university near `dice`, other than `site` where possible.
    pub(super) fn some_university(&self, dice: Dice) -> u32 {
        let drawn = dice.below(self.sites.into()) as u32;
        if self.kind(drawn) == SiteKind::University { drawn } else { drawn - drawn % ROUND }
    }

    /// A job board or shop; if the draw finds none, site 6 or 7, which every world has.
    pub(super) fn some_market(&self, kind: SiteKind, dice: Dice) -> u32 {
        let round = dice.below((self.sites / ROUND).max(1).into()) as u32;
        round * ROUND + if kind == SiteKind::Jobs { 6 } else { 7 }
    }
}

fn weight(dice: Dice, department: u32) -> f64 {
    0.5 + dice.of("weight").at(department.into()).unit()
}

impl University {
    pub(super) fn department(&self, id: u32) -> Department {
        let dice = self.dice.of("department").at(id.into());
        // Computing has more than half, as on the sites that de Assis et al. 2009 and the WebKB corpus used.
        let share = match (id, self.departments) {
            (_, 1) => 1.0,
            (0, _) => 0.62,
            _ => 0.38 * weight(self.dice, id) / self.weights.max(0.1),
        };
        let size = self.size * 0.88 * share;
        let terms = dice.of("terms").between(3, 8);
        let per_offering = if self.style == CourseStyle::ViaHome { 2.9 } else { 1.9 };
        let courses = size * 0.74 / (terms as f64 * OFFERED * per_offering);
        let count = |share: f64, least: u32| ((size * share) as u32).max(least);
        Department {
            id,
            dice,
            branch: branch_of(self.dice, id),
            courses: (courses.round() as u32).max(2),
            terms: terms as u32,
            faculty: count(0.07, 2),
            students: count(0.07, 1),
            projects: count(0.03, 1),
            style: self.style,
        }
    }

    pub(super) fn news_lists(&self) -> u32 {
        self.news.div_ceil(NEWS_PER_LIST)
    }
}

/// Department 0 belongs to the branch that teaches computing; the others go through the remaining branches in a drawn
/// order.
fn branch_of(dice: Dice, department: u32) -> usize {
    let (count, first) = (branches().len().max(1), computing());
    if department == 0 {
        return first;
    }
    let others = count.saturating_sub(1).max(1) as u64;
    let start = dice.of("branches").below(others);
    let other = ((start + u64::from(department - 1)) % others) as usize;
    if other >= first { (other + 1) % count } else { other }
}

/// The index of the branch that teaches computing; the first branch if there is none.
pub(super) fn computing() -> usize {
    branches().iter().position(|branch| branch.label_en.starts_with("Comput")).unwrap_or(0)
}

/// How many topics of a branch nine tenths of it are about.
pub(super) const COMMON: usize = 4;
/// Share of its courses that a department offers in one term.
const OFFERED: f64 = 0.55;

impl Department {
    pub(super) fn is_offered(&self, course: u32, term: u32) -> bool {
        self.dice.of("offered").at(course.into()).at(term.into()).chance(OFFERED)
    }

    pub(super) fn offered(&self, term: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.courses).filter(move |course| self.is_offered(*course, term))
    }

    pub(super) fn course_about(&self, course: u32) -> About {
        about(self.branch, self.dice.of("course").at(course.into()))
    }

    /// Who teaches it: neighbours in the list of courses rotate slowly through the faculty.
    pub(super) fn instructor(&self, course: u32, term: u32) -> u32 {
        (course + self.rotation(term)) % self.faculty.max(1)
    }

    /// The courses and terms of one teacher: the inverse of [`Department::instructor`].
    pub(super) fn taught_by(&self, teacher: u32) -> Vec<(u32, u32)> {
        let faculty = self.faculty.max(1);
        let mut taught = Vec::new();
        for term in 0..self.terms {
            let first = (teacher + faculty - self.rotation(term) % faculty) % faculty;
            let courses = (first..self.courses).step_by(faculty as usize);
            taught
                .extend(courses.filter(|course| self.is_offered(*course, term)).map(|course| (course, term)));
        }
        taught
    }

    fn rotation(&self, term: u32) -> u32 {
        (self.dice.of("rotation").at(term.into()).unit() * 3.0) as u32
    }

    pub(super) fn lectures(&self, course: u32, term: u32) -> u32 {
        let dice = self.dice.of("lectures").at(course.into()).at(term.into());
        if dice.chance(0.7) { 0 } else { dice.of("n").between(1, 3) as u32 }
    }

    pub(super) fn assignments(&self, course: u32, term: u32) -> u32 {
        let dice = self.dice.of("assignments").at(course.into()).at(term.into());
        if dice.chance(0.8) { 0 } else { dice.of("n").between(1, 2) as u32 }
    }

    /// What someone's research is about: mostly what they teach.
    pub(super) fn faculty_about(&self, teacher: u32) -> About {
        let dice = self.dice.of("faculty").at(teacher.into());
        if teacher < self.courses && dice.chance(0.7) {
            self.course_about(teacher)
        } else {
            about(self.branch, dice)
        }
    }

    pub(super) fn has_publications(&self, teacher: u32) -> bool {
        self.dice.of("publications").at(teacher.into()).chance(0.5)
    }

    pub(super) fn project_about(&self, project: u32) -> About {
        about(self.branch, self.dice.of("project").at(project.into()))
    }

    /// Who leads a project; the other end is `projects_of`.
    pub(super) fn project_leader(&self, project: u32) -> u32 {
        project % self.faculty.max(1)
    }

    pub(super) fn projects_of(&self, teacher: u32) -> impl Iterator<Item = u32> {
        (teacher..self.projects).step_by(self.faculty.max(1) as usize)
    }

    pub(super) fn advisor(&self, student: u32) -> u32 {
        student % self.faculty.max(1)
    }

    pub(super) fn students_of(&self, teacher: u32) -> impl Iterator<Item = u32> {
        (teacher..self.students).step_by(self.faculty.max(1) as usize)
    }

    /// Students study what their department teaches and love something else.
    pub(super) fn student_hobby(&self, student: u32) -> TopicId {
        TopicId(self.dice.of("hobby").at(student.into()).zipf(topics().len() as u64, 0.5) as u16)
    }

    pub(super) fn has_course_homes(&self) -> bool {
        self.style == CourseStyle::ViaHome
    }
}

/// A topic of a branch, the first leaves more often; a tenth is of another branch. A third has a second topic that is
/// related to the first.
fn about(branch: usize, dice: Dice) -> About {
    let strays = dice.of("stray").chance(0.08);
    let branch = if strays { dice.of("branch").below(branches().len() as u64) as usize } else { branch };
    let leaves = branches().get(branch).map_or(0..1, |branch| branch.topics.clone());
    let common = if dice.of("common").chance(0.9) { leaves.len().min(COMMON) } else { leaves.len() };
    let main = leaves.start as u64 + dice.of("leaf").zipf(common as u64, 0.3);
    let main = TopicId(main as u16);
    let related = topics().get(usize::from(main.0)).map_or(&[][..], |topic| &topic.related);
    let second = dice.of("second").chance(0.35).then(|| dice.of("related").pick(related)).flatten();
    About { main, second: second.copied() }
}

impl Market {
    /// The items of a category have consecutive numbers; categories are the branches, computing the largest.
    pub(super) fn category(&self, category: u32) -> Range<u32> {
        let end = |upto: u32| (share_below(upto) * f64::from(self.items)).round() as u32;
        end(category)..end(category + 1)
    }

    pub(super) fn categories(&self) -> u32 {
        branches().len() as u32
    }

    pub(super) fn category_of(&self, item: u32) -> u32 {
        (0..self.categories()).find(|category| self.category(*category).contains(&item)).unwrap_or(0)
    }

    /// The branch that a category is about: computing first, then in their order.
    pub(super) fn branch(&self, category: u32) -> usize {
        let first = computing();
        match category as usize {
            0 => first,
            other if other <= first => other - 1,
            other => other,
        }
    }

    pub(super) fn item_about(&self, item: u32) -> About {
        about(self.branch(self.category_of(item)), self.dice.of("item").at(item.into()))
    }

    pub(super) fn seller(&self, item: u32) -> u32 {
        item % self.sellers.max(1)
    }

    pub(super) fn items_of(&self, seller: u32) -> impl Iterator<Item = u32> {
        (seller..self.items).step_by(self.sellers.max(1) as usize)
    }
}

/// The share of a market's items in the categories below `upto`: computing has 30 %, the others share the rest.
fn share_below(upto: u32) -> f64 {
    let others = (branches().len() as f64 - 1.0).max(1.0);
    match upto {
        0 => 0.0,
        upto => (0.3 + 0.7 * (f64::from(upto) - 1.0) / others).min(1.0),
    }
}
