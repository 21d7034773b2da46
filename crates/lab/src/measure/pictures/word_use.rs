//! `word-use`: how often each word is used, and how few of them a picture has (Zhang 2008, figure 24).
//!
//! An inverted index works best for words that follow a power law and of which a picture has few. The words of half of
//! the pictures are counted, with a codebook from the other half. A variant sets `what` (colour or texture), `way`
//! (uniform, for colours only; k-means; cluster-merge) and the number of `words`.

use std::collections::BTreeMap;

use anyhow::bail;
use osprey_vision::colour::Space;
use osprey_vision::{Bag, Limits, SIDE, decode};
use serde::Deserialize;

use super::{Choice, PictureParams, pictures};
use crate::corpus::Photo;
use crate::{Cell, Findings, Measure};

/// The measure.
#[derive(Clone, Copy, Debug)]
pub(in crate::measure) struct WordUseMeasure;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum What {
    Colour,
    Texture,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Way {
    Uniform,
    KMeans,
    ClusterMerge,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Use {
    what: What,
    way: Way,
    words: usize,
}

impl Measure for WordUseMeasure {
    fn name(&self) -> &'static str {
        "word-use"
    }

    fn run(&self, cell: &Cell<'_>) -> anyhow::Result<Findings> {
        let wanted: Use = toml::Value::Table(cell.variant.with.clone()).try_into()?;
        let pictures = pictures(cell)?;
        let bags: Vec<Bag> = match (wanted.way, wanted.what) {
            (Way::Uniform, What::Colour) if wanted.words == 64 => {
                pictures.photos.iter().step_by(2).map(uniform).collect()
            }
            (Way::Uniform, _) => bail!("variant `{}`: expected 64 colours to be uniform", cell.variant.name),
            (way, what) => {
                let centres = if way == Way::ClusterMerge { 256 } else { wanted.words };
                let asked = PictureParams {
                    size: Some(wanted.words),
                    centres: Some(centres),
                    texture_centres: Some(centres),
                    space: Some(Space::Oklab),
                    ..PictureParams::default()
                };
                let choice: Choice = asked.choice();
                let study = pictures.studies.get(pictures, &choice);
                let Some(fold) = study.folds.first() else { bail!("no pictures") };
                let seen = fold.queries.iter().filter_map(|query| fold.seen.get(*query));
                let bag = |seen: &super::PictureWords| match what {
                    What::Colour => seen.words.colours.whole.clone(),
                    What::Texture => seen.hard[1].clone(),
                };
                seen.map(bag).collect()
            }
        };
        Ok(findings(&bags, wanted.words))
    }
}

/// Shares of pixels in 4 x 4 x 4 cells of red, green and blue.
fn uniform(photo: &Photo) -> Bag {
    let mut amounts = [0.0; 256];
    for pixel in decode(&photo.file, SIDE, &Limits::default()).unwrap_or_default().pixels() {
        let [red, green, blue] = pixel.map(|value| usize::from(value / 64));
        amounts[red * 16 + green * 4 + blue] += 1.0;
    }
    Bag::new(&amounts)
}

fn findings(bags: &[Bag], words: usize) -> Findings {
    let (mut uses, mut pictures_with): (BTreeMap<u8, f64>, BTreeMap<u8, f64>) = Default::default();
    for (word, share) in bags.iter().flat_map(Bag::shares) {
        *uses.entry(word).or_default() += f64::from(share) / bags.len() as f64;
        *pictures_with.entry(word).or_default() += 1.0 / bags.len() as f64;
    }
    let (shares, pictures) = (ranks(uses), ranks(pictures_with));
    let of_a_picture = bags.iter().map(Bag::len).sum::<usize>() as f64 / bags.len().max(1) as f64;
    let mut findings = Findings::default();
    let slope = slope(&shares);
    findings.figure("power_law_exponent", slope.map(|(slope, _)| -slope));
    findings.figure("power_law_fit", slope.map(|(_, fit)| fit));
    findings.figure("words_used", Some(shares.len() as f64));
    findings.figure("words_of_a_picture", Some(of_a_picture));
    findings.figure("sparseness", Some(1.0 - of_a_picture / words.max(1) as f64));
    findings.figure("largest_share", shares.first().map(|(_, share)| *share));
    findings.curves.insert("share_of_all_by_rank".to_owned(), shares);
    findings.curves.insert("pictures_with_it_by_rank".to_owned(), pictures);
    findings
}

/// Values from the largest on, with their ranks.
fn ranks(values: BTreeMap<u8, f64>) -> Vec<(f64, f64)> {
    let mut values: Vec<f64> = values.into_values().collect();
    values.sort_by(|a, b| b.total_cmp(a));
    (1u32..).map(f64::from).zip(values).collect()
}

/// The slope of the line through points whose axes are logarithmic, and how much of their variance it explains.
fn slope(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (mx, my) = (mean(|point| point.0), mean(|point| point.1));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in &points {
        xx += (x - mx) * (x - mx);
        xy += (x - mx) * (y - my);
        yy += (y - my) * (y - my);
    }
    (xx > 0.0 && yy > 0.0).then(|| (xy / xx, xy * xy / (xx * yy)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_has_its_slope() {
        let law: Vec<(f64, f64)> =
            (1..50).map(|rank| (f64::from(rank), f64::from(rank).powf(-1.5))).collect();
        let (found, fit) = slope(&law).unwrap();
        assert!((found + 1.5).abs() < 1e-9 && fit > 0.999_999, "{found} {fit}");
        assert_eq!(slope(&[(1.0, 1.0)]), None);
    }

    #[test]
    fn words_are_counted_over_pictures() {
        let bag = |words: &[(u8, f32)]| {
            let mut amounts = [0.0; 256];
            words.iter().for_each(|(word, share)| amounts[usize::from(*word)] = *share);
            Bag::new(&amounts)
        };
        let found = findings(&[bag(&[(1, 0.75), (2, 0.25)]), bag(&[(1, 1.0)])], 4);
        assert_eq!(found.figures["words_of_a_picture"], 1.5);
        assert_eq!(found.figures["sparseness"], 0.625);
        assert!((found.figures["largest_share"] - 0.875).abs() < 1e-4);
        assert_eq!(found.curves["pictures_with_it_by_rank"], [(1.0, 1.0), (2.0, 0.5)]);
    }
}
