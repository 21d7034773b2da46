//! Lower case and accents: `Café`, `CAFE` and `ｃａｆｅ` are one word.
//!
//! Marks are taken off Latin and Greek letters only. In other scripts a mark makes another letter (й is not и), and in
//! some the vowels are marks.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Appends `word` to `out`, in lower case and without accents.
pub fn fold(word: &str, out: &mut String) {
    if word.is_ascii() {
        let from = out.len();
        out.push_str(word);
        if let Some(new) = out.get_mut(from..) {
            new.make_ascii_lowercase();
        }
        return;
    }
    for c in word.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else if let Some(plain) = without_decomposition(c) {
            out.push_str(plain);
        } else if has_accents(c) {
            decompose_compatible(c, |part| {
                if !is_combining_mark(part) {
                    out.extend(part.to_lowercase());
                }
            });
        } else if !is_loose_accent(c) {
            out.extend(c.to_lowercase());
        }
    }
}

/// Latin letters without a Unicode decomposition, written with plain letters.
fn without_decomposition(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'þ' | 'Þ' => "th",
        'ı' => "i",
        _ => return None,
    })
}

/// Latin and Greek letters, and the wide and narrow forms that Chinese and Japanese pages write Latin in.
fn has_accents(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1fff}' | '\u{370}'..='\u{3ff}' | '\u{fb00}'..='\u{fb06}'
        | '\u{ff00}'..='\u{ffef}')
}

/// An accent that follows its letter as a separate character.
fn is_loose_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expect: &str) {
        let mut out = String::from("+");
        fold(word, &mut out);
        assert_eq!(out, format!("+{expect}"), "{word}");
    }

    #[test]
    fn case_and_accents() {
        check("", "");
        check("Cafe2", "cafe2");
        check("CAFÉ", "cafe");
        check("cafe\u{301}", "cafe");
        check("Straße", "strasse");
        check("Øre Łódź Œuvre", "ore lodz oeuvre");
        check("ＣＡＦＥ", "cafe");
        check("ﬁne", "fine");
    }

    #[test]
    fn other_scripts_keep_their_letters() {
        check("Й", "й");
        check("篮球", "篮球");
        check("が", "が");
        check("कि", "कि");
        check("Ώρα", "ωρα");
    }
}
