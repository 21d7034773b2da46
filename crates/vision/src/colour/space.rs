//! Distance between colours: as numbers of red, green and blue, as in Zhang 2008, or as seen (OKLab).

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// How colours are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Red, green and blue, from 0 to 1 each.
    Rgb,
    /// Lightness, green to red, blue to yellow, by Ottosson: equal distances look about equal.
    #[default]
    Oklab,
}

/// A point in a colour space.
pub type Point = [f32; 3];

/// Light of an sRGB byte. A table, so that no library's power function has a say in a word.
static LIGHT: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let value = byte as f64 / 255.0;
        let light = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        light as f32
    })
});

impl Space {
    /// The point of an sRGB colour.
    pub fn point(self, [red, green, blue]: [u8; 3]) -> Point {
        match self {
            Self::Rgb => [red, green, blue].map(|value| f32::from(value) / 255.0),
            Self::Oklab => oklab([red, green, blue].map(|value| LIGHT[usize::from(value)])),
        }
    }

    /// The sRGB colour of a point, as near as bytes come.
    pub fn colour(self, point: Point) -> [u8; 3] {
        let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        match self {
            Self::Rgb => point.map(byte),
            Self::Oklab => from_oklab(point).map(|light| {
                let light = light.clamp(0.0, 1.0);
                byte(if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 })
            }),
        }
    }
}

fn oklab([red, green, blue]: Point) -> Point {
    let l = cube_root(0.412_221_47 * red + 0.536_332_54 * green + 0.051_445_995 * blue);
    let m = cube_root(0.211_903_5 * red + 0.680_699_5 * green + 0.107_396_96 * blue);
    let s = cube_root(0.088_302_46 * red + 0.281_718_85 * green + 0.629_978_7 * blue);
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

fn from_oklab([lightness, a, b]: Point) -> Point {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_38 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ]
}

/// The cube root by Newton's steps, from 0 to 1: additions and divisions give the same everywhere, libraries need not.
fn cube_root(value: f32) -> f32 {
    let value = f64::from(value);
    if value <= 0.0 {
        return 0.0;
    }
    // From above the steps never overshoot; each shrinks what is left by a third at least, then squares it.
    let mut root = 1.0f64.max(value);
    for _ in 0..40 {
        let next = (2.0 * root + value / (root * root)) / 3.0;
        if next >= root {
            break;
        }
        root = next;
    }
    root as f32
}

/// The square of the distance.
pub(crate) fn apart(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_colours_have_their_known_points() {
        let check = |colour: [u8; 3], expect: Point| {
            let found = Space::Oklab.point(colour);
            assert!(apart(&found, &expect) < 1e-6, "{colour:?} is {found:?}, not {expect:?}");
        };
        // From Ottosson's page and CSS Color 4.
        check([255, 255, 255], [1.0, 0.0, 0.0]);
        check([0, 0, 0], [0.0, 0.0, 0.0]);
        check([255, 0, 0], [0.627_955, 0.224_863, 0.125_846]);
        check([0, 255, 0], [0.866_44, -0.233_888, 0.179_498]);
        check([0, 0, 255], [0.452_014, -0.032_457, -0.311_528]);
    }

    #[test]
    fn points_lead_back_to_their_colours() {
        for space in [Space::Rgb, Space::Oklab] {
            for colour in [[0, 0, 0], [255, 255, 255], [200, 16, 46], [1, 2, 3], [0, 255, 128]] {
                assert_eq!(space.colour(space.point(colour)), colour);
            }
        }
    }
}
