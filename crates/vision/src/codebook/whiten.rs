//! Directions in which descriptions differ, made more even: half whitening.
//!
//! The 48 numbers of a texture are not independent: if one filter responds, its neighbours do. Without whitening, the
//! distance between two textures is little more than a difference in contrast. Full whitening divides every principal
//! direction by its deviation; then faint directions, which are mostly noise, count as much as strong ones. Half of
//! that, the root of the deviation, gives the best measurements (`docs/vision.md`). The matrix is symmetric, so that
//! each number keeps most of its meaning. Only sums, products, quotients and roots: the same on every machine.

/// Rounds over all pairs of axes; ten are plenty for 48.
const SWEEPS: usize = 30;
/// What deviates less than this share of the strongest direction is taken for that much.
const FAINTEST: f64 = 1e-3;

/// The symmetric matrix, row by row, that half-whitens descriptions; the points have mean 0.
pub(super) fn half_whitening<const N: usize>(points: &[[f32; N]]) -> Vec<f32> {
    if points.is_empty() {
        return Vec::new();
    }
    let (values, vectors) = directions(covariance(points));
    let strongest = values.iter().fold(0.0, |most: f64, value| most.max(*value));
    // The quarter power: half of the variance's exponent is the deviation, and half of that is wanted.
    let scale = |value: f64| 1.0 / value.max(strongest * FAINTEST).max(f64::MIN_POSITIVE).sqrt().sqrt();
    let scales: Vec<f64> = values.iter().map(|value| scale(*value)).collect();
    let mut matrix = Vec::with_capacity(N * N);
    for row in &vectors {
        for column in &vectors {
            let sum: f64 = row.iter().zip(column).zip(&scales).map(|((a, b), scale)| a * scale * b).sum();
            matrix.push(sum as f32);
        }
    }
    matrix
}

fn covariance<const N: usize>(points: &[[f32; N]]) -> Vec<Vec<f64>> {
    let mut sums = vec![vec![0.0; N]; N];
    for point in points {
        for (i, row) in sums.iter_mut().enumerate() {
            let value = f64::from(point[i]);
            row.iter_mut().zip(point).for_each(|(sum, other)| *sum += value * f64::from(*other));
        }
    }
    sums.iter_mut().flatten().for_each(|sum| *sum /= points.len() as f64);
    sums
}

/// Eigenvalues, and eigenvectors as columns, of a symmetric matrix: Jacobi's rotations.
fn directions(mut matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = matrix.len();
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(unit).collect();
    for _ in 0..SWEEPS {
        let off: f64 = (0..n).flat_map(|i| matrix[i].iter().skip(i + 1)).map(|value| value * value).sum();
        let trace: f64 = (0..n).map(|i| matrix[i][i] * matrix[i][i]).sum();
        if off <= 1e-24 * trace {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if matrix[p][q] != 0.0 {
                    rotate(&mut matrix, &mut vectors, p, q);
                }
            }
        }
    }
    ((0..n).map(|i| matrix[i][i]).collect(), vectors)
}

/// Turns the plane of two axes so that they no longer depend on each other.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for rows in [&mut *matrix, vectors] {
        for row in rows {
            let (a, b) = (row[p], row[q]);
            (row[p], row[q]) = (cosine * a - sine * b, sine * a + cosine * b);
        }
    }
    let (upper, lower) = matrix.split_at_mut(q);
    if let (Some(first), Some(second)) = (upper.get_mut(p), lower.first_mut()) {
        for (a, b) in first.iter_mut().zip(second) {
            (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_those_of_the_matrix() {
        // (2 1; 1 2) has 1 along (1, -1) and 3 along (1, 1).
        let (mut values, vectors) = directions(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-12 && (values[1] - 3.0).abs() < 1e-12, "{values:?}");
        assert!((vectors[0][0].abs() - 0.5f64.sqrt()).abs() < 1e-12, "{vectors:?}");
    }

    #[test]
    fn the_deviation_of_every_direction_becomes_its_root() {
        // Variances of 16 and 1 along the axes: deviations 4 and 1 become 2 and 1.
        let points = [[4.0, 1.0], [4.0, -1.0], [-4.0, 1.0], [-4.0, -1.0]];
        let matrix = half_whitening(&points);
        for (found, expect) in matrix.iter().zip([0.5, 0.0, 0.0, 1.0]) {
            assert!((found - expect).abs() < 1e-6, "{matrix:?}");
        }
        assert!(half_whitening::<2>(&[]).is_empty());
    }

    #[test]
    fn many_correlated_axes_are_separated() {
        let points: Vec<[f32; 6]> = (0..500i32)
            .map(|i| {
                let (a, b) = ((i * 37 % 101 - 50) as f32, (i * 53 % 89 - 44) as f32);
                [a, a + 0.3 * b, b, a - b, 2.0 * a, (i % 7 - 3) as f32]
            })
            .collect();
        let (values, vectors) = directions(covariance(&points));
        let matrix = covariance(&points);
        for (k, value) in values.iter().enumerate() {
            for (i, row) in matrix.iter().enumerate() {
                let product: f64 = row.iter().zip(&vectors).map(|(a, vector)| a * vector[k]).sum();
                let expect = value * vectors[i][k];
                assert!(
                    (product - expect).abs() < 1e-6 * values[0].abs().max(1.0),
                    "{k}: {product} {expect}"
                );
            }
        }
    }
}
