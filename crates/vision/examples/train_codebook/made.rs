//! Generated pictures: surfaces with colours and textures, one behind the other, as a camera might see them.
//!
//! Nothing is copied from photographs, only their statistics: most colours are muted, large surfaces are dark below and
//! light above, detail of all sizes is about as strong as its size (1/f), light falls from one side.

use osprey_vision::Picture;
use osprey_vision::colour::Space;

const WIDTH: usize = 384;
const HEIGHT: usize = 256;

/// A picture by its number.
pub(crate) fn picture(seed: u64) -> Picture {
    let mut chance = Rng(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ 0x0591_2e55);
    let surfaces: Vec<Surface> =
        (0..chance.between(2, 6)).map(|depth| Surface::draw(&mut chance, depth)).collect();
    let light = (chance.range(-0.12, 0.12), chance.range(-0.12, 0.12));
    let (grain, seed) = (chance.range(0.0, 0.02), chance.bits() as u32);
    let fog = chance.range(0.6, 1.0);
    let soft = chance.range(0.0, 1.0);
    let sharp = Picture::from_fn(WIDTH, HEIGHT, |x, y| {
        let (u, v) = (x as f32 / WIDTH as f32, y as f32 / HEIGHT as f32);
        let place = surfaces.iter().rev().find(|surface| surface.covers(u, v));
        let [mut lightness, a, b] =
            place.map_or([0.5, 0.0, 0.0], |surface| surface.colour(x as f32, y as f32, u, v));
        lightness +=
            light.0 * (u - 0.5) + light.1 * (v - 0.5) + grain * (speck(x as i32, y as i32, seed) - 0.5) * 4.0;
        Space::Oklab.colour([0.5 + (lightness - 0.5) * fog, a * fog, b * fog])
    });
    lens(&sharp, soft)
}

/// A lens that is more or less sharp: every pixel takes a share of the mean around it.
fn lens(sharp: &Picture, soft: f32) -> Picture {
    Picture::from_fn(WIDTH, HEIGHT, |x, y| {
        let mut sum = [0.0; 3];
        for (dx, dy) in (0..9).map(|i| (i % 3, i / 3)) {
            let pixel = sharp
                .at((x + dx).saturating_sub(1).min(WIDTH - 1), (y + dy).saturating_sub(1).min(HEIGHT - 1));
            sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += f32::from(value) / 9.0);
        }
        let [own, mean] = [sharp.at(x, y).map(f32::from), sum];
        std::array::from_fn(|i| (own[i] + (mean[i] - own[i]) * soft) as u8)
    })
}

/// A part of a picture.
struct Surface {
    outline: Outline,
    colours: [[f32; 3]; 2],
    texture: Texture,
    /// Cosine and sine of the way the texture runs, by its scale.
    turn: (f32, f32),
    /// How much of another detail lies over the texture.
    wear: f32,
    random_seed: u32,
}

enum Outline {
    Everything,
    /// From a wavy line down.
    Below {
        line: f32,
        tilt: f32,
        wave: f32,
    },
    Ellipse {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        wave: f32,
    },
    Box {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
    },
}

#[derive(Clone, Copy)]
enum Texture {
    Plain,
    Gradient,
    /// Detail of all sizes, the finer the weaker by this power.
    Rough(f32),
    /// The same, drawn out in one direction.
    Hair(f32),
    Leaves,
    Stripes,
    Checks,
    Bricks,
    Dots,
    Grain,
}

impl Surface {
    fn draw(chance: &mut Rng, depth: u64) -> Self {
        let outline = match (depth, chance.below(5)) {
            (0, _) => Outline::Everything,
            (1 | 2, 0..=2) => Outline::Below {
                line: chance.range(0.2, 0.85),
                tilt: chance.range(-0.3, 0.3),
                wave: chance.range(0.0, 0.2),
            },
            (_, 3) => Outline::Box {
                x: chance.range(0.1, 0.9),
                y: chance.range(0.2, 0.9),
                width: chance.range(0.05, 0.3),
                height: chance.range(0.05, 0.4),
            },
            _ => Outline::Ellipse {
                x: chance.range(0.1, 0.9),
                y: chance.range(0.2, 0.9),
                width: chance.range(0.05, 0.3),
                height: chance.range(0.05, 0.4),
                wave: chance.range(0.0, 0.5),
            },
        };
        let first = colour(chance, depth);
        let other = colour(chance, depth);
        // Most surfaces have one colour in several shades.
        let apart = chance.range(0.05, 1.0).powi(2);
        let shade = chance.range(-0.35, 0.35);
        let second = [
            first[0] + shade + (other[0] - first[0]) * apart * 0.5,
            first[1] + (other[1] - first[1]) * apart,
            first[2] + (other[2] - first[2]) * apart,
        ];
        let angle = chance.range(0.0, std::f32::consts::PI);
        let scale = 2.0f32.powf(chance.range(-1.5, 2.0));
        // Most surfaces were not made by people.
        let texture = match chance.below(24) {
            0 => Texture::Plain,
            1..=3 => Texture::Gradient,
            4..=10 => Texture::Rough(chance.range(0.1, 1.2)),
            11..=15 => Texture::Hair(chance.range(0.1, 1.0)),
            16..=18 => Texture::Leaves,
            19 => Texture::Stripes,
            20 => Texture::Checks,
            21 => Texture::Bricks,
            22 => Texture::Dots,
            _ => Texture::Grain,
        };
        let wear = chance.range(0.0, 0.5);
        let turn = (angle.cos() / scale, angle.sin() / scale);
        Self { outline, colours: [first, second], texture, turn, wear, random_seed: chance.bits() as u32 }
    }

    fn covers(&self, u: f32, v: f32) -> bool {
        let ripple = |strength: f32, size: f32| {
            strength * (rough(u * size, v * size, 0.8, self.random_seed ^ 77) - 0.5)
        };
        match self.outline {
            Outline::Everything => true,
            Outline::Below { line, tilt, wave } => v > line + tilt * (u - 0.5) + ripple(wave, 6.0),
            Outline::Ellipse { x, y, width, height, wave } => {
                let (dx, dy) = ((u - x) / width, (v - y) / height);
                dx * dx + dy * dy < 1.0 + ripple(wave * 3.0, 10.0)
            }
            Outline::Box { x, y, width, height } => {
                (u - x).abs() < width / 2.0 && (v - y).abs() < height / 2.0
            }
        }
    }

    fn colour(&self, x: f32, y: f32, u: f32, v: f32) -> [f32; 3] {
        let (cos, sin) = self.turn;
        let (s, t) = (x * cos + y * sin, y * cos - x * sin);
        let blend = match self.texture {
            Texture::Plain => 0.0,
            Texture::Gradient => (v + 0.3 * (u - 0.5)).clamp(0.0, 1.0),
            Texture::Rough(power) => contrast(rough(s / 24.0, t / 24.0, power, self.random_seed), 2.2),
            Texture::Hair(power) => contrast(rough(s / 40.0, t / 6.0, power, self.random_seed), 2.0),
            Texture::Leaves => contrast(rough(s / 9.0, t / 9.0, 0.9, self.random_seed), 6.0),
            Texture::Stripes => contrast(
                0.5 + 0.5 * (s * 0.8 + 2.0 * rough(s / 60.0, t / 60.0, 1.0, self.random_seed)).sin(),
                3.0,
            ),
            Texture::Checks => f32::from(((s / 10.0).floor() as i32 + (t / 10.0).floor() as i32) & 1 == 0),
            Texture::Bricks => {
                let row = (t / 8.0).floor();
                let within = (s / 18.0 + 0.5 * (row as i32 & 1) as f32).rem_euclid(1.0);
                let joint = within < 0.08 || (t / 8.0).rem_euclid(1.0) < 0.14;
                if joint { 1.0 } else { 0.4 * speck((s / 18.0).floor() as i32, row as i32, self.random_seed) }
            }
            Texture::Dots => {
                let (dx, dy) = ((s / 14.0).rem_euclid(1.0) - 0.5, (t / 14.0).rem_euclid(1.0) - 0.5);
                contrast(1.0 - (dx * dx + dy * dy) * 6.0, 4.0)
            }
            Texture::Grain => {
                0.5 * speck(x as i32, y as i32, self.random_seed)
                    + 0.5 * rough(s / 12.0, t / 12.0, 0.7, self.random_seed)
            }
        };
        let blend = blend + self.wear * (rough(x / 15.0, y / 15.0, 0.5, self.random_seed ^ 5) - 0.5);
        let [a, b] = self.colours;
        std::array::from_fn(|i| a[i] + (b[i] - a[i]) * blend)
    }
}

/// A colour as it is seen: muted ones are common, blue and grey above, green and brown below, loud things in front.
fn colour(chance: &mut Rng, depth: u64) -> [f32; 3] {
    let hue = match (depth, chance.below(3)) {
        (0, 0 | 1) => chance.range(3.6, 4.8),
        (1 | 2, 0) => chance.range(1.6, 2.6),
        (1 | 2, 1) => chance.range(0.7, 1.6),
        _ => chance.range(0.0, std::f32::consts::TAU),
    };
    let vivid = chance.range(0.0, 1.0).powf(if depth > 2 { 1.2 } else { 2.5 });
    let lightness =
        if chance.below(6) == 0 { chance.range(0.0, 1.0).round() } else { chance.range(0.15, 0.95) };
    let strength = 0.24 * vivid * (1.0 - (2.0 * lightness - 1.1).abs().powi(2)).max(0.0);
    [lightness, strength * hue.cos(), strength * hue.sin()]
}

fn contrast(value: f32, strength: f32) -> f32 {
    (0.5 + (value - 0.5) * strength).clamp(0.0, 1.0)
}

/// Five octaves of smooth noise, from 0 to 1.
fn rough(x: f32, y: f32, power: f32, seed: u32) -> f32 {
    let fade = 0.5f32.powf(power);
    let (mut sum, mut total, mut strength, mut size) = (0.0, 0.0, 1.0, 1.0);
    for octave in 0..5 {
        sum += strength * smooth(x * size, y * size, seed.wrapping_add(octave * 101));
        total += strength;
        strength *= fade;
        size *= 2.03;
    }
    sum / total
}

fn smooth(x: f32, y: f32, seed: u32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    let (u, v) = (ease(x - left), ease(y - top));
    let at = |dx: i32, dy: i32| speck(left as i32 + dx, top as i32 + dy, seed);
    let upper = at(0, 0) + (at(1, 0) - at(0, 0)) * u;
    let lower = at(0, 1) + (at(1, 1) - at(0, 1)) * u;
    upper + (lower - upper) * v
}

/// Noise of a place, from 0 to 1.
fn speck(x: i32, y: i32, seed: u32) -> f32 {
    let mut hash = (x as u32).wrapping_mul(0x8da6_b343) ^ (y as u32).wrapping_mul(0xd816_3841) ^ seed;
    hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
    hash = (hash ^ hash >> 12).wrapping_mul(0x297a_2d39);
    (hash ^ hash >> 15) as f32 / u32::MAX as f32
}

/// Rng from a seed: splitmix64.
struct Rng(u64);

impl Rng {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / (1u64 << 24) as f32)
    }
}
