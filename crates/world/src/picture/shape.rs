//! Shapes of things in a scene: each is a rule for which of its two colours a point has.
//!
//! A shape fills the square from -1 to 1, y downwards, and touches its lower edge.

use super::noise::{distance, floor, fraction, rough, smooth, speck};

/// The kinds of thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Ball,
    Bird,
    Flower,
    Tree,
    Peak,
    House,
    Tower,
    Figure,
    Car,
    Wheel,
    Animal,
    Plane,
    Cup,
    Plate,
    Card,
    Planet,
    Chart,
    Nodes,
    Piece,
    Train,
    Arch,
    Blob,
}

impl Shape {
    /// The shape of a name in `data/scenes.txt`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ball" => Self::Ball,
            "bird" => Self::Bird,
            "flower" => Self::Flower,
            "tree" => Self::Tree,
            "peak" => Self::Peak,
            "house" => Self::House,
            "tower" => Self::Tower,
            "figure" => Self::Figure,
            "car" => Self::Car,
            "wheel" => Self::Wheel,
            "animal" => Self::Animal,
            "plane" => Self::Plane,
            "cup" => Self::Cup,
            "plate" => Self::Plate,
            "card" => Self::Card,
            "planet" => Self::Planet,
            "chart" => Self::Chart,
            "nodes" => Self::Nodes,
            "piece" => Self::Piece,
            "train" => Self::Train,
            "arch" => Self::Arch,
            "blob" => Self::Blob,
            _ => return None,
        })
    }

    /// How wide it is for its height.
    pub(super) fn aspect(self) -> f32 {
        match self {
            Self::Tower => 0.35,
            Self::Figure | Self::Piece => 0.45,
            Self::Car | Self::Animal | Self::Plane => 1.8,
            Self::Peak | Self::Plate => 1.7,
            Self::Train => 4.0,
            _ => 1.0,
        }
    }

    /// Whether it is upright on the ground; others may be anywhere and rotated.
    pub(super) fn stands(self) -> bool {
        match self {
            Self::Tree | Self::Peak | Self::House | Self::Tower | Self::Arch => true,
            Self::Figure | Self::Animal | Self::Piece | Self::Cup | Self::Chart => true,
            Self::Car | Self::Wheel | Self::Train => true,
            Self::Ball | Self::Bird | Self::Flower | Self::Plane | Self::Plate | Self::Card => false,
            Self::Planet | Self::Nodes | Self::Blob => false,
        }
    }

    /// The share of the second colour at a point; `None` outside.
    pub(super) fn at(self, x: f32, y: f32, seed: u32) -> Option<f32> {
        match self {
            Self::Ball => ball(x, y),
            Self::Bird => bird(x, y, seed),
            Self::Flower => flower(x, y, seed),
            Self::Tree => tree(x, y, seed),
            Self::Peak => peak(x, y, seed),
            Self::House => house(x, y),
            Self::Tower => Some(tower(x, y, seed)),
            Self::Figure => figure(x, y),
            Self::Car => car(x, y),
            Self::Wheel => wheel(x, y),
            Self::Animal => animal(x, y, seed),
            Self::Plane => plane(x, y),
            Self::Cup => cup(x, y),
            Self::Plate => plate(x, y, seed),
            Self::Card => card(x, y, seed),
            Self::Planet => planet(x, y, seed),
            Self::Chart => chart(x, y, seed),
            Self::Nodes => nodes(x, y, seed),
            Self::Piece => piece(x, y),
            Self::Train => train(x, y),
            Self::Arch => arch(x, y),
            Self::Blob => blob(x, y, seed),
        }
    }
}

fn within(inside: bool) -> Option<()> {
    inside.then_some(())
}

fn ball(x: f32, y: f32) -> Option<f32> {
    let r = distance(x, y);
    let seam = (x * 2.4 + 0.3 * y).sin().abs() < 0.12;
    within(r < 1.0).map(|()| if seam { 1.0 } else { 0.45 * r * r })
}

fn flower(x: f32, y: f32, seed: u32) -> Option<f32> {
    let r = distance(x, y);
    let petals = 5.0 + (seed % 4) as f32;
    let edge = 0.66 + 0.32 * (petals * y.atan2(x)).cos();
    within(r < edge).map(|()| if r < 0.24 { 1.0 } else { 0.35 * r })
}

fn tree(x: f32, y: f32, seed: u32) -> Option<f32> {
    let crown = distance(x, y * 1.25 + 0.35) < 0.72 + 0.3 * smooth(x * 4.0 + 9.0, y * 4.0, seed);
    if crown {
        Some(0.6 * rough(x * 5.0, y * 5.0, seed))
    } else {
        within(x.abs() < 0.1 && y > 0.0).map(|()| 1.0)
    }
}

fn peak(x: f32, y: f32, seed: u32) -> Option<f32> {
    let slope = x.abs() * (1.5 + 0.5 * smooth(x * 5.0, 0.0, seed)) - 1.0;
    let snow = y < -0.35 + 0.3 * smooth(x * 9.0, y * 3.0, seed);
    let rock = || 0.4 * rough(x * 6.0 + y * 3.0, y * 4.0, seed);
    within(y > slope).map(|()| if snow { 1.0 } else { rock() })
}

fn house(x: f32, y: f32) -> Option<f32> {
    let roof = y < -0.1 && y > -0.95 + x.abs() * 0.9;
    let wall = y >= -0.1 && x.abs() < 0.82;
    let window = (0.15..0.45).contains(&y) && (x.abs() - 0.45).abs() < 0.16;
    if roof { Some(0.9) } else { within(wall).map(|()| if window { 1.0 } else { 0.1 }) }
}

fn tower(x: f32, y: f32, seed: u32) -> f32 {
    let pane = fraction(x * 4.0) > 0.35 && fraction(y * 9.0) > 0.4;
    if pane { 0.4 + 0.6 * speck(floor(x * 4.0), floor(y * 9.0), seed) } else { 0.0 }
}

fn wheel(x: f32, y: f32) -> Option<f32> {
    let r = distance(x, y);
    let rim = (0.78..1.0).contains(&r);
    let spoke = r < 0.8 && (y.atan2(x) * 4.0).sin().abs() < 0.2;
    within(rim || spoke || r < 0.15).map(|()| f32::from(!rim))
}

fn plane(x: f32, y: f32) -> Option<f32> {
    let body = x.powi(2) + (y * 7.0).powi(2) < 1.0;
    let wing = (x - y.abs() * 0.7).abs() < 0.17 && y.abs() < 0.9;
    let tail = x > 0.75 && (-0.5..0.05).contains(&y) && x + y * 0.4 < 0.98;
    within(body || wing || tail).map(|()| if body { 0.1 } else { 0.8 })
}

fn cup(x: f32, y: f32) -> Option<f32> {
    let bowl = y > -0.5 && y < 0.8 && x.abs() < 0.62 - 0.2 * (y + 0.5);
    let handle = (0.2..0.34).contains(&distance(x - 0.62, y - 0.05));
    let drink = distance(x / 0.56, (y + 0.48) / 0.14) < 1.0;
    if drink { Some(1.0) } else { within(bowl || handle).map(|()| 0.2 * (x + 0.6).abs()) }
}

fn plate(x: f32, y: f32, seed: u32) -> Option<f32> {
    let r = distance(x, y);
    let food = || 0.45 + 0.55 * rough(x * 5.0, y * 5.0, seed);
    within(r < 1.0).map(|()| if r < 0.68 { food() } else { 0.12 * r })
}

/// A sheet, a book or a screen with rows of writing.
fn card(x: f32, y: f32, seed: u32) -> Option<f32> {
    let border = x.abs() > 0.72 || y.abs() > 0.86;
    let line = fraction(y * 6.0) < 0.4 && speck(floor(x * 7.0), floor(y * 6.0), seed) > 0.35;
    within(x.abs() < 0.8 && y.abs() < 0.95).map(|()| if border { 0.15 } else { f32::from(line) * 0.9 })
}

fn planet(x: f32, y: f32, seed: u32) -> Option<f32> {
    let bands = || 0.5 + 0.4 * (y * 9.0 + 2.0 * smooth(x * 3.0, y * 3.0, seed)).sin();
    within(distance(x, y) < 1.0).map(|()| bands() * 0.7 + 0.15 * (x + 1.0))
}

fn chart(x: f32, y: f32, seed: u32) -> Option<f32> {
    let bar = floor(x * 4.0);
    let top = 1.0 - 2.0 * (0.15 + 0.8 * speck(bar, 3, seed));
    within(y > top && fraction(x * 4.0) < 0.7).map(|()| speck(bar, 4, seed))
}

/// A chess piece.
fn piece(x: f32, y: f32) -> Option<f32> {
    let head = distance(x * 2.0, y + 0.62) < 0.36;
    let foot = 0.12 * f32::from(y > 0.72);
    let body = y > -0.4 && x.abs() < 0.22 + 0.55 * (y + 0.2).max(0.0).powi(2) + foot;
    within(head || body).map(|()| 0.5 + 0.5 * x)
}

fn train(x: f32, y: f32) -> Option<f32> {
    let window = (-0.5..0.0).contains(&y) && fraction(x * 7.0) > 0.3;
    let body = y < 0.7 && y > -0.9 && x.abs() < 0.98 - 0.1 * f32::from(y < -0.6);
    let wheel = y > 0.7 && fraction(x * 9.0) < 0.5;
    let stripe = f32::from((0.1..0.25).contains(&y));
    within(body || wheel).map(|()| if window || wheel { 1.0 } else { 0.35 * stripe })
}

fn arch(x: f32, y: f32) -> Option<f32> {
    let hole = x.abs() < 0.5 && (y > 0.0 || distance(x, y) < 0.5);
    let joint = f32::from(fraction(y * 5.0) < 0.14);
    within(!hole && y > -0.85).map(|()| 0.2 + 0.5 * joint)
}

fn blob(x: f32, y: f32, seed: u32) -> Option<f32> {
    let edge = 0.55 + 0.45 * smooth(x * 1.8 + 5.0, y * 1.8, seed);
    within(distance(x, y) < edge).map(|()| rough(x * 3.0, y * 3.0, seed))
}

fn bird(x: f32, y: f32, seed: u32) -> Option<f32> {
    let body = ((x * 0.9).powi(2) + ((y - 0.15 + 0.3 * x) * 2.1).powi(2)) < 0.5;
    let head = distance(x - 0.62, y + 0.22) < 0.24;
    let beak = x > 0.8 && x < 1.0 && (y + 0.2).abs() < (1.0 - x) * 0.4;
    let lift = if seed.is_multiple_of(2) { -1.0 } else { 0.6 };
    let wing = (x + 0.15).abs() < 0.3 && (y * lift) > 0.0 && (y * lift) < 0.95 - (x + 0.15).abs() * 1.6;
    let tail = x < -0.6 && x > -1.0 && (y - 0.35).abs() < 0.18;
    let eye = distance(x - 0.68, y + 0.28) < 0.05;
    if eye || beak {
        Some(1.0)
    } else if head {
        Some(0.15)
    } else if wing || tail {
        Some(0.55 + 0.4 * smooth(x * 9.0, y * 3.0, seed))
    } else {
        within(body).map(|()| 0.3 * smooth(x * 6.0, y * 6.0, seed))
    }
}

fn figure(x: f32, y: f32) -> Option<f32> {
    let head = distance(x * 0.5, y + 0.78) < 0.17;
    let trunk = (-0.58..0.15).contains(&y) && x.abs() < 0.62;
    let leg = y >= 0.15 && (x.abs() - 0.3).abs() < 0.24;
    if head {
        Some(1.0)
    } else if trunk {
        Some(0.1)
    } else {
        within(leg).map(|()| 0.55)
    }
}

fn car(x: f32, y: f32) -> Option<f32> {
    let wheel = distance(x.abs() - 0.56, (y - 0.55) * 0.56) < 0.19;
    let hub = distance(x.abs() - 0.56, (y - 0.55) * 0.56) < 0.08;
    let body = (-0.1..0.6).contains(&y) && x.abs() < 0.97 - 0.1 * f32::from(y < 0.1);
    let cabin = (-0.6..-0.1).contains(&y) && x.abs() < 0.62 + 0.3 * y;
    let glass = (-0.5..-0.12).contains(&y) && x.abs() < 0.52 + 0.3 * y && x.abs() > 0.05;
    if hub {
        Some(0.4)
    } else if wheel || glass {
        Some(1.0)
    } else {
        within(body || cabin).map(|()| 0.25 * (y + 0.6))
    }
}

fn animal(x: f32, y: f32, seed: u32) -> Option<f32> {
    let body = ((x + 0.1) / 0.68).powi(2) + ((y + 0.05) / 0.42).powi(2) < 1.0;
    let head = distance((x - 0.72) / 0.24, (y + 0.4) / 0.32) < 1.0;
    let leg = y > 0.1 && ((x + 0.1).abs() - 0.42).abs() < 0.1;
    let ear = (x - 0.6).abs() < 0.08 && (-0.95..-0.6).contains(&y);
    within(body || head || leg || ear).map(|()| 0.7 * smooth(x * 7.0, y * 5.0, seed))
}

/// Circles on a ring, with lines to the middle.
fn nodes(x: f32, y: f32, seed: u32) -> Option<f32> {
    let count = 4 + seed % 4;
    for i in 0..count {
        let turn = std::f32::consts::TAU * (i as f32 + 0.4 * speck(i as i32, 0, seed)) / count as f32;
        let (cx, cy) = (0.78 * turn.cos(), 0.78 * turn.sin());
        if distance(x - cx, y - cy) < 0.17 {
            return Some(0.0);
        }
        let along = (x * cx + y * cy) / (0.78 * 0.78);
        if (0.0..1.0).contains(&along) && distance(x - along * cx, y - along * cy) < 0.035 {
            return Some(1.0);
        }
    }
    within(distance(x, y) < 0.2).map(|()| 0.0)
}
