//! The same picture gives the same words; a picture changed a little gives words changed a little.

use osprey_vision::{Codebook, Example, Part, Picture, Words, Worker, draw};

/// A meadow of noise with a disc, at any size.
fn scene(width: usize, height: usize, turned: bool) -> Picture {
    Picture::from_fn(width, height, |x, y| {
        let (u, v) = (x as f32 / width as f32, y as f32 / height as f32);
        let (u, v) = if turned { (1.0 - u, 1.0 - v) } else { (u, v) };
        let wave = |a: f32, b: f32| ((u * a + v * b).sin() + 1.0) * 0.5;
        let (dx, dy) = ((u - 0.6) * 1.5, v - 0.5);
        if dx * dx + dy * dy < 0.06 {
            [200, 60 + (40.0 * wave(40.0, 0.0)) as u8, 50]
        } else {
            let grass = wave(90.0, 31.0) * wave(-47.0, 120.0);
            [40 + (50.0 * grass) as u8, 120 + (60.0 * grass) as u8, 50]
        }
    })
}

fn words(picture: &Picture) -> Words {
    Worker::new(Codebook::embedded()).look(picture)
}

fn alike(a: &Words, b: &Words, part: Part) -> f32 {
    let place = osprey_vision::PARTS.iter().position(|known| *known == part).unwrap();
    Example::new(a).parts(b)[place]
}

#[test]
fn what_was_seen_before_changes_nothing() {
    let mut worker = Worker::new(Codebook::embedded());
    let first = worker.look(&scene(384, 256, false));
    worker.look(&Picture::from_fn(100, 384, |x, y| [(x * y) as u8; 3]));
    assert_eq!(worker.look(&scene(384, 256, false)), first);
    assert_eq!(words(&scene(384, 256, false)), first);
}

/// Words must not change without a new version: indexes hold them.
#[test]
fn the_words_of_a_known_picture_are_known() {
    let words = words(&scene(384, 256, false));
    let colours: Vec<u8> = words.colours.whole.strongest(3).into_iter().map(|(word, _)| word).collect();
    let textures: Vec<u8> = words.textures.whole.strongest(2).into_iter().map(|(word, _)| word).collect();
    assert_eq!((colours.as_slice(), textures.as_slice()), ([53, 73, 87].as_slice(), [43, 14].as_slice()));
}

/// What is drawn of a picture is made of its words: colours of the palette, and tiles of the codebook where its tiles are.
#[test]
fn drawings_are_made_of_words() {
    let codebook = Codebook::embedded();
    let picture = scene(384, 256, false);
    let mut worker = Worker::new(Codebook::embedded());
    let words = worker.look(&picture);
    let palette: Vec<[u8; 3]> = codebook.palette().collect();
    let drawn = draw::quantised(&picture, &codebook);
    let mut dots = vec![0usize; palette.len()];
    for (x, y) in (0..256).flat_map(|y| (0..384).map(move |x| (2 * x, 2 * y))) {
        dots[palette.iter().position(|colour| *colour == drawn.at(x, y)).unwrap()] += 1;
    }
    let most = (0..=u8::MAX).zip(&dots).max_by_key(|(_, count)| **count).unwrap().0;
    assert_eq!(most, words.colours.whole.strongest(1)[0].0);
    let seen = worker.seen();
    let drawn = draw::words(&picture, seen, &codebook);
    assert!(!seen.textures.is_empty());
    for (tile, texture) in seen.textures.iter().enumerate() {
        let kept = &codebook.tiles()[usize::from(codebook.texture_word(texture).unwrap())];
        let (left, top) = seen.grid.corner(tile);
        for place in [0, 17, 32 * 20 + 5, 32 * 32 - 1] {
            let at = drawn.at(2 * (left + place % 32), 2 * (top + place / 32));
            assert_eq!(at, [kept[place]; 3], "tile {tile}, dot {place}");
        }
    }
    let all = draw::seen(&picture, seen, &codebook);
    assert_eq!((all.width(), all.height()), (4 * 384, 4 * 256));
}

#[test]
fn a_codebook_ships() {
    let codebook = Codebook::embedded();
    let counts = [codebook.palette().count(), codebook.textures().len(), codebook.shapes().len()];
    assert_eq!(counts, [128; 3]);
    assert_eq!(codebook.tiles().len(), 128);
    // A colour is near itself, and words that are near come nearest first.
    let red = codebook.colours_near([214, 28, 36], 0.15);
    assert!(!red.is_empty() && red.is_sorted_by(|a, b| a.1 <= b.1));
    assert_eq!(codebook.textures_near(5, 1e-3), [(5, 0.0)]);
}

#[test]
fn scaling_and_turning_change_words_little() {
    let original = words(&scene(384, 256, false));
    let mut worker = Worker::new(Codebook::embedded());
    let large = worker.words(&osprey_vision::draw::png(&scene(1152, 768, false))).unwrap();
    assert!(alike(&original, &large, Part::Colour) > 0.9);
    assert!(alike(&original, &large, Part::ColourRegions) > 0.85);
    assert!(alike(&original, &large, Part::Texture) > 0.5);
    assert!(original.hash.distance(large.hash) <= 4);
    // Upside down: the same colours and textures, elsewhere.
    let turned = words(&scene(384, 256, true));
    assert!(alike(&original, &turned, Part::Colour) > 0.95);
    assert!(alike(&original, &turned, Part::Texture) > 0.7);
    assert!(alike(&original, &turned, Part::ColourRegions) < alike(&original, &large, Part::ColourRegions));
}

#[test]
fn colours_are_named_and_terms_are_bounded() {
    let words = words(&scene(384, 256, false));
    assert_eq!(words.dominant[0].name, "green", "{:?}", words.dominant);
    let terms = words.colour_terms(None);
    let most = terms.iter().map(|(_, count)| *count).max().unwrap();
    let least = terms.iter().map(|(_, count)| *count).min().unwrap();
    assert!(least >= 1 && most <= least * 10 + 10);
    let total: u16 = terms.iter().map(|(_, count)| *count).sum();
    assert!((20..=171).contains(&total), "{total} terms");
    assert!(words.texture_terms().iter().all(|(_, count)| *count > 0));
}
