//! People and research: lists of names, home pages, publications, projects.

use super::page::{Kind, Page};
use super::shape::{FACULTY_PER_LIST, STUDENTS_PER_LIST};
use super::teaching::SECTIONS;
use super::writer::{CampusDesign, CampusWriter};
use crate::text::Prose;
use crate::writer::PageContext;

impl CampusWriter<'_> {
    pub(super) fn faculty_list(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let first = page.a * FACULTY_PER_LIST;
        self.bullets(
            "ul",
            "people",
            first..(first + FACULTY_PER_LIST).min(department.faculty),
            |out, who| {
                out.link(page.to(Kind::Faculty, who), &out.teacher(page.dept, who), "who");
                let about = department.faculty_about(who);
                if out.dice.of("field").at(who.into()).chance(0.6) {
                    let field = out.label(about.main).to_lowercase();
                    out.text(&format!(", {field}"));
                }
            },
        );
        self.pager(Kind::FacultyList, department.faculty.div_ceil(FACULTY_PER_LIST));
        self.link(page.to(Kind::StudentList, 0), self.say("Graduate students", "研究生"), "more");
    }

    pub(super) fn student_list(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let first = page.a * STUDENTS_PER_LIST;
        self.bullets(
            "ul",
            "people",
            first..(first + STUDENTS_PER_LIST).min(department.students),
            |out, who| {
                out.link(page.to(Kind::Student, who), &out.student(page.dept, who), "who");
            },
        );
        self.pager(Kind::StudentList, department.students.div_ceil(STUDENTS_PER_LIST));
    }

    /// Earlier and later pages of a list.
    pub(super) fn pager(&mut self, kind: Kind, count: u32) {
        let page = self.page;
        self.steps("p", (page.a, count, 2), |out, a, number| {
            out.link(Page { a, kind, ..page }, number, "step")
        });
    }

    /// Someone's home page: interests, teaching, students, projects.
    pub(super) fn faculty(&mut self) {
        let (page, about) = (self.page, self.campus.shape.about(self.page));
        let Some(department) = self.grounds.department(page.dept) else { return };
        let prose = self.prose(about, 0.14);
        self.paragraph(&prose, "bio", self.dice.of("bio length").between(2, 8));
        let taught = department.taught_by(page.a);
        if !taught.is_empty() {
            self.section(self.say("Teaching", "讲授课程"), |out| {
                out.open("ul", "teaching");
                for (course, term) in taught {
                    out.open("li", "");
                    let code = out.course_code(page.dept, course);
                    let name = out.course_name(page.dept, course);
                    // Some link by what it is called, some by its number only.
                    let (text, rest) = match out.dice.of("by number").chance(0.3) {
                        true => (code, name),
                        false => (format!("{code} {name}"), String::new()),
                    };
                    out.link(page.offering(Kind::Syllabus, course, term), &text, "course");
                    let term = out.term_name(term);
                    out.text(&format!(" {rest} {term}"));
                    out.close("li");
                }
                out.close("ul");
            });
        }
        let projects: Vec<u32> = department.projects_of(page.a).collect();
        if !projects.is_empty() {
            self.section(self.say("Research", "研究方向"), |out| {
                out.paragraph(&prose, "research", 5);
                for project in projects {
                    let name = out.project_name(page.dept, project);
                    out.link(page.to(Kind::Project, project), &name, "project");
                    out.raw("<br>\n");
                }
            });
        }
        let students: Vec<u32> = department.students_of(page.a).take(12).collect();
        if !students.is_empty() && self.dice.of("students").chance(0.7) {
            self.section(self.say("Students", "学生"), |out| {
                for student in students {
                    out.link(page.to(Kind::Student, student), &out.student(page.dept, student), "who");
                    out.raw(if out.look == CampusDesign::Plain { "<br>\n" } else { ", " });
                }
            });
        }
        if department.has_publications(page.a) {
            self.link(page.to(Kind::Publications, page.a), self.say("Publications", "论文列表"), "more");
        }
        self.colleague();
    }

    /// Sometimes a colleague elsewhere who works on the same topic.
    fn colleague(&mut self) {
        let dice = self.dice.of("colleague");
        if !dice.chance(0.3) {
            return;
        }
        let shape = &self.campus.shape;
        let Some(about) = shape.about(self.page) else { return };
        let candidates = (0..6).map(|n| {
            let dice = dice.at(n);
            let site = shape.some_university(dice);
            let university = shape.university(site);
            let dept = dice.of("dept").below(university.departments.into()) as u32;
            let faculty = university.department(dept).faculty;
            Page { dept, a: dice.of("who").below(faculty.into()) as u32, ..Page::of(site, Kind::Faculty) }
        });
        let same = candidates
            .into_iter()
            .find(|page| shape.about(*page).is_some_and(|other| other.main == about.main));
        if let Some(page) = same {
            self.text(self.say("See also the work of our partners: ", "相关链接："));
            self.link_away(page, self.label(about.main), "outside");
        }
    }

    pub(super) fn publications(&mut self) {
        let prose = self.prose(self.campus.shape.about(self.page), 0.24);
        self.open("ol", "papers");
        for n in 0..self.dice.of("papers").long_tail(12.0, 60).max(2) {
            let dice = self.dice.of("paper").at(n);
            let title = self.title(&prose, dice);
            let author = crate::text::person_name(dice);
            self.open("li", "");
            self.text(&format!("{author}. "));
            self.element("i", "", &title);
            let year = 1994 + dice.of("year").below(17);
            let venue = dice.of("venue").pick(&[
                "Proc. of the Annual Conference",
                "Technical report",
                "Journal",
                "Workshop",
            ]);
            self.text(&format!(". {}, {year}.", venue.unwrap_or(&"Journal")));
            self.close("li");
        }
        self.close("ol");
        let page = self.page;
        self.link(page.to(Kind::Faculty, page.a), &self.teacher(page.dept, page.a), "up");
    }

    /// A student's page: hobbies, photos, friends, anything.
    pub(super) fn student_page(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let prose = self.prose(self.campus.shape.about(page), 0.16);
        self.paragraph(&prose, "me", self.dice.of("length").between(3, 10));
        let hobby = self.label(department.student_hobby(page.a));
        self.section(self.say("Favourite links", "我的收藏"), |out| {
            out.element("p", "", hobby);
            for n in 0..out.dice.of("friends").below(6) {
                let friend = out.dice.of("friend").at(n).below(department.students.into()) as u32;
                out.link(page.to(Kind::Student, friend), &out.student(page.dept, friend), "who");
                out.raw("<br>\n");
            }
        });
        let advisor = department.advisor(page.a);
        self.text(self.say("Advisor: ", "导师："));
        self.link(page.to(Kind::Faculty, advisor), &self.teacher(page.dept, advisor), "who");
        // Courses that they sat in: a way to syllabi that lists do not show.
        let dice = self.dice.of("took");
        let (course, term) = (
            dice.of("course").below(department.courses.into()) as u32,
            dice.of("term").below(department.terms.into()),
        );
        if department.is_offered(course, term as u32) && dice.chance(0.4) {
            self.text(self.say(" Taking: ", " 选修："));
            let name = self.course_name(page.dept, course);
            self.link(page.offering(Kind::Syllabus, course, term as u32), &name, "course");
        }
    }

    pub(super) fn project_name(&self, dept: u32, project: u32) -> String {
        let Some(department) = self.grounds.department(dept) else { return String::new() };
        let prose = Prose::of(self.language(), vec![(department.project_about(project).main, 0.3)]);
        self.title(&prose, department.dice.of("project name").at(project.into()))
    }

    pub(super) fn project_list(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        for project in 0..department.projects {
            let name = self.project_name(page.dept, project);
            self.section(self.label(department.project_about(project).main), |out| {
                out.link(page.to(Kind::Project, project), &name, "project");
            });
        }
    }

    /// Research on a topic: its words, not the genre of a course.
    pub(super) fn project(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let prose = self.prose(self.campus.shape.about(page), 0.22);
        for n in 0..self.dice.of("paragraphs").between(2, 5) {
            let sentences = self.dice.of("sentences").at(n).between(4, 9);
            self.paragraph(&prose, SECTIONS.get(n as usize).copied().unwrap_or("more"), sentences);
        }
        let leader = department.project_leader(page.a);
        self.section(self.say("People", "成员"), |out| {
            out.link(page.to(Kind::Faculty, leader), &out.teacher(page.dept, leader), "who");
        });
    }

    /// What people like to link from their pages: long lists on a few, none on most.
    pub(super) fn bookmarks(&mut self) {
        let (page, dice) = (self.page, self.dice.of("bookmarks"));
        let has_some = matches!(
            page.kind,
            Kind::Faculty | Kind::Student | Kind::Lecture | Kind::CourseHome | Kind::Project
        );
        let (Some(department), Some(university)) =
            (self.grounds.department(page.dept), self.grounds.university())
        else {
            return;
        };
        if !has_some || !dice.chance(0.3) {
            return;
        }
        self.open("ul", "links");
        for n in 0..dice.of("n").long_tail(5.0, 40) {
            let dice = dice.at(n);
            let below = |count: u32| dice.of("which").below(count.into()) as u32;
            let (to, text) = match dice.of("what").below(4) {
                0 => {
                    let student = below(department.students);
                    (page.to(Kind::Student, student), self.student(page.dept, student))
                }
                1 => {
                    let teacher = below(department.faculty);
                    (page.to(Kind::Faculty, teacher), self.teacher(page.dept, teacher))
                }
                2 => {
                    let project = below(department.projects);
                    (page.to(Kind::Project, project), self.project_name(page.dept, project))
                }
                _ => {
                    let news = below(university.news);
                    (
                        Page { dept: 0, ..page.to(Kind::News, news) },
                        self.say("News of the day", "新闻").to_owned(),
                    )
                }
            };
            self.open("li", "");
            self.link(to, &text, "");
            self.close("li");
        }
        self.close("ul");
    }
}
