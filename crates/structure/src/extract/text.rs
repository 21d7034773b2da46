//! Small operations on texts: cutting, words, separators, comparing.

/// The first `chars` characters.
pub(super) fn cut(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

/// White space collapsed and trimmed, at most `chars` characters.
pub(super) fn collapse(text: &str, chars: usize) -> String {
    let mut out = String::new();
    let mut left = chars;
    for word in text.split_whitespace() {
        let space = usize::from(!out.is_empty());
        if left <= space {
            break;
        }
        if space > 0 {
            out.push(' ');
        }
        let word = cut(word, left - space);
        out.push_str(word);
        left -= space + word.chars().count();
    }
    out
}

/// The words of a text in lower case: runs of letters and digits; of scripts without spaces, single characters.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if is_ideograph(c) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            words.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if c != '\'' && c != '’' && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Whether a text is only a separator: no letter or digit, or a conjunction.
pub(super) fn is_separator(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
        || matches!(text.trim_matches(|c: char| !c.is_alphanumeric()), "and" | "und" | "et")
}

/// A value without separators at its ends: `, red |` is `red`. Brackets stay.
pub(super) fn trim_value(text: &str) -> &str {
    let is_noise = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | ';'
                    | '|'
                    | '·'
                    | '•'
                    | '»'
                    | '«'
                    | '›'
                    | '‹'
                    | '、'
                    | '，'
                    | '；'
                    | '：'
                    | ':'
                    | '–'
                    | '—'
            )
    };
    text.trim_matches(is_noise)
}

/// The range of a word in a text, as a separate word and in any case: its first byte and the byte after it.
pub(super) fn find_word(text: &str, word: &str) -> Option<(usize, usize)> {
    if word.is_empty() {
        return None;
    }
    let mut from = 0;
    while let Some(rest) = text.get(from..) {
        let at = from + find_ignoring_case(rest, word)?;
        let end = at + word.len();
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(end..).and_then(|after| after.chars().next());
        let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || is_ideograph(c));
        // a word of a script without spaces may be anywhere
        if word.chars().all(is_ideograph) || (free(before) && free(after)) {
            return Some((at, end));
        }
        from = at + text.get(at..)?.chars().next()?.len_utf8();
    }
    None
}

/// As `find`, letters of ASCII in any case.
fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    let (text_bytes, word_bytes) = (text.as_bytes(), word.as_bytes());
    let places = text_bytes.windows(word_bytes.len()).enumerate();
    places
        .filter(|(_, window)| window.eq_ignore_ascii_case(word_bytes))
        .map(|(at, _)| at)
        .find(|&at| text.is_char_boundary(at) && text.is_char_boundary(at + word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_ideographs_single() {
        let check = |text: &str, expect: &[&str]| assert_eq!(words(text), expect, "{text:?}");
        check("Red & green, part 2", &["red", "green", "part", "2"]);
        check("Don't", &["dont"]);
        check("标签 ab", &["标", "签", "ab"]);
        check("", &[]);
    }

    #[test]
    fn separators_are_recognised() {
        let check = |text: &str, expect: bool| assert_eq!(is_separator(text), expect, "{text:?}");
        check(" , ", true);
        check("and", true);
        check("»", true);
        check("Tags:", false);
        check("1", false);
    }

    #[test]
    fn words_are_found_by_themselves() {
        let check = |text: &str, word: &str, expect: Option<(usize, usize)>| {
            assert_eq!(find_word(text, word), expect, "{text:?} {word:?}");
        };
        check("Asked by Pat", "by", Some((6, 8)));
        check("By Pat", "by", Some((0, 2)));
        check("bygone days", "by", None);
        check("bybby by", "by", Some((6, 8)));
        check("作者王小明", "作者", Some((0, 6)));
        check("ééby", "by", None);
        check("", "by", None);
        check("x", "", None);
    }

    #[test]
    fn cutting_counts_characters() {
        assert_eq!(cut("ééé", 2), "éé");
        assert_eq!(collapse("  a \n b  c ", 3), "a b");
        assert_eq!(collapse("ab cd", 4), "ab c");
        assert_eq!(trim_value(" , red | "), "red");
    }
}
