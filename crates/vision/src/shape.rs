//! Shape words: the direction of the outline through a bordering tile.
//!
//! Zhang 2008 mentions boundary angles as future work, without a method. Here a bordering tile is described by the
//! angles of the edges in each of its quarters. The sign of an edge does not matter: whether a horse is darker or
//! lighter than the meadow does not change its shape. The picture has half size and is not smoothed: in measurements
//! the fine edges beside an outline tell more than a clean outline.

use crate::smooth::Planes;
use crate::tile::HALF_TILE;

/// The number of angles, evenly from 0 to 180 degrees.
pub(crate) const ANGLES: usize = 8;
/// Numbers that describe an outline: the angles in each quarter of the tile.
pub(crate) const SHAPE: usize = ANGLES * 4;

/// What describes the outline in a tile; its length is one, or all is zero.
pub(crate) type Outline = [f32; SHAPE];

/// The brightness of a picture of half size.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Grey {
    width: usize,
    height: usize,
    values: Vec<f32>,
}

impl Grey {
    /// Takes the brightness of a picture.
    pub(crate) fn take(&mut self, planes: &Planes) {
        (self.width, self.height) = (planes.width, planes.height);
        let [red, green, blue] = &planes.values;
        let bright = |((red, green), blue): ((&f32, &f32), &f32)| 0.299 * red + 0.587 * green + 0.114 * blue;
        self.values.clear();
        self.values.extend(red.iter().zip(green).zip(blue).map(bright));
    }

    /// The change of brightness to the right and down; at the rim, over one pixel instead of two.
    fn gradient(&self, x: usize, y: usize) -> (f32, f32) {
        let at = |x: usize, y: usize| {
            let place =
                y.min(self.height.saturating_sub(1)) * self.width + x.min(self.width.saturating_sub(1));
            self.values.get(place).copied().unwrap_or_default()
        };
        (at(x + 1, y) - at(x.saturating_sub(1), y), at(x, y + 1) - at(x, y.saturating_sub(1)))
    }
}

/// Describes a tile by its left upper corner in the picture of half size.
pub(crate) fn describe(grey: &Grey, corner: (usize, usize)) -> Outline {
    let mut outline = [0.0f32; SHAPE];
    let half = HALF_TILE / 2;
    for y in 0..HALF_TILE {
        for x in 0..HALF_TILE {
            let (dx, dy) = grey.gradient(corner.0 + x, corner.1 + y);
            let strength = (dx * dx + dy * dy).sqrt();
            if strength <= 0.0 {
                continue;
            }
            let quarter = y / half * 2 + x / half;
            let (angle, share) = angle(dx, dy);
            outline[quarter * ANGLES + angle] += strength * (1.0 - share);
            outline[quarter * ANGLES + (angle + 1) % ANGLES] += strength * share;
        }
    }
    let length = outline.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        outline.iter_mut().for_each(|value| *value /= length);
    }
    outline
}

/// The angle, of [`ANGLES`], that a gradient points along, and the share of the next one. It compares with the tangents
/// of the angles, because the arc tangent of a library may differ in its last bit.
fn angle(dx: f32, dy: f32) -> (usize, f32) {
    /// Cosine and sine of 22.5 degrees.
    const TURN: (f32, f32) = (0.923_879_5, 0.382_683_43);
    let (mut dx, mut dy) = if dy < 0.0 || (dy == 0.0 && dx < 0.0) { (-dx, -dy) } else { (dx, dy) };
    for angle in 0..ANGLES {
        // Rotated back step by step, until it is between 0 and 22.5 degrees.
        let next = dy * TURN.0 - dx * TURN.1;
        if next < 0.0 || angle + 1 == ANGLES {
            let share = (dy / TURN.1 / (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0);
            return (angle, share);
        }
        (dx, dy) = (dx * TURN.0 + dy * TURN.1, next);
    }
    (0, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_distinguished() {
        let check = |degrees: f32, expect: f32| {
            let radians = degrees.to_radians();
            let (angle, share) = angle(radians.cos(), radians.sin());
            let found = angle as f32 + share;
            let away = (found - expect).abs();
            assert!(away.min(8.0 - away) < 0.02, "{degrees} degrees are {found}, not {expect}");
        };
        check(0.0, 0.0);
        check(22.5, 1.0);
        check(90.0, 4.0);
        check(135.0, 6.0);
        check(157.5, 7.0);
        check(202.5, 1.0);
        check(270.0, 4.0);
        // Between two, by the sine.
        check(11.25, 0.51);
    }

    fn grey(level: impl Fn(usize, usize) -> f32) -> Grey {
        Grey { width: 16, height: 16, values: (0..256).map(|i| level(i % 16, i / 16)).collect() }
    }

    #[test]
    fn an_outline_has_a_position_and_no_sign() {
        let upright = describe(&grey(|x, _| if x < 4 { 0.0 } else { 100.0 }), (0, 0));
        // In the two left quarters, across the horizontal.
        let half = 0.5f32.sqrt();
        let strong: Vec<_> = upright.iter().enumerate().filter(|(_, v)| **v > 0.01).collect();
        assert_eq!(strong.iter().map(|(i, _)| *i).collect::<Vec<_>>(), [0, 2 * ANGLES]);
        assert!(strong.iter().all(|(_, v)| (**v - half).abs() < 1e-3));
        let negative = describe(&grey(|x, _| if x < 4 { 100.0 } else { 0.0 }), (0, 0));
        assert_eq!(upright, negative);
        assert_eq!(describe(&grey(|_, _| 7.0), (0, 0)), [0.0; SHAPE]);
    }
}
