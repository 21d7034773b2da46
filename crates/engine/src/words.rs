//! Numbers and durations as text.

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

/// `4.2 s`, `42 s`, `3 min`, `2 h 5 min`
pub fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let seconds = seconds.round() as u64;
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5999 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
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
        for (s, text) in
            [(0.44, "0.4 s"), (9.96, "10 s"), (99.0, "99 s"), (150.0, "2 min"), (7500.0, "2 h 5 min")]
        {
            assert_eq!(duration(s), text);
        }
    }
}
