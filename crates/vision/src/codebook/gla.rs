//! The generalised Lloyd algorithm (k-means): `n` centres for many points.
//!
//! The result depends on the random seed and not on the number of threads: points are summed in blocks of a fixed size,
//! and the sums of the blocks are added in order. The first centres are drawn by k-means++, which gives better results
//! than the plain draw of Zhang 2008. A centre that loses all its points moves to the point that is farthest from its
//! centre.

use std::panic::resume_unwind;
use std::thread;

use crate::colour::apart;

/// How to cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gla {
    /// How many centres.
    pub centres: usize,
    /// The maximum number of rounds.
    pub rounds: usize,
    /// Stop when the mean squared error shrinks by less than this share in a round.
    pub least_gain: f32,
    /// The seed of the random number generator.
    pub random_seed: u64,
    /// How many threads; changes the time only.
    pub threads: usize,
}

impl Default for Gla {
    fn default() -> Self {
        Self { centres: 256, rounds: 40, least_gain: 1e-4, random_seed: 1, threads: 1 }
    }
}

/// A centre and the number of its points.
#[derive(Clone, Debug, PartialEq)]
pub struct Centre<const N: usize> {
    /// The position.
    pub point: [f32; N],
    /// The number of its points.
    pub weight: f32,
}

const BLOCK: usize = 4096;

impl Gla {
    /// Clusters points; there are fewer centres if there are fewer different points, and none without points.
    pub fn cluster<const N: usize>(&self, points: &[[f32; N]]) -> Vec<Centre<N>> {
        let mut centres = self.first_centres(points);
        let mut error = f64::INFINITY;
        for _ in 0..self.rounds {
            let sums = self.assign(points, &centres);
            let next = sums.error / points.len().max(1) as f64;
            centres = sums.centres(&centres);
            if error - next <= f64::from(self.least_gain) * error && error.is_finite() {
                break;
            }
            error = next;
        }
        centres.retain(|centre| centre.weight > 0.0);
        centres
    }

    fn first_centres<const N: usize>(&self, points: &[[f32; N]]) -> Vec<Centre<N>> {
        let mut chance = Rng(self.random_seed);
        let mut centres: Vec<Centre<N>> = Vec::with_capacity(self.centres);
        // A sample is enough to draw from; it bounds the work at the start.
        let sample: Vec<&[f32; N]> = match points.len() {
            0 => return centres,
            many => (0..many.min(self.centres * 40)).map(|_| &points[chance.below(many)]).collect(),
        };
        let mut distances = vec![f32::INFINITY; sample.len()];
        while centres.len() < self.centres {
            let total: f64 = distances.iter().map(|d| f64::from(*d)).sum();
            let place = if total.is_finite() {
                let mut left = chance.unit() * total;
                distances.iter().position(|d| {
                    left -= f64::from(*d);
                    left < 0.0
                })
            } else {
                Some(chance.below(sample.len()))
            };
            // No distance left: every point of the sample is a centre.
            let Some(point) = place.and_then(|place| sample.get(place)).copied().copied() else { break };
            for (distance, other) in distances.iter_mut().zip(&sample) {
                *distance = distance.min(apart(&point, *other));
            }
            centres.push(Centre { point, weight: 1.0 });
        }
        centres
    }

    fn assign<const N: usize>(&self, points: &[[f32; N]], centres: &[Centre<N>]) -> Sums<N> {
        let blocks: Vec<&[[f32; N]]> = points.chunks(BLOCK).collect();
        let threads = self.threads.clamp(1, blocks.len().max(1));
        let mut total = Sums::new(centres.len());
        // Rounds with one block per thread keep the memory small and the order fixed.
        for round in blocks.chunks(threads) {
            let parts: Vec<Sums<N>> = if let [block] = round {
                vec![Sums::of(block, centres)]
            } else {
                thread::scope(|scope| {
                    let started: Vec<_> =
                        round.iter().map(|block| scope.spawn(|| Sums::of(block, centres))).collect();
                    // a panic is passed on: a codebook without the sums of one thread would be silently wrong
                    started
                        .into_iter()
                        .map(|thread| thread.join().unwrap_or_else(|cause| resume_unwind(cause)))
                        .collect()
                })
            };
            parts.iter().for_each(|part| total.add(part));
        }
        total
    }
}

/// What a block of points adds to each centre.
struct Sums<const N: usize> {
    sums: Vec<[f64; N]>,
    counts: Vec<u64>,
    error: f64,
    /// The point that is farthest from its centre.
    worst: (f32, [f32; N]),
}

impl<const N: usize> Sums<N> {
    fn new(centres: usize) -> Self {
        Self { sums: vec![[0.0; N]; centres], counts: vec![0; centres], error: 0.0, worst: (-1.0, [0.0; N]) }
    }

    fn of(points: &[[f32; N]], centres: &[Centre<N>]) -> Self {
        let mut all = Self::new(centres.len());
        for point in points {
            let (nearest, distance) = nearest(point, centres.iter().map(|centre| &centre.point));
            if let (Some(sum), Some(count)) = (all.sums.get_mut(nearest), all.counts.get_mut(nearest)) {
                sum.iter_mut().zip(point).for_each(|(sum, value)| *sum += f64::from(*value));
                *count += 1;
            }
            all.error += f64::from(distance);
            if distance > all.worst.0 {
                all.worst = (distance, *point);
            }
        }
        all
    }

    fn add(&mut self, other: &Self) {
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.error += other.error;
        if other.worst.0 > self.worst.0 {
            self.worst = other.worst;
        }
    }

    fn centres(&self, old: &[Centre<N>]) -> Vec<Centre<N>> {
        let mut spare = (self.worst.0 > 0.0).then_some(self.worst.1);
        let mean = |(sum, count): (&[f64; N], &u64), old: &Centre<N>| match count {
            0 => Centre { point: spare.take().unwrap_or(old.point), weight: 0.0 },
            count => Centre { point: sum.map(|sum| (sum / *count as f64) as f32), weight: *count as f32 },
        };
        let mut mean = mean;
        self.sums.iter().zip(&self.counts).zip(old).map(|(new, old)| mean(new, old)).collect()
    }
}

/// The nearest of some points and the square of its distance; the first of equal ones.
pub(crate) fn nearest<'a, const N: usize>(
    point: &[f32; N],
    others: impl Iterator<Item = &'a [f32; N]>,
) -> (usize, f32) {
    let mut best = (0, f32::INFINITY);
    for (i, other) in others.enumerate() {
        let distance = apart(point, other);
        if distance < best.1 {
            best = (i, distance);
        }
    }
    best
}

/// A random number generator: splitmix64.
#[derive(Clone, Debug)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_are_the_means_of_clumps() {
        let points: Vec<[f32; 2]> = [[0.0, 0.0], [0.0, 2.0], [10.0, 0.0], [10.0, 2.0], [10.0, 1.0]].repeat(3);
        let mut centres = Gla { centres: 2, ..Gla::default() }.cluster(&points);
        centres.sort_by(|a, b| a.point[0].total_cmp(&b.point[0]));
        assert_eq!(centres[0], Centre { point: [0.0, 1.0], weight: 6.0 });
        assert_eq!(centres[1], Centre { point: [10.0, 1.0], weight: 9.0 });
    }

    #[test]
    fn few_points_give_few_centres() {
        let check = |points: &[[f32; 1]], expect: usize| {
            assert_eq!(Gla { centres: 4, ..Gla::default() }.cluster(points).len(), expect);
        };
        check(&[], 0);
        check(&[[1.0]], 1);
        check(&[[1.0], [1.0], [1.0]], 1);
    }

    #[test]
    fn threads_change_nothing() {
        let mut chance = Rng(3);
        let points: Vec<[f32; 3]> =
            (0..20_000).map(|_| std::array::from_fn(|_| chance.unit() as f32)).collect();
        let gla = Gla { centres: 16, rounds: 5, ..Gla::default() };
        let one = gla.cluster(&points);
        for threads in [2, 3, 7] {
            assert_eq!(Gla { threads, ..gla }.cluster(&points), one);
        }
        assert_ne!(Gla { random_seed: 2, ..gla }.cluster(&points), one);
    }
}
