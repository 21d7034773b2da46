//! Computes the words of a picture from its bytes, with buffers that are reused from picture to picture.
//!
//! A worker belongs to one thread; use one worker per thread. The result does not depend on earlier pictures.

use std::sync::Arc;

use crate::analysis::{Analyser, Analysis, Settings};
use crate::codebook::Codebook;
use crate::colour::Counts;
use crate::decode::{Limits, Refusal, decode, to_size};
use crate::hash::PictureHash;
use crate::picture::Picture;
use crate::words::{self, Words};

/// The longest side that pictures are scaled to.
pub const SIDE: usize = 384;
/// The longest side of a thumbnail.
pub(crate) const THUMBNAIL: usize = 160;
/// The quality of a thumbnail, of 100.
const QUALITY: u8 = 75;

/// Makes words of pictures.
#[derive(Clone, Debug)]
pub struct Worker {
    codebook: Arc<Codebook>,
    limits: Limits,
    analyser: Analyser,
    counts: Counts,
}

impl Worker {
    /// A worker with the usual settings and limits.
    pub fn new(codebook: Arc<Codebook>) -> Self {
        Self::with(codebook, Settings::default(), Limits::default())
    }

    /// A worker with other settings or limits.
    pub fn with(codebook: Arc<Codebook>, settings: Settings, limits: Limits) -> Self {
        Self { codebook, limits, analyser: Analyser::new(settings), counts: Counts::default() }
    }

    /// The codebook that the words are of.
    pub fn codebook(&self) -> &Arc<Codebook> {
        &self.codebook
    }

    /// The words of a picture file, whatever its bytes.
    pub fn words(&mut self, file: &[u8]) -> Result<Words, Refusal> {
        let picture = decode(file, SIDE, &self.limits)?;
        Ok(self.look(&picture))
    }

    /// The words of a picture that was decoded and scaled.
    pub fn look(&mut self, picture: &Picture) -> Words {
        self.analyser.analyse(picture);
        self.counts.count(picture, &self.codebook.cube);
        let size = (picture.width() as u32, picture.height() as u32);
        let mut words = words::words(self.analyser.seen(), &self.counts, size, &self.codebook);
        words.hash = PictureHash::of(picture);
        words.thumbnail = thumbnail(picture);
        words
    }

    /// The analysis of the last picture, for drawing and training.
    pub fn seen(&self) -> &Analysis {
        self.analyser.seen()
    }
}

/// A small JPEG file of a picture.
pub fn thumbnail(picture: &Picture) -> Vec<u8> {
    let longest = picture.width().max(picture.height()).max(THUMBNAIL);
    let side = |length: usize| (length * THUMBNAIL / longest).max(1);
    jpeg(&to_size(picture, side(picture.width()), side(picture.height())))
}

/// A JPEG file of a picture.
pub fn jpeg(picture: &Picture) -> Vec<u8> {
    let mut file = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut file, QUALITY);
    // Writing into memory fails only for wrong sizes, which cannot occur here.
    let size = (picture.width() as u16, picture.height() as u16);
    let _ = encoder.encode(picture.bytes(), size.0, size.1, jpeg_encoder::ColorType::Rgb);
    file
}
