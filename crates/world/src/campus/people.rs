//! People and research: lists of names, home pages, publications, projects.

use super::page::{Kind, Page};
use super::shape::{FACULTY_PER_LIST, STUDENTS_PER_LIST};
use super::sheet::{Look, Sheet};
use super::teaching::SECTIONS;
use crate::text::Prose;

impl Sheet<'_> {
    pub(super) fn faculty_list(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let first = page.a * FACULTY_PER_LIST;
        self.html.open("ul", &[("class", "people")]);
        for who in first..(first + FACULTY_PER_LIST).min(department.faculty) {
            self.html.open("li", &[]);
            self.link(page.to(Kind::Faculty, who), &self.teacher(page.dept, who), "who");
            let about = department.faculty_about(who);
            if self.place.of("field").at(who.into()).chance(0.6) {
                let field = self.label(about.main).to_lowercase();
                self.html.text(&format!(", {field}"));
            }
            self.html.close("li");
        }
        self.html.close("ul");
        self.steps(Kind::FacultyList, department.faculty.div_ceil(FACULTY_PER_LIST));
        self.link(page.to(Kind::StudentList, 0), self.say("Graduate students", "研究生"), "more");
    }

    pub(super) fn student_list(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let first = page.a * STUDENTS_PER_LIST;
        self.html.open("ul", &[("class", "people")]);
        for who in first..(first + STUDENTS_PER_LIST).min(department.students) {
            self.html.open("li", &[]);
            self.link(page.to(Kind::Student, who), &self.student(page.dept, who), "who");
            self.html.close("li");
        }
        self.html.close("ul");
        self.steps(Kind::StudentList, department.students.div_ceil(STUDENTS_PER_LIST));
    }

    /// Earlier and later pages of a list.
    pub(super) fn steps(&mut self, kind: Kind, count: u32) {
        let page = self.page;
        if count < 2 {
            return;
        }
        self.html.open("p", &[("class", "pager")]);
        for a in (0..count).filter(|a| a.abs_diff(page.a) <= 2 || *a == 0 || *a + 1 == count) {
            if a == page.a {
                self.html.element("b", &[], &(a + 1).to_string());
            } else {
                self.link(Page { a, kind, ..page }, &(a + 1).to_string(), "step");
            }
            self.html.raw(" ");
        }
        self.html.close("p");
    }

    /// Someone's home page: interests, teaching, students, projects.
    pub(super) fn faculty(&mut self) {
        let (page, about) = (self.page, self.campus.shape.about(self.page));
        let Some(department) = self.grounds.department(page.dept) else { return };
        let prose = self.prose(about, 0.14);
        self.paragraph(&prose, "bio", self.place.of("bio length").between(2, 8));
        let taught = department.taught_by(page.a);
        if !taught.is_empty() {
            self.section(self.say("Teaching", "讲授课程"), |sheet| {
                sheet.html.open("ul", &[("class", "teaching")]);
                for (course, term) in taught {
                    sheet.html.open("li", &[]);
                    let code = sheet.course_code(page.dept, course);
                    let name = sheet.course_name(page.dept, course);
                    // Some link by what it is called, some by its number only.
                    let (text, rest) = match sheet.place.of("by number").chance(0.3) {
                        true => (code, name),
                        false => (format!("{code} {name}"), String::new()),
                    };
                    sheet.link(page.offering(Kind::Syllabus, course, term), &text, "course");
                    let term = sheet.term_name(term);
                    sheet.html.text(&format!(" {rest} {term}"));
                    sheet.html.close("li");
                }
                sheet.html.close("ul");
            });
        }
        let projects: Vec<u32> = department.projects_of(page.a).collect();
        if !projects.is_empty() {
            self.section(self.say("Research", "研究方向"), |sheet| {
                sheet.paragraph(&prose, "research", 5);
                for project in projects {
                    let name = sheet.project_name(page.dept, project);
                    sheet.link(page.to(Kind::Project, project), &name, "project");
                    sheet.html.raw("<br>\n");
                }
            });
        }
        let students: Vec<u32> = department.students_of(page.a).take(12).collect();
        if !students.is_empty() && self.place.of("students").chance(0.7) {
            self.section(self.say("Students", "学生"), |sheet| {
                for student in students {
                    sheet.link(page.to(Kind::Student, student), &sheet.student(page.dept, student), "who");
                    sheet.html.raw(if sheet.look == Look::Plain { "<br>\n" } else { ", " });
                }
            });
        }
        if department.has_publications(page.a) {
            self.link(page.to(Kind::Publications, page.a), self.say("Publications", "论文列表"), "more");
        }
        self.colleague();
    }

    /// Now and then a colleague elsewhere who works on the same.
    fn colleague(&mut self) {
        let dice = self.place.of("colleague");
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
            self.html.text(self.say("See also the work of our partners: ", "相关链接："));
            self.link_away(page, self.label(about.main), "outside");
        }
    }

    pub(super) fn publications(&mut self) {
        let prose = self.prose(self.campus.shape.about(self.page), 0.24);
        self.html.open("ol", &[("class", "papers")]);
        for n in 0..self.place.of("papers").long_tail(12.0, 60).max(2) {
            let dice = self.place.of("paper").at(n);
            let title = self.title(&prose, dice);
            let mut author = String::new();
            crate::text::person(dice, &mut author);
            self.html.open("li", &[]);
            self.html.text(&format!("{author}. "));
            self.html.element("i", &[], &title);
            let year = 1994 + dice.of("year").below(17);
            let venue = dice.of("venue").pick(&[
                "Proc. of the Annual Conference",
                "Technical report",
                "Journal",
                "Workshop",
            ]);
            self.html.text(&format!(". {}, {year}.", venue.unwrap_or(&"Journal")));
            self.html.close("li");
        }
        self.html.close("ol");
        let page = self.page;
        self.link(page.to(Kind::Faculty, page.a), &self.teacher(page.dept, page.a), "up");
    }

    /// A student's page: hobbies, photos, friends, anything.
    pub(super) fn student_page(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let prose = self.prose(self.campus.shape.about(page), 0.16);
        self.paragraph(&prose, "me", self.place.of("length").between(3, 10));
        let hobby = self.label(department.student_hobby(page.a));
        self.section(self.say("Favourite links", "我的收藏"), |sheet| {
            sheet.html.element("p", &[], hobby);
            for n in 0..sheet.place.of("friends").below(6) {
                let friend = sheet.place.of("friend").at(n).below(department.students.into()) as u32;
                sheet.link(page.to(Kind::Student, friend), &sheet.student(page.dept, friend), "who");
                sheet.html.raw("<br>\n");
            }
        });
        let advisor = department.advisor(page.a);
        self.html.text(self.say("Advisor: ", "导师："));
        self.link(page.to(Kind::Faculty, advisor), &self.teacher(page.dept, advisor), "who");
        // Courses that they sat in: a way to syllabi that lists do not show.
        let dice = self.place.of("took");
        let (course, term) = (
            dice.of("course").below(department.courses.into()) as u32,
            dice.of("term").below(department.terms.into()),
        );
        if department.is_offered(course, term as u32) && dice.chance(0.4) {
            self.html.text(self.say(" Taking: ", " 选修："));
            let name = self.course_name(page.dept, course);
            self.link(page.offering(Kind::Syllabus, course, term as u32), &name, "course");
        }
    }

    pub(super) fn project_name(&self, dept: u32, project: u32) -> String {
        let Some(department) = self.grounds.department(dept) else { return String::new() };
        let prose =
            Prose { language: self.language(), mixture: vec![(department.project_about(project).main, 0.3)] };
        self.title(&prose, department.dice.of("project name").at(project.into()))
    }

    pub(super) fn project_list(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        for project in 0..department.projects {
            let name = self.project_name(page.dept, project);
            self.section(self.label(department.project_about(project).main), |sheet| {
                sheet.link(page.to(Kind::Project, project), &name, "project");
            });
        }
    }

    /// Research on a topic: its words, not the genre of a course.
    pub(super) fn project(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let prose = self.prose(self.campus.shape.about(page), 0.22);
        for n in 0..self.place.of("paragraphs").between(2, 5) {
            let sentences = self.place.of("sentences").at(n).between(4, 9);
            self.paragraph(&prose, SECTIONS.get(n as usize).copied().unwrap_or("more"), sentences);
        }
        let leader = department.project_leader(page.a);
        self.section(self.say("People", "成员"), |sheet| {
            sheet.link(page.to(Kind::Faculty, leader), &sheet.teacher(page.dept, leader), "who");
        });
    }

    /// What people like to link from their pages: long lists on a few, none on most.
    pub(super) fn bookmarks(&mut self) {
        let (page, dice) = (self.page, self.place.of("bookmarks"));
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
        self.html.open("ul", &[("class", "links")]);
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
            self.html.open("li", &[]);
            self.link(to, &text, "");
            self.html.close("li");
        }
        self.html.close("ul");
    }
}
