//! Textures: how a surface blends its two colours from place to place.
//!
//! Coordinates are in units of which a picture is 160 high, whatever its size in pixels: a thumbnail shows the same
//! picture as the large one.

use super::noise::{distance, floor, fraction, rough, smooth, speck, step};

/// The kinds of surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Texture {
    Gradient,
    Clouds,
    Waves,
    Grain,
    Foliage,
    Grass,
    Bricks,
    Windows,
    Planks,
    Bars,
    Slant,
    Dots,
    Crowd,
    Stars,
    Rock,
    Wood,
    Checks,
    Lines,
    Weave,
    Plain,
}

impl Texture {
    /// The texture of a name in `data/scenes.txt`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "gradient" => Self::Gradient,
            "clouds" => Self::Clouds,
            "waves" => Self::Waves,
            "grain" => Self::Grain,
            "foliage" => Self::Foliage,
            "grass" => Self::Grass,
            "bricks" => Self::Bricks,
            "windows" => Self::Windows,
            "planks" => Self::Planks,
            "bars" => Self::Bars,
            "slant" => Self::Slant,
            "dots" => Self::Dots,
            "crowd" => Self::Crowd,
            "stars" => Self::Stars,
            "rock" => Self::Rock,
            "wood" => Self::Wood,
            "checks" => Self::Checks,
            "lines" => Self::Lines,
            "weave" => Self::Weave,
            "plain" => Self::Plain,
            _ => return None,
        })
    }

    /// Whether it is on the ground and grows towards the viewer.
    pub(super) fn recedes(self) -> bool {
        matches!(self, Self::Waves | Self::Grain | Self::Grass | Self::Planks | Self::Checks | Self::Slant)
    }

    /// How much of the second colour is at a place; `depth` goes from 0 at the top of the surface to 1.
    pub(super) fn blend(self, x: f32, y: f32, depth: f32, seed: u32) -> f32 {
        match self {
            Self::Gradient => (depth + 0.12 * smooth(x / 50.0, y / 20.0, seed) - 0.06).clamp(0.0, 1.0),
            Self::Clouds => step(0.38, 0.72, rough(x / 46.0, y / 20.0, seed)),
            Self::Waves => {
                let warp = 7.0 * smooth(x / 30.0, y / 14.0, seed);
                0.5 + 0.35 * (y * 0.75 + warp).sin() + 0.3 * (smooth(x / 9.0, y / 2.2, seed ^ 9) - 0.5)
            }
            Self::Grain => 0.6 * speck(floor(x), floor(y), seed) + 0.4 * smooth(x / 12.0, y / 8.0, seed),
            Self::Foliage => {
                // Rotated against each other, so that the lattice does not show.
                let leaves = smooth(x * 0.19 + y * 0.12, y * 0.19 - x * 0.12, seed);
                step(0.3, 0.7, 0.6 * leaves + 0.4 * rough(x / 24.0, y / 24.0, seed ^ 6))
            }
            Self::Grass => {
                0.65 * smooth(x / 1.3, y / 8.0, seed) + 0.35 * smooth(x / 20.0, y / 12.0, seed ^ 5)
            }
            Self::Bricks => bricks(x, y, seed),
            Self::Windows => windows(x, y, seed),
            Self::Planks => seams(y, x, 11.0, seed),
            Self::Bars => seams(x, y, 9.0, seed),
            Self::Slant => seams(x * 0.7 + y * 0.7, x * 0.7 - y * 0.7, 8.0, seed),
            Self::Dots => dots(x, y, seed),
            Self::Crowd => {
                speck(floor(x / 3.5), floor(y / 4.5), seed) * step(0.1, 0.5, smooth(x / 2.0, y / 2.0, seed))
            }
            Self::Stars => stars(x, y, seed),
            Self::Rock => {
                let ridge = 1.0 - (2.0 * rough(x / 18.0, y / 13.0, seed) - 1.0).abs() * 2.6;
                (0.7 * ridge + 0.5 * smooth(x / 3.0, y / 3.0, seed ^ 3)).clamp(0.0, 1.0)
            }
            Self::Wood => {
                let rings = y / 3.2 + 5.0 * smooth(x / 60.0, y / 18.0, seed);
                0.5 + 0.35 * (rings * 2.0).sin() + 0.25 * (smooth(x / 14.0, y / 0.9, seed) - 0.5)
            }
            Self::Checks => {
                let odd = (floor(x / 14.0) ^ floor(y / 14.0)) & 1;
                let odd = odd as f32;
                (0.08 + 0.84 * odd) + 0.1 * (smooth(x / 6.0, y / 6.0, seed) - 0.5)
            }
            Self::Lines => lines(x, y, seed),
            Self::Weave => {
                0.5 + 0.25 * (x * 1.6).sin() + 0.25 * (y * 1.6 + 2.0 * smooth(x / 20.0, y / 20.0, seed)).sin()
            }
            Self::Plain => 0.5 * rough(x / 40.0, y / 40.0, seed),
        }
    }
}

fn bricks(x: f32, y: f32, seed: u32) -> f32 {
    let row = floor(y / 6.0);
    let shifted = x / 14.0 + 0.5 * (row & 1) as f32;
    let joint = f32::from(fraction(shifted) < 0.07 || fraction(y / 6.0) < 0.16);
    joint.max(0.45 * speck(floor(shifted), row, seed) + 0.15 * smooth(x / 2.0, y / 2.0, seed))
}

fn windows(x: f32, y: f32, seed: u32) -> f32 {
    let (column, row) = (x / 10.0, y / 12.0);
    let inside = (0.22..0.78).contains(&fraction(column)) && (0.2..0.75).contains(&fraction(row));
    if inside {
        0.45 + 0.55 * speck(floor(column), floor(row), seed)
    } else {
        0.12 * smooth(x / 9.0, y / 9.0, seed)
    }
}

/// Boards beside each other across `x`, each of its own shade.
fn seams(x: f32, along: f32, width: f32, seed: u32) -> f32 {
    let seam = f32::from(fraction(x / width) < 0.09);
    seam.max(0.55 * speck(floor(x / width), 0, seed) + 0.25 * smooth(along / 20.0, x / 1.5, seed))
}

fn dots(x: f32, y: f32, seed: u32) -> f32 {
    let (column, row) = (x / 13.0, y / 13.0);
    let jitter = |seed| speck(floor(column), floor(row), seed);
    let (jx, jy) = (jitter(seed), jitter(seed ^ 77));
    let away = distance(fraction(column) - 0.35 - 0.3 * jx, fraction(row) - 0.35 - 0.3 * jy);
    1.0 - step(0.22, 0.33, away * (0.7 + 0.6 * jy))
}

fn stars(x: f32, y: f32, seed: u32) -> f32 {
    let (column, row) = (x / 6.0, y / 6.0);
    let bright = speck(floor(column), floor(row), seed) - 0.72;
    let away = distance(fraction(column) - 0.5, fraction(row) - 0.5);
    let star = if bright > 0.0 { 1.0 - step(0.06, 0.06 + bright * 1.1, away) } else { 0.0 };
    star.max(0.4 * step(0.5, 0.9, rough(x / 40.0, y / 40.0, seed)))
}

/// Rows of dashes like text on a page.
fn lines(x: f32, y: f32, seed: u32) -> f32 {
    let row = floor(y / 5.0);
    let word = speck(floor(x / 4.0), row, seed);
    let indent = 0.15 * speck(0, row, seed ^ 4);
    let inked = (0.3..0.7).contains(&fraction(y / 5.0)) && word > 0.28 && fraction(x / 120.0) > indent;
    if inked { 0.6 + 0.4 * word } else { 0.0 }
}
