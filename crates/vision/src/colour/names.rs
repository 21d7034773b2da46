//! Names of colours that people use, and the name nearest to a colour.

use super::{Space, apart};

/// How many names, the first ones, are black, white and greys.
const GREYS: usize = 6;
/// Colours with less chroma than this look grey, whatever their tint.
const TINT: f32 = 0.02;

/// Common names of colours.
pub const NAMES: [(&str, [u8; 3]); 48] = [
    ("black", [0, 0, 0]),
    ("charcoal", [54, 57, 62]),
    ("dark grey", [92, 92, 92]),
    ("grey", [136, 136, 136]),
    ("light grey", [196, 196, 196]),
    ("white", [255, 255, 255]),
    ("ivory", [250, 244, 222]),
    ("beige", [222, 205, 170]),
    ("tan", [196, 164, 116]),
    ("brown", [128, 82, 44]),
    ("dark brown", [72, 44, 26]),
    ("taupe", [140, 124, 108]),
    ("rust", [172, 76, 28]),
    ("orange", [245, 134, 24]),
    ("peach", [250, 196, 156]),
    ("coral", [248, 122, 94]),
    ("salmon", [238, 154, 138]),
    ("red", [214, 28, 36]),
    ("dark red", [132, 16, 24]),
    ("maroon", [86, 18, 26]),
    ("pink", [246, 168, 190]),
    ("hot pink", [236, 64, 140]),
    ("magenta", [208, 28, 172]),
    ("mauve", [176, 132, 164]),
    ("violet", [138, 60, 196]),
    ("purple", [98, 32, 124]),
    ("lavender", [196, 180, 230]),
    ("indigo", [62, 38, 134]),
    ("navy", [20, 30, 80]),
    ("dark blue", [18, 44, 132]),
    ("blue", [30, 86, 212]),
    ("steel blue", [84, 124, 168]),
    ("sky blue", [128, 198, 236]),
    ("light blue", [190, 216, 242]),
    ("slate", [96, 112, 128]),
    ("cyan", [30, 200, 220]),
    ("turquoise", [58, 190, 176]),
    ("teal", [14, 114, 118]),
    ("mint", [170, 230, 196]),
    ("dark green", [22, 66, 34]),
    ("green", [40, 142, 54]),
    ("light green", [146, 210, 124]),
    ("lime", [156, 214, 36]),
    ("olive", [116, 116, 38]),
    ("sage", [150, 166, 132]),
    ("khaki", [188, 180, 116]),
    ("gold", [208, 162, 34]),
    ("yellow", [250, 224, 48]),
];

/// The name whose colour is perceptually nearest.
pub fn name(colour: [u8; 3]) -> &'static str {
    let point = Space::Oklab.point(colour);
    let distance = |known: [u8; 3]| {
        let [l, a, b] = Space::Oklab.point(known);
        // A shade keeps its name: lightness counts half.
        apart(&[l * 0.7, a, b], &[point[0] * 0.7, point[1], point[2]])
    };
    let is_grey = point[1].hypot(point[2]) < TINT;
    let known = if is_grey { NAMES.split_at(GREYS).0 } else { &NAMES[..] };
    let nearest = known.iter().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    nearest.map_or("grey", |(name, _)| name)
}

/// The colour of a name, in any case and with `gray` for `grey`.
pub fn named(name: &str) -> Option<[u8; 3]> {
    let name = name.trim().to_lowercase().replace("gray", "grey").replace(['-', '_'], " ");
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, colour)| *colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_the_names_that_people_give() {
        let check = |colour: [u8; 3], expect: &str| assert_eq!(name(colour), expect, "{colour:?}");
        check([0, 0, 0], "black");
        check([255, 0, 0], "red");
        check([200, 16, 46], "red");
        check([0, 0, 255], "blue");
        check([0, 128, 0], "green");
        check([255, 255, 0], "yellow");
        check([128, 128, 128], "grey");
        check([255, 165, 0], "orange");
        check([215, 223, 226], "light grey");
        check([250, 250, 252], "white");
        check([135, 206, 235], "sky blue");
        check([245, 245, 220], "ivory");
    }

    #[test]
    fn every_name_is_its_own() {
        for (known, colour) in NAMES {
            assert_eq!(name(colour), known);
            assert_eq!(named(known), Some(colour));
        }
        assert_eq!(named(" Light-Gray "), Some([196, 196, 196]));
        assert_eq!(named("octarine"), None);
    }
}
