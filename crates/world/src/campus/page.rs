//! Every page of the campuses as five small numbers, which of them exist, and what is true of them.

use super::shape::{
    About, FACULTY_PER_LIST, ITEMS_PER_LIST, SITES_PER_LIST, STUDENTS_PER_LIST, Shape, SiteKind,
};
use crate::Truth;
use crate::text::topics;
use osprey_model::PageType;

/// The templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    HubHome,
    HubList,
    Home,
    Info,
    Partners,
    NewsList,
    News,
    DeptHome,
    CourseIndex,
    TermList,
    CourseHome,
    Syllabus,
    Lecture,
    Assignment,
    FacultyList,
    StudentList,
    Faculty,
    Publications,
    Student,
    ProjectList,
    Project,
    MarketHome,
    Category,
    Item,
    Seller,
    MarketInfo,
}

impl Kind {
    pub(super) const ALL: [Self; 26] = [
        Self::HubHome,
        Self::HubList,
        Self::Home,
        Self::Info,
        Self::Partners,
        Self::NewsList,
        Self::News,
        Self::DeptHome,
        Self::CourseIndex,
        Self::TermList,
        Self::CourseHome,
        Self::Syllabus,
        Self::Lecture,
        Self::Assignment,
        Self::FacultyList,
        Self::StudentList,
        Self::Faculty,
        Self::Publications,
        Self::Student,
        Self::ProjectList,
        Self::Project,
        Self::MarketHome,
        Self::Category,
        Self::Item,
        Self::Seller,
        Self::MarketInfo,
    ];

    /// Whether it stands below a department.
    pub(super) fn is_of_department(self) -> bool {
        (Self::DeptHome as u8..=Self::Project as u8).contains(&(self as u8))
    }

    fn page_type(self) -> PageType {
        match self {
            Self::HubList
            | Self::NewsList
            | Self::CourseIndex
            | Self::TermList
            | Self::FacultyList
            | Self::StudentList
            | Self::ProjectList
            | Self::Category
            | Self::Partners => PageType::List,
            Self::News | Self::Syllabus | Self::Lecture | Self::Assignment | Self::Project | Self::Item => {
                PageType::Detail
            }
            Self::Faculty | Self::Student | Self::Seller => PageType::Profile,
            _ => PageType::Other,
        }
    }
}

/// A page: a template and where it stands. What a template does not use is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) site: u32,
    pub(super) kind: Kind,
    pub(super) dept: u32,
    /// The course, person, item, or the number of a list.
    pub(super) a: u32,
    /// The term or category.
    pub(super) b: u32,
    /// The lecture or exercise.
    pub(super) c: u32,
}

const CODE_BITS: u32 = 40;

impl Page {
    pub(super) fn of(site: u32, kind: Kind) -> Self {
        Self { site, kind, dept: 0, a: 0, b: 0, c: 0 }
    }

    /// A page of the same site.
    pub(super) fn to(self, kind: Kind, a: u32) -> Self {
        Self { kind, a, b: 0, c: 0, ..self }
    }

    /// A page of the same department about one offering.
    pub(super) fn offering(self, kind: Kind, course: u32, term: u32) -> Self {
        Self { kind, a: course, b: term, c: 0, ..self }
    }

    /// All but the site in one number below 2^[`CODE_BITS`], for opaque ids.
    pub(super) fn code(self) -> u64 {
        let fields = [(self.kind as u32, 5), (self.dept, 4), (self.a, 19), (self.b, 4), (self.c, 8)];
        fields
            .into_iter()
            .fold(0, |code, (field, bits)| (code << bits) | (u64::from(field) & ((1 << bits) - 1)))
    }

    /// The other end of [`Page::code`].
    pub(super) fn from_code(site: u32, code: u64) -> Option<Self> {
        if code >= Self::codes() {
            return None;
        }
        let field = |shift: u32, bits: u32| ((code >> shift) & ((1 << bits) - 1)) as u32;
        let kind = *Kind::ALL.get(field(35, 5) as usize)?;
        Some(Self { site, kind, dept: field(31, 4), a: field(12, 19), b: field(8, 4), c: field(0, 8) })
    }

    pub(super) fn codes() -> u64 {
        1 << CODE_BITS
    }
}

impl Shape {
    /// Every page of one site, in the order of its lists.
    pub(super) fn pages_of(&self, site: u32) -> Vec<Page> {
        let mut pages = Vec::new();
        match self.kind(site) {
            SiteKind::University => self.push_university(site, &mut pages),
            SiteKind::Jobs | SiteKind::Shop => self.push_market(site, &mut pages),
        }
        pages
    }

    /// The pages of the directory of all sites.
    pub(super) fn hub_pages(&self) -> impl Iterator<Item = Page> {
        let lists = (0..self.hub_lists()).map(|a| Page { a, ..Page::of(0, Kind::HubList) });
        std::iter::once(Page::of(0, Kind::HubHome)).chain(lists)
    }

    pub(super) fn hub_lists(&self) -> u32 {
        self.sites.div_ceil(SITES_PER_LIST)
    }

    fn push_university(&self, site: u32, pages: &mut Vec<Page>) {
        let university = self.university(site);
        let home = Page::of(site, Kind::Home);
        pages.extend([home, home.to(Kind::Partners, 0)]);
        pages.extend((0..university.infos).map(|a| home.to(Kind::Info, a)));
        pages.extend((0..university.news_lists()).map(|a| home.to(Kind::NewsList, a)));
        pages.extend((0..university.news).map(|a| home.to(Kind::News, a)));
        for dept in 0..university.departments {
            let department = university.department(dept);
            let home = Page { dept, ..home };
            let mut push = |kind: Kind, count: u32| pages.extend((0..count).map(|a| home.to(kind, a)));
            push(Kind::DeptHome, 1);
            push(Kind::CourseIndex, 1);
            push(Kind::ProjectList, 1);
            push(Kind::FacultyList, department.faculty.div_ceil(FACULTY_PER_LIST));
            push(Kind::StudentList, department.students.div_ceil(STUDENTS_PER_LIST));
            push(Kind::Faculty, department.faculty);
            push(Kind::Student, department.students);
            push(Kind::Project, department.projects);
            let published = (0..department.faculty).filter(|a| department.has_publications(*a));
            pages.extend(published.map(|a| home.to(Kind::Publications, a)));
            for term in 0..department.terms {
                pages.push(home.offering(Kind::TermList, 0, term));
                for course in department.offered(term) {
                    let page = |kind: Kind| home.offering(kind, course, term);
                    pages.push(page(Kind::Syllabus));
                    pages.extend(department.has_course_homes().then(|| page(Kind::CourseHome)));
                    let lectures = department.lectures(course, term);
                    pages.extend((0..lectures).map(|c| Page { c, ..page(Kind::Lecture) }));
                    let assignments = department.assignments(course, term);
                    pages.extend((0..assignments).map(|c| Page { c, ..page(Kind::Assignment) }));
                }
            }
        }
    }

    fn push_market(&self, site: u32, pages: &mut Vec<Page>) {
        let market = self.market(site);
        let home = Page::of(site, Kind::MarketHome);
        pages.push(home);
        pages.extend((0..market.infos).map(|a| home.to(Kind::MarketInfo, a)));
        pages.extend((0..market.sellers).map(|a| home.to(Kind::Seller, a)));
        pages.extend((0..market.items).map(|a| home.to(Kind::Item, a)));
        for b in 0..market.categories() {
            let lists = (market.category(b).len() as u32).div_ceil(ITEMS_PER_LIST).max(1);
            pages.extend((0..lists).map(|a| Page { a, b, ..home.to(Kind::Category, 0) }));
        }
    }

    /// Whether a page that was read from a URL is there.
    pub(super) fn exists(&self, page: Page) -> bool {
        let Page { site, kind, dept, a, b, c } = page;
        match kind {
            Kind::HubHome => return site == 0 && (dept, a, b, c) == (0, 0, 0, 0),
            Kind::HubList => return site == 0 && a < self.hub_lists() && (dept, b, c) == (0, 0, 0),
            _ if site >= self.sites => return false,
            _ => {}
        }
        let is_market_kind = kind as u8 >= Kind::MarketHome as u8;
        if is_market_kind != (self.kind(site) != SiteKind::University) {
            return false;
        }
        if is_market_kind {
            return dept == 0 && c == 0 && self.is_of_market(page);
        }
        let university = self.university(site);
        if kind.is_of_department() {
            if dept >= university.departments {
                return false;
            }
            let department = university.department(dept);
            let is_offered = |course, term| {
                course < department.courses && term < department.terms && department.is_offered(course, term)
            };
            return match kind {
                Kind::TermList => b < department.terms && (a, c) == (0, 0),
                Kind::Syllabus => c == 0 && is_offered(a, b),
                Kind::CourseHome => c == 0 && department.has_course_homes() && is_offered(a, b),
                Kind::Lecture => is_offered(a, b) && c < department.lectures(a, b),
                Kind::Assignment => is_offered(a, b) && c < department.assignments(a, b),
                _ if (b, c) != (0, 0) => false,
                Kind::FacultyList => a < department.faculty.div_ceil(FACULTY_PER_LIST),
                Kind::StudentList => a < department.students.div_ceil(STUDENTS_PER_LIST),
                Kind::Faculty => a < department.faculty,
                Kind::Publications => a < department.faculty && department.has_publications(a),
                Kind::Student => a < department.students,
                Kind::Project => a < department.projects,
                _ => a == 0,
            };
        }
        (dept, b, c) == (0, 0, 0)
            && match kind {
                Kind::Info => a < university.infos,
                Kind::NewsList => a < university.news_lists(),
                Kind::News => a < university.news,
                _ => a == 0,
            }
    }

    fn is_of_market(&self, page: Page) -> bool {
        let market = self.market(page.site);
        match page.kind {
            Kind::Category if page.b < market.categories() => {
                page.a < (market.category(page.b).len() as u32).div_ceil(ITEMS_PER_LIST).max(1)
            }
            _ if page.b != 0 => false,
            Kind::MarketInfo => page.a < market.infos,
            Kind::Seller => page.a < market.sellers,
            Kind::Item => page.a < market.items,
            _ => page.a == 0,
        }
    }

    /// What an existing page is about.
    pub(super) fn about(&self, page: Page) -> Option<About> {
        match page.kind {
            Kind::Syllabus | Kind::CourseHome | Kind::Lecture | Kind::Assignment => {
                Some(self.university(page.site).department(page.dept).course_about(page.a))
            }
            Kind::Faculty | Kind::Publications => {
                Some(self.university(page.site).department(page.dept).faculty_about(page.a))
            }
            Kind::Project => Some(self.university(page.site).department(page.dept).project_about(page.a)),
            Kind::Student => {
                let main = self.university(page.site).department(page.dept).student_hobby(page.a);
                Some(About { main, second: None })
            }
            Kind::Item => Some(self.market(page.site).item_about(page.a)),
            _ => None,
        }
    }

    /// What is true of an existing page.
    pub(super) fn truth(&self, page: Page) -> Truth {
        let about = self.about(page);
        let ids = about.into_iter().flat_map(|about| [Some(about.main), about.second]).flatten();
        let names = ids.filter_map(|id| topics().get(usize::from(id.0))).map(|topic| topic.name.clone());
        Truth {
            page_type: page.kind.page_type(),
            template: self.template(page).to_owned(),
            user_created: page.kind == Kind::Student,
            topics: names.collect(),
            ..Truth::default()
        }
    }

    fn template(&self, page: Page) -> &'static str {
        let is_jobs = || self.kind(page.site) == SiteKind::Jobs;
        match page.kind {
            Kind::HubHome => "directory-home",
            Kind::HubList => "directory-list",
            Kind::Home => "university-home",
            Kind::Info | Kind::MarketInfo => "info",
            Kind::Partners => "partners",
            Kind::NewsList => "news-list",
            Kind::News => "news",
            Kind::DeptHome => "department-home",
            Kind::CourseIndex => "catalogue",
            Kind::TermList => "course-list",
            Kind::CourseHome => "course-home",
            Kind::Syllabus => "syllabus",
            Kind::Lecture => "lecture-notes",
            Kind::Assignment => "assignment",
            Kind::FacultyList => "faculty-list",
            Kind::StudentList => "student-list",
            Kind::Faculty => "faculty-home",
            Kind::Publications => "publications",
            Kind::Student => "student-home",
            Kind::ProjectList => "project-list",
            Kind::Project => "project",
            Kind::MarketHome if is_jobs() => "job-board-home",
            Kind::MarketHome => "shop-home",
            Kind::Category if is_jobs() => "job-list",
            Kind::Category => "product-list",
            Kind::Item if is_jobs() => "job-offer",
            Kind::Item => "product",
            Kind::Seller if is_jobs() => "employer",
            Kind::Seller => "brand",
        }
    }
}
