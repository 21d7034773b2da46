//! What pictures of a topic show: several scenes for each, read once from `data/scenes.txt`.
//!
//! An unindented line names a topic, each indented line below is a scene: surfaces from top to bottom with the share of
//! the height that each takes, then the things in front with their heights, all in per cent, separated by commas. On
//! purpose, some topics share palettes and differ by texture, and the other way round.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::shape::Shape;
use super::texture::Texture;
use crate::Dice;
use crate::text::{TopicId, topics};

/// Red, green and blue from 0 to 1.
pub(super) type Colour = [f32; 3];

/// A surface across the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Band {
    pub(super) texture: Texture,
    pub(super) colours: [Colour; 2],
    /// The share of the height.
    pub(super) share: f32,
}

/// A thing in front of the surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Thing {
    pub(super) shape: Shape,
    pub(super) colours: [Colour; 2],
    /// The height, as a share of the picture's.
    pub(super) size: f32,
    /// How many there are at most.
    pub(super) count: u32,
}

/// What a picture shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scene {
    pub(super) bands: Vec<Band>,
    pub(super) things: Vec<Thing>,
}

/// How many pictures of a topic show a scene of a related one: people file such pictures, too.
const BORROWED: f64 = 0.1;

/// The scene of one picture of a topic; `None` for an unknown topic.
pub(super) fn scene(topic: TopicId, dice: Dice) -> Option<&'static Scene> {
    let own = usize::from(topic.0);
    let related = topics().get(own)?.related.as_slice();
    let borrowed = dice.of("borrowed").chance(BORROWED).then(|| dice.of("from").pick(related)).flatten();
    let place = borrowed.map_or(own, |id| usize::from(id.0));
    let scenes = SCENES.get(place)?;
    scenes.get(dice.of("scene").zipf(scenes.len() as u64, 0.5) as usize)
}

static SCENES: LazyLock<Vec<Vec<Scene>>> = LazyLock::new(|| {
    let mut scenes = read(include_str!("../../data/scenes.txt"));
    topics().iter().map(|topic| scenes.remove(topic.name.as_str()).unwrap_or_default()).collect()
});

fn read(file: &str) -> HashMap<&str, Vec<Scene>> {
    let mut scenes: HashMap<&str, Vec<Scene>> = HashMap::new();
    let mut topic = "";
    for line in file.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if line.starts_with(' ') {
            scenes.entry(topic).or_default().push(parse(line));
        } else {
            topic = line.trim();
        }
    }
    scenes
}

/// Reads one scene; unknown words are left out, and the tests check that there are none.
fn parse(line: &str) -> Scene {
    let mut scene = Scene::default();
    for part in line.split(',') {
        let words: Vec<&str> = part.split_whitespace().collect();
        let (&[name, first, second, size], count) = (match words.as_slice() {
            [head @ .., count] if words.len() == 5 => {
                (head, count.trim_start_matches('x').parse().unwrap_or(1))
            }
            all => (all, 1),
        }) else {
            continue;
        };
        let (Some(first), Some(second), Ok(per_cent)) = (colour(first), colour(second), size.parse::<f32>())
        else {
            continue;
        };
        let (colours, size) = ([first, second], per_cent / 100.0);
        if let Some(texture) = Texture::named(name) {
            scene.bands.push(Band { texture, colours, share: size });
        } else if let Some(shape) = Shape::named(name) {
            scene.things.push(Thing { shape, colours, size, count });
        }
    }
    scene
}

/// A colour as `e8d4a4`.
fn colour(hex: &str) -> Option<Colour> {
    let value = u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 6)?;
    Some([16, 8, 0].map(|shift| (value >> shift & 255) as f32 / 255.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_surfaces_and_things() {
        let white = [1.0, 1.0, 1.0];
        let scene =
            parse("  waves ffffff 000000 40, plain ffffff ffffff 60, ball ffffff 000000 25 x3, no 1 2");
        assert_eq!(scene.bands.len(), 2);
        assert_eq!(scene.bands[0], Band { texture: Texture::Waves, colours: [white, [0.0; 3]], share: 0.4 });
        let ball = Thing { shape: Shape::Ball, colours: [white, [0.0; 3]], size: 0.25, count: 3 };
        assert_eq!(scene.things, [ball]);
    }

    #[test]
    fn every_topic_has_scenes_and_every_word_is_known() {
        let file = include_str!("../../data/scenes.txt");
        let known: Vec<_> =
            read(file).into_keys().filter(|name| topics().iter().all(|t| t.name != *name)).collect();
        assert!(known.is_empty(), "not topics: {known:?}");
        for (topic, scenes) in topics().iter().zip(SCENES.iter()) {
            assert!(scenes.len() >= 3, "{}: {} scenes", topic.name, scenes.len());
        }
        for line in file.lines().filter(|line| line.starts_with(' ')) {
            let scene = parse(line);
            assert_eq!(scene.bands.len() + scene.things.len(), line.split(',').count(), "`{line}`");
            let height: f32 = scene.bands.iter().map(|band| band.share).sum();
            assert!((0.99..1.01).contains(&height), "`{line}` is {height} high");
        }
    }
}
