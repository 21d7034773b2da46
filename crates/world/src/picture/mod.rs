//! Pictures of topics, drawn by rule, so that search by colour, texture and shape can be evaluated.
//!
//! A topic has several scenes: surfaces with two colours and a texture each, and things in front. Light, palette,
//! scale, place, number and camera vary from picture to picture; a tenth of a topic's pictures show a scene of a
//! related topic. The size in pixels does not change what is shown. A picture costs about as much as a page.

mod noise;
mod paint;
mod scene;
mod shape;
mod texture;

use bytes::Bytes;

use crate::Dice;
use crate::text::TopicId;

/// No picture is larger than this on a side.
const LARGEST_SIDE: u32 = 1024;

/// A picture of a topic as a JPEG file.
pub(crate) fn jpeg(topic: TopicId, dice: Dice, width: u32, height: u32) -> Bytes {
    let (width, height) = (width.clamp(1, LARGEST_SIDE), height.clamp(1, LARGEST_SIDE));
    let pixels = pixels(topic, dice, width, height);
    let mut file = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut file, 70 + dice.of("quality").below(23) as u8);
    // Writing into memory fails only for wrong sizes, which the bounds above exclude.
    let _ = encoder.encode(&pixels, width as u16, height as u16, jpeg_encoder::ColorType::Rgb);
    Bytes::from(file)
}

/// A picture of a topic as a PNG file.
pub(crate) fn png(topic: TopicId, dice: Dice, width: u32, height: u32) -> Bytes {
    let (width, height) = (width.clamp(1, LARGEST_SIDE), height.clamp(1, LARGEST_SIDE));
    encode_png(&pixels(topic, dice, width, height), width, height)
}

/// A PNG file with a row of `variants` pictures for each of `topics` topics from `first` on, for human inspection. At
/// most 60 rows of 20.
pub fn contact_sheet(first: u16, topics: u16, variants: u16) -> Bytes {
    const CELL: (u32, u32) = (120, 80);
    let (rows, columns) = (topics.clamp(1, 60), variants.clamp(1, 20));
    let (width, height) = (u32::from(columns) * CELL.0, u32::from(rows) * CELL.1);
    let mut sheet = Vec::with_capacity((width * height * 3) as usize);
    for row in 0..rows {
        let topic = TopicId(first.saturating_add(row));
        let cell =
            |column| pixels(topic, Dice::new(u64::from(column)).at(u64::from(topic.0)), CELL.0, CELL.1);
        let cells: Vec<Vec<u8>> = (0..columns).map(cell).collect();
        for line in 0..CELL.1 as usize {
            let bytes = CELL.0 as usize * 3;
            cells
                .iter()
                .filter_map(|cell| cell.get(line * bytes..(line + 1) * bytes))
                .for_each(|part| sheet.extend(part));
        }
    }
    encode_png(&sheet, width, height)
}

fn encode_png(pixels: &[u8], width: u32, height: u32) -> Bytes {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    if let Ok(mut writer) = encoder.write_header() {
        // Writing into memory fails only for wrong sizes, which the bounds above exclude.
        let _ = writer.write_image_data(pixels);
    }
    Bytes::from(file)
}

fn pixels(topic: TopicId, dice: Dice, width: u32, height: u32) -> Vec<u8> {
    let nothing = scene::Scene::default();
    paint::paint(scene::scene(topic, dice).unwrap_or(&nothing), dice, width, height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::topics;

    fn decode_jpeg(file: &[u8]) -> (u16, u16, Vec<u8>) {
        let mut decoder = jpeg_decoder::Decoder::new(file);
        let pixels = decoder.decode().unwrap();
        let info = decoder.info().unwrap();
        (info.width, info.height, pixels)
    }

    #[test]
    fn every_topic_gives_files_that_decode() {
        for topic in 0..topics().len() as u16 {
            let (width, height, pixels) = decode_jpeg(&jpeg(TopicId(topic), Dice::new(1), 60, 40));
            assert_eq!((width, height, pixels.len()), (60, 40, 60 * 40 * 3));
            let file = png(TopicId(topic), Dice::new(1), 60, 40);
            let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            assert_eq!(reader.next_frame(&mut pixels).unwrap().buffer_size(), 60 * 40 * 3);
        }
    }

    #[test]
    fn sizes_are_bounded_and_unknown_topics_are_grey() {
        let check = |topic, asked: (u32, u32), expect: (u16, u16)| {
            let (width, height, _) = decode_jpeg(&jpeg(TopicId(topic), Dice::new(1), asked.0, asked.1));
            assert_eq!((width, height), expect);
        };
        check(0, (0, 0), (1, 1));
        check(0, (u32::MAX, 2), (1024, 2));
        check(u16::MAX, (8, 8), (8, 8));
    }

    #[test]
    fn the_same_dice_give_the_same_file() {
        assert_eq!(jpeg(TopicId(3), Dice::new(1), 90, 60), jpeg(TopicId(3), Dice::new(1), 90, 60));
        assert_ne!(jpeg(TopicId(3), Dice::new(1), 90, 60), jpeg(TopicId(3), Dice::new(2), 90, 60));
    }

    /// The shares of 64 colours.
    fn histogram(topic: u16, seed: u64) -> [f32; 64] {
        let pixels = pixels(TopicId(topic), Dice::new(seed), 60, 40);
        let mut shares = [0.0; 64];
        for pixel in pixels.chunks(3) {
            let bin =
                usize::from(pixel[0] >> 6) * 16 + usize::from(pixel[1] >> 6) * 4 + usize::from(pixel[2] >> 6);
            shares[bin] += 3.0 / pixels.len() as f32;
        }
        shares
    }

    /// How often the nearest other picture by colour alone has the same topic: more than chance, far from always.
    #[test]
    fn colours_say_something_about_the_topic_but_not_all() {
        const EACH: u64 = 12;
        let all: Vec<(u16, [f32; 64])> = (0..topics().len() as u16)
            .flat_map(|topic| {
                (0..EACH).map(move |seed| (topic, histogram(topic, seed * 1000 + u64::from(topic))))
            })
            .collect();
        let alike = |a: &[f32; 64], b: &[f32; 64]| a.iter().zip(b).map(|(a, b)| a.min(*b)).sum::<f32>();
        let right = all.iter().enumerate().filter(|(i, (topic, shares))| {
            let others = all.iter().enumerate().filter(|(j, _)| j != i);
            let nearest = others.max_by(|(_, a), (_, b)| alike(shares, &a.1).total_cmp(&alike(shares, &b.1)));
            nearest.is_some_and(|(_, (found, _))| found == topic)
        });
        let share = right.count() as f32 / all.len() as f32;
        assert!((0.1..0.5).contains(&share), "{share} of the nearest pictures are of the same topic");
    }
}
