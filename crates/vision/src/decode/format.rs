//! What a file is, by its first bytes.

use std::fmt;

use super::Refusal;

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Photographs.
    Jpeg,
    /// Drawings and screenshots.
    Png,
    /// Old drawings and animations, of which the first frame is read.
    Gif,
    /// Either, by Google.
    WebP,
    /// Pixels as they are.
    Bmp,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
            Self::Bmp => "BMP",
        })
    }
}

/// The format of a file, or why it will not be read.
pub(super) fn sniff(file: &[u8]) -> Result<Format, Refusal> {
    match file {
        [] => Err(Refusal::Empty),
        [0xff, 0xd8, 0xff, ..] => Ok(Format::Jpeg),
        [0x89, b'P', b'N', b'G', ..] => Ok(Format::Png),
        [b'G', b'I', b'F', b'8', ..] => Ok(Format::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Ok(Format::WebP),
        [b'B', b'M', ..] if file.len() > 26 => Ok(Format::Bmp),
        _ => Err(refuse(file)),
    }
}

fn refuse(file: &[u8]) -> Refusal {
    let unsupported = |name: &str| Refusal::Unsupported(name.to_owned());
    match file {
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', ..] => return unsupported("AVIF"),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => return unsupported("HEIF or video"),
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => return unsupported("TIFF"),
        [0, 0, 1, 0, ..] | [0, 0, 2, 0, ..] => return unsupported("icon"),
        [0xff, 0x0a, ..] | [0, 0, 0, 12, b'J', b'X', b'L', ..] => return unsupported("JPEG XL"),
        [b'%', b'P', b'D', b'F', ..] => return Refusal::NotAPicture("PDF"),
        _ => {}
    }
    let start = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file).trim_ascii_start();
    let head: Vec<u8> = start.iter().take(1024).map(u8::to_ascii_lowercase).collect();
    let has = |word: &[u8]| head.windows(word.len()).any(|window| window == word);
    if has(b"<svg") {
        unsupported("SVG")
    } else if head.starts_with(b"<") && (has(b"<html") || has(b"<!doctype html") || has(b"<head")) {
        Refusal::NotAPicture("HTML")
    } else if head.starts_with(b"<") {
        Refusal::NotAPicture("XML or HTML")
    } else if !head.is_empty()
        && head.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    {
        Refusal::NotAPicture("text")
    } else {
        Refusal::NotAPicture("unknown bytes")
    }
}
