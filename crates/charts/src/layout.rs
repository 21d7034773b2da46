//! The positions of the nodes of a graph.
//!
//! A force-directed layout (Fruchterman and Reingold): a sitemap is small, has many cycles and no natural layers. The
//! start positions and the number of steps are fixed, and the code uses only operations that IEEE 754 defines exactly
//! (no sines), so the same graph looks the same on every machine.

use crate::canvas::Point;

/// The size of the drawing; one with few discs is less high.
pub(crate) const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 540.0;

/// Room at the rim for discs, loops and names.
const SIDE: f64 = 75.0;
const TOP: f64 = 62.0;
pub(crate) const BOTTOM: f64 = 56.0;

const STEPS: usize = 300;

/// What draws two discs together.
pub(crate) struct Spring {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// From 0 to 1.
    pub(crate) strength: f64,
}

/// Positions for discs inside the drawing; `boxes` has half the room that each needs with its name.
pub(crate) fn positions(boxes: &[(f64, f64)], springs: &[Spring]) -> Vec<Point> {
    let mut places = spring_up(boxes.len(), springs);
    part(&mut places, boxes);
    places
}

pub(crate) fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

pub(crate) fn unit(x: f64, y: f64) -> (f64, f64) {
    let length = length(x, y);
    if length > 1e-9 { (x / length, y / length) } else { (1.0, 0.0) }
}

fn spring_up(count: usize, springs: &[Spring]) -> Vec<Point> {
    let mut places = spread(count);
    let ideal = (1.0 / count.max(1) as f64).sqrt();
    for step in 0..STEPS {
        let reach = 0.12 * (1.0 - step as f64 / STEPS as f64) + 0.001;
        let forces = forces(&places, springs, ideal);
        for (place, force) in places.iter_mut().zip(forces) {
            let size = length(force.0, force.1);
            let (x, y) = unit(force.0, force.1);
            place.0 += x * size.min(reach);
            place.1 += y * size.min(reach);
        }
    }
    into_box(&places)
}

/// A fixed, even, irregular spread over the unit square: multiples of irrational numbers (the plastic ratio's).
fn spread(count: usize) -> Vec<Point> {
    let place = |index: usize| {
        let n = index as f64 + 0.5;
        ((n * 0.754_877_666_246_692_8).fract(), (n * 0.569_840_290_998_053_3).fract())
    };
    (0..count).map(place).collect()
}

fn forces(places: &[Point], springs: &[Spring], ideal: f64) -> Vec<(f64, f64)> {
    // A weak pull to the middle keeps unconnected parts from drifting apart.
    let mut forces: Vec<(f64, f64)> =
        places.iter().map(|&(x, y)| ((0.5 - x) * 0.6, (0.5 - y) * 0.6)).collect();
    for (force, a) in forces.iter_mut().zip(places) {
        for b in places {
            let (dx, dy) = (a.0 - b.0, a.1 - b.1);
            let distance = length(dx, dy);
            if distance > 1e-9 {
                let push = ideal * ideal / distance.max(0.01);
                force.0 += dx / distance * push;
                force.1 += dy / distance * push;
            }
        }
    }
    for &Spring { from, to, strength } in springs {
        let (Some(&a), Some(&b)) = (places.get(from), places.get(to)) else { continue };
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let pull = length(dx, dy) / ideal * (0.1 + 0.5 * strength);
        for (end, sign) in [(from, pull), (to, -pull)] {
            if let Some(force) = forces.get_mut(end) {
                (force.0, force.1) = (force.0 + dx * sign, force.1 + dy * sign);
            }
        }
    }
    forces
}

/// Stretches the places over the drawing, or over a part of it if there are few.
fn into_box(places: &[Point]) -> Vec<Point> {
    let range = |coordinate: fn(&Point) -> f64| {
        let ends = places.iter().map(coordinate);
        ends.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((left, right), (top, bottom)) = (range(|place| place.0), range(|place| place.1));
    let room = 150.0 * (places.len() as f64).sqrt();
    let width = (WIDTH - 2.0 * SIDE).min(room * 1.4);
    let height = (HEIGHT - TOP - BOTTOM).min(room);
    let share =
        |value: f64, low: f64, high: f64| if high - low > 1e-9 { (value - low) / (high - low) } else { 0.5 };
    let place = |&(x, y): &Point| {
        ((WIDTH - width) / 2.0 + share(x, left, right) * width, TOP + share(y, top, bottom) * height)
    };
    places.iter().map(place).collect()
}

/// Pushes discs apart whose names would overlap, a little at a time, each in the direction that needs less.
fn part(places: &mut [Point], boxes: &[(f64, f64)]) {
    const ROUNDS: usize = 80;
    for _ in 0..ROUNDS {
        let before: Vec<(Point, (f64, f64))> = places.iter().copied().zip(boxes.iter().copied()).collect();
        for (a, place) in places.iter_mut().enumerate() {
            let Some(&((x, y), half)) = before.get(a) else { continue };
            for (b, &((other_x, other_y), other)) in before.iter().enumerate() {
                let (dx, dy) = (x - other_x, y - other_y);
                let over = (half.0 + other.0 - dx.abs(), half.1 + other.1 - dy.abs());
                if a == b || over.0 <= 0.0 || over.1 <= 0.0 {
                    continue;
                }
                // Two on the same spot part by their order.
                let sign = |d: f64| if d > 0.0 || (d == 0.0 && a > b) { 1.0 } else { -1.0 };
                if over.0 < over.1 {
                    place.0 += sign(dx) * over.0 * 0.3;
                } else {
                    place.1 += sign(dy) * over.1 * 0.3;
                }
            }
            *place = (place.0.clamp(SIDE, WIDTH - SIDE), place.1.clamp(TOP, HEIGHT - BOTTOM));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn springs(ends: impl Iterator<Item = (usize, usize)>) -> Vec<Spring> {
        ends.map(|(from, to)| Spring { from, to, strength: 1.0 }).collect()
    }

    #[test]
    fn names_are_pushed_apart() {
        let boxes = [(20.0, 22.0); 30];
        let places = positions(&boxes, &springs((0..30).map(|place| (0, place))));
        for (index, a) in places.iter().enumerate() {
            for b in &places[..index] {
                let beside = (a.0 - b.0).abs() > 40.0 * 0.9;
                let above = (a.1 - b.1).abs() > 44.0 * 0.9;
                assert!(beside || above, "{a:?} lies on {b:?}");
            }
        }
    }

    #[test]
    fn discs_are_inside_and_do_not_overlap() {
        let places = spring_up(12, &springs((0..12).map(|place| (place, (place * 5 + 1) % 12))));
        for (index, a) in places.iter().enumerate() {
            assert!((0.0..=WIDTH).contains(&a.0) && (0.0..=HEIGHT).contains(&a.1));
            for b in &places[..index] {
                assert!(length(a.0 - b.0, a.1 - b.1) > 20.0, "{a:?} and {b:?}");
            }
        }
    }
}
