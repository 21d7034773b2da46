//! A Fourier transform of small squares, the same to the last bit on every machine.
//!
//! Columns are transformed first, whole rows at a time, which compilers vectorise; then the square is transposed and
//! transformed again. Results are in bit-reversed order and transposed; `place` gives the position. FFT libraries
//! choose their instructions, and so their rounding, at run time, and cannot be used here.

/// Transforms squares of one size, a power of two.
#[derive(Clone, Debug)]
pub(crate) struct Fft {
    side: usize,
    bits: u32,
    /// Cosine and sine of `-2 pi k / side`.
    turns: Vec<(f32, f32)>,
    spare: Square,
}

/// Complex numbers, row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Square {
    pub(crate) real: Vec<f32>,
    pub(crate) imaginary: Vec<f32>,
}

impl Square {
    pub(crate) fn new(side: usize) -> Self {
        Self { real: vec![0.0; side * side], imaginary: vec![0.0; side * side] }
    }
}

impl Fft {
    pub(crate) fn new(side: usize) -> Self {
        let angle = |k: usize| -std::f64::consts::TAU * k as f64 / side as f64;
        let turns = (0..side / 2).map(|k| (angle(k).cos() as f32, angle(k).sin() as f32)).collect();
        Self { side, bits: side.trailing_zeros(), turns, spare: Square::new(side) }
    }

    /// Where the result for a frequency is found.
    pub(crate) fn place(&self, horizontal: usize, vertical: usize) -> usize {
        let reverse = |k: usize| k.reverse_bits() >> (usize::BITS - self.bits);
        reverse(horizontal % self.side) * self.side + reverse(vertical % self.side)
    }

    /// Transforms in place.
    pub(crate) fn transform(&mut self, square: &mut Square) {
        self.columns(square);
        transpose(&square.real, &mut self.spare.real, self.side);
        transpose(&square.imaginary, &mut self.spare.imaginary, self.side);
        std::mem::swap(square, &mut self.spare);
        self.columns(square);
    }

    /// Decimation in frequency over the rows of all columns at once.
    fn columns(&self, square: &mut Square) {
        let side = self.side;
        let mut half = side / 2;
        while half > 0 {
            let stride = side / 2 / half;
            let block = half * 2 * side;
            let blocks = square.real.chunks_exact_mut(block).zip(square.imaginary.chunks_exact_mut(block));
            for (real, imaginary) in blocks {
                let (real_up, real_down) = real.split_at_mut(half * side);
                let (imag_up, imag_down) = imaginary.split_at_mut(half * side);
                let upper = real_up.chunks_exact_mut(side).zip(imag_up.chunks_exact_mut(side));
                let lower = real_down.chunks_exact_mut(side).zip(imag_down.chunks_exact_mut(side));
                for ((upper, lower), turn) in upper.zip(lower).zip(self.turns.iter().step_by(stride)) {
                    butterfly(upper, lower, *turn);
                }
            }
            half /= 2;
        }
    }
}

/// One row against another: sum, and difference turned.
#[inline]
fn butterfly(upper: (&mut [f32], &mut [f32]), lower: (&mut [f32], &mut [f32]), (cos, sin): (f32, f32)) {
    let upper = upper.0.iter_mut().zip(upper.1);
    let lower = lower.0.iter_mut().zip(lower.1);
    for ((a_re, a_im), (b_re, b_im)) in upper.zip(lower) {
        let (re, im) = (*a_re - *b_re, *a_im - *b_im);
        *a_re += *b_re;
        *a_im += *b_im;
        *b_re = re * cos - im * sin;
        *b_im = re * sin + im * cos;
    }
}

fn transpose(from: &[f32], to: &mut [f32], side: usize) {
    for (y, row) in from.chunks_exact(side).enumerate() {
        for (value, out) in row.iter().zip(to.iter_mut().skip(y).step_by(side)) {
            *out = *value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sum_of_the_definition() {
        for side in [8usize, 16, 32] {
            let value = |i: usize| ((i * 7919 + 13) % 101) as f32 / 10.0;
            let mut square = Square::new(side);
            square.real.iter_mut().enumerate().for_each(|(i, v)| *v = value(i));
            square.imaginary.iter_mut().enumerate().for_each(|(i, v)| *v = value(i + 5000));
            let (real, imaginary) = (square.real.clone(), square.imaginary.clone());
            let mut fft = Fft::new(side);
            fft.transform(&mut square);
            for (u, v) in [(0, 0), (1, 0), (0, 1), (3, 5), (side - 1, 2), (side / 2, side / 2)] {
                let (mut re, mut im) = (0.0f64, 0.0f64);
                for y in 0..side {
                    for x in 0..side {
                        let angle = -std::f64::consts::TAU * ((u * x + v * y) as f64) / side as f64;
                        let (a, b) = (f64::from(real[y * side + x]), f64::from(imaginary[y * side + x]));
                        re += a * angle.cos() - b * angle.sin();
                        im += a * angle.sin() + b * angle.cos();
                    }
                }
                let place = fft.place(u, v);
                let found = (f64::from(square.real[place]), f64::from(square.imaginary[place]));
                let error = (found.0 - re).abs() + (found.1 - im).abs();
                assert!(error < 0.05, "{side}: ({u}, {v}) is {found:?}, not ({re}, {im})");
            }
        }
    }
}
