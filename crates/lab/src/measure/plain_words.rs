//! The words of a text as written, for statistics: nothing is left out or stemmed.
//!
//! Words are runs of letters and digits in lower case; a run of Chinese or Japanese gives overlapping pairs of
//! characters.

/// Calls `each` with every word of `text` in order: words in lower case, pairs of characters in Chinese.
pub(super) fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut ideograph: Option<char> = None;
    let mut paired = false;
    for c in text.chars().chain([' ']) {
        if is_ideograph(c) {
            if !word.is_empty() {
                each(&word);
                word.clear();
            }
            if let Some(before) = ideograph {
                each(String::from_iter([before, c]).as_str());
                paired = true;
            }
            ideograph = Some(c);
            continue;
        }
        if let Some(lone) = ideograph.take()
            && !std::mem::take(&mut paired)
        {
            each(lone.encode_utf8(&mut [0; 4]));
        }
        paired = false;
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if !word.is_empty() {
            each(&word);
            word.clear();
        }
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let mut terms = Vec::new();
        each_word(text, |t| terms.push(t.to_owned()));
        assert_eq!(terms, expect, "{text}");
    }

    #[test]
    fn words_and_ideographs() {
        check("", &[]);
        check("Red & green: 2 Flowers", &["red", "green", "2", "flowers"]);
        check("Ärger-ÉTÉ", &["ärger", "été"]);
        check("篮球比赛", &["篮球", "球比", "比赛"]);
        check("NBA篮球 花 x", &["nba", "篮球", "花", "x"]);
    }
}
