//! From a scene to pixels: surfaces, things, light, and the flaws of a camera.

use super::noise::{mix, smooth, speck};
use super::scene::{Band, Colour, Scene, Thing};
use super::shape::Shape;
use crate::Dice;

/// The height of every picture in the units of textures.
const UNITS: f32 = 160.0;

/// The pixels of a scene in rows of red, green and blue.
pub(super) fn paint(scene: &Scene, dice: Dice, width: u32, height: u32) -> Vec<u8> {
    let canvas = Canvas::new(dice, width, height);
    let laid = canvas.lay(scene);
    let mut pixels = canvas.surfaces(&laid);
    canvas.things(scene, &laid, &mut pixels);
    canvas.develop(&pixels)
}

struct Canvas {
    dice: Dice,
    width: u32,
    height: u32,
    /// Units per pixel.
    unit: f32,
    mirrored: bool,
}

/// A surface placed in one picture.
struct Laid<'a> {
    band: &'a Band,
    top: f32,
    bottom: f32,
    /// Cosine and sine of the texture's turn, by its scale.
    turn: (f32, f32),
    colours: [Colour; 2],
    random_seed: u32,
}

/// A thing placed in one picture, in units.
struct Pose {
    x: f32,
    y: f32,
    /// Half its width and height.
    half: (f32, f32),
    /// Sine and cosine.
    turn: (f32, f32),
    colours: [Colour; 2],
    random_seed: u32,
}

impl Canvas {
    fn new(dice: Dice, width: u32, height: u32) -> Self {
        let unit = UNITS / height as f32;
        Self { dice, width, height, unit, mirrored: dice.of("mirror").chance(0.5) }
    }

    /// The place of a pixel's middle: units from the left-to-right middle and from the top.
    fn place(&self, x: u32, y: u32) -> (f32, f32) {
        let u = (x as f32 + 0.5 - self.width as f32 / 2.0) * self.unit;
        (if self.mirrored { -u } else { u }, (y as f32 + 0.5) * self.unit)
    }

    fn lay<'a>(&self, scene: &'a Scene) -> Vec<Laid<'a>> {
        let mut top = 0.0;
        let mut laid: Vec<Laid<'_>> = Vec::with_capacity(scene.bands.len());
        for (place, band) in scene.bands.iter().enumerate() {
            let dice = self.dice.of("band").at(place as u64);
            let bottom = top + band.share * (0.65 + 0.7 * dice.of("share").unit() as f32);
            let scale = 0.65 + 0.9 * dice.of("scale").unit() as f32;
            let angle = (dice.of("angle").unit() as f32 - 0.5) * 0.3;
            let colours = band.colours.map(|colour| drift(colour, dice.of("drift")));
            let turn = (angle.cos() / scale, angle.sin() / scale);
            laid.push(Laid { band, top, bottom, turn, colours, random_seed: dice.bits() as u32 });
            top = bottom;
        }
        for one in &mut laid {
            one.top *= UNITS / top;
            one.bottom *= UNITS / top;
        }
        laid
    }

    fn surfaces(&self, laid: &[Laid<'_>]) -> Vec<Colour> {
        let seed = self.dice.of("edge").bits() as u32;
        let tilt = (self.dice.of("tilt").unit() as f32 - 0.5) * 0.08;
        let edge = |x| {
            let (u, _) = self.place(x, 0);
            tilt * u + 5.0 * (smooth(u / 17.0, 0.0, seed) - 0.5)
        };
        let edges: Vec<f32> = (0..self.width).map(edge).collect();
        let mut pixels = Vec::with_capacity(self.width as usize * self.height as usize);
        for y in 0..self.height {
            for (x, edge) in (0..self.width).zip(&edges) {
                let (u, v) = self.place(x, y);
                let here = laid.iter().find(|one| v + edge < one.bottom).or(laid.last());
                pixels.push(here.map_or([0.5; 3], |one| one.colour(u, v)));
            }
        }
        pixels
    }

    fn things(&self, scene: &Scene, laid: &[Laid<'_>], pixels: &mut [Colour]) {
        // A single surface is seen from above or is a wall: things are in its lower half.
        let horizon = laid.last().map_or(0.0, |ground| ground.top / UNITS).clamp(0.45, 0.75);
        for (place, thing) in scene.things.iter().enumerate() {
            let dice = self.dice.of("thing").at(place as u64);
            let count = if thing.count > 1 { dice.of("count").between(1, u64::from(thing.count)) } else { 1 };
            for i in 0..count {
                // The later ones are lower, that is nearer, and cover the earlier ones.
                let chance = dice.at(i).of("near").unit() as f32;
                let near = if count > 1 { (i as f32 + chance) / count as f32 } else { 0.25 + 0.6 * chance };
                let pose = self.pose(thing, dice.at(i), near, if count > 1 { 0.9 } else { 0.4 }, horizon);
                self.draw(thing.shape, &pose, pixels);
            }
        }
    }

    fn pose(&self, thing: &Thing, dice: Dice, near: f32, spread: f32, horizon: f32) -> Pose {
        let chance = |name| dice.of(name).unit() as f32;
        let stands = thing.shape.stands();
        let height = thing.size * UNITS * (0.6 + 0.35 * near + 0.45 * chance("size"));
        let foot = (mix(horizon + 0.06, 0.97, near) * UNITS - height / 2.0).max(height * 0.45);
        let free = UNITS * (0.5 + (near - 0.5) * 0.8 * spread);
        let angle = (chance("angle") - 0.5) * if stands { 0.06 } else { 0.6 };
        Pose {
            x: (chance("x") * 2.0 - 1.0) * self.width as f32 * self.unit / 2.0 * spread,
            y: if stands { foot } else { free },
            half: (height / 2.0 * thing.shape.aspect(), height / 2.0),
            turn: angle.sin_cos(),
            colours: thing.colours.map(|colour| drift(colour, dice.of("drift"))),
            random_seed: dice.of("seed").bits() as u32,
        }
    }

    fn draw(&self, shape: Shape, pose: &Pose, pixels: &mut [Colour]) {
        let (half_w, half_h) = pose.half;
        let (sin, cos) = pose.turn;
        let (columns, rows) = self.box_around(pose.x, pose.y, half_h.hypot(half_w));
        for y in rows {
            for x in columns.clone() {
                let (u, v) = self.place(x, y);
                let (du, dv) = (u - pose.x, v - pose.y);
                let (sx, sy) = ((du * cos + dv * sin) / half_w, (dv * cos - du * sin) / half_h);
                if sx.abs() > 1.0 || sy.abs() > 1.0 {
                    continue;
                }
                let pixel = pixels.get_mut(y as usize * self.width as usize + x as usize);
                if let (Some(share), Some(pixel)) = (shape.at(sx, sy, pose.random_seed), pixel) {
                    let light = 1.1 - 0.2 * (sx + sy);
                    *pixel = blend(pose.colours, share).map(|part| part * light);
                }
            }
        }
    }

    /// The pixels within `reach` of a place.
    fn box_around(&self, cx: f32, cy: f32, reach: f32) -> (std::ops::Range<u32>, std::ops::Range<u32>) {
        let middle = self.width as f32 / 2.0 + if self.mirrored { -cx } else { cx } / self.unit;
        let clip = |at: f32, limit: u32| at.clamp(0.0, limit as f32) as u32;
        let (r, row) = (reach / self.unit + 1.0, cy / self.unit);
        (
            clip(middle - r, self.width)..clip(middle + r, self.width),
            clip(row - r, self.height)..clip(row + r, self.height),
        )
    }

    /// Light, haze, the lens and the film.
    fn develop(&self, pixels: &[Colour]) -> Vec<u8> {
        let chance = |name| self.dice.of(name).unit() as f32;
        let brightness = 0.72 + 0.38 * chance("light");
        let contrast = 0.75 + 0.45 * chance("contrast");
        let warmth = (chance("warmth") - 0.5) * 0.22;
        let tint = [1.0 + warmth, 1.0, 1.0 - warmth];
        let saturation =
            if self.dice.of("grey").chance(0.05) { 0.0 } else { 0.6 + 0.6 * chance("saturation") };
        let vignette = 0.35 * chance("vignette");
        let grain = 0.02 + 0.06 * chance("grain");
        let seed = self.dice.of("film").bits() as u32;
        let mut bytes = Vec::with_capacity(pixels.len() * 3);
        let (w, h) = (self.width as usize, self.height as f32);
        for (i, pixel) in pixels.iter().enumerate() {
            let (x, y) = (i % w, i / w);
            let (dx, dy) = (x as f32 / w as f32 - 0.5, y as f32 / h - 0.5);
            let shade = brightness * (1.0 - vignette * 2.0 * (dx * dx + dy * dy));
            let noise = (speck(x as i32, y as i32, seed) - 0.5) * grain;
            let grey = 0.3 * pixel[0] + 0.59 * pixel[1] + 0.11 * pixel[2];
            for (part, tint) in pixel.iter().zip(tint) {
                let value = (mix(grey, *part, saturation) * tint - 0.5) * contrast + 0.5;
                bytes.push(((value * shade + noise) * 255.0).clamp(0.0, 255.0) as u8);
            }
        }
        bytes
    }
}

impl Laid<'_> {
    fn colour(&self, u: f32, v: f32) -> Colour {
        let height = self.bottom - self.top;
        let depth = ((v - self.top) / height).clamp(0.0, 1.0);
        let (u, v) = if self.band.texture.recedes() {
            // Seen along the ground: distant parts are small, and straight lines stay straight.
            let far = 1.0 / (depth + 0.6);
            (u * far, -height * far)
        } else {
            (u, v)
        };
        let (cos, sin) = self.turn;
        blend(
            self.colours,
            self.band.texture.blend(u * cos + v * sin, v * cos - u * sin, depth, self.random_seed),
        )
    }
}

fn blend([a, b]: [Colour; 2], t: f32) -> Colour {
    let t = t.clamp(0.0, 1.0);
    [mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t)]
}

/// Moves a colour a little, mostly in its lightness: no two walls are painted the same.
fn drift(colour: Colour, dice: Dice) -> Colour {
    let lightness = 0.8 + 0.3 * dice.unit() as f32;
    let mut part = 0;
    colour.map(|value| {
        part += 1;
        (value * lightness + (dice.at(part).unit() as f32 - 0.5) * 0.1).clamp(0.0, 1.0)
    })
}
