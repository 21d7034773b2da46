//! Scales the longest side, so that a tile means the same in every picture.
//!
//! Down by area averaging, which avoids aliasing; up by blending neighbours. One pass over the rows with one row of
//! sums: a large picture is not copied.

use crate::Picture;

/// Scales a picture so that its longest side has `side` pixels and the other at least one.
pub(super) fn to_side(picture: Picture, side: usize) -> Picture {
    let longest = picture.width().max(picture.height());
    if longest == side || side == 0 {
        return picture;
    }
    let scaled = |length: usize| ((length * side * 2 + longest) / (longest * 2)).max(1);
    to_size(&picture, scaled(picture.width()), scaled(picture.height()))
}

/// Scales to any size.
pub(crate) fn to_size(picture: &Picture, width: usize, height: usize) -> Picture {
    let columns = Span::all(picture.width(), width);
    let rows = Span::all(picture.height(), height);
    let mut wide = vec![0.0f32; width * 3];
    let mut sums = vec![0.0f32; width * 3];
    let mut bytes = Vec::with_capacity(width * height * 3);
    // The last row that was made narrow: one that two rows of the result share is not made twice.
    let mut ready = usize::MAX;
    for span in &rows {
        sums.fill(0.0);
        for (place, weight) in span.parts() {
            if place != ready {
                let row = picture.bytes().get(place * picture.width() * 3..).unwrap_or_default();
                narrow(row, &columns, &mut wide);
                ready = place;
            }
            for (sum, value) in sums.iter_mut().zip(&wide) {
                *sum += value * weight;
            }
        }
        bytes.extend(sums.iter().map(|sum| (sum + 0.5) as u8));
    }
    Picture::new(width, height, bytes).unwrap_or_default()
}

fn narrow(row: &[u8], columns: &[Span], out: &mut [f32]) {
    let pixels = row.as_chunks::<3>().0;
    for (span, out) in columns.iter().zip(out.as_chunks_mut::<3>().0) {
        *out = [0.0; 3];
        for (place, weight) in span.parts() {
            let Some(pixel) = pixels.get(place) else { continue };
            for (sum, value) in out.iter_mut().zip(pixel) {
                *sum += f32::from(*value) * weight;
            }
        }
    }
}

/// The stretch of the old pixels that a new one covers; the weights sum to one.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: usize,
    last: usize,
    first_weight: f32,
    middle_weight: f32,
    last_weight: f32,
}

impl Span {
    fn all(old: usize, new: usize) -> Vec<Self> {
        let step = old as f64 / new as f64;
        (0..new)
            .map(|i| if step >= 1.0 { Self::area(i, step, old) } else { Self::blend(i, step, old) })
            .collect()
    }

    fn area(i: usize, step: f64, old: usize) -> Self {
        let (from, to) = (i as f64 * step, ((i + 1) as f64 * step).min(old as f64));
        let first = (from as usize).min(old - 1);
        let last = ((to.ceil() as usize).max(1) - 1).clamp(first, old - 1);
        let part = |length: f64| (length / (to - from)) as f32;
        if first == last {
            return Self { first, last, first_weight: 1.0, middle_weight: 0.0, last_weight: 0.0 };
        }
        Self {
            first,
            last,
            first_weight: part(first as f64 + 1.0 - from),
            middle_weight: part(1.0),
            last_weight: part(to - last as f64),
        }
    }

    fn blend(i: usize, step: f64, old: usize) -> Self {
        let middle = ((i as f64 + 0.5) * step - 0.5).clamp(0.0, (old - 1) as f64);
        let first = middle as usize;
        let share = (middle - first as f64) as f32;
        let last = (first + 1).min(old - 1);
        let first_weight = if first == last { 1.0 } else { 1.0 - share };
        Self { first, last, first_weight, middle_weight: 0.0, last_weight: share }
    }

    fn parts(self) -> impl Iterator<Item = (usize, f32)> {
        (self.first..=self.last).map(move |place| {
            let weight = match place {
                _ if place == self.first => self.first_weight,
                _ if place == self.last => self.last_weight,
                _ => self.middle_weight,
            };
            (place, weight)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(values: &[&[u8]]) -> Picture {
        Picture::from_fn(values[0].len(), values.len(), |x, y| [values[y][x]; 3])
    }

    #[test]
    fn scaling_averages_areas_and_blends_neighbours() {
        let check = |from: &[&[u8]], size: (usize, usize), expect: &[&[u8]]| {
            assert_eq!(to_size(&grey(from), size.0, size.1), grey(expect));
        };
        check(&[&[0, 100, 200, 100]], (2, 1), &[&[50, 150]]);
        // Three to two: one and a half old pixels each.
        check(&[&[0, 90, 180]], (2, 1), &[&[30, 150]]);
        check(&[&[0, 100], &[100, 200]], (1, 1), &[&[100]]);
        check(&[&[0, 100]], (4, 1), &[&[0, 25, 75, 100]]);
        check(&[&[7]], (3, 2), &[&[7, 7, 7], &[7, 7, 7]]);
    }

    #[test]
    fn the_longest_side_is_as_requested_and_no_side_vanishes() {
        let check = |width: usize, height: usize, expect: (usize, usize)| {
            let picture = to_side(Picture::from_fn(width, height, |_, _| [9; 3]), 384);
            assert_eq!((picture.width(), picture.height()), expect);
            assert!(picture.bytes().iter().all(|byte| *byte == 9));
        };
        check(384, 256, (384, 256));
        check(768, 511, (384, 256));
        check(1, 1, (384, 384));
        check(30_000, 1, (384, 1));
        check(2, 9_999, (1, 384));
    }
}
