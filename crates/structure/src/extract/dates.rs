//! Dates as pages write them, in a few languages.
//!
//! Year, month and day are required; the time of day is not read. Dates of numbers only are year first, or day and
//! month where one of them is above 12; `10/02/2015` could be either: it is a date, but has no ISO form. "3 days ago"
//! is a date without an ISO form too.

/// Months by the beginning of their names: English, German, French, Spanish, Italian, Portuguese, Dutch.
const MONTHS: &[(&str, u8)] = &[
    ("jan", 1),
    ("jän", 1),
    ("ene", 1),
    ("gen", 1),
    ("feb", 2),
    ("fév", 2),
    ("fev", 2),
    ("mar", 3),
    ("mär", 3),
    ("maa", 3),
    ("mrt", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("mag", 5),
    ("mei", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("aug", 8),
    ("aoû", 8),
    ("ago", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
    ("out", 10),
    ("ott", 10),
    ("nov", 11),
    ("dec", 12),
    ("dez", 12),
    ("déc", 12),
    ("dic", 12),
];
/// Letters of the longest name of a month.
const LONGEST_MONTH: usize = 10;
/// How many characters of a text are read.
const MAX_CHARS: usize = 200;
/// How many words may be around a date.
const MAX_WORDS: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Number { value: u32, digits: usize, quoted: bool },
    Month(u8),
    Word,
}

/// The first date in a text as `2010-11-28`, if it names year, month and day beyond doubt.
pub fn iso_date(text: &str) -> Option<String> {
    let (year, month, day) = complete(&tokens(text))?;
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// The date in a text that is little else: of `on Tue, 10/02/2015 - 11:42` the `10/02/2015`, of `Asked 1 year ago` the
/// `1 year ago`.
pub(super) fn date_in(text: &str) -> Option<&str> {
    let (tokens, ends) = tokens_with_ends(text);
    let words = tokens.iter().filter(|token| **token == Token::Word).count();
    let at = (0..tokens.len()).find(|&at| complete_at(&tokens, at).is_some() || is_ambiguous_at(&tokens, at));
    match at {
        Some(at) if words <= MAX_WORDS => {
            // a month's name may be between day and year: then the date is three tokens, and the name is the second
            let is_middle = matches!(tokens.get(at), Some(Token::Month(_)))
                && at
                    .checked_sub(1)
                    .is_some_and(|before| matches!(tokens.get(before), Some(Token::Number { .. })));
            let first = if is_middle { at - 1 } else { at };
            let (start, _) = *ends.get(first)?;
            let (_, end) = *ends.get(first + 2)?;
            text.get(start..end)
        }
        Some(_) => None,
        None => relative(text),
    }
}

/// Whether a text is a date and little else.
pub(super) fn is_date(text: &str) -> bool {
    date_in(text).is_some()
}

/// "3 days ago", "vor 2 Tagen", "2小时前".
fn relative(text: &str) -> Option<&str> {
    const UNITS: &[&str] =
        &["second", "sec", "minute", "min", "hour", "day", "week", "month", "year", "tag", "stunde"];
    let text = super::text::cut(text, MAX_CHARS);
    if text.split_whitespace().count() > MAX_WORDS + 2 {
        return None;
    }
    if ["小时前", "分钟前", "天前", "个月前", "年前", "昨天", "前天"].iter().any(|word| text.contains(word))
    {
        return Some(text);
    }
    let is_unit = |word: &str| UNITS.iter().any(|unit| word.to_lowercase().starts_with(unit));
    let has_unit = text.split(|c: char| !c.is_alphanumeric()).any(is_unit);
    let (start, end) = match (super::text::find_word(text, "ago"), super::text::find_word(text, "vor")) {
        (Some((_, end)), _) => {
            // from the number on, or from the beginning: "about a year ago"
            (text.find(|c: char| c.is_ascii_digit()).filter(|&at| at < end).unwrap_or(0), end)
        }
        (None, Some((start, _))) => (start, text.len()),
        (None, None) => return None,
    };
    has_unit.then(|| text.get(start..end)).flatten()
}

fn tokens(text: &str) -> Vec<Token> {
    tokens_with_ends(text).0
}

/// The tokens of a text, and where each begins and ends.
fn tokens_with_ends(text: &str) -> (Vec<Token>, Vec<(usize, usize)>) {
    let (mut tokens, mut ends) = (Vec::new(), Vec::new());
    let text = super::text::cut(text, MAX_CHARS);
    let mut chars = text.char_indices().peekable();
    let mut quoted = false;
    while let Some((start, c)) = chars.next() {
        let is_kin = |other: char| match c {
            _ if c.is_ascii_digit() => other.is_ascii_digit(),
            _ => other.is_alphabetic() && !is_mark(other),
        };
        if c.is_ascii_digit() || (c.is_alphabetic() && !is_mark(c)) {
            let mut end = start + c.len_utf8();
            while let Some((at, next)) = chars.next_if(|&(_, next)| is_kin(next)) {
                end = at + next.len_utf8();
            }
            let word = text.get(start..end).unwrap_or_default();
            // the T of an ISO time and the ending of 28th belong to the number before
            if !matches!(word, "T" | "st" | "nd" | "rd" | "th" | "de") {
                tokens.push(token(word, quoted));
                ends.push((start, end));
            }
        }
        quoted = matches!(c, '\'' | '’' | '‘');
    }
    (tokens, ends)
}

/// The characters of a Chinese date: the numbers around them say enough.
fn is_mark(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '号')
}

fn token(word: &str, quoted: bool) -> Token {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return Token::Number { value: word.parse().unwrap_or(u32::MAX), digits: word.len(), quoted };
    }
    month(&word.to_lowercase()).map_or(Token::Word, Token::Month)
}

fn month(word: &str) -> Option<u8> {
    let short = word.chars().count() <= LONGEST_MONTH;
    MONTHS.iter().find(|(name, _)| short && word.starts_with(name)).map(|&(_, month)| month)
}

fn year(value: u32, digits: usize, quoted: bool) -> Option<u32> {
    match digits {
        4 if (1000..=2999).contains(&value) => Some(value),
        2 if quoted => Some(if value < 70 { 2000 + value } else { 1900 + value }),
        _ => None,
    }
}

fn day(token: Option<&Token>) -> Option<u8> {
    match token {
        Some(&Token::Number { value, digits: 1 | 2, .. }) => {
            u8::try_from(value).ok().filter(|day| (1..=31).contains(day))
        }
        _ => None,
    }
}

fn year_of(token: Option<&Token>) -> Option<u32> {
    match token {
        Some(&Token::Number { value, digits, quoted }) => year(value, digits, quoted),
        _ => None,
    }
}

/// Year, month and day where a text names them beyond doubt.
fn complete(tokens: &[Token]) -> Option<(u32, u8, u8)> {
    (0..tokens.len()).find_map(|at| complete_at(tokens, at))
}

fn complete_at(tokens: &[Token], at: usize) -> Option<(u32, u8, u8)> {
    let token = |offset: isize| at.checked_add_signed(offset).and_then(|index| tokens.get(index));
    if let Some(&Token::Month(month)) = token(0) {
        // 28 November 2010; November 28, 2010; 2010 November 28
        let before = day(token(-1)).and_then(|day| Some((year_of(token(1))?, month, day)));
        let after = || day(token(1)).and_then(|day| Some((year_of(token(2))?, month, day)));
        let first = || year_of(token(-1)).and_then(|year| Some((year, month, day(token(1))?)));
        return before.or_else(after).or_else(first);
    }
    if let (Some(year), Some(month), Some(day)) = (year_of(token(0)), day(token(1)), day(token(2))) {
        return (month <= 12).then_some((year, month, day));
    }
    match (day(token(0)), day(token(1)), year_of(token(2))) {
        (Some(a), Some(b), Some(year)) if a > 12 && b <= 12 => Some((year, b, a)),
        (Some(a), Some(b), Some(year)) if b > 12 && a <= 12 => Some((year, a, b)),
        _ => None,
    }
}

/// Two small numbers and a year: a date, but ambiguous.
fn is_ambiguous_at(tokens: &[Token], at: usize) -> bool {
    let token = |offset: usize| tokens.get(at + offset);
    let fits = |token: Option<&Token>| day(token).is_some_and(|number| number <= 12);
    fits(token(0)) && fits(token(1)) && year_of(token(2)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_many_forms() {
        let check =
            |text: &str, expect: Option<&str>| assert_eq!(iso_date(text).as_deref(), expect, "{text:?}");
        check("November 28, 2010", Some("2010-11-28"));
        check("on 28th November 2010 at 12:30", Some("2010-11-28"));
        check("7 Feb '11", Some("2011-02-07"));
        check("2010-11-28T10:00:00+00:00", Some("2010-11-28"));
        check("2010年11月28日 10:00", Some("2010-11-28"));
        check("28.11.2010", Some("2010-11-28"));
        check("11/28/2010", Some("2010-11-28"));
        check("Tue, 10/02/2015 - 11:42", None);
        check("3. März 2012", Some("2012-03-03"));
        check("27 de mayo de 2011", Some("2011-05-27"));
        check("1 year ago", None);
        check("Room 12, 2010 seats", None);
        check("99999999999999999999", None);
        check("", None);
    }

    #[test]
    fn texts_that_are_dates() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(date_in(text), expect, "{text:?}");
        check("on Tue, 10/02/2015 - 11:42", Some("10/02/2015"));
        check("Published November 28, 2010", Some("November 28, 2010"));
        check("7 Feb '11", Some("7 Feb '11"));
        check("2010-11-28T10:00", Some("2010-11-28"));
        check("Posted 1 year ago by Ann", Some("1 year ago"));
        check("about a year ago", Some("about a year ago"));
        check("3小时前", Some("3小时前"));
        check("The treaty of 28 November 2010 was signed by nobody we know of here", None);
        check("version 1.2", None);
        check("", None);
    }
}
