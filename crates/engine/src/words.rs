//! Counts and durations as text, and what is damaged.

use std::path::Path;

use osprey_archive::Damage;

pub use osprey_model::{counted, grouped};

/// How many records of an archive are damaged, some of them by name, and what to run; `None` if none are.
pub fn damage_line(damage: &Damage, dir: &Path) -> Option<String> {
    Some(format!("{}; run `osprey check {}`", damage.summary()?, dir.display()))
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
    fn durations_for_people() {
        for (s, text) in
            [(0.44, "0.4 s"), (9.96, "10 s"), (99.0, "99 s"), (150.0, "2 min"), (7500.0, "2 h 5 min")]
        {
            assert_eq!(duration(s), text);
        }
    }
}
