//! What a page of a world costs: crawls each kind breadth-first, then generates the same pages again with a timer and
//! prints time, size, links and what the crawl found.
//!
//! `cargo run --release -p osprey-world --example page_cost -- [PAGES [VISITS [KIND...]]]`

#![allow(clippy::print_stdout, reason = "the example's output")]

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hint::black_box;
use std::time::{Duration, Instant};

use osprey_model::PageType;
use osprey_model::{CanonicalUrl, UrlRules};
use osprey_world::{Ask, Kind, Options, World, WorldError};

/// The size up to which all pages are counted.
const COUNTED: u64 = 1_000_000;

/// How often each truth is computed: a single one is too short for the thread clock.
const TRUTHS: u32 = 8;

/// What a crawl found.
#[derive(Default)]
struct Met {
    urls: Vec<CanonicalUrl>,
    bytes: usize,
    links: usize,
    user_created: usize,
    templates: BTreeMap<String, usize>,
    topics: BTreeMap<String, usize>,
}

fn main() -> Result<(), WorldError> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (pages, visits) = (number(10_000_000), number(3000) as usize);
    let named: Vec<Kind> = arguments.map(|name| name.parse()).collect::<Result<_, _>>()?;
    let kinds = if named.is_empty() { Kind::ALL.to_vec() } else { named };
    println!("simulated; {pages} pages, {visits} visits, breadth-first");
    for kind in kinds {
        let world = World::new(kind, &Options { pages, ..Options::default() })?;
        show(&world, &crawl(&world, visits));
        if pages <= COUNTED {
            println!("  pages that count: {}", world.pages().count());
        }
    }
    Ok(())
}

fn crawl(world: &World, visits: usize) -> Met {
    let rules = UrlRules::default();
    let seeds = world.seeds();
    let mut queue: VecDeque<_> =
        seeds.iter().filter_map(|seed| CanonicalUrl::parse(seed, &rules).ok()).collect();
    let mut known: HashSet<u64> = queue.iter().map(CanonicalUrl::fingerprint).collect();
    let mut met = Met::default();
    while let Some(url) = queue.pop_front().filter(|_| met.urls.len() < visits) {
        let answer = world.answer(&Ask { url: &url, cookie: None });
        let body = String::from_utf8_lossy(&answer.body);
        let hrefs = body.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let targets = hrefs.chain(answer.headers.get("location"));
        for link in targets.filter_map(|href| url.join(&href.replace("&amp;", "&"), &rules).ok()) {
            met.links += 1;
            if world.has_host_of(&link) && known.insert(link.fingerprint()) {
                queue.push_back(link);
            }
        }
        met.bytes += answer.body.len();
        met.note(world, url);
    }
    met
}

impl Met {
    fn note(&mut self, world: &World, url: CanonicalUrl) {
        let truth = world.truth(&url).unwrap_or_default();
        self.urls.push(url);
        let counts = truth.waste.is_none() && truth.duplicate_of.is_none();
        self.user_created += usize::from(truth.user_created && counts);
        if truth.page_type == PageType::Detail && counts {
            truth.topics.into_iter().take(1).for_each(|topic| *self.topics.entry(topic).or_default() += 1);
        }
        let what = match (truth.waste, truth.duplicate_of) {
            (Some(waste), _) => waste,
            (None, Some(_)) => "duplicate".into(),
            (None, None) => format!("{} {}", truth.page_type, truth.template),
        };
        *self.templates.entry(what).or_default() += 1;
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 * 100.0 / self.urls.len().max(1) as f64
    }

    fn largest(&self, counts: &BTreeMap<String, usize>, most: usize) -> String {
        let mut sorted: Vec<(&String, &usize)> = counts.iter().collect();
        sorted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        let shares =
            sorted.into_iter().take(most).map(|(name, count)| format!("{name} {:.1} %", self.share(*count)));
        shares.collect::<Vec<_>>().join(", ")
    }
}

/// The CPU time of this thread if the system reports it, otherwise wall-clock time: load on the machine must not
/// count.
fn cost(work: impl FnOnce()) -> Duration {
    let on_cpu = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse::<u64>().ok().map(Duration::from_nanos)
    };
    let (begun, before) = (Instant::now(), on_cpu());
    work();
    on_cpu().zip(before).map_or_else(|| begun.elapsed(), |(after, before)| after.saturating_sub(before))
}

fn show(world: &World, met: &Met) {
    let count = met.urls.len().max(1) as f64;
    let us = |duration: Duration| duration.as_secs_f64() * 1e6 / count;
    let pages =
        cost(|| met.urls.iter().for_each(|url| drop(black_box(world.answer(&Ask { url, cookie: None })))));
    let truths = cost(|| {
        (0..TRUTHS).for_each(|_| met.urls.iter().for_each(|url| drop(black_box(world.truth(url)))));
    });
    // the best of three, to leave out noise of the machine
    let once = |url| {
        let begun = Instant::now();
        drop(black_box(world.answer(&Ask { url, cookie: None })));
        begun.elapsed()
    };
    let slowest = met.urls.iter().filter_map(|url| (0..3).map(|_| once(url)).min()).max().unwrap_or_default();
    println!(
        "{}: {:.0} us a page (slowest {:.0} us), {:.1} us a truth, {:.1} KB and {:.0} links a page, {:.0} % user-made",
        world.kind(),
        us(pages),
        slowest.as_secs_f64() * 1e6,
        us(truths) / f64::from(TRUTHS),
        met.bytes as f64 / count / 1000.0,
        met.links as f64 / count,
        met.share(met.user_created),
    );
    println!("  met: {}", met.largest(&met.templates, 40));
    println!("  topics of details: {}", met.largest(&met.topics, 6));
}
