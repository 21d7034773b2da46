//! The file format of codebooks: a line with the format and version, a line of JSON with the sizes, then numbers and
//! tiles.
//!
//! Numbers are 32-bit little-endian. The version changes whenever the words of old files would change; old versions are
//! rejected, because their words cannot be compared.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::quantise::{Measure, Quantiser};
use super::{Codebook, Cube};
use crate::colour::Space;
use crate::texture::TEXTURE;
use crate::tile::TILE;
use crate::words::Scale;

const FIRST_LINE: &[u8] = b"osprey codebook 2\n";
/// More than any codebook of 256 words has.
const LARGEST: usize = 4 << 20;

/// Why bytes are not a valid codebook.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CodebookError {
    /// Another kind of file, or another version.
    #[error("not a codebook of version 2")]
    Version,
    /// The second line does not say what it should.
    #[error("codebook header: {0}")]
    Header(String),
    /// Fewer or more numbers than in the header.
    #[error("codebook of `{found}` bytes, expected `{expected}`")]
    Length {
        /// What there is.
        found: usize,
        /// The number in the header.
        expected: usize,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    origin: String,
    space: Space,
    colours: usize,
    textures: usize,
    shapes: usize,
    tiles: usize,
    texture_measure: Measure,
    shape_measure: Measure,
    /// Whether a matrix follows the texture words.
    turned: bool,
    scale: Scale,
}

impl Codebook {
    /// The bytes of a file.
    pub fn write(&self) -> Vec<u8> {
        let header = Header {
            origin: self.origin.clone(),
            space: self.space,
            colours: self.colours.len(),
            textures: self.textures.len(),
            shapes: self.shapes.len(),
            tiles: self.tiles.len(),
            texture_measure: self.textures.measure.clone(),
            shape_measure: self.shapes.measure.clone(),
            turned: !self.textures.measure.turn.is_empty(),
            scale: self.scale,
        };
        let mut bytes = FIRST_LINE.to_vec();
        // Plain numbers and text always serialise.
        bytes.extend(serde_json::to_vec(&header).unwrap_or_default());
        bytes.push(b'\n');
        put(&mut bytes, &self.colours);
        put(&mut bytes, &self.textures.centres);
        put(&mut bytes, self.textures.measure.turn.as_chunks::<TEXTURE>().0);
        put(&mut bytes, &self.shapes.centres);
        self.tiles.iter().for_each(|tile| bytes.extend(tile));
        bytes
    }

    /// Reads the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Self, CodebookError> {
        let rest = bytes.strip_prefix(FIRST_LINE).ok_or(CodebookError::Version)?;
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or(CodebookError::Version)?;
        let (line, body) = rest.split_at(end);
        let header: Header =
            serde_json::from_slice(line).map_err(|error| CodebookError::Header(error.to_string()))?;
        let sizes = [header.colours, header.textures, header.shapes, header.tiles];
        if sizes.iter().any(|size| *size > 256) || bytes.len() > LARGEST {
            return Err(CodebookError::Header("more than `256` words".to_owned()));
        }
        let mut body = Body(body.get(1..).unwrap_or_default(), body.len().saturating_sub(1));
        let colours = body.points(header.colours)?;
        let centres = body.points(header.textures)?;
        let turn = body.points::<TEXTURE>(if header.turned { TEXTURE } else { 0 })?.into_flattened();
        let textures = Quantiser { centres, measure: Measure { turn, ..header.texture_measure } };
        let shapes = Quantiser { centres: body.points(header.shapes)?, measure: header.shape_measure };
        let tiles = (0..header.tiles).map(|_| body.tile()).collect::<Result<_, _>>()?;
        body.end()?;
        let cube = Cube::new(&colours, header.space);
        let (origin, space, scale) = (header.origin, header.space, header.scale);
        Ok(Self { origin, space, colours, cube, textures, shapes, tiles, scale, id: 0 }.sealed())
    }

    /// With the hash of everything that words depend on: all but the similarity of unrelated pictures.
    pub(super) fn sealed(mut self) -> Self {
        let scale = std::mem::take(&mut self.scale);
        let bytes = self.write();
        self.scale = scale;
        self.id = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self
    }
}

fn put<const N: usize>(bytes: &mut Vec<u8>, points: &[[f32; N]]) {
    bytes.extend(points.iter().flatten().flat_map(|value| value.to_le_bytes()));
}

/// The unread rest, and the original length.
struct Body<'a>(&'a [u8], usize);

impl Body<'_> {
    fn take(&mut self, length: usize) -> Result<&[u8], CodebookError> {
        let expected = self.1 - self.0.len() + length;
        let (part, rest) =
            self.0.split_at_checked(length).ok_or(CodebookError::Length { found: self.1, expected })?;
        self.0 = rest;
        Ok(part)
    }

    fn points<const N: usize>(&mut self, count: usize) -> Result<Vec<[f32; N]>, CodebookError> {
        let bytes = self.take(count * N * 4)?;
        let numbers: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Ok(numbers.as_chunks::<N>().0.to_vec())
    }

    fn tile(&mut self) -> Result<[u8; TILE * TILE], CodebookError> {
        let bytes = self.take(TILE * TILE)?;
        Ok(bytes.try_into().unwrap_or([0; TILE * TILE]))
    }

    fn end(&self) -> Result<(), CodebookError> {
        let expected = self.1 - self.0.len();
        if self.0.is_empty() { Ok(()) } else { Err(CodebookError::Length { found: self.1, expected }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Codebook {
        let measure =
            Measure { shift: vec![0.5; 48], scale: vec![2.0; 48], reach: 0.25, turn: vec![0.5; 48 * 48] };
        Codebook {
            origin: "a test".to_owned(),
            colours: vec![[0.1, 0.2, 0.3], [0.9, 0.0, 0.0]],
            cube: Cube::new(&[[0.1, 0.2, 0.3], [0.9, 0.0, 0.0]], Space::Oklab),
            textures: Quantiser { centres: vec![[1.5; 48]], measure },
            shapes: Quantiser { centres: vec![[0.5; 32]; 3], measure: Measure::default() },
            tiles: vec![[7; 1024]],
            ..Codebook::default()
        }
        .sealed()
    }

    #[test]
    fn a_codebook_is_read_as_it_was_written() {
        let codebook = small();
        let read = Codebook::read(&codebook.write()).unwrap();
        assert_eq!(read, codebook);
        assert_eq!(read.id(), codebook.id());
        assert_ne!(read.id(), Codebook { origin: "another".to_owned(), ..codebook }.sealed().id());
    }

    #[test]
    fn files_that_are_not_codebooks_are_refused() {
        let check = |bytes: &[u8], expect: &str| {
            assert_eq!(Codebook::read(bytes).unwrap_err().to_string(), expect);
        };
        check(b"", "not a codebook of version 2");
        check(b"osprey codebook 1\n{}\n", "not a codebook of version 2");
        check(b"osprey codebook 2\n{}\n", "codebook header: missing field `origin` at line 1 column 2");
        let mut bytes = small().write();
        bytes.push(0);
        let (found, expected) = (bytes_after_header(&bytes), bytes_after_header(&bytes) - 1);
        check(&bytes, &format!("codebook of `{found}` bytes, expected `{expected}`"));
        bytes.truncate(bytes.len() - 2);
        assert!(matches!(Codebook::read(&bytes), Err(CodebookError::Length { .. })));
    }

    fn bytes_after_header(bytes: &[u8]) -> usize {
        bytes.split(|byte| *byte == b'\n').take(2).fold(bytes.len(), |left, line| left - line.len() - 1)
    }
}
