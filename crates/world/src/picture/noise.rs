//! Smooth two-dimensional noise: hashed lattice values, blended. No tables, so there is nothing to set up per picture.

/// A number from 0 to 1 for a lattice point.
pub(super) fn speck(x: i32, y: i32, seed: u32) -> f32 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77) ^ seed;
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    (h ^ (h >> 15)) as f32 / u32::MAX as f32
}

/// Noise from 0 to 1 whose features are about one unit wide.
pub(super) fn smooth(x: f32, y: f32, seed: u32) -> f32 {
    let (ix, iy) = (floor(x), floor(y));
    let (tx, ty) = (ease(x - ix as f32), ease(y - iy as f32));
    let top = mix(speck(ix, iy, seed), speck(ix.wrapping_add(1), iy, seed), tx);
    let next = iy.wrapping_add(1);
    mix(top, mix(speck(ix, next, seed), speck(ix.wrapping_add(1), next, seed), tx), ty)
}

/// Three octaves of [`smooth`]: clouds, soil, foliage.
pub(super) fn rough(x: f32, y: f32, seed: u32) -> f32 {
    let fine = smooth(x * 4.3, y * 4.3, seed ^ 0x51);
    0.57 * smooth(x, y, seed) + 0.28 * smooth(x * 2.1, y * 2.1, seed ^ 0x27) + 0.15 * fine
}

/// The next lower integer. `f32::floor` is a call into the C library on baseline processors, and this runs ten times
/// per pixel.
pub(super) fn floor(x: f32) -> i32 {
    let cut = x as i32;
    cut.saturating_sub(i32::from(x < cut as f32))
}

/// The fractional part, from 0 to 1.
pub(super) fn fraction(x: f32) -> f32 {
    x - floor(x) as f32
}

/// The distance from the origin; `hypot` guards against overflows that cannot happen here.
pub(super) fn distance(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// `a` at 0, `b` at 1.
pub(super) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// 0 below `low`, 1 above `high`, and a soft step between.
pub(super) fn step(low: f32, high: f32, x: f32) -> f32 {
    ease(((x - low) / (high - low)).clamp(0.0, 1.0))
}

fn ease(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_stays_between_0_and_1_and_is_smooth() {
        for i in 0..5000 {
            let (x, y) = (i as f32 * 0.37 - 900.0, i as f32 * -0.11);
            assert!((0.0..=1.0).contains(&rough(x, y, 3)));
            assert!((smooth(x, y, 3) - smooth(x + 0.001, y, 3)).abs() < 0.01);
        }
    }

    #[test]
    fn floor_goes_down_on_both_sides() {
        let check = |x: f32, expect: i32| assert_eq!(floor(x), expect, "{x}");
        check(1.5, 1);
        check(2.0, 2);
        check(-0.25, -1);
        check(-3.0, -3);
        check(f32::MIN, i32::MIN);
        assert_eq!(fraction(-0.25), 0.75);
    }
}
