//! Measures a large index: `cargo run --release -p osprey-index --example million -- [DOCUMENTS] [FOLDER] [KIND]`.
//!
//! Makes an index of generated documents (a million by default) in a folder, or uses the existing one. Prints the
//! rate of indexing, the bytes per picture, for each kind of query the median and the 99th percentile, and queries
//! per second with two threads. With the first letters of a kind, it measures only that kind. The tables in
//! `docs/search.md` come from this program.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

#[path = "../benches/made/mod.rs"]
mod made;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use osprey_index::{Index, Like, Query, Request, Searcher, WriterOptions};
use osprey_vision::{Codebook, Words};

use made::{Dice, KINDS};

/// As in the product: every query allocates large lists, whose memory should be reused.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of queries of each kind that are timed individually.
const TIMED: usize = 300;
/// Number of queries of each kind that run before timing begins.
const WARMING: usize = 30;
/// Number of queries that two threads share.
const SHARED: u64 = 2000;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let documents: u64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse()).context("a number")?;
    let folder = arguments.next().map_or_else(|| std::env::temp_dir().join("osprey-million"), PathBuf::from);
    let only = arguments.next();
    let codebook = Codebook::embedded();
    let pictures = made::pictures(2000, &codebook);
    let index = Index::open(&folder, codebook)?;
    if index.searcher()?.len() != documents {
        build(&folder, documents, &pictures)?;
    }
    let start = Instant::now();
    let searcher = index.searcher()?;
    println!("{} documents, opened in {:.0?}", searcher.len(), start.elapsed());
    if let Some(only) = only {
        return one_by_one(&searcher, &pictures, &only);
    }
    spread(&pictures);
    bytes(&searcher, &folder)?;
    one_by_one(&searcher, &pictures, "")?;
    together(&searcher, &pictures)?;
    Ok(())
}

fn build(folder: &Path, documents: u64, pictures: &[Words]) -> Result<()> {
    let index = Index::create(folder, Codebook::embedded())?;
    let mut writer = index.writer(&WriterOptions::default())?;
    let (start, mut making) = (Instant::now(), Duration::ZERO);
    for number in 0..documents {
        let before = Instant::now();
        let document = made::document(number, pictures);
        making += before.elapsed();
        writer.put(&document)?;
        if number % 100_000 == 99_999 {
            writer.commit(None)?;
            println!("{} documents in {:.0?}", number + 1, start.elapsed());
        }
    }
    writer.commit(None)?;
    let took = start.elapsed();
    let rate = |took: Duration| documents as f64 / took.as_secs_f64();
    println!("indexed {:.0} documents/s by the clock, making them included ({making:.0?})", rate(took));
    println!("cpu: {:.0} documents per second of a core", rate(cpu()));
    let merging = Instant::now();
    writer.finish()?;
    println!("merged in another {:.0?}", merging.elapsed());
    Ok(())
}

/// Prints how visual words are distributed over the generated pictures, for comparison with Corel-1k.
fn spread(pictures: &[Words]) {
    let mean = |count: &dyn Fn(&Words) -> usize| {
        pictures.iter().map(count).sum::<usize>() as f64 / pictures.len() as f64
    };
    let least = 1024.0 / 175_000.0;
    println!(
        "words of a picture: colours {:.1} ({:.1} in regions), textures {:.1}, borders {:.1}, shapes {:.1} ({:.1} in regions)",
        mean(&|words| words.colours.whole.shares().filter(|(_, share)| *share >= least).count()),
        mean(&|words| words.colours.regions.iter().map(osprey_vision::Bag::len).sum()),
        mean(&|words| words.textures.whole.len()),
        mean(&|words| words.borders.len()),
        mean(&|words| words.shapes.whole.len()),
        mean(&|words| words.shapes.regions.iter().map(osprey_vision::Bag::len).sum()),
    );
    let mut frequencies: Vec<usize> = (0..128)
        .map(|word| pictures.iter().filter(|words| words.colours.whole.share(word) >= least).count())
        .collect();
    frequencies.sort_unstable_by(|a, b| b.cmp(a));
    let share = |rank: usize| frequencies[rank] as f64 / pictures.len() as f64;
    println!(
        "pictures with the colour of rank 1, 10, 20, 40: {:.2} {:.2} {:.2} {:.2}",
        share(0),
        share(9),
        share(19),
        share(39)
    );
    let packed: usize = pictures.iter().map(|words| words.pack().len() * 8).sum();
    println!("packed words: {} bytes a picture", packed / pictures.len());
}

fn bytes(searcher: &Searcher, folder: &Path) -> Result<()> {
    let mut total = 0;
    for entry in folder.read_dir()? {
        total += entry?.metadata()?.len();
    }
    let each = |bytes: u64| bytes / searcher.len().max(1);
    println!("on disk: {} bytes a document in all", each(total));
    for (field, bytes) in searcher.space()? {
        if each(bytes) > 0 {
            println!("  {field}: {}", each(bytes));
        }
    }
    Ok(())
}

/// Runs a query; returns its wall-clock time and its CPU time.
fn ask(searcher: &Searcher, kind: usize, dice: &mut Dice, pictures: &[Words]) -> Result<[Duration; 2]> {
    let text = made::query(kind, dice);
    let example = &pictures[dice.below(pictures.len() as u64) as usize];
    let like = text.is_empty().then_some(Like::Picture(example));
    let query = Query::parse(&text)?;
    let request = Request { query, like, facets: 10, highlights: true, ..Request::default() };
    let (start, before) = (Instant::now(), on_core());
    let results = searcher.search(&request)?;
    let took = [start.elapsed(), on_core().saturating_sub(before)];
    std::hint::black_box(results);
    Ok(took)
}

fn one_by_one(searcher: &Searcher, pictures: &[Words], only: &str) -> Result<()> {
    let mut all = Vec::new();
    println!("ms on a core, and by the clock: median, p99, worst");
    for (kind, (name, of_hundred)) in KINDS.into_iter().enumerate() {
        if !name.starts_with(only) {
            continue;
        }
        let mut dice = Dice::new(7);
        // what was read once stays in memory, as in an index that is searched all day
        for _ in 0..WARMING {
            ask(searcher, kind, &mut dice, pictures)?;
        }
        let mut times = Vec::new();
        for _ in 0..TIMED {
            times.push(ask(searcher, kind, &mut dice, pictures)?);
        }
        // in proportion to the shares of the kinds, spread over all queries of the kind
        all.extend((0..of_hundred as usize * 3).map(|place| times[place % TIMED]));
        row(name, &times);
    }
    row("all, as they are asked", &all);
    Ok(())
}

fn row(name: &str, times: &[[Duration; 2]]) {
    print!("{name:24}");
    for which in [1, 0] {
        let mut times: Vec<Duration> = times.iter().map(|times| times[which]).collect();
        times.sort_unstable();
        for share in [0.5, 0.99, 1.0] {
            let at = times[((times.len() - 1) as f64 * share) as usize];
            print!(" {:9.2}", at.as_secs_f64() * 1e3);
        }
        print!("   ");
    }
    println!();
}

/// The CPU time of this thread according to the kernel; zero if unknown.
fn on_core() -> Duration {
    // the kernel updates the count when a thread yields, otherwise only every 4 ms
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// Two threads run queries of all kinds in proportion to their shares.
fn together(searcher: &Searcher, pictures: &[Words]) -> Result<()> {
    let (start, before) = (Instant::now(), cpu());
    std::thread::scope(|scope| -> Result<()> {
        let threads: Vec<_> = (0..2)
            .map(|thread| {
                scope.spawn(move || -> Result<()> {
                    let mut dice = Dice::new(100 + thread);
                    for _ in 0..SHARED / 2 {
                        let kind = kind(dice.below(100));
                        ask(searcher, kind, &mut dice, pictures)?;
                    }
                    Ok(())
                })
            })
            .collect();
        for thread in threads {
            thread.join().map_err(|_| anyhow::anyhow!("a thread stopped"))??;
        }
        Ok(())
    })?;
    let (took, used) = (start.elapsed().as_secs_f64(), (cpu() - before).as_secs_f64());
    println!(
        "two threads: {:.0} queries/s by the clock; {:.0} queries per second of two cores",
        SHARED as f64 / took,
        SHARED as f64 / used * 2.0
    );
    Ok(())
}

fn kind(mut of_hundred: u64) -> usize {
    for (kind, (_, share)) in KINDS.into_iter().enumerate() {
        if of_hundred < share {
            return kind;
        }
        of_hundred -= share;
    }
    0
}

/// The CPU time of this process according to the kernel; zero if unknown.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<u64> = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    let ticks = fields.get(11).copied().unwrap_or(0) + fields.get(12).copied().unwrap_or(0);
    Duration::from_millis(ticks * 10)
}
