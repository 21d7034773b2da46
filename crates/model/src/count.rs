//! Numbers in messages: `1 page`, `1,203 pages`.

/// `1,234,567`
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 page`, `1,203 pages`
pub fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(grouped(n), text);
        }
        for (n, text) in [(0, "0 pages"), (1, "1 page"), (2000, "2,000 pages")] {
            assert_eq!(counted(n, "page"), text);
        }
    }
}
