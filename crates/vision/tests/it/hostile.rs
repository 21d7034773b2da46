//! Whatever comes from the Web under the name of a picture: bounded work, a named outcome, no panic.

use std::io::Cursor;

use image::codecs::bmp::BmpEncoder;
use image::codecs::gif::GifEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};
use osprey_vision::{Codebook, Limits, Picture, Refusal, Worker, decode};
use proptest::prelude::*;

/// Stripes of red and blue, with a dark upper half.
fn sample(width: usize, height: usize) -> Picture {
    Picture::from_fn(width, height, |x, y| {
        let level = if y * 2 < height { 90 } else { 230 };
        if x / 8 % 2 == 0 { [level, 20, 30] } else { [20, 40, level] }
    })
}

fn jpeg(picture: &Picture, progressive: bool) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut file, 90);
    encoder.set_progressive(progressive);
    let (width, height) = (picture.width() as u16, picture.height() as u16);
    encoder.encode(picture.bytes(), width, height, jpeg_encoder::ColorType::Rgb).unwrap();
    file
}

fn png(width: u32, height: u32, bytes: &[u8], colours: ExtendedColorType) -> Vec<u8> {
    let mut file = Vec::new();
    PngEncoder::new(&mut file).write_image(bytes, width, height, colours).unwrap();
    file
}

fn all_formats(picture: &Picture) -> Vec<(&'static str, Vec<u8>)> {
    let (width, height) = (picture.width() as u32, picture.height() as u32);
    let rgb = ExtendedColorType::Rgb8;
    let (mut gif, mut webp, mut bmp) = (Vec::new(), Vec::new(), Vec::new());
    GifEncoder::new(&mut gif).encode(picture.bytes(), width, height, rgb).unwrap();
    WebPEncoder::new_lossless(&mut webp).encode(picture.bytes(), width, height, rgb).unwrap();
    BmpEncoder::new(&mut bmp).encode(picture.bytes(), width, height, rgb).unwrap();
    vec![
        ("jpeg", jpeg(picture, false)),
        ("progressive", jpeg(picture, true)),
        ("png", png(width, height, picture.bytes(), rgb)),
        ("gif", gif),
        ("webp", webp),
        ("bmp", bmp),
    ]
}

fn outcome(file: &[u8]) -> &'static str {
    decode(file, 384, &Limits::default()).map_or_else(|refusal| refusal.name(), |_| "picture")
}

/// The mean difference of two pictures of the same size, of 255.
fn difference(a: &Picture, b: &Picture) -> f32 {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let sum: u32 = a.bytes().iter().zip(b.bytes()).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    sum as f32 / a.bytes().len() as f32
}

#[test]
fn every_format_gives_the_same_picture() {
    let picture = sample(384, 256);
    for (format, file) in all_formats(&picture) {
        let decoded = decode(&file, 384, &Limits::default()).unwrap();
        let away = difference(&picture, &decoded);
        assert!(away < 6.0, "{format} is {away} away");
    }
}

#[test]
fn cut_files_are_cut_and_never_pictures() {
    for (format, file) in all_formats(&sample(200, 150)) {
        for share in [2, 10, 30, 50, 80, 95] {
            let cut = &file[..file.len() * share / 100];
            let outcome = outcome(cut);
            let fine = matches!(outcome, "cut" | "corrupt" | "not a picture" | "empty");
            assert!(fine, "{share} % of a {format} are a `{outcome}`");
        }
    }
}

#[test]
fn other_things_under_an_image_name_are_named() {
    let check = |file: &[u8], expect: &str| {
        let refusal = decode(file, 384, &Limits::default()).unwrap_err();
        assert_eq!(refusal.to_string(), expect);
    };
    check(b"", "the file is empty");
    check(b"<!DOCTYPE html><html><body>404</body></html>", "not a picture: HTML");
    check(b"\xef\xbb\xbf  <?xml version='1.0'?><svg xmlns='x'/>", "unsupported picture: SVG");
    check(b"<?xml version='1.0'?><rss/>", "not a picture: XML or HTML");
    check(b"%PDF-1.7", "not a picture: PDF");
    check(b"Not found\n", "not a picture: text");
    check(b"\x00\x00\x00\x1cftypavif", "unsupported picture: AVIF");
    check(b"II*\x00abc", "unsupported picture: TIFF");
    check(b"\x00\x01\x02\x03", "not a picture: unknown bytes");
    check(b"\xff\xd8\xff", "cut: the file ends before the picture does");
}

#[test]
fn bombs_are_refused_for_what_they_say() {
    let mut header = png(1, 1, &[0; 3], ExtendedColorType::Rgb8);
    // Width and height of the header, whose checksum is then wrong; a GIF and a JPEG have none.
    let mut gif = all_formats(&sample(8, 8)).remove(3).1;
    gif[6..10].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert_eq!(outcome(&gif), "too large");
    let mut photo = jpeg(&sample(16, 16), false);
    let frame = photo.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    photo[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert_eq!(outcome(&photo), "too large");
    header.truncate(20);
    assert_eq!(outcome(&header), "cut");
    // A real bomb: 20,000 by 20,000 in some kilobytes.
    let mut bomb = Vec::new();
    let mut encoder = png::Encoder::new(&mut bomb, 20_000, 20_000);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    encoder.write_header().unwrap().write_chunk(png::chunk::IDAT, &[0x78, 0x9c]).unwrap();
    assert_eq!(outcome(&bomb), "too large");
    let small = Limits { file_bytes: 10, ..Limits::default() };
    let refusal = decode(&jpeg(&sample(9, 9), false), 384, &small).unwrap_err();
    assert!(matches!(refusal, Refusal::TooLarge { what: "file bytes", limit: 10, .. }));
}

#[test]
fn odd_sizes_have_words() {
    let mut worker = Worker::new(Codebook::embedded());
    for (width, height) in [(1, 1), (30_000, 1), (1, 3000), (31, 31), (384, 20), (5, 400), (33, 2)] {
        let file =
            png(width, height, sample(width as usize, height as usize).bytes(), ExtendedColorType::Rgb8);
        let words = worker.words(&file).unwrap();
        assert_eq!(words.size.0.max(words.size.1), 384);
        assert!(!words.colours.whole.is_empty() && !words.thumbnail.is_empty(), "{width}x{height}");
    }
}

#[test]
fn unusual_pixels_are_read() {
    let grey_level = |file: &[u8], expect: [u8; 3]| {
        let picture = decode(file, 8, &Limits::default()).unwrap();
        assert_eq!(picture.at(4, 4), expect);
    };
    let deep: Vec<u8> = [0x80, 0x01].repeat(64 * 3);
    let native: Vec<u8> =
        deep.chunks(2).flat_map(|b| u16::from_be_bytes([b[0], b[1]]).to_ne_bytes()).collect();
    grey_level(&png(8, 8, &native, ExtendedColorType::Rgb16), [0x80; 3]);
    grey_level(&png(8, 8, &[77; 64], ExtendedColorType::L8), [77; 3]);
    // Half transparent black over white, and what cannot be seen at all.
    grey_level(&png(8, 8, &[0, 0, 0, 128].repeat(64), ExtendedColorType::Rgba8), [127; 3]);
    grey_level(&png(8, 8, &[9, 9, 9, 0].repeat(64), ExtendedColorType::Rgba8), [255; 3]);
    let mut palette = Vec::new();
    let mut encoder = png::Encoder::new(&mut palette, 8, 8);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_palette(vec![1, 2, 3, 40, 50, 60]);
    encoder.write_header().unwrap().write_image_data(&[0xff; 8]).unwrap();
    grey_level(&palette, [40, 50, 60]);
}

#[test]
fn printers_colours_are_read() {
    let mut file = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut file, 95);
    // Adobe's inverted inks as the encoder writes them: no ink but cyan.
    let pixels = [255, 0, 0, 0].repeat(64 * 64);
    encoder.encode(&pixels, 64, 64, jpeg_encoder::ColorType::Cmyk).unwrap();
    let [red, green, blue] = decode(&file, 64, &Limits::default()).unwrap().at(32, 32);
    assert!(red < 40 && green > 200 && blue > 200, "cyan came as {red} {green} {blue}");
}

#[test]
fn the_way_a_camera_was_held_is_undone() {
    // Orientation 6: to be turned by 90 degrees to the right.
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let plain = jpeg(&sample(64, 32), false);
    let length = (exif.len() + 2) as u16;
    let mut file = plain[..2].to_vec();
    file.extend([0xff, 0xe1]);
    file.extend(length.to_be_bytes());
    file.extend(exif);
    file.extend(&plain[2..]);
    let picture = decode(&file, 64, &Limits::default()).unwrap();
    assert_eq!((picture.width(), picture.height()), (32, 64));
    // What was dark above is dark at the right.
    let brightness = |[red, green, blue]: [u8; 3]| u32::from(red) + u32::from(green) + u32::from(blue);
    assert!(brightness(picture.at(28, 4)) < brightness(picture.at(4, 4)));
}

#[test]
fn only_the_first_frame_of_an_animation_is_seen() {
    let mut file = Cursor::new(Vec::new());
    {
        let mut encoder = GifEncoder::new(&mut file);
        for level in [200u8, 10, 10] {
            let frame = image::RgbaImage::from_pixel(20, 20, image::Rgba([level, level, level, 255]));
            encoder.encode_frame(image::Frame::new(frame)).unwrap();
        }
    }
    let picture = decode(file.get_ref(), 20, &Limits::default()).unwrap();
    assert_eq!(picture.at(10, 10), [200; 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn flipped_bytes_never_panic(format in 0usize..6, flips in proptest::collection::vec((any::<u32>(), any::<u8>()), 1..12)) {
        let (_, mut file) = all_formats(&sample(40, 30)).remove(format);
        for (place, value) in flips {
            let place = place as usize % file.len();
            file[place] = value;
        }
        let _ = Worker::new(Codebook::embedded()).words(&file);
    }

    #[test]
    fn noise_after_a_magic_number_never_panics(magic in 0usize..5, noise in proptest::collection::vec(any::<u8>(), 0..400)) {
        let start: &[u8] = [b"\xff\xd8\xff\xe0".as_slice(), b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\x40\0\0\0WEBP", b"BM"][magic];
        let file = [start, noise.as_slice()].concat();
        let _ = Worker::new(Codebook::embedded()).words(&file);
    }
}
