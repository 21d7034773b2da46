//! A colour in a query: a name, red, green and blue, or a word of the palette.

use std::fmt;

use osprey_vision::colour;

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// A word of the palette by number.
    Word(u8),
    /// Red, green and blue.
    Rgb([u8; 3]),
    /// A name, see [`osprey_vision::colour::NAMES`].
    Named(&'static str),
}

/// What may follow `color:`, for messages.
pub(super) const EXPECTED: &str =
    "a colour: a name such as `red` or `sky-blue`, `#c8102e`, or a palette number from 0 to 255";

impl Colour {
    /// Parses a colour.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(digits) = text.strip_prefix('#') {
            return hex(digits).map(Self::Rgb);
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().ok().map(Self::Word);
        }
        let known = colour::named(text)?;
        colour::NAMES.iter().find(|(_, rgb)| *rgb == known).map(|(name, _)| Self::Named(name))
    }

    /// Red, green and blue; `None` for words of a palette, whose colours only a codebook knows.
    pub fn rgb(self) -> Option<[u8; 3]> {
        match self {
            Self::Word(_) => None,
            Self::Rgb(rgb) => Some(rgb),
            Self::Named(name) => colour::named(name),
        }
    }
}

fn hex(digits: &str) -> Option<[u8; 3]> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    let byte = |shift: u32| (number >> shift & 0xff) as u8;
    match digits.len() {
        6 => Some([byte(16), byte(8), byte(0)]),
        // `#c12` is `#cc1122`
        3 => Some([8, 4, 0].map(|shift| (number >> shift & 0xf) as u8 * 17)),
        _ => None,
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "{word}"),
            Self::Rgb([red, green, blue]) => write!(f, "#{red:02x}{green:02x}{blue:02x}"),
            Self::Named(name) => f.write_str(&name.replace(' ', "-")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_three_ways() {
        let check = |text: &str, expect: Option<Colour>| {
            assert_eq!(Colour::parse(text), expect, "{text}");
            if let Some(colour) = expect {
                assert_eq!(Colour::parse(&colour.to_string()), expect, "{text}");
            }
        };
        check("red", Some(Colour::Named("red")));
        check("Sky-Blue", Some(Colour::Named("sky blue")));
        check("light_gray", Some(Colour::Named("light grey")));
        check("#c8102e", Some(Colour::Rgb([200, 16, 46])));
        check("#C12", Some(Colour::Rgb([0xcc, 0x11, 0x22])));
        check("127", Some(Colour::Word(127)));
        for text in ["", "256", "-1", "#", "#12", "#12345g", "#1234567", "blurple", "1.5"] {
            check(text, None);
        }
    }
}
