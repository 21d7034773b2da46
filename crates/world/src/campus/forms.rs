//! The genre of syllabi: the headings of their parts, in several styles and languages.
//!
//! Genre terms can match the headings; the prose around them contains the content terms. Some headings also occur on
//! pages of other genres (a shop sells "required texts", an employer has "requirements").

use std::sync::LazyLock;

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

/// A university's form of syllabi.
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

    /// The value of `<html lang>`.
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
        dice.one_of(words(self as usize, part as usize))
    }

    /// What is graded.
    pub(super) fn graded(self) -> &'static [&'static str] {
        words(self as usize, Part::ALL.len())
    }

    /// What this form calls a fact.
    pub(super) fn label(self, what: Label) -> &'static str {
        words(self as usize, Part::ALL.len() + 1).get(what as usize).copied().unwrap_or_default()
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

/// A sentence typical of the genre, in the language of the prose.
pub(super) fn phrase(language: Language, part: Part, dice: Dice) -> &'static str {
    const SCHOOLS: usize = Form::Chinese as usize + 1;
    dice.one_of(words(SCHOOLS + language as usize, part as usize))
}

/// The words of `data/forms.txt`: blocks of lines of alternatives.
fn words(block: usize, line: usize) -> &'static [&'static str] {
    static WORDS: LazyLock<Vec<Vec<Vec<&str>>>> = LazyLock::new(|| {
        let blocks = include_str!("../../data/forms.txt").split("\n\n").skip(1);
        let lines = |block: &'static str| block.lines().filter(|line| !line.starts_with('#'));
        blocks.map(|block| lines(block).map(|line| line.split('|').collect()).collect()).collect()
    });
    WORDS.get(block).and_then(|lines| lines.get(line)).map_or(&[], Vec::as_slice)
}

/// The title of a course about one subject, or two.
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
