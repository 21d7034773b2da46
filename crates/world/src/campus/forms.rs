//! The genre: how syllabi call their parts, in several schools and languages of form.
//!
//! The headings are what genre terms can hold on to; the prose around them carries the content terms. Some are also
//! found on pages of other genres (a shop sells "required texts", an employer has "requirements").

use crate::Dice;
use crate::text::Language;

/// The parts of a syllabus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Description,
    Objectives,
    Prerequisites,
    Textbook,
    Grading,
    Schedule,
    Office,
    Policies,
    Topics,
}

impl Part {
    pub(super) const ALL: [Self; 9] = [
        Self::Description,
        Self::Objectives,
        Self::Prerequisites,
        Self::Textbook,
        Self::Grading,
        Self::Schedule,
        Self::Office,
        Self::Policies,
        Self::Topics,
    ];
}

/// A school's way to write syllabi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    American,
    British,
    German,
    Portuguese,
    Chinese,
}

impl Form {
    /// The form of a university.
    pub(super) fn of(dice: Dice) -> Self {
        match dice.of("form").below(20) {
            0..=10 => Self::American,
            11..=14 => Self::British,
            15 => Self::German,
            16 => Self::Portuguese,
            _ => Self::Chinese,
        }
    }

    /// The language of the prose; only two are spoken fluently.
    pub(super) fn language(self) -> Language {
        if self == Self::Chinese { Language::Chinese } else { Language::English }
    }

    /// For `<html lang>`.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::American => "en-US",
            Self::British => "en-GB",
            Self::German => "de",
            Self::Portuguese => "pt",
            Self::Chinese => "zh-CN",
        }
    }

    /// What this syllabus calls a part.
    pub(super) fn heading(self, part: Part, dice: Dice) -> &'static str {
        let names: &[&'static str] = match self {
            Self::American => american(part),
            Self::British => british(part),
            Self::German => german(part),
            Self::Portuguese => portuguese(part),
            Self::Chinese => chinese(part),
        };
        dice.one_of(names)
    }

    /// What is graded.
    pub(super) fn graded(self) -> [&'static str; 6] {
        match self {
            Self::American => {
                ["Homework", "Midterm exam", "Final exam", "Project", "Quizzes", "Participation"]
            }
            Self::British => {
                ["Coursework", "Class test", "Examination", "Group project", "Worksheets", "Attendance"]
            }
            Self::German => ["Übungen", "Zwischenprüfung", "Klausur", "Projektarbeit", "Tests", "Mitarbeit"],
            Self::Portuguese => {
                ["Trabalhos", "Primeira prova", "Prova final", "Projeto", "Listas", "Participação"]
            }
            Self::Chinese => ["平时作业", "期中考试", "期末考试", "课程设计", "课堂测验", "出勤"],
        }
    }

    /// What this form calls a fact.
    pub(super) fn label(self, what: Label) -> &'static str {
        let labels: [&'static str; 6] = match self {
            Self::American => ["Instructor", "Time", "Location", "Credits", "Week", "Semester"],
            Self::British => ["Lecturer", "Timetable", "Room", "Credit value", "Week", "Term"],
            Self::German => ["Dozent", "Zeit", "Hörsaal", "Leistungspunkte", "Woche", "Semester"],
            Self::Portuguese => ["Professor", "Horário", "Sala", "Créditos", "Semana", "Semestre"],
            Self::Chinese => ["任课教师", "上课时间", "上课地点", "学分", "周次", "学期"],
        };
        labels.get(what as usize).copied().unwrap_or_default()
    }
}

/// Short labels on course pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Instructor,
    Time,
    Room,
    Credits,
    Week,
    Semester,
}

fn american(part: Part) -> &'static [&'static str] {
    match part {
        Part::Description => &["Course Description", "Description", "About this course", "Overview"],
        Part::Objectives => &["Objectives", "Course Objectives", "Goals", "Learning Outcomes"],
        Part::Prerequisites => &["Prerequisites", "Prereqs", "Required Background"],
        Part::Textbook => &["Textbook", "Required Text", "Texts", "Materials", "Readings"],
        Part::Grading => &["Grading", "Grading Policy", "Evaluation", "How you will be graded"],
        Part::Schedule => &["Schedule", "Tentative Schedule", "Course Outline", "Weekly Plan"],
        Part::Office => &["Office Hours", "Instructor", "Contact Information"],
        Part::Policies => &["Policies", "Academic Integrity", "Late Work", "Attendance"],
        Part::Topics => &["Topics", "Topics Covered", "Content", "Syllabus"],
    }
}

fn british(part: Part) -> &'static [&'static str] {
    match part {
        Part::Description => &["Module aims", "Summary", "Module description"],
        Part::Objectives => &["Learning outcomes", "Aims and objectives"],
        Part::Prerequisites => &["Pre-requisites", "Entry requirements"],
        Part::Textbook => &["Reading list", "Recommended reading", "Background texts"],
        Part::Grading => &["Assessment", "Assessment and feedback"],
        Part::Schedule => &["Lecture plan", "Timetable", "Teaching schedule"],
        Part::Office => &["Module organiser", "Contact hours"],
        Part::Policies => &["Regulations", "Submission of coursework"],
        Part::Topics => &["Indicative content", "Module content", "Syllabus"],
    }
}

fn german(part: Part) -> &'static [&'static str] {
    match part {
        Part::Description => &["Inhalt", "Beschreibung"],
        Part::Objectives => &["Lernziele", "Qualifikationsziele"],
        Part::Prerequisites => &["Voraussetzungen", "Vorkenntnisse"],
        Part::Textbook => &["Literatur", "Skript und Literatur"],
        Part::Grading => &["Prüfung", "Leistungsnachweis"],
        Part::Schedule => &["Zeitplan", "Termine"],
        Part::Office => &["Sprechstunde", "Kontakt"],
        Part::Policies => &["Hinweise", "Anmeldung"],
        Part::Topics => &["Themen", "Gliederung"],
    }
}

fn portuguese(part: Part) -> &'static [&'static str] {
    match part {
        Part::Description => &["Ementa", "Descrição"],
        Part::Objectives => &["Objetivos"],
        Part::Prerequisites => &["Pré-requisitos"],
        Part::Textbook => &["Bibliografia", "Bibliografia básica"],
        Part::Grading => &["Avaliação", "Critérios de avaliação"],
        Part::Schedule => &["Cronograma", "Cronograma de aulas"],
        Part::Office => &["Atendimento", "Professor"],
        Part::Policies => &["Normas", "Frequência"],
        Part::Topics => &["Conteúdo programático", "Programa"],
    }
}

fn chinese(part: Part) -> &'static [&'static str] {
    match part {
        Part::Description => &["课程简介", "课程概述"],
        Part::Objectives => &["教学目标", "课程目标"],
        Part::Prerequisites => &["先修课程", "预备知识"],
        Part::Textbook => &["教材", "教材与参考书", "参考书目"],
        Part::Grading => &["考核方式", "成绩评定"],
        Part::Schedule => &["教学进度", "课程安排"],
        Part::Office => &["答疑时间", "任课教师"],
        Part::Policies => &["课程要求", "作业要求"],
        Part::Topics => &["教学内容", "教学大纲"],
    }
}

/// A sentence that belongs to the genre, in the language of the prose.
pub(super) fn phrase(language: Language, part: Part, dice: Dice) -> &'static str {
    let phrases: &[&'static str] = match (language, part) {
        (Language::English, Part::Description) => &[
            "This course is an introduction for students of all years.",
            "The lectures are accompanied by weekly exercises and a term project.",
            "Students will read, discuss and present recent work.",
            "The course carries full credit and counts towards the major.",
        ],
        (Language::English, Part::Objectives) => &[
            "Upon completion students will be able to explain and apply the main ideas.",
            "By the end of the course you should be able to solve typical problems on your own.",
            "The aim is a working knowledge of the methods and of their limits.",
        ],
        (Language::English, Part::Prerequisites) => &[
            "Consent of instructor or one introductory course.",
            "No prior knowledge is assumed.",
            "Sophomore standing and one year of mathematics.",
            "Two courses of the first year, or equivalent experience.",
        ],
        (Language::English, Part::Textbook) => &[
            "Copies are on reserve in the library and for sale at the campus bookstore.",
            "Additional readings will be handed out in class.",
            "There is no required text; notes will be posted.",
        ],
        (Language::English, Part::Grading) => &[
            "Grades are based on the following weights.",
            "There will be one midterm and a comprehensive final exam.",
            "The lowest homework grade will be dropped.",
            "Late assignments lose ten percent a day.",
        ],
        (Language::English, Part::Schedule) => &[
            "The schedule is tentative and will change as the semester goes on.",
            "Reading should be done before the lecture.",
            "No class during the break.",
        ],
        (Language::English, Part::Office) => &[
            "Office hours are also by appointment.",
            "Please put the course number into the subject of your mail.",
            "Teaching assistants hold hours before each due date.",
        ],
        (Language::English, Part::Policies) => &[
            "Cheating and plagiarism will be reported to the dean.",
            "You may discuss homework but must write your own solutions.",
            "Attendance is expected; tell us in advance if you must miss a class.",
            "Students with disabilities should contact the instructor in the first week.",
        ],
        (Language::English, Part::Topics) => &[
            "The following topics will be covered as time permits.",
            "The course is divided into units as follows.",
        ],
        (Language::Chinese, Part::Description) => {
            &["本课程是面向本科生的专业基础课。", "课程以课堂讲授为主，辅以习题和实验。"]
        }
        (Language::Chinese, Part::Objectives) => {
            &["通过本课程的学习，学生应掌握基本概念和主要方法。", "培养学生分析问题和解决问题的能力。"]
        }
        (Language::Chinese, Part::Prerequisites) => &["无特殊要求。", "学生应先修一年级的基础课程。"],
        (Language::Chinese, Part::Textbook) => {
            &["教材可在校内书店购买，参考书见图书馆。", "讲义将在课后发布。"]
        }
        (Language::Chinese, Part::Grading) => {
            &["总评成绩由以下各部分组成。", "期末考试为闭卷笔试，迟交作业酌情扣分。"]
        }
        (Language::Chinese, Part::Schedule) => &["教学进度可能根据实际情况调整。", "请在上课之前预习。"],
        (Language::Chinese, Part::Office) => &["答疑也可以通过邮件预约。", "助教每周安排一次习题课。"],
        (Language::Chinese, Part::Policies) => {
            &["严禁抄袭，一经发现按零分处理。", "学生应按时到课，请假须提前说明。"]
        }
        (Language::Chinese, Part::Topics) => &["主要教学内容如下。", "课程分为以下几个单元。"],
    };
    dice.one_of(phrases)
}

/// The title of a course about one thing, or two.
pub(super) fn course_title(language: Language, main: &str, second: Option<&str>, dice: Dice) -> String {
    match (language, second) {
        (Language::Chinese, Some(second)) => format!("{main}与{second}"),
        (Language::Chinese, None) => match dice.below(4) {
            0 => format!("{main}概论"),
            1 => format!("{main}原理"),
            2 => format!("高级{main}"),
            _ => format!("{main}专题"),
        },
        (Language::English, Some(second)) if dice.chance(0.5) => format!("{main} and {second}"),
        (Language::English, _) => match dice.of("shape").below(7) {
            0 => format!("Introduction to {main}"),
            1 => format!("Advanced {main}"),
            2 => format!("Topics in {main}"),
            3 => format!("Principles of {main}"),
            4 => format!("Seminar: {main}"),
            5 => format!("{main} Laboratory"),
            _ => main.to_owned(),
        },
    }
}
