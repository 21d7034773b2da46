//! A part of a picture: one of nine regions.

use std::fmt;

/// A region of a grid of three by three, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region(u8);

/// Names, in the order of the regions.
const NAMES: [&str; 9] =
    ["top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"];

impl Region {
    /// All regions.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..9).map(Self)
    }

    /// The region with a name: `center`, `centre`, `top-left`, ..., or `r1` to `r9`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if let Some(number) = name.strip_prefix('r').and_then(|number| number.parse::<u8>().ok()) {
            return (1..=9).contains(&number).then(|| Self(number - 1));
        }
        let name = if name == "centre" || name == "middle" { "center" } else { &name };
        (0..9).zip(NAMES).find(|(_, known)| *known == name).map(|(number, _)| Self(number))
    }

    /// The region with a number from 0 to 8, row by row.
    pub fn new(index: usize) -> Option<Self> {
        (index < 9).then_some(Self(index as u8))
    }

    /// Its number from 0 to 8, row by row.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The boost of Zhang 2008, equation 15: `1/(d+1)` with the Manhattan distance d to the centre.
    pub fn boost(self) -> f32 {
        let away = (self.0 / 3).abs_diff(1) + (self.0 % 3).abs_diff(1);
        1.0 / f32::from(away + 1)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.get(self.index()).copied().unwrap_or("center"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_have_names_and_numbers() {
        for region in Region::all() {
            assert_eq!(Region::named(&region.to_string()), Some(region));
            assert_eq!(Region::named(&format!("R{}", region.index() + 1)), Some(region));
            assert_eq!(Region::new(region.index()), Some(region));
        }
        assert_eq!(Region::named("centre"), Region::new(4));
        for name in ["", "r0", "r10", "r", "corner"] {
            assert_eq!(Region::named(name), None, "{name}");
        }
    }

    #[test]
    fn the_boost_is_that_of_zhang_2008() {
        let boosts: Vec<f32> = Region::all().map(Region::boost).collect();
        let (half, third) = (0.5, 1.0 / 3.0);
        assert_eq!(boosts, [third, half, third, half, 1.0, half, third, half, third]);
    }
}
