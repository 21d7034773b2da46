//! What a value looks like: prices, telephone numbers, addresses of pages and mails, numbers.

/// Characters of a value that is looked at.
const MAX_CHARS: usize = 60;
/// Signs and codes of currencies.
const CURRENCIES: &[&str] = &["$", "€", "£", "¥", "₹", "usd", "eur", "gbp", "chf", "kr", "zł", "元"];

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Look {
    /// An amount of money.
    Price,
    /// The address of a mail box.
    Email,
    /// The address of a page.
    Link,
    /// A telephone number.
    Phone,
    /// A share.
    Percent,
    /// A number and nothing else.
    Number,
}

impl Look {
    /// The name of a field with such values.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Email => "email",
            Self::Link => "link",
            Self::Phone => "phone",
            Self::Percent => "percent",
            Self::Number => "number",
        }
    }
}

/// What a text looks like, if it is nothing else.
pub(super) fn look(text: &str) -> Option<Look> {
    let text = text.trim();
    if text.is_empty() || text.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let lower = text.to_lowercase();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let has_space = text.contains(char::is_whitespace);
    if digits > 0 && letters <= 4 && CURRENCIES.iter().any(|sign| lower.contains(sign)) {
        return Some(Look::Price);
    }
    if !has_space && is_mail(text) {
        return Some(Look::Email);
    }
    if !has_space
        && (lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("www."))
    {
        return Some(Look::Link);
    }
    if digits > 0 && letters == 0 && text.ends_with('%') {
        return Some(Look::Percent);
    }
    if is_phone(text, digits) {
        return Some(Look::Phone);
    }
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '\u{a0}');
    let bare = text.trim_start_matches(['+', '-']);
    (digits > 0 && bare.chars().all(is_number) && !super::dates::is_date(text)).then_some(Look::Number)
}

fn is_mail(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    !name.is_empty() && host.contains('.') && !host.starts_with('.') && !host.contains('@')
}

/// Seven to fifteen digits in groups that something other than a comma or a dot of a number parts.
fn is_phone(text: &str, digits: usize) -> bool {
    let is_part =
        |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '/' | '(' | ')' | '.' | ' ' | '\u{a0}');
    let groups = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    (7..=15).contains(&digits)
        && (2..=6).contains(&groups)
        && text.chars().all(is_part)
        && (text.contains(['-', '/', '(', '+']) || groups >= 3)
        && !super::dates::is_date(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_look_like_what_they_are() {
        let check = |text: &str, expect: Option<Look>| assert_eq!(look(text), expect, "{text:?}");
        check("$9,970", Some(Look::Price));
        check("12,50 €", Some(Look::Price));
        check("EUR 7", Some(Look::Price));
        check("(907) 336-7427", Some(Look::Phone));
        check("907/279-7311", Some(Look::Phone));
        check("+49 30 1234567", Some(Look::Phone));
        check("2010-11-28", None);
        check("ann@example.com", Some(Look::Email));
        check("www.acu.edu", Some(Look::Link));
        check("12 %", Some(Look::Percent));
        check("1,203", Some(Look::Number));
        check("12 views", None);
        check("He paid $5 for it", None);
        check("", None);
    }
}
