//! Every page of the campuses as five small numbers, which of them exist, and the truth about them.

use super::shape::{
    About, Department, FACULTY_PER_LIST, ITEMS_PER_LIST, Market, SITES_PER_LIST, STUDENTS_PER_LIST, Shape,
    SiteKind, University,
};
use crate::Truth;
use crate::text::topics;
use osprey_model::PageType;

/// A row of the table of templates.
pub(super) struct Template {
    page_type: PageType,
    /// The template's name; at shops after the bar.
    name: &'static str,
    /// Its addresses on sites with hand-written pages.
    pub(super) by_hand: &'static str,
    /// Its addresses on sites with descriptive URLs.
    pub(super) speaking: &'static str,
    /// The section in query URLs, which does not distinguish a syllabus from an exercise.
    pub(super) section: &'static str,
}

macro_rules! templates {
    ($($kind:ident $page_type:ident $name:literal $by_hand:literal $speaking:literal $section:literal;)*) => {
        /// The templates.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Kind { $($kind),* }

        impl Kind {
            pub(super) const ALL: &'static [Self] = &[$(Self::$kind),*];

            pub(super) fn row(self) -> &'static Template {
                match self {
                    $(Self::$kind => &Template {
                        page_type: PageType::$page_type,
                        name: $name,
                        by_hand: $by_hand,
                        speaking: $speaking,
                        section: $section,
                    },)*
                }
            }
        }
    };
}

templates! {
    HubHome      Other   "directory-home"   "/"                                       "/"                                          "info";
    HubList      List    "directory-list"   "/"                                       "/"                                          "info";
    Home         Other   "university-home"  "/"                                       "/"                                          "info";
    Info         Other   "info"             "/{info}.html"                            "/{info}"                                    "info";
    Partners     List    "partners"         "/links.html"                             "/about/partners"                            "info";
    NewsList     List    "news-list"        "/news/index{a}.html"                     "/news/page/{a}"                             "news";
    News         Detail  "news"             "/news/{a}.html"                          "/news/story-{a}"                            "news";
    DeptHome     Other   "department-home"  "/"                                       "/"                                          "info";
    CourseIndex  List    "catalogue"        "/Info/Courses/"                          "/courses"                                   "teaching";
    TermList     List    "course-list"      "/Info/Courses/{term}/"                   "/courses/{term}"                            "teaching";
    CourseHome   Other   "course-home"      "/Info/Courses/{term}/{no}/"              "/courses/{term}/{no}-{slug}"                "teaching";
    Syllabus     Detail  "syllabus"         "/Info/Courses/{term}/{no}/syllabus.html" "/courses/{term}/{no}-{slug}/syllabus"       "teaching";
    Lecture      Detail  "lecture-notes"    "/Info/Courses/{term}/{no}/lect{c}.html"  "/courses/{term}/{no}-{slug}/lecture/{c}"    "teaching";
    Assignment   Detail  "assignment"       "/Info/Courses/{term}/{no}/hw{c}.html"    "/courses/{term}/{no}-{slug}/assignment/{c}" "teaching";
    FacultyList  List    "faculty-list"     "/Info/Faculty/list{a}.html"              "/people/faculty/{a}"                        "people";
    StudentList  List    "student-list"     "/Info/Students/list{a}.html"             "/people/students/{a}"                       "people";
    Faculty      Profile "faculty-home"     "/~{who}/"                                "/people/{who}"                              "people";
    Publications Other   "publications"     "/~{who}/papers.html"                     "/people/{who}/publications"                 "people";
    Student      Profile "student-home"     "/~{stu}/"                                "/people/{stu}"                              "people";
    ProjectList  List    "project-list"     "/Info/Projects/"                         "/research"                                  "research";
    Project      Detail  "project"          "/Info/Projects/{a}/"                     "/research/{a}-{slug}"                       "research";
    MarketHome   Other   "job-board-home|shop-home" "/"                               "/"                                          "info";
    Category     List    "job-list|product-list"    "/list{b}_{a}.html"               "/browse/{slug}/{b}/{a}"                     "offers";
    Item         Detail  "job-offer|product"        "/item{a}.html"                   "/offer/{a}-{slug}"                          "offers";
    Seller       Profile "employer|brand"   "/who{a}.html"                            "/by/{a}"                                    "offers";
    MarketInfo   Other   "info"             "/help{a}.html"                           "/pages/{a}"                                 "info";
}

impl Kind {
    /// Whether it belongs to a department.
    pub(super) fn is_of_department(self) -> bool {
        (Self::DeptHome as u8..=Self::Project as u8).contains(&(self as u8))
    }

    fn is_of_market(self) -> bool {
        self as u8 >= Self::MarketHome as u8
    }
}

/// A page: a template and its parameters. Those that a template does not use are 0.
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

    /// All numbers but the site, combined into one below 2^[`CODE_BITS`], for opaque ids.
    pub(super) fn code(self) -> u64 {
        let fields = [(self.kind as u32, 5), (self.dept, 4), (self.a, 19), (self.b, 4), (self.c, 8)];
        fields
            .into_iter()
            .fold(0, |code, (field, bits)| (code << bits) | (u64::from(field) & ((1 << bits) - 1)))
    }

    /// The inverse of [`Page::code`].
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

/// What a university has of its own, and what its departments have, in the order of the list of all pages.
const OF_UNIVERSITY: [Kind; 5] = [Kind::Home, Kind::Partners, Kind::Info, Kind::NewsList, Kind::News];
const OF_DEPARTMENT: [Kind; 9] = [
    Kind::DeptHome,
    Kind::CourseIndex,
    Kind::ProjectList,
    Kind::FacultyList,
    Kind::StudentList,
    Kind::Faculty,
    Kind::Student,
    Kind::Project,
    Kind::Publications,
];
const OF_MARKET: [Kind; 4] = [Kind::MarketHome, Kind::MarketInfo, Kind::Seller, Kind::Item];

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
        let (university, home) = (self.university(site), Page::of(site, Kind::Home));
        for kind in OF_UNIVERSITY {
            pages.extend((0..university.count(kind)).map(|a| home.to(kind, a)));
        }
        for dept in 0..university.departments {
            let (department, home) = (university.department(dept), Page { dept, ..home });
            for kind in OF_DEPARTMENT {
                let all = (0..department.count(kind)).filter(|a| department.has(kind, *a));
                pages.extend(all.map(|a| home.to(kind, a)));
            }
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
        let (market, home) = (self.market(site), Page::of(site, Kind::MarketHome));
        for kind in OF_MARKET {
            pages.extend((0..market.count(kind, 0)).map(|a| home.to(kind, a)));
        }
        for b in 0..market.categories() {
            pages.extend((0..market.count(Kind::Category, b)).map(|a| Page {
                a,
                b,
                ..home.to(Kind::Category, 0)
            }));
        }
    }

    /// Whether the page that was read from a URL exists.
    pub(super) fn exists(&self, page: Page) -> bool {
        let Page { site, kind, dept, a, b, c } = page;
        let is_plain = (dept, b, c) == (0, 0, 0);
        match kind {
            Kind::HubHome => return site == 0 && a == 0 && is_plain,
            Kind::HubList => return site == 0 && a < self.hub_lists() && is_plain,
            _ if site >= self.sites => return false,
            _ if kind.is_of_market() != (self.kind(site) != SiteKind::University) => return false,
            _ if kind.is_of_market() => {
                let market = self.market(site);
                let is_category = kind == Kind::Category && b < market.categories();
                return (dept, c) == (0, 0) && (b == 0 || is_category) && a < market.count(kind, b);
            }
            _ => {}
        }
        let university = self.university(site);
        if !kind.is_of_department() {
            return is_plain && a < university.count(kind);
        }
        if dept >= university.departments {
            return false;
        }
        let department = university.department(dept);
        let is_offered = || a < department.courses && b < department.terms && department.is_offered(a, b);
        match kind {
            Kind::TermList => b < department.terms && (a, c) == (0, 0),
            Kind::Syllabus => c == 0 && is_offered(),
            Kind::CourseHome => c == 0 && department.has_course_homes() && is_offered(),
            Kind::Lecture => is_offered() && c < department.lectures(a, b),
            Kind::Assignment => is_offered() && c < department.assignments(a, b),
            _ => (b, c) == (0, 0) && a < department.count(kind) && department.has(kind, a),
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
            page_type: page.kind.row().page_type,
            template: self.template(page).to_owned(),
            user_created: page.kind == Kind::Student,
            topics: names.collect(),
            ..Truth::default()
        }
    }

    fn template(&self, page: Page) -> &'static str {
        let name = page.kind.row().name;
        let (at_jobs, at_shops) = name.split_once('|').unwrap_or((name, name));
        if self.kind(page.site) == SiteKind::Shop { at_shops } else { at_jobs }
    }
}

impl University {
    /// How many pages of this kind it has.
    fn count(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Info => self.infos,
            Kind::NewsList => self.news_lists(),
            Kind::News => self.news,
            _ => 1,
        }
    }
}

impl Department {
    /// How many pages it has of a kind that one number identifies.
    fn count(&self, kind: Kind) -> u32 {
        match kind {
            Kind::FacultyList => self.faculty.div_ceil(FACULTY_PER_LIST),
            Kind::StudentList => self.students.div_ceil(STUDENTS_PER_LIST),
            Kind::Faculty | Kind::Publications => self.faculty,
            Kind::Student => self.students,
            Kind::Project => self.projects,
            _ => 1,
        }
    }

    /// Whether this page exists: not all people publish.
    fn has(&self, kind: Kind, a: u32) -> bool {
        kind != Kind::Publications || self.has_publications(a)
    }
}

impl Market {
    /// How many pages it has of a kind, in a category.
    fn count(&self, kind: Kind, category: u32) -> u32 {
        match kind {
            Kind::Category => (self.category(category).len() as u32).div_ceil(ITEMS_PER_LIST).max(1),
            Kind::MarketInfo => self.infos,
            Kind::Seller => self.sellers,
            Kind::Item => self.items,
            _ => 1,
        }
    }
}
