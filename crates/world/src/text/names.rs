//! Names of people, their handles, and an unlimited supply of made-up proper names.
//!
//! With made-up names the vocabulary of a world keeps growing, as that of real text does: the name of a rank is a hash
//! of the rank, so no list is kept, and low ranks recur often.

use std::sync::LazyLock;

use super::Language;
use super::draw::Draw;
use super::lexicon::section;
use crate::Dice;

const FILE: &str = include_str!("../../data/names.txt");

/// How many made-up names there are in each language.
const MADE_UP: u64 = 4_000_000;

/// The English name of a month, from 1.
pub(crate) fn month_name(month: u64) -> &'static str {
    const NAMES: [&str; 12] = words! {
        "January" "February" "March" "April" "May" "June" "July" "August" "September" "October" "November"
        "December"
    };
    NAMES.get((month as usize).wrapping_sub(1)).copied().unwrap_or_default()
}

#[derive(Debug, Default)]
struct Names {
    given: Pool,
    family: Pool,
    zh_given: Pool,
    zh_family: Pool,
    nick_first: Pool,
    nick_second: Pool,
}

#[derive(Debug, Default)]
struct Pool {
    names: Vec<&'static str>,
    draw: Draw,
}

impl Pool {
    fn read(name: &str) -> Self {
        let names: Vec<&str> = section(FILE, name).collect();
        let draw = Draw::zipf(names.len(), 10.0, 0.8);
        Self { names, draw }
    }

    fn draw(&self, dice: Dice) -> &'static str {
        self.names.get(self.draw.draw(dice.bits())).copied().unwrap_or_default()
    }

    /// A name that is written with its reading, `王:wang`.
    fn draw_read(&self, dice: Dice) -> (&'static str, &'static str) {
        self.draw(dice).split_once(':').unwrap_or_default()
    }
}

static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    given: Pool::read("given"),
    family: Pool::read("family"),
    zh_given: Pool::read("zh-given"),
    zh_family: Pool::read("zh-family"),
    nick_first: Pool::read("nick-first"),
    nick_second: Pool::read("nick-second"),
});

/// A person's name in English: `Maria Keller`.
pub(crate) fn person_name(dice: Dice) -> String {
    super::prose::text(|out| person(dice, out))
}

/// Writes a person's name in English: `Maria Keller`.
pub(crate) fn person(dice: Dice, out: &mut String) {
    out.push_str(NAMES.given.draw(dice.of("given")));
    out.push(' ');
    let family = dice.of("family");
    if family.of("rare").chance(0.25) {
        made_up(family, out)
    } else {
        out.push_str(NAMES.family.draw(family))
    }
}

/// Writes a person's name as people of this language do: `Maria Keller`, `王小明`.
pub(crate) fn person_in(language: Language, dice: Dice, out: &mut String) {
    if language == Language::English {
        return person(dice, out);
    }
    out.push_str(NAMES.zh_family.draw_read(dice.of("family")).0);
    out.push_str(NAMES.zh_given.draw_read(dice.of("first")).0);
    if dice.of("two").chance(0.72) {
        out.push_str(NAMES.zh_given.draw_read(dice.of("second")).0);
    }
}

/// A user's name for one person: `mkeller_82`. Not unique: real sites add a number, and so may the caller.
pub(crate) fn handle(dice: Dice) -> String {
    handle_in(Language::English, dice)
}

/// A user's name, in ASCII in both languages: `mkeller_82`, `wangxm1985`.
pub(crate) fn handle_in(language: Language, dice: Dice) -> String {
    let mut out = String::with_capacity(20);
    match language {
        Language::English => english_handle(dice, &mut out),
        Language::Chinese => chinese_handle(dice, &mut out),
    }
    out.make_ascii_lowercase();
    out
}

fn english_handle(dice: Dice, out: &mut String) {
    let (given, family) = (NAMES.given.draw(dice.of("given")), NAMES.family.draw(dice.of("family")));
    let joint = ["", "_", ".", "-"].get(dice.of("joint").below(4) as usize).copied().unwrap_or_default();
    match dice.of("shape").below(10) {
        0..=2 => {
            out.push_str(given.get(..1).unwrap_or_default());
            out.push_str(family);
        }
        3..=4 => {
            out.push_str(given);
            out.push_str(joint);
            out.push_str(family.get(..1).unwrap_or_default());
        }
        5 => {
            out.push_str(given);
            out.push_str(joint);
            out.push_str(family);
        }
        6..=8 => {
            out.push_str(NAMES.nick_first.draw(dice.of("nick")));
            out.push_str(joint);
            out.push_str(NAMES.nick_second.draw(dice.of("second")));
        }
        _ => made_up(dice.of("name"), out),
    }
    handle_number(dice.of("number"), out);
}

fn chinese_handle(dice: Dice, out: &mut String) {
    out.push_str(NAMES.zh_family.draw_read(dice.of("family")).1);
    for part in ["first", "second"] {
        let reading = NAMES.zh_given.draw_read(dice.of(part)).1;
        let short = dice.of("short").chance(0.4);
        out.push_str(if short { reading.get(..1).unwrap_or_default() } else { reading });
    }
    handle_number(dice.of("number"), out);
}

fn handle_number(dice: Dice, out: &mut String) {
    match dice.of("kind").below(10) {
        0..=3 => {
            if dice.of("joint").chance(0.5) {
                out.push('_');
            }
            number(dice.between(1, 99), out);
        }
        4..=5 => number(dice.between(1950, 2005), out),
        6 => number(dice.between(100, 9999), out),
        _ => {}
    }
}

/// Writes a made-up proper name, a few of them often and always new ones: `Velmora`, `Brastonfield`.
pub(super) fn made_up(dice: Dice, out: &mut String) {
    const ONSETS: [&str; 32] = [
        "b", "br", "c", "ch", "d", "dr", "f", "fr", "g", "gr", "h", "j", "k", "kr", "l", "m", "n", "p", "pr",
        "qu", "r", "s", "sh", "st", "t", "th", "tr", "v", "w", "y", "z", "",
    ];
    const VOWELS: [&str; 16] =
        ["a", "e", "i", "o", "u", "a", "e", "i", "o", "ai", "ea", "ei", "ia", "oo", "au", "y"];
    const CODAS: [&str; 16] = ["", "", "", "", "", "n", "r", "l", "s", "nd", "m", "rt", "ck", "lm", "v", "t"];
    const ENDINGS: [&str; 32] = [
        "", "", "", "", "", "", "", "", "", "", "", "a", "o", "er", "son", "ton", "ville", "berg", "ford",
        "ski", "ini", "ez", "ano", "field", "dale", "wick", "stein", "mann", "sen", "is", "ova", "land",
    ];
    let name = Dice::new(dice.of("rank").zipf(MADE_UP, 0.9)).of("name");
    let bits = name.bits();
    let start = out.len();
    let syllables = 2 + usize::from(bits >> 61 == 0);
    for syllable in 0..syllables {
        let bits = bits >> (13 * syllable);
        out.push_str(ONSETS[(bits & 31) as usize]);
        out.push_str(VOWELS[(bits >> 5 & 15) as usize]);
        out.push_str(CODAS[(bits >> 9 & 15) as usize]);
    }
    out.push_str(ENDINGS[(bits >> 40 & 31) as usize]);
    capital(out, start);
}

/// Writes a made-up proper name as Chinese writes foreign ones: `卡莫林`.
pub(super) fn made_up_zh(dice: Dice, out: &mut String) {
    const SYLLABLES: [&str; 64] = [
        "阿", "巴", "卡", "达", "埃", "法", "加", "哈", "伊", "卢", "马", "娜", "奥", "帕", "奎", "拉", "萨",
        "塔", "乌", "维", "沃", "克", "雅", "扎", "贝", "德", "尔", "弗", "格", "赫", "吉", "凯", "兰", "莫",
        "尼", "诺", "佩", "罗", "斯", "特", "瓦", "温", "西", "希", "布", "丹", "杜", "芬", "汉", "霍", "科",
        "莱", "林", "曼", "米", "纳", "皮", "里", "森", "索", "托", "威", "谢", "雷",
    ];
    let bits = Dice::new(dice.of("rank").zipf(MADE_UP, 0.9)).of("name-zh").bits();
    for syllable in 0..(2 + (bits >> 62).min(2)) {
        out.push_str(SYLLABLES[(bits >> (6 * syllable) & 63) as usize]);
    }
}

/// Writes a number.
pub(super) fn number(number: u64, out: &mut String) {
    let mut scale = 1;
    while number / scale >= 10 {
        scale *= 10;
    }
    while scale > 0 {
        out.push(char::from(b'0' + (number / scale % 10) as u8));
        scale /= 10;
    }
}

/// Makes the letter at `start` a capital, if it is an ASCII letter.
pub(super) fn capital(out: &mut str, start: usize) {
    if let Some(first) = out.get_mut(start..start + 1) {
        first.make_ascii_uppercase();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        let check = |value, expect: &str| {
            let mut out = String::new();
            number(value, &mut out);
            assert_eq!(out, expect);
        };
        check(0, "0");
        check(10, "10");
        check(1987, "1987");
        check(u64::MAX, "18446744073709551615");
    }

    #[test]
    fn names_have_two_parts_and_many_forms() {
        let mut seen = HashSet::new();
        for i in 0..2000 {
            let mut out = String::new();
            person(Dice::new(1).at(i), &mut out);
            assert_eq!(out.split(' ').filter(|part| part.len() > 1).count(), 2, "`{out}`");
            seen.insert(out);
        }
        assert!(seen.len() > 1500, "{} different names of 2000", seen.len());
    }

    #[test]
    fn chinese_names_have_two_to_four_characters() {
        for i in 0..2000 {
            let mut out = String::new();
            person_in(Language::Chinese, Dice::new(1).at(i), &mut out);
            assert!((2..=4).contains(&out.chars().count()) && !out.is_ascii(), "`{out}`");
        }
    }

    #[test]
    fn handles_fit_into_urls() {
        for i in 0..2000 {
            for language in [Language::English, Language::Chinese] {
                let handle = handle_in(language, Dice::new(1).at(i));
                let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.-".contains(c);
                assert!(handle.len() >= 3 && handle.len() < 40 && handle.chars().all(fits), "`{handle}`");
            }
        }
    }

    #[test]
    fn made_up_names_come_back_and_grow() {
        let count = |n: u64| {
            let mut seen = HashSet::new();
            for i in 0..n {
                let mut out = String::new();
                made_up(Dice::new(2).at(i), &mut out);
                seen.insert(out);
            }
            seen.len() as u64
        };
        let (few, many) = (count(1000), count(10_000));
        assert!(few < 1000 && many < 9000 && many > 3 * few, "{few} {many}");
    }
}
