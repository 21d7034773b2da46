//! Every policy after a thousand, thirty thousand and a million links were placed: what a page costs must stay the
//! same.
//!
//! A made-up site of lists, things and people, of which each page links to pages that were not seen yet.

use std::fmt::Write as _;

use criterion::{Criterion, SamplingMode, Throughput};
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_page::{Input, Page, PageRules};
use osprey_steer::Subject;

use super::clock::measure;
use super::steered::{Read, learn, policies as built};

/// Links that were placed before the measurement.
const LINKS: [usize; 3] = [1_000, 30_000, 1_000_000];
/// Pages that are measured.
const PROBES: u64 = 60;
/// Pages that the site is learned from.
const SAMPLE: u64 = 60;
/// Numbers of pages: people are met again, things and lists hardly ever.
const PEOPLE: u64 = 50_000;
const THINGS: u64 = 1 << 40;

pub(crate) fn policies(criterion: &mut Criterion) {
    let sample: Vec<Page> = (0..SAMPLE).map(page).collect();
    let site = learn(sample.iter());
    let sample: Vec<Read> = sample.into_iter().map(|page| Read::new(page, &site)).collect();
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let subject = Subject {
        tags: words(&["w1", "w2", "w3"]),
        genre_terms: words(&["w4", "w5"]),
        content_terms: words(&["w6", "w7"]),
        ..Subject::default()
    };
    let mut all = built(&site, &sample, &subject);
    let probes: Vec<Read> =
        (0..PROBES).map(|number| Read::new(page(u64::from(u32::MAX) + number), &site)).collect();
    let (mut links, mut number) = (0, SAMPLE);
    for target in LINKS {
        while links < target {
            let read = Read::new(page(number), &site);
            all.iter_mut().for_each(|steered| {
                steered.tell(&read);
            });
            (links, number) = (links + read.page.links().len(), number + 1);
        }
        let mut group = criterion.benchmark_group(format!("growth/{target}"));
        group.throughput(Throughput::Elements(PROBES)).sample_size(10);
        group.sampling_mode(SamplingMode::Flat);
        for steered in &mut all {
            steered.rehearse(&probes);
            group.bench_function(steered.name, |bencher| {
                measure(bencher, || probes.iter().map(|read| steered.tell(read)).sum());
            });
        }
        group.finish();
    }
}

/// A page of the site: of four, one list, two things, one person.
fn page(number: u64) -> Page {
    let mut html =
        String::from("<html lang=en><head><title>site</title></head><body><nav><a href=/l/1>home</a></nav>");
    let path = match number % 4 {
        0 => {
            html.push_str("<ul class=cards>");
            (0..20).for_each(|card| push_card(&mut html, number * 20 + card, None));
            let _ = write!(html, "</ul><a class=next href=/l/{}>next</a>", draw(number) % THINGS);
            format!("/l/{}", draw(number ^ 1) % THINGS)
        }
        1 | 2 => {
            let _ = write!(
                html,
                "<h1>thing {number}</h1><p class=by><a href=/u/{}>by</a><p class=tags>",
                person(number)
            );
            (0..6).for_each(|n| {
                let word = draw(number * 6 + n) % 400;
                let _ = write!(html, "<a rel=tag href=/tag/w{word}>w{word}</a> ");
            });
            html.push_str("<p>");
            (0..80).for_each(|n| {
                let _ = write!(html, "w{} ", draw(number * 80 + n) % 400);
            });
            html.push_str("<ul class=more>");
            (0..6).for_each(|card| push_card(&mut html, number * 6 + card, None));
            html.push_str("</ul>");
            format!("/d/{}", draw(number ^ 2) % THINGS)
        }
        _ => {
            let owner = person(number);
            let _ = write!(html, "<h2>person {owner}</h2><p class=about>");
            (0..30).for_each(|n| {
                let _ = write!(html, "w{} ", draw(number * 30 + n) % 400);
            });
            html.push_str("<ol class=things>");
            (0..12).for_each(|card| push_card(&mut html, number * 12 + card, Some(owner)));
            html.push_str("</ol><ul class=contacts>");
            (0..10).for_each(|n| {
                let contact = person(number * 10 + n);
                let _ = write!(html, "<li><a href=/u/{contact}>p{contact}</a>");
            });
            html.push_str("</ul>");
            format!("/u/{owner}")
        }
    };
    #[expect(clippy::unwrap_used, reason = "a bench may panic: the URL is written here")]
    let url = CanonicalUrl::parse(&format!("http://site.example{path}"), &UrlRules::default()).unwrap();
    Page::parse(&Input { url: &url, content_type: None, body: html.as_bytes() }, &PageRules::default())
}

/// A thing and who made it; on the maker's own page only the thing.
fn push_card(html: &mut String, number: u64, owner: Option<u64>) {
    let thing = draw(number) % THINGS;
    let _ = write!(html, "<li><a href=/d/{thing}><img src=/i/{thing}.jpg></a>");
    if owner.is_none() {
        let maker = person(number);
        let _ = write!(html, "<i><a href=/u/{maker}>p{maker}</a></i>");
    }
}

fn person(number: u64) -> u64 {
    draw(number.wrapping_mul(3)) % PEOPLE
}

/// A lot.
fn draw(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 31)
}
