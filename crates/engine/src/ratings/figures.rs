//! How good the judge is, by the ratings: precision and recall, with intervals.
//!
//! People do not rate at random: they rate the best first, or what they are asked about. So pages are cut into bands of
//! about the same relevance (deciles of all pages, and the judge's threshold between them; joined until each has a few
//! ratings), and each band counts by its number of pages, not of ratings. What remains assumed is said beside the figures:
//! that within a band it did not matter how good a page was whether it got rated.
//!
//! The judge's word is that of the time of the visit, before the rating: a judge that has learned from a rating is no
//! witness of how good it was.

use serde::{Deserialize, Serialize};

use super::Ratings;
use super::intervals::{Estimate, Stratum, share_of, total};
use crate::captures::Captures;
use crate::error::Result;
use crate::project::Project;

/// Ratings from which figures are given.
const ENOUGH: u64 = 20;
/// Bands of pages, before those with few ratings are joined.
const BANDS: usize = 10;
/// Ratings that a band should have.
const BAND_RATINGS: u64 = 5;
/// What the figures take for granted.
const ASSUMES: &str =
    "assumes that among pages of about the same relevance, good and bad ones were as likely to be rated";

/// What the ratings say of the judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RatingFigures {
    /// Pages that were called good.
    pub good: u64,
    /// Pages that were called bad.
    pub bad: u64,
    /// Ratings that are missing until figures can be given.
    pub needed: u64,
    /// The share of good pages among those that the judge calls relevant.
    pub precision: Option<Estimate>,
    /// The share of the good pages fetched that the judge calls relevant.
    pub recall: Option<Estimate>,
    /// What these figures assume, or why there are none.
    pub note: Option<String>,
}

/// What is known of a page that was fetched.
#[derive(Clone, Copy, Debug)]
struct Judged {
    relevance: f32,
    is_relevant: bool,
    /// Whether the user called it good.
    good: Option<bool>,
}

impl Project {
    /// What the ratings say of the judge; `None` if there are none.
    pub fn rating_figures(&self) -> Result<Option<RatingFigures>> {
        let ratings = self.ratings()?;
        if ratings.is_empty() || !Captures::exist(self.layout().data()) {
            return Ok(None);
        }
        if ratings.all().len() as u64 >= ENOUGH {
            return Ok(Some(figures(&ratings, self.judged_pages(&ratings)?)));
        }
        Ok(Some(figures(&ratings, Vec::new())))
    }

    fn judged_pages(&self, ratings: &Ratings) -> Result<Vec<Judged>> {
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let judged = captures.pages()?.0.into_iter().map(|found| Judged {
            relevance: found.visit.relevance.unwrap_or(0.0),
            is_relevant: found.visit.relevant,
            good: ratings.get(&found.visit.url),
        });
        Ok(judged.collect())
    }
}

fn figures(ratings: &Ratings, pages: Vec<Judged>) -> RatingFigures {
    let (good, bad) = ratings.counts();
    let needed = ENOUGH.saturating_sub(good + bad);
    let mut figures = RatingFigures { good, bad, needed, ..RatingFigures::default() };
    if needed > 0 {
        return figures;
    }
    let (relevant, others): (Vec<Judged>, Vec<Judged>) = pages.into_iter().partition(|page| page.is_relevant);
    let (above, below) = (bands(relevant), bands(others));
    let all = |side: &[Stratum]| side.iter().map(|band| band.all).sum::<u64>();
    let seen = |side: &[Stratum]| side.iter().map(|band| band.seen).sum::<u64>();
    let (above_good, below_good) = (total(&above), total(&below));
    if seen(&above) > 0 {
        figures.precision = Some(above_good.times(1.0 / all(&above) as f64));
    }
    let is_known = |side: &[Stratum]| all(side) == 0 || seen(side) > 0;
    if is_known(&above) && is_known(&below) {
        figures.recall = share_of(above_good, below_good);
    }
    let note = if all(&above) == 0 {
        "the judge calls no page relevant"
    } else if seen(&above) == 0 {
        "rate some pages that the judge calls relevant: none is rated yet"
    } else if !is_known(&below) {
        "for an estimate of recall, rate some pages that the judge does not call relevant (`osprey rate --suggest`)"
    } else if figures.recall.is_none() {
        "no page was called good, so nothing can be said of recall"
    } else {
        ASSUMES
    };
    figures.note = Some(note.to_owned());
    figures
}

/// Pages of one side of the threshold in bands of about the same relevance, each with a few ratings if there are enough.
fn bands(mut pages: Vec<Judged>) -> Vec<Stratum> {
    pages.sort_unstable_by(|a, b| b.relevance.total_cmp(&a.relevance));
    let size = pages.len().div_ceil(BANDS);
    let (mut bands, mut band, mut last): (Vec<Stratum>, Stratum, f32) = (Vec::new(), Stratum::default(), 0.0);
    for page in &pages {
        // equals stay together
        if band.all as usize >= size && band.seen >= BAND_RATINGS && page.relevance < last {
            bands.push(std::mem::take(&mut band));
        }
        band.all += 1;
        band.seen += u64::from(page.good.is_some());
        band.good += u64::from(page.good == Some(true));
        last = page.relevance;
    }
    match bands.last_mut() {
        // too few to stand alone
        Some(before) if band.seen < BAND_RATINGS => {
            *before = Stratum {
                all: before.all + band.all,
                seen: before.seen + band.seen,
                good: before.good + band.good,
            };
        }
        _ if band.all > 0 => bands.push(band),
        _ => {}
    }
    bands
}

#[cfg(test)]
mod tests {
    use osprey_model::Timestamp;

    use super::super::{Rating, Ratings};
    use super::*;

    /// So many pages of a relevance, of which the first ones are rated: good ones, then bad ones.
    fn pages(relevance: f32, all: usize, good: usize, bad: usize) -> Vec<Judged> {
        let rating = |n: usize| if n < good { Some(true) } else { (n < good + bad).then_some(false) };
        (0..all).map(|n| Judged { relevance, is_relevant: relevance >= 0.5, good: rating(n) }).collect()
    }

    fn rated(pages: &[Judged]) -> Ratings {
        let list = pages.iter().filter_map(|page| page.good).enumerate();
        let list = list.map(|(n, good)| Rating { url: n.to_string(), good, at: Timestamp::EPOCH }).collect();
        Ratings { list, ..Ratings::default() }
    }

    fn check(pages: Vec<Judged>, precision: Option<f64>, recall: Option<f64>, note: &str) -> RatingFigures {
        let found = figures(&rated(&pages), pages);
        let is_near = |found: Option<Estimate>, expect: Option<f64>| match (found, expect) {
            (Some(Estimate { value, low, high }), Some(expect)) => {
                (value - expect).abs() < 1e-9 && (0.0..=value).contains(&low) && (value..=1.0).contains(&high)
            }
            (found, expect) => found.is_none() && expect.is_none(),
        };
        assert!(is_near(found.precision, precision) && is_near(found.recall, recall), "{found:?}");
        assert!(found.note.as_deref().unwrap_or_default().contains(note), "{found:?}");
        found
    }

    /// 100 relevant pages, 8 of 10 good: 80. 1000 others, 1 of 10 good: 100. Recall 80 / 180, whatever share was rated.
    #[test]
    fn bands_count_by_their_pages() {
        let all = [pages(0.9, 100, 8, 2), pages(0.1, 1000, 1, 9)].concat();
        let found = check(all, Some(0.8), Some(80.0 / 180.0), "assumes");
        assert_eq!((found.good, found.bad, found.needed), (9, 11, 0));
        // the best were rated most: 90 x 9/10 + 10 of 10 x 5/5 pages are good, not 14/15 of 100
        let uneven = [pages(0.9, 10, 5, 0), pages(0.6, 90, 9, 1), pages(0.1, 100, 0, 5)].concat();
        check(uneven, Some(0.91), Some(1.0), "assumes");
    }

    #[test]
    fn figures_that_cannot_be_given_say_why() {
        let few = figures(&rated(&pages(0.9, 20, 10, 9)), Vec::new());
        assert_eq!((few.needed, few.precision, few.recall, few.note), (1, None, None, None));
        check(pages(0.1, 50, 20, 5), None, Some(0.0), "calls no page relevant");
        check([pages(0.9, 50, 20, 5), pages(0.1, 50, 0, 0)].concat(), Some(0.8), None, "--suggest");
        check([pages(0.9, 50, 0, 0), pages(0.1, 50, 20, 5)].concat(), None, None, "none is rated yet");
        let bad = check(
            [pages(0.9, 50, 0, 20), pages(0.1, 50, 0, 20)].concat(),
            Some(0.0),
            None,
            "no page was called good",
        );
        assert!(bad.precision.unwrap().high > 0.05);
        // everything is relevant, and all of it was rated
        let all = check(pages(0.9, 25, 20, 5), Some(0.8), Some(1.0), "assumes");
        assert_eq!(all.precision, Some(Estimate::exact(0.8)));
    }

    #[test]
    fn bands_have_a_few_ratings_each() {
        let seen = |pages: Vec<Judged>| bands(pages).iter().map(|band| band.seen).collect::<Vec<_>>();
        let even: Vec<Judged> = (0..100).flat_map(|n| pages(n as f32 / 100.0, 10, 1, 0)).collect();
        assert_eq!(seen(even), [10; 10]);
        let few: Vec<Judged> =
            (0..100).flat_map(|n| pages(n as f32 / 100.0, 10, usize::from(n % 8 == 0), 0)).collect();
        assert!(seen(few).iter().all(|seen| *seen >= 5));
        assert_eq!(seen(pages(0.5, 100, 30, 0)), [30]);
        assert_eq!(seen(pages(0.5, 100, 0, 0)), [0]);
        assert_eq!(seen(Vec::new()), [0; 0]);
    }
}
