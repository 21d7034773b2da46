//! The cluster-merge of Zhang 2008 (algorithm 8): merges centres that crowd where points are dense.

use super::gla::Centre;
use crate::colour::apart;

/// Merges the two closest centres, at the mean of their points, until there are `keep` or the closest are farther apart
/// than `radius`. Of equal pairs the first goes first.
///
/// Quadratic in time, linear in memory: each centre remembers its closest later one, and only those whose closest
/// changed are examined again.
pub fn merge<const N: usize>(mut centres: Vec<Centre<N>>, keep: usize, radius: f32) -> Vec<Centre<N>> {
    let mut closest: Vec<(usize, f32)> = (0..centres.len()).map(|i| closest_after(&centres, i)).collect();
    while centres.len() > keep.max(1) {
        let pair = closest.iter().enumerate().min_by(|(_, a), (_, b)| a.1.total_cmp(&b.1));
        let Some((first, &(second, distance))) = pair else { break };
        if distance.sqrt() > radius || !distance.is_finite() {
            break;
        }
        let gone = centres.remove(second);
        closest.remove(second);
        let Some(kept) = centres.get_mut(first) else { break };
        let total = (kept.weight + gone.weight).max(f32::MIN_POSITIVE);
        let share = gone.weight / total;
        kept.point.iter_mut().zip(&gone.point).for_each(|(kept, gone)| *kept += (gone - *kept) * share);
        kept.weight = total;
        for i in 0..centres.len() {
            let stale = i == first || closest[i].0 == first || closest[i].0 == second;
            if stale {
                closest[i] = closest_after(&centres, i);
                continue;
            }
            if closest[i].0 > second {
                closest[i].0 -= 1;
            }
            // The merged centre may have come nearer.
            if i < first {
                let distance = apart(&centres[i].point, &centres[first].point);
                let (known, least) = closest[i];
                if distance < least || (distance == least && first < known) {
                    closest[i] = (first, distance);
                }
            }
        }
    }
    centres
}

fn closest_after<const N: usize>(centres: &[Centre<N>], i: usize) -> (usize, f32) {
    let mut best = (usize::MAX, f32::INFINITY);
    let Some(centre) = centres.get(i) else { return best };
    for (j, other) in centres.iter().enumerate().skip(i + 1) {
        let distance = apart(&centre.point, &other.point);
        if distance < best.1 {
            best = (j, distance);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn centres(points: &[(f32, f32)]) -> Vec<Centre<1>> {
        points.iter().map(|(point, weight)| Centre { point: [*point], weight: *weight }).collect()
    }

    #[test]
    fn the_closest_go_first_and_the_radius_ends_it() {
        let check = |from: &[(f32, f32)], keep: usize, radius: f32, expect: &[(f32, f32)]| {
            assert_eq!(merge(centres(from), keep, radius), centres(expect));
        };
        let line = [(0.0, 1.0), (10.0, 1.0), (11.0, 3.0), (20.0, 1.0)];
        check(&line, 3, 100.0, &[(0.0, 1.0), (10.75, 4.0), (20.0, 1.0)]);
        check(&line, 2, 100.0, &[(0.0, 1.0), (12.6, 5.0)]);
        check(&line, 1, 9.0, &[(0.0, 1.0), (10.75, 4.0), (20.0, 1.0)]);
        check(&line, 9, 100.0, &line);
        check(&[], 3, 1.0, &[]);
    }

    /// Algorithm 8 word by word.
    fn by_the_book(mut centres: Vec<Centre<2>>, keep: usize, radius: f32) -> Vec<Centre<2>> {
        while centres.len() > keep.max(1) {
            let pairs = (0..centres.len()).flat_map(|i| (i + 1..centres.len()).map(move |j| (i, j)));
            let distance = |(i, j): &(usize, usize)| apart(&centres[*i].point, &centres[*j].point);
            let (i, j) = pairs.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
            if distance(&(i, j)).sqrt() > radius {
                break;
            }
            let gone = centres.remove(j);
            let kept = &mut centres[i];
            let total = kept.weight + gone.weight;
            for axis in 0..2 {
                kept.point[axis] += (gone.point[axis] - kept.point[axis]) * (gone.weight / total);
            }
            kept.weight = total;
        }
        centres
    }

    proptest! {
        #[test]
        fn remembering_the_closest_changes_nothing(
            points in proptest::collection::vec((0u8..40, 0u8..40, 1u8..5), 0..24),
            keep in 1usize..12,
            radius in 1u8..30,
        ) {
            let centres: Vec<Centre<2>> = points
                .iter()
                .map(|(x, y, weight)| Centre { point: [f32::from(*x), f32::from(*y)], weight: f32::from(*weight) })
                .collect();
            let radius = f32::from(radius);
            prop_assert_eq!(merge(centres.clone(), keep, radius), by_the_book(centres, keep, radius));
        }
    }
}
