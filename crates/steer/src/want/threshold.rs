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
/// Pages that no word led to, to see where they are.
const FEWEST_BY_CHANCE: usize = 5;
/// Pulls large scores together, so that few very good pages do not make a heap of their own.
const POWER: f32 = 0.8;
/// The threshold where nothing is known.
pub(super) const USUAL: f32 = 0.35;
/// Below this a page is not about it, however the heaps lie.
const LOWEST: f32 = 0.12;
/// How steep the way from no to yes is.
const STEEPNESS: i32 = 3;

/// The cut between the heaps of scores. `is_led` says whether a word of the want led to the page: where so many are that most
/// scores are those of wanted pages, these would be cut in two; there both kinds of page weigh the same.
pub(super) fn threshold(scores: impl Iterator<Item = (f32, bool)>) -> f32 {
    let scores: Vec<(f32, bool)> =
        scores.map(|(score, is_led)| (score.max(0.0).powf(POWER), is_led)).collect();
    let count = |led: bool| scores.iter().filter(|(_, is_led)| *is_led == led).count();
    let (led, by_chance) = (count(true), count(false));
    let says = |score: f32| score > LEAST.powf(POWER);
    if led >= FEWEST && by_chance < FEWEST_BY_CHANCE {
        // almost all are wanted: there is nothing to cut
        return USUAL;
    }
    if led >= FEWEST {
        let weight = |is_led| if is_led { 1.0 / led as f32 } else { 1.0 / by_chance as f32 };
        let weighted: Vec<(f32, f32)> =
            scores.iter().map(|(score, is_led)| (*score, weight(*is_led))).collect();
        return cut(&weighted).powf(1.0 / POWER).max(LOWEST);
    }
    let telling: Vec<(f32, f32)> =
        scores.iter().filter(|(score, _)| says(*score)).map(|(score, _)| (*score, 1.0)).collect();
    if telling.len() < FEWEST {
        return USUAL;
    }
    let (least, most) = bounds(&telling);
    if least >= most / 2.0 {
        // one heap: all others have nothing of it at all
        return (least / 2.0).powf(1.0 / POWER).max(LOWEST);
    }
    cut(&telling).powf(1.0 / POWER).max(LOWEST)
}

fn bounds(scores: &[(f32, f32)]) -> (f32, f32) {
    scores.iter().fold((f32::MAX, f32::MIN), |(a, b), (score, _)| (a.min(*score), b.max(*score)))
}

/// The cut with the largest variance between both sides, of scores with weights.
fn cut(scores: &[(f32, f32)]) -> f32 {
    let (least, most) = bounds(scores);
    let cuts = (1..CUTS).map(|cut| least + (most - least) * cut as f32 / CUTS as f32);
    let between = |cut: f32| {
        let side = |is_above: bool| {
            let side = scores.iter().filter(|(score, _)| (*score >= cut) == is_above);
            side.fold((0.0, 0.0), |(sum, weights), (score, weight)| (sum + score * weight, weights + weight))
        };
        let ((below, light), (above, heavy)) = (side(false), side(true));
        if light <= 0.0 || heavy <= 0.0 {
            0.0
        } else {
            light * heavy * (below / light - above / heavy).powi(2)
        }
    };
    let cuts: Vec<(f32, f32)> = cuts.map(|cut| (between(cut), cut)).collect();
    let best = cuts.iter().map(|(between, _)| *between).fold(0.0, f32::max);
    // all cuts between two heaps are as good: the middle one
    let equal: Vec<f32> =
        cuts.iter().filter(|(between, _)| *between >= best * 0.999).map(|(_, cut)| *cut).collect();
    equal.iter().sum::<f32>() / equal.len().max(1) as f32
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
        let threshold = |scores: &mut dyn Iterator<Item = f32>| threshold(scores.map(|score| (score, false)));
        let found = threshold(&mut others.clone().chain(wanted));
        assert!(found > 0.15 && found < 0.6, "{found}");
        assert_eq!(threshold(&mut [0.9; 5].into_iter()), USUAL);
        // all that have anything of it have much of it
        let one_heap = threshold(&mut [0.8; 30].into_iter().chain([0.0; 60]));
        assert!(one_heap > 0.2 && one_heap < 0.5, "{one_heap}");
        // noise alone makes no page relevant
        assert!(threshold(&mut (0..200).map(|n| 0.021 + 0.0002 * n as f32)) >= LOWEST);
    }

    /// A crawl for something has mostly what it wants: that is not cut in two.
    #[test]
    fn what_was_led_to_is_one_heap() {
        let led = (0..100).map(|n| (0.3 + 0.006 * n as f32, true));
        let by_chance = (0..10).map(|n| (0.01 * n as f32, false));
        let found = threshold(led.chain(by_chance));
        assert!(found > 0.1 && found < 0.4, "{found}");
        assert_eq!(threshold((0..100).map(|n| (0.3 + 0.006 * n as f32, true))), USUAL);
    }

    #[test]
    fn a_score_at_the_threshold_is_even() {
        assert!((calibrated(0.4, 0.4) - 0.5).abs() < 1e-6);
        // twice the threshold: 8 / 9
        assert!((calibrated(0.8, 0.4) - 8.0 / 9.0).abs() < 1e-6);
        assert_eq!(calibrated(0.0, 0.4), 0.0);
    }
}
