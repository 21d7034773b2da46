//! PNG, GIF, WebP and BMP, by the decoders of `image`.

use std::io::{Cursor, ErrorKind};

use image::codecs::{bmp::BmpDecoder, gif::GifDecoder, png::PngDecoder, webp::WebPDecoder};
use image::{ColorType, ImageDecoder, ImageError};

use super::orient::Turn;
use super::{Format, Limits, Raw, Refusal};
use crate::Picture;

/// In addition to the pixels: the decoder's own copy of a frame, four bytes a pixel.
const OVERHEAD: u64 = 4;

pub(super) fn decode(file: &[u8], format: Format, limits: &Limits) -> Result<Raw, Refusal> {
    // Sizes are checked below, with better messages.
    let mut allowed = image::Limits::no_limits();
    allowed.max_alloc = Some(limits.memory_bytes);
    let cursor = Cursor::new(file);
    let refuse = |error| refusal(format, error, limits);
    match format {
        Format::Png => {
            PngDecoder::with_limits(cursor, allowed).map_err(refuse).and_then(|d| read(d, format, limits))
        }
        Format::Gif => GifDecoder::new(cursor).map_err(refuse).and_then(|mut d| {
            d.set_limits(allowed).map_err(refuse)?;
            read(d, format, limits)
        }),
        Format::WebP => WebPDecoder::new(cursor).map_err(refuse).and_then(|mut d| {
            d.set_limits(allowed).map_err(refuse)?;
            read(d, format, limits)
        }),
        Format::Bmp => BmpDecoder::new(cursor).map_err(refuse).and_then(|d| read(d, format, limits)),
        Format::Jpeg => Err(Refusal::Unsupported("JPEG is read elsewhere".to_owned())),
    }
}

fn read(mut decoder: impl ImageDecoder, format: Format, limits: &Limits) -> Result<Raw, Refusal> {
    let (width, height) = decoder.dimensions();
    let colours = decoder.color_type();
    let bytes_per_pixel = u64::from(colours.bytes_per_pixel());
    limits.check_size(width, height, bytes_per_pixel + OVERHEAD)?;
    let turn = decoder.orientation().map_or(Turn::default(), Turn::from);
    let mut bytes = vec![0; usize::try_from(decoder.total_bytes()).unwrap_or_default()];
    decoder.read_image(&mut bytes).map_err(|error| refusal(format, error, limits))?;
    let pixels = opaque(bytes, colours)
        .ok_or_else(|| Refusal::Unsupported(format!("{format} with unusual colours")))?;
    let picture = Picture::new(width as usize, height as usize, pixels)
        .ok_or_else(|| Refusal::Corrupt { format, cause: "wrong number of pixels".to_owned() })?;
    Ok(Raw { picture, turn })
}

/// Three bytes a pixel from any decoded format, over white.
fn opaque(bytes: Vec<u8>, colours: ColorType) -> Option<Vec<u8>> {
    let deep: Vec<u8>;
    let (bytes, channels) = match colours {
        ColorType::L8 => (bytes.as_slice(), 1),
        ColorType::La8 => (bytes.as_slice(), 2),
        ColorType::Rgb8 => return Some(bytes),
        ColorType::Rgba8 => (bytes.as_slice(), 4),
        ColorType::L16 | ColorType::La16 | ColorType::Rgb16 | ColorType::Rgba16 => {
            deep =
                bytes.as_chunks::<2>().0.iter().map(|pair| (u16::from_ne_bytes(*pair) >> 8) as u8).collect();
            (deep.as_slice(), usize::from(colours.channel_count()))
        }
        _ => return None,
    };
    let over = |value: u8, alpha: u8| {
        let (value, alpha) = (u32::from(value), u32::from(alpha));
        ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let flat = |pixel: &[u8]| match *pixel {
        [grey] => [grey; 3],
        [grey, alpha] => [over(grey, alpha); 3],
        [red, green, blue] => [red, green, blue],
        [red, green, blue, alpha] => [over(red, alpha), over(green, alpha), over(blue, alpha)],
        _ => [0; 3],
    };
    Some(bytes.chunks_exact(channels).flat_map(flat).collect())
}

fn refusal(format: Format, error: ImageError, limits: &Limits) -> Refusal {
    let cause = one_line(&error.to_string());
    match error {
        ImageError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => Refusal::Cut,
        // The decoder does not say how much it wanted.
        ImageError::Limits(_) => {
            let limit = limits.memory_bytes;
            Refusal::TooLarge { what: "memory", found: limit.saturating_add(1), limit }
        }
        ImageError::Unsupported(_) => Refusal::Unsupported(cause),
        _ if looks_cut(&cause) => Refusal::Cut,
        _ => Refusal::Corrupt { format, cause },
    }
}

/// Some decoders say it in words only.
fn looks_cut(cause: &str) -> bool {
    let cause = cause.to_ascii_lowercase();
    ["unexpected end", "unexpected eof", "end of file", "failed to fill"]
        .iter()
        .any(|words| cause.contains(words))
}

/// A decoder's message as one short line: it may quote the file.
pub(super) fn one_line(message: &str) -> String {
    let plain = message.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(160).collect::<String>().trim().trim_end_matches('.').to_owned()
}
