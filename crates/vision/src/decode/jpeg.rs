//! JPEG: baseline and progressive; grey, colour and CMYK.
//!
//! A file without its end marker is rejected as truncated, although the decoder would fill the rest with grey, because
//! the words of the grey part would be wrong. Data after the end marker is ignored.

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;

use super::orient::Turn;
use super::{Format, Limits, Raw, Refusal};
use crate::Picture;

/// Progressive pictures come in about ten passes over all pixels; each costs time.
const MOST_PASSES: usize = 40;

pub(super) fn decode(file: &[u8], limits: &Limits) -> Result<Raw, Refusal> {
    let frame = Frame::find(file)?;
    // Red, green and blue, and in a progressive picture all coefficients of all components.
    let bytes_per_pixel = 3 + if frame.progressive { 2 * u64::from(frame.components) } else { 0 };
    limits.check_size(frame.width, frame.height, bytes_per_pixel)?;
    let options = DecoderOptions::default()
        .set_use_unsafe(false)
        .set_strict_mode(false)
        .set_max_width(limits.side as usize)
        .set_max_height(limits.side as usize)
        .jpeg_set_max_scans(MOST_PASSES)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    let bytes = decoder.decode().map_err(|error| refusal(&error))?;
    let turn = decoder.exif().map_or(Turn::default(), |exif| Turn::from_exif(exif));
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let picture = Picture::new(width, height, bytes).ok_or_else(|| corrupt("wrong number of pixels"))?;
    Ok(Raw { picture, turn })
}

fn corrupt(cause: &str) -> Refusal {
    Refusal::Corrupt { format: Format::Jpeg, cause: cause.to_owned() }
}

fn refusal(error: &DecodeErrors) -> Refusal {
    match error {
        DecodeErrors::Unsupported(_) => Refusal::Unsupported("a kind of JPEG".to_owned()),
        DecodeErrors::ExhaustedData => Refusal::Cut,
        other => corrupt(&super::raster::one_line(&other.to_string())),
    }
}

/// The headers, read before anything is decoded.
struct Frame {
    width: u32,
    height: u32,
    components: u8,
    progressive: bool,
}

impl Frame {
    /// Walks from marker to marker up to the first scan.
    fn find(file: &[u8]) -> Result<Self, Refusal> {
        let mut frame = None;
        let mut rest = file.get(2..).unwrap_or_default();
        loop {
            let start = rest.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0 | 0xff));
            let Some([_, marker, body @ ..]) = start.and_then(|at| rest.get(at..)) else {
                return Err(Refusal::Cut);
            };
            if matches!(marker, 0x01 | 0xd0..=0xd8) {
                rest = body;
                continue;
            }
            let [high, low, ..] = *body else { return Err(Refusal::Cut) };
            let length = usize::from(u16::from_be_bytes([high, low])).max(2);
            let (segment, after) = body.split_at_checked(length).ok_or(Refusal::Cut)?;
            match marker {
                0xc0..=0xc2 | 0xc9 | 0xca => frame = Some(Self::read(segment, *marker)?),
                0xc3 | 0xc5..=0xc7 | 0xcb | 0xcd..=0xcf => {
                    return Err(Refusal::Unsupported("lossless or hierarchical JPEG".to_owned()));
                }
                0xda => {
                    let whole = after.windows(2).any(|pair| pair == [0xff, 0xd9]);
                    return if whole { frame.ok_or_else(|| corrupt("no frame")) } else { Err(Refusal::Cut) };
                }
                0xd9 => return Err(corrupt("no scan")),
                _ => {}
            }
            rest = after;
        }
    }

    fn read(segment: &[u8], marker: u8) -> Result<Self, Refusal> {
        let [_, _, _bits, h1, h0, w1, w0, components, ..] = *segment else {
            return Err(corrupt("short frame"));
        };
        let side = |high, low| u32::from(u16::from_be_bytes([high, low]));
        let frame = Self {
            width: side(w1, w0),
            height: side(h1, h0),
            components,
            progressive: matches!(marker, 0xc2 | 0xca),
        };
        if frame.width == 0 || frame.height == 0 { Err(corrupt("no pixels")) } else { Ok(frame) }
    }
}
