//! A picture in memory: red, green and blue in eight bits each, row by row. Nothing here knows about files.

/// An opaque picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Picture {
    /// A picture from three bytes a pixel; `None` if there are more or fewer than `width * height` pixels, or none.
    pub fn new(width: usize, height: usize, bytes: Vec<u8>) -> Option<Self> {
        let expected = width.checked_mul(height)?.checked_mul(3)?;
        (expected > 0 && bytes.len() == expected).then_some(Self { width, height, bytes })
    }

    /// A picture made pixel by pixel.
    pub fn from_fn(width: usize, height: usize, colour: impl Fn(usize, usize) -> [u8; 3]) -> Self {
        let bytes = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| colour(x, y));
        Self { width, height, bytes: bytes.collect() }
    }

    /// Pixels from left to right.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Red, green, blue, red, ... row by row.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The rows, three bytes a pixel.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact((self.width * 3).max(1))
    }

    /// The pixels, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = [u8; 3]> {
        self.bytes.as_chunks::<3>().0.iter().copied()
    }

    /// The colour at a place, black outside.
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let place = y * self.width + x;
        self.bytes.as_chunks::<3>().0.get(place).copied().filter(|_| x < self.width).unwrap_or_default()
    }
}
