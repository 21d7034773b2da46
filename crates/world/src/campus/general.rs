//! A university's general pages: home pages, news, partners, and the directory of all sites.

use super::address::INFOS;
use super::page::{Kind, Page};
use super::shape::{NEWS_PER_LIST, SITES_PER_LIST, SiteKind};
use super::teaching::SECTIONS;
use super::writer::CampusWriter;
use crate::text::{Prose, TopicId, topics};
use crate::writer::{PageContext, capitalised};

impl CampusWriter<'_> {
    pub(super) fn hub_home(&mut self) {
        self.paragraph(&Prose::background(self.language()), "welcome", 6);
        self.bullets("ul", "", 0..self.campus.shape.hub_lists(), |out, a| {
            out.link(Page { a, ..Page::of(0, Kind::HubList) }, &format!("Members, part {}", a + 1), "");
        });
    }

    pub(super) fn hub_list(&mut self) {
        let first = self.page.a * SITES_PER_LIST;
        self.bullets(
            "ul",
            "members",
            first..(first + SITES_PER_LIST).min(self.campus.shape.sites),
            |out, site| {
                out.site_link(site);
            },
        );
        self.pager(Kind::HubList, self.campus.shape.hub_lists());
    }

    /// A link to another site's start page, by its name.
    fn site_link(&mut self, site: u32) {
        let kind = match self.campus.shape.kind(site) {
            SiteKind::University => Kind::Home,
            SiteKind::Jobs | SiteKind::Shop => Kind::MarketHome,
        };
        let name = super::address::Grounds::new(&self.campus.shape, site).name;
        self.link_away(Page::of(site, kind), &capitalised(&name), "site");
    }

    pub(super) fn home(&mut self) {
        let page = self.page;
        let Some(university) = self.grounds.university() else { return };
        self.paragraph(&Prose::background(self.language()), "welcome", 6);
        self.section(self.say("Departments", "院系设置"), |out| {
            out.open("ul", "departments");
            for dept in 0..university.departments {
                out.open("li", "");
                let name = out.department_name(dept);
                out.link(Page { dept, ..page.to(Kind::DeptHome, 0) }, &name, "");
                out.close("li");
            }
            out.close("ul");
        });
        self.section(self.say("News", "新闻"), |out| {
            for a in 0..university.news.min(5) {
                let title = out.news_title(a);
                out.link(page.to(Kind::News, a), &title, "news");
                out.raw("<br>\n");
            }
        });
        self.section(self.say("About us", "学校概况"), |out| {
            for (a, name) in (0..university.infos).zip(INFOS) {
                out.link(page.to(Kind::Info, a), &capitalised(name), "");
                out.raw(" ");
            }
            out.link(page.to(Kind::Partners, 0), out.say("Partners and links", "友情链接"), "");
        });
        // Many home pages have a box with current courses.
        let (dept, dice) =
            (self.dice.of("dept").below(university.departments.into()) as u32, self.dice.of("box"));
        let Some(department) = self.grounds.department(dept) else { return };
        let term = dice.of("term").below(department.terms.into()) as u32;
        let featured: Vec<u32> = department.offered(term).take(4).collect();
        if dice.chance(0.4) && !featured.is_empty() {
            self.section(self.say("Featured courses", "精品课程"), |out| {
                for course in featured {
                    let name = out.course_name(dept, course);
                    out.link(Page { dept, ..page }.offering(Kind::Syllabus, course, term), &name, "course");
                    out.raw("<br>\n");
                }
            });
        }
    }

    pub(super) fn info(&mut self) {
        let topic = self.dice.of("topic").below(topics().len() as u64) as u16;
        let prose = Prose::of(self.language(), vec![(TopicId(topic), 0.04)]);
        for n in 0..self.dice.of("paragraphs").between(2, 6) {
            let sentences = self.dice.of("sentences").at(n).between(3, 8);
            self.paragraph(&prose, SECTIONS.get(n as usize).copied().unwrap_or("more"), sentences);
        }
        // Careers offices send their students to job boards, libraries to book shops.
        let name = INFOS.get(self.page.a as usize).copied().unwrap_or("");
        let market = match name {
            "careers" | "alumni" => Some(SiteKind::Jobs),
            "library" | "computing" => Some(SiteKind::Shop),
            _ => None,
        };
        if let Some(kind) = market.filter(|_| self.page.kind == Kind::Info) {
            let site = self.campus.shape.some_market(kind, self.dice.of("market"));
            self.site_link(site);
        }
    }

    /// Other universities: always the next one, so that all can be reached; some nearby, some anywhere.
    pub(super) fn partners(&mut self) {
        let (page, shape) = (self.page, &self.campus.shape);
        let sites = u64::from(shape.sites);
        let near =
            |n: u64| ((u64::from(page.site) + 1 + self.dice.of("near").at(n).below(12)) % sites) as u32;
        let mut others = vec![(page.site + 1) % shape.sites];
        others.extend((0..3).map(near));
        others.extend(
            (0..self.dice.of("far").between(1, 4)).map(|n| shape.some_university(self.dice.of("far").at(n))),
        );
        self.bullets("ul", "partners", others, |out, site| {
            out.site_link(site);
        });
        self.link(Page::of(0, Kind::HubHome), "Directory of all members", "hub");
    }

    /// News items are about one of a department's topics or about none.
    fn news_prose(&self, news: u32) -> Prose {
        let dice = self.campus.shape.site_dice(self.page.site).of("news").at(news.into());
        let topic = TopicId(dice.of("topic").zipf(topics().len() as u64, 0.3) as u16);
        let share = if dice.chance(0.6) { 0.12 } else { 0.02 };
        Prose::of(self.language(), vec![(topic, share)])
    }

    fn news_title(&self, news: u32) -> String {
        let dice = self.campus.shape.site_dice(self.page.site).of("news title").at(news.into());
        self.title(&self.news_prose(news), dice)
    }

    pub(super) fn news_list(&mut self) {
        let page = self.page;
        let Some(university) = self.grounds.university() else { return };
        let first = page.a * NEWS_PER_LIST;
        for a in first..(first + NEWS_PER_LIST).min(university.news) {
            let title = self.news_title(a);
            self.open("div", "item");
            self.link(page.to(Kind::News, a), &title, "news");
            if self.dice.of("teaser").chance(0.5) {
                let text = self.news_prose(a).sentence_text(self.dice.of("teaser").at(a.into()));
                self.element("p", "", &text);
            }
            self.close("div");
        }
        self.pager(Kind::NewsList, university.news_lists());
    }

    pub(super) fn news(&mut self) {
        let page = self.page;
        let prose = self.news_prose(page.a);
        for n in 0..self.dice.of("paragraphs").between(2, 5) {
            let sentences = self.dice.of("sentences").at(n).between(3, 8);
            self.paragraph(&prose, SECTIONS.get(n as usize).copied().unwrap_or("more"), sentences);
        }
        let university = self.grounds.university();
        for other in [page.a.checked_sub(1), Some(page.a + 1)].into_iter().flatten() {
            if university.is_some_and(|university| other < university.news) {
                let title = self.news_title(other);
                self.link(page.to(Kind::News, other), &title, "news");
                self.raw("<br>\n");
            }
        }
    }

    /// The title of a page of this file or of [`super::people`] and [`super::teaching`].
    pub(super) fn heading(&self) -> String {
        let Page { kind, dept, a, b, c, .. } = self.page;
        let department = || self.department_name(dept);
        let course = || format!("{} {}", self.course_code(dept, a), self.course_name(dept, a));
        match kind {
            Kind::HubHome => "Directory of campuses".to_owned(),
            Kind::HubList => format!("Members, part {}", a + 1),
            Kind::Home => self.site_name(),
            Kind::Info => INFOS.get(a as usize).map_or_else(String::new, |name| capitalised(name)),
            Kind::Partners => self.say("Partners", "友情链接").to_owned(),
            Kind::NewsList => format!("{} {}", self.say("News", "新闻"), a + 1),
            Kind::News => self.news_title(a),
            Kind::DeptHome => department(),
            Kind::CourseIndex => format!("{} - {}", self.say("Courses", "课程"), department()),
            Kind::TermList => format!("{} {}", self.say("Courses,", "课程"), self.term_name(b)),
            Kind::CourseHome => course(),
            Kind::Syllabus if self.dice.of("says so").chance(0.35) => {
                format!("{}: {}", course(), self.say("Syllabus", "教学大纲"))
            }
            Kind::Syllabus => format!("{}, {}", course(), self.term_name(b)),
            Kind::Lecture => format!("{} {}", self.say("Lecture", "讲义"), c + 1),
            Kind::Assignment => format!("{} {}", self.say("Problem set", "作业"), c + 1),
            Kind::FacultyList => format!("{} - {}", self.say("Faculty", "师资"), department()),
            Kind::StudentList => format!("{} - {}", self.say("Students", "学生"), department()),
            Kind::Faculty => self.teacher(dept, a),
            Kind::Publications => {
                format!("{} - {}", self.say("Publications", "论文列表"), self.teacher(dept, a))
            }
            Kind::Student => format!("{} {}", self.student(dept, a), self.say("'s page", "的主页")),
            Kind::ProjectList => format!("{} - {}", self.say("Research", "科研"), department()),
            Kind::Project => self.project_name(dept, a),
            Kind::MarketHome | Kind::Category | Kind::Item | Kind::Seller | Kind::MarketInfo => {
                self.market_heading()
            }
        }
    }

    pub(super) fn department_home(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let topic = department.course_about(0);
        let prose = self.prose(Some(topic), 0.08);
        self.paragraph(&prose, "welcome", 6);
        self.open("ul", "links");
        let latest = self.dice.of("terms").between(1, department.terms.into()) as u32;
        let terms = (0..latest).map(|term| (page.offering(Kind::TermList, 0, term), self.term_name(term)));
        let links = [
            (page.to(Kind::CourseIndex, 0), self.say("Courses", "课程").to_owned()),
            (page.to(Kind::FacultyList, 0), self.say("Faculty", "教师").to_owned()),
            (page.to(Kind::StudentList, 0), self.say("Students", "学生").to_owned()),
            (page.to(Kind::ProjectList, 0), self.say("Research projects", "科研项目").to_owned()),
        ];
        for (to, text) in terms.chain(links).collect::<Vec<_>>() {
            self.open("li", "");
            self.link(to, &text, "");
            self.close("li");
        }
        self.close("ul");
        for project in 0..department.projects.min(3) {
            let name = self.project_name(page.dept, project);
            self.link(page.to(Kind::Project, project), &name, "project");
            self.raw("<br>\n");
        }
    }
}
