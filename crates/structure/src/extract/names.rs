//! Tests whether a text can be the name of a person.

/// Characters of a name.
const MAX_CHARS: usize = 60;
/// Words of a name.
const MAX_WORDS: usize = 6;

/// Whether a text could name a person: short, with letters, not a sentence, a number or an address.
pub(super) fn can_be_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let has_mark =
        text.ends_with(':') || (text.ends_with(['.', '!', '?', '…']) && words > 1 && !ends_in_initial(text));
    (1..=MAX_WORDS).contains(&words)
        && text.chars().nth(MAX_CHARS).is_none()
        && text.chars().any(char::is_alphabetic)
        && !text.contains("://")
        && !has_mark
        && !super::dates::is_date(text)
}

/// `Basbanes, Nicholas A.` or `Martin Jr.` ends in a dot and is a name.
fn ends_in_initial(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default();
    last.ends_with('.') && last.chars().count() <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_other_texts() {
        let check = |text: &str, expect: bool| assert_eq!(can_be_name(text), expect, "{text:?}");
        check("Paul Reed", true);
        check("bruno23", true);
        check("Basbanes, Nicholas A.", true);
        check("王小明", true);
        check("Really interesting talk.", false);
        check("November 28, 2010", false);
        check("http://a.example", false);
        check("says:", false);
        check("12", false);
        check("", false);
    }
}
