//! How many pixels of each colour word lie in each of nine regions.

use super::Cube;
use crate::Picture;

/// Regions on a side.
const SIDE: usize = 3;
/// Regions of a picture: three by three, row by row.
pub const REGIONS: usize = SIDE * SIDE;

/// Pixels of each word in each region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(pub(crate) Vec<[u32; 256]>);

impl Default for Counts {
    fn default() -> Self {
        Self(vec![[0; 256]; REGIONS])
    }
}

impl Counts {
    /// Counts the words of a picture.
    pub fn count(&mut self, picture: &Picture, cube: &Cube) {
        self.0.iter_mut().for_each(|region| region.fill(0));
        let third = |at: usize, length: usize| at * SIDE / length.max(1);
        let starts = [1, 2, SIDE].map(|part| (picture.width() * part).div_ceil(SIDE));
        for (y, row) in picture.rows().enumerate() {
            let mut pixels = row.as_chunks::<3>().0;
            let mut from = 0;
            for (column, to) in starts.into_iter().enumerate() {
                let (part, rest) = pixels.split_at_checked(to - from).unwrap_or((pixels, &[]));
                let region = third(y, picture.height()) * SIDE + column;
                if let Some(counts) = self.0.get_mut(region) {
                    part.iter().for_each(|pixel| counts[usize::from(cube.word(*pixel))] += 1);
                }
                (pixels, from) = (rest, to);
            }
        }
    }

    /// Pixels of each word in the whole picture.
    pub fn whole(&self) -> [u32; 256] {
        let mut whole = [0; 256];
        for region in &self.0 {
            whole.iter_mut().zip(region).for_each(|(sum, count)| *sum += count);
        }
        whole
    }
}

/// The rule of Zhang 2008 that turns pixels into term frequencies: one for every 1,024 pixels of a picture of 500x350,
/// none below one, and the most frequent no more than ten times the least.
pub(crate) fn term_frequencies(counts: &[u32], pixels: usize) -> Vec<(u8, u16)> {
    const PIXELS_A_TERM: f32 = 1024.0 / (500.0 * 350.0);
    const MOST_TO_LEAST: f32 = 10.0;
    let unit = (pixels as f32 * PIXELS_A_TERM).max(1.0);
    let terms = counts.iter().take(256).enumerate().map(|(word, count)| (word as u8, *count as f32 / unit));
    let kept: Vec<(u8, f32)> = terms.filter(|(_, terms)| *terms >= 1.0).collect();
    let least = kept.iter().map(|(_, terms)| *terms).fold(f32::INFINITY, f32::min);
    let bounded = |terms: f32| terms.min(least * MOST_TO_LEAST) as u16;
    kept.into_iter().map(|(word, terms)| (word, bounded(terms))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Space;

    #[test]
    fn every_pixel_is_counted_in_its_region() {
        let colours = [Space::Rgb.point([0, 0, 0]), Space::Rgb.point([255, 255, 255])];
        let cube = Cube::new(&colours, Space::Rgb);
        let check = |width: usize, height: usize| {
            let picture = Picture::from_fn(width, height, |x, y| {
                if x * 3 / width == 2 && y * 3 / height == 0 { [255; 3] } else { [0; 3] }
            });
            let mut counts = Counts::default();
            counts.count(&picture, &cube);
            let whole = counts.whole();
            assert_eq!(whole[0] + whole[1], (width * height) as u32);
            assert_eq!(counts.0[2][0], 0, "{width}x{height}");
            assert_eq!(counts.0[2][1], whole[1], "{width}x{height}");
        };
        check(9, 9);
        check(10, 7);
        check(384, 256);
        check(1, 384);
        check(2, 2);
        check(1, 1);
    }

    #[test]
    fn terms_follow_the_rule_of_zhang_2008() {
        let check = |counts: &[u32], expect: &[(u8, u16)]| {
            assert_eq!(term_frequencies(counts, 500 * 350), expect);
        };
        check(&[1024, 1023, 2050, 0], &[(0, 1), (2, 2)]);
        check(&[1024, 100_000], &[(0, 1), (1, 10)]);
        check(&[10_240, 50_000], &[(0, 10), (1, 48)]);
        check(&[], &[]);
    }
}
