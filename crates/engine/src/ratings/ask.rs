//! Which pages to ask the user about.
//!
//! Either the best that are not rated yet, or those of which the judge is most unsure: a rating of a page that it is sure
//! of teaches it little. Pages of one template are much alike, so they take turns: two of each, then two more.
//!
//! All visits are looked at by the figures of the crawl; the few pages that come into question are read from the archive
//! and judged again, by what is wanted and rated now.

use std::fmt::Write;

use osprey_crawl::VisitRow;
use osprey_page::Page;
use osprey_steer::{Judge, Judgement, Known};
use osprey_text::PageWords;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::Ratings;
use super::excerpt::{excerpt, on_one_line};
use crate::captures::Captures;
use crate::error::{Error, Result};
use crate::example_pages::ExamplePages;
use crate::observe::Control;
use crate::project::Project;
use crate::words::counted;

/// Pages that are judged again, at least.
const POOL: usize = 200;
/// Pages of a template in a row.
const IN_A_ROW: usize = 2;
/// Parts of a link's score that are named.
const PARTS: usize = 3;

/// Which pages are asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateOptions {
    /// Those that the judge is most unsure of, instead of the best.
    pub suggest: bool,
    /// So many.
    pub limit: usize,
}

/// A page that the user may rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageToRate {
    /// Where it is.
    pub url: String,
    /// Its title.
    pub title: String,
    /// A few lines of its text, around the words that are wanted.
    pub excerpt: String,
    /// Why it was fetched, in a sentence.
    pub why: String,
    /// What the judge says now; `None` if nothing is judged.
    pub worth: Option<f32>,
    /// Whether that counts as relevant.
    pub relevant: bool,
    /// Its type, if the site was learned.
    pub page_type: Option<String>,
}

/// A page that comes into question.
struct Candidate {
    visit: VisitRow,
    /// What the judge says of it.
    relevance: f32,
}

impl Project {
    /// Pages that are not rated yet, those to ask about first.
    pub fn pages_to_rate(&self, options: &RateOptions, control: Control<'_>) -> Result<Vec<PageToRate>> {
        let ratings = self.ratings()?;
        if ratings.damaged() > 0 {
            let lines = counted(ratings.damaged(), "line");
            control.note(format!("{}: {lines} cannot be read", self.layout().ratings().display()));
        }
        let captures = Captures::open(self.layout().data(), &self.resolved.settings)?;
        let candidates = candidates(&captures, &ratings)?;
        if options.suggest && candidates.iter().all(|found| found.visit.relevance.is_none()) {
            let message = "`--suggest`: no page was judged, so there is nothing to be unsure of; set `judge.kind`, or rate without it";
            return Err(Error::Usage(message.to_owned()));
        }
        let threshold = threshold(&candidates);
        let order = |relevance: f32| match options.suggest {
            true => (relevance - threshold).abs(),
            false => -relevance,
        };
        let pool = chosen(candidates, options.limit.max(POOL), options.suggest, order);
        let known = ExamplePages::of(self).known_already()?;
        // a judge that lacks something (a learned site) has said what it could when the page was fetched
        let judge = Judge::new(self.resolved.judge(), self.resolved.subject(), &known).ok();
        let mut pages: Vec<(Candidate, Page, Option<Judgement>)> = Vec::new();
        for candidate in pool {
            if control.is_stopped() {
                return Err(Error::Interrupted);
            }
            let Some(page) = captures.page(&candidate.visit) else { continue };
            let judgement = judge.as_ref().map(|judge| judged(judge, &page, &known));
            let now = judgement.and_then(|judgement| judgement.relevance);
            let relevance = now.unwrap_or(candidate.relevance);
            pages.push((Candidate { relevance, ..candidate }, page, judgement));
        }
        captures.check_readable()?;
        let pages = take_turns(pages, options.limit, options.suggest, |(candidate, ..)| {
            (order(candidate.relevance), template(&candidate.visit))
        });
        Ok(pages
            .into_iter()
            .map(|(candidate, page, judgement)| self.page_to_rate(candidate, &page, judgement))
            .collect())
    }

    fn page_to_rate(&self, found: Candidate, page: &Page, judgement: Option<Judgement>) -> PageToRate {
        let visit = found.visit;
        let then = Judgement { relevance: visit.relevance, relevant: visit.relevant };
        let Judgement { relevance, relevant } = judgement.unwrap_or(then);
        PageToRate {
            title: on_one_line(page.title()),
            excerpt: excerpt(page, self.resolved.subject()),
            why: why(&visit),
            url: visit.url,
            worth: relevance,
            relevant,
            page_type: visit.page_type,
        }
    }
}

fn judged(judge: &Judge, page: &Page, known: &Known) -> Judgement {
    let reading = known.site.as_ref().map(|site| site.read(page));
    judge.judge(page, &PageWords::default(), reading.as_ref())
}

/// Pages that are not rated, each once.
fn candidates(captures: &Captures, ratings: &Ratings) -> Result<Vec<Candidate>> {
    let pages = captures.pages()?.0.into_iter().map(|found| found.visit);
    let pages = pages.filter(|visit| visit.near_duplicate_of.is_none() && ratings.get(&visit.url).is_none());
    Ok(pages.map(|visit| Candidate { relevance: visit.relevance.unwrap_or(0.0), visit }).collect())
}

/// The relevance that divides the relevant from the rest: whatever the judge, it lies between the two.
fn threshold(candidates: &[Candidate]) -> f32 {
    let of = |is_relevant: bool| {
        let side = candidates.iter().filter(move |found| found.visit.relevant == is_relevant);
        side.map(|found| found.relevance)
    };
    let (least, most) = (of(true).reduce(f32::min), of(false).reduce(f32::max));
    match (least, most) {
        (Some(least), Some(most)) => (least + most) / 2.0,
        (one, other) => one.or(other).unwrap_or(0.5),
    }
}

/// The pages that are worth reading again.
fn chosen(
    candidates: Vec<Candidate>,
    most: usize,
    is_spread: bool,
    order: impl Fn(f32) -> f32,
) -> Vec<Candidate> {
    take_turns(candidates, most, is_spread, |found| (order(found.relevance), template(&found.visit)))
}

/// The first `most` by a number; if they are to be spread, templates take turns. Of equals, those that came first.
fn take_turns<T>(
    mut all: Vec<T>,
    most: usize,
    is_spread: bool,
    key: impl Fn(&T) -> (f32, (String, u64)),
) -> Vec<T> {
    let mut keyed: Vec<(f32, usize, T)> = Vec::with_capacity(all.len());
    let mut templates = FxHashMap::default();
    let mut numbers: Vec<usize> = Vec::with_capacity(all.len());
    for value in all.drain(..) {
        let (order, template) = key(&value);
        let next = templates.len();
        numbers.push(*templates.entry(template).or_insert(next));
        keyed.push((order, keyed.len(), value));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    if is_spread {
        let mut taken = vec![0_usize; templates.len()];
        let mut turns: Vec<(usize, T)> = Vec::with_capacity(keyed.len());
        for (_, place, value) in keyed {
            let mut turn = 0;
            if let Some(taken) = numbers.get(place).and_then(|number| taken.get_mut(*number)) {
                turn = *taken / IN_A_ROW;
                *taken += 1;
            }
            turns.push((turn, value));
        }
        turns.sort_by_key(|(turn, _)| *turn);
        return turns.into_iter().take(most).map(|(_, value)| value).collect();
    }
    keyed.into_iter().take(most).map(|(_, _, value)| value).collect()
}

/// Pages of one template: those of a learned cluster; else those of a host whose addresses look alike.
fn template(visit: &VisitRow) -> (String, u64) {
    let rest = visit.url.split_once("://").map_or(visit.url.as_str(), |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if let Some(cluster) = visit.cluster {
        return (host.to_owned(), cluster.into());
    }
    let path = path.split('?').next().unwrap_or_default();
    let first = path.split('/').next().unwrap_or_default();
    let (mut shape, levels) = (host.to_owned(), path.matches('/').count() as u64);
    if levels > 0 {
        shape.push('/');
        shape.extend(first.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }));
    }
    (shape, levels)
}

/// `found on http://a.example/list; anchor 0.80, page 0.31`
fn why(visit: &VisitRow) -> String {
    let mut words = match &visit.parent {
        None => "a start page".to_owned(),
        Some(parent) => format!("found on {parent}"),
    };
    let mut parts: Vec<(&String, f32)> = visit.why.iter().map(|(name, value)| (name, *value)).collect();
    parts.retain(|(_, value)| *value != 0.0);
    parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    for (number, (name, value)) in parts.into_iter().take(PARTS).enumerate() {
        // writing to a String cannot fail
        let _ = write!(words, "{} {name} {value:.2}", if number == 0 { ";" } else { "," });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_take_turns_when_asked_to() {
        let all =
            || vec![("a", 0.1), ("a", 0.2), ("a", 0.3), ("b", 0.4), ("a", 0.35), ("c", 0.9), ("b", 0.4)];
        let key = |found: &(&str, f32)| (found.1, (found.0.to_owned(), 0));
        let names =
            |found: Vec<(&'static str, f32)>| found.into_iter().map(|(name, _)| name).collect::<String>();
        assert_eq!(names(take_turns(all(), 9, false, key)), "aaaabbc");
        assert_eq!(names(take_turns(all(), 9, true, key)), "aabbcaa");
        assert_eq!(names(take_turns(all(), 3, true, key)), "aab");
        assert_eq!(names(take_turns(all(), 0, true, key)), "");
    }
}
