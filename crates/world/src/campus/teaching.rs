//! Teaching: catalogues, lists of a term, course pages, and the syllabi that the crawlers of de Assis et al. 2009 look
//! for.
//!
//! Around each syllabus are pages that share its content (notes, exercises) or its genre words (the catalogue with
//! credits and prerequisites, course home pages that link "Grading"), so neither alone finds it.

use super::address::{course_number, term};
use super::forms::{Label, Part, course_title, phrase};
use super::page::{Kind, Page};
use super::shape::{About, CourseStyle, SiteKind};
use super::writer::{CampusDesign, CampusWriter};
use crate::Dice;
use crate::text::{Language, Prose};
use crate::writer::PageContext;

impl CampusWriter<'_> {
    /// The title of a course of this department.
    pub(super) fn course_name(&self, dept: u32, course: u32) -> String {
        let Some(department) = self.grounds.department(dept) else { return String::new() };
        let about = department.course_about(course);
        let dice = department.dice.of("course name").at(course.into());
        course_title(
            self.language(),
            self.label(about.main),
            about.second.map(|second| self.label(second)),
            dice,
        )
    }

    /// `CS 415`.
    pub(super) fn course_code(&self, dept: u32, course: u32) -> String {
        let label = self.grounds.department_label(dept).to_uppercase();
        let short = label.get(..4).unwrap_or(&label);
        format!("{short} {}", course_number(course))
    }

    pub(super) fn term_name(&self, index: u32) -> String {
        let (year, half) = term(index);
        match (self.is_chinese(), half) {
            (true, 0) => format!("{year}年春季学期"),
            (true, _) => format!("{year}年秋季学期"),
            (false, 0) => format!("Spring {year}"),
            (false, _) => format!("Fall {year}"),
        }
    }

    /// All courses, with two lines each, and the way to the terms.
    pub(super) fn catalogue(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        self.element("h2", "", self.say("Courses by term", "按学期查看课程"));
        self.bullets("ul", "terms", 0..department.terms, |out, index| {
            out.link(page.offering(Kind::TermList, 0, index), &out.term_name(index), "term");
        });
        self.element("h2", "", self.say("Catalog", "课程目录"));
        for course in 0..department.courses.min(60) {
            let title =
                format!("{} {}", self.course_code(page.dept, course), self.course_name(page.dept, course));
            let prose = self.prose(Some(department.course_about(course)), 0.15);
            let place = self.dice.of("entry").at(course.into());
            self.open("p", "entry");
            self.element("b", "", &title);
            let credits =
                format!(" ({} {}) ", place.of("credits").between(2, 4), self.form.label(Label::Credits));
            self.text(&credits);
            let text = prose.sentence_text(place);
            self.text(&text);
            if place.of("needs").chance(0.5) {
                self.text(&format!(" {}: ", self.form.heading(Part::Prerequisites, place)));
                self.text(phrase(self.language(), Part::Prerequisites, place));
            }
            self.close("p");
        }
    }

    /// The courses of one term: the page whose children are siblings.
    pub(super) fn term_list(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let style = self.grounds.university().map_or(CourseStyle::Direct, |university| university.style);
        let is_table = matches!(self.look, CampusDesign::Table | CampusDesign::Blocks);
        self.raw(if is_table {
            "<table class=\"courses\" border=\"1\">\n"
        } else {
            "<ul class=\"courses\">\n"
        });
        for course in department.offered(page.b) {
            let (code, name) = (self.course_code(page.dept, course), self.course_name(page.dept, course));
            let teacher = department.instructor(course, page.b);
            self.raw(if is_table { "<tr><td>" } else { "<li>" });
            self.text(&code);
            self.raw(if is_table { "</td><td>" } else { ": " });
            match style {
                CourseStyle::Direct => {
                    self.link(page.offering(Kind::Syllabus, course, page.b), &name, "course")
                }
                CourseStyle::ViaHome => {
                    self.link(page.offering(Kind::CourseHome, course, page.b), &name, "course")
                }
                CourseStyle::ViaInstructor => self.text(&name),
            }
            self.raw(if is_table { "</td><td>" } else { ", " });
            self.link(page.to(Kind::Faculty, teacher), &self.teacher(page.dept, teacher), "who");
            self.raw(if is_table { "</td></tr>\n" } else { "\n" });
        }
        self.raw(if is_table { "</table>\n" } else { "</ul>\n" });
        for other in
            [page.b.checked_sub(1), Some(page.b + 1).filter(|b| *b < department.terms)].into_iter().flatten()
        {
            self.link(page.offering(Kind::TermList, 0, other), &self.term_name(other), "step");
            self.raw(" ");
        }
    }

    /// A course's own page: news of the course and links to its parts.
    pub(super) fn course_home(&mut self) {
        let (page, about) = (self.page, self.campus.shape.about(self.page));
        self.facts();
        let prose = self.prose(about, 0.12);
        self.section(self.say("Announcements", "通知"), |out| out.paragraph(&prose, "announcement", 5));
        self.open("ul", "parts");
        self.open("li", "");
        let dice = self.dice.of("name");
        let name = match self.language() {
            Language::English => {
                *dice.pick(&["Syllabus", "Course information", "Course outline"]).unwrap_or(&"Syllabus")
            }
            Language::Chinese => "教学大纲",
        };
        self.link(page.offering(Kind::Syllabus, page.a, page.b), name, "part");
        self.close("li");
        self.close("ul");
        self.materials();
        self.other_terms(Kind::CourseHome);
    }

    /// The syllabus. A few are so bare that their genre hardly shows.
    pub(super) fn syllabus(&mut self) {
        let (page, about) = (self.page, self.campus.shape.about(self.page));
        let Some(about) = about else { return };
        self.facts();
        let is_bare = self.dice.of("bare").chance(0.05);
        // Terms of one course share most of their text: the place is the course's, not the term's.
        let text =
            self.campus.shape.site_dice(page.site).of("syllabus").at(page.dept.into()).at(page.a.into());
        let prose = self.prose(Some(about), if is_bare { 0.12 } else { 0.2 });
        self.sections(|out| {
            let start = out.grounds.university().map_or(0, |u| u.dice.of("order").below(3)) as usize;
            for part in 0..Part::ALL.len() {
                let Some(part) = Part::ALL.get((part + start) % Part::ALL.len()).copied() else { continue };
                let dice = text.of("part").at(part as u64);
                let is_kept = if is_bare { part == Part::Topics } else { dice.chance(0.8) };
                if is_kept {
                    let heading = out.form.heading(part, text.of("heading").at(part as u64));
                    out.section(heading, |out| out.part(part, about, &prose, dice));
                }
            }
        });
        self.materials();
        self.other_terms(Kind::Syllabus);
    }

    fn part(&mut self, part: Part, about: About, prose: &Prose, dice: Dice) {
        let language = self.language();
        match part {
            Part::Grading => self.grading(dice),
            Part::Schedule => self.schedule(prose, dice),
            Part::Topics => {
                self.element("p", "", phrase(language, part, dice));
                self.open("ul", "");
                for n in 0..self.scaled(dice.of("n").between(6, 14)) {
                    let title = self.title(prose, dice.of("topic").at(n));
                    self.element("li", "", &title);
                }
                self.close("ul");
            }
            Part::Textbook => self.textbooks(about, prose, dice),
            Part::Office => {
                let hours = format!(
                    "{} {}:00-{}:00, ",
                    dice.of("day").pick(&["Mon", "Tue", "Wed", "Thu", "Fri"]).unwrap_or(&"Mon"),
                    dice.of("from").between(9, 12),
                    dice.of("to").between(13, 17),
                );
                self.text(&hours);
                self.text(phrase(language, part, dice));
            }
            Part::Prerequisites => {
                self.prerequisite(dice);
                self.text(phrase(language, part, dice));
            }
            Part::Description | Part::Objectives | Part::Policies => {
                self.open("p", "");
                self.text(phrase(language, part, dice));
                self.text(" ");
                let mut text = String::new();
                let sentences = self.scaled(dice.of("n").between(2, 6)) as usize;
                let background = Prose::background(language);
                let prose = if part == Part::Policies { &background } else { prose };
                prose.paragraph(dice.of("text"), sentences, &mut text);
                self.text(&text);
                self.close("p");
            }
        }
    }

    /// A course that this one builds on; half of the time as a link to its syllabus in the same term.
    fn prerequisite(&mut self, dice: Dice) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let Some(before) = page.a.checked_sub(1 + dice.of("before").below(3) as u32) else { return };
        let (code, name) = (self.course_code(page.dept, before), self.course_name(page.dept, before));
        if department.is_offered(before, page.b) && dice.of("link").chance(0.5) {
            self.link(page.offering(Kind::Syllabus, before, page.b), &format!("{code} {name}"), "");
        } else {
            self.text(&format!("{code} {name}"));
        }
        self.text(". ");
    }

    fn grading(&mut self, dice: Dice) {
        self.element("p", "", phrase(self.language(), Part::Grading, dice));
        self.open("ul", "weights");
        let graded = self.form.graded();
        let count = dice.of("n").between(3, 5);
        let mut left = 100;
        for n in 0..count {
            let weight =
                if n + 1 == count { left } else { 5 * dice.of("weight").at(n).between(2, left / 10) };
            left -= weight;
            let what = graded.get(n as usize).copied().unwrap_or_default();
            self.element("li", "", &format!("{what} {weight}%"));
        }
        self.close("ul");
    }

    fn schedule(&mut self, prose: &Prose, dice: Dice) {
        self.element("p", "", phrase(self.language(), Part::Schedule, dice));
        self.html.open("table", &[("class", "schedule"), ("border", "1")]);
        for week in 1..=dice.of("weeks").between(8, 15) {
            self.open("tr", "");
            let label = self.form.label(Label::Week);
            self.element("td", "", &format!("{label} {week}"));
            let title = self.title(prose, dice.of("week").at(week));
            self.element("td", "", &title);
            self.close("tr");
        }
        self.close("table");
    }

    /// Books; some are linked at a shop that sells books on the topic.
    fn textbooks(&mut self, about: About, prose: &Prose, dice: Dice) {
        self.open("ul", "books");
        for n in 0..dice.of("n").between(1, 3) {
            let dice = dice.of("book").at(n);
            let title = self.title(prose, dice);
            let author = crate::text::person_name(dice);
            self.open("li", "");
            self.text(&format!("{author}, "));
            match self.campus.item_about(SiteKind::Shop, about.main, dice.of("shop")) {
                Some(item) if dice.of("linked").chance(0.25) => self.link_away(item, &title, "book"),
                _ => self.element("i", "", &title),
            }
            self.close("li");
        }
        self.close("ul");
        self.text(phrase(self.language(), Part::Textbook, dice));
    }

    /// Teacher, times, room.
    fn facts(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let teacher = department.instructor(page.a, page.b);
        let name = self.teacher(page.dept, teacher);
        self.open("p", "facts");
        self.text(&format!("{}: ", self.form.label(Label::Instructor)));
        self.link(page.to(Kind::Faculty, teacher), &name, "who");
        self.raw("<br>\n");
        let dice = self.dice.of("facts");
        let days = dice.of("days").pick(&["MWF", "TuTh", "MW", "F"]).copied().unwrap_or("MW");
        let (hour, room) = (dice.of("hour").between(8, 17), dice.of("room").between(100, 420));
        let facts = [
            (Label::Semester, self.term_name(page.b)),
            (Label::Time, format!("{days} {hour}:00-{hour}:50")),
            (
                Label::Room,
                format!("{} {room}", dice.of("hall").pick(&["Hall A", "Science", "Main"]).unwrap_or(&"Main")),
            ),
            (Label::Credits, dice.of("credits").between(2, 4).to_string()),
        ];
        for (label, text) in facts.into_iter().filter(|(label, _)| dice.at(*label as u64).chance(0.75)) {
            self.text(&format!("{}: {text}", self.form.label(label)));
            self.raw("<br>\n");
        }
        self.close("p");
    }

    /// Links to notes and exercises, or a notice that there are none yet.
    fn materials(&mut self) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let (lectures, assignments) =
            (department.lectures(page.a, page.b), department.assignments(page.a, page.b));
        if lectures + assignments == 0 {
            if self.dice.of("notice").chance(0.4) {
                self.element("p", "notice", self.say("Notes will be posted here.", "课件稍后发布。"));
            }
            return;
        }
        self.open("ul", "materials");
        for (kind, count, name) in [
            (Kind::Lecture, lectures, self.say("Lecture notes", "讲义")),
            (Kind::Assignment, assignments, self.say("Assignment", "作业")),
        ] {
            for c in 0..count {
                self.open("li", "");
                self.link(
                    Page { c, ..page.offering(kind, page.a, page.b) },
                    &format!("{name} {}", c + 1),
                    "mat",
                );
                self.close("li");
            }
        }
        self.close("ul");
    }

    /// The same course in other terms.
    fn other_terms(&mut self, kind: Kind) {
        let page = self.page;
        let Some(department) = self.grounds.department(page.dept) else { return };
        let others: Vec<u32> = (0..department.terms)
            .filter(|term| *term != page.b && department.is_offered(page.a, *term))
            .filter(|term| self.dice.of("other term").at((*term).into()).chance(0.4))
            .collect();
        if others.is_empty() {
            return;
        }
        self.text(self.say("Other offerings: ", "其他学期："));
        for term in others {
            self.link(page.offering(kind, page.a, term), &self.term_name(term), "term");
            self.raw(" ");
        }
    }

    /// Text of one chapter of the course: notes and exercises treat a few of a subject's terms, not all.
    fn chapter(&self, share: f32) -> Prose {
        let prose = self.prose(self.campus.shape.about(self.page), share);
        Prose { chapter: Some(self.dice.of("chapter").bits()), ..prose }
    }

    /// Notes: long, full of the content's words, without the genre's.
    pub(super) fn lecture(&mut self) {
        let prose = self.chapter(0.26);
        for n in 0..self.dice.of("sections").between(2, 6) {
            let heading = self.title(&prose, self.dice.of("heading").at(n));
            self.element("h3", "", &heading);
            let sentences = self.dice.of("sentences").at(n).between(4, 12);
            self.paragraph(&prose, SECTIONS.get(n as usize).copied().unwrap_or("more"), sentences);
        }
        self.back_to_course();
    }

    /// Exercises: numbered questions, points, a due date.
    pub(super) fn assignment(&mut self) {
        let prose = self.chapter(0.22);
        let due = self.dice.of("due");
        let (month, day) = (due.of("month").between(1, 12), due.of("day").between(1, 28));
        self.element("p", "", &format!("{} {month}/{day}", self.say("Due:", "截止日期：")));
        self.bullets("ol", "", 0..self.dice.of("questions").between(3, 8), |out, n| {
            out.sentences(&prose, SECTIONS.get(n as usize).copied().unwrap_or("more"), 2);
            let points = 5 * out.dice.of("points").at(n).between(1, 5);
            out.text(&format!(" ({points} {})", out.say("points", "分")));
        });
        self.back_to_course();
    }

    fn back_to_course(&mut self) {
        let page = self.page;
        let text = format!("{} {}", self.course_code(page.dept, page.a), self.course_name(page.dept, page.a));
        self.link(page.offering(Kind::Syllabus, page.a, page.b), &text, "up");
    }
}

/// Names of places to draw paragraphs at.
pub(super) const SECTIONS: [&str; 8] = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
