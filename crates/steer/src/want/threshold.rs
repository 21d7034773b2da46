//! From which score on a page is about what is wanted.
//!
//! Scores of different wants are not alike: three words on a blog with tags give .9, on a forum .3. But on every site
//! most pages are about something else, so the scores of the known pages fall into two heaps; the threshold is between
//! them (Otsu 1979: the cut with the largest variance between both sides).

/// Scores below this say nothing.
const LEAST: f32 = 0.02;
/// Cuts that are tried.
const CUTS: usize = 100;
/// Pages that are needed to see heaps.
const FEWEST: usize = 20;
/// Pulls large scores together, so that few very good pages do not make a heap of their own.
const POWER: f32 = 0.8;
/// The threshold where nothing is known.
pub(super) const USUAL: f32 = 0.35;
/// Below this a page is not about it, however the heaps lie.
const LOWEST: f32 = 0.12;
/// How steep the way from no to yes is.
const STEEPNESS: i32 = 3;

/// The cut between the heaps of scores.
pub(super) fn threshold(scores: impl Iterator<Item = f32>) -> f32 {
    let scores: Vec<f32> = scores.filter(|score| *score > LEAST).map(|score| score.powf(POWER)).collect();
    if scores.len() < FEWEST {
        return USUAL;
    }
    let (least, most) =
        scores.iter().fold((f32::MAX, f32::MIN), |(a, b), score| (a.min(*score), b.max(*score)));
    if least >= most / 2.0 {
        // one heap: all others have nothing of it at all
        return (least / 2.0).powf(1.0 / POWER).max(LOWEST);
    }
    let cuts = (1..CUTS).map(|cut| least + (most - least) * cut as f32 / CUTS as f32);
    let between = |cut: f32| {
        let (below, above): (Vec<f32>, Vec<f32>) = scores.iter().copied().partition(|score| *score < cut);
        let mean = |side: &[f32]| side.iter().sum::<f32>() / side.len().max(1) as f32;
        below.len() as f32 * above.len() as f32 * (mean(&below) - mean(&above)).powi(2)
    };
    let cuts: Vec<(f32, f32)> = cuts.map(|cut| (between(cut), cut)).collect();
    let best = cuts.iter().map(|(between, _)| *between).fold(0.0, f32::max);
    // all cuts between two heaps are as good: the middle one
    let equal: Vec<f32> =
        cuts.iter().filter(|(between, _)| *between >= best * 0.999).map(|(_, cut)| *cut).collect();
    let middle = equal.iter().sum::<f32>() / equal.len().max(1) as f32;
    middle.powf(1.0 / POWER).max(LOWEST)
}

/// A score as a probability: one half at the threshold.
pub(super) fn calibrated(score: f32, threshold: f32) -> f32 {
    let (score, threshold) = (score.powi(STEEPNESS), threshold.powi(STEEPNESS));
    score / (score + threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_between_two_heaps() {
        let others = (0..200).map(|n| 0.03 + 0.0005 * n as f32);
        let wanted = (0..20).map(|n| 0.6 + 0.01 * n as f32);
        let found = threshold(others.clone().chain(wanted));
        assert!(found > 0.15 && found < 0.6, "{found}");
        assert_eq!(threshold([0.9; 5].into_iter()), USUAL);
        // all that have anything of it have much of it
        let one_heap = threshold([0.8; 30].into_iter().chain([0.0; 60]));
        assert!(one_heap > 0.2 && one_heap < 0.5, "{one_heap}");
        // noise alone makes no page relevant
        assert!(threshold((0..200).map(|n| 0.021 + 0.0002 * n as f32)) >= LOWEST);
    }

    #[test]
    fn a_score_at_the_threshold_is_even() {
        assert!((calibrated(0.4, 0.4) - 0.5).abs() < 1e-6);
        // twice the threshold: 8 / 9
        assert!((calibrated(0.8, 0.4) - 8.0 / 9.0).abs() < 1e-6);
        assert_eq!(calibrated(0.0, 0.4), 0.0);
    }
}
