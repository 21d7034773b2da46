//! What each stage makes of a picture, as JSON, for outside witnesses: `stages FILE...` prints a line for each file.
//! `scripts/vision_witness.py` computes the same with other tools and compares.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use anyhow::{Context, Result};
use osprey_vision::analysis::{Analyser, Settings};
use osprey_vision::colour::Space;
use osprey_vision::segment::Segments;
use osprey_vision::smooth::Planes;
use osprey_vision::texture::{Gabor, brightness};
use osprey_vision::tile::TILE;
use osprey_vision::{Limits, Picture, PictureHash, SIDE, decode};
use serde_json::{Value, json};

fn main() -> Result<()> {
    for path in std::env::args().skip(1) {
        let file = std::fs::read(&path).with_context(|| format!("{path}: not read"))?;
        let line = match decode(&file, SIDE, &Limits::default()) {
            Ok(picture) => stages(&picture),
            Err(refusal) => json!({ "refused": refusal.to_string() }),
        };
        println!("{line}");
    }
    Ok(())
}

fn stages(picture: &Picture) -> Value {
    let settings = Settings::default();
    let mut analyser = Analyser::new(settings.clone());
    let seen = analyser.analyse(picture);
    let kinds: Vec<String> = seen.kinds.iter().map(ToString::to_string).collect();
    // The first tile, with the boxes of the product and with whole transforms.
    let has_tile = picture.width() >= TILE && picture.height() >= TILE;
    let tile = has_tile.then(|| brightness(picture, (0, 0)));
    let textures = tile.map(|tile| {
        let [small, whole] =
            [Gabor::new(), Gabor::with_boxes([TILE; 4])].map(|mut gabor| gabor.describe(&tile));
        json!({ "product": small.to_vec(), "whole": whole.to_vec() })
    });
    let oklab: Vec<[f32; 3]> = picture.pixels().step_by(101).map(|pixel| Space::Oklab.point(pixel)).collect();
    json!({
        "width": picture.width(),
        "height": picture.height(),
        "pixels": picture.bytes(),
        "smoothed": planes(&seen.smoothed),
        "segments": segments(&seen.segments),
        "scale": settings.coarseness.scale,
        "least": settings.coarseness.least,
        "edge": settings.diffusion.edge,
        "steps": settings.diffusion.steps,
        "kinds": kinds,
        "texture": textures,
        "oklab": oklab,
        "hash": PictureHash::of(picture).to_string(),
    })
}

fn planes(planes: &Planes) -> Value {
    let values: Vec<[f32; 3]> = (0..planes.width() * planes.height()).map(|place| planes.at(place)).collect();
    json!({ "width": planes.width(), "height": planes.height(), "values": values })
}

fn segments(segments: &Segments) -> Value {
    json!({ "count": segments.count(), "labels": segments.labels() })
}
