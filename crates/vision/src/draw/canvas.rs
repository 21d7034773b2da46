//! A picture to draw on: fields, frames, lines and small numbers. Everything outside is clipped.

use crate::Picture;

/// What is being drawn.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

/// Three columns and five rows a digit, from the left upper corner.
const DIGITS: [u16; 10] = [
    0b111_101_101_101_111,
    0b010_110_010_010_111,
    0b111_001_111_100_111,
    0b111_001_011_001_111,
    0b101_101_111_001_001,
    0b111_100_111_001_111,
    0b111_100_111_101_111,
    0b111_001_010_010_010,
    0b111_101_111_101_111,
    0b111_101_111_001_111,
];

impl Canvas {
    pub(super) fn new(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    pub(super) fn picture(self) -> Picture {
        Picture::new(self.width, self.height, self.pixels.into_flattened()).unwrap_or_default()
    }

    pub(super) fn dot(&mut self, x: usize, y: usize, colour: [u8; 3]) {
        if x < self.width
            && let Some(pixel) = self.pixels.get_mut(y * self.width + x)
        {
            *pixel = colour;
        }
    }

    pub(super) fn field(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), colour: [u8; 3]) {
        (y..y + height).for_each(|y| (x..x + width).for_each(|x| self.dot(x, y, colour)));
    }

    pub(super) fn frame(&mut self, (x, y): (usize, usize), side: usize, colour: [u8; 3]) {
        self.field((x, y), (side, 1), colour);
        self.field((x, y + side - 1), (side, 1), colour);
        self.field((x, y), (1, side), colour);
        self.field((x + side - 1, y), (1, side), colour);
    }

    /// A line through the middle of a field, as long as the field is wide; 0 degrees is horizontal, 90 vertical.
    pub(super) fn stroke(&mut self, middle: (f32, f32), length: f32, degrees: f32, colour: [u8; 3]) {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let steps = (length * 2.0) as i32;
        for step in -steps..=steps {
            let along = step as f32 / 4.0;
            let (x, y) = (middle.0 + along * cos, middle.1 + along * sin);
            if x >= 0.0 && y >= 0.0 {
                self.dot(x as usize, y as usize, colour);
            }
        }
    }

    /// A number, five pixels high, white on a dark field.
    pub(super) fn number(&mut self, (x, y): (usize, usize), number: usize) {
        let text = number.to_string();
        self.field((x, y), (text.len() * 4 + 1, 7), [0; 3]);
        for (place, digit) in text.bytes().enumerate() {
            let bits = DIGITS.get(usize::from(digit.wrapping_sub(b'0'))).copied().unwrap_or_default();
            for bit in (0..15).filter(|bit| bits >> (14 - bit) & 1 == 1) {
                self.dot(x + 1 + place * 4 + bit % 3, y + 1 + bit / 3, [255; 3]);
            }
        }
    }
}
