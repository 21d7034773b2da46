//! Smoothing that stops at edges: anisotropic diffusion with Tukey's biweight, equations 4 and 7 of Zhang 2008.
//!
//! Differences between neighbours above `edge` do not diffuse at all, so that outlines stay sharp while grain
//! disappears. Each colour channel is smoothed separately, as in Zhang 2008, which leaves the inner loop without a
//! branch. It runs at half size: that keeps what the segmentation needs, at a quarter of the time.

use crate::Picture;

/// How strongly to smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diffusion {
    /// Neighbours that differ by more than this (of 255) do not mix: sigma in Zhang 2008.
    pub edge: f32,
    /// The rate of one step, from 0 to 1: lambda in Zhang 2008.
    pub rate: f32,
    /// How many steps.
    pub steps: usize,
}

impl Default for Diffusion {
    fn default() -> Self {
        Self { edge: 30.0, rate: 1.0, steps: 6 }
    }
}

/// Three planes of numbers, one a channel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planes {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) values: [Vec<f32>; 3],
}

impl Planes {
    /// Pixels from left to right.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The colour at a place of the row-by-row order, black outside.
    pub fn at(&self, place: usize) -> [f32; 3] {
        [0, 1, 2].map(|channel: usize| self.values[channel].get(place).copied().unwrap_or_default())
    }

    /// Takes a picture at half its size, two by two pixels averaged; the last odd row or column is left out.
    pub(crate) fn halve(&mut self, picture: &Picture) {
        self.width = (picture.width() / 2).max(1);
        self.height = (picture.height() / 2).max(1);
        self.values.iter_mut().for_each(Vec::clear);
        let stride = picture.width() * 3;
        let right = if picture.width() > 1 { 3 } else { 0 };
        let below = if picture.height() > 1 { stride } else { 0 };
        let [red, green, blue] = &mut self.values;
        for y in 0..self.height {
            let upper = picture.bytes().get(y * 2 * stride..).unwrap_or_default();
            let lower = picture.bytes().get(y * 2 * stride + below..).unwrap_or_default();
            let step = 3 + right;
            for (a, b) in upper.chunks(step).zip(lower.chunks(step)).take(self.width) {
                let mean = |channel: usize| {
                    let get = |row: &[u8], at: usize| row.get(at).copied().map_or(0.0, f32::from);
                    let (left, next) = (channel, channel + right);
                    (get(a, left) + get(a, next) + get(b, left) + get(b, next)) * 0.25
                };
                red.push(mean(0));
                green.push(mean(1));
                blue.push(mean(2));
            }
        }
    }
}

/// Smooths all three planes in place; `scratch` is overwritten.
pub fn smooth(planes: &mut Planes, diffusion: &Diffusion, scratch: &mut Vec<f32>) {
    let (width, height) = (planes.width, planes.height);
    if planes.values.iter().any(|plane| plane.len() != width * height) || width == 0 {
        return;
    }
    for plane in &mut planes.values {
        for _ in 0..diffusion.steps {
            step(plane, width, height, diffusion, scratch);
        }
    }
}

fn step(plane: &mut [f32], width: usize, height: usize, diffusion: &Diffusion, flow: &mut Vec<f32>) {
    let inverse = 1.0 / (diffusion.edge * diffusion.edge).max(f32::MIN_POSITIVE);
    let psi = |difference: f32| {
        let rest = (1.0 - difference * difference * inverse).max(0.0);
        difference * rest * rest
    };
    flow.clear();
    flow.resize(plane.len(), 0.0);
    for (row, flow) in plane.chunks_exact(width).zip(flow.chunks_exact_mut(width)) {
        let (left, right) = (row, row.get(1..).unwrap_or_default());
        for ((flow, left), right) in flow.iter_mut().zip(left).zip(right) {
            *flow += psi(right - left);
        }
        for ((flow, left), right) in flow.iter_mut().skip(1).zip(left).zip(right) {
            *flow += psi(left - right);
        }
    }
    for y in 1..height {
        let (upper, lower) = plane.split_at(y * width);
        let (flow_up, flow_down) = flow.split_at_mut(y * width);
        let above = upper.iter().zip(flow_up).skip((y - 1) * width);
        for ((above, up), (below, down)) in above.zip(lower.iter().zip(flow_down)) {
            let moved = psi(below - above);
            *up += moved;
            *down -= moved;
        }
    }
    for (y, (row, flow)) in plane.chunks_exact_mut(width).zip(flow.chunks_exact(width)).enumerate() {
        let vertical = usize::from(y > 0) + usize::from(y + 1 < height);
        let share = |neighbours: usize| diffusion.rate / neighbours.max(1) as f32;
        let inner = share(vertical + 2);
        for (value, flow) in row.iter_mut().zip(flow) {
            *value += inner * flow;
        }
        // The ends of a row have a neighbour less.
        let ends = if width > 1 { [0, width - 1] } else { [0, 0] };
        let correction = share(vertical + usize::from(width > 1)) - inner;
        for end in ends.iter().take(width.min(2)) {
            if let (Some(value), Some(flow)) = (row.get_mut(*end), flow.get(*end)) {
                *value += correction * flow;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes(width: usize, height: usize, values: &[f32]) -> Planes {
        Planes { width, height, values: [values.to_vec(), values.to_vec(), values.to_vec()] }
    }

    #[test]
    fn one_step_is_the_equation_of_zhang_2008() {
        let check = |width: usize, height: usize, before: &[f32], expect: &[f32]| {
            let mut planes = planes(width, height, before);
            smooth(&mut planes, &Diffusion { edge: 10.0, rate: 1.0, steps: 1 }, &mut Vec::new());
            for (found, expect) in planes.values[1].iter().zip(expect) {
                assert!((found - expect).abs() < 1e-4, "{:?} is not {expect:?}", planes.values[1]);
            }
        };
        // psi(5) = 5 (1 - 1/4)^2 = 2.8125; an end has one neighbour, the middle two.
        check(3, 1, &[0.0, 5.0, 5.0], &[2.8125, 3.59375, 5.0]);
        // 10 and more do not flow.
        check(3, 1, &[0.0, 10.0, 30.0], &[0.0, 10.0, 30.0]);
        // A corner has two neighbours: (2.8125 + 2.8125) / 2, its neighbours lose half of 2.8125.
        check(2, 2, &[0.0, 5.0, 5.0, 5.0], &[2.8125, 3.59375, 3.59375, 5.0]);
        // The middle of a 3x3 has four neighbours, the middle of a side three: 5 - 2.8125, 0 + 2.8125 / 3.
        let third = 2.8125 / 3.0;
        check(
            3,
            3,
            &[0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, third, 0.0, third, 2.1875, third, 0.0, third, 0.0],
        );
        check(1, 1, &[7.0], &[7.0]);
    }

    #[test]
    fn grain_is_removed_and_edges_stay() {
        let noisy: Vec<f32> =
            (0..64).map(|i| if i % 8 < 4 { 50.0 } else { 200.0 } + [0.0, 4.0, 1.0][i % 3]).collect();
        let mut planes = planes(8, 8, &noisy);
        smooth(&mut planes, &Diffusion::default(), &mut Vec::new());
        let row = &planes.values[0][24..32];
        assert!(row[..4].iter().all(|v| (50.0..54.0).contains(v)), "{row:?}");
        assert!(row[4..].iter().all(|v| (200.0..204.0).contains(v)), "{row:?}");
        let spread = |part: &[f32]| part.iter().fold(0.0f32, |m, v| m.max((v - part[0]).abs()));
        assert!(spread(&row[..4]) < 1.5, "{row:?}");
    }

    #[test]
    fn halving_averages_four() {
        let mut planes = Planes::default();
        planes.halve(&Picture::from_fn(5, 2, |x, y| [(x * 10 + y * 2) as u8; 3]));
        assert_eq!((planes.width, planes.height), (2, 1));
        assert_eq!(planes.values[2], [6.0, 26.0]);
        planes.halve(&Picture::from_fn(1, 3, |_, y| [y as u8; 3]));
        assert_eq!((planes.width, planes.height, planes.values[0].as_slice()), (1, 1, [0.5].as_slice()));
    }
}
